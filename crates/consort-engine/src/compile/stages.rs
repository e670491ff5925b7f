//! The stages of a plan's programs, compiled.

mod chain;
mod crossing;

use super::batches;
use crate::exchange::{Exchange, SlopeMemory, SlopeOp};
use crate::lane::{CallBatch, LaneOp, Whole};
use crate::pool::Pool;
use crate::program::attempt::{Attempt, Constraint, Seen};
use crate::program::iterate::Loop;
use crate::program::stage::{Arriving, ExchangeStage, Moves, Share, Stage, WorkStage};
use crate::program::together::Together;
use crate::program::{Program, Source};
use crate::store::{Segment, Slot};
use consort_core::{Causality, ComponentId, ConnectionId, ValueType, Variability, VariableId};
use consort_system::{
    Hold, Operation, ResolvedConnection, Stage as Planned, Task, Together as Planning,
};

use chain::SetCounts;

pub(super) fn initialization(
    source: &Source<'_>,
    program: &mut Program,
    pool: &Pool,
) -> Vec<Stage> {
    Compiler::new(source, program, pool, Which::Starting).program(&source.plan.initialization)
}

pub(super) fn cycle(source: &Source<'_>, program: &mut Program, pool: &Pool) {
    let mut compiler = Compiler::new(source, program, pool, Which::Present);
    compiler.slopes = compiler.slopes();
    compiler.ordinal = exchanges(&source.plan.initialization);
    let present = compiler.program(&source.plan.present);
    compiler.which = Which::Advance;
    chain::count_sets(&source.plan.advance, &mut compiler.set_counts);
    let advance = compiler.program(&source.plan.advance);
    program.arriving = arriving(&advance);
    program.refreshed = refreshed(&source.plan.present);
    program.refreshed.retain(|index| program.own.binary_search(index).is_ok());
    (program.present, program.advance) = (present, advance);
    if !matches!(program.advance[..], [Stage::Work(_)]) {
        program.ahead = program.shared.clone();
    }
}

pub(super) struct Compiler<'a> {
    source: &'a Source<'a>,
    program: &'a mut Program,
    pool: &'a Pool,
    /// Inputs that are extrapolated, in the order of the program's slopes.
    slopes: Vec<Slope>,
    /// How many work stages were compiled.
    works: usize,
    which: Which,
    /// What is compiled runs at every evaluation of a solver.
    is_brief: bool,
    /// How many exchanges there were before, outside of loops, in all programs.
    ordinal: u32,
    /// How often each input is set in `advance`.
    set_counts: SetCounts,
}

/// The program being compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Starting,
    Present,
    Advance,
}

/// An input whose slope is handed over with it.
#[derive(Clone, Copy)]
struct Slope {
    connection: ConnectionId,
    /// Where the slope is.
    place: Segment,
}

/// Where tasks run: those of one lane and one rate form a share of work.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct WorkPlace {
    lane: usize,
    rate: usize,
}

impl<'a> Compiler<'a> {
    fn new(source: &'a Source<'a>, program: &'a mut Program, pool: &'a Pool, which: Which) -> Self {
        Compiler {
            source,
            program,
            pool,
            slopes: Vec::new(),
            works: 0,
            which,
            is_brief: false,
            ordinal: 0,
            set_counts: SetCounts::new(),
        }
    }

    /// A whole program: of one node, what lives there, and what crosses before each exchange.
    fn program(&mut self, stages: &[Planned]) -> Vec<Stage> {
        let mut compiled = Vec::with_capacity(stages.len());
        for stage in stages {
            if let Planned::Exchange(connections) = stage {
                let crossing = crossing::stage(self, connections);
                compiled.extend(crossing.map(|it| Stage::Cross(Box::new(it))));
                self.ordinal += 1;
            }
            if let Planned::Work(tasks) = stage
                && self.continue_work(&mut compiled, tasks)
            {
                continue;
            }
            if self.is_ours(stage) {
                compiled.push(self.stage(stage));
            }
        }
        compiled
    }

    /// Whether a stage has anything to do here. What is solved, tried or integrated is on one node.
    fn is_ours(&self, stage: &Planned) -> bool {
        match stage {
            Planned::Exchange(_) | Planned::Work(_) => true,
            Planned::Iterate(it) => it.unknowns.iter().all(|id| {
                self.source.is_own(self.source.system.connections[id.index()].to.component)
            }),
            Planned::Attempt { components, .. } => {
                components.iter().all(|&id| self.source.is_own(id))
            }
            Planned::Integrate(it) => it.components.iter().all(|&id| self.source.is_own(id)),
        }
    }

