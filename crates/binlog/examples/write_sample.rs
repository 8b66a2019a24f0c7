//! Writes a small log with everything that this crate can write, for other tools to read.
//!
//! `cargo run -p binlog --example write_sample -- DIR` writes `binlog.000001` (CRC32, ends with ROTATE), `binlog.000002`
//! (no checksums, ends with ROTATE), `binlog.000003` (CRC32, ends with STOP) and `binlog.index` into DIR. Then, for each:
//! `mariadb-binlog -v --verify-binlog-checksum FILE` and Oracle's `mysqlbinlog -v --verify-binlog-checksum FILE` must print
//! all of it without a warning.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use binlog::event::{
    AutoIncrement, Charset, ColumnMeta, MetadataLevel, PkPart, Present, Query, Rotate, Row, RowsKind,
    RowsQuery, RowsSpec, StatusVars, Stop, TableMap, column_type, flag,
};
use binlog::finalise::append_final;
use binlog::rotate::begin_file;
use binlog::{
    BinlogIndex, CacheLimits, ChecksumAlg, FileHeader, Gtid, GtidPlan, GtidSet, LogFile, Origin, Placement,
    TrxCache, TrxEvents, TrxStamps, Uuid, rotate,
};
use vfs::{OsVfs, Vfs};

const SID: Uuid = Uuid([0xaa; 16]);
const TABLE_ID: u64 = 77;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A log, and what a sequencer would know about it.
struct Writer {
    index: BinlogIndex,
    log: Option<LogFile>,
    checksum: ChecksumAlg,
    executed: GtidSet,
    sequence: u64,
    origin: Origin,
    dir: PathBuf,
}

impl Writer {
    fn new(dir: &Path) -> Result<Self> {
        OsVfs.create_dir_all(dir)?;
        let mut index = BinlogIndex::open(&OsVfs, dir, "binlog")?;
        index.remove_all(&OsVfs)?;
        let origin = Origin { timestamp: 1_700_000_000, server_id: 4711 };
        Ok(Self {
            index,
            log: None,
            checksum: ChecksumAlg::Crc32,
            executed: GtidSet::new(),
            sequence: 0,
            origin,
            dir: dir.to_owned(),
        })
    }

    fn begin(&mut self, checksum: ChecksumAlg) -> Result<()> {
        let name = self.index.next_name().ok_or("no more numbers")?;
        let mut head = Vec::new();
        let header = FileHeader {
            origin: self.origin,
            server_version: "8.0.46-onelog",
            created: if self.log.is_none() { self.origin.timestamp } else { 0 },
            checksum,
            previous: &self.executed,
        };
        header.append_to(&mut head);
        self.log = Some(match self.log.take() {
            None => begin_file(&OsVfs, &mut self.index, name, &head)?,
            Some(mut old) => {
                let file = name.to_string();
                let event = Rotate { position: 4, file: file.as_bytes() };
                let mut bytes = Vec::new();
                append_final(&mut bytes, &event, self.origin, Placement::At(old.position()), self.checksum);
                old.append(&bytes)?;
                rotate(&OsVfs, &mut self.index, old, name, &head)?
            }
        });
        self.checksum = checksum;
        self.sequence = 0;
        Ok(())
    }

    fn cache(&self) -> TrxCache {
        let limits = CacheLimits { memory_bytes: 4096, ..CacheLimits::default() };
        TrxCache::new(Arc::new(OsVfs), self.dir.join("binlog_cache"), limits)
    }

    fn commit(&mut self, mut cache: TrxCache, rows: bool, anonymous: bool) -> Result<()> {
        cache.load(u64::MAX)?;
        let gno = self.executed.free_run(&SID, 1).ok_or("no more numbers")?.start;
        let plan = GtidPlan {
            sid: (!anonymous).then_some(SID),
            may_have_statements: !rows,
            original_commit_timestamp_us: (gno == 3).then_some(1_600_000_000_000_000),
            immediate_server_version: 80_046,
            original_server_version: (gno == 3).then_some(80_032),
        };
        let log = self.log.as_mut().ok_or("no file")?;
        self.sequence += 1;
        let stamps = TrxStamps {
            position: log.position(),
            gno,
            last_committed: self.sequence - 1,
            sequence_number: self.sequence,
            immediate_commit_timestamp_us: 1_700_000_000_000_000 + gno,
            xid: 1000 + self.sequence,
        };
        let build = if rows { TrxEvents::transaction } else { TrxEvents::statement };
        let trx = build(&cache, plan, self.origin);
        let mut bytes = Vec::new();
        trx.write_into(self.checksum, &stamps, &mut bytes);
        log.append(&bytes)?;
        log.sync_data()?;
        if !anonymous {
            self.executed.add(Gtid { sid: SID, gno });
        }
        Ok(())
    }

    fn ddl(&mut self, sql: &str, flags: u16) -> Result<()> {
        let mut cache = self.cache();
        let status = StatusVars {
            updated_dbs: vec![b"shop"],
            explicit_defaults_for_timestamp: Some(true),
            ddl_xid: Some(99),
            sql_require_primary_key: Some(false),
            ..status()
        };
        let query = Query { flags, sql: sql.as_bytes(), ..Query::begin(8, status, b"shop") };
        cache.append(self.origin, &query)?;
        self.commit(cache, false, false)
    }

