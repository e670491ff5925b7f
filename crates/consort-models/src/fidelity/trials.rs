//! Seed 002's Algorithm 1: whether `sim(tau)` and `sim*(tau, tau')` reach the same state.
//!
//! `sim*(tau, tau')` saves the state, moves on by tau' (the excursion), restores and moves on by tau. What it reaches
//! is compared, bit for bit, with a run that was never saved. If N trials with random tau' find no difference, the
//! probability of one is below epsilon with confidence 1 - delta, for N = ln(delta) / ln(1 - epsilon).
//!
//! Several states are held at once, and half of the trials restore an older one and then the newest again: states that
//! are not apart from each other, or that can only be gone back to, show there. Some trials are followed for longer.

use super::held::{Held, HeldState};
use super::portable;
use super::reference::Reference;
use super::signals::Path;
use super::trial_instance::{Point, TrialInstance, TrialSetup};
use super::verdict::{Costs, Failure, RestoreMismatch, Verdict, Why};
use super::watch::{Difference, Observed};
use consort_core::{Fidelity, Model, Prng, Provider, Time};

/// One of so many excursions is up to the bound, the others up to so many tau: these see what is near.
const LONG_EVERY: u64 = 8;
const SHORT_PARTS: i64 = 5;
/// One of so many trials is followed for so many tau.
const FOLLOWED_EVERY: u64 = 8;
const FOLLOWED_PARTS: u32 = 8;
/// So often a trial after which bytes differ is followed to the end of the run.
const BYTES_FOLLOWED_MAX: u32 = 3;

/// Which state was restored, where that may be the reason.
const OLDER: &str = "an older state than the last one saved";
const NEWER: &str = "the last state saved, after an older one was restored";

/// Called after each trial with how many there were, and how many there will be.
pub(super) type OnDone<'t> = &'t dyn Fn(Provider, [u32; 2]);

/// What trials are compared with.
#[derive(Clone, Copy)]
pub(super) struct Baseline<'c> {
    pub(super) trial_setup: &'c TrialSetup,
    /// A run that was never saved.
    pub(super) reference: &'c Reference,
}

/// One excursion, as a counter-example names it.
pub(super) struct TrialPlace {
    /// The number of the trial.
    pub(super) number: u32,
    /// The time at which the state was saved.
    pub(super) saved_at: Time,
    /// How long the instance was elsewhere before it was restored.
    pub(super) excursion: Time,
}

/// What happened before a state was restored.
#[derive(Clone, Copy)]
struct Detour<'w> {
    /// How long the instance was elsewhere.
    excursion: Time,
    /// Which state was restored, where that may be the reason of a difference.
    which: &'w str,
}

/// Why trials ended before the last.
pub(super) enum Ended {
    Failed(Failure),
    Differs(Box<RestoreMismatch>),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Ended::Failed(failure)
    }
}

/// What a provider does for a model whose instances save their states by it. On excursions that are tame the model goes
/// where its run goes, and never passes its last point.
pub(super) fn judge(
    model: &dyn Model,
    provider: Provider,
    baseline: Baseline<'_>,
    is_tame: bool,
    on_done: OnDone<'_>,
) -> Verdict {
    let Baseline { trial_setup, reference } = baseline;
    if let Some(example) = &reference.unequal {
        return Verdict::without(provider, Why::NotRepeatable { example: example.clone() });
    }
    if reference.points() == 0 {
        let reason = "it ends in its first step: there is nothing to compare".to_owned();
        return Verdict::without(provider, Why::Unsupported { reason });
    }
    let mut costs =
        Costs { points: reference.points(), whole: reference.whole, ..Costs::default() };
    let mut trials = Trials::new(baseline, provider, is_tame, on_done);
    let judged = match trials.exact(model, &mut costs) {
        Ok(()) => portable::judge(model, trial_setup, reference, &mut costs),
        Err(Ended::Failed(failure)) => (Fidelity::None, Some(failure.into_why())),
        Err(Ended::Differs(example)) => match trials.repeatable(model, &mut costs) {
            Ok(()) => (Fidelity::Repeatable, Some(Why::Differs { example: *example })),
            Err(Ended::Failed(failure)) if failure.is_late || failure.is_from_outside => {
                (Fidelity::None, Some(failure.into_why()))
            }
            Err(_) => (Fidelity::None, Some(Why::Differs { example: *example })),
        },
    };
    let (fidelity, why) = judged;
    let costs = (Fidelity::None < fidelity).then_some(costs);
    Verdict { provider, fidelity, trials: trials.done, why, costs, notes: trials.notes }
}

/// The trials of one provider.
struct Trials<'c> {
    trial_setup: &'c TrialSetup,
    reference: &'c Reference,
    provider: Provider,
    is_tame: bool,
    on_done: OnDone<'c>,
    /// How many excursions start at each point.
    tries: u32,
    /// The number of trials done.
    done: u32,
    prng: Prng,
    /// How often bytes were not those that were saved.
    unequal_bytes: u32,
    notes: Vec<String>,
}

