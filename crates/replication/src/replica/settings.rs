//! What CHANGE REPLICATION SOURCE TO says, as it is kept.
//!
//! ```text
//! size
//!    1  format version, 1
//!    2  port
//!    4  seconds between attempts to connect
//!    8  attempts
//!    4  heartbeat period, milliseconds
//!    4  delay, seconds
//!    1  flags: 1 auto position, 2 ask for the public key
//!    3 x text (length (2), bytes): host, user, password
//! ```
//! Numbers are little-endian.

/// See the module.
#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    /// SOURCE_HOST; empty: not configured.
    pub host: String,
    /// SOURCE_PORT
    pub port: u16,
    /// SOURCE_USER
    pub user: String,
    /// SOURCE_PASSWORD
    pub password: String,
    /// SOURCE_CONNECT_RETRY, seconds.
    pub connect_retry_s: u32,
    /// SOURCE_RETRY_COUNT; 0 = without end.
    pub retry_count: u64,
    /// SOURCE_HEARTBEAT_PERIOD, milliseconds; 0 = none.
    pub heartbeat_ms: u32,
    /// SOURCE_DELAY, seconds.
    pub delay_s: u32,
    /// SOURCE_AUTO_POSITION
    pub auto_position: bool,
    /// GET_SOURCE_PUBLIC_KEY
    pub get_public_key: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            host: String::new(),
            port: 3306,
            user: String::new(),
            password: String::new(),
            connect_retry_s: 60,
            retry_count: 10,
            heartbeat_ms: 30_000,
            delay_s: 0,
            auto_position: false,
            get_public_key: false,
        }
    }
}

/// Passwords are not shown.
impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { host, port, user, .. } = self;
        f.debug_struct("Settings")
            .field("host", host)
            .field("port", port)
            .field("user", user)
            .finish_non_exhaustive()
    }
}

const VERSION: u8 = 1;
const AUTO_POSITION: u8 = 1;
const GET_PUBLIC_KEY: u8 = 2;

impl Settings {
    /// The bytes.
    ///
    /// # Panics
    /// If a text is longer than 64 KiB; statements keep it below.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        out.extend(self.port.to_le_bytes());
        out.extend(self.connect_retry_s.to_le_bytes());
        out.extend(self.retry_count.to_le_bytes());
        out.extend(self.heartbeat_ms.to_le_bytes());
        out.extend(self.delay_s.to_le_bytes());
        let flag = |set: bool, flag: u8| if set { flag } else { 0 };
        out.push(flag(self.auto_position, AUTO_POSITION) | flag(self.get_public_key, GET_PUBLIC_KEY));
        for text in [&self.host, &self.user, &self.password] {
            out.extend(u16::try_from(text.len()).expect("names are short").to_le_bytes());
            out.extend_from_slice(text.as_bytes());
        }
        out
    }

    /// The settings of these bytes; `None` if they are none, or of another version.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut input = Input(bytes);
        let [VERSION] = input.array()? else { return None };
        let port = u16::from_le_bytes(input.array()?);
        let connect_retry_s = u32::from_le_bytes(input.array()?);
        let retry_count = u64::from_le_bytes(input.array()?);
        let heartbeat_ms = u32::from_le_bytes(input.array()?);
        let delay_s = u32::from_le_bytes(input.array()?);
        let [flags] = input.array()?;
        let (host, user, password) = (input.text()?, input.text()?, input.text()?);
        let (auto_position, get_public_key) = (flags & AUTO_POSITION != 0, flags & GET_PUBLIC_KEY != 0);
        input.0.is_empty().then_some(Self {
            host,
            port,
            user,
            password,
            connect_retry_s,
            retry_count,
            heartbeat_ms,
            delay_s,
            auto_position,
            get_public_key,
        })
    }
}

/// A checked cursor.
pub(super) struct Input<'a>(pub(super) &'a [u8]);

impl Input<'_> {
    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }

    pub(super) fn text(&mut self) -> Option<String> {
        let size = u16::from_le_bytes(self.array()?);
        let (bytes, rest) = self.0.split_at_checked(size.into())?;
        self.0 = rest;
        String::from_utf8(bytes.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_round_trip_and_every_cut_is_refused() {
        let settings = Settings {
            host: "db1".into(),
            user: "repl".into(),
            password: "s3cret".into(),
            auto_position: true,
            delay_s: 7,
            ..Settings::default()
        };
        let bytes = settings.encode();
        assert_eq!(Settings::decode(&bytes).as_ref(), Some(&settings));
        for size in 0..bytes.len() {
            assert_eq!(Settings::decode(&bytes[..size]), None);
        }
        assert!(!format!("{settings:?}").contains("s3cret"));
    }
}
