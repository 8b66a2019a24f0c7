//! Purpose: the connection phase reads what real clients send, writes what real servers send, and refuses the
//! rest clearly.
//!
//! Requirements: greeting; responses of PyMySQL, Oracle's and MariaDB's clients, Connector/Python and a replica;
//! pre-4.1 clients and unoffered TLS are refused; fields may end early where clients leave them out, and nowhere
//! else; attributes.
//!
//! Method: recorded packets are decoded and compared with what the recording's clients were told to send;
//! greetings are rebuilt from their fields. Packets that no client sent are built here by hand.

use crate::tools::{SESSIONS, Side, assert_same_bytes, part, recorded_greeting, reply_from, session};
use protocol::Error;
use protocol::auth::{Nonce, Plugin};
use protocol::handshake::{
    ClientHello, Greeting, HandshakeResponse, write_auth_more_data, write_auth_switch,
};
use protocol::wire::{Capabilities, StatusFlags};

/// The response of a part, decoded as if everything had been offered that MySQL offers.
fn response(payload: &[u8]) -> HandshakeResponse<'_> {
    let offered = Capabilities::OFFERED | Capabilities::QUERY_ATTRIBUTES;
    match ClientHello::parse(payload, offered).expect("a recorded response") {
        ClientHello::Response(response) => response,
        ClientHello::Tls(_) => panic!("no recorded client asks for TLS"),
    }
}

#[test]
fn every_recorded_greeting_of_mysql_is_rebuilt_byte_for_byte() {
    let mut rebuilt = 0;
    for part in SESSIONS.iter().flat_map(|(_, text)| session(text)) {
        let Some((Side::Server, recorded)) = part.packets.first().cloned() else { continue };
        let fields = recorded_greeting(&recorded[4..]);
        let greeting = Greeting {
            server_version: &fields.version,
            connection_id: fields.connection_id,
            nonce: &Nonce::new(fields.nonce).expect("a server's nonce is one of ours"),
            capabilities: Capabilities::from_bits(fields.capabilities),
            charset: fields.charset,
            status: StatusFlags::from_bits(fields.status),
            plugin: Plugin::from_name(fields.plugin.as_bytes()).expect("a known plugin"),
        };
        let mut ours = reply_from(0, |out| greeting.write(out));
        if fields.filler != [0; 10] {
            let at = ours.len() - fields.plugin.len() - 1 - 13 - 10;
            ours[at..at + 10].copy_from_slice(&fields.filler);
        }
        assert_same_bytes(&ours, &recorded);
        rebuilt += 1;
    }
    assert!(rebuilt > 30, "{rebuilt}");
}

#[test]
fn pymysql_introduces_itself() {
    let payloads = part("pymysql_text", "connect").payloads(Side::Client);
    let response = response(&payloads[0]);
    assert_eq!(response.user, b"root");
    assert_eq!(response.auth_response, b"");
    assert_eq!(response.database, None);
    assert_eq!(response.plugin, Some(b"caching_sha2_password".as_slice()));
    assert_eq!(response.charset, 45);
    assert_eq!(response.packet_size_max, (16 << 20) - 1);
    assert_eq!(response.attributes.get(b"_client_name"), Some(b"pymysql".as_slice()));
    assert_eq!(response.attributes.get(b"_client_version"), Some(b"1.2.4".as_slice()));
    assert_eq!(response.attributes.iter().count(), 3);
    assert_eq!(response.attributes.get(b"nothing"), None);
    let expected = Capabilities::LONG_PASSWORD
        | Capabilities::MULTI_STATEMENTS
        | Capabilities::MULTI_RESULTS
        | Capabilities::PROTOCOL_41
        | Capabilities::SECURE_CONNECTION
        | Capabilities::PLUGIN_AUTH
        | Capabilities::PLUGIN_AUTH_LENENC
        | Capabilities::CONNECT_ATTRS;
    assert!(response.capabilities.contains(expected));
    assert!(!response.capabilities.contains(Capabilities::DEPRECATE_EOF));
}

#[test]
fn a_response_names_a_database_if_the_client_begins_in_one() {
    let payloads = part("pymysql_auth", "fast sha_word").payloads(Side::Client);
    let response = response(&payloads[0]);
    assert_eq!((response.user, response.database), (b"sha_word".as_slice(), Some(b"wire".as_slice())));
    assert_eq!(response.auth_response.len(), 32);
}

