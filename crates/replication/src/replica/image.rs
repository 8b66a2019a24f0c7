//! Rows of a source as rows of this server.
//!
//! A stored row here is the full row image of a row event, so a column whose type is the source's is copied. What may
//! differ are the lengths of strings; and JSON may come as text, which it is in MariaDB. Everything else is refused, as
//! MySQL does without `replica_type_conversions`. Columns are matched by their places: one of the two tables may have
//! more of them behind those of the other.
//!
//! Rows events come in two versions; version 1 (23 to 25, MariaDB's) has no extra data.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use binlog::event::{ColumnMeta, RowsKind, column_type};
use types::column::ColumnType;
use types::decimal::{PRECISION_MAX, SCALE_MAX};
use types::json::Json;
use types::row::RowBuilder;

use super::{SourceError, SourceEvent};

/// A rows event's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowsBody<'a> {
    /// Which of the three.
    pub kind: RowsKind,
    /// The id of the table map.
    pub table_id: u64,
    /// A union of [`binlog::event::rows_flag`] values.
    pub flags: u16,
    /// How many columns the source's table has.
    pub columns: usize,
    /// Columns in the (before) images, lowest bit first.
    pub present: &'a [u8],
    /// Columns in the after images of an UPDATE.
    pub present_after: &'a [u8],
    /// The images.
    pub images: &'a [u8],
}

/// Decodes a rows event of either version; `None` if it is another event.
pub fn rows_body(event: &SourceEvent) -> Result<Option<RowsBody<'_>>, SourceError> {
    let kind = match event.header.event_type.0 {
        23 => RowsKind::Write,
        24 => RowsKind::Update,
        25 => RowsKind::Delete,
        _ => {
            let binlog::decode::Event::Rows(rows) = event.event()? else { return Ok(None) };
            return Ok(Some(RowsBody {
                kind: rows.kind,
                table_id: rows.table_id,
                flags: rows.flags,
                columns: rows.columns,
                present: rows.present,
                present_after: rows.present_after,
                images: rows.images,
            }));
        }
    };
    let body = version_1(&event.body, kind);
    body.map(Some).ok_or_else(|| SourceError::malformed("a rows event"))
}

#[expect(clippy::many_single_char_names, reason = "the bytes of a number")]
fn version_1(body: &[u8], kind: RowsKind) -> Option<RowsBody<'_>> {
    let (head, rest) = body.split_first_chunk::<8>()?;
    let [a, b, c, d, e, f, low, high] = *head;
    let (columns, rest) = match rest.split_first()? {
        (count @ 0..=0xfa, rest) => (usize::from(*count), rest),
        (0xfc, rest) => {
            let (count, rest) = rest.split_first_chunk()?;
            (usize::from(u16::from_le_bytes(*count)), rest)
        }
        _ => return None,
    };
    let bitmap = columns.div_ceil(8);
    let (present, rest) = rest.split_at_checked(bitmap)?;
    let (present_after, images) =
        if kind == RowsKind::Update { rest.split_at_checked(bitmap)? } else { (&[][..], rest) };
    Some(RowsBody {
        kind,
        table_id: u64::from_le_bytes([a, b, c, d, e, f, 0, 0]),
        flags: u16::from_le_bytes([low, high]),
        columns,
        present,
        present_after,
        images,
    })
}

/// Types of before MySQL 5.6, without fractions.
const OLD_TIMESTAMP: u8 = 7;
const OLD_TIME: u8 = 11;
const OLD_DATETIME: u8 = 12;

/// A column of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field<'a> {
    /// The image does not have it.
    Missing,
    /// NULL.
    Null,
    /// Its bytes, without a length.
    Value(&'a [u8]),
}

/// Why an image is no row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageError {
    /// The image's structure is damaged.
    Malformed,
    /// The source's column, by place, is of another type than this server's.
    Conversion {
        /// Its place.
        column: usize,
        /// The source's type, as well as it is known.
        from: String,
    },
}

