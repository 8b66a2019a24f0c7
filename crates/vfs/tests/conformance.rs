//! Purpose: every implementation of the traits keeps the same promises, so that what runs on the simulated
//! disk runs on the real one.
//!
//! Requirements: the documentation of each method of `Vfs`, `File` and `LockGuard`, as far as it can be
//! observed without losing power (for that, see `power_loss.rs`).
//!
//! Method: one function holds an implementation to the promises; it is run against the operating system on
//! the disk and in memory, the simulated disk, and the wrapper.
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod common;

use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use common::{TempDir, blocks, read_all};
use vfs::sim::{Fault, FaultKind, OpKind, SimDisk};
use vfs::{
    Ballast, DURABLE_ALIGN, File, Open, OsVfs, PathError, SlowSync, SyncDelay, Vfs, WithBallast, raw_os_error,
};

const ALIGN: u64 = DURABLE_ALIGN as u64;
const EBADF: i32 = 9;

#[test]
fn the_operating_system_on_the_disk_conforms() {
    let dir = TempDir::new();
    conformance(&OsVfs, dir.path());
}

#[test]
fn the_operating_system_in_memory_conforms() {
    let shm = Path::new("/dev/shm");
    if OsVfs.exists(shm).unwrap() {
        let dir = TempDir::new_in(shm);
        conformance(&OsVfs, dir.path());
    }
}

#[test]
fn the_simulated_disk_conforms() {
    let disk = SimDisk::new();
    disk.create_dir_all(Path::new("/data")).unwrap();
    conformance(&disk, Path::new("/data"));
    disk.create_dir_all(Path::new("relative/data")).unwrap();
    conformance(&disk, Path::new("relative/data"));
}

#[test]
fn a_simulated_disk_after_power_loss_conforms() {
    let disk = SimDisk::new();
    disk.create_dir_all(Path::new("/data")).unwrap();
    let found = disk.crash(vfs::sim::CrashMode::DropAll, 0);
    conformance(&found, Path::new("/data"));
}

#[test]
fn the_slow_wrapper_conforms() {
    let disk = SimDisk::new();
    disk.create_dir_all(Path::new("/data")).unwrap();
    conformance(&SlowSync::new(Arc::new(disk), SyncDelay::from_us(1)), Path::new("/data"));
}

#[test]
fn the_wrapper_with_the_ballast_conforms() {
    let disk: Arc<dyn Vfs> = Arc::new(SimDisk::new());
    disk.create_dir_all(Path::new("/data")).unwrap();
    let ballast = Arc::new(Ballast::open(&disk, "/ballast".into(), 4096).unwrap());
    conformance(&WithBallast::new(disk, ballast), Path::new("/data"));
}

#[test]
fn wrappers_pass_uncached_writes_on_as_such() {
    let disk = SimDisk::new();
    let inner: Arc<dyn Vfs> = Arc::new(disk.clone());
    let ballast = Arc::new(Ballast::open(&inner, "ballast".into(), 4096).unwrap());
    let wrappers: [Box<dyn Vfs>; 2] = [
        Box::new(SlowSync::new(Arc::clone(&inner), SyncDelay::from_us(1))),
        Box::new(WithBallast::new(inner, ballast)),
    ];
    for vfs in wrappers {
        let file = vfs.open(Path::new("f"), Open::Create).unwrap();
        disk.inject(Fault::new(FaultKind::Io).of(OpKind::WriteUncached));
        file.write_uncached_at(&blocks(1, 1), 0).unwrap_err();
        file.write_uncached_at(&blocks(1, 1), 0).unwrap();
    }
}

/// Runs every check in an empty directory.
fn conformance(vfs: &dyn Vfs, root: &Path) {
    opening(vfs, &root.join("opening"));
    reading_and_writing(vfs, &root.join("reading"));
    writes_of_blocks(vfs, &root.join("durable"), |file, data, offset| file.write_durable_at(data, offset));
    writes_of_blocks(vfs, &root.join("uncached"), |file, data, offset| file.write_uncached_at(data, offset));
    lengths(vfs, &root.join("lengths"));
    renaming(vfs, &root.join("renaming"));
    removing(vfs, &root.join("removing"));
    directories(vfs, &root.join("directories"));
    locking(vfs, &root.join("locking"));
    errors(vfs, &root.join("errors"));
    assert!(vfs.free_bytes(root).unwrap() > 0);
    assert_eq!(vfs.free_bytes(&root.join("missing")).unwrap_err().kind(), ErrorKind::NotFound);
}

