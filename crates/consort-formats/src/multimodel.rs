//! INTO-CPS multi-models: `mm.json`, with the experiment in a `coe.json` or in the same file.
//!
//! ```json
//! {
//!   "fmus": { "{control}": "controller.fmu", "{tank}": "FMUs\\tank.fmu" },
//!   "connections": {
//!     "{control}.c.valve": ["{tank}.t.valvecontrol"],
//!     "{tank}.t.level": ["{control}.c.level"]
//!   },
//!   "parameters": { "{control}.c.maxlevel": 2 },
//!   "logVariables": { "{tank}.t": ["level"] },
//!   "startTime": 0,
//!   "endTime": 30,
//!   "algorithm": { "type": "fixed-step", "size": 0.1 }
//! }
//! ```
//!
//! Any number of files is merged into one; what two files say differently is a mistake. What the files
//! mean:
//!
//! - **Components.** Every instance that connections, parameters or `logVariables` name is a
//!   component. It is called as the instance is; where two FMUs have an instance of one name, `key/inst`.
//!   The keys are kept beside the system ([`Keys`]), so that [`write()`] can give them back.
//! - **Models.** Paths are relative to the first file; `\` separates folders as `/` does. `file:` URIs
//!   are paths. Native blocks are written `native:NAME`, which only Consort understands.
//! - **Types.** Connections convert between numbers and truth values where they must, with a warning if
//!   that loses something: see `docs/conversions.md`.
//! - **Order.** Such a system is computed in the order `jacobi`, which is what Maestro does: read
//!   everything, exchange everything, step everything. The command line may say otherwise.
//! - **`algorithm`.** `fixed-step` is the step. `var-step` is a variable step of which `initsize`
//!   and `size` are the first, shortest and longest. Zero crossings, bounded differences and
//!   sampling rates are constraints of its steps.
//! - **`stabalizationEnabled`.** Every connected input is reactive and loops are iterated, to the smaller of
//!   the global tolerances: steps are repeated until inputs agree with the outputs at the end of the step,
//!   at most `convergenceAttempts` times (5 if absent); then the last values are taken, with a warning.
//! - **`logVariables`.** What is recorded; every output if it names no variable.
//! - **Refused.** `modelSwaps`, `modelTransfers`, `faultInject...`, `scenarioVerifier` and `sigver`: nothing
//!   is run without them that was meant to be run with them.
//! - **`multimodel_path`.** A reader of a `coe.json` alone finds its multi-model by
//!   [`model_of_configuration`].
//! - **Passed over, with a note.** What concerns only the program that wrote the file or how it
//!   shows things: `livestream`, `logLevels`, `visible`, `parallelSimulation` and the like.
//!
//! # Limits
//! A text has at most [`TEXT_MAX`] bytes, values nest at most [`NESTING_MAX`] deep.

mod experiment;
mod instances;
mod json;
mod write;

use consort_core::{Diagnostic, Report};
use consort_system::{StepConstraint, SystemDescription};
use std::collections::BTreeMap;

pub use json::{NESTING_MAX, TEXT_MAX};
pub use write::{WrittenMultimodel, write};

/// A file of a multi-model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MultimodelFile<'t> {
    /// What messages call it: a path as the user wrote it.
    pub name: &'t str,
    /// The content of the file.
    pub text: &'t str,
}

/// What multi-models call the FMUs of components, by the name of the component, without braces.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Keys(pub BTreeMap<String, String>);

/// A multi-model that was read.
#[derive(Clone, PartialEq, Debug)]
pub struct MultiModel {
    /// The system that the files describe.
    pub system: SystemDescription,
    /// The keys of the FMUs.
    pub keys: Keys,
}

