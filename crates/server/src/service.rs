//! Sessions behind connections: what the network layer asks for, by the means of the session layer.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use protocol::command::Command;
use protocol::out::PacketWriter;
use protocol::wire::StatusFlags;
use sql::exec::{BoxFuture, DataFile};
use types::error::SqlError;
use types::error::table::{
    ER_NET_ERROR_ON_WRITE, ER_NET_READ_ERROR, ER_QUERY_INTERRUPTED, ER_UNKNOWN_COM_ERROR,
};

use crate::clock;
use crate::dump;
use crate::general_log::Entry;
use crate::net::{
    Connection, Gone, Handler, Held, Inbound, Interrupt, Interruption, Login, Outcome, Reply, SentFile,
    Service,
};
use crate::session::{Arrival, Client, DumpAsked, KillSwitch, Shared, Upload, Wire};

/// Makes sessions of a server run.
#[derive(Clone, Debug)]
pub struct Sessions(pub Arc<Shared>);

/// A session and its connection.
#[derive(Debug)]
#[repr(C)]
pub struct Served {
    connection: Arc<Connection>,
    client: Client,
    /// A dump that begins.
    dump: Option<DumpAsked>,
}

impl Served {
    /// Whoever may not have a dump has nothing else to do here: the connection ends, as MySQL's does.
    fn begin_dump(&mut self, asked: Result<DumpAsked, SqlError>, reply: &mut Reply) -> Outcome {
        match asked {
            Ok(asked) => {
                self.dump = Some(asked);
                Outcome::Stream
            }
            Err(error) => {
                reply.error(&error);
                Outcome::Close
            }
        }
    }
}

impl Served {
    /// What follows a command.
    fn outcome(&self) -> Outcome {
        self.connection.set_db(self.client.db());
        if self.client.awaits_file() {
            Outcome::Load
        } else if self.client.ends() {
            Outcome::Close
        } else {
            Outcome::Continue
        }
    }
}

impl Service for Sessions {
    type Handler = Served;

    fn open(&self, connection: &Arc<Connection>, login: &Login) -> Result<Served, SqlError> {
        let kill = Arc::<KillSwitch>::default();
        let mut client = Client::new(
            Arc::clone(&self.0),
            Arrival {
                id: connection.id,
                counters: Arc::clone(&connection.counters),
                access: Arc::clone(&login.access),
                capabilities: login.capabilities,
                kill: Arc::clone(&kill),
            },
        );
        client.note_with("Connect", || arrival(connection, login.access.user(), login.database.as_deref()));
        client.log_in(login.charset, login.database.as_deref())?;
        connection.set_interrupt(kill);
        connection.set_limits(client.limits());
        Ok(Served { client, connection: Arc::clone(connection), dump: None })
    }

    fn note_refused(&self, connection: &Connection, user: &str, database: Option<&str>, told: &str) {
        let live = &self.0.variables.live;
        if live.general_log.load(Ordering::Relaxed) {
            for argument in [&*arrival(connection, user, database), printable(told).as_bytes()] {
                let id = connection.id;
                let entry = Entry { at_us: 0, user_host: "[] @  []", id, command: "Connect", argument };
                self.0.common.general_log.add(live, entry);
            }
        }
    }
}

/// What the general log says of who comes.
fn arrival(connection: &Connection, user: &str, database: Option<&str>) -> Vec<u8> {
    let way = match (connection.peer.address, connection.tls()) {
        (None, _) => "Socket",
        (Some(_), Some(_)) => "SSL/TLS",
        (Some(_), None) => "TCP/IP",
    };
    let (user, db) = (printable(user), printable(database.unwrap_or_default()));
    format!("{user}@{} on {db} using {way}", connection.peer.host).into_bytes()
}

/// What anybody may have sent, short and on one line: the log's lines are the server's.
fn printable(text: &str) -> String {
    text.chars().take(256).map(|char| if char.is_control() { '?' } else { char }).collect()
}

impl Handler for Served {
    async fn command(&mut self, command: Command<'_>, reply: &mut Reply) -> Outcome {
        let now_us = clock::unix_us();
        let client = &mut self.client;
        if !client.has_begun()
            && let Err(error) = Box::pin(client.begin_session(now_us)).await
        {
            reply.error(&error);
            return Outcome::Close;
        }
        match command {
            Command::Query(query) => client.query(query.sql, now_us, reply).await,
            Command::StmtPrepare(sql) => client.stmt_prepare(sql, now_us, reply),
            Command::StmtExecute(execute) => {
                self.connection.set_prepared(client.prepared_text(execute.statement_id));
                client.stmt_execute(&execute, now_us, reply).await;
            }
            Command::StmtSendLongData { statement_id, param, data } => {
                client.stmt_send_long_data(statement_id, param, data);
            }
            Command::StmtClose(id) => client.stmt_close(id),
            Command::StmtReset(id) => client.stmt_reset(id, reply),
            Command::StmtFetch { statement_id, rows } => client.stmt_fetch(statement_id, rows, reply).await,
            Command::InitDb(db) => client.init_db(db, now_us, reply),
            Command::FieldList { table, wildcard } => client.field_list(table, wildcard, now_us, reply),
            Command::SetOption { multi_statements } => client.set_multi_statements(multi_statements, reply),
            Command::ResetConnection => {
                client.note("Reset Connection", b"");
                client.reset(reply).await;
                self.connection.set_limits(client.limits());
            }
            Command::Debug => client.debug(now_us, reply),
            Command::ProcessKill(id) => client.query(format!("KILL {id}").as_bytes(), now_us, reply).await,
            Command::ProcessInfo => client.query(b"SHOW PROCESSLIST", now_us, reply).await,
            Command::Refresh(flags) => client.query(refresh(flags).as_bytes(), now_us, reply).await,
            Command::RegisterReplica(replica) => client.register_replica(&replica, now_us, reply),
            Command::BinlogDump(dump) => {
                client.note_with("Binlog Dump", || {
                    let file = String::from_utf8_lossy(dump.file);
                    format!("Log: '{file}'  Pos: {}", dump.position).into_bytes()
                });
                return self.begin_dump(self.client.ask_dump(&dump), reply);
            }
            Command::BinlogDumpGtid(dump) => {
                client.note_with("Binlog Dump GTID", || {
                    let file = String::from_utf8_lossy(dump.file);
                    format!("Log: '{file}' Pos: {} GTIDs: ''", dump.position).into_bytes()
                });
                return self.begin_dump(self.client.ask_dump_gtid(&dump), reply);
            }
            // The connection answers the others.
            _ => reply.error(&ER_UNKNOWN_COM_ERROR.error(&[])),
        }
        self.outcome()
    }

