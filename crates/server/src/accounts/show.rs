//! SHOW GRANTS, SHOW CREATE USER, and the rows of `mysql.user`, as MySQL 8.0 prints them.

use std::fmt;

use types::error::SqlError;
use types::error::table::ER_NONEXISTING_GRANT;

use super::Table;
use super::account::{Account, Name};
use super::plan::failed;
use super::privilege::Privileges;
use super::statement::{Level, Missing, Statement, What};

impl Table {
    /// The rows of SHOW GRANTS FOR an account. Error 1141 if there is none of this name.
    pub fn show_grants(&self, name: &Name) -> Result<Vec<String>, SqlError> {
        let account = self.get(name).ok_or_else(|| ER_NONEXISTING_GRANT.error(&[&name.user, &name.host]))?;
        let who = format!("{}@{}", quoted(&name.user), quoted(&name.host));
        let line = |what: &str, place: &str, grantable: bool| {
            let option = if grantable { " WITH GRANT OPTION" } else { "" };
            format!("GRANT {what} ON {place} TO {who}{option}")
        };
        let option = |had: Privileges| had.contains(Privileges::GRANT_OPTION);
        let mut rows = vec![line(&account.global.names(Privileges::ALL), "*.*", option(account.global))];
        let fixed = account.dynamic.without(account.dynamic_grantable);
        for (dynamic, grantable) in [(fixed, false), (account.dynamic_grantable, true)] {
            if !dynamic.is_empty() {
                rows.push(line(&dynamic.names(), "*.*", grantable));
            }
        }
        for (database, had) in &account.databases {
            let place = format!("{}.*", quoted(database));
            rows.push(line(&had.names(Privileges::ALL_OF_DATABASE), &place, option(*had)));
        }
        for ((database, table), had) in &account.tables {
            let place = format!("{}.{}", quoted(database), quoted(table));
            rows.push(line(&had.names(Privileges::ALL_OF_TABLE), &place, option(*had)));
        }
        Ok(rows)
    }

    /// SHOW CREATE USER. Error 1396 if there is none of this name.
    pub fn show_create_user(&self, name: &Name, secret: Shown) -> Result<String, SqlError> {
        let account = self.get(name).ok_or_else(|| failed("SHOW CREATE USER", &[name]))?;
        Ok(format!(
            "CREATE USER {} REQUIRE {} PASSWORD EXPIRE DEFAULT ACCOUNT {} PASSWORD HISTORY DEFAULT PASSWORD REUSE \
             INTERVAL DEFAULT PASSWORD REQUIRE CURRENT DEFAULT",
            account.identified(secret),
            if account.requires_tls { "SSL" } else { "NONE" },
            if account.is_locked { "LOCK" } else { "UNLOCK" },
        ))
    }
}

/// How the hash of a password is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// As it is.
    Text,
    /// `print_identified_with_as_hex`
    Hex,
    /// Not at all: to somebody who may not read accounts.
    Hidden,
}

impl Statement {
    /// As it goes to the binary log: whoever applies it has another current user, and another database. `None` for what is said with
    /// a secret.
    pub fn text_to_log(&self) -> Option<String> {
        let names = |users: &[Name]| users.iter().map(account_text).collect::<Vec<_>>().join(",");
        Some(match self {
            Self::Create { .. } | Self::Alter { .. } | Self::SetPassword(..) => return None,
            Self::Drop { if_exists, users } => {
                format!("DROP USER {}{}", if *if_exists { "IF EXISTS " } else { "" }, names(users))
            }
            Self::Rename(pairs) => {
                let pair =
                    |(old, new): &(Name, Name)| format!("{} TO {}", account_text(old), account_text(new));
                format!("RENAME USER {}", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
            }
            Self::Grant { what, level, users, with_grant_option } => {
                let option = if *with_grant_option { " WITH GRANT OPTION" } else { "" };
                format!("GRANT {what} ON {level} TO {}{option}", names(users))
            }
            Self::Revoke { what, level, users, missing } => {
                format!(
                    "REVOKE {}{what} ON {level} FROM {}{}",
                    missing.before(),
                    names(users),
                    missing.behind()
                )
            }
            Self::RevokeAll(users, missing) => format!(
                "REVOKE {}ALL PRIVILEGES, GRANT OPTION FROM {}{}",
                missing.before(),
                names(users),
                missing.behind()
            ),
        })
    }
}

impl Missing {
    fn before(self) -> &'static str {
        if self.if_exists { "IF EXISTS " } else { "" }
    }

