//! Purpose: clients get TLS as MySQL gives it, and nobody gets anything by its handshake.
//!
//! Requirements: R1. TLS 1.2 and 1.3 by a certificate that the server made, and that its `ca.pem` proves; nothing older;
//! R2. under TLS a password may be given in clear; R3. what was sent in clear behind the request for TLS is never a packet;
//! R4. garbage, silence and half a handshake cost their sender the connection, within `connect_timeout`; R5. large packets,
//! dumps and KILL work, and each end is announced; R6. `require_secure_transport`, and accounts with REQUIRE SSL;
//! R7. certificates are made once, and wrong ones stop the start; R8. a replica believes a source by the authority and the
//! name that it was told, and says nothing in clear to one that has no TLS.
//!
//! Method: whole servers on simulated disks; `rustls` as the client, and bytes by hand.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use replication::replica::{Hello, Pems, Settings, Source, SourceError, SourceTls};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ClientConnection, RootCertStore, SupportedProtocolVersion};
use server::options::Options;
use server::run;
use vfs::sim::SimDisk;
use vfs::{Open, Vfs};

use crate::client::{Client, Failure, Login, Stream, TlsStream};
use crate::net::host::until;
use crate::whole::{World, ok, send};

/// A client's configuration, which trusts the server's authority alone.
fn trusting(world: &World, versions: &[&'static SupportedProtocolVersion]) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(&world.read("ca.pem")).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_protocol_versions(versions).unwrap();
    Arc::new(builder.with_root_certificates(roots).with_no_client_auth())
}

/// A client that has asked for TLS and been shaken hands with.
fn switched(world: &World, versions: &[&'static SupportedProtocolVersion]) -> Client {
    let mut client = Client::greet(&world.address()).unwrap();
    client.ask_tls().unwrap();
    let state = state(world, versions);
    client.stream = shaken(&client, state).unwrap();
    client
}

/// A client's state before its handshake.
fn state(world: &World, versions: &[&'static SupportedProtocolVersion]) -> ClientConnection {
    let name = ServerName::try_from("127.0.0.1").unwrap();
    ClientConnection::new(trusting(world, versions), name).unwrap()
}

/// The client's stream after the handshake.
fn shaken(client: &Client, state: ClientConnection) -> std::io::Result<Stream> {
    let mut stream = TlsStream::new(state, tcp(client));
    while stream.conn.is_handshaking() {
        stream.conn.complete_io(&mut stream.sock)?;
    }
    Ok(Stream::Tls(Box::new(stream)))
}

/// The client's TCP stream.
fn tcp(client: &Client) -> TcpStream {
    match &client.stream {
        Stream::Tcp(stream) => stream.try_clone().unwrap(),
        _ => unreachable!("it came by TCP"),
    }
}

fn secure(world: &World, user: &str) -> Client {
    secure_with(world, user, "").unwrap()
}

fn secure_with(world: &World, user: &str, password: &str) -> Result<Client, Failure> {
    let mut client = switched(world, &[&TLS13]);
    client.log_in(&Login::new(user, password))?;
    Ok(client)
}

fn cell(client: &mut Client, sql: &str) -> String {
    client.query(sql).unwrap().rows[0].last().unwrap().clone().unwrap()
}

/// Reads to the end; whether the server announced it.
fn ends_in_order(client: &mut Client) -> bool {
    let mut rest = Vec::new();
    client.stream.read_to_end(&mut rest).is_ok()
}

fn is_gone(client: &mut Client) -> bool {
    let mut rest = Vec::new();
    // An alert, at most.
    match client.stream.read_to_end(&mut rest) {
        Ok(_) => rest.is_empty() || rest[0] == 21,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

#[test]
fn both_versions_are_spoken_and_named() {
    let world = World::start();
    for (version, name) in [(&TLS12, "TLSv1.2"), (&TLS13, "TLSv1.3")] {
        let mut client = switched(&world, &[version]);
        client.log_in(&Login::new("root", "")).unwrap();
        assert_eq!(cell(&mut client, "SHOW SESSION STATUS LIKE 'Ssl_version'"), name);
        let cipher = cell(&mut client, "SHOW SESSION STATUS LIKE 'Ssl_cipher'");
        assert!(cipher.ends_with("AES256-GCM-SHA384") || cipher == "TLS_AES_256_GCM_SHA384", "{cipher}");
    }
    let mut plain = world.root();
    assert_eq!(cell(&mut plain, "SHOW SESSION STATUS LIKE 'Ssl_cipher'"), "");
    assert_eq!(cell(&mut plain, "SHOW GLOBAL STATUS LIKE 'Ssl_finished_accepts'"), "2");
    assert_eq!(cell(&mut plain, "SHOW VARIABLES LIKE 'have_ssl'"), "YES");
    assert_eq!(cell(&mut plain, "SHOW VARIABLES LIKE 'ssl_cert'"), "server-cert.pem");
    assert_eq!(plain.query("SET GLOBAL ssl_cert = 'x'").unwrap_err().code(), 1238);
    world.stop();
}

#[test]
fn without_the_option_there_is_no_tls() {
    let world = World::start_with(&["--skip-ssl"]);
    let mut client = Client::greet(&world.address()).unwrap();
    client.ask_tls().unwrap();
    assert_eq!(client.answer().unwrap_err().code(), 1043);
    assert_eq!(cell(&mut world.root(), "SHOW VARIABLES LIKE 'have_ssl'"), "DISABLED");
    world.stop();
}

#[test]
fn a_password_is_given_in_clear_under_tls_alone() {
    let world = World::start();
    let create = "CREATE USER app@'%' IDENTIFIED WITH caching_sha2_password BY 'secret'";
    ok(&mut world.root(), create);
    // Who made the password knows its digest, until the end.
    let world = world.restart();
    let plain = |world: &World| Client::connect(&world.address(), &Login::new("app", "secret"));
    assert_eq!(plain(&world).unwrap_err().code(), 1045, "somebody may listen");
    assert_eq!(secure_with(&world, "app", "wrong").unwrap_err().code(), 1045);
    let mut client = secure_with(&world, "app", "secret").unwrap();
    assert_eq!(cell(&mut client, "SELECT CURRENT_USER()"), "app@%");
    plain(&world).expect("the digest of the password is known now");
    let world = world.restart();
    let mut client = secure(&world, "nobody");
    client.change_user(&Login::new("app", "secret")).unwrap();
    assert_eq!(cell(&mut client, "SELECT CURRENT_USER()"), "app@%");
    world.stop();
}

#[test]
fn require_secure_transport_lets_in_whom_nobody_hears() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "SET GLOBAL require_secure_transport = ON");
    let refused = Client::connect(&world.address(), &Login::new("root", "")).unwrap_err();
    assert_eq!(refused.code(), 3159);
    let text = "Connections using insecure transport are prohibited while --require_secure_transport=ON.";
    assert_eq!(refused.message(), text);
    ok(&mut secure(&world, "root"), "SET GLOBAL require_secure_transport = OFF");
    world.root();
    world.stop();
}

#[test]
fn an_account_that_requires_tls_gets_in_by_nothing_else() {
    let world = World::start();
    let mut root = world.root();
    ok(
        &mut root,
        "CREATE USER s@'%' IDENTIFIED WITH mysql_native_password BY 'x' REQUIRE SSL ACCOUNT UNLOCK",
    );
    let plain = || Client::connect(&world.address(), &Login::new("s", "x"));
    let refused = plain().unwrap_err();
    assert_eq!(refused.code(), 1045);
    assert_eq!(refused.message(), "Access denied for user 's'@'localhost' (using password: YES)");
    assert_eq!(world.client("nobody").change_user(&Login::new("s", "x")).unwrap_err().code(), 1045);
    secure_with(&world, "s", "x").unwrap();
    assert_eq!(secure_with(&world, "s", "wrong").unwrap_err().code(), 1045);
    secure(&world, "nobody").change_user(&Login::new("s", "x")).unwrap();
    assert!(cell(&mut root, "SHOW CREATE USER s").contains(" REQUIRE SSL "));
    assert_eq!(cell(&mut root, "SELECT ssl_type FROM mysql.user WHERE user = 's'"), "ANY");
    // What is not named stays as it is, the other grants too, and after a restart.
    ok(&mut root, "ALTER USER s ACCOUNT UNLOCK");
    ok(&mut root, "GRANT SELECT ON d.* TO s");
    ok(&mut root, "REVOKE ALL PRIVILEGES, GRANT OPTION FROM s");
    drop(root);
    let world = world.restart();
    assert_eq!(Client::connect(&world.address(), &Login::new("s", "x")).unwrap_err().code(), 1045);
    ok(&mut world.root(), "ALTER USER s REQUIRE NONE");
    Client::connect(&world.address(), &Login::new("s", "x")).unwrap();
    let logged = |file: &str| {
        let events = world.root().query(&format!("SHOW BINLOG EVENTS IN '{file}'")).unwrap().rows;
        let texts = events.into_iter().filter_map(|row| row.last().cloned().flatten());
        texts.filter(|text| text.contains(" USER `s`")).collect::<Vec<_>>().join("\n")
    };
    let (first, second) = (logged("binlog.000001"), logged("binlog.000002"));
    assert!(
        first.contains(" REQUIRE SSL ACCOUNT UNLOCK\nALTER USER ")
            && first.ends_with("ALTER USER `s`@`%` ACCOUNT UNLOCK"),
        "{first}"
    );
    assert!(second.ends_with("ALTER USER `s`@`%` REQUIRE NONE"), "{second}");
    world.stop();
}

#[test]
fn what_was_sent_in_clear_behind_the_request_is_never_executed() {
    let world = World::start();
    let mut client = Client::greet(&world.address()).unwrap();
    let mut bytes = packet(1, &ssl_request());
    // A whole login of root, and a command.
    let mut hello = vec![];
    hello.extend(0x0008_8A01_u32.to_le_bytes());
    hello.extend([0; 28]);
    hello.extend(b"root\0\0mysql_native_password\0");
    bytes.extend(packet(2, &hello));
    bytes.extend(packet(0, b"\x03CREATE DATABASE injected"));
    client.stream.write_all(&bytes).unwrap();
    // Whoever put them there lets the client go on.
    assert!(shaken(&client, state(&world, &[&TLS13])).is_err(), "they are no part of a handshake");
    assert!(world.root().query("SHOW DATABASES LIKE 'injected'").unwrap().rows.is_empty());
    world.stop();
}

#[test]
fn a_handshake_may_begin_in_one_go_with_the_request() {
    let world = World::start();
    let mut client = Client::greet(&world.address()).unwrap();
    let mut state = state(&world, &[&TLS13]);
    let mut bytes = packet(1, &ssl_request());
    state.write_tls(&mut bytes).unwrap();
    client.stream.write_all(&bytes).unwrap();
    client.stream = shaken(&client, state).unwrap();
    client.skip_packet();
    client.log_in(&Login::new("root", "")).unwrap();
    ok(&mut client, "SELECT 1");
    world.stop();
}

fn ssl_request() -> Vec<u8> {
    [&0x0000_8A00_u32.to_le_bytes()[..], &[0; 28]].concat()
}

fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
    let size = u32::try_from(payload.len()).unwrap().to_le_bytes();
    [&[size[0], size[1], size[2], sequence], payload].concat()
}

#[test]
fn what_is_no_handshake_costs_its_sender_the_connection() {
    let world = World::start();
    // TLS 1.1, and nothing above: a record, a ClientHello, its version, random, no session, two suites, no compression.
    let suites = [0, 4, 0xC0, 0x14, 0xC0, 0x0A, 1, 0];
    let body = [&[3, 2][..], &[7; 32], &[0], &suites].concat();
    let size = u8::try_from(body.len()).unwrap();
    let old = [&[22, 3, 1, 0, size + 4, 1, 0, 0, size][..], &body].concat();
    let zeros = vec![0; 70_000];
    for wrong in [&old[..], &[0x41; 600], &[22, 3, 1, 0xFF, 0xFF, 1, 2, 3], b"GET / HTTP/1.1\r\n\r\n", &zeros]
    {
        let mut client = Client::greet(&world.address()).unwrap();
        client.ask_tls().unwrap();
        let _ = client.stream.write_all(wrong);
        assert!(is_gone(&mut client), "{:?}", &wrong[..8]);
    }
    assert_eq!(cell(&mut world.root(), "SHOW GLOBAL STATUS LIKE 'Ssl_finished_accepts'"), "0");
    world.stop();
}

#[test]
fn who_stops_within_the_handshake_is_not_waited_for() {
    let world = World::start_with(&["--connect-timeout=2"]);
    for begun in [&[][..], &[22, 3, 1, 1, 0, 1, 0]] {
        let mut client = Client::greet(&world.address()).unwrap();
        // Sooner than by the default of connect_timeout.
        client.stream.set_timeout(Duration::from_secs(8));
        client.ask_tls().unwrap();
        client.stream.write_all(begun).unwrap();
        assert!(is_gone(&mut client));
    }
    world.stop();
}

#[test]
fn large_packets_go_both_ways() {
    const SIZE: usize = 20 << 20;
    let world = World::start_with(&["--max-allowed-packet=64M"]);
    let mut client = secure(&world, "root");
    ok(&mut client, "CREATE TABLE d.t (id INT PRIMARY KEY, b LONGTEXT)");
    let text: String = (b'a'..=b'z').cycle().take(SIZE).map(char::from).collect();
    ok(&mut client, &format!("INSERT INTO d.t VALUES (1, '{text}')"));
    assert!(cell(&mut client, "SELECT b FROM d.t") == text);
    // And a reply of many packets, of which some wait for the client.
    ok(&mut client, "CREATE TABLE d.n (n INT PRIMARY KEY)");
    let rows: Vec<String> = (0..1000).map(|n| format!("({n})")).collect();
    ok(&mut client, &format!("INSERT INTO d.n VALUES {}", rows.join(",")));
    let answer = client.query("SELECT a.n, b.n FROM d.n a JOIN d.n b WHERE b.n < 300").unwrap();
    assert_eq!(answer.rows.len(), 300_000);
    world.stop();
}

#[test]
fn a_killed_session_is_told_the_end() {
    let world = World::start();
    let mut root = world.root();
    let mut idle = secure(&world, "nobody");
    let mut busy = secure(&world, "nobody");
    send(&mut busy, "SELECT SLEEP(100)");
    let sleeps = "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'";
    until(|| cell(&mut root, sleeps) == "1");
    for killed in [&mut idle, &mut busy] {
        ok(&mut root, &format!("KILL {}", killed.connection_id));
        assert!(ends_in_order(killed));
    }
    let mut stopped = secure(&world, "nobody");
    send(&mut stopped, "SELECT SLEEP(100)");
    until(|| cell(&mut root, sleeps) == "1");
    ok(&mut root, &format!("KILL QUERY {}", stopped.connection_id));
    stopped.answer().unwrap();
    stopped.ping().unwrap();
    world.stop();
}

#[test]
fn many_connections_are_served_at_a_time() {
    let world = World::start();
    let mut plain = world.root();
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..100).map(|_| scope.spawn(|| secure(&world, "nobody"))).collect();
        ok(&mut plain, "SELECT 1");
        let mut clients: Vec<_> = clients.into_iter().map(|client| client.join().unwrap()).collect();
        for client in &mut clients {
            assert_eq!(cell(client, "SELECT 41 + 1"), "42");
        }
    });
    world.stop();
}

