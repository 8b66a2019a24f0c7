//! Expressions of definitions, as MySQL keeps and prints them: operators in parentheses, names and words in one writing,
//! texts with their character sets, conditions in the form that says the same without NOT where there is one.

mod call;
mod literal;
mod subject;

use sqlparser::ast::{self, BinaryOperator as Bin, Expr as E, UnaryOperator as Un};
use types::error::table::ER_NON_BOOLEAN_EXPR_FOR_CHECK_CONSTRAINT;
use types::sql_mode::SqlMode;

use super::{Quoting, Result};
use crate::bind::set_name;
use crate::func;
use crate::parse::unsupported;
use literal::{literal, plain_text};
use subject::Subject;

/// An expression as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Printed {
    /// Its text.
    pub(super) text: String,
    /// The columns that it names, as it names them, each as often as it does.
    pub(super) columns: Vec<String>,
    /// It may have another value on a replica.
    pub(super) is_unsafe: bool,
}

/// The condition of the check of this name. Errors 3812, 3814 to 3817 and 1111 for what cannot stand there, 1235.
pub(super) fn check(expression: &E, name: &str, sql_mode: SqlMode) -> Result<Printed> {
    let printer = Printer::new(Subject::Check(name), sql_mode);
    if !printer.is_condition(expression) {
        return Err(ER_NON_BOOLEAN_EXPR_FOR_CHECK_CONSTRAINT.error(&[&name]));
    }
    printer.printed(expression)
}

/// What a generated column of this name holds. Errors 3102, 3763, 3764, 3772 and 1111 for what cannot stand there, 1235.
pub(super) fn generated(expression: &E, column: &str, sql_mode: SqlMode) -> Result<Printed> {
    Printer::new(Subject::Generated(column), sql_mode).printed(expression)
}

/// The default of the column of this name. Errors 3769 to 3772 and 1111 for what cannot stand there, 1235.
pub(super) fn default(expression: &E, column: &str, sql_mode: SqlMode) -> Result<Printed> {
    Printer::new(Subject::Default(column), sql_mode).printed(expression)
}

struct Printer<'p> {
    subject: Subject<'p>,
    /// `||` is CONCAT.
    pipes_concat: bool,
    columns: Vec<String>,
    is_unsafe: bool,
}

impl<'p> Printer<'p> {
    fn new(subject: Subject<'p>, sql_mode: SqlMode) -> Self {
        let pipes_concat = sql_mode.contains(SqlMode::PIPES_AS_CONCAT);
        Self { subject, pipes_concat, columns: Vec::new(), is_unsafe: false }
    }

    fn printed(mut self, expression: &E) -> Result<Printed> {
        let text = self.text(expression)?;
        Ok(Printed { text, columns: self.columns, is_unsafe: self.is_unsafe })
    }

