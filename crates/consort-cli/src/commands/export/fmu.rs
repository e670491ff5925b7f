//! `consort export fmu MODEL`: makes an FMU of equations, SBML, a native block or the folder of a source FMU.

use super::files::Files;
use crate::cli::{FmiChoice, FmuArgs, Global, placed_number, placed_time};
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::printer::Printer;
use crate::pipeline;
use consort::load::not_loaded;
use consort::run::settings::option_source;
use consort_core::model::DefaultExperiment;
use consort_core::solving::is_tolerance;
use consort_core::{Diagnostic, Literal, ModelReference, Report, Seconds, Span};
use consort_equations::{Equations, compile};
use consort_export::{FmiVersion, FmuOptions, fmu_files};
use consort_formats::parse_assignment;
use consort_models::pack::{folder_files, write_archive};
use consort_models::{GivenParameter, Loader, ModelRequest};
use consort_system::Spanned;
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// Reads, compiles and writes it.
pub(super) fn execute(args: &FmuArgs, global: &Global, printer: &Printer) -> CommandResult {
    let mut report = Report::default();
    let out = out(args)?;
    let settings = settings(&args.set, &mut report);
    let options = options(args, &mut report);
    let waiting = printer.waiting(&format!("exporting {}", args.model.display()));
    let model = args.model.to_string_lossy();
    let parameters: Vec<GivenParameter<'_>> = settings.iter().map(Setting::parameter).collect();
    let request =
        ModelRequest { parameters: &parameters, ..ModelRequest::new(&model, Path::new("")) };
    let mut loader = pipeline::loader(global, None);
    let content = if is_source_fmu(args) {
        refuse_changes(args, &mut report);
        Some(folder_files(&args.model).map_err(|error| super::failed(&error))?)
    } else {
        let equations = equations(&loader, &request, &mut report);
        equations.map(|equations| fmu_files(&equations, &options))
    };
    let Some(mut content) = content.filter(|_| !report.has_errors()) else {
        return Err(not_loaded(&model, report).into());
    };
    if !args.no_binary {
        let Some(binary) = loader.binary_of(&content, &request, &mut report) else {
            let message = "the FMU needs no binary to be written";
            let note = Diagnostic::note("cli::no-binary", message);
            report.push(note.help("add `--no-binary` to write its sources alone"));
            return Err(CommandError::Invalid { report });
        };
        content.push(binary);
    }
    let mut archive = Cursor::new(Vec::new());
    write_archive(&mut archive, &content, &[]).map_err(|error| super::failed(&error))?;
    drop(waiting);
    let mut files = Files::default();
    files.push(out, archive.into_inner());
    files.check(args.force)?;
    printer.report(&report, "");
    files.write()?;
    printer.say(&files.said());
    Ok(Exit::Done)
}

/// Whether the model is the folder of an FMU.
fn is_source_fmu(args: &FmuArgs) -> bool {
    args.model.join("modelDescription.xml").is_file()
}

/// The folder of an FMU is packed as it is.
fn refuse_changes(args: &FmuArgs, report: &mut Report) {
    let time = &args.experiment;
    let given = [
        ("fmi", args.fmi.is_some()),
        ("name", args.name.is_some()),
        ("set", !args.set.is_empty()),
        ("start", time.start.is_some()),
        ("stop", time.stop.is_some()),
        ("step", time.step.is_some()),
        ("tolerance", time.tolerance.is_some()),
    ];
    for (option, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
        let message = format!("`--{option}` does not apply to the folder of an FMU");
        let diagnostic = Diagnostic::error("cli::fmu-folder", message);
        report.push(diagnostic.help("change `modelDescription.xml` in the folder instead"));
    }
}

