//! Purpose: with `wait_binlog_flush` a commit waits for its file, and nobody has to come by for that.
//!
//! Method: a commit on the simulated disk; the roles that it wants are played, and nothing else, REDO before and behind all
//! others.

use std::pin::pin;
use std::sync::atomic::Ordering;

use commit::Role;
use vfs::sim::SimDisk;

use super::power_loss::{ENHANCED, IN_REDO, OWN_STORE};
use super::world::{Options, World, poll};

fn play(world: &World, role: Role) {
    world.pipeline.step(role).unwrap();
    world.pipeline.roles.done(role);
}

fn play_what_is_wanted(world: &World) {
    while let Some(role) = world.pipeline.roles.take() {
        play(world, role);
    }
}

/// Whether a commit is answered that asks for so much.
fn commits(options: Options, redo_is_late: bool) -> bool {
    let mut world = World::open(&SimDisk::new(), options).unwrap();
    world.pipeline.settings.wait_binlog_flush.store(true, Ordering::Relaxed);
    let mut committing = pin!(world.submit(&vec![(1, Some(vec![1; 300]))]));
    if redo_is_late {
        let redo = world.pipeline.roles.take().unwrap();
        assert_eq!(redo, Role::Redo);
        play_what_is_wanted(&world);
        play(&world, redo);
    }
    play_what_is_wanted(&world);
    world.pipeline.sweep();
    poll(committing.as_mut()).is_some()
}

#[test]
fn roles_alone_bring_a_commit_to_its_file() {
    for with in [IN_REDO, ENHANCED, OWN_STORE] {
        for sync_binlog in [0, 1, 100] {
            for flush in 0..3 {
                for redo_is_late in [false, true] {
                    let options = Options { sync_binlog, flush, ..with };
                    assert!(commits(options, redo_is_late), "{options:?}, redo is late: {redo_is_late}");
                }
            }
        }
    }
}
