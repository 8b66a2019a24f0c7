//! Purpose: a prepared SELECT that was asked for a cursor gives its rows when they are fetched, as in MySQL.
//!
//! Requirements: R1. an execution is answered with the columns alone; R2. each fetch has so many rows, and says whether the cursor is
//! still there: it ends with the fetch that finds fewer; R3. neither changes, nor the end of the transaction, nor DROP TABLE move it; R4. the next
//! execution and COM_STMT_RESET end it; R5. results of any size, in memory and beyond; R6. errors 1243 and 1421; what fails has no cursor;
//! what is no SELECT comes whole.
//!
//! Method: a whole server on a simulated disk, and a client that speaks the protocol's bytes, as recorded from MySQL 9.7.4.

use crate::client::{Answer, Client, Result};
use crate::whole::{World, ok, rows};

const CURSOR_EXISTS: u16 = 0x40;
const LAST_ROW_SENT: u16 = 0x80;

fn prepare(client: &mut Client, sql: &str) -> u32 {
    client.command(&[&[0x16], sql.as_bytes()].concat()).unwrap();
    client.prepared().unwrap()
}

/// COM_STMT_EXECUTE with these flags.
fn execute(client: &mut Client, id: u32, flags: u8) -> Result<Answer> {
    client.command(&[&[0x17], &id.to_le_bytes()[..], &[flags, 1, 0, 0, 0]].concat())?;
    client.answer()
}

fn open(client: &mut Client, id: u32) {
    let answer = execute(client, id, 1).unwrap();
    assert_eq!((answer.rows.len(), answer.status & (CURSOR_EXISTS | LAST_ROW_SENT)), (0, CURSOR_EXISTS));
}

/// COM_STMT_FETCH: the last bytes of each row, and the status.
fn fetch(client: &mut Client, id: u32, count: u32) -> std::result::Result<(Vec<u8>, u16), u16> {
    client.command(&[&[0x1C], &id.to_le_bytes()[..], &count.to_le_bytes()].concat()).unwrap();
    let mut last = Vec::new();
    loop {
        let packet = client.packet().unwrap();
        match packet[0] {
            0xFF => return Err(u16::from_le_bytes([packet[1], packet[2]])),
            0xFE => {
                let status = u16::from_le_bytes([packet[3], packet[4]]);
                return Ok((last, status & (CURSOR_EXISTS | LAST_ROW_SENT)));
            }
            _ => last.extend(packet.last()),
        }
    }
}

const TABLE: &str = "CREATE TABLE d.t (a INT PRIMARY KEY, b VARCHAR(20))";

#[test]
fn rows_come_when_they_are_fetched() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, TABLE);
    ok(&mut root, "INSERT INTO d.t VALUES (1, 'p'), (2, 'q'), (3, 'r'), (4, 's')");
    let id = prepare(&mut root, "SELECT a, b FROM d.t ORDER BY a");
    open(&mut root, id);
    assert_eq!(fetch(&mut root, id, 2), Ok((b"pq".to_vec(), CURSOR_EXISTS)));
    assert_eq!(fetch(&mut root, id, 0), Ok((Vec::new(), CURSOR_EXISTS)));
    assert_eq!(fetch(&mut root, id, 2), Ok((b"rs".to_vec(), CURSOR_EXISTS)), "nobody has looked behind them");
    assert_eq!(fetch(&mut root, id, 1), Ok((Vec::new(), LAST_ROW_SENT)));
    assert_eq!(fetch(&mut root, id, 1), Err(1421));
    open(&mut root, id);
    assert_eq!(fetch(&mut root, id, 9), Ok((b"pqrs".to_vec(), LAST_ROW_SENT)));
    assert_eq!(fetch(&mut root, 99, 1), Err(1243));
    // It is a copy.
    ok(&mut root, "BEGIN");
    open(&mut root, id);
    assert_eq!(fetch(&mut root, id, 1), Ok((b"p".to_vec(), CURSOR_EXISTS)));
    ok(&mut root, "DELETE FROM d.t WHERE a = 2");
    ok(&mut root, "COMMIT");
    ok(&mut root, "DROP TABLE d.t");
    assert_eq!(fetch(&mut root, id, 2), Ok((b"qr".to_vec(), CURSOR_EXISTS)));
    assert_eq!(execute(&mut root, id, 1).unwrap_err().code(), 1146);
    assert_eq!(fetch(&mut root, id, 1), Err(1421), "the execution has ended it");
    ok(&mut root, TABLE);
    open(&mut root, id);
    root.command(&[&[0x1A], &id.to_le_bytes()[..]].concat()).unwrap();
    root.answer().unwrap();
    assert_eq!(fetch(&mut root, id, 1), Err(1421), "it was reset");
    open(&mut root, id);
    assert_eq!(execute(&mut root, id, 0).unwrap().status & CURSOR_EXISTS, 0);
    assert_eq!(fetch(&mut root, id, 1), Err(1421), "this one had none");
    world.stop();
}

