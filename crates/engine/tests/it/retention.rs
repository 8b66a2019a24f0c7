//! Purpose: old snapshots cost no more than they are allowed to, and never read anything wrong.
//! Requirements: what replaced generations and deltas keep is metered; beyond the limit the oldest are expired although
//! their holders do nothing; pages are used again then; a read of an expired snapshot is right or fails with
//! `SnapshotTooOld`; scans of the newest state go on.
//! Method: a store without logs on the simulated disk, checkpointed after every few commits; a model that remembers the
//! rows after each commit; generated runs that interleave commits, checkpoints, expiries, reads and steps of scans.
#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use engine::EngineError;
use engine::base::{Base, Slice, WhenFull};
use engine::ids::{Change, CommitSeq, IndexId, Key};
use engine::scan::{Direction, Entry, KeyRange, Scan};
use engine::store::{Store, Timer};
use engine::trx::Trx;
use engine::view::{Published, Sealed, Snapshot};
use proptest::prelude::*;
use vfs::sim::SimDisk;
use vfs::{Open, Vfs};

const INDEX: IndexId = IndexId(20);
const KEYS: u16 = 2000;

type Rows = BTreeMap<u16, Vec<u8>>;

#[derive(Debug)]
struct NoTimer;

impl Timer for NoTimer {
    fn sleep(&self, _: std::time::Duration) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(std::future::pending())
    }
    fn unix_us(&self) -> u64 {
        0
    }
}

/// A store, and what it should hold.
struct World {
    vfs: Arc<dyn Vfs>,
    base: Base,
    published: Arc<Published>,
    store: Arc<Store>,
    rows: Rows,
}

impl World {
    fn new() -> Self {
        let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
        vfs.create_dir_all(Path::new("/data")).unwrap();
        let base = Base::open(&vfs, Path::new("/data"), 1 << 20, 0).unwrap();
        let published = Arc::new(Published::new(base.generation(CommitSeq(0)).unwrap(), 4));
        let store = Arc::new(Store::open(Arc::clone(&published), &[], Arc::new(NoTimer)).unwrap());
        Self { vfs, base, published, store, rows: Rows::new() }
    }

    /// Every third commit comes as one run, as large ones do.
    fn commit(&mut self, changes: impl IntoIterator<Item = (u16, Option<Vec<u8>>)>) {
        let seq = self.published.visible().next();
        let view = self.published.view();
        let mut run = BTreeMap::new();
        for (number, row) in changes {
            let change = row.as_ref().map_or(Change::Remove, |row| Change::Put(row.as_slice().into()));
            if seq.0.is_multiple_of(3) {
                run.insert(key(number), change);
            } else {
                view.active.put(seq, key(number), change);
            }
            match row {
                Some(row) => self.rows.insert(number, row),
                None => self.rows.remove(&number),
            };
        }
        if !run.is_empty() {
            view.active.attach(seq, run, 1000);
        }
        self.published.set_visible(seq);
    }

    /// Changes every tenth row to a text of its own.
    fn round(&mut self, round: u16) {
        let row = |number| (number, Some(vec![u8::try_from(round % 251).unwrap(); 100]));
        self.commit((0..KEYS).filter(|number| number % 10 == round % 10).map(row));
    }

    fn seal(&self) {
        self.published.seal(self.published.visible());
    }

    /// Carries the oldest sealed delta into the base, if there is one.
    fn carry(&self) {
        let view = self.published.view();
        let Some(Sealed { delta, through }) = view.sealed.last() else { return };
        let mut changes = Vec::new();
        delta
            .for_each_newest(|key, change| {
                changes.push((key.clone(), change.clone()));
                Ok::<_, EngineError>(())
            })
            .unwrap();
        for slice in changes.chunks(100) {
            self.base.commit(&Slice { changes: slice, facts: &[] }, WhenFull::UseBallast).unwrap();
        }
        self.published.replace_base(self.base.generation(*through).unwrap());
    }

    fn checkpoint(&self) {
        self.seal();
        self.carry();
    }

    fn file_size(&self) -> u64 {
        self.vfs.open(Path::new("/data/base.redb"), Open::Read).unwrap().len().unwrap()
    }

    fn trx(&self) -> Trx {
        Trx::new(Arc::clone(&self.store))
    }
}

