//! The references of files and their JSON schemas are made of the lists of keys of the readers; what they show is read.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its world has failed")]

mod page;
mod schema;

use consort::Report;
use consort::reference::TextForm;
use consort_toml::{Key, KeyKind, KeyTable};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// If it is there, the files are written instead of compared.
const WRITE: &str = "CONSORT_WRITE_REFERENCE";
const BEGIN: &str = "<!-- begin of the keys, made by `cargo xtask reference` -->\n";
const END: &str = "<!-- end of the keys -->\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn forms() -> [TextForm; 3] {
    TextForm::ALL.map(|(form, _)| form)
}

/// The keys of its top, and all tables in it: those from which its reader knows them.
fn keys_of(form: TextForm) -> &'static KeyTable {
    match form {
        TextForm::System => &consort_formats::toml::keys::SYSTEM,
        TextForm::Campaign => &consort_formats::toml::keys::CAMPAIGN,
        TextForm::Interface => &consort_models::foreign::INTERFACE,
    }
}

/// The page on which the keys of a form are, and the level of their headings.
fn place(form: TextForm) -> (&'static str, usize) {
    match form {
        TextForm::System => ("docs/system.md", 2),
        TextForm::Campaign => ("docs/campaigns.md", 2),
        TextForm::Interface => ("docs/foreign-nodes.md", 3),
    }
}

/// The file has this content, or gets it.
fn check_file(path: &str, expected: &str) {
    let file = root().join(path);
    if std::env::var_os(WRITE).is_some() {
        fs::write(&file, expected).unwrap();
    }
    let found = fs::read_to_string(&file).unwrap();
    assert!(found == expected, "{path} is not up to date: run `cargo xtask reference`");
}

#[test]
fn references_and_schemas_are_current() {
    for form in forms() {
        let (path, level) = place(form);
        let page = fs::read_to_string(root().join(path)).unwrap();
        let (before, rest) = page.split_once(BEGIN).expect(path);
        let (_, after) = rest.split_once(END).expect(path);
        let keys = page::keys(keys_of(form), level);
        check_file(path, &format!("{before}{BEGIN}\n{keys}\n{END}{after}"));
        let schema = serde_json::to_string_pretty(&schema::schema(form)).unwrap();
        check_file(&format!("docs/schema/{form}.json"), &(schema + "\n"));
    }
}

#[test]
fn every_key_is_explained() {
    for form in forms() {
        for table in keys_of(form).all() {
            assert!(table.meaning.ends_with(['.', ')']), "{}", table.heading);
            for key in table.keys {
                let place = format!("{} {}", table.heading, key.name);
                assert!(key.meaning.ends_with(['.', ')']), "{place}");
                assert!(form.page().contains(&format!("| `{}` |", key.name)), "{place}");
                check_choices(key, &place);
            }
        }
    }
}

/// Each choice is explained, here or on a page of its own.
fn check_choices(key: &Key, place: &str) {
    if let KeyKind::Choice(names) = &key.kind {
        for name in *names {
            let is_here = key.meaning.contains(&format!("`\"{name}\"`"));
            let is_known = key.meaning.contains("(solvers.md)") || key.name == "type";
            assert!(is_here || is_known, "{place} does not explain {name}");
        }
    }
}

/// What a whole file of a form has besides the table in question: a line that shows it is there, and the text.
fn rest_of_file(form: TextForm) -> &'static [(&'static str, &'static str)] {
    match form {
        TextForm::System => &[("[components.", "[components.tank]\nmodel = \"tank.fmu\"\n")],
        TextForm::Campaign => &[
            ("system =", "system = \"system.toml\"\n"),
            ("period =", "period = 1\n"),
            ("horizon =", "horizon = 10\n"),
            ("disturbances", "[[disturbances]]\ninput = \"pump.leaks\"\nvalues = [0, 1]\n"),
            ("properties", "[[properties]]\nname = \"dry\"\nformula = \"always (a.x < 1)\"\n"),
        ],
        TextForm::Interface => &[("puts", "[outputs]\nx = {}\n")],
    }
}

/// A part of a file, made whole; keys of the top come before tables.
fn whole(form: TextForm, part: &str) -> String {
    let (mut top, mut below) = (String::new(), String::new());
    for (sign, text) in rest_of_file(form).iter().filter(|(sign, _)| !part.contains(*sign)) {
        if sign.ends_with('=') { top += text } else { below += text }
    }
    let is_top = !part.starts_with('[');
    if is_top { format!("{part}\n{top}{below}") } else { format!("{top}{part}\n{below}") }
}

/// What a key is not allowed without, beyond what every table needs.
fn also_needed(table: &KeyTable, key: &Key) -> &'static str {
    match (table.heading, key.name) {
        ("[strategy]", "epsilon" | "delta") => "kind = \"monte-carlo\"\n",
        ("[strategy]", "p0") => "kind = \"monte-carlo\"\np1 = 0.02\n",
        ("[strategy]", "p1") => "kind = \"monte-carlo\"\np0 = 0.01\n",
        ("[strategy]", "alpha" | "beta") => "kind = \"monte-carlo\"\np0 = 0.01\np1 = 0.02\n",
        ("[strategy]", "width") => "kind = \"beam\"\n",
        _ => "",
    }
}

