//! Full trees, really visited: how much faster than simulating every node from the root?
//!
//! The system is a tube of reacting and diffusing cells (the Brusselator), written as equations; its feed is
//! chosen anew in each period. It is visited as equations, as an FMU for Model Exchange in this process, and
//! as the same FMU in a process of its own, saved by its memory's image. The visit is that of campaigns: an
//! `Explorer` over a `RunWorld`, with a property watched. The baseline is that of Sinisi et al.
//! (2021, section 3.4.2): each node is reached from the root, which is brought back by restoring it.
//!
//! Both are timed in turns, subtree by subtree, by the time that this process and its workers spend on a
//! processor, so that it does not matter what else the machine does; the ratio of the times on the clock is
//! printed beside it (`clock`). `ideal` is psi(h, b) + 1, for periods that all cost the same; `free` is what a
//! visit would reach whose saving and restoring cost nothing, for periods that cost what they do at each depth:
//! where early ones are dear, the baseline, which repeats them most, loses more. `formula` is the part of the
//! ideal that the paper's equation 3 gives with the costs of single operations.
//!
//! ```sh
//! cargo bench -p consort-explore --bench trees -- [--check] [--quick] [equations] [exchange] [image]
//! ```
//!
//! `--check` fails if less of the ideal psi(h, b) + 1 is reached than the issue wants: 90 % with steps of
//! 100 us or more in this process, 80 % with image snapshots. `--quick` visits trees that are two levels less
//! deep.

mod measure;
mod tube;

use consort_explore::statistics::{psi, speed_up};
use measure::{Measured, measure};
use std::process::ExitCode;
use tube::{Kind, Tube};

/// Letters and periods.
const TREES: [(u32, u32); 2] = [(3, 9), (5, 6)];

/// A way to run the tube, and the part of the ideal it must reach.
struct Case {
    kind: Kind,
    cells: usize,
    /// Between two choices [s]: about a whole cycle, so that each costs the same.
    period: f64,
    least: f64,
}

const CASES: [Case; 3] = [
    Case { kind: Kind::Equations, cells: 3, period: 8.0, least: 0.9 },
    Case { kind: Kind::Exchange, cells: 4, period: 8.0, least: 0.9 },
    Case { kind: Kind::Image, cells: 12, period: 8.0, least: 0.8 },
];

const HEAD: &str = "case       b  h   nodes    sim us   get us   set us  tree s  root s  times  clock  ideal    \
                    part   free    part  formula";

#[expect(clippy::print_stdout, reason = "a benchmark reports on stdout")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_given = |name: &str| arguments.iter().any(|argument| argument == name);
    if is_given(tube::HOST) {
        return consort_models::loader::serve();
    }
    let is_any_named = CASES.iter().any(|case| is_given(case.kind.name()));
    println!("{HEAD}");
    let folder = tempfile::tempdir().expect("there is room for a model");
    let mut is_enough = true;
    for Case { kind, cells, period, least } in CASES {
        if is_any_named && !is_given(kind.name()) {
            continue;
        }
        for (letters, horizon) in TREES {
            let horizon = if is_given("--quick") { horizon - 2 } else { horizon };
            let tube = Tube { folder: folder.path(), kind, cells, period, letters, horizon };
            let measured = measure(&tube);
            let ideal = psi(horizon, letters) + 1.0;
            println!("{}", row(&tube, &measured, ideal));
            is_enough &= least <= measured.speed_up() / ideal;
        }
    }
    let is_fine = is_enough || !is_given("--check");
    if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn row(tube: &Tube<'_>, measured: &Measured, ideal: f64) -> String {
    let Measured { costs, nodes, free, tree, root } = measured;
    let (times, clock) = (measured.speed_up(), root.clock / tree.clock);
    let formula = speed_up(tube.horizon, tube.letters, *costs) / ideal;
    let name = format!("{:<10} {} {:>2}", tube.kind.name(), tube.letters, tube.horizon);
    let [sim, get, set] = [costs.sim, costs.get, costs.set].map(|cost| cost * 1e6);
    let costs = format!("{nodes:>7} {sim:>9.1} {get:>8.2} {set:>8.2}");
    let spent = format!("{:>7.2} {:>7.2} {times:>6.3} {clock:>6.3}", tree.spent, root.spent);
    let [part, part_of_free, formula] = [times / ideal, times / free, formula].map(|it| 100.0 * it);
    let parts =
        format!("{ideal:>6.3} {part:>5.1} % {free:>6.3} {part_of_free:>5.1} % {formula:>6.1} %");
    format!("{name} {costs} {spent} {parts}")
}
