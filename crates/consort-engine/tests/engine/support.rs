//! Small models and systems for tests: a model is a list of variables and two functions.

use consort_core::bytes::{BytesError, Reader, Writer};
use consort_core::model::{CallResult, DefaultExperiment, Enumeration};
use consort_core::{
    CallError, CallStatus, Capabilities, Causality, ComponentId, Conversion, DependsOn, Direction,
    EventUpdate, Instance, Instantiation, LiveModel, Model, ModelDescription, ModelStructure,
    Reference, Refresh, Report, Resolution, SavedState, Seconds, Setup, SetupOrder, Step,
    StepOutcome, Time, Unknown, ValueType, Values, ValuesMut, ValuesRef, Variable, VariableId,
};
use consort_engine::{ChunkSink, Executable, Recorded, Run, RunError, RunOptions};
use consort_system::{
    Hold, Plan, Port, ResolvedComponent, ResolvedConnection, ResolvedCoupling, ResolvedExperiment,
    ResolvedSystem, StepLength,
};
use consort_trace::Trace;
use std::sync::Arc;

/// What an instance of a test model does.
pub(crate) trait Behavior: Send {
    fn step(&mut self, _values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        Ok(StepOutcome::complete(step))
    }
    /// Called before every get: outputs follow inputs at once.
    fn refresh(&mut self, _values: &mut [Values]) {}
    fn update(&mut self, _values: &mut [Values]) -> EventUpdate {
        EventUpdate::default()
    }
    /// How the second variable follows the first, if the behavior knows.
    fn derivative(&self) -> Option<f64> {
        None
    }
    /// The longest step, if there is one.
    fn step_max(&mut self, _values: &[Values]) -> CallResult<Option<f64>> {
        Ok(None)
    }
    /// The slope of the first input.
    fn slope(&mut self, _slope: f64) {}
    /// Called before the state is saved, and before it is restored.
    fn saving(&mut self) -> CallResult<()> {
        Ok(())
    }
    fn restoring(&mut self) -> CallResult<()> {
        Ok(())
    }
    /// Called after the state was restored.
    fn restored(&mut self, _values: &mut [Values]) {}
    fn terminated(&mut self) {}
}

pub(crate) struct TestModel {
    description: ModelDescription,
    make: Box<dyn Fn() -> Box<dyn Behavior> + Send + Sync>,
}

pub(crate) fn variable(name: &str, causality: Causality, value_type: ValueType) -> Variable {
    Variable {
        value_type,
        variability: causality.default_variability(value_type),
        start: Some(Values::zeros(value_type, 1)),
        ..Variable::scalar(name, Reference(0), causality)
    }
}

impl TestModel {
    pub(crate) fn new<B: Behavior + 'static>(
        variables: Vec<Variable>,
        make: impl Fn() -> B + Send + Sync + 'static,
    ) -> Self {
        let mut variables = variables;
        for (index, variable) in variables.iter_mut().enumerate() {
            variable.reference = Reference(u32::try_from(index).expect("few variables"));
        }
        let outputs =
            variables.iter().enumerate().filter(|(_, v)| v.causality == Causality::Output);
        let unknown = |(index, _)| Unknown {
            variable: VariableId::from_index(index),
            on: DependsOn::These(Vec::new()),
        };
        let outputs: Vec<Unknown> = outputs.map(unknown).collect();
        let description = ModelDescription {
            name: "test".into(),
            kind: "test".into(),
            structure: ModelStructure {
                initial: outputs.clone(),
                outputs,
                ..ModelStructure::default()
            },
            variables,
            units: Vec::new(),
            enumerations: Vec::<Enumeration>::new(),
            capabilities: Capabilities::native(),
            default_experiment: DefaultExperiment::default(),
            facts: Vec::new(),
        };
        TestModel { description, make: Box::new(move || Box::new(make())) }
    }

    pub(crate) fn adjust(mut self, change: impl FnOnce(&mut ModelDescription)) -> Self {
        change(&mut self.description);
        self
    }

    pub(crate) fn shared(self) -> Arc<dyn Model> {
        Arc::new(self)
    }
}

impl Model for TestModel {
    fn description(&self) -> &ModelDescription {
        &self.description
    }

    fn instantiate(&self, _: &Instantiation<'_>) -> CallResult<Box<dyn Instance>> {
        let values = self.description.variables.iter().map(|variable| {
            variable.start.clone().unwrap_or_else(|| Values::zeros(variable.value_type, 1))
        });
        let (values, behavior) = (values.collect(), (self.make)());
        Ok(Box::new(TestInstance { values, in_event_mode: false, behavior }))
    }
}

