//! From expressions to the graph: names become registers, functions are put in place, conditions and
//! numbers are distinguished.

mod builtins;

pub(crate) use builtins::power;

use crate::builtin::{Arity, Builtin};
use crate::findings::{Findings, suggestion};
use crate::graph::{Graph, NodeId};
use crate::op::{Op, truth};
use crate::order::{Phase, Unknowns};
use crate::scope::{Scope, Symbol};
use crate::tree::{Expression, ExpressionKind, Function, Name};
use consort_core::{Diagnostic, Span};
use std::collections::BTreeMap;

/// How deep expressions and calls may be nested, together.
const DEPTH_MAX: usize = 192;
/// How many calls of functions are put in place, at most.
const CALLS_MAX: usize = 100_000;

/// What kind of value an expression has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Type {
    Number,
    Condition,
    /// A mistake in it was reported.
    Unknown,
}

/// An expression in the graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Value {
    pub(crate) node: NodeId,
    pub(crate) of: Type,
}

/// A comparison: its sign says when something changes at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relation {
    /// The node of the comparison.
    pub(crate) node: NodeId,
    /// The nodes of its two sides.
    pub(crate) sides: [NodeId; 2],
    /// The operation that compares them.
    pub(crate) op: Op,
    pub(crate) span: Option<Span>,
}

/// A value that is remembered for later.
#[derive(Clone, Copy)]
pub(crate) struct Remembered<'m> {
    pub(crate) value: &'m Expression,
    pub(crate) duration: NodeId,
}

pub(crate) struct Lowering<'m, 'f, 'r> {
    pub(crate) scope: &'f Scope<'m>,
    pub(crate) graph: Graph,
    pub(crate) findings: &'f mut Findings<'r>,
    pub(crate) phase: Phase,
    /// Whether `pre` means something.
    pub(crate) in_event: bool,
    /// The unknowns of this phase, as far as they are known.
    pub(crate) values: Vec<Option<NodeId>>,
    pub(crate) relations: Vec<Relation>,
    pub(crate) remembered: Vec<Remembered<'m>>,
    frames: Vec<Frame<'m>>,
    calls: BTreeMap<(&'m str, Vec<Value>), Value>,
    depth: usize,
    has_chains: bool,
}

/// A function being put in place.
struct Frame<'m> {
    name: &'m str,
    parameters: &'m [Name],
    arguments: Vec<Value>,
}

impl<'m, 'f, 'r> Lowering<'m, 'f, 'r> {
    pub(crate) fn new(scope: &'f Scope<'m>, findings: &'f mut Findings<'r>) -> Self {
        Lowering {
            scope,
            graph: Graph::default(),
            findings,
            phase: Phase::Running,
            in_event: false,
            values: Vec::new(),
            relations: Vec::new(),
            remembered: Vec::new(),
            frames: Vec::new(),
            calls: BTreeMap::new(),
            depth: 0,
            has_chains: false,
        }
    }

    /// Computes all unknowns of a phase, in a fitting order; those on closed chains stay open.
    pub(crate) fn solve(&mut self, phase: Phase) {
        let unknowns = Unknowns { scope: self.scope, phase };
        let (order, chains) = unknowns.sorted();
        // A chain that is closed at every instant is closed at the start too: reported once.
        if !self.has_chains {
            for chain in &chains {
                unknowns.report_cycle(chain, self.findings);
            }
        }
        self.has_chains |= !chains.is_empty();
        self.phase = phase;
        self.values = vec![None; unknowns.len()];
        self.calls.clear();
        for unknown in order {
            let node = match unknowns.definition(unknown) {
                Some(definition) => self.number(definition),
                None => self.graph.constant(0.0),
            };
            self.values[unknown] = Some(node);
        }
    }

    /// An expression that must be a number.
    pub(crate) fn number(&mut self, expression: &'m Expression) -> NodeId {
        let value = self.lower(expression);
        self.demand(value, Type::Number, expression.span)
    }

