//! Names in a plan to ids.

use super::Parser;
use super::line::{Line, Name, Piece, split_part};
use crate::resolved::{Port, ResolvedSystem};
use consort_core::diagnostic::nearest_name;
use consort_core::{ComponentId, ConnectionId, Diagnostic, ModelDescription, Span, VariableId};
use std::collections::BTreeMap;

/// Names are compared for a suggestion only so often: a text with thousands of wrong ones gets none.
const SUGGESTIONS_MAX: u32 = 200;
/// Longer names are not compared.
const NAME_LENGTH_MAX: usize = 200;
/// At most this many names are listed in a help line.
const LISTED_MAX: usize = 8;

pub(super) struct Lookup<'t> {
    pub(super) system: &'t ResolvedSystem,
    models: &'t [&'t ModelDescription],
    components: BTreeMap<&'t str, ComponentId>,
    /// By model, identified by address; the order of addresses has no effect.
    variables: BTreeMap<usize, BTreeMap<&'t str, VariableId>>,
    connections: BTreeMap<(Port, Port), ConnectionId>,
    suggestions: u32,
}

impl<'t> Lookup<'t> {
    pub(super) fn new(system: &'t ResolvedSystem, models: &'t [&'t ModelDescription]) -> Self {
        let components = system.components.iter().enumerate();
        let components =
            components.map(|(index, it)| (it.name.as_str(), ComponentId::from_index(index)));
        let connections = system.connections.iter().enumerate();
        let connections =
            connections.map(|(index, it)| ((it.from, it.to), ConnectionId::from_index(index)));
        let mut variables = BTreeMap::new();
        for model in models {
            let address = std::ptr::from_ref(*model).addr();
            variables.entry(address).or_insert_with(|| model.names());
        }
        Lookup {
            system,
            models,
            components: components.collect(),
            variables,
            connections: connections.collect(),
            suggestions: 0,
        }
    }

    fn variable(&self, component: ComponentId, name: &str) -> Option<VariableId> {
        let address = std::ptr::from_ref(self.models[component.index()]).addr();
        self.variables[&address].get(name).copied()
    }

    /// "Did you mean", or the names there are.
    fn help(&mut self, given: &str, names: &[&str], title: &str) -> String {
        let may_look = self.suggestions < SUGGESTIONS_MAX && given.len() <= NAME_LENGTH_MAX;
        self.suggestions += u32::from(may_look);
        let short = names.iter().copied().filter(|name| name.len() <= NAME_LENGTH_MAX);
        if let Some(name) = may_look.then(|| nearest_name(given, short)).flatten() {
            return format!("did you mean `{name}`?");
        }
        let more = if LISTED_MAX < names.len() { ", ..." } else { "" };
        let listed = &names[..names.len().min(LISTED_MAX)];
        match listed.is_empty() {
            true => format!("there are no {title}"),
            false => format!("the {title} are `{}`{more}", listed.join("`, `")),
        }
    }
}

impl<'t> Parser<'t, '_> {
    pub(super) fn name(&mut self, line: &mut Line<'t>, dots: bool, what: &str) -> Option<Name> {
        let name = line.name(dots);
        self.checked_name(name, what)
    }

    fn checked_name(&mut self, name: Result<Name, Piece<'t>>, what: &str) -> Option<Name> {
        name.map_err(|piece| {
            let quoted = piece.text.starts_with('"');
            let example = if quoted { "with a quote at its end" } else { "as the system has it" };
            self.syntax(piece.span(self.source), what, example);
        })
        .ok()
    }

    pub(super) fn component(&mut self, line: &mut Line<'t>) -> Option<ComponentId> {
        let name = self.name(line, false, "a component")?;
        let found = self.lookup.components.get(name.value.as_str()).copied();
        if found.is_none() {
            let names: Vec<&str> = self.lookup.components.keys().copied().collect();
            let help = self.lookup.help(&name.value, &names, "components");
            let message = format!("the system has no component `{}`", name.value);
            self.not_found("plan::unknown-component", name.span(self.source), message, help);
        }
        found
    }

    pub(super) fn variable(
        &mut self,
        line: &mut Line<'t>,
        component: ComponentId,
    ) -> Option<VariableId> {
        let name = self.name(line, true, "a variable")?;
        let found = self.lookup.variable(component, &name.value);
        if found.is_none() {
            self.no_variable(component, &name.value, name.span(self.source));
        }
        found
    }

    fn no_variable(&mut self, component: ComponentId, name: &str, span: Span) {
        let model = self.lookup.models[component.index()];
        let names: Vec<&str> = model.variables.iter().map(|it| it.name.as_str()).collect();
        let help = self.lookup.help(name, &names, "variables");
        let of = &self.lookup.system.components[component.index()].name;
        let message = format!("`{of}` has no variable `{name}`");
        self.not_found("plan::unknown-variable", span, message, help);
    }

