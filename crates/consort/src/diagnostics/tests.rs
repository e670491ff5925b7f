use super::*;
use consort_core::{CallError, CallStatus, Resolution, Span, Tag, Time};
use consort_engine::{CourierError, RunError};

const PLAIN: ReportStyle = ReportStyle {
    color: false,
    least: Severity::Note,
    all: false,
    ending: "nothing was run",
    points_on: false,
};

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
    let colored = render(&report, ReportStyle { color: true, ..PLAIN });
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
    assert_eq!(render(&report, ReportStyle { least: Severity::Error, ..PLAIN }), "");
    report.push(Diagnostic::error("a::e", "an error"));
    assert_eq!(
        render(&report, ReportStyle { least: Severity::Error, ..PLAIN }),
        "error[a::e]: an error\n\n1 error: nothing was run\n"
    );
    assert!(render(&report, PLAIN).ends_with("1 error, 1 warning: nothing was run\n"));
}

/// The lines that begin a diagnostic, and the last one.
fn lines(report: &Report, style: ReportStyle) -> Vec<String> {
    let shown = render(report, style);
    let is_title = |line: &&str| ["error", "warning", "note"].iter().any(|it| line.starts_with(it));
    let mut lines: Vec<String> = shown.lines().filter(is_title).map(str::to_owned).collect();
    lines.extend(shown.lines().last().map(str::to_owned));
    lines
}

/// So many warnings, then so many errors, as a reader finds them.
fn found(warnings: usize, errors: usize) -> Report {
    let mut report = Report::default();
    for number in 0..warnings {
        let message = format!("`x{number}` has no unit");
        report.push(Diagnostic::warning("a::unit", message).help("name one"));
    }
    for number in 0..errors {
        report.push(Diagnostic::error("a::wrong", format!("`y{number}` is wrong")));
    }
    report
}

#[test]
fn errors_come_first_and_are_never_cut_off_by_warnings() {
    for (warnings, errors) in [(105, 5), (99, 1), (99, 5), (1, 1), (100, 100), (5_000, 7)] {
        let report = found(warnings, errors);
        let lines = lines(&report, PLAIN);
        let first = &lines[..errors];
        let is_error = |line: &String| line.starts_with("error[a::wrong]");
        assert!(first.iter().all(is_error), "{warnings}, {errors}: {first:?}");
        assert!(!lines[errors..].iter().any(is_error), "{warnings}, {errors}");
        let (of_errors, of_warnings) =
            (plural(errors as u64, "error"), plural(warnings as u64, "warning"));
        let last = lines.last().unwrap();
        assert!(last.starts_with(&format!("{of_errors}, {of_warnings}")), "{last}");
        assert!(last.ends_with(": nothing was run"), "{last}");
    }
}

#[test]
fn what_is_left_out_is_counted_and_shown_on_request() {
    let report = found(105, 103);
    let last =
        "103 errors, 105 warnings (108 of them not shown; `--verbose` shows them): nothing was run";
    assert_eq!(lines(&report, PLAIN).last().unwrap(), last);
    let all = lines(&report, ReportStyle { all: true, ..PLAIN });
    assert_eq!(all.len(), 208 + 1);
    assert_eq!(all.last().unwrap(), "103 errors, 105 warnings: nothing was run");
}

#[test]
fn warnings_that_say_the_same_are_counted() {
    let check = |report: &Report, expected: &[&str]| {
        let mut shown = lines(report, PLAIN);
        shown.pop();
        assert_eq!(shown, expected);
    };
    let three =
        ["`x0`", "`x1`", "`x2`"].map(|name| format!("warning[a::unit]: {name} has no unit"));
    let mut expected: Vec<&str> = three.iter().map(String::as_str).collect();
    check(&found(3, 0), &expected);
    // A single one more is not worth a line in its place.
    let fourth = "warning[a::unit]: `x3` has no unit";
    check(&found(4, 0), &[expected.as_slice(), &[fourth]].concat());
    expected.push("warning[a::unit]: and 2 more like this: `x3`, `x4`");
    check(&found(5, 0), &expected);
    expected[3] = "warning[a::unit]: and 97 more like this: `x3`, `x4`, `x5`, `x6`, `x7`, `x8`, `x9`, `x10`, ...";
    check(&found(100, 0), &expected);
}

