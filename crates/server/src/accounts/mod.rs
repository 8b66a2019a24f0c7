//! Accounts: who may log in from where, and what it may do.
//!
//! Accounts are rows of the catalog ([`codec`]), changed by transactions like all DDL. In memory there is one
//! immutable [`Table`] that logins and checks share.
//!
//! ```text
//! CREATE USER, GRANT, ... ── Table::plan ──> Plan: rows to write ── the session commits them ──> Accounts::adopt
//! ```
//! A plan changes nothing; whoever executes DDL holds the lock of accounts from the plan to the adoption.
//!
//! What it is not: there are no roles, no grants on columns or routines, no expiry of passwords, no limits of
//! resources, no proxies.

mod access;
mod account;
pub mod codec;
mod digests;
mod grant;
mod host;
mod plan;
mod privilege;
mod show;
mod statement;
mod table;
mod user;

use std::sync::Arc;

use arc_swap::ArcSwap;
use engine::catalog::Catalog;
use protocol::auth::{Decoys, FastDigest, Plugin, ROUNDS_DEFAULT, Verifier};

pub use access::Access;
pub use account::{Account, Name};
use digests::Digests;
pub use host::Peer;
pub use plan::{Change, Plan};
pub use privilege::{Dynamic, Privileges};
pub use show::{Shown, USER_COLUMNS, UserCell};
pub use statement::{Attributes, Circumstances, Credential, Level, Missing, Secret, Statement, What};
pub use table::Table;
pub(crate) use user::USER_SIZE_MAX;

/// The server's accounts.
#[derive(Debug)]
pub struct Accounts {
    table: ArcSwap<Table>,
    digests: Digests,
    /// What unknown users are answered with. The share of native accounts follows the table.
    secret: [u8; 32],
}

/// A stored account that does not decode.
#[derive(Debug, thiserror::Error)]
#[error("the catalog's row of account {0:?} does not decode")]
pub struct CorruptAccount(String);

impl Accounts {
    /// The accounts of a catalog. `secret` is 32 random bytes that no client knows, the same in every run.
    pub fn load(catalog: &Catalog, secret: [u8; 32]) -> Result<Self, CorruptAccount> {
        let accounts = catalog.accounts().map(|(key, bytes)| {
            codec::decode(key, bytes).ok_or_else(|| CorruptAccount(key.replace('\0', "@")))
        });
        let table = Table::new(accounts.collect::<Result<_, _>>()?, 1);
        Ok(Self { table: ArcSwap::from_pointee(table), digests: Digests::default(), secret })
    }

    /// Grows whenever privileges may have changed: what was permitted at one generation need not be asked again.
    pub fn generation(&self) -> u64 {
        self.table.load().generation
    }

    /// The accounts as they are now.
    pub fn table(&self) -> Arc<Table> {
        self.table.load_full()
    }

    /// Publishes what a committed plan changed. The caller still holds the lock under which it was made.
    pub fn adopt(&self, plan: Plan) {
        let table = self.table().with(&plan.changes);
        self.digests.forget_all_but(|name| table.get(name).map(|account| account.verifier.clone()));
        for (account, digest) in plan.digests {
            self.digests.remember(&account, digest);
        }
        self.table.store(Arc::new(table));
    }

    /// What a login is checked against: the account, and what is remembered of its password.
    pub fn login(&self, user: &[u8], peer: &Peer) -> Option<(Arc<Account>, protocol::auth::Account)> {
        let account = self.table.load().find(std::str::from_utf8(user).ok()?, peer)?;
        let cached = self.digests.get(&account);
        let verifier = account.verifier.clone();
        Some((account, protocol::auth::Account { verifier, cached }))
    }

    /// Remembers the digest of a password that was shown and was right.
    pub fn remember(&self, account: &Account, digest: FastDigest) {
        self.digests.remember(account, digest);
    }

    /// What unknown users are answered with.
    pub fn decoys(&self) -> Decoys {
        let table = self.table.load();
        Decoys::new(self.secret, table.native_share, table.thousand_rounds)
    }
}

/// The verifier of a new password. Takes milliseconds for `caching_sha2_password`.
fn digest(plugin: Plugin, password: &str, salt: [u8; 20]) -> Verifier {
    use protocol::auth::{CachingSha2Hash, NativeHash, Nonce};
    match plugin {
        _ if password.is_empty() => Verifier::Empty(plugin),
        Plugin::Native => Verifier::Native(NativeHash::of_password(password.as_bytes())),
        Plugin::CachingSha2 => {
            let salt = Nonce::from_random(salt);
            Verifier::CachingSha2(CachingSha2Hash::of_password(password.as_bytes(), salt, ROUNDS_DEFAULT))
        }
    }
}
