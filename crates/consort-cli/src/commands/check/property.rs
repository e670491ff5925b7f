//! `consort check property FORMULA RUN`: judges a recorded run.

use crate::cli::{CheckPropertyArgs, TextFormat};
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::answer as output;
use crate::output::printer::Printer;
use consort::run::files::traces;
use consort_core::{Diagnostic, Report, Resolution, Time, ValueType};
use consort_property::{Interval, Property, PropertyMonitor, Reading};
use consort_trace::Trace;
use consort_view::numbers::short;
use serde_json::{Value, json};

/// What the formula says of the run.
struct Answer {
    robustness: Interval,
    /// When the verdict was certain, if that was before the end.
    decided: Option<Time>,
    /// When the robustness was first seen: where the least margin of `always` lies.
    reached: Option<Time>,
    start: Time,
    end: Time,
}

/// Judges, and says by how much.
pub(super) fn check(args: &CheckPropertyArgs, printer: &Printer) -> CommandResult {
    let mut report = Report::default();
    let Some(mut property) = Property::parse("property", &args.formula, &mut report) else {
        return Err(CommandError::Invalid { report });
    };
    traces::verify(&args.run)?;
    let trace = traces::read(&args.run, Resolution::NANOSECOND)?;
    let signals = numbers(&trace);
    property.check_signals(signals.iter().map(|(name, ..)| name.as_str()), &mut report);
    scale(&mut property, &args.scales, &mut report);
    if report.has_errors() {
        return Err(CommandError::Invalid { report });
    }
    let reading = Reading::from_name(&args.reading).unwrap_or(Reading::Sampled);
    let Some(answer) = watch(&property, reading, &trace, &signals) else {
        let message = format!("`{}` has no rows to be judged", args.run.display());
        let diagnostic = Diagnostic::error("check::empty-trace", message);
        return Err(CommandError::failed(diagnostic.help("record at least one time")));
    };
    let exit = match answer.robustness.verdict() {
        Some(true) => Exit::Done,
        Some(false) => Exit::No,
        None => Exit::Failed,
    };
    printer.data(match args.format.or_json(args.json) {
        TextFormat::Text => text(args, &answer, &trace),
        TextFormat::Json => {
            output::answer("check property", exit, &report, to_json(args, &answer, &trace))
        }
    })?;
    say_why_open(&property, &answer, &trace, printer);
    Ok(exit)
}

/// Every recorded number: its name, column and element.
fn numbers(trace: &Trace) -> Vec<(String, usize, usize)> {
    let columns = trace.schema().columns();
    let is_number = |&(column, _): &(usize, usize)| {
        !matches!(columns[column].value_type, ValueType::String | ValueType::Binary)
    };
    let named = |(column, element): (usize, usize)| {
        (columns[column].element_name(element), column, element)
    };
    trace.schema().elements().filter(is_number).map(named).collect()
}

/// `NAME=NUMBER`, each.
fn scale(property: &mut Property, scales: &[String], report: &mut Report) {
    for text in scales {
        let parts = text.split_once('=');
        let number = parts.and_then(|(name, number)| Some((name, number.parse::<f64>().ok()?)));
        if !number.is_some_and(|(name, number)| property.set_scale(name.trim(), number)) {
            let message = format!("`{text}` is not the scale of a signal in the property");
            let help = "write it as in `--scale tank.level=2`, with a number greater than zero";
            report.push(Diagnostic::error("check::scale", message).help(help));
        }
    }
}

