//! What right systems mean: ids, ticks, conversions, counts and values, exactly.

use consort_core::{
    ComponentId, ConnectionId, Conversion, Literal, Report, Setting, Severity, Time, Values,
    VariableId,
};
use consort_formats::fuzz::{descriptions, models};
use consort_formats::{parse_assignment, read_inputs, read_system};
use consort_system::{
    Comparison, Condition, Continuous, Effect, Hold, Iteration, IterationMethod, LoopPolicy,
    OnDivergence, Order, Port, ResolvedCoupling, ResolvedLoopRule, ResolvedSystem,
    ResolvedVariableStep, StepTolerances, SystemDescription, Target, Trigger, resolve,
};

fn read(text: &str) -> SystemDescription {
    let mut report = Report::default();
    let system = read_system("test", text, &mut report);
    assert_eq!(report.diagnostics(), &[], "{text}");
    system.expect("no error, so a system")
}

/// The resolved system and the messages of notes and warnings.
fn resolved(system: &SystemDescription) -> (ResolvedSystem, Vec<String>) {
    let mut report = Report::default();
    let models = models();
    let result = resolve(system, &descriptions(system, &models), &mut report);
    let result = result.unwrap_or_else(|| panic!("{:#?}", report.diagnostics()));
    let is_fine = |severity: Severity| severity < Severity::Error;
    assert!(report.diagnostics().iter().all(|diagnostic| is_fine(diagnostic.severity)));
    let said = report.diagnostics().iter().map(|it| format!("{}: {}", it.code, it.message));
    (result, said.collect())
}

fn meaning(text: &str) -> ResolvedSystem {
    let (system, said) = resolved(&read(text));
    assert_eq!(said, Vec::<String>::new(), "{text}");
    system
}

fn variable(model: &str, name: &str) -> VariableId {
    let models = models();
    let model = models.iter().find(|it| it.name == model).expect("a fixed model");
    model.variable(name).expect("a fixed variable")
}

fn port(component: u32, id: VariableId, first: u32, count: u32) -> Port {
    Port { component: ComponentId(component), variable: id, first, count }
}

const LOOP: &str = r#"
[experiment]
stop = 60
step = 0.1
seed = 7
tolerance = 1e-6

[components.tank]
model = "tank"
parameters = { level0 = { value = 20, unit = "cm" }, inflow = { value = 60, unit = "l/s" }, area = 2 }

[components.pid]
model = "pid"
step = 0.5
parameters = { mode = "automatic", state.integral = 0.5, kp = 3 }

[[connections]]
from = "tank.level"
to = "pid.measurement"
hold = "extrapolate"

[[connections]]
from = "pid.u"
to = "tank.valve"
"#;

#[test]
fn components_are_on_the_node_that_names_them_or_on_the_first() {
    let check = |nodes: &str, expected: &[(&str, &[&str])]| {
        let system = meaning(&format!("{LOOP}{nodes}"));
        let placement = system.placement.expect("it is spread");
        let names = |index: usize| {
            let of = placement.components(consort_core::NodeId::from_index(index));
            of.map(|id| system.components[id.index()].name.as_str()).collect::<Vec<_>>()
        };
        let found: Vec<(&str, Vec<&str>)> =
            placement.nodes.iter().enumerate().map(|(at, it)| (it.as_str(), names(at))).collect();
        let found: Vec<(&str, &[&str])> = found.iter().map(|(name, of)| (*name, &of[..])).collect();
        assert_eq!(found, expected, "{nodes}");
    };
    check("[nodes]\nz = [\"tank\"]\na = [\"pid\"]\n", &[("a", &["pid"]), ("z", &["tank"])]);
    check("[nodes]\nrest = []\nB = [\"tank\"]\n", &[("B", &["tank"]), ("rest", &["pid"])]);
    check("[nodes]\nrest = [\"*\"]\nB = [\"tank\"]\n", &[("B", &["tank"]), ("rest", &["pid"])]);
    check("[nodes]\none = \"*\"\n", &[("one", &["tank", "pid"])]);
    assert_eq!(meaning(LOOP).placement, None);
}

