//! The sweep.

use std::collections::BTreeMap;

use binlog::ChecksumAlg;
use commit::record::BinlogPlace;
use commit::{Committing, StrategyKind, Switched};
use engine::ids::CommitSeq;
use vfs::sim::{CrashMode, Journal, OpKind, Replay, Rng, SimDisk, every};

use crate::world::{Changes, Options, Rows, World, apply, poll};

pub(crate) const WITH_BINLOG: Options = Options {
    binlog: true,
    gtid: true,
    checksum: ChecksumAlg::Crc32,
    strategy: StrategyKind::Group,
    sync_binlog: 1,
    flush: 1,
    own_store: false,
    segment_size: 16 * 4096,
};
pub(crate) const IN_REDO: Options = Options { strategy: StrategyKind::InRedo, ..WITH_BINLOG };
pub(crate) const ENHANCED: Options = Options { strategy: StrategyKind::Enhanced, ..WITH_BINLOG };
pub(crate) const OWN_STORE: Options = Options { own_store: true, ..ENHANCED };
pub(crate) const WITHOUT_BINLOG: Options = Options {
    binlog: false,
    gtid: false,
    checksum: ChecksumAlg::None,
    strategy: StrategyKind::None,
    ..WITH_BINLOG
};

/// In this order, and then again.
const SWITCHES: [StrategyKind; 6] = [
    StrategyKind::InRedo,
    StrategyKind::Group,
    StrategyKind::Enhanced,
    StrategyKind::Serial,
    StrategyKind::InRedo,
    StrategyKind::Enhanced,
];

/// What was done, and what had been acknowledged after which disk operation.
pub(crate) struct Script {
    /// Every transaction that was submitted; rotations are transactions without changes.
    pub(crate) transactions: BTreeMap<CommitSeq, Changes>,
    pub(crate) acked: Vec<(u64, CommitSeq)>,
    /// Transactions up to here may have been purged from the binlog.
    purged: CommitSeq,
    /// Which strategy comes next, if they change between groups.
    switches: Option<usize>,
    /// Whether a replica follows, what it had after which disk operation, and all files as they were at the end.
    replica: Option<Followed>,
}

#[derive(Default)]
struct Followed {
    has: Vec<(u64, BinlogPlace)>,
    files: BTreeMap<u64, Vec<u8>>,
}

impl Script {
    pub(crate) fn new() -> Self {
        let (acked, purged) = (vec![(0, CommitSeq(0))], CommitSeq(0));
        Self { transactions: BTreeMap::new(), acked, purged, switches: None, replica: None }
    }

    pub(crate) fn rows_at(&self, seq: CommitSeq) -> Rows {
        let mut rows = Rows::new();
        for changes in self.transactions.range(..=seq).map(|(_, changes)| changes) {
            apply(&mut rows, changes);
        }
        rows
    }

    pub(crate) fn acked_at(&self, op: u64) -> CommitSeq {
        self.acked.iter().take_while(|(at, _)| *at <= op).last().expect("there is a first").1
    }

    /// Commits transactions together: `size` of them are ready before the first step.
    pub(crate) fn group(&mut self, world: &mut World, disk: &SimDisk, rng: &mut Rng, size: usize) {
        if let Some(place) = &mut self.switches {
            assert_eq!(world.switch(SWITCHES[*place % SWITCHES.len()]), Switched::Done);
            *place += 1;
        }
        let mut waiting: Vec<Committing> = Vec::new();
        for _ in 0..size {
            let changes = random_changes(rng);
            let committing = world.submit(&changes);
            self.transactions.insert(committing.seq(), changes);
            waiting.push(committing);
        }
        while !waiting.is_empty() {
            world.drive();
            waiting.retain_mut(|committing| {
                let acked = poll(std::pin::Pin::new(committing)).map(|(ack, _)| ack.seq());
                self.acked.extend(acked.map(|seq| (disk.ops(), seq)));
                acked.is_none()
            });
        }
    }

    pub(crate) fn rotate(&mut self, world: &mut World) {
        world.rotate();
        let seq = world.pipeline.published().visible();
        self.transactions.insert(seq, Changes::new());
    }
}

