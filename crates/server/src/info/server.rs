//! The server: engines, character sets, variables, status, connections.

use sql::session::Scope;
use types::charset::Charset;
use types::collation::Collation;
use types::error::SqlError;
use types::error::table::ER_SPECIFIC_ACCESS_DENIED_ERROR;

use super::cell::{NULL, Row, row};
use super::look::Look;
use crate::accounts::Privileges;
use crate::ddl::keepers::Purpose;
use crate::general_log::commands_without_secrets;
use crate::net::ProcessRow;
use crate::session::Shared;
use crate::status::{Moment, Storage, View, Waits};

type Result<T> = std::result::Result<T, SqlError>;

/// `ENGINES`: there is one, which answers to MySQL's name for such.
pub(super) fn engines(_: &Look<'_>) -> Vec<Row> {
    let comment = "Supports transactions and row-level locking";
    vec![row!["InnoDB", "DEFAULT", comment, "YES", "NO", "YES"]]
}

/// `CHARACTER_SETS`
pub(super) fn character_sets(_: &Look<'_>) -> Vec<Row> {
    let mut sets = Charset::ALL;
    sets.sort_by_key(|set| set.name());
    let row = |set: Charset| {
        let description = match set {
            Charset::Binary => "Binary pseudo charset",
            Charset::Ascii => "US ASCII",
            Charset::Latin1 => "cp1252 West European",
            Charset::Utf8mb3 | Charset::Utf8mb4 => "UTF-8 Unicode",
        };
        row![set.name(), set.default_collation().name(), description, u64::from(set.char_size_max())]
    };
    sets.into_iter().map(row).collect()
}

/// `COLLATIONS`
pub(super) fn collations(_: &Look<'_>) -> Vec<Row> {
    let row = |collation: Collation| {
        let default = if collation.charset().default_collation() == collation { "Yes" } else { "" };
        let pad = if collation.pads_space() { "PAD SPACE" } else { "NO PAD" };
        let id = u64::from(collation.id());
        row![
            collation.name(),
            collation.charset().name(),
            id,
            default,
            "Yes",
            u64::from(collation.sort_length()),
            pad
        ]
    };
    by_name().into_iter().map(row).collect()
}

/// `COLLATION_CHARACTER_SET_APPLICABILITY`
pub(super) fn applicability(_: &Look<'_>) -> Vec<Row> {
    by_name().into_iter().map(|collation| row![collation.name(), collation.charset().name()]).collect()
}

fn by_name() -> Vec<Collation> {
    let mut all = Collation::ALL.to_vec();
    all.sort_by_key(|collation| collation.name());
    all
}

/// What of MySQL's plugins is built in here: name, version, type, its version, description.
const PLUGINS: [(&str, &str, &str, &str, &str); 8] = [
    ("binlog", "1.0", "STORAGE ENGINE", "80046.0", "The binlog's part in a commit"),
    ("mysql_native_password", "1.1", "AUTHENTICATION", "2.1", "Native MySQL authentication"),
    ("caching_sha2_password", "1.0", "AUTHENTICATION", "2.1", "Caching sha2 authentication"),
    ("InnoDB", "8.0", "STORAGE ENGINE", "80046.0", "Supports transactions and row-level locking"),
    ("rpl_semi_sync_source", "1.0", "REPLICATION", "4.0", "Source-side semi-synchronous replication."),
    ("rpl_semi_sync_master", "1.0", "REPLICATION", "4.0", "Source-side semi-synchronous replication."),
    ("rpl_semi_sync_replica", "1.0", "REPLICATION", "4.0", "Replica-side semi-synchronous replication."),
    ("rpl_semi_sync_slave", "1.0", "REPLICATION", "4.0", "Replica-side semi-synchronous replication."),
];

/// Whether a plugin is built in.
pub(crate) fn is_plugin(name: &str) -> bool {
    PLUGINS.iter().any(|(known, ..)| known.eq_ignore_ascii_case(name))
}

/// `PLUGINS`
pub(super) fn plugins(_: &Look<'_>) -> Vec<Row> {
    let row = |(name, version, kind, kind_version, description)| {
        row![name, version, "ACTIVE", kind, kind_version, NULL, NULL, "onelog", description, NULL, "FORCE"]
    };
    PLUGINS.into_iter().map(row).collect()
}

