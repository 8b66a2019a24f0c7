//! Purpose: statements about accounts do what they do in MySQL, and checks answer as MySQL's do.
//!
//! Requirements: R1. CREATE, ALTER, DROP, RENAME USER, SET PASSWORD, GRANT and REVOKE change accounts as MySQL 8.0.46
//! does, refuse with its errors, and change nothing then; R2. SHOW GRANTS and SHOW CREATE USER print its texts; R3.
//! privileges of server, database and table are checked with its errors; R4. the most specific account is found; R5.
//! digests of passwords are remembered for their password alone.
//!
//! Method: a session against MySQL 8.0.46, replayed: statements, answers and SHOW GRANTS in its order.

use std::sync::Arc;

use engine::catalog::Catalog;
use protocol::auth::{FastDigest, Verifier};
use server::accounts::{
    Access, Account, Accounts, Attributes, Circumstances, Credential, Level, Missing, Name, Peer, Privileges,
    Secret, Shown, Statement, USER_COLUMNS, UserCell, What, codec,
};
use types::error::SqlError;
use types::warning::Warnings;

struct World {
    accounts: Arc<Accounts>,
    access: Access,
    warnings: Warnings,
}

fn tcp(address: &str) -> Peer {
    Peer::tcp(address.parse().unwrap())
}

fn name(text: &str) -> Name {
    let (user, host) = text.split_once('@').unwrap_or((text, "%"));
    Name::new(user, host)
}

fn names(list: &[&str]) -> Vec<Name> {
    list.iter().map(|text| name(text)).collect()
}

fn these(list: &str) -> What {
    What::These(list.split(", ").map(str::to_owned).collect())
}

fn database(name: &str) -> Level {
    Level::Database(name.to_owned())
}

fn on_table(database: &str, table: &str) -> Level {
    Level::Table(database.to_owned(), table.to_owned())
}

impl World {
    fn new() -> Self {
        let mut catalog = Catalog::default();
        let root = Account::root();
        catalog.put_account(root.name.key(), Some(codec::encode(&root)));
        let accounts = Arc::new(Accounts::load(&catalog, [1; 32]).unwrap());
        let access = access(&accounts, "root", Peer::local());
        Self { accounts, access, warnings: Warnings::default() }
    }

    fn run_as(&mut self, access: &Access, statement: &Statement) -> Result<(), SqlError> {
        let around = Circumstances {
            access,
            now_s: 1000,
            default_plugin: "caching_sha2_password",
            salt: &|| [7; 20],
            table_exists: &|database, table| database == "db1" && ["t1", "t2"].contains(&table),
        };
        self.warnings.clear();
        let plan = self.accounts.table().plan(statement, around, &mut self.warnings)?;
        for change in &plan.changes {
            // What the catalog keeps is what the table holds.
            let (key, bytes) = change.row();
            let decoded = bytes.map(|bytes| codec::decode(&key, &bytes).unwrap());
            assert_eq!(decoded, change.account);
        }
        self.accounts.adopt(plan);
        Ok(())
    }

    fn run(&mut self, statement: &Statement) -> Result<(), SqlError> {
        let access = access(&self.accounts, "root", Peer::local());
        self.run_as(&access, statement)
    }

    fn ok(&mut self, statement: &Statement) {
        self.run(statement).unwrap();
    }

    fn error(&mut self, statement: &Statement) -> (u16, String) {
        let before = self.accounts.table();
        let error = self.run(statement).unwrap_err();
        assert!(Arc::ptr_eq(&before, &self.accounts.table()), "a refused statement changes nothing");
        (error.code, error.message)
    }

    fn create(&mut self, user: &str, password: &str) {
        self.ok(&create(&[user], &Credential::password(password)));
    }

    fn grants(&self, user: &str) -> Vec<String> {
        self.accounts.table().show_grants(&name(user)).unwrap()
    }
}

fn access(accounts: &Arc<Accounts>, user: &str, peer: Peer) -> Access {
    let account = accounts.table().find(user, &peer).unwrap();
    Access::new(Arc::clone(accounts), account, user, peer)
}

