//! Accounts and what they may do. Whoever may not read `mysql.user` is told of his own account only.

use std::sync::Arc;

use types::error::SqlError;
use types::temporal::Timestamp;
use types::value::Value;

use super::cell::{NULL, Row, row};
use super::columns::yes_no;
use super::look::Look;
use crate::accounts::{Account, Privileges, UserCell};

type Result<T> = std::result::Result<T, SqlError>;

/// The accounts that the session is told of.
fn accounts(look: &Look<'_>) -> Vec<Arc<Account>> {
    let all = look.access.on_table(Privileges::SELECT, "mysql", "user").is_ok();
    let own = look.access.account_name();
    look.access.table().iter().filter(|account| all || account.name == *own).cloned().collect()
}

/// The rows of a set of privileges: its names, or USAGE.
fn privilege_rows(had: Privileges, row: impl Fn(&'static str, &'static str) -> Row) -> Vec<Row> {
    let grantable = yes_no(had.contains(Privileges::GRANT_OPTION));
    let rows: Vec<Row> = had.each().map(|name| row(name, grantable)).collect();
    if rows.is_empty() { vec![row("USAGE", grantable)] } else { rows }
}

/// `USER_PRIVILEGES`
pub(super) fn of_users(look: &Look<'_>) -> Vec<Row> {
    let rows = |account: Arc<Account>| {
        let grantee = account.name.to_string();
        let mut rows =
            privilege_rows(account.global, |name, grantable| row![&grantee, "def", name, grantable]);
        let may_grant = account.dynamic_grantable;
        let grantable = may_grant.each().collect::<Vec<_>>();
        rows.extend(
            account.dynamic.each().map(|name| row![&grantee, "def", name, yes_no(grantable.contains(&name))]),
        );
        rows
    };
    accounts(look).into_iter().flat_map(rows).collect()
}

/// `SCHEMA_PRIVILEGES`
pub(super) fn of_databases(look: &Look<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    for account in accounts(look) {
        let grantee = account.name.to_string();
        for (db, had) in &account.databases {
            rows.extend(privilege_rows(*had, |name, grantable| row![&grantee, "def", db, name, grantable]));
        }
    }
    rows
}

/// `TABLE_PRIVILEGES`
pub(super) fn of_tables(look: &Look<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    for account in accounts(look) {
        let grantee = account.name.to_string();
        for ((db, table), had) in &account.tables {
            let row = |name, grantable| row![&grantee, "def", db, table, name, grantable];
            rows.extend(privilege_rows(*had, row));
        }
    }
    rows
}

/// `USER_ATTRIBUTES`: there are none.
pub(super) fn user_attributes(look: &Look<'_>) -> Vec<Row> {
    accounts(look).iter().map(|account| row![&account.name.user, &account.name.host, NULL]).collect()
}

/// `mysql.user`
pub(super) fn mysql_user(look: &Look<'_>) -> Result<Vec<Row>> {
    let cell = |cell: UserCell| match cell {
        UserCell::Null => NULL,
        UserCell::Text(text) => Value::text(&text),
        UserCell::Number(number) => Value::UInt(number),
        UserCell::Time(seconds) => {
            let moment = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::new(seconds, 0));
            moment.map_or(NULL, |moment| Value::DateTime(look.session.time_zone().to_local(moment, 0)))
        }
    };
    let row = |account: &Arc<Account>| account.user_row().into_iter().map(cell).collect();
    Ok(readable(look)?.iter().map(row).collect())
}

/// The columns of `mysql.db` behind the names, in order.
const OF_DATABASE: [(&str, Privileges); 19] = [
    ("Select_priv", Privileges::SELECT),
    ("Insert_priv", Privileges::INSERT),
    ("Update_priv", Privileges::UPDATE),
    ("Delete_priv", Privileges::DELETE),
    ("Create_priv", Privileges::CREATE),
    ("Drop_priv", Privileges::DROP),
    ("Grant_priv", Privileges::GRANT_OPTION),
    ("References_priv", Privileges::REFERENCES),
    ("Index_priv", Privileges::INDEX),
    ("Alter_priv", Privileges::ALTER),
    ("Create_tmp_table_priv", Privileges::CREATE_TEMPORARY_TABLES),
    ("Lock_tables_priv", Privileges::LOCK_TABLES),
    ("Create_view_priv", Privileges::CREATE_VIEW),
    ("Show_view_priv", Privileges::SHOW_VIEW),
    ("Create_routine_priv", Privileges::CREATE_ROUTINE),
    ("Alter_routine_priv", Privileges::ALTER_ROUTINE),
    ("Execute_priv", Privileges::EXECUTE),
    ("Event_priv", Privileges::EVENT),
    ("Trigger_priv", Privileges::TRIGGER),
];

/// `mysql.db`
pub(super) fn mysql_db(look: &Look<'_>) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for account in readable(look)? {
        for (db, had) in &account.databases {
            let mut row = row![&account.name.host, db, &account.name.user];
            let flag = |(_, privilege): &(&str, Privileges)| {
                Value::text(if had.contains(*privilege) { "Y" } else { "N" })
            };
            row.extend(OF_DATABASE.iter().map(flag));
            rows.push(row);
        }
    }
    Ok(rows)
}

/// `mysql.tables_priv`
pub(super) fn mysql_tables_priv(look: &Look<'_>) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for account in readable(look)? {
        for ((db, table), had) in &account.tables {
            let mut names: Vec<String> = had.each().map(in_set).collect();
            if had.contains(Privileges::GRANT_OPTION) {
                names.push("Grant".to_owned());
            }
            let Account { name, .. } = &*account;
            rows.push(row![&name.host, db, &name.user, table, "", look.local_time(0), names.join(","), ""]);
        }
    }
    Ok(rows)
}

/// A privilege's name as SETs have it: `Create View`.
fn in_set(name: &str) -> String {
    let word = |word: &str| match word.split_at_checked(1) {
        Some((first, rest)) => format!("{first}{}", rest.to_ascii_lowercase()),
        None => String::new(),
    };
    name.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// `mysql.global_grants`
pub(super) fn mysql_global_grants(look: &Look<'_>) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for account in readable(look)? {
        let grantable = account.dynamic_grantable.each().collect::<Vec<_>>();
        let row = |name| {
            let flag = if grantable.contains(&name) { "Y" } else { "N" };
            row![&account.name.user, &account.name.host, name, flag]
        };
        rows.extend(account.dynamic.each().map(row));
    }
    Ok(rows)
}

/// All accounts. Error 1142 for who may not read them.
fn readable(look: &Look<'_>) -> Result<Vec<Arc<Account>>> {
    look.access.on_table(Privileges::SELECT, "mysql", "user")?;
    Ok(look.access.table().iter().cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::info::find;

    #[test]
    fn rows_of_mysql_db_are_in_the_order_of_its_columns() {
        let table = find("mysql", "db").unwrap();
        let names: Vec<&str> = table.def.columns.iter().skip(3).map(|column| &*column.name).collect();
        assert_eq!(names, OF_DATABASE.map(|(name, _)| name));
    }

    #[test]
    fn rows_of_mysql_user_are_in_the_order_of_its_columns() {
        let table = find("mysql", "user").unwrap();
        let names: Vec<&str> = table.def.columns.iter().map(|column| &*column.name).collect();
        assert_eq!(names, crate::accounts::USER_COLUMNS);
    }

    #[test]
    fn sets_spell_privileges_in_title_case() {
        assert_eq!(in_set("CREATE VIEW"), "Create View");
    }
}
