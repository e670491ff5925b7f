//! MathML, as far as SBML has it: formulas become expressions.

mod operator;

use super::table::{SbmlSymbol, Table};
use super::xml::{Node, Reader, double, shorten};
use crate::tree::Expression;
use std::collections::BTreeMap;

/// The namespace of formulas.
const MATHML: &str = "http://www.w3.org/1998/Math/MathML";
/// Particles in a mole, as the standard fixes it for all its versions.
const AVOGADRO: f64 = 6.022_141_79e23;

/// Where a formula stands: what names mean there beside those of the model.
#[derive(Default)]
pub(super) struct MathScope<'a> {
    /// Local names and what they are called in the tree.
    pub(super) locals: BTreeMap<&'a str, String>,
    /// Inside a function nothing else is known.
    pub(super) is_function: bool,
}

/// Reads formulas of one place.
pub(super) struct Math<'t, 'r, 'a> {
    pub(super) reader: &'t mut Reader<'r>,
    pub(super) table: &'t Table<'a>,
    pub(super) scope: &'t MathScope<'a>,
}

/// A formula's `math` element inside `node`; `None` if there is none, which was reported.
///
/// From level 3 version 2 a formula may be left out: the element has no effect then.
pub(super) fn find<'a>(
    reader: &mut Reader<'_>,
    table: &Table<'_>,
    node: Node<'a>,
) -> Option<Node<'a>> {
    let mut maths = node.children().filter(|child| child.tag_name().name() == "math");
    let element = node.tag_name().name();
    let Some(math) = maths.next() else {
        let message = format!("`{element}` has no formula");
        let at = (reader.tag(node), "`math` is missing here");
        if super::table::Edition::L3V2 <= table.edition {
            reader.warn("sbml::assumed", message, at, "it has no effect; remove it or complete it");
        } else {
            reader.error("sbml::missing", message, at, "write the formula as `<math>...</math>`");
        }
        return None;
    };
    if math.tag_name().namespace() != Some(MATHML) {
        let help = format!("write `<math xmlns=\"{MATHML}\">`");
        let at = (reader.tag(math), "not MathML");
        reader.error("sbml::math", "the formula is not in the namespace of MathML", at, help);
        return None;
    }
    Some(math)
}

/// The elements inside an element of a formula, without what only explains it.
pub(super) fn parts<'a>(node: Node<'a>) -> Vec<Node<'a>> {
    let explains =
        |node: &Node<'a>| matches!(node.tag_name().name(), "annotation" | "annotation-xml");
    node.children().filter(Node::is_element).filter(|child| !explains(child)).collect()
}

impl<'a> Math<'_, '_, 'a> {
    /// What is inside `math`, or another element that holds one expression.
    pub(super) fn only(&mut self, node: Node<'a>) -> Option<Expression> {
        let parts = parts(node);
        let [part] = parts[..] else {
            let name = node.tag_name().name();
            let message = format!("`{name}` holds {} expressions", parts.len());
            let at = (self.reader.tag(node), "must hold exactly one");
            self.reader.error("sbml::math", message, at, "write one expression there");
            return None;
        };
        self.expression(part)
    }

    /// Any expression.
    pub(super) fn expression(&mut self, node: Node<'a>) -> Option<Expression> {
        let span = self.reader.whole(node);
        let found = match node.tag_name().name() {
            "cn" => self.constant(node)?,
            "ci" => self.name(node)?,
            "csymbol" => self.symbol(node)?,
            "apply" => self.apply(node)?,
            "piecewise" => self.piecewise(node)?,
            "semantics" => self.expression(*parts(node).first()?)?,
            "true" => Expression::boolean(true),
            "false" => Expression::boolean(false),
            "pi" => Expression::number(std::f64::consts::PI),
            "exponentiale" => Expression::number(std::f64::consts::E),
            "infinity" => Expression::number(f64::INFINITY),
            "notanumber" => Expression::number(f64::NAN),
            other => return self.refuse(node, other),
        };
        Some(found.at(span))
    }

    fn refuse<T>(&mut self, node: Node<'a>, name: &str) -> Option<T> {
        let message = format!("`{}` is not in SBML's part of MathML", shorten(name));
        let help = "write it with the operators and functions that the standard lists";
        let at = (self.reader.tag(node), "not known in formulas");
        self.reader.error("sbml::math", message, at, help);
        None
    }

