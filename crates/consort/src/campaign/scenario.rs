//! One scenario by an ordinary run: to validate counter-examples, and to run them again.

use super::CampaignChanges;
use super::prepare::Campaign;
use super::worker::start;
use crate::models::ModelOptions;
use consort_core::{Causality, Diagnostic, Tag, Variability};
use consort_engine::{ChunkSink, RunOptions};
use consort_explore::report::{self, CounterExample};
use consort_explore::run_world::RunUntil;
use consort_explore::world::{PrefixEvaluation, RobustnessInterval, World as _};
use consort_run::files::folder::{self, RunFolder};
use consort_run::files::recorder::{Recorder, TraceFiles};
use consort_run::{Context, Error, paths};
use consort_view::plot::{Figure, PlotColumn, Size, svg};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The version of a counter-example's file, and the key that identifies one.
const FORMAT: u64 = 1;
const MARK: &str = "consort-counter-example";

/// A scenario that was run to its horizon.
pub(super) struct ScenarioRun {
    /// The verdicts of the properties.
    pub(super) evaluation: PrefixEvaluation,
    /// The hash of the whole trace.
    pub(super) trace_hash: String,
    /// The observed variables.
    pub(super) paths: Vec<String>,
    /// The values at each tag.
    pub(super) seen: Vec<(Tag, Vec<f64>)>,
}

/// Runs a scenario to its horizon; no state is restored on the way.
///
/// # Errors
/// If an instance fails.
pub(super) fn run(
    campaign: &Campaign,
    letters: &[u32],
    recorder: Option<Box<dyn ChunkSink>>,
) -> Result<ScenarioRun, Error> {
    let options = RunOptions { recorder, ..RunOptions::quiet(1) };
    let mut world = start(campaign, options, RunUntil::Horizon)?;
    let resolution = campaign.prepared.resolved().experiment.resolution;
    for letter in letters {
        world.choose(*letter).map_err(|error| Error::run(error, resolution))?;
    }
    let evaluation = world.evaluation();
    let (paths, seen) = world.seen();
    let trace_hash = world.finish().trace_hash.to_string();
    Ok(ScenarioRun { evaluation, trace_hash, paths, seen })
}

/// The signals of a scenario, with the thresholds that its property compares them with.
pub(super) fn figure(campaign: &Campaign, run: &ScenarioRun, title: &str, formula: &str) -> Figure {
    let resolution = campaign.prepared.resolved().experiment.resolution;
    let times: Vec<f64> = run.seen.iter().map(|(tag, _)| resolution.to_f64(tag.time)).collect();
    let span: Vec<f64> = [times.first(), times.last()].into_iter().flatten().copied().collect();
    let (mut columns, signals) = (Vec::new(), campaign.prepared.signals());
    for (place, path) in run.paths.iter().enumerate() {
        let (unit, is_discrete) = look_up(campaign, path);
        let unit = unit.or_else(|| signals.unit(path).map(str::to_owned));
        let values = run.seen.iter().map(|(_, values)| values[place]).collect();
        let (name, times) = (path.clone(), times.clone());
        columns.push(PlotColumn { name, unit: unit.clone(), is_discrete, times, values });
        for threshold in thresholds(formula, path) {
            columns.push(PlotColumn {
                name: format!("{path}: {threshold}"),
                unit: unit.clone(),
                is_discrete: false,
                times: span.clone(),
                values: vec![threshold; span.len()],
            });
        }
    }
    Figure::from_columns(title, columns)
}

/// The unit of a variable, and whether it changes at events only.
fn look_up(campaign: &Campaign, path: &str) -> (Option<String>, bool) {
    let Some((component, name)) = path.split_once('.') else { return (None, false) };
    let found = campaign.prepared.components().find(|known| known.resolved.name == component);
    let Some(model) = found.map(|found| found.model.description()) else { return (None, false) };
    let Some(variable) = model.variable(name).map(|id| &model.variables[id.index()]) else {
        return (None, false);
    };
    let unit = variable.unit.map(|unit| model.units[unit].name.clone());
    let is_chosen = campaign.resolved.inputs.iter().any(|input| input.path == path);
    let is_discrete = variable.variability != Variability::Continuous
        || variable.causality == Causality::Parameter
        || is_chosen;
    (unit, is_discrete)
}

