//! From written types to the catalog's.

use types::charset::{Charset, Converted, convert};
use types::collation::Collation;
use types::column::{ColumnType, IntSize, Labels, LobSize, Sign};
use types::context::Context;
use types::error::SqlError;
use types::error::table::{
    ER_AUTO_CONVERT, ER_COLLATION_CHARSET_MISMATCH, ER_DUPLICATED_VALUE_IN_TYPE, ER_INVALID_DEFAULT,
    ER_INVALID_YEAR_COLUMN_LENGTH, ER_TOO_BIG_DISPLAYWIDTH, ER_WARN_DEPRECATED_SYNTAX_NO_REPLACEMENT,
};
use types::sql_mode::SqlMode;
use types::value::quote_text;
use types::warning::Level;

use super::{Result, charset};
use crate::parse::table::{ColumnSpec, TypeName, TypeSpec};

/// The type of a column in a table of this collation. Errors of the types' limits, and of character sets.
pub(super) fn column_type(
    column: &ColumnSpec,
    table: Collation,
    context: &mut Context<'_>,
) -> Result<ColumnType> {
    let (name, spec) = (&*column.name, &column.ty);
    warn_of_deprecated(spec, context);
    match spec.name {
        TypeName::TinyInt => int(name, IntSize::Tiny, spec),
        TypeName::SmallInt => int(name, IntSize::Small, spec),
        TypeName::MediumInt => int(name, IntSize::Medium, spec),
        TypeName::Int => int(name, IntSize::Int, spec),
        TypeName::BigInt => int(name, IntSize::Big, spec),
        TypeName::Bool => Ok(ColumnType::BOOL),
        TypeName::Serial => ColumnType::int(name, IntSize::Big, Sign::Unsigned, None),
        TypeName::Decimal => {
            let (precision, scale) = (spec.length.map(clamp), spec.decimals.map(clamp));
            ColumnType::decimal(name, precision, scale, sign(spec))
        }
        TypeName::Float => match (spec.length, spec.decimals) {
            (Some(bits), None) => ColumnType::float_of_bits(name, clamp(bits), sign(spec)),
            _ => float(name, false, spec),
        },
        TypeName::Double => float(name, true, spec),
        TypeName::Real => float(name, !context.sql_mode.contains(SqlMode::REAL_AS_FLOAT), spec),
        TypeName::Bit => ColumnType::bit(name, spec.length.map(clamp)),
        TypeName::Year => year(spec, context),
        TypeName::Json => {
            if column.collation.is_some() {
                bytes_have_no_collation(column, context)?;
            }
            Ok(ColumnType::Json)
        }
        TypeName::Date => Ok(ColumnType::Date),
        TypeName::Time => ColumnType::time(name, spec.length.map_or(0, clamp)),
        TypeName::DateTime => ColumnType::datetime(name, spec.length.map_or(0, clamp)),
        TypeName::Timestamp => ColumnType::timestamp(name, spec.length.map_or(0, clamp)),
        TypeName::Binary => {
            bytes_have_no_collation(column, context)?;
            ColumnType::binary(name, spec.length.map_or(1, clamp))
        }
        TypeName::Varbinary => {
            bytes_have_no_collation(column, context)?;
            varying(name, spec, Collation::Binary, context)
        }
        TypeName::TinyBlob => blob(column, LobSize::Tiny, context),
        TypeName::Blob => blob(column, LobSize::Normal, context),
        TypeName::MediumBlob => blob(column, LobSize::Medium, context),
        TypeName::LongBlob => blob(column, LobSize::Long, context),
        _ => text(column, table, context),
    }
}

fn text(column: &ColumnSpec, table: Collation, context: &mut Context<'_>) -> Result<ColumnType> {
    let (name, spec) = (&*column.name, &column.ty);
    let collation = charset::of_column(spec, column.collation.as_deref(), table, context)?;
    match spec.name {
        TypeName::Char => ColumnType::char(name, spec.length.map_or(1, clamp), collation),
        TypeName::Varchar => varying(name, spec, collation, context),
        TypeName::TinyText => Ok(lob(LobSize::Tiny, collation)),
        TypeName::Text => match spec.length {
            None | Some(0) => Ok(lob(LobSize::Normal, collation)),
            Some(length) => {
                checked_lob_length(name, length).map(|length| ColumnType::text_for(length, collation))
            }
        },
        TypeName::MediumText => Ok(lob(LobSize::Medium, collation)),
        TypeName::Enum | TypeName::Set => labelled(name, spec, collation, context),
        _ => Ok(lob(LobSize::Long, collation)),
    }
}

/// ENUM or SET. Error 1291 for a label that stands there twice, a note unless the mode is strict.
fn labelled(
    name: &str,
    spec: &TypeSpec,
    collation: Collation,
    context: &mut Context<'_>,
) -> Result<ColumnType> {
    let labels = spec.labels.iter().map(|label| {
        let mut converted = Vec::with_capacity(label.len());
        match convert(label, Charset::Utf8mb4, collation.charset(), &mut converted) {
            Converted::Exactly => Ok(converted),
            Converted::WithReplacements { .. } => Err(ER_INVALID_DEFAULT.error(&[&name])),
        }
    });
    let labels = Labels::new(collation, labels.collect::<Result<Vec<_>>>()?);
    let is_enum = spec.name == TypeName::Enum;
    let ty = if is_enum { ColumnType::enumeration(name, labels)? } else { ColumnType::set(name, labels)? };
    if let Some(label) = labels.duplicate() {
        let what = if is_enum { "ENUM" } else { "SET" };
        let label = quote_text(label, collation);
        if context.strict {
            return Err(ER_DUPLICATED_VALUE_IN_TYPE.error(&[&name, &label, &what]));
        }
        context.note(&ER_DUPLICATED_VALUE_IN_TYPE, &[&name, &label, &what]);
    }
    Ok(ty)
}

