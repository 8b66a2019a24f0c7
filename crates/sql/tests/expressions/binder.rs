//! A binder for expressions over one table, for these tests alone.

#![expect(clippy::unwrap_used, reason = "test code")]

use sql::expr::{ArithOp, CompareOp, Expr, IntervalUnit};
use sql::func;
use sql::parse::{Mode, Statement, parse};
use sql::plan::{Aggregate, AggregateKind, OrderBy, OrderKey};
use sqlparser::ast::{self, BinaryOperator as Bin, UnaryOperator as Un};
use types::cast::CastTarget;
use types::charset::Charset;
use types::collation::Collation;
use types::error::SqlError;
use types::error::table::{ER_BAD_FIELD_ERROR, ER_NOT_SUPPORTED_YET, ER_SP_DOES_NOT_EXIST};
use types::value::Value;

use crate::fixture::Table;

type Result<T> = std::result::Result<T, SqlError>;

const CI: Collation = Collation::Utf8mb4GeneralCi;

/// A bound expression and its aggregates.
#[derive(Debug)]
pub struct Bound {
    pub expr: Expr,
    pub aggregates: Vec<Aggregate>,
    pub reads_table: bool,
}

pub fn bind(text: &str, table: Option<&Table>) -> Result<Bound> {
    let statement = parse(format!("SELECT {text}"), Mode::default())?;
    let Statement::Query(query) = statement else { panic!("a query") };
    let ast::SetExpr::Select(select) = *query.body else { return Err(unsupported("a set")) };
    let item = select.projection.into_iter().next().unwrap();
    let ast = match item {
        ast::SelectItem::UnnamedExpr(expr) | ast::SelectItem::ExprWithAlias { expr, .. } => expr,
        other => return Err(unsupported(&other.to_string())),
    };
    let mut binder = Binder { table, aggregates: Vec::new(), reads_table: false };
    let expr = binder.expr(&ast)?;
    Ok(Bound { expr, aggregates: binder.aggregates, reads_table: binder.reads_table })
}

/// The value of a literal.
pub fn constant(text: &str) -> Value {
    match bind(text, None).unwrap().expr {
        Expr::Const(value) => value,
        Expr::Neg(inner) => match *inner {
            Expr::Const(Value::Int(number)) => Value::Int(-number),
            Expr::Const(Value::UInt(number)) => Value::Int(0_i64.wrapping_sub_unsigned(number)),
            Expr::Const(Value::Decimal(number)) => Value::Decimal(number.negated()),
            Expr::Const(Value::Double(number)) => Value::Double(-number),
            other => panic!("{text}: {other:?}"),
        },
        other => panic!("{text}: {other:?}"),
    }
}

fn unsupported(what: &str) -> SqlError {
    ER_NOT_SUPPORTED_YET.error(&[&what])
}

struct Binder<'t> {
    table: Option<&'t Table>,
    aggregates: Vec<Aggregate>,
    reads_table: bool,
}

