//! Query attributes: named values in front of the SQL of COM_QUERY, if negotiated.
//!
//! | bytes | field |
//! | --- | --- |
//! | lenenc | count |
//! | lenenc | sets of values, always 1 |
//! | (count + 7) / 8 | bitmap of NULLs; this and what follows only if there are attributes |
//! | 1 | 1: types follow |
//! | count times | type u16, name as lenenc string |
//! | count times | value, unless NULL |

use super::param::{Param, ParamType};
use crate::Result;
use crate::wire::cursor::Cursor;

const PACKET: &str = "query attributes";

/// The attributes of a query. They were validated; reading them allocates nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueryAttributes<'a> {
    count: usize,
    walk: Walk<'a>,
}

impl<'a> QueryAttributes<'a> {
    pub(crate) fn decode(cursor: &mut Cursor<'a>) -> Result<Self> {
        let count = cursor.lenenc()?;
        if cursor.lenenc()? != 1 {
            return Err(cursor.malformed());
        }
        if count == 0 {
            return Ok(Self::default());
        }
        let count = u16::try_from(count).map(usize::from).map_err(|_| cursor.malformed())?;
        let nulls = cursor.bytes(count.div_ceil(8))?;
        if cursor.u8()? != 1 {
            return Err(cursor.malformed());
        }
        let types = *cursor;
        for _ in 0..count {
            named_type(cursor)?;
        }
        let mut walk = Walk { index: 0, nulls, types, values: *cursor };
        let attributes = Self { count, walk };
        for _ in 0..count {
            walk.read()?;
        }
        *cursor = walk.values;
        Ok(attributes)
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Names and values, in the client's order.
    pub fn iter(&self) -> impl Iterator<Item = (&'a [u8], Param<'a>)> + use<'a> {
        let mut walk = self.walk;
        (0..self.count).map_while(move |_| walk.read().ok())
    }
}

/// A place in the two lists, of types with names and of values.
#[derive(Clone, Copy, Debug)]
struct Walk<'a> {
    index: usize,
    nulls: &'a [u8],
    types: Cursor<'a>,
    values: Cursor<'a>,
}

impl<'a> Walk<'a> {
    fn read(&mut self) -> Result<(&'a [u8], Param<'a>)> {
        let (declared, name) = named_type(&mut self.types)?;
        let value = if is_null(self.nulls, self.index) {
            Param::Null
        } else {
            Param::decode(&mut self.values, declared)?
        };
        self.index = self.index.saturating_add(1);
        Ok((name, value))
    }
}

impl Default for Walk<'_> {
    fn default() -> Self {
        let nothing = Cursor::new(&[], PACKET);
        Self { index: 0, nulls: &[], types: nothing, values: nothing }
    }
}

/// A type with the name of what has it.
pub(super) fn named_type<'a>(cursor: &mut Cursor<'a>) -> Result<(ParamType, &'a [u8])> {
    Ok((ParamType::decode(cursor)?, cursor.lenenc_bytes()?))
}

/// Whether the bitmap says NULL for a parameter.
pub(super) fn is_null(nulls: &[u8], index: usize) -> bool {
    nulls.get(index / 8).is_some_and(|byte| byte >> (index % 8) & 1 == 1)
}
