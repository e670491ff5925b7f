//! What programs read: answers in JSON, exit codes, and comparisons with tables of other tools.

use crate::world::{Said, World};
use serde_json::Value;

const TANK: &str = r#"[experiment]
stop = 1
step = 0.1
[components.ramp]
model = "native:ramp"
[components.gain]
model = "native:gain"
parameters = { k = 2 }
[[connections]]
from = "ramp.y"
to = "gain.u"
"#;

fn recorded() -> World {
    let world = World::new();
    world.system(TANK);
    world.done(&["run", "s", "-q"]);
    world
}

fn json(said: &Said) -> Value {
    serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
}

/// The answer begins with the keys of every answer, and has these.
fn check(world: &World, args: &[&str], exit: i32, keys: &[&str]) -> Value {
    let said = world.consort(args);
    let answer = json(&said);
    assert_eq!(said.code, Some(exit), "{args:?}: {said}");
    assert_eq!(answer["exit"], exit, "{args:?}");
    let found: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(found[..3], ["command", "exit", "diagnostics"], "{args:?}");
    for key in keys {
        assert!(found.contains(key), "{args:?} lacks `{key}`: {found:?}");
    }
    answer
}

#[test]
fn every_command_that_finds_something_answers_in_json() {
    let world = recorded();
    world.write("plan.txt", world.done(&["plan", "s", "--format", "program"]).stdout);
    let run = check(
        &world,
        &["run", "s", "--json", "--out", "out/b"],
        0,
        &[
            "system",
            "state",
            "time",
            "steps",
            "components",
            "trace_hash",
            "plan_hash",
            "folder",
            "files",
        ],
    );
    assert_eq!(run["trace_hash"], world.trace_hash("out/b"));
    assert_eq!((&run["state"], &run["time"]), (&"finished".into(), &1.0.into()));
    let diff = check(&world, &["diff", "out/s", "out/b", "--json"], 0, &["same", "differing"]);
    assert_eq!(diff["same"], true);
    check(&world, &["plan", "s", "--json"], 0, &["system", "plan_hash", "program"]);
    let plan =
        check(&world, &["check", "plan", "s", "plan.txt", "--json"], 0, &["subject", "reason"]);
    assert_eq!(plan["verdict"], "accepted");
    let formula = "always (gain.y < 1)";
    let property = ["check", "property", formula, "out/s", "--json"];
    assert_eq!(check(&world, &property, 1, &["robustness"])["verdict"], "violated");
    let states = ["state-check", "native:gain", "--json"];
    check(&world, &states, 0, &["models", "summary"]);
}

