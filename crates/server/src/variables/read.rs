//! Reading variables: `@@x`, SHOW VARIABLES.

use commit::Pipeline;
use sql::session::{Scope, Session};
use types::error::SqlError;
use types::error::table::{ER_INCORRECT_GLOBAL_LOCAL_VAR, ER_UNKNOWN_SYSTEM_VARIABLE};
use types::value::Value;

use super::home::Home;
use super::session::SessionVariables;
use super::value::Val;
use super::variable::{Extent, Variable};
use super::{Variables, place_of, row_of, table};

/// From where a variable is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Sight<'a> {
    /// The server's variables.
    pub variables: &'a Variables,
    /// The commit pipeline, once it runs.
    pub pipeline: Option<&'a Pipeline>,
    /// The session, if it is one that looks.
    pub session: Option<(&'a Session, &'a SessionVariables)>,
}

impl Variables {
    /// From where a session looks.
    pub fn sight<'a>(&'a self, sql: &'a Session, own: &'a SessionVariables) -> Sight<'a> {
        Sight { variables: self, pipeline: self.pipeline(), session: Some((sql, own)) }
    }

    /// `gtid_mode`, by its place among its names.
    pub(crate) fn gtid_mode(&self) -> u8 {
        self.server_sight().val_of("gtid_mode").choice()
    }

    /// From where the server looks.
    pub fn server_sight(&self) -> Sight<'_> {
        Sight { variables: self, pipeline: self.pipeline(), session: None }
    }
}

/// The row of a name in any case, and the place of the variable that it means. Error 1193 if there is none.
pub fn find(name: &str) -> Result<(usize, &'static Variable), SqlError> {
    row_of(&name.to_ascii_lowercase()).ok_or_else(|| ER_UNKNOWN_SYSTEM_VARIABLE.error(&[&name]))
}

impl Sight<'_> {
    /// `@@name`, where `scope` is what stands before the name, if anything does. Errors 1193 and 1238.
    pub fn read(&self, scope: Option<Scope>, name: &str) -> Result<Value, SqlError> {
        let (place, variable) = find(name)?;
        let scope = match (scope, variable.extent) {
            (Some(Scope::Global), Extent::Session) => {
                return Err(ER_INCORRECT_GLOBAL_LOCAL_VAR.error(&[&variable.name, &"SESSION"]));
            }
            (Some(Scope::Session), Extent::Global) => {
                return Err(ER_INCORRECT_GLOBAL_LOCAL_VAR.error(&[&variable.name, &"GLOBAL"]));
            }
            (Some(scope), _) => scope,
            (None, Extent::Global) => Scope::Global,
            (None, _) => Scope::Session,
        };
        Ok(variable.kind.value(&self.val(place, scope)))
    }

    /// A variable as SHOW VARIABLES shows it. Error 1193 if there is none of this name.
    pub fn shown(&self, name: &str) -> Result<String, SqlError> {
        let (place, variable) = find(name)?;
        Ok(variable.kind.show(&self.val(place, Scope::Session)))
    }

    /// The rows of SHOW VARIABLES, by name: those that have a value of this scope.
    pub fn show(&self, scope: Scope) -> impl Iterator<Item = (&'static str, String)> {
        self.show_those(scope, |_| true)
    }

    /// Those of them whose name is `wanted`.
    pub fn show_those(
        &self,
        scope: Scope,
        wanted: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = (&'static str, String)> {
        let has_value = move |row: &Variable| scope == Scope::Session || row.extent != Extent::Session;
        let shown = table().iter().filter(move |row| has_value(row) && wanted(row.name));
        shown.map(move |variable| {
            let place = place_of(variable.name).expect("it is in the table");
            (variable.name, variable.kind.show(&self.val(place, scope)))
        })
    }

    /// The global value of a name.
    pub(super) fn val_of(&self, name: &str) -> Val {
        self.val(place_of(name).expect("a variable of this name"), Scope::Global)
    }

    /// The value at this place. A global variable has the same one in either scope.
    pub(super) fn val(&self, place: usize, scope: Scope) -> Val {
        let variable = &table()[place];
        let of_session = scope == Scope::Session && variable.extent != Extent::Global;
        match (variable.home, self.session) {
            (Home::Shown(show), _) => show(self),
            (Home::Live(field), _) => (field.get)(&self.variables.live),
            (Home::Pipeline(field), _) => match self.pipeline {
                Some(pipeline) => (field.get)(&pipeline.settings),
                None => self.variables.global(place),
            },
            (Home::Sql(field), Some((sql, _))) if of_session => (field.get)(sql),
            (Home::Own(field), Some((_, own))) if of_session => (field.get)(own),
            (Home::Seen(seen), Some((sql, own))) if of_session => (seen.get)(sql, own),
            (Home::Kept, Some((_, own))) if of_session => own.value(place).clone(),
            _ => self.variables.global(place),
        }
    }
}
