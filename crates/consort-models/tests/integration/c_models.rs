//! Models in C, for which Consort supplies the functions of the standard.

use crate::loader::{Place, answer};
use consort_models::{InputFileRole, pack};
use std::fs;
use std::path::Path;

/// A block of the page about them.
fn block(language: &str) -> &'static str {
    let page = include_str!("../../../../docs/c-models.md");
    let (_, rest) = page.split_once(&format!("```{language}\n")).expect("the page has one");
    rest.split("```").next().unwrap()
}

/// The model of the page as a folder.
fn write(folder: &Path) {
    fs::create_dir_all(folder.join("sources")).unwrap();
    fs::write(folder.join("modelDescription.xml"), block("xml")).unwrap();
    fs::write(folder.join("sources/lag.c"), block("c")).unwrap();
}

const SUPPLIED: [&str; 3] = ["consort_fmi2.c", "consort_instance.h", "consort_model.h"];

#[test]
fn the_model_of_the_page_runs_and_names_what_was_supplied() {
    let place = Place::new();
    write(&place.base().join("lag"));
    let loaded = place.load(&mut place.loader(), "lag").unwrap();
    assert_eq!(answer(&loaded, 8.0), 4.0);
    let sources = loaded.inputs.iter().filter(|file| file.role == InputFileRole::Source);
    let names: Vec<&str> = sources.map(|file| file.path.as_str()).collect();
    let supplied = SUPPLIED.map(|name| format!("lag/sources/{name}"));
    assert_eq!(names, [&supplied[..], &["lag/sources/lag.c".to_owned()]].concat());
    assert!(!place.base().join("lag/sources/consort_fmi2.c").exists());
}

#[test]
fn what_is_supplied_is_in_the_archive() {
    let place = Place::new();
    let folder = place.base().join("lag");
    write(&folder);
    let archive = pack::resource_bytes(&folder).unwrap();
    fs::write(place.base().join("packed.fmu"), archive).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    let loaded = place.load(&mut place.loader(), "packed.fmu").unwrap();
    assert_eq!(answer(&loaded, 8.0), 4.0);
    let names = pack_names(&place.base().join("packed.fmu"));
    for name in SUPPLIED {
        assert!(names.contains(&format!("sources/{name}")), "{names:?}");
    }
}

fn pack_names(archive: &Path) -> Vec<String> {
    let archive = zip::ZipArchive::new(fs::File::open(archive).unwrap()).unwrap();
    archive.file_names().map(|name| name.unwrap().into_owned()).collect()
}

/// A copy in the folder is what is compiled.
#[test]
fn a_folder_with_a_copy_of_its_own_uses_it() {
    let place = Place::new();
    let folder = place.base().join("lag");
    write(&folder);
    for (path, bytes) in pack::folder_files(&folder).unwrap() {
        let text = String::from_utf8(bytes).unwrap();
        let changed = text.replace("fmi2GetReal(fmi2Component", "fmi2GetReal(#error own copy");
        fs::write(folder.join(&path), changed).unwrap();
    }
    let message = place.load(&mut place.loader(), "lag").err().unwrap();
    assert!(message.contains("consort_fmi2.c") && message.contains("own copy"), "{message}");
}