fn equations(
    loader: &Loader,
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<Equations> {
    compile(&loader.kinds().written_model(request, report)?, report)
}

/// Where the FMU goes: `ball.fmu` of `models/ball.eq`, `gain.fmu` of `native:gain`, `tank.fmu` of the folder `tank`.
fn out(args: &FmuArgs) -> Result<PathBuf, CommandError> {
    let Some(out) = &args.out else {
        let stem = args.model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let stem = stem.strip_prefix(ModelReference::NATIVE).map(str::to_owned).unwrap_or(stem);
        let name = args.name.as_ref().unwrap_or(&stem).replace(['/', '\\'], "_");
        return Ok(PathBuf::from(format!("{name}.fmu")));
    };
    if out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("fmu")) {
        return Ok(out.clone());
    }
    let message = format!("`{}` does not have the ending of an FMU", out.display());
    let diagnostic = Diagnostic::error("cli::unknown-form", message);
    Err(CommandError::invalid(diagnostic.help("let it end in `.fmu`")))
}

/// A value to start with.
struct Setting {
    name: String,
    value: Literal,
    span: Span,
}

impl Setting {
    fn parameter(&self) -> GivenParameter<'_> {
        GivenParameter {
            name: &self.name,
            value: &self.value,
            has_unit: false,
            span: Some(self.span),
        }
    }
}

fn settings(texts: &[String], report: &mut Report) -> Vec<Setting> {
    let mut settings = Vec::new();
    for text in texts {
        let span = option_source("set", text, report);
        // Assignments name a component, and a model alone has none.
        match parse_assignment(&format!("model.{}", text.trim())) {
            Ok(given) if given.unit.is_none() => {
                settings.push(Setting { name: given.variable, value: given.value, span });
            }
            Ok(given) => {
                let message = format!("`{}` takes a value without a unit", given.variable);
                let diagnostic = Diagnostic::error("set::unit", message).at(span, "given here");
                report.push(diagnostic.help("write the number in the variable's own unit"));
            }
            Err(_) => {
                let message = format!("`{text}` gives no variable a value");
                let diagnostic = Diagnostic::error("set::bad-assignment", message);
                let help = "write `variable=value`, such as `area=1.5`";
                report.push(diagnostic.at(span, "given here").help(help));
            }
        }
    }
    settings
}

fn options(args: &FmuArgs, report: &mut Report) -> FmuOptions {
    let version = match args.fmi {
        None | Some(FmiChoice::Two) => FmiVersion::V2,
        Some(FmiChoice::Three) => FmiVersion::V3,
    };
    FmuOptions { version, name: args.name.clone(), experiment: experiment(args, report) }
}

fn experiment(args: &FmuArgs, report: &mut Report) -> DefaultExperiment {
    let given = &args.experiment;
    let start = placed_time("start", given.start.as_deref(), report);
    let stop = placed_time("stop", given.stop.as_deref(), report);
    let step = placed_time("step", given.step.as_deref(), report);
    let tolerance = placed_number("tolerance", given.tolerance.as_deref(), report);
    let first = start.as_ref().map_or(Seconds::ZERO, |start| start.value);
    for (time, least, what) in [
        (&stop, first, "the end is not after the start"),
        (&step, Seconds::ZERO, "no step is taken"),
    ] {
        if let Some(time) = time.as_ref().filter(|time| time.value <= least) {
            let diagnostic = Diagnostic::error("cli::bad-time", what);
            report.push(diagnostic.maybe_at(time.span, "too early or too short"));
        }
    }
    if let Some(wrong) = tolerance.as_ref().filter(|it| !is_tolerance(it.value)) {
        let message = format!("`{}` is not a valid tolerance", wrong.value);
        let diagnostic = Diagnostic::error("cli::bad-number", message);
        report.push(diagnostic.maybe_at(wrong.span, "not between 0 and 1").help("such as `1e-6`"));
    }
    let text = |time: Option<Spanned<Seconds>>| time.map(|time| decimal(time.value));
    DefaultExperiment {
        start: text(start),
        stop: text(stop),
        step: text(step),
        tolerance: tolerance.map(|number| format!("{:?}", number.value)),
    }
}

/// The standard has decimals only.
fn decimal(time: Seconds) -> String {
    let exact = time.to_string();
    if exact.contains('/') { format!("{:?}", time.to_f64()) } else { exact }
}