/// The numbers that a formula compares a signal with directly: `tank.level < 2`.
fn thresholds(formula: &str, path: &str) -> Vec<f64> {
    let mut found: Vec<f64> = Vec::new();
    for (at, _) in formula.match_indices(path) {
        let rest = formula[at + path.len()..].trim_start();
        let number = rest.trim_start_matches(['<', '>', '=']);
        let is_compared = number.len() < rest.len();
        let number = number.trim_start();
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '-' | '+');
        let end = number.find(|c: char| !is_part(c)).unwrap_or(number.len());
        if let Ok(number) = number[..end].parse::<f64>()
            && is_compared
            && !found.contains(&number)
        {
            found.push(number);
        }
    }
    found
}

/// A counter-example as its file has it.
///
/// Values, robustness and margin are for people; what is repeated are the letters, to the bit. The
/// campaign is named as it is found from `folder`, where the file is, so that both can be moved.
pub(super) fn to_json(campaign: &Campaign, found: &CounterExample, folder: &Path) -> Value {
    let question = &campaign.written.properties[found.property];
    json!({
        MARK: FORMAT,
        "campaign": paths::relative(&paths::whole(folder), &paths::whole(&campaign.path)),
        "identity": campaign.identity,
        "property": {
            "name": question.name.value,
            "formula": question.formula.value,
            "reading": question.reading.name(),
        },
        "robustness": report::bounds(found.robustness),
        "margin": report::number(found.margin()),
        "period": campaign.written.period.value.to_string(),
        "choices": report::choices(&campaign.resolved, &found.letters),
        "counter_example": found,
    })
}

/// Whether a file is that of a counter-example.
pub fn is_counter_example(path: &Path) -> bool {
    let has_ending = path.extension().is_some_and(|ending| ending == "json");
    has_ending && fs::read_to_string(path).is_ok_and(|text| text.contains(MARK))
}

/// A counter-example that was read.
struct File {
    campaign: PathBuf,
    identity: Value,
    found: CounterExample,
}

impl File {
    fn read(path: &Path) -> Result<Self, Error> {
        let text = fs::read_to_string(path).map_err(|error| Error::unreadable(path, &error))?;
        let file: Option<Value> = serde_json::from_str(&text).ok();
        let file = file.filter(|file| file[MARK] == FORMAT).and_then(|mut file| {
            let found = serde_json::from_value(file["counter_example"].take()).ok()?;
            let campaign = from_here(path, file["campaign"].as_str()?);
            Some(File { campaign, identity: file["identity"].take(), found })
        });
        let file = file.ok_or_else(|| {
            let message = format!("`{}` is not a counter-example of this version", path.display());
            let diagnostic = Diagnostic::error("replay::no-counter-example", message);
            Error::failed(diagnostic.help("`consort explore` writes them"))
        })?;
        if !file.campaign.exists() {
            let campaign = file.campaign.display();
            let message = format!("the campaign `{campaign}` of this counter-example is not there");
            let diagnostic = Diagnostic::error("replay::no-campaign", message);
            let help = "the path in its file is relative to that file: move both together, or correct `campaign` in it";
            return Err(Error::failed(diagnostic.help(help)));
        }
        Ok(file)
    }
}

/// The campaign that a counter-example names, as it is found from the current folder.
fn from_here(file: &Path, campaign: &str) -> PathBuf {
    let folder = file.parent().unwrap_or(Path::new(""));
    let whole = paths::whole(&folder.join(campaign));
    let here = paths::whole(Path::new(""));
    whole.strip_prefix(here).map(Path::to_owned).unwrap_or(whole)
}

/// A scenario of a campaign, from the file of a counter-example.
pub struct ScenarioReplay {
    campaign: Campaign,
    found: CounterExample,
    changes: Vec<&'static str>,
}

/// What became of a scenario that was run again.
pub struct ScenarioAnswer {
    /// Every bit is the same.
    pub is_identical: bool,
    /// The trace hash, before and now.
    pub trace_hash: [String; 2],
    /// Bounds of the robustness, before and now.
    pub robustness: [RobustnessInterval; 2],
    /// The name of the property.
    pub property: String,
    /// Whether it is violated.
    pub is_violated: bool,
}

