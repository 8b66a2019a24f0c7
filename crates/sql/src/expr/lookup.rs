//! Rows that were made, in the order of one of their columns: those with a value are found by halves.
//!
//! This is for columns of one kind, integers or texts of one collation, and values of that kind; all else is compared with one row
//! after another.

use std::ops::Range;
use std::sync::Arc;

use types::collation::Collation;
use types::value::{Value, ValueRef};

use super::long_list::integer;

/// Fewer rows are not worth it.
const MANY: usize = 16;

/// Rows, as queries keep them.
pub type Made = Arc<Vec<Vec<Value>>>;

/// See the module.
#[derive(Debug)]
pub struct Lookup {
    /// They stay where they are as long as this lives.
    rows: Made,
    column: usize,
    kind: Kind,
    /// Places of the rows whose column is not NULL, in its order; those that are equal as they were made.
    order: Vec<usize>,
}

#[derive(Debug)]
enum Kind {
    Integers,
    Texts(Collation),
}

impl Lookup {
    /// Of these rows, if they are many and the column is of one kind.
    pub(super) fn new(rows: &Made, column: usize) -> Option<Self> {
        let value = |place: usize| rows[place][column].as_ref();
        let order: Vec<usize> = (0..rows.len()).filter(|place| !value(*place).is_null()).collect();
        let kind = match value(*order.first().filter(|_| rows.len() >= MANY)?) {
            ValueRef::Str(_, collation) => Kind::Texts(collation),
            _ => Kind::Integers,
        };
        let fits = |place: &usize| match (&kind, value(*place)) {
            (Kind::Texts(collation), ValueRef::Str(_, its)) => its == *collation,
            (Kind::Texts(_), _) => false,
            (Kind::Integers, value) => integer(value).is_some(),
        };
        if !order.iter().all(fits) {
            return None;
        }
        let mut lookup = Self { rows: Arc::clone(rows), column, kind, order };
        let mut order = std::mem::take(&mut lookup.order);
        order.sort_by(|a, b| lookup.compare(*a, lookup.value(*b)));
        Some(Self { order, ..lookup })
    }

    /// Of the rows in order, those that equal a value; `None` if they have to be compared.
    pub fn find(&self, value: ValueRef<'_>) -> Option<Range<usize>> {
        match (&self.kind, value) {
            (_, ValueRef::Null) => return Some(0..0),
            (Kind::Texts(collation), ValueRef::Str(_, its)) if its == *collation => {}
            (Kind::Integers, value) if integer(value).is_some() => {}
            _ => return None,
        }
        let from = self.order.partition_point(|place| self.compare(*place, value).is_lt());
        let rest = &self.order[from..];
        Some(from..from + rest.partition_point(|place| self.compare(*place, value).is_eq()))
    }

    /// The place of a row in order among those that were made.
    pub fn place(&self, at: usize) -> usize {
        self.order[at]
    }

    /// Whether some row's column is NULL.
    pub(super) fn has_null(&self) -> bool {
        self.order.len() < self.rows.len()
    }

    fn value(&self, place: usize) -> ValueRef<'_> {
        self.rows[place][self.column].as_ref()
    }

    fn compare(&self, place: usize, other: ValueRef<'_>) -> std::cmp::Ordering {
        match (&self.kind, self.value(place), other) {
            (Kind::Texts(collation), ValueRef::Str(own, _), ValueRef::Str(other, _)) => {
                collation.compare(own, other)
            }
            (_, own, other) => integer(own).cmp(&integer(other)),
        }
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
        let lookup = Lookup::new(&made(&values), 0).unwrap();
        let places =
            |value| -> Vec<usize> { lookup.find(value).unwrap().map(|at| lookup.place(at)).collect() };
        assert_eq!(places(ValueRef::Int(3)), [10, 17, 24, 31, 38]);
        assert_eq!(places(ValueRef::UInt(u64::MAX)), [5]);
        assert_eq!(places(ValueRef::Int(-1)), [0; 0]);
        assert_eq!(places(ValueRef::Null), [0; 0]);
        assert!(lookup.has_null() && lookup.find(ValueRef::Double(3.0)).is_none());
    }

    #[test]
    fn texts_are_found_by_their_collation_and_few_or_mixed_rows_are_not_looked_up() {
        let collation = Collation::Utf8mb4GeneralCi;
        let text = |text: &str| Value::Str(text.as_bytes().into(), collation);
        let mut values: Vec<Value> = (0..20).map(|number| text(["a", "B", "c"][number % 3])).collect();
        let lookup = Lookup::new(&made(&values), 0).unwrap();
        assert_eq!(lookup.find(ValueRef::Str(b"b", collation)).unwrap().len(), 7);
        assert!(lookup.find(ValueRef::Str(b"b", Collation::Utf8mb4Bin)).is_none());
        assert!(lookup.find(ValueRef::Int(1)).is_none() && !lookup.has_null());
        values[4] = Value::Int(1);
        assert!(Lookup::new(&made(&values), 0).is_none());
        assert!(Lookup::new(&made(&values[..3]), 0).is_none());
    }
}
