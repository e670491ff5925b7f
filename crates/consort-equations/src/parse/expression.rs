//! Expressions, by precedence climbing: from weak to strong `implies`, `or`, `xor`, `and`, `not`,
//! comparisons, sums, products, a sign, powers.

use super::{DEPTH_MAX, Parser, RESERVED};
use crate::builtin::Builtin;
use crate::tree::{Expression, ExpressionKind, Name};
use consort_core::Diagnostic;
use consort_core::text::{Readable, Token, TokenKind, Unreadable};

const COMPARISONS: [Builtin; 6] = [
    Builtin::Less,
    Builtin::LessEqual,
    Builtin::Greater,
    Builtin::GreaterEqual,
    Builtin::Equal,
    Builtin::NotEqual,
];

impl Parser<'_> {
    /// An expression or a condition.
    pub(super) fn expression(&mut self) -> Readable<Expression> {
        self.nested(|parser| {
            let start = parser.peek().range.start;
            let left = parser.logical(0)?;
            if !parser.takes("implies") {
                return Ok(left);
            }
            let right = parser.expression()?;
            Ok(parser.made(start, Builtin::Implies, vec![left, right]))
        })
    }

    /// Runs `read` one level deeper.
    fn nested(
        &mut self,
        read: impl FnOnce(&mut Self) -> Readable<Expression>,
    ) -> Readable<Expression> {
        if self.depth == DEPTH_MAX {
            return self.too_deep();
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Beside those that recurse, so that they need less of the stack.
    #[cold]
    fn too_deep<T>(&mut self) -> Readable<T> {
        let message = format!("an expression is nested deeper than {DEPTH_MAX}");
        let diagnostic = Diagnostic::error("equations::too-deep", message)
            .at(self.span(self.peek()), "too deep")
            .help("give parts of it a name with `variable`");
        self.report.push(diagnostic);
        Err(Unreadable)
    }

    #[cold]
    fn second_comparison<T>(&mut self, token: &Token) -> Readable<T> {
        let message = "comparisons cannot be strung together";
        let diagnostic = Diagnostic::error("equations::comparison", message)
            .at(self.span(token), "a second comparison")
            .help("write it as in `a < b and b < c`");
        self.report.push(diagnostic);
        Err(Unreadable)
    }

    fn made(&self, start: usize, builtin: Builtin, arguments: Vec<Expression>) -> Expression {
        Expression::builtin(builtin, arguments).at(self.span_since(start))
    }

    /// `or`, `xor`, `and`: chains of one operator are one expression, however long.
    fn logical(&mut self, level: usize) -> Readable<Expression> {
        const LEVELS: [(&str, Builtin); 3] =
            [("or", Builtin::Or), ("xor", Builtin::Xor), ("and", Builtin::And)];
        let Some((word, builtin)) = LEVELS.get(level) else { return self.not() };
        let start = self.peek().range.start;
        let mut all = vec![self.logical(level + 1)?];
        while self.takes(word) {
            all.push(self.logical(level + 1)?);
        }
        Ok(self.chain(start, *builtin, all))
    }

    fn chain(&self, start: usize, builtin: Builtin, mut all: Vec<Expression>) -> Expression {
        match all.len() {
            1 => all.remove(0),
            _ => self.made(start, builtin, all),
        }
    }

    fn not(&mut self) -> Readable<Expression> {
        let start = self.peek().range.start;
        if !self.takes("not") {
            return self.comparison();
        }
        let inner = self.nested(Self::not)?;
        Ok(self.made(start, Builtin::Not, vec![inner]))
    }

    fn comparison(&mut self) -> Readable<Expression> {
        let start = self.peek().range.start;
        let left = self.sum()?;
        let Some(builtin) = self.comparison_sign() else { return Ok(left) };
        let right = self.sum()?;
        let token = self.peek().clone();
        if self.comparison_sign().is_some() {
            return self.second_comparison(&token);
        }
        Ok(self.made(start, builtin, vec![left, right]))
    }

    fn comparison_sign(&mut self) -> Option<Builtin> {
        let found = COMPARISONS.into_iter().find(|builtin| self.sees(builtin.name()))?;
        self.advance();
        Some(found)
    }

    /// Terms with `+` and `-`: one sum, in which subtracted terms are negated.
    fn sum(&mut self) -> Readable<Expression> {
        let start = self.peek().range.start;
        let mut terms = vec![self.product()?];
        loop {
            let sign = self.peek().range.start;
            if self.takes("+") {
                terms.push(self.product()?);
            } else if self.takes("-") {
                let term = self.product()?;
                terms.push(self.made(sign, Builtin::Negate, vec![term]));
            } else {
                return Ok(self.chain(start, Builtin::Add, terms));
            }
        }
    }

    /// Factors with `*` and `/`, from the left.
    fn product(&mut self) -> Readable<Expression> {
        let start = self.peek().range.start;
        let (mut factors, mut divisions) = (vec![self.signed()?], 0);
        loop {
            if self.takes("*") {
                factors.push(self.signed()?);
            } else if self.takes("/") {
                divisions += 1;
                if DEPTH_MAX < divisions {
                    return self.fail("fewer divisions in a row", "use brackets or a `variable`");
                }
                let over = self.chain(start, Builtin::Multiply, factors);
                let under = self.signed()?;
                factors = vec![self.made(start, Builtin::Divide, vec![over, under])];
            } else {
                return Ok(self.chain(start, Builtin::Multiply, factors));
            }
        }
    }

    fn signed(&mut self) -> Readable<Expression> {
        let start = self.peek().range.start;
        if self.takes("-") {
            let inner = self.nested(Self::signed)?;
            return Ok(self.made(start, Builtin::Negate, vec![inner]));
        }
        if self.takes("+") {
            return self.nested(Self::signed);
        }
        self.power()
    }

    fn power(&mut self) -> Readable<Expression> {
        let start = self.peek().range.start;
        let base = self.primary()?;
        if !self.takes("^") {
            return Ok(base);
        }
        let exponent = self.nested(Self::signed)?;
        Ok(self.made(start, Builtin::Power, vec![base, exponent]))
    }

    fn primary(&mut self) -> Readable<Expression> {
        let token = self.peek().clone();
        let span = self.span(&token);
        match token.kind {
            TokenKind::Number => {
                self.advance();
                Ok(Expression::number(self.number_of(&token)).at(span))
            }
            TokenKind::Word => self.word(),
            _ if self.takes("(") => {
                let inner = self.expression()?;
                self.expect(")", "close the bracket")?;
                Ok(inner)
            }
            _ => self.fail("a value", "write a number, a name, or an expression in brackets"),
        }
    }

    fn word(&mut self) -> Readable<Expression> {
        let token = self.peek().clone();
        let (text, start) = (self.peek_text(), token.range.start);
        let kind = match text {
            "if" => return self.choice(),
            "der" | "pre" => return self.marked(text),
            "delay" => return self.delay(),
            "true" | "false" => ExpressionKind::Boolean(text == "true"),
            "time" => ExpressionKind::Time,
            "pi" => ExpressionKind::Number(std::f64::consts::PI),
            "infinity" => ExpressionKind::Number(f64::INFINITY),
            _ => {
                let name = self.used_name()?;
                return if self.sees("(") && !self.peek().starts_line {
                    let arguments = self.arguments()?;
                    Ok(called(name, arguments).at(self.span_since(start)))
                } else {
                    Ok(Expression::variable(name.text).at(self.span(&token)))
                };
            }
        };
        self.advance();
        Ok(Expression::from(kind).at(self.span(&token)))
    }

    /// A name that is looked up later.
    fn used_name(&mut self) -> Readable<Name> {
        let text = self.peek_text();
        if RESERVED.contains(&text) {
            let help = "write a number, a name, or an expression in brackets";
            return self.fail("a value", help);
        }
        let token = self.advance();
        Ok(Name { text: text.to_owned(), span: Some(self.span(&token)) })
    }

    /// `der(x)` or `pre(x)`.
    fn marked(&mut self, word: &str) -> Readable<Expression> {
        let start = self.advance().range.start;
        let help = format!("write it as in `{word}(x)`");
        self.expect("(", &help)?;
        let name = self.name("a name")?.text;
        self.expect(")", &help)?;
        let kind = match word {
            "der" => ExpressionKind::Derivative(name),
            _ => ExpressionKind::Pre(name),
        };
        Ok(Expression::from(kind).at(self.span_since(start)))
    }

    fn delay(&mut self) -> Readable<Expression> {
        const HELP: &str = "write it as in `delay(x, 0.5)`: what, and how many seconds ago";
        let start = self.advance().range.start;
        self.expect("(", HELP)?;
        let value = self.expression()?;
        self.expect(",", HELP)?;
        let duration = self.expression()?;
        self.expect(")", HELP)?;
        Ok(Expression::delay(value, duration).at(self.span_since(start)))
    }

    fn choice(&mut self) -> Readable<Expression> {
        const HELP: &str = "write it as in `if x < 0 then a elseif x < 1 then b else c`";
        let start = self.advance().range.start;
        let mut branches = Vec::new();
        loop {
            let condition = self.expression()?;
            if self.sees("=") {
                return self.fail("`==` to compare", "a single `=` defines, `==` compares");
            }
            self.expect("then", HELP)?;
            branches.push((condition, self.expression()?));
            if !self.takes("elseif") {
                break;
            }
        }
        self.expect("else", HELP)?;
        let otherwise = self.expression()?;
        Ok(Expression::piecewise(branches, otherwise).at(self.span_since(start)))
    }

    fn arguments(&mut self) -> Readable<Vec<Expression>> {
        self.expect("(", "arguments stand in brackets")?;
        let mut arguments = Vec::new();
        while !self.sees(")") {
            arguments.push(self.expression()?);
            if !self.takes(",") {
                break;
            }
        }
        self.expect(")", "close the bracket, or put a `,` between arguments")?;
        Ok(arguments)
    }
}

/// A built-in function by its name, or one of the model's own.
fn called(name: Name, arguments: Vec<Expression>) -> Expression {
    match Builtin::function(&name.text) {
        Some(builtin) => Expression::builtin(builtin, arguments),
        None => Expression::call(name, arguments),
    }
}
