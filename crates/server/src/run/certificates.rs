//! The server's certificate: found, made or named, and always whole.
//!
//! As MySQL: without `ssl_ca`, `ssl_cert` and `ssl_key` it is looked for in the data directory, and made there if nothing
//! of it is there. Keys can be read by their owner alone. Other than MySQL, a file that is named or found and that is wrong
//! stops the start: a server that its administrator believes to be encrypted is not served in clear.
//!
//! **Durability:** the new files lie whole under other names before one of them gets its own, and the server's certificate
//! gets it last. Where that one still has the other name, the rest is made anew.

use std::path::Path;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use vfs::{Open, Vfs};

use super::StartError;
use super::data_dir::{at, read, stage};
use crate::net::Tls;
use crate::variables::{Val, Values};

/// Years that a certificate is good for.
const YEARS: i64 = 10;

/// What the files are called that nobody has named: variable, file.
const FILES: [(&str, &str); 3] =
    [("ssl_ca", "ca.pem"), ("ssl_cert", "server-cert.pem"), ("ssl_key", "server-key.pem")];

/// The file that gets its name last.
const LAST: &str = "server-cert.pem";

/// What the server offers, if it `has_tls`: by the files that `values` name, which are told what was found or made.
pub(super) fn offer(
    vfs: &dyn Vfs,
    dir: &Path,
    has_tls: bool,
    values: &mut Values,
) -> Result<Option<Tls>, StartError> {
    let tls = if has_tls { find(vfs, dir, values)? } else { None };
    let have = if tls.is_some() { "YES" } else { "DISABLED" };
    for name in ["have_ssl", "have_openssl"] {
        values.put(name, Val::text(have));
    }
    Ok(tls)
}

fn find(vfs: &dyn Vfs, dir: &Path, values: &mut Values) -> Result<Option<Tls>, StartError> {
    if FILES.iter().all(|(name, _)| values.get(name).as_text().is_empty()) {
        let there = |name: &str| {
            let path = dir.join(name);
            vfs.exists(&path).map_err(at(&path))
        };
        let is_half_made = there(&unborn(LAST))? && !there(LAST)?;
        let mut is_there = false;
        for (_, name) in FILES {
            is_there |= there(name)?;
        }
        if is_half_made || !is_there {
            if !values.get("auto_generate_certs").is_on() {
                return Ok(None);
            }
            make(vfs, dir, values)?;
        }
        for (variable, name) in FILES {
            values.put(variable, Val::text(name));
        }
    }
    load(vfs, dir, values).map(Some)
}

/// Reads the files.
fn load(vfs: &dyn Vfs, dir: &Path, values: &Values) -> Result<Tls, StartError> {
    let [ca, cert, key] = FILES.map(|(variable, _)| values.get(variable).as_text());
    for (variable, name) in [("ssl_cert", cert), ("ssl_key", key)] {
        if name.is_empty() {
            let what = format!("{variable} is not set; ssl_cert and ssl_key belong together");
            return Err(StartError::Option(what));
        }
    }
    let wrong = |name: &str, what: &str| StartError::File {
        path: dir.join(name),
        what: format!("{what}; put the right file there, or start with --skip-ssl for a server without TLS"),
    };
    let text = |name: &str| read(vfs, &dir.join(name)).map_err(|error| wrong(name, &error.to_string()));
    let certificates = |name: &str| {
        let text = text(name)?;
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text.as_bytes()).collect();
        chain
            .ok()
            .filter(|chain| !chain.is_empty())
            .ok_or_else(|| wrong(name, "it holds no certificate in PEM"))
    };
    // Clients' certificates are not asked for: it only has to be one.
    if !ca.is_empty() {
        certificates(ca)?;
    }
    let private = PrivateKeyDer::from_pem_slice(text(key)?.as_bytes());
    let private = private.map_err(|_| wrong(key, "it holds no private key in PEM without a passphrase"))?;
    Tls::new(certificates(cert)?, private)
        .map_err(|error| wrong(cert, &format!("it does not serve with the key of {key}: {error}")))
}

fn unborn(name: &str) -> String {
    format!("{name}.new")
}

