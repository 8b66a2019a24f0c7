//! What has to be done to a table's data for a new definition.

use engine::catalog::def::{CheckDef, ColumnDef, IndexDef, TableDef};
use engine::ids::IndexId;
use types::column::{ColumnType, Labels};
use types::sql_mode::SqlMode;

use super::{Change, ColumnSource, renumber};
use crate::ddl::draft::{DraftColumn, same_name};
use crate::ddl::{Result, expression};
use crate::parse::parse_expression;

/// How a column's stored bytes relate to those of its new definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bytes {
    /// Rows and keys stay.
    Same,
    /// Rows stay, keys do not.
    OtherKeys,
    /// Values are to be converted.
    Other,
}

/// Compares, and gives new ids to what is built anew.
pub(super) fn compare(
    old: &TableDef,
    mut new: TableDef,
    columns: &[DraftColumn],
    force: bool,
) -> (TableDef, Change) {
    let bytes: Vec<Option<Bytes>> =
        (0..columns.len()).map(|place| relation(old, &new, columns, place)).collect();
    let same_places = columns.len() == old.columns.len()
        && columns.iter().enumerate().all(|(place, column)| column.old == Some(place));
    let rows_stay = same_places && !bytes.contains(&Some(Bytes::Other));
    let primary_stays = match (old.primary(), new.primary()) {
        (None, None) => true,
        (Some(before), Some(now)) => keys_stay(before, now, &bytes),
        _ => false,
    };
    if force || !rows_stay || !primary_stays {
        let sources =
            (0..columns.len()).map(|place| source(old, &new, &columns[place], place, &bytes)).collect();
        renumber(&mut new);
        return (new, Change::Rebuild { columns: sources });
    }
    let mut add = Vec::new();
    for (place, index) in new.indexes.iter_mut().enumerate() {
        let before = old.indexes.iter().find(|before| before.id == index.id && index.id != IndexId(0));
        if before.is_none_or(|before| !keys_stay(before, index, &bytes)) {
            index.id = IndexId(0);
            add.push(place);
        }
    }
    let is_kept = |id: IndexId| new.indexes.iter().any(|index| index.id == id);
    let drop: Vec<IndexId> = old.indexes.iter().map(|index| index.id).filter(|id| !is_kept(*id)).collect();
    let change = if !add.is_empty() || !drop.is_empty() {
        Change::Indexes { add, drop }
    } else if new == *old {
        Change::Nothing
    } else {
        Change::Metadata
    };
    (new, change)
}

/// Whether a check is enforced that was not: rows are looked at when they are copied, as in MySQL.
pub(super) fn checks_more(old: &TableDef, new: &TableDef) -> bool {
    let was =
        |check: &&CheckDef| old.checks.iter().any(|old| old.enforced && old.expression == check.expression);
    !new.checks.iter().filter(|check| check.enforced).all(|check| was(&check))
}

/// Whether a collation changes that decides what rows hold, or whether they may be there: that of a column which a generated column
/// or an enforced check names. Rows that are copied are computed and looked at again, as in MySQL.
pub(super) fn computes_otherwise(old: &TableDef, new: &TableDef, columns: &[DraftColumn]) -> Result<bool> {
    let is_changed = |(now, column): &(&ColumnDef, &DraftColumn)| {
        column.old.is_some_and(|before| old.columns[before].ty.collation() != now.ty.collation())
    };
    let changed: Vec<_> =
        new.columns.iter().zip(columns).filter(is_changed).map(|(now, _)| &now.name).collect();
    if changed.is_empty() {
        return Ok(false);
    }
    let mut named = Vec::new();
    for column in &new.columns {
        if let Some(generated) = &column.generated {
            let parsed = parse_expression(&generated.expression)?;
            named.extend(expression::generated(&parsed, &column.name, SqlMode::default())?.columns);
        }
    }
    for check in new.checks.iter().filter(|check| check.enforced) {
        let parsed = parse_expression(&check.expression)?;
        named.extend(expression::check(&parsed, &check.name, SqlMode::default())?.columns);
    }
    Ok(named.iter().any(|named| changed.iter().any(|name| same_name(name, named))))
}

