//! From nested systems to a flat one: names with `/`, wires from model to model, values where they
//! belong.

mod bindings;
mod dictionaries;
mod names;
mod wires;

use super::document::{Connector, Content, Element, Settings, Structure};
use super::xml::Session;
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Unit};
use consort_system::{Component, Spanned, SystemDescription};
use std::collections::BTreeMap;

/// The system that a structure describes; problems are reported to the session.
pub(super) fn lower(
    session: &mut Session<'_>,
    structure: Structure,
    name: &str,
) -> SystemDescription {
    let Structure { root, settings, .. } = structure;
    let Settings { experiment, interventions, nodes, repeats_model_units } = settings;
    let mut tree = Tree { parts: Vec::new(), components: Vec::new(), repeats_model_units };
    names::flatten(session, &mut tree, &root);
    dictionaries::find(session, &mut tree);
    if tree.components.is_empty() {
        session.report(
            Diagnostic::error("ssp::empty", "the system has no components")
                .maybe_at(root.name.span, "nothing in here")
                .help("add one: `<ssd:Component name=\"...\" source=\"resources/....fmu\"/>`"),
        );
    }
    let edges = wires::edges(session, &tree);
    let connections = wires::connections(session, &tree, &edges);
    let parameters = bindings::parameters(session, &tree, &edges);
    let mut components = tree.components;
    for (component, list) in components.iter_mut().zip(parameters) {
        component.parameters = list;
    }
    let (name, inputs) = (name.to_owned(), None);
    SystemDescription { name, experiment, components, connections, interventions, inputs, nodes }
}

/// All elements of the nested systems in one list.
struct Tree<'e> {
    /// The first is the root; parents go before their children.
    parts: Vec<Part<'e>>,
    components: Vec<Component>,
    /// The units of components' connectors only repeat what their models say.
    repeats_model_units: bool,
}

/// An element in its place.
struct Part<'e> {
    element: &'e Element,
    /// The system it is in.
    parent: Option<usize>,
    connectors: BTreeMap<&'e str, &'e Connector>,
    /// By name, if it is a system.
    children: BTreeMap<&'e str, usize>,
    /// The dictionaries it defines, by name, if it is a system.
    dictionaries: BTreeMap<&'e str, usize>,
    /// The dictionary it reaches, if it is a reference.
    dictionary: Option<usize>,
    /// Index into the components, if it is one.
    component: Option<usize>,
    /// As it is called in messages.
    path: String,
}

impl<'e> Part<'e> {
    fn new(element: &'e Element, parent: Option<usize>, path: String) -> Self {
        let connectors = element.connectors.iter().map(|it| (it.name.as_str(), it)).collect();
        let (children, dictionaries) = (BTreeMap::new(), BTreeMap::new());
        let (dictionary, component) = (None, None);
        Part { element, parent, connectors, children, dictionaries, dictionary, component, path }
    }

    fn is_system(&self) -> bool {
        matches!(self.element.content, Content::System(..))
    }
}

impl Tree<'_> {
    /// The unit that values at a connector are declared to have.
    fn unit(&self, part: usize, connector: &str) -> Option<&Unit> {
        let part = &self.parts[part];
        if self.repeats_model_units && part.component.is_some() {
            return None;
        }
        part.connectors.get(connector)?.unit.as_ref()
    }

    /// The owner of the value at a connector: an element itself, or the dictionary it refers to.
    fn holder(&self, part: usize) -> Option<usize> {
        match self.parts[part].element.content {
            Content::Reference(_) => self.parts[part].dictionary,
            _ => Some(part),
        }
    }
}

/// The name that was probably meant, or else another help.
fn nearest_or<'n>(name: &str, known: impl Iterator<Item = &'n str>, way_out: &str) -> String {
    match nearest_name(name, known) {
        Some(name) => format!("did you mean `{name}`?"),
        None => way_out.to_owned(),
    }
}

fn report_not_found(
    session: &mut Session<'_>,
    code: &'static str,
    message: String,
    name: &Spanned<String>,
    help: String,
) {
    session.report(Diagnostic::error(code, message).maybe_at(name.span, "not found").help(help));
}
