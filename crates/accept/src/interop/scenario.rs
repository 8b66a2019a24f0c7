//! What happens to a source while a consumer follows it.
//!
//! 1. Rows that are there before the consumer begins.
//! 2. Changes while it begins, or takes its snapshot.
//! 3. Changes of tables between changes of rows.
//! 4. Rows and transactions that are large.
//! 5. Four sessions at once, in the midst of which the source is killed and started again, then the consumer as well;
//!    changes while it is away.
//! 6. A last row.
//!
//! The binlog is rotated all the time, by size and by FLUSH BINARY LOGS.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rig::{Outcome, check};

use super::consumer::Consumer;
use super::model::{DATABASE, Table};
use super::source::Source;
use super::values::{Kind, number, repeated};
use super::verdict::Phase;
use super::writer::Writer;
use crate::Plan;
use crate::load::Load;

/// Sessions of the fifth phase.
const SESSIONS: u64 = 4;
/// How long a consumer may take to begin.
const PATIENCE: Duration = Duration::from_mins(2);

/// Every type that onelog has.
pub const EVERYTHING: [(&str, Kind); 30] = [
    ("i8", Kind::Int { bits: 8, unsigned: false }),
    ("u8", Kind::Int { bits: 8, unsigned: true }),
    ("i16", Kind::Int { bits: 16, unsigned: false }),
    ("u16", Kind::Int { bits: 16, unsigned: true }),
    ("i24", Kind::Int { bits: 24, unsigned: false }),
    ("u24", Kind::Int { bits: 24, unsigned: true }),
    ("i32", Kind::Int { bits: 32, unsigned: false }),
    ("u32", Kind::Int { bits: 32, unsigned: true }),
    ("i64", Kind::Int { bits: 64, unsigned: false }),
    ("u64", Kind::Int { bits: 64, unsigned: true }),
    ("dec_small", Kind::Decimal { precision: 5, scale: 2 }),
    ("dec_large", Kind::Decimal { precision: 40, scale: 15 }),
    ("f32", Kind::Float),
    ("f64", Kind::Double),
    ("c", Kind::Char(20)),
    ("v", Kind::Varchar(80)),
    ("t", Kind::Text),
    ("b", Kind::Binary(16)),
    ("vb", Kind::Varbinary(300)),
    ("e", Kind::Enum),
    ("st", Kind::Set),
    ("y", Kind::Year),
    ("bits", Kind::Bit(12)),
    ("j", Kind::Json),
    ("d", Kind::Date),
    ("t0", Kind::Time(0)),
    ("t6", Kind::Time(6)),
    ("dt0", Kind::DateTime(0)),
    ("dt6", Kind::DateTime(6)),
    ("ts3", Kind::Timestamp(3)),
];

/// See the module.
pub struct Scenario {
    source: Source,
    consumer: Consumer,
    main: Writer,
    sentinels: Table,
    phases: Vec<Phase>,
    seed: u64,
    /// Multiplies the numbers of transactions.
    times: usize,
}

impl Scenario {
    /// Starts a source, with rows in it.
    pub async fn new(
        plan: &Plan,
        dir: &Path,
        gtids: bool,
        consumer: impl FnOnce(u16) -> Consumer,
    ) -> Outcome<Self> {
        let source = Source::start(plan.source, dir, gtids)?;
        let consumer = consumer(source.port);
        let mut main = Writer::new(source.port, plan.seed).await?;
        main.with_xa = gtids && consumer.profile.sees_xa;
        make_account(&mut main).await?;
        main.run(&format!("CREATE DATABASE {DATABASE}")).await?;
        let sentinels = Table::new("sentinels", true, &[("says", Kind::Varchar(40))]);
        main.run(&sentinels.create()).await?;
        main.create(Table::new("everything", true, &EVERYTHING)).await?;
        main.create(Table::new("keyless", false, &[("n", EVERYTHING[0].1), ("v", Kind::Varchar(30))]))
            .await?;
        main.fill("everything", 300).await?;
        main.fill("keyless", 50).await?;
        let times = if plan.full { 20 } else { 1 };
        let mut scenario =
            Self { source, consumer, main, sentinels, phases: Vec::new(), seed: plan.seed, times };
        scenario.end_phase();
        Ok(scenario)
    }

