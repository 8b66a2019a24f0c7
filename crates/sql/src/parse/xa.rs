//! XA transactions.

use types::error::SqlError;
use types::error::table::ER_XAER_INVAL;
use types::value::Value;

use super::cursor::Cursor;
use super::literal::literal;
use super::statement::Statement;
use crate::lex::Kind;

type Result<T> = std::result::Result<T, SqlError>;

/// Bytes of a part of a name.
const PART_MAX: usize = 64;

/// The name of an XA transaction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Xid {
    /// The number of its format; 1 unless it says another.
    pub format: u32,
    /// The global transaction; at most 64 bytes.
    pub global: Vec<u8>,
    /// Its branch; at most 64 bytes.
    pub branch: Vec<u8>,
}

/// A statement on an XA transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Xa {
    /// XA START, XA BEGIN: what follows belongs to it.
    Start {
        /// Its name.
        xid: Xid,
        /// RESUME: it goes on behind XA END.
        resumes: bool,
    },
    /// XA END.
    End(Xid),
    /// XA PREPARE.
    Prepare(Xid),
    /// XA COMMIT.
    Commit {
        /// Its name.
        xid: Xid,
        /// ONE PHASE: it is not prepared.
        one_phase: bool,
    },
    /// XA ROLLBACK.
    Rollback(Xid),
    /// XA RECOVER: which ones are prepared.
    Recover {
        /// CONVERT XID: names in hexadecimal.
        convert: bool,
    },
}

/// XA has been read. Error 1398 for what nobody has: JOIN, SUSPEND.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let xa = if cursor.accept_any(&["START", "BEGIN"]).is_some() {
        let xid = xid(cursor)?;
        let how = cursor.accept_any(&["JOIN", "RESUME"]);
        cursor.expect_end()?;
        if how == Some("JOIN") {
            return Err(ER_XAER_INVAL.error(&[]));
        }
        Xa::Start { xid, resumes: how.is_some() }
    } else if cursor.accept("END") {
        let xid = xid(cursor)?;
        let suspends = cursor.accept("SUSPEND");
        if suspends && cursor.accept("FOR") {
            cursor.expect("MIGRATE")?;
        }
        cursor.expect_end()?;
        if suspends {
            return Err(ER_XAER_INVAL.error(&[]));
        }
        Xa::End(xid)
    } else if cursor.accept("PREPARE") {
        Xa::Prepare(xid(cursor)?)
    } else if cursor.accept("COMMIT") {
        let xid = xid(cursor)?;
        let one_phase = cursor.accept("ONE");
        if one_phase {
            cursor.expect("PHASE")?;
        }
        Xa::Commit { xid, one_phase }
    } else if cursor.accept("ROLLBACK") {
        Xa::Rollback(xid(cursor)?)
    } else {
        cursor.expect("RECOVER")?;
        let convert = cursor.accept("CONVERT");
        if convert {
            cursor.expect("XID")?;
        }
        Xa::Recover { convert }
    };
    cursor.expect_end()?;
    Ok(Statement::Xa(xa))
}

/// One to three of: global part, branch part, number of the format.
fn xid(cursor: &mut Cursor<'_>) -> Result<Xid> {
    let global = part(cursor)?;
    let mut xid = Xid { format: 1, global, branch: Vec::new() };
    if cursor.accept(",") {
        xid.branch = part(cursor)?;
        if cursor.accept(",") {
            let at = cursor.position();
            let number = match cursor.kind(0) {
                Some(Kind::Number) => cursor.accept_number().and_then(|number| u32::try_from(number).ok()),
                Some(Kind::Special) => number_of(&bytes(cursor)?),
                _ => None,
            };
            xid.format = number.ok_or_else(|| cursor.error_at(at))?;
        }
    }
    Ok(xid)
}

/// A text, or bytes in hexadecimal or binary.
fn part(cursor: &mut Cursor<'_>) -> Result<Vec<u8>> {
    let part = text_or_bytes(cursor)?;
    if part.len() > PART_MAX { Err(cursor.error()) } else { Ok(part) }
}

/// A text, or bytes in hexadecimal or binary, of any length.
pub(super) fn text_or_bytes(cursor: &mut Cursor<'_>) -> Result<Vec<u8>> {
    if cursor.kind(0) == Some(Kind::Special) { bytes(cursor) } else { cursor.text_bytes() }
}

/// Bytes in hexadecimal or binary.
fn bytes(cursor: &mut Cursor<'_>) -> Result<Vec<u8>> {
    let at = cursor.position();
    match literal(cursor)? {
        Some(Value::Bytes(bytes)) => Ok(bytes),
        _ => Err(cursor.error_at(at)),
    }
}

/// The number that bytes say, if it is one of 32 bits.
fn number_of(bytes: &[u8]) -> Option<u32> {
    bytes.iter().try_fold(0_u32, |number, byte| number.checked_mul(256)?.checked_add((*byte).into()))
}
