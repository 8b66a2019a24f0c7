//! CREATE USER, GRANT and the like, as DDL: planned by [`crate::accounts`], committed as rows of the catalog.

use commit::CommitAck;
use engine::lock::{LockId, Mode};
use sql::exec::engine_error;
use sql::parse::{self, Account, Auth, PrivilegeLevel, Statement, TableName};
use types::error::SqlError;
use types::sql_mode::SqlMode;

use super::Client;
use super::dispatch::unsupported;
use crate::accounts::{
    self, Attributes, Circumstances, Credential, Level, Missing, Name, Plan, Secret, What,
};
use crate::ddl::Edit;
use crate::info;
use crate::random::random;

type Result<T> = std::result::Result<T, SqlError>;

/// Bytes of a salt.
const SALT_SIZE: usize = 20;

impl Client {
    /// Carries such a statement out.
    pub(super) async fn change_accounts(&mut self, statement: Statement) -> Result<CommitAck> {
        let statement = self.account_statement(statement)?;
        self.commit_accounts(&statement).await
    }

    /// SET PASSWORD.
    pub(super) async fn set_password(&mut self, whose: Option<Account>, auth: Auth) -> Result<()> {
        self.may_commit_implicitly()?;
        if self.passes_over_change()? {
            self.lose_gtid();
            return Ok(());
        }
        let name = self.account_name(whose.unwrap_or(Account::Current));
        let statement = accounts::Statement::SetPassword(name, credential(auth)?);
        self.commit_accounts(&statement).await.map(drop)
    }

    async fn commit_accounts(&mut self, statement: &accounts::Statement) -> Result<CommitAck> {
        self.refuse_under_read_lock()?;
        self.refuse_read_only()?;
        let _ack = self.end_transaction().await?;
        let mut locks = self.begin_change().await?;
        locks.lock_metadata(LockId::of(&[b"accounts"]), Mode::Exclusive).await.map_err(engine_error)?;
        let plan = self.plan_accounts(statement)?;
        let is_about_users =
            matches!(statement, accounts::Statement::Create { .. } | accounts::Statement::Alter { .. });
        if is_about_users && plan.changes.is_empty() {
            // IF [NOT] EXISTS: there is nothing to log.
            drop(locks);
            return self.commit_own().await;
        }
        let text = self.account_event(statement, &plan);
        let edits = plan.changes.iter().map(|change| {
            let (name, bytes) = change.row();
            Edit::PutAccount { name, bytes }
        });
        let edits = edits.collect();
        let ack = self.commit_ddl(edits, &text, &[]).await?;
        self.shared.accounts.adopt(plan);
        Ok(ack)
    }

    fn plan_accounts(&mut self, statement: &accounts::Statement) -> Result<Plan> {
        let catalog = self.shared.store.catalog();
        let plugin = self.shared.variables.server_sight().shown("default_authentication_plugin")?;
        let around = Circumstances {
            access: &self.access,
            now_s: self.sql.now_us() / 1_000_000,
            default_plugin: &plugin,
            salt: &random::<SALT_SIZE>,
            table_exists: &|db, table| {
                catalog.table(db, table).is_some() || info::virtual_table(db, table).is_some()
            },
        };
        self.access.table().plan(statement, around, &mut self.warnings)
    }

    /// What goes to the binlog: never a password.
    fn account_event(&self, statement: &accounts::Statement, plan: &Plan) -> Vec<u8> {
        let verb = match statement {
            accounts::Statement::Create { if_not_exists: true, .. } => "CREATE USER IF NOT EXISTS",
            accounts::Statement::Create { .. } => "CREATE USER",
            accounts::Statement::Alter { if_exists: true, .. } => "ALTER USER IF EXISTS",
            accounts::Statement::Alter { .. } | accounts::Statement::SetPassword(..) => "ALTER USER",
            other => return other.text_to_log().unwrap_or_default().into_bytes(),
        };
        let table = self.access.table().with(&plan.changes);
        // Replicas read the text as this session would.
        let hides = self.sql.sql_mode.contains(SqlMode::NO_BACKSLASH_ESCAPES);
        let shown = if hides { accounts::Shown::Hex } else { accounts::Shown::Text };
        let mut users = Vec::new();
        for change in &plan.changes {
            let gives = |(name, credential): &(Name, Option<_>)| *name == change.name && credential.is_some();
            let keeps_credential =
                matches!(statement, accounts::Statement::Alter { users, .. } if !users.iter().any(gives));
            users.extend(table.get(&change.name).map(|account| {
                if keeps_credential { account.quoted_name() } else { account.identified(shown) }
            }));
        }
        let attributes = match statement {
            accounts::Statement::Create { attributes, .. }
            | accounts::Statement::Alter { attributes, .. } => *attributes,
            _ => Attributes::default(),
        };
        let require =
            attributes.requires_tls.map_or("", |tls| if tls { " REQUIRE SSL" } else { " REQUIRE NONE" });
        let lock = attributes
            .is_locked
            .map_or("", |locked| if locked { " ACCOUNT LOCK" } else { " ACCOUNT UNLOCK" });
        format!("{verb} {}{require}{lock}", users.join(", ")).into_bytes()
    }