impl Binder<'_> {
    fn boxed(&mut self, ast: &ast::Expr) -> Result<Box<Expr>> {
        self.expr(ast).map(Box::new)
    }

    fn all<'e>(&mut self, list: impl IntoIterator<Item = &'e ast::Expr>) -> Result<Vec<Expr>> {
        list.into_iter().map(|ast| self.expr(ast)).collect()
    }

    fn call<'e>(&mut self, name: &str, args: impl IntoIterator<Item = &'e ast::Expr>) -> Result<Expr> {
        let args = self.all(args)?;
        call(name, args)
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each kind of expression")]
    fn expr(&mut self, ast: &ast::Expr) -> Result<Expr> {
        use ast::Expr as E;
        Ok(match ast {
            E::Identifier(name) => return self.identifier(&name.value),
            E::CompoundIdentifier(path) => return self.column(&path.last().unwrap().value),
            E::Value(value) => literal(&value.value)?,
            E::Nested(inner) => return self.expr(inner),
            E::BinaryOp { left, op, right } => return self.binary(left, op, right, ast),
            E::UnaryOp { op, expr } => match op {
                Un::Plus => return self.expr(expr),
                Un::Minus => Expr::Neg(self.boxed(expr)?),
                Un::BitwiseNot => Expr::BitNot(self.boxed(expr)?),
                _ => Expr::Not(self.boxed(expr)?),
            },
            E::IsNull(expr) | E::IsUnknown(expr) => Expr::IsNull(self.boxed(expr)?),
            E::IsNotNull(expr) | E::IsNotUnknown(expr) => not(Expr::IsNull(self.boxed(expr)?)),
            E::IsTrue(expr) => Expr::IsTruth(self.boxed(expr)?, true),
            E::IsNotTrue(expr) => not(Expr::IsTruth(self.boxed(expr)?, true)),
            E::IsFalse(expr) => Expr::IsTruth(self.boxed(expr)?, false),
            E::IsNotFalse(expr) => not(Expr::IsTruth(self.boxed(expr)?, false)),
            E::Between { expr, negated, low, high } => {
                let (expr, low, high) = (self.boxed(expr)?, self.boxed(low)?, self.boxed(high)?);
                let above = Expr::Compare(CompareOp::Ge, expr.clone(), low);
                negate_if(*negated, Expr::And(vec![above, Expr::Compare(CompareOp::Le, expr, high)]))
            }
            E::InList { expr, list, negated } => {
                let expr = self.boxed(expr)?;
                negate_if(*negated, Expr::In(expr, self.all(list)?))
            }
            E::Like { negated, expr, pattern, escape_char, .. } => {
                let escape = match escape_char.as_ref().map(|value| &value.value) {
                    None => Some('\\'),
                    Some(ast::Value::SingleQuotedString(text)) => text.chars().next(),
                    Some(other) => return Err(unsupported(&format!("ESCAPE {other}"))),
                };
                let (text, pattern) = (self.boxed(expr)?, self.boxed(pattern)?);
                negate_if(*negated, Expr::Like { text, pattern, escape })
            }
            E::RLike { negated, expr, pattern, .. } => {
                negate_if(*negated, self.call("regexp_like", [&**expr, &**pattern])?)
            }
            E::Case { operand, conditions, else_result, .. } => Expr::Case {
                operand: operand.as_ref().map(|operand| self.boxed(operand)).transpose()?,
                branches: conditions
                    .iter()
                    .map(|when| Ok((self.expr(&when.condition)?, self.expr(&when.result)?)))
                    .collect::<Result<_>>()?,
                otherwise: else_result.as_ref().map(|otherwise| self.boxed(otherwise)).transpose()?,
            },
            E::Function(function) => return self.function(function),
            E::Cast { expr, data_type, .. } => {
                Expr::Cast(self.boxed(expr)?, cast_target(data_type)?, ast.to_string().into())
            }
            E::Convert { expr, data_type, charset, .. } => {
                let target = match (data_type, charset) {
                    (Some(data_type), _) => cast_target(data_type)?,
                    (None, Some(charset)) => {
                        let set = Charset::from_name(&charset.to_string()).unwrap();
                        let collation = if set == CI.charset() { CI } else { set.default_collation() };
                        CastTarget::Char { chars: None, collation }
                    }
                    (None, None) => return Err(unsupported("CONVERT")),
                };
                Expr::Cast(self.boxed(expr)?, target, ast.to_string().into())
            }
            E::Collate { expr, collation } => {
                let collation = Collation::from_name(&collation.to_string()).unwrap();
                Expr::Collate(self.boxed(expr)?, collation)
            }
            E::Interval(interval) => {
                let unit = unit(&interval.leading_field.as_ref().unwrap().to_string())?;
                Expr::Interval(self.boxed(&interval.value)?, unit)
            }
            E::Extract { field, expr, .. } => {
                let of = Expr::Interval(self.boxed(expr)?, unit(&field.to_string())?);
                call("extract", vec![of])?
            }
            E::Ceil { expr, .. } => self.call("CEIL", [&**expr])?,
            E::Floor { expr, .. } => self.call("FLOOR", [&**expr])?,
            E::Position { expr, r#in } => self.call("locate", [&**expr, &**r#in])?,
            E::Substring { expr, substring_from, substring_for, .. } => {
                let args = std::iter::once(&**expr).chain(substring_from.as_deref());
                self.call("SUBSTRING", args.chain(substring_for.as_deref()))?
            }
            E::Trim { expr, trim_where, trim_what, .. } => {
                let name = match trim_where {
                    None | Some(ast::TrimWhereField::Both) => "trim",
                    Some(ast::TrimWhereField::Leading) => "trim leading",
                    Some(ast::TrimWhereField::Trailing) => "trim trailing",
                };
                self.call(name, std::iter::once(&**expr).chain(trim_what.as_deref()))?
            }
            E::TypedString(typed) => {
                let text = literal(&typed.value.value)?;
                temporal_literal(&typed.data_type, text)?
            }
            E::Prefixed { prefix, value } => {
                let set = Charset::from_name(prefix.value.trim_start_matches('_')).unwrap();
                let Expr::Const(Value::Str(bytes, _) | Value::Bytes(bytes)) = self.expr(value)? else {
                    return Err(unsupported("an introducer"));
                };
                let collation = if set == CI.charset() { CI } else { set.default_collation() };
                Expr::Const(Value::Str(bytes, collation))
            }
            other => return Err(unsupported(&other.to_string())),
        })
    }

    fn identifier(&mut self, name: &str) -> Result<Expr> {
        if let Some(user) = name.strip_prefix('@') {
            return Ok(Expr::UserVariable(user.to_lowercase()));
        }
        if func::find(name).is_some() {
            return call(name, Vec::new());
        }
        self.column(name)
    }

    fn column(&mut self, name: &str) -> Result<Expr> {
        let column = self.table.and_then(|table| table.find(name));
        self.reads_table = true;
        let column = column.ok_or_else(|| ER_BAD_FIELD_ERROR.error(&[&name, &"field list"]))?;
        Ok(Expr::Column { source: 0, column })
    }

    fn binary(&mut self, left: &ast::Expr, op: &Bin, right: &ast::Expr, whole: &ast::Expr) -> Result<Expr> {
        let (left, right) = (self.boxed(left)?, self.boxed(right)?);
        match (&*left, op, &*right) {
            (_, Bin::Plus, Expr::Interval(..)) => return call("date_add", vec![*left, *right]),
            (Expr::Interval(..), Bin::Plus, _) => return call("date_add", vec![*right, *left]),
            (_, Bin::Minus, Expr::Interval(..)) => return call("date_sub", vec![*left, *right]),
            _ => {}
        }
        if let Some(op) = comparison(op) {
            return Ok(Expr::Compare(op, left, right));
        }
        if let Some(op) = arithmetic(op) {
            return Ok(Expr::Arith(op, left, right, format!("({whole})").into()));
        }
        Ok(match op {
            Bin::And => Expr::And(vec![*left, *right]),
            Bin::Or | Bin::StringConcat => Expr::Or(vec![*left, *right]),
            Bin::Xor => Expr::Xor(left, right),
            Bin::Regexp => call("regexp_like", vec![*left, *right])?,
            other => return Err(unsupported(&other.to_string())),
        })
    }

    fn function(&mut self, function: &ast::Function) -> Result<Expr> {
        let name = function.name.to_string().replace('`', "");
        let (list, distinct, clauses) = match &function.args {
            ast::FunctionArguments::List(list) => {
                let distinct = list.duplicate_treatment == Some(ast::DuplicateTreatment::Distinct);
                (&list.args[..], distinct, &list.clauses[..])
            }
            _ => (&[][..], false, &[][..]),
        };
        let star = matches!(list, [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Wildcard)]);
        if let Some(kind) = AggregateKind::by_name(&name) {
            return self.aggregate(kind, if star { &[] } else { list }, distinct, clauses);
        }
        let lower = name.to_ascii_lowercase();
        if let "timestampadd" | "timestampdiff" = &*lower {
            return self.with_unit(&lower, list);
        }
        if lower == "get_format" {
            let kind = Expr::Const(Value::text(&argument(&list[0])?.to_string()));
            let style = self.expr(argument(&list[1])?)?;
            return call(&name, vec![kind, style]);
        }
        let args = list.iter().map(|arg| self.expr(argument(arg)?)).collect::<Result<_>>()?;
        call(&name, args)
    }

    fn with_unit(&mut self, name: &str, list: &[ast::FunctionArg]) -> Result<Expr> {
        let word = argument(&list[0])?.to_string().to_uppercase();
        let unit = unit(word.trim_start_matches("SQL_TSI_"))?;
        let first = Expr::Interval(Box::new(self.expr(argument(&list[1])?)?), unit);
        let second = self.expr(argument(&list[2])?)?;
        call(name, vec![first, second])
    }

    fn aggregate(
        &mut self,
        kind: AggregateKind,
        list: &[ast::FunctionArg],
        distinct: bool,
        clauses: &[ast::FunctionArgumentClause],
    ) -> Result<Expr> {
        let args = list.iter().map(|arg| self.expr(argument(arg)?)).collect::<Result<Vec<_>>>()?;
        let mut aggregate = Aggregate { kind, args, distinct, order: Vec::new(), separator: None };
        for clause in clauses {
            match clause {
                ast::FunctionArgumentClause::OrderBy(order) => {
                    for part in order {
                        let by = OrderKey::Expr(self.expr(&part.expr)?);
                        aggregate.order.push(OrderBy { by, descending: part.options.asc == Some(false) });
                    }
                }
                ast::FunctionArgumentClause::Separator(value) => {
                    if let ast::Value::SingleQuotedString(text) = &value.value {
                        aggregate.separator = Some(text.clone());
                    }
                }
                other => return Err(unsupported(&other.to_string())),
            }
        }
        self.aggregates.push(aggregate);
        Ok(Expr::Aggregate(self.aggregates.len() - 1))
    }
}

