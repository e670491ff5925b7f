//! `modelDescription.xml`: the interface of an FMU, for both versions of the standard.

mod structure;
mod units;
pub(crate) mod variables;

use crate::xml::{Attributes, XmlWriter};
use crate::{FmiVersion, FmuOptions, Identity};
use consort_core::model::DefaultExperiment;
use consort_equations::Equations;

/// An FMU in the making: everything its description is about.
pub(crate) struct Subject<'a> {
    pub(crate) equations: &'a Equations,
    pub(crate) options: &'a FmuOptions,
    pub(crate) identity: &'a Identity,
    /// The C files below `sources`.
    pub(crate) units_of_code: &'a [String],
}

/// The log categories that an FMU's messages have.
const LOG_CATEGORIES: [(&str, &str); 2] =
    [("logStatusError", "why a call failed"), ("logStatusWarning", "what is odd")];

/// Writes `modelDescription.xml`.
pub(crate) fn write(subject: &Subject<'_>) -> String {
    XmlWriter::document("fmiModelDescription", &head(subject), |xml| {
        interfaces(xml, subject);
        units::write(xml, subject.equations);
        xml.element("LogCategories", &[], |xml| {
            for (name, description) in LOG_CATEGORIES {
                let attributes = [("name", name), ("description", description)];
                xml.leaf("Category", &attributes.map(|(name, value)| (name, value.to_owned())));
            }
        });
        default_experiment(xml, &subject.options.experiment);
        variables::write(xml, subject.equations, subject.options.version);
        structure::write(xml, subject.equations, subject.options.version);
    })
}

fn head(subject: &Subject<'_>) -> Attributes<'static> {
    let (equations, identity) = (subject.equations, subject.identity);
    let (version, token) = match subject.options.version {
        FmiVersion::V2 => ("2.0", "guid"),
        FmiVersion::V3 => ("3.0", "instantiationToken"),
    };
    let mut head = vec![
        ("fmiVersion", version.to_owned()),
        ("modelName", subject.options.name_of(equations).to_owned()),
        (token, identity.token.clone()),
    ];
    if !equations.description.is_empty() {
        head.push(("description", equations.description.clone()));
    }
    head.push(("generationTool", crate::TOOL.to_owned()));
    head.push(("variableNamingConvention", "flat".to_owned()));
    if subject.options.version == FmiVersion::V2 {
        head.push(("numberOfEventIndicators", equations.indicators.len().to_string()));
    }
    head
}

/// Model Exchange and Co-Simulation, by one binary.
fn interfaces(xml: &mut XmlWriter, subject: &Subject<'_>) {
    let version = subject.options.version;
    for (name, of_its_own) in [
        ("ModelExchange", exchange_flags(subject)),
        ("CoSimulation", vec![("canHandleVariableCommunicationStepSize", true)]),
    ] {
        let mut attributes = vec![("modelIdentifier", subject.identity.model_identifier.clone())];
        let flags = of_its_own.iter().chain(shared_flags(version));
        attributes.extend(flags.map(|(name, value)| (*name, value.to_string())));
        xml.element(name, &attributes, |xml| {
            // FMI 3 lists its sources in a file of their own.
            if version == FmiVersion::V2 {
                source_files(xml, subject.units_of_code);
            }
        });
    }
}

/// The past of delays is remembered step by step.
fn exchange_flags(subject: &Subject<'_>) -> Vec<(&'static str, bool)> {
    let needs_steps = !subject.equations.delays.is_empty();
    match subject.options.version {
        FmiVersion::V2 => vec![("completedIntegratorStepNotNeeded", !needs_steps)],
        FmiVersion::V3 => vec![("needsCompletedIntegratorStep", needs_steps)],
    }
}

fn shared_flags(version: FmiVersion) -> &'static [(&'static str, bool)] {
    match version {
        FmiVersion::V2 => &[
            ("canBeInstantiatedOnlyOncePerProcess", false),
            ("canNotUseMemoryManagementFunctions", true),
            ("canGetAndSetFMUstate", true),
            ("canSerializeFMUstate", true),
            ("providesDirectionalDerivative", true),
        ],
        FmiVersion::V3 => &[
            ("canBeInstantiatedOnlyOncePerProcess", false),
            ("canGetAndSetFMUState", true),
            ("canSerializeFMUState", true),
            ("providesDirectionalDerivatives", true),
            ("providesAdjointDerivatives", true),
        ],
    }
}

fn source_files(xml: &mut XmlWriter, files: &[String]) {
    xml.element("SourceFiles", &[], |xml| {
        for file in files {
            xml.leaf("File", &[("name", file.clone())]);
        }
    });
}

fn default_experiment(xml: &mut XmlWriter, experiment: &DefaultExperiment) {
    let all = [
        ("startTime", &experiment.start),
        ("stopTime", &experiment.stop),
        ("tolerance", &experiment.tolerance),
        ("stepSize", &experiment.step),
    ];
    let given = all.into_iter().filter_map(|(name, value)| Some((name, value.clone()?)));
    let attributes: Attributes<'_> = given.collect();
    if !attributes.is_empty() {
        xml.leaf("DefaultExperiment", &attributes);
    }
}

/// `sources/buildDescription.xml` of FMI 3.
pub(crate) fn build_description(subject: &Subject<'_>) -> String {
    let version = vec![("fmiVersion", "3.0".to_owned())];
    XmlWriter::document("fmiBuildDescription", &version, |xml| {
        let identifier = vec![("modelIdentifier", subject.identity.model_identifier.clone())];
        xml.element("BuildConfiguration", &identifier, |xml| {
            xml.element("SourceFileSet", &[("language", "C99".to_owned())], |xml| {
                for file in subject.units_of_code {
                    xml.leaf("SourceFile", &[("name", file.clone())]);
                }
            });
        });
    })
}
