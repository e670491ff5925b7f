//! Making a run: instances, program, lanes, and everything that watches.

use super::attempt::StepSize;
use super::crossing::Link;
use super::divergence::Watch;
use super::initialize::{self, Keeping};
use super::interpret::Phase;
use super::ranges::Ranges;
use super::{Advance, Run, RunOptions, together};
use crate::error::RunError;
use crate::executable::Executable;
use crate::feed::FeedProgram;
use crate::intervene::{
    CompiledTrigger, FedBy, FedIndex, Feeder, Intervention, Interventions, Progress, TargetKind,
    TargetState,
};
use crate::pool::Pool;
use crate::program::stage::Stage;
use crate::program::{Program, Source};
use crate::record::{Hashed, Hashes, Recorder, RowContent};
use crate::statistics::Statistics;
use crate::store::Slot;
use crate::timing::Rates;
use consort_core::{
    CancelFlag, ComponentId, ConnectionId, Model, ModelDescription, Step, Tag, Variable, VariableId,
};
use consort_system::{Port, ResolvedIntervention, ResolvedSystem, Target, Trigger};
use consort_trace::standing::{count_column, hash_column};
use consort_trace::{Column, Schema};
use std::sync::Arc;

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
        run.mute();
        run.initialize_all(initialization)?;
        // Instances leave their first event mode at the first tag; nobody is told of it.
        let (recorder, call_log) = (run.recorder.take(), run.call_log.take());
        run.first_tag()?;
        (run.recorder, run.call_log) = (recorder, call_log);
        if let Some(observation) = observation {
            run.watch(observation)?;
        }
        let snapshot = run.deserialize(snapshot)?;
        run.restore(&snapshot)?;
        Ok(run)
    }

    /// A run whose instances are made, and what initializes them.
    pub(crate) fn build(
        executable: &Executable,
        mut options: RunOptions,
    ) -> Result<(Run, Vec<Stage>), RunError> {
        let Executable { system, plan, models } = executable.clone();
        let rates = Rates::of(&system);
        let mut instances = initialize::instantiate(&system, &models, &options)?;
        together::join(&plan.advance, &mut instances);
        let keeping = Keeping::new(&options, system.components.len());
        let part = options.part.take();
        let source = Source {
            system: &system,
            plan: &plan,
            models: &descriptions(&models),
            rates: &rates,
            log_calls: options.call_log.is_some(),
            cut: part.as_ref().map(|part| (&*part.projection, part.node)),
        };
        let (mut program, lanes) = source.place(instances);
        let pool = Pool::new(lanes, options.workers);
        let initialization = source.compile_initialization(&mut program, &pool);
        let watchers = Watchers::of(&source, &program, &mut options);
        let run = Run {
            due: vec![true; rates.list.len()],
            steps: vec![standing(&system); rates.list.len()],
            step_size: StepSize::of(&system),
            negotiates: false,
            phase: Phase::Starting,
            delays_known: false,
            remarkable: false,
            tag: Tag::at(system.experiment.start),
            done: Tag::at(system.experiment.start),
            names: names(&system),
            integrations: Vec::new(),
            cancel: CancelFlag::default(),
            pool,
            hashes: watchers.hashes,
            divergence: watchers.divergence,
            ranges: watchers.ranges,
            accepted: None,
            unmet: None,
            recorder: watchers.recorder,
            interventions: Interventions::default(),
            feed: watchers.feed,
            eventful: Vec::new(),
            ticked: Vec::new(),
            retuned: Vec::new(),
            ending: None,
            call_log: options.call_log.take(),
            observer: None,
            link: part.map(Link::new),
            statistics: Statistics::default(),
            keeping,
            over: None,
            end: None,
            ended: false,
            system,
            plan,
            models,
            program,
            rates,
        };
        Ok((run, initialization))
    }

    /// Initializes all instances; the first tag is yet to come.
    pub(crate) fn initialize_all(&mut self, initialization: Vec<Stage>) -> Result<(), RunError> {
        self.begin_together()?;
        self.initialize(initialization)?;
        self.compile_cycle();
        self.phase = Phase::Present;
        Ok(())
    }

    fn compile_cycle(&mut self) {
        let source = Source {
            system: &self.system,
            plan: &self.plan,
            models: &descriptions(&self.models),
            rates: &self.rates,
            log_calls: self.call_log.is_some(),
            cut: self.link.as_ref().map(|link| link.cut()),
        };
        source.compile_cycle(&mut self.program, &self.pool);
        self.integrations.resize_with(self.program.groups.len(), || None);
        self.interventions = interventions(&source, &self.program);
    }

    fn first_tag(&mut self) -> Result<(), RunError> {
        self.eventful = self.event_components();
        self.publish()?;
        self.reached();
        if self.system.experiment.stop <= self.tag.time {
            self.over = Some(Advance::Finished);
        }
        Ok(())
    }

    /// The parameters of a component that interventions act on.
    pub(crate) fn parameter_targets(&self, component: usize) -> Vec<VariableId> {
        let targets = self.system.interventions.iter().filter_map(|i| match i.target {
            Target::Parameter(port) if port.component.index() == component => Some(port.variable),
            _ => None,
        });
        let mut list: Vec<VariableId> = targets.collect();
        list.sort_unstable();
        list.dedup();
        list
    }
}

