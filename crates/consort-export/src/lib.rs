//! FMUs made of compiled equations.
//!
//! [`fmu_files`] gives every file of an FMU but its binary: `modelDescription.xml` of FMI 2.0 or 3.0 with Model
//! Exchange and Co-Simulation, C sources that need nothing but a C compiler, a page of documentation.
//! [`sources`] writes a model's programs as C and puts the runtime beside them: events, delays, a solver
//! and the functions of the standard. What is made depends on the model alone, so equal models give
//! equal bytes. Nothing is read, written or compiled here.
//!
//! ```
//! use consort_core::Report;
//! use consort_equations::{compile, read};
//! use consort_export::{FmiVersion, FmuOptions, fmu_files};
//!
//! let mut report = Report::default();
//! let text = "model decay\n  output state x = 1\n  der(x) = -x\nend";
//! let model = read("decay.eq", text, &mut report).expect("well written");
//! let equations = compile(&model, &mut report).expect("well defined");
//! let files = fmu_files(&equations, &FmuOptions::new(FmiVersion::V2));
//! let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
//! assert!(names.contains(&"modelDescription.xml") && names.contains(&"sources/model.c"));
//! ```

mod c;
mod description;
mod documentation;
mod xml;

pub use c::sources;
pub use consort_fmi::description::FmiVersion;

use consort_core::model::DefaultExperiment;
use consort_equations::Equations;
use consort_fmi::headers;
use description::Subject;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// The author of the FMU.
const TOOL: &str = concat!("Consort ", env!("CARGO_PKG_VERSION"));

/// How an FMU is known to the tools that load it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Identity {
    /// The model identifier: the name of the binary. A C identifier.
    pub model_identifier: String,
    /// The GUID (FMI 2) or instantiation token (FMI 3): ties a binary to its description.
    pub token: String,
}

/// What is decided about an FMU beside its model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FmuOptions {
    /// The version of the standard.
    pub version: FmiVersion,
    /// What the model is called, if not as its equations say.
    pub name: Option<String>,
    /// The experiment others are to start from; what is left out is as the equations say.
    pub experiment: DefaultExperiment,
}

impl FmuOptions {
    /// Without wishes beside the version.
    pub fn new(version: FmiVersion) -> Self {
        FmuOptions { version, name: None, experiment: DefaultExperiment::default() }
    }

    /// The name of the model.
    fn name_of<'a>(&'a self, equations: &'a Equations) -> &'a str {
        self.name.as_deref().unwrap_or(&equations.name)
    }

    /// The same with the experiment complete.
    fn filled(&self, equations: &Equations) -> Self {
        let (ours, theirs) = (&self.experiment, &equations.experiment);
        let experiment = DefaultExperiment {
            start: ours.start.clone(),
            stop: ours.stop.clone().or_else(|| theirs.stop.clone()),
            tolerance: ours.tolerance.clone().or_else(|| theirs.tolerance.clone()),
            step: ours.step.clone().or_else(|| theirs.step.clone()),
        };
        FmuOptions { experiment, ..self.clone() }
    }
}

/// Every file of the FMU but its binary, by path with `/`.
///
/// # Determinism
/// Equal models and options give equal bytes. The token is a hash of everything else, so FMUs with equal tokens
/// are equal.
pub fn fmu_files(equations: &Equations, options: &FmuOptions) -> Vec<(String, Vec<u8>)> {
    let options = &options.filled(equations);
    // The FMU's own solver follows the experiment, too.
    let mut equations = equations.clone();
    equations.experiment.tolerance.clone_from(&options.experiment.tolerance);
    let equations = &equations;
    let model_identifier = identifier(options.name_of(equations));
    let unsigned = Identity { model_identifier: model_identifier.clone(), token: String::new() };
    let token = token(&files(equations, options, &unsigned));
    let identity = Identity { model_identifier, token };
    let files = files(equations, options, &identity);
    files.into_iter().map(|(path, text)| (path, text.into_bytes())).collect()
}

/// The base name of an FMU's binary: what is left of a model's name in a C identifier.
pub fn identifier(name: &str) -> String {
    let is_fine = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let name = name.replace(|letter| !is_fine(letter), "_");
    match name.chars().next() {
        Some(first) if !first.is_ascii_digit() => name,
        _ => format!("model_{name}"),
    }
}

fn files(
    equations: &Equations,
    options: &FmuOptions,
    identity: &Identity,
) -> Vec<(String, String)> {
    let code = sources(equations, options.version, identity);
    let is_unit = |name: &&String| name.ends_with(".c");
    let units: Vec<String> = code.iter().map(|(name, _)| name).filter(is_unit).cloned().collect();
    let subject = Subject { equations, options, identity, units_of_code: &units };
    let mut files = vec![
        ("modelDescription.xml".to_owned(), description::write(&subject)),
        ("documentation/index.html".to_owned(), documentation::page(equations, options)),
        ("documentation/licenses/license.txt".to_owned(), documentation::license()),
    ];
    let headers = match options.version {
        FmiVersion::V2 => headers::FMI2,
        FmiVersion::V3 => {
            let path = "sources/buildDescription.xml".to_owned();
            files.push((path, description::build_description(&subject)));
            headers::FMI3
        }
    };
    let headers = headers.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let sources = code.into_iter().chain(headers);
    files.extend(sources.map(|(name, text)| (format!("sources/{name}"), text)));
    files
}

/// A hash in the form of a GUID, which some tools insist on.
fn token(files: &[(String, String)]) -> String {
    let mut hash = Sha256::new();
    for (path, text) in files {
        for part in [path, text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    let mut token = "{".to_owned();
    for (at, byte) in hash.finalize().into_iter().take(16).enumerate() {
        if [4, 6, 8, 10].contains(&at) {
            token.push('-');
        }
        let _ = write!(token, "{byte:02x}");
    }
    token + "}"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_gives_a_c_identifier() {
        for (name, expected) in [
            ("bouncing_ball", "bouncing_ball"),
            ("native:state-space", "native_state_space"),
            ("2 tanks", "model_2_tanks"),
            ("größe", "gr__e"),
            ("", "model_"),
        ] {
            assert_eq!(identifier(name), expected, "{name}");
        }
    }
}
