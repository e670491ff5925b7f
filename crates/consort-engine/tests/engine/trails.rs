//! A restored twin takes the steps after a save again: states that forget something are found, honest ones
//! are not blamed.

use crate::support::{Behavior, Bench, TestModel, clock, float, gain, options, put, variable};
use consort_core::model::CallResult;
use consort_core::{
    Causality, Fidelity, Model, Prng, Step, StepOutcome, Time, ValueType, Values, rolling,
};
use consort_engine::{RunError, StateDiffers, Trail};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What a state of this model leaves out.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Lie {
    /// Nothing.
    None,
    /// The history of a two-step method: it begins anew after a restore.
    History,
    /// A hidden variable: a restore leaves it as it is.
    Hidden,
    /// All instances keep it in one place.
    StaticSlot,
}

/// x' = u - x by a two-step method, with a counter beside it. Variables: u, y, and what a state holds of it.
struct Lag {
    lie: Lie,
    before: Option<f64>,
    hidden: f64,
    slot: Arc<Mutex<f64>>,
    begun: bool,
}

impl Lag {
    /// The counter, wherever it is kept.
    fn count(&mut self, values: &mut [Values]) -> f64 {
        let slot = Arc::clone(&self.slot);
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let place = match self.lie {
            Lie::Hidden => &mut self.hidden,
            Lie::StaticSlot => &mut *slot,
            Lie::None | Lie::History => {
                let count = float(&values[3]) + 1.0;
                put(values, 3, count);
                return count;
            }
        };
        *place += 1.0;
        put(values, 3, *place);
        *place
    }
}

impl Behavior for Lag {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        let y = float(&values[1]);
        let slope = float(&values[0]) - y;
        let held = if self.begun { float(&values[2]) } else { slope };
        let before = match self.lie {
            Lie::History => self.before.unwrap_or(slope),
            _ => held,
        };
        let count = self.count(values);
        put(values, 1, y + step.length * (1.5 * slope - 0.5 * before) + 1e-3 * (count % 7.0));
        put(values, 2, slope);
        (self.before, self.begun) = (Some(slope), true);
        Ok(StepOutcome::complete(step))
    }

    fn restored(&mut self, _values: &mut [Values]) {
        (self.before, self.begun) = (None, true);
    }
}

fn variables() -> Vec<consort_core::Variable> {
    vec![
        variable("u", Causality::Input, ValueType::Float64),
        variable("y", Causality::Output, ValueType::Float64),
        variable("slope", Causality::Local, ValueType::Float64),
        variable("count", Causality::Local, ValueType::Float64),
    ]
}

fn lag(lie: Lie) -> Arc<dyn Model> {
    let slot = Arc::new(Mutex::new(0.0));
    let make = move || Lag { lie, before: None, hidden: 0.0, slot: slot.clone(), begun: false };
    let model = TestModel::new(variables(), make);
    match lie {
        // What always happens in the same way is known of it.
        Lie::History => model.adjust(|it| it.facts.push(("state".into(), "image".into()))).shared(),
        _ => model.shared(),
    }
}

fn bench(model: Arc<dyn Model>) -> Bench {
    Bench::new(60)
        .add("clock", clock(), 1)
        .add("after", gain(2.0), 1)
        .add("lag", model, 1)
        .wire("clock.y", "lag.u")
        .wire("lag.y", "after.u")
}

/// Saves at a time, notes so many steps, and lets a twin follow; what it says, and the hash of the run.
fn follow(model: Arc<dyn Model>, at: i64, steps: usize) -> (Result<(), RunError>, String) {
    let made = bench(model);
    let executable = made.executable();
    let (mut run, _) = made.start(1).expect("it starts");
    run.advance(Time::from_ticks(at)).expect("it runs");
    let saved = run.snapshot().expect("it is saved");
    let mut trail = Trail::new(saved.tag(), run.serialize(&saved).expect("it has bytes"));
    while trail.len() < steps {
        let next = run.next_time().expect("it is known");
        run.advance(next).expect("it runs");
        trail.note(&run, next);
        if trail.len() == 2 {
            run.snapshot().expect("it is saved again");
            trail.note_save();
        }
    }
    run.advance(Time::MAX).expect("it runs");
    let hash = run.finish().trace_hash.to_string();
    (trail.follow(&executable, options(1).0), hash)
}

fn difference(lie: Lie) -> StateDiffers {
    match follow(lag(lie), 20, 5).0 {
        Err(RunError::StateDiffers(it)) => *it,
        other => panic!("{lie:?}: {other:?}"),
    }
}

#[test]
fn an_honest_model_is_not_blamed_and_its_trace_is_that_of_no_save() {
    let (followed, hash) = follow(lag(Lie::None), 20, 5);
    assert_eq!(followed, Ok(()));
    assert_eq!(hash, bench(lag(Lie::None)).run(1).1.trace_hash.to_string());
}

