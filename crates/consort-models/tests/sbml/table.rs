//! The table of constructs in `docs/sbml.md` is made of the suite.

use crate::cases::{self, Peer};
use crate::constructs::{CONSTRUCTS, EDITIONS, is_in};
use crate::model::{Writer, editions};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Set to anything, it writes the table.
const BLESS: &str = "CONSORT_BLESS";
const BEGIN: &str = "<!-- made by crates/consort-models/tests/sbml: begin -->\n";
const END: &str = "<!-- made by crates/consort-models/tests/sbml: end -->\n";

/// How many models use each construct in each edition, and how many of them other tools compute.
#[derive(Default)]
struct Row {
    models: [usize; EDITIONS.len()],
    closed: usize,
    peer: usize,
}

fn rows() -> BTreeMap<&'static str, Row> {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for case in cases::all() {
        let all = editions(&case.text);
        for construct in Writer::new(EDITIONS[0], &case.text).constructs {
            let row = rows.entry(construct).or_default();
            row.closed += usize::from(!case.closed.is_empty());
            row.peer += usize::from(case.peer == Peer::Agrees);
            for (count, edition) in row.models.iter_mut().zip(EDITIONS) {
                *count += usize::from(all.contains(&edition));
            }
        }
    }
    rows
}

fn table() -> String {
    let mut rows = rows();
    let mut text = String::from("| construct |");
    for (level, version) in EDITIONS {
        let _ = write!(text, " L{level}V{version} |");
    }
    text += " closed form | libRoadRunner |\n|---|";
    text += &"--:|".repeat(EDITIONS.len() + 2);
    text += "\n";
    for (construct, _) in CONSTRUCTS {
        let row = rows.remove(construct).unwrap_or_default();
        let _ = write!(text, "| {construct} |");
        for (count, edition) in row.models.iter().zip(EDITIONS) {
            let _ = match (count, is_in(construct, edition)) {
                (0, false) => write!(text, " |"),
                (0, true) => write!(text, " gap |"),
                (count, _) => write!(text, " {count} |"),
            };
        }
        let _ = writeln!(text, " {} | {} |", row.closed, row.peer);
    }
    text + &differences()
}

/// Where libRoadRunner has nothing to say, or something else, with the reasons.
fn differences() -> String {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for case in cases::all() {
        let reason = match case.peer {
            Peer::Agrees => continue,
            Peer::Cannot(reason) => format!("not compared: {reason}"),
            Peer::Differs(reason) => format!("different (*{}*): {reason}", case.name),
        };
        *reasons.entry(reason).or_default() += 1;
    }
    let all = cases::all();
    let networks = all.iter().filter(|case| case.is_network).count();
    let mut text = format!(
        "\n{} models, {networks} of them larger networks. libRoadRunner 2.10.0 computes them too, except:\n\n",
        all.len()
    );
    for (reason, count) in reasons {
        let _ = writeln!(text, "- {count} {reason}");
    }
    text
}

#[test]
fn the_table_in_the_documents_is_that_of_the_suite() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/sbml.md");
    let text = std::fs::read_to_string(&path).expect("the document is there");
    let (before, rest) = text.split_once(BEGIN).expect("the table has a begin");
    let (found, after) = rest.split_once(END).expect("the table has an end");
    let table = table();
    if std::env::var_os(BLESS).is_some() {
        let text = format!("{before}{BEGIN}{table}{END}{after}");
        std::fs::write(&path, text).expect("the document can be written");
        return;
    }
    assert!(found == table, "run this test with {BLESS}=1 to write the table:\n{table}");
}

#[test]
fn every_construct_is_in_the_suite_in_every_edition_that_has_it() {
    let rows = rows();
    for (construct, _) in CONSTRUCTS {
        let row = rows.get(construct).unwrap_or_else(|| panic!("{construct} is in no model"));
        for (count, edition) in row.models.iter().zip(EDITIONS) {
            assert_eq!(0 < *count, is_in(construct, edition), "{construct} in {edition:?}");
        }
    }
}
