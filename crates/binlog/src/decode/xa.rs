//! XA_PREPARE.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::{Cursor, DecodeError};
use crate::event::{XaName, XaPrepare};

/// Decodes a body.
pub(super) fn xa_prepare(body: &[u8]) -> Result<XaPrepare<'_>, DecodeError> {
    let mut cursor = Cursor::new(body);
    let one_phase = cursor.u8()? != 0;
    let format = cursor.u32()?;
    let mut size = || cursor.u32().map(|size| usize::try_from(size).unwrap_or(usize::MAX));
    let (global, branch) = (size()?, size()?);
    let name = XaName { format, global: cursor.take(global)?, branch: cursor.take(branch)? };
    cursor.finish()?;
    Ok(XaPrepare { one_phase, name })
}
