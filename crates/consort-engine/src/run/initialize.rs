//! From models to instances that are ready to step.

mod keeping;

pub(super) use keeping::ParameterCheck;

use super::{Run, RunOptions};
use crate::error::RunError;
use crate::interpreter::{Halt, Interpreter};
use crate::program::Instances;
use crate::program::stage::Stage;
use crate::transfer;
use consort_core::model::CallResult;
use consort_core::{
    CallError, Instantiation, Model, Preparation, Prng, Setup, ValueType, VariableId,
};
use consort_system::{ResolvedComponent, ResolvedSystem};
use std::sync::Arc;

/// Makes an instance per component that lives here, in id order, on this thread: some FMUs depend on
/// the thread that makes them.
pub(crate) fn instantiate(
    system: &ResolvedSystem,
    models: &[Arc<dyn Model>],
    options: &RunOptions,
) -> Result<Instances, RunError> {
    let root = Prng::new(system.experiment.seed);
    let negotiates = system.coupling.variable_step.is_some();
    let make = |(component, model): (&ResolvedComponent, &Arc<dyn Model>)| {
        let instantiation = Instantiation {
            name: &component.name,
            prng: root.split(&component.name),
            log: Arc::clone(&options.log),
            verbose: options.verbose,
            event_mode: component.event_mode,
            early_return: (component.event_mode || negotiates)
                && model.description().capabilities.early_return,
            elsewhere: false,
        };
        model
            .instantiate(&instantiation)
            .map_err(|error| RunError::Instantiate { component: component.name.clone(), error })
    };
    let part = options.part.as_ref();
    let is_own =
        |index: usize| part.is_none_or(|it| it.projection.placement.of_component[index] == it.node);
    let all = system.components.iter().zip(models).enumerate();
    all.map(|(index, pair)| is_own(index).then(|| make(pair)).transpose()).collect()
}

impl Run {
    /// Parameters, start values, initial equations; every instance is ready to step afterwards.
    pub(crate) fn initialize(&mut self, mut stages: Vec<Stage>) -> Result<(), RunError> {
        let setup = self.setup();
        for at in 0..self.interpreter.program.own.len() {
            let index = self.interpreter.program.own[at];
            self.enter(index, &setup)?;
            self.fill_inputs(index);
        }
        // Initial values follow from what the table says of the start, not from start values.
        let run = &mut self.interpreter;
        run.external.feed(setup.start, &mut run.program.shared);
        run.run_stages(&mut stages).map_err(Halt::into_error)?;
        for at in 0..self.interpreter.program.own.len() {
            let index = self.interpreter.program.own[at];
            self.leave(index).map_err(|error| self.failed(index, error))?;
        }
        Ok(())
    }

    fn setup(&self) -> Setup {
        let experiment = &self.system().experiment;
        Setup {
            resolution: experiment.resolution,
            start: experiment.start,
            stop: Some(experiment.stop),
            tolerance: experiment.tolerance,
        }
    }

    fn failed(&self, index: usize, error: Box<CallError>) -> RunError {
        RunError::Initialize {
            component: self.interpreter.executable.name(index).to_owned(),
            error,
        }
    }

    fn enter(&mut self, index: usize, setup: &Setup) -> Result<(), RunError> {
        let run = &self.interpreter;
        let component = &run.executable.system.components[index];
        let preparation = Preparation {
            sets_again: self.parameters.sets_again(index),
            ..component.preparation(run.executable.description(index))
        };
        let entered = run.with_member(index, |it| preparation.enter(&mut *it.instance, setup));
        entered.map_err(|error| match error.call.starts_with("fmi2Set") {
            true => {
                RunError::SetUp { component: component.name.clone(), error, setup: component.setup }
            }
            false => RunError::Initialize { component: component.name.clone(), error },
        })
    }

    /// Until an input is fed, its place holds its start value.
    fn fill_inputs(&mut self, index: usize) {
        let Interpreter { executable, program, .. } = &mut self.interpreter;
        let component = &executable.system.components[index];
        for &id in &program.inputs[index] {
            let place = program.places[index][id.index()].expect("inputs have places");
            let given = component.settings.iter().find(|setting| setting.variable == id);
            let declared = executable.variable(index, id).start.as_ref();
            let Some(values) = given.map(|setting| &setting.values).or(declared) else { continue };
            for element in 0..place.lane.count {
                let from = if values.len() == 1 { 0 } else { element as usize };
                if from < values.len() {
                    program.shared.put(place.shared().part(element, 1), values.slice(from, 1));
                }
            }
        }
    }

    fn leave(&mut self, index: usize) -> CallResult<()> {
        let Interpreter { executable, program, pool, .. } = &mut self.interpreter;
        let home = program.homes[index];
        let mut lane = pool.lane(home.lane);
        let member = &mut lane.members[home.member as usize];
        member.instance.exit_initialization()?;
        member.in_event_mode = member.event_mode;
        let model = executable.description(index);
        let is_read = |id: &VariableId| model.variables[id.index()].value_type != ValueType::Clock;
        let lists = [&program.observed[index], &program.once[index]];
        let list: Vec<VariableId> = lists.into_iter().flatten().copied().filter(is_read).collect();
        transfer::get(&mut lane, model, program, index, &list)
    }
}
