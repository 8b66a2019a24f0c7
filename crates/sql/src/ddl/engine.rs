//! ENGINE.

use types::context::Context;
use types::error::table::{ER_UNKNOWN_STORAGE_ENGINE, ER_WARN_USING_OTHER_HANDLER};
use types::sql_mode::SqlMode;
use types::warning::Level;

use super::Result;

/// The name that every table's engine goes by.
pub const ENGINE: &str = "InnoDB";

/// Checks the engine that a statement asks for. All tables are of one engine: another one is error 1286, or replaced
/// with warnings 1286 and 1266 if the mode has not NO_ENGINE_SUBSTITUTION, as in dumps. MyISAM, which nearly every program
/// that asks for it can do without, is replaced in any mode, with warning 1266.
///
/// A temporary table is in memory whatever its engine is called.
pub(super) fn check(engine: &str, table: &str, temporary: bool, context: &mut Context<'_>) -> Result<()> {
    let is = |names: &[&str]| names.iter().any(|name| engine.eq_ignore_ascii_case(name));
    if is(&[ENGINE, "InnoBase"]) || temporary && is(&["MEMORY", "HEAP"]) {
        return Ok(());
    }
    if !is(&["MyISAM"]) {
        if context.sql_mode.contains(SqlMode::NO_ENGINE_SUBSTITUTION) {
            return Err(ER_UNKNOWN_STORAGE_ENGINE.error(&[&engine]));
        }
        context.warnings.push(Level::Warning, &ER_UNKNOWN_STORAGE_ENGINE, &[&engine]);
    }
    context.warnings.push(Level::Warning, &ER_WARN_USING_OTHER_HANDLER, &[&ENGINE, &table]);
    Ok(())
}
