//! A session that changes tables and keeps the account of it.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use rig::Outcome;
use rig::random::Random;

use super::model::{Change, DATABASE, Table, Trx};
use super::values::{Kind, number};
use crate::load::Load;
use crate::sql;

/// The column that [`Writer::resolve`] needs: the number of the last transaction.
const MARK: (&str, Kind) = ("last", Kind::Int { bits: 64, unsigned: true });

/// How a transaction begins, and is committed.
const USUAL: (&str, &[&str]) = ("BEGIN", &["COMMIT"]);

/// Other ways. In the binlog the changes of one with two phases come with XA PREPARE.
const XA: [(&str, &[&str]); 2] = [
    ("XA START 'x'", &["XA END 'x'", "XA PREPARE 'x'", "XA COMMIT 'x'"]),
    ("XA START 'x'", &["XA END 'x'", "XA COMMIT 'x' ONE PHASE"]),
];

/// See the module.
pub struct Writer {
    conn: Conn,
    random: Random,
    /// The tables that it changes; nobody else does.
    pub tables: Vec<Table>,
    /// Whether some of the transactions of [`Self::mix`] are XA transactions.
    pub with_xa: bool,
    done: Vec<Trx>,
    /// The transaction whose COMMIT was not answered, and the tables as they would be after it.
    unanswered: Option<(Trx, Vec<Table>)>,
}

impl Writer {
    /// Connects.
    pub async fn new(port: u16, seed: u64) -> Outcome<Self> {
        let (conn, random) = (connect(port).await?, Random::new(seed));
        Ok(Self { conn, random, tables: Vec::new(), with_xa: false, done: Vec::new(), unanswered: None })
    }

    /// Connects again, after the server was killed.
    pub async fn reconnect(&mut self, port: u16) -> Outcome {
        self.conn = connect(port).await?;
        Ok(())
    }

    /// A statement that changes no row.
    pub async fn run(&mut self, statement: &str) -> Outcome {
        Ok(self
            .conn
            .query_drop(statement)
            .await
            .map_err(|error| format!("{}: {error}", statement.chars().take(300).collect::<String>()))?)
    }

    /// Makes an empty table.
    pub async fn create(&mut self, table: Table) -> Outcome {
        self.run(&table.create()).await?;
        self.tables.push(table);
        Ok(())
    }

    /// DROP TABLE.
    pub async fn drop_table(&mut self, name: &str) -> Outcome {
        self.tables.retain(|table| table.name != name);
        self.run(&format!("DROP TABLE {DATABASE}.{name}")).await
    }

    /// One of its tables.
    pub fn table(&mut self, name: &str) -> &mut Table {
        self.tables.iter_mut().find(|table| table.name == name).expect("the scenario made it")
    }

    /// What was done since the last time.
    pub fn take(&mut self) -> Vec<Trx> {
        std::mem::take(&mut self.done)
    }

    /// A transaction of one statement whose changes are known.
    pub async fn one(&mut self, (statement, changes): (String, Vec<Change>)) -> Outcome {
        self.run(&statement).await?;
        self.record(changes);
        Ok(())
    }

    /// So many rows with any values, in one transaction of several statements.
    pub async fn fill(&mut self, name: &str, count: usize) -> Outcome {
        self.run("BEGIN").await?;
        let mut all = Vec::new();
        for begun in (0..count).step_by(100) {
            let mut random = self.random.clone();
            let (statement, changes) = self.table(name).insert((count - begun).min(100), &mut random);
            self.random = random;
            self.run(&statement).await?;
            all.extend(changes);
        }
        self.run("COMMIT").await?;
        self.record(all);
        Ok(())
    }

    /// UPDATE of all rows of a table: all columns become the same values.
    pub async fn update_all(&mut self, name: &str) -> Outcome {
        let mut random = self.random.clone();
        let table = self.table(name);
        let columns: Vec<usize> = (0..table.columns.len()).collect();
        let done = table.update(&(0..=u64::MAX), &columns, &mut random);
        self.random = random;
        self.one(done).await
    }

