//! Types of columns as they are written.

use types::error::SqlError;
use types::value::Value;

use crate::lex::Kind;
use crate::parse::cursor::Cursor;
use crate::parse::error::unsupported;
use crate::parse::literal::literal;

/// A type and what stands behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeSpec {
    /// Which.
    pub name: TypeName,
    /// The first number in parentheses.
    pub length: Option<u64>,
    /// The second number in parentheses.
    pub decimals: Option<u64>,
    /// UNSIGNED, as a word; ZEROFILL implies it.
    pub unsigned: bool,
    /// ZEROFILL.
    pub zerofill: bool,
    /// CHARACTER SET and its short forms.
    pub charset: Option<TypeCharset>,
    /// The attribute BINARY: the character set's `_bin` collation.
    pub binary: bool,
    /// The labels of ENUM and SET, in `utf8mb4`.
    pub labels: Vec<Vec<u8>>,
}

/// Names of types, aliases resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TypeName {
    TinyInt,
    SmallInt,
    MediumInt,
    Int,
    BigInt,
    Bool,
    /// BIGINT UNSIGNED NOT NULL AUTO_INCREMENT UNIQUE.
    Serial,
    Decimal,
    Float,
    Double,
    /// DOUBLE, or FLOAT in the mode REAL_AS_FLOAT.
    Real,
    Char,
    Varchar,
    TinyText,
    Text,
    MediumText,
    LongText,
    Binary,
    Varbinary,
    TinyBlob,
    Blob,
    MediumBlob,
    LongBlob,
    Bit,
    Enum,
    Set,
    Year,
    Json,
    Date,
    Time,
    DateTime,
    Timestamp,
}

/// A character set as a type names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeCharset {
    /// CHARACTER SET x.
    Named(String),
    /// NATIONAL, NCHAR: `utf8mb3`.
    National,
    /// BYTE: the binary type of the same size.
    Byte,
    /// ASCII: `latin1`.
    Ascii,
    /// UNICODE: `ucs2`.
    Unicode,
}

type Result<T> = std::result::Result<T, SqlError>;

/// What may stand in parentheses behind a type, and what behind them.
#[derive(Clone, Copy)]
enum Form {
    /// `(n)` and signs.
    Int,
    /// `(m[, d])` and signs.
    Exact,
    /// `(m, d)` and signs.
    Approximate,
    /// `(n)` or `(m, d)`, and signs.
    Float,
    /// `(n)` and a character set.
    Text,
    /// `(n)`, which must be there, and a character set.
    Varying,
    /// Labels and a character set.
    Labels,
    /// `(n)`, and signs that mean nothing.
    Year,
    /// A character set.
    Lob,
    /// `(n)`
    Size,
    /// `(n)`, which must be there.
    NeededSize,
    /// Nothing.
    Bare,
}

