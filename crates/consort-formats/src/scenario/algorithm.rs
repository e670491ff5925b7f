//! The instructions of a scenario's algorithms.

use super::hocon::{HoconValue, Node, Object};
use super::reader::Reader;
use super::references::{Direction, Known};
use consort_core::Diagnostic;
use consort_system::scenario::{Instruction, ScenarioLoop, StepSize, Until};

/// Where an instruction stands.
#[derive(Clone, Copy, PartialEq)]
struct InstructionPlace {
    initialization: bool,
    in_loop: bool,
}

impl InstructionPlace {
    fn instructions(self) -> Vec<&'static str> {
        match (self.initialization, self.in_loop) {
            (true, _) => INITIALIZATION.to_vec(),
            (false, false) => STEP.to_vec(),
            (false, true) => [&STEP[..], &TENTATIVE].concat(),
        }
    }

    fn qualifiers(self) -> &'static [&'static str] {
        if self.initialization { &[] } else { &QUALIFIERS }
    }
}

const INITIALIZATION: [&str; 3] = ["get", "set", "loop"];
const STEP: [&str; 6] = ["get", "set", "step", "save-state", "restore-state", "loop"];
const TENTATIVE: [&str; 2] = ["get-tentative", "set-tentative"];
/// Every FMU enters its initialization before the first instruction and leaves it after the last.
const MODES: [&str; 4] = ["enter-initialization", "exit-initialization", "enter-init", "exit-init"];
const QUALIFIERS: [&str; 2] = ["by", "by-same-as"];

