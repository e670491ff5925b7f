//! The stages of a program.

use super::line::Line;
use super::{NESTING_MAX, Parser};
use crate::coupling::{Iteration, IterationMethod};
use crate::plan::{Loop, Operation, Stage, Task, Together};
use consort_core::{ComponentId, ConnectionId, Diagnostic, VariableId};

const STAGES: [&str; 5] = ["exchange", "work", "iterate", "attempt", "integrate"];
const OPERATIONS: [&str; 4] = ["set", "get", "step", "tick"];

impl<'t> Parser<'t, '_> {
    /// All stages at `depth`; `nested` of them are around these.
    pub(super) fn stages(&mut self, depth: usize, nested: usize) -> Vec<Stage> {
        let mut stages = Vec::new();
        while let Some(mut line) = self.next_at(depth) {
            let keyword = line.word();
            let stage = match keyword.text {
                "exchange" => {
                    self.finished(&mut line);
                    Some(Stage::Exchange(self.items(depth + 1, Self::connection_line)))
                }
                "work" => {
                    self.finished(&mut line);
                    Some(Stage::Work(self.items(depth + 1, Self::task)))
                }
                "iterate" | "attempt" | "integrate" if NESTING_MAX <= nested => {
                    self.too_deep(&line, depth);
                    None
                }
                "iterate" => Some(Stage::Iterate(self.iterate(&mut line, depth, nested))),
                "attempt" => {
                    let components = self.rollback(&mut line).unwrap_or_default();
                    self.finished(&mut line);
                    let stages = self.stages(depth + 1, nested + 1);
                    Some(Stage::Attempt { components, stages })
                }
                "integrate" => {
                    let components = self.components(&mut line).unwrap_or_default();
                    self.finished(&mut line);
                    let stages = self.stages(depth + 1, nested + 1);
                    Some(Stage::Integrate(Together { components, stages }))
                }
                other => {
                    self.unknown_keyword(keyword.span(self.source), other, &STAGES);
                    self.skip_deeper_than(2 * depth);
                    None
                }
            };
            stages.extend(stage);
        }
        stages
    }

    /// The next line, if its indentation is `depth`; deeper lines have no parent.
    fn next_at(&mut self, depth: usize) -> Option<Line<'t>> {
        loop {
            let line = self.peek()?;
            if line.depth_in_spaces < 2 * depth {
                if line.depth_in_spaces % 2 == 1 {
                    self.next += 1;
                    self.odd_indentation(&line);
                    self.skip_deeper_than(line.depth_in_spaces);
                    continue;
                }
                return None;
            }
            self.next += 1;
            if line.depth_in_spaces == 2 * depth {
                return Some(line);
            }
            self.indented_too_far(&line);
            self.skip_deeper_than(2 * depth);
        }
    }

    fn odd_indentation(&mut self, line: &Line<'_>) {
        self.report.push(
            Diagnostic::error(
                "plan::indentation",
                "the indentation is not a multiple of two spaces",
            )
            .at(line.indent_span(self.source), "an odd number of spaces")
            .help("indent by two spaces below what a line belongs to, with spaces only"),
        );
    }

    /// Skips, without messages, the lines below one that was not understood.
    pub(super) fn skip_deeper_than(&mut self, spaces: usize) {
        while self.peek().is_some_and(|line| spaces < line.depth_in_spaces) {
            self.next += 1;
        }
    }

    fn too_deep(&mut self, line: &Line<'_>, depth: usize) {
        let message = format!("stages are nested deeper than {NESTING_MAX}");
        self.report.push(
            Diagnostic::error("plan::too-deep", message)
                .at(line.indent_span(self.source), "too deep")
                .help("no system needs loops within so many loops"),
        );
        self.skip_deeper_than(2 * depth);
    }

    fn items<T>(
        &mut self,
        depth: usize,
        read: fn(&mut Self, &mut Line<'t>) -> Option<T>,
    ) -> Vec<T> {
        let mut items = Vec::new();
        while let Some(mut line) = self.next_at(depth) {
            let item = read(self, &mut line);
            if item.is_some() {
                self.finished(&mut line);
            }
            items.extend(item);
        }
        items
    }

    fn connection_line(&mut self, line: &mut Line<'t>) -> Option<ConnectionId> {
        self.connection(line)
    }

    /// `tank: set inflow; step; get level, volume`.
    fn task(&mut self, line: &mut Line<'t>) -> Option<Task> {
        let component = self.component(line)?;
        self.expect(line, ":", "a colon", "as in `tank: step; get level`")?;
        let mut operations = Vec::new();
        if line.is_done() {
            return Some(Task { component, operations });
        }
        loop {
            operations.push(self.operation(line, component)?);
            if !line.eat(";") {
                return Some(Task { component, operations });
            }
        }
    }

    fn operation(&mut self, line: &mut Line<'t>, component: ComponentId) -> Option<Operation> {
        let keyword = line.word();
        match keyword.text {
            "set" => self.variables(line, component).map(Operation::Set),
            "get" => self.variables(line, component).map(Operation::Get),
            "step" => Some(Operation::Step),
            "tick" => self.variable(line, component).map(Operation::Tick),
            other => {
                self.unknown_keyword(keyword.span(self.source), other, &OPERATIONS);
                None
            }
        }
    }

    /// Names up to the end of the operation; there may be none.
    fn variables(
        &mut self,
        line: &mut Line<'t>,
        component: ComponentId,
    ) -> Option<Vec<VariableId>> {
        let mut list = Vec::new();
        let mut ahead = *line;
        if ahead.is_done() || ahead.eat(";") {
            return Some(list);
        }
        loop {
            list.push(self.variable(line, component)?);
            if !line.eat(",") {
                return Some(list);
            }
        }
    }

    fn iterate(&mut self, line: &mut Line<'t>, depth: usize, nested: usize) -> Loop {
        let iteration = self.iteration(line);
        let mut ahead = *line;
        let rollback = match ahead.word().text {
            "rollback" => self.rollback(line),
            _ => Some(Vec::new()),
        };
        // After a mistake the rest of the line is not read.
        let unknowns = rollback.as_ref().and_then(|_| self.unknowns(line)).unwrap_or_default();
        let rollback = rollback.unwrap_or_default();
        self.finished(line);
        Loop { unknowns, stages: self.stages(depth + 1, nested + 1), rollback, iteration }
    }

    /// `auto tolerance 1e-9 limit 100 relaxation 1.0 accept-after 5`, all of it optional.
    fn iteration(&mut self, line: &mut Line<'t>) -> Iteration {
        const KEYS: [&str; 6] =
            ["tolerance", "limit", "relaxation", "accept-after", "rollback", "unknowns"];
        let mut iteration = Iteration::default();
        let mut ahead = *line;
        let method = ahead.word();
        if !KEYS.contains(&method.text) {
            line.word();
            match IterationMethod::from_name(method.text) {
                Some(method) => iteration.method = method,
                None => {
                    let names = IterationMethod::ALL.map(|(_, name)| name);
                    self.unknown_keyword(method.span(self.source), method.text, &names);
                }
            }
        }
        if line.eat_word("tolerance") {
            iteration.tolerance = self.number(line, iteration.tolerance);
        }
        if line.eat_word("limit") {
            iteration.limit = self.number(line, iteration.limit);
        }
        if line.eat_word("relaxation") {
            iteration.relaxation = self.number(line, iteration.relaxation);
        }
        if line.eat_word("accept-after") {
            iteration.accept_after = Some(self.number(line, iteration.limit));
        }
        iteration
    }

    fn number<N: std::str::FromStr + std::fmt::Display>(
        &mut self,
        line: &mut Line<'t>,
        default: N,
    ) -> N {
        let word = line.word();
        word.text.parse().unwrap_or_else(|_| {
            self.syntax(word.span(self.source), "a number", &format!("as in `{default}`"));
            default
        })
    }

    fn rollback(&mut self, line: &mut Line<'t>) -> Option<Vec<ComponentId>> {
        if !line.eat_word("rollback") {
            let rest = line.rest();
            self.syntax(rest.span(self.source), "`rollback`", "as in `attempt rollback a, b`");
            return None;
        }
        self.components(line)
    }

    /// Names of components up to the end of the list; there may be none.
    fn components(&mut self, line: &mut Line<'t>) -> Option<Vec<ComponentId>> {
        self.list(line, Self::component)
    }

    /// Things with commas between them up to the end of the list; there may be none.
    fn list<T>(
        &mut self,
        line: &mut Line<'t>,
        read: impl Fn(&mut Self, &mut Line<'t>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut list = Vec::new();
        if line.is_done() {
            return Some(list);
        }
        loop {
            list.push(read(self, line).or_else(|| {
                line.rest();
                None
            })?);
            if !line.eat(",") {
                return Some(list);
            }
        }
    }

    fn unknowns(&mut self, line: &mut Line<'t>) -> Option<Vec<ConnectionId>> {
        if !line.eat_word("unknowns") {
            let rest = line.rest();
            let example = "as in `iterate auto unknowns a.y -> b.u`";
            self.syntax(rest.span(self.source), "`unknowns`", example);
            return None;
        }
        self.list(line, Self::connection)
    }
}
