//! The variables that are recorded, and those that are hashed.

use super::context::{Context, Written};
use super::pattern::pattern_matches;
use super::shapes::ELEMENTS_MAX;
use crate::resolved::ResolvedConnection;
use crate::system::{Record, Spanned};
use consort_core::{
    Causality, ComponentId, Diagnostic, HashMode, ModelDescription, ValueType, Variable, VariableId,
};
use std::collections::BTreeSet;

/// By component, variables in description order.
pub(super) struct Selection {
    pub(super) recorded: Vec<Vec<VariableId>>,
    pub(super) hashed: Vec<Vec<VariableId>>,
}

impl Selection {
    pub(super) fn is_recorded(&self, component: ComponentId, variable: VariableId) -> bool {
        self.recorded[component.index()].binary_search(&variable).is_ok()
    }
}

type Chosen = BTreeSet<(ComponentId, VariableId)>;

pub(super) fn resolve(
    context: &mut Context<'_, '_>,
    connections: &[ResolvedConnection],
) -> Selection {
    let sources = connections.iter().map(|wire| (wire.from.component, wire.from.variable));
    let connected: Chosen = sources.collect();
    let experiment = &context.system.experiment;
    let chosen = match &experiment.record {
        Record::These(patterns) => choose(context, patterns, "record"),
        _ => Chosen::new(),
    };
    let unhashed = choose(context, &experiment.unhashed, "unhashed");
    let mut selection = Selection { recorded: Vec::new(), hashed: Vec::new() };
    for index in 0..context.system.components.len() {
        let id = ComponentId::from_index(index);
        let model = context.names.model(id);
        let recorded = variables(model, |variable, variable_id| match experiment.record {
            Record::Outputs => variable.causality == Causality::Output,
            Record::All => true,
            Record::Nothing => false,
            Record::These(_) => chosen.contains(&(id, variable_id)),
        });
        let hashed = variables(model, |variable, variable_id| {
            let is_hashed = match (experiment.hash, variable.causality) {
                (HashMode::Connected, _) => connected.contains(&(id, variable_id)),
                (HashMode::All, Causality::Output) => true,
                (HashMode::All, Causality::Local) => recorded.binary_search(&variable_id).is_ok(),
                (HashMode::All, _) => false,
            };
            is_hashed && !unhashed.contains(&(id, variable_id))
        });
        selection.recorded.push(recorded);
        selection.hashed.push(hashed);
    }
    check_row(context, &selection);
    check_plot(context, &selection);
    selection
}

/// A row of the trace must not be too long, and every element in it must have its own name.
fn check_row(context: &mut Context<'_, '_>, selection: &Selection) {
    let mut elements = 0u64;
    for (index, recorded) in selection.recorded.iter().enumerate() {
        let id = ComponentId::from_index(index);
        for &variable in recorded {
            elements += u64::from(context.count(id, variable));
            if let Some(array) = element_of(context, selection, id, variable) {
                report_one_name(context, id, variable, array);
            }
        }
    }
    if ELEMENTS_MAX < elements {
        let message = format!("{elements} elements are recorded, more than {ELEMENTS_MAX}");
        context.push(
            Diagnostic::error("system::too-many-elements", message)
                .help("let `record` in `[experiment]` choose fewer variables"),
        );
    }
}

/// The recorded array of which an element has the very name of a scalar: `x` of `x[2]`.
fn element_of(
    context: &Context<'_, '_>,
    selection: &Selection,
    component: ComponentId,
    scalar: VariableId,
) -> Option<VariableId> {
    let model = context.names.model(component)?;
    let scalar = &model.variables[scalar.index()];
    let (array, indices) = scalar.name.strip_suffix(']')?.rsplit_once('[')?;
    let id = context.names.variable(component, array)?;
    let is_array = scalar.dimensions.is_empty() && model.variables[id.index()].name == array;
    if !is_array || !selection.is_recorded(component, id) {
        return None;
    }
    let extents = context.extents(component, id);
    let is_index = |(index, extent): (&str, &u64)| {
        let number = index.parse::<u64>().ok();
        number.is_some_and(|it| (1..=*extent).contains(&it) && it.to_string() == index)
    };
    let is_element = indices.split(',').count() == extents.len()
        && indices.split(',').zip(&extents).all(is_index);
    is_element.then_some(id)
}

