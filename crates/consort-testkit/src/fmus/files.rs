//! The files of an FMU, in memory.

use super::{Fmi, TestModel, compile};
use crate::variants::{Saving, Shape};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Path inside the FMU, with `/`, and content.
pub(super) struct Files(BTreeMap<String, Vec<u8>>);

impl Files {
    /// What a source FMU of the model holds: its description, its own copy of every source but the
    /// standard's headers, its resources.
    pub(super) fn of_model(model: &TestModel, fmi: Fmi) -> Self {
        let fmus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fmus");
        let folder = fmus.join(model.name);
        let (description, glue) = match fmi {
            Fmi::V2 => ("FMI2.xml", "consort_fmi2.c"),
            Fmi::V3 => ("FMI3.xml", "consort_fmi3.c"),
        };
        let mut files = BTreeMap::new();
        files.insert("modelDescription.xml".to_string(), read(&folder.join(description)));
        files.insert("sources/model.c".to_string(), read(&folder.join("model.c")));
        collect(&folder.join("resources"), "resources/", &mut files);
        Files(files).with_build_description(model, fmi, &["model.c", glue]).with_glue()
    }

    /// The same FMU with the files of Consort that it lists as sources and does not have.
    pub(super) fn with_glue(mut self) -> Self {
        let listed: Vec<String> = self.sources().into_iter().map(str::to_owned).collect();
        let ours = listed.iter().filter(|name| name.starts_with("consort_fmi"));
        let shared = ["consort_model.h", "consort_instance.h"];
        let names: Vec<&str> =
            ours.flat_map(|name| [&[name.as_str()], &shared[..]].concat()).collect();
        for name in names {
            let file = self.0.entry(format!("sources/{name}"));
            file.or_insert_with(|| read(&compile::glue().join(name)));
        }
        self
    }

    /// The same for a model that has functions of the standard of its own, without what `shape` lacks.
    pub(super) fn of_liar(model: &TestModel, fmi: Fmi, shape: Shape) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fmus").join(model.name);
        let (description, functions) = match fmi {
            Fmi::V2 => ("FMI2.xml", "fmi2.c"),
            Fmi::V3 => ("FMI3.xml", "fmi3.c"),
        };
        let sources = ["model.c", "lies.c", "misdeeds.c", functions];
        let mut files = BTreeMap::new();
        for name in sources.iter().chain(&["liar.h"]) {
            files.insert(format!("sources/{name}"), read(&folder.join(name)));
        }
        let text = String::from_utf8(read(&folder.join(description))).expect("it is UTF-8");
        let text = without(&without(&text, "states", shape.states), "indicators", shape.indicators);
        files.insert("modelDescription.xml".to_string(), text.into_bytes());
        Files(files).with_build_description(model, fmi, &sources)
    }

    /// The same FMU, which says this about saving.
    pub(super) fn with_saving(mut self, saving: Saving) -> Self {
        let mut text = self.text("modelDescription.xml").to_owned();
        for (name, needs) in [("GetAndSet", Saving::States), ("Serialize", Saving::Bytes)] {
            for state in ["FMUstate", "FMUState"] {
                let says = |can: bool| format!("can{name}{state}=\"{can}\"");
                text = text.replace(&says(true), &says(needs <= saving));
            }
        }
        self.0.insert("modelDescription.xml".to_string(), text.into_bytes());
        self
    }

    fn with_build_description(mut self, model: &TestModel, fmi: Fmi, sources: &[&str]) -> Self {
        if fmi == Fmi::V3 {
            let build = build_description(self.identifier(), model.flags, sources);
            self.0.insert("sources/buildDescription.xml".to_string(), build.into_bytes());
        }
        self
    }

    /// All files below the folder.
    pub(super) fn of_folder(folder: &Path) -> Self {
        assert!(folder.is_dir(), "there is no folder `{}`", folder.display());
        let mut files = BTreeMap::new();
        collect(folder, "", &mut files);
        Files(files)
    }

    pub(super) fn contents(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.0
    }

    /// Puts the files into the folder.
    pub(super) fn write(&self, folder: &Path) {
        for (name, content) in &self.0 {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("a file has a folder"))
                .expect("the cache folder is writable");
            fs::write(path, content).expect("the cache folder is writable");
        }
    }

    /// The model identifier.
    pub(super) fn identifier(&self) -> &str {
        let description = self.text("modelDescription.xml");
        let interfaces = ["CoSimulation", "ModelExchange"].into_iter();
        let mut found =
            interfaces.flat_map(|name| attributes(description, name, "modelIdentifier"));
        found.next().expect("the description has an interface")
    }

    /// Names of the C files to compile, in the folder `sources`.
    pub(super) fn sources(&self) -> Vec<&str> {
        match self.version() {
            Fmi::V2 => sources_of_fmi2(self.text("modelDescription.xml")),
            Fmi::V3 => attributes(self.text("sources/buildDescription.xml"), "SourceFile", "name"),
        }
    }

    /// Where the binary for this platform belongs.
    pub(super) fn library_path(&self) -> PathBuf {
        let system = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
        let extension = if cfg!(target_os = "macos") { "dylib" } else { "so" };
        let platform = match self.version() {
            Fmi::V2 => format!("{system}64"),
            Fmi::V3 => format!("{}-{system}", std::env::consts::ARCH),
        };
        Path::new("binaries").join(platform).join(format!("{}.{extension}", self.identifier()))
    }

    fn version(&self) -> Fmi {
        let description = self.text("modelDescription.xml");
        match attributes(description, "fmiModelDescription", "fmiVersion").first() {
            Some(&"2.0") => Fmi::V2,
            Some(&"3.0") => Fmi::V3,
            other => panic!("the FMI version is {other:?}"),
        }
    }

    fn text(&self, name: &str) -> &str {
        let bytes = self.0.get(name).unwrap_or_else(|| panic!("the FMU has no `{name}`"));
        std::str::from_utf8(bytes).expect("our descriptions are UTF-8")
    }
}

