//! Takes the literals out of a statement, so that it has one plan whatever its values.
//!
//! `SELECT c FROM t WHERE id = 5` becomes `SELECT c FROM t WHERE id = ?65536` and the literal 5. A client's own
//! parameters are numbered `?0`, `?1`, ...; literals from [`LITERAL_BASE`] on. A pattern of LIKE is numbered from
//! [`OPEN_PATTERN_BASE`] on if it begins with a wildcard: no index helps to find what it matches, so it has another plan.
//! Literals stay where they are part of what the statement means: in a select list (they name columns), in ORDER BY and
//! GROUP BY (they are positions), in types, and behind words that want a literal.
//!
//! An INSERT of many rows that all consist of literals keeps its first row in the text, numbered from
//! [`ROW_LITERAL_BASE`] on, and has the values of all rows aside: a plan for one row serves thousands.

use types::collation::Collation;
use types::value::Value;

use super::literal::{negated, number, text};
use super::{Kind, Lexer, Quoting, Token, Verb};

/// The number of the first literal's placeholder.
pub const LITERAL_BASE: usize = 1 << 16;
/// The same of a literal that is a pattern of LIKE and does not say how texts begin.
pub const OPEN_PATTERN_BASE: usize = 1 << 31;
/// The number of the placeholder for a row's first literal: there are fewer others in any statement.
pub const ROW_LITERAL_BASE: usize = 1 << 32;

/// A statement without its literals.
#[derive(Clone, Debug, Default)]
pub struct Normalised {
    /// What the plan is made from and found by.
    pub text: String,
    /// How many parameters a client gives.
    pub params: usize,
    /// The literals, by their number.
    pub literals: Vec<Value>,
    /// The values of all rows of an INSERT, row after row.
    pub row_literals: Vec<Value>,
    /// Values a row, if `row_literals` are used.
    pub row_size: usize,
}

/// Normalises one statement. `None` if the text is not UTF-8 outside of its literals, or a number is out of range:
/// then the statement is parsed as it is.
pub fn normalise(sql: &[u8], verb: Verb, quoting: Quoting, collation: Collation) -> Option<Normalised> {
    let lexer = Lexer::new(sql, quoting);
    let mut state = Normaliser {
        lexer,
        quoting,
        collation,
        out: Normalised::default(),
        outer: Vec::new(),
        level: Level { is_query: true, replacing: verb != Verb::Select, rolls_up: false },
        keep_next: false,
        behind_like: false,
        type_depth: None,
    };
    state.out.text.reserve(sql.len());
    state.run(verb)?;
    Some(state.out)
}

struct Normaliser<'a> {
    lexer: Lexer<'a>,
    quoting: Quoting,
    collation: Collation,
    out: Normalised,
    /// What surrounds the parentheses that are read.
    outer: Vec<Level>,
    level: Level,
    /// The next literal stays.
    keep_next: bool,
    /// The next literal is a pattern.
    behind_like: bool,
    /// Within the parentheses of a type, at this depth.
    type_depth: Option<usize>,
}

/// What stands between two parentheses, or outside of all.
#[derive(Clone, Copy)]
struct Level {
    /// A statement or subquery: its words say where literals stay.
    is_query: bool,
    /// Literals are taken out here.
    replacing: bool,
    /// HAVING may say again what is grouped by, whose value is another one in totals.
    rolls_up: bool,
}

impl<'a> Normaliser<'a> {
    fn run(&mut self, verb: Verb) -> Option<()> {
        let (mut after_type, mut behind_period) = (false, false);
        let mut end = 0;
        while let Some(token) = self.lexer.next_token() {
            let bytes = self.lexer.text_of(token);
            self.gap(end, token.start);
            end = token.end;
            let type_word = token.kind == Kind::Word && is_type(bytes);
            match token.kind {
                Kind::Param => {
                    self.placeholder(self.out.params);
                    self.out.params += 1;
                }
                Kind::Text | Kind::Number if self.replaces() => self.literal(token)?,
                Kind::Text | Kind::Number | Kind::Special => {
                    self.keep_next = false;
                    self.copy(bytes)?;
                }
                // A name, whatever it says.
                Kind::Word if behind_period => self.copy(bytes)?,
                Kind::Word => {
                    self.copy(bytes)?;
                    self.word(bytes);
                    if verb == Verb::Insert && is_values(bytes) && self.outer.is_empty() {
                        self.rows();
                    }
                }
                Kind::Symbol => {
                    self.symbol(bytes, after_type);
                    self.copy(bytes)?;
                }
                _ => self.copy(bytes)?,
            }
            self.behind_like = match token.kind {
                Kind::Word => !behind_period && bytes.eq_ignore_ascii_case(b"LIKE"),
                Kind::Symbol => self.behind_like && bytes == b"(",
                _ => false,
            };
            after_type = type_word;
            behind_period = token.kind == Kind::Symbol && bytes == b".";
        }
        Some(())
    }

    fn replaces(&self) -> bool {
        self.level.replacing && !self.keep_next && self.type_depth.is_none()
    }

