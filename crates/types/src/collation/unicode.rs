//! Weights and case of Unicode's characters in `utf8mb4_general_ci` and `utf8mb3_general_ci`.
//!
//! Almost every character weighs its own code point; the exceptions lie in eleven pages of 256, which are
//! expanded at compile time from the runs in `unicode_data.rs`. Characters from U+10000 on weigh 0xFFFD and have
//! no case. Every character below U+10000 is checked against `tests/data/unicode.txt`.

use super::unicode_data::{LOWER, Run, UPPER, WEIGHTS};

/// What every character from U+10000 on weighs.
pub const SUPPLEMENTARY_WEIGHT: u32 = 0xFFFD;

/// A character's weight.
#[inline]
pub fn weight(code: u32) -> u32 {
    if (0x1_0000..0x11_0000).contains(&code) { SUPPLEMENTARY_WEIGHT } else { map(&WEIGHT_PAGES, code) }
}

/// A character's upper case, or itself.
#[inline]
pub fn to_upper(code: u32) -> u32 {
    map(&UPPER_PAGES, code)
}

/// A character's lower case, or itself.
#[inline]
pub fn to_lower(code: u32) -> u32 {
    map(&LOWER_PAGES, code)
}

/// The pages in which something does not map to itself.
const PAGES: [u8; 11] = [0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x1E, 0x1F, 0x21, 0x24, 0xFF];
const NO_PAGE: u8 = 0xFF;

/// Which of the pages holds each group of 256 characters.
static PAGE_OF: [u8; 256] = page_of();
static WEIGHT_PAGES: [[u16; 256]; PAGES.len()] = expand(WEIGHTS);
static UPPER_PAGES: [[u16; 256]; PAGES.len()] = expand(UPPER);
static LOWER_PAGES: [[u16; 256]; PAGES.len()] = expand(LOWER);

#[inline]
fn map(pages: &[[u16; 256]; PAGES.len()], code: u32) -> u32 {
    let [zero, plane, group, low] = code.to_be_bytes();
    match pages.get(usize::from(PAGE_OF[usize::from(group)])) {
        Some(page) if zero == 0 && plane == 0 => u32::from(page[usize::from(low)]),
        _ => code,
    }
}

const fn page_of() -> [u8; 256] {
    let mut index = [NO_PAGE; 256];
    let mut page = 0_u8;
    while (page as usize) < PAGES.len() {
        index[PAGES[page as usize] as usize] = page;
        page += 1;
    }
    index
}

/// Fills the pages: each character maps to itself, then the runs are laid over.
const fn expand(runs: &[Run]) -> [[u16; 256]; PAGES.len()] {
    let index = page_of();
    let mut pages = [[0; 256]; PAGES.len()];
    let mut page = 0;
    while page < PAGES.len() {
        let mut low = 0_u16;
        while low < 256 {
            pages[page][low as usize] = (PAGES[page] as u16) << 8 | low;
            low += 1;
        }
        page += 1;
    }
    let mut run = 0;
    while run < runs.len() {
        let (first, count, distance, target, target_distance) = runs[run];
        let mut i = 0;
        while i < count as u16 {
            let code = first + i * distance as u16;
            let page = index[(code >> 8) as usize] as usize;
            pages[page][(code & 0xFF) as usize] = target + i * target_distance as u16;
            i += 1;
        }
        run += 1;
    }
    pages
}
