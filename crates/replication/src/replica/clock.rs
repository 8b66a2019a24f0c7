//! Which groups may run at the same time: the logical clock of a source's binlog.
//!
//! Each group has a number in its file (`sequence_number`) and names the newest one that it must wait for
//! (`last_committed`). Groups are committed here in the order in which the source committed them, their *turns*; so the
//! groups that a group waits for are all those up to some turn, and what is known of progress is one number.

use std::collections::VecDeque;

/// See the module.
#[derive(Debug, Default)]
pub struct LogicalClock {
    /// Numbers and turns of groups in the current file, ascending; those that are committed may be missing.
    open: VecDeque<(u64, u64)>,
    turn: u64,
}

impl LogicalClock {
    /// The source goes on in a new file: numbers begin anew, and whatever comes waits for everything before.
    pub fn next_file(&mut self) {
        self.open.clear();
        self.open.push_back((0, self.turn));
    }

    /// The turn of the next group, and the turn that has to be committed before it may begin. `committed` is the last
    /// turn that is. A number of 0 says nothing: the group waits for all before it.
    pub fn place(&mut self, last_committed: u64, sequence_number: u64, committed: u64) -> (u64, u64) {
        let before = self.turn;
        self.turn += 1;
        while self.open.len() > 1 && self.open[1].1 <= committed {
            self.open.pop_front();
        }
        let is_in_order = self.open.back().is_none_or(|(last, _)| sequence_number > *last);
        if sequence_number == 0 || last_committed >= sequence_number || !is_in_order {
            // Whoever names a smaller number waits for this group.
            self.next_file();
            if sequence_number > 0 {
                self.open.push_back((sequence_number, self.turn));
            }
            return (self.turn, before);
        }
        let behind = self.open.partition_point(|(number, _)| *number <= last_committed);
        let after = behind.checked_sub(1).map_or(0, |at| self.open[at].1);
        self.open.push_back((sequence_number, self.turn));
        (self.turn, after)
    }

    /// The turn of the last group.
    pub fn turn(&self) -> u64 {
        self.turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_wait_for_what_they_name() {
        let mut clock = LogicalClock::default();
        clock.next_file();
        assert_eq!(clock.place(0, 1, 0), (1, 0));
        assert_eq!(clock.place(0, 2, 0), (2, 0));
        assert_eq!(clock.place(1, 3, 0), (3, 1));
        assert_eq!(clock.place(3, 4, 2), (4, 3));
        // What was committed long ago is no reason to wait.
        assert_eq!(clock.place(1, 5, 4).0, 5);
        // A new file: numbers begin anew.
        clock.next_file();
        assert_eq!(clock.place(0, 1, 4), (6, 5));
        assert_eq!(clock.place(0, 2, 4), (7, 5));
    }

    #[test]
    fn numbers_that_make_no_sense_are_waited_out() {
        let mut clock = LogicalClock::default();
        assert_eq!(clock.place(0, 0, 0), (1, 0));
        assert_eq!(clock.place(5, 9, 0), (2, 1));
        assert_eq!(clock.place(5, 9, 0), (3, 2));
        assert_eq!(clock.place(12, 10, 0), (4, 3));
        // It waits for the ones before, whose numbers mean nothing.
        assert_eq!(clock.place(8, 11, 0), (5, 4));
        assert_eq!(clock.place(10, 12, 0), (6, 4));
        assert_eq!(clock.place(11, 13, 0), (7, 5));
    }
}