    async fn load(&mut self, file: &mut SentFile<'_>, reply: &mut Reply) -> Outcome {
        self.client.load(file, reply).await;
        self.outcome()
    }

    async fn stream(&mut self, inbound: &mut Inbound<'_>, reply: &mut Reply) -> Result<(), Gone> {
        let Some(asked) = self.dump.take() else { return Ok(()) };
        let (shared, kill) = (self.client.shared(), self.client.kill_switch());
        dump::stream(shared, asked, (&self.connection, kill), inbound, reply).await
    }

    async fn interrupted(&mut self, why: Interruption, reply: &mut Reply) {
        if why == Interruption::Query {
            reply.error(&ER_QUERY_INTERRUPTED.error(&[]));
        }
    }

    async fn change_user(&mut self, login: &Login) -> Result<(), SqlError> {
        let (user, database) = (login.access.user(), login.database.as_deref());
        self.client.note_with("Change user", || arrival(&self.connection, user, database));
        self.client.change_user(Arc::clone(&login.access), login.charset, login.database.as_deref()).await?;
        self.connection.set_limits(self.client.limits());
        Ok(())
    }

    fn note(&self, command: &'static str) {
        self.client.note(command, b"");
    }

    fn status(&self) -> StatusFlags {
        self.client.status_flags()
    }

    async fn end(self) {
        self.client.end().await;
    }
}

/// What COM_REFRESH with these flags means.
fn refresh(flags: u8) -> String {
    let known = [(0x01, "PRIVILEGES"), (0x02, "LOGS"), (0x08, "HOSTS"), (0x10, "STATUS")];
    let named: Vec<&str> =
        known.into_iter().filter(|(flag, _)| flags & flag != 0).map(|(_, name)| name).collect();
    match flags {
        0x80.. => "RESET MASTER".to_owned(),
        0x40.. => "RESET REPLICA".to_owned(),
        // There is no cache of threads, and FLUSH TABLES does nothing that the others do not.
        _ if named.is_empty() => "FLUSH TABLES".to_owned(),
        _ => format!("FLUSH {}", named.join(", ")),
    }
}

impl Interrupt for KillSwitch {
    fn command_begins(&self) {
        Self::command_begins(self);
    }

    fn kill_query(&self) {
        Self::kill_query(self);
    }

    fn kill_connection(&self) {
        Self::kill_connection(self);
    }
}

impl Wire for Reply {
    fn packets(&mut self) -> &mut PacketWriter {
        Self::packets(self)
    }

    fn buffered(&self) -> usize {
        Self::buffered(self)
    }

    fn sends(&self) -> u64 {
        Self::sends(self)
    }

    fn send(&mut self) -> BoxFuture<'_, Result<(), SqlError>> {
        Box::pin(async move { Self::send(self).await.map_err(|_| ER_NET_ERROR_ON_WRITE.error(&[])) })
    }

    fn held(&mut self) -> Option<&mut Option<Held>> {
        Some(Self::held(self))
    }

    fn begin(&mut self, sequence: u8) {
        Self::begin(self, sequence);
    }
}

impl DataFile for SentFile<'_> {
    fn read(&mut self) -> BoxFuture<'_, Result<Vec<u8>, SqlError>> {
        Box::pin(async move { self.packet().await.map_err(|_| ER_NET_READ_ERROR.error(&[])) })
    }
}

impl Upload for SentFile<'_> {
    fn has_ended(&self) -> bool {
        Self::has_ended(self)
    }

    fn sequence(&self) -> u8 {
        Self::sequence(self)
    }
}

#[cfg(test)]
mod tests {
    use super::refresh;

    #[test]
    fn refresh_is_flush() {
        assert_eq!(refresh(0x02), "FLUSH LOGS");
        assert_eq!(refresh(0x04), "FLUSH TABLES");
        assert_eq!(refresh(0x17), "FLUSH PRIVILEGES, LOGS, STATUS");
        assert_eq!(refresh(0x80), "RESET MASTER");
    }
}
