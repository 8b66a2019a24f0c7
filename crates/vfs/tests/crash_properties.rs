//! Purpose: whatever is done to a simulated disk, no power loss undoes what was synced or shows what never
//! was; and every mode can undo what was not.
//!
//! Requirements: the law stated in `sim/crash.rs`, for every mode, after and during every operation.
//!
//! Method: random scripts over a few files and two directories run on a journalled disk; a replay loses power
//! at every operation in every mode, and an independent model (`model/mod.rs`) judges what is found. The same
//! judge must find fault with a disk whose syncs lie, kind by kind: a judge that never condemns proves
//! nothing.
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod common;
mod model;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::blocks;
use model::{BYTES_MAX, FileId, Model, Name, Step, TAG_BYTES, tag};
use vfs::sim::{CrashMode, Journal, OpKind, Replay, Rng, SimDisk};
use vfs::{File, Open, Vfs};

const SCRIPTS: u64 = 60;
const STEPS: usize = 45;
const FILES_MAX: usize = 7;
const DIRS: [&str; 2] = ["d", "e"];

#[test]
fn no_power_loss_undoes_what_was_synced_or_invents_what_never_was() {
    for seed in 0..SCRIPTS {
        let (script, journal) = run(seed, None);
        if let Err(what) = judge(&script, &journal, seed) {
            panic!("seed {seed}: {what}\n{script:#?}");
        }
    }
}

#[test]
fn a_lie_about_any_kind_of_sync_is_found() {
    for kind in OpKind::SYNCS {
        let found = (0..SCRIPTS).find(|&seed| {
            let (script, journal) = run(seed, Some(kind));
            judge(&script, &journal, seed).is_err()
        });
        assert!(found.is_some(), "nobody noticed that {kind:?} did nothing");
    }
}

#[test]
fn what_loses_nothing_leaves_what_readers_saw() {
    for seed in 0..SCRIPTS {
        let (script, journal) = run(seed, None);
        let mut replay = Replay::new(&journal);
        for op in journal.first_op()..=journal.last_op() {
            replay.seek(op);
            let kept = replay.crash(CrashMode::KeepAll, 0).contents();
            assert!(kept == replay.disk().contents(), "seed {seed} at {op}\n{script:#?}");
        }
    }
}

#[test]
fn every_mode_but_one_loses_something() {
    for mode in CrashMode::ALL {
        let loses = |seed: u64| {
            let (_, journal) = run(seed, None);
            let mut replay = Replay::new(&journal);
            (journal.first_op()..=journal.last_op()).any(|op| {
                replay.seek(op);
                replay.crash(mode, op).contents() != replay.disk().contents()
            })
        };
        assert_eq!((0..3).any(loses), mode != CrashMode::KeepAll, "{mode:?}");
    }
}

/// Judges every power loss of a run.
fn judge(script: &[Step], journal: &Journal, seed: u64) -> Result<(), String> {
    let mut model = Model::default();
    let mut replay = Replay::new(journal);
    for (op, step) in (journal.first_op()..).zip(script) {
        let mut in_flight = model.clone();
        in_flight.apply_in_flight(step);
        for mode in CrashMode::ALL {
            let seed = seed ^ (op << 32);
            let verdict = model.check(mode, &found(&replay.crash(mode, seed)));
            verdict.map_err(|what| format!("{mode:?} after operation {op}: {what}"))?;
            let during = replay.crash_during_next(mode, seed).expect("the journal is as long as the script");
            let verdict = in_flight.check(mode, &found(&during));
            verdict.map_err(|what| format!("{mode:?} during {step:?} after operation {op}: {what}"))?;
        }
        model.apply(step);
        replay.seek(op + 1);
    }
    assert!(replay.crash_during_next(CrashMode::DropAll, 0).is_none());
    Ok(())
}

fn found(disk: &SimDisk) -> BTreeMap<Name, Vec<u8>> {
    let name_of = |path: &Path| {
        let dir = DIRS.into_iter().find(|dir| path.starts_with(dir)).unwrap();
        (dir, path.file_name().unwrap().to_str().unwrap().parse().unwrap())
    };
    disk.contents().into_iter().map(|(path, bytes)| (name_of(&path), bytes)).collect()
}

fn path((dir, number): Name) -> PathBuf {
    Path::new(dir).join(number.to_string())
}

