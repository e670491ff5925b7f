//! A compiled model: programs and what they are about.

use crate::op::Op;
use crate::program::{Layout, Point, Program, Side};
use crate::tree::ModelExperiment;
use consort_core::{Span, Unit};

/// A compiled model: a pure function of time, states, inputs, parameters and discretes.
///
/// The order of a life: fill parameters and inputs with their `start`, evaluate [`Programs::initial`]
/// for the first states and discretes, then [`Programs::derivatives`] and [`Programs::indicators`] as a
/// solver asks, [`Programs::outputs`] as others ask, and at an indicator's change of sign or an instant
/// each event's condition and assignments.
#[derive(Clone, PartialEq, Debug)]
pub struct Equations {
    /// The model's name.
    pub name: String,
    /// What its author says about it.
    pub description: String,
    /// How many of each there are.
    pub layout: Layout,
    /// What can be set before a run, with values.
    pub parameters: Vec<Quantity>,
    /// What comes from outside, with values until it does.
    pub inputs: Vec<Quantity>,
    /// The continuous states.
    pub states: Vec<Quantity>,
    /// The variables that change at events only.
    pub discretes: Vec<Quantity>,
    /// What is offered to the outside.
    pub outputs: Vec<Quantity>,
    /// Variables and computed parameters: may be recorded.
    pub locals: Vec<Quantity>,
    /// The past values that `delay(...)` needs.
    pub delays: Vec<Delay>,
    /// Comparisons that may change continuously: what a solver watches.
    pub indicators: Vec<Indicator>,
    /// The events of the model.
    pub events: Vec<CompiledEvent>,
    /// Whether the runner draws which of several events of one instant and one priority comes first: true if the
    /// model leaves it open and there are several.
    pub events_are_unordered: bool,
    /// The experiment its author had in mind.
    pub experiment: ModelExperiment,
    /// The dependencies of each derivative.
    pub derivative_dependence: Vec<Dependence>,
    /// The dependencies of each output.
    pub output_dependence: Vec<Dependence>,
    /// What each first value depends on: of states, then of discretes.
    pub initial_dependence: Vec<Dependence>,
    /// What computes derivatives, outputs, locals and first values.
    pub programs: Programs,
}

/// The compiled code of a model, except that of its events.
#[derive(Clone, PartialEq, Debug)]
pub struct Programs {
    /// First values: of states, then of discretes. Does not read states and discretes.
    pub initial: Program,
    /// The derivative of each state.
    pub derivatives: Program,
    /// The outputs.
    pub outputs: Program,
    /// Variables and computed parameters.
    pub locals: Program,
    /// The difference of the sides of each of [`Equations::indicators`]: see [`Indicator::holds_at`].
    pub indicators: Program,
    /// The time at which each indicator that depends on nothing but time and discretes changes: one for
    /// each [`Indicator::instant`].
    pub instants: Program,
    /// What each of [`Equations::delays`] is to remember of now.
    pub remembered: Program,
    /// How long each of [`Equations::delays`] must remember.
    pub durations: Program,
    /// Derivatives with respect to states.
    pub state_jacobian: Jacobian,
    /// Derivatives with respect to inputs.
    pub input_jacobian: Jacobian,
    /// Outputs with respect to states.
    pub output_jacobian: Jacobian,
    /// Outputs by inputs: feedthrough.
    pub feedthrough: Jacobian,
}

/// A named value of a model: a parameter, input, state, output or local.
#[derive(Clone, PartialEq, Debug)]
pub struct Quantity {
    /// The name of the quantity.
    pub name: String,
    /// Its unit, if it has one.
    pub unit: Option<Unit>,
    /// What its author says about it.
    pub description: String,
    /// A parameter's or input's value until another is set; a state's or discrete's first value
    /// if that is a mere number; zero else.
    pub start: f64,
    /// Typical magnitude.
    pub nominal: Option<f64>,
    /// Least value that makes sense.
    pub min: Option<f64>,
    /// Greatest value that makes sense.
    pub max: Option<f64>,
    /// Whether it is offered to the outside: every output is, and states and discretes that were
    /// declared so.
    pub is_output: bool,
    /// Whether `start` is the first value whatever else is set, so that another may be set in its place:
    /// true of parameters and inputs, and of states and discretes whose first value is a mere number.
    pub is_start_fixed: bool,
    /// Whether it does not change in a run: every parameter, also among [`Equations::locals`].
    pub is_parameter: bool,
}

/// A buffer of the past that the model needs.
#[derive(Clone, PartialEq, Debug)]
pub struct Delay {
    /// For messages: what stands in the text.
    pub name: String,
    /// How long it must remember, in seconds, if that is a mere number; else [`Programs::durations`] computes it.
    pub duration: Option<f64>,
    /// Whether that does not change in a run: it depends on parameters at most.
    pub is_fixed: bool,
}

