//! Purpose: the table of system variables is MySQL 8.0's.
//!
//! Requirements: R1. every variable that both have has the same extent, default and way of being set, or is in the
//! list of differences with what it is here; R2. a variable that only one of them has is in a list; R3. no list has
//! an entry that is not needed; R4. whatever the table says can be read, shown and told as an option.
//!
//! Method: `data/variables-8.0.46.tsv`, recorded by `examples/record`.

use std::collections::BTreeMap;

use server::variables::{Access, Extent, Home, Kind, Val, Values, Variable, Variables, parse, table};
use sql::session::Scope;
use types::value::Value;

use crate::world;

fn recorded() -> Vec<std::collections::HashMap<&'static str, &'static str>> {
    world::table(include_str!("../data/variables-8.0.46.tsv"))
}

/// Extent and access, in the recording's words: the errors of SET GLOBAL and SET SESSION.
fn errors_of(variable: &Variable) -> (&'static str, &'static str) {
    match (variable.access, variable.extent) {
        (Access::Fixed, _) => ("1238", "1238"),
        (Access::FixedInSession, _) => ("0", "1621"),
        (Access::Dynamic, Extent::Global) => ("0", "1229"),
        (Access::Dynamic, Extent::Session) => ("1228", "0"),
        (Access::Dynamic, Extent::Both) => ("0", "0"),
    }
}

fn default_of(variable: &Variable) -> String {
    match variable.initial_value() {
        Val::Null => "NULL".to_owned(),
        val => variable.kind.show(&val),
    }
}

/// Recorded values that are of the recorded machine or moment, or of the build.
const OF_THE_MOMENT: &[&str] = &[
    "back_log",
    "basedir",
    "bind_address",
    "character_sets_dir",
    "datadir",
    "general_log_file",
    "hostname",
    "innodb_open_files",
    "lc_messages_dir",
    "log_bin_basename",
    "log_bin_index",
    "log_error",
    "open_files_limit",
    "pid_file",
    "plugin_dir",
    "port",
    "pseudo_thread_id",
    "report_port",
    "secure_file_priv",
    "server_uuid",
    "slow_query_log_file",
    "socket",
    "timestamp",
    "tmpdir",
    "version",
    "version_comment",
    "version_compile_zlib",
];

/// Defaults that differ: ours, and why.
const DEFAULTS: &[(&str, &str, &str)] = &[
    ("collation_connection", "utf8mb4_general_ci", "the collations of UCA 9.0 do not exist here"),
    ("collation_database", "utf8mb4_general_ci", "as above"),
    ("collation_server", "utf8mb4_general_ci", "as above"),
    ("default_collation_for_utf8mb4", "utf8mb4_general_ci", "as above"),
    ("event_scheduler", "OFF", "there are no events"),
    ("have_dynamic_loading", "NO", "there are no plugins"),
    ("have_geometry", "NO", "there is no geometry"),
    ("have_profiling", "NO", "there is no profiling"),
    ("have_rtree_keys", "NO", "there is no geometry"),
    ("innodb_change_buffering", "none", "there is no change buffer"),
    ("innodb_data_file_path", "", "there is no tablespace"),
    ("innodb_doublewrite", "OFF", "pages are never overwritten"),
    ("innodb_flush_method", "O_DIRECT", "what redo is written with"),
    ("innodb_temp_data_file_path", "", "there is no tablespace"),
    ("innodb_use_native_aio", "OFF", "log threads write synchronously"),
    ("license", "Apache-2.0", "ours"),
    ("performance_schema_digests_size", "10000", "what MySQL shows where it collects"),
    ("protocol_compression_algorithms", "zlib,uncompressed", "there is no zstd"),
    ("relay_log", "", "there is no relay log"),
    ("relay_log_basename", "", "as above"),
    ("relay_log_index", "", "as above"),
    ("skip_name_resolve", "ON", "hosts are known by address"),
    ("ssl_ca", "", "the start puts ca.pem there"),
    ("ssl_cert", "", "the start puts server-cert.pem there"),
    ("ssl_key", "", "the start puts server-key.pem there"),
    ("thread_handling", "tasks", "sessions are tasks"),
];

/// What cannot be set here (1238) although MySQL lets it be, and why.
const NOT_SETTABLE: &[(&str, &str)] = &[
    ("authentication_policy", "there is one factor"),
    ("ft_boolean_syntax", "there are no full-text indexes"),
    ("innodb_buffer_pool_size", "the base's cache is made at its opening"),
    ("innodb_doublewrite", "pages are never overwritten"),
    ("innodb_log_buffer_size", "the ring is made at the log's opening"),
    ("key_buffer_size", "there is no MyISAM"),
    ("protocol_compression_algorithms", "clients choose"),
    ("replica_parallel_type", "LOGICAL_CLOCK is the only one"),
    ("replica_preserve_commit_order", "commits always follow the source's order"),
    ("server_id", "the binlog's headers are made with it at start-up"),
    ("slave_parallel_type", "as above"),
    ("slave_preserve_commit_order", "as above"),
    ("ssl_ca", "there is no ALTER INSTANCE RELOAD TLS"),
    ("ssl_cert", "as above"),
    ("ssl_key", "as above"),
    ("tls_version", "as above"),
];

