//! FMUs that Consort makes: FMPy finds nothing wrong with them, and gets the numbers that Consort gets.

use crate::record::Record;
use crate::world::World;
use consort::ModelOptions;
use consort_testkit::{fmus, python};
use serde_json::{Value, json};
use std::fs;

/// Events, a discrete, an input, units; nothing transcendental.
const BALL: &str = r#"
model bouncing_ball "a ball on a floor"
  experiment stop 2 step 0.01
  parameter g = 9.81 "m/s2" "gravity"
  parameter e = 0.8 min 0 max 1
  parameter twice = 2*e
  input wind = 0 "m/s2"
  output state h = 1 "m" "height" nominal 1
  output state v = 0 "m/s"
  output discrete bounces = 0
  output discrete late = 0
  output energy = 0.5*v^2 + g*h
  der(h) = v
  der(v) = -g + wind
  when h < 0 and v < 0 then
    v = -e*pre(v)
    bounces = bounces + 1
  end
  when time >= 1.23 then
    late = 1
  end
end"#;

/// A reaction, and an event that adds what it uses up.
const NETWORK: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<sbml xmlns="http://www.sbml.org/sbml/level3/version1/core" level="3" version="1">
  <model id="network" timeUnits="second" extentUnits="mole" substanceUnits="mole">
    <listOfCompartments>
      <compartment id="cell" size="2" constant="true" spatialDimensions="3"/>
    </listOfCompartments>
    <listOfSpecies>
      <species id="A" compartment="cell" initialConcentration="5" hasOnlySubstanceUnits="false" boundaryCondition="false" constant="false"/>
      <species id="B" compartment="cell" initialConcentration="0" hasOnlySubstanceUnits="false" boundaryCondition="false" constant="false"/>
    </listOfSpecies>
    <listOfParameters><parameter id="k" value="0.7" constant="true"/></listOfParameters>
    <listOfReactions>
      <reaction id="turn" reversible="false" fast="false">
        <listOfReactants><speciesReference species="A" stoichiometry="1" constant="true"/></listOfReactants>
        <listOfProducts><speciesReference species="B" stoichiometry="1" constant="true"/></listOfProducts>
        <kineticLaw><math xmlns="http://www.w3.org/1998/Math/MathML">
          <apply><times/><ci>cell</ci><ci>k</ci><ci>A</ci></apply></math></kineticLaw>
      </reaction>
    </listOfReactions>
    <listOfEvents>
      <event id="refill" useValuesFromTriggerTime="true">
        <trigger initialValue="true" persistent="true"><math xmlns="http://www.w3.org/1998/Math/MathML">
          <apply><lt/><ci>A</ci><cn>2</cn></apply></math></trigger>
        <listOfEventAssignments><eventAssignment variable="A"><math xmlns="http://www.w3.org/1998/Math/MathML">
          <apply><plus/><ci>A</ci><cn>3</cn></apply></math></eventAssignment></listOfEventAssignments>
      </event>
    </listOfEvents>
  </model>
</sbml>"#;

/// The past, time events one after another, an event that comes late, a value that jumps.
const LATE: &str = r#"
model late
  experiment stop 2 step 0.01
  output state x = 1
  output discrete n = 0
  output discrete m = 0
  output switched = if x < 0.3 then 1 else 0
  discrete next = 0.305
  der(x) = -delay(x, 0.5)
  when time >= next then
    n = n + 1
    next = next + 0.31
  end
  when x < 0.3 after 0.253 then
    m = n
  end
end"#;

/// Robertson's reactions, stiff.
const STIFF: &str = r#"
model stiff
  experiment stop 2 step 0.01
  output state a = 1
  output state b = 0 nominal 1e-4
  output state c = 0
  der(a) = -0.04*a + 1e4*b*c
  der(b) = 0.04*a - 1e4*b*c - 3e7*b^2
  der(c) = 3e7*b^2
end"#;

