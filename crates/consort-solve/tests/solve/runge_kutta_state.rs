//! A clone of a Runge-Kutta solver and one from bytes continue as it does, to the bit, also in another
//! process; it allocates when it is made only.

use crate::problems::{Case, not_stiff, van_der_pol};
use crate::runge_kutta::{PAIRS, started};
use consort_core::Prng;
use consort_solve::{BytesError, Keep, Pair, RungeKutta};
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// So many steps are compared after a point.
const COMPARED: usize = 10;

/// One step, not past the next of the points at which the states would be reported.
fn step(solver: &mut RungeKutta, case: &mut Case) {
    let every = case.end / 37.0;
    let limit = ((solver.state().0 / every).floor() + 1.0) * every;
    let limit = if solver.state().0 < limit { limit } else { limit + every };
    solver.step(case, limit).expect("a harmless problem");
}

/// The solver after each step of a case.
fn trace(pair: Pair, case: &mut Case) -> Vec<RungeKutta> {
    let mut solver = started(pair, case, 1e-6);
    let mut all = vec![solver.clone()];
    while solver.state().0 < case.end {
        step(&mut solver, case);
        all.push(solver.clone());
    }
    all
}

/// The states in the middle of the last step.
fn middle(solver: &RungeKutta, from: f64) -> Vec<u64> {
    let mut x = vec![0.0; solver.state().1.len()];
    solver.interpolate(0.5 * from + 0.5 * solver.state().0, &mut x);
    x.into_iter().map(f64::to_bits).collect()
}

/// Where and from what solvers are continued: 200 points of a case.
fn points(prng: &mut Prng, trace: &[RungeKutta]) -> Vec<usize> {
    let last = trace.len() - COMPARED;
    (0..200).map(|_| usize::try_from(prng.below(last as u64)).expect("an index")).collect()
}

