//! EXPLAIN: how a plan finds its rows, in the columns of MySQL's traditional format.
//!
//! There are no statistics. Where it is known before the first row what is looked at, so many rows are counted as are
//! there, up to [`COUNTED_MAX`]; else `rows` is NULL. `filtered` is 100 where all rows found are meant, else NULL.

mod sets;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use engine::catalog::table::Table;
use engine::scan::Direction;
use types::value::Value;

use sets::Number;

use super::cursor::{Beforehand, Cursor, Versions};
use super::stored::is_looked_up;
use super::subquery::Known;
use super::work::Work;
use super::{Exec, Result};

use crate::bind::possible_indexes;
use crate::expr::Expr;
use crate::plan::{
    Access, Equal, Given, Group, IndexRef, InsertSource, IntoPlan, OnDuplicate, Plan, QueryPlan, RangeSpec,
    SelectPlan, SetOperation, Source, SourceKind, Subquery, Target, key_parts,
};

/// So many rows of a source are counted.
const COUNTED_MAX: u64 = 10_000;

/// A row of the answer; its columns are MySQL's.
#[derive(Debug, Default)]
struct Line {
    id: Option<u64>,
    /// Of what set operations make of several queries: these.
    combines: Option<(SetOperation, Vec<Number>)>,
    select_type: &'static str,
    table: Option<String>,
    access: Option<&'static str>,
    possible_keys: Option<String>,
    key: Option<String>,
    key_length: Option<String>,
    compared_with: Option<String>,
    rows: Option<u64>,
    all_are_meant: bool,
    extra: Vec<Cow<'static, str>>,
}

/// What a query is to the one around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Outermost,
    Derived,
    /// Its rows are made again where those around it change.
    DependentDerived,
    Subquery,
    /// It is asked again for each row.
    Dependent,
    /// The same, as it varies by itself.
    Uncacheable,
}

/// A list of sources that are read in nested loops, and what is done with their rows.
struct Block<'p> {
    id: u64,
    select_type: &'static str,
    /// What a single statement does to the sources at these places.
    changed: (&'static str, Vec<usize>),
    sources: &'p [Source],
    precondition: Option<&'p Expr>,
    limit: Option<&'p Expr>,
    /// It has aggregates: in which order rows are read is not said.
    aggregates: bool,
    groups: bool,
    sorts: bool,
    subqueries: &'p [Subquery],
}

impl Exec<'_> {
    /// The rows that EXPLAIN answers for a plan whose tables are locked and current. Others may run while rows are counted.
    pub async fn explain(&mut self, plan: &Plan) -> Result<Vec<Vec<Value>>> {
        let mut explainer = Explainer {
            exec: self,
            lines: Vec::new(),
            counted: Vec::new(),
            ids: 0,
            results: 0,
            named: HashMap::new(),
        };
        match plan {
            Plan::Select(query) | Plan::SelectInto(IntoPlan { query, .. }) => {
                let id = explainer.next_id();
                explainer.query(query, Role::Outermost, id)?;
            }
            Plan::Insert(insert) => {
                let replaces = matches!(insert.on_duplicate, OnDuplicate::Replace);
                let select_type = if replaces { "REPLACE" } else { "INSERT" };
                let (id, table) = (explainer.next_id(), Some(insert.table.def.name.clone()));
                explainer.lines.push(Line {
                    id: Some(id),
                    select_type,
                    table,
                    access: Some("ALL"),
                    ..Line::default()
                });
                if let InsertSource::Select(query) = &insert.source {
                    explainer.query(query, Role::Outermost, id)?;
                }
                explainer.subqueries(&insert.subqueries)?;
            }
            Plan::Update(update) => explainer.target(&update.target, "UPDATE")?,
            Plan::Delete(delete) => explainer.target(&delete.target, "DELETE")?,
            Plan::MultiUpdate(update) => {
                let changed = update.targets.iter().map(|target| target.source).collect();
                explainer.changed_together(&update.rows, ("UPDATE", changed))?;
            }
            Plan::MultiDelete(delete) => {
                let changed = delete.targets.iter().map(|(source, _)| *source).collect();
                explainer.changed_together(&delete.rows, ("DELETE", changed))?;
            }
        }
        let Explainer { mut lines, counted, ids, .. } = explainer;
        for (line, source) in counted {
            lines[line].rows = Some(self.count(source).await?);
        }
        let mut results = ids;
        for line in lines.iter_mut().filter(|line| line.combines.is_some()) {
            results += 1;
            line.number(ids, results);
        }
        Ok(lines.into_iter().map(Line::into_row).collect())
    }

    /// The rows that a source's access finds. The newest, so that an open transaction has no snapshot for it.
    async fn count(&mut self, source: &Source) -> Result<u64> {
        let inputs = self.inputs(&[], Known::NOTHING);
        let versions = Versions::Moment(self.trx.newest_snapshot());
        let mut cursor = Cursor::open(source, Beforehand::Nothing, versions, &inputs, &mut self.reading())?;
        // Nobody asked for these rows.
        let (mut rows, mut work) = (0, Work::default());
        while rows < COUNTED_MAX && cursor.next(self.trx, &mut work)? {
            rows += 1;
            self.turns.tick().await;
        }
        Ok(rows)
    }
}

