//! What a session may do: the checks that statements make, with MySQL's errors.
//!
//! A session holds the account that it logged in by and looks it up again whenever accounts have changed, so GRANT
//! and REVOKE count from the next statement on. A session whose account was dropped keeps what it had.

use std::sync::Arc;

use parking_lot::Mutex;
use protocol::auth::Verifier;
use types::error::SqlError;
use types::error::table::{
    ER_ACCESS_DENIED_ERROR, ER_DBACCESS_DENIED_ERROR, ER_SPECIFIC_ACCESS_DENIED_ERROR,
    ER_TABLEACCESS_DENIED_ERROR,
};

use super::account::{Account, Name};
use super::host::Peer;
use super::privilege::{Dynamic, Privileges};
use super::{Accounts, Table};

/// See the module.
#[derive(Debug)]
pub struct Access {
    accounts: Arc<Accounts>,
    /// The account's name.
    name: Name,
    /// The name that the client gave.
    user: String,
    /// From where it came.
    peer: Peer,
    /// The account, and the generation of the table that it was found in. Rank: last.
    known: Mutex<(u64, Arc<Account>)>,
}

impl Access {
    /// That of a session of `user` from `peer`, which logged in by `account`.
    pub fn new(accounts: Arc<Accounts>, account: Arc<Account>, user: &str, peer: Peer) -> Self {
        let name = account.name.clone();
        // Generation 0 is before every table: the first check looks the account up.
        Self { accounts, name, user: user.to_owned(), peer, known: Mutex::new((0, account)) }
    }

    /// The account's name: `current_user()`, as `user@host`.
    pub fn account_name(&self) -> &Name {
        &self.name
    }

    /// The name that the client gave.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// From where the client came.
    pub fn peer(&self) -> &Peer {
        &self.peer
    }

    /// The server's accounts as they are now.
    pub fn table(&self) -> Arc<Table> {
        self.accounts.table()
    }

    /// That of the accounts.
    pub fn generation(&self) -> u64 {
        self.accounts.generation()
    }

    /// The account as it is now.
    pub fn account(&self) -> Arc<Account> {
        let table = self.accounts.table.load();
        let mut known = self.known.lock();
        if known.0 != table.generation {
            if let Some(account) = table.get(&self.name) {
                known.1 = Arc::clone(account);
            }
            known.0 = table.generation;
        }
        Arc::clone(&known.1)
    }

    /// Whether it has all of these everywhere.
    pub fn has(&self, wanted: Privileges) -> bool {
        self.account().global.contains(wanted)
    }

    /// Whether it has this dynamic privilege, or SUPER, which stands for most of them.
    pub fn has_dynamic(&self, name: &str) -> bool {
        let account = self.account();
        account.has_dynamic(name) || account.global.contains(Privileges::SUPER) && name != "SYSTEM_USER"
    }

    /// Whether it counts as an administrator: is let in beyond `max_connections`, may write at `read_only`, is spared
    /// `init_connect`.
    pub fn is_admin(&self) -> bool {
        self.has_dynamic("CONNECTION_ADMIN")
    }

    /// Error 1227 unless it has one of the static privileges or the dynamic one. `names` is what the message says, for
    /// example `SUPER or BINLOG_ADMIN`.
    pub fn require(&self, any: Privileges, dynamic: &str, names: &str) -> Result<(), SqlError> {
        let account = self.account();
        let wanted = Dynamic::from_name(dynamic).unwrap_or(Dynamic::NONE);
        let has_dynamic = !wanted.is_empty() && account.dynamic.contains(wanted);
        if account.global.intersects(any) || has_dynamic {
            return Ok(());
        }
        Err(ER_SPECIFIC_ACCESS_DENIED_ERROR.error(&[&names]))
    }

    /// Error 1044 unless it has all of these on the database.
    pub fn database(&self, wanted: Privileges, database: &str) -> Result<(), SqlError> {
        let account = self.account();
        if account.global.union(account.on_database(database)).contains(wanted) {
            return Ok(());
        }
        Err(self.denied_database(database))
    }