fn create(users: &[&str], credential: &Credential) -> Statement {
    let users = users.iter().map(|user| (name(user), credential.clone())).collect();
    Statement::Create { if_not_exists: false, users, attributes: Attributes::default() }
}

fn drop_users(users: &[&str], if_exists: bool) -> Statement {
    Statement::Drop { if_exists, users: names(users) }
}

fn grant(what: What, level: Level, user: &str) -> Statement {
    Statement::Grant { what, level, users: names(&[user]), with_grant_option: false }
}

fn revoke(what: What, level: Level, user: &str) -> Statement {
    Statement::Revoke { what, level, users: names(&[user]), missing: Missing::default() }
}

/// What MySQL prints for all static privileges.
const ALL: &str = "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, RELOAD, SHUTDOWN, PROCESS, FILE, REFERENCES, INDEX, \
                   ALTER, SHOW DATABASES, SUPER, CREATE TEMPORARY TABLES, LOCK TABLES, EXECUTE, REPLICATION SLAVE, \
                   REPLICATION CLIENT, CREATE VIEW, SHOW VIEW, CREATE ROUTINE, ALTER ROUTINE, CREATE USER, EVENT, \
                   TRIGGER, CREATE TABLESPACE, CREATE ROLE, DROP ROLE";

/// And for all dynamic ones.
const DYNAMIC: &str = "APPLICATION_PASSWORD_ADMIN,AUDIT_ABORT_EXEMPT,AUDIT_ADMIN,AUTHENTICATION_POLICY_ADMIN,\
                       BACKUP_ADMIN,BINLOG_ADMIN,BINLOG_ENCRYPTION_ADMIN,CLONE_ADMIN,CONNECTION_ADMIN,\
                       ENCRYPTION_KEY_ADMIN,FIREWALL_EXEMPT,FLUSH_OPTIMIZER_COSTS,FLUSH_STATUS,FLUSH_TABLES,\
                       FLUSH_USER_RESOURCES,GROUP_REPLICATION_ADMIN,GROUP_REPLICATION_STREAM,INNODB_REDO_LOG_ARCHIVE,\
                       INNODB_REDO_LOG_ENABLE,PASSWORDLESS_USER_ADMIN,PERSIST_RO_VARIABLES_ADMIN,REPLICATION_APPLIER,\
                       REPLICATION_SLAVE_ADMIN,RESOURCE_GROUP_ADMIN,RESOURCE_GROUP_USER,ROLE_ADMIN,\
                       SENSITIVE_VARIABLES_OBSERVER,SERVICE_CONNECTION_ADMIN,SESSION_VARIABLES_ADMIN,SET_USER_ID,\
                       SHOW_ROUTINE,SYSTEM_USER,SYSTEM_VARIABLES_ADMIN,TABLE_ENCRYPTION_ADMIN,TELEMETRY_LOG_ADMIN,\
                       XA_RECOVER_ADMIN";

