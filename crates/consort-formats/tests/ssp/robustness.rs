//! No input makes a reader panic: damaged structures, values and mappings.

use consort_formats::fuzz;
use consort_testkit::fuzz::drive;

#[test]
fn damaged_files_do_not_panic() {
    drive("ssp", fuzz::ssp, 3000);
}
