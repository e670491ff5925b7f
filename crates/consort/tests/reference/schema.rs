//! From keys to a JSON schema, draft 7.

use consort::reference::TextForm;
use consort_toml::{Key, KeyKind, KeyTable, NumberRange};
use serde_json::{Map, Value, json};

/// The schema of a kind of file.
pub(crate) fn schema(form: TextForm) -> Value {
    let mut whole = Map::new();
    whole.insert("$schema".to_owned(), json!("http://json-schema.org/draft-07/schema#"));
    whole.insert("title".to_owned(), json!(title(form)));
    whole.extend(table(crate::keys_of(form)));
    whole.insert("definitions".to_owned(), definitions());
    Value::Object(whole)
}

fn title(form: TextForm) -> &'static str {
    match form {
        TextForm::System => "A system of Consort: system.toml",
        TextForm::Campaign => "A campaign of Consort",
        TextForm::Interface => "The interface of a program for Consort",
    }
}

/// What variables can have.
fn definitions() -> Value {
    let value = json!({ "anyOf": [
        { "type": ["number", "boolean", "string"] },
        { "type": "array", "items": { "$ref": "#/definitions/value" } },
    ] });
    let with_unit = json!({
        "properties": {
            "value": { "$ref": "#/definitions/value" },
            "unit": { "type": "string", "description": "The unit of the value, which is converted." },
        },
        "required": ["value"],
        "additionalProperties": false,
    });
    let parameter = json!({ "if": { "type": "object" }, "then": {
        "if": { "anyOf": [{ "required": ["value"] }, { "required": ["unit"] }] },
        "then": with_unit,
        "else": { "additionalProperties": { "$ref": "#/definitions/parameter" } },
    }, "else": { "$ref": "#/definitions/value" } });
    json!({ "value": value, "parameter": parameter })
}

fn table(table: &KeyTable) -> Map<String, Value> {
    let properties: Map<String, Value> =
        table.keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    let required: Vec<&str> =
        table.keys.iter().filter(|key| key.default.is_none()).map(|key| key.name).collect();
    let mut schema = Map::new();
    schema.insert("description".to_owned(), json!(plain(table.meaning)));
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("required".to_owned(), json!(required));
    schema.insert("additionalProperties".to_owned(), json!(false));
    if !table.exactly_one.is_empty() {
        let groups: Vec<Value> = table.exactly_one.iter().map(|group| one_of(group)).collect();
        schema.insert("allOf".to_owned(), json!(groups));
    }
    schema
}

fn one_of(group: &[&str]) -> Value {
    let each: Vec<Value> = group.iter().map(|name| json!({ "required": [name] })).collect();
    json!({ "oneOf": each })
}

fn property(key: &Key) -> Value {
    let default = match key.default {
        None | Some("—") => String::new(),
        Some(default) => format!(" Default: {default}."),
    };
    let mut schema = Map::new();
    schema.insert("description".to_owned(), json!(plain(&format!("{}{default}", key.meaning))));
    let Value::Object(kind) = kind(&key.kind) else { unreachable!("schemas are objects") };
    for (name, value) in kind {
        schema.entry(name).or_insert(value);
    }
    Value::Object(schema)
}

fn kind(kind: &KeyKind) -> Value {
    match kind {
        KeyKind::Text => json!({ "type": "string" }),
        KeyKind::List => json!({ "type": "array", "items": { "type": "string" } }),
        KeyKind::Boolean => json!({ "type": "boolean" }),
        KeyKind::True => json!({ "const": true }),
        KeyKind::Number(range) => number(*range),
        KeyKind::Whole(least, most) => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        KeyKind::Extents => {
            json!({ "type": "array", "minItems": 1, "items": { "type": "integer", "minimum": 1 } })
        }
        KeyKind::Seconds => json!({ "anyOf": [
            { "type": "number" },
            { "type": "string", "pattern": SECONDS },
        ] }),
        KeyKind::Choice(names) => json!({ "enum": names }),
        // Draft 7 ignores what stands beside a `$ref`.
        KeyKind::Value => json!({ "allOf": [{ "$ref": "#/definitions/value" }] }),
        KeyKind::Values => json!({
            "type": "array",
            "minItems": 1,
            "items": { "$ref": "#/definitions/value" },
        }),
        KeyKind::Parameters => json!({
            "type": "object",
            "additionalProperties": { "$ref": "#/definitions/parameter" },
        }),
        KeyKind::Table(inner) => Value::Object(table(inner)),
        KeyKind::Tables(inner) => json!({ "type": "array", "items": table(inner) }),
        KeyKind::Named(_, inner) => {
            json!({ "type": "object", "additionalProperties": self::kind(inner) })
        }
        KeyKind::Either(kinds) => {
            let kinds: Vec<Value> = kinds.iter().map(self::kind).collect();
            json!({ "anyOf": kinds })
        }
    }
}

/// A number, or two with a stroke between them.
const SECONDS: &str =
    "^\\s*[-+]?[0-9_.]+([eE][-+]?[0-9]+)?(\\s*/\\s*[0-9_.]+([eE][-+]?[0-9]+)?)?\\s*$";

fn number(range: NumberRange) -> Value {
    match range {
        NumberRange::Any => json!({ "type": "number" }),
        NumberRange::Positive => json!({ "type": "number", "exclusiveMinimum": 0 }),
        NumberRange::Probability => {
            json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 })
        }
        NumberRange::Factor => json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 1 }),
    }
}

/// Without the targets of links, which lead nowhere in an editor.
fn plain(markdown: &str) -> String {
    let mut text = String::new();
    let mut rest = markdown;
    while let Some((before, link)) = rest.split_once('[') {
        text += before;
        match link.split_once("](").and_then(|(words, after)| Some((words, after.split_once(')')?)))
        {
            Some((words, (_, after))) if !words.contains(['[', ']']) => {
                text += words;
                rest = after;
            }
            _ => {
                text += "[";
                rest = link;
            }
        }
    }
    text + rest
}