/// Reads a multi-model from its files: the first names the FMUs, the others may say the rest.
///
/// Everything that is wrong goes to `report`. The result is `None` if something is missing that
/// would make later checks find mistakes that are none; it may be there in spite of errors.
pub fn read(files: &[MultimodelFile<'_>], report: &mut Report) -> Option<MultiModel> {
    let errors_before = report.error_count();
    let documents: Vec<json::Item> =
        files.iter().filter_map(|file| json::parse(file.name, file.text, report)).collect();
    let entries = json::merge(&documents, report);
    let is_object = |document: &json::Item| matches!(document.json, json::Json::Object(_));
    let is_damaged = documents.len() != files.len() || !documents.iter().all(is_object);
    let found = instances::read(&entries, is_damaged, report);
    let (mut experiment, mut is_lost) = experiment::read(&entries, report);
    is_lost |= json::report_unknown(&entries, KNOWN, report);
    if let Some(step) = &mut experiment.coupling.variable_step {
        rename(&mut step.constraints, &found, report);
    }
    experiment.record = found.record;
    let name = files.first().map_or_else(|| "system".to_owned(), |file| default_name(file.name));
    let mut system = SystemDescription {
        name,
        experiment,
        components: found.components,
        connections: found.connections,
        interventions: Vec::new(),
        inputs: None,
        nodes: Vec::new(),
    };
    if system.experiment.coupling.loops.is_some() {
        experiment::repeat_steps(&mut system);
    }
    if is_damaged || is_lost || (found.lost && report.error_count() != errors_before) {
        return None;
    }
    if system.components.is_empty() {
        report.push(
            Diagnostic::error("system::empty", "the multi-model has no instances").help(
                "name one in `connections`, `parameters` or `logVariables`, such as `{tank}.t`",
            ),
        );
        return None;
    }
    Some(MultiModel { system, keys: Keys(found.keys) })
}

/// Constraints name variables as connections do.
fn rename(
    constraints: &mut [StepConstraint],
    found: &instances::FoundInstances,
    report: &mut Report,
) {
    for constraint in constraints {
        match constraint {
            StepConstraint::ZeroCrossing { variables, .. }
            | StepConstraint::BoundedDifference { variables, .. } => {
                let named = variables.iter().filter_map(|it| found.variable(it, report));
                *variables = named.collect();
            }
            StepConstraint::Sampling { .. } | StepConstraint::ComponentMax => {}
        }
    }
}

/// Whether a text does not say when the experiment ends, so that it must be said in another file.
pub fn lacks_experiment(text: &str) -> bool {
    let document = json::parse("", text, &mut Report::default());
    document.is_some_and(|document| !document.has("endTime") && !document.has("end_time"))
}

/// The multi-model that a configuration (`coe.json`) belongs to, as it names it: from the folder of
/// the project, with `/`. `None` if the text is no configuration, or names none.
pub fn model_of_configuration(text: &str) -> Option<String> {
    let document = json::parse("", text, &mut Report::default())?;
    let json::Json::Object(entries) = &document.json else { return None };
    match &json::find(entries, "multimodel_path")?.value.json {
        json::Json::Text(path) if !document.has("fmus") && !path.is_empty() => {
            Some(path.replace('\\', "/"))
        }
        _ => None,
    }
}

/// Every key that means something, for suggestions; the others are passed over.
const KNOWN: &[&str] = &[
    "fmus",
    "connections",
    "parameters",
    "logVariables",
    "startTime",
    "endTime",
    "end_time",
    "algorithm",
    "stabalizationEnabled",
    "global_absolute_tolerance",
    "global_relative_tolerance",
    "convergenceAttempts",
    "multimodel_path",
];

/// `tank` for `tank.mm.json`, the folder's name for `some/folder/mm.json`.
fn default_name(name: &str) -> String {
    let mut parts = name.rsplit(['/', '\\']).filter(|part| !part.is_empty());
    let file = parts.next().unwrap_or("system");
    let folder = parts.next().filter(|folder| !matches!(*folder, "." | ".."));
    let stem = file.strip_suffix(".json").unwrap_or(file);
    match (stem, folder) {
        ("mm" | "multimodel", Some(folder)) => folder.to_owned(),
        _ => stem.strip_suffix(".mm").unwrap_or(stem).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{default_name, lacks_experiment, model_of_configuration};

    #[test]
    fn a_configuration_names_its_multi_model() {
        let check = |text: &str, path: Option<&str>| {
            assert_eq!(model_of_configuration(text).as_deref(), path, "{text}");
        };
        check(r#"{"multimodel_path": "Multi-models\\a\\mm.json"}"#, Some("Multi-models/a/mm.json"));
        check(r#"{"multimodel_path": "a/mm.json", "fmus": {}}"#, None);
        check(r#"{"multimodel_path": ""}"#, None);
        check(r#"{"endTime": 1}"#, None);
        check("no json", None);
    }

    #[test]
    fn a_multi_model_is_called_after_its_file_or_folder() {
        for (path, name) in [
            ("a/tank/mm.json", "tank"),
            ("mm.json", "mm"),
            ("./mm.json", "mm"),
            ("a/tank.mm.json", "tank"),
            ("tank.json", "tank"),
            ("a\\b\\mm.json", "b"),
        ] {
            assert_eq!(default_name(path), name, "{path}");
        }
    }

    #[test]
    fn a_file_with_times_needs_no_other() {
        assert!(lacks_experiment("{\"fmus\": {}}"));
        assert!(lacks_experiment("{\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1}}"));
        assert!(!lacks_experiment("{\"endTime\": 1}"));
        assert!(!lacks_experiment("not json"));
    }
}
