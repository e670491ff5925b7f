//! What stands in the README, in `docs` and in the READMEs of the examples is what happens.

use crate::world::{World, copy};
use consort_testkit::fmus::example;
use std::fs;
use std::path::{Path, PathBuf};

/// A command of a document, and the lines that it is said to print.
struct Shown {
    command: String,
    lines: Vec<String>,
}

/// How a command of Consort begins in a document.
const STARTS: [&str; 4] =
    ["$ cargo run --release -- ", "cargo run --release -- ", "$ consort ", "consort "];

/// The commands in blocks of code, each with the lines below it; a block that begins with the
/// summary of a run belongs to that run.
fn shown(text: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let (mut in_code, mut in_answer) = (false, false);
    for line in text.lines() {
        let command = STARTS.iter().find_map(|start| line.strip_prefix(start));
        if line.starts_with("```") {
            (in_code, in_answer) = (!in_code, false);
        } else if let Some(command) = command.filter(|_| in_code) {
            let command = command.split('#').next().unwrap_or_default().trim().to_owned();
            in_answer = line.starts_with('$');
            all.push(Shown { command, lines: Vec::new() });
        } else if in_code && !in_answer && line.contains("; trace sha256:") {
            let name = line.split(':').next().unwrap_or_default();
            let command = format!("run examples/{name}");
            in_answer = true;
            all.push(Shown { command, lines: vec![line.to_owned()] });
        } else if in_answer && !matches!(line, "" | "...") {
            all.last_mut().unwrap().lines.push(line.to_owned());
        }
    }
    all
}

/// How long it took is another number every time.
fn without_duration(line: &str) -> String {
    match (line.split_once(" in "), line.split_once("; trace sha256:")) {
        (Some((before, _)), Some((_, after))) => format!("{before}; trace sha256:{after}"),
        _ => line.trim_end().to_owned(),
    }
}

/// The words of a command; what stands in single quotes is one.
fn words(command: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for (place, part) in command.split('\'').enumerate() {
        match place % 2 {
            0 => words.extend(part.split_whitespace()),
            _ => words.push(part),
        }
    }
    words
}

/// Exit codes other than 0, by what a command has in it: a system that is refused on purpose, and
/// campaigns that find a violation.
const REFUSED: [(&str, i32); 2] = [("refused.toml", 1), ("explore examples/", 1)];

/// Runs the commands of a document in a world; how many there were.
fn check(world: &World, document: &Path) -> usize {
    let text = fs::read_to_string(document).unwrap();
    let all = shown(&text);
    // The plan with two lines swapped that the README judges is not a file.
    for Shown { command, lines } in all.iter().filter(|it| !it.command.contains("swapped.txt")) {
        let args = words(command);
        let said = world.consort(&args);
        let refused = REFUSED.iter().find(|(part, _)| command.contains(part));
        let place = format!("{}: {command}", document.display());
        assert_eq!(said.code, Some(refused.map_or(0, |(_, code)| *code)), "{place}: {said}");
        let printed = said.stdout.lines().chain(said.stderr.lines());
        let printed: Vec<String> = printed.map(without_duration).collect();
        for line in lines {
            assert!(printed.contains(&without_duration(line)), "{place}: `{line}` in {said}");
        }
    }
    all.len()
}

/// The examples, and what the documents speak of: the first model of `docs/equations.md`, an SBML
/// file and a table.
fn world() -> World {
    let world = World::new();
    copy(&example(""), &world.path("examples"));
    let text = fs::read_to_string(example("../docs/equations.md")).unwrap();
    let model = text.split("```text\n").nth(1).and_then(|block| block.split("```").next());
    world.write("ball.eq", model.unwrap());
    world.write("wind.csv", "time,wind\n0,0\n2,1\n");
    fs::copy(example("glycolysis/glycolysis.sbml"), world.path("model.sbml")).unwrap();
    world
}

#[test]
fn every_command_of_the_documents_does_what_stands_below_it() {
    let world = world();
    for (document, least) in [
        ("README.md", 5),
        ("docs/equations.md", 4),
        ("docs/explore.md", 2),
        ("docs/export.md", 4),
        ("docs/state-check.md", 2),
        ("docs/properties.md", 2),
        ("docs/repeat.md", 3),
        ("docs/sbml.md", 3),
    ] {
        let count = check(&world, &example("..").join(document));
        assert!(least <= count, "{document}: {count} commands");
    }
}

#[test]
fn every_command_of_the_examples_does_what_stands_below_it() {
    let world = world();
    let entries = fs::read_dir(example("")).unwrap();
    let mut readmes: Vec<PathBuf> =
        entries.map(|entry| entry.unwrap().path().join("README.md")).collect();
    readmes.sort();
    let count: usize = readmes.iter().map(|readme| check(&world, readme)).sum();
    assert!(25 <= count, "{count} commands");
}
