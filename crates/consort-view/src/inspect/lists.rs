//! What only some models have: other names, enumerations, clocks, terminals.

use crate::page::Page;
use consort_core::{ModelDescription, ValueType, Variable};

pub(super) fn write(page: &mut Page, model: &ModelDescription) {
    section(page, "Other names", &aliases(model));
    section(page, "Enumerations", &enumerations(model));
    section(page, "Clocks", &clocks(model));
    section(page, "Terminals", &terminals(model));
}

fn section(page: &mut Page, heading: &str, facts: &[(String, String)]) {
    if !facts.is_empty() {
        page.heading(heading);
        page.facts(facts);
    }
}

fn aliases(model: &ModelDescription) -> Vec<(String, String)> {
    let renamed = model.variables.iter().filter(|variable| !variable.aliases.is_empty());
    renamed.map(|variable| (variable.name.clone(), variable.aliases.join(", "))).collect()
}

fn enumerations(model: &ModelDescription) -> Vec<(String, String)> {
    let items = |items: &[(String, i64)]| -> String {
        let each = items.iter().map(|(name, value)| format!("{name} = {value}"));
        each.collect::<Vec<_>>().join(", ")
    };
    model.enumerations.iter().map(|list| (list.name.clone(), items(&list.items))).collect()
}

fn clocks(model: &ModelDescription) -> Vec<(String, String)> {
    let all = model.variables.iter().enumerate();
    all.filter(|(_, variable)| variable.value_type == ValueType::Clock)
        .map(|(index, clock)| {
            let ticks = |variable: &&Variable| variable.clocks.iter().any(|id| id.index() == index);
            let names: Vec<&str> =
                model.variables.iter().filter(ticks).map(|each| each.name.as_str()).collect();
            let text = match names.as_slice() {
                [] => "nothing ticks with it".to_owned(),
                names => format!("ticks {}", names.join(", ")),
            };
            (clock.name.clone(), text)
        })
        .collect()
}

/// Terminals in the order in which they first appear.
fn terminals(model: &ModelDescription) -> Vec<(String, String)> {
    let mut terminals: Vec<(String, String)> = Vec::new();
    for variable in &model.variables {
        let Some(terminal) = &variable.terminal else { continue };
        match terminals.iter_mut().find(|(name, _)| name == terminal) {
            Some((_, members)) => *members = format!("{members}, {}", variable.name),
            None => terminals.push((terminal.clone(), variable.name.clone())),
        }
    }
    terminals
}
