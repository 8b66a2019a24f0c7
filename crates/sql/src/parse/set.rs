//! SET.

use sqlparser::ast::Expr;
use types::error::SqlError;

use super::Statement;
use super::account::{self, Account, Auth, Secret};
use super::cursor::{Cursor, utf8};
use super::error::unsupported;
use super::query;
use super::table::data_type::{accept_charset_words, charset_name};
use super::transaction::{AccessMode, IsolationLevel, access_mode};
use crate::lex::{Kind, unescape};

/// One of the assignments of a SET, which are made together or not at all.
#[derive(Clone, Debug)]
pub enum SetItem {
    /// A system variable.
    System {
        /// Which of its values.
        scope: SetScope,
        /// Its name as written: `x`, or `x.y` for a part of a structured one.
        name: String,
        /// The new value.
        value: SetValue,
    },
    /// `@x`; the name without `@`, in lower case.
    User(String, Box<Expr>),
    /// NAMES: a character set (`None` = DEFAULT) and its collation.
    Names(Option<String>, Option<String>),
    /// CHARACTER SET: `None` = DEFAULT.
    CharacterSet(Option<String>),
    /// TRANSACTION.
    Transaction {
        /// Of the next transaction alone, of the session, or of later sessions.
        scope: TransactionScope,
        /// ISOLATION LEVEL.
        isolation: Option<IsolationLevel>,
        /// READ ONLY, READ WRITE.
        access: Option<AccessMode>,
    },
    /// PASSWORD: whose (`None` = one's own) and which.
    Password(Option<Account>, Auth),
}

impl SetItem {
    /// The expression whose value is assigned, if it is one.
    pub fn expr(&self) -> Option<&Expr> {
        match self {
            Self::User(_, expr) | Self::System { value: SetValue::Expr(expr), .. } => Some(expr),
            _ => None,
        }
    }
}

/// Which value of a system variable is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetScope {
    /// The session's: also what is meant if nothing is said.
    Session,
    /// `@@` alone: as `Session`, but for a transaction's characteristics, the next transaction's.
    Bare,
    /// The server's.
    Global,
    /// The server's, also after a restart.
    Persist,
    /// The server's after a restart.
    PersistOnly,
}

/// Which transactions SET TRANSACTION is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionScope {
    /// The next one of this session.
    Next,
    /// All of this session.
    Session,
    /// All of later sessions.
    Global,
}

/// A value for a system variable.
#[derive(Clone, Debug)]
pub enum SetValue {
    /// DEFAULT.
    Default,
    /// A word without quotes: ON, ROW, `utf8mb4`. It stands for itself as a text.
    Word(String),
    /// Anything else.
    Expr(Box<Expr>),
}

type Result<T> = std::result::Result<T, SqlError>;

/// Behind SET.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Statement> {
    refuse(cursor)?;
    if let Some(item) = transaction(cursor)? {
        cursor.expect_end()?;
        return Ok(Statement::Set(vec![item]));
    }
    // A scope holds for the assignments behind it that say none.
    let mut scope = SetScope::Session;
    let items = cursor.list(|cursor| item(cursor, &mut scope))?;
    cursor.expect_end()?;
    Ok(Statement::Set(items))
}

fn refuse(cursor: &Cursor<'_>) -> Result<()> {
    const MISSING: [&str; 3] = ["ROLE", "DEFAULT ROLE", "RESOURCE GROUP"];
    for words in MISSING {
        // `SET role = 1` would be a variable.
        if cursor.is(words) && !cursor.is(&format!("{words} =")) && !cursor.is(&format!("{words} :=")) {
            return Err(unsupported(&format!("SET {words}")));
        }
    }
    Ok(())
}

/// `[GLOBAL | SESSION | LOCAL] TRANSACTION ..`
fn transaction(cursor: &mut Cursor<'_>) -> Result<Option<SetItem>> {
    let start = cursor.position();
    let scope = match cursor.accept_any(&["GLOBAL", "SESSION", "LOCAL"]) {
        None => TransactionScope::Next,
        Some("GLOBAL") => TransactionScope::Global,
        Some(_) => TransactionScope::Session,
    };
    if !cursor.is("TRANSACTION ISOLATION") && !cursor.is("TRANSACTION READ") {
        cursor.set_position(start);
        return Ok(None);
    }
    cursor.accept("TRANSACTION");
    let (mut isolation, mut access) = (None, None);
    loop {
        if isolation.is_none() && cursor.accept("ISOLATION") {
            cursor.expect("LEVEL")?;
            isolation = Some(isolation_level(cursor)?);
        } else if access.is_none() && cursor.is("READ") {
            access = Some(access_mode(cursor)?);
        } else {
            return Err(cursor.error());
        }
        if !cursor.accept(",") {
            return Ok(Some(SetItem::Transaction { scope, isolation, access }));
        }
    }
}

fn isolation_level(cursor: &mut Cursor<'_>) -> Result<IsolationLevel> {
    Ok(
        match cursor.expect_any(&["READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"])? {
            "READ UNCOMMITTED" => IsolationLevel::ReadUncommitted,
            "READ COMMITTED" => IsolationLevel::ReadCommitted,
            "REPEATABLE READ" => IsolationLevel::RepeatableRead,
            _ => IsolationLevel::Serializable,
        },
    )
}

