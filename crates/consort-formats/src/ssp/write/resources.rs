//! Where the files that a system names are put into its SSP.

use super::super::equations_type;
use consort_core::Literal;
use consort_system::{Component, Parameter};
use std::collections::{BTreeMap, BTreeSet};

/// A file or folder that belongs into an SSP.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resource {
    /// As the system names it: a path from its folder. An FMU may be a folder; it becomes an archive.
    pub source: String,
    /// Its place in the SSP.
    pub path: String,
}

/// The files met so far.
#[derive(Default)]
pub(super) struct Resources {
    places: BTreeMap<String, usize>,
    list: Vec<Resource>,
    used: BTreeSet<String>,
}

impl Resources {
    /// The place of an FMU, which becomes an archive, or of equations.
    pub(super) fn model(&mut self, source: &str) -> String {
        let is_fmu = equations_type(source).is_none();
        self.place(source, is_fmu.then_some(".fmu"))
    }

    /// The place of any other file.
    pub(super) fn file(&mut self, source: &str) -> String {
        self.place(source, None)
    }

    /// The parameters of a component; those that name a file name its place.
    pub(super) fn parameters(&mut self, component: &Component) -> Vec<Parameter> {
        let mut parameters = component.parameters.clone();
        if component.model.value != "native:table" {
            return parameters;
        }
        for parameter in parameters.iter_mut().filter(|it| it.name.value == "file") {
            if let Literal::Text(path) = &mut parameter.value.value {
                *path = self.file(path);
            }
        }
        parameters
    }

    pub(super) fn list(self) -> Vec<Resource> {
        self.list
    }

    fn place(&mut self, source: &str, ending: Option<&str>) -> String {
        if let Some(&known) = self.places.get(source) {
            return self.list[known].path.clone();
        }
        let file = source.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next();
        let file = file.filter(|file| !matches!(*file, "" | "." | "..")).unwrap_or("model");
        let (stem, own) =
            file.rsplit_once('.').map_or((file, ""), |(stem, _)| (stem, &file[stem.len()..]));
        let (stem, ending) = match ending {
            Some(ending) if !own.eq_ignore_ascii_case(ending) => (file, ending),
            _ => (stem, own),
        };
        let numbered = (2u32..).map(|number| format!("resources/{stem}_{number}{ending}"));
        let mut all = std::iter::once(format!("resources/{stem}{ending}")).chain(numbered);
        // Archives may be unpacked where the case of letters does not count.
        let path = all.find(|path| self.used.insert(path.to_lowercase()));
        let path = path.expect("there are more numbers than files");
        self.places.insert(source.to_owned(), self.list.len());
        self.list.push(Resource { source: source.to_owned(), path: path.clone() });
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_a_place_of_its_own() {
        let mut resources = Resources::default();
        for (source, path) in [
            ("../fmus/tank.fmu", "resources/tank.fmu"),
            ("other/Tank.fmu", "resources/Tank_2.fmu"),
            ("../fmus/tank.fmu", "resources/tank.fmu"),
            ("folder/", "resources/folder.fmu"),
            ("a.b", "resources/a.b.fmu"),
            ("..", "resources/model.fmu"),
            ("models/ball.eq", "resources/ball.eq"),
            ("BIOMD1.XML", "resources/BIOMD1.XML"),
        ] {
            assert_eq!(resources.model(source), path);
        }
        assert_eq!(resources.file("data/in.csv"), "resources/in.csv");
        assert_eq!(resources.list().len(), 8);
    }
}