/// What MySQL does not have, and why we do.
const ONLY_OURS: &[(&str, &str)] = &[
    ("aurora_enhanced_binlog", "Aurora's"),
    ("binlog_buffer_size", "AliSQL's"),
    ("binlog_parallel_flush", "AliSQL's"),
    ("enhanced_binlog_dir", "ours"),
    ("onelog_", "ours"),
    ("persist_binlog_to_redo", "AliSQL's"),
    ("restrict_fk_on_non_standard_key", "MySQL 8.4's"),
    ("rpl_semi_sync_", "MySQL has them in plugins"),
    ("sync_binlog_interval", "AliSQL's"),
    ("tx_isolation", "removed in 8.0.3; MariaDB's clients read it"),
    ("tx_read_only", "as above"),
    ("wait_binlog_flush", "AliSQL's"),
];

/// What we do not have: names, or what they begin with, and why.
const MISSING: &[(&str, &str)] = &[
    ("admin_", "there is no administrative port"),
    ("avoid_temporal_upgrade", "there are no old tables"),
    ("binlog_rotate_encryption_master_key_at_startup", "there is no encryption"),
    ("build_id", "nobody reads it"),
    ("connection_memory_", "memory is not accounted to sessions"),
    ("create_admin_listener_thread", "there is no administrative port"),
    ("delayed_", "there is no INSERT DELAYED"),
    ("explain_format", "EXPLAIN has one format"),
    ("generated_random_password_length", "passwords are not generated"),
    ("global_connection_memory_", "memory is not accounted to sessions"),
    ("group_replication_", "there is no group replication"),
    ("histogram_generation_max_mem_size", "there are no histograms"),
    ("init_file", "there is no file of statements at start-up"),
    ("innodb_", "InnoDB's own machinery; what clients read is there"),
    ("internal_tmp_mem_storage_engine", "temporary tables have one kind"),
    ("key_cache_", "there is no MyISAM"),
    ("keyring_operations", "there is no keyring"),
    ("log_bin_use_v1_row_events", "rows are written in version 2"),
    ("log_error_", "the error log has one form"),
    ("log_raw", "passwords are never logged"),
    ("log_slow_", "the slow query log has one form"),
    ("log_throttle_queries_not_using_indexes", "what is logged is not held back"),
    ("max_delayed_threads", "there is no INSERT DELAYED"),
    ("max_insert_delayed_threads", "as above"),
    ("max_points_in_geometry", "there is no geometry"),
    ("max_write_lock_count", "locks are granted first come, first served"),
    ("myisam_", "there is no MyISAM"),
    ("mysql_native_password_proxy_users", "there are no proxy users"),
    ("ngram_token_size", "there are no full-text indexes"),
    ("old", "nothing any more"),
    ("optimizer_", "no traces, no subgraphs"),
    ("parser_max_mem_size", "statements are limited by max_allowed_packet"),
    ("performance_schema_", "performance_schema collects statement digests alone"),
    ("persist", "SET PERSIST is refused"),
    ("preload_buffer_size", "there is no MyISAM"),
    ("profiling", "there is no profiling"),
    ("range_alloc_block_size", "memory is not taken in such blocks"),
    ("replication_", "there are no replication plugins"),
    ("schema_definition_cache", "the catalog is in memory"),
    ("secondary_engine_cost_threshold", "there is one engine"),
    ("select_into_", "what a SELECT writes is not synced, and its buffer has one size"),
    ("server_id_bits", "there is no NDB"),
    ("sha256_password_", "the plugin does not exist here"),
    ("show_old_temporals", "there are no old tables"),
    ("ssl_c", "no directory of authorities, no choice of ciphers, no lists of revoked certificates"),
    ("ssl_fips_mode", "there is no OpenSSL"),
    ("ssl_session_cache_", "sessions are not resumed"),
    ("statement_id", "nobody reads it"),
    ("stored_program_", "there are no stored programs"),
    ("table_encryption_privilege_check", "there is no encryption"),
    ("tablespace_definition_cache", "there are no tablespaces"),
    ("temptable_", "temporary tables have one kind"),
    ("tls_ciphersuites", "there is no choice of ciphers"),
    ("transaction_alloc", "memory is not taken in such blocks"),
    ("transaction_allow_batching", "there is no NDB"),
    ("transaction_prealloc", "memory is not taken in such blocks"),
    ("use_secondary_engine", "there is one engine"),
];

fn by_name() -> BTreeMap<&'static str, &'static Variable> {
    table().iter().map(|variable| (variable.name, variable)).collect()
}

