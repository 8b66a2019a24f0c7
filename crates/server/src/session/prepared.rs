//! Prepared statements: of the binary protocol by number, of PREPARE by name.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use protocol::command::{Execute, Param, ParamTypes};
use protocol::reply::{ColumnDef, PrepareOk, write_definitions_end};
use protocol::wire::ColumnType;
use smallvec::SmallVec;
use sql::exec::{OutputColumn, Params, output_columns};
use sql::expr::Types;
use sql::lex::{Normalised, Verb, next_statement, split_first};
use sql::parse::{self, PrepareSource, SetItem, Statement};
use sql::plan::{Plan, QueryPlan};
use sqlparser::ast::Expr;
use types::charset::Charset;
use types::decimal::Decimal;
use types::error::SqlError;
use types::error::table::{
    ER_EMPTY_QUERY, ER_MALFORMED_PACKET, ER_MAX_PREPARED_STMT_COUNT_REACHED, ER_NEED_REPREPARE,
    ER_PS_MANY_PARAM, ER_TOO_MANY_FIELDS, ER_UNKNOWN_STMT_HANDLER, ER_UNSUPPORTED_PS, ER_WRONG_ARGUMENTS,
};
use types::temporal::{Date, DateTime, Time};
use types::value::{Value, ValueRef};

use super::by_id::ById;
use super::cursor::Cursor;
use super::execute::{Prepared, Ran};
use super::long_data::LongData;
use super::plan_cache::{Environment, Planned};
use super::result::{Definitions, Format};
use super::statement::{markers, syntax_error};
use super::{Client, Wire, count};
use crate::status::{Counter, Gauges, Status};

type Result<T> = std::result::Result<T, SqlError>;

/// Parameters of one statement.
const PARAMS_MAX: usize = 65_535;
/// How often a statement is planned anew because its tables change meanwhile.
const PLANS_MAX: u32 = 100;

/// A session's prepared statements. What executions touch comes first, also in memory.
#[derive(Debug, Default)]
#[repr(C)]
pub(super) struct Statements {
    by_id: ById<Stored>,
    /// Bytes that came ahead of executions.
    long_data_size: usize,
    last_id: u32,
    by_name: BTreeMap<String, Box<Stored>>,
}

/// A prepared statement. What executions touch comes first, also in memory.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Stored {
    /// `None` for a statement that has no plan: it is carried out as its text.
    plan: Option<(Arc<Planned>, Normalised)>,
    /// The types that the last execution brought.
    types: ParamTypes,
    /// The rows of the last execution, if it was asked for a cursor and there is more to fetch.
    pub(super) cursor: Option<Box<Cursor>>,
    sql: Arc<[u8]>,
    /// If statements are counted.
    digest_text: Option<Box<str>>,
    params: u16,
    verb: Verb,
    /// What came ahead of the next execution.
    long_data: LongData,
    /// Where it was prepared: names mean what they meant there.
    environment: Environment,
    _counted: Counted,
}

impl Stored {
    /// What it is planned as.
    pub(super) fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref().map(|(planned, _)| &planned.plan)
    }
}

impl Statements {
    /// The statement of a number, unless it is executed at the moment.
    pub(super) fn stored(&mut self, id: u32) -> Option<&mut Stored> {
        self.by_id.get_mut(id)?.as_deref_mut()
    }
}

/// One of `Prepared_stmt_count`, wherever it is dropped.
#[derive(Debug)]
struct Counted(Arc<Status>);

impl Counted {
    fn gauge(&self) -> &AtomicU64 {
        &self.0.gauges.prepared_statements
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        Gauges::drop_one(self.gauge());
    }
}

impl Client {
    /// COM_STMT_PREPARE.
    pub fn stmt_prepare(&mut self, sql: &[u8], now_us: u64, wire: &mut dyn Wire) {
        self.begin_statement(now_us);
        let stored = self.prepare(sql).and_then(|(stored, columns)| {
            let columns = match &stored.plan {
                Some((planned, normalised)) => self.columns_of(planned, normalised)?,
                None => columns,
            };
            let count = u16::try_from(columns.len()).map_err(|_| ER_TOO_MANY_FIELDS.error(&[]))?;
            Ok((stored, count, Definitions::of(&columns, self.results.collation)))
        });
        match stored {
            Ok((stored, count, columns)) => {
                self.note_prepared(sql);
                self.statements.last_id = self.statements.last_id.wrapping_add(1).max(1);
                let id = self.statements.last_id;
                self.write_prepared(id, stored.params, (count, &columns), wire);
                self.statements.by_id.put(id, stored);
            }
            Err(error) => self.refuse(&error, wire),
        }
    }

