//! Every mistake a system file can have, and what is said about it.

#[path = "bad_systems/cases.rs"]
mod cases;

use consort_core::Report;
use consort_formats::fuzz::{descriptions, models};
use consort_formats::{read_inputs, read_system};
use consort_system::resolve;
use consort_testkit::render;
use std::fmt::Write as _;

/// Everything that is said about a system, and whether it would run.
fn findings(text: &str, table: Option<&[u8]>) -> String {
    let mut report = Report::default();
    let models = models();
    let mut runs = false;
    if let Some(mut system) = read_system("system.toml", text, &mut report) {
        if let Some(table) = table {
            system.inputs = read_inputs("table.csv", table, &mut report);
        }
        let found = descriptions(&system, &models);
        runs = resolve(&system, &found, &mut report).is_some();
    }
    render::assert_helpful(&report);
    let verdict = if runs { "runs" } else { "does not run" };
    assert_eq!(runs, !report.has_errors(), "nothing runs with an error, all else does: {text}");
    format!("{}({verdict})\n", render::report(&report))
}

#[test]
fn every_mistake_is_named_with_its_place_and_a_help() {
    let mut all = String::new();
    for (name, text) in cases::ALONE {
        let _ = writeln!(all, "## {name}\n{}", findings(text, None));
    }
    for (name, text) in cases::ADDED {
        let _ = writeln!(all, "## {name}\n{}", findings(&format!("{}{text}", cases::BASE), None));
    }
    insta::assert_snapshot!("systems", all);
}

#[test]
fn every_mistake_in_a_table_is_named_with_its_place_and_a_help() {
    let mut all = String::new();
    for (name, table) in cases::TABLES {
        let _ = writeln!(all, "## {name}\n{}", findings(cases::FED, Some(table)));
    }
    insta::assert_snapshot!("tables", all);
}

#[test]
fn the_base_of_the_cases_is_right() {
    assert_eq!(findings(cases::BASE, None), "(runs)\n");
    assert_eq!(findings(cases::FED, Some(b"time,tank.inflow\n0,1\n")), "(runs)\n");
}

#[test]
fn cases_are_distinct_and_at_least_sixty() {
    let names = cases::ALONE.iter().chain(cases::ADDED).map(|(name, _)| *name);
    let names: Vec<&str> = names.chain(cases::TABLES.iter().map(|(name, _)| *name)).collect();
    let distinct: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
    assert!(60 <= names.len(), "{}", names.len());
}
