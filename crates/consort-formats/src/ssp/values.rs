//! Parameter sets (`.ssv`) and parameter mappings (`.ssm`), in files of their own or inline.

use super::document::{Mapped, Value};
use super::structure::META;
use super::units::{Units, transformation};
use super::xml::{Session, Tag, boolean, shorten};
use consort_core::{Diagnostic, Literal, Span};
use consort_system::Spanned;
use std::collections::BTreeSet;

/// Most elements of one array.
const ELEMENTS_MAX: usize = 1 << 20;
/// Most dimensions of one array: values nest as deep as there are.
const DIMENSIONS_MAX: usize = 32;

/// Elements that hold a value, by its type.
pub(super) const TYPES: &[&str] = &[
    "Real",
    "Float64",
    "Float32",
    "Integer",
    "Int8",
    "UInt8",
    "Int16",
    "UInt16",
    "Int32",
    "UInt32",
    "Int64",
    "UInt64",
    "Boolean",
    "String",
    "Enumeration",
    "Binary",
];

/// Reads the values of a `ParameterSet`.
pub(super) fn parameter_set(session: &mut Session<'_>, set: Tag<'_>) -> Vec<Value> {
    if !check_root(session, set, "ParameterSet", "a parameter set (`.ssv`)") {
        return Vec::new();
    }
    super::structure::check_version(session, set);
    let children = ["Parameters", "Enumerations", "Units", "Annotations", "MetaData", "Signature"];
    session.known(set, &[META, &["version", "name"]].concat(), &children);
    let units = Units::read(session, set);
    let Some(list) = set.child("Parameters") else {
        let message = "`ParameterSet` has no `Parameters`";
        session.missing(message, set, "nothing in here", "put the values into `<ssv:Parameters>`");
        return Vec::new();
    };
    session.known(list, &[], &["Parameter"]);
    let mut names = BTreeSet::new();
    let mut values = Vec::new();
    for tag in list.all("Parameter") {
        let Some(value) = parameter(session, tag, &units) else { continue };
        let message = |name: &str| format!("`{name}` is given twice in one parameter set");
        let warning = ("ssp::duplicate-parameter", "given again");
        check_repeated(session, &mut names, &value.name, warning, message);
        values.push(value);
    }
    values
}

