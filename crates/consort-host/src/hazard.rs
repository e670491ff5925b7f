//! Hazards: what a model has or does that a copy of its memory or of its process does not contain.
//!
//! Everything is read from `/proc`, from outside; what a worker had before anything was loaded does not
//! count.

use super::protocol::Op;
use super::worker::Worker;
use consort_core::model::CallResult;
use consort_core::{CallError, CallStatus, Provider};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Something a model does that keeps its state from being saved in some ways.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hazard {
    /// What kind of thing it is.
    pub kind: HazardKind,
    /// What exactly was seen, for a person.
    pub what: String,
    /// The providers that cannot save a model that does this.
    pub refuses: &'static [Provider],
}

impl fmt::Display for Hazard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

/// Kinds of [`Hazard`]s.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum HazardKind {
    /// A second thread that has slept all the time.
    SleepingThread,
    /// A second thread that works.
    BusyThread,
    /// A process that the model has started.
    ChildProcess,
    /// A file that is open for writing.
    FileWritten,
    /// A file that is open for reading: copies of a process share the place in it.
    FileRead,
    /// A connection to another process.
    Socket,
    /// A pipe.
    Pipe,
    /// A graphics card.
    Gpu,
    /// Another device that is open.
    Device,
    /// Memory that is shared with others and may be written.
    SharedMemory,
    /// A timer, queue or counter inside of the kernel.
    KernelObject,
}

impl HazardKind {
    /// The providers that cannot save a model that does this.
    pub fn refuses(self) -> &'static [Provider] {
        match self {
            // A copy of a process has one thread only, and reads on where any other copy stopped.
            HazardKind::SleepingThread | HazardKind::FileRead => &[Provider::Fork],
            _ => &[Provider::Image, Provider::Fork],
        }
    }
}

/// A file of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OpenFile {
    /// The number of the file descriptor.
    pub(crate) number: i32,
    /// What it is, as `/proc` names it.
    pub(crate) target: String,
    /// Where the next byte is read.
    pub(crate) place: u64,
    flags: u32,
}

impl OpenFile {
    fn of(pid: i32, number: i32) -> io::Result<Self> {
        let target = fs::read_link(format!("/proc/{pid}/fd/{number}"))?;
        let info = fs::read_to_string(format!("/proc/{pid}/fdinfo/{number}"))?;
        let field = |name| {
            let line = info.lines().find_map(|line| line.strip_prefix(name));
            line.map_or("0", str::trim)
        };
        Ok(OpenFile {
            number,
            target: target.to_string_lossy().into_owned(),
            place: field("pos:").parse().unwrap_or(0),
            flags: u32::from_str_radix(field("flags:"), 8).unwrap_or(0),
        })
    }

    fn is_written(&self) -> bool {
        self.flags & libc::O_ACCMODE as u32 != libc::O_RDONLY as u32
    }

    /// What is dangerous about it, if anything is.
    fn hazard(&self) -> Option<Hazard> {
        let target = self.target.as_str();
        let (kind, what) = match target {
            _ if target.starts_with("socket:") => {
                (HazardKind::Socket, "a socket is open".to_owned())
            }
            _ if target.starts_with("pipe:") => (HazardKind::Pipe, "a pipe is open".to_owned()),
            _ if target.starts_with("anon_inode:[userfaultfd]") => return None,
            _ if target.starts_with("anon_inode:") => {
                let name = target.trim_start_matches("anon_inode:").trim_matches(['[', ']']);
                (HazardKind::KernelObject, format!("`{name}` of the kernel is used"))
            }
            "/dev/null" | "/dev/zero" | "/dev/urandom" | "/dev/random" => return None,
            _ if is_gpu(target) => {
                (HazardKind::Gpu, format!("the graphics card `{target}` is used"))
            }
            _ if target.starts_with("/dev/") && !target.starts_with("/dev/shm/") => {
                (HazardKind::Device, format!("the device `{target}` is open"))
            }
            _ if self.is_written() => {
                (HazardKind::FileWritten, format!("the file `{target}` is open for writing"))
            }
            _ => (HazardKind::FileRead, format!("the file `{target}` is open for reading")),
        };
        Some(hazard(kind, what))
    }
}

