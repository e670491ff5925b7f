//! `consort plan`: the page, and the other forms of a plan.

use crate::bench::{Bench, LOOP, Said, assert_said};
use serde_json::Value;

/// A folder in which the examples are, under the name they have in the repository.
pub(crate) fn with_examples() -> Bench {
    let bench = Bench::with_loop();
    let examples = consort_testkit::fmus::example("");
    std::os::unix::fs::symlink(examples, bench.path("examples")).unwrap();
    bench
}

/// Every system file of the examples, but those with a loop nothing is said about.
pub(crate) fn every_example() -> Vec<String> {
    let mut files = Vec::new();
    for folder in std::fs::read_dir(consort_testkit::fmus::example("")).unwrap() {
        let folder = folder.unwrap();
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().to_string_lossy().into_owned();
            // The interface of a program in another language is no system.
            let is_system = name.ends_with(".toml")
                && std::fs::read_to_string(entry.path()).unwrap().contains("[components.");
            if is_system && !["refused.toml", "campaign.toml"].contains(&&*name) {
                files.push(format!("examples/{}/{name}", folder.file_name().display()));
            }
        }
    }
    files.sort();
    assert!(20 <= files.len(), "{files:?}");
    files
}

/// Compares the page of an example with a snapshot.
fn check_page(name: &str, args: &[&str]) -> Said {
    let said = with_examples().done(&[&["plan"], args].concat());
    insta::with_settings!({filters => crate::bench::filters()}, {
        insta::assert_snapshot!(name, said.to_string());
    });
    said
}

#[test]
fn a_chain_is_read_level_by_level() {
    let said = check_page("chain", &["examples/feedthrough-chain"]);
    assert!(!said.stdout.contains(".x"), "recorded states are no outputs: {said}");
}

#[test]
fn the_naive_order_says_what_is_late() {
    check_page("jacobi", &["examples/feedthrough-chain/jacobi.toml"]);
}

#[test]
fn nodes_are_shown_with_what_crosses_between_them() {
    let bench = Bench::new();
    let nodes = "\n[nodes]\nplant = [\"plant\"]\ncontrol = [\"controller\", \"setpoint\"]\n";
    bench.write("spread/system.toml", &format!("{LOOP}{nodes}"));
    let said = bench.done(&["plan", "spread"]);
    let from = said.stdout.find("Nodes").expect("nodes are shown");
    let to = said.stdout.find("Program,").expect("the program comes last");
    insta::assert_snapshot!("nodes", said.stdout[from..to]);
}

#[test]
fn components_step_one_after_another() {
    check_page("gauss-seidel", &["examples/feedthrough-chain/fmi2.toml"]);
}

#[test]
fn fmus_answer_a_step_late_and_the_page_says_what_helps() {
    check_page("by-step", &["examples/quickstart"]);
    check_page("by-step-many", &["examples/aircraft/fmi2.toml"]);
}

#[test]
fn a_loop_is_shown_with_how_it_is_solved() {
    check_page("loop", &["examples/feedback-loop"]);
    check_page("loop-of-steps", &["examples/feedback-loop/fmi2.toml"]);
}

