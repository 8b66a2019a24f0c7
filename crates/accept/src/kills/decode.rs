//! Transactions of a binlog file, by `mysql_common`'s decoder.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use mysql_common::binlog::events::EventData;
use mysql_common::binlog::row::BinlogRow;
use mysql_common::binlog::value::BinlogValue;
use mysql_common::binlog::{BinlogFile, consts::BinlogVersion};
use mysql_common::value::Value;
use rig::{Outcome, check};

/// A row that a transaction wrote: its table's name, and the row as it is afterwards, or was if it is gone.
pub type Written = (String, BinlogRow);

/// Calls `each` with the rows of every transaction, in order. A transaction without an end is a failure.
pub fn each_transaction(path: &Path, mut each: impl FnMut(&[Written]) -> Outcome) -> Outcome {
    let mut file = BinlogFile::new(BinlogVersion::Version4, BufReader::new(File::open(path)?))?;
    let mut rows: Vec<Written> = Vec::new();
    while let Some(event) = file.next() {
        match event?.read_data()? {
            Some(EventData::RowsEvent(data)) => {
                let map = file.reader().get_tme(data.table_id()).ok_or("rows without a table map")?;
                for row in data.rows(map) {
                    let (before, after) = row?;
                    let row = after.or(before).ok_or("an empty row")?;
                    rows.push((map.table_name().into_owned(), row));
                }
            }
            Some(EventData::XidEvent(_)) => {
                each(&rows).map_err(|error| format!("{}: {error}", path.display()))?;
                rows.clear();
            }
            _ => {}
        }
    }
    check(rows.is_empty(), || format!("{} ends within a transaction", path.display()))
}

/// The number in a column, counted from 0.
pub fn number(row: &BinlogRow, column: usize) -> Option<u64> {
    match row.as_ref(column) {
        Some(BinlogValue::Value(Value::Int(number))) => u64::try_from(*number).ok(),
        Some(BinlogValue::Value(Value::UInt(number))) => Some(*number),
        _ => None,
    }
}
