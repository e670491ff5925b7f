//! What models compute, against closed forms.

use crate::constructs::{self, Case};
use crate::events;
use crate::write;
use consort_core::Report;
use consort_equations::equations::EventTarget;
use consort_equations::{Equations, NoHistory, Program, compile, sbml};
use consort_testkit::render;

const STEPS: usize = 1000;

/// A model and where it is.
pub(crate) struct Run {
    equations: Equations,
    time: f64,
    parameters: Vec<f64>,
    states: Vec<f64>,
    discretes: Vec<f64>,
}

impl Run {
    pub(crate) fn new(text: &str) -> Self {
        let mut report = Report::default();
        let model = sbml::read_sbml("m.xml", text, &mut report);
        let equations = model.and_then(|model| compile(&model, &mut report));
        let equations = equations.unwrap_or_else(|| panic!("{}", render::report(&report)));
        let parameters = equations.parameters.iter().map(|parameter| parameter.start).collect();
        let zeros = |count: usize| vec![0.0; count];
        let (states, discretes) =
            (zeros(equations.layout.states), zeros(equations.layout.discretes));
        let mut run = Run { equations, time: 0.0, parameters, states, discretes };
        let first = run.evaluate(&run.equations.programs.initial);
        let (states, discretes) = first.split_at(run.states.len());
        (run.states, run.discretes) = (states.to_vec(), discretes.to_vec());
        run
    }

    fn of((name, edition, lists): &Case) -> Self {
        assert!(!name.is_empty());
        Run::new(&write::document(*edition, &write::network(lists)))
    }

    fn evaluate(&self, program: &Program) -> Vec<f64> {
        let point = [&self.parameters[..], &[], &self.states[..], &self.discretes[..]];
        let point = self.equations.point(self.time, point);
        let mut results = vec![0.0; program.results.len()];
        program.evaluate(&point, &mut NoHistory, &mut program.registers(), &mut results);
        results
    }

    fn derivatives(&mut self, time: f64, states: Vec<f64>) -> Vec<f64> {
        (self.time, self.states) = (time, states);
        self.evaluate(&self.equations.programs.derivatives)
    }

    /// Continues to `end` with the classical method of Runge and Kutta.
    pub(crate) fn advance(mut self, end: f64) -> Self {
        let (start, step) = (self.time, (end - self.time) / STEPS as f64);
        for at in 0..STEPS {
            let (t, x) = (start + at as f64 * step, self.states.clone());
            let moved = |k: &[f64], h: f64| -> Vec<f64> {
                x.iter().zip(k).map(|(x, k)| x + h * k).collect()
            };
            let a = self.derivatives(t, x.clone());
            let b = self.derivatives(t + step / 2.0, moved(&a, step / 2.0));
            let c = self.derivatives(t + step / 2.0, moved(&b, step / 2.0));
            let d = self.derivatives(t + step, moved(&c, step));
            let mean = |i: usize| (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]) / 6.0;
            self.states = (0..x.len()).map(|i| x[i] + step * mean(i)).collect();
        }
        self.time = end;
        self
    }

    /// Executes an event as if it had just been triggered.
    pub(crate) fn execute(mut self, event: usize) -> Self {
        let event = self.equations.events[event].clone();
        let values = self.evaluate(&event.assignments);
        for (target, value) in event.targets.iter().zip(values) {
            match target {
                EventTarget::State(state) => self.states[*state] = value,
                EventTarget::Discrete(discrete) => self.discretes[*discrete] = value,
            }
        }
        self
    }

    pub(crate) fn value(&self, name: &str) -> f64 {
        let equations = &self.equations;
        let (outputs, locals) =
            (self.evaluate(&equations.programs.outputs), self.evaluate(&equations.programs.locals));
        let lists = [
            (&equations.parameters, &self.parameters),
            (&equations.states, &self.states),
            (&equations.discretes, &self.discretes),
            (&equations.outputs, &outputs),
            (&equations.locals, &locals),
        ];
        let in_list = |(names, values): &(&Vec<consort_equations::Quantity>, &Vec<f64>)| {
            names.iter().position(|quantity| quantity.name == name).map(|at| values[at])
        };
        lists.iter().find_map(in_list).unwrap_or_else(|| panic!("no {name}"))
    }

    #[track_caller]
    pub(crate) fn check(&self, expected: &[(&str, f64)]) {
        for (name, expected) in expected {
            let found = self.value(name);
            let error = (found - expected).abs();
            assert!(error <= 1e-9 * expected.abs().max(1.0), "{name}: {found}, not {expected}");
        }
    }
}

