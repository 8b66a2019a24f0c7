//! Calls: functions with arguments of a kind of their own, aggregates, and everything else by its name.

use engine::catalog::def::DefaultValue;
use sqlparser::ast;
use types::cast::CastTarget;
use types::collation::Collation;
use types::column::ColumnType;
use types::error::SqlError;
use types::error::table::{
    ER_DEFAULT_AS_VAL_GENERATED, ER_INVALID_GROUP_FUNC_USE, ER_NO_DB_ERROR, ER_NO_DEFAULT_FOR_FIELD,
    ER_SP_DOES_NOT_EXIST, ER_WRONG_PARAMCOUNT_TO_NATIVE_FCT,
};
use types::temporal::{DateTime, TimeZone};
use types::value::{Value, quote_text};

use super::expr::{Binder, bind_all};
use super::outer::Outer;
use super::{BindEnv, Result, Scope, select, targets, unsupported};
use crate::ddl::default_value;
use crate::expr::Expr;
use crate::func;
use crate::params::{Class, ParamPlace};
use crate::plan::{Aggregate, AggregateKind, OrderKey, SourceKind};

/// The parts of a call's parentheses.
pub(super) struct Arguments<'a> {
    pub(super) list: &'a [ast::FunctionArg],
    pub(super) distinct: bool,
    clauses: &'a [ast::FunctionArgumentClause],
}

impl Binder<'_, '_> {
    pub(super) fn function(&mut self, function: &ast::Function) -> Result<Expr> {
        let name = function.name.to_string().replace('`', "");
        let arguments = match &function.args {
            ast::FunctionArguments::None => Arguments { list: &[], distinct: false, clauses: &[] },
            ast::FunctionArguments::Subquery(_) => return Err(unsupported("a subquery as arguments")),
            ast::FunctionArguments::List(list) => Arguments {
                list: &list.args,
                distinct: list.duplicate_treatment == Some(ast::DuplicateTreatment::Distinct),
                clauses: &list.clauses,
            },
        };
        if let Some(over) = &function.over {
            return self.window_function(&name, function, &arguments, over);
        }
        if let Some(kind) = AggregateKind::by_name(&name) {
            return self.aggregate(kind, &arguments);
        }
        if let Some(clause) = arguments.clauses.first() {
            return Err(unsupported(&clause.to_string()));
        }
        let list = arguments.list;
        match (&*name.to_ascii_lowercase(), list) {
            ("values", _) if self.scope.in_duplicate => self.candidate(list),
            ("default", [column]) => self.default_of(column),
            ("grouping", [_, ..]) => self.grouping(list),
            ("timestampadd" | "timestampdiff", [unit, first, second]) => {
                let unit = word(unit)?.to_ascii_uppercase();
                let unit = targets::unit(unit.trim_start_matches("SQL_TSI_"))?;
                let first = Expr::Interval(Box::new(self.argument(first)?), unit);
                let second = self.argument(second)?;
                self.call_bound(&name, vec![first, second])
            }
            ("get_format", [kind, style]) => {
                let kind = Expr::Const(Value::text(&word(kind)?));
                let style = self.argument(style)?;
                self.call_bound(&name, vec![kind, style])
            }
            (lower, _) if lower.starts_with("json_") => {
                let args = list.iter().map(|arg| self.bind_json(plain(arg)?)).collect::<Result<_>>()?;
                self.call_bound(&name, args)
            }
            _ => {
                let args = list.iter().map(|arg| self.argument(arg)).collect::<Result<_>>()?;
                self.call_bound(&name, args)
            }
        }
    }

    pub(super) fn argument(&mut self, arg: &ast::FunctionArg) -> Result<Expr> {
        self.bind(plain(arg)?)
    }

