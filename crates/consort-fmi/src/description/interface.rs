//! What an FMU offers and declares beyond its variables: interfaces, capabilities, log
//! categories, default experiment, author and tool.

use super::{CoSimulation, FmiVersion, ModelExchange, section};
use crate::xml::{Node, Reader, child, elements, shorten};
use consort_core::model::DefaultExperiment;
use consort_core::{Capabilities, ContinuousDescription, Diagnostic, Refresh};

/// The interfaces of an FMU.
pub(super) struct Interfaces {
    pub(super) co_simulation: Option<CoSimulation>,
    pub(super) model_exchange: Option<ModelExchange>,
    pub(super) capabilities: Capabilities,
    pub(super) kind: String,
}

const ATTRIBUTES_FMI_2: &[&str] = &[
    "modelIdentifier",
    "needsExecutionTool",
    "canHandleVariableCommunicationStepSize",
    "canInterpolateInputs",
    "maxOutputDerivativeOrder",
    "canRunAsynchronuously",
    "canBeInstantiatedOnlyOncePerProcess",
    "canNotUseMemoryManagementFunctions",
    "canGetAndSetFMUstate",
    "canSerializeFMUstate",
    "providesDirectionalDerivative",
];

/// What every interface of FMI 3 may have.
const SHARED_FMI_3: &[&str] = &[
    "modelIdentifier",
    "needsExecutionTool",
    "canBeInstantiatedOnlyOncePerProcess",
    "canGetAndSetFMUState",
    "canSerializeFMUState",
    "providesDirectionalDerivatives",
    "providesAdjointDerivatives",
    "providesPerElementDependencies",
];

const ATTRIBUTES_FMI_3: &[&str] = &[
    "canHandleVariableCommunicationStepSize",
    "fixedInternalStepSize",
    "maxOutputDerivativeOrder",
    "recommendedIntermediateInputSmoothness",
    "providesIntermediateUpdate",
    "mightReturnEarlyFromDoStep",
    "canReturnEarlyAfterIntermediateUpdate",
    "hasEventMode",
    "providesEvaluateDiscreteStates",
];

const EXCHANGE_ATTRIBUTES_FMI_2: &[&str] = &[
    "modelIdentifier",
    "needsExecutionTool",
    "completedIntegratorStepNotNeeded",
    "canBeInstantiatedOnlyOncePerProcess",
    "canNotUseMemoryManagementFunctions",
    "canGetAndSetFMUstate",
    "canSerializeFMUstate",
    "providesDirectionalDerivative",
];

const EXCHANGE_ATTRIBUTES_FMI_3: &[&str] =
    &["needsCompletedIntegratorStep", "providesEvaluateDiscreteStates"];

/// Reads which interfaces there are, with what they can do.
pub(super) fn read(reader: &mut Reader<'_>, root: Node<'_>, version: FmiVersion) -> Interfaces {
    let node = child(root, "CoSimulation");
    let exchange = child(root, "ModelExchange");
    let scheduled = child(root, "ScheduledExecution").is_some();
    let interface = match (node.is_some(), exchange.is_some(), scheduled) {
        (true, _, _) => "Co-Simulation",
        (_, true, _) => "Model Exchange",
        (_, _, true) => "Scheduled Execution",
        _ => "without interface",
    };
    if !(node.is_some() || exchange.is_some() || scheduled) {
        reader.report(
            Diagnostic::warning("description::no-interface", "the FMU has no interface")
                .at(reader.tag(root), "neither `CoSimulation` nor `ModelExchange`")
                .help("it cannot be run; export it again with Co-Simulation"),
        );
    }
    let co_simulation = node.map(|node| co_simulation(reader, node, version));
    let model_exchange = exchange.map(|node| model_exchange(reader, node, version));
    let capabilities = match (node, &model_exchange) {
        (Some(node), _) => capabilities(reader, node, version),
        (None, Some(exchange)) => exchange.capabilities.clone(),
        (None, None) => Capabilities::none(),
    };
    Interfaces {
        co_simulation,
        model_exchange,
        capabilities,
        kind: format!("{} {interface}", version.name()),
    }
}

