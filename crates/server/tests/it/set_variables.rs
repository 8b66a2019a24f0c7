//! Purpose: SET does to variables what MySQL 8.0 does.
//!
//! Requirements: R1. each of 17 values leaves each variable with what it leaves MySQL's with, with warning 1292 where
//! MySQL warns, or fails with MySQL's number; R2. a variable that behaves otherwise is in the list, with the values
//! for which it does; R3. errors and warnings have MySQL's text; R4. nothing is changed by a statement that fails.
//!
//! Method: `data/set-8.0.46.tsv`, recorded by `examples/record`; texts from the same server.

use server::variables::{
    Access, Assigned, GtidNext, Isolation, Restricted, SessionVariables, Target, Values, Variables, Who,
    charsets, table,
};
use sql::session::{Scope, Session};
use types::collation::Collation;
use types::decimal::Decimal;
use types::error::SqlError;
use types::sql_mode::SqlMode;
use types::value::Value;
use types::warning::Warnings;

use crate::world;

const MAY: Who = Who { may_set_global: true, may_set: Restricted::ToAdmins, in_transaction: false };

/// The literals of the recording.
fn literals() -> Vec<(&'static str, Value)> {
    let huge = Decimal::from_f64(18_446_744_073_709_551_616.0).unwrap();
    vec![
        ("NULL", Value::Null),
        ("'abc'", Value::text("abc")),
        ("''", Value::text("")),
        ("1.5", Value::Decimal(Decimal::from_f64(1.5).unwrap())),
        ("-1", Value::Int(-1)),
        ("0", Value::Int(0)),
        ("1", Value::Int(1)),
        ("2", Value::Int(2)),
        ("3", Value::Int(3)),
        ("'1'", Value::text("1")),
        ("'on'", Value::text("on")),
        ("false", Value::Int(0)),
        ("99999999999", Value::Int(99_999_999_999)),
        ("18446744073709551615", Value::UInt(u64::MAX)),
        ("18446744073709551616", Value::Decimal(huge)),
        ("1e3", Value::Double(1000.0)),
        ("1000003", Value::Int(1_000_003)),
    ]
}

/// A server and one session.
struct Setting {
    variables: Variables,
    sql: Session,
    own: SessionVariables,
    warnings: Warnings,
}

impl Setting {
    fn new() -> Self {
        let variables = Variables::new(Values::default());
        let (sql, own) = world::session(&variables);
        Self { variables, sql, own, warnings: Warnings::default() }
    }

    fn set(&mut self, target: Target, name: &str, value: Value) -> Result<(), SqlError> {
        self.assign(target, name, &Assigned::Value(value), MAY)
    }

    fn assign(&mut self, target: Target, name: &str, assigned: &Assigned, who: Who) -> Result<(), SqlError> {
        self.warnings.clear();
        let sight = self.variables.sight(&self.sql, &self.own);
        let prepared = sight.prepare(target, name, assigned, who, &mut self.warnings)?;
        self.variables.apply(prepared, &mut self.sql, &mut self.own);
        Ok(())
    }

    fn show(&self, scope: Scope, name: &str) -> String {
        let sight = self.variables.sight(&self.sql, &self.own);
        sight.show(scope).find(|(found, _)| *found == name).map(|(_, value)| value).unwrap()
    }

    fn error(&mut self, target: Target, name: &str, value: Value) -> String {
        self.set(target, name, value).unwrap_err().to_string()
    }
}

/// Variables that do not take everything that MySQL's take: names or beginnings, why, and the literals.
const DIFFERENT: &[(&str, &str, &[&str])] = &[
    ("character_set_", "big5, latin2 and dec8 do not exist here", &["1", "2", "3"]),
    ("collation_", "as above", &["1", "2", "3"]),
    ("default_collation_for_utf8mb4", "as above; MySQL names the two that it takes", &["1", "2", "3"]),
    ("innodb_tmpdir", "the empty path is the one value here", &["''"]),
    ("lc_", "there is one locale, of number 0", &NUMBERS_BUT_0),
    ("slave_rows_search_algorithms", "it means nothing here", &["''"]),
    ("sql_select_limit", "the recorder's own SELECT had no rows", &["-1", "0", "false"]),
    ("timestamp", "what is recorded is the recorder's time", &["-1", "0", "false"]),
];