fn opening(vfs: &dyn Vfs, dir: &Path) {
    vfs.create_dir_all(dir).unwrap();
    let path = dir.join("f");
    for how in [Open::Read, Open::ReadWrite] {
        assert_eq!(vfs.open(&path, how).unwrap_err().kind(), ErrorKind::NotFound, "{how:?}");
    }
    assert!(!vfs.exists(&path).unwrap());
    let created = vfs.open(&path, Open::CreateNew).unwrap();
    assert!(vfs.exists(&path).unwrap());
    assert_eq!(vfs.open(&path, Open::CreateNew).unwrap_err().kind(), ErrorKind::AlreadyExists);
    created.write_at(b"kept", 0).unwrap();
    for how in [Open::Read, Open::ReadWrite, Open::Create, Open::CreatePrivate] {
        assert_eq!(read_all(&*vfs.open(&path, how).unwrap()), b"kept", "{how:?} truncates nothing");
    }

    vfs.open(&dir.join("private"), Open::CreatePrivate).unwrap().write_at(b"x", 0).unwrap();

    let reader = vfs.open(&path, Open::Read).unwrap();
    assert_eq!(raw_os_error(&reader.write_at(b"x", 0).unwrap_err()), Some(EBADF));
    assert_eq!(raw_os_error(&reader.write_durable_at(&blocks(1, 1), 0).unwrap_err()), Some(EBADF));
    assert_eq!(raw_os_error(&reader.write_uncached_at(&blocks(1, 1), 0).unwrap_err()), Some(EBADF));
    assert!(reader.set_len(0).is_err());
    reader.sync_data().unwrap();
    assert_eq!(read_all(&*created), b"kept", "a handle for reading writes nothing");

    assert_eq!(vfs.open(dir, Open::Read).unwrap_err().kind(), ErrorKind::IsADirectory);
    assert_eq!(vfs.open(&dir.join("no/f"), Open::Create).unwrap_err().kind(), ErrorKind::NotFound);
}

fn reading_and_writing(vfs: &dyn Vfs, dir: &Path) {
    vfs.create_dir_all(dir).unwrap();
    let file = vfs.open(&dir.join("f"), Open::Create).unwrap();
    let other = vfs.open(&dir.join("f"), Open::ReadWrite).unwrap();
    assert!(file.is_empty().unwrap());
    assert_eq!(file.read_at(&mut [0; 4], 0).unwrap(), 0);

    file.write_at(b"hello", 3).unwrap();
    assert_eq!(read_all(&*other), b"\0\0\0hello", "a gap reads as zeros, through every handle");
    other.write_at(b"HE", 3).unwrap();
    file.write_at(b"", 100).unwrap();
    assert_eq!(read_all(&*file), b"\0\0\0HEllo", "an empty write does not grow the file");

    let mut buf = [9; 4];
    assert_eq!(file.read_at(&mut buf, 6).unwrap(), 2);
    assert_eq!(buf, *b"lo\x09\x09");
    assert_eq!(file.read_at(&mut buf, 8).unwrap(), 0);
    assert_eq!(file.read_at(&mut buf, 1000).unwrap(), 0);
    file.read_exact_at(&mut buf, 4).unwrap();
    assert_eq!(buf, *b"Ello");
    assert_eq!(file.read_exact_at(&mut buf, 5).unwrap_err().kind(), ErrorKind::UnexpectedEof);

    let big: Vec<u8> = (0..3_000_001_u32).map(|i| (i % 251) as u8).collect();
    file.write_at(&big, 5).unwrap();
    file.sync_data().unwrap();
    file.sync_all().unwrap();
    assert!(read_all(&*other)[5..] == big);
}

