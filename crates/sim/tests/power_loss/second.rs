//! A crash after a crash: while the server recovers, and after it has done less than was cut. The first crash is a power
//! loss, or the death of the process alone: then recovery finds in the page cache what no disk has yet.

use std::collections::BTreeMap;
use std::sync::Arc;

use vfs::sim::{CrashMode, Journal, OpKind, Replay, SimDisk, is_full_sweep};

use crate::log::Files;
use crate::model::{History, State};
use crate::sweep::{Progress, Quiet, Sweep, losses, seed};
use crate::verdict::check;
use crate::workload::{Done, Purge, Variant};

/// First crashes, power losses and deaths of the process each.
const FIRST_SAMPLE: u64 = 18;
const FIRST_FULL: u64 = 300;
/// Second losses tried after each.
const SECOND: u64 = 12;

/// What is done after the first crash: little.
const STATEMENTS: [&str; 4] = [
    "CREATE DATABASE IF NOT EXISTS d",
    "CREATE TABLE IF NOT EXISTS d.t (id INT AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL, c VARCHAR(40), KEY (k))",
    "INSERT INTO d.t (k, c) VALUES (77, 'again')",
    "UPDATE d.t SET k = k + 1",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    PowerLoss,
    Killed,
}

/// Returns how many second losses there were, and how many broke a promise.
pub fn sweep(variant: &Variant, skip_after_the_first: Option<(&str, OpKind)>) -> (u64, Vec<String>) {
    let Sweep { history, journal, .. } = Sweep::of(variant, &[]);
    let all = (journal.last_op() - journal.first_op()) * 2 * CrashMode::ALL.len() as u64;
    let wanted = if is_full_sweep() { FIRST_FULL } else { FIRST_SAMPLE };
    let progress = Progress::new(2 * wanted * SECOND);
    let mut broken = Vec::new();
    let mut replay = Replay::new(&journal);
    let _quiet = Quiet::begin();
    losses(&journal, all / wanted, seed(), &mut |op, mode, during, found| {
        replay.seek(op);
        for (first, disk) in [(First::PowerLoss, found), (First::Killed, &replay.disk())] {
            if let Some((path, kind)) = skip_after_the_first {
                disk.skip_sync(path, kind);
            }
            let crash = || format!("{}: {first:?} at {op}, {mode:?}, during: {during}", variant.name);
            let (second, again) = match go_on(disk, &history, op, first) {
                Ok(gone_on) => gone_on,
                Err(what) => {
                    broken.push(format!("{}: {what}", crash()));
                    continue;
                }
            };
            let each_of = (again.last_op() - again.first_op()) * 24 / SECOND;
            losses(&again, each_of.max(1), seed(), &mut |second_op, second_mode, during, disk| {
                progress.one();
                if let Err(what) = check(disk, &second, second_op) {
                    broken.push(format!(
                        "{}, second at {second_op}, {second_mode:?}, {during}: {what}",
                        crash()
                    ));
                }
                true
            });
        }
        true
    });
    (progress.count(), broken)
}

/// Recovers, goes on a little, and says what may be found then.
fn go_on(disk: &SimDisk, before: &History, op: u64, first: First) -> Result<(History, Journal), String> {
    disk.start_journal();
    let (mut world, kept) = check(disk, before, op)?;
    // Until recovery is over, what only the page cache had may still be lost.
    let (acked, states) = match first {
        First::PowerLoss => (kept, BTreeMap::new()),
        First::Killed => {
            let states = before.states.range(..=kept).map(|(seq, state)| (*seq, Arc::clone(state)));
            (before.acked(op), states.collect())
        }
    };
    let done = Done { acked: vec![(0, acked), (disk.ops(), kept)], ..Done::default() };
    let mut second = History { states, done, ..History::empty(&before.variant) };
    // Runs that do nothing but look after their files leave nothing that a later one needs, and take nothing away.
    for _ in 0..op % 3 {
        world.tend().map_err(|error| error.to_string())?;
        drop(world);
        world = second.variant.open(disk).map_err(|error| format!("no start after an idle run: {error}"))?;
    }
    world.tend().map_err(|error| error.to_string())?;
    if world.pipeline.published().visible() != kept {
        return Err(format!("{kept} did not outlive runs that did nothing"));
    }
    second.states.insert(kept, Arc::new(State::of(&world)?));
    let mut conn = world.connect();
    for sql in STATEMENTS {
        conn.ok(sql);
        if !second.variant.is_relaxed {
            second.done.acked.push((disk.ops(), conn.last_commit()));
        }
        second.states.insert(world.pipeline.last_drawn(), Arc::new(State::of(&world)?));
    }
    drop(conn);
    if op.is_multiple_of(2) {
        world.checkpoint().map_err(|error| error.to_string())?;
        second.done.acked.push((disk.ops(), world.pipeline.last_drawn()));
        let orphans =
            engine::build::orphans(&world.base, &world.catalog()).map_err(|error| error.to_string())?;
        if !orphans.is_empty() {
            return Err(format!("the data of {orphans:?} is left behind"));
        }
    }
    let journal = disk.stop_journal().expect("it was started");
    let listed = Files::listed(disk, &world);
    if let Some((&begins, _)) = listed.0.first_key_value() {
        second
            .files
            .absorb(Files(before.files.0.range(..begins).map(|(no, file)| (*no, file.clone())).collect()));
        second.done.purges = purges(before, begins, op, first);
    }
    second.files.absorb(listed);
    second.ends = second.files.ends();
    second.last = world.pipeline.last_drawn();
    second.known_to = second.last;
    Ok((second, journal))
}

/// A purge that had begun when the process died may be undone by a power loss, as long as it was not acknowledged.
fn purges(before: &History, begins: u64, op: u64, first: First) -> Vec<Purge> {
    if first == First::PowerLoss {
        return vec![Purge { begun: 0, ended: 0, target: begins, failed: false }];
    }
    let begun = before.done.purges.iter().filter(|purge| purge.begun <= op);
    begun
        .map(|purge| Purge { begun: 0, ended: if purge.ended <= op { 0 } else { u64::MAX }, ..*purge })
        .collect()
}
