//! Bytes that no solver wrote are refused.

use crate::{METHODS, pendulum};
use consort_core::Prng;
use consort_solve::{BytesError, FixedStep, Method, Start};

/// A solver amid its work; AB3's bytes are the longest.
fn worked(method: Method) -> FixedStep {
    let (mut solver, mut x) = (FixedStep::new(method, 2), [1.0, 0.0]);
    for n in 0..5 {
        solver.step(&mut x, pendulum, f64::from(n) * 0.1, 0.1);
    }
    solver
}

#[test]
fn shorter_and_longer_bytes_are_refused() {
    for method in METHODS {
        let bytes = worked(method).to_bytes();
        for length in 0..bytes.len() {
            let refused = FixedStep::from_bytes(&bytes[..length]);
            assert!(matches!(refused, Err(BytesError::Length { .. })), "{method:?}, {length}");
        }
        let (expected, found) = (bytes.len(), bytes.len() + 1);
        let refused = FixedStep::from_bytes(&[bytes.as_slice(), &[0]].concat());
        assert_eq!(refused, Err(BytesError::Length { expected, found }));
    }
}

/// The bytes of AB3 with `change` put at `at`.
fn check(at: usize, change: &[u8], expected: &str) {
    let mut bytes = worked(Method::AdamsBashforth3(Start::LowerOrder)).to_bytes();
    bytes[at..at + change.len()].copy_from_slice(change);
    let error = FixedStep::from_bytes(&bytes).expect_err(expected);
    assert_eq!(error.to_string(), expected);
}

#[test]
fn bytes_that_say_what_no_solver_would_are_refused() {
    check(0, b"x", "invalid magic bytes");
    check(7, &[2], "invalid magic bytes");
    check(8, &[6], "invalid method");
    check(8, &[0], "invalid history");
    check(9, &[3], "invalid history");
    check(9, &[1], "42 bytes were expected, there are 58");
    check(9, &[0], "invalid length of a step");
    check(10, &u64::MAX.to_le_bytes(), "invalid number of states");
    check(10, &3_u64.to_le_bytes(), "74 bytes were expected, there are 58");
    for length in [0.0, -0.0, f64::NAN, f64::INFINITY] {
        check(18, &length.to_le_bytes(), "invalid length of a step");
    }
}

#[test]
fn any_bytes_are_refused_or_come_back_as_they_were() {
    let seed = 20_261_116;
    println!("seed {seed}");
    let mut prng = Prng::new(seed);
    let mut accepted = 0;
    for _ in 0..2_000 {
        let method = METHODS[usize::try_from(prng.below(6)).expect("below 6")];
        let mut bytes = worked(method).to_bytes();
        for _ in 0..1 + prng.below(3) {
            let at = usize::try_from(prng.below(bytes.len() as u64)).expect("an index");
            bytes[at] ^= 1 << prng.below(8);
        }
        if let Ok(solver) = FixedStep::from_bytes(&bytes) {
            accepted += 1;
            assert_eq!(solver.to_bytes(), bytes);
        }
    }
    println!("{accepted} of 2000 accepted");
    assert!(0 < accepted);
}
