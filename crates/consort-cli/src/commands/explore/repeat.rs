//! Scenarios one at a time, by an ordinary run: to validate counter-examples, and to repeat them.

use super::prepare::{self, Ready};
use crate::cli::{CampaignChanges, Global, ReplayArgs};
use crate::commands::campaign_worker;
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::folder::{self, RunFolder};
use crate::output::printer::Printer;
use crate::output::recorder::{Recorder, TraceFiles};
use crate::paths;
use consort_core::{Causality, Diagnostic, Tag, Variability};
use consort_engine::{ChunkSink, RunOptions};
use consort_explore::report::{self, CounterExample};
use consort_explore::run_world::Until;
use consort_explore::world::{Standing, World};
use consort_view::plot::{Column, Figure, Size, svg};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The form of a counter-example's file, and how such a file is known.
const FORMAT: u64 = 1;
const MARK: &str = "consort-counter-example";

/// A scenario that was run to its horizon.
pub(crate) struct Repeated {
    /// What the properties say.
    pub(crate) standing: Standing,
    /// Of the whole trace.
    pub(crate) trace_hash: String,
    /// What was looked at.
    pub(crate) paths: Vec<String>,
    /// At each tag: the values.
    pub(crate) seen: Vec<(Tag, Vec<f64>)>,
}

/// Runs a scenario to its horizon; no state is restored on the way.
///
/// # Errors
/// If an instance fails.
pub(crate) fn run(
    ready: &Ready,
    letters: &[u32],
    recorder: Option<Box<dyn ChunkSink>>,
) -> Result<Repeated, CommandError> {
    let options = RunOptions { recorder, ..RunOptions::quiet(1) };
    let mut world = campaign_worker::start_with(ready, options, Until::Horizon)?;
    let resolution = ready.prepared.resolved.experiment.resolution;
    for letter in letters {
        let chosen = world.choose(*letter);
        chosen.map_err(|error| CommandError::failed(error.diagnostic(resolution)))?;
    }
    let standing = world.standing();
    let (paths, seen) = world.seen();
    let trace_hash = world.finish().trace_hash.to_string();
    Ok(Repeated { standing, trace_hash, paths, seen })
}

