//! `sql_safe_updates`: UPDATE and DELETE without LIMIT need a condition that an index can serve.
//!
//! What counts is MySQL's view (9.7, asked): a condition on the first column of an index that bounds it somehow, even by
//! `<>` or NOT IN, whether or not this server would read by that index.

use std::iter::once;

use types::error::table::{ER_UPDATE_WITHOUT_KEY_IN_SAFE_MODE, ER_WARN_INDEX_NOT_APPLICABLE};
use types::key::KeyPart;
use types::value::Value;
use types::warning::Level;

use super::ranges::compares_as_column;
use super::{Exec, Known, Result};
use crate::expr::typing::Kind;
use crate::expr::{CompareOp, Expr};
use crate::plan::{IndexRef, Source, key_parts};

impl Exec<'_> {
    /// Error 1175 if nothing but its table bounds which rows of a source are changed, and the session wants such changes
    /// refused. It ends with what the first warning says.
    pub(super) fn check_safe_update(
        &mut self,
        source: &Source,
        place: usize,
        known: Known<'_>,
    ) -> Result<()> {
        if !self.session.safe_updates {
            return Ok(());
        }
        let table = source.table();
        let secondary = (0..table.secondary.len()).map(IndexRef::Secondary);
        let mut served = false;
        for index in once(IndexRef::Primary).chain(secondary) {
            let Some(first) = key_parts(table, index).first() else { continue };
            for condition in &source.conditions {
                let bounded = self.bounds(&condition.expr, place, first, false, known)?;
                served |= bounded == Bounded::Yes;
                if bounded == Bounded::ByAnotherType {
                    let index = match index {
                        IndexRef::Primary => "PRIMARY",
                        IndexRef::Secondary(place) => &table.def.indexes[table.secondary[place].place].name,
                    };
                    let column = &table.def.columns[first.column].name;
                    self.warnings.push(
                        Level::Warning,
                        &ER_WARN_INDEX_NOT_APPLICABLE,
                        &[&"range", &index, &column],
                    );
                }
            }
        }
        if served {
            return Ok(());
        }
        let why = self.warnings.entries().first().map_or("", |warning| &warning.message);
        Err(ER_UPDATE_WITHOUT_KEY_IN_SAFE_MODE.error(&[&why]))
    }

    /// Whether a condition, or its opposite, bounds a column.
    fn bounds(
        &mut self,
        condition: &Expr,
        place: usize,
        part: &KeyPart,
        negated: bool,
        known: Known<'_>,
    ) -> Result<Bounded> {
        if condition.last_source().is_none() && condition.is_known_before(0) {
            // It is one for all rows: either all of them are meant, or none is.
            let inputs = self.inputs(&[], known);
            let mut context = self.reading();
            let all = condition.truth(&inputs, &mut context)? == Some(!negated);
            return Ok(if all { Bounded::No } else { Bounded::Yes });
        }
        let column = (place, part.column);
        let is_column =
            |expr: &Expr| matches!(expr, Expr::Column { source, column: c } if (*source, *c) == column);
        match condition {
            Expr::Not(condition) => self.bounds(condition, place, part, !negated, known),
            Expr::And(all) | Expr::Or(all) => {
                let any = matches!(condition, Expr::And(_)) != negated;
                let mut found = Vec::with_capacity(all.len());
                for condition in all {
                    found.push(self.bounds(condition, place, part, negated, known)?);
                }
                let decides = if any { found.into_iter().max() } else { found.into_iter().min() };
                Ok(decides.unwrap_or(Bounded::No))
            }
            Expr::Compare(CompareOp::NullSafeEq, ..) if negated => Ok(Bounded::No),
            Expr::Compare(op, left, right) => {
                let value = if is_column(left) { right } else { left };
                let equal = match op {
                    CompareOp::Eq | CompareOp::NullSafeEq => !negated,
                    CompareOp::Ne => negated,
                    _ => false,
                };
                let about = is_column(left) || is_column(right);
                if about { self.compared(part, equal, once(&**value), known) } else { Ok(Bounded::No) }
            }
            Expr::In(column, list) if is_column(column) => self.compared(part, !negated, list.iter(), known),
            Expr::Quantified(quantifier, left, subquery) => {
                let is_in = quantifier.op == CompareOp::Eq && !quantifier.all && !negated;
                let served = is_in && left.iter().any(is_column) && !subquery.is_asked_by_row();
                Ok(if served { Bounded::Yes } else { Bounded::No })
            }
            Expr::IsNull(column) if is_column(column) => {
                Ok(if !negated || part.nullable { Bounded::Yes } else { Bounded::No })
            }
            // A number beside 0.
            Expr::Column { .. } if is_column(condition) => {
                let zero = Expr::Const(Value::Int(0));
                self.compared(part, negated, once(&zero), known)
            }
            Expr::Like { text, pattern, .. } if !negated && is_column(text) => {
                self.begins_with(part, pattern, known)
            }
            _ => Ok(Bounded::No),
        }
    }

    /// Whether comparing a column with these values bounds it. `equal`: it is to be one of them.
    fn compared<'e>(
        &self,
        part: &KeyPart,
        equal: bool,
        values: impl Iterator<Item = &'e Expr>,
        known: Known<'_>,
    ) -> Result<Bounded> {
        let inputs = self.inputs(&[], known);
        let mut bounded = if equal || part.ty.labels().is_none() { Bounded::Yes } else { Bounded::No };
        for value in values {
            if !value.is_known_before(0) {
                return Ok(Bounded::No);
            }
            if !part.ty.is_string() {
                continue;
            }
            let kind = value.result_type(&inputs.types())?.kind;
            let text = kind.is_string() && (equal || compares_as_column(part, value, &inputs)?);
            if !text && kind != Kind::Null {
                bounded = bounded.min(Bounded::ByAnotherType);
            }
        }
        Ok(bounded)
    }

    /// Whether a pattern of LIKE says how a column begins.
    fn begins_with(&mut self, part: &KeyPart, pattern: &Expr, known: Known<'_>) -> Result<Bounded> {
        if !part.ty.is_string() || !pattern.is_known_before(0) {
            return Ok(Bounded::No);
        }
        let inputs = self.inputs(&[], known);
        if !compares_as_column(part, pattern, &inputs)? {
            return Ok(Bounded::ByAnotherType);
        }
        let mut context = self.reading();
        let pattern = pattern.eval(&inputs, &mut context)?;
        let Some(bytes) = pattern.as_ref().string_bytes() else { return Ok(Bounded::No) };
        Ok(if matches!(bytes.first(), Some(b'%' | b'_')) { Bounded::No } else { Bounded::Yes })
    }
}

/// Whether an index on a column can serve a condition. The greater, the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Bounded {
    /// It is about something else.
    No,
    /// It would, but for the type or collation of what the column is compared with.
    ByAnotherType,
    /// It can.
    Yes,
}
