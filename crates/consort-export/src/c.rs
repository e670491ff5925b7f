//! The C code of an FMU: a model's programs and tables, and the runtime around them.
//!
//! `model.c` is written for each model; everything else is the same for all of them and stands in `runtime/`.

mod program;
mod tables;
mod text;

use crate::{FmiVersion, Identity};
use consort_equations::Equations;

/// The files that are the same for every model.
const RUNTIME: [(&str, &str); 9] = [
    ("runtime.h", include_str!("../runtime/runtime.h")),
    ("instance.c", include_str!("../runtime/instance.c")),
    ("events.c", include_str!("../runtime/events.c")),
    ("past.c", include_str!("../runtime/past.c")),
    ("breaks.c", include_str!("../runtime/breaks.c")),
    ("saved.c", include_str!("../runtime/saved.c")),
    ("partial.c", include_str!("../runtime/partial.c")),
    ("solver.c", include_str!("../runtime/solver.c")),
    ("cosimulation.c", include_str!("../runtime/cosimulation.c")),
];

/// The C code of an FMU, as names and contents of the files of its `sources/`; the standard's headers
/// are not among them.
///
/// It is C99 without extensions and needs nothing but `libm`. It must be compiled without fast-math and
/// contraction: then models without transcendental functions give the bits they give in Consort.
pub fn sources(
    equations: &Equations,
    version: FmiVersion,
    identity: &Identity,
) -> Vec<(String, String)> {
    let interface = match version {
        FmiVersion::V2 => ("fmi2.c", include_str!("../runtime/fmi2.c")),
        FmiVersion::V3 => ("fmi3.c", include_str!("../runtime/fmi3.c")),
    };
    let fixed = RUNTIME.into_iter().chain([interface]);
    let mut files = vec![("model.c".to_owned(), model(equations, identity))];
    files.extend(fixed.map(|(name, content)| (name.to_owned(), content.to_owned())));
    files
}

/// `model.c`: programs, then tables.
fn model(equations: &Equations, identity: &Identity) -> String {
    let mut programs = program::Programs::default();
    let tables = tables::write(equations, &mut programs);
    let (code, work_size) = programs.finish();
    let body = format!("{code}{tables}");
    // Saved states of models with other equations or tables are refused by this.
    let fingerprint = text::hash(&body);
    let head = "/* The equations of a model, written by Consort: see `runtime.h`. */\n#include \"runtime.h\"\n";
    let table = tables::model(equations, identity, work_size, fingerprint);
    format!("{head}{body}\n{table}")
}