    fn stages(&mut self, stages: &[Planned]) -> Vec<Stage> {
        stages.iter().map(|stage| self.stage(stage)).collect()
    }

    fn stage(&mut self, stage: &Planned) -> Stage {
        match stage {
            Planned::Exchange(connections) => {
                let wires = &self.source.system.connections;
                let is_own = |id: &&ConnectionId| {
                    let wire = &wires[id.index()];
                    [wire.from, wire.to].iter().all(|port| self.source.is_own(port.component))
                };
                let own: Vec<ConnectionId> = connections.iter().filter(is_own).copied().collect();
                Stage::Exchange(self.exchange(&own))
            }
            Planned::Work(tasks) => Stage::Work(self.work(tasks)),
            Planned::Iterate(it) => {
                let stages = self.stages(&it.stages);
                Stage::Iterate(Box::new(Loop::new(it, stages, self.source, self.program)))
            }
            Planned::Attempt { components, stages } => {
                let stages = self.stages(stages);
                let outputs = self.real_outputs();
                let constraints = &self.source.system.coupling.constraints;
                let constraints = Constraint::all(constraints, self.program);
                let looks_ahead = components.len() == self.source.system.components.len();
                Stage::Attempt(Box::new(Attempt::new(
                    components.clone(),
                    stages,
                    Seen { outputs, constraints, looks_ahead },
                )))
            }
            Planned::Integrate(it) => Stage::Integrate(Box::new(self.together(it))),
        }
    }

    fn together(&mut self, it: &Planning) -> Together {
        self.is_brief = true;
        let while_time_goes_on = self.without_discrete(&it.stages);
        let stages = [self.stages(&while_time_goes_on), self.stages(&it.stages)];
        self.is_brief = false;
        let together = Together::new(it, stages, self.source, self.program);
        self.program.groups.push(it.components.clone());
        together
    }

    /// The same without setting what may change at events only.
    fn without_discrete(&self, stages: &[Planned]) -> Vec<Planned> {
        let mut stages = stages.to_vec();
        for stage in &mut stages {
            match stage {
                Planned::Work(tasks) => tasks.iter_mut().for_each(|it| self.keep_continuous(it)),
                Planned::Iterate(it) => it.stages = self.without_discrete(&it.stages),
                Planned::Exchange(_) | Planned::Attempt { .. } | Planned::Integrate(_) => {}
            }
        }
        stages
    }

    fn keep_continuous(&self, task: &mut Task) {
        let variables = &self.source.models[task.component.index()].variables;
        let is_continuous = |id: &VariableId| {
            let variable = &variables[id.index()];
            variable.variability == Variability::Continuous && variable.value_type.is_float()
        };
        for operation in &mut task.operations {
            if let Operation::Set(list) = operation {
                list.retain(is_continuous);
            }
        }
    }

    pub(super) fn exchange(&mut self, connections: &[ConnectionId]) -> ExchangeStage {
        let key = |id: &ConnectionId| {
            let wire = &self.source.system.connections[id.index()];
            (self.source.rates.of_component[wire.from.component.index()], wire.delay)
        };
        let mut sorted = connections.to_vec();
        sorted.sort_by_key(key);
        let groups = sorted.chunk_by(|a, b| key(a) == key(b));
        let moves = groups.map(|group| {
            let (rate, is_delayed) = key(&group[0]);
            Moves { rate, is_delayed, exchange: Exchange::of(group, &self.program.copies) }
        });
        let mut stage = ExchangeStage { moves: moves.collect(), slopes: Vec::new() };
        for &id in connections {
            if self.which == Which::Present {
                let slope = self.slopes.iter().position(|slope| slope.connection == id);
                stage.slopes.extend(slope);
            }
        }
        stage
    }

    fn work(&mut self, tasks: &[Task]) -> WorkStage {
        let key = |task: &&Task| self.work_place(task.component);
        let own = tasks.iter().filter(|task| self.source.is_own(task.component));
        let mut sorted: Vec<&Task> = own.collect();
        sorted.sort_by_key(|task| (key(task), task.component));
        let groups: Vec<(WorkPlace, &[&Task])> =
            sorted.chunk_by(|a, b| key(a) == key(b)).map(|group| (key(&group[0]), group)).collect();
        let shares = groups.into_iter().map(|(place, tasks)| self.share(place, tasks)).collect();
        self.works += 1;
        WorkStage { index: self.works - 1, is_brief: self.is_brief, shares }
    }