    /// What stands between two tokens: blanks stay as they are where columns are named by their text, elsewhere one
    /// blank is as good as many.
    fn gap(&mut self, start: usize, end: usize) {
        if self.out.text.is_empty() {
            return;
        }
        let between = self.lexer.between(start, end);
        match std::str::from_utf8(between) {
            Ok(blanks) if !self.level.replacing && between.iter().all(u8::is_ascii_whitespace) => {
                self.out.text.push_str(blanks);
            }
            _ => self.out.text.push(' '),
        }
    }

    fn copy(&mut self, bytes: &[u8]) -> Option<()> {
        self.out.text.push_str(std::str::from_utf8(bytes).ok()?);
        Some(())
    }

    fn placeholder(&mut self, number: usize) {
        use std::fmt::Write;
        write!(self.out.text, "?{number}").expect("writing to a String cannot fail");
    }

    fn literal(&mut self, token: Token) -> Option<()> {
        let value = self.value(token)?;
        let says_how_texts_begin =
            || matches!(&value, Value::Str(text, _) if !matches!(text.first(), Some(b'%' | b'_')));
        let is_open = self.behind_like && !says_how_texts_begin();
        let base = if is_open { OPEN_PATTERN_BASE } else { LITERAL_BASE };
        self.placeholder(base + self.out.literals.len());
        self.out.literals.push(value);
        Some(())
    }

    fn value(&self, token: Token) -> Option<Value> {
        let bytes = self.lexer.text_of(token);
        match token.kind {
            Kind::Text => Some(text(bytes, self.quoting.no_backslash_escapes, self.collation)),
            Kind::Number => number(bytes),
            _ => None,
        }
    }

    fn word(&mut self, word: &[u8]) {
        let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
        self.keep_next = word.first() == Some(&b'_') || KEEPERS.iter().any(|keeper| is(keeper));
        if is("VALUES")
            && next_text(&mut self.lexer.clone()).is_some_and(|next| next.eq_ignore_ascii_case(b"ROW"))
        {
            // A query, whose columns have the types of what stands in it.
            self.level = Level { is_query: true, replacing: false, rolls_up: false };
            return;
        }
        let level = &mut self.level;
        let is_next_query = is("UNION") || is("INTERSECT") || is("EXCEPT");
        level.is_query |= is("SELECT") || is_next_query;
        if !level.is_query {
            return;
        }
        if is("FROM") && self.lexer.is_in_window_function() {
            return;
        }
        if is("FROM") || is("LIMIT") || is("HAVING") || is("WHERE") || is("SET") || is("VALUES") {
            // Within a select list all stays: it is a name.
            let keeps = is("HAVING") && level.rolls_up;
            level.replacing = !keeps && self.outer.last().is_none_or(|outer| outer.replacing);
        } else if is("ROLLUP") {
            level.rolls_up = true;
        } else if is_next_query || ["SELECT", "ORDER", "GROUP", "WINDOW"].into_iter().any(is) {
            level.replacing = false;
            level.rolls_up &= !is_next_query;
        }
    }

    fn symbol(&mut self, symbol: &[u8], after_type: bool) {
        self.keep_next = matches!(symbol, b"->" | b"->>");
        match symbol {
            b"(" => {
                self.outer.push(self.level);
                self.level.is_query = false;
                self.level.rolls_up = false;
                if after_type && self.type_depth.is_none() {
                    self.type_depth = Some(self.outer.len());
                }
            }
            b")" => {
                if self.type_depth == Some(self.outer.len()) {
                    self.type_depth = None;
                }
                self.level = self.outer.pop().unwrap_or(self.level);
            }
            _ => {}
        }
    }

    /// Behind VALUES: if all rows are of literals alone, takes them and leaves one row in the text.
    fn rows(&mut self) {
        let mut values = Vec::new();
        let mut behind = self.lexer.clone();
        let Some(row_size) = self.row(&mut behind, &mut values).filter(|size| *size > 0) else {
            return;
        };
        loop {
            let mut next = behind.clone();
            let comma = next.next_token().is_some_and(|token| next.text_of(token) == b",");
            if !comma {
                break;
            }
            if self.row(&mut next, &mut values) != Some(row_size) {
                return;
            }
            behind = next;
        }
        self.out.text.push_str(" (");
        for column in 0..row_size {
            if column > 0 {
                self.out.text.push_str(", ");
            }
            self.placeholder(ROW_LITERAL_BASE + column);
        }
        self.out.text.push(')');
        self.out.row_literals = values;
        self.out.row_size = row_size;
        self.lexer = behind;
    }

