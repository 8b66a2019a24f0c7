//! Files of statements with MySQL's answers: see `tests/tools/unions.py`.

use sql::exec::{Done, OutputColumn};
use types::collation::Collation;

use crate::db::Conn;

/// Fills the tables of a file.
pub fn fill(file: &str, conn: &mut Conn) {
    for line in file.lines().filter(|line| line.starts_with("@INSERT")) {
        conn.run(&line[1..]);
    }
}

/// Compares all answers with MySQL's; those that are known to differ are listed as ours.
pub fn compare(file: &str, differ: &str, conn: &mut Conn) {
    let mut different = Vec::new();
    for theirs in lines(file) {
        let ours = answer(theirs.split('\t').next().unwrap(), conn);
        if ours != theirs {
            different.push(ours);
        }
    }
    let known: Vec<&str> = lines(differ).collect();
    let new: Vec<&String> = different.iter().filter(|line| !known.contains(&line.as_str())).collect();
    assert!(new.is_empty(), "not MySQL's: {new:#?}");
    let equal: Vec<_> = known.iter().filter(|line| !different.iter().any(|ours| ours == *line)).collect();
    assert!(equal.is_empty(), "listed as different, but equal: {equal:#?}");
}

/// The answer to a statement in the recorder's form.
fn answer(statement: &str, conn: &mut Conn) -> String {
    match conn.answer(statement) {
        Err(error) => format!("{statement}\t!{} {}\t", error.code, error.message),
        Ok((Done::Changed(changed), ..)) => format!("{statement}\t{}\t", changed.affected),
        Ok((Done::Assigned(rows), ..)) => format!("{statement}\t{rows}\t"),
        Ok((Done::Rows(_), columns, rows)) => {
            let columns: Vec<String> = columns.iter().map(definition).collect();
            format!("{statement}\t{}\t{}", columns.join(" "), rows.join(" / "))
        }
    }
}

fn definition(column: &OutputColumn) -> String {
    let wire = column.ty.wire(Collation::Utf8mb4GeneralCi);
    let (code, length, decimals, collation) = (wire.type_code, wire.length, wire.decimals, wire.collation_id);
    format!("{}:{code}/{length}/{decimals}/{}/{collation}", column.name, wire.flags)
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with(['@', '#']))
}
