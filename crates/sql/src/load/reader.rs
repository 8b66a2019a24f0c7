//! Cuts a file into rows and fields.
//!
//! The file comes in pieces, and a row may end in a later one than it begins: [`RowReader`] keeps where it is, so each byte
//! is looked at once, whatever the size of a row. A few bytes are left for the next piece where they may be the beginning of
//! a separator.
//!
//! What MySQL does at the edges, it does too:
//! - a quote ends a quoted field only in front of a separator or another quote, or at the end of the file; a field whose
//!   quote is not closed there keeps its opening one;
//! - a field of which not even the end comes before that of the file is none;
//! - behind the last field that is wanted, quotes mean nothing: the row ends with its line;
//! - without a separator of lines, a row has as many fields as are wanted;
//! - `\N` alone is NULL, quoted or not; the word NULL is, unquoted, where fields may be quoted.

use super::FileFormat;

/// Where a field ends in the row's bytes.
#[derive(Clone, Copy, Debug)]
struct End {
    at: usize,
    null: bool,
}

/// What the reader does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Passes over so many lines.
    Skipping(u64),
    /// Looks for what a row begins with.
    Starting,
    /// At the beginning of a field.
    Field,
    /// Within a field.
    Within { quoted: bool },
    /// Behind the last field that is wanted, in its line: whether there was anything.
    Rest { cut: bool },
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A row, and whether its line has more fields than are wanted.
    Row { cut: bool },
    /// The end of what was given so far.
    Nothing,
    /// The end of the file.
    End,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct RowReader<'f> {
    format: &'f FileFormat,
    /// Fields of a row.
    wanted: usize,
    state: State,
    /// What was given and not passed, from `at` on.
    input: Vec<u8>,
    at: usize,
    /// There is no more.
    ended: bool,
    /// The fields of the row, one behind another.
    row: Vec<u8>,
    ends: Vec<End>,
    /// `\N` was met in this field.
    null: bool,
}

impl<'f> RowReader<'f> {
    /// For rows of so many fields, behind so many lines that are passed over.
    pub(crate) fn new(format: &'f FileFormat, wanted: usize, skip: u64) -> Self {
        Self {
            format,
            wanted,
            state: State::Skipping(if format.terminator.is_empty() { 0 } else { skip }),
            input: Vec::new(),
            at: 0,
            ended: false,
            row: Vec::new(),
            ends: Vec::new(),
            null: false,
        }
    }

    /// The next piece of the file; an empty one is its end.
    pub(crate) fn give(&mut self, piece: &[u8]) {
        self.input.drain(..self.at);
        self.at = 0;
        self.input.extend_from_slice(piece);
        self.ended |= piece.is_empty();
    }

    /// Bytes of the row that is being read.
    pub(crate) fn size(&self) -> usize {
        self.row.len()
    }

