//! A program as an instance.

use super::channel::{Broken, Channel};
use super::state::ForeignState;
use super::table::{ValueTable, put_table};
use super::wire::{self, Body, MAGIC, Misread, VERSION, answer, ask};
use crate::native::store::{self, Misfit};
use consort_core::model::{CallResult, LogEntry, LogLevel, LogSink};
use consort_core::{
    CallError, CallStatus, Causality, Instance, LiveModel, ModelDescription, Reference, SavedState,
    Setup, Step, StepOutcome, ValueType, ValuesMut, ValuesRef, Variable,
};

/// How far an instance's life has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ProgramPhase {
    Fresh,
    Initialization,
    Stepping,
    Terminated,
}

impl ProgramPhase {
    const fn name(self) -> &'static str {
        match self {
            ProgramPhase::Fresh => "a fresh instance",
            ProgramPhase::Initialization => "initialization",
            ProgramPhase::Stepping => "a running instance",
            ProgramPhase::Terminated => "a terminated instance",
        }
    }
}

/// A program that has taken its place.
pub(super) struct ForeignInstance {
    variables: Vec<Variable>,
    table: ValueTable,
    channel: Channel,
    phase: ProgramPhase,
    /// Where the run starts and stops, in seconds.
    span: (f64, f64),
    /// It has got parameters and start values and has said its first outputs.
    is_initialized: bool,
    /// Why nothing can be asked of it any more.
    gone: Option<CallStatus>,
    name: String,
    log: LogSink,
}

impl ForeignInstance {
    /// Waits for the program's first message and sends it the table of variables.
    pub(super) fn join(
        description: &ModelDescription,
        channel: Channel,
        name: &str,
        log: LogSink,
    ) -> CallResult<Self> {
        let mut channel = channel;
        channel.report_waits(name, &log);
        let mut instance = ForeignInstance {
            variables: description.variables.clone(),
            table: ValueTable::new(description),
            channel,
            phase: ProgramPhase::Fresh,
            span: (0.0, f64::NAN),
            is_initialized: false,
            gone: None,
            name: name.to_owned(),
            log,
        };
        let joined = instance.greet(description);
        joined.map_err(|broken| instance.broken("join", String::new(), &broken))?;
        Ok(instance)
    }

    fn greet(&mut self, description: &ModelDescription) -> Result<(), Broken> {
        let body = self.channel.receive(answer::HELLO, "its first message")?;
        if let Some(refusal) = refusal(body, &self.name)? {
            // The program may have ended already; the caller reports the refusal as well.
            let _ = self.channel.send(ask::END, |out| wire::put_text(out, &refusal));
            return Err(Broken::Failed(refusal));
        }
        self.channel.send(ask::TABLE, |out| put_table(out, description))
    }

    /// Sends parameters and start values, once, and receives the first outputs.
    fn initialize(&mut self) -> CallResult<()> {
        if self.is_initialized {
            return Ok(());
        }
        self.require_alive("initialize")?;
        self.is_initialized = true;
        let ((start, stop), table) = (self.span, &self.table);
        let sent = self.channel.send(ask::INITIALIZE, |out| {
            wire::put_real(out, start);
            wire::put_real(out, stop);
            table.put_all(out);
        });
        let done = sent.and_then(|()| self.take_outputs());
        done.map_err(|broken| self.broken("initialize", String::new(), &broken))?;
        self.pass_on_output();
        Ok(())
    }

    fn take_outputs(&mut self) -> Result<(), Broken> {
        let body = self.channel.receive(answer::DONE, "its outputs")?;
        let taken = self.table.take_outputs(body);
        taken.map_err(|why| Broken::Misread { what: "outputs", why })
    }

    fn advance(&mut self, step: &Step) -> Result<(), Broken> {
        let table = &self.table;
        self.channel.send(ask::STEP, |out| {
            wire::put_real(out, step.start);
            wire::put_real(out, step.length);
            table.put_inputs(out);
        })?;
        self.take_outputs()
    }

    fn ask_state(&mut self) -> Result<Vec<u8>, Broken> {
        self.channel.send(ask::SAVE, |_| {})?;
        self.channel.receive(answer::BLOB, "its state").map(<[u8]>::to_vec)
    }

    fn give_state(&mut self, blob: &[u8]) -> Result<(), Broken> {
        self.channel.send(ask::RESTORE, |out| out.extend_from_slice(blob))?;
        let body = self.channel.receive(answer::ACCEPTED, "a confirmation of its state")?;
        let ended = Body(body).end();
        ended.map_err(|why| Broken::Misread { what: "a confirmation of its state", why })
    }

