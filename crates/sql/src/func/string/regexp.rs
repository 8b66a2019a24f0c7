//! Regular expressions: REGEXP_LIKE, REGEXP_INSTR, REGEXP_SUBSTR, REGEXP_REPLACE.
//!
//! MySQL uses ICU's; ours are those of the crate `regex`, which match in linear time whatever the pattern is. The
//! syntax in common use is the same; what needs backtracking (back-references, looking around) is error 3690.
//! Compiled patterns are kept for the thread, [`KEPT_MAX`] of them: a pattern is nearly always a constant.

use std::borrow::Cow;
use std::cell::RefCell;

use regex::{Captures, Regex, RegexBuilder};
use types::charset::Charset;
use types::collation::Collation;
use types::context::Context;
use types::error::SqlError;
use types::error::table::ER_WRONG_ARGUMENTS;

use super::length::count;
use crate::expr::{Ev, Expr, Inputs, ResultType, in_charset};
use crate::func::args::{self, Text, common_collation, or_null, string};
use crate::func::error::{
    ER_CHARACTER_SET_MISMATCH, ER_REGEXP_BAD_INTERVAL, ER_REGEXP_BUFFER_OVERFLOW, ER_REGEXP_ILLEGAL_ARGUMENT,
    ER_REGEXP_INDEX_OUTOFBOUNDS_ERROR, ER_REGEXP_INVALID_RANGE, ER_REGEXP_MISMATCHED_PAREN,
    ER_REGEXP_MISSING_CLOSE_BRACKET, ER_REGEXP_PATTERN_TOO_BIG, ER_REGEXP_RULE_SYNTAX,
    ER_REGEXP_UNIMPLEMENTED,
};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("regexp_like", (2, 3), like, |call| Ok(call.int(1))).condition(),
    Function::new("regexp_instr", (2, 6), instr, |call| Ok(call.int(21))),
    Function::new("regexp_substr", (2, 5), substr, type_substr),
    Function::new("regexp_replace", (3, 6), replace, type_replace),
];

/// How many compiled patterns a thread keeps.
const KEPT_MAX: usize = 16;
/// The most bytes that a compiled pattern takes.
const COMPILED_SIZE_MAX: usize = 8 << 20;

/// The match types of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Flags {
    ignore_case: bool,
    multi_line: bool,
    dot_matches_newline: bool,
}

/// A text to be searched and the pattern.
struct Search<'a> {
    text: String,
    collation: Collation,
    regex: Regex,
    kept: Text<'a>,
}

impl<'a> Search<'a> {
    /// Text and pattern are the first two arguments; the match type stands at `flags_at`. None for NULL.
    fn new(
        args: &'a [Expr],
        flags_at: usize,
        name: &str,
        inputs: &Inputs<'a>,
        context: &mut Context<'_>,
    ) -> Result<Option<Self>, SqlError> {
        let text = args::text(&args[0], inputs, context)?;
        let pattern = args::text(&args[1], inputs, context)?;
        let (Some(mut text), Some(mut pattern)) = (text, pattern) else { return Ok(None) };
        refuse_binary(&text, &pattern, name)?;
        let both = &mut [&mut text, &mut pattern];
        let collation = common_collation(&[&args[0], &args[1]], both, name, inputs)?;
        let mut flags = Flags {
            ignore_case: !collation.is_case_sensitive(),
            multi_line: false,
            dot_matches_newline: false,
        };
        if let Some(types) = args.get(flags_at) {
            let Some(types) = args::text(types, inputs, context)? else { return Ok(None) };
            flags = flags.with(&types.bytes, name)?;
        }
        let regex = compiled(&unicode(&pattern), flags)?;
        Ok(Some(Self { text: unicode(&text).into_owned(), collation, regex, kept: text }))
    }

    /// The byte at which searching begins: that of the character at `position`, from 1.
    fn start(&self, position: i64) -> Result<usize, SqlError> {
        let skipped = usize::try_from(position).ok().and_then(|position| position.checked_sub(1));
        let skipped = skipped.filter(|skipped| *skipped <= self.text.chars().count());
        let skipped = skipped.ok_or_else(|| ER_REGEXP_INDEX_OUTOFBOUNDS_ERROR.error(&[]))?;
        Ok(self.text.char_indices().nth(skipped).map_or(self.text.len(), |(at, _)| at))
    }

