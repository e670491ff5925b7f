//! What acts on a run from outside of its system: a table of inputs, and interventions.

use crate::feed::FeedProgram;
use crate::intervene::Interventions;
use crate::store::Bank;
use consort_core::Time;

/// The table of inputs and the interventions of a run.
pub(crate) struct External {
    pub(crate) feed: Option<FeedProgram>,
    pub(crate) interventions: Interventions,
}

impl External {
    /// Fills inputs from the table; whether there is one.
    #[inline]
    pub(crate) fn feed(&mut self, time: Time, bank: &mut Bank) -> bool {
        let Some(feed) = &mut self.feed else { return false };
        feed.run(time, bank);
        true
    }

    /// The first time after `now` at which an input from the table jumps.
    pub(crate) fn next_jump(&self, now: Time) -> Option<Time> {
        self.feed.as_ref().and_then(|feed| feed.next_jump(now))
    }
}
