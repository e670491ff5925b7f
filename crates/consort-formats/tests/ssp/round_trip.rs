//! What is written is read as the same system.

use crate::files::read;
use consort_core::{ModelDescription, Report};
use consort_formats::fuzz::{descriptions, models};
use consort_formats::{read_system, ssp, write_system};
use consort_system::{SystemDescription, resolve};
use consort_testkit::render;

/// Writes a system and reads it again; its models are where they were.
fn again(system: &SystemDescription, models: &[Option<&ModelDescription>]) -> SystemDescription {
    let written = ssp::write(system, models);
    let files: Vec<(&str, &[u8])> =
        written.files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let mut report = Report::default();
    let mut read = read(&files, &mut report).unwrap_or_else(|| {
        let text = String::from_utf8_lossy(files[0].1);
        panic!("{}\n{text}", render::report(&report))
    });
    let source = |path: &str| {
        let found = written.resources.iter().find(|resource| resource.path == path);
        found.map(|resource| resource.source.clone())
    };
    for component in &mut read.components {
        let model = &mut component.model.value;
        *model = source(model).unwrap_or_else(|| model.clone());
    }
    if let Some(input) = &mut read.experiment.input {
        input.value = source(&input.value).expect("the file is a resource");
    }
    read
}

/// As text; parameters have no order that means anything.
fn sorted(mut system: SystemDescription) -> String {
    for component in &mut system.components {
        component.parameters.sort_by(|a, b| a.name.value.cmp(&b.name.value));
    }
    write_system(&system)
}

#[test]
fn a_system_with_everything_stays_as_it_is() {
    let mut report = Report::default();
    let system = read_system("system.toml", EVERYTHING, &mut report);
    let system = system.unwrap_or_else(|| panic!("{}", render::report(&report)));
    let none = vec![None; system.components.len()];
    assert_eq!(sorted(again(&system, &none)), sorted(system.clone()));
    // With models, whole numbers for floats are written as floats; the meaning is the same.
    let models = models();
    let found = descriptions(&system, &models);
    let meaning = |system: &SystemDescription| {
        let mut report = Report::default();
        let resolved = resolve(system, &found, &mut report);
        resolved.unwrap_or_else(|| panic!("{:#?}", report.diagnostics()))
    };
    assert_eq!(meaning(&again(&system, &found)), meaning(&system));
}

#[test]
fn every_system_of_the_corpus_keeps_its_meaning() {
    let models = models();
    let mut resolved_systems = 0;
    for (path, bytes) in consort_testkit::fuzz::corpus("system") {
        let text = String::from_utf8_lossy(&bytes);
        let Some(system) = read_system("system", &text, &mut Report::default()) else { continue };
        let found = descriptions(&system, &models);
        let (mut before, mut after) = (Report::default(), Report::default());
        let Some(resolved) = resolve(&system, &found, &mut before) else { continue };
        let read = again(&system, &found);
        assert_eq!(resolve(&read, &found, &mut after), Some(resolved), "{}", path.display());
        resolved_systems += 1;
    }
    assert!(2 <= resolved_systems, "{resolved_systems} systems were compared");
}

#[test]
fn native_blocks_and_files_of_tables_find_their_places() {
    let text = "[experiment]\nstop = 1\nstep = 0.1\ninput = \"data/in.csv\"\n\
        [components.a]\nmodel = \"native:table\"\nparameters = { file = \"data/a.csv\" }\n\
        [components.b]\nmodel = \"../b\"\n[components.c]\nmodel = \"../b\"\n";
    let system = read_system("system.toml", text, &mut Report::default()).unwrap();
    let written = ssp::write(&system, &[None, None, None]);
    let places: Vec<(&str, &str)> =
        written.resources.iter().map(|it| (it.source.as_str(), it.path.as_str())).collect();
    assert_eq!(
        places,
        [
            ("data/a.csv", "resources/a.csv"),
            ("../b", "resources/b.fmu"),
            ("data/in.csv", "resources/in.csv"),
        ]
    );
    let ssd = String::from_utf8(written.files[0].1.clone()).unwrap();
    assert!(ssd.contains(r#"type="application/x-consort-native" source="native:table""#), "{ssd}");
    assert!(ssd.contains(r#"<ssv:String value="resources/a.csv"/>"#), "{ssd}");
    assert!(ssd.contains(r#"input="resources/in.csv""#), "{ssd}");
}

#[test]
fn what_is_written_looks_as_it_should() {
    let system = read_system("system.toml", EVERYTHING, &mut Report::default()).unwrap();
    let models = models();
    let written = ssp::write(&system, &descriptions(&system, &models));
    insta::assert_snapshot!("written", String::from_utf8(written.files[0].1.clone()).unwrap());
}

/// Everything that a system can say.
pub(crate) const EVERYTHING: &str = r#"
name = "all <of> it"
[experiment]
start = "-1/3"
stop = "8/3"
step = "1/30"
resolution = "1/300"
seed = 18446744073709551615
tolerance = 1e-6
solver = "adams"
isolate = true
solver-step = "1/7"
record = ["tank.level", "plant/pid.*"]
unhashed = ["tank.CPUtime"]
plot = ["tank.level"]
order = "gauss-seidel"
loops = "iterate"
[experiment.iteration]
method = "newton"
tolerance = 1e-10
limit = 50
relaxation = 0.5
[components.tank]
model = "tank"
concurrent = true
send-start-values = true
setup = "after-parameters"
step-length = "to-end"
parameters = { inflow = 0.1, area = 2, level0 = { value = 20, unit = "cm" } }
[components."plant/pid"]
model = "pid"
step = "1/15"
event-mode = false
reactive = ["measurement"]
interface = "model-exchange"
solver = "rk4"
isolate = true
state = "image"
tolerance = 1e-8
solver-step = 0.001
parameters = { kp = 3.5, mode = "manual" }
[components.rod]
model = "rod"
interface = "co-simulation"
parameters = { n = 2, gains = [1.0, 2.5], A = [[1, 2, 3], [4, 5, 6]], B = 0.5 }
[components.typed]
model = "typed"
parameters = { on = true, count = -3, title = "a \"b\"\n<c>\u0001", big = 18446744073709551615, data = "0aff" }
[[connections]]
from = "tank.level"
to = "plant/pid.measurement"
hold = "extrapolate"
group = "bus1"
[[connections]]
from = "plant/pid.u"
to = "tank.valve"
delay = true
factor = 0.5
offset = 1
[[connections]]
from = "rod.temperature[1]"
to = "rod.mirror[2]"
suppress-unit-conversion = true
[[loops]]
through = "tank.level"
policy = "error"
[[interventions]]
at = "1/3"
target = "plant/pid.kp"
set = 2.0
[[interventions]]
when = "tank.level > 0.8"
target = "tank.level -> plant/pid.measurement"
offset = 3
unit = "cm"
[[interventions]]
at = 2
target = "tank.inflow"
freeze = true
[nodes]
plant-1 = ["tank", "r*"]
control = ["plant/pid"]
"#;
