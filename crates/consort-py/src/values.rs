//! Values of variables as Python's, and back.

use consort::Values;
use consort_core::{ValueType, ValuesRef};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

/// A number, a truth, a text or bytes; a list of them for an array.
pub(crate) fn to_python(py: Python<'_>, values: &Values, is_scalar: bool) -> PyResult<Py<PyAny>> {
    let view = values.view();
    if is_scalar && view.len() == 1 {
        return element(py, view, 0);
    }
    let all: PyResult<Vec<_>> = (0..view.len()).map(|index| element(py, view, index)).collect();
    all?.into_py_any(py)
}

/// One element.
pub(crate) fn element(py: Python<'_>, values: ValuesRef<'_>, index: usize) -> PyResult<Py<PyAny>> {
    match values {
        ValuesRef::Float64(values) => values[index].into_py_any(py),
        ValuesRef::Float32(values) => values[index].into_py_any(py),
        ValuesRef::Int8(values) => values[index].into_py_any(py),
        ValuesRef::UInt8(values) => values[index].into_py_any(py),
        ValuesRef::Int16(values) => values[index].into_py_any(py),
        ValuesRef::UInt16(values) => values[index].into_py_any(py),
        ValuesRef::Int32(values) => values[index].into_py_any(py),
        ValuesRef::UInt32(values) => values[index].into_py_any(py),
        ValuesRef::UInt64(values) => values[index].into_py_any(py),
        ValuesRef::Int64(values) | ValuesRef::Enumeration(values) => values[index].into_py_any(py),
        ValuesRef::Boolean(values) | ValuesRef::Clock(values) => values[index].into_py_any(py),
        ValuesRef::String(values) => values[index].as_str().into_py_any(py),
        ValuesRef::Binary(values) => PyBytes::new(py, &values[index]).into_py_any(py),
    }
}

/// Values of a type from one of Python's, or from a sequence of so many.
pub(crate) fn from_python(
    value: &Bound<'_, PyAny>,
    value_type: ValueType,
    count: usize,
) -> PyResult<Values> {
    let is_text = value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>();
    let items: Vec<Bound<'_, PyAny>> = match value.try_iter() {
        Ok(items) if !is_text => items.collect::<PyResult<_>>()?,
        _ => vec![value.clone()],
    };
    if items.len() != count {
        let message = format!("{count} expected, {} given", items.len());
        return Err(PyTypeError::new_err(message));
    }
    match value_type {
        ValueType::Float64 => all(&items).map(Values::Float64),
        ValueType::Float32 => all(&items).map(Values::Float32),
        ValueType::Int8 => all(&items).map(Values::Int8),
        ValueType::UInt8 => all(&items).map(Values::UInt8),
        ValueType::Int16 => all(&items).map(Values::Int16),
        ValueType::UInt16 => all(&items).map(Values::UInt16),
        ValueType::Int32 => all(&items).map(Values::Int32),
        ValueType::UInt32 => all(&items).map(Values::UInt32),
        ValueType::Int64 => all(&items).map(Values::Int64),
        ValueType::UInt64 => all(&items).map(Values::UInt64),
        ValueType::Enumeration => all(&items).map(Values::Enumeration),
        ValueType::Boolean => truths(&items).map(Values::Boolean),
        ValueType::Clock => truths(&items).map(Values::Clock),
        ValueType::String => all(&items).map(Values::String),
        ValueType::Binary => all(&items).map(Values::Binary),
    }
}

fn all<'py, T>(items: &[Bound<'py, PyAny>]) -> PyResult<Vec<T>>
where
    T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>,
{
    items.iter().map(|item| item.extract::<T>().map_err(Into::into)).collect()
}

/// `True`, `False`, and the numbers 1 and 0.
fn truths(items: &[Bound<'_, PyAny>]) -> PyResult<Vec<bool>> {
    let truth = |item: &Bound<'_, PyAny>| match item.extract::<bool>() {
        Ok(truth) => Ok(truth),
        Err(problem) => match item.extract::<f64>() {
            Ok(number) if number.to_bits() == 0 => Ok(false),
            Ok(number) if number.to_bits() == 1_f64.to_bits() => Ok(true),
            _ => Err(problem),
        },
    };
    items.iter().map(truth).collect()
}

/// A list of texts.
pub(crate) fn texts<'py>(py: Python<'py>, texts: &[String]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, texts)
}
