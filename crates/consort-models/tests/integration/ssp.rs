//! `.ssp` archives: packed, unpacked, refused.

use consort_core::Report;
use consort_models::pack::{PackError, Packed, write_archive};
use consort_models::ssp::SspFolder;
use consort_models::{Loader, LoaderOptions, ModelRequest};
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use std::fs::{self, File};
use std::io::{Cursor, Write as _};
use std::path::Path;

fn pack(files: &[(&str, &str)], resources: &[Packed]) -> Vec<u8> {
    let own = |(path, text): &(&str, &str)| ((*path).to_owned(), text.as_bytes().to_vec());
    let files: Vec<(String, Vec<u8>)> = files.iter().map(own).collect();
    let mut out = Cursor::new(Vec::new());
    write_archive(&mut out, &files, resources).unwrap();
    out.into_inner()
}

fn open(bytes: &[u8], report: &mut Report) -> Option<(SspFolder, tempfile::TempDir)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("demo.ssp");
    fs::write(&path, bytes).unwrap();
    let cache = folder.path().join("cache");
    let opened = SspFolder::open(&path, &cache, report)?;
    // The second time it is there already.
    assert_eq!(SspFolder::open(&path, &cache, report), Some(opened.clone()));
    assert_eq!(fs::read_dir(cache.join("ssp")).unwrap().count(), 1, "nothing is left behind");
    Some((opened, folder))
}

