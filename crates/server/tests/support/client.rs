//! A blocking client of the MySQL protocol, written for the tests alone and without the crate `protocol`: the server
//! and its judge must not share a mistake. Scrambles come from `mysql_common`.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use mysql_common::scramble::{scramble_native, scramble_sha256};

const LONG_PASSWORD: u32 = 1;
const CONNECT_WITH_DB: u32 = 1 << 3;
const CONNECT_ATTRS: u32 = 1 << 20;
/// The client sends files.
pub const LOCAL_FILES: u32 = 1 << 7;
const PROTOCOL_41: u32 = 1 << 9;
const SSL: u32 = 1 << 11;
const TRANSACTIONS: u32 = 1 << 13;
const SECURE_CONNECTION: u32 = 1 << 15;
const MULTI_STATEMENTS: u32 = 1 << 16;
const MULTI_RESULTS: u32 = 1 << 17;
const PLUGIN_AUTH: u32 = 1 << 19;
const DEPRECATE_EOF: u32 = 1 << 24;

/// Where a server is.
#[derive(Clone, Debug)]
pub enum Address {
    Tcp(SocketAddr),
    Socket(PathBuf),
}

/// Either kind of stream.
#[derive(Debug)]
pub enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
    Tls(Box<TlsStream>),
}

/// TLS over TCP.
pub type TlsStream = rustls::StreamOwned<rustls::ClientConnection, TcpStream>;

impl Stream {
    pub fn open(address: &Address) -> std::io::Result<Self> {
        let stream = match address {
            Address::Tcp(address) => Self::Tcp(TcpStream::connect(address)?),
            Address::Socket(path) => Self::Unix(UnixStream::connect(path)?),
        };
        stream.set_timeout(Duration::from_secs(30));
        Ok(stream)
    }

    /// From this address, in a runtime.
    pub async fn open_from(source: [u8; 4], address: SocketAddr) -> Self {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind((std::net::IpAddr::from(source), 0).into()).unwrap();
        let stream = socket.connect(address).await.unwrap().into_std().unwrap();
        stream.set_nonblocking(false).unwrap();
        let stream = Self::Tcp(stream);
        stream.set_timeout(Duration::from_secs(30));
        stream
    }

    pub fn set_timeout(&self, timeout: Duration) {
        match self {
            Self::Tcp(stream) => {
                stream.set_nodelay(true).unwrap();
                stream.set_read_timeout(Some(timeout)).unwrap();
                stream.set_write_timeout(Some(timeout)).unwrap();
            }
            Self::Unix(stream) => {
                stream.set_read_timeout(Some(timeout)).unwrap();
                stream.set_write_timeout(Some(timeout)).unwrap();
            }
            Self::Tls(_) => unreachable!("it has that of its TCP stream"),
        }
    }
}

impl Stream {
    /// Whether there is nothing to read now.
    pub fn is_silent(&mut self) -> bool {
        self.set_nonblocking(true);
        let read = self.read(&mut [0]);
        self.set_nonblocking(false);
        read.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
    }

    fn set_nonblocking(&self, on: bool) {
        match self {
            Self::Tcp(stream) => stream.set_nonblocking(on).unwrap(),
            Self::Unix(stream) => stream.set_nonblocking(on).unwrap(),
            Self::Tls(_) => unreachable!("TLS may have bytes of its own"),
        }
    }

    /// The same stream, for another thread.
    pub fn try_clone(&self) -> Self {
        match self {
            Self::Tcp(stream) => Self::Tcp(stream.try_clone().unwrap()),
            Self::Unix(stream) => Self::Unix(stream.try_clone().unwrap()),
            Self::Tls(_) => unreachable!("TLS has one state"),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buf),
            Self::Unix(stream) => stream.read(buf),
            Self::Tls(stream) => stream.read(buf),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(buf),
            Self::Unix(stream) => stream.write(buf),
            Self::Tls(stream) => stream.write(buf),
        }
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What went wrong.
#[derive(Debug)]
pub enum Failure {
    /// An ERR packet: number and text.
    Server(u16, String),
    /// The connection ended.
    Gone(std::io::Error),
}

impl Failure {
    pub fn code(&self) -> u16 {
        match self {
            Self::Server(code, ..) => *code,
            Self::Gone(error) => panic!("the connection ended: {error}"),
        }
    }

    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Gone(_))
    }

    pub fn message(&self) -> &str {
        match self {
            Self::Server(_, message) => message,
            Self::Gone(_) => "gone",
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Gone(error)
    }
}

pub type Result<T> = std::result::Result<T, Failure>;

