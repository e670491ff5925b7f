//! A large model: compiled in seconds, not larger than it must be, and right.

use crate::bench::{Bench, Form, assert_near, compiled, unpacked};
use consort_export::FmiVersion;
use consort_solve::integrate::SolverKind;
use std::process::Command;

const CELLS: usize = 1000;

/// Heat in a rod whose ends are held at zero, with cells that feed each other.
fn rod() -> String {
    let mut text = "model rod\n  parameter k = 100\n  input source = 1\n".to_owned();
    for cell in 1..=CELLS {
        text += &format!("  state x{cell} = 0\n");
    }
    for cell in 1..=CELLS {
        let left = if cell == 1 { "0".to_owned() } else { format!("x{}", cell - 1) };
        let right = if cell == CELLS { "0".to_owned() } else { format!("x{}", cell + 1) };
        text +=
            &format!("  der(x{cell}) = k*({left} - 2*x{cell} + {right}) + source*{cell}/{CELLS}\n");
    }
    text + "end"
}

/// Generous: a machine that does nothing else needs two.
const SECONDS_MAX: u64 = 60;
const BYTES_MAX: u64 = 1_000_000;

#[expect(clippy::disallowed_methods, reason = "how long compilers take is what this is about")]
#[test]
fn a_thousand_states_compile_in_seconds_to_little() {
    let equations = compiled(&rod());
    let folder = unpacked(&equations, FmiVersion::V2);
    let sources = folder.path().join("rod/sources");
    let started = std::time::Instant::now();
    let mut compiler = Command::new("cc");
    compiler.current_dir(&sources).args(["-std=c99", "-O2", "-fPIC", "-c", "model.c"]);
    assert!(compiler.status().unwrap().success());
    let elapsed = started.elapsed();
    let size = std::fs::metadata(sources.join("model.o")).unwrap().len();
    println!("{elapsed:?}, {size} bytes");
    assert!(elapsed.as_secs() < SECONDS_MAX, "{elapsed:?}");
    assert!(size < BYTES_MAX, "{size} bytes");
}

#[test]
fn a_thousand_states_run() {
    let equations = compiled(&rod());
    let step = 10_000_000;
    let mut ours = Bench::new(&equations, Form::Rust(SolverKind::Bdf), step, 1e-6);
    let mut theirs = Bench::new(&equations, Form::CoSimulation(FmiVersion::V2), step, 1e-6);
    for bench in [&mut ours, &mut theirs] {
        bench.run_to(0.1);
    }
    for name in ["x1", "x500", "x1000"] {
        assert_near(theirs.get(name), ours.get(name), 1e-6, name);
    }
}
