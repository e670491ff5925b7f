//! Worker processes: started, spoken to, listened to, ended.

use crate::lease::Lease;
use crate::visit::Effort;
use crate::worker::{Asked, Said};
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// So long the models of workers may take to end, all together.
const FAREWELL: Duration = Duration::from_secs(2);

/// Something heard of a worker.
#[derive(Debug)]
pub(super) enum Event {
    Said(u64, Said),
    /// A line that no worker writes.
    Garbage(u64),
    /// Its output has ended, so it has, or will soon.
    Gone(u64),
}

/// What is known of a worker that is no more.
#[derive(Debug)]
pub(super) struct End {
    pub(super) was_ready: bool,
    pub(super) lease: Option<Lease>,
    /// The last step it told of while it worked on its unit.
    pub(super) at: Option<Vec<u32>>,
    pub(super) effort: Effort,
    /// How its process ended.
    pub(super) how: String,
}

/// All workers of a campaign.
#[derive(Debug)]
pub(super) struct Crew {
    members: BTreeMap<u64, Member>,
    next: u64,
    sender: Sender<Event>,
    receiver: Receiver<Event>,
}

#[derive(Debug)]
struct Member {
    child: Child,
    input: ChildStdin,
    is_ready: bool,
    lease: Option<Lease>,
    at: Option<Vec<u32>>,
    effort: Effort,
    heard: Instant,
}

impl Crew {
    pub(super) fn new() -> Self {
        let (sender, receiver) = channel();
        Crew { members: BTreeMap::new(), next: 0, sender, receiver }
    }

    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// How many are not ready yet.
    pub(super) fn starting(&self) -> usize {
        self.members.values().filter(|member| !member.is_ready).count()
    }

    /// Nobody has a unit.
    pub(super) fn is_idle(&self) -> bool {
        self.members.values().all(|member| member.lease.is_none())
    }

    /// A worker that has nothing to do.
    pub(super) fn idle(&self) -> Option<u64> {
        let is_idle = |member: &Member| member.is_ready && member.lease.is_none();
        self.members.iter().find(|(_, member)| is_idle(member)).map(|(worker, _)| *worker)
    }

    /// What the living have done.
    pub(super) fn effort(&self) -> Effort {
        self.members.values().fold(Effort::default(), |sum, member| sum.plus(&member.effort))
    }

    /// Starts a process in a group of its own: Ctrl-C is the coordinator's to hear.
    pub(super) fn start(&mut self, mut command: Command) -> io::Result<()> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let mut child = command.spawn()?;
        let input = child.stdin.take().expect("it was asked for");
        let output = child.stdout.take().expect("it was asked for");
        let worker = self.next;
        self.next += 1;
        let sender = self.sender.clone();
        std::thread::spawn(move || listen(worker, output, &sender));
        let member = Member {
            child,
            input,
            is_ready: false,
            lease: None,
            at: None,
            effort: Effort::default(),
            heard: Instant::now(),
        };
        self.members.insert(worker, member);
        Ok(())
    }

    /// Tells a worker what to do.
    pub(super) fn ask(&mut self, worker: u64, lease: Lease, asked: &Asked) {
        let Some(member) = self.members.get_mut(&worker) else { return };
        let mut line = serde_json::to_vec(asked).expect("what is asked is plain data");
        line.push(b'\n');
        (member.lease, member.at, member.heard) = (Some(lease), None, Instant::now());
        // If it does not listen any more its output ends as well, and that is heard.
        let _ = member.input.write_all(&line);
    }

    pub(super) fn ready(&mut self, worker: u64) {
        if let Some(member) = self.members.get_mut(&worker) {
            member.is_ready = true;
            member.heard = Instant::now();
        }
    }

    /// A sign of life; returns the lease it is of.
    pub(super) fn at(&mut self, worker: u64, prefix: Vec<u32>) -> Option<Lease> {
        let member = self.members.get_mut(&worker)?;
        (member.at, member.heard) = (Some(prefix), Instant::now());
        member.lease.clone()
    }

    /// A unit is done; returns its lease.
    pub(super) fn done(&mut self, worker: u64, effort: Effort) -> Option<Lease> {
        let member = self.members.get_mut(&worker)?;
        (member.effort, member.heard) = (effort, Instant::now());
        member.lease.take()
    }

    /// Workers that should have said something by now.
    pub(super) fn silent(&self, silence: Duration) -> Vec<u64> {
        let is_busy = |member: &Member| !member.is_ready || member.lease.is_some();
        let is_silent = |member: &Member| is_busy(member) && silence <= member.heard.elapsed();
        let silent = self.members.iter().filter(|(_, member)| is_silent(member));
        silent.map(|(worker, _)| *worker).collect()
    }

    /// Something that was said, if anything is within `time`.
    pub(super) fn wait(&self, time: Duration) -> Option<Event> {
        self.receiver.recv_timeout(time).ok()
    }

    /// Ends a worker, if it is not over, and forgets it.
    pub(super) fn bury(&mut self, worker: u64) -> Option<End> {
        let mut member = self.members.remove(&worker)?;
        let how = finish(&mut member.child);
        Some(End {
            was_ready: member.is_ready,
            lease: member.lease,
            at: member.at,
            effort: member.effort,
            how,
        })
    }

    /// Ends them all. One that has nothing to do ends by itself when nothing more is asked of it: so it takes
    /// its models with it, and the folders they worked in.
    pub(super) fn dismiss(&mut self) {
        let members = std::mem::take(&mut self.members);
        let mut leaving = Vec::new();
        for Member { mut child, input, is_ready, lease, .. } in members.into_values() {
            drop(input);
            match is_ready && lease.is_none() {
                true => leaving.push(child),
                false => end(&mut child),
            }
        }
        let began = Instant::now();
        for mut child in leaving {
            while matches!(child.try_wait(), Ok(None)) && began.elapsed() < FAREWELL {
                std::thread::sleep(Duration::from_millis(1));
            }
            end(&mut child);
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.dismiss();
    }
}

fn listen(worker: u64, output: ChildStdout, sender: &Sender<Event>) {
    for line in BufReader::new(output).lines() {
        let said = line.ok().and_then(|line| serde_json::from_str::<Said>(&line).ok());
        let event = said.map_or(Event::Garbage(worker), |said| Event::Said(worker, said));
        // Nobody listens once the campaign is over.
        if sender.send(event).is_err() {
            return;
        }
    }
    let _ = sender.send(Event::Gone(worker));
}

/// Ends a process; one that is over already stays so.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// Ends a process that is not over yet; says how it ended if it was.
fn finish(child: &mut Child) -> String {
    // Whoever closed its output is about to end; a moment lets it do so on its own.
    for _ in 0..20 {
        if let Ok(Some(status)) = child.try_wait() {
            return told(status);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let _ = child.kill();
    match child.wait() {
        Ok(status) => told(status),
        Err(_) => "its worker is gone".to_owned(),
    }
}

fn told(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("its worker ended with exit code {code}"),
        (None, Some(signal)) => format!("its worker was ended by signal {signal}{}", name(signal)),
        (None, None) => "its worker is gone".to_owned(),
    }
}

fn name(signal: i32) -> &'static str {
    match signal {
        4 => " (illegal instruction)",
        6 => " (abort)",
        7 => " (bus error)",
        8 => " (arithmetic)",
        9 => " (killed)",
        11 => " (segmentation fault)",
        _ => "",
    }
}
