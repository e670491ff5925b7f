//! Disturbed inputs: found, free to be chosen, with values that fit.

use super::{CampaignInput, Names};
use consort_core::{
    Causality, Diagnostic, ModelDescription, Report, Span, Values, Variability, Variable,
};
use consort_system::Campaign;
use consort_system::campaign::Disturbance;

/// The inputs as far as they are right.
pub(super) fn resolve(
    campaign: &Campaign,
    names: &Names<'_>,
    report: &mut Report,
) -> Vec<CampaignInput> {
    campaign.disturbances.iter().filter_map(|written| input(written, names, report)).collect()
}

fn input(written: &Disturbance, names: &Names<'_>, report: &mut Report) -> Option<CampaignInput> {
    let (path, span) = (&written.input.value, written.input.span);
    let Some((component, index, variable)) = names.find(path) else {
        names.unknown(path, span, report);
        return None;
    };
    let input = FoundInput { component, index, variable, path, span };
    check_free(names, &input, report);
    if !variable.dimensions.is_empty() {
        let diagnostic = Diagnostic::error("campaign::array", format!("`{path}` is an array"))
            .maybe_at(span, "here");
        report.push(diagnostic.help("only single values can be disturbed"));
        return None;
    }
    let model = names.models[component];
    let values: Vec<Values> = written
        .values
        .iter()
        .filter_map(|literal| {
            let values = literal.value.to_values(variable.value_type, items(model, variable));
            let checked = values.map_err(|error| error.to_string());
            let checked = checked.and_then(|values| in_range(variable, values));
            checked.map_err(|problem| bad_value(path, literal.span, &problem, report)).ok()
        })
        .collect();
    (values.len() == written.values.len()).then(|| CampaignInput { path: path.clone(), values })
}

/// The names of an enumeration.
fn items<'m>(model: &'m ModelDescription, variable: &Variable) -> &'m [(String, i64)] {
    variable.enumeration.map_or(&[], |index| &model.enumerations[index].items)
}

fn in_range(variable: &Variable, values: Values) -> Result<Values, String> {
    let Some(value) = values.view().as_f64(0) else { return Ok(values) };
    match (variable.min, variable.max) {
        (Some(min), _) if value < min => Err(format!("{value} is less than its least value {min}")),
        (_, Some(max)) if max < value => Err(format!("{value} is more than its greatest {max}")),
        _ if !value.is_finite() => Err(format!("{value} is not finite")),
        _ => Ok(values),
    }
}

fn bad_value(path: &str, span: Option<Span>, problem: &str, report: &mut Report) {
    let message = format!("a value of `{path}` does not fit: {problem}");
    let diagnostic = Diagnostic::error("campaign::value", message);
    report.push(
        diagnostic.maybe_at(span, "does not fit").help("list values that the input can have"),
    );
}

/// A variable that is to be disturbed.
struct FoundInput<'a> {
    component: usize,
    /// Its index in the component.
    index: usize,
    variable: &'a Variable,
    /// `component.variable`, for messages.
    path: &'a str,
    /// Where the campaign names it.
    span: Option<Span>,
}

/// Checks that it is an input that nothing feeds, or a parameter that may change.
fn check_free(names: &Names<'_>, input: &FoundInput<'_>, report: &mut Report) {
    let FoundInput { component, index, variable, path, span } = *input;
    let is_this = |port: &consort_system::Port| {
        port.component.index() == component && port.variable.index() == index
    };
    let is_input = variable.causality == Causality::Input;
    let is_tunable =
        variable.causality == Causality::Parameter && variable.variability == Variability::Tunable;
    if !is_input && !is_tunable {
        let message = format!("`{path}` is neither an input nor a tunable parameter");
        let found = format!("it is {} and {}", variable.causality, variable.variability);
        let diagnostic = Diagnostic::error("campaign::not-an-input", message);
        report.push(diagnostic.maybe_at(span, found).help("disturb an input of a component"));
        return;
    }
    let connection = names.system.connections.iter().find(|wire| is_this(&wire.to));
    let is_fed = names.system.feed.iter().flat_map(|feed| &feed.columns).any(|it| is_this(&it.to));
    if connection.is_none() && !is_fed {
        return;
    }
    let by = if is_fed { "a table feeds it" } else { "it is connected" };
    let diagnostic =
        Diagnostic::error("campaign::fed", format!("`{path}` cannot be disturbed: {by}"));
    let diagnostic = diagnostic
        .maybe_at(span, "disturbed here")
        .maybe_label(connection.and_then(|wire| wire.origin.0), "connected here");
    report.push(diagnostic.help("remove the connection, or disturb what feeds it"));
}