fn said(bytes: &[u8]) -> String {
    let mut report = Report::default();
    assert!(open(bytes, &mut report).is_none());
    let lines = report.diagnostics().iter().map(|it| {
        let message = it.message.replace('\\', "/");
        let start = message.find("demo.ssp").unwrap_or(0);
        format!("{}: {} ({})", it.code, &message[start..], it.help.as_deref().unwrap_or_default())
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn models_of_an_archive_are_found_in_it() {
    let archive = fmus::build("gain", Fmi::V2, &BuildOptions::archive());
    let folder = fmus::build("gain", Fmi::V3, &BuildOptions::source());
    let packed = [
        Packed { source: archive, path: "resources/two.fmu".to_owned() },
        Packed { source: folder, path: "resources/three.fmu".to_owned() },
    ];
    let bytes =
        pack(&[("SystemStructure.ssd", "<a/>"), ("b.ssd", "<b/>"), ("v/x.ssv", "<c/>")], &packed);
    let mut report = Report::default();
    let (ssp, _folder) = open(&bytes, &mut report).unwrap();
    assert_eq!(ssp.variants, ["SystemStructure.ssd", "b.ssd"]);
    assert_eq!(ssp.read("v/x.ssv", &mut report).as_deref(), Some(b"<c/>".as_slice()));
    for outside in ["../x", "/etc/passwd", "v/../../x", "missing", ""] {
        assert_eq!(ssp.read(outside, &mut report), None, "{outside}");
    }
    let cache = ssp.root.join("cache");
    let mut loader = Loader::new(LoaderOptions::new(cache));
    for model in ["resources/two.fmu", "resources/three.fmu"] {
        let base = ssp.root.as_path();
        let request = ModelRequest { component: "a", ..ModelRequest::new(model, base) };
        assert!(loader.load(&request, &mut report).is_some(), "{:?}", report.diagnostics());
    }
}

#[test]
fn the_same_content_gives_the_same_bytes() {
    let source = fmus::build("gain", Fmi::V2, &BuildOptions::source());
    let packed = [Packed { source, path: "resources/gain.fmu".to_owned() }];
    let files = [("b.ssd", "<b/>"), ("SystemStructure.ssd", "<a/>")];
    let bytes = pack(&files, &packed);
    assert_eq!(bytes, pack(&files, &packed));
    assert_eq!(bytes, pack(&[files[1], files[0]], &packed), "the order of files does not matter");
}

#[test]
fn a_resource_that_is_not_there_is_named() {
    let packed = [Packed { source: "missing.fmu".into(), path: "resources/a.fmu".to_owned() }];
    let error = write_archive(Cursor::new(Vec::new()), &[], &packed).unwrap_err();
    assert!(
        matches!(&error, PackError::Unreadable { path, .. } if path == Path::new("missing.fmu"))
    );
    assert!(error.to_string().starts_with("`missing.fmu` cannot be read: "), "{error}");
}

#[test]
fn a_folder_is_used_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    assert!(!SspFolder::is_ssp(folder.path()));
    fs::write(folder.path().join("SystemStructure.ssd"), "<a/>").unwrap();
    assert!(SspFolder::is_ssp(folder.path()));
    assert!(SspFolder::is_ssp(Path::new("x.SSP")));
    let opened = SspFolder::open(folder.path(), Path::new("unused"), &mut Report::default());
    let opened = opened.unwrap();
    assert_eq!(opened.root, folder.path());
    assert_eq!((opened.sha256, opened.variants.len()), (None, 1));
}

#[test]
fn archives_that_are_hostile_or_no_ssp_are_refused() {
    let mut hostile = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    hostile.start_file("../../evil.ssd", options).unwrap();
    hostile.write_all(b"<a/>").unwrap();
    let hostile = hostile.finish().unwrap().into_inner();
    assert!(said(&hostile).starts_with("archive::"), "{}", said(&hostile));
    assert!(said(b"no archive").starts_with("archive::"), "{}", said(b"no archive"));
    assert_eq!(
        said(&pack(&[("readme.txt", "")], &[])),
        "ssp::no-structure: demo.ssp` has no `.ssd` file at its top (an SSP has `SystemStructure.ssd` at its top)"
    );
    assert_eq!(
        said(&pack(&[("demo/SystemStructure.ssd", "")], &[])),
        "ssp::no-structure: demo.ssp` has no `.ssd` file at its top (there is one in `demo`: pack what is in that folder, not the folder itself)"
    );
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let mut report = Report::default();
    assert!(SspFolder::open(Path::new("missing.ssp"), Path::new("unused"), &mut report).is_none());
    assert_eq!(report.diagnostics()[0].code, "ssp::unreadable");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ssp");
    drop(File::create(&path).unwrap());
    assert!(
        SspFolder::open(&path, &path, &mut report).is_none(),
        "an empty file, a cache that is none"
    );
}

/// An archive with these files.
fn archive(path: &std::path::Path, files: &[(&str, &[u8])]) {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let files: Vec<(String, Vec<u8>)> =
        files.iter().map(|(name, content)| ((*name).to_owned(), content.to_vec())).collect();
    consort_models::pack::write_archive(&mut bytes, &files, &[]).unwrap();
    std::fs::write(path, bytes.into_inner()).unwrap();
}

#[test]
fn an_archive_in_a_folder_or_in_another_archive_is_a_folder() {
    let world = tempfile::tempdir().unwrap();
    let cache = world.path().join("cache");
    let inner = world.path().join("inner.ssp");
    archive(&inner, &[("SystemStructure.ssd", b"<inner/>"), ("a/b.ssv", b"<b/>")]);
    let inner_bytes = std::fs::read(&inner).unwrap();
    let outer = world.path().join("outer.ssp");
    archive(&outer, &[("SystemStructure.ssd", b"<outer/>"), ("r/inner.ssp", &inner_bytes)]);
    let folder = world.path().join("folder");
    std::fs::create_dir_all(folder.join("r")).unwrap();
    std::fs::write(folder.join("SystemStructure.ssd"), "<outer/>").unwrap();
    std::fs::copy(&inner, folder.join("r/inner.ssp")).unwrap();
    std::fs::write(folder.join("r/bad.ssp"), "no archive").unwrap();
    for place in [&outer, &folder] {
        let mut report = Report::default();
        let ssp = SspFolder::open(place, &cache, &mut report).unwrap();
        let mut read = |path: &str| ssp.read(path, &mut report);
        assert_eq!(read("r/inner.ssp/a/b.ssv").as_deref(), Some(b"<b/>".as_slice()));
        assert_eq!(read("r/inner.ssp/none.ssv"), None);
        assert_eq!(read("r/inner.ssp/../../x"), None);
        assert_eq!(report.diagnostics(), &[]);
    }
    let mut report = Report::default();
    let ssp = SspFolder::open(&folder, &cache, &mut report).unwrap();
    assert_eq!(ssp.read("r/bad.ssp/SystemStructure.ssd", &mut report), None);
    assert_eq!(ssp.read("r/bad.ssp/other.ssd", &mut report), None);
    assert_eq!(report.error_count(), 1, "{:?}", report.diagnostics());
    assert!(report.diagnostics()[0].message.contains("r/bad.ssp"));
}

#[test]
fn archives_are_not_followed_without_end() {
    let world = tempfile::tempdir().unwrap();
    let mut bytes = b"<last/>".to_vec();
    let mut path = "SystemStructure.ssd".to_owned();
    for depth in 0..20 {
        let file = world.path().join("a.ssp");
        let name = if depth == 0 { "SystemStructure.ssd" } else { "a.ssp" };
        archive(&file, &[(name, &bytes)]);
        bytes = std::fs::read(&file).unwrap();
        path = format!("a.ssp/{path}");
    }
    let mut nested = consort_models::ssp::Nested::new(&world.path().join("cache"));
    let mut report = Report::default();
    assert_eq!(nested.located(&world.path().join(&path), &mut report), None);
    assert_eq!(report.diagnostics()[0].code, "ssp::limit");
    let short = world.path().join("a.ssp/a.ssp/a.ssp");
    assert!(nested.located(&short, &mut report).is_some_and(|it| it.is_file()));
}
