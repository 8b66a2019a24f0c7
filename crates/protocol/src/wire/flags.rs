//! Capability, status and column flags.

/// A set of bits with names, in the protocol's own numbering.
macro_rules! flag_set {
    ($(#[$doc:meta])* $name:ident: $bits:ty { $($(#[$flag_doc:meta])* $flag:ident = $value:expr;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name($bits);

        impl $name {
            $($(#[$flag_doc])* pub const $flag: Self = Self($value);)*

            /// No flag at all.
            pub const NONE: Self = Self(0);

            /// The set of these bits, known or not.
            pub const fn from_bits(bits: $bits) -> Self {
                Self(bits)
            }

            /// The bits on the wire.
            pub const fn bits(self) -> $bits {
                self.0
            }

            /// Whether all flags of `other` are set.
            pub const fn contains(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }

            /// The flags of both sets together.
            #[must_use]
            pub const fn union(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }

            /// The flags that both sets have.
            #[must_use]
            pub const fn intersection(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }

            /// The flags that `other` does not have.
            #[must_use]
            pub const fn without(self, other: Self) -> Self {
                Self(self.0 & !other.0)
            }
        }

        impl std::ops::BitOr for $name {
            type Output = Self;

            fn bitor(self, other: Self) -> Self {
                self.union(other)
            }
        }
    };
}

flag_set! {
    /// What both sides can do. The server offers a set, the client answers with its own, and the intersection
    /// rules the connection.
    Capabilities: u32 {
        /// Always set by MySQL; MariaDB's clients take a server without it for a MariaDB server that uses the
        /// extended capabilities.
        LONG_PASSWORD = 1;
        /// Affected rows of an UPDATE are the rows found, not the rows changed.
        FOUND_ROWS = 1 << 1;
        /// Column flags have two bytes.
        LONG_FLAG = 1 << 2;
        /// The handshake response may name a database.
        CONNECT_WITH_DB = 1 << 3;
        /// Compressed packets.
        COMPRESS = 1 << 5;
        /// LOAD DATA LOCAL: the client sends a file that the server asks for.
        LOCAL_FILES = 1 << 7;
        /// Spaces before a function's parenthesis.
        IGNORE_SPACE = 1 << 8;
        /// The protocol of MySQL 4.1 and later; a client without it is refused.
        PROTOCOL_41 = 1 << 9;
        /// `interactive_timeout` instead of `wait_timeout`.
        INTERACTIVE = 1 << 10;
        /// TLS. Offered only if the caller adds it.
        SSL = 1 << 11;
        /// Status flags in OK and EOF packets.
        TRANSACTIONS = 1 << 13;
        /// The response to the nonce has a length byte.
        SECURE_CONNECTION = 1 << 15;
        /// Several statements in one COM_QUERY.
        MULTI_STATEMENTS = 1 << 16;
        /// Several result sets for one COM_QUERY.
        MULTI_RESULTS = 1 << 17;
        /// Several result sets for one COM_STMT_EXECUTE.
        PS_MULTI_RESULTS = 1 << 18;
        /// Authentication plugins are named.
        PLUGIN_AUTH = 1 << 19;
        /// The handshake response may carry attributes.
        CONNECT_ATTRS = 1 << 20;
        /// The response to the nonce has a length-encoded length.
        PLUGIN_AUTH_LENENC = 1 << 21;
        /// The client can be told that its password expired.
        CAN_HANDLE_EXPIRED_PASSWORDS = 1 << 22;
        /// OK packets may carry changes of the session's state.
        SESSION_TRACK = 1 << 23;
        /// Result sets end with an OK packet (header 0xFE), and no EOF follows the definitions.
        DEPRECATE_EOF = 1 << 24;
        /// COM_QUERY and COM_STMT_EXECUTE may carry named attributes.
        QUERY_ATTRIBUTES = 1 << 27;
    }
}

impl Capabilities {
    /// What this server offers.
    ///
    /// [`Capabilities::QUERY_ATTRIBUTES`] is understood but not offered: nothing here reads attributes, no
    /// client needs them, and each COM_QUERY of a client that sees the offer gets two bytes longer and each
    /// COM_STMT_EXECUTE gets the parameters' names. Whoever wants the attributes adds the flag to the
    /// greeting; the decoders follow what was negotiated.
    pub const OFFERED: Self = Self::LONG_PASSWORD
        .union(Self::FOUND_ROWS)
        .union(Self::LONG_FLAG)
        .union(Self::CONNECT_WITH_DB)
        .union(Self::COMPRESS)
        .union(Self::LOCAL_FILES)
        .union(Self::IGNORE_SPACE)
        .union(Self::PROTOCOL_41)
        .union(Self::INTERACTIVE)
        .union(Self::TRANSACTIONS)
        .union(Self::SECURE_CONNECTION)
        .union(Self::MULTI_STATEMENTS)
        .union(Self::MULTI_RESULTS)
        .union(Self::PS_MULTI_RESULTS)
        .union(Self::PLUGIN_AUTH)
        .union(Self::CONNECT_ATTRS)
        .union(Self::PLUGIN_AUTH_LENENC)
        .union(Self::CAN_HANDLE_EXPIRED_PASSWORDS)
        .union(Self::SESSION_TRACK)
        .union(Self::DEPRECATE_EOF);
}

flag_set! {
    /// The state of a session, as OK and EOF packets report it.
    StatusFlags: u16 {
        /// A transaction is open.
        IN_TRANS = 1;
        /// `autocommit` is on.
        AUTOCOMMIT = 1 << 1;
        /// Another result follows.
        MORE_RESULTS_EXISTS = 1 << 3;
        /// No good index was used.
        NO_GOOD_INDEX_USED = 1 << 4;
        /// No index was used.
        NO_INDEX_USED = 1 << 5;
        /// A cursor was opened: rows come with COM_STMT_FETCH.
        CURSOR_EXISTS = 1 << 6;
        /// The cursor's last row was sent.
        LAST_ROW_SENT = 1 << 7;
        /// A database was dropped.
        DB_DROPPED = 1 << 8;
        /// Backslash is an ordinary character in strings.
        NO_BACKSLASH_ESCAPES = 1 << 9;
        /// Result set columns changed since the statement was prepared.
        METADATA_CHANGED = 1 << 10;
        /// The statement was slow.
        QUERY_WAS_SLOW = 1 << 11;
        /// The result is a procedure's OUT parameters.
        PS_OUT_PARAMS = 1 << 12;
        /// The open transaction is read-only.
        IN_TRANS_READONLY = 1 << 13;
        /// The OK packet carries changes of the session's state.
        SESSION_STATE_CHANGED = 1 << 14;
    }
}

flag_set! {
    /// Properties of a column in its definition.
    ColumnFlags: u16 {
        /// NOT NULL.
        NOT_NULL = 1;
        /// Part of the primary key.
        PRI_KEY = 1 << 1;
        /// Part of a unique key.
        UNIQUE_KEY = 1 << 2;
        /// Part of a key that is not unique.
        MULTIPLE_KEY = 1 << 3;
        /// A BLOB or TEXT.
        BLOB = 1 << 4;
        /// Unsigned number.
        UNSIGNED = 1 << 5;
        /// ZEROFILL.
        ZEROFILL = 1 << 6;
        /// Binary collation.
        BINARY = 1 << 7;
        /// An ENUM.
        ENUM = 1 << 8;
        /// AUTO_INCREMENT.
        AUTO_INCREMENT = 1 << 9;
        /// A TIMESTAMP that is set by itself.
        TIMESTAMP = 1 << 10;
        /// A SET.
        SET = 1 << 11;
        /// NOT NULL without a default.
        NO_DEFAULT_VALUE = 1 << 12;
        /// Set to the current time by updates.
        ON_UPDATE_NOW = 1 << 13;
        /// Part of some key: MySQL sets it beside the three flags that say of which.
        PART_KEY = 1 << 14;
        /// A number.
        NUM = 1 << 15;
    }
}