fn random_changes(rng: &mut Rng) -> Changes {
    let key = |rng: &mut Rng| u8::try_from(rng.below(12)).expect("small");
    let size = if rng.chance(1, 10) { 6000 } else { 1 + rng.index(60) };
    (0..=rng.below(3))
        .map(|_| {
            let row = rng.chance(3, 4).then(|| {
                let mut row = vec![0; size];
                rng.fill(&mut row);
                row
            });
            (key(rng), row)
        })
        .collect()
}

/// The fixed run. Two checkpoints, two rotations, a purge, a transaction in chunks, groups of 1, 2 and 8.
fn run(disk: &SimDisk, options: Options, switches: Option<usize>, followed: bool) -> Script {
    let mut world = World::open(disk, options).unwrap();
    let mut script = Script::new();
    script.switches = switches;
    if followed {
        world.attach_replica(disk);
    }
    let mut rng = Rng::new(42);
    for size in [1, 2, 1, 8] {
        script.group(&mut world, disk, &mut rng, size);
    }
    world.checkpoint();
    if options.binlog {
        script.rotate(&mut world);
    }
    for size in [2, 1, 8, 1] {
        script.group(&mut world, disk, &mut rng, size);
    }
    if options.binlog {
        script.rotate(&mut world);
        script.purged = world.pipeline.published().visible();
        world.checkpoint();
        let index = world.pipeline.binlog().unwrap().index();
        let target = index.names()[2].clone();
        drop(index);
        assert_eq!(world.pipeline.purge_to(&target).unwrap().gone.len(), 2);
    }
    let large: Changes = (0..40).map(|key| (key, Some(vec![key; 30_000]))).collect();
    let committing = world.submit(&large);
    script.transactions.insert(committing.seq(), large);
    let (ack, _) = world.block_on(committing);
    script.acked.push((disk.ops(), ack.seq()));
    for size in [1, 8, 2] {
        script.group(&mut world, disk, &mut rng, size);
    }
    if followed {
        world.pipeline.catch_up().unwrap();
        let has = world.detach_replica();
        assert!(has.len() > 10, "a replica that follows gets something with nearly every group");
        script.replica = Some(Followed { has, files: world.binlog_bytes() });
    }
    script
}

fn journalled(options: Options, switches: Option<usize>, skip: &[(&str, OpKind)]) -> (Script, Journal) {
    let disk = SimDisk::new();
    for (path, kind) in skip {
        disk.skip_sync(path, *kind);
    }
    disk.start_journal();
    let script = run(&disk, options, switches, false);
    (script, disk.stop_journal().unwrap())
}

/// R1 to R3 for a disk that was found, and R4's first half.
pub(crate) fn check(
    disk: &SimDisk,
    script: &Script,
    options: Options,
    acked: CommitSeq,
) -> Result<World, String> {
    let world = World::open(disk, options).map_err(|error| error.to_string())?;
    let (last, rows) = world.rows();
    if last < acked {
        return Err(format!("acknowledged up to {acked}, recovered up to {last}"));
    }
    if rows != script.rows_at(last) {
        return Err(format!("the rows are not those after transaction {last}"));
    }
    if options.binlog {
        check_binlog(&world, script, last)?;
    }
    Ok(world)
}

fn check_binlog(world: &World, script: &Script, last: CommitSeq) -> Result<(), String> {
    let logged = script.transactions.range(..=last).filter(|(_, changes)| !changes.is_empty());
    let expected: Vec<_> = logged.map(|(seq, changes)| (*seq, changes.clone())).collect();
    let found = world.binlog_transactions();
    let missing = expected.len().checked_sub(found.len()).ok_or("the binlog holds more than the engine")?;
    if expected[missing..] != found[..] {
        return Err("the binlog's transactions are not the engine's".to_owned());
    }
    if expected[..missing].iter().any(|(seq, _)| *seq > script.purged) {
        return Err("the binlog lacks what was not purged".to_owned());
    }
    Ok(())
}

/// Every operation that is looked at times every mode, after it and during the next. Returns the number of losses.
pub(crate) fn sweep(
    journal: &Journal,
    looked_at: impl Fn(&u64) -> bool,
    mut each: impl FnMut(u64, CrashMode, &SimDisk),
) -> u64 {
    let mut replay = Replay::new(journal);
    let mut count = 0;
    for op in (journal.first_op()..=journal.last_op()).filter(looked_at) {
        replay.seek(op);
        for mode in CrashMode::ALL {
            let disks = [Some(replay.crash(mode, op)), replay.crash_during_next(mode, op)];
            for disk in disks.into_iter().flatten() {
                each(op, mode, &disk);
                count += 1;
            }
        }
    }
    count
}

