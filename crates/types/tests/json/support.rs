//! What the tests share: values as the data files write them, and any value for properties.

use proptest::prelude::*;
use types::json::{Json, Opaque, encode};
use types::temporal::{Date, DatePolicy, DateTime, Time, parse_datetime, parse_time};

/// The lines of a data file: fields without comments, escapes resolved.
pub fn lines(data: &str) -> impl Iterator<Item = Vec<String>> {
    data.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').map(unescaped).collect())
}

fn unescaped(field: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = field;
    while let Some(at) = rest.find("\\x") {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        bytes.push(u8::from_str_radix(&rest[at + 2..at + 4], 16).unwrap());
        rest = &rest[at + 4..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).unwrap()
}

/// JSON text, or a value that has none: `date:2020-01-02`, `decimal:1.50`, `opaque252:6162`.
pub fn value(text: &str) -> Json {
    let kind_end = text.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(text.len());
    let (kind, rest) = text.split_at(kind_end);
    let Some((code, body)) =
        rest.split_once(':').filter(|(code, _)| code.bytes().all(|c| c.is_ascii_digit()))
    else {
        return Json::parse(text).unwrap();
    };
    match kind {
        "decimal" => Json::decimal(body.strip_suffix('.').unwrap_or(body).parse().unwrap()),
        "double" => Json::Double(body.parse().unwrap()),
        "uint" => Json::UInt(body.parse().unwrap()),
        "date" => Json::Date(datetime(body).date()),
        "time" => Json::Time(parse_time(body.as_bytes(), false).unwrap().value),
        "datetime" => Json::DateTime(datetime(body)),
        "timestamp" => Json::Timestamp(datetime(body)),
        "opaque" => Json::Opaque(Opaque { field_type: code.parse().unwrap(), bytes: from_hex(body) }),
        "" => Json::parse(text).unwrap(),
        _ => panic!("unknown value {text}"),
    }
}

fn datetime(text: &str) -> DateTime {
    parse_datetime(text.as_bytes(), DatePolicy::LAX).unwrap().value
}

pub fn from_hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

pub fn encoded(value: &Json) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(value, &mut bytes).unwrap();
    bytes
}

/// Any value.
pub fn any_json() -> impl Strategy<Value = Json> {
    any_scalar().prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::Array),
            prop::collection::vec((any_text(), inner), 0..6)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c]{0,2}", any::<String>(), Just("k".repeat(200))]
}

fn any_scalar() -> impl Strategy<Value = Json> {
    let small = -3_i64..4;
    prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        small.clone().prop_map(Json::Int),
        small.clone().prop_map(|value| Json::Double(value as f64 / 2.0)),
        small.prop_map(|value| Json::decimal(format!("{value}.50").parse().unwrap())),
        any::<i64>().prop_map(Json::Int),
        any::<u64>().prop_map(Json::UInt),
        any::<i32>().prop_map(|value| Json::Int(value.into())),
        any::<u16>().prop_map(|value| Json::UInt(value.into())),
        any::<f64>().prop_filter("finite", |value| value.is_finite()).prop_map(Json::Double),
        (any::<i64>(), 0_u8..30)
            .prop_map(|(value, scale)| Json::decimal(format!("{value}.{scale:02}").parse().unwrap())),
        any_text().prop_map(Json::String),
        (0_u16..10_000, 0_u8..13, 0_u8..32)
            .prop_map(|(year, month, day)| Json::Date(Date::new(year, month, day).unwrap())),
        (-Time::MICROS_MAX..=Time::MICROS_MAX)
            .prop_map(|micros| Json::Time(Time::from_micros(micros, 6).unwrap())),
        (0_i64..4_000_000_000, 0_u32..1_000_000, any::<bool>()).prop_map(|(seconds, micros, timestamp)| {
            let value = DateTime::from_unix_seconds(seconds, micros, 6).unwrap();
            if timestamp { Json::Timestamp(value) } else { Json::DateTime(value) }
        }),
        (prop_oneof![Just(15_u8), Just(16), Just(252)], prop::collection::vec(any::<u8>(), 0..5))
            .prop_map(|(field_type, bytes)| Json::Opaque(Opaque { field_type, bytes })),
    ]
}
