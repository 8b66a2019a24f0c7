//! Static types of expressions: what is announced to clients, stored by CREATE TABLE .. SELECT, and needed where a
//! value's own type is not enough: the common type of branches, the collation of several texts.
//!
//! Nothing is kept: a type is computed when it is asked for, from the columns that the plan knows and the parameters
//! that the execution has, so that one plan serves parameters of any type. Computing one allocates nothing.
//!
//! What this module is not: a check of names or counts of arguments; those are the binder's and [`func`](crate::func)'s.
//!
//! Rules and numbers are those that MySQL 9.7.4 showed for the expressions in `tests/data`.

mod arith;
mod coerce;
mod collate;
mod common;
mod constant;
mod result_type;
mod wire;

use std::fmt::Debug;

use types::cast::CastTarget;
use types::collation::Collation;
use types::column::{ColumnType, IntSize};
use types::error::SqlError;
use types::error::table::ER_COLLATION_CHARSET_MISMATCH;
use types::value::{Value, ValueRef};

pub(crate) use arith::{binary as binary_type, fixed_double, remainder as remainder_type};
pub(crate) use collate::aggregate as aggregate_collations;
pub use collate::{Strength, TextType};
pub(crate) use common::{common_type, union_type};
pub use result_type::{Kind, NOT_FIXED, ResultType};

use super::{Expr, Inputs};
use crate::plan::{Aggregate, WindowFunction};
use crate::session::{Scope, Session};

type Result<T> = std::result::Result<T, SqlError>;

/// What a plan knows of the types in it.
pub trait Schema: Debug + Send + Sync {
    /// The type of a source's column, and whether it may be NULL: outer joins count.
    fn column(&self, source: usize, column: usize) -> (ColumnType, bool);

    /// The same of a column of the row that ON DUPLICATE KEY UPDATE would have inserted.
    fn candidate(&self, column: usize) -> (ColumnType, bool);

    /// An aggregate of the plan.
    fn aggregate(&self, number: usize) -> Option<&Aggregate>;

    /// A window function of the plan: only a SELECT has any.
    fn window(&self, _number: usize) -> Option<&WindowFunction> {
        None
    }

    /// Whether the statement has GROUP BY: then no group is empty.
    fn has_group_by(&self) -> bool;

    /// The type of a subquery's column.
    fn subquery(&self, place: usize, column: usize, types: &Types<'_>) -> ResultType;
}

/// The schema of a statement without any table.
#[derive(Debug)]
pub struct NoSchema;

impl Schema for NoSchema {
    fn column(&self, _: usize, _: usize) -> (ColumnType, bool) {
        (ColumnType::BOOL, true)
    }

    fn candidate(&self, _: usize) -> (ColumnType, bool) {
        (ColumnType::BOOL, true)
    }

    fn aggregate(&self, _: usize) -> Option<&Aggregate> {
        None
    }

    fn has_group_by(&self) -> bool {
        false
    }

    fn subquery(&self, _: usize, _: usize, _: &Types<'_>) -> ResultType {
        ResultType::NULL
    }
}

/// Everything that a type may depend on. Cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct Types<'a> {
    /// The session.
    pub session: &'a Session,
    /// The plan's columns.
    pub schema: &'a dyn Schema,
    /// The client's parameters; none while a statement is only prepared.
    pub params: &'a [ValueRef<'a>],
    /// Literals that were taken out of the text.
    pub literals: &'a [Value],
    /// Those of the INSERT's current row.
    pub row_literals: &'a [Value],
}

impl<'a> Inputs<'a> {
    /// What the types of this evaluation depend on.
    #[inline]
    pub fn types(&self) -> Types<'a> {
        Types {
            session: self.session,
            schema: self.schema,
            params: self.params,
            literals: self.literals,
            row_literals: self.row_literals,
        }
    }
}

impl<'a> Types<'a> {
    /// Where neither columns nor values are known.
    pub fn of_session(session: &'a Session) -> Self {
        Self { session, schema: &NoSchema, params: &[], literals: &[], row_literals: &[] }
    }
}

