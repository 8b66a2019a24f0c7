//! Column definitions, and the bytes of rows on the wire and in the binlog.

use std::io::{Error, Result};

use crate::client::Client;
use crate::literals::{field, hex};

/// Fields: type; then `=`, its line in SHOW CREATE TABLE, COLUMN_TYPE, DATA_TYPE, the numbers of
/// `information_schema.columns`, the column definition packet, and TABLE_MAP's type and metadata.
pub fn column(client: &mut Client, fields: &[&str]) -> Result<String> {
    let [ty, ..] = *fields else { return Err(Error::other("one field")) };
    create(client, ty)?;
    let create = text(client, "SHOW CREATE TABLE imaged", 1)?;
    let line = create.lines().nth(1).unwrap_or_default().trim().trim_end_matches(',').to_owned();
    let of_schema = client.run(
        "SELECT column_type, data_type, character_maximum_length, character_octet_length, numeric_precision, \
         numeric_scale, datetime_precision, character_set_name, collation_name FROM information_schema.columns \
         WHERE table_schema = 'types_record' AND table_name = 'imaged'",
    )?;
    let row = of_schema.rows.first().ok_or_else(|| Error::other("no such column"))?;
    let schema = row.iter().map(|value| field(value.as_deref())).collect::<Vec<_>>().join("|");
    let mut wire = Vec::new();
    for charset in ["utf8mb4 COLLATE utf8mb4_general_ci", "latin1"] {
        client.run(&format!("SET NAMES {charset}"))?;
        let rows = client.run("SELECT c FROM imaged")?;
        let c = rows.columns.first().ok_or_else(|| Error::other("no column"))?;
        wire.push(format!("{}|{}|{}|{}|{}", c.type_code, c.collation_id, c.length, c.flags, c.decimals));
    }
    client.run("SET NAMES utf8mb4 COLLATE utf8mb4_general_ci")?;
    let (code, metadata, _) = logged(client, "NULL")?;
    Ok([ty, "=", &line, &schema, &wire[0], &wire[1], &format!("{code:02x}|{}", hex(&metadata))].join("\t"))
}

/// Fields: type, literal; then `=`, the row image, the column in a text row and in a binary row.
pub fn row(client: &mut Client, fields: &[&str]) -> Result<String> {
    let [ty, literal, ..] = *fields else { return Err(Error::other("two fields")) };
    create(client, ty)?;
    let (_, _, image) = logged(client, literal)?;
    let rows = client.run("SELECT c FROM imaged")?;
    let shown = rows.rows.first().and_then(|row| row.first()).cloned().flatten();
    let packets = client.binary("SELECT c FROM imaged")?;
    // A binary row is a zero, a bitmap of columns + 2 bits, and the values.
    let binary = packets.first().and_then(|packet| packet.get(2..)).unwrap_or_default();
    Ok([ty, literal, "=", &hex(&image), &field(shown.as_deref()), &hex(binary)].join("\t"))
}

fn create(client: &mut Client, ty: &str) -> Result<()> {
    client.run("SET sql_mode = ''")?;
    client.run("DROP TABLE IF EXISTS imaged")?;
    client.run(&format!("CREATE TABLE imaged (c {ty})"))?;
    Ok(())
}

/// Inserts a row and finds TABLE_MAP's type and metadata and the row image in the binlog.
fn logged(client: &mut Client, literal: &str) -> Result<(u8, Vec<u8>, Vec<u8>)> {
    let status = client.run("SHOW BINARY LOG STATUS")?;
    let position = |rows: &crate::client::Rows, column: usize| {
        let bytes = rows.rows.first().and_then(|row| row.get(column)).cloned().flatten();
        bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| Error::other("no binlog"))
    };
    let (file, start) = (position(&status, 0)?, position(&status, 1)?);
    client.run(&format!("INSERT INTO imaged VALUES ({literal})"))?;
    let directory = text(client, "SELECT @@datadir", 0)?;
    let content = client.run(&format!("SELECT SUBSTR(LOAD_FILE('{directory}{file}'), {start} + 1)"))?;
    let bytes = content.rows.first().and_then(|row| row.first()).cloned().flatten();
    let bytes = bytes.ok_or_else(|| Error::other("LOAD_FILE needs secure_file_priv = ''"))?;
    let (mut map, mut image) = (None, None);
    let mut at = 0;
    while let Some(header) = bytes.get(at..at + 19) {
        let size = u32::from_le_bytes([header[9], header[10], header[11], header[12]]);
        let end = at + usize::try_from(size).map_err(Error::other)?;
        let body = &bytes[at + 19..end - 4];
        match header[4] {
            19 => map = Some(table_map(body)),
            30 => image = Some(row_image(body)),
            _ => {}
        }
        at = end;
    }
    let (code, metadata) = map.ok_or_else(|| Error::other("no TABLE_MAP event"))?;
    Ok((code, metadata, image.ok_or_else(|| Error::other("no WRITE_ROWS event"))?))
}

/// The type and the metadata of a table with one column.
fn table_map(body: &[u8]) -> (u8, Vec<u8>) {
    let schema = 8 + 1 + usize::from(body[8]) + 1;
    let table = schema + 1 + usize::from(body[schema]) + 1;
    let (code, metadata) = (body[table + 1], &body[table + 2..]);
    (code, metadata[1..=usize::from(metadata[0])].to_vec())
}

/// The row of a WRITE_ROWS v2 event of a table with one column.
fn row_image(body: &[u8]) -> Vec<u8> {
    let extra = usize::from(u16::from_le_bytes([body[8], body[9]]));
    body[8 + extra + 2..].to_vec()
}

fn text(client: &mut Client, sql: &str, column: usize) -> Result<String> {
    let rows = client.run(sql)?;
    let value = rows.rows.first().and_then(|row| row.get(column)).cloned().flatten();
    value.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| Error::other(sql))
}