/// Each file once: an FMU with two interfaces names them in both.
fn sources_of_fmi2(description: &str) -> Vec<&str> {
    let mut names = attributes(description, "File", "name");
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    names
}

/// A description without the lines between `<!-- with WHAT: begin -->` and `<!-- with WHAT: end -->`, unless
/// the model has it.
fn without(text: &str, what: &str, has: bool) -> String {
    if has {
        return text.to_owned();
    }
    let (begin, end) = (format!("with {what}: begin"), format!("with {what}: end"));
    let mut inside = false;
    let mut left = String::new();
    for line in text.lines() {
        inside |= line.contains(&begin);
        if !inside {
            left.push_str(line);
            left.push('\n');
        }
        inside &= !line.contains(&end);
    }
    match what {
        "indicators" => {
            left.replace("numberOfEventIndicators=\"1\"", "numberOfEventIndicators=\"0\"")
        }
        _ => left,
    }
}

fn build_description(identifier: &str, flags: &[&str], sources: &[&str]) -> String {
    let options = match flags {
        [] => String::new(),
        _ => format!(r#" compiler="gcc" compilerOptions="{}""#, flags.join(" ")),
    };
    let file = |name: &&str| format!("      <SourceFile name=\"{name}\"/>\n");
    let sources: String = sources.iter().map(file).collect();
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiBuildDescription fmiVersion="3.0">
  <BuildConfiguration modelIdentifier="{identifier}">
    <SourceFileSet language="C99"{options}>
{sources}    </SourceFileSet>
    <Library name="m" external="true"/>
  </BuildConfiguration>
</fmiBuildDescription>
"#
    )
}

/// Values of an attribute of all elements of that name. Enough XML for files we wrote ourselves; no
/// parser, so that the kit shares none with the code under test.
fn attributes<'a>(xml: &'a str, element: &str, attribute: &str) -> Vec<&'a str> {
    let open = format!("<{element} ");
    let key = format!(" {attribute}=\"");
    let value = |tag: &'a str| {
        let tag = &tag[..tag.find('>')?];
        tag.split_once(&key).and_then(|(_, rest)| rest.split('"').next())
    };
    xml.match_indices(&open).filter_map(|(at, _)| value(&xml[at + open.len() - 1..])).collect()
}

/// Adds all files below the folder, if it exists.
fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("the folder stays readable").path();
        let name = path.file_name().expect("an entry has a name").to_string_lossy().into_owned();
        if path.is_dir() {
            collect(&path, &format!("{prefix}{name}/"), files);
        } else {
            files.insert(format!("{prefix}{name}"), read(&path));
        }
    }
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()))
}
