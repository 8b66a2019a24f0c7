//! Arguments of JSON functions.

use types::cast::CastTarget;
use types::charset::Charset;
use types::collation::Collation;
use types::column::{ColumnType, LobSize};
use types::context::Context;
use types::error::SqlError;
use types::error::table::{
    ER_INVALID_JSON_CHARSET, ER_INVALID_JSON_PATH_WILDCARD, ER_INVALID_TYPE_FOR_JSON,
    ER_JSON_DOCUMENT_NULL_KEY,
};
use types::json::{self, Json, Opaque, Path, TooLarge};
use types::value::{Value, ValueRef};

use crate::expr::typing::Kind;
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{Text, converted};

type Result<T> = std::result::Result<T, SqlError>;

/// Type codes of bytes within JSON.
mod code {
    pub(super) const VARBINARY: u8 = 15;
    pub(super) const BINARY: u8 = 254;
    pub(super) const TINY_BLOB: u8 = 249;
    pub(super) const BLOB: u8 = 252;
    pub(super) const MEDIUM_BLOB: u8 = 250;
    pub(super) const LONG_BLOB: u8 = 251;
}

/// A call of a JSON function: where its arguments are found, and the name that errors show.
#[derive(Clone, Copy)]
pub(super) struct Call<'c, 'a> {
    pub(super) name: &'static str,
    pub(super) args: &'a [Expr],
    pub(super) inputs: &'c Inputs<'a>,
}

impl<'c, 'a> Call<'c, 'a> {
    pub(super) fn new(name: &'static str, args: &'a [Expr], inputs: &'c Inputs<'a>) -> Self {
        Self { name, args, inputs }
    }

