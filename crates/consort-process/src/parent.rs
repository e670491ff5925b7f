//! A child's tie to the process that started it.

use rustix::process::{Pid, Signal};
use std::io;
use std::process::Command;

/// Environment variable with the process id of the supervisor. A child whose parent has another id was orphaned before
/// it could ask to end with its parent.
const VARIABLE: &str = "CONSORT_PARENT";

/// Passes the process id of the parent to the child.
pub(crate) fn announce(command: &mut Command) {
    command.env(VARIABLE, std::process::id().to_string());
}

/// Makes this process end with SIGKILL when its parent ends, whatever either of them is doing. Called first thing by a
/// child of a [`Supervisor`](crate::Supervisor).
///
/// # Errors
/// If the system refuses, or the parent has ended already.
pub fn end_with_parent() -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    let expected = std::env::var(VARIABLE).ok().and_then(|text| text.parse::<i32>().ok());
    let found = Pid::as_raw(rustix::process::getppid());
    match expected {
        Some(expected) if expected != found => {
            Err(io::Error::new(io::ErrorKind::NotFound, "the parent process has ended"))
        }
        _ => Ok(()),
    }
}
