//! `historically`, `once` and `since` at every position: they depend on earlier values, so they are known at once.

use crate::fold::{Element, Fold, Piece};
use crate::interval::Interval;
use crate::operator::{Inputs, Reach, emit};
use crate::tree::Way;
use std::collections::VecDeque;

/// The state of the operator.
#[derive(Clone, Debug)]
pub(crate) struct Past {
    reach: Reach,
    /// Seen in this round, not reached yet.
    pub(crate) coming: VecDeque<Element>,
    /// The element of the position that was answered last.
    pub(crate) here: Option<Element>,
    /// Reached, and too young for the window.
    pub(crate) young: VecDeque<Element>,
    /// Inside of the window; without an end to look at, only their summary.
    pub(crate) window: Fold,
    /// Between the window and the position.
    pub(crate) since: Fold,
    /// The next position without an answer, in the dense reading.
    pub(crate) cursor: i64,
}

impl Past {
    pub(crate) fn new(reach: Reach, is_binary: bool) -> Self {
        Past {
            reach,
            coming: VecDeque::new(),
            here: None,
            young: VecDeque::new(),
            window: Fold::new(Way::Past, is_binary),
            since: Fold::new(Way::Past, is_binary),
            cursor: 0,
        }
    }

    /// Whether the window forgets nothing, and so keeps no elements.
    pub(crate) fn is_endless(&self) -> bool {
        self.reach.to.is_none()
    }

    /// Takes an element in.
    pub(crate) fn take(&mut self, element: Element) {
        self.coming.push_back(element);
    }

    /// Answers up to where the inputs are known.
    pub(crate) fn answer(&mut self, inputs: &Inputs, out: &mut Vec<Piece>) -> i64 {
        while let Some(at) = self.next(inputs) {
            self.move_to(at, inputs.is_binary);
            let end = match inputs.is_dense {
                true => self.change_after(at, inputs.known),
                false => at + 1,
            };
            self.cursor = end;
            emit(out, Piece { start: at, end, value: self.value(inputs) });
        }
        inputs.known
    }

    fn next(&self, inputs: &Inputs) -> Option<i64> {
        match inputs.is_dense {
            true => Some(self.cursor).filter(|at| *at < inputs.known),
            false => self.coming.front().map(|element| element.start),
        }
    }

    fn move_to(&mut self, at: i64, is_binary: bool) {
        while let Some(element) = self.coming.pop_front_if(|element| element.start <= at) {
            if is_binary && 0 < self.reach.from {
                self.since.push(element);
            }
            self.here = Some(element);
            self.young.push_back(element);
        }
        let latest = at.saturating_sub(self.reach.from);
        while let Some(element) = self.young.pop_front_if(|element| element.start <= latest) {
            match self.reach.to {
                Some(_) => self.window.push(element),
                None => self.window.absorb(&element),
            }
        }
        if let Some(to) = self.reach.to {
            self.window.pop_while(|element| element.end <= at.saturating_sub(to));
        }
        self.since.pop_while(|element| element.end - 1 <= latest);
    }

    /// Where the answer may be another one.
    fn change_after(&self, at: i64, known: i64) -> i64 {
        let Reach { from, to } = self.reach;
        let ends = self.here.map(|element| element.end);
        let enters = self.young.front().map(|element| element.start.saturating_add(from));
        let first = self.window.first().zip(to);
        let leaves = first.map(|(element, to)| element.end.saturating_add(to));
        let passes = self.since.first().map(|element| (element.end - 1).saturating_add(from));
        let all = [ends, enters, leaves, passes].into_iter().flatten();
        all.filter(|change| at < *change).chain([known]).min().unwrap_or(known)
    }

    fn value(&self, inputs: &Inputs) -> Interval {
        let goal = self.window.summary().goal;
        if self.reach.from == 0 {
            let here = self.here.map_or(Interval::FALSE, |here| here.goal);
            return inputs.turned(goal.or(here));
        }
        inputs.turned(goal.and(self.since.summary().hold))
    }
}
