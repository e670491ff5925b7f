//! The nodes of a run as their starter sees them: who they are, how far they are, how each ended.

pub(crate) mod order;
mod processes;
mod threads;

use super::disturb::Disturber;
use super::starting::Opening;
use super::words::{Ending, Word};
use crate::commands::run::saving::Saving;
use crate::interrupt::Interrupt;
use crate::output::progress::Progress;
use crate::spread::parts::PartsFolder;
use consort_core::{Resolution, Time};
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

pub(crate) use processes::start as start_processes;
pub(crate) use threads::{Telling, run as run_threads};

/// How often the starter looks around when nobody tells anything.
const LOOK_AROUND: Duration = Duration::from_millis(20);
/// How long what a process said at last may take to arrive after its end.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// How long nodes may take to end by themselves after one has died, beyond their patience.
const GRACE: Duration = Duration::from_secs(5);

/// What comes from a node.
pub(crate) enum Heard {
    /// It told something.
    Word(Word),
    /// It will tell nothing more.
    Closed,
}

/// The nodes of a run.
pub(crate) struct Crew {
    pub(crate) members: Vec<Member>,
    words: Receiver<(usize, Heard)>,
    patience: Duration,
    /// When nodes were told to end.
    stopping: Option<Instant>,
    /// The first that ended before its time.
    pub(crate) first_lost: Option<usize>,
}

/// A node, as its starter sees it.
pub(crate) struct Member {
    /// Its name.
    pub(crate) name: String,
    /// Its process; a node that is a thread has none.
    pub(crate) child: Option<Child>,
    /// How far it said it is.
    pub(crate) at: Option<Time>,
    /// What it came to, if it could tell.
    pub(crate) ending: Option<Ending>,
    /// How its process ended.
    pub(crate) status: Option<ExitStatus>,
    /// When that was seen.
    ended: Option<Instant>,
    is_closed: bool,
}

impl Member {
    pub(crate) fn new(name: &str, child: Option<Child>) -> Self {
        let name = name.to_owned();
        let (status, ended) = (None, None);
        Member { name, child, at: None, ending: None, status, ended, is_closed: false }
    }

    /// Whether it has ended.
    fn is_over(&self) -> bool {
        match (&self.child, self.ended) {
            (None, _) => self.is_closed,
            (Some(_), None) => false,
            // Somebody that it started may hold its standard output for longer than it lives.
            (Some(_), Some(ended)) => self.is_closed || LAST_WORDS < ended.elapsed(),
        }
    }

    /// Whether it ended without having come to its end.
    fn is_lost(&self) -> bool {
        self.is_over() && self.ending.as_ref().is_none_or(|ending| !ending.is_finished())
    }

    fn look_after(&mut self) {
        let Some(child) = &mut self.child else { return };
        if self.status.is_none() {
            // A status that cannot be had is asked for again.
            self.status = child.try_wait().ok().flatten();
            self.ended = self.status.map(|_| Instant::now());
        }
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let Some(child) = self.child.as_ref().filter(|_| self.status.is_none()) else { return };
        if let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            // It may have ended by itself meanwhile.
            let _ = rustix::process::kill_process(pid, signal);
        }
    }

    /// Stops its process, as a debugger does.
    pub(crate) fn pause(&self) {
        self.signal(rustix::process::Signal::STOP);
    }

    /// Lets it go on.
    pub(crate) fn go_on(&self) {
        self.signal(rustix::process::Signal::CONT);
    }
}

/// What goes on while nodes compute.
pub(crate) struct Watching<'a, 'b> {
    /// Shows how far the run is.
    pub(crate) progress: &'a mut Progress,
    /// Whether the user wants it to end.
    pub(crate) interrupt: &'a Interrupt,
    /// Where parts of snapshots come together.
    pub(crate) saving: &'a mut Saving,
    /// Where nodes leave them.
    pub(crate) parts: &'a PartsFolder,
    /// Who makes life hard for nodes.
    pub(crate) disturber: Option<Disturber>,
    /// The length of a tick.
    pub(crate) resolution: Resolution,
    /// Makes the folder of the record once every node has begun.
    pub(crate) opening: &'a mut Opening<'b>,
}

impl Crew {
    pub(crate) fn new(
        members: Vec<Member>,
        words: Receiver<(usize, Heard)>,
        patience: Duration,
    ) -> Self {
        Crew { members, words, patience, stopping: None, first_lost: None }
    }

    /// Waits until every node has ended. If one dies or fails, or the user asks for it, the others are
    /// told to end.
    pub(crate) fn watch(&mut self, watching: &mut Watching<'_, '_>) {
        while !self.members.iter().all(Member::is_over) {
            match self.words.recv_timeout(LOOK_AROUND) {
                Ok((index, heard)) => self.hear(index, heard),
                // Threads that are gone have told their last before.
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK_AROUND),
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.hear_all();
            self.members.iter_mut().for_each(Member::look_after);
            if let Some(disturber) = &mut watching.disturber {
                disturber.act(&self.members);
            }
            self.show(watching);
            self.saving(watching);
            // Saving may have taken long: messages of nodes that ended meanwhile are here.
            self.hear_all();
            self.first_lost =
                self.first_lost.or_else(|| self.members.iter().position(Member::is_lost));
            let is_lost = self.first_lost.is_some();
            if watching.interrupt.is_asked() || is_lost || !self.open(watching) {
                self.stop();
            }
            self.end_the_stubborn();
        }
        self.saving(watching);
    }

    fn hear_all(&mut self) {
        while let Ok((index, heard)) = self.words.try_recv() {
            self.hear(index, heard);
        }
    }

    fn hear(&mut self, index: usize, heard: Heard) {
        let member = &mut self.members[index];
        match heard {
            Heard::Word(Word::At(time)) => member.at = Some(time),
            Heard::Word(Word::End(ending)) => {
                member.at = ending.tag.map(|tag| tag.time).or(member.at);
                member.ending = Some(*ending);
            }
            Heard::Closed => member.is_closed = true,
        }
    }

    /// The run is where the node is that is the farthest behind.
    fn show(&self, watching: &mut Watching<'_, '_>) {
        let behind = self.members.iter().map(|member| member.at).min().flatten();
        if let Some(time) = behind {
            watching.progress.at(watching.resolution.to_f64(time));
        }
    }

    /// False if there is no folder to write to.
    fn open(&self, watching: &mut Watching<'_, '_>) -> bool {
        let has_begun = self.members.iter().all(|member| member.at.is_some());
        !has_begun || watching.opening.open()
    }

    fn saving(&self, watching: &mut Watching<'_, '_>) {
        let nodes: Vec<String> = self.members.iter().map(|member| member.name.clone()).collect();
        watching.saving.collect(watching.parts, &nodes);
    }

    fn stop(&mut self) {
        if self.stopping.is_some() {
            return;
        }
        self.stopping = Some(Instant::now());
        for member in &self.members {
            member.signal(rustix::process::Signal::TERM);
            member.go_on();
        }
    }

    fn end_the_stubborn(&self) {
        let limit = self.patience + GRACE;
        if self.stopping.is_some_and(|since| limit < since.elapsed()) {
            self.members.iter().for_each(|member| member.signal(rustix::process::Signal::KILL));
        }
    }
}

/// No node outlives its run.
impl Drop for Crew {
    fn drop(&mut self) {
        for member in &mut self.members {
            if member.status.is_some() {
                continue;
            }
            member.signal(rustix::process::Signal::KILL);
            if let Some(child) = &mut member.child {
                // It was ended; nothing else can be done about it.
                let _ = child.wait();
            }
        }
    }
}
