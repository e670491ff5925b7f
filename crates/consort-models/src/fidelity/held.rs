//! Checks states that are held at the same time.

use super::trial_instance::Point;
use super::watch::Observed;
use consort_core::Prng;

/// So many at most: a state may be large.
const HELD_MAX: usize = 8;

/// A state of a run.
pub(super) struct HeldState {
    /// At which point it was saved.
    pub(super) index: u32,
    pub(super) point: Point,
    /// Its bytes, where the same state always has the same.
    pub(super) bytes: Option<Vec<u8>>,
    /// What follows, if it is not what follows without saving.
    pub(super) expected: Option<Observed>,
}

/// The first state of a run, the newest, and some between.
#[derive(Default)]
pub(super) struct Held(Vec<HeldState>);

impl Held {
    /// One more; another may be given up for it.
    pub(super) fn add(&mut self, saved: HeldState, prng: &mut Prng) {
        if self.0.len() == HELD_MAX {
            let between = prng.below(HELD_MAX as u64 - 1) + 1;
            self.0.remove(usize::try_from(between).expect("it is below the number of states"));
        }
        self.0.push(saved);
    }

    pub(super) fn newest(&self) -> &HeldState {
        self.0.last().expect("one was added")
    }

    /// The newest in every second case, else any.
    pub(super) fn choose(&self, prng: &mut Prng) -> &HeldState {
        match prng.below(2) {
            0 => self.newest(),
            _ => {
                let any = prng.below(self.0.len() as u64);
                &self.0[usize::try_from(any).expect("it is below the number of states")]
            }
        }
    }
}
