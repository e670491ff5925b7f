//! Systems in a few words.

use consort_core::model::DefaultExperiment;
use consort_core::{
    Capabilities, Causality, ComponentId, Conversion, DependencyKind, DependsOn, ModelDescription,
    ModelStructure, Reference, Refresh, Report, Resolution, Seconds, SetupOrder, Time, Unknown,
    Values, Variable, VariableId,
};
use consort_planner::{Explanation, explain, plan};
use consort_system::{
    ColumnFeed, Feed, Hold, Iteration, LoopPolicy, Order, Plan, Port, ResolvedComponent,
    ResolvedConnection, ResolvedCoupling, ResolvedExperiment, ResolvedSystem, StepLength,
};
use std::fmt::Write as _;

/// A system under construction; names are given as `component.variable`.
#[derive(Clone)]
pub(crate) struct Sketch {
    pub(crate) system: ResolvedSystem,
    pub(crate) models: Vec<ModelDescription>,
}

/// What an output of a sketched component follows.
pub(crate) enum Follows<'a> {
    /// These inputs.
    These(&'a [&'a str]),
    /// Nothing is said.
    Unsaid,
}

pub(crate) use Follows::{These, Unsaid};

impl Sketch {
    pub(crate) fn new() -> Self {
        let tick = Seconds::new(1, 100).and_then(Resolution::new).expect("a hundredth of a second");
        let experiment = ResolvedExperiment {
            resolution: tick,
            start: Time::ZERO,
            stop: Time::from_ticks(1000),
            step: Time::from_ticks(1),
            seed: 1,
            tolerance: None,
            hash: consort_core::HashMode::All,
        };
        let system = ResolvedSystem {
            name: "sketch".into(),
            experiment,
            components: Vec::new(),
            connections: Vec::new(),
            feed: None,
            interventions: Vec::new(),
            coupling: ResolvedCoupling::default(),
            placement: None,
        };
        Sketch { system, models: Vec::new() }
    }

