//! Purpose: who knows the password gets in, nobody else does, and nobody learns which users exist.
//!
//! Requirements: stored passwords as MySQL 9.7 and MariaDB 10.11 store them; recorded logins of real clients
//! replay byte for byte; empty passwords, switched plugins, changed users; no password in clear where others can
//! listen, but sealed with a public key if there is one; unknown users are answered like known ones.
//!
//! Method: `data/accounts.txt` and the recorded logins, whose passwords are known; SHA-256-crypt against glibc's
//! crypt(3); clients' answers made by `mysql_common`, an independent implementation.

use crate::tools::{Part, Side, assert_same_bytes, file, hex, part, recorded_greeting, session};
use mysql_common::scramble::{scramble_native, scramble_sha256};
use protocol::auth::{
    Account, CachingSha2Hash, Decoys, Exchange, FastDigest, Login, NativeHash, Nonce, Plugin, Progress,
    ROUNDS_DEFAULT, Refusal, RefusalReason, Verifier, sha256_crypt,
};
use protocol::handshake::{ClientHello, HandshakeResponse};
use protocol::out::PacketWriter;
use protocol::reply::OkPacket;
use protocol::wire::{Capabilities, StatusFlags};
use std::sync::Arc;
use zeroize::Zeroizing;

const SHA2: &[u8] = b"caching_sha2_password";
const NATIVE: &[u8] = b"mysql_native_password";

fn decoys() -> Decoys {
    Decoys::new([42; 32], 0, 1)
}

fn nonce(byte: u8) -> Nonce {
    Nonce::new([byte; Nonce::SIZE]).expect("a nonce")
}

/// Plugin, password and authentication string of the recorded accounts.
fn accounts() -> Vec<(Plugin, Vec<u8>, Vec<u8>)> {
    let field = |text: &str| if text == "-" { Vec::new() } else { hex(text) };
    include_str!("../data/accounts.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let mut fields = line.split(' ');
            let mut next = || fields.next().expect("three fields");
            let plugin = Plugin::from_name(next().as_bytes()).expect("a plugin");
            (plugin, field(next()), field(next()))
        })
        .collect()
}

/// The account with this password.
fn account(plugin: Plugin, password: &[u8], with_cache: bool) -> Account {
    let stored = accounts()
        .into_iter()
        .find(|(found, known, _)| *found == plugin && known == password)
        .expect("an account with this password")
        .2;
    Account {
        verifier: Verifier::parse(plugin, &stored).expect("a stored password"),
        cached: with_cache.then(|| FastDigest::of_password(password)),
    }
}

#[test]
fn sha256_crypt_is_glibcs() {
    // From crypt(3) of glibc 2.36; the specification's own passwords and salts where glibc takes them.
    for (password, salt, rounds, digest) in [
        ("Hello world!", "saltstring", 5000, "5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5"),
        ("Hello world!", "saltstringsaltst", 10_000, "3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA"),
        ("This is just a test", "toolongsaltstrin", 5000, "Un/5jzAHMgOGZ5.mWJpuVolil07guHPvOW8mGRcvxa5"),
        (
            "a very much longer text to encrypt.  This one even stretches over morethan one line.",
            "anotherlongsalts",
            1400,
            "Rx.j8H.h8HjEDGomFU8bDkXm3XIUnzyxf12oP84Bnq1",
        ),
        (
            "we have a short salt string but not a short password",
            "short",
            77_777,
            "JiO1O3ZpDAxGJeaDIuqCoEFysAe1mZNJRs3pw0KQRd/",
        ),
        ("a short string", "asaltof16chars..", 123_456, "gP3VQ/6X7UUEW3HkBn2w1/Ptq2jxPyzV/cZKmF/wJvD"),
        ("", "x", 1000, "kIBhdUvT3pHpfTjzR8s1XJu3y/HRJeFxMSffBtF8jx9"),
        (&"p".repeat(256), "abcdefgh", 1000, "8hSX5BoD6rYe7sqPhE.2HJBAar4yhr7o3EzKn8iwAt0"),
    ] {
        assert_eq!(
            sha256_crypt(password.as_bytes(), salt.as_bytes(), rounds),
            digest.as_bytes(),
            "{password}"
        );
    }
}

