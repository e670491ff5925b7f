//! Runs that are spread over nodes: the trace of a run in one piece, whatever happens on the way.

mod endings;
mod faults;
mod joined;
mod kept;
mod refused;

use crate::world::{World, copy, shortened};
use consort_core::Prng;
use consort_testkit::fmus::example;
use std::fmt::Write as _;
use std::fs;

/// Examples that are systems, by name.
fn examples() -> Vec<String> {
    let entries = fs::read_dir(example("")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> =
        names.filter(|name| example(name).join("system.toml").is_file()).collect();
    names.sort();
    names
}

/// The components of an example, as its file has them.
fn components(name: &str) -> Vec<String> {
    let text = fs::read_to_string(example(name).join("system.toml")).unwrap();
    let begin = |line: &str| {
        let (name, _) = line.trim().strip_prefix("[components.")?.split_once(']')?;
        (!name.contains('.')).then(|| name.trim_matches('"').to_owned())
    };
    text.lines().filter_map(begin).collect()
}

/// A copy of the quickstart in the folder `s`.
fn quickstart() -> World {
    let world = World::new();
    copy(&example("quickstart"), &world.path("s"));
    world
}

/// Every component on a node of its own; two halves; three nodes by chance.
fn placements(components: &[String], prng: &mut Prng) -> Vec<(&'static str, String)> {
    let place = |node: &mut dyn FnMut(usize) -> usize| {
        let pairs = components.iter().enumerate();
        let pairs = pairs.map(|(index, component)| format!("{component}=n{}", node(index)));
        pairs.collect::<Vec<_>>().join(",")
    };
    vec![
        ("each alone", place(&mut |index| index)),
        ("two halves", place(&mut |index| usize::from(components.len() <= 2 * index))),
        ("by chance", place(&mut |_| prng.below(3) as usize)),
    ]
}

/// Runs a placed example; whether it gives the local hash, or why it is refused.
fn placed(world: &World, run: &[&str], place: &str, link: &str, hash: &str) -> String {
    let spread = ["--place", place, "--link", link, "--out", "placed"];
    let line = [run, &spread[..]].concat();
    let said = world.consort(&line);
    if said.code == Some(0) {
        assert_eq!(world.trace_hash("placed"), hash, "{line:?}");
        return "the local hash".to_owned();
    }
    assert_eq!(said.code, Some(1), "{line:?}: {said}");
    let codes = ["plan::group-split", "node::shared-library"];
    let code = codes.iter().find(|code| said.stderr.contains(**code));
    format!("refused: {}", code.unwrap_or_else(|| panic!("{line:?}: {said}")))
}

#[test]
fn every_example_gives_its_hash_on_every_placement_its_groups_allow() {
    const SEED: u64 = 6;
    println!("seed {SEED}");
    let mut table = String::new();
    for name in examples() {
        let mut prng = Prng::new(SEED).split(&name);
        let world = World::new();
        let path = example(&name).display().to_string();
        let run = [&["run", &path, "--no-record"][..], shortened(&name)].concat();
        world.done(&[&run[..], &["--local", "--out", "here"]].concat());
        let hash = world.trace_hash("here");
        for (what, place) in placements(&components(&name), &mut prng) {
            for link in ["thread", "unix"] {
                let answer = placed(&world, &run, &place, link, &hash);
                let _ = writeln!(table, "{name}, {what}, {link}: {answer}");
            }
        }
    }
    insta::assert_snapshot!("placements", table);
}

#[test]
fn the_record_is_that_of_a_run_in_one_piece_byte_for_byte() {
    let world = quickstart();
    let place = "*=rest,tank=plant,controller=control";
    world.done(&["run", "s", "--local", "--csv", "--mcap", "--out", "here"]);
    for link in ["unix", "thread"] {
        world.done(&[
            "run", "s", "--csv", "--mcap", "--place", place, "--link", link, "--out", "far",
        ]);
        for file in ["trace.csv", "trace.parquet", "trace.mcap", "plot.svg"] {
            let read = |run: &str| fs::read(world.path(&format!("{run}/{file}"))).unwrap();
            assert!(read("here") == read("far"), "{file} by {link}");
        }
        assert!(!world.path("far/nodes.json").exists());
        let manifest = world.manifest("far");
        assert_eq!(manifest["nodes"]["link"], link);
        assert_eq!(manifest["nodes"]["placement"]["plant"][0], "tank");
        assert_eq!(manifest["hashes"], world.manifest("here")["hashes"]);
        assert!(world.events("far", "end").iter().any(|line| line["node"] == "plant"));
        let said = world.done(&["replay", "far"]);
        assert!(said.stdout.contains("identical"), "{said}");
    }
}

#[test]
fn links_capacities_workers_and_bad_networks_cannot_be_seen() {
    let world = quickstart();
    world.done(&["run", "s", "--local", "--out", "here", "--no-record"]);
    let hash = world.trace_hash("here");
    for more in [
        &["--link", "tcp"][..],
        &["--link", "tls"],
        &["--link", "unix", "--capacity", "1"],
        &["--link", "unix", "--capacity", "64", "--workers", "8"],
        &["--link", "thread", "--capacity", "1", "--workers", "1"],
        &["--link", "simulated", "--stop", "60"],
    ] {
        let line = ["run", "s", "--place", "tank=a,controller=b", "--out", "far", "--no-record"];
        world.done(&[&line[..], more].concat());
        assert_eq!(world.trace_hash("far"), hash, "{more:?}");
    }
}

#[test]
fn nodes_of_the_system_are_used_unless_local_is_requested() {
    let world = quickstart();
    let text = world.read("s/system.toml");
    world.done(&["run", "s", "--out", "plain"]);
    world.system(&format!("{text}\n[nodes]\nplant = [\"tank\"]\nrest = [\"controller\"]\n"));
    world.done(&["run", "s", "--out", "far"]);
    world.done(&["run", "s", "--local", "--out", "here"]);
    world.done(&["run", "s", "--place", "*=rest", "--out", "one"]);
    let nodes = |run: &str| world.manifest(run)["nodes"]["placement"].clone();
    assert_eq!(nodes("far")["plant"].to_string(), "[\"inflow\",\"tank\"]");
    assert!(nodes("here").is_null());
    assert_eq!(nodes("one").as_object().unwrap().len(), 1);
    for run in ["far", "here", "one"] {
        assert_eq!(world.trace_hash(run), world.trace_hash("plain"), "{run}");
    }
}