/// Warns, by its code and label, of a name that was there before.
fn check_repeated(
    session: &mut Session<'_>,
    seen: &mut BTreeSet<String>,
    name: &Spanned<String>,
    (code, label): (&'static str, &str),
    message: impl Fn(&str) -> String,
) {
    if !seen.insert(name.value.clone()) {
        let warning = Diagnostic::warning(code, message(&name.value)).maybe_at(name.span, label);
        session.report(warning.help("the last one counts; remove the others"));
    }
}

/// Whether the root element of a file is the one it must be.
pub(super) fn check_root(session: &mut Session<'_>, root: Tag<'_>, name: &str, what: &str) -> bool {
    if root.name() == name {
        return true;
    }
    let message = format!("this is not {what}: it starts with `{}`", shorten(root.name()));
    session.report(
        Diagnostic::error("ssp::wrong-root", message)
            .at(root.span(), format!("expected `{name}`"))
            .help("check which file is named where"),
    );
    false
}

fn parameter(session: &mut Session<'_>, tag: Tag<'_>, units: &Units) -> Option<Value> {
    session.known(tag, &["name"], &[TYPES, &["Dimension", "Annotations"]].concat());
    let help = "name the parameter: `name=\"area\"`";
    let name = session.required(tag, "name", help)?;
    let name = Spanned { value: name.value.to_owned(), span: name.span };
    let Some(typed) = tag.children().find(|child| TYPES.contains(&child.name())) else {
        let message = format!("the parameter `{}` has no value", name.value);
        let help = "add one, such as `<ssv:Real value=\"1.5\"/>`";
        session.missing(message, tag, "no element with a type in here", help);
        return None;
    };
    let unit = units.of_value(session, typed);
    let literal = literal(session, tag, typed)?;
    Some(Value { name, literal, unit })
}

/// The value below a `Parameter`: one scalar, or a list in the shape of its dimensions.
fn literal(session: &mut Session<'_>, tag: Tag<'_>, typed: Tag<'_>) -> Option<Spanned<Literal>> {
    let mut sizes = Vec::new();
    for dimension in tag.all("Dimension") {
        let help = "give the number of elements: `size=\"3\"`";
        session.required(dimension, "size", help)?;
        sizes.push(session.number::<usize>(dimension, "size", "a number of elements")?.value);
    }
    let children: Vec<Tag<'_>> = typed.all("Value").collect();
    let is_text = matches!(typed.name(), "String" | "Enumeration" | "Binary");
    let whole = match children.as_slice() {
        [] => session.required(typed, "value", "write the value: `value=\"1.5\"`")?,
        [first, ..] => Spanned { value: "", span: Some(first.span()) },
    };
    let mut scalars = Vec::new();
    if !children.is_empty() {
        for child in children {
            let text = session.required(child, "value", "write the value: `value=\"on\"`")?;
            scalars.push(scalar(session, typed.name(), &text)?);
        }
    } else if is_text {
        scalars.push(scalar(session, typed.name(), &whole)?);
    } else {
        for text in whole.value.split_whitespace() {
            let text = Spanned { value: text, span: whole.span };
            scalars.push(scalar(session, typed.name(), &text)?);
        }
    }
    let shaped = shape(scalars, &sizes);
    if shaped.is_none() {
        report_count(session, tag, &sizes, whole.span);
    }
    Some(Spanned { value: shaped?, span: whole.span })
}

fn report_count(session: &mut Session<'_>, tag: Tag<'_>, sizes: &[usize], span: Option<Span>) {
    let list: Vec<String> = sizes.iter().map(usize::to_string).collect();
    let wanted = match list.as_slice() {
        _ if DIMENSIONS_MAX < sizes.len() => format!("at most {DIMENSIONS_MAX} dimensions"),
        [] => "one value".to_owned(),
        list => format!("{} values", list.join(" x ")),
    };
    let name = tag.text("name").unwrap_or_default();
    session.report(
        Diagnostic::error("ssp::wrong-count", format!("`{name}` must be given {wanted}"))
            .maybe_at(span, "more or fewer values")
            .help("correct the values, or the `Dimension`s of the parameter"),
    );
}

/// Values in row-major order as lists within lists; `None` if their number is another one.
fn shape(mut scalars: Vec<Literal>, sizes: &[usize]) -> Option<Literal> {
    let count = sizes.iter().try_fold(1usize, |count, size| count.checked_mul(*size))?;
    if sizes.is_empty() && 1 < scalars.len() {
        // Some tools leave the dimension of a list out.
        return Some(Literal::Array(scalars));
    }
    // An array of no elements may have dimensions that would take long to write down.
    let least: usize = sizes.iter().map(|size| (*size).max(1)).fold(1, usize::saturating_mul);
    if scalars.len() != count || ELEMENTS_MAX < least || DIMENSIONS_MAX < sizes.len() {
        return None;
    }
    let Some((_, outer)) = sizes.split_last() else { return scalars.pop() };
    let nested = outer.len();
    for depth in (0..=nested).rev() {
        let groups: usize = sizes[..depth].iter().product();
        let size = sizes[depth];
        let mut rest = scalars.into_iter();
        scalars = (0..groups).map(|_| Literal::Array(rest.by_ref().take(size).collect())).collect();
    }
    scalars.pop()
}

fn scalar(session: &mut Session<'_>, kind: &str, text: &Spanned<&str>) -> Option<Literal> {
    let trimmed = text.value.trim();
    let (literal, expected) = match kind {
        "Real" | "Float64" | "Float32" => {
            let number = trimmed.parse::<f64>().ok();
            let written = |number: &f64| {
                number.is_finite() || !trimmed.contains(|c: char| c.is_ascii_digit())
            };
            (number.filter(written).map(Literal::Float), "a number")
        }
        "Boolean" => (boolean(trimmed).map(Literal::Boolean), "`true` or `false`"),
        "String" => (Some(Literal::Text(text.value.to_owned())), ""),
        // Items are written by name; some tools write their number.
        "Enumeration" => match trimmed.parse() {
            Ok(number) => (Some(Literal::Integer(number)), ""),
            Err(_) => (Some(Literal::Text(text.value.to_owned())), ""),
        },
        "Binary" => (
            Some(Literal::Text(trimmed.to_owned())).filter(|_| is_hex(trimmed)),
            "pairs of hexadecimal digits",
        ),
        _ => (trimmed.parse().ok().map(Literal::Integer), "a whole number"),
    };
    if literal.is_none() {
        session.bad_value("value", text, expected);
    }
    literal
}

fn is_hex(text: &str) -> bool {
    text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Reads the entries of a `ParameterMapping` of the mapping namespace.
pub(super) fn parameter_mapping(session: &mut Session<'_>, mapping: Tag<'_>) -> Vec<Mapped> {
    if !check_root(session, mapping, "ParameterMapping", "a parameter mapping (`.ssm`)") {
        return Vec::new();
    }
    super::structure::check_version(session, mapping);
    let mut targets = BTreeSet::new();
    let mut entries = Vec::new();
    for tag in mapping.all("MappingEntry") {
        let Some(entry) = entry(session, tag) else { continue };
        let message = |name: &str| format!("two parameters are mapped to `{name}`");
        let warning = ("ssp::duplicate-target", "mapped again");
        check_repeated(session, &mut targets, &entry.target, warning, message);
        entries.push(entry);
    }
    entries
}

fn entry(session: &mut Session<'_>, tag: Tag<'_>) -> Option<Mapped> {
    const CHILDREN: &[&str] = &[
        "LinearTransformation",
        "BooleanMappingTransformation",
        "IntegerMappingTransformation",
        "EnumerationMappingTransformation",
        "Annotations",
    ];
    session.known(tag, &["source", "target", "suppressUnitConversion"], CHILDREN);
    let linear = transformation(session, tag);
    let suppress = session.flag(tag, "suppressUnitConversion").unwrap_or(false);
    let help = "name the parameter in the parameter set: `source=\"A\"`";
    let source = session.required(tag, "source", help);
    let help = "name the parameter of the system: `target=\"tank.area\"`";
    let target = session.required(tag, "target", help);
    let own = |found: Spanned<&str>| Spanned { value: found.value.to_owned(), span: found.span };
    Some(Mapped { source: own(source?), target: own(target?), linear, suppress })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(count: usize, sizes: &[usize], expected: Option<&str>) {
        let scalars = (1..=count).map(|number| Literal::Integer(number as i128)).collect();
        let shaped = shape(scalars, sizes).map(|literal| literal.to_string());
        assert_eq!(shaped.as_deref(), expected, "{count} {sizes:?}");
    }

    #[test]
    fn values_take_the_shape_of_their_dimensions() {
        check(1, &[], Some("1"));
        check(1, &[1], Some("[1]"));
        check(3, &[3], Some("[1, 2, 3]"));
        check(6, &[2, 3], Some("[[1, 2, 3], [4, 5, 6]]"));
        check(0, &[0], Some("[]"));
        check(0, &[2, 0], Some("[[], []]"));
        check(3, &[], Some("[1, 2, 3]"));
        check(0, &[], None);
        check(5, &[2, 3], None);
        check(0, &[usize::MAX, 0], None);
    }
}
