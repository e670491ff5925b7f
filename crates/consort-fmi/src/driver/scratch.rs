//! Buffers that carry texts across the boundary; they grow and keep their capacity.

use super::calls::BYTES_MAX;
use std::ffi::{CStr, c_char};
use std::ptr;

/// Values that an FMU is to write.
pub(super) trait Blank: Sized {
    /// Takes away what was there before: an FMU that answers "OK" and gives no value has not given the last one, nor
    /// that of another variable.
    fn blank(values: &mut [Self]);
}

macro_rules! blank_as {
    ($($element:ty: $blank:expr;)*) => {
        $(impl Blank for $element {
            #[inline]
            fn blank(values: &mut [Self]) {
                match values {
                    [value] => *value = $blank,
                    values => values.fill($blank),
                }
            }
        })*
    };
}

blank_as! {
    f64: f64::NAN; f32: f32::NAN; bool: false;
    i8: 0; u8: 0; i16: 0; u16: 0; i32: 0; u32: 0; i64: 0; u64: 0;
}

/// Texts and binaries are copied from pointers, which are null at first.
impl Blank for String {
    #[inline]
    fn blank(_: &mut [Self]) {}
}

impl Blank for Vec<u8> {
    #[inline]
    fn blank(_: &mut [Self]) {}
}

/// As [`Blank::blank`].
#[inline]
pub(super) fn blank<T: Blank>(values: &mut [T]) {
    T::blank(values);
}

/// What so few values need is kept on the stack.
pub(super) const FEW: usize = 8;

/// Copies what the pointers point at; what is not UTF-8 is replaced. Most texts stay what they are: these are
/// compared and left alone.
///
/// # Safety
/// The pointers are null or valid texts that end in NUL.
#[inline]
pub(super) unsafe fn copy_texts(pointers: &[*const c_char], values: &mut [String]) {
    for (value, &pointer) in values.iter_mut().zip(pointers) {
        // SAFETY: the caller's promise.
        let text = if pointer.is_null() { c"" } else { unsafe { CStr::from_ptr(pointer) } };
        if value.as_bytes() != text.to_bytes() {
            replace(value, text);
        }
    }
}

#[inline(never)]
fn replace(value: &mut String, text: &CStr) {
    value.clear();
    value.push_str(&text.to_string_lossy());
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

    /// The pointers in the place that was given last.
    pub(super) fn pointers(&self) -> &[*const c_char] {
        &self.pointers
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
