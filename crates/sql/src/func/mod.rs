//! The functions of SQL. Each is one entry of a table: its name, how many arguments it takes, what it computes and what
//! type that has; the entries stand in the files of their families.
//!
//! How the binder passes what is no ordinary argument:
//!
//! | SQL | call |
//! | --- | --- |
//! | `DATE_ADD(d, INTERVAL n unit)`, `d + INTERVAL n unit` | `date_add(d, Interval(n, unit))` |
//! | `ADDDATE(d, n)`, `SUBDATE(d, n)` | `adddate(d, n)`, `subdate(d, n)`: days |
//! | `TIMESTAMPADD(unit, n, d)` | `timestampadd(Interval(n, unit), d)` |
//! | `TIMESTAMPDIFF(unit, a, b)` | `timestampdiff(Interval(a, unit), b)` |
//! | `EXTRACT(unit FROM d)` | `extract(Interval(d, unit))` |
//! | `TRIM(LEADING x FROM s)` and so on | `trim leading(s, x)`, `trim trailing(s, x)`, `trim(s, x)` |
//! | `POSITION(a IN b)` | `locate(a, b)` |
//! | `CHAR(n, .. USING set)` | CAST of `char(n, ..)` to CHAR of the set |
//! | `GET_FORMAT(DATE, x)` | `get_format('DATE', x)` |
//! | `a REGEXP b`, `a RLIKE b` | `regexp_like(a, b)` |
//! | `a SOUNDS LIKE b` | `soundex(a) = soundex(b)` |
//! | `a MEMBER OF (b)` | `member of(a, b)` |
//! | `a->b`, `a->>b` | `json_extract(a, b)`, JSON_UNQUOTE of that |
//!
//! What waits: BENCHMARK needs more than a value; JSON_TABLE and schemas; see `elsewhere`.

#![expect(clippy::unnecessary_wraps, reason = "the functions of a table have one signature")]

mod args;
mod control;
mod crypt;
mod elsewhere;
pub(crate) mod error;
mod information;
pub(crate) mod json;
mod misc;
mod numeric;
mod replication;
mod string;
mod temporal;
mod typed;

use std::collections::HashMap;
use std::sync::LazyLock;

use types::context::Context;
use types::error::SqlError;
use types::error::table::ER_WRONG_PARAMCOUNT_TO_NATIVE_FCT;

use crate::expr::{Ev, Expr, Inputs, ResultType, Types};

pub use crypt::BLOCK_ENCRYPTION_MODES;

pub(crate) use args::{Text, convert_text, converted};
pub(crate) use elsewhere::is_known_elsewhere;
pub(crate) use numeric::next_random;
pub(crate) use typed::Typed;

/// What a function gives.
pub type EvalResult<'a> = Result<Ev<'a>, SqlError>;

/// Computes a call. Arguments are evaluated by the function: some need not be.
pub type Eval = for<'a> fn(&'a [Expr], &Inputs<'a>, &mut Context<'_>) -> EvalResult<'a>;

/// Finds the type of a call.
pub(crate) type Typing = fn(&Typed<'_>) -> Result<ResultType, SqlError>;

/// Any number of arguments.
pub const MANY: usize = usize::MAX;

/// Which calls of a function count: the others give equal results for equal arguments within a statement, and nothing else
/// happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counts {
    /// None.
    Never,
    /// Those that have arguments.
    WithArguments,
    /// Each; but a subquery is asked once all the same, as in MySQL.
    OutsideSubqueries,
    /// Each.
    Always,
}

/// An entry of the table.
#[derive(Debug)]
pub struct Function {
    /// Its name, in lower case.
    pub name: &'static str,
    /// How few arguments it takes, and how many.
    pub args: (usize, usize),
    /// Which calls count.
    counts: Counts,
    /// From here on arguments come in pairs.
    pairs_from: Option<usize>,
    /// The result is a condition's: in JSON it is `true` or `false`.
    pub is_condition: bool,
    /// What it computes.
    pub eval: Eval,
    /// What type that has.
    typing: Typing,
}

