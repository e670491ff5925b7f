//! Going back to the start of a step, or of an evaluation: some components only.

use super::Interpreter;
use crate::error::RunError;
use crate::lane::Member;
use crate::program::rollback::Rollback;
use consort_core::ComponentId;

impl Interpreter {
    /// Saves those of some components that are due, in the order given: that of their ids.
    pub(super) fn keep_for_rollback(
        &mut self,
        components: &[ComponentId],
        into: &mut Rollback,
    ) -> Result<(), RunError> {
        into.clear();
        for (index, members) in self.program.groups.iter().enumerate() {
            if members.iter().any(|member| components.contains(member)) {
                into.integrations.push((index, self.integrations[index].clone()));
            }
        }
        for &component in components {
            if self.clock.has_component(component.index()) {
                let saved = self.with_member(component.index(), Member::save);
                let saved = saved.map_err(|error| self.call_failed(component.index(), error))?;
                into.members.push((component, saved));
            }
        }
        Ok(())
    }

    /// Goes back to what was saved.
    pub(super) fn roll_back(&mut self, from: &Rollback) -> Result<(), RunError> {
        for (index, integration) in &from.integrations {
            self.integrations[*index].clone_from(integration);
        }
        for (component, saved) in &from.members {
            let restored = self.with_member(component.index(), |it| it.restore(saved));
            restored.map_err(|error| self.call_failed(component.index(), error))?;
        }
        Ok(())
    }
}
