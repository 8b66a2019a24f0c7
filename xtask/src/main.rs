//! Every chore of the project: `cargo xtask` says which. It only starts other commands, and stops at the first that fails;
//! what may run beside each other does.

#[cfg(test)]
mod tidy;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Instant;

const HELP: &str = "\
cargo xtask CHORE [ARGUMENTS]

  test              everything that CI checks: unit beside lint, loom, accept
  lint              rustfmt and clippy, warnings denied
  unit              all tests that need no foreign program
  loom              the models of the commit path's lock-free parts, in all interleavings
  accept [PART...]  the real binary against real clients and servers; --help says more
  interop [NAME...] the consumers of changes alone: debezium, pymysqlreplication, canal, mysqlbinlog, or all;
                    --source mysql97 lets them follow MySQL instead
  peers             installs those clients and servers (Debian 12, root)
  bench             compares speed with MariaDB and MySQL; --help says more
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let chore = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    let done = match &*chore {
        "test" => test(&rest),
        "lint" => lint(),
        "unit" => unit(),
        "loom" => loom(),
        "accept" => accept(&rest),
        "interop" => interop(&rest),
        "peers" => tool("accept", &["peers"]),
        "bench" => bench(&rest),
        _ => {
            eprint!("{HELP}");
            Err(format!("{chore:?} is no chore"))
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("xtask: {what}");
            ExitCode::FAILURE
        }
    }
}

/// Everything is compiled once. Foreign clients and servers come over the network meanwhile.
fn test(parts: &[&str]) -> Result<(), String> {
    cargo(&["build", "--workspace", "--all-targets"])?;
    let mut peers = accept_tool().arg("peers").spawn().map_err(|error| format!("accept peers: {error}"))?;
    let checked = unit_beside_lint().and_then(|()| loom());
    let installed = peers.wait().map_err(|error| format!("accept peers: {error}"))?;
    checked?;
    if !installed.success() {
        return Err("accept peers failed".to_owned());
    }
    // The build of the tests: every assertion is on.
    run(accept_tool().env("ONELOG_PROFILE", "debug").args(["--jobs", "3"]).args(parts))
}

fn accept_tool() -> Command {
    Command::new(target().join("debug/accept"))
}

fn lint() -> Result<(), String> {
    format()?;
    run(&mut clippy())
}

fn format() -> Result<(), String> {
    cargo(&["fmt", "--all", "--check"])
}

fn clippy() -> Command {
    // Tests that run beside it go first.
    let mut clippy = Command::new("nice");
    clippy.arg(cargo_command().get_program());
    clippy.args(["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]);
    clippy
}

fn unit() -> Result<(), String> {
    run(&mut unit_command())
}

fn unit_command() -> Command {
    // Many tests wait for their servers' threads more than they compute.
    let threads = 2 * std::thread::available_parallelism().map_or(1, usize::from);
    let mut tests = cargo_command();
    tests.args(["test", "--workspace", "--no-fail-fast"]).env("RUST_TEST_THREADS", threads.to_string());
    tests
}

/// Lints in the time in which tests wait. Of two cargos only one compiles: clippy begins when the first test does.
fn unit_beside_lint() -> Result<(), String> {
    format()?;
    let mut tests = Running::begin(unit_command().stderr(Stdio::piped()))?;
    let said = tests.process.stderr.take().expect("it is piped");
    let mut linting = None;
    for line in BufReader::new(said).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        eprintln!("{line}");
        if linting.is_none() && line.trim_start().starts_with("Running ") {
            linting = Some(Running::begin(&mut clippy())?);
        }
    }
    let tested = tests.end();
    let linted = linting.map_or_else(|| run(&mut clippy()), Running::end);
    tested.and(linted)
}

/// Lints and runs the models: the tests of three crates with a feature that puts loom's locks and atomics in the place of others.
fn loom() -> Result<(), String> {
    const MODELLED: [&str; 8] =
        ["--package", "sync", "--package", "redo", "--package", "commit", "--features", "commit/loom"];
    cargo(&[&["clippy"], &MODELLED[..], &["--all-targets", "--", "--deny", "warnings"]].concat())?;
    cargo(&[&["test"], &MODELLED[..], &["--lib", "--", "models::"]].concat())
}

fn accept(arguments: &[&str]) -> Result<(), String> {
    cargo(&["build", "--release", "--package", "server"])?;
    tool("accept", arguments)
}

/// Those parts of `accept` that follow a server's changes.
fn interop(arguments: &[&str]) -> Result<(), String> {
    const CONSUMERS: [&str; 4] = ["debezium", "pymysqlreplication", "canal", "mysqlbinlog"];
    let mut parts: Vec<&str> = arguments.iter().copied().filter(|argument| *argument != "all").collect();
    if !CONSUMERS.iter().any(|it| parts.contains(it)) {
        parts.extend(CONSUMERS);
    }
    if parts.contains(&"mysql97") { tool("accept", &parts) } else { accept(&parts) }
}

fn bench(arguments: &[&str]) -> Result<(), String> {
    // A binary that is named is there already.
    if !arguments.iter().any(|argument| ["--binary", "--help"].contains(argument)) {
        cargo(&["build", "--profile", "dist", "--package", "server"])?;
    }
    tool("bench", arguments)
}

/// Runs one of the tools that drive the built binary.
fn tool(name: &str, arguments: &[&str]) -> Result<(), String> {
    let run = ["run", "--quiet", "--package", name, "--"];
    cargo(&[&run[..], arguments].concat())
}

fn cargo(arguments: &[&str]) -> Result<(), String> {
    run(cargo_command().args(arguments))
}

fn cargo_command() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command to its end.
fn run(command: &mut Command) -> Result<(), String> {
    Running::begin(command)?.end()
}

/// A command that runs; says how long it took.
struct Running {
    what: String,
    begun: Instant,
    process: Child,
}

#[expect(clippy::disallowed_methods, reason = "how long a chore takes is for people to read")]
impl Running {
    fn begin(command: &mut Command) -> Result<Self, String> {
        let program = Path::new(command.get_program()).file_name().unwrap_or_default();
        let words = std::iter::once(program).chain(command.get_args());
        let what = words.map(std::ffi::OsStr::to_string_lossy).collect::<Vec<_>>().join(" ");
        eprintln!("xtask: {what}");
        let begun = Instant::now();
        let process = command.spawn().map_err(|error| format!("{what}: {error}"))?;
        Ok(Self { what, begun, process })
    }

    fn end(mut self) -> Result<(), String> {
        let status = self.process.wait().map_err(|error| format!("{}: {error}", self.what))?;
        eprintln!("xtask: {} s: {}", self.begun.elapsed().as_secs(), self.what);
        if status.success() { Ok(()) } else { Err(format!("{} failed", self.what)) }
    }
}

/// Where builds go.
fn target() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the project");
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}
