//! A run: a value its caller drives.

mod build;
mod finish;

use crate::compile::Program;
use crate::error::RunError;
use crate::events::EventComponent;
use crate::feed::FeedProgram;
use crate::intervene::{Interventions, Which};
use crate::pool::Pool;
use crate::record::{ChunkSink, Hashes, Recorder};
use crate::timing::Rates;
use crate::transfer;
use consort_core::{
    Causality, ComponentId, LogSink, Model, Step, StepOutcome, Tag, Time, Values, Variability,
    VariableId,
};
use consort_system::ResolvedSystem;
use std::collections::BTreeMap;
use std::sync::Arc;

pub use finish::{Statistics, Summary};

/// How a run is carried out; nothing here changes what it computes.
pub struct RunOptions {
    /// How many threads work on lanes, the caller's among them.
    pub workers: usize,
    /// Where instances' log lines and the engine's remarks go.
    pub log: LogSink,
    /// Instances shall log all they can.
    pub verbose: bool,
    /// Who writes the trace down; `None` if nobody does.
    pub recorder: Option<Box<dyn ChunkSink>>,
    /// Who is told of every step; `None` if nobody is.
    pub call_log: Option<Box<dyn CallSink>>,
}

/// Told of every step that every instance took, in id order per tag.
pub trait CallSink: Send {
    /// A step was taken.
    fn step(&mut self, component: &str, step: &Step, outcome: &StepOutcome);
}

/// How far a run came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Advance {
    /// The time asked for; there is more to come.
    Reached,
    /// The end of the experiment.
    Finished,
    /// A component asked for the run to end.
    Terminated {
        /// Which one.
        component: String,
    },
}

/// A system being executed.
///
/// Dropping a run ends its instances; [`Run::finish`] does so and tells what happened.
pub struct Run {
    pub(crate) system: ResolvedSystem,
    pub(crate) models: Vec<Arc<dyn Model>>,
    pub(crate) program: Program,
    pub(crate) pool: Pool,
    pub(crate) rates: Rates,
    /// By rate: its components have fresh values at the present tag.
    pub(crate) due: Vec<bool>,
    pub(crate) tag: Tag,
    pub(crate) hashes: Hashes,
    pub(crate) recorder: Option<Recorder>,
    pub(crate) interventions: Interventions,
    pub(crate) feed: Option<FeedProgram>,
    pub(crate) eventful: Vec<EventComponent>,
    /// Components whose clocks ticked at the present time already.
    pub(crate) ticked: Vec<usize>,
    /// Parameters of components in event mode that changed and were not handed over yet.
    pub(crate) retuned: Vec<(usize, VariableId)>,
    /// When a component asked for the run to end, and which.
    pub(crate) ending: Option<(Time, ComponentId)>,
    pub(crate) names: BTreeMap<String, ComponentId>,
    pub(crate) call_log: Option<Box<dyn CallSink>>,
    pub(crate) statistics: Statistics,
    pub(crate) over: Option<Advance>,
    pub(crate) ended: bool,
}

impl Run {
    /// The present tag: everything up to it was computed, hashed and recorded.
    pub fn tag(&self) -> Tag {
        self.tag
    }

    /// The system being run.
    pub fn system(&self) -> &ResolvedSystem {
        &self.system
    }

    /// Moves on until every tag up to and including `until` is done, or the run is over.
    ///
    /// # Errors
    /// If an instance fails. The run cannot go on then; [`Run::finish`] still works.
    pub fn advance(&mut self, until: Time) -> Result<Advance, RunError> {
        while self.over.is_none() {
            if self.system.experiment.stop <= self.tag.time {
                self.over = Some(Advance::Finished);
            } else if until < self.rates.after(self.tag.time) {
                return Ok(Advance::Reached);
            } else {
                self.tick()?;
            }
        }
        Ok(self.over.clone().expect("the loop ends when the run is over"))
    }

    /// From one tag to the next.
    fn tick(&mut self) -> Result<(), RunError> {
        self.statistics.tags += 1;
        self.begin_steps();
        self.pool.work();
        self.collect_remarks()?;
        let next = self.rates.next();
        if self.ends_by(next - Time::from_ticks(1)) {
            return Ok(()); // values at `next` would be those of a component that stopped before
        }
        self.tag = Tag::at(next);
        for (due, rate) in self.due.iter_mut().zip(&self.rates.list) {
            *due = rate.due == self.tag.time;
        }
        self.gather();
        self.publish()?;
        self.ends_by(self.tag.time);
        Ok(())
    }