#[test]
fn passwords_stored_by_real_servers_are_verified_and_stored_the_same_way() {
    let accounts = accounts();
    assert_eq!(accounts.len(), 14);
    for (plugin, password, stored) in accounts {
        let verifier = Verifier::parse(plugin, &stored).expect("a stored password");
        assert_eq!(verifier.plugin(), plugin);
        assert_eq!(verifier.authentication_string().as_bytes(), stored);
        match verifier {
            Verifier::Empty(_) => assert!(password.is_empty()),
            Verifier::CachingSha2(hash) => {
                assert!(hash.verify(&password));
                assert!(!hash.verify(b"wrong"));
                let salt = Nonce::new(stored[7..27].try_into().unwrap()).unwrap();
                let rounds = if stored.starts_with(b"$A$005$") { ROUNDS_DEFAULT } else { 10 };
                assert_eq!(CachingSha2Hash::of_password(&password, salt, rounds), hash);
            }
            Verifier::Native(hash) => assert_eq!(NativeHash::of_password(&password), hash),
        }
    }
}

#[test]
fn other_stored_formats_are_not_taken_for_these() {
    let good = account(Plugin::CachingSha2, b"secret", false).verifier.authentication_string();
    for bad in [
        good.replace("$A$", "$B$"),
        good.replace("$A$00", "$A$0x"),
        format!("$A$000${}", &good[7..]),
        good[..69].to_owned(),
        format!("{good}x"),
        "$A$005$".to_owned(),
        "*14E65567ABDB5135D0CFD9A70B3032C179A49EE7".to_owned(),
    ] {
        assert!(Verifier::parse(Plugin::CachingSha2, bad.as_bytes()).is_none(), "{bad}");
    }
    let native = "*14E65567ABDB5135D0CFD9A70B3032C179A49EE7";
    assert!(Verifier::parse(Plugin::Native, native.to_lowercase().as_bytes()).is_some());
    for bad in
        [&native[1..], &native[..40], &native.replace('E', "G"), "*+1E65567ABDB5135D0CFD9A70B3032C179A49EE7"]
    {
        assert!(Verifier::parse(Plugin::Native, bad.as_bytes()).is_none(), "{bad}");
    }
}

/// A recorded login, taken apart.
struct Recorded {
    part: Part,
    nonce: Nonce,
    password: Vec<u8>,
    plugin: Plugin,
}

impl Recorded {
    fn response(&self) -> HandshakeResponse<'_> {
        let payload = &self.part.packets[1].1[4..];
        match ClientHello::parse(payload, Capabilities::OFFERED).expect("a response") {
            ClientHello::Response(response) => response,
            ClientHello::Tls(_) => panic!("no recorded client asks for TLS"),
        }
    }

    fn login(&self, secure: bool) -> Login<'_> {
        let response = self.response();
        Login {
            user: response.user,
            plugin: response.plugin,
            response: response.auth_response,
            nonce: self.nonce,
            fresh_nonce: self.nonce,
            transport_is_secure: secure,
            public_key: None,
            starts_over: false,
        }
    }
}

fn recorded_logins(name: &str) -> Vec<Recorded> {
    session(file(name))
        .into_iter()
        .filter_map(|part| {
            let greeting =
                recorded_greeting(&part.packets.first().filter(|(side, _)| *side == Side::Server)?.1[4..]);
            let plugin = Plugin::from_name(greeting.plugin.as_bytes()).expect("a plugin");
            let nonce = Nonce::new(greeting.nonce).expect("a nonce");
            Some(Recorded { nonce, password: part.password.clone()?, plugin, part })
        })
        .collect()
}

