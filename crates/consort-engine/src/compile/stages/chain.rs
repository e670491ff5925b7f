//! Work that goes on in the same lane: components of one lane that step one after another, as in Gauss-Seidel
//! order, become one stage. The lane itself then moves the values between them, and nothing goes through the shared bank.

use super::{Compiler, Which, WorkPlace};
use crate::exchange::CopyOp;
use crate::lane::{LaneMoves, LaneOp};
use crate::program::stage::{ExchangeStage, Share, Stage, WorkStage};
use crate::store::{Segment, Slot};
use consort_core::{ComponentId, ConnectionId, VariableId};
use consort_system::{Operation, Port, Stage as Planned, Task};
use std::collections::BTreeMap;

/// How often each input is set in a program.
pub(super) type SetCounts = BTreeMap<(ComponentId, VariableId), u32>;

/// Counts them, inner stages included.
pub(super) fn count_sets(stages: &[Planned], counts: &mut SetCounts) {
    for stage in stages {
        match stage {
            Planned::Exchange(_) => {}
            Planned::Work(tasks) => {
                let inputs = tasks.iter().flat_map(sets);
                inputs.for_each(|input| *counts.entry(input).or_default() += 1);
            }
            Planned::Iterate(it) => count_sets(&it.stages, counts),
            Planned::Attempt { stages, .. } => count_sets(stages, counts),
            Planned::Integrate(it) => count_sets(&it.stages, counts),
        }
    }
}

fn sets(task: &Task) -> impl Iterator<Item = (ComponentId, VariableId)> + '_ {
    let sets = task.operations.iter().filter_map(|operation| match operation {
        Operation::Set(variables) => Some(variables),
        _ => None,
    });
    sets.flatten().map(|&variable| (task.component, variable))
}

impl Compiler<'_> {
    /// Adds work to the last stage but one if what is exchanged in between, the last one, stays in its lane. False, and
    /// nothing done, if it does not.
    pub(super) fn continue_work(&mut self, compiled: &mut Vec<Stage>, tasks: &[Task]) -> bool {
        let [.., Stage::Work(last), Stage::Exchange(exchange)] = &compiled[..] else {
            return false;
        };
        let Some(place) = self.place_to_continue(last, exchange, tasks) else { return false };
        let connections: Vec<ConnectionId> =
            exchange.moves.iter().flat_map(|it| it.exchange.connections.iter().copied()).collect();
        compiled.pop();
        let Some(Stage::Work(last)) = compiled.last_mut() else { return false };
        self.move_in_lane(place.lane, &connections);
        let mut sorted: Vec<&Task> = tasks.iter().collect();
        sorted.sort_by_key(|task| task.component);
        let share = self.share(place, &sorted);
        last.shares[0].append(share);
        true
    }

    /// Where both pieces of work are done, if they can be one. Sources must have been read before in the same
    /// stage, and inputs be set in this work only: what others see is then the same. Interventions act on values
    /// that are exchanged.
    fn place_to_continue(
        &self,
        last: &WorkStage,
        exchange: &ExchangeStage,
        tasks: &[Task],
    ) -> Option<WorkPlace> {
        let [share] = &last.shares[..] else { return None };
        let place = WorkPlace { lane: share.lane, rate: share.rate };
        let is_there = |id: ComponentId| self.source.is_own(id) && self.work_place(id) == place;
        let counts: SetCounts = tasks.iter().flat_map(sets).map(|input| (input, 1)).collect();
        let stays = |id: &ConnectionId| {
            let wire = &self.source.system.connections[id.index()];
            let target = (wire.to.component, wire.to.variable);
            let from = self.program.port(wire.from);
            is_there(wire.from.component)
                && counts.contains_key(&target)
                && self.set_counts.get(&target) == Some(&1)
                && share.gather.iter().any(|segment| segment.covers(from))
        };
        let is_plain = self.which == Which::Advance
            && self.source.system.interventions.is_empty()
            && exchange.slopes.is_empty()
            && tasks.iter().all(|task| is_there(task.component))
            && exchange.moves.iter().all(|it| it.rate == place.rate && !it.is_delayed)
            && exchange.moves.iter().flat_map(|it| &it.exchange.connections).all(stays);
        is_plain.then_some(place)
    }

    /// Lets values move along connections within a lane.
    fn move_in_lane(&self, lane: usize, connections: &[ConnectionId]) {
        let index = |count: usize| u32::try_from(count).expect("connections fit in 32 bits");
        let mut plain: Vec<CopyOp> = Vec::new();
        let mut lane = self.pool.lane(lane);
        for id in connections {
            let wire = &self.source.system.connections[id.index()];
            let (from, to) = (self.lane_port(wire.from), self.lane_port(wire.to));
            let copy = CopyOp { from, to, conversion: wire.conversion };
            if copy.is_plain_scalar() {
                plain.push(copy);
                continue;
            }
            let at = index(lane.copies.len());
            lane.copies.push(copy);
            lane.operations.push(LaneOp::Copy(at));
        }
        plain.sort_by_key(|copy| copy.from.value_type);
        for group in plain.chunk_by(|a, b| a.from.value_type == b.from.value_type) {
            let start = index(lane.moved.len());
            lane.moved.extend(group.iter().map(|copy| (copy.from.at, copy.to.at)));
            let (value_type, end) = (group[0].from.value_type, index(lane.moved.len()));
            lane.operations.push(LaneOp::Move(LaneMoves { value_type, start, end }));
        }
    }

    /// Where a port's elements are in the bank of their lane.
    fn lane_port(&self, port: Port) -> Slot {
        let place = self.program.places[port.component.index()][port.variable.index()];
        let place = place.expect("every port has a place");
        place.lane.part(port.first, port.count)
    }
}

impl Share {
    /// Goes on with what another share does, whose operations follow.
    fn append(&mut self, next: Share) {
        self.operations.end = next.operations.end;
        for (own, more) in [(&mut self.scatter, next.scatter), (&mut self.gather, next.gather)] {
            own.extend(more);
            *own = Segment::joined(std::mem::take(own));
        }
    }
}
