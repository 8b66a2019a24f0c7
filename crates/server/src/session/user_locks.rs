//! User locks: `get_lock()` and its like.
//!
//! A lock is a name that a session has taken, so often. Others wait until it has released it as often, or has ended.
//! Transactions have nothing to do with it. Names are compared in small letters.
//!
//! A lock goes to whichever of those who wait looks first. Who would wait for somebody who waits for him is told so.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use parking_lot::Mutex;
use tokio::sync::Notify;
use types::error::SqlError;
use types::error::table::{ER_OUT_OF_RESOURCES, ER_USER_LOCK_DEADLOCK};

/// The most locks of all sessions.
const LOCKS_MAX: usize = 100_000;

/// See the module. Sessions go by the ids of their connections.
#[derive(Debug, Default)]
pub(crate) struct UserLocks {
    /// Rank: last.
    state: Mutex<State>,
    released: Notify,
}

#[derive(Debug, Default)]
struct State {
    held: HashMap<String, Held>,
    /// What sessions wait for.
    wanted: HashMap<u32, String>,
}

#[derive(Debug)]
struct Held {
    owner: u32,
    times: u64,
}

impl State {
    /// Takes a lock that is free or one's own.
    fn take(&mut self, owner: u32, name: &str) -> Result<bool, SqlError> {
        if self.held.len() >= LOCKS_MAX && !self.held.contains_key(name) {
            return Err(ER_OUT_OF_RESOURCES.error(&[]));
        }
        let held = self.held.entry(name.to_owned()).or_insert(Held { owner, times: 0 });
        let is_own = held.owner == owner;
        held.times += u64::from(is_own);
        Ok(is_own)
    }

    /// Whether the owner of a lock waits for this session, be it through others.
    fn waits_for(&self, name: &str, session: u32) -> bool {
        let owner_of = |name: &str| self.held.get(name).map(|held| held.owner);
        let mut next = owner_of(name);
        // Nobody waits in a circle: so there are no more steps than sessions that wait.
        for _ in 0..=self.wanted.len() {
            match next {
                None => return false,
                Some(owner) if owner == session => return true,
                Some(owner) => next = self.wanted.get(&owner).and_then(|wanted| owner_of(wanted)),
            }
        }
        false
    }
}

/// A session waits, as long as this lives.
struct Waiting<'l>(&'l UserLocks, u32);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.state.lock().wanted.remove(&self.1);
    }
}

impl UserLocks {
    /// Takes a lock if nobody else has it. Error 1041 beyond the number that there may be.
    pub(super) fn try_take(&self, owner: u32, name: &str) -> Result<bool, SqlError> {
        self.state.lock().take(owner, name)
    }

    /// Resolves when the session has the lock. Error 3058 if its owner waits for this session.
    pub(super) async fn take(&self, owner: u32, name: &str) -> Result<(), SqlError> {
        let _waiting = Waiting(self, owner);
        loop {
            let released = self.released.notified();
            tokio::pin!(released);
            // Registered before the look, so that nothing is missed in between.
            released.as_mut().enable();
            {
                let mut state = self.state.lock();
                if state.take(owner, name)? {
                    // At once, for who looks next would see a session that waits for itself.
                    state.wanted.remove(&owner);
                    return Ok(());
                }
                if state.waits_for(name, owner) {
                    return Err(ER_USER_LOCK_DEADLOCK.error(&[]));
                }
                state.wanted.insert(owner, name.to_owned());
            }
            released.await;
        }
    }

    /// The connections that wait for a lock.
    pub(crate) fn waiting(&self) -> Vec<u32> {
        self.state.lock().wanted.keys().copied().collect()
    }

    /// Who has a lock.
    pub(super) fn owner(&self, name: &str) -> Option<u32> {
        self.state.lock().held.get(name).map(|held| held.owner)
    }

    /// Releases a lock once. `None` if nobody has it, false if somebody else does.
    pub(super) fn release(&self, owner: u32, name: &str) -> Option<bool> {
        let mut state = self.state.lock();
        let Entry::Occupied(mut held) = state.held.entry(name.to_owned()) else { return None };
        if held.get().owner != owner {
            return Some(false);
        }
        held.get_mut().times -= 1;
        if held.get().times == 0 {
            held.remove();
            self.released.notify_waiters();
        }
        Some(true)
    }

    /// Releases all that a session has. Returns how often it had taken them.
    pub(super) fn release_all(&self, owner: u32) -> u64 {
        let mut state = self.state.lock();
        let released = state.held.extract_if(|_, held| held.owner == owner);
        let times = released.map(|(_, held)| held.times).sum();
        if times > 0 {
            self.released.notify_waiters();
        }
        times
    }
}

#[cfg(test)]
mod tests {
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// Looks once; there is nobody who would be woken.
    fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn nobody_waits_in_a_circle() {
        let locks = UserLocks::default();
        for session in 1..=3 {
            assert!(locks.try_take(session, &session.to_string()).unwrap());
        }
        let mut first = Box::pin(locks.take(1, "2"));
        let mut second = Box::pin(locks.take(2, "3"));
        assert!(poll(first.as_mut()).is_pending() && poll(second.as_mut()).is_pending());
        let third = pin!(locks.take(3, "1"));
        let Poll::Ready(Err(error)) = poll(third) else { panic!("it would wait for itself") };
        assert!(error.is(&ER_USER_LOCK_DEADLOCK), "{error:?}");
        // Whoever has given up is waited for by nobody.
        drop(second);
        let mut third = Box::pin(locks.take(3, "1"));
        assert!(poll(third.as_mut()).is_pending());
        assert_eq!(locks.release_all(2), 1);
        assert!(matches!(poll(first.as_mut()), Poll::Ready(Ok(()))));
        assert_eq!((locks.owner("2"), locks.owner("3")), (Some(1), Some(3)));
        assert_eq!(locks.release_all(1), 2);
        assert!(matches!(poll(third.as_mut()), Poll::Ready(Ok(()))));
    }

    #[test]
    fn a_look_at_who_waits_has_an_end() {
        let locks = UserLocks::default();
        assert!(locks.try_take(1, "a").unwrap());
        let mut second = Box::pin(locks.take(2, "a"));
        assert!(poll(second.as_mut()).is_pending());
        assert_eq!(locks.release(1, "a"), Some(true));
        assert!(matches!(poll(second.as_mut()), Poll::Ready(Ok(()))));
        let mut state = locks.state.lock();
        state.wanted.insert(2, "a".to_owned());
        assert!(!state.waits_for("a", 3), "not even for who waits for himself");
    }

    #[test]
    fn there_are_so_many_and_no_more() {
        let locks = UserLocks::default();
        for place in 0..LOCKS_MAX {
            assert!(locks.try_take(1, &place.to_string()).unwrap());
        }
        assert!(locks.try_take(2, "one more").unwrap_err().is(&ER_OUT_OF_RESOURCES));
        assert!(locks.try_take(1, "0").unwrap(), "one's own");
        assert!(!locks.try_take(2, "1").unwrap(), "somebody else's");
        assert_eq!(
            (locks.release(1, "2"), locks.release(2, "1"), locks.release(2, "2")),
            (Some(true), Some(false), None)
        );
        assert!(locks.try_take(2, "one more").unwrap());
        assert_eq!(locks.release_all(1), LOCKS_MAX as u64);
        assert_eq!((locks.owner("one more"), locks.owner("0")), (Some(2), None));
    }
}
