//! Operations: their kinds, and what they do to a disk once faults have had their say.

use std::path::PathBuf;

use super::dir::InodeId;
use super::inode::Piece;
use super::key::Key;
use super::rng::Rng;

/// What a caller asks of a disk. All but `Read` change its state and are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OpKind {
    /// A file that did not exist is created by `open` or `lock`.
    Create,
    /// `write_at`.
    Write,
    /// `write_durable_at`.
    WriteDurable,
    /// `write_uncached_at`: on this disk a write like any other.
    WriteUncached,
    /// `set_len`.
    SetLen,
    /// `sync_data`.
    SyncData,
    /// `sync_all`.
    SyncAll,
    /// `rename`; its path is the old name.
    Rename,
    /// `remove_file`.
    Remove,
    /// `sync_dir`.
    SyncDir,
    /// `create_dir_all` of something that was missing.
    CreateDirs,
    /// `drop_clean_pages` after a sync that lost some; otherwise it is not counted.
    DropCleanPages,
    /// `read_at`. Not numbered and not in a journal; a [`Fault`](super::Fault) may ask for it by name.
    Read,
}

impl OpKind {
    /// The kinds that make something durable, and that can be made to lie.
    pub const SYNCS: [Self; 4] = [Self::WriteDurable, Self::SyncData, Self::SyncAll, Self::SyncDir];

    /// Whether it makes something durable.
    pub fn is_sync(self) -> bool {
        Self::SYNCS.contains(&self)
    }
}

/// A change of a disk. The data of writes is shared, so clones are cheap.
#[derive(Clone)]
pub(super) enum Effect {
    /// The operation failed, or was made to do nothing.
    Nothing,
    Create(Key),
    Write(InodeId, Piece),
    WriteDurable(InodeId, Piece),
    SetLen(InodeId, u64),
    SyncData(InodeId),
    SyncAll(InodeId),
    /// A sync failed and took the written pages with it.
    DropPages(InodeId),
    /// What the memory wrongly takes to be on the disk is forgotten.
    DropCleanPages(InodeId, u64),
    Rename(Key, Key),
    Remove(Key),
    SyncDir(PathBuf),
    MakeDirs(Vec<PathBuf>),
}

impl Effect {
    /// What is left of an operation during which power is lost, before the crash mode chooses among what is
    /// pending: nothing was promised yet, and directories are made one after the other.
    pub(super) fn in_flight(&self, rng: &mut Rng) -> Self {
        match self {
            Self::WriteDurable(..) | Self::SyncData(_) | Self::SyncAll(_) | Self::SyncDir(_) => {
                self.without_durability()
            }
            Self::DropPages(_) => Self::Nothing,
            Self::MakeDirs(dirs) => Self::MakeDirs(dirs[..rng.index(dirs.len() + 1)].to_vec()),
            Self::Nothing
            | Self::Create(_)
            | Self::Write(..)
            | Self::SetLen(..)
            | Self::DropCleanPages(..)
            | Self::Rename(..)
            | Self::Remove(_) => self.clone(),
        }
    }

    /// What it would do if it made nothing durable.
    pub(super) fn without_durability(&self) -> Self {
        match self {
            Self::WriteDurable(inode, piece) => Self::Write(*inode, piece.clone()),
            Self::SyncData(_) | Self::SyncAll(_) | Self::SyncDir(_) => Self::Nothing,
            other => other.clone(),
        }
    }

    /// What is left of a write that stops after `bytes` bytes. Nothing of it is durable.
    pub(super) fn cut_short(&self, bytes: u64) -> Self {
        match self {
            Self::Write(inode, piece) | Self::WriteDurable(inode, piece) => {
                let part = piece.part(piece.offset(), piece.offset().saturating_add(bytes));
                part.map_or(Self::Nothing, |part| Self::Write(*inode, part))
            }
            _ => Self::Nothing,
        }
    }

    /// Bytes that it writes.
    pub(super) fn byte_count(&self) -> usize {
        match self {
            Self::Write(_, piece) | Self::WriteDurable(_, piece) => piece.bytes().len(),
            _ => 0,
        }
    }
}
