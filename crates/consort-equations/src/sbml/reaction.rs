//! Reactions: how fast, and how many of what.

use super::math::{self, Math, MathScope};
use super::table::Table;
use super::xml::{Node, Reader, child, elements};
use crate::builtin::Builtin;
use crate::tree::{Expression, ExpressionKind, Kind, Name, VariableDeclaration};

/// A reaction with its formulas read.
pub(super) struct Reaction<'a> {
    pub(super) id: &'a str,
    pub(super) node: Node<'a>,
    /// Its kinetic law.
    pub(super) rate: Option<Expression>,
    /// Parameters of the kinetic law's own, under names that are free in the whole model.
    pub(super) locals: Vec<VariableDeclaration>,
    pub(super) terms: Vec<Term>,
    /// In equilibrium at every instant: its law is zero.
    pub(super) is_fast: bool,
}

/// How many of a species are made, or used up.
pub(super) struct Term {
    /// Index of the quantity.
    pub(super) species: usize,
    pub(super) is_reactant: bool,
    pub(super) count: Expression,
}

impl Term {
    /// How many, if that is a mere number.
    pub(super) fn number(&self) -> Option<f64> {
        match self.count.kind {
            ExpressionKind::Number(number) => Some(number),
            _ => None,
        }
    }

    /// What the reaction `rate` adds to the amount of the species in a second.
    pub(super) fn flow(&self, rate: &str) -> Expression {
        let (rate, number) = (Expression::variable(rate), self.number());
        let sign = if self.is_reactant { -1.0 } else { 1.0 };
        let is_one = number.is_some_and(|number| number.to_bits() == 1f64.to_bits());
        match (number, self.is_reactant) {
            (_, false) if is_one => rate,
            (_, true) if is_one => Expression::builtin(Builtin::Negate, vec![rate]),
            (Some(number), _) => product(Expression::number(sign * number), rate),
            (None, false) => product(self.count.clone(), rate),
            (None, true) => {
                Expression::builtin(Builtin::Negate, vec![product(self.count.clone(), rate)])
            }
        }
    }
}

/// The product of two.
pub(super) fn product(a: Expression, b: Expression) -> Expression {
    Expression::builtin(Builtin::Multiply, vec![a, b])
}

/// The sum of all there are, if there is one.
pub(super) fn sum(mut terms: Vec<Expression>) -> Option<Expression> {
    if 1 < terms.len() { Some(Expression::builtin(Builtin::Add, terms)) } else { terms.pop() }
}

/// Reads all reactions and marks the species they change.
pub(super) fn reactions<'a>(
    reader: &mut Reader<'_>,
    model: Node<'a>,
    table: &mut Table<'a>,
) -> Vec<Reaction<'a>> {
    let nodes = reader.items(model, "listOfReactions", &["reaction"]);
    nodes.into_iter().filter_map(|node| reaction(reader, node, table)).collect()
}

fn reaction<'a>(
    reader: &mut Reader<'_>,
    node: Node<'a>,
    table: &mut Table<'a>,
) -> Option<Reaction<'a>> {
    const LISTS: [&str; 4] = ["listOfReactants", "listOfProducts", "listOfModifiers", "kineticLaw"];
    reader.known_attributes(node, &["reversible", "fast", "compartment"]);
    for part in elements(node) {
        let name = part.tag_name().name();
        if !LISTS.contains(&name) && !matches!(name, "notes" | "annotation") {
            reader.stray(part, "reaction", &LISTS);
        }
    }
    let id = node.attribute("id")?.trim();
    let is_fast = reader.flag(node, "fast") == Some(true);
    if is_fast && super::table::Edition::L3V2 <= table.edition {
        let message = format!("the reaction `{id}` is fast, which level 3 version 2 does not know");
        let at = (reader.place(node, "fast"), "no longer in the standard");
        let help =
            "write the model in level 3 version 1, or give the reaction a large rate constant";
        reader.error("sbml::fast", message, at, help);
    }
    let terms = terms(reader, node, table);
    modifiers(reader, node, table);
    let (rate, locals) = kinetic_law(reader, node, id, table);
    if child(node, "kineticLaw").is_none() && terms.iter().any(|term| changes(table, term)) {
        let message = format!("the reaction `{id}` has no kinetic law");
        let at = (reader.tag(node), "how fast is not said");
        let help = "write the rate as `<kineticLaw>...</kineticLaw>`, \
                    or make its species boundary conditions";
        reader.error("sbml::no-rate", message, at, help);
    }
    Some(Reaction { id, node, rate, locals, terms, is_fast })
}

fn changes(table: &Table<'_>, term: &Term) -> bool {
    table.quantities[term.species].species().is_some_and(|species| !species.is_boundary)
}

