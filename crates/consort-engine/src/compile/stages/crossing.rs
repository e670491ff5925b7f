//! The values that cross between nodes at an exchange, compiled.

use super::Compiler;
use crate::program::crossing::{Cargo, CrossStage};
use consort_core::ConnectionId;
use consort_system::Crossing;

/// What this node sends and waits for before the present exchange; `None` if that is nothing.
pub(super) fn stage(
    compiler: &mut Compiler<'_>,
    connections: &[ConnectionId],
) -> Option<CrossStage> {
    let (projection, node) = compiler.source.cut?;
    let crossings = projection.crossings.iter().enumerate();
    let here = || crossings.clone().filter(|(_, it)| it.ordinal == compiler.ordinal);
    let cargo = |(index, it): (usize, &Crossing)| cargo(compiler, index, it);
    let sends: Vec<Cargo> = here().filter(|(_, it)| it.from == node).map(cargo).collect();
    let receives: Vec<Cargo> = here().filter(|(_, it)| it.to == node).map(cargo).collect();
    if sends.is_empty() && receives.is_empty() {
        return None;
    }
    let wires = &compiler.source.system.connections;
    let comes = |id: &&ConnectionId| {
        let (from, to) = (wires[id.index()].from.component, wires[id.index()].to.component);
        !compiler.source.is_own(from) && compiler.source.is_own(to)
    };
    let coming: Vec<ConnectionId> = connections.iter().filter(comes).copied().collect();
    Some(CrossStage { sends, receives, exchange: compiler.exchange(&coming) })
}

fn cargo(compiler: &Compiler<'_>, index: usize, crossing: &Crossing) -> Cargo {
    let source = compiler.source;
    let first = &source.system.connections[crossing.connections[0].index()];
    let slot = |id: &ConnectionId| compiler.program.copies[id.index()].from;
    Cargo {
        crossing: index,
        rate: source.rates.of_component[first.from.component.index()],
        is_delayed: first.delay,
        slots: crossing.connections.iter().map(slot).collect(),
    }
}
