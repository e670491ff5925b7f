//! Times, the algorithm and the switches.

use super::json::{Entry, Item, Json, find};
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report, Seconds};
use consort_system::{
    Coupling, Experiment, IterationMethod, LoopChoice, Order, Spanned, StepConstraint,
    SystemDescription, VariableStep,
};

/// What changes what is computed, and is not there in Consort.
const REFUSED: [&str; 6] = [
    "modelSwaps",
    "modelTransfers",
    "faultInjectConfigurationPath",
    "faultInjectInstances",
    "scenarioVerifier",
    "sigver",
];

/// What concerns the program that wrote the file, or how it shows things.
const PASSED_OVER: [&str; 18] = [
    "livestream",
    "livestreamInterval",
    "liveGraphColumns",
    "liveGraphVisibleRowCount",
    "liveLogInterval",
    "graphs",
    "visible",
    "loggingOn",
    "logLevels",
    "overrideLogLevel",
    "enableAllLogCategoriesPerInstance",
    "parallelSimulation",
    "simulationProgramDelay",
    "reportProgress",
    "environmentParameters",
    "postProcessingScript",
    "multimodel_crc",
    "sourceDir",
];

/// Whether a key is known to mean nothing for the trace.
pub(super) fn has_no_effect(key: &str) -> bool {
    PASSED_OVER.contains(&key)
}

/// Whether a key is known to mean nothing for the trace, or is refused.
pub(super) fn is_passed_over(key: &str) -> bool {
    PASSED_OVER.contains(&key) || REFUSED.contains(&key)
}

/// The experiment, and whether a time was given that could not be read: nothing is assumed in its
/// place.
pub(super) fn read(entries: &[Entry], report: &mut Report) -> (Experiment, bool) {
    let errors_before = report.error_count();
    let order = Some(Spanned::assumed(Order::Jacobi));
    let coupling = Coupling { order, ..Coupling::default() };
    let mut experiment = Experiment { coupling, ..Experiment::default() };
    if let Some(start) = given(entries, "startTime").and_then(|it| it.seconds("startTime", report))
    {
        experiment.start = start;
    }
    experiment.stop = stop(entries, report);
    if let Some(algorithm) = given(entries, "algorithm") {
        read_algorithm(algorithm, &mut experiment, report);
    }
    let is_lost = report.error_count() != errors_before;
    read_stabilization(entries, &mut experiment.coupling, report);
    refuse(entries, report);
    note_passed_over(entries, report);
    (experiment, is_lost)
}

fn given<'e>(entries: &'e [Entry], key: &str) -> Option<&'e Item> {
    find(entries, key).map(|entry| &entry.value).filter(|value| value.json != Json::Null)
}

fn stop(entries: &[Entry], report: &mut Report) -> Option<Spanned<Seconds>> {
    let (new, old) = (given(entries, "endTime"), given(entries, "end_time"));
    if let Some((new, old)) = new.zip(old).filter(|(new, old)| new.json != old.json) {
        report.push(
            Diagnostic::error("multimodel::two-ends", "`endTime` and `end_time` differ")
                .at(old.span, "one end")
                .label(new.span, "another end")
                .help("remove one of the two"),
        );
    }
    new.or(old).and_then(|end| end.seconds("endTime", report))
}

fn read_algorithm(algorithm: &Item, experiment: &mut Experiment, report: &mut Report) {
    let help = "such as `{ \"type\": \"fixed-step\", \"size\": 0.1 }`";
    let entries = algorithm.object("algorithm", help, report);
    let Some(kind) = find(entries, "type") else {
        if matches!(algorithm.json, Json::Object(_)) {
            let diagnostic =
                Diagnostic::error("multimodel::no-algorithm", "the algorithm has no `type`");
            report.push(diagnostic.at(algorithm.span, "no `type` in here").help(help));
        }
        return;
    };
    let Some(kind) = kind.value.text("type", "write it in quotes", report) else { return };
    match kind.value.as_str() {
        "fixed-step" => {
            experiment.step = given(entries, "size").and_then(|size| size.seconds("size", report));
            check_keys(entries, &["type", "size"], report);
        }
        "var-step" => {
            experiment.coupling.variable_step = Some(variable_step(entries, report));
            check_keys(entries, &["type", "initsize", "size", "constraints"], report);
        }
        _ => report_choice(&kind, "the algorithm", &["fixed-step", "var-step"], report),
    }
}

fn report_choice(given: &Spanned<String>, what: &str, known: &[&str], report: &mut Report) {
    let message = format!("{what} cannot be {:?}", given.value);
    let help = match nearest_name(&given.value, known.iter().copied()) {
        Some(name) => format!("did you mean \"{name}\"?"),
        None => format!("choose one of {}", known.join(", ")),
    };
    report.push(
        Diagnostic::error("system::unknown-choice", message)
            .maybe_at(given.span, "not one of the choices")
            .help(help),
    );
}