    /// Runs it. Returns the consumer, which has been stopped, and what was done.
    pub async fn run(mut self) -> Outcome<(Consumer, Vec<Phase>)> {
        self.begin().await?;
        self.change_tables().await?;
        self.grow().await?;
        self.crash().await?;
        self.stay_away().await?;
        self.settle().await?;
        self.consumer.stop()?;
        self.end_phase();
        drop(self.main);
        self.source.stop()?;
        Ok((self.consumer, self.phases))
    }

    /// The consumer begins while rows change. The place of a snapshot between XA PREPARE and XA COMMIT is behind changes that
    /// the snapshot does not hold, in MySQL as well: there is none of two phases while one is taken.
    async fn begin(&mut self) -> Outcome {
        let with_xa = self.main.with_xa;
        self.main.with_xa &= !self.consumer.profile.snapshot;
        self.consumer.start()?;
        let begun = Instant::now();
        let mut done = 0;
        while done < 100 * self.times || !self.consumer.has_begun()? {
            check(begun.elapsed() < PATIENCE, || format!("{} does not begin", self.consumer.profile.name))?;
            self.main.mix(1).await?;
            done += 1;
            if done % 40 == 0 {
                self.rotate().await?;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        self.main.with_xa = with_xa;
        self.end_phase();
        Ok(())
    }

    /// Columns and tables come and go.
    async fn change_tables(&mut self) -> Outcome {
        let statement = self.main.table("everything").add_column(25, "added", EVERYTHING[6].1, &number(7));
        self.alter(&statement).await?;
        self.main.mix(30 * self.times).await?;
        let statement = self.main.table("everything").add_column(0, "in_front", EVERYTHING[9].1, &number(8));
        self.alter(&statement).await?;
        self.main.mix(30 * self.times).await?;
        self.rotate().await?;
        let statement = self.main.table("everything").drop_column(15);
        self.alter(&statement).await?;
        self.main.mix(30 * self.times).await?;
        for columns in [&EVERYTHING[..4], &EVERYTHING[14..17]] {
            self.main.create(Table::new("short_lived", true, columns)).await?;
            self.main.fill("short_lived", 30).await?;
            self.main.mix(20 * self.times).await?;
            if columns.len() == 4 {
                self.settle_for_schema().await?;
                self.main.drop_table("short_lived").await?;
            }
        }
        self.alter(&format!("RENAME TABLE {DATABASE}.short_lived TO {DATABASE}.long_lived")).await?;
        "long_lived".clone_into(&mut self.main.table("short_lived").name);
        let (copy, statement, rows) = self.main.table("long_lived").copy_as("copied");
        self.main.one((statement, rows)).await?;
        self.main.tables.push(copy);
        self.main.mix(20 * self.times).await?;
        let statement = self.main.table("keyless").truncate();
        self.alter(&statement).await?;
        self.main.mix(30 * self.times).await?;
        self.end_phase();
        Ok(())
    }

    /// Rows beyond a packet of 16 MiB; transactions of thousands of rows.
    async fn grow(&mut self) -> Outcome {
        let mut large = Table::new("large_rows", true, &[("b", Kind::Blob), ("t", Kind::Text)]);
        self.main.run(&large.create()).await?;
        self.main.one(large.insert_one(0, repeated(&[0, 1, 255, 39, 92], 3_600_000))).await?;
        self.main.one(large.insert_one(0, repeated(b"\0", 1_000_000))).await?;
        self.main.one(large.update_one(1, 0, repeated(b"onelog ", 100_000))).await?;
        self.main.one(large.update_one(2, 0, repeated(b"x", (1 << 24) - 1))).await?;
        self.main.one(large.delete(&(1..=2))).await?;
        self.rotate().await?;
        let columns = [EVERYTHING[8], EVERYTHING[11], EVERYTHING[15], EVERYTHING[23]];
        self.main.create(Table::new("bulk", true, &columns)).await?;
        self.main.fill("bulk", 5_000 * self.times).await?;
        self.main.update_all("bulk").await?;
        let gone = self.main.table("bulk").delete(&(100..=u64::MAX));
        self.main.one(gone).await?;
        self.end_phase();
        Ok(())
    }

    /// Sessions beside each other; `kill -9` of the source.
    async fn crash(&mut self) -> Outcome {
        let port = self.source.port;
        let mut sessions = Vec::new();
        for nth in 1..=SESSIONS {
            let mut writer = Writer::new(port, self.seed + nth).await?;
            writer.create_marked(&format!("session{nth}")).await?;
            sessions.push(writer);
        }
        let load = Load::new();
        let run = |mut writer: Writer| {
            let load = Arc::clone(&load);
            tokio::spawn(async move { writer.until_killed(&load).await.map(|()| writer) })
        };
        let running: Vec<_> = sessions.into_iter().map(run).collect();
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_millis(200)).await;
            self.rotate().await?;
        }
        load.await_begun(running.len())?;
        load.expect_end()?;
        self.source.kill()?;
        let mut phase = Vec::new();
        let mut sessions = Vec::new();
        for running in running {
            sessions.push(running.await??);
        }
        // The consumer meets a server that is not there.
        tokio::time::sleep(Duration::from_millis(500)).await;
        self.source.start_again()?;
        let mut found = 0;
        for mut writer in sessions {
            found += usize::from(writer.resolve(port).await?);
            phase.push(writer.take());
        }
        let count: usize = phase.iter().map(Vec::len).sum();
        println!(
            "{count} transactions of {SESSIONS} sessions before kill -9; {found} of them were not acknowledged"
        );
        self.phases.push(phase);
        self.main.reconnect(port).await?;
        self.main.mix(30 * self.times).await
    }

