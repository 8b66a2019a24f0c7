//! Purpose: what the redo log says is synced survives every power loss, and nothing else ever comes back.
//!
//! Requirements:
//! R1. After a power loss at or during any disk operation, in every mode, the log reads back as a prefix of the
//!     records that were written, and the prefix contains everything that was synced by then.
//! R2. The same holds when the log is continued after such a loss with fewer bytes than were cut, and power is
//!     lost again: a cut tail never comes back to life.
//! R3. Damage below a promised LSN is refused with file and offset; damage above it is a torn tail.
//! R4. The checks notice a sync that does nothing.
//! R6. All of that holds for each of two streams that one log carries, and damage to one stream's payload leaves the other
//!     whole.
//! R5. A disk that is full of the log's own superfluous segments is written on, and begun on; a start that is not made durable
//!     leaves what it began with.
//!
//! Method: a journalled run on the simulated disk, small segments so that it rolls and recycles often; a replay
//! loses power at every operation times every mode; the reader's records are compared with a model.

#![expect(clippy::unwrap_used, reason = "a test fails where its helpers fail")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use redo::record::{HEAD_SIZE, head};
use redo::{
    Cursor, Durability, EpochStart, LiveSegment, Lsn, Options, Reader, RedoError, RedoLog, Start, Stream,
    merged,
};
use vfs::sim::{CrashMode, Fault, FaultKind, Journal, OpKind, Replay, Rng, SimDisk};
use vfs::{Open, Vfs};

const DIR: &str = "/redo";

fn options() -> Options {
    Options {
        dir: PathBuf::from(DIR),
        segment_size: 5 * 4096,
        ring_size: 1 << 16,
        ring_slots: 64,
        spares: 1,
        segments_kept: 3,
        salt: 0x5A17,
    }
}

/// The bodies of the records that were written, by LSN of their end.
type Model = Vec<(Lsn, Vec<u8>)>;

struct Run {
    log: RedoLog,
    cursor: Cursor,
    model: Model,
    epochs: Vec<EpochStart>,
    /// Operation number of the disk, and what was synced when it had happened.
    synced: Vec<(u64, Lsn)>,
}

impl Run {
    fn begin(
        disk: &SimDisk,
        start: Start,
        kept: &[LiveSegment],
        mut epochs: Vec<EpochStart>,
        model: Model,
    ) -> Self {
        let vfs: Arc<dyn Vfs> = Arc::new(disk.clone());
        let (log, cursor, segment) = RedoLog::begin(vfs, &options(), start, kept).unwrap();
        epochs.push(EpochStart { epoch: start.epoch, lsn: start.lsn, segment });
        Self { log, cursor, model, epochs, synced: vec![(disk.ops(), start.lsn)] }
    }

    /// Has the log carry a second stream.
    fn begin_second(
        &self,
        disk: &SimDisk,
        (start, needed_from): (Lsn, Lsn),
        mut epochs: Vec<EpochStart>,
        model: Model,
    ) -> Self {
        let (log, cursor, begun) = self.log.begin_second(start, needed_from).unwrap();
        epochs.push(begun);
        Self { log, cursor, model, epochs, synced: vec![(0, needed_from), (disk.ops(), start)] }
    }

    fn stream(&self) -> Stream {
        if self.log.is_second() { Stream::Second } else { Stream::First }
    }

    fn append(&mut self, body: Vec<u8>) {
        let reservation = self.cursor.draw(HEAD_SIZE + body.len());
        let end = reservation.end();
        let mut fill = self.log.ring().fill(reservation);
        fill.put(&head(1, u32::try_from(body.len()).unwrap()));
        fill.put(&body);
        fill.finish();
        self.model.push((end, body));
    }

    /// So many records of 3,000 bytes, each of which is in a block of its own.
    fn append_synced(&mut self, records: u8) {
        for record in 0..records {
            self.append(vec![record; 3000]);
            self.log.step(Durability::Synced).unwrap();
        }
    }

    fn append_some(&mut self, rng: &mut Rng) {
        for _ in 0..rng.below(4) {
            let size = if rng.chance(1, 8) { 9000 } else { rng.index(700) };
            let fill = u8::try_from(rng.below(256)).unwrap();
            self.append(vec![fill; size]);
        }
    }