fn item(cursor: &mut Cursor<'_>, scope: &mut SetScope) -> Result<SetItem> {
    if cursor.accept("NAMES") {
        return names(cursor);
    }
    let start = cursor.position();
    if accept_charset_words(cursor) {
        if !cursor.is("=") {
            let default = cursor.accept("DEFAULT");
            return Ok(SetItem::CharacterSet(if default { None } else { Some(charset_name(cursor)?) }));
        }
        cursor.set_position(start);
    }
    if cursor.accept("PASSWORD") {
        return password(cursor);
    }
    if cursor.kind(0) == Some(Kind::Variable) {
        return variable(cursor);
    }
    if let Some(word) = cursor.accept_any(&["GLOBAL", "SESSION", "LOCAL", "PERSIST", "PERSIST_ONLY"]) {
        *scope = scope_of(word).unwrap_or(SetScope::Session);
    }
    let mut name = cursor.name()?;
    if cursor.accept(".") {
        name = format!("{name}.{}", cursor.name_behind_period()?);
    }
    assignment(cursor, *scope, name)
}

fn scope_of(word: &str) -> Option<SetScope> {
    let is = |name: &str| word.eq_ignore_ascii_case(name);
    if is("SESSION") || is("LOCAL") {
        Some(SetScope::Session)
    } else if is("GLOBAL") {
        Some(SetScope::Global)
    } else if is("PERSIST") {
        Some(SetScope::Persist)
    } else if is("PERSIST_ONLY") {
        Some(SetScope::PersistOnly)
    } else {
        None
    }
}

fn names(cursor: &mut Cursor<'_>) -> Result<SetItem> {
    if cursor.accept("DEFAULT") {
        return Ok(SetItem::Names(None, None));
    }
    let charset = charset_name(cursor)?;
    let collation = if cursor.accept("COLLATE") { Some(charset_name(cursor)?) } else { None };
    Ok(SetItem::Names(Some(charset), collation))
}

fn password(cursor: &mut Cursor<'_>) -> Result<SetItem> {
    let whose = if cursor.accept("FOR") { Some(account::account(cursor)?) } else { None };
    if cursor.accept("TO") {
        cursor.expect("RANDOM")?;
        let auth = Auth { plugin: None, secret: Secret::Random, replaces: None };
        return Ok(SetItem::Password(whose, auth));
    }
    cursor.expect("=")?;
    let password = cursor.text()?;
    let replaces = if cursor.accept("REPLACE") { Some(cursor.text()?) } else { None };
    if cursor.is("RETAIN") {
        return Err(unsupported("RETAIN CURRENT PASSWORD"));
    }
    let auth = Auth { plugin: None, secret: Secret::Password(password), replaces };
    Ok(SetItem::Password(whose, auth))
}

/// `@x`, `@@x`, `@@scope.x`
fn variable(cursor: &mut Cursor<'_>) -> Result<SetItem> {
    let Some(token) = cursor.peek() else { return Err(cursor.error()) };
    let text = cursor.text_of(token);
    cursor.advance();
    let Some(system) = text.strip_prefix(b"@@") else {
        let name = user_variable(&text[1..])?;
        if name.is_empty() {
            return Err(cursor.error_at(cursor.position() - 1));
        }
        assignment_sign(cursor)?;
        return Ok(SetItem::User(name, query::expr(cursor)?));
    };
    let whole = utf8(system.iter().copied().filter(|byte| *byte != b'`').collect())?;
    let mut scope = SetScope::Bare;
    let mut name = whole.clone();
    if let Some((first, rest)) = whole.split_once('.')
        && let Some(named) = scope_of(first)
    {
        scope = named;
        // `@@session.` may come before a name in quotes.
        name = if rest.is_empty() { cursor.name_behind_period()? } else { rest.to_owned() };
    }
    assignment(cursor, scope, name)
}

/// The name of a user variable behind its `@`, in lower case.
pub(super) fn user_variable(text: &[u8]) -> Result<String> {
    let name = match text.first() {
        Some(b'\'' | b'"' | b'`') => unescape(text, text[0] == b'`'),
        _ => text.to_vec(),
    };
    Ok(utf8(name)?.to_lowercase())
}

fn assignment_sign(cursor: &mut Cursor<'_>) -> Result<()> {
    cursor.expect_any(&["=", ":="]).map(drop)
}

fn assignment(cursor: &mut Cursor<'_>, scope: SetScope, name: String) -> Result<SetItem> {
    assignment_sign(cursor)?;
    let value = value(cursor)?;
    Ok(SetItem::System { scope, name, value })
}

fn value(cursor: &mut Cursor<'_>) -> Result<SetValue> {
    let ends = |cursor: &Cursor<'_>, ahead| {
        cursor.kind(ahead).is_none() || {
            let token = cursor.tokens().get(cursor.position() + ahead);
            token.is_some_and(|&token| cursor.text_of(token) == b",")
        }
    };
    if let (Some(token), true) = (cursor.peek(), ends(cursor, 1)) {
        let text = cursor.text_of(token);
        let is = |word: &str| text.eq_ignore_ascii_case(word.as_bytes());
        if token.kind == Kind::Word && is("DEFAULT") {
            cursor.advance();
            return Ok(SetValue::Default);
        }
        let reserved = ["ON", "ALL", "BINARY", "ROW", "SYSTEM", "GROUP"].into_iter().any(is);
        if token.kind == Kind::Word && reserved || cursor.at_name() {
            return word(cursor, reserved);
        }
    }
    query::expr(cursor).map(SetValue::Expr)
}

fn word(cursor: &mut Cursor<'_>, reserved: bool) -> Result<SetValue> {
    let word = if reserved { cursor.name_behind_period()? } else { cursor.name()? };
    Ok(SetValue::Word(word))
}