struct Explainer<'e, 'a, 'p> {
    exec: &'e mut Exec<'a>,
    lines: Vec<Line>,
    /// The lines whose rows are to be counted.
    counted: Vec<(usize, &'p Source)>,
    /// So many queries have a number.
    ids: u64,
    /// So many lines are about what set operations make.
    results: u64,
    /// The queries of WITH that have one, by their address.
    named: HashMap<usize, u64>,
}

impl<'p> Explainer<'_, '_, 'p> {
    fn next_id(&mut self) -> u64 {
        self.ids += 1;
        self.ids
    }

    /// Returns by which numbers its rows are found.
    fn query(&mut self, query: &'p QueryPlan, role: Role, id: u64) -> Result<Vec<Number>> {
        match query {
            QueryPlan::Select(select) => {
                let select_type = match role {
                    Role::Outermost if select.subqueries.is_empty() => "SIMPLE",
                    _ => role.first(),
                };
                self.select(select, select_type, id)
            }
            QueryPlan::Union(union) => self.union(union, role, id),
            QueryPlan::Sets(sets) => self.sets(sets, role, id),
            QueryPlan::Named(named) => self.query(&named.plan, role, id),
            QueryPlan::Recursive(recursive) => {
                let numbers = self.parts(&recursive.parts, role, id)?;
                if recursive.distinct {
                    self.combine(SetOperation::Union, numbers, false);
                }
                Ok(Vec::new())
            }
            QueryPlan::Recent(_) => Ok(Vec::new()),
        }
    }

    fn select(&mut self, select: &'p SelectPlan, select_type: &'static str, id: u64) -> Result<Vec<Number>> {
        self.block(&Block { id, select_type, ..Block::of(select) })?;
        Ok(vec![Number::Query(id)])
    }

    /// A change of one table.
    fn target(&mut self, target: &'p Target, verb: &'static str) -> Result<()> {
        let id = self.next_id();
        self.block(&Block {
            id,
            select_type: verb,
            changed: (verb, vec![0]),
            sources: std::slice::from_ref(&target.source),
            precondition: target.precondition.as_ref(),
            limit: target.limit.as_ref(),
            aggregates: false,
            groups: false,
            sorts: !target.order.is_empty(),
            subqueries: &target.subqueries,
        })
    }

