//! Parts of a run that is spread over nodes. That whole runs are the same whatever the placement is
//! shown on random systems by `parts` of the testkit.

use crate::equations::{At, Equations};
use crate::post::postmen;
use crate::support::{Bench, TestModel, clock, gain, in_and_out, options};
use consort_core::model::CallResult;
use consort_core::{
    Instance, Instantiation, Model, ModelDescription, NodeId, Report, Step, StepOutcome,
    StepReason, Tag, Time, Values,
};
use consort_engine::{
    Advance, Courier, CourierError, Observation, Part, Run, RunError, RunOptions, Summary,
};
use consort_system::{Continuous, Iteration, LoopPolicy, Placement, Projection};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

type CallLog = Arc<Mutex<String>>;

/// Logs its calls, and brings the same bytes every time.
struct Scripted {
    calls: CallLog,
    brings: Result<Vec<u8>, CourierError>,
}

impl Scripted {
    fn note(&mut self, line: &str) {
        let _ = write!(self.calls.lock().expect("no thread panicked"), "{line}; ");
    }
}

impl Courier for Scripted {
    fn begin(&mut self, after: Option<Time>) -> Result<(), CourierError> {
        self.note(&format!("begin {:?}", after.map(Time::ticks)));
        Ok(())
    }
    fn send(&mut self, crossing: usize, time: Time, payload: &[u8]) -> Result<(), CourierError> {
        self.note(&format!("send {crossing} at {}: {} bytes", time.ticks(), payload.len()));
        Ok(())
    }
    fn receive(
        &mut self,
        crossing: usize,
        time: Time,
        into: &mut Vec<u8>,
    ) -> Result<(), CourierError> {
        self.note(&format!("receive {crossing} at {}", time.ticks()));
        into.clear();
        self.brings.clone().map(|bytes| into.extend(bytes))
    }
    fn reached(&mut self, tag: Tag) {
        self.note(&format!("reached {}", tag.time.ticks()));
    }
}

/// A model that must never come to life.
struct Elsewhere(Arc<dyn Model>);

impl Model for Elsewhere {
    fn description(&self) -> &ModelDescription {
        self.0.description()
    }
    fn instantiate(&self, _: &Instantiation<'_>) -> CallResult<Box<dyn Instance>> {
        panic!("it lives on another node")
    }
}

/// `here.y` goes to `there.u` and `there.y` to `here.u`; only `here` is there.
fn two() -> Bench {
    Bench::new(2)
        .add("here", gain(2.0), 1)
        .add("there", Arc::new(Elsewhere(gain(2.0))), 1)
        .wire("here.y", "there.u")
        .wire("there.y", "here.u")
}

fn projection(bench: &Bench, nodes: &[&str]) -> Arc<Projection> {
    let models: Vec<&ModelDescription> = bench.models.iter().map(|it| it.description()).collect();
    let placement = Placement::from_names(nodes);
    let plan = bench.plan();
    let mut report = Report::default();
    let projection =
        consort_planner::project(&bench.system, &models, &plan, &placement, &mut report);
    Arc::new(projection.unwrap_or_else(|| panic!("{:?}", report.diagnostics())))
}

/// The first node, `a`, of two.
fn part_of(bench: &Bench, brings: Result<Vec<u8>, CourierError>) -> (RunOptions, CallLog) {
    let calls = CallLog::default();
    let courier = Box::new(Scripted { calls: Arc::clone(&calls), brings });
    let projection = projection(bench, &["a", "b"]);
    let (mut options, _) = options(1);
    options.part = Some(Part { projection, node: NodeId(0), courier });
    (options, calls)
}

fn start(brings: Result<Vec<u8>, CourierError>) -> (Result<Run, RunError>, CallLog) {
    let bench = two();
    let (options, calls) = part_of(&bench, brings);
    (Run::start(&bench.executable(), options), calls)
}

fn number(value: f64) -> Result<Vec<u8>, CourierError> {
    Ok(value.to_le_bytes().to_vec())
}

