//! Privileges, by the names that GRANT takes.
//!
//! Static ones exist for the whole server, a database or a table; dynamic ones for the whole server only. Source:
//! MySQL 8.0 Reference Manual, "Privileges Provided by MySQL"; the order is that in which SHOW GRANTS prints them.

use std::fmt::Write as _;

/// A set of static privileges. Bits are stored: a privilege keeps its place for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Privileges(u64);

/// A static privilege.
struct Known {
    name: &'static str,
    /// Its column in `mysql.user`.
    column: &'static str,
    scope: Scope,
}

/// The smallest thing that a privilege can be granted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Scope {
    Server,
    Database,
    Table,
}

macro_rules! privileges {
    ($($constant:ident = $bit:literal, $name:literal, $column:literal, $scope:ident;)*) => {
        impl Privileges {
            $(#[doc = concat!("`", $name, "`")] pub const $constant: Self = Self(1 << $bit);)*
        }

        const KNOWN: &[Known] = &[$(Known { name: $name, column: $column, scope: Scope::$scope }),*];
    };
}

privileges! {
    SELECT = 0, "SELECT", "Select_priv", Table;
    INSERT = 1, "INSERT", "Insert_priv", Table;
    UPDATE = 2, "UPDATE", "Update_priv", Table;
    DELETE = 3, "DELETE", "Delete_priv", Table;
    CREATE = 4, "CREATE", "Create_priv", Table;
    DROP = 5, "DROP", "Drop_priv", Table;
    RELOAD = 6, "RELOAD", "Reload_priv", Server;
    SHUTDOWN = 7, "SHUTDOWN", "Shutdown_priv", Server;
    PROCESS = 8, "PROCESS", "Process_priv", Server;
    FILE = 9, "FILE", "File_priv", Server;
    REFERENCES = 10, "REFERENCES", "References_priv", Table;
    INDEX = 11, "INDEX", "Index_priv", Table;
    ALTER = 12, "ALTER", "Alter_priv", Table;
    SHOW_DATABASES = 13, "SHOW DATABASES", "Show_db_priv", Server;
    SUPER = 14, "SUPER", "Super_priv", Server;
    CREATE_TEMPORARY_TABLES = 15, "CREATE TEMPORARY TABLES", "Create_tmp_table_priv", Database;
    LOCK_TABLES = 16, "LOCK TABLES", "Lock_tables_priv", Database;
    EXECUTE = 17, "EXECUTE", "Execute_priv", Database;
    REPLICATION_SLAVE = 18, "REPLICATION SLAVE", "Repl_slave_priv", Server;
    REPLICATION_CLIENT = 19, "REPLICATION CLIENT", "Repl_client_priv", Server;
    CREATE_VIEW = 20, "CREATE VIEW", "Create_view_priv", Table;
    SHOW_VIEW = 21, "SHOW VIEW", "Show_view_priv", Table;
    CREATE_ROUTINE = 22, "CREATE ROUTINE", "Create_routine_priv", Database;
    ALTER_ROUTINE = 23, "ALTER ROUTINE", "Alter_routine_priv", Database;
    CREATE_USER = 24, "CREATE USER", "Create_user_priv", Server;
    EVENT = 25, "EVENT", "Event_priv", Database;
    TRIGGER = 26, "TRIGGER", "Trigger_priv", Table;
    CREATE_TABLESPACE = 27, "CREATE TABLESPACE", "Create_tablespace_priv", Server;
    CREATE_ROLE = 28, "CREATE ROLE", "Create_role_priv", Server;
    DROP_ROLE = 29, "DROP ROLE", "Drop_role_priv", Server;
}

impl Privileges {
    /// None.
    pub const NONE: Self = Self(0);
    /// `GRANT OPTION`: may give to others what it has.
    pub const GRANT_OPTION: Self = Self(1 << 30);
    /// Everything that can be granted on the server, but GRANT OPTION.
    pub const ALL: Self = Self((1 << 30) - 1);
    /// Everything that can be granted on a database, but GRANT OPTION.
    pub const ALL_OF_DATABASE: Self = Self::down_to(Scope::Database);
    /// Everything that can be granted on a table, but GRANT OPTION.
    pub const ALL_OF_TABLE: Self = Self::down_to(Scope::Table);

    const fn down_to(scope: Scope) -> Self {
        let mut bits = 0;
        let mut bit = 0;
        while bit < KNOWN.len() {
            if KNOWN[bit].scope as u8 >= scope as u8 {
                bits |= 1 << bit;
            }
            bit += 1;
        }
        Self(bits)
    }

    /// The set with these bits, as stored.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The bits, for storing.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The privilege of a name in upper case.
    pub fn from_name(name: &str) -> Option<Self> {
        if name == "GRANT OPTION" {
            return Some(Self::GRANT_OPTION);
        }
        KNOWN.iter().position(|known| known.name == name).map(|bit| Self(1 << bit))
    }

    /// Whether all of `other` are in the set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any of `other` is in the set.
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those of both.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those that `other` does not have.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Names between commas, without GRANT OPTION; what SHOW GRANTS prints for fewer than all of `all`.
    pub fn names(self, all: Self) -> String {
        let granted = self.without(Self::GRANT_OPTION);
        if granted.is_empty() {
            return "USAGE".to_owned();
        }
        // The server's privileges are always spelled out, as in MySQL 8.
        if granted == all && all != Self::ALL {
            return "ALL PRIVILEGES".to_owned();
        }
        let mut out = String::new();
        for (bit, known) in KNOWN.iter().enumerate() {
            if granted.0 >> bit & 1 == 1 {
                let separator = if out.is_empty() { "" } else { ", " };
                // Writing into a String cannot fail.
                let _ = write!(out, "{separator}{}", known.name);
            }
        }
        out
    }

    /// The names of those in the set, one by one, without GRANT OPTION.
    pub fn each(self) -> impl Iterator<Item = &'static str> {
        KNOWN.iter().enumerate().filter(move |(bit, _)| self.0 >> bit & 1 == 1).map(|(_, known)| known.name)
    }

    /// The columns of `mysql.user` and whether the set has each of them.
    pub fn columns(self) -> impl Iterator<Item = (&'static str, bool)> {
        KNOWN.iter().enumerate().map(move |(bit, known)| (known.column, self.0 >> bit & 1 == 1))
    }
}

