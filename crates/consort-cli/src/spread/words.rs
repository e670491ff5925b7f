//! What a node tells the command that started it: how far it is, and what it came to. Processes write
//! it as lines of JSON.

use crate::execute::Timing;
use consort_core::{Diagnostic, Tag, Time, ValueType};
use consort_engine::Statistics;
use consort_trace::VariableHash;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Path, type and hash of a variable.
pub(crate) type Hashed = (String, ValueType, VariableHash);

/// One thing that a node tells.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Word {
    /// It has done every tag up to this time.
    At(Time),
    /// It has come to its end.
    End(Box<Ending>),
}

/// What a node came to.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Ending {
    /// How it ended.
    pub(crate) way: EndWay,
    /// The last tag that it has done; none if it never began.
    pub(crate) tag: Option<Tag>,
    /// Path, type and hash of each of its variables.
    pub(crate) hashes: Vec<Hashed>,
    /// How much it did.
    pub(crate) statistics: Statistics,
    /// What the clock said.
    pub(crate) timing: Timing,
    /// How many warnings and errors its models logged.
    pub(crate) logged: (u64, u64),
    /// How many links it made again because they broke.
    pub(crate) links_remade: u64,
    /// What did not go as it should, though it came to its end.
    pub(crate) problems: Vec<Diagnostic>,
}

/// A component's wish that the run end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Wish {
    /// The last tag that belongs to the run then.
    pub(crate) tag: Tag,
    /// Whose wish it is.
    pub(crate) component: String,
}

impl Wish {
    /// As JSON: also the last words of a node that ends so.
    pub(crate) fn to_json(&self) -> Value {
        json!({ "end": tag_to_json(self.tag), "component": self.component })
    }

    /// The same read back; nothing if it is none.
    pub(crate) fn from_json(value: &Value) -> Option<Self> {
        let component = value["component"].as_str()?.to_owned();
        Some(Wish { tag: tag_from_json(&value["end"])?, component })
    }
}

/// Whether a node says that others are to blame; whoever says something else knows better.
pub(crate) fn is_about_others(why: &Diagnostic) -> bool {
    ["run::node", "node::cannot-leave"].contains(&why.code)
}

/// How a node ended.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum EndWay {
    /// At the stop time.
    Finished,
    /// A component, here or elsewhere, asked for the run to end.
    Ended(Wish),
    /// The user asked for it.
    Interrupted,
    /// It could not go on.
    Failed {
        /// Why: the first is the reason, others go with it.
        why: Vec<Diagnostic>,
        /// The node that is to blame, if that is another one.
        blamed: Option<String>,
    },
}

impl Ending {
    /// Whether it came to its end: the stop time, or where a component wants it.
    pub(crate) fn is_finished(&self) -> bool {
        matches!(self.way, EndWay::Finished | EndWay::Ended(_))
    }

    /// Why it did not come to its end.
    pub(crate) fn failures(&self) -> &[Diagnostic] {
        match &self.way {
            EndWay::Failed { why, .. } => why,
            EndWay::Finished | EndWay::Ended(_) | EndWay::Interrupted => &[],
        }
    }

    /// Of a node that never began.
    pub(crate) fn unbegun(why: Vec<Diagnostic>, blamed: Option<String>) -> Self {
        Ending {
            way: EndWay::Failed { why, blamed },
            tag: None,
            hashes: Vec::new(),
            statistics: Statistics::default(),
            timing: Timing::default(),
            logged: (0, 0),
            links_remade: 0,
            problems: Vec::new(),
        }
    }
}

impl Word {
    /// As a line, with its end.
    pub(crate) fn to_line(&self) -> String {
        let value = match self {
            Word::At(time) => json!({ "at": time.ticks() }),
            Word::End(ending) => json!({ "end": ending_to_json(ending) }),
        };
        format!("{value}\n")
    }