impl Types<'_> {
    /// The collation of numbers that become text.
    pub fn connection(&self) -> Collation {
        self.session.collation_connection
    }

    fn param(&self, number: usize) -> ResultType {
        self.params.get(number).map_or(ResultType::UNKNOWN, |value| ResultType::of_value(*value))
    }

    fn literal(values: &[Value], number: usize) -> ResultType {
        values.get(number).map_or(ResultType::UNKNOWN, |value| ResultType::of_value(value.as_ref()))
    }
}

impl Expr {
    /// The type of a column of a result: as [`Self::result_type`], but that a user variable without a value is not nothing.
    pub fn output_type(&self, types: &Types<'_>) -> Result<ResultType> {
        let ty = self.result_type(types)?;
        let is_unset = matches!(self, Self::UserVariable(..)) && ty.kind == Kind::Null;
        Ok(if is_unset { constant::user_variable(ValueRef::Null) } else { ty })
    }

    /// The static type. Errors 1253, 1267, 1270 and 1271 for collations that do not go together.
    pub fn result_type(&self, types: &Types<'_>) -> Result<ResultType> {
        Ok(match self {
            Self::Const(value @ Value::Bytes(_)) => {
                ResultType { decimals: 0, is_unsigned: true, ..ResultType::of_value(value.as_ref()) }
            }
            Self::Const(value) => ResultType::of_value(value.as_ref()),
            Self::Param(number) => types.param(*number),
            Self::Literal(number) => Types::literal(types.literals, *number),
            Self::RowLiteral(number) => Types::literal(types.row_literals, *number),
            Self::Column { source, column } => {
                let (ty, nullable) = types.schema.column(*source, *column);
                ResultType::of_column(ty, nullable)
            }
            Self::Candidate(column) => {
                let (ty, nullable) = types.schema.candidate(*column);
                ResultType::of_column(ty, nullable)
            }
            Self::Aggregate(number) => match types.schema.aggregate(*number) {
                Some(aggregate) => crate::agg::result_type(aggregate, types)?,
                None => ResultType::NULL,
            },
            Self::Window(number) => match types.schema.window(*number) {
                Some(function) => function.kind.result_type(types)?,
                None => ResultType::NULL,
            },
            Self::Outer(_, ty) => *ty,
            Self::Subquery(subquery, column) => {
                let ty = types.schema.subquery(subquery.place, *column, types).computed().or_null();
                if ty.kind.is_string() { ResultType { decimals: NOT_FIXED, ..ty } } else { ty }
            }
            Self::SystemVariable(scope, name) => system_variable(*scope, name, types)?,
            Self::UserVariable(name, assigned) => match types.session.user_variables.lock().get(name) {
                Some(value) if !value.is_null() => constant::user_variable(value.as_ref()),
                // Whatever it gets is a text first.
                _ if *assigned => ResultType::long_string(TextType::implicit(types.connection())).or_null(),
                _ => ResultType::NULL,
            },
            Self::AssignVariable(_, value) => value.result_type(types)?.computed(),
            Self::Arith(op, left, right, _) => {
                arith::binary(*op, operand(left, types)?, operand(right, types)?, types)
            }
            Self::Neg(value) => arith::negated(value, operand(value, types)?),
            Self::BitNot(value) => arith::inverted(operand(value, types)?),
            Self::Collate(text, collation) => {
                let ty = text.result_type(types)?;
                let mut is_open = false;
                let has_value =
                    |number: &usize| types.params.get(*number).is_some_and(|value| !value.is_null());
                text.walk(&mut |part| is_open |= matches!(part, Self::Param(number) if !has_value(number)));
                // What a parameter is shows with its value.
                let text =
                    if is_open { TextType::implicit(*collation) } else { ty.text_type(types.connection()) };
                collated(ty, text, *collation, types)?
            }
            Self::Case { branches, otherwise, .. } => common::case(branches, otherwise.as_deref(), types)?,
            Self::Cast(value, target, _) => cast(value.result_type(types)?, *target),
            Self::Call(function, args) => function.result_type(args, types)?,
            Self::Interval(value, _) | Self::OrZeroDate(value) => value.result_type(types)?,
            condition => condition.condition_type(types)?,
        })
    }

