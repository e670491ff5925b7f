//! The judge of scenarios: the algorithm of a scenario held against the promises of its FMUs.
//!
//! As for plans, the algorithm is executed without values. What was read of an output is kept by
//! the orchestration, so it survives the restoring of an FMU; what an input was set with belongs to
//! the FMU and is restored with it.
//!
//! ```text
//! get   the inputs that the output follows at once were set at the FMU's own time
//! set   the source was read: a delayed input as of the FMU's own time, a reactive one as of later
//! step  delayed inputs were set as of the start of the step, reactive ones as of its end
//! ```
//!
//! A loop runs twice, with its retry in between. The first time the outputs it waits for, and the
//! inputs they feed, count as known; the second time they must really be. In a loop that looks for
//! a step size, the first size is rejected, so all FMUs must be able to take a shorter step. Outside
//! of such loops an FMU that may reject its step stops short of the end, and all others must follow it
//! (`by-same-as`).

mod instructions;

use crate::violation::{At, CheckedProgram, Fault, Missed, Of, PlanAction, Violation};
use consort_core::{ComponentId, VariableId};
use consort_system::Scenario;
use consort_system::scenario::{Instruction, ScenarioPort};
use std::fmt;

/// A point in time: half units of the scenario's step size, so that every size can be cut.
type When = i64;

/// How often a scenario's step is executed: from initialization, and from itself.
const CYCLES: u32 = 2;

/// A violation, and where in an adaptive scenario it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScenarioViolation {
    /// The configuration whose algorithm is wrong; `None` if it is not about one of several.
    pub configuration: Option<String>,
    /// The violated rule and the instruction that violates it.
    pub violation: Box<Violation>,
}

impl ScenarioViolation {
    /// What to do about it.
    pub fn help(&self) -> String {
        self.violation.help()
    }
}

impl fmt::Display for ScenarioViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.configuration {
            write!(f, "in the configuration `{name}`: ")?;
        }
        write!(f, "{}", self.violation)
    }
}

/// Whether the algorithms of a scenario keep the promises of its FMUs.
///
/// The initialization is judged once, by the connections of the scenario; the step of an adaptive
/// scenario in each of its configurations.
///
/// # Errors
/// With the first violation in the order of execution.
pub fn check_scenario(scenario: &Scenario) -> Result<(), ScenarioViolation> {
    let found = |configuration, violation| ScenarioViolation {
        configuration,
        violation: Box::new(violation),
    };
    let plain = |violation| found(None, violation);
    let initial = scenario.initial();
    let mut initialized = ScenarioExecution::new(&initial);
    initialized.initialize().map_err(plain)?;
    if scenario.configurations.is_empty() {
        return initialized.steps().map_err(plain);
    }
    for configuration in &scenario.configurations {
        let configured = scenario.configured(configuration);
        let execution = ScenarioExecution::new(&configured).after(&initialized);
        let named = |violation| found(Some(configuration.name.clone()), violation);
        execution.steps().map_err(named)?;
    }
    Ok(())
}

/// What an FMU holds.
#[derive(Clone)]
struct Fmu {
    at: When,
    /// What each input was set with.
    given: Vec<Option<When>>,
}

#[derive(Clone)]
struct ScenarioExecution<'s> {
    scenario: &'s Scenario,
    /// The source of each input, by FMU and input.
    sources: Vec<Vec<Option<ScenarioPort>>>,
    fmus: Vec<Fmu>,
    saved: Vec<Option<Fmu>>,
    /// What was last read of each output, by FMU and output.
    read: Vec<Vec<Option<When>>>,
    /// Outputs that count as known until they are read, by FMU and output.
    assumed: Vec<Vec<bool>>,
    /// Inputs that count as set until they are set, by FMU and input.
    assumed_inputs: Vec<Vec<bool>>,
    program: CheckedProgram,
    tag: At,
    path: Vec<usize>,
    /// Where the step started, how far it goes, and how far each FMU's last step went.
    start: When,
    size: When,
    sizes: Vec<Option<When>>,
    /// FMUs whose rejected steps the loops around this instruction take back.
    accepting: Vec<ComponentId>,
    /// An FMU outside of such loops may have stopped before the end of the step.
    is_cut_short: bool,
}

