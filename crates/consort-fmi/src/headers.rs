//! The C headers of the standard, written for Consort after its text.
//!
//! An FMU that comes as source need not bring them along, and one that is made here does.

/// A file's name and its text.
pub type Header = (&'static str, &'static str);

/// Those of FMI 2.0.
pub const FMI2: [Header; 3] = [
    ("fmi2TypesPlatform.h", include_str!("../include/fmi2TypesPlatform.h")),
    ("fmi2FunctionTypes.h", include_str!("../include/fmi2FunctionTypes.h")),
    ("fmi2Functions.h", include_str!("../include/fmi2Functions.h")),
];

/// Those of FMI 3.0.
pub const FMI3: [Header; 3] = [
    ("fmi3PlatformTypes.h", include_str!("../include/fmi3PlatformTypes.h")),
    ("fmi3FunctionTypes.h", include_str!("../include/fmi3FunctionTypes.h")),
    ("fmi3Functions.h", include_str!("../include/fmi3Functions.h")),
];
