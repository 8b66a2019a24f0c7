//! The order in which the sources of a query are read.
//!
//! No statistics: what decides is how many sources would be read whole. The order of the text stays unless there is one with
//! fewer; among those with the fewest it is the one that is nearest to the text. So a query that is written well is read as
//! it is written, and one that begins at its wrong end does not read a table for each row of another one. An index whose given
//! columns are flags or labels alone counts for nothing here: very many rows may share each of their few values.
//!
//! Where rows may be missing, the order of the text stays, as it does for STRAIGHT_JOIN. What is LATERAL comes behind all that it
//! depends on.

use std::collections::HashMap;

use types::column::{ColumnType, IntSize};

use super::access;
use super::scope::{Named, Scope};
use crate::expr::Expr;
use crate::plan::{Access, Condition, RangeSpec, SourceKind, key_parts};

/// With more sources than these the order of the text stays: each set of them is looked at.
const SOURCES_MAX: usize = 8;

/// For each source of inner joins its place in a better order, if there is one, given what must hold of their rows.
pub(super) fn better(scope: &Scope, conditions: &[&Expr]) -> Option<Vec<usize>> {
    let sources = &scope.sources[..];
    if !(2..=SOURCES_MAX).contains(&sources.len()) {
        return None;
    }
    let needs = |source: usize| scope.given(source).iter().fold(0, |needs, value| needs | value.sources());
    let needs = (0..sources.len()).map(needs).collect();
    let mut search = Search { sources, conditions, needs, known: HashMap::new() };
    let as_written = (0..sources.len()).filter(|next| search.reads_whole((1 << next) - 1, *next)).count();
    if as_written == 0 || search.fewest(0) >= as_written {
        return None;
    }
    let mut places = vec![0; sources.len()];
    let mut read = 0;
    for place in 0..sources.len() {
        let next = search.next(read);
        places[next] = place;
        read |= 1 << next;
    }
    Some(places)
}

/// Sets of sources are bits.
struct Search<'s> {
    sources: &'s [Named],
    conditions: &'s [&'s Expr],
    /// Of each source, those that must be read before it.
    needs: Vec<u32>,
    /// Of sets that have been read, how many of the others must be read whole at least.
    known: HashMap<u32, usize>,
}

impl Search<'_> {
    /// Those that may be read next.
    fn others(&self, read: u32) -> Vec<usize> {
        let may_be_next = |source: &usize| read & (1 << source) == 0 && self.needs[*source] & !read == 0;
        (0..self.sources.len()).filter(may_be_next).collect()
    }

    fn fewest(&mut self, read: u32) -> usize {
        if let Some(known) = self.known.get(&read) {
            return *known;
        }
        let fewest = self.others(read).into_iter().map(|next| self.cost(read, next)).min().unwrap_or(0);
        self.known.insert(read, fewest);
        fewest
    }

    fn cost(&mut self, read: u32, next: usize) -> usize {
        usize::from(self.reads_whole(read, next)) + self.fewest(read | 1 << next)
    }

    /// The first of the others in the text of those that are as good as any.
    fn next(&mut self, read: u32) -> usize {
        let fewest = self.fewest(read);
        let found = self.others(read).into_iter().find(|next| self.cost(read, *next) == fewest);
        found.expect("one of the others is read next")
    }

    /// Whether no index that finds few rows serves a source behind those that have been read.
    fn reads_whole(&self, read: u32, next: usize) -> bool {
        let SourceKind::Table(table) = &self.sources[next].kind else { return true };
        let within = read | 1 << next;
        // Numbered in the order in which they are read, as far as it matters.
        let places: Vec<usize> = (0..self.sources.len()).map(|source| usize::from(source == next)).collect();
        let decided = self.conditions.iter().filter(|condition| condition.sources() & !within == 0);
        let mut decided: Vec<Condition> = decided
            .map(|condition| Condition { expr: condition.renumbered(&places), implied: false })
            .collect();
        match access::choose(table, 1, &mut decided) {
            Access::Full(_) => true,
            Access::Point { .. } => false,
            Access::Ranges { ranges, .. } if ranges.iter().any(RangeSpec::is_open) => true,
            Access::Ranges { index, ranges, .. } => {
                let given = ranges.iter().map(RangeSpec::parts).max().unwrap_or(0);
                key_parts(table, index)[..given].iter().all(|part| has_few_values(&part.ty))
            }
        }
    }
}

fn has_few_values(ty: &ColumnType) -> bool {
    match ty {
        ColumnType::Int(int) => int.size == IntSize::Tiny,
        ColumnType::Enum(_) | ColumnType::Set(_) | ColumnType::Bit { .. } => true,
        _ => false,
    }
}
