//! What saving is worth, by the formulas of Sinisi et al. (2021), section 3.4.

use consort_explore::statistics;
use consort_models::fidelity::Costs;

pub(super) use consort_explore::statistics::psi;

/// A tree of scenarios.
#[derive(Clone, Copy)]
pub(super) struct Tree {
    pub(super) depth: u32,
    pub(super) branching: u32,
}

impl Tree {
    /// What the speed-up would be if saving cost nothing.
    pub(super) fn ideal(self) -> f64 {
        psi(self.depth, self.branching) + 1.0
    }
}

/// How much faster a tree is visited with saving: S(h, b).
pub(super) fn speed_up(costs: &Costs, tree: Tree) -> f64 {
    statistics::speed_up(tree.depth, tree.branching, averages(costs))
}

/// R(h, tau): saving pays where it is below 1, for much branching.
pub(super) fn ratio(costs: &Costs, depth: u32) -> f64 {
    statistics::ratio(depth, averages(costs))
}

fn averages(costs: &Costs) -> statistics::OperationCosts {
    let [get, set, sim] = costs.medians();
    statistics::OperationCosts { get, set, sim }
}

/// How well two measures lie on a line: the correlation coefficient of Pearson; `None` for fewer than two or for
/// equal ones.
pub(super) fn pearson(points: &[(f64, f64)]) -> Option<f64> {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x_mean, y_mean) = (mean(|point| point.0), mean(|point| point.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        points.iter().map(|&(x, y)| of(x - x_mean, y - y_mean)).sum()
    };
    let spread = (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    (0.0 < spread).then(|| sum(&|x, y| x * y) / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_take_from_the_ideal() {
        let costs = |get, set, sim| Costs {
            get: vec![get],
            set: vec![set],
            sim: vec![sim],
            ..Costs::default()
        };
        let tree = Tree { depth: 50, branching: 5 };
        assert!((speed_up(&costs(0.0, 0.0, 1.0), tree) - 49.75).abs() < 1e-9);
        // The paper's average for all models: an overhead of 1.26 gives 22.
        let paper = speed_up(&costs(1.3, 1.0, 1.0), tree);
        assert!((paper - 49.75 / 2.26).abs() < 1e-9);
        assert!((ratio(&costs(0.0, 1.0, 1.0), 50) - 1.0 / 49.0).abs() < 1e-12);
    }

    #[test]
    fn points_on_a_line_correlate() {
        assert_eq!(pearson(&[(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]), Some(1.0));
        assert_eq!(pearson(&[(1.0, -1.0), (2.0, -2.0)]), Some(-1.0));
        assert_eq!(pearson(&[(1.0, 1.0)]), None);
    }
}
