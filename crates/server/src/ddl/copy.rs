//! Copying: a table's rows into a new layout, and indexes built from them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use engine::build::{Built, build};
use engine::catalog::def::{DefaultValue, TableDef};
use engine::catalog::table::{Counters, Table};
use engine::ids::Row;
use engine::scan::{Direction, KeyRange};
use engine::trx::Trx;
use sql::ddl::ColumnSource;
use sql::exec::{check_existing, duplicate_error, engine_error};
use sql::plan::RowRules;
use sql::session::Session;
use types::column::ColumnType;
use types::context::Context;
use types::error::SqlError;
use types::error::table::{ER_CRASHED_ON_USAGE, ER_INVALID_USE_OF_NULL, ER_UNKNOWN_ERROR};
use types::row::{Offsets, read_column};
use types::store;
use types::temporal::TimeZone;
use types::value::ValueRef;
use types::warning::Warnings;

use super::Schema;
use super::builds::Build;

type Result<T> = std::result::Result<T, SqlError>;

/// What a copy takes from its session.
#[derive(Debug)]
pub struct CopySettings {
    /// [`Session::detached`]
    pub session: Session,
    /// What the new definition says of rows.
    pub rules: Option<Arc<RowRules>>,
    /// `max_error_count`
    pub warnings_max: usize,
}

/// What is copied.
#[derive(Clone, Debug)]
pub enum Copy {
    /// Entries of these indexes, by their places in the new definition; the rows stay.
    Indexes(Vec<usize>),
    /// Everything: the new columns come from there.
    Rows(Vec<ColumnSource>),
}

/// What a copy has done.
#[derive(Debug)]
pub struct Copied {
    /// Rows that were read.
    pub rows: u64,
    /// What was adjusted.
    pub warnings: Warnings,
}

impl Schema {
    /// Makes the data of `new` from that of `old`, which nobody changes meanwhile, and has it published. The caller
    /// holds the table's metadata lock. Whoever drops the future ends the copy. If `new` is never committed, what was made is
    /// removed at the next start.
    pub async fn copy(
        &self,
        old: Arc<Table>,
        new: Arc<Table>,
        what: Copy,
        settings: CopySettings,
    ) -> Result<Copied> {
        // Who held the lock before may have released it before its changes were visible.
        self.settle().await;
        // What is built goes to the base durably, so that its ids were used must be durable before.
        let pipeline = Arc::clone(&self.pipeline);
        if let Err(error) = self.builds.run(move |_| Ok(pipeline.make_durable())).await? {
            match self.pipeline.die("writing the logs", error).await {}
        }
        let (base, store) = (Arc::clone(&self.base), Arc::clone(&self.store));
        let work = move |this: &Build| {
            let mut trx = Trx::new(store);
            let mut warnings = Warnings::with_limit(settings.warnings_max);
            let mut converter = Converter::new(&old, &new, &what, &settings, &mut warnings);
            let (rows, indexes) = match &what {
                Copy::Indexes(places) => (false, places.clone()),
                Copy::Rows(_) => (true, (0..new.def.indexes.len()).collect()),
            };
            let convert = |row: &[u8]| {
                this.is_wanted().map_err(CopyError::Sql)?;
                converter.convert(row)
            };
            let built = build(&base, &mut trx, &old, &new, rows, &indexes, convert);
            match built.map_err(CopyError::into_sql)? {
                Built::Done(rows) => Ok(Copied { rows, warnings }),
                Built::Duplicate(index, row) => {
                    Err(duplicate_error(&new, &row, index, settings.session.time_zone()))
                }
            }
        };
        let copied = self.builds.run(work).await?;
        self.checkpoints.take().await?;
        Ok(copied)
    }
}

impl Schema {
    /// Looks whether all rows of a table have the parents that its key of this name demands. The caller holds the
    /// metadata locks of both. Error 1452. Whoever drops the future does not end the reading.
    pub async fn check_foreign_key(&self, child: Arc<Table>, key: &str, parents: Arc<Table>) -> Result<()> {
        self.settle().await;
        let (store, key) = (Arc::clone(&self.store), key.to_owned());
        let work = move || {
            let mut keys = child.def.foreign_keys.iter();
            let key = keys.find(|other| other.name == key).expect("a key of this table");
            check_existing(&mut Trx::new(store), &child, key, &parents)
        };
        let done = tokio::task::spawn_blocking(work).await;
        done.map_err(|error| SqlError::with_message(&ER_UNKNOWN_ERROR, error.to_string()))?
    }
}

impl Schema {
    /// The highest number in a column of a table that nobody changes meanwhile.
    pub(crate) async fn highest_number(&self, table: Arc<Table>, place: usize) -> Result<u64> {
        self.settle().await;
        let store = Arc::clone(&self.store);
        let work =
            move |this: &Build| highest_number(&mut Trx::new(store), &table, place, || this.is_wanted());
        self.builds.run(work).await
    }
}

