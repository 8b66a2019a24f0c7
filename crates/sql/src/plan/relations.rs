//! What foreign keys have to do with a statement: the tables in which it must look for parents and children, and those
//! that change along with its own, as far as its changes can spread.
//!
//! Whoever changes a foreign key, or one of the two tables that it is between, makes new versions of both, so a plan
//! that holds these versions is stale when they are.

use std::collections::BTreeSet;
use std::sync::Arc;

use engine::catalog::Catalog;
use engine::catalog::def::{ForeignKeyDef, IndexDef, ReferentialAction, TableDef};
use engine::catalog::table::Table;

use super::{Computed, IndexRef, PlannedTable, RowRules};

/// What is done to rows of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doing {
    /// Rows are added.
    pub inserts: bool,
    /// Rows are removed.
    pub deletes: bool,
    /// These columns of rows change.
    pub updates: BTreeSet<u16>,
}

/// See the module. The statement's own table is the first.
#[derive(Debug)]
pub struct Relations {
    tables: Vec<Related>,
}

/// A table of [`Relations`].
#[derive(Debug)]
struct Related {
    table: Arc<Table>,
    doing: Doing,
    parents: Vec<ParentKey>,
    children: Vec<ChildKey>,
    /// Its expressions, if its rows follow those of others and have generated columns.
    computed: Option<RowRules>,
}

/// A foreign key of a table that changes.
#[derive(Debug)]
pub(crate) struct ParentKey {
    /// Its place in the table's list.
    pub(crate) key: usize,
    /// The place of the parents' table in [`Relations`], and how parents are found. `None` if they cannot be: the
    /// table, a column or an index is missing.
    pub(crate) parent: Option<(usize, Finder)>,
    /// The columns on which depends where the row is found as a child.
    pub(crate) found_by: BTreeSet<u16>,
}

/// A foreign key to a table that changes.
#[derive(Debug)]
pub(crate) struct ChildKey {
    /// The place of the children's table in [`Relations`].
    pub(crate) child: usize,
    /// The key's place in that table's list.
    pub(crate) key: usize,
    /// The parents' columns.
    pub(crate) columns: Vec<u16>,
    /// How children are found.
    pub(crate) finder: Finder,
}

/// How rows are found by some columns: an index, and how many of its first columns those are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finder {
    pub(crate) index: IndexRef,
    pub(crate) size: usize,
}

impl Doing {
    /// Changes of these columns.
    pub fn updates(columns: impl IntoIterator<Item = usize>) -> Self {
        let columns =
            columns.into_iter().map(|place| u16::try_from(place).expect("tables have 4,096 columns"));
        Self { updates: columns.collect(), ..Self::default() }
    }

    /// Everything that can be done to a table.
    pub fn everything(table: &Table) -> Self {
        Self { inserts: true, deletes: true, ..Self::updates(0..table.def.columns.len()) }
    }

    fn changes_rows(&self) -> bool {
        self.inserts || self.deletes || !self.updates.is_empty()
    }

    /// Adds another thing that is done. Returns whether it is new.
    fn add(&mut self, other: &Self) -> bool {
        let before = self.clone();
        self.inserts |= other.inserts;
        self.deletes |= other.deletes;
        self.updates.extend(&other.updates);
        *self != before
    }

    fn updates_one_of(&self, mut columns: impl Iterator<Item = u16>) -> bool {
        columns.any(|column| self.updates.contains(&column))
    }
}

impl Relations {
    /// The relations of a statement that does this to a table. `None` if it has no foreign keys and none refers to it.
    pub fn of(catalog: &Catalog, table: &Arc<Table>, doing: &Doing) -> Option<Box<Self>> {
        let def = &table.def;
        if def.foreign_keys.is_empty() && catalog.children(&def.db, &def.name).next().is_none() {
            return None;
        }
        let mut relations = Self { tables: Vec::new() };
        let mut spread = vec![relations.add(table, doing).0];
        while let Some(place) = spread.pop() {
            relations.spread(catalog, place, &mut spread);
        }
        for place in 0..relations.tables.len() {
            let related = &relations.tables[place];
            let (parents, children) =
                (relations.parents_of(catalog, related), relations.children_of(related));
            let related = &mut relations.tables[place];
            (related.parents, related.children) = (parents, children);
        }
        Some(Box::new(relations))
    }

