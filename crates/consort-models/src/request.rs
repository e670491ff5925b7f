//! Requests to the loader.

use consort_core::{Interface, Literal, Provider, Seconds, SetupOrder, SolverKind, Span};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A component's parameter as its system file gives it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GivenParameter<'a> {
    /// The variable it is for.
    pub name: &'a str,
    /// The value as written; its unit is applied when it is set.
    pub value: &'a Literal,
    /// It is written in a unit, which may not be the variable's own.
    pub has_unit: bool,
    /// The place where it is written.
    pub span: Option<Span>,
}

/// Something asked for by name, and where.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Asked<T> {
    /// The requested value.
    pub value: T,
    /// Where it is written; not known in another process.
    #[serde(skip)]
    pub span: Option<Span>,
}

/// How a component's model shall be integrated. What has no effect on the model is refused, but for
/// what the experiment says for all.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SolverRequest {
    /// Which interface of an FMU with several is used.
    pub interface: Option<Asked<Interface>>,
    /// Which solver; of an FMU with several interfaces this chooses Model Exchange.
    pub solver: Option<Asked<SolverKind>>,
    /// The relative tolerance of the solver.
    pub tolerance: Option<Asked<f64>>,
    /// How long a fixed step is, and the longest of a variable one.
    pub step: Option<Asked<Seconds>>,
    /// The experiment's solver for all components that ask for none.
    pub default_solver: Option<SolverKind>,
    /// The experiment's length of steps for all components that ask for none.
    pub default_step: Option<Seconds>,
}

impl SolverRequest {
    /// The same in another process, which has no text to point into.
    fn without_places(self) -> Self {
        fn plain<T>(asked: Option<Asked<T>>) -> Option<Asked<T>> {
            asked.map(|asked| Asked { span: None, ..asked })
        }
        SolverRequest {
            interface: plain(self.interface),
            solver: plain(self.solver),
            tolerance: plain(self.tolerance),
            step: plain(self.step),
            ..self
        }
    }
}

/// What a run does with a model, as far as its states may depend on it: what is not said is the default experiment's. A
/// run's stop is no part of it: a run with a later stop can continue from the states of one with an earlier one.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Conditions {
    /// The start of the run.
    pub start: Option<Seconds>,
    /// The communication step of the component.
    pub step: Option<Seconds>,
    /// The relative tolerance of solvers.
    pub tolerance: Option<f64>,
    /// Event mode is used where the model has it.
    pub event_mode: bool,
}

impl Conditions {
    /// Everything that makes a difference, as text.
    pub(crate) fn describe(&self) -> String {
        let Conditions { start, step, tolerance, event_mode } = self;
        let seconds = |time: &Option<Seconds>| time.map_or(String::new(), |time| time.to_string());
        let tolerance = tolerance.map_or(String::new(), |it| format!("{:016x}", it.to_bits()));
        let (start, step) = (seconds(start), seconds(step));
        format!("start {start} step {step} tolerance {tolerance} event-mode {event_mode}")
    }
}

impl Default for Conditions {
    /// Those of a model on its own.
    fn default() -> Self {
        Conditions { start: None, step: None, tolerance: None, event_mode: true }
    }
}

/// A component in search of its model.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ModelRequest<'a> {
    /// `native:NAME`, or the path of an FMU, relative to `base`.
    pub model: &'a str,
    /// The folder of the system file.
    pub base: &'a Path,
    /// Other places where the model was looked for in vain, for messages.
    pub searched: &'a [String],
    /// The component's name, for messages; empty for a model that is looked at on its own.
    pub component: &'a str,
    /// The place where `model` is written.
    pub span: Option<Span>,
    /// The component's parameters; the shape of a native block depends on them.
    pub parameters: &'a [GivenParameter<'a>],
    /// When an FMU is set up: before or after these are set.
    pub setup: SetupOrder,
    /// The requested interface and solver.
    pub solving: SolverRequest,
    /// Whether an FMU shall live in a process of its own.
    pub isolate: Option<Asked<bool>>,
    /// The experiment has all FMUs live so that do not say otherwise.
    pub isolate_all: bool,
    /// The provider that is to save its states.
    pub state: Option<Asked<Provider>>,
    /// What the run does that its states may depend on.
    pub conditions: Conditions,
}