#[test]
fn recorded_answers_to_recorded_nonces_match_their_passwords_and_no_other() {
    let mut checked = 0;
    for name in
        ["pymysql_auth", "pymysql_auth_socket", "pymysql_auth_native", "mysql_cli", "mariadb_cli_native"]
    {
        for login in recorded_logins(name) {
            let response = login.response().auth_response;
            if response.len() < 20 {
                continue;
            }
            let verify = |password: &[u8], response: &[u8]| match login.plugin {
                Plugin::CachingSha2 => FastDigest::of_password(password).verify(&login.nonce, response),
                Plugin::Native => NativeHash::of_password(password).verify(&login.nonce, response),
            };
            assert!(verify(&login.password, response), "{name}: {}", login.part.label);
            assert!(!verify(b"another", response));
            assert!(!verify(&login.password, &response[1..]));
            let mut longer = response.to_vec();
            longer.push(0);
            assert!(!verify(&login.password, &longer));
            checked += 1;
        }
    }
    assert!(checked > 25, "{checked}");
}

#[test]
fn logins_with_a_cached_digest_replay_byte_for_byte() {
    let mut replayed = 0;
    for login in recorded_logins("pymysql_auth").into_iter().chain(recorded_logins("pymysql_auth_socket")) {
        if !login.part.label.starts_with("fast") {
            continue;
        }
        let mut out = PacketWriter::new();
        out.set_sequence(2);
        let account = account(Plugin::CachingSha2, &login.password, true);
        let progress = Exchange::begin(&login.login(false), Some(&account), &decoys(), &mut out);
        assert!(matches!(progress, Progress::Accepted), "{}: {progress:?}", login.part.label);
        OkPacket { status: StatusFlags::AUTOCOMMIT, ..OkPacket::default() }
            .write(&mut out, Capabilities::OFFERED);
        assert_same_bytes(out.bytes(), &login.part.replies()[0]);
        replayed += 1;
    }
    assert_eq!(replayed, 13);
}

#[test]
fn full_logins_over_a_socket_replay_byte_for_byte() {
    let mut replayed = 0;
    for login in recorded_logins("pymysql_auth_socket") {
        if !login.part.label.starts_with("full") || login.password.is_empty() {
            continue;
        }
        let mut out = PacketWriter::new();
        out.set_sequence(2);
        let account = account(Plugin::CachingSha2, &login.password, false);
        let Progress::Waiting(exchange) =
            Exchange::begin(&login.login(true), Some(&account), &decoys(), &mut out)
        else {
            panic!("the password is asked for")
        };
        assert_same_bytes(out.bytes(), &login.part.replies()[0]);
        out.clear();
        let password = &login.part.packets[3].1;
        assert_eq!(password[4..password.len() - 1], login.password);
        let Progress::Check(check) = exchange.receive(&password[4..], &mut out) else { panic!("a password") };
        assert!(out.is_empty());
        let digest = check.run(no_key).expect("the right password");
        assert!(digest.verify(&login.nonce, login.response().auth_response), "it goes into the cache");
        replayed += 1;
    }
    assert_eq!(replayed, 6);
}

#[test]
fn native_logins_replay_and_a_client_with_another_plugin_is_switched() {
    for login in recorded_logins("pymysql_auth_native") {
        let account = account(Plugin::Native, &login.password, false);
        let mut out = PacketWriter::new();
        let progress = Exchange::begin(&login.login(false), Some(&account), &decoys(), &mut out);
        if login.password.is_empty() {
            // That server's greeting was for this plugin; ours is not.
            let Progress::Waiting(exchange) = progress else { panic!("a switch") };
            assert!(matches!(exchange.receive(b"", &mut out), Progress::Accepted));
            continue;
        }
        assert!(matches!(progress, Progress::Accepted), "{}: {progress:?}", login.part.label);
        assert!(out.is_empty());
    }
    let switched = &recorded_logins("mariadb_cli_native")[1];
    let account = account(Plugin::Native, &switched.password, false);
    let mut out = PacketWriter::new();
    out.set_sequence(2);
    let Progress::Waiting(exchange) =
        Exchange::begin(&switched.login(false), Some(&account), &decoys(), &mut out)
    else {
        panic!("a switch")
    };
    assert_same_bytes(out.bytes(), &switched.part.replies()[0]);
    let answer = &switched.part.packets[3].1[4..];
    assert!(matches!(exchange.receive(answer, &mut out), Progress::Accepted));
}

