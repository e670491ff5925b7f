//! Models given by their equations with each solver: right, exact to restore, and without allocation.

mod arrays;
mod fixed;
mod rod;

use crate::harness::instantiation;
use consort_core::model::CallResult;
use consort_core::{
    ContinuousModel, Instance, Model, Reference, Report, Resolution, Setup, SolverSettings, Step,
    StepOutcome, StepReason, Tag, Time, Values, ValuesMut,
};
use consort_fmi::{ExchangeModel, Fmu, LoadOptions};
use consort_models::continuous::SolvedModel;
use consort_solve::integrate::SolverKind;
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use consort_testkit::python;
use std::sync::Arc;

const KINDS: [SolverKind; 5] = [
    SolverKind::Bdf,
    SolverKind::Adams,
    SolverKind::BogackiShampine,
    SolverKind::DormandPrince5,
    SolverKind::DormandPrince8,
];

/// A model with a solver, in communication steps of ten milliseconds.
struct Bench {
    model: SolvedModel,
    instance: Box<dyn Instance>,
    ticks: i64,
}

const STEP: i64 = 10_000_000;

impl Bench {
    fn new(
        name: &str,
        fmi: Fmi,
        settings: impl Into<SolverSettings>,
        start: &[(&str, Values)],
    ) -> Bench {
        let mut bench = Bench::instantiated(name, fmi, settings);
        for (name, values) in start {
            bench.set(name, values);
        }
        bench.initialize();
        bench
    }

    fn instantiated(name: &str, fmi: Fmi, settings: impl Into<SolverSettings>) -> Bench {
        let folder = fmus::build(name, fmi, &BuildOptions::binary());
        let fmu = Fmu::open(&folder, name, None, &mut Report::default()).unwrap();
        let binary = fmu.exchange_binary().unwrap();
        let options = LoadOptions::default();
        let model = ExchangeModel::load(fmu, &binary, String::new(), &options).unwrap();
        let model: Arc<dyn ContinuousModel> = Arc::new(model);
        let model = SolvedModel::new(model, settings);
        let instance = model.instantiate(&instantiation(1)).unwrap();
        Bench { model, instance, ticks: 0 }
    }

    fn initialize(&mut self) {
        let (resolution, start) = (Resolution::NANOSECOND, Time::ZERO);
        let setup = Setup { resolution, start, stop: None, tolerance: Some(1e-8) };
        self.instance.enter_initialization(&setup).unwrap();
        self.instance.exit_initialization().unwrap();
    }

    fn reference(&self, name: &str) -> Reference {
        let description = self.model.description();
        description.variables[description.variable(name).unwrap().index()].reference
    }

    fn set(&mut self, name: &str, values: &Values) {
        self.instance.set(&[self.reference(name)], values.view()).unwrap();
    }

    fn get(&mut self, name: &str) -> f64 {
        let mut value = [0.0];
        let reference = [self.reference(name)];
        self.instance.get(&reference, ValuesMut::Float64(&mut value)).unwrap();
        value[0]
    }

    fn step(&mut self) -> StepOutcome {
        self.try_step().unwrap()
    }

    fn try_step(&mut self) -> CallResult<StepOutcome> {
        let (from, to) = (self.ticks, self.ticks + STEP);
        let step = Step {
            from: Tag::at(Time::from_ticks(from)),
            to: Time::from_ticks(to),
            start: Resolution::NANOSECOND.to_f64(Time::from_ticks(from)),
            length: Resolution::NANOSECOND.to_f64(Time::from_ticks(STEP)),
        };
        self.ticks = to;
        self.instance.step(&step)
    }

    /// Steps; the bits of a variable after each of them.
    fn run(&mut self, steps: u32, name: &str) -> Vec<u64> {
        let mut bits = Vec::new();
        for _ in 0..steps {
            self.step();
            bits.push(self.get(name).to_bits());
        }
        bits
    }
}

fn assert_near(value: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((value - expected).abs() <= tolerance, "{what}: {value} is not near {expected}");
}

#[test]
fn every_solver_follows_closed_forms() {
    for fmi in [Fmi::V2, Fmi::V3] {
        for kind in KINDS {
            let what = format!("{kind:?} {fmi:?}");
            let mut decay = Bench::new("dahlquist", fmi, kind, &[]);
            decay.run(200, "x");
            assert_near(decay.get("x"), (-2.0_f64).exp(), 1e-6, &what);
            let mut stair = Bench::new("exchange-stair", fmi, kind, &[]);
            stair.run(450, "level");
            assert_near(stair.get("level"), 10.0 + 5.0 * 0.5, 1e-9, &what);
            let mut growth = Bench::new("exchange-rescaled", fmi, kind, &[]);
            growth.run(500, "x");
            assert_near(growth.get("x") / 5.0_f64.exp(), 1.0, 1e-5, &what);
            assert_eq!(growth.get("scale"), 100.0, "{what}");
        }
    }
}