    /// `DEFAULT(column)`: what a row gets that names no value. Errors 1364, 3773.
    fn default_of(&mut self, column: &ast::FunctionArg) -> Result<Expr> {
        let Expr::Column { source, column } = self.argument(column)? else {
            return Err(unsupported("DEFAULT of anything but a column of the query"));
        };
        let SourceKind::Table(table) = &self.scope.sources[source].kind else {
            return Err(unsupported("DEFAULT of a column that is no table's"));
        };
        let def = &table.def.columns[column];
        let none = || ER_NO_DEFAULT_FOR_FIELD.error(&[&def.name]);
        Ok(Expr::Const(match &def.default {
            _ if def.generated.is_some() => return Err(none()),
            _ if def.auto_increment => Value::Int(0),
            DefaultValue::Stored(stored) => match default_value(def.ty, stored, &TimeZone::UTC) {
                // What it is on the wall depends on the session that executes the plan.
                Value::DateTime(moment)
                    if moment != DateTime::ZERO && matches!(def.ty, ColumnType::Timestamp { .. }) =>
                {
                    return Ok(moment_in_utc(moment));
                }
                value => value,
            },
            DefaultValue::Null => Value::Null,
            // The moment is not known: MySQL has the same.
            DefaultValue::Now | DefaultValue::None if def.nullable => Value::Null,
            DefaultValue::Expression(_) => return Err(ER_DEFAULT_AS_VAL_GENERATED.error(&[])),
            DefaultValue::Now | DefaultValue::None => return Err(none()),
        }))
    }

    fn candidate(&mut self, list: &[ast::FunctionArg]) -> Result<Expr> {
        let [arg] = list else { return Err(ER_WRONG_PARAMCOUNT_TO_NATIVE_FCT.error(&[&"VALUES"])) };
        // It names a column of the table, whatever those of the row are called.
        let inserted = self.scope.inserted.take();
        let column = self.argument(arg);
        self.scope.inserted = inserted;
        match column? {
            Expr::Column { source: 0, column } => Ok(Expr::Candidate(column)),
            _ => Err(unsupported("VALUES of anything but a column")),
        }
    }

    fn aggregate(&mut self, kind: AggregateKind, arguments: &Arguments<'_>) -> Result<Expr> {
        let outer = self.env.outer;
        if self.scope.aggregates.is_none() && !outer.is_some_and(Outer::allows_aggregates) {
            return Err(ER_INVALID_GROUP_FUNC_USE.error(&[]));
        }
        let mark = outer.map(Outer::mark);
        let mut aggregate = self.aggregate_alone(kind, arguments)?;
        if let (Some(outer), Some(mark)) = (outer, mark)
            && aggregate.belongs_further_out(self.scope.aggregates.is_some())
        {
            outer.reset(&mark);
            let mut bind =
                |scope: &mut Scope, env: &BindEnv<'_>| Binder { scope, env }.aggregate_parts(kind, arguments);
            if let Some(found) = outer.aggregate(&mut bind)? {
                return Ok(found);
            }
            aggregate = self.aggregate_alone(kind, arguments)?;
        }
        let own = self.scope.aggregates.as_mut().ok_or_else(|| ER_INVALID_GROUP_FUNC_USE.error(&[]))?;
        own.push(aggregate);
        Ok(Expr::Aggregate(own.len() - 1))
    }

    /// Aggregates do not nest, nor have they window functions: their arguments are bound where none is allowed.
    fn aggregate_alone(&mut self, kind: AggregateKind, arguments: &Arguments<'_>) -> Result<Aggregate> {
        let (own, windows) = (self.scope.aggregates.take(), self.scope.windows.take());
        let bound = self.aggregate_parts(kind, arguments);
        (self.scope.aggregates, self.scope.windows) = (own, windows);
        bound
    }

