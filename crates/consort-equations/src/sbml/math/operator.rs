//! `apply`: operators, functions, and the symbols that are applied.

use super::{Math, parts};
use crate::builtin::{Arity, Builtin};
use crate::sbml::table::SbmlSymbol;
use crate::sbml::xml::{Node, shorten};
use crate::tree::{Expression, Name};

/// What each operator of MathML is here, for those that are the same.
const OPERATORS: &[(&str, Builtin)] = &[
    ("plus", Builtin::Add),
    ("times", Builtin::Multiply),
    ("divide", Builtin::Divide),
    ("power", Builtin::Power),
    ("eq", Builtin::Equal),
    ("neq", Builtin::NotEqual),
    ("lt", Builtin::Less),
    ("leq", Builtin::LessEqual),
    ("gt", Builtin::Greater),
    ("geq", Builtin::GreaterEqual),
    ("and", Builtin::And),
    ("or", Builtin::Or),
    ("xor", Builtin::Xor),
    ("not", Builtin::Not),
    ("implies", Builtin::Implies),
    ("abs", Builtin::Abs),
    ("exp", Builtin::Exp),
    ("ln", Builtin::Ln),
    ("floor", Builtin::Floor),
    ("ceiling", Builtin::Ceil),
    ("factorial", Builtin::Factorial),
    ("min", Builtin::Min),
    ("max", Builtin::Max),
    ("quotient", Builtin::Quotient),
    ("rem", Builtin::Rem),
    ("sin", Builtin::Sin),
    ("cos", Builtin::Cos),
    ("tan", Builtin::Tan),
    ("sec", Builtin::Sec),
    ("csc", Builtin::Csc),
    ("cot", Builtin::Cot),
    ("arcsin", Builtin::Asin),
    ("arccos", Builtin::Acos),
    ("arctan", Builtin::Atan),
    ("arcsec", Builtin::Asec),
    ("arccsc", Builtin::Acsc),
    ("arccot", Builtin::Acot),
    ("sinh", Builtin::Sinh),
    ("cosh", Builtin::Cosh),
    ("tanh", Builtin::Tanh),
    ("sech", Builtin::Sech),
    ("csch", Builtin::Csch),
    ("coth", Builtin::Coth),
    ("arcsinh", Builtin::Asinh),
    ("arccosh", Builtin::Acosh),
    ("arctanh", Builtin::Atanh),
    ("arcsech", Builtin::Asech),
    ("arccsch", Builtin::Acsch),
    ("arccoth", Builtin::Acoth),
];

impl<'a> Math<'_, '_, 'a> {
    pub(super) fn apply(&mut self, node: Node<'a>) -> Option<Expression> {
        let inside = parts(node);
        let Some((&operator, rest)) = inside.split_first() else {
            let at = (self.reader.tag(node), "nothing inside");
            let help = "write an operator and what it is applied to";
            self.reader.error("sbml::math", "an `apply` applies nothing", at, help);
            return None;
        };
        let qualifies = |part: &Node<'a>| matches!(part.tag_name().name(), "degree" | "logbase");
        let (qualifiers, operands): (Vec<_>, Vec<_>) = rest.iter().copied().partition(qualifies);
        if operator.tag_name().name() == "csymbol" && Self::symbol_name(operator) == "rateOf" {
            return self.rate_of(node, &operands);
        }
        let operands = operands.into_iter().map(|operand| self.expression(operand));
        let operands: Vec<Option<Expression>> = operands.collect();
        let operands: Vec<Expression> = operands.into_iter().collect::<Option<_>>()?;
        let name = operator.tag_name().name();
        if let Some(&stray) = qualifiers.first()
            && !matches!((name, stray.tag_name().name()), ("root", "degree") | ("log", "logbase"))
        {
            return self.refuse(stray, stray.tag_name().name());
        }
        let qualifier = qualifiers.first().map(|qualifier| self.only(*qualifier));
        match (name, qualifier) {
            ("ci", _) => self.call(operator, operands),
            ("csymbol", _) => self.delay(operator, node, operands),
            (_, Some(qualifier)) => self.qualified(name, node, qualifier?, operands),
            _ => self.operator(operator, node, operands),
        }
    }