impl<'s> ScenarioExecution<'s> {
    fn new(scenario: &'s Scenario) -> Self {
        let by_input = |scenario: &Scenario| {
            scenario.fmus.iter().map(|fmu| vec![false; fmu.inputs.len()]).collect::<Vec<_>>()
        };
        let fmus = &scenario.fmus;
        let mut sources: Vec<Vec<Option<ScenarioPort>>> =
            fmus.iter().map(|fmu| vec![None; fmu.inputs.len()]).collect();
        for connection in &scenario.connections {
            let to = connection.to;
            sources[to.fmu.index()][to.port.index()] = Some(connection.from);
        }
        let state = |inputs: usize| Fmu { at: 0, given: vec![None; inputs] };
        ScenarioExecution {
            scenario,
            sources,
            fmus: fmus.iter().map(|fmu| state(fmu.inputs.len())).collect(),
            saved: vec![None; fmus.len()],
            read: fmus.iter().map(|fmu| vec![None; fmu.outputs.len()]).collect(),
            assumed: fmus.iter().map(|fmu| vec![false; fmu.outputs.len()]).collect(),
            assumed_inputs: by_input(scenario),
            program: CheckedProgram::Initialization,
            tag: At::First,
            path: Vec::new(),
            start: 0,
            size: 0,
            sizes: vec![None; fmus.len()],
            accepting: Vec::new(),
            is_cut_short: false,
        }
    }

    /// With what the initialization has left, which may have been by other connections.
    fn after(mut self, initialized: &ScenarioExecution<'_>) -> Self {
        self.fmus.clone_from(&initialized.fmus);
        self.read.clone_from(&initialized.read);
        self
    }

    /// Every algorithm of the scenario, from here.
    fn steps(&self) -> Result<(), Violation> {
        for (_, step) in &self.scenario.steps {
            let mut execution = self.clone();
            for cycle in 0..CYCLES {
                execution.tag = if cycle == 0 { At::First } else { At::Later };
                execution.cycle(step)?;
            }
        }
        Ok(())
    }

    fn initialize(&mut self) -> Result<(), Violation> {
        self.run(&self.scenario.initialization, true)?;
        for (fmu, sources) in self.sources.iter().enumerate() {
            for (input, source) in sources.iter().enumerate() {
                if source.is_some() && self.fmus[fmu].given[input].is_none() {
                    let port = ScenarioPort {
                        fmu: ComponentId::from_index(fmu),
                        port: VariableId::from_index(input),
                    };
                    return self
                        .fault(PlanAction::Set(self.scenario.port_name(port)), Fault::Never);
                }
            }
        }
        Ok(())
    }

    fn cycle(&mut self, step: &[Instruction]) -> Result<(), Violation> {
        self.program = CheckedProgram::CosimStep;
        self.start = self.fmus.first().map_or(0, |fmu| fmu.at);
        self.size = 2 * When::from(self.scenario.step_max);
        self.saved.fill(None);
        self.is_cut_short = false;
        self.run(step, true)?;
        let end = self.fmus.iter().map(|fmu| fmu.at).max().unwrap_or(0);
        for (index, fmu) in self.fmus.iter().enumerate() {
            let name = self.scenario.fmus[index].name.clone();
            if fmu.at == self.start {
                return self.fault(PlanAction::Step(name), Fault::Never);
            }
            if fmu.at != end {
                return self.fault(PlanAction::Step(name), Fault::OtherSize);
            }
        }
        Ok(())
    }

    /// `again`: loops run twice.
    fn run(&mut self, instructions: &[Instruction], again: bool) -> Result<(), Violation> {
        for (index, instruction) in instructions.iter().enumerate() {
            self.path.push(index + 1);
            self.instruction(instruction, again)?;
            self.path.pop();
        }
        Ok(())
    }

    fn fault<T>(&self, action: PlanAction, fault: Fault) -> Result<T, Violation> {
        let (program, stage, tag) = (self.program, self.path.clone(), self.tag.clone());
        Err(Violation { program, stage, tag, action, fault })
    }

    /// A time as text, relative to the time of an FMU.
    fn of(&self, fmu: usize, time: Option<When>) -> Of {
        let at = self.fmus[fmu].at;
        match time {
            None => Of::Nothing,
            Some(time) if time < at => Of::Before,
            Some(time) if time == at => Of::Present,
            Some(_) => Of::Next,
        }
    }

    fn missed(&self, fmu: usize, port: ScenarioPort, needs: Of, has: Option<When>) -> Fault {
        let value = self.scenario.port_name(port);
        let missed = Box::new(Missed { value, through: None, needs, has: self.of(fmu, has) });
        match (needs, self.of(fmu, has)) {
            (Of::Present, Of::Next) => Fault::TooLate(missed),
            _ => Fault::TooEarly(missed),
        }
    }
}
