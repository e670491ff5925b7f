//! Comparisons and what they compare: sums, products, signs, powers, functions, signals.

use super::{Open, Parser, Phrase, PhraseKind};
use crate::tree::{Formula, Function, Operation, Term};
use crate::words::{self, COUNTING, OTHER_SIGNS};
use consort_core::text::{Readable, TokenKind};
use consort_core::{Comparison, Diagnostic};

const VALUE: &str = "write a number, a signal as in `tank.level`, or a formula in brackets";

impl Parser<'_> {
    pub(super) fn comparison(&mut self) -> Readable<Phrase> {
        let left = self.sum()?;
        let Some(comparison) = self.comparison_sign() else { return Ok(left) };
        let start = left.start;
        let right = self.sum()?;
        let token = self.peek().clone();
        if self.comparison_sign().is_some() {
            let message = "comparisons cannot be strung together";
            let diagnostic = Diagnostic::error("property::comparison", message)
                .at(self.span(&token), "a second comparison")
                .help("write it as in `a < b and b < c`");
            self.report.push(diagnostic);
            self.sum()?;
        }
        let (left, right) = (self.term(left), self.term(right));
        let formula = Formula::Compare(comparison, left, right);
        Ok(Phrase { open: Open::No, ..self.made(PhraseKind::Formula(formula), start) })
    }

    fn comparison_sign(&mut self) -> Option<Comparison> {
        let mut signs = Comparison::ALL.into_iter().chain(OTHER_SIGNS);
        let (comparison, _) = signs.find(|(_, sign)| self.sees(sign))?;
        self.advance();
        Some(comparison)
    }

    fn sum(&mut self) -> Readable<Phrase> {
        let signs = [("+", Operation::Add), ("-", Operation::Subtract)];
        self.chain(&signs, Self::product)
    }

    fn product(&mut self) -> Readable<Phrase> {
        let signs = [("*", Operation::Multiply), ("/", Operation::Divide)];
        self.chain(&signs, Self::signed)
    }

    /// Operands joined from the left.
    fn chain(
        &mut self,
        signs: &[(&str, Operation)],
        operand: fn(&mut Self) -> Readable<Phrase>,
    ) -> Readable<Phrase> {
        let mut left = operand(self)?;
        let mut count = 0;
        while let Some((_, operation)) = signs.iter().find(|(sign, _)| self.sees(sign)) {
            self.advance();
            count += 1;
            if super::DEPTH_MAX < count {
                return self.fail("fewer operators in a row", "use brackets");
            }
            let (start, right) = (left.start, operand(self)?);
            let (a, b) = (self.term(left), self.term(right));
            let term = Term::Operation(*operation, Box::new(a), Box::new(b));
            left = self.made(PhraseKind::Term(term), start);
        }
        Ok(left)
    }

    fn signed(&mut self) -> Readable<Phrase> {
        let start = self.peek().range.start;
        if self.takes("-") {
            let inner = self.nested(Self::signed)?;
            let term = Term::Function(Function::Negate, Box::new(self.term(inner)));
            return Ok(self.made(PhraseKind::Term(term), start));
        }
        if self.takes("+") {
            return self.nested(Self::signed);
        }
        self.power()
    }

    fn power(&mut self) -> Readable<Phrase> {
        let base = self.primary()?;
        if !self.takes("^") {
            return Ok(base);
        }
        let start = base.start;
        let exponent = self.nested(Self::signed)?;
        let (base, exponent) = (self.term(base), self.term(exponent));
        let term = Term::Operation(Operation::Power, Box::new(base), Box::new(exponent));
        Ok(self.made(PhraseKind::Term(term), start))
    }

    fn primary(&mut self) -> Readable<Phrase> {
        let start = self.peek().range.start;
        match self.peek().kind {
            TokenKind::Number => Ok(self.number()),
            TokenKind::Word => self.word(),
            TokenKind::Quoted => {
                let token = self.advance();
                let name = self.unquoted(&token);
                let place = self.signal(name, self.span(&token));
                Ok(self.made(PhraseKind::Term(Term::Signal(place)), start))
            }
            _ if self.sees("(") => self.group(),
            _ if self.sees("[") => {
                self.fail("a value", "an interval follows its operator, as in `always[0:10]`")
            }
            _ => self.fail("a value", VALUE),
        }
    }

    fn number(&mut self) -> Phrase {
        let token = self.advance();
        let value = self.value_of(&token);
        if value.is_none() {
            let text = self.text_of(&token);
            let message = format!("`{text}` is too large for a number");
            let diagnostic = Diagnostic::error("property::number", message)
                .at(self.span(&token), "cannot be read")
                .help("write numbers as in `9.81` or `1.5e-3`");
            self.report.push(diagnostic);
        }
        self.made(PhraseKind::Term(Term::Number(value.unwrap_or(1.0))), token.range.start)
    }

    fn word(&mut self) -> Readable<Phrase> {
        let word = self.peek_text();
        let start = self.peek().range.start;
        match word {
            "true" | "false" => {
                self.advance();
                Ok(self.made(PhraseKind::Formula(Formula::Constant(word == "true")), start))
            }
            "rise" | "fall" => self.edge(word == "fall"),
            "event" | "tick" => self.instant(word == "event"),
            _ if COUNTING.contains(&word) => self.counting(word),
            _ if words::is_keyword(word) => self.fail("a value", VALUE),
            _ => self.name(word),
        }
    }

    /// A signal, or a function of numbers.
    fn name(&mut self, word: &str) -> Readable<Phrase> {
        let token = self.advance();
        let (start, span) = (token.range.start, self.span(&token));
        if !self.sees("(") {
            let kind = PhraseKind::Term(Term::Signal(self.signal(word, span)));
            return Ok(self.made(kind, start));
        }
        if let Some(function) = words::function(word) {
            let inner = self.group()?;
            let term = Term::Function(function, Box::new(self.term(inner)));
            return Ok(self.made(PhraseKind::Term(term), start));
        }
        if let Some(operation) = words::operation(word) {
            return self.several(operation, start);
        }
        self.unknown_function(word, span);
        self.advance();
        self.skip_group()?;
        Ok(self.made(PhraseKind::Unknown, start))
    }

    /// `min(a, b, c)`, `pow(a, b)`.
    fn several(&mut self, operation: Operation, start: usize) -> Readable<Phrase> {
        self.advance();
        let mut terms = Vec::new();
        loop {
            let phrase = self.phrase()?;
            terms.push(self.term(phrase));
            if !self.takes(",") {
                break;
            }
        }
        self.expect(")", "close the bracket, or put a `,` between arguments")?;
        let fits = match operation {
            Operation::Power => terms.len() == 2,
            _ => 2 <= terms.len() && terms.len() <= super::DEPTH_MAX,
        };
        if !fits {
            self.wrong_count(start, terms.len());
        }
        let join = |a, b| Term::Operation(operation, Box::new(a), Box::new(b));
        let term = terms.into_iter().reduce(join).unwrap_or(Term::Number(0.0));
        Ok(self.made(PhraseKind::Term(term), start))
    }

    fn wrong_count(&mut self, start: usize, count: usize) {
        let span = self.made(PhraseKind::Unknown, start);
        let message = format!("{count} arguments are not what this function takes");
        let diagnostic = Diagnostic::error("property::arguments", message)
            .at(self.span_of_phrase(&span), "too few or too many")
            .help("`pow(a, b)` takes two; `min` and `max` take two or more");
        self.report.push(diagnostic);
    }

    /// `rise(a)`, `fall(a)`: the latter is the rise of the opposite.
    fn edge(&mut self, is_fall: bool) -> Readable<Phrase> {
        let start = self.advance().range.start;
        let inner = self.group()?;
        let inner = self.formula(inner);
        let inner = if is_fall { Formula::Not(Box::new(inner)) } else { inner };
        let formula = Formula::Rise(Box::new(inner));
        Ok(Phrase { open: Open::Group, ..self.made(PhraseKind::Formula(formula), start) })
    }

    /// `event(a.x)`, `tick(a.c)`: of a signal, not of a formula.
    fn instant(&mut self, is_event: bool) -> Readable<Phrase> {
        let token = self.advance();
        let (start, word) = (token.range.start, self.text_of(&token));
        let inner = self.group()?;
        let span = self.span_of_phrase(&inner);
        let formula = match inner.kind {
            PhraseKind::Term(Term::Signal(place)) if is_event => Formula::Event(place),
            PhraseKind::Term(Term::Signal(place)) => Formula::Tick(place),
            PhraseKind::Unknown => Formula::Constant(true),
            _ => {
                let message = format!("`{word}` is about one signal");
                let diagnostic = Diagnostic::error("property::not-a-signal", message)
                    .at(span, "is not a signal")
                    .help("write it as in `event(door.open)`; for formulas there are `rise` and `fall`");
                self.report.push(diagnostic);
                Formula::Constant(true)
            }
        };
        Ok(Phrase { open: Open::Group, ..self.made(PhraseKind::Formula(formula), start) })
    }

    /// Operators of other tools that count samples.
    fn counting(&mut self, word: &str) -> Readable<Phrase> {
        let token = self.advance();
        let message = format!("`{word}` counts samples, and this language knows time only");
        let diagnostic = Diagnostic::error("property::counts-samples", message)
            .at(self.span(&token), "not an operator here")
            .help("say when: `eventually[0.1:0.1] a` looks 0.1 s ahead, `once[0.1:0.1] a` back");
        self.report.push(diagnostic);
        let inner = self.nested(Self::unary)?;
        Ok(Phrase { kind: PhraseKind::Unknown, ..inner })
    }
}
