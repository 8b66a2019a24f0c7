//! Ranges of an index, from expressions to keys.

use engine::catalog::table::Table;
use engine::ids::IndexId;
use engine::scan::KeyRange;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Bound as RangeBound;
use types::cast::CastTarget;
use types::collation::Collation;
use types::column::{Column, ColumnType, Labels};
use types::context::Context;
use types::key::{KeyPart, successor};
use types::row::read_column;
use types::sql_mode::SqlMode;
use types::temporal::{DateTime, FSP_MAX, TimeZone};
use types::value::{Value, ValueRef};

use super::Result;
use crate::expr::typing::aggregate_collations;
use crate::expr::{Expr, Inputs, ResultType, Side, equals_several, order};
use crate::func::converted;
use crate::plan::{Bound, Equal, IndexRef, Pattern, RangeSpec, key_parts};

/// What became of a value that was brought into a column's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Brought {
    /// It is in the key.
    Exact,
    /// It is NULL, which compares with nothing.
    Null,
    /// The column cannot hold it. A value in the key is this to it, and the column has none between the two.
    Near(Ordering),
    /// The column cannot hold it, or compares with it in another way.
    Inexact,
}

/// With more rows of a subquery, all rows of the table are looked at instead.
const ROWS_MAX: usize = 1000;

/// Ranges of an index, bound to values.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BoundRanges {
    /// These, ascending and apart.
    Exact(Vec<KeyRange>),
    /// The ranges say nothing: everything must be looked at.
    Unknown,
}

/// The id of an index of a table.
pub(super) fn index_id(table: &Table, index: IndexRef) -> IndexId {
    match index {
        IndexRef::Primary => table.def.rows,
        IndexRef::Secondary(place) => table.secondary[place].id,
    }
}

/// What a point access looks for.
pub(super) enum PointKey {
    /// This key.
    Key(Vec<u8>),
    /// A NULL is among the values: nothing can match.
    Empty,
    /// The values could not be brought into the columns.
    Unknown,
}

