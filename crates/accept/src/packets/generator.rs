//! Packets that are wrong in every way that comes to mind: valid ones with flipped, cut, doubled and invented bytes,
//! wrong lengths and sequence numbers, and plain noise.

use rig::random::Random;

/// Capabilities of an ordinary client: LONG_PASSWORD, CONNECT_WITH_DB, PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION,
/// MULTI_STATEMENTS, MULTI_RESULTS, PS_MULTI_RESULTS, PLUGIN_AUTH.
const CAPABILITIES: u32 = 0x1 | 0x8 | 0x200 | 0x2000 | 0x8000 | 0x1_0000 | 0x2_0000 | 0x4_0000 | 0x8_0000;

/// Statements to mutate. Whatever becomes of them, the account owns one database only.
const STATEMENTS: [&str; 14] = [
    "SELECT 1",
    "SELECT * FROM t WHERE id BETWEEN 1 AND 10 ORDER BY v LIMIT 5",
    "INSERT INTO t VALUES (1, 'a'), (2, NULL) ON DUPLICATE KEY UPDATE v = 'x'",
    "UPDATE t SET v = CONCAT(v, 'y') WHERE id = 1",
    "DELETE FROM t WHERE id IN (1, 2, 3)",
    "BEGIN",
    "ROLLBACK",
    "SELECT id, COUNT(*) FROM t GROUP BY id HAVING COUNT(*) > 0",
    "SET NAMES utf8mb4",
    "SHOW TABLES",
    "SELECT ((((((1))))))+-+-1.5e10, _latin1'x', X'FF', /*! 1 */ 'a\\'b'",
    "CREATE TABLE x (id INT, d DECIMAL(10,2), KEY (id))",
    "DROP TABLE IF EXISTS x",
    "PREPARE s FROM 'SELECT ?'; EXECUTE s USING @a; DEALLOCATE PREPARE s",
];

/// Command bytes that exist, and some that do not. COM_QUIT is left out: what follows it is
/// not read.
const COMMANDS: [u8; 21] = [
    0x00, 0x02, 0x03, 0x04, 0x05, 0x07, 0x09, 0x0A, 0x0D, 0x0E, 0x11, 0x12, 0x16, 0x17, 0x18, 0x19, 0x1A,
    0x1B, 0x1C, 0x1F, 0xFF,
];

/// A packet: length, sequence number, body.
pub fn frame(sequence: u8, body: &[u8]) -> Vec<u8> {
    let [a, b, c, ..] = body.len().to_le_bytes();
    [&[a, b, c, sequence], body].concat()
}

/// An ordinary answer to the greeting, by an account without a password.
pub fn login(user: &str) -> Vec<u8> {
    let mut body = CAPABILITIES.to_le_bytes().to_vec();
    body.extend((1_u32 << 24).to_le_bytes());
    body.push(45);
    body.extend([0; 23]);
    body.extend(user.as_bytes());
    body.extend([0, 0]);
    body.extend(b"fuzz\0mysql_native_password\0");
    body
}

/// What a connection sends that has not logged in.
pub fn answer(random: &mut Random) -> Vec<u8> {
    let body = match random.below(4) {
        0 => random.bytes(300),
        1 => {
            // Any capabilities: the rest is read by another layout.
            let mut body = login("fuzz");
            let flags = u32::try_from(random.number() >> 32).unwrap_or(0);
            body[..4].copy_from_slice(&flags.to_le_bytes());
            body
        }
        2 => mutate(random, login("root")),
        _ => {
            let mut body = login("fuzz");
            body.extend(random.bytes(60));
            mutate(random, body)
        }
    };
    misframe(random, 1, &body)
}

/// What a connection sends that has logged in. Only the last packet may be framed wrongly.
pub fn command(random: &mut Random, last: bool) -> Vec<u8> {
    let body = match random.below(8) {
        0 => random.bytes(200),
        1 => {
            let mut body = vec![*random.pick(&COMMANDS)];
            body.extend(random.bytes(100));
            body
        }
        2 => prepared(random),
        3 => {
            let statement = random.pick(&STATEMENTS).as_bytes().to_vec();
            with(0x16, &mutate(random, statement))
        }
        4 => {
            let mut body = with(0x11, b"fuzz\0");
            body.extend(random.bytes(80));
            body
        }
        _ => {
            let statement = random.pick(&STATEMENTS).as_bytes().to_vec();
            with(0x03, &mutate(random, statement))
        }
    };
    let body = if random.below(3) == 0 { mutate(random, body) } else { body };
    if last { misframe(random, 0, &body) } else { frame(0, &body) }
}

/// COM_STMT_EXECUTE, SEND_LONG_DATA, FETCH, RESET or CLOSE of statements that may exist, with invented parameters.
fn prepared(random: &mut Random) -> Vec<u8> {
    let command = *random.pick(&[0x17, 0x18, 0x19, 0x1A, 0x1C]);
    let mut body = vec![command];
    body.extend(u32::try_from(random.below(4)).unwrap_or(0).to_le_bytes());
    if command == 0x17 {
        body.push(random.byte() & 1);
        body.extend(1_u32.to_le_bytes());
    }
    body.extend(random.bytes(60));
    body
}

fn with(command: u8, rest: &[u8]) -> Vec<u8> {
    [&[command], rest].concat()
}

/// Changes some bytes, or cuts, doubles, inserts.
fn mutate(random: &mut Random, mut body: Vec<u8>) -> Vec<u8> {
    for _ in 0..=random.below(4) {
        if body.is_empty() {
            return body;
        }
        let at = usize::try_from(random.below(body.len() as u64)).unwrap_or(0);
        match random.below(6) {
            0 => body[at] ^= 1 << random.below(8),
            1 => body[at] = random.byte(),
            2 => body.truncate(at),
            3 => body.extend_from_within(at..),
            4 => body[at] = *random.pick(&[0, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF]),
            _ => {
                let noise = random.bytes(8);
                body.splice(at..at, noise);
            }
        }
    }
    body
}

/// Frames a body, now and then wrongly.
fn misframe(random: &mut Random, sequence: u8, body: &[u8]) -> Vec<u8> {
    let mut packet = frame(sequence, body);
    match random.below(12) {
        0 => packet[3] = random.byte(),
        1 => packet[0] = random.byte(),
        2 => packet[1] = random.byte(),
        // 16 MiB announced, little sent.
        3 => packet[..3].fill(0xFF),
        4 => packet.truncate(3),
        _ => {}
    }
    packet
}
