//! The report as a page that needs nothing else.

use consort_explore::history::{CampaignHistory, Moment};
use consort_view::numbers::short;
use consort_view::plot::words::escape;
use consort_view::plot::{Figure, Panel, Series, Size, Style, svg};
use serde_json::Value;
use std::fmt::Write as _;

const STYLE: &str = "body{font-family:system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;line-height:1.4}\n\
table{border-collapse:collapse;margin:.6rem 0}\nth,td{text-align:left;padding:.15rem .8rem .15rem 0;vertical-align:top}\n\
svg{max-width:100%;height:auto}\n.violated{color:#b00020}.holds{color:#00701a}\ncode{font-size:90%}\n";

/// The page; the same bytes for the same report.
pub(super) fn html(report: &Value, history: &CampaignHistory, pictures: &[Figure]) -> String {
    let title = escape(&text(&report["campaign"]));
    let answer = escape(&text(&report["answer"]));
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>{title}: <span class=\"{answer}\">{answer}</span></h1>\n"
    );
    facts(&mut out, report);
    properties(&mut out, report);
    progress_section(&mut out, report, history.moments());
    counter_examples(&mut out, report, pictures);
    failures(&mut out, report);
    identity(&mut out, report);
    out.push_str("</body>\n</html>\n");
    out
}

/// A value as people read it; all digits are in the report for programs.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".to_owned(),
        Value::Number(number) if number.is_f64() => number.as_f64().map_or_else(String::new, short),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(" to "),
        other => other.to_string(),
    }
}

fn row(out: &mut String, cells: &[String]) {
    let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
    let _ = writeln!(out, "<tr>{cells}</tr>");
}

fn head(out: &mut String, cells: &[&str]) {
    let cells: String = cells.iter().map(|cell| format!("<th scope=\"col\">{cell}</th>")).collect();
    let _ = writeln!(out, "<table>\n<tr>{cells}</tr>");
}