/// The key of a point access.
pub(super) fn point_key(
    table: &Table,
    index: IndexRef,
    keys: &[Equal],
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<PointKey> {
    let mut key = index_id(table, index).new_key();
    for (part, equal) in key_parts(table, index).iter().zip(keys) {
        let value = equal.value.eval(inputs, context)?;
        match bring(part, &equal.value, value.as_ref(), inputs, context, &mut key)? {
            Brought::Exact => {}
            Brought::Null | Brought::Near(_) => return Ok(PointKey::Empty),
            Brought::Inexact => return Ok(PointKey::Unknown),
        }
    }
    Ok(PointKey::Key(key))
}

/// Binds ranges, sorts them and joins those that overlap.
pub(super) fn bind(
    table: &Table,
    index: IndexRef,
    specs: &[RangeSpec],
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<BoundRanges> {
    let parts = key_parts(table, index);
    let id = index_id(table, index);
    let mut ranges: Vec<(Vec<u8>, Vec<u8>)> = Vec::with_capacity(specs.len());
    for spec in specs {
        if let [Equal { value: Expr::Quantified(_, _, subquery), .. }] = &spec.equal[..] {
            let rows = subquery.rows(inputs)?;
            if rows.len() > ROWS_MAX {
                return Ok(BoundRanges::Unknown);
            }
            let column = Expr::Subquery(subquery.clone(), 0);
            for row in rows {
                let (value, mut key) = (row[0].as_ref(), id.new_key());
                if !is_of_one_kind(parts[0].ty, value) {
                    return Ok(BoundRanges::Unknown);
                }
                match bring(&parts[0], &column, value, inputs, context, &mut key)? {
                    Brought::Exact => ranges.push((key.clone(), after(&key))),
                    Brought::Null | Brought::Near(_) => {}
                    Brought::Inexact => return Ok(BoundRanges::Unknown),
                }
            }
            continue;
        }
        match bind_one(id, parts, spec, inputs, context)? {
            OneRange::Keys(low, high) => ranges.push((low, high)),
            OneRange::Empty => {}
            OneRange::Unknown => return Ok(BoundRanges::Unknown),
        }
    }
    Ok(BoundRanges::Exact(merge(ranges)))
}

/// Whether a value that is no constant is compared with a column as it is: not as a double, a text, or another moment.
fn is_of_one_kind(ty: ColumnType, value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::Null => true,
        ValueRef::Int(_) | ValueRef::UInt(_) => matches!(ty, ColumnType::Int(_) | ColumnType::Decimal { .. }),
        ValueRef::Decimal(_) => matches!(ty, ColumnType::Decimal { .. }),
        ValueRef::Str(_, own) => ty.collation() == Some(own),
        ValueRef::Bytes(_) => ty.is_string() && ty.collation().is_none(),
        ValueRef::Date(_) => matches!(ty, ColumnType::Date),
        ValueRef::DateTime(_) => matches!(ty, ColumnType::DateTime { .. }),
        _ => false,
    }
}

enum OneRange {
    /// From the first key on, up to but without the second.
    Keys(Vec<u8>, Vec<u8>),
    Empty,
    Unknown,
}

fn bind_one(
    index: IndexId,
    parts: &[KeyPart],
    spec: &RangeSpec,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<OneRange> {
    let mut equal = index.new_key();
    for (part, term) in parts.iter().zip(&spec.equal) {
        let value = term.value.eval(inputs, context)?;
        if value.as_ref().is_null() && term.matches_null {
            if !part.nullable {
                return Ok(OneRange::Empty);
            }
            part.write(None, &mut equal);
            continue;
        }
        match bring(part, &term.value, value.as_ref(), inputs, context, &mut equal)? {
            Brought::Exact => {}
            Brought::Null | Brought::Near(_) => return Ok(OneRange::Empty),
            Brought::Inexact => return Ok(OneRange::Unknown),
        }
    }
    let Some(part) = parts.get(spec.equal.len()) else {
        let high = after(&equal);
        return Ok(OneRange::Keys(equal, high));
    };
    let bounded = bind_bounds(part, spec, &equal, inputs, context)?;
    let (OneRange::Keys(low, high), Some(like)) = (&bounded, &spec.like) else { return Ok(bounded) };
    Ok(match bind_pattern(part, like, &equal, inputs, context)? {
        OneRange::Keys(first, end) => OneRange::Keys(first.max(low.clone()), end.min(high.clone())),
        OneRange::Empty => OneRange::Empty,
        OneRange::Unknown if spec.is_only_pattern() => OneRange::Unknown,
        OneRange::Unknown => bounded,
    })
}

/// Of the keys that begin with `equal`, those that the bounds of the next part leave.
fn bind_bounds(
    part: &KeyPart,
    spec: &RangeSpec,
    equal: &[u8],
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<OneRange> {
    let (mut low, mut high) = (equal.to_vec(), after(equal));
    if spec.low.is_none() && spec.high.is_some() && part.nullable {
        // NULL is below everything and compares with nothing.
        let mut null = equal.to_vec();
        part.write(None, &mut null);
        low = after(&null);
    }
    for (bound, is_low) in [(&spec.low, true), (&spec.high, false)] {
        let Some(Bound { value, inclusive }) = bound else { continue };
        let expr = value;
        let value = expr.eval(inputs, context)?;
        if part.ty.labels().is_some() && !value.as_ref().is_number() {
            // Texts compare with labels by their text, and keys are in the order of their numbers.
            return Ok(OneRange::Unknown);
        }
        let mut key = equal.to_vec();
        // A low bound that belongs to the range begins at its key, one that does not behind all with it.
        let is_behind = match bring(part, expr, value.as_ref(), inputs, context, &mut key)? {
            Brought::Exact => is_low != *inclusive,
            Brought::Near(ordering) => ordering.is_lt(),
            Brought::Null => return Ok(OneRange::Empty),
            Brought::Inexact => return Ok(OneRange::Unknown),
        };
        let end = if is_behind { after(&key) } else { key };
        if is_low {
            low = end;
        } else {
            high = end;
        }
    }
    Ok(OneRange::Keys(low, high))
}

/// Of the keys that begin with `equal`, those in which the next part may be LIKE a pattern. Unknown if that may be all.
fn bind_pattern(
    part: &KeyPart,
    like: &Pattern,
    equal: &[u8],
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<OneRange> {
    let pattern = like.value.eval(inputs, context)?;
    let pattern = match pattern.as_ref() {
        ValueRef::Null => return Ok(OneRange::Empty),
        pattern @ (ValueRef::Str(..) | ValueRef::Bytes(_)) => pattern,
        _ => return Ok(OneRange::Unknown),
    };
    let Some(pattern) = in_column(part, &like.value, pattern, inputs)? else { return Ok(OneRange::Unknown) };
    let collation = part.ty.collation().unwrap_or(Collation::Binary);
    let beginning = collation.like_beginning(&pattern, like.escape.map(u32::from));
    let mut key = equal.to_vec();
    if beginning.is_whole {
        let text = match part.ty.collation() {
            Some(collation) => ValueRef::Str(&beginning.text, collation),
            None => ValueRef::Bytes((&*beginning.text).into()),
        };
        if write(part, text, inputs.session.time_zone(), &mut key) == Brought::Inexact {
            return Ok(OneRange::Unknown);
        }
    } else {
        let mut any = equal.to_vec();
        part.write_beginning(b"", &mut any);
        part.write_beginning(&beginning.text, &mut key);
        if key == any {
            return Ok(OneRange::Unknown);
        }
    }
    let end = after(&key);
    Ok(OneRange::Keys(key, end))
}

fn after(key: &[u8]) -> Vec<u8> {
    let mut end = Vec::with_capacity(key.len());
    successor(key, &mut end);
    end
}

fn merge(mut ranges: Vec<(Vec<u8>, Vec<u8>)>) -> Vec<KeyRange> {
    ranges.retain(|(low, high)| low < high);
    ranges.sort();
    let mut merged: Vec<(Vec<u8>, Vec<u8>)> = Vec::with_capacity(ranges.len());
    for (low, high) in ranges {
        match merged.last_mut() {
            Some((_, end)) if low <= *end => *end = high.max(std::mem::take(end)),
            _ => merged.push((low, high)),
        }
    }
    let range = |(low, high): (Vec<u8>, Vec<u8>)| KeyRange {
        low: RangeBound::Included(low.into()),
        high: RangeBound::Excluded(high.into()),
    };
    merged.into_iter().map(range).collect()
}

/// Appends a value's part of a key, if comparing with the column's stored value is comparing with this one.
fn bring(
    part: &KeyPart,
    expr: &Expr,
    value: ValueRef<'_>,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
    key: &mut Vec<u8>,
) -> Result<Brought> {
    let time_zone = inputs.session.time_zone();
    match (part.ty, value) {
        (_, ValueRef::Null) => Ok(Brought::Null),
        (ColumnType::Int(ty), ValueRef::Int(number))
            if number >= ty.min() && (number < 0 || number as u64 <= ty.max()) =>
        {
            Ok(write(part, value, time_zone, key))
        }
        (ty, ValueRef::Str(..) | ValueRef::Bytes(_)) if ty.is_string() => {
            bring_text(part, expr, value, inputs, key)
        }
        (ty, _) if ty.is_string() => Ok(Brought::Inexact),
        (ty, _) if ty.labels().is_some_and(Labels::is_ambiguous) && !value.is_number() => {
            Ok(Brought::Inexact)
        }
        (ty, _) => {
            let column = Column { table: String::new(), name: String::new(), ty, nullable: true };
            let mut quiet = types::warning::Warnings::with_limit(0);
            // What is cut is next to what it was cut of; what is rounded may have an incomplete date between them.
            let mode = context.sql_mode | SqlMode::TIME_TRUNCATE_FRACTIONAL;
            let mut reading = Context::reading(mode, time_zone, context.today, &mut quiet);
            if equals_several(&ty, expr, value, &mut reading)? {
                return Ok(Brought::Inexact);
            }
            let mut stored = Vec::new();
            if !types::store::assign(&column, value, &mut reading, &mut stored)? {
                return Ok(Brought::Null);
            }
            let read = read_column(ty, &stored, time_zone);
            // What reading it as the column's type has to say is said once; else each row's comparison says it.
            let mut warnings = types::warning::Warnings::default();
            let mut apart = Context { warnings: &mut warnings, ..*context };
            let (column, side) = (Side::of_value(read), Side::new(expr, value));
            let found = match order(column, side, "=", inputs, &mut apart)? {
                Some(Ordering::Equal) => Brought::Exact,
                Some(ordering) if is_next_to(ty, read, expr, value, context)? => Brought::Near(ordering),
                _ => return Ok(Brought::Inexact),
            };
            if write(part, read, time_zone, key) == Brought::Inexact {
                return Ok(Brought::Inexact);
            }
            context.warnings.absorb(warnings);
            Ok(found)
        }
    }
}

/// Whether a value that was assigned to a column became one of its two neighbours there.
fn is_next_to(
    ty: ColumnType,
    read: ValueRef<'_>,
    expr: &Expr,
    value: ValueRef<'_>,
    context: &Context<'_>,
) -> Result<bool> {
    Ok(match (ty, read) {
        // Other numbers become the nearest one, or that at the end.
        (ColumnType::Int(_) | ColumnType::Decimal { .. }, _) => {
            matches!(value, ValueRef::Int(_) | ValueRef::UInt(_) | ValueRef::Decimal(_) | ValueRef::Double(_))
        }
        (ColumnType::Date, ValueRef::Date(date)) => {
            moment(expr, value, context)?.is_some_and(|moment| moment.date() == date)
        }
        (ColumnType::DateTime { fsp }, ValueRef::DateTime(read)) => {
            moment(expr, value, context)?.is_some_and(|moment| moment.truncate_to(fsp) == read)
        }
        (ColumnType::Time { fsp }, ValueRef::Time(read)) => {
            matches!(value, ValueRef::Time(time) if time.truncate_to(fsp) == read)
        }
        // Where clocks are set back, the order of keys is not that of local times.
        (ColumnType::Timestamp { fsp }, ValueRef::DateTime(read)) if context.time_zone.is_fixed() => {
            moment(expr, value, context)?.is_some_and(|moment| moment.truncate_to(fsp) == read)
        }
        _ => false,
    })
}

/// The date and time that a value is beside a date, if it is one as a whole.
fn moment(expr: &Expr, value: ValueRef<'_>, context: &Context<'_>) -> Result<Option<DateTime>> {
    match value {
        ValueRef::DateTime(moment) => return Ok(Some(moment)),
        ValueRef::Date(date) => return Ok(Some(DateTime::from_date(date))),
        ValueRef::Str(..) if expr.is_constant() => {}
        _ => return Ok(None),
    }
    let mut warnings = types::warning::Warnings::default();
    let mut reading = Context::reading(context.sql_mode, context.time_zone, context.today, &mut warnings);
    let read = types::cast::cast(value, CastTarget::DateTime { fsp: FSP_MAX }, &"", &mut reading)?;
    Ok(match read {
        Value::DateTime(moment) if warnings.count() == 0 => Some(moment),
        _ => None,
    })
}

/// As [`bring`], of a text, which may have another collation than the column.
fn bring_text(
    part: &KeyPart,
    expr: &Expr,
    value: ValueRef<'_>,
    inputs: &Inputs<'_>,
    key: &mut Vec<u8>,
) -> Result<Brought> {
    let time_zone = inputs.session.time_zone();
    let Some(bytes) = in_column(part, expr, value, inputs)? else { return Ok(Brought::Inexact) };
    if let Some(collation) = part.ty.collation() {
        return Ok(write(part, ValueRef::Str(&bytes, collation), time_zone, key));
    }
    // The zeros at the end of BINARY(n) count, and keys have none of them.
    let whole = !matches!(part.ty, ColumnType::Binary { size } if usize::from(size) != bytes.len());
    let value = ValueRef::Bytes((&*bytes).into());
    Ok(if whole { write(part, value, time_zone, key) } else { Brought::Inexact })
}

/// A text in the character set of a column of texts, if it is compared with that by the column's collation.
fn in_column<'v>(
    part: &KeyPart,
    expr: &Expr,
    value: ValueRef<'v>,
    inputs: &Inputs<'_>,
) -> Result<Option<Cow<'v, [u8]>>> {
    let column = part.ty.collation();
    if let ValueRef::Str(bytes, own) = value
        && column == Some(own)
    {
        return Ok(Some(Cow::Borrowed(bytes)));
    }
    if !compares_as_column(part, expr, inputs)? {
        return Ok(None);
    }
    let bytes = value.string_bytes().unwrap_or_default();
    let Some(collation) = column else { return Ok(Some(bytes)) };
    let own = if let ValueRef::Str(_, own) = value { own } else { Collation::Binary };
    Ok(match converted(&bytes, own.charset(), collation.charset()) {
        Ok(converted) => Some(converted.map_or(bytes, Cow::Owned)),
        Err(_) => None,
    })
}

/// Whether a text is compared with a column of texts by the column's collation: only then an index helps.
pub(super) fn compares_as_column(part: &KeyPart, expr: &Expr, inputs: &Inputs<'_>) -> Result<bool> {
    let types = inputs.types();
    let both = [ResultType::of_column(part.ty, part.nullable), expr.result_type(&types)?];
    let both = both.map(|ty| ty.text_type(types.connection()));
    let own = part.ty.collation().unwrap_or(Collation::Binary);
    // Where they have none in common, comparing them says so.
    Ok(aggregate_collations(both.into_iter(), "=").is_ok_and(|common| common.collation == own))
}

fn write(part: &KeyPart, value: ValueRef<'_>, time_zone: &TimeZone, key: &mut Vec<u8>) -> Brought {
    let size = key.len();
    if part.write_value(value, time_zone, key).is_err() {
        key.truncate(size);
        return Brought::Inexact;
    }
    Brought::Exact
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_are_joined_and_empty_ones_dropped() {
        let key = |n: u8| vec![n];
        let merged = merge(vec![
            (key(5), key(7)),
            (key(1), key(3)),
            (key(2), key(4)),
            (key(9), key(9)),
            (key(7), key(8)),
        ]);
        let ends: Vec<_> = merged
            .iter()
            .map(|range| match (&range.low, &range.high) {
                (RangeBound::Included(low), RangeBound::Excluded(high)) => (low[0], high[0]),
                _ => unreachable!("ranges are half open"),
            })
            .collect();
        assert_eq!(ends, [(1, 4), (5, 8)]);
    }
}
