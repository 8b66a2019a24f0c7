//! Who is at the other end: the server's side of `caching_sha2_password` and `mysql_native_password`.
//!
//! What it is not: it holds no accounts and no cache, draws no random number and never waits. [`Exchange`]
//! takes an account (or none) and the client's packets, appends its own to a [`crate::out::PacketWriter`] and
//! ends with acceptance or with a [`Refusal`] that the caller sends as an ERR packet.
//!
//! Promises:
//!
//! - An unknown user, a locked-out guess and a wrong password take the same packets, the same error and the
//!   same work: unknown users get a plugin, a salt and digests that depend on nothing but their name and the
//!   server's secret ([`Decoys`]).
//! - Secrets are compared in constant time ([`subtle`]); a password in clear is overwritten when it was used.
//! - A password in clear is asked for only where nobody can listen, elsewhere one that is sealed with the server's public
//!   key. The private one is the caller's.
//! - A nonce is answered once.
//!
//! Source: "caching_sha2_password information" and "Native Authentication" in MySQL Source Code Documentation;
//! checked against `mysql.user` and recorded logins of real servers in `tests/auth.rs`.

mod account;
mod caching_sha2;
mod exchange;
mod native;
mod nonce;
mod refusal;
mod sha256_crypt;

pub use account::{Account, Decoys, Verifier};
pub use caching_sha2::{CachingSha2Hash, FastDigest, ROUNDS_DEFAULT};
pub use exchange::{Exchange, Login, PasswordCheck, Progress};
pub use native::NativeHash;
pub use nonce::Nonce;
pub use refusal::{Refusal, RefusalReason};
pub use sha256_crypt::sha256_crypt;

/// The most bytes that a password may have: what MySQL accepts for `caching_sha2_password`.
pub const PASSWORD_SIZE_MAX: usize = 256;

/// An authentication plugin that this server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Plugin {
    /// `caching_sha2_password`, MySQL's default since 8.0.
    CachingSha2,
    /// `mysql_native_password`, for clients that know nothing better.
    Native,
}

impl Plugin {
    /// The name on the wire and in `mysql.user`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CachingSha2 => "caching_sha2_password",
            Self::Native => "mysql_native_password",
        }
    }

    /// The plugin of a name.
    pub fn from_name(name: &[u8]) -> Option<Self> {
        [Self::CachingSha2, Self::Native].into_iter().find(|plugin| plugin.name().as_bytes() == name)
    }
}
