//! The recorded lines.

use std::path::PathBuf;

/// One expression and what MySQL answered.
#[derive(Clone, Debug)]
pub struct Line {
    pub file: &'static str,
    pub expression: String,
    pub value: String,
    pub definition: String,
    pub warnings: String,
}

pub const FILES: &[&str] = &[
    "literals",
    "arithmetic",
    "comparison",
    "casts",
    "control",
    "numeric",
    "string",
    "temporal",
    "aggregates",
    "syntax",
    "labels",
    "json",
    "collations",
];

pub fn read(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(format!("{name}.tsv"));
    #[expect(clippy::disallowed_methods, reason = "tests read their data")]
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub fn lines(file: &'static str) -> Vec<Line> {
    let text = read(file);
    let content = text.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '@']));
    content
        .map(|line| {
            let mut fields = line.split('\t').map(str::to_owned);
            let mut field = || fields.next().unwrap_or_default();
            Line { file, expression: field(), value: field(), definition: field(), warnings: field() }
        })
        .collect()
}

/// A value as the recorder writes it.
pub fn field(bytes: Option<&[u8]>) -> String {
    let Some(bytes) = bytes else { return "NULL".to_owned() };
    let text = std::str::from_utf8(bytes).ok();
    let text = text.filter(|text| !text.chars().any(|c| u32::from(c) < 32 && !"\t\n\r\0".contains(c)));
    let shown = match text {
        None => {
            let hex = bytes.iter().map(|byte| format!("{byte:02X}"));
            format!("0x{}", hex.collect::<String>())
        }
        Some(text) if text.starts_with("0x") => text.to_owned(),
        Some(text) => text.replace('\\', "\\\\"),
    };
    let escaped = [('\t', "\\t"), ('\n', "\\n"), ('\r', "\\r"), ('\0', "\\0"), ('|', "\\p")];
    escaped.into_iter().fold(shown, |text, (from, to)| text.replace(from, to))
}

/// Long answers are kept by size and beginning.
pub fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= 300 {
        return text.to_owned();
    }
    let beginning: String = text.chars().take(40).collect();
    format!("{beginning}...({count})")
}
