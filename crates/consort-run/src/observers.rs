//! Functions that see values of a run while it goes.

use consort_core::{Observer, ObserverDecision, Resolution, SavedState, Tag};
use consort_engine::Observation;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

/// Called at every tag that is recorded, with the time in seconds and the values of the variables asked for. It may
/// end the run.
pub(crate) type ObserverFn = Box<dyn FnMut(f64, &[f64]) -> ControlFlow<()> + Send>;

/// All that observe a run.
#[derive(Clone, Default)]
pub(crate) struct Observers {
    paths: Vec<String>,
    functions: Arc<Mutex<Vec<Watching>>>,
}

struct Watching {
    /// How many of the values are for it.
    count: usize,
    function: ObserverFn,
}

impl Observers {
    /// Adds an observer.
    pub(crate) fn add(&mut self, paths: &[&str], function: ObserverFn) {
        self.paths.extend(paths.iter().map(|path| (*path).to_owned()));
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        functions.push(Watching { count: paths.len(), function });
    }

    /// What the engine is asked to show if one more sees these paths.
    pub(crate) fn observation(&self, resolution: Resolution, more: &[&str]) -> Observation {
        let functions = Arc::clone(&self.functions);
        let observer = Box::new(Distributor { resolution, functions });
        let paths = self.paths.iter().map(String::as_str).chain(more.iter().copied());
        Observation { paths: paths.map(str::to_owned).collect(), observer }
    }
}

/// Gives each its own values. It has no state: what functions remember is their own.
struct Distributor {
    resolution: Resolution,
    functions: Arc<Mutex<Vec<Watching>>>,
}

impl Observer for Distributor {
    fn see(&mut self, tag: Tag, values: &[f64]) -> ObserverDecision {
        let time = self.resolution.to_f64(tag.time);
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut rest, mut decision) = (values, ObserverDecision::Continue);
        for Watching { count, function } in &mut *functions {
            let (own, others) = rest.split_at(*count);
            rest = others;
            if function(time, own).is_break() {
                decision = ObserverDecision::Stop;
            }
        }
        decision
    }

    fn save(&self) -> SavedState {
        SavedState(Box::new(()))
    }

    fn restore(&mut self, _state: &SavedState) {}

    fn to_bytes(&self) -> Vec<u8> {
        Vec::new()
    }

    fn set_bytes(&mut self, bytes: &[u8]) -> Result<(), &'static str> {
        if bytes.is_empty() { Ok(()) } else { Err("an observer of another kind was saved") }
    }
}