fn writes_of_blocks(vfs: &dyn Vfs, dir: &Path, write: fn(&dyn File, &[u8], u64) -> io::Result<()>) {
    vfs.create_dir_all(dir).unwrap();
    let path = dir.join("f");
    let file = vfs.open(&path, Open::Create).unwrap();
    file.write_at(&[1; 10_000], 0).unwrap();
    write(&*file, &blocks(1, 2), ALIGN).unwrap();
    write(&*file, &blocks(2, 3), 4 * ALIGN).unwrap();
    write(&*file, &blocks(0, 0), 100 * ALIGN).unwrap();
    file.write_at(&[4; 3], 2 * ALIGN - 1).unwrap();

    let mut expected = vec![1; 10_000];
    expected.resize(6 * DURABLE_ALIGN, 0);
    expected[DURABLE_ALIGN..2 * DURABLE_ALIGN].fill(2);
    expected[4 * DURABLE_ALIGN..].fill(3);
    expected[2 * DURABLE_ALIGN - 1..2 * DURABLE_ALIGN + 2].fill(4);
    assert!(read_all(&*file) == expected, "ordinary writes and those of blocks see each other");

    // The handle stays with its file, not with its name.
    vfs.rename(&path, &dir.join("g")).unwrap();
    vfs.open(&path, Open::CreateNew).unwrap();
    write(&*file, &blocks(1, 5), 0).unwrap();
    assert!(read_all(&*vfs.open(&path, Open::Read).unwrap()).is_empty());
    expected[..DURABLE_ALIGN].fill(5);
    assert!(read_all(&*vfs.open(&dir.join("g"), Open::Read).unwrap()) == expected);
}

fn lengths(vfs: &dyn Vfs, dir: &Path) {
    vfs.create_dir_all(dir).unwrap();
    let file = vfs.open(&dir.join("f"), Open::Create).unwrap();
    file.write_at(&[7; 5000], 0).unwrap();
    file.set_len(100).unwrap();
    assert_eq!(file.len().unwrap(), 100);
    file.set_len(9000).unwrap();
    let mut expected = vec![7; 100];
    expected.resize(9000, 0);
    assert!(read_all(&*file) == expected, "what was cut reads as zeros when the file grows again");
    file.set_len(0).unwrap();
    assert!(file.is_empty().unwrap());
}

fn renaming(vfs: &dyn Vfs, dir: &Path) {
    let (a, b, c) = (dir.join("a"), dir.join("b"), dir.join("sub/c"));
    vfs.create_dir_all(&dir.join("sub")).unwrap();
    assert_eq!(vfs.rename(&a, &b).unwrap_err().kind(), ErrorKind::NotFound);
    let old = vfs.open(&b, Open::Create).unwrap();
    old.write_at(b"old", 0).unwrap();
    vfs.open(&a, Open::Create).unwrap().write_at(b"new", 0).unwrap();
    vfs.rename(&a, &b).unwrap();
    assert!(!vfs.exists(&a).unwrap());
    assert_eq!(read_all(&*vfs.open(&b, Open::Read).unwrap()), b"new");
    assert_eq!(read_all(&*old), b"old", "a handle on the replaced file keeps working");
    vfs.rename(&b, &b).unwrap();
    vfs.rename(&b, &c).unwrap();
    assert_eq!(read_all(&*vfs.open(&c, Open::Read).unwrap()), b"new");
    assert_eq!(vfs.rename(&c, &dir.join("no/c")).unwrap_err().kind(), ErrorKind::NotFound);
    assert!(vfs.rename(&c, &dir.join("sub")).is_err(), "a directory is not replaced");
    vfs.sync_dir(dir).unwrap();
    vfs.sync_dir(&dir.join("sub")).unwrap();
}

fn removing(vfs: &dyn Vfs, dir: &Path) {
    vfs.create_dir_all(&dir.join("sub")).unwrap();
    let path = dir.join("f");
    let file = vfs.open(&path, Open::Create).unwrap();
    file.write_at(b"still", 0).unwrap();
    vfs.remove_file(&path).unwrap();
    assert!(!vfs.exists(&path).unwrap());
    assert_eq!(vfs.remove_file(&path).unwrap_err().kind(), ErrorKind::NotFound);
    assert!(vfs.remove_file(&dir.join("sub")).is_err(), "a directory is not a file");
    vfs.sync_dir(dir).unwrap();
    file.write_at(b" here", 5).unwrap();
    file.sync_all().unwrap();
    assert_eq!(read_all(&*file), b"still here");
    assert!(vfs.open(&path, Open::CreateNew).unwrap().is_empty().unwrap(), "the name is free");
}