#[test]
fn oracles_client_and_a_replica_introduce_themselves() {
    let payloads = part("mysql_cli", "session sha_word").payloads(Side::Client);
    let cli = response(&payloads[0]);
    assert_eq!((cli.user, cli.database, cli.charset), (b"sha_word".as_slice(), None, 255));
    assert_eq!(cli.auth_response.len(), 32);
    let wanted = Capabilities::DEPRECATE_EOF | Capabilities::SESSION_TRACK | Capabilities::QUERY_ATTRIBUTES;
    assert!(cli.capabilities.contains(wanted));
    assert_eq!(cli.attributes.get(b"program_name"), Some(b"mysql".as_slice()));
    assert_eq!(cli.attributes.get(b"_client_version"), Some(b"9.7.4".as_slice()));

    let payloads = part("replica", "auto_position").payloads(Side::Client);
    let replica = response(&payloads[0]);
    assert_eq!(replica.user, b"repl");
    assert_eq!(replica.attributes.get(b"_client_role"), Some(b"binary_log_listener".as_slice()));
}

#[test]
fn an_empty_password_of_oracles_client_is_one_nul() {
    let payloads = part("mysql_cli", "session root").payloads(Side::Client);
    assert_eq!(response(&payloads[0]).auth_response, [0]);
}

#[test]
fn mariadbs_client_introduces_itself() {
    let payloads = part("mariadb_cli_native", "session nat_word").payloads(Side::Client);
    let response = response(&payloads[0]);
    assert_eq!(response.user, b"nat_word");
    assert_eq!(response.auth_response.len(), 20);
    assert_eq!(response.plugin, Some(b"mysql_native_password".as_slice()));
    // Bit 0 is not set: this client takes a server with bit 0 for MySQL and says of itself that it is MariaDB's.
    assert!(!response.capabilities.contains(Capabilities::LONG_PASSWORD));
    assert_eq!(response.attributes.get(b"_client_name"), Some(b"libmariadb".as_slice()));
}

#[test]
fn every_recorded_response_is_read_whatever_was_offered() {
    for part in SESSIONS.iter().flat_map(|(_, text)| session(text)) {
        let Some((Side::Server, _)) = part.packets.first() else { continue };
        let payload = &part.payloads(Side::Client)[0];
        for offered in [
            Capabilities::OFFERED,
            Capabilities::OFFERED | Capabilities::QUERY_ATTRIBUTES,
            Capabilities::OFFERED.without(Capabilities::CONNECT_ATTRS),
            Capabilities::OFFERED | Capabilities::SSL,
        ] {
            let ClientHello::Response(response) = ClientHello::parse(payload, offered).unwrap() else {
                panic!("no recorded client asks for TLS")
            };
            assert!(offered.contains(response.capabilities), "nothing is agreed on that was not offered");
            assert!(!response.user.is_empty());
        }
    }
}

/// The first 32 bytes of a response.
fn hello(capabilities: Capabilities) -> Vec<u8> {
    let mut bytes = capabilities.bits().to_le_bytes().to_vec();
    bytes.extend([0, 0, 0, 1, 45]);
    bytes.extend([0; 23]);
    bytes
}

#[test]
fn a_client_of_before_4_1_is_refused_clearly() {
    // Its capabilities have two bytes, then come three bytes of packet size and a user name.
    let error = ClientHello::parse(b"\x85\x04\0\0\0joe\0abcdefgh\0", Capabilities::OFFERED).unwrap_err();
    assert_eq!(error, Error::OldClient);
    assert_eq!((error.code(), error.sqlstate(), error.is_fatal()), (1251, "08004", true));
    assert!(error.to_string().starts_with("Client does not support authentication protocol"));
}

#[test]
fn tls_is_refused_where_it_was_not_offered_and_granted_where_it_was() {
    let asked = Capabilities::PROTOCOL_41 | Capabilities::SSL | Capabilities::PLUGIN_AUTH;
    let error = ClientHello::parse(&hello(asked), Capabilities::OFFERED).unwrap_err();
    assert_eq!(error, Error::TlsNotOffered);
    assert_eq!((error.code(), error.is_fatal()), (1043, true));
    assert!(error.to_string().contains("TLS"));
    let offered = Capabilities::OFFERED | Capabilities::SSL;
    let Ok(ClientHello::Tls(request)) = ClientHello::parse(&hello(asked), offered) else { panic!("TLS") };
    assert_eq!(request.charset, 45);
    assert!(request.capabilities.contains(Capabilities::SSL));
}

