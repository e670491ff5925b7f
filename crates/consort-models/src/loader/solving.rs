//! Who integrates a model: by which interface an FMU is used, and by which solver. What is asked for
//! and has no effect is refused.

use super::kind::{NoEffect, Objection, ProcessRule};
use crate::request::{Asked, GivenParameter, ModelRequest};
use consort_core::solving::is_tolerance;
use consort_core::{
    Diagnostic, Interface, Provider, Report, Seconds, SolverKind, SolverSettings, Span,
};
use consort_fmi::fmu::Fmu;

/// The interface that is used of an FMU; its own solver, if it has one, unless something else is asked
/// for.
pub(super) fn interface(fmu: &Fmu, request: &ModelRequest<'_>, report: &mut Report) -> Interface {
    let description = fmu.description();
    let offered = match (&description.co_simulation, &description.model_exchange) {
        (None, Some(_)) => Some(Interface::ModelExchange),
        (Some(_), Some(_)) => None,
        // That there is neither is reported when it is loaded.
        _ => Some(Interface::CoSimulation),
    };
    let asked = request.solving.interface;
    let wanted = asked.map(|asked| asked.value);
    let chosen = match (offered, wanted) {
        (Some(only), Some(wanted)) if only != wanted => {
            report.push(no_interface(request, only, asked.and_then(|asked| asked.span)));
            only
        }
        (Some(only), _) => only,
        (None, Some(wanted)) => wanted,
        (None, None) if request.solving.solver.is_some() => Interface::ModelExchange,
        (None, None) => Interface::CoSimulation,
    };
    if chosen == Interface::CoSimulation {
        check_own_solver(fmu, request, report);
    }
    chosen
}

/// Refuses what has no effect on an FMU that brings its own solver.
fn check_own_solver(fmu: &Fmu, request: &ModelRequest<'_>, report: &mut Report) {
    let model = request.model;
    let has_both = fmu.description().model_exchange.is_some();
    let is_asked = request.solving.interface.is_some();
    let (why, help) = match (has_both, is_asked) {
        (true, false) => (
            format!("`{model}` is used by Co-Simulation, with its own solver"),
            "name a `solver`, or the interface `model-exchange`, to have it integrated by one of ours",
        ),
        (true, true) => (
            format!("`{model}` is used by Co-Simulation, with its own solver, as `interface` says"),
            "ask for `model-exchange`, or remove one of the two",
        ),
        (false, _) => (
            format!("`{model}` brings its own solver and no other interface"),
            "remove it; the experiment's `tolerance` is handed to such solvers as well",
        ),
    };
    refuse(&keys(request), &why, help, request, report);
}

impl NoEffect {
    /// Refuses what has no effect.
    pub(super) fn refuse(&self, request: &ModelRequest<'_>, report: &mut Report) {
        if let Some(Objection { why, help }) = self.solver {
            refuse(&keys(request), why, help, request, report);
        }
        if let Some(Objection { why, help }) = self.interface {
            let given = request.solving.interface.map(|asked| ("interface", asked.span));
            refuse(given.as_slice(), why, help, request, report);
        }
        let isolate = request.isolate.map(|asked| ("isolate", asked));
        let (isolate, state, Objection { why, help }) = match self.isolation {
            ProcessRule::Free => return,
            ProcessRule::Here(objection) => {
                let state = request.state.filter(|it| it.value != Provider::Native);
                (isolate.filter(|(_, it)| it.value), state, objection)
            }
            ProcessRule::Settled(objection) => (isolate, request.state, objection),
        };
        let given = isolate.map(|(key, it)| (key, it.span)).into_iter();
        for (key, span) in given.chain(state.map(|it| ("state", it.span))) {
            let message = format!("`{key}` has no effect on {}: {why}", request.asker());
            let diagnostic = Diagnostic::error("model::no-isolation", message);
            report.push(diagnostic.maybe_at(span, "asked for here").help(help));
        }
    }
}

