//! The consumers: how each is installed and built, and what it can bear. Their sources are in `crates/accept/clients`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rig::{Outcome, command, install, paths};

use super::consumer::Profile;

/// Debezium keeps its place in a file of its own, beside what it has written: only a stop keeps both together.
pub const DEBEZIUM: Profile = Profile {
    name: "debezium",
    build: debezium,
    snapshot: true,
    killable: false,
    reads_schema_late: false,
    sees_xa: true,
};

/// Reads names of columns from the binlog.
pub const PYMYSQLREPLICATION: Profile = Profile {
    name: "pymysqlreplication",
    build: pymysqlreplication,
    snapshot: false,
    killable: true,
    reads_schema_late: false,
    sees_xa: true,
};

/// Asks the server for names of columns. Of XA transactions it hands over the rows, but no end.
pub const CANAL: Profile = Profile {
    name: "canal",
    build: canal,
    snapshot: false,
    killable: true,
    reads_schema_late: true,
    sees_xa: false,
};

/// Installs and builds all of them once, so that nothing is unpacked, loaded and compiled for the first time beside other parts.
pub fn install() -> Outcome {
    let dir = paths::fresh("accept/peers")?;
    [debezium, pymysqlreplication, canal].iter().try_for_each(|build| build(&dir).map(drop))?;
    Ok(fs::remove_dir_all(dir)?)
}

fn sources(name: &str) -> PathBuf {
    paths::root().join("crates/accept/clients").join(name)
}

fn debezium(dir: &Path) -> Outcome<Vec<OsString>> {
    install::java()?;
    let build = dir.join("build");
    let mut maven = Command::new("mvn");
    maven.args(["--batch-mode", "--quiet", "compile", "dependency:copy-dependencies"]);
    maven.arg("--file").arg(sources("debezium").join("pom.xml"));
    maven.arg(format!("-Dbuild.folder={}", build.display()));
    command::run(&mut maven)?;
    let classes = format!("{0}/classes:{0}/dependency/*", build.display());
    Ok(["java", "-Xmx1g", "-cp", &classes, "onelog.Follow"].map(OsString::from).to_vec())
}

fn pymysqlreplication(_dir: &Path) -> Outcome<Vec<OsString>> {
    let sources = sources("pymysqlreplication");
    let packages = install::python_packages("mysql-replication", &sources.join("requirements.txt"))?;
    let path = format!("PYTHONPATH={}", packages.display());
    Ok(vec!["env".into(), path.into(), "python3".into(), sources.join("follow.py").into()])
}

fn canal(dir: &Path) -> Outcome<Vec<OsString>> {
    let binary = dir.join("canal");
    let mut build = Command::new("go");
    build.current_dir(sources("canal")).args(["build", "-mod=readonly", "-o"]).arg(&binary).arg(".");
    command::run(&mut build)?;
    Ok(vec![binary.into()])
}
