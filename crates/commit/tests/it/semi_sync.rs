//! Purpose: a commit waits for replicas as `rpl_semi_sync_source_*` say, and not longer.
//!
//! Requirements: R1. AFTER_SYNC: senders may read a transaction before anybody sees it, with every strategy; R2.
//! AFTER_COMMIT: it is seen, and its client waits; R3. the oldest one's time-out releases all, and the newest one's
//! acknowledgement has commits wait again; R4. as many replicas as asked for, and none if nobody is to wait for them,
//! until somebody is; R5. a changed wait point and the end release whom they concern; R6. who is held survives a crash.
//!
//! Method: commits on the simulated disk, polled by hand; acknowledgements as a dump connection gives them.

use std::pin::{Pin, pin};
use std::sync::atomic::Ordering;

use commit::record::BinlogPlace;
use commit::{BinlogReader, Committing, StrategyKind};
use vfs::sim::{CrashMode, SimDisk};

use super::power_loss::WITH_BINLOG;
use super::world::{Options, World, poll};

const REPLICA: u32 = 7;

struct Following {
    world: World,
    reader: BinlogReader,
}

impl Following {
    fn new(options: Options) -> Self {
        let world = World::open(&SimDisk::new(), options).unwrap();
        let reader = world.pipeline.follow_binlog(false).unwrap();
        world.pipeline.settings.semi_sync_enabled.store(true, Ordering::Relaxed);
        world.pipeline.settle_semi_sync();
        world.pipeline.add_semi_sync_replica(REPLICA, &reader, BinlogPlace::default());
        Self { world, reader }
    }

    fn commit(&mut self, key: u8) -> Pin<Box<Committing>> {
        let committing = self.world.submit(&vec![(key, Some(vec![key; 300]))]);
        self.settle();
        Box::pin(committing)
    }

    fn settle(&self) {
        for _ in 0..10 {
            self.world.drive();
        }
        self.world.pipeline.wake_readers();
    }

    fn sees(&self, key: u8) -> bool {
        self.world.rows().1.contains_key(&key)
    }

    fn acknowledge(&self) {
        self.world.pipeline.acknowledge(REPLICA, self.reader.end());
        self.world.pipeline.sweep();
    }

    fn is_on(&self) -> bool {
        self.world.pipeline.semi_sync_status().on
    }
}

#[test]
fn after_sync_shows_senders_what_nobody_else_sees() {
    for strategy in StrategyKind::WITH_BINLOG {
        let sync_binlog = if strategy == StrategyKind::Parallel { 1000 } else { 1 };
        let mut it = Following::new(Options { strategy, sync_binlog, ..WITH_BINLOG });
        let before = it.reader.end();
        let mut first = it.commit(1);
        let mut second = it.commit(2);
        assert!(poll(first.as_mut()).is_none() && !it.sees(1), "{strategy:?}");
        assert!(it.reader.end() > before, "{strategy:?}");
        let wanted = it.world.pipeline.wanted_acknowledgement(before, it.reader.end());
        assert_eq!(wanted, Some(it.reader.end()), "{strategy:?}");
        it.acknowledge();
        assert!(it.sees(1) && it.sees(2), "{strategy:?}");
        assert!(poll(first.as_mut()).is_some() && poll(second.as_mut()).is_some(), "{strategy:?}");
        assert_eq!(it.world.pipeline.semi_sync_status().counts.yes_tx, 2, "{strategy:?}");
    }
}

#[test]
fn what_does_not_exist_is_not_acknowledged() {
    let mut it = Following::new(WITH_BINLOG);
    it.world.pipeline.acknowledge(REPLICA, BinlogPlace { file: 1000, position: 4 });
    let mut waits = it.commit(1);
    assert!(poll(waits.as_mut()).is_none());
    it.acknowledge();
    assert!(poll(waits.as_mut()).is_some());
}

#[test]
fn a_rotation_is_held_with_what_comes_before_it() {
    let mut it = Following::new(WITH_BINLOG);
    let mut held = it.commit(1);
    let pending = it.world.session();
    let pipeline = std::sync::Arc::clone(&it.world.pipeline);
    let rotation = it.world.block_on(pipeline.rotate(engine::ids::TrxId(0), pending, None)).unwrap();
    let mut rotation = pin!(rotation);
    it.settle();
    assert!(poll(rotation.as_mut()).is_none());
    assert_eq!(it.reader.end().file, 2, "senders go on into the new file");
    it.acknowledge();
    assert!(poll(held.as_mut()).is_some() && poll(rotation.as_mut()).is_some());
}

