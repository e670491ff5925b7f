//! Buffers that carry texts across the boundary; they grow and keep their capacity.

use super::calls::BYTES_MAX;
use crate::binding::context::text;
use consort_core::ValuesMut;
use std::ffi::c_char;
use std::ptr;

/// Takes away what was there before: an FMU that answers "OK" and gives no value has not given the last one, nor
/// that of another variable.
pub(super) fn blank(values: &mut ValuesMut<'_>) {
    match values {
        ValuesMut::Float64(values) => values.fill(f64::NAN),
        ValuesMut::Float32(values) => values.fill(f32::NAN),
        ValuesMut::Int8(values) => values.fill(0),
        ValuesMut::UInt8(values) => values.fill(0),
        ValuesMut::Int16(values) => values.fill(0),
        ValuesMut::UInt16(values) => values.fill(0),
        ValuesMut::Int32(values) => values.fill(0),
        ValuesMut::UInt32(values) => values.fill(0),
        ValuesMut::Int64(values) | ValuesMut::Enumeration(values) => values.fill(0),
        ValuesMut::UInt64(values) => values.fill(0),
        ValuesMut::Boolean(values) | ValuesMut::Clock(values) => values.fill(false),
        // These are copied from pointers, which are null at first.
        ValuesMut::String(_) | ValuesMut::Binary(_) => {}
    }
}

/// Texts as C sees them.
#[derive(Default)]
pub(super) struct Texts {
    /// Each followed by a NUL.
    bytes: Vec<u8>,
    pointers: Vec<*const c_char>,
}

impl Texts {
    /// Pointers to copies that end in NUL, valid until the next use; `None` if a text has one inside.
    pub(super) fn hand_over(&mut self, texts: &[String]) -> Option<*const *const c_char> {
        self.bytes.clear();
        for text in texts {
            if text.as_bytes().contains(&0) {
                return None;
            }
            self.bytes.extend_from_slice(text.as_bytes());
            self.bytes.push(0);
        }
        self.pointers.clear();
        let mut offset = 0;
        for text in texts {
            self.pointers.push(self.bytes[offset..].as_ptr().cast());
            offset += text.len() + 1;
        }
        Some(self.pointers.as_ptr())
    }

    /// A place for `count` pointers, null at first.
    pub(super) fn place(&mut self, count: usize) -> *mut *const c_char {
        self.pointers.clear();
        self.pointers.resize(count, ptr::null());
        self.pointers.as_mut_ptr()
    }

    /// Copies what the pointers point at; what is not UTF-8 is replaced.
    ///
    /// # Safety
    /// An FMU has just filled the place given to it with null or valid texts.
    pub(super) unsafe fn copy_to(&self, values: &mut [String]) {
        for (value, &pointer) in values.iter_mut().zip(&self.pointers) {
            value.clear();
            // SAFETY: the caller's promise.
            value.push_str(&unsafe { text(pointer) });
        }
    }
}

/// Binaries as C sees them.
#[derive(Default)]
pub(super) struct Binaries {
    pub(super) sizes: Vec<usize>,
    pub(super) pointers: Vec<*const u8>,
}

impl Binaries {
    /// Points at `values`, which must outlive the use.
    pub(super) fn hand_over(&mut self, values: &[Vec<u8>]) {
        self.sizes.clear();
        self.pointers.clear();
        self.sizes.extend(values.iter().map(Vec::len));
        self.pointers.extend(values.iter().map(Vec::as_ptr));
    }

    /// Makes room for `count` binaries, empty at first.
    pub(super) fn make_place(&mut self, count: usize) {
        self.sizes.clear();
        self.pointers.clear();
        self.sizes.resize(count, 0);
        self.pointers.resize(count, ptr::null());
    }

    /// The first size that cannot be.
    pub(super) fn absurd_size(&self) -> Option<usize> {
        self.sizes.iter().copied().find(|size| BYTES_MAX < *size)
    }

    /// Copies what the pointers point at.
    ///
    /// # Safety
    /// An FMU has just filled the places with null or valid pointers and their sizes, none of them absurd.
    pub(super) unsafe fn copy_to(&self, values: &mut [Vec<u8>]) {
        for ((value, &pointer), &size) in values.iter_mut().zip(&self.pointers).zip(&self.sizes) {
            value.clear();
            if !pointer.is_null() && 0 < size {
                // SAFETY: the caller's promise.
                value.extend_from_slice(unsafe { std::slice::from_raw_parts(pointer, size) });
            }
        }
    }
}
