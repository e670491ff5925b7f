//! FMUs that misbehave as seeds say, of both versions and interfaces, in our process and in one of their
//! own: no panic, no death of Consort where they are isolated, every failure named, the same trace and the
//! same error in both, and the trace of an honest run wherever a lie changes nothing. FMPy is asked as well.
//!
//! `CONSORT_BEHAVIORS` says how many seeds, `CONSORT_RANDOM_SEED` which is the first; `cargo xtask soak
//! behaviors` takes 5,000. A failure prints its seed and its lies; those that were mended are in `smallest.rs`.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its world has failed")]

mod judge;
mod program;
mod second_opinion;
mod smallest;
mod tally;

use consort_testkit::fmus::Fmi;
use consort_testkit::liar::{Case, Interface};
use judge::Judge;
use tally::Tally;

/// Without `CONSORT_BEHAVIORS`.
const SEEDS: u64 = 60;

const FORMS: [(Fmi, Interface); 4] = [
    (Fmi::V2, Interface::CoSimulation),
    (Fmi::V2, Interface::ModelExchange),
    (Fmi::V3, Interface::CoSimulation),
    (Fmi::V3, Interface::ModelExchange),
];

#[test]
fn whatever_an_fmu_does_consort_survives_and_names_it() {
    let count = from_environment("CONSORT_BEHAVIORS").unwrap_or(SEEDS);
    let first = from_environment("CONSORT_RANDOM_SEED").unwrap_or(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let judge = Judge::new();
    let began = std::time::Instant::now();
    let tally = std::thread::scope(|scope| {
        let judge = &judge;
        let work = |worker| {
            move || {
                let mut tally = Tally::default();
                for seed in (first + worker as u64..first + count).step_by(workers) {
                    for (fmi, interface) in FORMS {
                        judge.examine(Case::new(seed, fmi, interface), &mut tally);
                    }
                }
                tally
            }
        };
        let threads: Vec<_> = (0..workers).map(|worker| scope.spawn(work(worker))).collect();
        let tallies = threads.into_iter().map(|it| it.join().expect("a worker ends"));
        tallies.reduce(Tally::merge).expect("there is a worker")
    });
    show(&format!("{tally}, from seed {first}, in {} s", began.elapsed().as_secs()));
    let began = std::time::Instant::now();
    let opinions = second_opinion::ask(&tally.finished, &judge);
    show(&format!("{opinions}in {} s", began.elapsed().as_secs()));
    assert!(tally.failures.is_empty(), "{}", tally.failures.join("\n\n"));
    assert!(opinions.unexpected.is_empty(), "{}", opinions.unexpected.join("\n"));
}

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a whole number"))
}

#[expect(clippy::print_stdout, reason = "what was measured is there to be read")]
fn show(text: &str) {
    println!("{text}");
}
