//! The type that several expressions have in common: branches of IF, CASE and COALESCE, arguments of GREATEST.
//!
//! Integers meet in the smallest type that holds both, numbers in DECIMAL or DOUBLE, dates and times in DATETIME;
//! everything else meets in text.

use types::collation::Collation;
use types::column::{ColumnType, IntSize, LobSize};
use types::decimal::DecimalKind;
use types::error::SqlError;

use super::result_type::{Kind, NOT_FIXED, ResultType};
use super::{Types, collate};
use crate::expr::Expr;

/// The width that a DOUBLE counts with among texts.
const DOUBLE_CHARS: u32 = 22;
/// The width of a FLOAT or DOUBLE result.
const REAL_LENGTH: u32 = 23;
/// The digits of the largest BIGINT UNSIGNED.
const BIG_DIGITS: u8 = 20;

/// The common type of all; NULL is of every type. `operation` is named where collations do not go together.
pub(crate) fn common_type(
    all: impl Iterator<Item = ResultType> + Clone,
    operation: &str,
    types: &Types<'_>,
) -> Result<ResultType, SqlError> {
    let typed = all.clone().filter(|ty| ty.kind != Kind::Null);
    let nullable = all.clone().any(|ty| ty.nullable);
    let Some(kind) = typed.clone().map(|ty| (ty.kind, ty.is_unsigned)).reduce(merged) else {
        return Ok(ResultType::NULL);
    };
    let common = match kind.0 {
        kind if kind.is_string() => return string(kind, all, operation, types),
        Kind::Decimal => decimal(typed),
        Kind::Float | Kind::Double => {
            let is_unsigned = false;
            ResultType { length: REAL_LENGTH, is_unsigned, ..ResultType::of_kind(kind.0) }
        }
        Kind::Json => ResultType::json(),
        Kind::Date => ResultType::date(),
        Kind::Time => ResultType::time(fsp(typed)),
        Kind::DateTime => ResultType::datetime(fsp(typed)),
        Kind::Timestamp => ResultType { kind: Kind::Timestamp, ..ResultType::datetime(fsp(typed)) },
        other => {
            let length = typed.map(|ty| ty.length).max().unwrap_or(0);
            ResultType { length, is_unsigned: kind.1, ..ResultType::of_kind(other) }
        }
    };
    Ok(common.nullable_if(nullable))
}

/// The type of a column of a set operation, which is that of a stored one. The operation is named where collations do not go
/// together.
pub(crate) fn union_type(
    parts: &[ResultType],
    operation: &str,
    types: &Types<'_>,
) -> Result<ResultType, SqlError> {
    let common = common_type(parts.iter().copied(), operation, types)?;
    let kind = if common.kind == Kind::Null { Kind::Varchar } else { common.kind };
    let mut columns = parts.iter().filter(|ty| ty.kind != Kind::Null).map(|ty| ty.column);
    let first = columns.next().flatten();
    // What has a form of its own keeps it.
    let column = first.filter(|first| {
        matches!(first, ColumnType::Bit { .. } | ColumnType::Year | ColumnType::Json)
            && columns.all(|column| column == Some(*first))
    });
    Ok(ResultType { kind, column, is_stored: true, ..common })
}

/// The type of CASE.
pub(super) fn case(
    branches: &[(Expr, Expr)],
    otherwise: Option<&Expr>,
    types: &Types<'_>,
) -> Result<ResultType, SqlError> {
    let results = || branches.iter().map(|(_, then)| then).chain(otherwise);
    let found =
        results().map(|expr| expr.result_type(types)).collect::<Result<smallvec::SmallVec<[_; 8]>, _>>()?;
    let common = common_type(found.iter().copied(), "case", types)?;
    Ok(if otherwise.is_none() { common.or_null() } else { common })
}

