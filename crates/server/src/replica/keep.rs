//! Where a replica keeps who its source is, and how far it has come: two rows of an index of their own.
//!
//! | key behind the index's prefix | row |
//! | --- | --- |
//! | `s` | [`Settings`] |
//! | `p` | [`Position`] |

use engine::ids::{Change, IndexId, Key};
use engine::lock::{LockId, Mode};
use engine::store::Store;
use replication::replica::{Position, Settings};
use sql::exec::engine_error;
use types::error::SqlError;
use types::error::table::ER_REPLICA_AM_INIT_REPOSITORY;

use crate::session::Transaction;

fn key(name: u8) -> Key {
    [&IndexId::REPLICA.prefix()[..], &[name]].concat().into()
}

/// The key of the position.
pub(super) fn position_key() -> Key {
    key(b'p')
}

/// Reads both rows as they were committed last. Error 1872 if they do not decode.
pub(crate) fn read(store: &Store) -> Result<(Option<Settings>, Position), SqlError> {
    let row = |name| store.published().get_newest(&key(name)).map(|(_, row)| row).map_err(engine_error);
    let damaged = || ER_REPLICA_AM_INIT_REPOSITORY.error(&[]);
    let settings = row(b's')?.map(|row| Settings::decode(&row).ok_or_else(damaged)).transpose()?;
    let position = row(b'p')?.map(|row| Position::decode(&row).ok_or_else(damaged)).transpose()?;
    Ok((settings, position.unwrap_or_default()))
}

/// Replaces both rows.
pub(crate) async fn write(
    transaction: &mut Transaction,
    settings: Option<&Settings>,
    position: &Position,
) -> Result<(), SqlError> {
    let put = |bytes: Vec<u8>| Change::Put(bytes.into());
    let rows = [
        (key(b's'), settings.map_or(Change::Remove, |settings| put(settings.encode()))),
        (key(b'p'), put(position.encode())),
    ];
    for (key, change) in rows {
        transaction.trx.lock_row(&key, Mode::Exclusive).await.map_err(engine_error)?;
        transaction.trx.put(LockId::of_key(&key), key, change);
    }
    transaction.commit_unlogged().await.map(drop)
}
