//! IN with long lists: their values are sorted once in an execution, and looked for by halves.
//!
//! This is for lists of constants of one kind, integers or texts, beside values of that kind; all else is compared one after
//! another.

use std::sync::Arc;

use types::collation::Collation;
use types::value::ValueRef;

use super::memo::Memo;
use super::{Expr, Inputs};

/// Shorter lists are not worth it.
pub(super) const LONG: usize = 32;

/// What a list says of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Whether it is in the list: NULL if it is not, and NULL is.
    Truth(Option<bool>),
    /// They have to be compared.
    Unknown,
}

/// The values of a list, in order.
#[derive(Debug)]
pub(super) enum Sorted {
    Integers {
        values: Vec<i128>,
        has_null: bool,
    },
    Texts {
        values: Vec<Vec<u8>>,
        collation: Collation,
        has_null: bool,
    },
    /// It is no such list.
    Mixed,
}

impl Memo {
    /// Looks for a value in a list.
    pub(super) fn find(
        &self,
        (expr, value): (&Expr, ValueRef<'_>),
        list: &[Expr],
        inputs: &Inputs<'_>,
    ) -> Found {
        let place = list.as_ptr().addr();
        let known = self.lists.lock().get(&place).cloned();
        let sorted = known.unwrap_or_else(|| {
            let sorted = Arc::new(sort((expr, value), list, inputs));
            self.lists.lock().insert(place, Arc::clone(&sorted));
            sorted
        });
        let (found, has_null) = match (&*sorted, value) {
            (Sorted::Integers { values, has_null }, value) => match integer(value) {
                Some(integer) => (values.binary_search(&integer).is_ok(), *has_null),
                None => return Found::Unknown,
            },
            (Sorted::Texts { values, collation, has_null }, ValueRef::Str(text, its))
                if its == *collation =>
            {
                (values.binary_search_by(|other| collation.compare(other, text)).is_ok(), *has_null)
            }
            _ => return Found::Unknown,
        };
        Found::Truth(if found { Some(true) } else { (!has_null).then_some(false) })
    }
}

pub(super) fn integer(value: ValueRef<'_>) -> Option<i128> {
    match value {
        ValueRef::Int(value) => Some(value.into()),
        ValueRef::UInt(value) => Some(value.into()),
        _ => None,
    }
}

/// Sorts a list for values such as this one.
fn sort((expr, value): (&Expr, ValueRef<'_>), list: &[Expr], inputs: &Inputs<'_>) -> Sorted {
    let mut values = Vec::with_capacity(list.len());
    for item in list {
        match item {
            Expr::Const(value) => values.push(value.as_ref()),
            Expr::Literal(number) => values.push(inputs.literals[*number].as_ref()),
            Expr::Param(number) => values.push(inputs.params[*number]),
            _ => return Sorted::Mixed,
        }
    }
    let count = values.len();
    values.retain(|value| !value.is_null());
    let has_null = values.len() < count;
    if let Some(mut values) = values.iter().map(|value| integer(*value)).collect::<Option<Vec<_>>>() {
        values.sort_unstable();
        return Sorted::Integers { values, has_null };
    }
    let ValueRef::Str(_, collation) = value else { return Sorted::Mixed };
    // A column's collation is stronger than that of literals in its character set.
    let is_column = matches!(expr, Expr::Column { .. });
    let fits = |its: Collation| its == collation || is_column && its.charset() == collation.charset();
    let text = |value: &ValueRef<'_>| match value {
        ValueRef::Str(text, its) if fits(*its) => Some(text.to_vec()),
        _ => None,
    };
    match values.iter().map(text).collect::<Option<Vec<_>>>() {
        Some(mut values) => {
            values.sort_unstable_by(|a, b| collation.compare(a, b));
            Sorted::Texts { values, collation, has_null }
        }
        None => Sorted::Mixed,
    }
}
