//! Encodes and finalises one small transaction over and over: what the binlog adds to a commit in CPU time.
//!
//! `time cargo run --profile dist -p binlog --example encode_loop -- 10000000`: the user time divided by the count. The
//! transaction is sysbench's `oltp_update_non_index`: BEGIN, a table map, one row of 2 x 190 bytes, XID.

use std::error::Error;
use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;

use binlog::event::{
    Charset, ColumnMeta, MetadataLevel, Present, Query, Row, RowsKind, RowsSpec, StatusVars, TableMap,
    column_type,
};
use binlog::{
    CacheLimits, ChecksumAlg, Gtid, GtidPlan, GtidSet, Origin, TrxCache, TrxEvents, TrxStamps, Uuid,
};
use vfs::OsVfs;

fn columns() -> Vec<ColumnMeta> {
    let text =
        |meta| ColumnMeta { type_code: column_type::STRING, meta, collation: 255, ..ColumnMeta::default() };
    let int = || ColumnMeta { type_code: column_type::LONG, ..ColumnMeta::default() };
    vec![int(), int(), text(ColumnMeta::string_meta(480)), text(ColumnMeta::string_meta(240))]
}

fn main() -> Result<(), Box<dyn Error>> {
    let count: u64 = std::env::args().nth(1).ok_or("usage: encode_loop COUNT")?.parse()?;
    let sid = Uuid([7; 16]);
    let map = TableMap::new(88, b"sbtest", b"sbtest1", &columns(), MetadataLevel::Minimal);
    let image = [0xaa; 190];
    let spec = RowsSpec {
        kind: RowsKind::Update,
        table_id: 88,
        flags: 0,
        columns: 4,
        before: Present::All,
        after: Present::All,
    };
    let plan = GtidPlan {
        sid: Some(sid),
        may_have_statements: false,
        original_commit_timestamp_us: None,
        immediate_server_version: 80_046,
        original_server_version: None,
    };
    let mut cache = TrxCache::new(Arc::new(OsVfs), PathBuf::from("/tmp/encode_loop"), CacheLimits::default());
    let mut executed = GtidSet::new();
    let mut bytes = Vec::new();
    let mut position = 4;
    for number in 1..=count {
        let origin = Origin { timestamp: 1_700_000_000, server_id: 1 };
        let status = StatusVars {
            flags2: Some(0),
            sql_mode: Some(0),
            catalog: Some(b"std"),
            charset: Some(Charset { client: 255, connection: 255, server: 255 }),
            default_collation_for_utf8mb4: Some(255),
            ..StatusVars::default()
        };
        cache.append(origin, &Query::begin(9, status, b"sbtest"))?;
        cache.append(origin, &map)?;
        cache.append_row(origin, &spec, &Row::Update(&image, black_box(&image)))?;
        cache.end_statement();
        let trx = TrxEvents::transaction(&cache, plan, origin);
        let len = trx.final_len(ChecksumAlg::Crc32);
        bytes.clear();
        let stamps = TrxStamps {
            position,
            gno: number,
            last_committed: number - 1,
            sequence_number: number,
            immediate_commit_timestamp_us: 1_700_000_000_000_000 + number,
            xid: number,
        };
        executed.add(Gtid { sid, gno: number });
        trx.write_into(ChecksumAlg::Crc32, &stamps, &mut bytes);
        black_box(&bytes);
        position += len;
        cache.reset();
    }
    Ok(())
}
