//! Requests as typed data: what is changed of a system, how a run is carried out, and what it leaves.
//! Manifests, snapshots and processes that take part in a run keep it as JSON.

use consort_core::{Diagnostic, HashMode, Provider, Seconds, SolverKind};
use consort_distributed::NodeRequest;
use consort_run::error::Error;
use consort_run::resume::{Resumed, another_placement};
use consort_run::{RecordSettings, SaveRequest};
use consort_system::{Continuous, LoopChoice, OnDivergence, Order};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;

pub(crate) mod named;

/// What is changed of a system and its experiment without touching its file.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Changes {
    /// The time at which it starts.
    pub start: Option<Seconds>,
    /// The time at which it stops.
    pub stop: Option<Seconds>,
    /// The communication step.
    pub step: Option<Seconds>,
    /// The root of all randomness.
    pub seed: Option<u64>,
    /// Values of variables: `component.variable=value`, the value as in a system file.
    pub set: Vec<String>,
    /// The order of computation.
    #[serde(with = "named")]
    pub order: Option<Order>,
    /// How connected components that are given by equations are integrated.
    #[serde(with = "named")]
    pub continuous: Option<Continuous>,
    /// The treatment of algebraic loops.
    #[serde(with = "named")]
    pub loops: Option<LoopChoice>,
    /// What a value that diverges does.
    #[serde(with = "named")]
    pub on_divergence: Option<OnDivergence>,
    /// What the trace hash is made of.
    #[serde(with = "named")]
    pub hash: Option<HashMode>,
    /// Connections that are delayed by a step: `from -> to`.
    pub delay: Vec<String>,
    /// The solver of what is given by equations.
    #[serde(with = "named")]
    pub solver: Option<SolverKind>,
    /// The relative tolerance of solvers.
    #[serde(deserialize_with = "named::number")]
    pub tolerance: Option<f64>,
    /// The step of solvers with a fixed one.
    pub solver_step: Option<Seconds>,
    /// Every FMU runs in a process of its own.
    pub isolate: bool,
    /// The providers that may save states; all of them if it is empty.
    #[serde(with = "named::list")]
    pub providers: Vec<Provider>,
    /// What else belongs to a system that is no `system.toml`.
    #[serde(flatten)]
    pub form: FormOptions,
    /// A table that feeds unconnected inputs.
    pub input: Option<PathBuf>,
    /// What is recorded besides what the experiment records: patterns.
    pub record: Vec<String>,
    /// The Python library for FMUs written in Python.
    pub python_library: Option<PathBuf>,
}

/// What else belongs to a system that is no `system.toml`.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct FormOptions {
    /// The `.ssd` of an SSP.
    pub variant: Option<String>,
    /// Files that are added to a multi-model.
    pub with: Vec<PathBuf>,
}

impl Changes {
    /// The changes that a manifest or a snapshot keeps; `resolve` finds paths that were given in another folder.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn from_options(options: &Value, resolve: impl Fn(&str) -> PathBuf) -> Result<Self, Error> {
        let mut changes: Changes =
            serde_json::from_value(options.clone()).map_err(|error| unreadable_options(&error))?;
        let found = |path: &PathBuf| resolve(&path.to_string_lossy());
        changes.input = changes.input.as_ref().map(&found);
        changes.python_library = changes.python_library.as_ref().map(&found);
        changes.form.with = changes.form.with.iter().map(&found).collect();
        Ok(changes)
    }
}

fn unreadable_options(error: &serde_json::Error) -> Error {
    let message = "the options of the recorded run cannot be read";
    let diagnostic = Diagnostic::error("cli::bad-manifest", message).with_note(error.to_string());
    Error::failed(diagnostic.help("run the system again with this version"))
}

/// A run: what is run, what is changed of it, how it is carried out, and what it leaves.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct RunRequest {
    /// The system: a `system.toml`, an SSP, a multi-model, a folder with one, or a model alone.
    #[serde(skip)]
    pub system: PathBuf,
    /// The changes to the system.
    #[serde(flatten)]
    pub changes: Changes,
    /// How it is carried out, and which files it writes.
    #[serde(flatten)]
    pub settings: RecordSettings,
    /// When it is saved, and into which files.
    #[serde(flatten)]
    pub saves: SaveRequest,
    /// The snapshot that it is resumed from.
    pub resume: Option<PathBuf>,
    /// The deployment of its components.
    #[serde(flatten)]
    pub nodes: NodeRequest,
    /// The folder of its record; `out/NAME` if it is not given.
    #[serde(skip)]
    pub out: Option<PathBuf>,
}

impl RunRequest {
    /// A run of a system as it is written.
    pub fn new(system: impl Into<PathBuf>) -> Self {
        RunRequest { system: system.into(), ..RunRequest::default() }
    }

    /// As manifests and snapshots keep it.
    ///
    /// # Panics
    /// Never: a request is plain data.
    pub fn options(&self) -> Value {
        serde_json::to_value(self).expect("a request is plain data")
    }

