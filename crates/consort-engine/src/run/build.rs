//! Making a run: instances, program, lanes, and everything that watches.

use super::trace::TraceState;
use super::{Advance, Ending, Events, ParameterCheck, Run, RunOptions, initialize};
use crate::clock::Clock;
use crate::error::RunError;
use crate::executable::Executable;
use crate::external::External;
use crate::feed::FeedProgram;
use crate::interpreter::{self, Interpreter, Link};
use crate::intervene::{
    CompiledTrigger, FedBy, FedIndex, Feeder, Intervention, Interventions, Progress, TargetKind,
    TargetState,
};
use crate::pool::Pool;
use crate::program::stage::Stage;
use crate::program::{Program, Source};
use crate::store::Slot;
use crate::timing::Rates;
use consort_core::{ComponentId, ConnectionId};
use consort_system::{Port, ResolvedIntervention, Target, Trigger};

impl Run {
    /// Makes an instance per component, initializes them, and does the first tag.
    ///
    /// # Errors
    /// If an instance cannot be made or initialized; all that were made are ended then.
    ///
    /// # Panics
    /// If its parts do not belong together.
    pub fn start(executable: &Executable, mut options: RunOptions) -> Result<Run, RunError> {
        let observation = options.observer.take();
        let (mut run, initialization) = Self::build(executable, options)?;
        run.initialize_all(initialization)?;
        let mut run = run.keep_parameters()?;
        if let Some(observation) = observation {
            run.watch(observation)?;
        }
        run.first_tag()?;
        Ok(run)
    }

    /// Goes on, with new instances, from a snapshot that [`Run::serialize`] made of a run of the same
    /// executable. Only what happens after the snapshot is recorded and observed, but
    /// hashes, and what an observer knows, are those of the whole run.
    ///
    /// # Errors
    /// If an instance cannot be made, initialized or restored, or the bytes are no such snapshot.
    ///
    /// # Panics
    /// If its parts do not belong together.
    pub fn resume(
        executable: &Executable,
        mut options: RunOptions,
        snapshot: &[u8],
    ) -> Result<Run, RunError> {
        let observation = options.observer.take();
        let (mut run, initialization) = Self::build(executable, options)?;
        run.interpreter.mute();
        run.initialize_all(initialization)?;
        // Instances leave their first event mode at the first tag; it is not recorded.
        let sinks = run.trace.take_sinks();
        run.first_tag()?;
        run.trace.set_sinks(sinks);
        if let Some(observation) = observation {
            run.watch(observation)?;
        }
        let snapshot = run.deserialize(snapshot)?;
        run.restore(&snapshot)?;
        Ok(run)
    }

    /// A run whose instances are made, and what initializes them.
    pub(super) fn build(
        executable: &Executable,
        mut options: RunOptions,
    ) -> Result<(Run, Vec<Stage>), RunError> {
        let executable = executable.clone();
        let (system, plan) = (&executable.system, &executable.plan);
        let rates = Rates::of(system);
        let mut instances = initialize::instantiate(system, &executable.models, &options)?;
        interpreter::join(&plan.advance, &mut instances);
        let parameters = ParameterCheck::new(&options, system.components.len());
        let part = options.part.take();
        let source = Source {
            system,
            plan,
            models: &executable.descriptions(),
            rates: &rates,
            log_calls: options.call_log.is_some(),
            cut: part.as_ref().map(|part| (&*part.projection, part.node)),
        };
        let (mut program, lanes) = source.place(instances);
        let pool = Pool::new(lanes, options.workers);
        let initialization = source.compile_initialization(&mut program, &pool);
        let trace = TraceState::new(&source, &program, &mut options);
        let feed = FeedProgram::of(&source, &program);
        let external = External { feed, interventions: Interventions::default() };
        let clock = Clock::new(system, rates);
        let mut interpreter = Interpreter::new(executable, program, pool, clock, external);
        interpreter.link = part.map(Link::new);
        let (events, ending) = (Events::default(), Ending::default());
        let run = Run { interpreter, events, trace, ending, parameters, is_closed: false };
        Ok((run, initialization))
    }

