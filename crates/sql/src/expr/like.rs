//! LIKE. Operands that are no text are matched as their text; the collation is the one that both have in common.

use types::collation::Collation;
use types::context::Context;
use types::error::SqlError;
use types::value::{Value, ValueRef};

use super::typing::aggregate_collations;
use super::{Expr, Inputs};
use crate::func::converted;

/// What the text of a statement says of how a pattern begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternStart {
    /// With a character that stands for itself: an index finds texts that begin so.
    Character,
    /// With a wildcard.
    Wildcard,
    /// Nothing.
    Unknown,
}

impl PatternStart {
    /// That of a pattern. As in MySQL, ESCAPE does not matter.
    pub(crate) fn of(pattern: &Value) -> Self {
        let (Value::Str(bytes, _) | Value::Bytes(bytes)) = pattern else { return Self::Unknown };
        if matches!(bytes.first(), Some(b'%' | b'_')) { Self::Wildcard } else { Self::Character }
    }
}

pub(super) fn like(
    text: &Expr,
    pattern: &Expr,
    escape: Option<char>,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<bool>, SqlError> {
    let text_value = text.eval(inputs, context)?;
    if text_value.as_ref().is_null() {
        return Ok(None);
    }
    let pattern_value = pattern.eval(inputs, context)?;
    if pattern_value.as_ref().is_null() {
        return Ok(None);
    }
    let escape = escape.map(u32::from);
    if let (ValueRef::Str(text, a), ValueRef::Str(pattern, b)) = (text_value.as_ref(), pattern_value.as_ref())
        && a == b
    {
        return Ok(Some(a.like(text, pattern, escape)));
    }
    let (text_own, pattern_own) = (own_collation(text_value.as_ref()), own_collation(pattern_value.as_ref()));
    let collation = match (text_own, pattern_own) {
        (Some(a), Some(b)) if a != b => chosen(text, pattern, inputs)?,
        (Some(own), _) | (None, Some(own)) => own,
        (None, None) => inputs.collation,
    };
    let connection = inputs.collation;
    let in_common = |value: ValueRef<'_>, own: Option<Collation>| {
        let mut bytes = Vec::new();
        value.write_text(&mut bytes);
        let converted = converted(&bytes, own.unwrap_or(connection).charset(), collation.charset())?;
        Ok::<_, SqlError>(converted.unwrap_or(bytes))
    };
    let text = in_common(text_value.as_ref(), text_own)?;
    let pattern = in_common(pattern_value.as_ref(), pattern_own)?;
    Ok(Some(collation.like(&text, &pattern, escape)))
}

fn chosen(text: &Expr, pattern: &Expr, inputs: &Inputs<'_>) -> Result<Collation, SqlError> {
    let types = inputs.types();
    let both = [text.result_type(&types)?, pattern.result_type(&types)?];
    let both = both.map(|ty| ty.text_type(types.connection()));
    Ok(aggregate_collations(both.into_iter(), "like")?.collation)
}

/// The collation of a string; none of a number.
fn own_collation(value: ValueRef<'_>) -> Option<Collation> {
    match value {
        ValueRef::Str(_, collation) => Some(collation),
        ValueRef::Bytes(_) => Some(Collation::Binary),
        _ => None,
    }
}
