//! The tests of the `binlog` crate; each file says its purpose. `cfg(test)` tells clippy that helpers are tests too.

#[cfg(test)]
mod boundaries;
#[cfg(test)]
mod cache;
#[cfg(test)]
mod compressed;
#[cfg(test)]
mod files;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod gtid;
#[cfg(test)]
mod independent;
#[cfg(test)]
mod index;
mod io_cache;
#[cfg(test)]
mod reader;
#[cfg(test)]
mod rows;
#[cfg(test)]
mod show;
#[cfg(test)]
mod support;
#[cfg(test)]
mod trx;
