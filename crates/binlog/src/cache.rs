//! A session's transaction cache: the events of one transaction before it commits.
//!
//! Holds everything that stands between the GTID event and the XID event, the BEGIN included, as encoders left it:
//! `event_size` without a checksum, `end_log_pos` zero, no checksums. Up to `binlog_cache_size` bytes stay in
//! memory, in a buffer that a session has only while there are events ([`crate::scratch`]). Beyond, whole events move to a
//! temporary file, oldest first. The file has no name any more once it is open, so a crash leaves nothing behind.
//!
//! Rows come one at a time ([`TrxCache::append_row`]) and share events of about `binlog_row_event_max_size` bytes,
//! split where MySQL splits. [`TrxCache::end_statement`] closes the last one. The order within a statement is
//! MySQL's and replicas depend on it: ROWS_QUERY, then the table maps of all tables, then rows.
//!
//! Invariants: bytes are `spilled ++ buffer`; a spill holds whole events; the rows event that is still open is the
//! last thing in the buffer.
//!
//! What this is not: shared, durable, or counted. The caller counts `Binlog_cache_use` and, by
//! [`TrxCache::spilled`], `Binlog_cache_disk_use`.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use vfs::{Open, Spill, Vfs};

use crate::error::{Error, Limit, Result};
use crate::event::{
    Encode, EventHeader, HEADER_LEN, OpenRows, Origin, Row, RowsKind, RowsSpec, single_row_event_len,
};
use crate::finalise::whole_event;
use crate::{EVENT_SIZE_MAX, decode, event, scratch};

/// The largest body: what [`EVENT_SIZE_MAX`] leaves.
const BODY_LEN_MAX: usize = EVENT_SIZE_MAX as usize - event::HEADER_LEN - event::CHECKSUM_LEN;

/// The bounds of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheLimits {
    /// `binlog_cache_size`: bytes that stay in memory, or the last event if it is larger.
    pub memory_bytes: usize,
    /// `max_binlog_cache_size`: bytes of a transaction's events, beyond which the statement fails.
    pub total_bytes_max: u64,
    /// `binlog_row_event_max_size`: bytes of a rows event's body beyond which a further row opens a new event.
    pub rows_event_size: usize,
}

impl Default for CacheLimits {
    fn default() -> Self {
        Self { memory_bytes: 32 << 10, total_bytes_max: u64::MAX, rows_event_size: 8192 }
    }
}

/// A position in a cache to which it can be cut: a savepoint, or the start of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Mark {
    len: u64,
    events: u64,
}

/// A rows event in a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedRows {
    /// Which of the three.
    pub kind: RowsKind,
    /// How many events stand before it.
    pub number: usize,
    /// Where its images lie in the cache's bytes.
    pub images: Range<usize>,
}

/// The events of one transaction.
#[derive(Debug)]
pub struct TrxCache {
    buf: Vec<u8>,
    open: Option<OpenRows>,
    events: u64,
    spill: Option<Box<Spill>>,
    spilled: bool,
    limits: CacheLimits,
    place: Arc<Place>,
}

/// Where a cache spills to.
#[derive(Debug)]
struct Place {
    vfs: Arc<dyn Vfs>,
    path: PathBuf,
}

impl TrxCache {
    /// An empty cache that spills, if it ever must, to a temporary file at `path`, a name of its own.
    pub fn new(vfs: Arc<dyn Vfs>, path: PathBuf, limits: CacheLimits) -> Self {
        Self::at(Arc::new(Place { vfs, path }), limits)
    }

    fn at(place: Arc<Place>, limits: CacheLimits) -> Self {
        Self { buf: Vec::new(), open: None, events: 0, spill: None, spilled: false, limits, place }
    }

    /// An empty one with the same bounds and the same place, for the next transaction while this one's is under way.
    #[must_use]
    pub fn renewed(&self) -> Self {
        Self::at(Arc::clone(&self.place), self.limits)
    }

    /// Whether the cache holds no event.
    pub fn is_empty(&self) -> bool {
        self.events == 0
    }

    /// Bytes of all events, without checksums.
    pub fn len(&self) -> u64 {
        self.spilled_len() + self.buf.len() as u64
    }

    /// How many events there are: each grows by a checksum in the file.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Whether any part of this transaction went to the temporary file, even if it came back since.
    pub fn spilled(&self) -> bool {
        self.spilled
    }

    /// Changes the bounds for what comes; for `SET GLOBAL` between transactions.
    pub fn set_limits(&mut self, limits: CacheLimits) {
        self.limits = limits;
    }

