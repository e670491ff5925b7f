//! The cost of visiting a full tree, with and without saving and restoring: Sinisi, Alimguzhin, Mancini and
//! Tronci (2021), section 3.4.

use libm::pow;

/// Average costs of one operation, all in one unit of time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OperationCosts {
    /// Cost of saving a state.
    pub get: f64,
    /// Cost of restoring a state.
    pub set: f64,
    /// Cost of simulating one period.
    pub sim: f64,
}

/// Equation 5 of Sinisi et al. (2021): by how much restoring and saving may be dearer than simulating a period before it
/// does not pay to save, in a tree of depth `horizon` with `branches` children per node. One more is the
/// ideal speed-up.
pub fn psi(horizon: u32, branches: u32) -> f64 {
    let (h, b) = (f64::from(horizon), f64::from(branches));
    if branches <= 1 {
        return f64::midpoint(h, 1.0) - 1.0;
    }
    // Divided by b^h, which has no double when trees are large.
    let leaf = pow(b, -h);
    (h * b - (h + 1.0) + leaf) / ((b - 1.0) * (1.0 - leaf)) - 1.0
}

/// Equation 3 of Sinisi et al. (2021): how much faster a visit with saving and restoring is than one that simulates
/// every node from the root.
pub fn speed_up(horizon: u32, branches: u32, costs: OperationCosts) -> f64 {
    let per_node = costs.get / f64::from(branches) + costs.set + costs.sim;
    (psi(horizon, branches) + 1.0) * costs.sim / per_node
}

/// Equation 6 of Sinisi et al. (2021): below one, saving pays in any wide tree of that depth.
pub fn ratio(horizon: u32, costs: OperationCosts) -> f64 {
    costs.set / (f64::from(horizon.saturating_sub(1)) * costs.sim)
}

/// How many periods a depth-first visit computes again, as a part of those it must compute, if it keeps the
/// root and the `snapshots` deepest nodes of its path.
///
/// A node at depth `i` has lost its snapshot, with `snapshots` or more levels to be kept below it, when the
/// visit comes back for each child but the first; it is `i` periods from the root.
pub fn recomputed(horizon: u32, branches: u32, snapshots: u32) -> f64 {
    let (h, b) = (f64::from(horizon), f64::from(branches));
    let scaled = |depth: u32| pow(b, f64::from(depth) - h);
    let lost = (1..horizon.saturating_sub(snapshots)).map(|depth| f64::from(depth) * scaled(depth));
    let nodes: f64 = (1..=horizon).map(scaled).sum();
    lost.sum::<f64>() * (b - 1.0) / nodes
}
