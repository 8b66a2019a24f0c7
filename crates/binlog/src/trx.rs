//! A whole transaction on its way into a file: GTID event, cached events, XID event.
//!
//! Everything about its length is known before the ticket ([`TrxEvents::final_len`]); everything that the ticket
//! decides ([`TrxStamps`]) has a fixed size and is filled in afterwards ([`TrxEvents::write_into`]).

use crate::cache::TrxCache;
use crate::error::Result;
use crate::event::{ChecksumAlg, Encode, GtidEvent, GtidLayout, Origin, Xid};
use crate::finalise::Finaliser;
use crate::gtid::{Gno, Gtid, Uuid};

/// Bytes read from a spilled cache at a time.
const CHUNK_LEN: usize = 256 << 10;

/// What a GTID event says that is known before the ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GtidPlan {
    /// The UUID part; `None` = anonymous (`gtid_mode=OFF`).
    pub sid: Option<Uuid>,
    /// DDL: the transaction holds statements, not only rows.
    pub may_have_statements: bool,
    /// When a transaction that ran first elsewhere was committed there, microseconds since 1970.
    pub original_commit_timestamp_us: Option<u64>,
    /// This server's version, for example 80046.
    pub immediate_server_version: u32,
    /// The version where it ran first, if it is another one.
    pub original_server_version: Option<u32>,
}

impl GtidPlan {
    fn layout(&self) -> GtidLayout {
        GtidLayout {
            original_timestamp: self.original_commit_timestamp_us.is_some(),
            original_version: self.original_server_version.is_some(),
        }
    }
}

/// What the ticket decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrxStamps {
    /// Where the GTID event begins in its file.
    pub position: u64,
    /// The GTID's number; ignored if anonymous.
    pub gno: Gno,
    /// `last_committed`, relative to the file.
    pub last_committed: u64,
    /// `sequence_number`, relative to the file, from 1.
    pub sequence_number: u64,
    /// When it commits, microseconds since 1970.
    pub immediate_commit_timestamp_us: u64,
    /// For the XID event; ignored without one.
    pub xid: u64,
}

/// A transaction that is ready to be placed.
#[derive(Clone, Copy, Debug)]
pub struct TrxEvents<'a> {
    cache: &'a TrxCache,
    plan: GtidPlan,
    origin: Origin,
    with_xid: bool,
}

impl<'a> TrxEvents<'a> {
    /// A transaction of row events: the cache begins with BEGIN, an XID event is added. `origin` is that of the
    /// statement that commits.
    pub fn transaction(cache: &'a TrxCache, plan: GtidPlan, origin: Origin) -> Self {
        Self { cache, plan, origin, with_xid: true }
    }

    /// A group that ends by itself: one DDL statement, BEGIN and COMMIT for an empty transaction with a GTID, or an XA
    /// transaction up to XA_PREPARE.
    pub fn statement(cache: &'a TrxCache, plan: GtidPlan, origin: Origin) -> Self {
        Self { cache, plan, origin, with_xid: false }
    }

    /// How many events will stand in the file.
    pub fn event_count(&self) -> u64 {
        1 + self.cache.events() + u64::from(self.with_xid)
    }

    /// Bytes that the transaction takes in a file with this checksum.
    pub fn final_len(&self, checksum: ChecksumAlg) -> u64 {
        let rest = self.rest_len(checksum);
        rest + self.plan.layout().event_size(rest, checksum)
    }

    /// What frames the cached events of a transaction: its GTID event, and its XID event, if it has one.
    pub fn edges(&self, checksum: ChecksumAlg, stamps: &TrxStamps) -> (Vec<u8>, Vec<u8>) {
        let (mut head, mut tail) = (Vec::new(), Vec::new());
        let len = self.final_len(checksum);
        self.begin(checksum, stamps, len, &mut head);
        if self.with_xid {
            let xid = Xid(stamps.xid);
            let end = stamps.position + len;
            let start = end - (xid.encoded_len() + checksum.len()) as u64;
            Finaliser::new(start, checksum).push_event(&xid, self.origin, &mut tail);
        }
        (head, tail)
    }

