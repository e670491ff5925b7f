//! Algebraic rules and fast reactions, against closed forms.

use crate::numbers::Run;
use crate::write;

/// A reaction `from -> to` of one each, in a compartment of size 2.
fn reaction(id: &str, [from, to]: [&str; 2], law: &str, fast: bool) -> String {
    let side = |list: &str, species: &str| match species {
        "" => String::new(),
        _ => format!(
            "<listOf{list}><speciesReference species='{species}' stoichiometry='1'/></listOf{list}>"
        ),
    };
    let (from, to) = (side("Reactants", from), side("Products", to));
    format!(
        "<reaction id='{id}' fast='{fast}'>{from}{to}<kineticLaw>{{{{{law}}}}}</kineticLaw></reaction>"
    )
}

fn run(lists: &[(&str, &str)]) -> Run {
    Run::new(&write::document((3, 1), &write::network(lists)))
}

const XY: &str = "<parameter id='x' value='0' constant='false'/>\
    <parameter id='y' value='0.3' constant='false'/>\
    <parameter id='p' value='10' constant='false'/><parameter id='q' value='1' constant='false'/>";

#[test]
fn a_rule_that_is_not_linear_holds_at_every_instant() {
    // The angle grows as time: y stays on the upper half of the circle, then the slope is infinite.
    let rules = "<rateRule variable='x'>{{cos(time)}}</rateRule>\
        <algebraicRule>{{x*x + y*y - 1}}</algebraicRule>";
    let circle = run(&[("Parameters", XY), ("Rules", rules)]);
    circle.check(&[("y", 1.0)]);
    circle.advance(1.4).check(&[("x", 1.4f64.sin()), ("y", 1.4f64.cos())]);
}

#[test]
fn rules_are_solved_together_and_through_assigned_quantities() {
    // p + q = 5 + time, p*q = 6: roots of z^2 - (5+t) z + 6.
    let rules = "<rateRule variable='x'>{{1}}</rateRule><assignmentRule variable='y'>{{p*q}}</assignmentRule>\
        <algebraicRule>{{p + q - 5 - x}}</algebraicRule><algebraicRule>{{y - 6}}</algebraicRule>";
    let both = run(&[("Parameters", XY), ("Rules", rules)]);
    both.check(&[("p", 3.0), ("q", 2.0)]);
    let root = |t: f64, sign: f64| f64::midpoint(5.0 + t, sign * ((5.0 + t).powi(2) - 24.0).sqrt());
    both.advance(2.0).check(&[("p", root(2.0, 1.0)), ("q", root(2.0, -1.0)), ("y", 6.0)]);
}

#[test]
fn a_solution_is_found_where_the_slope_is_zero_at_first() {
    let rules = "<algebraicRule>{{x*x - 4}}</algebraicRule>";
    run(&[("Parameters", XY), ("Rules", rules)]).check(&[("x", 2.0)]);
    let rules = "<algebraicRule>{{exp(x) - 1e6}}</algebraicRule>";
    run(&[("Parameters", XY), ("Rules", rules)]).check(&[("x", 1e6f64.ln())]);
}

const AB: &str = "<species id='A' compartment='C' initialConcentration='3'/>\
    <species id='B' compartment='C' initialAmount='0'/>";
const K: &str = "<parameter id='k' value='0.5'/>";

#[test]
fn a_fast_reaction_is_in_equilibrium_while_slow_ones_drain_it() {
    // A = 2 B at every instant; the total falls with k*B*C, so at a rate of k/3 of the total.
    let reactions = reaction("F", ["A", "B"], "100*(A - 2*B)", true)
        + &reaction("D", ["B", ""], "k*B*C", false);
    let drained = run(&[("Species", AB), ("Parameters", K), ("Reactions", &reactions)]);
    drained.check(&[("A", 2.0), ("B", 1.0)]);
    let total = 3.0 * (-0.5f64 * 4.0 / 3.0).exp();
    drained.advance(4.0).check(&[("A", 2.0 * total / 3.0), ("B", total / 3.0), ("F", 0.0)]);
}

#[test]
fn fast_reactions_that_are_not_linear_conserve_what_slow_ones_do_not_move() {
    // A + B <-> D with A*B = D; A and B start with 2 and 2 (as concentrations), D with 0.
    let species = "<species id='A' compartment='C' initialConcentration='2'/>\
        <species id='B' compartment='C' initialConcentration='2'/>\
        <species id='D' compartment='C' initialConcentration='0'/>";
    let fast = "<reaction id='F' fast='true'><listOfReactants>\
        <speciesReference species='A' stoichiometry='1'/><speciesReference species='B' stoichiometry='1'/>\
        </listOfReactants><listOfProducts><speciesReference species='D' stoichiometry='1'/></listOfProducts>\
        <kineticLaw>{{A*B - D}}</kineticLaw></reaction>";
    let reactions = fast.to_owned() + &reaction("S", ["", "A"], "k*C", false);
    let bound = run(&[("Species", species), ("Parameters", K), ("Reactions", &reactions)]);
    bound.check(&[("A", 1.0), ("B", 1.0), ("D", 1.0)]);
    // With totals a and b: B = b - D, A = a - D, (a-D)(b-D) = D.
    let (a, b) = (2.0 + 0.5 * 3.0, 2.0f64);
    let d = f64::midpoint(a + b + 1.0, -((a + b + 1.0f64).powi(2) - 4.0 * a * b).sqrt());
    bound.advance(3.0).check(&[("A", a - d), ("B", b - d), ("D", d)]);
}

#[test]
fn an_event_disturbs_the_equilibrium_and_what_was_moved_stays() {
    let reactions = reaction("F", ["A", "B"], "A - 2*B", true);
    let events = "<event><trigger>{{time > 1}}</trigger><listOfEventAssignments>\
        <eventAssignment variable='A'>{{A + 6}}</eventAssignment></listOfEventAssignments></event>";
    let lists = [("Species", AB), ("Reactions", &reactions[..]), ("Events", events)];
    let after = run(&lists).execute(0);
    after.check(&[("A", 6.0), ("B", 3.0)]);
    // The event that looks anew finds what is there already.
    after.execute(1).check(&[("A", 6.0), ("B", 3.0)]);
}

#[test]
fn a_rule_without_a_solution_gives_no_number() {
    let rules = "<algebraicRule>{{x*x + 1}}</algebraicRule>";
    let none = run(&[("Parameters", XY), ("Rules", rules)]);
    assert!(none.value("x_near").is_nan());
}

#[test]
fn an_equilibrium_that_is_left_at_the_least_disturbance_is_none() {
    let species = "<species id='A' compartment='C' initialConcentration='3'/>\
        <species id='B' compartment='C' initialConcentration='3'/>";
    let k = "<parameter id='k' value='1' constant='false'/>";
    let reactions = reaction("F", ["A", "B"], "k*A*B", true);
    let events = "<event><trigger>{{time > 1}}</trigger><listOfEventAssignments>\
        <eventAssignment variable='k'>{{-1}}</eventAssignment></listOfEventAssignments></event>";
    let lists =
        [("Species", species), ("Parameters", k), ("Reactions", &reactions), ("Events", events)];
    let before = run(&lists);
    before.check(&[("A", 0.0), ("B", 6.0)]);
    assert!(before.execute(0).execute(1).value("F_extent").is_nan());
}