#[test]
fn grants_go_and_print_as_in_mysql() {
    let mut world = World::new();
    assert_eq!(
        world.grants("root@localhost"),
        [
            format!("GRANT {ALL} ON *.* TO `root`@`localhost` WITH GRANT OPTION"),
            format!("GRANT {DYNAMIC} ON *.* TO `root`@`localhost` WITH GRANT OPTION"),
        ]
    );
    world.create("a", "secret");
    assert_eq!(world.grants("a"), ["GRANT USAGE ON *.* TO `a`@`%`"]);
    world.ok(&grant(these("SELECT, insert"), Level::Server, "a"));
    assert_eq!(world.grants("a"), ["GRANT SELECT, INSERT ON *.* TO `a`@`%`"]);
    world.ok(&grant(What::All, Level::Server, "a"));
    assert_eq!(
        world.grants("a"),
        [format!("GRANT {ALL} ON *.* TO `a`@`%`"), format!("GRANT {DYNAMIC} ON *.* TO `a`@`%`")]
    );
    world.ok(&revoke(these("SUPER"), Level::Server, "a"));
    world.ok(&revoke(What::All, Level::Server, "a"));
    assert_eq!(world.grants("a"), ["GRANT USAGE ON *.* TO `a`@`%`"]);
    world.ok(&grant(What::All, database("db1"), "a"));
    assert_eq!(world.grants("a")[1], "GRANT ALL PRIVILEGES ON `db1`.* TO `a`@`%`");
    world.ok(&grant(these("GRANT OPTION"), database("db1"), "a"));
    assert_eq!(world.grants("a")[1], "GRANT ALL PRIVILEGES ON `db1`.* TO `a`@`%` WITH GRANT OPTION");
    world.ok(&revoke(these("INSERT"), database("db1"), "a"));
    let on_db1 = "GRANT SELECT, UPDATE, DELETE, CREATE, DROP, REFERENCES, INDEX, ALTER, CREATE TEMPORARY TABLES, \
                  LOCK TABLES, EXECUTE, CREATE VIEW, SHOW VIEW, CREATE ROUTINE, ALTER ROUTINE, EVENT, TRIGGER ON \
                  `db1`.* TO `a`@`%` WITH GRANT OPTION";
    assert_eq!(world.grants("a")[1], on_db1);
    let what = these("SELECT, UPDATE");
    let level = on_table("db1", "t1");
    world.ok(&Statement::Grant { what, level, users: names(&["a"]), with_grant_option: true });
    world.ok(&grant(What::All, on_table("db1", "t2"), "a"));
    world.ok(&revoke(these("SELECT"), on_table("db1", "t1"), "a"));
    world.ok(&revoke(these("DELETE"), on_table("db1", "t1"), "a"));
    world.ok(&grant(these("binlog_admin"), Level::Server, "a"));
    let what = these("binlog_admin, backup_admin");
    let users = names(&["a"]);
    world.ok(&Statement::Grant { what, level: Level::Server, users, with_grant_option: true });
    assert_eq!(
        world.grants("a"),
        [
            "GRANT USAGE ON *.* TO `a`@`%`",
            "GRANT BACKUP_ADMIN,BINLOG_ADMIN ON *.* TO `a`@`%` WITH GRANT OPTION",
            on_db1,
            "GRANT UPDATE ON `db1`.`t1` TO `a`@`%` WITH GRANT OPTION",
            "GRANT ALL PRIVILEGES ON `db1`.`t2` TO `a`@`%`",
        ]
    );
    let (what, users) = (these("USAGE"), names(&["a"]));
    world.ok(&Statement::Grant { what, level: Level::Server, users, with_grant_option: true });
    assert_eq!(world.grants("a")[0], "GRANT USAGE ON *.* TO `a`@`%` WITH GRANT OPTION");
    world.ok(&Statement::RevokeAll(names(&["a"]), Missing::default()));
    assert_eq!(world.grants("a"), ["GRANT USAGE ON *.* TO `a`@`%`"]);
    world.ok(&grant(these("REPLICATION SLAVE, REPLICATION CLIENT"), Level::Server, "a"));
    world.ok(&grant(these("SELECT"), database("d\\_1"), "a"));
    world.ok(&grant(these("SELECT"), database("d%"), "a"));
    assert_eq!(
        world.grants("a"),
        [
            "GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO `a`@`%`",
            "GRANT SELECT ON `d%`.* TO `a`@`%`",
            "GRANT SELECT ON `d\\_1`.* TO `a`@`%`",
        ]
    );
}

