//! What the fuzz targets call, and a few model descriptions to resolve systems against.
//!
//! Any bytes must be read to an end without a panic; what is read must be written to text that is
//! read as the same system.

use crate::snapshot::sealed;
use crate::{
    multimodel, read_campaign, read_inputs, read_scenario, read_snapshot, read_system, ssp,
    write_scenario, write_snapshot, write_system,
};
use consort_core::model::{Capabilities, DefaultExperiment, Enumeration};
use consort_core::{
    Causality, Dimension, Initial, ModelDescription, ModelStructure, Reference, Report, Unit,
    ValueType, Values, Variability, Variable, VariableId,
};
use consort_system::{Plan, ResolvedSystem, SystemDescription, resolve};
use std::sync::OnceLock;

/// Reads bytes as `system.toml` and resolves the system against [`models`].
///
/// # Panics
/// If what was written again is not read as the same text: that is a finding.
pub fn system(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut report = Report::default();
    let Some(mut system) = read_system("fuzz", &text, &mut report) else { return };
    let written = write_system(&system);
    let again = read_system("fuzz", &written, &mut Report::default());
    let again = again.expect("a written system can be read");
    assert_eq!(write_system(&again), written, "reading and writing are inverse");
    // A part of the text serves as a table of inputs too.
    let table = text.split_once("#csv\n").map_or("", |(_, table)| table);
    system.inputs = read_inputs("fuzz.csv", table.as_bytes(), &mut Report::default());
    let models = models();
    let found: Vec<_> = descriptions(&system, &models);
    let _ = resolve(&system, &found, &mut report);
}

/// Reads bytes as a multi-model of one or two files, which `#file` separates, and resolves the system
/// against [`models`].
///
/// # Panics
/// If what was written again is not read as the same multi-model: that is a finding.
pub fn multimodel(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (first, second) = text.split_once("#file\n").unwrap_or((&text, ""));
    let mut files = vec![multimodel::MultimodelFile { name: "mm.json", text: first }];
    if !second.is_empty() {
        files.push(multimodel::MultimodelFile { name: "coe.json", text: second });
    }
    let mut report = Report::default();
    let Some(read) = multimodel::read(&files, &mut report) else {
        assert!(report.has_errors(), "no multi-model without a reason");
        return;
    };
    let models = models();
    let found = descriptions(&read.system, &models);
    let _ = resolve(&read.system, &found, &mut report);
    if report.has_errors() {
        return;
    }
    let again = write_and_read(&read);
    let last = write_and_read(&again);
    assert_eq!(write_system(&last.system), write_system(&again.system), "the third is the second");
    assert_eq!(last.keys, again.keys);
}

fn write_and_read(read: &multimodel::MultiModel) -> multimodel::MultiModel {
    let mut report = Report::default();
    let written = multimodel::write(&read.system, &read.keys, &mut report);
    let files = [
        multimodel::MultimodelFile { name: "mm.json", text: &written.model },
        multimodel::MultimodelFile { name: "coe.json", text: &written.configuration },
    ];
    multimodel::read(&files, &mut report).expect("a written multi-model can be read")
}

/// Reads bytes as a table of inputs.
pub fn inputs(data: &[u8]) {
    let mut report = Report::default();
    let table = read_inputs("fuzz.csv", data, &mut report);
    assert_eq!(table.is_none(), report.has_errors(), "no table without a reason");
}

/// Reads bytes as a campaign.
///
/// # Panics
/// If there is a campaign in spite of errors, or none without: that is a finding.
pub fn campaign(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut report = Report::default();
    let campaign = read_campaign("fuzz.toml", &text, &mut report);
    assert_eq!(campaign.is_none(), report.has_errors(), "no campaign without a reason");
}

/// Reads bytes as a scenario file.
///
/// # Panics
/// If what was written again is not read as the same scenario: that is a finding.
pub fn scenario(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut report = Report::default();
    let scenario = read_scenario("fuzz.conf", &text, &mut report);
    assert_eq!(scenario.is_none(), report.has_errors(), "no scenario without a reason");
    let Some(scenario) = scenario else { return };
    let written = write_scenario(&scenario);
    let again = read_scenario("fuzz.conf", &written, &mut Report::default());
    assert_eq!(again.as_ref(), Some(&scenario), "reading and writing are inverse");
    let _ = scenario.to_system();
}

/// Reads bytes as the files of an SSP: `SystemStructure.ssd`, then, each after a line
/// `#file PATH`, others.
///
/// # Panics
/// If what was written again is not read as the same files: that is a finding.
pub fn ssp(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut parts = text.split("\n#file ");
    let structure = parts.next().unwrap_or_default();
    let parts: Vec<(&str, &str)> = parts.filter_map(|part| part.split_once('\n')).collect();
    let find = |path: &str| match path {
        ssp::DEFAULT_STRUCTURE => Some(structure.as_bytes().to_vec()),
        _ => parts.iter().find(|part| part.0 == path).map(|part| part.1.as_bytes().to_vec()),
    };
    let mut report = Report::default();
    let system = ssp::read("fuzz", &find, ssp::DEFAULT_STRUCTURE, &mut report);
    assert_eq!(system.is_none(), report.has_errors(), "no system without a reason");
    let Some(system) = system else { return };
    let none = vec![None; system.components.len()];
    let (written, mut again) = (ssp::write(&system, &none), Report::default());
    let bytes = written.files[0].1.clone();
    let system = ssp::read("fuzz", &|_| Some(bytes.clone()), ssp::DEFAULT_STRUCTURE, &mut again);
    let system = system.unwrap_or_else(|| panic!("a written system can be read: {again:?}"));
    assert_eq!(ssp::write(&system, &none).files, written.files, "reading and writing are inverse");
}

