//! Appending the protocol's integers and strings to bytes. The counterpart of the cursor; never fails.

/// The protocol's primitives on a growing payload. Integers are little-endian.
pub trait Put {
    /// One byte.
    fn put_u8(&mut self, value: u8);
    /// Two bytes.
    fn put_u16(&mut self, value: u16);
    /// The lower three bytes of `value`.
    fn put_u24(&mut self, value: u32);
    /// Four bytes.
    fn put_u32(&mut self, value: u32);
    /// Eight bytes.
    fn put_u64(&mut self, value: u64);
    /// `count` zero bytes.
    fn put_zeros(&mut self, count: usize);
    /// The bytes alone; their length is known from elsewhere.
    fn put_bytes(&mut self, bytes: &[u8]);
    /// A length-encoded integer of 1, 3, 4 or 9 bytes.
    fn put_lenenc(&mut self, value: u64);
    /// Bytes behind their length-encoded length.
    fn put_lenenc_bytes(&mut self, bytes: &[u8]);
    /// Bytes behind their length in one byte; what is beyond 255 is cut.
    fn put_u8_bytes(&mut self, bytes: &[u8]);
    /// Bytes and a NUL. The caller knows that there is no NUL in `bytes`.
    fn put_nul_bytes(&mut self, bytes: &[u8]);
}

impl Put for Vec<u8> {
    fn put_u8(&mut self, value: u8) {
        self.push(value);
    }

    fn put_u16(&mut self, value: u16) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn put_u24(&mut self, value: u32) {
        let [a, b, c, _] = value.to_le_bytes();
        self.extend_from_slice(&[a, b, c]);
    }

    fn put_u32(&mut self, value: u32) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn put_u64(&mut self, value: u64) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn put_zeros(&mut self, count: usize) {
        self.resize(self.len().saturating_add(count), 0);
    }

    fn put_bytes(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    fn put_lenenc(&mut self, value: u64) {
        let [a, b, c, ..] = value.to_le_bytes();
        match value {
            0..=0xFA => self.push(a),
            0xFB..=0xFFFF => self.extend_from_slice(&[0xFC, a, b]),
            0x1_0000..=0xFF_FFFF => self.extend_from_slice(&[0xFD, a, b, c]),
            _ => {
                self.push(0xFE);
                self.put_u64(value);
            }
        }
    }

    fn put_lenenc_bytes(&mut self, bytes: &[u8]) {
        self.put_lenenc(bytes.len() as u64);
        self.extend_from_slice(bytes);
    }

    fn put_u8_bytes(&mut self, bytes: &[u8]) {
        let size = u8::try_from(bytes.len()).unwrap_or(u8::MAX);
        self.push(size);
        self.extend(bytes.iter().take(usize::from(size)));
    }

    fn put_nul_bytes(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
        self.push(0);
    }
}

/// Bytes that [`Put::put_lenenc_bytes`] appends for `bytes`.
pub fn lenenc_size(bytes: &[u8]) -> u64 {
    let size = bytes.len() as u64;
    let prefix = match size {
        0..=0xFA => 1,
        0xFB..=0xFFFF => 3,
        0x1_0000..=0xFF_FFFF => 4,
        _ => 9,
    };
    size.saturating_add(prefix)
}
