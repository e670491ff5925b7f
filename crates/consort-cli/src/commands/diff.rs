//! `consort diff A B`: shows the differences of two traces.

use crate::cli::{DiffArgs, TextFormat};
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::answer::answer;
use crate::output::printer::Printer;
use consort::request::differences;
use consort::run::Manifest;
use consort::run::files::{hashes, machine, manifest, traces};
use consort_core::{Diagnostic, Report, Resolution};
use consort_trace::{
    ComparedRows, DiffOptions, Difference, Tolerance, Trace, TraceComparison, compare,
};
use serde_json::{Value, json};
use std::path::Path;

/// Compares, and says what differs.
pub(crate) fn execute(args: &DiffArgs, printer: &Printer) -> CommandResult {
    check_modes(args)?;
    if let Some((a, b)) = unrecorded(args) {
        return compare_hashes(&a, &b, printer);
    }
    [&args.a, &args.b].into_iter().try_for_each(|path| traces::verify(path))?;
    let (a, b) = read_both(&args.a, &args.b)?;
    let options = DiffOptions {
        tolerance: Tolerance {
            absolute: args.absolute.unwrap_or(0.0),
            relative: args.relative.unwrap_or(0.0),
        },
        variables: args.variables.clone(),
        rows: match (args.common_times, args.reference) {
            (true, _) => ComparedRows::Common,
            (false, true) => ComparedRows::Interpolated,
            (false, false) => ComparedRows::All,
        },
        is_reference: args.reference,
        time_tolerance: args.time_tolerance,
        ..DiffOptions::default()
    };
    let comparison = compare(&a, &b, &options);
    refuse_empty(args, &comparison, [&a, &b])?;
    let circumstances = match (manifest_beside(&args.a), manifest_beside(&args.b)) {
        (Ok(a), Ok(b)) => circumstances(&a, &b),
        _ => Vec::new(),
    };
    let exit = if comparison.is_same() { Exit::Done } else { Exit::No };
    printer.data(match args.format.or_json(args.json) {
        TextFormat::Text => text(&circumstances, &comparison),
        TextFormat::Json => {
            answer("diff", exit, &Report::default(), to_json(&circumstances, &comparison))
        }
    })?;
    Ok(exit)
}

/// Two traces of which nothing was compared are not the same.
fn refuse_empty(
    args: &DiffArgs,
    comparison: &TraceComparison,
    [a, b]: [&Trace; 2],
) -> Result<(), CommandError> {
    let is_chosen = !args.variables.is_empty() || args.reference || args.common_times;
    if !is_chosen || comparison.variables != 0 && comparison.rows != 0 {
        return Ok(());
    }
    let message = match comparison.variables {
        0 if args.variables.is_empty() => "the traces have no variable in common".to_owned(),
        0 => format!("no variable of both is called `{}`", args.variables.join("`, `")),
        _ => "the traces have no time in common".to_owned(),
    };
    let named = |trace: &Trace| {
        let names = trace.schema().columns().iter().take(5).map(|it| format!("`{}`", it.path()));
        names.collect::<Vec<_>>().join(", ")
    };
    let diagnostic = Diagnostic::error("cli::unknown-variable", message)
        .with_note(format!("the first begins with {}", named(a)))
        .with_note(format!("the second begins with {}", named(b)));
    let help =
        "name a column of a table like the variable: `tank.level`, or `level` if that is clear";
    Err(CommandError::failed(diagnostic.help(help)))
}

/// Runs whose hashes are made of different variables are not compared; their trace files may be.
fn check_modes(args: &DiffArgs) -> Result<(), consort::Error> {
    let [a, b] = [&args.a, &args.b].map(|path| Manifest::read(path).ok().filter(|_| path.is_dir()));
    let (Some(a), Some(b)) = (a, b) else { return Ok(()) };
    let help =
        "run both with the same `--hash`, or compare the values alone: name their `trace.parquet`";
    manifest::check_modes(a.hash_mode(), b.hash_mode(), help)
}

