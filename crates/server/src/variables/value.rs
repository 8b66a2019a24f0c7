//! The value of a system variable.

use std::sync::Arc;

/// A value. Which case a variable has is decided by its [`Kind`](super::Kind).
#[derive(Clone, Debug, PartialEq)]
pub enum Val {
    /// ON or OFF.
    Bool(bool),
    /// A number.
    UInt(u64),
    /// A number with a fraction.
    Double(f64),
    /// Which of the kind's names.
    Choice(u8),
    /// Which of the kind's names are in the set, a bit each.
    Flags(u64),
    /// Text.
    Text(Arc<str>),
    /// NULL, of texts that may be.
    Null,
}

impl Val {
    /// A text.
    pub fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    /// Whether it is ON.
    ///
    /// # Panics
    /// If the variable is none that is ON or OFF.
    pub fn is_on(&self) -> bool {
        let Self::Bool(on) = self else { unreachable!("not a switch: {self:?}") };
        *on
    }

    /// The number.
    ///
    /// # Panics
    /// If the variable is no number.
    pub fn uint(&self) -> u64 {
        let Self::UInt(number) = self else { unreachable!("not a number: {self:?}") };
        *number
    }

    /// The number, as far as 32 bits hold it.
    ///
    /// # Panics
    /// If the variable is no number.
    pub fn u32(&self) -> u32 {
        u32::try_from(self.uint()).unwrap_or(u32::MAX)
    }

    /// The number, as far as memory can be addressed.
    ///
    /// # Panics
    /// If the variable is no number.
    pub fn size(&self) -> usize {
        usize::try_from(self.uint()).unwrap_or(usize::MAX)
    }

    /// The number.
    ///
    /// # Panics
    /// If the variable is none with a fraction.
    pub fn double(&self) -> f64 {
        let Self::Double(number) = self else { unreachable!("not a fraction: {self:?}") };
        *number
    }

    /// Which of the kind's names.
    ///
    /// # Panics
    /// If the variable is no choice.
    pub fn choice(&self) -> u8 {
        let Self::Choice(index) = self else { unreachable!("not a choice: {self:?}") };
        *index
    }

    /// The bits.
    ///
    /// # Panics
    /// If the variable is no set.
    pub fn flags(&self) -> u64 {
        let Self::Flags(bits) = self else { unreachable!("not a set: {self:?}") };
        *bits
    }

    /// The text; empty for NULL and whatever is none.
    pub fn as_text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            _ => "",
        }
    }
}
