//! What `sqlparser` does not read of queries, in tokens that it does read: `FROM (a, b)` is `FROM ((a) CROSS JOIN (b))`,
//! `TABLE t` is `SELECT * FROM t`, and `FOR UPDATE OF a, b NOWAIT` is `FOR UPDATE OF a NOWAIT FOR UPDATE OF b NOWAIT`.
//!
//! A comma binds weaker than JOIN, so each table of a list gets parentheses of its own. New tokens have the place of those
//! that they stand for.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// What stands between two parentheses, or outside of all.
#[derive(Clone, Copy, Default)]
struct Level {
    /// Tables are listed here: behind FROM, or in parentheses among tables.
    lists: bool,
    /// In parentheses among tables, where it begins.
    open: Option<usize>,
    /// A comma stands between its tables.
    has_comma: bool,
}

/// Tokens that are replaced or get others around them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Open,
    Comma,
    Close,
}

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let tokens = split_locks(tokens);
    let marks = marks(&tokens);
    let is_table = |token: &TokenWithSpan| keyword(&token.token) == Some(Keyword::TABLE);
    if marks.is_empty() && !tokens.iter().any(is_table) {
        return tokens;
    }
    let mut marks = marks.into_iter().peekable();
    let mut out = Vec::with_capacity(tokens.len() + 16);
    for (place, token) in tokens.into_iter().enumerate() {
        let mut push = |token: Token, span| out.push(TokenWithSpan::new(token, span));
        let span = token.span;
        match marks.next_if(|(marked, _)| *marked == place) {
            Some((_, Mark::Open)) => (0..2).for_each(|_| push(Token::LParen, span)),
            Some((_, Mark::Close)) => (0..2).for_each(|_| push(Token::RParen, span)),
            Some((_, Mark::Comma)) => {
                push(Token::RParen, span);
                push(Token::make_keyword("CROSS"), span);
                push(Token::make_keyword("JOIN"), span);
                push(Token::LParen, span);
            }
            None if is_table(&token) => {
                push(Token::make_keyword("SELECT"), span);
                push(Token::Mul, span);
                push(Token::make_keyword("FROM"), span);
            }
            None => out.push(token),
        }
    }
    out
}

/// Gives each table behind OF a clause of its own, in one pass: a list may be as long as a statement.
fn split_locks(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let word = |place: usize| tokens.get(place).and_then(|at| keyword(&at.token));
    let is_lock = |place: usize| {
        word(place) == Some(Keyword::FOR)
            && matches!(word(place + 1), Some(Keyword::UPDATE | Keyword::SHARE))
            && word(place + 2) == Some(Keyword::OF)
    };
    if !(0..tokens.len()).any(is_lock) {
        return tokens;
    }
    let mut out = Vec::with_capacity(tokens.len() + 16);
    let mut place = 0;
    while place < tokens.len() {
        if !is_lock(place) {
            out.push(tokens[place].clone());
            place += 1;
            continue;
        }
        let (start, end) = (place + 3, end_of_names(&tokens, place + 3));
        let waits = match (word(end), word(end + 1)) {
            (Some(Keyword::NOWAIT), _) => 1,
            (Some(Keyword::SKIP), Some(Keyword::LOCKED)) => 2,
            _ => 0,
        };
        out.extend_from_slice(&tokens[place..start]);
        for name in &tokens[start..end] {
            if name.token == Token::Comma {
                let between = tokens[end..end + waits].iter().chain(&tokens[place..start]);
                out.extend(between.map(|token| TokenWithSpan::new(token.token.clone(), name.span)));
            } else {
                out.push(name.clone());
            }
        }
        place = end;
    }
    out
}

/// Where a list of names of tables ends that begins at a place.
fn end_of_names(tokens: &[TokenWithSpan], mut place: usize) -> usize {
    let is = |place: usize, wanted: &Token| tokens.get(place).is_some_and(|at| at.token == *wanted);
    loop {
        place += if is(place + 1, &Token::Period) { 3 } else { 1 };
        if !is(place, &Token::Comma) {
            return place.min(tokens.len());
        }
        place += 1;
    }
}

/// The parentheses and commas of lists of tables, in the order of the text.
fn marks(tokens: &[TokenWithSpan]) -> Vec<(usize, Mark)> {
    let mut marks = Vec::new();
    let (mut outer, mut level) = (Vec::new(), Level::default());
    let mut before: Option<&Token> = None;
    for (place, TokenWithSpan { token, .. }) in tokens.iter().enumerate() {
        match token {
            Token::LParen => {
                let among_tables = match before {
                    Some(Token::LParen | Token::Comma) => level.lists,
                    Some(word) => matches!(
                        keyword(word),
                        Some(Keyword::FROM | Keyword::JOIN | Keyword::STRAIGHT_JOIN | Keyword::UPDATE)
                    ),
                    None => false,
                };
                let open = among_tables.then_some(place);
                outer.push(std::mem::replace(
                    &mut level,
                    Level { lists: among_tables, open, has_comma: false },
                ));
            }
            Token::RParen => {
                if let (true, Some(open)) = (level.has_comma, level.open) {
                    marks.extend([(open, Mark::Open), (place, Mark::Close)]);
                }
                level = outer.pop().unwrap_or_default();
            }
            Token::Comma if level.lists && level.open.is_some() => {
                level.has_comma = true;
                marks.push((place, Mark::Comma));
            }
            _ => level.note(keyword(token)),
        }
        before = Some(token);
    }
    marks.sort_by_key(|(place, _)| *place);
    marks
}

