//! Aggregates: what a group's rows add up to.
//!
//! An [`Accumulator`] belongs to one aggregate of one group. Rows are added, then the result is taken. Nothing is
//! allocated per row by COUNT, by SUM and AVG of numbers, by MIN and MAX of what is no text, and by what bits and
//! deviations need; DISTINCT keeps a key per value, GROUP_CONCAT the text, and
//! what makes a JSON document all of its values.
//!
//! What a result's type is, is found beside it ([`result_type`]).

mod bits;
mod concat;
mod deviation;
mod distinct;
mod extreme;
mod json;
mod sum;
mod typing;

use types::context::Context;
use types::error::SqlError;
use types::value::Value;

use crate::exec::value_size;
use crate::expr::{Ev, Inputs, Types, operand};
use crate::plan::{Aggregate, AggregateKind};

use bits::Bits;
use concat::Concat;
use deviation::Deviation;
use distinct::Distinct;
use extreme::Extreme;
use json::Document;
use sum::Sum;
pub use typing::result_type;

type Result<T> = std::result::Result<T, SqlError>;

/// One aggregate of one group.
#[derive(Clone, Debug)]
pub struct Accumulator {
    state: State,
    /// The values that were added, if they count only once.
    distinct: Option<Distinct>,
}

#[derive(Clone, Debug)]
enum State {
    Count(u64),
    Sum(Sum),
    Avg(Sum),
    Extreme(Extreme),
    Concat(Box<Concat>),
    Bits(Bits),
    Deviation(Deviation),
    AnyValue(Option<Value>),
    Document(Document),
}

impl Accumulator {
    /// An empty group. Error if the aggregate's collations do not go together.
    pub fn new(aggregate: &Aggregate, types: &Types<'_>) -> Result<Self> {
        let state = match aggregate.kind {
            AggregateKind::Count => State::Count(0),
            AggregateKind::Sum => State::Sum(Sum::default()),
            AggregateKind::Avg => State::Avg(Sum::default()),
            AggregateKind::Min | AggregateKind::Max => {
                State::Extreme(Extreme::new(aggregate.kind == AggregateKind::Max))
            }
            AggregateKind::GroupConcat => State::Concat(Box::new(Concat::new(aggregate, types)?)),
            AggregateKind::BitAnd | AggregateKind::BitOr | AggregateKind::BitXor => {
                State::Bits(Bits::new(aggregate, types)?)
            }
            AggregateKind::StdDevPop
            | AggregateKind::StdDevSamp
            | AggregateKind::VarPop
            | AggregateKind::VarSamp => State::Deviation(Deviation::default()),
            AggregateKind::AnyValue | AggregateKind::Grouped => State::AnyValue(None),
            AggregateKind::Grouping => State::AnyValue(Some(Value::Int(0))),
            AggregateKind::JsonArrayAgg | AggregateKind::JsonObjectAgg => {
                State::Document(Document::default())
            }
        };
        // Of the extremes, and of bits joined by AND and OR, repetition changes nothing; GROUP_CONCAT does it itself.
        let counts_once = aggregate.distinct
            && matches!(
                aggregate.kind,
                AggregateKind::Count | AggregateKind::Sum | AggregateKind::Avg | AggregateKind::BitXor
            );
        Ok(Self { state, distinct: counts_once.then(Distinct::default) })
    }

