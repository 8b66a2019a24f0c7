//! Dump connections that read the binlog's live end and throw it away; some of them stop reading.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use rig::Outcome;
use tokio::io::AsyncReadExt;

use crate::swarm::{self, framed, receive};

/// The first argument of a bench that is started as followers.
pub const WORD: &str = "followers";

const COM_QUERY: u8 = 0x03;
const COM_BINLOG_DUMP: u8 = 0x12;
/// A server id of a replica; each has the next one.
const SERVER_ID: u32 = 100_000;

/// What they are to do.
#[derive(Clone, Debug)]
pub struct Followers {
    /// The server's port on 127.0.0.1.
    pub port: u16,
    /// Connections.
    pub count: u32,
    /// Those that read nothing.
    pub deaf: u32,
    /// Where they begin.
    pub file: String,
    /// Where in it.
    pub position: u32,
}

impl Followers {
    /// The command line of a process that does it.
    pub fn command(&self) -> Outcome<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        let Self { port, count, deaf, file, position } = self;
        command.arg(WORD).args([u32::from(*port), *count, *deaf].map(|it| it.to_string()));
        command.arg(file).arg(position.to_string());
        Ok(command)
    }

    /// Reads what stands behind the word.
    pub fn read(arguments: &[String]) -> Outcome<Self> {
        let [port, count, deaf, file, position] = arguments else {
            return Err("followers PORT COUNT DEAF FILE POSITION".into());
        };
        Ok(Self {
            port: port.parse()?,
            count: count.parse()?,
            deaf: deaf.parse()?,
            file: file.clone(),
            position: position.parse()?,
        })
    }

    /// Follows until it is killed. Says so when all have begun.
    pub fn run(self) -> Outcome {
        let streams = (0..self.count).map(|number| self.begin(number)).collect::<Outcome<Vec<_>>>()?;
        println!("following");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let deaf = usize::try_from(self.deaf)?;
        tokio::task::LocalSet::new().block_on(&runtime, async move {
            let mut tasks = Vec::new();
            let mut silent = Vec::new();
            for (number, stream) in streams.into_iter().enumerate() {
                if number < deaf {
                    silent.push(stream);
                } else {
                    tasks.push(tokio::task::spawn_local(hear(stream)));
                }
            }
            for task in tasks {
                task.await??;
            }
            loop {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        })
    }

    fn begin(&self, number: u32) -> Outcome<TcpStream> {
        let mut stream = swarm::login(self.port)?;
        stream
            .write_all(&framed(0, &[&[COM_QUERY], &b"SET @source_binlog_checksum = 'CRC32'"[..]].concat()))?;
        receive(&mut stream)?;
        let mut dump = vec![COM_BINLOG_DUMP];
        dump.extend(self.position.to_le_bytes());
        dump.extend([0, 0]);
        dump.extend((SERVER_ID + number).to_le_bytes());
        dump.extend(self.file.as_bytes());
        stream.write_all(&framed(0, &dump))?;
        // The first event, or what is wrong.
        let mut head = [0; 5];
        stream.read_exact(&mut head)?;
        rig::check(head[4] == 0, || "the server refuses a dump".to_owned())?;
        Ok(stream)
    }
}

async fn hear(stream: TcpStream) -> Outcome {
    stream.set_nonblocking(true)?;
    let mut stream = tokio::net::TcpStream::from_std(stream)?;
    let mut buffer = vec![0; 64 << 10];
    loop {
        let size = stream.read(&mut buffer).await?;
        rig::check(size > 0, || "the server has hung up on a dump".to_owned())?;
    }
}
