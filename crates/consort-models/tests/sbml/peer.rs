//! The suite against libRoadRunner: one process for all models.

use crate::cases::{Case, Peer};
use crate::constructs::Edition;
use crate::model::{Writer, editions};
use crate::run::{self, POINTS};
use consort_testkit::python;
use serde_json::{Value, json};

/// As near as two solvers with tight tolerances come, also behind many events.
const TOLERANCE: f64 = 1e-6;

/// The edition it is given: level 3 version 1 where it may, which it knows best.
fn edition(text: &str) -> Edition {
    let all = editions(text);
    let known = all.iter().copied().find(|edition| *edition == (3, 1));
    known.unwrap_or_else(|| *all.last().expect("an edition has it"))
}

fn request(case: &Case) -> Value {
    let writer = Writer::new(edition(&case.text), &case.text);
    let names: Vec<&String> = writer.observed.iter().map(|(_, name)| name).collect();
    json!({"sbml": writer.document(), "end": case.end, "points": POINTS, "names": names})
}

/// The greatest difference, and where.
fn difference(case: &Case, answer: &Value) -> Result<(), String> {
    let Some(rows) = answer["rows"].as_array() else {
        return Err(format!("{}: {}", case.name, answer["error"]));
    };
    let writer = Writer::new(edition(&case.text), &case.text);
    let names = run::names(&writer);
    let ours = run::course(case, &writer)?;
    let theirs: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| row.as_array().into_iter().flatten().map(python::float).collect())
        .collect();
    for (column, name) in names.iter().enumerate() {
        let scale = theirs.iter().fold(0.0, |scale: f64, row| scale.max(row[column].abs()));
        for (point, (ours, theirs)) in ours[1..].iter().zip(&theirs).enumerate() {
            let (title, ours, theirs) = (&case.name, ours[column], theirs[column]);
            let is_near = (theirs - ours).abs() <= TOLERANCE * scale;
            if !is_near {
                return Err(format!("{title}: {name} at point {point} is {ours}, theirs {theirs}"));
            }
        }
    }
    Ok(())
}

/// What is wrong with an answer, if anything.
fn verdict(case: &Case, answer: &Value) -> Option<String> {
    match case.peer {
        Peer::Agrees => difference(case, answer).err(),
        Peer::Cannot(_) if answer["error"].is_null() => Some(format!("{}: not refused", case.name)),
        Peer::Differs(_) if difference(case, answer).is_ok() => {
            Some(format!("{}: agrees", case.name))
        }
        _ => None,
    }
}

#[test]
fn time_courses_agree_with_an_independent_tool() {
    let cases = crate::cases::all();
    let requests: Vec<Value> = cases.iter().map(request).collect();
    let answers = python::roadrunner(&requests);
    assert_eq!(answers.len(), cases.len());
    let pairs = cases.iter().zip(&answers);
    let wrong: Vec<String> = pairs.filter_map(|(case, answer)| verdict(case, answer)).collect();
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
