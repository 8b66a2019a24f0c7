//! `kill -9` under clients that all update one row, on a disk whose syncs take a millisecond longer.
//!
//! Purpose: row locks are released before the sync, so hundreds of updates of one row share a sync; none of them is told
//! to be done before it is durable, and both logs hold the same ones.
//! Method: each client runs `UPDATE d.counter SET n = n + 1 WHERE id = 1` and counts its acknowledgements. After the kill
//! and a restart the counter is at least their sum, and the binlog, decoded by another project's decoder, counts from 1
//! to exactly that value.

use std::sync::Arc;
use std::time::Duration;

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use rig::onelog::Config;
use rig::{Outcome, check, paths};

use crate::kills::decode;
use crate::load::Load;
use crate::{Plan, binlogs, sql};

const CLIENTS: usize = 256;
const OPTIONS: [&str; 3] = ["--log-bin=binlog", "--max-connections=300", "--onelog-sync-delay-us=1000"];
const STRATEGIES: [&str; 4] = ["in_redo", "enhanced", "group", "serial"];

/// See the module.
pub fn run(plan: &Plan) -> Outcome {
    let lives = Duration::from_secs(if plan.full { 30 } else { 2 });
    for strategy in STRATEGIES {
        let dir = paths::fresh(&format!("accept/hot_row/{strategy}"))?;
        let mut config = Config::new(&dir.join("data"), &OPTIONS)?;
        config.options.push(format!("--onelog-commit-strategy={strategy}"));
        let server = config.start()?;
        let port = server.port();
        let table = "CREATE TABLE d.counter (id INT PRIMARY KEY, n BIGINT)";
        sql::run(port, &["CREATE DATABASE d", table, "INSERT INTO d.counter VALUES (1, 0)"])?;
        let load = Load::new();
        let shared = Arc::clone(&load);
        let clients = std::thread::spawn(move || update(port, &shared));
        load.await_begun(CLIENTS)?;
        std::thread::sleep(lives);
        load.expect_end()?;
        server.kill()?;
        let acknowledged = clients.join().map_err(|_| "a client panicked")??;
        let server = config.start()?;
        let kept = sql::block_on(async {
            let mut root = sql::root(server.port()).await?;
            Ok(sql::value(&mut root, "SELECT n FROM d.counter").await?.parse::<u64>()?)
        })?;
        server.stop()?;
        let mut logged = None;
        for file in binlogs::files(&config.datadir)? {
            decode::each_transaction(&file, |rows| {
                let [(_, row)] = rows else { return Err("not one row".into()) };
                let n = decode::number(row, 1).ok_or("no number")?;
                let before = logged.replace(n);
                check(n == before.map_or(0, |before| before + 1), || format!("{n} after {before:?}"))
            })?;
        }
        println!(
            "{strategy}: {acknowledged} acknowledged in {} s, the counter is {kept}, the binlog ends with {}",
            lives.as_secs(),
            logged.unwrap_or(0)
        );
        check(kept >= acknowledged && logged == Some(kept), || {
            "counter, acknowledgements and binlog do not agree".to_owned()
        })?;
    }
    Ok(())
}

/// Updates until the server is gone. Returns how many updates were acknowledged.
fn update(port: u16, load: &Arc<Load>) -> Outcome<u64> {
    sql::block_on(async {
        let one = |_| tokio::spawn(client(port, Arc::clone(load)));
        let clients: Vec<_> = (0..CLIENTS).map(one).collect();
        let mut acknowledged = 0;
        for task in clients {
            acknowledged += task.await??;
        }
        Ok(acknowledged)
    })
}

async fn client(port: u16, load: Arc<Load>) -> Outcome<u64> {
    let mut done = 0;
    let ended = match Conn::new(sql::options(port, "root")).await {
        Ok(mut conn) => loop {
            match conn.exec_drop("UPDATE d.counter SET n = n + 1 WHERE id = 1", ()).await {
                Ok(()) => done += 1,
                Err(error) => break error,
            }
            if done == 1 {
                load.begin();
            }
        },
        Err(error) => error,
    };
    match ended {
        mysql_async::Error::Server(error) if error.code != 1053 => Err(load.fail(error.to_string()).into()),
        ended => load.end(&ended).map(|()| done),
    }
}
