//! Expressions: from the parser's to ours.

use sqlparser::ast::{self, BinaryOperator as Bin, UnaryOperator as Un};
use types::collation::Collation;
use types::error::table::{
    ER_INVALID_GROUP_FUNC_USE, ER_OPERAND_COLUMNS, ER_SP_DOES_NOT_EXIST, ER_UNKNOWN_COLLATION,
    ER_WRONG_PARAMCOUNT_TO_NATIVE_FCT,
};
use types::value::Value;

use super::{BindEnv, Result, Scope, literal, select, unsupported};
use crate::expr::{ArithOp, CompareOp, Expr};
use crate::func;

use crate::plan::{Aggregate, AggregateKind, Output};
use crate::session::Scope as VariableScope;

/// How deep expressions may be nested.
const DEPTH_MAX: usize = 200;

/// Binds an expression within a scope.
pub(super) fn bind(ast: &ast::Expr, scope: &mut Scope, env: &BindEnv<'_>) -> Result<Expr> {
    scope.depth += 1;
    if scope.depth > DEPTH_MAX {
        return Err(unsupported(&format!("expressions nested deeper than {DEPTH_MAX}")));
    }
    let bound = Binder { scope, env }.expr(ast);
    scope.depth -= 1;
    bound
}

/// Binds an expression that may name columns of the result, as HAVING and ORDER BY may.
pub(super) fn bind_with_aliases(
    ast: &ast::Expr,
    scope: &mut Scope,
    env: &BindEnv<'_>,
    output: &[Output],
) -> Result<Expr> {
    scope.aliases = output.iter().map(|output| (output.name.clone(), output.expr.clone())).collect();
    let bound = bind(ast, scope, env);
    scope.aliases.clear();
    bound
}

/// Binds a list.
pub(super) fn bind_all<'e>(
    list: impl IntoIterator<Item = &'e ast::Expr>,
    scope: &mut Scope,
    env: &BindEnv<'_>,
) -> Result<Vec<Expr>> {
    list.into_iter().map(|ast| bind(ast, scope, env)).collect()
}

struct Binder<'b, 'e> {
    scope: &'b mut Scope,
    env: &'b BindEnv<'e>,
}

impl Binder<'_, '_> {
    fn bind(&mut self, ast: &ast::Expr) -> Result<Expr> {
        bind(ast, self.scope, self.env)
    }

    fn boxed(&mut self, ast: &ast::Expr) -> Result<Box<Expr>> {
        self.bind(ast).map(Box::new)
    }

