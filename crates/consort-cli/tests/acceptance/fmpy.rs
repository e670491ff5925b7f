//! FMPy, driven with Consort's call log, gives the same values to the last bit.

use crate::oracle::{self, Part};
use crate::world::World;
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use std::fs;
use std::path::PathBuf;

/// Two rates that share no whole number of nanoseconds, and a start before zero.
const EXPERIMENT: &str = r#"
[experiment]
start = -0.35
stop = 1.25
step = 0.01
record = "all"

[components.source]
model = "native:sine"
parameters = { amplitude = 2.3, frequency = 0.7, phase = 0.4, offset = 0.1 }
"#;

struct Case<'a> {
    model: &'a str,
    fmi: Fmi,
    parameters: &'a str,
    connections: &'a [(&'a str, &'a str)],
    part: Part<'a>,
}

const PART: Part<'static> = Part::NOTHING;

fn component(name: &str, folder: &PathBuf, step: &str, parameters: &str) -> String {
    format!(
        "[components.{name}]\nmodel = {folder:?}\nstep = {step}\nparameters = {{ {parameters} }}\n"
    )
}

/// The model twice, at a hundredth and a thirtieth of a second, each against FMPy.
fn check(case: &Case<'_>) {
    let folder = fmus::build(case.model, case.fmi, &BuildOptions::binary());
    let mut text = EXPERIMENT.to_owned();
    for (name, step) in [("fast", "0.01"), ("slow", "\"1/30\"")] {
        text += &component(name, &folder, step, case.parameters);
        for (from, to) in case.connections {
            text += &format!("[[connections]]\nfrom = \"{from}\"\nto = \"{name}.{to}\"\n");
        }
    }
    let world = World::new();
    world.system(&text);
    let record = oracle::run(&world, &[]);
    for (name, least) in [("fast", 160), ("slow", 48)] {
        let part = Part { component: name, ..case.part };
        let compared = oracle::compare(&world, &record, &folder, &part);
        assert!(least <= compared, "{} {:?} {name}: {compared} steps", case.model, case.fmi);
    }
}

const BOTH: [Fmi; 2] = [Fmi::V2, Fmi::V3];

#[test]
fn gain_is_the_same_to_the_bit() {
    for fmi in BOTH {
        let part = Part { parameters: &["k"], inputs: &["u"], outputs: &["y"], ..PART };
        let connections = &[("source.y", "u")];
        check(&Case { model: "gain", fmi, parameters: "k = 0.1", connections, part });
    }
}

#[test]
fn integrator_is_the_same_to_the_bit() {
    for fmi in BOTH {
        let part = Part { parameters: &["x0"], inputs: &["u"], outputs: &["y"], ..PART };
        let connections = &[("source.y", "u")];
        check(&Case { model: "integrator", fmi, parameters: "x0 = -0.7", connections, part });
    }
}

#[test]
fn oscillator_is_the_same_to_the_bit() {
    for fmi in BOTH {
        let part = Part {
            parameters: &["mass", "damping", "x0", "v0"],
            inputs: &["force"],
            outputs: &["x", "v", "a"],
            ..PART
        };
        let parameters = "mass = 0.3, damping = 0.07, x0 = 0.2, v0 = -1";
        let connections = &[("source.y", "force")];
        check(&Case { model: "oscillator", fmi, parameters, connections, part });
    }
}

#[test]
fn feedthrough_of_fmi_2_is_the_same_to_the_bit() {
    let part = Part {
        inputs: &["float64_in", "int32_in", "boolean_in", "choice_in", "string_in"],
        outputs: &["float64_out", "int32_out", "boolean_out", "choice_out", "string_out"],
        ..PART
    };
    let parameters = "int32_in = -2147483648, boolean_in = true, choice_in = \"third\", \
                      string_in = \"grün, 100% \\\\n\"";
    let connections = &[("source.y", "float64_in")];
    check(&Case { model: "feedthrough", fmi: Fmi::V2, parameters, connections, part });
}

#[test]
fn feedthrough_of_fmi_3_is_the_same_to_the_bit() {
    let part = Part {
        inputs: &[
            "float64_in",
            "float32_in",
            "int8_in",
            "uint8_in",
            "int16_in",
            "uint16_in",
            "int32_in",
            "uint32_in",
            "int64_in",
            "uint64_in",
            "boolean_in",
            "choice_in",
            "string_in",
            "binary_in",
            "matrix_in",
            "names_in",
        ],
        outputs: &[
            "float64_out",
            "float32_out",
            "int8_out",
            "uint8_out",
            "int16_out",
            "uint16_out",
            "int32_out",
            "uint32_out",
            "int64_out",
            "uint64_out",
            "boolean_out",
            "choice_out",
            "string_out",
            "binary_out",
            "matrix_out",
            "names_out",
        ],
        ..PART
    };
    let parameters = "float32_in = 0.1, int8_in = -128, uint8_in = 255, int16_in = -32768, \
                      uint16_in = 65535, int32_in = -2147483648, uint32_in = 4294967295, \
                      int64_in = -9223372036854775808, uint64_in = 18446744073709551615, \
                      boolean_in = true, choice_in = \"second\", string_in = \"naïve, \\u2603\", \
                      binary_in = \"00ff7e\", matrix_in = [[1, 2, 3], [4, 5, 6]], \
                      names_in = [\"a b\", \"c\"]";
    let connections = &[("source.y", "float64_in"), ("source.y", "matrix_in[2,1]")];
    check(&Case { model: "feedthrough", fmi: Fmi::V3, parameters, connections, part });
}

