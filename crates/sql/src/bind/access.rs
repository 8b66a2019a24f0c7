//! Which index a source is read by.
//!
//! No statistics: the more leading columns of an index have given values, the better; a unique index all of whose
//! columns have is best. Conditions that the chosen ranges guarantee are marked, so that an exact scan need not look
//! at them again.

use engine::catalog::def::IndexKind;
use engine::catalog::table::Table;
use engine::scan::Direction;
use types::key::KeyPart;

use crate::expr::{CompareOp, Expr, PatternStart, Quantifier};
use crate::plan::{Access, Bound, Condition, Equal, IndexRef, Pattern, RangeSpec, key_parts};

/// Chooses how the rows of `source` are found, given the conditions that must hold for them.
pub(super) fn choose(table: &Table, source: usize, conditions: &mut [Condition]) -> Access {
    let candidates = indexes(table).filter_map(|index| Candidate::new(table, index, source, conditions));
    let Some(best) = candidates.max_by_key(|candidate| candidate.score) else {
        return Access::Full(Direction::Forward);
    };
    for implied in &best.implied {
        conditions[*implied].implied = true;
    }
    if best.point {
        let spec = best.ranges.into_iter().next().expect("a point has one range");
        return Access::Point { index: best.index, keys: spec.equal };
    }
    Access::Ranges { index: best.index, ranges: best.ranges, direction: Direction::Forward }
}

/// The indexes that help to find rows which fulfil the conditions, in the order of the table's definition.
pub fn possible_indexes(
    table: &Table,
    source: usize,
    conditions: &[Condition],
) -> impl Iterator<Item = IndexRef> {
    let mut found: Vec<IndexRef> = indexes(table).collect();
    found.reverse();
    found.into_iter().filter(move |index| Candidate::new(table, *index, source, conditions).is_some())
}

/// The rows' index first: at equal score the last one wins, so the order is reversed.
fn indexes(table: &Table) -> impl Iterator<Item = IndexRef> + '_ {
    let secondary = (0..table.secondary.len()).rev().map(IndexRef::Secondary);
    secondary.chain(table.primary.is_some().then_some(IndexRef::Primary))
}

fn is_unique(table: &Table, index: IndexRef) -> bool {
    match index {
        IndexRef::Primary => true,
        IndexRef::Secondary(place) => {
            let secondary = &table.secondary[place];
            table.def.indexes[secondary.place].kind != IndexKind::Plain
        }
    }
}

struct Candidate {
    index: IndexRef,
    score: usize,
    point: bool,
    ranges: Vec<RangeSpec>,
    /// Places of the conditions that the ranges guarantee.
    implied: Vec<usize>,
}

impl Candidate {
    fn new(table: &Table, index: IndexRef, source: usize, conditions: &[Condition]) -> Option<Self> {
        let parts = key_parts(table, index);
        let mut equal = Vec::new();
        let mut implied = Vec::new();
        let mut null_safe = false;
        for part in parts {
            let found = conditions.iter().enumerate().find_map(|(place, condition)| {
                equality(&condition.expr, source, part.column).map(|term| (place, term))
            });
            let Some((place, term)) = found else { break };
            if part.prefix.is_none() {
                implied.push(place);
            }
            null_safe |= term.matches_null;
            equal.push(term);
        }
        let whole = equal.len() == parts.len();
        let exact_parts = parts.iter().all(|part| part.prefix.is_none());
        if whole && is_unique(table, index) && exact_parts && !null_safe {
            let range = RangeSpec { equal, ..RangeSpec::default() };
            return Some(Self { index, score: 10_000, point: true, ranges: vec![range], implied });
        }
        let mut score = equal.len() * 100;
        let mut ranges = vec![RangeSpec { equal: equal.clone(), ..RangeSpec::default() }];
        if let Some(part) = parts.get(equal.len())
            && let Some(next) = next_part(part, source, conditions, equal.is_empty())
        {
            ranges = next.ranges.into_iter().map(|range| range.into_spec(&equal)).collect();
            score += next.bonus;
            if part.prefix.is_none() {
                implied.extend(next.implied);
            }
        }
        (score > 0).then_some(Self { index, score, point: false, ranges, implied })
    }
}

/// What conditions say of the first column that has no given value.
struct NextPart {
    ranges: Vec<ColumnRange>,
    /// Places of the conditions that the ranges guarantee.
    implied: Vec<usize>,
    bonus: usize,
}

