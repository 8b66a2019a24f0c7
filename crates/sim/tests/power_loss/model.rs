//! What must be found: the state after each commit.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use binlog::GtidSet;
use engine::catalog::table::{Counters, Table};
use engine::ids::CommitSeq;
use sim::World;
use vfs::sim::{Journal, OpKind, SimDisk};

use crate::log::{Files, Place};
use crate::workload::{self, Done, Loss, Step, Variant};

/// Everything that a client can find out, and what the binlog has.
#[derive(Debug, PartialEq, Eq)]
pub struct State {
    pub dump: Vec<String>,
    /// Where the binlog ends, while no transaction has a GTID.
    pub binlog_end: Option<Place>,
    pub gtids: GtidSet,
    /// The highest AUTO_INCREMENT and row id of each table: what is found may be higher.
    pub counters: BTreeMap<String, (u64, u64)>,
}

impl State {
    pub fn of(world: &World) -> Result<Self, String> {
        let tuple = world.pipeline.publisher().tuple();
        Ok(Self {
            dump: world.dump()?.into_iter().map(shortened).collect(),
            // What is compressed has another size where another session has said it.
            binlog_end: tuple
                .binlog
                .filter(|_| tuple.gtid_executed.is_empty())
                .map(|end| (end.file.into(), end.position)),
            gtids: GtidSet::clone(&tuple.gtid_executed),
            counters: world.catalog().tables().map(counters).collect(),
        })
    }

    /// How many transactions the binlog has, which had so many at these places.
    pub fn logged(&self, ends: &BTreeMap<Place, usize>) -> usize {
        match self.binlog_end {
            Some(end) => ends.get(&end).copied().unwrap_or(0),
            None => self.gtids.sids().map(|(_, numbers)| usize::try_from(numbers.count()).unwrap()).sum(),
        }
    }
}

fn counters(table: &Arc<Table>) -> (String, (u64, u64)) {
    let Counters { auto_increment, row_id } = &*table.counters;
    let highs = (auto_increment.load(Ordering::Relaxed), row_id.load(Ordering::Relaxed));
    (format!("{}.{}", table.def.db, table.def.name), highs)
}

/// Long lines as what tells them apart.
fn shortened(line: String) -> String {
    if line.len() < 1000 {
        return line;
    }
    format!("{}.. {} bytes, CRC {:08x}", &line[..20], line.len(), crc32c::crc32c(line.as_bytes()))
}

/// A run, and what it promised.
pub struct History {
    pub variant: Variant,
    /// After each commit that changed something; what comes between two has the state of the first.
    pub states: BTreeMap<CommitSeq, Arc<State>>,
    /// Up to here.
    pub known_to: CommitSeq,
    /// Nothing was ever committed above.
    pub last: CommitSeq,
    pub done: Done,
    /// All binlog files as they were when the run ended, or a purge removed them.
    pub files: Files,
    /// See [`Files::ends`].
    pub ends: BTreeMap<Place, usize>,
}

impl History {
    /// Of a run that has not begun.
    pub fn empty(variant: &Variant) -> Self {
        Self {
            variant: variant.clone(),
            states: BTreeMap::new(),
            known_to: CommitSeq(0),
            last: CommitSeq(0),
            done: Done::default(),
            files: Files::default(),
            ends: BTreeMap::new(),
        }
    }

    pub fn state(&self, seq: CommitSeq) -> &Arc<State> {
        self.states.range(..=seq).next_back().expect("there is one of the beginning").1
    }

    /// What must be there when operation `op` was over.
    pub fn acked(&self, op: u64, loss: Loss) -> CommitSeq {
        let promised = match loss {
            Loss::Power => &self.done.durable,
            Loss::Process => &self.done.acked,
        };
        let acked = promised.iter().filter(|(at, _)| *at <= op).map(|(_, seq)| *seq);
        acked.max().unwrap_or_default()
    }
}

/// Runs steps on a new disk with the given syncs skipped, and again for the model.
pub fn journalled(variant: &Variant, steps: &[Step], skip: &[(&str, OpKind)]) -> (History, Journal) {
    let disk = SimDisk::new();
    for (path, kind) in skip {
        disk.skip_sync(path, *kind);
    }
    disk.start_journal();
    let world = variant.open(&disk).unwrap();
    let mut files = Files::default();
    let keep = |world: &World, step: &Step| {
        if matches!(step, Step::PurgeHalf) {
            files.absorb(Files::listed(&disk, world));
        }
    };
    let mut done = workload::run(&disk, &world, variant, steps, keep).expect_success();
    let journal = disk.stop_journal().unwrap();
    done.note_visible(&journal, variant);
    files.absorb(Files::listed(&disk, &world));
    let states = states(variant, steps, &done);
    let last = world.pipeline.last_drawn();
    let model_end = states.last_key_value().unwrap().1;
    let end = State::of(&world).unwrap();
    assert_eq!(model_end.dump, end.dump, "one after another does the same as together");
    assert_eq!((model_end.binlog_end, &model_end.gtids), (end.binlog_end, &end.gtids), "and logs the same");
    let ends = files.ends();
    (History { variant: variant.clone(), states, known_to: last, last, done, files, ends }, journal)
}

/// The same statements one after another, in the order of their commits.
pub fn states(variant: &Variant, steps: &[Step], done: &Done) -> BTreeMap<CommitSeq, Arc<State>> {
    let disk = SimDisk::new();
    let world = variant.open(&disk).unwrap();
    let mut states: BTreeMap<CommitSeq, Arc<State>> = BTreeMap::new();
    let mut note = |world: &World| {
        let seq = world.pipeline.last_drawn();
        let mut state = State::of(world).unwrap();
        // What a transaction has counted is durable with its commit.
        if let Some(known) = states.get(&seq) {
            state.counters.clone_from(&known.counters);
        }
        states.insert(seq, Arc::new(state));
    };
    let mut orders = done.orders.iter();
    let mut in_turn = Vec::new();
    for step in steps {
        match step {
            Step::Together(texts) | Step::TogetherWithCheckpoint(texts) => {
                let order = orders.next().unwrap().iter().map(|place| &texts[*place]);
                // What is rolled back takes ids that no commit speaks of.
                let order = order.filter(|text| !text.ends_with("ROLLBACK"));
                in_turn.extend(order.map(|text| Step::Together(vec![text.clone()])));
            }
            other => in_turn.push(other.clone()),
        }
    }
    workload::run(&disk, &world, variant, &in_turn, |world, _| note(world)).expect_success();
    note(&world);
    states
}
