//! Rows without a key: where the rows of an event are, found in one pass over their table.
//!
//! Equal rows are told apart only by their place, so any of them will do, but each for one image.

use std::collections::HashMap;

use binlog::event::RowsKind;
use engine::ids::Key;
use engine::scan::{Direction, KeyRange};
use replication::replica::{Field, RowsBody};
use sql::exec::engine_error;

use super::Result;
use super::rows::{Changes, ROWS_A_TURN};

/// Places of before images by what they look like.
type Wanted = HashMap<Vec<u8>, Vec<usize>>;

/// Rows that the event has changed, by what they look like now: an event may change a row more than once.
#[derive(Debug, Default)]
pub(super) struct Moved(HashMap<Vec<u8>, Vec<Key>>);

impl Moved {
    /// A row with this before image has become this one.
    pub(super) fn note(
        &mut self,
        changes: &Changes<'_>,
        before: &[Field<'_>],
        row: &[u8],
        key: Key,
    ) -> Result<()> {
        let signature = changes.signature(row, &given(before))?;
        self.0.entry(signature).or_default().push(key);
        Ok(())
    }

    /// The key of one that looks like this.
    pub(super) fn take(&mut self, changes: &Changes<'_>, before: &[Field<'_>]) -> Result<Option<Key>> {
        let probe = changes.row(before, |_| None)?;
        let signature = changes.signature(&probe, &given(before))?;
        Ok(self.0.get_mut(&signature).and_then(Vec::pop))
    }
}

/// The columns that an image has.
fn given(fields: &[Field<'_>]) -> Vec<usize> {
    (0..fields.len()).filter(|column| fields[*column] != Field::Missing).collect()
}

impl Changes<'_> {
    /// For each image of an event, in order, the key of its row.
    pub(super) async fn search(&mut self, body: &RowsBody<'_>) -> Result<Vec<Option<Key>>> {
        let (wanted, columns) = self.wanted(body)?;
        self.search_for(wanted, &columns).await
    }

    /// The key of a row that looks like an image now.
    pub(super) async fn search_again(&mut self, probe: &[u8], image: &[Field<'_>]) -> Result<Option<Key>> {
        let columns = given(image);
        let wanted = Wanted::from([(self.signature(probe, &columns)?, vec![0])]);
        Ok(self.search_for(wanted, &columns).await?.pop().flatten())
    }

    /// Whether a row looks like an image, of which `probe` was made.
    pub(super) fn looks_like(&self, row: &[u8], probe: &[u8], image: &[Field<'_>]) -> bool {
        let columns = given(image);
        let signature = |row| self.signature(row, &columns).ok();
        signature(row) == signature(probe)
    }

    async fn search_for(&mut self, mut wanted: Wanted, columns: &[usize]) -> Result<Vec<Option<Key>>> {
        let count = wanted.values().map(Vec::len).sum();
        let (mut keys, mut missing) = (vec![None; count], count);
        let range = KeyRange::prefix(&self.table.def.rows.prefix());
        let mut scan = self.trx.scan_newest(&range, Direction::Forward).map_err(engine_error)?;
        let mut looked = 0;
        while missing > 0
            && let Some(entry) = scan.next_row().map_err(engine_error)?
        {
            self.trx.note_seen(entry.seq);
            let row = entry.row.expect("next_row returns rows");
            if let Some(at) = wanted.get_mut(&self.signature(&row, columns)?).and_then(Vec::pop) {
                keys[at] = Some(entry.key);
                missing -= 1;
            }
            looked += 1;
            if looked % ROWS_A_TURN == 0 {
                tokio::task::yield_now().await;
            }
        }
        Ok(keys)
    }

    /// What the before images look like, with their places; and the columns that they have.
    fn wanted(&self, body: &RowsBody<'_>) -> Result<(Wanted, Vec<usize>)> {
        let (mut wanted, mut columns) = (HashMap::<_, Vec<_>>::new(), Vec::new());
        let (mut fields, mut after) = (Vec::new(), Vec::new());
        let mut images = body.images;
        let mut count = 0;
        while !images.is_empty() {
            self.read(body.present, &mut images, &mut fields)?;
            if body.kind == RowsKind::Update {
                self.read(body.present_after, &mut images, &mut after)?;
            }
            columns = given(&fields);
            let probe = self.row(&fields, |_| None)?;
            wanted.entry(self.signature(&probe, &columns)?).or_default().push(count);
            count += 1;
        }
        // They are taken from the end: the first row for the first image.
        for places in wanted.values_mut() {
            places.reverse();
        }
        Ok((wanted, columns))
    }

    /// The bytes of some columns of a row, told apart.
    fn signature(&self, row: &[u8], columns: &[usize]) -> Result<Vec<u8>> {
        let offsets = self.offsets(row)?;
        let mut out = Vec::with_capacity(row.len());
        for column in columns {
            let stored = offsets.stored(row, *column);
            out.push(u8::from(stored.is_some()));
            // Stored values say themselves how long they are.
            out.extend_from_slice(stored.unwrap_or_default());
        }
        Ok(out)
    }
}
