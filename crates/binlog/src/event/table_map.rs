//! TABLE_MAP: names and types of the columns that the following rows events use.
//!
//! | size | field |
//! | --- | --- |
//! | 6 | table id |
//! | 2 | flags: 1 = lengths of BIT are exact |
//! | 1 + n + 1 | database: length, name, zero |
//! | 1 + n + 1 | table: length, name, zero |
//! | 1, 3, 4, 9 | number of columns |
//! | 1 each | type codes |
//! | 1.. + n | metadata of the types, behind its length |
//! | (columns + 7) / 8 | a bit for each column, lowest bit first: may be NULL |
//! | rest | optional metadata: [`super::MetadataLevel`] |

use super::column::meta_len;
use super::put::{Put, put_bits_low_first, put_lenenc, put_lenenc_bytes, put_short, put_u48};
use super::table_metadata::put_metadata;
use super::{ColumnMeta, Encode, EventType, MetadataLevel};

/// Lengths of BIT columns are exact.
const BIT_LEN_EXACT: u16 = 1;

/// A table map, encoded once for each version of a table and copied into each transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableMap {
    table_id: u64,
    column_count: usize,
    body: Box<[u8]>,
}

impl TableMap {
    /// Encodes the map of a table. Names are UTF-8.
    ///
    /// # Panics
    /// If a name is longer than 255 bytes, the id has more than 48 bits, or a type code is none of
    /// [`super::column_type`].
    pub fn new(table_id: u64, db: &[u8], table: &[u8], columns: &[ColumnMeta], level: MetadataLevel) -> Self {
        let mut body = Vec::new();
        put_u48(&mut body, table_id);
        body.put(&BIT_LEN_EXACT.to_le_bytes());
        for name in [db, table] {
            put_short(&mut body, name);
            body.push(0);
        }
        put_lenenc(&mut body, columns.len() as u64);
        body.extend(columns.iter().map(|column| column.type_code));
        let mut metadata = Vec::new();
        for column in columns {
            let len = meta_len(column.type_code).expect("type codes are those of column_type");
            metadata.extend_from_slice(&column.meta[..len]);
        }
        put_lenenc_bytes(&mut body, &metadata);
        put_bits_low_first(&mut body, columns.iter().map(|column| column.nullable));
        put_metadata(&mut body, columns, level);
        Self { table_id, column_count: columns.len(), body: body.into() }
    }

    /// The id that rows events name.
    pub fn table_id(&self) -> u64 {
        self.table_id
    }

    /// How many columns the table has.
    pub fn column_count(&self) -> usize {
        self.column_count
    }
}

impl Encode for TableMap {
    fn event_type(&self) -> EventType {
        EventType::TABLE_MAP
    }

    fn put_body(&self, out: &mut impl Put) {
        out.put(&self.body);
    }
}