#[test]
fn a_change_of_user_is_switched_to_a_fresh_nonce_as_recorded() {
    for (label, right) in [("change_user", true), ("change_user_wrong", false)] {
        let recorded = part("connector_python", label);
        let switch = &recorded.packets[1].1;
        let name_end = 5 + SHA2.len() + 1;
        let fresh = Nonce::new(switch[name_end..name_end + 20].try_into().unwrap()).unwrap();
        let account = account(Plugin::CachingSha2, b"secret", true);
        let login = Login {
            user: b"sha_word",
            plugin: Some(SHA2),
            response: &recorded.payloads(Side::Client)[0][11..43],
            nonce: nonce(7),
            fresh_nonce: fresh,
            transport_is_secure: false,
            public_key: None,
            starts_over: true,
        };
        let mut out = PacketWriter::new();
        out.set_sequence(1);
        let Progress::Waiting(exchange) = Exchange::begin(&login, Some(&account), &decoys(), &mut out) else {
            panic!("a switch")
        };
        assert_same_bytes(out.bytes(), switch);
        let progress = exchange.receive(&recorded.payloads(Side::Client)[1], &mut out);
        assert_eq!(matches!(progress, Progress::Accepted), right, "{progress:?}");
    }
}

/// As MariaDB's replicas do: the greeting's nonce was for another plugin than theirs.
#[test]
fn a_client_that_begins_with_nothing_is_given_a_nonce() {
    for password in [&b""[..], b"secret"] {
        let account = account(Plugin::Native, password, false);
        let mut out = PacketWriter::new();
        let login = login_of(Some(NATIVE), false);
        let Progress::Waiting(exchange) = Exchange::begin(&login, Some(&account), &decoys(), &mut out) else {
            panic!("a switch")
        };
        let answer = scramble_native(nonce(9).bytes(), password).map_or(Vec::new(), |answer| answer.to_vec());
        assert!(matches!(exchange.receive(&answer, &mut out), Progress::Accepted));
    }
}

#[test]
fn a_change_of_user_does_not_accept_the_right_answer_to_the_old_nonce() {
    let account = account(Plugin::CachingSha2, b"secret", true);
    let response = scramble_sha256(nonce(7).bytes(), b"secret").unwrap();
    let mut login = Login { response: &response, starts_over: true, ..login_of(Some(SHA2), false) };
    let mut out = PacketWriter::new();
    let Progress::Waiting(exchange) = Exchange::begin(&login, Some(&account), &decoys(), &mut out) else {
        panic!("a switch")
    };
    assert!(matches!(exchange.receive(&response, &mut out), Progress::Refused(_)));
    login.starts_over = false;
    assert!(matches!(Exchange::begin(&login, Some(&account), &decoys(), &mut out), Progress::Accepted));
}

