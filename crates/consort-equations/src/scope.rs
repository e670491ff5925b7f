//! What each name of a model means, and what defines it.

use crate::findings::{Findings, suggestion};
use crate::places::{Places, of_name};
use crate::program::Layout;
use crate::tree::{
    Equation, EquationModel, Expression, ExpressionKind, Function, Kind, Left, Name,
    VariableDeclaration,
};
use consort_core::Diagnostic;
use std::collections::{BTreeMap, BTreeSet};

/// What a name means: its kind and its number among those of that kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Symbol {
    Parameter(usize),
    Input(usize),
    State(usize),
    Discrete(usize),
    /// An output, a variable or a parameter computed from others.
    Assigned(usize),
}

/// The names of a model.
#[derive(Default)]
pub(crate) struct Scope<'m> {
    symbols: Vec<(&'m str, Symbol)>,
    places: Places,
    functions: BTreeMap<&'m str, &'m Function>,
    pub(crate) parameters: Vec<&'m VariableDeclaration>,
    pub(crate) inputs: Vec<&'m VariableDeclaration>,
    pub(crate) states: Vec<&'m VariableDeclaration>,
    pub(crate) discretes: Vec<&'m VariableDeclaration>,
    pub(crate) assigned: Vec<&'m VariableDeclaration>,
    /// What defines each of `assigned`.
    pub(crate) definitions: Vec<Option<&'m Expression>>,
    /// What defines the derivative of each of `states`.
    pub(crate) derivatives: Vec<Option<&'m Expression>>,
    /// States that equations determine, by number, in the order of [`EquationModel::implicit`].
    pub(crate) implicit: Vec<usize>,
    /// See [`EquationModel::conditions_are_numbers`].
    pub(crate) conditions_are_numbers: bool,
}

impl<'m> Scope<'m> {
    /// Looks through a model and reports names and equations that do not fit together.
    pub(crate) fn new(model: &'m EquationModel, findings: &mut Findings<'_>) -> Self {
        let conditions_are_numbers = model.conditions_are_numbers;
        let mut scope = Scope { conditions_are_numbers, ..Scope::default() };
        let mut names = Names { first: BTreeMap::new() };
        for function in &model.functions {
            if names.take(&function.name, findings) {
                scope.functions.insert(&function.name.text, function);
            }
            check_parameters(function, findings);
        }
        for declaration in &model.declarations {
            check_declaration(declaration, findings);
            if names.take(&declaration.name, findings) {
                scope.declare(declaration);
            }
        }
        for equation in &model.equations {
            match equation.left {
                Left::Derivative => scope.define_derivative(equation, findings),
                Left::Value => scope.define_value(equation, findings),
            }
        }
        let implicit = model.implicit.states.iter().map(|name| scope.symbol(&name.text));
        let states = implicit.filter_map(|symbol| match symbol {
            Some(Symbol::State(state)) => Some(state),
            _ => None,
        });
        scope.implicit = states.collect();
        scope.find_undefined(findings);
        scope
    }

    pub(crate) fn layout(&self) -> Layout {
        Layout {
            parameters: self.parameters.len(),
            inputs: self.inputs.len(),
            states: self.states.len(),
            discretes: self.discretes.len(),
        }
    }

    pub(crate) fn symbol(&self, name: &str) -> Option<Symbol> {
        let found = self.places.find(of_name(name), |number| self.symbols[number].0 == name);
        found.map(|number| self.symbols[number].1)
    }

    pub(crate) fn function(&self, name: &str) -> Option<&'m Function> {
        self.functions.get(name).copied()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'m str> + '_ {
        let names: BTreeSet<&str> = self.symbols.iter().map(|(name, _)| *name).collect();
        names.into_iter()
    }

    pub(crate) fn function_names(&self) -> impl Iterator<Item = &'m str> + '_ {
        self.functions.keys().copied()
    }