#[test]
fn every_liar_is_named_with_its_provider_the_time_and_both_values() {
    for lie in [Lie::History, Lie::Hidden, Lie::StaticSlot] {
        let found = difference(lie);
        assert_eq!(found.component, "lag", "{lie:?}: not the one that it feeds");
        assert_eq!(found.provider, if lie == Lie::History { "image" } else { "native" });
        assert_eq!((found.saved.time.ticks(), found.tag.time.ticks()), (20, 21), "{lie:?}");
        let value = found.value.expect("a value differs");
        assert_eq!(value.path, "lag.y");
        assert_ne!(value.expected, value.found, "{lie:?}");
    }
}

#[test]
fn what_helps_is_said() {
    let error = RunError::StateDiffers(Box::new(difference(Lie::Hidden)));
    let resolution = bench(lag(Lie::None)).system.experiment.resolution;
    let said = error.diagnostic(resolution);
    assert_eq!(said.code, "state::differs");
    let text = format!("{said:?}");
    for part in ["`lag`", "saved at 2 s by `native`", "at 2.1 s", "state-check"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

/// A lag of which one of `part` restores shows its lie; which of them follows from the seed and `y`.
struct Sometimes(Lag, u64, u64);

impl Behavior for Sometimes {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        self.0.step(values, step)
    }
    fn restored(&mut self, values: &mut [Values]) {
        let bits = rolling::absorb(self.1, float(&values[1]).to_bits());
        self.0.restored(values);
        if !(bits >> 20).is_multiple_of(self.2) {
            (self.0.before, self.0.hidden) = (Some(float(&values[2])), float(&values[3]));
        }
    }
}

/// Whether a resumed run is another one, and whether a twin saw that, for a save drawn from a seed.
fn resumed_wrong(seed: u64) -> (bool, bool) {
    let mut prng = Prng::new(seed);
    let lie = [Lie::None, Lie::History, Lie::Hidden][below(&mut prng, 3)];
    let part = [1, 3, 10][below(&mut prng, 3)];
    let at = 1 + below(&mut prng, 50) as i64;
    let shown = prng.next_u64();
    let slot = Arc::new(Mutex::new(0.0));
    let make = move || {
        let lag = Lag { lie, before: None, hidden: 0.0, slot: slot.clone(), begun: false };
        Sometimes(lag, shown, part)
    };
    let model = TestModel::new(variables(), make).shared();
    let (followed, hash) = follow(Arc::clone(&model), at, 3);
    assert!(lie != Lie::None || followed.is_ok(), "seed {seed}: blamed for nothing");
    let (mut run, _) = bench(Arc::clone(&model)).start(1).expect("it starts");
    run.advance(Time::from_ticks(at)).expect("it runs");
    let saved = run.snapshot().expect("it is saved");
    let bytes = run.serialize(&saved).expect("it has bytes");
    let made = bench(model);
    let again = consort_engine::Run::resume(&made.executable(), options(1).0, &bytes);
    let mut again = again.expect("it resumes");
    again.advance(Time::MAX).expect("it runs");
    (again.finish().trace_hash.to_string() != hash, followed.is_err())
}

#[test]
#[expect(clippy::print_stdout, reason = "what was measured is there to be read")]
fn twins_of_three_steps_find_what_resumed_runs_would_get_wrong() {
    const SEEDS: u64 = 2_000;
    let found: Vec<(bool, bool)> = (0..SEEDS).map(resumed_wrong).collect();
    let wrong = found.iter().filter(|(is_wrong, _)| *is_wrong).count();
    let seen = found.iter().filter(|(is_wrong, is_seen)| *is_wrong && *is_seen).count();
    let blamed = found.iter().filter(|(is_wrong, is_seen)| !is_wrong && *is_seen).count();
    println!("{SEEDS} saves: {wrong} resumed runs wrong, {seen} of them seen by a twin of 3 steps");
    assert_eq!(blamed, 0, "a twin sees nothing that a resumed run does not do");
    assert!(300 < wrong && 19 * wrong <= 20 * seen, "{wrong}, {seen}");
}

fn below(prng: &mut Prng, bound: u64) -> usize {
    usize::try_from(prng.below(bound)).expect("it is small")
}

/// Behaves differently after each restore, though always in the same way.
struct Restarts(Arc<AtomicU64>);

impl Behavior for Restarts {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        put(values, 1, 1.01 * float(&values[1]) + 0.1);
        Ok(StepOutcome::complete(step))
    }
    fn restored(&mut self, values: &mut [Values]) {
        self.0.fetch_add(1, Ordering::Relaxed);
        put(values, 1, float(&values[1]) * 0.999);
    }
}

#[test]
fn states_that_notice_a_restore_are_compared_with_the_same_pattern() {
    let restores = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&restores);
    let variables = vec![
        variable("u", Causality::Input, ValueType::Float64),
        variable("y", Causality::Output, ValueType::Float64),
    ];
    let model = TestModel::new(variables, move || Restarts(Arc::clone(&counter)));
    let model = model.adjust(|it| it.capabilities.fidelity = Fidelity::Repeatable).shared();
    assert_eq!(follow(model, 20, 5).0, Ok(()));
    // The run twice; its twin once from the bytes, and once where the run was saved again.
    assert_eq!(restores.load(Ordering::Relaxed), 4);
}