/// Runs a random script; each of its steps is one operation of the journal.
fn run(seed: u64, lie: Option<OpKind>) -> (Vec<Step>, Journal) {
    let disk = SimDisk::new();
    for dir in DIRS {
        disk.create_dir_all(Path::new(dir)).unwrap();
    }
    if let Some(kind) = lie {
        disk.skip_sync("", kind);
    }
    disk.start_journal();
    let mut script = Script { rng: Rng::new(seed), model: Model::default(), steps: Vec::new() };
    let mut handles: Vec<Arc<dyn File>> = Vec::new();
    while script.steps.len() < STEPS {
        let from = script.steps.len();
        script.extend();
        for step in &script.steps[from..] {
            perform(&disk, &mut handles, step);
        }
    }
    let journal = disk.stop_journal().unwrap();
    assert_eq!(journal.last_op() - journal.first_op(), script.steps.len() as u64);
    (script.steps, journal)
}

fn perform(disk: &SimDisk, handles: &mut Vec<Arc<dyn File>>, step: &Step) {
    let handle = |file: FileId| &handles[usize::from(file)];
    match *step {
        Step::Create { name, .. } => handles.push(disk.open(&path(name), Open::CreateNew).unwrap()),
        Step::Write { file, offset, count, value } => {
            handle(file).write_at(&vec![value; count], offset as u64).unwrap();
        }
        Step::WriteDurable { file, offset, count, value } => {
            handle(file).write_durable_at(&blocks(count / 4096, value), offset as u64).unwrap();
        }
        Step::SetLen { file, len } => handle(file).set_len(len as u64).unwrap(),
        Step::SyncData { file } => handle(file).sync_data().unwrap(),
        Step::SyncAll { file } => handle(file).sync_all().unwrap(),
        Step::Rename { from, to } => disk.rename(&path(from), &path(to)).unwrap(),
        Step::Remove { name } => disk.remove_file(&path(name)).unwrap(),
        Step::SyncDir { dir } => disk.sync_dir(Path::new(dir)).unwrap(),
    }
}

struct Script {
    rng: Rng,
    model: Model,
    steps: Vec<Step>,
}

impl Script {
    /// Adds the next random step; a tagged file takes three.
    fn extend(&mut self) {
        let choice = self.rng.below(20);
        let file_count = self.model.file_count();
        if file_count == 0 || (choice < 2 && file_count < FILES_MAX) {
            return self.create();
        }
        let file = FileId::try_from(self.rng.index(file_count)).unwrap();
        let value = u8::try_from(1 + self.rng.below(255)).unwrap();
        match choice {
            0..=7 => {
                let offset = TAG_BYTES + self.rng.index(3 * 4096);
                let count_max = if self.rng.coin() { 5000 } else { 300 };
                let count = 1 + self.rng.index(count_max);
                self.push(Step::Write { file, offset, count, value });
            }
            8 | 9 => {
                let (offset, count) = (4096 * (1 + self.rng.index(3)), 4096);
                self.push(Step::WriteDurable { file, offset, count, value });
            }
            10 | 11 => {
                let len = TAG_BYTES + self.rng.index(BYTES_MAX - TAG_BYTES);
                self.push(Step::SetLen { file, len });
            }
            12 | 13 => self.push(Step::SyncData { file }),
            14 => self.push(Step::SyncAll { file }),
            15 | 16 => {
                let dir = DIRS[self.rng.index(2)];
                self.push(Step::SyncDir { dir });
            }
            _ => self.change_name(choice),
        }
    }

    fn create(&mut self) {
        let name = self.any_name();
        if self.model.names.contains_key(&name) {
            return;
        }
        let file = FileId::try_from(self.model.file_count()).unwrap();
        let tagged = self.rng.coin();
        self.push(Step::Create { name, tagged });
        if tagged {
            self.push(Step::Write { file, offset: 0, count: TAG_BYTES, value: tag(file) });
            self.push(Step::SyncAll { file });
        }
    }

    fn change_name(&mut self, choice: u64) {
        let names: Vec<Name> = self.model.names.keys().copied().collect();
        if names.is_empty() {
            return;
        }
        let from = names[self.rng.index(names.len())];
        let to = self.any_name();
        if choice == 17 {
            self.push(Step::Remove { name: from });
        } else if from != to {
            self.push(Step::Rename { from, to });
        }
    }

    fn any_name(&mut self) -> Name {
        (DIRS[self.rng.index(2)], u8::try_from(self.rng.below(3)).unwrap())
    }

    fn push(&mut self, step: Step) {
        self.model.apply(&step);
        self.steps.push(step);
    }
}
