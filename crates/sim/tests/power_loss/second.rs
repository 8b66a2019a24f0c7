//! A crash after a crash: while the server recovers, and after it has done less than was cut. The first crash is a power
//! loss, or the death of the process alone: then recovery finds in the page cache what no disk has yet.

use std::collections::BTreeMap;
use std::sync::Arc;

use sim::World;
use vfs::sim::{CrashMode, Journal, OpKind, Replay, SimDisk, is_full_sweep};

use crate::log::Files;
use crate::model::{History, State};
use crate::sweep::{Progress, Quiet, Sweep, all_losses, losses, seed, stride};
use crate::verdict::check;
use crate::workload::{self, Done, Loss, Purge, Variant};

/// First crashes, power losses and deaths of the process each.
const FIRST_SAMPLE: u64 = 18;
const FIRST_FULL: u64 = 300;
/// Second losses tried after each.
const SECOND: u64 = 12;

/// What is done after the first crash: little.
const STATEMENTS: [&str; 6] = [
    "CREATE DATABASE IF NOT EXISTS d",
    "CREATE TABLE IF NOT EXISTS d.t (id INT AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL, c VARCHAR(40), KEY (k))",
    "INSERT INTO d.t (k, c) VALUES (77, 'again')",
    "UPDATE d.t SET k = k + 1",
    "CREATE TABLE IF NOT EXISTS d.u (a INT, b TEXT, KEY (a))",
    "INSERT INTO d.u (a) VALUES (78)",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    PowerLoss,
    Killed,
}

/// Returns how many second losses there were, and how many broke a promise.
pub fn sweep(variant: &Variant, skip_after_the_first: Option<(&str, OpKind)>) -> (u64, Vec<String>) {
    let Sweep { history, journal, .. } = Sweep::of(variant, &[]);
    let wanted = if is_full_sweep() { FIRST_FULL } else { FIRST_SAMPLE };
    let progress = Progress::new(2 * wanted * SECOND);
    let moved = seed() + variant.seed;
    let mut broken = Vec::new();
    let mut replay = Replay::new(&journal);
    let _quiet = Quiet::begin();
    losses(&journal, stride(all_losses(&journal), wanted), moved, &mut |op, mode, during, found| {
        replay.seek(op);
        for (first, disk) in [(First::PowerLoss, found), (First::Killed, &replay.disk())] {
            if let Some((path, kind)) = skip_after_the_first {
                disk.skip_sync(path, kind);
            }
            let crash = || format!("{}: {first:?} at {op}, {mode:?}, during: {during}", variant.name);
            let (second, again) = match go_on(disk, &history, (op, mode), first) {
                Ok(gone_on) => gone_on,
                Err(what) => {
                    broken.push(format!("{}: {what}", crash()));
                    continue;
                }
            };
            losses(
                &again,
                stride(all_losses(&again), SECOND),
                moved + op,
                &mut |second_op, second_mode, during, disk| {
                    progress.one(second_mode, during);
                    if let Err(what) = check(disk, &second, second_op, Loss::of(second_mode)) {
                        broken.push(format!(
                            "{}, second at {second_op}, {second_mode:?}, {during}: {what}",
                            crash()
                        ));
                    }
                    true
                },
            );
        }
        true
    });
    let had_all = progress.had_all_kinds();
    assert!(had_all || !broken.is_empty(), "no second loss in some mode, after or during an operation");
    (progress.count(), broken)
}

/// Recovers, goes on a little, and says what may be found then.
fn go_on(
    disk: &SimDisk,
    before: &History,
    (op, mode): (u64, CrashMode),
    first: First,
) -> Result<(History, Journal), String> {
    disk.start_journal();
    let loss = if first == First::Killed { Loss::Process } else { Loss::of(mode) };
    let (mut world, kept) = check(disk, before, op, loss)?;
    // Until recovery is over, what only the page cache had may still be lost.
    let (durable, states) = match first {
        First::PowerLoss => (kept, BTreeMap::new()),
        First::Killed => {
            let states = before.states.range(..=kept).map(|(seq, state)| (*seq, Arc::clone(state)));
            (before.acked(op, Loss::Power), states.collect())
        }
    };
    let durable = vec![(0, durable), (disk.ops(), kept)];
    let done = Done { acked: vec![(0, kept)], durable, ..Done::default() };
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
    work(disk, &world, &mut second)?;
    if op.is_multiple_of(2) {
        world.checkpoint().map_err(|error| error.to_string())?;
        second.done.durable.push((disk.ops(), world.pipeline.last_drawn()));
        let orphans =
            engine::build::orphans(&world.base, &world.catalog()).map_err(|error| error.to_string())?;
        if !orphans.is_empty() {
            return Err(format!("the data of {orphans:?} is left behind"));
        }
    }
    let journal = disk.stop_journal().expect("it was started");
    second.done.note_visible(&journal, &second.variant);
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

/// Does what is done after the first crash: a row that is new takes no other's place.
fn work(disk: &SimDisk, world: &World, second: &mut History) -> Result<(), String> {
    workload::watch(disk, world);
    let mut conn = world.connect();
    for sql in STATEMENTS {
        conn.ok(sql);
        second.done.acked.push((disk.ops(), conn.last_commit()));
        if !second.variant.is_relaxed {
            second.done.durable.push((disk.ops(), conn.last_commit()));
        }
        let state = State::of(world)?;
        let lines = second.state(world.pipeline.last_drawn()).dump.len();
        if sql.starts_with("INSERT") && state.dump.len() != lines + 1 {
            return Err(format!("{sql}: {lines} lines became {}", state.dump.len()));
        }
        second.states.insert(world.pipeline.last_drawn(), Arc::new(state));
    }
    Ok(())
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
