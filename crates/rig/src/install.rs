//! Installs the foreign servers and clients: Debian's packages, and Oracle's from a root directory of Debian's unstable
//! suite, which is used in place (its loader and libraries, no chroot at run time). Doing it again is cheap.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Outcome, clients, command, paths, say};

/// The version of MySQL that parts and pages name.
const ORACLE_VERSION: &str = "9.7";

/// Debian's packages: command that shows that it is there, and package.
const PACKAGES: [(&str, &str); 5] = [
    ("sysbench", "sysbench"),
    ("mariadbd", "mariadb-server"),
    ("mariadb-binlog", "mariadb-client"),
    ("python3", "python3"),
    ("debootstrap", "debootstrap"),
];

/// The connector that is installed by pip, and what it needs for `caching_sha2_password`.
const PYTHON: [&str; 2] = ["PyMySQL==1.1.1", "cryptography"];

/// Installs whatever is missing.
pub fn all() -> Outcome {
    packages()?;
    oracle()?;
    python()?;
    golang()
}

fn packages() -> Outcome {
    let missing: Vec<&str> =
        PACKAGES.iter().filter(|(program, _)| !is_there(program)).map(|(_, it)| *it).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let _quiet = NoServices::begin(Path::new("/"))?;
    apt("update", &[])?;
    apt("install", &missing)
}

/// Oracle's server and clients: those that Debian's unstable suite has on the day. Says if they are others than those that
/// the documents speak of.
fn oracle() -> Outcome {
    install_oracle()?;
    let version = command::run(clients::oracle("mysqld")?.arg("--version"))?;
    if !version.contains(&format!("Ver {ORACLE_VERSION}.")) {
        say(&format!("instead of MySQL {ORACLE_VERSION}, this is {}", version.trim()));
    }
    Ok(())
}

fn install_oracle() -> Outcome {
    let root = oracle_root()?;
    if root.join("usr/sbin/mysqld").exists() {
        return Ok(());
    }
    say(&format!("installing Oracle's MySQL into {}", root.display()));
    if !root.join(".bootstrapped").exists() {
        if root.exists() {
            fs::remove_dir_all(&root)?;
        }
        fs::create_dir_all(&root)?;
        command::run(Command::new("debootstrap").args(["--variant=minbase", "sid"]).arg(&root))?;
        // The mirror of an unstable suite may lag behind its own validity date.
        fs::write(root.join("etc/apt/apt.conf.d/99peers"), "Acquire::Check-Valid-Until \"false\";\n")?;
        fs::write(root.join(".bootstrapped"), "")?;
    }
    let _quiet = NoServices::begin(&root)?;
    apt_in(&root, &["update"])?;
    apt_in(&root, &["install", "-y", "--no-install-recommends", "mysql-server", "mysql-client"])
}

/// MariaDB 11.8, for comparisons of speed: its packages, unpacked below `opt` in the same root directory.
pub fn mariadb118() -> Outcome {
    let root = oracle_root()?;
    if mariadb118_usr()?.join("sbin/mariadbd").exists() {
        return Ok(());
    }
    oracle()?;
    say(&format!("installing MariaDB 11.8 into {}", root.display()));
    apt_in(&root, &["update"])?;
    let libraries = ["liburing2", "libpmem1", "libsnappy1v5", "libnuma1", "libaio1t64"];
    apt_in(&root, &[&["install", "-y", "--no-install-recommends"], &libraries[..]].concat())?;
    let unpack = "mkdir -p /tmp/mariadb /opt/mariadb11.8 && cd /tmp/mariadb && apt-get -qq download \
        mariadb-server-core mariadb-common mariadb-server && \
        for package in *.deb; do dpkg -x \"$package\" /opt/mariadb11.8; done";
    command::run(Command::new("chroot").arg(&root).args(["sh", "-e", "-c", unpack])).map(drop)
}

/// Where MariaDB 11.8 is.
pub fn mariadb118_usr() -> Outcome<PathBuf> {
    Ok(oracle_root()?.join("opt/mariadb11.8/usr"))
}

fn apt_in(root: &Path, step: &[&str]) -> Outcome {
    let mut chroot = Command::new("chroot");
    chroot.arg(root).args(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]).args(step);
    command::run(&mut chroot).map(drop)
}

/// The root directory of Debian's unstable suite.
pub fn oracle_root() -> Outcome<PathBuf> {
    Ok(paths::peers()?.join("sid"))
}

/// Where Python's packages are.
pub fn python_path() -> Outcome<PathBuf> {
    Ok(paths::peers()?.join("python"))
}

fn python() -> Outcome {
    let target = python_path()?;
    if target.join("pymysql").exists() {
        return Ok(());
    }
    pip(&target, &mut PYTHON.iter().map(OsString::from))
}

/// Packages of Python by a file of exact versions, in a folder of their own, which is returned.
pub fn python_packages(name: &str, requirements: &Path) -> Outcome<PathBuf> {
    let target = paths::peers()?.join("python-packages").join(name);
    let installed = target.join("requirements.txt");
    let wanted = fs::read(requirements)?;
    if fs::read(&installed).is_ok_and(|it| it == wanted) {
        return Ok(target);
    }
    if target.exists() {
        fs::remove_dir_all(&target)?;
    }
    pip(&target, &mut [OsString::from("--requirement"), requirements.into()].into_iter())?;
    fs::write(installed, wanted)?;
    Ok(target)
}

fn pip(target: &Path, what: &mut dyn Iterator<Item = OsString>) -> Outcome {
    if command::run(Command::new("python3").args(["-m", "pip", "--version"])).is_err() {
        apt("install", &["python3-pip"])?;
    }
    say(&format!("installing packages of Python into {}", target.display()));
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore"]);
    command::run(pip.arg("--target").arg(target).args(what)).map(drop)
}

/// A JDK and Maven.
pub fn java() -> Outcome {
    let packages = [("javac", "openjdk-17-jdk-headless"), ("mvn", "maven")];
    let missing: Vec<&str> = packages.iter().filter(|(it, _)| !is_there(it)).map(|(_, it)| *it).collect();
    if missing.is_empty() {
        return Ok(());
    }
    apt("update", &[])?;
    apt("install", &missing)
}

/// Go's compiler; the driver comes as a module when its client is built.
fn golang() -> Outcome {
    if is_there("go") { Ok(()) } else { apt("install", &["golang-go"]) }
}

fn apt(verb: &str, packages: &[&str]) -> Outcome {
    say(&format!("apt-get {verb} {}", packages.join(" ")));
    let mut apt = Command::new("apt-get");
    apt.env("DEBIAN_FRONTEND", "noninteractive")
        .args(["-qq", verb, "-y", "--no-install-recommends"])
        .args(packages);
    command::run(&mut apt).map(drop)
}

fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]).any(|dir| dir.join(program).exists())
}

/// While this lives, packages that are installed start no service.
struct NoServices(Option<PathBuf>);

impl NoServices {
    fn begin(root: &Path) -> Outcome<Self> {
        use std::os::unix::fs::PermissionsExt;
        let policy = root.join("usr/sbin/policy-rc.d");
        if policy.exists() {
            return Ok(Self(None));
        }
        fs::write(&policy, "#!/bin/sh\nexit 101\n")?;
        fs::set_permissions(&policy, fs::Permissions::from_mode(0o755))?;
        Ok(Self(Some(policy)))
    }
}

impl Drop for NoServices {
    fn drop(&mut self) {
        if let Some(policy) = &self.0 {
            // If it stays, the next installation finds it and is as quiet.
            let _ = fs::remove_file(policy);
        }
    }
}