#[test]
fn refused_grants_have_mysqls_errors() {
    let mut world = World::new();
    world.create("a", "x");
    let select = || these("SELECT");
    for (statement, code, message) in [
        (grant(select(), on_table("db1", "nosuch"), "a"), 1146, "Table 'db1.nosuch' doesn't exist"),
        (
            revoke(these("DELETE"), on_table("db1", "nosuch"), "a"),
            1147,
            "There is no such grant defined for user 'a' on host '%' on table 'nosuch'",
        ),
        (
            revoke(these("DELETE"), database("dbx"), "a"),
            1141,
            "There is no such grant defined for user 'a' on host '%'",
        ),
        (
            revoke(these("DELETE"), Level::Server, "nosuch"),
            1141,
            "There is no such grant defined for user 'nosuch' on host '%'",
        ),
        (grant(select(), Level::Server, "nosuch"), 1410, "You are not allowed to create a user with GRANT"),
        (
            grant(these("REPLICATION SLAVE"), database("db1"), "a"),
            1221,
            "Incorrect usage of DB GRANT and GLOBAL PRIVILEGES",
        ),
        (
            grant(these("RELOAD"), on_table("db1", "t1"), "a"),
            1144,
            "Illegal GRANT/REVOKE command; please consult the manual to see which privileges can be used",
        ),
        (
            grant(these("binlog_admin"), database("db1"), "a"),
            3619,
            "Illegal privilege level specified for BINLOG_ADMIN",
        ),
        (
            grant(these("nosuch_priv"), Level::Server, "a"),
            1149,
            "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version \
             for the right syntax to use",
        ),
    ] {
        assert_eq!(world.error(&statement), (code, message.to_owned()));
    }
    world.ok(&revoke(these("DELETE"), Level::Server, "a"));
    world.ok(&grant(What::All, on_table("db1", "new"), "a"));
}

#[test]
fn users_come_and_go_as_in_mysql() {
    let mut world = World::new();
    world.create("a", "secret");
    let failed = |operation: &str, who: &str| (1396, format!("Operation {operation} failed for {who}"));
    assert_eq!(world.error(&create(&["a", "b"], &Credential::NONE)), failed("CREATE USER", "'a'@'%'"));
    let users = vec![(name("a"), Credential::password("x"))];
    world.ok(&Statement::Create { if_not_exists: true, users, attributes: Attributes::default() });
    assert_eq!(world.warnings.entries()[0].message, "Authorization ID 'a'@'%' already exists.");
    assert_eq!(world.warnings.entries()[0].code, 3163);
    world
        .ok(&create(&["e@10.0.0.1", "e@10.%", "e@10.0.0.0/255.255.255.0", "E@LocalHost"], &Credential::NONE));
    let listed: Vec<_> = world.accounts.table().iter().map(|account| account.name.to_string()).collect();
    let expected = [
        "'E'@'localhost'",
        "'a'@'%'",
        "'e'@'10.%'",
        "'e'@'10.0.0.0/255.255.255.0'",
        "'e'@'10.0.0.1'",
        "'root'@'localhost'",
    ];
    assert_eq!(listed, expected);
    assert_eq!(world.error(&drop_users(&["a", "nosuch@x"], false)), failed("DROP USER", "'nosuch'@'x'"));
    assert_eq!(
        world.error(&drop_users(&["nosuch", "nosuch2@localhost"], false)),
        failed("DROP USER", "'nosuch'@'%','nosuch2'@'localhost'")
    );
    world.ok(&drop_users(&["nosuch"], true));
    assert_eq!(world.warnings.entries()[0].message, "Authorization ID 'nosuch'@'%' does not exist.");
    assert_eq!(world.warnings.entries()[0].code, 3162);
    world.ok(&Statement::Rename(vec![(name("e@10.%"), name("f@10.%"))]));
    let rename = |old: &str, new: &str| Statement::Rename(vec![(name(old), name(new))]);
    assert_eq!(world.error(&rename("nosuch@a", "x@y")), failed("RENAME USER", "'nosuch'@'a'"));
    assert_eq!(world.error(&rename("a", "f@10.%")), failed("RENAME USER", "'a'@'%'"));
    let alter = |user: &str, if_exists| Statement::Alter {
        if_exists,
        users: vec![(name(user), Some(Credential::password("n")))],
        attributes: Attributes::default(),
    };
    assert_eq!(world.error(&alter("nosuch@x", false)), failed("ALTER USER", "'nosuch'@'x'"));
    world.ok(&alter("nosuch@x", true));
    let set = Statement::SetPassword(name("nosuch@localhost"), Credential::password("x"));
    assert_eq!(world.error(&set), (1133, "Can't find any matching row in the user table".into()));
    let plugin =
        |plugin: &str, secret| Credential { plugin: Some(plugin.to_owned()), secret, replaces: None };
    assert_eq!(
        world.error(&create(&["d"], &plugin("nosuch", Secret::None))),
        (1524, "Plugin 'nosuch' is not loaded".into())
    );
    let hash = plugin("caching_sha2_password", Secret::Hash(b"$A$005$abc".to_vec()));
    assert_eq!(
        world.error(&create(&["d"], &hash)),
        (1827, "The password hash doesn't have the expected format.".into())
    );
    let long = "abcdefghijklmnopqrstuvwxyzabcdefgh@localhost";
    assert_eq!(
        world.error(&create(&[long], &Credential::NONE)),
        (
            1470,
            "String 'abcdefghijklmnopqrstuvwxyzabcdefgh' is too long for user name (should be no longer than 32)"
                .into()
        )
    );
    let far = format!("a@{}", "h".repeat(256));
    assert_eq!(world.error(&create(&[&far], &Credential::NONE)).0, 1470);
    let missing = world.accounts.table().show_grants(&name("nosuch@localhost")).unwrap_err();
    assert_eq!(missing.message, "There is no such grant defined for user 'nosuch' on host 'localhost'");
    let missing = world.accounts.table().show_create_user(&name("nosuch"), Shown::Text).unwrap_err();
    assert_eq!(missing.message, "Operation SHOW CREATE USER failed for 'nosuch'@'%'");
}