fn key(number: u16) -> Key {
    [&INDEX.prefix()[..], &number.to_be_bytes()].concat().into()
}

fn pair(entry: Entry) -> (u16, Vec<u8>) {
    (u16::from_be_bytes([entry.key[4], entry.key[5]]), entry.row.unwrap().to_vec())
}

fn everything() -> KeyRange {
    KeyRange::prefix(&INDEX.prefix())
}

/// All rows that a transaction sees.
fn read(trx: &mut Trx) -> Result<Rows, EngineError> {
    let mut scan = trx.scan(&everything(), Direction::Forward)?;
    let mut rows = Rows::new();
    while let Some(entry) = scan.next_row()? {
        rows.extend([pair(entry)]);
    }
    Ok(rows)
}

fn is_too_old<T>(result: &Result<T, EngineError>) -> bool {
    matches!(result, Err(EngineError::SnapshotTooOld))
}

/// Commits become part of a moment in commit order, whatever the order in which they are applied.
#[test]
fn a_moment_holds_whole_commits_up_to_a_gap() {
    let world = World::new();
    let published = &world.published;
    let put = |seq: u64, number: u16| {
        published.view().active.put(CommitSeq(seq), key(number), Change::Put([1].as_slice().into()));
    };
    let at_moment = || {
        let moment = published.newest_snapshot();
        let mut scan = world.trx().scan_at(&everything(), Direction::Forward, &moment).unwrap();
        let mut numbers = Vec::new();
        while let Some(entry) = scan.next_row().unwrap() {
            numbers.push(pair(entry).0);
        }
        (moment.visible.0, numbers)
    };
    assert_eq!(at_moment(), (0, vec![]));
    put(2, 2);
    published.set_applied(CommitSeq(2));
    put(1, 1);
    assert_eq!(at_moment(), (0, vec![]), "the first one may not have put all");
    put(1, 11);
    published.set_applied(CommitSeq(1));
    assert_eq!(at_moment(), (2, vec![1, 2, 11]));
    // The next ones go to another delta, and take the places of what is visible.
    published.seal(CommitSeq(2));
    published.set_visible(CommitSeq(2));
    for (seq, number) in (3..=6).zip(33..) {
        put(seq, number);
        published.set_applied(CommitSeq(seq));
    }
    assert_eq!(at_moment(), (6, vec![1, 2, 11, 33, 34, 35, 36]));
    published.set_visible(CommitSeq(6));
    assert_eq!(at_moment().0, 6);
}

#[test]
fn a_change_since_a_moment_is_known_behind_a_checkpoint_too() {
    let row = |number: u16| (number, Some(vec![1; 10]));
    for others in [false, true] {
        let mut world = World::new();
        world.commit([row(1), row(2)]);
        world.checkpoint();
        let moment = world.published.newest_snapshot();
        let since = |number| world.trx().get_since(&key(number), &moment).unwrap().1;
        assert_eq!((since(1), since(3)), (None, None));
        let mut expected = (None, None);
        if others {
            world.commit([(1, Some(vec![2; 10])), row(3)]);
            expected = (Some(CommitSeq(2)), Some(CommitSeq(2)));
            let since = |number| world.trx().get_since(&key(number), &moment).unwrap().1;
            assert_eq!((since(1), since(3)), expected);
            // The base does not say who it was.
            expected = (Some(CommitSeq(0)), Some(CommitSeq(0)));
        } else {
            world.commit([row(9)]);
        }
        world.checkpoint();
        let since = |number| world.trx().get_since(&key(number), &moment).unwrap().1;
        assert_eq!((since(1), since(3), since(2)), (expected.0, expected.1, None));
    }
}

/// Rounds and checkpoints, with a limit for old views; the file's largest size.
fn rounds(world: &mut World, numbers: std::ops::Range<u16>, limit: u64) -> u64 {
    let mut largest = 0;
    for round in numbers {
        world.round(round);
        world.published.retired.expire_beyond(limit);
        world.checkpoint();
        largest = largest.max(world.file_size());
    }
    largest
}

