//! The text form of a campaign.
//!
//! Every key is in [`CAMPAIGN`]; `docs/campaigns.md` and the JSON schema `docs/schema/campaign.json` are made of it.

mod limits;
mod parts;
mod strategy;

pub use limits::bytes;

use super::default_name;
use super::keys::CAMPAIGN;
use consort_core::{Diagnostic, Report, Seconds};
use consort_system::Campaign;
use consort_system::Spanned;
use consort_system::campaign::{Limit, StrategyKind, StrategySettings, SystemOptions, Tighter};
use consort_toml::{DeTable, Entry, TomlFormat, TomlReader};

static FORMAT: TomlFormat = super::format("a campaign");

/// Reads a campaign.
///
/// `name` is what messages call the text: a path as the user wrote it. Everything that is wrong with
/// the text itself goes to `report`; the result is `None` then.
pub fn read_campaign(name: &str, text: &str, report: &mut Report) -> Option<Campaign> {
    let before = report.error_count();
    let document =
        |reader: &mut TomlReader<'_>, table: &DeTable<'_>| read_document(reader, table, name);
    let campaign = consort_toml::read(&FORMAT, name, text, report, document)??;
    (report.error_count() == before).then_some(campaign)
}

/// What was found so far.
struct CampaignEntries {
    campaign: Campaign,
    system: Option<Spanned<String>>,
    period: Option<Spanned<Seconds>>,
    horizon: Option<Spanned<Seconds>>,
}

fn read_document(reader: &mut TomlReader<'_>, table: &DeTable<'_>, name: &str) -> Option<Campaign> {
    let mut found =
        CampaignEntries { campaign: empty(name), system: None, period: None, horizon: None };
    let settings = reader.settings(table, "a campaign", &CAMPAIGN);
    for entry in &settings.entries {
        read_entry(reader, entry, &mut found);
    }
    for (key, help) in NEEDED {
        if !settings.has(key) {
            let message = format!("the campaign has no `{key}`");
            reader.loss(Diagnostic::error("campaign::missing-key", message).help(help));
        }
    }
    let CampaignEntries { mut campaign, system, period, horizon } = found;
    (campaign.system, campaign.period) = (system?, period?);
    campaign.horizon = horizon?;
    limits::check_times(reader, &campaign);
    Some(campaign)
}

/// What a campaign cannot do without, and what to do if it is not there.
const NEEDED: [(&str, &str); 5] = [
    ("system", "add `system = \"system.toml\"`: a path beside the campaign's file"),
    ("period", "add `period = 1`: how many seconds a choice holds"),
    ("horizon", "add `horizon = 10`: how many seconds a scenario takes"),
    (
        "disturbances",
        "add one: `[[disturbances]]` with `input = \"component.variable\"` and `values = [0, 1]`",
    ),
    (
        "properties",
        "add one: `[[properties]]` with `name = \"...\"` and `formula = \"always (a.x < 1)\"`",
    ),
];

fn empty(name: &str) -> Campaign {
    Campaign {
        name: default_name(name, "campaign.toml"),
        system: Spanned::assumed(String::new()),
        options: SystemOptions::default(),
        period: Spanned::assumed(Seconds::ZERO),
        horizon: Spanned::assumed(Seconds::ZERO),
        disturbances: Vec::new(),
        changes_max: None,
        constraints: Vec::new(),
        properties: Vec::new(),
        strategy: StrategySettings::new(Spanned::assumed(StrategyKind::Exhaustive)),
        memory: None,
        workers: None,
        seed: 0,
        limit: Limit::default(),
        watchdog: None,
        tighter: Tighter::default(),
    }
}

fn read_entry(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>, found: &mut CampaignEntries) {
    let campaign = &mut found.campaign;
    match entry.key {
        "name" => {
            if let Some(name) = reader.text(entry) {
                campaign.name = name.value;
            }
        }
        "system" => found.system = reader.text(entry),
        "period" => found.period = reader.seconds(entry),
        "horizon" => found.horizon = reader.seconds(entry),
        "changes-max" => campaign.changes_max = reader.count(entry, "3"),
        "constraints" => campaign.constraints = reader.texts(entry),
        "memory" => campaign.memory = limits::memory(reader, entry),
        "workers" => campaign.workers = limits::positive_count(reader, entry, "4"),
        "seed" => {
            if let Some(seed) = limits::whole(reader, entry, "7") {
                campaign.seed = seed.value;
            }
        }
        "watchdog" => campaign.watchdog = limits::positive(reader, entry, "30"),
        "options" => campaign.options = parts::options(reader, entry),
        "disturbances" => campaign.disturbances = parts::disturbances(reader, entry),
        "properties" => campaign.properties = parts::properties(reader, entry),
        "strategy" => {
            if let Some(strategy) = strategy::read(reader, entry) {
                campaign.strategy = strategy;
            }
        }
        "limit" => campaign.limit = limits::limit(reader, entry),
        "tighter" => campaign.tighter = limits::tighter(reader, entry),
        _ => entry.is_not_read(),
    }
}
