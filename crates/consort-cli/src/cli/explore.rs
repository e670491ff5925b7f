//! Options of `explore` and of its workers.

use super::values;
use clap::Args;
use std::path::PathBuf;

/// Options of `explore`.
#[derive(Args, Debug)]
pub(crate) struct ExploreArgs {
    /// A campaign, or a folder with a `campaign.toml`
    pub(crate) campaign: PathBuf,
    /// Where journal and report go [default: out/NAME-campaign]
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    pub(crate) out: Option<PathBuf>,
    /// Resume the campaign that was stopped in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) resume: Option<PathBuf>,
    /// How many worker processes; never changes the report [default: as the campaign says, else cores]
    #[arg(long, value_name = "N", value_parser = values::worker_count)]
    pub(crate) workers: Option<usize>,
    /// Hand out no more work after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds)]
    pub(crate) time: Option<f64>,
    #[command(flatten)]
    pub(crate) changes: CampaignChangeArgs,
}

/// What may be changed of a campaign without touching its file.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Campaign")]
pub(crate) struct CampaignChangeArgs {
    /// The root of all randomness
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Judge at most this many scenarios
    #[arg(long, value_name = "SCENARIOS", value_parser = values::scenario_count)]
    pub(crate) limit: Option<u64>,
    /// What the snapshots of each worker may hold: bytes, or such as 256MiB
    #[arg(long, value_name = "BYTES", value_parser = values::memory)]
    pub(crate) memory: Option<u64>,
    /// The share of scenarios that is run again without restored states: 0 to 1 [default: 0.01]
    ///
    /// At least 20 and at most a tenth of the time, unless it is given. A difference ends the campaign.
    #[arg(long, value_name = "SHARE", value_parser = values::share)]
    pub(crate) verify_share: Option<f64>,
}

impl CampaignChangeArgs {
    /// The same for the library.
    pub(crate) fn changes(&self) -> consort::campaign::CampaignChanges {
        consort::campaign::CampaignChanges {
            seed: self.seed,
            limit: self.limit,
            memory: self.memory,
            verify_share: self.verify_share,
        }
    }
}

/// Options of a campaign's worker, which only `explore` starts.
#[derive(Args, Debug)]
pub(crate) struct CampaignWorkerArgs {
    /// The file that says what to work on
    #[arg(long, value_name = "FILE")]
    pub(crate) assignment: PathBuf,
}
