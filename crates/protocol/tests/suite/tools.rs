//! Recorded sessions, and small tools that several test files share.

use protocol::out::PacketWriter;

/// Who sent a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Client,
    Server,
}

/// A labelled part of a recorded session: see `data/record.py` for the format.
#[derive(Clone, Debug)]
pub struct Part {
    pub label: String,
    /// The account's password, where the recording says so.
    pub password: Option<Vec<u8>>,
    /// Packets with their headers.
    pub packets: Vec<(Side, Vec<u8>)>,
}

impl Part {
    /// The payloads of one side.
    pub fn payloads(&self, side: Side) -> Vec<Vec<u8>> {
        self.packets.iter().filter(|(from, _)| *from == side).map(|(_, bytes)| bytes[4..].to_vec()).collect()
    }

    /// The payloads of the client's packets with this first byte.
    pub fn commands(&self, code: u8) -> Vec<Vec<u8>> {
        self.payloads(Side::Client).into_iter().filter(|payload| payload.first() == Some(&code)).collect()
    }

    /// The server's bytes up to the client's next packet, for each of the client's packets in turn.
    pub fn replies(&self) -> Vec<Vec<u8>> {
        let mut replies: Vec<Vec<u8>> = Vec::new();
        for (side, bytes) in &self.packets {
            match (side, replies.last_mut()) {
                (Side::Client, _) => replies.push(Vec::new()),
                (Side::Server, Some(reply)) => reply.extend(bytes),
                (Side::Server, None) => {}
            }
        }
        replies
    }
}

/// The parts of a session file.
pub fn session(text: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for line in text.lines() {
        let Some((mark, rest)) = line.split_once(' ') else { continue };
        match (mark, parts.last_mut()) {
            ("@", _) => parts.push(Part { label: rest.to_owned(), password: None, packets: Vec::new() }),
            ("!", Some(part)) => part.password = rest.strip_prefix("password=").map(hex),
            (">", Some(part)) => part.packets.push((Side::Client, hex(rest))),
            ("<", Some(part)) => part.packets.push((Side::Server, hex(rest))),
            _ => assert_eq!(mark, "#", "a line of a session file: {line}"),
        }
    }
    assert!(!parts.is_empty(), "a session has parts");
    parts
}

/// The first part of a session file with this label.
pub fn part(name: &str, label: &str) -> Part {
    session(file(name)).into_iter().find(|part| part.label == label).expect("the session has this part")
}

/// Every session file: its name and text.
pub const SESSIONS: [(&str, &str); 13] = [
    ("connector_python", include_str!("../data/connector_python.txt")),
    ("mariadb_cli", include_str!("../data/mariadb_cli.txt")),
    ("mariadb_cli_native", include_str!("../data/mariadb_cli_native.txt")),
    ("mysql_cli", include_str!("../data/mysql_cli.txt")),
    ("mysqladmin", include_str!("../data/mysqladmin.txt")),
    ("mysqlbinlog", include_str!("../data/mysqlbinlog.txt")),
    ("prepared_eof", include_str!("../data/prepared_eof.txt")),
    ("prepared_no_eof", include_str!("../data/prepared_no_eof.txt")),
    ("pymysql_auth", include_str!("../data/pymysql_auth.txt")),
    ("pymysql_auth_native", include_str!("../data/pymysql_auth_native.txt")),
    ("pymysql_auth_socket", include_str!("../data/pymysql_auth_socket.txt")),
    ("pymysql_text", include_str!("../data/pymysql_text.txt")),
    ("replica", include_str!("../data/replica.txt")),
];

/// The text of a session file.
pub fn file(name: &str) -> &'static str {
    SESSIONS.iter().find(|(found, _)| *found == name).expect("a session file").1
}

/// What a recorded greeting holds, read by position: the fields are 8 bytes behind the version's NUL.
#[derive(Clone, Debug)]
pub struct RecordedGreeting {
    pub version: String,
    pub connection_id: u32,
    pub nonce: [u8; 20],
    pub capabilities: u32,
    pub charset: u8,
    pub status: u16,
    /// Ten bytes that MySQL leaves zero; MariaDB puts more capabilities into the last four.
    pub filler: [u8; 10],
    pub plugin: String,
}

/// Reads the payload of a recorded greeting.
pub fn recorded_greeting(payload: &[u8]) -> RecordedGreeting {
    assert_eq!(payload[0], 10);
    let nul = payload.iter().position(|&byte| byte == 0).expect("a version ends");
    let fields = &payload[nul + 1..];
    let mut nonce = [0; 20];
    nonce[..8].copy_from_slice(&fields[4..12]);
    nonce[8..].copy_from_slice(&fields[31..43]);
    RecordedGreeting {
        version: String::from_utf8_lossy(&payload[1..nul]).into_owned(),
        connection_id: u32::from_le_bytes(fields[..4].try_into().expect("four bytes")),
        nonce,
        capabilities: u32::from_le_bytes([fields[13], fields[14], fields[18], fields[19]]),
        charset: fields[15],
        status: u16::from_le_bytes([fields[16], fields[17]]),
        filler: fields[21..31].try_into().expect("ten bytes"),
        plugin: String::from_utf8_lossy(&fields[44..fields.len() - 1]).into_owned(),
    }
}

/// Bytes of hexadecimal digits.
pub fn hex(digits: &str) -> Vec<u8> {
    let digits = digits.trim();
    assert_eq!(digits.len() % 2, 0, "whole bytes: {digits}");
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits"))
        .collect()
}

/// Hexadecimal digits of bytes, for messages that can be compared with the session files.
pub fn to_hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).expect("four bits");
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// What `write` produces as a reply to a command, as the bytes on the wire.
pub fn reply(write: impl FnOnce(&mut PacketWriter)) -> Vec<u8> {
    reply_from(1, write)
}

/// The same, beginning with another sequence number.
pub fn reply_from(sequence: u8, write: impl FnOnce(&mut PacketWriter)) -> Vec<u8> {
    let mut out = PacketWriter::new();
    out.set_sequence(sequence);
    write(&mut out);
    out.bytes().to_vec()
}

/// Compares bytes on the wire, packet by packet so that a difference can be read.
#[track_caller]
pub fn assert_same_bytes(ours: &[u8], recorded: &[u8]) {
    let lines = |mut bytes: &[u8]| {
        let mut lines = Vec::new();
        while let [a, b, c, _, ..] = bytes {
            let size = 4 + usize::from(*a) + (usize::from(*b) << 8) + (usize::from(*c) << 16);
            let (packet, rest) = bytes.split_at(size.min(bytes.len()));
            lines.push(to_hex(packet));
            bytes = rest;
        }
        lines.push(to_hex(bytes));
        lines
    };
    assert_eq!(lines(ours), lines(recorded));
}

/// A small generator of random numbers (splitmix64): the same seed gives the same test.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).expect("a size fits");
        usize::try_from(self.next() % bound).expect("a size fits")
    }

    pub fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.byte()).collect()
    }
}