fn facts(out: &mut String, report: &Value) {
    let (space, scenarios) = (&report["space"], &report["scenarios"]);
    let mut facts = vec![
        ("ended", text(&report["ending"])),
        ("strategy", text(&report["strategy"])),
        ("scenarios there are", text(&space["scenarios"])),
        ("done", text(&scenarios["done"])),
        ("hold", text(&scenarios["holds"])),
        ("violated", text(&scenarios["violated"])),
        ("undecided", text(&scenarios["undecided"])),
        ("failed", text(&scenarios["failed"])),
        ("decided before their end", text(&scenarios["decided_early"])),
        ("decision period [s]", text(&space["period"])),
        ("horizon [s]", text(&space["horizon"])),
    ];
    let saving: Vec<String> = list(&report["saving"]).iter().map(text).collect();
    if !saving.is_empty() {
        facts.push(("saving states", saving.join("; ")));
    }
    if !report["verified"].is_null() {
        let again = text(&report["verified"]["scenarios"]);
        facts.push(("run again from the start", format!("{again} scenarios, all the same")));
    }
    if !report["omission"].is_null() {
        facts.push(("probability to have missed a violation", text(&report["omission"])));
    }
    let estimate = &report["estimate"];
    if !estimate.is_null() {
        let (low, high) = (text(&estimate["low"]), text(&estimate["high"]));
        let confidence = text(&estimate["confidence"]);
        let interval = format!("{low} to {high}, with a confidence of {confidence}");
        facts.push(("probability of a violation", interval));
    }
    out.push_str("<table>\n");
    for (name, value) in facts {
        let _ = writeln!(out, "<tr><th scope=\"row\">{name}</th><td>{}</td></tr>", escape(&value));
    }
    out.push_str("</table>\n");
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn properties(out: &mut String, report: &Value) {
    out.push_str("<h2>Properties</h2>\n");
    head(out, &["name", "formula", "reading", "violated in", "least robustness"]);
    for property in list(&report["properties"]) {
        let cells = ["name", "formula", "reading", "violated"].map(|key| text(&property[key]));
        let worst = text(&property["worst"]["robustness"]);
        row(out, &[&cells[..], &[worst]].concat());
    }
    out.push_str("</table>\n");
}

/// The least robustness of each unit of work, over the scenarios that were done.
fn progress_section(out: &mut String, report: &Value, moments: &[Moment]) {
    let done: Vec<f64> = moments.iter().map(|moment| moment.done as f64).collect();
    let series = list(&report["properties"]).iter().enumerate().map(|(index, property)| {
        let lowest = |moment: &Moment| moment.lowest.get(index).copied().flatten();
        let values = moments.iter().map(|moment| lowest(moment).unwrap_or(f64::NAN)).collect();
        let name = text(&property["name"]);
        Series { name, times: done.clone(), values, style: Style::Points }
    });
    let figure = Figure {
        title: "Least robustness in each unit of work".to_owned(),
        x_label: Some("scenarios done".to_owned()),
        panels: vec![Panel { y_label: "robustness".to_owned(), series: series.collect() }],
        ..Figure::default()
    };
    out.push_str("<h2>Progress</h2>\n");
    out.push_str(&svg(&figure, Size::comfortable(&figure)));
}

fn counter_examples(out: &mut String, report: &Value, pictures: &[Figure]) {
    let found = list(&report["counter_examples"]);
    if found.is_empty() {
        return;
    }
    out.push_str("<h2>Counter-examples</h2>\n");
    for (example, picture) in found.iter().zip(pictures) {
        let (property, role) = (text(&example["property"]), text(&example["role"]));
        let _ = writeln!(out, "<h3>{} ({})</h3>", escape(&property), escape(&role));
        head(out, &["robustness", "margin", "with smaller steps", "scenario", "changes", "file"]);
        let cells = ["index", "changes", "file"].map(|key| text(&example[key]));
        let (robustness, margin) = (text(&example["robustness"]), text(&example["margin"]));
        let start = [robustness, margin, validation(&example["tighter"])];
        row(out, &[&start[..], &cells[..]].concat());
        out.push_str("</table>\n");
        choices(out, &example["choices"], &text(&report["space"]["period"]));
        out.push_str(&svg(picture, Size::comfortable(picture)));
    }
}

fn validation(tighter: &Value) -> String {
    match &tighter["confirmed"] {
        Value::Bool(true) => format!("confirmed: {}", text(&tighter["robustness"])),
        Value::Bool(false) => format!("not confirmed: {}", text(&tighter["robustness"])),
        _ => text(&tighter["reason"]),
    }
}

/// The choices, one line per period; periods like the one before are left out.
fn choices(out: &mut String, choices: &Value, period: &str) {
    let list = list(choices);
    let names: Vec<&String> =
        list.first().and_then(Value::as_object).into_iter().flat_map(|it| it.keys()).collect();
    let escaped: Vec<String> = names.iter().map(|name| escape(name)).collect();
    let mut titles = vec!["from period"];
    titles.extend(escaped.iter().map(String::as_str));
    head(out, &titles);
    for (index, choice) in list.iter().enumerate() {
        if index == 0 || list[index - 1] != *choice {
            let values = names.iter().map(|name| text(&choice[name.as_str()]));
            row(out, &[vec![index.to_string()], values.collect()].concat());
        }
    }
    let _ = writeln!(out, "</table>\n<p>A period takes {} s.</p>", escape(period));
}

fn failures(out: &mut String, report: &Value) {
    let failing = list(&report["failing"]);
    if failing.is_empty() {
        return;
    }
    out.push_str("<h2>Scenarios that could not be run</h2>\n");
    head(out, &["what happened", "scenarios"]);
    for entry in failing {
        row(out, &[text(&entry["reason"]), text(&entry["scenarios"])]);
    }
    out.push_str("</table>\n");
}

fn identity(out: &mut String, report: &Value) {
    out.push_str("<h2>What was explored</h2>\n");
    head(out, &["what", "hash"]);
    let identity = &report["identity"];
    for name in ["consort", "campaign", "experiment", "plan"] {
        row(out, &[name.to_owned(), text(&identity[name])]);
    }
    for input in list(&identity["inputs"]) {
        let name = format!("{} ({})", text(&input["path"]), text(&input["role"]));
        row(out, &[name, text(&input["sha256"])]);
    }
    out.push_str("</table>\n");
}