    fn account_statement(&self, statement: Statement) -> Result<accounts::Statement> {
        Ok(match statement {
            Statement::ManageUsers(users) => self.manage_users(*users)?,
            Statement::DropUsers(users) => accounts::Statement::Drop {
                if_exists: users.if_exists,
                users: self.account_names(users.accounts),
            },
            Statement::RenameUsers(pairs) => {
                let name = |(from, to)| (self.account_name(from), self.account_name(to));
                accounts::Statement::Rename(pairs.into_iter().map(name).collect())
            }
            Statement::Grant(grant) => accounts::Statement::Grant {
                what: what(grant.privileges)?,
                level: self.level(grant.level)?,
                users: self.account_names(grant.accounts),
                with_grant_option: grant.with_grant_option,
            },
            Statement::Revoke(revoke) => {
                let missing =
                    Missing { if_exists: revoke.if_exists, ignore_unknown_user: revoke.ignore_unknown_user };
                match revoke.level {
                    None => accounts::Statement::RevokeAll(self.account_names(revoke.accounts), missing),
                    Some(level) => accounts::Statement::Revoke {
                        what: what(revoke.privileges)?,
                        level: self.level(level)?,
                        users: self.account_names(revoke.accounts),
                        missing,
                    },
                }
            }
            _ => unreachable!("only statements about accounts come here"),
        })
    }

    fn manage_users(&self, manage: parse::ManageUsers) -> Result<accounts::Statement> {
        let options = manage.options;
        if options.limits.iter().any(|(_, limit)| *limit > 0) {
            return Err(unsupported("limits of an account's resources"));
        }
        if options.password_expired {
            return Err(unsupported("PASSWORD EXPIRE"));
        }
        let users = manage.users.into_iter().map(|user| {
            let credential = user.auth.map(credential).transpose()?;
            Ok((self.account_name(user.account), credential))
        });
        let users: Vec<(Name, Option<Credential>)> = users.collect::<Result<_>>()?;
        let attributes = Attributes { requires_tls: options.require_tls, is_locked: options.locked };
        Ok(if manage.alter {
            accounts::Statement::Alter { if_exists: manage.lenient, users, attributes }
        } else {
            let users =
                users.into_iter().map(|(name, credential)| (name, credential.unwrap_or(Credential::NONE)));
            accounts::Statement::Create { if_not_exists: manage.lenient, users: users.collect(), attributes }
        })
    }

    pub(super) fn account_name(&self, account: Account) -> Name {
        match account {
            Account::Named { user, host } => Name::new(user, &host),
            // Of a source's statement, whoever said it there.
            Account::Current => self.invoker.as_deref().unwrap_or(self.access.account_name()).clone(),
        }
    }

    fn account_names(&self, accounts: Vec<Account>) -> Vec<Name> {
        accounts.into_iter().map(|account| self.account_name(account)).collect()
    }

    fn level(&self, level: PrivilegeLevel) -> Result<Level> {
        Ok(match level {
            PrivilegeLevel::Global => Level::Server,
            PrivilegeLevel::Database(db) => Level::Database(db),
            PrivilegeLevel::CurrentDatabase => Level::Database(self.database_of(None)?),
            PrivilegeLevel::Table(TableName { db, name }) => {
                Level::Table(self.database_of(db.as_deref())?, name)
            }
        })
    }
}

fn what(privileges: parse::Privileges) -> Result<What> {
    Ok(match privileges {
        parse::Privileges::All => What::All,
        parse::Privileges::These(these) => {
            if these.iter().any(|privilege| !privilege.columns.is_empty()) {
                return Err(unsupported("privileges on columns"));
            }
            What::These(these.into_iter().map(|privilege| privilege.name).collect())
        }
    })
}

fn credential(auth: Auth) -> Result<Credential> {
    let secret = match auth.secret {
        parse::Secret::None => Secret::None,
        parse::Secret::Password(password) => Secret::Password(password),
        parse::Secret::Hash(hash) => Secret::Hash(hash),
        parse::Secret::Random => return Err(unsupported("IDENTIFIED BY RANDOM PASSWORD")),
    };
    Ok(Credential { plugin: auth.plugin, secret, replaces: auth.replaces })
}
