//! Values of options: read from text, refused with a reason.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use consort::PictureFormat;
use consort_core::{Provider, Seconds};
use std::str::FromStr;
use std::time::Duration;

/// Worker counts: `1,2,8`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct WorkerList(pub(crate) Vec<usize>);

impl FromStr for WorkerList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.split(',')
            .map(|part| worker_count(part.trim()))
            .collect::<Result<_, _>>()
            .map(WorkerList)
    }
}

/// A form of picture, by its name.
pub(super) fn picture_format() -> impl TypedValueParser<Value = PictureFormat> {
    let value = |(format, name): (PictureFormat, &'static str)| {
        PossibleValue::new(name).help(match format {
            PictureFormat::Svg => "A drawing that scales",
            PictureFormat::Png => "An image of pixels",
            PictureFormat::Html => "A page with zoom that needs nothing else",
            PictureFormat::Text => "A sketch for the terminal, on standard output",
        })
    };
    PossibleValuesParser::new(PictureFormat::ALL.map(value))
        .map(|typed| PictureFormat::from_name(&typed).expect("only known names are accepted"))
}

/// One of some values, by its name.
pub(super) fn choice<T: Copy + Send + Sync + 'static, const N: usize>(
    all: &'static [(T, &'static str); N],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.iter().map(|(_, name)| *name)).map(|typed| {
        let found = all.iter().find(|(_, name)| *name == typed);
        found.expect("only known names are accepted").0
    })
}

/// The most workers that may be asked for: more than any machine has cores is a slip of the finger.
const WORKERS_MAX: usize = 4096;

pub(super) fn worker_count(text: &str) -> Result<usize, String> {
    let count: usize = text.parse().map_err(|_| "expected a whole number".to_owned())?;
    match count {
        1..=WORKERS_MAX => Ok(count),
        _ => Err(format!("expected 1 to {WORKERS_MAX} workers")),
    }
}

pub(super) fn real_time_factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if factor.is_finite() && 0.0 < factor => Ok(factor),
        _ => Err("expected a number greater than zero, such as 1 or 0.5".to_owned()),
    }
}

pub(super) fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(tolerance) if tolerance.is_finite() && 0.0 <= tolerance => Ok(tolerance),
        _ => Err("expected a number not less than zero, such as 1e-6".to_owned()),
    }
}

pub(super) fn probability(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(probability) if 0.0 < probability && probability < 1.0 => Ok(probability),
        _ => Err("expected a probability between 0 and 1, such as 0.05".to_owned()),
    }
}

pub(super) fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a share from 0 to 1, such as 0.05".to_owned()),
    }
}

pub(super) fn provider(text: &str) -> Result<Provider, String> {
    Provider::from_name(text).ok_or_else(|| {
        let names = Provider::ALL.map(|(_, name)| name).join(", ");
        format!("expected some of {names}")
    })
}

/// Bytes, as campaigns write them: `268435456`, `256MiB`, `256 MiB`.
pub(super) fn memory(text: &str) -> Result<u64, String> {
    let bytes = text.parse().ok().or_else(|| consort_formats::toml::campaign::bytes(text));
    bytes.ok_or_else(|| "expected bytes, such as 268435456, 256MiB or 1GiB".to_owned())
}

pub(super) fn scenario_count(text: &str) -> Result<u64, String> {
    let count = text.parse().ok().filter(|count| 0 < *count);
    count.ok_or_else(|| "expected a number of scenarios, 1 or more".to_owned())
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    call_limit(text).map(|limit| limit.as_secs_f64())
}

/// How long something may take.
pub(super) fn call_limit(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| 0.0 < *seconds);
    let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    limit.ok_or_else(|| "expected seconds, more than zero, such as 10 or 0.5".to_owned())
}

/// A length of time in seconds.
pub(super) fn length(text: &str) -> Result<Seconds, String> {
    match text.parse::<Seconds>() {
        Ok(length) if length.is_positive() => Ok(length),
        _ => Err("expected seconds, more than zero, such as 0.1 or 1/30".to_owned()),
    }
}

/// `NAME=VALUE`.
pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("expected two names and `=` between them".to_owned()),
    }
}

/// 32 hexadecimal digits.
pub(super) fn run_id(text: &str) -> Result<[u8; 16], String> {
    let digits = text.len() == 32 && text.bytes().all(|letter| letter.is_ascii_hexdigit());
    let number = digits.then(|| u128::from_str_radix(text, 16).ok()).flatten();
    number.map(u128::to_be_bytes).ok_or_else(|| "expected 32 hexadecimal digits".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_an_id_of_32_digits() {
        assert_eq!(run_id(&"0f".repeat(16)), Ok([15; 16]));
        for wrong in ["", "12", &"g0".repeat(16), &"+f".repeat(16), &"0".repeat(33)] {
            assert!(run_id(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_pair_has_two_names() {
        assert_eq!(pair("a = b"), Ok(("a".to_owned(), "b".to_owned())));
        assert_eq!(pair("a=tcp:x=1").unwrap().1, "tcp:x=1");
        for wrong in ["", "a", "=b", "a=", " = "] {
            assert!(pair(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn worker_counts_have_limits() {
        assert_eq!("1,2, 8".parse(), Ok(WorkerList(vec![1, 2, 8])));
        assert!("0".parse::<WorkerList>().is_err());
        assert!("1,,2".parse::<WorkerList>().is_err());
        assert!("5000".parse::<WorkerList>().is_err());
    }

    #[test]
    fn memory_is_written_as_in_campaigns() {
        assert_eq!(memory("1024"), Ok(1024));
        assert_eq!(memory("2KiB"), memory("2 KiB"));
        assert_eq!(memory("1GiB"), Ok(1 << 30));
        for wrong in ["", "-1", "MiB", "1 MB", "1.5 GiB", "99999999999 GiB"] {
            assert!(memory(wrong).is_err(), "{wrong}");
        }
    }
}
