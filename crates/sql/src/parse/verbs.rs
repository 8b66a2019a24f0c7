//! Which parser reads a statement, by its first words.

use types::error::SqlError;

use super::cursor::Cursor;
use super::maintain::MaintenanceKind;
use super::table::{alter, create, drop, index};
use super::{
    Statement, account, admin, database, dml, explain, grant, load, lock, maintain, prepared, replica, set,
    show, stored, transaction, view, xa,
};

type Result<T> = std::result::Result<T, SqlError>;

/// Reads the statement at the cursor.
pub(super) fn statement(cursor: &mut Cursor<'_>) -> Result<Statement> {
    if let Some(statement) = rows(cursor)? {
        return Ok(statement);
    }
    if let Some(statement) = definitions(cursor)? {
        return Ok(statement);
    }
    if let Some(statement) = session(cursor)? {
        return Ok(statement);
    }
    if let Some(statement) = server(cursor)? {
        return Ok(statement);
    }
    MISSING
        .iter()
        .find(|(words, _)| cursor.is(words))
        .map_or_else(|| Err(cursor.error()), |(_, what)| Ok(Statement::Unsupported { what }))
}

/// Statements on rows. `sqlparser` reads their verbs too.
fn rows(cursor: &mut Cursor<'_>) -> Result<Option<Statement>> {
    const QUERIES: [&str; 5] = ["SELECT", "(", "WITH", "VALUES", "TABLE"];
    Ok(Some(if QUERIES.iter().any(|word| cursor.is(word)) {
        dml::select(cursor)?
    } else if cursor.is("INSERT") || cursor.is("REPLACE") {
        dml::insert(cursor)?
    } else if cursor.is("UPDATE") {
        dml::update(cursor)?
    } else if cursor.is("DELETE") {
        dml::delete(cursor)?
    } else if cursor.accept("LOAD") {
        load::parse(cursor)?
    } else if cursor.accept("DO") {
        dml::evaluate(cursor)?
    } else if cursor.accept_any(&["EXPLAIN", "DESCRIBE", "DESC"]).is_some() {
        explain::parse(cursor)?
    } else if cursor.accept("SHOW") {
        show::parse(cursor)?
    } else {
        return Ok(None);
    }))
}

/// Statements on what is defined.
fn definitions(cursor: &mut Cursor<'_>) -> Result<Option<Statement>> {
    if let Some(drop) = stored::drop(cursor)? {
        return Ok(Some(drop));
    }
    Ok(Some(if cursor.accept("CREATE TABLE") {
        create::parse(cursor, false)?
    } else if cursor.accept("CREATE TEMPORARY TABLE") {
        create::parse(cursor, true)?
    } else if cursor.accept_any(&["DROP TEMPORARY TABLE", "DROP TEMPORARY TABLES"]).is_some() {
        drop::drop(cursor, true)?
    } else if is_create_index(cursor) {
        cursor.advance();
        index::create(cursor)?
    } else if view::begins(cursor, "CREATE") {
        cursor.advance();
        view::define(cursor, true)?
    } else if view::begins(cursor, "ALTER") {
        cursor.advance();
        view::define(cursor, false)?
    } else if cursor.accept("DROP VIEW") {
        view::drop(cursor)?
    } else if cursor.accept_any(&["CREATE DATABASE", "CREATE SCHEMA"]).is_some() {
        database::create(cursor)?
    } else if cursor.accept("CREATE USER") {
        account::manage(cursor, false)?
    } else if cursor.accept("ALTER TABLE") {
        alter::parse(cursor)?
    } else if cursor.accept_any(&["ALTER DATABASE", "ALTER SCHEMA"]).is_some() {
        database::alter(cursor)?
    } else if cursor.accept("ALTER USER") {
        account::manage(cursor, true)?
    } else if cursor.accept_any(&["DROP TABLE", "DROP TABLES"]).is_some() {
        drop::drop(cursor, false)?
    } else if cursor.accept("DROP INDEX") {
        index::drop(cursor)?
    } else if cursor.accept_any(&["DROP DATABASE", "DROP SCHEMA"]).is_some() {
        database::drop(cursor)?
    } else if cursor.accept("DROP USER") {
        account::drop(cursor)?
    } else if cursor.accept("TRUNCATE") {
        drop::truncate(cursor)?
    } else if cursor.accept("RENAME") {
        drop::rename(cursor)?
    } else if cursor.accept("GRANT") {
        grant::grant(cursor)?
    } else if cursor.accept("REVOKE") {
        grant::revoke(cursor)?
    } else {
        return Ok(None);
    }))
}

