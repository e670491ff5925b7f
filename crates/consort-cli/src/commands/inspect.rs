//! `consort inspect MODEL|SYSTEM`: what a model or a system is.

use crate::cli::{ExperimentArgs, Global, InspectArgs, TextFormat};
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::printer::Printer;
use crate::pipeline;
use consort::Loaded;
use consort::load::{is_neither, is_system, not_loaded};
use consort_core::{Diagnostic, ModelDescription, ModelReference, Report, Severity};
use consort_models::ModelRequest;
use consort_models::loader::Described;
use consort_models::native::Block;
use consort_view::inspect::{self, BlockSummary, InspectExtra};
use serde_json::Value;
use std::path::Path;

/// How wide the text is.
const WIDTH: usize = 100;

/// Shows a model or a system.
pub(crate) fn execute(args: &InspectArgs, global: &Global, printer: &Printer) -> CommandResult {
    match args.subject.as_str() {
        ModelReference::NATIVE | "native" => list_blocks(args.format, global, printer),
        subject if is_system(Path::new(subject)) || is_neither(Path::new(subject)) => {
            show_system(args, global, printer)
        }
        _ => show_model(args, global, printer),
    }
}

fn list_blocks(format: TextFormat, global: &Global, printer: &Printer) -> CommandResult {
    let loader = pipeline::loader(global, None);
    let blocks: Vec<BlockSummary<'_>> = loader.kinds().blocks().iter().map(summary).collect();
    printer.data(match format {
        TextFormat::Json => {
            format!("{:#}\n", blocks.iter().map(inspect::block_to_json).collect::<Value>())
        }
        TextFormat::Text => inspect::list_blocks(&blocks),
    })?;
    Ok(Exit::Done)
}

fn summary(block: &Block) -> BlockSummary<'_> {
    BlockSummary {
        name: block.name,
        summary: block.summary,
        inputs: block.inputs,
        outputs: block.outputs,
        parameters: block.parameters,
    }
}

/// A block that is nothing yet without its parameters, such as a table without a file.
fn show_block(block: &Block, format: TextFormat, printer: &Printer) -> CommandResult {
    let block = summary(block);
    printer.data(match format {
        TextFormat::Json => format!("{:#}\n", inspect::block_to_json(&block)),
        TextFormat::Text => inspect::describe_block(&block, WIDTH, printer.data_has_color()),
    })?;
    Ok(Exit::Done)
}

fn show_model(args: &InspectArgs, global: &Global, printer: &Printer) -> CommandResult {
    let mut report = Report::default();
    let request = ModelRequest::new(&args.subject, Path::new(""));
    let mut loader = pipeline::loader(global, args.python_library.as_deref());
    let waiting = printer.waiting(&format!("loading {}", args.subject));
    let loaded = loader.load(&request, &mut report);
    drop(waiting);
    let Some(loaded) = loaded else {
        let name = args.subject.strip_prefix(ModelReference::NATIVE);
        let blocks = loader.kinds().blocks();
        if let Some(block) = name.and_then(|name| blocks.find(name)) {
            return show_block(block, args.format, printer);
        }
        return match loader.describe(&request) {
            Some(described) => show_described(described, &report, args, printer),
            None => Err(not_loaded(&args.subject, report).into()),
        };
    };
    printer.report(&report, "");
    show_description(loaded.model.description(), loaded.assumed.clone(), args, printer)
}

fn show_description(
    description: &ModelDescription,
    assumed: Vec<String>,
    args: &InspectArgs,
    printer: &Printer,
) -> CommandResult {
    printer.data(match args.format {
        TextFormat::Json => format!("{:#}\n", inspect::to_json(description)),
        TextFormat::Text => inspect::describe(description, &extra(args, assumed, printer)),
    })?;
    Ok(Exit::Done)
}

/// An FMU that cannot run here: everything it says about itself, and why.
fn show_described(
    described: Described,
    report: &Report,
    args: &InspectArgs,
    printer: &Printer,
) -> CommandResult {
    let mut description = described.description;
    let why = report.diagnostics().iter().find(|it| it.severity == Severity::Error);
    let why = why.map_or(String::new(), |it| format!(": {}", it.message));
    description.facts.push(("runs here".to_owned(), format!("no{why}")));
    let mut there = described.platforms.join(", ");
    if there.is_empty() {
        there.push_str("none");
    }
    if described.has_sources {
        there.push_str("; it has sources");
    }
    description.facts.push(("binaries".to_owned(), there));
    printer.report(&as_warnings(report), "");
    show_description(&description, Vec::new(), args, printer)
}

/// The question was what it is, and that is answered.
fn as_warnings(report: &Report) -> Report {
    let mut softened = Report::default();
    for source in report.sources() {
        softened.add_source(source.name.clone(), source.text.clone());
    }
    for diagnostic in report.diagnostics() {
        let severity = diagnostic.severity.min(Severity::Warning);
        softened.push(Diagnostic { severity, ..diagnostic.clone() });
    }
    softened
}

fn extra(args: &InspectArgs, assumed: Vec<String>, printer: &Printer) -> InspectExtra {
    let file = std::fs::metadata(&args.subject).ok().filter(std::fs::Metadata::is_file);
    InspectExtra {
        path: args.subject.clone(),
        size: file.map(|file| file.len()),
        assumed,
        width: WIDTH,
        color: printer.data_has_color(),
        all: printer.is_verbose(),
    }
}

/// What was assumed of which component's model.
fn assumptions(loaded: &Loaded) -> Vec<String> {
    let pairs = loaded.system.components.iter().zip(&loaded.models);
    let lines = pairs.flat_map(|(component, model)| {
        let assumed = model.iter().flat_map(|part| &part.loaded.assumed);
        assumed.map(|assumed| format!("{}: {assumed}", component.name.value))
    });
    lines.collect()
}

/// A system that is wrong is shown as far as it was understood.
fn show_system(args: &InspectArgs, global: &Global, printer: &Printer) -> CommandResult {
    let mut report = Report::default();
    let options = ExperimentArgs {
        python_library: args.python_library.clone(),
        form: args.form.clone(),
        ..ExperimentArgs::default()
    };
    let path = Path::new(&args.subject);
    let waiting = printer.waiting(&format!("loading {}", args.subject));
    let Some(loaded) = pipeline::load(path, &options, global, &mut report)? else {
        drop(waiting);
        return Err(CommandError::Invalid { report });
    };
    let planned = loaded.resolve_and_plan(&mut report);
    drop(waiting);
    let models = loaded.descriptions();
    let text = match args.format {
        TextFormat::Json => {
            format!("{:#}\n", inspect::system_to_json(&loaded.system, &models))
        }
        TextFormat::Text => {
            let resolved = planned.as_ref().map(|planned| &planned.resolved);
            let assumed = assumptions(&loaded);
            inspect::describe_system(
                &loaded.system,
                &models,
                resolved,
                &extra(args, assumed, printer),
            )
        }
    };
    printer.data(text)?;
    if report.has_errors() {
        return Err(CommandError::Invalid { report });
    }
    printer.report(&report, "");
    Ok(Exit::Done)
}
