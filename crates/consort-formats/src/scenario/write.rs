//! A scenario as HOCON that the Scenario-Verifier reads.

use crate::quoted::quoted;
use consort_core::{ComponentId, VariableId};
use consort_system::Scenario;
use consort_system::scenario::{
    Configuration, Instruction, ScenarioConnection, ScenarioFmu, ScenarioLoop, ScenarioPort,
    StepSize, Until,
};
use std::fmt::Write as _;

/// The scenario as text; [`read_scenario`](super::read_scenario) reads the same one from it.
pub fn write_scenario(scenario: &Scenario) -> String {
    let mut writer = Writer { scenario, out: String::new() };
    writer.whole();
    writer.out
}

struct Writer<'s> {
    scenario: &'s Scenario,
    out: String,
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(depth));
    }

    fn whole(&mut self) {
        let scenario = self.scenario;
        self.line(0, &format!("name = {}", quoted(&scenario.name)));
        self.line(0, "scenario = {");
        self.line(1, "fmus = {");
        for fmu in &scenario.fmus {
            self.fmu(fmu);
        }
        self.line(1, "}");
        self.configurations();
        self.connections(1, &scenario.connections);
        self.line(1, &format!("max-possible-step-size = {}", scenario.step_max));
        self.line(0, "}");
        self.line(0, "initialization = [");
        self.instructions(1, &scenario.initialization);
        self.line(0, "]");
        self.steps();
    }

    fn fmu(&mut self, fmu: &ScenarioFmu) {
        self.line(2, &format!("{} = {{", key(&fmu.name)));
        self.line(3, &format!("can-reject-step = {}", fmu.can_reject_step));
        if !fmu.path.is_empty() {
            self.line(3, &format!("path = {}", quoted(&fmu.path)));
        }
        self.line(3, "inputs = {");
        for input in &fmu.inputs {
            self.line(4, &reactivity(&input.name, input.reactive));
        }
        self.line(3, "}");
        self.line(3, "outputs = {");
        for output in &fmu.outputs {
            let list = |ids: &[VariableId]| {
                let names = ids.iter().map(|&id| word(fmu.port_name(id)));
                names.collect::<Vec<_>>().join(", ")
            };
            let (initial, follows) = (list(&output.follows_initially), list(&output.follows));
            let name = key(&output.name);
            self.line(
                4,
                &format!("{name} = {{dependencies-init=[{initial}], dependencies=[{follows}]}}"),
            );
        }
        self.line(3, "}");
        self.line(2, "}");
    }

    fn configurations(&mut self) {
        let configurations = &self.scenario.configurations;
        if configurations.is_empty() {
            return;
        }
        let all = configurations.iter().flat_map(|it| it.reactive.iter().map(|(port, _)| *port));
        let mut inputs: Vec<ScenarioPort> = all.collect();
        inputs.sort_unstable();
        inputs.dedup();
        let names: Vec<String> = inputs.iter().map(|&port| self.port(port)).collect();
        self.line(1, "configuration = {");
        self.line(2, &format!("configurable-inputs = [{}]", names.join(", ")));
        self.line(2, "configurations = {");
        for configuration in configurations {
            self.configuration(configuration);
        }
        self.line(2, "}");
        self.line(1, "}");
    }

    fn configuration(&mut self, configuration: &Configuration) {
        self.line(3, &format!("{} = {{", key(&configuration.name)));
        self.line(4, "inputs = {");
        for &(port, reactive) in &configuration.reactive {
            let name = self.scenario.port_name(port);
            self.line(5, &reactivity(&name, reactive));
        }
        self.line(4, "}");
        self.connections(4, &configuration.connections);
        if !configuration.step.is_empty() {
            self.line(4, &format!("cosim-step = {}", quoted(&configuration.step)));
        }
        self.line(3, "}");
    }

    fn connections(&mut self, depth: usize, connections: &[ScenarioConnection]) {
        self.line(depth, "connections = [");
        for it in connections {
            let text = format!(
                "{} -> {}",
                self.scenario.port_name(it.from),
                self.scenario.port_name(it.to)
            );
            self.line(depth + 1, &word(&text));
        }
        self.line(depth, "]");
    }

    fn steps(&mut self) {
        match &self.scenario.steps[..] {
            [(name, instructions)] if name.is_empty() => {
                self.line(0, "cosim-step = [");
                self.instructions(1, instructions);
                self.line(0, "]");
            }
            steps => {
                self.line(0, "cosim-step = {");
                for (name, instructions) in steps {
                    self.line(1, &format!("{} = [", key(name)));
                    self.instructions(2, instructions);
                    self.line(1, "]");
                }
                self.line(0, "}");
            }
        }
    }

    fn instructions(&mut self, depth: usize, instructions: &[Instruction]) {
        for instruction in instructions {
            match instruction {
                Instruction::Loop(it) => self.a_loop(depth, it),
                other => {
                    let text = self.instruction(other);
                    self.line(depth, &format!("{{{text}}}"));
                }
            }
        }
    }

    fn instruction(&self, instruction: &Instruction) -> String {
        let suffix = |tentative: bool| if tentative { "-tentative" } else { "" };
        match instruction {
            Instruction::Get { port, tentative } => {
                format!("get{}: {}", suffix(*tentative), self.port(*port))
            }
            Instruction::Set { port, tentative } => {
                format!("set{}: {}", suffix(*tentative), self.port(*port))
            }
            Instruction::Step { fmu, size } => match size {
                StepSize::Whole => format!("step: {}", self.fmu_name(*fmu)),
                StepSize::By(by) => format!("step: {}, by: {by}", self.fmu_name(*fmu)),
                StepSize::SameAs(other) => {
                    let (fmu, other) = (self.fmu_name(*fmu), self.fmu_name(*other));
                    format!("step: {fmu}, by-same-as: {other}")
                }
            },
            Instruction::Save(fmu) => format!("save-state: {}", self.fmu_name(*fmu)),
            Instruction::Restore(fmu) => format!("restore-state: {}", self.fmu_name(*fmu)),
            Instruction::Loop(_) => unreachable!("loops are written line by line"),
        }
    }

    fn a_loop(&mut self, depth: usize, it: &ScenarioLoop) {
        self.line(depth, "{");
        self.line(depth + 1, "loop: {");
        let until = match &it.until {
            Until::Converged(ports) => {
                let names: Vec<String> = ports.iter().map(|&port| self.port(port)).collect();
                format!("until-converged: [{}]", names.join(", "))
            }
            Until::Accepted(fmus) => {
                let names: Vec<String> = fmus.iter().map(|&fmu| self.fmu_name(fmu)).collect();
                format!("until-step-accept: [{}]", names.join(", "))
            }
        };
        self.line(depth + 2, &until);
        self.line(depth + 2, "iterate: [");
        self.instructions(depth + 3, &it.iterate);
        self.line(depth + 2, "]");
        // Loops of the initialization have nothing to restore, and no place to say it.
        if !it.retry.is_empty() || matches!(it.until, Until::Accepted(_)) {
            self.line(depth + 2, "if-retry-needed: [");
            self.instructions(depth + 3, &it.retry);
            self.line(depth + 2, "]");
        }
        self.line(depth + 1, "}");
        self.line(depth, "}");
    }

    fn port(&self, port: ScenarioPort) -> String {
        word(&self.scenario.port_name(port))
    }

    fn fmu_name(&self, fmu: ComponentId) -> String {
        word(&self.scenario.fmus[fmu.index()].name)
    }
}

fn reactivity(name: &str, reactive: bool) -> String {
    let reactivity = if reactive { "reactive" } else { "delayed" };
    format!("{} = {{reactivity={reactivity}}}", key(name))
}

/// A name of a field: a dot would make an object of it.
fn key(name: &str) -> String {
    if name.contains('.') { quoted(name) } else { word(name) }
}

/// A value without quotes if it needs none.
fn word(name: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "_-.>".contains(it) || it == ' ';
    let plain = name.chars().all(is_plain) && name.trim() == name && !name.is_empty();
    if plain { name.to_owned() } else { quoted(name) }
}