struct TestInstance {
    values: Vec<Values>,
    in_event_mode: bool,
    behavior: Box<dyn Behavior>,
}

impl LiveModel for TestInstance {
    fn enter_initialization(&mut self, _: &Setup) -> CallResult<()> {
        Ok(())
    }
    fn exit_initialization(&mut self) -> CallResult<()> {
        self.in_event_mode = true;
        Ok(())
    }
    fn set(&mut self, references: &[Reference], values: ValuesRef<'_>) -> CallResult<()> {
        for (index, reference) in references.iter().enumerate() {
            let place = &mut self.values[reference.0 as usize];
            place.slice_mut(0, 1).copy_from(values.element(index));
        }
        Ok(())
    }
    fn get(&mut self, references: &[Reference], values: ValuesMut<'_>) -> CallResult<()> {
        self.behavior.refresh(&mut self.values);
        let values_of = |reference: &Reference| &self.values[reference.0 as usize];
        match values {
            ValuesMut::Float64(list) => {
                for (place, reference) in list.iter_mut().zip(references) {
                    let Values::Float64(value) = values_of(reference) else { unreachable!() };
                    *place = value[0];
                }
            }
            ValuesMut::Float32(list) => {
                for (place, reference) in list.iter_mut().zip(references) {
                    let Values::Float32(value) = values_of(reference) else { unreachable!() };
                    *place = value[0];
                }
            }
            ValuesMut::Int32(list) => {
                for (place, reference) in list.iter_mut().zip(references) {
                    let Values::Int32(value) = values_of(reference) else { unreachable!() };
                    *place = value[0];
                }
            }
            ValuesMut::String(list) => {
                for (place, reference) in list.iter_mut().zip(references) {
                    let Values::String(value) = values_of(reference) else { unreachable!() };
                    place.clone_from(&value[0]);
                }
            }
            ValuesMut::Clock(list) => {
                assert!(self.in_event_mode, "clocks are asked in event mode only");
                for (place, reference) in list.iter_mut().zip(references) {
                    let Values::Clock(value) = values_of(reference) else { unreachable!() };
                    *place = value[0];
                }
            }
            other => panic!("test models have no {}", other.value_type()),
        }
        Ok(())
    }
    fn enter_event_mode(&mut self) -> CallResult<()> {
        self.in_event_mode = true;
        Ok(())
    }
    fn directional_derivative(&mut self, along: Direction<'_>, to: &mut [f64]) -> CallResult<()> {
        let Direction { unknowns, knowns, seed } = along;
        assert_eq!((unknowns, knowns), (&[Reference(1)][..], &[Reference(0)][..]));
        to[0] = self.behavior.derivative().expect("asked only if known") * seed[0];
        Ok(())
    }
    /// What a behavior remembers, it remembers in its variables.
    fn save(&mut self) -> CallResult<SavedState> {
        self.behavior.saving()?;
        Ok(SavedState(Box::new(self.values.clone())))
    }
    fn restore(&mut self, state: &SavedState) -> CallResult<()> {
        self.behavior.restoring()?;
        let values: &Vec<Values> = state.0.downcast_ref().expect("a state of a test model");
        self.values.clone_from(values);
        self.behavior.restored(&mut self.values);
        Ok(())
    }
    fn serialize(&mut self, state: &SavedState) -> CallResult<Vec<u8>> {
        let values: &Vec<Values> = state.0.downcast_ref().expect("a state of a test model");
        let mut writer = Writer::new(*b"testing1");
        values.iter().for_each(|values| writer.values(values.view()));
        Ok(writer.finish())
    }
    fn deserialize(&mut self, bytes: &[u8]) -> CallResult<SavedState> {
        let refused = |error: BytesError| {
            CallError::new("deserialize a state", CallStatus::Refused(error.to_string()))
        };
        let mut reader = Reader::new(bytes, *b"testing1").map_err(refused)?;
        let mut values = self.values.clone();
        for values in &mut values {
            let read = reader.values(values.value_type()).map_err(refused)?;
            if read.len() != values.len() {
                return Err(refused(BytesError::Impossible { what: "size" }));
            }
            *values = read;
        }
        reader.end().map_err(refused)?;
        Ok(SavedState(Box::new(values)))
    }
    fn unshared_bytes(&self, _: &SavedState) -> u64 {
        1000
    }
    fn terminate(&mut self) -> CallResult<()> {
        self.behavior.terminated();
        Ok(())
    }
}

