//! CHANGE REPLICATION SOURCE TO, START REPLICA, STOP REPLICA, RESET REPLICA.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::atomic::Ordering;

use commit::CommitAck;
use replication::replica::{Position, Settings, TlsSettings};
use sql::parse::{ChangeSource, ReplicaThreads, Statement};
use types::error::table::{
    ER_AUTO_POSITION_REQUIRES_GTID_MODE_NOT_OFF, ER_BAD_REPLICA, ER_BAD_REPLICA_AUTO_POSITION,
    ER_LOCK_OR_ACTIVE_TRANSACTION, ER_REPLICA_CHANNEL_MUST_STOP, ER_REPLICA_CONFIGURATION,
    ER_REPLICA_HEARTBEAT_VALUE_OUT_OF_RANGE, ER_WRONG_ARGUMENTS,
};
use types::error::{Condition, SqlError};
use types::warning::Level;

use super::Client;
use crate::accounts::Privileges;
use crate::replica::{self, Threads, Until};

type Result<T> = std::result::Result<T, SqlError>;

const ER_MISSING_SKIP_REPLICA: Condition = Condition {
    code: 1278,
    sqlstate: "HY000",
    name: "ER_MISSING_SKIP_REPLICA",
    text: "It is recommended to use --skip-replica-start when doing step-by-step replication with START REPLICA UNTIL; \
           otherwise, you will get problems if you get an unexpected replica's mysqld restart",
};
// The letter too many is MySQL's.
const ER_REPLICA_CHANNEL_WAS_RUNNING: Condition = Condition {
    code: 3083,
    sqlstate: "HY000",
    name: "ER_REPLICA_CHANNEL_WAS_RUNNING",
    text: "Replication thread(s) for channel '%s' are already runnning.",
};

/// `SOURCE_HEARTBEAT_PERIOD`'s maximum, seconds.
const HEARTBEAT_MAX_S: u64 = 4_294_967;
/// The longest path, bytes.
const PATH_MAX: usize = 512;

impl Client {
    /// CHANGE REPLICATION SOURCE TO, START REPLICA, STOP REPLICA: they commit the session's transaction first.
    pub(super) async fn change_replica(&mut self, statement: Statement) -> Result<CommitAck> {
        if matches!(statement, Statement::StopReplica(_)) {
            self.may_wait_for_workers()?;
        }
        self.require_replication_admin()?;
        self.may_commit_implicitly()?;
        let ack = self.end_transaction().await?;
        match statement {
            Statement::ChangeSource(change) => self.change_source(*change).await?,
            Statement::StartReplica(which, until) => self.start_replica(which, until)?,
            Statement::StopReplica(which) => self.stop_replica(which).await?,
            _ => unreachable!("only statements about the replica come here"),
        }
        self.spend_gtid().await?;
        Ok(ack)
    }

    /// CHANGE REPLICATION SOURCE TO.
    async fn change_source(&mut self, change: ChangeSource) -> Result<()> {
        self.require_stopped()?;
        let (settings, position) = replica::read(&self.shared.store)?;
        let (settings, position) = self.changed(change, settings.unwrap_or_default(), position)?;
        self.keep(Some(settings), position).await
    }

