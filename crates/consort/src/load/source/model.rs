//! A model without a system: one component is made for it, and everything else works unchanged.

use super::Source;
use crate::load::alone::Alone;
use crate::load::file_name;
use consort_core::ModelReference;
use consort_formats::multimodel::Keys;
use consort_system::{Component, Experiment, Spanned, SystemDescription};
use std::path::{Path, PathBuf};

/// Whether a path is the name of a native block. A folder may go before it: files that the block's
/// parameters name are looked for there.
pub(super) fn is_native(path: &Path) -> bool {
    ModelReference::is_native(&file_name(path)) && !path.exists()
}

/// Whether a path is a name with a prefix, as `native:gain` is; which prefixes there are the loader
/// knows.
pub(super) fn has_prefix(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.split_once(':').is_some_and(|(prefix, _)| !prefix.contains('/')) && !path.exists()
}

/// Whether a folder is an FMU.
pub(super) fn is_fmu_folder(path: &Path) -> bool {
    path.join("modelDescription.xml").is_file()
}

/// The system of this one model; what the model's author had in mind is added when it is loaded.
pub(super) fn read(path: PathBuf) -> Source {
    let place = whole(&path);
    let (model, base) = (file_name(&place), super::folder_of(&place));
    let name = component_name(&place);
    let component = Component::new(Spanned::assumed(name.clone()), Spanned::assumed(model.clone()));
    let system = SystemDescription {
        name: name.clone(),
        experiment: Experiment::default(),
        components: vec![component],
        connections: Vec::new(),
        interventions: Vec::new(),
        inputs: None,
        nodes: Vec::new(),
    };
    let is_native = is_native(&path);
    let asked = if is_native { model } else { path.to_string_lossy().into_owned() };
    let asked_from = if is_native { base.clone() } else { PathBuf::new() };
    Source {
        path,
        text: String::new(),
        system,
        base,
        is_unpacked: false,
        is_lenient: false,
        inputs: Vec::new(),
        searched: Vec::new(),
        keys: Keys::default(),
        alone: Some(Alone { name, asked, asked_from }),
    }
}

/// `.` and `..` have no name, but the folders they stand for do.
fn whole(path: &Path) -> PathBuf {
    match path.file_name() {
        Some(_) => path.to_owned(),
        None => path.canonicalize().unwrap_or_else(|_| path.to_owned()),
    }
}

/// `BouncingBall` of `models/BouncingBall.fmu`; what no name may have becomes `_`.
fn component_name(path: &Path) -> String {
    let name = file_name(path);
    let is_fmu = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("fmu"));
    let stem = match ModelReference::of(&name) {
        ModelReference::Native(block) => block,
        // The dots of a folder's name separate no ending.
        _ if path.is_dir() && !is_fmu => &name,
        _ => name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem),
    };
    let is_fine = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
    let name = stem.replace(|letter| !is_fine(letter), "_");
    if name.is_empty() { "model".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_gives_its_component_a_name_without_dots() {
        for (path, name) in [
            ("models/BouncingBall.fmu", "BouncingBall"),
            ("my tank.v2.FMU", "my_tank_v2"),
            ("native:state-space", "state-space"),
            ("/home/me/native:table", "table"),
            ("größe.fmu", "größe"),
            (".fmu", "model"),
            ("a", "a"),
        ] {
            assert_eq!(component_name(Path::new(path)), name, "{path}");
        }
        assert_eq!(component_name(&whole(Path::new("."))), "consort", "cargo tests here");
    }

    #[test]
    fn names_with_a_prefix_are_no_paths() {
        for name in ["native:gain", "natve:gain", "native:"] {
            assert!(has_prefix(Path::new(name)), "{name}");
        }
        for name in ["gain", "a/b:c", "gain.fmu"] {
            assert!(!has_prefix(Path::new(name)), "{name}");
        }
    }
}