impl Instance for TestInstance {
    fn set_input_derivatives(
        &mut self,
        references: &[Reference],
        orders: &[i32],
        values: &[f64],
    ) -> CallResult<()> {
        assert_eq!((references, orders), (&[Reference(0)][..], &[1][..]));
        self.behavior.slope(values[0]);
        Ok(())
    }
    fn step(&mut self, step: &Step) -> CallResult<StepOutcome> {
        self.behavior.step(&mut self.values, step)
    }
    fn step_max(&mut self) -> CallResult<Option<f64>> {
        self.behavior.step_max(&self.values)
    }
    fn update_discrete_states(&mut self) -> CallResult<EventUpdate> {
        Ok(self.behavior.update(&mut self.values))
    }
    fn enter_step_mode(&mut self) -> CallResult<()> {
        self.in_event_mode = false;
        Ok(())
    }
}

pub(crate) fn float(values: &Values) -> f64 {
    values.view().as_f64(0).expect("a number")
}

/// A system under construction: components with periods in ticks, wires by path.
pub(crate) struct Bench {
    pub(crate) system: ResolvedSystem,
    pub(crate) models: Vec<Arc<dyn Model>>,
}

impl Bench {
    pub(crate) fn new(stop: i64) -> Self {
        let tick = Seconds::new(1, 10).and_then(Resolution::new).expect("a tenth of a second");
        let experiment = ResolvedExperiment {
            resolution: tick,
            start: Time::ZERO,
            stop: Time::from_ticks(stop),
            step: Time::from_ticks(1),
            seed: 1,
            tolerance: None,
            hash: consort_core::HashMode::All,
        };
        let system = ResolvedSystem {
            name: "bench".into(),
            experiment,
            components: Vec::new(),
            connections: Vec::new(),
            feed: None,
            interventions: Vec::new(),
            coupling: ResolvedCoupling::default(),
            placement: None,
        };
        Bench { system, models: Vec::new() }
    }

    pub(crate) fn add(mut self, name: &str, model: Arc<dyn Model>, period: i64) -> Self {
        let variables = &model.description().variables;
        let ids = |wanted: fn(&Variable) -> bool| -> Vec<VariableId> {
            let found = variables.iter().enumerate().filter(|(_, variable)| wanted(variable));
            found.map(|(index, _)| VariableId::from_index(index)).collect()
        };
        self.system.components.push(ResolvedComponent {
            name: name.into(),
            period: Time::from_ticks(period),
            step_length: StepLength::Fixed,
            concurrent: false,
            event_mode: model.description().capabilities.event_mode,
            reactive: Vec::new(),
            counts: vec![1; variables.len()],
            structural: Vec::new(),
            settings: Vec::new(),
            setup: SetupOrder::First,
            recorded: ids(|_| true),
            hashed: ids(|variable| variable.causality == Causality::Output),
        });
        self.models.push(model);
        self
    }

    pub(crate) fn port(&self, path: &str) -> Port {
        let (component, variable) = path.split_once('.').expect("component.variable");
        let index = self.system.components.iter().position(|c| c.name == component);
        let index = index.expect("a known component");
        Port {
            component: ComponentId::from_index(index),
            variable: self.models[index].description().variable(variable).expect("a variable"),
            first: 0,
            count: 1,
        }
    }

    pub(crate) fn wire(mut self, from: &str, to: &str) -> Self {
        let connection = ResolvedConnection {
            from: self.port(from),
            to: self.port(to),
            conversion: Conversion::IDENTITY,
            hold: Hold::Hold,
            delay: false,
            origin: consort_system::Origin::default(),
        };
        self.system.connections.push(connection);
        self
    }

    pub(crate) fn start(self, workers: usize) -> Result<(Run, Recorded), RunError> {
        self.start_planned(workers, |_| {})
    }

    /// Starts by a plan that is changed by hand first.
    pub(crate) fn start_planned(
        self,
        workers: usize,
        change: impl FnOnce(&mut Plan),
    ) -> Result<(Run, Recorded), RunError> {
        let mut plan = self.plan();
        change(&mut plan);
        let (options, recorded) = options(workers);
        let run = Run::start(&Executable::new(self.system, plan, self.models), options)?;
        Ok((run, recorded))
    }