    pub(crate) fn state_names(&self) -> impl Iterator<Item = &'m str> + '_ {
        self.states.iter().map(|state| state.name.text.as_str())
    }

    fn declare(&mut self, declaration: &'m VariableDeclaration) {
        let is_computed = declaration.value.as_ref().is_some_and(has_names);
        let (list, symbol): (_, fn(usize) -> Symbol) = match declaration.kind {
            Kind::Parameter if !is_computed => (&mut self.parameters, Symbol::Parameter),
            Kind::Input => (&mut self.inputs, Symbol::Input),
            Kind::State => (&mut self.states, Symbol::State),
            Kind::Discrete => (&mut self.discretes, Symbol::Discrete),
            Kind::Parameter | Kind::Output | Kind::Variable => {
                self.definitions.push(declaration.value.as_ref());
                (&mut self.assigned, Symbol::Assigned)
            }
        };
        self.symbols.push((&declaration.name.text, symbol(list.len())));
        list.push(declaration);
        self.places.add_last(self.symbols.len(), |number| of_name(self.symbols[number].0));
        if declaration.kind == Kind::State {
            self.derivatives.push(None);
        }
    }

    fn define_derivative(&mut self, equation: &'m Equation, findings: &mut Findings<'_>) {
        let name = &equation.name;
        match self.symbol(&name.text) {
            Some(Symbol::State(state)) if self.derivatives[state].is_some() => {
                let message = format!("`der({})` is defined twice", name.text);
                let help = "keep one of the equations, or add them up";
                findings.error("equations::twice", message, (name.span, "again"), help);
            }
            Some(Symbol::State(state)) => self.derivatives[state] = Some(&equation.right),
            Some(_) => {
                let message = format!("`{}` is no state", name.text);
                let help = format!("declare it with `state {0} = ...`", name.text);
                findings.error("equations::no-state", message, (name.span, "not a state"), help);
            }
            None => {
                let message = format!("there is no state `{}`", name.text);
                let help = format!("declare it with `state {0} = ...`", name.text);
                let help = suggestion(&name.text, self.state_names(), &help);
                findings.error("equations::unknown-name", message, (name.span, "not found"), help);
            }
        }
    }

    fn define_value(&mut self, equation: &'m Equation, findings: &mut Findings<'_>) {
        let name = &equation.name;
        match self.symbol(&name.text) {
            Some(Symbol::Assigned(at)) if self.definitions[at].is_some() => {
                let message = format!("`{}` is defined twice", name.text);
                let first = self.assigned[at].name.span;
                let diagnostic = Diagnostic::error("equations::twice", message)
                    .maybe_at(name.span, "again")
                    .help("keep one of the definitions")
                    .maybe_label(first, "declared here");
                findings.push(diagnostic);
            }
            Some(Symbol::Assigned(at)) => self.definitions[at] = Some(&equation.right),
            Some(symbol) => {
                let (what, help) = self.not_assignable(symbol, &name.text);
                let message = format!("`{}` is {what} and cannot be defined again", name.text);
                findings.error("equations::not-assignable", message, (name.span, what), help);
            }
            None => {
                let message = format!("there is no output or variable `{}`", name.text);
                let names = self.assigned.iter().map(|declared| declared.name.text.as_str());
                let help = format!("declare it with `variable {} = ...`", name.text);
                let help = suggestion(&name.text, names, &help);
                findings.error("equations::unknown-name", message, (name.span, "not found"), help);
            }
        }
    }

    fn not_assignable(&self, symbol: Symbol, name: &str) -> (&'static str, String) {
        match symbol {
            Symbol::State(_) => ("a state", format!("write `der({name}) = ...`")),
            Symbol::Discrete(_) => {
                ("a discrete", "give it new values inside `when ... then ... end`".to_owned())
            }
            Symbol::Parameter(_) => ("a parameter", format!("declare `variable {name}` instead")),
            _ => ("an input", format!("declare `variable {name}` instead")),
        }
    }

