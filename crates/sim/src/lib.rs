//! The real server without network and threads: sessions, table store, commit pipeline and recovery on any disk, driven
//! by the test that owns it. On the simulated disk a run can be stopped at every operation, lose power, and be opened
//! again.
//!
//! What it is not: a model. Everything below the network is the code that ships; only who calls the pipeline's steps
//! differs, and time stands still unless somebody asks for it.

mod answer;
mod wire;
mod world;

pub use answer::Answer;
pub use world::{Conn, Options, World};