    /// The same, completed by the options of the run that was saved.
    ///
    /// # Errors
    /// If it contradicts them.
    pub fn complete(&self, resumed: &Resumed) -> Result<RunRequest, Error> {
        let saved = resumed.options();
        let contradictions = contradictions(&saved, &self.options());
        if !contradictions.is_empty() {
            let diagnostic =
                Diagnostic::error("snapshot::options", "the run was saved with other options");
            let diagnostic = contradictions.into_iter().fold(diagnostic, Diagnostic::with_note);
            let help = "leave them out: only `--stop` and `--isolate` can be changed";
            return Err(Error::invalid(diagnostic.help(help)));
        }
        let mut changes = Changes::from_options(&saved, |path| resumed.found(path))?;
        let given = &self.changes;
        changes.stop = given.stop.or(changes.stop);
        // Where a model lives decides nothing but what it can harm.
        changes.isolate |= given.isolate;
        changes.python_library = given.python_library.clone().or(changes.python_library);
        if !given.providers.is_empty() {
            changes.providers.clone_from(&given.providers);
        }
        let nodes = saved_nodes(resumed, &self.nodes)?;
        let system = match self.system.as_os_str().is_empty() {
            true => resumed.system(),
            false => self.system.clone(),
        };
        Ok(RunRequest { system, changes, nodes, ..self.clone() })
    }

    /// Whether the run writes or reads snapshots: its models must be able to save their states.
    pub fn has_snapshots(&self) -> bool {
        self.resume.is_some() || !self.saves.files.is_empty()
    }
}

/// The nodes of a run that was saved are the same: each continues with its own part.
///
/// # Errors
/// If `given` asks for others.
pub fn saved_nodes(resumed: &Resumed, given: &NodeRequest) -> Result<NodeRequest, Error> {
    let pairs = resumed.placement();
    let is_other = match pairs.is_empty() {
        true => !given.place.is_empty() || given.link.is_some(),
        false => given.local || (!given.place.is_empty() && sorted(&given.place) != sorted(&pairs)),
    };
    if is_other {
        return Err(another_placement(&pairs));
    }
    let saved: NodeRequest = serde_json::from_value(resumed.options()).unwrap_or_default();
    Ok(NodeRequest {
        local: pairs.is_empty(),
        place: pairs,
        link: given.link.or(saved.link),
        capacity: given.capacity.or(saved.capacity),
        tls: given.tls.clone(),
    })
}

fn sorted(pairs: &[(String, String)]) -> Vec<(String, String)> {
    let mut pairs = pairs.to_vec();
    pairs.sort();
    pairs
}

/// The options that decide the trace, as manifests name them.
const DECISIVE: [&str; 18] = [
    "start",
    "stop",
    "step",
    "seed",
    "set",
    "order",
    "continuous",
    "loops",
    "on_divergence",
    "hash",
    "delay",
    "solver",
    "tolerance",
    "solver_step",
    "variant",
    "with",
    "input",
    "record",
];

/// What differs between the options of two runs that decides the trace.
pub fn differences(before: &Value, now: &Value) -> Vec<String> {
    // A record of an older version may lack an option: it was not given then.
    let differing = DECISIVE.iter().filter(|name| shown(&before[**name]) != shown(&now[**name]));
    differing.map(|name| difference(name, before, now)).collect()
}

/// What is given now and was another thing before, but where to stop: a run that is resumed may take longer.
fn contradictions(before: &Value, now: &Value) -> Vec<String> {
    let is_given = |value: &Value| match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        _ => true,
    };
    let contradicts = |name: &&&str| {
        **name != "stop" && is_given(&now[**name]) && shown(&before[**name]) != shown(&now[**name])
    };
    DECISIVE.iter().filter(contradicts).map(|name| difference(name, before, now)).collect()
}

/// An option's value for a person.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "not given".to_owned(),
        Value::String(text) => text.parse().map_or_else(|_| text.clone(), |it: f64| it.to_string()),
        Value::Array(items) if items.is_empty() => "not given".to_owned(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        Value::Number(number) => {
            number.as_f64().map_or_else(|| number.to_string(), |it| it.to_string())
        }
        other => other.to_string(),
    }
}

fn difference(name: &str, before: &Value, now: &Value) -> String {
    let option = name.replace('_', "-");
    format!("--{option}: {}, now {}", shown(&before[name]), shown(&now[name]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::path::Path;

    #[test]
    fn options_keep_what_decides_the_trace() {
        let mut request = RunRequest::new("tank");
        let changes = &mut request.changes;
        changes.stop = Some("1/3".parse().unwrap());
        changes.set = vec!["a.b=1".to_owned()];
        changes.input = Some("in.csv".into());
        changes.order = Some(Order::Jacobi);
        changes.tolerance = Some(1e-8);
        changes.form.with = vec!["coe.json".into()];
        request.nodes.place = vec![("tank".to_owned(), "plant".to_owned())];
        let options = request.options();
        assert_eq!(options["stop"], "1/3");
        assert_eq!(options["order"], "jacobi");
        assert_eq!(options["place"], json!(["tank=plant"]));
        let back = Changes::from_options(&options, |path| Path::new("/was").join(path)).unwrap();
        assert_eq!(back.input, Some("/was/in.csv".into()));
        assert_eq!(back.form.with, [PathBuf::from("/was/coe.json")]);
        let same =
            Changes { input: back.input.clone(), form: back.form.clone(), ..request.changes };
        assert_eq!(back, same);
        let read: RunRequest = serde_json::from_value(options).unwrap();
        assert_eq!(read.nodes, request.nodes);
    }

    #[test]
    fn options_of_older_records_are_read() {
        let older = json!({"tolerance": "1e-8", "stop": "5", "providers": null});
        let changes = Changes::from_options(&older, |path| path.into()).unwrap();
        assert_eq!(changes.tolerance, Some(1e-8));
        let now = RunRequest { changes, ..RunRequest::default() }.options();
        assert_eq!(differences(&older, &now), Vec::<String>::new());
        assert!(Changes::from_options(&json!({"order": "odd"}), |path| path.into()).is_err());
    }
}
