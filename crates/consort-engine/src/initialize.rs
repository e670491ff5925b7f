//! From models to instances that are ready to step.

use crate::compile::{Program, Source};
use crate::error::RunError;
use crate::feed::FeedProgram;
use crate::lane::{Lane, Member};
use crate::run::RunOptions;
use crate::{exchange, transfer};
use consort_core::model::CallResult;
use consort_core::{
    CallError, Causality, ConnectionId, Instance, Instantiation, Model, Prng, Setup, ValueType,
    Values, VariableId,
};
use consort_system::{Operation, ResolvedComponent, ResolvedSystem, Setting, Stage, Task};
use std::sync::Arc;

/// Makes an instance per component, in id order, on this thread: some FMUs care where they are made.
pub(crate) fn instantiate(
    system: &ResolvedSystem,
    models: &[Arc<dyn Model>],
    options: &RunOptions,
) -> Result<Vec<Box<dyn Instance>>, RunError> {
    let root = Prng::new(system.experiment.seed);
    let make = |(component, model): (&ResolvedComponent, &Arc<dyn Model>)| {
        let instantiation = Instantiation {
            name: &component.name,
            prng: root.split(&component.name),
            log: Arc::clone(&options.log),
            verbose: options.verbose,
            event_mode: component.event_mode,
            early_return: component.event_mode && model.description().capabilities.early_return,
        };
        model
            .instantiate(&instantiation)
            .map_err(|error| RunError::Instantiate { component: component.name.clone(), error })
    };
    system.components.iter().zip(models).map(make).collect()
}

/// The lanes while they are still in one hand.
pub(crate) struct Initialization<'a> {
    pub(crate) source: &'a Source<'a>,
    pub(crate) program: &'a mut Program,
    pub(crate) lanes: &'a mut [Lane],
}

