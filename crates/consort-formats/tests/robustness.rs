//! No input makes a reader panic: damaged systems, multi-models and tables, from the fuzzers' seeds.

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

#[test]
fn damaged_multi_models_do_not_panic() {
    drive("multimodel", fuzz::multimodel, 4000);
}

#[test]
fn damaged_campaigns_do_not_panic() {
    drive("campaign", fuzz::campaign, 2000);
}

#[test]
fn damaged_scenarios_do_not_panic() {
    drive("scenario", fuzz::scenario, 2000);
}

#[test]
fn damaged_snapshots_do_not_panic() {
    drive("snapshot", fuzz::snapshot, 4000);
}

#[test]
fn damaged_plans_do_not_panic() {
    drive("plan", fuzz::plan, 2000);
}