    fn write_prepared(
        &self,
        id: u32,
        params: u16,
        (count, columns): (u16, &Definitions),
        wire: &mut dyn Wire,
    ) {
        let (status, packets) = (self.status(false), wire.packets());
        let warnings = self.warnings.packet_count();
        PrepareOk { statement_id: id, columns: count, params, warnings }.write(packets);
        if params > 0 {
            (0..params).for_each(|_| ColumnDef::PARAM.write(packets));
            write_definitions_end(packets, self.capabilities, status, 0);
        }
        if count > 0 {
            columns.write(packets);
            write_definitions_end(packets, self.capabilities, status, 0);
        }
    }

    /// Prepares a statement. If it has no plan, the columns of its result are known now.
    fn prepare(&mut self, sql: &[u8]) -> Result<(Box<Stored>, Vec<OutputColumn>)> {
        let (first, behind, verb) = split_first(sql, self.sql.quoting());
        if verb == Verb::Empty {
            return Err(ER_EMPTY_QUERY.error(&[]));
        }
        if let Some(next) = next_statement(behind, self.sql.quoting()) {
            return Err(syntax_error(sql, next));
        }
        let params;
        let (plan, columns) = match self.plan(first, verb)? {
            Prepared::Plan(planned, _) if planned.plan.file().is_some() => {
                return Err(ER_UNSUPPORTED_PS.error(&[]));
            }
            Prepared::Plan(planned, normalised) => {
                // Its columns are told now.
                self.permit_tables(&planned)?;
                params = normalised.params;
                (Some((planned, normalised)), Vec::new())
            }
            Prepared::Other(statement) => {
                params = markers(first, self).count();
                let takes_params =
                    matches!(*statement, Statement::Set(_) | Statement::Do(_) | Statement::Show(_));
                let is_xa = matches!(*statement, Statement::Xa(_));
                if is_xa || is_about_statements(&statement) || params > 0 && !takes_params {
                    return Err(ER_UNSUPPORTED_PS.error(&[]));
                }
                self.examine_exprs(&statement)?;
                (None, self.columns_of_other(&statement)?)
            }
        };
        if params > PARAMS_MAX {
            return Err(ER_PS_MANY_PARAM.error(&[]));
        }
        let stored = Box::new(Stored {
            _counted: self.count_statement()?,
            sql: first.into(),
            digest_text: self.digest_text(first),
            verb,
            params: u16::try_from(params).expect("at most as many"),
            plan,
            environment: self.environment.clone(),
            types: ParamTypes::new(),
            long_data: LongData::default(),
            cursor: None,
        });
        Ok((stored, columns))
    }

    /// What is wrong with the expressions of SET and DO whatever their parameters are: it is an error now, as in MySQL.
    fn examine_exprs(&self, statement: &Statement) -> Result<()> {
        let exprs: Vec<&Expr> = match statement {
            Statement::Do(exprs) => exprs.iter().collect(),
            Statement::Set(items) => items.iter().filter_map(SetItem::expr).collect(),
            _ => return Ok(()),
        };
        let plan = QueryPlan::Select(Box::new(self.bind_values(&exprs)?));
        self.permit_tables(&Planned::new(Plan::Select(plan)))
    }

    /// The columns of its result, as far as they are known without parameters; none if it has no result.
    pub(super) fn columns_of(&self, planned: &Planned, normalised: &Normalised) -> Result<Vec<OutputColumn>> {
        let Plan::Select(query) = &planned.plan else { return Ok(Vec::new()) };
        let types = Types { literals: &normalised.literals, ..Types::of_session(&self.sql) };
        output_columns(query, &types)
    }

