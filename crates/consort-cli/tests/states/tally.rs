//! What was seen altogether.

use crate::program::{Said, World};
use consort_core::Fidelity;
use consort_testkit::amnesiac::Case;
use std::collections::BTreeMap;
use std::fmt;

/// Whether something wrong was found without being asked for.
pub(crate) struct Found {
    pub(crate) found: bool,
}

#[derive(Default)]
pub(crate) struct Tally {
    /// By truth: how many verdicts of each fidelity, worst first.
    verdicts: BTreeMap<&'static str, [u64; 4]>,
    counts: BTreeMap<String, u64>,
    /// How many were wrong, and how many of them were found by default.
    shares: BTreeMap<String, [u64; 2]>,
    /// Seconds of checks, and of a run of the same model inside.
    checks: Vec<(f64, Option<f64>)>,
    spent: BTreeMap<String, Vec<f64>>,
    notes: Vec<String>,
    pub(crate) failures: Vec<String>,
}

impl Tally {
    pub(crate) fn count_verdict(
        &mut self,
        truth: &'static str,
        fidelity: Fidelity,
        cost: (f64, Option<f64>),
    ) {
        self.verdicts.entry(truth).or_default()[fidelity as usize] += 1;
        self.checks.push(cost);
    }

    pub(crate) fn count(&mut self, what: &str) {
        *self.counts.entry(what.to_owned()).or_default() += 1;
    }

    pub(crate) fn default_share(&mut self, what: &str, Found { found }: Found) {
        let [wrong, detected] = self.shares.entry(what.to_owned()).or_default();
        *wrong += 1;
        *detected += u64::from(found);
    }

    pub(crate) fn spent(&mut self, what: &str, seconds: f64) {
        self.spent.entry(what.to_owned()).or_default().push(seconds);
    }

    pub(crate) fn note(&mut self, case: &Case, what: &str) {
        self.notes.push(format!("{case}: {what}"));
    }

    pub(crate) fn fail(&mut self, case: &Case, what: &str, more: &str) {
        self.failures.push(format!("{case}\n  {what}\n{more}"));
    }

    pub(crate) fn fail_unless(&mut self, holds: bool, world: &World<'_>, what: &str, said: &Said) {
        if said.is_panic() {
            self.fail(world.case, "a panic", &said.stderr);
        }
        if !holds {
            let asked = world.asked;
            let more = format!(
                "{asked:?}, saved at {} ms, exit {:?}\n{}",
                world.save_at, said.code, said.stderr
            );
            self.fail(world.case, what, &more);
        }
    }

    pub(crate) fn merge(mut self, other: Tally) -> Tally {
        for (truth, counts) in other.verdicts {
            let sum = self.verdicts.entry(truth).or_default();
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        for (what, count) in other.counts {
            *self.counts.entry(what).or_default() += count;
        }
        for (what, counts) in other.shares {
            let sum = self.shares.entry(what).or_default();
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        for (what, seconds) in other.spent {
            self.spent.entry(what).or_default().extend(seconds);
        }
        self.checks.extend(other.checks);
        self.notes.extend(other.notes);
        self.failures.extend(other.failures);
        self
    }

    fn write_costs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |seconds: Vec<f64>| 1000.0 * median(seconds);
        let checks = self.checks.iter().map(|(seconds, _)| *seconds).collect();
        let ratios = self.checks.iter().filter_map(|(seconds, run)| Some(seconds / (*run)?));
        writeln!(
            f,
            "medians: a check takes {:.1} ms, as long as {:.0} runs of the model in its process",
            ms(checks),
            median(ratios.collect())
        )?;
        for (what, seconds) in &self.spent {
            writeln!(f, "  {what}: {:.1} ms", ms(seconds.clone()))?;
        }
        Ok(())
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<38}{:>8}{:>20}{:>8}{:>10}",
            "truth", "none", "restore-repeatable", "exact", "portable"
        )?;
        for (truth, [none, repeatable, exact, portable]) in &self.verdicts {
            writeln!(f, "{truth:<38}{none:>8}{repeatable:>20}{exact:>8}{portable:>10}")?;
        }
        for (what, count) in &self.counts {
            writeln!(f, "{what}: {count}")?;
        }
        for (what, [wrong, found]) in &self.shares {
            let part = 100.0 * *found as f64 / *wrong as f64;
            writeln!(f, "{what}: {wrong}, of which {found} ({part:.0} %) are found by default")?;
        }
        self.write_costs(f)?;
        for note in &self.notes {
            writeln!(f, "note: {note}")?;
        }
        write!(f, "{} failures", self.failures.len())
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
