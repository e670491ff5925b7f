//! Options of `state-check`.

use super::{TextFormat, values};
use clap::Args;
use clap::builder::PossibleValuesParser;
use consort_core::{Interface, Seconds};
use std::path::PathBuf;

/// Options of `state-check`.
#[derive(Args, Debug)]
pub(crate) struct StateCheckArgs {
    /// FMUs, folders of FMUs, equations (`.eq`), SBML (`.sbml`, `.xml`), `native:NAME`
    #[arg(value_name = "MODEL", required_unless_present = "corpus")]
    pub(crate) models: Vec<String>,
    /// Check every model below this folder and sum up
    #[arg(long, value_name = "DIR", conflicts_with = "models")]
    pub(crate) corpus: Option<PathBuf>,
    /// Write the paper's figures and `state-check.json` here
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// How the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_default_value = true)]
    pub(crate) format: TextFormat,
    /// Answer with one JSON object on standard output, also about what went wrong
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Find differences that are more probable than this
    #[arg(long, value_name = "P", default_value_t = 0.025, value_parser = values::probability)]
    pub(crate) epsilon: f64,
    /// Miss them with at most this probability
    #[arg(long, value_name = "P", default_value_t = 0.08, value_parser = values::probability)]
    pub(crate) delta: f64,
    /// Restore so often, instead of ln(delta) / ln(1 - epsilon) times
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) trials: Option<u32>,
    /// Move on by this after a restore [default: 1 % of the horizon]
    #[arg(long, value_name = "SECONDS", value_parser = values::length)]
    pub(crate) tau: Option<Seconds>,
    /// Move on by at most this before a restore [default: the horizon]
    #[arg(long, value_name = "SECONDS", value_parser = values::length)]
    pub(crate) bound: Option<Seconds>,
    /// The horizon [default: the model's own, else 1 s]
    #[arg(long, value_name = "SECONDS", value_parser = values::length)]
    pub(crate) horizon: Option<Seconds>,
    /// Take communication steps of this length [default: the model's own]
    #[arg(long, value_name = "SECONDS", value_parser = values::length)]
    pub(crate) step: Option<Seconds>,
    /// The root of all randomness
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Find out again what is known already
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Use FMUs by this interface [default: co-simulation, where they have it]
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(Interface::ALL.map(|(_, name)| name)))]
    pub(crate) interface: Option<String>,
    /// The Python library for FMUs written in Python
    #[arg(long, value_name = "PATH")]
    pub(crate) python_library: Option<PathBuf>,
}

impl StateCheckArgs {
    /// The interface by which FMUs are used, if one was named.
    pub(crate) fn interface(&self) -> Option<Interface> {
        Interface::from_name(self.interface.as_deref()?)
    }
}
