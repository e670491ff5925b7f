//! The instructions of a scenario's algorithms.

use super::hocon::{Node, Object, Value};
use super::reader::Reader;
use super::references::Ports;
use consort_core::Diagnostic;
use consort_system::Scenario;
use consort_system::scenario::{Instruction, ScenarioLoop, StepSize, Until};

/// Where an instruction stands.
#[derive(Clone, Copy, PartialEq)]
struct Place {
    initialization: bool,
    in_loop: bool,
}

impl Place {
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

type Known<'a> = (&'a Ports, &'a Scenario);

impl Reader<'_> {
    pub(super) fn initialization(
        &mut self,
        node: &Node,
        ports: &Ports,
        scenario: &Scenario,
    ) -> Vec<Instruction> {
        let place = Place { initialization: true, in_loop: false };
        self.instructions(node, (ports, scenario), place)
    }

    /// One algorithm, or several by name.
    pub(super) fn steps(
        &mut self,
        node: &Node,
        ports: &Ports,
        scenario: &Scenario,
    ) -> Vec<(String, Vec<Instruction>)> {
        let place = Place { initialization: false, in_loop: false };
        match &node.value {
            Value::Object(object) => {
                let fields = object.fields.iter();
                let read = fields.map(|field| {
                    let steps = self.instructions(&field.node, (ports, scenario), place);
                    (field.name.clone(), steps)
                });
                read.collect()
            }
            _ => vec![(String::new(), self.instructions(node, (ports, scenario), place))],
        }
    }

    fn instructions(&mut self, node: &Node, known: Known<'_>, place: Place) -> Vec<Instruction> {
        let Some(list) = self.list(node) else { return Vec::new() };
        list.iter().filter_map(|node| self.instruction(node, known, place)).collect()
    }

    fn instruction(&mut self, node: &Node, known: Known<'_>, place: Place) -> Option<Instruction> {
        let object = self.object(node)?;
        if place.initialization && self.is_mode(object, known.0) {
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
            let message = "an instruction does one thing";
            self.report.push(
                Diagnostic::error("scenario::bad-instruction", message)
                    .at(node.span, "nothing, or more than one thing")
                    .help(format!("write one of `{}`", names.join("`, `"))),
            );
            return None;
        };
        let tentative = field.name.ends_with("-tentative");
        let (ports, scenario) = known;
        let value = &field.node;
        match field.name.as_str() {
            "get" | "get-tentative" => {
                let port = self.output_port(value, ports, scenario)?;
                Some(Instruction::Get { port, tentative })
            }
            "set" | "set-tentative" => {
                let port = self.input_port(value, ports, scenario)?;
                Some(Instruction::Set { port, tentative })
            }
            "step" => {
                let fmu = self.fmu_of(value, ports)?;
                let size = self.step_size(object, known)?;
                Some(Instruction::Step { fmu, size })
            }
            "save-state" => self.fmu_of(value, ports).map(Instruction::Save),
            "restore-state" => self.fmu_of(value, ports).map(Instruction::Restore),
            _ => self.a_loop(value, known, place).map(Instruction::Loop),
        }
    }

    /// Whether an instruction only says what is so anyway.
    fn is_mode(&mut self, object: &Object, ports: &Ports) -> bool {
        let [field] = &object.fields[..] else { return false };
        let is_mode = MODES.contains(&field.name.as_str());
        if is_mode {
            self.fmu_of(&field.node, ports);
        }
        is_mode
    }

    /// Whether every field may stand here: some instructions have their place elsewhere.
    fn only_placed(&mut self, object: &Object, place: Place) {
        let allowed = [&place.instructions()[..], place.qualifiers()].concat();
        let elsewhere = |name: &str| STEP.contains(&name) || TENTATIVE.contains(&name);
        for field in &object.fields {
            let name = field.name.as_str();
            if allowed.contains(&name) || !elsewhere(name) {
                continue;
            }
            let help = match place.initialization {
                true => "nothing steps in the initialization: write `get`, `set` or `loop`",
                false => "only a loop may take something back: leave `-tentative` away",
            };
            self.report.push(
                Diagnostic::error("scenario::misplaced", format!("`{name}` may not stand here"))
                    .at(field.span, "has its place elsewhere")
                    .help(help),
            );
        }
        let known = [&allowed[..], &STEP, &TENTATIVE].concat();
        if object.fields.iter().any(|field| !known.contains(&field.name.as_str())) {
            self.only_known(object, &known, "an instruction");
        }
    }

    fn step_size(&mut self, object: &Object, (ports, scenario): Known<'_>) -> Option<StepSize> {
        match (object.get("by"), object.get("by-same-as")) {
            (None, None) => Some(StepSize::Whole),
            (None, Some(node)) => self.fmu_of(node, ports).map(StepSize::SameAs),
            (Some(node), None) => {
                let size = self.whole_number(node)?;
                if size <= scenario.step_max {
                    return Some(StepSize::By(size));
                }
                let max = scenario.step_max;
                let message = format!("a step of {size} is longer than the longest, {max}");
                self.report.push(
                    Diagnostic::error("scenario::bad-value", message)
                        .at(node.span, "too long")
                        .help("make `max-possible-step-size` larger or the step shorter"),
                );
                None
            }
            (Some(_), Some(node)) => {
                let message = "`by` and `by-same-as` stand together";
                self.report.push(
                    Diagnostic::error("scenario::bad-instruction", message)
                        .at(node.span, "the second size")
                        .help("take one of them away"),
                );
                None
            }
        }
    }

    fn a_loop(&mut self, node: &Node, known: Known<'_>, place: Place) -> Option<ScenarioLoop> {
        let object = self.object(node)?;
        let allowed = match place.initialization {
            true => &["until-converged", "iterate"][..],
            false => &["until-converged", "until-step-accept", "iterate", "if-retry-needed"][..],
        };
        self.only_known(object, allowed, "a loop");
        let until = self.until(node, object, known)?;
        let iterate = self.required(object, "iterate", node.span)?;
        let place = Place { in_loop: true, ..place };
        let iterate = self.instructions(iterate, known, place);
        let retry = match object.get("if-retry-needed") {
            Some(node) => self.instructions(node, known, place),
            None => Vec::new(),
        };
        Some(ScenarioLoop { until, iterate, retry })
    }

    fn until(&mut self, node: &Node, object: &Object, known: Known<'_>) -> Option<Until> {
        let (ports, scenario) = known;
        let converged = object.get("until-converged");
        let accepted = object.get("until-step-accept");
        match (converged, accepted) {
            (Some(node), None) => {
                let list = self.list(node)?.iter();
                let read = list.filter_map(|node| self.output_port(node, ports, scenario));
                Some(Until::Converged(read.collect()))
            }
            (None, Some(node)) => {
                let list = self.list(node)?.iter();
                Some(Until::Accepted(list.filter_map(|it| self.fmu_of(it, ports)).collect()))
            }
            _ => {
                let message = "a loop ends for one reason";
                self.report.push(
                    Diagnostic::error("scenario::bad-loop", message)
                        .at(node.span, "no end, or two")
                        .help(
                            "write `until-converged` with outputs or `until-step-accept` with FMUs",
                        ),
                );
                None
            }
        }
    }
}