/// Two runs of which at least one has no trace: their hashes still show whether they are the same.
fn unrecorded(args: &DiffArgs) -> Option<(Manifest, Manifest)> {
    let is_exact = args.absolute.is_none() && args.relative.is_none();
    let is_narrowed = args.reference || args.common_times || args.time_tolerance.is_some();
    let wants_all = args.variables.is_empty()
        && !is_narrowed
        && args.format.or_json(args.json) == TextFormat::Text;
    let missing = |path: &Path| path.is_dir() && !traces::file_of(path).exists();
    if !is_exact || !wants_all || !missing(&args.a) && !missing(&args.b) {
        return None;
    }
    Some((Manifest::read(&args.a).ok()?, Manifest::read(&args.b).ok()?))
}

fn compare_hashes(a: &Manifest, b: &Manifest, printer: &Printer) -> CommandResult {
    if a.trace_hash() == b.trace_hash() {
        printer.data(format!("same: trace {}\n", a.trace_hash()))?;
        return Ok(Exit::Done);
    }
    let mut lines = circumstances(a, b);
    lines.push(format!("different: trace {} and {}", a.trace_hash(), b.trace_hash()));
    let variables = hashes::differences(&a.hashes(), &b.hashes());
    lines.extend(variables.iter().map(|line| format!("  {line}")));
    printer.data(lines.join("\n") + "\n")?;
    Ok(Exit::No)
}

/// CSV says neither its resolution nor its types; the other trace may.
fn read_both(a: &Path, b: &Path) -> Result<(Trace, Trace), CommandError> {
    let is_csv = |path: &Path| traces::is_csv(&traces::file_of(path));
    if is_csv(a) {
        let second = traces::read(b, Resolution::NANOSECOND)?;
        let first = traces::read_like(a, second.schema())?;
        return Ok((traces::with_names_of(first, &second), second));
    }
    let first = traces::read(a, Resolution::NANOSECOND)?;
    let second = traces::read_like(b, first.schema())?;
    let second = if is_csv(b) { traces::with_names_of(second, &first) } else { second };
    Ok((first, second))
}

/// What else differs between two runs, the machine first.
fn circumstances(a: &Manifest, b: &Manifest) -> Vec<String> {
    let mut lines = machine::differences(a.host(), b.host());
    if a.version() != b.version() {
        lines.push(format!("consort: {}, now {}", a.version(), b.version()));
    }
    lines.extend(manifest::changed_files(&a.inputs(), &b.inputs()));
    lines.extend(differences(a.options(), b.options()));
    if a.plan_hash() != b.plan_hash() {
        lines.push("the plans differ".to_owned());
    }
    lines
}

fn manifest_beside(path: &Path) -> Result<Manifest, consort::Error> {
    match path.parent() {
        Some(folder) if path.is_file() => Manifest::read(&folder.join("manifest.json")),
        _ => Manifest::read(path),
    }
}

/// Circumstances matter only where something differs.
fn text(circumstances: &[String], comparison: &TraceComparison) -> String {
    let mut text = String::new();
    if !comparison.is_same() {
        for line in circumstances {
            text.push_str(&format!("{line}\n"));
        }
    }
    text.push_str(&format!("{comparison}\n"));
    text
}

fn to_json(circumstances: &[String], comparison: &TraceComparison) -> Value {
    let difference = |difference: &Difference| {
        json!({
            "variable": difference.variable,
            "time": difference.time,
            "tick": difference.tag.time.ticks(),
            "microstep": difference.tag.microstep,
            "first": difference.first,
            "second": difference.second,
            "distance": finite(difference.distance),
        })
    };
    let differing = comparison.differing.iter().map(|variable| {
        json!({
            "variable": variable.variable,
            "count": variable.count,
            "largest": finite(variable.largest),
            "first": difference(&variable.first),
        })
    });
    json!({
        "same": comparison.is_same(),
        "rows": comparison.rows,
        "variables": comparison.variables,
        "circumstances": circumstances,
        "first_difference": comparison.first().map(difference),
        "differing": differing.collect::<Vec<_>>(),
        "only_in_first": lone(comparison, 0),
        "only_in_second": lone(comparison, 1),
    })
}

fn lone(comparison: &TraceComparison, side: usize) -> Value {
    json!({
        "rows": comparison.lone_rows[side].count,
        "columns": comparison.lone_columns[side],
    })
}

/// JSON has no infinity.
fn finite(distance: f64) -> Option<f64> {
    distance.is_finite().then_some(distance)
}