    fn changed_together(&mut self, rows: &'p SelectPlan, changed: (&'static str, Vec<usize>)) -> Result<()> {
        let id = self.next_id();
        let select_type = if rows.subqueries.is_empty() { "SIMPLE" } else { "PRIMARY" };
        self.block(&Block { id, select_type, changed, ..Block::of(rows) })
    }

    fn block(&mut self, block: &Block<'p>) -> Result<()> {
        let first = self.lines.len();
        let reason = self.reads_nothing(block)?;
        let is_read = reason.is_none();
        if let Some(reason) = reason {
            let (id, select_type) = (Some(block.id), block.changed_as(0).unwrap_or(block.select_type));
            self.lines.push(Line { id, select_type, extra: vec![reason.into()], ..Line::default() });
        } else {
            for place in 0..block.sources.len() {
                self.source(block, place);
            }
            let end = &mut self.lines[first].extra;
            end.extend(block.groups.then_some("Using temporary".into()));
            end.extend(block.sorts.then_some("Using filesort".into()));
        }
        let mut made_anew: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (place, subquery) in block.subqueries.iter().enumerate() {
            let is_it = |source: &Source| matches!(source.from, SourceKind::Derived(of, _) if of == place);
            let source = block.sources.iter().position(is_it);
            let line = source.filter(|_| is_read).map(|source| first + source);
            if matches!(subquery.plan, QueryPlan::Recent(_)) {
                if let Some(line) = line {
                    self.lines[line].extra.insert(0, "Recursive".into());
                }
                continue;
            }
            let id = self.subquery(subquery, source.is_some())?;
            if let Some(line) = line {
                self.lines[line].table = Some(format!("<derived{id}>"));
                if let Some(last) = subquery.given().iter().filter_map(Expr::last_source).max() {
                    made_anew.entry(last).or_default().push(format!("<derived{id}>"));
                }
            }
        }
        for (source, derived) in made_anew {
            self.lines[first + source].extra.push(format!("Rematerialize ({})", derived.join(",")).into());
        }
        Ok(())
    }

    fn subqueries(&mut self, subqueries: &'p [Subquery]) -> Result<()> {
        for subquery in subqueries {
            self.subquery(subquery, false)?;
        }
        Ok(())
    }

    /// Returns its number.
    fn subquery(&mut self, subquery: &'p Subquery, is_derived: bool) -> Result<u64> {
        if let QueryPlan::Named(named) = &subquery.plan {
            let key = Arc::as_ptr(named).addr();
            if let Some(id) = self.named.get(&key) {
                return Ok(*id);
            }
            self.named.insert(key, self.ids + 1);
        }
        let id = self.next_id();
        let role = match &subquery.given {
            Given::Nothing if is_derived => Role::Derived,
            _ if is_derived => Role::DependentDerived,
            Given::Values(_) => Role::Dependent,
            _ if subquery.varies => Role::Uncacheable,
            Given::Nothing | Given::Same => Role::Subquery,
        };
        self.query(&subquery.plan, role, id)?;
        Ok(id)
    }

    /// Why nothing is read, if that is known.
    fn reads_nothing(&mut self, block: &Block<'_>) -> Result<Option<&'static str>> {
        if block.precondition.is_some_and(is_known)
            && !self.exec.precondition(block.precondition, Known::NOTHING)?
        {
            return Ok(Some("Impossible WHERE"));
        }
        if block.sources.is_empty() {
            return Ok(Some("No tables used"));
        }
        let is_zero = block.limit.is_some_and(is_known) && self.exec.limit(block.limit)? == Some(0);
        Ok(is_zero.then_some("Zero limit"))
    }

    fn source(&mut self, block: &Block<'p>, place: usize) {
        let source = &block.sources[place];
        let (id, select_type) = (Some(block.id), block.changed_as(place).unwrap_or(block.select_type));
        let line = Line { id, select_type, table: Some(source.alias.clone()), ..Line::default() };
        let SourceKind::Table(table) = &source.from else {
            let extra = (!source.conditions.is_empty()).then_some("Using where".into());
            self.lines.push(Line { access: Some("ALL"), extra: extra.into_iter().collect(), ..line });
            return;
        };
        let is_alone = block.sources.len() == 1 && block.changed_as(place).is_some();
        let key = source.access.index().map(|index| (index, source.access.used_parts()));
        let names = possible_indexes(table, place, &source.conditions).map(|index| index_name(table, index));
        let names: Vec<&str> = names.collect();
        let is_known = !source.access.reads(&|expr| !is_known(expr));
        let mut extra = extra(source, block.aggregates);
        if place > 0 && is_looked_up(block.sources, place) {
            extra.push("Using join buffer (hash join)".into());
        }
        if is_known {
            self.counted.push((self.lines.len(), source));
        }
        self.lines.push(Line {
            access: Some(kind(&source.access, is_known, is_alone)),
            possible_keys: (!names.is_empty()).then(|| names.join(",")),
            key: key.map(|(index, _)| index_name(table, index).to_owned()),
            key_length: key.map(|(index, used)| key_length(table, index, used).to_string()),
            compared_with: compared_with(&source.access, block.sources),
            rows: matches!(source.access, Access::Point { .. }).then_some(1),
            all_are_meant: source.conditions.iter().all(|condition| condition.implied),
            extra,
            ..line
        });
    }
}

