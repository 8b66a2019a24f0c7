//! User locks: `get_lock()` and its like, of one session and of several.

use crate::client::Client;
use crate::waits::{until_run, value};
use crate::whole::{World, answers_as_recorded, ok, send};

const COM_RESET_CONNECTION: u8 = 0x1f;

fn number(client: &mut Client, sql: &str) -> Option<i64> {
    value(client, sql).map(|text| text.parse().unwrap())
}

/// The answer that a client waits for.
fn answered(client: &mut Client) -> Option<String> {
    client.answer().unwrap().rows.concat().remove(0)
}

#[test]
fn one_session_is_answered_as_by_mysql() {
    answers_as_recorded(include_str!("../data/user_locks-9.7.4.txt"), 30);
}

#[test]
fn a_lock_goes_on_when_its_owner_lets_it_go_or_ends() {
    let world = World::start();
    let (mut root, mut one, mut other) = (world.root(), world.root(), world.root());
    let id = number(&mut one, "SELECT CONNECTION_ID()");
    assert_eq!(number(&mut one, "SELECT GET_LOCK('l', 0) + GET_LOCK('L', 0)"), Some(2));
    for (sql, answer) in [
        ("SELECT GET_LOCK('l', 0)", Some(0)),
        ("SELECT GET_LOCK('l', 1)", Some(0)),
        ("SELECT RELEASE_LOCK('l')", Some(0)),
        ("SELECT IS_FREE_LOCK('l')", Some(0)),
        ("SELECT IS_USED_LOCK('l')", id),
        ("SELECT RELEASE_ALL_LOCKS()", Some(0)),
    ] {
        assert_eq!(number(&mut other, sql), answer, "{sql}");
    }
    for ends in ["released", "begins anew", "is gone"] {
        send(&mut other, "SELECT GET_LOCK('l', -1)");
        until_run(&mut root, 1, "SELECT GET_LOCK(''l'', -1)");
        match ends {
            "released" => {
                assert_eq!(number(&mut one, "SELECT RELEASE_LOCK('l')"), Some(1));
                assert_eq!(number(&mut root, "SELECT IS_USED_LOCK('l')"), id, "it was taken twice");
                assert_eq!(number(&mut one, "SELECT RELEASE_LOCK('l')"), Some(1));
            }
            "begins anew" => one.command(&[COM_RESET_CONNECTION]).unwrap(),
            _ => one = world.root(),
        }
        assert_eq!(answered(&mut other), Some("1".to_owned()), "{ends}");
        if ends == "begins anew" {
            one.answer().unwrap();
        }
        assert_eq!(number(&mut other, "SELECT RELEASE_LOCK('l')"), Some(1));
        assert_eq!(number(&mut one, "SELECT GET_LOCK('l', 0)"), Some(1), "{ends}");
    }
    world.stop();
}

#[test]
fn a_wait_for_a_lock_ends_with_kill() {
    let world = World::start();
    let (mut root, mut one, mut other) = (world.root(), world.root(), world.root());
    assert_eq!(number(&mut one, "SELECT GET_LOCK('l', 0)"), Some(1));
    let id = number(&mut other, "SELECT CONNECTION_ID()").unwrap();
    send(&mut other, "SELECT GET_LOCK('l', 1000)");
    until_run(&mut root, 1, "SELECT GET_LOCK(%");
    ok(&mut root, &format!("KILL QUERY {id}"));
    assert_eq!(other.answer().unwrap_err().code(), 1317);
    assert_eq!(number(&mut one, "SELECT RELEASE_LOCK('l')"), Some(1));
    assert_eq!(number(&mut root, "SELECT IS_FREE_LOCK('l')"), Some(1), "whoever was killed wants it no more");
    world.stop();
}

#[test]
fn a_client_that_goes_away_while_it_waits_keeps_nothing() {
    let world = World::start();
    let (mut root, mut one, mut other) = (world.root(), world.root(), world.root());
    assert_eq!(number(&mut one, "SELECT GET_LOCK('l', 0)"), Some(1));
    send(&mut other, "SELECT GET_LOCK('l', -1)");
    until_run(&mut root, 1, "SELECT GET_LOCK(''l'', -1)");
    drop(other);
    assert_eq!(number(&mut one, "SELECT RELEASE_LOCK('l')"), Some(1));
    assert_eq!(number(&mut root, "SELECT GET_LOCK('l', -1)"), Some(1));
    world.stop();
}

#[test]
fn a_session_keeps_its_locks_under_a_pseudo_thread_id() {
    let world = World::start();
    let (mut root, mut one, mut other) = (world.root(), world.root(), world.root());
    let ids = [&mut one, &mut other].map(|client| number(client, "SELECT CONNECTION_ID()").unwrap());
    assert_eq!(number(&mut one, "SELECT GET_LOCK('l', 0)"), Some(1));
    assert_eq!(number(&mut other, "SELECT GET_LOCK('m', 0)"), Some(1));
    ok(&mut one, &format!("SET pseudo_thread_id = {}", ids[1]));
    assert_eq!(number(&mut one, "SELECT CONNECTION_ID()"), Some(ids[1]), "it is told the other's id");
    assert_eq!(number(&mut one, "SELECT RELEASE_LOCK('m')"), Some(0));
    assert_eq!(number(&mut root, "SELECT IS_USED_LOCK('l')"), Some(ids[0]));
    one.command(&[COM_RESET_CONNECTION]).unwrap();
    one.answer().unwrap();
    assert_eq!(number(&mut one, "SELECT CONNECTION_ID()"), Some(ids[0]));
    assert_eq!(number(&mut root, "SELECT IS_FREE_LOCK('l')"), Some(1));
    assert_eq!(number(&mut root, "SELECT IS_USED_LOCK('m')"), Some(ids[1]));
    world.stop();
}
