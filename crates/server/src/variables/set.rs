//! SET: first everything of a statement is examined, then all of it is done.

use sql::session::{Scope, Session};
use types::error::SqlError;
use types::error::table::{
    ER_GLOBAL_VARIABLE, ER_INCORRECT_GLOBAL_LOCAL_VAR, ER_LOCAL_VARIABLE, ER_NO_DEFAULT,
    ER_NOT_SUPPORTED_YET, ER_SPECIFIC_ACCESS_DENIED_ERROR, ER_TRUNCATED_WRONG_VALUE, ER_VARIABLE_IS_READONLY,
    ER_WRONG_VALUE_FOR_VAR,
};
use types::sql_mode::SqlMode;
use types::value::Value;
use types::warning::{Level, Warnings};

use super::convert::convert;
use super::home::Home;
use super::read::{Sight, find};
use super::session::SessionVariables;
use super::value::Val;
use super::variable::{Access, Extent, Restricted, Variable};
use super::{Variables, rules};

/// What stands before a variable's name in SET.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Nothing, SESSION, LOCAL, `@@session.`, `@@local.`
    Session,
    /// `@@` alone: for a transaction's characteristics, the next transaction's; else as `Session`.
    Bare,
    /// GLOBAL, `@@global.`
    Global,
    /// PERSIST, PERSIST_ONLY and their `@@` forms.
    Persist,
}

/// What stands behind it.
#[derive(Clone, Debug)]
pub enum Assigned {
    /// DEFAULT
    Default,
    /// An expression's value; a bare word (`ON`, `utf8mb4`) is text.
    Value(Value),
}

/// What the session may do, and where it is.
#[derive(Clone, Copy, Debug)]
pub struct Who {
    /// SUPER or SYSTEM_VARIABLES_ADMIN: may set global values.
    pub may_set_global: bool,
    /// The most restricted variables that he may set for his session.
    pub may_set: Restricted,
    /// A transaction is open.
    pub in_transaction: bool,
}

/// One assignment that was examined.
#[derive(Debug)]
#[must_use = "nothing is set until it is applied"]
pub struct Prepared {
    place: usize,
    target: Target,
    val: Val,
}

impl Prepared {
    /// Whether the server's value is set, not the session's.
    pub fn is_global(&self) -> bool {
        self.target == Target::Global
    }

    /// Whether the session's value is set, not the next transaction's alone.
    pub(crate) fn is_of_session(&self) -> bool {
        self.target == Target::Session
    }

    /// The value.
    pub(crate) fn val(&self) -> &Val {
        &self.val
    }
}

impl Sight<'_> {
    /// Examines `SET target name = assigned`. Nothing is changed.
    ///
    /// # Errors
    /// MySQL's: 1193, 1227, 1228, 1229, 1230, 1231, 1232, 1235 (PERSIST), 1238, 1621, and those of single variables.
    pub fn prepare(
        &self,
        target: Target,
        name: &str,
        assigned: &Assigned,
        who: Who,
        warnings: &mut Warnings,
    ) -> Result<Prepared, SqlError> {
        // Errors name what was written, rules know the variable that it means.
        let (place, variable) = find(name)?;
        let meant = &super::table()[place];
        let is_once = rules::is_characteristic(meant.name);
        let target = if target == Target::Bare && !is_once { Target::Session } else { target };
        permit(variable, target, who)?;
        let val = match assigned {
            Assigned::Default => self.default_of(place, variable, target)?,
            Assigned::Value(value) => self.converted((place, variable), target, value, warnings)?,
        };
        if variable.is_only && val != variable.initial_value() {
            return Err(ER_WRONG_VALUE_FOR_VAR.error(&[&variable.name, &variable.kind.show(&val)]));
        }
        let val = match variable.check {
            Some(check) => check(&val)?,
            None => val,
        };
        rules::rule(self, meant, target, &val, who)?;
        Ok(Prepared { place, target, val })
    }

    fn converted(
        &self,
        (place, variable): (usize, &Variable),
        target: Target,
        value: &Value,
        warnings: &mut Warnings,
    ) -> Result<Val, SqlError> {
        let scope = if target == Target::Global { Scope::Global } else { Scope::Session };
        let converted = convert(variable, &self.val(place, scope), value)?;
        if converted.is_truncated {
            let shown = value.as_ref().to_message();
            let mode = self.session.map_or(SqlMode::EMPTY, |(sql, _)| sql.sql_mode);
            if mode.contains(SqlMode::STRICT_ALL_TABLES) {
                return Err(ER_WRONG_VALUE_FOR_VAR.error(&[&variable.name, &shown]));
            }
            warnings.push(Level::Warning, &ER_TRUNCATED_WRONG_VALUE, &[&variable.name, &shown]);
        }
        Ok(converted.val)
    }

    /// The compiled-in value for a global one, the global one for a session's.
    fn default_of(&self, place: usize, variable: &Variable, target: Target) -> Result<Val, SqlError> {
        match (target, variable.extent) {
            (Target::Global, _) | (_, Extent::Global | Extent::Session) => {
                if matches!(variable.name, "gtid_next" | "gtid_purged" | "insert_id")
                    && target == Target::Global
                {
                    return Err(ER_NO_DEFAULT.error(&[&variable.name]));
                }
                Ok(rules::default_log_file(self, variable).unwrap_or_else(|| variable.initial_value()))
            }
            _ => Ok(self.variables.global(place)),
        }
    }
}

