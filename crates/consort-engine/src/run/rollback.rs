//! Going back to the start of a step, or of an evaluation: some components only.

use super::Run;
use crate::error::RunError;
use crate::program::rollback::{Rollback, SavedMember};
use consort_core::ComponentId;
use consort_core::model::CallResult;

impl Run {
    /// Saves those of some components that are due, in the order given: that of their ids.
    pub(crate) fn keep_for_rollback(
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
            if self.due[self.rates.of_component[component.index()]] {
                let saved = self.save_member(component);
                into.members
                    .push(saved.map_err(|error| self.call_failed(component.index(), error))?);
            }
        }
        Ok(())
    }

    fn save_member(&mut self, component: ComponentId) -> CallResult<SavedMember> {
        let home = self.program.homes[component.index()];
        let mut lane = self.pool.lane(home.lane);
        let member = &mut lane.members[home.member as usize];
        let state = member.instance.save()?;
        let (next_event, arrival) = (member.next_event, member.arrival);
        Ok(SavedMember { component, state, next_event, arrival })
    }

    /// Goes back to what was saved.
    pub(crate) fn roll_back(&mut self, from: &Rollback) -> Result<(), RunError> {
        for (index, integration) in &from.integrations {
            self.integrations[*index].clone_from(integration);
        }
        for saved in &from.members {
            let home = self.program.homes[saved.component.index()];
            let mut lane = self.pool.lane(home.lane);
            let member = &mut lane.members[home.member as usize];
            member.next_event = saved.next_event;
            member.arrival = saved.arrival;
            let restored = member.instance.restore(&saved.state);
            restored.map_err(|error| self.call_failed(saved.component.index(), error))?;
        }
        Ok(())
    }
}