fn check_keys(entries: &[Entry], known: &[&str], report: &mut Report) {
    for entry in entries.iter().filter(|entry| !known.contains(&entry.key.value.as_str())) {
        let message = format!("`{}` is no setting of this algorithm", entry.key.value);
        let help = match nearest_name(&entry.key.value, known.iter().copied()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("its settings are {}", known.join(", ")),
        };
        report.push(
            Diagnostic::error("system::unknown-key", message)
                .maybe_at(entry.key.span, "not known")
                .help(help),
        );
    }
}

fn variable_step(entries: &[Entry], report: &mut Report) -> VariableStep {
    let mut step = VariableStep {
        initial: given(entries, "initsize").and_then(|size| size.seconds("initsize", report)),
        error_control: Some(Spanned::assumed(false)),
        ..VariableStep::default()
    };
    if let Some(size) = given(entries, "size") {
        let help = "write the shortest and the longest step: `[1e-6, 0.1]`";
        match size.list("size", help, report) {
            [min, max] => {
                step.min = min.seconds("size", report);
                step.max = max.seconds("size", report);
            }
            _ if matches!(size.json, Json::List(_)) => {
                size.wrong_kind("size", "a list of two times", help, report);
            }
            _ => {}
        }
    }
    if let Some(constraints) = given(entries, "constraints") {
        let help = "such as `{ \"bd\": { \"type\": \"boundeddifference\", \"ports\": [] } }`";
        for entry in constraints.object("constraints", help, report) {
            read_constraint(entry, &mut step, report);
        }
    }
    step
}

fn read_constraint(entry: &Entry, step: &mut VariableStep, report: &mut Report) {
    let name = &entry.key.value;
    let help = "such as `{ \"type\": \"boundeddifference\", \"ports\": [] }`";
    let entries = entry.value.object(name, help, report);
    let kind = find(entries, "type").and_then(|kind| kind.value.text("type", help, report));
    let Some(kind) = kind else {
        if matches!(entry.value.json, Json::Object(_)) && find(entries, "type").is_none() {
            let message = format!("the constraint `{name}` has no `type`");
            let diagnostic = Diagnostic::error("multimodel::bad-constraint", message);
            report.push(diagnostic.maybe_at(entry.key.span, "no `type` in here").help(help));
        }
        return;
    };
    const KINDS: [&str; 4] =
        ["zerocrossing", "boundeddifference", "samplingrate", "fmumaxstepsize"];
    let number =
        |key, report: &mut Report| given(entries, key).and_then(|it| it.number(key, report));
    let constraint = match kind.value.as_str() {
        "fmumaxstepsize" => Some(StepConstraint::ComponentMax),
        "zerocrossing" => Some(StepConstraint::ZeroCrossing {
            variables: ports(entries, report),
            tolerance: number("abstol", report),
        }),
        "boundeddifference" => Some(StepConstraint::BoundedDifference {
            variables: ports(entries, report),
            absolute: number("abstol", report),
            relative: number("reltol", report),
        }),
        "samplingrate" => sampling(entry, entries, report),
        _ => return report_choice(&kind, "a constraint", &KINDS, report),
    };
    let names_nothing = |it: &StepConstraint| match it {
        StepConstraint::ZeroCrossing { variables, .. }
        | StepConstraint::BoundedDifference { variables, .. } => variables.is_empty(),
        StepConstraint::Sampling { .. } | StepConstraint::ComponentMax => false,
    };
    if constraint.as_ref().is_some_and(names_nothing) {
        let message = format!("the constraint `{name}` names no `ports`, so it has no effect");
        let warning = Diagnostic::warning("multimodel::constraint", message);
        let help = "name variables: `\"ports\": [\"{tank}.t.level\"]`";
        return report.push(warning.maybe_at(entry.key.span, "passed over").help(help));
    }
    step.constraints.extend(constraint);
}

fn ports(entries: &[Entry], report: &mut Report) -> Vec<Spanned<String>> {
    let help = "write the variables in a list: `[\"{tank}.t.level\"]`";
    let Some(ports) = given(entries, "ports") else { return Vec::new() };
    let list = ports.list("ports", help, report);
    list.iter().filter_map(|port| port.text("ports", help, report)).collect()
}

