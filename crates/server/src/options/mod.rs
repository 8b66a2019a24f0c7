//! Options: the command line and option files, by mysqld's conventions.
//!
//! `-` and `_` are alike in names; `--skip-x` and `--disable-x` mean OFF, `--enable-x` means ON, `--loose-x` makes an
//! unknown option a warning; numbers take K, M, G and so on. Every system variable that is one is an option. A name
//! has to be written out, prefixes are unknown. Unlike mysqld, no file is read that was not named, and a word that is
//! neither ON nor OFF is an error.
//!
//! ```text
//! --defaults-file=F ── file (groups, !include) ──┐
//! command line ──────────────────────────────────┴── Given, in order ── apply ── Options
//! ```

mod apply;
mod command_line;
mod file;
mod given;
mod help;
mod special;

use std::io;

use vfs::Vfs;

use crate::variables::Values;

pub use help::{help, version_line};

/// What the command line and the files say.
#[derive(Debug)]
pub struct Options {
    /// The variables.
    pub values: Values,
    /// `--log-bin=base`: directory and base name, or one of them.
    pub log_bin_base: Option<String>,
    /// Whether clients are offered TLS: not with `--skip-ssl`.
    pub has_tls: bool,
    /// `--onelog-sync-delay-us`: how much longer each sync takes; for measurements.
    pub sync_delay_us: u64,
    /// What to do instead of running a server.
    pub instead: Option<Instead>,
    /// Lines for the log.
    pub warnings: Vec<String>,
}

/// What is asked for instead of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    /// `--help`
    Help,
    /// `--version`
    Version,
    /// `--validate-config`
    Validate,
}

/// What is wrong with the options.
#[derive(Debug, thiserror::Error)]
pub enum OptionsError {
    /// An option.
    #[error("{0}")]
    Wrong(String),
    /// An option file cannot be read.
    #[error("Could not open required defaults file: {0}: {1}")]
    File(String, io::Error),
}

impl Options {
    /// Reads the arguments behind the program's name, and the files that they name.
    pub fn read(vfs: &dyn Vfs, arguments: &[String]) -> Result<Self, OptionsError> {
        let command_line = command_line::read(arguments)?;
        let mut given = Vec::new();
        for source in file::sources(&command_line) {
            file::read(vfs, source, &mut given)?;
        }
        given.extend(command_line);
        apply::apply(&given)
    }
}