#[test]
fn what_is_said_beside_the_file_counts_for_more() {
    const NODES: &str = "[nodes]\nplant = [\"tank\"]\ncontrol = [\"pid\"]\n";
    let check = |nodes: &str, pairs: &[(&str, &str)], expected: Result<&[&str], &[&str]>| {
        let system = meaning(&format!("{LOOP}{nodes}"));
        let pairs: Vec<(String, String)> =
            pairs.iter().map(|(name, node)| ((*name).to_owned(), (*node).to_owned())).collect();
        let mut report = Report::default();
        let placement = consort_system::Placement::of(&system, &pairs, &mut report);
        consort_testkit::render::assert_helpful(&report);
        let said: Vec<&str> = report.diagnostics().iter().map(|it| it.message.as_str()).collect();
        let found = placement
            .as_ref()
            .map(|it| it.of_component.iter().map(|&node| it.name(node)).collect::<Vec<&str>>());
        assert_eq!(found.as_deref().ok_or(&said[..]), expected, "{nodes} {pairs:?}");
    };
    check("", &[], Err(&[]));
    check("", &[("pid", "b")], Ok(&["b", "b"]));
    check("", &[("pid", "b"), ("tank", "a")], Ok(&["a", "b"]));
    check("", &[("*", "b"), ("t*", "a")], Ok(&["a", "b"]));
    check(NODES, &[], Ok(&["plant", "control"]));
    check(NODES, &[("pid", "plant")], Ok(&["plant", "plant"]));
    check(NODES, &[("tank", "elsewhere")], Ok(&["elsewhere", "control"]));
    let unknown: &[&str] =
        &["the system has no component `tnak` to place", "`a b` is no name of a node"];
    check(NODES, &[("tnak", "plant"), ("pid", "a b")], Err(unknown));
}

#[test]
fn times_become_ticks() {
    let system = meaning(LOOP);
    assert_eq!(system.experiment.resolution.to_string(), "1 ns");
    assert_eq!(system.experiment.stop, Time::from_ticks(60_000_000_000));
    assert_eq!(system.experiment.step, Time::from_ticks(100_000_000));
    assert_eq!(system.components[0].period, Time::from_ticks(100_000_000));
    assert_eq!(system.components[1].period, Time::from_ticks(500_000_000));
    assert_eq!((system.experiment.seed, system.experiment.tolerance), (7, Some(1e-6)));
}

#[test]
fn connections_are_ports_with_conversions() {
    let system = meaning(LOOP);
    let [level, valve] = system.connections.as_slice() else { panic!("two connections") };
    assert_eq!(level.from, port(0, variable("tank", "level"), 0, 1));
    assert_eq!(level.to, port(1, variable("pid", "measurement"), 0, 1));
    assert_eq!(level.conversion, Conversion { gain: 100.0, offset: 0.0 });
    assert_eq!(level.hold, Hold::Extrapolate);
    assert_eq!((valve.conversion, valve.hold), (Conversion::IDENTITY, Hold::Hold));
}

#[test]
fn settings_are_converted_and_sorted_parameters_first() {
    let system = meaning(LOOP);
    let set =
        |model, name, values| Setting { variable: variable(model, name), values, is_given: true };
    assert_eq!(
        system.components[0].settings,
        [
            set("tank", "area", Values::Float64(vec![2.0])),
            set("tank", "level0", Values::Float64(vec![0.2])),
            set("tank", "inflow", Values::Float64(vec![0.06])),
        ]
    );
    assert_eq!(
        system.components[1].settings,
        [
            set("pid", "kp", Values::Float64(vec![3.0])),
            set("pid", "mode", Values::Enumeration(vec![2])),
            set("pid", "state.integral", Values::Float64(vec![0.5])),
        ]
    );
}

#[test]
fn start_values_follow_the_users_where_they_are_sent() {
    let text = "[experiment]\nstop = 1\nsend-start-values = true\n[components.a]\nmodel = \"tank\"\nparameters = { inflow = 1 }\n[components.b]\nmodel = \"tank\"\nsend-start-values = false\nparameters = { inflow = 1 }\n";
    let (system, _) = resolved(&read(text));
    let set: Vec<VariableId> =
        system.components[0].settings.iter().map(|setting| setting.variable).collect();
    let names = ["inflow", "area", "level0", "valve"];
    assert_eq!(set, names.map(|name| variable("tank", name)));
    assert_eq!(system.components[1].settings.len(), 1);
}

