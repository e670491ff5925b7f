//! The smallest case of each fault that seeds have found.

use crate::FORMS;
use crate::program::{Ending, Place, Run};
use consort_testkit::fmus::Fmi;
use consort_testkit::liar::{Case, Function, Interface, Kind, Lie};

/// Runs a case here and apart: both end with the exit code and say the same, which holds `text`.
fn check(case: &Case, code: i32, text: &str) -> [Run; 2] {
    let runs = [Place::Here, Place::Apart].map(|place| Run::of(case, place));
    for run in &runs {
        assert_eq!(run.ending, Ending::Exit(code), "{case}: {}", run.stderr);
        assert!(run.complaint().concat().contains(text), "{case}: {}", run.stderr);
    }
    let [here, apart] = &runs;
    assert_eq!(here.complaint(), apart.complaint(), "{case}");
    assert_eq!(here.trace_hash, apart.trace_hash, "{case}");
    runs
}

fn saved(case: Case) -> Case {
    Case { saves: true, ..case }
}

const SIZES: [u32; 4] = [1, 2, 3, 5];

#[test]
fn a_binary_of_a_size_that_cannot_be_is_refused() {
    for (interface, size) in [Interface::CoSimulation, Interface::ModelExchange]
        .into_iter()
        .flat_map(|it| SIZES.map(|size| (it, size)))
    {
        let lie = Lie::once(Kind::Size, Function::GetBinary, size);
        check(
            &Case::of(Fmi::V3, interface, &[lie]),
            2,
            "fmi3GetBinary() was refused: it answered with a size",
        );
    }
}

#[test]
fn a_state_of_a_size_that_cannot_be_is_refused() {
    for (fmi, call) in
        [(Fmi::V2, "fmi2SerializedFMUstateSize()"), (Fmi::V3, "fmi3SerializedFMUStateSize()")]
    {
        for size in SIZES {
            let lie = Lie::once(Kind::Size, Function::StateSize, size);
            let case = saved(Case::of(fmi, Interface::CoSimulation, &[lie]));
            check(&case, 2, &format!("{call} was refused: it answered with a size"));
        }
    }
}

#[test]
fn a_state_that_is_null_is_refused() {
    for (fmi, interface) in FORMS {
        let lie = Lie::once(Kind::Pointer, Function::GetState, 0);
        let case = saved(Case::of(fmi, interface, &[lie]));
        check(&case, 2, "was refused: it answered `OK` without a state");
    }
}

/// From the second update on, the next event is announced for the next number after now.
#[test]
fn time_events_without_end_are_an_error_and_no_endless_run() {
    let lie = Lie { call: 2, forever: true, ..Lie::once(Kind::Moment, Function::Update, 5) };
    for fmi in [Fmi::V2, Fmi::V3] {
        let case = Case::of(fmi, Interface::ModelExchange, &[lie]);
        check(&case, 2, "10000 time events in a row");
    }
    let case = Case::of(Fmi::V3, Interface::CoSimulation, &[lie]);
    check(&case, 2, "returned early 100000 times without advancing");
}

#[test]
fn a_record_and_a_save_are_where_they_should_be_although_an_fmu_changes_the_working_folder() {
    for function in [Function::Instantiate, Function::ExitInitialization, Function::GetReal] {
        for (fmi, interface) in FORMS {
            let lie = Lie::once(Kind::World, function, 7);
            let case = saved(Case::of(fmi, interface, &[lie]));
            let [here, apart] = check(&case, 0, "");
            assert!(
                here.stderr.contains("warning[run::working-folder]"),
                "{case}: {}",
                here.stderr
            );
            assert!(!apart.stderr.contains("warning"), "{case}: {}", apart.stderr);
            assert!(here.trace_hash.is_some() && here.rows.is_some(), "{case}");
            assert!(here.is_saved && apart.is_saved, "{case}");
        }
    }
}

