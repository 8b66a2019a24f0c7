//! What the server remembers of passwords that it saw in clear, so that later logins are cheap.
//!
//! A digest is kept beside the stored password that it belongs to and is never used for another one: a changed
//! password, a dropped account or one that was made again under its name find nothing.

use std::collections::HashMap;

use parking_lot::RwLock;
use protocol::auth::{FastDigest, Verifier};

use super::account::{Account, Name};

/// See the module. At most one entry an account.
#[derive(Debug, Default)]
pub(super) struct Digests {
    /// Rank: last.
    known: RwLock<HashMap<Name, (Verifier, FastDigest)>>,
}

impl Digests {
    pub(super) fn get(&self, account: &Account) -> Option<FastDigest> {
        let known = self.known.read();
        let (verifier, digest) = known.get(&account.name)?;
        (*verifier == account.verifier).then(|| digest.clone())
    }

    pub(super) fn remember(&self, account: &Account, digest: FastDigest) {
        if matches!(account.verifier, Verifier::CachingSha2(_)) {
            self.known.write().insert(account.name.clone(), (account.verifier.clone(), digest));
        }
    }

    /// Forgets the digests of all accounts whose stored password is not what it was.
    pub(super) fn forget_all_but(&self, stored: impl Fn(&Name) -> Option<Verifier>) {
        self.known.write().retain(|name, (verifier, _)| stored(name).as_ref() == Some(&*verifier));
    }
}