/// A damped oscillator that is pushed.
const OSCILLATOR: [&str; 3] = ["A=[[0.0, 1.0], [-4.0, -0.3]]", "B=[[0.0], [1.0]]", "x0=[1.0, 0.0]"];

/// Every derivative does something.
const AIRPLANE: [&str; 17] = [
    "mass=900",
    "inertia=[1200, 1500, 2500]",
    "inertia_xz=80",
    "wing=[15, 1.5, 10]",
    "lift=[0.3, 4.5, 8, 4, 0.6]",
    "drag=[0.03, 0.06]",
    "side_force=[-0.6, -0.1, 0.3, 0.02, 0.2]",
    "roll_moment=[-0.1, -0.5, 0.1, 0.17, 0.02]",
    "pitch_moment=[0.05, -0.4, -20, -9, -1.5]",
    "yaw_moment=[0.1, -0.03, -0.15, -0.02, -0.1]",
    "engine=[2, -0.2]",
    "speed0=60",
    "altitude0=1000",
    "sideslip0=0.1",
    "density=1.1",
    "speed_of_sound=335",
    "thrust_left=900",
];

/// A model, what is set of it, and how far others may be from it.
struct Case {
    model: &'static str,
    settings: &'static [&'static str],
    /// Outputs, and the component that `consort run` makes of the model.
    outputs: &'static [&'static str],
    component: &'static str,
    tolerance: f64,
}

const BALL_CASE: Case = Case {
    model: "ball.eq",
    settings: &[],
    outputs: &["h", "bounces", "late"],
    component: "ball",
    tolerance: 1e-6,
};
const LATE_CASE: Case = Case {
    model: "late.eq",
    settings: &[],
    outputs: &["x", "n", "m", "switched"],
    component: "late",
    tolerance: 1e-6,
};
const NETWORK_CASE: Case = Case {
    model: "network.sbml",
    settings: &[],
    outputs: &["A", "B"],
    component: "network",
    tolerance: 1e-6,
};
const STIFF_CASE: Case = Case {
    model: "stiff.eq",
    settings: &[],
    outputs: &["a", "b", "c"],
    component: "stiff",
    tolerance: 1e-7,
};
/// Native blocks step by formulas of order 4.
const OSCILLATOR_CASE: Case = Case {
    model: "native:state-space",
    settings: &OSCILLATOR,
    outputs: &["y[1]", "y[2]"],
    component: "state-space",
    tolerance: 1e-5,
};
const AIRPLANE_CASE: Case = Case {
    model: "native:flight-dynamics",
    settings: &AIRPLANE,
    outputs: &["altitude", "roll", "pitch", "airspeed", "load_factor"],
    component: "flight-dynamics",
    tolerance: 1e-4,
};
const SINE_CASE: Case = Case {
    model: "native:sine",
    settings: &["frequency=0.7", "phase=0.2"],
    outputs: &["y"],
    component: "sine",
    tolerance: 1e-12,
};

fn world() -> World {
    let world = World::new();
    world.write("ball.eq", BALL);
    world.write("network.sbml", NETWORK);
    world.write("late.eq", LATE);
    world.write("stiff.eq", STIFF);
    world
}

/// A line of the command, with what is set of the case.
fn line<'a>(start: &[&'a str], case: &Case) -> Vec<&'a str> {
    let settings = case.settings.iter().flat_map(|setting| ["--set", *setting]);
    start.iter().copied().chain(settings).collect()
}

/// The FMU of a case, in a file of its own.
fn export(world: &World, case: &Case, fmi: &str) -> std::path::PathBuf {
    let out = format!("fmi{fmi}.fmu");
    world.done(&line(&["export", "fmu", case.model, &out, "--fmi", fmi, "--force"], case));
    world.path(&out)
}

