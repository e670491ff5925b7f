//! Every combination of how a species, its compartment, its stoichiometry and its law may be written: the
//! amount falls in the same way in all of them.

use crate::numbers::Run;
use crate::write;
use std::fmt::Write as _;

const K: f64 = 0.5;
const END: f64 = 1.5;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Initial {
    Amount,
    Concentration,
    Assignment,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Size {
    Fixed,
    InitialAssignment,
    RateRule,
    AssignmentRule,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Count {
    One,
    Number,
    Formula,
}

#[derive(Clone, Copy, Debug)]
struct Combination {
    edition: (u32, u32),
    is_amount: bool,
    initial: Initial,
    size: Size,
    count: Count,
    is_local: bool,
}

impl Combination {
    fn text(self) -> String {
        let mut lists = vec![("Compartments", self.compartment()), ("Species", self.species())];
        if !self.is_local {
            lists.push(("Parameters", format!("<parameter id='k' value='{K}'/>")));
        }
        lists.push(("InitialAssignments", self.initial_assignments()));
        lists.push(("Rules", self.rules()));
        lists.push(("Reactions", self.reaction()));
        lists.retain(|(_, content)| !content.is_empty());
        let lists: Vec<_> = lists.iter().map(|(list, content)| (*list, content.as_str())).collect();
        write::document(self.edition, &write::network(&lists))
    }

    fn compartment(self) -> String {
        let constant = matches!(self.size, Size::Fixed | Size::InitialAssignment);
        // What an assignment says counts, not the attribute.
        let size = if matches!(self.size, Size::Fixed | Size::RateRule) { 2 } else { 7 };
        format!("<compartment id='C' size='{size}' constant='{constant}'/>")
    }

    fn species(self) -> String {
        let initial = match self.initial {
            Initial::Amount => "initialAmount='6'",
            Initial::Concentration => "initialConcentration='3'",
            Initial::Assignment => "initialAmount='77'",
        };
        let only = self.is_amount;
        format!("<species id='A' compartment='C' {initial} hasOnlySubstanceUnits='{only}'/>")
    }

    fn initial_assignments(self) -> String {
        let mut text = String::new();
        let mut assign = |symbol: &str, value: &str| {
            let _ = write!(
                text,
                "<initialAssignment symbol='{symbol}'>{{{{{value}}}}}</initialAssignment>"
            );
        };
        if self.initial == Initial::Assignment {
            assign("A", if self.is_amount { "3*C" } else { "6/C" });
        }
        if self.size == Size::InitialAssignment {
            assign("C", "1 + 1");
        }
        text
    }

    fn rules(self) -> String {
        let mut text = match self.size {
            Size::RateRule => "<rateRule variable='C'>{{0.1*C}}</rateRule>".to_owned(),
            Size::AssignmentRule => {
                "<assignmentRule variable='C'>{{2 + time}}</assignmentRule>".to_owned()
            }
            _ => String::new(),
        };
        if self.count == Count::Formula && self.edition.0 == 3 {
            text += "<assignmentRule variable='n'>{{1 + 1}}</assignmentRule>";
        }
        text
    }

    fn reaction(self) -> String {
        let count = match (self.count, self.edition.0) {
            (Count::One, 2) => " species='A'/>".to_owned(),
            (Count::One, _) => " species='A' stoichiometry='1' constant='true'/>".to_owned(),
            (Count::Number, _) => " species='A' stoichiometry='2'/>".to_owned(),
            (Count::Formula, 2) => {
                " species='A'><stoichiometryMath>{{1 + 1}}</stoichiometryMath></speciesReference>"
                    .to_owned()
            }
            (Count::Formula, _) => " species='A' id='n' constant='false'/>".to_owned(),
        };
        let law = if self.is_amount { "{{k*A}}" } else { "{{k*A*C}}" };
        let local = match (self.is_local, self.edition.0) {
            (false, _) => String::new(),
            (true, 2) => {
                format!("<listOfParameters><parameter id='k' value='{K}'/></listOfParameters>")
            }
            (true, _) => format!(
                "<listOfLocalParameters><localParameter id='k' value='{K}'/></listOfLocalParameters>"
            ),
        };
        format!(
            "<reaction id='R'><listOfReactants><speciesReference{count}</listOfReactants>\
             <kineticLaw>{law}{local}</kineticLaw></reaction>"
        )
    }

    /// What the identifier of the species means at the end.
    fn expected(self) -> f64 {
        let count = if self.count == Count::One { 1.0 } else { 2.0 };
        let amount = 6.0 * (-count * K * END).exp();
        let size = match self.size {
            Size::Fixed | Size::InitialAssignment => 2.0,
            Size::RateRule => 2.0 * (0.1 * END).exp(),
            Size::AssignmentRule => 2.0 + END,
        };
        if self.is_amount { amount } else { amount / size }
    }
}

/// All of them, in editions that take turns.
fn all() -> Vec<Combination> {
    let sizes = [Size::Fixed, Size::InitialAssignment, Size::RateRule, Size::AssignmentRule];
    let initials = [Initial::Amount, Initial::Concentration, Initial::Assignment];
    let mut editions = [(2, 2), (3, 1), (2, 3), (3, 2), (2, 4), (3, 1), (2, 5)].iter().cycle();
    let mut all = Vec::new();
    for is_amount in [false, true] {
        for (initial, size) in initials.into_iter().flat_map(|i| sizes.map(|s| (i, s))) {
            for count in [Count::One, Count::Number, Count::Formula] {
                for is_local in [false, true] {
                    let edition = *editions.next().expect("a cycle has no end");
                    all.push(Combination { edition, is_amount, initial, size, count, is_local });
                }
            }
        }
    }
    all
}

#[test]
fn an_amount_falls_the_same_however_it_is_written() {
    let all = all();
    assert_eq!(all.len(), 144);
    for combination in all {
        let run = Run::new(&combination.text()).advance(END);
        let (found, expected) = (run.value("A"), combination.expected());
        let error = (found - expected).abs();
        assert!(error <= 1e-9, "{combination:?}: {found}, not {expected}");
    }
}