    /// Inserts, updates and deletes `count` rows with names of `len` bytes.
    fn rows(&mut self, count: u32, len: usize, level: MetadataLevel, anonymous: bool) -> Result<()> {
        let mut cache = self.cache();
        let begin = StatusVars {
            auto_increment: Some(AutoIncrement { increment: 5, offset: 2 }),
            time_zone: Some(b"+02:00"),
            microseconds: Some(123_456),
            ..status()
        };
        cache.append(self.origin, &Query::begin(8, begin, b"shop"))?;
        let map = TableMap::new(TABLE_ID, b"shop", b"goods", &columns(), level);
        for kind in [RowsKind::Write, RowsKind::Update, RowsKind::Delete] {
            cache.append(self.origin, &RowsQuery { sql: format!("{kind:?} of {count} goods").as_bytes() })?;
            cache.append(self.origin, &map)?;
            for id in 0..count {
                let (before, after) = (image(id, "a", len), image(id, "b", len));
                let row = match kind {
                    RowsKind::Write => Row::Write(&before),
                    RowsKind::Update => Row::Update(&before, &after),
                    RowsKind::Delete => Row::Delete(&after),
                };
                let (before, after) = (Present::All, Present::All);
                let spec = RowsSpec { kind, table_id: TABLE_ID, flags: 0, columns: 6, before, after };
                cache.append_row(self.origin, &spec, &row)?;
            }
            cache.end_statement();
        }
        self.commit(cache, true, anonymous)
    }

    fn stop(mut self) -> Result<()> {
        let mut log = self.log.take().ok_or("no file")?;
        let mut bytes = Vec::new();
        append_final(&mut bytes, &Stop, self.origin, Placement::At(log.position()), self.checksum);
        log.append(&bytes)?;
        Ok(log.close()?)
    }
}

fn status<'a>() -> StatusVars<'a> {
    StatusVars {
        flags2: Some(0),
        sql_mode: Some(0x45a0_0020),
        catalog: Some(b"std"),
        charset: Some(Charset { client: 45, connection: 45, server: 45 }),
        default_collation_for_utf8mb4: Some(45),
        ..StatusVars::default()
    }
}

/// `id INT PRIMARY KEY, name VARCHAR(2000), price DECIMAL(10,2), kind ENUM('x','yy'), made DATETIME(6), note TEXT`.
fn columns() -> Vec<ColumnMeta> {
    let column = |name: &str, type_code, meta| ColumnMeta {
        type_code,
        meta,
        nullable: name != "id",
        name: name.as_bytes().to_vec(),
        ..ColumnMeta::default()
    };
    let pk = Some(PkPart { position: 0, prefix_chars: 0 });
    let members = vec![b"x".to_vec(), b"yy".to_vec()];
    vec![
        ColumnMeta { pk, ..column("id", column_type::LONG, [0, 0]) },
        ColumnMeta { collation: 45, ..column("name", column_type::VARCHAR, 8000_u16.to_le_bytes()) },
        column("price", column_type::NEWDECIMAL, [10, 2]),
        ColumnMeta { collation: 45, members, ..column("kind", column_type::STRING, [column_type::ENUM, 1]) },
        column("made", column_type::DATETIME2, [6, 0]),
        ColumnMeta { collation: 45, ..column("note", column_type::BLOB, [2, 0]) },
    ]
}

/// A row of [`columns`]: 19.99, 'yy', 2020-01-01 01:02:03.123456, no note.
fn image(id: u32, letter: &str, len: usize) -> Vec<u8> {
    let name = letter.repeat(len);
    let mut image = vec![0b10_0000];
    image.extend(id.to_le_bytes());
    image.extend(u16::try_from(len).unwrap_or(u16::MAX).to_le_bytes());
    image.extend(name.as_bytes());
    image.extend([0x80, 0, 0, 19, 99]);
    image.push(2);
    image.extend([0x99, 0xa5, 0x42, 0x10, 0x83, 0x01, 0xe2, 0x40]);
    image
}

fn main() -> Result<()> {
    let dir = std::env::args().nth(1).ok_or("usage: write_sample DIR")?;
    let mut writer = Writer::new(Path::new(&dir))?;
    writer.begin(ChecksumAlg::Crc32)?;
    writer.ddl("create database shop", flag::SUPPRESS_USE)?;
    writer.ddl("create table goods (id int primary key, name varchar(2000), price decimal(10,2), kind enum('x','yy'), made datetime(6), note text)", 0)?;
    writer.rows(3, 10, MetadataLevel::Minimal, false)?;
    writer.rows(20, 1500, MetadataLevel::Full, false)?;
    writer.rows(1, 1, MetadataLevel::Full, true)?;
    writer.begin(ChecksumAlg::None)?;
    writer.rows(2, 1, MetadataLevel::Full, false)?;
    writer.begin(ChecksumAlg::Crc32)?;
    writer.rows(2, 1, MetadataLevel::Full, false)?;
    writer.ddl("drop table goods", flag::THREAD_SPECIFIC)?;
    writer.stop()
}
