//! From text to values.

use super::{Entry, Item, Json, report_duplicates};
use consort_core::{Diagnostic, Report, SourceId, Span};
use consort_system::Spanned;
use jsonc_parser::ast::{ObjectPropName, Value};
use jsonc_parser::common::Range;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// The longest text, in bytes.
pub const TEXT_MAX: usize = 1 << 26;

/// How deep lists and objects may be in each other.
pub const NESTING_MAX: usize = 64;

/// The value of a text, or the reason why it has none.
pub(in crate::multimodel) fn parse(name: &str, text: &str, report: &mut Report) -> Option<Item> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let source = report.add_source(name, text);
    if TEXT_MAX < text.len() {
        let message = format!("`{name}` has more than {TEXT_MAX} bytes");
        report.push(Diagnostic::error("json::too-large", message).help("is this a multi-model?"));
        return None;
    }
    let strict = ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    match parse_to_ast(text, &CollectOptions::default(), &strict) {
        Ok(result) => match result.value {
            Some(value) => Converter { source, report }.item(&value, 0),
            None => {
                let message = format!("`{name}` is empty");
                let help = "a multi-model begins with `{ \"fmus\": {`";
                report.push(Diagnostic::error("json::syntax", message).help(help));
                None
            }
        },
        Err(error) => {
            report.push(syntax_error(&error, source, text));
            None
        }
    }
}

fn syntax_error(error: &ParseError, source: SourceId, text: &str) -> Diagnostic {
    use ParseErrorKind as Kind;
    let (message, help) = match error.kind() {
        Kind::TrailingCommasNotAllowed => ("a comma with nothing after it", "remove the comma"),
        Kind::CommentsNotAllowed => ("a comment", "JSON has no comments: remove it"),
        Kind::ExpectedComma => ("a comma is missing", "separate entries by `,`"),
        Kind::ExpectedColonAfterObjectKey => ("a colon is missing", "write `\"key\": value`"),
        Kind::ExpectedObjectValue => ("a value is missing", "write `\"key\": value`"),
        Kind::UnterminatedObject => ("an object is not closed", "close it with `}`"),
        Kind::UnterminatedArray => ("a list is not closed", "close it with `]`"),
        Kind::SingleQuotedStringsNotAllowed => ("text in single quotes", "use double quotes"),
        Kind::ExpectedStringObjectProperty => ("a key without quotes", "write `\"key\": value`"),
        Kind::String(_) => ("text that is not closed, or a wrong escape", "write `\\\\` for `\\`"),
        Kind::NestingDepthExceeded => ("lists and objects nest too deep", "is this a multi-model?"),
        Kind::NonFiniteNumbersNotAllowed => ("infinity and NaN are no JSON", "write a number"),
        Kind::MultipleRootJsonValues => ("something follows the value", "put all into one object"),
        _ => ("this is no JSON", "the file is written in JSON: see https://json.org"),
    };
    let range = error.range();
    let start = text.floor_char_boundary(range.start.min(text.len()));
    let end = text.ceil_char_boundary(range.end.clamp(start, text.len()));
    Diagnostic::error("json::syntax", message).at(Span::new(source, start..end), "here").help(help)
}

struct Converter<'r> {
    source: SourceId,
    report: &'r mut Report,
}

impl Converter<'_> {
    fn span(&self, range: Range) -> Span {
        Span::new(self.source, range.start..range.end)
    }

    fn item(&mut self, value: &Value<'_>, depth: usize) -> Option<Item> {
        let (json, range) = match value {
            Value::NullKeyword(it) => (Json::Null, it.range),
            Value::BooleanLit(it) => (Json::Boolean(it.value), it.range),
            Value::NumberLit(it) => (Json::Number(it.value.to_owned()), it.range),
            Value::StringLit(it) => (Json::Text(it.value.to_string()), it.range),
            Value::Array(it) => {
                self.check_depth(depth, it.range)?;
                let items = it.elements.iter().map(|item| self.item(item, depth + 1));
                (Json::List(items.collect::<Option<_>>()?), it.range)
            }
            Value::Object(it) => {
                self.check_depth(depth, it.range)?;
                let mut entries: Vec<Entry> = Vec::new();
                for property in &it.properties {
                    let (text, range) = match &property.name {
                        ObjectPropName::String(name) => (name.value.to_string(), name.range),
                        ObjectPropName::Word(name) => (name.value.to_owned(), name.range),
                    };
                    let key = Spanned::new(text, self.span(range));
                    entries.push(Entry { key, value: self.item(&property.value, depth + 1)? });
                }
                report_duplicates(&entries, self.report);
                (Json::Object(entries), it.range)
            }
        };
        Some(Item { json, span: self.span(range) })
    }

    fn check_depth(&mut self, depth: usize, range: Range) -> Option<()> {
        if depth < NESTING_MAX {
            return Some(());
        }
        let message = format!("lists and objects nest more than {NESTING_MAX} deep");
        let at = Span::new(self.source, range.start..range.start + 1);
        let diagnostic = Diagnostic::error("json::syntax", message).at(at, "too deep");
        self.report.push(diagnostic.help("is this a multi-model?"));
        None
    }
}
