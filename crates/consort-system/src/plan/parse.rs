//! Text to a plan: the inverse of [`Plan::to_text`], for plans written by hand.

mod line;
mod lookup;
mod stages;

use super::Plan;
use crate::coupling::Order;
use crate::resolved::ResolvedSystem;
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, ModelDescription, Report, SourceId, Span};
use line::Line;
use lookup::Lookup;

/// Stages are nested no deeper than this.
const NESTING_MAX: usize = 64;

const PROGRAMS: [&str; 3] = ["initialization", "present", "advance"];

impl Plan {
    /// Reads what [`Plan::to_text`] writes.
    ///
    /// In a text written by hand, the lines `resolution` and `every` may be left out, and so may
    /// `times`, `plus` and `delayed` behind a connection; what is written must agree with the
    /// system. Everything from `#` to the end of a line is a comment.
    ///
    /// Gives `None` after mistakes, which are all in `report`.
    ///
    /// # Panics
    /// If `models` has not one description per component.
    pub fn parse(
        text: &str,
        system: &ResolvedSystem,
        models: &[&ModelDescription],
        report: &mut Report,
    ) -> Option<Plan> {
        Self::parse_named("plan", text, system, models, report)
    }

    /// As [`Plan::parse`], for a text that has a name: a file's.
    ///
    /// # Panics
    /// If `models` has not one description per component.
    pub fn parse_named(
        name: &str,
        text: &str,
        system: &ResolvedSystem,
        models: &[&ModelDescription],
        report: &mut Report,
    ) -> Option<Plan> {
        assert_eq!(system.components.len(), models.len(), "one description per component");
        let before = report.error_count();
        let source = report.add_source(name, text);
        let lines = Line::all(text);
        let lookup = Lookup::new(system, models);
        let mut parser = Parser { source, lines, next: 0, lookup, report };
        let plan = parser.plan(text.len());
        (report.error_count() == before).then_some(plan)
    }
}

struct Parser<'t, 'r> {
    source: SourceId,
    lines: Vec<Line<'t>>,
    /// The next line to be read.
    next: usize,
    lookup: Lookup<'t>,
    report: &'r mut Report,
}