fn argument(arg: &ast::FunctionArg) -> Result<&ast::Expr> {
    match arg {
        ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) => Ok(expr),
        other => Err(unsupported(&other.to_string())),
    }
}

fn call(name: &str, args: Vec<Expr>) -> Result<Expr> {
    match func::find(name) {
        Some(function) => function.call(name, args),
        None => Err(ER_SP_DOES_NOT_EXIST.error(&[&"FUNCTION", &format!("record.{name}")])),
    }
}

fn not(expr: Expr) -> Expr {
    Expr::Not(Box::new(expr))
}

fn negate_if(negated: bool, expr: Expr) -> Expr {
    if negated { not(expr) } else { expr }
}

fn comparison(op: &Bin) -> Option<CompareOp> {
    Some(match op {
        Bin::Eq => CompareOp::Eq,
        Bin::Spaceship => CompareOp::NullSafeEq,
        Bin::NotEq => CompareOp::Ne,
        Bin::Lt => CompareOp::Lt,
        Bin::LtEq => CompareOp::Le,
        Bin::Gt => CompareOp::Gt,
        Bin::GtEq => CompareOp::Ge,
        _ => return None,
    })
}

fn arithmetic(op: &Bin) -> Option<ArithOp> {
    Some(match op {
        Bin::Plus => ArithOp::Add,
        Bin::Minus => ArithOp::Sub,
        Bin::Multiply => ArithOp::Mul,
        Bin::Divide => ArithOp::Div,
        Bin::MyIntegerDivide => ArithOp::IntDiv,
        Bin::Modulo => ArithOp::Rem,
        Bin::BitwiseAnd => ArithOp::BitAnd,
        Bin::BitwiseOr => ArithOp::BitOr,
        Bin::BitwiseXor => ArithOp::BitXor,
        Bin::PGBitwiseShiftLeft => ArithOp::ShiftLeft,
        Bin::PGBitwiseShiftRight => ArithOp::ShiftRight,
        _ => return None,
    })
}