impl Level {
    fn note(&mut self, keyword: Option<Keyword>) {
        match keyword {
            Some(Keyword::FROM | Keyword::JOIN | Keyword::STRAIGHT_JOIN) => self.lists = true,
            Some(
                Keyword::SELECT
                | Keyword::WITH
                | Keyword::WHERE
                | Keyword::GROUP
                | Keyword::HAVING
                | Keyword::ORDER
                | Keyword::LIMIT
                | Keyword::SET
                | Keyword::VALUES
                | Keyword::TABLE,
            ) => *self = Self::default(),
            _ => {}
        }
    }
}

/// The keyword that a token is, if it has no quotes.
pub(super) fn keyword(token: &Token) -> Option<Keyword> {
    match token {
        Token::Word(word) if word.quote_style.is_none() => Some(word.keyword),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::cursor::Cursor;
    use crate::parse::{Mode, tokens};

    fn rewritten(sql: &str) -> String {
        let cursor = Cursor::new(sql.as_bytes(), Mode::default()).unwrap();
        let tokens = tokens::convert(&cursor, 0, cursor.tokens().len()).unwrap();
        let words: Vec<String> = rewrite(tokens).iter().map(|token| token.token.to_string()).collect();
        words.join(" ")
    }

    #[test]
    fn lists_of_tables_become_joins() {
        for (sql, wanted) in [
            ("SELECT 1 FROM (a, b)", "SELECT 1 FROM ( ( a ) CROSS JOIN ( b ) )"),
            ("SELECT 1 FROM a JOIN (b, c) ON 1", "SELECT 1 FROM a JOIN ( ( b ) CROSS JOIN ( c ) ) ON 1"),
            (
                "SELECT 1 FROM ((a, b), c)",
                "SELECT 1 FROM ( ( ( ( a ) CROSS JOIN ( b ) ) ) CROSS JOIN ( c ) )",
            ),
            (
                "SELECT 1 FROM x, (a JOIN b ON f(1, 2), c)",
                "SELECT 1 FROM x , ( ( a JOIN b ON f ( 1 , 2 ) ) CROSS JOIN ( c ) )",
            ),
            (
                "SELECT 1 FROM (SELECT 1, 2 FROM (a, b)) d",
                "SELECT 1 FROM ( SELECT 1 , 2 FROM ( ( a ) CROSS JOIN ( b ) ) ) d",
            ),
        ] {
            assert_eq!(rewritten(sql), wanted);
        }
    }

    #[test]
    fn each_table_behind_of_gets_a_clause() {
        for (sql, wanted) in [
            ("SELECT 1 FROM a, b FOR UPDATE OF a, b", "SELECT 1 FROM a , b FOR UPDATE OF a FOR UPDATE OF b"),
            (
                "SELECT 1 FOR SHARE OF a, x.b, `c` SKIP LOCKED FOR UPDATE OF d, e NOWAIT",
                "SELECT 1 FOR SHARE OF a SKIP LOCKED FOR SHARE OF x . b SKIP LOCKED FOR SHARE OF `c` SKIP LOCKED \
                 FOR UPDATE OF d NOWAIT FOR UPDATE OF e NOWAIT",
            ),
            ("SELECT 1 FOR UPDATE OF a", "SELECT 1 FOR UPDATE OF a"),
            ("SELECT 1 FOR UPDATE OF a,", "SELECT 1 FOR UPDATE OF a FOR UPDATE OF"),
            ("SELECT 1 FOR UPDATE OF", "SELECT 1 FOR UPDATE OF"),
        ] {
            assert_eq!(rewritten(sql), wanted);
        }
    }

    #[test]
    fn a_long_list_behind_of_is_read_in_one_pass() {
        let names = vec!["a"; 200_000].join(", ");
        let words = rewritten(&format!("SELECT 1 FOR UPDATE OF {names}"));
        assert_eq!(words.matches("FOR UPDATE OF a").count(), 200_000);
    }

    #[test]
    fn other_lists_stay() {
        for sql in [
            "SELECT f ( 1 , 2 ) , ( 1 , 2 ) FROM a WHERE ( 1 , 2 ) IN ( ( 1 , 2 ) , ( 3 , 4 ) )",
            "SELECT 1 FROM ( SELECT a , b FROM t , u WHERE ( a , b ) = ( 1 , 2 ) GROUP BY a , b ) d",
            "SELECT 1 FROM a JOIN b USING ( x , y ) JOIN c ON ( a , b ) = ( 1 , 2 )",
            "SELECT 1 FROM a USE INDEX ( i , j ) , b",
            "SELECT 1 FROM ( a JOIN b ON f ( 1 , 2 ) )",
            "INSERT INTO t ( a , b ) VALUES ( 1 , 2 ) , ( 3 , 4 )",
            "SELECT 1 FROM ( VALUES ROW ( 1 , 2 ) , ROW ( 3 , 4 ) ) d ( a , b )",
        ] {
            assert_eq!(rewritten(sql), sql);
        }
    }

    #[test]
    fn table_is_a_query() {
        assert_eq!(rewritten("TABLE a UNION TABLE b"), "SELECT * FROM a UNION SELECT * FROM b");
        assert_eq!(rewritten("SELECT `table` FROM a"), "SELECT `table` FROM a");
        assert_eq!(rewritten("SELECT a.table FROM a"), "SELECT a . `table` FROM a");
    }
}