    fn behind(self) -> &'static str {
        if self.ignore_unknown_user { " IGNORE UNKNOWN USER" } else { "" }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("ALL PRIVILEGES"),
            Self::These(names) => f.write_str(&names.join(", ")),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server => f.write_str("*.*"),
            Self::Database(database) => write!(f, "{}.*", quoted(database)),
            Self::Table(database, table) => write!(f, "{}.{}", quoted(database), quoted(table)),
        }
    }
}

/// As names: texts read otherwise with NO_BACKSLASH_ESCAPES.
fn account_text(name: &Name) -> String {
    format!("{}@{}", quoted(&name.user), quoted(&name.host))
}

impl Account {
    /// Who it is and how it proves that, as CREATE USER and ALTER USER say it.
    pub fn identified(&self, shown: Shown) -> String {
        let secret = self.verifier.authentication_string();
        let secret = match (&*secret, shown) {
            ("", _) => String::new(),
            (_, Shown::Hidden) => " AS <secret>".to_owned(),
            (secret, Shown::Hex) => {
                secret.bytes().fold(" AS 0x".to_owned(), |digits, byte| digits + &format!("{byte:02X}"))
            }
            (secret, Shown::Text) => format!(" AS {}", text_literal(secret)),
        };
        format!("{} IDENTIFIED WITH '{}'{secret}", self.quoted_name(), self.verifier.plugin().name())
    }

    /// Its name in a statement.
    pub fn quoted_name(&self) -> String {
        format!("{}@{}", quoted(&self.name.user), quoted(&self.name.host))
    }
}

/// A value of `mysql.user`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserCell {
    /// NULL
    Null,
    /// A text, an ENUM or a BLOB.
    Text(String),
    /// A number.
    Number(u64),
    /// A TIMESTAMP, seconds since 1970.
    Time(u64),
}

/// The columns of `mysql.user`, in order.
pub const USER_COLUMNS: &[&str] = &[
    "Host",
    "User",
    "Select_priv",
    "Insert_priv",
    "Update_priv",
    "Delete_priv",
    "Create_priv",
    "Drop_priv",
    "Reload_priv",
    "Shutdown_priv",
    "Process_priv",
    "File_priv",
    "Grant_priv",
    "References_priv",
    "Index_priv",
    "Alter_priv",
    "Show_db_priv",
    "Super_priv",
    "Create_tmp_table_priv",
    "Lock_tables_priv",
    "Execute_priv",
    "Repl_slave_priv",
    "Repl_client_priv",
    "Create_view_priv",
    "Show_view_priv",
    "Create_routine_priv",
    "Alter_routine_priv",
    "Create_user_priv",
    "Event_priv",
    "Trigger_priv",
    "Create_tablespace_priv",
    "ssl_type",
    "ssl_cipher",
    "x509_issuer",
    "x509_subject",
    "max_questions",
    "max_updates",
    "max_connections",
    "max_user_connections",
    "plugin",
    "authentication_string",
    "password_expired",
    "password_last_changed",
    "password_lifetime",
    "account_locked",
    "Create_role_priv",
    "Drop_role_priv",
    "Password_reuse_history",
    "Password_reuse_time",
    "Password_require_current",
    "User_attributes",
];

impl Account {
    /// Its row in `mysql.user`, in the order of [`USER_COLUMNS`].
    pub fn user_row(&self) -> Vec<UserCell> {
        USER_COLUMNS.iter().map(|column| self.user_cell(column)).collect()
    }

    fn user_cell(&self, column: &str) -> UserCell {
        let text = |text: &str| UserCell::Text(text.to_owned());
        let flag = |yes: bool| text(if yes { "Y" } else { "N" });
        if let Some((_, has)) = self.global.columns().find(|(known, _)| *known == column) {
            return flag(has);
        }
        match column {
            "Host" => text(&self.name.host),
            "User" => text(&self.name.user),
            "Grant_priv" => flag(self.global.contains(Privileges::GRANT_OPTION)),
            "plugin" => text(self.verifier.plugin().name()),
            "authentication_string" => text(&self.verifier.authentication_string()),
            "password_expired" => flag(false),
            "password_last_changed" => UserCell::Time(self.password_changed_s),
            "account_locked" => flag(self.is_locked),
            "ssl_type" => text(if self.requires_tls { "ANY" } else { "" }),
            "ssl_cipher" | "x509_issuer" | "x509_subject" => text(""),
            "max_questions" | "max_updates" | "max_connections" | "max_user_connections" => {
                UserCell::Number(0)
            }
            _ => UserCell::Null,
        }
    }
}

fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// A text in quotes, with MySQL's escapes for what would end or hide it.
fn text_literal(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        match c {
            '\0' => out.push_str("\\0"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\u{1a}' => out.push_str("\\Z"),
            '\'' => out.push_str("\\'"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}
