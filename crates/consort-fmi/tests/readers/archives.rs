//! Archives that are read, some with a warning.

use crate::raw_zip::{Raw, deflated, description, stored, zip};
use crate::render::Cases;
use consort_core::Report;
use consort_fmi::archive::{self, Archive, ArchiveLimits};
use std::io::{Cursor, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;

/// An archive as an ordinary tool writes it.
fn ordinary(options: SimpleFileOptions) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    writer.add_directory("resources/", options).unwrap();
    for (name, content) in [
        ("modelDescription.xml", "<fmiModelDescription/>".repeat(100)),
        ("resources/table.csv", "1,2\n".to_owned()),
        ("binaries/x86_64-linux/tank.so", String::new()),
    ] {
        writer.start_file(name, options).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn unpack(bytes: &[u8], destination: &Path) -> Report {
    let mut report = Report::default();
    let limits = ArchiveLimits::default();
    let archive = Cursor::new(bytes);
    assert!(
        archive::unpack(archive, "tank.fmu", destination, &limits, None, &mut report),
        "{report:?}"
    );
    report
}

#[test]
fn ordinary_archives_are_unpacked() {
    let deflated = SimpleFileOptions::default();
    let stored = deflated.compression_method(zip::CompressionMethod::Stored);
    for options in [deflated, stored, deflated.large_file(true), deflated.unix_permissions(0o4777)]
    {
        let parent = tempfile::tempdir().unwrap();
        let destination = parent.path().join("new/tank");
        let report = unpack(&ordinary(options), &destination);
        assert!(report.diagnostics().is_empty(), "{report:?}");
        let text = std::fs::read_to_string(destination.join("modelDescription.xml")).unwrap();
        assert_eq!(text, "<fmiModelDescription/>".repeat(100));
        let library = destination.join("binaries/x86_64-linux/tank.so");
        assert_eq!(std::fs::read(&library).unwrap(), b"");
        assert!(destination.join("resources").is_dir());
        let beside = std::fs::read_dir(parent.path().join("new")).unwrap().count();
        assert_eq!(beside, 1, "only the destination is there");
    }
}

#[cfg(unix)]
#[test]
fn modes_in_the_archive_are_ignored() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().unwrap();
    let destination = parent.path().join("tank");
    unpack(&ordinary(SimpleFileOptions::default().unix_permissions(0o4777)), &destination);
    let library = destination.join("binaries/x86_64-linux/tank.so");
    let mode = std::fs::metadata(library).unwrap().permissions().mode();
    assert_eq!(mode & 0o7133, 0, "{mode:o}");
}

#[test]
fn one_file_is_read_into_memory() {
    let bytes = ordinary(SimpleFileOptions::default());
    let mut report = Report::default();
    let read = |entry, report: &mut Report| {
        archive::read_entry(
            Cursor::new(&bytes),
            "tank.fmu",
            entry,
            &ArchiveLimits::default(),
            report,
        )
    };
    assert_eq!(read("resources/table.csv", &mut report), Some(b"1,2\n".to_vec()));
    assert!(report.diagnostics().is_empty());
    assert_eq!(read("resources/tabel.csv", &mut report), None);
    let help = report.diagnostics()[0].help.as_deref();
    assert_eq!(help, Some("did you mean `resources/table.csv`?"));
}

#[test]
fn an_archive_lists_its_names() {
    let bytes = ordinary(SimpleFileOptions::default());
    let mut report = Report::default();
    let opened = Archive::open(
        Cursor::new(&bytes),
        "tank.fmu",
        &ArchiveLimits::default(),
        None,
        &mut report,
    );
    let opened = opened.unwrap();
    let names: Vec<&str> = opened.names().collect();
    assert_eq!(names[..2], ["resources/", "modelDescription.xml"]);
}

#[test]
fn odd_archives_are_unpacked_with_a_warning() {
    let mut cases = Cases::default();
    let old = Raw { name: b"resources/f\x81r.txt".to_vec(), ..stored("", b"x") };
    let pair = [description(), stored("resources/A", b""), stored("resources/a", b"")];
    for (name, bytes, expected) in [
        ("a name in an old code page", zip(&[description(), old]), "resources/für.txt"),
        ("names that differ in case", zip(&pair), "resources/A"),
    ] {
        let parent = tempfile::tempdir().unwrap();
        let destination = parent.path().join("odd");
        cases.add(name, &unpack(&bytes, &destination));
        assert!(destination.join(expected).is_file(), "{name}");
    }
    insta::assert_snapshot!("odd_archives", cases.finish());
}

/// Unpacks an archive that ends after its directory as it should, or in `tail`.
fn check(
    name: &str,
    entries: &[Raw],
    tail: &[u8],
    expected: &[(&str, &str)],
    codes_expected: &[&str],
) {
    let parent = tempfile::tempdir().unwrap();
    let destination = parent.path().join("unpacked");
    let report = unpack(&[&zip(entries), tail].concat(), &destination);
    let codes: Vec<&str> = report.diagnostics().iter().map(|it| it.code).collect();
    assert_eq!(codes, codes_expected, "{name}");
    assert!(destination.join("modelDescription.xml").is_file(), "{name}");
    for (file, content) in expected {
        let found = std::fs::read_to_string(destination.join(file));
        assert_eq!(found.unwrap_or_else(|error| panic!("{name}: {file}: {error}")), *content);
    }
}

#[test]
fn archives_are_read_as_tools_write_them() {
    let a = || stored("resources/a", b"one");
    let a_one = [("resources/a", "one")];
    let dotted = [
        stored("./", b""),
        stored("./modelDescription.xml", b"<x/>"),
        stored("./resources/a", b"one"),
    ];
    check("names that begin with a dot", &dotted, b"", &a_one, &[]);
    let dots = [description(), stored("./resources/.", b""), stored("././resources/./a", b"one")];
    check("dots everywhere", &dots, b"", &a_one, &[]);
    let windows = [description(), stored("resources\\", b""), stored("resources\\a", b"one")];
    check("backslashes", &windows, b"", &a_one, &["archive::backslash"]);
    let twice = [description(), a(), a(), deflated("resources/a", b"one"), description()];
    check("the same again, also packed otherwise", &twice, b"", &a_one, &["archive::copies"]);
    let spelled = [description(), stored("./resources/a", b"one"), a()];
    check("the same by two spellings", &spelled, b"", &a_one, &["archive::copies"]);
    let folders = [stored("resources/", b""), description(), stored("resources/", b""), a()];
    check("a folder twice", &folders, b"", &a_one, &[]);
    let described = Raw { flags: 1 << 3, ..a() };
    check("sizes after the data", &[description(), described], b"", &a_one, &[]);
    let flagged = Raw { flags: 1 << 11, ..stored("resources/für", b"x") };
    check(
        "a name that says it is UTF-8",
        &[description(), flagged],
        b"",
        &[("resources/für", "x")],
        &[],
    );
    check("bytes after the end", &[description(), a()], &[0; 512], &a_one, &[]);
    check("a line after the end", &[description(), a()], b"\r\n", &a_one, &[]);
    let hidden = [description(), stored("resources/.hidden/..a", b"x")];
    check("names that only look like dots", &hidden, b"", &[("resources/.hidden/..a", "x")], &[]);
}
