//! Where the frame of each row begins and ends.

use std::ops::Range;

use types::value::{Value, ValueRef};

use super::super::subquery::Known;
use super::super::{Exec, Result};
use super::BufferedRow;
use super::partition::Partition;
use crate::expr::SortKey;
use crate::plan::{Distance, Frame, FrameBound};

impl Exec<'_> {
    /// The frames of a partition's rows. None ends before it begins.
    pub(super) async fn frames(
        &mut self,
        partition: &Partition<'_>,
        rows: &[BufferedRow],
        known: Known<'_>,
    ) -> Result<Vec<Range<usize>>> {
        let count = partition.count();
        let Some(frame) = &partition.window.frame else {
            return Ok((0..count).map(|at| 0..partition.peers(at).end).collect());
        };
        let (start_size, end_size) =
            (self.row_count(&frame.start, known)?, self.row_count(&frame.end, known)?);
        let mut frames = Vec::with_capacity(count);
        for at in 0..count {
            let (start, end) = if frame.is_range {
                self.range(frame, partition, at, rows, known)?
            } else {
                (first_row(&frame.start, at, start_size), behind_last_row(&frame.end, at, end_size, count))
            };
            let end = end.min(count);
            frames.push(start.min(end)..end);
            self.tick().await;
        }
        Ok(frames)
    }

    /// So many rows a bound of ROWS is away.
    fn row_count(&mut self, bound: &FrameBound, known: Known<'_>) -> Result<usize> {
        let Some(Distance { size, limit: None }) = bound.distance() else { return Ok(0) };
        let inputs = self.inputs(&[], known);
        let size = size.eval(&inputs, &mut self.reading())?.into_value();
        Ok(match size {
            Value::Int(number) => usize::try_from(number).unwrap_or(usize::MAX),
            Value::UInt(number) => usize::try_from(number).unwrap_or(usize::MAX),
            _ => usize::MAX,
        })
    }

    /// The bounds of a frame of RANGE.
    fn range(
        &mut self,
        frame: &Frame,
        partition: &Partition<'_>,
        at: usize,
        rows: &[BufferedRow],
        known: Known<'_>,
    ) -> Result<(usize, usize)> {
        let peers = partition.peers(at);
        let start = match &frame.start {
            FrameBound::Unbounded => 0,
            FrameBound::CurrentRow => peers.start,
            bound => self
                .limit_of(bound, partition, &rows[partition.rows[at]], known)?
                .place(partition, false, &peers),
        };
        let end = match &frame.end {
            FrameBound::Unbounded => partition.count(),
            FrameBound::CurrentRow => peers.end,
            bound => self
                .limit_of(bound, partition, &rows[partition.rows[at]], known)?
                .place(partition, true, &peers),
        };
        Ok((start, end))
    }

    /// The value at the distance of a bound from a row.
    fn limit_of(
        &mut self,
        bound: &FrameBound,
        partition: &Partition<'_>,
        row: &BufferedRow,
        known: Known<'_>,
    ) -> Result<Limit> {
        let (Some(Distance { limit: Some(limit), .. }), [(order, descending)]) =
            (bound.distance(), &partition.window.order[..])
        else {
            unreachable!("a distance of RANGE is from the only part of ORDER BY");
        };
        let parts = row.parts();
        let inputs = self.inputs_of(row, &parts, known);
        let mut context = self.reading();
        if order.eval(&inputs, &mut context)?.as_ref().is_null() {
            return Ok(Limit::Peers);
        }
        let limit = limit.eval(&inputs, &mut context)?;
        if limit.as_ref().is_null() {
            return Ok(Limit::Beyond {
                follows: matches!(bound, FrameBound::Following(_)),
                descending: *descending,
            });
        }
        let mut key = SortKey::new();
        key.push_ordered(limit.as_ref(), *descending);
        Ok(Limit::Value(key))
    }
}

/// How far a frame of RANGE reaches.
enum Limit {
    /// To what is equal to NULL.
    Peers,
    /// To a value that there is not: to the end of all that are not NULL.
    Beyond { follows: bool, descending: bool },
    /// To this value.
    Value(SortKey),
}

impl Limit {
    /// The place in front of the first row within it, or behind the last one if it is the end.
    fn place(&self, partition: &Partition<'_>, is_end: bool, peers: &Range<usize>) -> usize {
        match self {
            Self::Peers => {
                if is_end {
                    peers.end
                } else {
                    peers.start
                }
            }
            Self::Value(key) => partition.count_before(key, is_end),
            Self::Beyond { follows, descending } => {
                let mut null = SortKey::new();
                null.push_ordered(ValueRef::Null, *descending);
                // NULL comes first, or last if the order descends.
                match (follows, descending) {
                    (false, false) => partition.count_before(&null, true),
                    (false, true) => 0,
                    (true, false) => partition.count(),
                    (true, true) => partition.count_before(&null, false),
                }
            }
        }
    }
}

fn first_row(bound: &FrameBound, at: usize, size: usize) -> usize {
    match bound {
        FrameBound::Unbounded => 0,
        FrameBound::CurrentRow => at,
        FrameBound::Preceding(_) => at.saturating_sub(size),
        FrameBound::Following(_) => at.saturating_add(size),
    }
}

fn behind_last_row(bound: &FrameBound, at: usize, size: usize, count: usize) -> usize {
    match bound {
        FrameBound::Unbounded => count,
        FrameBound::CurrentRow => at + 1,
        FrameBound::Preceding(_) => (at + 1).saturating_sub(size),
        FrameBound::Following(_) => (at + 1).saturating_add(size),
    }
}
