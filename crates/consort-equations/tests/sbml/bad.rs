//! Every mistake a model can have, and what is said about it.

use crate::write;
use consort_core::Report;
use consort_equations::{compile, sbml};
use consort_testkit::render;
use std::fmt::Write as _;

/// Whole texts.
const TEXTS: &[(&str, &str)] = &[
    ("not XML", "model"),
    ("empty", ""),
    ("cut off", "<sbml level='2' version='4'><model>"),
    ("entities", "<!DOCTYPE a [<!ENTITY b 'c'>]><sbml/>"),
    ("an entity of its own", "<sbml level='2' version='4'>&b;</sbml>"),
    ("another format", "<fmiModelDescription/>"),
    ("no level", "<sbml version='1'/>"),
    (
        "level 1",
        "<sbml xmlns='http://www.sbml.org/sbml/level1' level='1' version='2'><model/></sbml>",
    ),
    ("level 4", "<sbml level='4' version='1'><model/></sbml>"),
    ("no model", "<sbml level='2' version='4'/>"),
    (
        "a package that is required",
        "<sbml level='3' version='1' xmlns:comp=\
      'http://www.sbml.org/sbml/level3/version1/comp/version1' comp:required='true'><model/></sbml>",
    ),
];

type Lists = &'static [(&'static str, &'static str)];

