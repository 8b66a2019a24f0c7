//! What statements of a session go by.

use sql::session::Session;
use types::sql_mode::SqlMode;
use types::temporal::TimeZone;

use crate::replica::EXEC_MODES;
use crate::variables::home::{Home, Seen, own, sql};
use crate::variables::session::{Isolation, SessionVariables};
use crate::variables::variable::Extent::{Both, Session as Own};
use crate::variables::variable::{Initial, Variable, choice, double, row, text, toggle, uint};
use crate::variables::{Kind, Read, Val, checks, zone};

const SQL_MODE: &str = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,\
                        ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";

const TRACKED: &str =
    "time_zone,autocommit,character_set_client,character_set_results,character_set_connection";

/// What the optimizer may use, in MySQL's words.
const STRATEGIES: &[&str] = &[
    "index_merge",
    "index_merge_union",
    "index_merge_sort_union",
    "index_merge_intersection",
    "engine_condition_pushdown",
    "index_condition_pushdown",
    "mrr",
    "mrr_cost_based",
    "block_nested_loop",
    "batched_key_access",
    "materialization",
    "semijoin",
    "loosescan",
    "firstmatch",
    "duplicateweedout",
    "subquery_materialization_cost_based",
    "use_index_extensions",
    "condition_fanout_filter",
    "derived_merge",
    "use_invisible_indexes",
    "skip_scan",
    "hash_join",
    "subquery_to_derived",
    "prefer_ordering_index",
    "hypergraph_optimizer",
    "derived_condition_pushdown",
];

/// Those that are on unless somebody says otherwise.
const STRATEGIES_ON: &str = "index_merge=on,index_merge_union=on,index_merge_sort_union=on,\
    index_merge_intersection=on,engine_condition_pushdown=on,index_condition_pushdown=on,\
    mrr=on,mrr_cost_based=on,block_nested_loop=on,materialization=on,semijoin=on,\
    loosescan=on,firstmatch=on,duplicateweedout=on,\
    subquery_materialization_cost_based=on,use_index_extensions=on,\
    condition_fanout_filter=on,derived_merge=on,skip_scan=on,hash_join=on,\
    prefer_ordering_index=on,derived_condition_pushdown=on";

