//! Options and forms of `export`.

use super::ExperimentArgs;
use clap::{Args, Subcommand, ValueEnum};
use std::path::{Path, PathBuf};

/// Options of `export`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ExportArgs {
    #[command(subcommand)]
    pub(crate) subject: Option<ExportSubject>,
    #[command(flatten)]
    pub(crate) system: ExportSystemArgs,
}

/// What is made, if not another form of a system.
#[derive(Subcommand, Debug)]
pub(crate) enum ExportSubject {
    /// Make an FMU of a model
    #[command(after_long_help = include_str!("export_fmu.txt"))]
    Fmu(Box<FmuArgs>),
}

/// Options of `export SYSTEM OUT`.
#[derive(Args, Debug)]
pub(crate) struct ExportSystemArgs {
    /// A `system.toml`, SSP or multi-model, a folder with one, or a model
    #[arg(required = true)]
    system: Option<PathBuf>,
    /// What is written: `.toml`, `.json`, `.ssp`, or a folder for an SSP that is not packed
    #[arg(required = true)]
    out: Option<PathBuf>,
    /// Replace files that are there
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) experiment: ExperimentArgs,
}

impl ExportSystemArgs {
    /// The system, and what is written.
    ///
    /// # Panics
    /// If a subcommand was given instead.
    pub(crate) fn paths(&self) -> (&Path, &Path) {
        let paths = self.system.as_deref().zip(self.out.as_deref());
        paths.expect("both are required where there is no subcommand")
    }
}

/// Options of `export fmu`.
#[derive(Args, Debug)]
pub(crate) struct FmuArgs {
    /// Equations (`.eq`), SBML (`.sbml`, `.xml`), `native:NAME`, or the folder of an FMU with
    /// sources
    pub(crate) model: PathBuf,
    /// The FMU that is written [default: NAME.fmu]
    pub(crate) out: Option<PathBuf>,
    /// The version of the standard [default: 2]
    #[arg(long, value_name = "VERSION")]
    pub(crate) fmi: Option<FmiChoice>,
    /// What the model is called [default: as it says]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Give `variable` another value to start with; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// Compile nothing: only sources
    #[arg(long)]
    pub(crate) no_binary: bool,
    /// Replace a file that is there
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) experiment: FmuExperimentArgs,
}

/// The default experiment of an FMU.
#[derive(Args, Debug)]
#[command(next_help_heading = "Default experiment")]
pub(crate) struct FmuExperimentArgs {
    /// When it starts
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub(crate) start: Option<String>,
    /// When it stops
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub(crate) stop: Option<String>,
    /// Its communication step
    #[arg(long, value_name = "SECONDS")]
    pub(crate) step: Option<String>,
    /// Its relative tolerance
    #[arg(long, value_name = "NUMBER")]
    pub(crate) tolerance: Option<String>,
}

/// A version of FMI.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FmiChoice {
    /// FMI 2.0, which nearly every tool reads
    #[value(name = "2")]
    Two,
    /// FMI 3.0
    #[value(name = "3")]
    Three,
}
