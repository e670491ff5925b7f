//! Pictures of what was recorded.

mod compared;

use consort_core::{Diagnostic, named};
use consort_run::files::folder::{self, RunFolder};
use consort_run::files::traces;
use consort_run::{Error, Manifest, Prepared, RecordOutcome};
use consort_view::numbers::short_hash;
use consort_view::plot::{self, Figure, PlotColumn, Size};

pub use compared::{PlotRequest, Plotted, is_run, plot};

/// How many columns and lines a sketch has.
const SKETCH: (usize, usize) = (72, 12);

named! {
    /// A form of picture.
    pub enum PictureFormat {
        /// Vector graphics, which scale.
        Svg => "svg",
        /// A raster image.
        Png => "png",
        /// A page of its own.
        Html => "html",
        /// A sketch in a terminal.
        Text => "text",
    }
}

impl PictureFormat {
    /// The ending of its files.
    pub fn extension(self) -> &'static str {
        match self {
            PictureFormat::Svg => "svg",
            PictureFormat::Png => "png",
            PictureFormat::Html => "html",
            PictureFormat::Text => "txt",
        }
    }

    /// The form of files with this ending.
    pub fn from_extension(extension: &str) -> Option<Self> {
        let extension = extension.to_ascii_lowercase();
        let extension = if extension == "htm" { "html" } else { &extension };
        Self::ALL.into_iter().map(|(format, _)| format).find(|it| it.extension() == extension)
    }
}

/// A figure with what else a page says about its run.
pub struct Picture {
    figure: Figure,
    facts: Vec<(String, String)>,
}

impl Picture {
    /// A picture of these columns, of the run that a manifest describes.
    pub fn new(title: String, manifest: Option<&Manifest>, columns: Vec<PlotColumn>) -> Self {
        let mut figure = Figure::from_columns(title, columns);
        let hash = manifest.map(|manifest| short_hash(manifest.trace_hash()));
        figure.subtitle = hash.map(|hash| format!("trace {hash}"));
        let facts = manifest.map(facts).unwrap_or_default();
        Picture { figure, facts }
    }

    /// As a file's bytes.
    ///
    /// # Errors
    /// If it would be too large.
    pub fn draw(&self, format: PictureFormat) -> Result<Vec<u8>, Error> {
        let size = Size::comfortable(&self.figure);
        Ok(match format {
            PictureFormat::Svg => plot::svg(&self.figure, size).into_bytes(),
            PictureFormat::Html => {
                let figures = std::slice::from_ref(&self.figure);
                plot::html(figures, &self.figure.title, &self.facts).into_bytes()
            }
            PictureFormat::Text => plot::sketch(&self.figure, SKETCH.0, SKETCH.1).into_bytes(),
            PictureFormat::Png => plot::png(&self.figure, size, 2.0).map_err(|error| {
                let diagnostic = Diagnostic::error("cli::picture", "the picture cannot be drawn");
                Error::failed(diagnostic.with_note(error.to_string()))
            })?,
        })
    }
}

fn facts(manifest: &Manifest) -> Vec<(String, String)> {
    let pairs = [
        ("system", manifest.name()),
        ("trace", manifest.trace_hash()),
        ("plan", manifest.plan_hash()),
        ("ended", manifest.state()),
        ("consort", manifest.version()),
    ];
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

/// Draws what the experiment wants drawn into the folder of a record. What cannot be drawn is a problem of the record.
/// Returns the columns that were drawn.
pub(crate) fn draw_record(
    prepared: &Prepared,
    folder: &RunFolder,
    recorded: &mut RecordOutcome,
) -> Vec<PlotColumn> {
    let path = folder.file(folder::TRACE);
    if prepared.source.plot.is_empty() || recorded.is_incomplete() || !path.exists() {
        return Vec::new();
    }
    let resolution = prepared.resolved().experiment.resolution;
    let drawn = traces::read(&path, resolution).and_then(|trace| {
        let columns = plot::columns(&trace, &prepared.source.plot, &prepared.signals());
        if !columns.is_empty() {
            write_plot(prepared, folder, columns.clone())?;
        }
        Ok(columns)
    });
    drawn.unwrap_or_else(|error| {
        recorded.problems.extend(error.into_diagnostics());
        Vec::new()
    })
}

fn write_plot(
    prepared: &Prepared,
    folder: &RunFolder,
    columns: Vec<PlotColumn>,
) -> Result<(), Error> {
    let manifest = Manifest::read(folder.path()).ok();
    let title = prepared.resolved().name.clone();
    let bytes = Picture::new(title, manifest.as_ref(), columns).draw(PictureFormat::Svg)?;
    let path = folder.file(folder::PLOT);
    std::fs::write(&path, bytes).map_err(|error| Error::unwritable(&path, &error))
}