/// The literals that are whole numbers.
const NUMBERS_BUT_0: [&str; 7] = ["-1", "1", "2", "3", "99999999999", "18446744073709551615", "1000003"];

fn is_different(name: &str, literal: &str) -> bool {
    DIFFERENT.iter().any(|(prefix, _, literals)| name.starts_with(prefix) && (literals.contains(&literal)))
}

#[test]
fn every_value_does_to_every_variable_what_it_does_in_mysql() {
    let mut different = Vec::new();
    let mut compared = 0;
    for row in world::table(include_str!("../data/set-8.0.46.tsv")) {
        let name = row["name"];
        let Some(variable) = table().iter().find(|variable| variable.name == name) else { continue };
        if variable.access == Access::Fixed {
            continue;
        }
        let (target, scope) = match row["scope"] {
            "GLOBAL" => (Target::Global, Scope::Global),
            _ => (Target::Session, Scope::Session),
        };
        for (literal, value) in literals() {
            let mut setting = Setting::new();
            let ours = if let Err(error) = setting.set(target, name, value) {
                format!("E{}", error.code)
            } else {
                let truncated = setting.warnings.entries().iter().any(|warning| warning.code == 1292);
                format!("{}{}", setting.show(scope, name), if truncated { "!" } else { "" })
            };
            compared += 1;
            // What is refused because there is one value only is refused as a wrong value.
            let refused = variable.is_only && ours == "E1231";
            if ours != row[literal] && !refused {
                different.push((name, literal, ours, row[literal]));
            }
        }
    }
    assert!(compared > 2000, "{compared}");
    let unexpected: Vec<_> =
        different.iter().filter(|(name, literal, ..)| !is_different(name, literal)).collect();
    assert!(unexpected.is_empty(), "{unexpected:#?}");
    for (prefix, _, literals) in DIFFERENT {
        for literal in *literals {
            let used = different.iter().any(|(name, found, ..)| name.starts_with(prefix) && found == literal);
            assert!(used, "{prefix} {literal} is as in MySQL");
        }
    }
}

#[test]
fn errors_have_mysqls_texts() {
    let mut setting = Setting::new();
    let mut error = |target, name, value| setting.error(target, name, value);
    let one = || Value::Int(1);
    assert_eq!(
        error(Target::Session, "nosuch", one()),
        "ERROR 1193 (HY000): Unknown system variable 'nosuch'"
    );
    assert_eq!(
        error(Target::Session, "MAX_CONNECTIONS", one()),
        "ERROR 1229 (HY000): Variable 'max_connections' is a GLOBAL variable and should be set with SET GLOBAL"
    );
    assert_eq!(
        error(Target::Global, "timestamp", one()),
        "ERROR 1228 (HY000): Variable 'timestamp' is a SESSION variable and can't be used with SET GLOBAL"
    );
    assert_eq!(
        error(Target::Bare, "max_allowed_packet", one()),
        "ERROR 1621 (HY000): SESSION variable 'max_allowed_packet' is read-only. Use SET GLOBAL to assign the value"
    );
    assert_eq!(
        error(Target::Global, "version", Value::text("x")),
        "ERROR 1238 (HY000): Variable 'version' is a read only variable"
    );
    assert_eq!(
        error(Target::Session, "autocommit", Value::Int(2)),
        "ERROR 1231 (42000): Variable 'autocommit' can't be set to the value of '2'"
    );
    assert_eq!(
        error(Target::Session, "sql_warnings", Value::Null),
        "ERROR 1231 (42000): Variable 'sql_warnings' can't be set to the value of 'NULL'"
    );
    assert_eq!(
        error(Target::Session, "wait_timeout", Value::text("5")),
        "ERROR 1232 (42000): Incorrect argument type to variable 'wait_timeout'"
    );
    assert_eq!(
        error(Target::Session, "time_zone", Value::text("Nowhere")),
        "ERROR 1298 (HY000): Unknown or incorrect time zone: 'Nowhere'"
    );
    assert_eq!(
        error(Target::Session, "gtid_next", Value::text("x")),
        "ERROR 1774 (HY000): Malformed GTID specification 'x'."
    );
    assert_eq!(
        error(Target::Persist, "max_connections", one()),
        "ERROR 1235 (42000): This version of MySQL doesn't yet support 'SET PERSIST'"
    );
    assert_eq!(
        error(Target::Session, "optimizer_switch", Value::text("mrr=x")),
        "ERROR 1231 (42000): Variable 'optimizer_switch' can't be set to the value of 'mrr=x'"
    );
    assert_eq!(
        error(Target::Global, "onelog_commit_strategy", Value::text("faster")),
        "ERROR 1231 (42000): Variable 'onelog_commit_strategy' can't be set to the value of 'faster'"
    );
    assert!(setting.set(Target::Global, "onelog_commit_strategy", Value::text("GROUP")).is_ok());
}