#[test]
fn a_user_name_needs_its_nul_and_may_be_long() {
    let mut payload = hello(Capabilities::PROTOCOL_41 | Capabilities::SECURE_CONNECTION);
    payload.extend([b'u'; 255]);
    let error = ClientHello::parse(&payload, Capabilities::OFFERED).unwrap_err();
    assert_eq!(error, Error::BadHandshake("handshake response"));
    assert_eq!(error.to_string(), "Bad handshake");
    payload.extend([0, 0]);
    assert_eq!(response(&payload).user, [b'u'; 255]);
}

#[test]
fn each_form_of_the_auth_response_is_read() {
    let base = Capabilities::PROTOCOL_41;
    for (form, sent) in [
        (base, b"joe\0abcd\0".as_slice()),
        (base | Capabilities::SECURE_CONNECTION, b"joe\0\x04abcd"),
        (base | Capabilities::SECURE_CONNECTION | Capabilities::PLUGIN_AUTH_LENENC, b"joe\0\x04abcd"),
    ] {
        let mut payload = hello(form);
        payload.extend(sent);
        assert_eq!(response(&payload).auth_response, b"abcd");
        assert_eq!(response(&payload).plugin, None);
    }
}

#[test]
fn a_length_of_the_auth_response_beyond_the_packet_is_refused() {
    // CVE-2017-3599: lengths 0xFE and 0xFF here once made a server read beyond its memory.
    let capabilities =
        Capabilities::PROTOCOL_41 | Capabilities::PLUGIN_AUTH_LENENC | Capabilities::SECURE_CONNECTION;
    for length in [&[5][..], &[0xFB], &[0xFC, 0xFF, 0xFF], &[0xFD, 1, 0, 1], &[0xFF], &[0xFE; 9]] {
        let mut payload = hello(capabilities);
        payload.extend(b"joe\0");
        payload.extend(length);
        payload.extend(b"abcd");
        assert!(matches!(ClientHello::parse(&payload, Capabilities::OFFERED), Err(Error::BadHandshake(_))));
    }
}

#[test]
fn the_last_nuls_may_be_missing() {
    let capabilities = Capabilities::PROTOCOL_41
        | Capabilities::SECURE_CONNECTION
        | Capabilities::CONNECT_WITH_DB
        | Capabilities::PLUGIN_AUTH
        | Capabilities::CONNECT_ATTRS;
    for (rest, database, plugin) in [
        (b"joe\0\0".as_slice(), None, b"".as_slice()),
        (b"joe\0\0db", Some(b"db".as_slice()), b""),
        (b"joe\0\0db\0plug", Some(b"db"), b"plug"),
        (b"joe\0\0\0plug\0", None, b"plug"),
        (b"joe\0\0db\0plug\0\0", Some(b"db"), b"plug"),
    ] {
        let mut payload = hello(capabilities);
        payload.extend(rest);
        let response = response(&payload);
        assert_eq!((response.database, response.plugin), (database, Some(plugin)));
        assert_eq!(response.attributes.iter().count(), 0);
    }
}

#[test]
fn attributes_that_do_not_fit_are_refused() {
    let capabilities =
        Capabilities::PROTOCOL_41 | Capabilities::SECURE_CONNECTION | Capabilities::CONNECT_ATTRS;
    for bad in
        [b"\x05\x01a\x01b".as_slice(), b"\x02\x01a", b"\x03\x01a\x05b", b"\xff", b"\xfe\0\0\0\0\0\0\0\x80"]
    {
        let mut payload = hello(capabilities);
        payload.extend(b"joe\0\0");
        payload.extend(bad);
        assert!(ClientHello::parse(&payload, Capabilities::OFFERED).is_err(), "{bad:x?}");
    }
}

#[test]
fn the_packets_of_an_exchange_are_written_as_recorded() {
    let switched = &crate::tools::session(crate::tools::file("mariadb_cli_native"))[1];
    let recorded = &switched.packets[2].1;
    let nonce = Nonce::new(recorded_greeting(&switched.packets[0].1[4..]).nonce).expect("a nonce");
    assert_same_bytes(&reply_from(2, |out| write_auth_switch(out, Plugin::Native, &nonce)), recorded);
    assert_eq!(reply_from(2, |out| write_auth_more_data(out, &[3])), [2, 0, 0, 2, 1, 3]);
}