impl<'a> ModelRequest<'a> {
    /// A model of which nothing is asked but to be there; found from `base`, for no component.
    pub fn new(model: &'a str, base: &'a Path) -> Self {
        ModelRequest {
            model,
            base,
            searched: &[],
            component: "",
            span: None,
            parameters: &[],
            setup: SetupOrder::First,
            solving: SolverRequest::default(),
            isolate: None,
            isolate_all: false,
            state: None,
            conditions: Conditions::default(),
        }
    }

    /// `` of `tank` ``, or nothing for a model on its own: for messages about the model.
    pub(crate) fn of_component(&self) -> String {
        match self.component {
            "" => String::new(),
            component => format!(" of `{component}`"),
        }
    }

    /// `` `tank` ``, or the model's own name: for messages about who asks.
    pub(crate) fn asker(&self) -> String {
        let name = if self.component.is_empty() { self.model } else { self.component };
        format!("`{name}`")
    }

    /// Whether the model is a part of a system file, beside which its files are.
    pub(crate) fn is_in_system(&self) -> bool {
        !self.component.is_empty()
    }
}

/// From where and how a component's model is loaded, as data: another process loads the same model from it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ModelSource {
    /// The reference in the system file.
    pub model: String,
    /// The folder that a path is relative to.
    pub base: PathBuf,
    /// The component's name, for messages.
    pub component: String,
    /// The component's parameters; the shape of a native block depends on them.
    pub parameters: Vec<SourceParameter>,
    /// When an FMU is set up: before or after these are set.
    pub setup: SetupOrder,
    /// The requested interface and solver.
    pub solving: SolverRequest,
    /// Whether an FMU shall live in a process of its own, if the component says so.
    pub isolate: Option<bool>,
    /// The experiment has all FMUs live so that do not say otherwise.
    pub isolate_all: bool,
    /// The provider that shall save its states, if the component names one.
    pub state: Option<Provider>,
    /// What the run does that its states may depend on.
    pub conditions: Conditions,
}

/// A parameter of a [`ModelSource`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SourceParameter {
    /// The variable it is for.
    pub name: String,
    /// The value as written.
    pub value: Literal,
    /// It is written in a unit.
    pub has_unit: bool,
}

impl ModelSource {
    /// The same as a request has.
    pub fn of(request: &ModelRequest<'_>) -> Self {
        let parameters = request.parameters.iter().map(|parameter| SourceParameter {
            name: parameter.name.to_owned(),
            value: parameter.value.clone(),
            has_unit: parameter.has_unit,
        });
        ModelSource {
            model: request.model.to_owned(),
            base: request.base.to_owned(),
            component: request.component.to_owned(),
            parameters: parameters.collect(),
            setup: request.setup,
            solving: request.solving.without_places(),
            isolate: request.isolate.map(|asked| asked.value),
            isolate_all: request.isolate_all,
            state: request.state.map(|asked| asked.value),
            conditions: request.conditions,
        }
    }

    /// Its parameters, as a request takes them.
    pub fn parameters(&self) -> Vec<GivenParameter<'_>> {
        let parameters = self.parameters.iter().map(|parameter| GivenParameter {
            name: &parameter.name,
            value: &parameter.value,
            has_unit: parameter.has_unit,
            span: None,
        });
        parameters.collect()
    }

    /// The request for the model; `parameters` are [`ModelSource::parameters`].
    pub fn request<'a>(&'a self, parameters: &'a [GivenParameter<'a>]) -> ModelRequest<'a> {
        ModelRequest {
            component: &self.component,
            parameters,
            setup: self.setup,
            solving: self.solving,
            isolate: self.isolate.map(|value| Asked { value, span: None }),
            isolate_all: self.isolate_all,
            state: self.state.map(|value| Asked { value, span: None }),
            conditions: self.conditions,
            ..ModelRequest::new(&self.model, &self.base)
        }
    }
}
