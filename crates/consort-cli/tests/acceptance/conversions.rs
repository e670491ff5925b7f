//! Connections between types: in steps, events, loops, arrays, distributed and saved runs, and in multi-models.

use crate::record::Record;
use crate::world::World;
use consort_models::native::Blocks;
use consort_system::ConvertingBlock;
use consort_testkit::fmus::{BuildOptions, Fmi};

fn run(world: &World, system: &str, options: &[&str]) -> Record {
    let line = ["run", system, "--out", "run", "--csv", "--quiet"];
    world.done(&[&line, options].concat());
    Record::parse(&world.read("run/trace.csv"))
}

fn wire(from: &str, to: &str, more: &str) -> String {
    format!("[[connections]]\nfrom = \"{from}\"\nto = \"{to}\"\n{more}")
}

#[test]
fn the_blocks_that_messages_name_exist() {
    for block in [ConvertingBlock::Threshold, ConvertingBlock::Round] {
        let is_it = |name: &str| block.name() == format!("native:{name}");
        assert!(Blocks::default().iter().any(|block| is_it(block.name)), "{}", block.name());
    }
}

/// A constant of each type into a gain of 1, and what arrives.
#[test]
fn every_number_arrives_as_a_real() {
    let world = World::new();
    for (value, value_type, expected, said) in [
        ("true", "Boolean", "1.0", ""),
        ("false", "Boolean", "0.0", ""),
        ("-7", "Int8", "-7.0", ""),
        ("4294967295", "UInt32", "4294967295.0", ""),
        ("9007199254740993", "Int64", "9007199254740992.0", "system::rounded"),
        ("18446744073709551615", "UInt64", "1.8446744073709552e19", "system::rounded"),
        ("2.5", "Float32", "2.5", ""),
    ] {
        world.system(&format!(
            "[experiment]\nstop = 1\nstep = 0.5\n\
             [components.c]\nmodel = \"native:constant\"\nparameters = {{ value = {value}, type = \"{value_type}\" }}\n\
             [components.g]\nmodel = \"native:gain\"\n{}",
            wire("c.y", "g.u", "")
        ));
        let stderr = world.done(&["run", "s", "--out", "run", "--csv"]).stderr;
        assert_eq!(stderr.contains("system::"), !said.is_empty(), "{value_type}: {stderr}");
        assert!(stderr.contains(said), "{value_type}: {stderr}");
        let record = Record::parse(&world.read("run/trace.csv"));
        assert_eq!(record.column("g.y"), [expected; 3], "{value_type}");
        // What is recorded is the source's own: exact where the real is not.
        let own = record.column("c.y")[0];
        let written = value.replace("true", "1").replace("false", "0");
        assert_eq!(own, written, "{value_type}");
    }
}

/// A switching Boolean scaled by `factor` and `offset`, as what it is worth in a system without conversion.
const SWITCHED: &str = r#"[experiment]
stop = 2
step = "1/16"
order = "derived"
[components.wave]
model = "native:sine"
[components.high]
model = "native:threshold"
parameters = { threshold = 0.25 }
[components.sum]
model = "native:integrator"
"#;

#[test]
fn a_boolean_is_scaled_like_any_number_in_one_process_and_in_two() {
    let world = World::new();
    let wires =
        wire("wave.y", "high.u", "") + &wire("high.y", "sum.u", "factor = -3\noffset = 1\n");
    world.system(&format!("{SWITCHED}{wires}"));
    let record = run(&world, "s", &[]);
    let mut expected = 0.0;
    for (row, (wave, sum)) in record.floats("wave.y").iter().zip(record.floats("sum.y")).enumerate()
    {
        assert_eq!(sum.to_bits(), f64::to_bits(expected), "row {row}");
        expected += (if 0.25 <= *wave { -2.0 } else { 1.0 }) / 16.0;
    }
    let hash = world.trace_hash("run");
    run(&world, "s", &["--place", "wave=a,high=a,sum=b"]);
    assert_eq!(world.trace_hash("run"), hash);
    run(&world, "s", &["--workers", "3"]);
    assert_eq!(world.trace_hash("run"), hash);
}

/// x = 0.5 [x >= 1] + 1 has the solution 1.5: a loop through a Boolean that counts as a number.
#[test]
fn a_loop_may_go_through_a_boolean() {
    let world = World::new();
    let system = r#"[experiment]
stop = 1
step = 0.5
loops = "iterate"
[components.high]
model = "native:threshold"
parameters = { threshold = 1 }
[components.sum]
model = "native:sum"
parameters = { u1 = 1 }
"#;
    let wires = wire("high.y", "sum.u2", "factor = 0.5\n") + &wire("sum.y", "high.u", "");
    world.system(&format!("{system}{wires}"));
    assert_eq!(run(&world, "s", &[]).column("sum.y"), ["1.5"; 3]);
}

