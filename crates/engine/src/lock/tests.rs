//! Purpose: locks exclude whom they must, queues are fair, cycles are found, nothing is left behind.
//! Requirements: see the module's documentation.
//! Method: transactions by number, polled by hand with a counting waker; then random operations against the rule
//! that holders never conflict and that after everybody has released the table is empty.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use proptest::prelude::*;

use super::*;

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn table() -> Arc<LockTable> {
    Arc::default()
}

fn wait(table: &Arc<LockTable>, trx: u64, id: u64, mode: Mode) -> LockWait {
    match table.acquire(TrxId(trx), LockId(id), mode, Turn::Last).unwrap() {
        Acquired::Wait(wait) => wait,
        Acquired::Granted => panic!("trx {trx} should wait for {id}"),
    }
}

fn change(table: &Arc<LockTable>, trx: u64, id: u64) -> LockWait {
    match table.acquire(TrxId(trx), LockId(id), Mode::Exclusive, Turn::BeforeShared).unwrap() {
        Acquired::Wait(wait) => wait,
        Acquired::Granted => panic!("trx {trx} should wait for {id}"),
    }
}

fn granted(table: &Arc<LockTable>, trx: u64, id: u64, mode: Mode) -> bool {
    matches!(table.acquire(TrxId(trx), LockId(id), mode, Turn::Last), Ok(Acquired::Granted))
}

fn is_ready(wait: &mut LockWait, waker: &Waker) -> bool {
    Pin::new(wait).poll(&mut Context::from_waker(waker)) == Poll::Ready(())
}

/// Who grants a lock may be slow to say so: by then the transaction may wait for the next one.
#[test]
fn a_wait_is_known_though_the_one_before_it_is_forgotten_late() {
    let table = table();
    for id in [1, 2] {
        assert!(granted(&table, id, id, Mode::Exclusive));
    }
    let mut first = wait(&table, 3, 1, Mode::Exclusive);
    let slow = table.grant(LockId(1), |entry| entry.release(TrxId(1)));
    assert!(is_ready(&mut first, Waker::noop()));
    let _second = wait(&table, 3, 2, Mode::Exclusive);
    slow.iter().for_each(|request| table.forget(request));
    let closes = table.acquire(TrxId(2), LockId(1), Mode::Exclusive, Turn::Last);
    assert!(matches!(closes, Err(EngineError::Deadlock)), "{closes:?}");
}

/// And who has got the lock does not wait for those who share it.
#[test]
fn a_granted_request_that_is_not_forgotten_yet_waits_for_nobody() {
    let table = table();
    assert!(granted(&table, 1, 1, Mode::Exclusive));
    assert!(granted(&table, 3, 3, Mode::Exclusive));
    let _two = wait(&table, 2, 1, Mode::Shared);
    let _three = wait(&table, 3, 1, Mode::Shared);
    let slow = table.grant(LockId(1), |entry| entry.release(TrxId(1)));
    let waits = table.acquire(TrxId(2), LockId(3), Mode::Exclusive, Turn::Last);
    assert!(matches!(waits, Ok(Acquired::Wait(_))), "{waits:?}");
    slow.iter().for_each(|request| table.forget(request));
}

#[test]
fn shared_locks_are_shared_and_an_exclusive_one_waits_for_all() {
    let table = table();
    assert!(granted(&table, 1, 7, Mode::Shared));
    assert!(granted(&table, 2, 7, Mode::Shared));
    let mut third = wait(&table, 3, 7, Mode::Exclusive);
    let count = Arc::new(Count::default());
    let waker = Waker::from(Arc::clone(&count));
    assert!(!is_ready(&mut third, &waker));
    table.release(TrxId(1), LockId(7));
    assert!(!is_ready(&mut third, &waker));
    table.release(TrxId(2), LockId(7));
    assert_eq!(count.0.load(Ordering::Relaxed), 1);
    assert!(is_ready(&mut third, &waker));
    table.release(TrxId(3), LockId(7));
    assert!(table.is_empty());
}

