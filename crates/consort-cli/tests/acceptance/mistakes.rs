//! Forty mistakes that people make, and the messages they get: what is wrong, where, and what to do.

use crate::bad_inputs::GOOD;
use crate::world::{NEVER_SAID, World, filters};

/// The same with its connection as text.
const AS_TEXT: &str = "connections = [\"source.y -> gain.u\"]\n[experiment]\nstop = 1\nstep = 0.1\n\
                       [components.source]\nmodel = \"native:sine\"\n\
                       [components.gain]\nmodel = \"native:gain\"\n";

/// Equations without mistakes.
const EQUATIONS: &str = "model ball\n  parameter rate = 2\n  state x = 1\n  output y = sin(x)\n\
                         der(x) = -rate * x\nend\n";

/// The interface of a program.
const PROGRAM: &str = "command = [\"./model\"]\n[outputs]\ny = {}\n";

/// A mistake: its name, what stands in place of what in a file, and what is typed.
struct Mistake {
    name: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
    typed: &'static [&'static str],
}

const RUN: &[&str] = &["run", "s"];

/// A mistake in `system.toml`.
const fn system(name: &'static str, from: &'static str, to: &'static str) -> Mistake {
    Mistake { name, file: "s/system.toml", from, to, typed: RUN }
}

/// A mistake in a file of equations.
const fn equations(name: &'static str, from: &'static str, to: &'static str) -> Mistake {
    Mistake { name, file: "ball.eq", from, to, typed: &["run", "ball.eq"] }
}

/// A mistake on the command line.
const fn typed(name: &'static str, typed: &'static [&'static str]) -> Mistake {
    Mistake { name, file: "s/system.toml", from: "", to: "", typed }
}

const MISTAKES: [Mistake; 40] = [
    system(
        "an unknown key and three other mistakes",
        GOOD,
        "[experiment]\nstop = 1\nstepp = 0.1\n[components.source]\nmodel = \"native:sinus\"\n\
         [components.gain]\nmodel = \"native:gain\"\nparameters = { q = 2 }\n\
         [[connections]]\nfrom = \"source.z\"\nto = \"gian.u\"\n",
    ),
    system("a block without its prefix", "native:sine", "sine"),
    system("a block that does not exist", "native:sine", "native:sinus"),
    system("a prefix that is almost right", "native:sine", "natve:sine"),
    system("a prefix of something else", "native:sine", "http://example.org/sine.fmu"),
    system("a Windows path", "native:sine", r"C:\Users\me\tank.fmu"),
    system("a Windows path whose letters are escapes", "native:sine", r"models\tank.fmu"),
    system("a decimal comma", "step = 0.1", "step = 0,1"),
    system("a decimal comma in a list of values", "k = 2", "k = 0,5"),
    system("`[connections]`", "[[connections]]", "[connections]"),
    system("`[component.NAME]`", "[components.source]", "[component.source]"),
    system("`[[components]]`", "[components.source]", "[[components]]"),
    system("a component given twice", "[components.gain]", "[components.source]"),
    system("a connection as text", GOOD, AS_TEXT),
    system("a seed beyond 64 bits", "stop = 1", "stop = 1\nseed = 99999999999999999999"),
    system("a time beyond 64 bits", "stop = 1", "stop = 1e30"),
    system("a time with a unit", "step = 0.1", "step = 0.1s"),
    system("a time with a unit in quotes", "step = 0.1", "step = \"100 ms\""),
    system("a value with a unit", "k = 2", "k = 15degC"),
    system("a value with a unit in quotes", "k = 2", "k = \"15degC\""),
    system("a fraction without quotes", "step = 0.1", "step = 1/10"),
    system("text without quotes", "\"source.y\"", "source.y"),
    system("a model without quotes", "\"native:sine\"", "native:sine"),
    system("a colon for an equals sign", "stop = 1", "stop: 1"),
    system("a comment of another language", "stop = 1", "stop = 1 // seconds"),
    system("`True`", "step = 0.1", "step = 0.1\nisolate = True"),
    system("a number that begins with its point", "k = 2", "k = .5"),
    system("a key that is almost right", "from =", "form ="),
    system("a variable without its component", "\"source.y\"", "\"y\""),
    typed("a time with a unit as an option", &["run", "s", "--stop", "1s"]),
    typed("a value with a unit as an option", &["run", "s", "--set", "gain.k=15degC"]),
    typed("a decimal comma as an option", &["run", "s", "--set", "gain.k=0,5"]),
    typed("a folder that is almost right", &["run", "ss"]),
    typed("a program that is not there", &["run", "absent"]),
    typed("a program that never answers", &["run", "hanging", "--call-limit", "1"]),
    typed(
        "a signal of a property that is misspelled",
        &["check", "property", "always (gian.y < 3)", "out/s"],
    ),
    typed("a variable of a plot that is misspelled", &["plot", "out/s", "gian.y"]),
    equations("a function that is almost right", "sin(x)", "sinn(x)"),
    equations("a variable that is almost right", "-rate", "-rat"),
    equations("a comma for a point in equations", "rate = 2", "rate = 0,5"),
];

/// The folder in which a mistake is made.
fn world(mistake: &Mistake) -> World {
    let world = World::new();
    world.system(GOOD);
    world.write("ball.eq", EQUATIONS);
    for (folder, command) in [("absent", "./nothing"), ("hanging", "sleep\", \"60")] {
        world.write(&format!("{folder}/program.toml"), PROGRAM.replace("./model", command));
        let text = "[experiment]\nstop = 1\nstep = 0.1\n[components.x]\n";
        let text = format!("{text}model = \"foreign:program.toml\"\n");
        world.write(&format!("{folder}/system.toml"), text);
    }
    if mistake.typed.contains(&"out/s") {
        world.done(&["run", "s", "-q"]);
    }
    let text = world.read(mistake.file);
    assert!(text.contains(mistake.from), "{}", mistake.name);
    world.write(mistake.file, text.replacen(mistake.from, mistake.to, 1));
    world
}

#[test]
fn forty_mistakes_are_named_with_their_place_and_what_to_do() {
    let mut text = String::new();
    let mut all = Vec::new();
    for mistake in &MISTAKES {
        let said = world(mistake).consort(mistake.typed);
        text += &format!("==== {}: exit {}\n{}\n", mistake.name, said.code.unwrap(), said.stderr);
        all.push((mistake.name, said));
    }
    insta::with_settings!({filters => filters()}, { insta::assert_snapshot!("mistakes", text) });
    for (name, said) in all {
        assert!(matches!(said.code, Some(1 | 2)), "{name}: {said}");
        assert!(NEVER_SAID.iter().all(|never| !said.stderr.contains(never)), "{said}");
        assert!(said.stderr.contains("help: "), "{name}: {said}");
        assert_eq!(said.stdout, "", "{name}");
    }
}
