//! Host parts of accounts: from where somebody may come.
//!
//! | pattern | matches |
//! | --- | --- |
//! | `localhost` | the local socket, 127.0.0.1 and ::1 |
//! | `10.0.0.7` | this address |
//! | `10.0.0.0/24`, `10.0.0.0/255.255.255.0` | the addresses whose leading bits are these |
//! | `10.%`, `10.0.0._` | addresses, as LIKE matches them |
//! | `%`, empty | everybody |
//!
//! Of several accounts that match, the most specific host decides, and for one host a name before the anonymous
//! user: an order by [`Specificity`]. Names of hosts are not looked up: the server runs with `skip_name_resolve`.
//! Source: MySQL 8.0 Reference Manual, "Specifying Account Names", "Access Control, Stage 1".

use std::net::{IpAddr, Ipv4Addr};

/// From where a client comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its address; none on the local socket.
    pub address: Option<IpAddr>,
    /// `localhost`, or the address as text: what `user()` and messages show.
    pub host: String,
}

/// How exactly a pattern says who is meant; greater is more exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Specificity {
    /// The empty host.
    Empty,
    /// `%`
    Anybody,
    /// A pattern, by the characters before its first wildcard.
    Pattern(usize),
    /// A network, by its bits.
    Network(u32),
    /// A name or an address.
    Exact,
}

impl Peer {
    /// A client on the local socket.
    pub fn local() -> Self {
        Self { address: None, host: "localhost".to_owned() }
    }

    /// A client on TCP. 127.0.0.1 and ::1 are `localhost`.
    pub fn tcp(address: IpAddr) -> Self {
        let address = address.to_canonical();
        let is_local = address == IpAddr::V4(Ipv4Addr::LOCALHOST) || address == std::net::Ipv6Addr::LOCALHOST;
        let host = if is_local { "localhost".to_owned() } else { address.to_string() };
        Self { address: Some(address), host }
    }

    /// Whether the client is on this machine, as far as limits on strangers go.
    pub fn is_local(&self) -> bool {
        self.host == "localhost"
    }

    /// Whether an account's host lets this client in.
    pub(super) fn matches(&self, pattern: &str) -> bool {
        if pattern.is_empty() || pattern == "%" || pattern.eq_ignore_ascii_case(&self.host) {
            return true;
        }
        if let Some(network) = Network::parse(pattern) {
            return self.address.is_some_and(|address| network.contains(address));
        }
        let address = self.address.map(|address| address.to_string());
        is_like(&self.host, pattern, Case::Insensitive)
            || address.is_some_and(|address| is_like(&address, pattern, Case::Insensitive))
    }
}

/// How exactly a host says who is meant.
pub(super) fn specificity(pattern: &str) -> Specificity {
    match pattern {
        "" => Specificity::Empty,
        "%" => Specificity::Anybody,
        _ => match (Network::parse(pattern), pattern.find(['%', '_'])) {
            (Some(network), _) => Specificity::Network(network.mask.leading_ones()),
            (None, Some(wildcard)) => Specificity::Pattern(wildcard),
            (None, None) => Specificity::Exact,
        },
    }
}

/// A network of IPv4 addresses.
struct Network {
    address: u32,
    mask: u32,
}

impl Network {
    fn parse(pattern: &str) -> Option<Self> {
        let (address, mask) = pattern.split_once('/')?;
        let address: Ipv4Addr = address.parse().ok()?;
        let mask = if let Ok(mask) = mask.parse::<Ipv4Addr>() {
            u32::from(mask)
        } else {
            let bits: u32 = mask.parse().ok().filter(|bits| *bits <= u32::BITS)?;
            u32::MAX.checked_shl(u32::BITS - bits).unwrap_or(0)
        };
        Some(Self { address: u32::from(address), mask })
    }

    fn contains(&self, address: IpAddr) -> bool {
        matches!(address, IpAddr::V4(address) if u32::from(address) & self.mask == self.address & self.mask)
    }
}

/// Whether letters of other cases are other letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Sensitive,
    Insensitive,
}