fn case(cases: &[Case], name: &str) -> Run {
    Run::of(cases.iter().find(|case| case.0 == name).expect("a case of that name"))
}

#[test]
fn reactions_follow_their_closed_forms() {
    let reaction = |name| case(constructs::REACTIONS, name);
    let left = (-1.0f64).exp();
    let decay = [("A", 3.0 * left), ("B", 3.0 - 3.0 * left), ("A_amount", 6.0 * left)];
    reaction("concentrations in a fixed compartment").advance(2.0).check(&decay);
    reaction("the same in the first version").advance(2.0).check(&decay);
    // The rate is k*A*C of an amount in a size of 2.
    let left = 3.0 * (-2.0f64).exp();
    let amounts = [("A", left), ("B", 2.0 + 3.0 - left)];
    reaction("only substance units").advance(2.0).check(&amounts);
    reaction("boundary condition").advance(2.0).check(&[("A", 3.0), ("B", 3.0)]);
    let bound = reaction("constant boundary given as an amount").advance(2.0);
    bound.check(&[("A", 1.5), ("B", 1.5), ("R", 1.5)]);
    let hidden = reaction("local parameters hide those of the model").advance(2.0);
    hidden.check(&[("A", 3.0 * (-0.5f64).exp()), ("R_k_", 0.5), ("k", 100.0)]);
    reaction("local parameters of level 3").advance(2.0).check(&[("A", 3.0 * (-0.5f64).exp())]);
    let counted = reaction("stoichiometry").advance(2.0);
    let left = 3.0 * (-1.0f64).exp();
    counted.check(&[("A", left), ("B", 0.5 * (3.0 - left))]);
    reaction("a point has no size").advance(2.0).check(&[("A", left)]);
}

#[test]
fn stoichiometries_and_factors_scale_what_flows() {
    let reaction = |name| case(constructs::REACTIONS, name);
    // A falls as in a plain decay of rate 1/2; B grows by (1+t) times that.
    let (t, k) = (2.0f64, 0.5f64);
    let left = (-k * t).exp();
    let grown = 3.0 * ((1.0 - left) + (1.0 - left * (1.0 + k * t)) / k);
    let formula = reaction("stoichiometry as a formula").advance(t);
    formula.check(&[("A", 3.0 * left), ("B", grown)]);
    let left = (-2.0 * k * t).exp();
    let named = reaction("stoichiometries with identifiers").advance(t);
    named.check(&[("A", 3.0 * left), ("two", 2.0), ("many", 3.0)]);
    let left = (-10.0 * k * t).exp();
    let converted = reaction("conversion factors").advance(t);
    converted.check(&[("A", 3.0 * left), ("B", (3.0 - 3.0 * left) / 10.0)]);
}

#[test]
fn compartments_that_change_keep_amounts() {
    let reaction = |name| case(constructs::REACTIONS, name);
    let growing = reaction("a growing compartment thins what is in it").advance(2.0);
    let size = 2.0 * 0.2f64.exp();
    growing.check(&[("C", size), ("A", 6.0 * (-1.0f64).exp() / size)]);
    let resting = reaction("what does not react in a growing compartment").advance(2.0);
    resting.check(&[("C", 4.0), ("A", 1.5), ("B", 1.0), ("A_amount", 6.0)]);
    let two = reaction("two compartments").advance(2.0);
    let moved = 6.0 - 6.0 * (-1.0f64).exp();
    two.check(&[("A", (6.0 - moved) / 2.0), ("B", (0.1 + moved) / 0.1)]);
    let ruled = case(constructs::RULES, "a rate rule in a compartment that events change");
    let ruled = ruled.advance(1.0);
    ruled.check(&[("A", 6.0 * (-1.0f64).exp()), ("C", 2.1)]);
    let (before, after) = (ruled.value("A"), ruled.execute(0));
    after.check(&[("C", 5.0), ("A", before * 2.1 / 5.0)]);
}

