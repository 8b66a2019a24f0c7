//! Option files, in the syntax of `my.cnf`.
//!
//! ```text
//! # comment            ; comment
//! [group]
//! name                 name = value       name = "quoted \"value\""       name = value # comment
//! !include file        !includedir directory (its *.cnf, by name)
//! ```
//! Of the groups, `mysqld`, `server` and `onelog` are read; others belong to other programs. Escapes of values:
//! `\b \t \n \r \\ \s` (a blank), `\"`, `\'`; a backslash before anything else stays.

use std::io;
use std::path::{Path, PathBuf};

use vfs::{Open, Vfs};

use super::OptionsError;
use super::given::{Given, normal};

/// Groups whose options are ours.
const GROUPS: [&str; 3] = ["mysqld", "server", "onelog"];

/// Files that include each other end here.
const DEPTH_MAX: u32 = 10;

/// The largest option file, in bytes.
const FILE_SIZE_MAX: u64 = 1 << 20;

/// The files that the command line names.
pub(super) fn sources(command_line: &[Given]) -> Vec<&Path> {
    let names = ["defaults_file", "defaults_extra_file"];
    let named = command_line.iter().filter(|given| names.contains(&&*given.name));
    named.filter_map(|given| given.value.as_deref()).map(Path::new).collect()
}

/// Appends what a file, and those that it includes, say.
pub(super) fn read(vfs: &dyn Vfs, path: &Path, given: &mut Vec<Given>) -> Result<(), OptionsError> {
    read_within(vfs, path, given, DEPTH_MAX)
}

fn read_within(vfs: &dyn Vfs, path: &Path, given: &mut Vec<Given>, depth: u32) -> Result<(), OptionsError> {
    let shown = path.display().to_string();
    if depth == 0 {
        return Err(OptionsError::Wrong(format!("option files include each other too deeply at {shown}")));
    }
    let text = load(vfs, path).map_err(|error| OptionsError::File(shown.clone(), error))?;
    let mut is_ours = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        let wrong =
            |what: &str| OptionsError::Wrong(format!("{what} in option file {shown} at line {number}"));
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(directive) = line.strip_prefix('!') {
            for included in included(vfs, path, directive).ok_or_else(|| wrong("Wrong '!' directive"))? {
                read_within(vfs, &included, given, depth - 1)?;
            }
        } else if let Some(group) = line.strip_prefix('[') {
            let (group, _) = group.split_once(']').ok_or_else(|| wrong("Wrong group definition"))?;
            is_ours = GROUPS.contains(&group.trim());
        } else if is_ours {
            given.push(option(line));
        }
    }
    Ok(())
}

/// The files that a directive names, relative to the file that holds it.
fn included(vfs: &dyn Vfs, from: &Path, directive: &str) -> Option<Vec<PathBuf>> {
    let (verb, target) = directive.split_once(char::is_whitespace)?;
    let target = from.parent()?.join(target.trim());
    match verb {
        "include" => Some(vec![target]),
        "includedir" => {
            let names = vfs.list(&target).ok()?;
            let files =
                names.into_iter().filter(|name| Path::new(name).extension().is_some_and(|end| end == "cnf"));
            Some(files.map(|name| target.join(name)).collect())
        }
        _ => None,
    }
}

/// A line `name` or `name = value`.
fn option(line: &str) -> Given {
    let (name, value) = match line.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (without_comment(line), None),
    };
    let value = value.map(|value| {
        let value = value.trim();
        match value.chars().next() {
            Some(quote @ ('"' | '\'')) => quoted(&value[1..], quote),
            _ => unescape(without_comment(value).trim_end()),
        }
    });
    let name = name.trim().trim_start_matches("--");
    let written = value.as_ref().map_or(name.to_owned(), |value| format!("{name}={value}"));
    Given { written, name: normal(name), value }
}

/// What stands before ` #`.
fn without_comment(text: &str) -> &str {
    let ends = |at: &usize| *at == 0 || text[..*at].ends_with(char::is_whitespace);
    let end = text.match_indices('#').map(|(at, _)| at).find(ends);
    text[..end.unwrap_or(text.len())].trim()
}

/// What stands before the closing quote; everything if there is none.
fn quoted(text: &str, quote: char) -> String {
    let mut escaped = false;
    let end = text.char_indices().find(|&(_, c)| {
        let closes = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        closes
    });
    unescape(&text[..end.map_or(text.len(), |(at, _)| at)])
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match rest.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('s') => out.push(' '),
            Some(same @ ('\\' | '"' | '\'')) => out.push(same),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}

fn load(vfs: &dyn Vfs, path: &Path) -> io::Result<String> {
    let file = vfs.open(path, Open::Read)?;
    let size = file.len()?;
    if size > FILE_SIZE_MAX {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = vec![0; usize::try_from(size).expect("at most a megabyte")];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
