//! What happens at a tag before the next steps: see the crate's documentation.

use super::interpret::Halt;
use super::{Retuned, Run};
use crate::error::RunError;
use crate::exchange;
use crate::feed::FeedParameter;
use crate::intervene::{Begun, Fresh};
use consort_core::{ComponentId, Step, Tag, VariableId};

impl Run {
    pub(crate) fn publish(&mut self) -> Result<(), RunError> {
        self.feed_inputs()?;
        if !self.interventions.is_empty() {
            let begun = self.interventions.begin_timed(self.tag.time, &mut self.program.shared);
            self.hand_over_parameters(&begun)?;
        }
        self.let_cross(true);
        self.compute_present(self.tag)?;
        self.let_cross(false);
        if !self.interventions.is_empty() {
            self.begin_conditional()?;
            self.interventions.settle(&self.program.shared);
        }
        for rate in 0..self.due.len() {
            if self.due[rate] {
                self.hashes.absorb_rate(rate, self.tag, &self.program.shared);
            }
        }
        self.record_row();
        self.look_at_ranges(self.tag, false);
        self.look_for_divergence(self.tag, false)?;
        if !self.eventful.is_empty() {
            self.handle_events()?;
        }
        self.keep_delayed();
        Ok(())
    }

    fn handle_events(&mut self) -> Result<(), RunError> {
        let iterated = self.iterate_events(self.tag)?;
        self.tag = iterated.tag;
        if let Some(component) = iterated.terminated {
            self.end_at(self.tag, ComponentId::from_index(component));
        }
        Ok(())
    }

    /// Runs the program of the tag. It steps nothing, so it may run again when something changed.
    fn compute_present(&mut self, tag: Tag) -> Result<(), RunError> {
        if !self.program.refreshed.is_empty() {
            let start = self.system.experiment.resolution.to_f64(tag.time);
            self.stand_still(Step { from: tag, to: tag.time, start, length: 0.0 });
        }
        let mut stages = std::mem::take(&mut self.program.present);
        let result = self.run_stages(&mut stages);
        self.program.present = stages;
        result.map_err(Halt::into_error)
    }

    /// Conditions look at what everybody sees, so they are asked when all values are known; what
    /// begins by them may change these values, and with them other conditions.
    fn begin_conditional(&mut self) -> Result<(), RunError> {
        loop {
            let begun = self.interventions.begin_conditional(&mut self.program.shared);
            if !begun.any {
                return Ok(());
            }
            self.hand_over_parameters(&begun)?;
            self.compute_present(self.tag)?;
        }
    }

    fn hand_over_parameters(&mut self, begun: &Begun) -> Result<(), RunError> {
        for &component in &begun.retuned {
            let parameters = self.parameter_targets(component);
            self.retune(component, &parameters)?;
        }
        Ok(())
    }

    /// Hands over parameters as the shared bank has them.
    fn retune(&mut self, component: usize, parameters: &[VariableId]) -> Result<(), RunError> {
        // FMI 3 takes tunable parameters in event mode from those who use it.
        if !self.system.components[component].event_mode {
            return self.hand_over(component, parameters);
        }
        let retuned = |&variable| Retuned { component, variable, values: None };
        self.retuned.extend(parameters.iter().map(retuned));
        Ok(())
    }

    fn feed_inputs(&mut self) -> Result<(), RunError> {
        let Some(feed) = &mut self.feed else { return Ok(()) };
        feed.run(self.tag.time, &mut self.program.shared);
        for at in 0..feed.parameters.len() {
            self.feed_parameter(at)?;
        }
        self.adjust(Fresh::Table);
        Ok(())
    }

    /// A tunable parameter is handed over where its value changes.
    fn feed_parameter(&mut self, at: usize) -> Result<(), RunError> {
        let Some(feed) = &self.feed else { return Ok(()) };
        if !feed.put_parameter(at, &mut self.program.shared) {
            return Ok(());
        }
        let FeedParameter { component, variable, .. } = feed.parameters[at];
        self.retune(component, &[variable])
    }

    /// Publishes what some components did at a microstep.
    pub(crate) fn publish_components(
        &mut self,
        components: &[usize],
        tag: Tag,
    ) -> Result<(), RunError> {
        self.adjust(Fresh::Components(components));
        for &component in components {
            for index in 0..self.program.outgoing[component].len() {
                let connection = self.program.outgoing[component][index];
                let op = self.program.copies[connection.index()];
                exchange::copy(&mut self.program.shared, &op);
                self.adjust(Fresh::Connections(&[connection]));
            }
        }
        if self.program.refreshed.is_empty() {
            self.hashes.absorb_components(components, tag, &self.program.shared);
        } else {
            self.refresh(components, tag)?;
        }
        let present = std::mem::replace(&mut self.tag, tag);
        self.record_row();
        self.tag = present;
        self.look_at_ranges(tag, true);
        self.look_for_divergence(tag, true)
    }

    /// Components whose outputs follow inputs at once follow the events of others.
    fn refresh(&mut self, components: &[usize], tag: Tag) -> Result<(), RunError> {
        self.compute_present(tag)?;
        let due = |index: &&usize| self.due[self.rates.of_component[**index]];
        let refreshed = self.program.refreshed.iter().filter(due);
        let mut changed: Vec<usize> = refreshed.chain(components).copied().collect();
        changed.sort_unstable();
        changed.dedup();
        self.hashes.absorb_components(&changed, tag, &self.program.shared);
        Ok(())
    }

    /// Delayed connections hand over at the next tag of their source what it has now.
    fn keep_delayed(&mut self) {
        for delay in self.program.delays.iter().filter(|delay| self.due[delay.rate]) {
            exchange::copy(&mut self.program.shared, &delay.keep);
        }
        self.delays_known = true;
    }

    /// Hands the rows that were recorded so far to whoever writes them, before there are enough of them. To
    /// be called between two calls of [`Run::advance`], where everything up to the present tag is done.
    pub fn hand_over_rows(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            recorder.hand_over_done((&self.hashes, &self.statistics));
        }
    }

    fn record_row(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            let standing = (&self.hashes, &self.statistics);
            recorder.record(self.tag, &self.program.shared, standing);
        }
        self.show(self.tag);
    }
}