    fn text(&mut self, expr: &E) -> Result<String> {
        Ok(match expr {
            E::Nested(inner) => self.text(inner)?,
            E::Identifier(name) => return self.name(name),
            E::CompoundIdentifier(path) => return self.path(path),
            E::Value(value) => literal(&value.value)?,
            E::TypedString(typed) => match typed.data_type {
                ast::DataType::Date => format!("DATE{}", plain_text(&typed.value.value)?),
                ast::DataType::Time(..) => format!("TIME{}", plain_text(&typed.value.value)?),
                _ => format!("TIMESTAMP{}", plain_text(&typed.value.value)?),
            },
            E::Prefixed { prefix, value } => match &**value {
                E::Value(value) => {
                    format!("{}{}", prefix.value.to_ascii_lowercase(), plain_text(&value.value)?)
                }
                other => return Err(unsupported(&format!("{prefix} {other}"))),
            },
            E::BinaryOp { left, op, right } => return self.binary(left, op, right),
            E::UnaryOp { op, expr } => match op {
                Un::Plus => self.text(expr)?,
                Un::Minus => format!("-({})", self.text(expr)?),
                Un::BitwiseNot => format!("~({})", self.text(expr)?),
                Un::Not | Un::BangNot => self.negated(expr)?,
                other => return Err(unsupported(&format!("the operator {other}"))),
            },
            E::IsNull(expr) | E::IsUnknown(expr) => format!("({} is null)", self.text(expr)?),
            E::IsNotNull(expr) | E::IsNotUnknown(expr) => format!("({} is not null)", self.text(expr)?),
            E::IsTrue(expr) => format!("({} is true)", self.condition(expr)?),
            E::IsNotTrue(expr) => format!("({} is not true)", self.condition(expr)?),
            E::IsFalse(expr) => format!("({} is false)", self.condition(expr)?),
            E::IsNotFalse(expr) => format!("({} is not false)", self.condition(expr)?),
            E::Between { expr, negated, low, high } => {
                let (expr, low, high) = (self.text(expr)?, self.text(low)?, self.text(high)?);
                format!("({expr}{} between {low} and {high})", not_if(*negated))
            }
            E::InList { expr, list, negated } => self.in_list(expr, list, *negated)?,
            E::Like { negated, any: false, expr, pattern, escape_char } => {
                let (expr, pattern) = (self.text(expr)?, self.text(pattern)?);
                let escape = match escape_char {
                    Some(escape) => format!(" escape {}", literal(&escape.value)?),
                    None => String::new(),
                };
                negate_if(*negated, format!("({expr} like {pattern}{escape})"))
            }
            E::RLike { negated, expr, pattern, .. } => {
                negate_if(*negated, self.call("regexp_like", [&**expr, &**pattern])?)
            }
            E::Case { operand, conditions, else_result, .. } => {
                self.case(operand.as_deref(), conditions, else_result.as_deref())?
            }
            E::Collate { expr, collation } => {
                format!("({} collate {})", self.text(expr)?, set_name(collation).to_ascii_lowercase())
            }
            E::Tuple(items) => match &items[..] {
                [one] => self.text(one)?,
                _ => return Err(self.subject.row_value()),
            },
            E::Subquery(_) | E::Exists { .. } | E::InSubquery { .. } | E::AllOp { .. } | E::AnyOp { .. } => {
                return Err(self.subject.function());
            }
            other => return self.special(other),
        })
    }

    fn name(&mut self, name: &ast::Ident) -> Result<String> {
        if name.quote_style.is_none() {
            if name.value.starts_with('@') {
                return Err(self.subject.variables());
            }
            if let Some(function) = self.varying(&name.value.to_ascii_lowercase())? {
                return Ok(format!("{function}()"));
            }
        }
        Ok(self.column(&name.value))
    }

    fn path(&mut self, path: &[ast::Ident]) -> Result<String> {
        match path {
            [first, ..] if first.quote_style.is_none() && first.value.starts_with('@') => {
                Err(self.subject.variables())
            }
            [.., column] => Ok(self.column(&column.value)),
            [] => unreachable!("a path has parts"),
        }
    }

    fn column(&mut self, name: &str) -> String {
        self.columns.push(name.to_owned());
        Quoting::default().name(name)
    }

    /// As a condition: what is none is compared with 0.
    fn condition(&mut self, expr: &E) -> Result<String> {
        let text = self.text(expr)?;
        Ok(if self.is_condition(expr) { text } else { format!("(0 <> {text})") })
    }

    fn is_condition(&self, expr: &E) -> bool {
        match expr {
            E::Nested(inner) => self.is_condition(inner),
            E::BinaryOp { op, .. } => match op {
                Bin::And | Bin::Or | Bin::Xor | Bin::Regexp => true,
                Bin::StringConcat => !self.pipes_concat,
                op => comparison(op).is_some(),
            },
            E::UnaryOp { op, .. } => matches!(op, Un::Not | Un::BangNot),
            E::Function(function) => {
                let name = function.name.to_string().to_ascii_lowercase();
                name == "isnull" || func::find(&name).is_some_and(|function| function.is_condition)
            }
            E::Value(value) => matches!(value.value, ast::Value::Boolean(_)),
            E::IsNull(_)
            | E::IsNotNull(_)
            | E::IsUnknown(_)
            | E::IsNotUnknown(_)
            | E::IsTrue(_)
            | E::IsNotTrue(_)
            | E::IsFalse(_)
            | E::IsNotFalse(_)
            | E::Between { .. }
            | E::InList { .. }
            | E::Like { .. }
            | E::RLike { .. }
            | E::MemberOf(_)
            | E::Exists { .. }
            | E::InSubquery { .. }
            | E::AnyOp { .. }
            | E::AllOp { .. } => true,
            _ => false,
        }
    }