    /// The occurrence-th match behind `start`.
    fn nth(&self, start: usize, occurrence: i64) -> Option<(usize, usize)> {
        let wanted = usize::try_from(occurrence.max(1)).unwrap_or(usize::MAX) - 1;
        let mut at = start;
        for count in 0..=wanted {
            let found = self.regex.find_at(&self.text, at)?;
            if count == wanted {
                return Some((found.start(), found.end()));
            }
            at = if found.is_empty() { next_char(&self.text, found.end())? } else { found.end() };
        }
        None
    }

    /// All matches behind `start`, with their groups, as ICU finds them: an empty one may be right behind another.
    fn captures_from(&self, start: usize) -> impl Iterator<Item = Captures<'_>> {
        let mut next = Some(start);
        std::iter::from_fn(move || {
            let captures = self.regex.captures_at(&self.text, next?)?;
            let whole = captures.get(0)?;
            next = if whole.is_empty() { next_char(&self.text, whole.end()) } else { Some(whole.end()) };
            Some(captures)
        })
    }

    /// A part of the text in its own character set.
    fn value<'r>(&self, text: &str) -> Ev<'r> {
        let charset = match self.collation.charset() {
            Charset::Binary => Charset::Utf8mb4,
            charset => charset,
        };
        let bytes = in_charset(text.as_bytes(), Charset::Utf8mb4, charset).into_owned();
        Ev::Own(string(bytes, self.collation))
    }
}

fn next_char(text: &str, at: usize) -> Option<usize> {
    text[at..].chars().next().map(|char| at + char.len_utf8())
}

impl Flags {
    /// Error 1210 for a letter that is none of `cimnu`.
    fn with(mut self, letters: &[u8], name: &str) -> Result<Self, SqlError> {
        for letter in letters {
            match letter {
                b'c' => self.ignore_case = false,
                b'i' => self.ignore_case = true,
                b'm' => self.multi_line = true,
                b'n' => self.dot_matches_newline = true,
                b'u' => {}
                _ => return Err(ER_WRONG_ARGUMENTS.error(&[&name])),
            }
        }
        Ok(self)
    }
}

/// The text in UTF-8, which is what patterns are matched in.
fn unicode<'t>(text: &'t Text<'_>) -> Cow<'t, str> {
    match in_charset(&text.bytes, text.charset(), Charset::Utf8mb4) {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// The pattern compiled, or found among those of the thread.
fn compiled(pattern: &str, flags: Flags) -> Result<Regex, SqlError> {
    type Kept = Vec<(String, Flags, Regex)>;
    thread_local! {
        static KEPT: RefCell<Kept> = const { RefCell::new(Vec::new()) };
    }
    if pattern.is_empty() {
        return Err(ER_REGEXP_ILLEGAL_ARGUMENT.error(&[]));
    }
    KEPT.with_borrow_mut(|kept| {
        if let Some(at) = kept.iter().position(|(text, own, _)| *own == flags && text == pattern) {
            return Ok(kept[at].2.clone());
        }
        let mut builder = RegexBuilder::new(pattern);
        builder.case_insensitive(flags.ignore_case).multi_line(flags.multi_line);
        builder.dot_matches_new_line(flags.dot_matches_newline).size_limit(COMPILED_SIZE_MAX);
        let regex = builder.build().map_err(|error| refused(&error))?;
        if kept.len() == KEPT_MAX {
            kept.remove(0);
        }
        kept.push((pattern.to_owned(), flags, regex.clone()));
        Ok(regex)
    })
}

/// The error that a pattern gets, by what the crate says of it.
fn refused(error: &regex::Error) -> SqlError {
    let regex::Error::Syntax(text) = error else { return ER_REGEXP_PATTERN_TOO_BIG.error(&[]) };
    let has = |words: &str| text.contains(words);
    if has("unclosed character class") {
        ER_REGEXP_MISSING_CLOSE_BRACKET.error(&[])
    } else if has("unclosed group") || has("unopened group") {
        ER_REGEXP_MISMATCHED_PAREN.error(&[])
    } else if has("backreferences") || has("look-around") {
        ER_REGEXP_UNIMPLEMENTED.error(&[])
    } else if has("invalid character class range") {
        ER_REGEXP_INVALID_RANGE.error(&[])
    } else if has("repetition quantifier") || has("counted repetition") {
        ER_REGEXP_BAD_INTERVAL.error(&[])
    } else {
        ER_REGEXP_RULE_SYNTAX.error(&[&1, &1])
    }
}

/// Error 3995 for binary strings together with text.
fn refuse_binary(text: &Text<'_>, pattern: &Text<'_>, name: &str) -> Result<(), SqlError> {
    let is_binary = |text: &Text<'_>| text.collation == Collation::Binary;
    if is_binary(text) == is_binary(pattern) {
        return Ok(());
    }
    let other = if is_binary(text) { pattern } else { text };
    Err(ER_CHARACTER_SET_MISMATCH.error(&[&other.collation.name(), &"binary", &name]))
}

/// An optional integer argument; None for NULL.
fn optional(
    args: &[Expr],
    at: usize,
    default: i64,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<i64>, SqlError> {
    match args.get(at) {
        None => Ok(Some(default)),
        Some(arg) => Ok(args::int(arg, inputs, context)?.map(args::Int::to_i64)),
    }
}

fn like<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let search = or_null!(Search::new(args, 2, "regexp_like", inputs, context)?);
    Ok(Some(search.regex.is_match(&search.text)).into())
}

fn instr<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let search = or_null!(Search::new(args, 5, "regexp_instr", inputs, context)?);
    let position = or_null!(optional(args, 2, 1, inputs, context)?);
    let occurrence = or_null!(optional(args, 3, 1, inputs, context)?);
    let behind = match or_null!(optional(args, 4, 0, inputs, context)?) {
        0 => false,
        1 => true,
        _ => return Err(ER_WRONG_ARGUMENTS.error(&[&"regexp_instr: return_option must be 1 or 0."])),
    };
    let found = search.nth(search.start(position)?, occurrence);
    let place = |(from, to)| search.text[..if behind { to } else { from }].chars().count() + 1;
    Ok(count(found.map_or(0, place)))
}

fn substr<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let search = or_null!(Search::new(args, 4, "regexp_substr", inputs, context)?);
    let position = or_null!(optional(args, 2, 1, inputs, context)?);
    let occurrence = or_null!(optional(args, 3, 1, inputs, context)?);
    let (from, to) = or_null!(search.nth(search.start(position)?, occurrence));
    Ok(search.value(&search.text[from..to]))
}