impl<'t> Parser<'t, '_> {
    fn plan(&mut self, end: usize) -> Plan {
        let mut plan = Plan {
            order: self.header(),
            initialization: Vec::new(),
            present: Vec::new(),
            advance: Vec::new(),
        };
        let mut found = [None; 3];
        while let Some(mut line) = self.peek() {
            self.next += 1;
            let first = line.word();
            if 0 < line.depth_in_spaces {
                self.indented_too_far(&line);
                self.skip_deeper_than(0);
                continue;
            }
            match first.text {
                "resolution" => self.resolution(&mut line),
                "every" => self.every(&mut line),
                title => match PROGRAMS.iter().position(|known| *known == title) {
                    None => {
                        self.unknown_keyword(first.span(self.source), title, &TOP_LEVEL);
                        self.skip_deeper_than(0);
                    }
                    Some(index) => {
                        self.finished(&mut line);
                        self.only_once(&mut found[index], first.span(self.source), title);
                        let stages = self.stages(1, 0);
                        *[&mut plan.initialization, &mut plan.present, &mut plan.advance][index] =
                            stages;
                    }
                },
            }
        }
        self.all_programs(&found, end);
        plan
    }

    fn peek(&self) -> Option<Line<'t>> {
        self.lines.get(self.next).copied()
    }

    fn header(&mut self) -> String {
        let derived = Order::Derived.name().to_owned();
        let Some(mut line) = self.peek() else {
            self.report
                .push(Diagnostic::error("plan::empty", "there is no plan in this text").help(
                    "the first line is `plan NAME order derived`; `consort plan` prints one",
                ));
            return derived;
        };
        let start = line.word();
        if start.text != "plan" {
            self.report.push(
                Diagnostic::error("plan::missing-header", "the text does not start with `plan`")
                    .at(start.span(self.source), "expected `plan`")
                    .help("the first line is `plan NAME order derived`"),
            );
            return derived;
        }
        self.next += 1;
        self.system_name(&mut line);
        let keyword = line.word();
        if keyword.text != "order" {
            self.syntax(keyword.span(self.source), "`order`", "as in `plan tanks order derived`");
            return derived;
        }
        self.order(&mut line)
    }

    fn system_name(&mut self, line: &mut Line<'t>) {
        let Some(name) = self.name(line, true, "the system's name") else { return };
        let wanted = &self.lookup.system.name;
        if name.value != *wanted {
            let message = format!("this is a plan for `{}`, not for `{wanted}`", name.value);
            self.report.push(
                Diagnostic::warning("plan::other-system", message)
                    .at(name.span(self.source), "another name")
                    .help("it is read as a plan for the system at hand"),
            );
        }
    }

    fn order(&mut self, line: &mut Line<'t>) -> String {
        let word = line.word();
        if Order::from_name(word.text).is_none() {
            let names = Order::ALL.map(|(_, name)| name);
            let message = format!("there is no order `{}`", word.text);
            self.report.push(
                Diagnostic::error("plan::unknown-order", message)
                    .at(word.span(self.source), "unknown")
                    .help(choices(word.text, &names)),
            );
        }
        self.finished(line);
        word.text.to_owned()
    }

    fn resolution(&mut self, line: &mut Line<'t>) {
        let rest = line.rest();
        let wanted = self.lookup.system.experiment.resolution.to_string();
        if rest.text != wanted {
            let message = format!("the system's resolution is {wanted}, not {}", rest.text);
            self.disagrees(rest.span(self.source), message);
        }
    }

    fn every(&mut self, line: &mut Line<'t>) {
        let number = line.word();
        let ticks = line.word();
        if ticks.text != "ticks" {
            self.syntax(ticks.span(self.source), "`ticks`", "as in `every 10 ticks tank`");
            return;
        }
        let Some(component) = self.component(line) else { return };
        self.finished(line);
        let system = self.lookup.system;
        let period = system.components[component.index()].period.ticks();
        if number.text != period.to_string() {
            let name = &system.components[component.index()].name;
            let message = format!("`{name}` steps every {period} ticks, not {}", number.text);
            self.disagrees(number.span(self.source), message);
        }
    }

    fn disagrees(&mut self, span: Span, message: String) {
        self.report.push(
            Diagnostic::error("plan::disagrees", message)
                .at(span, "does not agree with the system")
                .help("take it from the system, or leave the line out"),
        );
    }

    fn only_once(&mut self, found: &mut Option<Span>, span: Span, title: &str) {
        if let Some(first) = *found {
            let message = format!("the program `{title}` is written twice");
            self.report.push(
                Diagnostic::error("plan::repeated-program", message)
                    .at(span, "again")
                    .label(first, "first here")
                    .help("put all stages under one of them"),
            );
        }
        *found = Some(span);
    }

    fn all_programs(&mut self, found: &[Option<Span>; 3], end: usize) {
        let absent: Vec<&str> = PROGRAMS
            .iter()
            .zip(found)
            .filter(|(_, found)| found.is_none())
            .map(|(title, _)| *title)
            .collect();
        if absent.is_empty() || self.lines.is_empty() {
            return;
        }
        let message = format!("the plan lacks `{}`", absent.join("` and `"));
        self.report.push(
            Diagnostic::error("plan::missing-program", message)
                .at(Span::new(self.source, end..end), "the text ends here")
                .help("write each of `initialization`, `present` and `advance`, even if empty"),
        );
    }

    fn unknown_keyword(&mut self, span: Span, word: &str, known: &[&str]) {
        let message = match word {
            "" => "a keyword is missing".to_owned(),
            word => format!("`{word}` is not known here"),
        };
        self.report.push(
            Diagnostic::error("plan::unknown-keyword", message)
                .at(span, "unknown")
                .help(choices(word, known)),
        );
    }

    /// Takes a sign; `None` if there is something else, which is reported.
    fn expect(&mut self, line: &mut Line<'t>, sign: &str, what: &str, example: &str) -> Option<()> {
        if !line.eat(sign) {
            self.syntax(line.rest().span(self.source), what, example);
            return None;
        }
        Some(())
    }

    fn syntax(&mut self, span: Span, expected: &str, example: &str) {
        self.report.push(
            Diagnostic::error("plan::syntax", format!("expected {expected}"))
                .at(span, "found this instead")
                .help(format!("write it {example}")),
        );
    }

    fn indented_too_far(&mut self, line: &Line<'_>) {
        self.report.push(
            Diagnostic::error("plan::indentation", "this line is indented too far")
                .at(line.indent_span(self.source), "belongs to nothing above it")
                .help("indent by two spaces below what a line belongs to, with spaces only"),
        );
    }

    /// Nothing may follow on the line.
    fn finished(&mut self, line: &mut Line<'t>) {
        let rest = line.rest();
        if !rest.text.is_empty() {
            self.syntax(rest.span(self.source), "the end of the line", "on a line of its own");
        }
    }
}

const TOP_LEVEL: [&str; 5] = ["initialization", "present", "advance", "resolution", "every"];

/// The choice that was probably meant, or all of them.
fn choices(given: &str, known: &[&str]) -> String {
    match nearest_name(given, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("possible are `{}`", known.join("`, `")),
    }
}