    fn work_place(&self, component: ComponentId) -> WorkPlace {
        let index = component.index();
        let (lane, rate) = (self.program.homes[index].lane, self.source.rates.of_component[index]);
        WorkPlace { lane, rate }
    }

    fn share(&mut self, place: WorkPlace, tasks: &[&Task]) -> Share {
        let WorkPlace { lane, rate } = place;
        let start = self.pool.lane(lane).operations.len();
        let (mut scatter, mut gather) = (Vec::new(), Vec::new());
        for task in tasks {
            self.task(lane, task, &mut scatter, &mut gather);
        }
        Share {
            lane,
            rate,
            operations: start..self.pool.lane(lane).operations.len(),
            scatter: Segment::joined(scatter),
            gather: Segment::joined(gather),
        }
    }

    fn task(
        &mut self,
        lane: usize,
        task: &Task,
        scatter: &mut Vec<Segment>,
        gather: &mut Vec<Segment>,
    ) {
        let start = self.pool.lane(lane).operations.len();
        for operation in &task.operations {
            match operation {
                Operation::Set(variables) => {
                    scatter.extend(self.places(task, variables));
                    let batches = self.batches(lane, task, variables);
                    let batches = batches.into_iter().map(LaneOp::Set);
                    self.pool.lane(lane).operations.extend(batches);
                    self.set_slopes(lane, task, variables, scatter);
                }
                Operation::Get(variables) => {
                    gather.extend(self.places(task, variables));
                    let batches = self.batches(lane, task, variables);
                    let batches = batches.into_iter().map(LaneOp::Get);
                    self.pool.lane(lane).operations.extend(batches);
                }
                Operation::Step => self.step(lane, task),
                Operation::Tick(clock) => {
                    let component = &self.source.system.components[task.component.index()];
                    assert!(component.event_mode, "only event mode knows clocks");
                    self.program.ticks.push((task.component, *clock));
                }
            }
        }
        Whole::join(&mut self.pool.lane(lane), start);
    }

    fn step(&mut self, lane: usize, task: &Task) {
        assert!(self.which == Which::Advance, "only `advance` steps");
        let member = self.program.homes[task.component.index()].member;
        let event_mode = self.source.system.components[task.component.index()].event_mode;
        let careful = self.source.log_calls || event_mode;
        let step = if careful { LaneOp::CarefulStep(member) } else { LaneOp::Step(member) };
        self.pool.lane(lane).operations.push(step);
    }

    fn places(&self, task: &Task, variables: &[VariableId]) -> Vec<Segment> {
        let places = &self.program.places[task.component.index()];
        let place = |id: &VariableId| places[id.index()].expect("what is set or read has a place");
        variables.iter().map(place).collect()
    }

    fn batches(&self, lane: usize, task: &Task, variables: &[VariableId]) -> Vec<CallBatch> {
        let index = task.component.index();
        let member = self.program.homes[index].member;
        let model = self.source.models[index];
        batches(&mut self.pool.lane(lane), member, variables, model, &self.program.places[index])
    }

    /// Places for the slopes of the inputs that are extrapolated.
    fn slopes(&mut self) -> Vec<Slope> {
        let wires = self.source.system.connections.iter().enumerate();
        let wires = wires
            .filter(|(index, wire)| self.is_extrapolated(ConnectionId::from_index(*index), wire));
        let wires: Vec<(usize, &ResolvedConnection)> = wires.collect();
        wires.into_iter().map(|(index, wire)| self.slope(index, wire)).collect()
    }

    /// A reactive input has its value of the end of the step already: there is nothing to
    /// extrapolate.
    fn is_extrapolated(&self, id: ConnectionId, wire: &ResolvedConnection) -> bool {
        let index = wire.to.component.index();
        let input = self.program.places[index][wire.to.variable.index()];
        let input = input.expect("connected inputs have places").lane;
        wire.hold == Hold::Extrapolate
            && self.source.is_own(wire.to.component)
            && 0 < self.source.models[index].capabilities.input_derivatives_max
            && input.value_type == ValueType::Float64
            && input.count == 1
            && !is_exchanged(&self.source.plan.advance, id)
    }

