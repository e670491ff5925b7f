//! What can be typed: verbs, options, and the help that explains them.

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use consort_core::{Provider, Seconds, SolverKind};
use consort_system::{Continuous, LoopChoice, OnDivergence, Order};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

mod check;
mod explore;
mod export;
mod repeat;
mod spread;
mod state_check;
mod values;

pub(crate) use check::{
    CheckArgs, CheckPlanArgs, CheckPropertyArgs, CheckScenarioArgs, CheckSubject,
};
pub(crate) use explore::{CampaignChanges, CampaignWorkerArgs, ExploreArgs};
pub(crate) use export::{ExportArgs, ExportSubject, ExportSystemArgs, FmiChoice, FmuArgs};
pub(crate) use repeat::{LinkChoice, RepeatArgs};
pub(crate) use spread::{
    CAPACITY, LinkKind, NodeArgs, NodeQuestion, NodeSecretArgs, NodeStatusArgs, SpreadArgs, TlsArgs,
};
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
    after_help = "See `consort help VERB` for the options and examples of a verb.",
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

impl Global {
    /// The options that decide how models are made and saved, for a process that this one starts.
    pub(crate) fn model_arguments(&self) -> Vec<OsString> {
        let seconds = |limit: Duration| limit.as_secs_f64().to_string().into();
        let providers: Vec<&str> = self.providers.iter().map(|provider| provider.name()).collect();
        let options: [(&str, Option<OsString>); 4] = [
            ("--cache-dir", self.cache_dir.clone().map(Into::into)),
            ("--providers", (!providers.is_empty()).then(|| providers.join(",").into())),
            ("--call-limit", self.call_limit.map(seconds)),
            ("--budget", self.budget.map(seconds)),
        ];
        let given = options.into_iter().filter_map(|(name, value)| Some([name.into(), value?]));
        given.flatten().collect()
    }
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

/// How an answer is written.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TextFormat {
    /// For a person
    Text,
    /// For a program
    Json,
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
    #[arg(long, value_name = "ORDER", value_parser = PossibleValuesParser::new(Order::ALL.map(|(_, name)| name)))]
    pub(crate) order: Option<String>,
    /// How connected components that are given by their equations are integrated
    #[arg(long, value_name = "HOW", value_parser = PossibleValuesParser::new(Continuous::ALL.map(|(_, name)| name)))]
    pub(crate) continuous: Option<String>,
    /// What becomes of algebraic loops
    #[arg(long, value_name = "POLICY", value_parser = PossibleValuesParser::new(LoopChoice::ALL.map(|(_, name)| name)))]
    pub(crate) loops: Option<String>,
    /// What a value that is infinite, no number or far too great does
    #[arg(long, value_name = "WHAT", value_parser = PossibleValuesParser::new(OnDivergence::ALL.map(|(_, name)| name)))]
    pub(crate) on_divergence: Option<String>,
    /// Delay a connection by one step; may be repeated
    #[arg(long, value_name = "FROM -> TO")]
    pub(crate) delay: Vec<String>,
    /// Integrate by this solver what is given by equations
    ///
    /// Of a system, components that one of our solvers integrates and that ask for none. An FMU alone is
    /// used by Model Exchange then, also if it has its own solver. Fixed steps: euler, ab2, ab3, rk4.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(SolverKind::ALL.map(|(_, name)| name)))]
    pub(crate) solver: Option<String>,
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
    /// States will be saved: not typed, but followed from what is to be done.
    #[arg(skip)]
    pub(crate) saving: bool,
    /// They will be restored in other processes.
    #[arg(skip)]
    pub(crate) portable: bool,
    /// Save states by these only, as somebody typed `--providers`: a run is repeated with them.
    #[arg(skip)]
    pub(crate) providers: Vec<Provider>,
    /// The component whose program is behind standard input: of a node that was started by it.
    #[arg(skip)]
    pub(crate) foreign: Option<String>,
    /// The Python library for FMUs written in Python
    #[arg(long, value_name = "PATH")]
    pub(crate) python_library: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) form: FormArgs,
}

