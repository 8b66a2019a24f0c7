//! What JSON changes in how expressions are bound: TRUE and FALSE are no numbers there, and `->`.

use sqlparser::ast::{self, BinaryOperator as Bin};
use types::cast::CastTarget;
use types::value::Value;

use super::expr::Binder;
use super::{Result, unsupported};
use crate::expr::typing::Kind;
use crate::expr::{CompareOp, Expr, ResultType};
use crate::params::ParamPlace;

impl Binder<'_, '_> {
    /// Binds an argument of a JSON function: TRUE and FALSE are conditions.
    pub(super) fn bind_json(&mut self, ast: &ast::Expr) -> Result<Expr> {
        match truth(ast) {
            Some(value) => Ok(condition(value)),
            None => self.bind(ast),
        }
    }

    /// Binds the operand of a cast.
    pub(super) fn operand(&mut self, ast: &ast::Expr, target: CastTarget) -> Result<Box<Expr>> {
        if target == CastTarget::Json { self.bind_json(ast) } else { self.bind(ast) }.map(Box::new)
    }

    /// Binds a comparison: TRUE and FALSE are conditions beside JSON.
    pub(super) fn compared(&mut self, op: CompareOp, left: &ast::Expr, right: &ast::Expr) -> Result<Expr> {
        let (first, second) = (self.bind(left)?, self.bind(right)?);
        let first = self.beside(left, first, &second);
        let second = self.beside(right, second, &first);
        let is_null_safe = op == CompareOp::NullSafeEq;
        self.note_params(
            &[&first, &second],
            if is_null_safe { ParamPlace::CompareOrZero } else { ParamPlace::Compared },
        );
        Ok(Expr::Compare(op, Box::new(first), Box::new(second)))
    }

    /// What was bound, as it is compared with another expression.
    pub(super) fn beside(&self, ast: &ast::Expr, bound: Expr, other: &Expr) -> Expr {
        match truth(ast) {
            Some(value) if self.is_json(other) => condition(value),
            _ => bound,
        }
    }

    /// `column->'path'` and `column->>'path'`.
    pub(super) fn json_path(&mut self, column: &ast::Expr, op: &Bin, path: &ast::Expr) -> Result<Expr> {
        let (column, path) = (self.bind(column)?, self.bind(path)?);
        if !matches!((&column, &path), (Expr::Column { .. } | Expr::Outer(..), Expr::Const(Value::Str(..)))) {
            return Err(unsupported(&format!("the operator {op} of anything but a column and a text")));
        }
        let found = self.call_bound("json_extract", vec![column, path])?;
        if *op == Bin::Arrow { Ok(found) } else { self.call_bound("json_unquote", vec![found]) }
    }

    /// Whether the value is JSON, as far as that shows without types.
    fn is_json(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Column { source, column } => {
                let column = self.scope.sources[*source].kind.column(*column);
                ResultType::of_column(column.ty, true).kind == Kind::Json
            }
            Expr::Outer(_, ty) => ty.kind == Kind::Json,
            Expr::Cast(_, CastTarget::Json, _) => true,
            Expr::Call(function, _) => function.name.starts_with("json_"),
            _ => false,
        }
    }
}

/// The literals TRUE and FALSE, also in parentheses.
fn truth(ast: &ast::Expr) -> Option<bool> {
    match ast {
        ast::Expr::Nested(inner) => truth(inner),
        ast::Expr::Value(value) => match value.value {
            ast::Value::Boolean(value) => Some(value),
            _ => None,
        },
        _ => None,
    }
}

fn condition(value: bool) -> Expr {
    Expr::IsTruth(Box::new(Expr::Const(Value::Int(value.into()))), true)
}
