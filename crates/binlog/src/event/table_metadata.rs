//! The optional metadata behind a table map: fields of type, length (length-encoded) and value.
//!
//! | type | value | level |
//! | --- | --- | --- |
//! | 1 | a bit for each numeric column, highest bit first: UNSIGNED | MINIMAL |
//! | 2 | default collation, then (index, collation) of the character columns that differ | MINIMAL |
//! | 3 | collation of each character column | MINIMAL |
//! | 7 | type of each geometry column | MINIMAL |
//! | 4 | name of each column, each behind its length | FULL |
//! | 10, 11 | as 2 and 3, for ENUM and SET columns | FULL |
//! | 5 | for each SET column: number of values, and each behind its length | FULL |
//! | 6 | the same for ENUM columns | FULL |
//! | 8 | columns of the primary key, in the key's order | FULL |
//! | 9 | instead of 8 if any is a prefix: (column, characters or 0) | FULL |
//! | 12 | a bit for each column, highest bit first: visible | FULL |
//!
//! All numbers are length-encoded; indexes count only the columns of the kind that the field is about, except in 8
//! and 9. Fields about a kind of which there is no column are left out. They stand in this order.
//!
//! 2 is written instead of 3 when it is shorter at one byte a number: when twice the columns that differ from the
//! commonest collation are fewer than the columns.

use std::collections::BTreeMap;

use super::ColumnMeta;
use super::put::{put_bits_high_first, put_lenenc, put_lenenc_bytes};

/// `binlog_row_metadata`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MetadataLevel {
    /// What a replica needs to convert values: signedness, collations, geometry types.
    #[default]
    Minimal,
    /// Besides, what a reader without a catalog needs: names, values of ENUM and SET, primary key, visibility.
    Full,
}

/// Types of the fields. Part of the format: never renumbered.
pub(crate) mod field {
    pub const SIGNEDNESS: u8 = 1;
    pub const DEFAULT_CHARSET: u8 = 2;
    pub const COLUMN_CHARSET: u8 = 3;
    pub const COLUMN_NAME: u8 = 4;
    pub const SET_VALUES: u8 = 5;
    pub const ENUM_VALUES: u8 = 6;
    pub const GEOMETRY_TYPE: u8 = 7;
    pub const SIMPLE_PRIMARY_KEY: u8 = 8;
    pub const PRIMARY_KEY_WITH_PREFIX: u8 = 9;
    pub const ENUM_AND_SET_DEFAULT_CHARSET: u8 = 10;
    pub const ENUM_AND_SET_COLUMN_CHARSET: u8 = 11;
    pub const COLUMN_VISIBILITY: u8 = 12;
}

/// Appends all fields of a level.
pub(super) fn put_metadata(out: &mut Vec<u8>, columns: &[ColumnMeta], level: MetadataLevel) {
    let mut value = Vec::new();
    put_bits_high_first(&mut value, columns.iter().filter(|c| c.is_numeric()).map(|c| c.unsigned));
    put_field(out, field::SIGNEDNESS, &value);
    put_collations(
        out,
        columns.iter().filter(|c| c.is_character()),
        [field::DEFAULT_CHARSET, field::COLUMN_CHARSET],
    );
    value.clear();
    for column in columns.iter().filter(|c| c.is_geometry()) {
        put_lenenc(&mut value, u64::from(column.geometry_type));
    }
    put_field(out, field::GEOMETRY_TYPE, &value);
    if level == MetadataLevel::Full {
        put_full(out, columns);
    }
}

fn put_full(out: &mut Vec<u8>, columns: &[ColumnMeta]) {
    let mut value = Vec::new();
    for column in columns {
        put_lenenc_bytes(&mut value, &column.name);
    }
    put_field(out, field::COLUMN_NAME, &value);
    put_collations(
        out,
        columns.iter().filter(|c| c.is_enum() || c.is_set()),
        [field::ENUM_AND_SET_DEFAULT_CHARSET, field::ENUM_AND_SET_COLUMN_CHARSET],
    );
    put_members(out, field::SET_VALUES, columns.iter().filter(|c| c.is_set()));
    put_members(out, field::ENUM_VALUES, columns.iter().filter(|c| c.is_enum()));
    put_primary_key(out, columns);
    value.clear();
    put_bits_high_first(&mut value, columns.iter().map(|c| !c.invisible));
    put_field(out, field::COLUMN_VISIBILITY, &value);
}

/// Appends a field unless it is empty.
fn put_field(out: &mut Vec<u8>, code: u8, value: &[u8]) {
    if !value.is_empty() {
        out.push(code);
        put_lenenc_bytes(out, value);
    }
}

/// Collations in the shorter of the two forms; `codes` are the types of the default form and of the listing form.
fn put_collations<'a>(out: &mut Vec<u8>, columns: impl Iterator<Item = &'a ColumnMeta>, codes: [u8; 2]) {
    let collations: Vec<u16> = columns.map(|column| column.collation).collect();
    let mut counts = BTreeMap::<u16, usize>::new();
    for collation in &collations {
        *counts.entry(*collation).or_default() += 1;
    }
    let Some((&commonest, &count)) = counts.iter().max_by_key(|(_, count)| **count) else {
        return;
    };
    let mut value = Vec::new();
    let [default_form, listing_form] = codes;
    if 2 * (collations.len() - count) < collations.len() {
        put_lenenc(&mut value, u64::from(commonest));
        for (index, collation) in collations.iter().enumerate().filter(|(_, own)| **own != commonest) {
            put_lenenc(&mut value, index as u64);
            put_lenenc(&mut value, u64::from(*collation));
        }
        put_field(out, default_form, &value);
    } else {
        for collation in &collations {
            put_lenenc(&mut value, u64::from(*collation));
        }
        put_field(out, listing_form, &value);
    }
}

fn put_members<'a>(out: &mut Vec<u8>, code: u8, columns: impl Iterator<Item = &'a ColumnMeta>) {
    let mut value = Vec::new();
    for column in columns {
        put_lenenc(&mut value, column.members.len() as u64);
        for member in &column.members {
            put_lenenc_bytes(&mut value, member);
        }
    }
    put_field(out, code, &value);
}

fn put_primary_key(out: &mut Vec<u8>, columns: &[ColumnMeta]) {
    let mut parts: Vec<_> =
        columns.iter().enumerate().filter_map(|(index, column)| Some((column.pk?, index as u64))).collect();
    parts.sort_by_key(|(part, _)| part.position);
    let with_prefix = parts.iter().any(|(part, _)| part.prefix_chars > 0);
    let mut value = Vec::new();
    for (part, index) in parts {
        put_lenenc(&mut value, index);
        if with_prefix {
            put_lenenc(&mut value, u64::from(part.prefix_chars));
        }
    }
    let code = if with_prefix { field::PRIMARY_KEY_WITH_PREFIX } else { field::SIMPLE_PRIMARY_KEY };
    put_field(out, code, &value);
}