/// One of every `n` operations.
pub(crate) fn each_nth(n: u64) -> impl Fn(&u64) -> bool {
    move |op| op % n == 0
}

/// Every `every`th operation. Returns the number of losses.
fn sweep_is_clean(options: Options, switches: Option<usize>, every: u64) -> u64 {
    let (script, journal) = journalled(options, switches, &[]);
    sweep(&journal, each_nth(every), |op, mode, disk| {
        // What was written outlives the process; what is only appended does not.
        let outlives = options.is_safe() || mode == CrashMode::KeepAll && options.flush != 0;
        let acked = if outlives { script.acked_at(op) } else { CommitSeq(0) };
        if let Err(what) = check(disk, &script, options, acked) {
            panic!("{options:?}, operation {op}, {mode:?}: {what}");
        }
    })
}

#[test]
fn every_power_loss_with_the_binlog_recovers_to_one_prefix_in_both_logs() {
    let with = |strategy| {
        let sync_binlog = if strategy == StrategyKind::Parallel { 1000 } else { 1 };
        Options { strategy, sync_binlog, ..WITH_BINLOG }
    };
    for options in StrategyKind::WITH_BINLOG.map(with).into_iter().chain([OWN_STORE]) {
        let every = every(13);
        let count = every * sweep_is_clean(options, None, every);
        assert!(count > 3_000, "the workload became too small to mean something: {count} losses");
    }
}

#[test]
fn every_power_loss_while_strategies_change_recovers_to_one_prefix_in_both_logs() {
    for first in 0..SWITCHES.len() {
        sweep_is_clean(Options { own_store: first % 2 == 1, ..WITH_BINLOG }, Some(first), every(29));
    }
}

/// What a replica had at an operation, or had been sent, must be in the files of the source that recovered.
fn check_replica(world: &World, followed: &Followed, op: u64) -> Result<(), String> {
    let Some((_, has)) = followed.has.iter().rev().find(|(at, _)| *at <= op) else { return Ok(()) };
    let end = world.pipeline.publisher().tuple().binlog.expect("it has a binlog");
    if (end.file, end.position) < (has.file, has.position) {
        return Err(format!("the replica has {has:?}, the source ends at {end:?}"));
    }
    let found = world.binlog_bytes();
    for (number, bytes) in &followed.files {
        let Some(found) = found.get(number) else { continue };
        let sent = match u64::from(has.file).cmp(number) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => usize::try_from(has.position).expect("a small file"),
            std::cmp::Ordering::Greater => bytes.len(),
        };
        // The flag that a file is in use comes and goes.
        let differs = (0..sent).find(|at| *at != FLAGS_AT && found.get(*at) != bytes.get(*at));
        if let Some(at) = differs {
            return Err(format!("file {number} differs at {at} from what the replica has"));
        }
    }
    Ok(())
}

/// Where the flags of a file's first event are.
const FLAGS_AT: usize = 4 + 17;

#[test]
fn no_replica_holds_what_the_recovered_source_lacks() {
    let with = |strategy| (Options { strategy, ..WITH_BINLOG }, None);
    let strategies = StrategyKind::WITH_BINLOG.into_iter().filter(|kind| kind.can_sync_binlog(1)).map(with);
    let more = [(OWN_STORE, None), (WITH_BINLOG, Some(0)), (WITH_BINLOG, Some(3))];
    for (options, switches) in strategies.chain(more) {
        let disk = SimDisk::new();
        disk.start_journal();
        let script = run(&disk, options, switches, true);
        let followed = script.replica.as_ref().expect("it was followed");
        sweep(&disk.stop_journal().unwrap(), each_nth(every(37)), |op, mode, disk| {
            let found = check(disk, &script, options, script.acked_at(op));
            if let Err(what) = found.and_then(|world| check_replica(&world, followed, op)) {
                panic!("{options:?}, {switches:?}, operation {op}, {mode:?}: {what}");
            }
        });
    }
}

#[test]
fn every_power_loss_without_the_binlog_recovers_to_a_prefix() {
    sweep_is_clean(WITHOUT_BINLOG, None, every(13));
}

