//! The key that passwords are sealed with where others can listen: RSA-OAEP with SHA-1, as MySQL's clients do it for
//! `caching_sha2_password`.

use std::sync::Arc;

use getrandom::SysRng;
use rsa::pkcs1::DecodeRsaPrivateKey as _;
use rsa::pkcs8::{DecodePrivateKey as _, EncodePrivateKey as _, EncodePublicKey as _, LineEnding};
use rsa::{PrivateKey, PublicKey, pkcs8};
use sha1::Sha1;
use zeroize::Zeroizing;

/// Bits of a key that is made here, as MySQL's.
const BITS: usize = 2048;

/// A private key, and the public one in PEM.
#[derive(Clone)]
pub struct PasswordKey {
    private: Arc<PrivateKey>,
    public_pem: Arc<str>,
}

impl PasswordKey {
    /// Makes one. Takes a tenth of a second, now and then several.
    pub fn generate() -> Result<Self, rsa::Error> {
        Self::new(PrivateKey::new(&mut SysRng, BITS)?)
    }

    /// That of a PEM without a passphrase: PKCS #8, or PKCS #1. MySQL's files end with a NUL.
    pub fn from_pem(pem: &str) -> Option<Self> {
        let pem = pem.trim_end_matches('\0');
        let private = PrivateKey::from_pkcs8_pem(pem).ok().or_else(|| PrivateKey::from_pkcs1_pem(pem).ok());
        Self::new(private?).ok()
    }

    fn new(private: PrivateKey) -> Result<Self, rsa::Error> {
        let public_pem =
            PublicKey::from(&private).to_public_key_pem(LineEnding::LF).map_err(pkcs8::Error::from)?;
        Ok(Self { private: Arc::new(private), public_pem: public_pem.into() })
    }

    /// The public key: a SubjectPublicKeyInfo in PEM.
    pub fn public_pem(&self) -> &Arc<str> {
        &self.public_pem
    }

    /// The private key: PKCS #8 in PEM.
    pub fn private_pem(&self) -> Result<Zeroizing<String>, rsa::Error> {
        Ok(self.private.to_pkcs8_pem(LineEnding::LF)?)
    }

    /// Takes milliseconds, whose number says nothing of the key: it is blinded.
    pub fn unseal(&self, bytes: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        self.private.oaep_decrypt_with_rng::<Sha1, _>(&mut SysRng, bytes).ok().map(Zeroizing::new)
    }
}

impl std::fmt::Debug for PasswordKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PasswordKey")
    }
}
