//! A whole server on a simulated disk.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use server::options::Options;
use server::run::{self, DataDir, Server};
use server::session::Shared;
use tokio::runtime::Runtime;
use vfs::sim::SimDisk;
use vfs::{Open, OsVfs, Vfs};

use crate::client::{Address, Client, LOCAL_FILES, Login, Stream};
use crate::net::host::becomes;

/// See the module. It has a database `d` and accounts: `repl` for replicas, and `nobody`.
pub struct World {
    runtime: Runtime,
    server: Option<Server>,
    address: SocketAddr,
    vfs: Arc<dyn Vfs>,
    socket: PathBuf,
    /// Behind the runtime: fields are dropped in their order.
    _data_dir: DataDir,
}

impl World {
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// With more options.
    pub fn start_with(options: &[&str]) -> Self {
        Self::start_on(&SimDisk::new(), options)
    }

    /// On a disk that the caller goes on with.
    pub fn start_on(disk: &SimDisk, options: &[&str]) -> Self {
        let vfs: Arc<dyn Vfs> = Arc::new(disk.clone());
        vfs.create_dir_all(Path::new("/data")).unwrap();
        let world = Self::on(vfs, options);
        let mut root = world.root();
        root.query("CREATE DATABASE d").unwrap();
        root.query("CREATE USER repl@'%' IDENTIFIED WITH mysql_native_password").unwrap();
        root.query("GRANT REPLICATION SLAVE ON *.* TO repl@'%'").unwrap();
        root.query("CREATE USER nobody@'%' IDENTIFIED WITH mysql_native_password").unwrap();
        world
    }

    /// Stops the server and starts it again on what it has written.
    pub fn restart(self) -> Self {
        let vfs = Arc::clone(&self.vfs);
        self.stop();
        Self::on(vfs, &[])
    }

    /// On what another server has left.
    pub fn open(disk: &SimDisk) -> Self {
        Self::on(Arc::new(disk.clone()), &[])
    }

    /// What a start says that is refused, of the server in a directory.
    pub fn refused(disk: &SimDisk, dir: &str, more: &[&str]) -> String {
        let Err(error) = Self::try_on(Arc::new(disk.clone()), dir, more) else {
            panic!("{more:?}: it starts")
        };
        error
    }

    fn on(vfs: Arc<dyn Vfs>, more: &[&str]) -> Self {
        Self::try_on(vfs, "/data", more).unwrap()
    }

    /// Starts the server in a directory.
    pub fn try_on(vfs: Arc<dyn Vfs>, dir: &str, more: &[&str]) -> Result<Self, String> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let socket = std::env::temp_dir().join(format!("onelog-whole-{}-{number}", std::process::id()));
        let mut arguments = vec![
            "--no-defaults".to_owned(),
            "--port=0".to_owned(),
            format!("--socket={}", socket.display()),
            "--gtid-mode=ON".to_owned(),
            "--enforce-gtid-consistency=ON".to_owned(),
            // A tenth of a second, each time.
            "--caching-sha2-password-auto-generate-rsa-keys=OFF".to_owned(),
        ];
        arguments.extend(more.iter().map(|option| (*option).to_owned()));
        let options = Options::read(&*vfs, &arguments).unwrap();
        let data_dir =
            run::take_data_dir(&*vfs, Path::new(dir), &options).map_err(|error| error.to_string())?;
        let runtime = run::runtime().unwrap();
        let server = runtime.block_on(run::start(Arc::clone(&vfs), &data_dir, options));
        let server = server.map_err(|error| error.to_string())?;
        let address = server.addresses()[0];
        Ok(Self { runtime, server: Some(server), address, vfs, socket, _data_dir: data_dir })
    }

    /// Where it listens.
    pub fn address(&self) -> Address {
        Address::Tcp(self.address)
    }

    /// The port of that.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Runs something in the server's runtime.
    pub fn run<F: Future>(&self, task: F) -> F::Output {
        self.runtime.block_on(task)
    }

    /// A file of its data directory.
    pub fn read(&self, name: &str) -> Vec<u8> {
        let file = self.vfs.open(&Path::new("/data").join(name), Open::Read).unwrap();
        let mut bytes = vec![0; usize::try_from(file.len().unwrap()).unwrap()];
        file.read_exact_at(&mut bytes, 0).unwrap();
        bytes
    }

    pub fn client(&self, user: &str) -> Client {
        Client::connect(&Address::Tcp(self.address), &Login::new(user, "")).unwrap()
    }

    pub fn root(&self) -> Client {
        self.client("root")
    }

    /// A connection from another address than this machine's own.
    pub fn stranger(&self, source: [u8; 4]) -> Stream {
        self.runtime.block_on(Stream::open_from(source, self.address))
    }

    /// What its sessions share.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.server.as_ref().unwrap().shared
    }

    pub fn stop(mut self) {
        self.end();
    }

    /// Stops the server; its runtime and its data directory are still there.
    pub fn end(&mut self) {
        if let Some(server) = self.server.take() {
            self.runtime.block_on(server.stop()).unwrap();
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A server that stops removes it; one that a test kills leaves it.
        let _ = OsVfs.remove_file(&self.socket);
    }
}