    /// An expression that must be a condition.
    pub(crate) fn condition(&mut self, expression: &'m Expression) -> NodeId {
        let value = self.lower(expression);
        self.demand(value, Type::Condition, expression.span)
    }

    /// The value as one of the type that is wanted.
    fn demand(&mut self, value: Value, wanted: Type, span: Option<Span>) -> NodeId {
        if value.of == wanted || value.of == Type::Unknown {
            return value.node;
        }
        if self.scope.conditions_are_numbers {
            return self.convert(value, span);
        }
        let (message, label, help) = match wanted {
            Type::Condition => (
                "a condition is expected, this is a number",
                "is a number",
                "compare it, as in `0 < x`",
            ),
            _ => (
                "a number is expected, this is a condition",
                "is true or false",
                "write `if ... then 1 else 0` to make a number of it",
            ),
        };
        self.findings.error("equations::type", message.to_owned(), (span, label), help);
        value.node
    }

    /// One or zero for a condition, whether it is not zero for a number.
    fn convert(&mut self, value: Value, span: Option<Span>) -> NodeId {
        let zero = self.graph.constant(0.0);
        if value.of == Type::Number {
            return self.compare(Builtin::NotEqual, value.node, zero, span);
        }
        let one = self.graph.constant(1.0);
        self.graph.select(value.node, one, zero)
    }

    fn unknown(&mut self) -> Value {
        Value { node: self.graph.constant(f64::NAN), of: Type::Unknown }
    }

    pub(crate) fn lower(&mut self, expression: &'m Expression) -> Value {
        if self.depth == DEPTH_MAX {
            let message = format!("expressions and calls are nested deeper than {DEPTH_MAX}");
            let help = "give parts of it a name with `variable`";
            self.findings.error(
                "equations::too-deep",
                message,
                (expression.span, "too deep"),
                help,
            );
            return self.unknown();
        }
        self.depth += 1;
        let value = self.lower_kind(expression);
        self.depth -= 1;
        value
    }

    fn lower_kind(&mut self, expression: &'m Expression) -> Value {
        let span = expression.span;
        let node = match &expression.kind {
            ExpressionKind::Number(value) => self.graph.constant(*value),
            ExpressionKind::Boolean(value) => {
                return Value { node: self.graph.constant(truth(*value)), of: Type::Condition };
            }
            ExpressionKind::Time => self.graph.leaf(0),
            ExpressionKind::Variable(name) => return self.variable(name, span),
            ExpressionKind::Pre(name) => return self.pre(name, span),
            ExpressionKind::Derivative(name) => return self.derivative(name, span),
            ExpressionKind::Builtin(builtin, arguments) => {
                return self.builtin(*builtin, arguments, span);
            }
            ExpressionKind::Call(name, arguments) => return self.call(name, arguments, span),
            ExpressionKind::If(branches, otherwise) => return self.choice(branches, otherwise),
            ExpressionKind::Delay(value, duration) => return self.delay(value, duration, span),
        };
        Value { node, of: Type::Number }
    }

    fn variable(&mut self, name: &str, span: Option<Span>) -> Value {
        if let Some(frame) = self.frames.last() {
            let place = frame.parameters.iter().position(|parameter| parameter.text == name);
            if let Some(place) = place {
                return frame.arguments[place];
            }
            return self.unknown_in_function(name, span);
        }
        let Some(symbol) = self.scope.symbol(name) else { return self.unknown_name(name, span) };
        let unknowns = Unknowns { scope: self.scope, phase: self.phase };
        let layout = self.scope.layout();
        let register = match (unknowns.of(symbol), symbol) {
            (Some(unknown), _) => return self.known(unknown),
            (None, Symbol::Parameter(at)) => layout.first_parameter() + at,
            (None, Symbol::Input(at)) => layout.first_input() + at,
            (None, Symbol::State(at)) => layout.first_state() + at,
            (None, Symbol::Discrete(at)) => layout.first_discrete() + at,
            (None, Symbol::Assigned(_)) => return self.unknown(),
        };
        let register = u32::try_from(register).expect("the text's length limits registers");
        Value { node: self.graph.leaf(register), of: Type::Number }
    }