#[test]
fn what_went_wrong_is_answered_in_json_too() {
    let world = recorded();
    world.write("bad/system.toml", TANK.replace("gain.u", "gian.u"));
    let check = |args: &[&str], exit: i32, code: &str| {
        let answer = check(&world, args, exit, &[]);
        let codes: Vec<&str> = answer["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["code"].as_str().unwrap())
            .collect();
        assert!(codes.contains(&code), "{args:?}: {codes:?}");
    };
    check(&["run", "bad", "--json"], 1, "system::unknown-component");
    check(&["plan", "bad", "--json"], 1, "system::unknown-component");
    check(&["run", "s", "--stop", "soon", "--json"], 2, "cli::bad-time");
    check(&["diff", "out/s", "nowhere", "--json"], 2, "cli::read-failed");
    check(
        &["check", "property", "always (gian.y < 3)", "out/s", "--json"],
        2,
        "property::unknown-signal",
    );
}

#[test]
fn a_question_that_cannot_be_asked_is_not_answered_with_no() {
    let world = recorded();
    world.write("bad/system.toml", TANK.replace("gain.u", "gian.u"));
    world.write("plan.txt", "");
    for args in [
        &["check", "property", "always (gian.y < 3)", "out/s"][..],
        &["check", "property", "always (gain.y <", "out/s"],
        &["check", "property", "always (gain.y < 3)", "out/s", "--scale", "gain.y"],
        &["check", "plan", "bad", "plan.txt"],
        &["repeat", "bad", "--runs", "2"],
        &["run", "s", "--set", "gain.kk=3"],
        &["run", "s", "--stop", "soon"],
    ] {
        let said = world.consort(args);
        assert_eq!(said.code, Some(2), "{args:?}: {said}");
    }
}

fn compare(table: &str, options: &[&str], exit: i32, expected: &str) {
    let world = recorded();
    world.write("reference.csv", table);
    let said = world.consort(&[&["diff", "out/s", "reference.csv"], options].concat());
    assert_eq!(said.code, Some(exit), "{options:?}: {said}");
    assert!(format!("{}{}", said.stdout, said.stderr).contains(expected), "{options:?}: {said}");
}

/// `gain.y` is twice the time.
#[test]
fn a_run_is_compared_with_a_table_of_another_tool() {
    let sparse = "t;gain.y\n0;0\n0.25;0.5\n0.5;1\n1;2\n";
    compare(sparse, &["--reference", "--absolute", "1e-9"], 0, "same: 1 variable in 4 rows");
    compare(sparse, &["--reference", "--common-times", "--absolute", "1e-9"], 0, "in 3 rows");
    compare(sparse, &[], 1, "only in the first");
    let wrong = "t,gain.y\n0,0\n0.25,0.625\n1,2\n";
    compare(wrong, &["--reference", "--absolute", "1e-9"], 1, "first at 0.25 s in `gain.y`");
    compare(wrong, &["--reference", "--absolute", "0.2"], 0, "same");
    let longer = "t,gain.y\n0,0\n2,4\n";
    compare(longer, &["--reference", "--absolute", "1"], 1, "only in the second: 1 rows");
    compare("t,level\n0,0\n", &["--reference"], 2, "no variable in common");
}

#[test]
fn plain_names_are_found_where_they_are_clear() {
    let plain = "t,k,u\n0,2,0\n0.5,2,0.5\n1,2,1\n";
    let world = World::new();
    world.system(&TANK.replace("stop = 1\n", "stop = 1\nrecord = \"all\"\n"));
    world.done(&["run", "s", "-q"]);
    world.write("plain.csv", plain);
    let said = world.done(&["diff", "out/s", "plain.csv", "--reference", "--absolute", "1e-9"]);
    assert_eq!(said.stdout, "same: 2 variables in 3 rows\n", "{said}");
    let both = "t,y\n0,0\n";
    compare(both, &["--reference"], 2, "no variable in common");
}

/// The reference jumps 0.04 s later than the run.
#[test]
fn a_tube_allows_what_is_early_or_late() {
    let world = World::new();
    world.system(
        "[experiment]\nstop = 1\nstep = 0.1\n[components.x]\nmodel = \"native:step\"\n\
         parameters = { time = 0.5 }\n",
    );
    world.done(&["run", "s", "-q"]);
    world.write("late.csv", "t,y\n0,0\n0.5,0\n0.54,0\n0.541,1\n1,1\n");
    let diff = |options: &[&str]| {
        let said =
            world.consort(&[&["diff", "out/s", "late.csv", "--reference"], options].concat());
        (said.code, said.to_string())
    };
    assert_eq!(diff(&["--absolute", "1e-6"]).0, Some(1));
    let early = diff(&["--absolute", "1e-6", "--time-tolerance", "0.05"]);
    assert_eq!(early.0, Some(0), "{}", early.1);
    assert_eq!(diff(&["--absolute", "1e-6", "--time-tolerance", "0.01"]).0, Some(1));
}

#[test]
fn the_compiler_of_the_environment_compiles() {
    let world = World::with_clean_cache();
    world.write("p/model.c", "#include \"consort.h\"\nint main(void) { return 0; }\n");
    world.write("p/model.toml", "source = [\"model.c\"]\n[outputs]\ny = {}\n");
    let text =
        "[experiment]\nstop = 1\nstep = 0.1\n[components.x]\nmodel = \"foreign:model.toml\"\n";
    world.write("p/system.toml", text);
    let plan = |compiler: &str| {
        let mut command = world.command(&["plan", "p", "--cache-dir"]);
        let output = command.arg(world.cache()).env("CC", compiler).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = plan("no-such-compiler -m64");
    assert!(
        code == Some(2) && said.contains("`no-such-compiler`") && said.contains("`CC`"),
        "{said}"
    );
    assert_eq!(plan("env cc").0, Some(0), "{}", plan("env cc").1);
    assert_eq!(plan("").0, Some(0));
}
