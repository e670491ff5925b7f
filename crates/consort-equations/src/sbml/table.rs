//! What a model declares: quantities, functions and reactions by their identifiers.

use super::reaction::product;
use super::xml::{Node, Reader};
use crate::places::{Places, of_name};
use crate::tree::{Expression, ExpressionKind};
use consort_core::Diagnostic;
use std::collections::BTreeSet;

/// Level and version of the standard.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Edition {
    pub(super) level: u32,
    pub(super) version: u32,
}

impl Edition {
    pub(super) const L3V2: Edition = Edition { level: 3, version: 2 };

    pub(super) fn is_level_3(self) -> bool {
        self.level == 3
    }
}

/// What an identifier means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SbmlSymbol {
    SbmlQuantity(usize),
    Function,
    Reaction,
    /// Has an identifier, but no value: an event, the model.
    Other,
}

/// What sort of quantity it is.
#[derive(Clone, Debug)]
pub(super) enum Sort<'a> {
    Compartment,
    Parameter,
    Stoichiometry,
    Species(Species<'a>),
}

/// What species have beyond other quantities.
#[derive(Clone, Debug)]
pub(super) struct Species<'a> {
    pub(super) compartment: &'a str,
    /// Its identifier means an amount, not a concentration.
    pub(super) is_amount: bool,
    /// Reactions do not change it.
    pub(super) is_boundary: bool,
    pub(super) amount: Option<f64>,
    pub(super) concentration: Option<f64>,
    pub(super) conversion: Option<&'a str>,
    /// Whether reactions change it.
    pub(super) reacts: bool,
}

/// What says how a quantity changes.
#[derive(Clone, Debug)]
pub(super) enum Rule {
    Assignment(Expression),
    Rate(Expression),
    /// Equations determine it together with others: algebraic rules.
    Solved,
}

/// Something with a value.
#[derive(Clone, Debug)]
pub(super) struct SbmlQuantity<'a> {
    pub(super) id: &'a str,
    pub(super) node: Node<'a>,
    pub(super) sort: Sort<'a>,
    pub(super) constant: bool,
    pub(super) value: Option<f64>,
    pub(super) initial: Option<Expression>,
    pub(super) rule: Option<Rule>,
    /// An event gives it new values.
    pub(super) in_events: bool,
}

impl<'a> SbmlQuantity<'a> {
    pub(super) fn species(&self) -> Option<&Species<'a>> {
        match &self.sort {
            Sort::Species(species) => Some(species),
            _ => None,
        }
    }

    /// What reactions do to it, in its own unit of substance.
    pub(super) fn converted(&self, change: Expression) -> Expression {
        match self.species().and_then(|species| species.conversion) {
            Some(factor) => product(Expression::variable(factor), change),
            None => change,
        }
    }

    /// Whether its value may change in a run.
    pub(super) fn varies(&self) -> bool {
        self.rule.is_some()
            || self.in_events
            || self.species().is_some_and(|species| species.reacts)
    }
}

/// All declarations of a model.
pub(super) struct Table<'a> {
    pub(super) edition: Edition,
    pub(super) quantities: Vec<SbmlQuantity<'a>>,
    symbols: Vec<(&'a str, SbmlSymbol, Node<'a>)>,
    places: Places,
    /// Names made up here, beside the identifiers.
    made: BTreeSet<String>,
}

impl<'a> Table<'a> {
    pub(super) fn new(edition: Edition) -> Self {
        let (quantities, symbols, places) = (Vec::new(), Vec::new(), Places::default());
        Table { edition, quantities, symbols, places, made: BTreeSet::new() }
    }

    pub(super) fn symbol(&self, id: &str) -> Option<SbmlSymbol> {
        self.find(id).map(|(_, symbol, _)| *symbol)
    }

    fn find(&self, id: &str) -> Option<&(&'a str, SbmlSymbol, Node<'a>)> {
        let found = self.places.find(of_name(id), |number| self.symbols[number].0 == id);
        found.map(|number| &self.symbols[number])
    }

    pub(super) fn quantity(&self, id: &str) -> Option<&SbmlQuantity<'a>> {
        match self.symbol(id)? {
            SbmlSymbol::SbmlQuantity(index) => Some(&self.quantities[index]),
            _ => None,
        }
    }

    /// Where a quantity stands among all.
    pub(super) fn index(&self, id: &str) -> Option<usize> {
        match self.symbol(id)? {
            SbmlSymbol::SbmlQuantity(index) => Some(index),
            _ => None,
        }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        let names: BTreeSet<&str> = self.symbols.iter().map(|(name, ..)| *name).collect();
        names.into_iter()
    }

    /// Takes an identifier, or says who has it already.
    pub(super) fn claim(
        &mut self,
        id: &'a str,
        symbol: SbmlSymbol,
        node: Node<'a>,
        reader: &mut Reader<'_>,
    ) -> bool {
        let Some((.., first)) = self.find(id) else {
            self.symbols.push((id, symbol, node));
            self.places.add_last(self.symbols.len(), |number| of_name(self.symbols[number].0));
            return true;
        };
        let diagnostic = Diagnostic::error("sbml::duplicate", format!("there are two `{id}`"))
            .at(reader.place(node, "id"), "again")
            .label(reader.place(*first, "id"), "first here")
            .help("identifiers of a model are unique; rename one of them");
        reader.report(diagnostic);
        false
    }

    /// Declares something with a value.
    pub(super) fn declare(&mut self, quantity: SbmlQuantity<'a>, reader: &mut Reader<'_>) {
        let symbol = SbmlSymbol::SbmlQuantity(self.quantities.len());
        if self.claim(quantity.id, symbol, quantity.node, reader) {
            self.quantities.push(quantity);
        }
    }

    /// Whether a formula is made of what nothing changes.
    pub(super) fn is_settled(&self, formula: &Expression) -> bool {
        let (mut open, mut seen) = (vec![formula], BTreeSet::new());
        let mut is_settled = true;
        while let Some(next) = open.pop() {
            next.visit(&mut |kind| match kind {
                ExpressionKind::Number(_)
                | ExpressionKind::Builtin(..)
                | ExpressionKind::If(..) => {}
                ExpressionKind::Variable(name) => match self.quantity(name) {
                    Some(SbmlQuantity { id, rule: Some(Rule::Assignment(value)), .. }) => {
                        if seen.insert(*id) {
                            open.push(value);
                        }
                    }
                    other => is_settled &= other.is_some_and(|quantity| !quantity.varies()),
                },
                _ => is_settled = false,
            });
        }
        is_settled
    }

    /// A name nothing has yet, near to the one wanted.
    pub(super) fn free_name(&mut self, wanted: String) -> String {
        let mut name = wanted;
        while self.find(&name).is_some() || self.made.contains(&name) {
            name.push('_');
        }
        self.made.insert(name.clone());
        name
    }
}
