//! Five clients: Debian's `mariadb`, Oracle's `mysql`, PyMySQL, go-sql-driver and `mysql_async`. Each logs in with both
//! authentication plugins, over TCP without TLS and over the socket, and does the same small piece of work. The server was
//! started again before, and knows no password's digest: the first login has to seal the password with its public key. The two
//! programs also check the server's certificate, and tell it their password under TLS alone.

use std::path::Path;
use std::process::Command;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, OptsBuilder, Params, TxOpts, Value};
use rig::clients::{VENDORS, Vendor, Way, account};
use rig::onelog::{Config, Onelog};
use rig::{Outcome, check, command, install, paths};

use crate::{Plan, sql};

const PASSWORD: &str = "pass'word 1";
const PLUGINS: [&str; 2] = ["caching_sha2_password", "mysql_native_password"];

/// What the command-line clients do, and what they print.
const SCRIPT: &str = "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(20), d DECIMAL(9,2));
INSERT INTO t (v, d) VALUES ('one', 1.5), (NULL, -2), ('d\u{f6}ner', 3.25);
BEGIN; UPDATE t SET v = 'gone'; ROLLBACK;
SELECT * FROM t ORDER BY id; SELECT CURRENT_USER(); DROP TABLE t;";
const PRINTED: &str = "1\tone\t1.50\n2\tNULL\t-2.00\n3\td\u{f6}ner\t3.25\n";

/// See the module.
pub fn run(_plan: &Plan) -> Outcome {
    let dir = paths::fresh("accept/clients")?;
    let config = Config::new(&dir.join("data"), &["--log-bin=binlog"])?;
    let mut server = config.start()?;
    // Its certificates are another authority's.
    let other = Config::new(&dir.join("other"), &[])?.start()?;
    let stranger = other.config.datadir.join("ca.pem");
    other.stop()?;
    let go = build_go(&dir)?;
    for plugin in PLUGINS {
        for client in ["MariaDb", "Oracle", "pymysql", "go", "rust"] {
            make_account(&server, client, plugin)?;
        }
        server.stop()?;
        server = config.start()?;
        for vendor in VENDORS {
            let user = user_of(&format!("{vendor:?}"), plugin);
            for way in ways(&server) {
                command_line(vendor, &user, &way)?;
            }
            secured(vendor, &server, plugin, &stranger)?;
            println!("{vendor:?}'s client works with {plugin}");
        }
        let user = user_of("pymysql", plugin);
        let mut python = Command::new("python3");
        python.arg(paths::root().join("crates/accept/clients/pymysql_client.py"));
        program(python.env("PYTHONPATH", install::python_path()?), &server, &user)?;
        println!("PyMySQL works with {plugin}");
        let user = user_of("go", plugin);
        program(&mut Command::new(&go), &server, &user)?;
        println!("go-sql-driver works with {plugin}");
        let user = user_of("rust", plugin);
        for socket in [false, true] {
            sql::block_on(rust(&server, &user, socket))?;
        }
        println!("mysql_async works with {plugin}");
    }
    server.stop()
}

/// TCP comes first: after it `caching_sha2_password` has the fast path everywhere.
fn ways(server: &Onelog) -> [Way<'_>; 2] {
    [Way::Tcp(server.port()), Way::Socket(Box::leak(server.config.socket().into_boxed_path()))]
}

/// A client's account with a plugin, and its database.
fn user_of(client: &str, plugin: &str) -> String {
    format!("{}_{}", client.to_lowercase(), &plugin[..6])
}

/// An account with a database of its name; returns that.
fn make_account(server: &Onelog, client: &str, plugin: &str) -> Outcome<String> {
    let user = user_of(client, plugin);
    let password = PASSWORD.replace('\'', "''");
    sql::run(
        server.port(),
        &[
            &format!("CREATE USER '{user}'@'%' IDENTIFIED WITH {plugin} BY '{password}'"),
            &format!("CREATE DATABASE {user}"),
            &format!("GRANT ALL ON {user}.* TO '{user}'@'%'"),
        ],
    )?;
    Ok(user)
}

