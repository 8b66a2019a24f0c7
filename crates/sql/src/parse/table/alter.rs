//! ALTER TABLE.

use types::error::SqlError;

use super::check::{self, CheckSpec};
use super::column::{self, ColumnSpec, DefaultSpec};
use super::data_type::{accept_charset_words, charset_name};
use super::foreign::ForeignKeySpec;
use super::key::{self, Constraint, KeySpec};
use super::option::{self, CharsetChoice, TableOptions};
use crate::parse::Statement;
use crate::parse::cursor::Cursor;
use crate::parse::error::unsupported;
use crate::parse::name::{self, TableName};

/// ALTER TABLE, CREATE INDEX, DROP INDEX.
#[derive(Clone, Debug)]
pub struct AlterTable {
    /// Which table.
    pub table: TableName,
    /// What happens to it, in the order in which it was written.
    pub actions: Vec<AlterAction>,
    /// ALGORITHM.
    pub algorithm: AlterAlgorithm,
    /// LOCK.
    pub lock: AlterLock,
    /// CREATE INDEX, DROP INDEX.
    pub is_index: bool,
}

/// One action.
#[derive(Clone, Debug)]
pub enum AlterAction {
    /// ADD COLUMN.
    AddColumn(Box<ColumnSpec>, Place),
    /// ADD KEY, ADD PRIMARY KEY, ..
    AddKey(KeySpec),
    /// CHANGE and MODIFY: a column by its old name, and its new definition.
    Change(String, Box<ColumnSpec>, Place),
    /// DROP COLUMN.
    DropColumn(String),
    /// DROP KEY.
    DropKey(String),
    /// ADD FOREIGN KEY.
    AddForeignKey(Box<ForeignKeySpec>),
    /// DROP FOREIGN KEY.
    DropForeignKey(String),
    /// ADD CHECK.
    AddCheck(CheckSpec),
    /// DROP CHECK.
    DropCheck(String),
    /// ALTER CHECK: whether it is enforced.
    AlterCheck(String, bool),
    /// ALTER CONSTRAINT, of a check if of anything.
    AlterConstraint(String, bool),
    /// DROP CONSTRAINT: a check, or a unique, primary or foreign key.
    DropConstraint(String),
    /// DROP PRIMARY KEY.
    DropPrimaryKey,
    /// ALTER COLUMN .. SET DEFAULT, or DROP DEFAULT.
    SetDefault(String, Option<DefaultSpec>),
    /// RENAME COLUMN .. TO.
    RenameColumn(String, String),
    /// RENAME KEY .. TO.
    RenameKey(String, String),
    /// RENAME TO.
    RenameTable(TableName),
    /// Options of the table.
    Options(TableOptions),
    /// CONVERT TO CHARACTER SET.
    Convert(Vec<CharsetChoice>),
    /// ENABLE KEYS, DISABLE KEYS: nothing here, with note 1031.
    Keys,
    /// FORCE: the table is rebuilt.
    Force,
}

impl From<Constraint> for AlterAction {
    fn from(constraint: Constraint) -> Self {
        match constraint {
            Constraint::Key(key) => Self::AddKey(key),
            Constraint::ForeignKey(key) => Self::AddForeignKey(key),
            Constraint::Check(check) => Self::AddCheck(check),
        }
    }
}

/// Where a column goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// To the end, or where it is.
    Unchanged,
    /// FIRST.
    First,
    /// AFTER.
    After(String),
}

/// How the change may be made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AlterAlgorithm {
    /// As it suits.
    #[default]
    Default,
    /// By changing the catalog alone.
    Instant,
    /// Without copying the table.
    Inplace,
    /// By copying the table.
    Copy,
}

/// What others may do meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AlterLock {
    /// As it suits.
    #[default]
    Default,
    /// Read and write.
    None,
    /// Read.
    Shared,
    /// Nothing.
    Exclusive,
}

type Result<T> = std::result::Result<T, SqlError>;

impl AlterTable {
    pub(super) fn new(table: TableName, is_index: bool) -> Self {
        let (algorithm, lock) = (AlterAlgorithm::Default, AlterLock::Default);
        Self { table, actions: Vec::new(), algorithm, lock, is_index }
    }
}

