//! `[experiment]`.

use super::keys::{EXPERIMENT, RECORD_CHOICES};
use super::{coupling, solving};
use consort_core::{Diagnostic, HashMode};
use consort_system::{Experiment, Record, Spanned};
use consort_toml::{DeValue, Entry, TomlReader};

/// What the experiment says for all components that do not say it themselves.
#[derive(Clone, Copy, Default)]
pub(super) struct Defaults {
    pub(super) send_start_values: bool,
}

pub(super) fn read(
    reader: &mut TomlReader<'_>,
    entry: Option<&Entry<'_, '_>>,
) -> (Experiment, Defaults) {
    let mut experiment = Experiment::default();
    let mut defaults = Defaults::default();
    let Some(entry) = entry else { return (experiment, defaults) };
    let DeValue::Table(table) = entry.value.get_ref() else {
        reader.wrong_kind("experiment", entry.value, "a table", "write `[experiment]` before it");
        return (experiment, defaults);
    };
    for entry in &reader.settings(table, "the experiment", &EXPERIMENT).entries {
        read_entry(reader, entry, &mut experiment, &mut defaults);
    }
    (experiment, defaults)
}

fn read_entry(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'_, '_>,
    experiment: &mut Experiment,
    defaults: &mut Defaults,
) {
    match entry.key {
        "start" => {
            if let Some(start) = reader.seconds(entry) {
                experiment.start = start;
            }
        }
        "stop" => experiment.stop = reader.seconds(entry),
        "step" => experiment.step = reader.seconds(entry),
        "resolution" => experiment.resolution = reader.seconds(entry),
        "seed" => experiment.seed = seed(reader, entry).unwrap_or(0),
        "tolerance" => experiment.tolerance = solving::tolerance(reader, entry),
        "isolate" => experiment.isolate = reader.boolean(entry).unwrap_or_default(),
        "record" => experiment.record = record(reader, entry).unwrap_or(Record::Outputs),
        "hash" => experiment.hash = reader.choice(entry, &HashMode::ALL).unwrap_or_default(),
        "unhashed" => experiment.unhashed = reader.texts(entry),
        "plot" => experiment.plot = plot(reader, entry),
        "input" => experiment.input = reader.text(entry),
        "send-start-values" => {
            defaults.send_start_values = reader.boolean(entry).unwrap_or(false);
        }
        _ if solving::read_default(reader, entry, &mut experiment.solver) => {}
        _ if coupling::read_entry(reader, entry, &mut experiment.coupling) => {}
        _ => entry.is_not_read(),
    }
}

fn seed(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Option<u64> {
    let DeValue::Integer(number) = entry.value.get_ref() else {
        reader.wrong_kind("seed", entry.value, "a whole number", "such as `seed = 7`");
        return None;
    };
    let seed = consort_toml::integer(number).and_then(|value| u64::try_from(value).ok());
    if seed.is_none() {
        let message = format!("the seed {number} is not from 0 to {}", u64::MAX);
        let span = reader.span(entry.value.span());
        reader.error(
            Diagnostic::error("system::bad-seed", message)
                .at(span, "does not fit in 64 bits without a sign")
                .help("any whole number from 0 on will do, such as `seed = 7`"),
        );
    }
    seed
}

fn record(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Option<Record> {
    if let DeValue::Array(_) = entry.value.get_ref() {
        return Some(Record::These(reader.texts(entry)));
    }
    if let DeValue::String(text) = entry.value.get_ref()
        && text.contains(['.', '*'])
    {
        return Some(Record::These(reader.texts(entry)));
    }
    Some(match reader.choice(entry, &RECORD_CHOICES)? {
        0 => Record::Outputs,
        1 => Record::All,
        _ => Record::Nothing,
    })
}

/// `true` is the pattern that matches everything.
fn plot(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Vec<Spanned<String>> {
    match entry.value.get_ref() {
        DeValue::Boolean(true) => {
            vec![Spanned::new("*".to_owned(), reader.span(entry.value.span()))]
        }
        DeValue::Boolean(false) => Vec::new(),
        _ => reader.texts(entry),
    }
}
