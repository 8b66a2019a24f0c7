//! Window functions: `f(..) OVER w`, and the windows of a SELECT.
//!
//! A window with a name is bound before the select list is, one that stands behind OVER with its function. Where no window
//! function may stand, [`Scope::windows`] is none: error 3593. The order of rows and their frames are decided here, nothing is
//! sorted.

mod frame;

use sqlparser::ast::{self, NamedWindowExpr, WindowSpec, WindowType};
use types::error::table::{ER_SP_UNDECLARED_VAR, ER_WINDOW_NO_SUCH_WINDOW, ER_WRONG_ARGUMENTS};

use super::expr::Binder;
use super::function::Arguments;
use super::scope::Clause;
use super::{BindEnv, Result, Scope, select, unsupported};
use crate::expr::Expr;
use crate::plan::over::error;
use crate::plan::{AggregateKind, Over, Window, WindowFunction, WindowKind};

/// How errors call a window without a name.
const UNNAMED: &str = "<unnamed window>";

/// What is found of windows while a SELECT is bound.
#[derive(Debug, Default)]
pub(super) struct Windows {
    /// The functions so far, and their windows.
    pub(super) over: Over,
    /// Windows that can be named, with their places.
    named: Vec<(String, usize)>,
}

impl Windows {
    fn place(&self, name: &str) -> Result<usize> {
        let found = self.named.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, place)| *place).ok_or_else(|| ER_WINDOW_NO_SUCH_WINDOW.error(&[&name]))
    }

    fn add(&mut self, window: Window) -> usize {
        self.over.windows.push(window);
        self.over.windows.len() - 1
    }
}

/// Whether an expression's value is known only when window functions are.
pub(super) fn has_window(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |part| found |= matches!(part, Expr::Window(_)));
    found
}

/// Binds the windows of WINDOW, each behind the one that it builds on.
pub(super) fn bind_named(
    clause: &[ast::NamedWindowDefinition],
    scope: &mut Scope,
    env: &BindEnv<'_>,
) -> Result<()> {
    let name = |place: usize| &*clause[place].0.value;
    let find = |wanted: &str| (0..clause.len()).find(|place| name(*place).eq_ignore_ascii_case(wanted));
    for place in 0..clause.len() {
        if let Some(first) = find(name(place)).filter(|first| *first != place) {
            return Err(error::DUPLICATE_NAME.error(&[&name(first)]));
        }
    }
    let mut known = vec![false; clause.len()];
    for place in 0..clause.len() {
        let mut chain = Vec::new();
        let mut next = Some(place);
        while let Some(place) = next.filter(|place| !known[*place]) {
            if chain.len() > clause.len() {
                return Err(error::CIRCULARITY.error(&[]));
            }
            chain.push(place);
            next = match &specification(&clause[place])?.window_name {
                Some(base) => {
                    let missing = || ER_WINDOW_NO_SUCH_WINDOW.error(&[&base.value]);
                    Some(find(&base.value).ok_or_else(missing)?)
                }
                None => None,
            };
        }
        for place in chain.into_iter().rev() {
            let window = Binder { scope, env }.window(name(place), specification(&clause[place])?)?;
            if let Some(windows) = &mut scope.windows {
                let added = windows.add(window);
                windows.named.push((name(place).to_owned(), added));
            }
            known[place] = true;
        }
    }
    Ok(())
}

fn specification(definition: &ast::NamedWindowDefinition) -> Result<&WindowSpec> {
    match &definition.1 {
        NamedWindowExpr::WindowSpec(spec) => Ok(spec),
        NamedWindowExpr::NamedWindow(_) => Err(unsupported("a window that is another one's name")),
    }
}

impl Binder<'_, '_> {
    /// A call with OVER.
    pub(super) fn window_function(
        &mut self,
        name: &str,
        function: &ast::Function,
        arguments: &Arguments<'_>,
        over: &WindowType,
    ) -> Result<Expr> {
        if let Some(window) = &self.scope.in_window {
            return Err(error::NESTED.error(&[window]));
        }
        if function.null_treatment == Some(ast::NullTreatment::IgnoreNulls) {
            return Err(unsupported("IGNORE NULLS"));
        }
        // Neither its arguments nor its window may have window functions.
        let lower = name.to_ascii_lowercase();
        let Some(windows) = self.scope.windows.take() else {
            return Err(error::INVALID_FUNC_USE.error(&[&lower]));
        };
        let kind = self.window_kind(&lower, arguments);
        self.scope.windows = Some(windows);
        let kind = kind?;
        let window = match over {
            WindowType::NamedWindow(name) => self.windows().place(&name.value)?,
            WindowType::WindowSpec(spec) => {
                let window = self.window(UNNAMED, spec)?;
                self.windows().add(window)
            }
        };
        self.windows().over.windows[window].check_constants()?;
        let functions = &mut self.windows().over.functions;
        functions.push(WindowFunction { kind, window });
        Ok(Expr::Window(functions.len() - 1))
    }

