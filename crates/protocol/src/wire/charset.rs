//! The collation ids that the protocol itself needs. A handshake and a column definition name a character set
//! by the id of a collation; the full list belongs to whoever converts text.

/// `latin1_swedish_ci`.
pub const LATIN1_SWEDISH_CI: u16 = 8;
/// `ascii_general_ci`.
pub const ASCII_GENERAL_CI: u16 = 11;
/// `utf8mb3_general_ci`: what older clients send for `utf8`.
pub const UTF8MB3_GENERAL_CI: u16 = 33;
/// `utf8mb4_general_ci`: MariaDB's and PyMySQL's usual choice.
pub const UTF8MB4_GENERAL_CI: u16 = 45;
/// `utf8mb4_bin`.
pub const UTF8MB4_BIN: u16 = 46;
/// `binary`: the "character set" of numbers, dates and byte strings in column definitions.
pub const BINARY: u16 = 63;
/// `utf8mb4_0900_ai_ci`: the default of MySQL 8.0 and later. It is the largest usual id that fits the single
/// byte of the handshake packets.
pub const UTF8MB4_0900_AI_CI: u16 = 255;
