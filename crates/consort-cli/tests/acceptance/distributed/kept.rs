//! Nodes that are started by hand, save their parts, and continue from them.

use super::joined::{start, words};
use super::quickstart;
use super::refused::{check, refusal};
use crate::world::{World, eventually};
use std::collections::BTreeSet;
use std::process::Child;

const NODES: [&str; 3] = ["control", "feed", "plant"];
const PLACE: [&str; 2] = ["--place", "controller=control,inflow=feed,tank=plant"];

/// The exit codes and outputs of nodes.
type Outputs = Vec<(Option<i32>, String, String)>;

/// Starts a node that listens, and connects to those before it.
fn start_one(world: &World, node: &str, more: &[String]) -> Child {
    let at = |node: &str| format!("unix:{}", world.path(&format!("{node}.socket")).display());
    let mut line = vec!["--listen".to_owned(), at(node), "--patience".to_owned(), "1".to_owned()];
    for before in NODES.iter().filter(|before| **before < node) {
        line.extend(["--connect".to_owned(), format!("{before}={}", at(before))]);
    }
    line.extend_from_slice(more);
    let line: Vec<&str> = line.iter().map(String::as_str).collect();
    start(world, node, &line)
}

fn start_all(world: &World, more: impl Fn(&str) -> Vec<String>) -> Vec<Child> {
    NODES.iter().map(|node| start_one(world, node, &more(node))).collect()
}

