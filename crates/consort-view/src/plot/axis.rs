//! Axes: a range, a map to pixels, and ticks at round numbers with labels of exact decimals.
//!
//! Ticks are whole multiples of 1, 2 or 5 times a power of ten and are labeled from those whole
//! numbers, never from a rounded double; powers of ten come from the decimal reader, not from
//! `log10`, so labels are the same on every machine.

/// A range of values, the ticks in it, and what all labels have in common.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Axis {
    /// Divides values before any arithmetic, so that ranges up to the largest double work.
    scale: f64,
    low: f64,
    high: f64,
    /// From low to high.
    pub(super) ticks: Vec<Tick>,
    /// What labels leave out: `×10³`, `+ 5000`.
    pub(super) note: Option<String>,
}

/// A round number on an axis.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Tick {
    /// Where it is, 0 at the low end and 1 at the high end.
    pub(super) at: f64,
    /// The label of the tick.
    pub(super) label: String,
}

/// What a range gets beyond its data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Margin {
    /// No margin: for the axis of time.
    None,
    /// A twentieth on both sides, so that curves do not touch the frame.
    Twentieth,
}

/// Least and greatest of some finite numbers.
pub(super) fn extent(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((low, high)) => Some((low.min(value), high.max(value))),
    })
}

impl Axis {
    /// An axis for values between `low` and `high`, with about `ticks_wanted` ticks.
    pub(super) fn new((low, high): (f64, f64), margin: Margin, ticks_wanted: usize) -> Axis {
        let largest = low.abs().max(high.abs());
        let exponent = if largest == 0.0 { 0 } else { decade(largest).clamp(-300, 308) };
        let scale = power_of_ten(exponent);
        let (low, high) = widened(low / scale, high / scale, margin);
        let mut step = RoundStep::near((high - low) / ticks_wanted.max(1) as f64);
        let (mut first, mut last) = step.indices(low, high);
        while last <= first {
            step = step.finer(); // one tick alone gives no scale
            (first, last) = step.indices(low, high);
        }
        let (labels, note) = labels(&step, first, last, exponent);
        let at = |index: i64| (index as f64 * step.length() - low) / (high - low);
        let ticks = (first..=last).zip(labels).map(|(index, label)| Tick { at: at(index), label });
        Axis { scale, low, high, ticks: ticks.collect(), note }
    }

    /// Where a value is: 0 at the low end, 1 at the high end.
    pub(super) fn fraction(&self, value: f64) -> f64 {
        (value / self.scale - self.low) / (self.high - self.low)
    }
}

/// A tick this share of a step outside the range is still drawn: the range's ends are rounded.
const TOLERANCE: f64 = 1e-6;

/// Ranges narrower than this share of their magnitude are noise of the last bits: drawn as flat.
const FLAT: f64 = 1e-12;

/// The range, never empty, with its margin. Values are scaled: the largest is about 1 to 10.
fn widened(low: f64, high: f64, margin: Margin) -> (f64, f64) {
    let largest = low.abs().max(high.abs());
    let span = high - low;
    if largest == 0.0 {
        return (-1.0, 1.0);
    }
    if span <= largest * FLAT {
        let middle = low + span / 2.0;
        return (middle - largest * 0.1, middle + largest * 0.1);
    }
    match margin {
        Margin::None => (low, high),
        Margin::Twentieth => (low - span * 0.05, high + span * 0.05),
    }
}

/// `digit * 10^exponent`, the digit being 1, 2 or 5.
struct RoundStep {
    digit: i64,
    exponent: i32,
}

impl RoundStep {
    /// The round step nearest to `length` by ratio.
    fn near(length: f64) -> RoundStep {
        let exponent = decade(length);
        let mantissa = length / power_of_ten(exponent);
        let (digit, exponent) = match mantissa {
            m if m <= 1.41 => (1, exponent),
            m if m <= 3.16 => (2, exponent),
            m if m <= 7.07 => (5, exponent),
            _ => (1, exponent + 1),
        };
        RoundStep { digit, exponent }
    }

    /// The next smaller round step.
    fn finer(&self) -> RoundStep {
        match self.digit {
            5 => RoundStep { digit: 2, exponent: self.exponent },
            2 => RoundStep { digit: 1, exponent: self.exponent },
            _ => RoundStep { digit: 5, exponent: self.exponent - 1 },
        }
    }

    /// The first and last multiple of the step within a range.
    fn indices(&self, low: f64, high: f64) -> (i64, i64) {
        let first = (low / self.length() - TOLERANCE).ceil() as i64;
        (first, (high / self.length() + TOLERANCE).floor() as i64)
    }

    fn length(&self) -> f64 {
        self.digit as f64 * power_of_ten(self.exponent)
    }
}

/// The exponent of a positive finite number in scientific notation.
pub(super) fn decade(value: f64) -> i32 {
    let text = format!("{value:e}");
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().expect("a power of ten is a number")
}

/// Labels longer than this many digits are written relative to the first tick.
const DIGITS_MAX: usize = 6;

