//! RESET BINARY LOGS AND GTIDS, and `gtid_purged` set.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::Ordering;

use binlog::{BinlogName, Gtid, GtidSet, Uuid};
use commit::{PurgedRefused, Quiet, StrategyKind};
use engine::ids::{CommitSeq, TrxId};
use vfs::sim::{Fault, FaultKind, OpKind, Rng, SimDisk, every};

use crate::power_loss::{Script, WITH_BINLOG, sweep};
use crate::world::{Changes, Options, World, poll};

const OWN: &str = "07070707-0707-0707-0707-070707070707";

fn executed(world: &World) -> String {
    world.pipeline.publisher().tuple().gtid_executed.to_string()
}

/// What a world holds of a log that was reset behind transaction `through`.
fn check(world: &World, script: &Script, through: CommitSeq, acked: CommitSeq) -> Result<(), String> {
    let (last, rows) = world.rows();
    if last < acked || rows != script.rows_at(last) {
        return Err(format!("recovered up to {last}, acknowledged up to {acked}, or other rows"));
    }
    let found = world.binlog_transactions();
    let begins = found.first().map_or(CommitSeq(u64::MAX), |(seq, _)| *seq);
    let from = if begins > through || last == through && found.is_empty() { through } else { CommitSeq(0) };
    let logged = |(seq, changes): &(&CommitSeq, &Changes)| **seq > from && !changes.is_empty();
    let expected = script.transactions.range(..=last).filter(logged);
    if found != expected.map(|(seq, changes)| (*seq, changes.clone())).collect::<Vec<_>>() {
        return Err(format!("the log behind {from} is not the engine's up to {last}"));
    }
    let count = found.len();
    let gtids = match count {
        0 => String::new(),
        1 => format!("{OWN}:1"),
        _ => format!("{OWN}:1-{count}"),
    };
    if executed(world) != gtids {
        return Err(format!(
            "{count} transactions are logged behind {from}, executed is {}",
            executed(world)
        ));
    }
    Ok(())
}

#[test]
fn a_power_loss_leaves_the_log_before_a_reset_or_the_one_behind_it() {
    for (strategy, first) in StrategyKind::WITH_BINLOG.into_iter().zip([1, 1, 7, 2, 1]) {
        let sync_binlog = if strategy == StrategyKind::Parallel { 1000 } else { 1 };
        let options = Options { strategy, sync_binlog, ..WITH_BINLOG };
        let disk = SimDisk::new();
        disk.start_journal();
        let mut world = World::open(&disk, options).unwrap();
        let (mut script, mut rng) = (Script::new(), Rng::new(3));
        script.group(&mut world, &disk, &mut rng, 3);
        script.rotate(&mut world);
        script.group(&mut world, &disk, &mut rng, 2);
        // Redo is needed from its chunks on, whatever comes between.
        let large: Changes = (0..40).map(|key| (key, Some(vec![key; 100_000]))).collect();
        let mut beginning = world.begin(&large);
        assert!(poll(Pin::new(&mut beginning)).is_none(), "it waits for room behind its first chunks");
        script.group(&mut world, &disk, &mut rng, 2);
        script.rotate(&mut world);
        let through = world.rows().0;
        let begun = disk.ops();
        world.reset(first);
        let names = world.pipeline.binlog().unwrap().index().names().to_vec();
        assert_eq!(names.iter().map(BinlogName::number).collect::<Vec<_>>(), [u64::from(first)]);
        let reset = disk.ops();
        let seq = world.block_on(beginning);
        script.transactions.insert(seq, large);
        script.acked.push((disk.ops(), seq));
        script.group(&mut world, &disk, &mut rng, 3);
        script.rotate(&mut world);
        script.group(&mut world, &disk, &mut rng, 2);
        drop(world);
        let (journal, mut seen) = (disk.stop_journal().unwrap(), [0, 0]);
        let looked_at =
            |op: &u64| op.is_multiple_of(every(if (begun..=reset + 1).contains(op) { 2 } else { 97 }));
        sweep(&journal, looked_at, |op, mode, disk| {
            let found = World::open(disk, options).map_err(|error| error.to_string());
            let acked = if options.is_safe() { script.acked_at(op) } else { CommitSeq(0) };
            let checked = found.and_then(|world| {
                check(&world, &script, through, acked)?;
                let is_new = !world.binlog_transactions().iter().any(|(seq, _)| *seq <= through);
                seen[usize::from(is_new)] += 1;
                if op >= reset && !is_new {
                    return Err("the RESET is gone".to_owned());
                }
                let last = world.rows().0;
                drop(world);
                let again = World::open(disk, options).map_err(|error| error.to_string())?;
                check(&again, &script, through, last)
            });
            if let Err(what) = checked {
                panic!("{strategy:?}, operation {op} (RESET from {begun} to {reset}), {mode:?}: {what}");
            }
        });
        assert!(seen.iter().all(|count| *count > 0), "both logs were found: {seen:?}");
    }
}