/// How a model that is given by its equations is integrated.
pub(crate) fn settings(request: &ModelRequest<'_>, report: &mut Report) -> SolverSettings {
    let asked = &request.solving;
    let kind = asked.solver.map(|it| it.value).or(asked.default_solver).unwrap_or_default();
    if kind.has_fixed_step() {
        let given: Vec<_> = asked.tolerance.map(|it| ("tolerance", it.span)).into_iter().collect();
        let why = format!("the steps of `{}` have a fixed length", kind.name());
        let help = "let `solver-step` say how long they are, or choose a solver that varies them, \
                    such as `dopri5`";
        refuse(&given, &why, help, request, report);
    }
    // Invalid numbers are reported with the rest of the system.
    let step = asked.step.map(|it| it.value).or(asked.default_step);
    SolverSettings {
        kind,
        tolerance: asked.tolerance.map(|it| it.value).filter(|it| is_tolerance(*it)),
        step: step.filter(|step| Seconds::ZERO < *step),
    }
}

/// What was asked of a solver.
fn keys(request: &ModelRequest<'_>) -> Vec<(&'static str, Option<Span>)> {
    fn place<T: Copy>(asked: Option<Asked<T>>) -> Option<Option<Span>> {
        asked.map(|asked| asked.span)
    }
    let asked = &request.solving;
    let given = [
        ("solver", place(asked.solver)),
        ("tolerance", place(asked.tolerance)),
        ("solver-step", place(asked.step)),
    ];
    given.into_iter().filter_map(|(name, span)| Some((name, span?))).collect()
}

fn refuse(
    given: &[(&str, Option<Span>)],
    why: &str,
    help: &str,
    request: &ModelRequest<'_>,
    report: &mut Report,
) {
    for (name, span) in given {
        let message = format!("`{name}` has no effect on {}: {why}", request.asker());
        let diagnostic = Diagnostic::error("model::no-solver", message);
        report.push(diagnostic.maybe_at(*span, "asked for here").help(help));
    }
}

fn no_interface(request: &ModelRequest<'_>, only: Interface, span: Option<Span>) -> Diagnostic {
    let (has, lacks) = match only {
        Interface::CoSimulation => ("Co-Simulation", "Model Exchange"),
        Interface::ModelExchange => ("Model Exchange", "Co-Simulation"),
    };
    let message = format!("`{}`{} has no {lacks}", request.model, request.of_component());
    Diagnostic::error("model::no-interface", message)
        .maybe_at(span, "asked for here")
        .help(format!("remove it: the FMU has {has} only"))
}

/// Distinguishes requests for one model.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Key {
    interface: Option<Interface>,
    /// The component's own solver, and the experiment's.
    solvers: [Option<SolverKind>; 2],
    /// The bits of the tolerance, which can be compared.
    tolerance: Option<u64>,
    /// Above and below the line.
    steps: [Option<(i64, u64)>; 2],
    /// The component's own wish, and the experiment's.
    isolate: (Option<bool>, bool),
    state: Option<Provider>,
    /// What its states are checked with, where they will be saved.
    given: Option<String>,
}

impl Key {
    /// `saving`: states will be saved.
    pub(super) fn of(request: &ModelRequest<'_>, saving: bool) -> Self {
        let asked = &request.solving;
        let fraction = |step: Seconds| (step.numerator(), step.denominator());
        Key {
            interface: asked.interface.map(|it| it.value),
            solvers: [asked.solver.map(|it| it.value), asked.default_solver],
            tolerance: asked.tolerance.map(|it| it.value.to_bits()),
            steps: [asked.step.map(|it| it.value), asked.default_step].map(|it| it.map(fraction)),
            isolate: (request.isolate.map(|it| it.value), request.isolate_all),
            state: request.state.map(|it| it.value),
            given: saving.then(|| given(request)),
        }
    }
}

/// Everything that a check of its states depends on, as text.
fn given(request: &ModelRequest<'_>) -> String {
    let mut text = format!("setup {} {}\n", request.setup.name(), request.conditions.describe());
    for parameter in request.parameters {
        let GivenParameter { name, value, has_unit, span: _ } = parameter;
        text += &format!("{name} {has_unit} {value}\n");
    }
    text
}