/// Whether the variable may be set there, and by whom.
fn permit(variable: &Variable, target: Target, who: Who) -> Result<(), SqlError> {
    let name = variable.name;
    if variable.access == Access::Fixed {
        return Err(ER_INCORRECT_GLOBAL_LOCAL_VAR.error(&[&name, &"read only"]));
    }
    match (target, variable.extent) {
        (Target::Persist, _) => {
            return Err(ER_NOT_SUPPORTED_YET.error(&[&"SET PERSIST"]));
        }
        (Target::Global, Extent::Session) => return Err(ER_LOCAL_VARIABLE.error(&[&name])),
        (Target::Session | Target::Bare, Extent::Global) => return Err(ER_GLOBAL_VARIABLE.error(&[&name])),
        _ => {}
    }
    if target == Target::Global {
        if !who.may_set_global {
            return Err(ER_SPECIFIC_ACCESS_DENIED_ERROR.error(&[&"SUPER or SYSTEM_VARIABLES_ADMIN"]));
        }
    } else {
        if variable.access == Access::FixedInSession {
            return Err(ER_VARIABLE_IS_READONLY.error(&[&"SESSION", &name, &"GLOBAL"]));
        }
        if variable.restricted > who.may_set {
            let names = match variable.restricted {
                Restricted::ToAppliers => {
                    "SUPER, SYSTEM_VARIABLES_ADMIN, SESSION_VARIABLES_ADMIN or REPLICATION_APPLIER"
                }
                _ => "SUPER, SYSTEM_VARIABLES_ADMIN or SESSION_VARIABLES_ADMIN",
            };
            return Err(ER_SPECIFIC_ACCESS_DENIED_ERROR.error(&[&names]));
        }
    }
    Ok(())
}

impl Variables {
    /// Does what was examined.
    pub fn apply(&self, prepared: Prepared, sql: &mut Session, own: &mut SessionVariables) {
        let Prepared { place, target, val } = prepared;
        let variable = &super::table()[place];
        if target == Target::Global {
            self.set_global(place, &val);
            return;
        }
        if target == Target::Bare && rules::set_once(variable.name, &val, own) {
            return;
        }
        match variable.home {
            Home::Sql(field) => (field.set)(sql, &val),
            Home::Own(field) => (field.set)(own, &val),
            Home::Seen(seen) => (seen.set)(sql, own, &val),
            Home::Kept => own.change(place, val),
            // Their rule has seen to it that there is nothing to change.
            Home::Shown(_) => {}
            Home::Live(_) | Home::Pipeline(_) | Home::Alias(_) => {
                unreachable!("{} has no session value", variable.name)
            }
        }
    }
}
