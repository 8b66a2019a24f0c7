//! Plans: what the binder decides once, and the executor follows each time.
//!
//! A plan holds the versions of its tables. Before it runs, each table's metadata lock is taken and the version looked
//! at: if it is gone, the statement is bound again.

mod access;
mod aggregate;
mod file;
mod multi;
pub(crate) mod over;
mod query;
mod reads;
mod recursive;
mod relations;
mod schema;
mod sets;
mod subquery;

use std::sync::Arc;

use engine::catalog::table::Table;
use types::column::{Column, ColumnType};

pub(crate) use access::key_parts;
pub use access::{Access, Bound, Condition, Equal, IndexRef, Pattern, RangeSpec};
pub use aggregate::{Aggregate, AggregateKind, Group, Rollup};
pub use file::{FieldTarget, FilePlan, OutFilePlan};
pub use multi::{MultiDeletePlan, MultiUpdatePlan, RowUpdate};
pub use over::{Distance, Frame, FrameBound, Over, Shifted, Window, WindowFunction, WindowKind, WindowSort};
pub(crate) use query::Touched;
pub use query::{NamedPlan, QueryPlan, UnionPlan};
pub use recursive::{Recent, RecursivePlan};
pub(crate) use relations::{ChildKey, Finder, parent_columns};
pub use relations::{Doing, Relations};
pub(crate) use schema::subquery_type;
pub use sets::{SetOperation, SetPlan, SetStep};

pub use subquery::{ByView, Given, Subquery, UsedView};

use crate::expr::Expr;
use crate::virtual_table::VirtualTable;

/// A planned statement.
#[derive(Debug)]
pub enum Plan {
    /// SELECT.
    Select(QueryPlan),
    /// SELECT .. INTO.
    SelectInto(IntoPlan),
    /// INSERT, REPLACE.
    Insert(InsertPlan),
    /// UPDATE.
    Update(UpdatePlan),
    /// DELETE.
    Delete(DeletePlan),
    /// UPDATE of several tables.
    MultiUpdate(MultiUpdatePlan),
    /// DELETE from several tables.
    MultiDelete(MultiDeletePlan),
}

/// A planned SELECT .. INTO.
#[derive(Debug)]
pub struct IntoPlan {
    /// The query.
    pub query: QueryPlan,
    /// Where its rows go.
    pub into: Destination,
}

/// Where SELECT .. INTO puts its rows.
#[derive(Debug)]
pub enum Destination {
    /// The only row's values go to user variables: their names, in lower case.
    Variables(Vec<String>),
    /// They go to a file of the server's.
    File(OutFilePlan),
}

/// A table as a plan uses it.
#[derive(Clone, Debug)]
pub struct PlannedTable {
    /// Its version when the statement was bound.
    pub table: Arc<Table>,
    /// The statement changes it.
    pub written: bool,
    /// The statement does not name it: foreign keys lead to it.
    pub implied: bool,
    /// A view leads to it.
    pub by: Option<ByView>,
    /// Its rows, or those of the view that it is, are locked as for a change: FOR UPDATE.
    pub locks: bool,
}

impl PlannedTable {
    /// A table that whoever runs the statement names.
    pub fn named(table: Arc<Table>, written: bool) -> Self {
        Self { table, written, implied: false, by: None, locks: false }
    }
}

impl Plan {
    /// The query, if it is one and nothing else.
    pub fn query(&self) -> Option<&QueryPlan> {
        match self {
            Self::Select(query) | Self::SelectInto(IntoPlan { query, .. }) => Some(query),
            _ => None,
        }
    }

    /// What LOAD DATA reads, if it is that.
    pub fn file(&self) -> Option<&FilePlan> {
        match self {
            Self::Insert(InsertPlan { source: InsertSource::File(file), .. }) => Some(file),
            _ => None,
        }
    }

    /// What SELECT .. INTO writes, if it is a file.
    pub fn out_file(&self) -> Option<&OutFilePlan> {
        match self {
            Self::SelectInto(IntoPlan { into: Destination::File(file), .. }) => Some(file),
            _ => None,
        }
    }

