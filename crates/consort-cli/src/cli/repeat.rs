//! Options of `repeat`.

use super::{ExperimentArgs, LinkKind, TlsArgs, WorkerList, values};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Options of `repeat`.
#[derive(Args, Debug)]
pub(crate) struct RepeatArgs {
    /// A `system.toml`, SSP or multi-model, a folder with one, or a model
    pub(crate) system: PathBuf,
    /// How often it runs
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: u32,
    /// Worker counts to go through, in turn
    #[arg(long, value_name = "LIST", default_value = "1,2,8")]
    pub(crate) workers: WorkerList,
    /// How many threads keep the machine busy meanwhile [default: 2 per core]
    #[arg(long, value_name = "THREADS", num_args = 0..=1, require_equals = true)]
    pub(crate) load: Option<Option<usize>>,
    /// Leave the machine as it is
    #[arg(long, conflicts_with = "load")]
    pub(crate) no_load: bool,
    #[command(flatten)]
    pub(crate) varied: VariedArgs,
    #[command(flatten)]
    pub(crate) experiment: ExperimentArgs,
}

/// What is varied of runs that are spread over nodes.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Nodes")]
pub(crate) struct VariedArgs {
    /// Spread runs over nodes that are linked so, in turn [default: thread,unix,tcp]
    ///
    /// Runs are spread if this or --placements is given, or if the system has `[nodes]`.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) links: Vec<LinkKind>,
    /// How many placements are drawn, beside that of the system [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) placements: Option<u32>,
    /// The longest time a message is under way in half of the runs [default: 0.0002]
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds)]
    pub(crate) link_delay: Option<f64>,
    /// How often a node is stopped and goes on (SIGSTOP) in each run of processes
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) stops: u32,
    /// How long such a stop takes at most; at least a fifteenth of it [default: 1.5]
    #[arg(long, value_name = "SECONDS", value_parser = values::call_limit)]
    pub(crate) stop_most: Option<Duration>,
    /// About how often links break in each run
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) cuts: u32,
    /// Decides what is drawn: one number, one sequence of settings
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) vary: u64,
    /// Compute everything here, whatever the system's `[nodes]` say
    #[arg(long, conflicts_with_all = ["links", "placements"])]
    pub(crate) local: bool,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
}
