//! The past of what delays look back at.

use consort_equations::History;
use std::collections::VecDeque;

/// What one buffer remembers: times, never falling, and values. Two entries of one time are the values
/// before and after an event.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Past {
    entries: VecDeque<Entry>,
}

/// A time and the value then.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Entry {
    pub(super) time: f64,
    pub(super) value: f64,
}

/// So many entries before the oldest that is looked at are kept: polynomials are made of neighbors.
const NEIGHBORS: usize = 3;
/// As many entries decide what is between two of them.
const POINTS: usize = 4;

impl Past {
    pub(super) fn from_entries(entries: impl IntoIterator<Item = Entry>) -> Self {
        Past { entries: entries.into_iter().collect() }
    }

    pub(super) fn entries(&self) -> &VecDeque<Entry> {
        &self.entries
    }

    /// Begins anew: before `time` it was always so.
    pub(super) fn begin(&mut self, time: f64, value: f64) {
        self.entries.clear();
        self.entries.push_back(Entry { time, value });
    }

    pub(super) fn push(&mut self, time: f64, value: f64) {
        self.entries.push_back(Entry { time, value });
    }

    /// The time of the last entry.
    pub(super) fn last_time(&self) -> f64 {
        self.entries.back().map_or(f64::NEG_INFINITY, |last| last.time)
    }

    /// Forgets what nobody looks at any more who looks back to `oldest` at most.
    pub(super) fn forget_before(&mut self, oldest: f64) {
        while self.entries.get(NEIGHBORS + 1).is_some_and(|entry| entry.time <= oldest) {
            self.entries.pop_front();
        }
    }

    /// The value at a time: between entries a cubic through the four around it, never across an event.
    pub(super) fn at(&self, time: f64) -> f64 {
        let entries = &self.entries;
        let after = entries.partition_point(|entry| entry.time <= time);
        let Some(found) = after.checked_sub(1) else {
            return entries.front().map_or(f64::NAN, |first| first.value);
        };
        let Entry { time: exact, value } = entries[found];
        if time <= exact || entries.len() == 1 {
            return value;
        }
        let left = if after < entries.len() { found } else { found - 1 };
        if entries[left + 1].time <= entries[left].time {
            // An event was just here; nothing is known of where it goes.
            return value;
        }
        self.polynomial(left, time)
    }

    /// The polynomial through the entries from `left` to the next, which is later, and their neighbors.
    fn polynomial(&self, left: usize, time: f64) -> f64 {
        let entries = &self.entries;
        let (first, last) = self.neighborhood(left, entries[left + 1].time < time);
        let mut differences = [0.0; POINTS];
        let count = last - first + 1;
        for (to, entry) in differences.iter_mut().zip(entries.range(first..=last)) {
            *to = entry.value;
        }
        for order in 1..count {
            for at in (order..count).rev() {
                let width = entries[first + at].time - entries[first + at - order].time;
                differences[at] = (differences[at] - differences[at - 1]) / width;
            }
        }
        let mut value = differences[count - 1];
        for at in (0..count - 1).rev() {
            value = differences[at] + (time - entries[first + at].time) * value;
        }
        value
    }

    /// The first and the last of the entries that belong to those at `left` and right of it: a neighbor on
    /// each side, or two on one; never across an event, and no second one for a look ahead.
    fn neighborhood(&self, left: usize, is_ahead: bool) -> (usize, usize) {
        let entries = &self.entries;
        let joins = |at: usize| at + 1 < entries.len() && entries[at].time < entries[at + 1].time;
        let (mut first, mut last) = (left, left + 1);
        for _ in 0..if is_ahead { 1 } else { 2 } {
            if last - first + 1 < POINTS && 0 < first && joins(first - 1) {
                first -= 1;
            }
            if last - first + 1 < POINTS && joins(last) {
                last += 1;
            }
        }
        (first, last)
    }
}

/// The past as programs ask for it.
pub(super) struct Recall<'a>(pub(super) &'a [Past]);

impl History for Recall<'_> {
    fn at(&mut self, buffer: usize, time: f64) -> f64 {
        self.0[buffer].at(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(entries: &[(f64, f64)]) -> Past {
        Past::from_entries(entries.iter().map(|&(time, value)| Entry { time, value }))
    }

    #[test]
    fn a_cubic_is_remembered_exactly_between_any_entries() {
        let f = |t: f64| 3.0 + t * (2.0 - t * (0.5 + 0.25 * t));
        let past = past(&[0.0, 0.5, 1.5, 1.75, 3.0].map(|t| (t, f(t))));
        for t in [0.1, 0.5, 0.9, 1.6, 2.0, 2.9, 3.0] {
            assert!((past.at(t) - f(t)).abs() < 1e-14, "at {t}: {} for {}", past.at(t), f(t));
        }
    }

    /// What a past is at times, to the bit.
    fn check(past: &Past, expected: &[(f64, f64)]) {
        for (time, value) in expected {
            assert_eq!(past.at(*time).to_bits(), value.to_bits(), "at {time}: {}", past.at(*time));
        }
    }

    #[test]
    fn before_the_first_entry_it_was_as_there() {
        check(&past(&[(1.0, 5.0), (2.0, 7.0)]), &[(-3.0, 5.0), (1.0, 5.0)]);
    }

    #[test]
    fn nothing_is_smoothed_across_an_event() {
        let past = past(&[(0.0, 0.0), (1.0, 1.0), (1.0, 10.0), (2.0, 10.0), (3.0, 10.0)]);
        check(&past, &[(0.5, 0.5), (0.75, 0.75), (1.0, 10.0), (1.001, 10.0), (1.5, 10.0)]);
    }

    #[test]
    fn after_an_event_at_the_end_its_value_goes_on() {
        check(&past(&[(0.0, 0.0), (1.0, 1.0), (1.0, 10.0)]), &[(1.5, 10.0)]);
    }

    #[test]
    fn what_is_forgotten_changes_no_value_that_is_looked_at() {
        let whole = past(&[0.0, 0.3, 0.7, 1.0, 1.4, 2.0, 2.2].map(|t| (t, t * t * t)));
        let mut part = whole.clone();
        part.forget_before(1.5);
        assert!(part.entries().len() < whole.entries().len());
        for t in [1.5, 1.6, 1.9, 2.0, 2.1, 2.3] {
            assert_eq!(part.at(t).to_bits(), whole.at(t).to_bits(), "at {t}");
        }
    }
}
