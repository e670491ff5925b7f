//! From a system description to a resolved system, or everything that is wrong with it.
//!
//! Each topic has its own module; all of them work on one `Context` that knows every name and the
//! size of every variable. A mistake is reported where it is; what would only follow from it is
//! not reported as well.

mod claims;
mod clock;
mod connections;
mod constraints;
mod context;
mod coupling;
mod feed;
mod interventions;
mod lookup;
mod names;
mod parameters;
mod pattern;
mod placement;
mod recording;
mod shapes;
mod solving;
mod units;
mod values;

use crate::resolved::{ResolvedComponent, ResolvedConnection, ResolvedExperiment, ResolvedSystem};
use crate::system::SystemDescription;
use clock::Timing;
use consort_core::{Diagnostic, ModelDescription, Report, VariableId};
use context::Context;
use parameters::Settings;
use recording::Selection;
use std::collections::BTreeMap;

pub use clock::check_times;
pub use pattern::pattern_matches;
pub use shapes::ELEMENTS_MAX;

/// Looks everything up and checks that it fits.
///
/// `models` has one entry per component, `None` where the model could not be loaded (that was
/// reported already; what refers to such a component is passed over). Returns `None` if `report`
/// holds any error.
pub fn resolve(
    system: &SystemDescription,
    models: &[Option<&ModelDescription>],
    report: &mut Report,
) -> Option<ResolvedSystem> {
    let timing = clock::resolve(system, models, report);
    let mut context = Context::new(system, models, report);
    check_components(&mut context);
    solving::check(&mut context);
    let mut settings = parameters::resolve(&mut context);
    let mut claims = Vec::new();
    let connections = connections::resolve(&mut context, &mut claims);
    let feed = feed::resolve(&mut context, timing.as_ref(), &mut claims, &mut settings);
    claims::check(&mut context, claims, &settings);
    let selection = recording::resolve(&mut context, &connections.list);
    let interventions =
        interventions::resolve(&mut context, timing.as_ref(), &connections, &selection);
    feed::check_interventions(&mut context, feed.as_ref(), &interventions);
    let coupled = coupling::resolve(&mut context, timing.as_ref());
    let placement = placement::resolve(&mut context);
    let counts = context.into_counts();
    if report.has_errors() || models.iter().any(Option::is_none) {
        return None;
    }
    let timing = timing?;
    let parts = Parts { counts, settings, selection, reactive: coupled.reactive };
    Some(ResolvedSystem {
        name: system.name.clone(),
        experiment: experiment(system, &timing),
        components: components(system, models, &timing, parts),
        connections: connections.list,
        feed,
        interventions,
        coupling: coupled.coupling,
        placement,
    })
}

fn experiment(system: &SystemDescription, timing: &Timing) -> ResolvedExperiment {
    ResolvedExperiment {
        resolution: timing.resolution,
        start: timing.start,
        stop: timing.stop,
        step: timing.step,
        seed: system.experiment.seed,
        tolerance: system.experiment.tolerance.as_ref().map(|tolerance| tolerance.value),
        hash: system.experiment.hash,
    }
}

/// What was found out about every component, by component.
struct Parts {
    counts: Vec<Vec<u32>>,
    settings: Vec<Settings>,
    selection: Selection,
    reactive: Vec<Vec<VariableId>>,
}

fn components(
    system: &SystemDescription,
    models: &[Option<&ModelDescription>],
    timing: &Timing,
    parts: Parts,
) -> Vec<ResolvedComponent> {
    let given = system.components.iter().zip(models).zip(&timing.periods);
    let found = parts.counts.into_iter().zip(parts.settings).zip(parts.reactive);
    let chosen = parts.selection.recorded.into_iter().zip(parts.selection.hashed);
    given
        .zip(found)
        .zip(chosen)
        .map(|((((component, model), period), ((counts, settings), reactive)), chosen)| {
            let has_events = model.is_some_and(|model| model.capabilities.event_mode);
            ResolvedComponent {
                name: component.name.value.clone(),
                period: *period,
                step_length: component.step_length,
                concurrent: component.concurrent,
                event_mode: component.event_mode && has_events,
                reactive,
                counts,
                structural: settings.structural,
                settings: settings.settings,
                setup: component.setup,
                recorded: chosen.0,
                hashed: chosen.1,
            }
        })
        .collect()
}

/// Names given twice, and models that can be used only once.
fn check_components(context: &mut Context<'_, '_>) {
    let mut names = BTreeMap::new();
    let mut single: BTreeMap<(Option<&str>, usize), &crate::system::Component> = BTreeMap::new();
    for (index, component) in context.system.components.iter().enumerate() {
        if let Some(first) = names.insert(component.name.value.as_str(), component) {
            let message = format!("two components are called `{}`", component.name.value);
            let diagnostic = Diagnostic::error("system::duplicate-component", message)
                .maybe_at(component.name.span, "again here")
                .help("give one of them another name");
            context.push_with_label(diagnostic, first.name.span, "first here");
        }
        let Some((key, model)) = context.names.model_key(index) else { continue };
        if !model.capabilities.single_instance {
            continue;
        }
        // One binary can be the model of several: an FMU that is integrated by different solvers.
        let lane = model.capabilities.lane.as_deref();
        let key = (lane, if lane.is_some() { 0 } else { key });
        if let Some(first) = single.insert(key, component) {
            let message = format!(
                "`{}` and `{}` use the model `{}`, of which there can be only one instance",
                first.name.value, component.name.value, model.name
            );
            let diagnostic = Diagnostic::error("system::single-instance", message)
                .maybe_at(component.model.span, "used again here")
                .help("the model says that it can be instantiated only once per process");
            context.push_with_label(diagnostic, first.model.span, "first used here");
        }
    }
}

/// The wires, and where each of them is found by its ends.
struct Wires {
    list: Vec<ResolvedConnection>,
    /// Every wire whose ends exist was found: a wire that is not in the list is not written.
    complete: bool,
}
