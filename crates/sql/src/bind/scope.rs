//! What a name can mean within one SELECT, and what is found on the way: aggregates and subqueries.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use types::column::ColumnType;
use types::error::SqlError;
use types::error::table::{ER_BAD_FIELD_ERROR, ER_NON_UNIQ_ERROR, ER_TABLENAME_NOT_ALLOWED_HERE};

use super::Result;
use super::dependent::place_of;
use super::merge::Mergeable;
use super::over::Windows;
use crate::expr::{Expr, ResultType, Schema, Types};
use crate::plan::{
    Aggregate, ByView, Given, RowLock, SelectPlan, Source, SourceKind, Subquery, UsedView, WindowFunction,
    subquery_type,
};

/// A source under its name.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) kind: SourceKind,
    pub(super) db: String,
    pub(super) alias: String,
    /// Whether the statement gives it that name: it is not the table's.
    pub(super) aliased: bool,
    /// In an outer join: its row may be missing.
    pub(super) optional: bool,
    /// A view leads to it.
    pub(super) by: Option<ByView>,
    /// How its rows are locked; those of a derived table are not.
    pub(super) lock: Option<RowLock>,
    /// A derived table or view that may become a part of the query.
    pub(super) merge: Option<Arc<Mergeable>>,
}

impl Named {
    /// A source under its own name.
    pub(super) fn new(kind: SourceKind, db: String, alias: String) -> Self {
        Self { kind, db, alias, aliased: false, optional: false, by: None, lock: None, merge: None }
    }

    /// How errors call a column.
    pub(super) fn path(&self, column: usize) -> String {
        let name = self.kind.column(column).name;
        if self.db.is_empty() {
            return format!("{}.{name}", self.alias);
        }
        format!("{}.{}.{name}", self.db, self.alias)
    }
}

/// A column, by its source and its place there.
pub(super) type Place = (usize, usize);

/// The name of the row that is inserted, and what its columns are called: each with its place in the table.
#[derive(Clone, Debug)]
pub(super) struct RowAlias {
    pub(super) name: String,
    pub(super) columns: Vec<(String, usize)>,
}

/// The part of a statement in which a name stands, as error 1054 says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Clause {
    #[default]
    FieldList,
    Where,
    On,
    /// USING.
    From,
    Group,
    Having,
    Order,
    /// Of a UNION: no table can be named.
    GlobalOrder,
    WindowPartition,
    WindowOrder,
}

impl Clause {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::FieldList => "field list",
            Self::Where => "where clause",
            Self::On => "on clause",
            Self::From => "from clause",
            Self::Group => "group statement",
            Self::Having => "having clause",
            Self::Order | Self::GlobalOrder => "order clause",
            Self::WindowPartition => "window partition by",
            Self::WindowOrder => "window order by",
        }
    }
}

/// See the module.
#[derive(Debug, Default)]
pub struct Scope {
    /// In the order of the nested loops.
    pub(super) sources: Vec<Named>,
    /// The columns that `*` means after FROM.
    pub(super) all: Vec<Place>,
    /// Columns that USING or NATURAL gave to the other side: only names with a table find them.
    pub(super) merged: HashSet<Place>,
    /// The sources that ON can name, while it is bound.
    pub(super) visible: Option<Range<usize>>,
    pub(super) clause: Clause,
    /// Where aggregates go; `None` where they are not allowed.
    pub(super) aggregates: Option<Vec<Aggregate>>,
    /// Where window functions go; `None` where they are not allowed.
    pub(super) windows: Option<Windows>,
    /// The window whose specification is bound.
    pub(super) in_window: Option<String>,
    pub(super) subqueries: Vec<Subquery>,
    /// Views that have become a part of it.
    pub(super) views: Vec<UsedView>,
    /// Its sources are read as they are written: STRAIGHT_JOIN.
    pub(super) is_straight: bool,
    /// `VALUES(c)` means the row that is inserted.
    pub(super) in_duplicate: bool,
    /// What else means that row, while what happens to duplicates is bound.
    pub(super) inserted: Option<RowAlias>,
    /// Columns of the result that may be named.
    pub(super) aliases: Vec<(String, Expr)>,
    /// What is grouped by, while HAVING is bound.
    pub(super) grouped: Option<Vec<Expr>>,
    /// The columns of the result before the one that is bound, which subqueries in it may name.
    pub(super) items: Vec<(String, Expr)>,
    /// How deep expressions are nested.
    pub(super) depth: usize,
}