/// The signals of a scenario, with the thresholds that its property compares them with.
pub(crate) fn figure(ready: &Ready, repeated: &Repeated, title: &str, formula: &str) -> Figure {
    let resolution = ready.prepared.resolved.experiment.resolution;
    let times: Vec<f64> =
        repeated.seen.iter().map(|(tag, _)| resolution.to_f64(tag.time)).collect();
    let span: Vec<f64> = [times.first(), times.last()].into_iter().flatten().copied().collect();
    let mut columns = Vec::new();
    for (place, path) in repeated.paths.iter().enumerate() {
        let (unit, is_discrete) = look_up(ready, path);
        let values = repeated.seen.iter().map(|(_, values)| values[place]).collect();
        let (name, times) = (path.clone(), times.clone());
        columns.push(Column { name, unit: unit.clone(), is_discrete, times, values });
        for threshold in thresholds(formula, path) {
            columns.push(Column {
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
fn look_up(ready: &Ready, path: &str) -> (Option<String>, bool) {
    let Some((component, name)) = path.split_once('.') else { return (None, false) };
    let components = &ready.prepared.resolved.components;
    let index = components.iter().position(|known| known.name == component);
    let Some(model) = index.map(|index| ready.prepared.models[index].description()) else {
        return (None, false);
    };
    let Some(variable) = model.variable(name).map(|id| &model.variables[id.index()]) else {
        return (None, false);
    };
    let unit = variable.unit.map(|unit| model.units[unit].name.clone());
    let is_chosen = ready.resolved.inputs.iter().any(|input| input.path == path);
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
pub(crate) fn to_json(ready: &Ready, found: &CounterExample, folder: &Path) -> Value {
    let question = &ready.campaign.properties[found.property];
    json!({
        MARK: FORMAT,
        "campaign": paths::relative(&paths::whole(folder), &paths::whole(&ready.path)),
        "identity": ready.identity,
        "property": {
            "name": question.name.value,
            "formula": question.formula.value,
            "reading": question.reading.name(),
        },
        "robustness": report::bounds(found.robustness),
        "margin": report::number(found.margin()),
        "period": ready.campaign.period.value.to_string(),
        "choices": report::choices(&ready.resolved, &found.letters),
        "counter_example": found,
    })
}

/// Whether a file is that of a counter-example.
pub(crate) fn is_counter_example(path: &Path) -> bool {
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
    fn read(path: &Path) -> Result<Self, CommandError> {
        let text =
            fs::read_to_string(path).map_err(|error| CommandError::unreadable(path, &error))?;
        let file: Option<Value> = serde_json::from_str(&text).ok();
        let file = file.filter(|file| file[MARK] == FORMAT).and_then(|mut file| {
            let found = serde_json::from_value(file["counter_example"].take()).ok()?;
            let campaign = from_here(path, file["campaign"].as_str()?);
            Some(File { campaign, identity: file["identity"].take(), found })
        });
        let file = file.ok_or_else(|| {
            let message = format!("`{}` is not a counter-example of this version", path.display());
            let diagnostic = Diagnostic::error("replay::no-counter-example", message);
            CommandError::failed(diagnostic.help("`consort explore` writes them"))
        })?;
        if !file.campaign.exists() {
            let campaign = file.campaign.display();
            let message = format!("the campaign `{campaign}` of this counter-example is not there");
            let diagnostic = Diagnostic::error("replay::no-campaign", message);
            let help = "its file names it by the way from there: move both together, or mend `campaign` in it";
            return Err(CommandError::failed(diagnostic.help(help)));
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

/// `consort replay COUNTER-EXAMPLE`: runs the scenario again and says whether every bit is the same.
pub(crate) fn execute(args: &ReplayArgs, global: &Global, printer: &Printer) -> CommandResult {
    let file = File::read(&args.run)?;
    let changes = CampaignChanges { seed: file.identity["seed"].as_u64(), ..Default::default() };
    let ready = prepare::prepare(&file.campaign, &changes, None, global, printer)?;
    for change in differences(&file.identity, &ready.identity) {
        printer.insist(&format!("since then, {change} has changed"));
    }
    let found = &file.found;
    let fits = found.property < ready.resolved.questions.len()
        && ready.resolved.space.rank(&found.letters).is_some();
    if !fits {
        let message = "the campaign has no such scenario any more";
        let diagnostic = Diagnostic::error("replay::other-campaign", message);
        return Err(CommandError::failed(diagnostic.help("put the campaign back as it was")));
    }
    let folder = args.out.as_deref().map(RunFolder::plan).transpose()?;
    let repeated = match &folder {
        Some(folder) => record(&ready, found, folder)?,
        None => run(&ready, &found.letters, None)?,
    };
    answer(&ready, found, &repeated, printer)
}

/// Runs it, and leaves its trace and a picture.
fn record(
    ready: &Ready,
    found: &CounterExample,
    folder: &RunFolder,
) -> Result<Repeated, CommandError> {
    let _log = folder.prepare()?;
    let (recorder, sink) = Recorder::start();
    let repeated = run(ready, &found.letters, Some(sink))?;
    // What was recorded waits until there are files.
    recorder.open(TraceFiles {
        parquet: Some(folder.file(folder::TRACE)),
        csv: Some(folder.file(folder::TRACE_CSV)),
        ..TraceFiles::default()
    });
    if let Some(error) = recorder.close().failure {
        let message = format!("the trace could not be written: {error}");
        return Err(CommandError::failed(Diagnostic::error("replay::no-trace", message)));
    }
    let question = &ready.campaign.properties[found.property];
    let figure = figure(ready, &repeated, &question.name.value, &question.formula.value);
    let path = folder.file(folder::PLOT);
    fs::write(&path, svg(&figure, Size::comfortable(&figure)))
        .map_err(|error| CommandError::unwritable(&path, &error))?;
    Ok(repeated)
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

fn answer(
    ready: &Ready,
    found: &CounterExample,
    repeated: &Repeated,
    printer: &Printer,
) -> CommandResult {
    let name = &ready.resolved.questions[found.property].name;
    let robustness = repeated.standing.robustness[found.property];
    let is_violated = repeated.standing.verdicts[found.property] == Some(false);
    let is_same = repeated.trace_hash == found.trace_hash && robustness == found.robustness;
    let now = super::counter_examples::interval(robustness);
    if is_same {
        printer.data(format!("identical: trace {}\n", found.trace_hash))?;
    } else {
        let (before, after) = (&found.trace_hash, &repeated.trace_hash);
        let was = super::counter_examples::interval(found.robustness);
        printer.data(format!(
            "different: trace {before}, now {after}\n  robustness {was}, now {now}\n"
        ))?;
    }
    let verdict = if is_violated { "violated" } else { "not violated" };
    printer.say(&format!("`{name}` is {verdict}: robustness {now}"));
    Ok(if is_same { Exit::Done } else { Exit::No })
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