    fn slope(&mut self, index: usize, wire: &ResolvedConnection) -> Slope {
        let connection = ConnectionId::from_index(index);
        let home = self.program.homes[wire.to.component.index()];
        let lane = self.pool.lane(home.lane).bank.reserve(ValueType::Float64, 1);
        let slope = self.program.shared.reserve(ValueType::Float64, 1);
        self.program.slopes.push(SlopeOp {
            connection,
            rate: self.source.rates.of_component[wire.from.component.index()],
            input: self.program.port(wire.to),
            slope,
            memory: SlopeMemory::default(),
        });
        Slope { connection, place: Segment { lane, shared_at: slope.at } }
    }

    /// With an input that is extrapolated goes a call that hands its slope over.
    fn set_slopes(
        &mut self,
        lane: usize,
        task: &Task,
        variables: &[VariableId],
        scatter: &mut Vec<Segment>,
    ) {
        if self.which == Which::Starting {
            return;
        }
        let member = self.program.homes[task.component.index()].member;
        for slope in &self.slopes {
            let to = self.source.system.connections[slope.connection.index()].to;
            if to.component != task.component || !variables.contains(&to.variable) {
                continue;
            }
            scatter.push(slope.place);
            let model = self.source.models[task.component.index()];
            let mut lane = self.pool.lane(lane);
            let references_at = u32::try_from(lane.references.len()).expect("fits in 32 bits");
            lane.references.push(model.variables[to.variable.index()].reference);
            let batch = slope.place.lane.batch(references_at);
            lane.operations.push(LaneOp::Slope(CallBatch { member, batch }));
        }
    }

    /// By component: its outputs that are real numbers and are read.
    fn real_outputs(&self) -> Vec<(usize, Slot)> {
        let mut outputs = Vec::new();
        for (index, list) in self.program.observed.iter().enumerate() {
            for id in list {
                let variable = &self.source.models[index].variables[id.index()];
                if variable.causality == Causality::Output && variable.value_type.is_float() {
                    let place = self.program.places[index][id.index()];
                    outputs.push((index, place.expect("outputs have places").shared()));
                }
            }
        }
        outputs
    }
}

/// How many exchanges a program has, outside of loops.
fn exchanges(stages: &[Planned]) -> u32 {
    let count = stages.iter().filter(|stage| matches!(stage, Planned::Exchange(_))).count();
    u32::try_from(count).expect("exchanges fit in 32 bits")
}

/// What the lanes hold after `advance`, by lane and rate.
fn arriving(advance: &[Stage]) -> Vec<Arriving> {
    let mut found: Vec<(usize, usize, Vec<Segment>)> = Vec::new();
    Stage::for_each_work(advance, &mut |work| {
        let shares = work.shares.iter();
        found.extend(shares.map(|share| (share.lane, share.rate, share.gather.clone())));
    });
    found.sort_by_key(|(lane, rate, _)| (*lane, *rate));
    let groups = found.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    let arriving = groups.map(|group| {
        let segments = group.iter().flat_map(|(.., segments)| segments.iter().copied());
        let gather = Segment::joined(segments.collect());
        Arriving { lane: group[0].0, rate: group[0].1, gather }
    });
    arriving.collect()
}

/// Whether values move along a connection in a program.
fn is_exchanged(stages: &[Planned], id: ConnectionId) -> bool {
    stages.iter().any(|stage| match stage {
        Planned::Exchange(connections) => connections.contains(&id),
        Planned::Work(_) => false,
        Planned::Iterate(it) => is_exchanged(&it.stages, id),
        Planned::Attempt { stages, .. } => is_exchanged(stages, id),
        Planned::Integrate(it) => is_exchanged(&it.stages, id),
    })
}

/// The components that a program works on, sorted.
fn refreshed(stages: &[Planned]) -> Vec<usize> {
    fn visit(stages: &[Planned], found: &mut Vec<usize>) {
        for stage in stages {
            match stage {
                Planned::Exchange(_) => {}
                Planned::Work(tasks) => found.extend(tasks.iter().map(|it| it.component.index())),
                Planned::Iterate(it) => visit(&it.stages, found),
                Planned::Attempt { stages, .. } => visit(stages, found),
                Planned::Integrate(it) => visit(&it.stages, found),
            }
        }
    }
    let mut found = Vec::new();
    visit(stages, &mut found);
    found.sort_unstable();
    found.dedup();
    found
}
