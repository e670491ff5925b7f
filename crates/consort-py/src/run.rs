//! Runs that Python drives.

use crate::calls::{guarded, interruptible, lock};
use crate::errors::{Phase, raise};
use crate::handles::{Handle, Handles, count, wanted};
use crate::memory::{fill, numbers};
use crate::trace::TraceTable;
use crate::values::{from_python, to_python};
use consort::{
    Advance, CancelToken, Diagnostic, Error, Run, Signals, Snapshot, Summary, Trace, VariableHandle,
};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use serde_json::json;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A call that is expected to be this short is made at once, with the interpreter's lock.
const SHORT: Duration = Duration::from_micros(200);

/// What is known of a run's system.
#[derive(Clone, Debug)]
pub(crate) struct RunFacts {
    /// Which prepared system it is; handles are valid for its runs.
    pub(crate) system: u64,
    /// The name of the system.
    pub(crate) name: String,
    /// The shortest communication step in seconds, if there is one.
    pub(crate) period: Option<f64>,
    /// Every model lives in this process.
    pub(crate) is_local: bool,
    /// What is drawn if nothing is named.
    pub(crate) plot: Vec<String>,
    /// What the system says about its signals.
    pub(crate) signals: Signals,
}

/// A system being executed.
#[pyclass(frozen, name = "Run", module = "consort")]
pub(crate) struct DrivenRun {
    shared: Arc<SharedRun>,
}

/// What threads that make calls share with the run.
struct SharedRun {
    run: Mutex<Option<Run>>,
    cancel: Mutex<Arc<CancelToken>>,
    /// How many nanoseconds a communication step took lately.
    pace: AtomicU64,
    facts: RunFacts,
}

/// The state of a run at one time.
#[pyclass(frozen, name = "Snapshot", module = "consort")]
pub(crate) struct SavedRun {
    snapshot: Arc<Mutex<Snapshot>>,
    time: f64,
}

/// The communication points of a run, one after the other.
#[pyclass(frozen, name = "Steps", module = "consort._native")]
pub(crate) struct RunSteps {
    run: Py<DrivenRun>,
}

/// To where a run is advanced.
#[derive(Clone, Copy)]
enum Goal {
    Time(f64),
    Step,
    End,
}

impl Goal {
    fn reach(self, run: &mut Run) -> Result<Advance, Error> {
        match self {
            Goal::Time(seconds) => run.advance(seconds),
            Goal::Step => run.step(),
            Goal::End => run.advance_to_end(),
        }
    }

    /// How many communication steps that may be.
    fn steps(self, run: &Run, period: Option<f64>) -> u64 {
        let until = match self {
            Goal::Step => return 1,
            Goal::Time(seconds) => seconds,
            Goal::End => run.stop_time(),
        };
        let steps = (until - run.time()) / period.unwrap_or(f64::MIN_POSITIVE);
        // Saturates; what is no number is one step.
        (steps as u64).max(1)
    }
}

impl DrivenRun {
    /// A run that has begun.
    pub(crate) fn new(run: Run, cancel: Arc<CancelToken>, facts: RunFacts) -> Self {
        let (run, cancel) = (Mutex::new(Some(run)), Mutex::new(cancel));
        let shared = SharedRun { run, cancel, pace: AtomicU64::new(u64::MAX), facts };
        DrivenRun { shared: Arc::new(shared) }
    }

    /// Advances it: at once if that will be short, else as a long call. True if there is more to come.
    fn go(&self, py: Python<'_>, goal: Goal) -> PyResult<bool> {
        let shared = &self.shared;
        if shared.facts.is_local
            && let Ok(mut guard) = shared.run.try_lock()
            && let Some(run) = guard.as_mut()
        {
            let steps = goal.steps(run, shared.facts.period);
            let nanoseconds = steps.saturating_mul(shared.pace.load(Ordering::Relaxed));
            if nanoseconds < SHORT.as_nanos() as u64 {
                let ended = guarded(py, || shared.advance(run, goal))?;
                return more(py, ended);
            }
        }
        let ended = self.long(py, move |shared, run| shared.advance(run, goal))?;
        more(py, ended)
    }