    fn expr(&mut self, ast: &ast::Expr) -> Result<Expr> {
        use ast::Expr as E;
        Ok(match ast {
            E::Identifier(name) => return self.identifier(name),
            E::CompoundIdentifier(path) => return self.path(path),
            E::Value(value) => literal::bind(&value.value, self.env.session.collation_connection)?,
            E::Nested(inner) => return self.bind(inner),
            E::BinaryOp { left, op, right } => return self.binary(left, op, right, ast),
            E::UnaryOp { op, expr } => return self.unary(*op, expr),
            E::IsNull(expr) | E::IsUnknown(expr) => Expr::IsNull(self.boxed(expr)?),
            E::IsNotNull(expr) | E::IsNotUnknown(expr) => {
                Expr::Not(Box::new(Expr::IsNull(self.boxed(expr)?)))
            }
            E::IsTrue(expr) => Expr::IsTruth(self.boxed(expr)?, true),
            E::IsNotTrue(expr) => Expr::Not(Box::new(Expr::IsTruth(self.boxed(expr)?, true))),
            E::IsFalse(expr) => Expr::IsTruth(self.boxed(expr)?, false),
            E::IsNotFalse(expr) => Expr::Not(Box::new(Expr::IsTruth(self.boxed(expr)?, false))),
            E::Between { expr, negated, low, high } => {
                let (expr, low, high) = (self.boxed(expr)?, self.boxed(low)?, self.boxed(high)?);
                let above = Expr::Compare(CompareOp::Ge, expr.clone(), low);
                negate_if(*negated, Expr::And(vec![above, Expr::Compare(CompareOp::Le, expr, high)]))
            }
            E::InList { expr, list, negated } => {
                let expr = self.boxed(expr)?;
                negate_if(*negated, Expr::In(expr, bind_all(list, self.scope, self.env)?))
            }
            E::InSubquery { expr, subquery, negated } => {
                let expr = self.boxed(expr)?;
                negate_if(*negated, Expr::InSubquery(expr, self.subquery(subquery)?))
            }
            E::Subquery(query) => Expr::Subquery(self.subquery(query)?),
            E::Like { negated, any: false, expr, pattern, escape_char } => {
                let escape = match escape_char.as_ref().map(|value| &value.value) {
                    None => Some('\\'),
                    Some(ast::Value::SingleQuotedString(text)) => text.chars().next(),
                    Some(other) => return Err(unsupported(&format!("ESCAPE {other}"))),
                };
                let (text, pattern) = (self.boxed(expr)?, self.boxed(pattern)?);
                negate_if(*negated, Expr::Like { text, pattern, escape })
            }
            E::RLike { negated, expr, pattern, .. } => {
                let call = self.call("regexp_like", [&**expr, &**pattern])?;
                negate_if(*negated, call)
            }
            E::Case { operand, conditions, else_result, .. } => Expr::Case {
                operand: operand.as_ref().map(|operand| self.boxed(operand)).transpose()?,
                branches: conditions
                    .iter()
                    .map(|when| Ok((self.bind(&when.condition)?, self.bind(&when.result)?)))
                    .collect::<Result<_>>()?,
                otherwise: else_result.as_ref().map(|otherwise| self.boxed(otherwise)).transpose()?,
            },
            other => return self.special(other),
        })
    }