    /// 0 or 1, and whether NULL is possible.
    fn condition_type(&self, types: &Types<'_>) -> Result<ResultType> {
        let mut nullable = false;
        let mut failed = None;
        if !matches!(self, Self::IsNull(_) | Self::IsTruth(..)) {
            self.children(&mut |child| match child.result_type(types) {
                Ok(ty) => nullable |= ty.nullable,
                Err(error) => failed = failed.take().or(Some(error)),
            });
        }
        match self {
            Self::Compare(super::CompareOp::NullSafeEq, ..) | Self::Exists(_) => nullable = false,
            Self::Quantified(..) => nullable = true,
            _ => {}
        }
        failed.map_or(Ok(ResultType::truth(nullable)), Err)
    }
}

/// The type of an arithmetic operand: a hexadecimal literal is a number there.
fn operand(expr: &Expr, types: &Types<'_>) -> Result<ResultType> {
    Ok(match expr {
        Expr::Const(Value::Bytes(bytes)) => hex_type(bytes.len()),
        _ => expr.result_type(types)?,
    })
}

/// A hexadecimal literal of so many bytes as a number.
fn hex_type(size: usize) -> ResultType {
    let bits = u32::try_from(size.min(8) * 8).unwrap_or(0);
    let largest = 1_u64.checked_shl(bits).map_or(u64::MAX, |next| next - 1);
    ResultType::of_value(ValueRef::UInt(largest))
}

fn system_variable(scope: Option<Scope>, name: &str, types: &Types<'_>) -> Result<ResultType> {
    let value = types.session.server.variable(types.session, scope, name)?;
    Ok(constant::system_variable(value.as_ref()))
}

/// COLLATE. Error 1253 if the collation is not of the text's character set.
fn collated(
    text: ResultType,
    own_text: TextType,
    collation: Collation,
    types: &Types<'_>,
) -> Result<ResultType> {
    let own = ResultType { text: own_text, ..text.as_text(types.connection()) };
    let charset = own.text.collation.charset();
    if charset != collation.charset() {
        let (name, charset) = (collation.name(), charset.name());
        return Err(ER_COLLATION_CHARSET_MISMATCH.error(&[&name, &charset]));
    }
    let text = TextType { collation, strength: Strength::Explicit, ..own.text };
    Ok(ResultType { text, decimals: NOT_FIXED, ..own }.or_null())
}

/// The width of CAST to an integer.
const CAST_WIDTH: u32 = 21;

fn cast(value: ResultType, target: CastTarget) -> ResultType {
    let nullable = value.nullable;
    let result = match target {
        CastTarget::Signed => ResultType::int(IntSize::Big, CAST_WIDTH),
        CastTarget::Unsigned => ResultType::int(IntSize::Big, CAST_WIDTH).unsigned(),
        CastTarget::Decimal { precision, scale } => ResultType::decimal(precision, scale),
        CastTarget::Float => ResultType { kind: Kind::Float, ..ResultType::double() },
        CastTarget::Double => ResultType::double(),
        CastTarget::Char { chars, collation } => {
            let chars = chars.unwrap_or_else(|| value.chars());
            let text = TextType { collation, strength: Strength::Implicit, ascii: value.text.ascii };
            return ResultType::string(chars, text).or_null();
        }
        CastTarget::Binary { size } => {
            let size = size.unwrap_or_else(|| value.bytes());
            return ResultType::string(size, TextType::implicit(Collation::Binary)).or_null();
        }
        CastTarget::Json => return ResultType::json(),
        CastTarget::Date => return ResultType::date().or_null(),
        CastTarget::Time { fsp } => return ResultType::time(fsp).or_null(),
        CastTarget::DateTime { fsp } => return ResultType::datetime(fsp).or_null(),
    };
    result.nullable_if(nullable)
}
