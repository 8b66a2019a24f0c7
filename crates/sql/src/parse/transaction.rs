//! Transactions and savepoints.

use types::error::SqlError;

use super::Statement;
use super::cursor::Cursor;

/// BEGIN, START TRANSACTION.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransactionStart {
    /// WITH CONSISTENT SNAPSHOT.
    pub consistent_snapshot: bool,
    /// READ ONLY, READ WRITE.
    pub access: Option<AccessMode>,
}

/// What a transaction may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessMode {
    /// READ ONLY.
    ReadOnly,
    /// READ WRITE.
    ReadWrite,
}

/// Isolation levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum IsolationLevel {
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Serializable,
}

/// What follows COMMIT and ROLLBACK. `None` = as `completion_type` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// AND CHAIN: the next transaction begins at once.
    pub chain: Option<bool>,
    /// RELEASE: the session ends.
    pub release: Option<bool>,
}

type Result<T> = std::result::Result<T, SqlError>;

/// Behind BEGIN.
pub(super) fn begin(cursor: &mut Cursor<'_>) -> Result<Statement> {
    cursor.accept("WORK");
    cursor.expect_end()?;
    Ok(Statement::Begin(TransactionStart::default()))
}

/// Behind START TRANSACTION.
pub(super) fn start(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let mut start = TransactionStart::default();
    if !cursor.at_end() {
        loop {
            if !start.consistent_snapshot && cursor.accept("WITH") {
                cursor.expect("CONSISTENT SNAPSHOT")?;
                start.consistent_snapshot = true;
            } else if start.access.is_none() && cursor.is("READ") {
                start.access = Some(access_mode(cursor)?);
            } else {
                return Err(cursor.error());
            }
            if !cursor.accept(",") {
                break;
            }
        }
    }
    cursor.expect_end()?;
    Ok(Statement::Begin(start))
}

/// READ ONLY or READ WRITE.
pub(super) fn access_mode(cursor: &mut Cursor<'_>) -> Result<AccessMode> {
    cursor.expect("READ")?;
    Ok(match cursor.expect_any(&["ONLY", "WRITE"])? {
        "ONLY" => AccessMode::ReadOnly,
        _ => AccessMode::ReadWrite,
    })
}

/// Behind COMMIT.
pub(super) fn commit(cursor: &mut Cursor<'_>) -> Result<Statement> {
    cursor.accept("WORK");
    let completion = completion(cursor)?;
    Ok(Statement::Commit(completion))
}

/// Behind ROLLBACK.
pub(super) fn rollback(cursor: &mut Cursor<'_>) -> Result<Statement> {
    cursor.accept("WORK");
    if cursor.accept("TO") {
        cursor.accept("SAVEPOINT");
        let name = cursor.name()?;
        cursor.expect_end()?;
        return Ok(Statement::RollbackTo(name));
    }
    let completion = completion(cursor)?;
    Ok(Statement::Rollback(completion))
}

fn completion(cursor: &mut Cursor<'_>) -> Result<Completion> {
    let mut completion = Completion::default();
    if cursor.accept("AND") {
        completion.chain = Some(!cursor.accept("NO"));
        cursor.expect("CHAIN")?;
    }
    if cursor.accept("NO") {
        cursor.expect("RELEASE")?;
        completion.release = Some(false);
    } else if completion.chain != Some(true) && cursor.accept("RELEASE") {
        completion.release = Some(true);
    }
    cursor.expect_end()?;
    Ok(completion)
}

/// Behind SAVEPOINT.
pub(super) fn savepoint(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let name = cursor.name()?;
    cursor.expect_end()?;
    Ok(Statement::Savepoint(name))
}

/// Behind RELEASE.
pub(super) fn release(cursor: &mut Cursor<'_>) -> Result<Statement> {
    cursor.expect("SAVEPOINT")?;
    let name = cursor.name()?;
    cursor.expect_end()?;
    Ok(Statement::ReleaseSavepoint(name))
}
