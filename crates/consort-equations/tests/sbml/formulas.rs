//! MathML: every operator, every way to write a number.

use crate::{print, write};
use consort_core::Report;
use consort_equations::{Builtin, sbml};
use consort_testkit::render;

/// What the right side of `p = ...` is read as.
fn read(math: &str) -> String {
    let model = format!(
        "<listOfFunctionDefinitions><functionDefinition id='f'>{}</functionDefinition>\
         </listOfFunctionDefinitions><listOfParameters><parameter id='x'  value='1'/>\
         <parameter id='p' constant='false'/></listOfParameters>\
         <listOfRules><assignmentRule variable='p'>{math}</assignmentRule></listOfRules>",
        wrapped("<lambda><bvar><ci>y</ci></bvar><ci>y</ci></lambda>"),
    );
    let mut report = Report::default();
    let model = sbml::read_sbml("m.xml", &write::document((3, 2), &model), &mut report);
    let model = model.unwrap_or_else(|| panic!("{math}: {}", render::report(&report)));
    let found = model.declarations.iter().find(|found| found.name.text == "p");
    print::expression(found.and_then(|found| found.value.as_ref()).expect("a definition"))
}

fn wrapped(inside: &str) -> String {
    format!("<math xmlns='http://www.w3.org/1998/Math/MathML'>{inside}</math>")
}

#[track_caller]
fn check(inside: &str, expected: &str) {
    assert_eq!(read(&wrapped(inside)), expected, "{inside}");
}

#[test]
fn every_builtin_that_mathml_has_is_read_as_itself() {
    // `atan2` and `sign` are not of MathML; `power` as a function is the operator; the text makes
    // a sum of a difference, which is checked below.
    let is_foreign = |builtin: &&Builtin| {
        matches!(
            builtin,
            Builtin::Atan2 | Builtin::Sign | Builtin::Pow | Builtin::Negate | Builtin::Subtract
        )
    };
    let all = Builtin::ALL.iter().filter(|builtin| !is_foreign(builtin));
    for builtin in all {
        let arity = builtin.arity();
        let count = arity.min.max(if arity.max.is_none() { 2 } else { 1 });
        let is_logic = (Builtin::And..=Builtin::Implies).contains(builtin);
        let name = builtin.name();
        let arguments: Vec<&str> = vec![if is_logic { "(x < 2)" } else { "x" }; count];
        let (formula, expected) = match builtin {
            Builtin::Not => ("not (x < 2)".to_owned(), "not((x < 2))".to_owned()),
            _ if *builtin < Builtin::Exp => {
                let joined = arguments.join(&format!(" {name} "));
                (joined.clone(), format!("({joined})"))
            }
            _ => {
                let call = format!("{name}({})", arguments.join(", "));
                (call.clone(), call)
            }
        };
        assert_eq!(read(&write::formulas(&format!("{{{{{formula}}}}}"))), expected, "{formula}");
    }
}

#[test]
fn numbers_are_read_as_they_are_written() {
    check("<cn>1.5</cn>", "1.5");
    check("<cn> -2e-3 </cn>", "-0.002");
    check("<cn type='real'>.5</cn>", "0.5");
    check("<cn type='integer'> 7 </cn>", "7");
    check("<cn type='e-notation'> 1.1 <sep/> -3 </cn>", "0.0011");
    check("<cn type='rational'> 3 <sep/> 4 </cn>", "0.75");
    check("<cn xmlns:s='http://www.sbml.org/sbml/level3/version2/core' s:units='mole'>2</cn>", "2");
    check("<pi/>", &std::f64::consts::PI.to_string());
    check("<exponentiale/>", &std::f64::consts::E.to_string());
    check("<infinity/>", "inf");
    check("<notanumber/>", "NaN");
    check("<true/>", "true");
}

#[test]
fn symbols_mean_what_their_address_says() {
    let symbol = |name: &str| {
        format!("<csymbol definitionURL='http://www.sbml.org/sbml/symbols/{name}'> t </csymbol>")
    };
    check(&symbol("time"), "time");
    check(&symbol("avogadro"), &6.022_141_79e23f64.to_string());
    let delay = symbol("delay");
    check(&format!("<apply>{delay}<ci>x</ci><cn>2</cn></apply>"), "x");
    check(&format!("<apply>{}<ci>x</ci></apply>", symbol("rateOf")), "0");
}

#[test]
fn special_forms_are_read() {
    check("<apply><minus/><ci>x</ci></apply>", "-x");
    check("<apply><minus/><ci>x</ci><cn>2</cn></apply>", "(x - 2)");
    check("<apply><plus/></apply>", "+()");
    check("<apply><times/><ci>x</ci></apply>", "*(x)");
    check("<apply><plus/><ci>x</ci><cn>1</cn><cn>2</cn></apply>", "(x + 1 + 2)");
    check("<apply><log/><ci>x</ci></apply>", "log10(x)");
    check("<apply><log/><logbase><cn>2</cn></logbase><ci>x</ci></apply>", "log(2, x)");
    check("<apply><root/><ci>x</ci></apply>", "sqrt(x)");
    check("<apply><root/><degree><cn>3</cn></degree><ci>x</ci></apply>", "root(3, x)");
    check("<apply><not/><ci>x</ci></apply>", "not(x)");
    check("<apply><ci>f</ci><ci>x</ci></apply>", "f(x)");
    check("<semantics><ci>x</ci><annotation>why</annotation></semantics>", "x");
    check("<ci> x <!-- spaces --></ci>", "x");
    check("<piecewise><otherwise><cn>1</cn></otherwise></piecewise>", "1");
    let piece = "<piece><cn>1</cn><apply><lt/><ci>x</ci><cn>1</cn><cn>2</cn></apply></piece>";
    check(&format!("<piecewise>{piece}</piecewise>"), "(if (x < 1 < 2) then 1 else NaN)");
}
