//! Parameters that an FMU loses, changes or refuses.

use super::liar::{BOTH, Case, FORGOTTEN, GIVEN, fault, is_logged, is_near, last};
use consort_testkit::fmus::Fmi;
use serde_json::json;

/// Runs that end well and have kept the parameters, without a warning.
#[track_caller]
fn check_kept(case: Case, note: Option<&str>) {
    for case in case.everywhere() {
        let world = case.world();
        let said = case.run(&world);
        assert_eq!(said.code, Some(0), "{case:?}: {said}");
        let y = last(&world, "y");
        assert!(is_near(y, GIVEN), "{case:?}: {y} instead of {GIVEN}: {said}");
        assert!(is_near(last(&world, "x"), 5.0), "{case:?}: {said}");
        assert!(!said.stderr.contains("run::parameter-lost"), "{case:?}: {said}");
        let manifest = world.manifest("run");
        assert!(manifest["lost_parameters"].is_null(), "{case:?}: {manifest}");
        if let Some(note) = note {
            assert!(is_logged(&world, "info", note), "{case:?}: {:?}", super::liar::logged(&world));
        }
    }
}

/// Runs that end with the values of the FMU, a warning for each, and both values in the manifest.
#[track_caller]
fn check_lost(case: Case, expected: f64, lost: &[(&str, &str, &str)]) {
    for case in case.everywhere() {
        let world = case.world();
        let said = case.run(&world);
        assert_eq!(said.code, Some(0), "{case:?}: {said}");
        let y = last(&world, "y");
        assert!(is_near(y, expected), "{case:?}: {y} instead of {expected}: {said}");
        let entries: Vec<_> = lost
            .iter()
            .map(|(name, given, found)| {
                json!({"variable": format!("odd.{name}"), "given": given, "found": found})
            })
            .collect();
        assert_eq!(world.manifest("run")["lost_parameters"], json!(entries), "{case:?}");
        for (name, given, found) in lost {
            let words = format!("`odd.{name}` was given {given} and has {found}");
            assert!(said.stderr.contains(&words), "{case:?}: {said}");
        }
    }
}

const ALL_LOST: &[(&str, &str, &str)] =
    &[("k", "2.5", "1.0"), ("n", "7", "3"), ("b", "true", "false"), ("s", "\"abc\"", "\"start\"")];

#[test]
fn an_fmu_that_keeps_its_parameters_has_them() {
    BOTH.into_iter().for_each(|fmi| check_kept(Case::new(fault::HONEST, fmi), None));
}

#[test]
fn an_fmu_that_resets_in_set_up_has_its_parameters() {
    check_kept(Case::new(fault::RESETS_IN_SETUP, Fmi::V2), None);
}

#[test]
fn an_fmu_that_resets_at_the_start_of_initialization_is_made_again() {
    for fmi in BOTH {
        let case = Case::new(fault::RESETS_AT_ENTER, fmi);
        check_kept(case, Some("it is set again in initialization mode"));
    }
}

#[test]
fn what_is_lost_at_the_end_of_initialization_is_said() {
    for fmi in BOTH {
        check_lost(Case::new(fault::RESETS_AT_EXIT, fmi), FORGOTTEN, ALL_LOST);
    }
}

#[test]
fn what_cannot_be_set_again_is_said() {
    for fmi in BOTH {
        check_lost(Case::new(fault::REFUSES_AGAIN, fmi), FORGOTTEN, ALL_LOST);
    }
}

#[test]
fn a_value_that_the_fmu_changes_is_said() {
    for fmi in BOTH {
        check_lost(Case::new(fault::CLAMPS, fmi), GIVEN - 0.5, &[("k", "2.5", "2.0")]);
    }
}

#[test]
fn an_fmu_that_refuses_to_be_read_runs_with_a_note() {
    for fmi in BOTH {
        let case = Case::new(fault::REFUSES_READS, fmi);
        check_kept(case, Some("`k` could not be read back"));
    }
}

