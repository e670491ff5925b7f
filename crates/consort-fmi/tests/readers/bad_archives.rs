//! Hostile, broken and merely odd archives: each refused with a diagnostic, nothing left behind.

use crate::raw_zip::{Raw, deflated, description, stored, zip};
use crate::render::Cases;
use consort_core::Report;
use consort_fmi::archive::{self, ArchiveLimits};
use std::io::Cursor;

/// Unpacks an archive that must be refused, and looks for what was left behind.
fn refuse(cases: &mut Cases, name: &str, bytes: &[u8], limits: &ArchiveLimits) {
    let parent = tempfile::tempdir().unwrap();
    let destination = parent.path().join("unpacked");
    let mut report = Report::default();
    let archive = Cursor::new(bytes);
    let done = archive::unpack(archive, "bad.fmu", &destination, limits, None, &mut report);
    assert!(!done && report.has_errors(), "{name} was unpacked");
    let left = std::fs::read_dir(parent.path()).unwrap().count();
    assert_eq!(left, 0, "{name} left something behind");
    cases.add(name, &report);
}

fn refuse_entries(cases: &mut Cases, name: &str, entries: &[Raw]) {
    refuse(cases, name, &zip(entries), &ArchiveLimits::default());
}

#[test]
fn what_is_no_archive_is_refused() {
    let mut cases = Cases::default();
    let limits = ArchiveLimits::default();
    let good = zip(&[description(), stored("resources/a", b"0123456789")]);
    refuse(&mut cases, "an empty file", b"", &limits);
    refuse(&mut cases, "a picture", b"\x89PNG\r\n\x1a\n and so on", &limits);
    refuse(&mut cases, "half of an archive", &good[..good.len() / 2], &limits);
    refuse(&mut cases, "an archive without its last byte", &good[..good.len() - 1], &limits);
    refuse(&mut cases, "an archive without its first bytes", &good[10..], &limits);
    let end = good.len() - 22;
    let mut split = good.clone();
    split[end + 4] = 1;
    refuse(&mut cases, "a part of a split archive", &split, &limits);
    let mut more = good.clone();
    more[end + 10] = 3;
    refuse(&mut cases, "a directory that is too short", &more, &limits);
    let mut outside = good.clone();
    outside[end + 18] = 1;
    refuse(&mut cases, "a directory outside of the file", &outside, &limits);
    let mut wide = good.clone();
    wide[end + 16..end + 20].fill(0xFF);
    refuse(&mut cases, "zip64 without zip64", &wide, &limits);
    insta::assert_snapshot!("not_an_archive", cases.finish());
}

#[test]
fn names_that_leave_the_folder_are_refused() {
    let mut cases = Cases::default();
    for (name, path) in [
        ("a path upwards", "../../etc/cron.d/evil"),
        ("a path down and upwards", "resources/../../evil"),
        ("an absolute path", "/etc/passwd"),
        ("a drive", "C:evil.dll"),
        ("backslashes upwards", "..\\..\\evil.dll"),
        ("a drive with backslashes", "C:\\evil.dll"),
        ("a share", "\\\\server\\evil.dll"),
        ("a path upwards behind a dot", "./../evil"),
        ("an absolute path behind a dot", ".//etc/passwd"),
        ("a NUL", "resources/a\0.txt"),
        ("an empty component", "resources//a"),
        ("an empty name", ""),
    ] {
        refuse_entries(&mut cases, name, &[description(), stored(path, b"evil")]);
    }
    let long = "n".repeat(300);
    refuse_entries(&mut cases, "a long name", &[description(), stored(&long, b"")]);
    let deep = "d/".repeat(50) + "file";
    refuse_entries(&mut cases, "a deep name", &[description(), stored(&deep, b"")]);
    let not_utf8 = Raw { name: b"a\xFF".to_vec(), flags: 1 << 11, ..stored("", b"") };
    refuse_entries(
        &mut cases,
        "a name that is not the UTF-8 it claims",
        &[description(), not_utf8],
    );
    insta::assert_snapshot!("names", cases.finish());
}

#[test]
fn entries_that_are_no_plain_files_are_refused() {
    let mut cases = Cases::default();
    let link = Raw { mode: 0o120_777, ..stored("resources/link", b"/etc/passwd") };
    let pipe = Raw { mode: 0o010_644, ..stored("resources/pipe", b"") };
    let encrypted = Raw { flags: 1, ..stored("resources/secret", b"????????????") };
    let bzip2 = Raw { method: 12, ..stored("resources/bz", b"BZh9") };
    let method = Raw { method: 77, ..stored("resources/odd", b"?") };
    let folder = stored("resources/", b"content of a folder");
    refuse_entries(&mut cases, "a symbolic link", &[description(), link.clone()]);
    refuse_entries(&mut cases, "a pipe", &[description(), pipe.clone()]);
    refuse_entries(&mut cases, "an encrypted file", &[description(), encrypted.clone()]);
    refuse_entries(&mut cases, "bzip2", &[description(), bzip2]);
    refuse_entries(&mut cases, "an unknown method", &[description(), method]);
    refuse_entries(&mut cases, "a folder with content", &[description(), folder]);
    refuse_entries(&mut cases, "several at once", &[description(), link, pipe, encrypted]);
    insta::assert_snapshot!("kinds", cases.finish());
}

