//! FMUs whose saved states lack something, drawn from a seed, and the truth about each.
//!
//! What the model `amnesiac` does, and what its states lack, are parameters: the FMU is compiled once for each
//! version. The numbers are those of `fmus/amnesiac/model.c`. The truth comes from a program in C over the model's own
//! functions (`fmus/amnesiac/oracle.c`), which knows nothing of how Consort checks states.
//!
//! ```
//! use consort_testkit::amnesiac::Case;
//!
//! let case = Case::new(7);
//! assert_eq!(case, Case::new(7));
//! assert!(case.honest().faults.is_empty());
//! ```

mod draw;
mod truth;

pub use crate::variants::Saving;
pub use truth::{Found, Truth};

use crate::fmus::{self, Fmi};
use crate::liar::Interface;
use std::fmt;
use std::path::PathBuf;

/// A part of the state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "they are in the README of the model")]
pub enum Part {
    History,
    Sample,
    Next,
    Line,
    Count,
    Peak,
    Input,
    Tuned,
    States,
    Everything,
}

/// What becomes of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "they are in the README of the model")]
pub enum Kind {
    Live = 1,
    Lost,
    Static,
    Rounded,
    RoundedBySaves,
    Slot,
    Ring,
    Undo,
    Here,
    EveryNth,
    FromAfar,
    Ahead,
    Late,
    Fresh,
}

/// Something that saved states lack.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fault {
    /// The part of the state that is concerned.
    pub part: Part,
    /// The kind of the fault.
    pub kind: Kind,
    /// See the README of the model.
    pub argument: f64,
}

/// How the model moves on.
#[derive(Clone, Copy, PartialEq, Debug)]
#[expect(missing_docs, reason = "they are in the README of the model")]
pub struct Law {
    pub period: f64,
    pub delay: u32,
    pub threshold: u32,
    pub limit: f64,
    pub damping: f64,
    pub by_sample: f64,
    pub by_delay: f64,
    pub by_count: f64,
    pub by_peak: f64,
}

/// One FMU, and how it is used.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// Makes the same case again.
    pub seed: u64,
    /// The version of the standard.
    pub fmi: Fmi,
    /// The interface that is used.
    pub interface: Interface,
    /// The declared capability of saving.
    pub saving: Saving,
    /// The law of motion.
    pub law: Law,
    /// What its states lack; up to two.
    pub faults: Vec<Fault>,
    /// The step of runs and trials, in milliseconds.
    pub step: u32,
}

impl Case {
    /// The case of a seed.
    pub fn new(seed: u64) -> Self {
        draw::case(seed)
    }

    /// The same model with complete states.
    #[must_use]
    pub fn honest(&self) -> Self {
        Case { faults: Vec::new(), ..self.clone() }
    }

    /// The FMU, as a folder with a binary.
    ///
    /// # Panics
    /// If it does not compile.
    pub fn fmu(&self) -> PathBuf {
        fmus::build_amnesiac(self.fmi, self.saving)
    }

    /// Its parameters in the order of their references.
    pub fn parameters(&self) -> Vec<(&'static str, f64)> {
        let Law { period, delay, threshold, limit, damping, .. } = self.law;
        let Law { by_sample, by_delay, by_count, by_peak, .. } = self.law;
        let mut all = vec![
            ("period", period),
            ("delay", f64::from(delay)),
            ("threshold", f64::from(threshold)),
            ("limit", limit),
            ("damping", damping),
            ("by_sample", by_sample),
            ("by_delay", by_delay),
            ("by_count", by_count),
            ("by_peak", by_peak),
        ];
        let names = [
            ["first.part", "first.kind", "first.argument"],
            ["second.part", "second.kind", "second.argument"],
        ];
        for (index, names) in names.into_iter().enumerate() {
            let fault = self.faults.get(index);
            let numbers =
                fault.map(|it| [it.part as u32 as f64, it.kind as u32 as f64, it.argument]);
            all.extend(names.into_iter().zip(numbers.unwrap_or_default()));
        }
        all
    }

    /// Whether the importer handles its events.
    pub fn has_events(&self) -> bool {
        self.interface == Interface::ModelExchange || self.fmi == Fmi::V3
    }

    /// What is true of its own saving, in trials of `points` periods of `steps` steps, with inputs that follow from
    /// the seed and the number of `inputs`.
    ///
    /// # Panics
    /// If the program that knows it does not compile, or fails.
    pub fn truth(&self, [steps, points]: [u32; 2], inputs: u32) -> Truth {
        truth::ask(self, [steps, points], inputs)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { seed, fmi, interface, saving, law, step, .. } = self;
        write!(f, "seed {seed}, {fmi:?}, {}, {saving:?}, step {step} ms", interface.name())?;
        for Fault { part, kind, argument } in &self.faults {
            write!(f, "; {part:?} {kind:?}({argument})")?;
        }
        write!(f, "; {law:?}")
    }
}
