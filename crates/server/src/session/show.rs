//! SHOW, and what answers with a table without being a query.

use sql::parse::{Maintenance, Show};
use types::error::SqlError;

use super::dispatch::unsupported;
use super::result::Format;
use super::{Client, Wire};

type Result<T> = std::result::Result<T, SqlError>;

impl Client {
    /// SHOW.
    pub(super) async fn show(&mut self, show: Show, format: Format, more: bool, wire: &mut dyn Wire) -> Result<()> {
        let _ = (show, format, more, wire);
        Err(unsupported("SHOW"))
    }

    /// ANALYZE TABLE and the like.
    pub(super) async fn maintain(
        &mut self,
        maintenance: Maintenance,
        sql: &[u8],
        format: Format,
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<()> {
        let _ = (maintenance, sql, format, more, wire);
        Err(unsupported("ANALYZE TABLE"))
    }
}
