//! Scenario trees over the larger models of the suite, and over larger ones that are made for it.
//!
//! `cargo bench -p consort-models --bench trees [-- --check]`, one line per model:
//!
//! - What it costs to save a state (and to free it), to restore one, and to continue by 1 % of the horizon, on
//!   average over the horizon as in GetSet (Sinisi et al. 2021, section 4.4); from these the speed-up S(50, 5) by its
//!   formula (section 3.4.4), of which 49.75 is the ideal.
//! - A tree of three branches and six levels, really visited twice: with the solver's state restored
//!   at each node, and with a solver that begins anew at each node. It hangs at 44 % of the horizon,
//!   so that its leaves are as deep as those of a tree of 50 levels. Inputs stay as they are.
//!
//! With `--check` it fails if the averages are below 38 and 3, or if saving or restoring a small model takes
//! more than 2 us.

mod cases;
mod constructs;
mod generated;
#[path = "../../../consort-equations/tests/sbml/mathml.rs"]
mod mathml;
#[expect(dead_code, reason = "tests look at more of it")]
mod model;
mod networks;
mod scenario;

use cases::Case;
use consort_core::{ContinuousModel, Report};
use consort_equations::{compile, sbml};
use consort_models::equations::EquationsModel;
use scenario::{Costs, Rates};
use std::process::ExitCode;
use std::sync::Arc;

/// The least that will do, on average.
const SPEED_UP_MIN: f64 = 38.0;
const RATIO_MIN: f64 = 3.0;
/// The most that saving or restoring may take, in nanoseconds, of models with so many states at most.
const SMALL_MAX: f64 = 2000.0;
const SMALL: usize = 24;

#[expect(clippy::print_stdout, reason = "a benchmark reports on stdout")]
fn main() -> ExitCode {
    let is_checked = std::env::args().any(|argument| argument == "--check");
    println!("{HEAD}");
    let (mut speed_ups, mut ratios, mut slowest) = (Vec::new(), Vec::new(), 0.0_f64);
    for case in larger() {
        let model = load(&case);
        let states = model.continuous().states.len();
        let (costs, rates) = (Costs::measure(&model, case.end), Rates::measure(&model, case.end));
        println!("{}", line(&case.name, states, &costs, &rates));
        speed_ups.push(costs.speed_up());
        ratios.push(rates.ratio());
        if states <= SMALL {
            slowest = slowest.max(costs.save).max(costs.restore);
        }
    }
    let (speed_up, ratio) = (mean(&speed_ups), mean(&ratios));
    println!("speed-up S(50,5): {speed_up:.2} on average, of {:.2}", scenario::ideal());
    println!(
        "nodes per second against a solver that begins anew at each node: {ratio:.2} on average, {:.2} in the median",
        median(&mut ratios)
    );
    println!("the slowest save or restore of up to {SMALL} states: {slowest:.0} ns");
    let is_enough = SPEED_UP_MIN <= speed_up && RATIO_MIN <= ratio && slowest <= SMALL_MAX;
    ExitCode::from(u8::from(is_checked && !is_enough))
}

const HEAD: &str =
    "states    bytes  save ns  restore ns    sim ns  S(50,5)  nodes/s     anew  ratio  model";

fn line(name: &str, states: usize, costs: &Costs, rates: &Rates) -> String {
    let Costs { save, restore, go_on, bytes } = costs;
    let Rates { carried, anew } = rates;
    let (speed_up, ratio) = (costs.speed_up(), rates.ratio());
    format!(
        "{states:6} {bytes:8} {save:8.0} {restore:11.0} {go_on:9.0} {speed_up:8.2} {carried:8.0} {anew:8.0} \
         {ratio:6.2}  {name}"
    )
}

fn mean(list: &[f64]) -> f64 {
    list.iter().sum::<f64>() / list.len() as f64
}

fn median(list: &mut [f64]) -> f64 {
    list.sort_unstable_by(f64::total_cmp);
    list[list.len() / 2]
}

/// Networks of the suite, and those that are larger.
fn larger() -> Vec<Case> {
    let all = cases::all().into_iter().chain(generated::cases());
    all.filter(|case| case.is_network).collect()
}

fn load(case: &Case) -> Arc<dyn ContinuousModel> {
    let text = model::Writer::new(constructs::EDITIONS[0], &case.text).document();
    let mut report = Report::default();
    let tree = sbml::read_sbml(&case.name, &text, &mut report);
    let equations = tree.and_then(|tree| compile(&tree, &mut report));
    let equations = equations.unwrap_or_else(|| panic!("{}: {report:?}", case.name));
    Arc::new(EquationsModel::new(Arc::new(equations)))
}
