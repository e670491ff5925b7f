//! A clone, a copy, and a solver from bytes continue as the original does, to the bit.

use super::problems::{
    Known, arenstorf, banded_heat, brusselator, pleiades, robertson, sparse_heat,
    stiff_van_der_pol, van_der_pol,
};
use super::started;
use consort_core::Prng;
use consort_solve::{BytesError, Family, Multistep};

/// At so many random points of each problem a solver is saved, and followed for some steps.
const POINTS: u64 = 200;

/// The solver at the start and after each step to the problem's end.
fn run(family: impl Into<Option<Family>>, known: &Known) -> Vec<Multistep> {
    let mut problem = known.clone();
    let mut solver = started(family, known, &known.options(1e-5, 1e-9));
    let mut all = vec![solver.clone()];
    while solver.step(&mut problem, known.end).expect("a step is taken").to < known.end {
        all.push(solver.clone());
    }
    all.push(solver);
    all
}

/// The bytes of a solver some steps later.
fn later(mut solver: Multistep, known: &Known, steps: usize) -> Vec<u8> {
    let mut problem = known.clone();
    for _ in 0..steps {
        solver.step(&mut problem, known.end).expect("a step is taken");
    }
    solver.to_bytes()
}

fn check(family: impl Into<Option<Family>>, known: &Known, steps_max: u64) {
    let family = family.into();
    let seed = 20_261_115;
    println!("{} by {family:?}, seed {seed}", known.name);
    let mut prng = Prng::new(seed);
    let all = run(family, known);
    let mut used = started(family, known, &known.options(1e-5, 1e-9));
    for _ in 0..POINTS {
        let from = prng.below(all.len() as u64 - 1) as usize;
        let to = (from + 1 + prng.below(steps_max) as usize).min(all.len() - 1);
        let (saved, expected) = (&all[from], all[to].to_bytes());
        let revived = Multistep::from_bytes(&saved.to_bytes()).expect("just written");
        assert!(revived.to_bytes() == saved.to_bytes(), "written again at {from}");
        used.copy_from(saved);
        for (what, solver) in [("clone", saved), ("from bytes", &revived), ("copy", &used)] {
            let found = later(solver.clone(), known, to - from);
            assert!(found == expected, "{what} from step {from} to {to}");
        }
    }
}

#[test]
fn bdf_continues_exactly_from_any_point() {
    for known in [robertson(), van_der_pol(), stiff_van_der_pol(), arenstorf(), brusselator()] {
        check(Family::Bdf, &known, 30);
    }
}

#[test]
fn adams_continues_exactly_from_any_point() {
    for known in [van_der_pol(), arenstorf(), brusselator(), pleiades()] {
        check(Family::Adams, &known, 30);
        check(Family::AdamsNewton, &known, 30);
    }
}

#[test]
fn an_automatic_choice_continues_exactly_from_any_point() {
    for known in [robertson(), stiff_van_der_pol(), arenstorf(), pleiades()] {
        check(None, &known, 30);
    }
    check(None, &sparse_heat(), 3);
}

#[test]
fn banded_and_sparse_solvers_continue_exactly_from_any_point() {
    check(Family::Bdf, &banded_heat(), 3);
    check(Family::Bdf, &sparse_heat(), 3);
}

#[test]
fn bytes_are_the_same_in_every_process() {
    let hash = |bytes: &[u8]| {
        let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
    };
    let of = |family: Option<Family>, known: &Known| {
        hash(&run(family, known).last().unwrap().to_bytes())
    };
    assert_eq!(of(Some(Family::Bdf), &robertson()), 0x98e41af8792fdd21);
    assert_eq!(of(Some(Family::Adams), &arenstorf()), 0xd5c423264bd9bdbf);
    assert_eq!(of(Some(Family::AdamsNewton), &brusselator()), 0x27d111c4dab5209d);
    assert_eq!(of(Some(Family::Bdf), &sparse_heat()), 0x29c4807e5e701027);
    assert_eq!(of(None, &robertson()), 0x6be95fb5d829c8cc);
}

#[test]
fn bytes_that_are_no_solver_are_refused() {
    let bytes = run(Family::Bdf, &robertson())[40].to_bytes();
    let read = |bytes: &[u8]| Multistep::from_bytes(bytes).err();
    for len in 0..bytes.len() {
        assert!(matches!(read(&bytes[..len]), Some(BytesError::Length { .. })), "{len} bytes");
    }
    let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
    let (expected, found) = (bytes.len(), bytes.len() + 1);
    assert_eq!(read(&longer), Some(BytesError::Length { expected, found }));
    assert_eq!(read(b"CSTFIXS\x01"), Some(BytesError::Foreign));
}

#[test]
fn damaged_bytes_are_refused_or_come_back_as_they_were_and_never_panic() {
    let seed = 4;
    println!("seed {seed}");
    let mut prng = Prng::new(seed);
    let (bdf, adams) = (Some(Family::Bdf), Some(Family::Adams));
    for (family, known) in [(bdf, robertson()), (adams, brusselator()), (None, robertson())] {
        let bytes = run(family, &known)[40].to_bytes();
        let mut refused = 0;
        for _ in 0..2000 {
            let mut damaged = bytes.clone();
            let at = prng.below(bytes.len() as u64) as usize;
            damaged[at] = prng.next_u64() as u8;
            match Multistep::from_bytes(&damaged) {
                Err(_) => refused += 1,
                Ok(mut solver) => {
                    assert!(solver.to_bytes() == damaged, "byte {at}");
                    let limit = solver.state().0.max(known.end);
                    let mut problem = known.clone();
                    // Some continue, some fail; none panics.
                    (0..5).for_each(|_| _ = solver.step(&mut problem, limit));
                }
            }
        }
        assert!(0 < refused);
    }
}
