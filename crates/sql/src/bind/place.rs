//! Where each condition of a query is decided: as early as it can be, but not before the missing rows of an outer join are
//! known to be missing, unless it stands in that join's ON.

use std::ops::Range;

use engine::scan::Direction;

use super::access;
use super::join::Joins;
use super::scope::{Named, Scope};
use crate::expr::Expr;
use crate::plan::{Access, Completed, Condition, Source, SourceKind, Subquery};

/// Puts each condition where it can be decided first, and chooses access paths.
pub(super) fn place(
    scope: &mut Scope,
    conditions: Vec<Expr>,
    joins: Joins,
    used: &[&Expr],
) -> (Option<Expr>, Vec<Source>) {
    let named = std::mem::take(&mut scope.sources);
    let mut places = Places::new(named.len(), joins.optional);
    for (sources, on) in joins.on {
        for expr in on {
            places.put_on(expr, &sources);
        }
    }
    for expr in conditions {
        places.put(expr, None);
    }
    let Places { known, own, optional, after } = places;
    let mut sources: Vec<Source> = named
        .into_iter()
        .zip(own)
        .enumerate()
        .map(|(place, (named, own))| source(place, named, own))
        .collect();
    for (missing, after) in optional.into_iter().zip(after) {
        sources[missing.start].missing_until = Some(missing.end - 1);
        sources[missing.end - 1].completes.push(Completed { first: missing.start, after });
    }
    let given = scope.subqueries.iter().flat_map(Subquery::given);
    let used: Vec<&Expr> = used.iter().copied().chain(given).collect();
    note_needed_rows(&mut sources, &used);
    ((!known.is_empty()).then_some(Expr::And(known)), sources)
}

/// Conditions in their places.
struct Places {
    /// Decided before anything is read.
    known: Vec<Expr>,
    /// By the source whose row decides them.
    own: Vec<Vec<Condition>>,
    /// Sources whose rows are missing together, those within others first.
    optional: Vec<Range<usize>>,
    /// By these, what is decided behind them.
    after: Vec<Vec<Expr>>,
}

impl Places {
    fn new(sources: usize, optional: Vec<Range<usize>>) -> Self {
        Self {
            known: Vec::new(),
            own: (0..sources).map(|_| Vec::new()).collect(),
            after: optional.iter().map(|_| Vec::new()).collect(),
            optional,
        }
    }

    /// A condition of ON belongs to the innermost of the missing sources around those that it is about.
    fn put_on(&mut self, expr: Expr, sources: &Range<usize>) {
        let around = |missing: &Range<usize>| missing.start <= sources.start && sources.end <= missing.end;
        let within = self.optional.iter().position(around);
        self.put(expr, within);
    }

    fn put(&mut self, expr: Expr, within: Option<usize>) {
        let range = within.map_or(0..self.own.len(), |within| self.optional[within].clone());
        let source = match expr.last_source() {
            Some(last) => last.max(range.start),
            None if within.is_none() && (expr.is_known_beforehand() || range.is_empty()) => {
                self.known.push(expr);
                return;
            }
            None if expr.is_known_beforehand() => range.start,
            // What varies is asked for every row.
            None => range.end - 1,
        };
        // The outermost ones behind which it stands come last.
        let inner = &self.optional[..within.unwrap_or(self.optional.len())];
        match inner.iter().rposition(|missing| missing.contains(&source)) {
            Some(missing) => self.after[missing].push(expr),
            None => self.own[source].push(Condition { expr, implied: false }),
        }
    }
}

fn source(place: usize, named: Named, mut conditions: Vec<Condition>) -> Source {
    let access = match &named.kind {
        SourceKind::Table(table) => access::choose(table, place, &mut conditions),
        _ => Access::Full(Direction::Forward),
    };
    let lock = named.lock.filter(|_| matches!(named.kind, SourceKind::Table(_)));
    Source {
        from: named.kind,
        alias: named.alias,
        access,
        conditions,
        optional: named.optional,
        by: named.by,
        missing_until: None,
        completes: Vec::new(),
        needs_row: false,
        lock,
    }
}

fn note_needed_rows(sources: &mut [Source], used: &[&Expr]) {
    for place in 0..sources.len() {
        let reads = |expr: &Expr| {
            let mut reads = false;
            expr.walk(&mut |part| reads |= matches!(part, Expr::Column { source, .. } if *source == place));
            reads
        };
        let conditions = sources.iter().flat_map(|source| {
            let checked = source.conditions.iter().filter(|condition| !condition.implied).map(|c| &c.expr);
            checked.chain(source.completes.iter().flat_map(|completed| &completed.after))
        });
        let needs_row = used.iter().copied().chain(conditions).any(reads)
            || sources.iter().any(|s| s.access.reads(&reads));
        sources[place].needs_row = needs_row;
    }
}