fn ends(children: Vec<Child>) -> Outputs {
    children.into_iter().map(|child| words(&child.wait_with_output().unwrap())).collect()
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// All nodes from the start to the end, saving.
fn saved(world: &World, saves: &[&str]) {
    let more = |_: &str| owned(&[&PLACE[..], &["--save", "kept"], saves].concat());
    for (code, _, said) in ends(start_all(world, more)) {
        assert_eq!(code, Some(0), "{said}");
    }
}

/// Resumes all nodes, each from its own snapshot; returns their output.
fn resumed(world: &World, from: impl Fn(&str) -> String, more: &[&str]) -> Outputs {
    ends(start_all(world, |node| {
        let mut line = vec!["--resume".to_owned(), from(node)];
        line.extend(owned(more));
        line
    }))
}

/// The times of which a node has snapshots.
fn times(world: &World, node: &str) -> BTreeSet<u32> {
    let names = std::fs::read_dir(world.path("kept")).unwrap().flatten();
    let names = names.map(|entry| entry.file_name().into_string().unwrap());
    let time = |name: String| {
        let time =
            name.strip_prefix(node)?.strip_prefix('@')?.strip_suffix(".snapshot")?.to_owned();
        time.parse().ok()
    };
    names.filter_map(time).collect()
}

#[test]
fn nodes_resume_from_what_all_have_saved_when_one_was_killed() {
    let world = quickstart();
    world.done(&["run", "s", "--out", "here", "--no-record"]);
    let hash = world.trace_hash("here");
    let saves = ["--save", "kept", "--save-every", "3", "--real-time", "15"];
    let mut nodes = start_all(&world, |_| owned(&[&PLACE[..], &saves].concat()));
    eventually("a snapshot is there", || world.path("kept/plant@6.snapshot").exists());
    nodes[2].kill().unwrap();
    let said = ends(nodes);
    assert_eq!(said[2].0, None, "it was killed");
    for (code, data, said) in &said[..2] {
        assert!(!said.contains("was not written"), "{said}");
        assert_eq!((*code, data.as_str()), (Some(2), ""), "{said}");
        for part in
            ["node `plant`: connection lost", "done up to", "the last snapshot of node", "--resume"]
        {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
    let [one, other, third] = NODES.map(|node| times(&world, node));
    let common: BTreeSet<u32> = &(&one & &other) & &third;
    let last = common.last().unwrap();
    assert!(6 <= *last, "{common:?}");
    let file = |node: &str| format!("kept/{node}@{last}.snapshot");
    for (code, data, said) in resumed(&world, file, &["--workers", "2"]) {
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(data, format!("trace {hash}\n"), "{said}");
        assert!(said.contains(&format!("resumed from {last} s")), "{said}");
    }
    let from = world.manifest("out/quickstart-plant")["resumed_from"]["time"].as_f64();
    assert_eq!(from, Some(f64::from(*last)));
}

#[test]
fn nodes_resume_bit_for_bit_and_only_from_the_same_time() {
    let world = quickstart();
    world.done(&["run", "s", "--out", "here", "--no-record"]);
    let expected = format!("trace {}\n", world.trace_hash("here"));
    saved(&world, &["--save-at", "7.5", "--save-at", "21"]);
    // The latest; then again from a part that was saved by a node that had gone on itself.
    let latest = |_: &str| "kept".to_owned();
    for (workers, from) in [("1", "kept/{}@7.5.snapshot"), ("8", "kept")] {
        let more = ["--workers", workers, "--save", "kept", "--save-at", "40"];
        for (code, data, said) in resumed(&world, |node| from.replace("{}", node), &more) {
            assert_eq!((code, &data), (Some(0), &expected), "{from}: {said}");
        }
    }
    for (_, data, said) in resumed(&world, latest, &[]) {
        assert!(data == expected && said.contains("resumed from 40 s"), "{said}");
    }
    let said = world.consort(&["replay", "out/quickstart-plant"]);
    assert!(said.stderr.contains("is the record of node `plant` alone"), "{said}");
    // The file of a run that started all nodes itself has their parts, too.
    let saves = ["--save-at", "21", "--save", "all.snapshot", "--out", "far", "--no-record"];
    world.done(&[&["run", "s"], &PLACE[..], &saves].concat());
    for (_, data, said) in resumed(&world, |_| "all.snapshot".to_owned(), &[]) {
        assert_eq!(data, expected, "{said}");
    }
    let mixed = [("control", "kept/control@7.5.snapshot"), ("plant", "kept/plant@21.snapshot")];
    let mixed = mixed.map(|(node, from)| start_one(&world, node, &owned(&["--resume", from])));
    let said = ends(mixed.into());
    let cure = "give both a snapshot of 7.5 s";
    for (code, data, said) in &said {
        assert!((*code, data.as_str()) == (Some(2), "") && said.contains(cure), "{said}");
    }
    let expected = "node `control` resumes from 7.5 s, node `plant` resumes from 21 s";
    assert!(said[0].2.contains(expected), "{said:?}");
    let own = "node `control` has snapshots of 7.5 s, 21 s, 40 s in `kept`";
    assert!(said[0].2.contains(own), "{said:?}");
}

#[test]
fn what_is_no_part_of_this_node_is_refused_by_name() {
    let world = quickstart();
    saved(&world, &["--save-at", "20", "--stop", "21"]);
    let system = world.read("s/system.toml");
    world.write("other/system.toml", system.replace("high = 0.016", "high = 0.017"));
    crate::world::copy(&world.path("s/tank"), &world.path("other/tank"));
    world.done(&["run", "s", "--stop", "1", "--save", "whole.snapshot", "--out", "here"]);
    let saves = ["--stop", "1", "--save", "all.snapshot", "--out", "here"];
    world.done(&[&["run", "s"], &PLACE[..], &saves].concat());
    std::fs::create_dir(world.path("empty")).unwrap();
    std::fs::write(world.path("kept/plant@9.snapshot"), "no snapshot").unwrap();
    let line = |more: &'static [&'static str]| {
        let at = ["--connect", "control=unix:c", "--connect", "feed=unix:f", "--gather", "0.3"];
        [&["node", "--name", "plant"], &at[..], more].concat()
    };
    let lines = [
        line(&["--resume", "kept/control@20.snapshot"]),
        line(&["--resume", "empty"]),
        line(&["--resume", "nowhere"]),
        line(&["--resume", "kept/plant@9.snapshot"]),
        line(&["--resume", "whole.snapshot"]),
        vec!["node", "--name", "pump", "--resume", "all.snapshot"],
        line(&["other", "--resume", "kept"]),
        line(&["--resume", "kept", "--place", "controller=control,*=plant"]),
        line(&["--resume", "kept", "--set", "tank.area=1"]),
        line(&["--resume", "kept", "--stop", "10"]),
        line(&["--resume", "kept", "--run", "00112233445566778899aabbccddeeff"]),
        line(&["s", "--save", "new"]),
        line(&["s", "--save-every", "5"]),
        line(&["s", PLACE[0], PLACE[1], "--save", "new", "--save-at", "99"]),
        line(&["s", PLACE[0], PLACE[1], "--save", "whole.snapshot", "--save-every", "5"]),
        vec!["run", "--resume", "kept/plant@20.snapshot"],
    ];
    let text: String = lines.iter().map(|line| refusal(&world, line)).collect();
    check("kept", &text);
}
