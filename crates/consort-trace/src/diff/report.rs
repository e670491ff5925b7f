//! A comparison as text.

use super::{Difference, LoneRows, TraceComparison, VariableDifference};
use consort_core::{Resolution, Tag};
use std::fmt;

/// How many variables and columns are named before the rest is only counted.
const NAMED_MAX: usize = 10;

impl fmt::Display for TraceComparison {
    /// The first difference first, then what differs how often, then what only one side has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_same() {
            let [s, rows] =
                [self.variables, self.rows].map(|count| if count == 1 { "" } else { "s" });
            return write!(f, "same: {} variable{s} in {} row{rows}", self.variables, self.rows);
        }
        write!(f, "different")?;
        if let Some(first) = self.first() {
            write!(f, ": first {}", Placed(first, self.resolutions[0]))?;
        }
        for variable in self.differing.iter().take(NAMED_MAX) {
            write!(f, "\n  {}", Counted(variable, self.rows))?;
        }
        if NAMED_MAX < self.differing.len() {
            write!(f, "\n  and {} more variables", self.differing.len() - NAMED_MAX)?;
        }
        for (side, name) in ["first", "second"].into_iter().enumerate() {
            write_lone_rows(f, name, &self.lone_rows[side], self.resolutions[side])?;
            write_lone_columns(f, name, &self.lone_columns[side])?;
        }
        Ok(())
    }
}

struct Placed<'a>(&'a Difference, Resolution);

impl fmt::Display for Placed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { tag, variable, first, second, .. } = self.0;
        write!(f, "at {} in `{variable}`: {first} and {second}", When(*tag, self.1))
    }
}

struct Counted<'a>(&'a VariableDifference, u64);

impl fmt::Display for Counted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let VariableDifference { variable, count, largest, .. } = self.0;
        write!(f, "`{variable}`: {count} of {} values differ", self.1)?;
        if largest.is_finite() { write!(f, ", by at most {largest:?}") } else { Ok(()) }
    }
}

/// A tag as a person reads it: seconds, and the microstep where there is one.
struct When(Tag, Resolution);

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} s", self.1.to_f64(self.0.time))?;
        match self.0.microstep {
            0 => Ok(()),
            microstep => write!(f, " (microstep {microstep})"),
        }
    }
}

fn write_lone_rows(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    rows: &LoneRows,
    resolution: Resolution,
) -> fmt::Result {
    let Some(first) = rows.first else { return Ok(()) };
    let when = When(first, resolution);
    write!(f, "\n  only in the {name}: {} rows, the first at {when}", rows.count)
}

fn write_lone_columns(f: &mut fmt::Formatter<'_>, name: &str, columns: &[String]) -> fmt::Result {
    if columns.is_empty() {
        return Ok(());
    }
    let named: Vec<String> =
        columns.iter().take(NAMED_MAX).map(|column| format!("`{column}`")).collect();
    write!(f, "\n  only in the {name}: {}", named.join(", "))?;
    match columns.len().saturating_sub(NAMED_MAX) {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}
