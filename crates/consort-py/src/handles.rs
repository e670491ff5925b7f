//! Variables that were looked up once, for fast access.

use consort::VariableHandle;
use consort_core::ValueType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// A variable of a system.
#[pyclass(frozen, module = "consort")]
pub(crate) struct Handle {
    path: String,
    handle: VariableHandle,
    system: u64,
}

/// Several variables of a system, to be read and written at once.
#[pyclass(frozen, module = "consort")]
pub(crate) struct Handles {
    paths: Vec<String>,
    handles: Vec<VariableHandle>,
    system: u64,
}

impl Handle {
    /// A variable of a prepared system.
    pub(crate) fn new(path: String, handle: VariableHandle, system: u64) -> Self {
        Handle { path, handle, system }
    }

    /// For a run of the same prepared system.
    pub(crate) fn for_system(&self, system: u64) -> PyResult<VariableHandle> {
        if self.system == system { Ok(self.handle) } else { Err(other_system()) }
    }
}

#[pymethods]
impl Handle {
    /// The name of the variable.
    #[getter]
    fn path(&self) -> &str {
        &self.path
    }

    /// The type of its elements.
    #[getter(r#type)]
    fn value_type(&self) -> &'static str {
        self.handle.value_type().name()
    }

    /// How many elements it has.
    #[getter]
    fn count(&self) -> usize {
        self.handle.count()
    }

    fn __repr__(&self) -> String {
        format!("<consort.Handle {}>", self.path)
    }
}

impl Handles {
    /// Variables of a prepared system.
    pub(crate) fn new(paths: Vec<String>, handles: Vec<VariableHandle>, system: u64) -> Self {
        Handles { paths, handles, system }
    }
}

#[pymethods]
impl Handles {
    /// The names of the variables.
    #[getter]
    fn paths(&self) -> Vec<String> {
        self.paths.clone()
    }

    /// How many numbers they are together.
    #[getter]
    fn count(&self) -> usize {
        count(&self.handles)
    }

    fn __len__(&self) -> usize {
        self.handles.len()
    }

    fn __repr__(&self) -> String {
        format!("<consort.Handles {}>", self.paths.join(", "))
    }
}

/// How many numbers variables are together.
pub(crate) fn count(handles: &[VariableHandle]) -> usize {
    handles.iter().map(|handle| handle.count()).sum()
}

/// The variables that a caller means: handles of a run of this system.
pub(crate) fn wanted<'py>(
    given: &Bound<'py, PyAny>,
    system: u64,
    use_them: impl FnOnce(&[VariableHandle]) -> PyResult<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    if let Ok(handles) = given.cast::<Handles>() {
        let handles = handles.get();
        check_numbers(&handles.paths, &handles.handles)?;
        return if handles.system == system {
            use_them(&handles.handles)
        } else {
            Err(other_system())
        };
    }
    let mut found = Vec::new();
    for item in given.try_iter().map_err(|_| no_handles())? {
        let item = item?;
        let handle = item.cast::<Handle>().map_err(|_| no_handles())?.get();
        check_numbers(std::slice::from_ref(&handle.path), &[handle.handle])?;
        found.push(handle.for_system(system)?);
    }
    use_them(&found)
}

/// Numbers go into arrays of numbers; texts do not.
fn check_numbers(paths: &[String], handles: &[VariableHandle]) -> PyResult<()> {
    let is_text = |handle: &VariableHandle| {
        matches!(handle.value_type(), ValueType::String | ValueType::Binary)
    };
    match handles.iter().position(is_text) {
        Some(at) => {
            let message = format!("`{0}` is no number: read it as `run[\"{0}\"]`", paths[at]);
            Err(PyTypeError::new_err(message))
        }
        None => Ok(()),
    }
}

fn no_handles() -> PyErr {
    PyTypeError::new_err("handles expected: those of `run.handle(name)` or `run.handles(names)`")
}

fn other_system() -> PyErr {
    PyValueError::new_err("the handle is of another system: look it up with a run of this one")
}
