//! Exact times, or a diagnostic that names the two numbers that do not fit.

use crate::oracle;
use crate::world::{World, filters};
use consort_trace::read_parquet;
use std::fs::File;

fn blocks(experiment: &str, steps: &[&str]) -> World {
    let world = World::new();
    let mut text = format!("[experiment]\n{experiment}\n");
    for (index, step) in steps.iter().enumerate() {
        text += &format!("[components.c{index}]\nmodel = \"native:ramp\"\nstep = {step}\n");
    }
    world.system(&text);
    world
}

/// Ticks of the resolution, and microsteps, as the trace has them.
fn ticks(world: &World) -> (String, Vec<(i64, u32)>) {
    let trace = read_parquet(File::open(world.path("run/trace.parquet")).unwrap()).unwrap();
    let tags = trace.tags().iter().map(|tag| (tag.time.ticks(), tag.microstep)).collect();
    (trace.schema().resolution().to_string(), tags)
}

/// The union of two grids, from their common start.
fn union(start: i64, stop: i64, periods: [usize; 2]) -> Vec<(i64, u32)> {
    let on_grid = |tick: &i64| {
        let since = usize::try_from(tick - start).unwrap();
        periods.iter().any(|period| since.is_multiple_of(*period))
    };
    (start..=stop).filter(on_grid).map(|tick| (tick, 0)).collect()
}

#[test]
fn a_thirtieth_beside_a_hundredth_meets_exactly() {
    let world = blocks("start = -1\nstop = 2\nstep = 0.01", &["0.01", "\"1/30\""]);
    oracle::run(&world, &[]);
    let (resolution, tags) = ticks(&world);
    assert_eq!(resolution, "1/300 s");
    assert_eq!(tags, union(-300, 600, [3, 10]));
    let exact = |tick: i64| tick as f64 / 300.0;
    let slow = oracle::steps(&world, "c1");
    assert_eq!(slow.len(), 90);
    for (index, (time, length)) in slow.into_iter().enumerate() {
        let tick = -300 + 10 * i64::try_from(index).unwrap();
        assert_eq!(
            (time.to_bits(), length.to_bits()),
            (exact(tick).to_bits(), exact(10).to_bits())
        );
    }
}

#[test]
fn many_small_steps_do_not_drift() {
    let world = blocks("start = -0.3\nstop = 1000.2\nstep = 0.1", &["0.1"]);
    let record = oracle::run(&world, &[]);
    let times = record.times();
    assert_eq!(times.len(), 10_006);
    for (index, time) in times.iter().enumerate() {
        let exact = (index as f64 - 3.0) / 10.0;
        assert_eq!(time.to_bits(), exact.to_bits(), "row {index}");
    }
    assert!(oracle::steps(&world, "c0").iter().all(|step| step.1.to_bits() == 0.1_f64.to_bits()));
}

#[test]
fn numbers_that_do_not_fit_are_named() {
    let cases = [
        ("a stop between two steps", "stop = 1\nstep = 0.3", "0.3"),
        ("a stop that one of two grids misses", "stop = 0.12\nstep = 0.01", "\"1/30\""),
        ("a stop before the start", "start = 2\nstop = 1\nstep = 0.1", "0.1"),
        ("no time at all", "start = 1\nstop = 1\nstep = 0.1", "0.1"),
        ("a step off the resolution", "stop = 1\nstep = 0.1\nresolution = 0.01", "\"1/30\""),
        ("steps without a common tick", "stop = 1e9\nstep = 1e-9", "\"1/4294967291\""),
        ("a time that is too far", "stop = 1e300\nstep = 0.1", "0.1"),
        ("a step of nothing", "stop = 1\nstep = 0", "1"),
        ("a negative step", "stop = 1\nstep = 1", "-0.5"),
    ];
    let mut text = String::new();
    for (what, experiment, step) in cases {
        let world = blocks(experiment, &[step]);
        let before = world.contents();
        let said = world.consort(&["run", "s"]);
        assert_eq!(said.code, Some(1), "{what}: {said}");
        assert_eq!(world.contents(), before, "{what}");
        text += &format!("==== {what}\n{}\n", said.stderr);
    }
    insta::with_settings!({filters => filters()}, { insta::assert_snapshot!(text) });
}

#[test]
fn times_of_the_command_line_are_exact_too() {
    let world = blocks("stop = 1\nstep = 0.1", &["\"1/10\""]);
    oracle::run(&world, &["--start", "-1/3", "--stop", "2/3", "--step", "1/30"]);
    let (resolution, tags) = ticks(&world);
    assert_eq!(resolution, "1/30 s");
    assert_eq!((tags[0], tags[1], *tags.last().unwrap()), ((-10, 0), (-7, 0), (20, 0)));
}