#[test]
fn after_commit_shows_everybody_what_its_client_waits_for() {
    let mut it = Following::new(WITH_BINLOG);
    it.world.pipeline.settings.semi_sync_after_commit.store(true, Ordering::Relaxed);
    it.world.pipeline.settle_semi_sync();
    let mut waits = it.commit(1);
    assert!(poll(waits.as_mut()).is_none() && it.sees(1));
    it.acknowledge();
    assert!(poll(waits.as_mut()).is_some());
}

#[test]
fn the_first_time_out_is_everybodys_and_an_acknowledgement_ends_that() {
    let mut it = Following::new(WITH_BINLOG);
    let (mut first, mut second) = (it.commit(1), it.commit(2));
    assert!(it.world.pipeline.time_out_semi_sync().is_some(), "there is time left");
    it.world.pipeline.settings.semi_sync_timeout_ms.store(0, Ordering::Relaxed);
    it.world.pipeline.settle_semi_sync();
    assert!(it.world.pipeline.time_out_semi_sync().is_none());
    it.world.pipeline.sweep();
    assert!(!it.is_on() && it.sees(2));
    assert!(poll(first.as_mut()).is_some() && poll(second.as_mut()).is_some());
    let before = it.reader.end();
    assert!(poll(it.commit(3).as_mut()).is_some(), "nobody waits now");
    assert_eq!(
        it.world.pipeline.wanted_acknowledgement(before, it.reader.end()),
        Some(it.reader.end()),
        "the newest asks"
    );
    it.world.pipeline.acknowledge(REPLICA, before);
    assert!(!it.is_on(), "the replica is behind");
    it.acknowledge();
    assert!(it.is_on());
    it.world.pipeline.settings.semi_sync_timeout_ms.store(10_000, Ordering::Relaxed);
    it.world.pipeline.settle_semi_sync();
    assert!(poll(it.commit(4).as_mut()).is_none());
    let counts = it.world.pipeline.semi_sync_status().counts;
    assert_eq!((counts.yes_tx, counts.no_tx, counts.no_times), (0, 3, 1));
}

#[test]
fn it_waits_for_as_many_as_are_asked_for() {
    let mut it = Following::new(WITH_BINLOG);
    it.world.pipeline.settings.semi_sync_replicas.store(2, Ordering::Relaxed);
    it.world.pipeline.settle_semi_sync();
    let mut waits = it.commit(1);
    it.acknowledge();
    assert!(poll(waits.as_mut()).is_none(), "one is not two");
    it.world.pipeline.settings.semi_sync_replicas.store(1, Ordering::Relaxed);
    it.world.pipeline.settle_semi_sync();
    it.world.pipeline.sweep();
    assert!(poll(waits.as_mut()).is_some(), "one is enough now");
    it.world.pipeline.settings.semi_sync_replicas.store(2, Ordering::Relaxed);
    it.world.pipeline.settle_semi_sync();
    let mut waits = it.commit(3);
    it.acknowledge();
    assert!(poll(waits.as_mut()).is_none(), "one is not two");
    it.world.pipeline.add_semi_sync_replica(8, &it.reader, it.reader.end());
    it.world.pipeline.sweep();
    assert!(poll(waits.as_mut()).is_some());
    it.world.pipeline.settings.semi_sync_wait_no_replica.store(false, Ordering::Relaxed);
    it.world.pipeline.settle_semi_sync();
    let mut waits = it.commit(2);
    assert!(poll(waits.as_mut()).is_none());
    it.world.pipeline.remove_semi_sync_replica(8);
    it.world.pipeline.sweep();
    assert!(!it.is_on() && poll(waits.as_mut()).is_some(), "nobody is waited for who is not there");
    it.world.pipeline.add_semi_sync_replica(9, &it.reader, it.reader.end());
    assert!(!it.is_on(), "one of both has not acknowledged the newest");
    it.acknowledge();
    assert!(it.is_on());
}

