//! Keys: their names, their columns, their order.

use engine::catalog::def::{ColumnDef, IndexDef, IndexKind, IndexPart};
use engine::ids::IndexId;
use types::column::ColumnType;
use types::context::Context;
use types::error::table::{
    ER_DUP_FIELDNAME, ER_DUP_INDEX, ER_DUP_KEYNAME, ER_KEY_COLUMN_DOES_NOT_EXITS, ER_TOO_LONG_INDEX_COMMENT,
    ER_TOO_LONG_KEY, ER_TOO_MANY_KEY_PARTS, ER_TOO_MANY_KEYS, ER_WRONG_NAME_FOR_INDEX,
};
use types::key::{KEY_SIZE_MAX, KeyPart, check_key};
use types::warning::Level;

use super::Result;
use super::draft::{Draft, DraftKey, DraftPart, same_name};
use crate::parse::table::{KeyKind, KeySpec};

/// The most keys of a table.
const KEYS_MAX: usize = 64;
/// The most columns of a key.
const PARTS_MAX: usize = 16;
/// The most characters of a key's comment.
const COMMENT_CHARS_MAX: usize = 1024;
/// The primary key's name.
pub(super) const PRIMARY: &str = "PRIMARY";

/// A key as it was written. Error 1280 for a name that it cannot have.
pub(super) fn draft(spec: &KeySpec) -> Result<DraftKey> {
    let kind = match spec.kind {
        KeyKind::Primary => IndexKind::Primary,
        KeyKind::Unique => IndexKind::Unique,
        KeyKind::Plain => IndexKind::Plain,
    };
    if let Some(name) = &spec.name
        && (name.is_empty() || name.ends_with(' ') || name.eq_ignore_ascii_case(PRIMARY))
    {
        return Err(ER_WRONG_NAME_FOR_INDEX.error(&[name]));
    }
    let parts = spec.parts.iter().map(|part| DraftPart {
        column: part.column.clone(),
        prefix: part.prefix.map(|prefix| u32::try_from(prefix).unwrap_or(u32::MAX)),
        descending: part.descending,
    });
    let comment = spec.comment.clone().unwrap_or_default();
    Ok(DraftKey { kind, name: spec.name.clone(), parts: parts.collect(), comment, old: None, made: false })
}

/// The indexes of a draft, in MySQL's order: the primary key, unique keys without NULLs, other unique keys, the rest.
/// Columns of the primary key are NOT NULL already. Errors 1060, 1061, 1069 to 1072, 1089, 1170, 1391, 1688.
pub(super) fn indexes(draft: &mut Draft, context: &mut Context<'_>) -> Result<Vec<IndexDef>> {
    if draft.keys.len() > KEYS_MAX {
        return Err(ER_TOO_MANY_KEYS.error(&[&KEYS_MAX]));
    }
    let keys = std::mem::take(&mut draft.keys);
    let mut indexes: Vec<IndexDef> = Vec::with_capacity(keys.len());
    for key in &keys {
        let parts = parts(key, draft, context)?;
        let name = name(key, &parts, draft, &indexes)?;
        let comment = comment(&name, key, context)?;
        indexes.push(IndexDef {
            id: key.old.unwrap_or(IndexId(0)),
            name,
            kind: key.kind,
            parts,
            comment,
            made: key.made,
        });
    }
    let columns = &draft.columns;
    let is_null = |part: &IndexPart| columns[usize::from(part.column)].def.nullable;
    indexes.sort_by_key(|index| match index.kind {
        IndexKind::Primary => 0,
        IndexKind::Unique => {
            let nullable = index.parts.iter().any(is_null);
            let prefixed = index.parts.iter().any(|part| part.prefix.is_some());
            1 + 2 * u8::from(nullable) + u8::from(prefixed)
        }
        IndexKind::Plain => 9,
    });
    warn_of_duplicates(&indexes, draft, context);
    Ok(indexes)
}

