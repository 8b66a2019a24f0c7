//! Expressions: what the binder makes of SQL's, ready to be evaluated.
//!
//! Evaluation is dynamic: values carry their types and `types` knows MySQL's rules between them. Static types are
//! found for what is announced to clients and stored, and where a value's own type does not decide ([`typing`]).

mod arith;
mod bits;
mod compare;
mod condition;
mod control;
mod eval;
mod inputs;
mod like;
mod long_list;
mod lookup;
mod memo;
pub mod sort_key;
mod subquery;
pub mod typing;

use types::cast::CastTarget;
use types::collation::Collation;
use types::value::Value;

pub(crate) use arith::{number as number_of, out_of_range, remainder};
pub(crate) use bits::bits as bits_of;
pub(crate) use compare::{Side, equals_several, hex_number, in_charset, order};
pub(crate) use control::{chosen, in_type_and_scale, operand, value_for};
pub(crate) use eval::Digits;
pub use inputs::{Ev, Inputs, RowRef};
pub use like::PatternStart;
pub use lookup::{Lookup, Made};
pub use memo::Memo;
pub use sort_key::SortKey;
pub(crate) use subquery::Verdict;
pub use subquery::{Answer, Quantifier, SubqueryRef};
pub use typing::{NoSchema, ResultType, Schema, Types};
pub(crate) use typing::{common_type, union_type};

use crate::func::Function;
use crate::session::Scope;

/// An expression.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A constant.
    Const(Value),
    /// A client's parameter, by its number.
    Param(usize),
    /// A literal that was taken out of the text, by its number.
    Literal(usize),
    /// A literal of an INSERT's row.
    RowLiteral(usize),
    /// A column of one of the statement's sources.
    Column {
        /// The source's place.
        source: usize,
        /// The column's place in it.
        column: usize,
    },
    /// `VALUES(c)` in ON DUPLICATE KEY UPDATE: the column as it would have been inserted.
    Candidate(usize),
    /// The result of an aggregate, by its place in the plan's list.
    Aggregate(usize),
    /// The result of a window function, by its place in the plan's list.
    Window(usize),
    /// In a subquery: a value of the row around it, by its place among those that the subquery is given, and its type.
    Outer(usize, ResultType),
    /// A column of a subquery's only row.
    Subquery(SubqueryRef, usize),
    /// Whether a subquery has a row.
    Exists(SubqueryRef),
    /// `a BETWEEN b AND c`, of an `a` that is computed once. It is two comparisons where these may find ranges: of a column, or
    /// between columns.
    Between(Box<[Self; 3]>),
    /// A comparison.
    Compare(CompareOp, Box<Self>, Box<Self>),
    /// Arithmetic, and how it reads.
    Arith(ArithOp, Box<Self>, Box<Self>, Box<str>),
    /// AND of all, short-circuit.
    And(Vec<Self>),
    /// OR of all, short-circuit.
    Or(Vec<Self>),
    /// XOR.
    Xor(Box<Self>, Box<Self>),
    /// NOT.
    Not(Box<Self>),
    /// Unary minus.
    Neg(Box<Self>),
    /// `~`
    BitNot(Box<Self>),
    /// IS NULL.
    IsNull(Box<Self>),
    /// IS TRUE, IS FALSE.
    IsTruth(Box<Self>, bool),
    /// `a IN (..)`
    In(Box<Self>, Vec<Self>),
    /// `a IN (subquery)`, `a > ALL (subquery)`; of a row as well.
    Quantified(Quantifier, Vec<Self>, SubqueryRef),
    /// `a LIKE b ESCAPE c`
    Like {
        /// What is matched.
        text: Box<Self>,
        /// With what.
        pattern: Box<Self>,
        /// The escape character; `None` = there is none.
        escape: Option<char>,
        /// How the pattern begins.
        start: PatternStart,
    },
    /// CASE.
    Case {
        /// What the branches are compared with; `None` = they are conditions.
        operand: Option<Box<Self>>,
        /// WHEN and THEN.
        branches: Vec<(Self, Self)>,
        /// ELSE.
        otherwise: Option<Box<Self>>,
    },
    /// CAST and CONVERT, and how the operand reads.
    Cast(Box<Self>, CastTarget, Box<str>),
    /// `a COLLATE c`
    Collate(Box<Self>, Collation),
    /// A bound of BETWEEN or an element of IN beside a date: a text that is none is the date 0, not an error.
    OrZeroDate(Box<Self>),
    /// A function of the table.
    Call(&'static Function, Vec<Self>),
    /// `@@x`
    SystemVariable(Option<Scope>, String),
    /// `@x`, and whether the statement may assign to it: only then its value can differ from row to row.
    UserVariable(String, bool),
    /// `@x := a`
    AssignVariable(String, Box<Self>),
    /// `INTERVAL a unit`, an argument of date arithmetic only.
    Interval(Box<Self>, IntervalUnit),
}