    fn find_undefined(&self, findings: &mut Findings<'_>) {
        for (number, (state, derivative)) in self.states.iter().zip(&self.derivatives).enumerate() {
            if derivative.is_none() && !self.implicit.contains(&number) {
                let name = &state.name;
                let message = format!("the state `{}` has no derivative", name.text);
                let help = format!("add `der({}) = ...`, or declare it `discrete`", name.text);
                let place = (name.span, "declared here");
                findings.error("equations::no-derivative", message, place, help);
            }
        }
        for (declaration, definition) in self.assigned.iter().zip(&self.definitions) {
            if definition.is_none() {
                let (name, word) = (&declaration.name, declaration.kind.keyword());
                let message = format!("the {word} `{}` has no value", name.text);
                let help = format!("write `{word} {} = ...`", name.text);
                let place = (name.span, "declared here");
                findings.error("equations::no-value", message, place, help);
            }
        }
    }
}

/// Names in use, and where each was first.
struct Names<'m> {
    first: BTreeMap<&'m str, &'m Name>,
}

impl<'m> Names<'m> {
    /// Whether the name was free and may be used.
    fn take(&mut self, name: &'m Name, findings: &mut Findings<'_>) -> bool {
        let text = name.text.as_str();
        let Some(first) = self.first.get(text) else {
            self.first.insert(text, name);
            return true;
        };
        let message = format!("`{text}` is declared twice");
        let diagnostic = Diagnostic::error("equations::twice", message)
            .maybe_at(name.span, "again")
            .help("choose another name for one of them")
            .maybe_label(first.span, "first here");
        findings.push(diagnostic);
        false
    }
}

fn check_parameters(function: &Function, findings: &mut Findings<'_>) {
    for (index, parameter) in function.parameters.iter().enumerate() {
        if function.parameters[..index].iter().any(|other| other.text == parameter.text) {
            let message =
                format!("`{}` has two arguments `{}`", function.name.text, parameter.text);
            let help = "give each argument a name of its own";
            findings.error("equations::twice", message, (parameter.span, "again"), help);
        }
    }
}

fn check_declaration(declaration: &VariableDeclaration, findings: &mut Findings<'_>) {
    let name = &declaration.name;
    if declaration.kind == Kind::Parameter && declaration.value.is_none() {
        let message = format!("the parameter `{}` has no value", name.text);
        let help = format!("write `parameter {} = ...`", name.text);
        findings.error("equations::no-value", message, (name.span, "declared here"), help);
    }
    if declaration.nominal.is_some_and(|nominal| nominal <= 0.0 || nominal.is_nan()) {
        let message = format!("the nominal value of `{}` is not greater than zero", name.text);
        let help = "write its typical magnitude, without a sign";
        findings.error("equations::nominal", message, (name.span, "declared here"), help);
    }
    if let (Some(min), Some(max)) = (declaration.min, declaration.max)
        && max < min
    {
        let message = format!("the least value of `{}` is above its greatest", name.text);
        findings.error("equations::bounds", message, (name.span, "declared here"), "swap them");
    }
    let unit = &declaration.unit;
    if !unit.text.is_empty() && consort_core::Unit::named(&unit.text).base.is_none() {
        let message = format!("the unit `{}` is not known", unit.text);
        let diagnostic = Diagnostic::warning("equations::unknown-unit", message)
            .maybe_at(unit.span, "taken as a mere name")
            .help("units are written as in `kg.m2/s3`; a description comes after the unit");
        findings.push(diagnostic);
    }
}

/// Whether an expression refers to anything declared.
fn has_names(expression: &Expression) -> bool {
    let mut open = vec![expression];
    while let Some(next) = open.pop() {
        match &next.kind {
            ExpressionKind::Variable(_) | ExpressionKind::Derivative(_) => return true,
            ExpressionKind::Pre(_) => return true,
            _ => next.push_parts(&mut open),
        }
    }
    false
}
