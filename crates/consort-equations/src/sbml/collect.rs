//! From elements to the table: compartments, species, parameters, functions, identifiers.

use super::math::{self, Math, MathScope, parts};
use super::table::{Edition, SbmlQuantity, SbmlSymbol, Sort, Species, Table};
use super::xml::{Node, Reader, elements};
use crate::tree::{Function, Name};

/// What a model may hold.
const LISTS: [&str; 12] = [
    "listOfFunctionDefinitions",
    "listOfUnitDefinitions",
    "listOfCompartmentTypes",
    "listOfSpeciesTypes",
    "listOfCompartments",
    "listOfSpecies",
    "listOfParameters",
    "listOfInitialAssignments",
    "listOfRules",
    "listOfConstraints",
    "listOfReactions",
    "listOfEvents",
];

/// Everything a model declares; formulas are not read yet, but every name is known then.
pub(super) fn collect<'a>(reader: &mut Reader<'_>, model: Node<'a>, edition: Edition) -> Table<'a> {
    let mut table = Table::new(edition);
    for child in elements(model) {
        let name = child.tag_name().name();
        if !LISTS.contains(&name) && !matches!(name, "notes" | "annotation") {
            reader.stray(child, "model", &LISTS);
        }
    }
    for node in reader.items(model, LISTS[0], &["functionDefinition"]) {
        if let Some(id) = reader.required(node, "id") {
            table.claim(id, SbmlSymbol::Function, node, reader);
        }
    }
    for node in reader.items(model, "listOfCompartments", &["compartment"]) {
        compartment(reader, node, &mut table);
    }
    for node in reader.items(model, "listOfSpecies", &["species"]) {
        species(reader, node, model, &mut table);
    }
    for node in reader.items(model, "listOfParameters", &["parameter"]) {
        parameter(reader, node, &mut table);
    }
    for node in reader.items(model, "listOfReactions", &["reaction"]) {
        if let Some(id) = reader.required(node, "id") {
            table.claim(id, SbmlSymbol::Reaction, node, reader);
        }
        stoichiometries(reader, node, &mut table);
    }
    for node in reader.items(model, "listOfEvents", &["event"]) {
        if let Some(id) = node.attribute("id") {
            table.claim(id, SbmlSymbol::Other, node, reader);
        }
    }
    check_places(reader, &table);
    table
}

/// A quantity without anything that changes it.
fn quantity<'a>(id: &'a str, node: Node<'a>, sort: Sort<'a>, constant: bool) -> SbmlQuantity<'a> {
    let (value, initial, rule) = (None, None, None);
    SbmlQuantity { id, node, sort, constant, value, initial, rule, in_events: false }
}

fn compartment<'a>(reader: &mut Reader<'_>, node: Node<'a>, table: &mut Table<'a>) {
    const KNOWN: [&str; 6] =
        ["size", "constant", "spatialDimensions", "units", "outside", "compartmentType"];
    reader.known_attributes(node, &KNOWN);
    let Some(id) = reader.required(node, "id") else { return };
    let constant = reader.flag(node, "constant").unwrap_or(true);
    let dimensions = reader.number(node, "spatialDimensions");
    // Level 3 lets them be any number, as those of a fractal are.
    let is_usual = |dimensions: f64| [0.0, 1.0, 2.0, 3.0].contains(&dimensions);
    if !table.edition.is_level_3() && dimensions.is_some_and(|it| !is_usual(it)) {
        reader.bad_value(node, "spatialDimensions", "0, 1, 2 or 3");
    }
    let mut compartment = quantity(id, node, Sort::Compartment, constant);
    compartment.value = reader.number(node, "size");
    table.declare(compartment, reader);
}

fn species<'a>(reader: &mut Reader<'_>, node: Node<'a>, model: Node<'a>, table: &mut Table<'a>) {
    const KNOWN: [&str; 12] = [
        "compartment",
        "initialAmount",
        "initialConcentration",
        "substanceUnits",
        "spatialSizeUnits",
        "hasOnlySubstanceUnits",
        "boundaryCondition",
        "charge",
        "constant",
        "speciesType",
        "conversionFactor",
        "units",
    ];
    reader.known_attributes(node, &KNOWN);
    let (id, compartment) = (reader.required(node, "id"), reader.required(node, "compartment"));
    let (Some(id), Some(compartment)) = (id, compartment) else { return };
    let amount = reader.number(node, "initialAmount");
    let concentration = reader.number(node, "initialConcentration");
    if amount.is_some() && concentration.is_some() {
        let message = format!("`{id}` has two initial values");
        let at = (reader.place(node, "initialConcentration"), "besides `initialAmount`");
        let help = "keep `initialAmount` or `initialConcentration`";
        reader.error("sbml::overdetermined", message, at, help);
    }
    let place = table.quantity(compartment);
    let in_point = place.is_some_and(|place| is_point(place.node));
    let model_wide = model.attribute("conversionFactor");
    let conversion = node.attribute("conversionFactor").or(model_wide).map(str::trim);
    let sort = Sort::Species(Species {
        compartment,
        is_amount: reader.flag(node, "hasOnlySubstanceUnits").unwrap_or(false) || in_point,
        is_boundary: reader.flag(node, "boundaryCondition").unwrap_or(false),
        amount,
        concentration,
        conversion: conversion.filter(|_| table.edition.is_level_3()),
        reacts: false,
    });
    let constant = reader.flag(node, "constant").unwrap_or(false);
    table.declare(quantity(id, node, sort, constant), reader);
}

