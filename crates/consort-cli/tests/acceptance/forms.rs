//! A system is the same in every form: the trace hash says so, and FMPy.

use crate::record::Record;
use crate::world::{World, shortened};
use consort_testkit::fmus::{BuildOptions, Fmi, example};
use consort_testkit::python;
use std::fs;
use std::path::PathBuf;

/// Every system of the examples that runs.
fn examples() -> Vec<PathBuf> {
    let folders = fs::read_dir(example("")).unwrap().map(|entry| entry.unwrap().path());
    let files = folders.filter(|path| path.is_dir()).flat_map(|path| fs::read_dir(path).unwrap());
    let mut systems: Vec<PathBuf> = files
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .filter(|path| !path.ends_with("refused.toml") && !path.ends_with("campaign.toml"))
        // Programs of their own are no part of an exchange, nor are their interfaces systems.
        .filter(|path| {
            !path
                .components()
                .any(|part| part.as_os_str().to_string_lossy().starts_with("foreign-"))
        })
        .collect();
    systems.sort();
    systems
}

fn hash(world: &World, system: &str, options: &[&str]) -> String {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().join("run").display().to_string();
    world.done(&[&["run", system, "--out", &folder], options].concat());
    world.trace_hash(&folder)
}

#[test]
fn every_example_keeps_its_trace_as_ssp_and_as_toml() {
    let systems = examples();
    for part in ["spring-damper/system.toml", "feedback-loop/system.toml", "aircraft/fmi2.toml"] {
        assert!(systems.contains(&example(part)), "{part} of {systems:?}");
    }
    for system in systems {
        let world = World::new();
        let name = system.display().to_string();
        let end = shortened(&name);
        let before = hash(&world, &name, end);
        world.done(&["export", &name, "a.ssp"]);
        assert_eq!(hash(&world, "a.ssp", end), before, "{name} as SSP");
        world.done(&["export", "a.ssp", "b/system.toml"]);
        assert_eq!(hash(&world, "b", end), before, "{name} as SSP and TOML again");
    }
}

#[test]
fn a_system_with_a_program_is_written_as_toml_only() {
    let world = World::new();
    let name = example("foreign-c").display().to_string();
    world.done(&["export", &name, "b/system.toml"]);
    assert_eq!(hash(&world, "b", &[]), hash(&world, &name, &[]));
    for other in ["a.ssp", "a/mm.json"] {
        let said = world.consort(&["export", &name, other]);
        assert_eq!(said.code, Some(1), "{}", said.stderr);
        assert!(said.stderr.contains(
            "error[export::program]: `tank` cannot be exported: its model is a program (`foreign:`)"
        ));
    }
}

#[test]
fn every_order_keeps_its_trace_as_ssp() {
    let name = example("feedback-loop/one-feedthrough.toml").display().to_string();
    for order in ["derived", "jacobi", "gauss-seidel"] {
        let world = World::new();
        let before = hash(&world, &name, &["--order", order]);
        world.done(&["export", &name, "a.ssp", "--order", order]);
        assert_eq!(hash(&world, "a.ssp", &[]), before, "{order}");
    }
}

/// The order of a multi-model is `jacobi`; whatever else it cannot express is reported.
#[test]
fn every_example_that_a_multi_model_can_say_keeps_its_trace() {
    let mut kept = 0;
    for system in examples() {
        let world = World::new();
        let name = system.display().to_string();
        let said = world.done(&["export", &name, "a/mm.json", "--order", "jacobi"]);
        let lost = said.stderr.lines().filter(|line| line.contains("[export::lost]"));
        if lost.into_iter().any(|line| !line.contains("`plot`")) {
            continue;
        }
        let before = hash(&world, &name, &["--order", "jacobi"]);
        assert_eq!(hash(&world, "a", &[]), before, "{name} as a multi-model");
        world.done(&["export", "a", "b/system.toml"]);
        assert_eq!(hash(&world, "b", &[]), before, "{name} as a multi-model and TOML again");
        kept += 1;
    }
    assert!(5 <= kept, "only {kept} examples went through");
}

