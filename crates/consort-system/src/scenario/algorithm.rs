//! A plan as the algorithm of a scenario.

use super::{Configuration, Instruction, Scenario, ScenarioLoop, ScenarioPort, StepSize, Until};
use crate::plan::{Loop, Operation, Plan, Stage, Task};
use consort_core::{ComponentId, ConnectionId, VariableId};
use std::collections::BTreeSet;

impl Scenario {
    /// The scenario with this plan as its algorithm; `plan` is one for its [`Scenario::to_system`].
    ///
    /// A scenario's step is the plan's `present` followed by its `advance`. In a scenario a `set`
    /// hands over what was last read, so inputs that are needed as of the start of the step are set
    /// before anything steps.
    #[must_use]
    pub fn with_plan(&self, plan: &Plan) -> Scenario {
        let mut scenario = self.clone();
        let mut writer = Writer::new(self, Phase::Initialization);
        writer.stages(&plan.initialization, false);
        scenario.initialization = std::mem::take(&mut writer.out);
        writer.phase = Phase::Present;
        writer.stages(&plan.present, false);
        writer.phase = Phase::Advance;
        writer.delayed_sets(&plan.advance);
        writer.stepped.clear();
        writer.stages(&plan.advance, false);
        scenario.steps = vec![("derived".to_owned(), writer.out)];
        scenario.configurations.clear();
        scenario
    }

    /// The adaptive scenario with an algorithm for each of its configurations, called as they are.
    ///
    /// `initial` is a plan for [`Scenario::initial`]; `plans` has one for each configuration, for the
    /// scenario as it is [`configured`](Scenario::configured) by it.
    #[must_use]
    pub fn with_plans(&self, initial: &Plan, plans: &[Plan]) -> Scenario {
        let initialization = self.initial().with_plan(initial).initialization;
        let mut scenario = Scenario { initialization, ..self.clone() };
        scenario.steps.clear();
        scenario.configurations.clear();
        for (configuration, plan) in self.configurations.iter().zip(plans) {
            let name = configuration.name.clone();
            let configured = self.configured(configuration).with_plan(plan);
            let steps = configured.steps.into_iter().map(|(_, steps)| (name.clone(), steps));
            scenario.steps.extend(steps);
            scenario.configurations.push(Configuration { step: name, ..configuration.clone() });
        }
        scenario
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Initialization,
    Present,
    Advance,
}

struct Writer<'a> {
    scenario: &'a Scenario,
    phase: Phase,
    out: Vec<Instruction>,
    /// The components that have stepped in `advance`.
    stepped: BTreeSet<ComponentId>,
    /// The components whose state is saved.
    saved: BTreeSet<ComponentId>,
}

impl<'a> Writer<'a> {
    fn new(scenario: &'a Scenario, phase: Phase) -> Self {
        let (stepped, saved) = (BTreeSet::new(), BTreeSet::new());
        Writer { scenario, phase, out: Vec::new(), stepped, saved }
    }

    fn is_reactive(&self, port: ScenarioPort) -> bool {
        let inputs = &self.scenario.fmus[port.fmu.index()].inputs;
        inputs.get(port.port.index()).is_some_and(|input| input.reactive)
    }

    /// Inputs as of the start of the step, from all of `advance`, whatever is nested there.
    fn delayed_sets(&mut self, stages: &[Stage]) {
        for stage in stages {
            match stage {
                Stage::Exchange(_) => {}
                Stage::Iterate(it) => self.delayed_sets(&it.stages),
                Stage::Attempt { stages, .. } => self.delayed_sets(stages),
                Stage::Work(tasks) => tasks.iter().for_each(|task| self.delayed_set(task)),
                Stage::Integrate(it) => self.stepped.extend(&it.components),
            }
        }
    }

    fn delayed_set(&mut self, task: &Task) {
        for operation in &task.operations {
            match operation {
                Operation::Step => {
                    self.stepped.insert(task.component);
                }
                Operation::Set(list) if !self.stepped.contains(&task.component) => {
                    let ports = list.iter().map(|&port| ScenarioPort { fmu: task.component, port });
                    let ports: Vec<_> = ports.filter(|&port| !self.is_reactive(port)).collect();
                    let sets = ports.into_iter().map(|port| set(port, false));
                    self.out.extend(sets);
                }
                _ => {}
            }
        }
    }

