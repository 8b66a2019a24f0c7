//! Nested loops over a statement's sources.
//!
//! Of an outer join, the sources whose rows may be missing follow each other, and those that they are missing for stand
//! before them. If the first one's loop ends and they have had no rows together, all of them stand for missing rows once.
//!
//! A loop that no index helps looks its rows up among those that the loops before it have read ([`super::stored`]).
//!
//! Rows of sources that lock them are found as they were at one moment, the same for all of them; one that fulfils the
//! conditions is locked, and read again. What others have changed since, so that the moment is over, is looked at as it
//! is, and noted: whoever reads begins again with the next moment, until all that is locked is what one moment had
//! ([`super::moment`]).

use std::ops::Range;
use std::sync::Arc;

use engine::ids::CommitSeq;
use engine::lock::{LockId, Mode};
use engine::view::Snapshot;
use smallvec::SmallVec;
use types::context::Context;
use types::value::Value;

use super::cursor::{Beforehand, Cursor, Kept, MadeRows, Versions};
use super::stored::Shared;
use super::{Exec, Known, Result};
use crate::expr::{CompareOp, Expr, Inputs, Lookup, RowRef};
use crate::plan::{Completed, Condition, LockWait, RowLock, Source, SourceKind};

/// The rows of a source that were made beforehand; those of a LATERAL derived table are made whenever its loop begins.
pub(super) type Made = Option<Arc<Vec<Vec<Value>>>>;
/// A row a source.
pub(super) type Rows<'r> = SmallVec<[RowRef<'r>; 2]>;

/// Those of a source's rows that may fulfil a condition which says what one of its columns is equal to.
fn find_made(
    place: usize,
    source: &Source,
    rows: &Arc<Vec<Vec<Value>>>,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<(Arc<Lookup>, Range<usize>)>> {
    let Some(memo) = inputs.memo else { return Ok(None) };
    for condition in &source.conditions {
        let Expr::Compare(CompareOp::Eq, left, right) = &condition.expr else { continue };
        let (column, other) = match (&**left, &**right) {
            (Expr::Column { source, column }, other) | (other, Expr::Column { source, column })
                if *source == place =>
            {
                (*column, other)
            }
            _ => continue,
        };
        // What computes may fail, or warn: once is enough.
        let is_plain = matches!(
            other,
            Expr::Column { .. } | Expr::Outer(..) | Expr::Const(_) | Expr::Literal(_) | Expr::Param(_)
        );
        if !is_plain || !other.is_known_before(place) {
            continue;
        }
        let Some(lookup) = memo.made(rows, column) else { continue };
        if let Some(found) = lookup.find(rows, other.eval(inputs, context)?.as_ref()) {
            return Ok(Some((lookup, found)));
        }
    }
    Ok(None)
}

/// See the module.
pub(super) struct Join<'p> {
    sources: &'p [Source],
    made: &'p [Made],
    known: Known<'p>,
    /// Of sources whose rows are not locked.
    versions: Versions,
    /// Stored rows that no clause locks are locked like this.
    otherwise: Option<RowLock>,
    /// Of sources whose rows are.
    moment: Option<Snapshot>,
    /// The newest change of a locked row since then.
    changed: Option<CommitSeq>,
    levels: Vec<Level<'p>>,
    /// What the loops over a source share, as far as it is known.
    lookups: Vec<Sharing>,
    /// Without sources there is one row.
    done: bool,
}

#[derive(Clone)]
enum Sharing {
    Unknown,
    Nothing,
    Rows(Shared),
}

/// What a look at a loop's next row has found.
enum Look {
    Row,
    /// One that does not fulfil the conditions.
    Other,
    End,
}

/// One loop.
struct Level<'p> {
    /// None for a missing row.
    cursor: Option<Cursor<'p>>,
    /// The sources that are missing together from this one on have had rows for the current rows before them.
    matched: bool,
}

impl<'p> Join<'p> {
    pub(super) fn new(sources: &'p [Source], made: &'p [Made], known: Known<'p>, versions: Versions) -> Self {
        let levels = Vec::with_capacity(sources.len());
        let (otherwise, moment, changed, lookups) = (None, None, None, Vec::new());
        Self { sources, made, known, versions, otherwise, moment, changed, levels, lookups, done: false }
    }

