//! Biochemically plausible networks, against libRoadRunner 2.10.0 at a relative tolerance of 1e-12.

#[path = "networks/data.rs"]
mod data;

use crate::numbers::Run;
use crate::write;
use data::NETWORKS;
use std::fmt::Write as _;

/// A network: species and parameters with values, reactions as `reactants -> products : rate`.
struct Network {
    name: &'static str,
    species: &'static str,
    parameters: &'static str,
    reactions: &'static [&'static str],
    /// Until when.
    end: f64,
    /// Concentrations then.
    expected: &'static [(&'static str, f64)],
}

/// A model of level 2 version 4 in a compartment of size `C`.
fn document(network: &Network) -> String {
    let pairs = |text: &'static str| {
        text.split_whitespace().map(|pair| pair.split_once('=').expect("name=value"))
    };
    let mut species = String::new();
    for (id, value) in pairs(network.species) {
        let _ =
            write!(species, "<species id='{id}' compartment='C' initialConcentration='{value}'/>");
    }
    let mut parameters = String::new();
    for (id, value) in pairs(network.parameters) {
        let _ = write!(parameters, "<parameter id='{id}' value='{value}'/>");
    }
    let reactions: String =
        network.reactions.iter().enumerate().map(|(at, text)| reaction(at, text)).collect();
    let lists = [("Species", &species[..]), ("Parameters", &parameters), ("Reactions", &reactions)];
    write::document((2, 4), &write::network(&lists))
}

/// Rates are per volume, as chemists write them.
fn reaction(at: usize, text: &str) -> String {
    let (sides, rate) = text.split_once(':').expect("a rate");
    let (from, to) = sides.split_once("->").expect("an arrow");
    let side = |list: &str, text: &str| {
        let terms = text.split('+').map(str::trim).filter(|term| !term.is_empty());
        let references: String = terms.map(reference).collect();
        match references.as_str() {
            "" => String::new(),
            references => format!("<listOf{list}>{references}</listOf{list}>"),
        }
    };
    let (reactants, products) = (side("Reactants", from), side("Products", to));
    let law = format!("<kineticLaw>{{{{C*({})}}}}</kineticLaw>", rate.trim());
    format!("<reaction id='v{at}'>{reactants}{products}{law}</reaction>")
}

fn reference(term: &str) -> String {
    let (count, species) = term.split_once(' ').unwrap_or(("1", term));
    format!("<speciesReference species='{species}' stoichiometry='{count}'/>")
}

#[test]
fn networks_agree_with_an_independent_tool() {
    assert!(20 <= NETWORKS.len(), "{}", NETWORKS.len());
    for network in NETWORKS {
        let run = Run::new(&document(network)).advance(network.end);
        for (name, expected) in network.expected {
            let found = run.value(name);
            let error = (found - expected).abs();
            let (tolerance, title) = (1e-7 * expected.abs().max(1e-3), network.name);
            assert!(error <= tolerance, "{title}, {name}: {found}, not {expected}");
        }
        assert!(!network.expected.is_empty(), "{}", network.name);
    }
}
