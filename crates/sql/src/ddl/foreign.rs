//! Foreign keys in the definition of their own table. What must hold of their parents: [`super::table_changes`].

use engine::catalog::def::{ForeignKeyDef, IndexKind, ReferentialAction, TableDef};
use types::error::SqlError;
use types::error::table::{
    ER_CANNOT_ADD_FOREIGN, ER_CANT_DROP_FIELD_OR_KEY, ER_DROP_INDEX_FK, ER_FK_COLUMN_CANNOT_DROP,
    ER_FK_COLUMN_NOT_NULL, ER_FK_DUP_NAME, ER_KEY_COLUMN_DOES_NOT_EXITS, ER_TOO_LONG_IDENT, ER_WRONG_FK_DEF,
    ER_WRONG_NAME_FOR_INDEX,
};

use super::draft::{Draft, DraftKey, DraftPart, same_name};
use super::{Result, check};
use crate::parse::table::{ColumnSpec, ForeignKeySpec, KeyPartSpec, References};

/// The most characters of a name.
pub(super) const NAME_CHARS_MAX: usize = 64;
/// What stands between a table's name and a number in a name that was made.
const MADE: &str = "_ibfk_";

/// A foreign key while a statement works on its table: its columns have names still.
#[derive(Clone, Debug)]
pub(super) struct DraftForeignKey {
    /// Its name; `None` = one is to be made.
    name: Option<String>,
    /// The name of the index that it gets if it needs one.
    index: Option<String>,
    columns: Vec<String>,
    parent_db: String,
    parent_table: String,
    /// None = the primary key's.
    parent_columns: Vec<String>,
    on_update: ReferentialAction,
    on_delete: ReferentialAction,
    /// It was there before.
    is_old: bool,
}

/// One as it was written. Errors 1215, 1239, 1280.
pub(super) fn draft(spec: &ForeignKeySpec, db: &str) -> Result<DraftForeignKey> {
    for name in [&spec.name, &spec.index].into_iter().flatten() {
        if name.is_empty() || name.ends_with(' ') {
            return Err(ER_WRONG_NAME_FOR_INDEX.error(&[name]));
        }
    }
    let key = new(&spec.parts, &spec.references, db)?;
    if !key.parent_columns.is_empty() && key.parent_columns.len() != key.columns.len() {
        return Err(mismatch(spec.name.as_deref()));
    }
    Ok(DraftForeignKey { name: spec.name.clone(), index: spec.index.clone(), ..key })
}

/// One that is an attribute of a column. Errors 1215, 1239.
pub(super) fn of_column(spec: &ColumnSpec, db: &str) -> Result<Option<DraftForeignKey>> {
    let Some(references) = &spec.references else { return Ok(None) };
    let part = KeyPartSpec { column: spec.name.clone(), prefix: None, descending: false };
    let key = new(&[part], references, db)?;
    if key.parent_columns.len() > 1 { Err(mismatch(None)) } else { Ok(Some(key)) }
}

fn new(parts: &[KeyPartSpec], references: &References, db: &str) -> Result<DraftForeignKey> {
    let names = |parts: &[KeyPartSpec]| {
        let name = |part: &KeyPartSpec| match part.prefix {
            Some(_) => Err(ER_CANNOT_ADD_FOREIGN.error(&[])),
            None => Ok(part.column.clone()),
        };
        parts.iter().map(name).collect::<Result<Vec<_>>>()
    };
    Ok(DraftForeignKey {
        name: None,
        index: None,
        columns: names(parts)?,
        parent_db: references.table.db.clone().unwrap_or_else(|| db.to_owned()),
        parent_table: references.table.name.clone(),
        parent_columns: names(&references.parts)?,
        on_update: references.on_update,
        on_delete: references.on_delete,
        is_old: false,
    })
}

/// Error 1239.
pub(super) fn mismatch(name: Option<&str>) -> SqlError {
    let what = "Key reference and table reference don't match";
    ER_WRONG_FK_DEF.error(&[&name.unwrap_or("foreign key without name"), &what])
}

/// Puts the keys of an altered table into its draft, but for those that it drops; `new_name` is what becomes of a
/// column's name. Errors 1091, 1828.
pub(super) fn keep(
    old: &TableDef,
    drops: &[&str],
    new_name: impl Fn(&str) -> Option<String>,
    draft: &mut Draft,
) -> Result<()> {
    let mut drops = drops.to_vec();
    for key in &old.foreign_keys {
        if let Some(dropped) = drops.iter().position(|name| same_name(name, &key.name)) {
            drops.remove(dropped);
            continue;
        }
        let columns = key.columns.iter().map(|&column| {
            let was = &old.columns[usize::from(column)].name;
            new_name(was).ok_or_else(|| ER_FK_COLUMN_CANNOT_DROP.error(&[was, &key.name]))
        });
        let is_own = key.refers_to(&old.db, &old.name);
        let parent_column = |name: &String| if is_own { new_name(name) } else { None };
        draft.foreign_keys.push(DraftForeignKey {
            name: Some(key.name.clone()),
            index: None,
            columns: columns.collect::<Result<_>>()?,
            parent_db: key.parent_db.clone(),
            parent_table: key.parent_table.clone(),
            parent_columns: key
                .parent_columns
                .iter()
                .map(|name| parent_column(name).unwrap_or_else(|| name.clone()))
                .collect(),
            on_update: key.on_update,
            on_delete: key.on_delete,
            is_old: true,
        });
    }
    drops.first().map_or(Ok(()), |name| Err(ER_CANT_DROP_FIELD_OR_KEY.error(&[name])))
}

