//! The grammar of the command line: verbs, options, and their help.

use clap::{Args, Parser, Subcommand, ValueEnum};
use consort::PictureFormat;
use consort::reference::TextForm;
use consort_core::Provider;
use std::path::PathBuf;
use std::time::Duration;

mod check;
mod experiment;
mod explore;
mod export;
mod node;
mod repeat;
mod run;
mod state_check;
mod values;

pub(crate) use check::{
    CheckArgs, CheckPlanArgs, CheckPropertyArgs, CheckScenarioArgs, CheckSubject,
};
pub(crate) use experiment::{ExperimentArgs, FormArgs, placed_number, placed_time};
pub(crate) use explore::{CampaignWorkerArgs, ExploreArgs};
pub(crate) use export::{ExportArgs, ExportSubject, ExportSystemArgs, FmiChoice, FmuArgs};
pub(crate) use node::{NodeArgs, NodeQuestion, NodeSecretArgs, NodeStatusArgs, TlsArgs};
pub(crate) use repeat::{LinkChoice, RepeatArgs};
pub(crate) use run::RunArgs;
pub(crate) use state_check::StateCheckArgs;
pub(crate) use values::WorkerList;

/// Run coupled models as one repeatable simulation
///
/// Consort takes FMUs, models written as equations or in SBML, and native blocks, wires them
/// together as a readable file says, runs them and records what happened. The same system gives the
/// same trace, bit for bit, however many workers compute it.
#[derive(Parser, Debug)]
#[command(
    name = "consort",
    version,
    max_term_width = 79,
    arg_required_else_help = true,
    subcommand_required = true,
    after_help = "See `consort help COMMAND` for the options and examples of a command.",
    after_long_help = include_str!("cli/consort.txt")
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// Options of every verb.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// Say nothing but errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more: uncut pages, FMU logs, how to repeat a run
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Use colors; NO_COLOR is respected
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true
    )]
    pub(crate) color: When,
    /// Show progress on a terminal, never, or as JSON lines
    #[arg(
        long,
        global = true,
        value_name = "HOW",
        default_value = "auto",
        hide_default_value = true
    )]
    pub(crate) progress: ProgressMode,
    /// Where FMUs are cached [default: ~/.cache/consort]
    ///
    /// Unpacked and compiled FMUs are kept there, by the hash of what they were made from.
    /// CONSORT_CACHE in the environment says the same.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) cache_dir: Option<PathBuf>,
    /// Save states by these only: native, image, fork, replay
    ///
    /// Where states of models are saved, the best that was found to be faithful is taken.
    #[arg(long, global = true, value_name = "LIST", value_delimiter = ',',
        value_parser = values::provider)]
    pub(crate) providers: Vec<Provider>,
    /// How long it may take to find out how faithfully a provider saves
    ///
    /// In seconds, for each model and provider; by default a minute, or as long as 50 runs of the model
    /// (250 for replay) if that is longer. What could not be found out in time is an error, and what is
    /// known from before takes no time.
    #[arg(long, global = true, value_name = "SECONDS", value_parser = values::call_limit)]
    pub(crate) budget: Option<Duration>,
    /// How long a call of an isolated model may take [default: 60]
    ///
    /// Its process is ended then, and so is the run.
    #[arg(long, global = true, value_name = "SECONDS", value_parser = values::call_limit)]
    pub(crate) call_limit: Option<Duration>,
}

/// When colors are used.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum When {
    /// If messages go to a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How progress is shown.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProgressMode {
    /// If messages go to a terminal
    Auto,
    /// Not at all
    None,
    /// One JSON object per line, for programs
    Json,
}

