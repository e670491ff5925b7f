//! Values that nothing can have: infinite, no number, or far too great.
//!
//! Every real output that is read is looked at when its tag is published. Only the first time counts,
//! variable by variable; nothing of it is part of the trace.

use super::elements;
use super::sightings::{Sighting, Sightings, WatchedVariable};
use crate::error::{Diverged, RunError};
use crate::executable::Executable;
use crate::interpreter::Interpreter;
use crate::program::{Program, Source};
use crate::store::{Bank, Slot};
use consort_core::{Causality, Tag, ValueType, Values};
use consort_system::OnDivergence;
use std::ops::Range;

/// What is below is never looked at twice.
const GREAT: f64 = 1e30;
/// What is greater than this many times its nominal value is too great.
const NOMINALS_MAX: f64 = 1e12;

/// The real outputs of a run.
pub(super) struct DivergenceWatch {
    /// Sorted by rate, type and place.
    outputs: Vec<LimitedOutput>,
    /// By rate: stretches of the column of doubles.
    doubles: Vec<Vec<Range<usize>>>,
    /// By rate: the places of shorter floats.
    singles: Vec<Vec<Slot>>,
    /// What diverged.
    found: Sightings,
    /// What is to be done about it.
    reaction: OnDivergence,
}

/// A real output, and how great it may be.
struct LimitedOutput {
    place: WatchedVariable,
    rate: usize,
    /// What is greater has diverged; at least [`GREAT`].
    limit: f64,
    /// It has diverged, and is not looked at any more.
    has_diverged: bool,
}

impl DivergenceWatch {
    pub(super) fn of(source: &Source<'_>, program: &Program) -> Self {
        let mut outputs = Vec::new();
        for &index in &program.own {
            for &variable in &program.observed[index] {
                let described = &source.models[index].variables[variable.index()];
                let place = program.places[index][variable.index()];
                if described.value_type.is_float() && described.causality != Causality::Parameter {
                    let nominal = described.nominal.map_or(1.0, f64::abs);
                    let slot = place.expect("what is read has a place").shared();
                    outputs.push(LimitedOutput {
                        place: WatchedVariable { component: index, variable, slot },
                        rate: source.rates.of_component[index],
                        limit: (NOMINALS_MAX * nominal).clamp(GREAT, f64::MAX),
                        has_diverged: false,
                    });
                }
            }
        }
        outputs.sort_by_key(|it| (it.rate, it.place.slot.value_type, it.place.slot.at));
        let rates = source.rates.list.len();
        let (mut doubles, mut singles) = (vec![Vec::new(); rates], vec![Vec::new(); rates]);
        for LimitedOutput { place, rate, .. } in &outputs {
            match place.slot.value_type {
                ValueType::Float64 => join(&mut doubles[*rate], place.slot.range()),
                _ => singles[*rate].push(place.slot),
            }
        }
        let reaction = source.system.coupling.on_divergence;
        DivergenceWatch { outputs, doubles, singles, found: Sightings::new(), reaction }
    }

    /// Whether nothing of one rate is great; most tags end here.
    fn is_moderate(&self, rate: usize, bank: &Bank) -> bool {
        let Values::Float64(column) = bank.column(ValueType::Float64) else { return true };
        // No early end: without branches the loop takes several values at once.
        let all = |values: &[f64]| values.iter().fold(true, |all, it| all & (it.abs() <= GREAT));
        let small = |slot: &Slot| elements(bank, *slot).all(|it| it.abs() <= GREAT);
        self.doubles[rate].iter().all(|range| all(&column[range.clone()]))
            && self.singles[rate].iter().all(small)
    }

    /// Notes what diverged for the first time; whether anything did.
    #[cold]
    fn search(&mut self, rate: usize, tag: Tag, bank: &Bank) -> bool {
        let before = self.found.count();
        let of_rate = self.outputs.iter_mut().filter(|it| it.rate == rate);
        for it in of_rate.filter(|it| !it.has_diverged) {
            let odd = elements(bank, it.place.slot)
                .enumerate()
                .find(|(_, value)| value.is_nan() || it.limit < value.abs());
            let Some((element, value)) = odd else { continue };
            it.has_diverged = true;
            self.found.note(Sighting { place: it.place, element, value, tag });
        }
        before < self.found.count()
    }

    /// Looks at the values of these rates at a tag.
    ///
    /// # Errors
    /// If one diverged and that is to end the run.
    pub(super) fn inspect(
        &mut self,
        tag: Tag,
        run: &Interpreter,
        mut rates: impl Iterator<Item = usize>,
    ) -> Result<(), RunError> {
        let bank = &run.program.shared;
        let ends = rates.any(|rate| {
            !self.is_moderate(rate, bank)
                && self.search(rate, tag, bank)
                && self.reaction == OnDivergence::Error
        });
        if ends { self.problem(&run.executable).map_or(Ok(()), Err) } else { Ok(()) }
    }

    /// What diverged so far, if it did not end the run.
    pub(super) fn warning(&self, executable: &Executable) -> Option<RunError> {
        self.problem(executable).filter(|_| self.reaction == OnDivergence::Warn)
    }

    fn problem(&self, executable: &Executable) -> Option<RunError> {
        let (noticed, first) = self.found.noticed(executable)?;
        Some(RunError::Diverged(Box::new(Diverged { noticed, nominal: first.nominal })))
    }
}

fn join(ranges: &mut Vec<Range<usize>>, next: Range<usize>) {
    match ranges.last_mut() {
        Some(last) if last.end == next.start => last.end = next.end,
        _ => ranges.push(next),
    }
}