    fn stages(&mut self, stages: &[Stage], in_loop: bool) {
        for stage in stages {
            match stage {
                Stage::Exchange(_) => {}
                Stage::Work(tasks) => {
                    tasks.iter().for_each(|task| self.task(task, in_loop));
                }
                Stage::Iterate(it) => self.iterate(it),
                Stage::Attempt { components, stages } => self.attempt(components, stages),
                // A scenario knows steps only: who is integrated together steps side by side.
                Stage::Integrate(it) => it.components.iter().for_each(|&fmu| self.step(fmu)),
            }
        }
    }

    fn step(&mut self, fmu: ComponentId) {
        self.stepped.insert(fmu);
        self.out.push(Instruction::Step { fmu, size: StepSize::Whole });
    }

    fn task(&mut self, task: &Task, in_loop: bool) {
        let fmu = task.component;
        let port = |&port: &VariableId| ScenarioPort { fmu, port };
        for operation in &task.operations {
            match operation {
                Operation::Get(list) => {
                    let gets = list.iter().map(port);
                    self.out.extend(gets.map(|port| Instruction::Get { port, tentative: in_loop }));
                }
                Operation::Set(list) => {
                    let here: Vec<_> =
                        list.iter().map(port).filter(|&port| self.is_set_here(port)).collect();
                    self.out.extend(here.into_iter().map(|port| set(port, in_loop)));
                }
                Operation::Step => self.step(fmu),
                Operation::Tick(_) => {}
            }
        }
    }

    /// At a tag a reactive input holds the tag's value already; before a step, delayed inputs were
    /// set in front of all steps.
    fn is_set_here(&self, port: ScenarioPort) -> bool {
        match self.phase {
            Phase::Initialization => true,
            Phase::Present => !self.is_reactive(port),
            Phase::Advance => self.stepped.contains(&port.fmu) || self.is_reactive(port),
        }
    }

    fn iterate(&mut self, it: &Loop) {
        let saved = self.save(&it.rollback);
        let source =
            |id: &ConnectionId| self.scenario.connections.get(id.index()).map(|it| it.from);
        let mut until: Vec<ScenarioPort> = it.unknowns.iter().filter_map(source).collect();
        until.dedup();
        let is_step_loop = !it.rollback.is_empty();
        let before = self.stepped.clone();
        let iterate = self.body(&it.stages, is_step_loop);
        if self.phase != Phase::Advance {
            self.stepped = before;
        }
        let retry = it.rollback.iter().map(|&fmu| Instruction::Restore(fmu)).collect();
        let until = Until::Converged(until);
        self.out.push(Instruction::Loop(ScenarioLoop { until, iterate, retry }));
        self.forget(&saved);
    }

    fn attempt(&mut self, components: &[ComponentId], stages: &[Stage]) {
        let saved = self.save(components);
        let rejects = |fmu: &&ComponentId| self.scenario.fmus[fmu.index()].can_reject_step;
        let until = Until::Accepted(components.iter().filter(rejects).copied().collect());
        let iterate = self.body(stages, false);
        let retry = components.iter().map(|&fmu| Instruction::Restore(fmu)).collect();
        self.out.push(Instruction::Loop(ScenarioLoop { until, iterate, retry }));
        self.forget(&saved);
    }

    fn body(&mut self, stages: &[Stage], tentative: bool) -> Vec<Instruction> {
        let outer = std::mem::take(&mut self.out);
        self.stages(stages, tentative);
        std::mem::replace(&mut self.out, outer)
    }

    /// Saves who is not saved yet: an outer loop's states serve the inner one too.
    fn save(&mut self, components: &[ComponentId]) -> Vec<ComponentId> {
        let new = components.iter().filter(|&&fmu| self.saved.insert(fmu));
        let new: Vec<ComponentId> = new.copied().collect();
        self.out.extend(new.iter().map(|&fmu| Instruction::Save(fmu)));
        new
    }

    fn forget(&mut self, saved: &[ComponentId]) {
        for fmu in saved {
            self.saved.remove(fmu);
        }
    }
}

fn set(port: ScenarioPort, tentative: bool) -> Instruction {
    Instruction::Set { port, tentative }
}