    fn count_statement(&self) -> Result<Counted> {
        let max = self.shared.variables.live.max_prepared_stmt_count.load(Ordering::Relaxed);
        let counted = Counted(Arc::clone(&self.shared.status));
        if counted.gauge().fetch_add(1, Ordering::Relaxed) >= u64::from(max) {
            return Err(ER_MAX_PREPARED_STMT_COUNT_REACHED.error(&[&max]));
        }
        Ok(counted)
    }

    /// The text of a prepared statement, with its markers, if there is one of this number.
    pub fn prepared_text(&self, id: u32) -> Option<&Arc<[u8]>> {
        Some(&self.statements.by_id.get(id)?.sql)
    }

    /// COM_STMT_EXECUTE.
    pub async fn stmt_execute(&mut self, execute: &Execute<'_>, now_us: u64, wire: &mut dyn Wire) {
        self.begin_statement(now_us);
        let id = execute.statement_id;
        let Some(mut stored) = self.statements.by_id.get_mut(id).and_then(Option::take) else {
            let error = unknown(id, "mysqld_stmt_execute");
            return self.refuse(&error, wire);
        };
        stored.cursor = None;
        let done = if execute.wants_cursor() {
            Box::pin(self.open_cursor(&mut stored, execute, wire)).await
        } else {
            self.execute_stored(&mut stored, execute, wire).await
        };
        self.note_done(&stored.sql, stored.digest_text.as_deref(), done.is_err());
        self.statements.by_id.put(id, stored);
        // An error that a plan's execution met was written over what it had begun.
        if let Err(error) = done {
            self.lose_gtid_by(&error);
            self.refuse(&error, wire);
        }
    }

    pub(super) async fn execute_stored(
        &mut self,
        stored: &mut Stored,
        execute: &Execute<'_>,
        wire: &mut dyn Wire,
    ) -> Result<()> {
        let long_data = stored.long_data.take(&mut self.statements.long_data_size)?;
        let mut types = std::mem::take(&mut stored.types);
        let done = match self.read_params(execute, stored.params, &mut types, &long_data) {
            Ok(values) => self.run_stored(stored, &values, Format::Binary, false, wire).await,
            Err(error) => Err(error),
        };
        stored.types = types;
        done
    }

