//! Fast reactions: in equilibrium at every instant.
//!
//! Slow reactions move what is kept of each species, its pool; how far each fast reaction has gone
//! beyond, its extent, is determined by the equation that its law is zero.

use super::reaction::{Reaction, Term};
use super::scale::Usual;
use super::table::Table;
use super::xml::Reader;
use crate::tree::{EquationModel, EventAssignment, Expression, Kind, Name, VariableDeclaration};
use std::collections::BTreeMap;

/// How far fast reactions have gone.
#[derive(Default)]
pub(super) struct Extents {
    /// Names of extents and of the reactions, and a species each moves.
    extents: Vec<(Name, String, usize)>,
    /// What they have added to the amount of each species.
    pub(super) moved: BTreeMap<usize, Vec<Expression>>,
}

impl Extents {
    /// Declares extents as what equations determine.
    pub(super) fn declare(self, table: &Table<'_>, model: &mut EquationModel) {
        let usual = Usual::new(table);
        for (extent, law, species) in self.extents {
            let scale = usual.of(&table.quantities[species], true);
            model.scales.push(EventAssignment { name: extent.clone(), value: scale });
            let mut state = VariableDeclaration::new(Kind::State, extent.clone(), Some(0.0.into()));
            state.description = format!("how far the fast reaction {law} has gone");
            model.declarations.push(state);
            model.implicit.states.push(extent);
            model.implicit.residuals.push(Expression::variable(law));
            model.implicit.flows += 1;
        }
    }
}

/// Gives each fast reaction that changes something an extent.
pub(super) fn extents(
    reader: &mut Reader<'_>,
    table: &mut Table<'_>,
    reactions: &[Reaction<'_>],
) -> Extents {
    let mut found = Extents::default();
    let mut columns: Vec<BTreeMap<usize, f64>> = Vec::new();
    for reaction in reactions.iter().filter(|reaction| reaction.is_fast) {
        let changes = |term: &&Term| {
            table.quantities[term.species].species().is_some_and(|species| species.reacts)
        };
        let terms: Vec<&Term> = reaction.terms.iter().filter(changes).collect();
        if terms.is_empty() || reaction.rate.is_none() {
            continue;
        }
        let span = reader.place(reaction.node, "id");
        if terms.iter().any(|term| !table.is_settled(&term.count)) {
            refuse_count(reader, reaction);
            continue;
        }
        let text = table.free_name(format!("{}_extent", reaction.id));
        let first = terms[0].species;
        for term in &terms {
            let part = table.quantities[term.species].converted(term.flow(&text));
            found.moved.entry(term.species).or_default().push(part);
        }
        columns.extend(column(&terms));
        if is_dependent(&columns) {
            let message = format!(
                "the fast reaction `{}` is linearly dependent on other fast reactions",
                reaction.id
            );
            let help = "remove one of the fast reactions that form a circle";
            reader.error("sbml::fast", message, (span, "follows from others"), help);
        }
        found.extents.push((Name { text, span: Some(span) }, reaction.id.to_owned(), first));
    }
    found
}

/// What a reaction adds to each species, if that is all numbers.
fn column(terms: &[&Term]) -> Option<BTreeMap<usize, f64>> {
    let mut column: BTreeMap<usize, f64> = BTreeMap::new();
    for term in terms {
        let count = term.number()?;
        *column.entry(term.species).or_default() += if term.is_reactant { -count } else { count };
    }
    Some(column)
}

fn refuse_count(reader: &mut Reader<'_>, reaction: &Reaction<'_>) {
    let message = format!(
        "the fast reaction `{}` has a stoichiometry that changes, which is not supported",
        reaction.id
    );
    let at = (reader.place(reaction.node, "id"), "in equilibrium at every instant");
    let help = "make it of numbers and of what nothing changes, or give the reaction a large rate constant";
    reader.error("sbml::fast", message, at, help);
}

/// Whether the last of the columns is a sum of the others, which are independent.
fn is_dependent(columns: &[BTreeMap<usize, f64>]) -> bool {
    let mut columns: Vec<BTreeMap<usize, f64>> = columns.to_vec();
    for lead in 0..columns.len() {
        let greatest = columns[lead].iter().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        let Some((row, pivot)) = greatest.map(|(row, value)| (*row, *value)) else { return true };
        if pivot.abs() < 1e-9 {
            return true;
        }
        let leading = columns[lead].clone();
        for column in &mut columns[lead + 1..] {
            let factor = column.get(&row).copied().unwrap_or(0.0) / pivot;
            for (at, value) in &leading {
                *column.entry(*at).or_default() -= factor * value;
            }
        }
    }
    false
}