/// What `consort run` records of the model itself.
fn reference(world: &World, case: &Case) -> Record {
    let mut run =
        vec!["run", case.model, "--stop", "2", "--step", "0.01", "--csv", "--out", "reference"];
    if !case.model.starts_with("native:") {
        run.extend(["--tolerance", "1e-9"]);
    }
    world.done(&line(&run, case));
    Record::parse(&world.read("reference/trace.csv"))
}

/// A column of what FMPy simulated.
pub(crate) fn column(simulated: &Value, name: &str) -> Vec<f64> {
    let names = simulated["names"].as_array().unwrap();
    let at = names.iter().position(|it| it == name);
    let at = at.unwrap_or_else(|| panic!("no `{name}` in {names:?}"));
    simulated["rows"].as_array().unwrap().iter().map(|row| python::float(&row[at])).collect()
}

/// Both have a value at every time of the grid; Consort may have more.
fn compare(record: &Record, simulated: &Value, case: &Case, output: &str, tolerance: f64) {
    let name = format!("{}.{output}", case.component);
    let (times, values) = (record.times(), record.floats(&name));
    let mut compared = 0;
    for (time, theirs) in column(simulated, "time").into_iter().zip(column(simulated, output)) {
        let Some(row) = times.iter().rposition(|it| (it - time).abs() < 1e-9) else { continue };
        let difference = (values[row] - theirs).abs() / values[row].abs().max(1.0);
        assert!(difference <= tolerance, "{name} at {time}: {} and {theirs}", values[row]);
        compared += 1;
    }
    assert_eq!(compared, 201, "{name}");
}

fn simulate(interface: &str, input: Option<&str>) -> Value {
    json!({"simulate": interface, "stop": 2.0, "step": 0.01, "tolerance": 1e-9, "input": input})
}

/// FMPy finds nothing wrong with the FMUs of a case, and simulates what Consort runs.
fn check(case: &Case) {
    let world = world();
    let record = reference(&world, case);
    for fmi in ["2", "3"] {
        let fmu = export(&world, case, fmi);
        assert_eq!(python::validate(&fmu), Vec::<String>::new(), "{} {fmi}", case.model);
        let tasks = ["ModelExchange", "CoSimulation"].map(|it| simulate(it, None));
        for simulated in python::exported(&fmu, &tasks) {
            for output in case.outputs {
                compare(&record, &simulated, case, output, case.tolerance);
            }
        }
    }
}

#[test]
fn fmpy_simulates_exported_equations_as_consort_does() {
    for case in [BALL_CASE, LATE_CASE, STIFF_CASE] {
        check(&case);
    }
}

#[test]
fn fmpy_simulates_exported_sbml_as_consort_does() {
    check(&NETWORK_CASE);
}

#[test]
fn fmpy_simulates_exported_blocks_as_consort_does() {
    for case in [OSCILLATOR_CASE, AIRPLANE_CASE, SINE_CASE] {
        check(&case);
    }
}

#[test]
fn fmpy_finds_no_problem_in_any_block() {
    let world = world();
    world.write("table.csv", "time,a,b [m]\n0,1,2\n1,3,4\n");
    let stepping = ["noise", "round", "threshold", "unit-delay"];
    let kinds = ModelOptions::default().loader.kinds;
    let names: Vec<&str> = kinds.blocks().iter().map(|block| block.name).collect();
    let blocks = names.iter().filter(|name| !stepping.contains(name));
    let mut fmus = Vec::new();
    for name in blocks {
        let (block, out) = (format!("native:{name}"), format!("{name}.fmu"));
        let settings: &[&str] = match *name {
            "state-space" => &["--set", "A=[[-1.0]]"],
            "table" => &["--set", "file=table.csv"],
            "gain" | "integrator" => &["--set", "size=3"],
            _ => &[],
        };
        let fmi = if fmus.len() % 2 == 0 { "2" } else { "3" };
        let line = ["export", "fmu", &block, &out, "--no-binary", "--fmi", fmi];
        world.done(&[&line, settings].concat());
        fmus.push(world.path(&out));
    }
    assert_eq!(fmus.len(), names.len() - stepping.len());
    for (fmu, problems) in fmus.iter().zip(python::validate_all(&fmus)) {
        assert_eq!(problems, Vec::<String>::new(), "{}", fmu.display());
    }
}