    /// What has a syntax of its own but is a function or a cast.
    fn special(&mut self, ast: &ast::Expr) -> Result<Expr> {
        use ast::Expr as E;
        match ast {
            E::Function(function) => self.function(function),
            E::Cast { expr, data_type, .. } => {
                let target = super::targets::cast_target(data_type, self.env)?;
                Ok(Expr::Cast(self.boxed(expr)?, target, expr.to_string().into()))
            }
            E::Convert { expr, data_type, charset, .. } => {
                let target = match (data_type, charset) {
                    (Some(data_type), _) => super::targets::cast_target(data_type, self.env)?,
                    (None, Some(charset)) => super::targets::using_target(&charset.to_string())?,
                    (None, None) => return Err(unsupported("CONVERT without a type")),
                };
                Ok(Expr::Cast(self.boxed(expr)?, target, expr.to_string().into()))
            }
            E::Collate { expr, collation } => {
                let name = collation.to_string();
                let collation =
                    Collation::from_name(&name).ok_or_else(|| ER_UNKNOWN_COLLATION.error(&[&name]))?;
                Ok(Expr::Collate(self.boxed(expr)?, collation))
            }
            E::Interval(interval) => {
                let unit = super::targets::interval_unit(interval)?;
                Ok(Expr::Interval(self.boxed(&interval.value)?, unit))
            }
            E::Extract { field, expr, .. } => {
                let unit = super::targets::unit_of_field(field)?;
                let unit = Expr::Interval(self.boxed(expr)?, unit);
                self.call_bound("extract", vec![unit])
            }
            E::Ceil { expr, .. } => self.call("ceiling", [&**expr]),
            E::Floor { expr, .. } => self.call("floor", [&**expr]),
            E::Position { expr, r#in } => self.call("locate", [&**expr, &**r#in]),
            E::Substring { expr, substring_from, substring_for, .. } => {
                let args =
                    std::iter::once(&**expr).chain(substring_from.as_deref()).chain(substring_for.as_deref());
                self.call("substring", args)
            }
            E::Trim { expr, trim_where, trim_what, .. } => {
                let name = match trim_where {
                    None | Some(ast::TrimWhereField::Both) => "trim",
                    Some(ast::TrimWhereField::Leading) => "ltrim",
                    Some(ast::TrimWhereField::Trailing) => "rtrim",
                };
                self.call(name, std::iter::once(&**expr).chain(trim_what.as_deref()))
            }
            E::TypedString(typed) => {
                let target = super::targets::cast_target(&typed.data_type, self.env)?;
                let text = literal::bind(&typed.value.value, self.env.session.collation_connection)?;
                Ok(Expr::Cast(Box::new(text), target, typed.value.to_string().into()))
            }
            E::Prefixed { prefix, value } => {
                let collation = super::targets::introducer(&prefix.value)?;
                let text = self.bind(value)?;
                Ok(Expr::Collate(Box::new(text), collation))
            }
            E::Tuple(_) => Err(ER_OPERAND_COLUMNS.error(&[&1])),
            other => Err(unsupported(&other.to_string())),
        }
    }

    fn identifier(&mut self, name: &ast::Ident) -> Result<Expr> {
        if name.quote_style.is_none() {
            if name.value.starts_with('@') {
                return Ok(variable(&name.value));
            }
            // Names of functions that need no parentheses.
            let lower = name.value.to_ascii_lowercase();
            if matches!(
                &*lower,
                "current_timestamp"
                    | "current_date"
                    | "current_time"
                    | "localtime"
                    | "localtimestamp"
                    | "current_user"
                    | "utc_date"
                    | "utc_time"
                    | "utc_timestamp"
            ) && self.scope.column(None, None, &name.value).is_err()
            {
                return self.call_bound(&lower, Vec::new());
            }
        }
        let own = self.scope.column(None, None, &name.value);
        own.or_else(|error| self.scope.alias(&name.value).ok_or(error))
    }

    fn path(&mut self, path: &[ast::Ident]) -> Result<Expr> {
        match path {
            [first, ..] if first.quote_style.is_none() && first.value.starts_with('@') => {
                let name: Vec<_> = path.iter().map(|part| &*part.value).collect();
                Ok(variable(&name.join(".")))
            }
            [table, column] => self.scope.column(None, Some(&table.value), &column.value),
            [db, table, column] => self.scope.column(Some(&db.value), Some(&table.value), &column.value),
            _ => Err(unsupported("names of more than three parts")),
        }
    }

    fn binary(&mut self, left: &ast::Expr, op: &Bin, right: &ast::Expr, whole: &ast::Expr) -> Result<Expr> {
        let compare = |op| move |left, right| Expr::Compare(op, left, right);
        let text: Box<str> = format!("({whole})").into();
        let arith = |op| move |left, right| Expr::Arith(op, left, right, text);
        let make: Box<dyn FnOnce(Box<Expr>, Box<Expr>) -> Expr> = match op {
            Bin::Eq => Box::new(compare(CompareOp::Eq)),
            Bin::Spaceship => Box::new(compare(CompareOp::NullSafeEq)),
            Bin::NotEq => Box::new(compare(CompareOp::Ne)),
            Bin::Lt => Box::new(compare(CompareOp::Lt)),
            Bin::LtEq => Box::new(compare(CompareOp::Le)),
            Bin::Gt => Box::new(compare(CompareOp::Gt)),
            Bin::GtEq => Box::new(compare(CompareOp::Ge)),
            Bin::Plus => Box::new(arith(ArithOp::Add)),
            Bin::Minus => Box::new(arith(ArithOp::Sub)),
            Bin::Multiply => Box::new(arith(ArithOp::Mul)),
            Bin::Divide => Box::new(arith(ArithOp::Div)),
            Bin::MyIntegerDivide => Box::new(arith(ArithOp::IntDiv)),
            Bin::Modulo => Box::new(arith(ArithOp::Rem)),
            Bin::BitwiseAnd => Box::new(arith(ArithOp::BitAnd)),
            Bin::BitwiseOr => Box::new(arith(ArithOp::BitOr)),
            Bin::BitwiseXor => Box::new(arith(ArithOp::BitXor)),
            Bin::PGBitwiseShiftLeft => Box::new(arith(ArithOp::ShiftLeft)),
            Bin::PGBitwiseShiftRight => Box::new(arith(ArithOp::ShiftRight)),
            Bin::Xor => Box::new(Expr::Xor),
            Bin::And => Box::new(|left, right| junction(*left, *right, true)),
            Bin::Or => Box::new(|left, right| junction(*left, *right, false)),
            Bin::Assignment => return self.assignment(left, right),
            Bin::Regexp => return self.call("regexp_like", [left, right]),
            Bin::StringConcat => return self.concat_or(left, right),
            other => return Err(unsupported(&format!("the operator {other}"))),
        };
        let (left, right) = (self.boxed(left)?, self.boxed(right)?);
        Ok(make(left, right))
    }

    /// `||`: OR, unless the mode makes it CONCAT.
    fn concat_or(&mut self, left: &ast::Expr, right: &ast::Expr) -> Result<Expr> {
        if self.env.session.sql_mode.contains(types::sql_mode::SqlMode::PIPES_AS_CONCAT) {
            return self.call("concat", [left, right]);
        }
        Ok(junction(self.expr(left)?, self.expr(right)?, false))
    }

    fn assignment(&mut self, left: &ast::Expr, right: &ast::Expr) -> Result<Expr> {
        let value = self.boxed(right)?;
        match self.bind(left)? {
            Expr::UserVariable(name) => Ok(Expr::AssignVariable(name, value)),
            _ => Err(unsupported("an assignment to anything but a user variable")),
        }
    }

    fn unary(&mut self, op: Un, operand: &ast::Expr) -> Result<Expr> {
        Ok(match op {
            Un::Plus => return self.bind(operand),
            Un::Minus => match self.bind(operand)? {
                Expr::Const(Value::Int(value)) => Expr::Const(Value::Int(value.wrapping_neg())),
                other => Expr::Neg(Box::new(other)),
            },
            Un::Not | Un::BangNot => Expr::Not(self.boxed(operand)?),
            Un::BitwiseNot => Expr::BitNot(self.boxed(operand)?),
            other => return Err(unsupported(&format!("the operator {other}"))),
        })
    }

    fn function(&mut self, function: &ast::Function) -> Result<Expr> {
        let name = function.name.to_string().replace('`', "").to_ascii_lowercase();
        if function.over.is_some() {
            return Err(unsupported("window functions"));
        }
        let (list, distinct, clauses) = match &function.args {
            ast::FunctionArguments::None => (&[][..], false, &[][..]),
            ast::FunctionArguments::Subquery(_) => return Err(unsupported("a subquery as arguments")),
            ast::FunctionArguments::List(list) => {
                let distinct = list.duplicate_treatment == Some(ast::DuplicateTreatment::Distinct);
                (&list.args[..], distinct, &list.clauses[..])
            }
        };
        let star = matches!(list, [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Wildcard)]);
        if let Some(kind) = AggregateKind::by_name(&name) {
            return self.aggregate(kind, if star { &[] } else { list }, distinct, clauses);
        }
        if name == "values" && self.scope.in_duplicate {
            return self.candidate(list);
        }
        let args = list.iter().map(|arg| self.argument(arg)).collect::<Result<Vec<_>>>()?;
        self.call_bound(&name, args)
    }

