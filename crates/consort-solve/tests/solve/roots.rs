//! Events: their instants, their order, and what is left quiet.

use crate::runge_kutta::{Function, PAIRS, options};
use consort_core::Prng;
use consort_solve::{
    BytesError, CrossingDirection, Family, Keep, Leaving, Multistep, Pair, Roots, RungeKutta,
};
use std::convert::Infallible;

/// Searches step by step, and restarts at each event with what the indicators are there: all events.
fn events(
    roots: &mut Roots,
    z: &impl Fn(f64, &mut [f64]),
    ends: impl IntoIterator<Item = f64>,
) -> Vec<(f64, Vec<Option<CrossingDirection>>)> {
    let mut found = Vec::new();
    let mut values = vec![0.0; roots.crossings().len()];
    for end in ends {
        while let Some(t) = searched(roots, z, end) {
            found.push((t, roots.crossings().to_vec()));
            z(t, &mut values);
            roots.restart(t, &values);
            assert!(found.len() < 10_000, "events without end");
        }
    }
    found
}

fn searched(roots: &mut Roots, mut z: impl FnMut(f64, &mut [f64]), end: f64) -> Option<f64> {
    let found = roots.search(end, |t, values| {
        z(t, values);
        Ok::<(), Infallible>(())
    });
    found.expect("indicators that cannot fail")
}

const RISING: Option<CrossingDirection> = Some(CrossingDirection::Rising);
const FALLING: Option<CrossingDirection> = Some(CrossingDirection::Falling);

/// All events of one indicator from 0 on, with steps to these ends.
fn check(z: impl Fn(f64) -> f64, ends: &[f64], expected: &[(f64, Option<CrossingDirection>)]) {
    let mut roots = Roots::new(1);
    roots.start(0.0, &[z(0.0)]);
    let found = events(&mut roots, &|t, values: &mut [f64]| values[0] = z(t), ends.iter().copied());
    let found: Vec<_> = found.into_iter().map(|(t, crossings)| (t, crossings[0])).collect();
    assert_eq!(found, expected);
}

#[test]
fn an_instant_is_the_first_at_which_the_change_is_seen() {
    check(|t| t - 0.3, &[1.0], &[(0.3_f64.next_up(), RISING)]);
    check(|t| 0.3 - t, &[1.0], &[(0.3, FALLING)]);
    check(|t| t * t - 2.0, &[1.0, 2.0], &[(2.0_f64.sqrt(), RISING)]);
    check(libm::cos, &[1.0, 2.0, 3.0], &[(1.570_796_326_794_896_8, FALLING)]);
    check(|t| if t < 0.7 { 1.0 } else { -1e-300 }, &[1.0], &[(0.7, FALLING)]);
    check(|t| libm::pow(t - 0.5, 9.0) * 1e200, &[1.0], &[(0.5_f64.next_up(), RISING)]);
}

#[test]
fn the_root_is_found_with_few_looks() {
    for (z, most) in [
        ((|t| t - 0.3) as fn(f64) -> f64, 6),
        (|t| libm::exp(t) - 1.5, 14),
        (|t| libm::atan(1e6 * (t - 0.123)), 90),
        (|t| (t - 0.3) * (t - 0.3) * (t - 0.3), 120),
    ] {
        let mut looks = 0;
        let mut roots = Roots::new(1);
        roots.start(0.0, &[z(0.0)]);
        let found = roots.search(1.0, |t, values| {
            looks += 1;
            values[0] = z(t);
            Ok::<(), ()>(())
        });
        println!("{found:?} with {looks} looks");
        assert!(looks <= most, "{looks} looks for {found:?}");
    }
}

#[test]
fn a_resolution_saves_looks_and_is_kept() {
    let mut looks = 0;
    let mut roots = Roots::new(1);
    roots.set_resolution(1e-3);
    roots.start(0.0, &[-1.0]);
    let found = roots.search(1.0, |t, z| {
        looks += 1;
        z[0] = libm::exp(t) - 1.5;
        Ok::<(), ()>(())
    });
    let t = found.expect("cannot fail").expect("there is one");
    assert!(libm::log(1.5) <= t && t <= libm::log(1.5) + 1e-3, "{t}");
    assert!(looks <= 10, "{looks} looks");
}

