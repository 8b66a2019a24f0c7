//! The text form: `uuid:1-5:7,uuid:3`.
//!
//! Printing is MySQL's: lower case, servers by UUID, a comma and a newline between them. Parsing is MySQL 8.0's
//! where 8.0 and 9.x agree: white space anywhere but inside a UUID or a number, empty items between commas, a
//! UUID without numbers and an interval that ends before it begins are all the empty set. Where 8.0 takes what C's
//! `strtoull` takes (`+1`, `0x1`, `1-`) we refuse as 9.x does.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::{GNO_MAX, Gno, Gtid, GtidSet, Interval, Intervals, Uuid};

/// The text is no GTID or GTID set (MySQL's errors 1772 and 1774).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed GTID specification after {at} bytes")]
pub struct GtidParseError {
    /// Bytes of the text that were understood.
    pub at: usize,
}

/// Reads the text from left to right, skipping white space in front of each token.
struct Tokens<'a> {
    text: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    fn new(text: &'a str) -> Self {
        Self { text: text.as_bytes(), rest: text.as_bytes().trim_ascii() }
    }

    fn error(&self) -> GtidParseError {
        GtidParseError { at: self.text.len().saturating_sub(self.rest.len()) }
    }

    fn skip(&mut self, symbol: u8) -> bool {
        self.rest = self.rest.trim_ascii_start();
        match self.rest.split_first() {
            Some((first, rest)) if *first == symbol => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    fn at_end(&mut self) -> bool {
        self.rest = self.rest.trim_ascii_start();
        self.rest.is_empty()
    }

    fn uuid(&mut self) -> Result<Uuid, GtidParseError> {
        self.rest = self.rest.trim_ascii_start();
        let (text, rest) = self.rest.split_at_checked(Uuid::TEXT_LEN).ok_or(self.error())?;
        let uuid = Uuid::from_text(text).ok_or(self.error())?;
        self.rest = rest;
        Ok(uuid)
    }

    /// A number from `min` to the largest GTID number.
    fn number(&mut self, min: Gno) -> Result<Gno, GtidParseError> {
        self.rest = self.rest.trim_ascii_start();
        let digits = self.rest.iter().take_while(|c| c.is_ascii_digit()).count();
        let (text, rest) = self.rest.split_at_checked(digits).ok_or(self.error())?;
        let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        match number {
            Some(number) if (min..=GNO_MAX).contains(&number) => {
                self.rest = rest;
                Ok(number)
            }
            _ => Err(self.error()),
        }
    }
}

/// One server's runs as a text gives them, in any order and several times if it likes. They are merged whenever they have become
/// twice as many as were left the last time: a long text of a small set takes no more room than the set, and each run is
/// moved a few times at most.
#[derive(Default)]
struct Gathered {
    runs: Vec<Interval>,
    left: usize,
}

impl Gathered {
    /// So few are not worth a pass.
    const FEW: usize = 64;

    fn push(&mut self, run: Interval) {
        if self.runs.len() >= self.left.saturating_mul(2).max(Self::FEW) {
            self.runs = Intervals::of_runs(std::mem::take(&mut self.runs)).into_runs();
            self.left = self.runs.len();
        }
        self.runs.push(run);
    }
}

impl FromStr for GtidSet {
    type Err = GtidParseError;

    fn from_str(text: &str) -> Result<Self, GtidParseError> {
        let mut tokens = Tokens::new(text);
        let mut runs = BTreeMap::<Uuid, Gathered>::new();
        loop {
            while tokens.skip(b',') {}
            if tokens.at_end() {
                return Ok(Self::of_runs(runs.into_iter().map(|(sid, own)| (sid, own.runs)).collect()));
            }
            let own = runs.entry(tokens.uuid()?).or_default();
            while tokens.skip(b':') {
                let first = tokens.number(1)?;
                let last = if tokens.skip(b'-') { tokens.number(0)? } else { first };
                if let Some(run) = Interval::inclusive(first, last) {
                    own.push(run);
                }
            }
            if !tokens.at_end() && !tokens.skip(b',') {
                return Err(tokens.error());
            }
        }
    }
}

impl FromStr for Gtid {
    type Err = GtidParseError;

    /// One GTID, as `GTID_NEXT` takes it: white space around its parts is allowed.
    fn from_str(text: &str) -> Result<Self, GtidParseError> {
        let mut tokens = Tokens::new(text);
        let sid = tokens.uuid()?;
        if !tokens.skip(b':') {
            return Err(tokens.error());
        }
        let gno = tokens.number(1)?;
        if tokens.at_end() { Ok(Self { sid, gno }) } else { Err(tokens.error()) }
    }
}

impl fmt::Display for Gtid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.sid, self.gno)
    }
}

impl fmt::Display for GtidSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (sid, runs)) in self.sids().enumerate() {
            if index > 0 {
                f.write_str(",\n")?;
            }
            write!(f, "{sid}")?;
            for run in runs.runs() {
                let last = run.end.saturating_sub(1);
                write!(f, ":{}", run.start)?;
                if last > run.start {
                    write!(f, "-{last}")?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_of_a_small_set_takes_little_room() {
        // The same numbers over and over: in order, from behind, and as runs that overlap.
        let number = |first, last| Interval::inclusive(first, last).unwrap();
        let texts: [fn(Gno) -> (Gno, Gno); 3] = [
            |_| (1, 1),
            |place| (2 * (500 - place % 500), 2 * (500 - place % 500)),
            |place| (place, place + 9),
        ];
        for (bound, runs) in [(64, texts[0]), (1002, texts[1]), (64, texts[2])] {
            let mut gathered = Gathered::default();
            for place in 1..=100_000 {
                let (first, last) = runs(place);
                gathered.push(number(first, last));
                assert!(gathered.runs.len() <= bound, "{} of {place}", gathered.runs.len());
            }
        }
    }
}