/// An answer to a query.
#[derive(Debug, Default)]
pub struct Answer {
    pub columns: Vec<String>,
    /// The type of each column's definition.
    pub types: Vec<u8>,
    /// The flags of each column's definition.
    pub flags: Vec<u16>,
    pub rows: Vec<Vec<Option<String>>>,
    pub status: u16,
    pub warnings: u16,
    /// Of an OK packet: rows that were changed.
    pub affected: u64,
    /// Of an OK packet: the id that it tells.
    pub insert_id: u64,
    /// Of an OK packet: its text.
    pub info: String,
}

/// How to log in.
#[derive(Clone, Debug)]
pub struct Login {
    pub user: String,
    pub password: String,
    pub database: Option<String>,
    /// The plugin that the client offers first.
    pub plugin: &'static str,
    pub flags: u32,
    /// What it says of itself, below 251 bytes in all.
    pub attributes: Vec<(&'static str, String)>,
}

impl Login {
    pub fn new(user: &str, password: &str) -> Self {
        let plugin = "caching_sha2_password";
        let (user, password) = (user.to_owned(), password.to_owned());
        Self { user, password, database: None, plugin, flags: 0, attributes: Vec::new() }
    }

    fn put_attributes(&self, packet: &mut Vec<u8>) {
        let mut pairs = Vec::new();
        for text in self.attributes.iter().flat_map(|(name, value)| [*name, value]) {
            pairs.push(u8::try_from(text.len()).unwrap());
            pairs.extend(text.as_bytes());
        }
        if !pairs.is_empty() {
            packet.push(u8::try_from(pairs.len()).unwrap());
            packet.extend(pairs);
        }
    }
}

/// A connection.
#[derive(Debug)]
pub struct Client {
    pub stream: Stream,
    sequence: u8,
    pub connection_id: u32,
    pub server_version: String,
    nonce: Vec<u8>,
}

impl Client {
    /// Connects and reads the greeting; an ERR packet in its place is a failure.
    pub fn greet(address: &Address) -> Result<Self> {
        Self::greet_on(Stream::open(address)?)
    }

    /// As [`Self::greet`], on a stream that is there.
    pub fn greet_on(stream: Stream) -> Result<Self> {
        let mut client =
            Self { stream, sequence: 0, connection_id: 0, server_version: String::new(), nonce: Vec::new() };
        let greeting = client.packet()?;
        if greeting[0] == 0xFF {
            return Err(failure(&greeting));
        }
        assert_eq!(greeting[0], 10, "protocol version");
        let version_end = greeting.iter().position(|&byte| byte == 0).unwrap();
        client.server_version = String::from_utf8(greeting[1..version_end].to_vec()).unwrap();
        let rest = &greeting[version_end + 1..];
        client.connection_id = u32::from_le_bytes(rest[..4].try_into().unwrap());
        client.nonce = [&rest[4..12], &rest[31..43]].concat();
        Ok(client)
    }

    /// Connects and logs in.
    pub fn connect(address: &Address, login: &Login) -> Result<Self> {
        let mut client = Self::greet(address)?;
        client.log_in(login)?;
        Ok(client)
    }

    /// Asks for TLS; what follows on the stream is the client's handshake.
    pub fn ask_tls(&mut self) -> Result<()> {
        self.send(&[&(PROTOCOL_41 | SECURE_CONNECTION | SSL).to_le_bytes()[..], &[0; 28]].concat())
    }

    pub fn log_in(&mut self, login: &Login) -> Result<()> {
        let mut flags = LONG_PASSWORD
            | PROTOCOL_41
            | TRANSACTIONS
            | SECURE_CONNECTION
            | MULTI_STATEMENTS
            | MULTI_RESULTS
            | PLUGIN_AUTH
            | DEPRECATE_EOF
            | login.flags;
        if login.database.is_some() {
            flags |= CONNECT_WITH_DB;
        }
        if !login.attributes.is_empty() {
            flags |= CONNECT_ATTRS;
        }
        let mut packet = Vec::new();
        packet.extend(flags.to_le_bytes());
        packet.extend((1_u32 << 30).to_le_bytes());
        packet.push(45);
        packet.extend([0; 23]);
        packet.extend(login.user.as_bytes());
        packet.push(0);
        let answer = scramble(login.plugin, &self.nonce, &login.password);
        packet.push(u8::try_from(answer.len()).unwrap());
        packet.extend(&answer);
        if let Some(database) = &login.database {
            packet.extend(database.as_bytes());
            packet.push(0);
        }
        packet.extend(login.plugin.as_bytes());
        packet.push(0);
        login.put_attributes(&mut packet);
        self.send(&packet)?;
        self.authenticate(login.plugin, &login.password)
    }

