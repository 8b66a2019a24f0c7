//! Strategies: how a ticket's bytes reach both logs, and what an acknowledgement waits for.
//!
//! A strategy is one file and one line in [`make`].

mod group;
mod redo_only;

use std::fmt::Debug;

use engine::ids::CommitSeq;

use crate::binlog_files::Appender;
use crate::pending::Pending;
use crate::{FatalError, Pipeline, Role};

/// See the module.
pub(crate) trait Strategy: Debug + Send + Sync {
    /// As `onelog_commit_strategy` says it.
    fn name(&self) -> &'static str;

    /// The part of filling that sessions do themselves, right after the ticket.
    fn fill(&self, pipeline: &Pipeline, pending: &mut Pending);

    /// The role that takes transactions which are ready.
    fn first_role(&self) -> Role;

    /// Plays a role. An error is fatal.
    fn step(&self, pipeline: &Pipeline, role: Role) -> Result<(), FatalError>;

    /// Ends the binlog at a clean shutdown, when nothing is under way, with the given STOP event.
    fn close(&self, stop: &[u8]) -> Result<(), FatalError>;
}

/// The strategy for a server run that begins after `last`.
pub(crate) fn make(appender: Option<Appender>, last: CommitSeq) -> Box<dyn Strategy> {
    match appender {
        None => Box::new(redo_only::RedoOnly::new(last)),
        Some(appender) => Box::new(group::Group::new(appender, last)),
    }
}
