//! The sources of inputs: no element is fed twice, and none is left without a source.

use super::context::Context;
use super::parameters::Settings;
use crate::resolved::Port;
use consort_core::{
    Causality, ComponentId, Diagnostic, ModelDescription, Span, ValueType, Variable, VariableId,
};
use std::collections::BTreeMap;

/// Something that feeds elements of an input.
pub(super) struct Claim {
    pub(super) port: Port,
    pub(super) span: Option<Span>,
    /// By the table of inputs, not by a connection.
    pub(super) from_table: bool,
}

impl Claim {
    fn input(&self) -> (ComponentId, VariableId) {
        (self.port.component, self.port.variable)
    }

    fn end(&self) -> u32 {
        self.port.first + self.port.count
    }
}

pub(super) fn check(context: &mut Context<'_, '_>, claims: Vec<Claim>, settings: &[Settings]) {
    // Connections come before the table, each in the order written; a stable sort keeps that.
    let mut claims: Vec<(usize, Claim)> = claims.into_iter().enumerate().collect();
    claims.sort_by_key(|(order, claim)| (claim.input(), claim.port.first, *order));
    let covered = sweep(context, &claims);
    note_values_of_connected(context, &claims, settings);
    // A table that could not be read may have fed anything.
    if context.system.experiment.input.is_some() && context.system.inputs.is_none() {
        return;
    }
    for (index, settings) in settings.iter().enumerate() {
        let id = ComponentId::from_index(index);
        if context.doubtful[index] {
            continue;
        }
        let Some(model) = context.names.model(id) else { continue };
        check_inputs(context, id, model, settings, &covered);
    }
}

/// Reports elements that are fed twice; returns how many elements of each input are fed.
fn sweep(
    context: &mut Context<'_, '_>,
    claims: &[(usize, Claim)],
) -> BTreeMap<(ComponentId, VariableId), u32> {
    let mut covered = BTreeMap::new();
    let mut widest: Option<&(usize, Claim)> = None;
    for claim in claims {
        let before = widest.filter(|(_, other)| other.input() == claim.1.input());
        let mut from = claim.1.port.first;
        if let Some(other) = before.filter(|(_, other)| claim.1.port.first < other.end()) {
            let (first, second) = if other.0 < claim.0 { (other, claim) } else { (claim, other) };
            report_two_sources(context, &first.1, &second.1);
            from = other.1.end();
        }
        *covered.entry(claim.1.input()).or_insert(0) += claim.1.end().saturating_sub(from);
        if before.is_none_or(|(_, other)| other.end() < claim.1.end()) {
            widest = Some(claim);
        }
    }
    covered
}

fn report_two_sources(context: &mut Context<'_, '_>, first: &Claim, second: &Claim) {
    let (component, variable) = second.input();
    let model = context.names.model(component).expect("a fed input has a model");
    let name = &model.variables[variable.index()].name;
    let path = format!("{}.{name}", context.component_name(component));
    let how = |claim: &Claim| if claim.from_table { "fed by the table" } else { "connected" };
    let message = match (first.from_table, second.from_table) {
        (false, false) => format!("two sources are connected to the input `{path}`"),
        (true, true) => format!("two columns feed the input `{path}`"),
        _ => format!("the input `{path}` is connected and fed by the table of inputs"),
    };
    let diagnostic = Diagnostic::error("system::two-sources", message)
        .maybe_at(second.span, format!("{} here", how(second)))
        .help("an input has one source; remove one of the two");
    context.push_with_label(diagnostic, first.span, &format!("{} here first", how(first)));
}

fn check_inputs(
    context: &mut Context<'_, '_>,
    id: ComponentId,
    model: &ModelDescription,
    settings: &Settings,
    covered: &BTreeMap<(ComponentId, VariableId), u32>,
) {
    for (index, variable) in model.variables.iter().enumerate() {
        let variable_id = VariableId::from_index(index);
        let has_value = variable.start.is_some() || settings.given.contains_key(&variable_id);
        if variable.causality != Causality::Input || has_value {
            continue;
        }
        let fed = covered.get(&(id, variable_id)).copied().unwrap_or(0);
        if variable.value_type == ValueType::Clock {
            if fed == 0 {
                warn_of_silent_clock(context, id, variable);
            }
            continue;
        }
        let count = context.count(id, variable_id);
        if fed < count {
            report_unfed(context, id, variable, Coverage { fed, count });
        }
    }
}

/// A value for an input that is connected looks like one that holds; it does not. What a table
/// replaces was meant to be replaced.
fn note_values_of_connected(
    context: &mut Context<'_, '_>,
    claims: &[(usize, Claim)],
    settings: &[Settings],
) {
    for (_, claim) in claims.iter().filter(|(_, claim)| !claim.from_table) {
        let (id, variable) = claim.input();
        let given = settings[id.index()].given.get(&variable);
        if let Some(&span) = given.filter(|_| context.count(id, variable) == claim.port.count) {
            let model = context.names.model(id).expect("a fed input has a model");
            let name = &model.variables[variable.index()].name;
            let path = format!("{}.{name}", context.component_name(id));
            let message = format!("`{path}` is connected: the value given to it is only its start");
            context.push(
                Diagnostic::note("system::value-of-connected-input", message)
                    .maybe_at(span, "replaced by the connection")
                    .help("to hold it at a value, remove the connection, or write an intervention"),
            );
        }
    }
}

/// Nothing that is left out may be left unsaid: what such a clock computes stays as it is.
fn warn_of_silent_clock(context: &mut Context<'_, '_>, id: ComponentId, variable: &Variable) {
    let component = &context.system.components[id.index()].name;
    let path = format!("{}.{}", component.value, variable.name);
    context.push(
        Diagnostic::warning("system::silent-clock", format!("the clock `{path}` never ticks"))
            .maybe_at(component.span, format!("its clock `{}`", variable.name))
            .help("connect it to an output clock; clocks of a fixed interval are not supported"),
    );
}

/// How many of the elements of an input are fed.
#[derive(Clone, Copy)]
struct Coverage {
    fed: u32,
    count: u32,
}

fn report_unfed(
    context: &mut Context<'_, '_>,
    id: ComponentId,
    variable: &Variable,
    Coverage { fed, count }: Coverage,
) {
    let component = &context.system.components[id.index()].name;
    let path = format!("{}.{}", component.value, variable.name);
    let message = match fed {
        0 => format!("nothing feeds the input `{path}`, and it has no start value"),
        _ => format!(
            "only {fed} of {count} elements of the input `{path}` are fed, and it has no start value"
        ),
    };
    context.push(
        Diagnostic::error("system::unconnected-input", message)
            .maybe_at(component.span, format!("its input `{}`", variable.name))
            .help(format!(
                "connect it, give it a value (`parameters = {{ \"{}\" = ... }}`), \
                 or feed it from a table (`input = \"file.csv\"`)",
                variable.name
            )),
    );
}
