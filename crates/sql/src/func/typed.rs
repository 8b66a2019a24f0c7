//! What a function's type is found from.

use types::collation::Collation;
use types::column::IntSize;
use types::error::SqlError;
use types::temporal::FSP_MAX;

use super::temporal::{Wanted, text_fsp};
use crate::expr::typing::{Kind, Strength, TextType, aggregate_collations, common_type};
use crate::expr::{Expr, ResultType, Types};

type Result<T> = std::result::Result<T, SqlError>;

/// A call whose type is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Typed<'t> {
    /// The function's name.
    pub(crate) name: &'static str,
    /// The arguments.
    pub(crate) exprs: &'t [Expr],
    /// Their types.
    pub(crate) args: &'t [ResultType],
    /// What types depend on.
    pub(crate) types: &'t Types<'t>,
}

impl Typed<'_> {
    /// Whether an argument may be NULL.
    pub(crate) fn nullable(&self) -> bool {
        self.args.iter().any(|arg| arg.nullable)
    }

    /// An argument's type; NULL's if there is no such argument.
    pub(crate) fn arg(&self, at: usize) -> ResultType {
        self.args.get(at).copied().unwrap_or(ResultType::NULL)
    }

    /// The collation of the connection.
    pub(crate) fn connection(&self) -> Collation {
        self.types.connection()
    }

    /// The type that all arguments have in common.
    pub(crate) fn common(&self, args: &[ResultType]) -> Result<ResultType> {
        common_type(args.iter().copied(), self.name, self.types)
    }

    /// The collation of a text made of these arguments; of numbers alone it is as weak as a literal's.
    pub(crate) fn collation(&self, args: &[ResultType]) -> Result<TextType> {
        let connection = self.connection();
        let text = aggregate_collations(args.iter().map(|arg| arg.text_type(connection)), self.name)?;
        Ok(match text.strength {
            Strength::Numeric => TextType { strength: Strength::Coercible, ..text },
            _ => text,
        })
    }

    /// The collation of a text that is made by working on the first argument: unless that is binary, binary arguments
    /// are brought into its character set.
    pub(crate) fn subject(&self, args: &[ResultType]) -> Result<TextType> {
        let is_binary = |arg: &ResultType| arg.kind.is_string() && arg.text.collation == Collation::Binary;
        match args.first() {
            Some(first) if is_binary(first) || first.kind == Kind::Null => return Ok(first.text),
            Some(_) => {}
            None => return self.collation(args),
        }
        let kept: smallvec::SmallVec<[ResultType; 4]> =
            args.iter().filter(|arg| !is_binary(arg)).copied().collect();
        self.collation(&kept)
    }

    /// A text of so many ASCII characters in the connection's collation.
    pub(crate) fn ascii(&self, chars: u32) -> ResultType {
        ResultType::string(chars, TextType::ascii(self.connection())).nullable_if(self.nullable())
    }

    /// A BIGINT of this width, NULL if an argument is.
    pub(crate) fn int(&self, width: u32) -> ResultType {
        ResultType::int(IntSize::Big, width).nullable_if(self.nullable())
    }

    /// A BIGINT that the server answers, which may be NULL.
    pub(crate) fn of_server(&self) -> ResultType {
        self.int(21).or_null()
    }

    /// A DOUBLE, NULL if an argument is.
    pub(crate) fn double(&self) -> ResultType {
        ResultType::double().nullable_if(self.nullable())
    }

    /// The characters of an argument as text in the given collation: bytes if that is `binary`.
    pub(crate) fn chars_in(&self, at: usize, text: TextType) -> u32 {
        let arg = self.arg(at);
        if text.collation == Collation::Binary && arg.kind.is_string() { arg.bytes() } else { arg.chars() }
    }

    /// The same of all these arguments together, and so many more.
    pub(crate) fn chars_of(&self, args: impl Iterator<Item = usize>, text: TextType, more: u32) -> u32 {
        args.fold(more, |sum, at| sum.saturating_add(self.chars_in(at, text)))
    }

    /// An argument that is a constant without parameters: its value decides the type.
    pub(crate) fn constant(&self, at: usize) -> Option<types::value::ValueRef<'_>> {
        match self.exprs.get(at)? {
            Expr::Const(value) => Some(value.as_ref()),
            Expr::Param(number) => self.types.params.get(*number).copied(),
            Expr::Literal(number) => self.types.literals.get(*number).map(types::value::Value::as_ref),
            Expr::RowLiteral(number) => self.types.row_literals.get(*number).map(types::value::Value::as_ref),
            _ => None,
        }
    }

    /// A constant integer argument.
    pub(crate) fn constant_int(&self, at: usize) -> Option<i64> {
        use types::value::ValueRef::{Decimal, Double, Int, Str, UInt};
        match self.constant(at) {
            Some(Int(number)) => Some(number),
            Some(UInt(number)) => Some(i64::try_from(number).unwrap_or(i64::MAX)),
            Some(Decimal(number)) => number.to_i64(),
            Some(Double(number)) => Some(types::number::double_to_i64(number)),
            Some(Str(text, _)) => {
                let (negative, magnitude) = types::number::parse_integer(text).value;
                let magnitude = i64::try_from(magnitude).unwrap_or(i64::MAX);
                Some(if negative { -magnitude } else { magnitude })
            }
            Some(_) => None,
            None => match self.exprs.get(at)? {
                Expr::Neg(inner) => match &**inner {
                    Expr::Const(types::value::Value::Int(number)) => Some(number.saturating_neg()),
                    _ => None,
                },
                _ => None,
            },
        }
    }

    /// Digits of a fraction that a temporal result made of this argument has.
    pub(super) fn fsp(&self, at: usize, of: Wanted) -> u8 {
        let arg = self.arg(at);
        match (arg.kind, self.constant(at)) {
            (kind, Some(types::value::ValueRef::Str(text, _))) if kind.is_string() => text_fsp(text, of),
            (Kind::Null, _) => 0,
            (kind, _) if kind.is_string() => FSP_MAX,
            _ => arg.decimals.min(6),
        }
    }
}