/// Replaces one occurrence, all if its number is 0.
fn replace<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let search = Search::new(args, 5, "regexp_replace", inputs, context)?;
    let replacement = args::text(&args[2], inputs, context)?;
    let (search, replacement) = (or_null!(search), or_null!(replacement));
    let position = or_null!(optional(args, 3, 1, inputs, context)?);
    let occurrence = or_null!(optional(args, 4, 0, inputs, context)?);
    let replacement = unicode(&replacement);
    let start = search.start(position)?;
    let mut out = search.text[..start].to_owned();
    let mut behind = start;
    for (at, captures) in search.captures_from(start).enumerate() {
        let wanted = occurrence <= 0 || i64::try_from(at).is_ok_and(|at| at + 1 == occurrence);
        let Some(whole) = captures.get(0).filter(|_| wanted) else { continue };
        out.push_str(&search.text[behind..whole.start()]);
        expand(&replacement, &captures, context.result_size_max, &mut out)?;
        behind = whole.end();
    }
    if behind == start && out.len() == start {
        return Ok(search.kept.into_ev());
    }
    out.push_str(&search.text[behind..]);
    Ok(search.value(&out))
}

/// `$1` stands for a group, a backslash takes the meaning from the next character. Error 3686 for a group that the
/// pattern does not have, 3684 for a result that is too large.
fn expand(
    replacement: &str,
    captures: &Captures<'_>,
    size_max: usize,
    out: &mut String,
) -> Result<(), SqlError> {
    let mut chars = replacement.chars().peekable();
    while let Some(char) = chars.next() {
        if out.len() > size_max {
            return Err(ER_REGEXP_BUFFER_OVERFLOW.error(&[]));
        }
        match char {
            '\\' => out.extend(chars.next()),
            '$' => {
                let mut group = None;
                while let Some(digit) = chars.peek().and_then(|char| char.to_digit(10)) {
                    let longer = group.unwrap_or(0) * 10 + usize::try_from(digit).unwrap_or(0);
                    if group.is_some() && longer >= captures.len() {
                        break;
                    }
                    group = Some(longer);
                    chars.next();
                }
                let group = group.filter(|group| *group < captures.len());
                let group = group.ok_or_else(|| ER_REGEXP_INDEX_OUTOFBOUNDS_ERROR.error(&[]))?;
                out.push_str(captures.get(group).map_or("", |found| found.as_str()));
            }
            char => out.push(char),
        }
    }
    Ok(())
}

fn type_substr(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let text = call.collation(&call.args[..2])?;
    Ok(ResultType::string(call.chars_in(0, text), text).or_null())
}

fn type_replace(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(ResultType::grown_string(u32::MAX, call.collation(&call.args[..3])?).or_null())
}