impl<'c> Trials<'c> {
    fn new(baseline: Baseline<'c>, provider: Provider, is_tame: bool, on_done: OnDone<'c>) -> Self {
        let Baseline { trial_setup, reference } = baseline;
        let prng = Prng::new(trial_setup.course.seed).split("excursions");
        let tries = trial_setup.course.trials().div_ceil(reference.points());
        let (done, unequal_bytes, notes) = (0, 0, Vec::new());
        Trials {
            trial_setup,
            reference,
            provider,
            is_tame,
            on_done,
            tries,
            done,
            prng,
            unequal_bytes,
            notes,
        }
    }

    /// Carries out Algorithm 1.
    fn exact(&mut self, model: &dyn Model, costs: &mut Costs) -> Result<(), Ended> {
        let mut trial_instance = TrialInstance::start(model, self.trial_setup)?;
        let mut held = Held::default();
        for index in 0..self.reference.points() {
            let (point, get) = trial_instance.save()?;
            costs.get.push(get);
            costs.bytes = point.bytes;
            let bytes = self.canonical_bytes(&mut trial_instance, &point)?;
            held.add(HeldState { index, point, bytes, expected: None }, &mut self.prng);
            for _ in 0..self.tries {
                self.trial(&mut trial_instance, &held, costs)?;
            }
        }
        self.notes.extend(growth(&mut trial_instance, self.provider)?);
        Ok(())
    }

    /// One trial; afterwards the instance is one tau after its newest state.
    fn trial(
        &mut self,
        trial_instance: &mut TrialInstance<'_>,
        held: &Held,
        costs: &mut Costs,
    ) -> Result<(), Ended> {
        let excursion = self.excursion(trial_instance)?;
        let chosen = held.choose(&mut self.prng);
        costs.set.push(trial_instance.restore(&chosen.point)?);
        let mut parts = match self.prng.below(FOLLOWED_EVERY) {
            0 => FOLLOWED_PARTS,
            _ => 1,
        };
        if self.has_other_bytes(trial_instance, chosen)? && self.unequal_bytes <= BYTES_FOLLOWED_MAX
        {
            parts = self.reference.points();
        }
        let newest = held.newest();
        let is_older = chosen.index != newest.index;
        let which = if is_older { OLDER } else { "" };
        costs.sim.push(self.go_on(trial_instance, chosen, parts, Detour { excursion, which })?);
        if is_older || 1 < parts {
            trial_instance.restore(&newest.point)?;
            let which = if is_older { NEWER } else { "" };
            self.go_on(trial_instance, newest, 1, Detour { excursion, which })?;
        }
        Ok(())
    }

    /// Moves on from a state by so many tau, and compares after each; how long the first took, in seconds.
    fn go_on(
        &self,
        trial_instance: &mut TrialInstance<'_>,
        saved: &HeldState,
        parts: u32,
        detour: Detour<'_>,
    ) -> Result<f64, Ended> {
        let saved_at = trial_instance.now();
        let last = self.reference.points().min(saved.index + parts);
        let mut first = None;
        for index in saved.index..last {
            let end = self.trial_setup.course.point(index + 1);
            let seconds = trial_instance.sim(end, Path::Main)?;
            first = first.or(Some(seconds));
            let found = trial_instance.observe()?;
            let expected = &self.reference.observed[index as usize + 1];
            let expected = saved.expected.as_ref().unwrap_or(expected);
            if let Some(difference) = self.trial_setup.watch.difference(expected, &found) {
                let trial = TrialPlace { number: self.done, saved_at, excursion: detour.excursion };
                let example = example(self.trial_setup, &trial, end, difference);
                let example = RestoreMismatch { which: detour.which.to_owned(), ..example };
                return Err(Ended::Differs(Box::new(example)));
            }
        }
        Ok(first.unwrap_or_default())
    }

    /// Whether a restored instance always behaves in the same way, if every branch starts by a restore.
    fn repeatable(&mut self, model: &dyn Model, costs: &mut Costs) -> Result<(), Ended> {
        let expected = self.restored_at_once(model)?;
        let mut trial_instance = TrialInstance::start(model, self.trial_setup)?;
        let mut held = Held::default();
        self.done = 0;
        (costs.get, costs.set, costs.sim) = <(Vec<f64>, Vec<f64>, Vec<f64>)>::default();
        for (index, expected) in (0..).zip(expected) {
            let (point, get) = trial_instance.save()?;
            costs.get.push(get);
            let expected = Some(expected);
            held.add(HeldState { index, point, bytes: None, expected }, &mut self.prng);
            for _ in 0..self.tries {
                self.excursion(&mut trial_instance)?;
                for saved in [held.choose(&mut self.prng), held.newest()] {
                    costs.set.push(trial_instance.restore(&saved.point)?);
                    let detour = Detour { excursion: Time::ZERO, which: "" };
                    costs.sim.push(self.go_on(&mut trial_instance, saved, 1, detour)?);
                }
            }
        }
        Ok(())
    }

