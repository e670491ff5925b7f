//! Directional derivatives, from the Jacobians that were found symbolically.

use super::state::State;
use super::work::Work;
use consort_core::model::CallResult;
use consort_core::{CallError, CallStatus, Reference};
use consort_equations::{Equations, ModelPart};

const CALL: &str = "compute directional derivatives";

/// The derivative of `unknowns` in the direction `seed` of `knowns`.
pub(super) fn directional(
    equations: &Equations,
    (state, work): (&State, &mut Work),
    (unknowns, sensitivity): (&[Reference], &mut [f64]),
    (knowns, seed): (&[Reference], &[f64]),
) -> CallResult<()> {
    let asked = seeds(equations, work, knowns, seed)?;
    let is = |wanted: fn(ModelPart) -> bool| {
        unknowns.iter().any(|it| equations.part(it.0 as usize).is_some_and(wanted))
    };
    let rows = [
        is(|part| matches!(part, ModelPart::Derivative(_))),
        is(|part| matches!(part, ModelPart::Output(_))),
    ];
    let programs = &equations.programs;
    let jacobians = [
        [&programs.state_jacobian, &programs.input_jacobian],
        [&programs.output_jacobian, &programs.feedthrough],
    ];
    let Work { jacobians: rooms, seeds, found, .. } = work;
    for (row, pair) in jacobians.iter().enumerate().filter(|(row, _)| rows[*row]) {
        found[row].fill(0.0);
        for (column, jacobian) in pair.iter().enumerate().filter(|(column, _)| asked[*column]) {
            let entries = rooms[2 * row + column].ask(&jacobian.program, state);
            jacobian.add_product(entries, &seeds[column], &mut found[row]);
        }
    }
    for (unknown, result) in unknowns.iter().zip(sensitivity) {
        *result = match equations.part(unknown.0 as usize) {
            Some(ModelPart::Derivative(at)) => found[0][at],
            Some(ModelPart::Output(at)) => found[1][at],
            Some(ModelPart::State(at)) => seeds[0][at],
            // What changes at events only does not change with states and inputs.
            Some(ModelPart::Discrete(_)) => 0.0,
            _ => return Err(no_part(*unknown, "has no derivatives")),
        };
    }
    Ok(())
}

/// Spreads a direction over states and inputs; which of the two are in it.
fn seeds(
    equations: &Equations,
    work: &mut Work,
    knowns: &[Reference],
    seed: &[f64],
) -> CallResult<[bool; 2]> {
    let mut asked = [false; 2];
    for seeds in &mut work.seeds {
        seeds.fill(0.0);
    }
    for (known, seed) in knowns.iter().zip(seed) {
        let (kind, at) = match equations.part(known.0 as usize) {
            Some(ModelPart::State(at)) => (0, at),
            Some(ModelPart::Input(at)) => (1, at),
            _ => return Err(no_part(*known, "is neither state nor input")),
        };
        work.seeds[kind][at] = *seed;
        asked[kind] = true;
    }
    Ok(asked)
}

fn no_part(reference: Reference, what: &str) -> Box<CallError> {
    let reason = format!("the variable with reference {} {what}", reference.0);
    CallError::new(CALL, CallStatus::Refused(reason))
}
