//! Writes SBML for the tests.

pub(crate) use crate::mathml::{document, formulas};
use std::fmt::Write as _;

/// A model of one compartment (size 2), and what is given as the content of its lists.
pub(crate) fn network(lists: &[(&str, &str)]) -> String {
    let mut text = String::new();
    if !lists.iter().any(|(list, _)| *list == "Compartments") {
        text += "<listOfCompartments><compartment id=\"C\" size=\"2\"/></listOfCompartments>";
    }
    for (list, content) in lists {
        let _ = write!(text, "<listOf{list}>{content}</listOf{list}>");
    }
    text
}
