//! XA transactions beside everything else: committed, rolled back, in one phase, and one that a later round ends.

use rig::Outcome;
use rig::clients::Vendor;

use crate::sql;

/// Executes those of a round on a server of this kind. The table's database is `ddl`. MariaDB's sessions can do nothing else while
/// they have a prepared one.
pub fn round(port: u16, vendor: Vendor, round: usize) -> Outcome {
    let detaches = vendor == Vendor::Oracle;
    let mut statements = vec![match round.checked_sub(1).filter(|_| detaches) {
        Some(before) => end_later(before),
        // Later ones would wait for what is prepared.
        None => "CREATE TABLE IF NOT EXISTS ddl.x (k INT PRIMARY KEY, v VARCHAR(60))".to_owned(),
    }];
    let mut xa = |name: &str, sql: &str, ends: &[&str]| {
        statements.extend([format!("XA START {name}"), sql.to_owned(), format!("XA END {name}")]);
        statements.extend(ends.iter().map(|end| end.replace('#', name)));
    };
    let insert = |k: u8, what: &str| format!("INSERT INTO ddl.x VALUES ({round}{k}, '{what}')");
    let between = insert(1, "in between");
    let two = ["XA PREPARE #", if detaches { &between } else { "XA COMMIT #" }, "XA COMMIT #"];
    let two = if detaches { &two[..] } else { &two[..2] };
    let update = format!("UPDATE ddl.x SET v = CONCAT(v, ' and one') WHERE k = {round}0");
    xa(&format!("'two{round}', 'b', 7"), &insert(0, "two"), two);
    xa("X'00ff'", "DELETE FROM ddl.x", &["XA PREPARE #", "XA ROLLBACK #"]);
    xa("'one'", &update, &["XA COMMIT # ONE PHASE"]);
    if detaches {
        xa(&format!("'later{round}'"), &insert(2, "later"), &["XA PREPARE #"]);
    }
    sql::run(port, &statements.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Ends what a round has left.
pub fn end_later(round: usize) -> String {
    format!("XA COMMIT 'later{round}'")
}
