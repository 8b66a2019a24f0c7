//! SELECT .. INTO OUTFILE and DUMPFILE: rows go to a file of the server's that nobody has made before.
//!
//! A field is the text that a client would be sent. In front of the escape stand itself, NUL (as `0`), the byte that quotes
//! stand for, or else the first byte of the separator, and the first byte of what ends a row; NULL is the escape and `N`.
//! Without an escape nothing stands in front of anything, and NULL is `NULL`. So LOAD DATA reads what was written. DUMPFILE
//! takes one row, whose values stand one behind another as they are, NULL as NUL.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use commit::Pipeline;
use engine::ids::CommitSeq;
use sql::exec::{BoxFuture, Cell, Params, ResultSink, output_columns};
use sql::expr::{ResultType, Types};
use sql::load::FileFormat;
use sql::plan::{OutFilePlan, QueryPlan};
use types::charset::Charset;
use types::column::ColumnType;
use types::context::Context;
use types::error::SqlError;
use types::error::table::{ER_ERROR_ON_WRITE, ER_FILE_EXISTS_ERROR, ER_TOO_MANY_ROWS};
use types::temporal::TimeZone;

use super::execute::{Ran, With};
use super::load::reason;
use super::plan_cache::Planned;
use super::result::{BUFFER_SIZE, Format, write_text};
use super::{Client, Wire};

type Result<T> = std::result::Result<T, SqlError>;

/// What a length-encoded text begins with that is NULL.
const NULL: u8 = 0xFB;

/// See the module. Removed when it is dropped, unless it is whole.
#[derive(Debug)]
pub(super) struct OutFile {
    file: File,
    path: PathBuf,
    is_whole: bool,
    buffer: Vec<u8>,
    /// A field before anything is put in front of its bytes.
    field: Vec<u8>,
    format: Option<FileFormat>,
    charset: Charset,
    time_zone: TimeZone,
    types: Vec<ResultType>,
    rows: u64,
    pipeline: Arc<Pipeline>,
}

impl Drop for OutFile {
    fn drop(&mut self) {
        if !self.is_whole {
            #[expect(clippy::disallowed_methods, reason = "it is a user's file, none of the server's")]
            let removed = std::fs::remove_file(&self.path);
            if let Err(error) = removed {
                tracing::warn!(path = %self.path.display(), %error, "a file of a SELECT that failed stays");
            }
        }
    }
}

impl Client {
    /// Runs a SELECT whose rows go to a file, and answers.
    pub(super) async fn run_into_file(
        &mut self,
        planned: &Planned,
        file: &OutFilePlan,
        params: Params<'_>,
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<Ran> {
        self.permit(planned)?;
        let mut out = self.create_file(file)?;
        if !planned.tables.is_empty() {
            self.begin_if_needed();
        }
        let done = self.run_changes(planned, params, Format::Text, With::Output(&mut out), wire).await;
        let done = match done {
            Ok(Some(done)) => {
                // What nobody may know yet is not in it either.
                self.transaction.wait_for_horizon().await;
                out.end().map(|()| Some(done))
            }
            done => done,
        };
        drop(out);
        self.conclude(done, more, wire).await
    }

    /// Makes the file. Errors 1045 without the privilege FILE, 1290 outside of `secure_file_priv`, 1086 if it is there, 1 if
    /// it cannot be made.
    fn create_file(&self, plan: &OutFilePlan) -> Result<OutFile> {
        /// EE_CANTCREATEFILE of MySQL's file library.
        const EE_CANTCREATEFILE: u16 = 1;
        let path = self.new_file_of_user(&plan.name)?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o640);
        #[expect(clippy::disallowed_methods, reason = "it is a user's file, none of the server's")]
        let file = options.open(&path);
        let file = file.map_err(|error| {
            if error.kind() == std::io::ErrorKind::AlreadyExists {
                return ER_FILE_EXISTS_ERROR.error(&[&plan.name]);
            }
            let (number, what) = reason(&error);
            let message =
                format!("Can't create/write to file '{}' (OS errno {number} - {what})", path.display());
            SqlError { code: EE_CANTCREATEFILE, sqlstate: *b"HY000", message }
        })?;
        Ok(OutFile {
            file,
            path,
            is_whole: false,
            buffer: Vec::new(),
            field: Vec::new(),
            format: plan.format.clone(),
            charset: plan.charset,
            time_zone: self.sql.time_zone().clone(),
            types: Vec::new(),
            rows: 0,
            pipeline: Arc::clone(&self.shared.pipeline),
        })
    }
}

