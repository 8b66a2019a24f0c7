//! The order of rows for windows, and the partitions that it shows.

use std::ops::Range;

use super::super::memory::Room;
use super::super::subquery::Known;
use super::super::{Exec, Result};
use super::BufferedRow;
use crate::expr::SortKey;
use crate::plan::{Window, WindowSort};

/// The bytes that a key takes beside its own.
const KEY_OVERHEAD: usize = size_of::<Key>();

/// The keys of sorted rows, by their places in the order.
pub(super) struct Keys(Vec<Key>);

/// What a row is sorted by.
struct Key {
    key: SortKey,
    /// Where each value ends.
    ends: Vec<u32>,
}

impl Key {
    /// The bytes of these values.
    fn part(&self, values: Range<usize>) -> &[u8] {
        let end = |count: usize| count.checked_sub(1).map_or(0, |last| self.ends[last] as usize);
        &self.key.as_bytes()[end(values.start)..end(values.end)]
    }

    fn size(&self) -> usize {
        KEY_OVERHEAD + self.key.as_bytes().len() + self.ends.len() * size_of::<u32>()
    }
}

impl Keys {
    pub(super) fn size(&self) -> usize {
        self.0.iter().map(Key::size).sum()
    }

    /// The partitions of a window.
    pub(super) fn partitions(&self, window: &Window) -> impl Iterator<Item = Range<usize>> {
        let values = 0..window.partition.len();
        runs(0..self.0.len(), move |a, b| self.0[a].part(values.clone()) == self.0[b].part(values.clone()))
    }
}

/// The longest ranges whose neighbours are equal.
fn runs(all: Range<usize>, equal: impl Fn(usize, usize) -> bool) -> impl Iterator<Item = Range<usize>> {
    let mut start = all.start;
    std::iter::from_fn(move || {
        if start == all.end {
            return None;
        }
        let end = (start + 1..all.end).find(|next| !equal(*next - 1, *next)).unwrap_or(all.end);
        Some(std::mem::replace(&mut start, end)..end)
    })
}

/// Rows of one partition in their order. Places are counted from its first row.
pub(super) struct Partition<'s> {
    /// The rows' places in the buffer.
    pub(super) rows: &'s [usize],
    pub(super) window: &'s Window,
    keys: &'s [Key],
    /// For each row, which of `groups` it belongs to.
    group_of: Vec<usize>,
    /// Rows that ORDER BY holds for equal, one group after another.
    groups: Vec<Range<usize>>,
}

impl<'s> Partition<'s> {
    pub(super) fn new(order: &'s [usize], range: Range<usize>, keys: &'s Keys, window: &'s Window) -> Self {
        let (rows, keys) = (&order[range.clone()], &keys.0[range]);
        let ordered = window.partition.len()..window.partition.len() + window.order.len();
        let equal = |a: usize, b: usize| keys[a].part(ordered.clone()) == keys[b].part(ordered.clone());
        let groups: Vec<Range<usize>> = runs(0..rows.len(), equal).collect();
        let group_of = groups.iter().enumerate().flat_map(|(place, group)| group.clone().map(move |_| place));
        Self { rows, window, keys, group_of: group_of.collect(), groups }
    }

    pub(super) fn size(&self) -> usize {
        size_of_val(&*self.group_of) + size_of_val(&*self.groups)
    }

    pub(super) fn count(&self) -> usize {
        self.rows.len()
    }

    /// The rows that are equal to one by ORDER BY, itself included.
    pub(super) fn peers(&self, at: usize) -> Range<usize> {
        self.groups[self.group_of[at]].clone()
    }

    /// How many groups of equal rows come before that of a row.
    pub(super) fn groups_before(&self, at: usize) -> usize {
        self.group_of[at]
    }

    /// How many rows come before a value of the only part of ORDER BY, or before what is greater if `with_equal`.
    pub(super) fn count_before(&self, value: &SortKey, with_equal: bool) -> usize {
        let place = self.window.partition.len();
        self.keys.partition_point(|key| {
            let own = key.part(place..place + 1);
            own < value.as_bytes() || with_equal && own == value.as_bytes()
        })
    }
}

impl Exec<'_> {
    /// Brings the rows into the order for some windows: those that are equal stay as they are.
    pub(super) async fn sort(
        &mut self,
        sort: &WindowSort,
        rows: &[BufferedRow],
        order: &mut [usize],
        known: Known<'_>,
        memory: &mut Room,
    ) -> Result<Keys> {
        let mut keys = Vec::with_capacity(order.len());
        for at in order.iter() {
            let parts = rows[*at].parts();
            let inputs = self.inputs_of(&rows[*at], &parts, known);
            let mut key = Key { key: SortKey::new(), ends: Vec::with_capacity(sort.by.len()) };
            {
                let mut context = self.reading();
                for (by, descending) in &sort.by {
                    key.key.push_ordered(by.eval(&inputs, &mut context)?.as_ref(), *descending);
                    let end = u32::try_from(key.key.as_bytes().len());
                    key.ends.push(end.expect("a key is shorter than the memory of a sort"));
                }
            }
            memory.take(key.size())?;
            keys.push((key, *at));
            self.tick().await;
        }
        keys.sort_by(|(a, _), (b, _)| a.key.cmp(&b.key));
        for (place, (_, at)) in order.iter_mut().zip(&keys) {
            *place = *at;
        }
        Ok(Keys(keys.into_iter().map(|(key, _)| key).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_of_equal_neighbours() {
        let values = [1, 1, 2, 3, 3, 3, 1];
        let found: Vec<Range<usize>> = runs(0..7, |a, b| values[a] == values[b]).collect();
        assert_eq!(found, [0..2, 2..3, 3..6, 6..7]);
        assert_eq!(runs(0..0, |_, _| true).count(), 0);
    }
}