#[test]
fn rules_follow_their_closed_forms() {
    let rule = |name| case(constructs::RULES, name);
    rule("assignment rules").advance(2.0).check(&[("A", 8.0), ("p", 4.0)]);
    let e = (-1.0f64).exp();
    rule("rate rules").advance(1.0).check(&[("A", 3.0 * e), ("p", e + 3.0 * e)]);
    let solved = rule("an algebraic rule for a parameter").advance(7.0);
    solved.check(&[("p", 4.0)]);
    let both = rule("algebraic rules that wait for each other").advance(2.0);
    both.check(&[("q", 1.0), ("p", 2.0)]);
    let left = 3.0 * (-0.5f64).exp();
    rule("a conserved total").advance(1.0).check(&[("A", left), ("B", 4.0 - left)]);
    let first = rule("initial assignments").advance(3.0);
    first.check(&[("A", 2.0), ("C", 4.0), ("q", 2.0), ("start", 2.0), ("x", 3.0)]);
    rule("an initial assignment of a species that reacts").check(&[("A", 4.0), ("A_amount", 8.0)]);
    rule("functions").advance(1e-9).check(&[("x", 1.0)]);
    rule("choices").advance(0.25).check(&[("x", 2.0)]);
    rule("functions of conditions as numbers").advance(0.1).check(&[("x", 1.55)]);
    rule("conditions as numbers and numbers as conditions").advance(0.2).check(&[("x", 1.8)]);
}

#[test]
fn rates_of_change_are_those_of_what_the_identifier_means() {
    let run = case(constructs::RULES, "rates of change").advance(1.0);
    let (amount, size) = (6.0 * (-0.5f64).exp(), 2.1);
    let a = amount / size;
    let flow = 0.5 * amount;
    run.check(&[
        ("A", a),
        ("p", (-flow - a * 0.1) / size),
        ("q", flow / 3.0),
        ("r", 3.0 * flow),
        ("s", 0.1),
    ]);
}

#[test]
fn events_set_what_identifiers_mean() {
    let event = |name| case(events::EVENTS, name);
    event("an event of level 2").execute(0).check(&[("x", 2.0)]);
    event("everything an event can have").execute(0).check(&[("x", 0.0), ("y", 1.0)]);
    let refilled = event("an event sets a concentration that reacts").advance(3.0).execute(0);
    refilled.check(&[("A", 3.0), ("A_amount", 6.0)]);
    let both = event("an event sets a concentration and its compartment").execute(0);
    // The amount is made of the size before the event.
    both.check(&[("A_amount", 6.0), ("C", 1.0), ("A", 6.0)]);
}

#[test]
fn every_level_and_version_that_is_read_computes_the_same() {
    let editions = (1..=5).map(|version| (2, version)).chain([(3, 1), (3, 2)]);
    for edition in editions {
        let lists = [
            (
                "Compartments",
                "<compartment id='C' spatialDimensions='3' size='2' constant='true'/>",
            ),
            (
                "Species",
                "<species id='A' compartment='C' initialConcentration='3' \
                 hasOnlySubstanceUnits='false' boundaryCondition='false' constant='false'/>",
            ),
            ("Parameters", "<parameter id='k' value='0.5' constant='true'/>"),
            (
                "Reactions",
                "<reaction id='R' reversible='false'><listOfReactants>\
                 <speciesReference species='A' stoichiometry='2' constant='true'/></listOfReactants>\
                 <kineticLaw>{{k*A*C}}</kineticLaw></reaction>",
            ),
        ];
        let run = Run::new(&write::document(edition, &write::network(&lists)));
        run.advance(1.0).check(&[("A", 3.0 * (-1.0f64).exp())]);
    }
}

