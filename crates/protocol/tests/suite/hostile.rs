//! Purpose: whatever bytes arrive, no decoder panics, hangs, or takes memory that the sender did not pay for.
//!
//! Requirements: 200,000 random and mutated packets into every decoder; allocation at most 16 times the packet
//! and 16 KiB; a stream of hostile chunks never makes the reader hold more than twice what it received.
//!
//! Method: recorded packets of real clients are cut, extended, flipped and spliced by a seeded generator, which
//! likes lengths at their limits; beside them purely random bytes. The seed is printed by a failure, and seeds
//! that once failed stay in the list.

use crate::allocation::allocated_by;
use crate::tools::{Random, SESSIONS, Side, session, to_hex};
use protocol::auth::{
    Account, CachingSha2Hash, Decoys, Exchange, FastDigest, Login, Nonce, Plugin, Progress, Verifier,
};
use protocol::command::{Command, ParamTypes};
use protocol::frame::{INITIAL_SIZE, PacketReader};
use protocol::handshake::ClientHello;
use protocol::out::PacketWriter;
use protocol::replication::SemiSyncAck;
use protocol::wire::Capabilities;

const SEEDS: [u64; 4] = [1, 20_261_121, 0xDEAD_BEEF, 7_777_777];
const PACKETS_A_SEED: usize = 50_000;

/// Everything that recorded clients sent.
fn corpus() -> Vec<Vec<u8>> {
    let mut corpus: Vec<Vec<u8>> = SESSIONS
        .iter()
        .flat_map(|(_, text)| session(text))
        .flat_map(|part| part.payloads(Side::Client))
        .filter(|payload| payload.len() < 1000)
        .collect();
    corpus.sort();
    corpus.dedup();
    assert!(corpus.len() > 150, "{}", corpus.len());
    corpus
}

