//! Which collation several texts have in common.
//!
//! Each text holds its collation with a certain strength: the manual's "Collation Coercibility in Expressions". The
//! stronger one wins; of equal ones, `binary` wins over text, Unicode over other sets if no character can be lost, and
//! a `_bin` collation over another one of the same set. What is left is an error.

use types::charset::Charset;
use types::collation::Collation;
use types::error::SqlError;
use types::error::table::{
    ER_CANT_AGGREGATE_2COLLATIONS, ER_CANT_AGGREGATE_3COLLATIONS, ER_CANT_AGGREGATE_NCOLLATIONS,
};

/// How strongly a collation is held. The order is that of COERCIBILITY(): the smaller, the stronger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// COLLATE.
    Explicit,
    /// Two columns that do not go together.
    None,
    /// A column.
    Implicit,
    /// USER(), VERSION().
    System,
    /// A literal.
    Coercible,
    /// A number.
    Numeric,
    /// NULL.
    Ignorable,
}

impl Strength {
    /// The name in messages.
    fn name(self) -> &'static str {
        match self {
            Self::Explicit => "EXPLICIT",
            Self::None => "NONE",
            Self::Implicit => "IMPLICIT",
            Self::System => "SYSCONST",
            Self::Coercible => "COERCIBLE",
            Self::Numeric => "NUMERIC",
            Self::Ignorable => "IGNORABLE",
        }
    }
}

/// A text's collation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextType {
    /// Which.
    pub collation: Collation,
    /// How strongly it is held.
    pub strength: Strength,
    /// Only ASCII occurs, so that any character set can hold it.
    pub ascii: bool,
}

impl TextType {
    /// A number, before the connection is known.
    pub const NUMERIC: Self = Self { collation: Collation::Binary, strength: Strength::Numeric, ascii: true };
    /// Computed bytes, as weak as a literal.
    pub const BINARY: Self =
        Self { collation: Collation::Binary, strength: Strength::Coercible, ascii: false };

    /// A column's.
    pub fn implicit(collation: Collation) -> Self {
        let ascii = collation.charset() == Charset::Ascii;
        Self { collation, strength: Strength::Implicit, ascii }
    }

    /// A computed text of ASCII characters, as weak as a literal: what functions of numbers give.
    pub fn ascii(collation: Collation) -> Self {
        Self { collation, strength: Strength::Coercible, ascii: true }
    }
}

/// The collation of all; numbers alone give a literal's. `operation` is named in errors 1267, 1270 and 1271.
pub(crate) fn aggregate(
    all: impl Iterator<Item = TextType> + Clone,
    operation: &str,
) -> Result<TextType, SqlError> {
    let mut rest = all.clone();
    let Some(mut common) = rest.next() else { return Ok(TextType::BINARY) };
    for text in rest {
        common = pair(common, text).ok_or_else(|| illegal_mix(all.clone(), operation))?;
    }
    if common.strength == Strength::None {
        return Err(illegal_mix(all, operation));
    }
    Ok(common)
}

/// The collation that two texts are compared by.
fn pair(a: TextType, b: TextType) -> Option<TextType> {
    let ascii = a.ascii && b.ascii;
    let keep = |text: TextType| Some(TextType { ascii, ..text });
    if a.strength == Strength::Ignorable || b.strength == Strength::Ignorable {
        return keep(if a.strength == Strength::Ignorable { b } else { a });
    }
    if a.collation == b.collation {
        return keep(if a.strength <= b.strength { a } else { b });
    }
    let (a_set, b_set) = (a.collation.charset(), b.collation.charset());
    if a_set == b_set {
        return same_set(a, b).and_then(keep);
    }
    if a_set == Charset::Binary || b_set == Charset::Binary {
        return keep(stronger(a, b).unwrap_or(if a_set == Charset::Binary { a } else { b }));
    }
    if holds(a, b) {
        return keep(a);
    }
    if holds(b, a) {
        return keep(b);
    }
    let stronger = stronger(a, b)?;
    let weaker = if stronger == a { b } else { a };
    if weaker.strength >= Strength::System { keep(stronger) } else { None }
}

/// The one that is held more strongly, if one is.
fn stronger(a: TextType, b: TextType) -> Option<TextType> {
    match a.strength.cmp(&b.strength) {
        std::cmp::Ordering::Less => Some(a),
        std::cmp::Ordering::Greater => Some(b),
        std::cmp::Ordering::Equal => None,
    }
}

fn same_set(a: TextType, b: TextType) -> Option<TextType> {
    if let Some(stronger) = stronger(a, b) {
        return Some(stronger);
    }
    if a.strength == Strength::Explicit {
        return None;
    }
    match (a.collation.compares_code_points(), b.collation.compares_code_points()) {
        (true, _) => Some(a),
        (_, true) => Some(b),
        _ => {
            Some(TextType { collation: a.collation.charset().bin_collation(), strength: Strength::None, ..a })
        }
    }
}

/// Whether every character of `weaker` has its place in the other's character set, so that it may be converted.
fn holds(text: TextType, weaker: TextType) -> bool {
    let unicode = |text: TextType| matches!(text.collation.charset(), Charset::Utf8mb3 | Charset::Utf8mb4);
    let all = text.collation.charset() == Charset::Utf8mb4;
    if unicode(text) && (all || !unicode(weaker)) {
        let wins_tie = all || !unicode(weaker);
        if text.strength < weaker.strength || text.strength == weaker.strength && wins_tie {
            return true;
        }
    }
    weaker.ascii && (text.strength < weaker.strength || text.strength == weaker.strength && !text.ascii)
}

fn illegal_mix(all: impl Iterator<Item = TextType> + Clone, operation: &str) -> SqlError {
    let mut names = [("", ""); 3];
    for (place, text) in names.iter_mut().zip(all.clone()) {
        *place = (text.collation.name(), text.strength.name());
    }
    let [a, b, c] = names;
    match all.count() {
        2 => ER_CANT_AGGREGATE_2COLLATIONS.error(&[&a.0, &a.1, &b.0, &b.1, &operation]),
        3 => ER_CANT_AGGREGATE_3COLLATIONS.error(&[&a.0, &a.1, &b.0, &b.1, &c.0, &c.1, &operation]),
        _ => ER_CANT_AGGREGATE_NCOLLATIONS.error(&[&operation]),
    }
}
