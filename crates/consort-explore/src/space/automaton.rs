//! The automaton whose paths are the scenarios.

use super::{LETTERS_MAX, Shape, SpaceError, TABLE_MAX};
use std::collections::BTreeMap;

/// States with their moves, and the number of paths of each length from each state. State 0 is the
/// first.
#[derive(Debug)]
pub(super) struct Automaton {
    /// How many letters each disturbance has; the last one's are the fastest to change.
    radices: Vec<u32>,
    letters: u32,
    moves: Vec<Vec<(u32, u32)>>,
    /// By remaining length, then by state.
    counts: Vec<Vec<u128>>,
}

impl Automaton {
    pub(super) fn new(shape: &Shape, allowed: &dyn Fn(&[u32]) -> bool) -> Result<Self, SpaceError> {
        let radices: Vec<u32> = shape.disturbances.iter().map(|known| known.letters).collect();
        let letters = combined(shape)?;
        let alphabet: Vec<(u32, Vec<u32>)> = (0..letters)
            .map(|letter| (letter, split(&radices, letter)))
            .filter(|(_, choices)| allowed(choices))
            .collect();
        let moves = explore(shape, &alphabet)?;
        if TABLE_MAX / (shape.horizon as usize).saturating_add(1) < moves.len() {
            return Err(SpaceError::TooManyStates);
        }
        let counts = count(&moves, shape.horizon)?;
        Ok(Self { radices, letters, moves, counts })
    }

    pub(super) fn letters(&self) -> u32 {
        self.letters
    }

    pub(super) fn choices(&self, letter: u32) -> Vec<u32> {
        assert!(letter < self.letters, "there is no such letter");
        split(&self.radices, letter)
    }

    pub(super) fn letter(&self, choices: &[u32]) -> u32 {
        assert_eq!(choices.len(), self.radices.len(), "each disturbance shows one letter");
        let digits = choices.iter().zip(&self.radices);
        digits.fold(0, |letter, (choice, radix)| letter * radix + choice)
    }

    pub(super) fn moves(&self, state: u32) -> &[(u32, u32)] {
        &self.moves[state as usize]
    }

    pub(super) fn count(&self, remaining: u32, state: u32) -> u128 {
        self.counts[remaining as usize][state as usize]
    }
}

/// The number of combined letters.
fn combined(shape: &Shape) -> Result<u32, SpaceError> {
    let mut product = 1_u32;
    for disturbance in &shape.disturbances {
        if disturbance.letters == 0 {
            return Err(SpaceError::NoLetters { name: disturbance.name.clone() });
        }
        product = product.saturating_mul(disturbance.letters);
        if LETTERS_MAX < product {
            return Err(SpaceError::TooManyLetters);
        }
    }
    Ok(product)
}

/// The digits of a combined letter.
fn split(radices: &[u32], letter: u32) -> Vec<u32> {
    let mut rest = letter;
    let mut choices: Vec<u32> = Vec::with_capacity(radices.len());
    for radix in radices.iter().rev() {
        choices.push(rest % radix);
        rest /= radix;
    }
    choices.reverse();
    choices
}

/// What the future depends on, as far as changes are limited: the last letter of each disturbance, how
/// often each changed, how often all did. Without limits there is one memory.
type Memory = Vec<u32>;

/// The limits that can be reached within the horizon.
struct Limits {
    each: Vec<Option<u32>>,
    total: Option<u32>,
}

impl Limits {
    fn new(shape: &Shape) -> Self {
        let reached =
            |limit: Option<u32>, most: u64| limit.filter(|limit| u64::from(*limit) < most);
        let horizon = u64::from(shape.horizon);
        let each = shape.disturbances.iter().map(|known| reached(known.changes_max, horizon));
        let most = horizon.saturating_mul(shape.disturbances.len() as u64);
        Self { each: each.collect(), total: reached(shape.changes_max, most) }
    }

    fn start(&self) -> Memory {
        vec![0; 2 * self.each.len() + 1]
    }

    /// Writes the memory after a letter to `next`; false if it changes more than is allowed.
    fn follow(&self, memory: &Memory, choices: &[u32], next: &mut Memory) -> bool {
        next.clone_from(memory);
        let (count, total) = (self.each.len(), 2 * self.each.len());
        for (place, &choice) in choices.iter().enumerate() {
            let is_tracked = self.total.is_some() || self.each[place].is_some();
            if !is_tracked || memory[place] == choice {
                continue;
            }
            next[place] = choice;
            next[count + place] += u32::from(self.each[place].is_some());
            next[total] += u32::from(self.total.is_some());
            let within = |used: u32, limit: Option<u32>| limit.is_none_or(|limit| used <= limit);
            if !within(next[count + place], self.each[place]) || !within(next[total], self.total) {
                return false;
            }
        }
        true
    }
}

/// The moves of every state that can be reached; states are numbered in the order in which they are met.
fn explore(
    shape: &Shape,
    alphabet: &[(u32, Vec<u32>)],
) -> Result<Vec<Vec<(u32, u32)>>, SpaceError> {
    let limits = Limits::new(shape);
    let mut known: BTreeMap<Memory, u32> = BTreeMap::from([(limits.start(), 0)]);
    let mut memories = vec![limits.start()];
    let mut moves: Vec<Vec<(u32, u32)>> = Vec::new();
    let (mut entries, mut next) = (0, limits.start());
    while moves.len() < memories.len() {
        let mut found = Vec::new();
        for (letter, choices) in alphabet {
            if !limits.follow(&memories[moves.len()], choices, &mut next) {
                continue;
            }
            let number = known.get(&next).copied().unwrap_or_else(|| {
                let number =
                    u32::try_from(memories.len()).expect("the table's limit is below 2^32");
                known.insert(next.clone(), number);
                memories.push(next.clone());
                number
            });
            found.push((*letter, number));
        }
        entries += alphabet.len();
        if TABLE_MAX < entries {
            return Err(SpaceError::TooManyStates);
        }
        moves.push(found);
    }
    Ok(moves)
}

/// How many paths of each length start in each state.
fn count(moves: &[Vec<(u32, u32)>], horizon: u32) -> Result<Vec<Vec<u128>>, SpaceError> {
    let mut counts = vec![vec![1_u128; moves.len()]];
    for remaining in 0..horizon as usize {
        let shorter = &counts[remaining];
        let longer = moves.iter().map(|moves| {
            let mut counted = moves.iter().map(|&(_, next)| shorter[next as usize]);
            counted.try_fold(0_u128, u128::checked_add).ok_or(SpaceError::TooManyScenarios)
        });
        let longer = longer.collect::<Result<Vec<u128>, SpaceError>>()?;
        counts.push(longer);
    }
    Ok(counts)
}
