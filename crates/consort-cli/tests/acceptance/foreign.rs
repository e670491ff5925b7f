//! Programs of the user's own in whole runs: in C and in Python, here and on nodes, good and bad.

use crate::world::{NEVER_SAID, World, children, copy, eventually};
use consort_testkit::fmus::example;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// A copy of an example in the folder `s`.
fn world(name: &str) -> World {
    let world = World::new();
    copy(&example(name), &world.path("s"));
    world
}

/// The same system with equations in the place of the program, as `twin.toml`; its hash in one process.
fn twin(world: &World, program: &str, equations: &str) -> String {
    let solver = format!("model = \"{equations}\"\nsolver = \"euler\"\nsolver-step = 0.1");
    let text = world.read("s/system.toml");
    let text = text.replace(&format!("model = \"foreign:{program}\""), &solver);
    assert!(text.contains(&solver), "{text}");
    world.write("s/twin.toml", text);
    world.done(&["run", "s/twin.toml", "--local", "--no-record", "--out", "twin"]);
    world.trace_hash("twin")
}

/// Runs the system with these options; the hash.
fn hash(world: &World, more: &[&str]) -> String {
    world.done(&[&["run", "s", "--no-record", "--out", "it"], more].concat());
    world.trace_hash("it")
}

/// Replaces a part of the tank's program.
fn change(world: &World, from: &str, to: &str) {
    let text = world.read("s/tank.c");
    assert!(text.contains(from), "{text}");
    world.write("s/tank.c", text.replace(from, to));
}

#[test]
fn a_program_in_c_gives_the_hash_of_the_same_equations_wherever_it_runs() {
    let world = world("foreign-c");
    let expected = twin(&world, "tank.toml", "tank.eq");
    for more in [&["--local"][..], &[], &["--link", "tcp"], &["--link", "thread"]] {
        assert_eq!(hash(&world, more), expected, "{more:?}");
    }
    let alone = "tank=a,controller=b,setpoint=c";
    assert_eq!(hash(&world, &["--place", alone, "--capacity", "1"]), expected);
}

#[test]
fn a_program_in_python_gives_the_hash_of_the_same_equations() {
    let world = world("foreign-python");
    let expected = twin(&world, "controller.toml", "controller.eq");
    for more in [&["--local"][..], &[]] {
        assert_eq!(hash(&world, more), expected, "{more:?}");
    }
}

#[test]
fn ten_runs_have_one_hash() {
    let world = world("foreign-c");
    let said = world.done(&["repeat", "s", "--runs", "10"]);
    assert!(said.stdout.contains("identical: 10 runs"), "{said}");
}

#[test]
fn a_run_with_a_program_is_saved_and_resumed() {
    let world = world("foreign-c");
    let whole = hash(&world, &[]);
    for (more, file) in [(&["--local"][..], "here"), (&[], "spread")] {
        let save = ["--save-at", "20", "--save", file];
        assert_eq!(hash(&world, &[&save, more].concat()), whole, "{more:?}");
        assert_eq!(hash(&world, &[&["--resume", file], more].concat()), whole, "{more:?}");
    }
}

/// Every process below one.
fn below(parent: u32) -> Vec<PathBuf> {
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse().ok();
    let own = children(parent);
    let deeper: Vec<PathBuf> = own.iter().filter_map(number).flat_map(below).collect();
    own.into_iter().chain(deeper).collect()
}

fn signal(name: &str, process: &str) {
    assert!(Command::new("kill").args(["-s", name, process]).status().unwrap().success());
}

#[test]
fn a_program_that_was_stopped_for_a_while_changes_nothing() {
    let world = world("foreign-c");
    // Slow enough to be met.
    change(&world, "consort_put(node, level, h);", "usleep(2000); consort_put(node, level, h);");
    change(&world, "#include <math.h>", "#include <math.h>\n#include <unistd.h>");
    let expected = twin(&world, "tank.toml", "tank.eq");
    let line = ["run", "s", "--no-record", "--out", "it"];
    let mut run = world.command(&line).stderr(Stdio::piped()).spawn().unwrap();
    let mut program = None;
    eventually("the program has started", || {
        let is_program = |process: &PathBuf| {
            fs::read_link(process.join("exe")).is_ok_and(|exe| exe.ends_with("program"))
        };
        program = below(run.id()).into_iter().find(is_program);
        program.is_some()
    });
    let program = program.unwrap().file_name().unwrap().to_string_lossy().into_owned();
    signal("STOP", &program);
    std::thread::sleep(Duration::from_millis(7000));
    assert!(run.try_wait().unwrap().is_none(), "nothing waits for the program");
    signal("CONT", &program);
    let output = run.wait_with_output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("still waiting for `tank` after "), "{said}");
    assert!(said.contains(" s: its outputs"), "{said}");
    assert_eq!(world.trace_hash("it"), expected);
}