    /// A component whose outputs follow its inputs at once.
    pub(crate) fn part(
        mut self,
        name: &str,
        inputs: &[&str],
        outputs: &[(&str, Follows<'_>)],
    ) -> Self {
        let model = model(name, inputs, outputs);
        let ids = |causality: Causality| -> Vec<VariableId> {
            let found = model.variables.iter().enumerate();
            let found = found.filter(|(_, variable)| variable.causality == causality);
            found.map(|(index, _)| VariableId::from_index(index)).collect()
        };
        self.system.components.push(ResolvedComponent {
            name: name.into(),
            period: Time::from_ticks(1),
            step_length: StepLength::Fixed,
            concurrent: false,
            event_mode: false,
            reactive: Vec::new(),
            counts: vec![1; model.variables.len()],
            structural: Vec::new(),
            settings: Vec::new(),
            setup: SetupOrder::First,
            recorded: ids(Causality::Output),
            hashed: ids(Causality::Output),
        });
        self.models.push(model);
        self
    }

    /// The last component refreshes by steps, as FMI Co-Simulation does.
    pub(crate) fn by_step(mut self) -> Self {
        self.last().capabilities.refresh = Refresh::ByStep;
        self
    }

    /// All components refresh by steps.
    pub(crate) fn all_by_step(mut self) -> Self {
        for model in &mut self.models {
            model.capabilities.refresh = Refresh::ByStep;
        }
        self
    }

    /// The last component cannot go back.
    pub(crate) fn one_way(mut self) -> Self {
        self.last().capabilities.save_state = false;
        self
    }

    pub(crate) fn last(&mut self) -> &mut ModelDescription {
        self.models.last_mut().expect("a component was added")
    }

    /// How many ticks a step of the last component takes.
    pub(crate) fn every(mut self, ticks: i64) -> Self {
        let last = self.system.components.last_mut().expect("a component was added");
        last.period = Time::from_ticks(ticks);
        self
    }

    pub(crate) fn port(&self, path: &str) -> Port {
        let (component, variable) = path.split_once('.').expect("component.variable");
        let index = self.system.components.iter().position(|part| part.name == component);
        let index = index.expect("a known component");
        Port {
            component: ComponentId::from_index(index),
            variable: self.models[index].variable(variable).expect("a known variable"),
            first: 0,
            count: 1,
        }
    }

    pub(crate) fn wire(mut self, from: &str, to: &str) -> Self {
        self.system.connections.push(ResolvedConnection {
            from: self.port(from),
            to: self.port(to),
            conversion: Conversion::IDENTITY,
            hold: Hold::Hold,
            delay: false,
            origin: consort_system::Origin::default(),
        });
        self
    }

    /// A wire that hands on the previous value.
    pub(crate) fn delayed_wire(self, from: &str, to: &str) -> Self {
        let mut sketch = self.wire(from, to);
        sketch.system.connections.last_mut().expect("just added").delay = true;
        sketch
    }

    /// A table feeds this input.
    pub(crate) fn fed(mut self, path: &str) -> Self {
        let to = self.port(path);
        let feed = Feed { times: vec![Time::ZERO], columns: Vec::new(), parameters: Vec::new() };
        let feed = self.system.feed.get_or_insert(feed);
        feed.columns.push(ColumnFeed {
            to,
            values: Values::Float64(vec![0.0]),
            interpolate: false,
        });
        self
    }

    pub(crate) fn reactive(mut self, path: &str) -> Self {
        let port = self.port(path);
        self.system.components[port.component.index()].reactive.push(port.variable);
        self
    }

    pub(crate) fn order(mut self, order: Order) -> Self {
        self.system.coupling.order = order;
        self
    }

    /// Loops are solved.
    pub(crate) fn iterated(mut self) -> Self {
        self.system.coupling.loops = LoopPolicy::Iterate(Iteration::default());
        self
    }

    pub(crate) fn plan(&self) -> (Option<Plan>, Report) {
        let mut report = Report::default();
        let models: Vec<&ModelDescription> = self.models.iter().collect();
        (plan(&self.system, &models, &mut report), report)
    }

    pub(crate) fn explain(&self) -> Explanation {
        let (plan, report) = self.plan();
        let plan = plan.unwrap_or_else(|| panic!("{:?}", report.diagnostics()));
        let models: Vec<&ModelDescription> = self.models.iter().collect();
        explain(&self.system, &models, &plan)
    }

    /// The plan and what is said about it, as text.
    pub(crate) fn text(&self) -> String {
        let (plan, report) = self.plan();
        let models: Vec<&ModelDescription> = self.models.iter().collect();
        let mut text = String::new();
        if let Some(plan) = plan {
            let all = plan.to_text(&self.system, &models);
            let from = all.find("initialization").expect("every plan has it");
            text.push_str(&all[from..]);
        }
        for diagnostic in report.diagnostics() {
            let _ = writeln!(
                text,
                "{} {}: {}",
                diagnostic.severity, diagnostic.code, diagnostic.message
            );
            for note in &diagnostic.notes {
                let _ = writeln!(text, "  note: {note}");
            }
            if let Some(help) = &diagnostic.help {
                let _ = writeln!(text, "  help: {help}");
            }
        }
        text
    }
}

fn model(name: &str, inputs: &[&str], outputs: &[(&str, Follows<'_>)]) -> ModelDescription {
    let variable = |name: &str, causality| Variable::scalar(name, Reference(0), causality);
    let mut variables: Vec<Variable> =
        inputs.iter().map(|name| variable(name, Causality::Input)).collect();
    let mut structure = ModelStructure::default();
    for (output, follows) in outputs {
        let id = VariableId::from_index(variables.len());
        variables.push(variable(output, Causality::Output));
        if let These(list) = follows {
            let on = list.iter().map(|wanted| {
                let index = inputs.iter().position(|input| input == wanted).expect("an input");
                (VariableId::from_index(index), DependencyKind::Dependent)
            });
            structure.outputs.push(Unknown { variable: id, on: DependsOn::These(on.collect()) });
        }
    }
    ModelDescription {
        name: format!("model-of-{name}"),
        kind: "sketch".into(),
        variables,
        structure,
        units: Vec::new(),
        enumerations: Vec::new(),
        capabilities: Capabilities::native(),
        default_experiment: DefaultExperiment::default(),
        facts: Vec::new(),
    }
}

/// Four federates in series; the last two have feedthrough or not (Chaudron et al. 2016, section 3).
pub(crate) fn chain_of_four(feedthrough: bool) -> Sketch {
    let follows = || if feedthrough { These(&["u"]) } else { These(&[]) };
    Sketch::new()
        .part("f0", &[], &[("y", These(&[]))])
        .part("f1", &["u"], &[("y", These(&[]))])
        .part("f2", &["u"], &[("y", follows())])
        .part("f3", &["u"], &[("y", follows())])
        .wire("f0.y", "f1.u")
        .wire("f1.y", "f2.u")
        .wire("f2.y", "f3.u")
}

/// Two federates in a loop behind a source; each may have feedthrough (Chaudron et al. 2016, section 4).
pub(crate) fn loop_of_two(first: bool, second: bool) -> Sketch {
    let follows =
        |it: bool, input: &'static [&'static str]| if it { These(input) } else { These(&[]) };
    Sketch::new()
        .part("f0", &[], &[("y", These(&[]))])
        .part("f1", &["u", "v"], &[("y", follows(first, &["v"]))])
        .part("f2", &["u"], &[("y", follows(second, &["u"]))])
        .wire("f0.y", "f1.u")
        .wire("f1.y", "f2.u")
        .wire("f2.y", "f1.v")
}

/// Flight dynamics and environment (Chaudron et al. 2016, section 5.3): position, atmosphere, rest.
pub(crate) fn flight() -> Sketch {
    Sketch::new()
        .part("actuators", &[], &[("deflection", These(&[]))])
        .part(
            "dynamics",
            &["deflection", "density"],
            &[("position", These(&[])), ("acceleration", These(&["deflection", "density"]))],
        )
        .part("environment", &["position"], &[("density", These(&["position"]))])
        .wire("actuators.deflection", "dynamics.deflection")
        .wire("dynamics.position", "environment.position")
        .wire("environment.density", "dynamics.density")
}

/// A source and `count - 1` components with feedthrough in a row.
pub(crate) fn long_chain(count: usize) -> Sketch {
    let mut sketch = Sketch::new().part("c0", &[], &[("y", These(&[]))]);
    for index in 1..count {
        sketch = sketch.part(&format!("c{index}"), &["u"], &[("y", These(&["u"]))]);
        sketch = sketch.wire(&format!("c{}.y", index - 1), &format!("c{index}.u"));
    }
    sketch
}
