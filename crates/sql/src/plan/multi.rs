//! UPDATE and DELETE of several tables, or of one that is joined to others.

use std::sync::Arc;

use engine::catalog::table::Table;

use super::{Assignment, PlannedTable, Relations, RowRules, SelectPlan, SourceKind, Touched};

/// A planned UPDATE of several tables.
#[derive(Debug)]
pub struct MultiUpdatePlan {
    /// Which rows are found together. It has no output.
    pub rows: SelectPlan,
    /// What changes, in the order of the sources.
    pub targets: Vec<RowUpdate>,
    /// IGNORE.
    pub ignore: bool,
}

/// What becomes of a source's rows.
#[derive(Debug)]
pub struct RowUpdate {
    /// The source's place.
    pub source: usize,
    /// What they get, in the order in which they get it.
    pub assignments: Vec<Assignment>,
    /// What foreign keys have to do with it.
    pub relations: Option<Box<Relations>>,
    /// What the table says of its rows.
    pub rules: Option<Arc<RowRules>>,
}

/// A planned DELETE from several tables.
#[derive(Debug)]
pub struct MultiDeletePlan {
    /// Which rows are found together. It has no output.
    pub rows: SelectPlan,
    /// The places of the sources whose rows go, in their order, and what foreign keys have to do with it.
    pub targets: Vec<(usize, Option<Box<Relations>>)>,
    /// IGNORE.
    pub ignore: bool,
}

impl MultiUpdatePlan {
    /// The table of a source that changes.
    pub(crate) fn table(&self, source: usize) -> &Table {
        self.rows.sources[source].table()
    }

    pub(super) fn collect_tables(&self, touched: &mut Touched) {
        collect_tables(&self.rows, self.targets.iter().map(|target| target.source), touched);
    }
}

impl MultiDeletePlan {
    /// The table of a source whose rows go.
    pub(crate) fn table(&self, source: usize) -> &Table {
        self.rows.sources[source].table()
    }

    pub(super) fn collect_tables(&self, touched: &mut Touched) {
        collect_tables(&self.rows, self.targets.iter().map(|(source, _)| *source), touched);
    }
}

fn collect_tables(rows: &SelectPlan, targets: impl Iterator<Item = usize>, touched: &mut Touched) {
    for source in targets {
        if let SourceKind::Table(table) = &rows.sources[source].from {
            touched.tables.push(PlannedTable::named(Arc::clone(table), true));
        }
    }
    rows.collect_tables(touched);
}