impl OutFile {
    /// Writes what is left: nothing more comes.
    fn end(&mut self) -> Result<()> {
        self.write()?;
        self.is_whole = true;
        Ok(())
    }

    fn write(&mut self) -> Result<()> {
        let written = tokio::task::block_in_place(|| self.file.write_all(&self.buffer));
        self.buffer.clear();
        written.map_err(|error| {
            let number = error.raw_os_error().unwrap_or_default();
            ER_ERROR_ON_WRITE.error(&[&self.path.display(), &number, &error])
        })
    }
}

/// The text of a field, without its length; `None` for NULL.
fn text_of(field: &[u8]) -> Option<&[u8]> {
    let (first, rest) = field.split_first()?;
    let size = match first {
        &NULL => return None,
        0xFC => 2,
        0xFD => 3,
        0xFE => 8,
        _ => 0,
    };
    Some(&rest[size..])
}

/// Whether OPTIONALLY ENCLOSED BY is meant for such a field: no number; bits count as text.
fn is_text(ty: ResultType) -> bool {
    !ty.kind.is_number() || matches!(ty.column, Some(ColumnType::Bit { .. }))
}

/// Appends a field.
fn put(field: Option<&[u8]>, format: &FileFormat, is_text: bool, out: &mut Vec<u8>) {
    let quote = format.quote.filter(|_| is_text || !format.quotes_texts);
    let Some(text) = field else {
        match format.escape {
            Some(escape) => out.extend([escape, b'N']),
            None => out.extend(b"NULL"),
        }
        return;
    };
    out.extend(quote);
    match format.escape {
        None => out.extend(text),
        Some(escape) => {
            let special = [
                Some(escape),
                quote.or_else(|| format.separator.first().copied()),
                format.terminator.first().copied(),
                Some(0),
            ];
            for byte in text {
                if special.contains(&Some(*byte)) {
                    out.push(escape);
                }
                out.push(if *byte == 0 { b'0' } else { *byte });
            }
        }
    }
    out.extend(quote);
}

impl ResultSink for OutFile {
    fn begin(&mut self, query: &QueryPlan, types: &Types<'_>) -> Result<()> {
        self.types = output_columns(query, types)?.iter().map(|column| column.ty).collect();
        Ok(())
    }

    fn row(&mut self, cells: &[Cell<'_>], context: &Context<'_>) -> Result<()> {
        self.rows += 1;
        let Some(format) = &self.format else {
            if self.rows > 1 {
                return Err(ER_TOO_MANY_ROWS.error(&[]));
            }
            for (cell, ty) in cells.iter().zip(&self.types) {
                self.field.clear();
                write_text(*cell, *ty, self.charset, &self.time_zone, context, &mut self.field);
                // As in MySQL.
                self.buffer.extend(text_of(&self.field).unwrap_or(&[0]));
            }
            return Ok(());
        };
        self.buffer.extend(&format.prefix);
        for (place, (cell, ty)) in cells.iter().zip(&self.types).enumerate() {
            if place > 0 {
                self.buffer.extend(&format.separator);
            }
            self.field.clear();
            write_text(*cell, *ty, self.charset, &self.time_zone, context, &mut self.field);
            put(text_of(&self.field), format, is_text(*ty), &mut self.buffer);
        }
        self.buffer.extend(&format.terminator);
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.buffer.len() >= BUFFER_SIZE
    }

    fn flush(&mut self, horizon: CommitSeq) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            if horizon > self.pipeline.published().visible() {
                let _ack = self.pipeline.wait_visible(horizon).await;
            }
            self.write()
        })
    }
}
