//! A client's session: statements, transactions, prepared statements.

mod row_log;
mod table_map;
mod transaction;

use sql::exec::{Cell, Exec, OutputColumn, Params, ResultSink};
use sql::plan::Plan;
use sql::session::{Scope, Server, Session};
use std::path::Path;
use std::sync::Arc;
use types::error::SqlError;
use types::value::{Value, ValueRef};
use types::warning::Warnings;

#[derive(Debug)]
struct NoServer;
impl Server for NoServer {
    fn variable(&self, _: &Session, _: Scope, _: &str) -> Result<Value, SqlError> {
        Ok(Value::Null)
    }
    fn virtual_table(&self, _: &str, _: &str) -> Option<Arc<dyn sql::virtual_table::VirtualTable>> {
        None
    }
    fn is_virtual_database(&self, _: &str) -> bool {
        false
    }
    fn version(&self) -> &str {
        "8"
    }
}
struct Null;
impl ResultSink for Null {
    fn columns(&mut self, _: &[OutputColumn]) -> Result<(), SqlError> {
        Ok(())
    }
    fn row(&mut self, _: &[Cell<'_>]) -> Result<(), SqlError> {
        Ok(())
    }
}
/// bench
pub struct BenchSession {
    session: Session,
    transaction: transaction::Transaction,
    warnings: Warnings,
    log: row_log::LogContext,
}
/// bench
pub fn bench_session(
    store: &Arc<engine::store::Store>,
    pipeline: &Arc<commit::Pipeline>,
    vfs: &Arc<dyn vfs::Vfs>,
    dir: &Path,
) -> BenchSession {
    let mut session = Session::new(Arc::new(NoServer), 1);
    session.db = Some("t".into());
    let transaction = transaction::Transaction::new(
        store,
        pipeline,
        vfs,
        dir.join("spill"),
        binlog::CacheLimits::default(),
        binlog::Uuid([1; 16]),
    );
    let origin = binlog::Origin { timestamp: 1_700_000_000, server_id: 1 };
    let log = row_log::LogContext {
        origin,
        thread_id: 1,
        status: binlog::event::StatusVars {
            flags2: Some(0),
            sql_mode: Some(1),
            catalog: Some(b"std"),
            ..Default::default()
        },
        level: binlog::event::MetadataLevel::Minimal,
        db: b"t".to_vec(),
    };
    BenchSession { session, transaction, warnings: Warnings::default(), log }
}
impl BenchSession {
    /// bench
    pub fn prepare(&self, sql: &str) -> Result<(Plan, sql::lex::Normalised), SqlError> {
        let (first, _, verb) = sql::lex::split_first(sql.as_bytes(), self.session.quoting());
        let n = sql::lex::normalise(first, verb, self.session.quoting(), self.session.collation_connection)
            .expect("x");
        let mut st = sqlparser::parser::Parser::parse_sql(&sqlparser::dialect::MySqlDialect {}, &n.text)
            .expect("parse");
        let catalog = self.transaction.trx.store().catalog();
        let env = sql::bind::BindEnv { catalog: &catalog, session: &self.session, text: &n.text };
        let plan = match st.remove(0) {
            sqlparser::ast::Statement::Query(q) => Plan::Select(sql::bind::bind_query(&q, &env)?),
            sqlparser::ast::Statement::Insert(i) => {
                Plan::Insert(sql::bind::bind_insert(&i, (n.row_size > 0).then_some(n.row_size), &env)?)
            }
            sqlparser::ast::Statement::Update(u) => Plan::Update(sql::bind::bind_update(&u, &env)?),
            sqlparser::ast::Statement::Delete(d) => Plan::Delete(sql::bind::bind_delete(&d, &env)?),
            _ => panic!("x"),
        };
        Ok((plan, n))
    }
    /// bench
    pub async fn run_text(&mut self, sql: &str) -> Result<(), SqlError> {
        let plan = self.prepare(sql)?;
        self.run_plan(&plan, &[]).await
    }
    /// bench
    pub async fn run_plan(
        &mut self,
        plan: &(Plan, sql::lex::Normalised),
        values: &[ValueRef<'_>],
    ) -> Result<(), SqlError> {
        for t in plan.0.tables() {
            self.transaction
                .trx
                .lock_metadata(t.table.lock, engine::lock::Mode::Shared)
                .await
                .map_err(sql::exec::engine_error)?;
        }
        self.transaction.trx.begin_statement();
        let n = &plan.1;
        let params =
            Params { values, literals: &n.literals, row_literals: &n.row_literals, row_size: n.row_size };
        let (trx, cache) = self.transaction.parts();
        let mut log = row_log::StatementLog::new(cache, &self.log);
        let mut exec = Exec {
            session: &self.session,
            trx,
            warnings: &mut self.warnings,
            log: &mut log,
            params,
            found_rows: false,
        };
        exec.run(&plan.0, &mut Null).await?;
        log.finish();
        let _ack = self.transaction.commit(self.log.origin, true).await?;
        Ok(())
    }
}