/// SHOW PLUGINS.
pub(super) fn show_plugins(look: &Look<'_>) -> Vec<Row> {
    let pick = |row: Row| [0, 2, 3, 5, 9].map(|place: usize| row[place].clone()).to_vec();
    plugins(look).into_iter().map(pick).collect()
}

/// `performance_schema.global_variables`
pub(super) fn global_variables(look: &Look<'_>) -> Vec<Row> {
    variables(look, Scope::Global, |_| true)
}

/// `performance_schema.session_variables`
pub(super) fn session_variables(look: &Look<'_>) -> Vec<Row> {
    variables(look, Scope::Session, |_| true)
}

/// SHOW VARIABLES: those whose name is `wanted`.
pub(super) fn variables(look: &Look<'_>, scope: Scope, wanted: impl Fn(&str) -> bool) -> Vec<Row> {
    let sight = look.shared.variables.sight(look.session, look.variables);
    sight.show_those(scope, wanted).map(|(name, value)| row![name, value]).collect()
}

/// `performance_schema.global_status`
pub(super) fn global_status(look: &Look<'_>) -> Vec<Row> {
    status(look, Scope::Global, |_| true)
}

/// `performance_schema.session_status`
pub(super) fn session_status(look: &Look<'_>) -> Vec<Row> {
    status(look, Scope::Session, |_| true)
}

/// SHOW STATUS: those whose name is `wanted`.
pub(super) fn status(look: &Look<'_>, scope: Scope, wanted: impl Fn(&str) -> bool) -> Vec<Row> {
    let shared = look.shared;
    let is_session = scope == Scope::Session;
    let snapshot = if is_session { look.view.snapshot() } else { None };
    let connection = is_session.then(|| shared.connections.get(look.session.connection_id)).flatten();
    let view = View {
        session: is_session.then(|| look.view.counters()),
        tls: connection.as_ref().and_then(|connection| connection.tls()),
        compressed: connection.is_some_and(|connection| connection.is_compressed()),
        moment: Moment::of(snapshot),
        ..everybodys(shared)
    };
    view.show_those(wanted).into_iter().map(|(name, value)| row![name, value]).collect()
}

/// What the server has counted, in Prometheus' text format.
pub(crate) fn prometheus(shared: &Shared) -> String {
    everybodys(shared).prometheus()
}

/// What is nobody's own.
fn everybodys(shared: &Shared) -> View<'_> {
    View {
        status: &shared.status,
        session: None,
        tls: None,
        compressed: false,
        moment: Moment::of(None),
        pipeline: Some(&shared.pipeline),
        storage: Some(Storage {
            base: shared.schema.base(),
            locks: &shared.store.locks().stats,
            tables: shared.store.catalog().tables().count() as u64,
            redo_capacity: crate::run::redo_capacity(shared),
        }),
        recovery: shared.recovery,
        uptime_s: crate::clock::monotonic_ms() / 1000,
        threads_connected: shared.connections.sessions().into(),
        threads_running: shared.connections.running(),
        acknowledges: shared.common.replica.acknowledges(),
    }
}

/// The connections that the session is told of: its account's user's, which an anonymous account has none of, and all if it
/// has PROCESS. Of passwords it is not told.
pub(super) fn connections(look: &Look<'_>) -> Vec<ProcessRow> {
    let all = look.access.has(Privileges::PROCESS);
    let own = &look.access.account_name().user;
    let mut rows = look.shared.connections.processes();
    rows.retain(|process| all || process.user == *own && !own.is_empty());
    let states = super::locks::states(look.shared);
    for process in &mut rows {
        let state = waits_for(look.shared, process.waits).or_else(|| states.get(&process.id).copied());
        process.state = state.unwrap_or(process.state);
        process.info = process.info.take().map(|info| commands_without_secrets(&info));
    }
    rows
}

/// What a session waits for, in MySQL's words.
fn waits_for(shared: &Shared, waits: Waits) -> Option<&'static str> {
    let pipeline = &shared.pipeline;
    Some(match waits {
        Waits::ForNothing => return None,
        Waits::ToCommit if pipeline.admission.is_read_locked() => "Waiting for commit lock",
        Waits::ForCommit if pipeline.semi_sync_status().on => "Waiting for semi-sync ACK from replica",
        Waits::ToCommit | Waits::ForCommit => "waiting for handler commit",
        Waits::ToDefine => {
            if shared.common.keepers.owners().iter().any(|owner| owner.purpose == Purpose::Backup) {
                "Waiting for backup lock"
            } else {
                "Waiting for global read lock"
            }
        }
    })
}

