//! FMUs that log without an instance, with texts that are none, from threads and at odd times.

use super::liar::{BOTH, Case, fault, is_logged, logged};
use consort_testkit::fmus::Fmi;

/// Runs that end well, with these parts of messages in the log of the component.
#[track_caller]
fn check(fault: u32, fmi: Fmi, parts: &[&str]) {
    for case in Case::new(fault, fmi).everywhere() {
        let world = case.world();
        let said = case.run(&world);
        assert_eq!(said.code, Some(0), "{case:?}: {said}");
        for part in parts {
            let found = is_logged(&world, "warning", part);
            assert!(found, "{case:?}: `{part}` is not in {:?}", logged(&world));
        }
    }
}

#[test]
fn messages_without_an_instance_belong_to_the_component_that_was_called() {
    for fmi in BOTH {
        check(fault::LOGS_TO_ONE, fmi, &["to one"]);
        check(fault::LOGS_TO_NULL, fmi, &["to null"]);
        check(fault::LOGS_TO_ITSELF, fmi, &["to itself"]);
        check(fault::LOGS_AT_BIRTH, fmi, &["at birth"]);
        check(fault::LOGS_FROM_THREAD, fmi, &["from a thread"]);
    }
}

#[test]
fn messages_to_an_instance_that_is_gone_are_kept() {
    BOTH.into_iter().for_each(|fmi| check(fault::LOGS_TO_STALE, fmi, &["to a stale one"]));
}

#[test]
fn texts_that_are_none_do_no_harm() {
    for fmi in BOTH {
        check(fault::LOGS_NULLS, fmi, &["", "nameless"]);
        check(fault::LOGS_HUGE, fmi, &["xxxxxxxx... (cut)"]);
    }
    check(fault::LOGS_BAD_TEXTS, Fmi::V2, &["bad: (no text), (null), tex"]);
    check(fault::LOGS_BAD_TEXTS, Fmi::V3, &[""]);
}

#[test]
fn formats_are_followed_where_they_make_sense() {
    let parts = [
        "100% done, 50% sure: 5 % 2, %",
        "-3| 2.50|ab  |cd|z|12345678901|ff|%|9|44|  42",
        "nn",
        "it is 7 still",
        "no such: ",
    ];
    check(fault::LOGS_FORMATS, Fmi::V2, &parts);
    check(fault::LOGS_FORMATS, Fmi::V3, &["100% done, %s %n"]);
}

/// The library stays loaded while a thread of it may run.
#[test]
fn a_thread_that_logs_after_its_instance_was_freed_does_no_harm() {
    BOTH.into_iter().for_each(|fmi| check(fault::LOGS_AFTER_FREE, fmi, &[]));
}

/// Two that do not say who they are: each message is that of the one that was in a call.
#[test]
fn messages_of_two_nameless_components_are_distinguished_by_the_call() {
    for fmi in BOTH {
        let case = Case::new(fault::LOGS_TO_NULL, fmi);
        let world = case.world();
        let second = "[components.other]\nmodel = \"liar\"\ninterface = \"co-simulation\"\n";
        world.system(&(world.read("s/system.toml") + second));
        let said = case.run(&world);
        assert_eq!(said.code, Some(0), "{said}");
        for component in ["odd", "other"] {
            let own = |line: &&serde_json::Value| {
                line["component"] == component && line["message"] == "to null"
            };
            let lines = world.events("run", "log");
            assert_eq!(lines.iter().filter(own).count(), 1, "{fmi:?} {component}: {lines:?}");
        }
    }
}