    /// Appends an event.
    ///
    /// # Errors
    /// [`Error::Limit`] and [`Error::Io`] leave the cache as it was: the statement is rolled back to its mark.
    ///
    /// # Panics
    /// If a statement's rows are open: replicas need a statement's table maps in front of its rows.
    pub fn append(&mut self, origin: Origin, event: &impl Encode) -> Result<()> {
        assert!(self.open.is_none(), "end_statement comes before the next statement's events");
        self.take_buffer();
        let start = self.buf.len();
        event.append_to(origin, &mut self.buf);
        if let Err(error) = self.keep_behind(start) {
            self.buf.truncate(start);
            return Err(error);
        }
        self.events += 1;
        Ok(())
    }

    /// Keeps the event that is the end of the buffer, from `start` on, if it is within the bounds.
    fn keep_behind(&mut self, start: usize) -> Result<()> {
        self.admit(0, self.buf.len() - start)?;
        if self.buf.len() > self.limits.memory_bytes { self.spill_before(start) } else { Ok(()) }
    }

    /// Appends a row to the open rows event, or opens one.
    ///
    /// # Errors
    /// As [`TrxCache::append`].
    pub fn append_row(&mut self, origin: Origin, spec: &RowsSpec<'_>, row: &Row<'_>) -> Result<()> {
        if let Some(open) = self.open.filter(|open| open.takes(spec, &self.buf))
            && open.body_len(&self.buf) + row.len() <= self.limits.rows_event_size.min(BODY_LEN_MAX)
        {
            self.admit(row.len(), 0)?;
            self.make_room(row.len())?;
            open.push(row, &mut self.buf);
            return Ok(());
        }
        let len = single_row_event_len(spec, row);
        self.admit(len, len)?;
        self.close_rows(false);
        self.make_room(len)?;
        let open = OpenRows::begin(spec, origin, &mut self.buf);
        open.push(row, &mut self.buf);
        self.open = Some(open);
        self.events += 1;
        Ok(())
    }

    /// Closes the statement's last rows event, if it has any, and marks it as the last.
    pub fn end_statement(&mut self) {
        self.close_rows(true);
    }

    /// The current end, for [`TrxCache::truncate_to`].
    ///
    /// # Panics
    /// If a statement's rows are open.
    pub fn mark(&self) -> Mark {
        assert!(self.open.is_none(), "a mark stands between statements");
        Mark { len: self.len(), events: self.events }
    }

    /// Forgets everything behind a mark: ROLLBACK TO SAVEPOINT, or a statement that failed half way.
    ///
    /// # Panics
    /// If the cache is shorter than the mark.
    pub fn truncate_to(&mut self, mark: Mark) {
        assert!(mark.len <= self.len() && mark.events <= self.events, "a mark is not behind the end");
        self.open = None;
        let spilled_len = self.spilled_len();
        if let Some(kept) = mark.len.checked_sub(spilled_len) {
            self.buf.truncate(usize::try_from(kept).expect("a part of a buffer"));
        } else {
            self.buf.clear();
            self.spill.as_mut().expect("the mark lies in the spill").truncate(mark.len);
        }
        self.events = mark.events;
    }

    /// Empties the cache for the next transaction. Its buffer and the temporary file go.
    pub fn reset(&mut self) {
        self.open = None;
        self.events = 0;
        self.spill = None;
        self.spilled = false;
        scratch::give(std::mem::take(&mut self.buf));
    }

    /// Brings spilled events back into memory, so that they can be finalised without I/O after the ticket.
    ///
    /// # Errors
    /// [`Error::Limit`] if all events take more than `bytes_max`; [`Error::Io`], of kind `InvalidData` if the file does not
    /// hold what was spilled.
    pub fn load(&mut self, bytes_max: u64) -> Result<()> {
        assert!(self.open.is_none(), "a transaction's statements have ended");
        let Some(spill) = &self.spill else { return Ok(()) };
        if self.len() > bytes_max {
            return Err(Error::Limit { what: Limit::Load, limit_bytes: bytes_max });
        }
        let spilled_len = usize::try_from(spill.len()).expect("bounded by bytes_max, which is memory");
        let mut whole = vec![0; spilled_len];
        spill.read_exact_at(&mut whole, 0)?;
        whole.extend_from_slice(&self.buf);
        self.buf = whole;
        self.spill = None;
        Ok(())
    }

    /// Puts another event in the place of the first one, of the same origin, if that is in memory. Says whether it was.
    ///
    /// # Panics
    /// If a statement's rows are open, or there is no event.
    pub fn replace_first(&mut self, event: &impl Encode) -> bool {
        assert!(self.open.is_none() && self.events > 0, "it stands in front of whole statements");
        if self.spill.is_some() {
            return false;
        }
        let header = EventHeader::from_bytes(self.buf.first_chunk().expect("a whole event"));
        let first = usize::try_from(header.event_size).expect("it is in memory");
        let mut other = Vec::new();
        event.append_to(header.origin(), &mut other);
        self.buf.splice(..first, other);
        true
    }

