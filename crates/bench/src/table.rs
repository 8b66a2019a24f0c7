//! The results as a page and as lines.

use std::fmt::Write;
use std::time::Duration;

use crate::contest::{Contest, SETTINGS};
use crate::counters::Own;
use crate::figures::{Figures, Points, Summary};
use crate::plan::{Plan, Ratio};

/// Names of what [`round_line`] gives.
pub const ROUND_HEAD: &str = "script\tthreads\tserver\ttps\tp95_ms\tserver_us_per_trx\tclient_us_per_trx\tflushes_per_trx\tgroup\tlog_syncs_per_trx\tserial_ns_per_trx\tticket_ns_p50\tticket_ns_p99";

/// A round in one line; what a server does not say is `-`.
pub fn round_line(script: &str, threads: u32, server: &str, figures: &Figures) -> String {
    let Figures { tps, p95_ms, server_us, client_us, flushes, own } = figures;
    format!(
        "{script}\t{threads}\t{server}\t{tps:.0}\t{p95_ms:.2}\t{server_us:.1}\t{client_us:.1}\t{flushes:.3}\t{}",
        own_columns(own.as_ref()).join("\t")
    )
}

/// A round that was left out, likewise.
pub fn left_out_line(script: &str, threads: u32, server: &str) -> String {
    format!("{script}\t{threads}\t{server}{}", "\t-".repeat(ROUND_HEAD.split('\t').count() - 3))
}

/// Medians, a line a point, with the slowest and the fastest round.
pub fn medians(plan: &Plan, points: &Points) -> String {
    let mut lines = format!("{ROUND_HEAD}\ttps_min\ttps_max\n");
    for (script, threads, server, sum) in each(plan, points) {
        let line = round_line(script, threads, server, &sum.median);
        let _ = writeln!(lines, "{line}\t{:.0}\t{:.0}", sum.tps_min, sum.tps_max);
    }
    lines
}

/// What was measured on what.
pub fn preface(plan: &Plan, servers: &[Contest], disk: Duration) -> String {
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let mut page = format!(
        "{}. {cores} cores; the disk alone overwrites 4 KiB and syncs in {} us.\n\n| server |",
        plan.safety(),
        disk.as_micros()
    );
    for name in SETTINGS {
        let _ = write!(page, " {name} |");
    }
    page += "\n| --- |";
    page += &" --- |".repeat(SETTINGS.len());
    for server in servers {
        page += &settings_line(server);
    }
    page.push('\n');
    page
}

/// A server's line in the preface.
pub fn settings_line(server: &Contest) -> String {
    format!("\n| {} | {} |", server.spec.name, server.settings.join(" | "))
}

/// The page's tables: throughput of all beside each other, then everything of each.
pub fn page(plan: &Plan, points: &Points) -> String {
    let mut page = format!(
        "Medians of {} rounds of {} s, servers taking turns; 4 tables of {} rows.\n",
        plan.repeat, plan.seconds, plan.table_size
    );
    for script in &plan.scripts {
        throughput(&mut page, plan, script, points);
        details(&mut page, plan, script, points);
    }
    page
}

fn throughput(page: &mut String, plan: &Plan, script: &str, points: &Points) {
    let _ =
        write!(page, "\n### {script}\n\nTransactions a second (slowest to fastest round).\n\n| clients |");
    for server in &plan.servers {
        let _ = write!(page, " {} |", server.name);
    }
    for Ratio { of, to } in &plan.ratios {
        let to = if to.len() + 1 == plan.servers.len() { "best other".to_owned() } else { to.join(", ") };
        let _ = write!(page, " {of} / {to} |");
    }
    page.push_str("\n|");
    page.push_str(&" ---: |".repeat(plan.servers.len() + plan.ratios.len() + 1));
    for threads in &plan.threads {
        let _ = write!(page, "\n| {threads} |");
        let sum = |server: &String| {
            points.get(&(script.to_owned(), *threads, server.clone())).copied().unwrap_or_default()
        };
        for server in &plan.servers {
            let Summary { median, tps_min, tps_max } = sum(&server.name);
            let _ = write!(page, " {:.0} ({tps_min:.0} to {tps_max:.0}) |", median.tps);
        }
        for Ratio { of, to } in &plan.ratios {
            let best = to.iter().map(|server| sum(server).median.tps).fold(0.0, f64::max);
            let of = sum(of).median.tps;
            let ratio = if best > 0.0 { format!("{:.2}", of / best) } else { "-".to_owned() };
            let _ = write!(page, " {ratio} |");
        }
    }
    page.push('\n');
}

