//! Results in the client protocol: the column definition, and values under it.
//!
//! The text protocol sends every value as its text. The binary protocol sends it in the form of the announced type:
//! [`ResultType::write_binary`] brings it there.

use types::charset::Charset;
use types::collation::Collation;
use types::column::{ColumnWire, IntSize, LobSize, flags};
use types::context::Context;
use types::number::{write_double, write_fixed};
use types::value::{Value, ValueRef, write_lenenc};

use super::result_type::{Kind, NOT_FIXED, ResultType};

impl ResultType {
    /// The column definition in results of the collation `results` (`binary` if text keeps its own set).
    pub fn wire(&self, results: Collation) -> ColumnWire {
        let not_null = if self.nullable { 0 } else { flags::NOT_NULL };
        if let Some(column) = self.column {
            let wire = column.wire(results);
            return ColumnWire { flags: wire.flags | not_null, ..wire };
        }
        if self.is_stored {
            let wire = self.column_type().wire(results);
            return ColumnWire { length: self.wire_length(results), flags: wire.flags | not_null, ..wire };
        }
        ColumnWire {
            type_code: self.type_code(),
            collation_id: self.wire_collation(results).id(),
            length: self.wire_length(results),
            flags: self.wire_flags() | not_null,
            decimals: self.decimals,
        }
    }

    fn type_code(&self) -> u8 {
        match self.kind {
            Kind::Null => 6,
            Kind::Int(IntSize::Tiny) => 1,
            Kind::Int(IntSize::Small) => 2,
            Kind::Int(IntSize::Medium) => 9,
            Kind::Int(IntSize::Int) => 3,
            Kind::Int(IntSize::Big) => 8,
            Kind::Year => 13,
            Kind::Decimal => 246,
            Kind::Float => 4,
            Kind::Double => 5,
            Kind::Char => 254,
            Kind::Varchar => 253,
            Kind::Lob(LobSize::Medium) => 250,
            Kind::Lob(LobSize::Long) => 251,
            Kind::Lob(_) => 252,
            Kind::Date => 10,
            Kind::Time => 11,
            Kind::DateTime => 12,
            Kind::Timestamp => 7,
            Kind::Json => 245,
        }
    }

    /// Whether the length counts characters; computed JSON is announced so, unlike a column.
    fn is_sent_as_text(&self) -> bool {
        self.kind.is_string() || self.kind == Kind::Json
    }

    fn wire_collation(&self, results: Collation) -> Collation {
        let own = self.text.collation;
        if !self.is_sent_as_text() || own == Collation::Binary {
            return Collation::Binary;
        }
        if results == Collation::Binary { own } else { results }
    }

    fn wire_length(&self, results: Collation) -> u32 {
        if !self.is_sent_as_text() {
            return self.length;
        }
        let size = self.wire_collation(results).charset().char_size_max();
        match self.kind {
            // Of long texts MySQL takes the bytes for the characters.
            Kind::Lob(_) => self.bytes().saturating_mul(size),
            _ => self.length.saturating_mul(size),
        }
    }

    fn wire_flags(&self) -> u16 {
        let binary = !self.kind.is_string() || self.text.collation.compares_code_points();
        let unsigned = if self.is_unsigned || self.kind == Kind::Year { flags::UNSIGNED } else { 0 };
        unsigned | if binary { flags::BINARY } else { 0 }
    }

    /// Appends a value to a text resultset row, strings in `results`.
    pub fn write_text(
        &self,
        value: ValueRef<'_>,
        results: Charset,
        context: &Context<'_>,
        out: &mut Vec<u8>,
    ) {
        if let (ValueRef::Double(number), 0..NOT_FIXED) = (value, self.decimals) {
            let mut text = Vec::new();
            write_padded(number, self.decimals, &mut text);
            write_lenenc(&text, out);
            return;
        }
        if self.is_plain(value) {
            value.write_text_wire(results, out);
            return;
        }
        self.coerce(value.to_value(), context).as_ref().write_text_wire(results, out);
    }

