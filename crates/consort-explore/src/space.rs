//! Which scenarios there are.
//!
//! Each disturbance has a finite alphabet; its first letter is the nominal one. In each decision period
//! every disturbance shows one letter; together they are one *combined letter*, the choice of the period.
//! Constraints forbid some combined letters; limits say how often letters may change. A scenario is one
//! combined letter per period, and the scenarios, in the order of their letters, are numbered from zero.
//!
//! A [`Space`] is a deterministic automaton: how a scenario may continue depends on the last letters and on
//! the changes made so far. Counting the paths of the automaton makes all numbers exact: how many
//! scenarios there are, how many begin with a prefix, which is the one with a given index.

mod automaton;

use automaton::Automaton;
use std::fmt;
use std::sync::Arc;

/// More combined letters than this are refused: their product grows fast, and a tree this wide is not
/// explored by any computer.
pub const LETTERS_MAX: u32 = 65_536;
/// Where memories of changes, times letters, are more than this, the automaton is refused.
pub const TABLE_MAX: usize = 1 << 21;

/// An input of the system that is chosen anew in each period.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputAlphabet {
    /// What it is called in messages.
    pub name: String,
    /// How many values it has; the first is the nominal one.
    pub letters: u32,
    /// How often its value may change, the first departure from nominal included.
    pub changes_max: Option<u32>,
}

/// What a space is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// What is chosen in each period.
    pub disturbances: Vec<InputAlphabet>,
    /// How often values may change, all disturbances together.
    pub changes_max: Option<u32>,
    /// The number of periods.
    pub horizon: u32,
}

/// Why there is no such space.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SpaceError {
    /// Give the disturbance at least its nominal value.
    NoLetters {
        /// The disturbance.
        name: String,
    },
    /// Ask for at least one period.
    NoPeriods,
    /// Use fewer disturbances, or fewer values of each.
    TooManyLetters,
    /// Allow fewer changes, or use fewer values.
    TooManyStates,
    /// Shorten the horizon: there are more scenarios than 128 bits can number.
    TooManyScenarios,
    /// Loosen the constraints: no scenario satisfies them.
    Empty,
}

impl fmt::Display for SpaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpaceError::NoLetters { name } => write!(f, "`{name}` has no value to choose"),
            SpaceError::NoPeriods => write!(f, "there is no period to choose for"),
            SpaceError::TooManyLetters => {
                write!(f, "the values combine to more than {LETTERS_MAX} choices per period")
            }
            SpaceError::TooManyStates => {
                write!(f, "counting the changes takes tables of more than {TABLE_MAX} entries")
            }
            SpaceError::TooManyScenarios => {
                write!(f, "there are more scenarios than 128 bits can number")
            }
            SpaceError::Empty => write!(f, "no scenario satisfies the constraints"),
        }
    }
}

impl std::error::Error for SpaceError {}

/// All scenarios, numbered.
#[derive(Clone, Debug)]
pub struct Space {
    automaton: Arc<Automaton>,
    horizon: u32,
}

/// A node of the tree of scenarios: those that share a prefix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrefixNode {
    state: u32,
    /// How many letters the prefix has.
    pub depth: u32,
    /// The first scenario below it.
    pub first: u128,
    /// How many scenarios are below it.
    pub count: u128,
}

impl Space {
    /// The space of a shape. `allowed` says which combinations of letters may be shown in a period, one
    /// letter per disturbance.
    ///
    /// # Errors
    /// If it has no scenario, or is too large to be counted.
    pub fn new(shape: &Shape, allowed: &dyn Fn(&[u32]) -> bool) -> Result<Self, SpaceError> {
        if shape.horizon == 0 {
            return Err(SpaceError::NoPeriods);
        }
        let automaton = Arc::new(Automaton::new(shape, allowed)?);
        let space = Self { automaton, horizon: shape.horizon };
        if space.count() == 0 { Err(SpaceError::Empty) } else { Ok(space) }
    }

    /// The number of scenarios.
    pub fn count(&self) -> u128 {
        self.root().count
    }

    /// How many letters a scenario has.
    pub fn horizon(&self) -> u32 {
        self.horizon
    }

