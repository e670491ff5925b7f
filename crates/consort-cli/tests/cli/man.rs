//! `consort man` and `consort reference`.

use crate::bench::Bench;
use std::fs;

/// The page has these lines, and no line that `man` would take for a request it does not know.
fn check(page: &str, parts: &[&str]) {
    for part in parts {
        assert!(page.contains(part), "no `{part}` in\n{page}");
    }
}

#[test]
fn a_page_has_the_help_of_its_command() {
    let bench = Bench::new();
    let page = bench.done(&["man", "export", "fmu"]).stdout;
    check(
        &page,
        &[".TH consort-export-fmu 1", "\\-\\-fmi", "\n.SH NOTES\n", "\n.nf\n  consort export fmu"],
    );
    let page = bench.done(&["man"]).stdout;
    check(&page, &[".TH consort 1", "consort\\-run(1)", "consort\\-man(1)"]);
    assert!(!page.contains("campaign"), "hidden commands have no page");
}

#[test]
fn all_pages_are_written() {
    let bench = Bench::new();
    bench.done(&["man", "--out", "man1"]);
    let mut names = bench.list("man1");
    names.sort();
    assert!(names.len() >= 20, "{names:?}");
    for name in ["consort.1", "consort-run.1", "consort-check-plan.1", "consort-state-check.1"] {
        assert!(names.iter().any(|it| it == name), "{name} in {names:?}");
    }
    for name in &names {
        let page = fs::read_to_string(bench.path(&format!("man1/{name}"))).unwrap();
        let title = name.strip_suffix(".1").unwrap();
        check(&page, &[&format!(".TH {title} 1"), ".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS"]);
    }
}

#[test]
fn a_page_of_no_command_is_an_error() {
    let bench = Bench::new();
    let said = bench.consort(&["man", "runn"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""));
    check(&said.stderr, &["error[cli::unknown-command]", "did you mean `run`?"]);
    let said = bench.consort(&["man", "host"]);
    assert_eq!(said.code, Some(2), "{said}");
}

#[test]
fn references_and_schemas_are_data() {
    let bench = Bench::new();
    for (form, key) in [("system", "components"), ("campaign", "horizon"), ("interface", "command")]
    {
        let page = bench.done(&["reference", form]).stdout;
        assert!(page.contains(&format!("| `{key}` |")), "{form}");
        let schema = bench.done(&["reference", form, "--schema"]).stdout;
        let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
        assert!(schema["properties"][key].is_object(), "{form}");
    }
}