fn command_line(vendor: Vendor, user: &str, way: &Way<'_>) -> Outcome {
    let mut client = vendor.client()?;
    account(&mut client, user, PASSWORD, way);
    if matches!(way, Way::Tcp(_)) {
        client.args(match vendor {
            Vendor::MariaDb => &["--skip-ssl"][..],
            Vendor::Oracle => &["--ssl-mode=DISABLED", "--get-server-public-key"],
        });
    }
    client.args(["--batch", "--skip-column-names", "--default-character-set=utf8mb4"]);
    client.args([&format!("--execute={SCRIPT}"), user]);
    let printed = command::run(&mut client)?;
    let expected = format!("{PRINTED}{user}@%\n");
    check(printed == expected, || format!("{client:?} printed {printed:?} instead of {expected:?}"))?;
    let mut wrong = vendor.client()?;
    account(&mut wrong, user, "wrong", way);
    let output = command::output(wrong.arg("--execute=SELECT 1"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    check(said.contains("ERROR 1045"), || format!("a wrong password gets {said} instead of error 1045"))
}

/// A first login over TCP, with a certificate that the server has made.
fn secured(vendor: Vendor, server: &Onelog, plugin: &str, stranger: &Path) -> Outcome {
    let user = make_account(server, &format!("{vendor:?}_tls"), plugin)?;
    let port = server.port();
    let with = |authority: &Path| {
        let mut client = vendor.client()?;
        account(&mut client, &user, PASSWORD, &Way::Tcp(port));
        client.arg(format!("--ssl-ca={}", authority.display()));
        client.arg(match vendor {
            Vendor::MariaDb => "--ssl-verify-server-cert",
            Vendor::Oracle => "--ssl-mode=VERIFY_CA",
        });
        client.args(["--batch", "--skip-column-names", "--execute=SHOW SESSION STATUS LIKE 'Ssl_version'"]);
        command::output(&mut client)
    };
    let output = with(&server.config.datadir.join("ca.pem"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    check(printed.starts_with("Ssl_version\tTLSv1."), || {
        format!("{vendor:?}: under TLS: {printed}{}", String::from_utf8_lossy(&output.stderr))
    })?;
    let output = with(stranger)?;
    check(!output.status.success(), || format!("{vendor:?} trusts a server that another authority knows"))
}

fn program(command: &mut Command, server: &Onelog, user: &str) -> Outcome {
    command.arg(server.config.socket()).args([&server.port().to_string(), user, PASSWORD]);
    let said = command::run(command)?;
    check(said.trim() == "ok", || format!("{command:?} said {said}"))
}

fn build_go(dir: &Path) -> Outcome<std::path::PathBuf> {
    let binary = dir.join("go_client");
    let mut build = Command::new("go");
    build.current_dir(paths::root().join("crates/accept/clients/go"));
    command::run(build.arg("build").arg("-o").arg(&binary).arg("."))?;
    Ok(binary)
}

async fn rust(server: &Onelog, user: &str, socket: bool) -> Outcome {
    let options =
        OptsBuilder::default().user(Some(user)).pass(Some(PASSWORD)).db_name(Some(user)).prefer_socket(false);
    let options = if socket {
        options.socket(Some(server.config.socket().display().to_string()))
    } else {
        options.ip_or_hostname("127.0.0.1").tcp_port(server.port())
    };
    let mut conn = Conn::new(options).await?;
    conn.query_drop(
        "CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY, v VARBINARY(300), f DOUBLE, at DATETIME(6))",
    )
    .await?;
    let insert = conn.prep("INSERT INTO t VALUES (?, ?, ?, '2024-02-29 12:34:56.789012')").await?;
    for id in [1_u64, u64::MAX] {
        let values = vec![Value::UInt(id), Value::Bytes(vec![0, 255, 39, 92]), Value::Double(-0.1)];
        conn.exec_drop(&insert, Params::Positional(values)).await?;
    }
    let mut trx = conn.start_transaction(TxOpts::default()).await?;
    trx.query_drop("DELETE FROM t").await?;
    trx.rollback().await?;
    let row: Option<(u64, Vec<u8>, f64, Value)> =
        conn.exec_first("SELECT * FROM t WHERE id > ?", (1,)).await?;
    let date = Value::Date(2024, 2, 29, 12, 34, 56, 789_012);
    let expected = Some((u64::MAX, vec![0, 255, 39, 92], -0.1, date));
    check(row == expected, || format!("mysql_async read {row:?} instead of {expected:?}"))?;
    let again = conn.exec_drop(&insert, (1, "", 0.0)).await;
    let duplicate = matches!(&again, Err(mysql_async::Error::Server(error)) if error.code == 1062);
    check(duplicate, || format!("a duplicate key gives {again:?} instead of error 1062"))?;
    conn.query_drop("DROP TABLE t").await?;
    Ok(conn.disconnect().await?)
}