    /// An argument's value.
    pub(super) fn eval(&self, at: usize, context: &mut Context<'_>) -> Result<Ev<'a>> {
        self.args[at].eval(self.inputs, context)
    }

    /// A document; `None` of NULL. Errors 3141, 3144, 3146 and 3157.
    pub(super) fn document(&self, at: usize, context: &mut Context<'_>) -> Result<Option<Json>> {
        self.document_of(at, self.eval(at, context)?.as_ref())
    }

    /// The same of an argument's value.
    pub(super) fn document_of(&self, at: usize, value: ValueRef<'_>) -> Result<Option<Json>> {
        match value {
            ValueRef::Null => Ok(None),
            ValueRef::Json(_) => value.to_json().map(Some),
            other => {
                let text = self.document_text(at, other)?;
                Json::parse(&text).map(Some).map_err(|error| error.in_argument(at + 1, self.name))
            }
        }
    }

    /// The text of a document that is no JSON value. Errors 3144 and 3146.
    pub(super) fn document_text(&self, at: usize, value: ValueRef<'_>) -> Result<String> {
        let text = match value {
            ValueRef::Str(..) | ValueRef::Bytes(_) => value.json_text()?,
            _ => None,
        };
        text.ok_or_else(|| ER_INVALID_TYPE_FOR_JSON.error(&[&(at + 1), &self.name]))
    }

    /// A path; `None` of NULL. Errors 3143 and 3144.
    pub(super) fn path(&self, at: usize, context: &mut Context<'_>) -> Result<Option<Path>> {
        match self.text(at, context)? {
            Some(text) => Ok(Some(Path::parse(&text)?)),
            None => Ok(None),
        }
    }

    /// A path to one place; error 3149 for wildcards.
    pub(super) fn plain_path(&self, at: usize, context: &mut Context<'_>) -> Result<Option<Path>> {
        let path = self.path(at, context)?;
        if path.as_ref().is_some_and(Path::has_wildcard) {
            return Err(ER_INVALID_JSON_PATH_WILDCARD.error(&[]));
        }
        Ok(path)
    }

    /// Paths from an argument on; `None` if one is NULL.
    pub(super) fn paths(&self, from: usize, context: &mut Context<'_>) -> Result<Option<Vec<Path>>> {
        (from..self.args.len()).map(|at| self.path(at, context)).collect()
    }

    /// What paths lead to; `None` of nothing, and of too much.
    pub(super) fn extract(
        &self,
        document: &Json,
        paths: &[Path],
        context: &mut Context<'_>,
    ) -> Result<Option<Json>> {
        self.bounded(json::extract(document, paths, context.result_size_max), context)
    }

    /// `None`, with warning 1301, in place of what is too large.
    pub(super) fn bounded<T>(
        &self,
        made: std::result::Result<Option<T>, TooLarge>,
        context: &mut Context<'_>,
    ) -> Result<Option<T>> {
        if made.is_err() {
            context.is_too_large(usize::MAX, self.name)?;
        }
        Ok(made.unwrap_or_default())
    }

    /// Text as UTF-8, also of a number; `None` of NULL. Error 3144 for bytes.
    fn text(&self, at: usize, context: &mut Context<'_>) -> Result<Option<String>> {
        let value = self.eval(at, context)?;
        utf8(value, self.inputs.collation)
    }

    /// A value that is put into a document.
    pub(super) fn value(&self, at: usize, context: &mut Context<'_>) -> Result<Json> {
        member_value(&self.args[at], self.inputs, context)
    }
}

fn utf8(value: Ev<'_>, connection: Collation) -> Result<Option<String>> {
    let Some(text) = Text::of(value, connection) else { return Ok(None) };
    if text.is_string && text.charset() == Charset::Binary {
        return Err(ER_INVALID_JSON_CHARSET.error(&[&Charset::Binary.name()]));
    }
    let bytes = match converted(&text.bytes, text.charset(), Charset::Utf8mb4)? {
        Some(converted) => converted,
        None => text.bytes.into_owned(),
    };
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// An expression as the name of a member. Errors 3144 for bytes, 3158 for NULL.
pub(crate) fn member_name(expr: &Expr, inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<String> {
    let value = expr.eval(inputs, context)?;
    utf8(value, inputs.collation)?.ok_or_else(|| ER_JSON_DOCUMENT_NULL_KEY.error(&[]))
}

/// An expression as a value within a document.
pub(crate) fn member_value(expr: &Expr, inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<Json> {
    value_of(expr, expr.eval(inputs, context)?.as_ref(), inputs)
}

/// The same of the expression's value.
pub(super) fn value_of(expr: &Expr, value: ValueRef<'_>, inputs: &Inputs<'_>) -> Result<Json> {
    match value {
        ValueRef::Int(number) if expr.is_condition() => Ok(Json::Bool(number != 0)),
        ValueRef::Bytes(bytes) => {
            let field_type = bytes_code(expr.result_type(&inputs.types())?);
            Ok(Json::Opaque(Opaque { field_type, bytes: bytes.to_cow().into_owned() }))
        }
        ValueRef::DateTime(moment) if expr.result_type(&inputs.types())?.kind == Kind::Timestamp => {
            Ok(Json::Timestamp(moment))
        }
        other => other.to_json(),
    }
}

/// CAST(.. AS JSON): text is read, anything else is as within a document. Errors 3141, 3144 and 3157.
pub(crate) fn cast(
    expr: &Expr,
    value: ValueRef<'_>,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Value> {
    match value {
        ValueRef::Null | ValueRef::Json(_) | ValueRef::Str(..) | ValueRef::Bytes(_) | ValueRef::Chosen(_) => {
            types::cast::cast(value, CastTarget::Json, &"", context)
        }
        other => Value::json(value_of(expr, other, inputs)?),
    }
}

fn bytes_code(ty: ResultType) -> u8 {
    match (ty.kind, ty.column) {
        (_, Some(ColumnType::Binary { .. })) => code::BINARY,
        (Kind::Lob(LobSize::Tiny), _) => code::TINY_BLOB,
        (Kind::Lob(LobSize::Normal), _) => code::BLOB,
        (Kind::Lob(LobSize::Medium), _) => code::MEDIUM_BLOB,
        (Kind::Lob(LobSize::Long), _) => code::LONG_BLOB,
        _ => code::VARBINARY,
    }
}
