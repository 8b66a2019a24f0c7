//! What a statement about accounts is going to change. Nothing is changed here.

use types::error::SqlError;
use types::error::table::ER_CANNOT_USER;
use types::warning::Warnings;

use protocol::auth::FastDigest;

use super::account::{Account, Name};
use super::statement::{Circumstances, Statement};
use super::table::Table;
use super::{codec, grant, user};

/// An account's new state.
#[derive(Clone, Debug)]
pub struct Change {
    /// Which account.
    pub name: Name,
    /// Its new state; none if it is gone.
    pub account: Option<Account>,
}

impl Change {
    /// The catalog's name of the account, and the bytes that it gets there.
    pub fn row(&self) -> (String, Option<Vec<u8>>) {
        (self.name.key(), self.account.as_ref().map(codec::encode))
    }
}

/// See the module. Made by [`Table::plan`], and handed to [`super::Accounts::adopt`] once its rows are committed.
#[derive(Debug, Default)]
#[must_use = "a plan changes nothing until it is committed and adopted"]
pub struct Plan {
    /// The rows to write.
    pub changes: Vec<Change>,
    /// What logins need not digest again.
    pub(super) digests: Vec<(Account, FastDigest)>,
}

impl Table {
    /// Plans a statement.
    ///
    /// # Errors
    /// MySQL's, above all 1044, 1045, 1133, 1141, 1142, 1144, 1146, 1147, 1149, 1221, 1227, 1396, 1410, 1470, 1524,
    /// 1827, 3619. Notes (3162, 3163) go to `warnings`.
    pub fn plan(
        &self,
        statement: &Statement,
        around: Circumstances<'_>,
        warnings: &mut Warnings,
    ) -> Result<Plan, SqlError> {
        let mut draft = Draft { table: self, plan: Plan::default() };
        match statement {
            Statement::Create { if_not_exists, users, attributes } => {
                user::create(&mut draft, users, *if_not_exists, *attributes, around, warnings)?;
            }
            Statement::Alter { if_exists, users, attributes } => {
                user::alter(&mut draft, users, *if_exists, *attributes, around, warnings)?;
            }
            Statement::Drop { if_exists, users } => {
                user::drop_users(&mut draft, users, *if_exists, around, warnings)?;
            }
            Statement::Rename(pairs) => user::rename(&mut draft, pairs, around)?,
            Statement::SetPassword(name, credential) => {
                user::set_password(&mut draft, name, credential, around)?;
            }
            Statement::Grant { what, level, users, with_grant_option } => {
                grant::grant(&mut draft, what, level, users, *with_grant_option, around)?;
            }
            Statement::Revoke { what, level, users, missing } => {
                grant::revoke(&mut draft, (what, level), users, *missing, around, warnings)?;
            }
            Statement::RevokeAll(users, missing) => {
                grant::revoke_all(&mut draft, users, *missing, around, warnings)?;
            }
        }
        Ok(draft.plan)
    }
}

/// A plan in the making: the table as the changes so far leave it.
pub(super) struct Draft<'a> {
    table: &'a Table,
    plan: Plan,
}

impl Draft<'_> {
    /// An account as the changes so far leave it.
    pub(super) fn get(&self, name: &Name) -> Option<&Account> {
        match self.plan.changes.iter().rfind(|change| change.name == *name) {
            Some(change) => change.account.as_ref(),
            None => self.table.get(name).map(|account| &**account),
        }
    }

    /// Gives an account a new state.
    pub(super) fn put(&mut self, name: &Name, account: Option<Account>) {
        self.plan.changes.retain(|change| change.name != *name);
        self.plan.changes.push(Change { name: name.clone(), account });
    }

    /// Spares the next login of this account its digesting.
    pub(super) fn remember(&mut self, account: &Account, password: &str) {
        let digest = FastDigest::of_password(password.as_bytes());
        self.plan.digests.push((account.clone(), digest));
    }
}

/// Error 1396: `Operation X failed for 'a'@'b','c'@'d'`.
pub(super) fn failed(operation: &str, names: &[&Name]) -> SqlError {
    let names: Vec<_> = names.iter().map(ToString::to_string).collect();
    ER_CANNOT_USER.error(&[&operation, &names.join(",")])
}
