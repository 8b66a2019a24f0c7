//! The command line: `--name`, `--name=value`, `--name value`, `-Pvalue`, `-P value`.

use super::OptionsError;
use super::given::{Given, normal};
use super::special::{self, Argument, LETTERS};
use crate::variables::{self, Kind};

/// Reads the arguments behind the program's name.
pub(super) fn read(arguments: &[String]) -> Result<Vec<Given>, OptionsError> {
    let mut given = Vec::new();
    let mut arguments = arguments.iter().peekable();
    while let Some(argument) = arguments.next() {
        let option = if let Some(long) = argument.strip_prefix("--").filter(|long| !long.is_empty()) {
            Given::new(long)
        } else if let Some(short) = argument.strip_prefix('-').filter(|short| !short.is_empty()) {
            letter(short)?
        } else {
            return Err(OptionsError::Wrong(format!("Too many arguments (first extra is '{argument}')")));
        };
        let wants_value = option.value.is_none() && requires_value(&option.name);
        // mysqld, too, takes the next argument whatever it looks like.
        match arguments.next_if(|_| wants_value) {
            Some(value) => given.push(option.with_value(value.clone())),
            None => given.push(option),
        }
    }
    Ok(given)
}

/// One letter, and its value if that follows at once.
fn letter(text: &str) -> Result<Given, OptionsError> {
    let mut rest = text.chars();
    let letter = rest.next().expect("it is not empty");
    let Some((_, name)) = LETTERS.iter().find(|(known, _)| *known == letter) else {
        return Err(OptionsError::Wrong(format!("unknown option '-{letter}'")));
    };
    let value = rest.as_str();
    let option = Given::new(name);
    Ok(if value.is_empty() { option } else { option.with_value(value.to_owned()) })
}

/// Whether the next argument is this option's value.
fn requires_value(name: &str) -> bool {
    let name = normal(name.strip_prefix("loose_").unwrap_or(name));
    if let Some(special) = special::find(&name) {
        return special.argument == Argument::Required;
    }
    variables::find(&name).is_ok_and(|(_, variable)| {
        let has_on = matches!(variable.kind, Kind::Choice(names) if names.contains(&"ON"));
        variable.is_option && variable.kind != Kind::Toggle && !has_on
    })
}
