//! SELECT.

use std::sync::Arc;

use sqlparser::ast::{self, SelectItem, SelectItemQualifiedWildcardKind};
use types::error::table::{
    ER_AGGREGATE_ORDER_NON_AGG_QUERY, ER_BAD_FIELD_ERROR, ER_BAD_TABLE_ERROR, ER_NO_TABLES_USED,
    ER_NON_UNIQ_ERROR, ER_WRONG_GROUP_FIELD,
};
use types::sql_mode::SqlMode;
use types::value::Value;

use super::block::Block;
use super::full_group_by::Ungrouped;
use super::function::has_aggregate;
use super::merge::{self, Mergeable};
use super::over::{Windows, has_window};
use super::rollup::{self, Beside};
use super::scope::{Clause, Place, Scope};
use super::tail::Tail;
use super::{BindEnv, Result, dependent, expr, from, full_group_by, over, unsupported};
use crate::expr::Expr;
use crate::lex::{Kind, Lexer};
use crate::parse::Quoted;
use crate::plan::{Group, OrderBy, OrderKey, Output, SelectPlan, SourceKind};

/// Binds a SELECT and what follows it.
pub(super) fn bind_select(select: &ast::Select, tail: Tail<'_>, env: &BindEnv<'_>) -> Result<SelectPlan> {
    SelectBinder { scope: Scope::default(), env, select, tail }.bind(&mut None)
}

/// The same of a derived table, and what the query around it may take instead.
pub(super) fn bind_mergeable(
    select: &ast::Select,
    tail: Tail<'_>,
    env: &BindEnv<'_>,
) -> Result<(SelectPlan, Option<Arc<Mergeable>>)> {
    let mut mergeable = None;
    let plan = SelectBinder { scope: Scope::default(), env, select, tail }.bind(&mut mergeable)?;
    Ok((plan, mergeable.map(Arc::new)))
}

/// Binds expressions that stand in no query, as SET and DO have them: a query of one row without tables.
pub fn bind_exprs<'x>(
    exprs: impl IntoIterator<Item = &'x ast::Expr>,
    env: &BindEnv<'_>,
) -> Result<SelectPlan> {
    let mut scope = Scope::default();
    let output = exprs.into_iter().map(|ast| {
        let expr = expr::bind(ast, &mut scope, env)?;
        Ok(Output::new(String::new(), expr))
    });
    let output = output.collect::<Result<_>>()?;
    Ok(SelectPlan {
        sources: Vec::new(),
        precondition: None,
        group: None,
        having: None,
        over: None,
        output,
        distinct: false,
        order: Vec::new(),
        is_in_order: false,
        limit: None,
        offset: None,
        counts_all: false,
        subqueries: scope.subqueries,
        views: Vec::new(),
    })
}

struct SelectBinder<'a, 'e> {
    scope: Scope,
    env: &'a BindEnv<'e>,
    select: &'a ast::Select,
    tail: Tail<'a>,
}

impl SelectBinder<'_, '_> {
    /// `mergeable` is set if it can be a part of another query.
    fn bind(mut self, mergeable: &mut Option<Mergeable>) -> Result<SelectPlan> {
        let mut block = self.block()?;
        let locks = self.tail.locks();
        let takes_order =
            block.is_plain() && block.order.is_empty() && !self.tail.is_part() && !self.env.may_assign();
        self.tail.lock(&mut self.scope)?;
        merge::merge(&mut self.scope, &mut block, takes_order, locks);
        *mergeable = if locks { None } else { Mergeable::new(&self.scope, &block) };
        let is_straight =
            self.select.select_modifiers.as_ref().is_some_and(|modifiers| modifiers.straight_join);
        block.reorder(&mut self.scope, is_straight);
        let mut plan = block.place(&mut self.scope);
        plan.use_index_order();
        Ok(plan)
    }

