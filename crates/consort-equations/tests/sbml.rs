//! SBML: what each construct becomes, what it computes, and what is said about mistakes.

#[path = "sbml/bad.rs"]
mod bad;
#[path = "sbml/combinations.rs"]
mod combinations;
#[path = "sbml/constructs.rs"]
mod constructs;
#[path = "sbml/events.rs"]
mod events;
#[path = "sbml/formulas.rs"]
mod formulas;
#[path = "sbml/implicit.rs"]
mod implicit;
#[path = "sbml/mathml.rs"]
mod mathml;
#[path = "sbml/numbers.rs"]
mod numbers;
#[path = "sbml/print.rs"]
mod print;
#[path = "sbml/write.rs"]
mod write;

use consort_core::Report;
use consort_equations::{compile, sbml};
use consort_testkit::render;
use std::fmt::Write as _;

/// What the models become, each of which must also compile.
fn shown(cases: &[constructs::Case]) -> String {
    let mut all = String::new();
    for (name, edition, lists) in cases {
        let text = write::document(*edition, &write::network(lists));
        let mut report = Report::default();
        let model = sbml::read_sbml("m.xml", &text, &mut report);
        let _ = writeln!(all, "## {name} (level {}, version {})", edition.0, edition.1);
        all += &render::report(&report);
        let model = model.unwrap_or_else(|| panic!("{name}: {}", render::report(&report)));
        let _ = writeln!(all, "{}", print::model(&model));
        let equations = compile(&model, &mut report);
        assert!(equations.is_some(), "{name}: {}", render::report(&report));
    }
    all
}

#[test]
fn reactions_become_rates_of_change() {
    insta::assert_snapshot!("reactions", shown(constructs::REACTIONS));
}

#[test]
fn rules_and_functions_become_definitions() {
    insta::assert_snapshot!("rules", shown(constructs::RULES));
}

#[test]
fn events_keep_all_they_say() {
    insta::assert_snapshot!("events", shown(events::EVENTS));
}

#[test]
fn hostile_bytes_are_read_to_an_end() {
    consort_testkit::fuzz::drive("sbml", sbml::fuzz, 2_000);
}
