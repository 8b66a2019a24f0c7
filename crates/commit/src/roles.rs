//! Roles: which step of the pipeline is wanted, and which log thread takes it.
//!
//! A few log threads share the roles. A thread that has finished one takes the next that is wanted and free, so a
//! lone commit runs through all its stages on one thread without a hand-over, and a full pipeline has one thread in
//! each stage. Every role has one holder at a time: the stages need no locks among each other.
//!
//! A simulation does the same with one thread: [`Roles::take`] and [`Roles::done`] in any order it likes.

use sync::atomic::{AtomicU8, Ordering};
use sync::{Condvar, Mutex};

/// A part of the pipeline that one thread at a time may play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Sync the binlog; in `group` also publish.
    Sync,
    /// Take the queue, finalise events, sync redo, write the binlog.
    Flush,
    /// Write and sync redo, and publish.
    Redo,
    /// Write and sync the binlog store, and publish.
    Store,
    /// Write finished events to the binlog file.
    Files,
}

impl Role {
    /// All of them, the one nearest to an acknowledgement first.
    pub const ALL: [Self; 5] = [Self::Sync, Self::Flush, Self::Redo, Self::Store, Self::Files];

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// See the module.
#[derive(Debug, Default)]
pub struct Roles {
    /// Bits of the roles for which there is work. Set with Release by anybody, after the work is there; cleared with
    /// Acquire by who takes the role, before its step. Whether a bit is set may be read Relaxed under the lock: who
    /// sets it takes the lock next.
    wanted: AtomicU8,
    /// Rank: last.
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    busy: u8,
    idle: usize,
    stopping: bool,
}

impl Roles {
    /// Says that there is work, from outside of the log threads.
    pub(crate) fn want(&self, role: Role) {
        // Pairs with the clearing in `take`: whoever finds the bit set leaves its work to the step that clears it.
        if self.wanted.fetch_or(role.bit(), Ordering::Release) & role.bit() != 0 {
            return;
        }
        let state = self.state.lock();
        if state.busy & role.bit() == 0 && state.idle > 0 {
            self.changed.notify_one();
        }
    }

    /// Says that there is work, from within a step: this thread looks for its next role right after.
    pub(crate) fn want_next(&self, role: Role) {
        // Pairs with the clearing in `take`, as above.
        self.wanted.fetch_or(role.bit(), Ordering::Release);
    }

    /// Takes a role that is wanted and free, if there is one.
    pub fn take(&self) -> Option<Role> {
        self.take_by(|_| 0)
    }

    /// Takes one of the roles that are wanted and free: which of so many, `choose` says. Log threads may play them in any
    /// order.
    pub fn take_by(&self, choose: impl FnOnce(usize) -> usize) -> Option<Role> {
        self.take_locked(&mut self.state.lock(), choose)
    }

    /// Gives a role back.
    pub fn done(&self, role: Role) {
        self.state.lock().busy &= !role.bit();
    }

    /// Gives back the role that was played, and waits for the next one. `None` once stopped and all work is done.
    pub fn next(&self, played: Option<Role>) -> Option<Role> {
        let mut state = self.state.lock();
        if let Some(role) = played {
            state.busy &= !role.bit();
        }
        loop {
            if let Some(role) = self.take_locked(&mut state, |_| 0) {
                return Some(role);
            }
            if state.stopping && state.busy == 0 {
                self.changed.notify_all();
                return None;
            }
            state.idle += 1;
            self.changed.wait(&mut state);
            state.idle -= 1;
        }
    }

    /// Lets the log threads end when there is nothing left to do.
    pub fn stop(&self) {
        self.state.lock().stopping = true;
        self.changed.notify_all();
    }

    /// Takes a wanted role for a session that plays by itself, which has just played `played`: only while nobody else
    /// plays.
    pub(crate) fn take_alone(&self, played: Option<Role>) -> Option<Role> {
        let mut state = self.state.lock();
        if let Some(role) = played {
            state.busy &= !role.bit();
        }
        let role = if state.busy == 0 { self.take_locked(&mut state, |_| 0) } else { None };
        if role.is_none() {
            self.call_for(&state);
        }
        role
    }

    /// A session that played by itself leaves the rest to the log threads.
    pub(crate) fn leave(&self, played: Role) {
        let mut state = self.state.lock();
        state.busy &= !played.bit();
        self.call_for(&state);
    }

    /// Has an idle thread look if a free role is wanted.
    fn call_for(&self, state: &State) {
        if state.idle > 0 && self.wanted.load(Ordering::Relaxed) & !state.busy != 0 {
            self.changed.notify_one();
        }
    }

    fn take_locked(&self, state: &mut State, choose: impl FnOnce(usize) -> usize) -> Option<Role> {
        let free = self.wanted.load(Ordering::Relaxed) & !state.busy;
        let free = || Role::ALL.into_iter().filter(move |role| free & role.bit() != 0);
        let count = free().count();
        let role = free().nth(if count > 1 { choose(count) } else { 0 })?;
        self.wanted.fetch_and(!role.bit(), Ordering::Acquire);
        state.busy |= role.bit();
        self.call_for(state);
        Some(role)
    }
}
