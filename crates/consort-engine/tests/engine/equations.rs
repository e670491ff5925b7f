//! Models given by their equations, for tests: a few functions over a state, which check that they are
//! called as FMI's Model Exchange allows.

use consort_core::bytes::{BytesError, Reader, Writer};
use consort_core::model::{CallResult, DefaultExperiment};
use consort_core::{CallError, CallStatus};
use consort_core::{
    Capabilities, Causality, ContinuousDescription, ContinuousEvent, ContinuousInstance,
    ContinuousModel, DependencyKind, DependsOn, Instantiation, LiveModel, Model, ModelDescription,
    ModelStructure, Reference, SavedState, Setup, Sizes, SolverKind, Unknown, ValueType, Values,
    ValuesMut, ValuesRef, Variability, Variable, VariableId,
};
use consort_models::continuous::SolvedModel;
use std::sync::Arc;

/// All that an instance is: time, states, inputs (continuous ones first) and what it remembers.
#[derive(Clone, Debug)]
pub(crate) struct At {
    pub(crate) t: f64,
    pub(crate) x: Vec<f64>,
    pub(crate) u: Vec<f64>,
    pub(crate) m: Vec<f64>,
    mode: Mode,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Initialization,
    Event,
    Continuous,
}

type Fill = fn(&At, &mut [f64]);

/// A model: x' = f, y = g, z = indicators, and what happens at events.
#[derive(Clone)]
pub(crate) struct Equations {
    states: Vec<f64>,
    memory: Vec<f64>,
    inputs: Vec<Variability>,
    outputs: usize,
    indicators: usize,
    /// Pairs of an output and an input that it follows at once.
    through: Vec<(usize, usize)>,
    /// Nothing is said about whose derivatives the derivatives are.
    is_silent: bool,
    f: Fill,
    g: Fill,
    z: Fill,
    event: fn(&mut At) -> ContinuousEvent,
    kind: SolverKind,
}

const OUTPUTS_AT: usize = 100;

impl Equations {
    /// One continuous input `u0`, one output `y0`.
    pub(crate) fn new(states: &[f64], f: Fill, g: Fill) -> Self {
        Equations {
            states: states.to_vec(),
            memory: Vec::new(),
            inputs: vec![Variability::Continuous],
            outputs: 1,
            indicators: 0,
            through: Vec::new(),
            is_silent: false,
            f,
            g,
            z: |_, _| {},
            event: |_| ContinuousEvent::default(),
            kind: SolverKind::Bdf,
        }
    }

    pub(crate) fn inputs(self, inputs: &[Variability]) -> Self {
        Equations { inputs: inputs.to_vec(), ..self }
    }

    pub(crate) fn outputs(self, outputs: usize) -> Self {
        Equations { outputs, ..self }
    }

    pub(crate) fn through(self, through: &[(usize, usize)]) -> Self {
        Equations { through: through.to_vec(), ..self }
    }

    pub(crate) fn silent(self) -> Self {
        Equations { is_silent: true, ..self }
    }

    pub(crate) fn events(
        self,
        indicators: usize,
        z: Fill,
        memory: &[f64],
        event: fn(&mut At) -> ContinuousEvent,
    ) -> Self {
        Equations { indicators, z, memory: memory.to_vec(), event, ..self }
    }

    pub(crate) fn solver(self, kind: SolverKind) -> Self {
        Equations { kind, ..self }
    }

    pub(crate) fn shared(self) -> Arc<dyn Model> {
        let kind = self.kind;
        Arc::new(SolvedModel::new(Arc::new(Described::of(self)), kind))
    }
}

struct Described {
    equations: Equations,
    description: ModelDescription,
    continuous: ContinuousDescription,
}

