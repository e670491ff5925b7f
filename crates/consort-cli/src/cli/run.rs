//! Options of `run`.

use super::experiment::{ExperimentArgs, time};
use super::node::NodePlaceArgs;
use super::{Global, values};
use clap::Args;
use consort::RunRequest;
use consort::run::{RecordSettings, SaveRequest};
use consort_core::{Report, Seconds};
use std::path::PathBuf;

/// Options of `run`.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunArgs {
    /// A `system.toml`, SSP or multi-model, a folder with one, or a model
    #[arg(required_unless_present = "resume")]
    pub(crate) system: Option<PathBuf>,
    /// Where the record goes [default: out/NAME]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// How many workers compute; never changes the trace [default: cores]
    #[arg(long, value_name = "N", value_parser = values::worker_count)]
    pub(crate) workers: Option<usize>,
    /// Pace the run: 1 is real time, 2 twice as fast
    #[arg(long, value_name = "FACTOR", value_parser = values::real_time_factor)]
    pub(crate) real_time: Option<f64>,
    /// Also write `trace.csv`
    #[arg(long, conflicts_with = "no_record")]
    pub(crate) csv: bool,
    /// Also write `trace.mcap`, for Foxglove and PlotJuggler
    #[arg(long, conflicts_with = "no_record")]
    pub(crate) mcap: bool,
    /// Write no trace; its hash is still made
    #[arg(long)]
    pub(crate) no_record: bool,
    /// Keep no journal: a run that is killed then leaves no trace
    #[arg(long)]
    pub(crate) no_journal: bool,
    /// Write every step of every component to `log.jsonl`
    #[arg(long)]
    pub(crate) log_calls: bool,
    /// Save the run as it is at this time; may be repeated, with a --save each
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, requires = "save")]
    pub(crate) save_at: Vec<String>,
    /// Where the saved run goes; without --save-at it is saved at its end
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Vec<PathBuf>,
    /// Save the run after each of these, over and over into one --save
    #[arg(long, value_name = "SECONDS", requires = "save", conflicts_with = "save_at",
        value_parser = values::length)]
    pub(crate) save_every: Option<Seconds>,
    /// Resume a run that was saved; all but --stop is as it was
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
    /// Answer with one JSON object on standard output, also about what went wrong
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) checks: VerifyArgs,
    #[command(flatten)]
    pub(crate) nodes: NodePlaceArgs,
    #[command(flatten)]
    pub(crate) experiment: ExperimentArgs,
}

/// Whether uses of saved states are checked.
#[derive(Args, Clone, Copy, Default, Debug)]
pub(crate) struct VerifyArgs {
    /// With --resume: run it from its start as well, and compare
    #[arg(long, requires = "resume", conflicts_with_all = ["no_verify", "place", "link"])]
    pub(crate) verify: bool,
    /// Do not check saves by restored twins
    #[arg(long)]
    pub(crate) no_verify: bool,
}

impl RunArgs {
    /// What they ask for; what is wrong with them goes to the report.
    pub(crate) fn request(&self, global: &Global, report: &mut Report) -> RunRequest {
        let at = self.save_at.iter().filter_map(|at| time("save-at", Some(at), report));
        let at: Vec<Seconds> = at.collect();
        RunRequest {
            system: self.system.clone().unwrap_or_default(),
            changes: self.experiment.changes(global, report),
            settings: RecordSettings {
                workers: self.workers,
                real_time: self.real_time,
                csv: self.csv,
                mcap: self.mcap,
                no_record: self.no_record,
                no_journal: self.no_journal,
                log_calls: self.log_calls,
                no_verify: self.checks.no_verify,
            },
            saves: SaveRequest { at, files: self.save.clone(), every: self.save_every },
            resume: self.resume.clone(),
            nodes: self.nodes.request(),
            out: self.out.clone(),
        }
    }
}