    /// NOT of an expression.
    fn negated(&mut self, expr: &E) -> Result<String> {
        if let Some(arg) = argument_of_isnull(expr) {
            return Ok(format!("({} is not null)", self.text(arg)?));
        }
        Ok(match expr {
            E::Nested(inner) => self.negated(inner)?,
            E::UnaryOp { op: Un::Not | Un::BangNot, expr } => self.condition(expr)?,
            E::BinaryOp { left, op: Bin::And, right } => self.junction([left, right], &Bin::And, true)?,
            E::BinaryOp { left, op, right } if self.is_or(op) => self.junction([left, right], op, true)?,
            E::BinaryOp { left, op: Bin::Xor, right } => {
                format!("({} xor {})", self.negated(left)?, self.condition(right)?)
            }
            E::BinaryOp { left, op, right } if opposite(op).is_some() => {
                self.binary(left, &opposite(op).expect("it was looked at"), right)?
            }
            E::IsNull(inner) => self.text(&E::IsNotNull(inner.clone()))?,
            E::IsNotNull(inner) => self.text(&E::IsNull(inner.clone()))?,
            E::IsTrue(inner) => self.text(&E::IsNotTrue(inner.clone()))?,
            E::IsNotTrue(inner) => self.text(&E::IsTrue(inner.clone()))?,
            E::IsFalse(inner) => self.text(&E::IsNotFalse(inner.clone()))?,
            E::IsNotFalse(inner) => self.text(&E::IsFalse(inner.clone()))?,
            E::Like { negated: true, any, expr, pattern, escape_char } => {
                let (any, expr, pattern) = (*any, expr.clone(), pattern.clone());
                self.text(&E::Like { negated: false, any, expr, pattern, escape_char: escape_char.clone() })?
            }
            E::Between { expr, negated, low, high } => {
                let (expr, low, high) = (expr.clone(), low.clone(), high.clone());
                self.text(&E::Between { expr, negated: !negated, low, high })?
            }
            E::InList { expr, list, negated } => self.in_list(expr, list, !negated)?,
            other if self.is_condition(other) => negate_if(true, self.text(other)?),
            other => format!("(0 = {})", self.text(other)?),
        })
    }

    fn is_or(&self, op: &Bin) -> bool {
        *op == Bin::Or || *op == Bin::StringConcat && !self.pipes_concat
    }

    fn binary(&mut self, left: &E, op: &Bin, right: &E) -> Result<String> {
        if let (E::Tuple(left), E::Tuple(right), Bin::Eq | Bin::NotEq) = (left, right, op)
            && left.len() == right.len()
        {
            let pairs = left.iter().zip(right).map(|(left, right)| self.binary(left, op, right));
            let pairs: Vec<String> = pairs.collect::<Result<_>>()?;
            return Ok(format!("({})", pairs.join(if *op == Bin::Eq { " and " } else { " or " })));
        }
        if *op == Bin::And || self.is_or(op) {
            return self.junction([left, right], op, false);
        }
        if let (E::Interval(_), Bin::Plus) = (left, op) {
            return self.binary(right, op, left);
        }
        let word = match op {
            Bin::Xor => return Ok(format!("({} xor {})", self.condition(left)?, self.condition(right)?)),
            Bin::StringConcat => return self.call("concat", [left, right]),
            Bin::Regexp => return self.call("regexp_like", [left, right]),
            Bin::Arrow => return self.call("json_extract", [left, right]),
            Bin::LongArrow => {
                return Ok(format!("json_unquote({})", self.call("json_extract", [left, right])?));
            }
            Bin::Assignment => return Err(self.subject.variables()),
            op => match comparison(op).or_else(|| arithmetic(op)) {
                Some(word) => word,
                None => return Err(unsupported(&format!("the operator {op}"))),
            },
        };
        let (left, right) = match (left, right) {
            (E::Tuple(_), E::Tuple(_)) => (self.row_or_value(left)?, self.row_or_value(right)?),
            _ => (self.text(left)?, self.text(right)?),
        };
        Ok(format!("({left} {word} {right})"))
    }

    /// AND or OR of all that stands side by side, or NOT of it.
    fn junction(&mut self, sides: [&E; 2], op: &Bin, negated: bool) -> Result<String> {
        let is_and = *op == Bin::And;
        let mut parts = Vec::new();
        for side in sides {
            self.part(side, is_and, negated, &mut parts)?;
        }
        Ok(format!("({})", parts.join(if is_and == negated { " or " } else { " and " })))
    }

