//! What happens at a tag before the next steps: see the crate's documentation.

use super::{Advance, PendingDiscreteInput, Run};
use crate::error::RunError;
use crate::exchange;
use crate::feed::FeedParameter;
use crate::interpreter::Halt;
use crate::intervene::{Begun, Fresh};
use consort_core::{ComponentId, ObserverDecision, Tag, VariableId};
use consort_system::Target;

impl Run {
    /// Computes, hashes and records the values of the present tag, and handles its events.
    pub(super) fn publish(&mut self) -> Result<(), RunError> {
        let tag = self.tag();
        self.feed_inputs()?;
        self.begin_timed()?;
        self.interpreter.enable_crossings(true);
        self.compute_present(tag)?;
        self.interpreter.enable_crossings(false);
        self.begin_conditional()?;
        self.trace.absorb_due(&self.interpreter);
        self.record_row(tag);
        self.trace.inspect(tag, &self.interpreter, false)?;
        if !self.events.is_empty() {
            self.handle_events()?;
        }
        self.keep_delayed();
        Ok(())
    }

    fn handle_events(&mut self) -> Result<(), RunError> {
        let iterated = self.iterate_events(self.tag())?;
        self.interpreter.clock.move_to_microstep(iterated.tag);
        if let Some(component) = iterated.terminated {
            self.end_at(iterated.tag, ComponentId::from_index(component));
        }
        Ok(())
    }

    /// Runs the program of the tag.
    fn compute_present(&mut self, tag: Tag) -> Result<(), RunError> {
        if !self.interpreter.program.refreshed.is_empty() {
            self.interpreter.clock.stand_still(tag);
        }
        self.interpreter.run_present().map_err(Halt::into_error)
    }

    /// Interventions whose time has come begin.
    fn begin_timed(&mut self) -> Result<(), RunError> {
        let run = &mut self.interpreter;
        let interventions = &mut run.external.interventions;
        if interventions.is_empty() {
            return Ok(());
        }
        let begun = interventions.begin_timed(run.clock.time(), &mut run.program.shared);
        self.hand_over_parameters(&begun)
    }

    /// Conditions look at what all components see, so they are asked when all values are known; what
    /// begins by them may change these values, and with them other conditions.
    fn begin_conditional(&mut self) -> Result<(), RunError> {
        if self.interpreter.external.interventions.is_empty() {
            return Ok(());
        }
        loop {
            let run = &mut self.interpreter;
            let interventions = &mut run.external.interventions;
            let begun = interventions.begin_conditional(&mut run.program.shared);
            if !begun.any {
                interventions.settle(&run.program.shared);
                return Ok(());
            }
            self.hand_over_parameters(&begun)?;
            self.compute_present(self.tag())?;
        }
    }

    fn hand_over_parameters(&mut self, begun: &Begun) -> Result<(), RunError> {
        for &component in &begun.changed_parameters {
            let parameters = self.parameter_targets(component);
            self.hand_over(component, &parameters)?;
        }
        Ok(())
    }

    /// The parameters of a component that interventions act on.
    fn parameter_targets(&self, component: usize) -> Vec<VariableId> {
        let targets = self.system().interventions.iter().filter_map(|it| match it.target {
            Target::Parameter(port) if port.component.index() == component => Some(port.variable),
            _ => None,
        });
        let mut list: Vec<VariableId> = targets.collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Hands over parameters as the shared bank has them.
    fn hand_over(&mut self, component: usize, parameters: &[VariableId]) -> Result<(), RunError> {
        // FMI 3 takes tunable parameters in event mode from those who use it.
        if !self.system().components[component].event_mode {
            return self.interpreter.hand_over(component, parameters);
        }
        for &variable in parameters {
            self.events.add_input(PendingDiscreteInput { component, variable, values: None });
        }
        Ok(())
    }

    /// Fills inputs and parameters from the table.
    fn feed_inputs(&mut self) -> Result<(), RunError> {
        let run = &mut self.interpreter;
        let time = run.clock.time();
        if !run.external.feed(time, &mut run.program.shared) {
            return Ok(());
        }
        let parameters = run.external.feed.as_ref().map_or(0, |feed| feed.parameters.len());
        for at in 0..parameters {
            self.feed_parameter(at)?;
        }
        self.interpreter.adjust(Fresh::Table);
        Ok(())
    }

    /// A tunable parameter is handed over where its value changes.
    fn feed_parameter(&mut self, at: usize) -> Result<(), RunError> {
        let Some(feed) = &self.interpreter.external.feed else { return Ok(()) };
        if !feed.put_parameter(at, &mut self.interpreter.program.shared) {
            return Ok(());
        }
        let FeedParameter { component, variable, .. } = feed.parameters[at];
        self.hand_over(component, &[variable])
    }

    /// Publishes what some components did at a microstep.
    pub(super) fn publish_components(
        &mut self,
        components: &[usize],
        tag: Tag,
    ) -> Result<(), RunError> {
        let run = &mut self.interpreter;
        run.adjust(Fresh::Components(components));
        for &component in components {
            for index in 0..run.program.outgoing[component].len() {
                let connection = run.program.outgoing[component][index];
                let op = run.program.copies[connection.index()];
                exchange::copy(&mut run.program.shared, &op);
                run.adjust(Fresh::Connections(&[connection]));
            }
        }
        if run.program.refreshed.is_empty() {
            self.trace.absorb_components(components, tag, &run.program.shared);
        } else {
            self.refresh(components, tag)?;
        }
        self.record_row(tag);
        self.trace.inspect(tag, &self.interpreter, true)
    }

    /// Components whose outputs follow inputs at once follow the events of others.
    fn refresh(&mut self, components: &[usize], tag: Tag) -> Result<(), RunError> {
        self.compute_present(tag)?;
        let run = &self.interpreter;
        let is_due = |index: &&usize| run.clock.has_component(**index);
        let refreshed = run.program.refreshed.iter().filter(is_due);
        let mut changed: Vec<usize> = refreshed.chain(components).copied().collect();
        changed.sort_unstable();
        changed.dedup();
        self.trace.absorb_components(&changed, tag, &run.program.shared);
        Ok(())
    }

    /// Delayed connections hand over at the next tag of their source what it has now.
    fn keep_delayed(&mut self) {
        let run = &mut self.interpreter;
        for delay in run.program.delays.iter().filter(|delay| run.clock.is_due(delay.rate)) {
            exchange::copy(&mut run.program.shared, &delay.keep);
        }
        run.clock.keep_previous();
    }

    /// Hands the rows that were recorded so far to their writer, before there are enough of them. To
    /// be called between two calls of [`Run::advance`], where everything up to the present tag is done.
    pub fn hand_over_rows(&mut self) {
        self.trace.hand_over_done(&self.interpreter.statistics);
    }

    fn record_row(&mut self, tag: Tag) {
        if self.trace.record(tag, &self.interpreter) == ObserverDecision::Stop {
            self.ending.conclude(Advance::Decided);
        }
    }
}