/// Names, of up to two words, the longer ones first.
const NAMES: &[(&str, TypeName, Form)] = &[
    ("TINYINT", TypeName::TinyInt, Form::Int),
    ("INT1", TypeName::TinyInt, Form::Int),
    ("SMALLINT", TypeName::SmallInt, Form::Int),
    ("INT2", TypeName::SmallInt, Form::Int),
    ("MEDIUMINT", TypeName::MediumInt, Form::Int),
    ("MIDDLEINT", TypeName::MediumInt, Form::Int),
    ("INT3", TypeName::MediumInt, Form::Int),
    ("INT", TypeName::Int, Form::Int),
    ("INTEGER", TypeName::Int, Form::Int),
    ("INT4", TypeName::Int, Form::Int),
    ("BIGINT", TypeName::BigInt, Form::Int),
    ("INT8", TypeName::BigInt, Form::Int),
    ("BOOL", TypeName::Bool, Form::Bare),
    ("BOOLEAN", TypeName::Bool, Form::Bare),
    ("SERIAL", TypeName::Serial, Form::Bare),
    ("DECIMAL", TypeName::Decimal, Form::Exact),
    ("NUMERIC", TypeName::Decimal, Form::Exact),
    ("DEC", TypeName::Decimal, Form::Exact),
    ("FIXED", TypeName::Decimal, Form::Exact),
    ("FLOAT", TypeName::Float, Form::Float),
    ("FLOAT4", TypeName::Float, Form::Float),
    ("DOUBLE PRECISION", TypeName::Double, Form::Approximate),
    ("DOUBLE", TypeName::Double, Form::Approximate),
    ("FLOAT8", TypeName::Double, Form::Approximate),
    ("REAL", TypeName::Real, Form::Approximate),
    ("CHAR VARYING", TypeName::Varchar, Form::Varying),
    ("CHARACTER VARYING", TypeName::Varchar, Form::Varying),
    ("CHAR", TypeName::Char, Form::Text),
    ("CHARACTER", TypeName::Char, Form::Text),
    ("VARCHAR", TypeName::Varchar, Form::Varying),
    ("VARCHARACTER", TypeName::Varchar, Form::Varying),
    ("TINYTEXT", TypeName::TinyText, Form::Lob),
    ("TEXT", TypeName::Text, Form::Text),
    ("MEDIUMTEXT", TypeName::MediumText, Form::Lob),
    ("LONGTEXT", TypeName::LongText, Form::Lob),
    ("LONG VARBINARY", TypeName::MediumBlob, Form::Bare),
    ("LONG VARCHAR", TypeName::MediumText, Form::Lob),
    ("LONG VARCHARACTER", TypeName::MediumText, Form::Lob),
    ("LONG", TypeName::MediumText, Form::Lob),
    ("BINARY", TypeName::Binary, Form::Size),
    ("VARBINARY", TypeName::Varbinary, Form::NeededSize),
    ("TINYBLOB", TypeName::TinyBlob, Form::Bare),
    ("BLOB", TypeName::Blob, Form::Size),
    ("MEDIUMBLOB", TypeName::MediumBlob, Form::Bare),
    ("LONGBLOB", TypeName::LongBlob, Form::Bare),
    ("BIT", TypeName::Bit, Form::Size),
    ("ENUM", TypeName::Enum, Form::Labels),
    ("SET", TypeName::Set, Form::Labels),
    ("YEAR", TypeName::Year, Form::Year),
    ("JSON", TypeName::Json, Form::Bare),
    ("DATE", TypeName::Date, Form::Bare),
    ("TIME", TypeName::Time, Form::Size),
    ("DATETIME", TypeName::DateTime, Form::Size),
    ("TIMESTAMP", TypeName::Timestamp, Form::Size),
];

/// Names of types in `utf8mb3`.
const NATIONAL: &[(&str, TypeName)] = &[
    ("NATIONAL VARCHAR", TypeName::Varchar),
    ("NATIONAL VARCHARACTER", TypeName::Varchar),
    ("NATIONAL CHAR VARYING", TypeName::Varchar),
    ("NATIONAL CHARACTER VARYING", TypeName::Varchar),
    ("NATIONAL CHAR", TypeName::Char),
    ("NATIONAL CHARACTER", TypeName::Char),
    ("NCHAR VARYING", TypeName::Varchar),
    ("NCHAR VARCHAR", TypeName::Varchar),
    ("NCHAR VARCHARACTER", TypeName::Varchar),
    ("NCHAR", TypeName::Char),
    ("NVARCHAR", TypeName::Varchar),
];

/// Types that MySQL has and we do not.
const MISSING: [&str; 9] = [
    "VECTOR",
    "GEOMETRY",
    "POINT",
    "LINESTRING",
    "POLYGON",
    "MULTIPOINT",
    "MULTILINESTRING",
    "MULTIPOLYGON",
    "GEOMETRYCOLLECTION",
];