    /// A call that may take long.
    fn long<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&SharedRun, &mut Run) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<Result<T, Error>> {
        let shared = Arc::clone(&self.shared);
        let cancel = Arc::clone(&lock(&self.shared.cancel));
        let done = interruptible(py, &cancel, move || {
            let mut guard = lock(&shared.run);
            let run = guard.as_mut().ok_or_else(closed)?;
            work(&shared, run)
        });
        if done.is_err()
            && let Ok(mut guard) = self.shared.run.try_lock()
            && let Some(run) = guard.as_mut()
        {
            self.shared.renew(run);
        }
        done
    }

    /// A call that is short: with the interpreter's lock if the run is not in use elsewhere.
    fn quick<T: Send>(
        &self,
        py: Python<'_>,
        phase: Phase,
        work: impl FnOnce(&mut Run) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let shared = &self.shared;
        let result = match shared.run.try_lock() {
            Ok(mut guard) if shared.facts.is_local => {
                guarded(py, || guard.as_mut().ok_or_else(closed).and_then(work))
            }
            // The lock is given back, to be taken without that of the interpreter.
            attempt => {
                drop(attempt);
                let work = || lock(&shared.run).as_mut().ok_or_else(closed).and_then(work);
                py.detach(|| Ok(work()))
            }
        };
        result?.map_err(|error| raise(py, phase, error))
    }

    fn look_up(&self, py: Python<'_>, path: &str) -> PyResult<VariableHandle> {
        self.quick(py, Phase::Run, |run| run.handle(path))
    }

    /// The variable that is named, or whose handle is given.
    fn variable(&self, variable: &Bound<'_, PyAny>) -> PyResult<VariableHandle> {
        if let Ok(handle) = variable.cast::<Handle>() {
            return handle.get().for_system(self.shared.facts.system);
        }
        let path = variable.extract::<&str>().map_err(|_| {
            PyTypeError::new_err(
                "a variable is named by text, `component.variable`, or by a handle",
            )
        })?;
        self.look_up(variable.py(), path)
    }
}

impl SharedRun {
    /// Advances the run, and notes how long a step took.
    fn advance(&self, run: &mut Run, goal: Goal) -> Result<Advance, Error> {
        let (began, steps) = (Instant::now(), goal.steps(run, self.facts.period));
        let ended = goal.reach(run);
        let pace = began.elapsed().as_nanos() as u64 / steps;
        self.pace.store(pace, Ordering::Relaxed);
        if matches!(ended, Err(Error::Cancelled)) {
            self.renew(run);
        }
        ended
    }

    /// After a cancellation the run can continue.
    fn renew(&self, run: &mut Run) {
        let mut cancel = lock(&self.cancel);
        if cancel.is_cancelled() {
            *cancel = Arc::default();
            run.set_cancel(Arc::clone(&cancel));
        }
    }
}

fn more(py: Python<'_>, ended: Result<Advance, Error>) -> PyResult<bool> {
    let ended = ended.map_err(|error| raise(py, Phase::Run, error))?;
    Ok(ended == Advance::Reached)
}

fn closed() -> Error {
    let diagnostic = Diagnostic::error("run::closed", "the run is closed: its models have ended");
    Error::invalid(diagnostic.help("start another one, or look at its result"))
}

#[pymethods]
impl DrivenRun {
    fn advance(&self, py: Python<'_>, time: f64) -> PyResult<bool> {
        self.go(py, Goal::Time(time))
    }

    fn advance_to_end(&self, py: Python<'_>) -> PyResult<bool> {
        self.go(py, Goal::End)
    }

    fn step(&self, py: Python<'_>) -> PyResult<bool> {
        self.go(py, Goal::Step)
    }