impl Reader<'_> {
    pub(super) fn initialization(&mut self, node: &Node, known: Known<'_>) -> Vec<Instruction> {
        let place = InstructionPlace { initialization: true, in_loop: false };
        self.instructions(node, known, place)
    }

    /// One algorithm, or several by name.
    pub(super) fn steps(
        &mut self,
        node: &Node,
        known: Known<'_>,
    ) -> Vec<(String, Vec<Instruction>)> {
        let place = InstructionPlace { initialization: false, in_loop: false };
        match &node.value {
            HoconValue::Object(object) => {
                let fields = object.fields.iter();
                let read = fields.map(|field| {
                    let steps = self.instructions(&field.node, known, place);
                    (field.name.clone(), steps)
                });
                read.collect()
            }
            _ => vec![(String::new(), self.instructions(node, known, place))],
        }
    }

    fn instructions(
        &mut self,
        node: &Node,
        known: Known<'_>,
        place: InstructionPlace,
    ) -> Vec<Instruction> {
        let Some(list) = self.list(node) else { return Vec::new() };
        list.iter().filter_map(|node| self.instruction(node, known, place)).collect()
    }

    fn instruction(
        &mut self,
        node: &Node,
        known: Known<'_>,
        place: InstructionPlace,
    ) -> Option<Instruction> {
        let object = self.object(node)?;
        if place.initialization && self.is_mode(object, known) {
            return None;
        }
        let names = place.instructions();
        let before = self.report.error_count();
        self.only_placed(object, place);
        if before < self.report.error_count() {
            return None;
        }
        let mut found = object.fields.iter().filter(|field| names.contains(&field.name.as_str()));
        let (Some(field), None) = (found.next(), found.next()) else {
            let message = "an instruction has exactly one action";
            self.report.push(
                Diagnostic::error("scenario::bad-instruction", message)
                    .at(node.span, "no action, or more than one")
                    .help(format!("write one of `{}`", names.join("`, `"))),
            );
            return None;
        };
        let tentative = field.name.ends_with("-tentative");
        let value = &field.node;
        match field.name.as_str() {
            "get" | "get-tentative" => {
                let port = self.port(value, known, Direction::Output)?;
                Some(Instruction::Get { port, tentative })
            }
            "set" | "set-tentative" => {
                let port = self.port(value, known, Direction::Input)?;
                Some(Instruction::Set { port, tentative })
            }
            "step" => {
                let fmu = self.fmu_of(value, known)?;
                let size = self.step_size(object, known)?;
                Some(Instruction::Step { fmu, size })
            }
            "save-state" => self.fmu_of(value, known).map(Instruction::Save),
            "restore-state" => self.fmu_of(value, known).map(Instruction::Restore),
            _ => self.a_loop(value, known, place).map(Instruction::Loop),
        }
    }

    /// Whether an instruction is a change of mode, which has no effect here.
    fn is_mode(&mut self, object: &Object, known: Known<'_>) -> bool {
        let [field] = &object.fields[..] else { return false };
        let is_mode = MODES.contains(&field.name.as_str());
        if is_mode {
            self.fmu_of(&field.node, known);
        }
        is_mode
    }

    /// Reports fields that are not allowed here.
    fn only_placed(&mut self, object: &Object, place: InstructionPlace) {
        let allowed = [&place.instructions()[..], place.qualifiers()].concat();
        let elsewhere = |name: &str| STEP.contains(&name) || TENTATIVE.contains(&name);
        for field in &object.fields {
            let name = field.name.as_str();
            if allowed.contains(&name) || !elsewhere(name) {
                continue;
            }
            let help = match place.initialization {
                true => "there is no step in the initialization: write `get`, `set` or `loop`",
                false => "only a loop may undo a step: leave out `-tentative`",
            };
            self.report.push(
                Diagnostic::error("scenario::misplaced", format!("`{name}` is not allowed here"))
                    .at(field.span, "not allowed here")
                    .help(help),
            );
        }
        let known = [&allowed[..], &STEP, &TENTATIVE].concat();
        if object.fields.iter().any(|field| !known.contains(&field.name.as_str())) {
            self.only_known(object, &known, "an instruction");
        }
    }

    fn step_size(&mut self, object: &Object, known: Known<'_>) -> Option<StepSize> {
        match (object.get("by"), object.get("by-same-as")) {
            (None, None) => Some(StepSize::Whole),
            (None, Some(node)) => self.fmu_of(node, known).map(StepSize::SameAs),
            (Some(node), None) => {
                let size = self.whole_number(node)?;
                if size <= known.scenario.step_max {
                    return Some(StepSize::By(size));
                }
                let max = known.scenario.step_max;
                let message = format!("a step of {size} is longer than the longest, {max}");
                let help = "make `max-possible-step-size` larger or the step shorter";
                self.bad_value(message, node, "too long", help);
                None
            }
            (Some(_), Some(node)) => {
                let message = "`by` and `by-same-as` exclude each other";
                self.report.push(
                    Diagnostic::error("scenario::bad-instruction", message)
                        .at(node.span, "the second size")
                        .help("remove one of them"),
                );
                None
            }
        }
    }

    fn a_loop(
        &mut self,
        node: &Node,
        known: Known<'_>,
        place: InstructionPlace,
    ) -> Option<ScenarioLoop> {
        let object = self.object(node)?;
        let allowed = match place.initialization {
            true => &["until-converged", "iterate"][..],
            false => &["until-converged", "until-step-accept", "iterate", "if-retry-needed"][..],
        };
        self.only_known(object, allowed, "a loop");
        let until = self.until(node, object, known)?;
        let iterate = self.required(object, "iterate", node.span)?;
        let place = InstructionPlace { in_loop: true, ..place };
        let iterate = self.instructions(iterate, known, place);
        let retry = match object.get("if-retry-needed") {
            Some(node) => self.instructions(node, known, place),
            None => Vec::new(),
        };
        Some(ScenarioLoop { until, iterate, retry })
    }

    fn until(&mut self, node: &Node, object: &Object, known: Known<'_>) -> Option<Until> {
        let converged = object.get("until-converged");
        let accepted = object.get("until-step-accept");
        match (converged, accepted) {
            (Some(node), None) => {
                let list = self.list(node)?.iter();
                let read = list.filter_map(|node| self.port(node, known, Direction::Output));
                Some(Until::Converged(read.collect()))
            }
            (None, Some(node)) => {
                let list = self.list(node)?.iter();
                Some(Until::Accepted(list.filter_map(|it| self.fmu_of(it, known)).collect()))
            }
            _ => {
                let message = "a loop has exactly one condition to end";
                self.report.push(
                    Diagnostic::error("scenario::bad-loop", message)
                        .at(node.span, "no condition, or two")
                        .help(
                            "write `until-converged` with outputs or `until-step-accept` with FMUs",
                        ),
                );
                None
            }
        }
    }
}
