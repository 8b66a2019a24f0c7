//! Purpose: scripts that install what is built in get the answer that they get the second time at MySQL.
//!
//! Requirements: R1. INSTALL PLUGIN of what is there is error 1125, of anything else 1235. R2. UNINSTALL PLUGIN of what is there
//! is error 1619, else 1305. R3. SHOW PLUGINS shows semi-synchronous replication.
//!
//! Method: a whole server on a simulated disk. What is expected was seen at MySQL 9.7.4.

use crate::whole::World;

#[test]
fn plugins_are_built_in() {
    let world = World::start();
    let mut root = world.root();
    for (sql, code, message) in [
        (
            "INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so'",
            1125,
            "Function 'rpl_semi_sync_source' already exists",
        ),
        ("INSTALL PLUGIN InnoDB SONAME 'x'", 1125, "Function 'InnoDB' already exists"),
        (
            "INSTALL PLUGIN nope SONAME 'nope.so'",
            1235,
            "This version of MySQL doesn't yet support 'INSTALL PLUGIN'",
        ),
        ("UNINSTALL PLUGIN rpl_semi_sync_master", 1619, "Built-in plugins cannot be deleted"),
        ("UNINSTALL PLUGIN nope", 1305, "PLUGIN nope does not exist"),
    ] {
        let failure = root.query(sql).unwrap_err();
        assert_eq!((failure.code(), failure.message()), (code, message), "{sql}");
    }
    let shown = root.query("SHOW PLUGINS").unwrap().rows;
    let name = Some("rpl_semi_sync_source".to_owned());
    assert!(shown.iter().any(|row| row[0] == name && row[1] == Some("ACTIVE".to_owned())), "{shown:?}");
    world.stop();
}
