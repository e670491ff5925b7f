//! A trace as a stream of Arrow, by the C interface that pandas, polars, pyarrow and DuckDB take: one batch, whose
//! numeric columns are those of the trace, without a copy.
//!
//! The structures are those of the Arrow C data interface and the Arrow C stream interface. Every structure that is
//! handed out owns what it points to, by an `Arc` of the trace or a box, until its consumer calls `release`.

#![expect(unsafe_code, reason = "Arrow's C interface: pointers, and functions that consumers call")]

use crate::table::TraceData;
use consort_core::ValuesRef;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

/// The name of the capsule, as the PyCapsule interface says.
pub(crate) const STREAM_NAME: &std::ffi::CStr = c"arrow_array_stream";

/// A value may be missing: what consumers expect of every column.
const NULLABLE: i64 = 2;

/// A stream of batches with one schema.
#[repr(C)]
pub(crate) struct ArrowArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    private_data: *mut c_void,
}

/// The type of a column, or of a table.
#[repr(C)]
struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    child_count: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

/// The values of a column, or of a table.
#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    buffer_count: i64,
    child_count: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

/// What a schema points to.
struct SchemaParts {
    format: CString,
    name: CString,
    metadata: Vec<u8>,
    children: Vec<*mut ArrowSchema>,
}

/// What an array points to.
struct ArrayParts {
    _data: Arc<TraceData>,
    _encoded: Encoded,
    buffers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
}

/// Values that Arrow lays out in another way than a trace.
#[derive(Default)]
struct Encoded {
    offsets: Vec<i64>,
    bytes: Vec<u8>,
}

/// What a stream is about, and whether its batch was taken.
struct StreamState {
    data: Arc<TraceData>,
    is_done: bool,
}

// SAFETY: what a stream points to is a box of its own with an `Arc` of plain data; no thread is better than another.
unsafe impl Send for ArrowArrayStream {}

impl ArrowArrayStream {
    /// A stream of one batch: the whole trace.
    pub(crate) fn new(data: Arc<TraceData>) -> Self {
        let state = Box::new(StreamState { data, is_done: false });
        ArrowArrayStream {
            get_schema: Some(get_schema),
            get_next: Some(get_next),
            get_last_error: Some(get_last_error),
            release: Some(release_stream),
            private_data: Box::into_raw(state).cast(),
        }
    }
}

/// A consumer that takes the stream moves it out and leaves no `release`; else it is released with its capsule.
impl Drop for ArrowArrayStream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the stream was not released, and this is the last one to use it.
            unsafe { release(self) };
        }
    }
}

unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: by the interface the stream is ours and not released, and `out` is a place for a schema.
    unsafe {
        let state = &*(*stream).private_data.cast::<StreamState>();
        out.write(table_schema(&state.data));
    }
    0
}

unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: as in `get_schema`; a stream is used by one thread at a time.
    unsafe {
        let state = &mut *(*stream).private_data.cast::<StreamState>();
        let is_done = std::mem::replace(&mut state.is_done, true);
        out.write(if is_done { ArrowArray::end() } else { table_array(&state.data) });
    }
    0
}

unsafe extern "C" fn get_last_error(_stream: *mut ArrowArrayStream) -> *const c_char {
    null()
}

unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    // SAFETY: a stream is released once; `private_data` is the box of `ArrowArrayStream::new`.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<StreamState>()));
        (*stream).private_data = null_mut();
        (*stream).release = None;
    }
}

/// A structure of all columns, the time first.
fn table_schema(data: &TraceData) -> ArrowSchema {
    let mut children = vec![schema("time", "g", Some("s"), Vec::new())];
    for (column, values) in data.columns() {
        let (name, unit) = (column.path(), column.unit.as_deref());
        children.push(match column.dimensions.is_empty() {
            true => schema(name, format_of(values), unit, Vec::new()),
            false => {
                let list = format!("+w:{}", column.element_count());
                schema(name, &list, unit, vec![schema("item", format_of(values), None, Vec::new())])
            }
        });
    }
    schema("", "+s", None, children)
}

fn schema(name: &str, format: &str, unit: Option<&str>, children: Vec<ArrowSchema>) -> ArrowSchema {
    let plain =
        |text: &str| CString::new(text.replace('\0', " ")).expect("it has no zero byte now");
    let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
    let mut parts = Box::new(SchemaParts {
        format: plain(format),
        name: plain(name),
        metadata: unit.map(metadata).unwrap_or_default(),
        children,
    });
    ArrowSchema {
        format: parts.format.as_ptr(),
        name: parts.name.as_ptr(),
        metadata: if unit.is_some() { parts.metadata.as_ptr().cast() } else { null() },
        flags: NULLABLE,
        child_count: parts.children.len() as i64,
        children: parts.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_schema),
        private_data: Box::into_raw(parts).cast(),
    }
}

/// One pair of texts, each after its length.
fn metadata(unit: &str) -> Vec<u8> {
    let mut bytes = 1_i32.to_ne_bytes().to_vec();
    for text in ["unit", unit] {
        let length = i32::try_from(text.len()).expect("names of units are short");
        bytes.extend(length.to_ne_bytes());
        bytes.extend(text.as_bytes());
    }
    bytes
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: a schema is released once; its parts and its children are boxes of `schema`. A child that was moved out
    // has no `release` any more.
    unsafe {
        let parts = Box::from_raw((*schema).private_data.cast::<SchemaParts>());
        for &child in &parts.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*schema).release = None;
    }
}