/// LIKE: `%` is anything, `_` one character, a backslash takes the next one as it is.
pub(super) fn is_like(text: &str, pattern: &str, case: Case) -> bool {
    let equal = |a: u8, b: u8| a == b || case == Case::Insensitive && a.eq_ignore_ascii_case(&b);
    let (text, pattern) = (text.as_bytes(), pattern.as_bytes());
    let (mut at, mut p) = (0, 0);
    // Where to go on if what follows the last `%` does not match: pattern behind it, text one further.
    let mut retry: Option<(usize, usize)> = None;
    while at < text.len() {
        let (literal, width) = match pattern.get(p) {
            Some(b'\\') if p + 1 < pattern.len() => (pattern.get(p + 1), 2),
            found => (found, 1),
        };
        match literal {
            Some(b'%') if width == 1 => {
                p += 1;
                retry = Some((p, at));
                continue;
            }
            Some(b'_') if width == 1 => {}
            Some(byte) if equal(*byte, text[at]) => {}
            _ => {
                let Some((behind, from)) = retry else { return false };
                (p, at) = (behind, from + 1);
                retry = Some((behind, at));
                continue;
            }
        }
        (p, at) = (p + width, at + 1);
    }
    pattern[p..].iter().all(|byte| *byte == b'%')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tcp(address: &str) -> Peer {
        Peer::tcp(address.parse().unwrap())
    }

    #[test]
    fn hosts_match_as_in_mysql() {
        for (peer, pattern, matches) in [
            (Peer::local(), "localhost", true),
            (Peer::local(), "LocalHost", true),
            (Peer::local(), "%", true),
            (Peer::local(), "", true),
            (Peer::local(), "127.0.0.1", false),
            (tcp("127.0.0.1"), "localhost", true),
            (tcp("127.0.0.1"), "127.0.0.1", true),
            (tcp("127.0.0.1"), "127.%", true),
            (tcp("::1"), "localhost", true),
            (tcp("::ffff:127.0.0.1"), "localhost", true),
            (tcp("127.0.0.2"), "localhost", false),
            (tcp("10.1.2.3"), "10.1.2.3", true),
            (tcp("10.1.2.3"), "10.%", true),
            (tcp("10.1.2.3"), "10.1.2._", true),
            (tcp("10.1.2.33"), "10.1.2._", false),
            (tcp("110.1.2.3"), "10.%", false),
            (tcp("10.1.2.3"), "10.0.0.0/8", true),
            (tcp("10.1.2.3"), "10.1.0.0/255.255.0.0", true),
            (tcp("10.2.2.3"), "10.1.0.0/16", false),
            (tcp("10.2.2.3"), "0.0.0.0/0", true),
            (Peer::local(), "0.0.0.0/0", false),
            (tcp("10.1.2.3"), "%.3", true),
            (tcp("10.1.2.3"), "%.2%.3%", true),
            (tcp("fe80::7"), "fe80::7", true),
            (tcp("fe80::7"), "fe80::%", true),
        ] {
            assert_eq!(peer.matches(pattern), matches, "{peer:?} {pattern}");
        }
    }

    #[test]
    fn the_more_exact_host_comes_first() {
        let hosts = ["10.1.2.3", "10.1.2.0/24", "10.0.0.0/8", "10.1.2.%", "10.%", "%", ""];
        assert!(hosts.is_sorted_by(|a, b| specificity(a) > specificity(b)));
    }

    #[test]
    fn patterns_match_as_like_does() {
        let like = |text, pattern| is_like(text, pattern, Case::Sensitive);
        assert!(like("abc", "a%c") && like("ac", "a%c") && like("aXcXc", "a%c"));
        assert!(!like("abd", "a%c") && !like("", "_") && like("", "%%"));
        assert!(like("a_b", "a\\_b") && !like("axb", "a\\_b"));
        assert!(!like("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "%a%a%a%a%a%a%a%a%c"));
        assert!(!like("ABC", "abc") && is_like("ABC", "abc", Case::Insensitive));
    }
}