/// A statement that succeeds.
pub fn ok(client: &mut Client, sql: &str) {
    client.query(sql).unwrap_or_else(|failure| panic!("{sql}: {failure:?}"));
}

/// Statements that succeed.
pub fn all_ok(client: &mut Client, statements: &[&str]) {
    for sql in statements {
        ok(client, sql);
    }
}

/// Sends a statement whose answer somebody reads later.
pub fn send(client: &mut Client, sql: &str) {
    client.command(&[&[3], sql.as_bytes()].concat()).unwrap();
}

/// The rows of a query, cells between bars.
pub fn rows(client: &mut Client, sql: &str) -> Vec<String> {
    let cell = |cell: Option<String>| cell.unwrap_or_else(|| "NULL".to_owned());
    let rows = client.query(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}")).rows;
    rows.into_iter().map(|row| row.into_iter().map(cell).collect::<Vec<_>>().join("|")).collect()
}

/// Asks until this is the answer.
pub fn until(client: &mut Client, sql: &str, wanted: &[&str]) {
    if !becomes(|| rows(client, sql) == wanted) {
        assert_eq!(rows(client, sql), wanted, "{sql}");
    }
}

/// What a statement is answered, as `tests/tools/record_statements.py` writes it.
fn answer_of(client: &mut Client, statement: &str) -> String {
    match client.query(statement) {
        Ok(answer) if statement.starts_with("LOAD") => {
            // The text has its length in front of it.
            format!("ok {} {}", answer.affected, answer.info.get(1..).unwrap_or_default())
        }
        Ok(answer) if answer.columns.is_empty() => "ok".to_owned(),
        Ok(answer) => {
            let text = |row: &Vec<Option<String>>| {
                row.iter().map(|cell| cell.as_deref().unwrap_or("None")).collect::<Vec<_>>().join("\t")
            };
            answer.rows.iter().map(text).collect::<Vec<_>>().join("|").replace('\n', "\\n")
        }
        Err(error) => format!("{} {}", error.code(), error.message()),
    }
}

/// Sends the statements of a file that `tests/tools/record_statements.py` has written to a new server, and compares the
/// answers. There are to be more than `count`.
#[expect(clippy::disallowed_methods, reason = "LOAD DATA reads users' files")]
pub fn answers_as_recorded(recorded: &str, count: usize) {
    let world = World::start_with(&["--secure-file-priv=", "--local-infile"]);
    let login = Login { flags: LOCAL_FILES, ..Login::new("root", "") };
    let mut client = Client::connect(&world.address(), &login).unwrap();
    let dir = std::env::temp_dir().join(format!("onelog-files-{}-{}", std::process::id(), world.port()));
    std::fs::create_dir(&dir).unwrap();
    let dir_name = dir.to_str().unwrap();
    let recorded = recorded.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for part in recorded.split(";\n  -> ").collect::<Vec<_>>().windows(2) {
        part[0].lines().filter_map(|line| line.strip_prefix("FILE ")).for_each(|line| write_file(&dir, line));
        let statement = part[0].rsplit('\n').next().unwrap();
        let expected = part[1].split('\n').next().unwrap();
        let answer = match statement.strip_prefix("READ ") {
            Some(name) => shown_file(&dir.join(name)),
            None => answer_of(&mut client, &statement.replace("$DIR", dir_name)).replace(dir_name, "$DIR"),
        };
        seen += 1;
        if answer != expected {
            wrong.push(format!("{statement}\n  MySQL: {expected}\n  here:  {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(seen > count, "{seen} statements");
    std::fs::remove_dir_all(&dir).unwrap();
    world.stop();
}

/// A file's bytes, those that are not shown in hexadecimal.
#[expect(clippy::disallowed_methods, reason = "as above")]
fn shown_file(path: &Path) -> String {
    let shown = |byte: &u8| match byte {
        32..127 if *byte != b'\\' => char::from(*byte).to_string(),
        byte => format!("\\x{byte:02x}"),
    };
    std::fs::read(path).unwrap().iter().map(shown).collect()
}

/// `name: text`, with the escapes of `tools/record_statements.py`.
#[expect(clippy::disallowed_methods, reason = "as above")]
fn write_file(dir: &Path, line: &str) {
    let (name, text) = line.split_once(':').unwrap();
    let (mut bytes, mut rest) = (Vec::new(), text.strip_prefix(' ').unwrap_or(text).bytes());
    while let Some(byte) = rest.next() {
        let escaped = if byte == b'\\' { rest.next() } else { None };
        let hex = |digit: Option<u8>| char::from(digit.unwrap()).to_digit(16).unwrap();
        bytes.push(match escaped {
            None => byte,
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'0') => 0,
            Some(b'x') => u8::try_from(hex(rest.next()) * 16 + hex(rest.next())).unwrap(),
            Some(other) => other,
        });
    }
    std::fs::write(dir.join(name), bytes).unwrap();
}
