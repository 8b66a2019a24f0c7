//! Status variables of a QUERY event: the session's settings that the statement depends on.
//!
//! Each variable is a code and a value whose length follows from the code, so a reader that meets a code that it
//! does not know cannot skip it and ignores the rest. That is why they are written in the order in which MySQL
//! introduced them (6 replaced 2): MariaDB knows the codes up to 11 and stops at 12, so nothing that it needs may
//! stand behind.
//!
//! | code | size | value |
//! | --- | --- | --- |
//! | 0 | 4 | flags2: [`flags2`] |
//! | 1 | 8 | sql_mode |
//! | 6 | 1 + n | catalog, always `std` |
//! | 3 | 2 + 2 | auto_increment_increment, auto_increment_offset; if not 1, 1 |
//! | 4 | 2 + 2 + 2 | character_set_client, collation_connection, collation_server |
//! | 5 | 1 + n | time_zone; if the statement used it |
//! | 7 | 2 | lc_time_names; if not 0 |
//! | 8 | 2 | collation_database; if it is not the database's own |
//! | 9 | 8 | tables that an UPDATE changes, a bit each |
//! | 11 | 1 + n + 1 + m | invoker's user and host |
//! | 12 | 1 + (n + 1)... | databases that DDL touches: their count and their names, each with a zero behind it |
//! | 13 | 3 | microseconds of the timestamp; if the statement used them |
//! | 16 | 1 | explicit_defaults_for_timestamp |
//! | 17 | 8 | XID of DDL |
//! | 18 | 2 | default_collation_for_utf8mb4 |
//! | 19 | 1 | sql_require_primary_key |
//! | 20 | 1 | default_table_encryption |
//! | 128 | 3 | MariaDB's 13; only read |
//! | 129 | 8 | MariaDB's XID of DDL; passed over |

use super::put::{Put, put_short};

/// The codes. Part of the format: never renumbered.
pub(crate) mod code {
    pub const FLAGS2: u8 = 0;
    pub const SQL_MODE: u8 = 1;
    pub const AUTO_INCREMENT: u8 = 3;
    pub const CHARSET: u8 = 4;
    pub const TIME_ZONE: u8 = 5;
    pub const CATALOG: u8 = 6;
    pub const LC_TIME_NAMES: u8 = 7;
    pub const CHARSET_DATABASE: u8 = 8;
    pub const TABLE_MAP_FOR_UPDATE: u8 = 9;
    pub const INVOKER: u8 = 11;
    pub const UPDATED_DBS: u8 = 12;
    pub const MICROSECONDS: u8 = 13;
    pub const EXPLICIT_DEFAULTS_FOR_TIMESTAMP: u8 = 16;
    pub const DDL_XID: u8 = 17;
    pub const DEFAULT_COLLATION_FOR_UTF8MB4: u8 = 18;
    pub const SQL_REQUIRE_PRIMARY_KEY: u8 = 19;
    pub const DEFAULT_TABLE_ENCRYPTION: u8 = 20;
    pub const MARIADB_MICROSECONDS: u8 = 128;
    pub const MARIADB_XID: u8 = 129;
}

/// Bits of [`StatusVars::flags2`].
pub mod flags2 {
    /// `sql_auto_is_null=1`.
    pub const AUTO_IS_NULL: u32 = 0x0000_4000;
    /// `autocommit=0`.
    pub const NOT_AUTOCOMMIT: u32 = 0x0008_0000;
    /// `foreign_key_checks=0`.
    pub const NO_FOREIGN_KEY_CHECKS: u32 = 0x0400_0000;
    /// `unique_checks=0`.
    pub const RELAXED_UNIQUE_CHECKS: u32 = 0x0800_0000;
}

/// The most databases that are named; beyond, only the mark [`DBS_MANY`] is written.
pub(crate) const DBS_MAX: usize = 16;
/// Stands for the count when there are too many databases: replicas then apply the statement alone.
pub(crate) const DBS_MANY: u8 = 254;

/// `auto_increment_increment` and `auto_increment_offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AutoIncrement {
    /// Step between generated values.
    pub increment: u16,
    /// First generated value.
    pub offset: u16,
}

/// Collation numbers of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charset {
    /// Default collation of `character_set_client`.
    pub client: u16,
    /// `collation_connection`.
    pub connection: u16,
    /// `collation_server`.
    pub server: u16,
}

/// The account for a statement whose definer is not written in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invoker<'a> {
    /// User name.
    pub user: &'a [u8],
    /// Host name.
    pub host: &'a [u8],
}

