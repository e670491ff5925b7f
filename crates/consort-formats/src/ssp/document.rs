//! What is written in the files of an SSP, before names mean anything.

use consort_core::{Literal, Span, Unit, named};
use consort_system::{Component, DeclaredNode, Experiment, Hold, Intervention, Linear, Spanned};

/// An `.ssd` file with everything it names.
pub(super) struct Structure {
    pub(super) name: Option<String>,
    pub(super) root: Element,
    pub(super) settings: Settings,
}

/// What a description says beside its elements.
#[derive(Default)]
pub(super) struct Settings {
    pub(super) experiment: Experiment,
    pub(super) interventions: Vec<Intervention>,
    pub(super) nodes: Vec<DeclaredNode>,
    /// The units of components' connectors only repeat what their models say.
    pub(super) repeats_model_units: bool,
}

/// A component, a system, a dictionary of signals, or a reference to one.
pub(super) struct Element {
    pub(super) name: Spanned<String>,
    pub(super) connectors: Vec<Connector>,
    pub(super) bindings: Vec<Binding>,
    pub(super) content: Content,
}

/// What an element is made of.
pub(super) enum Content {
    /// A model; its name and parameters are filled in later.
    Component(Box<Component>),
    /// More elements, and wires between them.
    System(Inside),
    /// Access to the signals of a dictionary, by its name.
    Reference(Spanned<String>),
    /// The signals of a dictionary: its connectors.
    Dictionary,
}

/// What is in a system.
pub(super) struct Inside {
    pub(super) elements: Vec<Element>,
    pub(super) wires: Vec<Wire>,
    pub(super) dictionaries: Vec<Element>,
}

/// A variable at the border of an element.
pub(super) struct Connector {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) unit: Option<Unit>,
}

named! {
    /// The role of a connector.
    pub(super) enum Kind {
        Input => "input",
        Output => "output",
        Parameter => "parameter",
        CalculatedParameter => "calculatedParameter",
        StructuralParameter => "structuralParameter",
        Constant => "constant",
        Local => "local",
        Inout => "inout",
        Unspecified => "unspecified",
    }
}

impl Kind {
    /// Whether values enter an element here; `None` if that is not said.
    pub(super) fn enters(self) -> Option<bool> {
        match self {
            Kind::Input | Kind::Parameter | Kind::StructuralParameter => Some(true),
            Kind::Output | Kind::CalculatedParameter | Kind::Constant | Kind::Local => Some(false),
            Kind::Inout | Kind::Unspecified => None,
        }
    }

    /// Whether its value is settled before the run.
    pub(super) fn is_parameter(self) -> bool {
        matches!(
            self,
            Kind::Parameter
                | Kind::CalculatedParameter
                | Kind::StructuralParameter
                | Kind::Constant
        )
    }
}

/// A connection between two connectors, in no particular direction.
pub(super) struct Wire {
    pub(super) start: End,
    pub(super) end: End,
    pub(super) linear: Option<Linear>,
    pub(super) suppress: bool,
    pub(super) delay: bool,
    pub(super) hold: Hold,
    pub(super) group: Option<String>,
    pub(super) convert: bool,
}

/// One end of a wire.
pub(super) struct End {
    /// `None`: the connector is the system's own.
    pub(super) element: Option<Spanned<String>>,
    pub(super) connector: Spanned<String>,
    /// `[3]` or `[1, 2]`, or nothing.
    pub(super) indices: String,
}

/// Values for what is in an element.
pub(super) struct Binding {
    pub(super) prefix: String,
    pub(super) values: Vec<Value>,
    pub(super) mapping: Option<Vec<Mapped>>,
    pub(super) span: Span,
}

/// A value of a parameter set.
#[derive(Clone)]
pub(super) struct Value {
    pub(super) name: Spanned<String>,
    pub(super) literal: Spanned<Literal>,
    pub(super) unit: Option<Spanned<Unit>>,
}

/// How one value of a parameter set gets another name.
pub(super) struct Mapped {
    pub(super) source: Spanned<String>,
    pub(super) target: Spanned<String>,
    pub(super) linear: Option<Linear>,
    pub(super) suppress: bool,
}