/// `information_schema.PROCESSLIST`
pub(super) fn processes(look: &Look<'_>) -> Vec<Row> {
    connections(look).into_iter().map(|process| process_row(process, usize::MAX)).collect()
}

/// SHOW PROCESSLIST; statements are cut unless it is FULL. Error 1227 for an anonymous account without PROCESS.
pub(super) fn show_processes(look: &Look<'_>, full: bool) -> Result<Vec<Row>> {
    if look.access.account_name().user.is_empty() {
        look.access.require(Privileges::PROCESS, "", "PROCESS")?;
    }
    let size_max = if full { usize::MAX } else { 100 };
    Ok(connections(look).into_iter().map(|process| process_row(process, size_max)).collect())
}

/// `performance_schema.processlist`
pub(super) fn performance_processes(look: &Look<'_>) -> Vec<Row> {
    let mut rows = processes(look);
    for row in &mut rows {
        row.extend(row!["PRIMARY"]);
    }
    rows
}

fn process_row(process: ProcessRow, info_chars_max: usize) -> Row {
    let info = process.info.map(|info| info.chars().take(info_chars_max).collect::<String>());
    let (id, time) = (u64::from(process.id), process.time_s);
    row![id, process.user, process.host, process.db, process.command.name(), time, process.state, info]
}

/// `KEYWORDS`: MySQL 8.0.46's.
pub(super) fn keywords(_: &Look<'_>) -> Vec<Row> {
    sql::lex::keywords().map(|(word, reserved)| row![word, u64::from(reserved)]).collect()
}

/// SHOW PRIVILEGES.
pub(super) fn show_privileges() -> Vec<Row> {
    PRIVILEGES.lines().map(|line| line.split('|').map(super::cell::IntoCell::into_cell).collect()).collect()
}

/// Error 1227 unless the session may ask for the binlog's files and positions.
pub(super) fn require_replication_client(look: &Look<'_>) -> Result<()> {
    let wanted = Privileges::SUPER.union(Privileges::REPLICATION_CLIENT);
    if look.access.account().global.intersects(wanted) {
        return Ok(());
    }
    Err(ER_SPECIFIC_ACCESS_DENIED_ERROR.error(&[&"SUPER, REPLICATION CLIENT"]))
}

/// Recorded from MySQL 8.0.46: name, context, comment.
const PRIVILEGES: &str = "\
Alter|Tables|To alter the table
Alter routine|Functions,Procedures|To alter or drop stored functions/procedures
Create|Databases,Tables,Indexes|To create new databases and tables
Create routine|Databases|To use CREATE FUNCTION/PROCEDURE
Create role|Server Admin|To create new roles
Create temporary tables|Databases|To use CREATE TEMPORARY TABLE
Create view|Tables|To create new views
Create user|Server Admin|To create new users
Delete|Tables|To delete existing rows
Drop|Databases,Tables|To drop databases, tables, and views
Drop role|Server Admin|To drop roles
Event|Server Admin|To create, alter, drop and execute events
Execute|Functions,Procedures|To execute stored routines
File|File access on server|To read and write files on the server
Grant option|Databases,Tables,Functions,Procedures|To give to other users those privileges you possess
Index|Tables|To create or drop indexes
Insert|Tables|To insert data into tables
Lock tables|Databases|To use LOCK TABLES (together with SELECT privilege)
Process|Server Admin|To view the plain text of currently executing queries
Proxy|Server Admin|To make proxy user possible
References|Databases,Tables|To have references on tables
Reload|Server Admin|To reload or refresh tables, logs and privileges
Replication client|Server Admin|To ask where the slave or master servers are
Replication slave|Server Admin|To read binary log events from the master
Select|Tables|To retrieve rows from table
Show databases|Server Admin|To see all databases with SHOW DATABASES
Show view|Tables|To see views with SHOW CREATE VIEW
Shutdown|Server Admin|To shut down the server
Super|Server Admin|To use KILL thread, SET GLOBAL, CHANGE MASTER, etc.
Trigger|Tables|To use triggers
Create tablespace|Server Admin|To create/alter/drop tablespaces
Update|Tables|To update existing rows
Usage|Server Admin|No privileges - allow connect only";