#[test]
fn privileges_are_asked_for() {
    let mut setting = Setting::new();
    let nobody = Who { may_set_global: false, may_set: Restricted::No, in_transaction: false };
    let mut denied = |target, name| {
        let assigned = Assigned::Value(Value::Int(1));
        setting.assign(target, name, &assigned, nobody).unwrap_err().to_string()
    };
    assert_eq!(
        denied(Target::Global, "sync_binlog"),
        "ERROR 1227 (42000): Access denied; you need (at least one of) the SUPER or SYSTEM_VARIABLES_ADMIN \
         privilege(s) for this operation"
    );
    assert_eq!(
        denied(Target::Session, "sql_log_bin"),
        "ERROR 1227 (42000): Access denied; you need (at least one of) the SUPER, SYSTEM_VARIABLES_ADMIN or \
         SESSION_VARIABLES_ADMIN privilege(s) for this operation"
    );
    let value = Assigned::Value(Value::Int(5));
    assert!(setting.assign(Target::Session, "wait_timeout", &value, nobody).is_ok());
}

#[test]
fn reading_asks_for_the_right_scope() {
    let setting = Setting::new();
    let sight = setting.variables.sight(&setting.sql, &setting.own);
    let text = |scope, name| match sight.read(scope, name) {
        Ok(value) => value.as_ref().to_message(),
        Err(error) => error.to_string(),
    };
    assert_eq!(text(None, "Version"), "8.0.46-onelog");
    assert_eq!(text(Some(Scope::Global), "wait_timeout"), "28800");
    assert_eq!(
        text(Some(Scope::Global), "timestamp"),
        "ERROR 1238 (HY000): Variable 'timestamp' is a SESSION variable"
    );
    assert_eq!(
        text(Some(Scope::Session), "version"),
        "ERROR 1238 (HY000): Variable 'version' is a GLOBAL variable"
    );
    assert_eq!(
        text(None, "query_cache_size"),
        "ERROR 1193 (HY000): Unknown system variable 'query_cache_size'"
    );
    assert_eq!(text(None, "pseudo_thread_id"), "7");
}

#[test]
fn numbers_beyond_their_limits_are_errors_where_everything_is_strict() {
    let mut setting = Setting::new();
    setting.set(Target::Session, "auto_increment_offset", Value::Int(0)).unwrap();
    let warning = &setting.warnings.entries()[0];
    assert_eq!(warning.message, "Truncated incorrect auto_increment_offset value: '0'");
    setting.set(Target::Session, "sql_mode", Value::text("strict_all_tables")).unwrap();
    assert_eq!(
        setting.error(Target::Session, "auto_increment_offset", Value::Int(70_000)),
        "ERROR 1231 (42000): Variable 'auto_increment_offset' can't be set to the value of '70000'"
    );
    assert_eq!(setting.sql.auto_increment_offset, 1);
    assert_eq!(
        setting.error(Target::Session, "long_query_time", Value::Int(-1)),
        "ERROR 1231 (42000): Variable 'long_query_time' can't be set to the value of '-1'"
    );
}