/// A pattern that may begin with a wildcard, or not, is better than nothing.
const OPEN_PATTERN_BONUS: usize = 5;

/// Ranges by the first column that has no given value: a list of values, bounds, or alternatives of both.
fn next_part(part: &KeyPart, source: usize, conditions: &[Condition], is_first: bool) -> Option<NextPart> {
    let mut next = of_alternatives(part, source, conditions);
    if next.as_ref().is_none_or(|next| next.bonus <= OPEN_PATTERN_BONUS) {
        let bounds = of_bounds(part, source, conditions);
        next = bounds.filter(|bounds| next.as_ref().is_none_or(|next| next.bonus < bounds.bonus)).or(next);
    }
    if is_first && next.as_ref().is_none_or(|next| next.bonus <= OPEN_PATTERN_BONUS) {
        // How many rows a subquery will have nobody knows: whatever else there is comes before.
        let of_rows = conditions.iter().enumerate().find_map(|(place, condition)| {
            let ranges = vec![rows_of_subquery(&condition.expr, source, part.column)?];
            Some(NextPart { ranges, implied: vec![place], bonus: 10 })
        });
        next = of_rows.or(next);
    }
    if part.prefix.is_some() {
        let ranges = next.iter_mut().flat_map(|next| &mut next.ranges);
        ranges.for_each(ColumnRange::make_inclusive);
    }
    next
}

fn of_alternatives(part: &KeyPart, source: usize, conditions: &[Condition]) -> Option<NextPart> {
    let mut open = None;
    for (place, condition) in conditions.iter().enumerate() {
        if let Expr::In(..) | Expr::Or(_) = condition.expr
            && let Some(Alternatives { ranges, exact }) = alternatives(&condition.expr, source, part)
        {
            let is_open = ranges.iter().any(ColumnRange::is_open);
            let implied = exact.then_some(place).into_iter().collect();
            if !is_open {
                return Some(NextPart { ranges, implied, bonus: 60 });
            }
            open.get_or_insert(NextPart { ranges, implied, bonus: OPEN_PATTERN_BONUS });
        }
    }
    open
}

fn of_bounds(part: &KeyPart, source: usize, conditions: &[Condition]) -> Option<NextPart> {
    let mut range = ColumnRange::default();
    let mut implied = Vec::new();
    for (place, condition) in conditions.iter().enumerate() {
        if range.narrow(&condition.expr, source, part.column) {
            implied.push(place);
        } else {
            range.begin(&condition.expr, source, part);
        }
    }
    let bonus = usize::from(range.low.is_some()) * 25 + usize::from(range.high.is_some()) * 25;
    let bonus = match &range.like {
        Some(like) if like.start == PatternStart::Character => bonus + 40,
        Some(_) => bonus + OPEN_PATTERN_BONUS,
        None => bonus,
    };
    (bonus > 0).then(|| NextPart { ranges: vec![range], implied, bonus })
}

/// IN with a subquery whose rows are the same for all rows of the source.
fn rows_of_subquery(condition: &Expr, source: usize, column: usize) -> Option<ColumnRange> {
    let Expr::Quantified(Quantifier { op: CompareOp::Eq, all: false }, left, subquery) = condition else {
        return None;
    };
    let is_about = matches!(&left[..], [one] if is_column(one, source, column));
    let equal = Equal { value: condition.clone(), matches_null: false };
    (is_about && !subquery.is_asked_by_row())
        .then(|| ColumnRange { equal: Some(equal), ..ColumnRange::default() })
}

/// A range of one column.
#[derive(Debug, Default)]
struct ColumnRange {
    equal: Option<Equal>,
    low: Option<Bound>,
    high: Option<Bound>,
    like: Option<Pattern>,
}

impl ColumnRange {
    fn into_spec(self, equal: &[Equal]) -> RangeSpec {
        let equal = equal.iter().cloned().chain(self.equal).collect();
        RangeSpec { equal, low: self.low, high: self.high, like: self.like }
    }

    fn is_bounded(&self) -> bool {
        self.low.is_some() || self.high.is_some() || self.like.is_some()
    }

    /// Whether nothing is known to bound it.
    fn is_open(&self) -> bool {
        self.equal.is_none()
            && self.low.is_none()
            && self.high.is_none()
            && self.like.as_ref().is_none_or(|like| like.start != PatternStart::Character)
    }