#[test]
fn a_thirtieth_beside_a_hundredth_has_an_exact_tick() {
    let text = "[experiment]\nstart = -1\nstop = 2\nstep = \"1/30\"\n[components.a]\nmodel = \"single\"\n[components.b]\nmodel = \"typed\"\nstep = 0.01\n";
    let (system, said) = resolved(&read(text));
    assert_eq!(said, ["resolution::chosen: a tick is 1/300 s in this run"]);
    let experiment = &system.experiment;
    assert_eq!((experiment.start.ticks(), experiment.stop.ticks()), (-300, 600));
    assert_eq!(system.components[0].period.ticks(), 10);
    assert_eq!(system.components[1].period.ticks(), 3);
}

#[test]
fn a_given_resolution_is_taken() {
    let text = "[experiment]\nstop = 1\nstep = 0.1\nresolution = \"1/20\"\n[components.a]\nmodel = \"single\"\n";
    let system = meaning(text);
    assert_eq!(system.experiment.resolution.to_string(), "1/20 s");
    assert_eq!((system.experiment.step.ticks(), system.experiment.stop.ticks()), (2, 20));
}

#[test]
fn step_and_stop_are_assumed_where_models_agree() {
    let text = "[components.a]\nmodel = \"tank\"\nparameters = { inflow = 0 }\n[components.b]\nmodel = \"pid\"\nparameters = { measurement = 0 }\n";
    let (system, said) = resolved(&read(text));
    assert_eq!(
        said,
        [
            "time::assumed-step: no step was given; 0.1 s is assumed",
            "time::assumed-stop: no stop was given; 60 s is assumed"
        ]
    );
    assert_eq!(system.experiment.step.ticks(), 100_000_000);
}

#[test]
fn structural_parameters_decide_sizes_and_one_value_fills_an_array() {
    let system = meaning(
        r#"
[experiment]
stop = 1
step = 1
[components.r]
model = "rod"
parameters = { gains = 2, B = [[1, 2], [3, 4]], A = [1, 2, 3, 4, 5, 6], n = 4 }
[components.s]
model = "rod"
parameters = { B = 0, n = 4 }
[[connections]]
from = "r.temperature[4]"
to = "s.B[2,1]"
[[connections]]
from = "r.temperature"
to = "s.mirror"
"#,
    );
    let r = &system.components[0];
    let count = |name| r.counts[variable("rod", name).index()];
    assert_eq!([count("heat"), count("temperature"), count("A"), count("n")], [4, 4, 6, 1]);
    let n =
        Setting { variable: variable("rod", "n"), values: Values::UInt64(vec![4]), is_given: true };
    assert_eq!(r.structural, [n]);
    let values: Vec<&Values> = r.settings.iter().map(|setting| &setting.values).collect();
    let float = |list: &[f64]| Values::Float64(list.to_vec());
    assert_eq!(
        values,
        [&float(&[2.0; 4]), &float(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), &float(&[1.0, 2.0, 3.0, 4.0])]
    );
    assert_eq!(system.connections[0].from, port(0, variable("rod", "temperature"), 3, 1));
    assert_eq!(system.connections[0].to, port(1, variable("rod", "B"), 2, 1));
    assert_eq!(system.connections[1].to, port(1, variable("rod", "mirror"), 0, 4));
}

#[test]
fn whole_numbers_stay_exact_beyond_doubles() {
    let text = "[experiment]\nstop = 1\nstep = 1\n[components.t]\nmodel = \"typed\"\nparameters = { big = 18446744073709551615, data = \"cafe\", title = \"é\" }\n";
    let system = meaning(text);
    let values: Vec<&Values> =
        system.components[0].settings.iter().map(|setting| &setting.values).collect();
    assert_eq!(values[0], &Values::UInt64(vec![u64::MAX]));
    assert_eq!(values[1], &Values::Binary(vec![vec![0xCA, 0xFE]]));
    assert_eq!(values[2], &Values::String(vec!["é".to_owned()]));
}

#[test]
fn event_mode_needs_the_model_and_the_users_leave() {
    let text = "[experiment]\nstop = 1\nstep = 1\n[components.a]\nmodel = \"typed\"\n[components.b]\nmodel = \"typed\"\nevent-mode = false\n[components.c]\nmodel = \"single\"\n";
    let modes: Vec<bool> = meaning(text).components.iter().map(|it| it.event_mode).collect();
    assert_eq!(modes, [true, false, false]);
}

