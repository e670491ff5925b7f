//! The numbers of the methods fulfill the conditions of their orders: for each rooted tree, the sum over
//! the stages is one over the tree's density (Hairer, Norsett and Wanner, section II.2).

use super::tableau::{Stage, Tableau, Weights};
use super::{Known, Pair, RungeKutta};
use crate::problem::{Options, Tolerances};
use std::ops::{Add, Mul};

const PAIRS: [Pair; 3] = [Pair::BogackiShampine32, Pair::DormandPrince54, Pair::DormandPrince853];

/// A root and the trees that hang on it, by their place in the list of all trees, never ascending.
struct Tree {
    children: Vec<usize>,
    order: u32,
    density: u64,
}

/// All trees up to an order, smaller ones first.
fn trees(order_max: u32) -> Vec<Tree> {
    let mut all = vec![Tree { children: Vec::new(), order: 1, density: 1 }];
    for order in 2..=order_max {
        let mut found = Vec::new();
        forests(&all, order - 1, all.len(), &mut Vec::new(), &mut found);
        for children in found {
            let product: u64 = children.iter().map(|child| all[*child].density).product();
            all.push(Tree { children, order, density: u64::from(order) * product });
        }
    }
    all
}

/// All ways to make up `nodes` by trees of which none comes after `below` or the one before it.
fn forests(
    all: &[Tree],
    nodes: u32,
    below: usize,
    begun: &mut Vec<usize>,
    found: &mut Vec<Vec<usize>>,
) {
    if nodes == 0 {
        return found.push(begun.clone());
    }
    for child in 0..below {
        if all[child].order <= nodes {
            begun.push(child);
            forests(all, nodes - all[child].order, child + 1, begun, found);
            begun.pop();
        }
    }
}

/// What the sums are computed with.
trait Number: Copy + Add<Output = Self> + Mul<Output = Self> {
    fn from(value: f64) -> Self;
}

impl Number for f64 {
    fn from(value: f64) -> Self {
        value
    }
}

/// For each tree, its weight at each row of the slopes.
fn tree_weights<N: Number>(tableau: &Tableau, trees: &[Tree]) -> Vec<Vec<N>> {
    let stages: Vec<&Stage> = tableau.stages.iter().chain(tableau.dense_stages).collect();
    let mut all: Vec<Vec<N>> = Vec::new();
    for tree in trees {
        let at = |row: usize| {
            let one = N::from(1.0);
            tree.children.iter().fold(one, |product, child| {
                let inner: Weights = if row == 0 { &[] } else { stages[row - 1].weights };
                product * sum(inner, &all[*child])
            })
        };
        let rows = (0..tableau.rows()).map(at).collect();
        all.push(rows);
    }
    all
}

fn sum<N: Number>(weights: Weights, rows: &[N]) -> N {
    let zero = N::from(0.0);
    weights.iter().fold(zero, |sum, (row, factor)| sum + N::from(*factor) * rows[*row])
}

/// The largest difference to what the trees up to an order ask of a sum that reaches `part` of a step.
fn residual(pair: Pair, order: u8, part: f64, sum: impl Fn(&[f64]) -> f64) -> f64 {
    let trees = trees(u32::from(order));
    let weights = tree_weights::<f64>(pair.tableau(), &trees);
    let powers = |tree: &Tree| (0..tree.order).fold(1.0, |power, _| power * part);
    let each = trees.iter().zip(&weights);
    let each = each.map(|(tree, rows)| (sum(rows) - powers(tree) / tree.density as f64).abs());
    each.fold(0.0, f64::max)
}

#[test]
fn there_are_as_many_trees_as_the_books_say() {
    let trees = trees(8);
    let count = |order| trees.iter().filter(|tree| tree.order == order).count();
    assert_eq!([1, 2, 3, 4, 5, 6, 7, 8].map(count), [1, 1, 2, 4, 9, 20, 48, 115]);
}

#[test]
fn stages_are_at_the_sum_of_their_weights() {
    for pair in PAIRS {
        let tableau = pair.tableau();
        for stage in tableau.stages.iter().chain(tableau.dense_stages) {
            let sum: f64 = stage.weights.iter().map(|(_, factor)| factor).sum();
            assert!((sum - stage.time).abs() < 4e-14, "{pair:?}: {sum} at {}", stage.time);
        }
    }
}

#[test]
fn steps_fulfill_the_conditions_of_their_order_and_no_more() {
    for pair in PAIRS {
        let end = pair.tableau().stages.last().expect("a method has stages").weights;
        let within = residual(pair, pair.order(), 1.0, |rows| sum(end, rows));
        assert!(within < 5e-15, "{pair:?}: {within:e}");
        let beyond = residual(pair, pair.order() + 1, 1.0, |rows| sum(end, rows));
        assert!(1e-8 < beyond, "{pair:?}: {beyond:e}");
    }
}

