//! The Rust client (`mysql_async`), as the parts use it.

use std::future::Future;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts, OptsBuilder, Row, Value};
use rig::Outcome;

/// Runs a future to its end on a runtime of its own.
pub fn block_on<T>(future: impl Future<Output = Outcome<T>>) -> Outcome<T> {
    tokio::runtime::Runtime::new()?.block_on(future)
}

/// An account without a password, over TCP.
pub fn options(port: u16, user: &str) -> Opts {
    OptsBuilder::default()
        .ip_or_hostname("127.0.0.1")
        .tcp_port(port)
        .user(Some(user))
        .prefer_socket(false)
        .into()
}

/// Connects as root over TCP.
pub async fn root(port: u16) -> Outcome<Conn> {
    Ok(Conn::new(options(port, "root")).await?)
}

/// Runs statements as root, one after another.
pub fn run(port: u16, statements: &[&str]) -> Outcome {
    block_on(async {
        let mut root = root(port).await?;
        for statement in statements {
            root.query_drop(*statement).await.map_err(|error| format!("{statement}: {error}"))?;
        }
        root.disconnect().await?;
        Ok(())
    })
}

/// The only value of a query's only row, as text.
pub async fn value(conn: &mut Conn, query: &str) -> Outcome<String> {
    let row: Option<Row> = conn.query_first(query).await?;
    let row = row.ok_or_else(|| format!("{query}: no row"))?;
    Ok(match row.as_ref(0) {
        Some(Value::Bytes(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        Some(value) => value.as_sql(true),
        None => return Err(format!("{query}: no column").into()),
    })
}

/// Makes an account without a password that may do anything, reachable from this machine.
pub fn make_user(port: u16, user: &str) -> Outcome {
    let create = format!("CREATE USER IF NOT EXISTS '{user}'@'%' IDENTIFIED WITH mysql_native_password");
    run(port, &[&create, &format!("GRANT ALL ON *.* TO '{user}'@'%'")])
}