    fn changed(
        &self,
        change: ChangeSource,
        old: Settings,
        position: Position,
    ) -> Result<(Settings, Position)> {
        let wrong = |what: &str| ER_WRONG_ARGUMENTS.error(&[&what]);
        let small = |number: Option<u64>, old: u32, what: &str| match number {
            Some(number) => u32::try_from(number).map_err(|_| wrong(what)),
            None => Ok(old),
        };
        if change.heartbeat_ms.is_some_and(|ms| ms > HEARTBEAT_MAX_S * 1000) {
            return Err(ER_REPLICA_HEARTBEAT_VALUE_OUT_OF_RANGE.error(&[&HEARTBEAT_MAX_S]));
        }
        let port =
            change.port.map_or(Ok(old.port), |port| u16::try_from(port).map_err(|_| wrong("SOURCE_PORT")))?;
        let is_elsewhere = change.host.as_ref().is_some_and(|host| *host != old.host) || port != old.port;
        let new = Settings {
            port,
            connect_retry_s: small(change.connect_retry_s, old.connect_retry_s, "SOURCE_CONNECT_RETRY")?,
            heartbeat_ms: small(change.heartbeat_ms, old.heartbeat_ms, "SOURCE_HEARTBEAT_PERIOD")?,
            delay_s: small(change.delay_s, old.delay_s, "SOURCE_DELAY")?,
            host: change.host.unwrap_or(old.host),
            user: change.user.unwrap_or(old.user),
            password: change.password.unwrap_or(old.password),
            retry_count: change.retry_count.unwrap_or(old.retry_count),
            auto_position: change.auto_position.unwrap_or(old.auto_position),
            get_public_key: change.get_public_key.unwrap_or(old.get_public_key),
            tls: TlsSettings {
                enabled: change.ssl.unwrap_or(old.tls.enabled),
                checks_host: change.ssl_verify_server_cert.unwrap_or(old.tls.checks_host),
                ca: change.ssl_ca.unwrap_or(old.tls.ca),
                cert: change.ssl_cert.unwrap_or(old.tls.cert),
                key: change.ssl_key.unwrap_or(old.tls.key),
            },
        };
        let names = [&new.host, &new.user, &new.password].iter().any(|text| text.len() > 255);
        let paths = [&new.tls.ca, &new.tls.cert, &new.tls.key].iter().any(|text| text.len() > PATH_MAX);
        if names || paths {
            return Err(wrong("CHANGE REPLICATION SOURCE"));
        }
        let is_placed = change.log_file.is_some() || change.log_position.is_some();
        if new.auto_position && is_placed {
            return Err(ER_BAD_REPLICA_AUTO_POSITION.error(&[]));
        }
        let has_gtids = self.shared.pipeline.settings.gtid_mode.load(Ordering::Relaxed);
        if change.auto_position == Some(true) && !has_gtids {
            return Err(ER_AUTO_POSITION_REQUIRES_GTID_MODE_NOT_OFF.error(&[]));
        }
        let mut position = if is_elsewhere || is_placed {
            let kept = if is_elsewhere { Position::default() } else { position };
            // MariaDB's GTIDs say nothing about a place that was named.
            Position { domains: BTreeMap::new(), ..kept }
        } else {
            position
        };
        if let Some(file) = change.log_file {
            (position.file, position.position) = (file, 4);
        }
        position.position = change.log_position.unwrap_or(position.position).max(4);
        Ok((new, position))
    }

    /// START REPLICA.
    fn start_replica(&mut self, which: ReplicaThreads, until: Option<Box<sql::parse::Until>>) -> Result<()> {
        let replica = &self.shared.common.replica;
        if replica.settings().is_none_or(|settings| settings.host.is_empty()) {
            return Err(ER_BAD_REPLICA.error(&[]));
        }
        if self.shared.server_id == 0 {
            return Err(ER_REPLICA_CONFIGURATION.error(&[]));
        }
        let until = until.map(|until| Until::read(*until)).transpose()?;
        let is_placed = matches!(until, Some(Until::Source(_)));
        let ran = replica.start(
            Threads { io: which.io, sql: which.sql },
            until,
            &self.shared.variables.live.replica_skip_counter,
        );
        if ran != Threads::default() {
            self.warnings.push(Level::Note, &ER_REPLICA_CHANNEL_WAS_RUNNING, &[&""]);
        } else if is_placed && self.shared.variables.server_sight().shown("skip_replica_start")? != "ON" {
            self.warnings.push(Level::Note, &ER_MISSING_SKIP_REPLICA, &[]);
        }
        Ok(())
    }

    /// Error 1192 under locks of the session's own: a worker may wait for them, and STOP REPLICA for the worker.
    fn may_wait_for_workers(&self) -> Result<()> {
        if self.locked.is_some() || self.global_lock.is_some() {
            return Err(ER_LOCK_OR_ACTIVE_TRANSACTION.error(&[]));
        }
        Ok(())
    }

    /// STOP REPLICA. After a KILL it does not wait; the parts stop all the same.
    async fn stop_replica(&self, which: ReplicaThreads) -> Result<()> {
        let replica = &self.shared.common.replica;
        let stop = async {
            replica.stop(Threads { io: which.io, sql: which.sql }).await;
            Ok(())
        };
        self.kill.unless_killed(pin!(stop)).await
    }

    /// RESET REPLICA: forgets the place in the source's binlog, with ALL the source too.
    pub(super) async fn reset_replica(&mut self, all: bool) -> Result<()> {
        self.require_stopped()?;
        let (settings, _) = replica::read(&self.shared.store)?;
        let position = Position { position: 4, ..Position::default() };
        self.keep(settings.filter(|_| !all), position).await
    }

    async fn keep(&mut self, settings: Option<Settings>, position: Position) -> Result<()> {
        let mut transaction = self.another_transaction("replica");
        replica::write(&mut transaction, settings.as_ref(), &position).await?;
        self.shared.common.replica.configure(settings, position);
        Ok(())
    }

    fn require_stopped(&self) -> Result<()> {
        if self.shared.common.replica.is_running() {
            return Err(ER_REPLICA_CHANNEL_MUST_STOP.error(&[&""]));
        }
        Ok(())
    }

    fn require_replication_admin(&self) -> Result<()> {
        let names = "SUPER or REPLICATION_SLAVE_ADMIN";
        self.access.require(Privileges::SUPER, "REPLICATION_SLAVE_ADMIN", names)
    }
}