    /// Binds everything, and places nothing.
    fn block(&mut self) -> Result<Block> {
        self.refuse_the_unknown()?;
        let joins = from::bind(&self.select.from, &mut self.scope, self.env)?;
        let mut conditions = Vec::new();
        if let Some(filter) = &self.select.selection {
            self.scope.clause = Clause::Where;
            conditions.extend(conjuncts(expr::bind(filter, &mut self.scope, self.env)?));
        }
        self.scope.aggregates = Some(Vec::new());
        self.scope.windows = Some(Windows::default());
        over::bind_named(&self.select.named_window, &mut self.scope, self.env)?;
        let mut output = self.output()?;
        let windows = self.scope.windows.take();
        let (by, is_rollup) = self.group_by(&output)?;
        let mut having = self.having(&output, &by)?;
        self.scope.windows = windows;
        let mut order = self.order_of(&output, &by)?;
        let mut over = self.scope.windows.take().unwrap_or_default().over;
        let aggregates = self.scope.aggregates.take().unwrap_or_default();
        let is_grouped = !by.is_empty() || !aggregates.is_empty();
        let mut group = is_grouped.then_some(Group { by, aggregates, rollup: None });
        if let Some(group) = &mut group {
            let groupings = rollup::groupings(group)?;
            if self.env.session.sql_mode.contains(SqlMode::ONLY_FULL_GROUP_BY) {
                let determined = if is_rollup {
                    // Of what is NULL in totals nothing follows.
                    dependent::columns_of(&group.by)
                } else {
                    dependent::determined(&self.scope, &group.by, &conditions, &joins)
                };
                let ungrouped = Ungrouped { output: &output, order: &order, over: &over };
                full_group_by::check(&self.scope, group, &determined, &ungrouped)?;
            }
            let having = having.as_mut();
            let beside = Beside { output: &mut output, having, over: &mut over, order: &mut order };
            if is_rollup {
                rollup::apply(group, groupings, &mut self.scope, beside);
            }
        } else {
            // Without groups HAVING is asked for each row.
            conditions.extend(having.take().into_iter().flat_map(conjuncts));
        }
        let mut over = (!over.functions.is_empty()).then_some(over);
        let mut order = self.tail.needed(order);
        let counts_all = self.tail.counts_all(self.select)?;
        let (limit, offset) = self.tail.limit(self.env)?;
        let mut distinct = matches!(self.select.distinct, Some(ast::Distinct::Distinct));
        if self.tail.is_existence && group.is_none() {
            // There is a row for each that is found, whatever it consists of.
            output = vec![Output::new(String::new(), Expr::Const(Value::Int(1)))];
            order.clear();
            distinct = false;
            over = None;
        }
        Ok(Block {
            conditions,
            joins,
            output,
            group,
            having,
            over,
            distinct,
            order,
            limit,
            offset,
            counts_all,
        })
    }

    fn refuse_the_unknown(&self) -> Result<()> {
        let select = self.select;
        let unknown = [
            (select.top.is_some(), "TOP"),
            (select.into.is_some(), "SELECT INTO"),
            (!select.lateral_views.is_empty(), "LATERAL VIEW"),
            (select.qualify.is_some(), "QUALIFY"),
            (matches!(select.distinct, Some(ast::Distinct::On(_))), "DISTINCT ON"),
        ];
        match unknown.into_iter().find(|(is, _)| *is) {
            Some((_, what)) => Err(unsupported(what)),
            None => Ok(()),
        }
    }

    fn output(&mut self) -> Result<Vec<Output>> {
        self.scope.clause = Clause::FieldList;
        let texts = item_texts(self.select, self.env);
        let mut output = Vec::new();
        for (place, item) in self.select.projection.iter().enumerate() {
            match item {
                SelectItem::UnnamedExpr(ast) => {
                    let text = texts.get(place).cloned().unwrap_or_else(|| ast.to_string());
                    let name = item_name(ast, &text).unwrap_or(text);
                    let expr = expr::bind(ast, &mut self.scope, self.env)?;
                    output.push(Output::new(self.name_of(&expr).unwrap_or(name), expr));
                }
                SelectItem::ExprWithAlias { expr: ast, alias } => {
                    let expr = expr::bind(ast, &mut self.scope, self.env)?;
                    self.scope.items.push((alias.value.clone(), expr.clone()));
                    output.push(Output::new(alias.value.clone(), expr));
                }
                SelectItem::Wildcard(options) => {
                    if self.scope.is_empty() {
                        return Err(ER_NO_TABLES_USED.error(&[]));
                    }
                    self.note_wildcard(None, options, &self.scope.all);
                    output.extend(self.scope.all.iter().map(|place| self.column(*place)));
                }
                SelectItem::QualifiedWildcard(kind, options) => {
                    let name = kind.to_string();
                    let name = name.trim_end_matches(".*").replace('`', "");
                    let table = name.rsplit('.').next().unwrap_or(&name);
                    let found = self.scope.sources.iter().position(|named| named.alias == table);
                    let source = found.ok_or_else(|| ER_BAD_TABLE_ERROR.error(&[&name]))?;
                    let columns = 0..self.scope.sources[source].kind.column_count();
                    let columns: Vec<Place> = columns.map(|column| (source, column)).collect();
                    if let SelectItemQualifiedWildcardKind::ObjectName(name) = kind {
                        let first = name.0.first().and_then(|part| part.as_ident());
                        self.note_wildcard(first, options, &columns);
                    }
                    output.extend(columns.into_iter().map(|place| self.column(place)));
                }
                SelectItem::ExprWithAliases { .. } => return Err(unsupported(&item.to_string())),
            }
        }
        Ok(output)
    }