impl Described {
    fn of(equations: Equations) -> Self {
        let (inputs, outputs) = (equations.inputs.len(), equations.outputs);
        let states = equations.states.len();
        let id = VariableId::from_index;
        let scalar = |name: String, at: usize, causality| {
            Variable::scalar(&name, Reference(u32::try_from(at).expect("few")), causality)
        };
        let mut variables = Vec::new();
        for (index, variability) in equations.inputs.iter().enumerate() {
            let start = Some(Values::zeros(ValueType::Float64, 1));
            let input = scalar(format!("u{index}"), index, Causality::Input);
            variables.push(Variable { variability: *variability, start, ..input });
        }
        for index in 0..outputs {
            variables.push(scalar(format!("y{index}"), OUTPUTS_AT + index, Causality::Output));
        }
        for index in 0..states {
            variables.push(scalar(format!("x{index}"), 200 + index, Causality::Local));
        }
        for index in 0..states {
            let derivative_of = (!equations.is_silent).then(|| id(inputs + outputs + index));
            let derivative = scalar(format!("der(x{index})"), 300 + index, Causality::Local);
            variables.push(Variable { derivative_of, ..derivative });
        }
        let on = |output: usize| {
            let own = equations.through.iter().filter(move |(it, _)| *it == output);
            own.map(|(_, input)| (id(*input), DependencyKind::Dependent)).collect()
        };
        let known = |output: usize| Unknown {
            variable: id(inputs + output),
            on: DependsOn::These(on(output)),
        };
        let first = inputs + outputs + states;
        let derivative = |index| Unknown { variable: id(index), on: DependsOn::All };
        let structure = ModelStructure {
            outputs: (0..outputs).map(known).collect(),
            initial: (0..outputs).map(known).collect(),
            derivatives: (first..first + states).map(derivative).collect(),
            ..ModelStructure::default()
        };
        let description = ModelDescription {
            name: "equations".to_owned(),
            kind: "test".to_owned(),
            variables,
            structure,
            units: Vec::new(),
            enumerations: Vec::new(),
            capabilities: Capabilities::native(),
            default_experiment: DefaultExperiment::default(),
            facts: Vec::new(),
        };
        let continuous = ContinuousDescription {
            states: (first - states..first).map(id).collect(),
            derivatives: (first..first + states).map(id).collect(),
            sizes: Some(Sizes { states, indicators: equations.indicators }),
            needs_completed_step: false,
        };
        Described { equations, description, continuous }
    }
}

impl ContinuousModel for Described {
    fn description(&self) -> &ModelDescription {
        &self.description
    }

    fn continuous(&self) -> &ContinuousDescription {
        &self.continuous
    }

    fn instantiate(&self, _: &Instantiation<'_>) -> CallResult<Box<dyn ContinuousInstance>> {
        let equations = self.equations.clone();
        let at = At {
            t: 0.0,
            x: equations.states.clone(),
            u: vec![0.0; equations.inputs.len()],
            m: equations.memory.clone(),
            mode: Mode::Initialization,
        };
        let y = vec![0.0; equations.outputs];
        Ok(Box::new(Live { at, y, equations }))
    }
}

struct Live {
    at: At,
    y: Vec<f64>,
    equations: Equations,
}

impl Live {
    fn expect(&self, mode: Mode) {
        assert_eq!(self.at.mode, mode, "a call at the wrong time");
    }

    /// Where a function is not a number, the model has no value.
    fn checked(values: &[f64]) -> CallResult<()> {
        match values.iter().all(|value| value.is_finite()) {
            true => Ok(()),
            false => Err(CallError::new("compute", CallStatus::Discard)),
        }
    }
}

impl LiveModel for Live {
    fn enter_initialization(&mut self, _: &Setup) -> CallResult<()> {
        Ok(())
    }

    fn exit_initialization(&mut self) -> CallResult<()> {
        self.at.mode = Mode::Event;
        Ok(())
    }

    fn set(&mut self, references: &[Reference], values: ValuesRef<'_>) -> CallResult<()> {
        for (index, reference) in references.iter().enumerate() {
            let input = reference.0 as usize;
            let is_continuous = self.equations.inputs[input] == Variability::Continuous;
            assert!(is_continuous || self.at.mode != Mode::Continuous, "set between events");
            self.at.u[input] = values.as_f64(index).expect("a number");
        }
        Ok(())
    }

