//! The thread that starts processes.
//!
//! A process that shall not outlive us is tied by the kernel to the *thread* that started it. Instances
//! are made on threads that come and go, so one thread starts all and stays.

use std::io;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

type Job = Box<dyn FnOnce() + Send>;

/// Does something on the thread that stays.
///
/// # Errors
/// If there can be no such thread.
pub(super) fn run<T: Send + 'static>(job: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
    let (give, take) = mpsc::channel();
    let job = move || {
        // Whoever asked waits below.
        let _ = give.send(job());
    };
    send(Box::new(job))?;
    take.recv().map_err(io::Error::other)
}

fn send(job: Job) -> io::Result<()> {
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