    /// GRANT and REVOKE: the same for all databases that a pattern means.
    pub(super) fn databases(&self, wanted: Privileges, pattern: &str) -> Result<(), SqlError> {
        let account = self.account();
        if account.global.union(account.on_databases(pattern)).contains(wanted) {
            return Ok(());
        }
        Err(self.denied_database(pattern))
    }

    /// USE: error 1044 unless it may do anything at all there.
    pub fn use_database(&self, database: &str) -> Result<(), SqlError> {
        // That everybody may read `performance_schema` does not open it, in MySQL neither.
        if is_information_schema(database) || self.may_act_in(database) {
            return Ok(());
        }
        Err(self.denied_database(database))
    }

    /// Whether SHOW DATABASES lists the database: its privilege is for that alone.
    pub fn sees_database(&self, database: &str) -> bool {
        is_everybodys(database) || self.has(Privileges::SHOW_DATABASES) || self.may_act_in(database)
    }

    /// Whether it has any privilege on the database or on a table there.
    fn may_act_in(&self, database: &str) -> bool {
        let account = self.account();
        account.global.intersects(Privileges::ALL_OF_DATABASE)
            || !account.on_database(database).is_empty()
            || account.has_table_in(database)
    }

    /// Error 1142 unless it has all of these on the table.
    pub fn on_table(&self, wanted: Privileges, database: &str, table: &str) -> Result<(), SqlError> {
        if is_everybodys(database) && wanted == Privileges::SELECT {
            return Ok(());
        }
        self.granted_on_table(wanted, database, table)
    }

    /// The same for a table that is not everybody's, though it stands among those that are.
    pub fn granted_on_table(&self, wanted: Privileges, database: &str, table: &str) -> Result<(), SqlError> {
        let account = self.account();
        let mut has = account.global;
        if !has.contains(wanted) {
            has = has.union(account.on_database(database)).union(account.on_table(database, table));
        }
        if has.contains(wanted) {
            return Ok(());
        }
        let missing = wanted.without(has);
        let names = if missing == Privileges::GRANT_OPTION {
            "GRANT".to_owned()
        } else {
            missing.names(Privileges::ALL)
        };
        Err(ER_TABLEACCESS_DENIED_ERROR.error(&[&names, &self.user, &self.peer.host, &table]))
    }

    /// SELECT .. FOR UPDATE: error 1142 unless it may change the table's rows or lock the table.
    pub fn locking(&self, database: &str, table: &str) -> Result<(), SqlError> {
        let any = Privileges::UPDATE.union(Privileges::DELETE).union(Privileges::LOCK_TABLES);
        let account = self.account();
        let has =
            account.global.union(account.on_database(database)).union(account.on_table(database, table));
        if has.intersects(any) {
            return Ok(());
        }
        let what = "SELECT with locking clause";
        Err(ER_TABLEACCESS_DENIED_ERROR.error(&[&what, &self.user, &self.peer.host, &table]))
    }

    /// Whether it has any privilege on the table: SHOW TABLES lists it.
    pub fn sees_table(&self, database: &str, table: &str) -> bool {
        let account = self.account();
        let has =
            account.global.union(account.on_database(database)).union(account.on_table(database, table));
        has.intersects(Privileges::ALL_OF_TABLE) || is_everybodys(database)
    }

    /// Error 1044.
    pub(super) fn denied_database(&self, database: &str) -> SqlError {
        ER_DBACCESS_DENIED_ERROR.error(&[&self.name.user, &self.name.host, &database])
    }

    /// Error 1045, as GRANT and LOAD DATA answer it.
    pub fn denied(&self) -> SqlError {
        let using = if matches!(self.account().verifier, Verifier::Empty(_)) { "NO" } else { "YES" };
        ER_ACCESS_DENIED_ERROR.error(&[&self.name.user, &self.name.host, &using])
    }
}

/// Databases that everybody may read, where each sees what concerns it.
fn is_everybodys(database: &str) -> bool {
    is_information_schema(database) || database.eq_ignore_ascii_case("performance_schema")
}

fn is_information_schema(database: &str) -> bool {
    database.eq_ignore_ascii_case("information_schema")
}
