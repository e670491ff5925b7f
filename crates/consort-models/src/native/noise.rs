//! Random numbers as a function of the experiment's seed, the component's path and time.

use super::behavior::{BlockBehavior, BlockMoment};
use super::draft::BlockDraft;
use super::sources::check_period;
use super::store::{Slot, Store};
use consort_core::{DependencyKind, Prng};
use std::f64::consts::TAU;

/// The value at a tag is drawn from the component's generator split by that tag: asking again, asking
/// out of order or going back to a saved state never changes it, and there is no state to save.
struct Noise {
    mean: Slot,
    deviation: Slot,
    period: Slot,
    y: Slot,
    is_normal: bool,
}

pub(super) fn noise(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let choices = ["normal", "uniform"];
    let is_normal = draft.choice("distribution", &choices, "how values are spread") == "normal";
    let mean = draft.tunable("mean", 0.0, "the expected value").slot();
    let deviation = draft.tunable("deviation", 1.0, "the standard deviation").min(0.0).slot();
    let text = "how long a value is held, to the nearest tick; 0: a new one at every tag";
    let period = draft.fixed("period", 0.0, text).unit("s").min(0.0).slot();
    let y = draft.output("y", &[], "a random value").slot();
    for parameter in [mean, deviation, period] {
        draft.depends(y, parameter, DependencyKind::Dependent);
    }
    Some(Box::new(Noise { mean, deviation, period, y, is_normal }))
}

impl BlockBehavior for Noise {
    fn check(&self, now: &BlockMoment<'_>, store: &Store) -> Result<(), String> {
        let period = store.scalar(self.period);
        if period == 0.0 { Ok(()) } else { check_period(now, period) }
    }

    fn outputs(&self, now: &BlockMoment<'_>, store: &mut Store) {
        // Seconds rather than ticks, so that a finer resolution leaves the numbers as they are.
        let key = match now.ticks(store.scalar(self.period)) {
            Some(period) => now.time.ticks().div_euclid(period).cast_unsigned(),
            None => now.seconds().to_bits(),
        };
        let mut prng = split_by_number(now.prng, key);
        let unit = if self.is_normal { normal(&mut prng) } else { uniform(&mut prng) };
        store.set_scalar(self.y, store.scalar(self.mean) + store.scalar(self.deviation) * unit);
    }
}

/// [`Prng::split`] by a number written in hex, without an allocation.
fn split_by_number(prng: &Prng, number: u64) -> Prng {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |index: usize| DIGITS[(number >> (60 - 4 * index) & 0xF) as usize];
    let text: [u8; 16] = std::array::from_fn(digit);
    prng.split(std::str::from_utf8(&text).expect("hex digits are ASCII"))
}

/// Mean 0 and deviation 1, by Box and Muller.
fn normal(prng: &mut Prng) -> f64 {
    let radius = (-2.0 * libm::log(1.0 - prng.next_f64())).sqrt();
    radius * libm::cos(TAU * prng.next_f64())
}

/// Mean 0 and deviation 1.
fn uniform(prng: &mut Prng) -> f64 {
    const HALF_WIDTH: f64 = 1.732_050_807_568_877_2; // the square root of 3
    HALF_WIDTH * (2.0 * prng.next_f64() - 1.0)
}