const NESTED: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription name="nested" version="1.0"
    xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
    xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon">
  <ssd:System name="root">
    <ssd:ParameterBindings>
      <ssd:ParameterBinding source="values.ssv"><ssd:ParameterMapping source="names.ssm"/></ssd:ParameterBinding>
    </ssd:ParameterBindings>
    <ssd:Elements>
      <ssd:Component name="drive" type="application/x-fmu-sharedlibrary" source="oscillator.fmu">
        <ssd:Connectors><ssd:Connector name="x" kind="output"><ssc:Real unit="m"/></ssd:Connector></ssd:Connectors>
      </ssd:Component>
      <ssd:System name="plant">
        <ssd:Connectors>
          <ssd:Connector name="push" kind="input"><ssc:Real unit="mm"/></ssd:Connector>
          <ssd:Connector name="position" kind="output"><ssc:Real unit="mm"/></ssd:Connector>
          <ssd:Connector name="spring" kind="parameter"><ssc:Real unit="kN/m"/></ssd:Connector>
        </ssd:Connectors>
        <ssd:Elements>
          <ssd:Component name="amp" source="gain.fmu">
            <ssd:Connectors>
              <ssd:Connector name="u" kind="input"><ssc:Real unit="cm"/></ssd:Connector>
              <ssd:Connector name="y" kind="output"><ssc:Real/></ssd:Connector>
            </ssd:Connectors>
          </ssd:Component>
          <ssd:Component name="mass" source="oscillator.fmu">
            <ssd:Connectors>
              <ssd:Connector name="force" kind="input"><ssc:Real/></ssd:Connector>
              <ssd:Connector name="stiffness" kind="parameter"><ssc:Real unit="N/m"/></ssd:Connector>
              <ssd:Connector name="x" kind="output"><ssc:Real unit="m"/></ssd:Connector>
            </ssd:Connectors>
          </ssd:Component>
        </ssd:Elements>
        <ssd:Connections>
          <ssd:Connection startConnector="push" endElement="amp" endConnector="u">
            <ssc:LinearTransformation factor="2" offset="0.5"/>
          </ssd:Connection>
          <ssd:Connection startElement="amp" startConnector="y" endElement="mass" endConnector="force"/>
          <ssd:Connection startElement="mass" startConnector="x" endConnector="position"/>
          <ssd:Connection startConnector="spring" endElement="mass" endConnector="stiffness"/>
        </ssd:Connections>
      </ssd:System>
      <ssd:Component name="sum" source="integrator.fmu">
        <ssd:Connectors>
          <ssd:Connector name="u" kind="input"><ssc:Real unit="mm"/></ssd:Connector>
          <ssd:Connector name="y" kind="output"><ssc:Real/></ssd:Connector>
        </ssd:Connectors>
      </ssd:Component>
    </ssd:Elements>
    <ssd:Connections>
      <ssd:Connection startElement="drive" startConnector="x" endElement="plant" endConnector="push"/>
      <ssd:Connection startElement="plant" startConnector="position" endElement="sum" endConnector="u"/>
    </ssd:Connections>
    <ssd:Annotations>
      <ssc:Annotation type="com.opensimulationplatform"><osp:FixedStepAlgorithm baseStepSize="0.02"/></ssc:Annotation>
    </ssd:Annotations>
  </ssd:System>
  <ssd:Units>
    <ssc:Unit name="m"><ssc:BaseUnit m="1"/></ssc:Unit>
    <ssc:Unit name="cm"><ssc:BaseUnit m="1" factor="0.01"/></ssc:Unit>
    <ssc:Unit name="mm"><ssc:BaseUnit m="1" factor="0.001"/></ssc:Unit>
    <ssc:Unit name="N/m"><ssc:BaseUnit kg="1" s="-2"/></ssc:Unit>
    <ssc:Unit name="kN/m"><ssc:BaseUnit kg="1" s="-2" factor="1000"/></ssc:Unit>
  </ssd:Units>
  <ssd:DefaultExperiment startTime="0" stopTime="2"/>
</ssd:SystemStructureDescription>
"#;

const VALUES: &str = r#"<ssv:ParameterSet name="values" version="1.0"
    xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"
    xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon">
  <ssv:Parameters>
    <ssv:Parameter name="m"><ssv:Real value="300" unit="g"/></ssv:Parameter>
    <ssv:Parameter name="k"><ssv:Real value="0.005" unit="kN/m"/></ssv:Parameter>
    <ssv:Parameter name="start"><ssv:Real value="3"/></ssv:Parameter>
  </ssv:Parameters>
  <ssv:Units>
    <ssc:Unit name="g"><ssc:BaseUnit kg="1" factor="0.001"/></ssc:Unit>
    <ssc:Unit name="kN/m"><ssc:BaseUnit kg="1" s="-2" factor="1000"/></ssc:Unit>
  </ssv:Units>
