//! Transactions of a binlog file, by `mysql_common`'s decoder.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use mysql_common::binlog::events::{EventData, RowsEventData, TableMapEvent};
use mysql_common::binlog::value::BinlogValue;
use mysql_common::binlog::{BinlogFile, consts::BinlogVersion};
use mysql_common::value::Value;
use rig::{Outcome, check};

/// Calls `each` with writer and number of every transaction, in order. A transaction that lacks one of its three rows,
/// or an end, is a failure.
pub fn each_transaction(path: &Path, mut each: impl FnMut(usize, u64) -> Outcome) -> Outcome {
    let mut file = BinlogFile::new(BinlogVersion::Version4, BufReader::new(File::open(path)?))?;
    let mut rows: Vec<(String, usize, u64)> = Vec::new();
    while let Some(event) = file.next() {
        match event?.read_data()? {
            Some(EventData::RowsEvent(data)) => {
                let map = file.reader().get_tme(data.table_id()).ok_or("rows without a table map")?;
                read_rows(&data, map, &mut rows)?;
            }
            Some(EventData::XidEvent(_)) => {
                let mut tables: Vec<&str> = rows.iter().map(|(table, ..)| &**table).collect();
                tables.sort_unstable();
                if tables != ["c"; super::WRITERS] {
                    let (_, writer, n) = rows.first().ok_or("a transaction without rows")?.clone();
                    let same = rows.iter().all(|(_, w, m)| (*w, *m) == (writer, n));
                    let whole = tables == ["a", "b", "c"] && same;
                    check(whole, || format!("{}: half a transaction: {rows:?}", path.display()))?;
                    each(writer, n)?;
                }
                rows.clear();
            }
            _ => {}
        }
    }
    check(rows.is_empty(), || format!("{} ends within a transaction", path.display()))
}

fn read_rows(
    data: &RowsEventData<'_>,
    map: &TableMapEvent<'_>,
    rows: &mut Vec<(String, usize, u64)>,
) -> Outcome {
    let table = map.table_name().into_owned();
    let (writer_at, n_at) = if table == "b" { (1, 0) } else { (0, 1) };
    for row in data.rows(map) {
        let (before, after) = row?;
        let row = after.or(before).ok_or("an empty row")?;
        let number = |at: usize| match row.as_ref(at) {
            Some(BinlogValue::Value(Value::Int(number))) => u64::try_from(*number).ok(),
            Some(BinlogValue::Value(Value::UInt(number))) => Some(*number),
            _ => None,
        };
        let (writer, n) = (number(writer_at).ok_or("no writer")?, number(n_at).ok_or("no number")?);
        rows.push((table.clone(), usize::try_from(writer)?, n));
    }
    Ok(())
}
