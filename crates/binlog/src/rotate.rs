//! Going on in the next file, in an order that a crash cannot spoil.
//!
//! | step | a crash behind it leaves |
//! | --- | --- |
//! | 1. the old file gets its ROTATE (the caller appends it) | a torn tail, or an old file that names a missing one |
//! | 2. the old file's IN_USE is cleared, the file synced | an old file that names a missing one |
//! | 3. the new file is created with its header and synced | a file without a name, or one that nobody lists |
//! | 4. the directory is synced | a file that nobody lists |
//! | 5. the index is replaced, synced and renamed, the directory synced | the new state |
//!
//! So whatever the index lists exists and begins with a whole header; what it does not list yet,
//! [`BinlogIndex::unlisted`] finds and recovery creates again ([`LogFile::create`] empties what is there).

use vfs::Vfs;

use crate::error::Result;
use crate::file::LogFile;
use crate::index::BinlogIndex;
use crate::name::BinlogName;

/// Steps 2 to 5: closes `old`, whose last event is its ROTATE, and begins `next` with these bytes.
pub fn rotate(
    vfs: &dyn Vfs,
    index: &mut BinlogIndex,
    old: LogFile,
    next: BinlogName,
    header: &[u8],
) -> Result<LogFile> {
    old.close()?;
    begin_file(vfs, index, next, header)
}

/// Steps 3 to 5: the first file of a log, the file after a start, or one that recovery rebuilds.
pub fn begin_file(
    vfs: &dyn Vfs,
    index: &mut BinlogIndex,
    next: BinlogName,
    header: &[u8],
) -> Result<LogFile> {
    let log = LogFile::create(vfs, &index.path_of(&next), header)?;
    vfs.sync_dir(index.dir())?;
    index.add(vfs, next)?;
    Ok(log)
}