#[test]
fn a_sleeping_snapshot_is_given_up_and_the_file_stays_bounded() {
    let mut world = World::new();
    rounds(&mut world, 0..10, 0);
    let mut old = world.trx();
    let seen = read(&mut old).unwrap();
    let limit = 16 << 20;
    let before = rounds(&mut world, 10..20, limit);
    assert_eq!(read(&mut old).unwrap(), seen, "within the limit it reads what it read");
    let largest = rounds(&mut world, 20..200, limit);
    assert!(largest <= before + 2 * limit, "{before} {largest}");
    assert_eq!(world.published.retired.expired(), 1);
    assert!(old.is_expired());
    assert!(is_too_old(&read(&mut old)));
    assert!(is_too_old(&old.get(&key(7))));
    assert_eq!(read(&mut world.trx()).unwrap(), world.rows);
    // The next transaction of the same session reads again.
    old.end();
    assert_eq!(read(&mut old).unwrap(), world.rows);
}

#[test]
fn without_a_limit_the_file_would_grow_and_what_it_grows_by_is_metered() {
    let mut world = World::new();
    let before = rounds(&mut world, 0..10, 0);
    let mut old = world.trx();
    let seen = read(&mut old).unwrap();
    let largest = rounds(&mut world, 10..200, u64::MAX);
    let kept = world.published.retired.bytes();
    assert!(largest > before + (10 << 20), "{before} {largest}");
    assert!(kept >= (largest - before) / 2, "the file grows by doubling: {before} {largest} {kept}");
    assert_eq!(read(&mut old).unwrap(), seen);
    drop(old);
    assert_eq!(world.published.retired.bytes(), 0);
    // What it kept is used again.
    assert!(rounds(&mut world, 200..300, u64::MAX) <= largest);
}

#[test]
fn a_snapshot_is_not_given_up_before_the_second_checkpoint_after_it_has_ended() {
    let mut world = World::new();
    rounds(&mut world, 0..10, 0);
    let mut statement = world.trx();
    let seen = read(&mut statement).unwrap();
    rounds(&mut world, 10..11, 0);
    world.published.retired.expire_beyond(0);
    assert_eq!(read(&mut statement).unwrap(), seen);
    rounds(&mut world, 11..12, 0);
    world.published.retired.expire_beyond(0);
    assert!(is_too_old(&read(&mut statement)));
}

#[test]
fn memory_of_deltas_is_given_up_also_where_only_a_delta_was_held() {
    let mut world = World::new();
    rounds(&mut world, 0..10, 0);
    world.round(10);
    world.seal();
    world.round(11);
    // Two deltas, and a base that is older than both.
    let old = world.published.snapshot();
    world.carry();
    rounds(&mut world, 12..15, u64::MAX);
    let kept = [&old.view.active, &old.view.sealed[0].delta].map(|delta| delta.bytes());
    assert!(kept.iter().all(|bytes| *bytes > 0));
    world.published.retired.expire_beyond(0);
    assert_eq!([&old.view.active, &old.view.sealed[0].delta].map(|delta| delta.bytes()), [0, 0]);
    assert_eq!(world.published.retired.bytes(), 0);
}

#[test]
fn a_finished_transaction_keeps_nothing() {
    let mut world = World::new();
    rounds(&mut world, 0..10, 0);
    let mut trx = world.trx();
    read(&mut trx).unwrap();
    let scan = trx.scan_newest(&everything(), Direction::Forward).unwrap();
    trx.end();
    drop(scan);
    rounds(&mut world, 10..12, u64::MAX);
    assert_eq!(world.published.retired.bytes(), 0);
}

#[test]
fn a_scan_of_the_newest_state_goes_on_after_its_layers_expire() {
    let mut world = World::new();
    for direction in [Direction::Forward, Direction::Backward] {
        rounds(&mut world, 0..10, 0);
        let trx = world.trx();
        let mut scan = trx.scan_newest(&everything(), direction).unwrap();
        let mut numbers = Vec::new();
        while let Some(entry) = scan.next_row().unwrap() {
            numbers.push(pair(entry).0);
            if numbers.len() == 500 {
                rounds(&mut world, 10..20, 0);
            }
        }
        if direction == Direction::Backward {
            numbers.reverse();
        }
        assert!(numbers.iter().copied().eq(0..KEYS), "{}", numbers.len());
    }
    assert!(world.published.retired.expired() >= 2);
}