</ssv:ParameterSet>
"#;

const MAPPING: &str = r#"<ssm:ParameterMapping version="1.0"
    xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping"
    xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon">
  <ssm:MappingEntry source="m" target="plant.mass.mass"/>
  <ssm:MappingEntry source="k" target="plant.spring"/>
  <ssm:MappingEntry source="start" target="plant.mass.x0">
    <ssc:LinearTransformation factor="0.5" offset="-0.25"/>
  </ssm:MappingEntry>
</ssm:ParameterMapping>
"#;

/// What that means: metres become centimetres, twice as many and a half more; 3 becomes 1.25.
const FLAT: &str = r#"
[experiment]
stop = 2
step = 0.02
[components.drive]
model = "oscillator.fmu"
[components."plant/amp"]
model = "gain.fmu"
[components."plant/mass"]
model = "oscillator.fmu"
parameters = { mass = { value = 300, unit = "g" }, stiffness = 5, x0 = 1.25 }
[components.sum]
model = "integrator.fmu"
[[connections]]
from = "drive.x"
to = "plant/amp.u"
factor = 200
offset = 0.5
[[connections]]
from = "plant/amp.y"
to = "plant/mass.force"
[[connections]]
from = "plant/mass.x"
to = "sum.u"
factor = 1000
"#;

#[test]
fn a_nested_ssp_with_mapped_values_and_units_is_the_flat_system() {
    let world = World::new();
    for (model, fmi) in [("oscillator", Fmi::V2), ("gain", Fmi::V3), ("integrator", Fmi::V2)] {
        world.archive(model, fmi, &BuildOptions::archive());
    }
    world.system(FLAT);
    let before = hash(&world, "s/system.toml", &[]);
    world.write("s/SystemStructure.ssd", NESTED);
    world.write("s/values.ssv", VALUES);
    world.write("s/names.ssm", MAPPING);
    assert_eq!(hash(&world, "s/SystemStructure.ssd", &[]), before);
    world.done(&["export", "s/SystemStructure.ssd", "packed.ssp"]);
    assert_eq!(hash(&world, "packed.ssp", &[]), before);
    let wrong = VALUES.replace("0.005", "0.006");
    world.write("s/values.ssv", wrong);
    assert_ne!(hash(&world, "s/SystemStructure.ssd", &[]), before, "the values count");
}

/// Nothing is started at other than zero: FMPy takes zero for every input of the first step.
const RING: &str = r#"
[experiment]
stop = 1
step = 0.01
order = "jacobi"
[components.mass]
model = "oscillator.fmu"
[components.sum]
model = "integrator.fmu"
[components.amp]
model = "gain.fmu"
[[connections]]
from = "mass.v"
to = "sum.u"
[[connections]]
from = "sum.y"
to = "amp.u"
[[connections]]
from = "amp.y"
to = "mass.force"
"#;

#[test]
fn fmpy_runs_an_ssp_of_ours_to_the_same_values() {
    let world = World::new();
    for model in ["oscillator", "gain", "integrator"] {
        world.archive(model, Fmi::V2, &BuildOptions::archive());
    }
    world.system(RING);
    world.done(&["run", "s", "--csv", "--out", "run"]);
    world.done(&["export", "s", "ring.ssp"]);
    let theirs = python::simulate_ssp(&world.path("ring.ssp"), 1.0, 0.01);
    let names: Vec<&str> =
        theirs["names"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    let ours = Record::parse(&world.read("run/trace.csv"));
    for name in ["mass.x", "mass.v", "sum.y", "amp.y"] {
        let column = names.iter().position(|it| *it == name);
        let column = column.unwrap_or_else(|| panic!("{name} is not in {names:?}"));
        // FMPy writes what a step ends with beside the time it began at.
        let rows = theirs["rows"].as_array().unwrap().iter();
        let theirs: Vec<f64> = rows.map(|row| python::float(&row[column])).take(100).collect();
        assert_eq!(ours.floats(name)[1..], theirs, "{name}");
        assert!(theirs.iter().any(|value| 0.1 < value.abs()), "{name} moves");
    }
}