#[test]
fn outputs_are_hashed_and_recorded_locals_too() {
    let check = |record: &str, recorded: &[&str], hashed: &[&str]| {
        let text = format!(
            "[experiment]\nstop = 1\nstep = 1\nrecord = {record}\nunhashed = [\"*.CPUtime\"]\n[components.a]\nmodel = \"tank\"\nparameters = {{ inflow = 0 }}\n"
        );
        let system = meaning(&text);
        let ids = |names: &[&str]| -> Vec<VariableId> {
            names.iter().map(|name| variable("tank", name)).collect()
        };
        assert_eq!(system.components[0].recorded, ids(recorded), "{record}");
        assert_eq!(system.components[0].hashed, ids(hashed), "{record}");
    };
    check("\"outputs\"", &["level", "CPUtime"], &["level"]);
    check("\"nothing\"", &[], &["level"]);
    check("[\"a.pressure\", \"*.inflow\"]", &["inflow", "pressure"], &["level", "pressure"]);
    check(
        "\"all\"",
        &["inflow", "valve", "level", "area", "level0", "volume", "pressure", "CPUtime"],
        &["level", "pressure"],
    );
}

#[test]
fn interventions_have_triggers_targets_and_effects() {
    let text = format!(
        "{LOOP}
[[interventions]]
at = \"1/3\"
target = \"pid.kp\"
set = 2
[[interventions]]
when = \"tank.level >= 0.8\"
target = \"tank.level -> pid.measurement\"
offset = 1
unit = \"mm\"
[[interventions]]
at = 3
target = \"tank.level\"
freeze = true
[[interventions]]
at = 4
target = \"tank.valve\"
override = 1
[[interventions]]
at = 5
target = \"tank.valve\"
release = true
"
    );
    let system = meaning(&text);
    let what = &system.interventions;
    // A third of a second lies between two nanoseconds: the next one is taken.
    assert_eq!(what[0].trigger, Trigger::At(Time::from_ticks(333_333_334)));
    assert_eq!(what[0].target, Target::Parameter(port(1, variable("pid", "kp"), 0, 1)));
    assert_eq!(what[0].effect, Effect::Set(Values::Float64(vec![2.0])));
    let level = port(0, variable("tank", "level"), 0, 1);
    let condition = Condition { port: level, comparison: Comparison::GreaterEqual, number: 0.8 };
    assert_eq!(what[1].trigger, Trigger::When(condition));
    assert_eq!(what[1].target, Target::Connection(ConnectionId(0)));
    assert_eq!(what[1].effect, Effect::Offset(Values::Float64(vec![0.1])));
    assert_eq!((what[2].target, &what[2].effect), (Target::Output(level), &Effect::Freeze));
    let valve = Target::Input(port(0, variable("tank", "valve"), 0, 1));
    assert_eq!(what[3].effect, Effect::Override(Values::Float64(vec![1.0])));
    assert_eq!((what[4].target, &what[4].effect), (valve, &Effect::Release));
}

#[test]
fn a_table_feeds_inputs_in_their_type() {
    let text = "[experiment]\nstop = 1\nstep = 0.5\n[components.a]\nmodel = \"tank\"\n[components.t]\nmodel = \"typed\"\n[components.r]\nmodel = \"rod\"\nparameters = { B = 0 }\n";
    let mut system = read(text);
    let mut report = Report::default();
    let csv = "\u{FEFF}time , inflow,t.on,\"r.heat[2]\",t.title\r\n-0.5,1,1,2.5,\"a, b\"\r\n0.25,2.5,false,3,7\r\n";
    system.inputs = read_inputs("in.csv", csv.as_bytes(), &mut report);
    assert_eq!(report.diagnostics(), &[]);
    let table = system.inputs.as_ref().expect("read");
    assert_eq!(table.columns[0].values, [Literal::Integer(1), Literal::Float(2.5)]);
    let (resolved, _) = resolved(&system);
    let feed = resolved.feed.expect("fed");
    assert_eq!(feed.times, [-500_000_000, 250_000_000].map(Time::from_ticks));
    let columns: Vec<(Port, &Values, bool)> =
        feed.columns.iter().map(|it| (it.to, &it.values, it.interpolate)).collect();
    let text = Values::String(vec!["a, b".to_owned(), "7".to_owned()]);
    assert_eq!(
        columns,
        [
            (port(0, variable("tank", "inflow"), 0, 1), &Values::Float64(vec![1.0, 2.5]), true),
            (port(1, variable("typed", "on"), 0, 1), &Values::Boolean(vec![true, false]), false),
            (port(2, variable("rod", "heat"), 1, 1), &Values::Float64(vec![2.5, 3.0]), true),
            (port(1, variable("typed", "title"), 0, 1), &text, false),
        ]
    );
}

