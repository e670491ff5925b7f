//! FMUs for Model Exchange that are integrated as one, against closed forms and against the same apart.

use crate::record::Record;
use crate::world::World;
use consort_testkit::fmus::{BuildOptions, Fmi, build, example};
use std::fs;

/// Two masses of 1 kg, each on a spring of 1 N/m, with one of 4 N/m between them. The left one starts 1 m off:
/// the sum of both positions swings with 1 rad/s, their difference with 3 rad/s.
fn exact(t: f64) -> [f64; 2] {
    let (sum, difference) = (t.cos(), (3.0 * t).cos());
    [(sum + difference) / 2.0, (sum - difference) / 2.0]
}

/// The left mass of one version of FMI, the right one of another.
fn masses(left: Fmi, right: Fmi) -> World {
    let world = World::new();
    for (name, fmi) in [("left", left), ("right", right)] {
        let archive = build("exchange-mass", fmi, &BuildOptions::archive());
        fs::create_dir_all(world.path("s")).unwrap();
        fs::copy(archive, world.path(&format!("s/{name}.fmu"))).unwrap();
    }
    world.system(
        "[experiment]
stop = 8
step = 4
tolerance = 1e-9

[components.left]
model = \"left.fmu\"
parameters = { x0 = 1 }

[components.right]
model = \"right.fmu\"
parameters = { coupling = 4 }

[[connections]]
from = \"left.x\"
to = \"right.other\"

[[connections]]
from = \"right.pull\"
to = \"left.f\"
",
    );
    world
}

/// The greatest difference from the exact positions.
fn error(world: &World, options: &[&str]) -> f64 {
    let line = ["run", "s", "--out", "run", "--csv", "--quiet"];
    world.done(&[&line, options].concat());
    let record = Record::parse(&world.read("run/trace.csv"));
    let (left, right) = (record.floats("left.x"), record.floats("right.x"));
    let mut greatest: f64 = 0.0;
    for (row, time) in record.times().into_iter().enumerate() {
        let [a, b] = exact(time);
        greatest = greatest.max((left[row] - a).abs()).max((right[row] - b).abs());
    }
    greatest
}

#[test]
fn two_halves_are_as_good_as_the_whole_at_any_communication_step() {
    let versions = [(Fmi::V2, Fmi::V2), (Fmi::V3, Fmi::V3), (Fmi::V2, Fmi::V3)];
    for (left, right) in versions {
        let world = masses(left, right);
        for step in ["8", "4", "0.5"] {
            for solver in ["auto", "bdf", "dop853"] {
                let found = error(&world, &["--step", step, "--solver", solver]);
                assert!(found < 1e-5, "{left:?} {right:?} {step} {solver}: {found}");
            }
        }
    }
}

#[test]
fn apart_they_are_of_first_order_in_the_communication_step() {
    let world = masses(Fmi::V2, Fmi::V3);
    let apart = |step: &str| error(&world, &["--continuous", "apart", "--step", step]);
    let (coarse, fine) = (apart("0.004"), apart("0.002"));
    let order = (coarse / fine).log2();
    assert!((order - 1.0).abs() < 0.2, "{coarse}, {fine}: {order}");
    assert!(1e-3 < fine, "{fine}");
    assert_eq!(world.manifest("run")["experiment"]["continuous"], "apart");
    assert_eq!(world.manifest("run")["options"]["continuous"], "apart");
    world.done(&["replay", "run", "--quiet"]);
}