fn directories(vfs: &dyn Vfs, dir: &Path) {
    for _ in 0..2 {
        vfs.create_dir_all(&dir.join("x/y/z")).unwrap();
    }
    for name in ["b", "a", "c"] {
        vfs.open(&dir.join(name), Open::Create).unwrap();
    }
    assert_eq!(vfs.list(dir).unwrap(), ["a", "b", "c"], "sorted, without directories");
    assert!(vfs.list(&dir.join("x/y/z")).unwrap().is_empty());
    for path in ["x", "x/y", "x/y/z", "a"] {
        assert!(vfs.exists(&dir.join(path)).unwrap(), "{path}");
    }
    vfs.sync_dir(dir).unwrap();
    assert_eq!(vfs.list(&dir.join("no")).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(vfs.sync_dir(&dir.join("no")).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(vfs.list(&dir.join("a")).unwrap_err().kind(), ErrorKind::NotADirectory);
    assert_eq!(vfs.sync_dir(&dir.join("a")).unwrap_err().kind(), ErrorKind::NotADirectory);
    assert_eq!(vfs.create_dir_all(&dir.join("a")).unwrap_err().kind(), ErrorKind::NotADirectory);
    assert_eq!(vfs.create_dir_all(&dir.join("a/b")).unwrap_err().kind(), ErrorKind::NotADirectory);
}

fn locking(vfs: &dyn Vfs, dir: &Path) {
    vfs.create_dir_all(dir).unwrap();
    let path = dir.join("lock");
    let guard = vfs.lock(&path).unwrap();
    assert!(vfs.exists(&path).unwrap());
    assert_eq!(vfs.lock(&path).unwrap_err().kind(), ErrorKind::WouldBlock);
    let _other = vfs.lock(&dir.join("other")).unwrap();
    drop(guard);
    let _again = vfs.lock(&path).unwrap();
}

fn errors(vfs: &dyn Vfs, dir: &Path) {
    let path = dir.join("missing");
    let error = vfs.open(&path, Open::Read).unwrap_err();
    let place = error.get_ref().unwrap().downcast_ref::<PathError>().unwrap();
    assert_eq!((place.operation(), place.path()), ("open", &*path));
    assert!(error.to_string().contains("missing"), "{error}");
    assert!(raw_os_error(&error).is_some());
}

#[test]
#[should_panic(expected = "unaligned")]
fn an_unaligned_durable_write_is_a_defect_on_the_simulated_disk() {
    let file = SimDisk::new().open(Path::new("f"), Open::Create).unwrap();
    let _ = file.write_durable_at(&blocks(1, 0), 512);
}

#[test]
#[should_panic(expected = "unaligned")]
fn an_unaligned_durable_write_is_a_defect_on_the_operating_system() {
    let dir = TempDir::new();
    let file = OsVfs.open(&dir.path().join("f"), Open::Create).unwrap();
    let _ = file.write_durable_at(&blocks(1, 0), 512);
}

#[test]
fn a_private_file_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let dir = TempDir::new();
    let path = dir.path().join("key");
    OsVfs.open(&path, Open::CreatePrivate).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    for (how, name) in [(Open::Create, "created"), (Open::CreateNew, "new")] {
        let path = path.with_file_name(name);
        OsVfs.open(&path, how).unwrap();
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o027, 0, "nobody else reads rows, or writes");
    }
}

#[test]
fn a_relative_path_of_one_name_has_a_directory_to_sync() {
    // Nothing is created: the package's own directory is there, and its parent is what gets synced.
    OsVfs.create_dir_all(Path::new("src")).unwrap();
    OsVfs.create_dir_all(Path::new("")).unwrap();
    OsVfs.sync_dir(Path::new("")).unwrap();
    assert!(OsVfs.exists(Path::new("")).unwrap());
    assert!(OsVfs.list(Path::new("")).unwrap().contains(&"Cargo.toml".to_owned()));
    assert!(OsVfs.free_bytes(Path::new("")).unwrap() > 0);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the injected time is measured")]
fn a_slow_sync_takes_its_time_and_a_write_does_not() {
    let delay = SyncDelay::from_us(0);
    let vfs = SlowSync::new(Arc::new(SimDisk::new()), delay.clone());
    let file = vfs.open(Path::new("f"), Open::Create).unwrap();
    let time = |f: &dyn Fn()| {
        let start = std::time::Instant::now();
        f();
        start.elapsed()
    };
    delay.set_us(20_000);
    assert_eq!(delay.us(), 20_000);
    let injected = Duration::from_millis(20);
    let aligned = blocks(1, 1);
    assert!(time(&|| file.sync_data().unwrap()) >= injected);
    assert!(time(&|| file.sync_all().unwrap()) >= injected);
    assert!(time(&|| vfs.sync_dir(Path::new("")).unwrap()) >= injected);
    assert!(time(&|| file.write_durable_at(&aligned, 0).unwrap()) >= injected);
    // A delay so long that this test could not end: writes must not wait for it.
    delay.set_us(u64::MAX);
    file.write_at(b"x", 0).unwrap();
    file.set_len(0).unwrap();
    assert!(file.is_empty().unwrap());
}
