//! A crash after a crash: while the server recovers, and after it has done less than was cut.

use std::collections::BTreeMap;
use std::sync::Arc;

use vfs::sim::{CrashMode, Journal, SimDisk};

use crate::log::Files;
use crate::model::{History, State};
use crate::sweep::{Progress, Quiet, Sweep, is_full, losses, seed};
use crate::verdict::check;
use crate::workload::{self, Done};

/// Losses of the first run that get a second one.
const FIRST_SAMPLE: u64 = 40;
const FIRST_FULL: u64 = 400;
/// Second losses tried after each.
const SECOND_SAMPLE: u64 = 12;

/// What is done after the first loss: little.
const STATEMENTS: [&str; 4] = [
    "CREATE DATABASE IF NOT EXISTS d",
    "CREATE TABLE IF NOT EXISTS d.t (id INT AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL, c VARCHAR(40), KEY (k))",
    "INSERT INTO d.t (k, c) VALUES (77, 'again')",
    "UPDATE d.t SET k = k + 1",
];

pub fn sweep() -> u64 {
    let Sweep { history, journal, .. } = Sweep::of(&workload::SAFE, &[]);
    let all = (journal.last_op() - journal.first_op()) * 24;
    let wanted = if is_full() { FIRST_FULL } else { FIRST_SAMPLE };
    let progress = Progress::new(wanted * SECOND_SAMPLE);
    let _quiet = Quiet::begin();
    losses(&journal, all / wanted, seed(), &mut |op, mode, during, disk| {
        let (second, again) = go_on(disk, &history, op);
        let each_of = (again.last_op() - again.first_op()) * 24 / SECOND_SAMPLE;
        losses(&again, each_of.max(1), seed(), &mut |second_op, second_mode, _, disk| {
            progress.one();
            if let Err(what) = check(disk, &second, second_op) {
                panic!("first loss at {op} {mode:?} {during}, second at {second_op} {second_mode:?}: {what}");
            }
            true
        });
        let rest = disk.crash(CrashMode::DropAll, op);
        check(&rest, &second, u64::MAX).unwrap();
        true
    });
    progress.count()
}

/// Recovers, goes on a little, and says what may be found then.
fn go_on(disk: &SimDisk, first: &History, op: u64) -> (History, Journal) {
    disk.start_journal();
    let (world, kept) = check(disk, first, op).unwrap();
    let mut states = BTreeMap::from([(kept, Arc::new(State::of(&world).unwrap()))]);
    let mut done = Done { acked: vec![(0, kept)], ..Done::default() };
    let mut conn = world.connect();
    for sql in STATEMENTS {
        conn.ok(sql);
        done.acked.push((disk.ops(), conn.last_commit()));
        states.insert(world.pipeline.last_drawn(), Arc::new(State::of(&world).unwrap()));
    }
    drop(conn);
    if op % 2 == 0 {
        world.checkpoint().unwrap();
    }
    let journal = disk.stop_journal().unwrap();
    let files = Files::listed(disk, &world);
    let begins = *files.0.first_key_value().unwrap().0;
    done.purges.push((0, 0, begins));
    let (last, ends) = (world.pipeline.last_drawn(), files.ends());
    (History { variant: first.variant.clone(), states, last, done, files, ends }, journal)
}