#[test]
fn a_shared_request_does_not_overtake_a_waiting_exclusive_one() {
    let table = table();
    assert!(granted(&table, 1, 7, Mode::Shared));
    let exclusive = wait(&table, 2, 7, Mode::Exclusive);
    let shared = wait(&table, 3, 7, Mode::Shared);
    table.release(TrxId(1), LockId(7));
    assert!(exclusive.is_granted() && !shared.is_granted());
    drop(exclusive);
    assert!(shared.is_granted(), "a granted lock that nobody took is passed on");
}

#[test]
fn an_upgrade_overtakes_and_two_upgrades_are_a_deadlock() {
    let table = table();
    assert!(granted(&table, 1, 7, Mode::Shared));
    assert!(granted(&table, 2, 7, Mode::Shared));
    let _stranger = wait(&table, 3, 7, Mode::Exclusive);
    let first = wait(&table, 1, 7, Mode::Exclusive);
    assert!(matches!(
        table.acquire(TrxId(2), LockId(7), Mode::Exclusive, Turn::Last),
        Err(EngineError::Deadlock)
    ));
    table.release(TrxId(2), LockId(7));
    assert!(first.is_granted());
}

#[test]
fn a_cycle_of_three_is_found_by_whoever_closes_it() {
    let table = table();
    for trx in 1..=3 {
        assert!(granted(&table, trx, trx << 60 | trx, Mode::Exclusive));
    }
    let _one = wait(&table, 1, 2 << 60 | 2, Mode::Exclusive);
    let two = wait(&table, 2, 3 << 60 | 3, Mode::Shared);
    assert!(matches!(
        table.acquire(TrxId(3), LockId(1 << 60 | 1), Mode::Shared, Turn::Last),
        Err(EngineError::Deadlock)
    ));
    table.release(TrxId(3), LockId(3 << 60 | 3));
    assert!(two.is_granted());
}

/// Whether some of transactions 1 to 5 wait for each other for locks 0 to 3. Who waits, waits for all others who hold the
/// lock and for those before it in the queue, unless all of them share.
fn has_circle(table: &Arc<LockTable>) -> bool {
    let mut edges = Vec::new();
    for id in 0..4 {
        let Holding { holders, waiters } = table.holding(LockId(id));
        for (at, (trx, mode)) in waiters.iter().enumerate() {
            let before = || holders.iter().chain(&waiters[..at]).filter(|(other, _)| other != trx);
            let all_share = *mode == Mode::Shared && before().all(|(_, mode)| *mode == Mode::Shared);
            edges.extend(before().filter(|_| !all_share).map(|(other, _)| (*trx, *other)));
        }
    }
    // Who waits for nobody who waits is in no circle.
    loop {
        let all = edges.clone();
        edges.retain(|(_, to)| all.iter().any(|(from, _)| from == to));
        if edges.len() == all.len() {
            return !edges.is_empty();
        }
    }
}

#[test]
fn a_change_of_metadata_comes_before_those_who_wait_to_use_it_and_after_other_changes() {
    let table = table();
    assert!(granted(&table, 1, 7, Mode::Exclusive));
    let user = wait(&table, 2, 7, Mode::Shared);
    let mut changes = [3, 4].map(|trx| change(&table, trx, 7));
    let late = wait(&table, 5, 7, Mode::Shared);
    let order = table.holding(LockId(7)).waiters.iter().map(|(trx, _)| trx.0).collect::<Vec<_>>();
    assert_eq!(order, [3, 4, 2, 5]);
    table.release(TrxId(1), LockId(7));
    assert!(changes[0].is_granted() && !changes[1].is_granted() && !user.is_granted());
    for (wait, trx) in changes.iter_mut().zip([3, 4]) {
        assert!(is_ready(wait, Waker::noop()));
        table.release(TrxId(trx), LockId(7));
    }
    assert!(user.is_granted() && late.is_granted());
}