fn literal(value: &ast::Value) -> Result<Expr> {
    Ok(Expr::Const(match value {
        ast::Value::Null => Value::Null,
        ast::Value::Boolean(value) => Value::Int((*value).into()),
        ast::Value::Number(digits, _) => sql::lex::number(digits.as_bytes()).unwrap(),
        ast::Value::SingleQuotedString(text) | ast::Value::DoubleQuotedString(text) => {
            Value::Str(text.clone().into_bytes(), CI)
        }
        ast::Value::NationalStringLiteral(text) => {
            Value::Str(text.clone().into_bytes(), Collation::Utf8mb3GeneralCi)
        }
        ast::Value::HexStringLiteral(digits) => Value::Bytes(hex(digits)),
        other => return Err(unsupported(&other.to_string())),
    }))
}

fn hex(digits: &str) -> Vec<u8> {
    let padded = if digits.len() % 2 == 1 { format!("0{digits}") } else { digits.to_owned() };
    let pairs = padded.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// `DATE'..'` and its kin are constants.
fn temporal_literal(data_type: &ast::DataType, text: Expr) -> Result<Expr> {
    let Expr::Const(text) = text else { return Err(unsupported("a literal")) };
    let bytes = text.as_ref().string_bytes().unwrap_or_default().into_owned();
    let session = crate::fixture::session();
    let fsp = bytes.iter().position(|byte| *byte == b'.').map_or(0, |at| bytes.len() - at - 1);
    let fsp = u8::try_from(fsp.min(6)).unwrap();
    let target = match data_type.to_string().as_str() {
        "DATE" => CastTarget::Date,
        "TIME" => CastTarget::Time { fsp },
        _ => CastTarget::DateTime { fsp },
    };
    let mut warnings = types::warning::Warnings::default();
    let value = types::cast::cast(text.as_ref(), target, &"", &mut session.reading(&mut warnings))?;
    Ok(Expr::Const(value))
}

fn cast_target(data_type: &ast::DataType) -> Result<CastTarget> {
    let text = data_type.to_string().to_uppercase();
    let (name, numbers) = text.split_once('(').unwrap_or((&text, ""));
    let numbers: Vec<u32> = numbers.split([',', ')']).filter_map(|number| number.parse().ok()).collect();
    let first = numbers.first().copied();
    let small =
        |number: Option<u32>, default: u8| number.map_or(default, |number| u8::try_from(number).unwrap());
    Ok(match name.trim() {
        "SIGNED" | "SIGNED INTEGER" => CastTarget::Signed,
        "UNSIGNED" | "UNSIGNED INTEGER" => CastTarget::Unsigned,
        "DOUBLE" | "REAL" => CastTarget::Double,
        "FLOAT" => CastTarget::Float,
        "DECIMAL" => {
            CastTarget::Decimal { precision: small(first, 10), scale: small(numbers.get(1).copied(), 0) }
        }
        "CHAR" => CastTarget::Char { chars: first, collation: CI },
        "BINARY" => CastTarget::Binary { size: first },
        "DATE" => CastTarget::Date,
        "TIME" => CastTarget::Time { fsp: small(first, 0) },
        "DATETIME" => CastTarget::DateTime { fsp: small(first, 0) },
        other => return Err(unsupported(other)),
    })
}

fn unit(name: &str) -> Result<IntervalUnit> {
    use IntervalUnit as U;
    Ok(match &*name.to_uppercase() {
        "MICROSECOND" => U::Microsecond,
        "SECOND" => U::Second,
        "MINUTE" => U::Minute,
        "HOUR" => U::Hour,
        "DAY" => U::Day,
        "WEEK" => U::Week,
        "MONTH" => U::Month,
        "QUARTER" => U::Quarter,
        "YEAR" => U::Year,
        "SECOND_MICROSECOND" => U::SecondMicrosecond,
        "MINUTE_MICROSECOND" => U::MinuteMicrosecond,
        "MINUTE_SECOND" => U::MinuteSecond,
        "HOUR_MICROSECOND" => U::HourMicrosecond,
        "HOUR_SECOND" => U::HourSecond,
        "HOUR_MINUTE" => U::HourMinute,
        "DAY_MICROSECOND" => U::DayMicrosecond,
        "DAY_SECOND" => U::DaySecond,
        "DAY_MINUTE" => U::DayMinute,
        "DAY_HOUR" => U::DayHour,
        "YEAR_MONTH" => U::YearMonth,
        other => return Err(unsupported(other)),
    })
}