    /// For CREATE VIEW: what `*` behind these names means.
    fn note_wildcard(
        &self,
        first: Option<&ast::Ident>,
        options: &ast::WildcardAdditionalOptions,
        columns: &[Place],
    ) {
        let Some(record) = self.env.record else { return };
        let sources = &self.scope.sources;
        let name = |&(source, column): &Place| {
            let named = &sources[source];
            let is_unique = sources.iter().filter(|other| other.alias == named.alias).count() == 1;
            let db = if is_unique { String::new() } else { format!("{}.", Quoted(&named.db)) };
            format!("{db}{}.{}", Quoted(&named.alias), Quoted(&named.kind.column(column).name))
        };
        record.wildcard(first, &options.wildcard_token, &columns.iter().map(name).collect::<Vec<_>>());
    }

    /// What a column of `information_schema` is called in a result, however it was written.
    fn name_of(&self, expr: &Expr) -> Option<String> {
        let Expr::Column { source, column } = expr else { return None };
        match &self.scope.sources[*source].kind {
            SourceKind::Virtual(table) if table.db() == "information_schema" => {
                Some(table.columns()[*column].name.clone())
            }
            _ => None,
        }
    }

    fn column(&self, (source, column): Place) -> Output {
        let name = self.scope.sources[source].kind.column(column).name;
        Output::new(name, Expr::Column { source, column })
    }

    /// What is grouped by, and whether there are totals of groups.
    fn group_by(&mut self, output: &[Output]) -> Result<(Vec<Expr>, bool)> {
        let (list, is_rollup) = rollup::list(&self.select.group_by)?;
        self.scope.clause = Clause::Group;
        // Aggregates cannot be grouped by.
        let aggregates = self.scope.aggregates.take();
        let bound = list.into_iter().map(|ast| {
            let (bound, name) = match position(ast, output.len(), "group statement")? {
                Some(place) if has_window(&output[place].expr) => {
                    return Err(ER_WRONG_GROUP_FIELD.error(&[&output[place].name]));
                }
                Some(place) => (output[place].expr.clone(), output[place].name.clone()),
                // A column is meant before an alias.
                None => (expr::bind_with_aliases(ast, &mut self.scope, self.env, output)?, ast.to_string()),
            };
            rollup::refuse_aggregates(&bound, &name, aggregates.as_deref())?;
            Ok(bound)
        });
        let bound = bound.collect::<Result<_>>();
        self.scope.aggregates = aggregates;
        Ok((bound?, is_rollup))
    }

    fn having(&mut self, output: &[Output], by: &[Expr]) -> Result<Option<Expr>> {
        let Some(having) = &self.select.having else { return Ok(None) };
        self.scope.clause = Clause::Having;
        self.scope.grouped = Some(by.to_vec());
        let bound = expr::bind_with_aliases(having, &mut self.scope, self.env, output);
        self.scope.grouped = None;
        bound.map(Some)
    }

    /// ORDER BY, of groups by these. Without groups there is one row, if there are aggregates; error 3029 for the only ones.
    fn order_of(&mut self, output: &[Output], by: &[Expr]) -> Result<Vec<OrderBy>> {
        let has_aggregates = self.scope.aggregates.iter().flatten().next().is_some();
        let order = self.order(output)?;
        if !by.is_empty() {
            return Ok(order);
        }
        match order.iter().position(|by| by.expr().is_some_and(has_aggregate)) {
            Some(place) if !has_aggregates => Err(ER_AGGREGATE_ORDER_NON_AGG_QUERY.error(&[&(place + 1)])),
            _ if has_aggregates => Ok(Vec::new()),
            _ => Ok(order),
        }
    }