fn parts(key: &DraftKey, draft: &Draft, context: &mut Context<'_>) -> Result<Vec<IndexPart>> {
    if key.parts.len() > PARTS_MAX {
        return Err(ER_TOO_MANY_KEY_PARTS.error(&[&PARTS_MAX]));
    }
    let mut parts: Vec<IndexPart> = Vec::with_capacity(key.parts.len());
    for part in &key.parts {
        let place = draft.column(&part.column);
        let place = place.ok_or_else(|| ER_KEY_COLUMN_DOES_NOT_EXITS.error(&[&part.column]))?;
        let column = u16::try_from(place).map_err(|_| ER_KEY_COLUMN_DOES_NOT_EXITS.error(&[&part.column]))?;
        if parts.iter().any(|other| other.column == column) {
            return Err(ER_DUP_FIELDNAME.error(&[&part.column]));
        }
        let ty = draft.columns[place].def.ty;
        let prefix = prefix(part, ty, key.kind, context);
        parts.push(IndexPart { column, prefix, descending: part.descending });
    }
    let typed: Vec<(KeyPart, &str)> =
        parts.iter().map(|part| typed(part, &draft.columns[usize::from(part.column)].def)).collect();
    check_key(typed.iter().map(|(part, name)| (part, *name)))?;
    let whole = |part: IndexPart| {
        let ty = draft.columns[usize::from(part.column)].def.ty;
        let prefix = part.prefix.filter(|prefix| ty.is_lob() || Some(*prefix) != ty.chars_max());
        IndexPart { prefix, ..part }
    };
    Ok(parts.into_iter().map(whole).collect())
}

fn typed<'d>(part: &IndexPart, def: &'d ColumnDef) -> (KeyPart, &'d str) {
    let part =
        KeyPart { column: part.column.into(), ty: def.ty, nullable: def.nullable, prefix: part.prefix };
    (part, &def.name)
}

/// A part of a key that guarantees nothing is cut to the longest prefix outside of strict mode, with warning 1071.
fn prefix(part: &DraftPart, ty: ColumnType, kind: IndexKind, context: &mut Context<'_>) -> Option<u32> {
    let char_size = ty.collation().map_or(1, |collation| collation.charset().char_size_max());
    let chars_max = KEY_SIZE_MAX / char_size;
    let chars = part.prefix.or_else(|| ty.chars_max().filter(|_| !ty.is_lob()));
    let too_long = ty.is_string() && chars.is_some_and(|chars| chars > chars_max);
    let fits_column = part.prefix.is_none_or(|prefix| ty.chars_max().is_some_and(|most| prefix <= most));
    if too_long && fits_column && kind == IndexKind::Plain && !context.strict {
        context.warnings.push(Level::Warning, &ER_TOO_LONG_KEY, &[&KEY_SIZE_MAX]);
        return Some(chars_max);
    }
    part.prefix
}

/// The key's name, or one made of its first column's. Error 1061 if another key has it.
fn name(key: &DraftKey, parts: &[IndexPart], draft: &Draft, before: &[IndexDef]) -> Result<String> {
    if key.kind == IndexKind::Primary {
        return Ok(PRIMARY.to_owned());
    }
    let is_taken = |name: &str| before.iter().any(|index| same_name(&index.name, name));
    if let Some(name) = &key.name {
        return if is_taken(name) { Err(ER_DUP_KEYNAME.error(&[name])) } else { Ok(name.clone()) };
    }
    let first = parts.first().map_or("", |part| &*draft.columns[usize::from(part.column)].def.name);
    if !is_taken(first) && !first.eq_ignore_ascii_case(PRIMARY) {
        return Ok(first.to_owned());
    }
    let numbered = (2..=KEYS_MAX + 1).map(|number| format!("{first}_{number}"));
    Ok(numbered.into_iter().find(|name| !is_taken(name)).unwrap_or_else(|| "not_specified".to_owned()))
}

/// Error 1688 for a comment that is too long; outside of strict mode it is cut.
fn comment(name: &str, key: &DraftKey, context: &mut Context<'_>) -> Result<String> {
    let Some((cut, _)) = key.comment.char_indices().nth(COMMENT_CHARS_MAX) else {
        return Ok(key.comment.clone());
    };
    if context.strict {
        return Err(ER_TOO_LONG_INDEX_COMMENT.error(&[&name, &COMMENT_CHARS_MAX]));
    }
    context.warnings.push(Level::Warning, &ER_TOO_LONG_INDEX_COMMENT, &[&name, &COMMENT_CHARS_MAX]);
    Ok(key.comment[..cut].to_owned())
}

/// Warning 1831 for each new index that has the same parts as one before it.
fn warn_of_duplicates(indexes: &[IndexDef], draft: &Draft, context: &mut Context<'_>) {
    for (place, index) in indexes.iter().enumerate() {
        let same = |other: &IndexDef| other.parts == index.parts && other.kind == index.kind;
        if index.id == IndexId(0) && indexes[..place].iter().any(same) {
            let args: [&dyn std::fmt::Display; 3] = [&index.name, &draft.table.db, &draft.table.name];
            context.warnings.push(Level::Warning, &ER_DUP_INDEX, &args);
        }
    }
}