#[test]
fn defaults_are_the_global_value_for_sessions_and_the_built_in_one_globally() {
    let mut setting = Setting::new();
    let (sort, default) = ("sort_buffer_size", Assigned::Default);
    setting.set(Target::Global, sort, Value::Int(500_000)).unwrap();
    assert_eq!(setting.show(Scope::Session, sort), "262144", "a session keeps what it began with");
    let (other_sql, other) = world::session(&setting.variables);
    assert_eq!(other.kept(sort).uint(), 500_000, "a new one begins with the new value");
    drop(other_sql);
    setting.assign(Target::Session, sort, &default, MAY).unwrap();
    assert_eq!(setting.show(Scope::Session, sort), "500000");
    setting.assign(Target::Global, sort, &default, MAY).unwrap();
    assert_eq!(setting.show(Scope::Global, sort), "262144");
    setting.set(Target::Global, "autocommit", Value::Int(0)).unwrap();
    let (_, third) = world::session(&setting.variables);
    assert!(!third.autocommit && setting.own.autocommit);
}

#[test]
fn an_at_sign_alone_means_the_next_transaction() {
    let mut setting = Setting::new();
    setting.set(Target::Bare, "transaction_isolation", Value::text("serializable")).unwrap();
    assert_eq!(setting.own.next.isolation, Some(Isolation::Serializable));
    assert_eq!(setting.show(Scope::Session, "transaction_isolation"), "REPEATABLE-READ");
    setting.set(Target::Session, "tx_isolation", Value::text("read-committed")).unwrap();
    assert_eq!(setting.own.isolation, Isolation::ReadCommitted);
    let within = Who { in_transaction: true, ..MAY };
    let value = Assigned::Value(Value::Int(1));
    let error = setting.assign(Target::Bare, "transaction_read_only", &value, within).unwrap_err();
    assert_eq!(error.code, 1568);
    let error = setting.assign(Target::Session, "sql_log_bin", &value, within).unwrap_err();
    assert_eq!(error.code, 1694);
    setting.set(Target::Bare, "wait_timeout", Value::Int(9)).unwrap();
    assert_eq!(setting.show(Scope::Session, "wait_timeout"), "9");
}

#[test]
fn write_sets_must_be_known_to_be_compared() {
    let mut setting = Setting::new();
    let (tracking, extraction) =
        ("binlog_transaction_dependency_tracking", "transaction_write_set_extraction");
    setting.set(Target::Session, extraction, Value::text("OFF")).unwrap();
    setting.set(Target::Global, extraction, Value::text("OFF")).unwrap();
    assert_eq!(
        setting.error(Target::Global, tracking, Value::text("WRITESET")),
        "ERROR 1221 (HY000): Incorrect usage of binlog_transaction_dependency_tracking (!= COMMIT_ORDER) and \
         transaction_write_set_extraction (= OFF)"
    );
    setting.set(Target::Global, tracking, Value::text("COMMIT_ORDER")).unwrap();
    setting.set(Target::Global, extraction, Value::text("XXHASH64")).unwrap();
    setting.set(Target::Global, tracking, Value::text("WRITESET")).unwrap();
    for target in [Target::Global, Target::Session] {
        assert_eq!(
            setting.error(target, extraction, Value::text("XXHASH64")),
            "ERROR 1221 (HY000): Incorrect usage of transaction_write_set_extraction (changed) and \
             binlog_transaction_dependency_tracking (!= COMMIT_ORDER)"
        );
    }
    setting.set(Target::Global, tracking, Value::text("COMMIT_ORDER")).unwrap();
    let within = Who { in_transaction: true, ..MAY };
    let value = Assigned::Value(Value::text("XXHASH64"));
    assert_eq!(setting.assign(Target::Session, extraction, &value, within).unwrap_err().code, 1766);
}