#[test]
fn an_fmu_that_needs_its_parameters_before_set_up_is_named_and_can_have_them() {
    for fault in [fault::NEEDS_PARAMETERS, fault::REFUSES_AFTER_SETUP] {
        for case in Case::new(fault, Fmi::V2).everywhere() {
            let world = case.world();
            let said = case.run(&world);
            assert_eq!(said.code, Some(2), "{case:?}: {said}");
            for words in ["run::set-up", "`odd`", "setup = \"after-parameters\""] {
                assert!(said.stderr.contains(words), "{case:?}: {said}");
            }
        }
        let keys = "setup = \"after-parameters\"";
        check_kept(Case { keys, ..Case::new(fault, Fmi::V2) }, None);
    }
}

/// The order that was right before, for an FMU that resets in set-up: its values are lost, and that is said.
#[test]
fn set_up_after_parameters_loses_those_of_an_fmu_that_resets_there() {
    let keys = "setup = \"after-parameters\"";
    let case = Case { keys, ..Case::new(fault::RESETS_IN_SETUP, Fmi::V2) };
    check_kept(case, Some("it is set again in initialization mode"));
}

/// A node cannot begin anew, so it refuses; asked to set parameters twice, it gives the trace of a run in one piece.
#[test]
fn a_distributed_run_has_the_parameters_of_a_run_in_one_piece() {
    for fault in [fault::RESETS_AT_ENTER, fault::RESETS_AT_EXIT, fault::CLAMPS] {
        let run = |keys: &'static str, out: &str, options: &[&str]| {
            let world = Case { keys, ..Case::new(fault, Fmi::V2) }.world();
            let nodes = "[components.other]\nmodel = \"native:sine\"\n\
                         [nodes]\none = [\"odd\"]\ntwo = [\"other\"]\n";
            world.system(&(world.read("s/system.toml") + nodes));
            let said = world.consort(&[&["run", "s", "--out", out, "--csv"], options].concat());
            (said, world)
        };
        let (said, local) = run("", "run", &["--local"]);
        assert_eq!(said.code, Some(0), "{fault}: {said}");
        let (said, _) = run("", "run", &[]);
        assert_ne!(said.code, Some(0), "{fault}: {said}");
        for words in
            ["run::parameter-lost", "`odd.k` was given 2.5 and has", "setup = \"set-again\""]
        {
            assert!(said.stderr.contains(words), "{fault}: {said}");
        }
        for options in [&["--local"][..], &[]] {
            let (said, world) = run("setup = \"set-again\"", "run", options);
            assert_eq!(said.code, Some(0), "{fault}: {said}");
            assert_eq!(world.trace_hash("run"), local.trace_hash("run"), "{fault} {options:?}");
            let is_lost = said.stderr.contains("`odd.k` was given 2.5 and has");
            assert_eq!(is_lost, fault != fault::RESETS_AT_ENTER, "{fault}: {said}");
        }
    }
}

/// The check of saved states gives the model what the run gives it: without, this one cannot even be set up.
#[test]
fn states_are_checked_with_the_parameters_of_the_component() {
    let keys = "setup = \"after-parameters\"";
    for case in Case::new(fault::NEEDS_PARAMETERS, Fmi::V2).everywhere() {
        let case = Case { keys, ..case };
        let world = case.world();
        let mut args = vec!["run", "s", "--out", "run", "--csv", "--providers", "replay"];
        args.extend(["--save-at", "1", "--save", "half"]);
        args.extend(case.isolated.then_some("--isolate"));
        let said = world.consort(&args);
        assert_eq!(said.code, Some(0), "{case:?}: {said}");
        let resumed =
            world.consort(&["run", "--resume", "half", "--providers", "replay", "--out", "rest"]);
        assert_eq!(resumed.code, Some(0), "{case:?}: {resumed}");
        assert_eq!(world.trace_hash("run"), world.trace_hash("rest"), "{case:?}");
    }
}
