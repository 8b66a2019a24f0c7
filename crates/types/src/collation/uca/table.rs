//! The weights of characters, read once from the recorded lists beside this file.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use smallvec::{SmallVec, smallvec};

/// Levels of the longest list.
const LEVELS: usize = 3;

/// Characters of a page.
const PAGE: usize = 256;

/// Where no page is.
const NO_PAGE: u16 = u16::MAX;

/// What characters that nothing is known of are computed from: UTS #10, section 10.1.3.
const UNKNOWN_BASE: u16 = 0xFBC0;

/// Hangul syllables: Unicode, section 3.12.
const SYLLABLES: std::ops::RangeInclusive<u32> = 0xAC00..=0xD7A3;
const VOWELS: u32 = 21;
const TRAILING: u32 = 28;

/// A version of Unicode's list.
#[derive(Clone, Copy)]
pub(in crate::collation) enum Version {
    /// 4.0.0, without characters from U+10000 on
    V400,
    /// 5.2.0
    V520,
    /// 9.0.0, three levels
    V900,
}

static V400: LazyLock<Table> = LazyLock::new(|| Table::parse(include_str!("400.txt"), false, Some(0xFFFD)));
static V520: LazyLock<Table> = LazyLock::new(|| Table::parse(include_str!("520.txt"), false, None));
static V900: LazyLock<Table> = LazyLock::new(|| Table::parse(include_str!("900.txt"), true, None));

impl Version {
    /// Its weights; the first call reads them, which takes milliseconds.
    pub(super) fn table(self) -> &'static Table {
        match self {
            Self::V400 => &V400,
            Self::V520 => &V520,
            Self::V900 => &V900,
        }
    }
}

/// Weights of all characters.
pub(super) struct Table {
    /// By the character's upper bits: which of `pages`.
    directory: Vec<u16>,
    pages: Vec<[Entry; PAGE]>,
    weights: Vec<u16>,
    /// Of ASCII, which has at most one weight a level; 0 = none.
    ascii: [[u16; 128]; LEVELS],
    /// Of all characters from U+10000 on.
    supplementary: Option<u16>,
}

/// A character.
#[derive(Clone, Copy)]
enum Entry {
    /// Its weights begin here; so many at each level.
    Listed { at: u32, counts: [u8; LEVELS] },
    /// They are computed.
    Computed { base: u16 },
}

/// A character's weights at a level.
pub(super) enum Found {
    Listed(&'static [u16]),
    /// The second one may be 0: none.
    Computed(u16, u16),
}

impl Table {
    /// The one weight of an ASCII character at a level, 0 for none.
    #[inline]
    pub(super) fn ascii(&self, byte: u8, level: usize) -> u16 {
        self.ascii[level][usize::from(byte)]
    }

    /// Whether all supplementary characters have one weight and this is one of them.
    pub(super) fn shares_weight(&self, code: u32) -> bool {
        self.supplementary.is_some() && code >= 0x1_0000
    }

    pub(super) fn find(&'static self, code: u32, level: usize) -> Found {
        if let Some(weight) = self.supplementary.filter(|_| code >= 0x1_0000) {
            return Found::Computed(weight, 0);
        }
        match self.entry(code) {
            Entry::Listed { at, counts } => {
                let before: usize = counts[..level].iter().map(|count| usize::from(*count)).sum();
                let begin = at as usize + before;
                Found::Listed(&self.weights[begin..begin + usize::from(counts[level])])
            }
            Entry::Computed { base } => match level {
                0 => {
                    let [_, plane, high, low] =
                        (code & 0x7FFF | 0x8000 | code << 1 & 0xFF_0000).to_be_bytes();
                    Found::Computed(base + u16::from(plane), u16::from_be_bytes([high, low]))
                }
                1 => Found::Computed(0x20, 0),
                _ => Found::Computed(2, 0),
            },
        }
    }

