//! Memory that two processes share: a command from us, a reply from the worker, its log, and one word
//! for whose turn it is.
//!
//! The memory is an unnamed file with room for any number of slots, one per process: copies of a worker
//! (see the fork provider) get slots of their own in it. It is reserved in large pieces and costs what is
//! touched. A worker maps its slot at one fixed address, so that its image fits another process.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// How much is reserved for one process.
const SLOT_BYTES: usize = 256 << 20;
/// Before the parts, on a page of its own.
const HEADER_BYTES: usize = 4096;
/// The most that one log may take between two commands.
const LOG_BYTES: usize = 16 << 20;
/// The largest command, and the largest reply.
pub(crate) const PART_BYTES: usize = (SLOT_BYTES - HEADER_BYTES - LOG_BYTES) / 2;

/// Where a worker has its slot: far from where the kernel puts programs, libraries and stacks.
const WORKER_ADDRESS: usize = 0x1000_0000_0000;

/// There is no command, or the worker has answered: the host's turn.
const OURS: u32 = 0;
/// There is a command: the worker's turn.
const THEIRS: u32 = 1;

/// What is at the start of a slot.
#[repr(C)]
pub(crate) struct Header {
    /// The side whose turn it is.
    turn: AtomicU32,
    /// How far the worker is within a command that has several parts.
    pub(crate) stage: AtomicU32,
    pub(crate) command_bytes: AtomicU64,
    pub(crate) reply_bytes: AtomicU64,
    /// How many bytes of log were ever written here, by the worker; they go round and round.
    log_written: AtomicU64,
    /// How many of them were taken, by us.
    log_taken: AtomicU64,
    /// Lines that had no room.
    pub(crate) log_lost: AtomicU64,
    /// How long the instance took for the last command, in nanoseconds.
    pub(crate) call_time: AtomicU64,
}

/// One slot, mapped into this process.
pub(crate) struct Channel {
    file: Arc<OwnedFd>,
    slot: u32,
    base: NonNull<u8>,
}

// SAFETY: the mapping belongs to the channel alone and moves with it; what is shared is shared with
// another process, and taken in turns.
unsafe impl Send for Channel {}

