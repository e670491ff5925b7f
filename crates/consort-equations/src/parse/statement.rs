//! Declarations, equations, events and functions.

use super::Parser;
use crate::tree::{
    Equation, EquationModel, Event, EventAssignment, Expression, Function, Kind, Name,
    VariableDeclaration,
};
use consort_core::Diagnostic;
use consort_core::diagnostic::nearest_name;
use consort_core::text::{Readable, TokenKind, Unreadable};

const KINDS: [Kind; 6] =
    [Kind::Parameter, Kind::Input, Kind::State, Kind::Discrete, Kind::Output, Kind::Variable];

impl Parser<'_> {
    pub(super) fn model(&mut self) -> EquationModel {
        let mut model = EquationModel::default();
        if self.header(&mut model).is_err() {
            self.skip_line();
        }
        while !self.at_end() && !self.sees("end") {
            let line = self.taken();
            if self.statement(&mut model).and_then(|()| self.line_end()).is_err() {
                self.recover(line);
            }
        }
        let end = self.expect("end", "a model ends with a line `end`");
        if end.is_ok() && !self.at_end() {
            let _ = self.fail::<()>("nothing after `end`", "a text holds one model");
        }
        model
    }

    fn header(&mut self, model: &mut EquationModel) -> Readable<()> {
        self.expect("model", "the first line is `model NAME`")?;
        model.name = self.name("the model's name")?;
        model.description = self.text().map_or(String::new(), |text| text.text);
        self.line_end()
    }

    /// Continues at the next line, past at least one token.
    fn recover(&mut self, line: usize) {
        if self.taken() == line || !self.peek().starts_line {
            self.skip_line();
        }
    }

    fn line_end(&mut self) -> Readable<()> {
        if self.takes(";") || self.peek().starts_line || self.sees("end") {
            return Ok(());
        }
        let help = match self.peek_text() {
            "," => "write a decimal point: `0.5`; put each statement on a line of its own",
            _ => "put each statement on a line of its own",
        };
        self.fail("the end of the line", help)
    }

    fn statement(&mut self, model: &mut EquationModel) -> Readable<()> {
        let word = self.peek_text();
        if let Some(kind) = KINDS.into_iter().find(|kind| kind.keyword() == word) {
            self.advance();
            let shown = [Kind::State, Kind::Discrete].into_iter();
            let shown = shown.filter(|_| kind == Kind::Output).find(|it| self.takes(it.keyword()));
            let mut declaration = self.declaration(shown.unwrap_or(kind))?;
            declaration.is_output = shown.is_some();
            model.declarations.push(declaration);
            return Ok(());
        }
        match word {
            "function" => model.functions.push(self.function()?),
            "when" => model.events.push(self.event()?),
            "der" => model.equations.push(self.derivative()?),
            "experiment" if !self.follower_is("=") => self.experiment(&mut model.experiment)?,
            _ => model.equations.push(self.value()?),
        }
        Ok(())
    }

    fn declaration(&mut self, kind: Kind) -> Readable<VariableDeclaration> {
        let name = self.name("a name")?;
        let value = if self.takes("=") { Some(self.expression()?) } else { None };
        let mut declaration = VariableDeclaration::new(kind, name, value);
        declaration.unit = self.text().unwrap_or_default();
        declaration.description = self.text().map_or(String::new(), |text| text.text);
        while !self.peek().starts_line && self.peek().kind == TokenKind::Word && !self.sees("end") {
            self.attribute(&mut declaration)?;
        }
        Ok(declaration)
    }

    /// `nominal 10`, `min 0` or `max 1` behind a declaration.
    fn attribute(&mut self, declaration: &mut VariableDeclaration) -> Readable<()> {
        let field = match self.peek_text() {
            "nominal" => &mut declaration.nominal,
            "min" => &mut declaration.min,
            "max" => &mut declaration.max,
            _ => {
                return self.fail(
                    "the end of the line",
                    "after a value come its unit and a description in quotes, \
                     then `nominal`, `min` and `max`",
                );
            }
        };
        self.advance();
        *field = Some(self.signed_number()?);
        Ok(())
    }

    fn signed_number(&mut self) -> Readable<f64> {
        let sign = if self.takes("-") { -1.0 } else { 1.0 };
        match self.peek().kind {
            TokenKind::Number => {
                let token = self.advance();
                Ok(sign * self.number_of(&token))
            }
            _ => self.fail("a number", "write it as in `nominal 100 min 0`"),
        }
    }

    /// A text in quotes on the same line.
    fn text(&mut self) -> Option<Name> {
        if self.peek().kind != TokenKind::Quoted || self.peek().starts_line {
            return None;
        }
        let token = self.advance();
        Some(Name { text: self.unquoted(&token).to_owned(), span: Some(self.span(&token)) })
    }

    fn function(&mut self) -> Readable<Function> {
        const HELP: &str = "write it as in `function square(x) = x*x`";
        self.advance();
        let name = self.name("the function's name")?;
        self.expect("(", HELP)?;
        let mut parameters = Vec::new();
        while !self.sees(")") {
            parameters.push(self.name("the name of an argument")?);
            if !self.takes(",") {
                break;
            }
        }
        self.expect(")", HELP)?;
        self.expect("=", HELP)?;
        let body = self.expression()?;
        Ok(Function { name, parameters, body })
    }

    fn derivative(&mut self) -> Readable<Equation> {
        const HELP: &str = "write it as in `der(x) = -k*x`";
        self.advance();
        self.expect("(", HELP)?;
        let name = self.name("the name of a state")?;
        self.expect(")", HELP)?;
        self.expect("=", HELP)?;
        Ok(Equation::derivative(name, self.expression()?))
    }

    fn value(&mut self) -> Readable<Equation> {
        let word = self.peek_text();
        if self.peek().kind == TokenKind::Word && !self.follower_is("=") {
            return self.unknown_statement(word);
        }
        let (name, right) = self.assigned()?;
        Ok(Equation::value(name, right))
    }

    fn assigned(&mut self) -> Readable<(Name, Expression)> {
        const HELP: &str = "write it as in `x = 2*y`";
        let name = self.name("an assignment such as `x = 2*y`")?;
        self.expect("=", HELP)?;
        Ok((name, self.expression()?))
    }

    fn unknown_statement<T>(&mut self, word: &str) -> Readable<T> {
        let token = self.peek().clone();
        let words = KINDS.map(Kind::keyword).into_iter().chain([
            "function",
            "when",
            "der",
            "experiment",
            "end",
        ]);
        let help = match nearest_name(word, words) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "a statement is a declaration, an equation such as `x = 2*y`, `function`, \
                     `when` or `experiment`"
                .to_owned(),
        };
        let message = format!("no statement starts with `{word}`");
        let diagnostic = Diagnostic::error("equations::statement", message)
            .at(self.span(&token), "unknown")
            .help(help);
        self.report.push(diagnostic);
        Err(Unreadable)
    }

    /// Whether the token behind the next one is this symbol.
    fn follower_is(&self, text: &str) -> bool {
        self.text_of(self.follower()) == text
    }

    fn event(&mut self) -> Readable<Event> {
        let Ok(mut event) = self.event_header() else {
            // What belongs to the event is not looked at, so that its `end` does not end the model.
            while !self.at_end() && !self.takes("end") {
                self.advance();
            }
            return Err(Unreadable);
        };
        while !self.at_end() && !self.sees("end") {
            let line = self.taken();
            match self.assigned().and_then(|found| self.line_end().map(|()| found)) {
                Ok((name, value)) => event.assignments.push(EventAssignment { name, value }),
                Err(Unreadable) => self.recover(line),
            }
        }
        self.expect("end", "an event ends with a line `end`")?;
        Ok(event)
    }

    fn event_header(&mut self) -> Readable<Event> {
        const HELP: &str = "write it as in `when h < 0 then`, assignments, and `end`";
        let start = self.advance().range.start;
        let condition = self.expression()?;
        let (mut delay, mut priority) = (None, None);
        loop {
            if self.takes("after") {
                delay = Some(self.expression()?);
            } else if self.takes("priority") {
                priority = Some(self.expression()?);
            } else {
                break;
            }
        }
        if self.sees("=") {
            return self.fail("`==` to compare", "a single `=` defines, `==` compares");
        }
        self.expect("then", HELP)?;
        let mut event = Event::new(condition, Vec::new());
        (event.delay, event.priority) = (delay, priority);
        event.span = Some(self.span_since(start));
        Ok(event)
    }
}
