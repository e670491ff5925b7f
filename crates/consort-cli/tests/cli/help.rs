//! Help worth reading, in lines that fit.

use crate::bench::{Bench, assert_said};

const VERBS: [&str; 16] = [
    "inspect",
    "plan",
    "run",
    "replay",
    "recover",
    "diff",
    "repeat",
    "plot",
    "check",
    "export",
    "state-check",
    "explore",
    "explain",
    "reference",
    "man",
    "completions",
];

#[test]
fn help_lines_fit_79_columns() {
    let bench = Bench::new();
    let mut pages = vec![vec!["--help"], vec!["-h"], vec!["export", "fmu", "--help"]];
    for verb in VERBS {
        pages.push(vec![verb, "--help"]);
        pages.push(vec![verb, "-h"]);
    }
    for page in pages {
        let said = bench.done(&page);
        assert_eq!(said.stderr, "", "{page:?}");
        for line in said.stdout.lines() {
            assert!(line.chars().count() <= 79, "{page:?}: {line}");
        }
    }
}

#[test]
fn every_verb_has_examples() {
    let bench = Bench::new();
    for verb in VERBS {
        let said = bench.done(&[verb, "--help"]);
        assert!(said.stdout.contains(&format!("Examples:\n  consort {verb} ")), "{}", said.stdout);
    }
}

#[test]
fn the_first_page_names_the_verbs() {
    assert_said!(Bench::new().done(&["-h"]));
}

#[test]
fn the_page_of_run_explains_a_run() {
    assert_said!(Bench::new().done(&["run", "--help"]));
}

#[test]
fn the_pages_of_plan_and_check_explain_orders_and_verdicts() {
    assert_said!(Bench::new().done(&["plan", "--help"]));
    assert_said!(Bench::new().done(&["check", "--help"]));
}

#[test]
fn the_page_of_export_fmu_says_what_is_in_an_fmu() {
    assert_said!(Bench::new().done(&["export", "fmu", "--help"]));
}

#[test]
fn the_short_page_of_run_is_short() {
    assert_said!(Bench::new().done(&["run", "-h"]));
}

#[test]
fn wrong_usage_is_exit_code_2_and_nothing_on_stdout() {
    let bench = Bench::with_loop();
    for args in [
        vec![],
        vec!["walk"],
        vec!["run"],
        vec!["run", "loop", "--workers", "0"],
        vec!["run", "loop", "--real-time", "-1"],
        vec!["run", "loop", "--csv", "--no-record"],
        vec!["run", "loop", "--quiet", "--verbose"],
        vec!["diff", "a"],
        vec!["diff", "a", "b", "--absolute", "nan"],
        vec!["repeat", "loop", "--runs", "0"],
        vec!["repeat", "loop", "--workers", "1,x"],
        vec!["plot", "a", "--format", "jpeg"],
        vec!["completions", "tcsh"],
    ] {
        let said = bench.consort(&args);
        assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(!said.stderr.is_empty(), "{args:?}");
    }
    assert_eq!(bench.list(""), ["loop"]);
}

#[test]
fn shells_can_complete_our_words() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = bench.done(&["completions", shell]);
        assert!(said.stdout.contains("replay"), "{shell}");
        assert_eq!(said.stderr, "", "{shell}");
    }
}

#[test]
fn the_version_is_data() {
    let said = Bench::new().done(&["--version"]);
    assert_eq!(said.stdout, format!("consort {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_examples_in_the_help_work() {
    let bench = Bench::new();
    let examples = consort_testkit::fmus::example("");
    std::os::unix::fs::symlink(examples, bench.path("examples")).unwrap();
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_consort")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let mut tried = 0;
    for verb in ["", "inspect", "plan", "check", "run", "plot", "replay", "repeat", "export"] {
        let page = bench.done(&[&[verb][..usize::from(!verb.is_empty())], &["--help"]].concat());
        let lines = page.stdout.lines().filter_map(|line| line.strip_prefix("  consort "));
        for line in lines.filter(|line| line.contains("quickstart")) {
            let mut shell = std::process::Command::new("sh");
            shell.args(["-c", &format!("consort {line}")]).env("PATH", &path);
            let output = shell.current_dir(bench.path("")).output().unwrap();
            assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
            tried += 1;
        }
    }
    assert!(10 <= tried, "{tried}");
}
