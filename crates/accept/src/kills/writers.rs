//! The writers and their ledger.

use std::sync::Arc;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Params};
use rig::Outcome;

use super::WRITERS;
use crate::load::Load;
use crate::sql;

/// Writes with all writers, each going on where the ledger says, until the server is gone. Returns what was
/// acknowledged.
pub fn write(port: u16, ledger: [u64; WRITERS], load: &Arc<Load>) -> Outcome<[u64; WRITERS]> {
    sql::block_on(async {
        let one = |it| tokio::spawn(writer(port, it, ledger[it], Arc::clone(load)));
        let writers: Vec<_> = (0..WRITERS).map(one).collect();
        let mut acknowledged = ledger;
        for (number, task) in writers.into_iter().enumerate() {
            acknowledged[number] = task.await??;
        }
        Ok(acknowledged)
    })
}

/// One writer. An answer that says that a transaction was refused is a failure; no answer is the end, once the server was
/// killed.
async fn writer(port: u16, writer: usize, known: u64, load: Arc<Load>) -> Outcome<u64> {
    let mut done = known;
    let ended = match Conn::new(sql::options(port, "root")).await {
        Ok(mut conn) => loop {
            match transaction(&mut conn, writer, done + 1).await {
                Ok(()) => done += 1,
                Err(error) => break error,
            }
            if done == known + 1 {
                load.begin();
            }
        },
        Err(error) => error,
    };
    match ended {
        mysql_async::Error::Server(error) if error.code != 1053 => {
            Err(load.fail(format!("writer {writer}: {error}")).into())
        }
        ended => load.end(&ended).map(|()| done),
    }
}

async fn transaction(conn: &mut Conn, writer: usize, n: u64) -> Result<(), mysql_async::Error> {
    let numbers = || Params::from((writer, n));
    conn.query_drop("BEGIN").await?;
    conn.exec_drop("INSERT INTO d.a VALUES (?, ?, REPEAT('x', 100))", numbers()).await?;
    conn.exec_drop("INSERT INTO d.b (writer, n) VALUES (?, ?)", numbers()).await?;
    conn.exec_drop("UPDATE d.c SET n = ? WHERE writer = ? AND n = ?", (n, writer, n - 1)).await?;
    conn.query_drop("COMMIT").await
}
