//! Numbers in batches: arrays of the caller that are read and filled, and columns that numpy looks at where they are.

use crate::arrow::address;
use crate::table::TraceData;
use consort_core::ValuesRef;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;

/// Copies numbers into an array of doubles of the caller.
pub(crate) fn fill(out: &Bound<'_, PyAny>, numbers: &[f64]) -> PyResult<()> {
    let buffer = PyBuffer::<f64>::get(out)?;
    check_length(buffer.item_count(), numbers.len())?;
    buffer.copy_from_slice(out.py(), numbers)
}

/// The numbers of an array of doubles, or of any sequence of numbers.
pub(crate) fn numbers(from: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<f64>> {
    let numbers = match PyBuffer::<f64>::get(from) {
        Ok(buffer) => buffer.to_vec(from.py())?,
        Err(_) => from.extract::<Vec<f64>>()?,
    };
    check_length(numbers.len(), count)?;
    Ok(numbers)
}

fn check_length(given: usize, wanted: usize) -> PyResult<()> {
    if given == wanted {
        return Ok(());
    }
    let message =
        format!("{wanted} numbers expected, one for each element; there is room for {given}");
    Err(PyValueError::new_err(message))
}

/// A column of a trace as numpy looks at it: `numpy.asarray` makes an array of it without a copy.
#[pyclass(frozen, name = "Column", module = "consort._native")]
pub(crate) struct ColumnView {
    data: Arc<TraceData>,
    /// Which column; the times without one.
    column: Option<usize>,
}

impl ColumnView {
    /// A column, or the times.
    pub(crate) fn new(data: &Arc<TraceData>, column: Option<usize>) -> Self {
        ColumnView { data: Arc::clone(data), column }
    }

    fn values(&self) -> ValuesRef<'_> {
        match self.column {
            Some(column) => self.data.values(column),
            None => ValuesRef::Float64(self.data.times()),
        }
    }
}

#[pymethods]
impl ColumnView {
    /// Version 3 of numpy's array interface. The memory is read only and lives as long as this object.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let values = self.values();
        let (address, kind) = match values {
            ValuesRef::Boolean(truths) | ValuesRef::Clock(truths) => {
                (truths.as_ptr() as usize, "|b1")
            }
            values => (address(values).unwrap_or_default(), numpy_type(values)),
        };
        let dimensions = self.column.map(|column| self.data.dimensions(column)).unwrap_or_default();
        let mut shape = vec![self.data.times().len()];
        shape.extend(dimensions.iter().map(|&extent| extent as usize));
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("shape", PyTuple::new(py, shape)?)?;
        interface.set_item("typestr", kind)?;
        interface.set_item("data", (address, true))?;
        Ok(interface)
    }
}

fn numpy_type(values: ValuesRef<'_>) -> &'static str {
    match values {
        ValuesRef::Float64(_) => "<f8",
        ValuesRef::Float32(_) => "<f4",
        ValuesRef::Int8(_) => "|i1",
        ValuesRef::UInt8(_) => "|u1",
        ValuesRef::Int16(_) => "<i2",
        ValuesRef::UInt16(_) => "<u2",
        ValuesRef::Int32(_) => "<i4",
        ValuesRef::UInt32(_) => "<u4",
        ValuesRef::UInt64(_) => "<u8",
        _ => "<i8",
    }
}
