//! How a worker makes a copy of itself.

use crate::protocol::{DONE, FAILED, Writer, write_error};
use consort_core::{CallError, CallStatus};

/// Which of the two processes this is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// The one that was asked.
    Original,
    /// The copy.
    Copy,
}

/// Becomes two processes; the original answers with the number of the copy.
///
/// Both are children of the process that started the original, which can wait for either.
pub(crate) fn split(reply: &mut Writer<'_>) -> Side {
    match copy_process() {
        Ok(0) => {
            settle();
            return Side::Copy;
        }
        Ok(pid) => {
            reply.byte(DONE);
            reply.word32(pid);
        }
        Err(error) => {
            reply.byte(FAILED);
            let status = CallStatus::Refused(format!("its process cannot be copied: {error}"));
            write_error(reply, &CallError::new("copy its process", status));
        }
    }
    Side::Original
}

/// What a process inherits by this call only.
fn settle() {
    // SAFETY: settings of this process: it is ended along with the one that started it, and on its own.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::setpgid(0, 0);
    }
}

/// `struct clone_args` of `linux/sched.h`.
#[repr(C)]
#[derive(Default)]
struct CloneArguments {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
}

/// The number of the copy, or 0 in the copy.
fn copy_process() -> Result<u32, std::io::Error> {
    let own = own_number();
    // The C library has its own number in memory, which the kernel keeps right for the copy.
    let place =
        if own == 0 { 0 } else { (libc::CLONE_CHILD_SETTID | libc::CLONE_CHILD_CLEARTID) as u64 };
    let arguments = CloneArguments {
        flags: libc::CLONE_PARENT as u64 | place,
        child_tid: own,
        ..CloneArguments::default()
    };
    let size = size_of::<CloneArguments>();
    // SAFETY: as `fork`, with another parent: the copy continues with a copy of this stack. There is one
    // thread only, so no other thread holds a lock.
    let result = unsafe { libc::syscall(libc::SYS_clone3, &raw const arguments, size) };
    u32::try_from(result).map_err(|_| std::io::Error::last_os_error())
}

/// Where the C library keeps the number of this thread; 0 if the kernel does not report it.
pub(crate) fn own_number() -> u64 {
    const PR_GET_TID_ADDRESS: libc::c_int = 40;
    let mut place: u64 = 0;
    // SAFETY: the kernel writes an address to a place for one.
    let result = unsafe { libc::prctl(PR_GET_TID_ADDRESS, &raw mut place) };
    if result == 0 { place } else { 0 }
}