    fn work(&mut self, disk: &SimDisk, rng: &mut Rng, rounds: usize) {
        for _ in 0..rounds {
            self.append_some(rng);
            let want = if rng.chance(1, 3) { Durability::Written } else { Durability::Synced };
            self.log.step(want).unwrap();
            self.synced.push((disk.ops(), self.log.synced()));
            if rng.chance(1, 6) {
                while self.log.tend().unwrap() {}
            }
        }
    }
}

fn read(disk: &SimDisk, epochs: &[EpochStart]) -> Result<(Model, Reader), RedoError> {
    read_from(disk, epochs, Lsn::FIRST)
}

fn read_from(disk: &SimDisk, epochs: &[EpochStart], from: Lsn) -> Result<(Model, Reader), RedoError> {
    read_stream(disk, Stream::First, epochs, from)
}

fn read_stream(
    disk: &SimDisk,
    stream: Stream,
    epochs: &[EpochStart],
    from: Lsn,
) -> Result<(Model, Reader), RedoError> {
    let vfs: Arc<dyn Vfs> = Arc::new(disk.clone());
    let mut reader = Reader::open(vfs, Path::new(DIR), stream, epochs, from)?;
    let mut records = Model::new();
    while let Some(record) = reader.next_record()? {
        records.push((record.end, record.body));
    }
    Ok((records, reader))
}

fn empty_disk() -> SimDisk {
    let disk = SimDisk::new();
    disk.create_dir_all(Path::new(DIR)).unwrap();
    disk
}

fn first_run(disk: &SimDisk) -> Run {
    Run::begin(disk, Start { epoch: 1, lsn: Lsn::FIRST }, &[], Vec::new(), Model::new())
}

/// What was synced before operation `op + 1` began.
fn synced_at(run: &Run, op: u64) -> Lsn {
    run.synced.iter().take_while(|(at, _)| *at <= op).last().expect("the run has a beginning").1
}

/// R1 for one disk that was found after a loss.
fn check(disk: &SimDisk, run: &Run, synced: Lsn) -> Result<Reader, String> {
    let (found, reader) =
        read_stream(disk, run.stream(), &run.epochs, Lsn::FIRST).map_err(|error| error.to_string())?;
    let end = found.last().map_or(Lsn::FIRST, |(end, _)| *end);
    if found != run.model[..found.len().min(run.model.len())] {
        return Err("what was read is no prefix of what was written".to_owned());
    }
    if end < synced {
        return Err(format!("synced up to {synced}, found up to {end}"));
    }
    Ok(reader)
}

fn journalled_run(seed: u64, rounds: usize) -> (Run, Journal) {
    let disk = empty_disk();
    let mut run = first_run(&disk);
    disk.start_journal();
    run.work(&disk, &mut Rng::new(seed), rounds);
    (run, disk.stop_journal().expect("it was started"))
}

/// Every operation times every mode, during and after it.
fn sweep(run: &Run, journal: &Journal, mut each: impl FnMut(u64, CrashMode, &SimDisk)) {
    let mut replay = Replay::new(journal);
    for op in journal.first_op()..=journal.last_op() {
        replay.seek(op);
        for mode in CrashMode::ALL {
            each(op, mode, &replay.crash(mode, op));
            if let Some(disk) = replay.crash_during_next(mode, op) {
                each(op, mode, &disk);
            }
        }
    }
    assert!(run.model.len() > 10, "the run wrote something");
}

#[test]
fn what_was_synced_survives_a_power_loss_at_every_operation() {
    for seed in 1..=4 {
        let (run, journal) = journalled_run(seed, 30);
        sweep(&run, &journal, |op, mode, disk| {
            if let Err(what) = check(disk, &run, synced_at(&run, op)) {
                panic!("seed {seed}, operation {op}, {mode:?}: {what}");
            }
        });
    }
}