fn unseen(error: &io::Error) -> Box<CallError> {
    let reason = format!("its process cannot be inspected: {error}");
    CallError::new("look for hazards", CallStatus::Refused(reason))
}

fn hazard(kind: HazardKind, what: String) -> Hazard {
    Hazard { kind, what, refuses: kind.refuses() }
}

fn is_gpu(path: &str) -> bool {
    path.starts_with("/dev/nvidia") || path.starts_with("/dev/dri/") || path == "/dev/kfd"
}

/// How long a thread that was not seen before has to show that it works.
const THREAD_PATIENCE: Duration = Duration::from_millis(2);

/// Looks at a process again and again, and knows what it was like before.
pub(crate) struct Probe {
    pid: i32,
    /// Descriptors and shared mappings of before.
    usual_files: BTreeSet<i32>,
    usual_memory: BTreeSet<String>,
    /// For every other thread, the time it had run when it was first seen.
    threads: BTreeMap<i32, u64>,
}

impl Probe {
    /// Remembers what a worker has before a model is loaded.
    ///
    /// # Errors
    /// If there is no such process.
    pub(crate) fn new(worker: &mut Worker) -> CallResult<Self> {
        // What it opens for itself is there once it answers.
        worker.ask(Op::Tasks, |_| ())?;
        Self::of(worker.pid()).map_err(|error| unseen(&error))
    }

    fn of(pid: i32) -> io::Result<Self> {
        let usual_files = numbers_in(format!("/proc/{pid}/fd"))?;
        let maps = fs::read_to_string(format!("/proc/{pid}/maps"))?;
        let usual_memory = shared_memory(&maps).collect();
        Ok(Probe { pid, usual_files, usual_memory, threads: BTreeMap::new() })
    }

    /// How many files the process had open before.
    pub(crate) fn usual_file_count(&self) -> u64 {
        self.usual_files.len() as u64
    }

    /// Continues with a copy of the process.
    pub(crate) fn follow(&mut self, pid: i32) {
        self.pid = pid;
    }

    /// All that is dangerous now.
    ///
    /// # Errors
    /// If there is no such process.
    pub(crate) fn look(&mut self) -> CallResult<Vec<Hazard>> {
        self.look_at_all().map_err(|error| unseen(&error))
    }

    fn look_at_all(&mut self) -> io::Result<Vec<Hazard>> {
        let maps = fs::read_to_string(format!("/proc/{}/maps", self.pid))?;
        let mut hazards = self.look_at_threads()?;
        hazards.extend(self.look_at_children()?);
        hazards.extend(self.files()?.iter().filter_map(OpenFile::hazard));
        let new = shared_memory(&maps).filter(|line| !self.usual_memory.contains(line));
        for line in new {
            let name = line.find('/').map(|start| &line[start..]);
            let (kind, what) = match name {
                Some(name) if is_gpu(name) => (HazardKind::Gpu, "the graphics card's memory"),
                Some(name) if name.starts_with("/SYSV") => {
                    (HazardKind::SharedMemory, "System V memory")
                }
                _ => (HazardKind::SharedMemory, "memory"),
            };
            let name = name.map_or(String::new(), |name| format!(" (`{name}`)"));
            hazards.push(hazard(
                kind,
                format!("{what} is shared with others and may be written{name}"),
            ));
        }
        Ok(hazards)
    }

    /// The files that were opened since.
    ///
    /// # Errors
    /// If there is no such process.
    pub(crate) fn files(&self) -> io::Result<Vec<OpenFile>> {
        let now = numbers_in(format!("/proc/{}/fd", self.pid))?;
        now.difference(&self.usual_files).map(|number| OpenFile::of(self.pid, *number)).collect()
    }