    /// COM_CHANGE_USER.
    pub fn change_user(&mut self, login: &Login) -> Result<()> {
        let mut packet = vec![0x11];
        packet.extend(login.user.as_bytes());
        packet.push(0);
        let answer = scramble(login.plugin, &self.nonce, &login.password);
        packet.push(u8::try_from(answer.len()).unwrap());
        packet.extend(&answer);
        packet.extend(login.database.clone().unwrap_or_default().as_bytes());
        packet.push(0);
        packet.extend([45, 0]);
        packet.extend(login.plugin.as_bytes());
        packet.push(0);
        login.put_attributes(&mut packet);
        self.sequence = 0;
        self.send(&packet)?;
        self.authenticate(login.plugin, &login.password)
    }

    fn authenticate(&mut self, plugin: &str, password: &str) -> Result<()> {
        let mut plugin = plugin.to_owned();
        loop {
            let packet = self.packet()?;
            match packet[0] {
                0 => return Ok(()),
                0xFF => return Err(failure(&packet)),
                0xFE => {
                    let end = packet.iter().position(|&byte| byte == 0).unwrap();
                    plugin = String::from_utf8(packet[1..end].to_vec()).unwrap();
                    self.nonce = packet[end + 1..packet.len() - 1].to_vec();
                    let answer = scramble(&plugin, &self.nonce, password);
                    self.send(&answer)?;
                }
                1 if packet[1..] == [3] => {}
                1 if packet[1..] == [4] => {
                    assert_eq!(plugin, "caching_sha2_password");
                    let mut shown = [password.as_bytes(), &[0]].concat();
                    if matches!(self.stream, Stream::Tcp(_)) {
                        self.send(&[2])?;
                        let key = self.packet()?;
                        shown
                            .iter_mut()
                            .zip(self.nonce.iter().cycle())
                            .for_each(|(byte, mask)| *byte ^= mask);
                        shown = mysql_common::crypto::encrypt(&shown, &key[1..]);
                    }
                    self.send(&shown)?;
                }
                other => panic!("unexpected packet {other:#x} in authentication"),
            }
        }
    }

    /// COM_QUERY with one result.
    pub fn query(&mut self, sql: &str) -> Result<Answer> {
        self.command(&[&[3], sql.as_bytes()].concat())?;
        self.answer()
    }

    /// COM_PING.
    pub fn ping(&mut self) -> Result<()> {
        self.command(&[0x0E])?;
        self.answer().map(drop)
    }

    /// Sends a command packet.
    pub fn command(&mut self, payload: &[u8]) -> Result<()> {
        self.sequence = 0;
        self.send(payload)
    }

    /// Counts the first packet of a command that was sent by hand.
    pub fn skip_command(&mut self) {
        self.sequence = 1;
    }

    /// Counts a packet that was sent by hand.
    pub fn skip_packet(&mut self) {
        self.sequence = self.sequence.wrapping_add(1);
    }

    /// Acknowledges an event as a semi-synchronous replica does.
    pub fn acknowledge(&mut self, file: &str, position: u64) -> Result<()> {
        self.command(&[&[0xEF], &position.to_le_bytes()[..], file.as_bytes()].concat())
    }

    /// Reads OK, ERR or a result set.
    pub fn answer(&mut self) -> Result<Answer> {
        let first = self.packet()?;
        match first[0] {
            0 => return Ok(ok_packet(&first[1..])),
            0xFF => return Err(failure(&first)),
            // The server asks for a file.
            0xFB => {
                let name = String::from_utf8(first[1..].to_vec()).unwrap();
                #[expect(clippy::disallowed_methods, reason = "it is the client's file")]
                let file = std::fs::read(&name).unwrap_or_default();
                self.send_file(&file, 700)?;
                return self.answer();
            }
            _ => {}
        }
        let count = usize::try_from(Input(&first).lenenc()).unwrap();
        let mut answer = Answer::default();
        for _ in 0..count {
            let definition = self.packet()?;
            let mut input = Input(&definition);
            // Catalog, database, and the table by its name here and its own.
            for _ in 0..4 {
                input.text();
            }
            answer.columns.push(input.text());
            // The column's own name; a length, collation (2), length (4), type (1).
            input.text();
            input.number(7);
            answer.types.push(u8::try_from(input.number(1)).unwrap());
            answer.flags.push(input.u16());
        }
        loop {
            let packet = self.packet()?;
            match packet[0] {
                0xFE if packet.len() < 0xFF_FFFF => {
                    let end = ok_packet(&packet[1..]);
                    return Ok(Answer { status: end.status, warnings: end.warnings, ..answer });
                }
                0xFF => return Err(failure(&packet)),
                _ => {
                    let mut input = Input(&packet);
                    answer.rows.push((0..count).map(|_| input.value()).collect());
                }
            }
        }
    }

    /// Sends a file that the server has asked for, in packets of this size.
    pub fn send_file(&mut self, file: &[u8], size: usize) -> Result<()> {
        file.chunks(size).try_for_each(|piece| self.send(piece))?;
        self.send(&[])
    }