fn is_create_index(cursor: &Cursor<'_>) -> bool {
    ["CREATE INDEX", "CREATE UNIQUE", "CREATE FULLTEXT", "CREATE SPATIAL"]
        .iter()
        .any(|words| cursor.is(words))
}

/// Statements on the session and its transaction.
fn session(cursor: &mut Cursor<'_>) -> Result<Option<Statement>> {
    Ok(Some(if cursor.accept("USE") {
        database::use_database(cursor)?
    } else if cursor.accept("SET") {
        set::parse(cursor)?
    } else if cursor.accept("BEGIN") {
        transaction::begin(cursor)?
    } else if cursor.accept("START TRANSACTION") {
        transaction::start(cursor)?
    } else if cursor.accept("COMMIT") {
        transaction::commit(cursor)?
    } else if cursor.accept("ROLLBACK") {
        transaction::rollback(cursor)?
    } else if cursor.accept("SAVEPOINT") {
        transaction::savepoint(cursor)?
    } else if cursor.accept("RELEASE") {
        transaction::release(cursor)?
    } else if cursor.accept("LOCK") {
        lock::lock(cursor)?
    } else if cursor.accept("UNLOCK") {
        lock::unlock(cursor)?
    } else if cursor.accept("PREPARE") {
        prepared::prepare(cursor)?
    } else if cursor.accept("EXECUTE") {
        prepared::execute(cursor)?
    } else if cursor.accept("DEALLOCATE") || cursor.is("DROP PREPARE") {
        cursor.accept("DROP");
        prepared::deallocate(cursor)?
    } else if cursor.accept("XA") {
        xa::parse(cursor)?
    } else if cursor.accept("HELP") {
        let topic = cursor.name_or_text()?;
        cursor.expect_end()?;
        Statement::Help(topic)
    } else {
        return Ok(None);
    }))
}

/// Statements on the server.
fn server(cursor: &mut Cursor<'_>) -> Result<Option<Statement>> {
    const MAINTENANCE: [(&str, MaintenanceKind); 5] = [
        ("ANALYZE", MaintenanceKind::Analyze),
        ("CHECK", MaintenanceKind::Check),
        ("CHECKSUM", MaintenanceKind::Checksum),
        ("OPTIMIZE", MaintenanceKind::Optimize),
        ("REPAIR", MaintenanceKind::Repair),
    ];
    if let Some((_, what)) = MAINTENANCE.iter().find(|(verb, _)| cursor.accept(verb)) {
        return maintain::parse(cursor, *what).map(Some);
    }
    Ok(Some(if cursor.accept("FLUSH") {
        admin::flush(cursor)?
    } else if cursor.accept("PURGE") {
        admin::purge(cursor)?
    } else if cursor.accept("RESET") {
        admin::reset(cursor)?
    } else if cursor.is("CHANGE MASTER") || cursor.is("CHANGE REPLICATION SOURCE") {
        cursor.advance();
        replica::change(cursor)?
    } else if cursor.is("START REPLICA") || cursor.is("START SLAVE") {
        cursor.advance();
        replica::start(cursor)?
    } else if cursor.is("STOP REPLICA") || cursor.is("STOP SLAVE") {
        cursor.advance();
        replica::stop(cursor)?
    } else if cursor.accept("KILL") {
        admin::kill(cursor)?
    } else if cursor.accept("INSTALL PLUGIN") {
        admin::install(cursor)?
    } else if cursor.accept("UNINSTALL PLUGIN") {
        let name = cursor.name()?;
        cursor.expect_end()?;
        Statement::UninstallPlugin(name)
    } else if cursor.accept("BINLOG") {
        let events = cursor.text()?;
        cursor.expect_end()?;
        Statement::Binlog(events)
    } else if cursor.accept("SHUTDOWN") {
        cursor.expect_end()?;
        Statement::Shutdown
    } else {
        return Ok(None);
    }))
}