/// The rows.
pub(super) const ROWS: &[Variable] = &[
    toggle("autocommit", Both, true, "Each statement is a transaction of its own unless one was begun.")
        .home(own(|own| Val::Bool(own.autocommit), |own, val| own.autocommit = val.is_on())),
    choice(
        "transaction_isolation",
        Both,
        &["READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"],
        "REPEATABLE-READ",
        "What transactions see of each other.",
    )
    .home(own(
        |own| Val::Choice(own.isolation as u8),
        |own, val| own.isolation = Isolation::ALL[usize::from(val.choice())],
    )),
    toggle("transaction_read_only", Both, false, "Transactions do not write unless they say so.")
        .home(own(|own| Val::Bool(own.read_only), |own, val| own.read_only = val.is_on())),
    choice(
        "completion_type",
        Both,
        &["NO_CHAIN", "CHAIN", "RELEASE"],
        "NO_CHAIN",
        "What COMMIT and ROLLBACK do after they ended a transaction.",
    )
    .home(own(|own| Val::Choice(own.completion_type), |own, val| own.completion_type = val.choice())),
    row("sql_mode", Both, Kind::SqlMode, Initial::Text(SQL_MODE), "How SQL is read and what is an error.")
        .home(sql(
            |sql| Val::Flags(sql.sql_mode.bits()),
            |sql, val| {
                sql.sql_mode = SqlMode::from_bits(val.flags()).expect("kept modes have known bits");
            },
        )),
    text("time_zone", Both, "SYSTEM", "Where the clock on the wall is.")
        .no_option()
        .check(checks::time_zone)
        .home(sql(
            |sql| Val::text(&sql.time_zone().to_string()),
            |sql, val| {
                sql.set_time_zone(TimeZone::parse(val.as_text(), zone::system()).expect("it was checked"));
            },
        )),
    uint("auto_increment_increment", Both, (1, 65_535), 1, "Distance of generated values.").home(sql(
        |sql| Val::UInt(sql.auto_increment_increment),
        |sql, val| sql.auto_increment_increment = val.uint(),
    )),
    uint("auto_increment_offset", Both, (1, 65_535), 1, "Where generated values begin.").home(sql(
        |sql| Val::UInt(sql.auto_increment_offset),
        |sql, val| sql.auto_increment_offset = val.uint(),
    )),
    uint("insert_id", Own, (0, u64::MAX), 0, "The next generated value of this session, once.")
        .home(sql(|sql| Val::UInt(sql.insert_id.unwrap_or(0)), |sql, val| sql.insert_id = Some(val.uint()))),
    uint("last_insert_id", Own, (0, u64::MAX), 0, "What last_insert_id() returns.")
        .home(sql(|sql| sql.last_insert_id.val(), |sql, val| sql.last_insert_id.put(val))),
    double(
        "timestamp",
        Own,
        (0.0, f64::MAX),
        0.0,
        "When statements of this session begin, seconds since 1970; 0 = when they do.",
    )
    .check(checks::timestamp)
    .home(Home::Seen(Seen { get: timestamp, set: set_timestamp })),
    uint("rand_seed1", Own, (0, u64::MAX), 0, "Half of the state of rand(); not shown.")
        .home(sql(|_| Val::UInt(0), |sql, val| seed(sql, val.u32(), 0))),
    uint("rand_seed2", Own, (0, u64::MAX), 0, "The other half.")
        .home(sql(|_| Val::UInt(0), |sql, val| seed(sql, val.u32(), 32))),
    uint(
        "pseudo_thread_id",
        Own,
        (0, 4_294_967_295),
        0,
        "What connection_id() says in events that a replayed binlog makes.",
    )
    .restricted()
    .home(sql(|sql| Val::UInt(sql.pseudo_thread_id.into()), |sql, val| sql.pseudo_thread_id = val.u32())),
    uint("div_precision_increment", Both, (0, 30), 4, "Digits that a division adds to a DECIMAL.").home(sql(
        |sql| Val::UInt(sql.div_precision_increment.into()),
        |sql, val| {
            sql.div_precision_increment = u8::try_from(val.uint()).expect("at most 30");
        },
    )),
    uint("group_concat_max_len", Both, (4, u64::MAX), 1024, "The most bytes that GROUP_CONCAT returns.")
        .home(sql(
            |sql| Val::UInt(sql.group_concat_max_len as u64),
            |sql, val| sql.group_concat_max_len = val.size(),
        )),
    uint("sql_select_limit", Both, (0, u64::MAX), u64::MAX, "The most rows that SELECT returns.")
        .home(sql(|sql| Val::UInt(sql.select_limit), |sql, val| sql.select_limit = val.uint())),
    toggle("sql_safe_updates", Both, false, "UPDATE and DELETE have to use an index or a LIMIT.")
        .home(sql(|sql| Val::Bool(sql.safe_updates), |sql, val| sql.safe_updates = val.is_on())),
    toggle("sql_notes", Both, true, "Notes are kept for SHOW WARNINGS.")
        .home(own(|own| Val::Bool(own.sql_notes), |own, val| own.sql_notes = val.is_on())),
    toggle("sql_warnings", Both, false, "Single-row INSERT statements say how many warnings there were.")
        .inert(),
    toggle("sql_quote_show_create", Both, true, "SHOW CREATE quotes names.").inert(),
    toggle("sql_auto_is_null", Both, false, "`id IS NULL` finds the row inserted last.").only(),
    toggle("sql_big_selects", Both, true, "SELECT may examine more rows than max_join_size.").inert(),
    uint(
        "max_join_size",
        Both,
        (1, u64::MAX),
        u64::MAX,
        "Rows that a SELECT may examine without sql_big_selects.",
    )
    .inert(),
    toggle("sql_buffer_result", Both, false, "Results are collected before they are sent.").inert(),
    toggle("sql_log_off", Both, false, "Statements of this session are left out of the general log.")
        .restricted()
        .home(own(|own| Val::Bool(own.sql_log_off), |own, val| own.sql_log_off = val.is_on())),
    toggle("sql_require_primary_key", Both, false, "Tables need a primary key.")
        .restricted()
        .home(own(|own| Val::Bool(own.needs_primary_key), |own, val| own.needs_primary_key = val.is_on())),
    toggle(
        "sql_generate_invisible_primary_key",
        Both,
        false,
        "Tables without a primary key get an invisible one.",
    )
    .restricted()
    .only(),
    toggle("foreign_key_checks", Both, true, "Foreign keys are checked.")
        .home(own(|own| Val::Bool(own.foreign_key_checks), |own, val| own.foreign_key_checks = val.is_on())),
    toggle(
        "restrict_fk_on_non_standard_key",
        Both,
        true,
        "Foreign keys refer to unique keys of exactly their columns.",
    )
    .home(own(
        |own| Val::Bool(own.restrict_fk_on_non_standard_key),
        |own, val| own.restrict_fk_on_non_standard_key = val.is_on(),
    )),
    toggle("unique_checks", Both, true, "Unique keys may be checked late when this is off; they never are.")
        .home(own(|own| Val::Bool(own.unique_checks), |own, val| own.unique_checks = val.is_on())),
    toggle("xa_detach_on_prepare", Both, true, "XA PREPARE leaves the transaction to any session.")
        .restricted()
        .home(own(
            |own| Val::Bool(own.xa_detach_on_prepare),
            |own, val| own.xa_detach_on_prepare = val.is_on(),
        )),
    uint("warning_count", Own, (0, u64::MAX), 0, "Warnings of the last statement.")
        .told()
        .home(own(|own| Val::UInt(own.warning_count), |_, _| {})),
    uint("error_count", Own, (0, u64::MAX), 0, "Errors of the last statement.")
        .told()
        .home(own(|own| Val::UInt(own.error_count), |_, _| {})),
    uint("max_error_count", Both, (0, 65_535), 1024, "Conditions that SHOW WARNINGS keeps.").home(own(
        |own| Val::UInt(own.max_error_count.into()),
        |own, val| {
            own.max_error_count = u16::try_from(val.uint()).expect("at most 65,535");
        },
    )),
    text("lc_time_names", Both, "en_US", "Language of the names of days and months.").check(checks::locale),
    text("lc_messages", Both, "en_US", "Language of messages.").check(checks::locale),
    text("default_storage_engine", Both, "InnoDB", "What CREATE TABLE takes if it names no engine.")
        .check(checks::engine),
    text("default_tmp_storage_engine", Both, "InnoDB", "The same for temporary tables.")
        .check(checks::engine),
    choice(
        "block_encryption_mode",
        Both,
        &sql::func::BLOCK_ENCRYPTION_MODES,
        "aes-128-ecb",
        "How aes_encrypt() encrypts.",
    )
    .home(sql(
        |sql| Val::Choice(sql.block_encryption_mode),
        |sql, val| sql.block_encryption_mode = val.choice(),
    )),
    uint("default_week_format", Both, (0, 7), 0, "What week() counts by.").home(sql(
        |sql| Val::UInt(sql.default_week_format.into()),
        |sql, val| sql.default_week_format = u8::try_from(val.uint()).expect("at most 7"),
    )),
    uint(
        "cte_max_recursion_depth",
        Both,
        (0, 4_294_967_295),
        1000,
        "Rounds of a recursive common table expression.",
    )
    .home(sql(
        |sql| Val::UInt(sql.cte_max_recursion_depth.into()),
        |sql, val| sql.cte_max_recursion_depth = val.u32(),
    )),
    toggle("low_priority_updates", Both, false, "Writers wait for readers of MyISAM tables.").inert(),
    toggle("explicit_defaults_for_timestamp", Both, true, "TIMESTAMP columns get no defaults of their own.")
        .only(),
    choice(
        "updatable_views_with_limit",
        Both,
        &["NO", "YES"],
        "YES",
        "Views without all key columns may be updated with LIMIT.",
    )
    .inert(),
    toggle("windowing_use_high_precision", Both, true, "Window functions on fractions lose no digits.")
        .inert(),
    uint(
        "information_schema_stats_expiry",
        Both,
        (0, 31_536_000),
        86_400,
        "Seconds that statistics in information_schema are kept.",
    )
    .inert(),
    toggle("end_markers_in_json", Both, false, "Optimizer traces repeat names at their ends.").inert(),
    toggle("show_create_table_verbosity", Both, false, "SHOW CREATE TABLE shows defaults too.").inert(),
    toggle(
        "show_gipk_in_create_table_and_information_schema",
        Both,
        true,
        "Generated invisible primary keys are shown.",
    )
    .inert(),
    toggle(
        "print_identified_with_as_hex",
        Both,
        false,
        "SHOW CREATE USER shows digests as hexadecimal numbers.",
    ),
    choice(
        "terminology_use_previous",
        Both,
        &["NONE", "BEFORE_8_0_26"],
        "NONE",
        "Whose words the server uses for replication.",
    )
    .inert(),
    choice(
        "resultset_metadata",
        Own,
        &["NONE", "FULL"],
        "FULL",
        "Whether result sets describe their columns.",
    )
    .only(),
    toggle("default_table_encryption", Both, false, "Schemas and tablespaces are encrypted.")
        .restricted()
        .only(),
    toggle("old_alter_table", Both, false, "ALTER TABLE copies.").inert(),
    toggle("keep_files_on_create", Both, false, "CREATE TABLE leaves MyISAM files alone.").inert(),
    toggle("new", Both, false, "Nothing any more.").inert(),
    toggle("big_tables", Both, false, "Temporary tables go to disk.").inert(),
    choice(
        "rbr_exec_mode",
        Own,
        EXEC_MODES,
        "STRICT",
        "Whether BINLOG's rows may be other ones than they say.",
    )
    .restricted()
    .home(own(
        |own| Val::Choice(own.idempotent_replay.into()),
        |own, val| own.idempotent_replay = val.choice() == 1,
    )),
    toggle("pseudo_replica_mode", Own, false, "The session replays a binary log.")
        .restricted_to_appliers()
        .inert(),
    uint(
        "original_commit_timestamp",
        Own,
        (0, 1 << 55),
        1 << 55,
        "When a replayed transaction was first committed, microseconds since 1970.",
    )
    .restricted_to_appliers()
    .inert(),
    uint("original_server_version", Own, (0, 999_999), 999_999, "Where a replayed transaction came from.")
        .restricted_to_appliers()
        .inert(),
    uint("immediate_server_version", Own, (0, 999_999), 999_999, "Which server it came through.")
        .restricted_to_appliers()
        .inert(),
    toggle("require_row_format", Own, false, "Only rows are replayed.").restricted().inert(),
    toggle("show_create_table_skip_secondary_engine", Own, false, "SHOW CREATE TABLE leaves it out.").inert(),
    text("external_user", Own, "", "Who the authentication plugin says it is.").told(),
    text("proxy_user", Own, "", "Whose proxy the session is.").told(),
    toggle("session_track_schema", Both, true, "OK packets say when the default database changed.")
        .home(own(|own| Val::Bool(own.track.schema), |own, val| own.track.schema = val.is_on())),
    toggle("session_track_state_change", Both, false, "OK packets say when anything of the session changed.")
        .home(own(|own| Val::Bool(own.track.state_change), |own, val| own.track.state_change = val.is_on())),
    choice(
        "session_track_gtids",
        Both,
        &["OFF", "OWN_GTID", "ALL_GTIDS"],
        "OFF",
        "OK packets say which GTIDs were drawn.",
    )
    .home(own(|own| Val::Choice(own.track.gtids), |own, val| own.track.gtids = val.choice())),
    choice(
        "session_track_transaction_info",
        Both,
        &["OFF", "STATE", "CHARACTERISTICS"],
        "OFF",
        "OK packets say how the transaction stands.",
    )
    .only(),
    row(
        "session_track_system_variables",
        Both,
        Kind::Text { nullable: true },
        Initial::Text(TRACKED),
        "The variables whose changes OK packets tell; `*` = all.",
    )
    .home(own(
        |own| Val::text(own.track.system_variables.as_deref().unwrap_or_default()),
        |own, val| {
            own.track.system_variables = Some(val.as_text().into());
        },
    )),
    row(
        "optimizer_switch",
        Both,
        Kind::Switches(STRATEGIES),
        Initial::Text(STRATEGIES_ON),
        "Which strategies the optimizer may use.",
    )
    .inert(),
    uint("optimizer_search_depth", Both, (0, 62), 62, "Tables that the optimizer orders exhaustively.")
        .inert(),
    uint("optimizer_prune_level", Both, (0, 1), 1, "The optimizer leaves out unpromising orders.").inert(),
    uint(
        "eq_range_index_dive_limit",
        Both,
        (0, 4_294_967_295),
        200,
        "Ranges up to which the optimizer looks into the index.",
    )
    .inert(),
    uint("max_seeks_for_key", Both, (1, u64::MAX), u64::MAX, "Seeks that the optimizer assumes at most.")
        .inert(),
    uint(
        "range_optimizer_max_mem_size",
        Both,
        (0, u64::MAX),
        8_388_608,
        "Bytes that the range optimizer may take.",
    )
    .inert(),
];

fn timestamp(sql: &Session, own: &SessionVariables) -> Val {
    Val::Double(own.statement_time_us(sql.now_us()) as f64 / 1e6)
}

fn set_timestamp(sql: &mut Session, own: &mut SessionVariables, val: &Val) {
    own.timestamp_us = Some(micros(val.double())).filter(|us| *us > 0);
    sql.set_now(own.statement_time_us(sql.now_us()));
}

/// Microseconds of seconds that are not negative.
fn micros(seconds: f64) -> u64 {
    // The largest `timestamp` and `long_query_time` are far below 2^53 microseconds.
    types::number::double_to_i64(seconds * 1e6).unsigned_abs()
}

/// Puts 32 bits into the state of `rand()`.
fn seed(sql: &mut Session, seed: u32, shift: u32) {
    let state = sql.random.get_mut();
    *state = *state & !(u64::from(u32::MAX) << shift) | u64::from(seed) << shift;
}