/// What is to be done.
#[derive(Subcommand, Debug)]
pub(crate) enum Verb {
    /// Show what a model or a system is
    #[command(after_long_help = include_str!("cli/inspect.txt"))]
    Inspect(InspectArgs),
    /// Show in which order a system is computed, and why
    #[command(after_long_help = include_str!("cli/plan.txt"))]
    Plan(PlanArgs),
    /// Run a system or a model and record what happens
    #[command(after_long_help = include_str!("cli/run.txt"))]
    Run(Box<RunArgs>),
    /// Run a recorded run again and compare
    #[command(after_long_help = include_str!("cli/replay.txt"))]
    Replay(ReplayArgs),
    /// Make a record of what a run left that was killed
    #[command(after_long_help = include_str!("cli/recover.txt"))]
    Recover(RecoverArgs),
    /// Compare two traces
    #[command(after_long_help = include_str!("cli/diff.txt"))]
    Diff(DiffArgs),
    /// Run a system many times and compare
    #[command(after_long_help = include_str!("cli/repeat.txt"))]
    Repeat(Box<RepeatArgs>),
    /// Draw recorded variables
    #[command(after_long_help = include_str!("cli/plot.txt"))]
    Plot(PlotArgs),
    /// Judge a plan, a scenario, or a recorded run
    #[command(after_long_help = include_str!("cli/check.txt"))]
    Check(CheckArgs),
    /// Write a system in another form, or a model as an FMU
    #[command(after_long_help = include_str!("cli/export.txt"))]
    Export(ExportArgs),
    /// Find out how faithfully the states of models can be saved
    #[command(after_long_help = include_str!("cli/state-check.txt"))]
    StateCheck(Box<StateCheckArgs>),
    /// Explore the scenarios of a system and report what is violated
    #[command(after_long_help = include_str!("cli/explore.txt"))]
    Explore(Box<ExploreArgs>),
    /// Compute a part of a distributed run, or ask how it goes
    #[command(after_long_help = include_str!("cli/node.txt"))]
    Node(Box<NodeArgs>),
    /// Say what the code of an error means and what to do about it
    #[command(after_long_help = include_str!("cli/explain.txt"))]
    Explain(ExplainArgs),
    /// Print every key of the files that you write, or a JSON schema for editors
    #[command(after_long_help = include_str!("cli/reference.txt"))]
    Reference(ReferenceArgs),
    /// Print or write manual pages
    #[command(after_long_help = include_str!("cli/man.txt"))]
    Man(ManArgs),
    /// Work for `explore`
    #[command(hide = true)]
    CampaignWorker(CampaignWorkerArgs),
    /// Print completions for a shell
    #[command(after_long_help = include_str!("cli/completions.txt"))]
    Completions(CompletionsArgs),
    /// Serve one model to the process that started this one
    #[command(hide = true)]
    Host,
}

/// Options of `inspect`.
#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    /// An FMU, an FMU's folder, equations (`.eq`), SBML (`.sbml`, `.xml`), `native:NAME`, or a system
    pub(crate) subject: String,
    /// How it is shown
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_default_value = true)]
    pub(crate) format: TextFormat,
    /// The Python library for FMUs written in Python
    #[arg(long, value_name = "PATH")]
    pub(crate) python_library: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) form: FormArgs,
}

/// How an answer is written.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TextFormat {
    /// For a person
    Text,
    /// For a program
    Json,
}

impl TextFormat {
    /// The format with `--json`.
    pub(crate) fn or_json(self, json: bool) -> Self {
        if json { TextFormat::Json } else { self }
    }
}

impl Verb {
    /// Whether the command answers yes or no about something else than whether a description is valid: then the exit
    /// code of "no" does not say that the question could not be asked.
    pub(crate) fn is_question(&self) -> bool {
        matches!(
            self,
            Verb::Check(_)
                | Verb::Diff(_)
                | Verb::Explore(_)
                | Verb::Plot(_)
                | Verb::Repeat(_)
                | Verb::Replay(_)
                | Verb::StateCheck(_)
        )
    }

    /// The command, if it is to answer in JSON.
    pub(crate) fn json_command(&self) -> Option<&'static str> {
        let is_json = |json: bool, format: TextFormat| format.or_json(json) == TextFormat::Json;
        let (command, json) = match self {
            Verb::Run(args) => ("run", args.json),
            Verb::Diff(args) => ("diff", is_json(args.json, args.format)),
            Verb::Plan(args) => ("plan", args.json || args.format == PlanFormat::Json),
            Verb::StateCheck(args) => ("state-check", is_json(args.json, args.format)),
            Verb::Check(args) => match &args.subject {
                CheckSubject::Plan(args) => ("check plan", args.json),
                CheckSubject::Scenario(args) => ("check scenario", args.json),
                CheckSubject::Property(args) => ("check property", is_json(args.json, args.format)),
            },
            _ => return None,
        };
        json.then_some(command)
    }
}

/// Options of `plan`.
#[derive(Args, Debug)]
pub(crate) struct PlanArgs {
    /// A `system.toml`, SSP or multi-model, a folder with one, a model, or a scenario (`.conf`)
    pub(crate) system: PathBuf,
    /// How it is shown
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_default_value = true)]
    pub(crate) format: PlanFormat,
    /// Answer with one JSON object on standard output, also about what went wrong
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) experiment: ExperimentArgs,
}

