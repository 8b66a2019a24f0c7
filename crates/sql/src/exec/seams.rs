//! Temporary.
use types::column::ColumnType;
use types::context::Context;
use types::error::SqlError;
use types::value::{Value, ValueRef};
use crate::expr::{Expr, Inputs};
use crate::plan::{Aggregate, AggregateKind};
use super::OutputColumn;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SortKey { Null, Int(i128), Bytes(Vec<u8>) }
impl SortKey {
    pub fn of(v: ValueRef<'_>) -> Self {
        match v {
            ValueRef::Null => Self::Null,
            ValueRef::Int(i) => Self::Int(i.into()),
            ValueRef::UInt(i) => Self::Int(i.into()),
            ValueRef::Str(b, c) => { let mut o = Vec::new(); c.sort_key(b, &mut o); Self::Bytes(o) }
            other => { let mut o = Vec::new(); other.write_text(&mut o); Self::Bytes(o) }
        }
    }
}
pub struct Accumulator { count: i64, sum: i128, any: bool, kind: AggregateKind, best: Option<Value> }
impl Accumulator {
    pub fn new(a: &Aggregate) -> Self { Self { count: 0, sum: 0, any: false, kind: a.kind, best: None } }
    pub fn add(&mut self, a: &Aggregate, i: &Inputs<'_>, c: &mut Context<'_>) -> Result<(), SqlError> {
        let Some(arg) = a.args.first() else { self.count += 1; return Ok(()) };
        let v = arg.eval(i, c)?;
        match v.as_ref() { ValueRef::Null => {}, ValueRef::Int(x) => { self.count += 1; self.sum += i128::from(x); self.any = true }, _ => { self.count += 1; } }
        if matches!(self.kind, AggregateKind::Max | AggregateKind::Min) {
            let better = match &self.best { None => true, Some(b) => { let o = types::value::compare(v.as_ref(), b.as_ref(), c)?; if self.kind == AggregateKind::Max { o.is_some_and(|o| o.is_gt()) } else { o.is_some_and(|o| o.is_lt()) } } };
            if better { self.best = Some(v.into_value()); }
        }
        Ok(())
    }
    pub fn finish(self, _c: &mut Context<'_>) -> Result<Value, SqlError> {
        Ok(match self.kind { AggregateKind::Count => Value::Int(self.count), AggregateKind::Sum if self.any => Value::Int(self.sum as i64), AggregateKind::Max | AggregateKind::Min => self.best.unwrap_or_default(), _ => Value::Null })
    }
}
pub trait Types {
    fn column(&self, source: usize, column: usize) -> (ColumnType, bool);
    fn param(&self, number: usize) -> ValueRef<'_>;
    fn aggregate(&self, number: usize) -> Option<&Aggregate>;
    fn subquery(&self, number: usize) -> Option<OutputColumn>;
}
pub struct ResultType { pub ty: Option<ColumnType>, pub nullable: bool }
impl Expr { pub fn result_type(&self, _t: &dyn Types) -> ResultType {
    let text = ColumnType::Varchar { chars: 255, collation: types::collation::Collation::Utf8mb4GeneralCi };
    let ty = match self { Self::Const(Value::Int(_)) | Self::Aggregate(_) => ColumnType::Int(types::column::IntType::new(types::column::IntSize::Big, types::column::Sign::Signed)), _ => text };
    ResultType { ty: Some(ty), nullable: true } } }
pub fn find_function(_name: &str) -> Option<&'static crate::func::Function> { None }
