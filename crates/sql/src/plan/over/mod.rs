//! Window functions that a plan computes, and the windows that they look through: OVER.
//!
//! Not [`SelectPlan::limit`](super::SelectPlan::limit), which is a window of another kind.

pub(crate) mod error;

use types::column::IntSize;
use types::error::SqlError;
use types::error::table::ER_WRONG_ARGUMENTS;
use types::value::ValueRef;

use crate::agg;
use crate::expr::{Expr, ResultType, Types, common_type};
use crate::plan::Aggregate;

/// The width of a BIGINT UNSIGNED.
const NUMBER_WIDTH: u32 = 21;

/// The window functions of a SELECT.
#[derive(Debug, Default)]
pub struct Over {
    /// Those that are there: [`Expr::Window`] is one of them by its place.
    pub functions: Vec<WindowFunction>,
    /// What they look through.
    pub windows: Vec<Window>,
    /// How rows are sorted for them, one after another.
    pub sorts: Vec<WindowSort>,
}

/// One window function.
#[derive(Debug)]
pub struct WindowFunction {
    /// Which.
    pub kind: WindowKind,
    /// Its window's place.
    pub window: usize,
}

/// The window functions.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum WindowKind {
    RowNumber,
    Rank,
    DenseRank,
    PercentRank,
    CumeDist,
    /// Of so many buckets.
    Ntile(Expr),
    /// LAG and LEAD.
    Shifted(Box<Shifted>),
    FirstValue(Expr),
    LastValue(Expr),
    /// The value, and of which row.
    NthValue(Box<(Expr, Expr)>),
    Aggregate(Box<Aggregate>),
}

/// LAG and LEAD.
#[derive(Debug)]
pub struct Shifted {
    /// Of the other row.
    pub value: Expr,
    /// How far away it is; `None` = 1.
    pub distance: Option<Expr>,
    /// What there is without such a row; `None` = NULL.
    pub otherwise: Option<Expr>,
    /// LEAD.
    pub is_lead: bool,
}

/// A window.
#[derive(Debug)]
pub struct Window {
    /// Its name, as errors show it.
    pub name: String,
    /// PARTITION BY.
    pub partition: Vec<Expr>,
    /// ORDER BY, and whether it descends.
    pub order: Vec<(Expr, bool)>,
    /// The rows that a function looks at, if they are said. Else those up to the last one that is equal by ORDER BY, which is
    /// the last one of all without ORDER BY.
    pub frame: Option<Frame>,
}

/// Rows around the current one.
#[derive(Clone, Debug)]
pub struct Frame {
    /// RANGE, not ROWS: rows that are equal by ORDER BY go together.
    pub is_range: bool,
    /// The first row.
    pub start: FrameBound,
    /// The last row.
    pub end: FrameBound,
}

/// Where a frame begins or ends.
#[derive(Clone, Debug)]
pub enum FrameBound {
    /// UNBOUNDED.
    Unbounded,
    /// CURRENT ROW.
    CurrentRow,
    /// n PRECEDING.
    Preceding(Distance),
    /// n FOLLOWING.
    Following(Distance),
}

/// How far a frame reaches.
#[derive(Clone, Debug)]
pub struct Distance {
    /// So many rows, or what is added to ORDER BY's value or subtracted from it.
    pub size: Expr,
    /// Of RANGE: ORDER BY's value at that distance.
    pub limit: Option<Expr>,
}

/// How rows are sorted for some windows.
#[derive(Debug)]
pub struct WindowSort {
    /// By what, and whether it descends; empty = the order in which the rows are.
    pub by: Vec<(Expr, bool)>,
    /// The windows that it serves: what they partition and order by is how the list begins.
    pub windows: Vec<usize>,
}

impl Over {
    /// Decides how rows are sorted. A window whose list is the beginning of that of one before it has its rows in that one's
    /// order, as in MySQL.
    pub(crate) fn with_sorts(mut self) -> Self {
        for (place, window) in self.windows.iter().enumerate() {
            if !self.is_used(place) {
                continue;
            }
            let by = window.sorted_by();
            let texts = |list: &[(Expr, bool)]| list.iter().map(|by| format!("{by:?}")).collect::<Vec<_>>();
            let own = texts(&by);
            let served = self.sorts.iter_mut().find(|sort| {
                let other = texts(&sort.by);
                other.starts_with(&own) && own.is_empty() == other.is_empty()
            });
            match served {
                Some(sort) => sort.windows.push(place),
                None => self.sorts.push(WindowSort { by, windows: vec![place] }),
            }
        }
        self
    }