impl Role {
    fn first(self) -> &'static str {
        match self {
            Self::Outermost => "PRIMARY",
            Self::Derived => "DERIVED",
            Self::DependentDerived => "DEPENDENT DERIVED",
            Self::Subquery => "SUBQUERY",
            Self::Dependent => "DEPENDENT SUBQUERY",
            Self::Uncacheable => "UNCACHEABLE SUBQUERY",
        }
    }
}

impl<'p> Block<'p> {
    fn of(select: &'p SelectPlan) -> Self {
        Self {
            id: 0,
            select_type: "",
            changed: ("", Vec::new()),
            sources: &select.sources,
            precondition: select.precondition.as_ref(),
            limit: select.limit.as_ref(),
            aggregates: select.group.is_some(),
            groups: select.distinct || select.group.as_ref().is_some_and(|group| keeps_groups(group, select)),
            sorts: (!select.order.is_empty() && !select.is_in_order)
                || sorts_for_windows(select)
                || select.group.as_ref().is_some_and(|group| group.rollup.is_some()),
            subqueries: &select.subqueries,
        }
    }

    fn changed_as(&self, place: usize) -> Option<&'static str> {
        self.changed.1.contains(&place).then_some(self.changed.0)
    }
}

impl Line {
    fn into_row(self) -> Vec<Value> {
        let text = |text: Option<String>| text.map_or(Value::Null, |text| Value::text(&text));
        let number = |number: Option<u64>| number.map_or(Value::Null, Value::UInt);
        let extra = (!self.extra.is_empty()).then(|| self.extra.join("; "));
        let filtered = if self.all_are_meant { Value::Double(100.0) } else { Value::Null };
        vec![
            number(self.id),
            Value::text(self.select_type),
            text(self.table),
            Value::Null,
            text(self.access.map(str::to_owned)),
            text(self.possible_keys),
            text(self.key),
            text(self.key_length),
            text(self.compared_with),
            number(self.rows),
            filtered,
            text(extra),
        ]
    }
}

/// Totals alone are made of sorted rows.
fn keeps_groups(group: &Group, select: &SelectPlan) -> bool {
    !group.by.is_empty() && (group.rollup.is_none() || !select.order.is_empty() || select.over.is_some())
}

fn sorts_for_windows(select: &SelectPlan) -> bool {
    select.over.iter().flat_map(|over| &over.sorts).any(|sort| !sort.by.is_empty())
}

/// Whether a value is known while nothing is executed.
fn is_known(expr: &Expr) -> bool {
    let mut open = false;
    expr.walk(&mut |part| open |= part.subquery().is_some() || matches!(part, Expr::Outer(..)));
    !open && expr.is_known_beforehand()
}