    /// Puts one event in the place of all.
    ///
    /// # Panics
    /// If a statement's rows are open.
    pub(crate) fn replace_all(&mut self, origin: Origin, event: &impl Encode) {
        assert!(self.open.is_none(), "a transaction's statements have ended");
        self.spill = None;
        self.buf.clear();
        event.append_to(origin, &mut self.buf);
        self.events = 1;
    }

    /// Moves everything out, the temporary file included, and is empty after that.
    #[must_use]
    pub fn take(&mut self) -> Self {
        let empty = Self::at(Arc::clone(&self.place), self.limits);
        std::mem::replace(self, empty)
    }

    /// All bytes, if none of them is in the file.
    pub fn memory(&self) -> Option<&[u8]> {
        self.spill.is_none().then_some(&self.buf[..])
    }

    /// The rows events among [`TrxCache::memory`].
    pub fn rows(&self) -> impl Iterator<Item = CachedRows> {
        let bytes = self.memory().unwrap_or_default();
        let mut rest = bytes;
        let events = std::iter::from_fn(move || {
            let (event, behind) = whole_event(rest)?;
            rest = behind;
            Some((event, bytes.len() - behind.len()))
        });
        events.enumerate().filter_map(|(number, (event, end))| {
            let (header, body) = event.split_first_chunk::<HEADER_LEN>()?;
            let kind = RowsKind::from_event_type(EventHeader::from_bytes(header).event_type)?;
            let images = decode::rows(body, kind).ok()?.images;
            Some(CachedRows { kind, number, images: end - images.len()..end })
        })
    }

    /// Reads up to `out.len()` bytes at `offset`; fewer only at the end.
    pub fn read_at(&self, out: &mut [u8], offset: u64) -> Result<usize> {
        assert!(self.open.is_none(), "a transaction's statements have ended");
        let left = self.len().saturating_sub(offset);
        let wanted = usize::try_from(left).map_or(out.len(), |left| left.min(out.len()));
        let out = &mut out[..wanted];
        let in_file =
            usize::try_from(self.spilled_len().saturating_sub(offset)).unwrap_or(wanted).min(wanted);
        let (from_file, from_memory) = out.split_at_mut(in_file);
        if let Some(spill) = &self.spill
            && !from_file.is_empty()
        {
            spill.read_exact_at(from_file, offset)?;
        }
        if !from_memory.is_empty() {
            let start = offset.saturating_sub(self.spilled_len());
            let start = usize::try_from(start).expect("a part of a buffer");
            from_memory.copy_from_slice(&self.buf[start..start + from_memory.len()]);
        }
        Ok(wanted)
    }

    fn spilled_len(&self) -> u64 {
        self.spill.as_ref().map_or(0, |spill| spill.len())
    }

    /// Checks the bounds for `more` bytes and, if it is a new event, for its size.
    fn admit(&self, more: usize, event_len: usize) -> Result<()> {
        if event_len > event::HEADER_LEN + BODY_LEN_MAX {
            return Err(Error::Limit { what: Limit::Event, limit_bytes: u64::from(EVENT_SIZE_MAX) });
        }
        let limit_bytes = self.limits.total_bytes_max;
        if self.len() + more as u64 > limit_bytes {
            return Err(Error::Limit { what: Limit::Cache, limit_bytes });
        }
        Ok(())
    }

    /// Spills whole events if `more` bytes would exceed the memory.
    fn make_room(&mut self, more: usize) -> Result<()> {
        self.take_buffer();
        if self.buf.len() + more <= self.limits.memory_bytes {
            return Ok(());
        }
        self.spill_before(self.open.map_or(self.buf.len(), |open| open.start()))
    }

    /// Has a buffer, from the first event on.
    fn take_buffer(&mut self) {
        if self.buf.capacity() == 0 {
            self.buf = scratch::take();
        }
    }

    /// Moves the whole events in the first `whole` bytes of the buffer to the temporary file.
    fn spill_before(&mut self, whole: usize) -> Result<()> {
        if whole == 0 {
            return Ok(());
        }
        let spill = match &mut self.spill {
            Some(spill) => spill,
            empty => {
                let Place { vfs, path } = &*self.place;
                empty.insert(Box::new(Spill::open(vfs.as_ref(), path, Open::Spill)?))
            }
        };
        spill.append(&self.buf[..whole])?;
        self.spilled = true;
        self.buf.drain(..whole);
        if let Some(open) = &mut self.open {
            open.moved_to(0);
        }
        Ok(())
    }

    fn close_rows(&mut self, statement_ends: bool) {
        if let Some(open) = self.open.take() {
            open.close(statement_ends, &mut self.buf);
        }
    }
}
