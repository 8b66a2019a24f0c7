//! The tests of the `server` crate; each file says its purpose.

#![expect(clippy::unwrap_used, reason = "a test fails where its helpers fail")]

mod accounts;
mod aliases;
mod altered;
mod assigned;
mod beside_others;
mod builds;
mod checks;
#[path = "../support/client.rs"]
mod client;
mod collations;
mod compressed;
mod conditions;

mod cursors;
mod dependencies;
mod descending;
mod digests;
mod dumps;
mod early_release;
mod explain;
mod foreign_keys;
mod full_disk;
mod general_log;
mod generated;
mod gtid_modes;

mod lateral;
mod load;
mod lock_views;
mod locks;
mod logged_ddl;
mod lookups;
mod moments;
mod monitoring;
mod net;
mod new_tables;
mod options;
mod params;
mod patterns;
mod payloads;
mod places;
mod plugins;
mod prepared;
mod read_only;
mod recursive;
mod replica;
mod replica_runs;
mod replica_tables;
mod replica_tolerates;
mod rights;
mod rollup;
mod sealed;
mod selected;
mod sessions;
mod set_variables;
mod slow_log;
mod statements;
mod status;
mod strategies;
mod temporary;
mod tls;
mod told;
mod user_locks;
mod values;
mod variables;
mod varying;
mod views;
mod waits;
mod whole;
mod window;
mod world;
mod xa;
