//! Numbers as a person reads them.

/// Four significant digits, without zeros that say nothing.
pub fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}").replace("-0", "0");
    }
    let magnitude = value.abs().log10().floor();
    if !(-4.0..6.0).contains(&magnitude) {
        let text = format!("{value:.3e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", without_zeros(digits));
    }
    // Within -4..6 the magnitude is a small whole number.
    let places = (3.0 - magnitude).max(0.0) as usize;
    without_zeros(&format!("{value:.places$}")).to_owned()
}

/// `1 error`, `2 errors`.
pub fn plural(count: u64, name: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {name}{ending}")
}

fn without_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// A time a person waits: `12 ms`, `3.5 s`, `2 min 5 s`, `1 h 10 min`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match seconds {
        _ if seconds < 1e-3 => format!("{} us", short((seconds * 1e6).round())),
        _ if seconds < 1.0 => format!("{} ms", short((seconds * 1e4).round() / 10.0)),
        _ if seconds < 59.95 => format!("{} s", short((seconds * 10.0).round() / 10.0)),
        _ if whole < 3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// `sha256:1a2b3c4d…`: enough of a hash to distinguish it from another by eye.
pub fn short_hash(hash: &str) -> String {
    match hash.char_indices().nth(SHORT_HASH) {
        Some((end, _)) => format!("{}…", &hash[..end]),
        None => hash.to_owned(),
    }
}

/// `sha256:` and eight digits.
const SHORT_HASH: usize = 15;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits_that_matter() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (60.0, "60"),
            (123_456.7, "123457"),
            (1.0e6, "1e6"),
            (-1.234_56e-9, "-1.235e-9"),
            (0.000_123_46, "0.0001235"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(short(value), expected);
        }
    }

    #[test]
    fn durations_are_said_in_fitting_units() {
        for (seconds, expected) in [
            (0.000_012, "12 us"),
            (0.012_34, "12.3 ms"),
            (3.46, "3.5 s"),
            (125.2, "2 min 5 s"),
            (4200.0, "1 h 10 min"),
        ] {
            assert_eq!(duration(seconds), expected);
        }
    }

    #[test]
    fn short_hashes_are_the_beginning() {
        assert_eq!(short_hash("sha256:1a2b3c4d5e6f"), "sha256:1a2b3c4d…");
        assert_eq!(short_hash("none"), "none");
    }
}
