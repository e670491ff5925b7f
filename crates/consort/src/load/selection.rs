//! What is recorded besides what is recorded anyway: `--record`, and what a campaign looks at.

use super::alone::Alone;
use consort_core::diagnostic::nearest_name;
use consort_core::{Causality, Diagnostic, ModelDescription, Report, ValueType, Variable};
use consort_run::settings::option_source;
use consort_system::resolve::pattern_matches;
use consort_system::{Record, Spanned, SystemDescription};
use std::collections::BTreeSet;

/// The most names in a message.
const LISTED_MAX: usize = 8;

/// The models of a system, one per component, as far as they could be loaded.
type Models<'m> = [Option<&'m ModelDescription>];

/// Adds what the patterns choose to what is recorded; a pattern that chooses nothing is a mistake. The
/// paths that were chosen.
pub(super) fn apply(
    patterns: &[String],
    system: &mut SystemDescription,
    models: &Models<'_>,
    alone: Option<&Alone>,
    report: &mut Report,
) -> Vec<String> {
    if patterns.is_empty() {
        return Vec::new();
    }
    let known = known(system, models);
    let mut chosen = Vec::new();
    for pattern in patterns {
        let span = option_source("record", pattern, report);
        let whole = alone.map_or(pattern.clone(), |alone| of_alone(pattern, alone, &known));
        let matched: Vec<&Known<'_>> = matching(&whole, &known);
        let recordable = matched.iter().filter(|it| is_recordable(it.variable));
        let before = chosen.len();
        chosen.extend(recordable.map(|it| it.path.clone()));
        // What could not be loaded may have what the pattern names.
        if before == chosen.len() && models.iter().all(Option::is_some) {
            report.push(
                unmatched(&whole, pattern, matched.is_empty(), &known).at(span, "given here"),
            );
        }
    }
    add(system, models, &chosen);
    chosen
}

/// Records variables, by their paths, besides what is recorded anyway. Paths of no variable are left out.
pub fn add(system: &mut SystemDescription, models: &Models<'_>, wanted: &[String]) {
    let recorded = match std::mem::replace(&mut system.experiment.record, Record::All) {
        Record::All => return,
        Record::Nothing => Vec::new(),
        Record::These(paths) => paths,
        Record::Outputs => outputs(system, models),
    };
    let wanted: BTreeSet<&str> = wanted.iter().map(String::as_str).collect();
    let there: BTreeSet<&str> = recorded.iter().map(|it| it.value.as_str()).collect();
    let is_new =
        |it: &Known<'_>| wanted.contains(it.path.as_str()) && !there.contains(it.path.as_str());
    let new: Vec<Known<'_>> = known(system, models).into_iter().filter(is_new).collect();
    let new = new.into_iter().map(|it| Spanned::assumed(it.path));
    let paths = recorded.iter().cloned().chain(new).collect();
    system.experiment.record = Record::These(paths);
}

fn outputs(system: &SystemDescription, models: &Models<'_>) -> Vec<Spanned<String>> {
    let is_recorded =
        |it: &Known<'_>| it.variable.causality == Causality::Output && is_recordable(it.variable);
    let outputs = known(system, models).into_iter().filter(is_recorded);
    outputs.map(|it| Spanned::assumed(it.path)).collect()
}

/// A variable of a system.
struct Known<'m> {
    path: String,
    variable: &'m Variable,
}

fn known<'m>(
    system: &SystemDescription,
    models: &[Option<&'m ModelDescription>],
) -> Vec<Known<'m>> {
    let parts = system.components.iter().zip(models);
    let all = parts.flat_map(|(component, model)| {
        let variables = model.iter().flat_map(|model| &model.variables);
        let name = &component.name.value;
        variables.map(move |variable| Known { path: format!("{name}.{}", variable.name), variable })
    });
    all.collect()
}

/// Time is in the trace anyway, and clocks can be read at events only.
fn is_recordable(variable: &Variable) -> bool {
    variable.causality != Causality::Independent && variable.value_type != ValueType::Clock
}

/// The variables that a pattern chooses; an element chooses its array.
fn matching<'k, 'm>(pattern: &str, known: &'k [Known<'m>]) -> Vec<&'k Known<'m>> {
    let choose = |pattern: &str| -> Vec<&Known<'m>> {
        known.iter().filter(|it| pattern_matches(pattern, &it.path)).collect()
    };
    let found = choose(pattern);
    match pattern.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
        Some((array, _)) if found.is_empty() => {
            choose(array).into_iter().filter(|it| !it.variable.dimensions.is_empty()).collect()
        }
        _ => found,
    }
}

/// Of a model alone the component may be left out; a name of the model wins over that of the component.
fn of_alone(pattern: &str, alone: &Alone, known: &[Known<'_>]) -> String {
    let whole = format!("{}.{pattern}", alone.name);
    match pattern.starts_with('*') || matching(&whole, known).is_empty() {
        true if pattern.contains('.') || pattern.starts_with('*') => pattern.to_owned(),
        _ => whole,
    }
}

fn unmatched(whole: &str, typed: &str, is_unknown: bool, known: &[Known<'_>]) -> Diagnostic {
    if !is_unknown {
        let message = format!("`{typed}` cannot be recorded");
        let help = "time is in every trace, and clocks tick at events only";
        return Diagnostic::error("cli::not-recordable", message).help(help);
    }
    let names: Vec<&str> = known.iter().map(|it| it.path.as_str()).collect();
    let meant = nearest_name(&whole.replace('*', ""), names.iter().copied());
    let help = match meant {
        Some(name) => format!("did you mean `{name}`?"),
        None => {
            let component = whole.split_once('.').map_or("", |(component, _)| component);
            let is_of = |name: &&&str| name.split_once('.').is_some_and(|(it, _)| it == component);
            let own: Vec<&str> = names.iter().filter(is_of).copied().collect();
            let near = if own.is_empty() { &names } else { &own };
            let listed: Vec<String> =
                near.iter().take(LISTED_MAX).map(|name| format!("`{name}`")).collect();
            let more = if LISTED_MAX < near.len() { ", ..." } else { "" };
            format!("`*` stands for any text; there are {}{more}", listed.join(", "))
        }
    };
    let message = format!("no variable matches `{typed}`");
    Diagnostic::error("cli::no-variable", message).help(help)
}
