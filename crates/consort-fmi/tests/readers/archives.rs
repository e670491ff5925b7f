//! Archives that are read, some with a warning.

use crate::raw_zip::{Raw, description, stored, zip};
use crate::render::Cases;
use consort_core::Report;
use consort_fmi::archive::{self, Archive, Limits};
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
    let limits = Limits::default();
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
        archive::read_entry(Cursor::new(&bytes), "tank.fmu", entry, &Limits::default(), report)
    };
    assert_eq!(read("resources/table.csv", &mut report), Some(b"1,2\n".to_vec()));
    assert!(report.diagnostics().is_empty());
    assert_eq!(read("resources/tabel.csv", &mut report), None);
    let help = report.diagnostics()[0].help.as_deref();
    assert_eq!(help, Some("did you mean `resources/table.csv`?"));
}

#[test]
fn an_archive_tells_its_names() {
    let bytes = ordinary(SimpleFileOptions::default());
    let mut report = Report::default();
    let opened =
        Archive::open(Cursor::new(&bytes), "tank.fmu", &Limits::default(), None, &mut report);
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