    /// Every stored table that the statement touches.
    pub fn tables(&self) -> Vec<PlannedTable> {
        let mut touched = Touched::default();
        match self {
            Self::Select(query) | Self::SelectInto(IntoPlan { query, .. }) => {
                query.collect_tables(&mut touched);
            }
            Self::Insert(insert) => {
                touched.tables.push(PlannedTable::named(Arc::clone(&insert.table), true));
                if let InsertSource::Select(select) = &insert.source {
                    select.collect_tables(&mut touched);
                }
                insert.subqueries.iter().for_each(|subquery| subquery.collect_tables(&mut touched));
            }
            Self::Update(update) => update.target.collect_tables(&mut touched),
            Self::Delete(delete) => delete.target.collect_tables(&mut touched),
            Self::MultiUpdate(update) => update.collect_tables(&mut touched),
            Self::MultiDelete(delete) => delete.collect_tables(&mut touched),
        }
        touched.tables.extend(self.relations().flat_map(Relations::others));
        touched.tables
    }

    /// Whether it changes rows without IGNORE: strict mode is about such statements, their conditions included.
    pub fn is_strict(&self) -> bool {
        match self {
            Self::Select(_) | Self::SelectInto(_) => false,
            Self::Insert(insert) => !insert.ignore,
            Self::Update(update) => !update.ignore,
            Self::Delete(delete) => !delete.ignore,
            Self::MultiUpdate(update) => !update.ignore,
            Self::MultiDelete(delete) => !delete.ignore,
        }
    }

    /// What foreign keys have to do with its changes of each table.
    pub fn relations(&self) -> impl Iterator<Item = &Relations> {
        let (one, updates, deletes) = match self {
            Self::Select(_) | Self::SelectInto(_) => (None, &[][..], &[][..]),
            Self::Insert(insert) => (insert.relations.as_deref(), &[][..], &[][..]),
            Self::Update(update) => (update.relations.as_deref(), &[][..], &[][..]),
            Self::Delete(delete) => (delete.relations.as_deref(), &[][..], &[][..]),
            Self::MultiUpdate(update) => (None, &update.targets[..], &[][..]),
            Self::MultiDelete(delete) => (None, &[][..], &delete.targets[..]),
        };
        let updates = updates.iter().filter_map(|target| target.relations.as_deref());
        one.into_iter().chain(updates).chain(deletes.iter().filter_map(|(_, relations)| relations.as_deref()))
    }

    /// The tables whose rows may change, as far as they are more than one: those of several targets, and those in which
    /// rows follow. A table may come more than once.
    pub fn changed_together(&self) -> Vec<&Table> {
        let targets: Vec<&Table> = match self {
            Self::MultiUpdate(update) => {
                update.targets.iter().map(|target| update.table(target.source)).collect()
            }
            Self::MultiDelete(delete) => {
                delete.targets.iter().map(|(source, _)| delete.table(*source)).collect()
            }
            _ => Vec::new(),
        };
        let followers = self.relations().flat_map(Relations::changed).map(|table| &**table);
        targets.into_iter().chain(followers).collect()
    }
}

/// A planned SELECT.
#[derive(Debug)]
pub struct SelectPlan {
    /// What is read, in the order of the nested loops.
    pub sources: Vec<Source>,
    /// What must hold before anything is read: conditions without columns.
    pub precondition: Option<Expr>,
    /// GROUP BY and aggregates.
    pub group: Option<Group>,
    /// HAVING.
    pub having: Option<Expr>,
    /// Window functions.
    pub over: Option<Box<Over>>,
    /// The columns of the result.
    pub output: Vec<Output>,
    /// DISTINCT.
    pub distinct: bool,
    /// ORDER BY.
    pub order: Vec<OrderBy>,
    /// The only source's rows come in the order that is asked for, if they are found exactly as its access says: that of
    /// `order`, or the one in which the first value is the smallest or greatest.
    pub is_in_order: bool,
    /// LIMIT.
    pub limit: Option<Expr>,
    /// OFFSET.
    pub offset: Option<Expr>,
    /// `found_rows()` counts rows that LIMIT leaves out: SQL_CALC_FOUND_ROWS.
    pub counts_all: bool,
    /// Subqueries: those that depend on no row are evaluated before the first one.
    pub subqueries: Vec<Subquery>,
    /// The views that have become a part of it.
    pub views: Vec<UsedView>,
}