    fn argument(&mut self, arg: &ast::FunctionArg) -> Result<Expr> {
        match arg {
            ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) => self.bind(expr),
            other => Err(unsupported(&format!("the argument {other}"))),
        }
    }

    fn candidate(&mut self, list: &[ast::FunctionArg]) -> Result<Expr> {
        let [arg] = list else { return Err(ER_WRONG_PARAMCOUNT_TO_NATIVE_FCT.error(&[&"VALUES"])) };
        match self.argument(arg)? {
            Expr::Column { source: 0, column } => Ok(Expr::Candidate(column)),
            _ => Err(unsupported("VALUES of anything but a column")),
        }
    }

    fn aggregate(
        &mut self,
        kind: AggregateKind,
        list: &[ast::FunctionArg],
        distinct: bool,
        clauses: &[ast::FunctionArgumentClause],
    ) -> Result<Expr> {
        // Aggregates do not nest: their arguments are bound where none is allowed.
        let Some(mut aggregates) = self.scope.aggregates.take() else {
            return Err(ER_INVALID_GROUP_FUNC_USE.error(&[]));
        };
        let bound = self.aggregate_parts(kind, list, distinct, clauses);
        if let Ok(aggregate) = &bound {
            aggregates.push(aggregate.clone());
        }
        let place = aggregates.len().wrapping_sub(1);
        self.scope.aggregates = Some(aggregates);
        bound.map(|_| Expr::Aggregate(place))
    }

    fn aggregate_parts(
        &mut self,
        kind: AggregateKind,
        list: &[ast::FunctionArg],
        distinct: bool,
        clauses: &[ast::FunctionArgumentClause],
    ) -> Result<Aggregate> {
        let args = list.iter().map(|arg| self.argument(arg)).collect::<Result<Vec<_>>>()?;
        let mut aggregate = Aggregate { kind, args, distinct, order: Vec::new(), separator: None };
        for clause in clauses {
            match clause {
                ast::FunctionArgumentClause::OrderBy(order) => {
                    aggregate.order = select::bind_plain_order(order, self.scope, self.env)?;
                }
                ast::FunctionArgumentClause::Separator(value) => match &value.value {
                    ast::Value::SingleQuotedString(text) | ast::Value::DoubleQuotedString(text) => {
                        aggregate.separator = Some(text.clone());
                    }
                    other => return Err(unsupported(&format!("SEPARATOR {other}"))),
                },
                other => return Err(unsupported(&other.to_string())),
            }
        }
        // A column that is never NULL is counted without being looked at.
        if let ([Expr::Column { source, column }], AggregateKind::Count, false) =
            (&aggregate.args[..], kind, distinct)
            && !self.scope.sources[*source].kind.column(*column).nullable
            && !self.scope.sources[*source].optional
        {
            aggregate.args.clear();
        }
        Ok(aggregate)
    }

    fn call<'e>(&mut self, name: &str, args: impl IntoIterator<Item = &'e ast::Expr>) -> Result<Expr> {
        let args = bind_all(args, self.scope, self.env)?;
        self.call_bound(name, args)
    }

    fn call_bound(&mut self, name: &str, args: Vec<Expr>) -> Result<Expr> {
        let Some(function) = func::find(name) else {
            let db = self.env.session.db.as_deref().unwrap_or_default();
            return Err(ER_SP_DOES_NOT_EXIST.error(&[&"FUNCTION", &format!("{db}.{name}")]));
        };
        function.call(name, args)
    }

    fn subquery(&mut self, query: &ast::Query) -> Result<usize> {
        let plan = select::bind_query(query, self.env)?;
        if plan.output.len() != 1 {
            return Err(ER_OPERAND_COLUMNS.error(&[&1]));
        }
        self.scope.subqueries.push(plan);
        Ok(self.scope.subqueries.len() - 1)
    }
}

