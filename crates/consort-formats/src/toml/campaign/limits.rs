//! Numbers of a campaign with their limits, `[limit]` and `[tighter]`.

use super::parts;
use crate::toml::keys::{LIMIT, TIGHTER};
use consort_core::{Diagnostic, Seconds};
use consort_system::Campaign;
use consort_system::Spanned;
use consort_system::campaign::{Limit, Tighter};
use consort_toml::{DeValue, Entry, TomlReader};

/// More periods than this are no scenario tree any more.
const PERIODS_MAX: i128 = 100_000;

/// A number that is more than zero.
pub(super) fn positive(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'_, '_>,
    example: &str,
) -> Option<Spanned<f64>> {
    let number = reader.number(entry, example)?;
    if 0.0 < number.value && number.value.is_finite() {
        return Some(number);
    }
    not_positive(reader, entry, number.span.map(|_| number.value.to_string()), example);
    None
}

/// A whole number that is more than zero.
pub(super) fn positive_count(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'_, '_>,
    example: &str,
) -> Option<Spanned<u32>> {
    let count = reader.count(entry, example)?;
    if 0 < count.value {
        return Some(count);
    }
    not_positive(reader, entry, Some("0".to_owned()), example);
    None
}

fn not_positive(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'_, '_>,
    given: Option<String>,
    example: &str,
) {
    let message = format!("`{}` is {}", entry.key, given.unwrap_or_default());
    let span = reader.span(entry.value.span());
    reader.error(
        Diagnostic::error("campaign::not-positive", message)
            .at(span, "must be more than zero")
            .help(format!("such as `{} = {example}`", entry.key)),
    );
}

/// A whole number, from 0 on, of 64 bits.
pub(super) fn whole(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'_, '_>,
    example: &str,
) -> Option<Spanned<u64>> {
    reader.whole(entry, "a whole number from 0 on, of 64 bits", example)
}

/// A whole number of 64 bits that is more than zero.
fn positive_whole(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'_, '_>,
    example: &str,
) -> Option<Spanned<u64>> {
    let count = whole(reader, entry, example)?;
    if 0 < count.value {
        return Some(count);
    }
    not_positive(reader, entry, Some("0".to_owned()), example);
    None
}

/// Bytes: a whole number, or text such as `"256 MiB"`.
pub(super) fn memory(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Option<Spanned<u64>> {
    let DeValue::String(text) = entry.value.get_ref() else {
        return whole(reader, entry, "268435456");
    };
    let span = reader.span(entry.value.span());
    if let Some(bytes) = bytes(text) {
        return Some(Spanned::new(bytes, span));
    }
    reader.error(
        Diagnostic::error("campaign::not-a-size", format!("{text:?} is not a size of memory"))
            .at(span, "not understood")
            .help("write bytes, or a whole number of `KiB`, `MiB` or `GiB`: `\"256 MiB\"`"),
    );
    None
}

/// How many bytes `256 MiB` are; `None` if the text is no such size.
pub fn bytes(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.trim() {
        "B" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// `[limit]`.
pub(super) fn limit(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Limit {
    let mut limit = Limit::default();
    let Some(table) = parts::table(reader, entry) else { return limit };
    for entry in &reader.settings(table, "a limit", &LIMIT).entries {
        match entry.key {
            "scenarios" => limit.scenarios = positive_whole(reader, entry, "100000"),
            "time" => limit.time = positive(reader, entry, "3600"),
            _ => entry.is_not_read(),
        }
    }
    limit
}

/// `[tighter]`, or `tighter = false`.
pub(super) fn tighter(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Tighter {
    let mut tighter = Tighter::default();
    if let DeValue::Boolean(is_wanted) = entry.value.get_ref() {
        return Tighter { is_wanted: *is_wanted, ..tighter };
    }
    let Some(table) = parts::table(reader, entry) else { return tighter };
    for entry in &reader.settings(table, "a tighter validation", &TIGHTER).entries {
        match entry.key {
            "tolerance" => tighter.tolerance = factor(reader, entry).unwrap_or(tighter.tolerance),
            "step" => tighter.step = factor(reader, entry).unwrap_or(tighter.step),
            _ => entry.is_not_read(),
        }
    }
    tighter
}

/// More than 0, at most 1.
fn factor(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Option<f64> {
    let number = reader.number(entry, "0.5")?;
    if 0.0 < number.value && number.value <= 1.0 {
        return Some(number.value);
    }
    let message = format!("the factor `{}` is {}", entry.key, number.value);
    reader.error(
        Diagnostic::error("campaign::not-tighter", message)
            .maybe_at(number.span, "must be more than 0 and at most 1")
            .help("it multiplies what the campaign used: `0.5` is half of it"),
    );
    None
}

/// A scenario is a whole number of periods.
pub(super) fn check_times(reader: &mut TomlReader<'_>, campaign: &Campaign) {
    let (period, horizon) = (&campaign.period, &campaign.horizon);
    if period.value <= Seconds::ZERO {
        let message = format!("`period` must be greater than zero, not {} s", period.value);
        let diagnostic = Diagnostic::error("campaign::period", message);
        let diagnostic = diagnostic.maybe_at(period.span, "must be longer than zero");
        reader.error(diagnostic.help("write how many seconds a choice holds: `period = 1`"));
        return;
    }
    match periods(campaign) {
        Some(count) if 0 < count && count <= PERIODS_MAX => {}
        count => {
            let (horizon_text, period_text) = (horizon.value, period.value);
            let message = format!(
                "a horizon of {horizon_text} s is not 1 to {PERIODS_MAX} periods of {period_text} s"
            );
            let found = match count {
                Some(count) => format!("these are {count} periods"),
                None => "not a whole number of periods".to_owned(),
            };
            let diagnostic = Diagnostic::error("campaign::horizon", message);
            let diagnostic = diagnostic.maybe_at(horizon.span, found);
            reader.error(diagnostic.help("take a multiple of the period"));
        }
    }
}

/// How many periods a scenario has, if that is a whole number.
fn periods(campaign: &Campaign) -> Option<i128> {
    let (period, horizon) = (campaign.period.value, campaign.horizon.value);
    let numerator = i128::from(horizon.numerator()).checked_mul(period.denominator().into())?;
    let denominator = i128::from(horizon.denominator()).checked_mul(period.numerator().into())?;
    (numerator % denominator == 0).then(|| numerator / denominator)
}