/// The smallest file with a key; `None` if the key is a table.
fn smallest_file(form: TextForm, table: &KeyTable, key: &Key) -> Option<String> {
    if key.example.is_empty() {
        return None;
    }
    let also = also_needed(table, key);
    let entry = |key: &Key| format!("{} = {}\n", key.name, key.example);
    let is_new = |it: &&&Key| !it.example.is_empty() && !also.contains(&format!("{} =", it.name));
    let entries: String =
        table.smallest_with(key).iter().filter(is_new).map(|it| entry(it)).collect();
    Some(match table.heading {
        "" => whole(form, &format!("{also}{entries}")),
        "a variable" => whole(form, &format!("[inputs]\nx = {{ {} }}\n", entries.trim_end())),
        heading => whole(form, &format!("{heading}\n{also}{entries}")),
    })
}

/// The example of a table as a whole file.
fn example_file(form: TextForm, table: &KeyTable) -> String {
    match table.heading {
        "a variable" => whole(form, &format!("[outputs]\n{}", table.example)),
        _ => whole(form, table.example),
    }
}

/// Every key once, and every example.
fn all_files(form: TextForm) -> Vec<String> {
    let mut files = Vec::new();
    for table in keys_of(form).all() {
        files.extend(table.keys.iter().filter_map(|key| smallest_file(form, table, key)));
        files.push(example_file(form, table));
    }
    files
}

/// A file is read without an error. Interfaces have a test of their own beside their reader.
fn check_read(form: TextForm, text: &str) {
    let mut report = Report::default();
    match form {
        TextForm::System => drop(consort_formats::read_system("s.toml", text, &mut report)),
        TextForm::Campaign => drop(consort_formats::read_campaign("c.toml", text, &mut report)),
        TextForm::Interface => {}
    }
    assert!(!report.has_errors(), "{text}\n{:?}", report.diagnostics());
}

#[test]
fn every_key_and_every_example_is_read() {
    for (form, least) in [(TextForm::System, 60), (TextForm::Campaign, 30)] {
        let files = all_files(form);
        assert!(least <= files.len(), "{form}: {}", files.len());
        for text in files {
            check_read(form, &text);
        }
    }
}

/// What kind of file a `.toml` of the examples is.
fn form_of(text: &str) -> TextForm {
    if text.contains("[components") {
        TextForm::System
    } else if text.contains("[[disturbances]]") {
        TextForm::Campaign
    } else {
        TextForm::Interface
    }
}

fn toml_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            toml_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
}

/// Schemas find nothing wrong with the texts.
fn check_valid(texts: &[(TextForm, String)]) {
    let found = findings(texts);
    for ((form, text), found) in texts.iter().zip(&found) {
        assert!(found.is_empty(), "{form}: {text}\n{found:?}");
    }
}

fn findings(texts: &[(TextForm, String)]) -> Vec<Vec<String>> {
    let request = |(form, text): &(TextForm, String)| {
        let schema: Value = serde_json::from_str(form.schema()).unwrap();
        json!({ "schema": schema, "text": text })
    };
    let requests: Vec<Value> = texts.iter().map(request).collect();
    consort_testkit::python::schema_findings(&requests)
}

#[test]
fn schemas_accept_what_is_right() {
    let mut texts: Vec<(TextForm, String)> = Vec::new();
    for form in forms() {
        texts.extend(all_files(form).into_iter().map(|text| (form, text)));
    }
    let mut files = Vec::new();
    toml_files(&root().join("examples"), &mut files);
    assert!(30 <= files.len(), "{}", files.len());
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        texts.push((form_of(&text), text));
    }
    let nested = "[components.a]\nmodel = \"a.fmu\"\nparameters = { a.b = { value = 1, unit = \"m\" }, \"c.d\" = [[1], [2]] }";
    texts.push((TextForm::System, nested.to_owned()));
    check_valid(&texts);
}

#[test]
fn schemas_refuse_what_is_wrong() {
    let mut texts: Vec<(TextForm, String)> = Vec::new();
    for form in forms() {
        for table in keys_of(form).all() {
            let (head, line) = match table.heading {
                "" => (String::new(), "unknown-key = 1\n".to_owned()),
                "a variable" => ("[inputs]\n".to_owned(), "y = { unknown-key = 1 }\n".to_owned()),
                heading => (format!("{heading}\n"), "unknown-key = 1\n".to_owned()),
            };
            texts.push((form, whole(form, &format!("{head}{line}"))));
        }
    }
    let unknown = texts.len();
    for text in [
        "[experiment]\nstop = \"soon\"\n",
        "[experiment]\norder = \"random\"\n",
        "[experiment]\ntolerance = 0\n",
        "[experiment]\nseed = -1\n",
        "[[connections]]\nfrom = \"a.y\"\n",
        "[[interventions]]\nat = 1\ntarget = \"a.y\"\nset = 1\nfreeze = true\n",
        "[[interventions]]\ntarget = \"a.y\"\nset = 1\n",
        "[components.b]\nmodel = \"b.fmu\"\nparameters = { x = { value = 1, units = \"m\" } }\n",
        "[components.b]\nstep = 1\n",
    ] {
        texts.push((TextForm::System, whole(TextForm::System, text)));
    }
    for (index, found) in findings(&texts).iter().enumerate() {
        let text = &texts[index].1;
        assert!(!found.is_empty(), "nothing is found in\n{text}");
        let names_it = found.iter().any(|it| it.contains("unknown-key"));
        assert!(names_it || unknown <= index, "{found:?} in\n{text}");
    }
}
