//! GRANT and REVOKE.

use types::error::SqlError;

use super::Statement;
use super::account::{self, Account};
use super::cursor::Cursor;
use super::error::unsupported;
use super::name::{self, TableName};

/// GRANT of privileges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// What.
    pub privileges: Privileges,
    /// On what.
    pub level: PrivilegeLevel,
    /// To whom.
    pub accounts: Vec<Account>,
    /// WITH GRANT OPTION.
    pub with_grant_option: bool,
}

/// REVOKE of privileges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revoke {
    /// What.
    pub privileges: Privileges,
    /// On what; `None` = ALL PRIVILEGES, GRANT OPTION FROM: everywhere.
    pub level: Option<PrivilegeLevel>,
    /// From whom.
    pub accounts: Vec<Account>,
    /// IF EXISTS.
    pub if_exists: bool,
    /// IGNORE UNKNOWN USER.
    pub ignore_unknown_user: bool,
}

/// Privileges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Privileges {
    /// ALL.
    All,
    /// These, in upper case: SELECT, GRANT OPTION, BINLOG_ADMIN, ..
    These(Vec<Privilege>),
}

/// A privilege.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Privilege {
    /// Its name, in upper case.
    pub name: String,
    /// Of these columns only.
    pub columns: Vec<String>,
}

/// What privileges are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrivilegeLevel {
    /// `*.*`
    Global,
    /// `db.*`; the name may be a pattern.
    Database(String),
    /// `*`: the current database.
    CurrentDatabase,
    /// `db.t`, `t`
    Table(TableName),
}

type Result<T> = std::result::Result<T, SqlError>;

/// Privileges of several words, the longer ones first.
const LONG_NAMES: [&str; 17] = [
    "ALTER ROUTINE",
    "CREATE ROLE",
    "CREATE ROUTINE",
    "CREATE TABLESPACE",
    "CREATE TEMPORARY TABLES",
    "CREATE USER",
    "CREATE VIEW",
    "DROP ROLE",
    "GRANT OPTION",
    "LOCK TABLES",
    "REPLICATION CLIENT",
    "REPLICATION SLAVE",
    "REPLICATION REPLICA",
    "SHOW DATABASES",
    "SHOW VIEW",
    "BINLOG MONITOR",
    "BINLOG ADMIN",
];

/// Privileges that are reserved words.
const RESERVED_NAMES: [&str; 12] = [
    "SELECT",
    "INSERT",
    "UPDATE",
    "DELETE",
    "CREATE",
    "DROP",
    "ALTER",
    "INDEX",
    "REFERENCES",
    "TRIGGER",
    "USAGE",
    "GRANT",
];

/// Behind GRANT.
pub(super) fn grant(cursor: &mut Cursor<'_>) -> Result<Statement> {
    if cursor.is("PROXY ON") {
        return Err(unsupported("GRANT PROXY"));
    }
    let privileges = privileges(cursor)?;
    if cursor.is("TO") {
        return Err(unsupported("roles"));
    }
    cursor.expect("ON")?;
    let level = level(cursor)?;
    cursor.expect("TO")?;
    let accounts = cursor.list(account::account)?;
    let mut with_grant_option = false;
    if cursor.accept("WITH") {
        cursor.expect("GRANT OPTION")?;
        with_grant_option = true;
    }
    if cursor.is("AS") {
        return Err(unsupported("GRANT ... AS"));
    }
    cursor.expect_end()?;
    Ok(Statement::Grant(Grant { privileges, level, accounts, with_grant_option }))
}

/// Behind REVOKE.
pub(super) fn revoke(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let if_exists = cursor.accept("IF EXISTS");
    if cursor.is("PROXY ON") {
        return Err(unsupported("REVOKE PROXY"));
    }
    let privileges = privileges(cursor)?;
    let level = if privileges == Privileges::All && cursor.accept(",") {
        cursor.expect("GRANT OPTION")?;
        None
    } else if cursor.is("FROM") {
        return Err(unsupported("roles"));
    } else {
        cursor.expect("ON")?;
        Some(level(cursor)?)
    };
    cursor.expect("FROM")?;
    let accounts = cursor.list(account::account)?;
    let ignore_unknown_user = cursor.accept("IGNORE UNKNOWN USER");
    cursor.expect_end()?;
    Ok(Statement::Revoke(Revoke { privileges, level, accounts, if_exists, ignore_unknown_user }))
}

fn privileges(cursor: &mut Cursor<'_>) -> Result<Privileges> {
    if cursor.accept("ALL") {
        cursor.accept("PRIVILEGES");
        return Ok(Privileges::All);
    }
    cursor.list(privilege).map(Privileges::These)
}

fn privilege(cursor: &mut Cursor<'_>) -> Result<Privilege> {
    let known = cursor.accept_any(&LONG_NAMES).or_else(|| cursor.accept_any(&RESERVED_NAMES));
    let name = match known {
        Some("REPLICATION REPLICA") => "REPLICATION SLAVE".to_owned(),
        Some(name) => name.to_owned(),
        None if cursor.is("REPLICATION") => {
            cursor.advance();
            return Err(cursor.error());
        }
        None => cursor.name_or_text()?.to_ascii_uppercase(),
    };
    let columns = if cursor.accept("(") {
        let columns = cursor.list(Cursor::name)?;
        cursor.expect(")")?;
        columns
    } else {
        Vec::new()
    };
    Ok(Privilege { name, columns })
}

fn level(cursor: &mut Cursor<'_>) -> Result<PrivilegeLevel> {
    if cursor.is("PROCEDURE") || cursor.is("FUNCTION") {
        return Err(unsupported("privileges on routines"));
    }
    if cursor.is("TABLE") {
        cursor.advance();
    }
    if cursor.accept("* . *") {
        return Ok(PrivilegeLevel::Global);
    }
    if cursor.accept("*") {
        return Ok(PrivilegeLevel::CurrentDatabase);
    }
    let start = cursor.position();
    let db = cursor.name()?;
    if cursor.accept(". *") {
        return Ok(PrivilegeLevel::Database(db));
    }
    cursor.set_position(start);
    name::table(cursor).map(PrivilegeLevel::Table)
}