fn report_one_name(
    context: &mut Context<'_, '_>,
    component: ComponentId,
    scalar: VariableId,
    array: VariableId,
) {
    let Some(model) = context.names.model(component) else { return };
    let name = &context.system.components[component.index()].name;
    let path = |id: VariableId| format!("{}.{}", name.value, model.variables[id.index()].name);
    let (scalar, array) = (path(scalar), path(array));
    let message = format!("`{scalar}` is a variable and an element of the array `{array}`");
    context.push(
        Diagnostic::error("system::one-name", message)
            .maybe_at(name.span, "both are recorded for this component")
            .help("let `record` in `[experiment]` choose only one of the two"),
    );
}

/// Time is in the trace anyway, and clocks can be read at events only.
fn is_recordable(variable: &Variable) -> bool {
    variable.causality != Causality::Independent && variable.value_type != ValueType::Clock
}

fn variables(
    model: Option<&ModelDescription>,
    which: impl Fn(&Variable, VariableId) -> bool,
) -> Vec<VariableId> {
    let Some(model) = model else { return Vec::new() };
    let all = model.variables.iter().enumerate();
    let chosen = all.filter(|(index, variable)| {
        is_recordable(variable) && which(variable, VariableId::from_index(*index))
    });
    chosen.map(|(index, _)| VariableId::from_index(index)).collect()
}

/// The variables that patterns choose; complains about patterns that choose nothing.
fn choose(context: &mut Context<'_, '_>, patterns: &[Spanned<String>], setting: &str) -> Chosen {
    let mut chosen = Chosen::new();
    for pattern in patterns {
        if !pattern.value.contains('*') {
            chosen.extend(choose_one(context, pattern, setting));
            continue;
        }
        let matched = choose_all(context, &pattern.value, &mut chosen);
        if !matched && context.names.all_loaded() {
            warn_empty(context, pattern, setting);
        }
    }
    chosen
}

fn choose_one(
    context: &mut Context<'_, '_>,
    pattern: &Spanned<String>,
    setting: &str,
) -> Option<(ComponentId, VariableId)> {
    let written = Written::new(pattern);
    let found = context.find(written, None)?;
    if !is_recordable(found.variable) {
        let message = format!("`{}` cannot be in `{setting}`", written.text);
        context.push(
            Diagnostic::error("system::not-recordable", message)
                .maybe_at(written.span, "the time or a clock")
                .help("time is in every trace, and clocks tick at events only"),
        );
        return None;
    }
    Some((found.port.component, found.port.variable))
}

/// Adds what the pattern chooses; whether that is anything.
fn choose_all(context: &Context<'_, '_>, pattern: &str, chosen: &mut Chosen) -> bool {
    let mut path = String::new();
    let mut matched = false;
    for (index, component) in context.system.components.iter().enumerate() {
        let id = ComponentId::from_index(index);
        let Some(model) = context.names.model(id) else { continue };
        path.clear();
        path.push_str(&component.name.value);
        path.push('.');
        let prefix = path.len();
        for variable in variables(Some(model), |_, _| true) {
            path.truncate(prefix);
            path.push_str(&model.variables[variable.index()].name);
            if pattern_matches(pattern, &path) {
                matched = true;
                chosen.insert((id, variable));
            }
        }
    }
    matched
}

fn warn_empty(context: &mut Context<'_, '_>, pattern: &Spanned<String>, setting: &str) {
    let message = format!("the pattern `{}` in `{setting}` matches nothing", pattern.value);
    context.push(
        Diagnostic::warning("system::empty-pattern", message)
            .maybe_at(pattern.span, "no variable has such a path")
            .help("a pattern is compared with `component.variable`; `*` matches anything"),
    );
}

/// What is drawn must be recorded.
fn check_plot(context: &mut Context<'_, '_>, selection: &Selection) {
    for pattern in &context.system.experiment.plot {
        let chosen = choose(context, std::slice::from_ref(pattern), "plot");
        let recorded = chosen.iter().any(|(component, id)| selection.is_recorded(*component, *id));
        if chosen.is_empty() || recorded {
            continue;
        }
        let message = match pattern.value.as_str() {
            "*" => "nothing is recorded, so nothing can be drawn".to_owned(),
            pattern => format!("`{pattern}` in `plot` is not recorded"),
        };
        context.push(
            Diagnostic::warning("system::plot-not-recorded", message)
                .maybe_at(pattern.span, "nothing to draw")
                .help("add what shall be drawn to `record`"),
        );
    }
}
