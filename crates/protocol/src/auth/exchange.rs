//! One login, packet by packet.
//!
//! ```text
//! begin ──┬── other plugin, or COM_CHANGE_USER: AuthSwitchRequest ── receive ──┐
//!         └──────────────────────────────────────────────────────── judge ─────┤
//!   caching_sha2_password                                                      │
//!     empty response ................................. Accepted or Refused     │
//!     scramble matches the cache, 0x01 0x03 .......... Accepted                │
//!     else on a secure transport, 0x01 0x04 .......... receive: Check          │
//!     else with a public key, 0x01 0x04 .............. receive, once or twice: │
//!       0x02, asks for the key: 0x01 and the key       │ Check                 │
//!     else ........................................... Refused                 │
//!   mysql_native_password ............................ Accepted or Refused     ┘
//! ```
//!
//! `Check` is the one expensive step (thousands of SHA-256 rounds): the caller runs it where it limits how many
//! run at a time. It comes out the same for decoys, at the same price.

use std::sync::Arc;

use zeroize::Zeroizing;

use super::account::{Account, Decoys, Subject};
use super::caching_sha2::{CachingSha2Hash, FastDigest};
use super::nonce::Nonce;
use super::refusal::{Refusal, RefusalReason};
use super::{PASSWORD_SIZE_MAX, Plugin};
use crate::handshake::{write_auth_more_data, write_auth_switch};
use crate::out::PacketWriter;

const FAST_AUTH_SUCCESS: u8 = 0x03;
const PERFORM_FULL_AUTH: u8 = 0x04;
const REQUEST_PUBLIC_KEY: u8 = 0x02;

/// What a client has said when its login begins.
#[derive(Clone, Copy, Debug)]
pub struct Login<'a> {
    /// User name.
    pub user: &'a [u8],
    /// The client's plugin; `None` for a client without PLUGIN_AUTH, which knows only the native one.
    pub plugin: Option<&'a [u8]>,
    /// The plugin's response to `nonce`.
    pub response: &'a [u8],
    /// The nonce of the greeting.
    pub nonce: Nonce,
    /// A nonce that was never sent, for the case that the plugin has to be switched.
    pub fresh_nonce: Nonce,
    /// Whether nobody can listen: TLS or a Unix socket.
    pub transport_is_secure: bool,
    /// The key that a password is sealed with where others can listen, in PEM.
    pub public_key: Option<&'a Arc<str>>,
    /// COM_CHANGE_USER: `nonce` has been answered before, so `response` proves nothing.
    pub starts_over: bool,
}

/// Where a login stands. What was written to the [`PacketWriter`] is to be sent in any case.
#[derive(Debug)]
#[must_use]
pub enum Progress {
    /// The client's next packet goes to [`Exchange::receive`].
    Waiting(Exchange),
    /// The password came in clear and has to be digested.
    Check(PasswordCheck),
    /// The client is who it says; an OK packet is due.
    Accepted,
    /// It is not; an ERR packet is due, and the end of the connection.
    Refused(Refusal),
}

/// A login that waits for a packet.
#[derive(Debug)]
pub struct Exchange {
    subject: Subject,
    nonce: Nonce,
    transport_is_secure: bool,
    public_key: Option<Arc<str>>,
    awaits: Awaits,
}

#[derive(Clone, Copy, Debug)]
enum Awaits {
    /// The response of the plugin that the client was switched to.
    Response,
    /// The password in clear.
    Password,
    /// The password, sealed with the public key, or a request for that.
    SealedPassword,
}

impl Exchange {
    /// Begins a login. `account` is `None` for a user that does not exist.
    pub fn begin(
        login: &Login<'_>,
        account: Option<&Account>,
        decoys: &Decoys,
        out: &mut PacketWriter,
    ) -> Progress {
        let subject = Subject::new(login.user, account, decoys);
        let client_plugin = login.plugin.map_or(Some(Plugin::Native), Plugin::from_name);
        let plugin = subject.plugin;
        let mut exchange = Self {
            subject,
            nonce: login.nonce,
            transport_is_secure: login.transport_is_secure,
            public_key: login.public_key.cloned(),
            awaits: Awaits::Response,
        };
        // MariaDB's replicas begin with nothing, because the greeting's nonce was for another plugin than theirs, and wait
        // to be asked even where there is no password.
        let waits_for_nonce = plugin == Plugin::Native && login.plugin.is_some() && login.response.is_empty();
        if client_plugin == Some(plugin) && !login.starts_over && !waits_for_nonce {
            return exchange.judge(login.response, out);
        }
        if login.plugin.is_none() {
            return refused(RefusalReason::OldClient, !login.response.is_empty());
        }
        exchange.nonce = login.fresh_nonce;
        write_auth_switch(out, plugin, &login.fresh_nonce);
        Progress::Waiting(exchange)
    }