    /// Takes a comparison into account if it bounds the column where nothing did yet.
    fn narrow(&mut self, condition: &Expr, source: usize, column: usize) -> bool {
        let Some((op, value)) = comparison(condition, source, column) else { return false };
        let (bound, inclusive) = match op {
            CompareOp::Gt | CompareOp::Ge => (&mut self.low, op == CompareOp::Ge),
            CompareOp::Lt | CompareOp::Le => (&mut self.high, op == CompareOp::Le),
            _ => return false,
        };
        if bound.is_some() {
            return false;
        }
        *bound = Some(Bound { value: value.clone(), inclusive });
        true
    }

    /// Takes a LIKE into account, if nothing did yet that is known to begin with a character. True if it is about the column's
    /// texts, which a range may say less of than the pattern.
    fn begin(&mut self, condition: &Expr, source: usize, part: &KeyPart) -> bool {
        let Expr::Like { text, pattern, escape, start } = condition else { return false };
        if !part.ty.is_string() || !is_column(text, source, part.column) || !pattern.is_known_before(source) {
            return false;
        }
        let is_better = match &self.like {
            None => *start != PatternStart::Wildcard,
            Some(like) => like.start != PatternStart::Character && *start == PatternStart::Character,
        };
        if is_better {
            self.like = Some(Pattern { value: (**pattern).clone(), escape: *escape, start: *start });
        }
        true
    }

    /// A prefix of a value says only that the whole is not below or above it.
    fn make_inclusive(&mut self) {
        for bound in [&mut self.low, &mut self.high].into_iter().flatten() {
            bound.inclusive = true;
        }
    }
}

/// Ranges of a column.
struct Alternatives {
    ranges: Vec<ColumnRange>,
    /// They mean as much as the condition.
    exact: bool,
}

/// The ranges of a column that IN or OR allows, if it is about nothing else.
fn alternatives(condition: &Expr, source: usize, part: &KeyPart) -> Option<Alternatives> {
    let column = part.column;
    let one = |range, exact| Alternatives { ranges: vec![range], exact };
    match condition {
        Expr::In(what, list) if is_column(what, source, column) => {
            let known = list.iter().all(|value| value.is_known_before(source));
            let equal = |value: &Expr| ColumnRange {
                equal: Some(Equal { value: value.clone(), matches_null: false }),
                ..ColumnRange::default()
            };
            known.then(|| Alternatives { ranges: list.iter().map(equal).collect(), exact: true })
        }
        Expr::Or(all) => {
            let mut found = Alternatives { ranges: Vec::new(), exact: true };
            for condition in all {
                let Alternatives { ranges, exact } = alternatives(condition, source, part)?;
                found.ranges.extend(ranges);
                found.exact &= exact;
            }
            Some(found)
        }
        Expr::And(all) => {
            let (mut range, mut exact) = (ColumnRange::default(), true);
            for condition in all {
                if !range.narrow(condition, source, column) {
                    exact = false;
                    range.begin(condition, source, part).then_some(())?;
                }
            }
            range.is_bounded().then(|| one(range, exact))
        }
        other => {
            let mut range = ColumnRange::default();
            if let Some(equal) = equality(other, source, column) {
                range.equal = Some(equal);
                return Some(one(range, true));
            }
            let exact = range.narrow(other, source, column);
            if !exact {
                range.begin(other, source, part);
            }
            range.is_bounded().then(|| one(range, exact))
        }
    }
}

/// The value that a condition gives to a column.
fn equality(condition: &Expr, source: usize, column: usize) -> Option<Equal> {
    if let Expr::IsNull(what) = condition
        && is_column(what, source, column)
    {
        return Some(Equal { value: Expr::Const(types::value::Value::Null), matches_null: true });
    }
    match comparison(condition, source, column)? {
        (CompareOp::Eq, value) => Some(Equal { value: value.clone(), matches_null: false }),
        (CompareOp::NullSafeEq, value) => Some(Equal { value: value.clone(), matches_null: true }),
        _ => None,
    }
}

/// What a condition compares a column with, the column on the left.
fn comparison(condition: &Expr, source: usize, column: usize) -> Option<(CompareOp, &Expr)> {
    let Expr::Compare(op, left, right) = condition else { return None };
    if is_column(left, source, column) && right.is_known_before(source) {
        return Some((*op, right));
    }
    (is_column(right, source, column) && left.is_known_before(source)).then(|| (op.flipped(), &**left))
}

fn is_column(expr: &Expr, source: usize, column: usize) -> bool {
    matches!(expr, Expr::Column { source: s, column: c } if (*s, *c) == (source, column))
}