/// Whether an index's entries serve the new definition. Columns have kept their places.
fn keys_stay(before: &IndexDef, now: &IndexDef, bytes: &[Option<Bytes>]) -> bool {
    let keys = |part: &engine::catalog::def::IndexPart| bytes[usize::from(part.column)] == Some(Bytes::Same);
    before.parts == now.parts && before.kind == now.kind && now.parts.iter().all(keys)
}

fn relation(old: &TableDef, new: &TableDef, columns: &[DraftColumn], place: usize) -> Option<Bytes> {
    let before = &old.columns[columns[place].old?];
    let now = &new.columns[place];
    if now.generated.is_some() && now.generated != before.generated {
        return Some(Bytes::Other);
    }
    let nullability = match (before.nullable, now.nullable) {
        (true, false) => Bytes::Other,
        (false, true) => Bytes::OtherKeys,
        _ => Bytes::Same,
    };
    Some(match (nullability, type_relation(before.ty, now.ty)) {
        (Bytes::Other, _) | (_, Bytes::Other) => Bytes::Other,
        (Bytes::OtherKeys, _) | (_, Bytes::OtherKeys) => Bytes::OtherKeys,
        (Bytes::Same, Bytes::Same) => Bytes::Same,
    })
}

/// Whether every value of a type is stored the same in another.
fn type_relation(before: ColumnType, now: ColumnType) -> Bytes {
    use ColumnType as T;
    if before == now {
        return Bytes::Same;
    }
    match (before, now) {
        // The display width and ZEROFILL are for showing.
        (T::Int(a), T::Int(b)) if a.size == b.size && a.is_unsigned() == b.is_unsigned() => Bytes::Same,
        (T::Varchar { chars: a, collation: from }, T::Varchar { chars: b, collation: to })
            if a <= b && length_size(before) == length_size(now) =>
        {
            collation_relation(from, to)
        }
        (T::Char { chars: a, collation: from }, T::Char { chars: b, collation: to })
            if a <= b && length_size(before) == length_size(now) =>
        {
            collation_relation(from, to)
        }
        (T::Text { size: a, collation: from }, T::Text { size: b, collation: to }) if a == b => {
            collation_relation(from, to)
        }
        (T::Enum(a), T::Enum(b)) if a.enum_bytes() == b.enum_bytes() && grows(a, b) => Bytes::Same,
        (T::Set(a), T::Set(b)) if a.set_bytes() == b.set_bytes() && grows(a, b) => Bytes::Same,
        (T::Varbinary { size: a }, T::Varbinary { size: b })
            if a <= b && length_size(before) == length_size(now) =>
        {
            Bytes::Same
        }
        _ => Bytes::Other,
    }
}

/// Whether labels were only added at the end: each number means what it meant.
fn grows(before: Labels, now: Labels) -> bool {
    before.collation() == now.collation()
        && before.count() <= now.count()
        && before.names().zip(now.names()).all(|(a, b)| a == b)
}

fn collation_relation(from: types::collation::Collation, to: types::collation::Collation) -> Bytes {
    if from == to {
        Bytes::Same
    } else if from.charset() == to.charset() {
        Bytes::OtherKeys
    } else {
        Bytes::Other
    }
}

/// How many bytes hold the length of a CHAR or VARCHAR.
fn length_size(ty: ColumnType) -> u8 {
    1 + u8::from(ty.bytes_max().is_some_and(|bytes| bytes > 255))
}

fn source(
    old: &TableDef,
    new: &TableDef,
    column: &DraftColumn,
    place: usize,
    bytes: &[Option<Bytes>],
) -> ColumnSource {
    match (column.old, bytes[place]) {
        _ if new.columns[place].generated.is_some() => ColumnSource::Generated,
        (Some(from), Some(Bytes::Other)) => ColumnSource::Convert(from, old.columns[from].ty),
        (Some(from), _) => ColumnSource::Copy(from),
        (None, _) if new.columns[place].auto_increment => ColumnSource::AutoIncrement { by_copy: false },
        (None, _) => ColumnSource::Default(new.columns[place].default.clone()),
    }
}