#[test]
fn what_touches_zero_fires_at_most_once() {
    check(|t| -(t - 1.0) * (t - 1.0), &[0.5, 1.0, 1.5, 2.0], &[]);
    check(|t| (t - 1.0) * (t - 1.0), &[0.6, 1.2, 2.0], &[]);
    check(|t| (t - 1.0) * (t - 1.0), &[0.5, 1.0, 1.5, 2.0], &[(1.0, FALLING)]);
    // Stays at zero, and is at last below.
    check(|t| (1.0 - t).max(0.0) - (t - 3.0).max(0.0), &[0.9, 1.8, 2.7, 4.0], &[(1.0, FALLING)]);
}

#[test]
fn an_indicator_that_begins_at_zero_leaves_it_quietly_and_then_counts() {
    check(|t| t, &[1.0, 2.0], &[]);
    check(|t| -t, &[1.0, 2.0], &[]);
    check(|t| t * (1.0 - t), &[2.0], &[(1.0, FALLING)]);
    check(|t| t * (t - 1.0), &[2.0], &[(1.0_f64.next_up(), RISING)]);
    check(|_| 0.0, &[1.0, 2.0], &[]);
}

#[test]
fn leaving_zero_is_reported_if_asked_for() {
    let mut roots = Roots::new(1);
    roots.set_leaving(Leaving::Reported);
    roots.start(0.0, &[0.0]);
    let found = events(&mut roots, &|t, z: &mut [f64]| z[0] = t * (1.0 - t), [2.0]);
    assert_eq!(found.len(), 2);
    assert!(0.0 < found[0].0 && found[0].0 < 1e-18, "{found:?}");
    assert_eq!((found[0].1[0], found[1].1[0]), (RISING, FALLING));
    assert_eq!(found[1].0.to_bits(), 1.0_f64.to_bits());
}

#[test]
fn rounding_that_crosses_zero_is_reported_a_few_dozen_times_and_what_leaves_it_then_is_reported() {
    // Two that go the same way, of which one goes faster and faster: at first the difference is but noise.
    let apart = |t: f64| (20.0 - 0.03 * t) - (10.0 - 0.03 * t - 0.5 * t * t) - 10.0;
    for size in [1.0, 1e9] {
        let z = |t: f64, values: &mut [f64]| values[0] = size * apart(t) * (1.0 - t);
        let mut roots = Roots::new(1);
        roots.set_leaving(Leaving::Reported);
        roots.set_scale(20.0 * size);
        roots.start(0.0, &[0.0]);
        let found = events(&mut roots, &z, [0.5, 2.0, 2.5]);
        assert!(64 < found.len() && found.len() < 70, "{} events", found.len());
        let last = &found[found.len() - 2..];
        assert!(last[0].0 < 1e-6 && last[0].1 == [RISING], "{last:?}");
        assert_eq!(last[1], (1.0, vec![FALLING]), "and is as exact as ever");
    }
}

#[test]
fn what_jumps_over_zero_for_ever_is_reported_for_ever() {
    for size in [1.0, 1e-15] {
        let jumps = |t: f64| if libm::floor(t) % 2.0 < 1.0 { size } else { -size };
        let ends = (1..=400).map(|n| 0.5 * f64::from(n));
        let mut roots = Roots::new(1);
        roots.set_leaving(Leaving::Reported);
        roots.start(0.0, &[size]);
        let found = events(&mut roots, &|t, values: &mut [f64]| values[0] = jumps(t), ends);
        assert_eq!(found.len(), 200);
    }
}

#[test]
fn roots_of_one_instant_are_reported_together_and_later_ones_later() {
    let z = |t: f64, z: &mut [f64]| {
        z[0] = t - 1.0;
        z[1] = 1.0 - t;
        z[2] = (t * t * t - 1.0) * (t + 3.0);
        z[3] = t - 1.0 - 1e-13;
        z[4] = 2.0 - t;
        z[5] = 1.0;
    };
    let mut roots = Roots::new(6);
    roots.start(0.0, &[-1.0, 1.0, -3.0, -1.0, 2.0, 1.0]);
    let found = events(&mut roots, &z, [0.5, 3.0]);
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(found[0].1, [RISING, FALLING, RISING, None, None, None]);
    assert_eq!(found[1].1, [None, None, None, RISING, None, None]);
    assert_eq!(found[2].1, [None, None, None, None, FALLING, None]);
    for ((t, _), expected) in found.iter().zip([1.0, 1.0 + 1e-13, 2.0]) {
        assert!(expected <= *t && *t <= expected + 1e-14, "{t}");
    }
}