/// `startTime` and `rate` are whole numbers of 10 to the power of `base` seconds.
fn sampling(entry: &Entry, entries: &[Entry], report: &mut Report) -> Option<StepConstraint> {
    let whole = |key: &str, report: &mut Report| {
        let number = given(entries, key).and_then(|it| it.number(key, report))?;
        let is_whole = number.value.fract() == 0.0 && number.value.abs() < 1e9;
        is_whole.then_some((number.value as i64, number.span))
    };
    let base = whole("base", report).map_or(0, |it| it.0);
    let start = whole("startTime", report).map_or(0, |it| it.0);
    let time = |count: i64| {
        let power = 10i64.checked_pow(u32::try_from(base.abs()).ok()?)?;
        match base {
            ..0 => Seconds::new(count, power.unsigned_abs()),
            _ => Seconds::new(count.checked_mul(power)?, 1),
        }
    };
    let rate = whole("rate", report).filter(|it| 0 < it.0);
    let found =
        rate.and_then(|(rate, span)| Some((time(start)?, Spanned { value: time(rate)?, span })));
    let Some((start, period)) = found else {
        let message = format!("the samples of `{}` have no period", entry.key.value);
        let help = "such as `{ \"type\": \"samplingrate\", \"base\": -3, \"rate\": 10, \"startTime\": 0 }`: \
                    every 10 milliseconds";
        report.push(
            Diagnostic::error("multimodel::bad-constraint", message)
                .maybe_at(entry.key.span, "`rate` must be a whole number above zero")
                .help(help),
        );
        return None;
    };
    Some(StepConstraint::Sampling { start: Some(Spanned::assumed(start)), period })
}

/// After how many rounds without agreement a step is taken as it is.
const ATTEMPTS: &str = "convergenceAttempts";
const ATTEMPTS_DEFAULT: u32 = 5;

fn read_stabilization(entries: &[Entry], coupling: &mut Coupling, report: &mut Report) {
    const KEY: &str = "stabalizationEnabled";
    let enabled = given(entries, KEY).and_then(|it| it.boolean(KEY, report));
    let keys = ["global_absolute_tolerance", "global_relative_tolerance"];
    let numbers = keys.map(|key| given(entries, key).and_then(|it| it.number(key, report)));
    let Some(enabled) = enabled.filter(|enabled| enabled.value) else { return };
    let positive = numbers.into_iter().flatten().filter(|number| 0.0 < number.value);
    coupling.iteration.tolerance = positive.min_by(|a, b| a.value.total_cmp(&b.value));
    coupling.iteration.method = Some(Spanned::assumed(IterationMethod::FixedPoint));
    let attempts = given(entries, ATTEMPTS).and_then(|it| it.number(ATTEMPTS, report));
    let attempts = attempts.filter(|attempts| 1.0 <= attempts.value);
    coupling.iteration.accept_after = Some(match attempts {
        Some(attempts) => Spanned { value: attempts.value as u32, span: attempts.span },
        None => Spanned::assumed(ATTEMPTS_DEFAULT),
    });
    report.push(
        Diagnostic::note("multimodel::stabilization", "steps are repeated until values agree")
            .maybe_at(enabled.span, "asked for here")
            .help(
                "`consort plan` shows the loops; every FMU on one must be able to save its state",
            ),
    );
    coupling.loops = Some(Spanned { value: LoopChoice::Iterate, span: enabled.span });
}

/// Stabilization: every step is repeated until its inputs have the values that the outputs have at its end.
pub(super) fn repeat_steps(system: &mut SystemDescription) {
    system.experiment.coupling.order = Some(Spanned::assumed(Order::Derived));
    for connection in &system.connections {
        let Some((name, input)) = connection.to.value.split_once('.') else { continue };
        let component = system.components.iter_mut().find(|it| it.name.value == name);
        if let Some(component) = component {
            component.reactive.push(Spanned { value: input.to_owned(), span: connection.to.span });
        }
    }
}

fn refuse(entries: &[Entry], report: &mut Report) {
    let asked = entries.iter().filter(|entry| REFUSED.contains(&entry.key.value.as_str()));
    for entry in asked.filter(|entry| !entry.value.is_trivial()) {
        let message = format!("`{}` is not supported", entry.key.value);
        report.push(
            Diagnostic::error("multimodel::not-supported", message)
                .maybe_at(entry.key.span, "would change what is computed")
                .help("remove it to run the system without; interventions can replace values"),
        );
    }
}

/// One note for all.
fn note_passed_over(entries: &[Entry], report: &mut Report) {
    let is_asked = |entry: &&Entry| {
        PASSED_OVER.contains(&entry.key.value.as_str()) && !entry.value.is_trivial()
    };
    let asked: Vec<&Entry> = entries.iter().filter(is_asked).collect();
    let Some(first) = asked.first() else { return };
    let names: Vec<String> = asked.iter().map(|entry| format!("`{}`", entry.key.value)).collect();
    let message = format!("passed over: {}", names.join(", "));
    let mut diagnostic = Diagnostic::note("multimodel::passed-over", message)
        .maybe_at(first.key.span, "does not change the trace");
    if asked.iter().any(|entry| entry.key.value == "simulationProgramDelay") {
        diagnostic = diagnostic.help("`consort run --real-time 1` paces a run");
    }
    report.push(diagnostic);
}
