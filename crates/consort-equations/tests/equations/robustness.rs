//! No text makes the reader, the checks or the programs panic.

use consort_equations::fuzz;
use consort_testkit::fuzz::drive;

#[test]
fn damaged_models_do_not_panic() {
    drive("equations", fuzz::model, 4000);
}

#[test]
fn deep_and_long_texts_are_read_to_an_end() {
    let deep = |open: &str, close: &str, n: usize| {
        format!("model m\nvariable a = {}1{}\nend", open.repeat(n), close.repeat(n))
    };
    for text in [
        deep("(", ")", 100_000),
        deep("-", "", 100_000),
        deep("not ", "", 100_000),
        deep("abs(", ")", 120),
        deep("if true then ", " else 2", 100_000),
        deep("2^", "", 100_000),
        deep("", "/2", 100_000),
        deep("", " + 2", 100_000),
        deep("", " * 2", 100_000),
        deep("true implies ", "", 100_000),
    ] {
        fuzz::model(text.as_bytes());
    }
}

#[test]
fn long_chains_of_functions_and_variables_are_read_to_an_end() {
    let mut functions = String::from("model m\nfunction f0(x) = x + 1\n");
    let mut doubling = String::from("model m\nfunction f0(x) = x + 1\n");
    let mut variables = String::from("model m\nstate v0 = 1\nder(v0) = v20000\n");
    for n in 1..=400 {
        functions += &format!("function f{n}(x) = f{}(x)\n", n - 1);
        doubling += &format!("function f{n}(x) = f{0}(x + 1) + f{0}(x + 2)\n", n - 1);
    }
    for n in 1..=20_000 {
        variables += &format!("variable v{n} = v{}*2\n", n - 1);
    }
    for (text, last) in [(functions, "f400(1)"), (doubling, "f60(time)"), (variables, "0")] {
        fuzz::model(format!("{text}variable last = {last}\nend").as_bytes());
    }
}