    /// Adds a row; returns by how many bytes what is kept has grown.
    pub fn add(
        &mut self,
        aggregate: &Aggregate,
        inputs: &Inputs<'_>,
        context: &mut Context<'_>,
    ) -> Result<usize> {
        if let State::Concat(concat) = &mut self.state {
            return concat.add(aggregate, inputs, context);
        }
        if let State::Count(count) = &mut self.state {
            return count_row(count, self.distinct.as_mut(), aggregate, inputs, context);
        }
        if let State::Document(document) = &mut self.state {
            return document.add(aggregate, inputs, context);
        }
        let Some(arg) = aggregate.args.first() else { return Ok(0) };
        let value = operand(arg, inputs, context)?;
        if value.as_ref().is_null() {
            return Ok(0);
        }
        let mut kept = 0;
        if let Some(distinct) = &mut self.distinct {
            let Some(bytes) = distinct.insert(std::iter::once(value.as_ref())) else { return Ok(0) };
            kept = bytes;
        }
        match &mut self.state {
            State::Sum(sum) | State::Avg(sum) => sum.add(arg, value.as_ref(), context)?,
            State::Extreme(extreme) => kept += extreme.add(value, context)?,
            State::Bits(bits) => bits.add(arg, value.as_ref(), context)?,
            State::Deviation(deviation) => deviation.add(arg, value.as_ref(), context)?,
            State::AnyValue(any) if any.is_none() => kept += value_size(any.insert(value.into_value())),
            State::AnyValue(_) | State::Count(_) | State::Concat(_) | State::Document(_) => {}
        }
        Ok(kept)
    }

    /// Takes out a row that was added. False if that cannot be done exactly: then nothing is as it was.
    pub fn remove(
        &mut self,
        aggregate: &Aggregate,
        inputs: &Inputs<'_>,
        context: &mut Context<'_>,
    ) -> Result<bool> {
        if let State::Count(count) = &mut self.state {
            let mut counted = 0;
            count_row(&mut counted, None, aggregate, inputs, context)?;
            *count -= counted;
            return Ok(true);
        }
        let Some(arg) = aggregate.args.first() else { return Ok(true) };
        let value = operand(arg, inputs, context)?;
        if value.as_ref().is_null() {
            return Ok(!matches!(self.state, State::Document(_)));
        }
        match &mut self.state {
            State::Sum(sum) | State::Avg(sum) => sum.remove(arg, value.as_ref(), context),
            State::Extreme(extreme) => extreme.stays_without(value.as_ref(), context),
            State::Bits(bits) => bits.remove(arg, value.as_ref(), context),
            _ => Ok(false),
        }
    }

    /// The result so far.
    pub fn value(
        &self,
        aggregate: &Aggregate,
        inputs: &Inputs<'_>,
        context: &mut Context<'_>,
    ) -> Result<Value> {
        self.clone().finish(aggregate, inputs, context)
    }

    /// Whether it is MIN or MAX and has a value.
    pub fn has_extreme(&self) -> bool {
        matches!(&self.state, State::Extreme(extreme) if extreme.has_value())
    }

    /// The result.
    pub fn finish(
        self,
        aggregate: &Aggregate,
        inputs: &Inputs<'_>,
        context: &mut Context<'_>,
    ) -> Result<Value> {
        Ok(match self.state {
            State::Count(count) => Value::Int(i64::try_from(count).unwrap_or(i64::MAX)),
            State::Sum(sum) => sum.total(),
            State::Avg(sum) => sum.average(),
            State::Extreme(extreme) => extreme.finish(),
            State::Concat(concat) => concat.finish(inputs, context)?,
            State::Bits(bits) => bits.finish(),
            State::Deviation(deviation) => deviation.finish(aggregate.kind)?,
            State::AnyValue(any) => any.unwrap_or_default(),
            State::Document(document) => document.finish(aggregate.kind)?,
        })
    }
}

/// COUNT(*) counts rows; COUNT of expressions those in which none is NULL.
fn count_row(
    count: &mut u64,
    distinct: Option<&mut Distinct>,
    aggregate: &Aggregate,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<usize> {
    let Some(distinct) = distinct else {
        for arg in &aggregate.args {
            if arg.eval(inputs, context)?.as_ref().is_null() {
                return Ok(0);
            }
        }
        *count += 1;
        return Ok(0);
    };
    let mut values: smallvec::SmallVec<[Ev<'_>; 2]> = smallvec::SmallVec::new();
    for arg in &aggregate.args {
        let value = arg.eval(inputs, context)?;
        if value.as_ref().is_null() {
            return Ok(0);
        }
        values.push(value);
    }
    let kept = distinct.insert(values.iter().map(Ev::as_ref));
    *count += u64::from(kept.is_some());
    Ok(kept.unwrap_or(0))
}