    /// Whether a component asked for the end at `time` or earlier; the run is over then.
    fn ends_by(&mut self, time: Time) -> bool {
        let Some((_, component)) = self.ending.filter(|(end, _)| *end <= time) else {
            return false;
        };
        let component = self.system.components[component.index()].name.clone();
        self.over.get_or_insert(Advance::Terminated { component });
        true
    }

    /// Hands every lane its inputs and the steps that begin now.
    fn begin_steps(&mut self) {
        let resolution = self.system.experiment.resolution;
        let start = resolution.to_f64(self.tag.time);
        for index in 0..self.pool.len() {
            let mut lane = self.pool.lane(index);
            for (rate_index, rate) in self.rates.list.iter().enumerate() {
                let due = rate.due == self.tag.time;
                lane.steps[rate_index] = due.then(|| rate.step_from(self.tag, start, resolution));
                if due {
                    for segment in &self.program.scatter[index][rate_index] {
                        lane.bank.put(segment.lane, self.program.shared.get(segment.shared()));
                    }
                }
            }
        }
        for rate in &mut self.rates.list {
            if rate.due == self.tag.time {
                rate.due = rate.due + rate.period;
            }
        }
    }

    /// Failures (the smallest component id wins), requests to end (the earliest, then the smallest
    /// id), and the call log.
    fn collect_remarks(&mut self) -> Result<(), RunError> {
        let mut failure: Option<(ComponentId, RunError)> = None;
        for index in 0..self.pool.len() {
            let mut lane = self.pool.lane(index);
            if std::mem::take(&mut lane.remarkable) {
                self.ending = [self.ending, lane.asked_to_end()].into_iter().flatten().min();
            }
            if let Some((component, error)) = lane.failure.take()
                && failure.as_ref().is_none_or(|(first, _)| component < *first)
            {
                failure = Some((component, error));
            }
        }
        self.tell_calls();
        failure.map_or(Ok(()), |(_, error)| Err(error))
    }

    fn tell_calls(&mut self) {
        let Some(sink) = &mut self.call_log else { return };
        let mut taken = Vec::new();
        for index in 0..self.pool.len() {
            taken.append(&mut self.pool.lane(index).taken);
        }
        taken.sort_by_key(|taken| taken.component);
        for call in &taken {
            let name = &self.system.components[call.component.index()].name;
            sink.step(name, &call.step, &call.outcome);
        }
    }

    /// Collects what the steps that end now brought.
    fn gather(&mut self) {
        for index in 0..self.pool.len() {
            let lane = self.pool.lane(index);
            for (rate, _) in self.due.iter().enumerate().filter(|(_, due)| **due) {
                for segment in &self.program.gather[index][rate] {
                    self.program.shared.put(segment.shared(), lane.bank.get(segment.lane));
                }
            }
        }
    }

    /// Everything that happens at a tag before the next steps: see the crate's documentation.
    pub(crate) fn publish(&mut self) -> Result<(), RunError> {
        self.begin_interventions()?;
        self.exchange_due();
        for rate in 0..self.due.len() {
            if self.due[rate] {
                self.hashes.absorb_rate(rate, self.tag, &self.program.shared);
            }
        }
        self.record_row();
        if !self.eventful.is_empty() {
            let iterated = self.iterate_events(self.tag)?;
            self.tag = iterated.tag;
            if let Some(component) = iterated.terminated {
                let component = self.system.components[component].name.clone();
                self.over.get_or_insert(Advance::Terminated { component });
            }
        }
        Ok(())
    }

    fn begin_interventions(&mut self) -> Result<(), RunError> {
        if self.interventions.is_empty() {
            return Ok(());
        }
        // Conditions look at what everybody sees, so what is in force is applied before, and what
        // begins now after; by then nothing is fresh any more.
        self.adjust(Which::Outputs, None);
        let shared = &mut self.program.shared;
        for component in self.interventions.begin_due(self.tag.time, shared) {
            let parameters = self.parameter_targets(component);
            // FMI 3 takes tunable parameters in event mode from those who use it.
            match self.system.components[component].event_mode {
                true => self.retuned.extend(parameters.into_iter().map(|id| (component, id))),
                false => self.hand_over(component, &parameters)?,
            }
        }
        self.adjust(Which::Outputs, Some(&[]));
        Ok(())
    }