#[derive(Clone, Debug)]
enum Step {
    Commit(Vec<(u8, Option<u8>)>),
    Seal,
    Carry,
    Expire(u32),
    Take,
    Forget(usize),
    Get(usize, u8),
    OpenScan(usize, bool),
    Scan(usize, u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => proptest::collection::vec((0..60_u8, proptest::option::weighted(0.7, any::<u8>())), 1..20)
            .prop_map(Step::Commit),
        1 => Just(Step::Seal),
        2 => Just(Step::Carry),
        2 => prop_oneof![Just(0), 0..100_000_u32].prop_map(Step::Expire),
        1 => Just(Step::Take),
        1 => any::<usize>().prop_map(Step::Forget),
        3 => (any::<usize>(), 0..60_u8).prop_map(|(which, number)| Step::Get(which, number)),
        1 => (any::<usize>(), any::<bool>()).prop_map(|(which, back)| Step::OpenScan(which, back)),
        3 => (any::<usize>(), 1..40_u8).prop_map(|(which, count)| Step::Scan(which, count)),
    ];
    proptest::collection::vec(step, 1..120)
}

/// A scan of a snapshot, and what it should return yet, the next one last.
struct OpenScan {
    scan: Scan,
    rest: Vec<(u16, Vec<u8>)>,
}

#[derive(Default)]
struct Readers {
    snapshots: Vec<(Snapshot, Rows)>,
    scans: Vec<OpenScan>,
}

impl Readers {
    fn get(&mut self, which: usize, number: u8) {
        if self.snapshots.is_empty() {
            return;
        }
        let (snapshot, rows) = &self.snapshots[which % self.snapshots.len()];
        match snapshot.view.get(&key(number.into()), snapshot.visible) {
            Ok((_, row)) => assert_eq!(row.as_deref(), rows.get(&number.into()).map(Vec::as_slice)),
            Err(error) => too_old(&error),
        }
    }

    fn open(&mut self, which: usize, back: bool) {
        if self.snapshots.is_empty() {
            return;
        }
        let (snapshot, rows) = &self.snapshots[which % self.snapshots.len()];
        let direction = if back { Direction::Backward } else { Direction::Forward };
        let mut rest: Vec<_> = rows.clone().into_iter().collect();
        if !back {
            rest.reverse();
        }
        match Scan::new(&snapshot.view, snapshot.visible, None, &everything(), direction) {
            Ok(scan) => self.scans.push(OpenScan { scan, rest }),
            Err(error) => too_old(&error),
        }
    }

    fn scan(&mut self, which: usize, count: u8) {
        if self.scans.is_empty() {
            return;
        }
        let which = which % self.scans.len();
        for _ in 0..count {
            let OpenScan { scan, rest } = &mut self.scans[which];
            match scan.next_row() {
                Ok(entry) => assert_eq!(entry.map(pair), rest.pop()),
                Err(error) => {
                    self.scans.swap_remove(which);
                    return too_old(&error);
                }
            }
        }
    }
}

fn too_old(error: &EngineError) {
    assert!(matches!(error, EngineError::SnapshotTooOld), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_expired_snapshot_reads_what_is_right_or_fails(steps in steps()) {
        let mut world = World::new();
        let mut readers = Readers::default();
        for step in steps {
            match step {
                Step::Commit(changes) => {
                    let changes: BTreeMap<u16, Option<Vec<u8>>> = changes
                        .into_iter()
                        .map(|(number, row)| (number.into(), row.map(|byte| vec![byte; 30])))
                        .collect();
                    world.commit(changes);
                }
                Step::Seal => world.seal(),
                Step::Carry => world.carry(),
                Step::Expire(limit) => {
                    world.published.retired.expire_beyond(limit.into());
                }
                Step::Take => readers.snapshots.push((world.published.snapshot(), world.rows.clone())),
                Step::Forget(which) => {
                    if !readers.snapshots.is_empty() {
                        readers.snapshots.swap_remove(which % readers.snapshots.len());
                    }
                }
                Step::Get(which, number) => readers.get(which, number),
                Step::OpenScan(which, back) => readers.open(which, back),
                Step::Scan(which, count) => readers.scan(which, count),
            }
            prop_assert_eq!(read(&mut world.trx()).unwrap(), world.rows.clone());
        }
    }
}
