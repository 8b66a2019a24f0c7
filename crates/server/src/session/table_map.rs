//! Binlog table maps, encoded once for each version of a table.

use binlog::event::{ColumnMeta, MetadataLevel, PkPart, TableMap};
use engine::catalog::def::TableDef;
use engine::catalog::table::Table;
use types::collation::Collation;

/// Both levels of `binlog_row_metadata`.
#[derive(Debug)]
struct Maps {
    minimal: TableMap,
    full: TableMap,
}

/// The table map of a version of a table.
pub(super) fn table_map(table: &Table, level: MetadataLevel) -> &TableMap {
    let maps = table.attached.get_or_init(|| Box::new(Maps::new(&table.def)));
    let maps = maps.downcast_ref::<Maps>().expect("nothing else is attached to tables");
    match level {
        MetadataLevel::Minimal => &maps.minimal,
        MetadataLevel::Full => &maps.full,
    }
}

impl Maps {
    fn new(def: &TableDef) -> Self {
        let columns: Vec<ColumnMeta> = (0..def.columns.len()).map(|place| column_meta(def, place)).collect();
        let map =
            |level| TableMap::new(def.id.0.into(), def.db.as_bytes(), def.name.as_bytes(), &columns, level);
        Self { minimal: map(MetadataLevel::Minimal), full: map(MetadataLevel::Full) }
    }
}

fn column_meta(def: &TableDef, place: usize) -> ColumnMeta {
    let column = &def.columns[place];
    let ty = column.ty.binlog_type();
    let mut meta = [0; 2];
    meta[..ty.metadata().len()].copy_from_slice(ty.metadata());
    let part = def.identity().and_then(|primary| {
        let position = primary.parts.iter().position(|part| usize::from(part.column) == place)?;
        let prefix = primary.parts[position].prefix.unwrap_or(0);
        Some(PkPart {
            position: u16::try_from(position).expect("a key has at most 16 parts"),
            prefix_chars: u16::try_from(prefix).expect("a prefix is below 3,072"),
        })
    });
    ColumnMeta {
        type_code: ty.code,
        meta,
        nullable: column.nullable,
        unsigned: column.ty.is_unsigned(),
        collation: column.ty.collation().unwrap_or(Collation::Binary).id(),
        name: column.name.clone().into_bytes(),
        pk: part,
        members: column
            .ty
            .labels()
            .map_or_else(Vec::new, |labels| labels.names().map(<[u8]>::to_vec).collect()),
        ..ColumnMeta::default()
    }
}
