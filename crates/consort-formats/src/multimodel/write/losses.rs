//! Warnings about settings that a multi-model cannot express.

use consort_core::{Diagnostic, HashMode, Report, SetupOrder};
use consort_system::{Component, Connection, Hold, Order, Record, StepLength, SystemDescription};

/// At most this many names are listed of each kind.
const LISTED_MAX: usize = 5;

/// What is lost, by what it is.
pub(super) struct Losses(Vec<(&'static str, Vec<String>)>);

impl Losses {
    /// All that can be seen without writing.
    pub(super) fn of(system: &SystemDescription) -> Self {
        let mut losses = Losses(Vec::new());
        losses.experiment(system);
        losses.coupling(system);
        let component = |test: fn(&Component) -> bool| {
            let found = system.components.iter().filter(move |it| test(it));
            found.map(|it| it.name.value.clone())
        };
        losses.extend("`step`", component(|it| it.step.is_some()));
        losses.extend("`step-length`", component(|it| it.step_length == StepLength::ToEnd));
        losses.extend("`concurrent`", component(|it| it.concurrent));
        losses.extend("`send-start-values`", component(|it| it.send_start_values));
        losses.extend("`setup`", component(|it| it.setup != SetupOrder::First));
        losses.extend("`event-mode`", component(|it| !it.event_mode));
        losses.extend("`reactive`", component(|it| !it.reactive.is_empty()));
        losses.extend("`interface`", component(|it| it.solving.interface.is_some()));
        losses.extend("`solver`", component(|it| it.solving.solver.is_some()));
        losses.extend("`tolerance`", component(|it| it.solving.tolerance.is_some()));
        losses.extend("`solver-step`", component(|it| it.solving.step.is_some()));
        losses.extend("`isolate`", component(|it| it.isolation.isolate.is_some()));
        losses.extend("`state`", component(|it| it.isolation.state.is_some()));
        let wire = |test: fn(&Connection) -> bool| {
            let found = system.connections.iter().filter(move |it| test(it));
            found.map(|it| format!("{} -> {}", it.from.value, it.to.value))
        };
        losses.extend("`hold`", wire(|it| it.hold == Hold::Extrapolate));
        losses.extend("`group`", wire(|it| it.group.is_some()));
        losses.extend("`delay`", wire(|it| it.delay));
        losses.extend("`factor` and `offset`", wire(|it| it.transformation.is_some()));
        losses.extend("`suppress-unit-conversion`", wire(|it| it.suppress_unit_conversion));
        let targets = system.interventions.iter().map(|it| it.target.value.clone());
        losses.extend("the intervention", targets);
        losses.extend("the node", system.nodes.iter().map(|node| node.name.value.clone()));
        losses.units(system);
        losses
    }

    fn experiment(&mut self, system: &SystemDescription) {
        let experiment = &system.experiment;
        self.extend("`resolution`", experiment.resolution.as_ref().map(|it| it.value.to_string()));
        self.extend("`seed`", (experiment.seed != 0).then(|| experiment.seed.to_string()));
        self.extend("`tolerance`", experiment.tolerance.as_ref().map(|it| it.value.to_string()));
        let solver = experiment.solver.solver.as_ref();
        self.extend("`solver`", solver.map(|it| it.value.name().to_owned()));
        let step = experiment.solver.step.as_ref();
        self.extend("`solver-step`", step.map(|it| it.value.to_string()));
        self.extend("`isolate`", experiment.isolate.then(|| "true".to_owned()));
        let hash = Some(experiment.hash).filter(|hash| *hash != HashMode::default());
        self.extend("`hash`", hash.map(|hash| hash.name().to_owned()));
        self.extend("`unhashed`", experiment.unhashed.iter().map(|it| it.value.clone()));
        self.extend("`plot`", experiment.plot.iter().map(|it| it.value.clone()));
        self.extend("`input`", experiment.input.as_ref().map(|it| it.value.clone()));
        let record = match experiment.record {
            Record::All => Some("all"),
            Record::Nothing => Some("nothing"),
            Record::Outputs | Record::These(_) => None,
        };
        self.extend("`record`", record.map(str::to_owned));
    }

    fn coupling(&mut self, system: &SystemDescription) {
        let coupling = &system.experiment.coupling;
        let order = coupling.order.as_ref().map(|order| order.value).unwrap_or_default();
        self.extend("`order`", (order != Order::Jacobi).then(|| order.name().to_owned()));
        let continuous = coupling.continuous.as_ref().map(|it| it.value.name().to_owned());
        self.extend("`continuous`", continuous);
        self.extend("the loop", coupling.rules.iter().map(|rule| rule.through.value.clone()));
        let iteration = &coupling.iteration;
        let said = [
            iteration.method.as_ref().map(|it| format!("method = {}", it.value.name())),
            iteration.limit.as_ref().map(|it| format!("limit = {}", it.value)),
            iteration.relaxation.as_ref().map(|it| format!("relaxation = {}", it.value)),
        ];
        self.extend("the iteration's", said.into_iter().flatten());
        let step = coupling.variable_step.as_ref();
        let controlled = step.filter(|it| it.error_control.as_ref().is_none_or(|it| it.value));
        self.extend("`error-control`", controlled.map(|_| "true".to_owned()));
        let constraints = step.into_iter().flat_map(|step| &step.constraints);
        self.extend("the constraint", constraints.map(|it| it.kind().to_owned()));
    }

    fn units(&mut self, system: &SystemDescription) {
        for component in &system.components {
            let with_unit = component.parameters.iter().filter(|it| it.unit.is_some());
            let path = |name: &str| format!("{}.{name}", component.name.value);
            self.extend("the unit of", with_unit.map(|it| path(&it.name.value)));
        }
    }

    pub(super) fn extend(&mut self, what: &'static str, names: impl IntoIterator<Item = String>) {
        let mut names = names.into_iter().peekable();
        if names.peek().is_none() {
            return;
        }
        match self.0.iter_mut().find(|(known, _)| *known == what) {
            Some((_, known)) => known.extend(names),
            None => self.0.push((what, names.collect())),
        }
    }

    /// One warning for each kind.
    pub(super) fn report(self, report: &mut Report) {
        for (what, names) in self.0 {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let message = format!("a multi-model cannot say {what}: {}", listed(&names));
            report.push(Diagnostic::warning("export::lost", message).help(help(what)));
        }
    }
}

/// The first names, and how many there are more.
pub(super) fn listed(names: &[String]) -> String {
    let shown = names.iter().take(LISTED_MAX).cloned();
    let more = names.len().saturating_sub(LISTED_MAX);
    let rest = (0 < more).then(|| format!("{more} more"));
    shown.chain(rest).collect::<Vec<_>>().join(", ")
}

fn help(what: &str) -> &'static str {
    match what {
        "`order`" => "readers use the order `jacobi` unless `--order` is given",
        "the unit of" => "the number is written as it is: give it in the variable's own unit",
        "the name" => "instances have no `/` in their names; `_` is written instead",
        _ => "a `system.toml` can say all",
    }
}
