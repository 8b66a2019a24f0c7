//! CREATE, ALTER, DROP, RENAME USER and SET PASSWORD.

use protocol::auth::{NativeHash, PASSWORD_SIZE_MAX, Plugin, Verifier};
use types::error::table::{
    ER_INCORRECT_CURRENT_PASSWORD, ER_PASSWORD_ANONYMOUS_USER, ER_PASSWORD_FORMAT, ER_PASSWORD_NO_MATCH,
    ER_PLUGIN_IS_NOT_LOADED, ER_USER_ALREADY_EXISTS, ER_WRONG_STRING_LENGTH,
};
use types::error::{Condition, SqlError};
use types::warning::{Level, Warnings};

use super::account::{Account, Name};
use super::plan::{Draft, failed};
use super::privilege::{Dynamic, Privileges};
use super::statement::{Attributes, Circumstances, Credential, Secret};

/// Characters of a user name.
pub(crate) const USER_SIZE_MAX: usize = 32;

/// Characters of a host.
const HOST_SIZE_MAX: usize = 255;

pub(super) const ER_USER_DOES_NOT_EXIST: Condition = Condition {
    code: 3162,
    sqlstate: "HY000",
    name: "ER_USER_DOES_NOT_EXIST",
    text: "Authorization ID %s does not exist.",
};

const ER_CURRENT_PASSWORD_NOT_REQUIRED: Condition = Condition {
    code: 3893,
    sqlstate: "HY000",
    name: "ER_CURRENT_PASSWORD_NOT_REQUIRED",
    text: "Do not specify the current password while changing it for other users.",
};

impl Attributes {
    fn apply(self, account: &mut Account) {
        account.is_locked = self.is_locked.unwrap_or(account.is_locked);
        account.requires_tls = self.requires_tls.unwrap_or(account.requires_tls);
    }
}

pub(super) fn create(
    draft: &mut Draft<'_>,
    users: &[(Name, Credential)],
    if_not_exists: bool,
    attributes: Attributes,
    around: Circumstances<'_>,
    warnings: &mut Warnings,
) -> Result<(), SqlError> {
    require_create_user(around)?;
    let mut existing = Vec::new();
    for (name, credential) in users {
        check_size(name)?;
        if draft.get(name).is_some() {
            existing.push(name);
            continue;
        }
        let verifier = verifier(credential, None, around)?.ok_or_else(|| failed("CREATE USER", &[name]))?;
        let mut account =
            Account { password_changed_s: around.now_s, ..Account::new(name.clone(), verifier) };
        attributes.apply(&mut account);
        remember(draft, &account, credential);
        draft.put(name, Some(account));
    }
    for name in &existing {
        warnings.push(Level::Note, &ER_USER_ALREADY_EXISTS, &[name]);
    }
    if existing.is_empty() || if_not_exists { Ok(()) } else { Err(failed("CREATE USER", &existing)) }
}

pub(super) fn alter(
    draft: &mut Draft<'_>,
    users: &[(Name, Option<Credential>)],
    if_exists: bool,
    attributes: Attributes,
    around: Circumstances<'_>,
    warnings: &mut Warnings,
) -> Result<(), SqlError> {
    let mut missing = Vec::new();
    for (name, credential) in users {
        // Of oneself anybody may change the password, and nothing else.
        let is_own = name == around.access.account_name();
        let is_password = |credential: &Credential| {
            credential.plugin.is_none() && matches!(credential.secret, Secret::Password(_))
        };
        let needs_nothing = is_own
            && !name.user.is_empty()
            && attributes == Attributes::default()
            && credential.as_ref().is_some_and(is_password);
        if !needs_nothing {
            require_create_user(around)?;
        }
        let Some(account) = draft.get(name) else {
            missing.push(name);
            continue;
        };
        if !is_own {
            require_system_user(account, around)?;
        }
        let mut account = account.clone();
        if let Some(credential) = credential {
            check_replaced(credential, &account, is_own)?;
            account.verifier = verifier(credential, Some(account.verifier.plugin()), around)?
                .ok_or_else(|| failed("ALTER USER", &[name]))?;
            account.password_changed_s = around.now_s;
            remember(draft, &account, credential);
        }
        attributes.apply(&mut account);
        draft.put(name, Some(account));
    }
    note_or_fail("ALTER USER", &missing, if_exists, warnings)
}

pub(super) fn drop_users(
    draft: &mut Draft<'_>,
    users: &[Name],
    if_exists: bool,
    around: Circumstances<'_>,
    warnings: &mut Warnings,
) -> Result<(), SqlError> {
    require_create_user(around)?;
    let mut missing = Vec::new();
    for name in users {
        match draft.get(name) {
            Some(account) => {
                require_system_user(account, around)?;
                draft.put(name, None);
            }
            None => missing.push(name),
        }
    }
    note_or_fail("DROP USER", &missing, if_exists, warnings)
}