/// ACCOUNT LOCK, or UNLOCK.
fn locked(is_locked: bool) -> Attributes {
    Attributes { is_locked: Some(is_locked), requires_tls: None }
}

#[test]
fn show_create_user_prints_what_mysql_prints() {
    let mut world = World::new();
    let native = Credential {
        plugin: Some("mysql_native_password".into()),
        secret: Secret::Password("x".into()),
        replaces: None,
    };
    let users = vec![(name("b@localhost"), native)];
    world.ok(&Statement::Create { if_not_exists: false, users, attributes: locked(true) });
    let show = |world: &World, user: &str, shown| {
        world.accounts.table().show_create_user(&name(user), shown).unwrap()
    };
    assert_eq!(
        show(&world, "b@localhost", Shown::Text),
        "CREATE USER `b`@`localhost` IDENTIFIED WITH 'mysql_native_password' AS \
         '*B69027D44F6E5EDC07F1AEAD1477967B16F28227' REQUIRE NONE PASSWORD EXPIRE DEFAULT ACCOUNT LOCK PASSWORD \
         HISTORY DEFAULT PASSWORD REUSE INTERVAL DEFAULT PASSWORD REQUIRE CURRENT DEFAULT"
    );
    world.ok(&create(&["e@10.%"], &Credential::NONE));
    assert_eq!(
        show(&world, "e@10.%", Shown::Text),
        "CREATE USER `e`@`10.%` IDENTIFIED WITH 'caching_sha2_password' REQUIRE NONE PASSWORD EXPIRE DEFAULT ACCOUNT \
         UNLOCK PASSWORD HISTORY DEFAULT PASSWORD REUSE INTERVAL DEFAULT PASSWORD REQUIRE CURRENT DEFAULT"
    );
    let users = vec![(name("b@localhost"), None)];
    world.ok(&Statement::Alter { if_exists: false, users, attributes: locked(false) });
    assert!(
        show(&world, "b@localhost", Shown::Text)
            .contains(" REQUIRE NONE PASSWORD EXPIRE DEFAULT ACCOUNT UNLOCK ")
    );
    let attributes = Attributes { requires_tls: Some(true), is_locked: None };
    let users = vec![(name("b@localhost"), None)];
    world.ok(&Statement::Alter { if_exists: false, users, attributes });
    assert!(
        show(&world, "b@localhost", Shown::Text)
            .contains(" REQUIRE SSL PASSWORD EXPIRE DEFAULT ACCOUNT UNLOCK ")
    );
    // What is printed makes the same account again.
    world.create("c", "it's \"quoted\"");
    let stored = world.accounts.table().get(&name("c")).unwrap().verifier.authentication_string();
    let hash = Credential {
        plugin: Some("caching_sha2_password".into()),
        secret: Secret::Hash(stored.clone().into_bytes()),
        replaces: None,
    };
    world.ok(&create(&["d"], &hash));
    assert_eq!(world.accounts.table().get(&name("d")).unwrap().verifier.authentication_string(), stored);
    assert!(show(&world, "c", Shown::Hex).contains(" AS 0x24412430303524"));
}

