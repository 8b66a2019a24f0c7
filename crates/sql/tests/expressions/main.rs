//! Purpose: expressions give what MySQL gives: value, column definition, warnings, errors.
//!
//! Requirements: for every line of `tests/data/*.tsv` the values are MySQL's, byte for byte, except for those that
//! `tests/data/differences.tsv` lists with a reason; the column definitions are, except for those of
//! `tests/data/definitions.tsv`, and the warnings except for those of `warnings.tsv`. A listed difference that has gone must leave its list.
//!
//! Method: the lines were recorded from MySQL 9.7.4 by `tests/tools/record.py`. Here each expression is parsed and
//! bound as a query's, typed, and evaluated over the rows of `columns.tsv`; no server is needed.

mod data;
mod fixture;
mod literals;
mod recorded;
