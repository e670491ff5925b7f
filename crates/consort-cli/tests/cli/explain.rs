//! `consort explain`.

use crate::bench::{Bench, assert_said};

#[test]
fn a_code_is_explained() {
    let bench = Bench::new();
    let said = bench.done(&["explain", "cli::bad-time"]);
    assert_eq!(bench.done(&["explain", "error[cli::bad-time]:"]).stdout, said.stdout);
    assert_said!(said);
}

#[test]
fn a_short_code_is_explained_for_every_area_that_has_it() {
    let said = Bench::new().done(&["explain", "bad-time"]);
    let titles: Vec<&str> =
        said.stdout.lines().filter(|line| line.ends_with("::bad-time")).collect();
    assert_eq!(titles, ["cli::bad-time", "csv::bad-time", "run::bad-time"]);
}

#[test]
fn what_is_no_code_is_reported_with_what_was_meant() {
    assert_said!(Bench::new().consort(&["explain", "cli::bad-tiem"]));
    assert_said!(Bench::new().consort(&["explain", "something-else"]));
    assert_said!(Bench::new().consort(&["explain"]));
}

#[test]
fn all_codes_are_listed() {
    let bench = Bench::new();
    let said = bench.done(&["explain", "--list"]);
    let codes: Vec<&str> = said.stdout.lines().collect();
    assert!(codes.is_sorted() && codes.contains(&"system::unknown-variable"), "{codes:?}");
    let script = bench.done(&["completions", "bash"]).stdout;
    assert!(script.contains("consort__subcmd__explain"), "{script}");
}
