//! As much of a MySQL client as recording needs: text queries, prepared statements, an account without password.

use std::io::{Error, Read, Result, Write};
use std::net::TcpStream;

/// A connection.
pub struct Client {
    stream: TcpStream,
    sequence: u8,
}

/// What a statement answered.
pub type Answer = std::result::Result<Rows, ServerError>;

/// A result set; without columns for statements that have none.
#[derive(Default)]
pub struct Rows {
    pub columns: Vec<ColumnDefinition>,
    /// Text rows, or the raw packets of binary rows as a single column.
    pub rows: Vec<Vec<Option<Vec<u8>>>>,
}

/// An ERR packet.
pub struct ServerError {
    pub code: u16,
    pub message: String,
}

/// What a column definition says of a type.
pub struct ColumnDefinition {
    pub type_code: u8,
    pub collation_id: u16,
    pub length: u32,
    pub flags: u16,
    pub decimals: u8,
}

// CLIENT_LONG_PASSWORD | LONG_FLAG | PROTOCOL_41 | TRANSACTIONS | SECURE_CONNECTION | PLUGIN_AUTH
const CAPABILITIES: u32 = 1 | 4 | 512 | 8192 | 32768 | 0x8_0000;

impl Client {
    /// Connects to 127.0.0.1 as root.
    pub fn connect(port: u16) -> Result<Self> {
        let mut client = Self { stream: TcpStream::connect(("127.0.0.1", port))?, sequence: 0 };
        client.receive()?;
        let mut reply = CAPABILITIES.to_le_bytes().to_vec();
        reply.extend_from_slice(&(1_u32 << 26).to_le_bytes());
        reply.push(45);
        reply.extend_from_slice(&[0; 23]);
        reply.extend_from_slice(b"root\0\0mysql_native_password\0");
        client.send(&reply)?;
        loop {
            let packet = client.receive()?;
            match packet.first() {
                Some(0) => return Ok(client),
                // A switch to another method, or more of it: an empty password answers with nothing.
                Some(0xFE) => client.send(&[])?,
                Some(1) => {}
                _ => return Err(Error::other(String::from_utf8_lossy(&packet).into_owned())),
            }
        }
    }

    /// Runs a statement that must succeed.
    pub fn run(&mut self, sql: &str) -> Result<Rows> {
        self.query(sql)?.map_err(|error| Error::other(format!("{sql}: {} {}", error.code, error.message)))
    }

    /// Runs a statement.
    pub fn query(&mut self, sql: &str) -> Result<Answer> {
        self.command(3, sql.as_bytes())?;
        let mut answer = Rows::default();
        let Some(count) = self.column_count()? else { return Ok(Ok(answer)) };
        let count = match count {
            Ok(count) => count,
            Err(error) => return Ok(Err(error)),
        };
        self.definitions(count, &mut answer)?;
        loop {
            let packet = self.receive()?;
            match packet.first() {
                Some(0xFE) if packet.len() < 9 => return Ok(Ok(answer)),
                Some(0xFF) => return Ok(Err(server_error(&packet))),
                _ => answer.rows.push(text_row(&packet, count)),
            }
        }
    }

    /// Prepares and executes a SELECT without parameters; its rows are raw packets.
    pub fn binary(&mut self, sql: &str) -> Result<Vec<Vec<u8>>> {
        self.command(0x16, sql.as_bytes())?;
        let packet = self.receive()?;
        if packet.first() != Some(&0) {
            return Err(Error::other(server_error(&packet).message));
        }
        let (id, columns) = (packet[1..5].to_vec(), u16::from_le_bytes([packet[5], packet[6]]));
        self.definitions(usize::from(columns), &mut Rows::default())?;
        self.command(0x17, &[&id[..], &[0, 1, 0, 0, 0]].concat())?;
        self.receive()?;
        self.definitions(usize::from(columns), &mut Rows::default())?;
        let mut rows = Vec::new();
        loop {
            let packet = self.receive()?;
            if packet.first() == Some(&0xFE) && packet.len() < 9 {
                self.command(0x19, &id)?;
                return Ok(rows);
            }
            rows.push(packet);
        }
    }

    /// None for an OK packet, else the number of columns.
    fn column_count(&mut self) -> Result<Option<std::result::Result<usize, ServerError>>> {
        let packet = self.receive()?;
        Ok(match packet.first() {
            Some(0) => None,
            Some(0xFF) => Some(Err(server_error(&packet))),
            _ => Some(Ok(usize::from(packet[0]))),
        })
    }

    fn definitions(&mut self, count: usize, answer: &mut Rows) -> Result<()> {
        for _ in 0..count {
            let packet = self.receive()?;
            let mut rest = packet.as_slice();
            for _ in 0..6 {
                let size = usize::from(rest[0]);
                rest = &rest[1 + size..];
            }
            answer.columns.push(ColumnDefinition {
                collation_id: u16::from_le_bytes([rest[1], rest[2]]),
                length: u32::from_le_bytes([rest[3], rest[4], rest[5], rest[6]]),
                type_code: rest[7],
                flags: u16::from_le_bytes([rest[8], rest[9]]),
                decimals: rest[10],
            });
        }
        // The EOF packet behind the definitions.
        self.receive().map(|_| ())
    }

    fn command(&mut self, code: u8, body: &[u8]) -> Result<()> {
        self.sequence = 0;
        self.send(&[&[code], body].concat())
    }

    fn send(&mut self, body: &[u8]) -> Result<()> {
        let mut packet = u32::try_from(body.len()).map_err(Error::other)?.to_le_bytes()[..3].to_vec();
        packet.push(self.sequence);
        packet.extend_from_slice(body);
        self.sequence = self.sequence.wrapping_add(1);
        self.stream.write_all(&packet)
    }

    fn receive(&mut self) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let mut header = [0; 4];
            self.stream.read_exact(&mut header)?;
            let size = u32::from_le_bytes([header[0], header[1], header[2], 0]);
            self.sequence = header[3].wrapping_add(1);
            let start = body.len();
            body.resize(start + usize::try_from(size).map_err(Error::other)?, 0);
            self.stream.read_exact(&mut body[start..])?;
            if size < 0xFF_FFFF {
                return Ok(body);
            }
        }
    }
}

fn server_error(packet: &[u8]) -> ServerError {
    let code = u16::from_le_bytes([packet[1], packet[2]]);
    ServerError { code, message: String::from_utf8_lossy(packet.get(9..).unwrap_or(&[])).into_owned() }
}

fn text_row(packet: &[u8], count: usize) -> Vec<Option<Vec<u8>>> {
    let mut rest = packet;
    (0..count)
        .map(|_| {
            let (size, prefix) = match rest[0] {
                0xFB => {
                    rest = &rest[1..];
                    return None;
                }
                0xFC => (usize::from(rest[1]) | usize::from(rest[2]) << 8, 3),
                0xFD => (usize::from(rest[1]) | usize::from(rest[2]) << 8 | usize::from(rest[3]) << 16, 4),
                0xFE => (rest[1..9].iter().rev().fold(0, |size, &byte| size << 8 | usize::from(byte)), 9),
                size => (usize::from(size), 1),
            };
            let value = rest[prefix..prefix + size].to_vec();
            rest = &rest[prefix + size..];
            Some(value)
        })
        .collect()
}