    /// The other threads, and whether each of them has slept since it was first seen.
    ///
    /// # Errors
    /// If there is no such process.
    pub(crate) fn look_at_threads(&mut self) -> io::Result<Vec<Hazard>> {
        let mut now = other_threads(self.pid)?;
        if now.keys().any(|thread| !self.threads.contains_key(thread)) {
            for (thread, (_, ran)) in &now {
                self.threads.entry(*thread).or_insert(*ran);
            }
            std::thread::sleep(THREAD_PATIENCE);
            now = other_threads(self.pid)?;
        }
        let mut hazards = Vec::new();
        for (thread, (state, ran)) in &now {
            let before = *self.threads.entry(*thread).or_insert(*ran);
            hazards.push(if before == *ran && matches!(state, 'S' | 'I' | 'D') {
                let what = "a second thread exists, which sleeps".to_owned();
                hazard(HazardKind::SleepingThread, what)
            } else {
                hazard(HazardKind::BusyThread, "a second thread works on its own".to_owned())
            });
        }
        self.threads.retain(|thread, _| now.contains_key(thread));
        Ok(hazards)
    }

    /// Where each of the other threads sleeps, oldest first, as far as the kernel reports it: in which call, with
    /// which arguments, stack and place in the program; or else in which of its own functions.
    ///
    /// # Errors
    /// If there is no such process.
    pub(crate) fn sleepers(&self) -> io::Result<Vec<String>> {
        let others = numbers_in(format!("/proc/{}/task", self.pid))?;
        let others = others.iter().filter(|thread| **thread != self.pid);
        let place = |thread: &i32| {
            let read =
                |name| fs::read_to_string(format!("/proc/{}/task/{thread}/{name}", self.pid));
            read("syscall").or_else(|_| read("wchan")).unwrap_or_default()
        };
        Ok(others.map(place).collect())
    }

    fn look_at_children(&self) -> io::Result<Option<Hazard>> {
        let path = format!("/proc/{0}/task/{0}/children", self.pid);
        let children =
            if Path::new(&path).exists() { fs::read_to_string(path)? } else { String::new() };
        let count = children.split_whitespace().count();
        let what = format!("{count} processes were started by it");
        Ok((0 < count).then(|| hazard(HazardKind::ChildProcess, what)))
    }
}

/// State and running time in nanoseconds of every thread but the first.
fn other_threads(pid: i32) -> io::Result<BTreeMap<i32, (char, u64)>> {
    let mut threads = BTreeMap::new();
    for thread in numbers_in(format!("/proc/{pid}/task"))? {
        if thread == pid {
            continue;
        }
        let read = |name| fs::read_to_string(format!("/proc/{pid}/task/{thread}/{name}"));
        // A thread may end while one looks.
        let (Ok(stat), Ok(times)) = (read("stat"), read("schedstat")) else { continue };
        let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next()).unwrap_or('?');
        let ran = times.split(' ').next().and_then(|time| time.parse().ok()).unwrap_or(0);
        threads.insert(thread, (state, ran));
    }
    Ok(threads)
}

fn numbers_in(folder: String) -> io::Result<BTreeSet<i32>> {
    let names = fs::read_dir(folder)?.filter_map(Result::ok).map(|entry| entry.file_name());
    Ok(names.filter_map(|name| name.to_str()?.parse().ok()).collect())
}

/// The mappings that are shared and may be written: where they are, and of which file, if of one. The place
/// in the file does not count: copies of a process have other places in the memory they share with us.
fn shared_memory(maps: &str) -> impl Iterator<Item = String> {
    let shared = maps.lines().filter(|line| {
        let rights = line.split(' ').nth(1).unwrap_or("");
        rights.contains('w') && rights.ends_with('s')
    });
    shared.map(|line| {
        let (addresses, rest) = line.split_once(' ').unwrap_or((line, ""));
        let file = rest.find('/').map_or("", |start| &rest[start..]);
        format!("{addresses} {file}")
    })
}