    fn order(&mut self, output: &[Output]) -> Result<Vec<OrderBy>> {
        self.scope.clause = Clause::Order;
        self.tail
            .order
            .iter()
            .map(|item| {
                let descending = is_descending(item)?;
                let place = match position(&item.expr, output.len(), "order clause")? {
                    None => alias(&item.expr, output)?,
                    place => place,
                };
                let by = if let Some(place) = place {
                    OrderKey::Output(place)
                } else {
                    let bound = expr::bind_with_aliases(&item.expr, &mut self.scope, self.env, output)?;
                    same_output(&bound, output).map_or(OrderKey::Expr(bound), OrderKey::Output)
                };
                Ok(OrderBy { by, descending })
            })
            .collect()
    }
}

/// The parts of a conjunction.
pub(super) fn conjuncts(expr: Expr) -> Vec<Expr> {
    match expr {
        Expr::And(all) => all.into_iter().flat_map(conjuncts).collect(),
        other => vec![other],
    }
}

/// DESC.
pub(super) fn is_descending(item: &ast::OrderByExpr) -> Result<bool> {
    if item.options.nulls_first.is_some() {
        return Err(unsupported("NULLS FIRST and LAST"));
    }
    Ok(item.options.asc == Some(false))
}

/// ORDER BY where columns of a result cannot be meant.
pub(super) fn bind_plain_order(
    order: &[ast::OrderByExpr],
    scope: &mut Scope,
    env: &BindEnv<'_>,
) -> Result<Vec<OrderBy>> {
    scope.clause = Clause::Order;
    order
        .iter()
        .map(|item| {
            let by = OrderKey::Expr(expr::bind(&item.expr, scope, env)?);
            Ok(OrderBy { by, descending: is_descending(item)? })
        })
        .collect()
}

/// `ORDER BY 2`: a position in the select list. A number that is no integer is a constant like any other.
pub(super) fn position(ast: &ast::Expr, columns: usize, clause: &str) -> Result<Option<usize>> {
    let ast::Expr::Value(ast::ValueWithSpan { value: ast::Value::Number(digits, _), .. }) = ast else {
        return Ok(None);
    };
    let Ok(place) = digits.parse::<u64>() else { return Ok(None) };
    let place = usize::try_from(place).ok().filter(|place| (1..=columns).contains(place));
    place.map(|place| Some(place - 1)).ok_or_else(|| ER_BAD_FIELD_ERROR.error(&[digits, &clause]))
}

/// The column of the result that a plain name means. As in MySQL an expression of that name ends the search; columns that
/// differ are error 1052.
fn alias(ast: &ast::Expr, output: &[Output]) -> Result<Option<usize>> {
    let ast::Expr::Identifier(name) = ast else { return Ok(None) };
    let column = |output: &Output| match output.expr {
        Expr::Column { source, column } => Some((source, column)),
        _ => None,
    };
    let mut found: Option<usize> = None;
    for (place, one) in output.iter().enumerate() {
        if !one.name.eq_ignore_ascii_case(&name.value) {
            continue;
        }
        if column(one).is_none() {
            return Ok(Some(place));
        }
        if found.is_some_and(|found| column(&output[found]) != column(one)) {
            return Err(ER_NON_UNIQ_ERROR.error(&[&name.value, &Clause::Order.name()]));
        }
        found = found.or(Some(place));
    }
    Ok(found)
}

fn same_output(expr: &Expr, output: &[Output]) -> Option<usize> {
    let identity = expr.identity();
    output.iter().position(|output| output.expr.identity() == identity)
}

fn is_variable(path: &[ast::Ident]) -> bool {
    path.first().is_some_and(|first| first.value.starts_with('@'))
}

