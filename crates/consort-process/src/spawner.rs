//! The thread that starts processes.
//!
//! Linux ties a process that must not outlive its parent to the *thread* that started it. Callers' threads come and
//! go, so one thread starts all processes and stays until this process ends.

use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

type Job = Box<dyn FnOnce() + Send>;

/// Starts a process from the thread that lives as long as this process: a child that
/// [ends with its parent](crate::end_with_parent) then outlives the calling thread.
///
/// # Errors
/// If the process, or the thread, cannot be started.
pub fn spawn(mut command: Command) -> io::Result<Child> {
    let (sender, receiver) = mpsc::channel();
    let job = move || {
        // The receiver waits below.
        let _ = sender.send(command.spawn());
    };
    submit(Box::new(job))?;
    receiver.recv().map_err(io::Error::other)?
}

fn submit(job: Job) -> io::Result<()> {
    static SPAWNER: Mutex<Option<mpsc::Sender<Job>>> = Mutex::new(None);
    let mut spawner = SPAWNER.lock().unwrap_or_else(PoisonError::into_inner);
    let sender = match &mut *spawner {
        Some(sender) => sender,
        none => none.insert(start()?),
    };
    sender.send(job).map_err(|_| io::Error::other("the thread that starts processes has ended"))
}

fn start() -> io::Result<mpsc::Sender<Job>> {
    let (sender, jobs) = mpsc::channel::<Job>();
    let work = move || jobs.iter().for_each(|job| job());
    thread::Builder::new().name("consort-spawner".to_owned()).spawn(work)?;
    Ok(sender)
}
