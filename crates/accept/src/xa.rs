//! XA transactions beside everything else: committed, rolled back, in one phase, and one that a later round ends.

use rig::Outcome;

use crate::sql;

/// Executes those of a round. The table's database is `ddl`.
pub fn round(port: u16, round: usize) -> Outcome {
    let mut statements = vec![
        format!("XA START 'two{round}', 'b', 7"),
        format!("INSERT INTO ddl.x VALUES ({round}0, 'two phases')"),
        format!("XA END 'two{round}', 'b', 7"),
        format!("XA PREPARE 'two{round}', 'b', 7"),
        format!("INSERT INTO ddl.x VALUES ({round}1, 'in between')"),
        format!("XA COMMIT 'two{round}', 'b', 7"),
        "XA START X'00ff'".to_owned(),
        "DELETE FROM ddl.x".to_owned(),
        "XA END X'00ff'".to_owned(),
        "XA PREPARE X'00ff'".to_owned(),
        "XA ROLLBACK X'00ff'".to_owned(),
        "XA START 'one'".to_owned(),
        format!("UPDATE ddl.x SET v = CONCAT(v, ' and one') WHERE k = {round}0"),
        "XA END 'one'".to_owned(),
        "XA COMMIT 'one' ONE PHASE".to_owned(),
        format!("XA START 'later{round}'"),
        format!("INSERT INTO ddl.x VALUES ({round}2, 'later')"),
        format!("XA END 'later{round}'"),
        format!("XA PREPARE 'later{round}'"),
    ];
    match round.checked_sub(1) {
        // Later ones would wait for what is prepared.
        None => statements.insert(0, "CREATE TABLE ddl.x (k INT PRIMARY KEY, v VARCHAR(60))".to_owned()),
        Some(before) => statements.insert(0, end_later(before)),
    }
    sql::run(port, &statements.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Ends what a round has left.
pub fn end_later(round: usize) -> String {
    format!("XA COMMIT 'later{round}'")
}
