//! From a statement's text to [`Statement`].
//!
//! Our lexer cuts the text into tokens, and the statement's first words decide who reads them. Queries, changes of
//! rows and expressions are read by `sqlparser`, from our tokens and with a grammar of our own beside MySQL's
//! ([`dialect`]); everything else by the small parsers of this module's children. What MySQL has and we have not is
//! error 1235 or [`Statement::Unsupported`], never silence.
//!
//! What to know of the trees that `sqlparser` makes here:
//! - strings are unescaped; those that are not UTF-8 are hexadecimal literals, and so are bit literals;
//! - `@@global.x` is a path of two names, `@x` one name without its quotes;
//! - `||` is OR and `&&` AND, unless the mode makes the former CONCAT;
//! - LOCK IN SHARE MODE is FOR SHARE; MOD between two operands is `%`; SOUNDS LIKE compares two calls of soundex();
//! - CAST to CHAR with a character set is CONVERT .. USING around the CAST; BINARY a is CAST(a AS BINARY);
//! - IGNORE of UPDATE and DELETE is beside the tree;
//! - `TABLE t` is `SELECT * FROM t`, and `(a, b)` in FROM `((a) CROSS JOIN (b))`;
//! - long chains of AND or OR are balanced trees.
//!
//! Invariants: no text makes parsing panic, descend deeper than [`NESTING_MAX`], make a tree deeper than
//! [`CHAIN_MAX`], or take more steps than are in proportion to its size.

mod account;
mod admin;
mod balance;
mod bound;
mod budget;
mod cast;
mod cursor;
mod database;
mod dialect;
mod dml;
mod error;
mod explain;
mod grant;
mod into;
mod lists;
mod literal;
mod load;
mod lock;
mod maintain;
mod mode;
mod name;
mod over;
mod precedence;
mod prefix;
mod prepared;
mod query;
mod replica;
mod reserved;
mod set;
mod show;
mod statement;
mod stored;
pub mod table;
mod tokens;
mod transaction;
mod verbs;
mod view;
mod xa;

use types::error::SqlError;
use types::error::table::ER_EMPTY_QUERY;

pub use account::{Account, Auth, DropUsers, ManageUsers, Secret, UserOptions, UserSpec};
pub use admin::{Flush, FlushTables, FlushWhat, Kill, Purge, Reset};
pub use bound::{CHAIN_MAX, NESTING_MAX};
pub use cursor::NAME_CHARS_MAX;
pub use database::{AlterDatabase, CreateDatabase, DropDatabase};
pub use dml::{DeleteStatement, SelectInto, UpdateStatement};
pub use error::unsupported;
pub use explain::Explain;
pub use grant::{Grant, Privilege, PrivilegeLevel, Privileges, Revoke};
pub use into::IntoClause;
pub use load::{LoadData, LoadDuplicate, LoadField};
pub use lock::TableLock;
pub use maintain::{Maintenance, MaintenanceKind};
pub use mode::Mode;
pub use name::{Quoted, TableName};
pub use prepared::{Execute, Prepare, PrepareSource};
pub use replica::{ChangeSource, ReplicaThreads, Until};
pub use set::{SetItem, SetScope, SetValue, TransactionScope};
pub use show::{Filter, Limit, Show};
pub use statement::Statement;
pub use stored::{DropStored, StoredKind};
pub use transaction::{AccessMode, Completion, IsolationLevel, TransactionStart};

pub use tokens::hex;
pub(crate) use tokens::unhex;
pub(crate) use view::stored_query;
pub use view::{CreateView, CreateViewMode, DropViews};
pub use xa::{Xa, Xid};

use cursor::Cursor;
use verbs::statement;

/// Parses one statement, normalised or as it was sent. Errors 1064, 1065, 1235, and what MySQL's parser answers beside
/// (1059, 1102, 1103, 1166, 1300).
pub fn parse(sql: impl AsRef<[u8]>, mode: impl Into<Mode>) -> Result<Statement, SqlError> {
    let mut cursor = Cursor::new(sql.as_ref(), mode.into())?;
    if cursor.at_end() {
        return Err(ER_EMPTY_QUERY.error(&[]));
    }
    bound::check(&cursor)?;
    over::check(&cursor)?;
    statement(&mut cursor)
}

/// Parses an expression as definitions keep it, in MySQL's default modes.
pub fn parse_expression(text: &str) -> Result<Box<sqlparser::ast::Expr>, SqlError> {
    let mut cursor = Cursor::new(text.as_bytes(), Mode::default())?;
    bound::check(&cursor)?;
    over::check(&cursor)?;
    let expression = query::expr(&mut cursor)?;
    cursor.expect_end()?;
    Ok(expression)
}
