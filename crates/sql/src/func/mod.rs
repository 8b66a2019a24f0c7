//! The table of functions. A function is one entry; what it computes is in the file of its family.

use types::context::Context;
use types::error::SqlError;

use crate::expr::{Ev, Expr, Inputs};

/// Computes a call. Arguments are evaluated by the function: some need not be.
pub type Eval = for<'a> fn(&'a [Expr], &Inputs<'a>, &mut Context<'_>) -> Result<Ev<'a>, SqlError>;

/// An entry of the table.
#[derive(Debug)]
pub struct Function {
    /// Its name, in lower case.
    pub name: &'static str,
    /// How few arguments it takes, and how many.
    pub args: (usize, usize),
    /// Equal arguments give equal results within a statement, and nothing else happens.
    pub is_stable: bool,
    /// What it computes.
    pub eval: Eval,
}