    fn windows(&mut self) -> &mut Windows {
        self.scope.windows.as_mut().expect("window functions are allowed where one is bound")
    }

    fn window_kind(&mut self, name: &str, arguments: &Arguments<'_>) -> Result<WindowKind> {
        if let Some(kind) = AggregateKind::by_name(name) {
            if matches!(kind, AggregateKind::GroupConcat | AggregateKind::AnyValue) {
                return Err(unsupported(&format!("{name} as window function")));
            }
            if arguments.distinct {
                return Err(unsupported("<window function>(DISTINCT ..)"));
            }
            return Ok(WindowKind::Aggregate(Box::new(self.aggregate_parts(kind, arguments)?)));
        }
        let counted = match name {
            "ntile" => Some(0),
            "lag" | "lead" => Some(1),
            _ => None,
        };
        if let Some(ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(ast::Expr::Identifier(word)))) =
            counted.and_then(|place: usize| arguments.list.get(place))
            && !word.value.starts_with('@')
        {
            return Err(ER_SP_UNDECLARED_VAR.error(&[&word.value]));
        }
        let args = arguments.list.iter().map(|arg| self.argument(arg)).collect::<Result<_>>()?;
        let kind = WindowKind::by_name(name, args);
        let kind = kind.ok_or_else(|| unsupported(&format!("the window function {name}")))?;
        if let Some((count, name)) = kind.count() {
            if !self.is_fixed(count) || matches!(count, Expr::Const(value) if value.is_null()) {
                return Err(ER_WRONG_ARGUMENTS.error(&[&name]));
            }
            if let Expr::Const(value) = count {
                kind.number(value.as_ref())?;
            }
        }
        Ok(kind)
    }

    /// Whether a number is the same for all rows.
    fn is_fixed(&self, number: &Expr) -> bool {
        let mut fixed = number.is_known_beforehand();
        number.walk(&mut |part| {
            let asked = part.subquery().and_then(|subquery| self.scope.subqueries.get(subquery.place));
            fixed &= !asked.is_some_and(crate::plan::Subquery::is_asked_by_row);
        });
        fixed
    }

    /// A window. Errors 3581 to 3583 if it does not go with the one that it builds on.
    fn window(&mut self, name: &str, spec: &WindowSpec) -> Result<Window> {
        let base = spec.window_name.as_ref();
        let base = base.map(|base| self.windows().place(&base.value)).transpose()?;
        let mut window =
            Window { name: name.to_owned(), partition: Vec::new(), order: Vec::new(), frame: None };
        if let Some(base) = base {
            let base = &self.windows().over.windows[base];
            if !spec.partition_by.is_empty() {
                return Err(error::NO_CHILD_PARTITIONING.error(&[]));
            }
            if base.frame.is_some() {
                return Err(error::NO_INHERIT_FRAME.error(&[&base.name]));
            }
            if !spec.order_by.is_empty() && !base.order.is_empty() {
                return Err(error::NO_REDEFINE_ORDER_BY.error(&[&name, &base.name]));
            }
            window.partition.clone_from(&base.partition);
            window.order.clone_from(&base.order);
        }
        let partition = spec.partition_by.iter();
        for by in partition {
            window.partition.push(self.key(by, name, Clause::WindowPartition)?);
        }
        for item in &spec.order_by {
            let by = self.key(&item.expr, name, Clause::WindowOrder)?;
            window.order.push((by, select::is_descending(item)?));
        }
        if let Some(frame) = &spec.window_frame {
            window.frame = Some(self.frame(frame, &window)?);
        }
        Ok(window)
    }

    /// A part of PARTITION BY or ORDER BY: neither a position nor a name of the result, nor a column of the queries around.
    fn key(&mut self, ast: &ast::Expr, window: &str, clause: Clause) -> Result<Expr> {
        if let ast::Expr::Value(ast::ValueWithSpan { value: ast::Value::Number(digits, _), .. }) = ast
            && digits.bytes().all(|digit| digit.is_ascii_digit())
        {
            return Err(error::ILLEGAL_ORDER_BY.error(&[&window]));
        }
        let before = std::mem::replace(&mut self.scope.clause, clause);
        let aliases = std::mem::take(&mut self.scope.aliases);
        self.scope.in_window = Some(window.to_owned());
        let bound = self.bind(ast);
        (self.scope.clause, self.scope.aliases, self.scope.in_window) = (before, aliases, None);
        let bound = bound?;
        let is_name = matches!(ast, ast::Expr::Identifier(_) | ast::Expr::CompoundIdentifier(_));
        match (&bound, self.env.outer) {
            (Expr::Outer(place, _), Some(around)) if is_name => {
                Err(error::OUTER_REFERENCE.error(&[&around.name_of(*place).unwrap_or_default()]))
            }
            _ => Ok(bound),
        }
    }
}
