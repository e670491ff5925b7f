//! Pictures of one run or several, over time or over another variable.

use super::{Picture, facts};
use consort_core::Diagnostic;
use consort_run::files::{folder, traces};
use consort_run::{Error, Manifest};
use consort_trace::Trace;
use consort_view::numbers::{short, short_hash};
use consort_view::plot::{self, Figure, PlotColumn, PlotRun, Signals, TimeRange};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The most variables that are drawn if none are named, of all runs together: more cannot be distinguished.
const DRAWN_MAX: usize = 40;

/// What is to be drawn.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PlotRequest {
    /// Folders of runs, or traces: one or more.
    pub runs: Vec<PathBuf>,
    /// Patterns of variables; if there are none, what the systems want drawn, else everything.
    pub variables: Vec<String>,
    /// The variable on the horizontal axis, if that is not time.
    pub x: Option<String>,
    /// The part of the runs that is drawn.
    pub range: TimeRange,
}

/// A picture, and what its reader should know.
pub struct Plotted {
    /// The picture.
    pub picture: Picture,
    /// What is not drawn, one sentence each.
    pub remarks: Vec<String>,
}

/// A run that was read.
struct ComparedRun {
    label: String,
    title: String,
    trace: Trace,
    manifest: Option<Manifest>,
    signals: Signals,
}

/// Whether there is a trace at a path: the folder of a run, or a file.
pub fn is_run(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is_trace = ["parquet", "csv", "journal"].contains(&ending.to_ascii_lowercase().as_str());
    match path.is_dir() {
        true => traces::file_of(path).exists(),
        false => is_trace && path.is_file(),
    }
}

/// Reads the runs, and gathers what is drawn of them.
///
/// # Errors
/// If a run cannot be read, a pattern matches nothing, or there is nothing to draw.
pub fn plot(request: &PlotRequest) -> Result<Plotted, Error> {
    let labels = labels(&request.runs);
    let sources =
        request.runs.iter().zip(labels).map(|(path, label)| ComparedRun::read(path, label));
    let sources: Vec<ComparedRun> = sources.collect::<Result<_, _>>()?;
    let patterns = patterns(request, &sources);
    let all: Vec<&Trace> = sources.iter().map(|source| &source.trace).collect();
    traces::require(&all, &patterns)?;
    let x = request.x.as_deref().map(|name| x_columns(&sources, name)).transpose()?;
    let mut remarks = missing(&sources, &patterns);
    let mut runs: Vec<PlotRun> = sources.iter().map(|source| source.columns(&patterns)).collect();
    if request.variables.is_empty() {
        leave_out(&mut runs, request.x.as_deref(), &mut remarks);
    }
    check_any(&runs)?;
    for (index, run) in runs.iter_mut().enumerate() {
        let over = x.as_ref().map(|columns| &columns[index]);
        run.columns = run.columns.iter().map(|it| drawn(it, over, &request.range)).collect();
    }
    check_range(&runs, &sources, &request.range)?;
    let mut figure = Figure::from_runs(title(&sources), runs);
    if let Some(x) = x.as_ref().and_then(|columns| columns.first()) {
        figure = figure.over(&x.name, x.unit.as_deref());
    }
    figure.subtitle = subtitle(&sources);
    Ok(Plotted { picture: Picture { figure, facts: all_facts(&sources) }, remarks })
}

impl ComparedRun {
    fn read(path: &Path, label: String) -> Result<Self, Error> {
        traces::verify(path)?;
        let trace = traces::read(path, consort_core::Resolution::NANOSECOND)?;
        let manifest = Manifest::read(path).ok();
        let signals = manifest.as_ref().map(Manifest::signals).or_else(|| signals_beside(path));
        let file = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let title = manifest.as_ref().map(|manifest| manifest.name().to_owned()).or(file);
        let (title, signals) = (title.unwrap_or_default(), signals.unwrap_or_default());
        Ok(ComparedRun { label, title, trace, manifest, signals })
    }

    fn columns(&self, patterns: &[String]) -> PlotRun {
        let columns = plot::columns(&self.trace, patterns, &self.signals);
        PlotRun { label: self.label.clone(), columns }
    }
}

/// What the manifest beside a trace says, if it is the trace of a record.
fn signals_beside(path: &Path) -> Option<Signals> {
    let is_recorded = [folder::TRACE, folder::TRACE_CSV].map(Some);
    let name = path.file_name().and_then(|name| name.to_str());
    let folder = path.parent().filter(|_| is_recorded.contains(&name))?;
    Some(Manifest::read(folder).ok()?.signals())
}

/// What the legend calls each run: nothing if there is one, the names of the folders if these differ, else the
/// paths.
fn labels(runs: &[PathBuf]) -> Vec<String> {
    let name = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| path.display().to_string())
    };
    let names: Vec<String> = runs.iter().map(name).collect();
    let different: BTreeSet<&String> = names.iter().collect();
    match runs {
        [_] => vec![String::new()],
        _ if different.len() == runs.len() => names,
        _ => runs.iter().map(|path| path.display().to_string()).collect(),
    }
}

/// What was asked for, else what the experiments say, else everything.
fn patterns(request: &PlotRequest, sources: &[ComparedRun]) -> Vec<String> {
    if !request.variables.is_empty() {
        return request.variables.clone();
    }
    let mut planned: Vec<String> = Vec::new();
    for pattern in sources.iter().filter_map(|it| it.manifest.as_ref()).flat_map(Manifest::plot) {
        if !planned.contains(&pattern) {
            planned.push(pattern);
        }
    }
    if planned.is_empty() { vec!["*".to_owned()] } else { planned }
}