/// Makes an authority and a certificate of it.
fn make(vfs: &dyn Vfs, dir: &Path, values: &Values) -> Result<(), StartError> {
    let made = pems(values.get("version").as_text(), values.get("hostname").as_text());
    let [server_cert, rest @ ..] =
        made.map_err(|error| StartError::Option(format!("certificates: {error}")))?;
    let rename = |name: &str| {
        let path = dir.join(name);
        vfs.rename(&dir.join(unborn(name)), &path).map_err(at(&path))
    };
    for (name, how, pem) in std::iter::once(&server_cert).chain(&rest) {
        let path = dir.join(unborn(name));
        stage(vfs, &path, *how, pem.as_bytes()).map_err(at(&path))?;
    }
    vfs.sync_dir(dir).map_err(at(dir))?;
    for (name, ..) in rest {
        rename(name)?;
    }
    vfs.sync_dir(dir).map_err(at(dir))?;
    rename(LAST)?;
    vfs.sync_dir(dir).map_err(at(dir))?;
    tracing::info!("made ca.pem and server-cert.pem, for clients to check this server by");
    Ok(())
}

/// A file: its name, how it is created, and what it holds.
type Pem = (&'static str, Open, String);

/// The files, the server's certificate first.
fn pems(version: &str, host: &str) -> Result<[Pem; 4], rcgen::Error> {
    let named = |what: &str, names: Vec<String>| {
        let mut params = CertificateParams::new(names)?;
        let name = format!("onelog_{version}_Auto_Generated_{what}_Certificate");
        // A common name has 64 characters at most.
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name.chars().take(64).collect::<String>());
        let today = today();
        let until = today.checked_add(YEARS.years()).expect("ten years after today");
        let [not_before, not_after] = [today, until].map(|date| {
            let [month, day] = [date.month(), date.day()].map(i8::unsigned_abs);
            rcgen::date_time_ymd(date.year().into(), month, day)
        });
        (params.not_before, params.not_after) = (not_before, not_after);
        Ok::<_, rcgen::Error>(params)
    };
    let mut ca = named("CA", Vec::new())?;
    ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    ca.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let ca_key = KeyPair::generate()?;
    let ca_pem = ca.self_signed(&ca_key)?.pem();
    let ca_key_pem = ca_key.serialize_pem();
    let issuer = Issuer::new(ca, ca_key);
    let names = ["localhost", "127.0.0.1", "::1", host].into_iter().filter(|name| is_name(name));
    let mut server = named("Server", names.map(str::to_owned).collect())?;
    server.use_authority_key_identifier_extension = true;
    server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let server_key = KeyPair::generate()?;
    let server_pem = server.signed_by(&server_key, &issuer)?.pem();
    Ok([
        (LAST, Open::Create, server_pem),
        ("server-key.pem", Open::CreatePrivate, server_key.serialize_pem()),
        ("ca-key.pem", Open::CreatePrivate, ca_key_pem),
        ("ca.pem", Open::Create, ca_pem),
    ])
}

/// Whether a certificate can name a machine so.
fn is_name(host: &str) -> bool {
    !host.is_empty() && host.is_ascii()
}

fn today() -> Date {
    let now_s = i64::try_from(crate::clock::unix_s()).unwrap_or(0);
    Timestamp::from_second(now_s).unwrap_or_default().to_zoned(TimeZone::UTC).date()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vfs::sim::SimDisk;

    use super::*;

    #[test]
    fn what_was_half_made_is_made_anew_and_what_others_put_there_is_not() {
        let dir = Path::new("/data");
        for (is_ours, files) in [(true, &["server-cert.pem.new", "ca.pem"][..]), (false, &["ca.pem"])] {
            let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
            vfs.create_dir_all(dir).unwrap();
            for name in files {
                stage(&*vfs, &dir.join(name), Open::Create, b"half").unwrap();
            }
            let mut values = Values::default();
            assert_eq!(offer(&*vfs, dir, true, &mut values).is_ok(), is_ours);
            assert_eq!(read(&*vfs, &dir.join("ca.pem")).unwrap() == "half", !is_ours);
        }
    }

    #[test]
    fn nothing_is_made_by_who_may_not() {
        let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
        vfs.create_dir_all(Path::new("/data")).unwrap();
        let mut values = Values::default();
        values.put("auto_generate_certs", Val::Bool(false));
        assert!(offer(&*vfs, Path::new("/data"), true, &mut values).unwrap().is_none());
        assert!(vfs.list(Path::new("/data")).unwrap().is_empty());
        assert_eq!(values.get("ssl_cert").as_text(), "");
    }
}
