//! The key that passwords are sealed with: found, made or named, and always whole.
//!
//! As MySQL: `caching_sha2_password_private_key_path` and `.._public_key_path` are looked for in the data directory, and made
//! there if neither is there and nobody has named them. Other than MySQL, files that are there and wrong stop the start, as
//! those of a certificate do, and the public key's file is not needed: it is for clients that bring it with them.
//!
//! **Durability:** both files lie whole under other names before one of them gets its own, the public key first. Without
//! the private one's file what is there was half made, and is made anew.

use std::path::Path;

use vfs::{Open, Vfs};

use super::StartError;
use super::data_dir::{at, read, stage};
use crate::net::PasswordKey;
use crate::variables::Values;

/// What a key is called that nobody has named.
const PRIVATE: &str = "private_key.pem";
const PUBLIC: &str = "public_key.pem";

/// The key by the files that `values` name; none if there is none, and none is to be made.
pub(super) fn offer(vfs: &dyn Vfs, dir: &Path, values: &Values) -> Result<Option<PasswordKey>, StartError> {
    let [private, public] = ["private", "public"].map(|which| {
        let name = format!("caching_sha2_password_{which}_key_path");
        values.get(&name).as_text().to_owned()
    });
    let there = |name: &str| {
        let path = dir.join(name);
        vfs.exists(&path).map_err(at(&path))
    };
    let wrong = |name: &str, what: &str| StartError::File {
        path: dir.join(name),
        what: format!(
            "{what}; put the right file there, or remove {PRIVATE} and {PUBLIC}, name no others, and start with \
             --caching-sha2-password-auto-generate-rsa-keys=OFF for a server without them"
        ),
    };
    if !there(&private)? {
        let is_half_made = there(&unborn(PRIVATE))?;
        if (private.as_str(), public.as_str()) != (PRIVATE, PUBLIC) || there(PUBLIC)? && !is_half_made {
            return Err(wrong(&private, "the private key of passwords is missing"));
        }
        if !values.get("caching_sha2_password_auto_generate_rsa_keys").is_on() {
            return Ok(None);
        }
        return make(vfs, dir).map(Some);
    }
    let text = |name: &str| read(vfs, &dir.join(name)).map_err(|error| wrong(name, &error.to_string()));
    let key = PasswordKey::from_pem(&text(&private)?);
    let key =
        key.ok_or_else(|| wrong(&private, "it holds no private RSA key in PEM without a passphrase"))?;
    let is_blank = |char: char| char.is_whitespace() || char == '\0';
    // A key that is named has nothing to do with what lies in the data directory.
    let belong_together = private == PRIVATE || public != PUBLIC;
    if belong_together && there(&public)? && text(&public)?.trim_matches(is_blank) != key.public_pem().trim()
    {
        return Err(wrong(&public, &format!("it is not the public key of {private}")));
    }
    Ok(Some(key))
}

fn unborn(name: &str) -> String {
    format!("{name}.new")
}

fn make(vfs: &dyn Vfs, dir: &Path) -> Result<PasswordKey, StartError> {
    let failed = |error: rsa::Error| StartError::Option(format!("the key of passwords: {error}"));
    let key = PasswordKey::generate().map_err(failed)?;
    let private = key.private_pem().map_err(failed)?;
    let files = [
        (PUBLIC, Open::Create, key.public_pem().as_bytes()),
        (PRIVATE, Open::CreatePrivate, private.as_bytes()),
    ];
    // The private one first: where it lies, the other may be replaced.
    for (name, how, pem) in files.iter().rev() {
        let path = dir.join(unborn(name));
        stage(vfs, &path, *how, pem).map_err(at(&path))?;
        vfs.sync_dir(dir).map_err(at(dir))?;
    }
    for (name, ..) in files {
        let path = dir.join(name);
        vfs.rename(&dir.join(unborn(name)), &path).map_err(at(&path))?;
        vfs.sync_dir(dir).map_err(at(dir))?;
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vfs::sim::SimDisk;

    use super::*;
    use crate::variables::Val;

    const DIR: &str = "/data";

    fn world(files: &[(&str, &str)]) -> Arc<dyn Vfs> {
        let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
        vfs.create_dir_all(Path::new(DIR)).unwrap();
        for (name, text) in files {
            stage(&*vfs, &Path::new(DIR).join(name), Open::Create, text.as_bytes()).unwrap();
        }
        vfs
    }

    fn files(vfs: &dyn Vfs) -> [String; 2] {
        [PRIVATE, PUBLIC].map(|name| read(vfs, &Path::new(DIR).join(name)).unwrap())
    }

    fn error(files: &[(&str, &str)], values: &Values) -> String {
        offer(&*world(files), Path::new(DIR), values).unwrap_err().to_string()
    }

    #[test]
    fn a_key_is_made_once_and_what_was_half_made_is_made_anew() {
        let values = Values::default();
        let vfs = world(&[("private_key.pem.new", "half"), (PUBLIC, "half")]);
        let made = offer(&*vfs, Path::new(DIR), &values).unwrap().unwrap();
        let [private, public] = files(&*vfs);
        assert_eq!(
            (private.as_str(), public.as_str()),
            (&**made.private_pem().unwrap(), &**made.public_pem())
        );
        let found = offer(&*vfs, Path::new(DIR), &values).unwrap().unwrap();
        assert_eq!(found.public_pem(), made.public_pem());
        assert_eq!(files(&*vfs), [private.clone(), public]);
        let [mysqls, its_public] = [&private, &found.public_pem().to_string()].map(|pem| format!("{pem}\0"));
        let mysqls =
            offer(&*world(&[(PRIVATE, &mysqls), (PUBLIC, &its_public)]), Path::new(DIR), &values).unwrap();
        assert_eq!(mysqls.unwrap().public_pem(), made.public_pem());
        let alone = offer(&*world(&[(PRIVATE, &private)]), Path::new(DIR), &values).unwrap().unwrap();
        assert_eq!(alone.public_pem(), made.public_pem());
    }

    #[test]
    fn files_that_are_wrong_stop_the_start() {
        let mut values = Values::default();
        assert!(error(&[(PUBLIC, "x")], &values).starts_with("/data/private_key.pem: the private key"));
        assert!(error(&[(PRIVATE, "x")], &values).contains("no private RSA key in PEM"));
        let key = PasswordKey::generate().unwrap().private_pem().unwrap();
        assert!(
            error(&[(PRIVATE, &key), (PUBLIC, "x")], &values).contains("is not the public key of private")
        );
        values.put("caching_sha2_password_private_key_path", Val::text("mine.pem"));
        assert!(error(&[], &values).starts_with("/data/mine.pem: the private key"));
    }

    #[test]
    fn nothing_is_made_by_who_may_not() {
        let mut values = Values::default();
        values.put("caching_sha2_password_auto_generate_rsa_keys", Val::Bool(false));
        let vfs = world(&[]);
        assert!(offer(&*vfs, Path::new(DIR), &values).unwrap().is_none());
        assert!(vfs.list(Path::new(DIR)).unwrap().is_empty());
    }
}