#[test]
fn fmpy_finds_no_problem_in_any_model_of_the_examples() {
    let world = world();
    let mut fmus = Vec::new();
    for entry in fs::read_dir(fmus::example("")).unwrap() {
        let folder = entry.unwrap().path();
        for file in fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()) {
            let ending = file.extension().and_then(|ending| ending.to_str());
            if !matches!(ending, Some("eq" | "sbml")) {
                continue;
            }
            for fmi in ["2", "3"] {
                let out = format!("{}-{fmi}.fmu", fmus.len());
                world.done(&["export", "fmu", file.to_str().unwrap(), &out, "--fmi", fmi]);
                fmus.push(world.path(&out));
            }
        }
    }
    assert!(8 <= fmus.len(), "{fmus:?}");
    for (fmu, problems) in fmus.iter().zip(python::validate_all(&fmus)) {
        assert_eq!(problems, Vec::<String>::new(), "{}", fmu.display());
    }
}

#[test]
fn inputs_from_a_table_do_what_they_do_in_consort() {
    let world = world();
    world.write("in.csv", "time,wind\n0,2.5\n10,2.5\n");
    let table = world.path("in.csv");
    let run = ["run", "ball.eq", "--input", "in.csv", "--csv", "--out", "r", "--tolerance", "1e-9"];
    world.done(&run);
    let record = Record::parse(&world.read("r/trace.csv"));
    for fmi in ["2", "3"] {
        let fmu = export(&world, &BALL_CASE, fmi);
        let table = table.to_str();
        let tasks = ["ModelExchange", "CoSimulation"].map(|it| simulate(it, table));
        for simulated in python::exported(&fmu, &tasks) {
            compare(&record, &simulated, &BALL_CASE, "h", 1e-6);
            compare(&record, &simulated, &BALL_CASE, "bounces", 0.0);
        }
    }
}

#[test]
fn saved_states_continue_bit_for_bit_also_as_bytes_in_a_fresh_instance() {
    for case in [BALL_CASE, LATE_CASE, NETWORK_CASE, OSCILLATOR_CASE] {
        let world = world();
        for fmi in ["2", "3"] {
            let fmu = export(&world, &case, fmi);
            let tasks = ["ModelExchange", "CoSimulation"]
                .map(|it| json!({"states": it, "steps": 200, "step": 0.01}));
            for answer in python::exported(&fmu, &tasks) {
                assert_eq!(answer["first"].as_array().unwrap().len(), 100);
                assert_eq!(answer["first"], answer["restored"], "{} {fmi}", case.model);
                assert_eq!(answer["first"], answer["fresh"], "{} {fmi}", case.model);
            }
        }
    }
}

#[test]
fn the_sources_that_others_compile_compute_the_same_bits() {
    let world = world();
    for fmi in ["2", "3"] {
        let fmu = export(&world, &BALL_CASE, fmi);
        let built = world.path(&format!("built{fmi}.fmu"));
        python::exported(&fmu, &[json!({"compile": built})]);
        assert_eq!(python::validate(&built), Vec::<String>::new());
        let tasks = ["ModelExchange", "CoSimulation"].map(|it| simulate(it, None));
        assert_eq!(python::exported(&fmu, &tasks), python::exported(&built, &tasks));
    }
}