/// How the values of a column lie in an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    Fixed(usize),
    /// A length of so many bytes, then the bytes.
    Variable(usize),
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    source: Extent,
    ty: ColumnType,
    /// Bytes of the length in a stored row.
    length_size: usize,
    bytes_max: u64,
    /// A JSON column that the source has as text.
    is_json_text: bool,
}

/// Reads the images of one table map. See the module.
#[derive(Debug)]
pub struct RowReader {
    /// The columns that both tables have.
    slots: Vec<Slot>,
    /// Those of the source's table behind them.
    dropped: Vec<Extent>,
    /// Those of the own table behind them.
    added: usize,
}

impl RowReader {
    /// For a table map with the columns `source`, and a table of this server with the columns `own`.
    pub fn new(source: &[ColumnMeta], own: &[ColumnType]) -> Result<Self, ImageError> {
        let other = |column, source| ImageError::Conversion { column, from: type_name(source) };
        let slots = source
            .iter()
            .zip(own)
            .enumerate()
            .map(|(column, (source, own))| slot(source, *own).ok_or_else(|| other(column, source)));
        let dropped = source.iter().enumerate().skip(own.len());
        let dropped = dropped.map(|(column, source)| extent(source).ok_or_else(|| other(column, source)));
        Ok(Self {
            slots: slots.collect::<Result<_, _>>()?,
            dropped: dropped.collect::<Result<_, _>>()?,
            added: own.len().saturating_sub(source.len()),
        })
    }

    /// How many columns the source's table has.
    pub fn source_columns(&self) -> usize {
        self.slots.len().saturating_add(self.dropped.len())
    }

    /// Reads the next image from `images`; `fields` gets an entry for each column of the own table. An image without columns has no
    /// bytes.
    pub fn read<'a>(
        &self,
        present: &[u8],
        images: &mut &'a [u8],
        fields: &mut Vec<Field<'a>>,
    ) -> Result<(), ImageError> {
        fields.clear();
        let is_set = |bits: &[u8], at: usize| bits.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 != 0);
        let count = (0..self.source_columns()).filter(|column| is_set(present, *column)).count();
        let nulls = take(images, count.div_ceil(8))?;
        let mut at = 0_usize;
        for (column, slot) in self.slots.iter().enumerate() {
            if !is_set(present, column) {
                fields.push(Field::Missing);
                continue;
            }
            let is_null = is_set(nulls, at);
            at = at.saturating_add(1);
            fields.push(if is_null { Field::Null } else { Field::Value(slot.source.take(images)?) });
        }
        for (extent, column) in self.dropped.iter().zip(self.slots.len()..) {
            if is_set(present, column) {
                if !is_set(nulls, at) {
                    extent.take(images)?;
                }
                at = at.saturating_add(1);
            }
        }
        fields.extend(std::iter::repeat_n(Field::Missing, self.added));
        Ok(())
    }

    /// Puts a value of a column into a row that is made.
    pub fn put(&self, column: usize, value: &[u8], row: &mut RowBuilder<'_, '_>) -> Result<(), ImageError> {
        let slot = self.slots.get(column).ok_or(ImageError::Malformed)?;
        let conversion = |what: &str| ImageError::Conversion { column, from: what.to_owned() };
        let Extent::Variable(_) = slot.source else {
            row.stored(Some(value));
            return Ok(());
        };
        let parsed = if slot.is_json_text { Some(json_of(value)) } else { None };
        let value = match &parsed {
            Some(parsed) => parsed.as_deref().ok_or_else(|| conversion("text that is no JSON"))?,
            None => value,
        };
        let pad = match slot.ty {
            ColumnType::Char { .. } => Some(b' '),
            ColumnType::Binary { .. } => Some(0),
            _ => None,
        };
        let end = pad.map_or(value.len(), |pad| {
            value.iter().rposition(|byte| *byte != pad).map_or(0, |last| last.saturating_add(1))
        });
        let value = value.get(..end).unwrap_or(value);
        if value.len() as u64 > slot.bytes_max {
            return Err(conversion("a longer string"));
        }
        let size = (value.len() as u64).to_le_bytes();
        let write = |out: &mut Vec<u8>| {
            out.extend_from_slice(size.get(..slot.length_size).unwrap_or_default());
            out.extend_from_slice(value);
            Ok::<bool, ImageError>(true)
        };
        row.write(write)
    }
}

