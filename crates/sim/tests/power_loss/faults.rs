//! A disk that fails, and one that is full.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use commit::StrategyKind;
use engine::ids::CommitSeq;
use sim::{Answer, Options};
use vfs::sim::{CrashMode, Fault, FaultKind, Journal, OpKind, Record, SimDisk, is_full_sweep};

use crate::log::Files;
use crate::model::{self, History, State};
use crate::sweep::{Quiet, seed};
use crate::verdict::check;
use crate::workload::{self, Done, Loss, SAFE, Step, Variant};

/// Calls that are made to fail in a sample, by each fault; half as many where only calls of one kind are.
const SAMPLE: u64 = 18;

/// In full.
const FULL: u64 = 500;

/// Servers that can give up some room. How they write differs most: events to the file, to redo, to a store in redo's files, to one
/// in its own.
pub fn servers() -> [Variant; 4] {
    let with = |name, strategy, own_store| {
        let options = Options { ballast_size: 512 << 10, strategy, own_store, ..SAFE.options };
        Variant { name, options, ..SAFE }
    };
    [
        with("group", StrategyKind::Group, false),
        with("in_redo", StrategyKind::InRedo, false),
        with("enhanced", StrategyKind::Enhanced, false),
        with("enhanced, files of its own", StrategyKind::Enhanced, true),
    ]
}

/// What became of runs with faults.
#[derive(Debug, Default)]
pub struct Outcomes {
    /// Runs, each with another call that failed.
    pub runs: u64,
    /// The server died, before anybody was told anything: at these calls, of these operations.
    pub died: Vec<(u64, OpKind, String)>,
    /// It went on to the end, and some statements answered an error.
    pub answered: u64,
    /// Disks that were looked at afterwards.
    pub disks: u64,
    /// What broke a promise.
    pub broken: Vec<String>,
}

/// The run without a fault.
pub fn undisturbed(variant: &Variant) -> (History, Journal) {
    let steps = workload::main_steps();
    let disk = SimDisk::new();
    disk.start_journal();
    // The same bytes, and the same order of commits, need the same calls of the clock and the same steps.
    let mut history = endure(&disk, variant, &steps, None);
    history.states = model::states(variant, &steps, &history.done);
    history.known_to = history.last;
    (history, disk.stop_journal().expect("it was started"))
}

/// Runs the workload with a fault at the first call of a kind, or of all, the second, .. (or a sample), and looks at what is left.
pub fn sweep(what: FaultKind, of: Option<OpKind>, (undisturbed, journal): &(History, Journal)) -> Outcomes {
    let _quiet = Quiet::begin();
    let mut outcomes = Outcomes::default();
    let counts = |record: &Record| of.is_none_or(|of| record.kind() == of);
    let fault = of.map_or(Fault::new(what), |of| Fault::new(what).of(of));
    let records = (journal.first_op()..=journal.last_op()).filter_map(|op| journal.record(op));
    let calls = records.filter(|record| counts(record)).count() as u64;
    let wanted = if is_full_sweep() { FULL } else { SAMPLE };
    let step = calls.div_ceil(if of.is_some() { wanted / 2 } else { wanted });
    let mut nth = 1 + seed() % step;
    while nth <= calls {
        outcomes.runs += 1;
        let disk = SimDisk::new();
        disk.inject(fault.clone().nth(nth));
        let variant = &undisturbed.variant;
        let history = endure(&disk, variant, &workload::main_steps(), Some(undisturbed));
        assert_eq!(disk.faults_fired(), 1, "call {nth} of {calls}: until it fails it is the same run");
        disk.lift_faults();
        if history.done.died.is_some() {
            let (kind, path) = disk.last_fault().expect("it has died of something");
            outcomes.died.push((nth, kind, path));
        }
        outcomes.answered += u64::from(history.done.died.is_none() && !history.done.errors.is_empty());
        for (name, found) in what_is_left(&disk, nth) {
            outcomes.disks += 1;
            let checked = survives_twice(&found, &history, nth);
            if let Err(violation) = checked.and_then(|()| goes_on(&found, variant)) {
                outcomes.broken.push(format!("call {nth}, {name}: {violation}; {}", summary(&history)));
            }
        }
        nth += step;
    }
    outcomes
}