    /// Initializes all instances; the first tag is yet to come.
    pub(super) fn initialize_all(&mut self, initialization: Vec<Stage>) -> Result<(), RunError> {
        self.interpreter.begin_together()?;
        self.initialize(initialization)?;
        self.compile_cycle();
        Ok(())
    }

    fn compile_cycle(&mut self) {
        let log_calls = self.trace.logs_calls();
        let Interpreter { executable, program, pool, clock, external, link, .. } =
            &mut self.interpreter;
        let source = Source {
            system: &executable.system,
            plan: &executable.plan,
            models: &executable.descriptions(),
            rates: clock.rates(),
            log_calls,
            cut: link.as_ref().map(|link| link.cut()),
        };
        source.compile_cycle(program, pool);
        external.interventions = interventions(&source, program);
        self.interpreter.end_initialization();
    }

    fn first_tag(&mut self) -> Result<(), RunError> {
        self.events = Events::of(&self.interpreter);
        self.publish()?;
        self.interpreter.reached();
        if self.system().experiment.stop <= self.tag().time {
            self.ending.conclude(Advance::Finished);
        }
        Ok(())
    }
}

fn interventions(source: &Source<'_>, program: &Program) -> Interventions {
    let mut result = Interventions::default();
    let is_own = |it: &&ResolvedIntervention| source.is_own(owner(source, it.target));
    for intervention in source.system.interventions.iter().filter(is_own) {
        let (slot, kind, feeders) = target(source, program, intervention.target);
        let same = |state: &TargetState| state.slot == slot && state.kind == kind;
        let known = result.targets.iter().position(same);
        let target = known.unwrap_or_else(|| {
            result.targets.push(TargetState::new(slot, kind, feeders));
            result.targets.len() - 1
        });
        let trigger = match &intervention.trigger {
            Trigger::At(time) => CompiledTrigger::At(*time),
            Trigger::When(condition) => CompiledTrigger::When {
                slot: program.port(condition.port),
                comparison: condition.comparison,
                number: condition.number,
            },
        };
        let effect = intervention.effect.clone();
        let progress = Progress::Waiting;
        result.list.push(Intervention { trigger, target, effect, progress });
    }
    if !result.is_empty() {
        result.index = FedIndex::of(&result.targets, program);
    }
    result
}

/// The component whose variable an intervention acts on.
fn owner(source: &Source<'_>, target: Target) -> ComponentId {
    match target {
        Target::Output(port) | Target::Parameter(port) | Target::Input(port) => port.component,
        Target::Connection(id) => source.system.connections[id.index()].to.component,
    }
}

fn target(
    source: &Source<'_>,
    program: &Program,
    target: Target,
) -> (Slot, TargetKind, Vec<Feeder>) {
    let (port, kind, feeders) = match target {
        Target::Output(port) => {
            let by = FedBy::Component(port.component.index());
            (port, TargetKind::Output, vec![Feeder { first: 0, count: port.count, by }])
        }
        Target::Parameter(port) => {
            (port, TargetKind::Parameter { component: port.component.index() }, Vec::new())
        }
        Target::Connection(id) => {
            let port = source.system.connections[id.index()].to;
            (port, TargetKind::Input, feeders(source, port))
        }
        Target::Input(port) => (port, TargetKind::Input, feeders(source, port)),
    };
    (program.port(port), kind, feeders)
}

/// The sources of the elements of an input: wires and columns of the table.
fn feeders(source: &Source<'_>, port: Port) -> Vec<Feeder> {
    let system = source.system;
    let wires = system.connections.iter().enumerate();
    let wires =
        wires.map(|(index, wire)| (wire.to, FedBy::Connection(ConnectionId::from_index(index))));
    let columns = system.feed.iter().flat_map(|feed| &feed.columns);
    let columns = columns.map(|column| (column.to, FedBy::Table));
    let feeder = |(to, by): (Port, FedBy)| {
        let same = to.component == port.component && to.variable == port.variable;
        let first = to.first.max(port.first);
        let end = (to.first + to.count).min(port.first + port.count);
        let shared = same && first < end;
        shared.then(|| Feeder { first: first - port.first, count: end - first, by })
    };
    wires.chain(columns).filter_map(feeder).collect()
}
