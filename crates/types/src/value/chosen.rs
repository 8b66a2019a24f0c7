//! Values of ENUM and SET columns.

use std::borrow::Cow;

use crate::collation::Collation;
use crate::column::Labels;

/// One label of an ENUM, or any of a SET: a text that counts as a number and sorts by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    labels: Labels,
    number: u64,
    is_set: bool,
}

impl Chosen {
    /// The label with this number, counted from 1; 0 and what is beyond the last are the empty text.
    pub fn of_enum(labels: Labels, number: u64) -> Self {
        Self { labels, number, is_set: false }
    }

    /// The labels whose bits are set.
    pub fn of_set(labels: Labels, bits: u64) -> Self {
        Self { labels, number: bits & labels.all_bits(), is_set: true }
    }

    /// The number of the label; the bits of a SET.
    pub fn number(self) -> u64 {
        self.number
    }

    /// Of which labels.
    pub fn labels(self) -> Labels {
        self.labels
    }

    /// The collation of the text.
    pub fn collation(self) -> Collation {
        self.labels.collation()
    }

    /// The label; those of a SET in their order, separated by commas.
    pub fn text(self) -> Cow<'static, [u8]> {
        if !self.is_set {
            let place = usize::try_from(self.number).ok().and_then(|number| number.checked_sub(1));
            return Cow::Borrowed(place.and_then(|place| self.labels.get(place)).unwrap_or_default());
        }
        let chosen = self.labels.names().enumerate().filter(|(place, _)| self.number >> place & 1 != 0);
        Cow::Owned(chosen.map(|(_, name)| name).collect::<Vec<_>>().join(&b','))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_the_labels() {
        let names = vec![b"x".to_vec(), b"yy".to_vec(), b"z".to_vec()];
        let labels = Labels::new(Collation::Utf8mb4GeneralCi, names);
        assert_eq!(&*Chosen::of_enum(labels, 2).text(), b"yy");
        assert_eq!(&*Chosen::of_enum(labels, 0).text(), b"");
        assert_eq!(&*Chosen::of_enum(labels, 4).text(), b"");
        assert_eq!(&*Chosen::of_set(labels, 5).text(), b"x,z");
        assert_eq!(&*Chosen::of_set(labels, 0).text(), b"");
        assert_eq!(Chosen::of_set(labels, 0xff).number(), 7);
    }
}
