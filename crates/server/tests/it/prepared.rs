//! Purpose: prepared statements, of PREPARE and of the binary protocol, are what they are in MySQL.
//!
//! Requirements: R1. PREPARE, EXECUTE and DEALLOCATE cannot be prepared, however they are written: 1295. R2. One statement is prepared: behind it come
//! semicolons and comments at most.
//!
//! Method: a whole server on a simulated disk, and clients that speak the protocol's bytes. What is expected was seen at
//! MySQL 9.7.4.

use crate::client::{Client, Result};
use crate::whole::{World, ok};

/// COM_STMT_PREPARE of a statement without parameters and columns, or with an error.
fn prepare(client: &mut Client, sql: &str) -> Result<u32> {
    client.command(&[&[0x16], sql.as_bytes()].concat())?;
    client.prepared()
}

/// A string literal.
fn quoted(sql: &str) -> String {
    format!("'{}'", sql.replace('\'', "''"))
}

#[test]
fn statements_about_statements_cannot_be_prepared() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "PREPARE s FROM 'SELECT 42'");
    let text = "This command is not supported in the prepared statement protocol yet";
    for sql in [
        "EXECUTE s",
        "EXECUTE`s`",
        "/**/EXECUTE s",
        "/*!40101 EXECUTE */ s",
        "-- x\nexecute s",
        "PREPARE`t`FROM 'SELECT 1'",
        "DEALLOCATE PREPARE s",
        "#\nDROP PREPARE s",
    ] {
        for refused in [
            root.query(&format!("PREPARE t FROM {}", quoted(sql))).expect_err(sql),
            prepare(&mut root, sql).expect_err(sql),
        ] {
            assert_eq!((refused.code(), refused.message()), (1295, text), "{sql}");
        }
    }
    ok(&mut root, "EXECUTE s");
    world.stop();
}

#[test]
fn one_statement_is_prepared() {
    let world = World::start();
    let mut root = world.root();
    for sql in ["DO 1;", "DO 1; ;", "DO 1; -- x", "DO 1; # x;y", "DO 1; /* a;b */ ;"] {
        ok(&mut root, &format!("PREPARE s FROM {}", quoted(sql)));
        prepare(&mut root, sql).expect(sql);
    }
    for (sql, near) in [("DO 1; DO 2", "DO 2"), ("DO 1;;DO 2", ";DO 2"), ("DO 1;/* x */;DO 2", ";DO 2")] {
        let refused = prepare(&mut root, sql).expect_err(sql);
        assert_eq!(refused.code(), 1064);
        assert!(refused.message().ends_with(&format!("near '{near}' at line 1")), "{}", refused.message());
    }
    world.stop();
}
