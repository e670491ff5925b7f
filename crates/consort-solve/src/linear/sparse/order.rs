//! The order of minimum degree (Tinney and Walker 1967); equals go by index. Elimination fills the pattern: lists of neighbors
//! are short at first, and what is left at last is often nearly full, where rows of bits are smaller and much faster.

use crate::problem::SparsityPattern;
use std::collections::BTreeSet;

/// The rest is done by rows of bits as soon as every row has so many times fewer places than bits: lists are longer then.
const PLACES_PER_NEIGHBOR: usize = 32;
const WORD: usize = u64::BITS as usize;

/// An order of elimination.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Elimination {
    /// Which state is eliminated at each place.
    pub(super) order: Vec<usize>,
    /// For each place the states below its diagonal, rising.
    pub(super) below: Vec<Vec<usize>>,
}

/// Eliminates all states of a pattern.
pub(super) fn eliminate(pattern: &SparsityPattern) -> Elimination {
    let mut near = neighbors(pattern);
    let mut queue: BTreeSet<(usize, usize)> =
        near.iter().enumerate().map(|(state, near)| (near.len(), state)).collect();
    let mut done = Elimination::default();
    while let Some(&(degree, state)) = queue.first() {
        if queue.len() <= PLACES_PER_NEIGHBOR * degree {
            break;
        }
        queue.pop_first();
        let states = std::mem::take(&mut near[state]);
        for &a in &states {
            queue.remove(&(near[a].len(), a));
            near[a].remove(&state);
            near[a].extend(states.iter().filter(|b| **b != a));
            queue.insert((near[a].len(), a));
        }
        done.order.push(state);
        done.below.push(states.into_iter().collect());
    }
    let mut rest: Vec<usize> = queue.into_iter().map(|(_, state)| state).collect();
    rest.sort_unstable();
    Rest::new(rest, &near).eliminate(&mut done);
    done
}

/// For each state those that share a place with it.
fn neighbors(pattern: &SparsityPattern) -> Vec<BTreeSet<usize>> {
    let mut near = vec![BTreeSet::new(); pattern.len()];
    for column in 0..pattern.len() {
        for &row in pattern.rows(column).iter().filter(|row| **row != column) {
            near[row].insert(column);
            near[column].insert(row);
        }
    }
    near
}

/// States that are left, by rows of bits: bit `b` of row `a` is set if they are neighbors.
struct Rest {
    states: Vec<usize>,
    words: usize,
    bits: Vec<u64>,
    /// How many neighbors each has; none if it was eliminated.
    degrees: Vec<Option<usize>>,
}

impl Rest {
    fn new(states: Vec<usize>, near: &[BTreeSet<usize>]) -> Self {
        let words = states.len().div_ceil(WORD);
        let mut bits = vec![0; states.len() * words];
        let mut degrees = Vec::with_capacity(states.len());
        for (a, state) in states.iter().enumerate() {
            for neighbor in &near[*state] {
                let b = states.binary_search(neighbor).expect("neighbors of what is left are left");
                bits[a * words + b / WORD] |= 1 << (b % WORD);
            }
            degrees.push(Some(near[*state].len()));
        }
        Rest { states, words, bits, degrees }
    }

    fn eliminate(mut self, done: &mut Elimination) {
        let mut row = vec![0; self.words];
        while let Some(a) = self.least() {
            self.degrees[a] = None;
            row.copy_from_slice(&self.bits[a * self.words..][..self.words]);
            let neighbors = set_bits(&row);
            for &b in &neighbors {
                self.join(b, a, &row);
            }
            done.order.push(self.states[a]);
            done.below.push(neighbors.iter().map(|b| self.states[*b]).collect());
        }
    }

    /// The first of those with the fewest neighbors.
    fn least(&self) -> Option<usize> {
        let left = self.degrees.iter().enumerate();
        left.filter_map(|(a, degree)| Some(((*degree)?, a))).min().map(|(_, a)| a)
    }

    /// `b` becomes a neighbor of all neighbors of `a`, which is no more.
    fn join(&mut self, b: usize, a: usize, neighbors_of_a: &[u64]) {
        let bits = &mut self.bits[b * self.words..][..self.words];
        bits.iter_mut().zip(neighbors_of_a).for_each(|(bits, more)| *bits |= more);
        for gone in [a, b] {
            bits[gone / WORD] &= !(1 << (gone % WORD));
        }
        let degree = bits.iter().map(|word| word.count_ones() as usize).sum();
        self.degrees[b] = Some(degree);
    }
}

/// The numbers of the bits that are set, rising.
fn set_bits(words: &[u64]) -> Vec<usize> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let mut left = *word;
        while left != 0 {
            found.push(at * WORD + left.trailing_zeros() as usize);
            left &= left - 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_core::Prng;

    /// The definition, word for word.
    fn plainly(pattern: &SparsityPattern) -> Elimination {
        let mut near = neighbors(pattern);
        let mut left: BTreeSet<usize> = (0..pattern.len()).collect();
        let mut done = Elimination::default();
        while let Some(state) =
            left.iter().copied().min_by_key(|state| (near[*state].len(), *state))
        {
            left.remove(&state);
            let states = std::mem::take(&mut near[state]);
            for a in &states {
                near[*a].extend(&states);
                near[*a].remove(a);
                near[*a].remove(&state);
            }
            done.order.push(state);
            done.below.push(states.into_iter().collect());
        }
        done
    }

    #[test]
    fn lists_and_bits_give_the_order_of_the_definition() {
        for seed in 0..60 {
            let mut prng = Prng::new(seed);
            let len = 1 + prng.below(200) as usize;
            let each = 1 + prng.below(6);
            let mut any = || prng.below(len as u64) as usize;
            let places: Vec<(usize, usize)> =
                (0..each * len as u64).map(|_| (any(), any())).collect();
            let pattern = SparsityPattern::new(len, places);
            assert_eq!(eliminate(&pattern), plainly(&pattern), "seed {seed}");
        }
    }
}