#[test]
fn one_source_may_feed_several_inputs() {
    let text = "[experiment]\nstop = 1\nstep = 1\n[components.p]\nmodel = \"pid\"\nparameters = { measurement = 0 }\n[components.a]\nmodel = \"tank\"\nparameters = { inflow = 0 }\n[components.b]\nmodel = \"tank\"\nparameters = { inflow = 0 }\n[[connections]]\nfrom = \"p.u\"\nto = [\"a.valve\", \"b.valve\"]\n";
    let system = meaning(text);
    let targets: Vec<ComponentId> =
        system.connections.iter().map(|wire| wire.to.component).collect();
    assert_eq!(targets, [ComponentId(1), ComponentId(2)]);
}

#[test]
fn files_from_other_systems_are_read() {
    let windows = format!("\u{FEFF}{}", LOOP.replace('\n', "\r\n"));
    assert_eq!(meaning(&windows), meaning(LOOP));
}

#[test]
fn an_assignment_replaces_what_the_system_says() {
    let mut system = read(LOOP);
    let assignment = parse_assignment("tank.level0=30 cm").expect("an assignment");
    assignment.apply(&mut system).expect("a component");
    let (resolved, _) = resolved(&system);
    let values: Vec<&Values> =
        resolved.components[0].settings.iter().map(|setting| &setting.values).collect();
    assert_eq!(values[1], &Values::Float64(vec![0.3]));
    let wrong = parse_assignment("tnak.level0=1").expect("an assignment").apply(&mut system);
    assert_eq!(wrong.unwrap_err().help.as_deref(), Some("did you mean `tank`?"));
}

/// Ten thousand components with a hundred thousand wires: everything is found by index, so this
/// takes a moment; it would take minutes if anything were searched from the start each time.
#[test]
fn large_systems_resolve_at_once() {
    const PARTS: usize = 10_000;
    let mut text = String::from("[experiment]\nstop = 1\nstep = 1\n");
    for part in 0..PARTS {
        text +=
            &format!("[components.r{part}]\nmodel = \"rod\"\nparameters = {{ n = 10, B = 0 }}\n");
        for element in 1..=10 {
            let next = (part + element) % PARTS;
            text += &format!(
                "[[connections]]\nfrom = \"r{part}.temperature[{element}]\"\nto = \"r{next}.mirror[{element}]\"\n"
            );
        }
    }
    let system = meaning(&text);
    assert_eq!(system.connections.len(), 10 * PARTS);
    let last = system.connections.last().expect("many");
    assert_eq!(last.to, port(9, variable("rod", "mirror"), 9, 1));
}

#[test]
fn nothing_said_about_the_coupling_is_the_default() {
    let system = meaning(LOOP);
    assert_eq!(system.coupling, ResolvedCoupling::default());
    assert!(system.connections.iter().all(|wire| !wire.delay));
    assert!(system.components.iter().all(|component| component.reactive.is_empty()));
}

