//! The results of a program over the model's own functions.

use super::{Case, Saving};
use crate::fmus::compile;
use crate::liar::Interface;
use crate::{cache, process};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many trials of one sort differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// The number of trials.
    pub trials: u32,
    /// How many differ as soon as a check looks: within a period, those by bytes within four.
    pub soon: u32,
    /// How many differ later, up to the end of the run.
    pub later: u32,
}

impl Found {
    /// Whether at least this part of the trials differs as soon as a check looks.
    fn shows(&self, part: f64) -> bool {
        part * f64::from(self.trials) <= f64::from(self.soon) && 0 < self.soon
    }

    fn is_never(&self) -> bool {
        self.soon + self.later == 0
    }
}

/// The truth about the states of a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Truth {
    /// One restore, compared with a run that is never saved.
    pub once: Found,
    /// Several restores one after another; the first difference counts.
    pub often: Found,
    /// One restore, compared with a run that restores right after every save.
    pub repeated: Found,
    /// Bytes in a process that never saw the instance.
    pub fresh: Found,
    saving: Saving,
}

/// A part of single restores, and of series of up to eight: what shows so often is seen in a hundred trials.
const OFTEN_ONCE: f64 = 0.15;
const OFTEN_IN_SERIES: f64 = 0.6;
const OFTEN_FRESH: f64 = 0.4;

impl Truth {
    /// Whether states behave differently, often enough for any check to see it: none is exact.
    pub fn is_inexact(&self) -> bool {
        self.once.shows(OFTEN_ONCE) || self.often.shows(OFTEN_IN_SERIES)
    }

    /// Whether they also behave differently each time: none is restore-repeatable.
    pub fn is_unrepeatable(&self) -> bool {
        self.is_inexact() && self.repeated.shows(OFTEN_ONCE)
    }

    /// Whether bytes behave differently in another process: none is portable.
    pub fn is_unportable(&self) -> bool {
        self.saving < Saving::Bytes || self.fresh.shows(OFTEN_FRESH)
    }

    /// Whether nothing was ever seen to differ.
    pub fn is_complete(&self) -> bool {
        self.once.is_never() && self.often.is_never() && self.fresh.is_never()
    }

    /// A short name.
    pub fn name(&self) -> &'static str {
        match () {
            () if self.saving == Saving::Nothing => "not offered",
            () if self.is_unrepeatable() => "shows, each time differently",
            () if self.is_inexact() => "shows",
            () if self.once.soon + self.often.soon != 0 => "shows seldom",
            () if self.once.later + self.often.later != 0 => "shows later only",
            () if self.fresh.soon != 0 => "shows in another process only",
            () if self.fresh.later != 0 => "shows later in another process only",
            () => "never shows",
        }
    }
}

pub(super) fn ask(case: &Case, [steps, points]: [u32; 2], inputs: u32) -> Truth {
    let is_exchange = u32::from(case.interface == Interface::ModelExchange);
    let mut command = Command::new(program());
    command.args([is_exchange, u32::from(case.has_events())].map(|it| it.to_string()));
    command.arg((f64::from(case.step) / 1000.0).to_string());
    command.args([steps, points].map(|it| it.to_string()));
    command.arg(case.seed.wrapping_add(u64::from(inputs) << 48).to_string());
    command.args(case.parameters().iter().map(|(_, value)| value.to_string()));
    let text = String::from_utf8(process::run(&mut command).stdout).expect("it prints numbers");
    let mut found = text.lines().map(|line| {
        let mut numbers = line.split(' ').skip(1).map(|it| it.parse().expect("it prints numbers"));
        let mut next = || numbers.next().expect("it prints three numbers a line");
        Found { trials: next(), soon: next(), later: next() }
    });
    let mut next = || found.next().expect("it prints four lines");
    Truth { once: next(), often: next(), repeated: next(), fresh: next(), saving: case.saving }
}

/// The path of the program, which is compiled once.
fn program() -> PathBuf {
    let fmus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fmus");
    let sources = ["amnesiac/model.c", "amnesiac/oracle.c"].map(|name| fmus.join(name));
    let headers = ["consort_instance.h", "consort_model.h"].map(|name| compile::glue().join(name));
    let read = |path: &PathBuf| fs::read(path).expect("it is a part of the workspace");
    let contents: Vec<Vec<u8>> = sources.iter().chain(&headers).map(read).collect();
    let key = cache::key(contents.iter().map(Vec::as_slice));
    let make = |folder: &Path| compile::program(&folder.join("oracle"), &sources);
    cache::folder("oracle", &key, make).join("oracle")
}
