//! Expressions of definitions, as MySQL keeps and prints them: operators in parentheses, names and words in one writing,
//! texts with their character sets, conditions in the form that says the same without NOT where there is one.

use sqlparser::ast::{self, BinaryOperator as Bin, Expr as E, UnaryOperator as Un};
use types::error::SqlError;
use types::error::table::{
    ER_CHECK_CONSTRAINT_FUNCTION_IS_NOT_ALLOWED, ER_CHECK_CONSTRAINT_NAMED_FUNCTION_IS_NOT_ALLOWED,
    ER_CHECK_CONSTRAINT_ROW_VALUE, ER_CHECK_CONSTRAINT_VARIABLES, ER_INVALID_GROUP_FUNC_USE,
    ER_NON_BOOLEAN_EXPR_FOR_CHECK_CONSTRAINT,
};
use types::sql_mode::SqlMode;

use super::{Quoting, Result};
use crate::func;
use crate::parse::unsupported;
use crate::plan::AggregateKind;

/// An expression as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Printed {
    /// Its text.
    pub(super) text: String,
    /// The columns that it names, as it names them, each as often as it does.
    pub(super) columns: Vec<String>,
}

/// The condition of the check of this name. Errors 3812, 3814 to 3817 and 1111 for what cannot stand there, 1235.
pub(super) fn check(expression: &E, name: &str, sql_mode: SqlMode) -> Result<Printed> {
    let pipes_concat = sql_mode.contains(SqlMode::PIPES_AS_CONCAT);
    let mut printer = Printer { check: name, pipes_concat, columns: Vec::new() };
    let no_condition = || ER_NON_BOOLEAN_EXPR_FOR_CHECK_CONSTRAINT.error(&[&name]);
    if matches!(expression, E::Tuple(_)) {
        return Err(no_condition());
    }
    let text = printer.text(expression)?;
    if !printer.is_condition(expression) {
        return Err(no_condition());
    }
    Ok(Printed { text, columns: printer.columns })
}

/// What depends on more than a row, by what MySQL calls it in its errors.
const DISALLOWED: [(&str, &str); 41] = [
    ("benchmark", "benchmark"),
    ("connection_id", "connection_id"),
    ("curdate", "curdate"),
    ("current_date", "curdate"),
    ("current_role", "current_role"),
    ("current_time", "curtime"),
    ("current_timestamp", "now"),
    ("current_user", "current_user"),
    ("curtime", "curtime"),
    ("database", "database"),
    ("found_rows", "found_rows"),
    ("get_lock", "get_lock"),
    ("gtid_subset", "gtid_subset"),
    ("gtid_subtract", "gtid_subtract"),
    ("is_free_lock", "is_free_lock"),
    ("is_used_lock", "is_used_lock"),
    ("last_insert_id", "last_insert_id"),
    ("load_file", "load_file"),
    ("localtime", "now"),
    ("localtimestamp", "now"),
    ("master_pos_wait", "master_pos_wait"),
    ("now", "now"),
    ("rand", "rand"),
    ("random_bytes", "random_bytes"),
    ("release_all_locks", "release_all_locks"),
    ("release_lock", "release_lock"),
    ("row_count", "row_count"),
    ("schema", "database"),
    ("session_user", "user"),
    ("sleep", "sleep"),
    ("source_pos_wait", "source_pos_wait"),
    ("system_user", "user"),
    ("unix_timestamp", "unix_timestamp"),
    ("user", "user"),
    ("utc_date", "utc_date"),
    ("utc_time", "utc_time"),
    ("utc_timestamp", "utc_timestamp"),
    ("uuid", "uuid"),
    ("uuid_short", "uuid_short"),
    ("values", "values"),
    ("version", "version()"),
];

