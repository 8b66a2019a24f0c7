//! GRANT and REVOKE.

use types::error::SqlError;
use types::error::table::{
    ER_CANT_CREATE_USER_WITH_GRANT, ER_ILLEGAL_GRANT_FOR_TABLE, ER_ILLEGAL_PRIVILEGE_LEVEL, ER_NO_SUCH_TABLE,
    ER_NONEXISTING_GRANT, ER_NONEXISTING_TABLE_GRANT, ER_NOT_SUPPORTED_YET, ER_SYNTAX_ERROR, ER_WRONG_USAGE,
};
use types::warning::Warnings;

use super::account::{Account, Name};
use super::codec;
use super::plan::Draft;
use super::privilege::{Dynamic, Privileges};
use super::statement::{Circumstances, Level, Missing, What};
use super::user::{ER_USER_DOES_NOT_EXIST, require_system_user};

/// What a statement is about.
#[derive(Clone, Copy)]
struct Wanted {
    fixed: Privileges,
    dynamic: Dynamic,
    /// ALL. A list of all names is not: each of them is asked for.
    is_all: bool,
}

impl Wanted {
    fn of(what: &What, level: &Level) -> Result<Self, SqlError> {
        let all = match level {
            Level::Server => Privileges::ALL,
            Level::Database(_) => Privileges::ALL_OF_DATABASE,
            Level::Table(..) => Privileges::ALL_OF_TABLE,
        };
        let What::These(names) = what else {
            let dynamic = if *level == Level::Server { Dynamic::ALL } else { Dynamic::NONE };
            return Ok(Self { fixed: all, dynamic, is_all: true });
        };
        let mut wanted = Self { fixed: Privileges::NONE, dynamic: Dynamic::NONE, is_all: false };
        for name in names {
            let upper = name.to_ascii_uppercase();
            if let Some(privilege) = Privileges::from_name(&upper) {
                wanted.fixed = wanted.fixed.union(privilege);
            } else if let Some(privilege) = Dynamic::from_name(&upper) {
                if *level != Level::Server {
                    return Err(ER_ILLEGAL_PRIVILEGE_LEVEL.error(&[&upper]));
                }
                wanted.dynamic = wanted.dynamic.union(privilege);
            } else if upper != "USAGE" {
                return Err(ER_SYNTAX_ERROR.error(&[]));
            }
        }
        if !all.union(Privileges::GRANT_OPTION).contains(wanted.fixed) {
            return Err(match level {
                Level::Table(..) => ER_ILLEGAL_GRANT_FOR_TABLE.error(&[]),
                _ => ER_WRONG_USAGE.error(&[&"DB GRANT", &"GLOBAL PRIVILEGES"]),
            });
        }
        Ok(wanted)
    }
}

pub(super) fn grant(
    draft: &mut Draft<'_>,
    what: &What,
    level: &Level,
    users: &[Name],
    with_grant_option: bool,
    around: Circumstances<'_>,
) -> Result<(), SqlError> {
    let mut wanted = Wanted::of(what, level)?;
    permit(wanted, level, around)?;
    if with_grant_option {
        wanted.fixed = wanted.fixed.union(Privileges::GRANT_OPTION);
    }
    if let Level::Table(database, table) = level
        && !wanted.fixed.contains(Privileges::CREATE)
        && !(around.table_exists)(database, table)
    {
        return Err(ER_NO_SUCH_TABLE.error(&[database, table]));
    }
    for name in users {
        let account = draft.get(name).ok_or_else(|| ER_CANT_CREATE_USER_WITH_GRANT.error(&[]))?;
        require_system_user(account, around)?;
        let mut account = account.clone();
        match level {
            Level::Server => {
                let only_dynamic = wanted.fixed == Privileges::GRANT_OPTION && !wanted.dynamic.is_empty();
                if !only_dynamic {
                    account.global = account.global.union(wanted.fixed);
                }
                account.dynamic = account.dynamic.union(wanted.dynamic);
                if with_grant_option {
                    account.dynamic_grantable = account.dynamic_grantable.union(wanted.dynamic);
                }
            }
            // USAGE is nothing: it does not take the place of what another pattern gives.
            _ if wanted.fixed.is_empty() => {}
            Level::Database(database) => {
                let had = account.databases.entry(database.clone()).or_default();
                *had = had.union(wanted.fixed);
            }
            Level::Table(database, table) => {
                let had = account.tables.entry((database.clone(), table.clone())).or_default();
                *had = had.union(wanted.fixed);
            }
        }
        if account.databases.len().max(account.tables.len()) > codec::GRANTS_MAX {
            return Err(ER_NOT_SUPPORTED_YET.error(&[&"an account with more than 65,535 grants"]));
        }
        draft.put(name, Some(account));
    }
    Ok(())
}

