//! The ring with a process for each node: the test (or benchmark) starts itself again for each.

use crate::ring::Ring;
use consort_core::Resolution;
use consort_node::{Authority, Endpoint, JoinOptions, Node};
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// The first word of the arguments of a process that is a node.
pub(crate) const NODE: &str = "ring-node";

/// Whom the certificate is for that all nodes of a ring share.
pub(crate) const CERTIFIED: &str = "ring";

/// What a process must know to be a node.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) ring: Ring,
    pub(crate) index: usize,
    /// Where each node listens, itself included.
    pub(crate) endpoints: Vec<Endpoint>,
    /// How long it rests after each step.
    pub(crate) pace: Duration,
    /// A folder with the files of an authority and of [`CERTIFIED`].
    pub(crate) certificates: Option<String>,
}

impl Place {
    /// The command that makes a process of it, given one that starts this program.
    pub(crate) fn command(&self, mut program: Command) -> Command {
        let Ring { nodes, doubles, steps, capacity } = self.ring;
        let (pace, none) = (self.pace.as_micros() as u64, String::new());
        let numbers =
            [nodes as u64, doubles as u64, steps, u64::from(capacity), self.index as u64, pace];
        program.arg(NODE).args(numbers.map(|number| number.to_string()));
        program.arg(self.certificates.as_ref().unwrap_or(&none));
        program.args(self.endpoints.iter().map(Endpoint::to_string));
        program.stdout(Stdio::piped()).stderr(Stdio::piped());
        program
    }

    fn parse(words: &[String]) -> Option<Place> {
        let (numbers, rest) = words.split_first_chunk::<6>()?;
        let number = |index: usize| numbers[index].parse::<u64>().ok();
        let (certificates, endpoints) = rest.split_first()?;
        let ring = Ring {
            nodes: number(0)? as usize,
            doubles: number(1)? as usize,
            steps: number(2)?,
            capacity: number(3)? as u32,
        };
        Some(Place {
            ring,
            index: number(4)? as usize,
            endpoints: endpoints.iter().map(|text| text.parse().ok()).collect::<Option<_>>()?,
            pace: Duration::from_micros(number(5)?),
            certificates: Some(certificates.clone()).filter(|folder| !folder.is_empty()),
        })
    }

    fn options(&self) -> JoinOptions {
        let topology = Arc::new(self.ring.topology());
        let resolution = Resolution::NANOSECOND;
        let mut options = JoinOptions::new(&Ring::name(self.index), topology, resolution);
        options.listen = Some(self.endpoints[self.index].clone());
        let others = self.endpoints.iter().cloned().enumerate();
        let peers = others.filter(|(index, _)| *index != self.index);
        options.peers =
            peers.map(|(index, at)| (Ring::name(index), at)).collect::<BTreeMap<_, _>>();
        options.patience = Duration::from_secs(3);
        let folder = self.certificates.as_ref().map(Path::new);
        options.tls = folder.map(|folder| Authority::files(folder, CERTIFIED).into());
        // Also in namespaces that a bad network joins.
        options.allows_plain = true;
        options
    }
}

/// Is a node; says `joined`, then when it began and ended and its numbers at the end.
#[expect(clippy::print_stdout, clippy::print_stderr, reason = "that is how it is heard")]
pub(crate) fn serve(words: &[String]) -> ExitCode {
    let place = Place::parse(words).expect("the arguments come from `Place::command`");
    match run(&place, || println!("joined")) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run(place: &Place, joined: impl FnOnce()) -> Result<String, consort_node::NodeError> {
    let mut node = Node::join(place.options())?;
    joined();
    let begin = now();
    let rest = |_| {
        if !place.pace.is_zero() {
            std::thread::sleep(place.pace);
        }
    };
    let x = place.ring.run(place.index, &mut node, rest)?;
    let mut line = format!("{begin} {}", now());
    node.leave(&[])?;
    x.iter().for_each(|x| write!(line, " {:016x}", x.to_bits()).expect("a string takes all"));
    Ok(line)
}

/// Nanoseconds of a clock that all processes of a machine share.
fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// A process that is a node.
pub(crate) struct Running {
    pub(crate) child: Child,
    stdout: BufReader<ChildStdout>,
}

/// What a node says at its end.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Said {
    /// When its first step began [ns].
    pub(crate) begin: u64,
    /// When its last step ended [ns].
    pub(crate) end: u64,
    /// Its numbers.
    pub(crate) x: Vec<f64>,
}

impl Running {
    pub(crate) fn start(mut command: Command) -> Running {
        let mut child = command.spawn().expect("this program starts again");
        let stdout = BufReader::new(child.stdout.take().expect("it was piped"));
        Running { child, stdout }
    }

    /// Waits until all nodes have joined.
    pub(crate) fn wait_until_joined(&mut self) {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("a pipe is readable");
        assert_eq!(line, "joined\n", "{}", self.last_output());
    }

    fn last_output(&mut self) -> String {
        let mut words = String::new();
        let stderr = self.child.stderr.as_mut().expect("it was piped");
        stderr.read_to_string(&mut words).expect("a node says text");
        words
    }

    /// Waits for the end: what it said, or its complaint.
    pub(crate) fn finish(mut self) -> Result<Said, String> {
        let mut text = String::new();
        self.stdout.read_to_string(&mut text).expect("a node says text");
        let words = self.last_output();
        let status = self.child.wait().expect("a child can be waited for");
        let line = text.lines().last().filter(|_| status.success());
        line.and_then(parse).ok_or_else(|| format!("{status}: {words}"))
    }
}

fn parse(line: &str) -> Option<Said> {
    let (begin, rest) = line.split_once(' ')?;
    let (end, rest) = rest.split_once(' ')?;
    let bits = rest.split(' ').map(|word| u64::from_str_radix(word, 16).ok().map(f64::from_bits));
    Some(Said {
        begin: begin.parse().ok()?,
        end: end.parse().ok()?,
        x: bits.collect::<Option<_>>()?,
    })
}