/// How a plan is shown.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PlanFormat {
    /// For a person: order, loops, delays, federation, warnings, program
    Text,
    /// The program alone, as `consort check plan` reads it
    Program,
    /// For a program: all of it
    Json,
    /// The graph for Graphviz
    Dot,
    /// The graph as a drawing
    Svg,
}

/// Options of `replay`.
#[derive(Args, Debug)]
pub(crate) struct ReplayArgs {
    /// A run's folder, its `manifest.json`, or a counter-example of `explore`
    pub(crate) run: PathBuf,
    /// Record the second run here [default: nothing is written]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// How many workers compute [default: as recorded]
    #[arg(long, value_name = "N", value_parser = values::worker_count)]
    pub(crate) workers: Option<usize>,
}

/// Options of `recover`.
#[derive(Args, Debug)]
pub(crate) struct RecoverArgs {
    /// The folder of a run that was killed
    pub(crate) run: PathBuf,
}

/// Options of `diff`.
#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    /// A run's folder, or a trace (`.parquet`, `.csv`)
    pub(crate) a: PathBuf,
    /// The other one
    pub(crate) b: PathBuf,
    /// Allow differences up to this
    #[arg(long, value_name = "NUMBER", value_parser = values::tolerance)]
    pub(crate) absolute: Option<f64>,
    /// Allow differences up to this part of the greater value
    #[arg(long, value_name = "NUMBER", value_parser = values::tolerance)]
    pub(crate) relative: Option<f64>,
    /// Compare only these: `tank.*`, `*.level`
    #[arg(long, value_name = "PATTERN", num_args = 1.., value_delimiter = ',')]
    pub(crate) variables: Vec<String>,
    /// Take B as a reference: only its variables count, at its times
    ///
    /// Between two rows of A its floats are taken to lie on a line, everything else holds. Rows of B outside
    /// the time of A are differences.
    #[arg(long)]
    pub(crate) reference: bool,
    /// Compare only the times that both have
    #[arg(long)]
    pub(crate) common_times: bool,
    /// Allow values of A to be as early or late as this: B becomes a tube
    ///
    /// A value of A is right if it lies between the least and the greatest value of B so many seconds around
    /// it, give or take --absolute and --relative.
    #[arg(long, value_name = "SECONDS", value_parser = values::tolerance)]
    pub(crate) time_tolerance: Option<f64>,
    /// How the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_default_value = true)]
    pub(crate) format: TextFormat,
    /// Answer with one JSON object on standard output, also about what went wrong
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

/// Options of `plot`.
#[derive(Args, Debug)]
pub(crate) struct PlotArgs {
    /// A run's folder, or a trace (`.parquet`, `.csv`)
    pub(crate) run: PathBuf,
    /// More runs to draw over it, then what to draw: `tank.level`, `tank.*` [default: as the system says, else all]
    #[arg(value_name = "RUN|VARIABLE")]
    pub(crate) more: Vec<String>,
    /// Draw these variables; all that stands before it are runs
    #[arg(long, value_name = "VARIABLE", num_args = 1..)]
    pub(crate) var: Vec<String>,
    /// Draw over this variable instead of time
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) x: Option<String>,
    /// Draw what was recorded from this time on
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub(crate) from: Option<String>,
    /// Draw what was recorded until this time
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub(crate) to: Option<String>,
    /// What to make of it, several with commas [default: svg]
    #[arg(long, value_name = "FORMAT", value_delimiter = ',', value_parser = values::picture_format())]
    pub(crate) format: Vec<PictureFormat>,
    /// Where the picture goes; `-` is standard output [default: DIR/plot.FORMAT]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Options of `explain`.
#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// What stands in brackets behind `error`: `cli::bad-time`, or `bad-time`
    #[arg(value_name = "CODE", required_unless_present = "list")]
    pub(crate) code: Option<String>,
    /// Print all codes, one per line
    #[arg(long, conflicts_with = "code")]
    pub(crate) list: bool,
}

/// Options of `reference`.
#[derive(Args, Debug)]
pub(crate) struct ReferenceArgs {
    /// Which kind of file
    #[arg(value_name = "FILE", value_parser = values::choice(&TextForm::ALL))]
    pub(crate) form: TextForm,
    /// Print the JSON schema instead of the page
    #[arg(long)]
    pub(crate) schema: bool,
}

/// Options of `man`.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// The command whose page is printed, such as `run` or `export fmu` [default: consort]
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    pub(crate) command: Vec<String>,
    /// Write the pages of all commands into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// Options of `completions`.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// Which shell
    pub(crate) shell: clap_complete::Shell,
}
