//! Which columns of a row its event holds: `binlog_row_image`.
//!
//! | image | before | after |
//! | --- | --- | --- |
//! | FULL | all | all |
//! | NOBLOB | all but BLOB and TEXT columns beside the primary key | all but BLOB and TEXT columns that did not change |
//! | MINIMAL | the primary key's | those that changed |
//!
//! A row without a primary key, or what stands for one, is found by all of its columns, so its before image is whole. The
//! image of an inserted row is whole: MySQL leaves out what the statement did not name, which a replica fills with its own defaults.

use binlog::event::{Present, Row};
use engine::catalog::table::Table;
use types::column::ColumnType;
use types::row::Offsets;

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowImage {
    /// MINIMAL.
    Minimal,
    /// NOBLOB.
    NoBlob,
    /// FULL.
    Full,
}

impl RowImage {
    /// As the variable's place among its names says it.
    pub(super) fn of(choice: u8) -> Self {
        match choice {
            0 => Self::Minimal,
            1 => Self::NoBlob,
            _ => Self::Full,
        }
    }
}

/// A part of a row: the columns that are present, and their image.
#[derive(Debug, Default)]
struct Part {
    present: Vec<u8>,
    image: Vec<u8>,
}

/// The images of one row. Kept for the next one.
#[derive(Debug, Default)]
pub(super) struct Images {
    before: Part,
    after: Part,
}

impl Part {
    fn fill(&mut self, row: &[u8], offsets: &Offsets, columns: usize, is_present: impl Fn(usize) -> bool) {
        self.present.clear();
        self.present.resize(columns.div_ceil(8), 0);
        let chosen: Vec<usize> = (0..columns).filter(|column| is_present(*column)).collect();
        self.image.clear();
        self.image.resize(chosen.len().div_ceil(8), 0);
        for (place, column) in chosen.into_iter().enumerate() {
            self.present[column / 8] |= 1 << (column % 8);
            match offsets.stored(row, column) {
                Some(bytes) => self.image.extend_from_slice(bytes),
                None => self.image[place / 8] |= 1 << (place % 8),
            }
        }
    }
}

impl Images {
    /// The parts of a row that its event holds: columns present before and after, and the images. `image` is not FULL.
    ///
    /// # Panics
    /// If the row does not lie as its table's rows do.
    pub(super) fn reduce<'a>(
        &'a mut self,
        image: RowImage,
        table: &Table,
        row: Row<'a>,
    ) -> (Present<'a>, Present<'a>, Row<'a>) {
        let columns = table.rows.column_count();
        let offsets = |row: &[u8]| {
            let mut offsets = Offsets::default();
            table.rows.offsets(row, &mut offsets).expect("a row of this table");
            offsets
        };
        // As MySQL has it, JSON is none.
        let is_lob = |column: usize| {
            matches!(table.rows.column_type(column), ColumnType::Text { .. } | ColumnType::Blob { .. })
        };
        let in_key = |column: usize| match table.def.identity() {
            Some(key) => key.parts.iter().any(|part| usize::from(part.column) == column),
            None => true,
        };
        let before = |column: usize| in_key(column) || (image == RowImage::NoBlob && !is_lob(column));
        match row {
            Row::Write(_) => (Present::All, Present::All, row),
            Row::Delete(old) => {
                self.before.fill(old, &offsets(old), columns, before);
                (Present::Only(&self.before.present), Present::All, Row::Delete(&self.before.image))
            }
            Row::Update(old, new) => {
                let (old_offsets, new_offsets) = (offsets(old), offsets(new));
                let changed =
                    |column: usize| old_offsets.stored(old, column) != new_offsets.stored(new, column);
                let after = |column: usize| changed(column) || (image == RowImage::NoBlob && !is_lob(column));
                self.before.fill(old, &old_offsets, columns, before);
                self.after.fill(new, &new_offsets, columns, after);
                let row = Row::Update(&self.before.image, &self.after.image);
                (Present::Only(&self.before.present), Present::Only(&self.after.present), row)
            }
        }
    }
}