#[test]
fn nobody_commits_behind_a_reset_that_fails_half_way() {
    for strategy in StrategyKind::WITH_BINLOG {
        let sync_binlog = if strategy == StrategyKind::Parallel { 1000 } else { 1 };
        let options = Options { strategy, sync_binlog, ..WITH_BINLOG };
        let disk = SimDisk::new();
        let mut world = World::open(&disk, options).unwrap();
        for key in 1..4 {
            let committing = world.submit(&vec![(key, Some(vec![key]))]);
            drop(world.block_on(committing));
            world.rotate();
        }
        let quiet = world.block_on(Quiet::take(&world.pipeline));
        let mut waiting = world.begin(&vec![(4, Some(vec![4]))]);
        assert!(poll(Pin::new(&mut waiting)).is_none());
        disk.inject(Fault::new(FaultKind::Io).of(OpKind::Remove).on("binlog.000002"));
        let reset = AssertUnwindSafe(|| {
            quiet.carry_out("a reset", |quiet| quiet.reset_binlog(1, &world.base, Vec::new()))
        });
        assert!(catch_unwind(reset).is_err(), "the process ends");
        assert!(poll(Pin::new(&mut waiting)).is_none(), "{strategy:?}");
        assert_eq!(world.pipeline.last_drawn(), CommitSeq(6), "{strategy:?}: it waits still");
        // The dead process's locks are gone with it.
        let world = World::open(&disk.snapshot(), options).unwrap();
        assert_eq!(world.rows().0, CommitSeq(6), "{strategy:?}");
        assert_eq!((world.binlog_transactions().len(), executed(&world)), (0, String::new()));
    }
}

#[test]
fn a_set_that_no_rotation_could_carry_is_refused() {
    let world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
    let pipeline = std::sync::Arc::clone(&world.pipeline);
    let quiet = world.block_on(Quiet::take(&pipeline));
    let say = |part| quiet.set_purged_gtids(&part_of_ring(&world, part), true, &world.base).unwrap();
    assert_eq!(say(4), Err(PurgedRefused::TooMany));
    assert_eq!(say(8), Ok(()));
}

/// A set whose intervals take one `part`th of redo's ring.
fn part_of_ring(world: &World, part: usize) -> GtidSet {
    let intervals = world.pipeline.redo().ring().capacity() / part / 16;
    let mut set = GtidSet::new();
    set.extend((0..intervals as u64).map(|number| Gtid { sid: Uuid([9; 16]), gno: 1 + 2 * number }));
    set
}

/// Polls all of them, and plays the log threads, until all have ended.
fn end_together<T>(world: &World, futures: Vec<impl Future<Output = T>>) -> Vec<T> {
    let mut futures: Vec<_> = futures.into_iter().map(Box::pin).collect();
    let mut ended = Vec::new();
    for _ in 0..1000 {
        futures.retain_mut(|future| poll(future.as_mut()).map(|value| ended.push(value)).is_none());
        world.drive();
    }
    assert!(futures.is_empty(), "nothing moves any more");
    ended
}

/// Unasked, those who have waited would overrun redo's ring when they go on, which aborts the process.
#[test]
fn rotations_with_very_many_gtids_wait_for_each_other() {
    const MANY: u8 = 20;
    let mut world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
    let pipeline = std::sync::Arc::clone(&world.pipeline);
    let rotate = async || drop(pipeline.rotate(TrxId(0), world.session(), None).await.unwrap().await);
    let quiet = world.block_on(Quiet::take(&pipeline));
    let mut early: Vec<_> = (0..MANY).map(|_| Box::pin(rotate())).collect();
    let begun = early.iter_mut().filter_map(|rotation| poll(rotation.as_mut())).count();
    assert_eq!(begun, 0, "they wait, and have asked for what they take without GTIDs");
    quiet.set_purged_gtids(&part_of_ring(&world, 8), true, &world.base).unwrap().unwrap();
    drop(quiet);
    end_together(&world, early);
    end_together(&world, (0..MANY).map(|_| rotate()).collect());
    // A file begins with more than it may have.
    pipeline.settings.max_binlog_size.store(4096, Ordering::Relaxed);
    let commits = (0..MANY).map(|key| world.begin(&vec![(key, Some(vec![key]))])).collect();
    let seqs = end_together(&world, commits);
    assert_eq!((seqs.len(), world.rows().1.len()), (usize::from(MANY), usize::from(MANY)));
    assert_eq!(pipeline.binlog().unwrap().index().names().len(), 1 + 3 * usize::from(MANY));
}

