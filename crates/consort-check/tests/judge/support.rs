//! Small systems in a few lines of text.
//!
//! ```text
//! a in u v out y(u) z() w every 2 by-step cannot-save equations reactive u
//! a.y -> b.u delayed
//! ```
//!
//! `y(u)` follows `u` at once, `z()` nothing, and nothing is said about `w`.

use consort_core::model::{Capabilities, DefaultExperiment};
use consort_core::{
    Causality, ComponentId, Conversion, DependencyKind, DependsOn, ModelDescription,
    ModelStructure, Reference, Refresh, Report, Resolution, SetupOrder, SolvedBy, SolverKind, Time,
    Unknown, Variable, VariableId,
};
use consort_system::{
    Hold, Plan, Port, ResolvedComponent, ResolvedConnection, ResolvedCoupling, ResolvedExperiment,
    ResolvedSystem, StepLength,
};

pub(crate) struct Example {
    pub(crate) system: ResolvedSystem,
    pub(crate) models: Vec<ModelDescription>,
}

/// What the judge says of a plan; nothing if it is right.
pub(crate) fn check(system: &str, plan: &str, expected: &str) {
    assert_eq!(Example::new(system).verdict(plan), expected, "{plan}");
}

impl Example {
    pub(crate) fn new(text: &str) -> Self {
        let mut example = Example { system: empty(), models: Vec::new() };
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            match line.split_once(" -> ") {
                Some((from, to)) => example.connect(from, to),
                None => example.component(line),
            }
        }
        example
    }

    pub(crate) fn models(&self) -> Vec<&ModelDescription> {
        self.models.iter().collect()
    }

    /// The plan with this text; panics with what is wrong with the text.
    pub(crate) fn plan(&self, text: &str) -> Plan {
        let mut report = Report::default();
        let plan = Plan::parse(text, &self.system, &self.models(), &mut report);
        plan.unwrap_or_else(|| panic!("{:#?}", report.diagnostics()))
    }

    /// Nothing, or what the judge says.
    pub(crate) fn verdict(&self, text: &str) -> String {
        self.judge(&self.plan(text))
    }

    pub(crate) fn judge(&self, plan: &Plan) -> String {
        match consort_check::check_plan(&self.system, &self.models(), plan) {
            Ok(()) => String::new(),
            Err(violation) => {
                assert!(!violation.help().is_empty());
                violation.to_string()
            }
        }
    }

    fn component(&mut self, line: &str) {
        let mut words = line.split(' ');
        let name = words.next().expect("a name").to_owned();
        let mut model = model();
        let mut outputs: Vec<&str> = Vec::new();
        let (mut period, mut reactive, mut mode) = (1, Vec::new(), "");
        for word in words {
            match (mode, word) {
                (_, "in" | "out" | "every" | "reactive") => mode = word,
                (_, "by-step") => model.capabilities.refresh = Refresh::ByStep,
                (_, "equations") => {
                    let (settings, tolerance) = (SolverKind::Bdf.into(), 1e-6);
                    model.capabilities.solved_by = Some(SolvedBy { settings, tolerance });
                }
                (_, "cannot-save") => model.capabilities.save_state = false,
                ("in", _) => add(&mut model, word, Causality::Input),
                ("out", _) => {
                    add(&mut model, word.split('(').next().expect("a name"), Causality::Output);
                    outputs.push(word);
                }
                ("every", _) => period = word.parse().expect("ticks"),
                ("reactive", _) => reactive.push(model.variable(word).expect("an input")),
                _ => panic!("{word} in {line}"),
            }
        }
        for output in outputs {
            depend(&mut model, output);
        }
        let counts = vec![1; model.variables.len()];
        let is_output =
            |id: &VariableId| model.variables[id.index()].causality == Causality::Output;
        let hashed = (0..counts.len()).map(VariableId::from_index).filter(is_output).collect();
        self.system.components.push(ResolvedComponent {
            name,
            period: Time::from_ticks(period),
            step_length: StepLength::Fixed,
            concurrent: true,
            event_mode: false,
            reactive,
            counts,
            structural: Vec::new(),
            settings: Vec::new(),
            setup: SetupOrder::First,
            recorded: Vec::new(),
            hashed,
        });
        self.models.push(model);
    }

    pub(crate) fn port(&self, path: &str) -> Port {
        let (component, variable) = path.split_once('.').expect("component.variable");
        let is_named = |it: &ResolvedComponent| it.name == component;
        let index = self.system.components.iter().position(is_named).expect("a component");
        let variable = self.models[index].variable(variable).expect("a variable");
        Port { component: ComponentId::from_index(index), variable, first: 0, count: 1 }
    }

    fn connect(&mut self, from: &str, to: &str) {
        let delay = to.ends_with(" delayed");
        let (from, to) = (self.port(from), self.port(to.trim_end_matches(" delayed")));
        let conversion = Conversion { gain: 1.0, offset: 0.0 };
        let hold = Hold::Hold;
        self.system.connections.push(ResolvedConnection {
            from,
            to,
            conversion,
            hold,
            delay,
            origin: consort_system::Origin::default(),
        });
    }
}

fn add(model: &mut ModelDescription, name: &str, causality: Causality) {
    let reference = Reference(u32::try_from(model.variables.len()).expect("a few"));
    model.variables.push(Variable::scalar(name, reference, causality));
}

fn depend(model: &mut ModelDescription, output: &str) {
    let Some((name, inputs)) = output.split_once('(') else { return };
    let inputs = inputs.trim_end_matches(')').split(',').filter(|name| !name.is_empty());
    let inputs = inputs.map(|name| model.variable(name).expect("an input"));
    let on = DependsOn::These(inputs.map(|it| (it, DependencyKind::Dependent)).collect());
    let variable = model.variable(name).expect("it was added");
    model.structure.outputs.push(Unknown { variable, on });
}

fn model() -> ModelDescription {
    ModelDescription {
        name: "example".to_owned(),
        kind: "description".to_owned(),
        variables: Vec::new(),
        structure: ModelStructure::default(),
        units: Vec::new(),
        enumerations: Vec::new(),
        capabilities: Capabilities::native(),
        default_experiment: DefaultExperiment::default(),
        facts: Vec::new(),
    }
}

fn empty() -> ResolvedSystem {
    ResolvedSystem {
        name: "example".to_owned(),
        experiment: ResolvedExperiment {
            resolution: Resolution::for_all(&[]).expect("a tick"),
            start: Time::ZERO,
            stop: Time::from_ticks(12),
            step: Time::from_ticks(1),
            seed: 0,
            tolerance: None,
            hash: consort_core::HashMode::All,
        },
        components: Vec::new(),
        connections: Vec::new(),
        feed: None,
        interventions: Vec::new(),
        coupling: ResolvedCoupling::default(),
        placement: None,
    }
}
