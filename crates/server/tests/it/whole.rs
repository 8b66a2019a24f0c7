//! A whole server on a simulated disk.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use server::options::Options;
use server::run::{self, Server};
use server::session::Shared;
use tokio::runtime::Runtime;
use vfs::Vfs;
use vfs::sim::SimDisk;

use crate::client::{Address, Client, Login};

/// See the module. It has a database `d` and accounts: `repl` for replicas, and `nobody`.
pub struct World {
    runtime: Runtime,
    server: Option<Server>,
    address: SocketAddr,
    vfs: Arc<dyn Vfs>,
}

impl World {
    pub fn start() -> Self {
        let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
        vfs.create_dir_all(Path::new("/data")).unwrap();
        let world = Self::on(vfs);
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
        Self::on(vfs)
    }

    fn on(vfs: Arc<dyn Vfs>) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let socket = std::env::temp_dir().join(format!("onelog-whole-{}-{number}", std::process::id()));
        let arguments = [
            "--no-defaults".to_owned(),
            "--port=0".to_owned(),
            format!("--socket={}", socket.display()),
            "--gtid-mode=ON".to_owned(),
            "--enforce-gtid-consistency=ON".to_owned(),
        ];
        let options = Options::read(&*vfs, &arguments).unwrap();
        let runtime = run::runtime().unwrap();
        let server = runtime.block_on(run::start(Arc::clone(&vfs), Path::new("/data"), options)).unwrap();
        let address = server.addresses()[0];
        Self { runtime, server: Some(server), address, vfs }
    }

    pub fn client(&self, user: &str) -> Client {
        Client::connect(&Address::Tcp(self.address), &Login::new(user, "")).unwrap()
    }

    pub fn root(&self) -> Client {
        self.client("root")
    }

    /// What its sessions share.
    pub fn shared(&self) -> &Shared {
        &self.server.as_ref().unwrap().shared
    }

    pub fn stop(mut self) {
        self.runtime.block_on(self.server.take().unwrap().stop()).unwrap();
    }
}

/// A statement that succeeds.
pub fn ok(client: &mut Client, sql: &str) {
    client.query(sql).unwrap_or_else(|failure| panic!("{sql}: {failure:?}"));
}

/// Sends a statement whose answer somebody reads later.
pub fn send(client: &mut Client, sql: &str) {
    client.command(&[&[3], sql.as_bytes()].concat()).unwrap();
}
