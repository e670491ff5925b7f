//! Seed 002's Algorithm 1: whether `sim(tau)` and `sim*(tau, tau')` reach the same state.
//!
//! `sim*(tau, tau')` saves the state, moves on by tau' (the excursion), restores and moves on by tau. What it reaches
//! is compared, bit for bit, with a run that was never saved. If N trials with random tau' find no difference, the
//! probability of one is below epsilon with confidence 1 - delta, for N = ln(delta) / ln(1 - epsilon).

use super::rig::{Circumstances, Point, Rig};
use super::signals::Path;
use super::verdict::{Costs, CounterExample, Failure, Verdict, Why};
use super::watch::{Difference, Observed};
use consort_core::{Fidelity, Model, Prng, Provider, Time};

/// At how many points a state is also brought to a fresh instance by its bytes.
const FRESH_POINTS: u32 = 5;

/// A run without saving: what all others are compared with.
pub(super) struct Reference {
    /// After each point; fewer if the model asked to end.
    observed: Vec<Observed>,
    /// Where the first difference to a second run is.
    unequal: Option<CounterExample>,
    /// How long the faster of the two took, in seconds.
    whole: f64,
    /// What the model does that some providers do not save.
    pub(super) hazards: Vec<String>,
}

/// One run without saving.
struct Run {
    observed: Vec<Observed>,
    seconds: f64,
    hazards: Vec<String>,
}

/// Why trials ended before the last.
enum Ended {
    Failed(Failure),
    Differs(CounterExample),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Ended::Failed(failure)
    }
}

impl Reference {
    /// Runs the model twice.
    pub(super) fn record(model: &dyn Model, around: &Circumstances) -> Result<Self, Failure> {
        let first = uninterrupted(model, around)?;
        let second = uninterrupted(model, around)?;
        // Of two times of the same work the longer one holds more of what others did.
        let whole = first.seconds.min(second.seconds);
        let mut pairs = first.observed.iter().zip(&second.observed).enumerate();
        let unequal = pairs.find_map(|(index, (first, second))| {
            let difference = around.watch.difference(first, second)?;
            let end = around.course.point(u32::try_from(index).ok()?);
            Some(example(around, (0, end, Time::ZERO), end, difference))
        });
        let Run { observed, hazards, .. } = first;
        Ok(Reference { observed, unequal, whole, hazards })
    }

    /// Where two runs without saving differ.
    pub(super) fn unequal(&self) -> Option<&CounterExample> {
        self.unequal.as_ref()
    }

    fn points(&self) -> u32 {
        u32::try_from(self.observed.len() - 1).expect("there are as many points as trials at most")
    }
}

/// The values at the start and after each point.
fn uninterrupted(model: &dyn Model, around: &Circumstances) -> Result<Run, Failure> {
    let mut rig = Rig::start(model, around)?;
    let mut run = Run { observed: vec![rig.observe()?], seconds: 0.0, hazards: Vec::new() };
    for index in 0..around.course.points {
        run.seconds += rig.sim(around.course.point(index + 1), Path::Main)?;
        if rig.is_over() {
            break;
        }
        run.observed.push(rig.observe()?);
    }
    run.hazards = rig.hazards();
    Ok(run)
}

/// What a provider does for a model whose instances save their states by it.
pub(super) fn judge(
    model: &dyn Model,
    provider: Provider,
    around: &Circumstances,
    reference: &Reference,
) -> Verdict {
    if let Some(example) = &reference.unequal {
        return Verdict::without(provider, Why::NotRepeatable { example: example.clone() });
    }
    let mut costs =
        Costs { points: reference.points(), whole: reference.whole, ..Costs::default() };
    let mut trials = Trials::new(around, provider, reference.points());
    let judged = match trials.exact(model, reference, &mut costs) {
        Ok(()) => portable(model, around, reference, &mut costs),
        Err(Ended::Failed(failure)) => (Fidelity::None, Some(failure.into_why())),
        Err(Ended::Differs(example)) => match trials.repeatable(model, &mut costs) {
            Ok(()) => (Fidelity::Repeatable, Some(Why::Differs { example })),
            Err(Ended::Differs(_)) => (Fidelity::None, Some(Why::Differs { example })),
            Err(Ended::Failed(failure)) => (Fidelity::None, Some(failure.into_why())),
        },
    };
    let (fidelity, why) = judged;
    let costs = (Fidelity::None < fidelity).then_some(costs);
    Verdict { provider, fidelity, trials: trials.done, why, costs, notes: Vec::new() }
}

