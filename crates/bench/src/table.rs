//! The results as a page.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::rounds::{Figures, Point, Rounds};

/// The page.
pub fn page(rounds: &Rounds, points: &BTreeMap<Point, Figures>) -> String {
    let safety = if rounds.relaxed {
        "`sync_binlog=1000`, `innodb_flush_log_at_trx_commit=2`"
    } else {
        "`sync_binlog=1`, `innodb_flush_log_at_trx_commit=1`"
    };
    let mut page = format!(
        "Medians of {} rounds of {} s, servers taking turns; 4 tables of {} rows; {safety}.\n\
         A cell: transactions a second, server CPU us / device flushes a transaction. The last column: the first server \
         against the best other.\n",
        rounds.repeat, rounds.seconds, rounds.table_size
    );
    for script in &rounds.scripts {
        let _ = write!(page, "\n| {script} |");
        for server in &rounds.servers {
            let _ = write!(page, " {server} |");
        }
        page += " ratio |\n| ---: |";
        page += &" ---: |".repeat(rounds.servers.len() + 1);
        for threads in &rounds.threads {
            let _ = write!(page, "\n| {threads} |");
            let figures = |server: &String| {
                points.get(&(script.clone(), *threads, server.clone())).copied().unwrap_or_default()
            };
            for server in &rounds.servers {
                let Figures { tps, server_us, flushes, .. } = figures(server);
                let _ = write!(page, " {tps:.0}, {server_us:.0} / {flushes:.2} |");
            }
            let first = rounds.servers.first().map_or(0.0, |server| figures(server).tps);
            let best = rounds.servers.iter().skip(1).map(|server| figures(server).tps).fold(0.0, f64::max);
            let _ = write!(page, " {:.2} |", if best > 0.0 { first / best } else { 0.0 });
        }
        page.push('\n');
    }
    page
}
