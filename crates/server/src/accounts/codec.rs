//! How an account lies in the catalog, where its bytes mean nothing to anybody else.
//!
//! The key is [`Name::key`]. Numbers are little-endian, a text is its length (2 bytes) and its bytes.
//!
//! | bytes | field |
//! | --- | --- |
//! | 1 | format version, 1 |
//! | 1 | flags: 1 locked, 2 TLS is required |
//! | 1 | plugin: 0 `caching_sha2_password`, 1 `mysql_native_password` |
//! | text | authentication string, empty for no password |
//! | 8 | when the password was changed, seconds since 1970 |
//! | 8 | global privileges |
//! | 8 | dynamic privileges |
//! | 8 | those of them that it may give to others |
//! | 2 | count of databases; each: pattern (text), privileges (8) |
//! | 2 | count of tables; each: database (text), table (text), privileges (8) |
//!
//! Bits of privileges are those of [`Privileges`] and [`Dynamic`], bit 30 of the former GRANT OPTION.

use protocol::auth::{Plugin, Verifier};

use super::account::{Account, Name};
use super::privilege::{Dynamic, Privileges};

const VERSION: u8 = 1;
const LOCKED: u8 = 1;
const REQUIRES_TLS: u8 = 2;

/// The most databases, and the most tables, that an account can have privileges on.
pub(super) const GRANTS_MAX: usize = u16::MAX as usize;

/// The account's bytes.
///
/// # Panics
/// If it has more than [`GRANTS_MAX`] grants; statements keep it below.
pub fn encode(account: &Account) -> Vec<u8> {
    let plugin = match account.verifier.plugin() {
        Plugin::CachingSha2 => 0,
        Plugin::Native => 1,
    };
    let flag = |set: bool, flag: u8| if set { flag } else { 0 };
    let flags = flag(account.is_locked, LOCKED) | flag(account.requires_tls, REQUIRES_TLS);
    let mut out = vec![VERSION, flags, plugin];
    put_text(&mut out, &account.verifier.authentication_string());
    for number in [
        account.password_changed_s,
        account.global.bits(),
        account.dynamic.bits(),
        account.dynamic_grantable.bits(),
    ] {
        out.extend(number.to_le_bytes());
    }
    put_count(&mut out, account.databases.len());
    for (pattern, privileges) in &account.databases {
        put_text(&mut out, pattern);
        out.extend(privileges.bits().to_le_bytes());
    }
    put_count(&mut out, account.tables.len());
    for ((database, table), privileges) in &account.tables {
        put_text(&mut out, database);
        put_text(&mut out, table);
        out.extend(privileges.bits().to_le_bytes());
    }
    out
}

/// The account of a key and its bytes; `None` if they are none, or of a version that this server does not know.
pub fn decode(key: &str, bytes: &[u8]) -> Option<Account> {
    let name = Name::from_key(key)?;
    let mut input = Input(bytes);
    let [VERSION, flags, plugin] = input.array()? else { return None };
    let plugin = match plugin {
        0 => Plugin::CachingSha2,
        1 => Plugin::Native,
        _ => return None,
    };
    let verifier = Verifier::parse(plugin, input.text()?.as_bytes())?;
    let mut account = Account::new(name, verifier);
    account.is_locked = flags & LOCKED != 0;
    account.requires_tls = flags & REQUIRES_TLS != 0;
    account.password_changed_s = input.number()?;
    account.global = Privileges::from_bits(input.number()?);
    account.dynamic = Dynamic::from_bits(input.number()?);
    account.dynamic_grantable = Dynamic::from_bits(input.number()?);
    for _ in 0..input.count()? {
        account.databases.insert(input.text()?.to_owned(), Privileges::from_bits(input.number()?));
    }
    for _ in 0..input.count()? {
        let place = (input.text()?.to_owned(), input.text()?.to_owned());
        account.tables.insert(place, Privileges::from_bits(input.number()?));
    }
    input.0.is_empty().then_some(account)
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_count(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

fn put_count(out: &mut Vec<u8>, count: usize) {
    out.extend(u16::try_from(count).expect("names and lists are below 64 Ki").to_le_bytes());
}

/// A checked cursor.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }

    fn count(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn number(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn text(&mut self) -> Option<&'a str> {
        let size = self.count()?;
        let (bytes, rest) = self.0.split_at_checked(size.into())?;
        self.0 = rest;
        std::str::from_utf8(bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use protocol::auth::NativeHash;

    use super::*;

    fn account() -> Account {
        let verifier = Verifier::Native(NativeHash::of_password(b"x"));
        let mut account = Account::new(Name::new("app", "10.%"), verifier);
        (account.is_locked, account.requires_tls) = (true, true);
        account.password_changed_s = 0x0102_0304;
        account.global = Privileges::SELECT.union(Privileges::GRANT_OPTION);
        account.dynamic = Dynamic::from_name("BINLOG_ADMIN").unwrap();
        account.databases.insert("d%".into(), Privileges::INSERT);
        account.tables.insert(("d".into(), "t".into()), Privileges::UPDATE);
        account
    }

    #[test]
    fn the_bytes_are_those_of_the_table() {
        let golden = [
            &[1, 3, 1, 41, 0][..],
            b"*B69027D44F6E5EDC07F1AEAD1477967B16F28227",
            &[4, 3, 2, 1, 0, 0, 0, 0],
            &[1, 0, 0, 0x40, 0, 0, 0, 0],
            &[0x20, 0, 0, 0, 0, 0, 0, 0],
            &[0; 8],
            &[1, 0, 2, 0],
            b"d%",
            &[2, 0, 0, 0, 0, 0, 0, 0],
            &[1, 0, 1, 0],
            b"d",
            &[1, 0],
            b"t",
            &[4, 0, 0, 0, 0, 0, 0, 0],
        ];
        assert_eq!(encode(&account()), golden.concat());
    }

    #[test]
    fn accounts_round_trip_and_every_cut_is_refused() {
        for account in [account(), Account::root()] {
            let bytes = encode(&account);
            assert_eq!(decode(&account.name.key(), &bytes).unwrap(), account);
            for size in 0..bytes.len() {
                assert_eq!(decode("a\0b", &bytes[..size]), None, "{size} bytes");
            }
        }
    }

    proptest! {
        #[test]
        fn decoding_any_bytes_ends_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode("a\0b", &bytes);
            let _ = decode("a\0b", &[&[VERSION, 0, 0], &bytes[..]].concat());
        }
    }
}