#[test]
fn archives_that_contradict_themselves_are_refused() {
    let mut cases = Cases::default();
    let a = || stored("resources/a", b"one");
    let other = stored("resources/a", b"two");
    refuse_entries(&mut cases, "two files of one name", &[description(), a(), other]);
    let [x, y] = SAME_CHECKSUM.map(|content| stored("resources/a", content));
    assert_eq!(x.crc, y.crc);
    refuse_entries(&mut cases, "two files of one checksum", &[description(), x, y]);
    let (dotted, other) = (stored("./resources/a", b"one"), stored("resources\\a", b"two"));
    refuse_entries(&mut cases, "two spellings of one name", &[description(), dotted, other]);
    let folder = stored("resources/a/", b"");
    refuse_entries(&mut cases, "a file and a folder of one name", &[description(), a(), folder]);
    let below = stored("resources/a/b", b"");
    refuse_entries(&mut cases, "a file that is a folder", &[description(), a(), below]);
    let renamed = Raw { local_name: Some(b"resources/b".to_vec()), ..a() };
    refuse_entries(&mut cases, "a local header of another name", &[description(), renamed]);
    let shared = Raw { offset: Some(0), name: b"modelDescription.xml".to_vec(), ..description() };
    refuse_entries(&mut cases, "two entries with one header", &[description(), shared]);
    let wrong_crc = Raw { crc: 7, ..a() };
    refuse_entries(&mut cases, "a wrong checksum", &[description(), wrong_crc]);
    let garbage = Raw { data: vec![0xFF; 40], ..deflated("resources/a", b"one") };
    refuse_entries(&mut cases, "data that cannot be inflated", &[description(), garbage]);
    let beyond = Raw { packed: Some(1_000_000), ..deflated("resources/a", b"one") };
    refuse_entries(&mut cases, "data that reaches beyond the end", &[description(), beyond]);
    insta::assert_snapshot!("contradictions", cases.finish());
}

/// Two texts of one length and one CRC-32: a checksum does not distinguish them.
const SAME_CHECKSUM: [&[u8]; 2] = [b"plumless", b"buckeroo"];

/// A kernel of deflated data, quoted by the headers of the entries before it (David Fifield's
/// "better zip bomb"): each entry's data holds the local headers and data of all later ones.
fn overlapping() -> Vec<u8> {
    let kernel = zip(&[description(), deflated("b", &[0; 1000])]);
    let start = u32::try_from(zip(&[description()]).len()).unwrap();
    let header_of_b = start - u32::try_from(46 + 20 + 22).unwrap();
    let b = deflated("b", &[0; 1000]);
    let span = u32::try_from(30 + 1 + b.data.len()).unwrap();
    let first = u32::try_from(30 + 20 + b"<fmiModelDescription/>".len()).unwrap();
    assert_eq!(header_of_b, first);
    let whole = &kernel[header_of_b as usize..][..span as usize];
    let quoting = stored("a", whole);
    let inner =
        Raw { offset: Some(first + 30 + 1), data: Vec::new(), packed: b.packed, ..b.clone() };
    let mut bytes = zip(&[description(), quoting, inner]);
    // The directory must state the packed size that `inner` has inside `a`.
    let record = bytes.len() - 22 - 47;
    bytes[record + 20..record + 24]
        .copy_from_slice(&u32::try_from(b.data.len()).unwrap().to_le_bytes());
    bytes
}

#[test]
fn bombs_are_refused() {
    let mut cases = Cases::default();
    let small = ArchiveLimits {
        entries_max: 3,
        entry_bytes_max: 10_000,
        total_bytes_max: 12_000,
        ratio_max: 50,
        ratio_floor_bytes: 1000,
        ..ArchiveLimits::default()
    };
    let a = |content: &[u8]| deflated("resources/a", content);
    let noise: Vec<u8> =
        (0..9000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let many: Vec<Raw> = ["b", "c", "d"].map(|name| stored(name, b"")).to_vec();
    let zeros = zip(&[description(), a(&[0; 9000])]);
    refuse(&mut cases, "too many entries", &zip(&[&[description()], &many[..]].concat()), &small);
    refuse(&mut cases, "a large entry", &zip(&[description(), a(&[1; 20_000])]), &small);
    let two = zip(&[description(), stored("a", &noise), stored("b", &noise)]);
    refuse(&mut cases, "much in total", &two, &small);
    refuse(&mut cases, "a file that grows a lot", &zeros, &small);
    let modest = Raw { size: 100, ..a(&[0; 9000]) };
    refuse(&mut cases, "more than it declares", &zip(&[description(), modest]), &small);
    let boastful = Raw { size: 500, ..a(b"short") };
    refuse(&mut cases, "less than it declares", &zip(&[description(), boastful]), &small);
    let mismatch = Raw { size: 9, ..stored("resources/a", b"0123") };
    refuse(&mut cases, "stored, of another size", &zip(&[description(), mismatch]), &small);
    refuse(&mut cases, "entries that quote each other", &overlapping(), &small);
    insta::assert_snapshot!("bombs", cases.finish());
}

#[test]
fn archives_that_are_no_fmu_are_refused() {
    let mut cases = Cases::default();
    refuse_entries(&mut cases, "nothing in it", &[]);
    refuse_entries(&mut cases, "something else", &[stored("word/document.xml", b"")]);
    let nested = stored("tank/modelDescription.xml", b"");
    refuse_entries(&mut cases, "one folder too many", &[stored("tank/", b""), nested]);
    refuse_entries(&mut cases, "another case", &[stored("ModelDescription.XML", b"")]);
    insta::assert_snapshot!("no_fmu", cases.finish());
}

#[test]
fn a_destination_that_exists_is_left_alone() {
    let parent = tempfile::tempdir().unwrap();
    std::fs::write(parent.path().join("mine"), "kept").unwrap();
    let mut report = Report::default();
    let bytes = Cursor::new(zip(&[description()]));
    let done = archive::unpack(
        bytes,
        "a.fmu",
        parent.path(),
        &ArchiveLimits::default(),
        None,
        &mut report,
    );
    assert!(!done);
    assert_eq!(report.diagnostics()[0].code, "archive::destination");
    assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 1);
}
