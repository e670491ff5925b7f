use super::*;
use consort_core::Span;

const PLAIN: Style = Style { color: false, least: Severity::Note, ending: "nothing was run" };

const SYSTEM: &str = "\
[components.tank]
model = \"tank.fmu\"

[[connections]]
from = \"tank.levle\"
to = \"valve.level\"
";

fn at(source: SourceId, text: &str, part: &str) -> Span {
    let start = text.find(part).expect("the part is in the text");
    Span::new(source, start..start + part.len())
}

#[test]
fn a_mistake_is_shown_with_its_places_and_what_to_do() {
    let mut report = Report::default();
    let source = report.add_source("tank/system.toml", SYSTEM);
    report.push(
        Diagnostic::error("system::unknown-variable", "`tank` has no variable `levle`")
            .at(at(source, SYSTEM, "\"tank.levle\""), "not found in `tank.fmu`")
            .label(at(source, SYSTEM, "\"tank.fmu\""), "the model of `tank`")
            .help("did you mean `tank.level`?"),
    );
    report.push(
        Diagnostic::warning("fmi::no-dependencies", "`tank.fmu` declares no dependencies")
            .with_note("every output is taken to depend on every input"),
    );
    insta::assert_snapshot!(render(&report, PLAIN));
}

#[test]
fn labels_in_several_texts_are_shown_in_each() {
    let mut report = Report::default();
    let system = report.add_source("system.toml", SYSTEM);
    let xml = "<a>\n  <b unit=\"m\"/>\n</a>";
    let description = report.add_source("tank.fmu/modelDescription.xml", xml);
    report.push(
        Diagnostic::error("system::unit", "`m` cannot be converted to `kg`")
            .at(at(system, SYSTEM, "\"valve.level\""), "is in `kg`")
            .label(at(description, xml, "\"m\""), "is in `m`"),
    );
    insta::assert_snapshot!(render(&report, PLAIN));
}

#[test]
fn long_lines_are_cut_around_the_labels() {
    let padding = "<x/>".repeat(100_000);
    let text = format!("{padding}<bad name=\"ü\"/>{padding}<other/>{padding}\nnext line");
    let mut report = Report::default();
    let source = report.add_source("a.fmu/modelDescription.xml", text.clone());
    report.push(
        Diagnostic::error("fmi::name", "names are unique")
            .at(at(source, &text, "\"ü\""), "used again")
            .label(at(source, &text, "<other/>"), "used here first"),
    );
    let shown = render(&report, PLAIN);
    assert!(shown.lines().all(|line| line.chars().count() < 200), "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn places_that_are_no_places_are_survived() {
    let mut report = Report::default();
    let source = report.add_source("short.toml", "größe = 1");
    for (start, end) in [(0, 0), (2, 3), (4, 3), (9, 10), (500, 900), (3, u32::MAX)] {
        let span = Span { source, start, end };
        report.push(Diagnostic::error("a::b", "wrong").at(span, "here"));
    }
    report.push(Diagnostic::error("a::c", "lost").at(Span::new(SourceId(77), 0..5), "here"));
    let empty = report.add_source("empty.toml", "");
    report.push(Diagnostic::error("a::d", "nothing there").at(Span::new(empty, 0..0), ""));
    let shown = render(&report, PLAIN);
    assert!(shown.ends_with("8 errors: nothing was run\n"), "{shown}");
    assert!(shown.contains("a text that was not kept"), "{shown}");
}

#[test]
fn what_would_steer_the_terminal_is_not_printed() {
    let mut report = Report::default();
    let source = report.add_source("evil.toml", "a = \"\u{1b}[31m\"\tb");
    report.push(
        Diagnostic::error("a::b", "bell \u{7}")
            .at(Span::new(source, 0..1), "esc \u{1b}[0m")
            .with_note("cc: \u{1b}[1merror\u{1b}[0m\nsecond line"),
    );
    let shown = render(&report, PLAIN);
    assert!(!shown.contains(['\u{1b}', '\u{7}', '\t']), "{shown:?}");
}

#[test]
fn color_never_changes_the_words() {
    let mut report = Report::default();
    let source = report.add_source("system.toml", SYSTEM);
    let span = at(source, SYSTEM, "\"tank.fmu\"");
    report.push(Diagnostic::error("a::b", "wrong").at(span, "here").help("do it right"));
    let colored = render(&report, Style { color: true, ..PLAIN });
    assert!(colored.contains('\u{1b}'));
    let mut plain = String::new();
    for (index, part) in colored.split('\u{1b}').enumerate() {
        plain.push_str(if index == 0 { part } else { part.split_once('m').unwrap().1 });
    }
    assert_eq!(plain, render(&report, PLAIN));
}

#[test]
fn quiet_keeps_errors_and_drops_the_rest() {
    let mut report = Report::default();
    report.push(Diagnostic::note("a::n", "a note"));
    report.push(Diagnostic::warning("a::w", "a warning"));
    assert_eq!(render(&report, Style { least: Severity::Error, ..PLAIN }), "");
    report.push(Diagnostic::error("a::e", "an error"));
    assert_eq!(
        render(&report, Style { least: Severity::Error, ..PLAIN }),
        "error[a::e]: an error\n\n1 error: nothing was run\n"
    );
    assert!(render(&report, PLAIN).ends_with("1 error, 1 warning: nothing was run\n"));
}