    /// Applies interventions; `fresh` lists the components with new values, `None` all that are due.
    fn adjust(&mut self, which: Which, fresh: Option<&[usize]>) {
        if self.interventions.is_empty() {
            return;
        }
        let (due, rates) = (&self.due, &self.rates);
        let is_fresh = |component: usize| match fresh {
            Some(list) => list.binary_search(&component).is_ok(),
            None => due[rates.of_component[component]],
        };
        self.interventions.apply(which, &is_fresh, &mut self.program.shared);
    }

    fn exchange_due(&mut self) {
        for (rate, _) in self.due.iter().enumerate().filter(|(_, due)| **due) {
            self.program.exchanges[rate].run(&mut self.program.shared);
        }
        let resolution = self.system.experiment.resolution;
        for (rate, slopes) in self.program.slopes.iter_mut().enumerate() {
            for slope in slopes {
                slope.run(self.tag.time, self.due[rate], resolution, &mut self.program.shared);
            }
        }
        self.adjust_inputs(None);
    }

    fn adjust_inputs(&mut self, fresh: Option<&[usize]>) {
        if let Some(feed) = &mut self.feed {
            feed.run(self.tag.time, &mut self.program.shared);
        }
        self.adjust(Which::Inputs, fresh);
    }

    /// Publishes what some components did at a microstep.
    pub(crate) fn publish_components(&mut self, components: &[usize], tag: Tag) {
        self.adjust(Which::Outputs, Some(components));
        for connection in components.iter().flat_map(|&index| &self.program.outgoing[index]) {
            let op = &self.program.copies[connection.index()];
            crate::exchange::copy(&mut self.program.shared, op);
        }
        self.adjust_inputs(Some(components));
        self.hashes.absorb_components(components, tag, &self.program.shared);
        let present = std::mem::replace(&mut self.tag, tag);
        self.record_row();
        self.tag = present;
    }

    fn record_row(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            recorder.record(self.tag, &self.program.shared);
        }
    }

    fn hand_over(&mut self, component: usize, variables: &[VariableId]) -> Result<(), RunError> {
        let model = self.models[component].description();
        let mut lane = self.pool.lane(self.program.homes[component].lane);
        let result = transfer::set(&mut lane, model, &self.program, component, variables);
        result.map_err(|error| RunError::Call {
            component: self.system.components[component].name.clone(),
            tag: self.tag,
            error,
        })
    }

    /// The value of `component.variable` as of the present tag; `None` if nobody looks at it.
    pub fn get(&self, path: &str) -> Option<Values> {
        let (component, variable) = self.find(path)?;
        let place = self.program.places[component][variable.index()]?;
        Some(self.program.shared.get(place.shared()).to_values())
    }

    /// Gives an input or tunable parameter a value, from the next step on. What feeds an input goes
    /// on feeding it.
    ///
    /// # Errors
    /// If there is no such variable, it cannot be set now, or the instance refuses.
    pub fn set(&mut self, path: &str, values: &Values) -> Result<(), RunError> {
        let no = |reason| RunError::NoSuchVariable { path: path.to_owned(), reason };
        let (component, id) = self.find(path).ok_or_else(|| no("is not in this system"))?;
        let place = self.program.places[component][id.index()]
            .ok_or_else(|| no("is neither connected, fed, recorded nor intervened on"))?;
        let variable = &self.models[component].description().variables[id.index()];
        let is_tunable = variable.causality == Causality::Parameter
            && variable.variability == Variability::Tunable;
        if variable.causality != Causality::Input && !is_tunable {
            return Err(no("is neither an input nor a tunable parameter"));
        }
        let fits =
            place.lane.value_type == values.value_type() && place.lane.count() == values.len();
        if !fits {
            return Err(no("has another type or number of elements"));
        }
        self.program.shared.put(place.shared(), values.view());
        let in_event_mode = self.system.components[component].event_mode
            && variable.variability != Variability::Continuous;
        match in_event_mode {
            // Found changed, and handed over, at the next tag.
            true if !is_tunable => Ok(()),
            true => {
                self.retuned.push((component, id));
                Ok(())
            }
            false => self.hand_over(component, &[id]),
        }
    }

    fn find(&self, path: &str) -> Option<(usize, VariableId)> {
        let (component, variable) = path.split_once('.')?;
        let component = self.names.get(component)?.index();
        Some((component, self.models[component].description().variable(variable)?))
    }
}