/// The kind that two kinds have in common, each with whether it is unsigned.
fn merged(a: (Kind, bool), b: (Kind, bool)) -> (Kind, bool) {
    let kind = match (a.0, b.0) {
        (Kind::Year, _) if b.0 != Kind::Year => return merged((Kind::Int(IntSize::Small), true), b),
        (_, Kind::Year) if a.0 != Kind::Year => return merged(a, (Kind::Int(IntSize::Small), true)),
        (Kind::Int(a_size), Kind::Int(b_size)) => return integers((a_size, a.1), (b_size, b.1)),
        (one, other) if one == other => one,
        (Kind::Decimal, Kind::Int(_)) | (Kind::Int(_), Kind::Decimal) => Kind::Decimal,
        (Kind::Float, Kind::Int(size)) | (Kind::Int(size), Kind::Float) if size != IntSize::Int => {
            Kind::Float
        }
        (one, other) if is_number(one) && is_number(other) => Kind::Double,
        (one, other) if one.is_temporal() && other.is_temporal() => Kind::DateTime,
        (one, other) => string_kind(one, other),
    };
    (kind, a.1 && b.1)
}

fn is_number(kind: Kind) -> bool {
    kind.is_int() || matches!(kind, Kind::Decimal | Kind::Float | Kind::Double)
}

fn string_kind(one: Kind, other: Kind) -> Kind {
    match (one, other) {
        (Kind::Lob(_), _) | (_, Kind::Lob(_)) => Kind::Lob(LobSize::Normal),
        (Kind::Varchar, _) | (_, Kind::Varchar) => Kind::Varchar,
        (Kind::Char, _) | (_, Kind::Char) => Kind::Char,
        _ => Kind::Varchar,
    }
}

/// Integers of different signs need a signed type that holds both; a DECIMAL if there is none.
fn integers(a: (IntSize, bool), b: (IntSize, bool)) -> (Kind, bool) {
    let larger = a.0.max(b.0);
    if a.1 == b.1 {
        return (Kind::Int(larger), a.1);
    }
    let unsigned = if a.1 { a.0 } else { b.0 };
    let signed = if a.1 { b.0 } else { a.0 };
    if unsigned < signed {
        return (Kind::Int(signed), false);
    }
    let size = match unsigned {
        IntSize::Tiny => IntSize::Small,
        IntSize::Small => IntSize::Medium,
        IntSize::Medium => IntSize::Int,
        IntSize::Int => IntSize::Big,
        IntSize::Big => return (Kind::Decimal, false),
    };
    (Kind::Int(size), false)
}

fn decimal(typed: impl Iterator<Item = ResultType> + Clone) -> ResultType {
    let kinds = typed.map(|ty| match (ty.kind, ty.is_unsigned) {
        (Kind::Int(IntSize::Big), true) if ty.column.is_some() => DecimalKind::new(BIG_DIGITS, 0),
        _ => ty.decimal_kind(),
    });
    let int_digits = kinds.clone().map(DecimalKind::int_digits).max().unwrap_or(1);
    let scale = kinds.map(|kind| kind.scale).max().unwrap_or(0);
    ResultType::exact(DecimalKind::new(int_digits.saturating_add(scale), scale), false)
}

fn fsp(typed: impl Iterator<Item = ResultType>) -> u8 {
    typed.map(|ty| ty.decimals).max().unwrap_or(0).min(6)
}

fn string(
    kind: Kind,
    all: impl Iterator<Item = ResultType> + Clone,
    operation: &str,
    types: &Types<'_>,
) -> Result<ResultType, SqlError> {
    let text = collate::aggregate(all.clone().map(|ty| ty.text_type(types.connection())), operation)?;
    let nullable = all.clone().any(|ty| ty.nullable);
    let length = all.map(|ty| chars_as_branch(ty, text)).max().unwrap_or(0);
    let kind = match ResultType::string(length, text).kind {
        Kind::Lob(size) if !matches!(kind, Kind::Lob(_)) => Kind::Lob(size),
        _ => kind,
    };
    Ok(ResultType { length, text, nullable, decimals: NOT_FIXED, ..ResultType::of_kind(kind) })
}

/// The characters with which a value counts where one of several texts is chosen.
fn chars_as_branch(ty: ResultType, text: collate::TextType) -> u32 {
    match ty.kind {
        _ if text.collation == Collation::Binary => ty.bytes(),
        Kind::Double | Kind::Float if ty.column.is_none() || ty.kind == Kind::Double => DOUBLE_CHARS,
        _ => ty.length,
    }
}