/// Lists of a model of level 3 version 1.
const MODELS: &[(&str, Lists)] = &[
    ("unknown list", &[("Specie", "")]),
    ("unknown element", &[("Parameters", "<paramter id='a'/>")]),
    ("unknown attribute", &[("Parameters", "<parameter id='a' valu='1'/>")]),
    ("no id", &[("Parameters", "<parameter value='1'/>")]),
    ("two of one name", &[("Parameters", "<parameter id='C' value='1'/>")]),
    ("not a number", &[("Parameters", "<parameter id='a' value='one'/>")]),
    ("not a flag", &[("Parameters", "<parameter id='a' value='1' constant='no'/>")]),
    (
        "dimensions that are no number",
        &[("Compartments", "<compartment id='D' size='1' spatialDimensions='flat'/>")],
    ),
    ("no value", &[("Parameters", "<parameter id='a'/>")]),
    ("no such compartment", &[("Species", "<species id='A' compartment='c' initialAmount='1'/>")]),
    (
        "two initial values",
        &[(
            "Species",
            "<species id='A' compartment='C' initialAmount='1' initialConcentration='1'/>",
        )],
    ),
    (
        "a conversion factor that is none",
        &[("Species", "<species id='A' compartment='C' initialAmount='1' conversionFactor='C'/>")],
    ),
    ("unknown name in a formula", &[P, ("Rules", "<rateRule variable='p'>{{pp}}</rateRule>")]),
    ("unknown function", &[P, ("Rules", "<rateRule variable='p'>{{f(p)}}</rateRule>")]),
    ("a quantity called", &[P, ("Rules", "<rateRule variable='p'>{{p(1)}}</rateRule>")]),
    (
        "an event has no value",
        &[
            P,
            ("Rules", "<rateRule variable='p'>{{E}}</rateRule>"),
            ("Events", "<event id='E'><trigger>{{time > 1}}</trigger></event>"),
        ],
    ),
    (
        "wrong number of arguments",
        &[
            P,
            (
                "Rules",
                "<rateRule variable='p'>\
      <math xmlns='http://www.w3.org/1998/Math/MathML'><apply><divide/><cn>1</cn></apply></math></rateRule>",
            ),
        ],
    ),
    (
        "not in SBML's part of MathML",
        &[
            P,
            (
                "Rules",
                "<rateRule variable='p'>\
      <math xmlns='http://www.w3.org/1998/Math/MathML'><apply><int/><cn>1</cn></apply></math></rateRule>",
            ),
        ],
    ),
    (
        "a stray base",
        &[
            P,
            (
                "Rules",
                "<rateRule variable='p'><math xmlns='http://www.w3.org/1998/Math/MathML'>\
      <apply><sin/><logbase><cn>1</cn></logbase><cn>1</cn></apply></math></rateRule>",
            ),
        ],
    ),
    (
        "nothing applied",
        &[
            P,
            (
                "Rules",
                "<rateRule variable='p'>\
      <math xmlns='http://www.w3.org/1998/Math/MathML'><apply/></math></rateRule>",
            ),
        ],
    ),
    (
        "an empty formula",
        &[
            P,
            (
                "Rules",
                "<rateRule variable='p'>\
      <math xmlns='http://www.w3.org/1998/Math/MathML'/></rateRule>",
            ),
        ],
    ),
    ("a formula that is not MathML", &[P, ("Rules", "<rateRule variable='p'><math/></rateRule>")]),
    ("no formula", &[P, ("Rules", "<rateRule variable='p'/>")]),
    (
        "a number that is none",
        &[
            P,
            (
                "Rules",
                "<rateRule variable='p'>\
      <math xmlns='http://www.w3.org/1998/Math/MathML'><cn type='rational'>1</cn></math></rateRule>",
            ),
        ],
    ),
    (
        "a broken choice",
        &[
            P,
            (
                "Rules",
                "<rateRule variable='p'><math xmlns='http://www.w3.org/1998/Math/MathML'>\
      <piecewise><piece><cn>1</cn></piece></piecewise></math></rateRule>",
            ),
        ],
    ),
    (
        "an unknown symbol",
        &[
            P,
            (
                "Rules",
                "<rateRule variable='p'><math xmlns='http://www.w3.org/1998/Math/MathML'>\
      <csymbol definitionURL='http://www.sbml.org/sbml/symbols/normal'>n</csymbol></math></rateRule>",
            ),
        ],
    ),
    (
        "the rate of a formula",
        &[
            P,
            (
                "Rules",
                "<rateRule variable='p'><math xmlns='http://www.w3.org/1998/Math/MathML'>\
      <apply><csymbol definitionURL='http://www.sbml.org/sbml/symbols/rateOf'>r</csymbol><cn>1</cn></apply></math></rateRule>",
            ),
        ],
    ),
    (
        "the rate of what is assigned",
        &[
            P,
            (
                "Rules",
                "<assignmentRule variable='p'>{{time}}</assignmentRule>\
      <rateRule variable='q'>{{der(p)}}</rateRule>",
            ),
        ],
    ),
    (
        "a function of the outside",
        &[
            P,
            (
                "FunctionDefinitions",
                "<functionDefinition id='f'>\
      <math xmlns='http://www.w3.org/1998/Math/MathML'><lambda><ci>p</ci></lambda></math></functionDefinition>",
            ),
        ],
    ),
    (
        "a function without lambda",
        &[("FunctionDefinitions", "<functionDefinition id='f'>{{1}}</functionDefinition>")],
    ),
    (
        "a function without a value",
        &[(
            "FunctionDefinitions",
            "<functionDefinition id='f'>\
      <math xmlns='http://www.w3.org/1998/Math/MathML'><lambda><bvar><ci>x</ci></bvar></lambda></math></functionDefinition>",
        )],
    ),
    ("a rule for a constant", &[("Rules", "<rateRule variable='C'>{{1}}</rateRule>")]),
    ("a rule for nothing", &[("Rules", "<rateRule variable='x'>{{1}}</rateRule>")]),
    (
        "two rules",
        &[
            P,
            (
                "Rules",
                "<rateRule variable='p'>{{1}}</rateRule>\
      <assignmentRule variable='p'>{{1}}</assignmentRule>",
            ),
        ],
    ),
    (
        "a rule and an initial assignment",
        &[
            P,
            ("Rules", "<assignmentRule variable='p'>{{1}}</assignmentRule>"),
            ("InitialAssignments", "<initialAssignment symbol='p'>{{1}}</initialAssignment>"),
        ],
    ),
    (
        "two initial assignments",
        &[
            P,
            (
                "InitialAssignments",
                "<initialAssignment symbol='p'>{{1}}</initialAssignment>\
      <initialAssignment symbol='p'>{{2}}</initialAssignment>",
            ),
        ],
    ),
    (
        "an algebraic rule that leaves a choice",
        &[P, ("Rules", "<algebraicRule>{{p - q}}</algebraicRule>")],
    ),
    (
        "an algebraic rule that leaves a choice between a boundary and another",
        &[
            (
                "Species",
                "<species id='A' compartment='C' initialAmount='1'/>\
                 <species id='B' compartment='C' initialAmount='1' boundaryCondition='true'/>",
            ),
            ("Rules", "<algebraicRule>{{A - B}}</algebraicRule>"),
        ],
    ),
    ("an algebraic rule of constants", &[("Rules", "<algebraicRule>{{C}}</algebraicRule>")]),
    (
        "more algebraic rules than quantities",
        &[
            P,
            (
                "Rules",
                "<algebraicRule>{{p*p - 2}}</algebraicRule><algebraicRule>{{exp(p) - 2}}</algebraicRule>",
            ),
        ],
    ),
    (
        "too many algebraic rules at once",
        &[
            (
                "Parameters",
                "<parameter id='a' constant='false'/><parameter id='b' constant='false'/>\
                 <parameter id='c' constant='false'/><parameter id='d' constant='false'/>\
                 <parameter id='e' constant='false'/><parameter id='f' constant='false'/>\
                 <parameter id='g' constant='false'/>",
            ),
            (
                "Rules",
                "<algebraicRule>{{a*a - b}}</algebraicRule><algebraicRule>{{b*b - c}}</algebraicRule>\
                 <algebraicRule>{{c*c - d}}</algebraicRule><algebraicRule>{{d*d - e}}</algebraicRule>\
                 <algebraicRule>{{e*e - f}}</algebraicRule><algebraicRule>{{f*f - g}}</algebraicRule>\
                 <algebraicRule>{{g*g - 2*a}}</algebraicRule>",
            ),
        ],
    ),
    (
        "the rate of what an algebraic rule determines",
        &[
            P,
            (
                "Rules",
                "<algebraicRule>{{p*p - 2 - time}}</algebraicRule>\
                 <assignmentRule variable='q'>{{der(p)}}</assignmentRule>",
            ),
        ],
    ),
    (
        "a fast reaction with a stoichiometry that changes",
        &[
            A,
            ("Rules", "<rateRule variable='n'>{{1}}</rateRule>"),
            (
                "Reactions",
                "<reaction id='R' fast='true'><listOfReactants><speciesReference id='n' species='A' \
                 constant='false'/></listOfReactants><kineticLaw>{{A}}</kineticLaw></reaction>",
            ),
        ],
    ),
    (
        "a fast reaction twice",
        &[
            ("Species", AB),
            (
                "Reactions",
                "<reaction id='R' fast='true'><listOfReactants><speciesReference species='A' stoichiometry='1'/>\
                 </listOfReactants><listOfProducts><speciesReference species='B' stoichiometry='1'/>\
                 </listOfProducts><kineticLaw>{{A - B}}</kineticLaw></reaction>\
                 <reaction id='Q' fast='true'><listOfReactants><speciesReference species='B' stoichiometry='2'/>\
                 </listOfReactants><listOfProducts><speciesReference species='A' stoichiometry='2'/>\
                 </listOfProducts><kineticLaw>{{B - A}}</kineticLaw></reaction>",
            ),
        ],
    ),
    (
        "the rate of what a fast reaction moves",
        &[
            ("Species", AB),
            P,
            ("Rules", "<assignmentRule variable='p'>{{der(A)}}</assignmentRule>"),
            ("Reactions", FAST),
        ],
    ),
    (
        "functions that look back and call each other",
        &[
            (
                "FunctionDefinitions",
                "<functionDefinition id='f'><math xmlns='http://www.w3.org/1998/Math/MathML'><lambda>\
                 <bvar><ci>x</ci></bvar><apply><plus/><apply><ci>g</ci><ci>x</ci></apply><apply>\
                 <csymbol encoding='text' definitionURL='http://www.sbml.org/sbml/symbols/delay'>d</csymbol>\
                 <ci>x</ci><cn>1</cn></apply></apply></lambda></math></functionDefinition>\
                 <functionDefinition id='g'><math xmlns='http://www.w3.org/1998/Math/MathML'><lambda>\
                 <bvar><ci>x</ci></bvar><apply><ci>f</ci><ci>x</ci></apply></lambda></math></functionDefinition>",
            ),
            P,
            ("Rules", "<assignmentRule variable='p'>{{f(time)}}</assignmentRule>"),
        ],
    ),
    (
        "no such species",
        &[
            A,
            (
                "Reactions",
                "<reaction id='R'><listOfReactants><speciesReference species='a'/>\
      </listOfReactants><kineticLaw>{{A}}</kineticLaw></reaction>",
            ),
        ],
    ),
    (
        "no such modifier",
        &[
            A,
            (
                "Reactions",
                "<reaction id='R'><listOfModifiers>\
      <modifierSpeciesReference species='C'/></listOfModifiers><kineticLaw>{{A}}</kineticLaw></reaction>",
            ),
        ],
    ),
    (
        "no kinetic law",
        &[
            A,
            (
                "Reactions",
                "<reaction id='R'><listOfReactants>\
      <speciesReference species='A' stoichiometry='1'/></listOfReactants></reaction>",
            ),
        ],
    ),
    (
        "a missing stoichiometry",
        &[
            A,
            (
                "Reactions",
                "<reaction id='R'><listOfReactants>\
      <speciesReference species='A'/></listOfReactants><kineticLaw>{{A}}</kineticLaw></reaction>",
            ),
        ],
    ),
    (
        "a constant that reacts",
        &[
            ("Species", "<species id='A' compartment='C' initialAmount='1' constant='true'/>"),
            ("Reactions", USES_A),
        ],
    ),
    (
        "a rule and a reaction",
        &[A, ("Rules", "<rateRule variable='A'>{{1}}</rateRule>"), ("Reactions", USES_A)],
    ),
    (
        "two local parameters",
        &[
            A,
            (
                "Reactions",
                "<reaction id='R'><kineticLaw>{{A}}<listOfLocalParameters>\
      <localParameter id='k' value='1'/><localParameter id='k' value='2'/></listOfLocalParameters></kineticLaw></reaction>",
            ),
        ],
    ),
    (
        "an unknown part of a reaction",
        &[A, ("Reactions", "<reaction id='R'><listOfReactant/></reaction>")],
    ),
    ("an event without trigger", &[P, ("Events", "<event id='E'/>")]),
    (
        "an event on a constant",
        &[(
            "Events",
            "<event><trigger>{{time > 1}}</trigger><listOfEventAssignments>\
      <eventAssignment variable='C'>{{1}}</eventAssignment></listOfEventAssignments></event>",
        )],
    ),
    (
        "an event on what is assigned",
        &[
            P,
            ("Rules", "<assignmentRule variable='p'>{{1}}</assignmentRule>"),
            (
                "Events",
                "<event><trigger>{{time > 1}}</trigger><listOfEventAssignments>\
      <eventAssignment variable='p'>{{1}}</eventAssignment></listOfEventAssignments></event>",
            ),
        ],
    ),
    (
        "an event that assigns twice",
        &[
            P,
            (
                "Events",
                "<event><trigger>{{time > 1}}</trigger><listOfEventAssignments>\
      <eventAssignment variable='p'>{{1}}</eventAssignment><eventAssignment variable='p'>{{2}}</eventAssignment>\
      </listOfEventAssignments></event>",
            ),
        ],
    ),
];

