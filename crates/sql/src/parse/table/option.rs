//! Options of tables and databases.

use types::error::SqlError;

use super::data_type::{accept_charset_words, charset_name};
use crate::parse::cursor::Cursor;
use crate::parse::error::unsupported;
use crate::parse::name;

/// What stands behind a table's columns. Options about how InnoDB stores a table (ROW_FORMAT, KEY_BLOCK_SIZE, STATS_..)
/// are accepted and forgotten.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// ENGINE.
    pub engine: Option<String>,
    /// AUTO_INCREMENT.
    pub auto_increment: Option<u64>,
    /// CHARACTER SET and COLLATE, as they come.
    pub charset: Vec<CharsetChoice>,
    /// COMMENT.
    pub comment: Option<String>,
    /// Whether any option was given, the forgotten ones included.
    pub any: bool,
}

/// CHARACTER SET or COLLATE of a database or table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CharsetChoice {
    /// CHARACTER SET x.
    Charset(String),
    /// CONVERT TO CHARACTER SET DEFAULT: the database's.
    Default,
    /// COLLATE x.
    Collation(String),
}

type Result<T> = std::result::Result<T, SqlError>;

/// All options that come next, with or without commas between them.
pub(super) fn options(cursor: &mut Cursor<'_>) -> Result<TableOptions> {
    let mut options = TableOptions::default();
    while option(cursor, &mut options)? {
        // A comma belongs here only if another option follows: ALTER TABLE's actions have commas too.
        let comma = cursor.position();
        if cursor.accept(",") && !is_option(cursor) {
            cursor.set_position(comma);
            break;
        }
    }
    Ok(options)
}

/// Options whose value is a number or DEFAULT, and changes nothing here.
const FORGOTTEN_NUMBERS: [&str; 13] = [
    "AVG_ROW_LENGTH",
    "CHECKSUM",
    "TABLE_CHECKSUM",
    "PAGE_CHECKSUM",
    "DELAY_KEY_WRITE",
    "KEY_BLOCK_SIZE",
    "MAX_ROWS",
    "MIN_ROWS",
    "PACK_KEYS",
    "STATS_AUTO_RECALC",
    "STATS_PERSISTENT",
    "STATS_SAMPLE_PAGES",
    "TRANSACTIONAL",
];

/// Options that would have to do something.
const MISSING: [&str; 11] = [
    "DATA DIRECTORY",
    "INDEX DIRECTORY",
    "CONNECTION",
    "UNION",
    "INSERT_METHOD",
    "SECONDARY_ENGINE",
    "SECONDARY_ENGINE_ATTRIBUTE",
    "ENGINE_ATTRIBUTE",
    "AUTOEXTEND_SIZE",
    "PASSWORD",
    "PAGE_COMPRESSED",
];

/// Whether an option comes next.
pub(super) fn is_option(cursor: &mut Cursor<'_>) -> bool {
    const OTHER: [&str; 15] = [
        "ENGINE",
        "TYPE =",
        "AUTO_INCREMENT",
        "DEFAULT CHARACTER",
        "DEFAULT CHAR",
        "DEFAULT CHARSET",
        "DEFAULT COLLATE",
        "CHARACTER SET",
        "CHAR SET",
        "CHARSET",
        "COLLATE",
        "COMMENT",
        "ROW_FORMAT",
        "COMPRESSION",
        "ENCRYPTION",
    ];
    let any = |list: &[&str]| list.iter().any(|words| cursor.is(words));
    any(&OTHER) || any(&FORGOTTEN_NUMBERS) || any(&MISSING) || cursor.is("TABLESPACE")
}

