//! Purpose: every character weighs in the collations of the Unicode Collation Algorithm what it weighs in MySQL.
//!
//! Method: `tests/data/uca.txt` holds checksums of MySQL 9.7.4's WEIGHT_STRINGs, 1,024 characters each.

use std::fmt::Write as _;

use types::collation::Collation;

#[test]
fn every_character_weighs_what_it_weighs_in_mysql() {
    let mut groups = 0;
    for line in include_str!("../data/uca.txt").lines().filter(|line| !line.starts_with('#')) {
        let [name, first, checksum] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let collation = Collation::from_name(name).unwrap();
        let first = u32::from_str_radix(first, 16).unwrap();
        let mut answers = String::new();
        for c in (first..first + 0x400).filter_map(char::from_u32) {
            let mut weights = Vec::new();
            let text = c.to_string();
            if !collation.uca_weight_string(text.as_bytes(), &mut weights) {
                weights.extend_from_slice(text.as_bytes());
            }
            for byte in &weights {
                write!(answers, "{byte:02X}").unwrap();
            }
            answers.push('\n');
        }
        assert_eq!(format!("{:08x}", crc32fast::hash(answers.as_bytes())), checksum, "{name} U+{first:04X}");
        groups += 1;
    }
    assert_eq!(groups, 6 * 1_086);
}