    /// What a line says; nothing if it is none of ours.
    pub(crate) fn from_line(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        match (value.get("at"), value.get("end")) {
            (Some(at), _) => at.as_i64().map(Time::from_ticks).map(Word::At),
            (_, Some(end)) => ending_from_json(end).map(Box::new).map(Word::End),
            _ => None,
        }
    }
}

/// Path, type and hash of variables, as JSON: also the last words of a node.
pub(crate) fn hashes_to_json(hashes: &[Hashed]) -> Value {
    let entry = |(path, value_type, hash): &Hashed| {
        json!([path, value_type.name(), format!("{:016x}", hash.to_bits())])
    };
    hashes.iter().map(entry).collect()
}

/// The same read back; nothing if it is no such list.
pub(crate) fn hashes_from_json(value: &Value) -> Option<Vec<Hashed>> {
    let entry = |entry: &Value| {
        let value_type = entry[1].as_str()?;
        let value_type = ValueType::ALL.into_iter().find(|known| known.name() == value_type)?;
        let bits = u64::from_str_radix(entry[2].as_str()?, 16).ok()?;
        Some((entry[0].as_str()?.to_owned(), value_type, VariableHash::from_bits(bits)))
    };
    value.as_array()?.iter().map(entry).collect()
}

fn ending_to_json(ending: &Ending) -> Value {
    let (state, why, blamed, wish) = match &ending.way {
        EndWay::Finished => ("finished", &[][..], None, None),
        EndWay::Ended(wish) => ("ended", &[][..], None, Some(wish.to_json())),
        EndWay::Interrupted => ("interrupted", &[][..], None, None),
        EndWay::Failed { why, blamed } => ("failed", &why[..], blamed.as_deref(), None),
    };
    let told = |list: &[Diagnostic]| list.iter().map(told_to_json).collect::<Value>();
    json!({
        "state": state,
        "why": told(why),
        "blamed": blamed,
        "wish": wish,
        "tag": ending.tag.map(tag_to_json),
        "hashes": hashes_to_json(&ending.hashes),
        "statistics": statistics_to_json(&ending.statistics),
        "timing": timing_to_json(&ending.timing),
        "logged": [ending.logged.0, ending.logged.1],
        "links_remade": ending.links_remade,
        "problems": told(&ending.problems),
    })
}

fn ending_from_json(value: &Value) -> Option<Ending> {
    let told =
        |list: &Value| list.as_array()?.iter().map(told_from_json).collect::<Option<Vec<_>>>();
    let way = match value["state"].as_str()? {
        "finished" => EndWay::Finished,
        "ended" => EndWay::Ended(Wish::from_json(&value["wish"])?),
        "interrupted" => EndWay::Interrupted,
        "failed" => EndWay::Failed {
            why: told(&value["why"])?,
            blamed: value["blamed"].as_str().map(str::to_owned),
        },
        _ => return None,
    };
    Some(Ending {
        way,
        tag: tag_from_json(&value["tag"]),
        hashes: hashes_from_json(&value["hashes"])?,
        statistics: statistics_from_json(&value["statistics"]),
        timing: timing_from_json(&value["timing"])?,
        logged: (value["logged"][0].as_u64()?, value["logged"][1].as_u64()?),
        links_remade: value["links_remade"].as_u64()?,
        problems: told(&value["problems"])?,
    })
}

fn tag_to_json(tag: Tag) -> Value {
    json!([tag.time.ticks(), tag.microstep])
}

fn tag_from_json(value: &Value) -> Option<Tag> {
    let microstep = u32::try_from(value[1].as_u64()?).ok()?;
    Some(Tag { time: Time::from_ticks(value[0].as_i64()?), microstep })
}

fn statistics_to_json(statistics: &Statistics) -> Value {
    json!({
        "tags": statistics.tags,
        "components": statistics.components,
        "lanes": statistics.lanes,
        "workers": statistics.workers,
        "busy_max": statistics.busy_max,
        "steps_accepted": statistics.steps_accepted,
        "steps_rejected": statistics.steps_rejected,
        "loop_evaluations": statistics.loop_evaluations,
    })
}

