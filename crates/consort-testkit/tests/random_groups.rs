//! Random systems in which components are given by their equations: the judge accepts every plan, and
//! refuses it when anything is taken out of the evaluation of what is integrated as one.
//!
//! `CONSORT_RANDOM_SYSTEMS` says how many systems, `CONSORT_RANDOM_SEED` which is the first.

use consort_check::check_plan;
use consort_core::{Refresh, Report, SolvedBy, SolverKind};
use consort_system::{Operation, Plan, Stage};
use consort_testkit::random_system::{RandomSystem, Shape};

const SYSTEMS: u64 = 1500;

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a whole number"))
}

/// The system of a seed, two thirds of whose components are given by their equations.
fn solved(seed: u64) -> RandomSystem {
    let mut random = RandomSystem::new(seed, &Shape::default());
    for (index, model) in random.models.iter_mut().enumerate() {
        if !(seed + index as u64).is_multiple_of(3) {
            let (settings, tolerance) = (SolverKind::Bdf.into(), 1e-6);
            model.capabilities.refresh = Refresh::AtOnce;
            model.capabilities.save_state = true;
            model.capabilities.solved_by = Some(SolvedBy { settings, tolerance });
        }
    }
    random
}

/// Calls `visit` with each list of stages that is the evaluation of a group.
fn evaluations(stages: &mut [Stage], visit: &mut dyn FnMut(&mut Vec<Stage>)) {
    for stage in stages {
        match stage {
            Stage::Exchange(_) | Stage::Work(_) => {}
            Stage::Iterate(it) => evaluations(&mut it.stages, visit),
            Stage::Attempt { stages, .. } => evaluations(stages, visit),
            Stage::Integrate(it) => visit(&mut it.stages),
        }
    }
}

/// Takes the connection or variable that `left` counts down to out of the stages; false if there are fewer.
fn take_out(stages: &mut [Stage], left: &mut usize) -> bool {
    stages.iter_mut().any(|stage| match stage {
        Stage::Exchange(list) => take(list, left),
        Stage::Work(tasks) => {
            let operations = tasks.iter_mut().flat_map(|task| &mut task.operations);
            operations.into_iter().any(|operation| match operation {
                Operation::Set(list) | Operation::Get(list) => take(list, left),
                Operation::Step | Operation::Tick(_) => false,
            })
        }
        Stage::Iterate(it) => take_out(&mut it.stages, left),
        Stage::Attempt { .. } | Stage::Integrate(_) => panic!("an evaluation has no such stage"),
    })
}

fn take<T>(list: &mut Vec<T>, left: &mut usize) -> bool {
    if list.len() <= *left {
        *left -= list.len();
        return false;
    }
    list.remove(*left);
    true
}

/// The plan without the `nth` thing that its evaluations do.
fn spoiled(plan: &Plan, nth: usize) -> Option<Plan> {
    let (mut plan, mut left, mut is_spoiled) = (plan.clone(), nth, false);
    evaluations(&mut plan.advance, &mut |stages| {
        is_spoiled = is_spoiled || take_out(stages, &mut left);
    });
    is_spoiled.then_some(plan)
}

#[test]
fn nothing_can_be_taken_out_of_an_evaluation() {
    let count = from_environment("CONSORT_RANDOM_SYSTEMS").unwrap_or(SYSTEMS);
    let first = from_environment("CONSORT_RANDOM_SEED").unwrap_or(0);
    let (mut grouped, mut refused) = (0, 0);
    for seed in first..first + count {
        let random = solved(seed);
        let models = random.model_refs();
        let plan = consort_planner::plan(&random.system, &models, &mut Report::default());
        let Some(plan) = plan else { continue };
        let text = |plan: &Plan| plan.to_text(&random.system, &models);
        if let Err(violation) = check_plan(&random.system, &models, &plan) {
            panic!("seed {seed}: {violation}\n{}", text(&plan));
        }
        let spoiled: Vec<Plan> = (0..).map_while(|nth| spoiled(&plan, nth)).collect();
        grouped += u64::from(!spoiled.is_empty());
        for plan in &spoiled {
            let verdict = check_plan(&random.system, &models, plan);
            assert!(verdict.is_err(), "seed {seed}: accepted\n{}", text(plan));
            refused += 1;
        }
    }
    // Otherwise nothing was tested.
    assert!(count / 4 < grouped && count < refused, "{grouped} groups, {refused} spoiled plans");
}
