//! `session_track_gtids`: OK packets tell which GTIDs were executed, for proxies that read from whoever has them.

use crate::client::{Client, Login};
use crate::whole::{World, ok, rows};

const SESSION_TRACK: u32 = 1 << 23;

fn told(client: &mut Client, sql: &str) -> String {
    client.query(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}")).info
}

fn executed(client: &mut Client) -> String {
    rows(client, "SELECT @@GLOBAL.gtid_executed").remove(0)
}

#[test]
fn a_client_is_told_its_own_gtid_once() {
    let world = World::start();
    let login = Login { flags: SESSION_TRACK, ..Login::new("root", "") };
    let mut client = Client::connect(&world.address(), &login).unwrap();
    ok(&mut client, "SET session_track_gtids = OWN_GTID");
    for sql in [
        "CREATE TABLE d.t (id INT PRIMARY KEY)",
        "INSERT INTO d.t VALUES (1)",
        "CREATE TABLE d.c SELECT * FROM d.t",
        "DROP TABLE d.c",
    ] {
        let told_now = told(&mut client, sql);
        let all = executed(&mut client);
        let (server, numbers) = all.split_once(':').unwrap();
        let newest = format!("{server}:{}", numbers.rsplit('-').next().unwrap());
        assert!(told_now.ends_with(&newest), "{sql}: {told_now:?}, {newest}");
        assert_eq!(told(&mut client, "DO 1"), "");
    }
    // What failed has committed before, and the next answer is not that commit's.
    ok(&mut client, "BEGIN");
    ok(&mut client, "INSERT INTO d.t VALUES (2)");
    assert_eq!(client.query("SET session_track_gtids = OFF").unwrap_err().code(), 1766);
    assert_eq!(client.query("CREATE TABLE d.t (id INT)").unwrap_err().code(), 1050);
    assert_eq!(told(&mut client, "DO 1"), "");
    world.stop();
}

#[test]
fn a_client_is_told_all_gtids_outside_of_transactions() {
    let world = World::start();
    let login = Login { flags: SESSION_TRACK, ..Login::new("root", "") };
    let mut client = Client::connect(&world.address(), &login).unwrap();
    ok(&mut client, "SET session_track_gtids = ALL_GTIDS");
    let all = executed(&mut client);
    assert!(told(&mut client, "DO 1").ends_with(&all));
    assert_eq!(told(&mut client, "BEGIN"), "");
    ok(&mut client, "COMMIT");
    world.stop();
}