impl ScenarioReplay {
    /// Reads the file, and prepares its campaign.
    ///
    /// # Errors
    /// If it is no counter-example, or its campaign is not there or has no such scenario any more.
    pub fn prepare(file: &Path, models: &ModelOptions, context: &Context) -> Result<Self, Error> {
        let file = File::read(file)?;
        let seed = file.identity["seed"].as_u64();
        let changes = CampaignChanges { seed, ..CampaignChanges::default() };
        let campaign = Campaign::prepare(&file.campaign, &changes, models, context)?;
        let found = file.found;
        let fits = found.property < campaign.resolved.questions.len()
            && campaign.resolved.space.rank(&found.letters).is_some();
        if !fits {
            let message = "the campaign has no such scenario any more";
            let diagnostic = Diagnostic::error("replay::other-campaign", message);
            return Err(Error::failed(diagnostic.help("put the campaign back as it was")));
        }
        let changes = differences(&file.identity, &campaign.identity);
        Ok(ScenarioReplay { campaign, found, changes })
    }

    /// What has changed since the counter-example was found.
    pub fn changes(&self) -> &[&'static str] {
        &self.changes
    }

    /// Runs it again, with a record in the folder `out` if there is one, and compares.
    ///
    /// # Errors
    /// If a model fails, or the folder cannot be written.
    pub fn run(&self, out: Option<&Path>) -> Result<ScenarioAnswer, Error> {
        let (campaign, found) = (&self.campaign, &self.found);
        let run = match out.map(RunFolder::plan).transpose()? {
            Some(folder) => record(campaign, found, &folder)?,
            None => run(campaign, &found.letters, None)?,
        };
        let robustness = run.evaluation.robustness[found.property];
        let is_same = run.trace_hash == found.trace_hash && robustness == found.robustness;
        Ok(ScenarioAnswer {
            is_identical: is_same,
            trace_hash: [found.trace_hash.clone(), run.trace_hash],
            robustness: [found.robustness, robustness],
            property: campaign.resolved.questions[found.property].name.clone(),
            is_violated: run.evaluation.verdicts[found.property] == Some(false),
        })
    }
}

/// Runs it, and leaves its trace and a picture.
fn record(
    campaign: &Campaign,
    found: &CounterExample,
    folder: &RunFolder,
) -> Result<ScenarioRun, Error> {
    let _log = folder.prepare()?;
    let (recorder, sink) = Recorder::start();
    let run = run(campaign, &found.letters, Some(sink))?;
    // What was recorded waits until there are files.
    recorder.open(TraceFiles {
        parquet: Some(folder.file(folder::TRACE)),
        csv: Some(folder.file(folder::TRACE_CSV)),
        ..TraceFiles::default()
    });
    if let Some(error) = recorder.close().failure {
        let message = format!("the trace could not be written: {error}");
        return Err(Error::failed(Diagnostic::error("replay::no-trace", message)));
    }
    let question = &campaign.written.properties[found.property];
    let figure = figure(campaign, &run, &question.name.value, &question.formula.value);
    let path = folder.file(folder::PLOT);
    fs::write(&path, svg(&figure, Size::comfortable(&figure)))
        .map_err(|error| Error::unwritable(&path, &error))?;
    Ok(run)
}

fn differences(before: &Value, now: &Value) -> Vec<&'static str> {
    let names = [
        ("consort", "the version of Consort"),
        ("campaign", "the campaign"),
        ("experiment", "what the system means"),
        ("plan", "the plan"),
        ("inputs", "a file of the system"),
    ];
    let changed = names.into_iter().filter(|(name, _)| before[*name] != now[*name]);
    changed.map(|(_, words)| words).collect()
}

#[cfg(test)]
mod tests {
    use super::thresholds;

    #[test]
    fn thresholds_are_what_a_signal_is_compared_with() {
        for (formula, expected) in [
            ("always (tank.level < 2)", vec![2.0]),
            ("always (tank.level <= -1.5e1 and tank.level > 3)", vec![-15.0, 3.0]),
            ("always (tank.level - pump.level < 2)", vec![]),
            ("always (abs(tank.level) < 2)", vec![]),
            ("always (other.level < 2)", vec![]),
        ] {
            assert_eq!(thresholds(formula, "tank.level"), expected, "{formula}");
        }
    }
}
