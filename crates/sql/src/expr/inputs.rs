//! What an evaluation reads, and what it gives.

use std::fmt::{Display, Formatter};

use types::collation::Collation;
use types::row::{Offsets, RowLayout};
use types::temporal::TimeZone;
use types::value::{Value, ValueRef};

use super::Answer;
use super::memo::Memo;
use super::typing::Schema;
use crate::lex::{LITERAL_BASE, OPEN_PATTERN_BASE, ROW_LITERAL_BASE};
use crate::session::Session;

/// A row of one source.
#[derive(Clone, Copy, Debug)]
pub enum RowRef<'a> {
    /// The source has no row here: outside of a join's match. All columns are NULL.
    Missing,
    /// A row as tables store it.
    Stored {
        /// How it lies.
        layout: &'a RowLayout,
        /// Its bytes.
        row: &'a [u8],
        /// Where its columns are.
        offsets: &'a Offsets,
    },
    /// Values.
    Values(&'a [Value]),
}

impl<'a> RowRef<'a> {
    /// A column's value.
    #[inline]
    pub fn value(&self, column: usize, time_zone: &TimeZone) -> ValueRef<'a> {
        match self {
            Self::Missing => ValueRef::Null,
            Self::Stored { layout, row, offsets } => layout.value(row, offsets, column, time_zone),
            Self::Values(values) => values[column].as_ref(),
        }
    }
}

/// Everything that an expression may read. Cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// The session.
    pub session: &'a Session,
    /// What texts are in that come from no column: the connection's collation. Of rules of tables the same for whoever writes.
    pub collation: Collation,
    /// What the plan knows of types.
    pub schema: &'a dyn Schema,
    /// The client's parameters.
    pub params: &'a [ValueRef<'a>],
    /// Literals that were taken out of the text.
    pub literals: &'a [Value],
    /// Those of the INSERT's current row.
    pub row_literals: &'a [Value],
    /// A row a source.
    pub rows: &'a [RowRef<'a>],
    /// What ON DUPLICATE KEY UPDATE would have inserted.
    pub candidate: RowRef<'a>,
    /// Results of aggregates.
    pub aggregates: &'a [Value],
    /// Results of window functions.
    pub windows: &'a [Value],
    /// Of a subquery: the values that it is given of the row around it.
    pub outer: &'a [Value],
    /// What the plan's subqueries have answered.
    pub subqueries: &'a [Answer],
    /// What expressions remember.
    pub memo: Option<&'a Memo>,
}

/// A value that is borrowed if it can be.
#[derive(Clone, Debug)]
pub enum Ev<'a> {
    /// Of a row, a parameter or a constant.
    Ref(ValueRef<'a>),
    /// Computed.
    Own(Value),
}

impl Ev<'_> {
    /// NULL.
    pub const NULL: Self = Self::Own(Value::Null);

    /// The value, borrowed.
    #[inline]
    pub fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Self::Ref(value) => *value,
            Self::Own(value) => value.as_ref(),
        }
    }

    /// The value, owned.
    pub fn into_value(self) -> Value {
        match self {
            Self::Ref(value) => value.to_value(),
            Self::Own(value) => value,
        }
    }
}

impl From<Value> for Ev<'_> {
    fn from(value: Value) -> Self {
        Self::Own(value)
    }
}

impl From<Option<bool>> for Ev<'_> {
    /// 1, 0 or NULL.
    fn from(truth: Option<bool>) -> Self {
        Self::Own(truth.map_or(Value::Null, |truth| Value::Int(truth.into())))
    }
}

impl<'a> Inputs<'a> {
    /// The text of a part of the statement, as errors show it.
    pub(super) fn written(&self, text: &'a str) -> Written<'a> {
        Written { text, literals: self.literals, row_literals: self.row_literals }
    }
}

/// A text in which the literals that were taken out stand again. Written only where an error or a warning shows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written<'a> {
    text: &'a str,
    literals: &'a [Value],
    row_literals: &'a [Value],
}

impl Written<'_> {
    fn literal(&self, number: usize) -> Option<&Value> {
        if let Some(place) = number.checked_sub(ROW_LITERAL_BASE) {
            return self.row_literals.get(place);
        }
        let base = if number < OPEN_PATTERN_BASE { LITERAL_BASE } else { OPEN_PATTERN_BASE };
        self.literals.get(number.checked_sub(base)?)
    }
}

impl Display for Written<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        let mut parts = self.text.split('?');
        out.write_str(parts.next().unwrap_or_default())?;
        for part in parts {
            let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            let (digits, rest) = part.split_at(end);
            match digits.parse().ok().and_then(|number| self.literal(number)) {
                Some(text @ Value::Str(..)) => {
                    write!(out, "'{}'", text.as_ref().to_message().replace('\'', "''"))?;
                }
                Some(value) => out.write_str(&value.as_ref().to_message())?,
                None => write!(out, "?{digits}")?,
            }
            out.write_str(rest)?;
        }
        Ok(())
    }
}
