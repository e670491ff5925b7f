//! This very program is the worker: started with one special argument it serves and ends, before the
//! test harness has a word.

use super::fixture;
use consort_host::serve;
use std::ffi::{CStr, c_char, c_int};
use std::process::ExitCode;

/// What makes this program a worker.
pub(crate) const ARGUMENT: &CStr = c"serve-as-a-worker";

extern "C" fn enter(count: c_int, arguments: *const *const c_char, _: *const *const c_char) {
    // SAFETY: the C library hands every function of this section the arguments of `main`.
    let is_worker = count == 2 && unsafe { CStr::from_ptr(*arguments.add(1)) } == ARGUMENT;
    if is_worker {
        let code = serve(&|recipe| fixture::load_recipe(recipe));
        std::process::exit(i32::from(code != ExitCode::SUCCESS));
    }
}

/// Functions in this section run before `main`.
#[used]
#[unsafe(link_section = ".init_array")]
static ENTRY: extern "C" fn(c_int, *const *const c_char, *const *const c_char) = enter;
