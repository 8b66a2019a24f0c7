//! Types of aggregates.

use types::collation::Collation;
use types::column::{IntSize, LobSize};
use types::decimal::{DecimalKind, PRECISION_MAX};
use types::error::SqlError;

use super::bits::binary_size;
use crate::expr::typing::{Kind, NOT_FIXED, aggregate_collations};
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
        AggregateKind::Min | AggregateKind::Max => extreme(first).or_null(),
        AggregateKind::AnyValue => extreme(first),
        AggregateKind::GroupConcat => concat(aggregate, types)?.or_null(),
        AggregateKind::BitAnd | AggregateKind::BitOr | AggregateKind::BitXor => {
            match binary_size(aggregate, types)? {
                Some(size) => ResultType::string(size, crate::expr::typing::TextType::BINARY),
                None => ResultType::int(IntSize::Big, BIGINT_WIDTH).unsigned(),
            }
        }
        AggregateKind::StdDevPop
        | AggregateKind::StdDevSamp
        | AggregateKind::VarPop
        | AggregateKind::VarSamp => ResultType::double().or_null(),
    })
}

/// Exact numbers, and dates as numbers, add up to a DECIMAL.
fn sum(arg: ResultType) -> ResultType {
    if !arg.is_exact() {
        return ResultType::double();
    }
    let kind = arg.decimal_kind();
    ResultType::exact(DecimalKind::new((kind.precision + SUM_DIGITS).min(PRECISION_MAX), kind.scale), false)
}

fn average(arg: ResultType, types: &Types<'_>) -> ResultType {
    if !arg.is_exact() {
        return ResultType::double();
    }
    let (kind, increment) = (arg.decimal_kind(), types.session.div_precision_increment);
    ResultType::exact(
        DecimalKind::new(kind.precision.saturating_add(increment), kind.scale + increment),
        false,
    )
}

/// The argument's own type.
fn extreme(arg: ResultType) -> ResultType {
    let decimals = if arg.kind.is_string() { NOT_FIXED } else { arg.decimals };
    ResultType { decimals, ..arg.computed() }
}

/// As long as `group_concat_max_len` allows, in bytes of a text's longest characters.
fn concat(aggregate: &Aggregate, types: &Types<'_>) -> Result<ResultType, SqlError> {
    let found = aggregate.args.iter().map(|arg| Ok(arg.result_type(types)?.text_type(types.connection())));
    let found = found.collect::<Result<smallvec::SmallVec<[_; 4]>, SqlError>>()?;
    let text = aggregate_collations(found.iter().copied(), "group_concat")?;
    let bytes = u32::try_from(types.session.group_concat_max_len).unwrap_or(u32::MAX);
    let chars = if text.collation == Collation::Binary { bytes } else { bytes };
    let ty = ResultType::string(chars, text);
    Ok(match ty.kind {
        Kind::Varchar if bytes <= 512 => ty,
        _ => ResultType { kind: Kind::Lob(LobSize::Long), ..ty },
    })
}