#[test]
fn a_delay_that_was_requested_is_reported_as_such() {
    let said = check_page("asked", &["examples/feedback-loop/delay.toml"]);
    let delay = ["--delay", "federate2.y -> federate1.u"];
    let refused = ["plan", "examples/feedback-loop/refused.toml"];
    let other = with_examples().done(&[&refused[..], &delay].concat());
    let plain = |said: &Said| {
        let lines = said.stdout.lines().skip(1);
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(plain(&other), plain(&said));
}

#[test]
fn several_rates_hold_values() {
    check_page("rates", &["examples/multirate"]);
}

#[test]
fn steps_of_changing_size_are_tried_together() {
    check_page("variable-step", &["examples/spring-damper"]);
}

/// The page of a system with several parts of each kind, and its program left out.
#[test]
fn an_airplane_fits_on_a_page() {
    let said = check_page("airplane", &["examples/aircraft"]);
    assert!(said.stdout.lines().all(|line| line.chars().count() <= 110), "{said}");
}

#[test]
fn a_chain_of_fifty_stays_readable_and_verbose_shows_all_of_it() {
    for (name, file) in [("fifty", "fifty.toml"), ("fifty-jacobi", "fifty-jacobi.toml")] {
        let file = format!("examples/feedthrough-chain/{file}");
        let said = check_page(name, &[&file]);
        assert!(said.stdout.lines().count() <= 90, "{said}");
        assert!(said.stdout.contains("`--verbose` shows them"), "{said}");
        let whole = with_examples().done(&["plan", &file, "--verbose"]);
        assert!(!whole.stdout.contains("--verbose"), "{whole}");
        for component in 1..=50 {
            assert!(whole.stdout.contains(&format!("\n  c{component} ")), "{whole}");
        }
    }
}

#[test]
fn a_refused_loop_is_named_and_nothing_is_printed() {
    let said = with_examples().consort(&["plan", "examples/feedback-loop/refused.toml"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""), "{said}");
    assert_said!(said);
}

#[test]
fn other_forms_of_a_plan_are_data() {
    let bench = Bench::with_loop();
    for format in ["program", "json", "dot", "svg"] {
        let said = bench.done(&["plan", "loop", "--format", format]);
        assert_eq!(said.stderr, "", "{format}");
        insta::with_settings!({filters => crate::bench::filters()}, {
            insta::assert_snapshot!(format!("form-{format}"), said.stdout);
        });
    }
    assert_eq!(bench.list(""), ["loop"], "nothing is written");
}

/// Loops, delays, late feedthrough, reactive inputs: drawn without leaving the picture.
#[test]
fn pictures_keep_to_their_frame() {
    let bench = with_examples();
    for file in every_example() {
        let svg = bench.done(&["plan", &file, "--format", "svg"]).stdout;
        let size = |name: &str| number_after(&svg, &format!(" {name}=\""));
        let (width, height) = (size("width"), size("height"));
        for path in svg.split("<path d=\"M").skip(1) {
            let path = path.split('"').next().unwrap();
            let words = path.split([' ', 'C', 'L', 'H']).filter(|word| !word.is_empty());
            let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
            for pair in numbers.chunks_exact(2) {
                let inside =
                    0.0 <= pair[0] && pair[0] <= width && 0.0 <= pair[1] && pair[1] <= height;
                assert!(inside, "{file}: {pair:?} is outside of {width} x {height}");
            }
        }
    }
}

/// A chain of many levels continues in further rows; what leads to another row is named at both ends.
#[test]
fn pictures_of_many_levels_are_folded() {
    let bench = Bench::new();
    bench.write("s/system.toml", &crate::bench::chain("native:gain", 30));
    let svg = bench.done(&["plan", "s", "--format", "svg"]).stdout;
    let size = |name: &str| number_after(&svg, &format!(" {name}=\""));
    assert!(size("width") <= 1700.0, "{}", size("width"));
    assert!(size("height") <= 4000.0, "{}", size("height"));
    for index in 1..30 {
        assert!(svg.contains(&format!("<title>c{index}.u</title>")), "{index}");
    }
    let leaving = svg.matches(">→ c").count();
    assert!(0 < leaving);
    assert_eq!(
        leaving,
        svg.matches(">← c").count() - 1,
        "and the legend: it comes from another row"
    );
    let lines = svg.matches("url(#connected)").count() + svg.matches("url(#feedthrough)").count();
    assert_eq!(lines - 2 + leaving, 2 * 29, "each edge once, and the legend");
    assert_eq!(svg, bench.done(&["plan", "s", "--format", "svg"]).stdout);
    bench.write("big/system.toml", &crate::bench::chain("native:gain", 2000));
    let svg = bench.done(&["plan", "big", "--format", "svg"]).stdout;
    assert!(svg.contains("more columns; `--format json` has all"));
    assert!(number_after(&svg, " height=\"") <= 16_000.0);
}

fn number_after(text: &str, mark: &str) -> f64 {
    let rest = text.split(mark).nth(1).unwrap();
    rest.split('"').next().unwrap().parse().unwrap()
}

#[test]
fn options_change_the_plan_and_its_hash() {
    let bench = Bench::with_loop();
    let hash = |options: &[&str]| {
        let said = bench.done(&[&["plan", "loop", "--format", "json"], options].concat());
        let value: Value = serde_json::from_str(&said.stdout).unwrap();
        value["plan_hash"].as_str().unwrap().to_owned()
    };
    let plain = hash(&[]);
    assert_eq!(hash(&["--order", "derived"]), plain);
    assert_ne!(hash(&["--order", "jacobi"]), plain);
    assert_ne!(hash(&["--delay", "plant.y -> controller.measurement"]), plain);
    bench.done(&["run", "loop", "--out", "run"]);
    assert_eq!(bench.json("run/manifest.json")["plan_hash"], plain);
}

#[test]
fn what_cannot_be_planned_is_reported() {
    let bench = Bench::with_loop();
    bench.write("notes.txt", "");
    bench.write("broken.toml", "[experiment\n");
    bench.write("bad.toml", &LOOP.replace("plant.y", "plant.z"));
    for (file, code) in [
        ("gone", 2),
        ("gone.toml", 2),
        ("gone.conf", 2),
        ("notes.txt", 1),
        ("broken.toml", 1),
        ("bad.toml", 1),
    ] {
        let said = bench.consort(&["plan", file]);
        assert_eq!((said.code, said.stdout.as_str()), (Some(code), ""), "{file}: {said}");
        assert!(said.stderr.starts_with("error["), "{file}: {said}");
    }
    assert_eq!(bench.consort(&["plan", "loop", "--format", "pdf"]).code, Some(2));
}

/// The first output a newcomer sees is what the README promises, but for the time it took.
#[test]
fn the_readme_shows_the_real_run() {
    let said = with_examples().done(&["run", "examples/quickstart"]).stderr;
    let root = consort_testkit::fmus::example("").parent().unwrap().to_owned();
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let (before, after) = said.split_once(" in ").unwrap();
    let (_, after) = after.split_once("; ").unwrap();
    assert!(readme.contains(before) && readme.contains(after.trim_end()), "{said}");
}

/// What the tour and READMEs show of plans is what the program prints; `...` stands for what they leave out.
#[test]
fn the_readmes_show_real_plans() {
    let bench = with_examples();
    let root = consort_testkit::fmus::example("").parent().unwrap().to_owned();
    let mut readmes = vec![root.join("docs/tour.md")];
    for folder in std::fs::read_dir(root.join("examples")).unwrap() {
        readmes.push(folder.unwrap().path().join("README.md"));
    }
    let mut count = 0;
    for readme in readmes {
        let text = std::fs::read_to_string(&readme).unwrap();
        for block in text.split("```text\n$ ").skip(1) {
            let block = block.split("```").next().unwrap();
            let (command, shown) = block.split_once('\n').unwrap();
            let args = ["consort ", "cargo run --release -- "]
                .into_iter()
                .find_map(|start| command.strip_prefix(start))
                .unwrap_or_else(|| panic!("{}: {command}", readme.display()));
            if args.starts_with("plan ") {
                check_shown(&bench, &args.split(' ').collect::<Vec<_>>(), shown);
                count += 1;
            }
        }
    }
    assert!(9 <= count, "{count}");
}

fn check_shown(bench: &Bench, args: &[&str], shown: &str) {
    let said = bench.done(args).stdout;
    let mut rest = said.as_str();
    for part in shown.split("...\n").filter(|part| !part.is_empty()) {
        let found = rest.find(part);
        let found = found.unwrap_or_else(|| panic!("{args:?} does not print\n{part}\nbut\n{said}"));
        rest = &rest[found + part.len()..];
    }
}
