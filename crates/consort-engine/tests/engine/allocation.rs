//! Nothing is allocated per step: counted, not hoped.

use crate::support::{Behavior, Bench, TestModel, variable};
use consort_core::model::CallResult;
use consort_core::{Causality, Step, StepOutcome, Time, ValueType, Values};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

#[expect(unsafe_code, reason = "counting allocations takes an allocator")]
// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Copies u to y in place, for a float and a string.
struct InPlace;

impl Behavior for InPlace {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        let [from, to, text_from, text_to] = values else { unreachable!() };
        let (Values::Float64(from), Values::Float64(to)) = (from, to) else { unreachable!() };
        to[0] = from[0] + 1.0;
        let (Values::String(from), Values::String(to)) = (text_from, text_to) else {
            unreachable!()
        };
        to[0].clone_from(&from[0]);
        if to[0].is_empty() {
            to[0].push_str("grows once");
        }
        Ok(StepOutcome::complete(step))
    }
}

#[test]
fn no_step_allocates_whatever_is_connected_and_recorded() {
    let model = || {
        let variables = vec![
            variable("u", Causality::Input, ValueType::Float64),
            variable("y", Causality::Output, ValueType::Float64),
            variable("text", Causality::Input, ValueType::String),
            variable("said", Causality::Output, ValueType::String),
        ];
        TestModel::new(variables, || InPlace).shared()
    };
    let bench = Bench::new(3000)
        .add("a", model(), 1)
        .add("b", model(), 2)
        .wire("a.y", "b.u")
        .wire("b.y", "a.u")
        .wire("a.said", "b.text")
        .wire("b.said", "a.text");
    let (mut run, _) = bench.start(1).expect("it starts");
    // One chunk of rows is enough for every buffer to have its size; the sink of this test
    // allocates when it is handed a chunk, so the count is taken between two hand-overs.
    run.advance(Time::from_ticks(1100)).expect("it runs");
    let before = ALLOCATIONS.with(Cell::get);
    run.advance(Time::from_ticks(1900)).expect("it runs");
    let after = ALLOCATIONS.with(Cell::get);
    assert_eq!(after - before, 0, "allocations in 800 tags");
}
