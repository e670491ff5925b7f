//! `--record PATTERN`: what is recorded on request, of every kind of model, in every kind of run.

use crate::record::Record;
use crate::world::{World, copy};
use consort_testkit::fmus::{self, BuildOptions, Fmi, example};
use std::fs;

/// A folder with one model of each kind, and a system.
fn world() -> World {
    let world = World::new();
    for (model, fmi) in [("gain", Fmi::V2), ("oscillator", Fmi::V3), ("exchange-ball", Fmi::V2)] {
        let archive = fmus::build(model, fmi, &BuildOptions::archive());
        fs::copy(archive, world.path(&format!("{model}.fmu"))).unwrap();
    }
    world.write("ball.eq", fs::read(example("bouncing-ball/ball.eq")).unwrap());
    world.write("glycolysis.sbml", fs::read(example("glycolysis/glycolysis.sbml")).unwrap());
    copy(&example("quickstart"), &world.path("quickstart"));
    world
}

/// The recorded columns of the run in the folder `run`, without time.
fn columns(world: &World) -> Vec<String> {
    let text = world.read("run/trace.csv");
    let names = text.lines().next().unwrap().split(',');
    let names = names.map(|name| name.trim_matches('"').to_owned());
    names.filter(|name| name != "time" && name != "microstep").collect()
}

/// Runs `line`; its columns.
fn recorded(world: &World, line: &[&str]) -> Vec<String> {
    world.done(&[&["run"], line, &["--out", "run", "--csv", "--quiet", "--stop", "0.1"]].concat());
    columns(world)
}

#[test]
fn what_matches_is_recorded_besides_the_outputs() {
    let world = world();
    for (line, expected) in [
        (&["gain.fmu"][..], &["gain.y"][..]),
        (&["gain.fmu", "--record", "k"], &["gain.k", "gain.y"]),
        (&["gain.fmu", "--record", "gain.k"], &["gain.k", "gain.y"]),
        (&["gain.fmu", "--record", "*k"], &["gain.k", "gain.y"]),
        (&["gain.fmu", "--record", "*"], &["gain.u", "gain.k", "gain.y"]),
        (&["gain.fmu", "--record", "u", "--record", "k"], &["gain.u", "gain.k", "gain.y"]),
        (&["gain.fmu", "--record", "y"], &["gain.y"]),
        (
            &["exchange-ball.fmu", "--record", "der(*)", "--record", "g*"],
            &[
                "exchange-ball.gravity",
                "exchange-ball.h",
                "exchange-ball.v",
                "exchange-ball.der(h)",
                "exchange-ball.der(v)",
            ],
        ),
        (
            &["ball.eq", "--record", "g"],
            &["ball.g", "ball.h", "ball.v", "ball.bounces", "ball.energy"],
        ),
        (
            &["quickstart", "--record", "tank.area", "--record", "controller.k*"],
            &[
                "inflow.y",
                "controller.kp",
                "controller.ki",
                "controller.kd",
                "controller.u",
                "tank.area",
                "tank.level",
                "tank.outflow",
            ],
        ),
    ] {
        let mut found = recorded(&world, line);
        let mut expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{line:?}");
    }
}

/// Parameters keep their values; locals of Model Exchange are read at every tag.
#[test]
fn what_is_recorded_has_its_values() {
    let world = world();
    recorded(&world, &["gain.fmu", "--record", "k", "--set", "k=3.5", "--step", "0.1"]);
    let record = Record::parse(&world.read("run/trace.csv"));
    assert_eq!(record.column("gain.k"), ["3.5", "3.5"]);
    recorded(&world, &["exchange-ball.fmu", "--record", "der(v)", "--step", "0.1"]);
    let record = Record::parse(&world.read("run/trace.csv"));
    assert_eq!(record.floats("exchange-ball.der(v)"), [-9.81, -9.81]);
}

#[test]
fn the_trace_hash_of_outputs_stays() {
    let world = world();
    let hash = |line: &[&str]| {
        recorded(&world, line);
        world.trace_hash("run")
    };
    for (model, parameter) in [("gain.fmu", "k"), ("quickstart", "tank.area"), ("ball.eq", "g")] {
        assert_eq!(hash(&[model]), hash(&[model, "--record", parameter]), "{model}");
    }
}

