//! Components that are integrated as one: who, and how their coupled equations are evaluated.
//!
//! Components that are given by their equations are integrated by a solver of ours. Those that are
//! connected, step alike and ask for the same solver belong together, unless the user wants them
//! apart. Between them values are as continuous as within a model: one evaluation of the whole moves
//! them in the order of their dependencies.

use crate::circle::Circle;
use crate::compose::one_pass;
use crate::dependencies::Moment;
use crate::flow::Flow;
use crate::groups::Groups;
use crate::loops;
use crate::nodes::Names;
use consort_core::{ComponentId, ModelDescription};
use consort_system::{Iteration, LoopPolicy, ResolvedConnection, ResolvedSystem, Together};

/// What each group does in a step.
pub(crate) fn stages(
    system: &ResolvedSystem,
    models: &[&ModelDescription],
    groups: &Groups,
) -> Vec<Together> {
    let names = Names { system, models };
    let together = |first| {
        let flow = flow(&names, groups, first);
        let stages = one_pass(system, &flow, |circle| iteration(&names, circle));
        Together { components: groups.members(first).collect(), stages }
    };
    groups.all().map(together).collect()
}

/// What one evaluation of a group's equations gives and reads.
fn flow(names: &Names<'_>, groups: &Groups, first: ComponentId) -> Flow {
    let is_inner = |wire: &&ResolvedConnection| {
        groups.is_inner(wire) && groups.first(wire.to.component) == first
    };
    Flow::at_once(names, Moment::Tag, is_inner, std::iter::empty())
}

/// A loop within one evaluation is one at the tag as well, where it was refused if it is not to be solved.
fn iteration(names: &Names<'_>, circle: &Circle<'_>) -> Option<Iteration> {
    match loops::policy(names, circle) {
        LoopPolicy::Iterate(iteration) => Some(iteration),
        LoopPolicy::Error | LoopPolicy::Delay => None,
    }
}