    /// The consumer is away for a while.
    async fn stay_away(&mut self) -> Outcome {
        self.consumer.check_alive()?;
        self.settle_for_schema().await?;
        self.consumer.stop()?;
        self.main.mix(30 * self.times).await?;
        self.rotate().await?;
        self.main.mix(30 * self.times).await?;
        if !self.consumer.profile.reads_schema_late {
            let statement =
                self.main.table("everything").add_column(3, "while_away", EVERYTHING[15].1, &number(9));
            self.main.run(&statement).await?;
            self.main.mix(30 * self.times).await?;
        }
        self.consumer.start()?;
        self.main.mix(30 * self.times).await
    }

    async fn alter(&mut self, statement: &str) -> Outcome {
        self.settle_for_schema().await?;
        self.main.run(statement).await
    }

    async fn settle_for_schema(&mut self) -> Outcome {
        if self.consumer.profile.reads_schema_late { self.settle().await } else { Ok(()) }
    }

    /// Waits until the consumer has written everything.
    async fn settle(&mut self) -> Outcome {
        let text = format!("sentinel {}", self.sentinels.len() + 1);
        self.main.one(self.sentinels.insert_one(0, super::values::text(&text))).await?;
        self.consumer.wait_for(&format!("{text}\""))
    }

    async fn rotate(&mut self) -> Outcome {
        self.main.run("FLUSH BINARY LOGS").await
    }

    fn end_phase(&mut self) {
        let done = self.main.take();
        self.phases.push(vec![done]);
    }
}

/// The account of consumers: no password, and no more privileges than a snapshot and a stream need.
pub async fn make_account(writer: &mut Writer) -> Outcome {
    writer.run("CREATE USER cdc@'%'").await?;
    let privileges = "SELECT, RELOAD, SHOW DATABASES, LOCK TABLES, REPLICATION SLAVE, REPLICATION CLIENT";
    writer.run(&format!("GRANT {privileges} ON *.* TO cdc@'%'")).await
}
