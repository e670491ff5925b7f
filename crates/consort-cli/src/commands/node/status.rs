//! `consort node status`: the progress of nodes, and what each waits for from which other.

use crate::cli::{NodeStatusArgs, TextFormat};
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::printer::{Printer, one_line};
use consort::distributed::{NodeEntry, running_nodes};
use consort_core::{Diagnostic, Tag};
use consort_node::{Credentials, Endpoint, NodeStatus, Phase, Wait, ask_status_with};
use consort_view::numbers::{duration, short};
use consort_view::table::Table;
use serde_json::{Value, json};
use std::path::Path;

/// What is shown of each node.
const COLUMNS: [&str; 7] = ["node", "at", "state", "waits for", "for", "flow", "since"];
/// How wide the table may be.
const WIDTH: usize = 100;

/// A node, and what it said.
struct Asked {
    /// Its name, if that is known without its answer.
    name: Option<String>,
    endpoint: String,
    answer: Result<NodeStatus, String>,
}

impl Asked {
    fn name(&self) -> &str {
        match (&self.answer, &self.name) {
            (Ok(status), _) => &status.node,
            (Err(_), Some(name)) => name,
            (Err(_), None) => &self.endpoint,
        }
    }
}

/// Asks them all and shows it.
pub(super) fn execute(args: &NodeStatusArgs, printer: &Printer) -> CommandResult {
    let mut asked: Vec<Asked> = Vec::new();
    let secret = args.secret.clone().map(Credentials::Secret);
    let credentials = secret.or_else(|| args.tls.files().map(Credentials::from));
    for node in &args.nodes {
        match Path::new(node).is_dir() {
            true => asked.extend(of_run(Path::new(node))?),
            false => asked.push(ask(None, node, credentials.as_ref())?),
        }
    }
    match args.format {
        TextFormat::Json => printer.data(format!("{:#}\n", to_json(&asked)))?,
        TextFormat::Text => printer.data(text(&asked))?,
    }
    let answered = asked.iter().filter(|asked| asked.answer.is_ok()).count();
    Ok(if answered == 0 { Exit::Failed } else { Exit::Done })
}

/// The nodes of a run that is running.
fn of_run(folder: &Path) -> Result<Vec<Asked>, CommandError> {
    let nodes = running_nodes(folder).ok_or_else(|| not_running(folder))?;
    let ask = |node: NodeEntry| {
        ask(Some(&node.name), &node.endpoint, node.tls.map(Credentials::from).as_ref())
    };
    nodes.into_iter().map(ask).collect()
}

fn not_running(folder: &Path) -> CommandError {
    let message = format!("`{}` holds no distributed run that is running", folder.display());
    let diagnostic = Diagnostic::error("node::not-under-way", message);
    CommandError::failed(diagnostic.help("name the folder of one, or the endpoint of a node"))
}

fn ask(name: Option<&str>, text: &str, tls: Option<&Credentials>) -> Result<Asked, CommandError> {
    let endpoint: Endpoint = text.parse().map_err(|error: consort_node::EndpointError| {
        let diagnostic = Diagnostic::error("cli::endpoint", error.to_string());
        CommandError::invalid(diagnostic.help("or name the folder of a run that is running"))
    })?;
    let answer = ask_status_with(&endpoint, tls).map_err(|error| error.to_string());
    Ok(Asked { name: name.map(str::to_owned), endpoint: text.to_owned(), answer })
}

fn text(asked: &[Asked]) -> String {
    let mut table = Table::new(&COLUMNS);
    for asked in asked {
        table.row(row(asked));
    }
    let mut text = table.lines(WIDTH).join("\n");
    text.push('\n');
    if let Some(circle) = circle(asked) {
        text.push_str(&format!("\nthey wait for each other: {}\n", circle.join(" -> ")));
    }
    for line in silent(asked) {
        text.push_str(&format!("\n{line}\n"));
    }
    text
}

fn row(asked: &Asked) -> Vec<String> {
    let name = asked.name().to_owned();
    let Ok(status) = &asked.answer else {
        let mut cells = vec![String::new(); COLUMNS.len()];
        (cells[0], cells[2]) = (name, "no answer".to_owned());
        return cells;
    };
    let at = status.tag.map(|tag| shown(status, tag)).unwrap_or_default();
    let mut cells = vec![name, at, phase(status).to_owned()];
    match &status.waits {
        Some(wait) => cells.extend(wait_cells(status, wait)),
        None => cells.extend([const { String::new() }; 4]),
    }
    cells
}

fn wait_cells(status: &NodeStatus, wait: &Wait) -> [String; 4] {
    let what = match wait.tag {
        Some(tag) => format!("{} at {}", wait.what, shown(status, tag)),
        None => wait.what.to_string(),
    };
    let since = duration(wait.since.as_secs_f64());
    [wait.for_node.clone(), what, wait.flow.clone().unwrap_or_default(), since]
}

/// A tag as text: `1.5 s`.
fn shown(status: &NodeStatus, tag: Tag) -> String {
    format!("{} s", short(status.resolution.to_f64(tag.time)))
}

fn phase(status: &NodeStatus) -> &'static str {
    match status.phase {
        Phase::Joining => "joining",
        Phase::Running if status.waits.is_none() => "computing",
        Phase::Running => "waiting",
        Phase::Leaving => "done",
        Phase::Failed => "failed",
        _ => "unknown",
    }
}