/// The conformance suite: one workload, all strategies and settings.
#[test]
fn relaxed_settings_lose_a_suffix_of_both_logs_and_never_a_hole() {
    let with = |strategy| Options { strategy, ..WITH_BINLOG };
    for with in StrategyKind::WITH_BINLOG.map(with).into_iter().chain([OWN_STORE]) {
        let strategy = with.strategy;
        for sync_binlog in [0, 1, 100] {
            for flush in [0, 1, 2] {
                let options = Options { sync_binlog, flush, ..with };
                if !strategy.can_sync_binlog(sync_binlog) {
                    let options = Options { strategy: StrategyKind::Group, ..options };
                    let mut world = World::open(&SimDisk::new(), options).unwrap();
                    assert_eq!(world.switch(strategy), Switched::NeedsRelaxedSync);
                    continue;
                }
                sweep_is_clean(options, None, every(67));
            }
        }
    }
}

#[test]
fn a_second_loss_after_less_work_obeys_the_same_rules() {
    let (script, journal) = journalled(WITH_BINLOG, Some(0), &[]);
    sweep(&journal, each_nth(every(29)), |op, mode, disk| {
        let world = check(disk, &script, WITH_BINLOG, script.acked_at(op)).unwrap();
        let last = world.rows().0;
        drop(world);
        let again = check(disk, &script, WITH_BINLOG, last).unwrap();
        assert_eq!(again.rows().0, last, "operation {op}, {mode:?}: recovering again finds the same");
        let mut second = Script::new();
        second.transactions = script.transactions.range(..=last).map(|(s, c)| (*s, c.clone())).collect();
        second.purged = script.purged;
        let mut world = again;
        // The housekeeper recycles the segments of runs that are not read from any more.
        world.tend();
        second.group(&mut world, disk, &mut Rng::new(op), 2);
        let acked = world.rows().0;
        drop(world);
        for mode in [CrashMode::DropAll, CrashMode::KeepAll, CrashMode::RandomSubset, mode] {
            let found = disk.crash(mode, op);
            check(&found, &second, WITH_BINLOG, acked)
                .unwrap_or_else(|what| panic!("second loss, operation {op}, {mode:?}: {what}"));
        }
    });
}

#[test]
fn a_sync_that_does_nothing_is_noticed() {
    let redo = ("/data/redo/", OpKind::WriteDurable);
    let base = ("base.redb", OpKind::SyncData);
    let serial = Options { strategy: StrategyKind::Serial, ..WITH_BINLOG };
    for (options, skip) in [
        (WITH_BINLOG, redo),
        (WITH_BINLOG, ("binlog.0", OpKind::SyncData)),
        (WITH_BINLOG, base),
        (serial, redo),
        (serial, ("binlog.0", OpKind::SyncData)),
        (IN_REDO, redo),
        (IN_REDO, base),
        (ENHANCED, redo),
        (OWN_STORE, redo),
        (OWN_STORE, ("/data/enhanced_binlog/", OpKind::WriteDurable)),
    ] {
        let (script, journal) = journalled(options, None, &[skip]);
        let mut noticed = 0;
        let count = sweep(&journal, each_nth(5), |op, _, disk| {
            let acked = script.acked_at(op);
            let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                check(disk, &script, options, acked).is_err()
            }));
            noticed += u64::from(failed.unwrap_or(true));
        });
        println!("{options:?}, {skip:?}: {noticed} of {count} power losses were noticed");
        assert!(noticed > 0, "{options:?}: {skip:?} was skipped and nobody noticed");
    }
}

#[test]
fn a_store_that_is_begun_while_a_checkpoint_runs_is_read_after_it() {
    for own_store in [false, true] {
        begin_a_store_while_a_checkpoint_runs(Options { own_store, ..WITH_BINLOG });
    }
}

fn begin_a_store_while_a_checkpoint_runs(options: Options) {
    let disk = SimDisk::new();
    let mut world = World::open(&disk, options).unwrap();
    let mut script = Script::new();
    let mut rng = Rng::new(1);
    script.group(&mut world, &disk, &mut rng, 2);
    let checkpoint = world.begin_checkpoint();
    assert_eq!(world.switch(StrategyKind::Enhanced), Switched::Done);
    script.group(&mut world, &disk, &mut rng, 2);
    world.run_checkpoint(checkpoint);
    script.group(&mut world, &disk, &mut rng, 2);
    let acked = world.rows().0;
    drop(world);
    let found = disk.crash(CrashMode::DropAll, 1);
    check(&found, &script, options, acked).unwrap();
}