    fn not_found(&mut self, code: &'static str, span: Span, message: String, help: String) {
        self.report.push(Diagnostic::error(code, message).at(span, "not found").help(help));
    }

    fn port(&mut self, line: &mut Line<'t>) -> Option<Port> {
        let component = self.component(line)?;
        self.expect(line, ".", "a dot and a variable", "as in `tank.level`")?;
        let name = line.name_here(true);
        let name = self.checked_name(name, "a variable")?;
        let count_of = |lookup: &Lookup<'_>, variable: VariableId| {
            lookup.system.components[component.index()].counts[variable.index()]
        };
        let (variable, part) = match self.lookup.variable(component, &name.value) {
            Some(variable) => (Some(variable), line.part_here()),
            None => match split_part(&name.value) {
                Some((whole, part)) => (self.lookup.variable(component, whole), Some(part)),
                None => (None, None),
            },
        };
        let Some(variable) = variable else {
            self.no_variable(component, &name.value, name.span(self.source));
            return None;
        };
        let (first, end) = part.unwrap_or((0, count_of(&self.lookup, variable)));
        Some(Port { component, variable, first, count: end.saturating_sub(first) })
    }

    /// `a.y -> b.u as Float64 times 2.0 plus 1.0 delayed`.
    pub(super) fn connection(&mut self, line: &mut Line<'t>) -> Option<ConnectionId> {
        let start = line.place();
        let from = self.port(line)?;
        self.expect(line, "->", "`->`", "as in `tank.level -> pid.measurement`")?;
        let to = self.port(line)?;
        let span = Span::new(self.source, start..line.place());
        let Some(&id) = self.lookup.connections.get(&(from, to)) else {
            let help = self.connection_help(from, to);
            let message = "the system has no such connection".to_owned();
            self.not_found("plan::unknown-connection", span, message, help);
            line.rest();
            return None;
        };
        self.target_type(line, to);
        self.conversion(line, id);
        self.delay(line, id, span);
        Some(id)
    }

    fn connection_help(&self, from: Port, to: Port) -> String {
        let system = self.lookup.system;
        let name = |port: Port| {
            let model = self.lookup.models[port.component.index()];
            let variable = &model.variables[port.variable.index()].name;
            format!("{}.{variable}", system.components[port.component.index()].name)
        };
        let same = |a: Port, b: Port| (a.component, a.variable) == (b.component, b.variable);
        let mut wires = system.connections.iter();
        match wires.find(|wire| same(wire.to, to)) {
            Some(wire) => format!("`{}` is fed by `{}`", name(to), name(wire.from)),
            None => match system.connections.iter().find(|wire| same(wire.from, from)) {
                Some(wire) => format!("`{}` goes to `{}`", name(from), name(wire.to)),
                None => "a plan moves values along the system's connections only".to_owned(),
            },
        }
    }

    fn target_type(&mut self, line: &mut Line<'t>, to: Port) {
        if !line.eat_word("as") {
            return;
        }
        let found = line.word();
        let model = self.lookup.models[to.component.index()];
        let value_type = model.variables[to.variable.index()].value_type;
        if found.text != value_type.name() {
            let message = format!("the input of this connection is {value_type}");
            self.disagrees(found.span(self.source), message);
        }
    }

    fn conversion(&mut self, line: &mut Line<'t>, id: ConnectionId) {
        if !line.eat_word("times") {
            return;
        }
        let gain = line.word();
        let plus = line.eat_word("plus");
        let offset = line.word();
        let conversion = self.lookup.system.connections[id.index()].conversion;
        let is = |piece: Piece<'_>, number: f64| {
            piece.text.parse::<f64>().is_ok_and(|it| it.to_bits() == number.to_bits())
        };
        if !(plus && is(gain, conversion.gain) && is(offset, conversion.offset)) {
            let (gain_is, offset_is) = (conversion.gain, conversion.offset);
            let message = format!("this connection does `times {gain_is:?} plus {offset_is:?}`");
            self.disagrees(gain.span(self.source), message);
        }
    }

    fn delay(&mut self, line: &mut Line<'t>, id: ConnectionId, span: Span) {
        if line.eat_word("delayed") && !self.lookup.system.connections[id.index()].delay {
            let message = "this connection is not delayed".to_owned();
            self.report.push(
                Diagnostic::error("plan::disagrees", message)
                    .at(span, "does not agree with the system")
                    .help("write `delay = true` at the connection in the system, or leave it out"),
            );
        }
    }
}