/// Reads bytes as a snapshot file, as they are and with the digest they should have.
///
/// # Panics
/// If what was written again is not read as the same file: that is a finding.
pub fn snapshot(data: &[u8]) {
    let without_digest = &data[..data.len().saturating_sub(32)];
    for bytes in [data.to_vec(), sealed(data.to_vec()), sealed(without_digest.to_vec())] {
        let mut report = Report::default();
        let file = read_snapshot("fuzz", &bytes, &mut report);
        assert_eq!(file.is_none(), report.has_errors(), "no snapshot without a reason");
        let Some(file) = file else { continue };
        assert_eq!(write_snapshot(&file), bytes, "reading and writing are inverse");
    }
}

/// Reads bytes as a plan for [`plan_system`].
///
/// # Panics
/// If what was printed is not read as the same plan: that is a finding.
pub fn plan(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    static SYSTEM: OnceLock<(ResolvedSystem, Vec<ModelDescription>)> = OnceLock::new();
    let (system, models) = SYSTEM.get_or_init(plan_system);
    let models: Vec<&ModelDescription> = models.iter().collect();
    let mut report = Report::default();
    let plan = Plan::parse(&text, system, &models, &mut report);
    assert_eq!(plan.is_none(), report.has_errors(), "no plan without a reason");
    let Some(plan) = plan else { return };
    let printed = plan.to_text(system, &models);
    let again = Plan::parse(&printed, system, &models, &mut Report::default());
    let again = again.expect("a printed plan can be read");
    assert_eq!(again.to_text(system, &models), printed, "reading and printing are inverse");
}

/// A tank, a controller with an odd name and a rod of three elements, connected; and the
/// description of each.
///
/// # Panics
/// Never: the system is right.
pub fn plan_system() -> (ResolvedSystem, Vec<ModelDescription>) {
    let text = "[experiment]\nstop = 60\nstep = 0.1\nresolution = 0.1\n\
        [components.tank]\nmodel = \"tank\"\nparameters = { inflow = 0.5 }\n\
        [components.pid]\nmodel = \"pid\"\n\
        [components.rod]\nmodel = \"rod\"\nstep = 0.2\nparameters = { B = 0 }\n\
        [[connections]]\nfrom = \"tank.level\"\nto = \"pid.measurement\"\n\
        [[connections]]\nfrom = \"pid.u\"\nto = \"tank.valve\"\n\
        [[connections]]\nfrom = \"pid.u\"\nto = \"rod.heat[2]\"\n\
        [[connections]]\nfrom = \"rod.temperature\"\nto = \"rod.mirror\"\ndelay = true\n";
    let mut report = Report::default();
    let system = read_system("plans", text, &mut report).expect("the system is right");
    let models = models();
    let found = descriptions(&system, &models);
    let mut resolved = resolve(&system, &found, &mut report).expect("everything is there");
    let described = found.into_iter().flatten().cloned().collect();
    // Names from other formats may be odder than those of `system.toml`.
    resolved.components[1].name = "the pid".to_owned();
    (resolved, described)
}

/// The description of each component's model, by the name in `model = "..."`.
pub fn descriptions<'m>(
    system: &SystemDescription,
    models: &'m [ModelDescription],
) -> Vec<Option<&'m ModelDescription>> {
    let find = |name: &str| models.iter().find(|model| model.name == name);
    system.components.iter().map(|component| find(&component.model.value)).collect()
}

/// A small set of models with variables of every kind: `tank`, `pid`, `rod`, `typed`, `single`.
pub fn models() -> Vec<ModelDescription> {
    vec![tank(), pid(), rod(), typed(), single()]
}

struct Builder(ModelDescription);

impl Builder {
    fn new(name: &str) -> Self {
        Builder(ModelDescription {
            name: name.to_owned(),
            kind: "fixed description".to_owned(),
            variables: vec![Variable::scalar("time", Reference(0), Causality::Independent)],
            structure: ModelStructure::default(),
            units: Vec::new(),
            enumerations: Vec::new(),
            capabilities: Capabilities::native(),
            default_experiment: DefaultExperiment::default(),
            facts: Vec::new(),
        })
    }

    /// Adds a variable after `adjust` has made it what it is.
    fn with(mut self, name: &str, causality: Causality, adjust: impl Fn(&mut Variable)) -> Self {
        let reference = Reference(u32::try_from(self.0.variables.len()).expect("a few variables"));
        let mut variable = Variable::scalar(name, reference, causality);
        if causality == Causality::Parameter {
            variable.initial = Initial::Exact;
        }
        adjust(&mut variable);
        self.0.variables.push(variable);
        self
    }