#[test]
fn the_conversion_factor_of_the_model_holds_for_every_species_without_its_own() {
    let lists = [
        ("Species", "<species id='A' compartment='C' initialConcentration='3'/>"),
        ("Parameters", "<parameter id='f' value='4' constant='true'/>"),
        (
            "Reactions",
            "<reaction id='R'><listOfReactants><speciesReference species='A' stoichiometry='1'/>\
             </listOfReactants><kineticLaw>{{0.5*A*C}}</kineticLaw></reaction>",
        ),
    ];
    let text = write::document((3, 1), &write::network(&lists));
    let text = text.replace("<model id", "<model conversionFactor='f' id");
    Run::new(&text).advance(1.0).check(&[("A", 3.0 * (-2.0f64).exp())]);
}

#[test]
fn names_with_a_meaning_in_the_text_are_names_like_any_other() {
    let lists = [
        (
            "Parameters",
            "<parameter id='time' value='2'/><parameter id='sin' value='3' constant='false'/>",
        ),
        (
            "Rules",
            "<rateRule variable='sin'><math xmlns='http://www.w3.org/1998/Math/MathML'><apply>\
          <times/><ci>time</ci><ci>sin</ci></apply></math></rateRule>",
        ),
    ];
    let run = Run::new(&write::document((2, 4), &write::network(&lists)));
    run.advance(0.5).check(&[("sin", 3.0 * 1f64.exp())]);
}

#[test]
fn states_know_how_large_they_typically_are() {
    let lists = [
        (
            "Compartments",
            "<compartment id='C' size='1' constant='true'/><compartment id='D' size='2' constant='false'/>",
        ),
        (
            "Species",
            "<species id='A' compartment='C' initialConcentration='3e-9'/>\
             <species id='B' compartment='C' initialAmount='0'/>\
             <species id='N' compartment='D' initialAmount='0' hasOnlySubstanceUnits='true'/>\
             <species id='M' compartment='D' initialAmount='50' hasOnlySubstanceUnits='true'/>",
        ),
        (
            "Parameters",
            "<parameter id='d' value='1e-5' constant='true'/><parameter id='x' value='-4' constant='false'/>\
             <parameter id='y' value='0' constant='false'/>",
        ),
        ("InitialAssignments", "<initialAssignment symbol='C'>{{d^3}}</initialAssignment>"),
        (
            "Rules",
            "<rateRule variable='x'>{{1}}</rateRule><rateRule variable='y'>{{1}}</rateRule>\
             <rateRule variable='D'>{{1}}</rateRule>",
        ),
        (
            "Reactions",
            "<reaction id='R'><listOfReactants><speciesReference species='A' stoichiometry='1'/>\
             </listOfReactants><listOfProducts><speciesReference species='B' stoichiometry='1'/>\
             <speciesReference species='N' stoichiometry='1'/></listOfProducts>\
             <kineticLaw>{{A*C}}</kineticLaw></reaction>",
        ),
    ];
    let run = Run::new(&write::document((3, 1), &write::network(&lists)));
    let states = run.equations.states.iter();
    let mut found: Vec<(&str, f64)> =
        states.map(|state| (state.name.as_str(), state.nominal.unwrap_or(1.0))).collect();
    found.sort_by(|a, b| a.0.cmp(b.0));
    // A and B are amounts in a computed size; where the first value is zero its neighbors' counts.
    let expected =
        [("A_amount", 3e-24), ("B_amount", 3e-24), ("D", 2.0), ("N", 50.0), ("x", 4.0), ("y", 1.0)];
    for ((name, found), expected) in found.iter().zip(&expected) {
        let is_near = (found - expected.1).abs() <= 1e-9 * expected.1;
        assert!(*name == expected.0 && is_near, "{name}: {found}, not {expected:?}");
    }
    assert_eq!(found.len(), expected.len());
}
