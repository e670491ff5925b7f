//! What nodes that are processes are told: a file that all of them read.

use super::super::parts::PartsFolder;
use super::super::scratch::{RunId, id_text};
use crate::cli::{RunArgs, SpreadArgs, TlsArgs, VerifyArgs};
use crate::options;
use crate::outcome::CommandError;
use crate::pipeline::Prepared;
use consort_core::{Diagnostic, Time};
use consort_node::{Endpoint, Faults};
use consort_system::Placement;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What nodes are told. All but the name is the same for all.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// The options of the run.
    pub(crate) args: RunArgs,
    /// Which node each component is on, by name.
    pub(crate) placement: Vec<(String, String)>,
    /// Which run this is.
    pub(crate) run: RunId,
    /// Where each node is found.
    pub(crate) endpoints: BTreeMap<String, Endpoint>,
    /// The folder with the certificates that were made for this run, if some were.
    pub(crate) certificates: Option<PathBuf>,
    /// How many messages of a flow may wait.
    pub(crate) capacity: u32,
    /// How long a node that is gone may take to come back.
    pub(crate) patience: Duration,
    /// What links shall suffer.
    pub(crate) faults: Option<Faults>,
    /// The folder in which each node has one for its record; none is kept without.
    pub(crate) records: Option<PathBuf>,
    /// Where parts of snapshots are left, and found by nodes that go on from them.
    pub(crate) parts: PartsFolder,
    /// When to save; `None` is at the end.
    pub(crate) saves: Vec<Option<Time>>,
    /// Nodes go on from the parts of the run before.
    pub(crate) resumes: bool,
}

/// The save whose parts a run goes on from.
pub(crate) const RESUMED_FROM: usize = usize::MAX;

impl Order {
    /// As a file.
    pub(crate) fn to_json(&self) -> Value {
        let tls = &self.args.spread.tls;
        let endpoint =
            |(name, endpoint): (&String, &Endpoint)| (name.clone(), json!(endpoint.to_string()));
        json!({
            "system": self.args.system,
            "options": options::to_json(&self.args),
            "saving": self.args.experiment.saving,
            "placement": self.placement,
            "run": id_text(self.run),
            "endpoints": self.endpoints.iter().map(endpoint).collect::<serde_json::Map<_, _>>(),
            "tls": [tls.tls_certificate, tls.tls_key, tls.tls_ca],
            "certificates": self.certificates,
            "capacity": self.capacity,
            "patience": self.patience.as_secs_f64(),
            "faults": self.faults.as_ref().map(faults_to_json),
            "records": self.records,
            "parts": self.parts.path(),
            "saves": self.saves.iter().map(|at| at.map(Time::ticks)).collect::<Vec<_>>(),
            "resumes": self.resumes,
        })
    }

    /// Reads what the starter wrote.
    ///
    /// # Errors
    /// If there is no such file, or it is none.
    pub(crate) fn read(path: &Path) -> Result<Self, CommandError> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| CommandError::unreadable(path, &error))?;
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        Self::from_json(&value).ok_or_else(|| {
            let message = format!("`{}` is not what `consort run` tells its nodes", path.display());
            let diagnostic = Diagnostic::error("node::bad-order", message);
            CommandError::failed(diagnostic.help("start nodes of your own without `--crew`"))
        })
    }

    /// Where the components of the system are.
    ///
    /// # Errors
    /// If the system is not the one that the starter saw.
    pub(crate) fn placement(&self, prepared: &Prepared) -> Result<Placement, CommandError> {
        let names = prepared.resolved.components.iter().map(|component| component.name.as_str());
        if !names.eq(self.placement.iter().map(|(component, _)| component.as_str())) {
            let message = "the system has changed since the run was started";
            let diagnostic = Diagnostic::error("node::another-system", message);
            return Err(CommandError::failed(diagnostic.help("run it again")));
        }
        let nodes: Vec<&str> = self.placement.iter().map(|(_, node)| node.as_str()).collect();
        Ok(Placement::from_names(&nodes))
    }

    fn from_json(value: &Value) -> Option<Self> {
        let endpoint = |(name, value): (&String, &Value)| {
            Some((name.clone(), value.as_str()?.parse::<Endpoint>().ok()?))
        };
        let saves = value["saves"].as_array()?.iter();
        Some(Order {
            args: args_from_json(value)?,
            placement: serde_json::from_value(value["placement"].clone()).ok()?,
            run: u128::from_str_radix(value["run"].as_str()?, 16).ok()?.to_be_bytes(),
            endpoints: value["endpoints"]
                .as_object()?
                .iter()
                .map(endpoint)
                .collect::<Option<_>>()?,
            certificates: value["certificates"].as_str().map(PathBuf::from),
            capacity: u32::try_from(value["capacity"].as_u64()?).ok()?,
            patience: Duration::try_from_secs_f64(value["patience"].as_f64()?).ok()?,
            faults: faults_from_json(&value["faults"]),
            records: value["records"].as_str().map(PathBuf::from),
            parts: PartsFolder::new(Path::new(value["parts"].as_str()?)),
            saves: saves.map(|at| at.as_i64().map(Time::from_ticks)).collect(),
            resumes: value["resumes"].as_bool()?,
        })
    }
}

fn args_from_json(value: &Value) -> Option<RunArgs> {
    let options = &value["options"];
    let mut experiment = options::experiment_from_json(options, |path| PathBuf::from(path));
    experiment.save_to_files(value["saving"].as_bool()?);
    let file = |index: usize| value["tls"][index].as_str().map(PathBuf::from);
    let tls = TlsArgs { tls_certificate: file(0), tls_key: file(1), tls_ca: file(2) };
    let workers = options["workers"].as_u64();
    Some(RunArgs {
        system: Some(PathBuf::from(value["system"].as_str()?)),
        out: None,
        workers: workers.and_then(|workers| usize::try_from(workers).ok()),
        real_time: options["real_time"].as_f64(),
        csv: false,
        mcap: false,
        no_record: options["no_record"].as_bool()?,
        no_journal: false,
        log_calls: options["log_calls"].as_bool()?,
        save_at: Vec::new(),
        save: Vec::new(),
        save_every: None,
        resume: None,
        checks: VerifyArgs::default(),
        spread: SpreadArgs { tls, ..SpreadArgs::default() },
        experiment,
    })
}

fn faults_to_json(faults: &Faults) -> Value {
    json!({
        "seed": faults.seed,
        "delay": faults.delay.as_secs_f64(),
        "jitter": faults.jitter.as_secs_f64(),
        "loss": faults.loss,
        "duplication": faults.duplication,
        "cuts": faults.cuts,
        "partitions": faults.partitions,
        "partition_lasts": faults.partition_lasts.as_secs_f64(),
    })
}

fn faults_from_json(value: &Value) -> Option<Faults> {
    let length = |name: &str| Duration::try_from_secs_f64(value[name].as_f64()?).ok();
    let share = |name: &str| value[name].as_f64();
    Some(Faults {
        seed: value["seed"].as_u64()?,
        delay: length("delay")?,
        jitter: length("jitter")?,
        loss: share("loss")?,
        duplication: share("duplication")?,
        cuts: share("cuts")?,
        partitions: share("partitions")?,
        partition_lasts: length("partition_lasts")?,
    })
}