/// Where rows come from.
#[derive(Debug)]
pub struct Source {
    /// A table, stored or not.
    pub from: SourceKind,
    /// How it is called in the statement.
    pub alias: String,
    /// How its rows are found.
    pub access: Access,
    /// What must hold once this source has a row, and all before it.
    pub conditions: Vec<Condition>,
    /// Whether a row of this source may be missing: of an outer join.
    pub optional: bool,
    /// The last of the sources whose rows are missing together, if this is the first one.
    pub missing_until: Option<usize>,
    /// What ends with this source, the innermost first.
    pub completes: Vec<Completed>,
    /// Whether any of its columns is looked at beside those of implied conditions: if not, index entries are enough.
    pub needs_row: bool,
    /// How its rows are locked: FOR UPDATE, FOR SHARE, and of changes of several tables.
    pub lock: Option<RowLock>,
    /// A view leads to it.
    pub by: Option<ByView>,
}

/// Sources of an outer join whose rows are missing together, seen from the last one.
#[derive(Debug)]
pub struct Completed {
    /// The first one.
    pub first: usize,
    /// What must hold of their rows, missing or not: conditions that are not those of their ON.
    pub after: Vec<Expr>,
}

/// What a source is.
#[derive(Clone, Debug)]
pub enum SourceKind {
    /// A stored table.
    Table(Arc<Table>),
    /// A table that is made when it is read.
    Virtual(Arc<dyn VirtualTable>),
    /// The rows of a subquery in FROM, by its place in the plan's list, and their columns.
    Derived(usize, Arc<[Column]>),
}

/// A column of the result.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its value.
    pub expr: Expr,
    /// Its name.
    pub name: String,
    /// The column that it is to clients, if its expression does not say so: one of a merged derived table or view.
    pub origin: Option<Origin>,
}

impl Output {
    /// One that is what its expression is.
    pub(crate) fn new(name: String, expr: Expr) -> Self {
        Self { expr, name, origin: None }
    }
}

/// Where a column of a result comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The table's database.
    pub db: String,
    /// The table.
    pub table: String,
    /// How it is called in the statement.
    pub alias: String,
    /// The column.
    pub column: String,
}

/// A part of ORDER BY.
#[derive(Clone, Debug)]
pub struct OrderBy {
    /// By what.
    pub by: OrderKey,
    /// DESC.
    pub descending: bool,
}

/// What rows are ordered by.
#[derive(Clone, Debug)]
pub enum OrderKey {
    /// A column of the result.
    Output(usize),
    /// Another expression.
    Expr(Expr),
}

impl OrderBy {
    /// The expression, if it is not a column of the result.
    pub(crate) fn expr(&self) -> Option<&Expr> {
        match &self.by {
            OrderKey::Expr(expr) => Some(expr),
            OrderKey::Output(_) => None,
        }
    }

    pub(crate) fn expr_mut(&mut self) -> Option<&mut Expr> {
        match &mut self.by {
            OrderKey::Expr(expr) => Some(expr),
            OrderKey::Output(_) => None,
        }
    }

    /// The expression, wherever it stands.
    pub(crate) fn expr_in<'p>(&'p self, output: &'p [Output]) -> &'p Expr {
        match &self.by {
            OrderKey::Expr(expr) => expr,
            OrderKey::Output(place) => &output[*place].expr,
        }
    }
}

