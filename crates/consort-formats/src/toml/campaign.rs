//! The text form of a campaign.
//!
//! ```toml
//! name = "tank-safety"             # optional; else the name of the folder
//! system = "system.toml"           # beside this file; or a model, an SSP, a multi-model
//! period = 1                       # seconds: how long a choice holds
//! horizon = 10                     # seconds: how long a scenario is
//! changes-max = 3                  # how often the choices may change, all inputs together
//! constraints = ["not (pump.fails == 1 and valve.fails == 1)"]
//! memory = "256 MiB"               # of the snapshots of a worker
//! workers = 4                      # never changes the report
//! seed = 7
//! watchdog = 30                    # seconds of real time that a scenario may take
//!
//! [options]                        # of the system, as `consort run` takes them
//! set = ["tank.area=1.5"]
//! step = 0.1
//! solver = "bdf"
//! tolerance = 1e-6
//! solver-step = 0.01
//!
//! [[disturbances]]
//! input = "pump.fails"             # an input that nothing feeds, or a tunable parameter
//! values = [0, 1]                  # the first is the nominal one
//! changes-max = 1
//!
//! [[properties]]
//! name = "no overflow"
//! formula = "always[0:10] (tank.level < 2)"
//! reading = "sampled"              # or "dense"
//! scale = 0.5                      # robustness is divided by it
//!
//! [strategy]
//! kind = "exhaustive"              # or "shortest", "random", "monte-carlo", "best-first", "beam"
//! stop-at-first = true             # end at the first violation
//! snapshots = 6                    # exhaustive, shortest, random
//! block = 1000                     # scenarios, or expansions, of a unit of work
//! epsilon = 0.01                   # monte-carlo: an estimate ...
//! delta = 0.05
//! p0 = 0.01                        # ... or a sequential test
//! p1 = 0.02
//! alpha = 0.05
//! beta = 0.05
//! width = 20                       # beam
//!
//! [limit]
//! scenarios = 100000
//! time = 3600
//!
//! [tighter]                        # how counter-examples are validated again; or `tighter = false`
//! tolerance = 0.01                 # factors
//! step = 0.5
//! ```

mod limits;
mod parts;
mod strategy;

pub use limits::bytes;

use super::default_name;
use consort_core::{Diagnostic, Report, Seconds};
use consort_system::Campaign;
use consort_system::Spanned;
use consort_system::campaign::{Limit, StrategyKind, StrategySettings, SystemOptions, Tighter};
use consort_toml::{DeTable, Entry, TomlFormat, TomlReader};

const KEYS: &[&str] = &[
    "name",
    "system",
    "period",
    "horizon",
    "changes-max",
    "constraints",
    "memory",
    "workers",
    "seed",
    "watchdog",
    "options",
    "disturbances",
    "properties",
    "strategy",
    "limit",
    "tighter",
];

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
    let entries = reader.entries(table);
    let mut given: Vec<&str> = Vec::new();
    for entry in &entries {
        given.push(read_entry(reader, entry, &mut found));
    }
    for (key, help) in NEEDED {
        if !given.contains(&key) {
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

/// Returns the key that was given, or meant.
fn read_entry<'t>(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'t, '_>,
    found: &mut CampaignEntries,
) -> &'t str {
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
        _ => return reader.unknown_key(entry, "a campaign", KEYS).unwrap_or(entry.key),
    }
    entry.key
}