/// A set of dynamic privileges. Bits are stored, as those of [`Privileges`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dynamic(u64);

/// Names of dynamic privileges, by bit. New ones go to the end.
const DYNAMIC: &[&str] = &[
    "APPLICATION_PASSWORD_ADMIN",
    "AUDIT_ABORT_EXEMPT",
    "AUDIT_ADMIN",
    "AUTHENTICATION_POLICY_ADMIN",
    "BACKUP_ADMIN",
    "BINLOG_ADMIN",
    "BINLOG_ENCRYPTION_ADMIN",
    "CLONE_ADMIN",
    "CONNECTION_ADMIN",
    "ENCRYPTION_KEY_ADMIN",
    "FIREWALL_EXEMPT",
    "FLUSH_OPTIMIZER_COSTS",
    "FLUSH_STATUS",
    "FLUSH_TABLES",
    "FLUSH_USER_RESOURCES",
    "GROUP_REPLICATION_ADMIN",
    "GROUP_REPLICATION_STREAM",
    "INNODB_REDO_LOG_ARCHIVE",
    "INNODB_REDO_LOG_ENABLE",
    "PASSWORDLESS_USER_ADMIN",
    "PERSIST_RO_VARIABLES_ADMIN",
    "REPLICATION_APPLIER",
    "REPLICATION_SLAVE_ADMIN",
    "RESOURCE_GROUP_ADMIN",
    "RESOURCE_GROUP_USER",
    "ROLE_ADMIN",
    "SENSITIVE_VARIABLES_OBSERVER",
    "SERVICE_CONNECTION_ADMIN",
    "SESSION_VARIABLES_ADMIN",
    "SET_USER_ID",
    "SHOW_ROUTINE",
    "SYSTEM_USER",
    "SYSTEM_VARIABLES_ADMIN",
    "TABLE_ENCRYPTION_ADMIN",
    "TELEMETRY_LOG_ADMIN",
    "XA_RECOVER_ADMIN",
];

impl Dynamic {
    /// None.
    pub const NONE: Self = Self(0);
    /// All of them.
    pub const ALL: Self = Self((1 << DYNAMIC.len()) - 1);

    /// The set with these bits, as stored.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The bits, for storing.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The privilege of a name in upper case.
    pub fn from_name(name: &str) -> Option<Self> {
        DYNAMIC.iter().position(|known| *known == name).map(|bit| Self(1 << bit))
    }

    /// Whether all of `other` are in the set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those of both.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those that `other` does not have.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The names of those in the set, one by one.
    pub fn each(self) -> impl Iterator<Item = &'static str> {
        DYNAMIC.iter().enumerate().filter(move |(bit, _)| self.0 >> bit & 1 == 1).map(|(_, name)| *name)
    }

    /// Names between commas, in alphabetical order, as SHOW GRANTS prints them.
    pub fn names(self) -> String {
        let mut names: Vec<_> = self.each().collect();
        names.sort_unstable();
        names.join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_bits_belong_together() {
        for (bit, known) in KNOWN.iter().enumerate() {
            assert_eq!(Privileges::from_name(known.name), Some(Privileges(1 << bit)));
        }
        assert_eq!(KNOWN.len(), 30);
        assert_eq!(Privileges::DROP_ROLE.names(Privileges::ALL), "DROP ROLE");
        assert_eq!(Privileges::NONE.names(Privileges::ALL), "USAGE");
        assert_eq!(Privileges::ALL_OF_TABLE.names(Privileges::ALL_OF_TABLE), "ALL PRIVILEGES");
        assert!(Privileges::ALL_OF_DATABASE.contains(Privileges::ALL_OF_TABLE));
        assert_eq!(Privileges::ALL_OF_DATABASE.bits().count_ones(), 18);
        assert_eq!(Privileges::ALL_OF_TABLE.bits().count_ones(), 12);
        assert_eq!(Dynamic::from_name("BINLOG_ADMIN").unwrap().names(), "BINLOG_ADMIN");
        assert_eq!(Dynamic::ALL.names().split(',').count(), DYNAMIC.len());
    }
}
