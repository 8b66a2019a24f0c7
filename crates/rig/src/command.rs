//! Running programs to their end.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use crate::{Failure, Outcome};

/// Runs a program that must succeed; returns what it printed.
pub fn run(command: &mut Command) -> Outcome<String> {
    let output = output(command)?;
    if !output.status.success() {
        return Err(failed(command, &output));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a program that must succeed and have nothing to complain about.
pub fn run_silent(command: &mut Command) -> Outcome<String> {
    let output = output(command)?;
    if !output.status.success() || !output.stderr.is_empty() {
        return Err(failed(command, &output));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a program, whatever it says.
pub fn output(command: &mut Command) -> Outcome<Output> {
    command.stdin(Stdio::null()).output().map_err(|error| format!("{}: {error}", name(command)).into())
}

/// Runs a program on a file's contents; it must succeed.
pub fn run_on(command: &mut Command, input: &Path) -> Outcome<String> {
    let output = command.stdin(File::open(input)?).output()?;
    if !output.status.success() {
        return Err(failed(command, &output));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a program whose output becomes a file; it must succeed and complain of nothing.
pub fn run_into(command: &mut Command, path: &Path) -> Outcome {
    let output = command.stdin(Stdio::null()).stdout(File::create(path)?).stderr(Stdio::piped()).output()?;
    if !output.status.success() || !output.stderr.is_empty() {
        return Err(failed(command, &output));
    }
    Ok(())
}

/// Pipes one program into another; both must succeed, and the first complain of nothing.
pub fn pipe(from: &mut Command, to: &mut Command) -> Outcome {
    let mut source = from.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let pipe = source.stdout.take().ok_or("no pipe")?;
    let sink = to.stdin(pipe).output()?;
    // This end of the pipe stays open as long as the command that was given it.
    to.stdin(Stdio::null());
    let source = source.wait_with_output()?;
    if !sink.status.success() {
        return Err(failed(to, &sink));
    }
    if !source.status.success() || !source.stderr.is_empty() {
        return Err(failed(from, &source));
    }
    Ok(())
}

/// A process that is killed when this goes out of scope.
#[derive(Debug)]
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to kill.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn failed(command: &Command, output: &Output) -> Failure {
    let said = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let from = text.len().saturating_sub(2000);
        text.get(from..).unwrap_or(&text).trim().to_owned()
    };
    let (out, err) = (said(&output.stdout), said(&output.stderr));
    format!("{command:?}: {}\n{out}\n{err}", output.status).into()
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}