/// The states are filled in when the variables are known.
fn model_exchange(reader: &mut Reader<'_>, node: Node<'_>, version: FmiVersion) -> ModelExchange {
    let known = match version {
        FmiVersion::V2 => EXCHANGE_ATTRIBUTES_FMI_2.to_vec(),
        FmiVersion::V3 => [SHARED_FMI_3, EXCHANGE_ATTRIBUTES_FMI_3].concat(),
    };
    reader.known_attributes(node, &known);
    let needs_completed_step = match version {
        FmiVersion::V2 => !reader.flag(node, "completedIntegratorStepNotNeeded"),
        FmiVersion::V3 => reader.flag(node, "needsCompletedIntegratorStep"),
    };
    ModelExchange {
        model_identifier: model_identifier(reader, node),
        needs_execution_tool: reader.flag(node, "needsExecutionTool"),
        source_files: source_files(reader, node),
        capabilities: exchange_capabilities(reader, node, version),
        continuous: ContinuousDescription { needs_completed_step, ..Default::default() },
    }
}

/// Values follow at once, and time advances as a solver requires.
fn exchange_capabilities(
    reader: &mut Reader<'_>,
    node: Node<'_>,
    version: FmiVersion,
) -> Capabilities {
    let mut flag = |name: &str| reader.flag(node, name);
    let [save, serialize, directional] = match version {
        FmiVersion::V2 => {
            ["canGetAndSetFMUstate", "canSerializeFMUstate", "providesDirectionalDerivative"]
        }
        FmiVersion::V3 => {
            ["canGetAndSetFMUState", "canSerializeFMUState", "providesDirectionalDerivatives"]
        }
    };
    Capabilities {
        refresh: Refresh::AtOnce,
        variable_step: true,
        save_state: flag(save),
        serialize_state: flag(serialize),
        directional_derivatives: flag(directional),
        single_instance: flag("canBeInstantiatedOnlyOncePerProcess"),
        ..Capabilities::none()
    }
}

fn co_simulation(reader: &mut Reader<'_>, node: Node<'_>, version: FmiVersion) -> CoSimulation {
    let known = match version {
        FmiVersion::V2 => ATTRIBUTES_FMI_2.to_vec(),
        FmiVersion::V3 => [SHARED_FMI_3, ATTRIBUTES_FMI_3].concat(),
    };
    reader.known_attributes(node, &known);
    let fixed_step = node.attribute("fixedInternalStepSize");
    if fixed_step.is_some() {
        reader.number::<f64>(node, "fixedInternalStepSize", "a number");
    }
    CoSimulation {
        model_identifier: model_identifier(reader, node),
        needs_execution_tool: reader.flag(node, "needsExecutionTool"),
        source_files: source_files(reader, node),
        fixed_internal_step: fixed_step.map(|text| text.trim().to_owned()),
        output_derivatives_max: reader
            .number(node, "maxOutputDerivativeOrder", "a whole number from 0")
            .unwrap_or(0),
    }
}

/// The identifier names a file and C functions, so it must not name a path.
fn model_identifier(reader: &mut Reader<'_>, node: Node<'_>) -> String {
    let help = "it is the base name of the FMU's binary";
    let Some(identifier) = reader.required(node, "modelIdentifier", help) else {
        return String::new();
    };
    let shown = shorten(identifier);
    let span = reader.place(node, "modelIdentifier");
    let is_word = |c: char| c == '_' || c.is_ascii_alphanumeric();
    let is_path = |c: char| c == '/' || c == '\\' || c == ':' || c.is_control();
    if identifier.is_empty() || identifier.starts_with('.') || identifier.contains(is_path) {
        reader.report(
            Diagnostic::error(
                "description::model-identifier",
                format!("the model identifier `{}` names no file", shown.escape_debug()),
            )
            .at(span, "letters, digits and `_`")
            .help("such a name could lead out of the FMU's folder; do not trust this file"),
        );
    } else if !identifier.chars().all(is_word)
        || identifier.starts_with(|c: char| c.is_ascii_digit())
    {
        reader.report(
            Diagnostic::warning(
                "description::model-identifier",
                format!("the model identifier `{shown}` is not a C identifier"),
            )
            .at(span, "letters, digits and `_`")
            .help("it is used as it is written"),
        );
    }
    identifier.to_owned()
}

