//! The crate's tests from outside: against recorded answers of a real server, and by properties.
//!
//! One binary, so that it links once. Each module says its purpose, its requirements and its method.

#![cfg(test)]

mod assign;
mod beginnings;
mod collation;
mod columns;
mod decimal;
mod errors;
mod expressions;
mod keys;
mod rows;
mod support;
mod uca;