pub(super) fn revoke(
    draft: &mut Draft<'_>,
    (what, level): (&What, &Level),
    users: &[Name],
    missing: Missing,
    around: Circumstances<'_>,
    warnings: &mut Warnings,
) -> Result<(), SqlError> {
    let wanted = Wanted::of(what, level)?;
    permit(wanted, level, around)?;
    for name in users {
        let Some(account) = known(draft, name, missing, warnings)? else { continue };
        require_system_user(account, around)?;
        let mut account = account.clone();
        match take(&mut account, wanted, level) {
            Err(error) if missing.if_exists => warnings.push_error(types::warning::Level::Warning, &error),
            taken => taken?,
        }
        draft.put(name, Some(account));
    }
    Ok(())
}

/// The account, or what is said if there is none.
fn known<'d>(
    draft: &'d Draft<'_>,
    name: &Name,
    missing: Missing,
    warnings: &mut Warnings,
) -> Result<Option<&'d Account>, SqlError> {
    let account = draft.get(name);
    if account.is_none() {
        if !missing.ignore_unknown_user {
            return Err(no_grant(name));
        }
        warnings.push(types::warning::Level::Warning, &ER_USER_DOES_NOT_EXIST, &[&name.user]);
    }
    Ok(account)
}

pub(super) fn revoke_all(
    draft: &mut Draft<'_>,
    users: &[Name],
    missing: Missing,
    around: Circumstances<'_>,
    warnings: &mut Warnings,
) -> Result<(), SqlError> {
    around.access.require(Privileges::CREATE_USER, "", "CREATE USER")?;
    for name in users {
        let Some(account) = known(draft, name, missing, warnings)? else { continue };
        require_system_user(account, around)?;
        let bare = Account {
            is_locked: account.is_locked,
            requires_tls: account.requires_tls,
            password_changed_s: account.password_changed_s,
            ..Account::new(name.clone(), account.verifier.clone())
        };
        draft.put(name, Some(bare));
    }
    Ok(())
}

/// Takes privileges away. What is left empty is forgotten.
fn take(account: &mut Account, wanted: Wanted, level: &Level) -> Result<(), SqlError> {
    match level {
        Level::Server => {
            account.global = account.global.without(wanted.fixed);
            account.dynamic = account.dynamic.without(wanted.dynamic);
            account.dynamic_grantable = account.dynamic_grantable.without(wanted.dynamic);
        }
        Level::Database(database) => {
            let missing = no_grant(&account.name);
            let had = account.databases.get_mut(database).ok_or(missing)?;
            *had = had.without(wanted.fixed);
            account.databases.retain(|_, had| !had.is_empty());
        }
        Level::Table(database, table) => {
            let missing = ER_NONEXISTING_TABLE_GRANT.error(&[&account.name.user, &account.name.host, table]);
            let had = account.tables.get_mut(&(database.clone(), table.clone())).ok_or(missing)?;
            *had = had.without(wanted.fixed);
            account.tables.retain(|_, had| !had.is_empty());
        }
    }
    Ok(())
}

fn no_grant(name: &Name) -> SqlError {
    ER_NONEXISTING_GRANT.error(&[&name.user, &name.host])
}

/// Whoever gives or takes has to have it there, and GRANT OPTION with it.
fn permit(wanted: Wanted, level: &Level, around: Circumstances<'_>) -> Result<(), SqlError> {
    let access = around.access;
    let needed = wanted.fixed.union(Privileges::GRANT_OPTION);
    match level {
        Level::Server => {
            let account = access.account();
            let only_dynamic = wanted.fixed.is_empty() && !wanted.dynamic.is_empty();
            if !only_dynamic && !account.global.contains(needed) {
                return Err(access.denied());
            }
            let grantable = account.dynamic_grantable;
            if !wanted.is_all && !grantable.contains(wanted.dynamic) {
                return access.require(Privileges::NONE, "", "GRANT OPTION");
            }
            Ok(())
        }
        Level::Database(pattern) => access.databases(needed, pattern),
        Level::Table(database, table) => access.on_table(needed, database, table),
    }
}
