//! Running programs to their end.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};

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

/// The same command, run by another program (`strace`, `stdbuf`) that has options of its own; an empty wrapper changes
/// nothing.
pub fn wrapped(wrapper: &[&str], command: Command) -> Command {
    let Some((program, options)) = wrapper.split_first() else { return command };
    let mut outer = Command::new(program);
    outer.args(options).arg(command.get_program()).args(command.get_args());
    for (name, val) in command.get_envs() {
        match val {
            Some(val) => outer.env(name, val),
            None => outer.env_remove(name),
        };
    }
    outer
}

/// Stops a process without its knowledge (SIGSTOP) until [`resume`].
pub fn suspend(pid: u32) -> Outcome {
    signal(pid, Signal::STOP)
}

/// Lets a process that [`suspend`] stopped go on; nothing otherwise.
pub fn resume(pid: u32) -> Outcome {
    signal(pid, Signal::CONT)
}

/// Asks a process to end (SIGTERM).
pub fn terminate(pid: u32) -> Outcome {
    signal(pid, Signal::TERM)
}

fn signal(pid: u32, signal: Signal) -> Outcome {
    let pid = Pid::from_raw(pid.try_into()?).ok_or("no process")?;
    Ok(kill_process(pid, signal)?)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapper_keeps_arguments_and_environment() {
        let mut inner = Command::new("a");
        inner.arg("b").env("C", "d");
        let outer = wrapped(&["strace", "-f"], inner);
        assert_eq!(outer.get_program(), "strace");
        assert_eq!(outer.get_args().collect::<Vec<_>>(), ["-f", "a", "b"]);
        assert_eq!(outer.get_envs().count(), 1);
        assert_eq!(wrapped(&[], Command::new("a")).get_program(), "a");
    }
}