    fn constant(&mut self, node: Node<'a>) -> Option<Expression> {
        let texts: Vec<&str> = node.children().filter_map(|child| child.text()).collect();
        let texts: Vec<&str> = texts.iter().map(|text| text.trim()).collect();
        let whole = |text: &str| text.parse::<i64>().ok();
        let number = match (node.attribute("type").unwrap_or("real"), &texts[..]) {
            ("real", [text]) => double(text).filter(|number| number.is_finite()),
            #[expect(clippy::cast_precision_loss, reason = "every number here is a double")]
            ("integer", [text]) => whole(text).map(|number| number as f64),
            // The parts are put together before they are read, so that nothing is rounded twice.
            ("e-notation", [mantissa, exponent]) => {
                double(&format!("{mantissa}e{exponent}")).filter(|_| whole(exponent).is_some())
            }
            #[expect(clippy::cast_precision_loss, reason = "every number here is a double")]
            ("rational", [above, below]) => {
                whole(above).zip(whole(below)).map(|(above, below)| above as f64 / below as f64)
            }
            _ => None,
        };
        if number.is_none() {
            let kind = shorten(node.attribute("type").unwrap_or("real"));
            let message =
                format!("`{}` is not a number of type `{kind}`", shorten(&texts.join(" ")));
            let help = "types are `real`, `integer`, `e-notation` and `rational`; \
                        the last two have `<sep/>` between their parts";
            let at = (self.reader.whole(node), "not a number");
            self.reader.error("sbml::number", message, at, help);
        }
        number.map(Expression::number)
    }

    /// The name inside `ci`.
    fn identifier(&mut self, node: Node<'a>) -> &'a str {
        node.text().unwrap_or_default().trim()
    }

    fn name(&mut self, node: Node<'a>) -> Option<Expression> {
        let id = self.identifier(node);
        let span = self.reader.whole(node);
        if let Some(local) = self.scope.locals.get(id) {
            return Some(Expression::variable(local.clone()));
        }
        if self.scope.is_function {
            let message = format!("the function has no argument `{}`", shorten(id));
            let help = "functions know their arguments only; add one to `lambda`";
            let at = (span, "not an argument");
            self.reader.error("sbml::unknown-name", message, at, help);
            return None;
        }
        match self.table.symbol(id) {
            Some(SbmlSymbol::SbmlQuantity(_) | SbmlSymbol::Reaction) => {
                Some(Expression::variable(id))
            }
            Some(SbmlSymbol::Function | SbmlSymbol::Other) => {
                let message = format!("`{id}` has no value");
                let help = "name a compartment, species, parameter or reaction; \
                            a function is called inside `apply`";
                self.reader.error("sbml::math", message, (span, "not a quantity"), help);
                None
            }
            None => {
                self.reader.unknown("quantity", id, span, self.table.names());
                None
            }
        }
    }

    /// What a `csymbol` stands for: the last part of its definition's address.
    fn symbol_name(node: Node<'a>) -> &'a str {
        let address = node.attribute("definitionURL").unwrap_or_default().trim();
        address.strip_prefix("http://www.sbml.org/sbml/symbols/").unwrap_or(address)
    }

    fn symbol(&mut self, node: Node<'a>) -> Option<Expression> {
        match Self::symbol_name(node) {
            "time" => Some(Expression::time()),
            "avogadro" => Some(Expression::number(AVOGADRO)),
            other => self.unknown_symbol(node, other),
        }
    }

    fn unknown_symbol<T>(&mut self, node: Node<'a>, name: &str) -> Option<T> {
        let message = format!("the symbol `{}` is not known here", shorten(name));
        let help = "symbols are `time` and `avogadro`, and `delay` and `rateOf` in front of \
                    what they are applied to, each behind `http://www.sbml.org/sbml/symbols/`";
        let at = (self.reader.place(node, "definitionURL"), "not known");
        self.reader.error("sbml::symbol", message, at, help);
        None
    }

    fn piecewise(&mut self, node: Node<'a>) -> Option<Expression> {
        let (mut branches, mut otherwise) = (Vec::new(), None);
        for part in parts(node) {
            match (part.tag_name().name(), &parts(part)[..]) {
                ("piece", &[value, condition]) => {
                    let value = self.expression(value);
                    let condition = self.expression(condition);
                    branches.push(condition.zip(value));
                }
                ("otherwise", &[value]) if otherwise.is_none() => {
                    otherwise = Some(self.expression(value)?);
                }
                _ => {
                    let message = "a `piecewise` is made of pieces and one `otherwise`";
                    let help = "each `piece` holds a value and its condition, \
                                `otherwise` holds a value";
                    let at = (self.reader.tag(part), "does not fit");
                    self.reader.error("sbml::math", message, at, help);
                    return None;
                }
            }
        }
        let branches: Vec<_> = branches.into_iter().collect::<Option<_>>()?;
        let otherwise = otherwise.unwrap_or_else(|| Expression::number(f64::NAN));
        Some(if branches.is_empty() {
            otherwise
        } else {
            Expression::piecewise(branches, otherwise)
        })
    }
}
