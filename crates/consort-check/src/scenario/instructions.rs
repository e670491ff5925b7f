//! Checks the preconditions of one instruction of a scenario, and carries it out abstractly.

use super::{ScenarioExecution, When};
use crate::violation::{Fault, NESTING_MAX, Of, PlanAction, Rule, Violation};
use consort_core::{ComponentId, VariableId};
use consort_system::scenario::{Instruction, ScenarioLoop, ScenarioPort, StepSize, Until};

type InstructionVerdict = Result<(), Violation>;

impl ScenarioExecution<'_> {
    pub(super) fn instruction(
        &mut self,
        instruction: &Instruction,
        again: bool,
    ) -> InstructionVerdict {
        match instruction {
            Instruction::Get { port, .. } => self.get(*port),
            Instruction::Set { port, .. } => self.set(*port),
            Instruction::Step { fmu, size } => self.step(fmu.index(), *size),
            Instruction::Save(fmu) => {
                self.saved[fmu.index()] = Some(self.fmus[fmu.index()].clone());
                Ok(())
            }
            Instruction::Restore(fmu) => self.restore(fmu.index()),
            Instruction::Loop(it) => self.a_loop(it, again),
        }
    }

    fn initial(&self) -> bool {
        self.program == crate::violation::CheckedProgram::Initialization
    }

    fn get(&mut self, port: ScenarioPort) -> InstructionVerdict {
        let fmu = port.fmu.index();
        let promised = &self.scenario.fmus[fmu];
        let Some(output) = promised.output(port.port) else {
            let action = PlanAction::Get(self.scenario.port_name(port));
            return self.fault(action, Fault::Unknown { what: "output", index: port.port.index() });
        };
        let follows = if self.initial() { &output.follows_initially } else { &output.follows };
        for &input in follows {
            let Some(source) = self.sources[fmu][input.index()] else { continue };
            let given = self.fmus[fmu].given[input.index()];
            let known = self.assumed_inputs[fmu][input.index()];
            if !known && given != Some(self.fmus[fmu].at) {
                let action = PlanAction::Get(self.scenario.port_name(port));
                let fault = self.missed_input(fmu, input, source, Of::Present);
                return self.fault(action, fault);
            }
        }
        let index = port.port.index() - promised.inputs.len();
        self.read[fmu][index] = Some(self.fmus[fmu].at);
        self.assumed[fmu][index] = false;
        Ok(())
    }

    fn missed_input(&self, fmu: usize, input: VariableId, from: ScenarioPort, needs: Of) -> Fault {
        let given = self.fmus[fmu].given[input.index()];
        let port = ScenarioPort { fmu: ComponentId::from_index(fmu), port: input };
        match self.missed(fmu, from, needs, given) {
            Fault::TooEarly(mut missed) => {
                missed.through = Some(self.scenario.port_name(port));
                Fault::TooEarly(missed)
            }
            Fault::TooLate(mut missed) => {
                missed.through = Some(self.scenario.port_name(port));
                Fault::TooLate(missed)
            }
            other => other,
        }
    }

    fn set(&mut self, port: ScenarioPort) -> InstructionVerdict {
        let (fmu, input) = (port.fmu.index(), port.port.index());
        let Some(source) = self.sources[fmu].get(input).copied().flatten() else {
            return Ok(());
        };
        let output = source.port.index() - self.scenario.fmus[source.fmu.index()].inputs.len();
        let read = self.read[source.fmu.index()][output];
        let at = self.fmus[fmu].at;
        let reactive = !self.initial() && self.scenario.fmus[fmu].inputs[input].reactive;
        self.assumed_inputs[fmu][input] = false;
        if self.assumed[source.fmu.index()][output] {
            let ahead = if reactive { self.size } else { 0 };
            self.fmus[fmu].given[input] = Some(at + ahead);
            return Ok(());
        }
        let needs = if reactive { Of::Next } else { Of::Present };
        if self.of(fmu, read) != needs {
            let action = PlanAction::Set(self.scenario.port_name(port));
            return self.fault(action, self.missed(fmu, source, needs, read));
        }
        self.fmus[fmu].given[input] = read;
        Ok(())
    }

    fn step(&mut self, fmu: usize, size: StepSize) -> InstructionVerdict {
        let action = PlanAction::Step(self.scenario.fmus[fmu].name.clone());
        if self.initial() {
            return self.fault(action, Fault::Misplaced { rule: Rule::StepsInCosimStep });
        }
        let (at, end) = (self.fmus[fmu].at, self.start + 2 * When::from(self.scenario.step_max));
        if end < at + self.size_of(size) {
            return self.fault(action, Fault::Twice);
        }
        if size == StepSize::Whole && self.is_cut_short {
            return self.fault(action, Fault::OtherSize);
        }
        let size = self.accepted(fmu, self.size_of(size));
        self.check_inputs(fmu, at + size)?;
        self.fmus[fmu].at = at + size;
        self.sizes[fmu] = Some(size);
        Ok(())
    }

    /// Whether a step that ends at `end` finds its inputs.
    fn check_inputs(&self, fmu: usize, end: When) -> InstructionVerdict {
        for (input, source) in self.sources[fmu].iter().enumerate() {
            let Some(source) = *source else { continue };
            let reactive = self.scenario.fmus[fmu].inputs[input].reactive;
            let wanted = if reactive { end } else { self.fmus[fmu].at };
            let known = self.assumed_inputs[fmu][input];
            if !known && self.fmus[fmu].given[input] != Some(wanted) {
                let needs = if reactive { Of::Next } else { Of::Present };
                let input = VariableId::from_index(input);
                let action = PlanAction::Step(self.scenario.fmus[fmu].name.clone());
                return self.fault(action, self.missed_input(fmu, input, source, needs));
            }
        }
        Ok(())
    }

    /// How far a step comes at the least: an FMU that may reject its step, with no loop around that
    /// finds the size, stops before the end, and all others must follow it there.
    fn accepted(&mut self, fmu: usize, size: When) -> When {
        let is_found = self.accepting.contains(&ComponentId::from_index(fmu));
        let stops = self.scenario.fmus[fmu].can_reject_step && !is_found;
        self.is_cut_short |= stops;
        size - When::from(stops)
    }

    fn size_of(&self, size: StepSize) -> When {
        match size {
            StepSize::Whole => self.size,
            StepSize::By(units) => 2 * When::from(units),
            StepSize::SameAs(fmu) => self.sizes[fmu.index()].unwrap_or(self.size),
        }
    }

    fn restore(&mut self, fmu: usize) -> InstructionVerdict {
        match self.saved[fmu].clone() {
            Some(saved) => {
                self.fmus[fmu] = saved;
                Ok(())
            }
            None => {
                let action = PlanAction::Restore(self.scenario.fmus[fmu].name.clone());
                self.fault(action, Fault::Misplaced { rule: Rule::RestoreAfterSave })
            }
        }
    }

    fn a_loop(&mut self, it: &ScenarioLoop, again: bool) -> InstructionVerdict {
        if NESTING_MAX <= self.path.len() {
            return self.fault(PlanAction::Iterate, Fault::TooDeep);
        }
        match &it.until {
            Until::Converged(outputs) => self.converge(it, outputs, again),
            Until::Accepted(fmus) => self.find_step(it, fmus, again),
        }
    }

    fn converge(
        &mut self,
        it: &ScenarioLoop,
        outputs: &[ScenarioPort],
        again: bool,
    ) -> InstructionVerdict {
        let before = self.places();
        for &port in outputs {
            self.assume(port, true);
        }
        self.run(&it.iterate, again)?;
        for &port in outputs {
            let (fmu, output) = self.output(port);
            if self.assumed[fmu][output] {
                let action = PlanAction::Get(self.scenario.port_name(port));
                return self.fault(action, Fault::Never);
            }
        }
        for &port in outputs {
            self.assume(port, false);
        }
        if again {
            self.retry(it, &before)?;
        }
        Ok(())
    }

    /// Everything once more, from where it began.
    fn retry(&mut self, it: &ScenarioLoop, before: &[When]) -> InstructionVerdict {
        self.run(&it.retry, false)?;
        for (index, &before) in before.iter().enumerate() {
            if before < self.fmus[index].at {
                let action = PlanAction::Restore(self.scenario.fmus[index].name.clone());
                return self.fault(action, Fault::Never);
            }
        }
        self.run(&it.iterate, false)
    }

    /// The times of the FMUs.
    fn places(&self) -> Vec<When> {
        self.fmus.iter().map(|fmu| fmu.at).collect()
    }

    fn output(&self, port: ScenarioPort) -> (usize, usize) {
        let fmu = port.fmu.index();
        (fmu, port.port.index() - self.scenario.fmus[fmu].inputs.len())
    }

    /// Whether the output counts as known, and so do the inputs it feeds.
    fn assume(&mut self, port: ScenarioPort, known: bool) {
        let (fmu, output) = self.output(port);
        self.assumed[fmu][output] = known;
        for connection in self.scenario.connections.iter().filter(|it| it.from == port) {
            let to = connection.to;
            self.assumed_inputs[to.fmu.index()][to.port.index()] = known;
        }
    }

    /// The first size is rejected: all must go back and take a shorter step.
    fn find_step(
        &mut self,
        it: &ScenarioLoop,
        fmus: &[ComponentId],
        again: bool,
    ) -> InstructionVerdict {
        let (outer, before) = (self.accepting.len(), self.places());
        self.accepting.extend(fmus);
        self.run(&it.iterate, again)?;
        if again {
            self.size -= 1;
            self.retry(it, &before)?;
        }
        self.accepting.truncate(outer);
        Ok(())
    }
}
