//! FMUs whose saved states lack what a seed says, of both versions and interfaces, and honest ones among them: no
//! verdict of a check is better than the truth where it shows within a trial, honest states are found to be so; what is
//! verified completely is right or an error that names component, provider and time; how much is found by default,
//! and what it costs, is printed. The truth comes from a program in C over the model's own functions.
//!
//! `CONSORT_STATES` says how many seeds, `CONSORT_RANDOM_SEED` which is the first; `cargo xtask soak states`
//! takes 5,000. A failure prints its seed and what its states lack; those that were mended are in `smallest.rs`.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its world has failed")]

mod campaigns;
mod check;
mod program;
mod resumes;
mod smallest;
mod tally;

use consort_testkit::amnesiac::Case;
use program::World;
use tally::Tally;

/// Without `CONSORT_STATES`.
const SEEDS: u64 = 30;
/// Campaigns take longer than all the rest: one of so many seeds has them.
const CAMPAIGN_EVERY: u64 = 5;

#[test]
fn whatever_states_lack_no_verdict_resume_or_campaign_is_wrong_in_silence() {
    let count = from_environment("CONSORT_STATES").unwrap_or(SEEDS);
    let first = from_environment("CONSORT_RANDOM_SEED").unwrap_or(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let began = std::time::Instant::now();
    let tally = std::thread::scope(|scope| {
        let work = |worker: usize| {
            move || {
                let mut tally = Tally::default();
                for seed in (first + worker as u64..first + count).step_by(workers) {
                    examine(&Case::new(seed), &mut tally);
                }
                tally
            }
        };
        let threads: Vec<_> = (0..workers).map(|worker| scope.spawn(work(worker))).collect();
        let tallies = threads.into_iter().map(|it| it.join().expect("a worker ends"));
        tallies.reduce(Tally::merge).expect("there is a worker")
    });
    show(&format!("{count} seeds from {first}, in {} s", began.elapsed().as_secs()));
    show(&tally.to_string());
    assert!(tally.failures.is_empty(), "{}", tally.failures.join("\n\n"));
}

/// Everything that must hold of one case.
fn examine(case: &Case, tally: &mut Tally) {
    let world = World::new(case);
    check::examine(&world, tally);
    resumes::examine(&world, tally);
    if case.seed.is_multiple_of(CAMPAIGN_EVERY) {
        campaigns::examine(&world, tally);
    }
    if let Some(left) = world.leftovers() {
        tally.fail(case, &format!("left in the cache: {left}"), "");
    }
}

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a whole number"))
}

#[expect(clippy::print_stdout, reason = "what was measured is there to be read")]
fn show(text: &str) {
    println!("{text}");
}
