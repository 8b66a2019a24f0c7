//! Who follows: the replicas that have registered (SHOW REPLICAS), and the dumps under way.
//!
//! A replica that lost its connection comes back before the source has noticed. Two dumps of one replica would both be
//! waited for, so the new one ends the old one: by UUID, or by server id where neither has a UUID.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

/// What a replica has said of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registration {
    /// The connection that it came by.
    pub connection: u32,
    /// Its `server_id`.
    pub server_id: u32,
    /// `report_host`
    pub host: String,
    /// `report_user`
    pub user: String,
    /// `report_password`
    pub password: String,
    /// `report_port`
    pub port: u16,
    /// `server_uuid`; empty for MariaDB's.
    pub uuid: String,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Replicas {
    /// By server id. Rank: last.
    registered: Mutex<BTreeMap<u32, Registration>>,
    /// Rank: last.
    dumps: Mutex<Vec<Running>>,
}

#[derive(Debug)]
struct Running {
    connection: u32,
    server_id: u32,
    uuid: String,
    replaced: Arc<AtomicBool>,
}

/// A dump under way; it is no more when this is dropped.
#[derive(Debug)]
pub struct Dump {
    replicas: Arc<Replicas>,
    connection: u32,
    replaced: Arc<AtomicBool>,
}

impl Replicas {
    /// A replica registers: once a connection. It takes the place of one with its server id.
    pub fn register(&self, registration: Registration) {
        self.leave(registration.connection);
        self.registered.lock().insert(registration.server_id, registration);
    }

    /// A connection has ended, and with it what registered by it.
    pub fn leave(&self, connection: u32) {
        self.registered.lock().retain(|_, replica| replica.connection != connection);
    }

    /// Those who have registered, by server id.
    pub fn registered(&self) -> Vec<Registration> {
        self.registered.lock().values().cloned().collect()
    }

    /// A connection begins a dump. Also returns the connections whose dumps it replaces: they are to be stopped.
    pub fn begin_dump(self: &Arc<Self>, connection: u32, server_id: u32, uuid: &str) -> (Dump, Vec<u32>) {
        let replaced = Arc::<AtomicBool>::default();
        let mut dumps = self.dumps.lock();
        let is_same = |other: &&Running| match (uuid, &*other.uuid) {
            ("", "") => server_id != 0 && other.server_id == server_id,
            (own, other) => own == other,
        };
        let same: Vec<u32> = dumps
            .iter()
            .filter(is_same)
            .map(|other| {
                other.replaced.store(true, Ordering::Relaxed);
                other.connection
            })
            .collect();
        let running =
            Running { connection, server_id, uuid: uuid.to_owned(), replaced: Arc::clone(&replaced) };
        dumps.push(running);
        (Dump { replicas: Arc::clone(self), connection, replaced }, same)
    }
}

impl Dump {
    /// Whether the replica has come by another connection.
    pub fn is_replaced(&self) -> bool {
        self.replaced.load(Ordering::Relaxed)
    }
}

impl Drop for Dump {
    fn drop(&mut self) {
        self.replicas.dumps.lock().retain(|running| running.connection != self.connection);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replica_that_comes_again_replaces_itself() {
        let replicas = Arc::<Replicas>::default();
        let (with_uuid, none) = replicas.begin_dump(1, 7, "u");
        assert_eq!(none, []);
        let (without, none) = replicas.begin_dump(2, 7, "");
        assert_eq!(none, [], "one has a UUID, the other has not");
        let (_tool, none) = replicas.begin_dump(3, 0, "");
        assert_eq!(none, []);
        let (_other_tool, none) = replicas.begin_dump(4, 0, "");
        assert_eq!(none, [], "tools have no server id");
        assert_eq!(replicas.begin_dump(5, 8, "u").1, [1]);
        assert_eq!(replicas.begin_dump(6, 7, "").1, [2]);
        assert!(with_uuid.is_replaced() && without.is_replaced());
        drop(with_uuid);
        assert_eq!(replicas.begin_dump(7, 8, "u").1, [], "all of them have gone");
    }

    #[test]
    fn registrations_go_with_their_connection() {
        let replicas = Replicas::default();
        let of = |connection, server_id| Registration { connection, server_id, ..Registration::default() };
        replicas.register(of(1, 9));
        replicas.register(of(2, 8));
        replicas.register(of(3, 9));
        replicas.leave(1);
        assert_eq!(replicas.registered(), [of(2, 8), of(3, 9)]);
        replicas.register(of(3, 10));
        assert_eq!(replicas.registered(), [of(2, 8), of(3, 10)], "a connection is one replica");
        replicas.leave(3);
        assert_eq!(replicas.registered(), [of(2, 8)]);
    }
}
