//! Results on their way to a client: text rows for COM_QUERY, binary rows for COM_STMT_EXECUTE.
//!
//! Rows are collected in the connection's buffer. When it is full, it is sent, once everything that the rows may come
//! from is visible. What fails before anything was sent leaves no trace of a result.

use std::sync::Arc;

use commit::Pipeline;
use engine::ids::CommitSeq;
use protocol::out::PacketWriter;
use protocol::reply::{self, BinaryRow, ColumnDef, ErrPacket};
use protocol::wire::{Capabilities, ColumnFlags, ColumnType as WireType, StatusFlags};
use sql::exec::{BoxFuture, Cell, OutputColumn, ResultSink, output_columns};
use sql::expr::{ResultType, RowRef, Types};
use sql::plan::QueryPlan;
use types::charset::Charset;
use types::collation::Collation;
use types::context::Context;
use types::error::SqlError;
use types::temporal::TimeZone;

use super::Wire;

/// What is buffered before it is sent, bytes.
pub(super) const BUFFER_SIZE: usize = 64 << 10;

/// How rows are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// As text.
    Text,
    /// As COM_STMT_EXECUTE has them.
    Binary,
}

/// What a session says of all its results.
#[derive(Clone, Debug)]
pub(super) struct ResultSettings {
    /// What the client can do.
    pub(super) capabilities: Capabilities,
    /// What text is sent in.
    pub(super) charset: Charset,
    /// What its columns are said to be in.
    pub(super) collation: Collation,
    /// What TIMESTAMPs are shown in.
    pub(super) time_zone: TimeZone,
}

/// Definitions of columns, encoded.
#[derive(Clone, Debug)]
pub(super) struct Definitions {
    collation: Collation,
    packets: Vec<Vec<u8>>,
    types: Vec<ResultType>,
}

impl Definitions {
    /// Of these columns.
    pub(super) fn of(columns: &[OutputColumn], collation: Collation) -> Self {
        let packet = |column: &OutputColumn| {
            let mut packet = Vec::new();
            definition(column, collation).encode(&mut packet);
            packet
        };
        Self {
            collation,
            packets: columns.iter().map(packet).collect(),
            types: columns.iter().map(|column| column.ty).collect(),
        }
    }

    /// How many columns there are.
    pub(super) fn len(&self) -> usize {
        self.packets.len()
    }

    /// Appends the definitions.
    pub(super) fn write(&self, out: &mut PacketWriter) {
        self.packets.iter().for_each(|packet| out.packet(packet));
    }
}

/// What a client is told of a column.
pub(super) fn definition(column: &OutputColumn, collation: Collation) -> ColumnDef<'_> {
    let origin = column.origin.as_ref();
    let wire = column.ty.wire(collation);
    ColumnDef {
        schema: origin.map_or("", |origin| &origin.db),
        table: origin.map_or("", |origin| &origin.alias),
        org_table: origin.map_or("", |origin| &origin.table),
        name: &column.name,
        org_name: origin.map_or("", |origin| &origin.column),
        charset: wire.collation_id,
        length: wire.length,
        column_type: WireType::from_u8(wire.type_code).expect("columns have types of the protocol"),
        flags: ColumnFlags::from_bits(wire.flags | column.flags),
        decimals: wire.decimals,
    }
}

/// Sends the rows of one statement.
pub(super) struct ClientSink<'a> {
    wire: &'a mut dyn Wire,
    pipeline: &'a Arc<Pipeline>,
    settings: &'a ResultSettings,
    format: Format,
    /// The session's state, in the packet between definitions and rows.
    status: StatusFlags,
    /// Where definitions are kept between executions, if they are the same each time.
    kept: Option<&'a parking_lot::Mutex<Option<Arc<Definitions>>>>,
    definitions: Option<Arc<Definitions>>,
}

impl<'a> ClientSink<'a> {
    pub(super) fn new(
        wire: &'a mut dyn Wire,
        pipeline: &'a Arc<Pipeline>,
        settings: &'a ResultSettings,
        format: Format,
        status: StatusFlags,
        kept: Option<&'a parking_lot::Mutex<Option<Arc<Definitions>>>>,
    ) -> Self {
        Self { wire, pipeline, settings, format, status, kept, definitions: None }
    }