/// Adds an index for each new foreign key, and takes out those made for foreign keys that another one can replace: one
/// that was asked for, or a longer one; of equal ones the last stays.
pub(super) fn add_indexes(draft: &mut Draft) {
    let new = draft.foreign_keys.iter().filter(|key| !key.is_old);
    let index = |key: &DraftForeignKey| DraftKey {
        kind: IndexKind::Plain,
        name: key.name.clone().or_else(|| key.index.clone()),
        parts: key.columns.iter().map(|name| DraftPart::whole(name)).collect(),
        comment: String::new(),
        old: None,
        made: true,
    };
    draft.keys.extend(new.map(index));
    let keys = &draft.keys;
    let is_needed = |place: usize, key: &DraftKey| {
        let replaces = |(other_place, other): (usize, &DraftKey)| {
            let comes_first = !other.made
                || other.parts.len() > key.parts.len()
                || (other.parts.len() == key.parts.len() && other_place > place);
            comes_first && begins_with(other, key)
        };
        !key.made || !keys.iter().enumerate().any(replaces)
    };
    let needed: Vec<bool> = keys.iter().enumerate().map(|(place, key)| is_needed(place, key)).collect();
    let mut needed = needed.into_iter();
    draft.keys.retain(|_| needed.next().unwrap_or(true));
}

/// Whether an index begins with the whole columns of another, none of them DESC.
fn begins_with(index: &DraftKey, with: &DraftKey) -> bool {
    let is_same = |(a, b): (&DraftPart, &DraftPart)| {
        a.prefix.is_none() && !a.descending && same_name(&a.column, &b.column)
    };
    index.parts.len() >= with.parts.len() && index.parts.iter().zip(&with.parts).all(is_same)
}

/// The definitions, sorted by name as MySQL shows them. Those without a name are numbered behind the highest number that
/// the table had. Errors 1059, 1072, 1826, 1830.
pub(super) fn definitions(draft: &Draft) -> Result<Vec<ForeignKeyDef>> {
    let table = &draft.table.name;
    let old = &draft.table.foreign_keys;
    let mut number = old.iter().filter_map(|key| made_number(&key.name, table, MADE)).max().unwrap_or(0);
    let mut made: Vec<ForeignKeyDef> = Vec::with_capacity(draft.foreign_keys.len());
    for key in &draft.foreign_keys {
        let name = key.name.clone().unwrap_or_else(|| {
            number += 1;
            made_name(table, MADE, number)
        });
        if name.chars().count() > NAME_CHARS_MAX {
            return Err(ER_TOO_LONG_IDENT.error(&[&name]));
        }
        let old = old.iter().filter(|_| !key.is_old);
        if made.iter().chain(old).any(|other| same_name(&other.name, &name)) {
            return Err(ER_FK_DUP_NAME.error(&[&name]));
        }
        let place = |column: &String| {
            let place = draft.column(column).and_then(|place| u16::try_from(place).ok());
            place.ok_or_else(|| ER_KEY_COLUMN_DOES_NOT_EXITS.error(&[column]))
        };
        let columns = key.columns.iter().map(place).collect::<Result<Vec<u16>>>()?;
        if [key.on_update, key.on_delete].contains(&ReferentialAction::SetNull) {
            let defs = columns.iter().map(|&column| &draft.columns[usize::from(column)].def);
            if let Some(column) = defs.into_iter().find(|column| !column.nullable) {
                return Err(ER_FK_COLUMN_NOT_NULL.error(&[&column.name, &name]));
            }
        }
        made.push(ForeignKeyDef {
            name,
            columns,
            parent_db: key.parent_db.clone(),
            parent_table: key.parent_table.clone(),
            parent_columns: key.parent_columns.clone(),
            on_update: key.on_update,
            on_delete: key.on_delete,
        });
    }
    sort(&mut made);
    Ok(made)
}

/// Brings them into MySQL's order.
pub(super) fn sort(keys: &mut [ForeignKeyDef]) {
    keys.sort_by_key(|key| key.name.to_lowercase());
}

/// The name of a constraint that was given none.
pub(super) fn made_name(table: &str, between: &str, number: u64) -> String {
    format!("{table}{between}{number}")
}

/// The name that a constraint of one table has if that is renamed to another: one that was made of the table's name
/// follows.
pub fn name_after_rename(name: &str, from: &str, to: &str) -> String {
    let made = |between| made_number(name, from, between).map(|number| made_name(to, between, number));
    made(MADE).or_else(|| made(check::MADE)).unwrap_or_else(|| name.to_owned())
}

/// The number in a name that was made.
pub(super) fn made_number(name: &str, table: &str, between: &str) -> Option<u64> {
    name.strip_prefix(table)?.strip_prefix(between)?.parse().ok()
}

/// Error 1553 if an index is dropped that a foreign key of its own table needs.
pub(super) fn check_indexes(old: &TableDef, new: &TableDef) -> Result<()> {
    let Some(key) = new.foreign_keys.iter().find(|key| new.index_on(&key.columns).is_none()) else {
        return Ok(());
    };
    let before = old.foreign_keys.iter().find(|before| before.name == key.name);
    let index = before.and_then(|before| old.index_on(&before.columns));
    Err(ER_DROP_INDEX_FK.error(&[&index.map_or(&key.name, |index| &index.name)]))
}
