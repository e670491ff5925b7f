//! What a column is for: a header to a variable and, if there is one, a unit.

use crate::resolve::context::{Context, Written};
use crate::resolve::lookup::Found;
use crate::system::{InputColumn, Spanned};
use consort_core::{Causality, ComponentId, Diagnostic, ModelDescription, Variability, VariableId};

/// A column and what it is for.
pub(super) struct Column<'a> {
    pub(super) found: Found<'a>,
    pub(super) unit: Option<Spanned<String>>,
}

/// The input or parameter a column is for, by path or by a name that only one component has.
pub(super) fn find<'a>(context: &mut Context<'a, '_>, column: &InputColumn) -> Option<Column<'a>> {
    let header = Written::new(&column.name);
    let (written, unit) = split_unit(context, header);
    let unit = unit.map(|unit| Spanned { value: unit.text.to_owned(), span: unit.span });
    let found = match component_of(context, written.text) {
        Some(_) => context.find(written, Some(Causality::Input))?,
        None => find_bare(context, written)?,
    };
    let is_ours = check_kind(context, header, found) && check_size(context, header, found);
    is_ours.then(|| Column { found, unit: unit.or_else(|| column.unit.clone()) })
}

/// Splits off a unit in brackets, unless the header as it stands is a name: names may have brackets.
fn split_unit<'t>(
    context: &Context<'_, '_>,
    header: Written<'t>,
) -> (Written<'t>, Option<Written<'t>>) {
    let whole = (header, None);
    let text = header.text;
    let open = match text.chars().last() {
        Some(']') => text.rfind('['),
        Some(')') => text.rfind('('),
        _ => None,
    };
    let Some(open) = open.filter(|_| !is_known(context, text)) else { return whole };
    let (name, unit) = (header.part(0..open).trim(), header.part(open + 1..text.len() - 1).trim());
    let is_index = unit.text.chars().all(|it| it.is_ascii_digit() || ", ".contains(it));
    match !is_index && is_known(context, name.text) {
        true => (name, Some(unit).filter(|unit| unit.text != "-")),
        false => whole,
    }
}

/// Whether some component has a variable of that name, or an array that this is an element of.
fn is_known(context: &Context<'_, '_>, text: &str) -> bool {
    let is_variable = |name: &str| match component_of(context, name) {
        Some((component, name)) => context.names.variable(component, name).is_some(),
        None => !context.names.components_with(name, |_, _| true).is_empty(),
    };
    is_variable(text) || array_of(text).is_some_and(is_variable)
}

/// `u` of `u[2]`.
fn array_of(text: &str) -> Option<&str> {
    let (array, index) = text.strip_suffix(']')?.rsplit_once('[')?;
    let is_index = index.chars().all(|it| it.is_ascii_digit() || ", ".contains(it));
    (is_index && !index.is_empty()).then(|| array.trim_end())
}

/// The component that a path begins with, and the rest.
fn component_of<'t>(context: &Context<'_, '_>, text: &'t str) -> Option<(ComponentId, &'t str)> {
    let (component, variable) = text.split_once('.')?;
    Some((context.names.component(component)?, variable))
}

fn find_bare<'a>(context: &mut Context<'a, '_>, written: Written<'_>) -> Option<Found<'a>> {
    let of = |model: &ModelDescription, id: VariableId| model.variables[id.index()].causality;
    let is_input = |model: &ModelDescription, id| of(model, id) == Causality::Input;
    let is_parameter = |model: &ModelDescription, id| of(model, id) == Causality::Parameter;
    let named = |name: &str| {
        let inputs = context.names.components_with(name, is_input);
        match inputs.is_empty() {
            true => context.names.components_with(name, is_parameter),
            false => inputs,
        }
    };
    let mut components = named(written.text);
    if components.is_empty() {
        components = array_of(written.text).map_or_else(Vec::new, named);
    }
    let &[component] = components.as_slice() else {
        let names: Vec<&str> = components.iter().map(|it| context.component_name(*it)).collect();
        report(context, written, names.first().copied().zip(names.get(1).copied()));
        return None;
    };
    let path = format!("{}.{}", context.component_name(component), written.text);
    context.find(Written { text: &path, span: written.span }, Some(Causality::Input))
}

fn report(context: &mut Context<'_, '_>, written: Written<'_>, both: Option<(&str, &str)>) {
    if let Some((first, second)) = both {
        let name = written.text;
        let message = format!("the column `{name}` fits several components");
        context.push(
            Diagnostic::error("system::ambiguous-column", message)
                .maybe_at(
                    written.span,
                    format!("`{first}` and `{second}` have an input of this name"),
                )
                .help(format!("name the component too: `{first}.{name}`")),
        );
        return;
    }
    if !context.names.all_loaded() {
        return;
    }
    let inputs = input_paths(context);
    let help = context.name_help(written.text, inputs.iter().map(String::as_str), "inputs");
    let message = format!("the system has no input `{}`, named by this column", written.text);
    context.push(
        Diagnostic::error("system::unknown-column", message)
            .maybe_at(written.span, "not found")
            .help(help),
    );
}

/// As many paths of inputs as are worth comparing with a wrong header.
fn input_paths(context: &Context<'_, '_>) -> Vec<String> {
    const PATHS_MAX: usize = 1000;
    let components = context.names.component_names().filter_map(|name| {
        let model = context.names.model(context.names.component(name)?)?;
        Some((name, model))
    });
    let paths = components.flat_map(|(name, model)| {
        let inputs = model.variables.iter().filter(|it| it.causality == Causality::Input);
        inputs.map(move |input| format!("{name}.{}", input.name))
    });
    paths.take(PATHS_MAX).collect()
}

/// Inputs, and parameters that may change or stay as they are.
fn check_kind(context: &mut Context<'_, '_>, written: Written<'_>, found: Found<'_>) -> bool {
    let (causality, variability) = (found.variable.causality, found.variable.variability);
    let is_parameter = causality == Causality::Parameter && variability != Variability::Constant;
    if causality == Causality::Input || is_parameter {
        return true;
    }
    let path = context.path(found);
    let message = format!("the column `{}` is for `{path}`, which is no input", written.text);
    context.push(
        Diagnostic::error("system::not-an-input", message)
            .maybe_at(written.span, format!("this is of causality {causality}"))
            .help("a table feeds inputs and tunable parameters only"),
    );
    false
}

fn check_size(context: &mut Context<'_, '_>, written: Written<'_>, found: Found<'_>) -> bool {
    if found.port.count == 1 {
        return true;
    }
    let path = context.path(found);
    let message = format!("`{path}` has {} elements, a column has one", found.port.count);
    context.push(
        Diagnostic::error("system::size-mismatch", message)
            .maybe_at(written.span, "one column per element")
            .help(format!("write `{path}[1]`, `{path}[2]` and so on as headers")),
    );
    false
}
