//! The C library among runs that send it nonsense: it ends, with 0 or 1, and touches nothing that is not its own.

use consort_core::Prng;
use consort_models::foreign::{C_LIBRARY, VERSION};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const SEED: u64 = 11;
const RUNS: usize = 150;

const PROGRAM: &str = r#"
#include "consort.h"
int main(void) {
    consort_node *node = consort_join("it");
    double time, length, memory = 0;
    int u = consort_variable(node, "u"), y = consort_variable(node, "y"), s = consort_variable(node, "s");
    consort_state(node, &memory, sizeof memory);
    while (consort_next(node, &time, &length) == 1) {
        memory += consort_get(node, u);
        consort_put(node, y, memory);
        consort_put_text(node, s, 1, consort_get_text(node, s, 0));
    }
    return consort_leave(node);
}
"#;

fn frame(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(1 + body.len()).unwrap();
    [&length.to_le_bytes()[..], &[kind], body].concat()
}

fn text(text: &str) -> Vec<u8> {
    let length = u32::try_from(text.len()).unwrap();
    [&length.to_le_bytes()[..], text.as_bytes()].concat()
}

/// All that a good run sends.
fn conversation() -> Vec<u8> {
    let variable = |name: &str, letters: &[u8; 2], count: u32| {
        [&text(name)[..], letters, &count.to_le_bytes()].concat()
    };
    let (u, y, s) = (variable("u", b"ir", 1), variable("y", b"or", 1), variable("s", b"os", 2));
    let b = variable("b", b"ib", 3);
    let table = [&VERSION.to_le_bytes()[..], &[1, 4, 0, 0, 0], &u, &y, &s, &b].concat();
    let number = 1.0_f64.to_le_bytes();
    let outputs = [&number[..], &text("hello"), &text("")].concat();
    let times = [number, number].concat();
    let step = frame(b'S', &[&times[..], &number, &[1, 0, 1]].concat());
    let messages = [
        frame(b'T', &table),
        frame(b'I', &[&times[..], &number, &outputs, &[0, 1, 0]].concat()),
        step.clone(),
        frame(b'G', b""),
        frame(b'R', &[&outputs[..], &number].concat()),
        step,
        frame(b'E', &text("")),
    ];
    messages.concat()
}

fn mutate(bytes: &mut Vec<u8>, prng: &mut Prng) {
    for _ in 0..=prng.below(5) {
        let at = prng.below(bytes.len() as u64) as usize;
        match prng.below(4) {
            0 => bytes[at] = prng.below(256) as u8,
            1 => bytes[at] = [0, 1, 127, 255][prng.below(4) as usize],
            2 => drop(bytes.drain(at..(at + 4).min(bytes.len() - 1).max(at))),
            _ => bytes.insert(at, prng.below(256) as u8),
        }
    }
}

/// Compiled with every check that the compiler has.
fn compile(folder: &Path) {
    for (name, text) in C_LIBRARY.into_iter().chain([("it.c", PROGRAM)]) {
        fs::write(folder.join(name), text).unwrap();
    }
    let build = |checks: &[&str]| {
        let mut compiler = Command::new("cc");
        compiler
            .current_dir(folder)
            .args(["-g", "-o", "it", "it.c", "consort.c", "-lm"])
            .args(checks);
        compiler.stderr(Stdio::null()).status().unwrap().success()
    };
    let checks = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    assert!(build(&checks) || build(&[]));
}

fn answer(folder: &Path, bytes: &[u8]) -> Output {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let mut program = Command::new(folder.join("it"));
    program.env("CONSORT_CHANNEL", "0").stdin(Stdio::from(OwnedFd::from(theirs)));
    let child = program.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    // It may be gone before it has read all of this.
    drop(program);
    let _ = ours.write_all(bytes);
    let _ = ours.shutdown(Shutdown::Write);
    let _ = ours.read_to_end(&mut Vec::new());
    child.wait_with_output().unwrap()
}

#[test]
fn nonsense_ends_a_program_and_never_harms_it() {
    let folder = tempfile::tempdir().unwrap();
    compile(folder.path());
    let good = answer(folder.path(), &conversation());
    assert_eq!(good.status.code(), Some(0), "{}", String::from_utf8_lossy(&good.stderr));
    println!("seed {SEED}");
    let mut prng = Prng::new(SEED);
    for run in 0..RUNS {
        let mut bytes = conversation();
        mutate(&mut bytes, &mut prng);
        let output = answer(folder.path(), &bytes);
        let said = String::from_utf8_lossy(&output.stderr);
        let is_harmed = said.contains("Sanitizer") || said.contains("runtime error");
        assert!(matches!(output.status.code(), Some(0 | 1)) && !is_harmed, "run {run}: {said}");
    }
}
