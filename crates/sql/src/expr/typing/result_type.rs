//! The attributes of a result.

use types::collation::Collation;
use types::column::{ColumnType, IntSize, IntType, LobSize, Sign};
use types::decimal::{DecimalKind, PRECISION_MAX, SCALE_MAX};

use super::collate::{Strength, TextType};
use types::value::JSON_COLLATION;

/// What `decimals` says where the digits behind the point are not fixed.
pub const NOT_FIXED: u8 = 31;

/// The most bytes of a result that is announced as VARCHAR.
const VARCHAR_BYTES_MAX: u64 = 65_535;
/// The same for MEDIUMBLOB.
const MEDIUM_BYTES_MAX: u64 = (1 << 24) - 1;
/// The most bytes that a function's result is announced with.
const STRING_BYTES_MAX: u32 = 1 << 24;
/// The characters of JSON as text, which may have four bytes each.
const JSON_CHARS_MAX: u32 = u32::MAX / 4;
/// The width of a double: sign, 17 digits, point, exponent.
const DOUBLE_LENGTH: u32 = 23;
/// A BIT of so many bits counts as an INT, as its display width does not exceed that of one.
const BITS_OF_INT: u8 = 11;
/// The least width of an integer that a temporary table keeps as a BIGINT: that of INT UNSIGNED.
const BIGINT_WIDTH_MIN: u32 = 10;
/// The characters of a double among texts.
const DOUBLE_CHARS: u32 = 22;

/// What an expression gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultType {
    /// The type.
    pub kind: Kind,
    /// Characters of a text, bytes of a binary string, else the display width.
    pub length: u32,
    /// Digits behind the point or of the fraction; [`NOT_FIXED`] if they vary.
    pub decimals: u8,
    /// Negative numbers do not occur.
    pub is_unsigned: bool,
    /// NULL may occur.
    pub nullable: bool,
    /// Collation and how strongly it is held; of numbers, what they bring along as text.
    pub text: TextType,
    /// The column, if the expression is nothing else.
    pub column: Option<ColumnType>,
    /// Announced as a column of such a type is, but for its width: results of UNION.
    pub is_stored: bool,
}

/// The types of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// NULL alone.
    Null,
    /// An integer.
    Int(IntSize),
    /// A year.
    Year,
    /// An exact number.
    Decimal,
    /// A FLOAT.
    Float,
    /// A DOUBLE.
    Double,
    /// Text or bytes of a fixed length.
    Char,
    /// Text or bytes.
    Varchar,
    /// Long text or bytes.
    Lob(LobSize),
    /// A DATE.
    Date,
    /// A TIME.
    Time,
    /// A DATETIME.
    DateTime,
    /// A TIMESTAMP.
    Timestamp,
    /// JSON.
    Json,
}

impl Kind {
    /// Whether this is text or bytes.
    pub fn is_string(self) -> bool {
        matches!(self, Self::Char | Self::Varchar | Self::Lob(_))
    }

    /// Whether this is a number.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Int(_) | Self::Year | Self::Decimal | Self::Float | Self::Double)
    }

    /// Whether this is a date or time.
    pub fn is_temporal(self) -> bool {
        matches!(self, Self::Date | Self::Time | Self::DateTime | Self::Timestamp)
    }

    /// Whether this has a date: what becomes a DATETIME when it meets another one.
    pub fn has_date(self) -> bool {
        matches!(self, Self::Date | Self::DateTime | Self::Timestamp)
    }

    /// Whether this is an integer.
    pub fn is_int(self) -> bool {
        matches!(self, Self::Int(_) | Self::Year)
    }
}

impl ResultType {
    /// NULL.
    pub const NULL: Self = Self {
        kind: Kind::Null,
        length: 0,
        decimals: 0,
        is_unsigned: false,
        nullable: true,
        text: TextType { collation: Collation::Binary, strength: Strength::Ignorable, ascii: true },
        column: None,
        is_stored: false,
    };

    /// A parameter without a value.
    pub const UNKNOWN: Self = Self::NULL;