/// Words that end a select list.
const ITEM_ENDS: [&str; 10] =
    ["WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "INTO", "UNION", "INTERSECT", "EXCEPT"];

/// The texts of a select list's items: columns without alias are called by them.
fn item_texts(select: &ast::Select, env: &BindEnv<'_>) -> Vec<String> {
    let text = env.text;
    // The parser counts tokens as columns.
    let mut to_select = select.select_token.0.span.start.column;
    let mut lexer = Lexer::new(text.as_bytes(), env.session.quoting());
    let mut items: Vec<String> = Vec::new();
    // What was collected of an item, and where in the text that ends.
    let mut item: Option<(String, usize)> = None;
    let mut depth = 0_usize;
    let mut before = b"".as_slice();
    while let Some(token) = lexer.next_token() {
        let word = lexer.text_of(token);
        // Behind a period each word is a name.
        let is_word = std::mem::replace(&mut before, word) != b"." && token.kind == Kind::Word;
        let is = |name: &str| is_word && word.eq_ignore_ascii_case(name.as_bytes());
        if to_select > 0 {
            to_select -= 1;
            continue;
        }
        let ends = ITEM_ENDS.into_iter().any(is) || is("FROM") && !lexer.is_in_window_function();
        if depth == 0 && (ends || word == b"," || word == b")") {
            items.extend(item.take().map(|(name, _)| name));
            if word != b"," {
                return items;
            }
            continue;
        }
        if item.is_none() && (is("DISTINCT") || is("ALL") || is("SQL_NO_CACHE") || is("SQL_CALC_FOUND_ROWS"))
        {
            continue;
        }
        match word {
            b"(" => depth += 1,
            b")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        let (name, end) = item.get_or_insert_with(|| (String::new(), token.start));
        let is_number_of_param = name.ends_with('?') && *end == token.start && token.kind == Kind::Number;
        name.push_str(&text[*end..token.start]);
        if token.kind == Kind::Param {
            name.push('?');
        } else if !is_number_of_param {
            name.push_str(&text[token.start..token.end]);
        }
        *end = token.end;
    }
    items.extend(item.map(|(name, _)| name));
    items
}

impl SelectPlan {
    /// Lets the rows come in the order that is asked for, if that costs nothing.
    fn use_index_order(&mut self) {
        let wanted = match &self.group {
            Some(group) => group.extreme().map(|(column, descending)| (vec![column], descending)),
            None if self.distinct || self.over.is_some() => None,
            None => self.ordered_columns(),
        };
        let (Some((columns, descending)), [source]) = (wanted, &mut self.sources[..]) else { return };
        let SourceKind::Table(table) = &source.from else { return };
        if self.group.is_some() && columns.iter().any(|column| table.columns[*column].ty.labels().is_some()) {
            // The smallest label is that of the smallest text, and an index has them in the order of their numbers.
            return;
        }
        // A whole index is worth reading if the first entries are enough.
        let limited = if self.group.is_some() { source.conditions.is_empty() } else { self.limit.is_some() };
        if source.access.gives_order(table, &columns, limited) {
            source.access.set_descending(descending);
            self.is_in_order = true;
        }
    }

    /// The columns of ORDER BY, and whether all are descending.
    fn ordered_columns(&self) -> Option<(Vec<usize>, bool)> {
        let descending = self.order.first()?.descending;
        let column = |order: &OrderBy| match order.expr_in(&self.output) {
            Expr::Column { source: 0, column } if order.descending == descending => Some(*column),
            _ => None,
        };
        Some((self.order.iter().map(column).collect::<Option<_>>()?, descending))
    }
}

/// How a column is called that is no more than a name or a literal, be it in parentheses; all others are called by their
/// text.
fn item_name(ast: &ast::Expr, text: &str) -> Option<String> {
    match ast {
        ast::Expr::Nested(inner) => {
            let inner_text = text.trim().strip_prefix('(')?.strip_suffix(')')?;
            item_name(inner, inner_text.trim())
        }
        ast::Expr::Identifier(name) => Some(name.value.clone()),
        ast::Expr::CompoundIdentifier(path) if !is_variable(path) => {
            path.last().map(|name| name.value.clone())
        }
        ast::Expr::Value(value) => match &value.value {
            // A string is called by what it says.
            ast::Value::SingleQuotedString(text) => Some(text.clone()),
            ast::Value::Null => Some("NULL".to_owned()),
            ast::Value::Number(..) => Some(text.to_owned()),
            _ => None,
        },
        _ => None,
    }
}
