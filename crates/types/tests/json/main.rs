//! JSON values from outside: against recorded answers of a real server, and by properties.
//!
//! Each module says its purpose, its requirements and its method.

#![cfg(test)]

mod binary;
mod compare;
mod damage;
mod functions;
mod paths;
mod support;
mod text;
