//! Our test models as FMUs.

pub(crate) mod compile;
mod files;

use crate::variants::{Saving, Shape};
use crate::{archive, cache};
use files::Files;
use std::fs;
use std::path::{Path, PathBuf};

/// The version of the standard an FMU is made for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fmi {
    /// FMI 2.0.
    V2,
    /// FMI 3.0.
    V3,
}

/// One of our C models, in the folder `fmus/NAME`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TestModel {
    /// The name of its folder.
    pub name: &'static str,
    /// The versions it exists in.
    pub versions: &'static [Fmi],
    /// Additional flags of its compiler; part of what the model is about.
    pub flags: &'static [&'static str],
}

const BOTH: &[Fmi] = &[Fmi::V2, Fmi::V3];

const fn model(name: &'static str) -> TestModel {
    TestModel { name, versions: BOTH, flags: &[] }
}

/// All models for Co-Simulation only.
pub const MODELS: &[TestModel] = &[
    model("bouncing-ball"),
    TestModel { versions: &[Fmi::V3], ..model("clocks") },
    model("counter-static"),
    TestModel { flags: &["-ffast-math"], ..model("fastmath") },
    model("feedthrough"),
    TestModel { versions: &[Fmi::V2], ..model("fickle") },
    model("gain"),
    TestModel { flags: &["-pthread"], ..model("hazard") },
    model("hidden"),
    model("integrator"),
    TestModel { versions: &[Fmi::V2], ..model("keeper") },
    model("misbehave"),
    model("mixed"),
    model("oscillator"),
    TestModel { versions: &[Fmi::V2], ..model("paced") },
    model("resource"),
    model("stair"),
    TestModel { versions: &[Fmi::V3], ..model("statespace") },
];

/// Models that offer Model Exchange; `dahlquist` offers both interfaces, the others nothing else.
pub const EXCHANGE_MODELS: &[TestModel] = &[
    model("dahlquist"),
    model("exchange-ball"),
    model("exchange-mass"),
    model("exchange-rescaled"),
    TestModel { versions: &[Fmi::V3], ..model("exchange-rod") },
    model("exchange-stair"),
    model("exchange-vanderpol"),
    model("exchange-wall"),
];

/// The model for both interfaces whose saved states lack what a flag of its compiler says: see its README.
const FORGETFUL: TestModel = TestModel { flags: &["-pthread"], ..model("forgetful") };

/// The model that misbehaves as the name of its instance says, with functions of the standard of its own.
const LIAR: TestModel = TestModel { flags: &["-pthread"], ..model("liar") };

/// The model for both interfaces whose saved states lack what its parameters say.
const AMNESIAC: TestModel = model("amnesiac");

/// How an FMU is made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BuildOptions {
    /// Compile a binary for this platform.
    pub binary: bool,
    /// Make a `.fmu` archive instead of a folder.
    pub zip: bool,
    /// Additional flags of the compiler.
    pub flags: Vec<String>,
}

impl BuildOptions {
    /// A folder without binaries.
    pub fn source() -> Self {
        Self::default()
    }

    /// A folder with a binary.
    pub fn binary() -> Self {
        BuildOptions { binary: true, ..Self::default() }
    }

    /// An archive with a binary.
    pub fn archive() -> Self {
        BuildOptions { zip: true, ..Self::binary() }
    }

    /// An archive without binaries.
    pub fn source_archive() -> Self {
        BuildOptions { zip: true, ..Self::source() }
    }
}

/// Makes the model's FMU; its path.
///
/// # Panics
/// If there is no such model, or it does not compile.
pub fn build(name: &str, fmi: Fmi, options: &BuildOptions) -> PathBuf {
    let mut models = MODELS.iter().chain(EXCHANGE_MODELS).chain([&FORGETFUL]);
    let model = models.find(|model| model.name == name);
    let model = model.unwrap_or_else(|| panic!("there is no test model `{name}`"));
    assert!(model.versions.contains(&fmi), "the test model `{name}` does not exist in {fmi:?}");
    let mut options = options.clone();
    options.flags.extend(model.flags.iter().map(ToString::to_string));
    build_files(name, &Files::of_model(model, fmi), &options)
}

/// Makes the model `liar`, which does what the name of its instance says (see [`crate::liar`]), as a folder
/// with a binary; its path.
///
/// # Panics
/// If it does not compile.
pub fn build_liar(fmi: Fmi, shape: Shape) -> PathBuf {
    let files = Files::of_liar(&LIAR, fmi, shape);
    let mut flags: Vec<String> = LIAR.flags.iter().map(ToString::to_string).collect();
    let missing = [(shape.states, "-DSTATELESS"), (shape.indicators, "-DSMOOTH")];
    flags.extend(missing.iter().filter(|(has, _)| !has).map(|(_, flag)| (*flag).to_owned()));
    build_files(LIAR.name, &files, &BuildOptions { flags, ..BuildOptions::binary() })
}

/// Makes the model `amnesiac` (see [`crate::amnesiac`]), which says this about saving, as a folder with a
/// binary; its path.
///
/// # Panics
/// If it does not compile.
pub fn build_amnesiac(fmi: Fmi, saving: Saving) -> PathBuf {
    let files = Files::of_model(&AMNESIAC, fmi).with_saving(saving);
    build_files(AMNESIAC.name, &files, &BuildOptions::binary())
}

/// The model as a source FMU: a folder without binaries.
///
/// # Panics
/// As [`build`].
pub fn source_fmu_folder(name: &str, fmi: Fmi) -> PathBuf {
    build(name, fmi, &BuildOptions::source())
}

/// Makes an FMU of any source FMU folder, such as those of the examples; its path.
///
/// # Panics
/// If the folder cannot be read or does not compile.
pub fn build_folder(folder: &Path, options: &BuildOptions) -> PathBuf {
    let name = folder.file_name().expect("the folder has a name").to_string_lossy();
    build_files(&name, &Files::of_folder(folder).with_glue(), options)
}

/// The folder of an example, such as `quickstart/tank`.
pub fn example(path: &str) -> PathBuf {
    cache::workspace().join("examples").join(path)
}

/// The shared library in an FMU folder made with a binary.
///
/// # Panics
/// If there is none.
pub fn library(folder: &Path) -> PathBuf {
    let binary = Files::of_folder(folder).library_path();
    let path = folder.join(binary);
    assert!(path.is_file(), "`{}` has no binary", folder.display());
    path
}

fn build_files(name: &str, files: &Files, options: &BuildOptions) -> PathBuf {
    let leaf = if options.zip { format!("{name}.fmu") } else { name.to_string() };
    let make = |folder: &Path| {
        let content = folder.join(name);
        files.write(&content);
        if options.binary {
            compile::library(&content, files, &options.flags);
        }
        if options.zip {
            archive::write(&folder.join(&leaf), Files::of_folder(&content).contents());
            fs::remove_dir_all(&content).expect("it was written just now");
        }
    };
    cache::folder(name, &key(files, options), make).join(&leaf)
}

fn key(files: &Files, options: &BuildOptions) -> String {
    let kind = [u8::from(options.binary), u8::from(options.zip)];
    let headers = Files::of_folder(&compile::headers());
    let contents = files.contents().iter().chain(headers.contents());
    let parts = contents.flat_map(|(path, content)| [path.as_bytes(), content.as_slice()]);
    let flags = options.flags.iter().map(String::as_bytes);
    cache::key(parts.chain([kind.as_slice()]).chain(flags))
}