/// Listing all of them is not ALL, which asks for all the others too.
#[test]
fn who_lists_all_dynamic_privileges_has_to_have_them() {
    let mut world = World::new();
    world.create("u1", "p");
    let u1 = access(&world.accounts, "u1", tcp("127.0.0.1"));
    let list = || these(&DYNAMIC.replace(',', ", "));
    let to_itself = Statement::Grant {
        what: list(),
        level: Level::Server,
        users: names(&["u1"]),
        with_grant_option: true,
    };
    assert_eq!(world.run_as(&u1, &to_itself).unwrap_err().code, 1227);
    assert_eq!(world.run_as(&u1, &revoke(list(), Level::Server, "u1")).unwrap_err().code, 1227);
    assert_eq!(world.run_as(&u1, &grant(What::All, Level::Server, "u1")).unwrap_err().code, 1045);
    assert_eq!(world.grants("u1"), ["GRANT USAGE ON *.* TO `u1`@`%`"]);
    // Who has them with GRANT OPTION hands them on.
    world.ok(&to_itself);
    world.create("u2", "p");
    let u1 = access(&world.accounts, "u1", tcp("127.0.0.1"));
    world.run_as(&u1, &grant(list(), Level::Server, "u2")).unwrap();
    assert_eq!(world.grants("u2")[1], format!("GRANT {DYNAMIC} ON *.* TO `u2`@`%`"));
}

#[test]
fn privileges_are_checked_with_mysqls_errors() {
    let mut world = World::new();
    world.create("u1", "p");
    world.ok(&grant(these("SELECT"), on_table("db1", "t1"), "u1"));
    world.ok(&grant(these("INSERT"), database("db1"), "u1"));
    world.ok(&grant(these("CREATE USER, GRANT OPTION"), Level::Server, "u1"));
    let u1 = access(&world.accounts, "u1", tcp("127.0.0.1"));
    let text = |result: Result<(), SqlError>| result.unwrap_err().to_string();
    u1.on_table(Privileges::SELECT, "db1", "t1").unwrap();
    u1.on_table(Privileges::INSERT, "db1", "t2").unwrap();
    u1.on_table(Privileges::SELECT, "information_schema", "tables").unwrap();
    u1.use_database("db1").unwrap();
    u1.use_database("information_schema").unwrap();
    assert_eq!(
        text(u1.on_table(Privileges::SELECT, "db1", "t2")),
        "ERROR 1142 (42000): SELECT command denied to user 'u1'@'localhost' for table 't2'"
    );
    assert_eq!(
        text(u1.on_table(Privileges::INSERT.union(Privileges::DELETE), "db1", "t1")),
        "ERROR 1142 (42000): DELETE command denied to user 'u1'@'localhost' for table 't1'"
    );
    assert_eq!(
        text(u1.on_table(Privileges::CREATE_VIEW, "db1", "v")),
        "ERROR 1142 (42000): CREATE VIEW command denied to user 'u1'@'localhost' for table 'v'"
    );
    assert_eq!(
        text(u1.use_database("mysql")),
        "ERROR 1044 (42000): Access denied for user 'u1'@'%' to database 'mysql'"
    );
    assert_eq!(
        text(u1.database(Privileges::DROP, "db1")),
        "ERROR 1044 (42000): Access denied for user 'u1'@'%' to database 'db1'"
    );
    assert_eq!(
        text(u1.require(Privileges::SUPER, "BINLOG_ADMIN", "SUPER or BINLOG_ADMIN")),
        "ERROR 1227 (42000): Access denied; you need (at least one of) the SUPER or BINLOG_ADMIN privilege(s) for \
         this operation"
    );
    let mut as_u1 = |statement: Statement| world.run_as(&u1, &statement).unwrap_err().to_string();
    assert_eq!(
        as_u1(grant(these("SELECT"), Level::Server, "u1")),
        "ERROR 1045 (28000): Access denied for user 'u1'@'%' (using password: YES)"
    );
    assert_eq!(
        as_u1(grant(these("SELECT"), database("db1"), "u1")),
        "ERROR 1044 (42000): Access denied for user 'u1'@'%' to database 'db1'"
    );
    assert_eq!(
        as_u1(drop_users(&["root@localhost"], false)),
        "ERROR 1227 (42000): Access denied; you need (at least one of) the SYSTEM_USER privilege(s) for this operation"
    );
    assert_eq!(
        as_u1(Statement::Rename(vec![(name("root@localhost"), name("x"))])),
        "ERROR 1227 (42000): Access denied; you need (at least one of) the SYSTEM_USER privilege(s) for this operation"
    );
    world.run_as(&u1, &grant(these("SELECT"), on_table("db1", "t1"), "u1")).unwrap();
    world.run_as(&u1, &grant(these("INSERT"), database("db1"), "u1")).unwrap();
    world.run_as(&u1, &Statement::SetPassword(name("u1"), Credential::password("p"))).unwrap();
    assert!(u1.sees_database("db1") && !u1.sees_database("mysql"));
    assert!(u1.sees_table("db1", "t2") && !u1.sees_table("mysql", "user"));
    assert!(!u1.is_admin() && world.access.is_admin());
    world.ok(&grant(these("BINLOG_ADMIN, CONNECTION_ADMIN"), Level::Server, "u1"));
    u1.require(Privileges::SUPER, "BINLOG_ADMIN", "SUPER or BINLOG_ADMIN").unwrap();
    assert!(u1.is_admin(), "a grant counts from the next statement on");
    world.ok(&drop_users(&["u1"], false));
    assert!(u1.is_admin(), "a session outlives its account");
}

