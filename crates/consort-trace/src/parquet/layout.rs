//! Which Parquet column holds what.

use crate::error::TraceError;
use crate::schema::Schema;
use ::parquet::basic::{LogicalType, Repetition, Type as Physical};
use ::parquet::schema::types::{Type, TypePtr};
use consort_core::ValueType;
use std::sync::Arc;

/// The columns that every trace has, before those of the schema.
pub(super) const FIRST: [(&str, Physical); 3] =
    [("time", Physical::DOUBLE), ("tick", Physical::INT64), ("microstep", Physical::INT32)];

/// The Parquet schema of a trace.
pub(super) fn message(schema: &Schema) -> Result<TypePtr, TraceError> {
    let mut fields = Vec::new();
    for (name, physical) in FIRST {
        fields.push(field(name, physical, None)?);
    }
    for (column, element) in schema.elements() {
        let column = &schema.columns()[column];
        let name = column.element_name(element);
        if FIRST.iter().any(|(first, _)| *first == name) {
            return Err(TraceError::ReservedColumn { name });
        }
        let (physical, logical) = types(column.value_type);
        fields.push(field(&name, physical, logical)?);
    }
    Ok(Arc::new(Type::group_type_builder("trace").with_fields(fields).build()?))
}

fn field(
    name: &str,
    physical: Physical,
    logical: Option<LogicalType>,
) -> Result<TypePtr, TraceError> {
    let builder = Type::primitive_type_builder(name, physical);
    let builder = builder.with_repetition(Repetition::REQUIRED).with_logical_type(logical);
    Ok(Arc::new(builder.build()?))
}

fn types(value_type: ValueType) -> (Physical, Option<LogicalType>) {
    let small = |bits, signed| (Physical::INT32, Some(LogicalType::integer(bits, signed)));
    match value_type {
        ValueType::Float64 => (Physical::DOUBLE, None),
        ValueType::Float32 => (Physical::FLOAT, None),
        ValueType::Int8 => small(8, true),
        ValueType::UInt8 => small(8, false),
        ValueType::Int16 => small(16, true),
        ValueType::UInt16 => small(16, false),
        ValueType::Int32 => small(32, true),
        ValueType::UInt32 => small(32, false),
        ValueType::Int64 => (Physical::INT64, Some(LogicalType::integer(64, true))),
        ValueType::UInt64 => (Physical::INT64, Some(LogicalType::integer(64, false))),
        ValueType::Enumeration => (Physical::INT64, None),
        ValueType::Boolean | ValueType::Clock => (Physical::BOOLEAN, None),
        ValueType::String => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ValueType::Binary => (Physical::BYTE_ARRAY, None),
    }
}
