//! What clients say of themselves when they log in: `performance_schema.session_connect_attrs` and `session_account_connect_attrs`.

use super::Result;
use super::cell::{Row, row};
use super::look::Look;
use crate::accounts::{Name, Privileges};

/// `session_connect_attrs`: of all sessions. Error 1142.
pub(super) fn of_all(look: &Look<'_>) -> Result<Vec<Row>> {
    look.access.granted_on_table(Privileges::SELECT, "performance_schema", "session_connect_attrs")?;
    Ok(rows(look, |_| true))
}

/// `session_account_connect_attrs`: of the own account's sessions, which an anonymous account has none of.
pub(super) fn of_account(look: &Look<'_>) -> Vec<Row> {
    rows(look, |account| account == look.access.account_name() && !account.user.is_empty())
}

fn rows(look: &Look<'_>, shows: impl Fn(&Name) -> bool) -> Vec<Row> {
    let connections = &look.shared.connections;
    let mut rows = Vec::new();
    for process in connections.processes() {
        let known = connections.get(process.id).and_then(|connection| connection.attributes());
        let Some((_, attributes)) = known.filter(|(account, _)| shows(account)) else { continue };
        let places = 0_u64..;
        rows.extend(
            attributes
                .into_iter()
                .zip(places)
                .map(|((name, value), place)| row![process.id, name, value, place]),
        );
    }
    rows
}
