//! A client that costs the same for ten connections and for ten thousand: one thread that waits for all of them.
//!
//! sysbench has a thread for each connection. On a machine that server and clients share, four thousand threads cost five
//! times what a hundred do for each transaction, and what is measured is mostly them. This does what sysbench's
//! `oltp_update_non_index` does (a prepared `UPDATE sbtestN SET c=? WHERE id=?` on a random row, autocommit) and reports
//! in sysbench's words, once after the warm-up and once at the end.

use std::cell::{Cell, RefCell};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rig::random::Random;
use rig::{Outcome, check};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::pace::Pace;

/// The first argument of a bench that is started as a swarm.
pub const WORD: &str = "swarm";

/// The script that it knows.
pub const SCRIPT: &str = "oltp_update_non_index";

/// LONG_PASSWORD, CONNECT_WITH_DB, PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION, PLUGIN_AUTH.
const CAPABILITIES: u32 = 0x1 | 0x8 | 0x200 | 0x2000 | 0x8000 | 0x8_0000;
const COM_QUERY: u8 = 0x03;
const COM_STMT_PREPARE: u8 = 0x16;
const COM_STMT_EXECUTE: u8 = 0x17;
/// First bytes of answers.
const OK: u8 = 0x00;
const AUTH_SWITCH: u8 = 0xFE;
/// Length of sysbench's `c`.
const ROW_SIZE: usize = 119;

/// What it is to do.
#[derive(Clone, Copy, Debug)]
pub struct Swarm {
    /// The server's port on 127.0.0.1.
    pub port: u16,
    /// Connections.
    pub clients: u32,
    /// Rows of each of the 4 tables.
    pub table_size: u32,
    /// Seconds that are reported.
    pub seconds: u32,
    /// Seconds before that.
    pub warm_up: u32,
    /// Transactions a second of all together; 0: as many as there can be.
    pub rate: u32,
    /// Which of two turns is its own; nothing: all the time. With a rate only.
    pub turn: Option<u32>,
}

impl Swarm {
    /// The command line of a process that does it.
    pub fn command(&self) -> Outcome<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        let Self { port, clients, table_size, seconds, warm_up, rate, turn } = *self;
        command
            .arg(WORD)
            .args([u32::from(port), clients, table_size, seconds, warm_up, rate].map(|it| it.to_string()))
            .args(turn.map(|turn| turn.to_string()));
        Ok(command)
    }

    /// Reads what stands behind the word.
    pub fn read(arguments: &[String]) -> Outcome<Self> {
        let [port, clients, table_size, seconds, warm_up, rate, turn @ ..] = arguments else {
            return Err("swarm PORT CLIENTS TABLE-SIZE SECONDS WARM-UP RATE [TURN]".into());
        };
        Ok(Self {
            port: port.parse()?,
            clients: clients.parse()?,
            table_size: table_size.parse()?,
            seconds: seconds.parse()?,
            warm_up: warm_up.parse()?,
            rate: rate.parse()?,
            turn: turn.first().map(|turn| turn.parse()).transpose()?,
        })
    }

    /// Does it.
    pub fn run(self) -> Outcome {
        let connect = |number| Client::connect(self, number);
        let clients = (0..self.clients).map(connect).collect::<Outcome<Vec<_>>>()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        tokio::task::LocalSet::new().block_on(&runtime, self.play(clients))
    }

    async fn play(self, clients: Vec<Client>) -> Outcome {
        let tally = Rc::new(Tally::default());
        for client in clients {
            let tally = Rc::clone(&tally);
            tokio::task::spawn_local(async move {
                if let Err(error) = client.play(&tally).await {
                    tally.failure.borrow_mut().get_or_insert(error.to_string());
                }
            });
        }
        for seconds in [self.warm_up, self.seconds] {
            let begun = Instant::now();
            tally.micros.borrow_mut().clear();
            tokio::time::sleep(Duration::from_secs(seconds.into())).await;
            if let Some(error) = &*tally.failure.borrow() {
                return Err(error.clone().into());
            }
            println!("{}", report(&mut tally.micros.borrow_mut(), begun.elapsed()));
        }
        tally.is_over.set(true);
        Ok(())
    }
}

/// What all clients have done.
#[derive(Debug, Default)]
struct Tally {
    /// How long each transaction took.
    micros: RefCell<Vec<u32>>,
    failure: RefCell<Option<String>>,
    is_over: Cell<bool>,
}

fn report(micros: &mut [u32], time: Duration) -> String {
    micros.sort_unstable();
    let ms = |place: usize| micros.get(place).map_or(0.0, |us| f64::from(*us) / 1000.0);
    let count = micros.len();
    format!(
        "SQL statistics:\n    transactions: {count} ({:.2} per sec.)\n    ignored errors: 0 (0.00 per sec.)\n    \
         max: {:.2}\n    median: {:.2}\n    99th percentile: {:.2}\n    95th percentile: {:.2}",
        count as f64 / time.as_secs_f64(),
        ms(count.saturating_sub(1)),
        ms(count / 2),
        ms(count * 99 / 100),
        ms(count * 95 / 100),
    )
}

/// A connection that has logged in and prepared its statement.
struct Client {
    stream: TcpStream,
    statement: u32,
    table_size: u32,
    random: Random,
    /// When its transactions begin, if that is fixed.
    pace: Option<Pace>,
}

