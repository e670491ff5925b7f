//! What others see of a model and may do with it.

use crate::bench::{Bench, Settings, compiled, instantiation};
use consort_core::{
    Causality, ContinuousInstance, ContinuousModel, DependsOn, Direction, Initial, Reference,
    Resolution, Setup, Time, ValuesMut, ValuesRef, Variable, VariableId,
};
use consort_models::equations::EquationsModel;
use std::fmt::Write as _;
use std::sync::Arc;

const EVERYTHING: &str = r#"
model everything "one of each"
  experiment stop 10 step 0.01 tolerance 1e-5
  parameter a = 1 "m" "a length"
  parameter b = 2*a
  input u = 0.5 "m/s" min 0 max 2
  output state x = 3 nominal 10
  state y = 2*a + u
  discrete n = 4
  output discrete m = a
  variable v = x + u
  output w = v*n
  output late = delay(u, 0.5)
  der(x) = -x
  der(y) = u*x
  when x < 1 then
    n = n + 1
    m = 2
  end
end"#;

fn names(model: &EquationsModel, on: &DependsOn) -> String {
    match on {
        DependsOn::All => "all".to_owned(),
        DependsOn::These(list) => {
            let name = |id: &VariableId| &model.description().variables[id.index()].name;
            list.iter().map(|(id, _)| name(id).as_str()).collect::<Vec<_>>().join(", ")
        }
    }
}

#[test]
fn a_model_is_described_as_it_was_written() {
    let model = EquationsModel::new(Arc::new(compiled(EVERYTHING)));
    let mut text = String::new();
    for variable in &model.description().variables {
        let unit = variable.unit.map_or("-", |at| &model.description().units[at].name);
        let _ = writeln!(
            text,
            "{} {} {} {} {} {:?} {unit}",
            variable.reference.0,
            variable.name,
            variable.causality,
            variable.variability,
            variable.initial,
            variable.start.as_ref().map(|start| format!("{start:?}")).unwrap_or_default()
        );
    }
    let structure = &model.description().structure;
    for (what, list) in [
        ("at run", &structure.outputs),
        ("derivative", &structure.derivatives),
        ("at start", &structure.initial),
    ] {
        for unknown in list {
            let name = &model.description().variables[unknown.variable.index()].name;
            let _ = writeln!(text, "{what}: {name} of [{}]", names(&model, &unknown.on));
        }
    }
    insta::assert_snapshot!(text);
    let experiment = &model.description().default_experiment;
    assert_eq!(experiment.stop.as_deref(), Some("10"));
    assert_eq!(experiment.tolerance.as_deref(), Some("1e-5"));
    assert!(model.continuous().needs_completed_step, "delays want to know of steps");
}

#[test]
fn what_can_be_set_is_set_before_the_start_only() {
    let model = EquationsModel::new(Arc::new(compiled(EVERYTHING)));
    let mut instance = model.instantiate(&instantiation()).unwrap();
    let set = |instance: &mut dyn ContinuousInstance, variable: &Variable| {
        instance.set(&[variable.reference], ValuesRef::Float64(&[1.5]))
    };
    let variables = &model.description().variables;
    for variable in variables {
        let is_free = variable.causality == Causality::Input || variable.initial == Initial::Exact;
        assert_eq!(set(&mut *instance, variable).is_ok(), is_free, "{} before", variable.name);
    }
    instance.enter_initialization(&setup()).unwrap();
    instance.exit_initialization().unwrap();
    for variable in variables {
        let is_input = variable.causality == Causality::Input;
        assert_eq!(set(&mut *instance, variable).is_ok(), is_input, "{}", variable.name);
    }
    let refused = set(&mut *instance, &variables[0]).unwrap_err().to_string();
    assert_eq!(refused, "set values() was refused: `a` can be set before the start only");
}

fn setup() -> Setup {
    let (resolution, start) = (Resolution::NANOSECOND, Time::ZERO);
    Setup { resolution, start, stop: None, tolerance: None }
}

#[test]
fn first_values_follow_what_was_set() {
    let mut bench = Bench::fresh(EVERYTHING, Settings::default());
    bench.enter();
    assert_eq!(["y", "m", "b", "w"].map(|name| bench.get(name)), [2.5, 1.0, 2.0, 14.0]);
    bench.set("a", 5.0);
    bench.set("u", 1.0);
    bench.set("x", 7.0);
    let names = ["y", "m", "b", "w", "x", "late"];
    assert_eq!(names.map(|name| bench.get(name)), [11.0, 5.0, 10.0, 32.0, 7.0, 1.0]);
    bench.instance.exit_initialization().unwrap();
    assert_eq!(names.map(|name| bench.get(name)), [11.0, 5.0, 10.0, 32.0, 7.0, 1.0]);
}

#[test]
fn directional_derivatives_are_those_of_differences() {
    let text = "model m\nparameter k = 3\ninput u = 0.5\ninput w = 2\noutput state x = 1.5\nstate y = -0.5\n\
                der(x) = sin(x)*y + u*u\nder(y) = x*y*w - k*x\noutput o = exp(x) + u*w\nend";
    let model = EquationsModel::new(Arc::new(compiled(text)));
    let mut instance = model.instantiate(&instantiation()).unwrap();
    instance.enter_initialization(&setup()).unwrap();
    let reference = |name: &str| {
        let description = model.description();
        description.variables[description.variable(name).unwrap().index()].reference
    };
    let unknowns = ["der(x)", "der(y)", "o", "x"].map(reference);
    let knowns = ["x", "y", "u", "w"].map(reference);
    let mut value = |at: &[f64; 4]| {
        instance.set(&knowns, ValuesRef::Float64(at)).unwrap();
        let mut values = [0.0; 4];
        instance.get(&unknowns, ValuesMut::Float64(&mut values)).unwrap();
        values
    };
    let (point, direction, h) = ([1.5, -0.5, 0.5, 2.0], [0.3, -1.0, 0.7, 2.0], 1e-6);
    let shifted = |by: f64| std::array::from_fn(|at| point[at] + by * direction[at]);
    let (above, below) = (value(&shifted(h)), value(&shifted(-h)));
    value(&point);
    let mut found = [0.0; 4];
    instance
        .directional_derivative(
            Direction { unknowns: &unknowns, knowns: &knowns, seed: &direction },
            &mut found,
        )
        .unwrap();
    for at in 0..4 {
        let expected = (above[at] - below[at]) / (2.0 * h);
        assert!((found[at] - expected).abs() < 1e-8, "{at}: {} for {expected}", found[at]);
    }
    let wrong = instance.directional_derivative(
        Direction { unknowns: &[Reference(1)], knowns: &[], seed: &[] },
        &mut [0.0],
    );
    assert!(wrong.is_err(), "a parameter is no unknown");
}

#[test]
fn calls_out_of_order_are_refused() {
    let model = EquationsModel::new(Arc::new(compiled(EVERYTHING)));
    let mut instance = model.instantiate(&instantiation()).unwrap();
    assert!(instance.set_time(1.0).is_err());
    assert!(instance.update_discrete_states().is_err());
    assert!(instance.enter_event_mode().is_err());
}
