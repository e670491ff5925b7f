//! `experiment stop 10 step 0.01 tolerance 1e-6`: what a run of the model alone is like.

use super::Parser;
use crate::tree::ModelExperiment;
use consort_core::Diagnostic;
use consort_core::solving::is_tolerance;
use consort_core::text::{Readable, Token, TokenKind, Unreadable};

const HELP: &str = "write it as in `experiment stop 10 step 0.01 tolerance 1e-6`; each part may be \
                    left out";

impl Parser<'_> {
    pub(super) fn experiment(&mut self, experiment: &mut ModelExperiment) -> Readable<()> {
        let word = self.advance();
        if *experiment != ModelExperiment::default() {
            return self.wrong(&word, "there are two experiments", "again", "keep one of them");
        }
        while !self.peek().starts_line && !self.sees(";") && !self.sees("end") {
            let part = self.peek().clone();
            let field = match self.peek_text() {
                "stop" => &mut experiment.stop,
                "step" => &mut experiment.step,
                "tolerance" => &mut experiment.tolerance,
                _ => return self.fail("`stop`, `step` or `tolerance`", HELP),
            };
            self.advance();
            let number = self.setting(&part)?;
            if field.replace(number).is_some() {
                let message = format!("`{}` is said twice", self.text_of(&part));
                return self.wrong(&part, &message, "again", "keep one of them");
            }
        }
        match *experiment == ModelExperiment::default() {
            true => self.fail("`stop`, `step` or `tolerance`", HELP),
            false => Ok(()),
        }
    }

    /// The number behind a part, as written.
    fn setting(&mut self, part: &Token) -> Readable<String> {
        let token = self.peek().clone();
        let name = self.text_of(part);
        if token.kind != TokenKind::Number {
            return self.fail("a number", HELP);
        }
        let value = self.number_of(&token);
        self.advance();
        if name == "tolerance" && !is_tolerance(value) {
            let help = "write a relative tolerance such as `1e-6`";
            return self.wrong(&token, "the tolerance is not between 0 and 1", "outside", help);
        }
        if value <= 0.0 {
            let message = format!("the {name} of the experiment is not more than zero");
            return self.wrong(&token, &message, "must be more than zero", HELP);
        }
        Ok(self.text_of(&token).to_owned())
    }

    fn wrong<T>(&mut self, token: &Token, message: &str, label: &str, help: &str) -> Readable<T> {
        let diagnostic = Diagnostic::error("equations::experiment", message);
        let diagnostic = diagnostic.at(self.span(token), label).help(help);
        self.report.push(diagnostic);
        Err(Unreadable)
    }
}
