//! From a plan to a program: every name becomes a place in a bank, every operation a batched call.

mod lanes;
mod layout;
mod stages;

use crate::lane::{CallBatch, Lane, Member};
use crate::pool::Pool;
use crate::program::stage::Stage;
use crate::program::{Instances, Program, Source};
use crate::store::{Bank, Segment, Slot};
use consort_core::model::Batch;
use consort_core::{ComponentId, ModelDescription, Reference, VariableId};
use layout::Layout;

impl Source<'_> {
    /// Gives every instance its lane and every value its place; there is nothing to do yet.
    pub(crate) fn place(&self, instances: Instances) -> (Program, Vec<Lane>) {
        let layout = Layout::of(self);
        let assignment = lanes::assign(self);
        let program = layout.place(self, &assignment);
        let mut lanes = self.lanes(&assignment, instances);
        for (lane, members) in lanes.iter_mut().zip(&assignment) {
            lane.bank = layout::lane_bank(members, &program);
        }
        (program, lanes)
    }

    /// What runs once; [`Source::compile_cycle`] replaces it.
    pub(crate) fn compile_initialization(&self, program: &mut Program, pool: &Pool) -> Vec<Stage> {
        stages::initialization(self, program, pool)
    }

    /// What runs at every tag and between tags. Lanes forget what was compiled for them before: a
    /// long chain's initialization takes more room than all the rest.
    pub(crate) fn compile_cycle(&self, program: &mut Program, pool: &Pool) {
        for index in 0..pool.len() {
            let mut lane = pool.lane(index);
            (lane.operations, lane.references) = (Vec::new(), Vec::new());
            lane.batches = Vec::new();
        }
        stages::cycle(self, program, pool);
    }

    fn lanes(&self, assignment: &[Vec<ComponentId>], mut instances: Instances) -> Vec<Lane> {
        let mut lanes = Vec::with_capacity(assignment.len());
        for members in assignment {
            let member = |&component: &ComponentId| Member {
                component,
                instance: instances[component.index()].take().expect("each is in one lane"),
                event_mode: self.system.components[component.index()].event_mode,
                in_event_mode: false,
                next_event: None,
                arrival: None,
            };
            let name = |id: &ComponentId| self.system.components[id.index()].name.clone();
            lanes.push(Lane {
                names: members.iter().map(name).collect(),
                members: members.iter().map(member).collect(),
                bank: Bank::new(),
                references: Vec::new(),
                batches: Vec::new(),
                operations: Vec::new(),
                moved: Vec::new(),
                copies: Vec::new(),
                orders: Vec::with_capacity(self.rates.list.len()),
                resolution: self.system.experiment.resolution,
                error: None,
                log_calls: self.log_calls,
                taken: Vec::new(),
                has_event_or_end: false,
            });
        }
        lanes
    }
}

/// Groups variables of one instance into calls: one per type and stretch side by side.
pub(crate) fn batches(
    lane: &mut Lane,
    member: u32,
    variables: &[VariableId],
    model: &ModelDescription,
    places: &[Option<Segment>],
) -> Vec<CallBatch> {
    let mut placed: Vec<(Slot, Reference)> = variables
        .iter()
        .map(|id| {
            let place = places[id.index()].expect("whatever is set or read has a place");
            (place.lane, model.variables[id.index()].reference)
        })
        .collect();
    placed.sort_by_key(|(slot, _)| (slot.value_type, slot.at));
    let mut batches: Vec<Batch> = Vec::new();
    for (slot, reference) in placed {
        let references_at = u32::try_from(lane.references.len()).expect("fits in 32 bits");
        lane.references.push(reference);
        match batches.last_mut() {
            Some(last) if last.value_type == slot.value_type && last.at + last.count == slot.at => {
                last.count += slot.count;
                last.references += 1;
            }
            _ => batches.push(slot.batch(references_at)),
        }
    }
    batches.into_iter().map(|batch| CallBatch { member, batch }).collect()
}
