//! Types of aggregates.

use types::column::{ColumnType, IntSize, LobSize};
use types::decimal::{DecimalKind, PRECISION_MAX};
use types::error::SqlError;

use super::bits::binary_size;
use crate::expr::typing::{Kind, NOT_FIXED, TextType, aggregate_collations, fixed_double};
use crate::expr::{ResultType, Types};
use crate::plan::{Aggregate, AggregateKind};

/// Digits that a sum may have beyond those of its argument.
const SUM_DIGITS: u8 = 22;
/// The width of a BIGINT.
const BIGINT_WIDTH: u32 = 21;

/// The type of an aggregate's result.
pub fn result_type(aggregate: &Aggregate, types: &Types<'_>) -> Result<ResultType, SqlError> {
    let first = aggregate.args.first().map_or(Ok(ResultType::NULL), |arg| arg.result_type(types))?;
    Ok(match aggregate.kind {
        AggregateKind::Count => ResultType::int(IntSize::Big, BIGINT_WIDTH),
        AggregateKind::Sum => sum(first).or_null(),
        AggregateKind::Avg => average(first, types).or_null(),
        AggregateKind::Min | AggregateKind::Max | AggregateKind::Grouped => extreme(first).or_null(),
        AggregateKind::AnyValue => extreme(first),
        AggregateKind::Grouping => ResultType::int(IntSize::Big, BIGINT_WIDTH).or_null(),
        AggregateKind::JsonArrayAgg | AggregateKind::JsonObjectAgg => ResultType::json(),
        AggregateKind::GroupConcat => concat(aggregate, types)?.or_null(),
        AggregateKind::BitAnd | AggregateKind::BitOr | AggregateKind::BitXor => {
            match binary_size(aggregate, types)? {
                Some(size) => {
                    ResultType { decimals: 0, ..ResultType::string(size + 1, TextType::BINARY) }.unsigned()
                }
                None => ResultType::int(IntSize::Big, BIGINT_WIDTH).unsigned(),
            }
        }
        AggregateKind::StdDevPop
        | AggregateKind::StdDevSamp
        | AggregateKind::VarPop
        | AggregateKind::VarSamp => ResultType::double().or_null(),
    })
}

/// The digits of a summand; of MEDIUMINT UNSIGNED its display width.
fn summed(arg: ResultType) -> DecimalKind {
    match arg.kind {
        Kind::Int(IntSize::Medium) => DecimalKind::new(8, 0),
        _ => arg.decimal_kind(),
    }
}

/// Exact numbers, and dates as numbers, add up to a DECIMAL.
fn sum(arg: ResultType) -> ResultType {
    if arg.kind == Kind::Null {
        return fixed_double(0);
    }
    if !arg.is_exact() {
        return ResultType::double();
    }
    let kind = summed(arg);
    ResultType::exact(DecimalKind::new((kind.precision + SUM_DIGITS).min(PRECISION_MAX), kind.scale), false)
}

fn average(arg: ResultType, types: &Types<'_>) -> ResultType {
    if arg.kind == Kind::Null {
        return fixed_double(types.session.div_precision_increment);
    }
    if !arg.is_exact() {
        return ResultType::double();
    }
    let (kind, increment) = (summed(arg), types.session.div_precision_increment);
    ResultType::exact(
        DecimalKind::new(kind.precision.saturating_add(increment), kind.scale + increment),
        false,
    )
}

/// The argument's own type.
fn extreme(arg: ResultType) -> ResultType {
    match arg.kind {
        _ if matches!(arg.column, Some(ColumnType::Bit { .. })) => arg,
        _ if arg.column.is_some_and(|ty| ty.labels().is_some()) => {
            ResultType { kind: Kind::Char, decimals: NOT_FIXED, ..arg.computed() }
        }
        Kind::Lob(_) => {
            ResultType { decimals: NOT_FIXED, kind: Kind::Lob(LobSize::Normal), ..arg.computed() }
        }
        kind if kind.is_string() => ResultType { decimals: NOT_FIXED, ..arg.computed() },
        _ => arg.computed(),
    }
}

/// As long as `group_concat_max_len` allows, in bytes of a text's longest characters.
fn concat(aggregate: &Aggregate, types: &Types<'_>) -> Result<ResultType, SqlError> {
    let found = aggregate.args.iter().map(|arg| Ok(arg.result_type(types)?.text_type(types.connection())));
    let found = found.collect::<Result<smallvec::SmallVec<[_; 4]>, SqlError>>()?;
    let text = aggregate_collations(found.iter().copied(), "group_concat")?;
    let bytes = u32::try_from(types.session.group_concat_max_len).unwrap_or(u32::MAX);
    let size = text.collation.charset().char_size_max();
    let ty = ResultType { length: bytes.saturating_mul(size), ..ResultType::string(0, text) };
    Ok(match ty.kind {
        _ if bytes <= 512 => ResultType { length: bytes, ..ty },
        _ => ResultType { kind: Kind::Lob(LobSize::Long), ..ty },
    })
}
