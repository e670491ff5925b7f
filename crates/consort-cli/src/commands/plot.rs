//! `consort plot DIR... VARIABLE...`: pictures of what was recorded.

use crate::cli::PlotArgs;
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::printer::Printer;
use consort::picture::{is_run, plot};
use consort::{PictureFormat, PlotRequest};
use consort_core::{Diagnostic, Seconds};
use consort_view::plot::TimeRange;
use std::path::{Path, PathBuf};

/// Draws, and says where the picture is.
pub(crate) fn execute(args: &PlotArgs, printer: &Printer) -> CommandResult {
    let formats = formats(args)?;
    let request = request(args)?;
    let plotted = plot(&request)?;
    for remark in &plotted.remarks {
        printer.say(remark);
    }
    for format in formats {
        let bytes = plotted.picture.draw(format)?;
        match place(args, &request.runs, format) {
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

/// Runs come first. Without `--var`, what is no run is a variable.
fn request(args: &PlotArgs) -> Result<PlotRequest, CommandError> {
    let is_more = |name: &&String| !args.var.is_empty() || is_run(Path::new(name));
    let more = args.more.iter().take_while(is_more).map(PathBuf::from);
    let runs: Vec<PathBuf> = std::iter::once(args.run.clone()).chain(more).collect();
    let named = args.more.iter().skip(runs.len() - 1).chain(&args.var);
    let variables = named.cloned().collect();
    Ok(PlotRequest { runs, variables, x: args.x.clone(), range: range(args)? })
}

fn range(args: &PlotArgs) -> Result<TimeRange, CommandError> {
    let refused = |code, message: String, help: &str| {
        CommandError::failed(Diagnostic::error(code, message).help(help))
    };
    let seconds = |given: &Option<String>| {
        let parsed = given.as_deref().map(str::parse::<Seconds>).transpose();
        let help = "give a number of seconds, such as `0.01` or `1/30`";
        parsed
            .map(|seconds| seconds.map(Seconds::to_f64))
            .map_err(|error| refused("cli::bad-time", error.to_string(), help))
    };
    let (from, to) = (seconds(&args.from)?, seconds(&args.to)?);
    if let (Some(from), Some(to)) = (from, to)
        && to <= from
    {
        let message = format!("`--to {to}` is not after `--from {from}`");
        return Err(refused("cli::empty-range", message, "give the earlier time to `--from`"));
    }
    Ok(TimeRange { from, to })
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

/// Where a picture goes; `None` is standard output. That of several runs belongs to none of their folders.
fn place(args: &PlotArgs, runs: &[PathBuf], format: PictureFormat) -> Option<PathBuf> {
    let ending = format.extension();
    match &args.out {
        Some(out) if out == Path::new("-") => None,
        Some(out) => Some(out.clone()),
        None if format == PictureFormat::Text => None,
        None if 1 < runs.len() => Some(PathBuf::from(format!("plot.{ending}"))),
        None if args.run.is_dir() => Some(args.run.join(format!("plot.{ending}"))),
        None => Some(args.run.with_extension(ending)),
    }
}