    /// How many combined letters there are, forbidden ones included.
    pub fn letters(&self) -> u32 {
        self.automaton.letters()
    }

    /// The letter of each disturbance in a combined letter.
    ///
    /// # Panics
    /// If there is no such letter.
    pub fn choices(&self, letter: u32) -> Vec<u32> {
        self.automaton.choices(letter)
    }

    /// The combined letter of a letter of each disturbance.
    ///
    /// # Panics
    /// If there are not as many as there are disturbances.
    pub fn letter(&self, choices: &[u32]) -> u32 {
        self.automaton.letter(choices)
    }

    /// The scenarios' beginnings of that many letters, as a space of their own; of all letters if the
    /// horizon is shorter than that.
    #[must_use]
    pub fn shortened(&self, horizon: u32) -> Self {
        Self { automaton: Arc::clone(&self.automaton), horizon: horizon.min(self.horizon) }
    }

    /// The empty prefix.
    pub fn root(&self) -> PrefixNode {
        self.node(0, 0, 0)
    }

    /// The nodes one letter below, in order, with their letters; none below a whole scenario.
    pub fn below(&self, node: PrefixNode) -> impl Iterator<Item = (u32, PrefixNode)> + '_ {
        let moves = if node.depth < self.horizon { self.automaton.moves(node.state) } else { &[] };
        let mut first = node.first;
        let nodes = moves.iter().map(move |&(letter, state)| {
            let child = self.node(state, node.depth + 1, first);
            first += child.count;
            (letter, child)
        });
        nodes.filter(|(_, child)| 0 < child.count)
    }

    /// The node of a prefix, if some scenario begins with it.
    pub fn find(&self, prefix: &[u32]) -> Option<PrefixNode> {
        prefix.iter().try_fold(self.root(), |node, letter| {
            self.below(node).find(|(known, _)| known == letter).map(|(_, child)| child)
        })
    }

    /// The letters of the scenario with that index.
    ///
    /// # Panics
    /// If there are not that many scenarios.
    pub fn unrank(&self, index: u128) -> Vec<u32> {
        assert!(index < self.count(), "there is no scenario with that index");
        let mut node = self.root();
        let letters = (0..self.horizon).map(|_| {
            let (letter, child) = self
                .below(node)
                .find(|(_, child)| index - child.first < child.count)
                .expect("the children of a node hold all of its scenarios");
            node = child;
            letter
        });
        letters.collect()
    }

    /// The index of a scenario, if there is one with those letters.
    pub fn rank(&self, letters: &[u32]) -> Option<u128> {
        self.find(letters).filter(|node| node.depth == self.horizon).map(|node| node.first)
    }

    /// The letters that may follow a prefix, in order.
    pub fn children(&self, prefix: &[u32]) -> Vec<u32> {
        let node = self.find(prefix);
        node.map(|node| self.below(node).map(|(letter, _)| letter).collect()).unwrap_or_default()
    }

    /// How many scenarios begin with a prefix.
    pub fn count_below(&self, prefix: &[u32]) -> u128 {
        self.find(prefix).map_or(0, |node| node.count)
    }

    /// The first scenario that begins with a prefix.
    pub fn first_below(&self, prefix: &[u32]) -> Option<u128> {
        self.find(prefix).map(|node| node.first)
    }

    /// How often values change in a prefix, all disturbances together.
    pub fn changes(&self, prefix: &[u32]) -> u32 {
        let mut last = self.choices(0);
        let mut changes = 0;
        for &letter in prefix {
            let choices = self.choices(letter);
            changes += last.iter().zip(&choices).map(|(a, b)| u32::from(a != b)).sum::<u32>();
            last = choices;
        }
        changes
    }

    /// What of the future depends on the past besides the number of periods; a name, equal for nodes
    /// with equal futures.
    pub(crate) fn state(&self, node: PrefixNode) -> u32 {
        node.state
    }

    fn node(&self, state: u32, depth: u32, first: u128) -> PrefixNode {
        let count = self.automaton.count(self.horizon - depth, state);
        PrefixNode { state, depth, first, count }
    }
}

#[cfg(test)]
mod tests;
