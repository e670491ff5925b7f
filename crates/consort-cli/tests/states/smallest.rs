//! The smallest cases of what seeds found and was mended.

use crate::program::{Asked, World};
use consort_testkit::amnesiac::{Case, Kind, Saving};

/// Three workers died of it, one after another, and a folder was left that could not be resumed.
#[test]
fn a_campaign_whose_component_cannot_be_saved_is_refused_before_it_begins() {
    let case = Case { saving: Saving::Nothing, ..Case::new(0).honest() };
    let world = World::asking(&case, Asked::Native);
    let said = world.consort(&["explore", "c"], "out");
    assert!(said.names_refusal(), "{}", said.stderr);
    assert!(said.stderr.contains("the state of `plant` cannot be saved"), "{}", said.stderr);
    assert!(!world.path("out/journal.jsonl").exists());
}

/// Workers were killed where they had nothing more to do, and could not tidy up.
#[test]
fn a_campaign_leaves_nothing_of_the_processes_of_its_components() {
    let case = Case::new(0).honest();
    let world = World::asking(&case, Asked::Best);
    let providers = ["--providers", "image,fork,replay"];
    let said =
        world.consort(&[&["explore", "c", "--workers", "2"], &providers[..]].concat(), "out");
    assert!(matches!(said.code, Some(0 | 1)), "{}", said.stderr);
    assert_eq!(world.leftovers(), None);
}

/// It was saved at its start, so that its trace was not the one of an ordinary run.
#[test]
fn a_counter_example_is_run_again_without_any_save() {
    let case = Case::new(100_490);
    assert!(case.faults.iter().any(|fault| fault.kind == Kind::RoundedBySaves), "{case}");
    let world = World::asking(&case, Asked::Native);
    let hash = |system: &str| {
        let said = world.consort(&["explore", system], &format!("{system}-out"));
        let found = said.manifest["counter_examples"][0]["trace_hash"].as_str();
        found.unwrap_or_else(|| panic!("{}", said.stderr)).to_owned()
    };
    assert_eq!(hash("c"), hash("h"));
}
