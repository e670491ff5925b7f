//! A [`World`] of a whole co-simulation: a [`Run`], its snapshots, and monitors that watch it.
//!
//! A choice sets the disturbed inputs at the tag where it is made, and the run moves on by one
//! period. What an input is at the very tag of the choice was computed before it: the trace shows the
//! new value from the next tag on.

mod explain;

use crate::campaign::{Question, ResolvedCampaign};
use crate::sample::DifferenceExplanation;
use crate::world::{PrefixEvaluation, RobustnessInterval, World};
use consort_core::bytes::{Reader, Writer};
use consort_core::{Fidelity, Model, Observer, ObserverDecision, SavedState, Tag, Time};
use consort_engine::{
    Advance, Executable, Observation, Run, RunError, RunOptions, RunSnapshot, Summary,
};
use consort_property::PropertyMonitor;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The system of a campaign, live.
pub struct RunWorld {
    run: Run,
    origin: Origin,
    campaign: ResolvedCampaign,
    watch: Watch,
    /// Where everything starts, if the world was ever restored to it: a scenario that is run straight on is never saved.
    start: Option<RunSnapshot>,
    start_time: Time,
    /// The number of choices made.
    depth: u32,
    /// A choice was made, or tried.
    has_begun: bool,
    /// A restored run behaves differently, so every run is restored.
    is_canonical: bool,
}

/// The executable and the end condition, from which a run is started again.
#[derive(Clone)]
struct Origin {
    executable: Executable,
    until: RunUntil,
}

/// A place that a world can come back to.
pub struct SavedRun {
    snapshot: RunSnapshot,
    depth: u32,
}

/// Whether a run ends as soon as every property is decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunUntil {
    /// It does: nothing that follows can change the answer.
    Decided,
    /// It continues to the horizon, so that there is a whole trace.
    Horizon,
}

impl RunWorld {
    /// Makes and initializes the instances.
    ///
    /// # Errors
    /// If an instance fails.
    pub fn start(
        campaign: ResolvedCampaign,
        executable: Executable,
        options: RunOptions,
        until: RunUntil,
    ) -> Result<Self, RunError> {
        Self::start_from(campaign, Origin { executable, until }, options)
    }

    fn start_from(
        campaign: ResolvedCampaign,
        origin: Origin,
        options: RunOptions,
    ) -> Result<Self, RunError> {
        let Origin { executable, until } = origin.clone();
        let experiment = &executable.system().experiment;
        let (resolution, start_time) = (experiment.resolution, experiment.start);
        let (paths, watch) =
            Watch::new(&campaign, until, |question| question.monitor(resolution, start_time));
        let is_exact =
            |model: &Arc<dyn Model>| Fidelity::Exact <= model.description().capabilities.fidelity;
        let is_canonical = !executable.models().iter().all(is_exact);
        let observer = Some(Observation { paths, observer: Box::new(watch.clone()) });
        let options = RunOptions { observer, ..options };
        let mut run = Run::start(&executable, options)?;
        let start = if is_canonical { Some(run.snapshot()?) } else { None };
        let (depth, has_begun) = (0, false);
        Ok(RunWorld {
            run,
            origin,
            campaign,
            watch,
            start,
            start_time,
            depth,
            has_begun,
            is_canonical,
        })
    }

    /// What is known of the properties now.
    pub fn evaluation(&self) -> PrefixEvaluation {
        let ended = self.depth == self.campaign.space.horizon();
        let end = ended.then(|| self.run.tag().time);
        let (robustness, verdicts) = self.watch.judge(end);
        let is_decided = ended || verdicts.iter().all(Option::is_some);
        PrefixEvaluation { robustness, verdicts, is_decided }
    }

    /// What was observed at each tag since the start, and of which variables, if the run continues to its horizon.
    pub fn seen(&self) -> (Vec<String>, Vec<(Tag, Vec<f64>)>) {
        (self.watch.paths.clone(), self.watch.lock().seen.clone())
    }

    /// Ends every instance; the hash of what happened.
    pub fn finish(self) -> Summary {
        self.run.finish()
    }

    /// Makes a choice; where it leads.
    fn begin(&mut self, letter: u32) -> Result<Time, RunError> {
        self.has_begun = true;
        if self.is_canonical {
            // Saving such an instance restores it at once: every path is the same then.
            self.run.snapshot()?;
        }
        for (path, values) in self.campaign.values(letter) {
            self.run.set(path, values)?;
        }
        Ok(self.next())
    }

    /// Where a choice made now leads.
    fn next(&self) -> Time {
        let depth = i64::from(self.depth) + 1;
        let length = self.campaign.period.checked_mul(depth).expect("the horizon fits");
        self.start_time + length
    }
}

impl World for RunWorld {
    type Saved = SavedRun;
    type Error = RunError;

    fn reset(&mut self) -> Result<(), RunError> {
        if self.start.is_none() && self.has_begun {
            self.renew()?;
        }
        match &self.start {
            Some(start) => self.run.restore(start)?,
            None => self.start = Some(self.run.snapshot()?),
        }
        self.depth = 0;
        Ok(())
    }

    fn choose(&mut self, letter: u32) -> Result<PrefixEvaluation, RunError> {
        let until = self.begin(letter)?;
        let advance = self.run.advance(until)?;
        self.depth += 1;
        let mut evaluation = self.evaluation();
        evaluation.is_decided |= advance != Advance::Reached;
        Ok(evaluation)
    }

    fn save(&mut self) -> Result<SavedRun, RunError> {
        Ok(SavedRun { snapshot: self.run.snapshot()?, depth: self.depth })
    }

