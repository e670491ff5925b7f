//! What was seen altogether.

use crate::program::{Ending, Run};
use consort_testkit::liar::{Case, Kind};
use std::collections::BTreeMap;
use std::fmt;

/// A run by Co-Simulation that ended well, to be compared with FMPy's.
pub(crate) struct Finished {
    pub(crate) case: Case,
    pub(crate) rows: String,
}

#[derive(Default)]
pub(crate) struct Tally {
    cases: u64,
    lies: u64,
    performed: u64,
    /// By where the FMU was and how the run ended.
    endings: BTreeMap<String, u64>,
    /// How often a lie of each kind was performed, in our process.
    kinds: BTreeMap<Kind, u64>,
    pub(crate) failures: Vec<String>,
    pub(crate) finished: Vec<Finished>,
}

impl Tally {
    pub(crate) fn count(&mut self, case: &Case, here: Option<&Run>, apart: &Run) {
        self.cases += 1;
        self.lies += case.lies.len() as u64;
        if let Some(here) = here {
            *self.endings.entry(format!("here: {}", name(here))).or_default() += 1;
            self.performed += here.performed.len() as u64;
            for lie in &case.lies {
                let is_performed = here
                    .performed
                    .iter()
                    .any(|performed| lie.to_string() == format!("_{performed}"));
                *self.kinds.entry(lie.kind).or_default() += u64::from(is_performed);
            }
        }
        *self.endings.entry(format!("apart: {}", name(apart))).or_default() += 1;
    }

    pub(crate) fn merge(mut self, other: Tally) -> Tally {
        self.cases += other.cases;
        self.lies += other.lies;
        self.performed += other.performed;
        for (ending, count) in other.endings {
            *self.endings.entry(ending).or_default() += count;
        }
        for (kind, count) in other.kinds {
            *self.kinds.entry(kind).or_default() += count;
        }
        self.failures.extend(other.failures);
        self.finished.extend(other.finished);
        self
    }
}

/// How a run ended, in a few words.
fn name(run: &Run) -> String {
    match run.ending {
        Ending::Exit(0) => "finished".to_owned(),
        Ending::Exit(2) if run.stderr.contains("no answer for") => "no answer, named".to_owned(),
        Ending::Exit(2) if run.stderr.contains("did not return") => "its death, named".to_owned(),
        Ending::Exit(2) => "failure, named".to_owned(),
        Ending::Exit(code) => format!("exit code {code}"),
        Ending::Signal(signal) => format!("signal {signal}"),
        Ending::Endless => "no end".to_owned(),
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { cases, lies, performed, .. } = self;
        writeln!(
            f,
            "{cases} cases with {lies} lies, {performed} of them performed in our process"
        )?;
        for (ending, count) in &self.endings {
            writeln!(f, "  {ending}: {count}")?;
        }
        for (kind, count) in &self.kinds {
            writeln!(f, "  performed {kind:?}: {count}")?;
        }
        write!(f, "{} failures", self.failures.len())
    }
}