    /// With the plan that follows from it.
    pub(crate) fn executable(&self) -> Executable {
        Executable::new(self.system.clone(), self.plan(), self.models.clone())
    }

    pub(crate) fn plan(&self) -> Plan {
        let descriptions: Vec<&ModelDescription> =
            self.models.iter().map(|model| model.description()).collect();
        let plan = consort_planner::plan(&self.system, &descriptions, &mut Report::default());
        plan.expect("the system can be planned")
    }

    /// Runs to the end and gives the trace and the hash.
    pub(crate) fn run(self, workers: usize) -> (Trace, consort_engine::Summary) {
        let (mut run, recorded) = self.start(workers).expect("the run starts");
        run.advance(Time::MAX).expect("the run succeeds");
        let summary = run.finish();
        (recorded.trace(), summary)
    }
}

/// Of a run that is recorded.
pub(crate) fn options(workers: usize) -> (RunOptions, Recorded) {
    let recorded = Recorded::default();
    let recorder: Option<Box<dyn ChunkSink>> = Some(Box::new(recorded.clone()));
    let options = RunOptions { recorder, ..RunOptions::quiet(workers) };
    (options, recorded)
}

/// One column as text, a value per row.
pub(crate) fn column(trace: &Trace, path: &str) -> Vec<String> {
    let values = trace.column(path).expect("a recorded column");
    (0..values.len()).map(|row| values.view().element(row).to_string()).collect()
}

/// y = time at the end of the last step [s].
pub(crate) struct Clock;

impl Behavior for Clock {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        values[0] = Values::Float64(vec![step.start + step.length]);
        Ok(StepOutcome::complete(step))
    }
}

pub(crate) fn clock() -> Arc<dyn Model> {
    TestModel::new(vec![variable("y", Causality::Output, ValueType::Float64)], || Clock).shared()
}

/// y = k u, taken at the step.
pub(crate) struct Gain(pub(crate) f64);

impl Behavior for Gain {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        values[1] = Values::Float64(vec![self.0 * float(&values[0])]);
        Ok(StepOutcome::complete(step))
    }
}

pub(crate) fn in_and_out() -> Vec<Variable> {
    vec![
        variable("u", Causality::Input, ValueType::Float64),
        variable("y", Causality::Output, ValueType::Float64),
    ]
}

pub(crate) fn gain(factor: f64) -> Arc<dyn Model> {
    TestModel::new(in_and_out(), move || Gain(factor)).shared()
}

pub(crate) fn put(values: &mut [Values], index: usize, value: f64) {
    let Values::Float64(list) = &mut values[index] else { panic!("a Float64") };
    list[0] = value;
}

/// y = k u + c at once.
struct Through {
    factor: f64,
    constant: f64,
}

impl Behavior for Through {
    fn refresh(&mut self, values: &mut [Values]) {
        put(values, 1, self.factor * float(&values[0]) + self.constant);
    }
}

/// y = k u + c at once, and says so.
pub(crate) fn through(factor: f64, constant: f64) -> Arc<dyn Model> {
    TestModel::new(in_and_out(), move || Through { factor, constant })
        .adjust(depends_on_inputs)
        .shared()
}

/// Every output depends on every input, at once.
pub(crate) fn depends_on_inputs(description: &mut ModelDescription) {
    let structure = &mut description.structure;
    for unknown in structure.outputs.iter_mut().chain(&mut structure.initial) {
        unknown.on = DependsOn::All;
    }
}

/// y = k u + c, computed by steps: with u as it was set before the step.
struct Stepped {
    factor: f64,
    constant: f64,
}

impl Behavior for Stepped {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        put(values, 1, self.factor * float(&values[0]) + self.constant);
        Ok(StepOutcome::complete(step))
    }
}

/// y = k u + c like an FMU for Co-Simulation does it: outputs are those of the last step.
pub(crate) fn stepped(factor: f64, constant: f64) -> Arc<dyn Model> {
    TestModel::new(in_and_out(), move || Stepped { factor, constant })
        .adjust(|description| {
            description.capabilities.refresh = Refresh::ByStep;
            description.structure.outputs[0].on = DependsOn::All;
        })
        .shared()
}

/// One column as numbers, a value per row.
pub(crate) fn numbers(trace: &Trace, path: &str) -> Vec<f64> {
    column(trace, path).iter().map(|text| text.parse().expect("a number")).collect()
}
