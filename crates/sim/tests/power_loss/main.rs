//! Purpose: the whole server keeps its promises whatever happens to the power: statements, transactions, DDL, accounts,
//! checkpoints, rotations and purges on the simulated disk, below them the code that ships.
//!
//! Requirements, for every power loss at or during any disk operation of a fixed workload and every mode:
//! R1. the server starts again, and every acknowledged statement is there;
//! R2. what is there is what a prefix of the commit order makes: all tables, definitions and accounts, none half;
//! R3. rows and indexes of each table say the same;
//! R4. the binlog holds the same prefix: byte for byte what the first run wrote, cut at the end of a transaction;
//!     its index lists exactly the files that are there, and begins where a purge that was acknowledged says;
//! R5. the same holds after a second loss: while it recovers, and while it does less than was cut;
//! R6. a sync that does nothing is noticed;
//! R7. a disk that fails or is full loses nothing that was acknowledged, and answers errors where it can.
//!
//! Method: [`workload`] is run once with a journal; [`model`] runs the same statements again, one after another in the
//! order of their commits on a disk that never fails, and dumps everything after each; [`sweep`] replays the journal,
//! loses power at every operation times every mode, opens the server on what is left, and [`verdict`] compares.
//!
//! `ONELOG_FULL=1` does all of it; without it a sample is taken, moved by `ONELOG_SEED`.

#![expect(clippy::unwrap_used, reason = "a test fails where its helpers fail")]

mod faults;
mod log;
mod model;
mod random;
mod second;
mod sweep;
mod verdict;
mod workload;

use sweep::Sweep;
use vfs::sim::{FaultKind, OpKind, is_full_sweep};

#[test]
fn every_power_loss_recovers_to_one_prefix_in_tables_and_binlog() {
    let mut count = 0;
    for variant in workload::variants().into_iter().skip(sweep::first_variant()) {
        let losses = Sweep::of(&variant, &[]).expect_clean();
        println!("{}: {losses} power losses, every one recovered to what was promised", variant.name);
        count += losses;
    }
    println!("{count} power losses");
}

#[test]
fn workloads_that_a_seed_makes_recover_as_well() {
    let variants = workload::variants();
    let seeds = if is_full_sweep() { 40 } else { 5 };
    let mut count = 0;
    for seed in (sweep::seed() * 1000..).take(seeds) {
        let variant = &variants[usize::try_from(seed).unwrap() % variants.len()];
        count += Sweep::of_random(variant, seed).expect_clean();
    }
    println!("{count} power losses in {seeds} workloads, every one recovered to what was promised");
}

#[test]
fn a_second_loss_while_recovering_or_after_less_work_obeys_the_same_rules() {
    let mut count = 0;
    for variant in workload::variants().into_iter().skip(sweep::first_variant()) {
        let (losses, broken) = second::sweep(&variant, None);
        assert!(broken.is_empty(), "{} of {losses} broke a promise, the first: {}", broken.len(), broken[0]);
        count += losses;
    }
    println!("{count} second power losses, every one recovered to what was promised");
}

#[test]
fn a_sync_that_does_nothing_is_noticed() {
    for skip in
        [("redo/", OpKind::WriteDurable), ("binlog.0", OpKind::SyncData), ("base.redb", OpKind::SyncData)]
    {
        let (noticed, count, first) = Sweep::of(&workload::SAFE, &[skip]).violations();
        println!("{skip:?} skipped: {noticed} of {count} power losses broke a promise, the first: {first}");
        assert!(noticed > 0, "{skip:?} was skipped and nobody noticed");
    }
}

/// As if each commit became visible before the operation that makes it durable, in the same step.
#[test]
fn what_is_visible_before_its_sync_is_noticed() {
    let sweep = Sweep::of(&workload::SAFE, &[]);
    let (noticed, count) = sweep.lost_in_front_of_what_was_promised();
    println!("one operation early: {noticed} of {count} power losses broke a promise");
    assert!(2 * noticed > count, "commits were visible too early and hardly anybody noticed");
}

/// What recovery finds may be in the page cache alone.
#[test]
fn a_sync_that_recovery_leaves_out_is_noticed() {
    for skip in [("redo/", OpKind::SyncAll), ("binlog.0", OpKind::SyncAll)] {
        let (count, broken) = second::sweep(&workload::RELAXED, Some(skip));
        println!(
            "{skip:?} skipped: {} of {count} power losses broke a promise: {:?}",
            broken.len(),
            broken.first()
        );
        assert!(!broken.is_empty(), "{skip:?} was skipped and nobody noticed");
    }
}

#[test]
fn the_workload_is_what_it_says() {
    let measured = workload::measure();
    println!("{measured:?}");
    let workload::Measured { checkpoints, files, purges, groups, spills, prepared } = measured;
    assert!(checkpoints >= 15 && files >= 8 && purges == 2, "{measured:?}");
    assert!(groups >= 4 && spills >= 3 && prepared == 1, "{measured:?}");
}

#[test]
fn a_disk_that_fails_loses_nothing_that_was_acknowledged() {
    // Only a sync of a file loses pages.
    let kinds = [
        (FaultKind::Io, None),
        (FaultKind::ShortWrite { bytes: 100 }, None),
        (FaultKind::ShortWrite { bytes: 5000 }, None),
        (FaultKind::LostPages, Some(OpKind::SyncData)),
        (FaultKind::LostPages, Some(OpKind::SyncAll)),
    ];
    for server in faults::servers() {
        let undisturbed = faults::undisturbed(&server);
        for (what, of) in kinds {
            let faults::Outcomes { runs, died, answered, disks, broken } =
                faults::sweep(what, of, &undisturbed);
            let (name, died) = (server.name, died.len());
            println!(
                "{name}, {what:?} of {of:?}: {runs} runs, {died} died, {answered} answered errors, {disks} disks looked at"
            );
            assert!(broken.is_empty(), "{} broke a promise, the first: {}", broken.len(), broken[0]);
        }
    }
}

#[test]
fn a_call_that_finds_no_room_kills_nobody_unless_it_is_a_sync() {
    for server in faults::servers() {
        let undisturbed = faults::undisturbed(&server);
        let faults::Outcomes { runs, died, answered, disks, broken } =
            faults::sweep(FaultKind::NoSpace, None, &undisturbed);
        println!(
            "{}, no space: {runs} runs, {} died, {answered} answered errors, {disks} disks looked at",
            server.name,
            died.len()
        );
        assert!(broken.is_empty(), "{} broke a promise, the first: {}", broken.len(), broken[0]);
        let started = undisturbed.0.done.acked[0].0;
        for (call, kind, path) in died.into_iter().filter(|(call, ..)| *call > started) {
            // Whoever removes needs no room. A durable write is tried again with that of the ballast.
            assert!(
                kind.is_sync() && kind != OpKind::WriteDurable || kind == OpKind::Remove,
                "call {call} killed the server: {kind:?} {path}"
            );
        }
    }
}

#[test]
fn a_server_on_a_small_disk_lives_and_answers_errors() {
    for server in faults::servers() {
        let faults::FullDisks { runs, answered, broken } = faults::full_disks(&server);
        let name = server.name;
        println!("{name}: {runs} disks of different sizes, on {answered} of them statements answered errors");
        assert!(broken.is_empty(), "{} broke a promise, the first: {}", broken.len(), broken[0]);
        assert!(answered > runs / 4 && answered < runs, "sizes between too small and large enough");
    }
}

#[test]
fn a_full_disk_refuses_commits_until_there_is_room() {
    for server in faults::servers() {
        faults::room_comes_back(&server);
    }
}