fn details(page: &mut String, plan: &Plan, script: &str, points: &Points) {
    *page += "\n| clients | server | trx/s | p95 ms | server CPU us/trx | client CPU us/trx | device flushes/trx \
             | group | log syncs/trx | serial ns/trx | ticket ns p50 | ticket ns p99 |\n|";
    *page += &" ---: |".repeat(12);
    for (_, threads, server, sum) in each(plan, points).filter(|(of, ..)| *of == script) {
        let Figures { tps, p95_ms, server_us, client_us, flushes, own } = sum.median;
        let _ = write!(
            page,
            "\n| {threads} | {server} | {tps:.0} | {p95_ms:.2} | {server_us:.1} | {client_us:.1} | {flushes:.3} | {} |",
            own_columns(own.as_ref()).join(" | ")
        );
    }
    page.push('\n');
}

/// Points in the order of the plan.
fn each<'a>(
    plan: &'a Plan,
    points: &'a Points,
) -> impl Iterator<Item = (&'a str, u32, &'a str, Summary)> + 'a {
    plan.scripts.iter().flat_map(move |script| {
        plan.threads.iter().flat_map(move |threads| {
            plan.servers.iter().filter_map(move |server| {
                let sum = points.get(&(script.clone(), *threads, server.name.clone()))?;
                Some((&**script, *threads, &*server.name, *sum))
            })
        })
    })
}

fn own_columns(own: Option<&Own>) -> [String; 5] {
    let text = |val: Option<String>| val.unwrap_or_else(|| "-".to_owned());
    let ticket = own.and_then(|own| own.ticket_ns);
    [
        text(own.map(|own| format!("{:.2}", own.group))),
        text(own.map(|own| format!("{:.3}", own.log_syncs))),
        text(own.and_then(|own| own.serial_ns).map(|ns| ns.to_string())),
        text(ticket.map(|(p50, _)| p50.to_string())),
        text(ticket.map(|(_, p99)| p99.to_string())),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::summary;

    #[test]
    fn every_server_and_ratio_has_its_column() {
        let line =
            "--servers onelog-group,mysql,mariadb --scripts hot_row --threads 8 --ratios mysql/mariadb";
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let plan = Plan::read(&words).unwrap().unwrap();
        let mut points = Points::new();
        for (server, tps) in [("onelog-group", 300.0), ("mysql", 100.0), ("mariadb", 50.0)] {
            let figures = Figures { tps, own: (tps > 200.0).then(Own::default), ..Figures::default() };
            points.insert(("hot_row".to_owned(), 8, server.to_owned()), summary(&[figures]));
        }
        let page = page(&plan, &points);
        assert!(page.contains("| clients | onelog-group | mysql | mariadb | mysql / mariadb |"));
        assert!(page.contains("| 8 | 300 (300 to 300) | 100 (100 to 100) | 50 (50 to 50) | 2.00 |"));
        assert!(
            page.contains("| 8 | onelog-group | 300 | 0.00 | 0.0 | 0.0 | 0.000 | 0.00 | 0.000 | - | - |")
        );
        assert_eq!(medians(&plan, &points).lines().count(), 4);
        let columns: Vec<_> = medians(&plan, &points).lines().map(|line| line.split('\t').count()).collect();
        assert_eq!(columns, [15; 4]);
    }
}
