//! What the trace hash is made of: every output, or the sources of connections.

use crate::world::{Said, World};
use consort_testkit::fmus::{BuildOptions, Fmi};
use serde_json::Value;

const CONNECTED: [&str; 2] = ["--hash", "connected"];

/// Three components in a chain that is coupled on a double and on an integer; `order` and more keys of the experiment.
fn chain(fmi: Fmi, order: &str, more: &str) -> World {
    let world = World::new();
    world.archive("mixed", fmi, &BuildOptions::archive());
    let mut text = format!("[experiment]\nstop = 2.5\nstep = 0.01\norder = \"{order}\"\n{more}\n");
    for name in ["a", "b", "c"] {
        text += &format!("[components.{name}]\nmodel = \"mixed.fmu\"\n");
    }
    for (from, to) in
        [("a.y", "b.u"), ("a.count", "b.before"), ("b.y", "c.u"), ("b.count", "c.before")]
    {
        text += &format!("[[connections]]\nfrom = \"{from}\"\nto = \"{to}\"\n");
    }
    world.system(&text);
    world
}

fn hashes(world: &World, run: &str) -> Value {
    world.manifest(run)["hashes"].clone()
}

fn assert_refused(said: &Said) {
    assert_eq!(said.code, Some(2), "{said}");
    assert!(said.stderr.contains("cli::hash-modes"), "{said}");
}

#[test]
fn connected_variables_have_the_hashes_that_they_have_among_all() {
    for (fmi, order) in [(Fmi::V2, "derived"), (Fmi::V3, "jacobi"), (Fmi::V2, "gauss-seidel")] {
        let world = chain(fmi, order, "");
        world.done(&["run", "s", "--out", "all"]);
        world.done(&[&["run", "s", "--out", "connected"], &CONNECTED[..]].concat());
        let (all, connected) = (hashes(&world, "all"), hashes(&world, "connected"));
        let connected = connected.as_object().unwrap();
        let names: Vec<&str> = connected.keys().map(String::as_str).collect();
        assert_eq!(names, ["a.count", "a.y", "b.count", "b.y"]);
        assert_eq!(all.as_object().unwrap().len(), 18);
        for (name, hash) in connected {
            assert_eq!(*hash, all[name], "{name} in order {order}");
        }
        assert_ne!(world.trace_hash("all"), world.trace_hash("connected"));
        let mode = |run: &str| world.manifest(run)["experiment"]["hash"].clone();
        assert_eq!([mode("all"), mode("connected")], ["all", "connected"]);
        // All outputs are recorded in both.
        let values = ["all/trace.parquet", "connected/trace.parquet"];
        world.done(&["diff", values[0], values[1]]);
    }
}

#[test]
fn the_hash_of_connected_variables_depends_on_nothing_else() {
    for order in ["derived", "gauss-seidel"] {
        let world = chain(Fmi::V2, order, "hash = \"connected\"");
        world.done(&["run", "s", "--out", "one", "--workers", "1"]);
        let hash = world.trace_hash("one");
        let more: [&[&str]; 6] = [
            &["--workers", "2"],
            &["--workers", "8", "--no-record"],
            &["--place", "a=n1,b=n2,c=n1"],
            &["--place", "a=n1,b=n2,c=n3", "--no-record"],
            &["--isolate"],
            &["--save-at", "1.234", "--save", "middle.snapshot"],
        ];
        for options in more {
            world.done(&[&["run", "s", "--out", "other"], options].concat());
            assert_eq!(world.trace_hash("other"), hash, "{order} {options:?}");
        }
        world.done(&["run", "--resume", "middle.snapshot", "--out", "rest", "--workers", "2"]);
        assert_eq!(world.trace_hash("rest"), hash, "{order}");
        world.done(&["replay", "one"]);
        world.done(&["repeat", "s", "--runs", "3"]);
    }
}

#[test]
fn what_is_neither_connected_nor_recorded_is_not_read() {
    let world = chain(Fmi::V2, "derived", "record = [\"c.mode\"]\nhash = \"connected\"");
    let program = world.done(&["plan", "s"]).stdout;
    let advance = program.rsplit("advance").next().unwrap();
    for line in [
        "a: step; get y, count",
        "b: set u, before; step; get y, count",
        "c: set u, before; step; get mode",
    ] {
        assert!(advance.lines().any(|it| it.trim() == line), "`{line}` in {program}");
    }
}

#[test]
fn runs_of_different_modes_are_not_compared() {
    let world = chain(Fmi::V2, "derived", "");
    world.done(&["run", "s", "--out", "all", "--no-record"]);
    world.done(&["run", "s", "--out", "recorded"]);
    let save = ["--save-at", "1", "--save", "middle.snapshot"];
    world.done(&[&["run", "s", "--out", "saved"], &save[..]].concat());
    world.done(&[&["run", "s", "--out", "connected"], &CONNECTED[..]].concat());
    assert_refused(&world.consort(&["diff", "all", "connected"]));
    assert_refused(&world.consort(&["diff", "recorded", "connected"]));
    let resumed = ["run", "--resume", "middle.snapshot", "--out", "rest"];
    let said = world.consort(&[&resumed[..], &CONNECTED[..]].concat());
    assert_eq!(said.code, Some(1), "{said}");
    assert!(said.stderr.contains("--hash: not given, now connected"), "{said}");
    // The file says something else by now.
    let text = world.read("s/system.toml");
    world.system(&text.replace("[experiment]", "[experiment]\nhash = \"connected\""));
    assert_refused(&world.consort(&["replay", "recorded"]));
    world.done(&["replay", "connected"]);
    let said = world.consort(&resumed);
    assert_ne!(said.code, Some(0), "{said}");
}
