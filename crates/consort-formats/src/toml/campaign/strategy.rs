//! `[strategy]`.

use super::{limits, parts};
use crate::toml::keys::STRATEGY;
use consort_core::{Diagnostic, Span};
use consort_system::Spanned;
use consort_system::campaign::{StatisticalTest, StrategyKind, StrategySettings};
use consort_toml::{Entry, TomlReader};

/// Which kinds have a setting; the others mean something for all.
const ONLY: &[(&str, &[StrategyKind])] = &[
    ("snapshots", &[StrategyKind::Exhaustive, StrategyKind::Shortest, StrategyKind::Random]),
    ("stop-at-first", &[StrategyKind::Exhaustive, StrategyKind::Random, StrategyKind::MonteCarlo]),
    ("epsilon", &[StrategyKind::MonteCarlo]),
    ("delta", &[StrategyKind::MonteCarlo]),
    ("p0", &[StrategyKind::MonteCarlo]),
    ("p1", &[StrategyKind::MonteCarlo]),
    ("alpha", &[StrategyKind::MonteCarlo]),
    ("beta", &[StrategyKind::MonteCarlo]),
    ("width", &[StrategyKind::Beam]),
];

/// The numbers of a statistical test, as far as they were given.
#[derive(Default)]
struct Numbers {
    epsilon: Option<Spanned<f64>>,
    delta: Option<Spanned<f64>>,
    p0: Option<Spanned<f64>>,
    p1: Option<Spanned<f64>>,
    alpha: Option<Spanned<f64>>,
    beta: Option<Spanned<f64>>,
}

/// How scenarios are chosen.
pub(super) fn read(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Option<StrategySettings> {
    let table = parts::table(reader, entry)?;
    let settings = reader.settings(table, "a strategy", &STRATEGY);
    let entries = &settings.entries;
    let Some(kind) = entries.iter().find(|entry| entry.key == "kind") else {
        reader.loss(
            Diagnostic::error("campaign::missing-key", "the strategy has no `kind`")
                .at(entry.key_span, "no `kind` in here")
                .help("add `kind = \"exhaustive\"`"),
        );
        return None;
    };
    let mut strategy = StrategySettings::new(reader.spanned_choice(kind, &StrategyKind::ALL)?);
    let mut numbers = Numbers::default();
    for entry in entries {
        read_entry(reader, entry, &mut strategy, &mut numbers);
        check_use(reader, entry, strategy.kind.value);
    }
    strategy.test = test(reader, &numbers, entry.key_span);
    Some(strategy)
}

fn read_entry(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'_, '_>,
    strategy: &mut StrategySettings,
    numbers: &mut Numbers,
) {
    match entry.key {
        "kind" => {}
        "stop-at-first" => strategy.stops_at_first = reader.boolean(entry).unwrap_or(false),
        "snapshots" => strategy.snapshots = limits::positive_count(reader, entry, "6"),
        "block" => strategy.block = limits::positive_count(reader, entry, "1000"),
        "epsilon" => numbers.epsilon = probability(reader, entry, "0.01"),
        "delta" => numbers.delta = probability(reader, entry, "0.05"),
        "p0" => numbers.p0 = probability(reader, entry, "0.01"),
        "p1" => numbers.p1 = probability(reader, entry, "0.02"),
        "alpha" => numbers.alpha = probability(reader, entry, "0.05"),
        "beta" => numbers.beta = probability(reader, entry, "0.05"),
        "width" => strategy.width = limits::positive_count(reader, entry, "20"),
        _ => entry.is_not_read(),
    }
}

/// A setting of another strategy would silently do nothing.
fn check_use(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>, kind: StrategyKind) {
    let Some((key, kinds)) = ONLY.iter().find(|(key, _)| *key == entry.key) else { return };
    if kinds.contains(&kind) {
        return;
    }
    let names: Vec<String> = kinds.iter().map(|kind| format!("\"{}\"", kind.name())).collect();
    let message = format!("a strategy of kind \"{}\" has no `{key}`", kind.name());
    reader.error(
        Diagnostic::error("campaign::unused-setting", message)
            .at(entry.key_span, "this would do nothing")
            .help(format!("remove it, or choose the kind {}", names.join(" or "))),
    );
}

/// Strictly between 0 and 1.
fn probability(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'_, '_>,
    example: &str,
) -> Option<Spanned<f64>> {
    let number = reader.number(entry, example)?;
    if 0.0 < number.value && number.value < 1.0 {
        return Some(number);
    }
    let message = format!("`{}` is {}", entry.key, number.value);
    reader.error(
        Diagnostic::error("campaign::not-a-probability", message)
            .maybe_at(number.span, "must lie between 0 and 1, both excluded")
            .help(format!("such as `{} = {example}`", entry.key)),
    );
    None
}

fn test(reader: &mut TomlReader<'_>, numbers: &Numbers, place: Span) -> StatisticalTest {
    let value = |number: &Option<Spanned<f64>>| number.as_ref().map_or(0.05, |it| it.value);
    let estimate = [&numbers.epsilon, &numbers.delta].iter().any(|number| number.is_some());
    let sequential =
        [&numbers.p0, &numbers.p1, &numbers.alpha, &numbers.beta].iter().any(|it| it.is_some());
    if !sequential {
        return StatisticalTest::Estimate {
            epsilon: value(&numbers.epsilon),
            delta: value(&numbers.delta),
        };
    }
    let (Some(p0), Some(p1), false) = (&numbers.p0, &numbers.p1, estimate) else {
        let message = "it is not clear which statistical test is meant";
        reader.error(
            Diagnostic::error("campaign::unclear-test", message)
                .at(place, "in here")
                .help("give `epsilon` and `delta`, or `p0` and `p1` with `alpha` and `beta`"),
        );
        return StatisticalTest::default();
    };
    if p1.value <= p0.value {
        let message = format!("`p1` is {}, which is not more than `p0`", p1.value);
        reader.error(
            Diagnostic::error("campaign::unclear-test", message)
                .maybe_at(p1.span, "must be more than `p0`")
                .help("`p0` is acceptable, `p1` is not; between them either answer is right"),
        );
    }
    let (alpha, beta) = (value(&numbers.alpha), value(&numbers.beta));
    if 1.0 <= alpha + beta {
        let message = format!("`alpha` and `beta` add up to {}", alpha + beta);
        let span = numbers.beta.as_ref().or(numbers.alpha.as_ref()).and_then(|it| it.span);
        reader.error(
            Diagnostic::error("campaign::unclear-test", message)
                .maybe_at(span, "together they must be less than 1")
                .help("they are the chances of a wrong answer: take small ones, such as `0.05`"),
        );
    }
    StatisticalTest::Sequential { p0: p0.value, p1: p1.value, alpha, beta }
}