    /// The fields of the row that was found, as many as there are; `None` for NULL.
    pub(crate) fn fields(&self) -> impl Iterator<Item = Option<&[u8]>> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|end| end.at));
        starts.zip(&self.ends).map(|(start, end)| (!end.null).then(|| &self.row[start..end.at]))
    }

    /// Looks for the next row.
    pub(crate) fn next(&mut self) -> Found {
        if matches!(self.state, State::Starting) {
            self.row.clear();
            self.ends.clear();
        }
        loop {
            let found = match self.state {
                State::Skipping(0) => {
                    self.state = State::Starting;
                    continue;
                }
                State::Skipping(lines) => self.rest().map(|_| self.state = State::Skipping(lines - 1)),
                State::Starting => self.start(),
                State::Field => self.field(),
                State::Within { quoted } => self.within(quoted),
                State::Rest { .. } => match self.rest() {
                    Some(cut) => {
                        self.state = State::Starting;
                        return Found::Row { cut };
                    }
                    None => None,
                },
            };
            match found {
                Some(()) => {}
                None if self.ended => return self.at_end(),
                None => return Found::Nothing,
            }
        }
    }

    /// The file has ended here.
    fn at_end(&mut self) -> Found {
        self.at = self.input.len();
        match self.state {
            State::Within { quoted } => {
                if quoted {
                    let start = self.ends.last().map_or(0, |end| end.at);
                    self.row.insert(start, self.format.quote.unwrap_or(b'"'));
                }
                self.end_field(false);
            }
            State::Rest { cut } => {
                self.state = State::Starting;
                return Found::Row { cut };
            }
            State::Field if !self.ends.is_empty() => {}
            State::Field | State::Starting | State::Skipping(_) => return Found::End,
        }
        self.state = State::Starting;
        Found::Row { cut: false }
    }

    fn rest_of_input(&self) -> &[u8] {
        &self.input[self.at..]
    }

    /// Whether a separator stands `ahead` bytes from here; `None` if that is not known before more comes.
    fn is_at(&self, ahead: usize, separator: &[u8]) -> Option<bool> {
        let input = self.rest_of_input().get(ahead..).unwrap_or_default();
        if separator.is_empty() {
            return Some(false);
        }
        if input.len() >= separator.len() || self.ended {
            return Some(input.starts_with(separator));
        }
        if separator.starts_with(input) { None } else { Some(false) }
    }

    /// Looks for what a row begins with.
    fn start(&mut self) -> Option<()> {
        let prefix = &self.format.prefix;
        if !prefix.is_empty() {
            while !self.is_at(0, prefix)? {
                if self.rest_of_input().is_empty() {
                    return None;
                }
                self.at += 1;
            }
            self.at += prefix.len();
        }
        self.state = State::Field;
        Some(())
    }

    /// Begins a field.
    fn field(&mut self) -> Option<()> {
        let first = *self.rest_of_input().first()?;
        let quoted = self.format.quote == Some(first);
        self.at += usize::from(quoted);
        self.null = false;
        self.state = State::Within { quoted };
        Some(())
    }

    /// Reads a field to its end.
    fn within(&mut self, quoted: bool) -> Option<()> {
        let FileFormat { separator, terminator, .. } = self.format;
        let (quote, escape) = (self.format.quote, self.format.escape);
        let stops =
            [quote.filter(|_| quoted), escape, separator.first().copied(), terminator.first().copied()];
        loop {
            let input = self.rest_of_input();
            let plain = input.iter().position(|byte| stops.contains(&Some(*byte))).unwrap_or(input.len());
            self.row.extend_from_slice(&self.input[self.at..self.at + plain]);
            self.at += plain;
            let byte = *self.rest_of_input().first()?;
            if escape == Some(byte) {
                if self.rest_of_input().len() < 2 && !self.ended {
                    return None;
                }
                if self.escaped(byte) {
                    continue;
                }
            }
            if quoted && quote == Some(byte) {
                if self.quote(byte)? {
                    return Some(());
                }
                continue;
            }
            if !quoted && self.is_at(0, terminator)? {
                self.end_row();
                return Some(());
            }
            if !quoted && self.is_at(0, separator)? {
                self.at += separator.len();
                self.end_field(false);
                return Some(());
            }
            self.take_byte();
        }
    }

    fn take_byte(&mut self) {
        self.row.push(self.input[self.at]);
        self.at += 1;
    }

    /// At an escape. False if it has another meaning here: where it is the quote as well, it stands for itself before another
    /// one only.
    fn escaped(&mut self, escape: u8) -> bool {
        let next = self.rest_of_input().get(1).copied();
        if self.format.quote == Some(escape) && next != Some(escape) {
            return false;
        }
        let Some(next) = next else {
            // At the end of the file.
            self.take_byte();
            return true;
        };
        self.null |= next == b'N';
        self.row.push(match next {
            _ if self.format.quote == Some(escape) => next,
            b'0' => 0,
            b'b' => 8,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'Z' => 0x1a,
            other => other,
        });
        self.at += 2;
        true
    }

    /// At a quote in a quoted field. Whether it ends the field.
    fn quote(&mut self, quote: u8) -> Option<bool> {
        let FileFormat { separator, terminator, .. } = self.format;
        let next = self.rest_of_input().get(1).copied();
        if next.is_none() && !self.ended {
            return None;
        }
        if next == Some(quote) {
            self.at += 1;
            self.take_byte();
            return Some(false);
        }
        if next.is_none() {
            self.at += 1;
            self.end_field(true);
            return Some(true);
        }
        if self.is_at(1, terminator)? {
            self.at += 1;
            self.end_field(true);
            self.end_line();
            return Some(true);
        }
        if self.is_at(1, separator)? {
            self.at += 1 + separator.len();
            self.end_field(true);
            return Some(true);
        }
        self.take_byte();
        Some(false)
    }

    /// A line ends with the field.
    fn end_row(&mut self) {
        self.end_field(false);
        self.end_line();
    }

    /// At the end of a line: the row has no more fields.
    fn end_line(&mut self) {
        self.state = State::Rest { cut: false };
    }

    fn end_field(&mut self, quoted: bool) {
        let start = self.ends.last().map_or(0, |end| end.at);
        let text = &self.row[start..];
        let is_null = self.null && text == b"N" || !quoted && self.format.quote.is_some() && text == b"NULL";
        self.ends.push(End { at: self.row.len(), null: is_null });
        self.state = if self.ends.len() < self.wanted { State::Field } else { State::Rest { cut: false } };
    }

    /// Goes behind the end of the line. Whether there was anything in front of it.
    fn rest(&mut self) -> Option<bool> {
        let FileFormat { escape, terminator, .. } = self.format;
        if terminator.is_empty() {
            return Some(false);
        }
        loop {
            let byte = *self.rest_of_input().first()?;
            if *escape == Some(byte) {
                if self.rest_of_input().len() < 2 && !self.ended {
                    return None;
                }
                self.at = (self.at + 2).min(self.input.len());
            } else if self.is_at(0, terminator)? {
                self.at += terminator.len();
                return Some(matches!(self.state, State::Rest { cut: true }));
            } else {
                self.at += 1;
            }
            if let State::Rest { cut } = &mut self.state {
                *cut = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Separators;

    type Rows = Vec<(Vec<Option<String>>, bool)>;

    fn format(fields: &str, quote: &str, escape: &str, lines: &str, start: &str) -> FileFormat {
        let text = |text: &str| Some(text.as_bytes().to_vec());
        let separators = Separators {
            separator: text(fields),
            quote: text(quote),
            quotes_texts: false,
            escape: text(escape),
            terminator: text(lines),
            prefix: text(start),
        };
        separators.format(false).unwrap()
    }

    /// The rows of a file that comes in pieces of this size.
    fn rows(format: &FileFormat, wanted: usize, skip: u64, file: &[u8], size: usize) -> Rows {
        let mut reader = RowReader::new(format, wanted, skip);
        let mut pieces = file.chunks(size);
        let mut rows = Vec::new();
        loop {
            match reader.next() {
                Found::Row { cut } => {
                    let text = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
                    rows.push((reader.fields().map(|field| field.map(text)).collect(), cut));
                }
                Found::Nothing => reader.give(pieces.next().unwrap_or_default()),
                Found::End => return rows,
            }
        }
    }

    fn row(fields: &[&str]) -> (Vec<Option<String>>, bool) {
        (fields.iter().map(|field| (*field != "NULL").then(|| (*field).to_owned())).collect(), false)
    }

    #[test]
    fn pieces_of_any_size_make_the_same_rows() {
        let formats = [
            format("\t", "", "\\", "\n", ""),
            format(",", "\"", "\\", "\r\n", ""),
            format(",", "\"", "\"", "\n", "xx"),
            format("||", "'", "!", "##", ""),
            format(",", "\"", "", "", ""),
            format("ab", "\"", "\\", "aab", "aba"),
        ];
        // All texts of these bytes that are as long as a machine can look at.
        let alphabet = b"a,\"\\\n\r|#N!xb\t'";
        let mut state = 1_u64;
        for round in 0..4000 {
            let mut file = Vec::new();
            for _ in 0..round % 60 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let place = usize::try_from(state >> 33).unwrap() % alphabet.len();
                file.push(alphabet[place]);
            }
            for format in &formats {
                let skip = round % 3;
                let whole = rows(format, 2, skip, &file, 1000);
                for size in [1, 2, 3, 7] {
                    let text = String::from_utf8_lossy(&file);
                    assert_eq!(rows(format, 2, skip, &file, size), whole, "{text:?} {format:?} {size}");
                }
            }
        }
    }

    #[test]
    fn quotes_end_a_field_in_front_of_a_separator_alone() {
        let csv = format(",", "\"", "\\", "\n", "");
        let file = b"\"a\"b\",\"c,d\"\n\"x\"\"y\",NULL\n\"NULL\",\\N\n\"open,z";
        let wanted =
            [row(&["a\"b", "c,d"]), row(&["x\"y", "NULL"]), row(&["NULL?", "NULL"]), row(&["\"open,z"])];
        let mut found = rows(&csv, 2, 0, file, 5);
        assert_eq!(found[2].0[0].as_deref(), Some("NULL"), "a quoted word");
        found[2].0[0] = Some("NULL?".to_owned());
        assert_eq!(found, wanted);
    }

    #[test]
    fn bytes_are_looked_at_once() {
        let csv = format(",", "\"", "\\", "\r\n", "");
        for first in [&b""[..], b"\""] {
            let mut reader = RowReader::new(&csv, 1, 0);
            reader.give(&[first, b"x"].concat());
            for _ in 0..1000 {
                assert_eq!(reader.next(), Found::Nothing);
                assert!(reader.rest_of_input().len() < 2, "what could be the beginning of a separator");
                reader.give(b"xx\\yy\r");
            }
            assert!(reader.size() > 4900);
        }
    }
}
