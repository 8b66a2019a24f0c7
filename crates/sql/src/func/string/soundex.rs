//! SOUNDEX: the first letter and the groups of consonants behind it, at least four characters.

use types::context::Context;
use types::error::SqlError;

use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, or_null, string};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[Function::new("soundex", (1, 1), soundex, type_soundex)];

/// The group of each letter from A to Z; 0 for those that are left out.
const GROUPS: &[u8; 26] = b"01230120022455012623010202";
const SIZE_MIN: usize = 4;

fn soundex<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    let charset = text.charset();
    let mut out = Vec::new();
    let mut last = 0;
    let mut rest: &[u8] = &text.bytes;
    while !rest.is_empty() {
        let (code, size) = charset.first_char(rest);
        let (char, tail) = rest.split_at(size);
        rest = tail;
        let letter = u8::try_from(code).ok().filter(u8::is_ascii_alphabetic);
        let is_letter = letter.is_some() || code >= 0x80 && charset.char_size_max() > 1;
        if !is_letter {
            continue;
        }
        let group = letter.map_or(b'0', |letter| GROUPS[usize::from(letter.to_ascii_uppercase() - b'A')]);
        if out.is_empty() {
            out.extend(char.iter().map(u8::to_ascii_uppercase));
            last = group;
        } else if group == b'0' {
            // Vowels stand between letters of one group without parting them.
        } else if group != last {
            out.push(group);
            last = group;
        }
    }
    if !out.is_empty() {
        let missing = SIZE_MIN.saturating_sub(charset.char_count(&out));
        out.extend(std::iter::repeat_n(b'0', missing));
    }
    Ok(Ev::Own(string(out, text.collation)))
}

fn type_soundex(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let text = call.collation(call.args)?;
    Ok(ResultType::string(call.chars_in(0, text).max(4), text).or_null())
}
