//! Thousands of clients at once, and the one too many.

use std::time::{Duration, Instant};

use mysql_async::{Conn, Error};
use rig::onelog::Config;
use rig::sysbench::Sysbench;
use rig::{Outcome, check, paths};

use crate::{Plan, sql};

const USER: &str = "sbtest";
const CLIENTS: u32 = 4000;

/// See the module.
pub fn run(plan: &Plan) -> Outcome {
    let dir = paths::fresh("accept/connections")?;
    let config = Config::new(&dir.join("data"), &["--log-bin=binlog", "--max-connections=4100"])?;
    let server = config.start()?;
    sql::make_user(server.port(), USER)?;
    sql::run(server.port(), &["CREATE DATABASE sbtest"])?;
    let bench = Sysbench {
        user: USER.to_owned(),
        table_size: if plan.full { 100_000 } else { 1_000 },
        threads: CLIENTS,
        seconds: if plan.full { 30 } else { 5 },
        ..Sysbench::on(server.port(), "oltp_update_non_index")
    };
    bench.prepare()?;
    let report = bench.run()?;
    println!("{CLIENTS} clients: {:.0} trx/s, {} errors ignored", report.tps, report.ignored_errors);
    server.stop()?;
    one_too_many()
}

/// `max_connections` + 1 gets error 1040.
fn one_too_many() -> Outcome {
    let dir = paths::fresh("accept/connections/max_connections")?;
    let config = Config::new(&dir.join("data"), &["--max-connections=10"])?;
    let server = config.start()?;
    sql::make_user(server.port(), USER)?;
    sql::block_on(async {
        let mut clients = Vec::new();
        for _ in 0..10 {
            clients.push(Conn::new(sql::options(server.port(), USER)).await?);
        }
        match Conn::new(sql::options(server.port(), USER)).await {
            Err(Error::Server(error)) if error.code == 1040 => println!("one too many: {}", error.message),
            Err(error) => return Err(format!("one too many gets {error} instead of error 1040").into()),
            Ok(_) => return Err("one too many gets in".into()),
        }
        for client in clients {
            client.disconnect().await?;
        }
        let begun = Instant::now();
        while Conn::new(sql::options(server.port(), USER)).await.is_err() {
            let waited = begun.elapsed() > Duration::from_secs(5);
            check(!waited, || "nobody gets in after the others have left".to_owned())?;
        }
        Ok(())
    })?;
    server.stop()
}
