//! What the user wrote about a campaign: a system, what may disturb it, what must hold, and how its
//! scenarios are explored.
//!
//! A *scenario* of a campaign is a sequence of choices, one per decision period; a choice gives each
//! disturbed input one of its values.

use crate::system::Spanned;
use consort_core::{Literal, Seconds, named};

/// A campaign, with names and places; nothing is looked up yet.
#[derive(Clone, PartialEq, Debug)]
pub struct Campaign {
    /// For titles and the output folder.
    pub name: String,
    /// The system: a path beside the campaign's file.
    pub system: Spanned<String>,
    /// What is changed of the system's experiment.
    pub options: SystemOptions,
    /// How long a choice holds.
    pub period: Spanned<Seconds>,
    /// How long a scenario is: a whole number of periods.
    pub horizon: Spanned<Seconds>,
    /// The inputs that are chosen, in the order written.
    pub disturbances: Vec<Disturbance>,
    /// How often the choices of a scenario may change, all inputs together.
    pub changes_max: Option<Spanned<u32>>,
    /// Conditions between the values chosen at one time.
    pub constraints: Vec<Spanned<String>>,
    /// What must hold in every scenario, in the order written.
    pub properties: Vec<PropertyText>,
    /// How scenarios are chosen.
    pub strategy: StrategySettings,
    /// How many bytes the snapshots of a worker may hold.
    pub memory: Option<Spanned<u64>>,
    /// How many workers there are, unless the command line says otherwise.
    pub workers: Option<Spanned<u32>>,
    /// The root of all randomness of the campaign.
    pub seed: u64,
    /// Where it ends although there is more.
    pub limit: Limit,
    /// How many seconds of real time a scenario may take before its worker is given up.
    pub watchdog: Option<Spanned<f64>>,
    /// How counter-examples are validated again.
    pub tighter: Tighter,
}

/// What is changed of a system's experiment, as `consort run` takes it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SystemOptions {
    /// Values to set: `component.variable=value`.
    pub set: Vec<Spanned<String>>,
    /// The communication step.
    pub step: Option<Spanned<Seconds>>,
    /// The solver of what has none of its own.
    pub solver: Option<Spanned<String>>,
    /// The relative tolerance of solvers.
    pub tolerance: Option<Spanned<f64>>,
    /// The length of a solver's fixed steps, the longest of others.
    pub solver_step: Option<Spanned<Seconds>>,
}

/// An input that is chosen.
#[derive(Clone, PartialEq, Debug)]
pub struct Disturbance {
    /// The disturbed input: `component.variable`.
    pub input: Spanned<String>,
    /// What it may be; the first is the nominal one.
    pub values: Vec<Spanned<Literal>>,
    /// How often it may change in a scenario.
    pub changes_max: Option<Spanned<u32>>,
}

/// What must hold, as text.
#[derive(Clone, PartialEq, Debug)]
pub struct PropertyText {
    /// The name in reports.
    pub name: Spanned<String>,
    /// The formula.
    pub formula: Spanned<String>,
    /// What a trace means between its rows.
    pub reading: PropertyReading,
    /// Robustness is divided by this, so that properties can be compared.
    pub scale: Option<Spanned<f64>>,
}

named! {
    /// What a trace means between its rows.
    #[derive(Default)]
    pub enum PropertyReading {
        /// There are only the rows.
        #[default]
        Sampled => "sampled",
        /// Each value holds until the next.
        Dense => "dense",
    }
}

named! {
    /// How scenarios are chosen.
    pub enum StrategyKind {
        /// All, depth first.
        Exhaustive => "exhaustive",
        /// All, shorter ones first: the first violation found is a shortest one.
        Shortest => "shortest",
        /// All, in a random order without repetition.
        Random => "random",
        /// Random ones, for a statement with confidence.
        MonteCarlo => "monte-carlo",
        /// The ones that look worst, first.
        BestFirst => "best-first",
        /// The worst few of each length.
        Beam => "beam",
    }
}

/// How scenarios are chosen, with its settings.
#[derive(Clone, PartialEq, Debug)]
pub struct StrategySettings {
    /// The way scenarios are chosen.
    pub kind: Spanned<StrategyKind>,
    /// It ends at the first violation.
    pub stops_at_first: bool,
    /// How many snapshots of the path are kept besides the root.
    pub snapshots: Option<Spanned<u32>>,
    /// How many scenarios, or expansions, a unit of work has.
    pub block: Option<Spanned<u32>>,
    /// What Monte Carlo decides.
    pub test: StatisticalTest,
    /// How many candidates of each length a beam keeps.
    pub width: Option<Spanned<u32>>,
}

impl StrategySettings {
    /// The strategy of that kind, with nothing else said.
    pub fn new(kind: Spanned<StrategyKind>) -> Self {
        StrategySettings {
            kind,
            stops_at_first: false,
            snapshots: None,
            block: None,
            test: StatisticalTest::default(),
            width: None,
        }
    }
}

/// What Monte Carlo decides.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum StatisticalTest {
    /// The probability of a violation, to within `epsilon`, wrong with a probability of at most `delta`.
    Estimate {
        /// Half the width of the interval.
        epsilon: f64,
        /// How often the interval may miss.
        delta: f64,
    },
    /// Whether the probability of a violation is at most `p0` or at least `p1`, by Wald's sequential
    /// test.
    Sequential {
        /// The probability of a violation that is acceptable.
        p0: f64,
        /// The probability of a violation that is not acceptable.
        p1: f64,
        /// How often an acceptable system may be refused.
        alpha: f64,
        /// How often an unacceptable system may be accepted.
        beta: f64,
    },
}

impl Default for StatisticalTest {
    fn default() -> Self {
        StatisticalTest::Estimate { epsilon: 0.05, delta: 0.05 }
    }
}

/// Where a campaign ends although there is more.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Limit {
    /// After this many scenarios.
    pub scenarios: Option<Spanned<u64>>,
    /// After this many seconds of real time.
    pub time: Option<Spanned<f64>>,
}

/// How counter-examples are validated again: by which factors tolerance and step become smaller.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tighter {
    /// Counter-examples are validated again.
    pub is_wanted: bool,
    /// Multiplies the tolerance of solvers.
    pub tolerance: f64,
    /// The factor of all steps.
    pub step: f64,
}

impl Default for Tighter {
    /// A hundredth of the tolerance, half the step.
    fn default() -> Self {
        Tighter { is_wanted: true, tolerance: 0.01, step: 0.5 }
    }
}
