//! The same bits for any number of workers, under load, and again.

use crate::record::Record;
use crate::world::World;
use consort_testkit::fmus::{self, BuildOptions, Fmi};

const WORKERS: [&str; 3] = ["1", "2", "8"];

fn folder(model: &str, fmi: Fmi) -> String {
    format!("{:?}", fmus::build(model, fmi, &BuildOptions::binary()))
}

/// Springs of both versions that push each other, with blocks between them: six binaries, two of
/// which take their time in each step, so that workers meet.
fn springs() -> World {
    let mut text = String::from(
        "[experiment]\nstop = 2\nstep = 0.1\n\
         [components.push]\nmodel = \"native:sine\"\nparameters = { frequency = 0.3 }\n\
         [components.noise]\nmodel = \"native:noise\"\n\
         [components.sum]\nmodel = \"native:sum\"\nparameters = { signs = \"++-\" }\n\
         [components.wait]\nmodel = \"native:unit-delay\"\n",
    );
    let parts = [
        ("left", "oscillator", Fmi::V2),
        ("right", "oscillator", Fmi::V3),
        ("total", "integrator", Fmi::V2),
        ("amplifier", "gain", Fmi::V3),
        ("slow", "misbehave", Fmi::V2),
        ("late", "misbehave", Fmi::V3),
    ];
    for (name, model, fmi) in parts {
        text += &format!("[components.{name}]\nmodel = {}\n", folder(model, fmi));
        if model == "misbehave" {
            text += "parameters = { behavior = 10, amount = 2 }\n";
        }
    }
    let wires = [
        ("push.y", "sum.u1"),
        ("noise.y", "sum.u2"),
        ("right.x", "sum.u3"),
        ("sum.y", "left.force"),
        ("left.x", "amplifier.u"),
        ("amplifier.y", "right.force"),
        ("left.v", "total.u"),
        ("total.y", "wait.u"),
        ("wait.y", "slow.u"),
        ("slow.y", "late.u"),
    ];
    for (from, to) in wires {
        text += &format!("[[connections]]\nfrom = \"{from}\"\nto = \"{to}\"\n");
    }
    let world = World::new();
    world.system(&text);
    world
}

/// Runs with each number of workers; the hash they share.
fn one_hash(world: &World) -> String {
    for workers in WORKERS {
        world.done(&["run", "s", "--csv", "--workers", workers, "--out", workers]);
    }
    let hashes = WORKERS.map(|workers| world.trace_hash(workers));
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
    assert_eq!(world.read("1/trace.csv"), world.read("8/trace.csv"));
    hashes[0].clone()
}

#[test]
fn workers_that_meet_do_not_change_a_bit() {
    let world = springs();
    one_hash(&world);
    for workers in ["2", "8"] {
        let events = world.events(workers, "workers");
        let busy = events[0]["busy_max"].as_u64().unwrap();
        assert!(2 <= busy, "{busy} of {workers} workers were busy at once");
    }
    assert_eq!(world.events("1", "workers")[0]["busy_max"], 1);
    let said = world.done(&["replay", "8", "--workers", "2"]);
    assert!(said.stdout.contains("identical"), "{said}");
}

#[test]
fn twenty_runs_under_load_are_identical() {
    let world = springs();
    world.done(&["run", "s", "--out", "once"]);
    let before = world.contents();
    let said = world.done(&["repeat", "s", "--runs", "20"]);
    assert!(said.stdout.contains("identical"), "{said}");
    assert!(said.stdout.contains(&world.trace_hash("once")), "{said}");
    assert_eq!(world.contents(), before, "nothing is written");
}

#[test]
fn another_seed_is_another_trace() {
    let world = springs();
    world.done(&["run", "s", "--out", "a", "--seed", "1"]);
    world.done(&["run", "s", "--out", "b", "--seed", "2"]);
    assert_ne!(world.trace_hash("a"), world.trace_hash("b"));
    let said = world.consort(&["diff", "a", "b"]);
    assert_eq!(said.code, Some(1), "{said}");
    assert!(said.stdout.contains("noise.y"), "the first difference is named: {said}");
}

/// Components that show in their values whether subnormal numbers are flushed to zero.
fn subnormal(world: &World, fast_math: &[(&str, String)]) {
    let keeper = folder("gain", Fmi::V3);
    let mut text = format!(
        "[experiment]\nstop = 1\nstep = 0.1\n\
         [components.tiny]\nmodel = \"native:constant\"\nparameters = {{ value = 3e-308 }}\n\
         [components.half]\nmodel = \"native:gain\"\nparameters = {{ k = 0.25 }}\n\
         [components.back]\nmodel = \"native:gain\"\nparameters = {{ k = 1e300 }}\n\
         [components.keeper]\nmodel = {keeper}\nparameters = {{ k = 0.25 }}\n\
         [[connections]]\nfrom = \"tiny.y\"\nto = \"keeper.u\"\n\
         [[connections]]\nfrom = \"tiny.y\"\nto = \"half.u\"\n\
         [[connections]]\nfrom = \"half.y\"\nto = \"back.u\"\n"
    );
    for (name, model) in fast_math {
        text += &format!("[components.{name}]\nmodel = {model}\n");
    }
    world.system(&text);
}

#[test]
fn fast_math_stays_where_it_is() {
    let (alone, beside) = (World::new(), World::new());
    subnormal(&alone, &[]);
    let source = fmus::source_fmu_folder("fastmath", Fmi::V3);
    let parts = [("built", format!("{source:?}")), ("linked", folder("fastmath", Fmi::V2))];
    subnormal(&beside, &parts);
    one_hash(&alone);
    one_hash(&beside);
    let columns = ["half.y", "back.y", "keeper.y"];
    let alone = Record::parse(&alone.read("1/trace.csv"));
    for workers in WORKERS {
        let record = Record::parse(&beside.read(&format!("{workers}/trace.csv")));
        for column in columns {
            assert_eq!(record.column(column), alone.column(column), "{column}, {workers} workers");
        }
    }
    for column in ["half.y", "keeper.y"] {
        let value = alone.floats(column)[5];
        assert!(value.is_subnormal());
        assert_eq!(value.to_bits(), (3e-308_f64 * 0.25).to_bits());
    }
}

#[test]
fn static_data_is_met_in_one_order() {
    for fmi in [Fmi::V2, Fmi::V3] {
        let mut text = String::from("[experiment]\nstop = 1\nstep = 0.01\n");
        let model = folder("counter-static", fmi);
        for name in ["a", "b", "c", "d"] {
            text += &format!("[components.{name}]\nmodel = {model}\n");
        }
        for (from, to) in [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")] {
            text += &format!("[[connections]]\nfrom = \"{from}.y\"\nto = \"{to}.u\"\n");
        }
        let world = World::new();
        world.system(&text);
        one_hash(&world);
        let record = Record::parse(&world.read("8/trace.csv"));
        assert_eq!(record.column("a.calls")[1..4], ["1", "5", "9"], "in the order of their ids");
        assert_eq!(record.column("d.calls")[1..4], ["4", "8", "12"]);
        world.done(&["repeat", "s", "--runs", "6"]);
    }
}
