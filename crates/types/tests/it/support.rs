//! What the data-driven tests share: SQL literals and column types as the data files write them.

use std::fmt::Write as _;

use types::charset::Charset;
use types::collation::Collation;
use types::column::{Column, ColumnType, IntSize, Labels, LobSize, Sign};
use types::context::Context;
use types::json::Json;
use types::sql_mode::SqlMode;
use types::temporal::{Date, DatePolicy, TimeZone, parse_datetime, parse_time};
use types::value::{Value, ValueRef};
use types::warning::{Level, Warnings};

/// The collation of the recording session.
pub const CI: Collation = Collation::Utf8mb4GeneralCi;

/// The date of the recording session: `SET timestamp = 1577934245`.
pub fn today() -> Date {
    Date::new(2020, 1, 2).unwrap()
}

/// A context as the recording session's.
pub fn reading(warnings: &mut Warnings) -> Context<'_> {
    Context::reading(SqlMode::default(), &TimeZone::UTC, today(), warnings)
}

/// The lines of a data file: fields without comments.
pub fn lines(data: &str) -> impl Iterator<Item = Vec<&str>> {
    data.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split('\t').collect())
}

/// A field as the recorder writes it: printable ASCII, the rest as `\xHH`.
pub fn field(bytes: &[u8]) -> String {
    let mut text = String::new();
    for &byte in bytes {
        if byte == b' ' || byte.is_ascii_graphic() && byte != b'\\' {
            text.push(char::from(byte));
        } else {
            write!(text, "\\x{byte:02x}").unwrap();
        }
    }
    if text == "NULL" { "\\x4eULL".to_owned() } else { text }
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// A value as a field.
pub fn value_field(value: ValueRef<'_>) -> String {
    if value.is_null() {
        return "NULL".to_owned();
    }
    let mut text = Vec::new();
    assert!(value.write_text_in(Charset::Utf8mb4, &mut text));
    field(&text)
}

/// The kept warnings as the recorder writes them.
pub fn warnings_field(warnings: &Warnings) -> String {
    let texts = warnings.entries().iter().filter(|warning| warning.level != Level::Error);
    let texts = texts.map(|warning| {
        format!("{} {} {}", warning.level.as_str(), warning.code, field(warning.message.as_bytes()))
    });
    texts.collect::<Vec<_>>().join("; ")
}

/// The value of a literal.
pub fn literal(text: &str) -> Value {
    if text == "NULL" {
        return Value::Null;
    }
    if let Some(quoted) = text.strip_suffix('\'') {
        let (kind, body) = quoted.split_once('\'').unwrap();
        return quoted_literal(kind, body);
    }
    if let Some(json) = text.strip_prefix("CAST('").and_then(|rest| rest.strip_suffix("' AS JSON)")) {
        return Value::json(Json::parse(json).unwrap()).unwrap();
    }
    if let Some(float) = text.strip_prefix("CAST(").and_then(|rest| rest.strip_suffix(" AS FLOAT)")) {
        return Value::Float(float.parse().unwrap());
    }
    if text.contains(['e', 'E']) {
        return Value::Double(text.parse().unwrap());
    }
    if text.contains('.') {
        return Value::Decimal(text.parse().unwrap());
    }
    if let Ok(int) = text.parse::<i64>() {
        return Value::Int(int);
    }
    text.parse::<u64>().map_or_else(|_| Value::Decimal(text.parse().unwrap()), Value::UInt)
}

fn quoted_literal(kind: &str, body: &str) -> Value {
    match kind {
        "" => Value::text(&unescaped(body)),
        "x" => Value::Bytes(from_hex(body)),
        "_latin1 x" => Value::Str(from_hex(body), Collation::Latin1SwedishCi),
        "_utf8mb4 x" => Value::Str(from_hex(body), CI),
        "_ascii" => Value::Str(body.as_bytes().to_vec(), Collation::AsciiGeneralCi),
        "_latin1" => Value::Str(body.as_bytes().to_vec(), Collation::Latin1SwedishCi),
        "_utf8mb4" => Value::text(body),
        "_binary" => Value::Bytes(body.as_bytes().to_vec()),
        "date" => Value::Date(parse_datetime(body.as_bytes(), DatePolicy::LAX).unwrap().value.date()),
        "time" => Value::Time(parse_time(body.as_bytes(), false).unwrap().value),
        "timestamp" => Value::DateTime(parse_datetime(body.as_bytes(), DatePolicy::LAX).unwrap().value),
        _ => panic!("unknown literal {kind}'{body}'"),
    }
}

fn unescaped(body: &str) -> String {
    let mut text = String::new();
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match chars.next().unwrap() {
            '0' => text.push('\0'),
            't' => text.push('\t'),
            'n' => text.push('\n'),
            // LIKE patterns keep their escape.
            wildcard @ ('%' | '_') => text.extend(['\\', wildcard]),
            other => text.push(other),
        }
    }
    text
}