    fn restore(&mut self, saved: &SavedRun) -> Result<(), RunError> {
        self.run.restore(&saved.snapshot)?;
        self.depth = saved.depth;
        Ok(())
    }

    fn unshared_bytes(&self, saved: &SavedRun) -> u64 {
        self.run.unshared_bytes(&saved.snapshot)
    }

    fn marks(&self) -> Vec<u64> {
        self.run.marks()
    }

    /// New instances; those of before are ended first, for some cannot be there twice.
    fn renew(&mut self) -> Result<(), RunError> {
        self.run.end();
        let (campaign, origin) = (self.campaign.clone(), self.origin.clone());
        *self = Self::start_from(campaign, origin, RunOptions::quiet(1))?;
        Ok(())
    }

    fn is_accident(&self, error: &RunError) -> bool {
        error.is_accident()
    }

    fn explain(&mut self, letters: &[u32], marks: &[u64]) -> DifferenceExplanation {
        let resolution = self.run.system().experiment.resolution;
        let diagnostic = self.difference(letters, marks).diagnostic(resolution);
        DifferenceExplanation { message: diagnostic.message, notes: diagnostic.notes }
    }
}

/// The monitors of all properties; the run shows them what happens, the world asks them.
#[derive(Clone)]
struct Watch {
    until: RunUntil,
    paths: Vec<String>,
    shared: Arc<Mutex<Watching>>,
}

#[derive(Clone)]
struct Watching {
    watchers: Vec<Watcher>,
    /// Kept only if the run continues to its horizon.
    seen: Vec<(Tag, Vec<f64>)>,
}

#[derive(Clone)]
struct Watcher {
    monitor: PropertyMonitor,
    /// Where its signals are among those the run shows.
    places: Vec<usize>,
    /// Room for their values.
    values: Vec<f64>,
    scale: f64,
}

/// What a watch has seen, saved.
struct SavedWatch {
    monitors: Vec<PropertyMonitor>,
    seen: usize,
}

impl Watch {
    /// Monitors, and the paths they look at.
    fn new(
        campaign: &ResolvedCampaign,
        until: RunUntil,
        monitor: impl Fn(&Question) -> PropertyMonitor,
    ) -> (Vec<String>, Self) {
        let questions = &campaign.questions;
        let all = questions.iter().flat_map(|question| question.property.signals());
        let mut paths: Vec<String> = all.cloned().collect();
        if until == RunUntil::Horizon {
            paths.extend(campaign.inputs.iter().map(|input| input.path.clone()));
        }
        paths.sort();
        paths.dedup();
        let place = |signal: &String| paths.binary_search(signal).expect("it was put there");
        let watcher = |question: &Question| {
            let places: Vec<usize> = question.property.signals().iter().map(place).collect();
            let values = vec![0.0; places.len()];
            Watcher { monitor: monitor(question), places, values, scale: question.scale }
        };
        let watchers = questions.iter().map(watcher).collect();
        let shared = Arc::new(Mutex::new(Watching { watchers, seen: Vec::new() }));
        (paths.clone(), Watch { until, paths, shared })
    }

    fn lock(&self) -> MutexGuard<'_, Watching> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known; of a trace that ended, what is known for good.
    fn judge(&self, end: Option<Time>) -> (Vec<RobustnessInterval>, Vec<Option<bool>>) {
        let judge = |watcher: &Watcher| {
            let mut monitor = watcher.monitor.clone();
            if let Some(end) = end {
                monitor.finish(end);
            }
            let interval = monitor.robustness();
            let (low, high) = (interval.low / watcher.scale, interval.high / watcher.scale);
            (RobustnessInterval { low, high }, monitor.verdict())
        };
        self.lock().watchers.iter().map(judge).unzip()
    }
}

impl Observer for Watch {
    fn see(&mut self, tag: Tag, values: &[f64]) -> ObserverDecision {
        let mut is_decided = true;
        let mut watching = self.lock();
        for watcher in &mut watching.watchers {
            for (value, place) in watcher.values.iter_mut().zip(&watcher.places) {
                *value = values[*place];
            }
            watcher.monitor.see(tag, &watcher.values);
            is_decided &= watcher.monitor.verdict().is_some();
        }
        match self.until {
            RunUntil::Decided if is_decided => return ObserverDecision::Stop,
            RunUntil::Decided => {}
            RunUntil::Horizon => watching.seen.push((tag, values.to_vec())),
        }
        ObserverDecision::Continue
    }

    fn save(&self) -> SavedState {
        let watching = self.lock();
        let monitors = watching.watchers.iter().map(|it| it.monitor.clone()).collect();
        SavedState(Box::new(SavedWatch { monitors, seen: watching.seen.len() }))
    }

    fn restore(&mut self, state: &SavedState) {
        let saved = state.0.downcast_ref::<SavedWatch>().expect("it was saved by a watch");
        let mut watching = self.lock();
        for (watcher, monitor) in watching.watchers.iter_mut().zip(&saved.monitors) {
            watcher.monitor.clone_from(monitor);
        }
        watching.seen.truncate(saved.seen);
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::onto(Vec::new());
        for watcher in &self.lock().watchers {
            writer.part(&watcher.monitor.to_bytes());
        }
        writer.finish()
    }

    fn set_bytes(&mut self, bytes: &[u8]) -> Result<(), &'static str> {
        let mut reader = Reader::bare(bytes);
        let mut watchers = self.lock().watchers.clone();
        for watcher in &mut watchers {
            watcher.monitor.set_bytes(reader.part().map_err(|_| "too short")?)?;
        }
        reader.end().map_err(|_| "too long")?;
        self.lock().watchers = watchers;
        Ok(())
    }
}
