//! Malformed packets.
//!
//! Purpose: whatever arrives, before or after the login, harms nobody else: a healthy client works on beside it, its
//! session and its rows unharmed, and the server neither ends nor grows without bound.
//! Method: a seeded generator makes packets (`generator`); half of them are sent by connections that have not logged
//! in, half by an account that owns one database. A connection sends a handful, says that it is done, and reads what
//! comes until the server closes.

mod generator;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mysql_async::Params;
use mysql_async::prelude::Queryable;
use rig::onelog::{Config, Onelog};
use rig::random::Random;
use rig::{Outcome, check, paths, usage};

use crate::{Plan, sql};

const SENDERS: u64 = 8;
/// Packets that a connection sends at most.
const HANDFUL: u64 = 8;
/// How much the server may grow meanwhile.
const GROWTH_MAX: u64 = 256 << 20;
/// How long the healthy client may wait for one transaction.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// See the module.
pub fn run(plan: &Plan) -> Outcome {
    let dir = paths::fresh("accept/packets")?;
    let options = ["--log-bin=binlog", "--max-connections=200", "--max-connect-errors=1000000000"];
    let mut server = Config::new(&dir.join("data"), &options)?.start()?;
    let each = if plan.full { 50_000 } else { 5_000 };
    println!("seed {}, {each} packets before the login and {each} after it", plan.seed);
    sql::run(
        server.port(),
        &[
            "CREATE USER 'fuzz'@'%' IDENTIFIED WITH mysql_native_password",
            "CREATE DATABASE fuzz",
            "GRANT ALL ON fuzz.* TO 'fuzz'@'%'",
            "CREATE TABLE fuzz.t (id INT PRIMARY KEY, v VARCHAR(100))",
            "CREATE DATABASE healthy",
            "CREATE TABLE healthy.t (n INT PRIMARY KEY)",
        ],
    )?;
    let before = usage::resident(server.pid())?;
    let done = Arc::new(AtomicBool::new(false));
    let healthy = healthy(server.port(), &done);
    for logged_in in [false, true] {
        let (sent, answered) = send_all(&server, plan.seed, logged_in, each)?;
        server.check_alive()?;
        println!("logged in: {logged_in}; {sent} packets sent, {answered} bytes of answers");
        // Whoever is logged in is told at least what was wrong, as far as a packet was one.
        check(!logged_in || answered > 10 * sent, || "hardly any answers".to_owned())?;
    }
    done.store(true, Ordering::SeqCst);
    let transactions = healthy.join().map_err(|_| "the healthy client panicked")??;
    let grown = usage::resident(server.pid())?.saturating_sub(before);
    println!("the healthy client did {transactions} transactions; the server grew by {} KiB", grown >> 10);
    check(grown < GROWTH_MAX, || format!("the server grew by {grown} bytes"))?;
    let said = std::fs::read_to_string(server.config.log())?;
    check(!said.contains("panicked"), || format!("a panic: {said}"))?;
    stop_quietly(server)
}

/// The log may well complain about broken connections here.
fn stop_quietly(server: Onelog) -> Outcome {
    let config = server.config.clone();
    server.stop().or_else(|error| {
        let said = config.said()?;
        check(!said.contains("panicked") && error.to_string().contains("log says"), || error.to_string())
    })
}

/// A client with one long session: each transaction inserts a row, and all rows so far must be there.
fn healthy(port: u16, done: &Arc<AtomicBool>) -> JoinHandle<Outcome<u64>> {
    let done = Arc::clone(done);
    thread::spawn(move || {
        sql::block_on(async move {
            let mut conn = sql::root(port).await?;
            conn.query_drop("SET @mine = 'untouched'").await?;
            let mut n = 0;
            while !done.load(Ordering::SeqCst) {
                let begun = Instant::now();
                n += 1;
                conn.exec_drop("INSERT INTO healthy.t VALUES (?)", Params::from((n,))).await?;
                let found =
                    sql::value(&mut conn, "SELECT CONCAT(COUNT(*), ' ', MAX(n), ' ', @mine) FROM healthy.t")
                        .await?;
                check(found == format!("{n} {n} untouched"), || format!("after {n} rows: {found}"))?;
                check(begun.elapsed() < WAIT_MAX, || format!("transaction {n} took {:?}", begun.elapsed()))?;
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            conn.disconnect().await?;
            Ok(n)
        })
    })
}

/// Returns how many packets were sent and how many bytes of answers came.
fn send_all(server: &Onelog, seed: u64, logged_in: bool, wanted: u64) -> Outcome<(u64, u64)> {
    let port = server.port();
    let (sent, answered) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let senders: Vec<_> = (0..SENDERS)
        .map(|sender| {
            let (sent, answered) = (Arc::clone(&sent), Arc::clone(&answered));
            let mut random = Random::new(seed.wrapping_mul(1_000_003) + sender * 2 + u64::from(logged_in));
            thread::spawn(move || -> Outcome {
                while sent.load(Ordering::Relaxed) < wanted {
                    let (packets, bytes) = connection(port, &mut random, logged_in)?;
                    sent.fetch_add(packets, Ordering::Relaxed);
                    answered.fetch_add(bytes, Ordering::Relaxed);
                }
                Ok(())
            })
        })
        .collect();
    for sender in senders {
        sender.join().map_err(|_| "a sender panicked")??;
    }
    Ok((sent.load(Ordering::Relaxed), answered.load(Ordering::Relaxed)))
}

/// One connection; returns how many malformed packets it sent and how many bytes came back.
fn connection(port: u16, random: &mut Random, logged_in: bool) -> Outcome<(u64, u64)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    stream.set_nodelay(true)?;
    let greeting = read_packet(&mut stream).map_err(|error| format!("no greeting: {error}"))?;
    check(greeting.first() == Some(&10), || format!("an odd greeting: {greeting:?}"))?;
    if logged_in {
        stream.write_all(&generator::frame(1, &generator::login("fuzz")))?;
        while read_packet(&mut stream)?.first() == Some(&0xFE) {
            // A switch of plugins: without a password every answer is empty.
            stream.write_all(&generator::frame(3, &[]))?;
        }
    }
    let mut sent = 0;
    // The server closes at the first thing that is no packet, and at a failed login: that comes last.
    let handful = if logged_in { 1 + random.below(HANDFUL) } else { 1 };
    for left in (0..handful).rev() {
        let bytes = if logged_in { generator::command(random, left == 0) } else { generator::answer(random) };
        sent += 1;
        if stream.write_all(&bytes).is_err() {
            break;
        }
    }
    // Whether the server has closed already does not matter.
    let _ = stream.shutdown(Shutdown::Write);
    Ok((sent, drain(&mut stream)?))
}

/// Reads until the server closes; that it keeps the connection for ever is a failure.
fn drain(stream: &mut TcpStream) -> Outcome<u64> {
    let mut bytes = [0; 16 << 10];
    let mut answered = 0;
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return Ok(answered),
            Ok(size) => answered += size as u64,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                return Err("the server neither answers nor closes".into());
            }
            Err(_) => return Ok(answered),
        }
    }
}

fn read_packet(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut head = [0; 4];
    stream.read_exact(&mut head)?;
    let mut body = vec![0; usize::from(head[0]) | usize::from(head[1]) << 8 | usize::from(head[2]) << 16];
    stream.read_exact(&mut body)?;
    Ok(body)
}