    /// An unknown that was computed before; one on a closed chain was reported.
    fn known(&mut self, unknown: usize) -> Value {
        match self.values[unknown] {
            Some(node) => Value { node, of: Type::Number },
            None => self.unknown(),
        }
    }

    fn unknown_in_function(&mut self, name: &str, span: Option<Span>) -> Value {
        let frame = self.frames.last().expect("only called inside a function");
        let message = format!("the function `{}` has no argument `{name}`", frame.name);
        let names = frame.parameters.iter().map(|parameter| parameter.text.as_str());
        let help = match self.scope.symbol(name) {
            Some(_) => "a function knows its arguments and `time` only: pass it".to_owned(),
            None => suggestion(name, names, "a function knows its arguments and `time` only"),
        };
        self.findings.error("equations::unknown-name", message, (span, "not found"), help);
        self.unknown()
    }

    fn unknown_name(&mut self, name: &str, span: Option<Span>) -> Value {
        let message = format!("there is no `{name}` in this model");
        let help = if self.scope.function(name).is_some() {
            format!("`{name}` is a function: write its arguments in brackets")
        } else {
            let declare = format!("declare it, as in `parameter {name} = 1`");
            suggestion(name, self.scope.names().chain(["time", "pi"]), &declare)
        };
        self.findings.error("equations::unknown-name", message, (span, "not found"), help);
        self.unknown()
    }

    fn pre(&mut self, name: &str, span: Option<Span>) -> Value {
        if !self.in_event {
            let message = format!("`pre({name})` stands outside an event");
            let help = "only in `when ... then ... end` is there a value before";
            self.findings.error("equations::pre", message, (span, "no event here"), help);
            return self.unknown();
        }
        self.variable(name, span)
    }

    fn derivative(&mut self, name: &str, span: Option<Span>) -> Value {
        match self.scope.symbol(name) {
            Some(Symbol::State(state)) if self.frames.is_empty() => {
                let unknowns = Unknowns { scope: self.scope, phase: self.phase };
                self.known(unknowns.derivative(state))
            }
            _ => {
                let message = format!("`{name}` is no state here and has no derivative");
                let help = suggestion(name, self.scope.state_names(), "only states have one");
                self.findings.error("equations::no-state", message, (span, "not a state"), help);
                self.unknown()
            }
        }
    }

    fn call(&mut self, name: &'m Name, arguments: &'m [Expression], span: Option<Span>) -> Value {
        let arguments: Vec<Value> = arguments.iter().map(|argument| self.lower(argument)).collect();
        let Some(function) = self.scope.function(&name.text) else {
            return self.unknown_function(name);
        };
        let arity = Arity::exactly(function.parameters.len());
        if !self.check_arity(&name.text, arity, arguments.len(), span) || self.recurses(name) {
            return self.unknown();
        }
        let key = (function.name.text.as_str(), arguments);
        if let Some(known) = self.calls.get(&key) {
            return *known;
        }
        if CALLS_MAX <= self.calls.len() {
            let message = format!("functions are called more than {CALLS_MAX} times");
            let help = "give repeated parts a name with `variable`";
            self.findings.error("equations::too-large", message, (span, "too many calls"), help);
            return self.unknown();
        }
        let frame =
            Frame { name: key.0, parameters: &function.parameters, arguments: key.1.clone() };
        self.frames.push(frame);
        let value = self.lower(&function.body);
        self.frames.pop();
        self.calls.insert(key, value);
        value
    }

    /// Looks for mistakes in a function that may have no call, with arguments of any kind.
    pub(crate) fn check_function(&mut self, function: &'m Function) {
        let unknown = self.unknown();
        let arguments = vec![unknown; function.parameters.len()];
        let frame =
            Frame { name: &function.name.text, parameters: &function.parameters, arguments };
        self.frames.push(frame);
        self.lower(&function.body);
        self.frames.pop();
    }

