//! `ModelStructure`: the computed variables and their dependencies.

use super::variables::Variables;
use super::{FmiVersion, section};
use crate::xml::{Node, Reader, child, shorten};
use consort_core::{
    Causality, DependencyKind, DependsOn, Diagnostic, ModelStructure, Unknown, ValueType,
    VariableId,
};
use std::collections::BTreeSet;

/// Reads the structure; outputs it does not mention are taken to depend on everything.
pub(super) fn read(
    reader: &mut Reader<'_>,
    root: Node<'_>,
    version: FmiVersion,
    variables: &Variables<'_>,
) -> ModelStructure {
    let mut structure = ModelStructure::default();
    let mut reading = Reading { reader, variables, version };
    for node in section(root, "ModelStructure") {
        let name = node.tag_name().name();
        match (version, name) {
            (FmiVersion::V2, "Outputs") => structure.outputs = reading.list(node),
            (FmiVersion::V2, "Derivatives") => structure.derivatives = reading.list(node),
            (FmiVersion::V2, "InitialUnknowns") => structure.initial = reading.list(node),
            (FmiVersion::V3, "Output") => structure.outputs.extend(reading.unknown(node)),
            (FmiVersion::V3, "ContinuousStateDerivative") => {
                structure.derivatives.extend(reading.unknown(node));
            }
            (FmiVersion::V3, "InitialUnknown") => structure.initial.extend(reading.unknown(node)),
            (FmiVersion::V3, "EventIndicator") => {
                let unknown = reading.unknown(node);
                structure.event_indicators.extend(unknown.map(|unknown| unknown.variable));
            }
            (FmiVersion::V3, "ClockedState") => drop(reading.unknown(node)),
            (_, "Annotations") => {}
            _ => reading.unknown_element(node),
        }
    }
    let missing = missing_outputs(&structure, variables);
    if !missing.is_empty() {
        say_missing(reader, root, variables, &missing);
    }
    let all = |variable| Unknown { variable, on: DependsOn::All };
    structure.outputs.extend(missing.into_iter().map(all));
    structure
}

struct Reading<'e, 'r, 'v> {
    reader: &'e mut Reader<'r>,
    variables: &'v Variables<'v>,
    version: FmiVersion,
}

impl Reading<'_, '_, '_> {
    fn list(&mut self, parent: Node<'_>) -> Vec<Unknown> {
        let nodes = crate::xml::elements(parent);
        nodes
            .filter(|node| node.tag_name().name() == "Unknown")
            .filter_map(|node| self.unknown(node))
            .collect()
    }

    fn unknown_element(&mut self, node: Node<'_>) {
        let name = shorten(node.tag_name().name());
        let message = format!("`ModelStructure` has an unknown element `{name}`");
        self.reader.report(
            Diagnostic::warning("description::unknown-element", message)
                .at(self.reader.tag(node), "not known here")
                .help("it is ignored"),
        );
    }

    fn unknown(&mut self, node: Node<'_>) -> Option<Unknown> {
        let key = match self.version {
            FmiVersion::V2 => "index",
            FmiVersion::V3 => "valueReference",
        };
        let number = self.reader.required(node, key, "say which variable is computed")?;
        let variable = self.variable(node, key, number.trim())?;
        let on = self.depends_on(node);
        Some(Unknown { variable, on })
    }

    fn depends_on(&mut self, node: Node<'_>) -> DependsOn {
        let Some(dependencies) = node.attribute("dependencies") else { return DependsOn::All };
        let numbers: Vec<&str> = dependencies.split_ascii_whitespace().collect();
        let kinds = self.kinds(node, numbers.len());
        let resolved = numbers.into_iter().zip(kinds).filter_map(|(number, kind)| {
            Some((self.variable(node, "dependencies", number)?, kind))
        });
        DependsOn::These(resolved.collect())
    }

    fn kinds(&mut self, node: Node<'_>, count: usize) -> Vec<DependencyKind> {
        let unknown = vec![DependencyKind::Dependent; count];
        let Some(text) = node.attribute("dependenciesKind") else { return unknown };
        let kinds: Option<Vec<_>> =
            text.split_ascii_whitespace().map(DependencyKind::from_name).collect();
        if let Some(kinds) = kinds.filter(|kinds| kinds.len() == count) {
            return kinds;
        }
        let message = format!("`dependenciesKind` does not say how each of {count} depends");
        self.reader.report(
            Diagnostic::warning("description::dependencies-kind", message)
                .at(self.reader.place(node, "dependenciesKind"), "one known word for each")
                .help("each is taken as `dependent`"),
        );
        unknown
    }

    fn variable(&mut self, node: Node<'_>, key: &str, number: &str) -> Option<VariableId> {
        let found = self.variables.referred(number, self.version);
        if found.is_none() {
            let count = self.variables.list.len();
            let attribute = node.attribute_node(key);
            let span = attribute.map_or_else(
                || self.reader.tag(node),
                |attribute| self.reader.piece(attribute, number),
            );
            let (message, help) = match self.version {
                FmiVersion::V2 => (
                    format!("there is no variable with index {}", shorten(number)),
                    format!("indices count the variables from 1 to {count}"),
                ),
                FmiVersion::V3 => (
                    format!("there is no variable with value reference {}", shorten(number)),
                    "every entry refers to a variable of `ModelVariables`".to_owned(),
                ),
            };
            self.reader.report(
                Diagnostic::error("description::structure", message)
                    .at(span, "refers to nothing")
                    .help(help),
            );
        }
        found
    }
}

/// Outputs the structure does not list; clocks need not be.
fn missing_outputs(structure: &ModelStructure, variables: &Variables<'_>) -> Vec<VariableId> {
    let listed: BTreeSet<VariableId> =
        structure.outputs.iter().map(|unknown| unknown.variable).collect();
    let ids = (0..variables.list.len()).map(VariableId::from_index);
    ids.filter(|id| {
        let variable = &variables.list[id.index()];
        variable.causality == Causality::Output
            && variable.value_type != ValueType::Clock
            && !listed.contains(id)
    })
    .collect()
}

fn say_missing(
    reader: &mut Reader<'_>,
    root: Node<'_>,
    variables: &Variables<'_>,
    missing: &[VariableId],
) {
    let first = shorten(&variables.list[missing[0].index()].name);
    let message = match missing.len() {
        1 => format!("the output `{first}` is not in `ModelStructure`"),
        count => format!("{count} outputs, `{first}` the first, are not in `ModelStructure`"),
    };
    let span = reader.tag(child(root, "ModelStructure").unwrap_or(root));
    reader.report(
        Diagnostic::warning("description::missing-output", message)
            .at(span, "does not list every output")
            .help("it is taken to depend on everything"),
    );
}