#[test]
fn accounts_without_privileges_change_themselves_only() {
    let mut world = World::new();
    world.create("a", "x");
    world.create("b", "x");
    let a = access(&world.accounts, "a", Peer::local());
    let set = |user: &str| Statement::SetPassword(name(user), Credential::password("new"));
    world.run_as(&a, &set("a")).unwrap();
    assert_eq!(world.run_as(&a, &set("b")).unwrap_err().code, 1044);
    let alter = |user: &str, is_locked, requires_tls| Statement::Alter {
        if_exists: false,
        users: vec![(name(user), Some(Credential::password("y")))],
        attributes: Attributes { requires_tls, is_locked },
    };
    world.run_as(&a, &alter("a", None, None)).unwrap();
    let alter_as = |credential| Statement::Alter {
        if_exists: false,
        users: vec![(name("a"), credential)],
        attributes: Attributes::default(),
    };
    let replacing = |replaced: &str| {
        alter_as(Some(Credential { replaces: Some(replaced.into()), ..Credential::password("z") }))
    };
    assert_eq!(world.run_as(&a, &replacing("x")).unwrap_err().code, 3891);
    world.run_as(&a, &replacing("y")).unwrap();
    assert_eq!(world.run(&replacing("z")).unwrap_err().code, 3893);
    for refused in [
        alter("b", None, None),
        alter("a", Some(true), None),
        alter("nobody", None, None),
        alter_as(None),
        alter_as(Some(Credential::NONE)),
        alter_as(Some(Credential {
            plugin: Some("mysql_native_password".into()),
            ..Credential::password("y")
        })),
        alter("a", None, Some(false)),
        drop_users(&["b"], false),
        create(&["c"], &Credential::NONE),
    ] {
        assert_eq!(world.run_as(&a, &refused).unwrap_err().code, 1227);
    }
}

