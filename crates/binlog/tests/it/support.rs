//! Purpose: what the other files share.
//!
//! Requirements: none of its own.
//!
//! Method: binlog files that MySQL wrote (`tests/golden`, see its README), and files in a simulated disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use binlog::event::{
    Charset, ColumnMeta, MetadataLevel, PkPart, Present, Put, Query, Row, RowsKind, RowsSpec, StatusVars,
    TableMap, column_type,
};
use binlog::{
    CacheLimits, ChecksumAlg, Encode, EventHeader, EventReader, EventType, FileHeader, Gtid, GtidPlan,
    GtidSet, Origin, RawEvent, TrxCache, TrxEvents, TrxStamps, Uuid,
};
use vfs::sim::SimDisk;
use vfs::{File, Open, Vfs};

pub const ORIGIN: Origin = Origin { timestamp: 1_700_000_000, server_id: 7 };
pub const SID: Uuid = Uuid([0x33, 0xdd, 0x33, 0x42, 0xe5, 0xeb, 0x11, 0xf1, 0xbc, 0x19, 2, 0xfc, 0, 0, 0, 1]);
pub const VERSION: u32 = 80046;
pub const SERVER_VERSION: &str = "8.0.46-onelog";

/// Binlog files that MySQL wrote.
pub const GOLDEN: [&str; 12] = [
    "mysql80-statements.000001",
    "mysql80-savepoint.000004",
    "mysql80-metadata.000005",
    "mysql80-open.000006",
    "mysql80-geometry.000007",
    "mysql80-keys.000001",
    "mysql80-anonymous.000001",
    "mysql80-nochecksum.000002",
    "mysql80-stop.000004",
    "mysql97-nochecksum.000003",
    "mysql97-xa.000008",
    "mysql97-compressed.000001",
];

pub fn golden(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let file = vfs::OsVfs.open(&path, Open::Read).unwrap();
    let mut bytes = vec![0; usize::try_from(file.len().unwrap()).unwrap()];
    file.read_exact_at(&mut bytes, 0).unwrap();
    bytes
}

/// A file of its own with these bytes.
pub fn file_of(bytes: &[u8]) -> Arc<dyn File> {
    let file = SimDisk::new().open(Path::new("binlog.000001"), Open::Create).unwrap();
    file.write_at(bytes, 0).unwrap();
    file
}

pub fn reader_of(bytes: &[u8]) -> EventReader {
    EventReader::open(file_of(bytes)).unwrap()
}

/// The bytes of each event of a whole file.
pub fn events_of(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut reader = reader_of(bytes);
    let mut events = Vec::new();
    while let Some(event) = reader.next_event().unwrap() {
        events.push(event.bytes.to_vec());
    }
    events
}

/// An event whose body is no encoder's own but as it was read.
pub struct AsRead<'a> {
    header: EventHeader,
    body: &'a [u8],
}

impl<'a> AsRead<'a> {
    pub fn new(event: &RawEvent<'a>) -> Self {
        Self { header: event.header, body: event.body }
    }
}

impl Encode for AsRead<'_> {
    fn event_type(&self) -> EventType {
        self.header.event_type
    }

    fn flags(&self) -> u16 {
        self.header.flags
    }

    fn put_body(&self, out: &mut impl Put) {
        out.put(self.body);
    }
}

pub fn cache_with(limits: CacheLimits) -> TrxCache {
    TrxCache::new(Arc::new(SimDisk::new()), PathBuf::from("binlog_cache_1"), limits)
}

pub fn cache() -> TrxCache {
    cache_with(CacheLimits::default())
}

/// The settings of an ordinary session, as MySQL 8.0 writes them in a BEGIN.
pub fn status<'a>() -> StatusVars<'a> {
    StatusVars {
        flags2: Some(0),
        sql_mode: Some(1_168_113_696),
        catalog: Some(b"std"),
        charset: Some(Charset { client: 255, connection: 255, server: 255 }),
        default_collation_for_utf8mb4: Some(255),
        ..StatusVars::default()
    }
}

/// `CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), n BIGINT UNSIGNED)`.
pub fn columns() -> Vec<ColumnMeta> {
    let pk = Some(PkPart { position: 0, prefix_chars: 0 });
    vec![
        ColumnMeta { type_code: column_type::LONG, name: b"id".to_vec(), pk, ..ColumnMeta::default() },
        ColumnMeta {
            type_code: column_type::VARCHAR,
            meta: [80, 0],
            nullable: true,
            collation: 255,
            name: b"name".to_vec(),
            ..ColumnMeta::default()
        },
        ColumnMeta {
            type_code: column_type::LONGLONG,
            nullable: true,
            unsigned: true,
            name: b"n".to_vec(),
            ..ColumnMeta::default()
        },
    ]
}

