//! Column types and random values of them, each as a literal of SQL and as the text that every consumer must make of it.
//!
//! The text of a value, which the programs in `crates/accept/clients` produce from what their libraries give them:
//!
//! | value | text |
//! | --- | --- |
//! | integer, DECIMAL | as MySQL prints it |
//! | FLOAT, DOUBLE | the bits of the IEEE number, 8 or 16 hexadecimal digits: no rounding to argue about |
//! | text | itself |
//! | bytes | hexadecimal digits behind `x` |
//! | ENUM, SET | the label; labels in the order of the definition, with commas |
//! | YEAR, BIT | a number |
//! | JSON | without blanks |
//! | DATE, TIME, DATETIME | as MySQL prints it, without zeros at the end of a fraction; TIMESTAMP in UTC |
//! | text or bytes beyond [`WHOLE_MAX`] | `#`, length in bytes, `:`, CRC32 in eight hexadecimal digits |

use std::fmt::Write;

use rig::random::Random;

/// Most bytes that are written whole.
const WHOLE_MAX: usize = 256;

/// What text is made of: one to four bytes of UTF-8 each, and whatever must be escaped.
const CHARACTERS: [char; 16] = [
    'a',
    'Z',
    '7',
    ' ',
    '\'',
    '"',
    '\\',
    '\n',
    '\t',
    '%',
    '\u{e4}',
    '\u{df}',
    '\u{416}',
    '\u{4e2d}',
    '\u{1f600}',
    '\u{1f959}',
];

/// Labels of ENUM and SET. No quote: canal loses it when it reads the definition, from MySQL too.
const LABELS: [&str; 5] = ["small", "it is", "gr\u{f6}\u{df}er", "\u{4e2d}", "5"];

/// A column's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// TINYINT to BIGINT by their bits.
    Int { bits: u8, unsigned: bool },
    /// DECIMAL.
    Decimal { precision: u8, scale: u8 },
    /// FLOAT.
    Float,
    /// DOUBLE.
    Double,
    /// CHAR of so many characters.
    Char(u8),
    /// VARCHAR of so many characters.
    Varchar(u16),
    /// MEDIUMTEXT.
    Text,
    /// BINARY of so many bytes.
    Binary(u8),
    /// VARBINARY of so many bytes.
    Varbinary(u16),
    /// LONGBLOB.
    Blob,
    /// ENUM of [`LABELS`].
    Enum,
    /// SET of [`LABELS`].
    Set,
    /// YEAR.
    Year,
    /// BIT of so many bits.
    Bit(u8),
    /// JSON: objects, arrays and scalars; names are in the order of MySQL and in that of the alphabet.
    Json,
    /// DATE.
    Date,
    /// TIME with so many digits of a second's fraction, and so on.
    Time(u8),
    /// DATETIME.
    DateTime(u8),
    /// TIMESTAMP.
    Timestamp(u8),
}

/// A value in both forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datum {
    /// As SQL has it.
    pub literal: String,
    /// As consumers must write it.
    pub text: String,
}

impl Kind {
    /// As CREATE TABLE has it.
    pub fn sql(self) -> String {
        match self {
            Self::Int { bits, unsigned } => {
                let name = match bits {
                    8 => "TINYINT",
                    16 => "SMALLINT",
                    24 => "MEDIUMINT",
                    32 => "INT",
                    _ => "BIGINT",
                };
                format!("{name}{}", if unsigned { " UNSIGNED" } else { "" })
            }
            Self::Decimal { precision, scale } => format!("DECIMAL({precision},{scale})"),
            Self::Float => "FLOAT".to_owned(),
            Self::Double => "DOUBLE".to_owned(),
            Self::Char(chars) => format!("CHAR({chars})"),
            Self::Varchar(chars) => format!("VARCHAR({chars})"),
            Self::Text => "MEDIUMTEXT".to_owned(),
            Self::Binary(size) => format!("BINARY({size})"),
            Self::Varbinary(size) => format!("VARBINARY({size})"),
            Self::Blob => "LONGBLOB".to_owned(),
            Self::Enum => format!("ENUM({})", labels()),
            Self::Set => format!("SET({})", labels()),
            Self::Year => "YEAR".to_owned(),
            Self::Bit(bits) => format!("BIT({bits})"),
            Self::Json => "JSON".to_owned(),
            Self::Date => "DATE".to_owned(),
            Self::Time(fsp) => format!("TIME({fsp})"),
            Self::DateTime(fsp) => format!("DATETIME({fsp})"),
            // With NULL written out: older defaults make a TIMESTAMP NOT NULL.
            Self::Timestamp(fsp) => format!("TIMESTAMP({fsp}) NULL"),
        }
    }