/// A ball that keeps so much of its speed, from a height of one, until it has bounced 20 times.
fn bounces(pair: Pair, leaving: Leaving) -> Vec<(f64, CrossingDirection)> {
    let mut fall = Function(|_, x: &[f64], dx: &mut [f64]| dx.copy_from_slice(&[x[1], -9.81]));
    let mut solver = RungeKutta::new(pair, 2, &options(1e-10, 2));
    let mut roots = Roots::new(1);
    roots.set_leaving(leaving);
    solver.start(0.0, &[1.0, 0.0]);
    roots.start(0.0, &[1.0]);
    let (mut found, mut x) = (Vec::new(), [0.0; 2]);
    while found.iter().filter(|(_, crossing)| *crossing == CrossingDirection::Falling).count() < 20
    {
        let step = solver.step(&mut fall, 10.0).expect("a harmless problem");
        let event = roots.search(step.to, |t, z| {
            solver.interpolate(t, &mut x);
            z[0] = x[0];
            Ok::<(), Infallible>(())
        });
        if let Some(t) = event.expect("cannot fail") {
            let crossing = roots.crossings()[0].expect("the only one");
            found.push((t, crossing));
            solver.interpolate(t, &mut x);
            if crossing == CrossingDirection::Falling {
                x[1] *= -RESTITUTION;
            }
            solver.restart(t, &x, Keep::StepSize);
            roots.restart(t, &x[..1]);
        }
    }
    found
}

const RESTITUTION: f64 = 0.7;

#[test]
fn a_ball_bounces_when_it_should_twenty_times() {
    for pair in PAIRS {
        let found = bounces(pair, Leaving::Quiet);
        assert_eq!(found.len(), 20, "{pair:?}: {found:?}");
        let (mut expected, mut speed) = ((2.0_f64 / 9.81).sqrt(), (2.0_f64 * 9.81).sqrt());
        let mut worst = 0.0_f64;
        for (t, crossing) in found {
            assert_eq!(crossing, CrossingDirection::Falling);
            worst = worst.max((t - expected).abs());
            speed *= RESTITUTION;
            expected += 2.0 * speed / 9.81;
        }
        println!("{pair:?}: bounces are at most {worst:.1e} s off");
        assert!(worst < 1e-12, "{pair:?}: {worst:e}");
    }
}

#[test]
fn a_ball_that_reports_all_reports_also_when_it_leaves_the_floor() {
    for pair in PAIRS {
        let quiet = bounces(pair, Leaving::Quiet);
        let reported = bounces(pair, Leaving::Reported);
        let falling =
            reported.iter().filter(|(_, crossing)| *crossing == CrossingDirection::Falling);
        for ((t, _), (expected, _)) in falling.zip(&quiet) {
            assert!((t - expected).abs() < 1e-13, "{pair:?}");
        }
        let alternates = reported.windows(2).all(|pair| pair[0].1 != pair[1].1);
        assert!(alternates && reported.len() == 39, "{pair:?}: {reported:?}");
    }
}

#[test]
fn the_interpolant_of_a_multistep_solver_serves_as_well() {
    for family in [Family::Adams, Family::Bdf] {
        let mut solver = Multistep::new(family, 2, &options(1e-10, 2));
        let mut swing = Function(|_, x: &[f64], dx: &mut [f64]| dx.copy_from_slice(&[x[1], -x[0]]));
        let mut roots = Roots::new(1);
        solver.start(0.0, &[1.0, 0.0]);
        roots.start(0.0, &[1.0]);
        let (mut found, mut x) = (Vec::new(), [0.0; 2]);
        while solver.state().0 < 20.0 {
            let step = solver.step(&mut swing, 20.0).expect("a harmless problem");
            let mut indicators = |t: f64, z: &mut [f64]| {
                solver.interpolate(t, &mut x);
                z[0] = x[0];
            };
            // Nothing changes at these events, so the rest of the step is searched, too.
            while let Some(t) = searched(&mut roots, &mut indicators, step.to) {
                found.push(t);
                let mut z = [0.0];
                indicators(t, &mut z);
                roots.restart(t, &z);
            }
        }
        let expected = (0..6).map(|n| (f64::from(n) + 0.5) * std::f64::consts::PI);
        assert_eq!(found.len(), 6, "{family:?}: {found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-7, "{family:?}: {found}, {expected}");
        }
    }
}