    /// The same, which locks all rows that it reads.
    pub(super) fn or_locked(self, otherwise: Option<RowLock>) -> Self {
        Self { otherwise, ..self }
    }

    /// Moves to the next combination of rows that fulfils all conditions. False at the end. Others may run, and KILL is
    /// heard, however few rows do.
    pub(super) async fn next(&mut self, exec: &mut Exec<'_>) -> Result<bool> {
        if self.sources.is_empty() {
            return Ok(!std::mem::replace(&mut self.done, true));
        }
        if self.done {
            return Ok(false);
        }
        if self.levels.is_empty() {
            self.open(exec).await?;
        }
        loop {
            exec.turns.tick().await;
            match self.advance(exec).await? {
                Look::Row if self.levels.len() == self.sources.len() => return Ok(true),
                Look::Row => self.open(exec).await?,
                Look::Other => {}
                Look::End => {
                    self.levels.pop();
                    if self.levels.is_empty() {
                        self.done = true;
                        return Ok(false);
                    }
                }
            }
        }
    }

    /// The newest change by others of a row that is locked, since the moment of which it was found.
    pub(super) fn changed(&self) -> Option<CommitSeq> {
        self.changed
    }

    /// The current rows.
    pub(super) fn rows(&self) -> Rows<'_> {
        let mut rows = Rows::new();
        for level in &self.levels {
            rows.push(level.cursor.as_ref().map_or(RowRef::Missing, Cursor::row));
        }
        rows.resize(self.sources.len(), RowRef::Missing);
        rows
    }

    /// The current row's key of a single source whose rows may be locked.
    pub(super) fn key(&self) -> Option<&[u8]> {
        self.levels.first()?.cursor.as_ref()?.key.as_deref()
    }

    /// The current rows, to be kept.
    pub(super) fn kept(&self) -> SmallVec<[Kept; 2]> {
        self.levels.iter().map(|level| level.cursor.as_ref().map_or(Kept::Missing, Cursor::kept)).collect()
    }

    fn lock_of(&self, depth: usize) -> Option<RowLock> {
        let source = &self.sources[depth];
        source.lock.or(self.otherwise.filter(|_| matches!(source.from, SourceKind::Table(_))))
    }

    /// What the next loop shares with others over its source.
    fn shared(&mut self, versions: &Versions, exec: &mut Exec<'_>) -> Option<Shared> {
        let depth = self.levels.len();
        // The first source has one loop, unless the whole join is made again.
        if depth == 0 && self.known.outer.is_empty() {
            return None;
        }
        if self.lookups.is_empty() {
            self.lookups = vec![Sharing::Unknown; self.sources.len()];
        }
        if let Sharing::Unknown = self.lookups[depth] {
            let of_snapshot = matches!(versions, Versions::Snapshot);
            let shared = exec.looked_up(self.sources, depth, of_snapshot);
            self.lookups[depth] = shared.map_or(Sharing::Nothing, Sharing::Rows);
        }
        match &self.lookups[depth] {
            Sharing::Rows(shared) => Some(Shared::clone(shared)),
            Sharing::Unknown | Sharing::Nothing => None,
        }
    }

    async fn open(&mut self, exec: &mut Exec<'_>) -> Result<()> {
        let depth = self.levels.len();
        let locks = self.lock_of(depth).is_some();
        let versions = if locks {
            let moment = match self.moment.take() {
                Some(moment) => moment,
                None => exec.moment().await,
            };
            self.moment = Some(moment.clone());
            Versions::Moment(moment)
        } else {
            self.versions.clone()
        };
        if matches!(versions, Versions::Snapshot) {
            exec.may_take_snapshot().await;
        }
        let shared = self.shared(&versions, exec);
        let rows = self.rows();
        let lateral = match (&self.sources[depth].from, &self.made[depth]) {
            (SourceKind::Derived(place, _), None) => Some(exec.lateral(*place, &rows, self.known).await?),
            _ => None,
        };
        let inputs = exec.inputs(&rows, self.known);
        let mut context = exec.reading();
        let beforehand = match (lateral, &self.made[depth]) {
            (Some(rows), _) => Beforehand::Made(MadeRows { rows, found: None }),
            (None, Some(rows)) => {
                let found = find_made(depth, &self.sources[depth], rows, &inputs, &mut context)?;
                Beforehand::Made(MadeRows { rows: Arc::clone(rows), found })
            }
            (None, None) => shared.as_ref().map_or(Beforehand::Nothing, Beforehand::Stored),
        };
        let mut cursor = Cursor::open(&self.sources[depth], beforehand, versions, &inputs, &mut context)?;
        drop(rows);
        if locks && self.sources.len() == 1 {
            cursor.lock_first();
        }
        self.levels.push(Level { cursor: Some(cursor), matched: false });
        Ok(())
    }

    /// Moves the innermost loop on by a row.
    async fn advance(&mut self, exec: &mut Exec<'_>) -> Result<Look> {
        let depth = self.levels.len() - 1;
        let source = &self.sources[depth];
        let level = &mut self.levels[depth];
        let Some(cursor) = &mut level.cursor else { return Ok(Look::End) };
        if cursor.next(exec.trx, &mut exec.work)? {
            let exact = cursor.exact;
            let is_open = |condition: &Condition| !(condition.implied && exact);
            if !cursor.is_unread()
                && source.conditions.iter().any(is_open)
                && !exec.all_hold(&source.conditions, exact, &self.rows(), self.known).await?
            {
                return Ok(Look::Other);
            }
            if let Some(lock) = self.lock_of(depth)
                && !self.lock(lock, exec).await?
            {
                return Ok(Look::Other);
            }
            return self.complete(&source.completes, exec).await;
        }
        let Some(last) = source.missing_until.filter(|_| !level.matched) else { return Ok(Look::End) };
        level.cursor = None;
        self.levels.resize_with(last + 1, || Level { cursor: None, matched: true });
        // What is within the missing ones has no rows either.
        let completes = &self.sources[last].completes;
        let own = completes.iter().position(|completed| completed.first == depth);
        self.complete(&completes[own.expect("what begins has an end")..], exec).await
    }

    /// Locks the innermost source's row and reads it again. False if it is passed over, or not there or meant any more.
    async fn lock(&mut self, lock: RowLock, exec: &mut Exec<'_>) -> Result<bool> {
        let depth = self.levels.len() - 1;
        let source = &self.sources[depth];
        let Some(cursor) = &mut self.levels[depth].cursor else { return Ok(true) };
        let Some(key) = cursor.key.clone() else { return Ok(true) };
        let held = exec.trx.holds(LockId::of_key(&key), Mode::Shared);
        let mode = if lock.exclusive { Mode::Exclusive } else { Mode::Shared };
        if !exec.lock_by(&key, mode, lock.wait).await? {
            return Ok(false);
        }
        let was_unread = cursor.is_unread();
        let changed = cursor.read_locked(exec.trx)?;
        // Who passes over locked rows does not ask for all that there was at a moment, but what is found together is.
        if lock.wait != LockWait::Skip || self.sources.len() > 1 {
            self.changed = self.changed.max(changed);
        }
        let is_there = cursor.has_row();
        let mut is_meant = is_there;
        if is_meant && (was_unread || changed.is_some()) {
            is_meant = exec.all_hold(&source.conditions, false, &self.rows(), self.known).await?;
        }
        if !is_meant {
            // One that its primary key names stays locked where it is missing, too: nobody else is to make it meanwhile.
            exec.trx.let_go(&key, held, was_unread);
        }
        Ok(is_meant)
    }

    /// The innermost source has a row, or those until it are missing, and what ends with it is complete.
    async fn complete(&mut self, completes: &[Completed], exec: &mut Exec<'_>) -> Result<Look> {
        for completed in completes {
            self.levels[completed.first].matched = true;
            for condition in &completed.after {
                let rows = self.rows();
                if !exec.holds(condition, exec.inputs(&rows, self.known), self.known).await? {
                    return Ok(Look::Other);
                }
            }
        }
        Ok(Look::Row)
    }
}