/// The labels of ticks `first..=last` of an axis scaled by `10^exponent`, and what they leave out.
fn labels(step: &RoundStep, first: i64, last: i64, exponent: i32) -> (Vec<String>, Option<String>) {
    let exponent = step.exponent + exponent;
    let plain: Vec<i64> = (first..=last).map(|index| index * step.digit).collect();
    let shift = common_exponent(&plain, exponent);
    let digits = |text: &String| text.chars().filter(char::is_ascii_digit).count();
    let written = write_all(&plain, exponent - shift);
    if written.iter().map(digits).max().unwrap_or(0) <= DIGITS_MAX {
        return (written, (shift != 0).then(|| times_ten(shift)));
    }
    let base = plain[0];
    let apart: Vec<i64> = plain.iter().map(|value| value - base).collect();
    let apart_shift = common_exponent(&apart, exponent);
    let mut note = offset(base, exponent, shift);
    if apart_shift != 0 {
        note = format!("{} {note}", times_ten(apart_shift));
    }
    (write_all(&apart, exponent - apart_shift), Some(note))
}

/// `+ 101325`: what was taken off every label.
fn offset(base: i64, exponent: i32, shift: i32) -> String {
    let sign = if base < 0 { "\u{2212}" } else { "+" };
    // Up to nine digits before the point are read more easily without a power of ten.
    let shift = if (0..=6).contains(&shift) { 0 } else { shift };
    let mut magnitude = decimal(base.abs(), exponent - shift);
    if magnitude.contains('.') {
        magnitude = magnitude.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    match shift {
        0 => format!("{sign} {magnitude}"),
        _ => format!("{sign} {magnitude}{}", times_ten(shift)),
    }
}

/// The power of ten, a multiple of three, that labels leave out; 0 where they are short without.
fn common_exponent(values: &[i64], exponent: i32) -> i32 {
    let largest = values.iter().map(|value| value.abs()).max().unwrap_or(0);
    if largest == 0 {
        return 0;
    }
    let digits = i32::try_from(largest.ilog10()).expect("an i64 has few digits");
    match digits + exponent {
        -3..=4 => 0,
        decade => decade.div_euclid(3) * 3,
    }
}

fn write_all(values: &[i64], exponent: i32) -> Vec<String> {
    values.iter().map(|&value| decimal(value, exponent)).collect()
}

/// `value * 10^exponent` in plain decimals, with a true minus sign.
fn decimal(value: i64, exponent: i32) -> String {
    let sign = if value < 0 { "\u{2212}" } else { "" };
    let digits = value.unsigned_abs().to_string();
    let Ok(places) = usize::try_from(-exponent) else {
        let zeros = usize::try_from(exponent).expect("the exponent is positive here");
        return match value {
            0 => "0".to_owned(),
            _ => format!("{sign}{digits}{}", "0".repeat(zeros)),
        };
    };
    if places == 0 {
        return format!("{sign}{digits}");
    }
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    format!("{sign}{whole}.{fraction}")
}

/// `×10³`
fn times_ten(exponent: i32) -> String {
    format!("×10{}", crate::units::superscript(&exponent.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(range: (f64, f64), expected: &str) {
        let axis = Axis::new(range, Margin::None, 5);
        let labels: Vec<&str> = axis.ticks.iter().map(|tick| tick.label.as_str()).collect();
        let note = axis.note.map_or(String::new(), |note| format!(" ({note})"));
        assert_eq!(format!("{}{note}", labels.join(" ")), expected);
        assert!(axis.ticks.iter().all(|tick| -1e-5 <= tick.at && tick.at <= 1.0 + 1e-5));
    }

    #[test]
    fn ticks_are_at_round_numbers() {
        check((0.0, 10.0), "0 2 4 6 8 10");
        check((-5.0, 5.0), "−4 −2 0 2 4");
        check((0.0, 1.0), "0.0 0.2 0.4 0.6 0.8 1.0");
        check((0.013, 0.0171), "0.013 0.014 0.015 0.016 0.017");
        check((0.0, 20_000.0), "0 5000 10000 15000 20000");
    }

    #[test]
    fn large_and_small_numbers_leave_a_power_of_ten_to_the_note() {
        check((0.0, 2e5), "0 50 100 150 200 (×10³)");
        check((0.0, 3e-6), "0.0 0.5 1.0 1.5 2.0 2.5 3.0 (×10⁻⁶)");
        check((0.0, 1e300), "0.0 0.2 0.4 0.6 0.8 1.0 (×10³⁰⁰)");
        check((-1e308, 1e308), "−100 −50 0 50 100 (×10³⁰⁶)");
        check((1e-300, 5e-300), "1 2 3 4 5 (×10⁻³⁰⁰)");
        check((0.0, 5e-324), "0 1 2 3 4 (×10⁻³²⁴)");
    }

    #[test]
    fn small_changes_of_large_numbers_are_labeled_by_their_difference() {
        check((1e6, 1e6 + 0.01), "0.000 0.002 0.004 0.006 0.008 0.010 (+ 1000000)");
        check((-1e6 - 2.0, -1e6), "0.0 0.5 1.0 1.5 2.0 (− 1000002)");
    }

    #[test]
    fn a_constant_is_drawn_in_the_middle() {
        check((0.0, 0.0), "−1.0 −0.5 0.0 0.5 1.0");
        check((5.0, 5.0), "4.6 4.8 5.0 5.2 5.4");
        check((f64::MAX, f64::MAX), "170 180 190 (×10³⁰⁶)");
        check((5e-324, 5e-324), "4.6 4.8 5.0 5.2 5.4 (×10⁻³²⁴)");
        let axis = Axis::new((7.0, 7.0), Margin::Twentieth, 5);
        assert!((axis.fraction(7.0) - 0.5).abs() < 1e-12);
    }
}