#[test]
fn the_model_and_its_fmu_are_the_same_to_the_bit_under_one_solver() {
    let world = world();
    for (case, solver, fmi) in [
        (BALL_CASE, "bdf", "2"),
        (BALL_CASE, "dopri5", "3"),
        (BALL_CASE, "rk4", "2"),
        (LATE_CASE, "bdf", "3"),
        (LATE_CASE, "adams", "2"),
        (STIFF_CASE, "bdf", "2"),
        (NETWORK_CASE, "bdf", "3"),
        (NETWORK_CASE, "bs32", "2"),
    ] {
        let fmu = format!("{}.fmu", case.component);
        world.done(&["export", "fmu", case.model, &fmu, "--fmi", fmi, "--force"]);
        let [equations, fmu] = [case.model, &fmu].map(|model| {
            let run = ["run", model, "--solver", solver, "--csv", "--out", "run"];
            world.done(&[&run[..], &["--stop", "2", "--step", "0.01"]].concat());
            Record::parse(&world.read("run/trace.csv"))
        });
        for output in case.outputs {
            let name = format!("{}.{output}", case.component);
            let is_same = equations.column(&name) == fmu.column(&name);
            assert!(is_same, "{name} by {solver} in FMI {fmi}");
        }
    }
}

#[test]
fn what_is_known_about_the_model_is_known_about_its_fmu() {
    let world = world();
    let inspect = |subject: &str| -> Value {
        serde_json::from_str(&world.done(&["inspect", subject, "--format", "json"]).stdout).unwrap()
    };
    for model in ["ball.eq", "late.eq", "network.sbml"] {
        let ours = inspect(model);
        for fmi in ["2", "3"] {
            world.done(&["export", "fmu", model, "made.fmu", "--fmi", fmi, "--force"]);
            let theirs = inspect("made.fmu");
            let named = |described: &Value| -> Vec<Value> {
                let hidden = |name: &str| name == "time" || name.starts_with("indicator(");
                let list = described["variables"].as_array().unwrap().iter();
                list.filter(|it| !hidden(it["name"].as_str().unwrap())).cloned().collect()
            };
            assert_eq!(named(&ours), named(&theirs), "{model} {fmi}");
            assert_eq!(feedthrough(&ours), feedthrough(&theirs), "{model} {fmi}");
            assert_eq!(units(&ours), units(&theirs), "{model} {fmi}");
        }
    }
}

/// Outputs and the inputs each follows at once.
fn feedthrough(described: &Value) -> Vec<(String, Vec<String>)> {
    let is_input = |name: &Value| {
        let variables = described["variables"].as_array().unwrap();
        variables.iter().any(|it| it["name"] == *name && it["causality"] == "input")
    };
    let outputs = described["structure"]["outputs"].as_array().unwrap().iter();
    let of = |it: &Value| {
        let on = it["depends_on"].as_array().unwrap().iter().map(|on| &on["variable"]);
        let inputs = on.filter(|name| is_input(name)).map(ToString::to_string);
        (it["variable"].to_string(), inputs.collect())
    };
    outputs.map(of).collect()
}

fn units(described: &Value) -> Vec<String> {
    let mut units: Vec<String> =
        described["units"].as_array().unwrap().iter().map(ToString::to_string).collect();
    units.sort();
    units
}

#[test]
fn the_same_model_gives_the_same_bytes() {
    let bytes = |fmi: &str| {
        let world = World::with_clean_cache();
        world.write("ball.eq", BALL);
        world.done(&["export", "fmu", "ball.eq", "--fmi", fmi]);
        fs::read(world.path("ball.fmu")).unwrap()
    };
    for fmi in ["2", "3"] {
        assert!(bytes(fmi) == bytes(fmi), "FMI {fmi}: the bytes differ");
    }
    assert!(bytes("2") != bytes("3"));
}

