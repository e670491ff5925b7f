//! The schema as JSON in the file's metadata.

use crate::error::TraceError;
use crate::schema::{Column, Schema};
use consort_core::{Resolution, Seconds, ValueType, Variability};
use serde_json::{Value, json};

/// The key under which the schema stands in the file's metadata.
pub(crate) const KEY: &str = "consort.trace";
/// The version of the form below; raised when an old reader could misread a new file.
const VERSION: u64 = 1;

/// The schema as JSON. It is written as text at once: a tree of tens of thousands of columns would take longer than many
/// runs.
pub(crate) fn encode(schema: &Schema) -> String {
    let tick = schema.resolution().tick();
    let (numerator, denominator) = (tick.numerator(), tick.denominator());
    let mut out = format!(
        "{{\"version\":{VERSION},\"resolution\":{{\"numerator\":{numerator},\"denominator\":{denominator}}},\"columns\":["
    );
    for (index, column) in schema.columns().iter().enumerate() {
        out.push_str(if index == 0 { "{" } else { ",{" });
        encode_column(column, &mut out);
        out.push('}');
    }
    out.push_str("]}");
    out
}

fn encode_column(column: &Column, out: &mut String) {
    field("\"component\":", column.component(), out);
    field(",\"variable\":", column.variable(), out);
    field(",\"type\":", column.value_type.name(), out);
    field(",\"variability\":", column.variability.name(), out);
    if !column.dimensions.is_empty() {
        out.push_str(&format!(",\"dimensions\":{}", json!(column.dimensions)));
    }
    if let Some(unit) = &column.unit {
        field(",\"unit\":", unit, out);
    }
    if !column.description.is_empty() {
        field(",\"description\":", &column.description, out);
    }
    if !column.enumeration.is_empty() {
        out.push_str(&format!(",\"enumeration\":{}", json!(column.enumeration)));
    }
}

/// A name with what stands around it, and a text.
fn field(name: &str, text: &str, out: &mut String) {
    out.push_str(name);
    let is_plain = |byte: u8| b' ' <= byte && byte != b'"' && byte != b'\\';
    if text.bytes().all(is_plain) {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        out.push_str(&json!(text).to_string());
    }
}

/// The schema that `text` stands for.
pub(crate) fn decode(text: &str) -> Result<Schema, TraceError> {
    let bad = |reason: &str| TraceError::NotATrace { reason: reason.to_owned() };
    let value: Value = serde_json::from_str(text)
        .map_err(|error| TraceError::NotATrace { reason: format!("its schema is {error}") })?;
    if value["version"].as_u64() != Some(VERSION) {
        return Err(bad("its schema is of an unknown version"));
    }
    let resolution = decode_resolution(&value["resolution"]);
    let resolution = resolution.ok_or_else(|| bad("its resolution is not a positive fraction"))?;
    let columns = value["columns"].as_array().ok_or_else(|| bad("its schema has no columns"))?;
    let columns: Option<Vec<Column>> = columns.iter().map(decode_column).collect();
    Schema::new(resolution, columns.ok_or_else(|| bad("a column of its schema is incomplete"))?)
}

fn decode_resolution(value: &Value) -> Option<Resolution> {
    let numerator = value["numerator"].as_i64()?;
    Resolution::new(Seconds::new(numerator, value["denominator"].as_u64()?)?)
}

fn decode_column(value: &Value) -> Option<Column> {
    let name = value["type"].as_str()?;
    let value_type = ValueType::ALL.into_iter().find(|value_type| value_type.name() == name)?;
    let (component, variable) = (value["component"].as_str()?, value["variable"].as_str()?);
    let mut column = Column::new(component, variable, value_type);
    column.variability = Variability::from_name(value["variability"].as_str()?)?;
    column.dimensions = list(&value["dimensions"], |extent| extent.as_u64()?.try_into().ok())?;
    column.enumeration = list(&value["enumeration"], |item| {
        Some((item[0].as_str()?.to_owned(), item[1].as_i64()?))
    })?;
    column.unit = value["unit"].as_str().map(str::to_owned);
    column.description = value["description"].as_str().unwrap_or_default().to_owned();
    Some(column)
}

/// The items of a list that may be left out.
fn list<T>(value: &Value, item: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    match value {
        Value::Null => Some(Vec::new()),
        value => value.as_array()?.iter().map(item).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_comes_back_whole() {
        let mut mode = Column::new("a.b", "mode", ValueType::Enumeration);
        mode.enumeration = vec![("off".to_owned(), 0), ("on \"1\"".to_owned(), i64::MIN)];
        mode.description = "what it does".to_owned();
        let mut level = Column::new("", "x", ValueType::Float32).with_dimensions(&[2, 3]);
        level.variability = Variability::Tunable;
        let resolution = Resolution::new(Seconds::new(3, u64::MAX).unwrap()).unwrap();
        let schema = Schema::new(resolution, vec![mode, level.with_unit("m/s2")]).unwrap();
        let text = encode(&schema);
        assert_eq!(decode(&text).unwrap(), schema);
        let again: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(again.to_string(), text, "it is JSON without blanks");
    }

    #[test]
    fn what_is_no_schema_is_refused_with_the_reason() {
        let check = |text: &str, reason: &str| {
            let error = decode(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text} gives {error}");
        };
        check("{", "its schema is EOF");
        check("{}", "unknown version");
        check(r#"{"version":1}"#, "positive fraction");
        let zero = r#"{"version":1,"resolution":{"numerator":0,"denominator":1}}"#;
        check(zero, "positive fraction");
        let bare = r#"{"version":1,"resolution":{"numerator":1,"denominator":1}}"#;
        check(bare, "no columns");
        let odd = r#"{"version":1,"resolution":{"numerator":1,"denominator":1},"columns":[1]}"#;
        check(odd, "incomplete");
    }
}
