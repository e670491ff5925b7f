//! `always`, `eventually` and `until` at the start of the trace only: a few numbers instead of a window.

use crate::fold::{Element, Summary};
use crate::interval::Interval;
use crate::operator::{Mode, Reach};
use crate::tree::Way;

/// The state of the operator.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Single {
    reach: Reach,
    /// What holds before the window.
    pub(crate) before: Interval,
    pub(crate) window: Summary,
    /// The goal at the start itself, if the window begins there.
    pub(crate) here: Interval,
    /// Everything before this position was seen.
    pub(crate) known: i64,
}

impl Single {
    pub(crate) fn new(reach: Reach) -> Self {
        Single {
            reach,
            before: Interval::TRUE,
            window: Summary::EMPTY,
            here: Interval::FALSE,
            known: 0,
        }
    }

    /// Takes an element in.
    pub(crate) fn take(&mut self, element: &Element) {
        let Reach { from, to } = self.reach;
        if element.start < from {
            self.before = self.before.and(element.hold);
        }
        if from < element.end && to.is_none_or(|to| element.start <= to) {
            self.window = self.window.with(element, Way::Future);
        }
        if from == 0 && element.start == 0 {
            self.here = element.goal;
        }
    }

    /// What is known of the answer; what was not seen may be anything, unless the trace has ended.
    pub(crate) fn value(&self, mode: Mode) -> Interval {
        let is_over = match self.reach.to {
            Some(to) => to < self.known,
            None => mode == Mode::End,
        };
        if is_over {
            return self.result();
        }
        let mut guess = self.clone();
        guess.take(&Element::unknown(self.known));
        guess.result()
    }

    fn result(&self) -> Interval {
        self.window.goal.and(self.before).or(self.here)
    }
}