/// What is not given is not what was there before, which would depend on where the FMU lives.
#[test]
fn a_value_that_is_not_given_is_not_a_number() {
    let lie =
        Lie { call: 5, forever: true, ..Lie::once(Kind::StatusInstead, Function::GetReal, 0) };
    for (fmi, interface) in FORMS {
        let case = Case::of(fmi, interface, &[lie]);
        let [here, _] = check(&case, 0, "");
        assert!(here.rows.unwrap().contains("NaN"), "{case}");
    }
}

/// Not a number, minus infinity, the past and the present; plus infinity says that there is no event.
#[test]
fn an_event_that_is_announced_for_no_time_to_come_is_a_warning() {
    for (moment, is_reported) in [(0, true), (1, false), (2, true), (3, true), (4, true), (8, true)]
    {
        for (fmi, interface) in FORMS {
            if (fmi, interface) == (Fmi::V2, Interface::CoSimulation) {
                continue;
            }
            let lie = Lie { call: 2, ..Lie::once(Kind::Moment, Function::Update, moment) };
            let case = Case::of(fmi, interface, &[lie]);
            for run in check(&case, 0, "") {
                let reported = run.log.matches("announced its next event for t = ").count();
                assert_eq!(reported, usize::from(is_reported), "{case}: {}", run.log);
            }
        }
    }
}

#[test]
fn every_line_of_a_thread_is_kept() {
    for (fmi, interface) in FORMS {
        let lie = Lie::once(Kind::Log, Function::ExitInitialization, 10);
        for run in check(&Case::of(fmi, interface, &[lie]), 0, "") {
            let reported = run.log.matches("\"a line of a thread of its own\"").count();
            assert_eq!(reported, 100, "{}", run.log);
        }
    }
}

#[test]
fn a_line_that_is_too_long_hides_no_error() {
    for (fmi, interface) in FORMS {
        let function = Function::ExitInitialization;
        let lies = [Lie::once(Kind::Log, function, 5), Lie::once(Kind::StatusAfter, function, 3)];
        for run in check(&Case::of(fmi, interface, &lies), 2, "ExitInitializationMode()") {
            assert!(run.stderr.contains("more letters)"), "{}", run.stderr);
            assert!(run.stderr.len() < 3000, "{} bytes", run.stderr.len());
        }
    }
}

#[test]
fn a_state_that_cannot_be_brought_back_is_named() {
    for (fmi, interface) in FORMS {
        for (function, kind, argument) in [
            (Function::Deserialize, Kind::Pointer, 0),
            (Function::Deserialize, Kind::StatusAfter, 3),
            (Function::SetState, Kind::StatusAfter, 4),
            (Function::SetState, Kind::StatusInstead, 99),
        ] {
            let case = saved(Case::of(fmi, interface, &[Lie::once(kind, function, argument)]));
            for run in check(&case, 0, "") {
                let rest = run.rest.expect("the run was saved");
                assert_eq!(rest.ending, Ending::Exit(2), "{case}: {}", rest.stderr);
                let complaint = rest.complaint().concat();
                assert!(complaint.contains(function.symbol(fmi)), "{case}: {}", rest.stderr);
                assert!(complaint.contains("[run::not-restored]"), "{case}: {}", rest.stderr);
            }
        }
    }
}

/// What is rounded otherwise after a save is everything that runs on that thread, ours included.
#[test]
fn a_rounding_mode_that_is_changed_while_a_state_is_saved_is_put_back() {
    for (fmi, interface) in FORMS {
        for function in
            [Function::GetState, Function::StateSize, Function::Serialize, Function::SetState]
        {
            for mode in [0, 1] {
                let case =
                    saved(Case::of(fmi, interface, &[Lie::once(Kind::World, function, mode)]));
                let honest = Run::of(&Case::of(fmi, interface, &[]), Place::Apart).rows;
                for run in check(&case, 0, "") {
                    assert_eq!(run.rows, honest, "{case}");
                    let rest = run.rest.and_then(|rest| rest.rows).expect("it was resumed");
                    assert!(honest.as_ref().unwrap().ends_with(&rest), "{case}: {rest}");
                }
            }
        }
    }
}