/// Why a copy failed.
pub(crate) enum CopyError {
    Engine(engine::EngineError),
    Sql(SqlError),
}

impl From<engine::EngineError> for CopyError {
    fn from(error: engine::EngineError) -> Self {
        Self::Engine(error)
    }
}

impl CopyError {
    /// As clients see it.
    pub(crate) fn into_sql(self) -> SqlError {
        match self {
            Self::Engine(error) => engine_error(error),
            Self::Sql(error) => error,
        }
    }
}

/// Makes new rows of old ones.
pub(crate) struct Converter<'c> {
    old: &'c Table,
    new: &'c Table,
    sources: &'c [ColumnSource],
    settings: &'c CopySettings,
    context: Context<'c>,
    offsets: Offsets,
    stored: Vec<u8>,
    /// The next row's number, where rows are numbered.
    number: u64,
    /// The column whose numbers the counter has not seen yet.
    counts: Option<usize>,
}

impl<'c> Converter<'c> {
    pub(crate) fn new(
        old: &'c Table,
        new: &'c Table,
        what: &'c Copy,
        settings: &'c CopySettings,
        warnings: &'c mut Warnings,
    ) -> Self {
        let mut context = settings.session.writing(warnings);
        let sources = match what {
            Copy::Indexes(_) => &[],
            Copy::Rows(sources) => &sources[..],
        };
        context.null_becomes_default = !context.strict;
        context.row = 0;
        let by_copy = sources.iter().find_map(|source| match source {
            ColumnSource::AutoIncrement { by_copy } => Some(*by_copy),
            _ => None,
        });
        let high = new.counters.auto_increment.load(Ordering::Relaxed);
        let number = by_copy.map_or(0, |by_copy| Numbering::of(&settings.session).first(high, by_copy));
        let counts = match what {
            Copy::Indexes(_) => begins_to_count(&old.def, &new.def),
            Copy::Rows(sources) => {
                new.def.auto_increment().filter(|place| !is_counted(&sources[*place], &old.def))
            }
        };
        let (offsets, stored) = (Offsets::default(), Vec::new());
        Self { old, new, sources, settings, context, offsets, stored, number, counts }
    }

    /// The next row.
    pub(crate) fn convert(&mut self, row: &[u8]) -> std::result::Result<Row, CopyError> {
        self.context.row += 1;
        if self.sources.is_empty() {
            self.count(row);
            return Ok(row.into());
        }
        self.old.rows.offsets(row, &mut self.offsets).map_err(|_| CopyError::Sql(damaged(self.old)))?;
        let mut out = Vec::with_capacity(row.len() + 64);
        let mut builder = self.new.rows.builder(&mut out);
        for (place, source) in self.sources.iter().enumerate() {
            self.stored.clear();
            let stored = match source {
                ColumnSource::Copy(from) => self.offsets.stored(row, *from),
                source => {
                    let has_value = self.value(source, place, row).map_err(CopyError::Sql)?;
                    has_value.then_some(&self.stored[..])
                }
            };
            builder.stored(stored);
        }
        builder.finish().map_err(|_| CopyError::Sql(damaged(self.new)))?;
        if let Some(rules) = &self.settings.rules {
            let session = &self.settings.session;
            let is_new = |column: usize| {
                matches!(self.sources[column], ColumnSource::Default(DefaultValue::Expression(_)))
            };
            rules.compute_copied(&mut out, session, &mut self.context, is_new).map_err(CopyError::Sql)?;
            rules.verify(&out, session, true).map_err(CopyError::Sql)?;
        }
        self.count(&out);
        Ok(out.into())
    }

    fn count(&self, row: &[u8]) {
        if let Some(number) = self.counts.and_then(|place| auto_increment_of(self.new, row, place)) {
            Counters::raise(&self.new.counters.auto_increment, number);
        }
    }

    /// Puts the value of a column that is not copied into `stored`. False for NULL.
    fn value(&mut self, source: &ColumnSource, place: usize, row: &[u8]) -> Result<bool> {
        let column = &self.new.columns[place];
        let value = match source {
            ColumnSource::Copy(_) => unreachable!("copied as it is"),
            ColumnSource::Convert(from, ty) => {
                if let Some(stored) = self.offsets.stored(row, *from).filter(|_| *ty == column.ty) {
                    // NOT NULL alone: a time zone or strict mode would make something else of it, or nothing.
                    self.stored.extend_from_slice(stored);
                    return Ok(true);
                }
                let bytes = self.old.rows.column(row, &self.offsets, *from);
                let value =
                    bytes.map_or(ValueRef::Null, |bytes| read_column(*ty, bytes, self.context.time_zone));
                if value.is_null() && !column.nullable && self.context.strict {
                    return Err(ER_INVALID_USE_OF_NULL.error(&[]));
                }
                value
            }
            ColumnSource::AutoIncrement { .. } => {
                let number = self.number;
                Counters::raise(&self.new.counters.auto_increment, number);
                self.number = number.saturating_add(self.settings.session.auto_increment_increment);
                ValueRef::UInt(number)
            }
            ColumnSource::Default(DefaultValue::Stored(bytes)) => {
                self.stored.extend_from_slice(bytes);
                return Ok(true);
            }
            ColumnSource::Default(DefaultValue::Now) => {
                ValueRef::DateTime(self.settings.session.now(column.ty.fsp().unwrap_or(0)))
            }
            ColumnSource::Default(DefaultValue::None) if !column.nullable => {
                store::write_implicit_default(column.ty, &mut self.stored);
                return Ok(true);
            }
            // What is computed has its turn when the others are there.
            ColumnSource::Default(DefaultValue::None | DefaultValue::Null | DefaultValue::Expression(_))
            | ColumnSource::Generated => return Ok(false),
        };
        store::assign(column, value, &mut self.context, &mut self.stored)
    }
}

