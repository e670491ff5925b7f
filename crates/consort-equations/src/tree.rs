//! A model as it was written: declarations, equations, events, functions, with their places.
//!
//! [`read`](crate::read) builds it from text; an importer of another format builds it directly, with
//! [`Expression`]'s constructors and without spans. Names are looked up by
//! [`compile`](crate::compile()), so the tree may be built in any order.

mod walk;

use crate::builtin::Builtin;
use consort_core::Span;

/// A model as written.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EquationModel {
    /// The name of the model.
    pub name: Name,
    /// What its author says about it.
    pub description: String,
    /// The declared variables.
    pub declarations: Vec<VariableDeclaration>,
    /// How outputs, variables and derivatives come about, beside the values at declarations.
    pub equations: Vec<Equation>,
    /// The events of the model.
    pub events: Vec<Event>,
    /// Functions of the model's own.
    pub functions: Vec<Function>,
    /// States that equations determine at every instant, in the place of derivatives.
    pub implicit: Implicit,
    /// Typical magnitudes of states that are not mere numbers, from what there is at the start: an
    /// importer's way to say `nominal`.
    pub scales: Vec<EventAssignment>,
    /// The experiment its author had in mind.
    pub experiment: ModelExperiment,
    /// Whether units that do not fit are a warning only: an importer's, whose formats take numbers as they are.
    pub units_are_hints: bool,
    /// Whether a condition counts as one or zero where a number is wanted, and a number that is not zero as true: an
    /// importer's, whose formats do not distinguish them.
    pub conditions_are_numbers: bool,
    /// Whether events of one instant and one priority are executed in an order that is drawn, not in that of the text.
    pub events_are_unordered: bool,
}

/// The experiment a model's author had in mind; numbers kept as written, so that they stay exact.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ModelExperiment {
    /// When it stops, in seconds.
    pub stop: Option<String>,
    /// How long a communication step is, in seconds.
    pub step: Option<String>,
    /// The relative tolerance of the solver.
    pub tolerance: Option<String>,
}

/// A name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands, for a model that was read from text.
    pub span: Option<Span>,
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Name { text: text.to_owned(), span: None }
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Name { text, span: None }
    }
}

/// The kind of a declared variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Does not change in a run. One whose value is computed from others cannot be set.
    Parameter,
    /// A value from outside of the model.
    Input,
    /// Changes continuously as `der(x) = ...` says, and at events.
    State,
    /// Changes at events only.
    Discrete,
    /// Computed from the others at every instant, and offered to the outside.
    Output,
    /// Computed from the others at every instant.
    Variable,
}

impl Kind {
    /// The keyword it is declared with.
    pub const fn keyword(self) -> &'static str {
        match self {
            Kind::Parameter => "parameter",
            Kind::Input => "input",
            Kind::State => "state",
            Kind::Discrete => "discrete",
            Kind::Output => "output",
            Kind::Variable => "variable",
        }
    }
}

/// Something with a name and a value.
#[derive(Clone, PartialEq, Debug)]
pub struct VariableDeclaration {
    /// The kind of the variable.
    pub kind: Kind,
    /// What it is called; unique in the model.
    pub name: Name,
    /// A parameter's value, the value a state or discrete starts with (zero if left out), an input's
    /// value until it is set, or what an output or variable is at every instant.
    pub value: Option<Expression>,
    /// Its unit as written; empty for none.
    pub unit: Name,
    /// What its author says about it.
    pub description: String,
    /// Typical magnitude, for the tolerances of solvers.
    pub nominal: Option<f64>,
    /// Least value that makes sense.
    pub min: Option<f64>,
    /// Greatest value that makes sense.
    pub max: Option<f64>,
    /// A state or discrete that others see as well, as they see every output.
    pub is_output: bool,
}

impl VariableDeclaration {
    /// One without unit, description and bounds: the common case of an importer.
    pub fn new(kind: Kind, name: impl Into<Name>, value: Option<Expression>) -> Self {
        VariableDeclaration {
            kind,
            name: name.into(),
            value,
            unit: Name::default(),
            description: String::new(),
            nominal: None,
            min: None,
            max: None,
            is_output: false,
        }
    }
}

/// What the left side of an equation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Left {
    /// An output or variable itself.
    Value,
    /// The time derivative of a state.
    Derivative,
}

/// `name = right` or `der(name) = right`.
#[derive(Clone, PartialEq, Debug)]
pub struct Equation {
    /// Which side of the name is meant.
    pub left: Left,
    /// The variable that the equation defines.
    pub name: Name,
    /// The expression that defines it.
    pub right: Expression,
}

impl Equation {
    /// `der(name) = right`.
    pub fn derivative(name: impl Into<Name>, right: Expression) -> Self {
        Equation { left: Left::Derivative, name: name.into(), right }
    }

    /// `name = right`, for an output or variable.
    pub fn value(name: impl Into<Name>, right: Expression) -> Self {
        Equation { left: Left::Value, name: name.into(), right }
    }
}

/// Equations `0 = residual` that hold at every instant, and the states they determine.
///
/// An importer's: it cannot be written in the text. The states are declared like others, with the value
/// near which the first solution is looked for, but without `der(x) = ...`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Implicit {
    /// Names of the states.
    pub states: Vec<Name>,
    /// As many expressions that are zero.
    pub residuals: Vec<Expression>,
    /// How many of the last are rates at which their states flow until these are zero, so that
    /// among several solutions the flow chooses.
    pub flows: usize,
}

