//! CHANGE REPLICATION SOURCE TO, START REPLICA, STOP REPLICA; and in the words of before 8.0.22.

use types::error::SqlError;

use super::Statement;
use super::admin::{channel, only_channel};
use super::cursor::Cursor;
use super::error::{ER_BAD_REPLICA_UNTIL_COND, unsupported};
use crate::lex::Kind;

type Result<T> = std::result::Result<T, SqlError>;

/// CHANGE REPLICATION SOURCE TO: what is not named stays as it is.
#[derive(Clone, Default, PartialEq)]
pub struct ChangeSource {
    /// SOURCE_HOST
    pub host: Option<String>,
    /// SOURCE_PORT
    pub port: Option<u64>,
    /// SOURCE_USER
    pub user: Option<String>,
    /// SOURCE_PASSWORD
    pub password: Option<String>,
    /// SOURCE_LOG_FILE
    pub log_file: Option<String>,
    /// SOURCE_LOG_POS
    pub log_position: Option<u64>,
    /// SOURCE_AUTO_POSITION
    pub auto_position: Option<bool>,
    /// SOURCE_CONNECT_RETRY, seconds.
    pub connect_retry_s: Option<u64>,
    /// SOURCE_RETRY_COUNT
    pub retry_count: Option<u64>,
    /// SOURCE_HEARTBEAT_PERIOD, milliseconds.
    pub heartbeat_ms: Option<u64>,
    /// SOURCE_DELAY, seconds.
    pub delay_s: Option<u64>,
    /// GET_SOURCE_PUBLIC_KEY
    pub get_public_key: Option<bool>,
    /// SOURCE_SSL
    pub ssl: Option<bool>,
    /// SOURCE_SSL_VERIFY_SERVER_CERT
    pub ssl_verify_server_cert: Option<bool>,
    /// SOURCE_SSL_CA
    pub ssl_ca: Option<String>,
    /// SOURCE_SSL_CERT
    pub ssl_cert: Option<String>,
    /// SOURCE_SSL_KEY
    pub ssl_key: Option<String>,
}

/// Passwords are not shown.
impl std::fmt::Debug for ChangeSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { host, port, user, .. } = self;
        f.debug_struct("ChangeSource")
            .field("host", host)
            .field("port", port)
            .field("user", user)
            .finish_non_exhaustive()
    }
}

/// Which parts START and STOP are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplicaThreads {
    /// IO_THREAD
    pub io: bool,
    /// SQL_THREAD
    pub sql: bool,
}

/// UNTIL of START REPLICA: where the applier stops by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Until {
    /// SOURCE_LOG_FILE and SOURCE_LOG_POS: behind what ends there, or further on.
    Source {
        /// The file.
        file: String,
        /// The position in it.
        position: u64,
    },
    /// SQL_BEFORE_GTIDS: in front of the first of them.
    BeforeGtids(String),
    /// SQL_AFTER_GTIDS: behind the last of them.
    AfterGtids(String),
    /// SQL_AFTER_MTS_GAPS.
    AfterGaps,
}

/// Behind CHANGE.
pub(super) fn change(cursor: &mut Cursor<'_>) -> Result<Statement> {
    cursor.expect_any(&["MASTER", "REPLICATION SOURCE"])?;
    cursor.expect("TO")?;
    let mut change = ChangeSource::default();
    cursor.list(|cursor| option(cursor, &mut change))?;
    if channel(cursor)?.is_some_and(|channel| !channel.is_empty()) {
        return Err(unsupported("replication channels"));
    }
    cursor.expect_end()?;
    Ok(Statement::ChangeSource(Box::new(change)))
}

