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
    // The plan with two lines swapped that the tour judges is not a file.
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
        ("README.md", 1),
        ("docs/tour.md", 14),
        ("docs/equations.md", 4),
        ("docs/explore.md", 2),
        ("docs/export.md", 4),
        ("docs/state-check.md", 2),
        ("docs/plots.md", 6),
        ("docs/properties.md", 2),
        ("docs/repeat.md", 3),
        ("docs/sbml.md", 3),
    ] {
        let count = check(&world, &example("..").join(document));
        assert!(least <= count, "{document}: {count} commands");
    }
}

/// The pictures of `docs/plots.md` are those that its commands draw; `cargo xtask bless` draws them anew.
#[test]
fn the_pictures_of_plots_are_current() {
    let world = world();
    check(&world, &example("../docs/plots.md"));
    for (drawn, kept) in [("out/quickstart/plot.svg", "quickstart"), ("compared.svg", "compared")] {
        let (drawn, path) = (world.read(drawn), example(&format!("../docs/plots/{kept}.svg")));
        if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
            fs::write(&path, &drawn).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(drawn == kept, "{} is out of date: run `cargo xtask bless`", path.display());
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

/// The longest README that is still read.
const README_LINES_MAX: usize = 150;
/// The longest example of a library in it.
const EXAMPLE_LINES_MAX: usize = 10;

/// The blocks of code in a language.
fn blocks<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let begin = format!("```{language}\n");
    text.split(&begin).skip(1).filter_map(|block| block.split("```").next()).collect()
}

#[test]
fn the_readme_is_short_and_shows_a_real_system_and_its_real_picture() {
    let readme = fs::read_to_string(example("../README.md")).unwrap();
    assert!(readme.lines().count() <= README_LINES_MAX, "{}", readme.lines().count());
    let system = fs::read_to_string(example("quickstart/system.toml")).unwrap();
    assert_eq!(blocks(&readme, "toml"), [system]);
    for language in ["rust,no_run", "python"] {
        let [code] = blocks(&readme, language)[..] else { panic!("one example in {language}") };
        assert!(code.lines().count() <= EXAMPLE_LINES_MAX, "{code}");
    }
    // Its bytes are compared with what the program draws by the test of `docs/plots.md`.
    assert!(readme.contains("(docs/plots/quickstart.svg)"));
}

/// Every file below a folder, by its path from there.
fn files(folder: &Path, from: &Path, all: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, from, all);
        } else {
            all.push(path.strip_prefix(from).unwrap().to_str().unwrap().to_owned());
        }
    }
}

#[test]
fn the_index_of_documents_leads_to_every_page() {
    let docs = example("../docs");
    let index = fs::read_to_string(docs.join("README.md")).unwrap();
    let mut all = Vec::new();
    files(&docs, &docs, &mut all);
    all.retain(|file| file.ends_with(".md") || file.ends_with(".json"));
    all.retain(|file| {
        file != "README.md" && (!file.starts_with("codes/") || file == "codes/README.md")
    });
    assert!(50 <= all.len(), "{}", all.len());
    for file in all {
        assert!(index.contains(&format!("]({file}")), "docs/README.md does not lead to {file}");
    }
}

/// The targets of the links of a page, without their anchors and without those that lead out.
fn targets(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|link| link.split(')').next());
    let files = targets.map(|target| target.split('#').next().unwrap_or_default());
    files.filter(|file| !file.is_empty() && !file.contains("://")).collect()
}

#[test]
fn links_between_documents_lead_to_files() {
    let root = example("..");
    let mut pages = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    let mut below = Vec::new();
    files(&root.join("docs"), &root, &mut below);
    pages.extend(below.into_iter().filter(|file| file.ends_with(".md")));
    let mut count = 0;
    for page in pages {
        let text = fs::read_to_string(root.join(&page)).unwrap();
        for target in targets(&text) {
            let file = root.join(&page).parent().unwrap().join(target);
            assert!(file.exists(), "{page}: {target}");
            count += 1;
        }
    }
    assert!(200 <= count, "{count}");
}
