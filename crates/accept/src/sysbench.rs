//! Debian's sysbench with its stock scripts: prepare, run, cleanup, without an error.

use rig::onelog::Config;
use rig::sysbench::{SCRIPTS, Sysbench};
use rig::{Outcome, check, paths};

use crate::{Plan, binlogs, sql};

const USER: &str = "sbtest";

/// See the module.
pub fn run(plan: &Plan) -> Outcome {
    for binlog in ["--log-bin=binlog", "--skip-log-bin"] {
        let dir = paths::fresh("accept/sysbench")?;
        let config =
            Config::new(&dir.join("data"), &[binlog, binlogs::MAX_STATEMENTS, "--max-connections=5000"])?;
        let server = config.start()?;
        sql::make_user(server.port(), USER)?;
        sql::run(server.port(), &["CREATE DATABASE sbtest"])?;
        // The short form has each mode once.
        let ps_modes = match (plan.full, binlog) {
            (true, _) => &["auto", "disable"][..],
            (false, "--log-bin=binlog") => &["auto"],
            (false, _) => &["disable"],
        };
        for ps_mode in ps_modes {
            for script in SCRIPTS {
                all_threads(plan, server.port(), script, ps_mode, binlog)?;
            }
        }
        server.stop()?;
        if binlog == "--log-bin=binlog" {
            binlogs::verify(&config.datadir)?;
        }
    }
    Ok(())
}

fn all_threads(plan: &Plan, port: u16, script: &str, ps_mode: &'static str, binlog: &str) -> Outcome {
    let (table_size, seconds) = if plan.full { (100_000, 10) } else { (1_000, 1) };
    let threads: &[u32] = if plan.full { &[1, 32, 512] } else { &[32] };
    for threads in threads {
        let bench = Sysbench {
            user: USER.to_owned(),
            // These scripts refuse more than one.
            tables: if script.starts_with("select_random") { 1 } else { 4 },
            table_size,
            threads: *threads,
            seconds,
            ps_mode,
            ..Sysbench::on(port, script)
        };
        let what = format!("{script} threads={threads} ps={ps_mode} {binlog}");
        let failed = |step: &str| format!("{what}: {step}: ");
        bench.prepare().map_err(|error| failed("prepare") + &error.to_string())?;
        let report = bench.run().map_err(|error| failed("run") + &error.to_string())?;
        check(report.tps > 0.0, || failed("no transaction"))?;
        bench.cleanup().map_err(|error| failed("cleanup") + &error.to_string())?;
        println!("{what}: {:.0} trx/s, {} deadlocks retried", report.tps, report.ignored_errors);
    }
    Ok(())
}