/// A text as JSON in its binary form.
fn json_of(text: &[u8]) -> Option<Vec<u8>> {
    let json = Json::parse(std::str::from_utf8(text).ok()?).ok()?;
    let mut bytes = Vec::new();
    types::json::encode(&json, &mut bytes).ok()?;
    Some(bytes)
}

impl Extent {
    fn take<'a>(self, images: &mut &'a [u8]) -> Result<&'a [u8], ImageError> {
        match self {
            Self::Fixed(size) => take(images, size),
            Self::Variable(size) => {
                let length = take(images, size)?;
                let length = length.iter().rev().fold(0_usize, |value, byte| value << 8 | usize::from(*byte));
                take(images, length)
            }
        }
    }
}

fn take<'a>(images: &mut &'a [u8], size: usize) -> Result<&'a [u8], ImageError> {
    let (taken, rest) = images.split_at_checked(size).ok_or(ImageError::Malformed)?;
    *images = rest;
    Ok(taken)
}

fn slot(source: &ColumnMeta, own: ColumnType) -> Option<Slot> {
    let is_string = own.is_string() || own == ColumnType::Json;
    let is_json_text = own == ColumnType::Json && source.type_code != column_type::JSON;
    let extent = extent(source)?;
    let fits = match (extent, source.type_code) {
        (Extent::Variable(_), column_type::JSON) => own == ColumnType::Json,
        (Extent::Variable(_), column_type::GEOMETRY) => false,
        (Extent::Variable(_), _) => is_string,
        (Extent::Fixed(size), code) => {
            let ty = own.binlog_type();
            let meta = source.meta.get(..ty.metadata().len())?;
            !is_string && ty.code == code && ty.metadata() == meta && own.stored_size() == Some(size)
        }
    };
    if !fits {
        return None;
    }
    let bytes_max = own.bytes_max().map_or(u64::MAX, u64::from);
    let length_size = match own {
        ColumnType::Text { size, .. } | ColumnType::Blob { size } => usize::from(size.length_size()),
        ColumnType::Json => 4,
        _ if bytes_max > 255 => 2,
        _ => 1,
    };
    Some(Slot { source: extent, ty: own, length_size, bytes_max, is_json_text })
}

/// How the values of a source's column lie in an image; `None` if its type is not known.
fn extent(source: &ColumnMeta) -> Option<Extent> {
    let [first, second] = source.meta;
    let fraction = usize::from(first).saturating_add(1).checked_div(2)?;
    let fixed = |size: usize| Some(Extent::Fixed(size));
    match source.type_code {
        column_type::VARCHAR | column_type::VAR_STRING => {
            Some(Extent::Variable(if u16::from_le_bytes(source.meta) > 255 { 2 } else { 1 }))
        }
        column_type::BLOB | column_type::GEOMETRY => Some(Extent::Variable(usize::from(first.clamp(1, 4)))),
        column_type::JSON => Some(Extent::Variable(4)),
        // ENUM and SET hide here.
        column_type::STRING if matches!(first, column_type::ENUM | column_type::SET) => {
            fixed(usize::from(second))
        }
        column_type::STRING => {
            let size = u16::from(second) | u16::from(first & 0x30 ^ 0x30) << 4;
            Some(Extent::Variable(if size > 255 { 2 } else { 1 }))
        }
        column_type::TINY | column_type::YEAR => fixed(1),
        column_type::SHORT => fixed(2),
        column_type::INT24 | column_type::DATE | OLD_TIME => fixed(3),
        column_type::LONG | column_type::FLOAT | OLD_TIMESTAMP => fixed(4),
        column_type::LONGLONG | column_type::DOUBLE | OLD_DATETIME => fixed(8),
        column_type::TIMESTAMP2 => fixed(fraction.saturating_add(4)),
        column_type::DATETIME2 => fixed(fraction.saturating_add(5)),
        column_type::TIME2 => fixed(fraction.saturating_add(3)),
        column_type::BIT => fixed(usize::from(second).saturating_add(usize::from(first > 0))),
        column_type::NEWDECIMAL if first <= PRECISION_MAX && second <= first.min(SCALE_MAX) => {
            fixed(types::decimal::stored_size(first, second))
        }
        _ => None,
    }
}