const P: (&str, &str) = (
    "Parameters",
    "<parameter id='p' value='1' constant='false'/><parameter id='q' value='1' constant='false'/>",
);
const A: (&str, &str) = ("Species", "<species id='A' compartment='C' initialAmount='1'/>");
const AB: &str = "<species id='A' compartment='C' initialAmount='1'/>\
    <species id='B' compartment='C' initialAmount='1'/>";
const FAST: &str = "<reaction id='R' fast='true'><listOfReactants>\
    <speciesReference species='A' stoichiometry='1'/></listOfReactants><listOfProducts>\
    <speciesReference species='B' stoichiometry='1'/></listOfProducts>\
    <kineticLaw>{{A - B}}</kineticLaw></reaction>";
const USES_A: &str = "<reaction id='R'><listOfReactants><speciesReference species='A' stoichiometry='1'/>\
    </listOfReactants><kineticLaw>{{A}}</kineticLaw></reaction>";

/// Everything that is said about a text.
fn findings(text: &str) -> String {
    let mut report = Report::default();
    let model = sbml::read_sbml("m.xml", text, &mut report);
    let model = model.and_then(|model| compile(&model, &mut report));
    assert_eq!(model.is_none(), report.has_errors(), "refused for a reason: {text}");
    assert!(!report.diagnostics().is_empty(), "something is said: {text}");
    render::assert_helpful(&report);
    let verdict = if model.is_some() { "read" } else { "refused" };
    format!("{}({verdict})\n", render::report(&report))
}

