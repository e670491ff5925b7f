//! Intervals: `[0:10]`, `[0, 500ms]`, `[2:inf]`.

use super::Parser;
use crate::tree::Bounds;
use crate::words::UNITS;
use consort_core::diagnostic::nearest_name;
use consort_core::text::{Readable, TokenKind};
use consort_core::{Diagnostic, Seconds, Span};

const HELP: &str = "write it as in `[0:10]`, in seconds, or `[0:500ms]`";

impl Parser<'_> {
    /// From when to when an operator looks; without brackets always, or since ever.
    pub(super) fn bounds(&mut self) -> Readable<Bounds> {
        if !self.sees("[") {
            return Ok(Bounds { from: Seconds::ZERO, to: None });
        }
        let start = self.advance().range.start;
        let from = self.time()?.unwrap_or_else(|| self.infinite_start(start));
        if !self.takes(":") && !self.takes(",") {
            return self.fail("`:` and the end of the interval", HELP);
        }
        let to = self.time()?;
        let end = self.peek().range.end;
        self.expect("]", HELP)?;
        if let Some(to) = to.filter(|to| *to < from) {
            self.backward(self.span_of(start..end), to, from);
        }
        Ok(Bounds { from, to })
    }

    /// A time; `None` if it is infinite.
    fn time(&mut self) -> Readable<Option<Seconds>> {
        if self.takes("inf") || self.takes("infinity") || self.takes("end") {
            return Ok(None);
        }
        let start = self.peek().range.start;
        if self.takes("-") {
            return self.negative(start);
        }
        if self.peek().kind != TokenKind::Number {
            return self.fail("a time", HELP);
        }
        let number = self.advance();
        let mut text = self.text_of(&number).to_owned();
        if self.takes("/") {
            if self.peek().kind != TokenKind::Number {
                return self.fail("a whole number", "write a fraction as in `1/30`");
            }
            let below = self.advance();
            text = format!("{text}/{}", self.text_of(&below));
        }
        let (above, below) = self.unit();
        let span = self.made(super::PhraseKind::Unknown, start);
        let span = self.span_of_phrase(&span);
        let seconds = text.parse().ok().and_then(|seconds| scaled(seconds, above, below));
        Ok(Some(seconds.unwrap_or_else(|| self.no_time(span, &text))))
    }

    /// The unit behind a number, as a fraction of a second.
    fn unit(&mut self) -> (i64, u64) {
        let word = self.peek_text();
        if self.peek().kind != TokenKind::Word || word == "inf" {
            return (1, 1);
        }
        let token = self.advance();
        if let Some((_, above, below)) = UNITS.iter().find(|(name, ..)| *name == word) {
            return (*above, *below);
        }
        let message = format!("`{word}` is no unit of time");
        let diagnostic =
            Diagnostic::error("property::unit", message).at(self.span(&token), "unknown unit");
        let help = match nearest_name(word, UNITS.iter().map(|(name, ..)| *name)) {
            Some(near) => format!("did you mean `{near}`? Units are s, ms, us, ns, min, h"),
            None => "units are s, ms, us, ns, min, h".to_owned(),
        };
        self.report.push(diagnostic.help(help));
        (1, 1)
    }

    fn infinite_start(&mut self, start: usize) -> Seconds {
        let span = self.span_of(start..self.peek().range.start);
        let diagnostic =
            Diagnostic::error("property::interval", "an interval cannot start at infinity")
                .at(span, "starts never")
                .help(HELP);
        self.report.push(diagnostic);
        Seconds::ZERO
    }

    fn negative(&mut self, start: usize) -> Readable<Option<Seconds>> {
        if self.peek().kind == TokenKind::Number {
            self.advance();
            self.unit();
        }
        let phrase = self.made(super::PhraseKind::Unknown, start);
        let diagnostic = Diagnostic::error("property::interval", "an interval cannot be negative")
            .at(self.span_of_phrase(&phrase), "less than zero")
            .help(
                "for what was before use `historically`, `once` or `since`: they count backwards",
            );
        self.report.push(diagnostic);
        Ok(Some(Seconds::ZERO))
    }

    fn no_time(&mut self, span: Span, text: &str) -> Seconds {
        let message = format!("`{text}` is no time");
        let diagnostic = Diagnostic::error("property::time", message)
            .at(span, "has more digits than 64 bits hold, or is divided by zero")
            .help("round it, or write a simpler fraction");
        self.report.push(diagnostic);
        Seconds::ZERO
    }

    fn backward(&mut self, span: Span, to: Seconds, from: Seconds) {
        let message = format!("the interval ends at {to} s, before its start at {from} s");
        let diagnostic = Diagnostic::error("property::interval", message)
            .at(span, "ends before it starts")
            .help("swap the two times");
        self.report.push(diagnostic);
    }
}

/// `seconds * above / below`, where that fits.
fn scaled(seconds: Seconds, above: i64, below: u64) -> Option<Seconds> {
    let numerator = seconds.numerator().checked_mul(above)?;
    Seconds::new(numerator, seconds.denominator().checked_mul(below)?)
}
