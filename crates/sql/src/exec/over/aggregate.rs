//! Aggregates over frames.
//!
//! From one row to the next the frame mostly grows at its end: rows are added to what was there, so that running totals cost one
//! step a row. If it also moves on at its beginning, rows are taken out again, as far as the aggregate can do that exactly
//! ([`Accumulator::remove`]): COUNT, SUM and AVG of exact numbers, BIT_XOR, and MIN and MAX while the best value stays. Else the
//! frame is added up anew, which is right for doubles (a sum that was added to and taken from keeps errors; MySQL adds it up anew,
//! too) and costs as many steps as it has rows.

use std::ops::Range;

use types::value::Value;

use super::super::memory::{Room, value_size};
use super::super::subquery::Known;
use super::super::{Exec, Result};
use super::partition::Partition;
use super::{BufferedRow, kept};
use crate::agg::Accumulator;
use crate::expr::Expr;
use crate::plan::Aggregate;

/// What is added up, and of which rows.
struct Running {
    accumulator: Accumulator,
    frame: Range<usize>,
    /// The bytes that it has taken.
    kept: usize,
}

impl Exec<'_> {
    /// The results of an aggregate for the rows of a partition.
    pub(super) async fn aggregate_over(
        &mut self,
        (place, aggregate): (usize, &Aggregate),
        partition: &Partition<'_>,
        frames: &[Range<usize>],
        rows: &mut [BufferedRow],
        known: Known<'_>,
        memory: &mut Room,
    ) -> Result<()> {
        let ty = crate::agg::result_type(aggregate, &self.inputs(&[], known).types())?;
        let mut running = self.nothing(aggregate, 0, known)?;
        let mut result = None;
        for (at, frame) in frames.iter().enumerate() {
            if running.frame != *frame || result.is_none() {
                self.move_to(frame, &mut running, aggregate, partition, rows, known, memory).await?;
                let inputs = self.inputs(&[], known);
                let value = running.accumulator.value(aggregate, &inputs, &mut self.reading())?;
                result = Some(match value {
                    // Averages have more digits than they show, which are lost here as in MySQL.
                    Value::Decimal(number) if number.scale() > ty.decimals => {
                        Value::Decimal(number.round(i32::from(ty.decimals)).unwrap_or(number))
                    }
                    value => kept(value),
                });
            }
            let result = result.clone().unwrap_or_default();
            memory.take(value_size(&result) - size_of::<Value>())?;
            rows[partition.rows[at]].results[place] = result;
            self.tick().await;
        }
        memory.give_back(running.kept);
        Ok(())
    }

    fn nothing(&self, aggregate: &Aggregate, at: usize, known: Known<'_>) -> Result<Running> {
        let accumulator = Accumulator::new(aggregate, &self.inputs(&[], known).types())?;
        Ok(Running { accumulator, frame: at..at, kept: 0 })
    }

    /// Makes it the sum of another frame.
    #[expect(
        clippy::too_many_arguments,
        reason = "what a partition consists of, and what is known beside it"
    )]
    async fn move_to(
        &mut self,
        frame: &Range<usize>,
        running: &mut Running,
        aggregate: &Aggregate,
        partition: &Partition<'_>,
        rows: &[BufferedRow],
        known: Known<'_>,
        memory: &mut Room,
    ) -> Result<()> {
        let had = running.frame.clone();
        let moves_on = had.start <= frame.start && frame.start < had.end && had.end <= frame.end;
        let gone = frame.start.saturating_sub(had.start);
        let mut kept = moves_on && gone <= frame.len() && (gone == 0 || is_stable(aggregate));
        for at in had.start..frame.start {
            if !kept {
                break;
            }
            let row = &rows[partition.rows[at]];
            let parts = row.parts();
            let inputs = self.inputs_of(row, &parts, known);
            kept = running.accumulator.remove(aggregate, &inputs, &mut self.reading())?;
            self.tick().await;
        }
        if !kept {
            memory.give_back(running.kept);
            *running = self.nothing(aggregate, frame.start, known)?;
        }
        let next = running.frame.end.max(frame.start);
        for at in next..frame.end {
            let row = &rows[partition.rows[at]];
            let parts = row.parts();
            let inputs = self.inputs_of(row, &parts, known);
            let bytes = running.accumulator.add(aggregate, &inputs, &mut self.reading())?;
            memory.take(bytes)?;
            running.kept += bytes;
            self.tick().await;
        }
        running.frame = frame.clone();
        Ok(())
    }
}

/// Whether a row's arguments are the same each time they are looked at: else none can be taken out again.
fn is_stable(aggregate: &Aggregate) -> bool {
    let mut stable = true;
    for arg in &aggregate.args {
        arg.walk(&mut |part| {
            stable &= match part {
                Expr::Call(function, args) => function.is_stable(args),
                Expr::AssignVariable(..) | Expr::UserVariable(_, true) => false,
                _ => true,
            };
        });
    }
    stable
}