    /// What follows each point in a run that restores right after every save, and never goes elsewhere.
    fn restored_at_once(&self, model: &dyn Model) -> Result<Vec<Observed>, Ended> {
        let mut trial_instance = TrialInstance::start(model, self.trial_setup)?;
        let mut observed = Vec::new();
        for index in 0..self.reference.points() {
            let (point, _) = trial_instance.save()?;
            trial_instance.restore(&point)?;
            trial_instance.sim(self.trial_setup.course.point(index + 1), Path::Main)?;
            observed.push(trial_instance.observe()?);
        }
        Ok(observed)
    }

    /// Goes elsewhere for a random time; how long it was.
    fn excursion(&mut self, trial_instance: &mut TrialInstance<'_>) -> Result<Time, Failure> {
        (self.on_done)(self.provider, [self.done, self.trial_setup.course.trials()]);
        self.done += 1;
        let course = &self.trial_setup.course;
        let near = course.tau.checked_mul(SHORT_PARTS).unwrap_or(course.bound);
        let bound = match self.prng.below(LONG_EVERY) {
            0 => course.bound,
            _ => course.bound.min(near),
        };
        let left = course.point(self.reference.points()) - trial_instance.now();
        let bound = if self.is_tame { bound.min(left) } else { bound };
        let places = u64::try_from(bound.ticks() / course.place.ticks()).unwrap_or(0);
        let places = i64::try_from(self.prng.below(places + 1)).expect("it was 64 bits of ticks");
        let excursion = course.place.checked_mul(places).expect("it is within the bound");
        let path = if self.is_tame { Path::Main } else { Path::Excursion(self.done) };
        let moved = trial_instance.sim(trial_instance.now() + excursion, path);
        moved.map_err(|failure| Failure { is_on_excursion: true, ..failure })?;
        Ok(excursion)
    }

    /// The bytes of a state the instance saved itself; `None` if it has none or writes others each time.
    fn canonical_bytes(
        &self,
        trial_instance: &mut TrialInstance<'_>,
        point: &Point,
    ) -> Result<Option<Vec<u8>>, Failure> {
        if self.provider != Provider::Native {
            return Ok(None);
        }
        let Ok(bytes) = trial_instance.serialize(point) else { return Ok(None) };
        let (again, _) = trial_instance.save()?;
        Ok(Some(bytes)
            .filter(|bytes| trial_instance.serialize(&again).is_ok_and(|other| other == *bytes)))
    }

    /// Whether a restored instance writes other bytes than those that were saved. They may count saves, or hold what
    /// decides nothing: that is noted, and what follows is looked at for longer.
    fn has_other_bytes(
        &mut self,
        trial_instance: &mut TrialInstance<'_>,
        saved: &HeldState,
    ) -> Result<bool, Failure> {
        let Some(bytes) = &saved.bytes else { return Ok(false) };
        let (restored, _) = trial_instance.save()?;
        let found = trial_instance.serialize(&restored)?;
        let Some(at) = first_difference(bytes, &found) else { return Ok(false) };
        if self.unequal_bytes == 0 {
            let time = self.trial_setup.course.seconds(trial_instance.now());
            self.notes.push(format!(
                "bytes of a restored state differ from those that were saved (byte {at} at {time} s), though every \
                 variable stays equal"
            ));
        }
        self.unequal_bytes += 1;
        Ok(true)
    }
}

fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    let unequal = a.iter().zip(b).position(|(a, b)| a != b);
    unequal.or((a.len() != b.len()).then_some(a.len().min(b.len())))
}

/// So many saves are made to see whether memory grows, after some that fill what is used again.
const SAVES: u32 = 64;
/// Less may be noise, in bytes over all of them.
const GROWTH_MIN: u64 = 64 << 10;

/// What is to be said of a model whose memory grows by every save, though all states are given back.
fn growth(
    trial_instance: &mut TrialInstance<'_>,
    provider: Provider,
) -> Result<Option<String>, Failure> {
    if provider != Provider::Native {
        return Ok(None);
    }
    let mut sizes = [None; 2];
    for size in &mut sizes {
        for _ in 0..SAVES {
            trial_instance.save()?;
        }
        *size = trial_instance.resident_bytes();
    }
    let [Some(before), Some(after)] = sizes else { return Ok(None) };
    let grown = after.saturating_sub(before);
    let note = || format!("its memory grows by about {} bytes per save", grown / u64::from(SAVES));
    Ok((GROWTH_MIN <= grown).then(note))
}

/// What a trial found.
pub(super) fn example(
    trial_setup: &TrialSetup,
    trial: &TrialPlace,
    end: Time,
    difference: Difference,
) -> RestoreMismatch {
    let seconds = |time: Time| trial_setup.course.seconds(time);
    RestoreMismatch {
        trial: trial.number,
        saved_at: seconds(trial.saved_at),
        excursion: seconds(trial.excursion),
        time: seconds(end),
        variable: difference.variable,
        expected: difference.expected,
        found: difference.found,
        which: String::new(),
    }
}