#[test]
fn the_most_specific_account_is_found() {
    let mut world = World::new();
    for user in
        ["u", "u@10.%", "u@10.1.%", "u@10.1.0.0/255.255.0.0", "u@10.1.2.3", "@10.1.2.3", "@localhost", "v"]
    {
        world.create(user, "x");
    }
    let found = |user: &str, peer: Peer| {
        world.accounts.table().find(user, &peer).map(|account| account.name.to_string())
    };
    for (user, address, expected) in [
        ("u", "10.1.2.3", "'u'@'10.1.2.3'"),
        ("u", "10.1.2.4", "'u'@'10.1.0.0/255.255.0.0'"),
        ("u", "10.2.2.4", "'u'@'10.%'"),
        ("u", "11.2.2.4", "'u'@'%'"),
        ("v", "10.1.2.3", "''@'10.1.2.3'"),
        ("v", "10.1.2.4", "'v'@'%'"),
        ("root", "127.0.0.1", "'root'@'localhost'"),
        ("u", "127.0.0.1", "''@'localhost'"),
    ] {
        assert_eq!(found(user, tcp(address)).as_deref(), Some(expected), "{user} {address}");
    }
    assert_eq!(found("root", tcp("10.9.9.9")), None);
    assert_eq!(found("root", Peer::local()).as_deref(), Some("'root'@'localhost'"));
    assert!(world.accounts.table().knows_place(&tcp("8.8.8.8")));
    let fresh = World::new();
    assert!(!fresh.accounts.table().knows_place(&tcp("8.8.8.8")), "root is for this machine alone");
}

#[test]
fn digests_are_remembered_for_their_password_alone() {
    let mut world = World::new();
    world.create("a", "one");
    let cached = |world: &World| world.accounts.login(b"a", &Peer::local()).unwrap().1.cached.is_some();
    assert!(cached(&world), "creating an account spares its first login the digesting");
    let (account, _) = world.accounts.login(b"a", &Peer::local()).unwrap();
    world.ok(&grant(these("SELECT"), Level::Server, "a"));
    assert!(cached(&world), "a grant changes no password");
    let elsewhere = account;
    world.ok(&drop_users(&["a"], false));
    world.ok(&create(&["a"], &Credential::NONE));
    assert!(!cached(&world));
    // Somebody whose login began before the change brings its digest late.
    world.accounts.remember(&elsewhere, FastDigest::of_password(b"one"));
    assert!(!cached(&world));
    assert!(world.accounts.login(b"nosuch", &Peer::local()).is_none());
    assert!(world.accounts.login(b"\xff\xfe", &Peer::local()).is_none());
}

#[test]
fn rows_of_mysql_user_have_mysqls_columns() {
    let recorded: Vec<_> = include_str!("../data/mysql-user-8.0.46.txt").lines().collect();
    assert_eq!(USER_COLUMNS, recorded);
    let row = Account::root().user_row();
    let cell = |column: &str| row[USER_COLUMNS.iter().position(|name| *name == column).unwrap()].clone();
    assert_eq!(cell("User"), UserCell::Text("root".into()));
    assert_eq!(cell("Super_priv"), UserCell::Text("Y".into()));
    assert_eq!(cell("Grant_priv"), UserCell::Text("Y".into()));
    assert_eq!(cell("plugin"), UserCell::Text("caching_sha2_password".into()));
    assert_eq!(cell("password_lifetime"), UserCell::Null);
    assert_eq!(cell("max_questions"), UserCell::Number(0));
    assert!(matches!(Account::root().verifier, Verifier::Empty(_)));
}

#[test]
fn who_may_grant_on_a_pattern_may_not_grant_on_a_wider_one() {
    let mut world = World::new();
    world.create("ten", "p");
    let all = |pattern: &str, user: &str, with_grant_option| Statement::Grant {
        what: What::All,
        level: database(pattern),
        users: names(&[user]),
        with_grant_option,
    };
    world.ok(&all("tenant_1", "ten", true));
    let ten = access(&world.accounts, "ten", tcp("127.0.0.1"));
    for wider in ["tenant%1", "tenan%", "%", "tenant_%"] {
        for statement in [all(wider, "ten", false), revoke(What::All, database(wider), "ten")] {
            let denied = world.run_as(&ten, &statement).unwrap_err();
            let text = format!("ERROR 1044 (42000): Access denied for user 'ten'@'%' to database '{wider}'");
            assert_eq!(denied.to_string(), text);
        }
    }
    for narrower in ["tenant_1", "tenant\\_1", "tenant21"] {
        world.run_as(&ten, &all(narrower, "ten", false)).unwrap();
    }
}
