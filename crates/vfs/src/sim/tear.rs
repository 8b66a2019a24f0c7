//! Which sectors of a torn write reach the disk.

use super::rng::Rng;

/// For each of `count` sectors whether it arrives. The shapes are those that break logs: a part from the
/// front (the usual tear), a part from the back (devices reorder), all but one, only one, everything, and
/// coins for the rest.
pub(super) fn arriving_sectors(count: usize, rng: &mut Rng) -> Vec<bool> {
    if count == 0 {
        return Vec::new();
    }
    let bound = rng.index(count + 1);
    let one = rng.index(count);
    match rng.below(8) {
        0 | 1 => (0..count).map(|sector| sector < bound).collect(),
        2 => (0..count).map(|sector| sector >= bound).collect(),
        3 => (0..count).map(|sector| sector != one).collect(),
        4 => (0..count).map(|sector| sector == one).collect(),
        5 => vec![true; count],
        _ => (0..count).map(|_| rng.coin()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_subset_of_a_few_sectors_occurs() {
        let mut rng = Rng::new(1);
        let seen: BTreeSet<_> = (0..2000).map(|_| arriving_sectors(4, &mut rng)).collect();
        assert_eq!(seen.len(), 16);
        assert!(arriving_sectors(0, &mut rng).is_empty());
    }
}