/// What differs in more than a value, or in what to do, is another thing.
#[test]
fn warnings_that_say_different_things_are_all_shown() {
    let mut report = Report::default();
    for number in 0..10 {
        let odd = ["is odd", "is even", "has no unit"][number % 3];
        report.push(Diagnostic::warning("a::x", format!("`x{number}` {odd}")));
        report.push(Diagnostic::warning("a::y", "a value").help(format!("write {number}")));
    }
    assert_eq!(lines(&report, PLAIN).len(), 20 + 1);
}

#[test]
fn what_differs_in_its_place_only_is_named_by_its_place() {
    let mut report = Report::default();
    let source = report.add_source("a.toml", "x\n".repeat(9));
    for line in 0..9 {
        let span = Span::new(source, 2 * line..2 * line + 1);
        report.push(Diagnostic::note("a::x", "`x` again").at(span, "here"));
    }
    let lines = lines(&report, ReportStyle { ending: "", ..PLAIN });
    let rest = "note[a::x]: and 6 more like this: a.toml:4, a.toml:5, a.toml:6, a.toml:7, a.toml:8, a.toml:9";
    assert_eq!(lines[3], rest);
}

#[test]
fn a_program_gets_everything() {
    let mut report = Report::default();
    let source = report.add_source("system.toml", SYSTEM);
    report.push(
        Diagnostic::error("a::b", "wrong")
            .at(at(source, SYSTEM, "\"tank.levle\""), "here")
            .label(at(source, SYSTEM, "\"tank.fmu\""), "this model")
            .with_note("a fact")
            .help("do it right"),
    );
    let json = to_json(&report.diagnostics()[0], &report);
    let place = serde_json::json!({"file": "system.toml", "line": 5, "column": 8, "text": "here"});
    assert_eq!(json["place"], place);
    assert_eq!(json["labels"][0]["line"], 2);
    assert_eq!((&json["notes"][0], &json["help"]), (&"a fact".into(), &"do it right".into()));
    assert_eq!((&json["severity"], &json["code"]), (&"error".into(), &"a::b".into()));
}

#[test]
fn at_a_terminal_the_first_error_leads_to_its_page() {
    let style = ReportStyle { points_on: true, ..PLAIN };
    let mut report = Report::default();
    report.push(Diagnostic::warning("a::w", "a warning"));
    assert!(!render(&report, style).contains("for more"));
    report.push(Diagnostic::error("a::e", "an error"));
    report.push(Diagnostic::error("a::x", "another one"));
    assert!(render(&report, style).ends_with("\nfor more: consort explain a::e\n"));
}

/// The flag is found by the words of the engine, so its own errors are rendered here.
#[test]
fn helps_of_the_engine_name_the_flag_that_does_what_they_propose() {
    let check = |error: RunError, expected: &str| {
        let mut report = Report::default();
        report.push(error.diagnostic(Resolution::NANOSECOND));
        let text = render(&report, PLAIN);
        assert!(text.contains(expected), "{text}");
    };
    let error = |status| CallError::new("fmi2DoStep", status);
    let (component, tag) = ("a".to_owned(), Tag::at(Time::ZERO));
    let failed =
        |status| RunError::Call { component: component.clone(), tag, error: error(status) };
    check(failed(CallStatus::Refused("no".to_owned())), "`--log-calls` writes it to `log.jsonl`");
    check(failed(CallStatus::NoAnswer("1 s".to_owned())), "with `--call-limit SECONDS`");
    let none = RunError::Instantiate {
        component: component.clone(),
        error: error(CallStatus::NoInstance),
    };
    check(none, "more of it with `--verbose`");
    let error = CourierError { node: "b".to_owned(), reason: "left".to_owned(), at: None };
    check(RunError::Courier { tag, error }, "the last snapshot with `--resume`");
}
