//! The fuzz targets over their corpora, plain and damaged at random: a short fuzz run that needs no
//! tool.

use consort_fmi::fuzz;
use consort_testkit::fuzz::{corpus, drive};

#[test]
fn damaged_descriptions_never_panic() {
    drive("description", fuzz::description, 2500);
}

#[test]
fn damaged_archives_never_panic() {
    drive("archive", fuzz::archive, 4000);
}

#[test]
fn damaged_build_descriptions_never_panic() {
    drive("build-description", fuzz::build, 2500);
}

#[test]
fn archives_of_another_tool_are_read() {
    let good = ["small", "stored", "streamed", "zip64"];
    for (path, bytes) in corpus("archive") {
        let mut report = consort_core::Report::default();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if name.starts_with("found-") {
            continue; // left by a fuzzer
        }
        let text = consort_fmi::archive::read_entry(
            std::io::Cursor::new(bytes),
            &name,
            "modelDescription.xml",
            &consort_fmi::archive::ArchiveLimits::default(),
            &mut report,
        );
        let is_read = text.as_deref() == Some(b"<fmiModelDescription/>");
        let harmless = good.contains(&name.as_str()) || name == "zeros";
        assert_eq!(is_read, harmless, "{name}: {report:?}");
    }
}
