//! `gtid_next`: a session gives its next transaction a GTID.
//!
//! | state | SET | a change | COMMIT | ROLLBACK |
//! | --- | --- | --- | --- | --- |
//! | automatic | 1766 within a transaction; owned, or executed if the GTID is | gets the server's next number | | |
//! | owned | 1790 within a transaction, where DDL and BEGIN are 1778 | belongs to the GTID; by itself it uses it | uses it, with an empty transaction if nothing was changed | used |
//! | executed | as automatic | is passed over | used | used |
//! | used | as automatic | 1837 | | |
//!
//! By themselves (outside of a transaction, with autocommit), statements that commit implicitly use it with an empty transaction, also
//! those that change nothing (ANALYZE, FLUSH, ..); and one that fails uses it without any: then it is not executed.
//!
//! Two sessions do not own one GTID: the second waits until the first has used it or given it back, and then finds it
//! executed, or owns it.

use std::pin::pin;
use std::time::Duration;

use binlog::Gtid;
use commit::{CommitAck, GtidClaim};
use sql::exec::Changed;
use types::error::SqlError;
use types::error::table::{
    ER_CANT_DO_IMPLICIT_COMMIT_IN_TRX_WHEN_GTID_NEXT_IS_SET, ER_CANT_SET_GTID_MODE,
    ER_CANT_SET_GTID_NEXT_WHEN_OWNING_GTID, ER_EMPTY_QUERY, ER_GTID_MODE_CAN_ONLY_CHANGE_ONE_STEP_AT_A_TIME,
    ER_GTID_NEXT_TYPE_UNDEFINED_GTID, ER_PARSE_ERROR, ER_VARIABLE_NOT_SETTABLE_IN_TRANSACTION,
};

use super::{Client, Wire};
use crate::variables::GtidNext;

type Result<T> = std::result::Result<T, SqlError>;

/// How often whoever waits for a GTID looks.
const LOOK: Duration = Duration::from_millis(3);

/// See the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum OwnGtid {
    /// The server numbers.
    #[default]
    Automatic,
    /// The next transaction has it.
    Owned(Gtid),
    /// There is a transaction of that GTID: the next one is passed over.
    Executed(Gtid),
    /// The transaction was ended.
    Used(Gtid),
}

impl Client {
    /// `gtid_mode`, by its place.
    pub(super) fn gtid_mode(&self) -> u8 {
        self.shared.variables.gtid_mode()
    }

    /// Before `gtid_mode` changes from what it was when that was examined, with commits kept out: begins a file. Error 1788 if somebody
    /// else has changed it meanwhile.
    pub(super) async fn begin_gtid_mode(&mut self, before: u8, new: u8) -> Result<()> {
        if self.gtid_mode() != before {
            return Err(ER_GTID_MODE_CAN_ONLY_CHANGE_ONE_STEP_AT_A_TIME.error(&[]));
        }
        self.may_set_gtid_mode(new)?;
        if new == before { Ok(()) } else { self.rotate_binlog(None).await }
    }

    /// Error 3111 for OFF as long as anything here is by GTIDs.
    fn may_set_gtid_mode(&self, new: u8) -> Result<()> {
        if new != 0 || self.gtid_mode() == 0 {
            return Ok(());
        }
        let replica = self.shared.common.replica.settings();
        let why = if replica.is_some_and(|settings| settings.auto_position) {
            "replication channel '' is configured in AUTO_POSITION mode. Execute CHANGE REPLICATION SOURCE TO \
             SOURCE_AUTO_POSITION = 0 FOR CHANNEL '' before you set @@GLOBAL.GTID_MODE = OFF."
        } else if self.shared.pipeline.owns_gtids() {
            "there are ongoing transactions that have a GTID. Before you set @@GLOBAL.GTID_MODE = OFF, wait until SELECT \
             @@GLOBAL.GTID_OWNED is empty on all servers. Then wait for all GTID-transactions to replicate to all servers, and \
             then execute SET @@GLOBAL.GTID_MODE = OFF on all servers. See the Manual for details"
        } else {
            return Ok(());
        };
        Err(ER_CANT_SET_GTID_MODE.error(&[&"OFF", &why]))
    }

    /// Errors 1790 and 1766 if `gtid_next` may not be set now.
    pub(super) fn may_set_gtid_next(&self) -> Result<()> {
        match self.own_gtid {
            OwnGtid::Owned(gtid) if self.transaction.open => {
                Err(ER_CANT_SET_GTID_NEXT_WHEN_OWNING_GTID.error(&[&gtid]))
            }
            // What it has changed would not belong to the GTID.
            _ if self.transaction.open => Err(ER_VARIABLE_NOT_SETTABLE_IN_TRANSACTION.error(&[&"gtid_next"])),
            _ => Ok(()),
        }
    }

    /// Error 1399 in an XA transaction, 1778 for a statement that would commit the open transaction and be another one itself:
    /// there is one GTID.
    pub(super) fn may_commit_implicitly(&self) -> Result<()> {
        self.refuse_in_xa()?;
        match self.own_gtid {
            OwnGtid::Owned(_) if self.transaction.open => {
                Err(ER_CANT_DO_IMPLICIT_COMMIT_IN_TRX_WHEN_GTID_NEXT_IS_SET.error(&[]))
            }
            _ => Ok(()),
        }
    }