#[test]
fn a_node_sends_before_it_waits_and_gives_life_to_its_own_components_only() {
    let (run, calls) = start(number(3.0));
    let mut run = run.expect("it starts");
    assert_eq!(run.advance(Time::MAX), Ok(Advance::Finished));
    assert_eq!(run.get("here.u"), Some(Values::Float64(vec![3.0])));
    assert_eq!(run.get("here.y"), Some(Values::Float64(vec![6.0])));
    let summary = run.finish();
    assert_eq!((summary.hashes.len(), summary.statistics.components), (1, 1));
    insta::assert_snapshot!(calls.lock().unwrap().replace("; ", "\n"), @r"
    begin None
    send 0 at 0: 8 bytes
    receive 2 at 0
    send 1 at 0: 8 bytes
    receive 3 at 0
    reached 0
    send 1 at 1: 8 bytes
    receive 3 at 1
    reached 1
    send 1 at 2: 8 bytes
    receive 3 at 2
    reached 2
    ");
}

#[test]
fn what_lives_elsewhere_can_neither_be_seen_nor_set_nor_observed() {
    struct Silent;
    impl consort_core::Observer for Silent {
        fn see(&mut self, _: Tag, _: &[f64]) -> consort_core::ObserverDecision {
            consort_core::ObserverDecision::Continue
        }
        fn save(&self) -> consort_core::SavedState {
            consort_core::SavedState(Box::new(()))
        }
        fn restore(&mut self, _: &consort_core::SavedState) {}
        fn to_bytes(&self) -> Vec<u8> {
            Vec::new()
        }
        fn set_bytes(&mut self, _: &[u8]) -> Result<(), &'static str> {
            Ok(())
        }
    }
    let mut run = start(number(3.0)).0.expect("it starts");
    assert_eq!(run.get("there.y"), None);
    let elsewhere = |path: &str| {
        let reason = "is on another node";
        RunError::NoSuchVariable { path: path.to_owned(), reason }
    };
    let set = run.set("there.u", &Values::Float64(vec![1.0]));
    assert_eq!(set, Err(elsewhere("there.u")));
    let bench = two();
    let (mut options, _) = part_of(&bench, number(3.0));
    let (paths, observer) = (vec!["there.y".to_owned()], Box::new(Silent));
    options.observer = Some(Observation { paths, observer });
    let refused = Run::start(&bench.executable(), options).err();
    assert_eq!(refused, Some(elsewhere("there.y")));
}

#[test]
fn a_node_that_does_not_come_or_sends_nonsense_is_named() {
    let gone = CourierError {
        node: "b".to_owned(),
        reason: "the connection was closed".to_owned(),
        at: Some(Tag::at(Time::from_ticks(1))),
    };
    let check = |brings: Result<Vec<u8>, CourierError>, expected: &str| {
        let error = start(brings).0.err().expect("it cannot start");
        let tick = two().system.experiment.resolution;
        let diagnostic = error.diagnostic(tick);
        assert_eq!((diagnostic.code, error.to_string()), ("run::node", expected.to_owned()));
        diagnostic.notes.join("; ")
    };
    let notes = check(Err(gone), "node `b`: the connection was closed");
    assert_eq!(notes, "everything is done up to tag 0.1 s");
    let short = "node `b`: what it sent for `b>a/initialization.0` is too short";
    assert_eq!(check(Ok(vec![1, 2, 3]), short), "this node was at tag 0 s");
    check(Ok(vec![0; 9]), "node `b`: what it sent for `b>a/initialization.0` is too long");
}

#[test]
fn a_saved_part_continues_without_beginning_again() {
    let (run, _) = start(number(3.0));
    let mut run = run.expect("it starts");
    run.advance(Time::from_ticks(1)).expect("it runs");
    let snapshot = run.snapshot().expect("it is saved");
    let bytes = run.serialize(&snapshot).expect("it is saved");
    run.advance(Time::MAX).expect("it runs");
    let hash = run.finish().trace_hash;
    let bench = two();
    let (options, calls) = part_of(&bench, number(3.0));
    let resumed = Run::resume(&bench.executable(), options, &bytes);
    let mut resumed = resumed.expect("it is resumed");
    assert_eq!(*calls.lock().unwrap(), "begin Some(1); ");
    resumed.advance(Time::MAX).expect("it runs");
    resumed.restore(&snapshot).expect("it was this run's");
    resumed.advance(Time::MAX).expect("it runs");
    assert_eq!(resumed.finish().trace_hash, hash);
    let exchange = "send 1 at 2: 8 bytes; receive 3 at 2; reached 2; ";
    let all = format!("begin Some(1); {exchange}begin Some(1); {exchange}");
    assert_eq!(*calls.lock().unwrap(), all);
}

#[test]
fn a_saved_part_of_another_node_is_refused() {
    let (run, _) = start(number(3.0));
    let mut run = run.expect("it starts");
    let snapshot = run.snapshot().expect("it is saved");
    let bytes = run.serialize(&snapshot).expect("it is saved");
    let local = Bench::new(2)
        .add("here", gain(2.0), 1)
        .add("there", gain(2.0), 1)
        .wire("here.y", "there.u")
        .wire("there.y", "here.u");
    let refused = Run::resume(&local.executable(), options(1).0, &bytes).err();
    assert!(matches!(refused, Some(RunError::ForeignSnapshot { .. })), "{refused:?}");
}