/// YEAR, which may be written YEAR(4). Error 1818 for another width.
fn year(spec: &TypeSpec, context: &mut Context<'_>) -> Result<ColumnType> {
    match spec.length {
        None => {}
        Some(4) => charset::deprecated(context, "YEAR(4)", "YEAR"),
        Some(_) => return Err(ER_INVALID_YEAR_COLUMN_LENGTH.error(&[])),
    }
    Ok(ColumnType::Year)
}

/// A TEXT of the collation, which is a BLOB if that is `binary`.
pub(super) fn lob(size: LobSize, collation: Collation) -> ColumnType {
    match collation {
        Collation::Binary => ColumnType::Blob { size },
        _ => ColumnType::Text { size, collation },
    }
}

fn blob(column: &ColumnSpec, size: LobSize, context: &mut Context<'_>) -> Result<ColumnType> {
    bytes_have_no_collation(column, context)?;
    match column.ty.length {
        None | Some(0) => Ok(ColumnType::Blob { size }),
        Some(length) => checked_lob_length(&column.name, length).map(ColumnType::blob_for),
    }
}

/// Error 1253 for a collation of bytes.
fn bytes_have_no_collation(column: &ColumnSpec, context: &mut Context<'_>) -> Result<()> {
    let Some(name) = &column.collation else { return Ok(()) };
    match charset::collation(name, context)? {
        Collation::Binary => Ok(()),
        other => Err(ER_COLLATION_CHARSET_MISMATCH.error(&[&other.name(), &"binary"])),
    }
}

/// VARCHAR or VARBINARY; one that is too long becomes a TEXT or BLOB, with note 1246, unless the mode is strict.
fn varying(
    name: &str,
    spec: &TypeSpec,
    collation: Collation,
    context: &mut Context<'_>,
) -> Result<ColumnType> {
    let length = spec.length.unwrap_or(0);
    let ty = ColumnType::varchar(name, clamp(length), collation);
    if ty.is_ok() || context.strict {
        return ty;
    }
    let (from, to) = match collation {
        Collation::Binary => ("VARBINARY", "BLOB"),
        _ => ("VARCHAR", "TEXT"),
    };
    context.note(&ER_AUTO_CONVERT, &[&name, &from, &to]);
    checked_lob_length(name, length).map(|length| ColumnType::text_for(length, collation))
}

/// Error 1439 beyond 4 GiB.
fn checked_lob_length(name: &str, length: u64) -> Result<u64> {
    match u32::try_from(length) {
        Ok(_) => Ok(length),
        Err(_) => Err(ER_TOO_BIG_DISPLAYWIDTH.error(&[&name, &u32::MAX])),
    }
}

fn int(name: &str, size: IntSize, spec: &TypeSpec) -> Result<ColumnType> {
    // INT(0) is INT.
    let width = spec.length.filter(|width| *width > 0).map(clamp);
    ColumnType::int(name, size, sign(spec), width)
}

fn float(name: &str, double: bool, spec: &TypeSpec) -> Result<ColumnType> {
    let digits = spec.length.zip(spec.decimals).map(|(m, d)| (clamp(m), clamp(d)));
    ColumnType::float(name, double, digits, sign(spec))
}

fn sign(spec: &TypeSpec) -> Sign {
    match (spec.zerofill, spec.unsigned) {
        (true, _) => Sign::Zerofill,
        (false, true) => Sign::Unsigned,
        (false, false) => Sign::Signed,
    }
}

/// Lengths beyond every limit stay beyond it.
fn clamp(length: u64) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Warnings 1681.
fn warn_of_deprecated(spec: &TypeSpec, context: &mut Context<'_>) {
    let mut warn = |text: &str| {
        let error = SqlError::with_message(&ER_WARN_DEPRECATED_SYNTAX_NO_REPLACEMENT, text);
        context.warnings.push_error(Level::Warning, &error);
    };
    let is_int = matches!(
        spec.name,
        TypeName::TinyInt | TypeName::SmallInt | TypeName::MediumInt | TypeName::Int | TypeName::BigInt
    );
    let approximate = matches!(spec.name, TypeName::Float | TypeName::Double | TypeName::Real);
    if spec.zerofill {
        warn(
            "The ZEROFILL attribute is deprecated and will be removed in a future release. Use the LPAD function to \
             zero-pad numbers, or store the formatted numbers in a CHAR column.",
        );
    }
    if spec.unsigned && (approximate || spec.name == TypeName::Decimal) {
        warn(
            "UNSIGNED for decimal and floating point data types is deprecated and support for it will be removed in a \
             future release.",
        );
    }
    if is_int && spec.length.is_some() {
        warn("Integer display width is deprecated and will be removed in a future release.");
    }
    if approximate && spec.decimals.is_some() {
        warn(
            "Specifying number of digits for floating point data types is deprecated and will be removed in a future \
             release.",
        );
    }
}
