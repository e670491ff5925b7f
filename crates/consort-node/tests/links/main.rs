//! One byte is flipped, lost or doubled somewhere on its way, in frames of every kind: each run ends with the hashes of
//! the undisturbed one or with an error, in time, and none with other hashes.
//!
//! `CONSORT_LINK_FAULTS` says how many runs, `CONSORT_RANDOM_SEED` from which seed on; `cargo xtask soak links` runs 2,000.

#[path = "../node/bodies.rs"]
#[expect(dead_code, reason = "the tests of nodes use more of it")]
mod bodies;
mod proxy;
mod system;

use consort_core::Prng;
use proxy::{Aim, Harm};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use system::{Nature, System, Verdict};

/// How many runs the ordinary tests do, and how many at a time: they mostly wait.
const RUNS_DEFAULT: u64 = 63;
const AT_A_TIME: usize = 6;

/// Kinds of frames, by what they are for.
const AIMS: [(&str, &[u8]); 7] = [
    ("hello", &[1]),
    ("data", &[3]),
    ("credit", &[5]),
    ("bound", &[4]),
    ("end", &[7, 14]),
    ("save", &[13]),
    ("other", &[6, 9]),
];
const HARMS: [Harm; 3] = [Harm::Flip, Harm::Drop, Harm::Double];

/// How often each link, aim, harm and verdict came.
type Counts = BTreeMap<(Nature, &'static str, Harm, Verdict), u64>;

#[test]
#[expect(clippy::print_stdout, reason = "a soak says what it did")]
fn one_wrong_byte_never_gives_another_result() {
    let runs = number("CONSORT_LINK_FAULTS").unwrap_or(RUNS_DEFAULT);
    let seed = number("CONSORT_RANDOM_SEED").unwrap_or(0);
    let systems = Nature::ALL.map(System::undisturbed);
    assert!(systems.iter().all(|it| it.hashes == systems[0].hashes), "links change nothing");
    let (next, counts) = (AtomicU64::new(seed), Mutex::new(Counts::new()));
    let work = || {
        let seeds = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        for seed in seeds.take_while(|it| *it < seed + runs) {
            let key = one(&systems, seed);
            *counts.lock().expect("no panic").entry(key).or_default() += 1;
        }
    };
    std::thread::scope(|scope| (0..AT_A_TIME).for_each(|_| drop(scope.spawn(work))));
    let counts = counts.into_inner().expect("no panic");
    for ((nature, aim, harm, verdict), count) in &counts {
        println!("{nature:?} {aim} {harm:?}: {count} {verdict}");
    }
    let aimed = counts.iter().filter(|((_, _, _, verdict), _)| *verdict != Verdict::Missed);
    let disturbed: u64 = aimed.map(|(_, count)| count).sum();
    println!("{runs} runs, {disturbed} of them disturbed");
    assert!(runs * 3 / 4 <= disturbed, "most runs are disturbed, not {disturbed}");
}

/// What would happen without checksums: it is seen, and by the tallies of the flows. So the test above can fail.
#[test]
fn without_checksums_the_ends_of_a_flow_find_that_they_differ() {
    let runs = number("CONSORT_LINK_FAULTS").unwrap_or(RUNS_DEFAULT).div_ceil(10);
    let seed = number("CONSORT_RANDOM_SEED").unwrap_or(0);
    let systems = [Nature::Tcp, Nature::Unix].map(System::undisturbed);
    for seed in seed..seed + runs {
        let system = &systems[(seed % 2) as usize];
        let mut random = Prng::new(seed).split("forged");
        let ways = system.ways(&[3]);
        let (link, is_forward, passed) = ways[random.below(ways.len() as u64) as usize];
        let skipped = random.below(passed as u64) as usize;
        let place = random.below(1 << 20) as usize;
        let aim = Aim { is_forward, kinds: &[3], skipped, harm: Harm::Forge, place };
        let what = format!("seed {seed}: link {link}, {aim:?}");
        let said = system.forged(link, aim);
        assert!(said.iter().all(|said| said.contains("differs: node")), "{what}: {said:?}");
    }
}

/// One run, by its seed: every link, aim and harm in turn, the rest at random.
fn one(systems: &[System; 3], seed: u64) -> (Nature, &'static str, Harm, Verdict) {
    let turn = |count: usize, every: u64| (seed / every) as usize % count;
    let system = &systems[turn(3, 1)];
    let aimed = turn(AIMS.len(), 3);
    let harm = HARMS[turn(HARMS.len(), 21)];
    let mut random = Prng::new(seed).split("links");
    let kinds = if system.nature == Nature::Tls { &[] } else { AIMS[aimed].1 };
    let ways = system.ways(kinds);
    let (link, is_forward, passed) = ways[random.below(ways.len() as u64) as usize];
    let skipped = match system.nature {
        // What a record is for cannot be seen: all parts of a run have their turn.
        Nature::Tls => (aimed * passed + random.below(passed as u64) as usize) / AIMS.len(),
        _ => random.below(passed as u64) as usize,
    };
    let place = random.below(1 << 20) as usize;
    let aim = Aim { is_forward, kinds, skipped, harm, place };
    let verdict =
        system.disturbed(link, aim.clone(), &format!("seed {seed}: link {link}, {aim:?}"));
    let name = if system.nature == Nature::Tls { "records" } else { AIMS[aimed].0 };
    (system.nature, name, harm, verdict)
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().expect("a whole number"))
}