    /// Bytes of [`TrxEvents::edges`].
    pub fn edges_len(&self, checksum: ChecksumAlg) -> u64 {
        self.final_len(checksum) - self.cache.len() - self.cache.events() * checksum.len() as u64
    }

    /// Bytes of the cached events.
    pub fn cached_len(&self) -> u64 {
        self.cache.len()
    }

    /// Bytes of the GTID event, which stands before the cached events.
    pub fn front_len(&self, checksum: ChecksumAlg) -> u64 {
        self.plan.layout().event_size(self.rest_len(checksum), checksum)
    }

    /// Bytes behind the GTID event.
    fn rest_len(&self, checksum: ChecksumAlg) -> u64 {
        let xid = if self.with_xid { (Xid(0).encoded_len() + checksum.len()) as u64 } else { 0 };
        self.cache.len() + self.cache.events() * checksum.len() as u64 + xid
    }

    /// Appends the final bytes: [`TrxEvents::final_len`] of them.
    ///
    /// # Panics
    /// If events are spilled: they are loaded before the ticket.
    pub fn write_into(&self, checksum: ChecksumAlg, stamps: &TrxStamps, out: &mut Vec<u8>) {
        let events = self.cache.memory().expect("spilled events are loaded before they are written");
        let len = self.final_len(checksum);
        let mut finaliser = self.begin(checksum, stamps, len, out);
        finaliser.push(events, out);
        self.end(stamps, len, finaliser, out);
    }

    /// As [`TrxEvents::write_into`], reading spilled events piece by piece: `put` takes the final bytes in order.
    pub fn write_spilled(
        &self,
        checksum: ChecksumAlg,
        stamps: &TrxStamps,
        mut put: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut final_bytes = Vec::new();
        let final_len = self.final_len(checksum);
        let mut finaliser = self.begin(checksum, stamps, final_len, &mut final_bytes);
        let mut cached = vec![0; CHUNK_LEN];
        let mut offset = 0;
        loop {
            let len = self.cache.read_at(&mut cached, offset)?;
            if len == 0 {
                break;
            }
            finaliser.push(&cached[..len], &mut final_bytes);
            offset += len as u64;
            put(&final_bytes)?;
            final_bytes.clear();
        }
        self.end(stamps, final_len, finaliser, &mut final_bytes);
        put(&final_bytes)
    }

    /// Appends the GTID event of a transaction of `len` bytes.
    fn begin(&self, checksum: ChecksumAlg, stamps: &TrxStamps, len: u64, out: &mut Vec<u8>) -> Finaliser {
        let event = GtidEvent {
            gtid: self.plan.sid.map(|sid| Gtid { sid, gno: stamps.gno }),
            may_have_statements: self.plan.may_have_statements,
            last_committed: stamps.last_committed,
            sequence_number: stamps.sequence_number,
            immediate_commit_timestamp_us: stamps.immediate_commit_timestamp_us,
            original_commit_timestamp_us: self.plan.original_commit_timestamp_us,
            transaction_length: len,
            immediate_server_version: self.plan.immediate_server_version,
            original_server_version: self.plan.original_server_version,
        };
        let mut finaliser = Finaliser::new(stamps.position, checksum);
        finaliser.push_event(&event, self.origin, out);
        finaliser
    }

    /// Appends what stands behind the cached events of a transaction of `len` bytes.
    fn end(&self, stamps: &TrxStamps, len: u64, mut finaliser: Finaliser, out: &mut Vec<u8>) {
        if self.with_xid {
            finaliser.push_event(&Xid(stamps.xid), self.origin, out);
        }
        assert!(finaliser.is_between_events(), "cached events are whole");
        assert_eq!(finaliser.events(), self.event_count(), "cached events are as many as were counted");
        assert_eq!(finaliser.position(), stamps.position + len, "a transaction ends where its ticket says");
    }
}
