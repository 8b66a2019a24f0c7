//! Indexes of dropped tables are emptied slice by slice.

#![expect(clippy::unwrap_used, reason = "a test fails where its helpers fail")]

use std::path::Path;
use std::sync::Arc;

use engine::base::{Base, Slice, WhenFull};
use engine::ids::{Change, IndexId, Key};
use vfs::Vfs;
use vfs::sim::SimDisk;

const FIRST: u32 = 2000;

fn key(index: u32, number: u8) -> Key {
    let prefix = IndexId(index).prefix();
    prefix.iter().copied().chain([number]).collect::<Vec<u8>>().as_slice().into()
}

/// A base whose indexes, from the first one on, have so many keys.
fn filled(counts: &[u8]) -> Base {
    let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
    vfs.create_dir_all(Path::new("/data")).unwrap();
    let base = Base::open(&vfs, Path::new("/data"), 1 << 20, 0).unwrap();
    let changes: Vec<(Key, Change)> = (FIRST..)
        .zip(counts)
        .flat_map(|(index, count)| (0..*count).map(move |number| key(index, number)))
        .map(|key| (key, Change::Put([1_u8].as_slice().into())))
        .collect();
    base.commit(&Slice { changes: &changes, facts: &[] }, WhenFull::UseBallast).unwrap();
    base
}

fn indexes(base: &Base) -> Vec<u32> {
    let next = |index: &IndexId| base.first_index_from(IndexId(index.0 + 1)).unwrap();
    std::iter::successors(base.first_index_from(IndexId(FIRST)).unwrap(), next).map(|index| index.0).collect()
}

#[test]
fn a_slice_ends_where_it_is_full() {
    let base = filled(&[3, 2, 0, 4]);
    let mut doomed = [0, 2, 3].map(|place| IndexId(FIRST + place)).to_vec();
    base.empty_indexes(&mut doomed, 3, WhenFull::UseBallast).unwrap();
    assert_eq!((doomed.len(), indexes(&base)), (3, vec![FIRST, FIRST + 1, FIRST + 3]));
    // One of the last, none of the second, two of the first.
    base.empty_indexes(&mut doomed, 3, WhenFull::UseBallast).unwrap();
    assert_eq!((doomed.len(), indexes(&base)), (1, vec![FIRST, FIRST + 1]));
    base.empty_indexes(&mut doomed, 3, WhenFull::UseBallast).unwrap();
    assert_eq!((doomed.len(), indexes(&base)), (0, vec![FIRST + 1]));
}

#[test]
fn nothing_is_written_where_nothing_is_left() {
    let base = filled(&[1]);
    let written = base.bytes_written();
    let mut doomed = vec![IndexId(FIRST + 7), IndexId(FIRST + 8)];
    base.empty_indexes(&mut doomed, 3, WhenFull::UseBallast).unwrap();
    assert!(doomed.is_empty());
    assert_eq!(base.bytes_written(), written);
    assert_eq!(indexes(&base), [FIRST]);
}