    fn part(&mut self, expr: &E, is_and: bool, negated: bool, parts: &mut Vec<String>) -> Result<()> {
        match expr {
            E::Nested(inner) => return self.part(inner, is_and, negated, parts),
            E::BinaryOp { left, op, right } if if is_and { *op == Bin::And } else { self.is_or(op) } => {
                self.part(left, is_and, negated, parts)?;
                return self.part(right, is_and, negated, parts);
            }
            other if negated => parts.push(self.negated(other)?),
            other => parts.push(self.condition(other)?),
        }
        Ok(())
    }

    fn in_list(&mut self, expr: &E, list: &[E], negated: bool) -> Result<String> {
        if let ([one], false) = (list, matches!(expr, E::Tuple(_))) {
            return self.binary(expr, if negated { &Bin::NotEq } else { &Bin::Eq }, one);
        }
        let expr = self.row_or_value(expr)?;
        let list: Vec<String> = list.iter().map(|item| self.row_or_value(item)).collect::<Result<_>>()?;
        Ok(format!("({expr}{} in ({}))", not_if(negated), list.join(",")))
    }

    fn row_or_value(&mut self, expr: &E) -> Result<String> {
        match expr {
            E::Tuple(items) => Ok(format!("({})", self.list(items)?)),
            other => self.text(other),
        }
    }

    fn list<'e>(&mut self, items: impl IntoIterator<Item = &'e E>) -> Result<String> {
        let items: Vec<String> = items.into_iter().map(|item| self.text(item)).collect::<Result<_>>()?;
        Ok(items.join(","))
    }

    fn call<'e>(&mut self, name: &str, args: impl IntoIterator<Item = &'e E>) -> Result<String> {
        Ok(format!("{name}({})", self.list(args)?))
    }

    fn case(
        &mut self,
        operand: Option<&E>,
        branches: &[ast::CaseWhen],
        otherwise: Option<&E>,
    ) -> Result<String> {
        let mut text = "(case".to_owned();
        if let Some(operand) = operand {
            text = format!("{text} {}", self.text(operand)?);
        }
        for branch in branches {
            let when = self.text(&branch.condition)?;
            text = format!("{text} when {when} then {}", self.text(&branch.result)?);
        }
        if let Some(otherwise) = otherwise {
            text = format!("{text} else {}", self.text(otherwise)?);
        }
        Ok(text + " end)")
    }
}

fn argument_of_isnull(expr: &E) -> Option<&E> {
    let E::Function(ast::Function { name, args: ast::FunctionArguments::List(list), .. }) = expr else {
        return None;
    };
    match &list.args[..] {
        [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(arg))] => {
            name.to_string().eq_ignore_ascii_case("isnull").then_some(arg)
        }
        _ => None,
    }
}

fn not_if(negated: bool) -> &'static str {
    if negated { " not" } else { "" }
}

fn negate_if(negated: bool, text: String) -> String {
    if negated { format!("(not({text}))") } else { text }
}

fn comparison(op: &Bin) -> Option<&'static str> {
    Some(match op {
        Bin::Eq => "=",
        Bin::Spaceship => "<=>",
        Bin::NotEq => "<>",
        Bin::Lt => "<",
        Bin::LtEq => "<=",
        Bin::Gt => ">",
        Bin::GtEq => ">=",
        _ => return None,
    })
}

/// The comparison that is true where this one is false.
fn opposite(op: &Bin) -> Option<Bin> {
    Some(match op {
        Bin::Eq => Bin::NotEq,
        Bin::NotEq => Bin::Eq,
        Bin::Lt => Bin::GtEq,
        Bin::GtEq => Bin::Lt,
        Bin::Gt => Bin::LtEq,
        Bin::LtEq => Bin::Gt,
        _ => return None,
    })
}

fn arithmetic(op: &Bin) -> Option<&'static str> {
    Some(match op {
        Bin::Plus => "+",
        Bin::Minus => "-",
        Bin::Multiply => "*",
        Bin::Divide => "/",
        Bin::MyIntegerDivide => "DIV",
        Bin::Modulo => "%",
        Bin::BitwiseAnd => "&",
        Bin::BitwiseOr => "|",
        Bin::BitwiseXor => "^",
        Bin::PGBitwiseShiftLeft => "<<",
        Bin::PGBitwiseShiftRight => ">>",
        _ => return None,
    })
}