#[test]
fn defaults_are_mysqls_but_for_the_list() {
    let ours = by_name();
    let differing = recorded().into_iter().filter_map(|row| {
        let variable = ours.get(row["name"]).filter(|found| !OF_THE_MOMENT.contains(&found.name))?;
        let theirs = if row["global"] == "-" { row["session"] } else { row["global"] };
        (default_of(variable) != theirs).then(|| (variable.name, default_of(variable)))
    });
    let listed = DEFAULTS.iter().map(|(name, default, _)| (*name, (*default).to_owned()));
    assert_eq!(differing.collect::<Vec<_>>(), listed.collect::<Vec<_>>());
}

#[test]
fn who_may_set_what_where_is_mysqls_but_for_the_list() {
    let ours = by_name();
    let mut listed = NOT_SETTABLE.iter();
    for row in recorded() {
        let Some(variable) = ours.get(row["name"]) else { continue };
        if errors_of(variable) != (row["set_global"], row["set_session"]) {
            assert_eq!(
                Some(variable.name),
                listed.next().map(|(name, _)| *name),
                "{:?}",
                errors_of(variable)
            );
            assert_eq!(variable.access, Access::Fixed, "{}", variable.name);
        }
    }
    assert_eq!(listed.next(), None);
}

#[test]
fn what_only_one_of_them_has_is_listed() {
    let theirs: Vec<_> = recorded().iter().map(|row| row["name"]).collect();
    let ours = by_name();
    let covers =
        |list: &[(&'static str, &str)], name: &str| list.iter().any(|(prefix, _)| name.starts_with(prefix));
    let missing: Vec<_> = theirs.iter().filter(|name| !ours.contains_key(*name)).collect();
    let extra: Vec<_> = ours.keys().filter(|name| !theirs.contains(name)).collect();
    for (list, names) in [(MISSING, missing), (ONLY_OURS, extra)] {
        assert_eq!(names.iter().find(|name| !covers(list, name)), None);
        let unused = list.iter().find(|(prefix, _)| !names.iter().any(|name| name.starts_with(prefix)));
        assert_eq!(unused, None);
    }
}

/// What MySQL 9.7 no longer has; the rest of ours is there too.
const GONE_IN_9: &[&str] = &[
    "binlog_transaction_dependency_tracking",
    "default_authentication_plugin",
    "expire_logs_days",
    "have_openssl",
    "have_ssl",
    "innodb_log_file_size",
    "innodb_log_files_in_group",
    "master_info_repository",
    "new",
    "relay_log_info_file",
    "relay_log_info_repository",
    "replica_parallel_type",
    "slave_parallel_type",
    "slave_rows_search_algorithms",
    "transaction_write_set_extraction",
];

#[test]
fn what_mysql_9_has_given_up_is_listed() {
    let theirs: Vec<_> = include_str!("../data/variables-9.7.4.txt").lines().collect();
    let ours = by_name();
    let only_ours = ours.keys().filter(|name| ONLY_OURS.iter().all(|(prefix, _)| !name.starts_with(prefix)));
    let gone: Vec<_> = only_ours.copied().filter(|name| !theirs.contains(name)).collect();
    assert_eq!(gone, GONE_IN_9);
}

#[test]
fn what_changes_nothing_is_listed() {
    let limits = include_str!("../../../../docs/LIMITS.md");
    let (_, list) = limits.split_once("kept, shown, and change nothing").unwrap();
    let (list, _) = list.split_once("\n- ").unwrap();
    let listed: Vec<_> = list.split('`').skip(1).step_by(2).collect();
    let is_alias = |row: &&Variable| matches!(row.home, Home::Alias(_));
    let inert = table().iter().filter(|row| row.is_inert && !is_alias(row)).map(|row| row.name);
    assert_eq!(listed, inert.collect::<Vec<_>>());
}

#[test]
fn everything_can_be_read_shown_and_told_as_an_option() {
    let variables = Variables::new(Values::default());
    let (sql, own) = world::session(&variables);
    let ours = by_name();
    let mut shown = 0;
    for (name, text) in variables.sight(&sql, &own).show(Scope::Session) {
        let variable = ours[name];
        shown += 1;
        let read = variables.sight(&sql, &own).read(None, &name.to_uppercase()).unwrap();
        let as_text = match read {
            Value::Null => String::new(),
            value if matches!(variable.kind, Kind::Toggle) => {
                if value.as_ref().to_message() == "1" {
                    "ON".to_owned()
                } else {
                    "OFF".to_owned()
                }
            }
            Value::Double(number) => format!("{number:.6}"),
            value => {
                String::from_utf8(value.as_ref().string_bytes().unwrap_or_default().into_owned()).unwrap()
            }
        };
        let as_text = if let Value::UInt(number) = variables.sight(&sql, &own).read(None, name).unwrap() {
            number.to_string()
        } else {
            as_text
        };
        assert_eq!(as_text, text, "{name}");
        if variable.is_option {
            let parsed = parse::parse(variable, &default_of(variable));
            assert_eq!(parsed.unwrap().val, variable.initial_value(), "{name}");
        }
    }
    assert_eq!(shown, table().len());
    let global = variables.server_sight().show(Scope::Global).count();
    assert_eq!(global, table().iter().filter(|variable| variable.extent != Extent::Session).count());
}