#[test]
fn gtid_mode_goes_step_by_step() {
    let mut setting = Setting::new();
    let gtid = || Value::text("3e11fa47-71ca-11e1-9e33-c80aa9429562:23");
    assert_eq!(setting.set(Target::Session, "gtid_next", gtid()).unwrap_err().code, 1781);
    assert_eq!(setting.set(Target::Global, "gtid_mode", Value::text("on")).unwrap_err().code, 1788);
    for mode in ["off_permissive", "on_permissive"] {
        setting.set(Target::Global, "gtid_mode", Value::text(mode)).unwrap();
    }
    assert_eq!(setting.set(Target::Global, "gtid_mode", Value::text("on")).unwrap_err().code, 1779);
    setting.set(Target::Global, "enforce_gtid_consistency", Value::text("on")).unwrap();
    setting.set(Target::Global, "gtid_mode", Value::text("on")).unwrap();
    assert!(setting.variables.settings().gtid_mode.into_inner());
    assert_eq!(setting.set(Target::Session, "gtid_next", Value::text("anonymous")).unwrap_err().code, 1782);
    setting.set(Target::Session, "gtid_next", gtid()).unwrap();
    assert!(matches!(setting.own.gtid_next, GtidNext::Gtid(gtid) if gtid.gno == 23));
    assert_eq!(setting.show(Scope::Session, "gtid_next"), "3e11fa47-71ca-11e1-9e33-c80aa9429562:23");
}

#[test]
fn values_reach_where_they_are_read() {
    let mut setting = Setting::new();
    for (name, value) in [
        ("sql_mode", Value::text("ansi_quotes")),
        ("time_zone", Value::text("+5:30")),
        ("collation_connection", Value::text("latin1_bin")),
        ("character_set_results", Value::Null),
        ("auto_increment_increment", Value::Int(7)),
        ("sql_select_limit", Value::Int(3)),
        ("last_insert_id", Value::Int(12)),
        ("timestamp", Value::Double(1.5)),
        ("innodb_lock_wait_timeout", Value::Int(2)),
        ("sql_log_bin", Value::text("OFF")),
    ] {
        setting.set(Target::Session, name, value).unwrap();
    }
    let (sql, own) = (&setting.sql, &setting.own);
    assert_eq!(sql.sql_mode, SqlMode::ANSI_QUOTES);
    assert_eq!(sql.time_zone().to_string(), "+05:30");
    assert_eq!(sql.collation_connection, Collation::Latin1Bin);
    assert_eq!(sql.results, None);
    assert_eq!((sql.auto_increment_increment, sql.select_limit), (7, 3));
    assert_eq!(sql.last_insert_id.load(std::sync::atomic::Ordering::Relaxed), 12);
    assert_eq!(own.statement_time_us(99), 1_500_000);
    assert_eq!((own.innodb_lock_wait_timeout_s, own.sql_log_bin), (2, false));
    assert_eq!(setting.show(Scope::Session, "character_set_connection"), "latin1");
    setting.set(Target::Session, "timestamp", Value::Int(0)).unwrap();
    assert_eq!(setting.own.statement_time_us(99), 99);
    for (name, value) in
        [("sync_binlog", 1000), ("innodb_flush_log_at_trx_commit", 2), ("max_connections", 9)]
    {
        setting.set(Target::Global, name, Value::Int(value)).unwrap();
    }
    let settings = setting.variables.settings();
    assert_eq!(settings.sync_binlog.into_inner(), 1000);
    assert_eq!(settings.flush_log_at_trx_commit.into_inner(), 2);
    assert_eq!(setting.variables.live.max_connections.load(std::sync::atomic::Ordering::Relaxed), 9);
    setting.set(Target::Global, "super_read_only", Value::Int(1)).unwrap();
    assert_eq!(setting.show(Scope::Global, "read_only"), "ON");
    setting.set(Target::Global, "read_only", Value::Int(0)).unwrap();
    assert_eq!(setting.show(Scope::Global, "super_read_only"), "OFF");
}

#[test]
fn a_login_names_its_character_set_by_a_collation() {
    let mut setting = Setting::new();
    charsets::begin_with(&mut setting.sql, &mut setting.own, 8);
    assert_eq!(setting.show(Scope::Session, "character_set_client"), "latin1");
}

#[test]
fn functions_may_give_what_a_packet_of_their_session_holds() {
    let mut setting = Setting::new();
    assert_eq!(setting.sql.max_allowed_packet, 64 << 20);
    setting.set(Target::Global, "max_allowed_packet", Value::Int(1 << 30)).unwrap();
    assert_eq!(world::session(&setting.variables).0.max_allowed_packet, 1 << 30);
    assert_eq!(setting.sql.max_allowed_packet, 64 << 20);
}