impl Client {
    fn connect(swarm: Swarm, number: u32) -> Outcome<Self> {
        let mut stream = login(swarm.port)?;
        let command = |command: u8, text: &str| framed(0, &[&[command], text.as_bytes()].concat());
        stream.write_all(&command(COM_QUERY, "SET autocommit = 1"))?;
        expect_ok(&receive(&mut stream)?.1, "SET autocommit")?;
        let sql = format!("UPDATE sbtest{} SET c=? WHERE id=?", number % 4 + 1);
        stream.write_all(&command(COM_STMT_PREPARE, &sql))?;
        let prepared = receive(&mut stream)?.1;
        expect_ok(&prepared, &sql)?;
        let statement = prepared.get(1..5).and_then(|id| id.try_into().ok()).ok_or("a short answer")?;
        // Two parameters and what ends their list.
        for _ in 0..3 {
            receive(&mut stream)?;
        }
        stream.set_nonblocking(true)?;
        let statement = u32::from_le_bytes(statement);
        // Another sequence in each run: what is there already would be no change.
        let random = Random::new((u64::from(std::process::id()) << 32) + u64::from(number) + 1);
        let period = (swarm.rate > 0).then(|| Duration::from_secs(swarm.clients.into()) / swarm.rate);
        let pace = period.map(|period| Pace::new(period, swarm.turn));
        Ok(Self { stream, statement, table_size: swarm.table_size, random, pace })
    }

    /// Commits one transaction after another.
    async fn play(mut self, tally: &Tally) -> Outcome {
        let mut stream = tokio::net::TcpStream::from_std(self.stream.try_clone()?)?;
        let mut answer = [0; 512];
        if let Some(pace) = &mut self.pace {
            pace.begin(self.random.below(1000) as f64 / 1e3);
        }
        while !tally.is_over.get() {
            let packet = self.execution();
            let begun = match &mut self.pace {
                Some(pace) => pace.next().await,
                None => Instant::now(),
            };
            stream.write_all(&packet).await?;
            let mut size = 0;
            while size < 4 || size < 4 + length(&answer) {
                let read = stream.read(&mut answer[size..]).await?;
                check(read > 0, || "the server has hung up".to_owned())?;
                size += read;
            }
            expect_ok(&answer[4..size], "UPDATE")?;
            tally.micros.borrow_mut().push(u32::try_from(begun.elapsed().as_micros()).unwrap_or(u32::MAX));
        }
        Ok(())
    }

    /// COM_STMT_EXECUTE with a random row and digits like sysbench's.
    fn execution(&mut self) -> Vec<u8> {
        let mut body = Vec::with_capacity(160);
        body.push(COM_STMT_EXECUTE);
        body.extend(self.statement.to_le_bytes());
        // No cursor, one iteration, no NULLs, types follow: VAR_STRING and LONG.
        body.extend([0, 1, 0, 0, 0, 0, 1, 253, 0, 3, 0]);
        body.push(u8::try_from(ROW_SIZE).expect("one byte says it"));
        for place in 0..ROW_SIZE {
            let digit = b'0' + u8::try_from(self.random.below(10)).expect("a digit");
            body.push(if place % 12 == 11 { b'-' } else { digit });
        }
        let row = 1 + u32::try_from(self.random.below(self.table_size.into())).expect("a row's number");
        body.extend(row.to_le_bytes());
        framed(0, &body)
    }
}

/// A connection that has logged in.
pub fn login(port: u16) -> Outcome<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    receive(&mut stream)?;
    let mut login = CAPABILITIES.to_le_bytes().to_vec();
    login.extend((1_u32 << 24).to_le_bytes());
    login.push(45);
    login.extend([0; 23]);
    login.extend(b"sbtest\0\0sbtest\0mysql_native_password\0");
    stream.write_all(&framed(1, &login))?;
    let mut answer = receive(&mut stream)?;
    if answer.1.first() == Some(&AUTH_SWITCH) {
        // No password, whatever the method.
        stream.write_all(&framed(answer.0.wrapping_add(1), &[]))?;
        answer = receive(&mut stream)?;
    }
    expect_ok(&answer.1, "login")?;
    Ok(stream)
}

/// A packet.
pub fn framed(sequence: u8, body: &[u8]) -> Vec<u8> {
    let [a, b, c, ..] = body.len().to_le_bytes();
    [&[a, b, c, sequence], body].concat()
}

/// Length of the body behind a packet's head.
fn length(head: &[u8]) -> usize {
    usize::from(head[0]) | usize::from(head[1]) << 8 | usize::from(head[2]) << 16
}

/// Sequence number and body of a packet.
pub fn receive(stream: &mut TcpStream) -> Outcome<(u8, Vec<u8>)> {
    let mut head = [0; 4];
    stream.read_exact(&mut head)?;
    let mut body = vec![0; length(&head)];
    stream.read_exact(&mut body)?;
    Ok((head[3], body))
}

fn expect_ok(body: &[u8], what: &str) -> Outcome {
    check(body.first() == Some(&OK), || format!("{what}: {}", String::from_utf8_lossy(body)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_reads_as_sysbenchs() {
        let said = report(&mut [3000, 1000, 2000], Duration::from_secs(2));
        let report = rig::sysbench::parse(&said).unwrap();
        assert_eq!((report.transactions, report.ignored_errors), (3, 0));
        assert!((report.tps - 1.5).abs() < 1e-9 && (report.p95_ms - 3.0).abs() < 1e-9, "{said}");
    }

    #[test]
    fn its_command_line_is_read_again() {
        for turn in [None, Some(1)] {
            let swarm =
                Swarm { port: 3306, clients: 10, table_size: 5, seconds: 2, warm_up: 1, rate: 0, turn };
            let words: Vec<String> = swarm
                .command()
                .unwrap()
                .get_args()
                .skip(1)
                .map(|it| it.to_string_lossy().into_owned())
                .collect();
            let again = Swarm::read(&words).unwrap();
            assert_eq!((again.port, again.clients, again.warm_up, again.turn), (3306, 10, 1, turn));
        }
        assert!(Swarm::read(&[]).is_err());
    }
}