/// How large an expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// The expressions in it, itself included.
    pub(crate) count: usize,
    /// How many of them lie in one another.
    pub(crate) depth: usize,
}

impl Extent {
    /// Of an expression without parts.
    pub(crate) const ONE: Self = Self { count: 1, depth: 1 };
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareOp {
    /// `=`
    Eq,
    /// `<=>`
    NullSafeEq,
    /// `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl CompareOp {
    /// The operator with its sides exchanged.
    #[must_use]
    pub fn flipped(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
            same => same,
        }
    }
}

/// Arithmetic and bit operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `DIV`
    IntDiv,
    /// `%`, `MOD`
    Rem,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
}

/// Units of INTERVAL, EXTRACT and TIMESTAMPDIFF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum IntervalUnit {
    Microsecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
    SecondMicrosecond,
    MinuteMicrosecond,
    MinuteSecond,
    HourMicrosecond,
    HourSecond,
    HourMinute,
    DayMicrosecond,
    DaySecond,
    DayMinute,
    DayHour,
    YearMonth,
}

impl IntervalUnit {
    /// Whether intervals of it are numbers, not texts of several.
    pub(crate) fn is_a_number(self) -> bool {
        use IntervalUnit as U;
        matches!(
            self,
            U::Microsecond
                | U::Second
                | U::Minute
                | U::Hour
                | U::Day
                | U::Week
                | U::Month
                | U::Quarter
                | U::Year
        )
    }
}

/// Visits the expressions right below one; `$iter` and `$given` are how they are lent.
macro_rules! children {
    ($expr:expr, $visit:expr, $iter:ident, $given:path) => {
        match $expr {
            Self::Compare(_, a, b) | Self::Arith(_, a, b, _) | Self::Xor(a, b) => {
                $visit(a);
                $visit(b);
            }
            Self::And(all) | Self::Or(all) | Self::Call(_, all) => all.$iter().for_each($visit),
            Self::Between(all) => all.$iter().for_each($visit),
            Self::Not(a)
            | Self::Neg(a)
            | Self::BitNot(a)
            | Self::IsNull(a)
            | Self::IsTruth(a, _)
            | Self::Cast(a, ..)
            | Self::Collate(a, _)
            | Self::OrZeroDate(a)
            | Self::AssignVariable(_, a)
            | Self::Interval(a, _) => $visit(a),
            Self::In(a, all) => {
                $visit(a);
                all.$iter().for_each($visit);
            }
            Self::Subquery(subquery, _) | Self::Exists(subquery) => {
                $given(subquery).$iter().for_each($visit);
            }
            Self::Quantified(_, left, subquery) => {
                left.$iter().chain($given(subquery).$iter()).for_each($visit);
            }
            Self::Like { text, pattern, .. } => {
                $visit(text);
                $visit(pattern);
            }
            Self::Case { operand, branches, otherwise } => {
                if let Some(operand) = operand {
                    $visit(operand);
                }
                for (when, then) in branches {
                    $visit(when);
                    $visit(then);
                }
                if let Some(otherwise) = otherwise {
                    $visit(otherwise);
                }
            }
            Self::Const(_)
            | Self::Param(_)
            | Self::Literal(_)
            | Self::RowLiteral(_)
            | Self::Column { .. }
            | Self::Candidate(_)
            | Self::Aggregate(_)
            | Self::Window(_)
            | Self::Outer(..)
            | Self::SystemVariable(..)
            | Self::UserVariable(..) => {}
        }
    };
}

