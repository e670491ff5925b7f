//! Every state that a system can get into, whatever happens first.

use consort_core::Prng;
use std::collections::{BTreeSet, VecDeque};

/// Something that can be in states and move from one to others.
pub(crate) trait System {
    /// One state of all of it.
    type State: Clone + Ord;
    /// What is compared at the end.
    type Result: Ord;

    /// Where it begins.
    fn start(&self) -> Self::State;
    /// Where it can get from a state by one move.
    fn moves(&self, state: &Self::State) -> Vec<Self::State>;
    /// Whether everything that was to be done is done.
    fn is_done(&self, state: &Self::State) -> bool;
    /// What came out of it.
    fn result(&self, state: &Self::State) -> Self::Result;
}

/// What was found by going every way.
#[derive(Debug)]
pub(crate) struct Explored<R> {
    /// How many states there are.
    pub(crate) states: usize,
    /// What came out of those from which nothing moves and which are done.
    pub(crate) ends: BTreeSet<R>,
    /// What had come out of those from which nothing moves and which are not done.
    pub(crate) deadlocks: BTreeSet<R>,
}

/// Goes every way, breadth first; `None` beyond so many states.
pub(crate) fn explore<S: System>(system: &S, states_max: usize) -> Option<Explored<S::Result>> {
    explore_each(system, states_max, |_| ())
}

/// The same, looking at each state.
pub(crate) fn explore_each<S: System>(
    system: &S,
    states_max: usize,
    mut look: impl FnMut(&S::State),
) -> Option<Explored<S::Result>> {
    let start = system.start();
    let mut seen = BTreeSet::from([start.clone()]);
    let mut queue = VecDeque::from([start]);
    let (mut ends, mut deadlocks) = (BTreeSet::new(), BTreeSet::new());
    while let Some(state) = queue.pop_front() {
        look(&state);
        let moves = system.moves(&state);
        if moves.is_empty() {
            let found = if system.is_done(&state) { &mut ends } else { &mut deadlocks };
            found.insert(system.result(&state));
        }
        for next in moves {
            if seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
        if states_max < seen.len() {
            return None;
        }
    }
    Some(Explored { states: seen.len(), ends, deadlocks })
}

/// Goes one way, by chance, to its end: the result, and whether everything was done.
pub(crate) fn walk<S: System>(system: &S, random: &mut Prng) -> (S::Result, bool) {
    let mut state = system.start();
    loop {
        let mut moves = system.moves(&state);
        if moves.is_empty() {
            return (system.result(&state), system.is_done(&state));
        }
        let chosen = random.below(moves.len() as u64);
        state = moves.swap_remove(usize::try_from(chosen).expect("few moves"));
    }
}
