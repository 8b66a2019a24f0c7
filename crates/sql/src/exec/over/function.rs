//! Window functions that are no aggregates.

use std::ops::Range;

use types::value::Value;

use super::super::memory::{Room, value_size};
use super::super::subquery::Known;
use super::super::{Exec, Result};
use super::partition::Partition;
use super::{BufferedRow, kept};
use crate::expr::{Expr, in_type_and_scale, operand};
use crate::plan::{Shifted, WindowKind};

/// A function: its place, what it is, and the number that it is given.
pub(super) type Asked<'p> = (usize, &'p WindowKind, Option<u64>);

impl Exec<'_> {
    /// The results of a function for the rows of a partition.
    pub(super) async fn function(
        &mut self,
        (place, kind, number): Asked<'_>,
        partition: &Partition<'_>,
        frames: &[Range<usize>],
        rows: &mut [BufferedRow],
        known: Known<'_>,
        memory: &mut Room,
    ) -> Result<()> {
        if let WindowKind::Aggregate(aggregate) = kind {
            return self.aggregate_over((place, aggregate), partition, frames, rows, known, memory).await;
        }
        for at in 0..partition.count() {
            let result = match ranked(kind, number, at, partition) {
                Some(result) => result,
                None => self.of_row(kind, number, (at, frames), partition, rows, known)?,
            };
            memory.take(value_size(&result) - size_of::<Value>())?;
            rows[partition.rows[at]].results[place] = result;
            self.tick().await;
        }
        Ok(())
    }

    /// The value that LAG, LEAD, FIRST_VALUE, LAST_VALUE or NTH_VALUE has in another row.
    fn of_row(
        &mut self,
        kind: &WindowKind,
        number: Option<u64>,
        (at, frames): (usize, &[Range<usize>]),
        partition: &Partition<'_>,
        rows: &[BufferedRow],
        known: Known<'_>,
    ) -> Result<Value> {
        let within = |frame: &Range<usize>, place: usize| Some(place).filter(|place| frame.contains(place));
        let number = number.map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        let (value, found) = match kind {
            WindowKind::Shifted(shifted) => {
                let distance = number.unwrap_or(1);
                let found = if shifted.is_lead { at.checked_add(distance) } else { at.checked_sub(distance) };
                let found = found.filter(|found| *found < partition.count());
                return self.shifted(shifted, at, found, partition, rows, known);
            }
            WindowKind::FirstValue(value) => (value, within(&frames[at], frames[at].start)),
            WindowKind::LastValue(value) => (value, within(&frames[at], frames[at].end.wrapping_sub(1))),
            WindowKind::NthValue(args) => {
                let place = number.and_then(|number| frames[at].start.checked_add(number - 1));
                (&args.0, place.and_then(|place| within(&frames[at], place)))
            }
            _ => unreachable!("an aggregate, or known from the order alone"),
        };
        match found {
            Some(found) => self.value_in(value, &rows[partition.rows[found]], known),
            None => Ok(Value::Null),
        }
    }

    /// LAG and LEAD: both values have the type that they have in common.
    fn shifted(
        &mut self,
        shifted: &Shifted,
        at: usize,
        found: Option<usize>,
        partition: &Partition<'_>,
        rows: &[BufferedRow],
        known: Known<'_>,
    ) -> Result<Value> {
        let value = match (found, &shifted.otherwise) {
            (Some(found), _) => self.value_in(&shifted.value, &rows[partition.rows[found]], known)?,
            (None, Some(otherwise)) => self.value_in(otherwise, &rows[partition.rows[at]], known)?,
            (None, None) => Value::Null,
        };
        if value.is_null() || shifted.otherwise.is_none() {
            return Ok(value);
        }
        let ty = shifted.result_type(&self.inputs(&[], known).types())?;
        Ok(in_type_and_scale(value.into(), &ty, &self.reading()).into_value())
    }

    fn value_in(&mut self, value: &Expr, row: &BufferedRow, known: Known<'_>) -> Result<Value> {
        let parts = row.parts();
        let inputs = self.inputs_of(row, &parts, known);
        Ok(kept(operand(value, &inputs, &mut self.reading())?.into_value()))
    }
}

/// What follows from a row's place among the others alone.
fn ranked(kind: &WindowKind, number: Option<u64>, at: usize, partition: &Partition<'_>) -> Option<Value> {
    let unsigned = |number: usize| Value::UInt(number as u64);
    let count = partition.count();
    let share = |part: usize, whole: usize| Value::Double(part as f64 / whole as f64);
    Some(match kind {
        WindowKind::RowNumber => unsigned(at + 1),
        WindowKind::Rank => unsigned(partition.peers(at).start + 1),
        WindowKind::DenseRank => unsigned(partition.groups_before(at) + 1),
        WindowKind::PercentRank => share(partition.peers(at).start, count.saturating_sub(1).max(1)),
        WindowKind::CumeDist => share(partition.peers(at).end, count),
        WindowKind::Ntile(_) => unsigned(bucket(at, count, number.unwrap_or(1)) + 1),
        _ => return None,
    })
}

/// The bucket of a row: the first ones have one row more than the others, if they cannot all have as many.
fn bucket(at: usize, count: usize, buckets: u64) -> usize {
    let buckets = usize::try_from(buckets).unwrap_or(usize::MAX);
    let (size, larger) = (count / buckets, count % buckets);
    let in_larger = larger * (size + 1);
    if at < in_larger { at / (size + 1) } else { larger + (at - in_larger) / size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_buckets_are_the_larger_ones() {
        let buckets = |count, number| (0..count).map(|at| bucket(at, count, number)).collect::<Vec<_>>();
        assert_eq!(buckets(7, 3), [0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(buckets(3, 3), [0, 1, 2]);
        assert_eq!(buckets(2, u64::MAX), [0, 1]);
    }
}