#[test]
fn every_mistake_is_named_with_its_place_and_a_help() {
    let mut all = String::new();
    for (name, text) in TEXTS {
        let _ = writeln!(all, "## {name}\n{}", findings(text));
    }
    for (name, lists) in MODELS {
        let text = write::document((3, 1), &write::network(lists));
        let _ = writeln!(all, "## {name}\n{}", findings(&text));
    }
    insta::assert_snapshot!("bad", all);
}

#[test]
fn a_package_that_changes_nothing_is_left_out() {
    let text = "<sbml level='3' version='1' xmlns:layout=\
      'http://www.sbml.org/sbml/level3/version1/layout/version1' layout:required='false'><model/></sbml>";
    insta::assert_snapshot!(findings(text), @r#"
    note[sbml::package] the package `layout` is left out
        at m.xml 1:101 "layout:required='false'": not read
      help it is declared as not required, so it does not change the meaning of the model
    (read)
    "#);
}

#[test]
fn a_mistake_repeated_a_thousandfold_is_reported_fifty_times() {
    let many = "<parameter value='1'/>".repeat(1000);
    let text = write::document((3, 1), &write::network(&[("Parameters", &many)]));
    let mut report = Report::default();
    assert!(sbml::read_sbml("m.xml", &text, &mut report).is_none());
    assert_eq!(report.error_count(), 50);
    let last = report.diagnostics().last().map(|note| note.message.as_str());
    assert_eq!(last, Some("and 950 more like this"));
}
