//! From text to the tree: every mistake at once, each with its place and a help.
//!
//! A hand-written parser by precedence climbing, as that of `consort-equations`: the language is small,
//! and only so does every mistake get a message of its own. What other tools read differently, such as
//! `always a -> b`, is refused until brackets say what is meant. After a mistake inside brackets reading
//! continues behind them.

mod interval;
mod value;

use crate::lexer;
use crate::tree::{Formula, Joint, Term};
use crate::words::{self, JOINTS, Temporal};
use consort_core::diagnostic::nearest_name;
use consort_core::text::{Cursor, Readable, Token, TokenKind, Unreadable};
use consort_core::{Diagnostic, Report, Span};
use std::ops::{Deref, DerefMut};

/// How deep formulas may be nested.
pub(crate) const DEPTH_MAX: usize = 64;
/// The longest text that is read, in bytes.
pub(crate) const TEXT_MAX: usize = 1 << 16;

/// What a text says.
pub(crate) struct Parsed {
    pub(crate) formula: Formula,
    /// In the order of their first mention.
    pub(crate) signals: Vec<(String, Span)>,
}

/// Reads a formula; `None` if there was an error, which was reported.
pub(crate) fn parse(source: &str, text: &str, report: &mut Report) -> Option<Parsed> {
    let errors = report.error_count();
    if TEXT_MAX < text.len() {
        let message = format!("the property is longer than {TEXT_MAX} bytes");
        let diagnostic = Diagnostic::error("property::too-long", message);
        report.push(diagnostic.help("split it into several properties"));
        return None;
    }
    let source = report.add_source(source, text);
    let tokens = lexer::tokens(text, source, report)?;
    let signals = Vec::new();
    let cursor = Cursor::new((source, text), tokens, "property::syntax", report);
    let mut parser = Parser { cursor, signals };
    let formula = parser.whole().unwrap_or(Formula::Constant(true));
    let signals = parser.signals;
    (report.error_count() == errors).then_some(Parsed { formula, signals })
}

/// A parsed phrase, with its place.
struct Phrase {
    kind: PhraseKind,
    start: usize,
    end: usize,
    /// How it could be mistaken for a part of something longer.
    open: Open,
}

enum PhraseKind {
    Formula(Formula),
    Term(Term),
    /// A mistake that was reported; stands for anything.
    Unknown,
}

/// Whether brackets are missing if an operator follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    No,
    /// Stands in brackets, or is an operator with its operand in brackets.
    Group,
    /// Ends in the operand of `always` and the like.
    Prefix,
    /// Is, without brackets, `a until b`.
    Hold,
}

struct Parser<'t> {
    cursor: Cursor<'t>,
    signals: Vec<(String, Span)>,
}

impl<'t> Deref for Parser<'t> {
    type Target = Cursor<'t>;

    fn deref(&self) -> &Cursor<'t> {
        &self.cursor
    }
}

impl DerefMut for Parser<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cursor
    }
}

