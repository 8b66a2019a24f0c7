//! Purpose: sessions wait for each other's locks as long as MySQL's do.
//!
//! Requirements: R1. `innodb_lock_wait_timeout` and `lock_wait_timeout` end waits.
//!
//! Method: a whole server on a simulated disk, and clients that speak the protocol's bytes.

use crate::client::Client;
use crate::whole::World;

fn ok(client: &mut Client, sql: &str) {
    client.query(sql).unwrap_or_else(|failure| panic!("{sql}: {failure:?}"));
}

/// The number of the error that a statement answers with.
fn error(client: &mut Client, sql: &str) -> u16 {
    client.query(sql).expect_err(sql).code()
}

/// A server with a table `d.t` of one row, and two sessions.
fn world() -> (World, Client, Client) {
    let world = World::start();
    let (mut one, other) = (world.root(), world.root());
    ok(&mut one, "CREATE TABLE d.t (id INT PRIMARY KEY, a INT)");
    ok(&mut one, "INSERT INTO d.t VALUES (1, 1)");
    (world, one, other)
}

#[test]
fn a_wait_ends_at_its_time_out() {
    let (world, mut one, mut other) = world();
    ok(&mut one, "BEGIN");
    ok(&mut one, "UPDATE d.t SET a = 2");
    ok(&mut other, "SET innodb_lock_wait_timeout = 1");
    assert_eq!(error(&mut other, "UPDATE d.t SET a = 3"), 1205);
    ok(&mut other, "SET lock_wait_timeout = 1");
    assert_eq!(error(&mut other, "TRUNCATE d.t"), 1205);
    ok(&mut one, "SET GLOBAL lock_wait_timeout = 1");
    assert_eq!(error(&mut world.root(), "TRUNCATE d.t"), 1205, "a session begins with the global value");
    world.stop();
}