    pub(super) fn aggregate_parts(
        &mut self,
        kind: AggregateKind,
        arguments: &Arguments<'_>,
    ) -> Result<Aggregate> {
        let star = [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Wildcard)];
        let list = if arguments.list == star { &[] } else { arguments.list };
        let bind = |arg| if kind.is_json() { self.bind_json(plain(arg)?) } else { self.argument(arg) };
        let args = list.iter().map(bind).collect::<Result<Vec<_>>>()?;
        let distinct = arguments.distinct;
        if kind.is_json() {
            check_json(kind, args.len(), distinct, arguments)?;
        }
        let mut aggregate = Aggregate { kind, args, distinct, order: Vec::new(), separator: None };
        for clause in arguments.clauses {
            match clause {
                ast::FunctionArgumentClause::OrderBy(order) => {
                    aggregate.order = select::bind_plain_order(order, self.scope, self.env)?;
                    // A number means an argument.
                    for (item, order) in order.iter().zip(&mut aggregate.order) {
                        if let Some(place) =
                            select::position(&item.expr, aggregate.args.len(), "order clause")?
                        {
                            order.by = OrderKey::Output(place);
                        }
                    }
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

    /// A call of what the parser has a tree of its own for.
    pub(super) fn call<'e>(
        &mut self,
        name: &str,
        args: impl IntoIterator<Item = &'e ast::Expr>,
    ) -> Result<Expr> {
        let args = bind_all(args, self.scope, self.env)?;
        self.call_bound(name, args)
    }

    /// A call by its name, which errors show as it was written.
    pub(super) fn call_bound(&self, name: &str, args: Vec<Expr>) -> Result<Expr> {
        let Some(function) = func::find(name) else {
            return Err(self.unknown(name));
        };
        let all: Vec<&Expr> = args.iter().collect();
        match (&*name.to_ascii_lowercase(), &all[..]) {
            ("coalesce" | "ifnull" | "greatest" | "least", all) => self.note_params(all, ParamPlace::Result),
            ("if", [_, results @ ..]) => self.note_params(results, ParamPlace::Result),
            ("date_add" | "date_sub" | "adddate" | "subdate", [moment, Expr::Interval(..)]) => {
                self.note_param(moment, Class::Moment);
            }
            ("nullif", all) => self.note_params(all, ParamPlace::CompareOrZero),
            _ => {}
        }
        if !function.is_cacheable(&args) {
            self.env.note_varying();
        }
        function.call(name, args)
    }

    /// Error 1235 for a function that MySQL has; else it is a stored one, and there are none.
    fn unknown(&self, name: &str) -> SqlError {
        if func::is_known_elsewhere(name) {
            return unsupported(&format!("the function {}", name.to_ascii_uppercase()));
        }
        match &self.env.session.db {
            Some(db) => ER_SP_DOES_NOT_EXIST.error(&[&"FUNCTION", &format!("{db}.{name}")]),
            None => ER_NO_DB_ERROR.error(&[]),
        }
    }
}

/// A moment that is given in UTC, in the time zone of whoever asks.
fn moment_in_utc(moment: DateTime) -> Expr {
    let mut text = Vec::new();
    moment.write_text(&mut text);
    text.extend_from_slice(b"+00:00");
    let collation = Collation::Utf8mb4GeneralCi;
    let shown = quote_text(&text, collation).into();
    let target = CastTarget::DateTime { fsp: moment.fsp() };
    Expr::Cast(Box::new(Expr::Const(Value::Str(text, collation))), target, shown)
}

/// Whether an aggregate stands in an expression.
pub(super) fn has_aggregate(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |part| found |= matches!(part, Expr::Aggregate(_)));
    found
}

/// Aggregates of JSON take neither DISTINCT nor ORDER BY.
fn check_json(kind: AggregateKind, count: usize, distinct: bool, arguments: &Arguments<'_>) -> Result<()> {
    if distinct || !arguments.clauses.is_empty() {
        return Err(unsupported("DISTINCT and ORDER BY in an aggregate of JSON"));
    }
    let (name, wanted) = match kind {
        AggregateKind::JsonObjectAgg => ("JSON_OBJECTAGG", 2),
        _ => ("JSON_ARRAYAGG", 1),
    };
    if count == wanted { Ok(()) } else { Err(ER_WRONG_PARAMCOUNT_TO_NATIVE_FCT.error(&[&name])) }
}

pub(super) fn plain(arg: &ast::FunctionArg) -> Result<&ast::Expr> {
    match arg {
        ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) => Ok(expr),
        other => Err(unsupported(&format!("the argument {other}"))),
    }
}

/// An argument that is a word: a unit, a type.
fn word(arg: &ast::FunctionArg) -> Result<String> {
    plain(arg).map(ToString::to_string)
}
