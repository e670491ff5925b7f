//! States that share what they can: to continue from one does not change the others.

use crate::bench::{Bench, Settings};
use crate::saving::BUSY;
use consort_core::{Prng, SavedState, SolverKind};
use std::fmt::Write as _;

const STEP: i64 = 30_000_000;
const NODES: usize = 12;
const PREFIX_MAX: u64 = 40;

/// Stiff, with a full Jacobian.
const STIFF: &str = "
model robertson
  input u = 1
  output state a = 1
  output state b = 0
  output state c = 0
  der(a) = -40*a*u + 100*b*c
  der(b) = 40*a*u - 100*b*c - 300*b*b
  der(c) = 300*b*b
end";

/// Everything looks back, at different times; one delay has no bound and forgets nothing.
const LATE: &str = "
model late
  input u = 1
  output state x = 1
  output state y = 0
  output far = delay(x, 1.25 + 0.25*y*y)
  der(x) = -delay(x, 0.5)*u + 0.1*y
  der(y) = delay(x, 0.03) - 2*y
end";

/// So many states that the Jacobian is sparse.
fn chain() -> String {
    let mut text = String::from("model chain\n  input u = 1\n  output state x0 = 1\n");
    for at in 1..20 {
        let _ = writeln!(text, "  output state x{at} = 0");
    }
    text += "  der(x0) = u - 20*x0 + x1*x1\n";
    for at in 1..20 {
        let (before, rate) = (at - 1, 10 + 7 * (at % 5));
        let _ = writeln!(text, "  der(x{at}) = {rate}*(x{before} - x{at})/(1 + x{at}*x{at})");
    }
    text + "end"
}

struct Case {
    text: String,
    seen: &'static [&'static str],
}

fn cases() -> [Case; 4] {
    [
        Case { text: BUSY.to_owned(), seen: &["x", "y", "n", "late", "echo"] },
        Case { text: STIFF.to_owned(), seen: &["a", "b", "c"] },
        Case { text: LATE.to_owned(), seen: &["x", "y", "far"] },
        Case { text: chain(), seen: &["x0", "x7", "x19"] },
    ]
}

/// A place in a tree: how it was reached, and what it was.
struct Node {
    path: Vec<Option<f64>>,
    saved: (SavedState, i64),
    bytes: Vec<u8>,
    seen: Vec<u64>,
}

fn bench(case: &Case, kind: SolverKind) -> Bench {
    // Methods of fixed step take shorter ones, so that nothing explodes.
    let step = if is_fixed(kind) { STEP / 10 } else { STEP };
    Bench::with(&case.text, Settings { kind, tolerance: 1e-5, step })
}

fn is_fixed(kind: SolverKind) -> bool {
    use SolverKind::{AdamsBashforth2, AdamsBashforth3, Euler, RungeKutta4};
    matches!(kind, Euler | AdamsBashforth2 | AdamsBashforth3 | RungeKutta4)
}

/// One edge of the tree: another input, or the same.
fn go_on(bench: &mut Bench, input: Option<f64>) {
    if let Some(u) = input {
        bench.set("u", u);
    }
    bench.step();
}

fn node(bench: &mut Bench, case: &Case, path: Vec<Option<f64>>) -> Node {
    let seen = case.seen.iter().map(|name| bench.get(name).to_bits()).collect();
    let saved = bench.save();
    let bytes = bench.instance.serialize(&saved.0).unwrap();
    Node { path, saved, bytes, seen }
}

/// Grows a tree in random order: each node hangs below any of those that are there. The first one is
/// somewhere in a run.
fn grow(bench: &mut Bench, case: &Case, prng: &mut Prng) -> Vec<Node> {
    let path = vec![None; prng.below(PREFIX_MAX) as usize];
    path.iter().for_each(|input| go_on(bench, *input));
    let mut tree = vec![node(bench, case, path)];
    while tree.len() < NODES {
        let from = &tree[prng.below(tree.len() as u64) as usize];
        let input = [None, None, Some(0.5), Some(1.5)][prng.below(4) as usize];
        let path = [&from.path[..], &[input]].concat();
        if prng.below(8) == 0 {
            bench.load(&from.bytes, from.saved.1);
        } else {
            bench.restore(&from.saved);
        }
        go_on(bench, input);
        tree.push(node(bench, case, path));
    }
    tree
}