impl Scope {
    /// The column that a name means.
    pub(super) fn column(&self, db: Option<&str>, table: Option<&str>, name: &str) -> Result<Expr> {
        let mut found = None;
        for (source, named) in self.sources.iter().enumerate() {
            if self.visible.as_ref().is_some_and(|visible| !visible.contains(&source)) {
                continue;
            }
            let matches =
                table.is_none_or(|table| named.alias == table) && db.is_none_or(|db| named.db == db);
            let Some(column) = matches.then(|| named.kind.find_column(name)).flatten() else { continue };
            if table.is_none() && self.merged.contains(&(source, column)) {
                continue;
            }
            if found.is_some() {
                return Err(ER_NON_UNIQ_ERROR.error(&[&name, &self.clause.name()]));
            }
            found = Some(Expr::Column { source, column });
        }
        if let Some(inserted) = &self.inserted
            && db.is_none()
            && table.is_none_or(|table| inserted.name == table)
            && let Some((_, column)) =
                inserted.columns.iter().find(|(column, _)| column.eq_ignore_ascii_case(name))
        {
            if found.is_some() {
                return Err(ER_NON_UNIQ_ERROR.error(&[&name, &self.clause.name()]));
            }
            found = Some(Expr::Candidate(*column));
        }
        found.ok_or_else(|| self.unknown(db, table, name))
    }

    /// The column of the first source, which is changed, that a name means.
    pub(super) fn target(&self, db: Option<&str>, table: Option<&str>, name: &str) -> Result<usize> {
        let target = &self.sources[0];
        let matches = table.is_none_or(|table| target.alias == table) && db.is_none_or(|db| target.db == db);
        let found = matches.then(|| target.kind.find_column(name)).flatten();
        found.ok_or_else(|| self.unknown(db, table, name))
    }

    /// What can be named around the rows of a query: its sources, unless it makes other rows of theirs.
    pub(super) fn around(select: &SelectPlan) -> Self {
        let named = |source: &Source| {
            let db = match &source.from {
                SourceKind::Table(table) => table.def.db.clone(),
                _ => String::new(),
            };
            let (kind, alias) = (source.from.clone(), source.alias.clone());
            Named { aliased: true, optional: source.optional, ..Named::new(kind, db, alias) }
        };
        let is_plain = select.group.is_none() && !select.distinct;
        let sources = if is_plain { select.sources.iter().map(named).collect() } else { Vec::new() };
        Self { sources, ..Self::default() }
    }

    /// The same names, and nothing that was found.
    pub(super) fn names(&self) -> Self {
        Self {
            sources: self.sources.clone(),
            merged: self.merged.clone(),
            visible: self.visible.clone(),
            clause: self.clause,
            inserted: self.inserted.clone(),
            ..Self::default()
        }
    }

    /// The column of the result that a name means.
    pub(super) fn alias(&self, name: &str) -> Option<Expr> {
        find(&self.aliases, name)
    }