#[test]
fn values_and_times_given_go_into_the_fmu() {
    let world = world();
    let line = "export fmu ball.eq set.fmu --set e=0.5 --set h=2 --name low --stop 1/4 --no-binary";
    world.done(&line.split(' ').collect::<Vec<_>>());
    let described: Value =
        serde_json::from_str(&world.done(&["inspect", "set.fmu", "--format", "json"]).stdout)
            .unwrap();
    let start = |name: &str| {
        let variables = described["variables"].as_array().unwrap();
        variables.iter().find(|it| it["name"] == name).unwrap()["start"].clone()
    };
    assert_eq!((start("e"), start("h")), (json!([0.5]), json!([2.0])));
    assert_eq!(described["name"], "low");
    // Compiled from its sources when it is run.
    let said = world.done(&["run", "set.fmu", "--csv", "--out", "r"]);
    assert_eq!(Record::parse(&world.read("r/trace.csv")).times().last(), Some(&0.25), "{said}");
}

#[test]
fn nothing_is_written_where_something_is_wrong() {
    let world = world();
    world.write("bad.eq", "model bad\n  output y = nothing\nend\n");
    world.write("there.fmu", "mine");
    for (line, code, expected) in [
        ("export fmu bad.eq", 1, "nothing was written"),
        ("export fmu ball.eq out.zip", 2, "`out.zip` does not have the ending of an FMU"),
        ("export fmu ball.eq there.fmu", 2, "`there.fmu` exists already"),
        ("export fmu ball.eq --set energy=1", 2, "`energy` is computed from others"),
        ("export fmu ball.eq --set twice=1", 2, "`twice` is computed from others"),
        ("export fmu ball.eq --set ee=1", 2, "did you mean `e`?"),
        ("export fmu ball.eq --set e", 2, "`e` gives no variable a value"),
        ("export fmu ball.eq --stop soon", 2, "not a number of seconds"),
        ("export fmu ball.eq --start 2 --stop 1", 2, "the end is not after the start"),
        ("export fmu ball.eq --step 0", 2, "no step is taken"),
        ("export fmu ball.eq --tolerance 1", 2, "not between 0 and 1"),
        ("export fmu native:unit-delay", 1, "`native:unit-delay` cannot be written as equations"),
        ("export fmu native:noise", 1, "its values are drawn step by step from a seed"),
        ("export fmu native:gain --set kk=1", 2, "did you mean `k`?"),
        ("export fmu there.fmu", 1, "has no equations that could be read"),
        ("export fmu balll.eq", 2, "did you mean `ball.eq`?"),
    ] {
        let before = world.contents();
        let said = world.consort(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(said.code, Some(code), "{line}: {said}");
        assert!(said.stderr.contains(expected), "{line}: {said}");
        assert_eq!(world.contents(), before, "{line}");
    }
    assert_eq!(world.read("there.fmu"), "mine");
}

#[test]
fn without_a_compiler_the_sources_can_still_be_written() {
    let world = World::with_clean_cache();
    world.write("ball.eq", BALL);
    let run = |options: &[&str]| {
        let line = [&["export", "fmu", "ball.eq", "--cache-dir", "cache"], options].concat();
        world.command(&line).env("PATH", "").output().unwrap()
    };
    let output = run(&[]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("there is no C compiler") && said.contains("--no-binary"), "{said}");
    assert!(!world.path("ball.fmu").exists());
    assert_eq!(run(&["--no-binary"]).status.code(), Some(0));
    assert_eq!(python::validate(&world.path("ball.fmu")), Vec::<String>::new());
}

#[test]
fn an_exported_fmu_runs_the_same_with_any_number_of_workers() {
    let world = world();
    world.done(&["export", "fmu", "ball.eq", "--fmi", "3"]);
    for options in [&[][..], &["--solver", "bdf"]] {
        let repeat = ["repeat", "ball.fmu", "--runs", "6", "--workers", "1,2,8", "--no-load"];
        world.done(&[&repeat, options].concat());
    }
}

#[test]
fn a_system_that_is_called_fmu_can_still_be_exported() {
    let world = world();
    world.write(
        "fmu/system.toml",
        "[experiment]\nstop = 1\nstep = 0.1\n[components.s]\nmodel = \"native:sine\"\n",
    );
    world.done(&["export", "./fmu", "out.toml"]);
    assert!(world.path("out.toml").is_file());
}
