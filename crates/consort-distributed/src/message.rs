//! Messages from a node to the process that started it: its progress and its result. Processes write them as lines
//! of JSON.

use consort_core::{Diagnostic, Severity, Tag, Time, ValueType};
use consort_engine::Statistics;
use consort_run::RunTiming;
use consort_trace::VariableHash;
use serde::{Deserialize, Serialize};

/// Path, type and hash of a variable.
pub type HashedVariable = (String, ValueType, VariableHash);

/// One message of a node.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeMessage {
    /// It has done every tag up to this time.
    At(Time),
    /// The node has ended.
    End(Box<NodeOutcome>),
}

/// What a node came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NodeOutcome {
    /// How the node ended.
    pub end: NodeEnd,
    /// The last tag that it has done; none if it never began.
    pub tag: Option<Tag>,
    /// Path, type and hash of each of its variables.
    pub hashes: Vec<HashedVariable>,
    /// The counters of the node.
    pub statistics: Statistics,
    /// The wall-clock times of the node.
    pub timing: RunTiming,
    /// How many warnings and errors its models logged.
    pub logged: (u64, u64),
    /// How many links it made again because they broke.
    pub links_remade: u64,
    /// What did not go as it should, though it came to its end.
    #[serde(with = "diagnostics")]
    pub problems: Vec<Diagnostic>,
}

/// A component's request that the run end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StopRequest {
    /// The last tag that belongs to the run then.
    pub tag: Tag,
    /// The component that asks for it.
    pub component: String,
}

/// How a node ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeEnd {
    /// The stop time was reached.
    Finished,
    /// A component, here or elsewhere, asked for the run to end.
    Stopped(StopRequest),
    /// The user asked for it.
    Interrupted,
    /// The node failed.
    Failed {
        /// The first is the reason, others go with it.
        #[serde(with = "diagnostics")]
        reasons: Vec<Diagnostic>,
        /// The node that caused it, if that is another one.
        blamed: Option<String>,
    },
}

impl NodeOutcome {
    /// Whether it came to its end: the stop time, or where a component asked for it.
    pub fn is_finished(&self) -> bool {
        matches!(self.end, NodeEnd::Finished | NodeEnd::Stopped(_))
    }

    /// Why it did not come to its end.
    pub fn failures(&self) -> &[Diagnostic] {
        match &self.end {
            NodeEnd::Failed { reasons, .. } => reasons,
            NodeEnd::Finished | NodeEnd::Stopped(_) | NodeEnd::Interrupted => &[],
        }
    }

    /// Of a node that never began.
    pub fn not_begun(reasons: Vec<Diagnostic>, blamed: Option<String>) -> Self {
        NodeOutcome {
            end: NodeEnd::Failed { reasons, blamed },
            tag: None,
            hashes: Vec::new(),
            statistics: Statistics::default(),
            timing: RunTiming::default(),
            logged: (0, 0),
            links_remade: 0,
            problems: Vec::new(),
        }
    }
}

impl NodeMessage {
    /// As a line, with its line break.
    ///
    /// # Panics
    /// Never: messages are plain data.
    pub fn to_line(&self) -> String {
        let text = serde_json::to_string(self).expect("messages are plain data");
        format!("{text}\n")
    }

    /// The message of a line; nothing if it is not a message.
    pub fn from_line(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}

/// Whether a node reports the failure of another node; a cause of its own is more precise.
pub fn is_about_others(reason: &Diagnostic) -> bool {
    ["run::node", "node::cannot-leave"].contains(&reason.code)
}

/// Diagnostics without the places they point at: their texts are elsewhere.
mod diagnostics {
    use super::{Diagnostic, Severity};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::BTreeSet;
    use std::sync::{Mutex, PoisonError};

    #[derive(Serialize, Deserialize)]
    struct Portable {
        code: String,
        severity: Severity,
        message: String,
        notes: Vec<String>,
        help: Option<String>,
    }

    pub(super) fn serialize<S: Serializer>(list: &[Diagnostic], to: S) -> Result<S::Ok, S::Error> {
        let portable = |it: &Diagnostic| Portable {
            code: it.code.to_owned(),
            severity: it.severity,
            message: it.message.clone(),
            notes: it.notes.clone(),
            help: it.help.clone(),
        };
        list.iter().map(portable).collect::<Vec<_>>().serialize(to)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(
        from: D,
    ) -> Result<Vec<Diagnostic>, D::Error> {
        let list = Vec::<Portable>::deserialize(from)?;
        let diagnostic = |it: Portable| {
            let plain = Diagnostic::error(interned(it.code), it.message);
            Diagnostic { severity: it.severity, notes: it.notes, help: it.help, ..plain }
        };
        Ok(list.into_iter().map(diagnostic).collect())
    }

    /// A code lives as long as the program: each is kept once.
    fn interned(code: String) -> &'static str {
        static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(code.as_str()) {
            return known;
        }
        let code: &'static str = Box::leak(code.into_boxed_str());
        known.insert(code);
        code
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn outcome(end: NodeEnd) -> NodeOutcome {
        NodeOutcome {
            end,
            tag: Some(Tag { time: Time::from_ticks(-7), microstep: 2 }),
            hashes: vec![("a.x".to_owned(), ValueType::Float64, VariableHash::from_bits(1 << 63))],
            statistics: Statistics { tags: 7, components: 1, ..Statistics::default() },
            timing: RunTiming { late: 3, run: Duration::from_millis(1500), ..RunTiming::default() },
            logged: (1, 2),
            links_remade: 3,
            problems: vec![Diagnostic::warning("run::odd", "odd").with_note("very")],
        }
    }

    #[test]
    fn what_is_reported_arrives_as_it_was() {
        let reasons = vec![Diagnostic::error("run::call", "it failed").help("mend it")];
        let failed = NodeEnd::Failed { reasons, blamed: Some("plant".to_owned()) };
        let tag = Tag { time: Time::from_ticks(3), microstep: u32::MAX };
        let stopped = NodeEnd::Stopped(StopRequest { tag, component: "judge".to_owned() });
        for message in [
            NodeMessage::At(Time::from_ticks(i64::MIN)),
            NodeMessage::End(Box::new(outcome(NodeEnd::Finished))),
            NodeMessage::End(Box::new(outcome(stopped))),
            NodeMessage::End(Box::new(outcome(NodeEnd::Interrupted))),
            NodeMessage::End(Box::new(outcome(failed))),
            NodeMessage::End(Box::new(NodeOutcome::not_begun(Vec::new(), None))),
        ] {
            let line = message.to_line();
            assert_eq!(line.matches('\n').count(), 1, "{line}");
            assert_eq!(NodeMessage::from_line(line.trim_end()), Some(message));
        }
    }

    #[test]
    fn other_lines_are_no_messages() {
        for line in ["", "hello", "{}", "{\"at\": \"x\"}", "{\"end\": {\"end\": \"odd\"}}", "[1]"] {
            assert_eq!(NodeMessage::from_line(line), None, "{line}");
        }
    }
}
