//! A session that does not collect its commit holds up the window of commits, and nothing else.

use std::pin::pin;
use std::sync::atomic::Ordering;

use commit::{Credits, Need, StrategyKind};
use vfs::sim::SimDisk;

use super::world::{Options, World, poll};
use crate::power_loss::WITH_BINLOG;

/// `commit_slots` of the tests' world.
const SLOTS: usize = 64;

const CREDITS: Credits = Credits { ring_bytes: 0, store_bytes: 0, backlog_bytes: 0, slots: 1 };
const ONE: Need = Need { credits: CREDITS, writes: true, has_chunks: false };

#[test]
fn a_slow_session_keeps_later_commits_out_of_its_slot() {
    let mut world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
    let slow = world.submit(&vec![(0, Some(vec![0]))]);
    world.drive();
    for number in 1..SLOTS {
        let committing = world.submit(&vec![(1, Some(vec![number.to_le_bytes()[0]]))]);
        drop(world.block_on(committing));
    }
    let pipeline = std::sync::Arc::clone(&world.pipeline);
    let mut next = pin!(pipeline.admission.admit(ONE));
    world.drive();
    assert!(poll(next.as_mut()).is_none(), "the slot after the window is still the slow session's");
    drop(world.block_on(slow));
    assert!(poll(next.as_mut()).is_some(), "all slots are free");
}

#[test]
fn a_session_that_has_gone_frees_its_slot() {
    let mut world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
    for number in 0..3 * SLOTS {
        let committing = world.submit(&vec![(1, Some(vec![number.to_le_bytes()[0]]))]);
        drop(committing);
        world.drive();
    }
    assert_eq!(world.rows().1.len(), 1);
}

#[test]
fn a_session_that_is_alone_plays_by_itself() {
    let mut world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
    world.pipeline.settings.lone_commit_max_us.store(1_000_000, Ordering::Relaxed);
    let mut alone = world.session();
    let mut by_itself = 0;
    for number in 0..100_u8 {
        let mut committing = pin!(world.submit_by(alone, &vec![(number, Some(vec![number]))]));
        by_itself += usize::from(world.pipeline.published().visible() == committing.seq());
        alone = world.block_on(committing.as_mut()).1;
        if number == 50 {
            // Somebody else is there.
            let other = world.submit(&vec![(200, Some(vec![1]))]);
            assert!(world.pipeline.published().visible() < other.seq(), "a new session is not alone");
            drop(world.block_on(other));
        }
    }
    assert!((50..90).contains(&by_itself), "{by_itself} of 100");
    assert_eq!(world.rows().1.len(), 101);
}

#[test]
fn a_lone_session_takes_along_who_was_there_before() {
    let mut world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
    world.pipeline.settings.lone_commit_max_us.store(1_000_000, Ordering::Relaxed);
    let mut alone = world.session();
    for number in 0..30_u8 {
        let committing = world.submit_by(alone, &vec![(number, Some(vec![number]))]);
        alone = world.block_on(committing).1;
    }
    let other = world.submit(&vec![(200, Some(vec![1]))]);
    let committing = world.submit_by(alone, &vec![(100, Some(vec![1]))]);
    assert_eq!(world.pipeline.published().visible(), committing.seq());
    drop((other, committing));
    world.drive();
    assert_eq!(world.rows().1.len(), 32);
}

/// Leaked credits are commits that wait for ever, after days.
#[test]
fn every_credit_comes_back() {
    let all = Credits { ring_bytes: 2 << 20, store_bytes: 4 << 20, backlog_bytes: 1 << 20, slots: 64 };
    let need = |credits| Need { credits, writes: true, has_chunks: false };
    for strategy in StrategyKind::WITH_BINLOG {
        let sync_binlog = u32::from(strategy != StrategyKind::Parallel);
        let mut world =
            World::open(&SimDisk::new(), Options { strategy, sync_binlog, ..WITH_BINLOG }).unwrap();
        for size in [1, 3_000, 10_000, 600_000, 1_500_000, 5] {
            let first = world.submit(&vec![(1, Some(vec![7; size]))]);
            let second = world.submit(&vec![(2, Some(vec![8]))]);
            drop(world.block_on(first));
            drop(world.block_on(second));
            world.rotate();
        }
        world.drive();
        world.pipeline.catch_up().unwrap();
        let admission = &world.pipeline.admission;
        assert!(poll(pin!(admission.admit(need(all)))).is_some(), "{strategy:?}: all of it");
        for more in [
            Credits { ring_bytes: 1, ..Credits::default() },
            Credits { store_bytes: 1, ..Credits::default() },
            Credits { backlog_bytes: 1, ..Credits::default() },
            Credits { slots: 1, ..Credits::default() },
        ] {
            assert!(poll(pin!(admission.admit(need(more)))).is_none(), "{strategy:?}: {more:?} is not there");
        }
    }
}