    fn unit(mut self, unit: &str) -> Self {
        self.0.units.push(Unit::named(unit));
        let last = self.0.variables.last_mut().expect("time is always there");
        last.unit = Some(self.0.units.len() - 1);
        self
    }
}

fn start(value: f64) -> impl Fn(&mut Variable) {
    move |variable| variable.start = Some(Values::Float64(vec![value]))
}

fn typed_as(value_type: ValueType) -> impl Fn(&mut Variable) {
    move |variable| {
        variable.value_type = value_type;
        variable.variability = variable.causality.default_variability(value_type);
    }
}

fn nothing(_: &mut Variable) {}

fn tank() -> ModelDescription {
    use Causality::{CalculatedParameter, Input, Local, Output, Parameter};
    let builder = Builder::new("tank")
        .with("inflow", Input, nothing)
        .unit("m3/s")
        .with("valve", Input, start(0.5))
        .with("level", Output, |level| level.aliases.push("h".to_owned()))
        .unit("m")
        .with("area", Parameter, |area| {
            start(1.5)(area);
            (area.min, area.max) = (Some(0.1), Some(100.0));
        })
        .unit("m2")
        .with("level0", Parameter, start(0.25))
        .unit("m")
        .with("volume", CalculatedParameter, nothing)
        .with("pressure", Local, nothing)
        .unit("Pa")
        .with("CPUtime", Output, nothing);
    let mut model = builder.0;
    model.default_experiment.step = Some("0.1".to_owned());
    model.default_experiment.stop = Some("60".to_owned());
    model
}

fn pid() -> ModelDescription {
    use Causality::{Input, Output, Parameter};
    let tunable = |variable: &mut Variable| {
        start(2.0)(variable);
        variable.variability = Variability::Tunable;
    };
    let builder = Builder::new("pid")
        .with("measurement", Input, nothing)
        .unit("cm")
        .with("setpoint", Input, start(1.0))
        .with("u", Output, nothing)
        .with("kp", Parameter, tunable)
        .with("ki", Parameter, start(0.1))
        .with("mode", Parameter, |mode| {
            typed_as(ValueType::Enumeration)(mode);
            mode.variability = Variability::Tunable;
            mode.enumeration = Some(0);
        })
        .with("state.integral", Output, |state| {
            start(0.0)(state);
            state.initial = Initial::Exact;
        });
    let mut model = builder.0;
    let items = vec![("manual".to_owned(), 1), ("automatic".to_owned(), 2)];
    model.enumerations.push(Enumeration { name: "Mode".to_owned(), items });
    model.capabilities.input_derivatives_max = 1;
    model.default_experiment.step = Some("0.1".to_owned());
    model
}

fn rod() -> ModelDescription {
    use Causality::{Input, Output, Parameter, StructuralParameter};
    let sized = |variable: &mut Variable| {
        variable.dimensions = vec![Dimension::Structural(VariableId(1))];
    };
    Builder::new("rod")
        .with("n", StructuralParameter, |n| {
            typed_as(ValueType::UInt64)(n);
            n.start = Some(Values::UInt64(vec![3]));
            n.initial = Initial::Exact;
        })
        .with("heat", Input, move |heat| {
            sized(heat);
            start(0.0)(heat);
        })
        .unit("W")
        .with("temperature", Output, sized)
        .unit("K")
        .with("gains", Parameter, move |gains| {
            sized(gains);
            start(1.0)(gains);
        })
        .with("A", Parameter, |matrix| {
            matrix.dimensions = vec![Dimension::Fixed(2), Dimension::Fixed(3)];
            start(0.0)(matrix);
        })
        .with("mirror", Input, move |mirror| {
            sized(mirror);
            start(0.0)(mirror);
        })
        .with("B", Input, |matrix| matrix.dimensions = vec![Dimension::Fixed(2); 2])
        .0
}

fn typed() -> ModelDescription {
    use Causality::{Input, Output, Parameter};
    let with_start = |value_type: ValueType| {
        move |variable: &mut Variable| {
            typed_as(value_type)(variable);
            variable.start = Some(Values::zeros(value_type, 1));
        }
    };
    let builder = Builder::new("typed")
        .with("on", Input, with_start(ValueType::Boolean))
        .with("count", Input, with_start(ValueType::Int32))
        .with("title", Input, with_start(ValueType::String))
        .with("big", Parameter, with_start(ValueType::UInt64))
        .with("data", Parameter, with_start(ValueType::Binary))
        .with("whole", Output, typed_as(ValueType::Int32))
        .with("flag", Output, typed_as(ValueType::Boolean))
        .with("odd", Output, nothing)
        .unit("furlong")
        .with("tick", Output, typed_as(ValueType::Clock));
    let mut model = builder.0;
    model.capabilities.event_mode = true;
    model.capabilities.variable_step = false;
    model
}

fn single() -> ModelDescription {
    let mut model = Builder::new("single").with("y", Causality::Output, nothing).0;
    model.capabilities.single_instance = true;
    model.default_experiment.step = Some("0.25".to_owned());
    model
}
