//! What single variables ask of a value beyond its kind.

use binlog::{Gtid, GtidSet};
use types::charset::Charset;
use types::collation::known_by_name;
use types::error::SqlError;
use types::error::table::{
    ER_INVALID_DEFAULT_UTF8MB4_COLLATION, ER_MALFORMED_GTID_SET_SPECIFICATION,
    ER_MALFORMED_GTID_SPECIFICATION, ER_UNKNOWN_CHARACTER_SET, ER_UNKNOWN_COLLATION, ER_UNKNOWN_LOCALE,
    ER_UNKNOWN_STORAGE_ENGINE, ER_WRONG_VALUE_FOR_VAR,
};
use types::temporal::TimeZone;

use super::session::GtidNext;
use super::value::Val;
use super::zone;

/// The storage engine that every table has, whatever it was created with.
const ENGINE: &str = "InnoDB";

/// A character set that this server has, by its MySQL 8 name.
pub(super) fn charset(val: &Val) -> Result<Val, SqlError> {
    if *val == Val::Null {
        return Ok(Val::Null);
    }
    let known = Charset::from_name(val.as_text());
    known
        .map(|charset| Val::text(charset.name()))
        .ok_or_else(|| ER_UNKNOWN_CHARACTER_SET.error(&[&val.as_text()]))
}

/// A collation of such a character set. One that is only known by name stands for its set's default.
pub(super) fn collation(val: &Val) -> Result<Val, SqlError> {
    known_by_name(val.as_text())
        .map(|known| Val::text(known.or_default().name()))
        .ok_or_else(|| ER_UNKNOWN_COLLATION.error(&[&val.as_text()]))
}

/// What `utf8mb4` may stand for.
pub(super) fn collation_of_utf8mb4(val: &Val) -> Result<Val, SqlError> {
    let checked = collation(val)?;
    match checked.as_text() {
        "utf8mb4_0900_ai_ci" | "utf8mb4_general_ci" => Ok(checked),
        other => Err(ER_INVALID_DEFAULT_UTF8MB4_COLLATION.error(&[&other])),
    }
}

/// A time zone.
pub(super) fn time_zone(val: &Val) -> Result<Val, SqlError> {
    let zone = TimeZone::parse(val.as_text(), zone::system())?;
    Ok(Val::text(&zone.to_string()))
}

/// The one storage engine.
pub(super) fn engine(val: &Val) -> Result<Val, SqlError> {
    if val.as_text().eq_ignore_ascii_case(ENGINE) {
        return Ok(Val::text(ENGINE));
    }
    Err(ER_UNKNOWN_STORAGE_ENGINE.error(&[&val.as_text()]))
}

/// The one locale.
pub(super) fn locale(val: &Val) -> Result<Val, SqlError> {
    if val.as_text().eq_ignore_ascii_case("en_US") {
        return Ok(Val::text("en_US"));
    }
    Err(ER_UNKNOWN_LOCALE.error(&[&val.as_text()]))
}

/// `replica_skip_errors`, as numbers. Error 1231.
pub(super) fn skipped_errors(val: &Val) -> Result<Val, SqlError> {
    let list = crate::replica::list_of_errors(val.as_text());
    list.map(|list| Val::text(&list))
        .ok_or_else(|| ER_WRONG_VALUE_FOR_VAR.error(&[&"replica_skip_errors", &val.as_text()]))
}

/// `timestamp`, seconds since 1970, up to the year 2038.
pub(super) fn timestamp(val: &Val) -> Result<Val, SqlError> {
    const TIMESTAMP_MAX: f64 = 2_147_483_647.0;
    if val.double() > TIMESTAMP_MAX {
        return Err(ER_WRONG_VALUE_FOR_VAR.error(&[&"timestamp", &val.double()]));
    }
    Ok(val.clone())
}

/// `gtid_next`, in its usual writing.
pub(super) fn gtid_next(val: &Val) -> Result<Val, SqlError> {
    Ok(show_gtid_next(parse_gtid_next(val.as_text())?))
}

/// Reads `gtid_next`. Error 1774.
pub(super) fn parse_gtid_next(text: &str) -> Result<GtidNext, SqlError> {
    if text.eq_ignore_ascii_case("AUTOMATIC") {
        return Ok(GtidNext::Automatic);
    }
    if text.eq_ignore_ascii_case("ANONYMOUS") {
        return Ok(GtidNext::Anonymous);
    }
    let gtid = text.parse::<Gtid>().map_err(|_| ER_MALFORMED_GTID_SPECIFICATION.error(&[&text]))?;
    Ok(GtidNext::Gtid(gtid))
}

/// `gtid_purged`. Error 1772.
pub(super) fn gtid_purged(val: &Val) -> Result<Val, SqlError> {
    parse_gtid_purged(val.as_text()).map(|_| val.clone())
}

/// Reads what `gtid_purged` is set to: GTIDs, and whether a plus before them says that they come beside those that it
/// has. Error 1772.
pub(crate) fn parse_gtid_purged(text: &str) -> Result<(GtidSet, bool), SqlError> {
    let trimmed = text.trim_start();
    let added = trimmed.strip_prefix('+');
    let gtids = added.unwrap_or(trimmed).parse();
    let gtids = gtids.map_err(|_| ER_MALFORMED_GTID_SET_SPECIFICATION.error(&[&text]))?;
    Ok((gtids, added.is_some()))
}

/// `gtid_next` as it is shown.
pub(super) fn show_gtid_next(next: GtidNext) -> Val {
    match next {
        GtidNext::Automatic => Val::text("AUTOMATIC"),
        GtidNext::Anonymous => Val::text("ANONYMOUS"),
        GtidNext::Gtid(gtid) => Val::text(&gtid.to_string()),
    }
}
