//! The fuzz targets over their seed corpora, plain and damaged at random: a short fuzz run that
//! needs no tool.

use consort_core::Prng;
use consort_fmi::fuzz;
use std::path::PathBuf;

/// How often each seed is damaged.
const ROUNDS: u64 = 300;

/// The files of a corpus, in the order of their names.
fn corpus(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    paths.sort();
    assert!(3 <= paths.len(), "{} has seeds", folder.display());
    paths.into_iter().map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect()
}

/// Changes, removes, repeats or swaps a few pieces.
fn damage(bytes: &mut Vec<u8>, random: &mut Prng) {
    for _ in 0..=random.below(4) {
        let Some(length) = u64::try_from(bytes.len()).ok().filter(|length| 0 < *length) else {
            return;
        };
        let at = random.below(length) as usize;
        let end = (at + 1 + random.below(40) as usize).min(bytes.len());
        match random.below(6) {
            0 => bytes[at] = random.next_u64() as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.drain(at..end)),
            3 => bytes.truncate(at),
            4 => bytes.extend_from_within(at..end),
            _ => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
}

fn check(name: &str, target: fn(&[u8])) {
    let seed = 20_240_701;
    let mut random = Prng::new(seed).split(name);
    for (path, bytes) in corpus(name) {
        target(&bytes);
        for round in 0..ROUNDS {
            let mut damaged = bytes.clone();
            damage(&mut damaged, &mut random);
            let outcome = std::panic::catch_unwind(|| target(&damaged));
            let path = path.display();
            assert!(outcome.is_ok(), "seed {seed}, round {round} of {path}: {damaged:?}");
        }
    }
}

#[test]
fn damaged_descriptions_never_panic() {
    check("description", fuzz::description);
}

#[test]
fn damaged_archives_never_panic() {
    check("archive", fuzz::archive);
}

#[test]
fn damaged_build_descriptions_never_panic() {
    check("build-description", fuzz::build);
}

#[test]
fn archives_of_another_tool_are_read() {
    let good = ["small", "stored", "streamed", "zip64"];
    for (path, bytes) in corpus("archive") {
        let mut report = consort_core::Report::default();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = consort_fmi::archive::read_entry(
            std::io::Cursor::new(bytes),
            &name,
            "modelDescription.xml",
            &consort_fmi::archive::Limits::default(),
            &mut report,
        );
        let is_read = text.as_deref() == Some(b"<fmiModelDescription/>");
        let harmless = good.contains(&name.as_str()) || name == "zeros";
        assert_eq!(is_read, harmless, "{name}: {report:?}");
    }
}
