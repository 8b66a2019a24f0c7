//! The queue's hand-over: sessions that make work, log threads and sessions that play the roles.

use std::sync::{Arc, LazyLock};

use engine::ids::CommitSeq;
use redo::{Consumer, Lsn, Reservation, Ring};
use sync::Mutex;
use sync::loom::thread::{self, JoinHandle};
use sync::model::{Model, is_broken};

use super::{Guarded, Line, SHARED, pending};
use crate::pending::Batch;
use crate::roles::{Role, Roles};

const CLEARED_TOO_LATE: &str = "the wanted bit is cleared after the step";
const WANTED_TOO_EARLY: &str = "a role is wanted before its work is there";
const LEFT_SILENTLY: &str = "a session that played leaves and calls nobody";

/// What steps work on.
trait Stages: Send + Sync + 'static {
    fn roles(&self) -> &Roles;
    fn step(&self, role: Role);
}

/// A log thread, as the server runs them.
fn log_thread<S: Stages>(stages: &Arc<S>) -> JoinHandle<()> {
    let stages = Arc::clone(stages);
    thread::spawn(move || {
        let roles = stages.roles();
        let mut played = None;
        while let Some(role) = roles.next(played) {
            stages.step(role);
            played = Some(role);
            if is_broken(CLEARED_TOO_LATE) {
                roles.done(role);
                played = roles.take();
            }
        }
    })
}

/// As `Pipeline::play_alone`.
fn play_alone<S: Stages>(stages: &S, first: Role, is_through: impl Fn() -> bool) {
    let roles = stages.roles();
    roles.want_next(first);
    let mut played = None;
    while let Some(role) = roles.take_alone(played) {
        stages.step(role);
        if is_through() {
            if is_broken(LEFT_SILENTLY) {
                roles.done(role);
            } else {
                roles.leave(role);
            }
            return;
        }
        played = Some(role);
    }
}

/// The group strategy without its files: FLUSH takes the queue, SYNC publishes.
struct Group {
    line: Line,
    roles: Roles,
    /// The next ticket that FLUSH takes: its holder needs no lock.
    next: Guarded<CommitSeq>,
    flushed: Mutex<Batch>,
}

impl Group {
    fn new() -> Self {
        LazyLock::force(&SHARED);
        let next = Guarded::new(CommitSeq(1));
        Self { line: Line::new(2), roles: Roles::default(), next, flushed: Mutex::default() }
    }

    fn flush(&self) {
        self.next.write(|next| {
            while let Some(pending) = self.line.slots.take_ready(*next, |_| true) {
                self.flushed.lock().push(pending);
                self.roles.want_next(Role::Sync);
                *next = next.next();
            }
        });
    }

    fn sync(&self) {
        let mut done = std::mem::take(&mut *self.flushed.lock());
        let seqs: Vec<_> = done.iter().map(|pending| pending.ticket().seq).collect();
        self.line.publisher.publish(&self.line.slots, &mut done);
        for seq in seqs {
            self.line.slots.sweep(seq);
        }
    }

    /// As the end of `Pipeline::submit`.
    fn hand_over(&self, seq: CommitSeq) {
        if is_broken(WANTED_TOO_EARLY) {
            self.roles.want(Role::Flush);
            self.line.slots.put_ready(seq, pending(seq));
        } else {
            self.line.slots.put_ready(seq, pending(seq));
            self.roles.want(Role::Flush);
        }
    }

    fn collect(&self, seq: CommitSeq) {
        self.line.wait(seq);
        drop(self.line.slots.collect(seq));
    }

    fn commit_alone(&self, seq: CommitSeq) {
        self.line.slots.put_ready(seq, pending(seq));
        play_alone(self, Role::Flush, || self.line.published.visible() >= seq);
        self.collect(seq);
    }
}

impl Stages for Group {
    fn roles(&self) -> &Roles {
        &self.roles
    }

    fn step(&self, role: Role) {
        match role {
            Role::Flush => self.flush(),
            Role::Sync => self.sync(),
            Role::Redo | Role::Store | Role::Files => unreachable!("nobody wants it"),
        }
    }
}

#[test]
fn commits_go_through_two_log_threads() {
    LazyLock::force(&SHARED);
    Model::new("models::roles::commits_go_through_two_log_threads")
        .mistakes(&[CLEARED_TOO_LATE, WANTED_TOO_EARLY])
        .check(|| {
            let group = Arc::new(Group::new());
            let threads = [log_thread(&group), log_thread(&group)];
            for seq in [1, 2] {
                group.hand_over(CommitSeq(seq));
            }
            for seq in [1, 2] {
                group.collect(CommitSeq(seq));
            }
            group.roles.stop();
            for thread in threads {
                thread.join().unwrap();
            }
        });
}

#[test]
fn a_session_that_plays_alone_forgets_nobody() {
    LazyLock::force(&SHARED);
    Model::new("models::roles::a_session_that_plays_alone_forgets_nobody")
        .mistakes(&[CLEARED_TOO_LATE, LEFT_SILENTLY])
        .check(|| {
            let group = Arc::new(Group::new());
            let thread = log_thread(&group);
            let other = Arc::clone(&group);
            let other = thread::spawn(move || {
                other.hand_over(CommitSeq(2));
                other.collect(CommitSeq(2));
            });
            group.commit_alone(CommitSeq(1));
            other.join().unwrap();
            group.roles.stop();
            thread.join().unwrap();
        });
}

/// Work that no lock protects: what sessions fill into the redo ring.
struct Filled {
    roles: Roles,
    ring: Arc<Ring>,
    consumer: Guarded<Consumer>,
}

impl Filled {
    fn fill(&self, reservation: Reservation) {
        let mut fill = self.ring.fill(reservation);
        fill.put(b"r");
        fill.finish();
    }
}

impl Stages for Filled {
    fn roles(&self) -> &Roles {
        &self.roles
    }

    fn step(&self, role: Role) {
        assert_eq!(role, Role::Redo, "nobody wants another");
        self.consumer.write(|consumer| {
            let size = usize::try_from(consumer.poll().since(consumer.taken())).unwrap();
            consumer.take(size, |_| ());
        });
    }
}

#[test]
fn nothing_that_was_filled_is_overlooked() {
    Model::new("models::roles::nothing_that_was_filled_is_overlooked")
        .orders("crates/commit/src/roles.rs", include_str!("../roles.rs"))
        .mistakes(&[CLEARED_TOO_LATE])
        .check(|| {
            let (ring, mut cursor, consumer) = Ring::create(2, 2, Lsn(0));
            let consumer = Guarded::new(consumer);
            let filled = Arc::new(Filled { roles: Roles::default(), ring, consumer });
            let (a, b) = (cursor.draw(1), cursor.draw(1));
            let thread = log_thread(&filled);
            let other = Arc::clone(&filled);
            let other = thread::spawn(move || {
                other.fill(b);
                other.roles.want(Role::Redo);
            });
            filled.fill(a);
            play_alone(&*filled, Role::Redo, || true);
            other.join().unwrap();
            filled.roles.stop();
            thread.join().unwrap();
            assert_eq!(filled.ring.taken(), Lsn(2), "nobody looks again");
        });
}