/// The column of the horizontal axis in each run.
fn x_columns(sources: &[ComparedRun], name: &str) -> Result<Vec<PlotColumn>, Error> {
    let column = |source: &ComparedRun| {
        traces::require(&[&source.trace], &[name.to_owned()])?;
        let mut found = source.columns(&[name.to_owned()]).columns;
        match (found.pop(), found.len()) {
            (Some(column), 0) => Ok(column),
            (_, more) => {
                let message = format!("`{name}` is {} variables", more + 1);
                let diagnostic = Diagnostic::error("cli::x-axis", message);
                let help = "name one variable with `--x`, and the others as what is drawn over it";
                Err(Error::failed(diagnostic.help(help)))
            }
        }
    };
    sources.iter().map(column).collect()
}

/// The patterns that match something in one run, and nothing in another.
fn missing(sources: &[ComparedRun], patterns: &[String]) -> Vec<String> {
    if sources.len() == 1 {
        return Vec::new();
    }
    let absent = |pattern: &String| {
        let without = sources.iter().filter(|source| !traces::has(&source.trace, pattern));
        without.map(|source| format!("`{}` has no `{pattern}`", source.label)).collect::<Vec<_>>()
    };
    patterns.iter().flat_map(absent).collect()
}

/// Takes away the horizontal axis's own variable, and what is too much if no variables were named.
fn leave_out(runs: &mut [PlotRun], x: Option<&str>, remarks: &mut Vec<String>) {
    let mut names: Vec<String> = Vec::new();
    for column in runs.iter().flat_map(|run| &run.columns) {
        if Some(column.name.as_str()) != x && !names.contains(&column.name) {
            names.push(column.name.clone());
        }
    }
    let (count, most) = (names.len(), (DRAWN_MAX / runs.len().max(1)).max(1));
    if most < count {
        remarks.push(format!("{most} of {count} variables are drawn; name those to be seen"));
        names.truncate(most);
    }
    for run in runs {
        run.columns.retain(|column| names.contains(&column.name));
    }
}

fn check_any(runs: &[PlotRun]) -> Result<(), Error> {
    if runs.iter().any(|run| !run.columns.is_empty()) {
        return Ok(());
    }
    let message = "there is no variable to draw over that of `--x`";
    let help = "name one, as in `consort plot DIR tank.level --x tank.outflow`";
    Err(Error::failed(Diagnostic::error("cli::x-axis", message).help(help)))
}

/// The part of a column that is drawn, over the values of `x` at the same times.
fn drawn(column: &PlotColumn, x: Option<&PlotColumn>, range: &TimeRange) -> PlotColumn {
    let part = range.part_of(column);
    match x {
        None => part,
        Some(x) => PlotColumn { times: range.part_of(x).values, ..part },
    }
}

fn check_range(runs: &[PlotRun], sources: &[ComparedRun], range: &TimeRange) -> Result<(), Error> {
    let is_given = range.from.is_some() || range.to.is_some();
    if !is_given || runs.iter().flat_map(|run| &run.columns).any(|it| !it.times.is_empty()) {
        return Ok(());
    }
    let ends = sources
        .iter()
        .flat_map(|source| [source.trace.times().next(), source.trace.times().last()]);
    let ends: Vec<f64> = ends.flatten().collect();
    let (first, last) =
        (ends.iter().copied().reduce(f64::min), ends.iter().copied().reduce(f64::max));
    let diagnostic =
        Diagnostic::error("cli::empty-range", "nothing was recorded in this range of time");
    let diagnostic = match (first, last) {
        (Some(first), Some(last)) => diagnostic.with_note(format!(
            "there are rows from {} s to {} s",
            short(first),
            short(last)
        )),
        _ => diagnostic,
    };
    Err(Error::failed(diagnostic.help("choose other times for `--from` and `--to`")))
}

/// The names of the systems, each once.
fn title(sources: &[ComparedRun]) -> String {
    let mut titles: Vec<&str> = Vec::new();
    for source in sources {
        if !titles.contains(&source.title.as_str()) {
            titles.push(&source.title);
        }
    }
    titles.join(", ")
}

/// `trace sha256:1a2b3c4d…`, or one for each run.
fn subtitle(sources: &[ComparedRun]) -> Option<String> {
    let hash = |source: &ComparedRun| {
        let hash = short_hash(source.manifest.as_ref()?.trace_hash());
        Some(if source.label.is_empty() { hash } else { format!("{} {hash}", source.label) })
    };
    let hashes: Vec<String> = sources.iter().filter_map(hash).collect();
    (!hashes.is_empty()).then(|| format!("trace {}", hashes.join(", ")))
}

/// The facts of each run, by its name if there are several.
fn all_facts(sources: &[ComparedRun]) -> Vec<(String, String)> {
    let named = |source: &ComparedRun| {
        let known = source.manifest.as_ref().map(facts).unwrap_or_default();
        let label = source.label.clone();
        let name =
            move |name: String| if label.is_empty() { name } else { format!("{label}: {name}") };
        known.into_iter().map(move |(fact, value)| (name(fact), value)).collect::<Vec<_>>()
    };
    sources.iter().flat_map(named).collect()
}