fn login_of(plugin: Option<&'static [u8]>, secure: bool) -> Login<'static> {
    Login {
        user: b"joe",
        plugin,
        response: b"",
        nonce: nonce(7),
        fresh_nonce: nonce(9),
        transport_is_secure: secure,
        public_key: None,
        starts_over: false,
    }
}

/// A client that does what a server asks, with one password: what was sent to it, and how it ended.
fn run_client(
    account: Option<&Account>,
    decoys: &Decoys,
    plugin: Option<&'static [u8]>,
    password: &[u8],
    secure: bool,
) -> (Vec<u8>, Result<bool, Refusal>) {
    let answer = |plugin: &[u8], nonce: &Nonce| {
        if password.is_empty() {
            Vec::new()
        } else if plugin == SHA2 {
            scramble_sha256(nonce.bytes(), password).expect("a password").to_vec()
        } else {
            scramble_native(nonce.bytes(), password).expect("a password").to_vec()
        }
    };
    let first = answer(plugin.unwrap_or(NATIVE), &nonce(7));
    let login = Login { response: &first, ..login_of(plugin, secure) };
    let mut sent = Vec::new();
    let mut out = PacketWriter::new();
    let mut progress = Exchange::begin(&login, account, decoys, &mut out);
    for _ in 0..4 {
        sent.extend(out.bytes());
        let last = out.bytes().get(4..).unwrap_or_default().to_vec();
        out.clear();
        progress = match progress {
            Progress::Accepted => return (sent, Ok(false)),
            Progress::Refused(refusal) => return (sent, Err(refusal)),
            Progress::Check(check) => return (sent, check.run(unseal).map(|_| true)),
            Progress::Waiting(exchange) => {
                let reply = match last.first() {
                    Some(0xFE) if last[1..].starts_with(SHA2) => answer(SHA2, &nonce(9)),
                    Some(0xFE) => answer(NATIVE, &nonce(9)),
                    _ => [password, b"\0"].concat(),
                };
                exchange.receive(&reply, &mut out)
            }
        };
    }
    panic!("an exchange ends")
}

const CLIENTS: [Option<&[u8]>; 4] = [Some(SHA2), Some(NATIVE), Some(b"client_ed25519"), None];

#[test]
fn the_right_password_gets_in_from_every_client_that_can_be_asked() {
    for client in CLIENTS {
        let native = account(Plugin::Native, b"secret", false);
        assert_eq!(run_client(Some(&native), &decoys(), client, b"secret", false).1, Ok(false));
        let cached = account(Plugin::CachingSha2, b"secret", true);
        let known = account(Plugin::CachingSha2, b"secret", false);
        let old = RefusalReason::OldClient;
        if client.is_none() {
            let refused = Err(Refusal { reason: old, using_password: true });
            assert_eq!(run_client(Some(&cached), &decoys(), client, b"secret", true).1, refused);
            continue;
        }
        assert_eq!(run_client(Some(&cached), &decoys(), client, b"secret", false).1, Ok(false));
        assert_eq!(run_client(Some(&known), &decoys(), client, b"secret", true).1, Ok(true));
        let insecure = Refusal { reason: RefusalReason::InsecureTransport, using_password: true };
        assert_eq!(run_client(Some(&known), &decoys(), client, b"secret", false).1, Err(insecure));
    }
}

#[test]
fn an_empty_password_gets_in_and_only_that() {
    for plugin in [Plugin::CachingSha2, Plugin::Native] {
        let empty = Account { verifier: Verifier::Empty(plugin), cached: None };
        let client = Some(plugin.name().as_bytes());
        for secure in [false, true] {
            assert_eq!(run_client(Some(&empty), &decoys(), client, b"", secure).1, Ok(false));
            assert!(run_client(Some(&empty), &decoys(), client, b"guess", secure).1.is_err());
            let full = account(plugin, b"secret", true);
            let refused = Refusal { reason: RefusalReason::Mismatch, using_password: false };
            assert_eq!(run_client(Some(&full), &decoys(), client, b"", secure).1, Err(refused));
        }
        let login = Login { response: b"\0", ..login_of(client, false) };
        let mut out = PacketWriter::new();
        assert!(matches!(Exchange::begin(&login, Some(&empty), &decoys(), &mut out), Progress::Accepted));
    }
}

#[test]
fn an_unknown_user_is_answered_like_a_known_one_with_a_wrong_password() {
    for client in CLIENTS {
        for secure in [false, true] {
            for password in [b"".as_slice(), b"guess"] {
                for (plugin, share) in [(Plugin::CachingSha2, 0), (Plugin::Native, 255)] {
                    let decoys = Decoys::new([share; 32], share, 1);
                    let unknown = run_client(None, &decoys, client, password, secure);
                    for with_cache in [false, true] {
                        let known = account(plugin, b"secret", with_cache);
                        let wrong = run_client(Some(&known), &decoys, client, password, secure);
                        assert_eq!(wrong, unknown, "{client:?} {secure} {plugin:?} {with_cache}");
                    }
                    assert!(unknown.1.is_err());
                    if !password.is_empty() {
                        let empty = Account { verifier: Verifier::Empty(plugin), cached: None };
                        let wrong = run_client(Some(&empty), &decoys, client, password, secure);
                        assert_eq!(wrong, unknown, "an account without a password");
                    }
                }
            }
        }
    }
}

#[test]
fn decoys_depend_on_the_secret_and_the_name_alone() {
    let switched = |secret: u8, user: &'static [u8]| {
        let mut out = PacketWriter::new();
        let login = Login { user, response: b"x", ..login_of(Some(b"other"), false) };
        let progress = Exchange::begin(&login, None, &Decoys::new([secret; 32], 128, 5), &mut out);
        assert!(matches!(progress, Progress::Waiting(_)));
        out.bytes().windows(NATIVE.len()).any(|window| window == NATIVE)
    };
    let users: [&[u8]; 12] = [b"a", b"b", b"c", b"d", b"e", b"f", b"g", b"h", b"i", b"j", b"k", b"l"];
    let choices: Vec<bool> = users.iter().map(|user| switched(1, user)).collect();
    assert!(choices.contains(&true) && choices.contains(&false), "both plugins occur");
    assert_eq!(choices, users.iter().map(|user| switched(1, user)).collect::<Vec<_>>(), "each time the same");
    assert_ne!(
        choices,
        users.iter().map(|user| switched(2, user)).collect::<Vec<_>>(),
        "nobody can foretell"
    );
}

