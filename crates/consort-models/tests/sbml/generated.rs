//! Networks too large to write by hand: stiff, with as many species as the models of cells that people
//! publish.

use crate::cases::{Case, case};
use consort_core::Prng;
use std::fmt::Write as _;

/// All of them.
pub(crate) fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for stages in [8, 24] {
        let name = format!("signal through {stages} stages of two phosphorylations");
        all.push(made(name, &cascade(stages), 40.0));
    }
    for species in [40, 160] {
        let name = format!("mass action among {species} species");
        all.push(made(name, &mass_action(species), 10.0));
    }
    all
}

fn made(name: String, text: &str, end: f64) -> Case {
    let (name, text) = (name.into(), text.to_owned().into());
    Case { name, text, is_network: true, ..case("", "", end, &[]) }
}

/// Each stage's double phosphorylated form is the enzyme of the next; the last one inhibits the first.
fn cascade(stages: usize) -> String {
    let mut text = String::from("compartment C = 1\n");
    for stage in 0..stages {
        for (form, value) in [("a", 1.0), ("b", 0.1), ("c", 0.1)] {
            let _ = writeln!(text, "species {form}{stage} in C = {value}");
        }
    }
    for stage in 0..stages {
        let enzyme = match stage {
            0 => format!("(0.2 + 1/(1 + c{}/0.3))", stages - 1),
            _ => format!("c{}", stage - 1),
        };
        for (from, to) in [("a", "b"), ("b", "c")] {
            let (from, to) = (format!("{from}{stage}"), format!("{to}{stage}"));
            let _ = writeln!(
                text,
                "reaction f{from}: {from} -> {to} : C*20*{enzyme}*{from}/(0.1 + {from})\n\
                 reaction b{from}: {to} -> {from} : C*3*{to}/(0.2 + {to})"
            );
        }
    }
    text
}

/// Each species binds with two others, at rates over four decades, and falls apart again.
fn mass_action(species: usize) -> String {
    let mut prng = Prng::new(5);
    let mut text = String::from("compartment C = 1\n");
    for index in 0..species {
        let _ = writeln!(text, "species s{index} in C = {}", 0.1 + prng.next_f64());
    }
    for index in 0..2 * species {
        let other = |prng: &mut Prng| prng.below(species as u64);
        let (a, b, to) = (index % species, other(&mut prng), other(&mut prng));
        let rate = libm::pow(10.0, 4.0 * prng.next_f64() - 2.0);
        let _ = writeln!(
            text,
            "reaction r{index}: s{a} + s{b} -> s{to} : C*{rate}*s{a}*s{b}\n\
             reaction q{index}: s{to} -> s{a} + s{b} : C*{}*s{to}",
            0.3 * rate
        );
    }
    text
}
