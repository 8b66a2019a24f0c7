//! Expressions: from the parser's to ours.

use sqlparser::ast::{self, BinaryOperator as Bin, UnaryOperator as Un};
use types::collation::Collation;
use types::error::table::{
    ER_INVALID_GROUP_FUNC_USE, ER_NON_UNIQ_ERROR, ER_OPERAND_COLUMNS, ER_UNKNOWN_COLLATION,
    ER_WRONG_GROUP_FIELD,
};
use types::sql_mode::SqlMode;
use types::value::Value;

use super::function::has_aggregate;
use super::merge::is_repeatable;
use super::over::has_window;
use super::rows::row_of;
use super::scope::Clause;
use super::{BindEnv, Result, Scope, literal, targets, unsupported};
use crate::expr::typing::Kind;
use crate::expr::{ArithOp, CompareOp, Expr, Extent, Types};
use crate::params::{Class, ParamPlace};
use crate::plan::Output;
use crate::plan::over::error::INVALID_ALIAS_USE;
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

/// Binds what is below one expression.
pub(super) struct Binder<'b, 'e> {
    pub(super) scope: &'b mut Scope,
    pub(super) env: &'b BindEnv<'e>,
}

impl Binder<'_, '_> {
    pub(super) fn bind(&mut self, ast: &ast::Expr) -> Result<Expr> {
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
            E::IsNotNull(expr) | E::IsNotUnknown(expr) => not(Expr::IsNull(self.boxed(expr)?)),
            E::IsTrue(expr) => Expr::IsTruth(self.boxed(expr)?, true),
            E::IsNotTrue(expr) => not(Expr::IsTruth(self.boxed(expr)?, true)),
            E::IsFalse(expr) => Expr::IsTruth(self.boxed(expr)?, false),
            E::IsNotFalse(expr) => not(Expr::IsTruth(self.boxed(expr)?, false)),
            E::Between { expr, negated, low, high } => negate_if(*negated, self.between(expr, low, high)?),
            E::InList { expr, list, negated } => negate_if(*negated, self.in_list(expr, list)?),
            E::InSubquery { expr, subquery, negated } => {
                negate_if(*negated, self.in_subquery(expr, subquery)?)
            }
            E::Exists { subquery, negated } => negate_if(*negated, self.exists(subquery)?),
            E::Subquery(query) => return self.scalar(query),
            E::AnyOp { left, compare_op, right, .. } => {
                return self.any_or_all(quantified(compare_op)?, false, left, right);
            }
            E::AllOp { left, compare_op, right } => {
                return self.any_or_all(quantified(compare_op)?, true, left, right);
            }
            E::Like { negated, any: false, expr, pattern, escape_char } => {
                let escape = match escape_char.as_ref().map(|value| &value.value) {
                    None => {
                        let mode = self.env.session.sql_mode;
                        (!mode.contains(SqlMode::NO_BACKSLASH_ESCAPES)).then_some('\\')
                    }
                    Some(ast::Value::SingleQuotedString(text)) => text.chars().next(),
                    Some(other) => return Err(unsupported(&format!("ESCAPE {other}"))),
                };
                let (text, bound) = (self.boxed(expr)?, self.boxed(pattern)?);
                let start = literal::pattern_start(pattern, &bound);
                negate_if(*negated, Expr::Like { text, pattern: bound, escape, start })
            }
            E::RLike { negated, expr, pattern, .. } => {
                let call = self.call("regexp_like", [&**expr, &**pattern])?;
                negate_if(*negated, call)
            }
            E::Case { operand, conditions, else_result, .. } => {
                let operand = operand.as_ref().map(|operand| self.boxed(operand)).transpose()?;
                let branches = conditions.iter().map(|when| {
                    let condition = self.bind(&when.condition)?;
                    let condition = match &operand {
                        Some(operand) => self.beside(&when.condition, condition, operand),
                        None => condition,
                    };
                    Ok((condition, self.bind(&when.result)?))
                });
                let branches: Vec<(Expr, Expr)> = branches.collect::<Result<_>>()?;
                let otherwise = else_result.as_ref().map(|otherwise| self.boxed(otherwise)).transpose()?;
                if let Some(operand) = &operand {
                    let compared: Vec<&Expr> =
                        branches.iter().map(|(when, _)| when).chain([&**operand]).collect();
                    self.note_params(&compared, ParamPlace::CompareOrZero);
                }
                let results: Vec<&Expr> =
                    branches.iter().map(|(_, then)| then).chain(otherwise.as_deref()).collect();
                self.note_params(&results, ParamPlace::Result);
                Expr::Case { operand, branches, otherwise }
            }
            other => return self.special(other),
        })
    }

    /// What has a syntax of its own but is a function or a cast.
    fn special(&mut self, ast: &ast::Expr) -> Result<Expr> {
        use ast::Expr as E;
        match ast {
            E::Function(function) => self.function(function),
            E::MemberOf(member) => {
                let args = vec![self.bind_json(&member.value)?, self.bind_json(&member.array)?];
                self.call_bound("member of", args)
            }
            E::Cast { expr, data_type, .. } => {
                let target = targets::cast_target(data_type, expr, self.env)?;
                Ok(Expr::Cast(self.operand(expr, target)?, target, ast.to_string().into()))
            }
            E::Convert { expr, data_type, charset, .. } => {
                let target = match (data_type, charset) {
                    (Some(data_type), _) => targets::cast_target(data_type, expr, self.env)?,
                    (None, Some(charset)) => targets::using_target(&targets::set_name(charset))?,
                    (None, None) => return Err(unsupported("CONVERT without a type")),
                };
                Ok(Expr::Cast(self.operand(expr, target)?, target, ast.to_string().into()))
            }
            E::Collate { expr, collation } => {
                let name = targets::set_name(collation);
                let collation =
                    Collation::from_name(&name).ok_or_else(|| ER_UNKNOWN_COLLATION.error(&[&name]))?;
                Ok(Expr::Collate(self.boxed(expr)?, collation))
            }
            E::Interval(interval) => {
                let unit = targets::interval_unit(interval)?;
                let value = self.boxed(&interval.value)?;
                if unit.is_a_number() {
                    self.note_param(&value, Class::Decimal);
                }
                Ok(Expr::Interval(value, unit))
            }
            E::Extract { field, expr, .. } => {
                let unit = targets::unit_of_field(field)?;
                let unit = Expr::Interval(self.boxed(expr)?, unit);
                self.call_bound("extract", vec![unit])
            }
            E::Ceil { expr, .. } => self.call("CEIL", [&**expr]),
            E::Floor { expr, .. } => self.call("FLOOR", [&**expr]),
            E::Position { expr, r#in } => self.call("locate", [&**expr, &**r#in]),
            E::Substring { expr, substring_from, substring_for, .. } => {
                let args =
                    std::iter::once(&**expr).chain(substring_from.as_deref()).chain(substring_for.as_deref());
                self.call("SUBSTRING", args)
            }
            E::Trim { expr, trim_where, trim_what, .. } => {
                let name = match trim_where {
                    None | Some(ast::TrimWhereField::Both) => "trim",
                    Some(ast::TrimWhereField::Leading) => "trim leading",
                    Some(ast::TrimWhereField::Trailing) => "trim trailing",
                };
                self.call(name, std::iter::once(&**expr).chain(trim_what.as_deref()))
            }
            E::TypedString(typed) => literal::temporal(typed, self.env.session),
            E::Prefixed { prefix, value } => {
                let collation = targets::introducer(&prefix.value)?;
                match self.bind(value)? {
                    Expr::Const(Value::Str(bytes, _) | Value::Bytes(bytes)) => {
                        Ok(Expr::Const(Value::Str(bytes, collation)))
                    }
                    _ => Err(unsupported("an introducer before anything but a literal")),
                }
            }
            E::Tuple(_) => Err(ER_OPERAND_COLUMNS.error(&[&1])),
            other => Err(unsupported(&other.to_string())),
        }
    }

    fn identifier(&mut self, name: &ast::Ident) -> Result<Expr> {
        if name.quote_style.is_none() {
            if name.value.starts_with('@') {
                return Ok(self.variable(&name.value));
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
        self.column(None, None, &name.value)
    }

    /// A column of the query, of its result, or of what surrounds it.
    fn column(&self, db: Option<&str>, table: Option<&str>, name: &str) -> Result<Expr> {
        let (error, result) = match &self.scope.grouped {
            // Arguments of aggregates are of the rows, not of their groups.
            Some(grouped) if self.scope.aggregates.is_some() => {
                let found = self.scope.of_groups(grouped, db, table, name)?;
                (self.scope.unknown(db, table, name), found)
            }
            _ => match self.scope.column(db, table, name) {
                Ok(own) => return Ok(own),
                Err(error) if error.is(&ER_NON_UNIQ_ERROR) => return Err(error),
                Err(error) => (error, self.scope.alias(name).filter(|_| table.is_none())),
            },
        };
        if let Some(result) = result {
            // What GROUP BY names is looked at as a whole.
            let takes_aggregates = self.scope.aggregates.is_some() || self.scope.clause == Clause::Group;
            if !takes_aggregates && has_aggregate(&result) {
                return Err(ER_INVALID_GROUP_FUNC_USE.error(&[]));
            }
            if self.scope.windows.is_none() && has_window(&result) {
                return Err(match self.scope.clause {
                    Clause::Group => ER_WRONG_GROUP_FIELD.error(&[&name]),
                    _ => INVALID_ALIAS_USE.error(&[&name]),
                });
            }
            self.env.note_copies([&result])?;
            return Ok(result);
        }
        let outer = self.env.outer_column(db, table, name).map_err(|error| {
            // The name stands here, wherever it could be found.
            let ambiguous = || ER_NON_UNIQ_ERROR.error(&[&name, &self.scope.clause.name()]);
            if error.is(&ER_NON_UNIQ_ERROR) { ambiguous() } else { error }
        })?;
        outer.ok_or(error)
    }

    fn variable(&self, name: &str) -> Expr {
        let variable = variable(name, self.env.may_assign());
        if matches!(variable, Expr::UserVariable(..)) {
            self.env.note_variable();
        }
        if matches!(variable, Expr::UserVariable(_, true)) {
            self.env.note_varying();
        }
        variable
    }

    fn path(&mut self, path: &[ast::Ident]) -> Result<Expr> {
        match path {
            [first, ..] if first.quote_style.is_none() && first.value.starts_with('@') => {
                let name: Vec<_> = path.iter().map(|part| &*part.value).collect();
                Ok(self.variable(&name.join(".")))
            }
            [table, column] => self.column(None, Some(&table.value), &column.value),
            [db, table, column] => {
                if let Some(record) = self.env.record {
                    record.column(path);
                }
                self.column(Some(&db.value), Some(&table.value), &column.value)
            }
            _ => Err(unsupported("names of more than three parts")),
        }
    }

    fn binary(&mut self, left: &ast::Expr, op: &Bin, right: &ast::Expr, whole: &ast::Expr) -> Result<Expr> {
        if *op == Bin::Assignment {
            return self.assignment(left, right);
        }
        if matches!(op, Bin::Arrow | Bin::LongArrow) {
            return self.json_path(left, op, right);
        }
        if let Some(op) = comparison(op) {
            if let Some(rows) = self.rows_compared(op, left, right)? {
                return Ok(rows);
            }
            return self.compared(op, left, right);
        }
        let (left, right) = (self.boxed(left)?, self.boxed(right)?);
        match (&*left, op, &*right) {
            (_, Bin::Plus, Expr::Interval(..)) => return self.call_bound("date_add", vec![*left, *right]),
            (Expr::Interval(..), Bin::Plus, _) => return self.call_bound("date_add", vec![*right, *left]),
            (_, Bin::Minus, Expr::Interval(..)) => return self.call_bound("date_sub", vec![*left, *right]),
            _ => {}
        }
        if let Some(op) = arithmetic(op) {
            if !is_of_bits(op) {
                self.note_params(&[&left, &right], ParamPlace::Arithmetic);
            }
            return Ok(Expr::Arith(op, left, right, format!("({whole})").into()));
        }
        match op {
            Bin::And => Ok(junction(*left, *right, true)),
            Bin::Or => Ok(junction(*left, *right, false)),
            Bin::Xor => Ok(Expr::Xor(left, right)),
            Bin::Regexp => self.call_bound("regexp_like", vec![*left, *right]),
            Bin::StringConcat => self.concat_or(*left, *right),
            other => Err(unsupported(&format!("the operator {other}"))),
        }
    }

    /// `||`: OR, unless the mode makes it CONCAT.
    fn concat_or(&self, left: Expr, right: Expr) -> Result<Expr> {
        if self.env.session.sql_mode.contains(types::sql_mode::SqlMode::PIPES_AS_CONCAT) {
            return self.call_bound("concat", vec![left, right]);
        }
        Ok(junction(left, right, false))
    }

    fn between(&mut self, expr: &ast::Expr, low: &ast::Expr, high: &ast::Expr) -> Result<Expr> {
        let (expr, low, high) = (self.bind(expr)?, self.bind(low)?, self.bind(high)?);
        self.note_params(&[&expr, &low, &high], ParamPlace::CompareOrZero);
        let [is_date, bounds_are] = [&[&expr][..], &[&low, &high]].map(|all| self.has_date(all));
        let (low, high) = (or_zero_date(low, is_date), or_zero_date(high, is_date));
        let expr = or_zero_date(expr, bounds_are);
        let finds_ranges = [&low, &high].iter().any(|bound| matches!(bound, Expr::Column { .. }));
        if !(expr.is_at_hand() || finds_ranges && is_cheap(&expr)) {
            return Ok(Expr::Between(Box::new([expr, low, high])));
        }
        let [low, high] = [(CompareOp::Ge, low), (CompareOp::Le, high)]
            .map(|(op, bound)| Expr::Compare(op, Box::new(expr.clone()), Box::new(bound)));
        Ok(Expr::And(vec![low, high]))
    }

    fn in_list(&mut self, expr: &ast::Expr, list: &[ast::Expr]) -> Result<Expr> {
        if let Some(row) = row_of(expr) {
            return self.row_in(expr, row.len(), list);
        }
        let expr = self.boxed(expr)?;
        let items = bind_all(list, self.scope, self.env)?.into_iter().zip(list);
        let mut items: Vec<Expr> = items.map(|(item, ast)| self.beside(ast, item, &expr)).collect();
        let all: Vec<&Expr> = items.iter().chain([&*expr]).collect();
        let is_one = items.len() == 1;
        self.note_params(&all, if is_one { ParamPlace::Compared } else { ParamPlace::CompareOrZero });
        if is_one {
            return Ok(Expr::Compare(CompareOp::Eq, expr, Box::new(items.remove(0))));
        }
        let is_date = self.has_date(&[&expr]);
        Ok(Expr::In(expr, items.into_iter().map(|item| or_zero_date(item, is_date)).collect()))
    }

    /// Whether one of them is a date, as far as types are known.
    fn has_date(&self, all: &[&Expr]) -> bool {
        let types = Types { schema: self.scope, ..Types::of_session(self.env.session) };
        let kinds = [Kind::Date, Kind::DateTime, Kind::Timestamp];
        all.iter().any(|expr| expr.result_type(&types).is_ok_and(|ty| kinds.contains(&ty.kind)))
    }

    fn assignment(&mut self, left: &ast::Expr, right: &ast::Expr) -> Result<Expr> {
        let value = self.boxed(right)?;
        match self.bind(left)? {
            Expr::UserVariable(name, _) => {
                self.env.note_varying();
                Ok(Expr::AssignVariable(name, value))
            }
            _ => Err(unsupported("an assignment to anything but a user variable")),
        }
    }

    fn unary(&mut self, op: Un, operand: &ast::Expr) -> Result<Expr> {
        Ok(match op {
            Un::Plus => return self.bind(operand),
            Un::Minus => Expr::Neg(self.boxed(operand)?),
            Un::Not | Un::BangNot => Expr::Not(self.boxed(operand)?),
            Un::BitwiseNot => Expr::BitNot(self.boxed(operand)?),
            other => return Err(unsupported(&format!("the operator {other}"))),
        })
    }
}

/// `@x`, `@@x`, `@@global.x`.
fn variable(name: &str, may_be_assigned: bool) -> Expr {
    let Some(system) = name.strip_prefix("@@") else {
        let user = name.trim_start_matches('@').trim_matches(|c| matches!(c, '`' | '\'' | '"'));
        return Expr::UserVariable(user.to_lowercase(), may_be_assigned);
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

/// The operator before ANY or ALL.
fn quantified(op: &Bin) -> Result<CompareOp> {
    comparison(op).ok_or_else(|| unsupported(&format!("the operator {op} with ANY or ALL")))
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

fn is_of_bits(op: ArithOp) -> bool {
    use ArithOp as A;
    matches!(op, A::BitAnd | A::BitOr | A::BitXor | A::ShiftLeft | A::ShiftRight)
}

/// What is compared with a date: a constant text that is none is the date 0.
fn or_zero_date(expr: Expr, is_beside_date: bool) -> Expr {
    if is_beside_date && expr.is_constant() { Expr::OrZeroDate(Box::new(expr)) } else { expr }
}

/// Whether it may be computed twice: it is the same each time, and small, so that what stands in one another does not double
/// without end.
fn is_cheap(expr: &Expr) -> bool {
    is_repeatable(expr) && expr.extent(&|_, _| Extent::ONE).count <= 100
}

fn negate_if(negated: bool, expr: Expr) -> Expr {
    if negated { not(expr) } else { expr }
}

pub(super) fn not(expr: Expr) -> Expr {
    Expr::Not(Box::new(expr))
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
