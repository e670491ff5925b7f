//! `consort plot DIR VARIABLE...`: pictures of what was recorded.

use crate::cli::PlotArgs;
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::printer::Printer;
use consort::run::Manifest;
use consort::run::files::traces;
use consort::{Picture, PictureFormat};
use consort_core::{Diagnostic, Resolution};
use std::path::{Path, PathBuf};

/// The most variables that are drawn if none are named: more cannot be distinguished.
const DRAWN_MAX: usize = 40;

/// Draws, and says where the picture is.
pub(crate) fn execute(args: &PlotArgs, printer: &Printer) -> CommandResult {
    let formats = formats(args)?;
    traces::verify(&args.run)?;
    let trace = traces::read(&args.run, Resolution::NANOSECOND)?;
    let manifest = Manifest::read(&args.run).ok();
    let mut columns = traces::required_columns(&trace, &patterns(args, manifest.as_ref()))?;
    if args.variables.is_empty() && DRAWN_MAX < columns.len() {
        let count = columns.len();
        printer.say(&format!("{DRAWN_MAX} of {count} variables are drawn; name those to be seen"));
        columns.truncate(DRAWN_MAX);
    }
    let picture = Picture::new(title(&args.run, manifest.as_ref()), manifest.as_ref(), columns);
    for format in formats {
        let bytes = picture.draw(format)?;
        match place(args, format) {
            None => printer.data(bytes)?,
            Some(path) => {
                std::fs::write(&path, bytes)
                    .map_err(|error| CommandError::unwritable(&path, &error))?;
                printer.say(&path.display().to_string());
            }
        }
    }
    Ok(Exit::Done)
}

fn title(path: &Path, manifest: Option<&Manifest>) -> String {
    let file = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    manifest.map(|manifest| manifest.name().to_owned()).or(file).unwrap_or_default()
}

/// What was asked for, else what the experiment says, else everything.
fn patterns(args: &PlotArgs, manifest: Option<&Manifest>) -> Vec<String> {
    let planned = manifest.map(Manifest::plot).unwrap_or_default();
    match (&args.variables, planned) {
        (asked, _) if !asked.is_empty() => asked.clone(),
        (_, planned) if !planned.is_empty() => planned,
        _ => vec!["*".to_owned()],
    }
}

/// What was asked for, else what the file's name says, else SVG.
fn formats(args: &PlotArgs) -> Result<Vec<PictureFormat>, CommandError> {
    let refused = |code, message: String, help: &str| {
        Err(CommandError::failed(Diagnostic::error(code, message).help(help)))
    };
    let ending = args.out.as_deref().and_then(Path::extension).and_then(|ending| ending.to_str());
    match (args.format.as_slice(), ending) {
        ([], None) => Ok(vec![PictureFormat::Svg]),
        ([], Some(ending)) => match PictureFormat::from_extension(ending) {
            Some(format) => Ok(vec![format]),
            None => refused(
                "cli::unknown-picture",
                format!("`.{ending}` is no known form of picture"),
                "take `.svg`, `.png`, `.html` or `.txt`, or say what it is with `--format`",
            ),
        },
        ([_, _, ..], _) if args.out.is_some() => refused(
            "cli::one-file",
            "one file cannot hold several pictures".to_owned(),
            "give one `--format`, or leave out `--out`",
        ),
        (asked, _) => Ok(asked.to_vec()),
    }
}

/// Where a picture goes; `None` is standard output.
fn place(args: &PlotArgs, format: PictureFormat) -> Option<PathBuf> {
    let ending = format.extension();
    match &args.out {
        Some(out) if out == Path::new("-") => None,
        Some(out) => Some(out.clone()),
        None if format == PictureFormat::Text => None,
        None if args.run.is_dir() => Some(args.run.join(format!("plot.{ending}"))),
        None => Some(args.run.with_extension(ending)),
    }
}