    fn get(&mut self, references: &[Reference], values: ValuesMut<'_>) -> CallResult<()> {
        let ValuesMut::Float64(values) = values else { panic!("all are floats") };
        (self.equations.g)(&self.at, &mut self.y);
        for (value, reference) in values.iter_mut().zip(references) {
            *value = match reference.0 as usize {
                input if input < OUTPUTS_AT => self.at.u[input],
                output if output < 200 => self.y[output - OUTPUTS_AT],
                state => self.at.x.get(state % 100).copied().unwrap_or(0.0),
            };
        }
        Ok(())
    }

    fn enter_event_mode(&mut self) -> CallResult<()> {
        self.expect(Mode::Continuous);
        self.at.mode = Mode::Event;
        Ok(())
    }

    fn save(&mut self) -> CallResult<SavedState> {
        Ok(SavedState(Box::new(self.at.clone())))
    }

    fn restore(&mut self, state: &SavedState) -> CallResult<()> {
        self.at.clone_from(state.0.downcast_ref().expect("a state of this model"));
        Ok(())
    }

    fn serialize(&mut self, state: &SavedState) -> CallResult<Vec<u8>> {
        let at: &At = state.0.downcast_ref().expect("a state of this model");
        let mut writer = Writer::new(*b"testing2");
        writer.real(at.t);
        for list in [&at.x, &at.u, &at.m] {
            writer.values(ValuesRef::Float64(list));
        }
        writer.byte(at.mode as u8);
        Ok(writer.finish())
    }

    fn deserialize(&mut self, bytes: &[u8]) -> CallResult<SavedState> {
        let read = || {
            let mut reader = Reader::new(bytes, *b"testing2")?;
            let t = reader.real()?;
            let mut list = || match reader.values(ValueType::Float64)? {
                Values::Float64(list) => Ok(list),
                _ => Err(BytesError::Foreign),
            };
            let (x, u, m) = (list()?, list()?, list()?);
            let modes = [Mode::Initialization, Mode::Event, Mode::Continuous];
            let mode = reader.choice(&modes, "mode")?;
            reader.end()?;
            let is_ours = u.len() == self.at.u.len() && m.len() == self.at.m.len();
            is_ours.then_some(At { t, x, u, m, mode }).ok_or(BytesError::Foreign)
        };
        let at: Result<At, BytesError> = read();
        let refused = |error: BytesError| {
            CallError::new("deserialize a state", CallStatus::Refused(error.to_string()))
        };
        at.map(|at| SavedState(Box::new(at))).map_err(refused)
    }

    fn terminate(&mut self) -> CallResult<()> {
        Ok(())
    }
}

impl ContinuousInstance for Live {
    fn sizes(&self) -> Sizes {
        Sizes { states: self.at.x.len(), indicators: self.equations.indicators }
    }

    fn set_time(&mut self, time: f64) -> CallResult<()> {
        self.expect(Mode::Continuous);
        self.at.t = time;
        Ok(())
    }

    fn set_states(&mut self, states: &[f64]) -> CallResult<()> {
        self.expect(Mode::Continuous);
        self.at.x.copy_from_slice(states);
        Ok(())
    }

    fn states(&mut self, states: &mut [f64]) -> CallResult<()> {
        states.copy_from_slice(&self.at.x);
        Ok(())
    }

    fn derivatives(&mut self, derivatives: &mut [f64]) -> CallResult<()> {
        (self.equations.f)(&self.at, derivatives);
        Self::checked(derivatives)
    }

    fn nominals(&mut self, nominals: &mut [f64]) -> CallResult<()> {
        nominals.fill(1.0);
        Ok(())
    }

    fn indicators(&mut self, indicators: &mut [f64]) -> CallResult<()> {
        (self.equations.z)(&self.at, indicators);
        Ok(())
    }

    fn update_discrete_states(&mut self) -> CallResult<ContinuousEvent> {
        self.expect(Mode::Event);
        Ok((self.equations.event)(&mut self.at))
    }

    fn enter_continuous_mode(&mut self) -> CallResult<()> {
        self.expect(Mode::Event);
        self.at.mode = Mode::Continuous;
        Ok(())
    }
}
