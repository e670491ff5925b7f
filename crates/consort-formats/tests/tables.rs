//! Tables of inputs as they are published: what each of them means, and what is said about it.

use consort_core::Report;
use consort_formats::fuzz::{descriptions, models};
use consort_formats::{read_inputs, read_system};
use consort_system::{ColumnFeed, Feed, ResolvedSystem, resolve};

const SYSTEM: &str = r#"[experiment]
stop = 60
step = 0.1
input = "table.csv"
[components.tank]
model = "tank"
parameters = { inflow = 0 }
[components.pid]
model = "pid"
parameters = { measurement = 0 }
[components.typed]
model = "typed"
[components.rod]
model = "rod"
parameters = { B = 0 }
"#;

/// The system fed from a table, and the codes of what is said.
fn fed(table: &str) -> (Option<ResolvedSystem>, Vec<&'static str>) {
    let mut report = Report::default();
    let models = models();
    let mut system = read_system("system.toml", SYSTEM, &mut report).expect("a system");
    system.inputs = read_inputs("table.csv", table.as_bytes(), &mut report);
    let resolved = resolve(&system, &descriptions(&system, &models), &mut report);
    (resolved, report.diagnostics().iter().map(|it| it.code).collect())
}

/// `0.5|0.5|1 1|3|5`: times in seconds, then the values of each column.
fn shown(feed: &Feed) -> String {
    let list = |it: Vec<String>| it.join("|");
    let seconds = |ticks: i64| format!("{}", ticks as f64 / 1e9);
    let mut parts = vec![list(feed.times.iter().map(|it| seconds(it.ticks())).collect())];
    let column = |it: &ColumnFeed| {
        let cells = (0..it.values.len()).map(|row| it.values.slice(row, 1).to_string());
        list(cells.collect())
    };
    parts.extend(feed.columns.iter().map(column));
    parts.extend(feed.parameters.iter().map(|it| format!("set {}", column(it))));
    parts.join("  ")
}

fn check(name: &str, table: &str, expected: &str, said: &[&str]) {
    let (resolved, codes) = fed(table);
    assert_eq!(codes, said, "{name}");
    let resolved = resolved.unwrap_or_else(|| panic!("{name} does not run"));
    assert_eq!(shown(&resolved.feed.expect("fed")), expected, "{name}");
}

