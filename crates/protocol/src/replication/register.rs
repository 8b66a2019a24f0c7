//! COM_REGISTER_SLAVE: a replica says who it is, for SHOW REPLICAS.
//!
//! | bytes | field |
//! | --- | --- |
//! | 4 | server id |
//! | 1, size | host, as the replica reports it |
//! | 1, size | user, likewise |
//! | 1, size | password, likewise |
//! | 2 | port |
//! | 4 | rank, unused |
//! | 4 | the source's server id, 0 |

use crate::Result;
use crate::wire::cursor::Cursor;

/// What a replica reports of itself. None of it proves anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterReplica<'a> {
    /// The replica's `server_id`.
    pub server_id: u32,
    /// `report_host`.
    pub host: &'a [u8],
    /// `report_user`.
    pub user: &'a [u8],
    /// `report_password`.
    pub password: &'a [u8],
    /// `report_port`.
    pub port: u16,
}

impl<'a> RegisterReplica<'a> {
    pub(crate) fn decode(mut cursor: Cursor<'a>) -> Result<Self> {
        let registration = Self {
            server_id: cursor.u32()?,
            host: cursor.u8_bytes()?,
            user: cursor.u8_bytes()?,
            password: cursor.u8_bytes()?,
            port: cursor.u16()?,
        };
        cursor.u32()?;
        cursor.u32()?;
        Ok(registration)
    }
}
