//! From the tree of a formula to operators in the order of computation, for one reading and resolution.
//!
//! What is asked for at the start of the trace only is a [`Head`]; what is asked for at every time is a
//! [`Rule`], whose operands come before it.

use crate::operator::{Held, Reach};
use crate::tree::{Bounds, Formula, Joint, Term, Way};
use crate::{Reading, ticks};
use consort_core::{Comparison, Resolution, Time};

/// What is computed at every time.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    Source(Source),
    Not(usize),
    Join(Joint, usize, usize),
    Rise(usize),
    Future(Held),
    Past(Held),
}

/// What depends on the values of one time only.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Constant(bool),
    Compare { comparison: Comparison, left: Term, right: Term, scale: f64 },
    Signal(usize),
    Event(usize),
    Tick(usize),
}

/// What is computed at the start only; the numbers are places in the monitor's slots.
#[derive(Clone, Debug)]
pub(crate) enum Head {
    /// The first value of a node.
    First {
        node: usize,
        slot: usize,
    },
    Not(Box<Head>),
    Join(Joint, Box<Head>, Box<Head>),
    Hold {
        held: Held,
        slot: usize,
    },
}

/// Everything that does not change while a monitor works.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) rules: Vec<Rule>,
    pub(crate) head: Head,
    pub(crate) slots: usize,
    pub(crate) signals: usize,
    pub(crate) is_dense: bool,
    /// No operator inside of another looks ahead: what is certain is all that is known.
    pub(crate) is_direct: bool,
    /// Something is asked about single microsteps.
    pub(crate) has_instants: bool,
    pub(crate) start: Time,
    /// Distinguishes the bytes of its monitors from those of others.
    pub(crate) fingerprint: u64,
}

/// How a plan is made.
pub(crate) struct Planner<'a> {
    pub(crate) reading: Reading,
    pub(crate) resolution: Resolution,
    /// The scale of each signal.
    pub(crate) scales: &'a [f64],
    pub(crate) rules: Vec<Rule>,
    pub(crate) slots: usize,
    pub(crate) has_instants: bool,
}

impl Planner<'_> {
    pub(crate) fn plan(mut self, formula: &Formula, start: Time) -> Plan {
        let head = self.head(formula);
        let is_dense = self.reading == Reading::Dense;
        let said = format!("{:?} {head:?} {is_dense} {}", self.rules, start.ticks());
        let is_direct = !self.rules.iter().any(|rule| matches!(rule, Rule::Future(_)));
        Plan {
            rules: self.rules,
            head,
            slots: self.slots,
            signals: self.scales.len(),
            is_dense,
            is_direct,
            has_instants: self.has_instants,
            start,
            fingerprint: fingerprint(&said),
        }
    }

    fn head(&mut self, formula: &Formula) -> Head {
        match formula {
            Formula::Not(of) => Head::Not(Box::new(self.head(of))),
            Formula::Join(joint, a, b) => self.head_join(*joint, a, b),
            // What holds always of both holds always of each: so a violation of one is seen at once,
            // and not when the other is known as well.
            Formula::All(Way::Future, bounds, of) if let Some((a, b)) = joined(of, Joint::And) => {
                let each = |of: &Formula| Formula::All(Way::Future, *bounds, Box::new(of.clone()));
                self.head_join(Joint::And, &each(a), &each(b))
            }
            Formula::Some(Way::Future, bounds, of) if let Some((a, b)) = joined(of, Joint::Or) => {
                let each = |of: &Formula| Formula::Some(Way::Future, *bounds, Box::new(of.clone()));
                self.head_join(Joint::Or, &each(a), &each(b))
            }
            Formula::All(Way::Future, bounds, of) => self.head_hold(bounds, true, None, of),
            Formula::Some(Way::Future, bounds, of) => self.head_hold(bounds, false, None, of),
            Formula::Hold(Way::Future, bounds, hold, goal) => {
                self.head_hold(bounds, false, Some(hold), goal)
            }
            _ => Head::First { node: self.node(formula), slot: self.slot() },
        }
    }

    fn slot(&mut self) -> usize {
        self.slots += 1;
        self.slots - 1
    }

    fn head_join(&mut self, joint: Joint, a: &Formula, b: &Formula) -> Head {
        Head::Join(joint, Box::new(self.head(a)), Box::new(self.head(b)))
    }

    fn head_hold(
        &mut self,
        bounds: &Bounds,
        is_turned: bool,
        hold: Option<&Formula>,
        goal: &Formula,
    ) -> Head {
        let held = self.held(bounds, is_turned, hold, goal);
        Head::Hold { held, slot: self.slot() }
    }

    fn held(
        &mut self,
        bounds: &Bounds,
        is_turned: bool,
        hold: Option<&Formula>,
        goal: &Formula,
    ) -> Held {
        let hold = hold.map(|hold| self.node(hold));
        Held { reach: self.reach(bounds), is_turned, hold, goal: self.node(goal) }
    }

    /// In positions, which are half ticks.
    fn reach(&self, bounds: &Bounds) -> Reach {
        let [from, to] = ticks::range(bounds, self.reading, self.resolution);
        Reach { from: 2 * from, to: bounds.to.map(|_| 2 * to) }
    }

    /// The place of the rule that computes a formula at every time.
    fn node(&mut self, formula: &Formula) -> usize {
        let rule = self.rule(formula);
        self.rules.push(rule);
        self.rules.len() - 1
    }

    fn rule(&mut self, formula: &Formula) -> Rule {
        self.has_instants |= matches!(formula, Formula::Event(_) | Formula::Tick(_));
        match formula {
            Formula::Constant(truth) => Rule::Source(Source::Constant(*truth)),
            Formula::Compare(comparison, left, right) => self.compare(*comparison, left, right),
            Formula::Signal(place) => Rule::Source(Source::Signal(*place)),
            Formula::Event(place) => Rule::Source(Source::Event(*place)),
            Formula::Tick(place) => Rule::Source(Source::Tick(*place)),
            Formula::Not(of) => Rule::Not(self.node(of)),
            Formula::Join(joint, a, b) => Rule::Join(*joint, self.node(a), self.node(b)),
            Formula::Rise(of) => Rule::Rise(self.node(of)),
            Formula::All(way, bounds, of) => looking(*way, self.held(bounds, true, None, of)),
            Formula::Some(way, bounds, of) => looking(*way, self.held(bounds, false, None, of)),
            Formula::Hold(way, bounds, hold, goal) => {
                looking(*way, self.held(bounds, false, Some(hold), goal))
            }
        }
    }

    /// A comparison's margin is measured by the greatest scale of its signals.
    fn compare(&self, comparison: Comparison, left: &Term, right: &Term) -> Rule {
        let mut scale: Option<f64> = None;
        let mut take = |place: usize| {
            let other = self.scales[place];
            scale = Some(scale.map_or(other, |scale| scale.max(other)));
        };
        left.each_signal(&mut take);
        right.each_signal(&mut take);
        let (left, right, scale) = (left.clone(), right.clone(), scale.unwrap_or(1.0));
        Rule::Source(Source::Compare { comparison, left, right, scale })
    }
}

fn looking(way: Way, held: Held) -> Rule {
    match way {
        Way::Future => Rule::Future(held),
        Way::Past => Rule::Past(held),
    }
}

fn joined(formula: &Formula, joint: Joint) -> Option<(&Formula, &Formula)> {
    match formula {
        Formula::Join(found, a, b) if *found == joint => Some((a, b)),
        _ => None,
    }
}

/// The FNV-1a hash of a text.
fn fingerprint(text: &str) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, mix)
}
