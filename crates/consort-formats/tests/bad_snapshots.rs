//! Every way in which a file is not the snapshot it should be, and what is said about it.

use consort_core::{Report, Tag, Time};
use consort_formats::snapshot::{InputDigest, SnapshotFile, SnapshotOrigin};
use consort_formats::{read_snapshot, write_snapshot};
use consort_testkit::render;
use std::fmt::Write as _;

fn input(role: &str, path: &str, sha256: &str) -> InputDigest {
    let [role, path, sha256] = [role, path, sha256].map(str::to_owned);
    InputDigest { role, path, sha256 }
}

fn good() -> SnapshotFile {
    SnapshotFile {
        origin: SnapshotOrigin {
            consort: "0.1.0".to_owned(),
            target: "x86_64-unknown-linux-gnu".to_owned(),
            cpu_features: ["sse3", "avx2"].map(str::to_owned).to_vec(),
            libc: "glibc 2.36".to_owned(),
            resolution: "1/1000 s".to_owned(),
            plan_hash: "sha256:11".to_owned(),
            experiment_hash: "sha256:22".to_owned(),
            inputs: vec![
                input("system", "system.toml", "aa"),
                input("fmu", "tank.fmu", "bb"),
                input("binary", "tank.fmu/binaries/tank.so", "cc"),
            ],
            providers: [("pump", "native"), ("tank", "image")]
                .map(|(component, provider)| (component.to_owned(), provider.to_owned()))
                .to_vec(),
        },
        name: "tank".to_owned(),
        path: "examples/tank".to_owned(),
        folder: "/home/me".to_owned(),
        options: "{\"stop\": \"10\"}".to_owned(),
        tag: Tag { time: Time::from_ticks(2500), microstep: 1 },
        save_points: vec![Tag::at(Time::from_ticks(-1)), Tag::at(Time::from_ticks(2500))],
        state: vec![1, 2, 3, 255],
    }
}

fn read(bytes: &[u8]) -> (Option<SnapshotFile>, Report) {
    let mut report = Report::default();
    let file = read_snapshot("tank.snapshot", bytes, &mut report);
    (file, report)
}

#[test]
fn what_was_written_is_read() {
    let (file, report) = read(&write_snapshot(&good()));
    assert_eq!(file, Some(good()));
    assert!(report.diagnostics().is_empty());
}

#[test]
fn no_part_of_a_file_is_a_file_and_no_bit_may_flip() {
    let bytes = write_snapshot(&good());
    for end in 0..bytes.len() {
        let (file, report) = read(&bytes[..end]);
        assert!(file.is_none() && report.error_count() == 1, "{end} bytes");
    }
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let (file, report) = read(&flipped);
        assert!(file.is_none() && report.error_count() == 1, "bit {bit}");
    }
}

/// Files by what is wrong with their bytes.
fn bad_files() -> Vec<(&'static str, Vec<u8>)> {
    let good = write_snapshot(&good());
    let unsealed = &good[..good.len() - 32];
    let change = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        bytes
    };
    let resealed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = unsealed.to_vec();
        change(&mut bytes);
        let digest = <sha2::Sha256 as sha2::Digest>::digest(&bytes);
        bytes.extend_from_slice(&digest);
        bytes
    };
    let huge = u64::MAX.to_le_bytes();
    vec![
        ("empty", Vec::new()),
        ("something else", b"[experiment]\nstop = 10\n".to_vec()),
        ("an archive", b"PK\x03\x04 and so on".to_vec()),
        ("only the first letters", b"CST".to_vec()),
        ("a later form", change(7, 9)),
        ("cut in the middle", good[..good.len() / 2].to_vec()),
        ("the last byte is missing", good[..good.len() - 1].to_vec()),
        ("the digest is missing", unsealed.to_vec()),
        ("more than there should be", [&good[..], b"more"].concat()),
        ("a bit flipped in the state", change(good.len() - 33, 254)),
        ("a bit flipped in the digest", change(good.len() - 1, good[good.len() - 1] ^ 1)),
        ("a right digest, a huge text", resealed(&|bytes| bytes[8..16].copy_from_slice(&huge))),
        ("a right digest, no text", resealed(&|bytes| bytes[16] = 0xFF)),
        ("a right digest, something after the state", resealed(&|bytes| bytes.push(0))),
        ("a right digest, too short", resealed(&|bytes| bytes.truncate(100))),
    ]
}