    /// What a name means in HAVING outside of aggregates: a column that is grouped by, else one of the result, by its name there
    /// before its own. As in MySQL an expression of that name ends the search; columns that differ are error 1052.
    pub(super) fn of_groups(
        &self,
        grouped: &[Expr],
        db: Option<&str>,
        table: Option<&str>,
        name: &str,
    ) -> Result<Option<Expr>> {
        let column = match self.column(db, table, name) {
            Err(error) if table.is_some() && error.is(&ER_NON_UNIQ_ERROR) => return Err(error),
            column => column.ok().as_ref().and_then(place_of),
        };
        let is_column = |expr: &Expr| column.is_some() && place_of(expr) == column;
        if let Some(by) = grouped.iter().find(|by| is_column(by)) {
            return Ok(Some(by.clone()));
        }
        let mut found: Option<&Expr> = None;
        for (alias, expr) in &self.aliases {
            if table.is_some() || !alias.eq_ignore_ascii_case(name) {
                continue;
            }
            if place_of(expr).is_none() {
                found = Some(expr);
                break;
            }
            if found.is_some_and(|found| place_of(found) != place_of(expr)) {
                return Err(ER_NON_UNIQ_ERROR.error(&[&name, &self.clause.name()]));
            }
            found = Some(expr);
        }
        let found = found.or_else(|| self.aliases.iter().map(|(_, expr)| expr).find(|expr| is_column(expr)));
        Ok(found.cloned())
    }

    /// The same, for a subquery in another column of the result.
    pub(super) fn item(&self, name: &str) -> Option<Expr> {
        find(&self.items, name)
    }

    /// Error 1054; 1250 for a table where none can be named.
    pub(super) fn unknown(&self, db: Option<&str>, table: Option<&str>, name: &str) -> SqlError {
        if let (Clause::GlobalOrder, Some(table)) = (self.clause, table) {
            return ER_TABLENAME_NOT_ALLOWED_HERE.error(&[&table, &"global ORDER clause"]);
        }
        let path: Vec<&str> = db.into_iter().chain(table).chain([name]).collect();
        ER_BAD_FIELD_ERROR.error(&[&path.join("."), &self.clause.name()])
    }

    /// These sources are in an outer join that may have no rows of theirs.
    pub(super) fn make_optional(&mut self, sources: Range<usize>) {
        self.sources[sources].iter_mut().for_each(|named| named.optional = true);
    }

    /// What the rows of a source depend on, if it is LATERAL: values of other sources, or of what surrounds the query.
    pub(super) fn given(&self, source: usize) -> &[Expr] {
        let SourceKind::Derived(place, _) = &self.sources[source].kind else { return &[] };
        self.subqueries[*place].given()
    }

    /// The sources get other places, and what subqueries are given of them.
    pub(super) fn renumber(&mut self, places: &[usize]) {
        let mut sources: Vec<(usize, Named)> = places.iter().copied().zip(self.sources.drain(..)).collect();
        sources.sort_by_key(|(place, _)| *place);
        self.sources = sources.into_iter().map(|(_, named)| named).collect();
        for subquery in &mut self.subqueries {
            if let Given::Values(values) = &mut subquery.given {
                for value in Arc::make_mut(values) {
                    value.renumber(places);
                }
            }
        }
    }

    /// Whether nothing is read.
    pub(super) fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }
}

fn find(list: &[(String, Expr)], name: &str) -> Option<Expr> {
    let found = list.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name));
    found.map(|(_, expr)| expr.clone())
}

/// What subqueries are given of a scope has the types that it has while it is bound.
impl Schema for Scope {
    fn column(&self, source: usize, column: usize) -> (ColumnType, bool) {
        let named = &self.sources[source];
        let (ty, nullable) = named.kind.column_type(column);
        (ty, nullable || named.optional)
    }

    fn candidate(&self, column: usize) -> (ColumnType, bool) {
        Schema::column(self, 0, column)
    }

    fn aggregate(&self, number: usize) -> Option<&Aggregate> {
        self.aggregates.as_ref()?.get(number)
    }

    fn window(&self, number: usize) -> Option<&WindowFunction> {
        self.windows.as_ref()?.over.functions.get(number)
    }

    fn has_group_by(&self) -> bool {
        false
    }

    fn subquery(&self, place: usize, column: usize, types: &Types<'_>) -> ResultType {
        subquery_type(&self.subqueries, place, column, types)
    }
}