/// A polynomial by its roots, ascending, with its sign at the start.
struct Polynomial {
    roots: Vec<f64>,
    sign: f64,
}

impl Polynomial {
    /// With roots from 0 to 10 no closer than `apart`.
    fn random(prng: &mut Prng, apart: f64) -> Self {
        let mut roots = Vec::new();
        let mut t = 0.01;
        for _ in 0..prng.below(7) {
            t += apart + 3.0 * prng.next_f64() * prng.next_f64();
            roots.push(t);
        }
        roots.retain(|root| *root < 10.0);
        Polynomial { roots, sign: if prng.below(2) == 0 { 1.0 } else { -1.0 } }
    }

    /// Its sign is exact, since that of each difference is.
    fn at(&self, t: f64) -> f64 {
        self.roots.iter().fold(self.sign, |product, root| product * (root - t))
    }
}

/// Polynomials, an evaluator, and a search at its start.
fn random(prng: &mut Prng, apart: f64) -> (Vec<Polynomial>, Roots) {
    let count = 1 + prng.below(5);
    let polynomials: Vec<_> = (0..count).map(|_| Polynomial::random(prng, apart)).collect();
    let mut roots = Roots::new(polynomials.len());
    let start: Vec<f64> = polynomials.iter().map(|polynomial| polynomial.at(0.0)).collect();
    roots.start(0.0, &start);
    (polynomials, roots)
}

/// Ends of steps of random lengths to 10.
fn ends(prng: &mut Prng, longest: f64) -> Vec<f64> {
    let mut ends = vec![0.0];
    while ends[ends.len() - 1] < 10.0 {
        ends.push((ends[ends.len() - 1] + longest * prng.next_f64()).min(10.0));
    }
    ends
}

#[test]
fn every_change_of_sign_of_random_polynomials_is_found_in_order() {
    let seed = 20_261_119;
    println!("seed {seed}");
    let mut prng = Prng::new(seed);
    let mut total = 0;
    for round in 0..500 {
        let (polynomials, mut roots) = random(&mut prng, 0.11);
        let z = |t: f64, z: &mut [f64]| {
            z.iter_mut().zip(&polynomials).for_each(|(z, polynomial)| *z = polynomial.at(t));
        };
        let found = events(&mut roots, &z, ends(&mut prng, 0.1));
        assert!(found.is_sorted_by(|one, next| one.0 < next.0), "round {round}");
        for (i, polynomial) in polynomials.iter().enumerate() {
            let own: Vec<_> =
                found.iter().filter(|(_, crossings)| crossings[i].is_some()).collect();
            assert_eq!(own.len(), polynomial.roots.len(), "round {round}, polynomial {i}");
            let mut is_above = 0.0 < polynomial.at(0.0);
            for ((t, crossings), root) in own.into_iter().zip(&polynomial.roots) {
                assert!((t - root).abs() <= 1e-14 * root.max(1.0), "round {round}: {t}, {root}");
                assert_eq!(crossings[i], if is_above { FALLING } else { RISING });
                is_above = !is_above;
                total += 1;
            }
        }
    }
    println!("{total} roots");
    assert!(3_000 < total);
}

