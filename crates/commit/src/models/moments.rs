//! Commits that are applied side by side, and who reads the newest moment.

use std::sync::Arc;

use engine::applied::Applied;
use engine::ids::CommitSeq;
use sync::loom::thread;
use sync::model::{Model, is_broken};

use super::Guarded;

const NOTED_TOO_EARLY: &str = "a commit is noted before its changes are there";

#[test]
fn a_moment_has_all_of_its_commits() {
    Model::new("models::moments::a_moment_has_all_of_its_commits")
        .orders("crates/engine/src/applied.rs", include_str!("../../../engine/src/applied.rs"))
        .mistakes(&[NOTED_TOO_EARLY])
        .check(|| {
            let applied = Arc::new(Applied::new(2));
            let rows: [_; 2] = std::array::from_fn(|_| Arc::new(Guarded::new(0_u64)));
            let commits = [1, 2].map(|seq| {
                let (applied, row) = (Arc::clone(&applied), Arc::clone(&rows[usize::from(seq > 1)]));
                thread::spawn(move || {
                    if is_broken(NOTED_TOO_EARLY) {
                        applied.note(CommitSeq(seq));
                    }
                    row.write(|row| *row = seq);
                    if !is_broken(NOTED_TOO_EARLY) {
                        applied.note(CommitSeq(seq));
                    }
                })
            });
            let moment = applied.end(|| CommitSeq(0)).0;
            for (row, seq) in rows.iter().zip(1..=moment) {
                assert_eq!(row.read(|row| *row), seq);
            }
            for commit in commits {
                commit.join().unwrap();
            }
            assert_eq!(applied.end(|| CommitSeq(0)), CommitSeq(2));
            // The third one has the first one's place.
            applied.note(CommitSeq(3));
            assert_eq!(applied.end(|| CommitSeq(1)), CommitSeq(3));
        });
}