    fn steps(slf: Py<Self>) -> RunSteps {
        RunSteps { run: slf }
    }

    fn __getitem__(&self, py: Python<'_>, variable: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let handle = self.variable(variable)?;
        let values = self.quick(py, Phase::Run, |run| run.value(handle))?;
        to_python(py, &values, handle.count() == 1)
    }

    fn __setitem__(
        &self,
        py: Python<'_>,
        variable: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let handle = self.variable(variable)?;
        let values =
            from_python(value, handle.value_type(), handle.count()).map_err(|problem| {
                let wanted = handle.value_type().name();
                let message = format!("`{variable}` is a variable of type {wanted}: {problem}");
                let error = PyTypeError::new_err(message);
                error.set_cause(py, Some(problem));
                error
            })?;
        self.quick(py, Phase::Run, |run| run.set_value(handle, values))
    }

    fn handle(&self, py: Python<'_>, name: String) -> PyResult<Handle> {
        let handle = self.look_up(py, &name)?;
        Ok(Handle::new(name, handle, self.shared.facts.system))
    }

    fn handles(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Handles> {
        let handles: PyResult<_> = names.iter().map(|name| self.look_up(py, name)).collect();
        Ok(Handles::new(names, handles?, self.shared.facts.system))
    }

    #[pyo3(signature = (handles, out=None))]
    fn read(
        &self,
        py: Python<'_>,
        handles: &Bound<'_, PyAny>,
        out: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        wanted(handles, self.shared.facts.system, |handles| {
            let mut numbers = vec![0.0; count(handles)];
            self.quick(py, Phase::Run, |run| run.read(handles, &mut numbers))?;
            let Some(out) = out else { return numbers.into_py_any(py) };
            fill(out, &numbers)?;
            Ok(out.clone().unbind())
        })
    }

    fn write(
        &self,
        py: Python<'_>,
        handles: &Bound<'_, PyAny>,
        values: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let write = |handles: &[VariableHandle]| {
            let numbers = numbers(values, count(handles))?;
            self.quick(py, Phase::Run, |run| run.write(handles, &numbers))?;
            Ok(py.None())
        };
        wanted(handles, self.shared.facts.system, write).map(drop)
    }

    fn save(&self, py: Python<'_>) -> PyResult<SavedRun> {
        let saved = self.long(py, |_, run| Ok((run.save()?, run.time())))?;
        let (snapshot, time) = saved.map_err(|error| raise(py, Phase::State, error))?;
        Ok(SavedRun { snapshot: Arc::new(Mutex::new(snapshot)), time })
    }

    fn restore(&self, py: Python<'_>, snapshot: &SavedRun) -> PyResult<()> {
        let snapshot = Arc::clone(&snapshot.snapshot);
        let restored = self.long(py, move |_, run| run.restore(&lock(&snapshot)))?;
        restored.map_err(|error| raise(py, Phase::State, error))
    }

    fn branch(&self, py: Python<'_>) -> PyResult<DrivenRun> {
        let branched = self.long(py, |shared, run| {
            let mut branch = run.branch()?;
            // Each is cancelled by itself.
            let cancel = Arc::<CancelToken>::default();
            branch.set_cancel(Arc::clone(&cancel));
            Ok(DrivenRun::new(branch, cancel, shared.facts.clone()))
        })?;
        branched.map_err(|error| raise(py, Phase::State, error))
    }

    fn save_to_file(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let saved = self.long(py, move |_, run| run.save_to_file(path))?;
        saved.map_err(|error| raise(py, Phase::State, error))
    }

    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.quick(py, Phase::Run, |run| Ok(run.time()))
    }

    #[getter]
    fn stop_time(&self, py: Python<'_>) -> PyResult<f64> {
        self.quick(py, Phase::Run, |run| Ok(run.stop_time()))
    }

