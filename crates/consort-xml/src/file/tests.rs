//! What is refused and reported, and where.

use super::*;
use crate::{Codes, Help, Limits};
use consort_core::Report;

static FORMAT: Format = Format {
    what: "a note",
    limits: Limits {
        bytes: 100,
        nodes: 5,
        depth: 3,
        attributes: 4,
        namespaces: 3,
        namespaces_open: None,
    },
    codes: Codes {
        syntax: "note::syntax",
        entity: "note::entity",
        limit: "note::limit",
        missing: "note::missing",
        value: "note::value",
        attribute: "note::attribute",
        element: "note::element",
    },
    help: Help {
        doctype: "remove it",
        crowd: "write less",
        size: "write a shorter one",
        syntax: "write XML",
        value: "look it up",
    },
    attributes: &["id"],
};

/// Reads a text, has `look` use its root, and gives what was reported: code, message, place and help.
fn reported(text: &str, look: impl Fn(&File<'_>, XmlNode<'_>, &mut Reporter<'_>)) -> Vec<String> {
    let mut report = Report::default();
    let source = report.add_source("note.xml", text);
    let mut reporter = Reporter::new(&mut report);
    if let Some(file) = File::check(source, text, &FORMAT, &mut reporter)
        && let Some(document) = file.parse(&mut reporter)
    {
        look(&file, document.root_element(), &mut reporter);
    }
    let line = |diagnostic: &Diagnostic| {
        let place = diagnostic.primary.as_ref().map_or("", |label| &text[label.span.range()]);
        let help = diagnostic.help.as_deref().unwrap_or_default();
        format!("{}: {} at [{place}]: {help}", diagnostic.code, diagnostic.message)
    };
    report.diagnostics().iter().map(line).collect()
}

fn check_refused(text: &str, expected: &str) {
    assert_eq!(reported(text, |_, _, _| {}), [expected], "{text}");
}

#[test]
fn what_cannot_be_read_is_reported_in_the_terms_of_the_format() {
    check_refused(
        "<!DOCTYPE a><a/>",
        "note::entity: a document type definition is not accepted at [<!DOCTYPE]: remove it",
    );
    check_refused(
        "<a><b><c><d/><e></e></c></b></a>",
        "note::limit: there are more than 3 elements within elements at [<]: write less",
    );
    check_refused(
        "<a><b/><b/><b/><b/></a>",
        "note::limit: a note has more than 5 nodes at [<]: write a shorter one",
    );
    check_refused(
        "<a>é&b;</a>",
        "note::entity: a note uses an entity of its own at [&]: \
         only `&lt;`, `&gt;`, `&amp;`, `&apos;` and `&quot;` are read",
    );
    check_refused(
        "<a>\n<é></b></a>",
        "note::syntax: this is not XML: expected `é` tag, not `b` at [<]: write XML",
    );
    check_refused(
        "<a><b/>",
        "note::syntax: this is not XML: the root node was opened but never closed at []: write XML",
    );
}

#[test]
fn what_is_missing_wrong_or_unknown_is_reported_at_its_place() {
    let reported =
        reported("<a bcd='é' id='1' x:y='2' xmlns:x='z'><efg/></a>", |file, node, reporter| {
            file.known_attributes(node, &["bce"], reporter);
            file.unknown_element(crate::elements(node).next().expect("one"), &[], reporter);
            reporter.report(file.missing(node, "hij", "add it"));
            let value = node.attribute("bcd").expect("it is there");
            reporter.report(FORMAT.bad_value(
                "bcd",
                value,
                "a number",
                Some(file.place(node, "bcd")),
            ));
            reporter.report(FORMAT.too_large("it"));
        });
    let expected = [
        "note::attribute: `a` has an unknown attribute `bcd` at [bcd]: it is ignored; did you mean `bce`?",
        "note::element: `a` has an unknown element `efg` at [<efg]: it is ignored",
        "note::missing: `a` has no `hij` at [<a]: add it",
        "note::value: `bcd` is `é`, which is not a number at [é]: look it up",
        "note::limit: it has more than 100 bytes at []: write a shorter one",
    ];
    assert_eq!(reported, expected);
}

#[test]
fn pieces_of_a_value_are_found_unless_references_shift_them() {
    let place = |text: &str| {
        let reported = reported(text, |file, node, reporter| {
            let value = node.attribute_node("b").expect("it is there");
            let last = value.value().split(' ').next_back().expect("it has a piece");
            reporter.report(Diagnostic::note("note::piece", "").at(file.piece(value, last), ""));
        });
        reported.concat()
    };
    assert_eq!(place("<a b='one two'/>"), "note::piece:  at [two]: ");
    assert_eq!(place("<a b='&lt; two'/>"), "note::piece:  at [&lt; two]: ");
}

#[test]
fn a_prefix_can_be_declared_and_places_stay_as_written() {
    let text = "<!-- é --><p:a><q:b c='d'/></p:a>";
    let mut report = Report::default();
    let source = report.add_source("note.xml", text);
    let mut reporter = Reporter::new(&mut report);
    let mut file = File::check(source, text, &FORMAT, &mut reporter).expect("harmless");
    for expected in ["p", "q"] {
        let found = file.undeclared_prefix().expect("not declared yet");
        assert_eq!((found.prefix.as_str(), &text[found.span.range()]), (expected, expected));
        assert!(file.declare(expected, "urn:note"));
    }
    assert!(file.undeclared_prefix().is_none());
    let document = file.parse(&mut reporter).expect("all is declared");
    let child = crate::elements(document.root_element()).next().expect("one");
    assert_eq!(&text[file.tag(child).range()], "<q:b");
    assert_eq!(&text[file.place(child, "c").range()], "d");
    assert!(reporter.finish());
}