#[test]
fn waiting_for_replicas_to_come_turns_it_on() {
    let mut it = Following::new(WITH_BINLOG);
    let wait_no_replica = |it: &Following, on: bool| {
        it.world.pipeline.settings.semi_sync_wait_no_replica.store(on, Ordering::Relaxed);
        it.world.pipeline.settle_semi_sync();
        it.is_on()
    };
    it.world.pipeline.remove_semi_sync_replica(REPLICA);
    assert!(it.is_on() && !wait_no_replica(&it, false) && wait_no_replica(&it, true));
    let mut waits = it.commit(1);
    assert!(poll(waits.as_mut()).is_none());
    it.world.pipeline.settings.semi_sync_timeout_ms.store(0, Ordering::Relaxed);
    assert!(wait_no_replica(&it, true) && it.world.pipeline.time_out_semi_sync().is_none());
    assert!(!wait_no_replica(&it, true), "it was ON: it is the time-out that turned it off");
    assert!(!wait_no_replica(&it, false) && wait_no_replica(&it, true));
    it.world.pipeline.end_semi_sync();
    assert!(!wait_no_replica(&it, false) && !wait_no_replica(&it, true), "it is not enabled");
}

#[test]
fn whoever_waits_is_released_by_the_settings() {
    let mut it = Following::new(WITH_BINLOG);
    let mut waits = it.commit(1);
    it.world.pipeline.settings.semi_sync_after_commit.store(true, Ordering::Relaxed);
    it.world.pipeline.settle_semi_sync();
    assert!(it.sees(1), "what was held is visible");
    assert!(poll(waits.as_mut()).is_none(), "its client goes on waiting");
    it.world.pipeline.end_semi_sync();
    assert!(poll(waits.as_mut()).is_some());
    assert!(poll(it.commit(2).as_mut()).is_some());
}

#[test]
fn who_is_held_survives_a_crash() {
    for strategy in StrategyKind::WITH_BINLOG {
        let sync_binlog = if strategy == StrategyKind::Parallel { 1000 } else { 1 };
        let options = Options { strategy, sync_binlog, gtid: true, ..WITH_BINLOG };
        let disk = SimDisk::new();
        let world = World::open(&disk, options).unwrap();
        let reader = world.pipeline.follow_binlog(false).unwrap();
        world.pipeline.settings.semi_sync_enabled.store(true, Ordering::Relaxed);
        world.pipeline.settle_semi_sync();
        let mut it = Following { world, reader };
        let held = it.commit(1);
        let sent = it.world.pipeline.durable_gtids();
        assert!(it.world.pipeline.publisher().tuple().gtid_executed.is_subset(&sent) && !it.sees(1));
        std::mem::forget(held);
        if strategy != StrategyKind::Parallel {
            let after = World::open(&disk.crash(CrashMode::DropAll, 1), options).unwrap();
            assert!(after.rows().1.contains_key(&1), "{strategy:?}");
            assert_eq!(after.pipeline.publisher().tuple().gtid_executed, sent, "{strategy:?}");
        }
    }
}

#[test]
fn what_a_replica_says_of_the_log_before_a_reset_is_not_believed() {
    let mut it = Following::new(WITH_BINLOG);
    let mut first = it.commit(1);
    it.acknowledge();
    assert!(poll(first.as_mut()).is_some());
    let of_the_old = BinlogPlace { file: 9, position: 9_000 };
    it.world.reset(1);
    let reader = it.world.pipeline.follow_binlog(false).unwrap();
    let before = std::mem::replace(&mut it.reader, reader);
    let mut second = it.commit(2);
    it.world.pipeline.acknowledge(REPLICA, of_the_old);
    it.world.pipeline.sweep();
    assert!(poll(second.as_mut()).is_none(), "nobody has said that it has this one");
    // A dump that was about to begin.
    it.world.pipeline.add_semi_sync_replica(REPLICA, &before, of_the_old);
    it.world.pipeline.acknowledge(REPLICA, of_the_old);
    it.world.pipeline.sweep();
    assert!(poll(second.as_mut()).is_none(), "nobody has said that it has this one");
    it.world.pipeline.add_semi_sync_replica(REPLICA + 1, &it.reader, BinlogPlace::default());
    it.world.pipeline.acknowledge(REPLICA + 1, it.reader.end());
    it.world.pipeline.sweep();
    assert!(poll(second.as_mut()).is_some());
}