    /// Reads the answer to COM_STMT_PREPARE, and passes over its definitions. Returns the statement's number.
    pub fn prepared(&mut self) -> Result<u32> {
        let first = self.packet()?;
        if first[0] == 0xFF {
            return Err(failure(&first));
        }
        let mut input = Input(&first[1..]);
        let id = u32::try_from(input.number(4)).unwrap();
        for _ in 0..input.u16() + input.u16() {
            self.packet()?;
        }
        Ok(id)
    }

    /// Reads what comes behind the events of a dump: their packets begin with 0, as OK does.
    pub fn answer_behind_events(&mut self) -> Result<Answer> {
        loop {
            let packet = self.packet()?;
            match packet[0] {
                0 => {}
                0xFF => return Err(failure(&packet)),
                _ => return Ok(Answer::default()),
            }
        }
    }

    /// Reads an ERR packet that nobody asked for, as the server's last word.
    pub fn answer_unasked(&mut self) -> Failure {
        self.answer_unasked_after(0)
    }

    /// The same, after so many packets of the client.
    pub fn answer_unasked_after(&mut self, packets: u8) -> Failure {
        self.sequence = packets;
        let packet = self.packet().expect("a last word");
        assert_eq!(packet[0], 0xFF);
        failure(&packet)
    }

    /// Sends a packet.
    pub fn send(&mut self, payload: &[u8]) -> Result<()> {
        let mut rest = payload;
        while rest.len() >= 0xFF_FFFF {
            let (chunk, others) = rest.split_at(0xFF_FFFF);
            self.send_chunk(chunk)?;
            rest = others;
        }
        self.send_chunk(rest)
    }

    fn send_chunk(&mut self, payload: &[u8]) -> Result<()> {
        let size = u32::try_from(payload.len()).unwrap().to_le_bytes();
        let mut bytes = vec![size[0], size[1], size[2], self.sequence];
        bytes.extend(payload);
        self.sequence = self.sequence.wrapping_add(1);
        Ok(self.stream.write_all(&bytes)?)
    }

    /// Reads a packet.
    pub fn packet(&mut self) -> Result<Vec<u8>> {
        let mut payload = Vec::new();
        loop {
            let mut header = [0; 4];
            self.stream.read_exact(&mut header)?;
            assert_eq!(header[3], self.sequence, "the server counts packets");
            self.sequence = self.sequence.wrapping_add(1);
            let size = usize::from(header[0]) | usize::from(header[1]) << 8 | usize::from(header[2]) << 16;
            let start = payload.len();
            payload.resize(start + size, 0);
            self.stream.read_exact(&mut payload[start..])?;
            if size < 0xFF_FFFF {
                return Ok(payload);
            }
        }
    }
}

fn scramble(plugin: &str, nonce: &[u8], password: &str) -> Vec<u8> {
    let password = password.as_bytes();
    match plugin {
        "caching_sha2_password" => scramble_sha256(nonce, password).map_or_else(Vec::new, Vec::from),
        "mysql_native_password" => scramble_native(nonce, password).map_or_else(Vec::new, Vec::from),
        other => panic!("the test's client has no plugin {other}"),
    }
}

fn failure(packet: &[u8]) -> Failure {
    let code = u16::from_le_bytes([packet[1], packet[2]]);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if packet.get(3) == Some(&b'#') {
        Failure::Server(code, text(&packet[9..]))
    } else {
        Failure::Server(code, text(&packet[3..]))
    }
}

fn ok_packet(bytes: &[u8]) -> Answer {
    let mut input = Input(bytes);
    let (affected, insert_id) = (input.lenenc(), input.lenenc());
    let (status, warnings) = (input.u16(), input.u16());
    let info = String::from_utf8_lossy(input.0).into_owned();
    Answer { status, warnings, affected, insert_id, info, ..Answer::default() }
}

struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn u16(&mut self) -> u16 {
        u16::try_from(self.number(2)).unwrap()
    }

    fn number(&mut self, size: usize) -> u64 {
        let (bytes, rest) = self.0.split_at(size);
        self.0 = rest;
        bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
    }

    fn lenenc(&mut self) -> u64 {
        match self.number(1) {
            0xFC => self.number(2),
            0xFD => self.number(3),
            0xFE => self.number(8),
            small => small,
        }
    }

    fn text(&mut self) -> String {
        let size = usize::try_from(self.lenenc()).unwrap();
        let (bytes, rest) = self.0.split_at(size);
        self.0 = rest;
        String::from_utf8_lossy(bytes).into_owned()
    }

    fn value(&mut self) -> Option<String> {
        if self.0[0] == 0xFB {
            self.0 = &self.0[1..];
            return None;
        }
        Some(self.text())
    }
}
