//! Annotations of OMSimulator (`org.openmodelica`) and of the Open Simulation Platform
//! (`com.opensimulationplatform`), and of Vico, which follows the latter.

use super::super::xml::{Session, Tag};
use super::of_type;
use consort_core::{Diagnostic, Seconds};
use consort_system::{Component, Experiment, Spanned, VariableStep};

const OSP: [&str; 4] = [
    "com.opensimulationplatform",
    "org.open-simulation-platform",
    "com.github.ntnu-ihb.vico",
    "no.ntnu.ihb.vico",
];

/// What the fixed step was called over the years.
const FIXED_STEP: [&str; 2] = ["FixedStepAlgorithm", "FixedStepMaster"];

/// The size of steps and the tolerance, wherever the tools put them.
pub(super) fn experiment(session: &mut Session<'_>, root: Tag<'_>, experiment: &mut Experiment) {
    let places = [root.child("DefaultExperiment"), root.child("System"), Some(root)];
    for place in places.into_iter().flatten() {
        for annotation in OSP.into_iter().flat_map(|kind| of_type(place, kind)) {
            if let Some(algorithm) = FIXED_STEP.iter().find_map(|name| annotation.within(name)) {
                let step = session.seconds(algorithm, "baseStepSize");
                let step = step.or_else(|| session.seconds(algorithm, "stepSize"));
                experiment.step = positive(step).or(experiment.step.take());
            }
        }
        let annotations = of_type(place, "org.openmodelica");
        // Drafts of the standard had the information without an annotation.
        for found in annotations.chain(place.all("SimulationInformation")) {
            omsimulator(session, found, experiment);
        }
    }
}

fn omsimulator(session: &mut Session<'_>, tag: Tag<'_>, experiment: &mut Experiment) {
    for name in ["FixedStepMaster", "FixedStepSolver"] {
        let Some(fixed) = tag.within(name) else { continue };
        let step = session.seconds(fixed, "stepSize");
        experiment.step = positive(step).or(experiment.step.take());
        experiment.tolerance = tolerance(session, fixed).or(experiment.tolerance.take());
    }
    if let Some(variable) = tag.within("VariableStepMaster") {
        experiment.coupling.variable_step = Some(variable_step(session, variable));
    }
    if let Some(solver) = tag.within("VariableStepSolver") {
        session.report(
            Diagnostic::warning(
                "ssp::solver",
                "OMSimulator would solve this system with a solver of its own",
            )
            .at(solver.span(), "not used: components are stepped as Co-Simulation")
            .help("give the experiment a step, such as `--step 0.001`"),
        );
        experiment.tolerance = tolerance(session, solver).or(experiment.tolerance.take());
    }
}

fn variable_step(session: &mut Session<'_>, tag: Tag<'_>) -> VariableStep {
    let mut time = |name: &str| positive(session.seconds(tag, name));
    let (initial, min, max) =
        (time("initialStepSize"), time("minimumStepSize"), time("maximumStepSize"));
    let relative = tolerance(session, tag);
    let absolute = session.number::<f64>(tag, "absoluteTolerance", "a number");
    let absolute = absolute.filter(|found| 0.0 < found.value && found.value.is_finite());
    VariableStep {
        initial,
        min,
        max,
        relative,
        absolute,
        error_control: None,
        constraints: Vec::new(),
    }
}

fn tolerance(session: &mut Session<'_>, tag: Tag<'_>) -> Option<Spanned<f64>> {
    let found: Option<Spanned<f64>> = session.number(tag, "relativeTolerance", "a number");
    found.filter(|found| 0.0 < found.value && found.value.is_finite())
}

/// The tools write zero for what they do not mean.
fn positive(time: Option<Spanned<Seconds>>) -> Option<Spanned<Seconds>> {
    time.filter(|time| Seconds::ZERO < time.value)
}

/// `StepSizeHint` of the Open Simulation Platform.
pub(super) fn component(session: &mut Session<'_>, tag: Tag<'_>, component: &mut Component) {
    for annotation in OSP.into_iter().flat_map(|kind| of_type(tag, kind)) {
        if let Some(hint) = annotation.within("StepSizeHint") {
            component.step = positive(session.seconds(hint, "value"));
        }
    }
}
