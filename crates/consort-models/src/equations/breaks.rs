//! Break points: when a jump or a kink arrives that delays bring from the past.
//!
//! What an event makes jump, and the kink at the start, arrive a delay later, and through equations that
//! delay themselves again and again, each time smoother by one derivative. A solver that steps to these
//! instants exactly sees smooth equations on both sides.

/// Later ones are smooth enough for solvers and for the cubics between remembered values.
pub(super) const GENERATION_MAX: u64 = 5;
/// So many at most wait; of more, those that are smoothest and farthest are left out.
const WAITING_MAX: usize = 1000;

/// All break points that are to come.
#[derive(PartialEq, Debug, Default)]
pub(super) struct Breaks {
    /// By time; no two have the same.
    waiting: Vec<Break>,
}

consort_core::clone_by_field!(Breaks { waiting });

/// An instant at which something arrives, and through how many delays it has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Break {
    pub(super) due: f64,
    pub(super) generation: u64,
}

impl Breaks {
    pub(super) fn from_waiting(waiting: Vec<Break>) -> Self {
        Breaks { waiting }
    }

    pub(super) fn waiting(&self) -> &[Break] {
        &self.waiting
    }

    /// When the next is due; infinity for never.
    pub(super) fn next(&self) -> f64 {
        self.waiting.first().map_or(f64::INFINITY, |next| next.due)
    }

    /// Takes out what is due; the least generation of it.
    pub(super) fn take_due(&mut self, time: f64) -> Option<u64> {
        let count = self.waiting.partition_point(|it| it.due <= time);
        self.waiting.drain(..count).map(|it| it.generation).min()
    }

    /// What happens at `time` and has come through so many delays arrives again after each of these.
    pub(super) fn follow(
        &mut self,
        time: f64,
        generation: u64,
        durations: impl IntoIterator<Item = f64>,
    ) {
        if GENERATION_MAX <= generation {
            return;
        }
        for duration in durations {
            let due = arrival(time, duration);
            if time < due && due.is_finite() {
                self.add(Break { due, generation: generation + 1 });
            }
        }
    }

    fn add(&mut self, new: Break) {
        let place = self.waiting.partition_point(|it| it.due < new.due);
        match self.waiting.get_mut(place) {
            Some(same) if same.due <= new.due => {
                same.generation = same.generation.min(new.generation);
            }
            _ => self.waiting.insert(place, new),
        }
        if WAITING_MAX < self.waiting.len() {
            let all = self.waiting.iter().enumerate();
            let smoothest = all.max_by_key(|(place, it)| (it.generation, *place));
            let place = smoothest.expect("there are many").0;
            self.waiting.remove(place);
        }
    }
}

/// When it arrives: such that who looks back from just before sees what was before `time`, as far as
/// rounding leaves a choice.
fn arrival(time: f64, duration: f64) -> f64 {
    let due = time + duration;
    let before = due.next_down();
    if time <= before - duration { before } else { due }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(breaks: &Breaks) -> Vec<(f64, u64)> {
        breaks.waiting().iter().map(|it| (it.due, it.generation)).collect()
    }

    #[test]
    fn each_delay_brings_it_once_and_equal_times_are_one() {
        let mut breaks = Breaks::default();
        breaks.follow(1.0, 3, [0.5, 0.25, 0.5]);
        assert_eq!(list(&breaks), [(1.25, 4), (1.5, 4)]);
        breaks.follow(1.25, 0, [0.25]);
        assert_eq!(list(&breaks), [(1.25, 4), (1.5, 1)], "the rougher one counts");
        assert_eq!(breaks.take_due(1.5), Some(1));
        assert_eq!((breaks.take_due(1.5), breaks.next()), (None, f64::INFINITY));
    }

    #[test]
    fn what_is_smooth_enough_or_never_comes_is_no_break() {
        let mut breaks = Breaks::default();
        breaks.follow(1.0, GENERATION_MAX, [0.5]);
        breaks.follow(1.0, 0, [0.0, -1.0, 1e-20, f64::NAN, f64::INFINITY]);
        assert_eq!(list(&breaks), []);
    }

    #[test]
    fn the_smoothest_and_farthest_are_left_out_where_there_are_too_many() {
        let mut breaks = Breaks::default();
        breaks.follow(0.0, 2, (0..WAITING_MAX).map(|n| 1.0 + n as f64));
        breaks.follow(0.0, 3, [0.5]);
        assert_eq!((breaks.waiting().len(), breaks.next()), (WAITING_MAX, 1.0));
        breaks.follow(0.0, 0, [0.75]);
        assert_eq!((breaks.waiting().len(), breaks.next()), (WAITING_MAX, 0.75));
        assert_eq!(list(&breaks).last(), Some(&(WAITING_MAX as f64 - 1.0, 3)));
    }

    #[test]
    fn before_it_arrives_all_delays_read_earlier_values() {
        let mut time = 0.1;
        for n in 1..2000 {
            let duration = 0.7 / f64::from(n);
            let due = arrival(time, duration);
            assert!(due.next_down() - duration < time, "{time} + {duration}");
            assert!(time <= due.next_up() - duration, "{time} + {duration}");
            time += 0.013;
        }
    }
}