/// Behind ALTER TABLE.
pub(in crate::parse) fn parse(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let mut alter = AlterTable::new(name::table(cursor)?, false);
    while !cursor.at_end() {
        if !algorithm_or_lock(cursor, &mut alter)? {
            action(cursor, &mut alter.actions)?;
        }
        if cursor.at_end() {
            break;
        }
        refuse_partitions(cursor)?;
        cursor.expect(",")?;
        if cursor.at_end() {
            return Err(cursor.error());
        }
    }
    Ok(Statement::AlterTable(Box::new(alter)))
}

/// `ALGORITHM [=] x`, `LOCK [=] x`, WITH[OUT] VALIDATION; false if none comes next.
pub(super) fn algorithm_or_lock(cursor: &mut Cursor<'_>, alter: &mut AlterTable) -> Result<bool> {
    if cursor.accept("ALGORITHM") {
        cursor.accept("=");
        alter.algorithm = match cursor.expect_any(&["DEFAULT", "INSTANT", "INPLACE", "COPY"])? {
            "INSTANT" => AlterAlgorithm::Instant,
            "INPLACE" => AlterAlgorithm::Inplace,
            "COPY" => AlterAlgorithm::Copy,
            _ => AlterAlgorithm::Default,
        };
    } else if cursor.accept("LOCK") {
        cursor.accept("=");
        alter.lock = match cursor.expect_any(&["DEFAULT", "NONE", "SHARED", "EXCLUSIVE"])? {
            "NONE" => AlterLock::None,
            "SHARED" => AlterLock::Shared,
            "EXCLUSIVE" => AlterLock::Exclusive,
            _ => AlterLock::Default,
        };
    } else {
        return Ok(cursor.accept_any(&["WITH VALIDATION", "WITHOUT VALIDATION"]).is_some());
    }
    Ok(true)
}

fn refuse_partitions(cursor: &Cursor<'_>) -> Result<()> {
    const WORDS: [&str; 12] = [
        "PARTITION BY",
        "REMOVE PARTITIONING",
        "ADD PARTITION",
        "DROP PARTITION",
        "TRUNCATE PARTITION",
        "COALESCE PARTITION",
        "REORGANIZE PARTITION",
        "EXCHANGE PARTITION",
        "ANALYZE PARTITION",
        "CHECK PARTITION",
        "OPTIMIZE PARTITION",
        "REBUILD PARTITION",
    ];
    if WORDS.iter().any(|words| cursor.is(words)) { Err(unsupported("PARTITION BY")) } else { Ok(()) }
}

fn action(cursor: &mut Cursor<'_>, actions: &mut Vec<AlterAction>) -> Result<()> {
    refuse_partitions(cursor)?;
    if cursor.accept("ADD") {
        return add(cursor, actions);
    }
    let action = if cursor.accept("DROP") {
        drop(cursor)?
    } else if cursor.accept("CHANGE") {
        cursor.accept("COLUMN");
        let old = name::column_path(cursor)?;
        let column = column::column(cursor)?;
        AlterAction::Change(old, Box::new(column), place(cursor)?)
    } else if cursor.accept("MODIFY") {
        cursor.accept("COLUMN");
        let column = column::column(cursor)?;
        AlterAction::Change(column.name.clone(), Box::new(column), place(cursor)?)
    } else if cursor.accept("ALTER") {
        alter_part(cursor)?
    } else if cursor.accept("RENAME") {
        rename(cursor)?
    } else if cursor.accept("CONVERT") {
        convert(cursor)?
    } else if cursor.accept_any(&["ENABLE KEYS", "DISABLE KEYS"]).is_some() {
        AlterAction::Keys
    } else if cursor.accept("FORCE") {
        AlterAction::Force
    } else if cursor.is("ORDER BY") {
        return Err(unsupported("ALTER TABLE ... ORDER BY"));
    } else if cursor.is("DISCARD") || cursor.is("IMPORT") {
        return Err(unsupported("tablespaces that are moved"));
    } else if option::is_option(cursor) {
        AlterAction::Options(option::options(cursor)?)
    } else {
        return Err(cursor.error());
    };
    actions.push(action);
    Ok(())
}

fn add(cursor: &mut Cursor<'_>, actions: &mut Vec<AlterAction>) -> Result<()> {
    let column = cursor.accept("COLUMN");
    if !column && let Some(constraint) = key::constraint(cursor)? {
        actions.push(constraint.into());
        return Ok(());
    }
    if !cursor.accept("(") {
        let column = column::column(cursor)?;
        actions.push(AlterAction::AddColumn(Box::new(column), place(cursor)?));
        return Ok(());
    }
    let added = cursor.list(|cursor| {
        Ok(match key::constraint(cursor)? {
            Some(constraint) => constraint.into(),
            None => AlterAction::AddColumn(Box::new(column::column(cursor)?), Place::Unchanged),
        })
    })?;
    cursor.expect(")")?;
    actions.extend(added);
    Ok(())
}