#[test]
fn a_replica_is_sent_the_binlog_and_its_acknowledgements_are_heard() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "SET GLOBAL rpl_semi_sync_source_enabled = ON");
    ok(&mut root, "SET GLOBAL rpl_semi_sync_source_timeout = 60000");
    let mut replica = secure(&world, "repl");
    ok(&mut replica, "SET @rpl_semi_sync_replica = 1, @source_binlog_checksum = 'CRC32'");
    replica.command(&dump("binlog.000001")).unwrap();
    until(|| cell(&mut root, "SHOW STATUS LIKE 'Rpl_semi_sync_source_clients'") == "1");
    send(&mut root, "CREATE DATABASE e");
    let position = loop {
        let event = replica.packet().unwrap();
        // 0, then 0xEF and whether an acknowledgement is asked for, then the event with its end at 13.
        assert_eq!(event[..2], [0, 0xEF]);
        if event[2] == 1 {
            break u32::from_le_bytes(event[3 + 13..3 + 17].try_into().unwrap());
        }
    };
    replica.acknowledge("binlog.000001", position.into()).unwrap();
    root.answer().unwrap();
    assert_eq!(cell(&mut root, "SHOW STATUS LIKE 'Rpl_semi_sync_source_yes_tx'"), "1");
    ok(&mut root, &format!("KILL {}", replica.connection_id));
    assert!(ends_in_order(&mut replica));
    world.stop();
}