pub fn table_map() -> TableMap {
    TableMap::new(108, b"shop", b"t", &columns(), MetadataLevel::Full)
}

pub fn spec(kind: RowsKind) -> RowsSpec<'static> {
    RowsSpec { kind, table_id: 108, flags: 0, columns: 3, before: Present::All, after: Present::All }
}

/// The image of a row of [`columns`].
pub fn image(id: u32, name: &str, n: Option<u64>) -> Vec<u8> {
    let mut image = vec![if n.is_none() { 0b100 } else { 0 }];
    image.extend(id.to_le_bytes());
    image.push(u8::try_from(name.len()).unwrap());
    image.extend(name.as_bytes());
    image.extend(n.iter().flat_map(|n| n.to_le_bytes()));
    image
}

pub fn plan() -> GtidPlan {
    GtidPlan {
        sid: Some(SID),
        may_have_statements: false,
        original_commit_timestamp_us: None,
        immediate_server_version: VERSION,
        original_server_version: None,
    }
}

pub fn stamps(position: u64, number: u64) -> TrxStamps {
    TrxStamps {
        position,
        gno: number,
        last_committed: number - 1,
        sequence_number: number,
        immediate_commit_timestamp_us: 1_700_000_000_000_000 + number,
        xid: 1000 + number,
    }
}

/// BEGIN, a table map and a row of each kind for each of `rows`.
pub fn fill(cache: &mut TrxCache, rows: u32) {
    cache.append(ORIGIN, &Query::begin(9, status(), b"shop")).unwrap();
    for kind in [RowsKind::Write, RowsKind::Update, RowsKind::Delete] {
        cache.append(ORIGIN, &table_map()).unwrap();
        for id in 0..rows {
            let (before, after) = (image(id, "old", None), image(id, "new", Some(u64::from(id))));
            let row = match kind {
                RowsKind::Write => Row::Write(&after),
                RowsKind::Update => Row::Update(&before, &after),
                RowsKind::Delete => Row::Delete(&before),
            };
            cache.append_row(ORIGIN, &spec(kind), &row).unwrap();
        }
        cache.end_statement();
    }
}

/// A DDL statement's cache.
pub fn fill_ddl(cache: &mut TrxCache, sql: &str) {
    let status = StatusVars { updated_dbs: vec![b"shop"], ddl_xid: Some(4711), ..status() };
    let query = Query { flags: 0, sql: sql.as_bytes(), ..Query::begin(9, status, b"shop") };
    cache.append(ORIGIN, &query).unwrap();
}

pub fn header(checksum: ChecksumAlg, previous: &GtidSet) -> Vec<u8> {
    let header =
        FileHeader { origin: ORIGIN, server_version: SERVER_VERSION, created: 0, checksum, previous };
    let mut bytes = Vec::new();
    header.append_to(&mut bytes);
    bytes
}

/// Appends a transaction to a file's bytes.
pub fn append_trx(bytes: &mut Vec<u8>, cache: &TrxCache, checksum: ChecksumAlg, number: u64) {
    let trx = TrxEvents::transaction(cache, plan(), ORIGIN);
    trx.write_into(checksum, &stamps(bytes.len() as u64, number), bytes);
}

/// Appends a DDL statement to a file's bytes.
pub fn append_ddl(bytes: &mut Vec<u8>, sql: &str, checksum: ChecksumAlg, number: u64) {
    let mut cache = cache();
    fill_ddl(&mut cache, sql);
    let plan = GtidPlan { may_have_statements: true, ..plan() };
    let trx = TrxEvents::statement(&cache, plan, ORIGIN);
    let len = trx.final_len(checksum);
    let start = bytes.len() as u64;
    trx.write_into(checksum, &stamps(start, number), bytes);
    assert_eq!(bytes.len() as u64, start + len);
}

/// A whole file with `count` groups, every third of them DDL.
pub fn sample_file(checksum: ChecksumAlg, count: u64) -> Vec<u8> {
    let previous = GtidSet::from_iter([Gtid { sid: SID, gno: 1 << 40 }]);
    let mut bytes = header(checksum, &previous);
    for number in 1..=count {
        if number % 3 == 0 {
            append_ddl(&mut bytes, "create table x (a int)", checksum, number);
        } else {
            let mut cache = cache();
            fill(&mut cache, u32::try_from(number).unwrap());
            append_trx(&mut bytes, &cache, checksum, number);
        }
    }
    bytes
}