fn option(cursor: &mut Cursor<'_>, change: &mut ChangeSource) -> Result<()> {
    let at = cursor.position();
    // Those of these names that are reserved words.
    let name = match cursor.accept_any(&["MASTER_BIND", "MASTER_SSL_VERIFY_SERVER_CERT"]) {
        Some(reserved) => reserved.to_owned(),
        None => cursor.name()?.to_ascii_uppercase(),
    };
    cursor.expect("=")?;
    let what = name.replace("SOURCE_", "").replace("MASTER_", "");
    match &*what {
        "HOST" => change.host = Some(cursor.text()?),
        "USER" => change.user = Some(cursor.text()?),
        "PASSWORD" => change.password = Some(cursor.text()?),
        "LOG_FILE" => change.log_file = Some(cursor.text()?),
        "PORT" => change.port = Some(cursor.number()?),
        "LOG_POS" => change.log_position = Some(cursor.number()?),
        "CONNECT_RETRY" => change.connect_retry_s = Some(cursor.number()?),
        "RETRY_COUNT" => change.retry_count = Some(cursor.number()?),
        "DELAY" => change.delay_s = Some(cursor.number()?),
        "AUTO_POSITION" => change.auto_position = Some(cursor.number()? != 0),
        "GET_PUBLIC_KEY" => change.get_public_key = Some(cursor.number()? != 0),
        "HEARTBEAT_PERIOD" => change.heartbeat_ms = Some(milliseconds(cursor)?),
        "SSL" => change.ssl = Some(cursor.number()? != 0),
        "SSL_VERIFY_SERVER_CERT" => change.ssl_verify_server_cert = Some(cursor.number()? != 0),
        "SSL_CA" => change.ssl_ca = Some(cursor.text()?),
        "SSL_CERT" => change.ssl_cert = Some(cursor.text()?),
        "SSL_KEY" => change.ssl_key = Some(cursor.text()?),
        "REQUIRE_ROW_FORMAT" | "CONNECTION_AUTO_FAILOVER" | "GTID_ONLY" => {
            // A replica here takes rows alone anyway.
            if cursor.number()? != 0 && what != "REQUIRE_ROW_FORMAT" {
                return Err(unsupported("SOURCE_CONNECTION_AUTO_FAILOVER and GTID_ONLY"));
            }
        }
        other => match says_nothing(cursor, other)? {
            Some(true) => {}
            Some(false) => return Err(unsupported("this option of CHANGE REPLICATION SOURCE")),
            None => return Err(cursor.error_at(at)),
        },
    }
    Ok(())
}

/// Whether an option that there is not here has the value that means what is done anyway. `None` if MySQL has none of the name.
fn says_nothing(cursor: &mut Cursor<'_>, option: &str) -> Result<Option<bool>> {
    Ok(Some(match option {
        "BIND" | "TLS_VERSION" | "SSL_CAPATH" | "SSL_CIPHER" | "SSL_CRL" | "SSL_CRLPATH"
        | "PUBLIC_KEY_PATH" | "NETWORK_NAMESPACE" => cursor.text()?.is_empty(),
        "COMPRESSION_ALGORITHMS" => cursor.text()?.eq_ignore_ascii_case("uncompressed"),
        "ZSTD_COMPRESSION_LEVEL" => cursor.number().is_ok(),
        "IGNORE_SERVER_IDS" => {
            cursor.expect("(")?;
            cursor.accept(")")
        }
        "PRIVILEGE_CHECKS_USER" | "TLS_CIPHERSUITES" => cursor.accept("NULL"),
        "REQUIRE_TABLE_PRIMARY_KEY_CHECK" => cursor.accept_any(&["STREAM", "OFF"]).is_some(),
        "ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS" => cursor.accept_any(&["LOCAL", "OFF"]).is_some(),
        "RELAY_LOG_FILE" | "RELAY_LOG_POS" | "USE_GTID" => false,
        _ => return Ok(None),
    }))
}

