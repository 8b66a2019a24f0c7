//! What CHANGE REPLICATION SOURCE TO says, as it is kept.
//!
//! ```text
//! size
//!    1  format version: 1, or 2 if anything is said of TLS
//!    2  port
//!    4  seconds between attempts to connect
//!    8  attempts
//!    4  heartbeat period, milliseconds
//!    4  delay, seconds
//!    1  flags: 1 auto position, 2 ask for the public key; in version 2: 4 TLS, 8 check the source's name
//!    3 x text (length (2), bytes): host, user, password
//!    3 x text, in version 2: files of the authority, of the own certificate, of its key
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
    /// Of TLS.
    pub tls: TlsSettings,
}

/// SOURCE_SSL, and what it is used with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsSettings {
    /// SOURCE_SSL
    pub enabled: bool,
    /// SOURCE_SSL_VERIFY_SERVER_CERT
    pub checks_host: bool,
    /// SOURCE_SSL_CA, a path; empty: none.
    pub ca: String,
    /// SOURCE_SSL_CERT, a path; empty: none.
    pub cert: String,
    /// SOURCE_SSL_KEY, a path; empty: none.
    pub key: String,
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
            tls: TlsSettings::default(),
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

/// Without TLS, as before there was any.
const PLAIN: u8 = 1;
const WITH_TLS: u8 = 2;
const AUTO_POSITION: u8 = 1;
const GET_PUBLIC_KEY: u8 = 2;
const TLS: u8 = 4;
const CHECKS_HOST: u8 = 8;

impl Settings {
    /// The bytes.
    ///
    /// # Panics
    /// If a text is longer than 64 KiB; statements keep it below.
    pub fn encode(&self) -> Vec<u8> {
        let tls = &self.tls;
        let version = if *tls == TlsSettings::default() { PLAIN } else { WITH_TLS };
        let mut out = vec![version];
        out.extend(self.port.to_le_bytes());
        out.extend(self.connect_retry_s.to_le_bytes());
        out.extend(self.retry_count.to_le_bytes());
        out.extend(self.heartbeat_ms.to_le_bytes());
        out.extend(self.delay_s.to_le_bytes());
        let flags = [
            (self.auto_position, AUTO_POSITION),
            (self.get_public_key, GET_PUBLIC_KEY),
            (tls.enabled, TLS),
            (tls.checks_host, CHECKS_HOST),
        ];
        out.push(flags.iter().filter(|(set, _)| *set).map(|(_, flag)| flag).sum());
        let texts = [&self.host, &self.user, &self.password, &tls.ca, &tls.cert, &tls.key];
        let count = if version == PLAIN { 3 } else { texts.len() };
        for text in &texts[..count] {
            out.extend(u16::try_from(text.len()).expect("names are short").to_le_bytes());
            out.extend_from_slice(text.as_bytes());
        }
        out
    }

    /// The settings of these bytes; `None` if they are none, or of another version.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut input = Input(bytes);
        let [version @ (PLAIN | WITH_TLS)] = input.array()? else { return None };
        let port = u16::from_le_bytes(input.array()?);
        let connect_retry_s = u32::from_le_bytes(input.array()?);
        let retry_count = u64::from_le_bytes(input.array()?);
        let heartbeat_ms = u32::from_le_bytes(input.array()?);
        let delay_s = u32::from_le_bytes(input.array()?);
        let [flags] = input.array()?;
        let (host, user, password) = (input.text()?, input.text()?, input.text()?);
        let mut tls = TlsSettings::default();
        if version == WITH_TLS {
            (tls.enabled, tls.checks_host) = (flags & TLS != 0, flags & CHECKS_HOST != 0);
            (tls.ca, tls.cert, tls.key) = (input.text()?, input.text()?, input.text()?);
        }
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
            tls,
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
        let plain = Settings {
            host: "db1".into(),
            user: "repl".into(),
            password: "s3cret".into(),
            auto_position: true,
            delay_s: 7,
            ..Settings::default()
        };
        let tls = TlsSettings { enabled: true, ca: "ca.pem".into(), ..TlsSettings::default() };
        let secure = Settings { tls, ..plain.clone() };
        for (settings, version) in [(plain, 1), (secure, 2)] {
            let bytes = settings.encode();
            assert_eq!(bytes[0], version);
            assert_eq!(Settings::decode(&bytes).as_ref(), Some(&settings));
            for size in 0..bytes.len() {
                assert_eq!(Settings::decode(&bytes[..size]), None);
            }
            assert!(!format!("{settings:?}").contains("s3cret"));
        }
    }
}