/// The trials of one provider.
struct Trials<'c> {
    around: &'c Circumstances,
    provider: Provider,
    /// How many points there are, and how many excursions start at each.
    points: u32,
    tries: u32,
    /// The last trial.
    done: u32,
    prng: Prng,
}

impl<'c> Trials<'c> {
    fn new(around: &'c Circumstances, provider: Provider, points: u32) -> Self {
        let prng = Prng::new(around.course.seed).split("excursions");
        let tries = around.course.trials().div_ceil(points);
        Trials { around, provider, tries, points, done: 0, prng }
    }

    /// Algorithm 1.
    fn exact(
        &mut self,
        model: &dyn Model,
        reference: &Reference,
        costs: &mut Costs,
    ) -> Result<(), Ended> {
        let mut rig = Rig::start(model, self.around)?;
        for index in 0..reference.points() {
            let (point, get) = rig.save()?;
            costs.get.push(get);
            costs.bytes = point.bytes;
            let bytes = self.canonical_bytes(&mut rig, &point)?;
            for _ in 0..self.tries {
                let excursion = self.excursion(&mut rig)?;
                costs.set.push(rig.restore(&point)?);
                self.compare_bytes(&mut rig, bytes.as_deref(), excursion)?;
                let (saved_at, end) = (rig.now(), self.around.course.point(index + 1));
                costs.sim.push(rig.sim(end, Path::Main)?);
                let found = rig.observe()?;
                let expected = &reference.observed[index as usize + 1];
                if let Some(difference) = self.around.watch.difference(expected, &found) {
                    let trial = (self.done, saved_at, excursion);
                    return Err(Ended::Differs(example(self.around, trial, end, difference)));
                }
            }
        }
        Ok(())
    }

    /// Whether a restored instance always goes on in the same way, if every branch starts by a restore.
    fn repeatable(&mut self, model: &dyn Model, costs: &mut Costs) -> Result<(), Ended> {
        let mut rig = Rig::start(model, self.around)?;
        self.done = 0;
        (costs.get, costs.set, costs.sim) = <(Vec<f64>, Vec<f64>, Vec<f64>)>::default();
        for index in 0..self.points {
            let (point, get) = rig.save()?;
            costs.get.push(get);
            costs.set.push(rig.restore(&point)?);
            let (saved_at, end) = (rig.now(), self.around.course.point(index + 1));
            costs.sim.push(rig.sim(end, Path::Main)?);
            let expected = rig.observe()?;
            for _ in 0..self.tries {
                rig.restore(&point)?;
                let excursion = self.excursion(&mut rig)?;
                costs.set.push(rig.restore(&point)?);
                costs.sim.push(rig.sim(end, Path::Main)?);
                let found = rig.observe()?;
                if let Some(difference) = self.around.watch.difference(&expected, &found) {
                    let trial = (self.done, saved_at, excursion);
                    return Err(Ended::Differs(example(self.around, trial, end, difference)));
                }
            }
        }
        Ok(())
    }

    /// Goes elsewhere for a random time; how long it was.
    fn excursion(&mut self, rig: &mut Rig<'_>) -> Result<Time, Failure> {
        self.done += 1;
        let course = &self.around.course;
        let end = course.point(self.points);
        let left = if course.is_tame { end - rig.now() } else { course.bound };
        let places = course.bound.min(left).ticks() / course.place.ticks();
        let places = u64::try_from(places).unwrap_or(0);
        let places = i64::try_from(self.prng.below(places + 1)).expect("it was 64 bits of ticks");
        let excursion = course.place.checked_mul(places).expect("it is within the bound");
        let path = if course.is_tame { Path::Main } else { Path::Excursion(self.done) };
        let moved = rig.sim(rig.now() + excursion, path);
        moved.map_err(|failure| Failure { is_on_excursion: true, ..failure })?;
        Ok(excursion)
    }