    #[getter]
    fn is_over(&self, py: Python<'_>) -> PyResult<bool> {
        self.quick(py, Phase::Run, |run| Ok(run.is_over()))
    }

    #[getter]
    fn trace_hash(&self, py: Python<'_>) -> PyResult<String> {
        self.quick(py, Phase::Run, |run| Ok(run.trace_hash().to_string()))
    }

    /// The name of the system.
    #[getter]
    fn name(&self) -> &str {
        &self.shared.facts.name
    }

    fn cancel(&self) {
        lock(&self.shared.cancel).cancel();
    }

    fn result(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let facts = self.long(py, |_, run| {
            let hash = run.trace_hash().to_string();
            let about = json!({ "trace_hash": hash, "time": run.time(), "problems": [] });
            Ok((run.trace(), about))
        })?;
        let (trace, about) = facts.map_err(|error| raise(py, Phase::Run, error))?;
        self.made(py, trace.map(|trace| self.table(trace)), about)
    }

    fn finish(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let shared = Arc::clone(&self.shared);
        let finished = interruptible(py, &Arc::default(), move || {
            let run = lock(&shared.run).take().ok_or_else(closed)?;
            let time = run.time();
            let finished = run.finish();
            Ok((finished.trace, about(&finished.summary, time)))
        })?;
        let (trace, about) = finished.map_err(|error| raise(py, Phase::Run, error))?;
        self.made(py, trace.map(|trace| self.table(trace)), about)
    }

    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(lock(&self.shared.run).take()));
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, py: Python<'_>, _error: &Bound<'_, PyAny>) {
        self.close(py);
    }

    fn __repr__(&self) -> String {
        let state = match self.shared.run.try_lock().as_deref() {
            Ok(Some(run)) if run.is_over() => format!("over at {} s", run.time()),
            Ok(Some(run)) => format!("at {} s of {} s", run.time(), run.stop_time()),
            Ok(None) => "closed".to_owned(),
            Err(_) => "busy".to_owned(),
        };
        format!("<consort.Run {}: {state}>", self.shared.facts.name)
    }
}

impl DrivenRun {
    fn table(&self, trace: Trace) -> TraceTable {
        TraceTable::new(trace, self.shared.facts.signals.clone())
    }

    /// The result class of the package.
    fn made(
        &self,
        py: Python<'_>,
        trace: Option<TraceTable>,
        mut about: serde_json::Value,
    ) -> PyResult<Py<PyAny>> {
        about["name"] = json!(self.shared.facts.name);
        about["plot"] = json!(self.shared.facts.plot);
        let class = py.import("consort._result")?.getattr("Result")?;
        Ok(class.call1((trace, about.to_string()))?.unbind())
    }
}

/// What a run came to.
fn about(summary: &Summary, time: f64) -> serde_json::Value {
    let problems: Vec<String> = summary.problems.iter().map(ToString::to_string).collect();
    json!({
        "trace_hash": summary.trace_hash.to_string(),
        "time": time,
        "tags": summary.statistics.tags,
        "components": summary.statistics.components,
        "ended_by": summary.end.as_ref().map(|(_, component)| component),
        "problems": problems,
    })
}

/// Ending the models of a run that was forgotten may take a while where they are processes.
impl Drop for DrivenRun {
    fn drop(&mut self) {
        if !self.shared.facts.is_local {
            Python::attach(|py| self.close(py));
        }
    }
}

#[pymethods]
impl SavedRun {
    /// The time at which the run was saved.
    #[getter]
    fn time(&self) -> f64 {
        self.time
    }

    fn __repr__(&self) -> String {
        format!("<consort.Snapshot at {} s>", self.time)
    }
}

#[pymethods]
impl RunSteps {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// The time after the next step; nothing if the run is over.
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        let run = self.run.get();
        if run.is_over(py)? {
            return Ok(None);
        }
        run.step(py)?;
        run.time(py).map(Some)
    }
}
