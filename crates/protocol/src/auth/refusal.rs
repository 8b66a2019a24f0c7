//! How somebody is turned away.

/// Why a login was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalReason {
    /// The user is unknown or the password is wrong; which of the two is nobody's business.
    Mismatch,
    /// The password, if it is one, could only be checked in clear, and others could listen. Also the answer to
    /// a wrong password there.
    InsecureTransport,
    /// The client cannot be asked for what the account needs.
    OldClient,
}

/// A refused login: what the ERR packet says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub reason: RefusalReason,
    /// Whether the client gave a password at all.
    pub using_password: bool,
}

impl Refusal {
    /// MySQL's error number.
    pub const fn code(self) -> u16 {
        match self.reason {
            RefusalReason::OldClient => crate::Error::OldClient.code(),
            _ => 1045,
        }
    }

    /// MySQL's SQLSTATE for [`Refusal::code`].
    pub const fn sqlstate(self) -> &'static str {
        match self.reason {
            RefusalReason::OldClient => crate::Error::OldClient.sqlstate(),
            _ => "28000",
        }
    }

    /// The text for the client: MySQL's own, with a hint where the user can do something about it.
    pub fn message(self, user: &[u8], host: &str) -> String {
        let user = String::from_utf8_lossy(user);
        let using = if self.using_password { "YES" } else { "NO" };
        let denied = format!("Access denied for user '{user}'@'{host}' (using password: {using})");
        match self.reason {
            RefusalReason::Mismatch => denied,
            RefusalReason::InsecureTransport => format!(
                "{denied}; without encryption a password is known only after a login over TLS or the local socket"
            ),
            RefusalReason::OldClient => crate::Error::OldClient.to_string(),
        }
    }
}
