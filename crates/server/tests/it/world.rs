//! What the tests share.

use std::collections::HashMap;
use std::sync::Arc;

use server::variables::{SessionVariables, Variables};
use sql::session::{Scope, Server, Session};
use sql::virtual_table::VirtualTable;
use types::error::SqlError;
use types::value::Value;

/// A server of which sessions ask nothing.
#[derive(Debug)]
struct NoServer;

impl Server for NoServer {
    fn variable(&self, _session: &Session, _scope: Option<Scope>, _name: &str) -> Result<Value, SqlError> {
        Ok(Value::Null)
    }
    fn virtual_table(&self, _db: &str, _name: &str) -> Option<Arc<dyn VirtualTable>> {
        None
    }
    fn is_virtual_database(&self, _db: &str) -> bool {
        false
    }
    fn version(&self) -> &'static str {
        "test"
    }
}

/// A session without a connection.
pub fn session(variables: &Variables) -> (Session, SessionVariables) {
    let mut sql = Session::new(Arc::new(NoServer), 7, 1);
    let own = variables.begin(&mut sql);
    (sql, own)
}

/// A recorded table: the first line's names, and each further line by them.
pub fn table(text: &'static str) -> Vec<HashMap<&'static str, &'static str>> {
    let mut lines = text.lines();
    let names: Vec<_> = lines.next().unwrap().split('\t').collect();
    lines.map(|line| names.iter().copied().zip(line.split('\t')).collect()).collect()
}
