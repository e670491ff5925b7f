//! Programs that were there first and start their companion: here the companion is this test program.

use crate::bench::Shop;
use consort_models::foreign::C_LIBRARY;
use std::fs;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Output};

/// Says that this process is a companion.
const ROLE: &str = "CONSORT_TEST_COMPANION";

const PROGRAM: &str = r#"
#include "consort.h"
#include <stdio.h>
int main(void) {
    consort_node *node = consort_join("it");
    int u = consort_variable(node, "u"), y = consort_variable(node, "y");
    double time, length, sum = 0;
    while (consort_next(node, &time, &length) == 1) {
        sum += length * consort_get(node, u);
        consort_put(node, y, sum);
    }
    printf("%d from %g to %g\n", sum == 0.1 + 0.1 + 0.1, consort_start(node), consort_stop(node));
    return consort_leave(node);
}
"#;

/// Not a test but the companion, if its program started it.
#[test]
fn companion() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let channel = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned().unwrap());
    if role == "fails" {
        return;
    }
    let shop = Shop::new(&[("it.toml", "[inputs]\nu = {}\n[outputs]\ny = {}\n")]);
    let mut bench = shop.fresh(Some(channel)).unwrap();
    bench.initialize().unwrap();
    bench.set_real("u", 1.0);
    (0..3).for_each(|_| bench.step().unwrap());
    assert_eq!(bench.real("y"), 0.1 + 0.1 + 0.1);
    bench.instance.terminate().unwrap();
    assert!(role == "good", "a companion that ends badly");
}

fn run(folder: &Path, role: &str) -> Output {
    for (name, text) in C_LIBRARY.into_iter().chain([("it.c", PROGRAM)]) {
        fs::write(folder.join(name), text).unwrap();
    }
    let strict =
        ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"];
    let mut compiler = Command::new("cc");
    compiler.current_dir(folder).args(strict).args(["-o", "it", "it.c", "consort.c", "-lm"]);
    assert!(compiler.status().unwrap().success());
    let own = std::env::current_exe().unwrap();
    let node = format!("{}\n--exact\ncompanion::companion\n--nocapture\n", own.display());
    let mut command = Command::new(folder.join("it"));
    if role != "none" {
        command.env("CONSORT_NODE", node).env(ROLE, role);
    }
    command.output().unwrap()
}

fn check(role: &str, code: i32, out: &str, error: &str) {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), role);
    let (stdout, stderr) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{stdout}{stderr}");
    assert!(stdout.contains(out), "{stdout}");
    assert!(stderr.contains(error), "{stderr}");
}

#[test]
fn a_program_starts_its_companion_and_ends_with_it() {
    check("good", 0, "1 from 0 to 1\n", "");
}

#[test]
fn a_companion_that_ends_badly_or_early_is_reported() {
    check("bad", 1, "1 from 0 to 1\n", "a companion that ends badly");
    check("fails", 1, "", "consort: the run is gone: it closed the channel\n");
}

#[test]
fn a_program_without_a_run_says_what_to_do() {
    check("none", 1, "", "consort: no run to join: start this program by `consort run`");
}