/// The height of the ball at a time, by its parabolas.
fn height(time: f64) -> f64 {
    let (gravity, mut left) = (9.81, time);
    let (mut h, mut v): (f64, f64) = (1.0, 0.0);
    loop {
        let flight = (v + (v * v + 2.0 * gravity * h).sqrt()) / gravity;
        if left < flight {
            return h + v * left - 0.5 * gravity * left * left;
        }
        left -= flight;
        (h, v) = (0.0, 0.7 * (gravity * flight - v));
        if v < 0.1 {
            return 0.0;
        }
    }
}

#[test]
fn every_bounce_is_found_between_the_communication_points() {
    for fmi in [Fmi::V2, Fmi::V3] {
        for kind in KINDS {
            let mut ball = Bench::new("exchange-ball", fmi, kind, &[]);
            for index in 1..=300 {
                ball.step();
                let expected = height(f64::from(index) * 0.01);
                assert_near(ball.get("h"), expected, 1e-5, &format!("{kind:?} {fmi:?} {index}"));
            }
            assert_eq!(ball.get("v"), 0.0, "it rests");
        }
    }
}

#[test]
fn a_van_der_pol_oscillator_agrees_with_fmpy() {
    let archive = fmus::build("exchange-vanderpol", Fmi::V3, &BuildOptions::archive());
    let result = python::simulate(&archive, 5.0, 5.0);
    let rows = result["rows"].as_array().unwrap();
    let expected = python::float(&rows.last().unwrap()[1]);
    for kind in KINDS {
        let mut oscillator = Bench::new("exchange-vanderpol", Fmi::V3, kind, &[]);
        oscillator.run(500, "x");
        assert_near(oscillator.get("x"), expected, 1e-3, kind.name());
    }
}

#[test]
fn inputs_hold_from_where_they_are_set() {
    for fmi in [Fmi::V2, Fmi::V3] {
        let mut walls = KINDS.map(|kind| Bench::new("exchange-wall", fmi, kind, &[]));
        let mut ends = Vec::new();
        for wall in &mut walls {
            wall.run(50, "inside");
            wall.set("outside", &Values::Float64(vec![250.0]));
            let slope = wall.get("der(T[1])");
            let expected = (250.0 - wall.get("T[1]")) + (wall.get("T[2]") - wall.get("T[1]"));
            assert_eq!(slope, expected, "what is computed follows at once");
            wall.run(300, "inside");
            ends.push(wall.get("inside"));
        }
        for (end, kind) in ends.iter().zip(KINDS) {
            assert_near(*end, ends[4], 1e-4, &format!("{kind:?} {fmi:?}"));
        }
    }
}

#[test]
fn what_may_change_at_events_only_is_set_at_an_event() {
    for fmi in [Fmi::V2, Fmi::V3] {
        let mut wall = Bench::new("exchange-wall", fmi, SolverKind::Bdf, &[]);
        wall.run(50, "inside");
        wall.set("rate", &Values::Float64(vec![0.0]));
        assert_eq!(wall.get("der(T[1])"), 0.0);
        let warm = wall.get("T[1]");
        wall.run(50, "inside");
        assert_eq!(wall.get("T[1]"), warm, "nothing flows");
    }
}

#[test]
fn equal_inputs_change_nothing() {
    for kind in KINDS {
        let mut fed = Bench::new("exchange-wall", Fmi::V3, kind, &[]);
        let mut left = Bench::new("exchange-wall", Fmi::V3, kind, &[]);
        for _ in 0..50 {
            fed.set("outside", &Values::Float64(vec![300.0]));
            fed.set("rate", &Values::Float64(vec![1.0]));
            assert_eq!(fed.run(1, "inside"), left.run(1, "inside"), "{kind:?}");
        }
    }
}

#[test]
fn the_order_in_which_values_are_set_does_not_matter() {
    for kind in KINDS {
        let mut walls = [(); 2].map(|()| Bench::new("exchange-wall", Fmi::V3, kind, &[]));
        let (cold, slow) = (Values::Float64(vec![250.0]), Values::Float64(vec![1.0]));
        walls.iter_mut().for_each(|wall| drop(wall.run(50, "inside")));
        let [one, other] = &mut walls;
        one.set("outside", &cold);
        one.set("rate", &slow);
        other.set("rate", &slow);
        other.set("outside", &cold);
        assert_eq!(one.run(50, "inside"), other.run(50, "inside"), "{kind:?}");
    }
}