#[test]
fn with_long_steps_the_reported_sides_are_still_those_at_the_ends() {
    let seed = 20_261_120;
    println!("seed {seed}");
    let mut prng = Prng::new(seed);
    for round in 0..500 {
        let (polynomials, mut roots) = random(&mut prng, 1e-3);
        let z = |t: f64, z: &mut [f64]| {
            z.iter_mut().zip(&polynomials).for_each(|(z, polynomial)| *z = polynomial.at(t));
        };
        let mut above: Vec<bool> = polynomials.iter().map(|p| 0.0 < p.at(0.0)).collect();
        for end in ends(&mut prng, 5.0) {
            for (_, crossings) in events(&mut roots, &z, [end]) {
                for (above, crossing) in above.iter_mut().zip(&crossings) {
                    assert_ne!(*crossing, if *above { RISING } else { FALLING }, "round {round}");
                    *above ^= crossing.is_some();
                }
            }
            let truly: Vec<bool> = polynomials.iter().map(|p| 0.0 < p.at(end)).collect();
            assert_eq!(above, truly, "round {round} at {end}");
        }
    }
}

#[test]
fn a_search_continues_exactly_as_a_clone_and_from_bytes() {
    let seed = 20_261_121;
    println!("seed {seed}");
    let mut prng = Prng::new(seed);
    for round in 0..200 {
        let (polynomials, mut roots) = random(&mut prng, 0.05);
        let z = |t: f64, z: &mut [f64]| {
            z.iter_mut().zip(&polynomials).for_each(|(z, polynomial)| *z = polynomial.at(t));
        };
        let ends = ends(&mut prng, 1.0);
        let (before, after) = ends.split_at(ends.len() / 2);
        events(&mut roots, &z, before.iter().copied());
        // In the midst of an event, if there is one.
        searched(&mut roots, &z, after[0]);
        let values: Vec<f64> = polynomials.iter().map(|p| p.at(roots.time())).collect();
        let goes_on = |mut roots: Roots| {
            roots.restart(roots.time(), &values);
            let found = events(&mut roots, &z, after.iter().copied());
            (found, roots.to_bytes())
        };
        let revived = Roots::from_bytes(&roots.to_bytes()).expect("just written");
        assert_eq!(revived, roots);
        let mut copied = Roots::new(polynomials.len());
        copied.copy_from(&roots);
        assert_eq!(copied, roots);
        assert_eq!(goes_on(revived), goes_on(roots.clone()), "round {round}");
    }
}

#[test]
fn bytes_of_no_search_are_refused() {
    let mut roots = Roots::new(3);
    roots.start(1.0, &[1.0, 0.0, -1.0]);
    let bytes = roots.to_bytes();
    for length in 0..bytes.len() {
        let refused = Roots::from_bytes(&bytes[..length]);
        assert!(matches!(refused, Err(BytesError::Length { .. })), "{length}");
    }
    let numbers = [16, 24, 32, 40, 73, 81].map(|at| (at, 0xff));
    let others = [(0, b'x'), (8, 2), (57, 9), (58, 65), (65, 1)];
    for (at, change) in numbers.into_iter().chain(others) {
        let mut bytes = bytes.clone();
        bytes[at] = change;
        if change == 0xff {
            bytes[at - 1] = 0xff;
        }
        assert!(Roots::from_bytes(&bytes).is_err(), "byte {at}");
    }
}

#[test]
fn a_model_whose_indicators_fail_leaves_the_search_as_it_was() {
    let mut roots = Roots::new(2);
    roots.start(0.0, &[0.0, -1.0]);
    let before = roots.clone();
    for most in 0..12 {
        let mut looks = 0;
        let failed = roots.search(1.0, |t, z| {
            looks += 1;
            z.copy_from_slice(&[t, libm::exp(t) - 1.5]);
            if looks <= most { Ok(()) } else { Err("no more") }
        });
        assert_eq!(failed, Err("no more"), "{most}");
        assert_eq!(roots, before, "{most}");
    }
}

#[test]
fn no_search_allocates() {
    let mut roots = Roots::new(2);
    roots.start(0.0, &[0.0, -1.0]);
    let counted = allocation_counter::measure(|| {
        for n in 1..=10 {
            let end = f64::from(n) * 0.1;
            let found = roots.search(end, |t, z| {
                z.copy_from_slice(&[t, libm::exp(t) - 1.5]);
                Ok::<(), Infallible>(())
            });
            if let Ok(Some(t)) = found {
                roots.restart(t, &[t, libm::exp(t) - 1.5]);
            }
        }
    });
    assert_eq!(counted.count_total, 0);
}