/// A source's type as error 1677 shows it.
fn type_name(source: &ColumnMeta) -> String {
    let [first, second] = source.meta;
    let words = u16::from_le_bytes(source.meta);
    match source.type_code {
        1 => "tinyint".to_owned(),
        2 => "smallint".to_owned(),
        3 => "int".to_owned(),
        4 => "float".to_owned(),
        5 => "double".to_owned(),
        8 => "bigint".to_owned(),
        9 => "mediumint".to_owned(),
        10 => "date".to_owned(),
        13 => "year".to_owned(),
        16 => "bit".to_owned(),
        7 | 17 => format!("timestamp({first})"),
        12 | 18 => format!("datetime({first})"),
        11 | 19 => format!("time({first})"),
        15 | 253 => format!("varchar({words}(bytes))"),
        245 => "json".to_owned(),
        246 => format!("decimal({first},{second})"),
        252 => "blob".to_owned(),
        254 if first == 247 => "enum".to_owned(),
        254 if first == 248 => "set".to_owned(),
        254 => "char".to_owned(),
        255 => "geometry".to_owned(),
        other => format!("type {other}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use types::collation::Collation;
    use types::column::{IntSize, IntType, Sign};
    use types::row::RowLayout;

    use super::*;

    fn int() -> ColumnType {
        ColumnType::Int(IntType::new(IntSize::Int, Sign::Signed))
    }

    fn varchar(chars: u16) -> ColumnType {
        ColumnType::Varchar { chars, collation: Collation::Utf8mb4GeneralCi }
    }

    fn meta(type_code: u8, meta: [u8; 2]) -> ColumnMeta {
        ColumnMeta { type_code, meta, ..ColumnMeta::default() }
    }

    #[test]
    fn a_longer_varchar_of_the_source_fits_if_its_value_does() {
        let reader = RowReader::new(&[meta(3, [0; 2]), meta(15, [0x90, 1])], &[int(), varchar(10)]).unwrap();
        let mut images: &[u8] = &[0xfc, 7, 0, 0, 0, 2, 0, b'a', b'b'];
        let mut fields = Vec::new();
        reader.read(&[3], &mut images, &mut fields).unwrap();
        assert_eq!(fields, [Field::Value(&[7, 0, 0, 0]), Field::Value(b"ab")]);
        assert!(images.is_empty());
        let (layout, mut row) = (RowLayout::new([int(), varchar(10)]), Vec::new());
        let mut builder = layout.builder(&mut row);
        reader.put(0, &[7, 0, 0, 0], &mut builder).unwrap();
        reader.put(1, b"ab", &mut builder).unwrap();
        builder.finish().unwrap();
        assert_eq!(row, [0, 7, 0, 0, 0, 2, b'a', b'b']);
        assert!(reader.put(1, &[b'x'; 41], &mut layout.builder(&mut Vec::new())).is_err());
    }

    #[test]
    fn other_types_are_refused() {
        let refused = |source: ColumnMeta, own: ColumnType| RowReader::new(&[source], &[own]).is_err();
        assert!(refused(meta(8, [0; 2]), int()));
        assert!(refused(meta(254, [247, 1]), varchar(3)));
        assert!(refused(meta(15, [9, 0]), int()));
        assert!(refused(meta(18, [3, 0]), ColumnType::DateTime { fsp: 6 }));
        assert!(!refused(meta(18, [6, 0]), ColumnType::DateTime { fsp: 6 }));
    }

    #[test]
    fn either_table_may_have_more_columns() {
        let source =
            [meta(3, [0; 2]), meta(246, [10, 2]), meta(254, [247, 1]), meta(18, [3, 0]), meta(15, [9, 0])];
        let reader = RowReader::new(&source, &[int()]).unwrap();
        assert_eq!(reader.source_columns(), 5);
        let decimal = [0x80, 0, 0, 1, 0];
        let image = [&[0xe2][..], &[7, 0, 0, 0], &[1], &[9; 7], &[2, b'a', b'b'], &[0xfe], &[8, 0, 0, 0]];
        let (mut images, mut fields) = (&image.concat()[..], Vec::new());
        reader.read(&[0xff], &mut images, &mut fields).unwrap();
        assert_eq!(fields, [Field::Value(&[7, 0, 0, 0])], "a DECIMAL that is NULL, and three more");
        reader.read(&[0xff], &mut images, &mut fields).unwrap();
        assert_eq!((fields, images.len()), (vec![Field::Value(&[8, 0, 0, 0][..])], 0));
        let image = [&[0xe0][..], &[7, 0, 0, 0], &decimal, &[1], &[9; 7], &[1, b'a']];
        let (mut images, mut fields) = (&image.concat()[..], Vec::new());
        reader.read(&[0xff], &mut images, &mut fields).unwrap();
        assert!(images.is_empty());
        let reader = RowReader::new(&[meta(3, [0; 2])], &[int(), int(), int()]).unwrap();
        let mut images: &[u8] = &[0xfe, 7, 0, 0, 0];
        reader.read(&[0xff], &mut images, &mut fields).unwrap();
        assert_eq!(fields, [Field::Value(&[7, 0, 0, 0]), Field::Missing, Field::Missing]);
        assert!(RowReader::new(&[meta(3, [0; 2]), meta(99, [0; 2])], &[int()]).is_err());
    }

    #[test]
    fn json_may_come_as_text() {
        let own = [ColumnType::Json];
        let layout = RowLayout::new(own);
        let put = |source: ColumnMeta, value: &[u8]| {
            let mut row = Vec::new();
            let put = RowReader::new(&[source], &own).unwrap().put(0, value, &mut layout.builder(&mut row));
            put.map(|()| row)
        };
        let (binary, text) = (meta(245, [4, 0]), meta(252, [4, 0]));
        let row = [0, 5, 0, 0, 0, 2, 0, 0, 4, 0];
        assert_eq!(put(binary, &[2, 0, 0, 4, 0]).unwrap(), row);
        assert_eq!(put(text.clone(), b"[]").unwrap(), row);
        assert!(put(text, b"[").is_err());
    }

    #[test]
    fn columns_that_are_not_in_an_image_are_missing() {
        let reader = RowReader::new(&[meta(3, [0; 2]), meta(3, [0; 2])], &[int(), int()]).unwrap();
        let mut fields = Vec::new();
        let mut images: &[u8] = &[0, 5, 0, 0, 0];
        reader.read(&[2], &mut images, &mut fields).unwrap();
        assert_eq!(fields, [Field::Missing, Field::Value(&[5, 0, 0, 0])]);
        // An image without columns has no bytes.
        let mut images: &[u8] = &[7];
        reader.read(&[0xFC], &mut images, &mut fields).unwrap();
        assert_eq!((&fields[..], images), (&[Field::Missing, Field::Missing][..], &[7][..]));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(images in proptest::collection::vec(any::<u8>(), 0..64)) {
            let reader = RowReader::new(&[meta(15, [0x90, 1]), meta(252, [4, 0])], &[varchar(9), varchar(9)]).unwrap();
            let mut rest = &images[..];
            let mut fields = Vec::new();
            while !rest.is_empty() && reader.read(&[3], &mut rest, &mut fields).is_ok() {}
        }
    }
}