#[test]
fn a_model_may_ask_for_the_end() {
    for fmi in [Fmi::V2, Fmi::V3] {
        let start = [
            ("terminate", Values::Boolean(vec![true])),
            ("period", Values::Float64(vec![1.0 / 96.0])),
        ];
        let mut stair = Bench::new("exchange-stair", fmi, SolverKind::Bdf, &start);
        let outcome = loop {
            let outcome = stair.step();
            if outcome.reason != StepReason::Complete {
                break outcome;
            }
        };
        assert_eq!(outcome.reason, StepReason::Terminate);
        assert_eq!(outcome.stopped_at, Some(9.0 * (1.0 / 96.0)));
        assert_eq!(outcome.reached, Time::from_ticks(93_750_000));
        stair.instance.terminate().unwrap();
    }
}

#[test]
fn a_restored_instance_continues_bit_for_bit() {
    for fmi in [Fmi::V2, Fmi::V3] {
        for kind in KINDS {
            for (name, output) in
                [("exchange-ball", "h"), ("exchange-stair", "level"), ("exchange-wall", "inside")]
            {
                check_restore(name, output, fmi, kind);
            }
        }
    }
}

fn check_restore(name: &str, output: &str, fmi: Fmi, kind: impl Into<SolverSettings>) {
    let kind = kind.into();
    let what = format!("{name} {fmi:?} {kind:?}");
    let mut bench = Bench::new(name, fmi, kind, &[]);
    bench.run(43, output);
    let (state, ticks) = (bench.instance.save().unwrap(), bench.ticks);
    let bytes = bench.instance.serialize(&state).unwrap();
    let expected = bench.run(120, output);
    bench.instance.restore(&state).unwrap();
    bench.ticks = ticks;
    assert_eq!(bench.run(120, output), expected, "{what}");
    let mut other = Bench::new(name, fmi, kind, &[]);
    let state = other.instance.deserialize(&bytes).unwrap();
    other.instance.restore(&state).unwrap();
    other.ticks = ticks;
    assert_eq!(other.run(120, output), expected, "{what} from bytes");
    for count in 0..bytes.len() {
        assert!(other.instance.deserialize(&bytes[..count]).is_err(), "{what}: cut to {count}");
    }
}

#[test]
fn steps_allocate_nothing() {
    for (name, output) in [("exchange-vanderpol", "x"), ("exchange-ball", "h")] {
        for kind in KINDS {
            let mut bench = Bench::new(name, Fmi::V3, kind, &[]);
            bench.step();
            let info = allocation_counter::measure(|| {
                for _ in 0..100 {
                    bench.step();
                }
            });
            assert_eq!(info.count_total, 0, "{name} {kind:?}");
            assert!(bench.get(output).is_finite());
        }
    }
}

#[test]
fn a_solver_that_cannot_continue_says_where_and_which_state_is_worst() {
    let explosive = [("k", Values::Float64(vec![-1e5]))];
    for kind in KINDS {
        let mut decay = Bench::new("dahlquist", Fmi::V3, kind, &explosive);
        let error = decay.try_step().unwrap_err();
        assert_eq!(error.call, "integrate", "{kind:?}");
        assert!(error.arguments.starts_with("t = 0.00"), "{kind:?}: {error}");
        assert!(error.arguments.ends_with(", worst = `x`"), "{kind:?}: {error}");
        assert!(error.to_string().contains(") was refused: "), "{error}");
    }
}

#[test]
fn a_step_before_initialization_is_refused() {
    let bench = Bench::new("dahlquist", Fmi::V2, SolverKind::Bdf, &[]);
    let mut instance = bench.model.instantiate(&instantiation(2)).unwrap();
    let length = Resolution::NANOSECOND.to_f64(Time::from_ticks(STEP));
    let to = Time::from_ticks(STEP);
    let step = Step { from: Tag::at(Time::ZERO), to, start: 0.0, length };
    let error = instance.step(&step).unwrap_err().to_string();
    assert_eq!(error, "step() is not allowed in the time before the end of initialization");
}

#[test]
fn outputs_depend_on_inputs_and_not_on_states() {
    let bench = Bench::new("exchange-wall", Fmi::V2, SolverKind::Bdf, &[]);
    let description = bench.model.description();
    let inside = &description.structure.outputs[0];
    assert_eq!(inside.on, consort_core::DependsOn::These(Vec::new()));
    assert!(description.facts.contains(&("solver".to_owned(), "bdf".to_owned())));
}
