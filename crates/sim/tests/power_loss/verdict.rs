//! The verdict on a disk that was found after a power loss.

use std::panic::{AssertUnwindSafe, catch_unwind};

use engine::ids::CommitSeq;
use sim::World;
use vfs::sim::SimDisk;

use crate::log::{Files, is_prefix, numbers_on_disk};
use crate::model::{History, State};
use crate::workload::{Loss, Purge};

/// R1 to R4: opens the server on the disk. `op` is the last operation that was over. Returns the server and the last
/// transaction that it has.
pub fn check(disk: &SimDisk, history: &History, op: u64, loss: Loss) -> Result<(World, CommitSeq), String> {
    let checked = catch_unwind(AssertUnwindSafe(|| {
        let world = history.variant.open(disk).map_err(|error| format!("no start: {error}"))?;
        let kept = check_open(disk, &world, history, op, loss)?;
        Ok((world, kept))
    }));
    checked.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

fn check_open(
    disk: &SimDisk,
    world: &World,
    history: &History,
    op: u64,
    loss: Loss,
) -> Result<CommitSeq, String> {
    let kept = world.pipeline.published().visible();
    let acked = history.acked(op, loss);
    if kept < acked {
        return Err(format!("acknowledged up to {acked}, recovered up to {kept}"));
    }
    if kept > history.last {
        return Err(format!("{kept} was never committed"));
    }
    let found = State::of(world)?;
    if kept > history.known_to {
        return Ok(kept);
    }
    let expected = history.state(kept);
    if found.dump != expected.dump {
        let differs = found.dump.iter().zip(&expected.dump).find(|(found, expected)| found != expected);
        return Err(format!("not the state after {kept}: {differs:?}"));
    }
    if found.gtids != expected.gtids {
        return Err(format!("GTIDs {} instead of {} after {kept}", found.gtids, expected.gtids));
    }
    for (table, highs) in &expected.counters {
        let found = found.counters.get(table);
        if found.is_none_or(|found| found.0 < highs.0 || found.1 < highs.1) {
            return Err(format!(
                "counters of {table} are {found:?}, of {highs:?} that were used up to {kept}"
            ));
        }
    }
    if history.variant.options.binlog {
        check_binlog(disk, world, history, kept, op)?;
    }
    Ok(kept)
}

fn check_binlog(
    disk: &SimDisk,
    world: &World,
    history: &History,
    kept: CommitSeq,
    op: u64,
) -> Result<(), String> {
    let mut files = Files::listed(disk, world).0;
    let listed: Vec<u64> = files.keys().copied().collect();
    if numbers_on_disk(disk) != listed {
        return Err(format!("files {:?}, of which {listed:?} are listed", numbers_on_disk(disk)));
    }
    check_purges(history, listed[0], op)?;
    // The newest one was begun by this start.
    files.pop_last();
    let last = files.last_key_value().map(|(number, bytes)| (*number, bytes.len() as u64));
    for (number, bytes) in &files {
        let written = history.files.0.get(number).ok_or(format!("file {number} was never written"))?;
        if !is_prefix(bytes, written) {
            let same = bytes.iter().zip(written).take_while(|(found, written)| found == written).count();
            let (bytes, written) = (bytes.len(), written.len());
            return Err(format!(
                "file {number} of {bytes} bytes, of {written}, holds from {same} what was never written"
            ));
        }
        if last.is_some_and(|last| *number < last.0) && bytes.len() < written.len() {
            return Err(format!("file {number} was cut, and is not the last"));
        }
    }
    let expected = history.state(kept).logged(&history.ends);
    let Some(last) = last else {
        return if expected == 0 { Ok(()) } else { Err("the binlog is gone".to_owned()) };
    };
    match history.ends.get(&last) {
        None => Err(format!("the binlog ends at {last:?}, in the middle of a transaction")),
        Some(count) if *count != expected => {
            Err(format!("{count} transactions in the binlog, {expected} in the tables"))
        }
        Some(_) => Ok(()),
    }
}

/// The log begins where the last purge says that was acknowledged, or one that had begun.
fn check_purges(history: &History, first: u64, op: u64) -> Result<(), String> {
    let mut allowed = vec![1];
    for Purge { begun, ended, target, failed } in &history.done.purges {
        match (*begun <= op, *ended <= op, failed) {
            (false, ..) => {}
            (true, true, false) => allowed = vec![*target],
            (true, false, false) => allowed.push(*target),
            (true, _, true) => allowed.extend(1..=*target),
        }
    }
    if allowed.contains(&first) {
        Ok(())
    } else {
        Err(format!("the log begins with file {first}, not {allowed:?}"))
    }
}