/// Functions of several names: the one that is printed.
const SYNONYMS: [(&str, &str); 10] = [
    ("ceil", "ceiling"),
    ("character_length", "char_length"),
    ("day", "dayofmonth"),
    ("lcase", "lower"),
    ("mid", "substr"),
    ("octet_length", "length"),
    ("power", "pow"),
    ("sha1", "sha"),
    ("substring", "substr"),
    ("ucase", "upper"),
];

struct Printer<'p> {
    check: &'p str,
    /// `||` is CONCAT.
    pipes_concat: bool,
    columns: Vec<String>,
}

impl Printer<'_> {
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
                format!("({} collate {})", self.text(expr)?, collation.to_string().to_ascii_lowercase())
            }
            E::Tuple(items) => match &items[..] {
                [one] => self.text(one)?,
                _ => return Err(ER_CHECK_CONSTRAINT_ROW_VALUE.error(&[&self.check])),
            },
            E::Subquery(_) | E::Exists { .. } | E::InSubquery { .. } | E::AllOp { .. } | E::AnyOp { .. } => {
                return Err(ER_CHECK_CONSTRAINT_FUNCTION_IS_NOT_ALLOWED.error(&[&self.check]));
            }
            other => return self.special(other),
        })
    }

    /// What has a syntax of its own but is a function or a cast.
    fn special(&mut self, expr: &E) -> Result<String> {
        Ok(match expr {
            E::Function(function) => return self.function(function),
            E::MemberOf(member) => {
                format!("{} member of ({})", self.text(&member.value)?, self.text(&member.array)?)
            }
            E::Cast { expr, data_type, .. } | E::Convert { expr, data_type: Some(data_type), .. } => {
                self.cast(expr, data_type, None)?
            }
            E::Convert { expr, charset: Some(charset), .. } => {
                let charset = charset.to_string().to_ascii_lowercase();
                match &**expr {
                    E::Cast { expr, data_type: data_type @ ast::DataType::Char(_), .. } => {
                        self.cast(expr, data_type, Some(&charset))?
                    }
                    other => format!("convert({} using {charset})", self.text(other)?),
                }
            }
            E::Interval(interval) => self.interval(interval)?,
            E::Extract { field, expr, .. } => {
                format!("extract({} from {})", field.to_string().to_ascii_lowercase(), self.text(expr)?)
            }
            E::Ceil { expr, .. } => self.call("ceiling", [&**expr])?,
            E::Floor { expr, .. } => self.call("floor", [&**expr])?,
            E::Position { expr, r#in } => self.call("locate", [&**expr, &**r#in])?,
            E::Substring { expr, substring_from, substring_for, .. } => {
                let rest = substring_from.as_deref().into_iter().chain(substring_for.as_deref());
                self.call("substr", std::iter::once(&**expr).chain(rest))?
            }
            E::Trim { expr, trim_where, trim_what, .. } => {
                let side = trim_where.map(|side| format!("{} ", side.to_string().to_ascii_lowercase()));
                let what = trim_what.as_ref().map(|what| self.text(what)).transpose()?;
                let from = if side.is_some() || what.is_some() { " from " } else { "" };
                let [side, what] = [side, what].map(Option::unwrap_or_default);
                format!("trim({}{from}{})", (side + &what).trim_end(), self.text(expr)?)
            }
            other => return Err(unsupported(&other.to_string())),
        })
    }

    fn name(&mut self, name: &ast::Ident) -> Result<String> {
        if name.quote_style.is_none() {
            if name.value.starts_with('@') {
                return Err(ER_CHECK_CONSTRAINT_VARIABLES.error(&[&self.check]));
            }
            self.refuse_function(&name.value.to_ascii_lowercase())?;
        }
        Ok(self.column(&name.value))
    }

    fn path(&mut self, path: &[ast::Ident]) -> Result<String> {
        match path {
            [first, ..] if first.quote_style.is_none() && first.value.starts_with('@') => {
                Err(ER_CHECK_CONSTRAINT_VARIABLES.error(&[&self.check]))
            }
            [.., column] => Ok(self.column(&column.value)),
            [] => unreachable!("a path has parts"),
        }
    }

    fn column(&mut self, name: &str) -> String {
        self.columns.push(name.to_owned());
        Quoting::default().name(name)
    }

    /// Error 3814.
    fn refuse_function(&self, name: &str) -> Result<()> {
        match DISALLOWED.iter().find(|(disallowed, _)| *disallowed == name) {
            Some((_, shown)) => Err(self.disallowed(shown)),
            None => Ok(()),
        }
    }

    fn disallowed(&self, name: &str) -> SqlError {
        ER_CHECK_CONSTRAINT_NAMED_FUNCTION_IS_NOT_ALLOWED.error(&[&self.check, &name])
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
            | E::MemberOf(_) => true,
            _ => false,
        }
    }

    /// NOT of an expression.
    fn negated(&mut self, expr: &E) -> Result<String> {
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
        let word = match op {
            Bin::Xor => return Ok(format!("({} xor {})", self.condition(left)?, self.condition(right)?)),
            Bin::StringConcat => return self.call("concat", [left, right]),
            Bin::Regexp => return self.call("regexp_like", [left, right]),
            Bin::Arrow => return self.call("json_extract", [left, right]),
            Bin::LongArrow => {
                return Ok(format!("json_unquote({})", self.call("json_extract", [left, right])?));
            }
            Bin::Assignment => return Err(ER_CHECK_CONSTRAINT_VARIABLES.error(&[&self.check])),
            op => match comparison(op).or_else(|| arithmetic(op)) {
                Some(word) => word,
                None => return Err(unsupported(&format!("the operator {op}"))),
            },
        };
        Ok(format!("({} {word} {})", self.text(left)?, self.text(right)?))
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

    fn cast(&mut self, expr: &E, ty: &ast::DataType, charset: Option<&str>) -> Result<String> {
        use ast::DataType as T;
        let expr = self.text(expr)?;
        let sized = |size: Option<String>| size.map(|size| format!("({size})")).unwrap_or_default();
        let digits = |digits: &Option<u64>| sized(digits.filter(|digits| *digits > 0).map(|n| n.to_string()));
        let ty = match ty {
            T::Signed | T::SignedInteger => "signed".to_owned(),
            T::Unsigned | T::UnsignedInteger => "unsigned".to_owned(),
            T::Char(size) | T::Character(size) => {
                let size = sized(size.as_ref().map(ToString::to_string));
                format!("char{size} charset {}", charset.unwrap_or("utf8mb4"))
            }
            T::Binary(size) => {
                format!("char{} charset binary", sized(size.as_ref().map(ToString::to_string)))
            }
            T::Decimal(info) | T::Dec(info) | T::Numeric(info) => match info {
                ast::ExactNumberInfo::None => "decimal(10,0)".to_owned(),
                ast::ExactNumberInfo::Precision(digits) => format!("decimal({digits},0)"),
                ast::ExactNumberInfo::PrecisionAndScale(digits, scale) => {
                    format!("decimal({digits},{scale})")
                }
            },
            T::Date => "date".to_owned(),
            T::Time(fsp, _) => format!("time{}", digits(fsp)),
            T::Datetime(fsp) => format!("datetime{}", digits(fsp)),
            T::JSON => "json".to_owned(),
            T::Double(_) | T::DoublePrecision => "double".to_owned(),
            T::Float(_) => "float".to_owned(),
            other => return Err(unsupported(&format!("CAST AS {other}"))),
        };
        Ok(format!("cast({expr} as {ty})"))
    }

    fn interval(&mut self, interval: &ast::Interval) -> Result<String> {
        let Some(unit) = &interval.leading_field else { return Err(unsupported("INTERVAL without a unit")) };
        Ok(format!("interval {} {}", self.text(&interval.value)?, unit.to_string().to_ascii_lowercase()))
    }

    fn function(&mut self, function: &ast::Function) -> Result<String> {
        let written = function.name.to_string().replace('`', "");
        let name = written.to_ascii_lowercase();
        let name = SYNONYMS.iter().find(|(other, _)| *other == name).map_or(&*name, |(_, name)| name);
        if function.over.is_some() {
            return Err(unsupported("window functions"));
        }
        if AggregateKind::by_name(name).is_some() {
            return Err(ER_INVALID_GROUP_FUNC_USE.error(&[]));
        }
        self.refuse_function(name)?;
        if func::find(name).is_none() && func::find(&written).is_none() {
            let known = func::is_known_elsewhere(name) || name == "default";
            return Err(if known {
                unsupported(&format!("the function {}", name.to_ascii_uppercase()))
            } else {
                self.disallowed(&format!("`{written}`"))
            });
        }
        let args = match &function.args {
            ast::FunctionArguments::List(list) if list.clauses.is_empty() => &list.args[..],
            ast::FunctionArguments::None => &[],
            other => return Err(unsupported(&format!("{written}({other})"))),
        };
        let args = args.iter().map(|arg| match arg {
            ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) => Ok(expr),
            other => Err(unsupported(&format!("the argument {other}"))),
        });
        let args: Vec<&E> = args.collect::<Result<_>>()?;
        self.named(name, &args)
    }

    /// Calls that are printed as something else.
    fn named(&mut self, name: &str, args: &[&E]) -> Result<String> {
        Ok(match (name, args) {
            ("isnull", [arg]) => format!("({} is null)", self.text(arg)?),
            ("mod", [left, right]) => self.binary(left, &Bin::Modulo, right)?,
            ("instr", [text, wanted]) => self.call("locate", [*wanted, *text])?,
            ("round", [number]) => format!("round({},0)", self.text(number)?),
            ("date", [moment]) => format!("cast({} as date)", self.text(moment)?),
            ("date_add" | "adddate" | "date_sub" | "subdate", [moment, E::Interval(interval)]) => {
                let sign = if name.ends_with("sub") || name.starts_with("sub") { "-" } else { "+" };
                format!("({} {sign} {})", self.text(moment)?, self.interval(interval)?)
            }
            ("adddate" | "subdate", [moment, days]) => {
                let sign = if name == "adddate" { "+" } else { "-" };
                format!("({} {sign} interval {} day)", self.text(moment)?, self.text(days)?)
            }
            ("timestampdiff" | "timestampadd" | "get_format", [word, rest @ ..]) => {
                let word = word.to_string().to_ascii_uppercase();
                format!(
                    "{name}({},{})",
                    word.trim_start_matches("SQL_TSI_"),
                    self.list(rest.iter().copied())?
                )
            }
            (name, args) => self.call(name, args.iter().copied())?,
        })
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

fn literal(value: &ast::Value) -> Result<String> {
    Ok(match value {
        ast::Value::Null => "NULL".to_owned(),
        ast::Value::Boolean(value) => value.to_string(),
        ast::Value::Number(digits, _) if digits.starts_with('.') => format!("0{digits}"),
        ast::Value::Number(digits, _) => digits.clone(),
        ast::Value::NationalStringLiteral(text) => format!("_utf8mb3{}", quoted(text)),
        ast::Value::HexStringLiteral(digits) => format!("0x{digits}"),
        text => format!("_utf8mb4{}", plain_text(text)?),
    })
}

/// A text in quotes.
fn plain_text(value: &ast::Value) -> Result<String> {
    match value {
        ast::Value::SingleQuotedString(text) | ast::Value::DoubleQuotedString(text) => Ok(quoted(text)),
        ast::Value::HexStringLiteral(digits) => Ok(format!("0x{digits}")),
        other => Err(unsupported(&format!("the literal {other}"))),
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\0' => out.push_str("\\0"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\x1a' => out.push_str("\\Z"),
            other => out.push(other),
        }
    }
    out.push('\'');
    out
}
