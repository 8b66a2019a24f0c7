//! Tables that are made when they are read: `information_schema` and the like.

use std::fmt::Debug;

use types::column::Column;
use types::error::SqlError;
use types::value::Value;

use crate::session::Session;

/// See the module.
pub trait VirtualTable: Debug + Send + Sync {
    /// Its database.
    fn db(&self) -> &str;

    /// Its name.
    fn name(&self) -> &str;

    /// Its columns.
    fn columns(&self) -> &[Column];

    /// Its rows, a value a column. Rows whose column at a place differs from the value that `equal` has for it may be
    /// left out.
    fn rows(&self, session: &Session, equal: &[(usize, Value)]) -> Result<Vec<Vec<Value>>, SqlError>;
}
