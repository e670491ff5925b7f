//! A short fuzz run that needs no tool: a target over its corpus, plain and damaged by a seeded
//! mutator. `cargo xtask soak` runs the same targets with coverage guidance.

use consort_core::Prng;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

const SEED: u64 = 20_261_115;

/// Pieces that mean something to a reader of TOML, CSV, XML or zip archives.
const WORDS: [&[u8]; 16] = [
    b"\"",
    b"[",
    b"]",
    b"= ",
    b"\n",
    b"-",
    b"1e999",
    b"\xFF",
    b"99999999999999999999",
    b".",
    b"<",
    b"/>",
    b"&",
    b"PK\x01\x02",
    b"\0\0\0\0",
    b"\xFF\xFF\xFF\xFF",
];

/// The files of a corpus, in the order of their names.
pub fn corpus(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(folder(name)).expect("the corpus is part of the repository");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let read = |path: PathBuf| (path.clone(), std::fs::read(path).expect("a readable seed"));
    paths.into_iter().map(read).collect()
}

/// One text of a corpus.
pub fn text(corpus: &str, name: &str) -> String {
    std::fs::read_to_string(folder(corpus).join(name)).expect("an example of that name")
}

fn folder(corpus: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(corpus)
}

/// Calls the target with every file of its corpus, and `rounds` times with a damaged one.
///
/// # Panics
/// If the target panics; the message repeats the input.
#[expect(clippy::print_stdout, reason = "a random test prints its seed")]
pub fn drive(name: &str, target: fn(&[u8]), rounds: usize) {
    println!("seed {SEED}");
    let mut random = Prng::new(SEED).split(name);
    let seeds = corpus(name);
    assert!(3 <= seeds.len(), "{name} has seeds");
    for (path, bytes) in &seeds {
        check(target, bytes, &path.display().to_string());
    }
    for round in 0..rounds {
        let (path, bytes) = &seeds[round % seeds.len()];
        let mut damaged = bytes.clone();
        for _ in 0..=random.below(4) {
            damage(&mut damaged, &mut random);
        }
        check(target, &damaged, &format!("round {round} of {}", path.display()));
    }
}

fn check(target: fn(&[u8]), bytes: &[u8], what: &str) {
    let outcome = catch_unwind(AssertUnwindSafe(|| target(bytes)));
    assert!(outcome.is_ok(), "{what}: {bytes:?}");
}

/// Changes, cuts, repeats, moves or inserts a piece.
fn damage(bytes: &mut Vec<u8>, random: &mut Prng) {
    let mut below = |bound: usize| {
        let draw = random.below(bound.max(1) as u64);
        usize::try_from(draw).expect("a draw below a usize fits in one")
    };
    let at = below(bytes.len() + 1);
    let end = (at + below(40)).min(bytes.len());
    match below(7) {
        0 if at < bytes.len() => bytes[at] = u8::try_from(below(256)).expect("below 256"),
        1 if at < bytes.len() => bytes[at] ^= 1 << below(8),
        2 => drop(bytes.drain(at..end)),
        3 => bytes.truncate(at),
        4 => {
            let word = WORDS[below(WORDS.len())];
            bytes.splice(at..at, word.iter().copied());
        }
        _ => {
            let piece = bytes[at..end].to_vec();
            let to = below(bytes.len() + 1);
            bytes.splice(to..to, piece);
        }
    }
}
