//! Twenty bytes that no client has seen before, and salts of the same make.

/// A nonce or a salt: 20 bytes of 7 bits, none of them NUL, where strings end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nonce([u8; Self::SIZE]);

impl Nonce {
    /// Bytes of a nonce.
    pub const SIZE: usize = 20;

    /// Bytes of a nonce and the NUL behind it, as the greeting counts them.
    pub const SIZE_WITH_NUL: u8 = 21;

    /// A nonce from random bytes, which must come from the operating system's generator. About 139 of the 160
    /// bits survive: the eighth bits go, and so do NUL and `$`, at which careless readers split stored digests.
    pub fn from_random(random: [u8; Self::SIZE]) -> Self {
        Self(random.map(|byte| match byte & 0x7F {
            0 => 1,
            b'$' => b'%',
            fine => fine,
        }))
    }

    /// The nonce of these bytes, if they may be one; for salts that are stored already.
    pub fn new(bytes: [u8; Self::SIZE]) -> Option<Self> {
        bytes.iter().all(|&byte| byte.is_ascii() && byte != 0).then_some(Self(bytes))
    }

    /// The 20 bytes.
    pub const fn bytes(&self) -> &[u8; Self::SIZE] {
        &self.0
    }

    /// The 8 and 12 bytes that the greeting holds in two places.
    pub(crate) fn parts(&self) -> (&[u8], &[u8]) {
        self.0.split_at(8)
    }
}