impl Channel {
    /// New memory, with its first slot.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn create() -> io::Result<Channel> {
        Self::map(Arc::new(memory_file(c"consort-channel")?), 0, None)
    }

    /// Another slot of the same memory, for another process.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn sibling(&self, slot: u32) -> io::Result<Channel> {
        Self::map(Arc::clone(&self.file), slot, None)
    }

    /// The first slot, in the worker.
    ///
    /// # Errors
    /// If `file` is no such memory.
    pub(crate) fn adopt(file: OwnedFd) -> io::Result<Channel> {
        Self::map(Arc::new(file), 0, Some(WORKER_ADDRESS))
    }

    /// Goes over to another slot, in the worker: at the same address. Allocates nothing.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn move_to(&mut self, slot: u32) -> io::Result<()> {
        // SAFETY: what is replaced is this channel's own mapping, of the same length.
        unsafe { map_at(&self.file, slot, self.base.as_ptr(), libc::MAP_FIXED) }?;
        self.slot = slot;
        Ok(())
    }

    fn map(file: Arc<OwnedFd>, slot: u32, address: Option<usize>) -> io::Result<Channel> {
        let needed = SLOT_BYTES as u64 * (u64::from(slot) + 1);
        let handle = File::from(file.try_clone()?);
        if handle.metadata()?.len() < needed {
            handle.set_len(needed)?;
        }
        let (wanted, flags) = match address {
            Some(address) => (address as *mut u8, libc::MAP_FIXED_NOREPLACE),
            None => (std::ptr::null_mut(), 0),
        };
        // SAFETY: a place is taken that is free.
        let base = unsafe { map_at(&file, slot, wanted, flags) }?;
        Ok(Channel { file, slot, base })
    }

    /// The file, to be handed to a new process.
    pub(crate) fn file(&self) -> &OwnedFd {
        &self.file
    }

    /// Which slot of the memory this is.
    pub(crate) fn slot(&self) -> u32 {
        self.slot
    }

    pub(crate) fn header(&self) -> &Header {
        // SAFETY: the mapping begins with a header, of atomics only, and lives as long as `self`.
        unsafe { self.base.cast().as_ref() }
    }

    /// The command.
    pub(crate) fn command(&self) -> &[u8] {
        let length = self.header().command_bytes.load(Ordering::Relaxed);
        &self.part(HEADER_BYTES)[..bounded(length, PART_BYTES)]
    }

    /// The reply.
    pub(crate) fn reply(&self) -> &[u8] {
        let length = self.header().reply_bytes.load(Ordering::Relaxed);
        &self.part(HEADER_BYTES + PART_BYTES)[..bounded(length, PART_BYTES)]
    }

    /// Where the command is written.
    pub(crate) fn command_place(&mut self) -> &mut [u8] {
        // SAFETY: inside the mapping; the worker reads it only in its turn.
        unsafe { std::slice::from_raw_parts_mut(self.base.as_ptr().add(HEADER_BYTES), PART_BYTES) }
    }

    /// The header, what was asked, and where to answer.
    pub(crate) fn sides(&mut self) -> (&Header, &[u8], &mut [u8]) {
        let reply = self.base.as_ptr().wrapping_add(HEADER_BYTES + PART_BYTES);
        // SAFETY: inside the mapping and apart from the command; the other side waits meanwhile.
        let reply = unsafe { std::slice::from_raw_parts_mut(reply, PART_BYTES) };
        (self.header(), self.command(), reply)
    }

    /// Where the log begins.
    fn log_start(&self) -> *mut u8 {
        self.base.as_ptr().wrapping_add(HEADER_BYTES + 2 * PART_BYTES)
    }

    /// Whether there is something in the log.
    pub(crate) fn has_log(&self) -> bool {
        let header = self.header();
        header.log_written.load(Ordering::Acquire) != header.log_taken.load(Ordering::Relaxed)
    }

    /// Takes the log so far. Threads of a model may write to it at any time, also between two commands.
    pub(crate) fn take_log(&self) -> Vec<u8> {
        let header = self.header();
        let taken = header.log_taken.load(Ordering::Relaxed);
        let written = header.log_written.load(Ordering::Acquire);
        let length = bounded(written.wrapping_sub(taken), LOG_BYTES);
        let (first, second) = around(taken, length);
        let mut bytes = Vec::with_capacity(length);
        for (at, length) in [first, second] {
            // SAFETY: inside the mapping; the worker does not write there before it is marked as taken.
            bytes.extend_from_slice(unsafe {
                std::slice::from_raw_parts(self.log_start().add(at), length)
            });
        }
        header.log_taken.store(written, Ordering::Release);
        bytes
    }

    /// Adds a line to the log, in the worker; whether there was room.
    pub(crate) fn write_log(&mut self, line: &[u8]) -> bool {
        let header = self.header();
        let written = header.log_written.load(Ordering::Relaxed);
        let waiting = written.wrapping_sub(header.log_taken.load(Ordering::Acquire));
        if LOG_BYTES - bounded(waiting, LOG_BYTES) < line.len() {
            return false;
        }
        let (first, second) = around(written, line.len());
        for ((at, length), part) in [(first, &line[..first.1]), (second, &line[first.1..])] {
            // SAFETY: inside the mapping; only one thread writes lines.
            let place = unsafe { std::slice::from_raw_parts_mut(self.log_start().add(at), length) };
            place.copy_from_slice(part);
        }
        header.log_written.store(written.wrapping_add(line.len() as u64), Ordering::Release);
        true
    }

    fn part(&self, offset: usize) -> &[u8] {
        // SAFETY: inside the mapping; the other side waits while this one looks.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr().add(offset), PART_BYTES) }
    }

    /// Another handle on the same mapping, which is never unmapped.
    ///
    /// # Safety
    /// The channel outlives the result and stays at the same address.
    pub(crate) unsafe fn alias(&self) -> std::mem::ManuallyDrop<Channel> {
        let (file, slot, base) = (Arc::clone(&self.file), self.slot, self.base);
        std::mem::ManuallyDrop::new(Channel { file, slot, base })
    }

    /// Takes the turn from a process that may have ended in it: the slot is free for another one.
    pub(crate) fn reset(&self) {
        self.header().turn.store(OURS, Ordering::Release);
    }

    /// Gives the turn to the worker.
    pub(crate) fn ask(&self) {
        self.pass(THEIRS);
    }

    /// Gives the turn back.
    pub(crate) fn answer(&self) {
        self.pass(OURS);
    }

    /// Waits, at most so long, until the worker has answered; whether it has.
    pub(crate) fn wait_for_answer(&self, longest: Duration) -> bool {
        let turn = &self.header().turn;
        if turn.load(Ordering::Acquire) == OURS {
            return true;
        }
        futex_wait(turn, THEIRS, Some(longest));
        turn.load(Ordering::Acquire) == OURS
    }

    /// Sleeps until there is something to do.
    pub(crate) fn wait_for_command(&self) {
        let turn = &self.header().turn;
        while turn.load(Ordering::Acquire) != THEIRS {
            futex_wait(turn, OURS, None);
        }
    }

    fn pass(&self, to: u32) {
        let turn = &self.header().turn;
        turn.store(to, Ordering::Release);
        // SAFETY: a wake-up of the process that waits for a word that is mapped.
        unsafe { libc::syscall(libc::SYS_futex, turn.as_ptr(), libc::FUTEX_WAKE, 1) };
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by this channel, and nothing borrowed from it is left.
        unsafe { libc::munmap(self.base.as_ptr().cast(), SLOT_BYTES) };
    }
}

