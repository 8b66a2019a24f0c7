//! `--help` and `--version`, made from the tables.

use std::fmt::Write as _;

use super::special::{Argument, SPECIAL};
use crate::variables::{Home, Kind, Val, Variable, table};

const WIDTH: usize = 40;

/// What `--version` prints.
pub fn version_line(program: &str) -> String {
    let version = initial("version");
    let os = initial("version_compile_os");
    let machine = initial("version_compile_machine");
    let comment = initial("version_comment");
    format!("{program}  Ver {version} for {os} on {machine} ({comment})")
}

/// What `--help` prints: every option with its default.
pub fn help(program: &str) -> String {
    let mut out = version_line(program);
    out.push_str("\n\nUsage: onelog [OPTIONS]\n\n");
    out.push_str("Options may also stand in the groups [mysqld], [server] and [onelog] of the file that\n");
    out.push_str("--defaults-file names. '-' and '_' are alike; --skip-x means OFF, --loose-x that x may be unknown.\n\n");
    for special in SPECIAL.iter().filter(|special| !special.help.is_empty()) {
        let form = match special.argument {
            Argument::None => String::new(),
            Argument::Optional => "[=name]".to_owned(),
            Argument::Required => "=name".to_owned(),
        };
        line(&mut out, special.name, &form, special.help);
    }
    for variable in table().iter().filter(|variable| variable.is_option) {
        let inert = match (variable.is_inert, variable.is_only) {
            (true, _) => " Has no effect.",
            (false, true) => " This server has only the default.",
            (false, false) => "",
        };
        let help = match variable.home {
            Home::Alias(of) => format!("Another name of {of}."),
            _ => format!("{}{inert}", variable.help),
        };
        line(&mut out, variable.name, form(variable), &help);
    }
    let (name, rule) = ("Variables", "-".repeat(WIDTH));
    // Writing into a String cannot fail.
    let _ = write!(out, "\n{name:<WIDTH$} Value\n{rule} {}\n", "-".repeat(29));
    for variable in table().iter().filter(|variable| variable.is_option) {
        let name = variable.name.replace('_', "-");
        let value = shown_default(variable, &variable.initial_value());
        let _ = writeln!(out, "{name:<WIDTH$} {value}");
    }
    out
}

fn initial(name: &str) -> String {
    let variable = table().iter().find(|variable| variable.name == name).expect("a variable of this name");
    variable.kind.show(&variable.initial_value())
}

fn line(out: &mut String, name: &str, form: &str, help: &str) {
    let option = format!("  --{}{form}", name.replace('_', "-"));
    // Writing into a String cannot fail.
    let _ = if option.len() < WIDTH {
        writeln!(out, "{option:<WIDTH$} {help}")
    } else {
        writeln!(out, "{option}\n{:<WIDTH$} {help}", "")
    };
}

fn form(variable: &Variable) -> &'static str {
    match variable.kind {
        Kind::Toggle => "",
        Kind::UInt { .. } | Kind::Double { .. } => "=#",
        _ => "=name",
    }
}

fn shown_default(variable: &Variable, val: &Val) -> String {
    match variable.kind.show(val) {
        text if text.is_empty() => "(No default value)".to_owned(),
        text => text,
    }
}
