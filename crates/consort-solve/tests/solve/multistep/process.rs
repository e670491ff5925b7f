//! Bytes continue in another process as they do here. The other one is this test's own program, asked
//! for one test only; what it is to continue stands in a name of tests to skip, which no test has.

use super::problems::{Known, arenstorf, brusselator, robertson};
use super::started;
use consort_core::Prng;
use consort_solve::{Family, Multistep};
use std::process::Command;

const STEPS: usize = 25;
const MARK: &str = "state:";

fn cases() -> [(Family, Known); 3] {
    [(Family::Bdf, robertson()), (Family::Adams, arenstorf()), (Family::AdamsNewton, brusselator())]
}

fn to_text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_text(text: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("written in hex");
    (0..text.len()).step_by(2).map(byte).collect()
}

fn go_on(solver: &mut Multistep, known: &Known) {
    let mut problem = known.clone();
    for _ in 0..STEPS {
        solver.step(&mut problem, known.end).expect("a step is taken");
    }
}

/// The other process's part: without a state to continue there is nothing to do.
#[test]
fn what_was_given_is_continued() {
    let Some(given) = std::env::args().find_map(|arg| Some(arg.strip_prefix(MARK)?.to_owned()))
    else {
        return;
    };
    let mut solver = Multistep::from_bytes(&from_text(&given)).expect("written by a solver");
    let of_family = cases().into_iter().find(|(family, _)| *family == solver.family());
    go_on(&mut solver, &of_family.expect("one of the cases").1);
    println!("\n{MARK}{}", to_text(&solver.to_bytes()));
}

#[test]
fn another_process_continues_exactly() {
    let seed = 20_261_115;
    println!("seed {seed}");
    let mut prng = Prng::new(seed);
    let program = std::env::current_exe().expect("a test is a program");
    for (family, known) in cases() {
        let mut solver = started(family, &known, &known.options(1e-6, 1e-9));
        for _ in 0..8 {
            let mut problem = known.clone();
            for _ in 0..prng.below(60) {
                solver.step(&mut problem, known.end).expect("a step is taken");
            }
            let mut command = Command::new(&program);
            command.args(["--exact", "multistep::process::what_was_given_is_continued"]);
            let given = format!("{MARK}{}", to_text(&solver.to_bytes()));
            let output = command.args(["--nocapture", "--skip", &given]).output().expect("it runs");
            let stdout = String::from_utf8_lossy(&output.stdout);
            let found = stdout.lines().find_map(|line| line.strip_prefix(MARK));
            go_on(&mut solver, &known);
            assert_eq!(found, Some(&*to_text(&solver.to_bytes())), "{family:?}");
        }
    }
}