#[test]
fn isolated_distributed_resumed_and_replayed_runs_record_the_same() {
    let world = world();
    let line = ["quickstart", "--record", "tank.*", "--record", "*.setpoint"];
    let run = |more: &[&str]| {
        let expected = ["--out", "run", "--csv", "--quiet", "--step", "0.1"];
        world.done(&[&["run"], more, &expected[..]].concat());
        (columns(&world), world.trace_hash("run"))
    };
    let direct = run(&[&line[..], &["--stop", "2"]].concat());
    assert!(direct.0.contains(&"tank.area".to_owned()), "{:?}", direct.0);
    assert!(direct.0.contains(&"controller.setpoint".to_owned()), "{:?}", direct.0);
    assert_eq!(run(&[&line[..], &["--stop", "2", "--isolate"]].concat()), direct);
    assert_eq!(
        run(&[&line[..], &["--stop", "2", "--place", "*=rest,tank=plant"]].concat()),
        direct
    );
    let said = world.done(&["replay", "run"]);
    assert!(said.stdout.contains("identical"), "{said}");
    run(&[&line[..], &["--stop", "1", "--save", "half"]].concat());
    world.done(&["run", "--resume", "half", "--stop", "2", "--out", "run", "--csv", "--quiet"]);
    assert_eq!((columns(&world), world.trace_hash("run")), direct);
    let other = ["run", "--resume", "half", "--record", "inflow.*", "--out", "run"];
    let said = world.consort(&other);
    assert_eq!(said.code, Some(1), "{said}");
    assert!(said.stderr.contains("--record: tank.* *.setpoint, now inflow.*"), "{said}");
}

#[test]
fn a_pattern_that_matches_nothing_is_an_error_with_a_suggestion() {
    let world = world();
    for (line, said) in [
        (&["gain.fmu", "--record", "K"][..], "did you mean `gain.k`?"),
        (&["gain.fmu", "--record", "gain.kk"], "did you mean `gain.k`?"),
        (&["gain.fmu", "--record", "level*"], "there are `gain.u`, `gain.k`, `gain.y`"),
        (&["quickstart", "--record", "tank.lvel"], "did you mean `tank.level`?"),
        (&["quickstart", "--record", "tnk.lev*"], "did you mean `tank.level`?"),
        (&["quickstart", "--record", "tank.temperature"], "there are `tank.inflow`, `tank.valve`,"),
        (&["quickstart", "--record", "level"], "no variable matches `level`"),
        (&["quickstart", "--record", "tank.*", "--record", ""], "no variable matches ``"),
        (&["oscillator.fmu", "--record", "time"], "`time` cannot be recorded"),
    ] {
        let answer = world.consort(&[&["run", "--out", "run"], line].concat());
        assert_eq!(answer.code, Some(2), "{line:?}: {answer}");
        assert!(answer.stderr.contains(said), "{line:?}: {answer}");
        assert!(answer.stderr.contains("--record"), "{line:?}: {answer}");
    }
    assert!(!world.path("run").exists(), "nothing is written");
}

/// `gain` with locals in its description: two that are there, one that the binary refuses to read.
fn with_locals(world: &World, fmi: Fmi) {
    let folder = world.path("locals");
    copy(&fmus::build("gain", fmi, &BuildOptions::binary()), &folder);
    let path = folder.join("modelDescription.xml");
    let text = fs::read_to_string(&path).unwrap();
    let local = |name: &str, reference: u32| match fmi {
        Fmi::V2 => format!(
            "<ScalarVariable name=\"{name}\" valueReference=\"{reference}\" causality=\"local\"><Real/></ScalarVariable>"
        ),
        Fmi::V3 => {
            format!("<Float64 name=\"{name}\" valueReference=\"{reference}\" causality=\"local\"/>")
        }
    };
    let locals = local("a.x", 99) + &local("b.x", 98);
    let text = text.replace("</ModelVariables>", &format!("{locals}</ModelVariables>"));
    fs::write(path, text).unwrap();
}

#[test]
fn a_local_that_the_fmu_refuses_to_read_is_named() {
    for fmi in [Fmi::V2, Fmi::V3] {
        for isolate in [&[][..], &["--isolate"]] {
            let world = World::new();
            with_locals(&world, fmi);
            let line = ["run", "locals", "--out", "run", "--record", "k", "--record", "a.x"];
            let said = world.consort(&[&line[..], isolate].concat());
            assert_eq!(said.code, Some(2), "{fmi:?}: {said}");
            assert!(said.stderr.contains("(a.x)"), "{fmi:?}: {said}");
            world.done(&["run", "locals", "--out", "run", "--record", "k"]);
        }
    }
}

#[test]
fn a_model_without_outputs_records_everything_or_what_is_asked_for() {
    let world = World::new();
    copy(&fmus::build("gain", Fmi::V2, &BuildOptions::binary()), &world.path("mute"));
    let path = world.path("mute/modelDescription.xml");
    let text = fs::read_to_string(&path).unwrap();
    let text = text.replace("causality=\"output\"", "causality=\"local\"");
    let (head, tail) = text.split_once("<Outputs>").unwrap();
    let tail = tail.split_once("</Outputs>").unwrap().1;
    fs::write(&path, format!("{head}{tail}")).unwrap();
    assert_eq!(recorded(&world, &["mute"]), ["mute.u", "mute.k", "mute.y"]);
    assert_eq!(recorded(&world, &["mute", "--record", "y"]), ["mute.y"]);
    assert!(world.path("run/plot.svg").exists(), "what was asked for is drawn");
}
