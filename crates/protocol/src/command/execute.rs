//! COM_STMT_EXECUTE.
//!
//! | bytes | field |
//! | --- | --- |
//! | 4 | statement |
//! | 1 | flags: 0x01 read-only cursor, 0x08 a count of parameters follows although the statement has none |
//! | 4 | iterations, always 1 |
//! | lenenc | count of parameters and attributes, only with QUERY_ATTRIBUTES |
//! | (count + 7) / 8 | bitmap of NULLs; this and what follows only if there are any |
//! | 1 | 1: types follow; 0: they are those of the execution before |
//! | count times | type u16; with QUERY_ATTRIBUTES also its name as lenenc string |
//! | count times | value, unless NULL or sent as long data |
//!
//! How many parameters there are is known only to the statement, so decoding takes two steps: [`Execute`] names
//! the statement, and [`Execute::params`] reads the values with what the statement knows. Attributes of an
//! execution follow the parameters in every list; they are skipped, and not looked at if there are no parameters.

use super::attributes::{is_null, named_type};
use super::param::{Param, ParamType, ParamTypes};
use crate::wire::Capabilities;
use crate::wire::cursor::Cursor;
use crate::{Error, Result};

const CURSOR_READ_ONLY: u8 = 0x01;

/// An execution whose parameters were not read yet.
#[derive(Clone, Copy, Debug)]
pub struct Execute<'a> {
    /// The statement.
    pub statement_id: u32,
    flags: u8,
    named: bool,
    body: Cursor<'a>,
}

impl<'a> Execute<'a> {
    pub(crate) fn decode(mut cursor: Cursor<'a>, capabilities: Capabilities) -> Result<Self> {
        let statement_id = cursor.u32()?;
        let flags = cursor.u8()?;
        // Iterations; nobody ever gave another number a meaning.
        cursor.u32()?;
        let named = capabilities.contains(Capabilities::QUERY_ATTRIBUTES);
        Ok(Self { statement_id, flags, named, body: cursor })
    }

    /// Whether the client wants to fetch the rows later, with COM_STMT_FETCH.
    pub const fn wants_cursor(&self) -> bool {
        self.flags & CURSOR_READ_ONLY != 0
    }

    /// Reads the parameters of a statement that has `count` of them.
    ///
    /// `types` is what the statement remembers: it is replaced if the packet brings types, and used if not. A
    /// parameter whose index is in `long_data`, a sorted list, has its value from COM_STMT_SEND_LONG_DATA.
    ///
    /// # Errors
    /// [`Error::Malformed`], and [`Error::UnboundParameters`] if no execution ever brought types. Values are
    /// read while iterating, which can fail as well.
    pub fn params<'t>(
        &self,
        count: u16,
        types: &'t mut ParamTypes,
        long_data: &'t [u16],
    ) -> Result<Params<'a, 't>> {
        let mut cursor = self.body;
        let count = usize::from(count);
        let mut nulls: &[u8] = &[];
        if count > 0 {
            let sent = if self.named { parameter_count(&mut cursor)? } else { count };
            if sent < count {
                return Err(cursor.malformed());
            }
            nulls = cursor.bytes(sent.div_ceil(8))?;
            match cursor.u8()? {
                0 => {}
                1 => self.read_types(&mut cursor, sent, count, types)?,
                _ => return Err(cursor.malformed()),
            }
        }
        let types = types.get(..count).ok_or(Error::UnboundParameters)?;
        Ok(Params { index: 0, nulls, types, long_data, values: cursor })
    }

    /// Reads `sent` types and remembers the first `count`; none, if one of them is wrong.
    fn read_types(
        &self,
        cursor: &mut Cursor<'a>,
        sent: usize,
        count: usize,
        types: &mut ParamTypes,
    ) -> Result<()> {
        types.clear();
        for index in 0..sent {
            let declared = if self.named {
                named_type(cursor).map(|(declared, _)| declared)
            } else {
                ParamType::decode(cursor)
            };
            match declared {
                Ok(declared) if index < count => types.push(declared),
                Ok(_) => {}
                Err(error) => {
                    types.clear();
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}

/// The count of parameters and attributes together.
fn parameter_count(cursor: &mut Cursor<'_>) -> Result<usize> {
    u16::try_from(cursor.lenenc()?).map(usize::from).map_err(|_| cursor.malformed())
}

/// The parameters of an execution, in order. Ends after an error.
#[derive(Clone, Debug)]
pub struct Params<'a, 't> {
    index: usize,
    nulls: &'a [u8],
    types: &'t [ParamType],
    long_data: &'t [u16],
    values: Cursor<'a>,
}

impl<'a> Params<'a, '_> {
    fn is_long_data(&self) -> bool {
        !self.long_data.is_empty()
            && u16::try_from(self.index).is_ok_and(|index| self.long_data.binary_search(&index).is_ok())
    }

    fn read(&mut self, declared: ParamType) -> Result<Param<'a>> {
        if self.is_long_data() {
            Ok(Param::LongData(declared.column_type))
        } else if is_null(self.nulls, self.index) {
            Ok(Param::Null)
        } else {
            Param::decode(&mut self.values, declared)
        }
    }
}

impl<'a> Iterator for Params<'a, '_> {
    type Item = Result<Param<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let declared = *self.types.get(self.index)?;
        let param = self.read(declared);
        self.index = if param.is_ok() { self.index.saturating_add(1) } else { self.types.len() };
        Some(param)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.types.len().saturating_sub(self.index);
        (usize::from(left > 0), Some(left))
    }
}