    /// Any value of the type; the ends of its range more often than others.
    pub fn random(self, random: &mut Random) -> Datum {
        match self {
            Self::Int { bits, unsigned } => plain(int(bits, unsigned, random)),
            Self::Decimal { precision, scale } => plain(decimal(precision, scale, random)),
            Self::Float => float(random),
            Self::Double => double(random),
            // A blank at the end of a CHAR is not kept.
            Self::Char(chars) => text(&(characters(random, u64::from(chars) - 1) + "|")),
            Self::Varchar(chars) => text(&characters(random, u64::from(chars))),
            Self::Text => text(&characters(random, 400)),
            Self::Binary(size) => {
                // A zero at the end of a BINARY is not in the row image, and not every consumer puts it back.
                let mut val: Vec<u8> = (1..size).map(|_| random.byte()).collect();
                val.push(random.byte() | 1);
                bytes(&val)
            }
            Self::Varbinary(size) => bytes(&random.bytes(u64::from(size))),
            Self::Blob => bytes(&random.bytes(600)),
            Self::Enum => text(random.pick::<&str>(&LABELS)),
            // Not the empty one: python-mysql-replication takes it for NULL.
            Self::Set => {
                let bits = 1 + random.below((1 << LABELS.len()) - 1);
                let chosen = LABELS.iter().enumerate().filter(|(place, _)| bits >> place & 1 != 0);
                text(&chosen.map(|(_, label)| *label).collect::<Vec<_>>().join(","))
            }
            // Nor year 0, which it takes for 1900.
            Self::Year => number(1901 + random.below(255)),
            Self::Bit(bits) => number(random.number() >> (64 - bits)),
            Self::Json => {
                // Within an array: python-mysql-replication takes `null` alone for NULL.
                let val = format!("[{}]", json(random, 3));
                Datum { literal: format!("'{}'", val.replace(',', ", ")), text: val }
            }
            Self::Date => quoted(&date(random, 1000, 9999)),
            Self::Time(fsp) => quoted(&time(fsp, random)),
            Self::DateTime(fsp) => quoted(&(date(random, 1000, 9999) + " " + &clock(fsp, random))),
            Self::Timestamp(fsp) => quoted(&(date(random, 1971, 2037) + " " + &clock(fsp, random))),
        }
    }
}

/// So many bytes, made by the server from a pattern; for values that make large statements.
pub fn repeated(pattern: &[u8], times: usize) -> Datum {
    let datum = bytes(pattern);
    Datum { literal: format!("REPEAT({}, {times})", datum.literal), text: digest(&pattern.repeat(times)) }
}

/// A number.
pub fn number(val: u64) -> Datum {
    plain(val.to_string())
}

/// A JSON text without blanks, nested so deep at most.
fn json(random: &mut Random, depth: u8) -> String {
    let many = |random: &mut Random, one: &dyn Fn(&mut Random, &str) -> String| {
        let count = random.below(4);
        let names = ["a", "b", "c", "d"].iter().zip(0..count);
        names.map(|(name, _)| one(random, name)).collect::<Vec<_>>().join(",")
    };
    match random.below(if depth > 0 { 8 } else { 5 }) {
        0 => (*random.pick(&["true", "false", "null"])).to_owned(),
        1 => (random.number() >> random.below(64)).to_string(),
        2 => format!("-{}", 1 + random.below(1 << 40)),
        3 => format!("{}.5", random.below(1000)),
        4 => format!("\"{}\"", random.pick(&["", "text", "\u{e4}\u{4e2d}"])),
        5 => format!("[{}]", many(random, &|random, _| json(random, depth - 1))),
        _ => {
            let member = |random: &mut Random, name: &str| format!("\"{name}\":{}", json(random, depth - 1));
            format!("{{{}}}", many(random, &member))
        }
    }
}

fn labels() -> String {
    LABELS.map(|label| format!("'{}'", label.replace('\'', "''"))).join(", ")
}

fn plain(text: String) -> Datum {
    Datum { literal: text.clone(), text }
}

fn quoted(text: &str) -> Datum {
    let shown = match text.split_once('.') {
        Some((whole, fraction)) if fraction.trim_end_matches('0').is_empty() => whole,
        Some(_) => text.trim_end_matches('0'),
        None => text,
    };
    Datum { literal: format!("'{text}'"), text: shown.to_owned() }
}

fn int(bits: u8, unsigned: bool, random: &mut Random) -> String {
    let span = 1_i128 << bits;
    let low = if unsigned { 0 } else { -span / 2 };
    let offset = match random.below(4) {
        0 => *random.pick(&[0, 1, span / 2 - 1, span / 2, span - 1]),
        _ => i128::from(random.number()) % span,
    };
    (low + offset).to_string()
}