/// A packet for the decoders: random, or a recorded one with something wrong.
fn draw(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    if random.below(4) == 0 {
        let size = random.below(200);
        return random.bytes(size);
    }
    let mut packet = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(4) {
        let at = random.below(packet.len() + 1);
        match random.below(7) {
            0 => packet.truncate(at),
            1 => packet.extend(random.bytes(9)),
            2 if at < packet.len() => packet[at] ^= 1 << random.below(8),
            3 if at < packet.len() => {
                packet[at] = [0, 1, 0x7F, 0x80, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF][random.below(10)];
            }
            4 => {
                let other = &corpus[random.below(corpus.len())];
                packet.truncate(at);
                packet.extend(&other[random.below(other.len() + 1)..]);
            }
            5 => {
                let length: &[u8] = [
                    &[0xFC, 0xFF, 0xFF][..],
                    &[0xFD, 0xFF, 0xFF, 0xFF],
                    &[0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
                    &[0xFE, 0, 0, 0, 0, 0, 0, 0, 0x80],
                    &[0xFF, 0xFF, 0xFF, 0x7F],
                ][random.below(5)];
                packet.splice(at..at, length.iter().copied());
            }
            _ => {
                let end = (at + random.below(20)).min(packet.len());
                packet.drain(at..end);
            }
        }
    }
    packet
}

/// Runs a command's every lazy part; the count keeps the work from being optimised away.
fn exhaust(command: &Command<'_>) -> usize {
    match command {
        Command::Query(query) => query.attributes.iter().count() + query.sql.len(),
        Command::ChangeUser(change) => change.attributes.iter().count(),
        Command::BinlogDumpGtid(dump) => dump.gtids.iter().map(|sid| sid.iter().count()).sum(),
        Command::StmtExecute(execute) => {
            let mut types = ParamTypes::new();
            let mut read = 0;
            for count in [0, 1, 2, 11, 300, u16::MAX] {
                for long_data in [&[][..], &[0], &[1, 5, 300]] {
                    if let Ok(params) = execute.params(count, &mut types, long_data) {
                        read += params.take_while(Result::is_ok).count();
                    }
                }
            }
            read
        }
        _ => 0,
    }
}

fn decode_everything(packet: &[u8]) -> usize {
    let offers = [
        Capabilities::OFFERED,
        Capabilities::OFFERED | Capabilities::SSL | Capabilities::QUERY_ATTRIBUTES,
        Capabilities::PROTOCOL_41,
        Capabilities::NONE,
    ];
    let mut read = 0;
    for capabilities in offers {
        if let Ok(ClientHello::Response(response)) = ClientHello::parse(packet, capabilities) {
            read += response.user.len() + response.attributes.iter().count();
        }
        if let Ok(command) = Command::parse(packet, capabilities) {
            read += exhaust(&command);
        }
    }
    read += usize::from(SemiSyncAck::parse(packet).is_ok());
    for plugin in [Plugin::CachingSha2, Plugin::Native] {
        read += usize::from(Verifier::parse(plugin, packet).is_some());
    }
    read
}

#[test]
fn two_hundred_thousand_hostile_packets_are_survived_at_a_bounded_cost() {
    let corpus = corpus();
    for seed in SEEDS {
        let mut random = Random(seed);
        let mut understood = 0;
        for index in 0..PACKETS_A_SEED {
            let packet = draw(&mut random, &corpus);
            let (allocated, read) = allocated_by(|| decode_everything(&packet));
            // Twelve passes over the types of an execution are the dearest that is done here.
            assert!(
                allocated <= 16 * packet.len() + 16 * 1024,
                "seed {seed}, packet {index}: {allocated} bytes for {}",
                to_hex(&packet)
            );
            understood += usize::from(read > 0);
        }
        assert!(understood > PACKETS_A_SEED / 10, "seed {seed}: only {understood} packets meant something");
    }
}

#[test]
fn hostile_answers_never_authenticate() {
    let corpus = corpus();
    let stored = b"*14E65567ABDB5135D0CFD9A70B3032C179A49EE7";
    let native = Account { verifier: Verifier::parse(Plugin::Native, stored).unwrap(), cached: None };
    let salt = Nonce::from_random([3; 20]);
    let sha2 = Account {
        verifier: Verifier::CachingSha2(CachingSha2Hash::of_password(b"secret", salt, 1)),
        cached: Some(FastDigest::of_password(b"secret")),
    };
    let key = "key".into();
    for seed in SEEDS {
        let mut random = Random(seed);
        for index in 0..20_000 {
            let (first, second) = (draw(&mut random, &corpus), draw(&mut random, &corpus));
            let name = [b"caching_sha2_password".as_slice(), b"mysql_native_password", b""][random.below(3)];
            let login = Login {
                user: &second,
                plugin: (random.below(4) > 0).then_some(name),
                response: &first,
                nonce: Nonce::from_random([random.byte(); 20]),
                fresh_nonce: Nonce::from_random([random.byte(); 20]),
                transport_is_secure: random.below(2) == 0,
                public_key: (random.below(2) == 0).then_some(&key),
                starts_over: random.below(2) == 0,
            };
            let account = [None, Some(&native), Some(&sha2)][random.below(3)];
            let mut out = PacketWriter::new();
            let mut progress = Exchange::begin(&login, account, &Decoys::new([1; 32], 100, 1), &mut out);
            for _ in 0..3 {
                progress = match progress {
                    Progress::Waiting(exchange) => exchange.receive(&second, &mut out),
                    Progress::Accepted => panic!("seed {seed}, login {index}: {login:?}"),
                    ended => ended,
                };
            }
            assert!(!matches!(progress, Progress::Waiting(_)), "three packets end every exchange");
            if let (Progress::Check(check), 0) = (progress, index % 500) {
                assert!(check.run(|bytes| Some(bytes.to_vec().into())).is_err());
            }
        }
    }
}

#[test]
fn hostile_streams_end_in_an_error_or_in_packets_and_hold_little_memory() {
    for seed in SEEDS {
        let mut random = Random(seed);
        for stream in 0..2_000 {
            let limit = [100, 1 << 16, 1 << 30][random.below(3)];
            let mut reader = PacketReader::new(limit);
            let mut received = 0;
            'stream: for _ in 0..random.below(40) {
                let mut bytes = random.bytes(4 + random.0.to_le_bytes()[1] as usize);
                if random.below(4) > 0 {
                    // A plausible header: the right sequence number, sometimes the right size.
                    let size = if random.below(4) > 0 { bytes.len() - 4 } else { 0xFF_FFFF };
                    bytes[..3].copy_from_slice(&size.to_le_bytes()[..3]);
                    bytes[3] = reader.sequence();
                }
                let mut rest = &bytes[..];
                while !rest.is_empty() {
                    let spare = reader.spare();
                    let count = spare.len().min(rest.len()).min(1 + random.below(60));
                    spare[..count].copy_from_slice(&rest[..count]);
                    reader.filled(count);
                    rest = &rest[count..];
                    received += count;
                    assert!(reader.capacity() <= 2 * received + INITIAL_SIZE, "seed {seed}, stream {stream}");
                    loop {
                        match reader.next_packet() {
                            Ok(Some(packet)) => assert!(packet.len() <= limit.min(received)),
                            Ok(None) => break,
                            Err(error) => {
                                assert!(error.is_fatal(), "seed {seed}, stream {stream}: {error:?}");
                                break 'stream;
                            }
                        }
                    }
                }
            }
        }
    }
}