fn descriptions(models: &[Arc<dyn Model>]) -> Vec<&ModelDescription> {
    models.iter().map(|model| model.description()).collect()
}

/// No step: for calls that are made at the start.
fn standing(system: &ResolvedSystem) -> Step {
    let start = system.experiment.start;
    let (from, seconds) = (Tag::at(start), system.experiment.resolution.to_f64(start));
    Step { from, to: start, start: seconds, length: 0.0 }
}

fn names(system: &ResolvedSystem) -> std::collections::BTreeMap<String, ComponentId> {
    let components = system.components.iter().enumerate();
    components.map(|(index, c)| (c.name.clone(), ComponentId::from_index(index))).collect()
}

/// What looks at a run or interferes with it.
struct Watchers {
    hashes: Hashes,
    divergence: Watch,
    ranges: Ranges,
    recorder: Option<Recorder>,
    feed: Option<FeedProgram>,
}

impl Watchers {
    fn of(source: &Source<'_>, program: &Program, options: &mut RunOptions) -> Self {
        let hashes = hashes(source, program);
        Watchers {
            recorder: options.recorder.take().map(|sink| {
                let (schema, slots) = schema(source, program, sink.content(), &hashes);
                Recorder::new(schema, slots, sink)
            }),
            hashes,
            divergence: Watch::of(source, program),
            ranges: Ranges::of(source, program),
            feed: FeedProgram::of(source, program),
        }
    }
}

fn slot_of(program: &Program, component: usize, id: VariableId) -> Slot {
    let place = program.places[component][id.index()].expect("what is watched has a place");
    place.shared()
}

fn hashes(source: &Source<'_>, program: &Program) -> Hashes {
    let mut entries = Vec::new();
    for &index in &program.own {
        let component = &source.system.components[index];
        for &id in &component.hashed {
            let variable = &source.models[index].variables[id.index()];
            entries.push(Hashed {
                path: format!("{}.{}", component.name, variable.name),
                slot: slot_of(program, index, id),
                rate: source.rates.of_component[index],
                component: index,
                is_array: !variable.dimensions.is_empty(),
            });
        }
    }
    Hashes::new(entries, source.rates.list.len())
}

/// The recorded columns as a person reads them, component by component, and their places as they lie
/// in the bank, so that a row is a few copies. Where the run stands comes last.
fn schema(
    source: &Source<'_>,
    program: &Program,
    content: RowContent,
    hashes: &Hashes,
) -> (Schema, Vec<Slot>) {
    let (mut columns, mut slots) = (Vec::new(), Vec::new());
    for &index in program.own.iter().filter(|_| content.has_values()) {
        let component = &source.system.components[index];
        let model = source.models[index];
        for &id in &component.recorded {
            let variable = &model.variables[id.index()];
            let dimensions = component.dimensions(model, id);
            columns.push(column(&component.name, variable, model, dimensions));
            slots.push(slot_of(program, index, id));
        }
    }
    let list = hashes.list();
    let standing = list.iter().map(|(path, of, _)| hash_column(path, *of));
    let standing: Vec<Column> = standing.chain(Statistics::COUNTED.map(count_column)).collect();
    if content.has_standing() {
        columns.extend_from_slice(&standing);
    }
    let all = columns.len();
    let schema = Schema::new(source.system.experiment.resolution, columns);
    let schema = schema.expect("the resolver admits unique names and sane sizes only");
    let mut order: Vec<usize> = (0..slots.len()).collect();
    order.sort_by_key(|&index| (slots[index].value_type, slots[index].at));
    let slots = order.iter().map(|&index| slots[index]).collect();
    order.extend(order.len()..all);
    (schema.with_row_order(&order).with_standing(standing), slots)
}

fn column(
    component: &str,
    variable: &Variable,
    model: &ModelDescription,
    dimensions: Vec<u32>,
) -> Column {
    let mut column = Column::new(component, &variable.name, variable.value_type);
    column.dimensions = dimensions;
    column.unit = variable.unit.map(|unit| model.units[unit].name.clone());
    column.variability = variable.variability;
    column.description.clone_from(&variable.description);
    let items = variable.enumeration.map(|index| model.enumerations[index].items.clone());
    column.enumeration = items.unwrap_or_default();
    column
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

/// Whose variable an intervention acts on.
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

/// Who feeds which elements of an input: wires and columns of the table.
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
