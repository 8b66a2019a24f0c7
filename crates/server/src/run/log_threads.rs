//! The threads that play the pipeline's roles.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use commit::{AbortOnUnwind, Pipeline, Role};

use super::fatal::die;

/// See the module.
#[derive(Debug)]
pub(super) struct LogThreads(Vec<JoinHandle<()>>);

impl LogThreads {
    /// One for each role.
    pub(super) fn start(pipeline: &Arc<Pipeline>) -> io::Result<Self> {
        let start = |number: usize| {
            let pipeline = Arc::clone(pipeline);
            spawn(format!("log-{number}"), move || play(&pipeline))
        };
        Ok(Self((1..=Role::ALL.len()).map(start).collect::<io::Result<_>>()?))
    }

    /// Ends them when there is nothing left to do.
    pub(super) fn stop(self, pipeline: &Pipeline) {
        pipeline.roles.stop();
        for thread in self.0 {
            // A panic in there has aborted the process.
            let _ = thread.join();
        }
    }
}

fn play(pipeline: &Pipeline) {
    let mut played = None;
    while let Some(role) = pipeline.roles.next(played) {
        if let Err(error) = pipeline.step(role) {
            die("writing the logs", &error);
        }
        played = Some(role);
    }
}

/// A thread of the server. A panic in it ends the process: what it was doing is left half done.
pub(super) fn spawn(name: String, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let guarded = move || {
        let _guard = AbortOnUnwind;
        work();
    };
    std::thread::Builder::new().name(name).spawn(guarded)
}