    /// The bytes of a state the instance saved itself; `None` if it has none or writes others each time.
    fn canonical_bytes(
        &self,
        rig: &mut Rig<'_>,
        point: &Point,
    ) -> Result<Option<Vec<u8>>, Failure> {
        if self.provider != Provider::Native {
            return Ok(None);
        }
        let Ok(bytes) = rig.serialize(point) else { return Ok(None) };
        let (again, _) = rig.save()?;
        Ok(Some(bytes).filter(|bytes| rig.serialize(&again).is_ok_and(|other| other == *bytes)))
    }

    fn compare_bytes(
        &self,
        rig: &mut Rig<'_>,
        bytes: Option<&[u8]>,
        excursion: Time,
    ) -> Result<(), Ended> {
        let Some(bytes) = bytes else { return Ok(()) };
        let (restored, _) = rig.save()?;
        let found = rig.serialize(&restored)?;
        let Some(at) = first_difference(bytes, &found) else { return Ok(()) };
        let byte = |bytes: &[u8]| {
            bytes.get(at).map_or("missing".to_owned(), |byte| format!("{byte:#04x}"))
        };
        let difference = Difference {
            variable: format!("byte {at} of the serialized state"),
            expected: byte(bytes),
            found: byte(&found),
        };
        let trial = (self.done, rig.now(), excursion);
        Err(Ended::Differs(example(self.around, trial, rig.now(), difference)))
    }
}

fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    let unequal = a.iter().zip(b).position(|(a, b)| a != b);
    unequal.or((a.len() != b.len()).then_some(a.len().min(b.len())))
}

/// Whether the state can also be brought to a fresh instance, which lives in a process of its own where models do.
fn portable(
    model: &dyn Model,
    around: &Circumstances,
    reference: &Reference,
    costs: &mut Costs,
) -> (Fidelity, Option<Why>) {
    match brought_over(model, around, reference, costs) {
        Ok(()) => (Fidelity::Portable, None),
        Err(Ended::Failed(failure)) => {
            let reason = match failure.into_why() {
                Why::Unsupported { .. } => "its states cannot be turned into bytes".to_owned(),
                other => other.to_string(),
            };
            (Fidelity::Exact, Some(Why::NotPortable { reason }))
        }
        Err(Ended::Differs(example)) => {
            (Fidelity::Exact, Some(Why::NotPortable { reason: example.to_string() }))
        }
    }
}

fn brought_over(
    model: &dyn Model,
    around: &Circumstances,
    reference: &Reference,
    costs: &mut Costs,
) -> Result<(), Ended> {
    let mut rig = Rig::start(model, around)?;
    let points = reference.points();
    let every = points.div_ceil(FRESH_POINTS).max(1);
    for index in 0..points {
        let end = around.course.point(index + 1);
        if index % every == every - 1 {
            let (point, _) = rig.save()?;
            let bytes = rig.serialize(&point)?;
            costs.bytes = costs.bytes.or(Some(bytes.len() as u64));
            let mut fresh = Rig::start(model, around)?;
            fresh.revive(&bytes, rig.now())?;
            fresh.sim(end, Path::Main)?;
            let found = fresh.observe()?;
            let expected = &reference.observed[index as usize + 1];
            if let Some(difference) = around.watch.difference(expected, &found) {
                return Err(Ended::Differs(example(
                    around,
                    (0, rig.now(), Time::ZERO),
                    end,
                    difference,
                )));
            }
        }
        rig.sim(end, Path::Main)?;
    }
    Ok(())
}

/// A trial is its number, where the state was saved, and the excursion.
fn example(
    around: &Circumstances,
    (trial, saved_at, excursion): (u32, Time, Time),
    end: Time,
    difference: Difference,
) -> CounterExample {
    let seconds = |time: Time| around.course.seconds(time);
    CounterExample {
        trial,
        saved_at: seconds(saved_at),
        excursion: seconds(excursion),
        time: seconds(end),
        variable: difference.variable,
        expected: difference.expected,
        found: difference.found,
    }
}
