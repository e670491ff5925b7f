//! Traces: tables whose columns others read where they are.

use crate::arrow::{ArrowArrayStream, STREAM_NAME};
use crate::calls::interruptible;
use crate::errors::{Phase, raise, refuse};
use crate::memory::ColumnView;
use crate::table::TraceData;
use crate::values::{element, texts};
use consort::run::files::traces;
use consort::{Diagnostic, Error, Picture, PictureFormat, Signals, Trace, plot};
use consort_core::diagnostic::nearest_name;
use consort_core::{Resolution, ValuesRef};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What was recorded.
#[pyclass(frozen, name = "Trace", module = "consort._native")]
pub(crate) struct TraceTable {
    data: Arc<TraceData>,
    /// What the system says about its signals; empty for a trace that was read.
    signals: Signals,
}

impl TraceTable {
    /// A table of a trace.
    pub(crate) fn new(trace: Trace, signals: Signals) -> Self {
        TraceTable { data: Arc::new(TraceData::new(trace)), signals }
    }
}

#[pymethods]
impl TraceTable {
    /// The names of the columns, without the time.
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let names = self.data.columns().map(|(column, _)| column.path().to_owned());
        texts(py, &names.collect::<Vec<_>>())
    }

    /// The units of the columns.
    fn units(&self) -> Vec<Option<String>> {
        self.data.columns().map(|(column, _)| column.unit.clone()).collect()
    }

    /// How many rows there are.
    fn __len__(&self) -> usize {
        self.data.times().len()
    }

    /// The hash of the recorded rows.
    fn hash(&self) -> String {
        self.data.trace().hash().to_string()
    }

    /// The times, for numpy.
    fn times(&self) -> ColumnView {
        ColumnView::new(&self.data, None)
    }

    /// A column for numpy; a list if it is text or bytes.
    fn column(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let Some(column) = self.data.trace().schema().position(name) else {
            return Err(refuse(py, Phase::Trace, self.unknown(name)));
        };
        let values = self.data.values(column);
        if !matches!(values, ValuesRef::String(_) | ValuesRef::Binary(_)) {
            return ColumnView::new(&self.data, Some(column)).into_py_any(py);
        }
        let all: PyResult<Vec<_>> = (0..values.len()).map(|at| element(py, values, at)).collect();
        all?.into_py_any(py)
    }

    /// The stream of Arrow's PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Another schema is a wish; the interface permits to give one's own.
        drop(requested_schema);
        let stream = ArrowArrayStream::new(Arc::clone(&self.data));
        PyCapsule::new_with_value(py, stream, STREAM_NAME)
    }

    /// Draws variables; without a path the picture is returned.
    fn draw<'py>(
        &self,
        py: Python<'py>,
        patterns: Vec<String>,
        title: String,
        format: Option<&str>,
        path: Option<PathBuf>,
    ) -> PyResult<Vec<u8>> {
        let format = picture_format(format, path.as_deref());
        let format = format.map_err(|problem| refuse(py, Phase::Trace, *problem))?;
        let (data, signals) = (Arc::clone(&self.data), self.signals.clone());
        let draw = move || {
            traces::require(&[data.trace()], &patterns)?;
            let columns = plot::columns(data.trace(), &patterns, &signals);
            let bytes = Picture::new(title, None, columns).draw(format)?;
            let Some(path) = path else { return Ok(bytes) };
            let written = std::fs::write(&path, bytes);
            written.map(|()| Vec::new()).map_err(|error| Error::unwritable(&path, &error))
        };
        let drawn = interruptible(py, &Arc::default(), draw)?;
        drawn.map_err(|error| raise(py, Phase::Trace, error))
    }

    /// Writes the trace into a file, in the form that its ending names.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let data = Arc::clone(&self.data);
        let write = move || consort::write_trace(data.trace(), &path);
        let written = interruptible(py, &Arc::default(), write)?;
        written.map_err(|error| raise(py, Phase::Trace, error))
    }
}

impl TraceTable {
    fn unknown(&self, name: &str) -> Diagnostic {
        let message = format!("nothing that was recorded is called `{name}`");
        let diagnostic = Diagnostic::error("cli::unknown-variable", message);
        let names = self.data.columns().map(|(column, _)| column.path());
        match nearest_name(name, names) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help("`columns` of the result names what there is"),
        }
    }
}

/// As asked for, else as the path ends, else vector graphics.
fn picture_format(
    asked: Option<&str>,
    path: Option<&Path>,
) -> Result<PictureFormat, Box<Diagnostic>> {
    let ending = path.and_then(Path::extension).map(|ending| ending.to_string_lossy().into_owned());
    let Some(name) = asked.or(ending.as_deref()) else { return Ok(PictureFormat::Svg) };
    PictureFormat::from_name(name).or_else(|| PictureFormat::from_extension(name)).ok_or_else(
        || {
            let message = format!("`{name}` is no known form of picture");
            Box::new(
                Diagnostic::error("cli::unknown-picture", message)
                    .help("take `svg`, `png`, `html` or `text`"),
            )
        },
    )
}

/// The trace of a record, or of a file.
#[pyfunction]
pub(crate) fn read_trace(py: Python<'_>, path: PathBuf) -> PyResult<TraceTable> {
    let read = move || {
        consort::read_trace(&path, Resolution::NANOSECOND)
            .map(|trace| TraceTable::new(trace, Signals::default()))
    };
    interruptible(py, &Arc::default(), read)?.map_err(|error| raise(py, Phase::Trace, error))
}
