//! What is written into XML: texts and numbers.

use consort_core::Seconds;

pub(super) use consort_xml::{Text, borrowed, float, is_allowed};

/// A time as a decimal, rounded if no decimal is exact.
pub(super) fn decimal(time: Seconds) -> String {
    let exact = time.to_string();
    if exact.contains('/') { float(time.to_f64()) } else { exact }
}
