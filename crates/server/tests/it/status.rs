//! Purpose: SHOW STATUS says what happened.
//!
//! Requirements: R1. a session sees its own counts, everybody's are the sum, whether sessions live or have ended; R2.
//! FLUSH STATUS begins a session's counts anew without loss in the sum; R3. rows are in order and known to MySQL, or
//! listed as ours; R4. what is rendered for Prometheus parses, line by line, and holds the same numbers.

use commit::recovery::Report;
use server::status::{Counter, Counters, Moment, Status, View};

fn view<'a>(status: &'a Status, session: Option<&'a Counters>) -> View<'a> {
    View {
        status,
        session,
        tls: None,
        compressed: false,
        moment: Moment::default(),
        pipeline: None,
        storage: None,
        recovery: Report { ms: 7, trx_replayed: 3, ..Report::default() },
        uptime_s: 12,
        threads_connected: 2,
        threads_running: 1,
        acknowledges: false,
    }
}

fn shown(view: &View<'_>, name: &str) -> String {
    view.show().into_iter().find(|(found, _)| *found == name).unwrap().1
}

#[test]
fn a_session_sees_its_own_counts_and_the_sum_has_them_all() {
    let status = Status::default();
    let one = status.begin_session(1);
    let two = status.begin_session(2);
    one.bump(Counter::ComSelect);
    two.add(Counter::ComSelect, 10);
    two.add(Counter::Queries, 4);
    assert_eq!(shown(&view(&status, Some(&one)), "Com_select"), "1");
    assert_eq!(shown(&view(&status, None), "Com_select"), "11");
    status.end_session(2);
    assert_eq!(shown(&view(&status, None), "Com_select"), "11");
    status.flush_session(&one);
    one.bump(Counter::ComSelect);
    assert_eq!(shown(&view(&status, Some(&one)), "Com_select"), "1");
    assert_eq!(shown(&view(&status, None), "Com_select"), "12");
    assert_eq!(shown(&view(&status, Some(&one)), "Queries"), "4", "queries are everybody's");
    assert_eq!(shown(&view(&status, None), "Onelog_recovery_ms"), "7");
    assert_eq!(shown(&view(&status, None), "Ssl_version"), "");
}

#[test]
fn rows_are_in_order_and_mysqls_or_ours() {
    let status = Status::default();
    let rows = view(&status, None).show();
    assert!(rows.is_sorted_by(|a, b| a.0 < b.0), "names are unique and sorted");
    let theirs: Vec<_> = include_str!("../data/status-8.0.46.txt").lines().collect();
    // Aurora's, MariaDB's counters of groups, a name of MySQL 8.2 and later.
    let known =
        ["Aurora_enhanced_binlog", "Binlog_commits", "Binlog_group_commits", "Com_show_binary_log_status"];
    // Of MySQL's plugins, and of MariaDB's and Percona's servers.
    let elsewhere = ["Rpl_semi_sync_", "Binlog_snapshot_"];
    let unknown = rows
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !elsewhere.iter().any(|prefix| name.starts_with(prefix)))
        .filter(|name| !name.starts_with("Onelog_") && !theirs.contains(name) && !known.contains(name));
    assert_eq!(unknown.collect::<Vec<_>>(), Vec::<&str>::new());
    let missing: Vec<_> = theirs
        .iter()
        .filter(|name| name.starts_with("Com_") && rows.iter().all(|(ours, _)| ours != *name))
        .collect();
    assert_eq!(missing, Vec::<&&str>::new(), "every statement is counted");
}

#[test]
fn prometheus_gets_the_same_numbers() {
    let status = Status::default();
    let session = status.begin_session(1);
    session.add(Counter::ComSelect, 5);
    session.add(Counter::HandlerCommit, 6);
    let text = view(&status, None).prometheus();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, number) = line.rsplit_once(' ').unwrap();
        number.parse::<u64>().unwrap();
        let bare = name.split('{').next().unwrap();
        assert!(bare.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'));
    }
    assert!(text.contains("\nmysql_global_status_commands_total{command=\"select\"} 5\n"));
    assert!(text.contains("\nmysql_global_status_handlers_total{handler=\"commit\"} 6\n"));
    assert!(text.contains("# TYPE onelog_recovery_trx_replayed gauge\nonelog_recovery_trx_replayed 3\n"));
    let families: Vec<_> = text.lines().filter(|line| line.starts_with("# TYPE")).collect();
    let distinct: std::collections::BTreeSet<_> = families.iter().collect();
    assert_eq!(families.len(), distinct.len(), "each family has one TYPE line");
}

/// A name that begins with `_` stands for the one before it with another end.
#[test]
fn what_only_this_server_counts_is_described() {
    let mut described = Vec::<String>::new();
    for row in
        include_str!("../../../../docs/status.md").lines().filter(|line| line.starts_with("| `Onelog_"))
    {
        for name in row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2) {
            let name = match name.strip_prefix('_') {
                Some(end) => format!("{}_{end}", described.last().unwrap().rsplit_once('_').unwrap().0),
                None => name.to_owned(),
            };
            described.push(name);
        }
    }
    described.sort_unstable();
    let status = Status::default();
    let rows = view(&status, None).show();
    let ours: Vec<_> =
        rows.into_iter().map(|(name, _)| name).filter(|name| name.starts_with("Onelog_")).collect();
    assert_eq!(described, ours);
}