/// The weights of a sum that estimates an error vanish for all trees up to an order, and not for all of the
/// next.
fn check_error(pair: Pair, which: usize, order: u8) {
    let weights = pair.tableau().errors[which];
    let largest = |order| {
        let all = tree_weights::<f64>(pair.tableau(), &trees(order));
        all.iter().map(|rows| sum(weights, rows).abs()).fold(0.0, f64::max)
    };
    assert!(largest(u32::from(order)) < 5e-15, "{pair:?}");
    assert!(1e-6 < largest(u32::from(order) + 1), "{pair:?}");
}

#[test]
fn errors_are_of_their_order() {
    check_error(Pair::BogackiShampine32, 0, 2);
    check_error(Pair::DormandPrince54, 0, 4);
    check_error(Pair::DormandPrince853, 0, 5);
    check_error(Pair::DormandPrince853, 1, 3);
}

/// The weight of each slope at a part of the step, as dense output itself gives them: each state has one
/// slope that is one, the others are zero.
fn dense_weights(pair: Pair, part: f64) -> Vec<f64> {
    let tableau = pair.tableau();
    let rows = tableau.rows();
    let mut solver =
        RungeKutta::new(pair, rows, &Options::new(Tolerances::uniform(0.1, 0.1, rows)));
    for row in 0..rows {
        solver.slopes[row * rows + row] = 1.0;
    }
    for (row, factor) in tableau.stages[tableau.last() - 1].weights {
        solver.x[*row] = *factor;
    }
    (solver.t, solver.known, solver.is_dense) = (1.0, Known::Last, true);
    let mut weights = vec![0.0; rows];
    solver.interpolate(part, &mut weights);
    weights
}

fn check_dense(pair: Pair, order: u8) {
    let within = |order, part| {
        let weights = dense_weights(pair, part);
        residual(pair, order, part, |rows| {
            rows.iter().zip(&weights).map(|(row, weight)| row * weight).sum()
        })
    };
    for part in [0.0, 0.1, 0.25, 0.5, 0.7, 0.9, 0.999, 1.0] {
        let residual = within(order, part);
        assert!(residual < 1e-14, "{pair:?} at {part}: {residual:e}");
    }
    assert!(1e-6 < within(order + 1, 0.4), "{pair:?}");
}

#[test]
fn dense_output_is_of_its_order() {
    check_dense(Pair::BogackiShampine32, 3);
    check_dense(Pair::DormandPrince54, 4);
    check_dense(Pair::DormandPrince853, 7);
}

#[test]
fn points_of_the_stability_look_are_at_the_same_time() {
    for pair in PAIRS {
        let tableau = pair.tableau();
        let Some((row, distance, _)) = tableau.stiffness else { continue };
        let (one, end) = (&tableau.stages[row - 1], &tableau.stages[tableau.last() - 1]);
        assert_eq!(one.time.to_bits(), end.time.to_bits());
        for slope in 0..tableau.last() {
            let mut unit = vec![0.0; tableau.rows()];
            unit[slope] = 1.0;
            let expected = sum(end.weights, &unit) - sum(one.weights, &unit);
            assert!((sum(distance, &unit) - expected).abs() < 1e-14, "{pair:?}, {slope}");
        }
    }
}

/// A fraction in lowest terms.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Fraction {
    over: i128,
    under: i128,
}

impl Fraction {
    fn new(over: i128, under: i128) -> Self {
        let (mut common, mut rest) = (over.abs(), under);
        while rest != 0 {
            (common, rest) = (rest, common % rest);
        }
        Fraction { over: over / common, under: under / common }
    }
}

impl Number for Fraction {
    /// The only fraction of a small denominator that a double stands for.
    fn from(value: f64) -> Self {
        let (mut before, mut now) = ((0, 1), (1, 0));
        let mut rest = value;
        loop {
            let whole = rest.floor();
            let next = (whole as i128 * now.0 + before.0, whole as i128 * now.1 + before.1);
            (before, now) = (now, next);
            if (now.0 as f64 / now.1 as f64).to_bits() == value.to_bits() || value == 0.0 {
                return Fraction::new(now.0, now.1);
            }
            assert!(now.1 < 1_000_000, "{value} is no simple fraction");
            rest = 1.0 / (rest - whole);
        }
    }
}

impl Add for Fraction {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let over = self.over * other.under + other.over * self.under;
        Fraction::new(over, self.under * other.under)
    }
}

impl Mul for Fraction {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Fraction::new(self.over * other.over, self.under * other.under)
    }
}

#[test]
fn pairs_of_rational_numbers_fulfill_their_conditions_exactly() {
    for pair in [Pair::BogackiShampine32, Pair::DormandPrince54] {
        let tableau = pair.tableau();
        let trees = trees(u32::from(pair.order()));
        let end = tableau.stages[tableau.last() - 1].weights;
        for (tree, rows) in trees.iter().zip(tree_weights::<Fraction>(tableau, &trees)) {
            assert_eq!(sum(end, &rows), Fraction::new(1, i128::from(tree.density)), "{pair:?}");
            if tree.order < u32::from(pair.order()) {
                assert_eq!(sum(tableau.errors[0], &rows), Fraction::new(0, 1), "{pair:?}");
            }
        }
    }
}
