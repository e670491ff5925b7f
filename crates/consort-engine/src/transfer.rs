//! Single transfers between the shared bank and one instance, for everything that is not the hot
//! path: initialization, events, interventions, a caller's `set`.

use crate::compile::batches;
use crate::lane::Lane;
use crate::program::Program;
use consort_core::model::CallResult;
use consort_core::{ModelDescription, VariableId};

/// Hands variables from the shared bank to the instance of a component.
pub(crate) fn set(
    lane: &mut Lane,
    model: &ModelDescription,
    program: &Program,
    component: usize,
    variables: &[VariableId],
) -> CallResult<()> {
    let kept = lane.references.len();
    for id in variables {
        let place = program.places[component][id.index()].expect("what is set has a place");
        lane.bank.put(place.lane, program.shared.get(place.shared()));
    }
    let member = program.homes[component].member;
    let batches = batches(lane, member, variables, model, &program.places[component]);
    let result = batches.into_iter().try_for_each(|batch| lane.set(batch));
    lane.references.truncate(kept);
    result
}

/// Reads variables of a component's instance into the shared bank.
pub(crate) fn get(
    lane: &mut Lane,
    model: &ModelDescription,
    program: &mut Program,
    component: usize,
    variables: &[VariableId],
) -> CallResult<()> {
    let kept = lane.references.len();
    let member = program.homes[component].member;
    let batches = batches(lane, member, variables, model, &program.places[component]);
    let result = batches.into_iter().try_for_each(|batch| lane.get(batch));
    lane.references.truncate(kept);
    result?;
    for id in variables {
        let place = program.places[component][id.index()].expect("what is read has a place");
        program.shared.put(place.shared(), lane.bank.get(place.lane));
    }
    Ok(())
}