/// Seconds with a fraction.
fn milliseconds(cursor: &mut Cursor<'_>) -> Result<u64> {
    let token = cursor.peek().filter(|token| token.kind == Kind::Number).ok_or_else(|| cursor.error())?;
    let text = String::from_utf8_lossy(cursor.text_of(token)).into_owned();
    let (seconds, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let digits: String = fraction.chars().chain("000".chars()).take(3).collect();
    let number = |text: &str| if text.is_empty() { Some(0) } else { text.parse::<u64>().ok() };
    let ms = number(seconds).and_then(|seconds| seconds.checked_mul(1000)?.checked_add(number(&digits)?));
    let ms = ms.ok_or_else(|| cursor.error())?;
    cursor.advance();
    Ok(ms)
}

/// Behind START, at REPLICA or SLAVE.
pub(super) fn start(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let threads = threads(cursor)?;
    let until = if cursor.accept("UNTIL") { Some(Box::new(until(cursor)?)) } else { None };
    if ["USER", "PASSWORD", "DEFAULT_AUTH", "PLUGIN_DIR"].iter().any(|word| cursor.is(word)) {
        return Err(unsupported("START REPLICA with an account"));
    }
    only_channel(cursor)?;
    cursor.expect_end()?;
    Ok(Statement::StartReplica(threads, until))
}

/// Behind STOP, at REPLICA or SLAVE.
pub(super) fn stop(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let threads = threads(cursor)?;
    only_channel(cursor)?;
    cursor.expect_end()?;
    Ok(Statement::StopReplica(threads))
}

/// Behind UNTIL. Error 1277.
fn until(cursor: &mut Cursor<'_>) -> Result<Until> {
    const PLACES: [&str; 6] = [
        "SOURCE_LOG_FILE",
        "SOURCE_LOG_POS",
        "MASTER_LOG_FILE",
        "MASTER_LOG_POS",
        "RELAY_LOG_FILE",
        "RELAY_LOG_POS",
    ];
    if cursor.accept("SQL_AFTER_MTS_GAPS") {
        return Ok(Until::AfterGaps);
    }
    if let Some(which) = cursor.accept_any(&["SQL_BEFORE_GTIDS", "SQL_AFTER_GTIDS"]) {
        cursor.expect("=")?;
        let gtids = cursor.text()?;
        return Ok(if which == "SQL_AFTER_GTIDS" {
            Until::AfterGtids(gtids)
        } else {
            Until::BeforeGtids(gtids)
        });
    }
    let (mut file, mut position) = (None, None);
    cursor.list(|cursor| {
        let what = cursor.expect_any(&PLACES)?;
        cursor.expect("=")?;
        if what.starts_with("RELAY") {
            return Err(unsupported("UNTIL with a place in the relay log"));
        }
        if what.ends_with("FILE") {
            file = Some(cursor.text()?);
        } else {
            position = Some(cursor.number()?);
        }
        Ok(())
    })?;
    match (file, position) {
        (Some(file), Some(position)) => Ok(Until::Source { file, position: position.max(4) }),
        _ => Err(ER_BAD_REPLICA_UNTIL_COND.error(&[])),
    }
}

fn threads(cursor: &mut Cursor<'_>) -> Result<ReplicaThreads> {
    cursor.expect_any(&["REPLICA", "SLAVE"])?;
    let mut threads = ReplicaThreads { io: false, sql: false };
    if ["IO_THREAD", "SQL_THREAD", "RELAY_THREAD"].iter().any(|word| cursor.is(word)) {
        cursor.list(|cursor| {
            match cursor.expect_any(&["IO_THREAD", "RELAY_THREAD", "SQL_THREAD"])? {
                "SQL_THREAD" => threads.sql = true,
                _ => threads.io = true,
            }
            Ok(())
        })?;
    } else {
        threads = ReplicaThreads { io: true, sql: true };
    }
    Ok(threads)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex::Quoting;

    fn parsed(sql: &str) -> Result<Statement> {
        crate::parse::parse(sql, Quoting::default())
    }

    fn changed(sql: &str) -> ChangeSource {
        match parsed(sql) {
            Ok(Statement::ChangeSource(change)) => *change,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn both_dialects_mean_the_same() {
        let new = changed(
            "CHANGE REPLICATION SOURCE TO SOURCE_HOST='h', SOURCE_PORT=3307, SOURCE_USER='u', SOURCE_PASSWORD='p', \
             SOURCE_LOG_FILE='b.1', SOURCE_LOG_POS=4, SOURCE_AUTO_POSITION=0, GET_SOURCE_PUBLIC_KEY=1, \
             SOURCE_HEARTBEAT_PERIOD=2.5, SOURCE_CONNECT_RETRY=1, SOURCE_RETRY_COUNT=9, SOURCE_DELAY=3, SOURCE_SSL=1, \
             SOURCE_SSL_CA='ca.pem', SOURCE_SSL_CERT='c', SOURCE_SSL_KEY='k', SOURCE_SSL_VERIFY_SERVER_CERT=1 \
             FOR CHANNEL ''",
        );
        let old = changed(
            "change master to master_host='h', master_port=3307, master_user='u', master_password='p', \
             master_log_file='b.1', master_log_pos=4, master_auto_position=0, get_master_public_key=1, \
             master_heartbeat_period=2.5, master_connect_retry=1, master_retry_count=9, master_delay=3, master_ssl=1, \
             master_ssl_ca='ca.pem', master_ssl_cert='c', master_ssl_key='k', master_ssl_verify_server_cert=1",
        );
        assert_eq!(new, old);
        assert_eq!((new.port, new.heartbeat_ms, new.delay_s), (Some(3307), Some(2500), Some(3)));
        assert_eq!((new.auto_position, new.get_public_key), (Some(false), Some(true)));
        assert_eq!((new.ssl, new.ssl_ca.as_deref()), (Some(true), Some("ca.pem")));
        assert!(!format!("{new:?}").contains("'p'"));
    }

    #[test]
    fn threads_are_all_or_those_named() {
        let threads = |sql| match parsed(sql) {
            Ok(Statement::StartReplica(threads, None) | Statement::StopReplica(threads)) => {
                (threads.io, threads.sql)
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(threads("START REPLICA"), (true, true));
        assert_eq!(threads("STOP SLAVE"), (true, true));
        assert_eq!(threads("STOP REPLICA SQL_THREAD"), (false, true));
        assert_eq!(threads("START SLAVE IO_THREAD, SQL_THREAD"), (true, true));
    }

    // As MySQL 9.7.4 answers.
    #[test]
    fn until_is_one_place_or_one_set() {
        let until = |rest: &str| match parsed(&format!("START REPLICA SQL_THREAD UNTIL {rest}")) {
            Ok(Statement::StartReplica(_, Some(until))) => Ok(*until),
            other => Err(other.unwrap_err().code),
        };
        let place = Until::Source { file: "b.1".to_owned(), position: 99 };
        assert_eq!(until("SOURCE_LOG_FILE='b.1', SOURCE_LOG_POS=99"), Ok(place.clone()));
        assert_eq!(until("MASTER_LOG_POS=99, MASTER_LOG_FILE='b.1' FOR CHANNEL ''"), Ok(place));
        assert_eq!(until("SQL_BEFORE_GTIDS='x'"), Ok(Until::BeforeGtids("x".to_owned())));
        assert_eq!(until("SQL_AFTER_GTIDS='x'"), Ok(Until::AfterGtids("x".to_owned())));
        assert_eq!(until("SQL_AFTER_MTS_GAPS"), Ok(Until::AfterGaps));
        assert_eq!(until("SOURCE_LOG_FILE='b.1'"), Err(1277));
        assert_eq!(until("SOURCE_LOG_POS=4"), Err(1277));
        assert_eq!(until("SQL_AFTER_GTIDS='x', SQL_BEFORE_GTIDS='x'"), Err(1064));
        assert_eq!(parsed("STOP REPLICA UNTIL SQL_AFTER_MTS_GAPS").unwrap_err().code, 1064);
    }

    #[test]
    fn there_is_one_channel() {
        for sql in [
            "START REPLICA FOR CHANNEL 'c'",
            "STOP REPLICA FOR CHANNEL 'c'",
            "RESET REPLICA ALL FOR CHANNEL 'c'",
            "SHOW REPLICA STATUS FOR CHANNEL 'c'",
            "SHOW RELAYLOG EVENTS FOR CHANNEL 'c'",
            "FLUSH RELAY LOGS FOR CHANNEL 'c'",
        ] {
            let error = parsed(sql).unwrap_err();
            assert_eq!((error.code, &*error.message), (3074, "Replica channel 'c' does not exist."), "{sql}");
            assert!(parsed(&sql.replace("'c'", "''")).is_ok(), "{sql}");
        }
    }

    #[test]
    fn what_is_not_there_is_refused() {
        for sql in [
            "CHANGE REPLICATION SOURCE TO SOURCE_SSL_CAPATH='d'",
            "CHANGE MASTER TO MASTER_BIND='x'",
            "CHANGE REPLICATION SOURCE TO SOURCE_HOST='x' FOR CHANNEL 'c'",
            "START REPLICA UNTIL RELAY_LOG_FILE='x', RELAY_LOG_POS=4",
        ] {
            assert_eq!(parsed(sql).unwrap_err().code, 1235, "{sql}");
        }
        assert_eq!(parsed("CHANGE REPLICATION SOURCE TO SOURCE_HOSE='x'").unwrap_err().code, 1064);
    }
}
