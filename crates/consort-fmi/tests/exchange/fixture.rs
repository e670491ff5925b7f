//! The test kit's models, loaded for Model Exchange.

use consort_core::{
    ContinuousEvent, ContinuousInstance, ContinuousModel, Instantiation, Prng, Reference, Report,
    Resolution, Setup, Time, Values, ValuesMut,
};
use consort_fmi::{ExchangeModel, Fmu, LoadOptions};
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use std::sync::Arc;

pub(crate) const BOTH: [Fmi; 2] = [Fmi::V2, Fmi::V3];

pub(crate) fn open(name: &str, fmi: Fmi) -> Arc<Fmu> {
    let folder = fmus::build(name, fmi, &BuildOptions::binary());
    let mut report = Report::default();
    let fmu = Fmu::open(&folder, name, None, &mut report);
    assert!(report.diagnostics().is_empty(), "{report:?}");
    fmu.unwrap()
}

pub(crate) fn load(name: &str, fmi: Fmi) -> ExchangeModel {
    let fmu = open(name, fmi);
    let binary = fmu.exchange_binary().unwrap();
    let loaded = ExchangeModel::load(fmu, &binary, "lane".to_owned(), &LoadOptions::default());
    loaded.unwrap_or_else(|error| panic!("{name} loads: {error}"))
}

pub(crate) fn instantiate(model: &ExchangeModel) -> Box<dyn ContinuousInstance> {
    let instantiation = Instantiation::quiet("part", Prng::new(0));
    model.instantiate(&instantiation).unwrap()
}

pub(crate) const SETUP: Setup = Setup {
    resolution: Resolution::NANOSECOND,
    start: Time::from_ticks(0),
    stop: None,
    tolerance: Some(1e-6),
};

/// Sets the variable of that name.
pub(crate) fn set(
    model: &ExchangeModel,
    instance: &mut dyn ContinuousInstance,
    name: &str,
    values: &Values,
) {
    instance.set(&[reference(model, name)], values.view()).unwrap();
}

pub(crate) fn reference(model: &ExchangeModel, name: &str) -> Reference {
    let description = model.description();
    description.variables[description.variable(name).unwrap().index()].reference
}

pub(crate) fn float(model: &ExchangeModel, it: &mut dyn ContinuousInstance, name: &str) -> f64 {
    let mut value = [0.0];
    it.get(&[reference(model, name)], ValuesMut::Float64(&mut value)).unwrap();
    value[0]
}

/// Iterates events until there are none, and continues.
pub(crate) fn settle(instance: &mut dyn ContinuousInstance) -> ContinuousEvent {
    loop {
        let event = instance.update_discrete_states().unwrap();
        if !event.again {
            if !event.terminate {
                instance.enter_continuous_mode().unwrap();
            }
            return event;
        }
    }
}

/// An instance in continuous mode.
pub(crate) fn ready(model: &ExchangeModel) -> Box<dyn ContinuousInstance> {
    let mut instance = instantiate(model);
    instance.enter_initialization(&SETUP).unwrap();
    instance.exit_initialization().unwrap();
    settle(&mut *instance);
    instance
}

/// What can be read of an instance between two steps.
#[derive(PartialEq, Debug)]
pub(crate) struct Row {
    pub(crate) event: bool,
    pub(crate) next: Option<f64>,
    pub(crate) x: Vec<f64>,
    pub(crate) dx: Vec<f64>,
    pub(crate) z: Vec<f64>,
    pub(crate) nominals: Vec<f64>,
}

impl Row {
    pub(crate) fn read(it: &mut dyn ContinuousInstance, event: bool, next: Option<f64>) -> Row {
        let sizes = it.sizes();
        let [mut x, mut dx, mut nominals] = [(); 3].map(|()| vec![0.0; sizes.states]);
        let mut z = vec![0.0; sizes.indicators];
        it.states(&mut x).unwrap();
        it.derivatives(&mut dx).unwrap();
        it.indicators(&mut z).unwrap();
        it.nominals(&mut nominals).unwrap();
        Row { event, next, x, dx, z, nominals }
    }
}

/// One explicit Euler step to `time`, with events at its end; false if the instance asks for the end.
pub(crate) fn euler(
    it: &mut dyn ContinuousInstance,
    from: &Row,
    time: f64,
    step: f64,
) -> (Row, bool) {
    let x: Vec<f64> = from.x.iter().zip(&from.dx).map(|(x, dx)| x + step * dx).collect();
    it.set_time(time).unwrap();
    it.set_states(&x).unwrap();
    let mut z = vec![0.0; from.z.len()];
    it.indicators(&mut z).unwrap();
    let crossed = from.z.iter().zip(&z).any(|(a, b)| (0.0 < *a) != (0.0 < *b));
    let asked = it.completed_step().unwrap().enter_event_mode;
    if !(crossed || asked || from.next.is_some_and(|next| next <= time)) {
        return (Row::read(it, false, from.next), true);
    }
    it.enter_event_mode().unwrap();
    let event = settle(it);
    (Row::read(it, true, event.next_event), !event.terminate)
}

/// Integrates as `exchange.py` of the test kit does.
pub(crate) fn integrate(it: &mut dyn ContinuousInstance, step: f64, steps: u32) -> Vec<Row> {
    let event = settle(it);
    let mut rows = vec![Row::read(it, true, event.next_event)];
    for index in 1..=steps {
        let from = rows.last().unwrap();
        let (row, goes_on) = euler(it, from, f64::from(index) * step, step);
        rows.push(row);
        if !goes_on {
            break;
        }
    }
    rows
}