#[test]
fn rules_take_what_they_do_not_say_from_the_iteration() {
    let text = LOOP.replace("[components.tank]", "order = \"gauss-seidel\"\ncontinuous = \"apart\"\nloops = \"iterate\"\non-divergence = \"error\"\n[experiment.iteration]\nmethod = \"newton\"\nlimit = 7\naccept-after = 5\n[components.tank]\nreactive = [\"valve\", \"inflow\", \"valve\"]");
    let rules = "[[loops]]\nthrough = \"pid.u\"\ntolerance = 1e-3\n[[loops]]\nthrough = \"tank.level\"\npolicy = \"error\"\n[[loops]]\nthrough = \"tank.valve\"\npolicy = \"delay\"\n";
    let system = meaning(&format!("{text}{rules}"));
    let iteration = Iteration {
        method: IterationMethod::Newton,
        limit: 7,
        accept_after: Some(5),
        ..Iteration::default()
    };
    let rule = |component, model, name, policy| ResolvedLoopRule {
        component: ComponentId(component),
        variable: variable(model, name),
        policy,
    };
    let precise = Iteration { tolerance: 1e-3, ..iteration };
    assert_eq!(
        system.coupling,
        ResolvedCoupling {
            order: Order::GaussSeidel,
            loops: LoopPolicy::Iterate(iteration),
            rules: vec![
                rule(1, "pid", "u", LoopPolicy::Iterate(precise)),
                rule(0, "tank", "level", LoopPolicy::Error),
                rule(0, "tank", "valve", LoopPolicy::Delay),
            ],
            variable_step: None,
            continuous: Continuous::Apart,
            on_divergence: OnDivergence::Error,
            constraints: Vec::new(),
        }
    );
    let inputs = ["inflow", "valve"].map(|name| variable("tank", name));
    assert_eq!(system.components[0].reactive, inputs);
}

#[test]
fn a_wire_converts_units_then_transforms_and_may_delay() {
    let ends = "[[connections]]\nfrom = \"tank.level\"\nto = \"pid.measurement\"\n";
    let check = |more: &str, gain: f64, offset: f64, delay: bool| {
        let start = LOOP.split("[[connections]]").next().expect("there is a first part");
        let system = meaning(&format!("{start}{ends}{more}"));
        let wire = &system.connections[0];
        assert_eq!(wire.conversion, Conversion { gain, offset }, "{more}");
        assert_eq!(wire.delay, delay, "{more}");
    };
    check("", 100.0, 0.0, false);
    check("delay = true\n", 100.0, 0.0, true);
    check("factor = 2\noffset = 1.5\n", 200.0, 1.5, false);
    check("offset = 1\nsuppress-unit-conversion = true\n", 1.0, 1.0, false);
    check("suppress-unit-conversion = true\n", 1.0, 0.0, false);
}

const VARIABLE: &str = "[experiment]\nstop = 1\nSTEP\n[experiment.variable-step]\nSIZES\n[components.a]\nmodel = \"single\"\n";

#[test]
fn steps_of_changing_size_have_defaults() {
    let check = |step: &str, sizes: &str, tick: &str, expected: (i64, i64, i64)| {
        let text = VARIABLE.replace("STEP", step).replace("SIZES", sizes);
        let (system, _) = resolved(&read(&text));
        assert_eq!(system.experiment.resolution.to_string(), tick, "{text}");
        let step = system.coupling.variable_step.expect("it is variable");
        let found = (step.initial.ticks(), step.min.ticks(), step.max.ticks());
        assert_eq!(found, expected, "{text}");
        assert_eq!(system.experiment.step, step.initial);
        assert_eq!(system.components[0].period, step.initial);
    };
    check("step = 0.3", "", "1 ns", (300_000_000, 300_000, 1_000_000_000));
    check("step = 0.3", "initial = 0.1", "1 ns", (100_000_000, 100_000, 1_000_000_000));
    check(
        "",
        "initial = 0.1\nmin = 0.01\nmax = 0.5",
        "1 ns",
        (100_000_000, 10_000_000, 500_000_000),
    );
    check("", "", "1 ns", (250_000_000, 250_000, 1_000_000_000));
    // A third has no nanoseconds; the shortest step still has a hundred ticks.
    check("step = \"1/3\"", "", "1/300000 s", (100_000, 100, 300_000));
    check("step = 0.1\nresolution = 0.01", "", "1/100 s", (10, 1, 100));
    check("step = 5", "", "1 ns", (5_000_000_000, 5_000_000, 5_000_000_000));
}

#[test]
fn the_error_of_steps_is_controlled_unless_it_is_not_wanted() {
    let check = |sizes: &str, expected: Option<StepTolerances>| {
        let text = VARIABLE.replace("STEP", "step = 0.1").replace("SIZES", sizes);
        let step: ResolvedVariableStep =
            meaning(&text).coupling.variable_step.expect("it is variable");
        assert_eq!(step.tolerances, expected, "{sizes}");
    };
    check("", Some(StepTolerances { relative: 1e-4, absolute: 1e-6 }));
    check("relative = 0\nabsolute = 1", Some(StepTolerances { relative: 0.0, absolute: 1.0 }));
    check("error-control = false", None);
}