    fn recurses(&mut self, name: &Name) -> bool {
        let Some(first) = self.frames.iter().position(|frame| frame.name == name.text) else {
            return false;
        };
        let chain = self.frames[first..].iter().map(|frame| frame.name).chain([name.text.as_str()]);
        let chain: Vec<String> = chain.map(|name| format!("`{name}`")).collect();
        let message = format!("functions call each other in a circle: {}", chain.join(" -> "));
        let help = "a function may use only others that do not use it";
        let place = (name.span, "closes the circle");
        self.findings.error("equations::recursion", message, place, help);
        true
    }

    fn unknown_function(&mut self, name: &Name) -> Value {
        let message = format!("there is no function `{}`", name.text);
        let help = if self.scope.symbol(&name.text).is_some() {
            format!("`{}` is a value; write `*` to multiply", name.text)
        } else {
            let known = Builtin::functions().map(|(name, _)| name);
            let declare = format!("declare it, as in `function {}(x) = ...`", name.text);
            suggestion(&name.text, self.scope.function_names().chain(known), &declare)
        };
        self.findings.error("equations::unknown-function", message, (name.span, "not found"), help);
        self.unknown()
    }

    fn check_arity(&mut self, name: &str, arity: Arity, found: usize, span: Option<Span>) -> bool {
        if arity.fits(found) {
            return true;
        }
        let message = format!("`{name}` takes {arity}, not {found}");
        let help =
            if found < arity.min { "add what is missing" } else { "leave out what is too many" };
        self.findings.error("equations::arity", message, (span, "called here"), help);
        false
    }

    fn choice(&mut self, branches: &'m [(Expression, Expression)], last: &'m Expression) -> Value {
        let mut value = self.lower(last);
        let mut conditions = Vec::with_capacity(branches.len());
        for (condition, branch) in branches {
            let condition = self.condition(condition);
            conditions.push((condition, self.lower(branch), branch.span));
        }
        let is_number = |(_, branch, _): &(NodeId, Value, _)| branch.of == Type::Number;
        if self.scope.conditions_are_numbers && conditions.iter().any(is_number) {
            value = Value { node: self.demand(value, Type::Number, last.span), of: Type::Number };
        }
        for (condition, branch, span) in conditions.into_iter().rev() {
            if value.of == Type::Unknown {
                value.of = branch.of;
            }
            let branch = self.demand(branch, value.of, span);
            value.node = self.graph.select(condition, branch, value.node);
        }
        value
    }

    fn delay(&mut self, value: &'m Expression, ago: &'m Expression, span: Option<Span>) -> Value {
        if !self.frames.is_empty() {
            let message = "`delay` stands in a function".to_owned();
            let help = "use it outside, and give the function the delayed value";
            self.findings.error("equations::delay", message, (span, "not here"), help);
            return self.unknown();
        }
        let duration = self.number(ago);
        if self.graph.value(duration).is_some_and(|seconds| seconds < 0.0) {
            let message = "a delay is less than zero".to_owned();
            let help = "the future is not known: write how many seconds ago";
            self.findings.error("equations::delay", message, (ago.span, "in the future"), help);
        }
        // Before the start everything was as at the start.
        if self.phase == Phase::Start || self.graph.is(duration, 0.0) {
            let node = self.number(value);
            return Value { node, of: Type::Number };
        }
        let buffer = self.graph.constant(self.remembered.len() as f64);
        self.remembered.push(Remembered { value, duration });
        Value { node: self.graph.binary(Op::Delay, duration, buffer), of: Type::Number }
    }

    /// Warns of a condition that cannot change.
    pub(crate) fn warn_of_constant(&mut self, condition: NodeId, span: Option<Span>) {
        if self.graph.value(condition).is_some_and(|value| !value.is_nan()) {
            let diagnostic =
                Diagnostic::warning("equations::constant", "this condition never changes")
                    .maybe_at(span, "always the same")
                    .help(
                        "an event happens when its condition becomes true; use values that change",
                    );
            self.findings.push(diagnostic);
        }
    }
}