#[test]
fn what_is_no_select_comes_whole() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, TABLE);
    for sql in ["INSERT INTO d.t VALUES (1, 'x')", "SET @a = 1", "SELECT a FROM d.t LIMIT 1 INTO @x", "DO 1"]
    {
        let id = prepare(&mut root, sql);
        let answer = execute(&mut root, id, 1).unwrap();
        assert_eq!(answer.status & CURSOR_EXISTS, 0, "{sql}");
        assert_eq!(fetch(&mut root, id, 1), Err(1421), "{sql}");
    }
    for (sql, columns) in [("SHOW DATABASES LIKE 'd'", 1), ("SHOW VARIABLES LIKE 'sync_binlog'", 2)] {
        let id = prepare(&mut root, sql);
        for _ in 0..2 {
            root.command(&[&[0x17], &id.to_le_bytes()[..], &[1, 1, 0, 0, 0]].concat()).unwrap();
            let answer: Vec<Vec<u8>> = (0..columns + 3).map(|_| root.packet().unwrap()).collect();
            assert_eq!(answer[0], [columns], "{sql}");
            let [row, end] = answer.last_chunk().unwrap();
            assert_eq!((row[0], end[0]), (0, 0xFE), "{sql}: a row and the end, each time");
        }
    }
    let id = prepare(&mut root, "SELECT a FROM d.t WHERE a = (SELECT 1 UNION SELECT 2)");
    assert_eq!(execute(&mut root, id, 1).unwrap_err().code(), 1242);
    assert_eq!(fetch(&mut root, id, 1), Err(1421));
    world.stop();
}

#[test]
fn results_of_any_size_are_kept() {
    let world = World::start_with(&["--max-allowed-packet=64M"]);
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (a INT PRIMARY KEY, b LONGTEXT, c CHAR(1))");
    // Rows around the sizes of buffers and of packets, and many small ones between them.
    let sizes =
        [1_usize, 65_000, 70_000, 300_000, 16_777_214 - 12, 16_777_215 - 12, 16_777_216 - 12, 20_000_000];
    for (number, size) in sizes.into_iter().enumerate() {
        let letter = char::from(b'a' + u8::try_from(number).unwrap());
        ok(
            &mut root,
            &format!("INSERT INTO d.t VALUES ({}, REPEAT('x', {size}), '{letter}')", number * 1000),
        );
    }
    let small: Vec<String> = (1..1000).map(|number| format!("({}, '', '-')", 2000 + number)).collect();
    ok(&mut root, &format!("INSERT INTO d.t VALUES {}", small.join(", ")));
    let id = prepare(&mut root, "SELECT * FROM d.t ORDER BY a");
    for count in [1, 7, 100_000] {
        open(&mut root, id);
        let mut all = Vec::new();
        loop {
            let (last, status) = fetch(&mut root, id, count).unwrap();
            all.extend(last);
            if status == LAST_ROW_SENT {
                break;
            }
        }
        let expected = [&b"abc"[..], &[b'-'; 999], b"defgh"].concat();
        assert_eq!(String::from_utf8(all), String::from_utf8(expected), "{count} at a time");
    }
    assert_eq!(rows(&mut root, "SELECT COUNT(*) FROM d.t"), ["1007"]);
    world.stop();
}