#[test]
fn every_file_that_is_no_snapshot_is_distinguished() {
    let mut all = String::new();
    for (name, bytes) in bad_files() {
        let (file, report) = read(&bytes);
        assert!(file.is_none(), "{name}");
        render::assert_helpful(&report);
        let _ = writeln!(all, "## {name}\n{}", render::report(&report));
    }
    insta::assert_snapshot!("files", all);
}

type Change = fn(&mut SnapshotOrigin);

const CHANGES: &[(&str, Change)] = &[
    ("another version", |now| now.consort = "0.2.0".to_owned()),
    ("another platform", |now| now.target = "aarch64-unknown-linux-gnu".to_owned()),
    ("another processor", |now| {
        now.cpu_features = ["sse3", "avx512f"].map(str::to_owned).to_vec();
    }),
    ("another C library", |now| now.libc = "glibc 2.41".to_owned()),
    ("another binary", |now| now.inputs[2].sha256 = "dd".to_owned()),
    ("another FMU and its binary", |now| {
        now.inputs[1].sha256 = "dd".to_owned();
        now.inputs[2].sha256 = "ee".to_owned();
        now.plan_hash = "sha256:12".to_owned();
    }),
    ("a file is gone", |now| {
        now.inputs.pop();
    }),
    ("a file is new", |now| now.inputs.push(input("equations", "ball.eq", "ff"))),
    ("the system file means something else", |now| {
        now.inputs[0].sha256 = "dd".to_owned();
        now.experiment_hash = "sha256:23".to_owned();
    }),
    ("another plan", |now| now.plan_hash = "sha256:12".to_owned()),
    ("another provider", |now| now.providers[1].1 = "replay".to_owned()),
    ("another experiment", |now| now.experiment_hash = "sha256:23".to_owned()),
    ("another tick", |now| {
        now.resolution = "1/3000 s".to_owned();
        now.plan_hash = "sha256:12".to_owned();
    }),
    ("everything", |now| {
        now.consort = "0.2.0".to_owned();
        now.target = "aarch64-unknown-linux-gnu".to_owned();
        now.inputs.clear();
        now.resolution = "1 s".to_owned();
    }),
];

fn findings(change: Change) -> Report {
    let (saved, mut now) = (good().origin, good().origin);
    change(&mut now);
    let mut report = Report::default();
    saved.compare(&now, &mut report);
    report
}

#[test]
fn whatever_differs_where_it_is_resumed_is_named() {
    let mut all = String::new();
    for (name, change) in CHANGES {
        let report = findings(*change);
        assert!(report.has_errors(), "{name}");
        render::assert_helpful(&report);
        let _ = writeln!(all, "## {name}\n{}", render::report(&report));
    }
    insta::assert_snapshot!("origins", all);
}

#[test]
fn what_does_not_matter_may_differ() {
    assert!(findings(|_| {}).diagnostics().is_empty());
    let moved = findings(|now| now.inputs[1].path = "models/tank.fmu".to_owned());
    assert!(moved.diagnostics().is_empty(), "a file may be moved");
    let reworded = findings(|now| now.inputs[0].sha256 = "dd".to_owned());
    assert!(reworded.diagnostics().is_empty(), "a comment was added, or the stop is another one");
    let mut saved = good().origin;
    saved.inputs.truncate(1);
    let mut now = saved.clone();
    (now.libc, now.cpu_features) = ("musl".to_owned(), Vec::new());
    let mut report = Report::default();
    saved.compare(&now, &mut report);
    assert!(report.diagnostics().is_empty(), "our own models are the same on all of them");
}
