//! One variable of an interface.

use super::keys::{TYPES, VARIABLE};
use super::text;
use crate::foreign::table;
use consort_core::diagnostic::nearest_name;
use consort_core::variable::Dimension;
use consort_core::{Causality, Diagnostic, Initial, Reference, Unit, Values, Variable};
use consort_toml::{DeValue, Entry, TomlReader, Value};

/// The longest name, in bytes.
const NAME_MAX: usize = 200;

/// The most elements a variable has in one dimension.
const EXTENT_MAX: u64 = 1 << 24;

/// The variable of an entry; `None` if its name or kind is invalid.
pub(super) fn read(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'_, '_>,
    causality: Causality,
    units: &mut Vec<Unit>,
    reference: usize,
) -> Option<Variable> {
    let DeValue::Table(settings) = entry.value.get_ref() else {
        let help = format!("write `{} = {{ unit = \"m\", start = 0.0 }}`, or `{{}}`", entry.key);
        reader.wrong_kind(entry.key, entry.value, "a table", &help);
        return None;
    };
    check_name(reader, entry);
    let reference = Reference(u32::try_from(reference).expect("a file has few variables"));
    let mut variable = Variable::scalar(entry.key, reference, causality);
    let mut start = None;
    for setting in reader.settings(settings, "a variable", &VARIABLE).entries {
        match setting.key {
            "type" => read_type(reader, &setting, &mut variable),
            "unit" => variable.unit = text(reader, &setting).map(|name| unit(units, &name)),
            "dimensions" => read_dimensions(reader, &setting, &mut variable),
            "description" => variable.description = text(reader, &setting).unwrap_or_default(),
            "start" => start = Some(setting.value),
            _ => setting.is_not_read(),
        }
    }
    variable.variability = causality.default_variability(variable.value_type);
    read_start(reader, start, &mut variable);
    Some(variable)
}

fn check_name(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) {
    let name = entry.key;
    if !name.is_empty() && name.len() <= NAME_MAX && !name.contains(char::is_control) {
        return;
    }
    let message = format!("{name:?} cannot be the name of a variable");
    reader.error(
        Diagnostic::error("foreign::bad-name", message)
            .at(entry.key_span, "this name")
            .help(format!("a name has 1 to {NAME_MAX} bytes and no control characters")),
    );
}

fn read_type(reader: &mut TomlReader<'_>, setting: &Entry<'_, '_>, variable: &mut Variable) {
    let Some(name) = text(reader, setting) else { return };
    match TYPES.iter().find(|(_, known)| *known == name) {
        Some((value_type, _)) => variable.value_type = *value_type,
        None => {
            let names = TYPES.map(|(_, known)| known);
            let help = match nearest_name(&name, names.iter().copied()) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => format!("the types are `{}`", names.join("`, `")),
            };
            let message = format!("a program has no variables of type `{name}`");
            let diagnostic = Diagnostic::error("foreign::unknown-type", message);
            let span = reader.span(setting.value.span());
            reader.error(diagnostic.at(span, "not known").help(help));
        }
    }
}

fn unit(units: &mut Vec<Unit>, name: &str) -> usize {
    let known = units.iter().position(|unit| unit.name == name);
    known.unwrap_or_else(|| {
        units.push(Unit::named(name));
        units.len() - 1
    })
}

fn read_dimensions(reader: &mut TomlReader<'_>, setting: &Entry<'_, '_>, variable: &mut Variable) {
    let items = setting.value.get_ref().as_array().filter(|items| !items.is_empty());
    let extent = |item: &Value<'_>| match item.get_ref() {
        DeValue::Integer(number) => {
            let extent = u64::try_from(consort_toml::integer(number)?).ok()?;
            (1..=EXTENT_MAX).contains(&extent).then_some(Dimension::Fixed(extent))
        }
        _ => None,
    };
    let extents: Option<Vec<_>> = items.and_then(|items| items.iter().map(extent).collect());
    let fits = |list: &Vec<Dimension>| {
        let mut product: u64 = 1;
        list.iter().all(|dimension| {
            let Dimension::Fixed(extent) = dimension else { return false };
            product = product.saturating_mul(*extent);
            product <= EXTENT_MAX
        })
    };
    match extents.filter(fits) {
        Some(extents) => variable.dimensions = extents,
        None => {
            let message = format!("the dimensions of `{}` are invalid", variable.name);
            let diagnostic = Diagnostic::error("foreign::bad-dimensions", message);
            let help =
                format!("write whole numbers, `[3]` or `[2, 3]`; at most {EXTENT_MAX} elements");
            let span = reader.span(setting.value.span());
            reader.error(
                diagnostic.at(span, "expected a list of whole numbers from 1 on").help(help),
            );
        }
    }
}

/// A start value makes an output one whose start can be chosen; what has none starts at zero.
fn read_start(reader: &mut TomlReader<'_>, written: Option<&Value<'_>>, variable: &mut Variable) {
    let is_output = variable.causality == Causality::Output;
    variable.initial = match (variable.causality, written.is_some()) {
        (Causality::Output, true) => Initial::Approx,
        (Causality::Output, false) => Initial::Calculated,
        (Causality::Parameter, _) => Initial::Exact,
        _ => Initial::None,
    };
    if let Some(value) = written {
        match start_values(value, variable) {
            Ok(values) => variable.start = Some(values),
            Err(why) => {
                let message = format!("the start value of `{}` is invalid: {why}", variable.name);
                let span = reader.span(value.span());
                let help = "write one value for all elements, or a list with one for each";
                let diagnostic = Diagnostic::error("foreign::bad-start", message);
                reader.error(diagnostic.at(span, "this value").help(help));
            }
        }
    } else if !is_output {
        variable.start = Some(Values::zeros(variable.value_type, 1));
    }
}

fn start_values(value: &Value<'_>, variable: &Variable) -> Result<Values, String> {
    let literal = consort_toml::literal(value.get_ref());
    let literal = literal.map_err(|_| "expected a number, a Boolean, text, or a list of these")?;
    let values = literal.to_values(variable.value_type, &[]).map_err(|error| error.to_string())?;
    let (found, expected) = (values.len(), table::count(variable));
    if found == 1 || found == expected {
        return Ok(values);
    }
    Err(format!("expected {expected} values, found {found}"))
}