/// Whether a compartment has no dimensions, and so no size.
pub(super) fn is_point(compartment: Node<'_>) -> bool {
    let dimensions = compartment.attribute("spatialDimensions");
    dimensions.and_then(|text| text.trim().parse::<f64>().ok()) == Some(0.0)
}

fn parameter<'a>(reader: &mut Reader<'_>, node: Node<'a>, table: &mut Table<'a>) {
    reader.known_attributes(node, &["value", "units", "constant"]);
    let Some(id) = reader.required(node, "id") else { return };
    let constant = reader.flag(node, "constant").unwrap_or(true);
    let mut parameter = quantity(id, node, Sort::Parameter, constant);
    parameter.value = reader.number(node, "value");
    table.declare(parameter, reader);
}

/// In level 3 a stoichiometry with an identifier is a quantity like any other.
fn stoichiometries<'a>(reader: &mut Reader<'_>, reaction: Node<'a>, table: &mut Table<'a>) {
    if !table.edition.is_level_3() {
        return;
    }
    for list in ["listOfReactants", "listOfProducts"] {
        for node in reader.items(reaction, list, &["speciesReference"]) {
            let Some(id) = node.attribute("id").map(str::trim) else { continue };
            let constant = reader.flag(node, "constant").unwrap_or(true);
            let mut stoichiometry = quantity(id, node, Sort::Stoichiometry, constant);
            stoichiometry.value = reader.number(node, "stoichiometry");
            table.declare(stoichiometry, reader);
        }
    }
}

/// Every species is in a compartment and converted by a constant parameter.
fn check_places(reader: &mut Reader<'_>, table: &Table<'_>) {
    for quantity in &table.quantities {
        let Some(species) = quantity.species() else { continue };
        let place = table.quantity(species.compartment);
        if !place.is_some_and(|place| matches!(place.sort, Sort::Compartment)) {
            let span = reader.place(quantity.node, "compartment");
            let compartments =
                table.quantities.iter().filter(|other| matches!(other.sort, Sort::Compartment));
            let names = compartments.map(|compartment| compartment.id);
            reader.unknown("compartment", species.compartment, span, names);
        }
        let Some(factor) = species.conversion else { continue };
        let found = table.quantity(factor);
        if !found.is_some_and(|found| matches!(found.sort, Sort::Parameter) && found.constant) {
            let message = format!("the conversion factor `{factor}` is no constant parameter");
            let at = (reader.place(quantity.node, "conversionFactor"), "converts this species");
            let help = "declare a parameter of that name with `constant=\"true\"`";
            reader.error("sbml::conversion-factor", message, at, help);
        }
    }
}

/// The functions of a model.
pub(super) fn functions<'a>(
    reader: &mut Reader<'_>,
    model: Node<'a>,
    table: &Table<'a>,
) -> Vec<Function> {
    let nodes = reader.items(model, "listOfFunctionDefinitions", &["functionDefinition"]);
    nodes.into_iter().filter_map(|node| function(reader, node, table)).collect()
}

fn function<'a>(reader: &mut Reader<'_>, node: Node<'a>, table: &Table<'a>) -> Option<Function> {
    reader.known_attributes(node, &[]);
    let id = node.attribute("id")?.trim();
    let mut inside = parts(math::find(reader, table, node)?);
    while let [semantics] = inside[..]
        && semantics.tag_name().name() == "semantics"
    {
        inside = parts(semantics);
    }
    let lambda = inside.first().filter(|lambda| lambda.tag_name().name() == "lambda");
    let Some(lambda) = lambda else {
        let at = (reader.tag(node), "not a function");
        let help = "write its arguments and its value as `<lambda><bvar>...</bvar>...</lambda>`";
        reader.error("sbml::math", format!("the function `{id}` has no `lambda`"), at, help);
        return None;
    };
    let (arguments, body): (Vec<_>, Vec<_>) =
        parts(*lambda).into_iter().partition(|part| part.tag_name().name() == "bvar");
    let argument = |bvar: &Node<'a>| {
        let name = bvar.descendants().find(|inner| inner.tag_name().name() == "ci")?;
        Some((name.text()?.trim(), *bvar))
    };
    let arguments: Vec<(&str, Node<'a>)> = arguments.iter().filter_map(argument).collect();
    let locals = arguments.iter().map(|(name, _)| (*name, (*name).to_owned())).collect();
    let scope = MathScope { locals, is_function: true };
    let [body] = body[..] else {
        let message = format!("the function `{id}` has {} values", body.len());
        let at = (reader.tag(*lambda), "must have exactly one, behind its arguments");
        reader.error("sbml::math", message, at, "write one expression after the last `bvar`");
        return None;
    };
    let body = Math { reader, table, scope: &scope }.expression(body)?;
    let name = Name { text: id.to_owned(), span: Some(reader.place(node, "id")) };
    let parameter = |(name, bvar): &(&str, Node<'a>)| Name {
        text: (*name).to_owned(),
        span: Some(reader.whole(*bvar)),
    };
    Some(Function { name, parameters: arguments.iter().map(parameter).collect(), body })
}
