//! Rows that were made, in the order of one of their columns: those with a value are found by halves.
//!
//! This is for columns of one kind, integers or texts of one collation, and values of that kind; all else is compared with one row
//! after another.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Arc, Weak};

use types::collation::Collation;
use types::value::{Value, ValueRef};

use super::long_list::integer;

/// Fewer rows are not worth it.
const MANY: usize = 16;

/// Rows, as queries keep them.
pub type Made = Arc<Vec<Vec<Value>>>;

/// See the module. It does not keep the rows: whoever looks has them.
#[derive(Debug)]
pub struct Lookup {
    rows: Weak<Vec<Vec<Value>>>,
    column: usize,
    kind: Kind,
    /// Places of the rows whose column is not NULL, in its order; those that are equal as they were made.
    order: Vec<usize>,
    has_null: bool,
}

#[derive(Debug)]
enum Kind {
    Integers,
    Texts(Collation),
}

impl Lookup {
    /// Of these rows, if they are many and the column is of one kind.
    pub(super) fn new(rows: &Made, column: usize) -> Option<Self> {
        if rows.len() < MANY {
            return None;
        }
        let value = |place: usize| rows[place][column].as_ref();
        let kind = match value((0..rows.len()).find(|place| !value(*place).is_null())?) {
            ValueRef::Str(_, collation) => Kind::Texts(collation),
            value => integer(value).map(|_| Kind::Integers)?,
        };
        let fits = |place: usize| match (&kind, value(place)) {
            (_, ValueRef::Null) => true,
            (Kind::Texts(collation), ValueRef::Str(_, its)) => its == *collation,
            (Kind::Texts(_), _) => false,
            (Kind::Integers, value) => integer(value).is_some(),
        };
        if !(0..rows.len()).all(fits) {
            return None;
        }
        let mut order: Vec<usize> = (0..rows.len()).filter(|place| !value(*place).is_null()).collect();
        order.sort_by(|a, b| compare(&kind, value(*a), value(*b)));
        let has_null = order.len() < rows.len();
        Some(Self { rows: Arc::downgrade(rows), column, kind, order, has_null })
    }

    /// Of the rows in order, those that equal a value; `None` if they have to be compared.
    ///
    /// # Panics
    /// If the rows are others.
    pub fn find(&self, rows: &Made, value: ValueRef<'_>) -> Option<Range<usize>> {
        assert!(self.is_of(rows), "a lookup is of its own rows");
        match (&self.kind, value) {
            (_, ValueRef::Null) => return Some(0..0),
            (Kind::Texts(collation), ValueRef::Str(_, its)) if its == *collation => {}
            (Kind::Integers, value) if integer(value).is_some() => {}
            _ => return None,
        }
        let ordering = |place: &usize| compare(&self.kind, rows[*place][self.column].as_ref(), value);
        let from = self.order.partition_point(|place| ordering(place).is_lt());
        let rest = &self.order[from..];
        Some(from..from + rest.partition_point(|place| ordering(place).is_eq()))
    }

    /// The place of a row in order among those that were made.
    pub fn place(&self, at: usize) -> usize {
        self.order[at]
    }

    /// Whether some row's column is NULL.
    pub(super) fn has_null(&self) -> bool {
        self.has_null
    }

    /// Whether it is of these rows.
    pub(super) fn is_of(&self, rows: &Made) -> bool {
        std::ptr::eq(self.rows.as_ptr(), Arc::as_ptr(rows))
    }

    /// Whether somebody has its rows still.
    pub(super) fn is_alive(&self) -> bool {
        self.rows.strong_count() > 0
    }
}

fn compare(kind: &Kind, a: ValueRef<'_>, b: ValueRef<'_>) -> Ordering {
    match (kind, a, b) {
        (Kind::Texts(collation), ValueRef::Str(a, _), ValueRef::Str(b, _)) => collation.compare(a, b),
        (_, a, b) => integer(a).cmp(&integer(b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(values: &[Value]) -> Made {
        Arc::new(values.iter().map(|value| vec![value.clone()]).collect())
    }

    #[test]
    fn equal_rows_are_found_as_they_were_made() {
        let mut values: Vec<Value> = (0..40).map(|number| Value::Int(number % 7)).collect();
        values[3] = Value::Null;
        values[5] = Value::UInt(u64::MAX);
        let rows = made(&values);
        let lookup = Lookup::new(&rows, 0).unwrap();
        let places =
            |value| -> Vec<usize> { lookup.find(&rows, value).unwrap().map(|at| lookup.place(at)).collect() };
        assert_eq!(places(ValueRef::Int(3)), [10, 17, 24, 31, 38]);
        assert_eq!(places(ValueRef::UInt(u64::MAX)), [5]);
        assert_eq!(places(ValueRef::Int(-1)), [0; 0]);
        assert_eq!(places(ValueRef::Null), [0; 0]);
        assert!(lookup.has_null() && lookup.find(&rows, ValueRef::Double(3.0)).is_none());
        assert!(lookup.is_alive() && !lookup.is_of(&made(&values)));
        drop(rows);
        assert!(!lookup.is_alive());
    }

    #[test]
    fn texts_are_found_by_their_collation_and_few_or_mixed_rows_are_not_looked_up() {
        let collation = Collation::Utf8mb4GeneralCi;
        let text = |text: &str| Value::Str(text.as_bytes().into(), collation);
        let mut values: Vec<Value> = (0..20).map(|number| text(["a", "B", "c"][number % 3])).collect();
        let rows = made(&values);
        let lookup = Lookup::new(&rows, 0).unwrap();
        assert_eq!(lookup.find(&rows, ValueRef::Str(b"b", collation)).unwrap().len(), 7);
        assert!(lookup.find(&rows, ValueRef::Str(b"b", Collation::Utf8mb4Bin)).is_none());
        assert!(lookup.find(&rows, ValueRef::Int(1)).is_none() && !lookup.has_null());
        values[4] = Value::Int(1);
        assert!(Lookup::new(&made(&values), 0).is_none());
        assert!(Lookup::new(&made(&values[..3]), 0).is_none());
    }
}