    /// A type without a length.
    pub fn of_kind(kind: Kind) -> Self {
        let decimals =
            if matches!(kind, Kind::Double | Kind::Float) || kind.is_string() { NOT_FIXED } else { 0 };
        Self { kind, decimals, nullable: false, text: TextType::NUMERIC, ..Self::NULL }
    }

    /// A column as an expression.
    pub fn of_column(ty: ColumnType, nullable: bool) -> Self {
        let kind = match ty {
            ColumnType::Int(int) => Kind::Int(int.size),
            ColumnType::Decimal { .. } => Kind::Decimal,
            ColumnType::Float(_) => Kind::Float,
            ColumnType::Double(_) => Kind::Double,
            ColumnType::Char { .. } | ColumnType::Binary { .. } => Kind::Char,
            ColumnType::Varchar { .. }
            | ColumnType::Varbinary { .. }
            | ColumnType::Enum(_)
            | ColumnType::Set(_) => Kind::Varchar,
            ColumnType::Bit { bits: 0..=BITS_OF_INT } => Kind::Int(IntSize::Int),
            ColumnType::Bit { .. } => Kind::Int(IntSize::Big),
            ColumnType::Year => Kind::Year,
            ColumnType::Json => return Self { nullable, column: Some(ty), ..Self::json() },
            ColumnType::Text { size, .. } | ColumnType::Blob { size } => Kind::Lob(size),
            ColumnType::Date => Kind::Date,
            ColumnType::Time { .. } => Kind::Time,
            ColumnType::DateTime { .. } => Kind::DateTime,
            ColumnType::Timestamp { .. } => Kind::Timestamp,
        };
        let wire = ty.wire(Collation::Binary);
        let length = match ty {
            ColumnType::Text { collation, .. } => wire.length / collation.charset().char_size_max(),
            _ => ty.text_size().map_or(wire.length, |(chars, _)| chars),
        };
        let text = match ty.collation() {
            Some(collation) => TextType::implicit(collation),
            None if ty.is_string() => TextType::implicit(Collation::Binary),
            None => TextType::NUMERIC,
        };
        Self {
            kind,
            length,
            decimals: wire.decimals,
            is_unsigned: ty.is_unsigned(),
            nullable,
            text,
            column: Some(ty),
            is_stored: false,
        }
    }

    /// 0 or 1.
    pub fn truth(nullable: bool) -> Self {
        Self::int(IntSize::Big, 1).nullable_if(nullable)
    }

    /// A signed integer of this display width.
    pub fn int(size: IntSize, width: u32) -> Self {
        Self { length: width, ..Self::of_kind(Kind::Int(size)) }
    }

    /// A BIGINT of this display width, which may be NULL.
    pub fn bigint(width: u32) -> Self {
        Self::int(IntSize::Big, width).or_null()
    }

    /// DECIMAL(`precision`, `scale`).
    pub fn decimal(precision: u8, scale: u8) -> Self {
        Self::exact(DecimalKind::new(precision, scale), false)
    }

    /// A DECIMAL, whose display width counts point and sign.
    pub fn exact(kind: DecimalKind, unsigned: bool) -> Self {
        let length = u32::from(kind.precision) + u32::from(kind.scale > 0) + u32::from(!unsigned);
        Self { length, decimals: kind.scale, is_unsigned: unsigned, ..Self::of_kind(Kind::Decimal) }
    }

    /// A DOUBLE.
    pub fn double() -> Self {
        Self { length: DOUBLE_LENGTH, ..Self::of_kind(Kind::Double) }
    }

    /// A DATE.
    pub fn date() -> Self {
        Self { length: 10, ..Self::of_kind(Kind::Date) }
    }

    /// A TIME.
    pub fn time(fsp: u8) -> Self {
        Self { length: 10 + fraction(fsp), decimals: fsp, ..Self::of_kind(Kind::Time) }
    }

    /// A DATETIME.
    pub fn datetime(fsp: u8) -> Self {
        Self { length: 19 + fraction(fsp), decimals: fsp, ..Self::of_kind(Kind::DateTime) }
    }

