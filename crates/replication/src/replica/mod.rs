//! The replica's side: a client of the source, and what its events mean.
//!
//! ```text
//! Source::connect -> handshake, questions -> dump -> SourceEvent, one at a time
//! Groups::take    -> whole groups: where each begins and ends, what it depends on
//! RowReader       -> rows of the source as rows of this server's table
//! ```
//!
//! What this is not: it applies nothing and keeps nothing. Whoever applies stores the position of the last group in the
//! same transaction as the group itself, so there is no relay log and nothing to recover: after a crash the source is
//! asked for what follows.
//!
//! **Invariant:** what a source sends may be anything. It is decoded by this project's own checked decoders; bad bytes
//! are a [`SourceError::Malformed`], never a panic, and no memory is taken before the bytes that fill it have come.

mod auth;
mod clock;
mod error;
mod event;
mod groups;
mod image;
mod mariadb;
mod packets;
mod payload;
mod position;
mod settings;
mod source;
mod tls;

pub use clock::LogicalClock;
pub use error::SourceError;
pub use event::SourceEvent;
pub use groups::{Groups, Head, Step, is_between};
pub use image::{Field, ImageError, RowReader, RowsBody, rows_body};
pub use payload::Payload;
pub use position::Position;
pub use settings::{Settings, TlsSettings};
pub use source::{Dump, Hello, Source};
pub use tls::{Pems, SourceTls};
