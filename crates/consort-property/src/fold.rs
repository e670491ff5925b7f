//! What holds over a sliding window, in constant time per element on average.
//!
//! Every operator along the trace is an `until` or a `since`: something holds until, or since, a goal.
//! What a run of consecutive elements says about that is a [`Summary`]; summaries of neighbors combine,
//! and a queue made of two stacks keeps that of a window (two-stacks sliding-window aggregation).

use crate::interval::Interval;
use crate::tree::Way;

/// Where a value holds: positions are half ticks. An even position is a point in time, the odd one
/// behind it the open interval up to the next tick, so that closed intervals of real time are ranges of
/// whole positions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Piece {
    pub(crate) start: i64,
    /// One past the last.
    pub(crate) end: i64,
    pub(crate) value: Interval,
}

/// Two values that hold at the same positions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Element {
    pub(crate) start: i64,
    /// One past the last.
    pub(crate) end: i64,
    pub(crate) hold: Interval,
    pub(crate) goal: Interval,
}

impl Element {
    /// What comes after everything that was seen.
    pub(crate) fn unknown(start: i64) -> Self {
        let (hold, goal) = (Interval::UNKNOWN, Interval::UNKNOWN);
        Element { start, end: i64::MAX, hold, goal }
    }

    fn summary(&self, way: Way) -> Summary {
        let goal = match self.is_open(way) {
            true => self.goal.and(self.hold),
            false => self.goal,
        };
        Summary { hold: self.hold, goal }
    }

    /// Whether the element has no position that is nearest: then a goal inside of it is only reached
    /// through a part of it.
    fn is_open(&self, way: Way) -> bool {
        match way {
            Way::Future => self.start & 1 == 1,
            Way::Past => (self.end - 1) & 1 == 1,
        }
    }
}

/// What a run of elements says, seen from its near end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Summary {
    /// The robustness if it holds all along.
    pub(crate) hold: Interval,
    /// The goal is reached, and it holds from here to there.
    pub(crate) goal: Interval,
}

impl Summary {
    pub(crate) const EMPTY: Summary = Summary { hold: Interval::TRUE, goal: Interval::FALSE };

    /// Of a run, and of the run that comes next in time.
    fn then(self, later: Summary, way: Way) -> Self {
        let (near, far) = match way {
            Way::Future => (self, later),
            Way::Past => (later, self),
        };
        Summary { hold: near.hold.and(far.hold), goal: near.goal.or(near.hold.and(far.goal)) }
    }

    /// With one element more at its later end.
    pub(crate) fn with(self, element: &Element, way: Way) -> Self {
        self.then(element.summary(way), way)
    }
}

/// A queue of elements that knows the summary of all of them.
#[derive(Clone, Debug)]
pub(crate) struct Fold {
    way: Way,
    /// Something has to hold on the way: `until` and `since`.
    is_binary: bool,
    /// The earlier ones, the last of them first, each with the summary from it to the first of `late`.
    early: Vec<(Element, Summary)>,
    late: Vec<Element>,
    late_summary: Summary,
}

impl Fold {
    pub(crate) fn new(way: Way, is_binary: bool) -> Self {
        Fold { way, is_binary, early: Vec::new(), late: Vec::new(), late_summary: Summary::EMPTY }
    }

    pub(crate) fn push(&mut self, element: Element) {
        self.absorb(&element);
        self.late.push(element);
    }

    /// Takes an element into the summary that will never be taken out.
    pub(crate) fn absorb(&mut self, element: &Element) {
        self.late_summary = self.then(self.late_summary, element.summary(self.way));
    }

    /// Where nothing has to hold on the way, half of the work is enough.
    fn then(&self, earlier: Summary, later: Summary) -> Summary {
        match self.is_binary {
            true => earlier.then(later, self.way),
            false => Summary { hold: Interval::TRUE, goal: earlier.goal.or(later.goal) },
        }
    }

    pub(crate) fn first(&self) -> Option<&Element> {
        self.early.last().map(|(element, _)| element).or_else(|| self.late.first())
    }

    pub(crate) fn pop(&mut self) {
        if self.early.is_empty() {
            let mut summary = Summary::EMPTY;
            while let Some(element) = self.late.pop() {
                summary = self.then(element.summary(self.way), summary);
                self.early.push((element, summary));
            }
            self.late_summary = Summary::EMPTY;
        }
        self.early.pop();
    }

    /// Takes out the first ones as long as they are not needed.
    pub(crate) fn pop_while(&mut self, is_over: impl Fn(&Element) -> bool) {
        while self.first().is_some_and(&is_over) {
            self.pop();
        }
    }

    pub(crate) fn summary(&self) -> Summary {
        let early = self.early.last().map_or(Summary::EMPTY, |(_, summary)| *summary);
        self.then(early, self.late_summary)
    }

    /// In the order of time.
    pub(crate) fn elements(&self) -> impl Iterator<Item = &Element> {
        self.early.iter().rev().map(|(element, _)| element).chain(&self.late)
    }

    /// The summary of what was [absorbed](Self::absorb), of a queue that only absorbs.
    pub(crate) fn absorbed(&self) -> Summary {
        self.late_summary
    }

    pub(crate) fn set_absorbed(&mut self, summary: Summary) {
        self.late_summary = summary;
    }

    /// As it was with these elements.
    pub(crate) fn set(&mut self, elements: Vec<Element>) {
        *self = Fold::new(self.way, self.is_binary);
        elements.into_iter().for_each(|element| self.push(element));
    }
}