/// Shows the whole trace to a monitor; `None` if it has no rows.
fn watch(
    property: &Property,
    reading: Reading,
    trace: &Trace,
    signals: &[(String, usize, usize)],
) -> Option<Answer> {
    let (start, end) = (trace.tags().first()?.time, trace.tags().last()?.time);
    let mut monitor = property.monitor(reading, trace.schema().resolution(), start);
    let places = places(property, signals);
    let mut values = vec![0.0; places.len()];
    let mut history: Vec<(Time, Interval)> = vec![];
    let mut last = start;
    for (row, tag) in trace.tags().iter().enumerate() {
        for (value, (column, element)) in values.iter_mut().zip(&places) {
            let stride = trace.schema().columns()[*column].element_count();
            let place = row * stride + element;
            *value = trace.columns()[*column].view().as_f64(place).unwrap_or(f64::NAN);
        }
        monitor.see(*tag, &values);
        note(&mut history, last, &monitor);
        last = tag.time;
    }
    monitor.finish(end);
    note(&mut history, end, &monitor);
    let robustness = monitor.robustness();
    let decided = history.iter().find(|(_, bounds)| bounds.verdict().is_some());
    let value = if robustness.verdict() == Some(true) { robustness.low } else { robustness.high };
    let is_reached =
        |bounds: &Interval| [bounds.low, bounds.high].map(f64::to_bits).contains(&value.to_bits());
    let reached = history.iter().find(|(_, bounds)| is_reached(bounds));
    Some(Answer {
        robustness,
        decided: decided.map(|(time, _)| *time),
        reached: reached.filter(|_| decided.is_some() && value.is_finite()).map(|(time, _)| *time),
        start,
        end,
    })
}

/// Remembers what is certain, if that is new since the last time.
fn note(history: &mut Vec<(Time, Interval)>, time: Time, monitor: &PropertyMonitor) {
    let bounds = monitor.bounds();
    if history.last().is_none_or(|(_, last)| *last != bounds) {
        history.push((time, bounds));
    }
}

/// Where the property's signals are; each of them is known.
fn places(property: &Property, signals: &[(String, usize, usize)]) -> Vec<(usize, usize)> {
    let place = |name: &String| signals.iter().find(|(known, ..)| known == name);
    let found = property.signals().iter().filter_map(place);
    found.map(|(_, column, element)| (*column, *element)).collect()
}

fn verdict(answer: &Answer) -> &'static str {
    match answer.robustness.verdict() {
        Some(true) => "holds",
        Some(false) => "violated",
        None => "open",
    }
}

fn text(args: &CheckPropertyArgs, answer: &Answer, trace: &Trace) -> String {
    let Interval { low, high } = answer.robustness;
    let robustness = match answer.robustness.is_exact() {
        true => short(low),
        false => format!("between {} and {}", short(low), short(high)),
    };
    let seconds = |time: Time| short(trace.schema().resolution().to_f64(time));
    let mut text = format!("{}: {}\n", args.run.display(), verdict(answer));
    text.push_str(&format!("robustness {robustness}"));
    if let Some(reached) = answer.reached {
        text.push_str(&format!(", reached at {} s", seconds(reached)));
    }
    let decided = answer.decided.filter(|decided| *decided < answer.end);
    if let Some(decided) = decided {
        text.push_str(&format!("; certain from {} s on", seconds(decided)));
    }
    text.push('\n');
    text
}

/// JSON has no infinity: an infinite bound is `null`.
fn to_json(args: &CheckPropertyArgs, answer: &Answer, trace: &Trace) -> Value {
    let seconds = |time: Time| trace.schema().resolution().to_f64(time);
    let finite = |value: f64| value.is_finite().then_some(value);
    json!({
        "property": args.formula,
        "reading": args.reading,
        "verdict": verdict(answer),
        "robustness": {
            "low": finite(answer.robustness.low),
            "high": finite(answer.robustness.high),
        },
        "reached": answer.reached.map(seconds),
        "decided": answer.decided.map(seconds),
        "start": seconds(answer.start),
        "end": seconds(answer.end),
    })
}

fn say_why_open(property: &Property, answer: &Answer, trace: &Trace, printer: &Printer) {
    if answer.robustness.verdict().is_some() {
        return;
    }
    let resolution = trace.schema().resolution();
    let length = resolution.to_f64(answer.end - answer.start);
    let why = match property.horizon() {
        Some(horizon) if length < horizon.to_f64() => format!(
            "the property looks {} s ahead, the trace is {} s long: record more",
            short(horizon.to_f64()),
            short(length)
        ),
        _ => "a value it needs is not a number, or lies past the end of the trace".to_owned(),
    };
    printer.say(&format!("help: {why}"));
}
