//! A connection to a server that stays open, so that asking it something under load needs no login.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};

use rig::clients::Vendor;
use rig::command::Process;
use rig::{Failure, Outcome};

/// Stands behind the last row of an answer.
const END: &str = "-- end of answer --";

/// A command-line client that reads from a pipe.
#[derive(Debug)]
pub struct Console {
    process: Process,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Console {
    /// Connects as root.
    pub fn open(port: u16) -> Outcome<Self> {
        let mut client = Vendor::MariaDb.root(port)?;
        client.args(["--batch", "--skip-column-names", "--unbuffered"]);
        let mut process =
            Process(client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?);
        let input = process.0.stdin.take().ok_or("no pipe")?;
        let output = BufReader::new(process.0.stdout.take().ok_or("no pipe")?);
        Ok(Self { process, input, output })
    }

    /// Runs statements; returns their rows, each as its columns.
    pub fn ask(&mut self, statements: &str) -> Outcome<Vec<Vec<String>>> {
        writeln!(self.input, "{statements}; SELECT '{END}';")
            .map_err(|error| self.failed(&error.to_string()))?;
        let mut rows = Vec::new();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(self.failed(statements));
            }
            let line = line.trim_end_matches('\n');
            if line == END {
                return Ok(rows);
            }
            rows.push(line.split('\t').map(str::to_owned).collect());
        }
    }

    /// The only row of a statement.
    pub fn row(&mut self, statement: &str) -> Outcome<Vec<String>> {
        self.ask(statement)?.pop().ok_or_else(|| format!("{statement}: no row").into())
    }

    fn failed(&mut self, what: &str) -> Failure {
        let mut said = String::new();
        if let Some(mut errors) = self.process.0.stderr.take() {
            // Whatever it said before it ended; without that there is only the statement to report.
            let _ = errors.read_to_string(&mut said);
        }
        format!("{what}: {}", said.trim()).into()
    }
}