pub(super) fn rename(
    draft: &mut Draft<'_>,
    pairs: &[(Name, Name)],
    around: Circumstances<'_>,
) -> Result<(), SqlError> {
    require_create_user(around)?;
    let mut wrong = Vec::new();
    for (old, new) in pairs {
        check_size(new)?;
        match draft.get(old) {
            Some(account) if draft.get(new).is_none() => {
                require_system_user(account, around)?;
                let account = Account { name: new.clone(), ..account.clone() };
                draft.put(old, None);
                draft.put(new, Some(account));
            }
            _ => wrong.push(old),
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(failed("RENAME USER", &wrong)) }
}

pub(super) fn set_password(
    draft: &mut Draft<'_>,
    name: &Name,
    credential: &Credential,
    around: Circumstances<'_>,
) -> Result<(), SqlError> {
    if name != around.access.account_name() && !around.access.has(Privileges::CREATE_USER) {
        return Err(around.access.denied_database("mysql"));
    }
    if name == around.access.account_name() && name.user.is_empty() {
        return Err(ER_PASSWORD_ANONYMOUS_USER.error(&[]));
    }
    let account = draft.get(name).ok_or_else(|| ER_PASSWORD_NO_MATCH.error(&[]))?;
    require_system_user(account, around)?;
    let mut account = account.clone();
    check_replaced(credential, &account, name == around.access.account_name())?;
    account.verifier = verifier(credential, Some(account.verifier.plugin()), around)?
        .ok_or_else(|| failed("SET PASSWORD", &[name]))?;
    account.password_changed_s = around.now_s;
    remember(draft, &account, credential);
    draft.put(name, Some(account));
    Ok(())
}

/// REPLACE: errors 3891 and 3893.
fn check_replaced(credential: &Credential, account: &Account, is_own: bool) -> Result<(), SqlError> {
    let Some(replaced) = &credential.replaces else { return Ok(()) };
    if !is_own {
        return Err(ER_CURRENT_PASSWORD_NOT_REQUIRED.error(&[]));
    }
    let is_right = match &account.verifier {
        Verifier::Empty(_) => replaced.is_empty(),
        Verifier::Native(hash) => *hash == NativeHash::of_password(replaced.as_bytes()),
        Verifier::CachingSha2(hash) => hash.verify(replaced.as_bytes()),
    };
    if is_right { Ok(()) } else { Err(ER_INCORRECT_CURRENT_PASSWORD.error(&[])) }
}

fn require_create_user(around: Circumstances<'_>) -> Result<(), SqlError> {
    around.access.require(Privileges::CREATE_USER, "", "CREATE USER")
}

/// Only who has SYSTEM_USER changes who has it, but for oneself.
pub(super) fn require_system_user(account: &Account, around: Circumstances<'_>) -> Result<(), SqlError> {
    let system_user = Dynamic::from_name("SYSTEM_USER").expect("a dynamic privilege");
    if !account.dynamic.contains(system_user) || account.name == *around.access.account_name() {
        return Ok(());
    }
    around.access.require(Privileges::NONE, "SYSTEM_USER", "SYSTEM_USER")
}

fn note_or_fail(
    operation: &str,
    missing: &[&Name],
    if_exists: bool,
    warnings: &mut Warnings,
) -> Result<(), SqlError> {
    if !missing.is_empty() && !if_exists {
        return Err(failed(operation, missing));
    }
    for name in missing {
        warnings.push(Level::Note, &ER_USER_DOES_NOT_EXIST, &[name]);
    }
    Ok(())
}

/// What is too long, or cannot be kept.
fn check_size(name: &Name) -> Result<(), SqlError> {
    if [&name.user, &name.host].iter().any(|part| part.contains('\0')) {
        return Err(failed("CREATE USER", &[name]));
    }
    if name.user.chars().count() > USER_SIZE_MAX {
        return Err(ER_WRONG_STRING_LENGTH.error(&[&name.user, &"user name", &USER_SIZE_MAX]));
    }
    if name.host.chars().count() > HOST_SIZE_MAX {
        return Err(ER_WRONG_STRING_LENGTH.error(&[&name.host, &"host name", &HOST_SIZE_MAX]));
    }
    Ok(())
}

/// What a credential is checked against from now on; none for a password that `caching_sha2_password` cannot have.
/// `current` is the account's plugin, if it has one already.
fn verifier(
    credential: &Credential,
    current: Option<Plugin>,
    around: Circumstances<'_>,
) -> Result<Option<Verifier>, SqlError> {
    let named = credential.plugin.as_deref();
    let plugin = match (named, current) {
        (None, Some(current)) => current,
        (name, _) => {
            let name = name.unwrap_or(around.default_plugin);
            Plugin::from_name(name.to_ascii_lowercase().as_bytes())
                .ok_or_else(|| ER_PLUGIN_IS_NOT_LOADED.error(&[&name]))?
        }
    };
    Ok(match &credential.secret {
        Secret::None => Some(Verifier::Empty(plugin)),
        // The work grows with the square of its size.
        Secret::Password(password) if plugin == Plugin::CachingSha2 && password.len() > PASSWORD_SIZE_MAX => {
            None
        }
        Secret::Password(password) => Some(super::digest(plugin, password, (around.salt)())),
        Secret::Hash(hash) => {
            Some(Verifier::parse(plugin, hash).ok_or_else(|| ER_PASSWORD_FORMAT.error(&[]))?)
        }
    })
}

fn remember(draft: &mut Draft<'_>, account: &Account, credential: &Credential) {
    if let Secret::Password(password) = &credential.secret {
        draft.remember(account, password);
    }
}