    /// An operator, or a function that is one.
    fn operator(
        &mut self,
        operator: Node<'a>,
        node: Node<'a>,
        operands: Vec<Expression>,
    ) -> Option<Expression> {
        let name = operator.tag_name().name();
        let builtin = match (name, operands.len()) {
            ("minus", 1) => Builtin::Negate,
            ("minus", _) => Builtin::Subtract,
            ("root", _) => Builtin::Sqrt,
            ("log", _) => Builtin::Log10,
            _ => match OPERATORS.iter().find(|(known, _)| *known == name) {
                Some((_, builtin)) => *builtin,
                None => return self.refuse(operator, name),
            },
        };
        self.arity(name, builtin.arity(), node, operands.len())?;
        Some(Expression::builtin(builtin, operands))
    }

    /// A root of a degree, or a logarithm to a base.
    fn qualified(
        &mut self,
        name: &str,
        node: Node<'a>,
        qualifier: Expression,
        operands: Vec<Expression>,
    ) -> Option<Expression> {
        self.arity(name, Arity::exactly(1), node, operands.len())?;
        let builtin = if name == "root" { Builtin::Root } else { Builtin::Log };
        Some(Expression::builtin(builtin, [qualifier].into_iter().chain(operands).collect()))
    }

    fn call(&mut self, operator: Node<'a>, operands: Vec<Expression>) -> Option<Expression> {
        let id = self.identifier(operator);
        let span = self.reader.whole(operator);
        match self.table.symbol(id) {
            Some(SbmlSymbol::Function) => {
                let name = Name { text: id.to_owned(), span: Some(span) };
                Some(Expression::call(name, operands))
            }
            Some(_) => {
                let at = (span, "not a function");
                let help = "to multiply, write `<times/>` in front";
                self.reader.error("sbml::math", format!("`{id}` is no function"), at, help);
                None
            }
            None => {
                let table = self.table;
                let is_function = |name: &&str| table.symbol(name) == Some(SbmlSymbol::Function);
                let names: Vec<&str> = table.names().filter(is_function).collect();
                self.reader.unknown("function", id, span, names.into_iter());
                None
            }
        }
    }

    fn delay(
        &mut self,
        operator: Node<'a>,
        node: Node<'a>,
        operands: Vec<Expression>,
    ) -> Option<Expression> {
        let name = Self::symbol_name(operator);
        if name != "delay" {
            return self.unknown_symbol(operator, name);
        }
        self.arity("delay", Arity::exactly(2), node, operands.len())?;
        let mut operands = operands.into_iter();
        let (value, duration) = (operands.next()?, operands.next()?);
        Some(Expression::delay(value, duration))
    }

    /// The rate of change of something; what it is in the tree is decided when all rules are known.
    fn rate_of(&mut self, node: Node<'a>, operands: &[Node<'a>]) -> Option<Expression> {
        self.arity("rateOf", Arity::exactly(1), node, operands.len())?;
        let id = match operands {
            [operand] if operand.tag_name().name() == "ci" => self.identifier(*operand),
            _ => "",
        };
        let is_local = self.scope.locals.contains_key(id);
        if is_local && !self.scope.is_function {
            // A parameter of a kinetic law's own does not change.
            return Some(0.0.into());
        }
        if self.scope.is_function || self.table.quantity(id).is_none() {
            let what =
                if id.is_empty() { "a formula".into() } else { format!("`{}`", shorten(id)) };
            let message = format!("`rateOf` is applied to {what}, which is no quantity");
            let help = "apply it to the identifier of a compartment, species or parameter";
            let at = (self.reader.whole(node), "has no rate of change");
            self.reader.error("sbml::rate-of", message, at, help);
            return None;
        }
        Some(Expression::derivative(id))
    }

    fn arity(&mut self, name: &str, arity: Arity, node: Node<'a>, count: usize) -> Option<()> {
        if arity.fits(count) {
            return Some(());
        }
        let message = format!("`{}` takes {arity}, here are {count}", shorten(name));
        let at = (self.reader.tag(node), "does not fit");
        self.reader.error("sbml::arity", message, at, "add or remove arguments");
        None
    }
}
