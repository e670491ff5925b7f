//! `always`, `eventually` and `until` at every position: they depend on later values.

use crate::fold::{Element, Fold, Piece};
use crate::interval::Interval;
use crate::operator::{Inputs, Mode, Reach, emit};
use crate::tree::Way;
use std::collections::VecDeque;

/// The operator's memory: what its window holds, and which positions wait for an answer.
#[derive(Clone, Debug)]
pub(crate) struct Future {
    reach: Reach,
    /// Seen, and still behind the window of the next position.
    pub(crate) ahead: VecDeque<Element>,
    /// Inside of the window.
    pub(crate) window: Fold,
    /// Between the next position and its window.
    pub(crate) before: Fold,
    /// The first element of the window is also in `before`.
    pub(crate) is_shared: bool,
    /// Samples that have no answer yet; of the dense reading nothing.
    pub(crate) waiting: VecDeque<i64>,
    /// The next position without an answer, in the dense reading.
    pub(crate) cursor: i64,
}

impl Future {
    pub(crate) fn new(reach: Reach, is_binary: bool) -> Self {
        Future {
            reach,
            ahead: VecDeque::new(),
            window: Fold::new(Way::Future, is_binary),
            before: Fold::new(Way::Future, is_binary),
            is_shared: false,
            waiting: VecDeque::new(),
            cursor: 0,
        }
    }

    /// Takes an element in.
    pub(crate) fn take(&mut self, element: Element, is_dense: bool) {
        if !is_dense {
            self.waiting.push_back(element.start);
        } else if let Some(last) = self.ahead.back_mut()
            && last.end == element.start
            && (last.hold, last.goal) == (element.hold, element.goal)
        {
            last.end = element.end;
            return;
        }
        self.ahead.push_back(element);
    }

    /// Answers where everything needed is known; returns up to where that is.
    pub(crate) fn answer(&mut self, inputs: &Inputs, out: &mut Vec<Piece>) -> i64 {
        let Inputs { known, mode, is_dense, .. } = *inputs;
        let limit = match (mode, self.reach.to) {
            (Mode::More, Some(to)) => known.saturating_sub(to).max(0),
            (Mode::More, None) => 0,
            _ => known,
        };
        let is_cut = mode == Mode::End && self.reach.to.is_none();
        if mode != Mode::More && !is_cut {
            self.ahead.push_back(Element::unknown(known));
        }
        while let Some(at) = self.next(is_dense).filter(|at| *at < limit) {
            self.move_to(at, inputs.is_binary);
            let end = if is_dense { self.change_after(at, limit, inputs) } else { at + 1 };
            self.waiting.pop_front();
            self.cursor = end;
            emit(out, Piece { start: at, end, value: self.value(at, inputs) });
        }
        limit
    }

    fn next(&self, is_dense: bool) -> Option<i64> {
        if is_dense { Some(self.cursor) } else { self.waiting.front().copied() }
    }

    fn move_to(&mut self, at: i64, is_binary: bool) {
        let (from, to) = (at.saturating_add(self.reach.from), self.window_end(at));
        while let Some(element) = self.ahead.pop_front_if(|element| element.start <= to) {
            self.window.push(element);
        }
        let is_binary = is_binary && 0 < self.reach.from;
        while let Some(first) = self.window.first().copied().filter(|it| it.start < from) {
            if is_binary && !self.is_shared {
                self.before.push(first);
                self.is_shared = true;
            }
            if from < first.end {
                break;
            }
            self.window.pop();
            self.is_shared = false;
        }
        self.before.pop_while(|element| element.end <= at);
    }

    fn window_end(&self, at: i64) -> i64 {
        self.reach.to.map_or(i64::MAX, |to| at.saturating_add(to))
    }

    /// Where the answer may be another one.
    fn change_after(&self, at: i64, limit: i64, inputs: &Inputs) -> i64 {
        let (first, from) = (self.window.first(), self.reach.from);
        let leaves = first.map(|first| first.end.saturating_sub(from));
        let passes = first.filter(|_| inputs.is_binary && !self.is_shared);
        let passes = passes.map(|first| first.start.saturating_add(1).saturating_sub(from));
        let enters = self.ahead.front().zip(self.reach.to);
        let enters = enters.map(|(element, to)| element.start.saturating_sub(to));
        let left = self.before.first().map(|element| element.end);
        let all = [leaves, passes, enters, left].into_iter().flatten();
        all.filter(|change| at < *change).chain([limit]).min().unwrap_or(limit)
    }

    fn value(&self, at: i64, inputs: &Inputs) -> Interval {
        let goal = self.window.summary().goal;
        if self.reach.from == 0 {
            // The goal here and now needs nothing to hold.
            let here = self.window.first().filter(|first| first.start <= at);
            let here = here.map_or(Interval::FALSE, |first| first.goal);
            return inputs.turned(goal.or(here));
        }
        inputs.turned(goal.and(self.before.summary().hold))
    }
}