    fn entry(&self, code: u32) -> Entry {
        let [.., low] = code.to_be_bytes();
        let page = self.directory.get((code >> 8) as usize).copied().unwrap_or(NO_PAGE);
        match self.pages.get(usize::from(page)) {
            Some(page) => page[usize::from(low)],
            None => Entry::Computed { base: UNKNOWN_BASE },
        }
    }
}

/// A character's weights while the list is read.
type Levels = [SmallVec<[u16; 4]>; LEVELS];

impl Table {
    /// Reads a list; how it is written stands at its beginning. `composes`: Hangul syllables weigh what their jamos do.
    fn parse(list: &str, composes: bool, supplementary: Option<u16>) -> Self {
        let mut table = Self {
            directory: vec![NO_PAGE; 0x1100],
            pages: Vec::new(),
            weights: Vec::new(),
            ascii: [[0; 128]; LEVELS],
            supplementary,
        };
        let mut listed = BTreeMap::new();
        for line in list.lines().filter(|line| !line.starts_with('#')) {
            let taken = match line.split_once(" =") {
                Some((codes, base)) => table.take_range(codes, base),
                None => take(line, &mut listed),
            };
            assert!(taken.is_some(), "the list of weights was recorded wrongly: {line}");
        }
        for code in SYLLABLES.filter(|_| composes) {
            if !listed.contains_key(&code) {
                listed.insert(code, composed(code, &listed));
            }
        }
        for (code, levels) in &listed {
            table.insert(*code, levels);
        }
        table
    }

    /// Characters whose weights are computed from a base: `3400..4DB5`, `FB80`.
    fn take_range(&mut self, codes: &str, base: &str) -> Option<()> {
        let (first, last) = codes.split_once("..")?;
        let base = number(base)?;
        for code in u32::from_str_radix(first, 16).ok()?..=u32::from_str_radix(last, 16).ok()? {
            *self.slot(code) = Entry::Computed { base };
        }
        Some(())
    }

    fn insert(&mut self, code: u32, levels: &Levels) {
        let at = u32::try_from(self.weights.len()).expect("a character has few weights");
        let counts =
            levels.each_ref().map(|weights| u8::try_from(weights.len()).expect("it has at most eight"));
        self.weights.extend(levels.iter().flatten());
        *self.slot(code) = Entry::Listed { at, counts };
        if code < 128 {
            for (level, weights) in levels.iter().enumerate() {
                self.ascii[level][code as usize] = weights.first().copied().unwrap_or(0);
            }
        }
    }

    fn slot(&mut self, code: u32) -> &mut Entry {
        let page = &mut self.directory[(code >> 8) as usize];
        if *page == NO_PAGE {
            *page = u16::try_from(self.pages.len()).expect("there are 4,352 pages");
            self.pages.push([Entry::Computed { base: UNKNOWN_BASE }; PAGE]);
        }
        &mut self.pages[usize::from(*page)][(code & 0xFF) as usize]
    }
}

fn number(hex: &str) -> Option<u16> {
    u16::from_str_radix(hex, 16).ok()
}

/// `41 1C47 . 20 . 8`, or a run: `A000+3*1 1EC5`.
fn take(line: &str, listed: &mut BTreeMap<u32, Levels>) -> Option<()> {
    let (codes, weights) = line.split_once(' ').unwrap_or((line, ""));
    let (first, run) = codes.split_once('+').unwrap_or((codes, "1*0"));
    let (count, step) = run.split_once('*')?;
    let mut levels = Levels::default();
    for (level, weights) in weights.split('.').enumerate() {
        *levels.get_mut(level)? = weights.split_whitespace().map(number).collect::<Option<_>>()?;
    }
    if levels[0].len() == 1 && !weights.contains('.') {
        (levels[1], levels[2]) = (smallvec![0x20], smallvec![2]);
    }
    let (first, step) = (u32::from_str_radix(first, 16).ok()?, number(step)?);
    for code in (first..).take(number(count)?.into()) {
        listed.insert(code, levels.clone());
        levels[0].iter_mut().for_each(|weight| *weight += step);
    }
    Some(())
}

/// The weights of a Hangul syllable's jamos.
fn composed(syllable: u32, listed: &BTreeMap<u32, Levels>) -> Levels {
    let index = syllable - SYLLABLES.start();
    // The last consonant counts from 1.
    let trailing = Some(index % TRAILING).filter(|number| *number > 0).map(|number| 0x11A7 + number);
    let leading = 0x1100 + index / (VOWELS * TRAILING);
    let vowel = 0x1161 + index % (VOWELS * TRAILING) / TRAILING;
    let mut levels = Levels::default();
    for jamo in [leading, vowel].into_iter().chain(trailing).filter_map(|jamo| listed.get(&jamo)) {
        for (level, weights) in jamo.iter().enumerate() {
            levels[level].extend_from_slice(weights);
        }
    }
    levels
}
