//! Executing commands.

use super::{Hosted, Load, checked, invalid_command, present};
use crate::channel::Header;
use crate::protocol::{
    Op, Reader, Writer, read_references, read_setup, read_size, read_step, read_type,
    write_diagnostic, write_error, write_event_update, write_outcome,
};
use consort_core::model::CallResult;
use consort_core::{
    CallError, CallStatus, Direction, Instance, Instantiation, Prng, SavedState, ValuesMut,
    ValuesRef,
};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Hosted {
    pub(super) fn load(&mut self, command: &mut Reader<'_>, load: &Load<'_>) -> CallResult<()> {
        let recipe = checked(command.part())?;
        let model = load(recipe).map_err(|diagnostic| {
            let refused = CallStatus::Refused(diagnostic.message);
            Box::new(CallError {
                log: diagnostic.notes,
                ..*CallError::new("load the model", refused)
            })
        })?;
        self.model = Some(model);
        Ok(())
    }

    /// Loads the model only to check that it can be loaded.
    pub(super) fn try_load(
        &mut self,
        command: &mut Reader<'_>,
        reply: &mut Writer<'_>,
        load: &Load<'_>,
    ) -> CallResult<()> {
        let recipe = checked(command.part())?;
        reply.option(load(recipe).err(), |to, diagnostic| write_diagnostic(to, &diagnostic));
        Ok(())
    }

    pub(super) fn instantiate(&mut self, command: &mut Reader<'_>) -> CallResult<()> {
        let model = present(self.model.as_ref())?;
        let name = checked(command.text())?;
        let mut words = [0; 5];
        for word in &mut words {
            *word = checked(command.word())?;
        }
        self.instance = Some(model.instantiate(&Instantiation {
            name,
            prng: Prng::from_words(words),
            log: Arc::clone(&self.log),
            verbose: checked(command.flag())?,
            event_mode: checked(command.flag())?,
            early_return: checked(command.flag())?,
            elsewhere: false,
        })?);
        Ok(())
    }

    pub(super) fn call(
        &mut self,
        op: Op,
        command: &mut Reader<'_>,
        reply: &mut Writer<'_>,
        header: &Header,
    ) -> CallResult<()> {
        if op == Op::Free {
            self.states.clear();
            self.instance = None;
            return Ok(());
        }
        let instance = present(self.instance.as_mut())?;
        match op {
            Op::SetUp => instance.set_up(&checked(read_setup(command))?),
            Op::EnterConfiguration => instance.enter_configuration(),
            Op::ExitConfiguration => instance.exit_configuration(),
            Op::EnterInitialization => {
                instance.enter_initialization(&checked(read_setup(command))?)
            }
            Op::ExitInitialization => instance.exit_initialization(),
            Op::EnterEventMode => instance.enter_event_mode(),
            Op::EnterStepMode => instance.enter_step_mode(),
            Op::Terminate => instance.terminate(),
            Op::Set => self.set(command),
            Op::Get | Op::ReadBack => self.get(op, command, reply),
            Op::SetInputDerivatives => self.set_input_derivatives(command),
            Op::RunSteps => self.run_steps(command, reply, header),
            Op::DirectionalDerivative => self.directional_derivative(command, reply),
            Op::Save | Op::Restore | Op::Serialize | Op::Deserialize => {
                self.keep(op, command, reply)
            }
            Op::Step => {
                let outcome = instance.step(&checked(read_step(command))?)?;
                write_outcome(reply, &outcome);
                Ok(())
            }
            Op::StepMax => {
                reply.option(instance.step_max()?, Writer::real);
                Ok(())
            }
            Op::TakeDiscarded => {
                reply.option(instance.take_discarded(), |to, error| write_error(to, &error));
                Ok(())
            }
            Op::UpdateDiscreteStates => {
                write_event_update(reply, &instance.update_discrete_states()?);
                Ok(())
            }
            Op::Load | Op::TryLoad | Op::Instantiate | Op::Free | Op::Tasks | Op::Split => {
                Err(invalid_command())
            }
        }
    }

    fn set(&mut self, command: &mut Reader<'_>) -> CallResult<()> {
        let instance = present(self.instance.as_mut())?;
        checked(read_references(command, &mut self.scratch.references))?;
        let (value_type, count) = (checked(read_type(command))?, checked(command.count(1))?);
        let (references, values) = self.scratch.place(value_type, count);
        checked(command.elements(values.slice_mut(0, count)))?;
        instance.set(references, values.slice(0, count))
    }

    fn get(&mut self, op: Op, command: &mut Reader<'_>, reply: &mut Writer<'_>) -> CallResult<()> {
        let instance = present(self.instance.as_mut())?;
        checked(read_references(command, &mut self.scratch.references))?;
        let value_type = checked(read_type(command))?;
        let count = checked(read_size(command))?;
        let (references, values) = self.scratch.place(value_type, count);
        let place = values.slice_mut(0, count);
        match op {
            Op::ReadBack => instance.read_back(references, place)?,
            _ => instance.get(references, place)?,
        }
        reply.elements(values.slice(0, count));
        Ok(())
    }

    fn set_input_derivatives(&mut self, command: &mut Reader<'_>) -> CallResult<()> {
        let (instance, scratch) = (present(self.instance.as_mut())?, &mut self.scratch);
        checked(read_references(command, &mut scratch.references))?;
        scratch.orders.clear();
        for _ in 0..scratch.references.len() {
            scratch.orders.push(checked(command.word32())?.cast_signed());
        }
        checked(command.reals_into(scratch.references.len(), &mut scratch.numbers))?;
        instance.set_input_derivatives(&scratch.references, &scratch.orders, &scratch.numbers)
    }

    /// Sets, then steps and gets, again and again; records its stage, for the message if it does not return.
    fn run_steps(
        &mut self,
        command: &mut Reader<'_>,
        reply: &mut Writer<'_>,
        header: &Header,
    ) -> CallResult<()> {
        let (instance, scratch) = (present(self.instance.as_mut())?, &mut self.scratch);
        checked(read_references(command, &mut scratch.references))?;
        let inputs = checked(command.count(1))?;
        checked(command.reals_into(inputs, &mut scratch.numbers))?;
        checked(read_references(command, &mut scratch.others))?;
        let width = checked(read_size(command))?;
        scratch.steps.clear();
        for _ in 0..checked(command.count(1))? {
            scratch.steps.push(checked(read_step(command))?);
        }
        scratch.results.resize(width * scratch.steps.len(), 0.0);
        let stage = |op: Op| header.stage.store(op as u32, Ordering::Relaxed);
        stage(Op::Set);
        instance.set(&scratch.references, ValuesRef::Float64(&scratch.numbers))?;
        let (mut done, mut ended) = (0, None);
        for step in &scratch.steps {
            stage(Op::Step);
            let outcome = instance.step(step)?;
            if !outcome.is_plain(step) {
                ended = Some(outcome);
                break;
            }
            stage(Op::Get);
            let row = &mut scratch.results[done * width..(done + 1) * width];
            instance.get(&scratch.others, ValuesMut::Float64(row))?;
            done += 1;
        }
        reply.option(ended, |to, outcome| write_outcome(to, &outcome));
        reply.word(done as u64);
        reply.reals(&scratch.results[..done * width]);
        Ok(())
    }

    fn directional_derivative(
        &mut self,
        command: &mut Reader<'_>,
        reply: &mut Writer<'_>,
    ) -> CallResult<()> {
        let (instance, scratch) = (present(self.instance.as_mut())?, &mut self.scratch);
        checked(read_references(command, &mut scratch.references))?;
        checked(read_references(command, &mut scratch.others))?;
        let seeds = checked(command.count(1))?;
        checked(command.reals_into(seeds, &mut scratch.numbers))?;
        let results = checked(read_size(command))?;
        scratch.results.resize(results, 0.0);
        let (unknowns, knowns) = (&scratch.references, &scratch.others);
        let results = &mut scratch.results;
        instance.directional_derivative(
            Direction { unknowns, knowns, seed: &scratch.numbers },
            results,
        )?;
        reply.reals(results);
        Ok(())
    }

    fn keep(&mut self, op: Op, command: &mut Reader<'_>, reply: &mut Writer<'_>) -> CallResult<()> {
        let instance = &mut **present(self.instance.as_mut())?;
        if matches!(op, Op::Save | Op::Deserialize) {
            return save(&mut self.states, instance, op, command);
        }
        let id = checked(read_size(command))?;
        let state = present(self.states.get(id).and_then(Option::as_ref))?;
        if op == Op::Restore {
            return instance.restore(state);
        }
        reply.raw(&instance.serialize(state)?);
        Ok(())
    }
}

/// Forgets states, then keeps a new one.
fn save(
    states: &mut Vec<Option<SavedState>>,
    instance: &mut dyn Instance,
    op: Op,
    command: &mut Reader<'_>,
) -> CallResult<()> {
    let number = |command: &mut Reader<'_>| checked(read_size(command));
    for _ in 0..checked(command.count(1))? {
        let dropped = number(command)?;
        if let Some(place) = states.get_mut(dropped) {
            *place = None;
        }
    }
    let id = number(command)?;
    let state = match op {
        Op::Save => instance.save()?,
        _ => instance.deserialize(checked(command.part())?)?,
    };
    if states.len() <= id {
        states.resize_with(id + 1, || None);
    }
    states[id] = Some(state);
    Ok(())
}