/// How rows are locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowLock {
    /// FOR UPDATE, not FOR SHARE.
    pub exclusive: bool,
    /// What happens if a row is locked.
    pub wait: LockWait,
}

/// What happens if a row is locked by somebody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockWait {
    /// The statement waits.
    Wait,
    /// NOWAIT: error 3572.
    NoWait,
    /// SKIP LOCKED: the row is passed over.
    Skip,
}

/// A planned INSERT or REPLACE.
#[derive(Debug)]
pub struct InsertPlan {
    /// Into what.
    pub table: Arc<Table>,
    /// The columns that are given, in the order in which they are.
    pub columns: Vec<usize>,
    /// What is inserted.
    pub source: InsertSource,
    /// What happens to a row that is there already.
    pub on_duplicate: OnDuplicate,
    /// IGNORE.
    pub ignore: bool,
    /// What foreign keys have to do with it.
    pub relations: Option<Box<Relations>>,
    /// What the table says of its rows.
    pub rules: Option<Arc<RowRules>>,
    /// Subqueries in values.
    pub subqueries: Vec<Subquery>,
}

/// What texts in rules of tables are in that say no character set, whoever writes: the text of the rule was kept as UTF-8.
pub const RULES_COLLATION: types::collation::Collation = types::collation::Collation::Utf8mb4GeneralCi;

/// What a table's definition says of its rows, bound: what is computed, and what no row may make false.
#[derive(Debug)]
pub struct RowRules {
    /// The table.
    pub table: Arc<Table>,
    /// Its columns that are generated or have expressions as defaults, in their order.
    pub computed: Vec<Computed>,
    /// Its CHECK constraints that are enforced: names and conditions.
    pub checks: Vec<(String, Expr)>,
}

/// A column with an expression.
#[derive(Debug)]
pub struct Computed {
    /// Its place.
    pub column: usize,
    /// What it holds.
    pub value: Expr,
    /// The columns that this depends on.
    pub depends_on: Vec<usize>,
    /// What the expression is.
    pub kind: ComputedKind,
}

/// What a column's expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComputedKind {
    /// What a VIRTUAL column holds.
    Virtual,
    /// What a STORED column holds.
    Stored,
    /// The default.
    Default,
}

/// What is inserted.
#[derive(Debug)]
pub enum InsertSource {
    /// VALUES: expressions, or `None` for DEFAULT.
    Rows(Vec<Vec<Option<Expr>>>),
    /// The rows of literals that were taken out of the text.
    Literals,
    /// INSERT .. SELECT.
    Select(QueryPlan),
    /// LOAD DATA.
    File(Box<FilePlan>),
}

/// What happens to a row whose key is there already.
#[derive(Debug)]
pub enum OnDuplicate {
    /// Error 1062.
    Error,
    /// REPLACE: the old row goes.
    Replace,
    /// ON DUPLICATE KEY UPDATE.
    Update(Vec<Assignment>),
}

/// A column gets a value.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The column's place.
    pub column: usize,
    /// Its new value; `None` = DEFAULT.
    pub value: Option<Expr>,
}

/// A planned UPDATE of one table.
#[derive(Debug)]
pub struct UpdatePlan {
    /// Which rows.
    pub target: Target,
    /// What they get, in the order in which they get it.
    pub assignments: Vec<Assignment>,
    /// IGNORE.
    pub ignore: bool,
    /// What foreign keys have to do with it.
    pub relations: Option<Box<Relations>>,
    /// What the table says of its rows.
    pub rules: Option<Arc<RowRules>>,
}

/// A planned DELETE from one table.
#[derive(Debug)]
pub struct DeletePlan {
    /// Which rows.
    pub target: Target,
    /// IGNORE.
    pub ignore: bool,
    /// What foreign keys have to do with it.
    pub relations: Option<Box<Relations>>,
}

