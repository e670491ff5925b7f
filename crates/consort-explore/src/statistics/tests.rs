use super::*;

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
}

#[test]
fn numbers_of_draws_are_the_published_ones() {
    assert_eq!(hoeffding_count(0.01, 0.05), 18_445);
    assert_eq!(hoeffding_count(0.001, 0.01), 2_649_159);
    assert_eq!(zero_failures_count(1e-4, 1e-3), 69_075);
    assert_eq!(zero_failures_count(1e-6, 1e-3), 6_907_752);
    // Seed 002, section 4.3.
    assert_eq!(zero_failures_count(0.025, 0.08), 100);
}

#[test]
fn an_event_never_or_always_seen_has_the_closed_form() {
    for (total, delta) in [(1, 0.05), (10, 0.05), (100, 0.01), (100_000, 0.001)] {
        let n = total as f64;
        let bound = -libm::expm1(log(delta / 2.0) / n);
        let (low, high) = clopper_pearson(0, total, delta);
        assert!(low <= 0.0);
        near(high / bound, 1.0, 1e-9);
        let (low, high) = clopper_pearson(total, total, delta);
        near(low / (1.0 - bound), 1.0, 1e-9);
        assert!(1.0 <= high);
    }
}

/// Values of R's binom.test and of published tables.
#[test]
fn intervals_are_the_published_ones() {
    let check = |seen: u64, total: u64, low: f64, high: f64| {
        let found = clopper_pearson(seen, total, 0.05);
        near(found.0, low, 5e-5);
        near(found.1, high, 5e-5);
    };
    check(1, 10, 0.0025, 0.4450);
    check(5, 10, 0.1871, 0.8129);
    check(0, 10, 0.0, 0.3085);
    check(10, 100, 0.0490, 0.1762);
}

/// The sum of the binomial distribution from `from` to `to`.
fn binomial(total: u64, p: f64, from: u64, to: u64) -> f64 {
    let n = total as f64;
    let term = |k: u64| {
        let k = k as f64;
        let choose = libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
        libm::exp(choose + k * log(p) + (n - k) * libm::log1p(-p))
    };
    (from..=to).map(term).sum()
}

#[test]
fn at_the_bounds_of_an_interval_what_was_seen_is_as_unlikely_as_was_asked() {
    for (seen, total, delta) in
        [(1, 2, 0.1), (3, 17, 0.05), (120, 300, 0.01), (999, 1000, 0.05), (2, 20_000, 0.001)]
    {
        let (low, high) = clopper_pearson(seen, total, delta);
        near(binomial(total, low, seen, total) / (delta / 2.0), 1.0, 1e-7);
        near(binomial(total, high, 0, seen) / (delta / 2.0), 1.0, 1e-7);
    }
}

#[test]
fn the_sequential_test_crosses_where_the_ratio_does() {
    let test = Sprt::new(SprtOptions { p_low: 0.01, p_high: 0.05, alpha: 0.05, beta: 0.05 });
    // Without violations: n log(0.95 / 0.99) <= log(0.05 / 0.95) from n = 72 on.
    assert_eq!(test.decide(0, 71), None);
    assert_eq!(test.decide(0, 72), Some(Decision::AtMost));
    // Violations only: log(5) each, and log(19) decides.
    assert_eq!(test.decide(1, 1), None);
    assert_eq!(test.decide(2, 2), Some(Decision::AtLeast));
}

#[test]
fn the_closed_form_of_psi_is_that_of_the_sums() {
    for branches in 1..=10_u32 {
        for horizon in 1..=60_u32 {
            let nodes = |i: u32| f64::from(branches).powi(i.cast_signed());
            let weighted: f64 = (1..=horizon).map(|i| f64::from(i) * nodes(i)).sum();
            let counted: f64 = (1..=horizon).map(nodes).sum();
            near(psi(horizon, branches), weighted / counted - 1.0, 1e-10);
        }
    }
    near(psi(50, 5) + 1.0, 49.75, 1e-9);
    near(psi(100, 10) + 1.0, 99.889, 5e-4);
    near(psi(10, 2) + 1.0, 9.010, 5e-4);
    near(psi(1000, 10) + 1.0, 999.889, 5e-4);
}

#[test]
fn the_speed_up_falls_from_the_ideal_with_the_cost_of_saving() {
    let free = OperationCosts { get: 0.0, set: 0.0, sim: 1.0 };
    near(speed_up(50, 5, free), 49.75, 1e-9);
    // Measured: image snapshots at steps of 1 ms.
    let image = OperationCosts { get: 37.0, set: 48.0, sim: 1000.0 };
    near(speed_up(50, 5, image), 47.1, 0.1);
    near(ratio(50, image), 48.0 / 49_000.0, 1e-12);
    // Proposition 1: at the threshold nothing is gained.
    let threshold = OperationCosts { get: 0.0, set: psi(9, 3), sim: 1.0 };
    near(speed_up(9, 3, threshold), 1.0, 1e-12);
}

#[test]
fn few_snapshots_of_the_path_cost_little() {
    // Measured as above.
    for (branches, snapshots, percent, digits) in [
        (5, 2, 150.0, 1.0),
        (5, 3, 29.0, 0.5),
        (5, 4, 5.7, 0.1),
        (5, 6, 0.22, 0.005),
        (5, 8, 0.008, 0.001),
        (2, 6, 33.0, 0.6),
        (2, 8, 7.8, 0.3),
        (2, 12, 0.44, 0.02),
        (10, 4, 0.4, 0.02),
    ] {
        near(100.0 * recomputed(50, branches, snapshots), percent, digits);
    }
}
