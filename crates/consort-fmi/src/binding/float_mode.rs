//! The floating-point mode of the thread: rounding, flush-to-zero, denormals-are-zero.
//!
//! A library linked with fast-math turns flush-to-zero on for the thread that loads it, and an FMU
//! may do the same in any call. Either would change the numbers of everything that runs later on
//! that thread, so the mode is kept and put back.

/// The mode as it was when it was kept.
#[derive(Clone, Copy)]
pub(crate) struct FloatMode(u32);

impl FloatMode {
    /// Remembers the mode of this thread.
    #[inline]
    pub(crate) fn keep() -> Self {
        FloatMode(read())
    }

    /// Puts the kept mode back; true if it had been changed.
    #[inline]
    pub(crate) fn put_back(self) -> bool {
        let changed = (read() ^ self.0) & !STICKY_FLAGS != 0;
        if changed {
            write(self.0);
        }
        changed
    }

    /// Calls `action` and puts the mode back; also returns whether that was needed.
    pub(crate) fn around<T>(action: impl FnOnce() -> T) -> (T, bool) {
        let mode = Self::keep();
        let result = action();
        (result, mode.put_back())
    }
}

/// Whether numbers round to nearest and subnormals survive, found out by computing.
///
/// Reading the register takes 9 ns on some processors, as long as a whole small step; these additions, which
/// are made all at once, take one. What is not seen this way (trapped exceptions) is seen where the register
/// is read: at loading, instantiation and initialization.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn computes_as_usual() -> bool {
    use std::arch::x86_64::{_mm_add_ps, _mm_castps_si128, _mm_cmpeq_epi32, _mm_movemask_epi8};
    // SAFETY: reads numbers through references, volatile so that the additions are made now and not by the
    // compiler; every processor of this kind has the instructions.
    unsafe {
        let [left, right, sums] = [0, 1, 2].map(|row| std::ptr::read_volatile(&PROBES.0[row]));
        let found = _mm_castps_si128(_mm_add_ps(left, right));
        _mm_movemask_epi8(_mm_cmpeq_epi32(found, _mm_castps_si128(sums))) == 0xFFFF
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) fn computes_as_usual() -> bool {
    true
}

/// Left, right, sum: a number far below half a unit in the last place of one is lost unless rounding is
/// directed; the sum of two subnormals is one.
#[cfg(target_arch = "x86_64")]
static PROBES: Probes = {
    use std::arch::x86_64::__m128;
    const SMALL: f32 = 1e-20;
    const SUBNORMAL: f32 = f32::from_bits(0x1_0000);
    let rows: [[f32; 4]; 3] = [
        [1.0, 1.0, SUBNORMAL, 0.0],
        [SMALL, -SMALL, SUBNORMAL, 0.0],
        [1.0, 1.0, f32::from_bits(0x2_0000), 0.0],
    ];
    // SAFETY: both are four floats; any bits are a value of either.
    Probes(unsafe { std::mem::transmute::<[[f32; 4]; 3], [__m128; 3]>(rows) })
};

#[cfg(target_arch = "x86_64")]
struct Probes([std::arch::x86_64::__m128; 3]);

/// The low six bits of MXCSR record exceptions that happened: any computation may set them.
const STICKY_FLAGS: u32 = 0x3F;

#[cfg(target_arch = "x86_64")]
#[inline]
fn read() -> u32 {
    let mut mode = 0u32;
    // SAFETY: stores four bytes to a local of that size.
    unsafe {
        std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut mode, options(nostack, preserves_flags));
    }
    mode
}

#[cfg(target_arch = "x86_64")]
fn write(mode: u32) {
    // SAFETY: the value was read from the register before, so no reserved bit is set.
    unsafe {
        std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const mode, options(nostack, preserves_flags));
    }
}

// Elsewhere loading a library does not change the mode.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn read() -> u32 {
    0
}

#[cfg(not(target_arch = "x86_64"))]
fn write(_mode: u32) {}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use std::hint::black_box;

    const FLUSH_TO_ZERO: u32 = 1 << 15;

    #[test]
    fn a_changed_mode_is_put_back_and_reported() {
        let before = read();
        let (_, changed) = FloatMode::around(|| write(before | FLUSH_TO_ZERO));
        assert!(changed);
        assert_eq!(read() & !STICKY_FLAGS, before & !STICKY_FLAGS);
    }

    #[test]
    fn every_mode_that_changes_numbers_is_noticed_by_computing() {
        const DENORMALS_ARE_ZERO: u32 = 1 << 6;
        let usual = read();
        assert!(computes_as_usual());
        for rounding in 1..4 {
            write(usual | rounding << 13);
            assert!(!computes_as_usual(), "rounding mode {rounding}");
        }
        for bit in [FLUSH_TO_ZERO, DENORMALS_ARE_ZERO] {
            write(usual | bit);
            assert!(!computes_as_usual(), "bit {bit:#x}");
        }
        write(usual);
        assert!(computes_as_usual());
    }

    #[test]
    fn an_inexact_result_is_no_change() {
        let (sum, changed) = FloatMode::around(|| black_box(0.1) + black_box(0.2));
        assert!(0.3 < sum);
        assert!(!changed);
    }
}