/// COM_BINLOG_DUMP from the beginning.
fn dump(file: &str) -> Vec<u8> {
    [&[0x12, 4, 0, 0, 0, 0, 0, 7, 0, 0, 0], file.as_bytes()].concat()
}

#[test]
fn certificates_are_made_once() {
    let world = World::start();
    let made = ["ca.pem", "server-cert.pem", "server-key.pem", "ca-key.pem"].map(|name| world.read(name));
    let world = world.restart();
    for (name, bytes) in ["ca.pem", "server-cert.pem", "server-key.pem", "ca-key.pem"].into_iter().zip(made) {
        assert!(world.read(name) == bytes, "{name}");
    }
    secure(&world, "root");
    world.stop();
}

/// The error of a start with these files and options.
fn start_error(files: &[(&str, &[u8])], options: &[&str]) -> String {
    let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
    vfs.create_dir_all(Path::new("/data")).unwrap();
    for (name, bytes) in files {
        let file = vfs.open(&Path::new("/data").join(name), Open::Create).unwrap();
        file.write_at(bytes, 0).unwrap();
    }
    let given = [&["--no-defaults", "--port=0"], options].concat();
    let given: Vec<String> = given.into_iter().map(str::to_owned).collect();
    let options = Options::read(&*vfs, &given).unwrap();
    let data_dir = run::take_data_dir(&*vfs, Path::new("/data"), &options).unwrap();
    let runtime = run::runtime().unwrap();
    runtime.block_on(run::start(vfs, &data_dir, options)).unwrap_err().to_string()
}