    /// Appends a value to a binary resultset row, in the announced form; NULL appends nothing.
    pub fn write_binary(
        &self,
        value: ValueRef<'_>,
        results: Charset,
        context: &Context<'_>,
        out: &mut Vec<u8>,
    ) {
        if value.is_null() {
            return;
        }
        if self.is_plain(value) {
            self.write_binary_plain(value, results, out);
            return;
        }
        let value = self.coerce(value.to_value(), context);
        if self.is_plain(value.as_ref()) {
            self.write_binary_plain(value.as_ref(), results, out);
            return;
        }
        debug_assert!(false, "{value:?} has no form as {:?}", self.kind);
        self.write_binary_plain(self.implicit().as_ref(), results, out);
    }

    fn write_binary_plain(&self, value: ValueRef<'_>, results: Charset, out: &mut Vec<u8>) {
        let bits = match value {
            ValueRef::Int(number) => number.cast_unsigned(),
            ValueRef::UInt(number) => number,
            ValueRef::Year(year) => year.into(),
            _ => return value.write_binary_wire(results, out),
        };
        let size = match self.kind {
            Kind::Int(IntSize::Tiny) => 1,
            Kind::Int(IntSize::Small) | Kind::Year => 2,
            Kind::Int(IntSize::Medium | IntSize::Int) => 4,
            _ => 8,
        };
        out.extend_from_slice(&bits.to_le_bytes()[..size]);
    }

    /// Whether the value's own form is that of the type. Digits of a fraction may differ: each form tells its own.
    fn is_plain(&self, value: ValueRef<'_>) -> bool {
        match (self.kind, value) {
            (kind, ValueRef::Chosen(_)) => kind.is_string(),
            (_, ValueRef::Bit(_) | ValueRef::Year(_)) => self.is_of_column(value),
            (_, ValueRef::Null)
            | (Kind::Int(_) | Kind::Year, ValueRef::Int(_) | ValueRef::UInt(_))
            | (Kind::Decimal, ValueRef::Decimal(_))
            | (Kind::Float, ValueRef::Float(_))
            | (Kind::Double, ValueRef::Double(_))
            | (Kind::Date, ValueRef::Date(_))
            | (Kind::Json, ValueRef::Json(_))
            | (Kind::Char | Kind::Varchar | Kind::Lob(_), ValueRef::Str(..) | ValueRef::Bytes(_))
            | (Kind::Null, _) => true,
            (Kind::Time, ValueRef::Time(time)) => time.fsp() == self.decimals,
            (Kind::DateTime | Kind::Timestamp, ValueRef::DateTime(moment)) => moment.fsp() == self.decimals,
            _ => false,
        }
    }

    /// What stands for a value that has no form in the type: never the bytes of another type.
    fn implicit(&self) -> Value {
        match self.kind {
            Kind::Int(_) | Kind::Year | Kind::Null => Value::Int(0),
            Kind::Decimal => Value::Decimal(types::decimal::Decimal::ZERO),
            Kind::Float => Value::Float(0.0),
            Kind::Double => Value::Double(0.0),
            Kind::Char | Kind::Varchar | Kind::Lob(_) => Value::Bytes(Vec::new()),
            Kind::Date => Value::Date(types::temporal::Date::ZERO),
            Kind::Time => Value::Time(types::temporal::Time::default()),
            Kind::DateTime | Kind::Timestamp => Value::DateTime(types::temporal::DateTime::ZERO),
            Kind::Json => Value::Null,
        }
    }
}

/// Appends a double with so many digits behind the point: its shortest text with zeros if that is shorter.
fn write_padded(number: f64, decimals: u8, out: &mut Vec<u8>) {
    let start = out.len();
    write_double(number, out);
    let text = &out[start..];
    let point = text.iter().position(|byte| *byte == b'.');
    let shown = point.map_or(0, |point| text.len() - point - 1);
    let missing = usize::from(decimals).checked_sub(shown).filter(|_| !text.contains(&b'e'));
    let Some(missing) = missing else {
        out.truncate(start);
        write_fixed(number, decimals, out);
        return;
    };
    if point.is_none() && decimals > 0 {
        out.push(b'.');
    }
    out.resize(out.len() + missing, b'0');
}