/// The type at the cursor. Error 1235 for one that we do not have.
pub(in crate::parse) fn data_type(cursor: &mut Cursor<'_>) -> Result<TypeSpec> {
    if let Some(missing) = cursor.accept_any(&MISSING) {
        return Err(unsupported(&format!("the type {missing}")));
    }
    let mut spec = TypeSpec {
        name: TypeName::Int,
        length: None,
        decimals: None,
        unsigned: false,
        zerofill: false,
        charset: None,
        binary: false,
        labels: Vec::new(),
    };
    if let Some((_, name)) = NATIONAL.iter().find(|(words, _)| cursor.accept(words)) {
        spec.name = *name;
        spec.charset = Some(TypeCharset::National);
        length(cursor, *name == TypeName::Varchar, &mut spec)?;
        spec.binary = cursor.accept("BINARY");
        return Ok(spec);
    }
    let found = NAMES.iter().find(|(words, ..)| cursor.accept(words));
    let (_, name, form) = found.ok_or_else(|| cursor.error())?;
    spec.name = *name;
    match form {
        Form::Exact | Form::Approximate | Form::Float => digits(cursor, *form, &mut spec)?,
        Form::Int | Form::Text | Form::Size | Form::Year => length(cursor, false, &mut spec)?,
        Form::Varying | Form::NeededSize => length(cursor, true, &mut spec)?,
        Form::Labels => labels(cursor, &mut spec)?,
        Form::Lob | Form::Bare => {}
    }
    match form {
        Form::Int | Form::Exact | Form::Approximate | Form::Float | Form::Year => signs(cursor, &mut spec),
        Form::Text | Form::Varying | Form::Labels | Form::Lob => charset(cursor, &mut spec)?,
        Form::Size | Form::NeededSize | Form::Bare => {}
    }
    Ok(spec)
}

fn length(cursor: &mut Cursor<'_>, needed: bool, spec: &mut TypeSpec) -> Result<()> {
    if needed {
        cursor.expect("(")?;
    } else if !cursor.accept("(") {
        return Ok(());
    }
    spec.length = Some(cursor.number()?);
    cursor.expect(")")
}

fn labels(cursor: &mut Cursor<'_>, spec: &mut TypeSpec) -> Result<()> {
    cursor.expect("(")?;
    spec.labels = cursor.list(|cursor| {
        if !matches!(cursor.kind(0), Some(Kind::Text | Kind::Special)) {
            return Err(cursor.error());
        }
        match literal(cursor)? {
            Some(Value::Str(bytes, _) | Value::Bytes(bytes)) => Ok(bytes),
            _ => Err(cursor.error()),
        }
    })?;
    cursor.expect(")")
}

fn digits(cursor: &mut Cursor<'_>, form: Form, spec: &mut TypeSpec) -> Result<()> {
    if !cursor.accept("(") {
        return Ok(());
    }
    spec.length = Some(cursor.number()?);
    let pair = match form {
        Form::Approximate => {
            cursor.expect(",")?;
            true
        }
        _ => cursor.accept(","),
    };
    if pair {
        spec.decimals = Some(cursor.number()?);
    }
    cursor.expect(")")
}

fn signs(cursor: &mut Cursor<'_>, spec: &mut TypeSpec) {
    while let Some(sign) = cursor.accept_any(&["SIGNED", "UNSIGNED", "ZEROFILL"]) {
        spec.unsigned |= sign == "UNSIGNED";
        spec.zerofill |= sign == "ZEROFILL";
    }
}

fn charset(cursor: &mut Cursor<'_>, spec: &mut TypeSpec) -> Result<()> {
    spec.binary = cursor.accept("BINARY");
    if accept_charset_words(cursor) {
        spec.charset = Some(TypeCharset::Named(charset_name(cursor)?));
    } else if !spec.binary && cursor.accept("BYTE") {
        spec.charset = Some(TypeCharset::Byte);
        return Ok(());
    } else if cursor.accept("ASCII") {
        spec.charset = Some(TypeCharset::Ascii);
    } else if cursor.accept("UNICODE") {
        spec.charset = Some(TypeCharset::Unicode);
    }
    spec.binary |= spec.charset.is_some() && cursor.accept("BINARY");
    Ok(())
}

/// CHARACTER SET, CHAR SET, CHARSET.
pub(in crate::parse) fn accept_charset_words(cursor: &mut Cursor<'_>) -> bool {
    cursor.accept_any(&["CHARACTER SET", "CHAR SET", "CHARSET"]).is_some()
}

/// A character set or collation: a name, a text, or the reserved word BINARY.
pub(in crate::parse) fn charset_name(cursor: &mut Cursor<'_>) -> Result<String> {
    if cursor.accept("BINARY") { Ok("binary".to_owned()) } else { cursor.name_or_text() }
}