/// Arrays of every kind of FMU: Boolean and enumeration outputs of a real FMU into reals.
#[test]
fn outputs_of_fmus_are_converted_in_initialization_and_steps() {
    for fmi in [Fmi::V2, Fmi::V3] {
        let world = World::new();
        world.archive("feedthrough", fmi, &BuildOptions::archive());
        let component = |name: &str, values: &str| {
            format!(
                "[components.{name}]\nmodel = \"feedthrough.fmu\"\nparameters = {{ {values} }}\n"
            )
        };
        let set = "boolean_in = true, int32_in = -5, choice_in = \"third\"";
        let mut text = "[experiment]\nstop = 1\nstep = 0.5\n".to_owned();
        text += &component("a", set);
        for (name, output) in [("b", "boolean_out"), ("i", "int32_out"), ("e", "choice_out")] {
            text += &component(name, "");
            text += &wire(&format!("a.{output}"), &format!("{name}.float64_in"), "");
        }
        world.system(&text);
        let record = run(&world, "s", &[]);
        for (name, expected) in [("b", 1.0), ("i", -5.0), ("e", 3.0)] {
            let found = record.floats(&format!("{name}.float64_out"));
            assert_eq!(found[1..], [expected; 2], "{fmi:?}: {name}");
        }
    }
}

#[test]
fn a_run_with_conversions_is_saved_and_resumed() {
    let world = World::new();
    let wires = wire("wave.y", "high.u", "") + &wire("high.y", "sum.u", "");
    world.system(&format!("{SWITCHED}{wires}"));
    run(&world, "s", &[]);
    let whole = world.trace_hash("run");
    world.done(&["run", "s", "--save-at", "1", "--save", "s.snapshot", "--out", "first"]);
    world.done(&["run", "--resume", "s.snapshot", "--out", "second"]);
    assert_eq!(world.trace_hash("second"), whole);
}

/// What a plan shows is read again.
#[test]
fn a_plan_shows_conversions_and_is_read_with_them() {
    let world = World::new();
    let wires = wire("wave.y", "high.u", "") + &wire("high.y", "sum.u", "factor = 2\n");
    world.system(&format!("{SWITCHED}{wires}"));
    let plan = world.done(&["plan", "s", "--format", "program"]).stdout;
    assert!(plan.contains("high.y -> sum.u as Float64 times 2.0 plus 0.0"), "{plan}");
    assert!(!plan.contains("wave.y -> high.u as"), "{plan}");
    world.write("plan.txt", &plan);
    world.done(&["check", "plan", "s", "plan.txt"]);
    let wrong = plan.replace("as Float64", "as Int32");
    world.write("plan.txt", wrong);
    let said = world.consort(&["check", "plan", "s", "plan.txt"]);
    assert!(said.code != Some(0) && said.stderr.contains("is Float64"), "{said}");
}

/// A wave into an integer and a Boolean input: refused in a system file, which names the blocks;
/// converted with a warning in a multi-model.
#[test]
fn only_multi_models_make_whole_numbers_and_truth_values_of_reals() {
    let world = World::new();
    world.archive("feedthrough", Fmi::V2, &BuildOptions::archive());
    let wires = wire("wave.y", "f.int32_in", "") + &wire("wave.y", "f.boolean_in", "");
    let parts = "[experiment]\nstop = 1\nstep = \"1/8\"\n\
                 [components.wave]\nmodel = \"native:sine\"\nparameters = { amplitude = 2.5 }\n\
                 [components.f]\nmodel = \"feedthrough.fmu\"\n";
    world.system(&format!("{parts}{wires}"));
    let said = world.consort(&["run", "s", "--out", "run"]);
    assert_eq!(said.code, Some(1), "{said}");
    for block in ["native:round", "native:threshold"] {
        assert!(said.stderr.contains(block), "{said}");
    }
    let multimodel = r#"{
      "fmus": { "{w}": "native:sine", "{f}": "feedthrough.fmu" },
      "connections": { "{w}.wave.y": ["{f}.f.int32_in", "{f}.f.boolean_in"] },
      "parameters": { "{w}.wave.amplitude": 2.5 },
      "logVariables": { "{w}.wave": ["y"], "{f}.f": ["int32_out", "boolean_out"] },
      "startTime": 0, "endTime": 1, "algorithm": { "type": "fixed-step", "size": 0.125 } }"#;
    world.write("s/mm.json", multimodel);
    let said = world.done(&["run", "s/mm.json", "--out", "run", "--csv"]);
    assert!(said.stderr.matches("system::converted").count() == 2, "{said}");
    let record = Record::parse(&world.read("run/trace.csv"));
    let waves = record.floats("wave.y");
    assert_eq!(record.times().len(), 9);
    for row in 1..9 {
        // A step of an FMU has the input of its start.
        let wave = waves[row - 1];
        let (whole, flag) = (wave.round() as i32, 0.0 < wave.abs());
        assert_eq!(record.column("f.int32_out")[row], whole.to_string(), "row {row}: {wave}");
        let shown = u8::from(flag).to_string();
        assert_eq!(record.column("f.boolean_out")[row], shown, "row {row}: {wave}");
    }
}
