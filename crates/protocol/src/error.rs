//! What can be wrong with a client's bytes, and MySQL's number, SQLSTATE and text for it: the one place that
//! maps them.

/// The result of decoding a client's bytes.
pub type Result<T> = std::result::Result<T, Error>;

/// Why bytes from a client were refused. `Display` is what the client may be told.
///
/// Split by what the caller does: [`Error::is_fatal`] errors are reported and the connection is closed, the
/// others are reported and the connection goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A chunk's sequence number is not the expected one: the two sides no longer agree on where they are.
    #[error("Got packets out of order")]
    OutOfOrder {
        /// The number that the conversation requires.
        expected: u8,
        /// The number in the chunk's header.
        got: u8,
    },
    /// A packet announces more bytes than the connection may send at this stage.
    #[error("Got a packet bigger than 'max_allowed_packet' bytes")]
    TooBig {
        /// The bytes announced so far.
        size: usize,
        /// The bytes allowed.
        max: usize,
    },
    /// The packet of the given name ends early or holds impossible values.
    #[error("Malformed communication packet.")]
    Malformed(&'static str),
    /// The command byte is none that this server knows.
    #[error("Unknown command")]
    UnknownCommand(u8),
    /// COM_STMT_EXECUTE without parameter types, on a statement that was never given any.
    #[error("Incorrect arguments to mysqld_stmt_execute")]
    UnboundParameters,
    /// The first packet of a client could not be read.
    #[error("Bad handshake")]
    BadHandshake(&'static str),
    /// The client asks for TLS, which was not offered.
    #[error("Bad handshake: TLS was requested, but this server does not offer it")]
    TlsNotOffered,
    /// The client speaks the protocol of before MySQL 4.1, or cannot do what its account needs.
    #[error(
        "Client does not support authentication protocol requested by server; consider upgrading MySQL client"
    )]
    OldClient,
}

impl Error {
    /// MySQL's error number.
    pub const fn code(self) -> u16 {
        match self {
            Self::OutOfOrder { .. } => 1156,
            Self::TooBig { .. } => 1153,
            Self::Malformed(_) => 1835,
            Self::UnknownCommand(_) => 1047,
            Self::UnboundParameters => 1210,
            Self::BadHandshake(_) | Self::TlsNotOffered => 1043,
            Self::OldClient => 1251,
        }
    }

    /// MySQL's SQLSTATE for [`Error::code`].
    pub const fn sqlstate(self) -> &'static str {
        match self {
            Self::Malformed(_) | Self::UnboundParameters => "HY000",
            Self::OldClient => "08004",
            _ => "08S01",
        }
    }

    /// Whether the connection has to be closed once the client was told: nothing that follows on it can be
    /// trusted to be where a packet starts, or the client was refused.
    pub const fn is_fatal(self) -> bool {
        match self {
            Self::OutOfOrder { .. }
            | Self::TooBig { .. }
            | Self::BadHandshake(_)
            | Self::TlsNotOffered
            | Self::OldClient => true,
            Self::Malformed(_) | Self::UnknownCommand(_) | Self::UnboundParameters => false,
        }
    }
}