#[test]
fn wrong_certificates_stop_the_start() {
    let world = World::start();
    let [cert, key, other] = ["server-cert.pem", "server-key.pem", "ca-key.pem"].map(|name| world.read(name));
    world.stop();
    let named = ["--ssl-cert=c.pem", "--ssl-key=k.pem"];
    let error = start_error(&[("k.pem", &key)], &named);
    assert!(error.starts_with("/data/c.pem: ") && error.contains("--skip-ssl"), "{error}");
    let error = start_error(&[("c.pem", b"nonsense"), ("k.pem", &key)], &named);
    assert!(error.starts_with("/data/c.pem: it holds no certificate in PEM; "), "{error}");
    let error = start_error(&[("c.pem", &cert), ("k.pem", &cert)], &named);
    assert!(error.starts_with("/data/k.pem: it holds no private key in PEM"), "{error}");
    let error = start_error(&[("c.pem", &cert), ("k.pem", &other)], &named);
    assert!(error.starts_with("/data/c.pem: it does not serve with the key of k.pem: "), "{error}");
    let error = start_error(&[], &["--ssl-key=k.pem"]);
    assert_eq!(error, "ssl_cert is not set; ssl_cert and ssl_key belong together");
    let error = start_error(&[("ca.pem", &cert)], &[]);
    assert!(
        error.starts_with("/data/server-key.pem: ") || error.starts_with("/data/server-cert.pem: "),
        "{error}"
    );
}

