//! What a model computes, as bytes: what distinguishes its saved states from those of other models.
//!
//! Every part is written by itself, in an order of its own, so that the names of types and fields in this code
//! decide nothing. A part that is forgotten does not compile.

use crate::equations::{
    CompiledEvent, Delay, Dependence, Equations, EventTarget, Indicator, Jacobian, Programs,
    Quantity,
};
use crate::program::{Layout, Operand, OperationRun, Program, Stretch};
use consort_core::bytes::Writer;

/// To be counted up when something below changes what is written.
const MAGIC: [u8; 8] = *b"CSTMODL\x01";

impl Equations {
    /// Everything that decides what the model computes, numbers to the last bit. Where it was read, what is said about
    /// it, units and the experiment of its author decide nothing.
    pub fn identity(&self) -> Vec<u8> {
        let mut to = Writer::new(MAGIC);
        let Equations {
            name,
            description: _,
            layout,
            parameters,
            inputs,
            states,
            discretes,
            outputs,
            locals,
            delays,
            indicators,
            events,
            events_are_unordered,
            experiment: _,
            derivative_dependence,
            output_dependence,
            initial_dependence,
            programs,
        } = self;
        to.text(name);
        put_layout(&mut to, *layout);
        for list in [parameters, inputs, states, discretes, outputs, locals] {
            put_list(&mut to, list, put_quantity);
        }
        put_list(&mut to, delays, put_delay);
        put_list(&mut to, indicators, put_indicator);
        put_list(&mut to, events, put_event);
        to.flag(*events_are_unordered);
        for list in [derivative_dependence, output_dependence, initial_dependence] {
            put_list(&mut to, list, put_dependence);
        }
        put_programs(&mut to, programs);
        to.finish()
    }
}

fn put_list<T>(to: &mut Writer, list: &[T], put: impl Fn(&mut Writer, &T)) {
    to.count(list.len());
    list.iter().for_each(|item| put(to, item));
}

fn put_counts(to: &mut Writer, list: &[usize]) {
    put_list(to, list, |to, it| to.count(*it));
}

fn put_words(to: &mut Writer, list: &[u32]) {
    put_list(to, list, |to, it| to.word(u64::from(*it)));
}

fn put_layout(to: &mut Writer, layout: Layout) {
    let Layout { parameters, inputs, states, discretes } = layout;
    [parameters, inputs, states, discretes].into_iter().for_each(|it| to.count(it));
}

fn put_quantity(to: &mut Writer, quantity: &Quantity) {
    let Quantity {
        name,
        unit: _,
        description: _,
        start,
        nominal,
        min,
        max,
        is_output,
        is_start_fixed,
        is_parameter,
    } = quantity;
    to.text(name);
    to.real(*start);
    [nominal, min, max].into_iter().for_each(|it| to.option(*it, Writer::real));
    [is_output, is_start_fixed, is_parameter].into_iter().for_each(|it| to.flag(*it));
}

fn put_delay(to: &mut Writer, delay: &Delay) {
    let Delay { name: _, duration, is_fixed } = delay;
    to.option(*duration, Writer::real);
    to.flag(*is_fixed);
}

fn put_indicator(to: &mut Writer, indicator: &Indicator) {
    let Indicator { op, instant, events, in_equations, span: _ } = indicator;
    to.byte(*op as u8);
    to.option(*instant, Writer::count);
    put_counts(to, events);
    to.flag(*in_equations);
}

fn put_event(to: &mut Writer, event: &CompiledEvent) {
    let CompiledEvent {
        name,
        condition,
        delay,
        priority,
        assignments,
        targets,
        persistent,
        initially,
        values_from_trigger,
        span: _,
    } = event;
    to.text(name);
    put_program(to, condition);
    to.option(delay.as_ref(), put_program);
    to.option(priority.as_ref(), put_program);
    put_program(to, assignments);
    put_list(to, targets, |to, target| match target {
        EventTarget::State(state) => put_numbered(to, 0, *state),
        EventTarget::Discrete(discrete) => put_numbered(to, 1, *discrete),
    });
    [persistent, initially, values_from_trigger].into_iter().for_each(|it| to.flag(*it));
}

fn put_numbered(to: &mut Writer, kind: u8, number: usize) {
    to.byte(kind);
    to.count(number);
}

fn put_dependence(to: &mut Writer, dependence: &Dependence) {
    let Dependence { time, parameters, inputs, states, discretes, delays } = dependence;
    to.flag(*time);
    [parameters, inputs, states, discretes, delays].into_iter().for_each(|it| put_counts(to, it));
}

fn put_programs(to: &mut Writer, programs: &Programs) {
    let Programs {
        initial,
        derivatives,
        outputs,
        locals,
        indicators,
        instants,
        remembered,
        durations,
        state_jacobian,
        input_jacobian,
        output_jacobian,
        feedthrough,
    } = programs;
    for program in
        [initial, derivatives, outputs, locals, indicators, instants, remembered, durations]
    {
        put_program(to, program);
    }
    for jacobian in [state_jacobian, input_jacobian, output_jacobian, feedthrough] {
        let Jacobian { program, rows, column_starts, row_of } = jacobian;
        put_program(to, program);
        to.count(*rows);
        put_counts(to, column_starts);
        put_counts(to, row_of);
    }
}

fn put_program(to: &mut Writer, program: &Program) {
    let Program { layout, constants, runs, places, results, stretches } = program;
    put_layout(to, *layout);
    to.count(constants.len());
    to.reals(constants);
    put_list(to, runs, put_run);
    put_words(to, places);
    put_words(to, results);
    put_list(to, stretches, |to, Stretch { first, len }| put_words(to, &[*first, *len]));
}

fn put_run(to: &mut Writer, run: &OperationRun) {
    let OperationRun { op, out, len, operands } = run;
    to.byte(*op as u8);
    put_words(to, &[*out, *len]);
    for operand in operands {
        match operand {
            Operand::Same(register) => put_numbered(to, 0, *register as usize),
            Operand::Row(first) => put_numbered(to, 1, *first as usize),
            Operand::Listed(first) => put_numbered(to, 2, *first as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{compile, read};
    use consort_core::Report;

    const TEXT: &str = "model tank \"a tank\"\nparameter k = 0.5 \"1/s\"\ninput u\noutput state x = 1 \"m\"\n\
                        der(x) = u - k*x\nwhen x < 0.1 then\nx = 1\nend\nend\n";

    fn identity(text: &str) -> Vec<u8> {
        let mut report = Report::default();
        let tree = read("tank.eq", text, &mut report).expect("well written");
        compile(&tree, &mut report).expect("well defined").identity()
    }

    #[test]
    fn what_a_model_computes_decides_and_nothing_else_does() {
        let same = |from: &str, to: &str| identity(TEXT) == identity(&TEXT.replace(from, to));
        assert!(same("\"a tank\"", "\"another\""), "a description");
        assert!(same("model tank", "\n\nmodel tank"), "a place");
        for (from, to) in [
            ("k = 0.5", "k = 0.5000000000000001"),
            ("u - k*x", "u + k*x"),
            ("x = 1\nend", "x = 2\nend"),
            ("state x = 1", "state x = 3"),
            ("x < 0.1", "x < 0.2"),
        ] {
            assert!(!same(from, to), "{from} becomes {to}");
        }
    }
}