/// The disk as the next process finds it, and as it is after a power loss.
fn what_is_left(disk: &SimDisk, seed: u64) -> Vec<(String, SimDisk)> {
    let modes = [CrashMode::DropAll, CrashMode::KeepAll, CrashMode::RandomSubset, CrashMode::Torn512];
    let lost = modes.into_iter().map(|mode| (format!("{mode:?}"), disk.crash(mode, seed)));
    std::iter::once(("killed".to_owned(), disk.snapshot())).chain(lost).collect()
}

/// Runs steps whatever they answer, until the server dies. `undisturbed` says what their effects are as long as none
/// has failed.
fn endure(disk: &SimDisk, variant: &Variant, steps: &[Step], undisturbed: Option<&History>) -> History {
    let mut history = History::empty(variant);
    let world = match variant.open(disk) {
        Ok(world) => world,
        Err(error) => {
            let nothing = undisturbed.expect("the disk has room to start on").state(CommitSeq(0));
            history.states.insert(CommitSeq(0), Arc::clone(nothing));
            history.done.died = Some(error.to_string());
            history.files = undisturbed.expect("as above").files.clone();
            history.ends = history.files.ends();
            return history;
        }
    };
    let note = |history: &mut History, world: &sim::World| {
        // A base that has failed cannot be read any more; then nothing is known of what follows.
        if let Ok(Ok(mut state)) = catch_unwind(AssertUnwindSafe(|| State::of(world))) {
            // A statement that fails has counted.
            state.counters.clear();
            history.states.insert(world.pipeline.last_drawn(), Arc::new(state));
            history.known_to = world.pipeline.last_drawn();
        }
    };
    let done = workload::run(disk, &world, variant, steps, |world, step| {
        note(&mut history, world);
        if matches!(step, Step::PurgeHalf) {
            history.files.absorb(Files::listed(disk, world));
        }
    });
    if done.died.is_none() {
        note(&mut history, &world);
        // Files are written behind commits.
        world.pipeline.catch_up().unwrap();
    }
    history.last = world.pipeline.last_drawn();
    if let Some(undisturbed) = undisturbed.filter(|_| done.errors.is_empty()) {
        history.states.clone_from(&undisturbed.states);
        history.known_to = undisturbed.last;
    }
    match undisturbed {
        // Recovery completes a rotation that was not written to its end: redo has the bytes.
        Some(undisturbed) if done.errors.is_empty() && done.died.is_some() => {
            history.files = undisturbed.files.clone();
        }
        _ if done.died.is_some() && variant.options.strategy != StrategyKind::Group => {
            history.files.absorb(recovered_files(&disk.snapshot(), variant));
        }
        _ => history.files.absorb(Files::on_disk(disk)),
    }
    history.done = done;
    history.ends = history.files.ends();
    history
}

/// Events that were to be written behind their commits are in the logs: the files that a recovery without a power loss
/// makes of them, without the one that it begins.
fn recovered_files(disk: &SimDisk, variant: &Variant) -> Files {
    let Ok(Ok(world)) = catch_unwind(AssertUnwindSafe(|| variant.open(disk))) else {
        return Files::on_disk(disk);
    };
    let mut files = Files::listed(disk, &world);
    files.0.pop_last();
    files
}

fn summary(history: &History) -> String {
    let Done { errors, died, .. } = &history.done;
    format!("died: {died:?}, {} errors: {errors:.2?}", errors.len())
}

/// The verdict, and once more after power is lost as soon as the server has started: what it showed is still there.
fn survives_twice(disk: &SimDisk, history: &History, seed: u64) -> Result<(), String> {
    let (world, kept) = check(disk, history, u64::MAX, Loss::Power)?;
    // This start has begun a file, which the next one finds.
    let listed = Files::listed(disk, &world);
    let begins = listed.0.first_key_value().map_or(0, |(number, _)| *number);
    let mut files = Files(history.files.0.range(..begins).map(|(no, file)| (*no, file.clone())).collect());
    files.absorb(listed);
    let (states, done) = (history.states.clone(), history.done.clone());
    let (known_to, last) = (history.known_to, history.last);
    let ends = files.ends();
    let found = History { states, known_to, last, done, files, ends, ..History::empty(&history.variant) };
    drop(world);
    let (_, again) = check(&disk.crash(CrashMode::DropAll, seed), &found, u64::MAX, Loss::Power)?;
    if again == kept { Ok(()) } else { Err(format!("{kept} was shown, and {again} after a power loss")) }
}

