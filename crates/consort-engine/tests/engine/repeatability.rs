//! The same bits whatever the workers do.

use crate::support::{Behavior, Bench, TestModel, clock, float, in_and_out};
use consort_core::model::CallResult;
use consort_core::{Model, Step, StepOutcome, Values};
use std::sync::Arc;

/// Chaotic, so that any difference shows, and busy, so that workers overlap.
struct Logistic {
    busy_rounds: u32,
}

impl Behavior for Logistic {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        let mut y = (float(&values[1]) + 0.1 * float(&values[0]) + 0.01).fract().abs();
        for _ in 0..self.busy_rounds {
            y = 3.9 * y * (1.0 - y);
        }
        values[1] = Values::Float64(vec![y]);
        Ok(StepOutcome::complete(step))
    }
}

fn logistic(busy_rounds: u32) -> Arc<dyn Model> {
    TestModel::new(in_and_out(), move || Logistic { busy_rounds }).shared()
}

pub(crate) fn ring(count: usize, busy_rounds: u32) -> Bench {
    let mut bench = Bench::new(60);
    for index in 0..count {
        let period = 1 + i64::try_from(index % 3).expect("small");
        bench = bench.add(&format!("c{index}"), logistic(busy_rounds), period);
    }
    bench = bench.add("clock", clock(), 1);
    for index in 1..count {
        bench = bench.wire(&format!("c{}.y", index - 1), &format!("c{index}.u"));
    }
    bench.wire("clock.y", "c0.u")
}

#[test]
fn the_number_of_workers_cannot_be_seen_in_the_trace() {
    let (reference, summary) = ring(40, 10).run(1);
    assert_eq!(summary.statistics.busy_max, 1);
    for workers in [2, 3, 8] {
        let (trace, other) = ring(40, 10).run(workers);
        assert_eq!(other.trace_hash, summary.trace_hash, "{workers} workers");
        assert_eq!(trace, reference, "{workers} workers");
    }
}

#[test]
fn two_workers_really_work_at_once() {
    let (_, summary) = ring(8, 200_000).run(2);
    assert_eq!(summary.statistics.workers, 2);
    assert_eq!(summary.statistics.busy_max, 2);
}

#[test]
fn the_hash_does_not_depend_on_what_is_recorded() {
    let mut silent = ring(5, 3);
    for component in &mut silent.system.components {
        component.recorded.clear();
    }
    assert_eq!(silent.run(1).1.trace_hash, ring(5, 3).run(1).1.trace_hash);
}

#[test]
fn a_run_in_many_small_advances_is_the_same_run() {
    let (mut run, _) = ring(5, 3).start(2).expect("it starts");
    for ticks in 0..=60 {
        run.advance(consort_core::Time::from_ticks(ticks)).expect("it runs");
    }
    assert_eq!(run.finish().trace_hash, ring(5, 3).run(1).1.trace_hash);
}
