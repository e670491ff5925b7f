//! Drawing cases from seeds.

use super::{Case, Fault, Kind, Law, Part, Saving};
use crate::fmus::Fmi;
use crate::liar::Interface;
use consort_core::Prng;

const PARTS: [Part; 10] = [
    Part::History,
    Part::Sample,
    Part::Next,
    Part::Line,
    Part::Count,
    Part::Peak,
    Part::Input,
    Part::Tuned,
    Part::States,
    Part::Everything,
];

const KINDS: [Kind; 14] = [
    Kind::Live,
    Kind::Lost,
    Kind::Static,
    Kind::Rounded,
    Kind::RoundedBySaves,
    Kind::Slot,
    Kind::Ring,
    Kind::Undo,
    Kind::Here,
    Kind::EveryNth,
    Kind::FromAfar,
    Kind::Ahead,
    Kind::Late,
    Kind::Fresh,
];

pub(super) fn case(seed: u64) -> Case {
    let mut prng = Prng::new(seed).split("amnesiac");
    let fmi = one_of(&mut prng, &[Fmi::V2, Fmi::V3]);
    let interface = one_of(&mut prng, &[Interface::CoSimulation, Interface::ModelExchange]);
    let can = [Saving::Bytes, Saving::Bytes, Saving::Bytes, Saving::Bytes, Saving::States];
    let saving = match prng.below(16) {
        0 => Saving::Nothing,
        _ => one_of(&mut prng, &can),
    };
    let count = one_of(&mut prng, &[0, 1, 1, 2]);
    let faults = (0..count).map(|_| fault(&mut prng)).collect();
    let step = one_of(&mut prng, &[50, 50, 25, 40, 100]);
    Case { seed, fmi, interface, saving, law: law(&mut prng), faults, step }
}

fn fault(prng: &mut Prng) -> Fault {
    let (part, kind) = (one_of(prng, &PARTS), one_of(prng, &KINDS));
    let argument = match kind {
        Kind::Ring => one_of(prng, &[1.0, 2.0, 3.0, 5.0, 8.0, 64.0]),
        Kind::EveryNth => one_of(prng, &[1.0, 2.0, 3.0, 7.0, 20.0, 60.0]),
        Kind::FromAfar => one_of(prng, &[0.02, 0.1, 0.5, 2.0, 6.0]),
        Kind::Late => one_of(prng, &[0.1, 1.0, 5.0, 9.0, 9.95]),
        _ => 0.0,
    };
    Fault { part, kind, argument }
}

fn law(prng: &mut Prng) -> Law {
    Law {
        period: one_of(prng, &[0.05, 0.1, 0.13, 0.25, 0.3, 0.7, 1.5]),
        delay: one_of(prng, &[1, 2, 4, 8]),
        threshold: one_of(prng, &[1, 3, 10, 30, 90]),
        limit: one_of(prng, &[0.0, 0.5, 0.9, 0.99, 2.0]),
        damping: one_of(prng, &[0.1, 0.5, 2.0]),
        by_sample: gain(prng),
        by_delay: gain(prng),
        by_count: gain(prng),
        by_peak: gain(prng),
    }
}

/// None in one of three cases: what does not act is never seen.
fn gain(prng: &mut Prng) -> f64 {
    one_of(prng, &[0.0, 0.05, 0.1])
}

fn one_of<T: Copy>(prng: &mut Prng, all: &[T]) -> T {
    all[usize::try_from(prng.below(all.len() as u64)).expect("it is below a length")]
}
