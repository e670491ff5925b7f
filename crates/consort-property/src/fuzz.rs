//! What the fuzz target calls.

use crate::{Property, PropertyMonitor, Reading};
use consort_core::{Report, Resolution, Tag, Time};

/// Reads the bytes before the first zero byte as a property and watches a trace made of the rest, in both
/// readings; saves and restores in the middle, and restores what the rest says.
///
/// # Panics
/// If a property is refused without a reason or accepted with one, if bounds become looser, or if a
/// restored monitor behaves differently: that is a finding.
pub fn property(data: &[u8]) {
    let (text, rest) = match data.iter().position(|byte| *byte == 0) {
        Some(end) => (&data[..end], &data[end + 1..]),
        None => (data, &data[..0]),
    };
    let mut report = Report::default();
    let property = Property::parse("fuzz", &String::from_utf8_lossy(text), &mut report);
    assert_eq!(property.is_none(), report.has_errors(), "nothing is refused without a reason");
    let Some(property) = property else { return };
    let _ = property.horizon();
    for reading in [Reading::Sampled, Reading::Dense] {
        let monitor = property.monitor(reading, Resolution::NANOSECOND, Time::ZERO);
        watch(monitor.clone(), property.signals().len(), rest);
        damaged(monitor, property.signals().len(), rest);
    }
}

/// A few rows are enough: what follows is read as bytes only.
const ROWS_MAX: usize = 64;

/// Two bytes are a row: how much later, and what all signals are.
fn rows(rest: &[u8]) -> impl Iterator<Item = (Tag, f64)> + '_ {
    let mut tag = Tag::at(Time::ZERO);
    rest.chunks_exact(2).take(ROWS_MAX).map(move |pair| {
        tag = match pair[0] % 8 {
            0 => tag.next_microstep(),
            later => {
                let later = Time::from_ticks(i64::from(later) * 100_000_000);
                Tag::at(tag.time + later)
            }
        };
        let value = if pair[1] == 255 { f64::NAN } else { f64::from(pair[1]) / 8.0 - 8.0 };
        (tag, value)
    })
}

fn watch(mut monitor: PropertyMonitor, signals: usize, rest: &[u8]) {
    let mut restored = monitor.clone();
    let mut bounds = monitor.robustness();
    for (row, (tag, value)) in rows(rest).enumerate() {
        monitor.see(tag, &vec![value; signals]);
        let now = monitor.robustness();
        assert!(bounds.low.total_cmp(&now.low).is_le(), "bounds become tighter");
        assert!(now.high.total_cmp(&bounds.high).is_le(), "bounds become tighter");
        bounds = now;
        match row {
            0 => restored.set_bytes(&monitor.to_bytes()).expect("they are its own bytes"),
            _ => restored.see(tag, &vec![value; signals]),
        }
    }
    if 1 <= rest.len() / 2 {
        assert_eq!(restored.to_bytes(), monitor.to_bytes(), "it continues as before");
    }
    monitor.finish(Time::ZERO);
}

/// Foreign bytes, and its own with some changed.
fn damaged(mut monitor: PropertyMonitor, signals: usize, rest: &[u8]) {
    let _ = monitor.set_bytes(rest);
    for (tag, value) in rows(rest).take(8) {
        monitor.see(tag, &vec![value; signals]);
    }
    let mut bytes = monitor.to_bytes();
    // The first sixteen bytes say whose they are.
    for (place, byte) in rest.iter().enumerate() {
        let place = 16 + place * 37 % bytes.len().saturating_sub(16).max(1);
        if let Some(there) = bytes.get_mut(place).filter(|_| *byte % 4 == 0) {
            *there ^= byte;
        }
    }
    if monitor.set_bytes(&bytes).is_ok() {
        for (tag, value) in rows(rest) {
            monitor.see(tag, &vec![value; signals]);
        }
        let _ = monitor.robustness();
        monitor.finish(Time::MAX);
    }
}