/// The variables of one event; what is `None` is not written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusVars<'a> {
    /// A union of [`flags2`] values.
    pub flags2: Option<u32>,
    /// MySQL's bits of `sql_mode`.
    pub sql_mode: Option<u64>,
    /// Always `std`.
    pub catalog: Option<&'a [u8]>,
    /// Written if it is not 1, 1.
    pub auto_increment: Option<AutoIncrement>,
    /// The session's collations.
    pub charset: Option<Charset>,
    /// Written if the statement used the time zone.
    pub time_zone: Option<&'a [u8]>,
    /// Number of the locale; written if it is not 0 (`en_US`).
    pub lc_time_names: Option<u16>,
    /// Written if the session changed `collation_database`.
    pub charset_database: Option<u16>,
    /// A bit for each table of a multi-table UPDATE; MySQL writes it in the BEGIN of every UPDATE.
    pub table_map_for_update: Option<u64>,
    /// Written for definers.
    pub invoker: Option<Invoker<'a>>,
    /// Databases that DDL touches; beyond 16 names only their being many is written. Empty: not written.
    pub updated_dbs: Vec<&'a [u8]>,
    /// Below 1,000,000; written if the statement used fractions of a second.
    pub microseconds: Option<u32>,
    /// Written for CREATE TABLE and ALTER TABLE.
    pub explicit_defaults_for_timestamp: Option<bool>,
    /// XID of a DDL statement that is atomic.
    pub ddl_xid: Option<u64>,
    /// `default_collation_for_utf8mb4`: 255, or 45 for peers that do not know utf8mb4_0900_ai_ci.
    pub default_collation_for_utf8mb4: Option<u16>,
    /// Written for CREATE TABLE and ALTER TABLE.
    pub sql_require_primary_key: Option<bool>,
    /// Written for CREATE DATABASE and the like.
    pub default_table_encryption: Option<bool>,
}

impl StatusVars<'_> {
    /// Puts the variables in MySQL's order.
    pub(crate) fn put(&self, out: &mut impl Put) {
        if let Some(bits) = self.flags2 {
            put_fixed(out, code::FLAGS2, &bits.to_le_bytes());
        }
        if let Some(bits) = self.sql_mode {
            put_fixed(out, code::SQL_MODE, &bits.to_le_bytes());
        }
        if let Some(name) = self.catalog {
            put_name(out, code::CATALOG, name);
        }
        if let Some(AutoIncrement { increment, offset }) = self.auto_increment {
            put_fixed(out, code::AUTO_INCREMENT, &increment.to_le_bytes());
            out.put(&offset.to_le_bytes());
        }
        if let Some(Charset { client, connection, server }) = self.charset {
            put_fixed(out, code::CHARSET, &client.to_le_bytes());
            out.put(&connection.to_le_bytes());
            out.put(&server.to_le_bytes());
        }
        if let Some(name) = self.time_zone {
            put_name(out, code::TIME_ZONE, name);
        }
        if let Some(number) = self.lc_time_names {
            put_fixed(out, code::LC_TIME_NAMES, &number.to_le_bytes());
        }
        if let Some(number) = self.charset_database {
            put_fixed(out, code::CHARSET_DATABASE, &number.to_le_bytes());
        }
        if let Some(tables) = self.table_map_for_update {
            put_fixed(out, code::TABLE_MAP_FOR_UPDATE, &tables.to_le_bytes());
        }
        if let Some(Invoker { user, host }) = self.invoker {
            put_name(out, code::INVOKER, user);
            put_short(out, host);
        }
        self.put_updated_dbs(out);
        self.put_newer(out);
    }

    fn put_updated_dbs(&self, out: &mut impl Put) {
        match self.updated_dbs.len() {
            0 => {}
            count @ 1..=DBS_MAX => {
                put_fixed(out, code::UPDATED_DBS, &count.to_le_bytes()[..1]);
                for name in &self.updated_dbs {
                    out.put(name);
                    out.put(&[0]);
                }
            }
            _ => put_fixed(out, code::UPDATED_DBS, &[DBS_MANY]),
        }
    }

    /// The variables from 13 on, which MariaDB never reads.
    fn put_newer(&self, out: &mut impl Put) {
        if let Some(fraction) = self.microseconds {
            put_fixed(out, code::MICROSECONDS, &fraction.to_le_bytes()[..3]);
        }
        if let Some(on) = self.explicit_defaults_for_timestamp {
            put_fixed(out, code::EXPLICIT_DEFAULTS_FOR_TIMESTAMP, &[u8::from(on)]);
        }
        if let Some(xid) = self.ddl_xid {
            put_fixed(out, code::DDL_XID, &xid.to_le_bytes());
        }
        if let Some(number) = self.default_collation_for_utf8mb4 {
            put_fixed(out, code::DEFAULT_COLLATION_FOR_UTF8MB4, &number.to_le_bytes());
        }
        if let Some(on) = self.sql_require_primary_key {
            put_fixed(out, code::SQL_REQUIRE_PRIMARY_KEY, &[u8::from(on)]);
        }
        if let Some(on) = self.default_table_encryption {
            put_fixed(out, code::DEFAULT_TABLE_ENCRYPTION, &[u8::from(on)]);
        }
    }
}

fn put_fixed(out: &mut impl Put, code: u8, value: &[u8]) {
    out.put(&[code]);
    out.put(value);
}

fn put_name(out: &mut impl Put, code: u8, name: &[u8]) {
    out.put(&[code]);
    put_short(out, name);
}
