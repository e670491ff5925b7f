//! Options that change a system and its experiment.

use super::{Global, values};
use clap::Args;
use consort::run::settings::option_source;
use consort::{Changes, FormOptions};
use consort_core::{Diagnostic, HashMode, Report, Seconds, SolverKind, Span, TimeMistake};
use consort_system::{Continuous, LoopChoice, OnDivergence, Order, Spanned};
use std::path::PathBuf;

/// What else belongs to a system that is not a `system.toml`.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Other forms")]
pub(crate) struct FormArgs {
    /// Take this `.ssd` of an SSP [default: SystemStructure.ssd]
    #[arg(long, value_name = "NAME")]
    pub(crate) variant: Option<String>,
    /// Add this file to a multi-model; may be repeated [default: coe.json]
    #[arg(long = "with", value_name = "FILE")]
    pub(crate) with: Vec<PathBuf>,
}

/// What may be changed of an experiment without touching its file.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Experiment")]
pub(crate) struct ExperimentArgs {
    /// Start at this time instead
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub(crate) start: Option<String>,
    /// Stop at this time instead
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub(crate) stop: Option<String>,
    /// Take this communication step instead
    #[arg(long, value_name = "SECONDS")]
    pub(crate) step: Option<String>,
    /// The root of all randomness
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Give `component.variable` a value; may be repeated
    ///
    /// For a model without a system, `variable` is enough.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// Compute in this order instead
    #[arg(long, value_name = "ORDER", value_parser = values::choice(&Order::ALL))]
    pub(crate) order: Option<Order>,
    /// How connected components that are given by their equations are integrated
    #[arg(long, value_name = "HOW", value_parser = values::choice(&Continuous::ALL))]
    pub(crate) continuous: Option<Continuous>,
    /// What becomes of algebraic loops
    #[arg(long, value_name = "POLICY", value_parser = values::choice(&LoopChoice::ALL))]
    pub(crate) loops: Option<LoopChoice>,
    /// What a value that is infinite, no number or far too great does
    #[arg(long, value_name = "WHAT", value_parser = values::choice(&OnDivergence::ALL))]
    pub(crate) on_divergence: Option<OnDivergence>,
    /// What the trace hash is made of: all outputs, or only those that are connected
    ///
    /// With `connected`, outputs that nothing is connected to are read only if they are recorded: a run with few
    /// connections and `--no-record` is faster. Runs of different modes are not compared.
    #[arg(long, value_name = "MODE", value_parser = values::choice(&HashMode::ALL))]
    pub(crate) hash: Option<HashMode>,
    /// Delay a connection by one step; may be repeated
    #[arg(long, value_name = "FROM -> TO")]
    pub(crate) delay: Vec<String>,
    /// Integrate by this solver what is given by equations
    ///
    /// Of a system, components that one of our solvers integrates and that ask for none. An FMU alone is
    /// used by Model Exchange then, also if it has its own solver. Fixed steps: euler, ab2, ab3, rk4.
    #[arg(long, value_name = "NAME", value_parser = values::choice(&SolverKind::ALL))]
    pub(crate) solver: Option<SolverKind>,
    /// The relative tolerance of solvers, also of those inside models
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) tolerance: Option<String>,
    /// How long a solver's fixed steps are, and the longest of others
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub(crate) solver_step: Option<String>,
    /// Feed unconnected inputs from this table
    ///
    /// A CSV file: `time` in seconds, then a column per input, called `component.variable`, or
    /// `variable` where only one component has it.
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// Record what matches too, such as `tank.*`; may be repeated
    ///
    /// Besides what the experiment records: locals, parameters, inputs. `*` stands for any text. For a model
    /// without a system, `variable` is enough.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) record: Vec<String>,
    /// Run every FMU in a process of its own
    ///
    /// One that crashes, leaves or hangs ends the run with an error that says so. The trace is the same.
    #[arg(long)]
    pub(crate) isolate: bool,
    /// The Python library for FMUs written in Python
    #[arg(long, value_name = "PATH")]
    pub(crate) python_library: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) form: FormArgs,
}

impl ExperimentArgs {
    /// What they change of a system; what is wrong with them goes to the report.
    pub(crate) fn changes(&self, global: &Global, report: &mut Report) -> Changes {
        let args = self.clone();
        Changes {
            start: time("start", args.start.as_deref(), report),
            stop: time("stop", args.stop.as_deref(), report),
            step: time("step", args.step.as_deref(), report),
            seed: args.seed,
            set: args.set,
            order: args.order,
            continuous: args.continuous,
            loops: args.loops,
            on_divergence: args.on_divergence,
            hash: args.hash,
            delay: args.delay,
            solver: args.solver,
            tolerance: number("tolerance", args.tolerance.as_deref(), report),
            solver_step: time("solver-step", args.solver_step.as_deref(), report),
            isolate: args.isolate,
            providers: global.providers.clone(),
            form: args.form.options(),
            input: args.input,
            record: args.record,
            python_library: args.python_library,
        }
    }
}

impl FormArgs {
    /// The same for the library.
    pub(crate) fn options(&self) -> FormOptions {
        FormOptions { variant: self.variant.clone(), with: self.with.clone() }
    }
}

/// The time that an option gives; a mistake goes to the report.
pub(crate) fn time(option: &str, value: Option<&str>, report: &mut Report) -> Option<Seconds> {
    placed_time(option, value, report).map(|time| time.value)
}

/// The same with its place in the text of the option.
pub(crate) fn placed_time(
    option: &str,
    value: Option<&str>,
    report: &mut Report,
) -> Option<Spanned<Seconds>> {
    placed(option, value, report, str::parse::<Seconds>, |error, value, span| {
        let mistake = TimeMistake::of(value);
        Diagnostic::error("cli::bad-time", error.to_string())
            .at(span, mistake.label())
            .help(mistake.help("a fraction: `1/30`"))
    })
}

/// The number that an option gives; a mistake goes to the report.
pub(crate) fn number(option: &str, value: Option<&str>, report: &mut Report) -> Option<f64> {
    placed_number(option, value, report).map(|number| number.value)
}

/// The same with its place in the text of the option.
pub(crate) fn placed_number(
    option: &str,
    value: Option<&str>,
    report: &mut Report,
) -> Option<Spanned<f64>> {
    placed(
        option,
        value,
        report,
        |value| value.trim().parse::<f64>(),
        |_, value, span| {
            Diagnostic::error("cli::bad-number", format!("`{value}` is not a number"))
                .at(span, "not a number")
                .help("such as `1e-6`")
        },
    )
}

/// What an option gives, with its place; `wrong` makes the diagnostic of a mistake.
fn placed<T, E>(
    option: &str,
    value: Option<&str>,
    report: &mut Report,
    read: impl FnOnce(&str) -> Result<T, E>,
    wrong: impl FnOnce(E, &str, Span) -> Diagnostic,
) -> Option<Spanned<T>> {
    let value = value?;
    let span = option_source(option, value, report);
    let read = read(value).map_err(|error| report.push(wrong(error, value, span)));
    Some(Spanned::new(read.ok()?, span))
}
