//! No input makes a reader panic: damaged systems and tables, from the fuzzers' seeds.

use consort_formats::fuzz;
use consort_testkit::fuzz::drive;

#[test]
fn damaged_systems_do_not_panic() {
    drive("system", fuzz::system, 2000);
}

#[test]
fn damaged_tables_do_not_panic() {
    drive("inputs", fuzz::inputs, 4000);
}