/// `auto_increment_increment` and `auto_increment_offset`.
struct Numbering {
    increment: u64,
    offset: u64,
}

impl Numbering {
    fn of(session: &Session) -> Self {
        Self { increment: session.auto_increment_increment, offset: session.auto_increment_offset }
    }

    /// The number of the first row of a table whose counter stands at `high`: that of MySQL 9.7, found by trying. Where it
    /// rebuilds a table in place it leaves the first number out, unless all numbers are used.
    fn first(&self, high: u64, by_copy: bool) -> u64 {
        let Self { increment, offset } = *self;
        let offset = if offset > increment { 0 } else { offset };
        let next = high.saturating_add(1);
        if by_copy {
            let steps = next.saturating_sub(offset).div_ceil(increment);
            return steps.saturating_mul(increment).saturating_add(offset);
        }
        if (increment, self.offset) == (1, 1) {
            return next;
        }
        let next = if high == 0 { 0 } else { next };
        let steps = next.abs_diff(offset) / increment + 1;
        steps.saturating_mul(increment).saturating_add(offset)
    }
}

/// The counters that a rebuilt table begins with. `start` is AUTO_INCREMENT of the statement.
pub(crate) fn counters_of(old: &Table, new: &TableDef, what: &Copy, start: Option<u64>) -> Counters {
    let counters = Counters::default();
    let stays = match what {
        Copy::Indexes(_) => true,
        Copy::Rows(sources) => sources.iter().any(|source| is_counted(source, &old.def)),
    };
    if stays && new.auto_increment().is_some() {
        Counters::raise(&counters.auto_increment, old.counters.auto_increment.load(Ordering::Relaxed));
    }
    Counters::raise(&counters.auto_increment, start.unwrap_or(0).saturating_sub(1));
    Counters::raise(&counters.row_id, old.counters.row_id.load(Ordering::Relaxed));
    counters
}

/// Whether a new column is the old AUTO_INCREMENT column, whose counter is known.
fn is_counted(source: &ColumnSource, old: &TableDef) -> bool {
    match source {
        ColumnSource::Copy(from) | ColumnSource::Convert(from, _) => Some(*from) == old.auto_increment(),
        _ => false,
    }
}

/// The AUTO_INCREMENT column of a table that keeps its rows, if it was none before.
pub(crate) fn begins_to_count(old: &TableDef, new: &TableDef) -> Option<usize> {
    new.auto_increment().filter(|place| old.auto_increment() != Some(*place))
}

/// The value of an AUTO_INCREMENT column that raises its counter.
pub(crate) fn auto_increment_of(table: &Table, row: &[u8], place: usize) -> Option<u64> {
    let mut offsets = Offsets::default();
    table.rows.offsets(row, &mut offsets).ok()?;
    let ColumnType::Int(_) = table.def.columns[place].ty else { return None };
    match table.rows.value(row, &offsets, place, &TimeZone::UTC) {
        ValueRef::Int(value) => u64::try_from(value).ok(),
        ValueRef::UInt(value) => Some(value),
        _ => None,
    }
}

/// The highest number in a column of the rows that are there. For each row `goes_on` is asked.
pub(crate) fn highest_number(
    trx: &mut Trx,
    table: &Table,
    place: usize,
    goes_on: impl Fn() -> Result<()>,
) -> Result<u64> {
    let range = KeyRange::prefix(&table.def.rows.prefix());
    let mut scan = trx.scan_newest(&range, Direction::Forward).map_err(engine_error)?;
    let mut highest = 0;
    while let Some(entry) = scan.next_row().map_err(engine_error)? {
        goes_on()?;
        let row = entry.row.expect("next_row returns rows");
        highest = highest.max(auto_increment_of(table, &row, place).unwrap_or(0));
    }
    Ok(highest)
}

fn damaged(table: &Table) -> SqlError {
    ER_CRASHED_ON_USAGE.error(&[&table.def.name])
}