/// The column `type`. A change of one table knows none of a single row, and no lookup.
fn kind(access: &Access, is_known: bool, is_change: bool) -> &'static str {
    match access {
        Access::Full(_) => "ALL",
        Access::Point { .. } | Access::Ranges { .. } if is_change && access.used_parts() > 0 => "range",
        Access::Point { .. } if is_known => "const",
        Access::Point { .. } => "eq_ref",
        Access::Ranges { .. } if access.used_parts() == 0 => "index",
        Access::Ranges { .. } if access.equal().is_some() => "ref",
        Access::Ranges { .. } => "range",
    }
}

/// The column `ref`.
fn compared_with(access: &Access, sources: &[Source]) -> Option<String> {
    let shown = |equal: &Equal| match &equal.value {
        Expr::Column { source, column } => column_name(&sources[*source], *column),
        value if is_known(value) => "const".to_owned(),
        _ => "func".to_owned(),
    };
    let equal: Vec<String> = access.equal()?.iter().map(shown).collect();
    Some(equal.join(","))
}

fn column_name(source: &Source, column: usize) -> String {
    let name = source.from.column(column).name;
    match &source.from {
        SourceKind::Table(table) => format!("{}.{}.{name}", table.def.db, source.alias),
        SourceKind::Virtual(_) | SourceKind::Derived(..) => format!("{}.{name}", source.alias),
    }
}

fn extra(source: &Source, aggregates: bool) -> Vec<Cow<'static, str>> {
    let mut extra = Vec::new();
    if source.conditions.iter().any(|condition| !condition.implied) {
        extra.push("Using where".into());
    }
    if is_backward(source) && !aggregates {
        extra.push("Backward index scan".into());
    }
    if source.access.is_by_entries() && !source.needs_row && source.lock.is_none() {
        extra.push("Using index".into());
    }
    extra
}

/// Whether an index is read from its end on, as its definition has it.
fn is_backward(source: &Source) -> bool {
    let (index, given) = match &source.access {
        Access::Full(Direction::Backward) => (IndexRef::Primary, 0),
        Access::Ranges { index, ranges, direction: Direction::Backward } => {
            (*index, ranges.iter().map(|range| range.equal.len()).min().unwrap_or(0))
        }
        _ => return false,
    };
    let def = &source.table().def;
    let index = match index {
        IndexRef::Primary => def.primary(),
        IndexRef::Secondary(place) => def.indexes.get(source.table().secondary[place].place),
    };
    let part = index.and_then(|index| index.parts.get(given));
    !part.is_some_and(|part| part.descending)
}

fn index_name(table: &Table, index: IndexRef) -> &str {
    match index {
        IndexRef::Primary => "PRIMARY",
        IndexRef::Secondary(place) => &table.def.indexes[table.secondary[place].place].name,
    }
}

/// The bytes of an index's first parts, as MySQL counts them.
fn key_length(table: &Table, index: IndexRef, used: usize) -> u64 {
    let parts = key_parts(table, index);
    let used = if used == 0 { parts.len() } else { used };
    parts.iter().take(used).map(types::key::KeyPart::explained_size).sum()
}

impl Access {
    fn index(&self) -> Option<IndexRef> {
        match self {
            Self::Full(_) => None,
            Self::Point { index, .. } | Self::Ranges { index, .. } => Some(*index),
        }
    }

    /// The values of the first columns, if nothing else is asked of the index.
    fn equal(&self) -> Option<&[Equal]> {
        match self {
            Self::Point { keys, .. } => Some(keys),
            Self::Ranges { ranges, .. } => match &ranges[..] {
                [range @ RangeSpec { equal, low: None, high: None, like: None }]
                    if !equal.is_empty() && !range.has_rows() =>
                {
                    Some(equal)
                }
                _ => None,
            },
            Self::Full(_) => None,
        }
    }

    /// So many of the index's columns are asked for.
    fn used_parts(&self) -> usize {
        match self {
            Self::Full(_) => 0,
            Self::Point { keys, .. } => keys.len(),
            Self::Ranges { ranges, .. } => ranges.iter().map(RangeSpec::parts).max().unwrap_or(0),
        }
    }
}