/// Has this server's replica part ask a source, as CHANGE REPLICATION SOURCE TO with these options would.
fn asked(world: &World, source: &TcpSource, tls: Option<&SourceTls>) -> Result<(), SourceError> {
    let settings = Settings {
        host: source.host.to_owned(),
        port: source.port,
        user: source.user.to_owned(),
        password: source.password.to_owned(),
        get_public_key: source.get_public_key,
        ..Settings::default()
    };
    let hello = Hello {
        server_id: 77,
        uuid: "aaaaaaaa-0000-0000-0000-000000000077".parse().unwrap(),
        host: String::new(),
        port: 0,
        takes_gtids: true,
        acknowledges: false,
    };
    let patience = Duration::from_secs(10);
    world.run(Source::connect(&settings, tls, &hello, patience)).map(drop)
}

#[derive(Clone, Copy)]
struct TcpSource {
    host: &'static str,
    port: u16,
    user: &'static str,
    password: &'static str,
    get_public_key: bool,
}

impl TcpSource {
    fn of(world: &World) -> Self {
        Self { host: "127.0.0.1", port: world.port(), user: "repl", password: "", get_public_key: false }
    }
}

/// A replica's TLS by the authority of a world, or by none.
fn source_tls(authority: Option<&World>, checks_host: bool) -> SourceTls {
    let ca = authority.map(|world| world.read("ca.pem"));
    SourceTls::new(&Pems { ca, own: None }, checks_host).unwrap()
}

