//! What an account table knows of a user, and what stands in for it where there is no account.

use sha2::{Digest, Sha256};

use super::Plugin;
use super::caching_sha2::{CachingSha2Hash, FastDigest};
use super::native::NativeHash;
use super::nonce::Nonce;

/// What a password is checked against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verifier {
    /// No password: only an empty response is accepted. The plugin is the account's.
    Empty(Plugin),
    /// A password of `caching_sha2_password`.
    CachingSha2(CachingSha2Hash),
    /// A password of `mysql_native_password`.
    Native(NativeHash),
}

impl Verifier {
    /// Reads what `mysql.user` holds; `None` if the string does not belong to the plugin.
    pub fn parse(plugin: Plugin, authentication_string: &[u8]) -> Option<Self> {
        match plugin {
            _ if authentication_string.is_empty() => Some(Self::Empty(plugin)),
            Plugin::CachingSha2 => CachingSha2Hash::parse(authentication_string).map(Self::CachingSha2),
            Plugin::Native => NativeHash::parse(authentication_string).map(Self::Native),
        }
    }

    /// What `mysql.user` holds.
    pub fn authentication_string(&self) -> String {
        match self {
            Self::Empty(_) => String::new(),
            Self::CachingSha2(hash) => hash.authentication_string(),
            Self::Native(hash) => hash.authentication_string(),
        }
    }

    /// The account's plugin.
    pub const fn plugin(&self) -> Plugin {
        match self {
            Self::Empty(plugin) => *plugin,
            Self::CachingSha2(_) => Plugin::CachingSha2,
            Self::Native(_) => Plugin::Native,
        }
    }

    /// Thousands of rounds that checking a password in clear takes.
    pub const fn thousand_rounds(&self) -> Option<u16> {
        match self {
            Self::CachingSha2(hash) => Some(hash.thousand_rounds()),
            _ => None,
        }
    }
}

/// An account, as far as logging in is concerned.
#[derive(Clone, Debug)]
pub struct Account {
    /// What the password is checked against.
    pub verifier: Verifier,
    /// What is remembered of the password since it was last seen in clear; only for `caching_sha2_password`.
    pub cached: Option<FastDigest>,
}

/// Stand-ins for what an account does not have. The same name always gets the same ones, or asking twice would
/// tell a decoy from an account.
#[derive(Clone)]
pub struct Decoys {
    secret: [u8; 32],
    native_share: u8,
    thousand_rounds: u16,
}

impl Decoys {
    /// Decoys from 32 secret random bytes that stay the same while the server's accounts do.
    ///
    /// `native_share` of 256 unknown users seem to use `mysql_native_password`: 0 where no account does, else
    /// about the accounts' own share. `thousand_rounds` is that of most accounts.
    pub const fn new(secret: [u8; 32], native_share: u8, thousand_rounds: u16) -> Self {
        Self { secret, native_share, thousand_rounds }
    }

    fn seed(&self, user: &[u8]) -> [u8; 32] {
        Sha256::new().chain_update(self.secret).chain_update(user).finalize().into()
    }
}

impl std::fmt::Debug for Decoys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decoys").field("native_share", &self.native_share).finish_non_exhaustive()
    }
}

/// An account or its decoy: there is always something to compute with, and `genuine` says whether a match
/// counts.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) plugin: Plugin,
    /// Whether an empty response is the right one.
    pub(super) accepts_empty: bool,
    /// Whether the digest of `plugin` is an account's.
    pub(super) genuine: bool,
    pub(super) slow: CachingSha2Hash,
    pub(super) fast: FastDigest,
    /// Whether `fast` is an account's.
    pub(super) has_fast: bool,
    pub(super) native: NativeHash,
}

impl Subject {
    pub(super) fn new(user: &[u8], account: Option<&Account>, decoys: &Decoys) -> Self {
        let mut subject = Self::decoy(user, decoys);
        if let Some(account) = account {
            subject.plugin = account.verifier.plugin();
            match &account.verifier {
                Verifier::Empty(_) => subject.accepts_empty = true,
                Verifier::CachingSha2(hash) => {
                    subject.slow = hash.clone();
                    subject.genuine = true;
                    if let Some(cached) = &account.cached {
                        subject.fast = cached.clone();
                        subject.has_fast = true;
                    }
                }
                Verifier::Native(hash) => {
                    subject.native = hash.clone();
                    subject.genuine = true;
                }
            }
        }
        subject
    }

    fn decoy(user: &[u8], decoys: &Decoys) -> Self {
        let seed = decoys.seed(user);
        let [share, ..] = seed;
        let head = *seed.first_chunk::<{ Nonce::SIZE }>().expect("32 bytes begin with 20");
        Self {
            plugin: if share < decoys.native_share { Plugin::Native } else { Plugin::CachingSha2 },
            accepts_empty: false,
            genuine: false,
            slow: CachingSha2Hash::decoy(Nonce::from_random(head), decoys.thousand_rounds),
            fast: FastDigest::decoy(seed),
            has_fast: false,
            native: NativeHash::decoy(head),
        }
    }
}
