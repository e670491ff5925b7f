//! Which instances run one after another.

use crate::program::Source;
use consort_core::ComponentId;
use std::collections::BTreeMap;

/// Instances that share nothing are dealt out to this many lanes: enough for the cores of a
/// workstation, and a fixed number, so that the lanes do not depend on the machine.
const FREE_LANES: usize = 16;

/// The members of each lane, in id order; lanes in the order of their first member.
pub(super) fn assign(source: &Source<'_>) -> Vec<Vec<ComponentId>> {
    let mut keyed: BTreeMap<&str, Vec<ComponentId>> = BTreeMap::new();
    let mut free = Vec::new();
    for (index, (component, model)) in
        source.system.components.iter().zip(source.models).enumerate()
    {
        let id = ComponentId::from_index(index);
        if !source.is_own(id) {
            continue;
        }
        match &model.capabilities.lane {
            Some(key) if !component.concurrent => keyed.entry(key).or_default().push(id),
            _ => free.push(id),
        }
    }
    let share = free.len().div_ceil(FREE_LANES).max(1);
    let mut lanes: Vec<Vec<ComponentId>> = keyed.into_values().collect();
    lanes.extend(free.chunks(share).map(<[ComponentId]>::to_vec));
    lanes.sort_by_key(|members| members[0]);
    lanes
}
