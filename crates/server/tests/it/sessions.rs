//! Purpose: what a session has from its connection, and what a connection has from its session.
//!
//! Requirements: R1. Time-outs are those of the session's variables, after COM_RESET_CONNECTION too. R2. An interactive client
//! begins with `interactive_timeout`.
//!
//! Method: a whole server on a simulated disk, and clients that speak the protocol's bytes. What is expected was seen at
//! MySQL 9.7.4.

use crate::client::{Client, Login};
use crate::whole::{World, ok, rows};

/// COM_RESET_CONNECTION.
fn reset(client: &mut Client) {
    client.command(&[0x1F]).unwrap();
    client.answer().unwrap();
}

#[test]
fn time_outs_are_the_sessions_after_a_reset_too() {
    let world = World::start();
    let [mut before, mut after, mut neither] = [world.root(), world.root(), world.root()];
    ok(&mut before, "SET wait_timeout = 1");
    reset(&mut before);
    assert_eq!(rows(&mut before, "SELECT @@wait_timeout"), ["28800"]);
    reset(&mut after);
    ok(&mut after, "SET wait_timeout = 1");
    assert_eq!(after.answer_unasked().code(), 4031);
    // By now the other one would have been looked at.
    ok(&mut neither, "SET wait_timeout = 2");
    assert_eq!(neither.answer_unasked().code(), 4031);
    before.ping().unwrap();
    world.stop();
}

#[test]
fn an_interactive_client_begins_with_interactive_timeout() {
    const INTERACTIVE: u32 = 1 << 10;
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "SET GLOBAL interactive_timeout = 1");
    let login = Login { flags: INTERACTIVE, ..Login::new("root", "") };
    let mut client = Client::connect(&world.address(), &login).unwrap();
    ok(&mut root, "SET GLOBAL interactive_timeout = 7777");
    assert_eq!(client.answer_unasked().code(), 4031);
    let mut client = Client::connect(&world.address(), &login).unwrap();
    let timeouts = "SELECT @@wait_timeout, @@interactive_timeout";
    assert_eq!(rows(&mut client, timeouts), ["7777|7777"]);
    ok(&mut client, "SET wait_timeout = 55");
    reset(&mut client);
    assert_eq!(rows(&mut client, timeouts), ["7777|7777"]);
    assert_eq!(rows(&mut world.root(), timeouts), ["28800|7777"]);
    world.stop();
}