    fn read_params<'p>(
        &self,
        execute: &Execute<'p>,
        count: u16,
        types: &mut ParamTypes,
        long_data: &'p BTreeMap<u16, Vec<u8>>,
    ) -> Result<SmallVec<[ValueRef<'p>; 8]>> {
        let malformed = |error| match error {
            protocol::Error::UnboundParameters => ER_WRONG_ARGUMENTS.error(&[&"mysqld_stmt_execute"]),
            _ => ER_MALFORMED_PACKET.error(&[]),
        };
        let sent: SmallVec<[u16; 4]> = long_data.keys().copied().collect();
        let params = execute.params(count, types, &sent).map_err(malformed)?;
        let mut values = SmallVec::new();
        for (place, param) in params.enumerate() {
            let data = u16::try_from(place).ok().and_then(|place| long_data.get(&place));
            values.push(self.param(param.map_err(malformed)?, data.map_or(&[], Vec::as_slice))?);
        }
        Ok(values)
    }

    fn param<'p>(&self, param: Param<'p>, long_data: &'p [u8]) -> Result<ValueRef<'p>> {
        Ok(match param {
            Param::Null => ValueRef::Null,
            Param::Int(value) => ValueRef::Int(value),
            Param::UInt(value) => ValueRef::UInt(value),
            Param::Float(value) => ValueRef::Float(value),
            Param::Double(value) => ValueRef::Double(value),
            Param::Bytes { bytes, column_type } => self.bytes(bytes, column_type),
            Param::LongData(column_type) => self.bytes(long_data, column_type),
            Param::Date { value, column_type } => date(value, column_type)?,
            Param::Time(value) => {
                let hours = value.days.saturating_mul(24).saturating_add(value.hours.into());
                let time = Time::new(
                    value.negative,
                    hours,
                    value.minutes,
                    value.seconds,
                    value.micros,
                    fraction(value.micros),
                );
                ValueRef::Time(time.ok_or_else(wrong_param)?)
            }
        })
    }

    fn bytes<'p>(&self, bytes: &'p [u8], column_type: ColumnType) -> ValueRef<'p> {
        match column_type {
            ColumnType::Decimal | ColumnType::NewDecimal => {
                ValueRef::Decimal(Decimal::parse_prefix(bytes).value)
            }
            ColumnType::TinyBlob | ColumnType::MediumBlob | ColumnType::LongBlob | ColumnType::Blob
                if !self.sql.collation_connection.charset().is_valid(bytes) =>
            {
                ValueRef::bytes(bytes)
            }
            _ if self.vars.client == Charset::Binary => ValueRef::bytes(bytes),
            _ => ValueRef::Str(bytes, self.sql.collation_connection),
        }
    }

    /// Executes a prepared statement; plans it again if its tables have changed.
    async fn run_stored(
        &mut self,
        stored: &mut Stored,
        values: &[ValueRef<'_>],
        format: Format,
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<()> {
        self.note_execution(&stored.sql, values);
        let (begun, sends) = (wire.packets().mark(), wire.sends());
        let done = self.run_stored_once(stored, values, format, more, wire).await;
        if done.is_err() && wire.sends() == sends {
            wire.packets().rewind(begun);
        }
        done
    }

    async fn run_stored_once(
        &mut self,
        stored: &mut Stored,
        values: &[ValueRef<'_>],
        format: Format,
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<()> {
        if let Some((planned, _)) = &stored.plan {
            self.count_once(count::of_plan(&planned.plan));
            if planned.is_typed_by_variables {
                self.plan_again(stored)?;
            }
        }
        for _ in 0..PLANS_MAX {
            let Some((planned, normalised)) = &stored.plan else {
                self.given = values.iter().map(|value| value.to_value()).collect();
                let done = self.run_text(&stored.sql, stored.verb, format, more, wire).await;
                self.given.clear();
                return done;
            };
            if planned.is_stale() || stored.environment.temporary != self.environment.temporary {
                self.counters.bump(Counter::ComStmtReprepare);
                self.plan_again(stored)?;
                continue;
            }
            self.note_query(&stored.sql);
            let adapted = self.adapt(planned, values, &normalised.literals)?;
            let mut values = Cow::Borrowed(values);
            for (number, value) in &adapted {
                values.to_mut()[*number] = value.as_ref();
            }
            let params = Params {
                values: &values,
                literals: &normalised.literals,
                row_literals: &normalised.row_literals,
                row_size: normalised.row_size,
            };
            if self.run_plan(planned, params, format, more, wire).await? == Ran::Answered {
                return Ok(());
            }
        }
        Err(ER_NEED_REPREPARE.error(&[]))
    }

    /// What parameters are in the types of their places, where they are something else.
    fn adapt(
        &mut self,
        planned: &Planned,
        values: &[ValueRef<'_>],
        literals: &[Value],
    ) -> Result<Vec<(usize, Value)>> {
        let mut context = self.sql.writing(&mut self.warnings);
        context.strict &= planned.plan.is_strict();
        sql::params::adapt(&planned.params, values, literals, &mut context)
    }

    /// Plans a statement again, where it was prepared.
    fn plan_again(&mut self, stored: &mut Stored) -> Result<()> {
        let here = self.environment.clone();
        stored.environment.temporary = here.temporary;
        let there = stored.environment.clone();
        if here != there {
            self.enter(&there);
        }
        let planned = self.plan(&stored.sql, stored.verb);
        self.enter(&here);
        if let Prepared::Plan(planned, normalised) = planned? {
            stored.plan = Some((planned, normalised));
        }
        Ok(())
    }

    fn enter(&mut self, environment: &Environment) {
        self.sql.db.clone_from(&environment.db);
        self.sql.sql_mode = environment.sql_mode;
        self.sql.collation_connection = environment.collation;
        if *environment != self.environment {
            self.settings_changed();
        }
    }

    /// COM_STMT_SEND_LONG_DATA. An error is told with the execution.
    pub fn stmt_send_long_data(&mut self, id: u32, param: u16, data: &[u8]) {
        let max = self.vars.limits.max_allowed_packet.load(Ordering::Relaxed);
        let Statements { by_id, long_data_size, .. } = &mut self.statements;
        if let Some(Some(stored)) = by_id.get_mut(id)
            && param < stored.params
        {
            let size_max = usize::try_from(max).unwrap_or(usize::MAX);
            stored.long_data.push(param, data, long_data_size, size_max);
        }
    }

    /// COM_STMT_CLOSE.
    pub fn stmt_close(&mut self, id: u32) {
        self.note("Close stmt", b"");
        if let Some(mut stored) = self.statements.by_id.remove(id) {
            stored.long_data.clear(&mut self.statements.long_data_size);
        }
    }

    /// COM_STMT_RESET.
    pub fn stmt_reset(&mut self, id: u32, wire: &mut dyn Wire) {
        self.note("Reset stmt", b"");
        let Statements { by_id, long_data_size, .. } = &mut self.statements;
        match by_id.get_mut(id) {
            Some(Some(stored)) => {
                stored.long_data.clear(long_data_size);
                stored.cursor = None;
                self.done(None, false, wire);
            }
            _ => self.refuse(&unknown(id, "mysqld_stmt_reset"), wire),
        }
    }

    /// Forgets all of them: COM_RESET_CONNECTION, COM_CHANGE_USER.
    pub(super) fn close_statements(&mut self) {
        self.statements = Statements::default();
    }

    /// PREPARE.
    pub(super) fn prepare_named(&mut self, prepare: parse::Prepare) -> Result<()> {
        let sql = match prepare.source {
            PrepareSource::Text(text) => text,
            PrepareSource::Variable(name) => {
                let value = self.sql.user_variables.lock().get(&name).cloned().unwrap_or_default();
                let mut text = Vec::new();
                value.as_ref().write_text(&mut text);
                text
            }
        };
        self.deallocate(&prepare.name);
        let (stored, _) = self.prepare(&sql)?;
        self.note_prepared(&sql);
        self.statements.by_name.insert(prepare.name, stored);
        self.note_change();
        Ok(())
    }

    /// EXECUTE.
    pub(super) async fn execute_named(
        &mut self,
        execute: parse::Execute,
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<()> {
        let name = execute.name;
        let Some(mut stored) = self.statements.by_name.remove(&name) else {
            return Err(ER_UNKNOWN_STMT_HANDLER.error(&[&name, &"EXECUTE"]));
        };
        let values: Vec<Value> = {
            let variables = self.sql.user_variables.lock();
            execute.using.iter().map(|name| variables.get(name).cloned().unwrap_or_default()).collect()
        };
        let done = if values.len() == usize::from(stored.params) {
            let values: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
            Box::pin(self.run_stored(&mut stored, &values, Format::Text, more, wire)).await
        } else {
            Err(ER_WRONG_ARGUMENTS.error(&[&"EXECUTE"]))
        };
        self.statements.by_name.insert(name, stored);
        done
    }

    /// DEALLOCATE PREPARE. False if there is none of that name.
    pub(super) fn deallocate(&mut self, name: &str) -> bool {
        self.statements.by_name.remove(name).is_some()
    }
}

/// PREPARE, EXECUTE and DEALLOCATE cannot be prepared: one would be executed within the other, however deep.
fn is_about_statements(statement: &Statement) -> bool {
    matches!(statement, Statement::Prepare(_) | Statement::Execute(_) | Statement::Deallocate(_))
}

pub(super) fn unknown(id: u32, whom: &str) -> SqlError {
    ER_UNKNOWN_STMT_HANDLER.error(&[&id, &whom])
}

fn wrong_param() -> SqlError {
    ER_WRONG_ARGUMENTS.error(&[&"mysqld_stmt_execute"])
}

fn fraction(micros: u32) -> u8 {
    if micros == 0 { 0 } else { 6 }
}

fn date(value: protocol::value::DateTime, column_type: ColumnType) -> Result<ValueRef<'static>> {
    let day = if (value.year, value.month, value.day) == (0, 0, 0) {
        Date::ZERO
    } else {
        Date::new(value.year, value.month, value.day).ok_or_else(wrong_param)?
    };
    if column_type == ColumnType::Date {
        return Ok(ValueRef::Date(day));
    }
    let moment =
        DateTime::new(day, value.hour, value.minute, value.second, value.micros, fraction(value.micros));
    Ok(ValueRef::DateTime(moment.ok_or_else(wrong_param)?))
}