/// An exchange that waits for a password in clear.
fn waiting_for_password() -> Exchange {
    let login = Login { response: &[1; 32], ..login_of(Some(SHA2), true) };
    let account = account(Plugin::CachingSha2, b"secret", false);
    let mut out = PacketWriter::new();
    match Exchange::begin(&login, Some(&account), &decoys(), &mut out) {
        Progress::Waiting(exchange) => exchange,
        other => panic!("{other:?}"),
    }
}

/// What stands for RSA: bytes behind a mark, each the other way round.
fn seal(bytes: &[u8]) -> Vec<u8> {
    b"sealed".iter().copied().chain(bytes.iter().map(|byte| !byte)).collect()
}

fn unseal(bytes: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    Some(Zeroizing::new(bytes.strip_prefix(b"sealed")?.iter().map(|byte| !byte).collect()))
}

fn no_key(_: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    panic!("the password came in clear")
}

/// A login where others can listen, at the point where the password is asked for.
fn waiting_for_sealed_password(account: Option<&Account>, key: &Arc<str>) -> Exchange {
    let login = Login { response: &[1; 32], public_key: Some(key), ..login_of(Some(SHA2), false) };
    let mut out = PacketWriter::new();
    let Progress::Waiting(exchange) = Exchange::begin(&login, account, &decoys(), &mut out) else {
        panic!("the password is asked for")
    };
    assert_eq!(out.bytes()[4..], [1, 4]);
    exchange
}

fn masked(packet: &[u8], nonce: &Nonce) -> Vec<u8> {
    packet.iter().zip(nonce.bytes().iter().cycle()).map(|(byte, mask)| byte ^ mask).collect()
}

#[test]
fn a_sealed_password_gets_in_where_others_listen_and_no_other_does() {
    let key: Arc<str> = "-----BEGIN".into();
    let known = account(Plugin::CachingSha2, b"secret", false);
    let answer = |account: Option<&Account>, packet: &[u8]| {
        let progress = waiting_for_sealed_password(account, &key).receive(packet, &mut PacketWriter::new());
        let Progress::Check(check) = progress else { panic!("{progress:?}") };
        assert!(check.is_sealed());
        check.run(unseal)
    };
    let right = seal(&masked(b"secret\0", &nonce(7)));
    assert!(
        answer(Some(&known), &right)
            .expect("the password")
            .verify(&nonce(7), &scramble_sha256(nonce(7).bytes(), b"secret").unwrap())
    );
    let refused = Refusal { reason: RefusalReason::Mismatch, using_password: true };
    assert_eq!(answer(None, &right).unwrap_err(), refused, "an unknown user");
    for wrong in [
        seal(&masked(b"guess\0", &nonce(7))),
        seal(&masked(b"secret\0", &nonce(9))),
        seal(&masked(b"secret", &nonce(7))),
        seal(b"secret\0"),
        seal(b""),
        b"secret\0".to_vec(),
        Vec::new(),
    ] {
        assert_eq!(answer(Some(&known), &wrong).unwrap_err(), refused, "{wrong:?}");
    }
}

#[test]
fn a_public_key_is_given_once_to_whoever_asks() {
    let key: Arc<str> = "-----BEGIN".into();
    let known = account(Plugin::CachingSha2, b"secret", false);
    let mut out = PacketWriter::new();
    let Progress::Waiting(exchange) = waiting_for_sealed_password(Some(&known), &key).receive(&[2], &mut out)
    else {
        panic!("the key")
    };
    assert_eq!(out.bytes()[4..], [&[1], key.as_bytes()].concat());
    let again = exchange.receive(&[2], &mut out);
    let Progress::Check(check) = again else { panic!("{again:?}") };
    assert!(check.run(unseal).is_err());
}