impl ExperimentArgs {
    /// Takes the providers that were typed now, if any were.
    pub(crate) fn limit_providers(&mut self, global: &Global) {
        if !global.providers.is_empty() {
            self.providers.clone_from(&global.providers);
        }
    }

    /// Whether states will be saved, for other processes too.
    pub(crate) fn save_to_files(&mut self, saves: bool) {
        (self.saving, self.portable) = (saves, saves);
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

/// Options of `run`.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunArgs {
    /// A `system.toml`, SSP or multi-model, a folder with one, or a model
    #[arg(required_unless_present = "resume")]
    pub(crate) system: Option<PathBuf>,
    /// Where the record goes [default: out/NAME]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// How many workers compute; never changes the trace [default: cores]
    #[arg(long, value_name = "N", value_parser = values::worker_count)]
    pub(crate) workers: Option<usize>,
    /// Pace the run: 1 is real time, 2 twice as fast
    #[arg(long, value_name = "FACTOR", value_parser = values::real_time_factor)]
    pub(crate) real_time: Option<f64>,
    /// Also write `trace.csv`
    #[arg(long, conflicts_with = "no_record")]
    pub(crate) csv: bool,
    /// Also write `trace.mcap`, for Foxglove and PlotJuggler
    #[arg(long, conflicts_with = "no_record")]
    pub(crate) mcap: bool,
    /// Write no trace; its hash is still made
    #[arg(long)]
    pub(crate) no_record: bool,
    /// Keep no journal: a run that is killed then leaves no trace
    #[arg(long)]
    pub(crate) no_journal: bool,
    /// Write every step of every component to `log.jsonl`
    #[arg(long)]
    pub(crate) log_calls: bool,
    /// Save the run as it is at this time; may be repeated, with a --save each
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, requires = "save")]
    pub(crate) save_at: Vec<String>,
    /// Where the saved run goes; without --save-at it is saved at its end
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Vec<PathBuf>,
    /// Save the run after each of these, over and over into one --save
    #[arg(long, value_name = "SECONDS", requires = "save", conflicts_with = "save_at",
        value_parser = values::length)]
    pub(crate) save_every: Option<Seconds>,
    /// Go on from a run that was saved; all but --stop is as it was
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) checks: VerifyArgs,
    #[command(flatten)]
    pub(crate) spread: SpreadArgs,
    #[command(flatten)]
    pub(crate) experiment: ExperimentArgs,
}

/// Whether uses of saved states are checked.
#[derive(Args, Clone, Copy, Default, Debug)]
pub(crate) struct VerifyArgs {
    /// With --resume: run it from its start as well, and compare
    #[arg(long, requires = "resume", conflicts_with_all = ["no_verify", "place", "link"])]
    pub(crate) verify: bool,
    /// Do not check saves by restored twins
    #[arg(long)]
    pub(crate) no_verify: bool,
}

impl RunArgs {
    /// What is run.
    ///
    /// # Panics
    /// If nobody said so: a run that is resumed is told from its file.
    pub(crate) fn system(&self) -> &Path {
        self.system.as_deref().expect("whoever resumes a run fills in its system")
    }
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
    /// How the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_default_value = true)]
    pub(crate) format: TextFormat,
}

/// Options of `plot`.
#[derive(Args, Debug)]
pub(crate) struct PlotArgs {
    /// A run's folder, or a trace (`.parquet`, `.csv`)
    pub(crate) run: PathBuf,
    /// What to draw: `tank.level`, `tank.*` [default: as the system says, else all]
    #[arg(value_name = "VARIABLE")]
    pub(crate) variables: Vec<String>,
    /// What to make of it, several with commas [default: svg]
    #[arg(long, value_name = "FORMAT", value_delimiter = ',')]
    pub(crate) format: Vec<PictureFormat>,
    /// Where the picture goes; `-` is standard output [default: DIR/plot.FORMAT]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// What a picture is.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PictureFormat {
    /// A drawing that scales
    Svg,
    /// An image of pixels
    Png,
    /// A page with zoom that needs nothing else
    Html,
    /// A sketch for the terminal, on standard output
    Text,
}

/// Options of `completions`.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// Which shell
    pub(crate) shell: clap_complete::Shell,
}