/// What happens at the instant a condition becomes true.
///
/// In the text only `condition`, `delay`, `priority` and `assignments` can be written; the other
/// fields are what SBML has beyond, and carried through to the runner.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Its name, if it has one.
    pub name: Name,
    /// Fires when this becomes true.
    pub condition: Expression,
    /// Seconds from firing to the assignments.
    pub delay: Option<Expression>,
    /// Of events at one instant the one with the greatest comes first.
    pub priority: Option<Expression>,
    /// Whether a delayed or waiting event survives that its condition becomes false.
    pub persistent: bool,
    /// What the condition counts as before the first instant: with `false` an event whose condition
    /// is true from the start fires there.
    pub initially: bool,
    /// Whether the values assigned are those of the instant it fired, not of the delayed one.
    pub values_from_trigger: bool,
    /// New values, all computed before any is assigned.
    pub assignments: Vec<EventAssignment>,
    /// The place of the event in the text.
    pub span: Option<Span>,
}

impl Event {
    /// One that fires at once, as `when condition then ... end` does.
    pub fn new(condition: Expression, assignments: Vec<EventAssignment>) -> Self {
        Event {
            name: Name::default(),
            condition,
            delay: None,
            priority: None,
            persistent: true,
            initially: true,
            values_from_trigger: true,
            assignments,
            span: None,
        }
    }
}

/// A state or discrete and its value after an event.
#[derive(Clone, PartialEq, Debug)]
pub struct EventAssignment {
    /// The variable that gets a new value.
    pub name: Name,
    /// The new value, from the values before the event.
    pub value: Expression,
}

impl EventAssignment {
    /// `name = value`.
    pub fn new(name: impl Into<Name>, value: Expression) -> Self {
        EventAssignment { name: name.into(), value }
    }
}

/// A function of the model's own: knows its parameters and `time` only.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// The name of the function.
    pub name: Name,
    /// Names of its arguments.
    pub parameters: Vec<Name>,
    /// The expression that the function returns.
    pub body: Expression,
}

impl Function {
    /// `function name(parameters) = body`.
    pub fn new(name: impl Into<Name>, parameters: &[&str], body: Expression) -> Self {
        let parameters = parameters.iter().map(|name| Name::from(*name)).collect();
        Function { name: name.into(), parameters, body }
    }
}

/// A value computed from others, or a condition.
#[derive(Clone, PartialEq, Debug)]
pub struct Expression {
    /// The kind of the expression, with its operands.
    pub kind: ExpressionKind,
    /// Where it stands, for one that was read from text.
    pub span: Option<Span>,
}

/// What an [`Expression`] is.
#[derive(Clone, PartialEq, Debug)]
pub enum ExpressionKind {
    /// A number.
    Number(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// The time of the run.
    Time,
    /// The value of something declared, or of a function's parameter.
    Variable(String),
    /// The time derivative of a state: SBML's `rateOf`.
    Derivative(String),
    /// The value before the event: allowed inside events, where every value is that.
    Pre(String),
    /// A built-in operation or function; sums, products, `min`, `and`, ... take any number.
    Builtin(Builtin, Vec<Expression>),
    /// A function of the model's own.
    Call(Name, Vec<Expression>),
    /// The value of the first branch whose condition is true, else the last value.
    If(Vec<(Expression, Expression)>, Box<Expression>),
    /// What the first was, the second many seconds ago.
    Delay(Box<Expression>, Box<Expression>),
}

impl From<ExpressionKind> for Expression {
    fn from(kind: ExpressionKind) -> Self {
        Expression { kind, span: None }
    }
}

impl From<f64> for Expression {
    fn from(number: f64) -> Self {
        Expression::number(number)
    }
}

impl Expression {
    /// A number.
    pub fn number(value: f64) -> Self {
        ExpressionKind::Number(value).into()
    }

    /// `true` or `false`.
    pub fn boolean(value: bool) -> Self {
        ExpressionKind::Boolean(value).into()
    }

    /// The time of the run.
    pub fn time() -> Self {
        ExpressionKind::Time.into()
    }

    /// The value of something declared.
    pub fn variable(name: impl Into<String>) -> Self {
        ExpressionKind::Variable(name.into()).into()
    }

    /// The time derivative of a state.
    pub fn derivative(name: impl Into<String>) -> Self {
        ExpressionKind::Derivative(name.into()).into()
    }

    /// A built-in operation or function of any number of arguments.
    pub fn builtin(builtin: Builtin, arguments: Vec<Expression>) -> Self {
        ExpressionKind::Builtin(builtin, arguments).into()
    }

    /// A function of the model's own.
    pub fn call(function: impl Into<Name>, arguments: Vec<Expression>) -> Self {
        ExpressionKind::Call(function.into(), arguments).into()
    }

    /// The value of the first branch `(condition, value)` whose condition is true.
    pub fn piecewise(branches: Vec<(Expression, Expression)>, otherwise: Expression) -> Self {
        ExpressionKind::If(branches, Box::new(otherwise)).into()
    }

    /// What `value` was `duration` seconds ago.
    pub fn delay(value: Expression, duration: Expression) -> Self {
        ExpressionKind::Delay(Box::new(value), Box::new(duration)).into()
    }

    /// The same, known to stand at `span`.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }
}