    /// `gtid_next` was set.
    pub(super) async fn take_gtid(&mut self) -> Result<()> {
        self.give_gtid_back();
        let GtidNext::Gtid(gtid) = self.vars.gtid_next else { return Ok(()) };
        let kill = std::sync::Arc::clone(&self.kill);
        let owned = kill.unless_killed(pin!(self.await_gtid(gtid))).await;
        // Who gives up waiting has none: what comes next is not the server's to number.
        self.own_gtid = owned.as_ref().map_or(OwnGtid::Used(gtid), |owned| *owned);
        owned?;
        if self.own_gtid == OwnGtid::Owned(gtid) {
            self.transaction.next_gtid = Some(gtid);
        }
        Ok(())
    }

    pub(super) async fn await_gtid(&self, gtid: Gtid) -> Result<OwnGtid> {
        let pipeline = &self.shared.pipeline;
        loop {
            match pipeline.own_gtid(gtid) {
                GtidClaim::Owned => return Ok(OwnGtid::Owned(gtid)),
                GtidClaim::Drawn if pipeline.durable_gtids().contains(gtid) => {
                    return Ok(OwnGtid::Executed(gtid));
                }
                GtidClaim::Drawn | GtidClaim::Taken => tokio::time::sleep(LOOK).await,
            }
        }
    }

    /// The session no longer owns a GTID.
    pub(super) fn give_gtid_back(&mut self) {
        if let OwnGtid::Owned(gtid) = self.own_gtid {
            self.shared.pipeline.give_gtid_back(gtid);
        }
        (self.own_gtid, self.transaction.next_gtid) = (OwnGtid::Automatic, None);
    }

    /// Whether a change is to be passed over. Error 1837 if `gtid_next` has to be set first.
    pub(super) fn passes_over_change(&mut self) -> Result<bool> {
        self.settle_gtid();
        match self.own_gtid {
            OwnGtid::Automatic | OwnGtid::Owned(_) => Ok(false),
            OwnGtid::Executed(_) => Ok(true),
            OwnGtid::Used(gtid) => Err(ER_GTID_NEXT_TYPE_UNDEFINED_GTID.error(&[&gtid])),
        }
    }

    /// Whether each statement is a transaction by itself now.
    fn is_by_itself(&self) -> bool {
        self.vars.autocommit && !self.transaction.open
    }

    /// A statement that commits, and has changed nothing, uses the GTID.
    pub(super) async fn spend_gtid(&mut self) -> Result<()> {
        self.settle_gtid();
        match self.own_gtid {
            OwnGtid::Owned(_) if self.is_by_itself() => self.commit_own().await.map(|_| ()),
            OwnGtid::Executed(_) if self.is_by_itself() => {
                self.use_gtid();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A statement was executed without a transaction of its GTID: it was passed over, or has failed.
    pub(super) fn lose_gtid(&mut self) {
        if self.is_by_itself() {
            self.use_gtid();
        }
    }

    /// A statement has failed, maybe before it was one.
    pub(super) fn lose_gtid_by(&mut self, error: &SqlError) {
        if !error.is(&ER_PARSE_ERROR) && !error.is(&ER_EMPTY_QUERY) {
            self.lose_gtid();
        }
    }

    /// Answers a change that is passed over: it changes nothing.
    pub(super) fn pass_over(&mut self, more: bool, wire: &mut dyn Wire) {
        self.lose_gtid();
        self.ok(None, &Changed::default(), more, wire);
    }

    /// Notes that a commit has used the GTID.
    fn settle_gtid(&mut self) {
        if let OwnGtid::Owned(gtid) = self.own_gtid
            && self.transaction.next_gtid.is_none()
        {
            self.give_gtid_back();
            self.own_gtid = OwnGtid::Used(gtid);
        }
    }

    /// COMMIT and ROLLBACK use the GTID, whatever the transaction has done.
    pub(super) fn use_gtid(&mut self) {
        match self.own_gtid {
            OwnGtid::Owned(gtid) | OwnGtid::Executed(gtid) => {
                self.give_gtid_back();
                self.own_gtid = OwnGtid::Used(gtid);
            }
            OwnGtid::Automatic | OwnGtid::Used(_) => {}
        }
    }

    /// Whether the next commit has a GTID of its own, which stands in the binlog whatever else does: what is executed is what stands
    /// there.
    pub(super) fn has_gtid_to_log(&self) -> bool {
        self.transaction.next_gtid.is_some() && self.shared.pipeline.binlog().is_some()
    }

    /// Whether the transaction at hand is logged; with `sql_log_bin=0` and a GTID of its own, without its changes.
    pub(super) fn logs_commit(&mut self) -> Result<bool> {
        if self.logs() {
            return Ok(true);
        }
        let has_gtid = self.has_gtid_to_log() && !self.transaction.trx.writes().is_empty();
        if has_gtid {
            let (_, cache) = self.transaction.parts();
            self.log.log_begin(cache)?;
        }
        Ok(has_gtid)
    }

    /// COMMIT: an empty transaction is logged too if it has a GTID of its own.
    pub(super) async fn commit_own(&mut self) -> Result<CommitAck> {
        self.settle_gtid();
        let is_empty = self.transaction.trx.writes().is_empty();
        let ack = if is_empty && self.has_gtid_to_log() {
            // The commit itself hears no KILL, and would wait for a lock of the session's own for ever.
            self.refuse_under_read_lock()?;
            self.outlast_read_lock().await?;
            self.log_empty()?;
            // It changes nothing, so a read-only server takes it: that is how a replica passes over a transaction.
            let writer = self.transaction.writer.take();
            let done = self.transaction.commit_statement(self.log.origin, true).await;
            self.transaction.writer = writer;
            done?
        } else {
            self.commit_open().await?
        };
        self.use_gtid();
        Ok(ack)
    }
}
