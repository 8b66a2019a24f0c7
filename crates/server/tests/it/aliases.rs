//! Purpose: a variable with two names is one variable.
//!
//! Requirements: R1. whatever sets it by either name (an option, a line of a file, SET GLOBAL, SET SESSION, SET .. =
//! DEFAULT) sets what both show, what new sessions begin with and what the server goes by; R2. errors name what was
//! written.
//!
//! Method: all aliases of the table, set by either name.

use std::path::Path;

use server::options::Options;
use server::variables::{
    Access, Assigned, Extent, Home, Initial, Kind, Restricted, SessionVariables, Target, Values, Variable,
    Variables, Who, find, table,
};
use sql::session::{Scope, Session};
use types::value::Value;
use types::warning::Warnings;
use vfs::sim::SimDisk;
use vfs::{Open, Vfs};

use crate::world;

const MAY: Who = Who { may_set_global: true, may_set: Restricted::ToAdmins, in_transaction: false };

/// The names of each variable that has two, either one first.
fn pairs() -> Vec<(&'static str, &'static str)> {
    let aliases = table().iter().filter_map(|row| match row.home {
        Home::Alias(of) => Some([(row.name, of), (of, row.name)]),
        _ => None,
    });
    aliases.flatten().collect()
}

fn row(name: &str) -> &'static Variable {
    table().iter().find(|row| row.name == name).unwrap()
}

/// A value that the variable does not begin with; none if it has only that.
fn another(name: &str) -> Option<String> {
    let row = row(name);
    let text = match (row.kind, row.initial) {
        _ if row.is_only => return None,
        // Shown as it is, not as it was asked for.
        (Kind::Text { .. }, _) if row.is_inert => return None,
        (Kind::Toggle, Initial::Bool(on)) => if on { "OFF" } else { "ON" }.to_owned(),
        (Kind::UInt { min, step, .. }, _) => (min + step).to_string(),
        (Kind::Choice(names), Initial::Text(initial)) => {
            (*names.iter().find(|name| **name != initial).unwrap()).to_owned()
        }
        (Kind::Text { .. }, _) => "1062".to_owned(),
        _ => panic!("no other value of {name}"),
    };
    assert_ne!(text, row.kind.show(&row.initial_value()), "{name}");
    Some(text)
}

/// Both names' values.
fn shown(
    variables: &Variables,
    session: &(Session, SessionVariables),
    scope: Scope,
    pair: (&str, &str),
) -> [String; 2] {
    let sight = variables.sight(&session.0, &session.1);
    [pair.0, pair.1].map(|name| sight.show(scope).find(|(found, _)| *found == name).unwrap().1)
}

fn set(
    variables: &Variables,
    (sql, own): &mut (Session, SessionVariables),
    target: Target,
    name: &str,
    assigned: &Assigned,
) {
    let mut warnings = Warnings::default();
    let prepared = variables.sight(sql, own).prepare(target, name, assigned, MAY, &mut warnings).unwrap();
    variables.apply(prepared, sql, own);
}

fn value(name: &str, text: &str) -> Assigned {
    Assigned::Value(match row(name).kind {
        Kind::UInt { .. } => Value::UInt(text.parse().unwrap()),
        _ => Value::text(text),
    })
}

/// The options of a command line, and of a file with the same line.
fn told(line: &str) -> [Variables; 2] {
    let vfs = SimDisk::new();
    let file = vfs.open(Path::new("/my.cnf"), Open::Create).unwrap();
    file.write_at(format!("[mysqld]\n{line}\n").as_bytes(), 0).unwrap();
    [format!("--{line}"), "--defaults-file=/my.cnf".to_owned()]
        .map(|argument| Variables::new(Options::read(&vfs, &[argument]).unwrap().values))
}

