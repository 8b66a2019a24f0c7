//! Calls, casts and intervals as MySQL keeps and prints them.

use sqlparser::ast::{self, BinaryOperator as Bin, Expr as E};
use types::error::table::ER_INVALID_GROUP_FUNC_USE;

use super::Printer;
use crate::bind::set_name;
use crate::ddl::Result;
use crate::func;
use crate::parse::unsupported;
use crate::plan::AggregateKind;
use crate::plan::over::error::INVALID_FUNC_USE;

/// What no definition may depend on, by what MySQL calls it in its errors.
const DISALLOWED: [(&str, &str); 15] = [
    ("benchmark", "benchmark"),
    ("found_rows", "found_rows"),
    ("get_lock", "get_lock"),
    ("is_free_lock", "is_free_lock"),
    ("is_used_lock", "is_used_lock"),
    ("last_insert_id", "last_insert_id"),
    ("load_file", "load_file"),
    ("master_pos_wait", "master_pos_wait"),
    ("release_all_locks", "release_all_locks"),
    ("release_lock", "release_lock"),
    ("row_count", "row_count"),
    ("sleep", "sleep"),
    ("source_pos_wait", "source_pos_wait"),
    ("values", "values"),
    ("version", "version()"),
];

/// What depends on more than a row, which only defaults may, and the name that is printed.
const VARYING: [(&str, &str); 25] = [
    ("connection_id", "connection_id"),
    ("curdate", "curdate"),
    ("current_date", "curdate"),
    ("current_role", "current_role"),
    ("current_time", "curtime"),
    ("current_timestamp", "now"),
    ("current_user", "current_user"),
    ("curtime", "curtime"),
    ("database", "database"),
    ("localtime", "now"),
    ("localtimestamp", "now"),
    ("now", "now"),
    ("rand", "rand"),
    ("random_bytes", "random_bytes"),
    ("schema", "database"),
    ("session_user", "user"),
    ("sysdate", "sysdate"),
    ("system_user", "user"),
    ("unix_timestamp", "unix_timestamp"),
    ("user", "user"),
    ("utc_date", "utc_date"),
    ("utc_time", "utc_time"),
    ("utc_timestamp", "utc_timestamp"),
    ("uuid", "uuid"),
    ("uuid_short", "uuid_short"),
];

/// Those of them that may have another value on a replica.
const UNSAFE: [&str; 7] = ["current_user", "rand", "random_bytes", "sysdate", "user", "uuid", "uuid_short"];

/// Functions of several names: the one that is printed.
const SYNONYMS: [(&str, &str); 11] = [
    ("ceil", "ceiling"),
    ("atan2", "atan"),
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

impl Printer<'_> {
    /// What has a syntax of its own but is a function or a cast.
    pub(super) fn special(&mut self, expr: &E) -> Result<String> {
        Ok(match expr {
            E::Function(function) => return self.function(function),
            E::MemberOf(member) => {
                format!("{} member of ({})", self.text(&member.value)?, self.text(&member.array)?)
            }
            E::Cast { expr, data_type, .. } | E::Convert { expr, data_type: Some(data_type), .. } => {
                self.cast(expr, data_type, None)?
            }
            E::Convert { expr, charset: Some(charset), .. } => {
                let charset = set_name(charset).to_ascii_lowercase();
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

    /// The printed name of a function that depends on more than a row; `None` for others. Errors 3763, 3770, 3814 if it
    /// cannot stand here.
    pub(super) fn varying(&mut self, name: &str) -> Result<Option<&'static str>> {
        let find = |list: &'static [(&'static str, &'static str)]| {
            list.iter().find(|(known, _)| *known == name).map(|(_, shown)| *shown)
        };
        let shown = find(&VARYING);
        if let Some(refused) = find(&DISALLOWED).or(shown.filter(|shown| !self.subject.may_vary_by(shown))) {
            return Err(self.subject.named_function(refused));
        }
        self.is_unsafe |= shown.is_some_and(|shown| UNSAFE.contains(&shown));
        Ok(shown)
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
            return Err(INVALID_FUNC_USE.error(&[&written.to_ascii_lowercase()]));
        }
        if AggregateKind::by_name(name).is_some() {
            return Err(ER_INVALID_GROUP_FUNC_USE.error(&[]));
        }
        let name = self.varying(name)?.unwrap_or(name);
        if func::find(name).is_none() && func::find(&written).is_none() {
            let known = func::is_known_elsewhere(name) || name == "default";
            return Err(if known {
                unsupported(&format!("the function {}", name.to_ascii_uppercase()))
            } else {
                self.subject.named_function(&format!("`{written}`"))
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
            // No digits of fraction are not said.
            ("now" | "curtime" | "sysdate" | "utc_time" | "utc_timestamp", [E::Value(digits)])
                if digits.to_string() == "0" =>
            {
                format!("{name}()")
            }
            ("isnull", [arg]) => format!("({} is null)", self.text(arg)?),
            ("name_const", _) => {
                return Err(self.subject.function());
            }
            ("json_length", [json, path]) => {
                format!("json_length({})", self.call("json_extract", [*json, *path])?)
            }
            ("mod", [left, right]) => self.binary(left, &Bin::Modulo, right)?,
            ("time", [moment]) => format!("cast({} as time)", self.text(moment)?),
            ("timestamp", [moment]) => format!("cast({} as datetime)", self.text(moment)?),
            ("datediff", [first, second]) => {
                format!("(to_days({}) - to_days({}))", self.text(first)?, self.text(second)?)
            }
            ("week" | "yearweek", [date]) => format!("{name}({},0)", self.text(date)?),
            ("weekofyear", [date]) => format!("week({},3)", self.text(date)?),
            ("bin", [number]) => format!("conv({},10,2)", self.text(number)?),
            ("oct", [number]) => format!("conv({},10,8)", self.text(number)?),
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
            ("timestampadd", [unit, count, moment]) => {
                let unit = word(unit).to_ascii_lowercase();
                format!("({} + interval {} {unit})", self.text(moment)?, self.text(count)?)
            }
            ("timestampdiff", [unit, from, to]) => {
                format!("timestampdiff({},{})", word(unit), self.list([*from, *to])?)
            }
            ("get_format", [kind, style]) => format!("get_format({}, {})", word(kind), self.text(style)?),
            (name, args) => self.call(name, args.iter().copied())?,
        })
    }
}

/// A unit or type where other functions have an argument.
fn word(word: &E) -> String {
    word.to_string().to_ascii_uppercase().trim_start_matches("SQL_TSI_").to_owned()
}
