//! The past of what delays look back at.

use consort_core::{Room, Shared, clone_by_field};
use consort_equations::History;
use std::sync::Arc;

/// What one buffer remembers: times, never falling, and values. Two entries of one time are the values
/// before and after an event.
///
/// What is old never changes: copies share it, so that a copy costs the same however long the past is.
#[derive(Debug)]
pub(super) struct Past {
    /// Whole chunks, oldest first.
    old: Shared<Vec<Chunk>>,
    /// What came after them; at most a chunk.
    recent: Vec<PastValue>,
    /// How many entries of all of these are forgotten, from the first on.
    forgotten: usize,
    /// Free chunks, to be used again.
    spare: Room<Vec<Chunk>>,
}

clone_by_field!(Past { old, recent, forgotten, spare });

/// A time and the value then.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct PastValue {
    pub(super) time: f64,
    pub(super) value: f64,
}

type Chunk = Arc<[PastValue; CHUNK]>;

/// A copy copies so many entries at most.
const CHUNK: usize = 64;
/// So many entries before the oldest that is looked at are kept: polynomials are made of neighbors.
const NEIGHBORS: usize = 3;
/// As many entries decide what is between two of them.
const POINTS: usize = 4;

impl Default for Past {
    fn default() -> Self {
        let (old, recent) = (Shared::new(Vec::new()), Vec::new());
        Past { old, recent, forgotten: 0, spare: Room::default() }
    }
}

impl PartialEq for Past {
    fn eq(&self, other: &Self) -> bool {
        self.entries().eq(other.entries())
    }
}

impl Past {
    pub(super) fn from_entries(entries: impl IntoIterator<Item = PastValue>) -> Self {
        let mut past = Past::default();
        entries.into_iter().for_each(|entry| past.push(entry.time, entry.value));
        past
    }

    /// All that is remembered, oldest first.
    pub(super) fn entries(&self) -> impl Iterator<Item = &PastValue> {
        let old = self.old.iter().flat_map(|chunk| chunk.iter());
        old.chain(&self.recent).skip(self.forgotten)
    }

    /// The number of entries.
    pub(super) fn len(&self) -> usize {
        self.old.len() * CHUNK + self.recent.len() - self.forgotten
    }

    /// Begins anew: before `time` it was always so.
    pub(super) fn begin(&mut self, time: f64, value: f64) {
        if !self.old.is_empty() {
            self.old = Shared::new(Vec::new());
        }
        self.recent.clear();
        self.forgotten = 0;
        self.push(time, value);
    }

    pub(super) fn push(&mut self, time: f64, value: f64) {
        if self.recent.len() == CHUNK {
            self.make_room();
        }
        self.recent.push(PastValue { time, value });
    }

    /// Gives up what is forgotten, as far as that is worth it, or makes the recent entries old ones.
    fn make_room(&mut self) {
        self.give_up_chunks();
        if self.old.is_empty() && CHUNK / 2 <= self.forgotten {
            self.recent.drain(..self.forgotten);
            self.forgotten = 0;
            return;
        }
        let mut chunk = self.spare.pop().unwrap_or_else(|| Arc::new([PastValue::default(); CHUNK]));
        let room = Arc::get_mut(&mut chunk).expect("a spare chunk has no other owner");
        room.copy_from_slice(&self.recent);
        self.old.to_mut().push(chunk);
        self.recent.clear();
    }

    /// Drops the chunks that are forgotten as a whole; those without another owner are used again.
    fn give_up_chunks(&mut self) {
        let count = (self.forgotten / CHUNK).min(self.old.len());
        if 0 < count {
            self.forgotten -= count * CHUNK;
            let chunks = self.old.to_mut().drain(..count);
            self.spare.extend(chunks.filter(|chunk| Arc::strong_count(chunk) == 1));
        }
    }

    /// How many bytes it takes that no copy has.
    pub(super) fn unshared_bytes(&self) -> usize {
        let chunks = if self.old.is_own() { &self.old[..] } else { &[] };
        let own = chunks.iter().filter(|chunk| Arc::strong_count(chunk) == 1).count();
        size_of_val(chunks) + own * size_of::<[PastValue; CHUNK]>() + size_of_val(&self.recent[..])
    }

    /// The time of the last entry.
    pub(super) fn last_time(&self) -> f64 {
        self.recent.last().map_or(f64::NEG_INFINITY, |last| last.time)
    }

    /// Forgets values that are not needed to look back to `oldest`.
    pub(super) fn forget_before(&mut self, oldest: f64) {
        while NEIGHBORS + 1 < self.len() && self.entry(NEIGHBORS + 1).time <= oldest {
            self.forgotten += 1;
        }
    }

    /// An entry, counted from the first that is not forgotten.
    #[inline]
    fn entry(&self, at: usize) -> PastValue {
        let at = at + self.forgotten;
        let chunk = at / CHUNK;
        match self.old.get(chunk) {
            Some(chunk) => chunk[at % CHUNK],
            None => self.recent[at - self.old.len() * CHUNK],
        }
    }

    /// How many entries are not after a time.
    fn count_until(&self, time: f64) -> usize {
        let until = |entries: &[PastValue]| entries.partition_point(|entry| entry.time <= time);
        let recent = until(&self.recent);
        let count = match self.old.len() * CHUNK {
            old if 0 < recent => old + recent,
            _ => match self.old.partition_point(|chunk| chunk[0].time <= time).checked_sub(1) {
                Some(chunk) => chunk * CHUNK + until(&*self.old[chunk]),
                None => 0,
            },
        };
        count.saturating_sub(self.forgotten)
    }

