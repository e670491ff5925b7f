//! Values that nothing can have are warned of, or end the run.

use crate::support::{Behavior, Bench, TestModel, clock, numbers, put, through, variable};
use consort_core::model::CallResult;
use consort_core::{Causality, Model, Step, StepOutcome, Time, ValueType, Values};
use consort_engine::{Diverged, RunError, Summary};
use consort_system::OnDivergence;
use std::sync::Arc;

/// y goes through these values, step by step.
struct Course {
    values: Vec<f64>,
    at: usize,
}

impl Behavior for Course {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        self.at += 1;
        put(values, 0, self.values[self.at.min(self.values.len() - 1)]);
        Ok(StepOutcome::complete(step))
    }
}

fn course(values: &[f64], nominal: Option<f64>) -> Arc<dyn Model> {
    let mut y = variable("y", Causality::Output, ValueType::Float64);
    y.start = Some(Values::Float64(vec![values[0]]));
    y.nominal = nominal;
    let values = values.to_vec();
    TestModel::new(vec![y], move || Course { values: values.clone(), at: 0 }).shared()
}

fn warned(summary: &Summary) -> Option<Diverged> {
    let mut found = summary.problems.iter().map(|problem| match problem {
        RunError::Diverged(it) => (**it).clone(),
        other => panic!("{other}"),
    });
    let first = found.next();
    assert_eq!(found.next(), None, "one warning for all");
    first
}

#[test]
fn the_first_time_counts_and_only_what_is_far_too_great() {
    const INF: f64 = f64::INFINITY;
    for (values, nominal, expected) in [
        (&[0.0, 1.0, -1e29, 1e30][..], None, None),
        (&[0.0, 1.0, 2.0, 1e31, 1e32], None, Some((3, "1.000e31"))),
        (&[0.0, -1e31], None, Some((1, "-1.000e31"))),
        (&[0.0, 1e31], Some(1e20), None),
        (&[0.0, 1e31, 1e33], Some(-1e20), Some((2, "1.000e33, 1.0e13 times its nominal value"))),
        (&[0.0, 1e31], Some(1e-3), Some((1, "1.000e31, 1.0e34 times its nominal value"))),
        (&[0.0, 0.0, INF, 0.0], None, Some((2, "infinite"))),
        (&[0.0, -INF], Some(1e300), Some((1, "infinite"))),
        (&[0.0, f64::NAN, 0.0], None, Some((1, "NaN"))),
        (&[f64::NAN, 0.0], None, Some((0, "is NaN"))),
        (&[INF, INF], None, Some((0, "is infinite"))),
    ] {
        let (trace, summary) = Bench::new(5).add("a", course(values, nominal), 1).run(1);
        assert_eq!(numbers(&trace, "a.y").len(), 6, "{values:?}");
        let found = warned(&summary);
        let tag = found.as_ref().map(|it| it.noticed.tag.time.ticks());
        assert_eq!(tag, expected.map(|it| it.0), "{values:?}");
        if let (Some(found), Some((_, text))) = (found, expected) {
            let said = RunError::Diverged(Box::new(found)).to_string();
            assert!(said.starts_with("`a.y`") && said.ends_with(text), "{said}");
        }
    }
}

#[test]
fn shorter_floats_and_components_of_other_rates_are_looked_at_too() {
    let mut y = variable("y", Causality::Output, ValueType::Float32);
    y.start = Some(Values::Float32(vec![0.0]));
    struct Single;
    impl Behavior for Single {
        fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
            values[0] = Values::Float32(vec![2e30]);
            Ok(StepOutcome::complete(step))
        }
    }
    let single = TestModel::new(vec![y], || Single).shared();
    let bench = Bench::new(6).add("a", course(&[0.0], None), 1).add("b", single, 3);
    let found = warned(&bench.run(2).1).expect("a warning").noticed;
    assert_eq!((found.variable.as_str(), found.tag.time.ticks()), ("b.y", 3));
}

#[test]
fn all_that_follow_are_counted_and_few_are_named() {
    let mut bench = Bench::new(3).add("clock", clock(), 1);
    for index in 0..20 {
        bench = bench.add(&format!("a{index:02}"), course(&[0.0, 0.0, f64::NAN], None), 1);
    }
    let found = warned(&bench.run(1).1).expect("a warning").noticed;
    assert_eq!((found.others.len(), found.more), (5, 14));
    assert_eq!(found.variable, "a00.y");
}

#[test]
fn a_run_may_end_there_with_its_last_row() {
    for (on_divergence, rows) in [(OnDivergence::Error, 4), (OnDivergence::Warn, 8)] {
        let mut bench = Bench::new(7)
            .add("a", course(&[1.0, 1.0, 1.0, f64::INFINITY], None), 1)
            .add("b", through(2.0, 0.0), 1)
            .wire("a.y", "b.u");
        bench.system.coupling.on_divergence = on_divergence;
        let (mut run, recorded) = bench.start(1).expect("it starts");
        let ended = run.advance(Time::MAX);
        assert_eq!(ended.is_err(), on_divergence == OnDivergence::Error);
        let summary = run.finish();
        assert_eq!(summary.problems.is_empty(), on_divergence == OnDivergence::Error);
        let trace = recorded.trace();
        assert_eq!(trace.tags().len(), rows);
        let last = numbers(&trace, "b.y")[3];
        assert!(last.is_infinite(), "{last}");
        if let Err(RunError::Diverged(it)) = ended {
            assert_eq!(
                (it.noticed.variable.as_str(), it.noticed.others.as_slice()),
                ("a.y", &["b.y".to_owned()][..])
            );
        }
    }
}

#[test]
fn what_is_wrong_from_the_start_ends_a_run_before_its_first_step() {
    let mut bench = Bench::new(7).add("a", course(&[f64::NAN, 1.0], None), 1);
    bench.system.coupling.on_divergence = OnDivergence::Error;
    let failure = bench.start(1).err();
    assert!(matches!(&failure, Some(RunError::Diverged(it)) if it.noticed.at_start), "{failure:?}");
}

#[test]
fn the_hash_does_not_know() {
    let hash = |on_divergence| {
        let mut bench = Bench::new(4).add("a", course(&[0.0, 1e40], None), 1);
        bench.system.coupling.on_divergence = on_divergence;
        let (mut run, _) = bench.start(1).expect("it starts");
        let _ = run.advance(Time::from_ticks(1));
        run.trace_hash()
    };
    assert_eq!(hash(OnDivergence::Warn), hash(OnDivergence::Error));
}