/// A comparison that may change continuously.
///
/// Its value is more than zero on one side of the comparison and not on the other, exactly where the
/// comparison changes: to report every change of that is to report every change of the comparison.
#[derive(Clone, PartialEq, Debug)]
pub struct Indicator {
    /// How left and right are compared; `>` and `>=` have their sides swapped. The value is right less
    /// left for `<`, left less right else.
    pub op: Op,
    /// Number among the results of [`Programs::instants`], if only time moves it.
    pub instant: Option<usize>,
    /// The events whose condition uses it.
    pub events: Vec<usize>,
    /// Whether derivatives or outputs change at once with it, through `if`.
    pub in_equations: bool,
    /// Where it stands in the text.
    pub span: Option<Span>,
}

impl Indicator {
    /// Whether the comparison holds where the indicator has this value.
    pub fn holds_at(&self, value: f64) -> bool {
        match self.op {
            Op::Less => 0.0 < value,
            Op::LessEqual => value <= 0.0,
            Op::Equal => value == 0.0,
            _ => value != 0.0,
        }
    }
}

/// What an event assigns to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventTarget {
    /// The state of this number.
    State(usize),
    /// The discrete of this number.
    Discrete(usize),
}

/// What happens when a condition becomes true.
#[derive(Clone, PartialEq, Debug)]
pub struct CompiledEvent {
    /// Its name, if it has one.
    pub name: String,
    /// 1 if it is true, else 0.
    pub condition: Program,
    /// Seconds from firing to the assignments.
    pub delay: Option<Program>,
    /// Of events at one instant the greatest comes first.
    pub priority: Option<Program>,
    /// New values, one for each of `targets`.
    pub assignments: Program,
    /// The quantities that the event assigns.
    pub targets: Vec<EventTarget>,
    /// Whether a delayed or waiting event survives that its condition becomes false.
    pub persistent: bool,
    /// What the condition counts as before the first instant.
    pub initially: bool,
    /// Whether the values assigned are those of the instant it fired.
    pub values_from_trigger: bool,
    /// Where it stands in the text.
    pub span: Option<Span>,
}

/// What a value depends on directly, by number, rising.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dependence {
    /// Whether it depends on time.
    pub time: bool,
    /// The parameters it depends on.
    pub parameters: Vec<usize>,
    /// The inputs it depends on.
    pub inputs: Vec<usize>,
    /// The states it depends on.
    pub states: Vec<usize>,
    /// The discretes it depends on.
    pub discretes: Vec<usize>,
    /// On these of [`Equations::delays`].
    pub delays: Vec<usize>,
}

/// Partial derivatives as a program with one result for each entry that is not always zero, by columns,
/// rows rising: compressed columns.
#[derive(Clone, PartialEq, Debug)]
pub struct Jacobian {
    /// Computes the entries.
    pub program: Program,
    /// The number of rows.
    pub rows: usize,
    /// Where each column starts among the entries, and one past the last.
    pub column_starts: Vec<usize>,
    /// The row of each entry.
    pub row_of: Vec<usize>,
}

impl Jacobian {
    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.column_starts.len() - 1
    }

    /// Adds the matrix with these entries, times a direction, to `result`: a directional derivative.
    ///
    /// # Panics
    /// If a slice has not the length of the entries, columns or rows.
    pub fn add_product(&self, entries: &[f64], direction: &[f64], result: &mut [f64]) {
        assert_eq!(direction.len(), self.columns(), "one for each column");
        for (column, seed) in direction.iter().enumerate() {
            for entry in self.column_starts[column]..self.column_starts[column + 1] {
                result[self.row_of[entry]] += entries[entry] * seed;
            }
        }
    }
}

/// The name of the event that looks anew for states that equations determine.
pub(crate) const SOLVED_ANEW: &str = "equations solved anew";

impl Equations {
    /// The states that equations determine: no numbers where these have no solution.
    pub fn determined(&self) -> impl Iterator<Item = usize> + '_ {
        let anew = self.events.last().filter(|event| event.name == SOLVED_ANEW);
        anew.into_iter().flat_map(|event| &event.targets).filter_map(|target| match target {
            EventTarget::State(state) => Some(*state),
            EventTarget::Discrete(_) => None,
        })
    }

    /// A point at `time` with these values, as a check of lengths would want it.
    ///
    /// # Panics
    /// If a slice has not the length the layout says.
    pub fn point<'a>(
        &self,
        time: f64,
        [parameters, inputs, states, discretes]: [&'a [f64]; 4],
    ) -> Point<'a> {
        assert_eq!(parameters.len(), self.layout.parameters, "one for each parameter");
        assert_eq!(inputs.len(), self.layout.inputs, "one for each input");
        assert_eq!(states.len(), self.layout.states, "one for each state");
        assert_eq!(discretes.len(), self.layout.discretes, "one for each discrete");
        Point { time, side: Side::At, parameters, inputs, states, discretes }
    }
}