/// One option; false if none comes next.
fn option(cursor: &mut Cursor<'_>, options: &mut TableOptions) -> Result<bool> {
    if !is_option(cursor) {
        return Ok(false);
    }
    options.any = true;
    if cursor.accept_any(&["ENGINE", "TYPE"]).is_some() {
        cursor.accept("=");
        options.engine = Some(cursor.name_or_text()?);
    } else if cursor.accept("AUTO_INCREMENT") {
        cursor.accept("=");
        options.auto_increment = Some(cursor.number()?);
    } else if cursor.accept("COMMENT") {
        cursor.accept("=");
        options.comment = Some(cursor.text()?);
    } else if let Some(choice) = charset_choice(cursor)? {
        options.charset.push(choice);
    } else {
        forgotten(cursor)?;
    }
    Ok(true)
}

fn forgotten(cursor: &mut Cursor<'_>) -> Result<()> {
    if cursor.accept_any(&FORGOTTEN_NUMBERS).is_some() {
        cursor.accept("=");
        if !cursor.accept("DEFAULT") {
            cursor.number()?;
        }
        return Ok(());
    }
    if cursor.accept("ROW_FORMAT") {
        cursor.accept("=");
        cursor.expect_any(&["DEFAULT", "DYNAMIC", "COMPACT", "REDUNDANT", "COMPRESSED", "FIXED", "PAGE"])?;
        return Ok(());
    }
    if cursor.accept("TABLESPACE") {
        cursor.accept("=");
        let name = cursor.name()?;
        let own =
            ["innodb_file_per_table", "innodb_system"].iter().any(|known| name.eq_ignore_ascii_case(known));
        return if own { Ok(()) } else { Err(unsupported("TABLESPACE")) };
    }
    if let Some(what) = cursor.accept_any(&["COMPRESSION", "ENCRYPTION"]) {
        cursor.accept("=");
        let value = cursor.text()?;
        let off = ["", "none", "n"].iter().any(|off| value.eq_ignore_ascii_case(off));
        return if off { Ok(()) } else { Err(unsupported(what)) };
    }
    match cursor.accept_any(&MISSING) {
        Some(what) => Err(unsupported(what)),
        None => Err(cursor.error()),
    }
}

/// `[DEFAULT] CHARACTER SET [=] x` or `[DEFAULT] COLLATE [=] x`.
pub(in crate::parse) fn charset_choice(cursor: &mut Cursor<'_>) -> Result<Option<CharsetChoice>> {
    let start = cursor.position();
    cursor.accept("DEFAULT");
    if accept_charset_words(cursor) {
        cursor.accept("=");
        return charset_name(cursor).map(|name| Some(CharsetChoice::Charset(name)));
    }
    if cursor.accept("COLLATE") {
        cursor.accept("=");
        return charset_name(cursor).map(|name| Some(CharsetChoice::Collation(name)));
    }
    cursor.set_position(start);
    Ok(None)
}

/// What stands behind a database's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseOptions {
    /// CHARACTER SET and COLLATE, as they come.
    pub charset: Vec<CharsetChoice>,
    /// Whether any option was given.
    pub any: bool,
}

/// The options of a database.
pub(in crate::parse) fn database_options(cursor: &mut Cursor<'_>) -> Result<DatabaseOptions> {
    let mut options = DatabaseOptions::default();
    loop {
        if let Some(choice) = charset_choice(cursor)? {
            options.charset.push(choice);
        } else if cursor.accept_any(&["DEFAULT ENCRYPTION", "ENCRYPTION"]).is_some() {
            cursor.accept("=");
            if !cursor.text()?.eq_ignore_ascii_case("n") {
                return Err(unsupported("ENCRYPTION"));
            }
        } else if cursor.accept("READ ONLY") {
            cursor.accept("=");
            if !cursor.accept("DEFAULT") && cursor.number()? != 0 {
                return Err(unsupported("READ ONLY databases"));
            }
        } else {
            return Ok(options);
        }
        options.any = true;
    }
}

/// `db` or nothing.
pub(in crate::parse) fn optional_database(cursor: &mut Cursor<'_>) -> Result<Option<String>> {
    if cursor.at_name() { name::database(cursor).map(Some) } else { Ok(None) }
}
