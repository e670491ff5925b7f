//! The observer of a run is saved and restored with it.

use super::announced;
use crate::support::{Bench, options};
use consort_core::{Observer, ObserverDecision, SavedState, Tag, Time};
use consort_engine::{Advance, Observation, Run, RunError};
use std::sync::{Arc, Mutex};

/// What an observer was shown.
type Observed = Arc<Mutex<Vec<(Tag, Vec<f64>)>>>;

/// Sums what it sees, weighted by how often it looked, and keeps a list; stops above a limit.
struct Sum {
    seen: (u64, f64),
    limit: f64,
    observed: Observed,
}

impl Observer for Sum {
    fn see(&mut self, tag: Tag, values: &[f64]) -> ObserverDecision {
        self.seen.0 += 1;
        self.seen.1 += values.iter().sum::<f64>() * self.seen.0 as f64;
        self.observed.lock().expect("no thread panicked").push((tag, values.to_vec()));
        if self.limit < self.seen.1 { ObserverDecision::Stop } else { ObserverDecision::Continue }
    }
    fn save(&self) -> SavedState {
        SavedState(Box::new(self.seen))
    }
    fn restore(&mut self, state: &SavedState) {
        self.seen = *state.0.downcast_ref().expect("a sum");
    }
    fn to_bytes(&self) -> Vec<u8> {
        [self.seen.0.to_le_bytes(), self.seen.1.to_le_bytes()].concat()
    }
    fn set_bytes(&mut self, bytes: &[u8]) -> Result<(), &'static str> {
        let (parts, []) = bytes.as_chunks::<8>() else { return Err("the sum is torn") };
        let [count, sum] = parts else { return Err("the sum is torn") };
        self.seen = (u64::from_le_bytes(*count), f64::from_le_bytes(*sum));
        Ok(())
    }
}

fn watched(limit: f64, snapshot: Option<&[u8]>) -> Result<(Run, Observed), RunError> {
    observed(&announced(), &["fast.y", "slow.y", "fast.u"], limit, snapshot)
}

fn observed(
    bench: &Bench,
    paths: &[&str],
    limit: f64,
    snapshot: Option<&[u8]>,
) -> Result<(Run, Observed), RunError> {
    let observed = Observed::default();
    let observer = Box::new(Sum { seen: (0, 0.0), limit, observed: Arc::clone(&observed) });
    let (mut options, _) = options(1);
    let paths = paths.iter().map(|path| (*path).to_owned()).collect();
    options.observer = Some(Observation { paths, observer });
    let run = match snapshot {
        None => Run::start(&bench.executable(), options),
        Some(bytes) => Run::resume(&bench.executable(), options, bytes),
    };
    Ok((run?, observed))
}

#[test]
fn every_row_is_shown_the_first_and_microsteps_too() {
    let (trace, _) = announced().run(1);
    let (mut run, observed) = watched(f64::INFINITY, None).expect("it starts");
    run.advance(Time::MAX).expect("it runs");
    let observed = observed.lock().expect("no thread panicked").clone();
    let tags: Vec<Tag> = observed.iter().map(|(tag, _)| *tag).collect();
    assert_eq!(tags, trace.tags());
    let shown: Vec<f64> = observed.iter().map(|(_, values)| values[0]).collect();
    assert_eq!(shown, crate::support::numbers(&trace, "fast.y"));
}

#[test]
fn an_observer_ends_a_run_and_goes_back_with_it() {
    let (mut run, _) = watched(20_000.0, None).expect("it starts");
    run.advance(Time::from_ticks(4)).expect("it runs");
    let saved = run.snapshot().expect("saved");
    let bytes = run.serialize(&saved).expect("bytes");
    assert_eq!(run.advance(Time::MAX), Ok(Advance::Decided));
    let decided = run.tag();
    assert!(Time::from_ticks(4) < decided.time && decided.time < Time::from_ticks(24));
    let over = run.snapshot().expect("saved");
    for _ in 0..2 {
        run.restore(&saved).expect("restored");
        assert_eq!(run.advance(Time::from_ticks(5)), Ok(Advance::Reached));
        assert_eq!(run.advance(Time::MAX), Ok(Advance::Decided));
        assert_eq!(run.tag(), decided);
    }
    run.restore(&over).expect("restored");
    assert_eq!(run.advance(Time::MAX), Ok(Advance::Decided), "it stays decided");
    let over = run.serialize(&over).expect("bytes");
    let (mut run, observed) = watched(20_000.0, Some(&bytes)).expect("it resumes");
    assert_eq!(run.advance(Time::MAX), Ok(Advance::Decided));
    assert_eq!(run.tag(), decided);
    assert!(observed.lock().expect("no thread panicked").iter().all(|(tag, _)| saved.tag() < *tag));
    let (mut run, _) = watched(20_000.0, Some(&over)).expect("it resumes");
    assert_eq!(run.advance(Time::MAX), Ok(Advance::Decided), "in another process too");
}

#[test]
fn what_cannot_be_observed_is_reported_before_anything_runs() {
    for (path, reason) in [
        ("fast.z", "is not in this system"),
        ("nowhere", "is not in this system"),
        ("e.u", "is neither connected, fed, recorded nor intervened on"),
    ] {
        let bench = super::driven();
        let path = if path == "fast.z" { "a.z" } else { path };
        let refused = observed(&bench, &[path], 0.0, None).err().expect("it is refused");
        assert_eq!(refused, RunError::NoSuchVariable { path: path.to_owned(), reason });
    }
}

#[test]
fn a_snapshot_without_an_observer_is_none_for_a_run_with_one() {
    let (mut run, _) = announced().start(1).expect("it starts");
    let saved = run.snapshot().expect("saved");
    let bytes = run.serialize(&saved).expect("bytes");
    let refused = watched(0.0, Some(&bytes)).err().expect("it is refused");
    assert_eq!(refused, RunError::ForeignSnapshot { reason: "the run was not observed then" });
    let (mut run, _) = watched(f64::INFINITY, None).expect("it starts");
    let saved = run.snapshot().expect("saved");
    let bytes = run.serialize(&saved).expect("bytes");
    super::resume(&announced(), 1, &bytes).expect("what was observed can be forgotten");
}