/// The one or two pieces, each a place and a length, of `length` bytes of the log that begin at a position which
/// counts all that were ever written.
fn around(position: u64, length: usize) -> ((usize, usize), (usize, usize)) {
    let at = bounded(position % LOG_BYTES as u64, LOG_BYTES);
    let first = length.min(LOG_BYTES - at);
    ((at, first), (0, length - first))
}

/// A length that the other side has written, as far as it makes sense.
fn bounded(length: u64, most: usize) -> usize {
    usize::try_from(length).map_or(most, |length| length.min(most))
}

/// A file without a name, in memory.
///
/// # Errors
/// If the system refuses.
pub(crate) fn memory_file(name: &std::ffi::CStr) -> io::Result<OwnedFd> {
    // SAFETY: the name ends in NUL.
    let file = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if file < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a descriptor that was just made and has one owner.
    Ok(unsafe { OwnedFd::from_raw_fd(file) })
}

/// # Safety
/// With `MAP_FIXED`, what is at `address` is the caller's and not in use.
unsafe fn map_at(
    file: &OwnedFd,
    slot: u32,
    address: *mut u8,
    flags: libc::c_int,
) -> io::Result<NonNull<u8>> {
    let offset = i64::from(slot) * SLOT_BYTES as i64;
    let (rights, file) = (libc::PROT_READ | libc::PROT_WRITE, file.as_raw_fd());
    let flags = libc::MAP_SHARED | libc::MAP_NORESERVE | flags;
    // SAFETY: the caller's promise; every other mapping is put where there is none.
    let base = unsafe { libc::mmap(address.cast(), SLOT_BYTES, rights, flags, file, offset) };
    match NonNull::new(base.cast::<u8>()) {
        Some(base) if base.as_ptr().cast() != libc::MAP_FAILED => Ok(base),
        _ => Err(io::Error::last_os_error()),
    }
}

fn futex_wait(word: &AtomicU32, while_it_is: u32, longest: Option<Duration>) {
    let timeout = longest.map(|longest| libc::timespec {
        tv_sec: i64::try_from(longest.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: longest.subsec_nanos().into(),
    });
    let timeout = timeout.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the word is mapped, the time is on our stack; an early return is checked by the caller.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, while_it_is, timeout);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of a thread that writes whenever it likes, while the other side takes what is there.
    #[test]
    fn a_log_that_is_taken_while_it_is_written_loses_and_mixes_nothing() {
        const LINES: u32 = 400_000;
        let ours = Channel::create().unwrap();
        // SAFETY: `ours` outlives the thread and stays where it is.
        let mut theirs = unsafe { ours.alias() };
        let mut seen = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for number in 0..LINES {
                    while !theirs.write_log(&[&[b'x'; 95][..], &number.to_le_bytes()].concat()) {}
                }
            });
            while seen.len() < LINES as usize {
                let log = ours.take_log();
                assert_eq!(log.len() % 99, 0);
                seen.extend(
                    log.chunks(99)
                        .map(|line| u32::from_le_bytes(line[95..].try_into().expect("four bytes"))),
                );
            }
        });
        assert!(seen.into_iter().eq(0..LINES));
    }
}
