//! Random events against a reference that is written from what the documentation says, in another way.

use crate::bench::{Bench, Settings};
use consort_core::{Prng, Report};
use consort_equations::{compile, read};
use std::fmt::Write as _;

/// An event of a random model: its condition is a window of time, and perhaps a discrete below a bound.
/// All numbers are eighths, so that nothing is rounded.
#[derive(Clone, Debug)]
struct Event {
    from: f64,
    until: f64,
    below: Option<(usize, f64)>,
    delay: f64,
    priority: Option<(f64, usize)>,
    target: usize,
    /// The new value is `gain * other + offset`.
    value: (f64, usize, f64),
    persistent: bool,
    initially: bool,
    values_from_trigger: bool,
}

const DISCRETES: usize = 3;

fn random_event(prng: &mut Prng) -> Event {
    let mut eighths = |most: u64| prng.below(most) as f64 / 8.0;
    let from = eighths(24);
    Event {
        from,
        until: from + 0.125 + eighths(16),
        below: (eighths(8) < 0.5).then(|| (eighths(24) as usize, eighths(40))),
        delay: if eighths(8) < 0.5 { 0.0 } else { eighths(16) },
        priority: (eighths(8) < 0.5).then(|| (eighths(16), eighths(24) as usize)),
        target: eighths(24) as usize,
        value: ([0.0, 1.0, -1.0][eighths(24) as usize], eighths(24) as usize, eighths(16)),
        persistent: eighths(8) < 0.5,
        initially: eighths(8) < 0.5,
        values_from_trigger: eighths(8) < 0.5,
    }
}

fn text(events: &[Event]) -> String {
    let mut text = "model m\ndiscrete d0 = 1\ndiscrete d1 = 0\ndiscrete d2 = 2\n".to_owned();
    for event in events {
        let _ = write!(text, "when time >= {} and time < {}", event.from, event.until);
        if let Some((discrete, bound)) = event.below {
            let _ = write!(text, " and d{discrete} < {bound}");
        }
        if 0.0 < event.delay {
            let _ = write!(text, " after {}", event.delay);
        }
        if let Some((priority, discrete)) = event.priority {
            let _ = write!(text, " priority {priority} + d{discrete}");
        }
        let (gain, other, offset) = event.value;
        let _ = writeln!(text, " then\n  d{} = {gain}*d{other} + {offset}\nend", event.target);
    }
    text + "end"
}

/// The reference: a plain list of everything that has fired, looked through again and again.
struct Reference<'a> {
    events: &'a [Event],
    values: [f64; DISCRETES],
    memory: Vec<bool>,
    /// Due time, event, and the value if it is settled; in the order of firing.
    fired: Vec<(f64, usize, Option<f64>)>,
    executions: usize,
}

impl Reference<'_> {
    fn holds(&self, event: &Event, time: f64) -> bool {
        let below = event.below.is_none_or(|(at, bound)| self.values[at] < bound);
        event.from <= time && time < event.until && below
    }

    fn new_value(&self, event: &Event) -> f64 {
        let (gain, other, offset) = event.value;
        gain * self.values[other] + offset
    }

    fn fire(&mut self, index: usize, time: f64) {
        let event = &self.events[index];
        let value = event.values_from_trigger.then(|| self.new_value(event));
        self.fired.push((time + event.delay, index, value));
    }

    fn look(&mut self, time: f64) {
        for (index, event) in self.events.iter().enumerate() {
            let (before, now) = (self.memory[index], self.holds(event, time));
            self.memory[index] = now;
            if now && !before {
                self.fire(index, time);
            } else if before && !now && !event.persistent {
                self.fired.retain(|(_, fired, _)| *fired != index);
            }
        }
    }

    fn begin(&mut self) {
        for (index, event) in self.events.iter().enumerate() {
            self.memory[index] = self.holds(event, 0.0);
            if self.memory[index] && !event.initially {
                self.fire(index, 0.0);
            }
        }
    }

    /// Everything that happens at an instant.
    fn happen(&mut self, time: f64) {
        self.look(time);
        loop {
            let rank = |(due, index, _): &(f64, usize, Option<f64>)| {
                let priority = self.events[*index].priority;
                let priority = priority.map(|(base, at)| base + self.values[at]);
                (-priority.unwrap_or(f64::NEG_INFINITY), *due, *index)
            };
            let due = self.fired.iter().enumerate().filter(|(_, fired)| fired.0 <= time);
            let mut ranked: Vec<_> = due.map(|(place, fired)| (rank(fired), place)).collect();
            ranked.sort_by(|a, b| a.partial_cmp(b).unwrap());
            let Some(&(_, place)) = ranked.first() else { return };
            let (_, index, value) = self.fired.remove(place);
            let event = &self.events[index];
            self.values[event.target] = value.unwrap_or_else(|| self.new_value(event));
            self.executions += 1;
            if 100 < self.executions {
                return;
            }
            self.look(time);
        }
    }
}

/// The values at each eighth of a second.
fn expected(events: &[Event], until: u32) -> Option<Vec<[f64; DISCRETES]>> {
    let mut reference = Reference {
        events,
        values: [1.0, 0.0, 2.0],
        memory: vec![false; events.len()],
        fired: Vec::new(),
        executions: 0,
    };
    reference.begin();
    let mut values = Vec::new();
    for eighth in 0..=until {
        reference.happen(f64::from(eighth) / 8.0);
        values.push(reference.values);
    }
    // Models that do not come to rest are no test of order.
    (reference.executions < 100).then_some(values)
}

#[test]
fn random_events_happen_as_the_reference_says() {
    let (until, mut compared, mut fired) = (80, 0, 0.0);
    for seed in 0..400 {
        let mut prng = Prng::new(seed);
        let events: Vec<Event> = (0..2 + prng.below(5)).map(|_| random_event(&mut prng)).collect();
        let Some(expected) = expected(&events, until) else { continue };
        println!("seed {seed}");
        let mut tree = read("m.eq", &text(&events), &mut Report::default()).unwrap();
        for (written, event) in tree.events.iter_mut().zip(&events) {
            written.persistent = event.persistent;
            written.initially = event.initially;
            written.values_from_trigger = event.values_from_trigger;
        }
        let equations = compile(&tree, &mut Report::default()).unwrap();
        let mut bench = Bench::of(equations, Settings { step: 125_000_000, ..Settings::default() });
        bench.enter();
        bench.instance.exit_initialization().unwrap();
        for (eighth, expected) in expected.iter().enumerate() {
            bench.run_to(eighth as f64 / 8.0);
            let found = ["d0", "d1", "d2"].map(|name| bench.get(name));
            assert_eq!(&found, expected, "{} eighths\n{}\n{events:#?}", eighth, text(&events));
        }
        compared += 1;
        fired += expected.last().unwrap()[0];
    }
    assert!(300 < compared && fired != 0.0, "only {compared} of 400 come to rest");
}
