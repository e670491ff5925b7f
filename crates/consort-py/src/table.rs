//! A trace as others look at it: columns of values, and the times in seconds.

use consort::Trace;
use consort_core::ValuesRef;
use consort_trace::Column;

/// A trace, and its times in seconds.
pub(crate) struct TraceData {
    trace: Trace,
    times: Vec<f64>,
}

impl TraceData {
    /// A trace with its times.
    pub(crate) fn new(trace: Trace) -> Self {
        let times = trace.times().collect();
        TraceData { trace, times }
    }

    /// The trace.
    pub(crate) fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The times of the rows.
    pub(crate) fn times(&self) -> &[f64] {
        &self.times
    }

    /// Every column with its values.
    pub(crate) fn columns(&self) -> impl Iterator<Item = (&Column, ValuesRef<'_>)> {
        let values = self.trace.columns().iter().map(consort::Values::view);
        self.trace.schema().columns().iter().zip(values)
    }

    /// The values of a column.
    pub(crate) fn values(&self, column: usize) -> ValuesRef<'_> {
        self.trace.columns()[column].view()
    }

    /// The extents of a column's values; none of a scalar.
    pub(crate) fn dimensions(&self, column: usize) -> &[u32] {
        &self.trace.schema().columns()[column].dimensions
    }
}
