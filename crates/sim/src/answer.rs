//! What a session answers, read back from its packets.

/// The answer to one statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// OK: affected rows, last insert id, info.
    Ok(u64, u64, String),
    /// A result: names of columns, and rows of texts.
    Rows(Vec<String>, Vec<Vec<Option<String>>>),
    /// An error: number and message.
    Error(u16, String),
}

impl Answer {
    /// Reads the answers in a buffer of packets, as a client with DEPRECATE_EOF does.
    ///
    /// # Panics
    /// If the packets are not what a server sends.
    pub(crate) fn read_all(bytes: &[u8]) -> Vec<Self> {
        let mut packets = Packets(bytes);
        let mut answers = Vec::new();
        while let Some(first) = packets.next() {
            answers.push(Self::read(first, &mut packets));
        }
        answers
    }

    fn read(first: &[u8], packets: &mut Packets<'_>) -> Self {
        let mut input = Input(first);
        match first[0] {
            0x00 => {
                input.skip(1);
                let (affected, id) = (input.lenenc(), input.lenenc());
                input.skip(4);
                let info = if input.0.is_empty() { String::new() } else { input.text() };
                Self::Ok(affected, id, info)
            }
            0xFF => {
                let code = u16::from_le_bytes([first[1], first[2]]);
                Self::Error(code, String::from_utf8_lossy(&first[9..]).into_owned())
            }
            _ => {
                let columns = input.lenenc();
                let names =
                    (0..columns).map(|_| column_name(packets.next().expect("a definition"))).collect();
                Self::read_rows(names, packets)
            }
        }
    }

    fn read_rows(names: Vec<String>, packets: &mut Packets<'_>) -> Self {
        let mut rows = Vec::new();
        loop {
            let packet = packets.next().expect("rows end with a packet");
            match packet[0] {
                0xFE if packet.len() < 0xFF_FFFF => return Self::Rows(names, rows),
                0xFF => return Self::read(packet, packets),
                _ => {
                    let mut input = Input(packet);
                    rows.push((0..names.len()).map(|_| input.value()).collect());
                }
            }
        }
    }
}

fn column_name(packet: &[u8]) -> String {
    let mut input = Input(packet);
    (0..4).for_each(|_| drop(input.text()));
    input.text()
}

struct Packets<'a>(&'a [u8]);

impl<'a> Iterator for Packets<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let size = u32::from_le_bytes([*self.0.first()?, self.0[1], self.0[2], 0]) as usize;
        assert!(size < 0xFF_FFFF, "simulated sessions send small packets");
        let (packet, rest) = self.0[4..].split_at(size);
        self.0 = rest;
        Some(packet)
    }
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn skip(&mut self, size: usize) {
        self.0 = &self.0[size..];
    }

    fn take(&mut self, size: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(size);
        self.0 = rest;
        taken
    }

    fn lenenc(&mut self) -> u64 {
        let size = match self.take(1)[0] {
            small @ 0..=0xFA => return small.into(),
            0xFC => 2,
            0xFD => 3,
            _ => 8,
        };
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(self.take(size));
        u64::from_le_bytes(bytes)
    }

    fn text(&mut self) -> String {
        let size = usize::try_from(self.lenenc()).expect("it is in memory");
        String::from_utf8_lossy(self.take(size)).into_owned()
    }

    fn value(&mut self) -> Option<String> {
        if self.0.first() == Some(&0xFB) {
            self.skip(1);
            return None;
        }
        Some(self.text())
    }
}
