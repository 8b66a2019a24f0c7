//! Building: indexes and whole tables written into the base before the DDL statement that wants them has a ticket.
//!
//! The statement holds the table's metadata lock, so nobody changes the rows that are read. What is written lies under
//! index ids that no catalog entry names yet: nobody sees it, and if the statement never commits, it is one of the
//! [`orphans`] of the next start. It becomes readable with the next base that is published, so a checkpoint comes between building and
//! the ticket.

use std::collections::HashSet;

use types::row::Offsets;

use crate::EngineError;
use crate::base::Base;
use crate::catalog::Catalog;
use crate::catalog::table::Table;
use crate::ids::{IndexId, Key, Row};
use crate::rows::index_entries;
use crate::scan::{Direction, KeyRange};
use crate::trx::Trx;

/// Entries of one atomic commit, and bytes of their keys and rows.
const SLICE_ENTRIES: usize = 8192;
const SLICE_BYTES: usize = 4 << 20;

/// An entry that is to be written.
#[derive(Debug)]
pub struct NewEntry {
    /// Its whole key.
    pub key: Key,
    /// Its row.
    pub row: Row,
    /// How much of the key no other entry may begin with: all of a row's key, the columns of a unique index's.
    pub unique: Option<usize>,
    /// The index, by its place in the definition's list.
    pub index: usize,
    /// The row of the table that it belongs to, for the error if its key is there already.
    pub source: Row,
}

impl NewEntry {
    /// Bytes of its key and its row.
    pub(crate) fn size(&self) -> usize {
        self.key.len() + self.row.len()
    }
}

/// What a build gives back.
#[derive(Debug)]
pub enum Built {
    /// So many rows were read.
    Done(u64),
    /// Two rows have one key in an index, by its place; this is the later one, in the new layout.
    Duplicate(usize, Row),
}

/// Writes what `new` has and `old` has not: `convert` makes a row of the new table from one of the old; with
/// `rows` the rows themselves are written too, else only the entries of the secondary indexes in `indexes` (places in
/// the definition's list). Blocks: it reads and writes everything.
pub fn build<E: From<EngineError>>(
    base: &Base,
    trx: &mut Trx,
    old: &Table,
    new: &Table,
    rows: bool,
    indexes: &[usize],
    mut convert: impl FnMut(&[u8]) -> Result<Row, E>,
) -> Result<Built, E> {
    let range = KeyRange::prefix(&old.def.rows.prefix());
    // Nobody changes the rows, so the newest state is the only one; and its scan outlives the base that it began in.
    let mut scan = trx.scan_newest(&range, Direction::Forward)?;
    let (mut slice, mut bytes, mut count) = (Vec::with_capacity(SLICE_ENTRIES), 0, 0);
    while let Some(entry) = scan.next_row()? {
        let row = convert(&entry.row.expect("next_row returns rows"))?;
        let mut offsets = Offsets::default();
        let corrupt = || EngineError::Corrupt { what: format!("a row of {}.{}", old.def.db, old.def.name) };
        new.rows.offsets(&row, &mut offsets).map_err(|_| corrupt())?;
        let key = match new.row_key(&row, &offsets) {
            Some(key) => key,
            // Hidden row ids stay, and go on where there were none.
            None if old.primary.is_none() => {
                [&new.def.rows.prefix()[..], &entry.key[crate::ids::PREFIX_SIZE..]].concat()
            }
            None => new.new_row_key(),
        };
        let secondary = index_entries(new, &row, &offsets, &key).into_iter();
        // Entries keep the row that they come from.
        bytes += row.len();
        let begun = slice.len();
        slice.extend(secondary.filter(|entry| indexes.contains(&entry.index)));
        if rows {
            let unique = Some(key.len());
            slice.push(NewEntry { key: key.into(), row: Row::clone(&row), unique, index: 0, source: row });
        }
        bytes += slice[begun..].iter().map(NewEntry::size).sum::<usize>();
        count += 1;
        if slice.len() >= SLICE_ENTRIES || bytes >= SLICE_BYTES {
            if let Some(duplicate) = base.insert_new(&mut slice)? {
                return Ok(Built::Duplicate(duplicate.index, duplicate.source));
            }
            bytes = 0;
        }
    }
    let duplicate = base.insert_new(&mut slice)?;
    Ok(duplicate.map_or(Built::Done(count), |entry| Built::Duplicate(entry.index, entry.source)))
}

/// The indexes in the base that no table has: of dropped tables, and of builds that never committed.
pub fn orphans(base: &Base, catalog: &Catalog) -> Result<Vec<IndexId>, EngineError> {
    let known: HashSet<IndexId> = catalog.index_ids().collect();
    let mut found = Vec::new();
    let mut next = IndexId::FIRST_USER;
    while let Some(index) = base.first_index_from(next)? {
        if !known.contains(&index) {
            found.push(index);
        }
        next = IndexId(index.0 + 1);
    }
    Ok(found)
}