impl Initialization<'_> {
    /// Parameters, start values, initial equations; every instance is ready to step afterwards.
    pub(crate) fn run(&mut self) -> Result<(), RunError> {
        let count = self.source.system.components.len();
        let setup = self.setup();
        for index in 0..count {
            self.enter(index, &setup).map_err(|error| self.failed(index, error))?;
            self.fill_inputs(index);
        }
        self.fill_fed_inputs();
        self.stages(&self.source.plan.initialization)?;
        for index in 0..count {
            self.leave(index).map_err(|error| self.failed(index, error))?;
        }
        Ok(())
    }

    fn setup(&self) -> Setup {
        let experiment = &self.source.system.experiment;
        Setup {
            resolution: experiment.resolution,
            start: experiment.start,
            stop: Some(experiment.stop),
            tolerance: experiment.tolerance,
        }
    }

    fn member(&mut self, index: usize) -> &mut Member {
        let home = self.program.homes[index];
        &mut self.lanes[home.lane].members[home.member as usize]
    }

    fn failed(&self, index: usize, error: Box<CallError>) -> RunError {
        RunError::Initialize { component: self.source.system.components[index].name.clone(), error }
    }

    /// Structural parameters, then parameters and start values, then (in initialization mode, where
    /// both versions of FMI want them) the start values of inputs.
    fn enter(&mut self, index: usize, setup: &Setup) -> CallResult<()> {
        let component = &self.source.system.components[index];
        let variables = &self.source.models[index].variables;
        let instance = &mut self.member(index).instance;
        let set = |instance: &mut Box<dyn Instance>, setting: &Setting| {
            let reference = variables[setting.variable.index()].reference;
            instance.set(&[reference], setting.values.view())
        };
        if !component.structural.is_empty() {
            instance.enter_configuration()?;
            component.structural.iter().try_for_each(|setting| set(instance, setting))?;
            instance.exit_configuration()?;
        }
        let is_input =
            |setting: &&Setting| variables[setting.variable.index()].causality == Causality::Input;
        let (inputs, others): (Vec<&Setting>, Vec<&Setting>) =
            component.settings.iter().partition(is_input);
        others.into_iter().try_for_each(|setting| set(instance, setting))?;
        instance.enter_initialization(setup)?;
        inputs.into_iter().try_for_each(|setting| set(instance, setting))
    }

    /// Until somebody feeds an input, its place holds its start value.
    fn fill_inputs(&mut self, index: usize) {
        let component = &self.source.system.components[index];
        for &id in &self.program.inputs[index] {
            let place = self.program.places[index][id.index()].expect("inputs have places");
            let given = component.settings.iter().find(|setting| setting.variable == id);
            let declared = self.source.models[index].variables[id.index()].start.as_ref();
            let Some(values) = given.map(|setting| &setting.values).or(declared) else { continue };
            for element in 0..place.lane.count {
                let from = if values.len() == 1 { 0 } else { element as usize };
                if from < values.len() {
                    self.program.shared.put(place.shared().part(element, 1), values.slice(from, 1));
                }
            }
        }
    }

    /// Initial values follow from what the table says of the start, not from start values.
    fn fill_fed_inputs(&mut self) {
        if let Some(mut feed) = FeedProgram::of(self.source, self.program) {
            feed.run(self.source.system.experiment.start, &mut self.program.shared);
        }
    }

    fn stages(&mut self, stages: &[Stage]) -> Result<(), RunError> {
        for stage in stages {
            match stage {
                Stage::Exchange(connections) => self.exchange(connections),
                Stage::Work(tasks) => self.work(tasks)?,
                Stage::Iterate(it) => self.settle(&it.stages, it.iteration.limit)?,
                Stage::Attempt { .. } => unreachable!("nothing steps in initialization"),
            }
        }
        Ok(())
    }

    fn exchange(&mut self, connections: &[ConnectionId]) {
        for connection in connections {
            let op = self.program.copies[connection.index()];
            exchange::copy(&mut self.program.shared, &op);
        }
    }

    fn work(&mut self, tasks: &[Task]) -> Result<(), RunError> {
        for task in tasks {
            let index = task.component.index();
            for operation in &task.operations {
                let done = match operation {
                    Operation::Set(variables) => self.set(index, variables),
                    Operation::Get(variables) => self.get(index, variables),
                    Operation::Step | Operation::Tick(_) => {
                        unreachable!("nothing moves in initialization")
                    }
                };
                done.map_err(|error| self.failed(index, error))?;
            }
        }
        Ok(())
    }

    fn settle(&mut self, stages: &[Stage], limit: u32) -> Result<(), RunError> {
        let inputs = self.exchanged_inputs(stages);
        let mut before = self.values(&inputs);
        let mut almost = false;
        for _ in 0..limit {
            self.stages(stages)?;
            let after = self.values(&inputs);
            let mut pairs = before.iter().zip(&after);
            if pairs.clone().all(|(before, after)| before.view().is_same(after.view())) {
                return Ok(());
            }
            almost = pairs.all(|(before, after)| is_almost_same(before, after));
            before = after;
        }
        if almost {
            return Ok(());
        }
        let inputs = inputs.iter().map(|&id| self.connection_target(id)).collect();
        Err(RunError::InitialValuesDoNotSettle { rounds: limit, inputs })
    }

    fn exchanged_inputs(&self, stages: &[Stage]) -> Vec<ConnectionId> {
        let connections = stages.iter().filter_map(|stage| match stage {
            Stage::Exchange(connections) => Some(connections),
            _ => None,
        });
        connections.flatten().copied().collect()
    }

    fn values(&self, connections: &[ConnectionId]) -> Vec<Values> {
        let slots = connections.iter().map(|id| self.program.copies[id.index()].to);
        slots.map(|slot| self.program.shared.get(slot).to_values()).collect()
    }

    fn connection_target(&self, id: ConnectionId) -> String {
        let to = self.source.system.connections[id.index()].to;
        let component = &self.source.system.components[to.component.index()].name;
        let model = self.source.models[to.component.index()];
        format!("{component}.{}", model.variables[to.variable.index()].name)
    }

    fn set(&mut self, index: usize, variables: &[VariableId]) -> CallResult<()> {
        let home = self.program.homes[index];
        let lane = &mut self.lanes[home.lane];
        transfer::set(lane, self.source.models[index], self.program, index, variables)
    }

    fn get(&mut self, index: usize, variables: &[VariableId]) -> CallResult<()> {
        let home = self.program.homes[index];
        let lane = &mut self.lanes[home.lane];
        transfer::get(lane, self.source.models[index], self.program, index, variables)
    }

    fn leave(&mut self, index: usize) -> CallResult<()> {
        let member = self.member(index);
        member.instance.exit_initialization()?;
        member.in_event_mode = member.event_mode;
        let variables = &self.source.models[index].variables;
        let is_read = |id: &VariableId| variables[id.index()].value_type != ValueType::Clock;
        let lists = [&self.program.observed[index], &self.program.once[index]];
        let list: Vec<VariableId> = lists.into_iter().flatten().copied().filter(is_read).collect();
        self.get(index, &list)
    }
}

/// Whether two rounds differ by the last bits of doubles only, which a loop that has found its
/// solution may go on to exchange for ever.
fn is_almost_same(before: &Values, after: &Values) -> bool {
    const LAST_BITS: f64 = 1e-14;
    match (before, after) {
        (Values::Float64(before), Values::Float64(after)) => {
            before.iter().zip(after).all(|(before, after)| {
                let scale = before.abs().max(after.abs());
                before.to_bits() == after.to_bits() || (before - after).abs() <= LAST_BITS * scale
            })
        }
        _ => before.view().is_same(after.view()),
    }
}