    /// JSON.
    pub fn json() -> Self {
        let text = TextType::implicit(JSON_COLLATION);
        Self { length: JSON_CHARS_MAX, decimals: NOT_FIXED, text, ..Self::of_kind(Kind::Json) }.or_null()
    }

    /// A text or binary string of so many characters; its type follows from its bytes.
    pub fn string(chars: u32, text: TextType) -> Self {
        let size = text.collation.charset().char_size_max();
        let bytes = u64::from(chars) * u64::from(size);
        let kind = match bytes {
            0..=VARCHAR_BYTES_MAX => Kind::Varchar,
            _ if bytes <= MEDIUM_BYTES_MAX => Kind::Lob(LobSize::Medium),
            _ => Kind::Lob(LobSize::Long),
        };
        Self { length: chars, text, ..Self::of_kind(kind) }
    }

    /// The same of a text that a function makes longer than its argument: there is an end to that.
    pub fn grown_string(chars: u32, text: TextType) -> Self {
        Self::string(chars.min(STRING_BYTES_MAX / text.collation.charset().char_size_max()), text)
    }

    /// A text or binary string of any length.
    pub fn long_string(text: TextType) -> Self {
        Self { length: STRING_BYTES_MAX, text, ..Self::of_kind(Kind::Lob(LobSize::Long)) }
    }

    /// The same without negative numbers.
    #[must_use]
    pub fn unsigned(self) -> Self {
        Self { is_unsigned: true, ..self }
    }

    /// The same, but NULL may occur.
    #[must_use]
    pub fn or_null(self) -> Self {
        Self { nullable: true, ..self }
    }

    /// The same; NULL may occur if `nullable`.
    #[must_use]
    pub fn nullable_if(self, nullable: bool) -> Self {
        Self { nullable, ..self }
    }

    /// The same as the result of something, no longer a column.
    #[must_use]
    pub fn computed(self) -> Self {
        Self { column: None, is_stored: false, ..self }
    }

    /// The same as MySQL's temporary tables have it, which window functions' results go through: integers are INT or BIGINT by
    /// their width, texts of a fixed length no longer are. Bits stay bits.
    #[must_use]
    pub fn kept(self) -> Self {
        let kind = match self.kind {
            _ if matches!(self.column, Some(ColumnType::Bit { .. })) => return self,
            Kind::Int(_) | Kind::Year if self.length < BIGINT_WIDTH_MIN => Kind::Int(IntSize::Int),
            Kind::Int(_) => Kind::Int(IntSize::Big),
            Kind::Char => Kind::Varchar,
            kind => kind,
        };
        Self { kind, ..self.computed() }
    }

    /// The characters that the value has as text.
    pub fn chars(self) -> u32 {
        if self.is_free_double() { DOUBLE_CHARS } else { self.length }
    }

    /// Whether this is a computed DOUBLE of any number of digits.
    fn is_free_double(self) -> bool {
        self.kind == Kind::Double && self.column.is_none() && self.decimals >= NOT_FIXED
    }

    /// The bytes that the value has as text in its own character set.
    pub fn bytes(self) -> u32 {
        if self.kind.is_string() {
            return self.length.saturating_mul(self.text.collation.charset().char_size_max());
        }
        self.length
    }

    /// The value as text: a number brings the connection's collation, weakly.
    #[must_use]
    pub fn as_text(self, connection: Collation) -> Self {
        if self.kind.is_string() {
            return self.computed();
        }
        if self.kind == Kind::Json {
            let text = ResultType { length: JSON_CHARS_MAX, ..Self::of_kind(Kind::Lob(LobSize::Long)) };
            return Self { text: self.text, nullable: self.nullable, ..text };
        }
        let text = self.text_type(connection);
        Self { nullable: self.nullable, ..Self::string(self.chars(), text) }
    }