fn statistics_from_json(value: &Value) -> Statistics {
    let number = |name: &str| value[name].as_u64().unwrap_or(0);
    let size = |name: &str| usize::try_from(number(name)).unwrap_or(usize::MAX);
    Statistics {
        tags: number("tags"),
        components: size("components"),
        lanes: size("lanes"),
        workers: size("workers"),
        busy_max: size("busy_max"),
        steps_accepted: number("steps_accepted"),
        steps_rejected: number("steps_rejected"),
        loop_evaluations: number("loop_evaluations"),
    }
}

fn timing_to_json(timing: &Timing) -> Value {
    json!({
        "start": timing.start.as_secs_f64(),
        "run": timing.run.as_secs_f64(),
        "late": timing.late,
        "late_max": timing.late_max.as_secs_f64(),
    })
}

fn timing_from_json(value: &Value) -> Option<Timing> {
    let length = |name: &str| Duration::try_from_secs_f64(value[name].as_f64()?).ok();
    Some(Timing {
        start: length("start")?,
        run: length("run")?,
        late: value["late"].as_u64()?,
        late_max: length("late_max")?,
    })
}

/// A diagnostic without the places it points at: their texts are elsewhere.
fn told_to_json(told: &Diagnostic) -> Value {
    json!({
        "code": told.code,
        "severity": told.severity.to_string(),
        "message": told.message,
        "notes": told.notes,
        "help": told.help,
    })
}

fn told_from_json(value: &Value) -> Option<Diagnostic> {
    let object: &Map<String, Value> = value.as_object()?;
    let text = |name: &str| object.get(name)?.as_str();
    let message = text("message")?;
    // A code lives as long as the program; what a node tells at its end is little.
    let code: &'static str = Box::leak(text("code")?.to_owned().into_boxed_str());
    let mut told = match text("severity")? {
        "error" => Diagnostic::error(code, message),
        "warning" => Diagnostic::warning(code, message),
        _ => Diagnostic::note(code, message),
    };
    let notes = object.get("notes")?.as_array()?.iter().filter_map(Value::as_str);
    told.notes = notes.map(str::to_owned).collect();
    told.help = text("help").map(str::to_owned);
    Some(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending(way: EndWay) -> Ending {
        Ending {
            way,
            tag: Some(Tag { time: Time::from_ticks(-7), microstep: 2 }),
            hashes: vec![("a.x".to_owned(), ValueType::Float64, VariableHash::from_bits(1 << 63))],
            statistics: Statistics { tags: 7, components: 1, ..Statistics::default() },
            timing: Timing { late: 3, run: Duration::from_millis(1500), ..Timing::default() },
            logged: (1, 2),
            links_remade: 3,
            problems: vec![Diagnostic::warning("run::odd", "odd").with_note("very")],
        }
    }

    #[test]
    fn what_is_told_arrives_as_it_was() {
        let why = vec![Diagnostic::error("run::call", "it failed").help("mend it")];
        let failed = EndWay::Failed { why, blamed: Some("plant".to_owned()) };
        let tag = Tag { time: Time::from_ticks(3), microstep: u32::MAX };
        let ended = EndWay::Ended(Wish { tag, component: "judge".to_owned() });
        for word in [
            Word::At(Time::from_ticks(i64::MIN)),
            Word::End(Box::new(ending(EndWay::Finished))),
            Word::End(Box::new(ending(ended))),
            Word::End(Box::new(ending(EndWay::Interrupted))),
            Word::End(Box::new(ending(failed))),
            Word::End(Box::new(Ending::unbegun(Vec::new(), None))),
        ] {
            let line = word.to_line();
            assert_eq!(line.matches('\n').count(), 1, "{line}");
            assert_eq!(Word::from_line(line.trim_end()), Some(word));
        }
    }

    #[test]
    fn other_lines_say_nothing() {
        for line in ["", "hello", "{}", "{\"at\": \"x\"}", "{\"end\": {\"state\": \"odd\"}}", "[1]"]
        {
            assert_eq!(Word::from_line(line), None, "{line}");
        }
    }
}