    /// The value at a time: between entries a cubic through the four around it, never across an event.
    pub(super) fn at(&self, time: f64) -> f64 {
        let (after, len) = (self.count_until(time), self.len());
        let Some(found) = after.checked_sub(1) else {
            return if len == 0 { f64::NAN } else { self.entry(0).value };
        };
        let PastValue { time: exact, value } = self.entry(found);
        if time <= exact || len == 1 {
            return value;
        }
        let left = if after < len { found } else { found - 1 };
        if self.entry(left + 1).time <= self.entry(left).time {
            // An event was just here; nothing is known of where it goes.
            return value;
        }
        self.polynomial(left, time)
    }

    /// The polynomial through the entries from `left` to the next, which is later, and their neighbors.
    fn polynomial(&self, left: usize, time: f64) -> f64 {
        let (first, last) = self.neighborhood(left, self.entry(left + 1).time < time);
        let count = last - first + 1;
        let (mut times, mut differences) = ([0.0; POINTS], [0.0; POINTS]);
        for at in 0..count {
            PastValue { time: times[at], value: differences[at] } = self.entry(first + at);
        }
        for order in 1..count {
            for at in (order..count).rev() {
                let width = times[at] - times[at - order];
                differences[at] = (differences[at] - differences[at - 1]) / width;
            }
        }
        let mut value = differences[count - 1];
        for at in (0..count - 1).rev() {
            value = differences[at] + (time - times[at]) * value;
        }
        value
    }

    /// The first and the last of the entries that belong to those at `left` and right of it: a neighbor on
    /// each side, or two on one; never across an event, and no second one for a look ahead.
    fn neighborhood(&self, left: usize, is_ahead: bool) -> (usize, usize) {
        let len = self.len();
        let joins = |at: usize| at + 1 < len && self.entry(at).time < self.entry(at + 1).time;
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
pub(super) struct Recall<'a> {
    pub(super) pasts: &'a [Past],
    /// From when it is looked back.
    pub(super) from: f64,
}

impl History for Recall<'_> {
    fn ago(&mut self, buffer: usize, seconds: f64) -> f64 {
        self.pasts[buffer].at(self.from - seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(entries: &[(f64, f64)]) -> Past {
        Past::from_entries(entries.iter().map(|&(time, value)| PastValue { time, value }))
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
    fn after_an_event_at_the_end_its_value_holds() {
        check(&past(&[(0.0, 0.0), (1.0, 1.0), (1.0, 10.0)]), &[(1.5, 10.0)]);
    }

    #[test]
    fn what_is_forgotten_changes_no_value_that_is_looked_at() {
        let whole = past(&[0.0, 0.3, 0.7, 1.0, 1.4, 2.0, 2.2].map(|t| (t, t * t * t)));
        let mut part = whole.clone();
        part.forget_before(1.5);
        assert!(part.len() < whole.len());
        for t in [1.5, 1.6, 1.9, 2.0, 2.1, 2.3] {
            assert_eq!(part.at(t).to_bits(), whole.at(t).to_bits(), "at {t}");
        }
    }

    /// What a past must do, as simply as it can be written.
    #[derive(Clone, Default)]
    struct Simple(Vec<(f64, f64)>);

    impl Simple {
        fn push(&mut self, entry: (f64, f64), oldest: f64) {
            self.0.push(entry);
            while self.0.get(NEIGHBORS + 1).is_some_and(|(time, _)| *time <= oldest) {
                self.0.remove(0);
            }
        }
    }

    #[test]
    fn copies_go_their_own_ways_through_long_and_short_pasts() {
        let seed = 11;
        let mut prng = consort_core::Prng::new(seed);
        for length in [0.0, 0.5, 3.0, 6.5, 40.0, f64::INFINITY] {
            let (mut pasts, mut simples) = (vec![Past::default()], vec![Simple::default()]);
            for round in 0..4000_u32 {
                let at = prng.below(pasts.len() as u64) as usize;
                let last = pasts[at].last_time().max(0.0);
                let time = last + [0.0, 0.1, 0.1, 0.2][prng.below(4) as usize];
                pasts[at].push(time, f64::from(round));
                pasts[at].forget_before(time - length);
                simples[at].push((time, f64::from(round)), time - length);
                if prng.below(40) == 0 {
                    let (from, to) = (pasts[at].clone(), prng.below(5) as usize);
                    let simple = simples[at].clone();
                    if to < pasts.len() {
                        pasts[to].clone_from(&from);
                        simples[to] = simple;
                    } else {
                        pasts.push(from);
                        simples.push(simple);
                    }
                }
                let simple = &simples[at].0;
                assert_eq!(pasts[at].len(), simple.len(), "seed {seed}, round {round} of {length}");
                let again = past(simple);
                assert_eq!(pasts[at], again, "seed {seed}, round {round} of {length}");
                let look = time - 3.0 * prng.next_f64();
                check(&pasts[at], &[(look, again.at(look))]);
            }
        }
    }

    #[test]
    fn a_copy_of_a_long_past_copies_little_of_it() {
        let mut long = Past::default();
        (0..100_000_u32).for_each(|n| long.push(f64::from(n), 1.0));
        let mut copy = long.clone();
        let info = allocation_counter::measure(|| copy.clone_from(&long));
        assert_eq!(info.bytes_total, 0);
        let info = allocation_counter::measure(|| drop(long.clone()));
        assert!(info.count_total <= 1 && info.bytes_total <= 1024, "{info:?}");
        assert!(copy.unshared_bytes() <= 1024);
        drop(long);
        assert!(1_600_000 < copy.unshared_bytes(), "it is all its own now");
    }
}