/// The formats of the interface, by type.
fn format_of(values: ValuesRef<'_>) -> &'static str {
    match values {
        ValuesRef::Float64(_) => "g",
        ValuesRef::Float32(_) => "f",
        ValuesRef::Int8(_) => "c",
        ValuesRef::UInt8(_) => "C",
        ValuesRef::Int16(_) => "s",
        ValuesRef::UInt16(_) => "S",
        ValuesRef::Int32(_) => "i",
        ValuesRef::UInt32(_) => "I",
        ValuesRef::Int64(_) | ValuesRef::Enumeration(_) => "l",
        ValuesRef::UInt64(_) => "L",
        ValuesRef::Boolean(_) | ValuesRef::Clock(_) => "b",
        ValuesRef::String(_) => "U",
        ValuesRef::Binary(_) => "Z",
    }
}

/// The batch: all rows.
fn table_array(data: &Arc<TraceData>) -> ArrowArray {
    let rows = data.times().len();
    let mut children = vec![flat(data, ValuesRef::Float64(data.times()))];
    for (column, values) in data.columns() {
        let own = flat(data, values);
        children.push(match column.dimensions.is_empty() {
            true => own,
            false => array(data, rows, vec![null()], Encoded::default(), vec![own]),
        });
    }
    array(data, rows, vec![null()], Encoded::default(), children)
}

/// Values without structure. Numbers are handed out where they are.
fn flat(data: &Arc<TraceData>, values: ValuesRef<'_>) -> ArrowArray {
    let (count, no_nulls) = (values.len(), null());
    if let Some(address) = address(values) {
        let buffers = vec![no_nulls, address as *const c_void];
        return array(data, count, buffers, Encoded::default(), Vec::new());
    }
    let encoded = encoded(values);
    let bytes = encoded.bytes.as_ptr().cast::<c_void>();
    let buffers = match encoded.offsets.is_empty() {
        true => vec![no_nulls, bytes],
        false => vec![no_nulls, encoded.offsets.as_ptr().cast(), bytes],
    };
    array(data, count, buffers, encoded, Vec::new())
}

/// Where numbers are that Arrow takes as they are.
pub(crate) fn address(values: ValuesRef<'_>) -> Option<usize> {
    Some(match values {
        ValuesRef::Float64(values) => values.as_ptr() as usize,
        ValuesRef::Float32(values) => values.as_ptr() as usize,
        ValuesRef::Int8(values) => values.as_ptr() as usize,
        ValuesRef::UInt8(values) => values.as_ptr() as usize,
        ValuesRef::Int16(values) => values.as_ptr() as usize,
        ValuesRef::UInt16(values) => values.as_ptr() as usize,
        ValuesRef::Int32(values) => values.as_ptr() as usize,
        ValuesRef::UInt32(values) => values.as_ptr() as usize,
        ValuesRef::UInt64(values) => values.as_ptr() as usize,
        ValuesRef::Int64(values) | ValuesRef::Enumeration(values) => values.as_ptr() as usize,
        _ => return None,
    })
}

/// Truths as bits; texts and bytes one after the other, with their offsets.
fn encoded(values: ValuesRef<'_>) -> Encoded {
    let mut encoded = Encoded::default();
    let mut add = |bytes: &[u8]| {
        encoded.bytes.extend(bytes);
        encoded.offsets.push(encoded.bytes.len() as i64);
    };
    match values {
        ValuesRef::Boolean(truths) | ValuesRef::Clock(truths) => {
            let byte = |eight: &[bool]| {
                eight.iter().rev().fold(0_u8, |byte, &truth| byte << 1 | u8::from(truth))
            };
            encoded.bytes = truths.chunks(8).map(byte).collect();
        }
        ValuesRef::String(texts) => {
            add(&[]);
            texts.iter().for_each(|text| add(text.as_bytes()));
        }
        ValuesRef::Binary(all) => {
            add(&[]);
            all.iter().for_each(|bytes| add(bytes));
        }
        _ => {}
    }
    encoded
}

fn array(
    data: &Arc<TraceData>,
    length: usize,
    buffers: Vec<*const c_void>,
    encoded: Encoded,
    children: Vec<ArrowArray>,
) -> ArrowArray {
    let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
    let data = Arc::clone(data);
    let mut parts = Box::new(ArrayParts { _data: data, _encoded: encoded, buffers, children });
    ArrowArray {
        length: length as i64,
        buffer_count: parts.buffers.len() as i64,
        child_count: parts.children.len() as i64,
        buffers: parts.buffers.as_mut_ptr(),
        children: parts.children.as_mut_ptr(),
        release: Some(release_array),
        private_data: Box::into_raw(parts).cast(),
        ..ArrowArray::end()
    }
}

impl ArrowArray {
    /// What says that there is no further batch.
    fn end() -> Self {
        ArrowArray {
            length: 0,
            null_count: 0,
            offset: 0,
            buffer_count: 0,
            child_count: 0,
            buffers: null_mut(),
            children: null_mut(),
            dictionary: null_mut(),
            release: None,
            private_data: null_mut(),
        }
    }
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: an array is released once; its parts and its children are boxes of `array`. A child that was moved out
    // has no `release` any more.
    unsafe {
        let parts = Box::from_raw((*array).private_data.cast::<ArrayParts>());
        for &child in &parts.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*array).release = None;
    }
}
