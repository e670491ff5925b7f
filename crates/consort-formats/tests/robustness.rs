//! No input makes a reader panic: damaged systems and tables, from the fuzzers' seeds.

use consort_core::Prng;
use consort_formats::fuzz;
use std::path::Path;

const SEED: u64 = 20_261_115;

/// The files of a corpus, in the order of their names.
#[expect(clippy::disallowed_methods, reason = "the seeds are files; the crate itself reads none")]
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let entries = std::fs::read_dir(&folder).expect("the corpus is part of the repository");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a readable seed")).collect()
}

/// Cuts, swaps, repeats and replaces bytes.
fn damage(bytes: &mut Vec<u8>, prng: &mut Prng) {
    const WORDS: [&[u8]; 10] =
        [b"\"", b"[", b"]", b"= ", b"\n", b"-", b"1e999", b"\xFF", b"99999999999999999999", b"."];
    let at = |prng: &mut Prng, length: usize| {
        usize::try_from(prng.next_u64() % (length as u64 + 1)).expect("within the text")
    };
    for _ in 0..1 + prng.next_u64() % 4 {
        let place = at(prng, bytes.len());
        match prng.next_u64() % 4 {
            0 => bytes.truncate(place),
            1 => {
                let end = (place + at(prng, 20)).min(bytes.len());
                bytes.drain(place..end);
            }
            2 => {
                let word = WORDS[at(prng, WORDS.len() - 1)];
                bytes.splice(place..place, word.iter().copied());
            }
            _ => {
                let end = (place + at(prng, 40)).min(bytes.len());
                let piece = bytes[place..end].to_vec();
                let to = at(prng, bytes.len());
                bytes.splice(to..to, piece);
            }
        }
    }
}

#[expect(clippy::print_stdout, reason = "a random test prints its seed")]
fn check(name: &str, target: fn(&[u8]), rounds: usize) {
    println!("seed {SEED}");
    let mut prng = Prng::new(SEED);
    let seeds = corpus(name);
    assert!(3 <= seeds.len());
    seeds.iter().for_each(|seed| target(seed));
    // A fixed number of rounds, however many files a fuzzer has left in the corpus.
    for round in 0..rounds {
        let mut bytes = seeds[round % seeds.len()].clone();
        damage(&mut bytes, &mut prng);
        target(&bytes);
    }
}

#[test]
fn damaged_systems_do_not_panic() {
    check("system", fuzz::system, 2000);
}

#[test]
fn damaged_tables_do_not_panic() {
    check("inputs", fuzz::inputs, 4000);
}
