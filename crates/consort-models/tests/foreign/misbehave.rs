//! Programs in C that do not do what they should.

use crate::bench::Shop;
use std::time::Duration;

const INTERFACE: &str =
    "source = [\"it.c\"]\n[inputs]\nu = {}\n[outputs]\ny = {}\ns = { type = \"String\" }\n";

/// A program whose every step does something; what the run says about it, with what it printed.
fn check(prologue: &str, step: &str, expected: &str) {
    let program = format!(
        r#"
#include "consort.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {{
    double time, length;
    int steps = 0;
    consort_node *node = consort_join("it");
    {prologue}
    while (consort_next(node, &time, &length) == 1) {{
        if (++steps == 3) {{ {step} }}
    }}
    return consort_leave(node);
}}
"#
    );
    let mut shop = Shop::new(&[("it.toml", INTERFACE), ("it.c", &program)]);
    shop.call_limit = Some(Duration::from_secs(2));
    let said = said(&shop);
    assert_eq!(said, expected, "{prologue} {step}");
}

/// What the run says, and the program's own last output.
fn said(shop: &Shop) -> String {
    let mut bench = match shop.fresh(None) {
        Ok(bench) => bench,
        Err(error) => return error.to_string(),
    };
    let failed = bench.initialize().and_then(|()| (0..10).try_for_each(|_| bench.step()));
    let error = failed.unwrap_err();
    let words: Vec<String> = error.log.iter().map(|line| format!("; it said: {line}")).collect();
    assert_eq!(error.log, bench.log());
    // Nothing is requested of it any more, and nothing waits for it.
    assert!(bench.step().unwrap_err().to_string().contains("did not return"));
    bench.instance.terminate().unwrap();
    format!("{error}{}", words.concat())
}

#[test]
fn a_program_that_crashes_is_reported_with_its_signal() {
    check(
        "",
        "raise(SIGSEGV);",
        "step(t = 0.2, h = 0.1) did not return: the program closed its channel; it was killed by signal 11",
    );
}

#[test]
fn a_program_that_exits_is_reported_with_its_code_and_last_output() {
    check(
        "",
        "fprintf(stderr, \"no more water\\n\"); exit(3);",
        "step(t = 0.2, h = 0.1) did not return: the program closed its channel; it exited with code 3; it said: \
         no more water",
    );
}

#[test]
fn a_program_that_hangs_is_ended_after_the_call_limit() {
    check(
        "",
        "for (;;) pause();",
        "step(t = 0.2, h = 0.1) did not return: the program did not answer within the call limit of 2 s",
    );
}

#[test]
fn a_program_that_leaves_early_is_reported() {
    check(
        "",
        "return consort_leave(node);",
        "step(t = 0.2, h = 0.1) did not return: the program left before the end of the run; it exited with code 1",
    );
}

#[test]
fn a_program_that_gives_up_says_why() {
    check(
        "",
        "consort_fail(node, \"the pump is broken\");",
        "step(t = 0.2, h = 0.1) did not return: the program failed: the pump is broken",
    );
}

#[test]
fn mistakes_in_the_use_of_the_library_are_reported_by_name() {
    let failed = "initialize() did not return: the program failed: ";
    let cases = [
        ("consort_variable(node, \"z\");", "there is no variable `z`"),
        ("consort_get(node, 17);", "there is no variable number 17"),
        ("consort_put(node, 0, 1.0);", "`u` is no output and cannot be put"),
        ("consort_get_at(node, 0, 1);", "`u` has 1 elements, there is none with number 1"),
        (
            "consort_put(node, 2, 1.0);",
            "`s` is used by the calls for real numbers, but is of another type",
        ),
    ];
    for (prologue, expected) in cases {
        check(prologue, "", &format!("{failed}{expected}"));
    }
}

#[test]
fn a_program_that_never_joins_is_reported() {
    let program = "int main(void) { return 7; }\n";
    let shop = Shop::new(&[("it.toml", INTERFACE), ("it.c", program)]);
    let expected = "join() did not return: the program closed its channel; it exited with code 7";
    assert_eq!(said(&shop), expected);
}

#[test]
fn a_program_that_joins_under_another_name_is_refused_with_a_message() {
    let program = "#include \"consort.h\"\nint main(void) { return consort_leave(consort_join(\"that\")); }\n";
    let shop = Shop::new(&[("it.toml", INTERFACE), ("it.c", program)]);
    let expected = "join() did not return: the program failed: it joins as component `that`, expected component `it`";
    assert_eq!(said(&shop), expected);
}

#[test]
fn a_state_that_the_program_does_not_offer_is_reported() {
    let interface = format!("saves-state = true\n{INTERFACE}");
    let program = "#include \"consort.h\"\nint main(void) {\n  consort_node *node = consort_join(\"it\");\n  \
                   while (consort_next(node, 0, 0) == 1) {}\n  return consort_leave(node);\n}\n";
    let shop = Shop::new(&[("it.toml", &interface), ("it.c", program)]);
    let mut bench = shop.fresh(None).unwrap();
    bench.initialize().unwrap();
    let Err(error) = bench.instance.save() else { panic!("it was saved") };
    insta::assert_snapshot!(error, @"save its state() did not return: the program failed: the interface says `saves-state`, but `consort_state` was not called");
}

#[test]
fn a_command_that_cannot_be_started_is_reported() {
    let shop = Shop::new(&[("it.toml", "command = [\"./nowhere\"]\n[outputs]\ny = {}\n")]);
    let expected =
        "start() was refused: there is no program `./nowhere` in the folder of its interface";
    assert_eq!(said(&shop), expected);
}

#[test]
fn a_component_whose_program_was_not_started_says_how_to() {
    let shop = Shop::new(&[("it.toml", "[outputs]\ny = {}\n")]);
    let expected = "start() was refused: no program is connected: its interface names none \
                    (`source` or `command`), so it must be started by hand and call `consort_join`, as in \
                    `docs/foreign-nodes.md`";
    assert_eq!(said(&shop), expected);
}
