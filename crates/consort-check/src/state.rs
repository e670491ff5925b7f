//! The state of an abstract execution: for each place the tag of its value, not the value.

use crate::facts::Facts;
use consort_core::VariableId;
use consort_core::graph::Lists;

/// The tag a value belongs to: how many steps its component had taken.
pub(crate) type Stamp = i32;

/// Nothing was put there yet; what is there is a start value.
pub(crate) const NEVER: Stamp = -1;
/// What an earlier evaluation of a loop computed: of no tag, and later than all, so that it is never
/// taken for what was there before.
pub(crate) const STALE: Stamp = Stamp::MAX - 1;
/// A value that does not change: right at every tag.
pub(crate) const ALWAYS: Stamp = Stamp::MAX;

/// The places of a run and what the instances hold.
pub(crate) struct State {
    /// The present tag of each rate.
    pub(crate) now: Vec<Stamp>,
    /// Whether the rate is due at the present tag.
    pub(crate) due: Vec<bool>,
    /// The time of each component.
    pub(crate) at: Vec<Stamp>,
    /// Whether inputs were set since the last step, by component.
    pub(crate) touched: Vec<bool>,
    /// How many of a component's fed inputs hold the value of where it is.
    pub(crate) fresh: Vec<u32>,
    /// What each input of an instance was set with, by number of the variable.
    pub(crate) given: Vec<Stamp>,
    /// What was read of each variable.
    pub(crate) read: Vec<Stamp>,
    /// What each connection has brought to its input's place.
    pub(crate) moved: Vec<Stamp>,
    /// What each connection has brought within `advance`: only a coming step sees it, and at
    /// the next tag it is exchanged again.
    pub(crate) ahead: Vec<Stamp>,
}

/// A component as it was saved.
pub(crate) struct Saved {
    component: usize,
    at: Stamp,
    touched: bool,
    given: Vec<Stamp>,
}

impl State {
    pub(crate) fn new(facts: &Facts<'_>) -> Self {
        let (components, variables) = (facts.models.len(), facts.is_fed.len());
        State {
            now: vec![0; facts.periods.len()],
            due: vec![true; facts.periods.len()],
            at: vec![0; components],
            touched: vec![false; components],
            fresh: vec![0; components],
            given: vec![NEVER; variables],
            read: vec![NEVER; variables],
            moved: vec![NEVER; facts.system.connections.len()],
            ahead: vec![NEVER; facts.system.connections.len()],
        }
    }

    /// Whether an instance takes part at the present tag.
    pub(crate) fn is_due(&self, facts: &Facts<'_>, component: usize) -> bool {
        self.due[facts.rate[component] as usize]
    }

    /// The present tag of a component's rate.
    pub(crate) fn now_of(&self, facts: &Facts<'_>, component: usize) -> Stamp {
        self.now[facts.rate[component] as usize]
    }

    /// An input was set with the value of `stamp`.
    pub(crate) fn give(&mut self, component: usize, number: usize, stamp: Stamp) {
        let was = self.given[number] == self.at[component];
        let is = stamp == self.at[component];
        self.given[number] = stamp;
        match (was, is) {
            (false, true) => self.fresh[component] += 1,
            (true, false) => self.fresh[component] -= 1,
            _ => {}
        }
    }

    /// The component is now at `stamp`; counts the inputs that are right there.
    pub(crate) fn arrive(
        &mut self,
        facts: &Facts<'_>,
        fed: &Lists,
        component: usize,
        stamp: Stamp,
    ) {
        self.at[component] = stamp;
        let inputs = fed.of(component).iter().map(|&it| facts.number(component, VariableId(it)));
        let fresh = inputs.filter(|&number| self.given[number] == stamp).count();
        self.fresh[component] = crate::facts::id(fresh);
    }

    pub(crate) fn save(&self, facts: &Facts<'_>, component: usize) -> Saved {
        let (first, end) = (facts.first[component] as usize, facts.first[component + 1] as usize);
        Saved {
            component,
            at: self.at[component],
            touched: self.touched[component],
            given: self.given[first..end].to_vec(),
        }
    }

    pub(crate) fn restore(&mut self, facts: &Facts<'_>, saved: &Saved) {
        let first = facts.first[saved.component] as usize;
        self.given[first..first + saved.given.len()].copy_from_slice(&saved.given);
        self.touched[saved.component] = saved.touched;
        self.arrive(facts, &facts.fed, saved.component, saved.at);
    }
}

/// How many steps after `now` a value is; `None` if it belongs to no tag.
pub(crate) fn steps_after(stamp: Stamp, now: Stamp) -> Option<Stamp> {
    (stamp != NEVER && stamp != STALE).then(|| stamp - now)
}

/// Whether a value of `stamp` is the one of `expected`.
pub(crate) fn is_right(stamp: Stamp, expected: Stamp) -> bool {
    stamp == expected || stamp == ALWAYS
}