    /// Some transactions of any statements on its tables.
    pub async fn mix(&mut self, count: usize) -> Outcome {
        for _ in 0..count {
            let drawn = usize::try_from(self.random.below(10)).expect("small");
            let before = (drawn == 9).then(|| self.tables.clone());
            let (begin, commit) = XA.get(drawn).filter(|_| self.with_xa).unwrap_or(&USUAL);
            self.run(begin).await?;
            let mut changes = Vec::new();
            for _ in 0..=self.random.below(6) {
                let (statement, more) = self.any();
                self.run(&statement).await?;
                changes.extend(more);
            }
            if let Some(before) = before {
                self.tables = before;
                self.run("ROLLBACK").await?;
            } else {
                for statement in *commit {
                    self.run(statement).await?;
                }
                self.record(changes);
            }
        }
        Ok(())
    }

    /// Makes a table with a row that counts the transactions of [`Self::until_killed`].
    pub async fn create_marked(&mut self, name: &str) -> Outcome {
        self.create(Table::new(name, true, &[MARK, ("v", Kind::Varchar(60)), ("b", Kind::Varbinary(300))]))
            .await?;
        let inserted = self.table(name).insert_one(0, number(0));
        self.one(inserted).await
    }

    /// Transactions on its only table, which is marked, until the server is gone.
    pub async fn until_killed(&mut self, load: &Load) -> Outcome {
        for nth in 1.. {
            let before = self.tables.clone();
            let mut statements = vec!["BEGIN".to_owned()];
            let (statement, mut changes) = self.tables[0].update_one(1, 0, number(nth));
            statements.push(statement);
            for _ in 0..=self.random.below(3) {
                let (statement, more) = self.tables[0].insert(2, &mut self.random);
                statements.push(statement);
                changes.extend(more);
            }
            for statement in &statements {
                if gone(self.conn.query_drop(&**statement).await, load)? {
                    self.tables = before;
                    return Ok(());
                }
            }
            if gone(self.conn.query_drop("COMMIT").await, load)? {
                let after = std::mem::replace(&mut self.tables, before);
                self.unanswered = Some((changes, after));
                return Ok(());
            }
            self.record(changes);
            if nth == 1 {
                load.begin();
            }
        }
        Ok(())
    }

    /// After a restart: asks the server what became of the transaction whose COMMIT it did not answer. Returns whether
    /// it is there.
    pub async fn resolve(&mut self, port: u16) -> Outcome<bool> {
        self.reconnect(port).await?;
        let Some((changes, after)) = self.unanswered.take() else { return Ok(false) };
        let query = format!("SELECT {} FROM {DATABASE}.{} WHERE id = 1", MARK.0, self.tables[0].name);
        let found = sql::value(&mut self.conn, &query).await?;
        let committed = changes[0].after.as_ref().and_then(|image| image[MARK.0].clone()) == Some(found);
        if committed {
            self.tables = after;
            self.record(changes);
        }
        Ok(committed)
    }

    /// Any statement on any table.
    fn any(&mut self) -> (String, Vec<Change>) {
        let random = &mut self.random;
        let nth = usize::try_from(random.below(self.tables.len() as u64)).expect("a count of tables");
        let table = &mut self.tables[nth];
        if table.len() < 20 || random.below(3) == 0 {
            let count = 1 + usize::try_from(random.below(3)).expect("small");
            return table.insert(count, random);
        }
        let ids = table.some_rows(random);
        if random.below(3) == 0 {
            return table.delete(&ids);
        }
        let columns: Vec<usize> = (0..table.columns.len()).filter(|_| random.below(3) == 0).collect();
        if columns.is_empty() { table.delete(&ids) } else { table.update(&ids, &columns, random) }
    }

    fn record(&mut self, changes: Vec<Change>) {
        if !changes.is_empty() {
            self.done.push(changes);
        }
    }
}

/// Whether there was no answer, as is right once the server was killed. An answer that is an error is a failure.
fn gone(result: Result<(), mysql_async::Error>, load: &Load) -> Outcome<bool> {
    match result {
        Ok(()) => Ok(false),
        Err(mysql_async::Error::Server(error)) if error.code != 1053 => {
            Err(load.fail(error.to_string()).into())
        }
        Err(error) => load.end(&error).map(|()| true),
    }
}

async fn connect(port: u16) -> Outcome<Conn> {
    let mut conn = sql::root(port).await?;
    // What TIMESTAMP literals mean, and that a value too long is an error.
    conn.query_drop("SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES'").await?;
    Ok(conn)
}