/// A server that opens the disk works.
fn goes_on(disk: &SimDisk, variant: &Variant) -> Result<(), String> {
    let work = || -> Result<(), String> {
        let world = variant.open(disk).map_err(|error| error.to_string())?;
        let mut conn = world.connect();
        for sql in [
            "CREATE DATABASE IF NOT EXISTS f",
            "CREATE TABLE IF NOT EXISTS f.t (id INT AUTO_INCREMENT PRIMARY KEY, k INT, KEY (k))",
            "INSERT INTO f.t (k) VALUES (1), (2)",
            "ALTER TABLE f.t ADD COLUMN c INT DEFAULT 3, ADD UNIQUE (id, k)",
        ] {
            if let Answer::Error(code, message) = conn.run(sql) {
                return Err(format!("{sql}: {code} {message}"));
            }
        }
        drop(conn);
        world.checkpoint().map_err(|error| error.to_string())?;
        world.dump().map(drop)
    };
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("it does not work any more".to_owned()))
}

/// What became of runs on small disks.
#[derive(Debug, Default)]
pub struct FullDisks {
    pub runs: u64,
    /// Runs in which statements answered an error.
    pub answered: u64,
    pub broken: Vec<String>,
}

/// Runs the workload on disks with less and less room. The server must live, answer errors, and go on when there is room.
pub fn full_disks(variant: &Variant) -> FullDisks {
    let _quiet = Quiet::begin();
    let mut outcomes = FullDisks::default();
    let free_step: u64 = if is_full_sweep() { 32 << 10 } else { 800 << 10 };
    for free in (0..16 << 20).step_by(usize::try_from(free_step).unwrap()) {
        outcomes.runs += 1;
        let disk = SimDisk::new();
        drop(variant.open(&disk).unwrap());
        disk.set_capacity(used(&disk) + free);
        let history = endure(&disk, variant, &workload::main_steps(), None);
        outcomes.answered += u64::from(!history.done.errors.is_empty());
        if let Some(why) = &history.done.died {
            outcomes.broken.push(format!("{free} bytes free: the server died: {why}"));
            continue;
        }
        for (name, found) in what_is_left(&disk, free) {
            found.set_capacity(u64::MAX);
            let checked = check(&found, &history, u64::MAX, Loss::Power);
            // The world has ended when the next one opens.
            if let Err(violation) = checked.map(drop).and_then(|()| goes_on(&found, variant)) {
                outcomes
                    .broken
                    .push(format!("{free} bytes free, {name}: {violation}; {}", summary(&history)));
            }
        }
    }
    outcomes
}

fn used(disk: &SimDisk) -> u64 {
    u64::MAX - vfs::Vfs::free_bytes(disk, "/data".as_ref()).unwrap()
}

/// A full disk gets room again, and the same server goes on.
pub fn room_comes_back(variant: &Variant) {
    let disk = SimDisk::new();
    let world = variant.open(&disk).unwrap();
    let mut conn = world.connect();
    conn.ok("CREATE DATABASE d");
    conn.ok("CREATE TABLE d.t (id INT AUTO_INCREMENT PRIMARY KEY, b TEXT)");
    disk.set_capacity(used(&disk) + (300 << 10));
    let insert = "INSERT INTO d.t (b) VALUES (REPEAT('x', 3000))";
    let inserted = (0..500).take_while(|_| matches!(conn.run(insert), Answer::Ok(..))).count();
    assert!((10..500).contains(&inserted), "{inserted} rows fit");
    for _ in 0..100 {
        world.tend().unwrap();
        assert!(
            matches!(conn.run(insert), Answer::Error(1021, _)),
            "there is no room as long as there is none"
        );
    }
    assert_eq!(conn.rows("SELECT COUNT(*) FROM d.t"), [inserted.to_string()]);
    disk.set_capacity(1 << 30);
    world.tend().unwrap();
    conn.ok(insert);
    drop(conn);
    world.checkpoint().unwrap();
    let last = world.pipeline.last_drawn();
    assert!(last > CommitSeq(0));
    drop(world);
    let found = disk.crash(CrashMode::DropAll, 1);
    let world = variant.open(&found).unwrap();
    assert_eq!(world.connect().rows("SELECT COUNT(*) FROM d.t"), [(inserted + 1).to_string()]);
    assert_eq!(world.pipeline.last_drawn(), last);
}