#[test]
fn workers_cannot_be_seen_and_runs_replay() {
    let world = masses(Fmi::V3, Fmi::V2);
    let mut hashes = Vec::new();
    for workers in ["1", "2", "8"] {
        let line =
            ["run", "s", "--out", workers, "--quiet", "--step", "0.25", "--workers", workers];
        world.done(&line);
        hashes.push(world.trace_hash(workers));
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
    world.done(&["replay", "8", "--quiet"]);
}

#[test]
fn the_plan_says_who_belongs_together_and_the_judge_reads_it_back() {
    let world = masses(Fmi::V2, Fmi::V3);
    let page = world.done(&["plan", "s"]).stdout;
    assert!(page.contains("then step        left, right (as one)"), "{page}");
    assert!(page.contains("left, right by auto, over 2 continuous connections"), "{page}");
    let program = world.done(&["plan", "s", "--format", "program"]).stdout;
    world.write("plan.txt", &program);
    world.done(&["check", "plan", "s", "plan.txt"]);
    let spoiled = program.replace("      right: set other; get pull\n", "");
    assert_ne!(spoiled, program);
    world.write("spoiled.txt", spoiled);
    let said = world.consort(&["check", "plan", "s", "spoiled.txt"]);
    assert_eq!(said.code, Some(1), "{said}");
    let apart = world.done(&["plan", "s", "--continuous", "apart"]).stdout;
    assert!(apart.contains("right.pull -> left.f, whose value holds over a step"), "{apart}");
}

/// A Co-Simulation FMU follows a mass, a native block pushes it; only the two masses are one.
#[test]
fn what_is_integrated_together_stands_beside_others() {
    let world = masses(Fmi::V2, Fmi::V3);
    world.archive("gain", Fmi::V2, &BuildOptions::archive());
    let text = world.read("s/system.toml").replace("step = 4", "step = 0.5");
    world.system(&format!(
        "{text}
[components.push]
model = \"native:constant\"
parameters = {{ value = 0.5 }}

[components.follow]
model = \"gain.fmu\"
parameters = {{ k = 2 }}

[[connections]]
from = \"push.y\"
to = \"right.f\"

[[connections]]
from = \"right.x\"
to = \"follow.u\"
"
    ));
    let program = world.done(&["plan", "s", "--format", "program"]).stdout;
    assert!(program.contains("  integrate left, right\n"), "{program}");
    world.done(&["run", "s", "--out", "run", "--csv", "--quiet"]);
    let record = Record::parse(&world.read("run/trace.csv"));
    let (right, follow) = (record.floats("right.x"), record.floats("follow.y"));
    // A constant force on the right one: its sum rests at f, its difference at f / 9.
    let force = 0.5;
    for (row, t) in record.times().into_iter().enumerate() {
        let sum = force + (1.0 - force) * t.cos();
        let difference = -force / 9.0 + (1.0 + force / 9.0) * (3.0 * t).cos();
        let exact = (sum - difference) / 2.0;
        assert!((right[row] - exact).abs() < 1e-5, "{t}: {} is not {exact}", right[row]);
        if 0 < row {
            assert!((follow[row] - 2.0 * right[row - 1]).abs() < 1e-12, "{t}");
        }
    }
}

/// What pushes a mass has events between communication points: the mass feels them when they happen.
#[test]
fn events_of_one_fmu_reach_the_other_between_communication_points() {
    for (source, mass) in [(Fmi::V2, Fmi::V3), (Fmi::V3, Fmi::V2)] {
        let world = World::new();
        world.archive("exchange-ball", source, &BuildOptions::archive());
        world.archive("exchange-stair", source, &BuildOptions::archive());
        world.archive("exchange-mass", mass, &BuildOptions::archive());
        let push = |output: &str| {
            let (model, _) = output.split_once('.').unwrap();
            world.system(&format!(
                "[experiment]
stop = 3
step = 1.5
tolerance = 1e-9

[components.{model}]
model = \"exchange-{model}.fmu\"

[components.mass]
model = \"exchange-mass.fmu\"
parameters = {{ k = 0 }}

[[connections]]
from = \"{output}\"
to = \"mass.f\"
"
            ));
            world.done(&["run", "s", "--out", "run", "--csv", "--quiet"]);
            Record::parse(&world.read("run/trace.csv"))
        };
        // The integral of a ball's velocity is its height, whatever jumps at a bounce.
        let record = push("ball.v");
        for (v, h) in record.floats("mass.v").into_iter().zip(record.floats("ball.h")) {
            assert!((v - (h - 1.0)).abs() < 1e-6, "{v} is not {h} - 1");
        }
        // Level by level: 1, 3, 6; what it pushes has the velocity 1/2, 1/2 + 2, 5/2 + 9/2.
        let record = push("stair.level");
        let v = *record.floats("mass.v").last().unwrap();
        assert!((v - 7.0).abs() < 1e-6, "{v}");
    }
}

/// The example against its closed form, and how it fails apart.
#[test]
fn the_example_is_exact_as_one_and_gains_energy_apart() {
    let world = World::new();
    let run = |file: &str, options: &[&str]| {
        let path = example(&format!("coupled-exchange/{file}.toml")).display().to_string();
        let line = ["run", &path, "--out", "run", "--csv", "--quiet"];
        world.done(&[&line, options].concat());
        let record = Record::parse(&world.read("run/trace.csv"));
        let mut greatest: f64 = 0.0;
        for (left, time) in record.floats("left.x").into_iter().zip(record.times()) {
            let exact = 1.0 / 3.0 + 2.0 / 3.0 * (150.0_f64.sqrt() * time).cos();
            greatest = greatest.max((left - exact).abs());
        }
        println!("coupled-exchange {file} {options:?}: {greatest:e} m");
        greatest
    };
    assert!(run("system", &[]) < 1e-5);
    assert!(run("system", &["--step", "5"]) < 1e-5);
    assert!(1.0 < run("apart", &[]));
    let short = |step| run("apart", &["--stop", "0.5", "--step", step]);
    let (coarse, fine) = (short("5e-4"), short("2.5e-4"));
    assert!(((coarse / fine).log2() - 1.0).abs() < 0.2, "{coarse} {fine}");
}
