//! The checksum trailer.

/// Bytes of a checksum trailer.
pub const CHECKSUM_LEN: usize = 4;

/// `binlog_checksum`: how the events of one file end. Constant within a file; the FORMAT_DESCRIPTION names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ChecksumAlg {
    /// Events end with their body.
    None,
    /// Events end with the CRC32 (IEEE, little endian) of header and body.
    #[default]
    Crc32,
}

impl ChecksumAlg {
    /// Bytes that each event grows by.
    pub const fn len(self) -> usize {
        match self {
            Self::None => 0,
            Self::Crc32 => CHECKSUM_LEN,
        }
    }

    /// Whether events have no trailer.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The byte in the FORMAT_DESCRIPTION.
    pub const fn code(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Crc32 => 1,
        }
    }

    /// The algorithm of a FORMAT_DESCRIPTION's byte.
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::None),
            1 => Some(Self::Crc32),
            _ => None,
        }
    }
}