    /// A result with these columns begins.
    pub(super) fn begin_with(&mut self, definitions: Arc<Definitions>) {
        let settings = self.settings;
        let packets = self.wire.packets();
        reply::write_column_count(packets, definitions.len());
        definitions.write(packets);
        reply::write_definitions_end(packets, settings.capabilities, self.status, 0);
        self.definitions = Some(definitions);
    }

    fn write_row<'c>(&mut self, cells: impl Iterator<Item = Cell<'c>>, context: &Context<'_>) {
        match self.format {
            Format::Text => self.text_row(cells, context),
            Format::Binary => self.binary_row(cells, context),
        }
    }

    fn text_row<'c>(&mut self, cells: impl Iterator<Item = Cell<'c>>, context: &Context<'_>) {
        let ResultSettings { charset, time_zone, .. } = self.settings;
        let types = &self.definitions.as_ref().expect("a result has begun").types;
        let packets = self.wire.packets();
        let out = packets.begin();
        for (cell, ty) in cells.zip(types) {
            write_text(cell, *ty, *charset, time_zone, context, out);
        }
        packets.end();
    }

    fn binary_row<'c>(&mut self, cells: impl Iterator<Item = Cell<'c>>, context: &Context<'_>) {
        let ResultSettings { charset, time_zone, .. } = self.settings;
        let types = &self.definitions.as_ref().expect("a result has begun").types;
        let mut row_out = BinaryRow::begin(self.wire.packets(), types.len());
        for (cell, ty) in cells.zip(types) {
            let value = match cell {
                Cell::Column(RowRef::Stored { layout, row, offsets }, column) => {
                    if layout.column(row, offsets, column).is_none() {
                        row_out.null();
                    } else {
                        layout.write_binary_wire(row, offsets, column, *charset, time_zone, row_out.value());
                    }
                    continue;
                }
                Cell::Column(row, column) => row.value(column, time_zone),
                Cell::Value(value) => value,
            };
            if value.is_null() {
                row_out.null();
            } else {
                ty.write_binary(value, *charset, context, row_out.value());
            }
        }
        row_out.end();
    }
}

/// Appends a cell's text with its length.
#[inline]
pub(super) fn write_text(
    cell: Cell<'_>,
    ty: ResultType,
    charset: Charset,
    time_zone: &TimeZone,
    context: &Context<'_>,
    out: &mut Vec<u8>,
) {
    match cell {
        Cell::Column(RowRef::Stored { layout, row, offsets }, column) => {
            layout.write_text_wire(row, offsets, column, charset, time_zone, out);
        }
        Cell::Column(row, column) => ty.write_text(row.value(column, time_zone), charset, context, out),
        Cell::Value(value) => ty.write_text(value, charset, context, out),
    }
}

/// Appends an error.
pub(super) fn write_error(packets: &mut PacketWriter, capabilities: Capabilities, error: &SqlError) {
    ErrPacket { code: error.code, sqlstate: error.sqlstate(), message: &error.message }
        .write(packets, capabilities);
}

impl ResultSink for ClientSink<'_> {
    fn begin(&mut self, query: &QueryPlan, types: &Types<'_>) -> Result<(), SqlError> {
        let collation = self.settings.collation;
        let kept = self.kept.and_then(|kept| kept.lock().clone());
        let definitions = match kept {
            Some(kept) if kept.collation == collation => kept,
            _ => {
                let made = Arc::new(Definitions::of(&output_columns(query, types)?, collation));
                if let Some(kept) = self.kept {
                    *kept.lock() = Some(Arc::clone(&made));
                }
                made
            }
        };
        self.begin_with(definitions);
        Ok(())
    }

    fn row(&mut self, cells: &[Cell<'_>], context: &Context<'_>) -> Result<(), SqlError> {
        self.write_row(cells.iter().copied(), context);
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.wire.buffered() >= BUFFER_SIZE
    }

    fn flush(&mut self, horizon: CommitSeq) -> BoxFuture<'_, Result<(), SqlError>> {
        Box::pin(async move {
            if horizon > self.pipeline.published().visible() {
                let _ack = self.pipeline.wait_visible(horizon).await;
            }
            self.wire.send().await
        })
    }
}
