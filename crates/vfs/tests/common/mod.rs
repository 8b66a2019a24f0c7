//! What the tests of this crate share: a temporary directory, and buffers.
#![expect(dead_code, reason = "each test binary uses a part")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use vfs::{AlignedBuf, DURABLE_ALIGN, File, Open, Vfs};

/// A directory of the operating system that is removed when this is dropped.
pub struct TempDir(PathBuf);

impl TempDir {
    pub fn new_in(parent: &Path) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("vfs-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = parent.join(name);
        vfs::OsVfs.create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn new() -> Self {
        Self::new_in(&std::env::temp_dir())
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

/// `blocks` aligned blocks of one byte value.
pub fn blocks(count: usize, value: u8) -> AlignedBuf {
    let mut buf = AlignedBuf::new();
    buf.resize(count * DURABLE_ALIGN, value);
    buf
}

pub fn create(vfs: &dyn Vfs, path: &str) -> Arc<dyn File> {
    vfs.open(Path::new(path), Open::Create).unwrap()
}

/// The whole of a file, or `None` if there is none.
pub fn read(vfs: &dyn Vfs, path: &str) -> Option<Vec<u8>> {
    let path = Path::new(path);
    if !vfs.exists(path).unwrap() {
        return None;
    }
    Some(read_all(&*vfs.open(path, Open::Read).unwrap()))
}

pub fn read_all(file: &dyn File) -> Vec<u8> {
    let mut bytes = vec![0; usize::try_from(file.len().unwrap()).unwrap()];
    file.read_exact_at(&mut bytes, 0).unwrap();
    bytes
}