#[test]
fn a_set_that_uses_numbers_up_is_refused() {
    let mut world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
    let say = |world: &World, gtids: &str| {
        let pipeline = std::sync::Arc::clone(&world.pipeline);
        let quiet = world.block_on(Quiet::take(&pipeline));
        quiet.set_purged_gtids(&gtids.parse().unwrap(), true, &world.base).unwrap()
    };
    let last = i64::MAX - 1;
    assert_eq!(say(&world, &format!("{OWN}:1-{last}")), Err(PurgedRefused::FewLeft));
    assert_eq!(say(&world, &format!("{OWN}:1-{}", 1_u64 << 61)), Ok(()));
    let rest = format!("{OWN}:{}-{last}", (1_u64 << 61) + 2);
    assert_eq!(say(&world, &rest), Err(PurgedRefused::FewLeft), "beside what there was");
    for key in 1..4 {
        let committing = world.submit(&vec![(key, Some(vec![key]))]);
        drop(world.block_on(committing));
    }
    assert_eq!(executed(&world), format!("{OWN}:1-{}", (1_u64 << 61) + 3));
}

#[test]
fn a_log_whose_numbers_are_nearly_used_up_is_refused() {
    let disk = SimDisk::new();
    World::open(&disk, WITH_BINLOG).unwrap().reset(2_000_000_000);
    drop(World::open(&disk, WITH_BINLOG).unwrap());
    let world = World::open(&disk, WITH_BINLOG).unwrap();
    world.reset(2_100_000_000);
    drop(world);
    let refused = World::open(&disk, WITH_BINLOG).map(drop).unwrap_err().to_string();
    assert!(refused.contains("the numbers of binlog files are used up"), "{refused}");
}

#[test]
fn gtids_that_were_executed_elsewhere_are_kept() {
    let disk = SimDisk::new();
    let mut world = World::open(&disk, WITH_BINLOG).unwrap();
    let (mut script, mut rng) = (Script::new(), Rng::new(3));
    let other = Uuid([9; 16]);
    let set = |text: &str| text.parse::<GtidSet>().unwrap();
    let say = |world: &World, text: &str, beside| {
        let pipeline = std::sync::Arc::clone(&world.pipeline);
        let quiet = world.block_on(Quiet::take(&pipeline));
        quiet.set_purged_gtids(&set(text), beside, &world.base).unwrap()
    };
    script.group(&mut world, &disk, &mut rng, 2);
    assert_eq!(say(&world, &format!("{OWN}:2-3"), true), Err(PurgedRefused::Executed));
    assert_eq!(say(&world, &format!("{other}:1-5"), false), Ok(()));
    assert_eq!(say(&world, &format!("{other}:2-9"), false), Err(PurgedRefused::NotMore));
    assert_eq!(say(&world, &format!("{other}:1-9"), false), Ok(()));
    assert_eq!(say(&world, &format!("{other}:1-9"), true), Err(PurgedRefused::Executed));
    assert_eq!(say(&world, &format!("{other}:20"), true), Ok(()));
    let (all, purged) = (format!("{OWN}:1-2,\n{other}:1-9:20"), format!("{other}:1-9:20"));
    assert_eq!((executed(&world), world.pipeline.purged_gtids().unwrap()), (all.clone(), set(&purged)));
    script.group(&mut world, &disk, &mut rng, 1);
    let checkpoint = world.begin_checkpoint();
    assert_eq!(say(&world, &format!("{other}:30"), true), Ok(()));
    world.run_checkpoint(checkpoint);
    drop(world);
    let mut world = World::open(&disk, WITH_BINLOG).unwrap();
    assert_eq!(executed(&world), format!("{OWN}:1-3,\n{other}:1-9:20:30"));
    assert_eq!(world.pipeline.purged_gtids().unwrap(), set(&format!("{purged}:30")));
    world.reset(1);
    script.group(&mut world, &disk, &mut rng, 1);
    assert_eq!(executed(&world), format!("{OWN}:1"));
    assert!(world.pipeline.purged_gtids().unwrap().is_empty());
}
