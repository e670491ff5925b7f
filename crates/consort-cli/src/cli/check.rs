//! Subjects and options of `check`.

use super::{ExperimentArgs, TextFormat};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use consort_property::Reading;
use std::path::PathBuf;

/// Options of `check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(subcommand)]
    pub(crate) subject: CheckSubject,
}

/// What is judged.
#[derive(Subcommand, Debug)]
pub(crate) enum CheckSubject {
    /// Judge a plan that was written by hand
    Plan(Box<CheckPlanArgs>),
    /// Judge the algorithm of a scenario of the Scenario-Verifier
    Scenario(CheckScenarioArgs),
    /// Judge a recorded run by a property in signal temporal logic
    #[command(after_long_help = include_str!("check_property.txt"))]
    Property(CheckPropertyArgs),
}

/// Options of `check plan`.
#[derive(Args, Debug)]
pub(crate) struct CheckPlanArgs {
    /// A `system.toml`, SSP or multi-model, a folder with one, or a model
    pub(crate) system: PathBuf,
    /// The plan, as `consort plan --format program` prints it
    pub(crate) plan: PathBuf,
    /// Answer with one JSON object on standard output, also about what went wrong
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) experiment: ExperimentArgs,
}

/// Options of `check scenario`.
#[derive(Args, Debug)]
pub(crate) struct CheckScenarioArgs {
    /// The scenario, in HOCON
    pub(crate) scenario: PathBuf,
    /// Answer with one JSON object on standard output, also about what went wrong
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `check property`.
#[derive(Args, Debug)]
pub(crate) struct CheckPropertyArgs {
    /// The formula: `always[0:10] (tank.level < 2)`
    #[arg(value_name = "FORMULA")]
    pub(crate) formula: String,
    /// A run's folder, or a trace (`.parquet`, `.csv`)
    pub(crate) run: PathBuf,
    /// What the values between recorded times are
    #[arg(long, value_name = "READING", default_value = "sampled", value_parser = PossibleValuesParser::new(Reading::ALL.map(|(_, name)| name)))]
    pub(crate) reading: String,
    /// Measure the margins of a signal in this unit; may be repeated
    #[arg(long = "scale", value_name = "NAME=NUMBER")]
    pub(crate) scales: Vec<String>,
    /// How the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_default_value = true)]
    pub(crate) format: TextFormat,
    /// Answer with one JSON object on standard output, also about what went wrong
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}
