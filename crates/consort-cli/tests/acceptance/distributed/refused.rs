//! What is refused, and what is said about it.

use super::quickstart;
use crate::world::{NEVER_SAID, World, filters};
use consort_testkit::fmus::example;
use std::os::unix::net::UnixListener;

/// What is said about a line that is refused.
pub(super) fn refusal(world: &World, line: &[&str]) -> String {
    let before = world.contents();
    let said = world.consort(line);
    assert!(matches!(said.code, Some(1 | 2)), "{line:?}: {said}");
    assert!(NEVER_SAID.iter().all(|words| !said.stderr.contains(words)), "{said}");
    assert_eq!(world.contents(), before, "{line:?} leaves nothing");
    format!("## consort {}\n{}(exit {})\n\n", line.join(" "), said.stderr, said.code.unwrap())
}

pub(super) fn check(name: &str, text: &str) {
    let mut filters = filters();
    filters.push((r#"workspace/[^`" ]*/"#, "[temp]/"));
    insta::with_settings!({filters => filters}, { insta::assert_snapshot!(name, text) });
}

#[test]
fn bad_command_lines_and_placements_are_distinguished() {
    let world = quickstart();
    let node = |more: &'static [&'static str]| -> Vec<&'static str> {
        [&["node", "s", "--place", "*=control,tank=plant"], more].concat()
    };
    let lines = [
        vec!["run", "s", "--place", "tanks=plant"],
        vec!["run", "s", "--place", "tank=pl ant"],
        vec!["run", "s", "--place", "tank"],
        vec!["run", "s", "--link", "unix"],
        vec!["run", "s", "--capacity", "4"],
        vec!["run", "s", "--place", "tank=plant", "--capacity", "0"],
        vec!["run", "s", "--place", "tank=plant", "--link", "pigeon"],
        vec!["run", "s", "--place", "tank=1", "--link", "tls"],
        vec!["run", "s", "--place", "tank=plant", "--link", "zenoh"],
        vec!["run", "s", "--place", "tank=plant", "--local"],
        vec!["run", "s", "--place", "tank=plant", "--save-every", "5"],
        vec!["run", "s", "--save-every", "1e-9", "--save", "x.snapshot"],
        vec!["node", "s", "--name", "plant"],
        node(&["--name", "pump", "--listen", "tcp:localhost:1"]),
        node(&["--name", "plant"]),
        node(&["--name", "control"]),
        node(&["--name", "control", "--listen", "localhost:7000"]),
        node(&["--name", "plant", "--connect", "control=unix:x", "--connect", "pump=unix:y"]),
        node(&["--name", "plant", "--run", "12"]),
        node(&["--name", "control", "--listen", "unix:no/such/folder/x"]),
        node(&["--name", "plant", "--connect", "control=unix:nowhere", "--gather", "0.3"]),
        vec!["node", "status", "s"],
        vec!["node", "status", "unix:nowhere"],
        vec!["node", "status", "tcp:nowhere"],
    ];
    let text: String = lines.iter().map(|line| refusal(&world, line)).collect();
    check("lines", &text);
}

#[test]
fn a_placement_that_splits_what_belongs_together_names_the_group() {
    let world = World::new();
    std::os::unix::fs::symlink(example("feedback-loop"), world.path("feedback-loop")).unwrap();
    let components = super::components("feedback-loop");
    let place = components.iter().enumerate().map(|(index, name)| format!("{name}=n{index}"));
    let place = place.collect::<Vec<_>>().join(",");
    check("split", &refusal(&world, &["run", "feedback-loop", "--place", &place]));
}

#[test]
fn an_address_in_use_is_named() {
    let world = quickstart();
    let _taken = UnixListener::bind(world.path("taken")).unwrap();
    let line = ["node", "s", "--place", "*=control,tank=plant", "--name", "control"];
    check("taken", &refusal(&world, &[&line[..], &["--listen", "unix:taken"]].concat()));
}
