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
    match table.acquire(TrxId(trx), LockId(id), mode).unwrap() {
        Acquired::Wait(wait) => wait,
        Acquired::Granted => panic!("trx {trx} should wait for {id}"),
    }
}

fn granted(table: &Arc<LockTable>, trx: u64, id: u64, mode: Mode) -> bool {
    matches!(table.acquire(TrxId(trx), LockId(id), mode), Ok(Acquired::Granted))
}

fn is_ready(wait: &mut LockWait, waker: &Waker) -> bool {
    Pin::new(wait).poll(&mut Context::from_waker(waker)) == Poll::Ready(())
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
    assert!(matches!(table.acquire(TrxId(2), LockId(7), Mode::Exclusive), Err(EngineError::Deadlock)));
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
    assert!(matches!(table.acquire(TrxId(3), LockId(1 << 60 | 1), Mode::Shared), Err(EngineError::Deadlock)));
    table.release(TrxId(3), LockId(3 << 60 | 3));
    assert!(two.is_granted());
}

proptest! {
    #[test]
    fn holders_never_conflict_and_nothing_is_left_behind(
        steps in proptest::collection::vec((1..6_u64, 0..4_u64, any::<bool>(), 0..10_u8), 1..200)
    ) {
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
                match table.acquire(TrxId(trx), LockId(id), mode) {
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
        }
        drop(waits);
        while let Some((trx, id, _)) = held.pop() {
            table.release(TrxId(trx), LockId(id));
        }
        prop_assert!(table.is_empty());
    }
}