/// What the run says about a program that does something after a second.
fn said(what: &str, more: &[&str]) -> String {
    let world = world("foreign-c");
    let includes = "#include <math.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>";
    change(&world, "#include <math.h>", includes);
    change(&world, "if (h < 0)", &format!("if (0.95 < time) {{ {what} }}\n        if (h < 0)"));
    let line = [&["run", "s", "--no-record", "--out", "it", "--call-limit", "2"], more].concat();
    let said = world.consort(&line);
    assert_eq!(said.code, Some(2), "{said}");
    assert!(NEVER_SAID.iter().all(|word| !said.stderr.contains(word)), "{said}");
    // How far the other nodes came is no part of it.
    let (error, _) = said.stderr.split_once("\n\n").unwrap();
    error.to_owned()
}

#[test]
fn programs_that_fail_are_reported_with_component_node_tag_and_what_became_of_them() {
    let cases = [
        ("crash", "raise(SIGSEGV);"),
        ("exit", "fprintf(stderr, \"no more water\\n\"); exit(3);"),
        ("hang", "for (;;) pause();"),
        ("leave", "return consort_leave(node);"),
        ("fail", "consort_fail(node, \"the pump is broken\");"),
    ];
    for (name, what) in cases {
        insta::assert_snapshot!(format!("{name}-here"), said(what, &["--local"]));
    }
    insta::assert_snapshot!("crash-spread", said(cases[0].1, &[]));
}

/// A program that is started by hand, and the other node.
fn joined(world: &World, more: &[&str]) -> [Output; 2] {
    let socket = format!("unix:{}", world.path("control.socket").display());
    let connect = format!("control={socket}");
    let common = ["node", "s", "--gather", "20", "--no-record", "--name"];
    let control = [&common[..], &["control", "--listen", &socket], more].concat();
    let mut control = world.command(&control);
    let control = control.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let own = env!("CARGO_BIN_EXE_consort");
    let plant = [&[own], &common[..], &["plant", "--connect", &connect, "--foreign", "tank"], more];
    let mut program = Command::new(world.path("tank"));
    program.current_dir(world.path("")).env("CONSORT_NODE", plant.concat().join("\n"));
    let program = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    [control, program].map(|child| child.wait_with_output().unwrap())
}

#[test]
fn a_program_that_was_started_by_hand_joins_as_a_node_and_continues() {
    let world = world("foreign-c");
    let expected = twin(&world, "tank.toml", "tank.eq");
    let interface = world.read("s/tank.toml");
    world.write("s/tank.toml", interface.replace("source = [\"tank.c\"]\n", ""));
    let bindings = example("../bindings/c");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-O2", "-ffp-contract=off", "-o"])
        .arg(world.path("tank"))
        .arg("-I")
        .arg(&bindings);
    compiler.arg(world.path("s/tank.c")).arg(bindings.join("consort.c")).arg("-lm");
    assert!(compiler.status().unwrap().success());
    for more in [&["--save-at", "20", "--save", "kept"][..], &["--resume", "kept"]] {
        for output in joined(&world, more) {
            let [data, said] =
                [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap());
            assert_eq!(output.status.code(), Some(0), "{data}{said}");
            assert_eq!(data, format!("trace {expected}\n"), "{more:?}: {said}");
        }
    }
    let said = world.consort(&["run", "s", "--local"]);
    assert_eq!(said.code, Some(2), "{said}");
    insta::assert_snapshot!("not-connected", said.stderr);
    let said = world.consort(&["run", "s"]);
    assert_eq!(said.code, Some(1), "{said}");
    insta::assert_snapshot!("by-hand", said.stderr);
    let line = ["node", "s", "--name", "control", "--listen", "unix:c", "--gather", "0.3"];
    insta::assert_snapshot!("not-joined", world.consort(&line).stderr);
    let said = world.consort(&["node", "s", "--name", "plant", "--foreign", "tnk"]);
    insta::assert_snapshot!("no-such-program", said.stderr);
}
