//! Values of options: read from text, refused with a reason.

use std::str::FromStr;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worker_counts_have_limits() {
        assert_eq!("1,2, 8".parse(), Ok(WorkerList(vec![1, 2, 8])));
        assert!("0".parse::<WorkerList>().is_err());
        assert!("1,,2".parse::<WorkerList>().is_err());
        assert!("5000".parse::<WorkerList>().is_err());
    }
}
