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
use sql::expr::RowRef;
use sql::plan::SelectPlan;
use types::charset::Charset;
use types::collation::Collation;
use types::column::{ColumnType, IntSize};
use types::error::SqlError;
use types::temporal::TimeZone;
use types::value::{Value, ValueRef};

use super::Wire;

/// What is buffered before it is sent, bytes.
const BUFFER_SIZE: usize = 64 << 10;

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
    types: Vec<Option<ColumnType>>,
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
    let Some(ty) = column.ty else {
        return ColumnDef {
            name: &column.name,
            column_type: WireType::Null,
            decimals: 0,
            ..ColumnDef::PARAM
        };
    };
    let wire = ty.wire(collation);
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

    /// A row of values.
    pub(super) fn values(&mut self, values: &[Value]) {
        match self.format {
            Format::Text => self.text_row(values.iter().map(|value| Cell::Value(value.as_ref()))),
            Format::Binary => self.binary_row(values.iter().map(|value| Cell::Value(value.as_ref()))),
        }
    }

    /// The rows are complete. `status` is the session's now.
    pub(super) fn end(self, status: StatusFlags, warnings: u16) {
        reply::write_rows_end(self.wire.packets(), self.settings.capabilities, status, warnings);
    }

    fn text_row<'c>(&mut self, cells: impl Iterator<Item = Cell<'c>>) {
        let ResultSettings { charset, time_zone, .. } = self.settings;
        let packets = self.wire.packets();
        let out = packets.begin();
        for cell in cells {
            match cell {
                Cell::Column(RowRef::Stored { layout, row, offsets }, column) => {
                    layout.write_text_wire(row, offsets, column, *charset, time_zone, out);
                }
                Cell::Column(row, column) => row.value(column, time_zone).write_text_wire(*charset, out),
                Cell::Value(value) => value.write_text_wire(*charset, out),
            }
        }
        packets.end();
    }

    fn binary_row<'c>(&mut self, cells: impl Iterator<Item = Cell<'c>>) {
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
            match (value, ty) {
                (ValueRef::Null, _) | (_, None) => row_out.null(),
                (value, Some(ty)) => write_binary(value, *ty, *charset, row_out.value()),
            }
        }
        row_out.end();
    }
}

/// Appends a computed value as its column's type wants it.
fn write_binary(value: ValueRef<'_>, ty: ColumnType, charset: Charset, out: &mut Vec<u8>) {
    let float = |value: ValueRef<'_>| match value {
        ValueRef::Int(int) => int as f64,
        ValueRef::UInt(uint) => uint as f64,
        ValueRef::Float(float) => f64::from(float),
        ValueRef::Double(double) => double,
        ValueRef::Decimal(decimal) => decimal.to_f64(),
        _ => 0.0,
    };
    match ty {
        ColumnType::Int(int) => {
            let bits = match value {
                ValueRef::Int(int) => int.cast_unsigned(),
                ValueRef::UInt(uint) => uint,
                other => (float(other) as i64).cast_unsigned(),
            };
            let size = match int.size {
                IntSize::Tiny => 1,
                IntSize::Small => 2,
                IntSize::Medium | IntSize::Int => 4,
                IntSize::Big => 8,
            };
            out.extend_from_slice(&bits.to_le_bytes()[..size]);
        }
        ColumnType::Float(_) => out.extend_from_slice(&(float(value) as f32).to_le_bytes()),
        ColumnType::Double(_) => out.extend_from_slice(&float(value).to_le_bytes()),
        ColumnType::Date | ColumnType::Time { .. } | ColumnType::DateTime { .. } | ColumnType::Timestamp { .. } => {
            value.write_binary_wire(charset, out);
        }
        _ => value.write_text_wire(charset, out),
    }
}

/// Appends an error.
pub(super) fn write_error(packets: &mut PacketWriter, capabilities: Capabilities, error: &SqlError) {
    ErrPacket { code: error.code, sqlstate: error.sqlstate(), message: &error.message }.write(packets, capabilities);
}

impl ResultSink for ClientSink<'_> {
    fn begin(&mut self, query: &SelectPlan, params: &[ValueRef<'_>]) -> Result<(), SqlError> {
        let collation = self.settings.collation;
        let kept = self.kept.and_then(|kept| kept.lock().clone());
        let definitions = match kept {
            Some(kept) if kept.collation == collation => kept,
            _ => {
                let made = Arc::new(Definitions::of(&output_columns(query, params), collation));
                if let Some(kept) = self.kept {
                    *kept.lock() = Some(Arc::clone(&made));
                }
                made
            }
        };
        self.begin_with(definitions);
        Ok(())
    }

    fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), SqlError> {
        match self.format {
            Format::Text => self.text_row(cells.iter().copied()),
            Format::Binary => self.binary_row(cells.iter().copied()),
        }
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