    /// Goes on with the client's next packet. If it was a password, the caller wipes its own copy
    /// ([`crate::frame::PacketReader::wipe_last`]).
    pub fn receive(self, payload: &[u8], out: &mut PacketWriter) -> Progress {
        match self.awaits {
            Awaits::Response => self.judge(payload, out),
            Awaits::Password => self.password(payload),
            Awaits::SealedPassword => self.sealed_password(payload, out),
        }
    }

    fn judge(self, response: &[u8], out: &mut PacketWriter) -> Progress {
        // Some clients send the empty password's NUL in place of nothing.
        if matches!(response, [] | [0]) {
            return if self.subject.accepts_empty {
                Progress::Accepted
            } else {
                refused(RefusalReason::Mismatch, false)
            };
        }
        match self.subject.plugin {
            Plugin::CachingSha2 => self.judge_caching_sha2(response, out),
            Plugin::Native => {
                let matches = self.subject.native.verify(&self.nonce, response);
                if matches && self.subject.genuine {
                    Progress::Accepted
                } else {
                    refused(RefusalReason::Mismatch, true)
                }
            }
        }
    }

    fn judge_caching_sha2(mut self, response: &[u8], out: &mut PacketWriter) -> Progress {
        let matches = self.subject.fast.verify(&self.nonce, response);
        if matches && self.subject.has_fast {
            write_auth_more_data(out, &[FAST_AUTH_SUCCESS]);
            return Progress::Accepted;
        }
        self.awaits = match (self.transport_is_secure, &self.public_key) {
            (true, _) => Awaits::Password,
            (false, Some(_)) => Awaits::SealedPassword,
            (false, None) => return refused(RefusalReason::InsecureTransport, true),
        };
        write_auth_more_data(out, &[PERFORM_FULL_AUTH]);
        Progress::Waiting(self)
    }

    fn password(self, payload: &[u8]) -> Progress {
        match clear(payload) {
            Some(password) => self.check(Shown::Clear(Zeroizing::new(password.to_vec()))),
            None => refused(RefusalReason::Mismatch, true),
        }
    }

    fn sealed_password(mut self, payload: &[u8], out: &mut PacketWriter) -> Progress {
        // Asked for once: no key is as short as a request.
        if let ([REQUEST_PUBLIC_KEY], Some(key)) = (payload, self.public_key.take()) {
            write_auth_more_data(out, key.as_bytes());
            return Progress::Waiting(self);
        }
        let nonce = self.nonce;
        self.check(Shown::Sealed { bytes: payload.to_vec(), nonce })
    }

    fn check(self, shown: Shown) -> Progress {
        Progress::Check(PasswordCheck { shown, hash: self.subject.slow, genuine: self.subject.genuine })
    }
}

/// The password that ends with the packet's last byte, a NUL.
fn clear(payload: &[u8]) -> Option<&[u8]> {
    let (0, password) = payload.split_last()? else { return None };
    (1..=PASSWORD_SIZE_MAX).contains(&password.len()).then_some(password)
}

/// A password that waits for its digest.
pub struct PasswordCheck {
    shown: Shown,
    hash: CachingSha2Hash,
    genuine: bool,
}

/// What a client has sent.
enum Shown {
    Clear(Zeroizing<Vec<u8>>),
    /// RSA-OAEP of the password and its NUL, XOR the nonce over and over.
    Sealed {
        bytes: Vec<u8>,
        nonce: Nonce,
    },
}

impl PasswordCheck {
    /// Whether the password has to be unsealed first: how long that takes is nobody's business.
    pub const fn is_sealed(&self) -> bool {
        matches!(self.shown, Shown::Sealed { .. })
    }

    /// Digests the password and decides. Takes milliseconds, whatever is wrong. `unseal` is the private key's part, and has
    /// nothing for what the public key has not made. The digest that comes with acceptance belongs into the server's
    /// cache.
    pub fn run(
        self,
        unseal: impl FnOnce(&[u8]) -> Option<Zeroizing<Vec<u8>>>,
    ) -> Result<FastDigest, Refusal> {
        let packet = match self.shown {
            Shown::Clear(password) => Some(password),
            Shown::Sealed { bytes, nonce } => unseal(&bytes).and_then(|mut packet| {
                packet.iter_mut().zip(nonce.bytes().iter().cycle()).for_each(|(byte, mask)| *byte ^= mask);
                clear(&packet).map(|password| Zeroizing::new(password.to_vec()))
            }),
        };
        let password = packet.as_ref().map_or(&[][..], |packet| packet);
        let matches = self.hash.verify(password);
        let digest = FastDigest::of_password(password);
        if matches && packet.is_some() && self.genuine {
            Ok(digest)
        } else {
            Err(Refusal { reason: RefusalReason::Mismatch, using_password: true })
        }
    }
}

impl std::fmt::Debug for PasswordCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PasswordCheck")
    }
}

const fn refused(reason: RefusalReason, using_password: bool) -> Progress {
    Progress::Refused(Refusal { reason, using_password })
}