pub fn from_hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// A hexadecimal literal is a number where a number is wanted; that is for the resolver to see, so the tests do.
pub fn for_column(value: Value, ty: ColumnType) -> Value {
    match value {
        Value::Bytes(bytes) if ty.is_numeric() || ty == ColumnType::Year => {
            Value::UInt(bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)))
        }
        _ => value,
    }
}

/// The column of a definition such as `varchar(3) character set latin1 not null`.
pub fn column(definition: &str) -> Column {
    let (definition, nullable) = match definition.strip_suffix(" not null") {
        Some(definition) => (definition, false),
        None => (definition, true),
    };
    Column { table: String::new(), name: "c".into(), ty: column_type(definition), nullable }
}

/// ENUM or SET of the labels behind the name.
fn labelled(name: &str, rest: &str) -> ColumnType {
    let (list, options) = rest.rsplit_once(')').unwrap();
    let names = list.split("','").map(|name| name.trim_matches('\'').replace("''", "'").into_bytes());
    let labels = Labels::new(collation_of(options), names);
    if name == "set" { ColumnType::set("c", labels) } else { ColumnType::enumeration("c", labels) }.unwrap()
}

fn collation_of(options: &str) -> Collation {
    let collation = options.split_once("collate ").and_then(|(_, name)| Collation::from_name(name));
    let of_charset = || {
        let (_, name) = options.split_once("character set ")?;
        Charset::from_name(name).map(Charset::default_collation)
    };
    collation.or_else(of_charset).unwrap_or(CI)
}

fn column_type(definition: &str) -> ColumnType {
    let (name, rest) = definition.split_once(['(', ' ']).unwrap_or((definition, ""));
    if matches!(name, "enum" | "set") {
        return labelled(name, rest);
    }
    let numbers: Vec<u32> = match definition.split_once('(') {
        Some((_, rest)) => rest.split_once(')').unwrap().0.split(',').map(|n| n.parse().unwrap()).collect(),
        None => Vec::new(),
    };
    let first = numbers.first().copied();
    let sign = match () {
        () if rest.contains("zerofill") => Sign::Zerofill,
        () if rest.contains("unsigned") => Sign::Unsigned,
        () => Sign::Signed,
    };
    let collation = collation_of(rest);
    let int = |size| ColumnType::int("c", size, sign, first).unwrap();
    let float = |double| ColumnType::float("c", double, first.zip(numbers.get(1).copied()), sign).unwrap();
    match name {
        "bool" => ColumnType::BOOL,
        "tinyint" => int(IntSize::Tiny),
        "smallint" => int(IntSize::Small),
        "mediumint" => int(IntSize::Medium),
        "int" => int(IntSize::Int),
        "bigint" => int(IntSize::Big),
        "decimal" => ColumnType::decimal("c", first, numbers.get(1).copied(), sign).unwrap(),
        "float" if numbers.len() == 1 => ColumnType::float_of_bits("c", numbers[0], sign).unwrap(),
        "float" => float(false),
        "double" => float(true),
        "char" => ColumnType::char("c", first.unwrap_or(1), collation).unwrap(),
        "varchar" => ColumnType::varchar("c", first.unwrap(), collation).unwrap(),
        "tinytext" => ColumnType::Text { size: LobSize::Tiny, collation },
        "text" if first.is_some() => ColumnType::text_for(first.unwrap().into(), collation),
        "text" => ColumnType::Text { size: LobSize::Normal, collation },
        "mediumtext" => ColumnType::Text { size: LobSize::Medium, collation },
        "longtext" => ColumnType::Text { size: LobSize::Long, collation },
        "binary" => ColumnType::binary("c", first.unwrap_or(1)).unwrap(),
        "varbinary" => ColumnType::varbinary("c", first.unwrap()).unwrap(),
        "tinyblob" => ColumnType::Blob { size: LobSize::Tiny },
        "blob" if first.is_some() => ColumnType::blob_for(first.unwrap().into()),
        "blob" => ColumnType::Blob { size: LobSize::Normal },
        "mediumblob" => ColumnType::Blob { size: LobSize::Medium },
        "longblob" => ColumnType::Blob { size: LobSize::Long },
        "bit" => ColumnType::bit("c", first).unwrap(),
        "year" => ColumnType::Year,
        "json" => ColumnType::Json,
        "date" => ColumnType::Date,
        "time" => ColumnType::time("c", first.unwrap_or(0)).unwrap(),
        "datetime" => ColumnType::datetime("c", first.unwrap_or(0)).unwrap(),
        "timestamp" => ColumnType::timestamp("c", first.unwrap_or(0)).unwrap(),
        _ => panic!("unknown type {definition}"),
    }
}