impl Expr {
    /// Calls `visit` for this expression and everything in it.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        visit(self);
        self.children(&mut |child| child.walk(visit));
    }

    /// Whether it is a value that is there already: a column, a constant.
    pub(crate) fn is_at_hand(&self) -> bool {
        matches!(
            self,
            Self::Const(_)
                | Self::Param(_)
                | Self::Literal(_)
                | Self::RowLiteral(_)
                | Self::Column { .. }
                | Self::Candidate(_)
                | Self::Aggregate(_)
                | Self::Window(_)
                | Self::Outer(..)
        )
    }

    /// The highest source that is used, if any is.
    pub fn last_source(&self) -> Option<usize> {
        let mut last = None;
        self.walk(&mut |expr| {
            if let Self::Column { source, .. } = expr {
                last = last.max(Some(*source));
            }
        });
        last
    }

    /// Whether the value is the same for the whole statement: it depends on no row and changes nothing. A user variable is
    /// none, as in MySQL, where a text of one is not read as the date that it is compared with.
    pub fn is_constant(&self) -> bool {
        let mut constant = true;
        self.walk(&mut |expr| {
            constant &= !expr.varies() && !matches!(expr, Self::Outer(..) | Self::UserVariable(..));
        });
        constant
    }

    /// Whether the value is the same for all rows of the query: it is constant but for what the query is given, and for user
    /// variables that nothing assigns.
    pub fn is_known_beforehand(&self) -> bool {
        let mut known = true;
        self.walk(&mut |expr| known &= !expr.varies());
        known
    }

    /// Whether the value is known before a row of `source` is read: it depends on earlier sources at most.
    pub fn is_known_before(&self, source: usize) -> bool {
        let mut known = true;
        self.walk(&mut |part| {
            known &= match part {
                Self::Column { source: own, .. } => *own < source,
                part => !part.varies() && !part.subquery().is_some_and(SubqueryRef::is_asked_by_row),
            };
        });
        known
    }

    fn varies(&self) -> bool {
        match self {
            Self::Column { .. }
            | Self::Candidate(_)
            | Self::Aggregate(_)
            | Self::Window(_)
            | Self::AssignVariable(..) => true,
            Self::UserVariable(_, assigned) => *assigned,
            Self::Call(function, args) => !function.is_stable(args),
            Self::Subquery(subquery, _) | Self::Exists(subquery) | Self::Quantified(.., subquery) => {
                subquery.varies
            }
            _ => false,
        }
    }

    /// Whether the type is the same whatever the statement's values are.
    pub fn type_is_fixed(&self) -> bool {
        let varies = matches!(
            self,
            Self::Param(_)
                | Self::Literal(_)
                | Self::RowLiteral(_)
                | Self::Subquery(..)
                | Self::SystemVariable(..)
                | Self::UserVariable(..)
        );
        !varies && self.direct_children().into_iter().all(Self::type_is_fixed)
    }

    /// How many expressions it consists of, and how deep they lie in one another, where a column counts as `of_column` says.
    pub(crate) fn extent(&self, of_column: &impl Fn(usize, usize) -> Extent) -> Extent {
        if let Self::Column { source, column } = self {
            return of_column(*source, *column);
        }
        let mut extent = Extent::ONE;
        self.children(&mut |child| {
            let Extent { count, depth } = child.extent(of_column);
            extent = Extent { count: extent.count.saturating_add(count), depth: extent.depth.max(depth + 1) };
        });
        extent
    }

    /// The expressions right below this one.
    pub fn direct_children(&self) -> Vec<&Self> {
        let mut children = Vec::new();
        self.children(&mut |child| children.push(child));
        children
    }

    fn children<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        children!(self, visit, iter, SubqueryRef::given);
    }

    fn children_mut<'a>(&'a mut self, visit: &mut impl FnMut(&'a mut Self)) {
        children!(self, visit, iter_mut, SubqueryRef::given_mut);
    }

    /// The sources that are used: a bit each. For queries of at most 32.
    pub(crate) fn sources(&self) -> u32 {
        let mut sources = 0;
        self.walk(&mut |expr| {
            if let Self::Column { source, .. } = expr {
                sources |= 1 << source;
            }
        });
        sources
    }

    /// The sources get other numbers: their places in this list.
    pub(crate) fn renumber(&mut self, places: &[usize]) {
        if let Self::Column { source, .. } = self {
            *source = places[*source];
        }
        self.children_mut(&mut |child| child.renumber(places));
    }

    /// What two expressions have in common that are the same, whatever names and spaces they were written with.
    pub(crate) fn identity(&self) -> String {
        let mut copy = self.clone();
        copy.forget_texts();
        format!("{copy:?}")
    }

    fn forget_texts(&mut self) {
        if let Self::Arith(.., text) | Self::Cast(.., text) = self {
            *text = Box::default();
        }
        self.children_mut(&mut Self::forget_texts);
    }

    /// Parts become what `replace` says, the largest first.
    pub(crate) fn replace(&mut self, replace: &impl Fn(&Self) -> Option<Self>) {
        match replace(self) {
            Some(other) => *self = other,
            None => self.children_mut(&mut |child| child.replace(replace)),
        }
    }

    /// Columns become what `replace` says, and subqueries get other numbers: their places in this list.
    pub(crate) fn rewrite(&mut self, replace: &impl Fn(usize, usize) -> Self, subqueries: &[usize]) {
        match self {
            Self::Column { source, column } => *self = replace(*source, *column),
            other => {
                if let Self::Subquery(subquery, _) | Self::Exists(subquery) | Self::Quantified(.., subquery) =
                    other
                {
                    subquery.place = subqueries[subquery.place];
                }
                other.children_mut(&mut |child| child.rewrite(replace, subqueries));
            }
        }
    }

    /// The same of a copy.
    pub(crate) fn renumbered(&self, places: &[usize]) -> Self {
        let mut copy = self.clone();
        copy.renumber(places);
        copy
    }
}