fn terms<'a>(reader: &mut Reader<'_>, node: Node<'a>, table: &mut Table<'a>) -> Vec<Term> {
    const KNOWN: [&str; 4] = ["species", "stoichiometry", "constant", "denominator"];
    let mut terms = Vec::new();
    for (list, is_reactant) in [("listOfReactants", true), ("listOfProducts", false)] {
        for reference in reader.items(node, list, &["speciesReference"]) {
            reader.known_attributes(reference, &KNOWN);
            let count = stoichiometry(reader, reference, table);
            let Some(species) = referenced(reader, reference, table) else { continue };
            mark(reader, reference, table, species);
            terms.extend(count.map(|count| Term { species, is_reactant, count }));
        }
    }
    terms
}

/// The species a reference names.
fn referenced(reader: &mut Reader<'_>, node: Node<'_>, table: &Table<'_>) -> Option<usize> {
    let id = reader.required(node, "species")?;
    let index = table.index(id);
    let index = index.filter(|index| table.quantities[*index].species().is_some());
    if index.is_none() {
        let species = table.quantities.iter().filter(|quantity| quantity.species().is_some());
        let names = species.map(|species| species.id);
        reader.unknown("species", id, reader.place(node, "species"), names);
    }
    index
}

/// Notes that reactions change a species, unless it is a boundary condition.
fn mark(reader: &mut Reader<'_>, node: Node<'_>, table: &mut Table<'_>, index: usize) {
    let quantity = &mut table.quantities[index];
    let (id, is_constant, has_rule) = (quantity.id, quantity.constant, quantity.rule.is_some());
    let super::table::Sort::Species(species) = &mut quantity.sort else { return };
    if species.is_boundary {
        return;
    }
    species.reacts = true;
    let at = (reader.place(node, "species"), "changed by this reaction");
    let help = "declare the species with `boundaryCondition=\"true\"`, or remove one of them";
    if is_constant {
        let message = format!("`{id}` is constant, but a reaction changes it");
        reader.error("sbml::constant", message, at, help);
    } else if has_rule {
        let message = format!("`{id}` is determined by a rule and by reactions");
        reader.error("sbml::overdetermined", message, at, help);
    }
}

fn stoichiometry<'a>(
    reader: &mut Reader<'_>,
    node: Node<'a>,
    table: &Table<'a>,
) -> Option<Expression> {
    if let Some(id) = node.attribute("id").filter(|_| table.edition.is_level_3()) {
        return Some(Expression::variable(id.trim()));
    }
    if let Some(formula) = child(node, "stoichiometryMath") {
        let math = math::find(reader, table, formula)?;
        return Math { reader, table, scope: &MathScope::default() }.only(math);
    }
    let number = reader.number(node, "stoichiometry");
    if number.is_none() && table.edition.is_level_3() {
        let at = (reader.tag(node), "taken as one");
        let help = "write `stoichiometry=\"1\"`";
        reader.warn("sbml::assumed", "a stoichiometry is missing", at, help);
    }
    Some(Expression::number(number.unwrap_or(1.0)))
}

fn modifiers(reader: &mut Reader<'_>, node: Node<'_>, table: &Table<'_>) {
    for modifier in reader.items(node, "listOfModifiers", &["modifierSpeciesReference"]) {
        reader.known_attributes(modifier, &["species"]);
        referenced(reader, modifier, table);
    }
}

fn kinetic_law<'a>(
    reader: &mut Reader<'_>,
    reaction: Node<'a>,
    id: &str,
    table: &mut Table<'a>,
) -> (Option<Expression>, Vec<VariableDeclaration>) {
    let (mut scope, mut locals) = (MathScope::default(), Vec::new());
    let Some(law) = child(reaction, "kineticLaw") else { return (None, locals) };
    reader.known_attributes(law, &["timeUnits", "substanceUnits"]);
    let mut nodes = reader.items(law, "listOfParameters", &["parameter"]);
    nodes.extend(reader.items(law, "listOfLocalParameters", &["localParameter"]));
    for node in nodes {
        reader.known_attributes(node, &["value", "units", "constant"]);
        let Some(local) = reader.required(node, "id") else { continue };
        let name = table.free_name(format!("{id}_{local}"));
        if scope.locals.insert(local, name.clone()).is_some() {
            let message = format!("the kinetic law has two parameters `{local}`");
            let at = (reader.place(node, "id"), "again");
            reader.error("sbml::duplicate", message, at, "rename one of them");
        }
        let value = reader.number(node, "value");
        if !node.has_attribute("value") {
            missing_value(reader, node, local);
        }
        let name = Name { text: name, span: Some(reader.place(node, "id")) };
        locals.push(VariableDeclaration::new(Kind::Parameter, name, value.map(Expression::number)));
    }
    let Some(math) = math::find(reader, table, law) else { return (None, locals) };
    (Math { reader, table, scope: &scope }.only(math), locals)
}

/// Says that a parameter has no value: nothing sensible can be assumed for it.
pub(super) fn missing_value(reader: &mut Reader<'_>, node: Node<'_>, id: &str) {
    let at = (reader.tag(node), "`value` is missing here");
    let help = "write `value=\"...\"`, or give it an initial assignment or a rule";
    reader.error("sbml::missing", format!("the parameter `{id}` has no value"), at, help);
}
