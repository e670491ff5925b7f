//! Which targets of interventions get fresh values from which source.

use super::{FedBy, TargetKind, TargetState};
use crate::program::Program;
use crate::program::stage::Stage;
use consort_core::ConnectionId;

/// Elements of a target that are fed together: indices of the target and of its feeder.
pub(crate) type Fed = (usize, usize);

/// Targets by their source.
#[derive(Clone, Debug, Default)]
pub(crate) struct FedIndex {
    /// The fed inputs of each connection, by its number.
    by_connection: Vec<Vec<Fed>>,
    /// The fed outputs of each component.
    by_component: Vec<Vec<Fed>>,
    by_table: Vec<Fed>,
    /// By work stage: outputs that are read there, with their rate.
    by_work: Vec<Vec<(usize, Fed)>>,
    /// Outputs that lanes hold after `advance`, with their rate.
    arriving: Vec<(usize, Fed)>,
}

/// A source of fresh values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fresh<'a> {
    Connections(&'a [ConnectionId]),
    Components(&'a [usize]),
    Table,
    /// The lanes, in a work stage.
    Work(usize),
    /// The lanes, by steps that end now.
    Arriving,
}

impl FedIndex {
    pub(crate) fn of(targets: &[TargetState], program: &Program) -> Self {
        let mut index = FedIndex {
            by_connection: vec![Vec::new(); program.copies.len()],
            by_component: vec![Vec::new(); program.homes.len()],
            ..FedIndex::default()
        };
        for (target, state) in targets.iter().enumerate() {
            for (feeder, fed) in state.feeders.iter().enumerate() {
                match fed.by {
                    FedBy::Connection(id) => index.by_connection[id.index()].push((target, feeder)),
                    FedBy::Component(id) => index.by_component[id].push((target, feeder)),
                    FedBy::Table => index.by_table.push((target, feeder)),
                }
            }
            if state.kind == TargetKind::Output {
                index.take_output(target, state, program);
            }
        }
        index
    }

    /// Notes where an output is read; it has one feeder.
    fn take_output(&mut self, target: usize, state: &TargetState, program: &Program) {
        for arriving in &program.arriving {
            if arriving.gather.iter().any(|segment| segment.covers(state.slot)) {
                self.arriving.push((arriving.rate, (target, 0)));
            }
        }
        for stages in [&program.present, &program.advance] {
            Stage::for_each_work(stages, &mut |work| {
                for share in &work.shares {
                    if share.gather.iter().any(|segment| segment.covers(state.slot)) {
                        let length = self.by_work.len().max(work.index + 1);
                        self.by_work.resize(length, Vec::new());
                        self.by_work[work.index].push((share.rate, (target, 0)));
                    }
                }
            });
        }
    }

    /// Everything that is fresh; `due` says which rates are.
    pub(super) fn visit(&self, fresh: Fresh<'_>, due: &[bool], mut visit: impl FnMut(Fed)) {
        let list = match fresh {
            Fresh::Connections(ids) => {
                let fed = ids.iter().flat_map(|id| &self.by_connection[id.index()]);
                return fed.copied().for_each(visit);
            }
            Fresh::Components(ids) => {
                let fed = ids.iter().flat_map(|&id| &self.by_component[id]);
                return fed.copied().for_each(visit);
            }
            Fresh::Table => return self.by_table.iter().copied().for_each(visit),
            Fresh::Work(work) => self.by_work.get(work).map_or(&[][..], Vec::as_slice),
            Fresh::Arriving => &self.arriving,
        };
        for &(rate, fed) in list {
            if due[rate] {
                visit(fed);
            }
        }
    }
}
