//! Purpose: who knows the password gets in without TLS, too, and nobody who listens learns it.
//!
//! Requirements: R1. a first login of `caching_sha2_password` over TCP, and COM_CHANGE_USER, by the server's public key; R2.
//! wrong passwords and unknown users are one; R3. the key survives restarts, is shown, and is kept where clients find it;
//! R4. a key that somebody names is used, in both formats that OpenSSL writes; R5. without a key nobody is asked.
//!
//! Method: whole servers on simulated disks; a client with another project's RSA.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rsa::PrivateKey;
use rsa::pkcs1::EncodeRsaPrivateKey;
use rsa::pkcs8::LineEnding;
use vfs::sim::SimDisk;
use vfs::{Open, Vfs};

use crate::client::{Client, Failure, Login};
use crate::whole::{World, ok};

const MAKES_KEYS: &str = "--caching-sha2-password-auto-generate-rsa-keys=ON";

/// A server that has forgotten what it knows of the password of `app`.
fn forgetful(options: &[&str]) -> World {
    let world = World::start_with(options);
    ok(&mut world.root(), "CREATE USER app@'%' IDENTIFIED WITH caching_sha2_password BY 'secret'");
    world.restart()
}

fn plain(world: &World, user: &str, password: &str) -> Result<Client, Failure> {
    Client::connect(&world.address(), &Login::new(user, password))
}

fn shown_key(world: &World) -> String {
    let status = world.root().query("SHOW STATUS LIKE 'Caching_sha2_password_rsa_public_key'").unwrap();
    status.rows[0][1].clone().unwrap()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "how long an answer takes at least")]
fn a_first_login_without_tls_is_by_the_public_key() {
    let world = forgetful(&[MAKES_KEYS]);
    let key = shown_key(&world);
    assert_eq!(world.read("public_key.pem"), key.as_bytes());
    let refused = |user, password| match plain(&world, user, password).unwrap_err() {
        Failure::Server(1045, text) => text.replace(user, "user"),
        other => panic!("{other:?}"),
    };
    let begun = Instant::now();
    assert_eq!(refused("app", "wrong"), "Access denied for user 'user'@'localhost' (using password: YES)");
    assert!(begun.elapsed() >= Duration::from_millis(20), "how long the private key's work takes is hidden");
    assert_eq!(refused("app", "wrong"), refused("nosuch", "secret"));
    let digested = |world: &World| world.root().query("SHOW GLOBAL STATUS LIKE 'Onelog_passwords_digested'");
    let before = digested(&world).unwrap().rows;
    let mut client = plain(&world, "app", "secret").unwrap();
    assert_eq!(client.query("SELECT CURRENT_USER()").unwrap().rows[0][0].as_deref(), Some("app@%"));
    plain(&world, "app", "secret").unwrap();
    let after = digested(&world).unwrap().rows;
    assert_ne!(before, after);
    plain(&world, "app", "secret").unwrap();
    assert_eq!(digested(&world).unwrap().rows, after, "the digest is known from then on");
    let world = world.restart();
    assert_eq!(shown_key(&world), key);
    world.client("nobody").change_user(&Login::new("app", "secret")).unwrap();
    world.stop();
}

#[test]
fn a_key_that_is_named_is_the_one() {
    let key = PrivateKey::new(&mut getrandom::SysRng, 2048).unwrap();
    let disk = SimDisk::new();
    disk.create_dir_all("/keys".as_ref()).unwrap();
    let file = disk.open("/keys/mine.pem".as_ref(), Open::Create).unwrap();
    file.write_at(key.to_pkcs1_pem(LineEnding::LF).unwrap().as_bytes(), 0).unwrap();
    let named = "--caching-sha2-password-private-key-path=/keys/mine.pem";
    let world = World::start_on(&disk, &[named]);
    ok(&mut world.root(), "CREATE USER app@'%' IDENTIFIED WITH caching_sha2_password BY 'secret'");
    let shown = shown_key(&world);
    assert!(shown.starts_with("-----BEGIN PUBLIC KEY-----"));
    let value = world.root().query("SELECT @@caching_sha2_password_private_key_path").unwrap();
    assert_eq!(value.rows[0][0].as_deref(), Some("/keys/mine.pem"));
    world.stop();
    // Keys of its own that it has made before are not looked at.
    let again = |options: &[&str]| World::try_on(Arc::new(disk.clone()), "/data", options).unwrap();
    again(&[MAKES_KEYS]).stop();
    let world = again(&[named]);
    assert_eq!(shown_key(&world), shown);
    world.stop();
    let refused =
        World::refused(&disk, "/data", &["--caching-sha2-password-private-key-path=/keys/other.pem"]);
    assert!(refused.starts_with("/keys/other.pem: the private key of passwords is missing; "), "{refused}");
}

#[test]
fn without_a_key_nobody_is_asked_for_a_password() {
    let world = forgetful(&[]);
    assert_eq!(shown_key(&world), "");
    let refused = plain(&world, "app", "secret").unwrap_err();
    assert!(refused.message().contains("known only after a login over TLS or the local socket"));
    world.stop();
}
