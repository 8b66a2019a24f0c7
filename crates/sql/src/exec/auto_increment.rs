//! AUTO_INCREMENT: the values that a statement reserves and gives to its rows.
//!
//! A statement of several rows reserves as many values at once: they follow each other, whatever other sessions insert.
//! Clients that are told of the first one rely on that.

use engine::catalog::table::Table;
use engine::trx::Trx;
use types::column::ColumnType;
use types::error::table::ER_AUTOINC_READ_FAILED;
use types::value::ValueRef;

use super::Result;
use super::cursor::offsets;
use crate::session::Session;

/// What happened to the AUTO_INCREMENT column of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AutoIncrement {
    /// Its value was generated.
    pub(super) generated: Option<u64>,
    /// Its value as it is stored; a negative one in two's complement.
    pub(super) stored: Option<u64>,
    /// Its value was given, and is not negative: those that are generated later are greater, once the row is there.
    pub(super) given: Option<u64>,
}

/// Values that a statement has reserved and not used.
#[derive(Debug, Default)]
pub(super) struct Reserved {
    next: u64,
    left: u64,
    /// Rows of the statement; 0 if nobody knows.
    rows: u64,
    /// How often something was reserved.
    times: u32,
}

impl Reserved {
    /// For a statement of so many rows; 0: nobody knows.
    pub(super) fn for_rows(rows: u64) -> Self {
        Self { rows, ..Self::default() }
    }

    /// The next value. Error 1467 behind the largest one that there is.
    pub(super) fn take(
        &mut self,
        table: &Table,
        ty: ColumnType,
        trx: &mut Trx,
        session: &Session,
    ) -> Result<u64> {
        if self.left == 0 {
            self.reserve(table, ty, trx, session)?;
        }
        let value = self.next;
        self.left -= 1;
        self.next = value.saturating_add(session.auto_increment_increment);
        if session.insert_id.is_some() {
            trx.use_auto_increment(table, value);
        }
        Ok(value)
    }

    fn reserve(&mut self, table: &Table, ty: ColumnType, trx: &mut Trx, session: &Session) -> Result<()> {
        /// A statement whose rows nobody has counted reserves twice as many each time, up to 2 to the power of this.
        const DOUBLINGS_MAX: u32 = 16;
        let wanted =
            if self.times == 0 && self.rows > 0 { self.rows } else { 1 << self.times.min(DOUBLINGS_MAX) };
        let is_first = self.times == 0;
        self.times += 1;
        if let Some(first) = session.insert_id.filter(|_| is_first) {
            (self.next, self.left) = (first, u64::MAX);
            return Ok(());
        }
        let max = match ty {
            ColumnType::Int(int) => int.max(),
            _ => 1 << 53,
        };
        let (increment, offset) = (session.auto_increment_increment, session.auto_increment_offset);
        (self.next, self.left) = match trx.next_auto_increment(table, increment, offset, max, wanted) {
            Some(reserved) => reserved,
            None if max == u64::MAX => return Err(ER_AUTOINC_READ_FAILED.error(&[])),
            // It stays there, as InnoDB's does: usually a duplicate.
            None => (max, 1),
        };
        Ok(())
    }

    /// The row that was given this value was not inserted: the next one gets it.
    pub(super) fn give_back(&mut self, value: u64) {
        self.next = value;
        self.left = self.left.saturating_add(1);
    }

    /// A row has this value by itself: those that are reserved and not greater are left out.
    pub(super) fn pass(&mut self, given: u64, increment: u64) {
        if let Some(distance) = given.checked_sub(self.next).filter(|_| self.left > 0) {
            let steps = distance / increment + 1;
            self.left = self.left.saturating_sub(steps);
            self.next = self.next.saturating_add(steps.saturating_mul(increment));
        }
    }
}

/// What an AUTO_INCREMENT column holds.
pub(super) fn number_of(stored: ValueRef<'_>) -> i128 {
    match stored {
        ValueRef::Int(value) => value.into(),
        ValueRef::UInt(value) => value.into(),
        #[expect(clippy::cast_possible_truncation, reason = "saturates")]
        ValueRef::Float(value) => value as i128,
        #[expect(clippy::cast_possible_truncation, reason = "saturates")]
        ValueRef::Double(value) => value as i128,
        _ => 0,
    }
}

/// A number as clients are told of it.
pub(super) fn low_bits(number: i128) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "two's complement is meant")]
    let bits = number as u64;
    bits
}

/// What a row's AUTO_INCREMENT column holds, if there is one, as clients are told of it.
pub(super) fn stored_in(table: &Table, row: &[u8], session: &Session) -> Result<Option<u64>> {
    let place = table.def.auto_increment();
    place.map(|place| number_in(table, place, row, session).map(low_bits)).transpose()
}

/// Takes into account what an assignment has put into a column of a row.
pub(super) fn note_assigned(
    table: &Table,
    place: usize,
    row: &[u8],
    trx: &mut Trx,
    session: &Session,
) -> Result<()> {
    if table.def.columns[place].auto_increment
        && let Ok(high) = u64::try_from(number_in(table, place, row, session)?)
    {
        trx.use_auto_increment(table, high);
    }
    Ok(())
}

fn number_in(table: &Table, place: usize, row: &[u8], session: &Session) -> Result<i128> {
    let offsets = offsets(table, row)?;
    Ok(number_of(table.rows.value(row, &offsets, place, session.time_zone())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_passes_reserved_values_that_are_not_greater() {
        let reserved = |next, left| Reserved { next, left, ..Reserved::default() };
        for (given, increment, next, left) in [
            (4, 1, 5, 6),
            (5, 1, 6, 5),
            (9, 1, 10, 1),
            (10, 1, 11, 0),
            (40, 1, 41, 0),
            (6, 3, 8, 5),
            (8, 3, 11, 4),
        ] {
            let mut values = reserved(5, 6);
            values.pass(given, increment);
            assert_eq!((values.next, values.left), (next, left), "{given} by {increment}");
        }
        let mut values = reserved(6, 5);
        values.give_back(5);
        assert_eq!((values.next, values.left), (5, 6));
    }
}