#[test]
fn tables_mean_what_they_mean_elsewhere() {
    let late = &["system::late-jump"][..];
    for (name, table, expected, said) in [
        ("a jump", "time,inflow\n0,1\n1,1\n1,3\n2,3\n", "0|1|1|2  1.0|1.0|3.0|3.0", &[][..]),
        ("a jump at the start", "time,inflow\n0,1\n0,2\n", "0|0  1.0|2.0", &[]),
        ("three rows at one time", "time,inflow\n1,1\n1,2\n1,3\n", "1|1|1  1.0|2.0|3.0", &[]),
        ("a row twice", "time,inflow\n1,1\n1,1\n2,1\n", "1|1|2  1.0|1.0|1.0", &[]),
        ("rows closer than a tick", "time,inflow\n1,1\n1.0000000001,3\n", "1|1  1.0|3.0", &[]),
        (
            "a jump between steps",
            "time,inflow\n0,1\n0.25,1\n0.25,3\n",
            "0|0.25|0.25  1.0|1.0|3.0",
            late,
        ),
        ("a step of what is held", "time,typed.count\n0,1\n0.25,2\n", "0|0.25  1|2", late),
        (
            "no jump, though held and repeated",
            "time,typed.count\n0,1\n0.25,1\n0.25,1\n",
            "0|0.25|0.25  1|1|1",
            &[],
        ),
        ("semicolons", "time;tank.inflow;pid.setpoint\n0;1;2\n", "0  1.0  2.0", &[]),
        ("tabs", "time\ttank.inflow\n0\t1\n", "0  1.0", &[]),
        ("quotes everywhere", "\"time\",\"tank.inflow\"\n\"0\",\"1\"\n", "0  1.0", &[]),
        ("a comma in a quoted header", "time;\"rod.B[1, 2]\"\n0;4\n", "0  4.0", &[]),
        ("times in capitals, with a unit", "Time [s],inflow\n0,1\n", "0  1.0", &[]),
        ("a unit in brackets", "time,\"inflow [l/s]\"\n0,1\n", "0  0.001", &[]),
        ("a unit right behind", "time(s),inflow(m3/s)\n0,1\n", "0  1.0", &[]),
        ("a unit behind a path", "time,tank.inflow [l/s]\n0,1\n", "0  0.001", &[]),
        ("a unit behind an element", "time,rod.heat[2] [kW]\n0,1\n", "0  1000.0", &[]),
        ("a dash for no unit", "time,tank.valve [-]\n0,1\n", "0  1.0", &[]),
        (
            "a unit of what has none",
            "time,tank.valve [m]\n0,1\n",
            "0  1.0",
            &["system::unit-unused"],
        ),
        ("a unit that is unknown", "time,inflow [gpm]\n0,1\n", "0  1.0", &["system::unit-unknown"]),
        ("a row of units", "time,inflow,valve\ns,l/s,-\n0,1,2\n", "0  0.001  2.0", &[]),
        ("a row of units in brackets", "time,inflow\n[s],[l/s]\n0,1\n", "0  0.001", &[]),
        ("an element without its component", "time,heat[3]\n0,1\n", "0  1.0", &[]),
        (
            "whole numbers written as floats",
            "time,count,on\n0.0,2.0,1.0\n1,-3e0,0.0\n",
            "0|1  2|-3  true|false",
            &[],
        ),
        ("not a number", "time,inflow\n0,nan\n1,NaN\n", "0|1  NaN|NaN", &["csv::nan"]),
        ("infinity", "time,inflow\n0,inf\n", "0  inf", &[]),
        ("a tunable parameter", "time,kp\n0,1\n1,1\n1,4\n", "0|1|1  set 1.0|1.0|4.0", &[]),
        ("a choice over time", "time,pid.mode\n0,manual\n1,automatic\n", "0|1  set 1|2", &[]),
        ("a fixed parameter that stays", "time,inflow,ki\n0,1,7\n1,2,7\n", "0|1  1.0|2.0", &[]),
    ] {
        check(name, table, expected, said);
    }
}

#[test]
fn tables_that_cannot_be_meant_so_are_refused() {
    for (name, table, said) in [
        ("time that goes back", "time,inflow\n1,1\n0.5,2\n", "csv::not-increasing"),
        ("time in other units", "time [ms],inflow\n0,1\n", "csv::no-time"),
        ("a unit that measures something else", "time,inflow [K]\n0,1\n", "system::unit-mismatch"),
        ("a fixed parameter that changes", "time,ki\n0,1\n1,2\n", "system::fixed-parameter"),
        ("a structural parameter", "time,rod.n\n0,3\n", "system::not-an-input"),
        ("an output", "time,tank.level\n0,3\n", "system::not-an-input"),
        ("a fraction for a whole number", "time,typed.count\n0,1.5\n", "system::wrong-value"),
        (
            "not a number for a whole number",
            "time,typed.count\n0,1\n1,nan\n",
            "system::wrong-value",
        ),
        ("decimals with a comma", "time;inflow\n0,5;1\n", "csv::bad-time"),
        ("a name in another case", "time,Inflow\n0,1\n", "system::unknown-column"),
    ] {
        let (resolved, codes) = fed(table);
        assert!(resolved.is_none() && codes.contains(&said), "{name}: {codes:?}");
    }
}

/// What a parameter is before the first step is what its row at the start says.
#[test]
fn a_parameter_in_a_table_starts_with_its_row() {
    let start = |table: &str, variable: &str| {
        let (resolved, codes) = fed(table);
        let component = resolved.unwrap_or_else(|| panic!("{codes:?}")).components[1].clone();
        let id = models()[1].variable(variable).expect("a variable of the pid");
        let setting = component.settings.into_iter().find(|setting| setting.variable == id);
        setting.map(|setting| setting.values.view().to_string())
    };
    assert_eq!(start("time,kp\n-1,1\n0,2\n0,3\n5,4\n", "kp").as_deref(), Some("3.0"));
    assert_eq!(start("time,kp\n2,5\n3,6\n", "kp").as_deref(), Some("5.0"), "the first row holds");
    assert_eq!(start("time,ki\n0,7\n9,7\n", "ki").as_deref(), Some("7.0"));
    assert_eq!(start("time,inflow\n0,7\n", "ki"), None);
}
