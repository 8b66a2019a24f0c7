//! The tests of the `binlog` crate; each file says its purpose.

mod boundaries;
mod cache;
mod files;
mod golden;
mod gtid;
mod independent;
mod index;
mod reader;
mod rows;
mod show;
mod support;
mod trx;
