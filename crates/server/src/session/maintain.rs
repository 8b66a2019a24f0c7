//! ANALYZE, CHECK, CHECKSUM, OPTIMIZE and REPAIR TABLE.

use std::pin::pin;
use std::sync::Arc;

use engine::EngineError;
use engine::catalog::table::Table;
use engine::check::check_table;
use engine::scan::{Direction, KeyRange};
use engine::trx::Trx;
use sql::bind::bind_whole_view;
use sql::ddl::refuse_view;
use sql::exec::engine_error;
use sql::parse::{Maintenance, MaintenanceKind, TableName};
use types::error::SqlError;
use types::error::table::{ER_BAD_DB_ERROR, ER_NO_SUCH_TABLE};
use types::row::Offsets;
use types::warning::Level;

use super::result::Format;
use super::{Client, Wire};
use crate::accounts::Privileges;
use crate::ddl::builds::Build;
use crate::info::cell::{Row, row};
use crate::info::show::Shown;
use crate::info::{AnyTable, missing};

type Result<T> = std::result::Result<T, SqlError>;

/// How many rows are read before others get a turn.
const ROWS_AT_ONCE: u64 = 1024;

impl Client {
    /// Does it, and answers with what became of each table.
    pub(super) async fn maintain(
        &mut self,
        maintenance: Maintenance,
        format: Format,
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<()> {
        let mut rows = Vec::new();
        let is_checksum = maintenance.what == MaintenanceKind::Checksum;
        if !matches!(maintenance.what, MaintenanceKind::Checksum | MaintenanceKind::Check) {
            self.refuse_read_only()?;
        }
        if !is_checksum {
            let _ack = self.end_transaction().await?;
        }
        for table in &maintenance.tables {
            let db = self.database_of(table.db.as_deref())?;
            let name = format!("{db}.{}", table.name);
            if is_checksum {
                let quick = maintenance.options.contains(&"QUICK");
                rows.push(row![name, self.checksum(&db, table, quick).await?]);
            } else {
                rows.extend(self.maintain_table(maintenance.what, &db, table, &name).await?);
            }
        }
        if !is_checksum {
            self.spend_gtid().await?;
        }
        self.answer_with(result(maintenance.what, rows), None, format, more, wire).await
    }

    /// The rows about one table. Error 1142.
    async fn maintain_table(
        &mut self,
        what: MaintenanceKind,
        db: &str,
        table: &TableName,
        name: &str,
    ) -> Result<Vec<Row>> {
        let wanted = match what {
            MaintenanceKind::Check => Privileges::SELECT,
            _ => Privileges::SELECT.union(Privileges::INSERT),
        };
        self.access.on_table(wanted, db, &table.name)?;
        let row = |kind: &str, text: &str| row![name, what.as_str(), kind, text];
        if db == "mysql" && matches!(self.look().table(db, &table.name), Ok(AnyTable::Virtual(_))) {
            // What MySQL has as files of CSV.
            return Ok(vec![match what {
                MaintenanceKind::Analyze | MaintenanceKind::Optimize => row(
                    "note",
                    &format!("The storage engine for the table doesn't support {}", what.as_str()),
                ),
                _ => row("status", "OK"),
            }]);
        }
        let stored = match self.stored(db, &table.name).and_then(|stored| self.maintained(what, stored)) {
            Ok(stored) => stored,
            Err(error) => {
                let end = if error.is(&ER_BAD_DB_ERROR) {
                    ("error", "Corrupt")
                } else {
                    ("status", "Operation failed")
                };
                return Ok(vec![row("Error", &error.message), row(end.0, end.1)]);
            }
        };
        let stored = self.lock_newest(stored, db, &table.name).await?;
        let ok = row("status", "OK");
        let rows = match what {
            MaintenanceKind::Optimize => {
                let note = "Table does not support optimize, doing recreate + analyze instead";
                vec![row("note", note), ok]
            }
            MaintenanceKind::Repair => {
                vec![row("note", "The storage engine for the table doesn't support repair")]
            }
            MaintenanceKind::Check if stored.def.view.is_some() => vec![ok],
            // As of MEMORY: nothing is stored that could be damaged.
            MaintenanceKind::Check if stored.is_temporary() => {
                vec![row("note", "The storage engine for the table doesn't support check")]
            }
            MaintenanceKind::Check => match self.check(&stored).await? {
                Ok(()) => vec![ok],
                Err(error @ engine::EngineError::SnapshotTooOld) => {
                    vec![row("Error", &error.to_string()), row("status", "Operation failed")]
                }
                Err(error) => {
                    tracing::error!(table = name, %error, "CHECK TABLE has found damage");
                    vec![row("Error", &error.to_string()), row("error", "Corrupt")]
                }
            },
            // Nothing is kept that could be out of date.
            MaintenanceKind::Analyze | MaintenanceKind::Checksum => vec![ok],
        };
        let _ack = self.end_transaction().await?;
        Ok(rows)
    }

    /// Reads a whole table, on another thread.
    async fn check(&self, table: &Arc<Table>) -> Result<std::result::Result<(), EngineError>> {
        let (store, table) = (Arc::clone(&self.shared.store), Arc::clone(table));
        let read = move |this: &Build| {
            let checked = check_table(&mut Trx::new(store), &table, || this.is_wanted().is_ok());
            match checked {
                Ok(Some(_)) => Ok(Ok(())),
                // This says why.
                Ok(None) => this.is_wanted().map(Ok),
                Err(error) => Ok(Err(error)),
            }
        };
        self.kill.unless_killed(pin!(self.shared.schema.builds.run(read))).await
    }

    /// The same table. Of a view: error 1347 for all but CHECK, 1356 for one that cannot be bound any more.
    fn maintained(&self, what: MaintenanceKind, table: Arc<Table>) -> Result<Arc<Table>> {
        match what {
            MaintenanceKind::Check if table.def.view.is_some() => {
                bind_whole_view(&table, &self.shared.store.catalog(), &self.sql)?;
            }
            MaintenanceKind::Check => {}
            _ => refuse_view(&table.def)?,
        }
        Ok(table)
    }

    /// A stored table. Errors 1049 and 1146.
    fn stored(&self, db: &str, name: &str) -> Result<Arc<Table>> {
        match self.look().table(db, name)? {
            AnyTable::Stored(table) => Ok(table),
            AnyTable::Virtual(_) => Err(missing(db, name)),
        }
    }

    /// Locks a table, be it another version than was found. Errors 1146 and 1317.
    async fn lock_newest(&mut self, mut table: Arc<Table>, db: &str, name: &str) -> Result<Arc<Table>> {
        let kill = Arc::clone(&self.kill);
        loop {
            kill.unless_killed(pin!(self.lock_table(&table, false))).await?;
            if !table.is_gone() {
                return Ok(table);
            }
            self.transaction.trx.unlock(table.lock);
            table = self.stored(db, name)?;
        }
    }

    /// CHECKSUM TABLE: a sum over all rows, so their order does not matter; `None` with a condition if there is no such
    /// table.
    async fn checksum(&mut self, db: &str, name: &TableName, quick: bool) -> Result<Option<u64>> {
        self.access.on_table(Privileges::SELECT, db, &name.name)?;
        let table = match self.stored(db, &name.name) {
            Ok(table) => table,
            Err(error) if error.is(&ER_NO_SUCH_TABLE) || error.is(&ER_BAD_DB_ERROR) => {
                self.warnings.push_error(Level::Error, &error);
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        if quick || table.def.view.is_some() {
            return Ok(None);
        }
        let table = self.lock_newest(table, db, &name.name).await?;
        let kill = Arc::clone(&self.kill);
        let may_begin = async {
            self.transaction.may_take_snapshot().await;
            Ok(())
        };
        kill.unless_killed(pin!(may_begin)).await?;
        let trx = &mut self.transaction.trx;
        let sum = async {
            let range = KeyRange::prefix(&table.def.rows.prefix());
            let mut scan = trx.scan(&range, Direction::Forward).map_err(engine_error)?;
            let (mut sum, mut rows, mut offsets) = (0_u64, 0_u64, Offsets::default());
            while let Some(entry) = scan.next_row().map_err(engine_error)? {
                let row = entry.row.as_deref().expect("next_row returns rows");
                table.rows.offsets(row, &mut offsets).map_err(|_| engine_error(corrupt(&table)))?;
                sum = sum.wrapping_add(row_sum(&table, row, &offsets));
                rows += 1;
                if rows.is_multiple_of(ROWS_AT_ONCE) {
                    tokio::task::yield_now().await;
                }
            }
            Ok(sum)
        };
        // As a client sees it: MySQL's are 32 bits.
        kill.unless_killed(pin!(sum)).await.map(|sum| Some(sum & u64::from(u32::MAX)))
    }
}

/// What such a statement answers with.
pub(super) fn result(what: MaintenanceKind, rows: Vec<Row>) -> Shown {
    Shown::new(if what == MaintenanceKind::Checksum { "checksum" } else { "maintenance" }, rows)
}

fn corrupt(table: &Table) -> EngineError {
    EngineError::Corrupt { what: format!("{}.{}: a row does not decode", table.def.db, table.def.name) }
}

/// FNV-1a over the columns as they are stored, NULLs told apart.
fn row_sum(table: &Table, row: &[u8], offsets: &Offsets) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut put = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    for column in 0..table.rows.column_count() {
        match table.rows.column(row, offsets, column) {
            None => put(0),
            Some(bytes) => {
                put(1);
                (bytes.len() as u64).to_le_bytes().into_iter().for_each(&mut put);
                bytes.iter().copied().for_each(&mut put);
            }
        }
    }
    hash ^ hash >> 32
}