proptest! {
    #[test]
    fn holders_never_conflict_and_nothing_is_left_behind(
        steps in proptest::collection::vec((1..6_u64, 0..4_u64, any::<bool>(), 0..10_u8), 1..200)
    ) {
        let turn = |action: u8| if action.is_multiple_of(2) { Turn::Last } else { Turn::BeforeShared };
        let table = table();
        let mut held: Vec<(u64, u64, Mode)> = Vec::new();
        let mut waits: Vec<(u64, u64, Mode, LockWait)> = Vec::new();
        for (trx, id, exclusive, action) in steps {
            let mode = if exclusive { Mode::Exclusive } else { Mode::Shared };
            if action == 0 {
                waits.retain(|(waiter, ..)| *waiter != trx);
                for (_, id, _) in held.extract_if(.., |(holder, ..)| *holder == trx) {
                    table.release(TrxId(trx), LockId(id));
                }
            } else if waits.iter().all(|(waiter, ..)| *waiter != trx)
                && !held.iter().any(|(holder, of, has)| *holder == trx && *of == id && *has >= mode)
            {
                match table.acquire(TrxId(trx), LockId(id), mode, turn(action)) {
                    Ok(Acquired::Granted) => {
                        held.retain(|(holder, of, _)| *holder != trx || *of != id);
                        held.push((trx, id, mode));
                    }
                    Ok(Acquired::Wait(wait)) => waits.push((trx, id, mode, wait)),
                    Err(_) => {}
                }
            }
            let waker = Waker::noop();
            for (trx, id, mode, _) in waits.extract_if(.., |(.., wait)| is_ready(wait, waker)) {
                held.retain(|(holder, of, _)| *holder != trx || *of != id);
                held.push((trx, id, mode));
            }
            for (a, b) in held.iter().flat_map(|a| held.iter().map(move |b| (a, b))) {
                let conflict = a.0 != b.0 && a.1 == b.1 && a.2.max(b.2) == Mode::Exclusive;
                prop_assert!(!conflict, "{a:?} and {b:?} hold the same lock");
            }
            prop_assert!(!has_circle(&table), "who waits in a circle waits for ever");
        }
        drop(waits);
        while let Some((trx, id, _)) = held.pop() {
            table.release(TrxId(trx), LockId(id));
        }
        prop_assert!(table.is_empty());
    }
}

#[test]
fn what_is_held_is_known_and_released_however_many_there_are() {
    for count in [1, 5, 6, 7, 20] {
        let table = table();
        let mut held = HeldLocks::default();
        for id in 0..count {
            assert!(granted(&table, 1, id, Mode::Shared));
            held.note(LockId(id), Mode::Shared);
        }
        assert!(!held.has(LockId(0), Mode::Exclusive) && !held.has(LockId(count), Mode::Shared));
        // Room among the first, while there may be later ones.
        held.release(&table, TrxId(1), LockId(0));
        assert!(!held.has(LockId(0), Mode::Shared));
        for id in 0..count {
            assert!(granted(&table, 1, id, Mode::Exclusive));
            held.note(LockId(id), Mode::Exclusive);
            assert!(held.has(LockId(id), Mode::Exclusive));
        }
        assert_eq!(held.len(), usize::try_from(count).unwrap());
        let mut ids: Vec<_> = held.iter().map(|(id, mode)| (id.0, mode)).collect();
        ids.sort_unstable_by_key(|(id, _)| *id);
        assert_eq!(ids, (0..count).map(|id| (id, Mode::Exclusive)).collect::<Vec<_>>());
        if count % 2 == 0 {
            held.release_all(&table, TrxId(1));
        } else {
            held.release_all_behind(&table, TrxId(1), CommitSeq(9));
        }
        assert!(held.is_empty() && table.is_empty(), "{count}");
    }
}