/// A run that never saved anything.
fn fresh(case: &Case, kind: SolverKind, path: &[Option<f64>]) -> Bench {
    let mut bench = bench(case, kind);
    path.iter().for_each(|input| go_on(&mut bench, *input));
    bench
}

#[test]
fn siblings_do_not_disturb_each_other_in_two_hundred_random_trees() {
    for (number, (kind, name)) in SolverKind::ALL.into_iter().enumerate() {
        for (case, what) in cases().iter().zip(0_u64..) {
            for round in 0..6 {
                let seed = 1000 * number as u64 + 10 * what + round;
                println!("seed {seed}");
                let mut prng = Prng::new(seed);
                let mut live = bench(case, kind);
                let tree = grow(&mut live, case, &mut prng);
                for node in &tree {
                    let mut fresh = fresh(case, kind, &node.path);
                    let seen = case.seen.iter().map(|name| fresh.get(name).to_bits());
                    let place = format!("{name}, model {what}, {:?}", node.path);
                    assert!(seen.eq(node.seen.iter().copied()), "{place}");
                    assert!(fresh.bytes() == node.bytes, "other bytes: {place}");
                    live.restore(&node.saved);
                    assert!(live.bytes() == node.bytes, "the saved state has changed: {place}");
                }
            }
        }
    }
}

/// How often saving and restoring allocate, in the midst of a run.
fn allocations(text: &str, kind: SolverKind) -> (u64, u64) {
    let mut bench = Bench::with(text, Settings { kind, tolerance: 1e-5, step: STEP / 10 });
    (0..200).for_each(|_| bench.step());
    let (early, mut late) = (bench.save(), None);
    (0..3).for_each(|_| bench.step());
    let saved = allocation_counter::measure(|| late = Some(bench.save()));
    let restored = allocation_counter::measure(|| {
        for _ in 0..10 {
            bench.restore(&early);
            bench.restore(late.as_ref().unwrap());
        }
    });
    (saved.count_total, restored.count_total)
}

#[test]
fn a_restore_allocates_nothing_and_a_save_a_few_lists() {
    let chain = chain();
    // Events that wait, and what delays look back at, are lists of their own.
    for (text, more) in [(STIFF, 0), (&chain, 0), (BUSY, 11), (LATE, 5)] {
        for (kind, name) in SolverKind::ALL {
            let lists = match kind {
                SolverKind::Bdf => 10..=10,
                SolverKind::Adams => 9..=9,
                // As many as the method in use.
                SolverKind::Auto => 9..=10,
                SolverKind::Euler | SolverKind::RungeKutta4 => 13..=13,
                SolverKind::AdamsBashforth2 | SolverKind::AdamsBashforth3 => 14..=14,
                _ => 11..=11,
            };
            let (saved, restored) = allocations(text, kind);
            assert_eq!(restored, 0, "{name}: {text}");
            assert!(lists.contains(&(saved - more)), "{name}: {saved} lists: {text}");
        }
    }
}

#[test]
fn a_save_copies_lists_and_no_matrices() {
    const STATES: usize = 60;
    let mut text = String::from("model full\n");
    for at in 0..STATES {
        let _ = writeln!(text, "  output state x{at} = {at}");
    }
    let sum = (0..STATES).map(|at| format!("x{at}")).collect::<Vec<_>>().join(" + ");
    let _ = writeln!(text, "  variable mean = ({sum})/{STATES}");
    for at in 0..STATES {
        let _ = writeln!(text, "  der(x{at}) = {at}*(mean - x{at})");
    }
    let mut bench = Bench::new(&(text + "end"));
    (0..20).for_each(|_| bench.step());
    let written = bench.bytes().len();
    let list = STATES * size_of::<f64>();
    assert!(2 * STATES * list < written, "the Jacobian and its factors are in {written} bytes");
    let mut saved = Vec::with_capacity(1);
    let info = allocation_counter::measure(|| saved.push(bench.save()));
    assert!(info.bytes_total < 16 * list as u64, "{} bytes for lists of {list}", info.bytes_total);
    let unshared = bench.instance.unshared_bytes(&saved[0].0);
    assert!(0 < unshared && unshared < 16 * list as u64, "{unshared} bytes are its own");
    (0..200).for_each(|_| bench.step());
    let unshared = bench.instance.unshared_bytes(&saved[0].0);
    assert!(
        2 * STATES * list < unshared as usize,
        "no other state has its matrices now: {unshared}"
    );
}