/// The rows that a statement changes.
#[derive(Debug)]
pub struct Target {
    /// The table, with access and conditions.
    pub source: Source,
    /// What must hold before anything is read.
    pub precondition: Option<Expr>,
    /// ORDER BY.
    pub order: Vec<OrderBy>,
    /// LIMIT.
    pub limit: Option<Expr>,
    /// Subqueries.
    pub subqueries: Vec<Subquery>,
}

impl SelectPlan {
    /// Adds columns of the sources to the result.
    pub(crate) fn give_also(&mut self, columns: Vec<Expr>) {
        for expr in columns {
            expr.walk(&mut |part| {
                if let Expr::Column { source, .. } = part {
                    self.sources[*source].needs_row = true;
                }
            });
            self.output.push(Output::new(String::new(), expr));
        }
    }

    /// Whether the columns of the result are the same at each execution: none depends on a value's type.
    pub fn columns_are_fixed(&self) -> bool {
        let stored = |source: &Source| !matches!(source.from, SourceKind::Derived(..));
        let arguments = self.group.iter().flat_map(|group| &group.aggregates).flat_map(|found| &found.args);
        let windowed = self.over.iter().flat_map(|over| over.exprs());
        let mut exprs = self.output.iter().map(|output| &output.expr).chain(arguments).chain(windowed);
        self.sources.iter().all(stored) && exprs.all(Expr::type_is_fixed)
    }

    pub(crate) fn collect_tables(&self, touched: &mut Touched) {
        self.sources.iter().for_each(|source| source.collect_tables(touched));
        self.views.iter().for_each(|view| view.collect_tables(touched));
        self.subqueries.iter().for_each(|subquery| subquery.collect_tables(touched));
    }
}

impl Target {
    fn collect_tables(&self, touched: &mut Touched) {
        if let SourceKind::Table(table) = &self.source.from {
            touched.tables.push(PlannedTable::named(Arc::clone(table), true));
        }
        self.subqueries.iter().for_each(|subquery| subquery.collect_tables(touched));
    }
}

impl Source {
    fn collect_tables(&self, touched: &mut Touched) {
        if let SourceKind::Table(table) = &self.from {
            let by = self.by.clone();
            let locks = self.lock.is_some_and(|lock| lock.exclusive);
            touched.tables.push(PlannedTable { by, locks, ..PlannedTable::named(Arc::clone(table), false) });
        }
    }

    /// The stored table of a source that is changed.
    pub(crate) fn table(&self) -> &Table {
        match &self.from {
            SourceKind::Table(table) => table,
            _ => unreachable!("only stored tables are changed"),
        }
    }
}

impl SourceKind {
    /// The type of a column, and whether it may be NULL. Allocates nothing.
    pub fn column_type(&self, index: usize) -> (ColumnType, bool) {
        let column = match self {
            Self::Table(table) => &table.columns[index],
            Self::Virtual(table) => &table.columns()[index],
            Self::Derived(_, columns) => &columns[index],
        };
        (column.ty, column.nullable)
    }

    /// Its columns.
    pub fn column(&self, index: usize) -> Column {
        match self {
            Self::Table(table) => {
                let def = &table.def.columns[index];
                Column { table: String::new(), name: def.name.clone(), ty: def.ty, nullable: def.nullable }
            }
            Self::Virtual(table) => table.columns()[index].clone(),
            Self::Derived(_, columns) => columns[index].clone(),
        }
    }

    /// How many columns it has.
    pub fn column_count(&self) -> usize {
        match self {
            Self::Table(table) => table.def.columns.len(),
            Self::Virtual(table) => table.columns().len(),
            Self::Derived(_, columns) => columns.len(),
        }
    }

    /// The place of a column, by name.
    pub fn find_column(&self, name: &str) -> Option<usize> {
        match self {
            Self::Table(table) => table.def.column(name),
            Self::Virtual(table) => {
                table.columns().iter().position(|column| column.name.eq_ignore_ascii_case(name))
            }
            Self::Derived(_, columns) => {
                columns.iter().position(|column| column.name.eq_ignore_ascii_case(name))
            }
        }
    }
}
