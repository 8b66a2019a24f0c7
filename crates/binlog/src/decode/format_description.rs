//! FORMAT_DESCRIPTION; the byte table is beside its encoder.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::{Cursor, DecodeError};
use crate::event::{ChecksumAlg, FormatDescription, HEADER_LEN, VERSION_LEN};

/// Decodes a body without its checksum. Servers before MySQL 5.6.1, which wrote no algorithm byte, are not read.
pub(crate) fn format_description(body: &[u8], in_use: bool) -> Result<FormatDescription<'_>, DecodeError> {
    let mut cursor = Cursor::new(body);
    if cursor.u16()? != 4 {
        return Err(DecodeError("the binlog version is not 4"));
    }
    let version = cursor.take(VERSION_LEN)?;
    let version_len = version.iter().position(|byte| *byte == 0).unwrap_or(VERSION_LEN);
    let created = cursor.u32()?;
    if usize::from(cursor.u8()?) != HEADER_LEN {
        return Err(DecodeError("the common header is not 19 bytes long"));
    }
    let (algorithm, post_header_lens) =
        cursor.rest().split_last().ok_or(DecodeError("no checksum algorithm"))?;
    Ok(FormatDescription {
        server_version: version.get(..version_len).unwrap_or_default(),
        created,
        checksum: ChecksumAlg::from_code(*algorithm).ok_or(DecodeError("unknown checksum algorithm"))?,
        in_use,
        post_header_lens,
    })
}
