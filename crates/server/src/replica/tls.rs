//! The files that CHANGE REPLICATION SOURCE TO names for TLS. They are read at each connection: new ones need no statement.

use std::path::{Path, PathBuf};

use replication::replica::{Pems, SourceError, SourceTls, TlsSettings};

use crate::session::Shared;

/// What TLS to the source needs, if it is wanted.
pub(super) fn load(shared: &Shared, settings: &TlsSettings) -> Result<Option<SourceTls>, SourceError> {
    if !settings.enabled {
        return Ok(None);
    }
    let dir = PathBuf::from(shared.variables.values().get("datadir").as_text());
    let read = |option: &str, name: &str| read(shared, &dir.join(name), option);
    let mut pems = Pems::default();
    if !settings.ca.is_empty() {
        pems.ca = Some(read("SOURCE_SSL_CA", &settings.ca)?);
    }
    match (&*settings.cert, &*settings.key) {
        ("", "") => {}
        ("", _) | (_, "") => {
            return Err(SourceError::no_tls("SOURCE_SSL_CERT and SOURCE_SSL_KEY belong together"));
        }
        (cert, key) => pems.own = Some((read("SOURCE_SSL_CERT", cert)?, read("SOURCE_SSL_KEY", key)?)),
    }
    SourceTls::new(&pems, settings.checks_host).map(Some).map_err(|what| SourceError::no_tls(&what))
}

fn read(shared: &Shared, path: &Path, option: &str) -> Result<Vec<u8>, SourceError> {
    let text = crate::run::read_text(&*shared.vfs, path);
    let text =
        text.map_err(|error| SourceError::no_tls(&format!("{option}: {}: {error}", path.display())))?;
    Ok(text.into_bytes())
}
