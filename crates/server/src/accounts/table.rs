//! All accounts at a moment, in the order in which they are tried.

use std::collections::BTreeMap;
use std::sync::Arc;

use protocol::auth::{Plugin, ROUNDS_DEFAULT};

use super::account::{Account, Name};
use super::host::{Peer, specificity};
use super::plan::Change;

/// See the module.
#[derive(Clone, Debug)]
pub struct Table {
    by_name: BTreeMap<Name, Arc<Account>>,
    /// The most specific host first; for one host a name before the anonymous user.
    ordered: Vec<Arc<Account>>,
    /// What most accounts are like, for answers to unknown users: of 255 so many have `mysql_native_password`, the others' digests
    /// take so many thousand rounds.
    pub(super) native_share: u8,
    pub(super) thousand_rounds: u16,
    /// Counts changes: whoever holds an account of an older table looks again.
    pub(super) generation: u64,
}

impl Table {
    pub(super) fn new(accounts: Vec<Account>, generation: u64) -> Self {
        let accounts = accounts.into_iter().map(|account| (account.name.clone(), Arc::new(account)));
        Self::of(accounts.collect(), generation)
    }

    fn of(by_name: BTreeMap<Name, Arc<Account>>, generation: u64) -> Self {
        let mut ordered: Vec<_> = by_name.values().cloned().collect();
        ordered.sort_by_key(|account| {
            (std::cmp::Reverse(specificity(&account.name.host)), account.name.user.is_empty())
        });
        let native = ordered.iter().filter(|account| account.verifier.plugin() == Plugin::Native).count();
        let native_share = u8::try_from(native * 255 / ordered.len().max(1)).unwrap_or(u8::MAX);
        let mut counts = BTreeMap::<u16, usize>::new();
        for rounds in ordered.iter().filter_map(|account| account.verifier.thousand_rounds()) {
            *counts.entry(rounds).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        let thousand_rounds = most.map_or(ROUNDS_DEFAULT, |(rounds, _)| rounds);
        Self { by_name, ordered, native_share, thousand_rounds, generation }
    }

    /// All accounts, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Account>> {
        self.by_name.values()
    }

    /// The account of exactly this name.
    pub fn get(&self, name: &Name) -> Option<&Arc<Account>> {
        self.by_name.get(name)
    }

    /// The account by which somebody of this name and place logs in.
    pub fn find(&self, user: &str, peer: &Peer) -> Option<Arc<Account>> {
        let fits = |account: &&Arc<Account>| {
            (account.name.user == user || account.name.user.is_empty()) && peer.matches(&account.name.host)
        };
        self.ordered.iter().find(fits).cloned()
    }

    /// Whether there is any account for this place.
    pub fn knows_place(&self, peer: &Peer) -> bool {
        self.ordered.iter().any(|account| peer.matches(&account.name.host))
    }

    /// The table after these changes.
    #[must_use]
    pub fn with(&self, changes: &[Change]) -> Self {
        let mut by_name = self.by_name.clone();
        for change in changes {
            match &change.account {
                Some(account) => drop(by_name.insert(change.name.clone(), Arc::new(account.clone()))),
                None => drop(by_name.remove(&change.name)),
            }
        }
        Self::of(by_name, self.generation + 1)
    }
}