/// The nodes that a node waits for.
fn waits_for(asked: &Asked) -> Option<&str> {
    let waits = asked.answer.as_ref().ok()?.waits.as_ref()?;
    Some(waits.for_node.as_str())
}

/// Nodes that wait for each other in a circle, the first again at the end. Each was asked at another
/// moment, so a circle that is gone with the next question was none.
fn circle(asked: &[Asked]) -> Option<Vec<&str>> {
    for first in asked {
        let mut path = vec![first.name()];
        let after =
            |name: &str| asked.iter().find(|asked| asked.name() == name).and_then(waits_for);
        while let Some(next) = after(path[path.len() - 1]) {
            let is_back = next == path[0];
            if path.contains(&next) && !is_back {
                break;
            }
            path.push(next);
            if is_back {
                return Some(path);
            }
        }
    }
    None
}

/// The nodes that do not answer, and the nodes that wait for them.
fn silent(asked: &[Asked]) -> Vec<String> {
    let line = |silent: &Asked| {
        let (name, error) = (silent.name(), silent.answer.as_ref().err()?);
        let is_waiting = |asked: &&Asked| waits_for(asked) == Some(name);
        let waiting = asked.iter().filter(is_waiting).map(|asked| format!("`{}`", asked.name()));
        let waiting: Vec<String> = waiting.collect();
        Some(match waiting.is_empty() {
            true => format!("`{name}` does not answer: {}", one_line(error)),
            false => {
                let waiting = waiting.join(", ");
                format!("`{name}` does not answer, and {waiting} cannot continue without it")
            }
        })
    };
    asked.iter().filter_map(line).collect()
}

fn to_json(asked: &[Asked]) -> Value {
    let nodes: Vec<Value> = asked.iter().map(node_to_json).collect();
    json!({ "nodes": nodes, "circle": circle(asked) })
}

fn node_to_json(asked: &Asked) -> Value {
    let status = match &asked.answer {
        Ok(status) => status,
        Err(error) => {
            return json!({ "node": asked.name(), "endpoint": asked.endpoint, "error": error });
        }
    };
    let seconds = |tag: Tag| {
        json!({
            "time": status.resolution.to_f64(tag.time),
            "tick": tag.time.ticks(),
            "microstep": tag.microstep,
        })
    };
    let wait = |wait: &Wait| {
        json!({
            "node": wait.for_node,
            "what": wait.what.to_string(),
            "flow": wait.flow,
            "tag": wait.tag.map(seconds),
            "seconds": wait.since.as_secs_f64(),
        })
    };
    let peers = status.peers.iter().map(|peer| {
        json!({
            "node": peer.node,
            "connected": peer.is_connected,
            "connections": peer.connections,
            "silent_seconds": peer.silent_for.map(|time| time.as_secs_f64()),
        })
    });
    let flows = status.flows.iter().map(|flow| {
        json!({
            "flow": flow.flow,
            "output": flow.is_output,
            "messages": flow.count,
            "next": flow.next.map(seconds),
        })
    });
    json!({
        "node": status.node,
        "endpoint": asked.endpoint,
        "state": phase(status),
        "tag": status.tag.map(seconds),
        "waits": status.waits.as_ref().map(wait),
        "peers": peers.collect::<Vec<_>>(),
        "flows": flows.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_core::{Resolution, Time};
    use consort_node::Need;
    use std::time::Duration;

    /// A node that waits for another, or computes.
    fn node(name: &str, waits_for: Option<&str>) -> Asked {
        let waits = waits_for.map(|other| Wait {
            for_node: other.to_owned(),
            flow: Some(format!("{other}>{name}/present.1/0.1s")),
            tag: Some(Tag::at(Time::from_ticks(1_500_000_000))),
            what: Need::Message,
            since: Duration::from_millis(2500),
        });
        let status = NodeStatus {
            node: name.to_owned(),
            run: [0; 16],
            resolution: Resolution::NANOSECOND,
            phase: Phase::Running,
            tag: Some(Tag::at(Time::from_ticks(1_400_000_000))),
            waits,
            peers: Vec::new(),
            flows: Vec::new(),
        };
        Asked { name: None, endpoint: format!("unix:{name}"), answer: Ok(status) }
    }

    fn dead(name: &str) -> Asked {
        let answer = Err("connection refused".to_owned());
        Asked { name: Some(name.to_owned()), endpoint: "unix:x".to_owned(), answer }
    }

    #[test]
    fn waits_between_nodes_are_a_table() {
        let asked = [node("a", Some("c")), node("b", None), dead("c")];
        insta::assert_snapshot!(text(&asked), @r"
        node  at     state      waits for  for                 flow                since
        a     1.4 s  waiting    c          a message at 1.5 s  c>a/present.1/0.1s  2.5 s
        b     1.4 s  computing
        c            no answer

        `c` does not answer, and `a` cannot continue without it
        ");
        assert!(text(&[dead("c")]).contains("`c` does not answer: connection refused"));
    }

    #[test]
    fn nodes_that_wait_for_each_other_are_pointed_out() {
        let asked = [node("x", Some("a")), node("a", Some("b")), node("b", Some("a"))];
        assert_eq!(circle(&asked), Some(vec!["a", "b", "a"]));
        assert!(text(&asked).contains("they wait for each other: a -> b -> a"));
        assert_eq!(to_json(&asked)["circle"], json!(["a", "b", "a"]));
        assert_eq!(circle(&[node("a", Some("b")), node("b", None)]), None);
    }
}
