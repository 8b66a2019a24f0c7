//! Views, as SHOW CREATE VIEW and `VIEWS` show them.

use std::sync::Arc;

use engine::catalog::def::TableDef;
use engine::catalog::table::Table;
use sql::ddl::show_create_view;
use types::error::SqlError;
use types::error::table::ER_WRONG_OBJECT;

use super::cell::{Row, row};
use super::look::{AnyTable, Look};
use super::show::{Shown, quoting};
use crate::accounts::Privileges;

/// SHOW CREATE VIEW. Errors 1142 and 1347.
pub(super) fn show_create(look: &Look<'_>, table: &Arc<Table>) -> Result<Shown, SqlError> {
    let def = &table.def;
    let Some(view) = &def.view else { return Err(no_view(def)) };
    look.access.on_table(Privileges::SELECT.union(Privileges::SHOW_VIEW), &def.db, &def.name)?;
    let text = show_create_view(def, look.session.db.as_deref(), quoting(look));
    let row = row![&def.name, text, view.client.charset().name(), view.connection.name()];
    Ok(Shown::new("create_view", vec![row]))
}

/// Error 1347.
pub(super) fn no_view(def: &TableDef) -> SqlError {
    ER_WRONG_OBJECT.error(&[&def.db, &def.name, &"VIEW"])
}

/// `VIEWS`. The definition is for its definer, and those who may ask for it.
pub(super) fn rows(look: &Look<'_>) -> Vec<Row> {
    let row = |table: AnyTable| {
        let def = table.def();
        let view = def.view.as_deref()?;
        let own = look.access.account_name();
        let is_own = (&own.user, &own.host) == (&view.definer.0, &view.definer.1);
        let may_show = is_own || look.access.on_table(Privileges::SHOW_VIEW, &def.db, &def.name).is_ok();
        Some(row![
            "def",
            &def.db,
            &def.name,
            if may_show { &*view.query } else { "" },
            view.check_option.as_str(),
            "NO",
            format!("{}@{}", view.definer.0, view.definer.1),
            if view.invoker { "INVOKER" } else { "DEFINER" },
            view.client.charset().name(),
            view.connection.name(),
        ])
    };
    look.tables().filter_map(row).collect()
}