fn place(cursor: &mut Cursor<'_>) -> Result<Place> {
    if cursor.accept("FIRST") {
        Ok(Place::First)
    } else if cursor.accept("AFTER") {
        Ok(Place::After(cursor.name()?))
    } else {
        Ok(Place::Unchanged)
    }
}

fn drop(cursor: &mut Cursor<'_>) -> Result<AlterAction> {
    if cursor.accept("PRIMARY") {
        cursor.expect("KEY")?;
        return Ok(AlterAction::DropPrimaryKey);
    }
    if cursor.accept_any(&["KEY", "INDEX"]).is_some() {
        return Ok(drop_key(cursor.name()?));
    }
    if cursor.accept("FOREIGN") {
        cursor.expect("KEY")?;
        return Ok(AlterAction::DropForeignKey(cursor.name()?));
    }
    if cursor.accept("CHECK") {
        return Ok(AlterAction::DropCheck(cursor.name()?));
    }
    if cursor.accept("CONSTRAINT") {
        return Ok(AlterAction::DropConstraint(cursor.name()?));
    }
    cursor.accept("COLUMN");
    let action = AlterAction::DropColumn(name::column_path(cursor)?);
    cursor.accept_any(&["RESTRICT", "CASCADE"]);
    Ok(action)
}

/// `PRIMARY` in quotes is the primary key.
pub(super) fn drop_key(name: String) -> AlterAction {
    if name.eq_ignore_ascii_case("PRIMARY") {
        AlterAction::DropPrimaryKey
    } else {
        AlterAction::DropKey(name)
    }
}

/// Behind ALTER TABLE .. ALTER.
fn alter_part(cursor: &mut Cursor<'_>) -> Result<AlterAction> {
    if let Some(word) = cursor.accept_any(&["CHECK", "CONSTRAINT"]) {
        let name = cursor.name()?;
        let enforced = check::enforced(cursor).ok_or_else(|| cursor.error())?;
        let action = if word == "CHECK" { AlterAction::AlterCheck } else { AlterAction::AlterConstraint };
        return Ok(action(name, enforced));
    }
    if cursor.accept("INDEX") {
        cursor.name()?;
        cursor.expect_any(&["VISIBLE", "INVISIBLE"])?;
        return Err(unsupported("invisible indexes"));
    }
    cursor.accept("COLUMN");
    let column = name::column_path(cursor)?;
    if cursor.accept("DROP") {
        cursor.expect("DEFAULT")?;
        return Ok(AlterAction::SetDefault(column, None));
    }
    cursor.expect("SET")?;
    if cursor.is("VISIBLE") || cursor.is("INVISIBLE") {
        return Err(unsupported("invisible columns"));
    }
    cursor.expect("DEFAULT")?;
    Ok(AlterAction::SetDefault(column, Some(column::literal_default(cursor)?)))
}

fn rename(cursor: &mut Cursor<'_>) -> Result<AlterAction> {
    if cursor.accept("COLUMN") {
        let from = name::column(cursor)?;
        cursor.expect("TO")?;
        return Ok(AlterAction::RenameColumn(from, name::column(cursor)?));
    }
    if cursor.accept_any(&["KEY", "INDEX"]).is_some() {
        let from = cursor.name()?;
        cursor.expect("TO")?;
        return Ok(AlterAction::RenameKey(from, cursor.name()?));
    }
    cursor.accept_any(&["TO", "AS", "="]);
    name::table(cursor).map(AlterAction::RenameTable)
}

fn convert(cursor: &mut Cursor<'_>) -> Result<AlterAction> {
    cursor.expect("TO")?;
    if !accept_charset_words(cursor) {
        return Err(cursor.error());
    }
    let charset = if cursor.accept("DEFAULT") {
        CharsetChoice::Default
    } else {
        CharsetChoice::Charset(charset_name(cursor)?)
    };
    let mut choices = vec![charset];
    if cursor.accept("COLLATE") {
        cursor.accept("=");
        choices.push(CharsetChoice::Collation(charset_name(cursor)?));
    }
    Ok(AlterAction::Convert(choices))
}
