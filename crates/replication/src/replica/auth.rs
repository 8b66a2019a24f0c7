//! A client's login: the greeting, the response, and both authentication plugins.
//!
//! Source of the formats: MySQL's manual, "Connection Phase", and "Caching_sha2_password information".
#![deny(clippy::indexing_slicing)]

use getrandom::SysRng;
use rsa::PublicKey;
use rsa::pkcs8::DecodePublicKey as _;
use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::packets::{Packets, refusal};
use super::{Settings, SourceError, SourceTls};

type Result<T> = std::result::Result<T, SourceError>;

const NATIVE: &str = "mysql_native_password";
const CACHING_SHA2: &str = "caching_sha2_password";

/// LONG_PASSWORD, LONG_FLAG, PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION, PLUGIN_AUTH.
const CAPABILITIES: u32 = 0x0001 | 0x0004 | 0x0200 | 0x2000 | 0x8000 | 0x0008_0000;
/// SSL: the rest is said under TLS.
const SSL: u32 = 0x0800;
/// `utf8mb4_general_ci`
const COLLATION: u8 = 45;

/// What a server says first.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Greeting {
    pub(super) version: String,
    nonce: Vec<u8>,
    plugin: String,
    has_tls: bool,
}

impl Greeting {
    fn decode(packet: &[u8]) -> Option<Self> {
        let rest = packet.strip_prefix(&[10])?;
        let (version, rest) = zero_ended(rest)?;
        // Connection id, first part of the nonce, filler, capabilities, collation, status, capabilities, size, reserved.
        let (front, rest) = rest.split_at_checked(4 + 8 + 1 + 2 + 1 + 2 + 2 + 1 + 10)?;
        let [low, high] = *front.get(13..15)?.first_chunk()?;
        let has_tls = u32::from(u16::from_le_bytes([low, high])) & SSL != 0;
        let size = usize::from(*front.get(20)?).max(21) - 8;
        let (back, rest) = rest.split_at_checked(size.min(rest.len()))?;
        let nonce = [front.get(4..12)?, back.strip_suffix(&[0]).unwrap_or(back)].concat();
        let plugin = zero_ended(rest).map_or(NATIVE.to_owned(), |(plugin, _)| plugin);
        Some(Self { version, nonce, plugin, has_tls })
    }
}

/// What the source says first.
pub(super) async fn greet(packets: &mut Packets) -> Result<Greeting> {
    let packet = packets.next().await?;
    if packet.first() == Some(&0xff) {
        return Err(refusal(&packet));
    }
    Greeting::decode(&packet).ok_or_else(|| SourceError::malformed("the greeting"))
}

/// Goes on under TLS.
pub(super) async fn secure(
    mut packets: Packets,
    greeting: &Greeting,
    tls: &SourceTls,
    host: &str,
) -> Result<Packets> {
    if !greeting.has_tls {
        return Err(SourceError::no_tls("SSL is required, but the server does not support it"));
    }
    packets.send(&head(true)).await?;
    packets.secured(tls, host).await
}

/// Logs in.
pub(super) async fn log_in(
    packets: &mut Packets,
    mut greeting: Greeting,
    settings: &Settings,
) -> Result<Greeting> {
    let password = settings.password.as_bytes();
    let response = scramble(&greeting.plugin, &greeting.nonce, password).unwrap_or_default();
    let login = login(settings, packets.is_secure(), &greeting.plugin, &response);
    packets.send(&login).await?;
    loop {
        let packet = packets.next().await?;
        match packet.split_first() {
            Some((0, _)) => return Ok(greeting),
            Some((0xff, _)) => return Err(refusal(&packet)),
            Some((0xfe, switch)) => {
                let (plugin, nonce) = zero_ended(switch).ok_or_else(|| SourceError::malformed("a plugin"))?;
                let unknown = || {
                    SourceError::Unfit(format!(
                        "the source asks for the authentication plugin {plugin}, which this server does not know"
                    ))
                };
                greeting.nonce = nonce.strip_suffix(&[0]).unwrap_or(nonce).to_vec();
                let response = scramble(&plugin, &greeting.nonce, password).ok_or_else(unknown)?;
                packets.send(&response).await?;
            }
            // The password's digest is in the source's cache: OK follows.
            Some((1, [3])) => {}
            Some((1, [4])) => show_password(packets, settings, &greeting.nonce).await?,
            _ => return Err(SourceError::malformed("an answer to the login")),
        }
    }
}

/// The source has no digest in its cache: it wants the password itself, under TLS as it is, else encrypted with its key.
async fn show_password(packets: &mut Packets, settings: &Settings, nonce: &[u8]) -> Result<()> {
    let mut secret = [settings.password.as_bytes(), &[0]].concat();
    if packets.is_secure() {
        return packets.send(&secret).await;
    }
    if !settings.get_public_key {
        return Err(SourceError::Refused {
            code: 2061,
            message: "Authentication plugin 'caching_sha2_password' reported error: Authentication requires secure \
                      connection. Use GET_SOURCE_PUBLIC_KEY=1"
                .to_owned(),
        });
    }
    packets.send(&[2]).await?;
    let key = packets.next().await?;
    secret.iter_mut().zip(nonce.iter().cycle()).for_each(|(byte, mask)| *byte ^= mask);
    let sealed = seal(&key, &secret).ok_or_else(|| SourceError::malformed("the public key"))?;
    packets.send(&sealed).await
}