#[test]
fn who_knows_no_more_than_a_guess_cannot_tell_users_from_others_by_a_public_key() {
    let key: Arc<str> = "-----BEGIN".into();
    for (plugin, share) in [(Plugin::CachingSha2, 0), (Plugin::Native, 255)] {
        let decoys = Decoys::new([share; 32], share, 1);
        let known = account(plugin, b"secret", false);
        let sent = |account| {
            let login = Login { response: &[1; 32], public_key: Some(&key), ..login_of(Some(SHA2), false) };
            let mut out = PacketWriter::new();
            let progress = Exchange::begin(&login, account, &decoys, &mut out);
            assert!(matches!(progress, Progress::Waiting(_)));
            out.bytes().to_vec()
        };
        assert_eq!(sent(Some(&known)), sent(None), "{plugin:?}");
    }
}

#[test]
fn a_request_for_a_key_is_a_wrong_password_where_nobody_listens() {
    let mut out = PacketWriter::new();
    let Progress::Refused(refusal) = waiting_for_password().receive(&[2], &mut out) else {
        panic!("a refusal")
    };
    assert_eq!(refusal.reason, RefusalReason::Mismatch);
    assert!(out.is_empty());
}

#[test]
fn passwords_that_cannot_be_are_refused_without_work() {
    let longest = [vec![b'p'; 256], vec![0]].concat();
    let mut out = PacketWriter::new();
    assert!(matches!(waiting_for_password().receive(&longest, &mut out), Progress::Check(_)));
    for bad in [b"".to_vec(), b"\0".to_vec(), b"secret".to_vec(), [vec![b'p'; 257], vec![0]].concat()] {
        let progress = waiting_for_password().receive(&bad, &mut out);
        let Progress::Refused(refusal) = progress else { panic!("{progress:?}") };
        assert_eq!(refusal.reason, RefusalReason::Mismatch);
    }
}

#[test]
fn a_refusal_reads_like_mysqls() {
    let mut out = PacketWriter::new();
    out.set_sequence(5);
    let refusal = Refusal { reason: RefusalReason::Mismatch, using_password: true };
    refusal.write(b"sha_word", "localhost", &mut out, Capabilities::OFFERED);
    let recorded = part("connector_python", "change_user_wrong");
    assert_same_bytes(out.bytes(), &recorded.packets.last().unwrap().1);

    let insecure = Refusal { reason: RefusalReason::InsecureTransport, using_password: true };
    assert_eq!((insecure.code(), insecure.sqlstate()), (1045, "28000"));
    assert!(
        insecure.message(b"joe", "h").starts_with("Access denied for user 'joe'@'h' (using password: YES); ")
    );
    let old = Refusal { reason: RefusalReason::OldClient, using_password: false };
    assert_eq!((old.code(), old.sqlstate()), (1251, "08004"));
}

#[test]
fn nonces_have_no_bytes_that_end_strings() {
    for start in 0..=255_u8 {
        let random = std::array::from_fn(|index| start.wrapping_add(index.to_le_bytes()[0]));
        let nonce = Nonce::from_random(random);
        assert!(nonce.bytes().iter().all(|&byte| byte.is_ascii() && byte != 0 && byte != b'$'));
        assert_eq!(Nonce::new(*nonce.bytes()), Some(nonce));
    }
    assert_eq!(Nonce::new([0; 20]), None);
    assert_eq!(Nonce::new([0x80; 20]), None);
}

#[test]
fn nothing_secret_is_printed() {
    let account = account(Plugin::CachingSha2, b"secret", true);
    let stored = account.verifier.authentication_string();
    let mut out = PacketWriter::new();
    let check = waiting_for_password().receive(b"secret\0", &mut out);
    let printed = format!("{account:?} {:?} {:?} {check:?}", waiting_for_password(), decoys());
    assert!(!printed.contains("secret") && !printed.contains(&stored[27..]), "{printed}");
}
