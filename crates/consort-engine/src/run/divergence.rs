//! Values that nothing can have: infinite, no number, or far too great.
//!
//! Every real output that is read is looked at when its tag is published. Only the first time counts,
//! variable by variable; nothing of it is part of the trace.

use super::Run;
use crate::error::{Diverged, RunError};
use crate::program::{Program, Source};
use crate::store::{Bank, Slot};
use consort_core::{Causality, Tag, ValueType, Values, VariableId};
use consort_system::OnDivergence;
use std::ops::Range;

/// What is below is never looked at twice.
const GREAT: f64 = 1e30;
/// What is greater than this many times its nominal value is too great.
const NOMINALS_MAX: f64 = 1e12;
/// The most variables that are named.
const NAMED_MAX: usize = 6;

/// The real outputs of a run.
pub(crate) struct Watch {
    /// Sorted by rate, type and place.
    watched: Vec<Watched>,
    /// By rate: stretches of the column of doubles.
    doubles: Vec<Vec<Range<usize>>>,
    /// By rate: the places of shorter floats.
    singles: Vec<Vec<Slot>>,
    /// What was seen, the first ones only.
    seen: Vec<Seen>,
    /// How many variables were.
    count: usize,
}

struct Watched {
    rate: usize,
    slot: Slot,
    /// What is greater has diverged; at least [`GREAT`].
    limit: f64,
    component: usize,
    variable: VariableId,
    is_settled: bool,
}

/// A variable that diverged.
#[derive(Clone, Copy)]
struct Seen {
    watched: usize,
    element: u32,
    value: f64,
    tag: Tag,
}

impl Watch {
    pub(crate) fn of(source: &Source<'_>, program: &Program) -> Self {
        let mut watched = Vec::new();
        for &index in &program.own {
            for &variable in &program.observed[index] {
                let described = &source.models[index].variables[variable.index()];
                let place = program.places[index][variable.index()];
                if described.value_type.is_float() && described.causality != Causality::Parameter {
                    let nominal = described.nominal.map_or(1.0, f64::abs);
                    watched.push(Watched {
                        rate: source.rates.of_component[index],
                        slot: place.expect("what is read has a place").shared(),
                        limit: (NOMINALS_MAX * nominal).clamp(GREAT, f64::MAX),
                        component: index,
                        variable,
                        is_settled: false,
                    });
                }
            }
        }
        watched.sort_by_key(|it| (it.rate, it.slot.value_type, it.slot.at));
        let rates = source.rates.list.len();
        let (mut doubles, mut singles) = (vec![Vec::new(); rates], vec![Vec::new(); rates]);
        for it in &watched {
            match it.slot.value_type {
                ValueType::Float64 => join(&mut doubles[it.rate], it.slot.range()),
                _ => singles[it.rate].push(it.slot),
            }
        }
        let seen = Vec::with_capacity(NAMED_MAX);
        Watch { watched, doubles, singles, seen, count: 0 }
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
        let before = self.count;
        let of_rate = self.watched.iter_mut().enumerate().filter(|(_, it)| it.rate == rate);
        for (watched, it) in of_rate.filter(|(_, it)| !it.is_settled) {
            let odd = elements(bank, it.slot)
                .zip(0..)
                .find(|(value, _)| value.is_nan() || it.limit < value.abs());
            let Some((value, element)) = odd else { continue };
            it.is_settled = true;
            self.count += 1;
            if self.seen.len() < NAMED_MAX {
                self.seen.push(Seen { watched, element, value, tag });
            }
        }
        before < self.count
    }
}

fn join(ranges: &mut Vec<Range<usize>>, next: Range<usize>) {
    match ranges.last_mut() {
        Some(last) if last.end == next.start => last.end = next.end,
        _ => ranges.push(next),
    }
}

pub(crate) fn elements(bank: &Bank, slot: Slot) -> impl Iterator<Item = f64> + '_ {
    let values = bank.get(slot);
    (0..slot.count()).map(move |element| values.as_f64(element).expect("these are numbers"))
}

impl Run {
    /// Looks at the values of a tag: of what is due, or of all at a microstep.
    ///
    /// # Errors
    /// If one diverged and that is to end the run.
    pub(crate) fn look_for_divergence(&mut self, tag: Tag, all: bool) -> Result<(), RunError> {
        for rate in 0..self.due.len() {
            let bank = &self.program.shared;
            if (self.due[rate] || all)
                && !self.divergence.is_moderate(rate, bank)
                && self.divergence.search(rate, tag, bank)
                && self.system.coupling.on_divergence == OnDivergence::Error
            {
                return self.diverged().map_or(Ok(()), Err);
            }
        }
        Ok(())
    }

    /// A variable, or an element of one that is an array, for a person.
    pub(crate) fn element_name(
        &self,
        (component, variable): (usize, VariableId),
        slot: Slot,
        element: usize,
    ) -> String {
        let described = &self.models[component].description().variables[variable.index()];
        let path = format!("{}.{}", self.system.components[component].name, described.name);
        match slot.count {
            1 => path,
            _ => format!("{path} (element {})", element + 1),
        }
    }

    /// What diverged so far.
    pub(crate) fn diverged(&self) -> Option<RunError> {
        let watch = &self.divergence;
        let (first, others) = watch.seen.split_first()?;
        let name = |seen: &Seen| {
            let it = &watch.watched[seen.watched];
            self.element_name((it.component, it.variable), it.slot, seen.element as usize)
        };
        let Watched { component, variable, .. } = &watch.watched[first.watched];
        let described = &self.models[*component].description().variables[variable.index()];
        Some(RunError::Diverged(Box::new(Diverged {
            variable: name(first),
            tag: first.tag,
            value: first.value,
            nominal: described.nominal,
            at_start: first.tag == Tag::at(self.system.experiment.start),
            others: others.iter().map(name).collect(),
            more: watch.count - watch.seen.len(),
        })))
    }
}