impl Function {
    /// A function of so many arguments.
    const fn new(name: &'static str, args: (usize, usize), eval: Eval, typing: Typing) -> Self {
        Self { name, args, counts: Counts::Never, pairs_from: None, is_condition: false, eval, typing }
    }

    /// The same, but each call counts.
    const fn unstable(self) -> Self {
        Self { counts: Counts::Always, ..self }
    }

    /// The same, but each call counts outside of subqueries.
    const fn unstable_outside_subqueries(self) -> Self {
        Self { counts: Counts::OutsideSubqueries, ..self }
    }

    /// The same, but each call with arguments counts.
    const fn unstable_with_arguments(self) -> Self {
        Self { counts: Counts::WithArguments, ..self }
    }

    /// Whether a call with these arguments gives the same whenever it is made within a statement, and nothing else happens.
    pub(crate) fn is_stable(&self, args: &[Expr]) -> bool {
        match self.counts {
            Counts::Never => true,
            Counts::WithArguments => args.is_empty(),
            Counts::OutsideSubqueries | Counts::Always => false,
        }
    }

    /// Whether a subquery with such a call has to be asked each time.
    pub(crate) fn is_cacheable(&self, args: &[Expr]) -> bool {
        self.counts == Counts::OutsideSubqueries || self.is_stable(args)
    }

    /// The same with arguments in pairs from one on.
    const fn pairs_from(self, at: usize) -> Self {
        Self { pairs_from: Some(at), ..self }
    }

    /// The same as a condition.
    const fn condition(self) -> Self {
        Self { is_condition: true, ..self }
    }

    /// A call. Error 1582 for too few or too many arguments; `written` is the name as it stands in the statement.
    pub fn call(&'static self, written: &str, args: Vec<Expr>) -> Result<Expr, SqlError> {
        let (least, most) = self.args;
        let is_paired = self.pairs_from.is_none_or(|from| args.len().wrapping_sub(from).is_multiple_of(2));
        if (least..=most).contains(&args.len()) && is_paired {
            Ok(Expr::Call(self, args))
        } else {
            Err(ER_WRONG_PARAMCOUNT_TO_NATIVE_FCT.error(&[&written]))
        }
    }

    /// The type of a call.
    pub fn result_type(&self, args: &[Expr], types: &Types<'_>) -> Result<ResultType, SqlError> {
        let found = args.iter().map(|arg| arg.result_type(types));
        let found = found.collect::<Result<smallvec::SmallVec<[ResultType; 4]>, SqlError>>()?;
        (self.typing)(&Typed { name: self.name, exprs: args, args: &found, types })
    }
}

/// The function of that name, in any case.
pub fn find(name: &str) -> Option<&'static Function> {
    static BY_NAME: LazyLock<HashMap<&'static str, &'static Function>> =
        LazyLock::new(|| all().map(|function| (function.name, function)).collect());
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return BY_NAME.get(&*name.to_ascii_lowercase()).copied();
    }
    BY_NAME.get(name).copied()
}

/// Every function.
pub fn all() -> impl Iterator<Item = &'static Function> {
    const FAMILIES: &[&[&[Function]]] = &[
        &[control::FUNCTIONS, information::FUNCTIONS, replication::FUNCTIONS],
        crypt::FAMILY,
        json::FAMILY,
        misc::FAMILY,
        numeric::FAMILY,
        string::FAMILY,
        temporal::FAMILY,
    ];
    FAMILIES.iter().flat_map(|family| family.iter()).flat_map(|functions| functions.iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_once_and_in_lower_case() {
        let mut names: Vec<_> = all().map(|function| function.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(names.iter().all(|name| !name.bytes().any(|byte| byte.is_ascii_uppercase())));
        assert!(std::ptr::eq(find("CONCAT").unwrap(), find("concat").unwrap()));
        assert!(find("no_such_function").is_none());
    }

    #[test]
    fn a_wrong_count_of_arguments_is_error_1582() {
        let error = find("abs").unwrap().call("Abs", Vec::new()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "ERROR 1582 (42000): Incorrect parameter count in the call to native function 'Abs'"
        );
    }
}