/// `@x`, `@@x`, `@@global.x`.
fn variable(name: &str) -> Expr {
    let Some(system) = name.strip_prefix("@@") else {
        let user = name.trim_start_matches('@').trim_matches(|c| matches!(c, '`' | '\'' | '"'));
        return Expr::UserVariable(user.to_lowercase());
    };
    let (scope, name) = match system.split_once('.') {
        Some((scope, name)) if scope.eq_ignore_ascii_case("global") => (Some(VariableScope::Global), name),
        Some((scope, name))
            if scope.eq_ignore_ascii_case("session") || scope.eq_ignore_ascii_case("local") =>
        {
            (Some(VariableScope::Session), name)
        }
        _ => (None, system),
    };
    Expr::SystemVariable(scope, name.trim_matches('`').to_ascii_lowercase())
}

fn negate_if(negated: bool, expr: Expr) -> Expr {
    if negated { Expr::Not(Box::new(expr)) } else { expr }
}

/// AND and OR are flat lists.
fn junction(left: Expr, right: Expr, and: bool) -> Expr {
    let mut parts = Vec::new();
    for side in [left, right] {
        match side {
            Expr::And(all) if and => parts.extend(all),
            Expr::Or(all) if !and => parts.extend(all),
            other => parts.push(other),
        }
    }
    if and { Expr::And(parts) } else { Expr::Or(parts) }
}
