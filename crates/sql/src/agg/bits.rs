//! BIT_AND, BIT_OR, BIT_XOR: of numbers in 64 bits, of binary strings byte by byte.

use types::collation::Collation;
use types::context::Context;
use types::error::SqlError;
use types::value::{Value, ValueRef};

use crate::expr::{Expr, Types, bits_of};
use crate::func::error::{ER_INVALID_BITWISE_AGGREGATE_OPERANDS_SIZE, ER_INVALID_BITWISE_OPERANDS_SIZE};
use crate::plan::{Aggregate, AggregateKind};

/// The longest binary string.
const SIZE_MAX: u32 = 511;

/// What was joined.
#[derive(Clone, Debug)]
pub(super) struct Bits {
    kind: AggregateKind,
    joined: Joined,
}

#[derive(Clone, Debug)]
enum Joined {
    Number(u64),
    /// None before the first row; an empty group's result has so many bytes.
    Bytes(Option<Vec<u8>>, usize),
}

impl Bits {
    /// Error 3514 for binary strings that may be too long.
    pub(super) fn new(aggregate: &Aggregate, types: &Types<'_>) -> Result<Self, SqlError> {
        let kind = aggregate.kind;
        let neutral = if kind == AggregateKind::BitAnd { u64::MAX } else { 0 };
        let joined = match binary_size(aggregate, types)? {
            None => Joined::Number(neutral),
            Some(size) if size > SIZE_MAX => {
                return Err(ER_INVALID_BITWISE_AGGREGATE_OPERANDS_SIZE.error(&[]));
            }
            Some(size) => Joined::Bytes(None, usize::try_from(size).unwrap_or(0)),
        };
        Ok(Self { kind, joined })
    }

    pub(super) fn add(
        &mut self,
        expr: &Expr,
        value: ValueRef<'_>,
        context: &mut Context<'_>,
    ) -> Result<(), SqlError> {
        match &mut self.joined {
            Joined::Number(joined) => {
                let bits = bits_of(expr, value, context)?;
                match self.kind {
                    AggregateKind::BitAnd => *joined &= bits,
                    AggregateKind::BitOr => *joined |= bits,
                    _ => *joined ^= bits,
                }
            }
            Joined::Bytes(joined, _) => {
                let bytes = value.string_bytes().unwrap_or_default();
                let Some(joined) = joined else {
                    *joined = Some(bytes.into_owned());
                    return Ok(());
                };
                if joined.len() != bytes.len() {
                    return Err(ER_INVALID_BITWISE_OPERANDS_SIZE.error(&[]));
                }
                for (joined, byte) in joined.iter_mut().zip(bytes.iter()) {
                    match self.kind {
                        AggregateKind::BitAnd => *joined &= byte,
                        AggregateKind::BitOr => *joined |= byte,
                        _ => *joined ^= byte,
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes out what was added, if they are joined by XOR.
    pub(super) fn remove(
        &mut self,
        expr: &Expr,
        value: ValueRef<'_>,
        context: &mut Context<'_>,
    ) -> Result<bool, SqlError> {
        let is_invertible = self.kind == AggregateKind::BitXor && matches!(self.joined, Joined::Number(_));
        if is_invertible {
            self.add(expr, value, context)?;
        }
        Ok(is_invertible)
    }

    pub(super) fn finish(self) -> Value {
        match self.joined {
            Joined::Number(joined) => Value::UInt(joined),
            Joined::Bytes(Some(joined), _) => Value::Bytes(joined),
            Joined::Bytes(None, size) => {
                let neutral = if self.kind == AggregateKind::BitAnd { 0xFF } else { 0 };
                Value::Bytes(vec![neutral; size])
            }
        }
    }
}

/// The length of the argument if it is a binary string and no hexadecimal literal.
pub(super) fn binary_size(aggregate: &Aggregate, types: &Types<'_>) -> Result<Option<u32>, SqlError> {
    let Some(arg) = aggregate.args.first().filter(|arg| !matches!(arg, Expr::Const(_))) else {
        return Ok(None);
    };
    let ty = arg.result_type(types)?;
    let is_binary = ty.kind.is_string() && ty.text.collation == Collation::Binary;
    Ok(is_binary.then_some(ty.length))
}
