//! SHOW GLOBAL STATUS in Prometheus' text exposition format, version 0.0.4, under the names by which `mysqld_exporter`
//! has made MySQL's known: `mysql_global_status_commands_total{command="select"}`, `..._handlers_total{handler=..}`,
//! `mysql_global_status_<name>` for the rest; ours are `onelog_<name>`.

use std::fmt::Write as _;

use super::View;
use super::rows::{Row, Source, all};

/// Every number. Texts are left out.
pub(super) fn render(view: &View<'_>) -> String {
    let sum = view.status.sum();
    let mut out = String::with_capacity(16 << 10);
    let mut family = String::new();
    for row in all() {
        let kind = match row.source {
            Source::Session(_) | Source::Everybody(_) | Source::Total(_) => "counter",
            Source::Level(_) => "gauge",
            Source::Text(_) | Source::Fixed(_) => continue,
        };
        let (name, label) = name_of(row);
        // Writing into a String cannot fail.
        if name != family {
            let _ = writeln!(out, "# TYPE {name} {kind}");
        }
        let _ = writeln!(out, "{name}{label} {}", row.show(view, &sum));
        family = name;
    }
    out
}

fn name_of(row: &Row) -> (String, String) {
    let lower = row.name.to_ascii_lowercase();
    for (prefix, family, label) in [("com_", "commands", "command"), ("handler_", "handlers", "handler")] {
        if let Some(rest) = lower.strip_prefix(prefix) {
            return (format!("mysql_global_status_{family}_total"), format!("{{{label}=\"{rest}\"}}"));
        }
    }
    if lower.starts_with("onelog_") {
        return (lower, String::new());
    }
    (format!("mysql_global_status_{lower}"), String::new())
}
