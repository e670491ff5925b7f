//! Statistics of sampled scenarios, and the cost of visiting trees of scenarios.

mod beta;
mod tree;

pub use tree::{OperationCosts, psi, ratio, recomputed, speed_up};

use beta::incomplete_beta_inverse;
use libm::{ceil, log};

/// How many draws give the probability of a violation up to `epsilon`, but for a probability of `delta`
/// (Hoeffding's inequality, both sides).
///
/// # Panics
/// If one of them is not between zero and one.
pub fn hoeffding_count(epsilon: f64, delta: f64) -> u64 {
    assert_probability(epsilon);
    assert_probability(delta);
    ceil(log(2.0 / delta) / (2.0 * epsilon * epsilon)) as u64
}

/// How many draws without a violation show that violations are rarer than `epsilon`, but for a probability
/// of `delta`.
///
/// # Panics
/// If one of them is not between zero and one.
pub fn zero_failures_count(epsilon: f64, delta: f64) -> u64 {
    assert_probability(epsilon);
    assert_probability(delta);
    ceil(log(delta) / libm::log1p(-epsilon)) as u64
}

/// Where the probability of an event lies that was seen `seen` times in `total` draws, but for a
/// probability of `delta` (Clopper and Pearson, 1934: exact, never too narrow).
///
/// # Panics
/// If more was seen than drawn, or `delta` is not between zero and one.
pub fn clopper_pearson(seen: u64, total: u64, delta: f64) -> (f64, f64) {
    assert!(seen <= total, "more was seen than drawn");
    assert_probability(delta);
    let (seen, unseen) = (seen as f64, (total - seen) as f64);
    let low =
        if seen < 1.0 { 0.0 } else { incomplete_beta_inverse(seen, unseen + 1.0, delta / 2.0) };
    let high = if unseen < 1.0 {
        1.0
    } else {
        incomplete_beta_inverse(seen + 1.0, unseen, 1.0 - delta / 2.0)
    };
    (low, high)
}

/// The probability of having missed a given scenario after `done` of `total` in a random order.
pub fn omission(done: u128, total: u128) -> f64 {
    (total - done.min(total)) as f64 / total as f64
}

/// Wald's sequential probability ratio test (1945) between two probabilities of a violation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// What a violation adds to the logarithm of the likelihood ratio, and what a scenario that holds adds.
    steps: (f64, f64),
    /// At or below the first the lower probability is accepted, at or above the second the upper one.
    bounds: (f64, f64),
}

/// What to decide between, and how surely; all between zero and one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SprtOptions {
    /// The acceptable probability.
    pub p_low: f64,
    /// The unacceptable probability; more than `p_low`.
    pub p_high: f64,
    /// The probability of refusing an acceptable system.
    pub alpha: f64,
    /// The probability of calling bad good.
    pub beta: f64,
}

/// What a sequential test decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// The probability is at most the lower one.
    AtMost,
    /// The probability is at least the upper one.
    AtLeast,
}

impl Sprt {
    /// A test.
    ///
    /// # Panics
    /// If a probability is not between zero and one, or the two are not in order.
    pub fn new(options: SprtOptions) -> Self {
        let SprtOptions { p_low, p_high, alpha, beta } = options;
        for probability in [p_low, p_high, alpha, beta] {
            assert_probability(probability);
        }
        assert!(p_low < p_high, "the two probabilities are in order");
        Self {
            steps: (log(p_high / p_low), log((1.0 - p_high) / (1.0 - p_low))),
            bounds: (log(beta / (1.0 - alpha)), log((1.0 - beta) / alpha)),
        }
    }

    /// What `seen` violations in `total` draws decide. The draws' order does not matter to this, but it
    /// does to when it is asked: after each.
    pub fn decide(&self, seen: u64, total: u64) -> Option<Decision> {
        let evidence = seen as f64 * self.steps.0 + (total - seen) as f64 * self.steps.1;
        if evidence <= self.bounds.0 {
            Some(Decision::AtMost)
        } else if self.bounds.1 <= evidence {
            Some(Decision::AtLeast)
        } else {
            None
        }
    }
}

fn assert_probability(probability: f64) {
    assert!(0.0 < probability && probability < 1.0, "{probability} is not between zero and one");
}

#[cfg(test)]
mod tests;