fn source_files(reader: &mut Reader<'_>, node: Node<'_>) -> Vec<String> {
    let Some(list) = child(node, "SourceFiles") else { return Vec::new() };
    let files = elements(list).filter(|file| file.tag_name().name() == "File");
    let help = "name the file below `sources`";
    files.filter_map(|file| reader.required(file, "name", help)).map(str::to_owned).collect()
}

fn capabilities(reader: &mut Reader<'_>, node: Node<'_>, version: FmiVersion) -> Capabilities {
    let mut flag = |name: &str| reader.flag(node, name);
    let shared = Capabilities {
        variable_step: flag("canHandleVariableCommunicationStepSize"),
        single_instance: flag("canBeInstantiatedOnlyOncePerProcess"),
        ..Capabilities::none()
    };
    match version {
        FmiVersion::V2 => Capabilities {
            save_state: flag("canGetAndSetFMUstate"),
            serialize_state: flag("canSerializeFMUstate"),
            directional_derivatives: flag("providesDirectionalDerivative"),
            // FMI 2.0 does not say up to which order; one is what every such FMU handles.
            input_derivatives_max: u32::from(flag("canInterpolateInputs")),
            ..shared
        },
        FmiVersion::V3 => {
            let early = flag("mightReturnEarlyFromDoStep");
            Capabilities {
                event_mode: flag("hasEventMode"),
                early_return: flag("canReturnEarlyAfterIntermediateUpdate") || early,
                intermediate_update: flag("providesIntermediateUpdate"),
                save_state: flag("canGetAndSetFMUState"),
                serialize_state: flag("canSerializeFMUState"),
                directional_derivatives: flag("providesDirectionalDerivatives"),
                ..shared
            }
        }
    }
}

/// The names of the log categories.
pub(super) fn log_categories(root: Node<'_>) -> Vec<String> {
    let categories = section(root, "LogCategories");
    categories.filter_map(|node| node.attribute("name")).map(str::to_owned).collect()
}

/// The default experiment as it is written; what is no number is left out with a warning.
pub(super) fn default_experiment(reader: &mut Reader<'_>, root: Node<'_>) -> DefaultExperiment {
    let Some(node) = child(root, "DefaultExperiment") else { return DefaultExperiment::default() };
    reader.known_attributes(node, &["startTime", "stopTime", "tolerance", "stepSize"]);
    let mut number = |name: &str| {
        let text = node.attribute(name)?.trim();
        if text.parse::<f64>().is_ok_and(f64::is_finite) {
            return Some(text.to_owned());
        }
        let message = format!("`{name}` of the default experiment is `{}`", shorten(text));
        reader.report(
            Diagnostic::warning("description::default-experiment", message)
                .at(reader.place(node, name), "not a number")
                .help("it is ignored"),
        );
        None
    };
    DefaultExperiment {
        start: number("startTime"),
        stop: number("stopTime"),
        tolerance: number("tolerance"),
        step: number("stepSize"),
    }
}

/// What the author declares, in a useful order.
pub(super) fn facts(root: Node<'_>) -> Vec<(String, String)> {
    let fact = |(label, name): (&str, &str)| {
        let value = root.attribute(name).filter(|value| !value.trim().is_empty())?;
        Some((label.to_owned(), value.to_owned()))
    };
    let facts = [
        ("description", "description"),
        ("tool", "generationTool"),
        ("generated", "generationDateAndTime"),
        ("version", "version"),
        ("author", "author"),
        ("license", "license"),
        ("copyright", "copyright"),
        ("token", "guid"),
        ("token", "instantiationToken"),
    ];
    facts.into_iter().filter_map(fact).chain(interfaces(root)).collect()
}

/// All there are, if there are several: the kind of the model names the one that is used.
fn interfaces(root: Node<'_>) -> Option<(String, String)> {
    const KNOWN: [(&str, &str); 3] = [
        ("CoSimulation", "Co-Simulation"),
        ("ModelExchange", "Model Exchange"),
        ("ScheduledExecution", "Scheduled Execution"),
    ];
    let is_there = |name: &str| root.children().any(|child| child.has_tag_name(name));
    let found = KNOWN.into_iter().filter(|(name, _)| is_there(name));
    let found: Vec<&str> = found.map(|(_, words)| words).collect();
    (1 < found.len()).then(|| ("interfaces".to_owned(), found.join(", ")))
}