#[test]
fn every_pair_continues_exactly_from_any_point_of_any_problem() {
    let seed = 20_261_115;
    println!("seed {seed}");
    let mut prng = Prng::new(seed);
    for mut case in not_stiff() {
        for pair in PAIRS {
            let trace = trace(pair, &mut case);
            for point in points(&mut prng, &trace) {
                let mut cloned = trace[point].clone();
                let mut copied = trace[0].clone();
                copied.copy_from(&cloned);
                assert_eq!(copied, cloned, "{} {pair:?} copied at {point}", case.name);
                let mut revived =
                    RungeKutta::from_bytes(&trace[point].to_bytes()).expect("just written");
                for (one, other) in trace[point..].iter().zip(&trace[point + 1..]).take(COMPARED) {
                    step(&mut cloned, &mut case);
                    step(&mut revived, &mut case);
                    assert_eq!(&cloned, other, "{} {pair:?} cloned at {point}", case.name);
                    assert_eq!(&revived, other, "{} {pair:?} revived at {point}", case.name);
                    let from = one.state().0;
                    assert_eq!(middle(&revived, from), middle(other, from), "{pair:?}");
                }
            }
        }
    }
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(hex: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("written by `to_hex`");
    (0..hex.len()).step_by(2).map(byte).collect()
}

/// A number that differs if bytes do (FNV-1a).
fn digest(bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325;
    bytes.iter().fold(start, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The word by which the other process knows what it is; to the test harness, a name of no test.
const OTHER_PROCESS: &str = "solvers-from-stdin";

/// What the other process does: continues the solvers it is given and prints the result of each.
fn continue_from_stdin() {
    let mut lines = String::new();
    std::io::stdin().read_to_string(&mut lines).expect("the first process writes text");
    for line in lines.lines() {
        let (name, hex) = line.split_once(' ').expect("a name and bytes");
        let mut case = not_stiff().into_iter().find(|case| case.name.replace(' ', "_") == name);
        let case = case.as_mut().expect("a known case");
        let mut solver = RungeKutta::from_bytes(&from_hex(hex)).expect("a solver's bytes");
        (0..COMPARED).for_each(|_| step(&mut solver, case));
        println!("\ncontinued {:016x}", digest(&solver.to_bytes()));
    }
}

/// Has another process continue solvers; what came of each.
fn elsewhere(lines: &str) -> Vec<String> {
    let program = std::env::current_exe().expect("a test has a program");
    let test = "runge_kutta_state::solvers_continue_exactly_in_another_process";
    let mut child = Command::new(program)
        .args(["--exact", test, OTHER_PROCESS, "--nocapture"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the same program as this");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(lines.as_bytes()).expect("the other process reads");
    drop(stdin);
    let output = child.wait_with_output().expect("the other process ends");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().filter_map(|line| line.strip_prefix("continued ")).map(String::from).collect()
}

#[test]
fn solvers_continue_exactly_in_another_process() {
    if std::env::args().any(|argument| argument == OTHER_PROCESS) {
        return continue_from_stdin();
    }
    let seed = 20_261_117;
    println!("seed {seed}");
    let mut prng = Prng::new(seed);
    let (mut lines, mut expected) = (String::new(), Vec::new());
    for mut case in not_stiff() {
        for pair in PAIRS {
            let trace = trace(pair, &mut case);
            for point in points(&mut prng, &trace) {
                let name = case.name.replace(' ', "_");
                lines += &format!("{name} {}\n", to_hex(&trace[point].to_bytes()));
                expected.push(format!("{:016x}", digest(&trace[point + COMPARED].to_bytes())));
            }
        }
    }
    assert_eq!(elsewhere(&lines), expected);
}

#[test]
fn shorter_and_longer_bytes_are_refused() {
    for pair in PAIRS {
        let bytes = trace(pair, &mut van_der_pol())[10].to_bytes();
        for length in 0..bytes.len() {
            let refused = RungeKutta::from_bytes(&bytes[..length]);
            assert!(matches!(refused, Err(BytesError::Length { .. })), "{pair:?}, {length}");
        }
        let refused = RungeKutta::from_bytes(&[bytes.as_slice(), &[0]].concat());
        assert!(matches!(refused, Err(BytesError::Length { .. })), "{pair:?}");
    }
}

#[test]
fn any_bytes_are_refused_or_come_back_as_they_were() {
    let seed = 20_261_118;
    println!("seed {seed}");
    let mut prng = Prng::new(seed);
    let worked = PAIRS.map(|pair| trace(pair, &mut van_der_pol())[20].to_bytes());
    let mut accepted = 0;
    for _ in 0..3_000 {
        let mut bytes = worked[usize::try_from(prng.below(3)).expect("below 3")].clone();
        for _ in 0..1 + prng.below(3) {
            let at = usize::try_from(prng.below(bytes.len() as u64)).expect("an index");
            bytes[at] ^= 1 << prng.below(8);
        }
        if let Ok(solver) = RungeKutta::from_bytes(&bytes) {
            accepted += 1;
            assert_eq!(solver.to_bytes(), bytes);
        }
    }
    println!("{accepted} of 3000 accepted");
    assert!(0 < accepted && accepted < 3_000);
}

#[test]
fn no_pair_allocates_in_a_step_a_restart_or_dense_output() {
    for pair in PAIRS {
        let mut case = van_der_pol();
        let mut solver = started(pair, &case, 1e-6);
        let (mut other, mut x) = (solver.clone(), [0.0; 2]);
        let counted = allocation_counter::measure(|| {
            for _ in 0..100 {
                let step = solver.step(&mut case, 60.0).expect("a harmless problem");
                solver.interpolate(0.5 * step.from + 0.5 * step.to, &mut x);
            }
            solver.restart(0.0, &x, Keep::StepSize);
            other.copy_from(&solver);
            solver.start(0.0, &x);
        });
        assert_eq!(counted.count_total, 0, "{pair:?}");
    }
}