    /// Reads `(literal, ...)`; returns how many there are.
    fn row(&self, lexer: &mut Lexer<'a>, values: &mut Vec<Value>) -> Option<usize> {
        if next_text(lexer)? != b"(" {
            return None;
        }
        let mut count = 0;
        loop {
            let mut token = lexer.next_token()?;
            let minus = lexer.text_of(token) == b"-";
            if minus {
                token = lexer.next_token()?;
            }
            let value = match token.kind {
                Kind::Word if lexer.text_of(token).eq_ignore_ascii_case(b"NULL") && !minus => Value::Null,
                Kind::Number if minus => negated(&self.value(token)?)?,
                Kind::Text | Kind::Number if !minus => self.value(token)?,
                _ => return None,
            };
            values.push(value);
            count += 1;
            match next_text(lexer)? {
                b"," => {}
                b")" => return Some(count),
                _ => return None,
            }
        }
    }
}

fn next_text<'a>(lexer: &mut Lexer<'a>) -> Option<&'a [u8]> {
    let token = lexer.next_token()?;
    Some(lexer.text_of(token))
}

/// Behind these a literal is part of the statement.
const KEEPERS: [&str; 10] =
    ["DATE", "TIME", "TIMESTAMP", "ESCAPE", "SEPARATOR", "AS", "INTERVAL", "COLLATE", "AGAINST", "USING"];

fn is_values(word: &[u8]) -> bool {
    word.eq_ignore_ascii_case(b"VALUES") || word.eq_ignore_ascii_case(b"VALUE")
}

/// Types whose parentheses hold sizes.
fn is_type(word: &[u8]) -> bool {
    const TYPES: [&str; 14] = [
        "CHAR",
        "VARCHAR",
        "BINARY",
        "VARBINARY",
        "DECIMAL",
        "DEC",
        "NUMERIC",
        "DATETIME",
        "TIME",
        "TIMESTAMP",
        "FLOAT",
        "DOUBLE",
        "NCHAR",
        "SIGNED",
    ];
    TYPES.iter().any(|name| word.eq_ignore_ascii_case(name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex::split_first;

    fn norm(sql: &str) -> Normalised {
        let (first, _, verb) = split_first(sql.as_bytes(), Quoting::default());
        normalise(first, verb, Quoting::default(), Collation::Utf8mb4GeneralCi).unwrap()
    }

    #[test]
    fn literals_behind_from_are_taken_out() {
        let n = norm("SELECT c, 1 FROM sbtest1 WHERE id=5 AND x='a' ORDER BY 1 LIMIT 10");
        assert_eq!(
            n.text,
            "SELECT c, 1 FROM sbtest1 WHERE id = ?65536 AND x = ?65537 ORDER BY 1 LIMIT ?65538"
        );
        assert_eq!(n.literals.len(), 3);
    }

    #[test]
    fn parameters_and_literals_are_numbered_apart() {
        let n = norm("UPDATE t SET c=?, k=3 WHERE id=?");
        assert_eq!(n.text, "UPDATE t SET c = ?0 , k = ?65536 WHERE id = ?1");
        assert_eq!((n.params, n.literals.len()), (2, 1));
    }

    #[test]
    fn rows_of_literals_share_one_row() {
        let n = norm("INSERT INTO t(a,b) VALUES(1,'x'),(-2,NULL),(3.5,'z') ON DUPLICATE KEY UPDATE a=9");
        assert_eq!(
            n.text,
            "INSERT INTO t ( a , b ) VALUES (?4294967296, ?4294967297) ON DUPLICATE KEY UPDATE a = ?65536"
        );
        assert_eq!((n.row_size, n.row_literals.len(), n.literals.len()), (2, 6, 1));
        let n = norm("INSERT INTO t VALUES(1,now()),(2,now())");
        assert_eq!(n.row_size, 0);
        assert_eq!(n.literals.len(), 2);
        let n = norm("INSERT INTO t VALUES(?,?)");
        assert_eq!((n.row_size, n.params), (0, 2));
    }

    #[test]
    fn patterns_that_begin_with_wildcards_are_numbered_apart() {
        let n = norm("SELECT 1 FROM t WHERE a LIKE 'x%' AND b NOT LIKE ('%x') AND c = '%' AND d LIKE 5");
        assert_eq!(
            n.text,
            "SELECT 1 FROM t WHERE a LIKE ?65536 AND b NOT LIKE ( ?2147483649 ) AND c = ?65538 AND d LIKE ?2147483651"
        );
        assert_eq!(n.literals.len(), 4);
    }

    #[test]
    fn literals_of_rows_that_are_queries_stay() {
        let text = "SELECT * FROM ( VALUES ROW ( 1 , 'x' ) , ROW ( 2 , 'y' ) ) v WHERE a = ?65536";
        assert_eq!(norm(&text.replace("?65536", "5")).text, text);
    }

    #[test]
    fn literals_that_mean_something_stay() {
        let n = norm(
            "SELECT a FROM t WHERE CAST(a AS CHAR(10)) = _utf8mb4'x' AND d > DATE '2020-01-01' AND b LIKE 'a' ESCAPE '|'",
        );
        assert_eq!(n.literals.len(), 1);
        assert!(
            n.text.contains("CHAR ( 10 )")
                && n.text.contains("DATE '2020-01-01'")
                && n.text.contains("ESCAPE '|'")
        );
    }
}