    /// Binds the expressions of tables whose rows follow those of others.
    pub fn bind_computed<E>(
        &mut self,
        mut bind: impl FnMut(&Arc<Table>) -> Result<Vec<Computed>, E>,
    ) -> Result<(), E> {
        let following = self.tables.iter_mut().filter(|related| !related.doing.updates.is_empty());
        for related in following.filter(|related| related.table.def.generated().next().is_some()) {
            let (table, computed) = (Arc::clone(&related.table), bind(&related.table)?);
            related.computed = Some(RowRules { table, computed, checks: Vec::new() });
        }
        Ok(())
    }

    /// The tables beside the statement's own.
    pub fn others(&self) -> impl Iterator<Item = PlannedTable> {
        self.tables.iter().skip(1).map(|related| PlannedTable {
            implied: true,
            ..PlannedTable::named(Arc::clone(&related.table), related.doing.changes_rows())
        })
    }

    /// The tables whose rows may change, the statement's own first.
    pub fn changed(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.tables.iter().filter(|related| related.doing.changes_rows()).map(|related| &related.table)
    }

    /// Whether a table's version is no longer the current one.
    pub fn is_stale(&self) -> bool {
        self.tables.iter().any(|related| related.table.is_gone())
    }

    /// A table, by its place.
    pub(crate) fn table(&self, place: usize) -> &Arc<Table> {
        &self.tables[place].table
    }

    /// The keys of a table that its changes concern, in the order in which they are looked at.
    pub(crate) fn parents(&self, place: usize) -> &[ParentKey] {
        &self.tables[place].parents
    }

    /// The keys to a table that its changes concern, in the order in which they are looked at.
    pub(crate) fn children(&self, place: usize) -> &[ChildKey] {
        &self.tables[place].children
    }

    /// The expressions of a table whose rows follow those of others.
    pub(crate) fn computed(&self, place: usize) -> Option<&RowRules> {
        self.tables[place].computed.as_ref()
    }

    fn place_of(&self, table: &Table) -> Option<usize> {
        self.tables.iter().position(|related| related.table.def.id == table.def.id)
    }

    /// Adds what is done to a table. Returns its place, and whether something new is done.
    fn add(&mut self, table: &Arc<Table>, doing: &Doing) -> (usize, bool) {
        let place = self.place_of(table).unwrap_or_else(|| {
            let doing = Doing::default();
            self.tables.push(Related {
                table: Arc::clone(table),
                doing,
                parents: Vec::new(),
                children: Vec::new(),
                computed: None,
            });
            self.tables.len() - 1
        });
        (place, self.tables[place].doing.add(doing))
    }

    /// Adds the tables that a table's changes lead to; what changes there must be spread in turn.
    fn spread(&mut self, catalog: &Catalog, place: usize, next: &mut Vec<usize>) {
        let related = &self.tables[place];
        let (table, doing) = (Arc::clone(&related.table), related.doing.clone());
        let mut found: Vec<(Arc<Table>, Doing)> = Vec::new();
        for key in table.def.foreign_keys.iter().filter(|key| concerns_parent(&table.def, key, &doing)) {
            let parent = catalog.table(&key.parent_db, &key.parent_table);
            found.extend(parent.map(|parent| (Arc::clone(parent), Doing::default())));
        }
        for (child, key) in catalog.children(&table.def.db, &table.def.name) {
            if concerns_children(&table.def, key, &doing) {
                found.push((Arc::clone(child), passed_on(&table.def, &child.def, key, &doing)));
            }
        }
        for (table, doing) in found {
            let (place, is_new) = self.add(&table, &doing);
            if is_new {
                next.push(place);
            }
        }
    }

    fn parents_of(&self, catalog: &Catalog, related: &Related) -> Vec<ParentKey> {
        let def = &related.table.def;
        let keys = def.foreign_keys.iter().enumerate();
        let concerned = keys.filter(|(_, key)| concerns_parent(def, key, &related.doing));
        let mut parents: Vec<ParentKey> = concerned
            .map(|(place, key)| ParentKey {
                key: place,
                parent: self.parent_of(catalog, key),
                found_by: found_by(def, key),
            })
            .collect();
        // The order in which MySQL looks at them.
        parents.sort_by(|a, b| def.foreign_keys[a.key].name.cmp(&def.foreign_keys[b.key].name));
        parents
    }