/// First words of statements that MySQL has and we have not, and what they are called.
const MISSING: [(&str, &str); 39] = [
    ("ALTER EVENT", "ALTER EVENT"),
    ("ALTER FUNCTION", "ALTER FUNCTION"),
    ("ALTER INSTANCE", "ALTER INSTANCE"),
    ("ALTER LOGFILE", "ALTER LOGFILE GROUP"),
    ("ALTER PROCEDURE", "ALTER PROCEDURE"),
    ("ALTER RESOURCE", "ALTER RESOURCE GROUP"),
    ("ALTER SERVER", "ALTER SERVER"),
    ("ALTER TABLESPACE", "ALTER TABLESPACE"),
    ("ALTER UNDO", "ALTER UNDO TABLESPACE"),
    ("CACHE INDEX", "CACHE INDEX"),
    ("CALL", "CALL"),
    ("CHANGE REPLICATION FILTER", "CHANGE REPLICATION FILTER"),
    ("CLONE", "CLONE"),
    ("CREATE AGGREGATE", "CREATE FUNCTION"),
    ("CREATE EVENT", "CREATE EVENT"),
    ("CREATE FUNCTION", "CREATE FUNCTION"),
    ("CREATE LOGFILE", "CREATE LOGFILE GROUP"),
    ("CREATE PROCEDURE", "CREATE PROCEDURE"),
    ("CREATE RESOURCE", "CREATE RESOURCE GROUP"),
    ("CREATE ROLE", "roles"),
    ("CREATE SERVER", "CREATE SERVER"),
    ("CREATE SPATIAL REFERENCE", "CREATE SPATIAL REFERENCE SYSTEM"),
    ("CREATE TABLESPACE", "CREATE TABLESPACE"),
    ("CREATE TRIGGER", "CREATE TRIGGER"),
    ("CREATE UNDO", "CREATE UNDO TABLESPACE"),
    ("DROP RESOURCE", "DROP RESOURCE GROUP"),
    ("DROP ROLE", "roles"),
    ("DROP SERVER", "DROP SERVER"),
    ("DROP TABLESPACE", "DROP TABLESPACE"),
    ("GET", "GET DIAGNOSTICS"),
    ("HANDLER", "HANDLER"),
    ("IMPORT TABLE", "IMPORT TABLE"),
    ("INSTALL COMPONENT", "INSTALL COMPONENT"),
    ("RESTART", "RESTART"),
    ("SIGNAL", "SIGNAL"),
    ("RESIGNAL", "RESIGNAL"),
    ("START GROUP_REPLICATION", "START GROUP_REPLICATION"),
    ("STOP GROUP_REPLICATION", "STOP GROUP_REPLICATION"),
    ("UNINSTALL COMPONENT", "UNINSTALL COMPONENT"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_we_have_not_are_named() {
        let parsed = |sql: &str| crate::parse::parse(sql, crate::lex::Quoting::default());
        assert!(matches!(parsed("CALL p(1)"), Ok(Statement::Unsupported { what: "CALL" })));
        assert!(matches!(
            parsed("CHANGE REPLICATION FILTER REPLICATE_DO_DB = (a)"),
            Ok(Statement::Unsupported { what: "CHANGE REPLICATION FILTER" })
        ));
        assert!(parsed("FROBNICATE x").unwrap_err().message.contains("near 'FROBNICATE x'"));
    }
}
