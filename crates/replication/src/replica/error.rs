//! What can go wrong between a replica and its source.

/// See the module. The number is what `Last_IO_Errno` shows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// The connection could not be made, or broke: worth another try.
    #[error("{0}")]
    Lost(String),
    /// The source has refused something, in its own words.
    #[error("{message}")]
    Refused {
        /// Its error's number.
        code: u16,
        /// Its error's text.
        message: String,
    },
    /// The source and this server do not fit together.
    #[error("{0}")]
    Unfit(String),
    /// The source says what no source says.
    #[error("{0}")]
    Malformed(String),
}

/// MySQL's number for a connection that could not be made.
const CR_CONN_HOST_ERROR: u16 = 2003;
/// MySQL's number for TLS that could not be agreed on.
const CR_SSL_CONNECTION_ERROR: u16 = 2026;
/// `ER_REPLICA_FATAL_ERROR`
const FATAL: u16 = 1593;
/// `ER_SERVER_SOURCE_FATAL_ERROR_READING_BINLOG`
const FATAL_READING: u16 = 1236;
/// `CR_AUTH_PLUGIN_ERR`
const CR_AUTH_PLUGIN_ERR: u16 = 2061;
/// `ER_REPLICA_RELAY_LOG_WRITE_FAILURE`: MySQL's number for events that cannot be queued.
const BAD_EVENT: u16 = 1595;

impl SourceError {
    /// The number.
    pub fn code(&self) -> u16 {
        match self {
            Self::Lost(_) => CR_CONN_HOST_ERROR,
            Self::Refused { code, .. } => *code,
            Self::Unfit(_) => FATAL,
            Self::Malformed(_) => BAD_EVENT,
        }
    }

    /// Whether asking again may help: the source was not there, or was about to go.
    pub fn is_worth_another_try(&self) -> bool {
        // Too many connections, access denied (accounts are made later than replicas), shutdown, killed, certificates
        // (they are renewed), a password that the source has forgotten (until its owner logs in over TLS).
        const PASSING: [u16; 10] =
            [1040, 1045, 1053, 1129, 1130, 1203, 1205, 1317, CR_SSL_CONNECTION_ERROR, CR_AUTH_PLUGIN_ERR];
        match self {
            Self::Lost(_) => true,
            Self::Refused { code, .. } => *code != FATAL_READING && PASSING.contains(code),
            Self::Unfit(_) | Self::Malformed(_) => false,
        }
    }

    /// TLS was asked for, and cannot be had.
    pub fn no_tls(why: &str) -> Self {
        Self::Refused { code: CR_SSL_CONNECTION_ERROR, message: format!("SSL connection error: {why}") }
    }

    pub(crate) fn malformed(what: &str) -> Self {
        Self::Malformed(format!("the source's answer is malformed: {what}"))
    }
}

impl From<std::io::Error> for SourceError {
    fn from(error: std::io::Error) -> Self {
        Self::Lost(format!("the connection to the source broke: {error}"))
    }
}