fn decimal(precision: u8, scale: u8, random: &mut Random) -> String {
    let digits = |count: u64, random: &mut Random| {
        (0..count)
            .map(|_| char::from(b'0' + u8::try_from(random.below(10)).expect("a digit")))
            .collect::<String>()
    };
    let whole_digits = random.below(u64::from(precision - scale) + 1);
    let whole = digits(whole_digits, random);
    let fraction = digits(u64::from(scale), random);
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let zero = whole == "0" && fraction.chars().all(|digit| digit == '0');
    let sign = if zero || random.below(2) == 0 { "" } else { "-" };
    format!("{sign}{whole}.{fraction}")
}

/// So few digits that SELECT, which shows six, shows all: a snapshot reads what it shows.
fn float(random: &mut Random) -> Datum {
    let quarters = i16::try_from(random.below(8000)).expect("small") - 4000;
    let val = f32::from(quarters) / 4.0 + 0.0;
    Datum { literal: format!("{val:e}"), text: format!("{:08x}", val.to_bits()) }
}

fn double(random: &mut Random) -> Datum {
    let exponent = i32::try_from(random.below(400)).expect("small") - 200;
    let val = (random.number() >> 11) as f64 * 2_f64.powi(exponent);
    let val = if random.below(2) == 0 { val } else { -val };
    // Zero has one sign only.
    let val = val + 0.0;
    Datum { literal: format!("{val:e}"), text: format!("{:016x}", val.to_bits()) }
}

fn characters(random: &mut Random, len_max: u64) -> String {
    (0..random.below(len_max + 1)).map(|_| *random.pick(&CHARACTERS)).collect()
}

/// Text.
pub fn text(val: &str) -> Datum {
    let literal = format!("'{}'", val.replace('\\', "\\\\").replace('\'', "''"));
    let text = if val.len() > WHOLE_MAX { digest(val.as_bytes()) } else { val.to_owned() };
    Datum { literal, text }
}

fn bytes(val: &[u8]) -> Datum {
    let hex = val.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("a String takes everything");
        hex
    });
    let text = if val.len() > WHOLE_MAX { digest(val) } else { format!("x{hex}") };
    Datum { literal: format!("X'{hex}'"), text }
}

fn digest(val: &[u8]) -> String {
    format!("#{}:{:08x}", val.len(), crc32fast::hash(val))
}

fn date(random: &mut Random, year_min: u64, year_max: u64) -> String {
    let year = year_min + random.below(year_max - year_min + 1);
    format!("{year:04}-{:02}-{:02}", 1 + random.below(12), 1 + random.below(28))
}

fn clock(fsp: u8, random: &mut Random) -> String {
    format!("{:02}{}", random.below(24), minutes(fsp, random))
}

fn minutes(fsp: u8, random: &mut Random) -> String {
    let clock = format!(":{:02}:{:02}", random.below(60), random.below(60));
    if fsp == 0 {
        return clock;
    }
    let width = usize::from(fsp);
    format!("{clock}.{:0width$}", random.below(10_u64.pow(u32::from(fsp))))
}

/// Negative only without a fraction: python-mysql-replication 1.0.17 reads other negative ones wrongly, from MySQL too.
fn time(fsp: u8, random: &mut Random) -> String {
    let sign = if fsp == 0 && random.below(2) == 0 { "-" } else { "" };
    // Not 00: minus nothing is nothing.
    format!("{sign}{:02}{}", 1 + random.below(837), minutes(fsp, random))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_of_their_type_and_written_as_agreed() {
        let mut random = Random::new(1);
        for _ in 0..1000 {
            let val: i64 = Kind::Int { bits: 8, unsigned: false }.random(&mut random).text.parse().unwrap();
            assert!((-128..128).contains(&val));
            let val = Kind::Int { bits: 64, unsigned: true }.random(&mut random).text;
            assert!(val.parse::<u64>().is_ok(), "{val}");
            let val = Kind::Decimal { precision: 5, scale: 2 }.random(&mut random).text;
            assert!(val.trim_start_matches('-').len() <= 6 && val != "-0.00", "{val}");
            let val = Kind::Double.random(&mut random);
            assert_eq!(format!("{:016x}", val.literal.parse::<f64>().unwrap().to_bits()), val.text);
        }
        assert_eq!(quoted("01:02:03.100").text, "01:02:03.1");
        assert_eq!(quoted("01:02:30.000").text, "01:02:30");
        assert_eq!(quoted("2020-10-10").text, "2020-10-10");
        assert_eq!(text("it's \\").literal, "'it''s \\\\'");
        assert_eq!(bytes(&[1, 255]).text, "x01ff");
        assert_eq!(repeated(b"123456789", 1).text, "#9:cbf43926");
    }
}