#[test]
fn a_cut_tail_never_comes_back_after_a_second_loss() {
    let (run, journal) = journalled_run(11, 24);
    sweep(&run, &journal, |op, mode, disk| {
        if op % 5 != 0 {
            return;
        }
        let reader = check(disk, &run, synced_at(&run, op)).unwrap();
        let kept: Model = run.model.iter().take_while(|(end, _)| *end <= reader.end()).cloned().collect();
        let start = Start { epoch: 2, lsn: reader.end() };
        let mut second = Run::begin(disk, start, &reader.kept_below(reader.end()), run.epochs.clone(), kept);
        let mut rng = Rng::new(op);
        second.work(disk, &mut rng, 2);
        let synced = second.log.synced();
        for mode in [CrashMode::KeepAll, CrashMode::DropAll, CrashMode::RandomSubset, mode] {
            check(&disk.crash(mode, op), &second, synced)
                .unwrap_or_else(|what| panic!("second loss, operation {op}, {mode:?}: {what}"));
        }
    });
}

#[test]
fn damage_below_the_promise_is_corruption_and_above_it_a_torn_tail() {
    let disk = empty_disk();
    let mut run = first_run(&disk);
    run.append_synced(12);
    // One block per record: the last one was promised by nobody, all others by the block after them.
    let (records, reader) = read(&disk, &run.epochs).unwrap();
    let segments = reader.kept_below(reader.end());
    assert!(segments.len() > 2, "the run rolls over segments");
    let mut damaged = 0;
    for segment in &segments {
        let path = PathBuf::from(format!("{DIR}/redo.{:06}", segment.no.0));
        for block in 1..5 {
            let copy = disk.snapshot();
            let file = copy.open(&path, Open::ReadWrite).unwrap();
            let mut byte = [0];
            file.read_exact_at(&mut byte, block * 4096 + 100).unwrap();
            if byte[0] == 0 && block * 4096 != 4096 {
                continue;
            }
            file.write_at(&[byte[0] ^ 0x40], block * 4096 + 100).unwrap();
            damaged += 1;
            match read(&copy, &run.epochs) {
                Ok((found, _)) => {
                    assert_eq!(found.len(), records.len() - 1, "only the last block may go quietly");
                }
                Err(RedoError::Corrupt { file, offset, .. }) => {
                    assert_eq!((file, offset), (path.clone(), block * 4096));
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
    assert!(damaged >= 10);
}

#[test]
fn skipping_the_durable_write_is_noticed() {
    let disk = empty_disk();
    let mut run = first_run(&disk);
    disk.skip_sync("redo.", OpKind::WriteDurable);
    disk.start_journal();
    run.work(&disk, &mut Rng::new(1), 20);
    let journal = disk.stop_journal().unwrap();
    let mut lost = 0;
    sweep(&run, &journal, |op, _, disk| lost += u32::from(check(disk, &run, synced_at(&run, op)).is_err()));
    assert!(lost > 50, "a lying sync must lose promised records, lost only {lost} times");
}

#[test]
fn segments_are_recycled_and_the_log_stays_within_its_size() {
    let disk = empty_disk();
    let mut run = first_run(&disk);
    let mut rng = Rng::new(5);
    for _ in 0..60 {
        run.work(&disk, &mut rng, 5);
        run.log.step(Durability::Synced).unwrap();
        run.log.retire_below(run.log.synced());
        while run.log.tend().unwrap() {}
        assert!(run.log.live_bytes() <= options().segment_size, "one segment is in use after a checkpoint");
    }
    assert_eq!(disk.list(Path::new(DIR)).unwrap().len(), options().segments_kept);
}

/// A run whose first segments are retired, on a disk that has no room left. Returns from where it is needed.
fn full_disk(disk: &SimDisk) -> (Run, Lsn) {
    let mut run = first_run(disk);
    // One more than fits: the last segment is not at its beginning.
    run.append_synced(21);
    let needed_from = run.log.synced();
    run.log.retire_below(needed_from);
    assert!(run.log.ready_bytes() >= 4 * options().segment_size, "five are retired");
    disk.set_capacity(0);
    (run, needed_from)
}

#[test]
fn a_disk_full_of_retired_segments_is_written_on() {
    let disk = empty_disk();
    let (mut run, needed_from) = full_disk(&disk);
    let files = disk.list(Path::new(DIR)).unwrap().len();
    let first = run.model.len();
    run.append_synced(16);
    assert_eq!(disk.list(Path::new(DIR)).unwrap().len(), files, "nothing was made");
    let (found, _) = read_from(&disk, &run.epochs, needed_from).unwrap();
    assert_eq!(found, run.model[first..]);
}

#[test]
fn a_run_begins_on_a_disk_full_of_retired_segments_and_a_loss_undoes_it() {
    let disk = empty_disk();
    let (run, needed_from) = full_disk(&disk);
    let Run { epochs, model, .. } = run;
    let (found, reader) = read_from(&disk, &epochs, needed_from).unwrap();
    assert_eq!(found, []);
    let (end, kept) = (reader.end(), reader.kept_below(reader.end()));
    assert_eq!(kept.len(), 1);
    disk.start_journal();
    let mut second = Run::begin(&disk, Start { epoch: 2, lsn: end }, &kept, epochs.clone(), model);
    let journal = disk.stop_journal().unwrap();
    let mut replay = Replay::new(&journal);
    for op in journal.first_op()..=journal.last_op() {
        replay.seek(op);
        for mode in CrashMode::ALL {
            let disk = replay.crash(mode, op);
            let (found, reader) = read_from(&disk, &epochs, needed_from).unwrap();
            assert_eq!((found.len(), reader.kept_below(reader.end())), (0, kept.clone()), "{op}, {mode:?}");
        }
    }
    let before = second.model.len();
    second.append_synced(8);
    let (found, _) = read_from(&disk, &second.epochs, needed_from).unwrap();
    assert_eq!(found, second.model[before..]);
}

#[test]
fn a_run_does_not_begin_in_segments_that_were_cut() {
    let disk = empty_disk();
    let mut run = first_run(&disk);
    run.append_synced(12);
    let (records, reader) = read(&disk, &run.epochs).unwrap();
    // Recovery decides that only what the first segment has is kept.
    let kept = &reader.kept_below(reader.end())[..1];
    let start = Start { epoch: 2, lsn: records[1].0 };
    let _second = Run::begin(&disk, start, kept, run.epochs.clone(), Model::new());
    // It was not made durable: everything is there as before.
    assert_eq!(read(&disk, &run.epochs).unwrap().0, records);
}

#[test]
fn segments_of_another_size_give_their_room_back_and_are_not_made_larger_on_a_full_disk() {
    let disk = empty_disk();
    let mut run = first_run(&disk);
    run.append_synced(21);
    let (_, reader) = read(&disk, &run.epochs).unwrap();
    let kept = reader.kept_below(reader.end());
    let larger = Options { segment_size: 4 * options().segment_size, segments_kept: 40, ..options() };
    let vfs: Arc<dyn Vfs> = Arc::new(disk.clone());
    let start = Start { epoch: 2, lsn: reader.end() };
    let (log, ..) = RedoLog::begin(vfs, &larger, start, &kept).unwrap();
    disk.set_capacity(0);
    log.step(Durability::Synced).unwrap();
    log.retire_below(start.lsn);
    assert_eq!(log.ready_bytes(), 0, "what is of another size is no segment that can be written");
    while log.tend().unwrap() {}
    assert_eq!(disk.list(Path::new(DIR)).unwrap().len(), 1, "the segment that is written");
    disk.set_capacity(1 << 40);
    while log.tend().unwrap() {}
    assert_eq!(log.ready_bytes(), larger.segment_size);
}

/// Segments that a run keeps, most of them as spares.
const SPARE_AND_USED: usize = 8;

/// A run of which nothing is needed any more.
fn with_spares(disk: &SimDisk) -> Run {
    let vfs: Arc<dyn Vfs> = Arc::new(disk.clone());
    let many = Options { segments_kept: SPARE_AND_USED, ..options() };
    let start = Start { epoch: 1, lsn: Lsn::FIRST };
    let (log, cursor, segment) = RedoLog::begin(vfs, &many, start, &[]).unwrap();
    let epochs = vec![EpochStart { epoch: 1, lsn: Lsn::FIRST, segment }];
    let mut run = Run { log, cursor, model: Model::new(), epochs, synced: Vec::new() };
    run.append_synced(40);
    run.log.retire_below(run.log.synced());
    while run.log.tend().unwrap() {}
    run
}

#[test]
fn many_spares_are_used_one_after_another() {
    let disk = empty_disk();
    let mut run = with_spares(&disk);
    let (from, before) = (run.log.synced(), run.model.len());
    let files = disk.list(Path::new(DIR)).unwrap().len();
    assert_eq!(files, SPARE_AND_USED);
    run.append_synced(24);
    assert_eq!(disk.list(Path::new(DIR)).unwrap().len(), files, "all were used again");
    assert_eq!(read_from(&disk, &run.epochs, from).unwrap().0, run.model[before..]);
}

/// Both streams, of which the second begins when the first has been written to for a while.
fn two_streams(disk: &SimDisk, rng: &mut Rng, rounds: usize) -> (Run, Run) {
    let mut first = first_run(disk);
    first.work(disk, rng, 3);
    let second = first.begin_second(disk, (Lsn::FIRST, Lsn::FIRST), Vec::new(), Model::new());
    let mut both = (first, second);
    work_both(&mut both, disk, rng, rounds);
    both
}

fn work_both((first, second): &mut (Run, Run), disk: &SimDisk, rng: &mut Rng, rounds: usize) {
    for _ in 0..rounds {
        let (fills_first, fills_second) = (rng.chance(4, 5), rng.chance(3, 5));
        if fills_second {
            second.append_some(rng);
        }
        if fills_first {
            first.append_some(rng);
        }
        let want = if rng.chance(1, 3) { Durability::Written } else { Durability::Synced };
        let log = if rng.chance(1, 2) { &first.log } else { &second.log };
        log.step(want).unwrap();
        for run in [&mut *first, &mut *second] {
            run.synced.push((disk.ops(), run.log.synced()));
        }
        if rng.chance(1, 6) {
            while first.log.tend().unwrap() {}
        }
    }
}

#[test]
fn two_streams_survive_what_one_does_and_are_continued() {
    let mut losses = 0;
    for seed in 1..=3 {
        let disk = empty_disk();
        let mut rng = Rng::new(seed);
        let mut both = two_streams(&disk, &mut rng, 1);
        disk.start_journal();
        work_both(&mut both, &disk, &mut rng, 30);
        let journal = disk.stop_journal().unwrap();
        let (first, second) = both;
        sweep(&first, &journal, |op, mode, disk| {
            let what = format!("seed {seed}, operation {op}, {mode:?}");
            let readers = [&first, &second].map(|run| {
                check(disk, run, synced_at(run, op)).unwrap_or_else(|found| panic!("{what}: {found}"))
            });
            if op % 5 == 0 {
                continue_both(disk, op, [&first, &second], &readers, mode, &what);
            }
            losses += 1;
        });
        assert!(second.model.len() > 10);
    }
    assert!(losses > 1000, "{losses}");
}

/// Goes on behind what was found of each, and loses power again.
fn continue_both(
    disk: &SimDisk,
    op: u64,
    runs: [&Run; 2],
    readers: &[Reader; 2],
    mode: CrashMode,
    what: &str,
) {
    let [end, second_end] = [readers[0].end(), readers[1].end()];
    let kept = |run: &Run, end: Lsn| run.model.iter().take_while(|(at, _)| *at <= end).cloned().collect();
    let segments = merged(readers[0].visited(), readers[1].visited());
    let start = Start { epoch: 2, lsn: end };
    let first = Run::begin(disk, start, &segments, runs[0].epochs.clone(), kept(runs[0], end));
    // Of a run that left nothing no segment is kept: it must not be looked for.
    let epochs = runs[1].epochs.iter().filter(|epoch| epoch.lsn < second_end).copied().collect();
    let second = first.begin_second(disk, (second_end, Lsn::FIRST), epochs, kept(runs[1], second_end));
    let mut both = (first, second);
    work_both(&mut both, disk, &mut Rng::new(op), 3);
    for mode in [CrashMode::KeepAll, CrashMode::DropAll, CrashMode::RandomSubset, mode] {
        for run in [&both.0, &both.1] {
            check(&disk.crash(mode, op), run, run.log.synced())
                .unwrap_or_else(|found| panic!("{what}, second loss {mode:?}: {found}"));
        }
    }
}

#[test]
fn segments_are_kept_until_neither_stream_needs_them() {
    let disk = empty_disk();
    let (first, mut second) = two_streams(&disk, &mut Rng::new(7), 1);
    second.append(vec![9; 700]);
    first.log.step(Durability::Synced).unwrap();
    let needed = second.log.synced();
    for round in 0..40_u8 {
        second.append(vec![round; 3000]);
        second.log.step(Durability::Synced).unwrap();
    }
    let live = first.log.live_bytes();
    assert!(live >= 10 * options().segment_size);
    first.log.retire_below(first.log.synced());
    assert!(first.log.live_bytes() >= live - 2 * options().segment_size, "the second stream needs them");
    let (found, _) = read_stream(&disk, Stream::Second, &second.epochs, needed).unwrap();
    assert_eq!(found.len(), 40);
    second.log.retire_below(second.log.synced());
    assert!(first.log.live_bytes() <= 2 * options().segment_size);
    assert_eq!((second.log.live_bytes(), second.log.ready_bytes()), (0, 0), "files are counted once");
}

#[test]
fn damage_to_one_streams_payload_leaves_the_other_whole() {
    let disk = empty_disk();
    let mut both = two_streams(&disk, &mut Rng::new(3), 1);
    for record in 0..12 {
        both.0.append(vec![record; 3000]);
        both.1.append(vec![record; 3000]);
        both.0.log.step(Durability::Synced).unwrap();
    }
    let whole =
        [&both.0, &both.1].map(|run| read_stream(&disk, run.stream(), &run.epochs, Lsn::FIRST).unwrap().0);
    let (mut first_hit, mut second_hit) = (0, 0);
    for name in disk.list(Path::new(DIR)).unwrap() {
        for block in 1..5 {
            let copy = disk.snapshot();
            let file = copy.open(&Path::new(DIR).join(&name), Open::ReadWrite).unwrap();
            let mut byte = [0];
            file.read_exact_at(&mut byte, block * 4096 + 100).unwrap();
            file.write_at(&[byte[0] ^ 0x40], block * 4096 + 100).unwrap();
            let hit = [&both.0, &both.1].map(|run| {
                let found = read_stream(&copy, run.stream(), &run.epochs, Lsn::FIRST);
                found.is_ok_and(|(found, _)| found == whole[run.stream() as usize])
            });
            match hit {
                [true, true] => {}
                [false, true] => first_hit += 1,
                [true, false] => second_hit += 1,
                [false, false] => panic!("{name}, block {block} is of both"),
            }
        }
    }
    assert!(first_hit >= 10 && second_hit >= 10, "{first_hit}, {second_hit}");
}

#[test]
fn a_second_stream_that_finds_no_segment_leaves_the_first_as_it_is() {
    let disk = empty_disk();
    let mut run = with_spares(&disk);
    let (from, before) = (run.log.synced(), run.model.len());
    // The one spare that is open is used; the next has to be opened.
    run.append_synced(4);
    let current = read_from(&disk, &run.epochs, from).unwrap().1.visited().last().unwrap().no;
    let next = Path::new(DIR).join(format!("redo.{:06}", current.0 + 1));
    let away = Path::new("/away");
    disk.rename(&next, away).unwrap();
    assert!(run.log.begin_second(Lsn::FIRST, Lsn::FIRST).is_err());
    disk.rename(away, &next).unwrap();
    assert!(!run.log.has_failed());
    run.append_synced(9);
    assert_eq!(read_from(&disk, &run.epochs, from).unwrap().0, run.model[before..], "no segment is left out");
    let mut second = run.begin_second(&disk, (Lsn::FIRST, Lsn::FIRST), Vec::new(), Model::new());
    second.append_synced(9);
    run.append_synced(9);
    assert_eq!(read_from(&disk, &run.epochs, from).unwrap().0, run.model[before..]);
    assert_eq!(read_stream(&disk, Stream::Second, &second.epochs, Lsn::FIRST).unwrap().0, second.model);
}

#[test]
fn a_retired_segment_that_cannot_be_renamed_is_used_later() {
    let disk = empty_disk();
    let (mut run, needed_from) = full_disk(&disk);
    let (ready, first) = (run.log.ready_bytes(), run.model.len());
    disk.inject(Fault::new(FaultKind::NoDescriptor).of(OpKind::SyncDir).lasting());
    assert!(run.log.begin_second(Lsn::FIRST, Lsn::FIRST).is_err());
    disk.lift_faults();
    assert_eq!(run.log.ready_bytes(), ready);
    run.append_synced(16);
    assert_eq!(read_from(&disk, &run.epochs, needed_from).unwrap().0, run.model[first..]);
}