    fn require(&self, call: &'static str, phase: ProgramPhase) -> CallResult<()> {
        self.require_alive(call)?;
        if self.phase != phase {
            return Err(CallError::new(call, CallStatus::WrongState(self.phase.name())));
        }
        Ok(())
    }

    fn require_alive(&self, call: &'static str) -> CallResult<()> {
        match &self.gone {
            None => Ok(()),
            Some(status) => Err(CallError::new(call, status.clone())),
        }
    }

    /// The error of a program that did not answer as required; it gets no further requests.
    #[cold]
    fn broken(&mut self, call: &'static str, arguments: String, broken: &Broken) -> Box<CallError> {
        let mut reason = broken.to_string();
        if let Some(program) = &mut self.channel.program {
            match broken {
                Broken::Closed | Broken::Left => reason += &format!("; {}", program.fate()),
                // It ends by itself, with its last output.
                Broken::Failed(_) => drop(program.fate()),
                _ => program.end(),
            }
        }
        let log = self.pass_on_output();
        let status = match broken {
            Broken::Silent(_) => CallStatus::NoAnswer(reason),
            _ => CallStatus::Gone(reason),
        };
        self.gone = Some(status.clone());
        Box::new(CallError { call, arguments, status, log })
    }

    /// Passes on what the program printed; gives the lines.
    fn pass_on_output(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(program) = &self.channel.program {
            program.take_output(|line| lines.push(line.to_owned()));
        }
        for line in &lines {
            (self.log)(&LogEntry {
                component: self.name.clone(),
                level: LogLevel::Info,
                category: "output".to_owned(),
                message: line.clone(),
            });
        }
        lines
    }

    fn variable(&self, call: &'static str, reference: Reference) -> CallResult<&Variable> {
        let found = self.variables.get(reference.0 as usize);
        found.ok_or_else(|| refused(call, format!("no variable has the reference {}", reference.0)))
    }

    /// Why a variable may not be given another value now.
    fn objection(&self, variable: &Variable) -> Option<&'static str> {
        match (variable.causality, self.phase) {
            (_, ProgramPhase::Terminated) => Some("the run has ended"),
            (Causality::Input, _) => None,
            (Causality::Parameter, _) if !self.is_initialized => None,
            (Causality::Parameter, _) => Some("it is fixed once the program has started"),
            _ if !self.is_initialized && variable.start.is_some() => None,
            _ => Some("the program computes it"),
        }
    }
}

/// Why a program that says hello is turned away.
fn refusal(body: &[u8], component: &str) -> Result<Option<String>, Broken> {
    let misread = |why: Misread| Broken::Misread { what: "a first message", why };
    let mut body = Body(body);
    if body.bytes(MAGIC.len()).map_err(misread)? != MAGIC {
        return Ok(Some("invalid first message: not this protocol".to_owned()));
    }
    let version = body.count().map_err(misread)?;
    if version != VERSION {
        let say =
            format!("it speaks version {version} of the protocol, this Consort version {VERSION}");
        return Ok(Some(format!("{say}; compile it with the `consort.c` of this Consort")));
    }
    let name = body.text().map_err(misread)?;
    body.end().map_err(misread)?;
    let says = || format!("it joins as component `{name}`, expected component `{component}`");
    Ok((name != component).then(says))
}

impl LiveModel for ForeignInstance {
    fn enter_initialization(&mut self, setup: &Setup) -> CallResult<()> {
        self.require("enter initialization", ProgramPhase::Fresh)?;
        let seconds = |time| setup.resolution.to_f64(time);
        self.span = (seconds(setup.start), setup.stop.map_or(f64::NAN, seconds));
        self.phase = ProgramPhase::Initialization;
        Ok(())
    }

    fn exit_initialization(&mut self) -> CallResult<()> {
        self.require("exit initialization", ProgramPhase::Initialization)?;
        self.initialize()?;
        self.phase = ProgramPhase::Stepping;
        Ok(())
    }

