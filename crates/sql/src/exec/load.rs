//! LOAD DATA: rows of a file become rows of a table.
//!
//! What a row has no field for, and NULL where there can be none, MySQL replaces by what stands for no value in the column's
//! type, not by the column's default, and so does this.

use engine::catalog::def::{ColumnDef, DefaultValue};
use types::charset::Charset;
use types::collation::Collation;
use types::column::ColumnType;
use types::context::Context;
use types::error::SqlError;
use types::error::table::{
    ER_INVALID_CHARACTER_STRING, ER_NET_PACKET_TOO_LARGE, ER_WARN_NULL_TO_NOTNULL, ER_WARN_TOO_FEW_RECORDS,
    ER_WARN_TOO_MANY_RECORDS,
};
use types::value::{Value, ValueRef};
use types::warning::Warnings;

use super::assign::{self, Given};
use super::cursor::offsets;
use super::insert::Progress;
use super::{Exec, Known, Result, give_way};
use crate::expr::RowRef;
use crate::load::{Found, RowReader};
use crate::plan::{FieldTarget, FilePlan, InsertPlan};
use crate::session::Session;

impl Exec<'_> {
    /// Inserts the rows of the statement's file.
    pub(super) async fn load(
        &mut self,
        plan: &InsertPlan,
        file: &FilePlan,
        known: Known<'_>,
        progress: &mut Progress,
    ) -> Result<()> {
        let data = self.file.take().expect("LOAD DATA runs with its file");
        let row_size_max = self.row_size_max()?;
        let mut reader = RowReader::new(&file.format, file.fields.len(), file.skip);
        loop {
            match reader.next() {
                Found::Row { cut } => {
                    self.load_row(plan, file, reader.fields(), known, progress).await?;
                    if cut {
                        let row = progress.rows;
                        self.loading(plan, row).report(&ER_WARN_TOO_MANY_RECORDS, &[&row])?;
                    }
                    progress.turns.tick().await;
                }
                Found::Nothing if reader.size() > row_size_max => {
                    return Err(ER_NET_PACKET_TOO_LARGE.error(&[]));
                }
                Found::Nothing => {
                    // Many pieces may have no row's end.
                    give_way().await;
                    reader.give(&data.read().await?);
                }
                Found::End => return Ok(()),
            }
        }
    }

    /// Bytes of a row in a file: as of a statement that inserts it.
    fn row_size_max(&self) -> Result<usize> {
        let session = self.session;
        let max = session.server.variable(session, None, "max_allowed_packet")?;
        Ok(match max {
            Value::UInt(max) => usize::try_from(max).unwrap_or(usize::MAX),
            Value::Int(max) => usize::try_from(max).unwrap_or_default(),
            _ => usize::MAX,
        })
    }

    /// What a row of the file is brought into its columns in.
    fn loading(&mut self, plan: &InsertPlan, row: u64) -> Context<'_> {
        let mut context = self.session.writing(self.warnings);
        context.strict &= !plan.ignore;
        context.row = row;
        context.null_becomes_default = true;
        context
    }

    async fn load_row<'f>(
        &mut self,
        plan: &InsertPlan,
        file: &FilePlan,
        mut fields: impl Iterator<Item = Option<&'f [u8]>>,
        known: Known<'_>,
        progress: &mut Progress,
    ) -> Result<()> {
        let (table, session) = (&*plan.table, self.session);
        let row = progress.rows + 1;
        let columns = &table.def.columns;
        let mut given: Vec<Given<'_>> = columns.iter().map(unnamed).collect();
        for target in &file.fields {
            let field = fields.next();
            field.flatten().map_or(Ok(()), |text| refuse_garbage(text, file.collation))?;
            match target {
                FieldTarget::Variable(name) => {
                    let text = |text: &[u8]| Value::Str(text.to_vec(), file.collation);
                    let value = field.flatten().map_or(Value::Null, text);
                    session.user_variables.lock().insert(name.clone(), value);
                }
                FieldTarget::Column(column) => {
                    let def = &columns[*column];
                    given[*column] = match field {
                        Some(Some(text)) => Given::Value(ValueRef::Str(text, file.collation)),
                        Some(None) => null(def, session, &mut self.loading(plan, row))?,
                        None => missing(def, session, &mut self.loading(plan, row))?,
                    };
                }
            }
        }
        if file.assignments.is_empty() {
            return self.insert_given(plan, &given, known, progress).await;
        }
        let assigned = self.assigned(plan, file, &given, known, row)?;
        for (column, value) in &assigned {
            given[*column] = value.as_ref().map_or(Given::Default, |value| Given::Value(value.as_ref()));
        }
        self.insert_given(plan, &given, known, progress).await
    }

    /// What SET gives to columns of a row, each of which may look at what was given before; `None` is a default.
    fn assigned(
        &mut self,
        plan: &InsertPlan,
        file: &FilePlan,
        given: &[Given<'_>],
        known: Known<'_>,
        row: u64,
    ) -> Result<Vec<(usize, Option<Value>)>> {
        let (table, session) = (&*plan.table, self.session);
        let mut current = assign::row_so_far(table, given, session)?;
        let mut assigned = Vec::with_capacity(file.assignments.len());
        for assignment in &file.assignments {
            let offsets = offsets(table, &current)?;
            let rows = [RowRef::Stored { layout: &table.rows, row: &current, offsets: &offsets }];
            let value = match &assignment.value {
                None => None,
                Some(expr) => {
                    let inputs = self.inputs(&rows, known);
                    let mut context = session.writing(self.warnings);
                    context.strict &= !plan.ignore;
                    context.row = row;
                    Some(expr.eval(&inputs, &mut context)?.into_value())
                }
            };
            let (mut next, mut warnings) = (Vec::new(), Warnings::default());
            let context = &mut assign::leniently(session, &mut warnings);
            let (column, new) = (assignment.column, value.as_ref().map(Value::as_ref));
            assign::replace_column(table, &current, column, new, session, context, &mut next)?;
            current = next;
            assigned.push((column, value));
        }
        Ok(assigned)
    }
}