    fn parent_of(&self, catalog: &Catalog, key: &ForeignKeyDef) -> Option<(usize, Finder)> {
        let parent = catalog.table(&key.parent_db, &key.parent_table)?;
        let finder = Finder::new(parent, &parent_columns(&parent.def, key)?)?;
        Some((self.place_of(parent)?, finder))
    }

    fn children_of(&self, related: &Related) -> Vec<ChildKey> {
        let (def, mut places) = (&related.table.def, (0..self.tables.len()).collect::<Vec<_>>());
        places.sort_by_key(|place| self.table(*place).def.id);
        let mut found = Vec::new();
        for child in places {
            for (key, of) in self.table(child).def.foreign_keys.iter().enumerate() {
                if of.refers_to(&def.db, &def.name) && concerns_children(def, of, &related.doing) {
                    found.extend(self.child_key(def, child, key, of).map(|key| (of, key)));
                }
            }
        }
        // What only refuses comes first, as in MySQL.
        found.sort_by_key(|(of, _)| !(of.on_delete.refuses() && of.on_update.refuses()));
        found.into_iter().map(|(_, key)| key).collect()
    }

    fn child_key(&self, parent: &TableDef, child: usize, key: usize, of: &ForeignKeyDef) -> Option<ChildKey> {
        let finder = Finder::new(self.table(child), &of.columns)?;
        Some(ChildKey { child, key, columns: parent_columns(parent, of)?, finder })
    }
}

impl Finder {
    pub(crate) fn new(table: &Table, columns: &[u16]) -> Option<Self> {
        let index = table.def.index_on(columns)?;
        let secondary = table.secondary.iter().position(|secondary| secondary.id == index.id);
        let index = secondary.map_or(IndexRef::Primary, IndexRef::Secondary);
        Some(Self { index, size: columns.len() })
    }
}

/// Whether what is done to a table may leave rows without a parent, or move them to where they are not looked for.
fn concerns_parent(def: &TableDef, key: &ForeignKeyDef, doing: &Doing) -> bool {
    doing.inserts || doing.updates_one_of(found_by(def, key).into_iter())
}

/// The columns of the entry under which a row is found as a child.
fn found_by(def: &TableDef, key: &ForeignKeyDef) -> BTreeSet<u16> {
    let parts = |index: &IndexDef| index.parts.iter().map(|part| part.column).collect::<Vec<_>>();
    let entry = def.index_on(&key.columns).map(parts).unwrap_or_default();
    let row = def.primary().map(parts).unwrap_or_default();
    key.columns.iter().copied().chain(entry).chain(row).collect()
}

/// Whether what is done to a table may take children's parents away.
fn concerns_children(def: &TableDef, key: &ForeignKeyDef, doing: &Doing) -> bool {
    doing.deletes || doing.updates_one_of(parent_columns(def, key).unwrap_or_default().into_iter())
}

/// What is done to children if this is done to parents.
fn passed_on(parent: &TableDef, child: &TableDef, key: &ForeignKeyDef, doing: &Doing) -> Doing {
    let mut passed = Doing::default();
    let columns = parent_columns(parent, key).unwrap_or_default();
    let follows_update = doing.updates_one_of(columns.into_iter()) && !key.on_update.refuses();
    if follows_update || doing.deletes && key.on_delete == ReferentialAction::SetNull {
        passed.updates.extend(&key.columns);
        passed.updates.extend(child.generated());
    }
    passed.deletes = doing.deletes && key.on_delete == ReferentialAction::Cascade;
    passed
}

/// The places of a key's columns in the parents' table. `None` if one is not there.
pub(crate) fn parent_columns(parent: &TableDef, key: &ForeignKeyDef) -> Option<Vec<u16>> {
    let place = |name: &String| parent.column(name).and_then(|place| u16::try_from(place).ok());
    key.parent_columns.iter().map(place).collect()
}