    fn set(&mut self, references: &[Reference], values: ValuesRef<'_>) -> CallResult<()> {
        let mut at = 0;
        for &reference in references {
            let variable = self.variable("set", reference)?;
            let place = &self.table.values[reference.0 as usize];
            if let Some(reason) = self.objection(variable)
                && !store::is_same(place, values, at)
            {
                return Err(refused("set", format!("`{}`: {reason}", variable.name)));
            }
            let place = &mut self.table.values[reference.0 as usize];
            at = store::write(place, values, at).map_err(|misfit| {
                let name = &self.variables[reference.0 as usize].name;
                misfitting("set", name, misfit, values.value_type())
            })?;
        }
        check_all("set", at, values.len())
    }

    fn get(&mut self, references: &[Reference], mut values: ValuesMut<'_>) -> CallResult<()> {
        let is_output = |reference: &Reference| {
            let variable = self.variables.get(reference.0 as usize);
            variable.is_some_and(|variable| variable.causality == Causality::Output)
        };
        if self.phase == ProgramPhase::Initialization && references.iter().any(is_output) {
            self.initialize()?;
        }
        let (asked, count) = (values.value_type(), values.len());
        let mut at = 0;
        for &reference in references {
            let name = &self.variable("get", reference)?.name;
            at = store::read(&self.table.values[reference.0 as usize], &mut values, at)
                .map_err(|misfit| misfitting("get", name, misfit, asked))?;
        }
        check_all("get", at, count)
    }

    fn save(&mut self) -> CallResult<SavedState> {
        self.require("save its state", ProgramPhase::Stepping)?;
        let blob = self.ask_state();
        let blob = blob.map_err(|broken| self.broken("save its state", String::new(), &broken))?;
        Ok(SavedState(Box::new(ForeignState { values: self.table.values.clone(), blob })))
    }

    fn restore(&mut self, state: &SavedState) -> CallResult<()> {
        self.require("restore a state", ProgramPhase::Stepping)?;
        let state = own(state, &self.table, "restore a state")?;
        let given = self.give_state(&state.blob);
        given.map_err(|broken| self.broken("restore a state", String::new(), &broken))?;
        self.table.values.clone_from(&state.values);
        Ok(())
    }

    fn serialize(&mut self, state: &SavedState) -> CallResult<Vec<u8>> {
        Ok(own(state, &self.table, "serialize a state")?.to_bytes())
    }

    fn deserialize(&mut self, bytes: &[u8]) -> CallResult<SavedState> {
        let state = ForeignState::from_bytes(bytes, &self.table).map_err(|why| {
            refused("deserialize a state", format!("the bytes are no state of it: {why}"))
        })?;
        Ok(SavedState(Box::new(state)))
    }

    fn terminate(&mut self) -> CallResult<()> {
        self.phase = ProgramPhase::Terminated;
        if self.gone.is_none() {
            // It may be gone already, which does not matter any more.
            let _ = self.channel.send(ask::END, |out| wire::put_text(out, ""));
            self.channel.farewell();
            if let Some(program) = &mut self.channel.program {
                program.fate();
            }
            self.pass_on_output();
            self.gone = Some(CallStatus::Gone("the run has ended".to_owned()));
        }
        Ok(())
    }
}

impl Instance for ForeignInstance {
    fn step(&mut self, step: &Step) -> CallResult<StepOutcome> {
        self.require("step", ProgramPhase::Stepping)?;
        if let Err(broken) = self.advance(step) {
            let arguments = format!("t = {}, h = {}", step.start, step.length);
            return Err(self.broken("step", arguments, &broken));
        }
        self.pass_on_output();
        Ok(StepOutcome::complete(step))
    }
}

fn own<'s>(
    state: &'s SavedState,
    like: &ValueTable,
    call: &'static str,
) -> CallResult<&'s ForeignState> {
    let state = state.0.downcast_ref::<ForeignState>().filter(|state| state.fits(like));
    state.ok_or_else(|| refused(call, "the state is another model's".to_owned()))
}

fn check_all(call: &'static str, used: usize, given: usize) -> CallResult<()> {
    if used == given {
        return Ok(());
    }
    Err(refused(call, format!("the variables have {used} elements, the batch has {given}")))
}

#[cold]
fn refused(call: &'static str, reason: String) -> Box<CallError> {
    CallError::new(call, CallStatus::Refused(reason))
}

#[cold]
fn misfitting(call: &'static str, name: &str, misfit: Misfit, asked: ValueType) -> Box<CallError> {
    refused(
        call,
        match misfit {
            Misfit::Type(actual) => format!("`{name}` is {actual}, not {asked}"),
            Misfit::Length => format!("`{name}` has more elements than the batch has left"),
        },
    )
}