#[test]
fn statespace_with_other_sizes_is_the_same_to_the_bit() {
    let part = Part {
        structural: &["m", "n", "r"],
        parameters: &["A", "B", "C", "D", "x0"],
        inputs: &["u"],
        outputs: &["y", "x"],
        ..PART
    };
    let parameters = "m = 1, n = 2, r = 1, A = [[0, 1], [-4, -0.3]], B = [[0], [1.1]], \
                      C = [[1, 0.1]], D = [[0.01]], x0 = [0.1, 0.2]";
    let connections = &[("source.y", "u[1]")];
    check(&Case { model: "statespace", fmi: Fmi::V3, parameters, connections, part });
}

const BALL: Part<'static> =
    Part { parameters: &["h0", "v0", "restitution"], outputs: &["h", "v"], ..PART };

#[test]
fn bouncing_ball_is_the_same_to_the_bit() {
    for fmi in BOTH {
        let parameters = "h0 = 0.3, v0 = 0.2, restitution = 0.8";
        let part = Part { events: fmi == Fmi::V3, ..BALL };
        check(&Case { model: "bouncing-ball", fmi, parameters, connections: &[], part });
    }
}

#[test]
fn stair_is_the_same_to_the_bit() {
    for fmi in BOTH {
        let part =
            Part { parameters: &["period"], outputs: &["count"], events: fmi == Fmi::V3, ..PART };
        let parameters = "period = 0.3";
        check(&Case { model: "stair", fmi, parameters, connections: &[], part });
    }
}

/// Inputs from a table, which is interpolated between its rows, beside a parameter set by hand.
#[test]
fn an_fmu_fed_from_a_table_is_the_same_to_the_bit() {
    for fmi in BOTH {
        let folder = fmus::build("integrator", fmi, &BuildOptions::binary());
        let world = World::new();
        let head = "[experiment]\nstart = -0.2\nstop = 1\nstep = \"1/30\"\nrecord = \"all\"\n";
        world.system(&(head.to_owned() + &component("fed", &folder, "\"1/30\"", "")));
        world.write("in.csv", "time,fed.u\n-0.5,1\n0.1,-3.7\n0.4,0.1\n2,12\n");
        let record = oracle::run(&world, &["--input", "in.csv", "--set", "fed.x0=0.3"]);
        let part =
            Part { component: "fed", parameters: &["x0"], inputs: &["u"], outputs: &["y"], ..PART };
        assert_eq!(oracle::compare(&world, &record, &folder, &part), 36);
        let mut fed = record.column("fed.u");
        fed.dedup();
        assert_eq!(fed.len(), 37, "each row between two of the table has its own value");
    }
}

/// An example, run as it is; its FMU is built once more for FMPy.
fn check_example(example: &str, part: &Part<'_>) {
    let world = World::new();
    let text = fs::read_to_string(fmus::example(example).join("system.toml")).unwrap();
    let folder = fmus::example(&format!("{example}/{}", part.component));
    let model = format!("model = {:?}", part.component);
    let mut text = text.replace(&model, &format!("model = {folder:?}"));
    if !text.contains("record =") {
        text = text.replace("[experiment]\n", "[experiment]\nrecord = \"all\"\n");
    }
    world.system(&text);
    let record = oracle::run(&world, &[]);
    let built = fmus::build_folder(&folder, &BuildOptions::binary());
    let compared = oracle::compare(&world, &record, &built, part);
    assert_eq!(compared, oracle::steps(&world, part.component).len());
    assert!(100 < compared);
}

#[test]
fn the_tank_is_the_same_to_the_bit() {
    let part = Part {
        component: "tank",
        parameters: &["area", "outlet", "discharge", "initial_level"],
        inputs: &["inflow", "valve"],
        outputs: &["level", "outflow"],
        ..PART
    };
    check_example("quickstart", &part);
}

#[test]
fn the_rod_is_the_same_to_the_bit() {
    let part = Part {
        component: "rod",
        structural: &["n"],
        parameters: &["capacity", "conductance", "loss", "ambient", "initial"],
        inputs: &["heating"],
        outputs: &["temperature", "mean"],
        ..PART
    };
    check_example("arrays", &part);
}