    /// How the value takes part in the choice of a collation.
    pub fn text_type(self, connection: Collation) -> TextType {
        match self.kind {
            kind if kind.is_string() || kind == Kind::Json => self.text,
            _ if matches!(self.column, Some(ColumnType::Bit { .. })) => TextType::implicit(Collation::Binary),
            Kind::Null => {
                TextType { collation: Collation::Binary, strength: Strength::Ignorable, ascii: true }
            }
            _ => TextType { collation: connection, strength: Strength::Numeric, ascii: true },
        }
    }

    /// Digits before the point and behind it, as DECIMAL arithmetic counts them.
    pub fn decimal_kind(self) -> DecimalKind {
        if let Some(kind) = self.column.and_then(ColumnType::decimal_kind) {
            return kind;
        }
        let scale = self.decimals.min(SCALE_MAX);
        let narrow = |digits: u32| u8::try_from(digits).unwrap_or(PRECISION_MAX).min(PRECISION_MAX);
        match self.kind {
            Kind::Decimal => {
                let extra = u32::from(self.decimals > 0) + u32::from(!self.is_unsigned);
                DecimalKind::new(narrow(self.length.saturating_sub(extra)), scale)
            }
            Kind::Int(_) | Kind::Year => {
                DecimalKind::new(narrow(self.length.saturating_sub(u32::from(!self.is_unsigned)).max(1)), 0)
            }
            Kind::Date => DecimalKind::new(8, 0),
            Kind::Time => DecimalKind::new(7 + scale, scale),
            Kind::DateTime | Kind::Timestamp => DecimalKind::new(14 + scale, scale),
            Kind::Null => DecimalKind::new(1, 0),
            _ if self.decimals >= NOT_FIXED => DecimalKind::new(PRECISION_MAX, SCALE_MAX),
            _ => DecimalKind::new(narrow(self.length), scale),
        }
    }

    /// Whether arithmetic on the value is exact.
    pub fn is_exact(self) -> bool {
        matches!(self.kind, Kind::Int(_) | Kind::Year | Kind::Decimal) || self.kind.is_temporal()
    }

    /// The column type that holds such results: of a derived table, of CREATE TABLE .. SELECT. NULL is BINARY(0).
    pub fn column_type(self) -> ColumnType {
        if let Some(column) = self.column {
            return column;
        }
        let sign = if self.is_unsigned { Sign::Unsigned } else { Sign::Signed };
        let collation = self.text.collation;
        match self.kind {
            Kind::Null => ColumnType::Binary { size: 0 },
            Kind::Int(size) => ColumnType::Int(IntType::new(size, sign)),
            Kind::Year => ColumnType::Int(IntType::new(IntSize::Small, Sign::Unsigned)),
            Kind::Decimal => {
                let kind = self.decimal_kind();
                ColumnType::Decimal { precision: kind.precision, scale: kind.scale, sign }
            }
            Kind::Float => ColumnType::Float(types::column::FloatType { sign, digits: None }),
            Kind::Double => ColumnType::Double(types::column::FloatType { sign, digits: None }),
            Kind::Date => ColumnType::Date,
            Kind::Time => ColumnType::Time { fsp: self.decimals },
            Kind::DateTime => ColumnType::DateTime { fsp: self.decimals },
            Kind::Timestamp => ColumnType::Timestamp { fsp: self.decimals },
            Kind::Json => ColumnType::Json,
            Kind::Lob(size) if collation == Collation::Binary => ColumnType::Blob { size },
            Kind::Lob(size) => ColumnType::Text { size, collation },
            Kind::Char | Kind::Varchar => self.string_column(collation),
        }
    }

    fn string_column(self, collation: Collation) -> ColumnType {
        if let (Kind::Char, Ok(length)) = (self.kind, u8::try_from(self.length)) {
            return match collation {
                Collation::Binary => ColumnType::Binary { size: length },
                _ => ColumnType::Char { chars: length, collation },
            };
        }
        let text = || ColumnType::text_for(u64::from(self.length), collation);
        ColumnType::varchar("", self.length, collation).unwrap_or_else(|_| text())
    }
}

/// The width of a point and a fraction.
pub(super) fn fraction(fsp: u8) -> u32 {
    u32::from(fsp) + u32::from(fsp > 0)
}
