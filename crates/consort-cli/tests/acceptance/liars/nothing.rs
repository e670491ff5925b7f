//! FMUs that die of, or refuse, a call with a count of zero; and numbers of states that were not declared.

use super::liar::{BOTH, CO_SIMULATION, Case, MODEL_EXCHANGE, at, fault, is_logged, is_near, last};
use consort_testkit::fmus::Fmi;

#[test]
fn no_call_is_made_for_nothing() {
    for fault in [fault::DIES_OF_NOTHING, fault::REFUSES_NOTHING] {
        for fmi in BOTH {
            for (states, indicators) in [(false, 0), (false, 1), (true, 0), (true, 1)] {
                let case = Case { states, indicators, ..Case::new(fault, fmi) };
                case.everywhere().into_iter().for_each(check);
            }
        }
    }
}

/// Time events and indicators work without states.
fn check(case: Case) {
    let world = case.world();
    let said = case.run(&world);
    assert_eq!(said.code, Some(0), "{case:?}: {said}");
    if case.interface == CO_SIMULATION {
        return;
    }
    let found = [0.4, 0.9, 1.9].map(|time| at(&world, "count", time));
    let after_half = if case.indicators == 1 { 100.0 } else { 0.0 };
    assert_eq!(found.map(f64::to_bits), [0.0, after_half, 101.0].map(f64::to_bits), "{case:?}");
    let x = if case.states { 5.0 } else { 0.0 };
    assert!(is_near(last(&world, "x"), x), "{case:?}");
}

#[test]
fn a_system_that_sets_and_gets_nothing_makes_no_call_for_it() {
    for case in Case::new(fault::DIES_OF_NOTHING, Fmi::V2).everywhere() {
        let world = case.world();
        let text = world.read("s/system.toml");
        let start = text.find("record").unwrap();
        let end = start + text[start..].find('\n').unwrap();
        world.system(&format!("{}record = \"nothing\"{}", &text[..start], &text[end..]));
        let said = case.run(&world);
        assert_eq!(said.code, Some(0), "{case:?}: {said}");
    }
}

#[test]
fn a_number_of_states_that_is_not_the_declared_one_counts_and_is_said() {
    for isolated in [false, true] {
        let case = Case {
            interface: MODEL_EXCHANGE,
            isolated,
            states: false,
            ..Case::new(fault::HAS_MORE_STATES, Fmi::V3)
        };
        let world = case.world();
        let said = case.run(&world);
        assert_eq!(said.code, Some(0), "{said}");
        assert!(is_near(last(&world, "x"), 5.0), "{said}");
        let words = "it has 1 continuous states and 0 event indicators, which is used";
        assert!(is_logged(&world, "warning", words), "{said}");
    }
}

#[test]
fn an_impossible_number_of_states_is_refused() {
    let case = Case { interface: MODEL_EXCHANGE, ..Case::new(fault::CLAIMS_TOO_MUCH, Fmi::V3) };
    let world = case.world();
    let said = case.run(&world);
    assert_eq!(said.code, Some(0), "{said}");
    assert!(is_near(last(&world, "x"), 5.0), "{said}");
    assert!(is_logged(&world, "warning", "which is implausible and ignored"), "{said}");
}

#[test]
fn derivatives_that_the_structure_does_not_list_are_said() {
    for fmi in BOTH {
        let case = Case { interface: MODEL_EXCHANGE, ..Case::new(fault::HONEST, fmi) };
        let world = case.world();
        let path = "s/liar/modelDescription.xml";
        let listed = [
            "<Derivatives><Unknown index=\"8\"/></Derivatives>",
            "<ContinuousStateDerivative valueReference=\"8\"/>",
        ];
        let text = listed.iter().fold(world.read(path), |text, it| text.replace(it, ""));
        world.write(path, text);
        let said = world.consort(&["inspect", "s/liar"]);
        assert!(said.stderr.contains("description::undeclared-state"), "{fmi:?}: {said}");
        assert!(said.stderr.contains("`der(x)`"), "{fmi:?}: {said}");
    }
}