#[test]
fn a_part_of_a_run_ends_and_reports_when_a_component_requests_it() {
    struct Ends;
    impl crate::support::Behavior for Ends {
        fn step(&mut self, _: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
            Ok(StepOutcome { reason: StepReason::Terminate, ..StepOutcome::complete(step) })
        }
    }
    let bench = || {
        let ends = TestModel::new(in_and_out(), || Ends).shared();
        Bench::new(9).add("judge", ends, 1).add("clock", clock(), 1)
    };
    let run = |nodes: &[&str]| {
        let bench = bench();
        let courier = Box::new(Scripted { calls: CallLog::default(), brings: number(0.0) });
        let projection = projection(&bench, nodes);
        let (mut options, _) = options(1);
        options.part = Some(Part { projection, node: NodeId(0), courier });
        Run::start(&bench.executable(), options).expect("it starts")
    };
    for nodes in [["a", "a"], ["a", "b"]] {
        let mut run = run(&nodes);
        let component = "judge".to_owned();
        assert_eq!(run.advance(Time::MAX), Ok(Advance::Terminated { component }));
        let summary = run.finish();
        let tag = Tag::at(Time::from_ticks(1));
        assert_eq!((summary.tag, summary.done), (tag, tag));
        let last = Tag { microstep: u32::MAX, ..tag };
        assert_eq!(summary.end, Some((last, "judge".to_owned())));
    }
}

/// Runs every node in a thread of its own.
#[expect(clippy::disallowed_methods, reason = "nodes that wait for each other need threads")]
fn spread(bench: &dyn Fn() -> Bench, nodes: &[&str]) -> Summary {
    let projection = projection(&bench(), nodes);
    let parts: Vec<(Bench, Part)> = postmen(&projection)
        .into_iter()
        .enumerate()
        .map(|(index, courier)| {
            let (node, courier) = (NodeId::from_index(index), Box::new(courier));
            (bench(), Part { projection: Arc::clone(&projection), node, courier })
        })
        .collect();
    let work = |(bench, part): (Bench, Part)| {
        let (mut options, _) = options(1);
        options.part = Some(part);
        let mut run = Run::start(&bench.executable(), options).expect("it starts");
        run.advance(Time::MAX).expect("it runs");
        run.finish()
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = parts.into_iter().map(|it| scope.spawn(move || work(it))).collect();
        Summary::compose(threads.into_iter().map(|it| it.join().expect("no node panics")))
    })
}

/// Two pairs that are integrated as one, at different rates; each has a loop, which is solved.
fn pairs() -> Bench {
    let half = || {
        let f = |at: &At, f: &mut [f64]| f[0] = at.u[0] - at.x[0];
        let y = |at: &At, y: &mut [f64]| y[0] = 0.5 * at.u[0] + at.x[0];
        Equations::new(&[1.0], f, y).through(&[(0, 0)]).shared()
    };
    let state = || {
        let f = |at: &At, f: &mut [f64]| f[0] = at.u[0] - 0.3 * at.x[0];
        Equations::new(&[0.5], f, |at, y| y[0] = at.x[0]).shared()
    };
    let mut bench = Bench::new(24)
        .add("a", half(), 1)
        .add("b", half(), 1)
        .add("c", state(), 3)
        .add("d", state(), 3)
        .add("e", gain(0.5), 2)
        .wire("a.y0", "b.u0")
        .wire("b.y0", "a.u0")
        .wire("c.y0", "d.u0")
        .wire("d.y0", "e.u")
        .wire("e.y", "c.u0");
    bench.system.coupling.loops = LoopPolicy::Iterate(Iteration::default());
    bench
}

#[test]
fn groups_that_are_integrated_as_one_may_be_on_different_nodes() {
    let local = pairs().run(1).1;
    for nodes in [["x", "x", "y", "y", "y"], ["y", "y", "x", "x", "z"], ["x"; 5]] {
        let summary = spread(&pairs, &nodes);
        assert_eq!(summary.trace_hash, local.trace_hash, "{nodes:?}");
        assert_eq!(summary.statistics.loop_evaluations, local.statistics.loop_evaluations);
    }
}

#[test]
fn what_is_integrated_apart_may_be_anywhere() {
    let apart = || {
        let mut bench = pairs();
        bench.system.coupling.continuous = Continuous::Apart;
        bench
    };
    let local = apart().run(1).1;
    let summary = spread(&apart, &["x", "x", "y", "z", "w"]);
    assert_eq!(summary.trace_hash, local.trace_hash);
}