/// Encrypts with the key that a source has sent: RSA-OAEP with SHA-1, as MySQL's servers want it.
fn seal(packet: &[u8], secret: &[u8]) -> Option<Vec<u8>> {
    let pem = std::str::from_utf8(packet.strip_prefix(&[1])?).ok()?;
    let key = PublicKey::from_public_key_pem(pem.trim_end_matches('\0')).ok()?;
    key.oaep_encrypt_with_rng::<Sha1, _>(&mut SysRng, secret).ok()
}

/// What a login begins with, and a request for TLS is.
fn head(has_tls: bool) -> Vec<u8> {
    let capabilities = if has_tls { CAPABILITIES | SSL } else { CAPABILITIES };
    let mut out = capabilities.to_le_bytes().to_vec();
    out.extend((1_u32 << 30).to_le_bytes());
    out.push(COLLATION);
    out.extend([0; 23]);
    out
}

fn login(settings: &Settings, has_tls: bool, plugin: &str, response: &[u8]) -> Vec<u8> {
    let mut out = head(has_tls);
    out.extend_from_slice(settings.user.as_bytes());
    out.push(0);
    out.push(u8::try_from(response.len()).unwrap_or(0));
    out.extend_from_slice(response);
    out.extend_from_slice(plugin.as_bytes());
    out.push(0);
    out
}

/// What proves the password to a plugin; `None` for a plugin that is not known.
fn scramble(plugin: &str, nonce: &[u8], password: &[u8]) -> Option<Vec<u8>> {
    let xor = |a: &[u8], b: &[u8]| a.iter().zip(b).map(|(a, b)| a ^ b).collect();
    match plugin {
        NATIVE | CACHING_SHA2 if password.is_empty() => Some(Vec::new()),
        NATIVE => {
            let once = Sha1::digest(password);
            let twice = Sha1::digest(once);
            let mask = Sha1::new().chain_update(nonce).chain_update(twice).finalize();
            Some(xor(&once, &mask))
        }
        CACHING_SHA2 => {
            let once = Sha256::digest(password);
            let twice = Sha256::digest(once);
            let mask = Sha256::new().chain_update(twice).chain_update(nonce).finalize();
            Some(xor(&once, &mask))
        }
        _ => None,
    }
}

fn zero_ended(bytes: &[u8]) -> Option<(String, &[u8])> {
    let end = bytes.iter().position(|byte| *byte == 0)?;
    let (text, rest) = bytes.split_at_checked(end)?;
    Some((String::from_utf8_lossy(text).into_owned(), rest.get(1..)?))
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test fails where it is wrong")]
mod tests {
    use protocol::auth::{FastDigest, NativeHash, Nonce};
    use rsa::PrivateKey;
    use rsa::pkcs8::{EncodePublicKey as _, LineEnding};

    use super::*;

    #[test]
    fn scrambles_are_what_servers_expect() {
        let nonce = Nonce::from_random([9; 20]);
        let native = scramble(NATIVE, nonce.bytes(), b"secret").unwrap();
        assert!(NativeHash::of_password(b"secret").verify(&nonce, &native));
        let sha2 = scramble(CACHING_SHA2, nonce.bytes(), b"secret").unwrap();
        assert!(FastDigest::of_password(b"secret").verify(&nonce, &sha2));
        assert_eq!(scramble(NATIVE, b"", b""), Some(Vec::new()));
        assert_eq!(scramble("sha256_password", b"", b"x"), None);
    }

    #[test]
    fn what_is_sealed_is_the_sources_to_read() {
        let key = PrivateKey::new(&mut SysRng, 1024).unwrap();
        let pem = PublicKey::from(&key).to_public_key_pem(LineEnding::LF).unwrap();
        for end in ["", "\0"] {
            let sealed = seal(format!("\x01{pem}{end}").as_bytes(), b"secret\0").unwrap();
            assert_eq!(key.oaep_decrypt::<Sha1>(&sealed).unwrap(), b"secret\0");
        }
        let no_mark = pem.as_bytes();
        let cut = format!("\x01{}", &pem[..pem.len() / 2]);
        for packet in [&b""[..], b"\x01", b"\x01!!", no_mark, cut.as_bytes(), b"\x01\xff"] {
            assert_eq!(seal(packet, b"x"), None, "{packet:?}");
        }
    }

    #[test]
    fn every_cut_of_a_greeting_is_refused_or_read() {
        let mut packet = b"\x0a9.7.4\0\x08\0\0\0abcdefgh\0\xff\xff\xff\x02\0\xff\xff\x15".to_vec();
        packet.extend([0; 10]);
        packet.extend(b"ijklmnopqrst\0caching_sha2_password\0");
        let greeting = Greeting::decode(&packet).unwrap();
        assert_eq!(greeting.nonce, b"abcdefghijklmnopqrst");
        assert_eq!((&*greeting.version, &*greeting.plugin), ("9.7.4", CACHING_SHA2));
        assert!(greeting.has_tls);
        for size in 0..packet.len() {
            let _ = Greeting::decode(&packet[..size]);
        }
    }
}
