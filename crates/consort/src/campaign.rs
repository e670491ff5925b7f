//! Campaigns: the scenarios of a system, explored by worker processes.
//!
//! [`ReadyCampaign::prepare`] reads a campaign and loads its system; [`ReadyCampaign::explore`] lets workers judge its
//! scenarios, runs a share of them again from the start, shrinks and validates counter-examples, and leaves a report in a
//! folder. [`serve_worker`] is a worker. [`ScenarioReplay`] is one scenario, run by itself.

mod counter_examples;
mod folder;
mod page;
mod prepare;
mod scenario;
mod session;
mod verification;
mod worker;

use crate::models::ModelOptions;
use crate::recording::default_out;
use consort_run::{Context, Error};
use folder::CampaignFolder;
use prepare::Campaign;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use session::Session;
use std::path::{Path, PathBuf};
use std::time::Instant;

pub use consort_explore::coordinator::CampaignEnd;
pub use consort_explore::report::{Answer, CounterExample, Validation, Verified};
pub use consort_explore::strategy::ExplorationProgress;
pub use consort_explore::visit::VerdictTally;
pub use scenario::{ScenarioAnswer, ScenarioReplay, is_counter_example};
pub use worker::serve_worker;

/// What is changed of a campaign without touching its file.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct CampaignChanges {
    /// The root of all randomness.
    pub seed: Option<u64>,
    /// The most scenarios that are judged.
    pub limit: Option<u64>,
    /// How many bytes the snapshots of each worker may take.
    pub memory: Option<u64>,
    /// The share of scenarios that is run again without restored states; 0.01 if it is not given, but at least 20 and at
    /// most a tenth of the time.
    pub verify_share: Option<f64>,
}

/// A campaign: what is explored, what is changed of it, and how it is carried out.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct CampaignRequest {
    /// The campaign, or a folder with a `campaign.toml`.
    pub campaign: PathBuf,
    /// The changes to the campaign.
    pub changes: CampaignChanges,
    /// The folder of journal and report; `out/NAME-campaign` if it is not given.
    pub out: Option<PathBuf>,
    /// The folder of a campaign that was stopped and is resumed.
    pub resume: Option<PathBuf>,
    /// How many worker processes; as the campaign says, else as many as the machine has cores.
    pub workers: Option<usize>,
    /// No more units are handed out after this many seconds.
    pub time: Option<f64>,
}

impl CampaignRequest {
    /// A campaign as it is written.
    pub fn new(campaign: impl Into<PathBuf>) -> Self {
        CampaignRequest { campaign: campaign.into(), ..CampaignRequest::default() }
    }
}

/// A campaign that can be explored.
pub struct ReadyCampaign {
    request: CampaignRequest,
    campaign: Campaign,
    models: ModelOptions,
    folder: CampaignFolder,
}

/// What a campaign came to.
pub struct CampaignOutcome {
    /// The answer in one word.
    pub answer: Answer,
    /// How the campaign ended.
    pub ending: CampaignEnd,
    /// How many scenarios hold, are violated, undecided or failed.
    pub tally: VerdictTally,
    /// The progress of the campaign.
    pub progress: ExplorationProgress,
    /// The scenarios that violate properties, in their files.
    pub counter_examples: Vec<CounterExample>,
    /// The scenarios that were run again from the start.
    pub verified: Option<Verified>,
    /// Everything, as in `report.json`.
    pub report: Value,
}

impl ReadyCampaign {
    /// Reads a campaign, loads its system, and looks everything up. Nothing is written.
    ///
    /// # Errors
    /// Everything that is wrong with it, at once; or if its folder must not be used.
    pub fn prepare(
        request: &CampaignRequest,
        models: ModelOptions,
        context: &Context,
    ) -> Result<Self, Error> {
        let campaign = Campaign::prepare(&request.campaign, &request.changes, &models, context)?;
        let folder = match (&request.resume, &request.out) {
            (Some(resumed), _) => CampaignFolder::resumed(resumed),
            (None, Some(out)) => CampaignFolder::fresh(out),
            // A run of the same system leaves its record in the folder of that name.
            (None, None) => {
                let name = format!("{}-campaign", campaign.written.name);
                CampaignFolder::fresh(&default_out(&name))
            }
        }?;
        Ok(ReadyCampaign { request: request.clone(), campaign, models, folder })
    }

    /// Lets workers explore it, and leaves the report.
    ///
    /// # Errors
    /// If workers cannot be started, files cannot be written, or states are not restored as they were saved.
    pub fn explore(&self, context: &Context) -> Result<CampaignOutcome, Error> {
        let (began, campaign) = (Instant::now(), &self.campaign);
        let mut session = Session::open(&self.request, campaign, &self.models, &self.folder)?;
        let (written, resolved) = (&campaign.written, &campaign.resolved);
        let mut history = consort_explore::campaign::strategy(written, &resolved.space);
        let ending = session.follow("explore", &mut history, context)?;
        let verified = verification::verify(&mut session, &history, &ending, context)?;
        let (counter_examples, pictures) =
            counter_examples::find(&mut session, &history, &ending, context)?;
        let progress = history.progress();
        let account = consort_explore::report::Account {
            campaign: written,
            resolved,
            identity: &campaign.identity,
            saving: &campaign.providers(),
            ending: &ending,
            progress: &progress,
            summary: history.summary(),
            moments: history.moments(),
            counter_examples: &counter_examples,
            verified,
        };
        let (report, answer) = (account.to_json(), account.answer());
        self.folder.write(folder::REPORT, &pretty(&report))?;
        self.folder.write(folder::PAGE, &page::html(&report, &history, &pictures))?;
        self.folder.write(folder::TIMING, &pretty(&session.timing(began.elapsed())))?;
        let tally = history.summary().tally;
        Ok(CampaignOutcome { answer, ending, tally, progress, counter_examples, verified, report })
    }

    /// The name of the campaign.
    pub fn name(&self) -> &str {
        &self.campaign.written.name
    }

    /// The system that is explored.
    pub fn prepared(&self) -> &consort_run::Prepared {
        &self.campaign.prepared
    }

    /// The number of scenarios.
    pub fn scenario_count(&self) -> u128 {
        self.campaign.resolved.space.count()
    }

    /// The name of a property.
    ///
    /// # Panics
    /// If there is no such property.
    pub fn property(&self, index: usize) -> &str {
        &self.campaign.resolved.questions[index].name
    }

    /// The folder of journal and report.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The report as a page.
    pub fn page(&self) -> PathBuf {
        self.folder.file(folder::PAGE)
    }
}

use consort_explore::strategy::Strategy as _;

fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("values are plain data");
    text.push('\n');
    text
}
