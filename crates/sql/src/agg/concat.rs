//! GROUP_CONCAT.
//!
//! Rows are kept with their keys and put in order at the end; without ORDER BY and DISTINCT only as many as
//! `group_concat_max_len` and `max_allowed_packet` show. What DISTINCT leaves comes in the order of its keys, as in MySQL.

use std::collections::BTreeMap;

use types::collation::Collation;
use types::context::Context;
use types::error::SqlError;
use types::error::table::ER_CUT_VALUE_GROUP_CONCAT;
use types::value::Value;

use crate::expr::typing::aggregate_collations;
use crate::expr::{Expr, Inputs, SortKey, Types, operand};
use crate::func::Text;
use crate::plan::{Aggregate, OrderKey};

/// The rows of a group.
#[derive(Clone, Debug)]
pub(super) struct Concat {
    collation: Collation,
    separator: Vec<u8>,
    /// Texts by key; the number keeps equal keys apart and in the order in which they came.
    rows: BTreeMap<(SortKey, u64), Vec<u8>>,
    distinct: Option<super::distinct::Distinct>,
    count: u64,
    /// Bytes of all texts and the separators between them.
    size: usize,
}

impl Concat {
    pub(super) fn new(aggregate: &Aggregate, types: &Types<'_>) -> Result<Self, SqlError> {
        let found =
            aggregate.args.iter().map(|arg| Ok(arg.result_type(types)?.text_type(types.connection())));
        let found = found.collect::<Result<smallvec::SmallVec<[_; 4]>, SqlError>>()?;
        let collation = aggregate_collations(found.iter().copied(), "group_concat")?.collation;
        let separator = aggregate.separator.as_deref().unwrap_or(",");
        let connection = types.connection().charset();
        let separator = crate::expr::in_charset(separator.as_bytes(), connection, collation.charset());
        Ok(Self {
            collation,
            separator: separator.into_owned(),
            rows: BTreeMap::new(),
            distinct: aggregate.distinct.then(Default::default),
            count: 0,
            size: 0,
        })
    }

    /// Adds a row; returns the bytes that it keeps. Rows in which an argument is NULL do not count.
    pub(super) fn add(
        &mut self,
        aggregate: &Aggregate,
        inputs: &Inputs<'_>,
        context: &mut Context<'_>,
    ) -> Result<usize, SqlError> {
        let comes_as_it_is = aggregate.order.is_empty() && !aggregate.distinct;
        if comes_as_it_is && self.size > limit(inputs, context) {
            return Ok(0);
        }
        let mut row = Vec::new();
        let mut values = smallvec::SmallVec::<[_; 2]>::new();
        for arg in &aggregate.args {
            let value = operand(arg, inputs, context)?;
            if value.as_ref().is_null() {
                return Ok(0);
            }
            if aggregate.distinct {
                values.push(value.clone().into_value());
            }
            if let Some(mut text) = Text::of(value, inputs.collation) {
                crate::func::convert_text(&mut text, self.collation)?;
                row.extend_from_slice(&text.bytes);
            }
        }
        let mut kept = 0;
        if let Some(distinct) = &mut self.distinct {
            let Some(bytes) = distinct.insert(values.iter().map(Value::as_ref)) else { return Ok(0) };
            kept = bytes;
        }
        let key = order_key(aggregate, &values, inputs, context)?;
        kept += size_of::<SortKey>() + key.as_bytes().len() + size_of::<Vec<u8>>() + row.len();
        self.size += row.len() + if self.rows.is_empty() { 0 } else { self.separator.len() };
        self.rows.insert((key, self.count), row);
        self.count += 1;
        Ok(kept)
    }

    /// The texts in order, cut where they exceed the limit, with warning 1260.
    pub(super) fn finish(self, inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<Value, SqlError> {
        if self.rows.is_empty() {
            return Ok(Value::Null);
        }
        let limit = limit(inputs, context);
        let mut out = Vec::new();
        for (at, row) in self.rows.values().enumerate() {
            if at > 0 {
                out.extend_from_slice(&self.separator);
            }
            out.extend_from_slice(row);
            if out.len() > limit {
                let cut = &out[..limit];
                let size = self.collation.charset().valid_prefix_size(cut);
                out.truncate(size);
                context.report(&ER_CUT_VALUE_GROUP_CONCAT, &[&(at + 1)])?;
                break;
            }
        }
        Ok(match self.collation {
            Collation::Binary => Value::Bytes(out),
            collation => Value::Str(out, collation),
        })
    }
}

/// The most bytes of a result.
fn limit(inputs: &Inputs<'_>, context: &Context<'_>) -> usize {
    inputs.session.group_concat_max_len.min(context.result_size_max)
}

/// The key of ORDER BY, then of what is distinct.
fn order_key(
    aggregate: &Aggregate,
    values: &[Value],
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<SortKey, SqlError> {
    let mut key = SortKey::new();
    for order in &aggregate.order {
        let expr: Option<&Expr> = match &order.by {
            OrderKey::Output(at) => aggregate.args.get(*at),
            OrderKey::Expr(expr) => Some(expr),
        };
        if let Some(expr) = expr {
            key.push_ordered(expr.eval(inputs, context)?.as_ref(), order.descending);
        }
    }
    for value in values {
        key.push(value.as_ref());
    }
    Ok(key)
}
