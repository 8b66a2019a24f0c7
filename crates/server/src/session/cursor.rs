//! Cursors of prepared statements: the rows of a SELECT, kept until COM_STMT_FETCH asks for them.
//!
//! As MySQL's, a cursor is a copy of the whole result: later changes do not move it, and it outlives its transaction. It ends
//! behind its last row, with the next execution, and with COM_STMT_RESET. Only what is planned as a SELECT has one; every other
//! result comes whole with its execution, which clients expect of statements that cannot have a cursor.
//!
//! What is kept is the reply as it would have been sent. It stays in memory up to [`MEMORY_MAX`]; beyond, it goes to a temporary
//! file without a name.

use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;

use protocol::command::Execute;
use protocol::frame::CHUNK_SIZE_MAX;
use protocol::out::PacketWriter;
use protocol::reply::write_rows_end;
use protocol::wire::StatusFlags;
use sql::exec::BoxFuture;
use sql::plan::Plan;
use types::error::SqlError;
use types::error::table::{ER_DISK_FULL, ER_ERROR_ON_WRITE, ER_STMT_HAS_NO_OPEN_CURSOR};
use vfs::{Open, Spill, Vfs, is_no_space};

use super::load::reason;
use super::prepared::{Stored, unknown};
use super::result::BUFFER_SIZE;
use super::{Client, Wire};

type Result<T> = std::result::Result<T, SqlError>;

/// Bytes of a cursor that stay in memory.
const MEMORY_MAX: usize = 256 << 10;

/// Bytes that are read from the file at a time.
const READ_SIZE: usize = 64 << 10;

const PACKET_HEADER_SIZE: usize = 4;

/// What rows of COM_STMT_EXECUTE begin with; ends of lists begin with the other.
const ROW: u8 = 0x00;
const END: u8 = 0xFE;

/// See the module. Behind its head a cursor is read from row to row.
#[derive(Debug)]
pub(super) struct Cursor {
    /// What was read of the file, or all there is.
    window: Vec<u8>,
    /// How far the window is used.
    at: usize,
    file: Option<Spill>,
    /// How far the file was read.
    file_at: u64,
}

/// A reply on its way into a cursor.
struct Filling {
    packets: PacketWriter,
    kept: Vec<u8>,
    sends: u64,
    file: Option<Spill>,
    vfs: Arc<dyn Vfs>,
    path: PathBuf,
}

impl Filling {
    /// Takes what was written, to a file once it is much.
    fn keep(&mut self) -> Result<()> {
        self.sends += 1;
        self.kept.extend_from_slice(self.packets.bytes());
        self.packets.clear();
        if self.file.is_some() || self.kept.len() > MEMORY_MAX {
            let failed = |error| file_error(&self.path, &error);
            let file = match &mut self.file {
                Some(file) => file,
                none => none.insert(Spill::open(&*self.vfs, &self.path, Open::Kept).map_err(failed)?),
            };
            file.append(&self.kept).map_err(failed)?;
            self.kept.clear();
        }
        Ok(())
    }

    fn done(mut self) -> Result<Cursor> {
        self.keep()?;
        Ok(Cursor { window: self.kept, at: 0, file: self.file, file_at: 0 })
    }
}

impl Wire for Filling {
    fn packets(&mut self) -> &mut PacketWriter {
        &mut self.packets
    }

    fn buffered(&self) -> usize {
        self.packets.len()
    }

    fn sends(&self) -> u64 {
        self.sends
    }

    fn send(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.keep() })
    }
}

impl Cursor {
    /// The next bytes, without going on behind them; fewer at the end.
    fn peek(&mut self, len: usize) -> Result<&[u8]> {
        let have = self.window.len() - self.at;
        if have < len
            && let Some(file) = &self.file
        {
            self.window.drain(..self.at);
            self.at = 0;
            let rest = usize::try_from(file.len() - self.file_at).unwrap_or(usize::MAX);
            let more = rest.min((len - have).max(READ_SIZE));
            self.window.resize(have + more, 0);
            let read = file.read_exact_at(&mut self.window[have..], self.file_at);
            read.map_err(|error| file_error("a cursor".as_ref(), &error))?;
            self.file_at += more as u64;
        }
        let end = self.window.len().min(self.at.saturating_add(len));
        Ok(&self.window[self.at..end])
    }

    /// What the next packet's payload begins with.
    fn kind(&mut self) -> Result<Option<u8>> {
        Ok(self.peek(PACKET_HEADER_SIZE + 1)?.get(PACKET_HEADER_SIZE).copied())
    }