    /// Whether a function looks through a window.
    pub(crate) fn is_used(&self, window: usize) -> bool {
        self.functions.iter().any(|function| function.window == window)
    }

    /// All that is evaluated for a row.
    pub(crate) fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let windows = self.windows.iter().flat_map(Window::exprs);
        windows.chain(self.functions.iter().flat_map(|function| function.kind.exprs()))
    }

    /// The same, before it is decided how rows are sorted.
    pub(crate) fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let windows = self.windows.iter_mut().flat_map(Window::exprs_mut);
        windows.chain(self.functions.iter_mut().flat_map(|function| function.kind.exprs_mut()))
    }
}

impl WindowKind {
    /// The function of that name with these arguments, if they are as many as it takes; no aggregate.
    pub(crate) fn by_name(name: &str, args: Vec<Expr>) -> Option<Self> {
        let mut args = args.into_iter();
        let kind = match &*name.to_ascii_lowercase() {
            "row_number" => Self::RowNumber,
            "rank" => Self::Rank,
            "dense_rank" => Self::DenseRank,
            "percent_rank" => Self::PercentRank,
            "cume_dist" => Self::CumeDist,
            "ntile" => Self::Ntile(args.next()?),
            lower @ ("lag" | "lead") => {
                let (value, distance, otherwise) = (args.next()?, args.next(), args.next());
                Self::Shifted(Box::new(Shifted { value, distance, otherwise, is_lead: lower == "lead" }))
            }
            "first_value" => Self::FirstValue(args.next()?),
            "last_value" => Self::LastValue(args.next()?),
            "nth_value" => Self::NthValue(Box::new((args.next()?, args.next()?))),
            _ => return None,
        };
        args.next().is_none().then_some(kind)
    }

    /// The number of rows or buckets that it is given, and its name, as errors show it.
    pub(crate) fn count(&self) -> Option<(&Expr, &'static str)> {
        match self {
            Self::Ntile(count) => Some((count, "ntile")),
            Self::NthValue(args) => Some((&args.1, "nth_value")),
            Self::Shifted(shifted) => {
                Some((shifted.distance.as_ref()?, if shifted.is_lead { "lead" } else { "lag" }))
            }
            _ => None,
        }
    }

    /// The number that a value of [`Self::count`] is. `None` if it is NULL and the result is, too. Error 1210.
    pub(crate) fn number(&self, value: ValueRef<'_>) -> Result<Option<u64>, SqlError> {
        let number = match value {
            ValueRef::Null if matches!(self, Self::NthValue(_)) => return Ok(None),
            ValueRef::Int(number) => u64::try_from(number).ok(),
            ValueRef::UInt(number) => Some(number),
            _ => None,
        };
        let least = u64::from(!matches!(self, Self::Shifted(_)));
        if number.is_some_and(|number| (least..=i64::MAX.unsigned_abs()).contains(&number)) {
            return Ok(number);
        }
        let name = self.count().map_or("", |(_, name)| name);
        Err(ER_WRONG_ARGUMENTS.error(&[&name]))
    }

    /// Whether the frame matters to it.
    pub(crate) fn has_frame(&self) -> bool {
        matches!(self, Self::FirstValue(_) | Self::LastValue(_) | Self::NthValue(_) | Self::Aggregate(_))
    }

    /// What is evaluated for a row.
    pub(crate) fn exprs(&self) -> Vec<&Expr> {
        match self {
            Self::Shifted(shifted) => std::iter::once(&shifted.value).chain(&shifted.otherwise).collect(),
            Self::FirstValue(value) | Self::LastValue(value) => vec![value],
            Self::NthValue(args) => vec![&args.0],
            Self::Aggregate(aggregate) => aggregate.exprs().collect(),
            _ => Vec::new(),
        }
    }

    fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Self::Shifted(shifted) => {
                std::iter::once(&mut shifted.value).chain(&mut shifted.otherwise).collect()
            }
            Self::FirstValue(value) | Self::LastValue(value) => vec![value],
            Self::NthValue(args) => vec![&mut args.0],
            Self::Aggregate(aggregate) => aggregate.exprs_mut().collect(),
            _ => Vec::new(),
        }
    }

    /// The type of its result.
    pub(crate) fn result_type(&self, types: &Types<'_>) -> Result<ResultType, SqlError> {
        match self {
            Self::RowNumber | Self::Rank | Self::DenseRank | Self::Ntile(_) => {
                Ok(ResultType::int(IntSize::Big, NUMBER_WIDTH).unsigned())
            }
            Self::PercentRank | Self::CumeDist => Ok(ResultType::double()),
            Self::Shifted(shifted) => shifted.result_type(types),
            Self::FirstValue(value) | Self::LastValue(value) => Ok(of_a_row(value.result_type(types)?)),
            Self::NthValue(args) => Ok(of_a_row(args.0.result_type(types)?)),
            Self::Aggregate(aggregate) => Ok(agg::result_type(aggregate, types)?.kept()),
        }
    }
}

impl Shifted {
    pub(crate) fn result_type(&self, types: &Types<'_>) -> Result<ResultType, SqlError> {
        let value = self.value.result_type(types)?;
        let Some(otherwise) = &self.otherwise else { return Ok(of_a_row(value)) };
        let name = if self.is_lead { "lead" } else { "lag" };
        Ok(common_type([value, otherwise.result_type(types)?].into_iter(), name, types)?.kept())
    }
}

/// The type of another row's value, which may not be there.
fn of_a_row(value: ResultType) -> ResultType {
    value.kept().or_null()
}

impl Window {
    /// PARTITION BY, then ORDER BY.
    fn sorted_by(&self) -> Vec<(Expr, bool)> {
        self.partition.iter().map(|by| (by.clone(), false)).chain(self.order.iter().cloned()).collect()
    }

    /// Error 3586 for a frame whose bounds are constants and none.
    pub(crate) fn check_constants(&self) -> Result<(), SqlError> {
        for (distance, is_range) in self.distances() {
            if let Expr::Const(size) = &distance.size {
                self.check(size.as_ref(), is_range)?;
            }
        }
        Ok(())
    }

    /// Error 3586 unless the size of a distance is one: a number that is not negative, for ROWS a whole one. Of an INTERVAL a text
    /// is looked at for its sign.
    pub(crate) fn check(&self, size: ValueRef<'_>, is_range: bool) -> Result<(), SqlError> {
        let is_size = match size {
            ValueRef::Int(number) => number >= 0,
            ValueRef::UInt(_) => true,
            ValueRef::Decimal(number) => is_range && !number.is_negative(),
            ValueRef::Float(number) => is_range && number >= 0.0,
            ValueRef::Double(number) => is_range && number >= 0.0,
            ValueRef::Str(text, _) => is_range && !text.trim_ascii_start().starts_with(b"-"),
            _ => false,
        };
        if is_size { Ok(()) } else { Err(error::FRAME_ILLEGAL.error(&[&self.name])) }
    }

    /// The distances of its frame, and whether they are RANGE's.
    pub(crate) fn distances(&self) -> impl Iterator<Item = (&Distance, bool)> {
        let bounds = self.frame.iter().flat_map(|frame| [(&frame.start, frame), (&frame.end, frame)]);
        bounds.filter_map(|(bound, frame)| Some((bound.distance()?, frame.is_range)))
    }

    fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let limits = self.distances().filter_map(|(distance, _)| distance.limit.as_ref());
        self.partition.iter().chain(self.order.iter().map(|(by, _)| by)).chain(limits)
    }

    fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let bounds = self.frame.iter_mut().flat_map(|frame| [&mut frame.start, &mut frame.end]);
        let limits = bounds.filter_map(FrameBound::limit_mut);
        self.partition.iter_mut().chain(self.order.iter_mut().map(|(by, _)| by)).chain(limits)
    }
}

impl FrameBound {
    pub(crate) fn distance(&self) -> Option<&Distance> {
        match self {
            Self::Preceding(distance) | Self::Following(distance) => Some(distance),
            Self::Unbounded | Self::CurrentRow => None,
        }
    }

    fn limit_mut(&mut self) -> Option<&mut Expr> {
        match self {
            Self::Preceding(distance) | Self::Following(distance) => distance.limit.as_mut(),
            Self::Unbounded | Self::CurrentRow => None,
        }
    }
}