impl Parser<'_> {
    fn span_of_phrase(&self, phrase: &Phrase) -> Span {
        self.span_of(phrase.start..phrase.end)
    }

    fn made(&self, kind: PhraseKind, start: usize) -> Phrase {
        let end = self.since(start).end;
        Phrase { kind, start, end, open: Open::No }
    }

    /// Parses the whole text.
    fn whole(&mut self) -> Readable<Formula> {
        if self.at_end() {
            return self.fail("a formula", "write it as in `always[0:10] (tank.level < 2)`");
        }
        let phrase = self.phrase()?;
        let formula = self.formula(phrase);
        if !self.at_end() {
            let help = match self.peek_text() {
                "[" => "an interval follows an operator, as in `always[0:10]`",
                ")" => "this bracket was never opened: leave it out",
                _ => "join conditions with `and`, `or`, `implies`",
            };
            return self.fail("the end of the formula", help);
        }
        Ok(formula)
    }

    /// A formula or a term, of any strength.
    fn phrase(&mut self) -> Readable<Phrase> {
        self.nested(|parser| parser.joined(0))
    }

    /// Runs `read` one level deeper.
    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Readable<Phrase>) -> Readable<Phrase> {
        if self.depth == DEPTH_MAX {
            let span = self.span(self.peek());
            let message = format!("a formula is nested deeper than {DEPTH_MAX}");
            let diagnostic = Diagnostic::error("property::too-deep", message)
                .at(span, "too deep")
                .help("split the property into several");
            self.report.push(diagnostic);
            return Err(Unreadable);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Formulas joined by the words of one level; `implies` from the right, the others from the left.
    fn joined(&mut self, level: usize) -> Readable<Phrase> {
        let Some(words) = JOINTS.get(level) else { return self.until() };
        let mut left = self.joined(level + 1)?;
        let mut count = 0;
        while let Some(joint) = words.iter().find(|(word, _)| self.sees(word)).map(|(_, j)| *j) {
            let sign = self.advance();
            count += 1;
            if DEPTH_MAX < count {
                return self
                    .fail("fewer operators in a row", "use brackets, or several properties");
            }
            let right = match joint {
                Joint::Implies => self.nested(|parser| parser.joined(level))?,
                _ => self.joined(level + 1)?,
            };
            self.check_brackets(&left, &right, &sign);
            left = self.join(joint, left, right);
        }
        Ok(left)
    }

    fn join(&mut self, joint: Joint, left: Phrase, right: Phrase) -> Phrase {
        let (start, open) = match right.open {
            Open::Group => (left.start, Open::No),
            open => (left.start, open),
        };
        let (left, right) = (self.formula(left), self.formula(right));
        let formula = Formula::Join(joint, Box::new(left), Box::new(right));
        Phrase { open, ..self.made(PhraseKind::Formula(formula), start) }
    }

    /// Refuses what other tools read differently.
    fn check_brackets(&mut self, left: &Phrase, right: &Phrase, sign: &Token) {
        let unclear = match (left.open, right.open) {
            (Open::Prefix | Open::Hold, _) => left,
            (_, Open::Hold) => right,
            _ => return,
        };
        let word = self.text_of(sign);
        let message = format!("ambiguous: add parentheses around the operator before `{word}`");
        let diagnostic = Diagnostic::error("property::brackets", message)
            .at(self.span(sign), "inside or outside?")
            .label(self.span_of_phrase(unclear), "brackets are missing here")
            .help("put brackets around the operator with what belongs to it, as in `(always a) -> b` or `always (a -> b)`");
        self.report.push(diagnostic);
    }

    /// `a until[0:5] b`, `a since b`.
    fn until(&mut self) -> Readable<Phrase> {
        let hold = self.unary()?;
        let Some(way) = self.hold_ahead() else { return Ok(hold) };
        let sign = self.advance();
        let bounds = self.bounds()?;
        let goal = self.unary()?;
        self.check_brackets(&hold, &goal, &sign);
        if self.hold_ahead().is_some() {
            return self.fail("brackets", "write `(a until b) until c` or `a until (b until c)`");
        }
        let start = hold.start;
        let (hold, goal) = (self.formula(hold), self.formula(goal));
        let formula = Formula::Hold(way, bounds, Box::new(hold), Box::new(goal));
        Ok(Phrase { open: Open::Hold, ..self.made(PhraseKind::Formula(formula), start) })
    }

    fn hold_ahead(&self) -> Option<crate::tree::Way> {
        match words::temporal(self.peek_text()) {
            Some(Temporal::Hold(way)) if self.peek().kind == TokenKind::Word => Some(way),
            _ => None,
        }
    }

    /// What stands before its operand: `not`, `always` and the like.
    fn unary(&mut self) -> Readable<Phrase> {
        let start = self.peek().range.start;
        if self.takes("not") || self.takes("!") {
            let inner = self.nested(Self::unary)?;
            let open = inner.open;
            let formula = Formula::Not(Box::new(self.formula(inner)));
            return Ok(Phrase { open, ..self.made(PhraseKind::Formula(formula), start) });
        }
        let word = self.peek_text();
        let temporal = words::temporal(word).filter(|_| self.peek().kind == TokenKind::Word);
        match temporal {
            Some(Temporal::Hold(_)) => {
                let help = format!("`{word}` stands between two formulas, as in `a {word}[0:5] b`");
                self.fail("a formula", &help)
            }
            Some(temporal) => self.prefix(temporal),
            None => self.comparison(),
        }
    }

    fn prefix(&mut self, temporal: Temporal) -> Readable<Phrase> {
        let start = self.advance().range.start;
        let bounds = self.bounds()?;
        let inner = self.nested(Self::unary)?;
        let open = if inner.open == Open::Group { Open::Group } else { Open::Prefix };
        let formula = Box::new(self.formula(inner));
        let formula = match temporal {
            Temporal::All(way) => Formula::All(way, bounds, formula),
            Temporal::Some(way) | Temporal::Hold(way) => Formula::Some(way, bounds, formula),
        };
        Ok(Phrase { open, ..self.made(PhraseKind::Formula(formula), start) })
    }

    /// As a condition: a formula as it is, a signal where it is not zero.
    fn formula(&mut self, phrase: Phrase) -> Formula {
        let span = self.span_of_phrase(&phrase);
        match phrase.kind {
            PhraseKind::Formula(formula) => formula,
            PhraseKind::Term(Term::Signal(place)) => Formula::Signal(place),
            PhraseKind::Term(_) => {
                let diagnostic =
                    Diagnostic::error("property::not-a-condition", "a number is no condition")
                        .at(span, "is a number")
                        .help("compare it, as in `tank.level - 1 < 2`");
                self.report.push(diagnostic);
                Formula::Constant(true)
            }
            PhraseKind::Unknown => Formula::Constant(true),
        }
    }

    /// The phrase as a number.
    fn term(&mut self, phrase: Phrase) -> Term {
        let span = self.span_of_phrase(&phrase);
        match phrase.kind {
            PhraseKind::Term(term) => term,
            PhraseKind::Formula(_) => {
                let message = "a condition is no number";
                let diagnostic = Diagnostic::error("property::not-a-number", message)
                    .at(span, "is true or false")
                    .help("join conditions with `and`, `or` and `not`; compare numbers only");
                self.report.push(diagnostic);
                Term::Number(0.0)
            }
            PhraseKind::Unknown => Term::Number(0.0),
        }
    }

    /// What brackets hold; after a mistake in them reading continues behind them.
    fn group(&mut self) -> Readable<Phrase> {
        let start = self.peek().range.start;
        self.expect("(", "put it in brackets")?;
        let depth = self.depth;
        let inner = self.phrase();
        let closed = inner.and_then(|inner| {
            self.expect(")", "close the bracket")?;
            Ok(inner.kind)
        });
        let kind = match closed {
            Ok(kind) => kind,
            Err(Unreadable) => {
                self.depth = depth;
                self.skip_group()?;
                PhraseKind::Unknown
            }
        };
        Ok(Phrase { open: Open::Group, ..self.made(kind, start) })
    }

    /// Continues behind the bracket that closes the group; it is not there at the end of the text.
    fn skip_group(&mut self) -> Readable<()> {
        let mut open = 1;
        while !self.at_end() {
            match self.peek_text() {
                "(" => open += 1,
                ")" => open -= 1,
                _ => {}
            }
            self.advance();
            if open == 0 {
                return Ok(());
            }
        }
        Err(Unreadable)
    }

    /// The place of a signal, which is new unless it was named before.
    fn signal(&mut self, name: &str, span: Span) -> usize {
        let known = self.signals.iter().position(|(known, _)| known == name);
        known.unwrap_or_else(|| {
            self.signals.push((name.to_owned(), span));
            self.signals.len() - 1
        })
    }

    /// A name followed by a bracket that is no function.
    fn unknown_function(&mut self, name: &str, span: Span) {
        let message = format!("there is no operator or function `{name}`");
        let diagnostic = Diagnostic::error("property::unknown-function", message);
        let help = match nearest_name(name, words::callable()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "operators are `always`, `eventually`, `until`, `historically`, `once`, `since`; see docs/properties.md".to_owned(),
        };
        self.report.push(diagnostic.at(span, "unknown").help(help));
    }
}