    /// Gives the next packet to `take`, in pieces.
    fn packet(&mut self, mut take: impl FnMut(&[u8])) -> Result<()> {
        loop {
            let header: Vec<u8> = self.peek(PACKET_HEADER_SIZE)?.to_vec();
            let size = header.iter().take(3).rev().fold(0, |size, byte| size << 8 | usize::from(*byte));
            self.at += header.len();
            take(self.peek(size)?);
            self.at += size;
            if size < CHUNK_SIZE_MAX {
                return Ok(());
            }
        }
    }

    fn copy_packet(&mut self, out: &mut PacketWriter) -> Result<()> {
        let payload = out.begin();
        let done = self.packet(|piece| payload.extend_from_slice(piece));
        out.end();
        done
    }

    /// Copies the count of columns and their definitions. The first row is next then, or the end.
    fn copy_head(&mut self, out: &mut PacketWriter, has_definitions_end: bool) -> Result<()> {
        while !matches!(self.kind()?, None | Some(ROW | END)) {
            self.copy_packet(out)?;
        }
        if has_definitions_end { self.packet(|_| ()) } else { Ok(()) }
    }
}

impl Client {
    /// COM_STMT_EXECUTE that asks for a cursor.
    pub(super) async fn open_cursor(
        &mut self,
        stored: &mut Stored,
        execute: &Execute<'_>,
        wire: &mut dyn Wire,
    ) -> Result<()> {
        if !stored.plan().is_some_and(|plan| matches!(plan, Plan::Select(_)) && plan.out_file().is_none()) {
            return self.execute_stored(stored, execute, wire).await;
        }
        let mut filling = Filling {
            packets: PacketWriter::new(),
            kept: Vec::new(),
            sends: 0,
            file: None,
            vfs: Arc::clone(&self.shared.vfs),
            path: self.shared.spill_dir.join(format!("cursor-{}", self.sql.connection_id)),
        };
        self.execute_stored(stored, execute, &mut filling).await?;
        let mut cursor = filling.done()?;
        let begun = wire.packets().mark();
        let ends = !self.capabilities.contains(protocol::wire::Capabilities::DEPRECATE_EOF);
        if let Err(error) = cursor.copy_head(wire.packets(), ends) {
            wire.packets().rewind(begun);
            return Err(error);
        }
        let (status, warnings) =
            (self.status(false) | StatusFlags::CURSOR_EXISTS, self.warnings.packet_count());
        write_rows_end(wire.packets(), self.capabilities, status, warnings);
        stored.cursor = Some(Box::new(cursor));
        Ok(())
    }

    /// COM_STMT_FETCH: so many rows of a cursor, or fewer at its end.
    pub async fn stmt_fetch(&mut self, id: u32, rows: u32, wire: &mut dyn Wire) {
        let stored = self.statements.stored(id);
        let taken = match stored {
            None => Err(unknown(id, "mysql_stmt_precheck")),
            Some(stored) => stored.cursor.take().ok_or_else(|| ER_STMT_HAS_NO_OPEN_CURSOR.error(&[&id])),
        };
        let done = match taken {
            Ok(mut cursor) => self.fetch(&mut cursor, rows, wire).await.map(|is_over| (cursor, is_over)),
            Err(error) => Err(error),
        };
        let (cursor, is_over) = match done {
            Ok(done) => done,
            Err(error) => return self.refuse(&error, wire),
        };
        let ending = if is_over { StatusFlags::LAST_ROW_SENT } else { StatusFlags::CURSOR_EXISTS };
        if !is_over && let Some(stored) = self.statements.stored(id) {
            stored.cursor = Some(cursor);
        }
        write_rows_end(wire.packets(), self.capabilities, self.status(false) | ending, 0);
    }

    /// Whether there were fewer rows.
    async fn fetch(&self, cursor: &mut Cursor, rows: u32, wire: &mut dyn Wire) -> Result<bool> {
        for _ in 0..rows {
            if cursor.kind()? != Some(ROW) {
                return Ok(true);
            }
            let begun = wire.packets().mark();
            if let Err(error) = cursor.copy_packet(wire.packets()) {
                wire.packets().rewind(begun);
                return Err(error);
            }
            if wire.buffered() >= BUFFER_SIZE {
                self.kill.unless_killed(pin!(wire.send())).await?;
            }
        }
        Ok(false)
    }
}

fn file_error(path: &std::path::Path, error: &std::io::Error) -> SqlError {
    let (number, text) = reason(error);
    let failed = if is_no_space(error) { &ER_DISK_FULL } else { &ER_ERROR_ON_WRITE };
    failed.error(&[&path.display(), &number, &text])
}
