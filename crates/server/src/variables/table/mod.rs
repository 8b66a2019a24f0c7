//! The rows, by theme.

mod charset;
mod innodb;
mod limits;
mod onelog;
mod replica;
mod replication;
mod server;
mod session;

pub(crate) use onelog::{STRATEGY_NAMES, strategy_of};

use super::variable::Variable;

/// All rows, by name.
pub(super) fn collect() -> Vec<Variable> {
    let themes = [
        charset::ROWS,
        innodb::ROWS,
        limits::ROWS,
        onelog::ROWS,
        replica::ROWS,
        replication::ROWS,
        server::ROWS,
        session::ROWS,
    ];
    let mut rows = themes.concat();
    rows.sort_unstable_by_key(|row| row.name);
    assert!(rows.is_sorted_by(|a, b| a.name < b.name), "a variable has one row");
    rows
}