#[test]
fn an_option_by_either_name_is_what_both_show_and_the_server_goes_by() {
    let mut tried = 0;
    for pair in pairs() {
        let Some(text) = another(pair.0).filter(|_| row(pair.0).is_option) else { continue };
        for variables in told(&format!("{}={text}", pair.0)) {
            let session = world::session(&variables);
            for scope in [Scope::Global, Scope::Session] {
                assert_eq!(shown(&variables, &session, scope, pair), [&*text; 2], "{pair:?} {scope:?}");
            }
            let (place, named) = find(pair.0).unwrap();
            if let Home::Pipeline(field) = table()[place].home {
                let begun = (field.get)(&variables.settings());
                assert_eq!(named.kind.show(&begun), text, "{pair:?} in the pipeline");
            }
            tried += 1;
        }
    }
    assert!(tried > 80, "{tried}");
}

#[test]
fn the_later_of_two_options_wins_whatever_its_name() {
    let arguments = ["--transaction-isolation=SERIALIZABLE", "--tx-isolation=READ-COMMITTED"];
    for (arguments, expected) in
        [([arguments[0], arguments[1]], "READ-COMMITTED"), ([arguments[1], arguments[0]], "SERIALIZABLE")]
    {
        let options = Options::read(&SimDisk::new(), &arguments.map(str::to_owned)).unwrap();
        let variables = Variables::new(options.values);
        let session = world::session(&variables);
        let pair = ("transaction_isolation", "tx_isolation");
        assert_eq!(shown(&variables, &session, Scope::Session, pair), [expected; 2]);
    }
}

#[test]
fn set_by_either_name_sets_what_both_show_and_new_sessions_begin_with() {
    let mut tried = 0;
    for pair in pairs() {
        let (name, extent) = (pair.0, row(pair.0).extent);
        let Some(text) = another(name).filter(|_| row(name).access != Access::Fixed) else { continue };
        let initial = row(name).kind.show(&row(name).initial_value());
        let variables = Variables::new(Values::default());
        let mut old = world::session(&variables);
        if extent != Extent::Session {
            set(&variables, &mut old, Target::Global, name, &value(name, &text));
            let new = world::session(&variables);
            assert_eq!(shown(&variables, &new, Scope::Global, pair), [&*text; 2], "{pair:?}");
            assert_eq!(shown(&variables, &new, Scope::Session, pair), [&*text; 2], "{pair:?}");
            if extent == Extent::Both {
                assert_eq!(shown(&variables, &old, Scope::Session, pair), [&*initial; 2], "{pair:?}");
                set(&variables, &mut old, Target::Session, name, &Assigned::Default);
                assert_eq!(shown(&variables, &old, Scope::Session, pair), [&*text; 2], "{pair:?}");
            }
            // What one name has set, the other one's default undoes.
            set(&variables, &mut old, Target::Global, pair.1, &Assigned::Default);
            assert_eq!(shown(&variables, &old, Scope::Global, pair), [&*initial; 2], "{pair:?}");
        }
        if extent != Extent::Global {
            let mut new = world::session(&variables);
            assert_eq!(shown(&variables, &new, Scope::Session, pair), [&*initial; 2], "{pair:?}");
            set(&variables, &mut new, Target::Session, name, &value(name, &text));
            assert_eq!(shown(&variables, &new, Scope::Session, pair), [&*text; 2], "{pair:?}");
            set(&variables, &mut new, Target::Session, pair.1, &Assigned::Default);
            assert_eq!(shown(&variables, &new, Scope::Session, pair), [&*initial; 2], "{pair:?}");
        }
        tried += 1;
    }
    assert!(tried > 40, "{tried}");
}

#[test]
fn errors_name_what_was_written() {
    let variables = Variables::new(Values::default());
    let (sql, own) = world::session(&variables);
    let sight = variables.sight(&sql, &own);
    let one = Assigned::Value(Value::Int(1));
    let error = sight.prepare(Target::Session, "SLAVE_NET_TIMEOUT", &one, MAY, &mut Warnings::default());
    let message = error.unwrap_err().message;
    assert_eq!(
        message,
        "Variable 'slave_net_timeout' is a GLOBAL variable and should be set with SET GLOBAL"
    );
}
