//! TLS to a source, as MySQL's replicas use it.
//!
//! | SOURCE_SSL_CA | SOURCE_SSL_VERIFY_SERVER_CERT | what the source has to show |
//! | --- | --- | --- |
//! | not named | 0 | any certificate: the connection is encrypted, and the source may be anybody |
//! | named | 0 | a certificate of this authority |
//! | named | 1 | one that names SOURCE_HOST besides |
//! | not named | 1 | nothing will do: there is nothing to check it by |

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::version::{TLS12, TLS13};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// What a replica has for TLS: see the module.
#[derive(Clone, Debug)]
pub struct SourceTls(pub(super) Arc<ClientConfig>);

/// PEM files, read.
#[derive(Debug, Default)]
pub struct Pems {
    /// SOURCE_SSL_CA: certificates of authorities.
    pub ca: Option<Vec<u8>>,
    /// SOURCE_SSL_CERT and SOURCE_SSL_KEY: this server's certificate, for sources that ask for one.
    pub own: Option<(Vec<u8>, Vec<u8>)>,
}

impl SourceTls {
    /// That of these files. An error says what is wrong with which of them.
    pub fn new(pems: &Pems, checks_host: bool) -> Result<Self, String> {
        let provider = Arc::new(ring::default_provider());
        let authority = match &pems.ca {
            Some(pem) => Some(authority(pem, &provider)?),
            None if checks_host => {
                return Err("SOURCE_SSL_VERIFY_SERVER_CERT = 1 needs SOURCE_SSL_CA".to_owned());
            }
            None => None,
        };
        let check = Check { authority, checks_host, provider: Arc::clone(&provider) };
        let builder = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS12, &TLS13])
            .map_err(|error| error.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(check));
        let config = match &pems.own {
            None => builder.with_no_client_auth(),
            Some((chain, key)) => {
                let key = PrivateKeyDer::from_pem_slice(key)
                    .map_err(|_| "SOURCE_SSL_KEY holds no private key in PEM without a passphrase")?;
                builder
                    .with_client_auth_cert(certificates(chain, "SOURCE_SSL_CERT")?, key)
                    .map_err(|error| format!("SOURCE_SSL_CERT and SOURCE_SSL_KEY: {error}"))?
            }
        };
        Ok(Self(Arc::new(config)))
    }
}

fn certificates(pem: &[u8], option: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let chain = chain.ok().filter(|chain| !chain.is_empty());
    chain.ok_or_else(|| format!("{option} holds no certificate in PEM"))
}

fn authority(pem: &[u8], provider: &Arc<CryptoProvider>) -> Result<Arc<WebPkiServerVerifier>, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("SOURCE_SSL_CA: {error}");
    let mut roots = RootCertStore::empty();
    for certificate in certificates(pem, "SOURCE_SSL_CA")? {
        roots.add(certificate).map_err(|error| wrong(&error))?;
    }
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
    verifier.build().map_err(|error| wrong(&error))
}

/// What a source's certificate is checked for.
#[derive(Debug)]
struct Check {
    authority: Option<Arc<WebPkiServerVerifier>>,
    checks_host: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Check {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        host: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(authority) = &self.authority else { return Ok(ServerCertVerified::assertion()) };
        match authority.verify_server_cert(own, others, host, ocsp, now) {
            // The name is looked at behind everything else.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.checks_host => Ok(ServerCertVerified::assertion()),
            checked => checked,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        own: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, own, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        own: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, own, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