/// Error 1300 at a byte that begins no character; sequences that are not complete are the columns' affair.
fn refuse_garbage(text: &[u8], collation: Collation) -> Result<()> {
    let charset = collation.charset();
    if !matches!(charset, Charset::Utf8mb4 | Charset::Utf8mb3) || std::str::from_utf8(text).is_ok() {
        return Ok(());
    }
    let mut at = 0;
    while let Some(lead) = text.get(at) {
        let size = match lead {
            0..0x80 => 1,
            0xc2..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0..0xf8 => 4,
            _ => {
                let before = String::from_utf8_lossy(&text[..at]).into_owned();
                return Err(ER_INVALID_CHARACTER_STRING.error(&[&charset.name(), &before]));
            }
        };
        let rest = text[at + 1..].iter().take(size - 1);
        at += 1 + rest.take_while(|byte| matches!(byte, 0x80..0xc0)).count();
    }
    Ok(())
}

/// What a column gets that the statement does not name.
fn unnamed(def: &ColumnDef) -> Given<'static> {
    let has_none = matches!(def.default, DefaultValue::None) && !def.nullable && !def.auto_increment;
    if has_none { Given::Implicit } else { Given::Default }
}

/// What a column gets whose field is NULL. Error or warning 1263.
fn null(def: &ColumnDef, session: &Session, context: &mut Context<'_>) -> Result<Given<'static>> {
    if def.nullable || def.auto_increment || def.generated.is_some() {
        return Ok(Given::Value(ValueRef::Null));
    }
    if matches!(def.ty, ColumnType::Timestamp { .. }) {
        return Ok(Given::Value(assign::now(def.ty, session)));
    }
    let row = context.row;
    context.report(&ER_WARN_NULL_TO_NOTNULL, &[&def.name, &row])?;
    Ok(Given::Implicit)
}

/// What a column gets whose field is missing. Error or warning 1261.
fn missing(
    def: &ColumnDef,
    session: &Session,
    context: &mut Context<'_>,
) -> std::result::Result<Given<'static>, SqlError> {
    let row = context.row;
    context.report(&ER_WARN_TOO_FEW_RECORDS, &[&row])?;
    let is_null = !matches!(def.default, DefaultValue::Stored(_)) && def.nullable;
    Ok(if def.auto_increment {
        Given::Default
    } else if is_null {
        Given::Value(ValueRef::Null)
    } else if matches!(def.ty, ColumnType::Timestamp { .. }) && !def.nullable {
        Given::Value(assign::now(def.ty, session))
    } else {
        Given::Implicit
    })
}