#[test]
fn a_replica_believes_the_source_that_it_was_told_to_believe() {
    let (world, other) = (World::start_with(&["--bind-address=0.0.0.0"]), World::start());
    let source = TcpSource::of(&world);
    let elsewhere = TcpSource { host: "127.0.0.2", ..TcpSource::of(&world) };
    for (authority, checks_host, source, is_believed) in [
        (None, false, &source, true),
        (None, false, &elsewhere, true),
        (Some(&world), false, &source, true),
        (Some(&world), false, &elsewhere, true),
        (Some(&world), true, &source, true),
        (Some(&world), true, &elsewhere, false),
        (Some(&other), false, &source, false),
        (Some(&other), true, &source, false),
    ] {
        let tls = source_tls(authority, checks_host);
        match asked(&world, source, Some(&tls)) {
            Ok(()) => assert!(is_believed, "{} {checks_host}", source.host),
            Err(error) => {
                assert!(!is_believed, "{error}");
                assert_eq!(error.code(), 2026, "{error}");
                assert!(error.is_worth_another_try(), "certificates are renewed");
            }
        }
    }
    let nothing = SourceTls::new(&Pems::default(), true).unwrap_err();
    assert!(nothing.contains("needs SOURCE_SSL_CA"), "{nothing}");
    other.stop();
    world.stop();
}

/// A source that does not know the digest of its replica's password: who made the password knew it until the end.
fn forgetful(options: &[&str]) -> World {
    let world = World::start_with(options);
    let mut root = world.root();
    ok(&mut root, "CREATE USER sha@'%' IDENTIFIED WITH caching_sha2_password BY 'secret'");
    ok(&mut root, "GRANT REPLICATION SLAVE ON *.* TO sha@'%'");
    drop(root);
    world.restart()
}

#[test]
fn a_replica_shows_its_password_in_clear_under_tls_alone() {
    let world = forgetful(&[]);
    let source = TcpSource { user: "sha", password: "secret", ..TcpSource::of(&world) };
    assert_eq!(asked(&world, &source, None).unwrap_err().code(), 1045, "somebody may listen");
    let wrong = TcpSource { user: "sha", password: "wrong", ..TcpSource::of(&world) };
    let tls = source_tls(Some(&world), true);
    assert_eq!(asked(&world, &wrong, Some(&tls)).unwrap_err().code(), 1045);
    asked(&world, &source, Some(&tls)).unwrap();
    ok(&mut world.root(), "SET GLOBAL require_secure_transport = ON");
    asked(&world, &source, Some(&tls)).unwrap();
    assert_eq!(asked(&world, &source, None).unwrap_err().code(), 3159);
    world.stop();
}

#[test]
fn a_replica_seals_its_password_if_it_was_told_to_ask_for_the_key() {
    let world = forgetful(&["--caching-sha2-password-auto-generate-rsa-keys=ON"]);
    let source = TcpSource { user: "sha", password: "secret", ..TcpSource::of(&world) };
    assert_eq!(asked(&world, &source, None).unwrap_err().code(), 2061);
    let wrong = TcpSource { password: "wrong", get_public_key: true, ..source };
    assert_eq!(asked(&world, &wrong, None).unwrap_err().code(), 1045);
    asked(&world, &TcpSource { get_public_key: true, ..source }, None).unwrap();
    world.stop();
}

#[test]
fn a_replica_says_nothing_to_a_source_without_tls() {
    let world = World::start_with(&["--skip-ssl"]);
    let (source, tls) = (TcpSource::of(&world), source_tls(None, false));
    let refused = asked(&world, &source, Some(&tls)).unwrap_err();
    assert_eq!(refused.code(), 2026, "{refused}");
    // Whoever sits between them goes on in clear behind the greeting, and would be read under TLS.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let source = TcpSource { port: listener.local_addr().unwrap().port(), ..source };
    let refused = std::thread::scope(|scope| {
        let between = scope.spawn(|| inject(&listener));
        let refused = asked(&world, &source, Some(&tls)).unwrap_err();
        let heard = between.join().unwrap();
        assert!(!heard.windows(4).any(|part| part == b"repl"), "its name is said under TLS alone");
        refused
    });
    assert_eq!(refused.code(), 2026);
    assert!(refused.to_string().ends_with("the source went on in clear"), "{refused}");
    world.stop();
}

/// Greets a client as a source that has TLS, and adds an OK in clear. What the client says.
fn inject(listener: &TcpListener) -> Vec<u8> {
    let (mut stream, _) = listener.accept().unwrap();
    let mut greeting = b"\x0a9.7.4\0\x08\0\0\0abcdefgh\0\xff\xff\xff\x02\0\xff\xff\x15".to_vec();
    greeting.extend([0; 10]);
    greeting.extend(b"ijklmnopqrst\0mysql_native_password\0");
    let injected = [packet(0, &greeting), packet(2, &[0, 0, 0, 2, 0, 0, 0])].concat();
    stream.write_all(&injected).unwrap();
    let mut heard = Vec::new();
    let _ = stream.read_to_end(&mut heard);
    heard
}
