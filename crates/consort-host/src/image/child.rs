//! What a worker does for its image on request: only it can watch, map and unmap its own memory.
//!
//! The memory around this code is about to be put back to an earlier time: nothing here allocates or
//! keeps anything, there are system calls only.

use super::layout::{Backing, Mapping, Repair};
use crate::protocol::{Read, Reader, Writer, invalid};
use std::io;
use std::ops::Range;

/// What a worker does for its image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Task {
    /// To open the descriptor that watches memory.
    Watch,
    /// To report where the C library keeps the number of its thread.
    OwnNumber,
    /// To have these addresses watched by that descriptor.
    Register(u64, Range<u64>),
    /// To change its mappings.
    Repair(Repair),
    /// To move on in an open file.
    Seek(i32, u64),
    /// To close a file.
    Close(i32),
    /// To open a file for reading under that number.
    Open(i32, String),
}

impl Task {
    /// Puts it into a command.
    pub(super) fn write(&self, writer: &mut Writer<'_>) {
        match self {
            Task::Watch => writer.byte(WATCH),
            Task::OwnNumber => writer.byte(OWN_NUMBER),
            Task::Register(descriptor, addresses) => {
                writer.byte(REGISTER);
                writer.word(*descriptor);
                write_range(writer, addresses);
            }
            Task::Repair(repair) => write_repair(writer, repair),
            Task::Seek(file, place) => {
                writer.byte(SEEK);
                writer.word32(*file as u32);
                writer.word(*place);
            }
            Task::Close(file) => {
                writer.byte(CLOSE);
                writer.word32(*file as u32);
            }
            Task::Open(file, path) => {
                writer.byte(OPEN);
                writer.word32(*file as u32);
                write_path(writer, path);
            }
        }
    }
}

const WATCH: u8 = 1;
const REGISTER: u8 = 2;
const HEAP_END: u8 = 3;
const UNMAP: u8 = 4;
const PROTECT: u8 = 5;
const MAP_MEMORY: u8 = 6;
const MAP_FILE: u8 = 7;
const SEEK: u8 = 8;
const CLOSE: u8 = 9;
const OPEN: u8 = 10;
const OWN_NUMBER: u8 = 11;

fn write_range(writer: &mut Writer<'_>, addresses: &Range<u64>) {
    writer.word(addresses.start);
    writer.word(addresses.end - addresses.start);
}

fn write_path(writer: &mut Writer<'_>, path: &str) {
    writer.word(path.len() as u64 + 1);
    writer.raw(path.as_bytes());
    writer.byte(0);
}

fn write_repair(writer: &mut Writer<'_>, repair: &Repair) {
    match repair {
        Repair::HeapEnd(end) => {
            writer.byte(HEAP_END);
            writer.word(*end);
        }
        Repair::Unmap(addresses) => {
            writer.byte(UNMAP);
            write_range(writer, addresses);
        }
        Repair::Protect(addresses, rights) => {
            writer.byte(PROTECT);
            write_range(writer, addresses);
            writer.word(*rights);
        }
        Repair::Map(Mapping { addresses, rights, backing }) => {
            writer.byte(if let Backing::File { .. } = backing { MAP_FILE } else { MAP_MEMORY });
            write_range(writer, addresses);
            writer.word(*rights);
            if let Backing::File { path, offset } = backing {
                writer.word(*offset);
                write_path(writer, path);
            }
        }
    }
}

/// The result of a task: a number, or the code of an error.
type Done = Result<u64, i32>;

/// Does what is asked, one thing after another, and answers how many were done, what the last one gave,
/// and the code of the error that ended it, or 0.
pub(crate) fn run_tasks(command: &mut Reader<'_>, reply: &mut Writer<'_>) {
    let (mut count, mut last) = (0, Ok(0));
    while last.is_ok() && !command.rest().is_empty() {
        last = next(command).unwrap_or(Err(libc::EBADMSG));
        count += u64::from(last.is_ok());
    }
    reply.word(count);
    reply.word(last.unwrap_or(0));
    reply.word32(last.err().unwrap_or(0) as u32);
}

/// Reads the answer of [`run_tasks`].
pub(super) fn read_answer(reader: &mut Reader<'_>) -> Read<Result<u64, io::Error>> {
    let (_count, last, code) = (reader.word()?, reader.word()?, reader.word32()?);
    let error = (code != 0).then(|| io::Error::from_raw_os_error(code as i32));
    Ok(error.map_or(Ok(last), Err))
}

fn next(command: &mut Reader<'_>) -> Read<Done> {
    Ok(match command.byte()? {
        WATCH => watch_descriptor(),
        OWN_NUMBER => Ok(crate::fork::child::own_number()),
        REGISTER => register(command.word()?, command.word()?, command.word()?),
        HEAP_END => heap_end(command.word()?),
        UNMAP => call(libc::SYS_munmap, [command.word()?, command.word()?, 0, 0, 0, 0]),
        PROTECT => {
            let (start, length, rights) = (command.word()?, command.word()?, command.word()?);
            call(libc::SYS_mprotect, [start, length, rights, 0, 0, 0])
        }
        MAP_MEMORY => {
            let (start, length, rights) = (command.word()?, command.word()?, command.word()?);
            let flags = FIXED | libc::MAP_ANONYMOUS as u64;
            call(libc::SYS_mmap, [start, length, rights, flags, u64::MAX, 0])
        }
        MAP_FILE => {
            let (start, length, rights) = (command.word()?, command.word()?, command.word()?);
            let (offset, path) = (command.word()?, command.part()?);
            map_file([start, length, rights], offset, path)
        }
        SEEK => {
            let (file, place) = (command.word32()?, command.word()?);
            call(libc::SYS_lseek, [u64::from(file), place, libc::SEEK_SET as u64, 0, 0, 0])
        }
        CLOSE => call(libc::SYS_close, [u64::from(command.word32()?), 0, 0, 0, 0, 0]),
        OPEN => open_as(u64::from(command.word32()?), command.part()?),
        _ => return Err(invalid("task")),
    })
}

const FIXED: u64 = (libc::MAP_PRIVATE | libc::MAP_FIXED) as u64;

/// A system call with the six arguments it may have.
fn call(number: libc::c_long, [a, b, c, d, e, f]: [u64; 6]) -> Done {
    // SAFETY: the calls made here change mappings and files as the process that holds the image asks for
    // it: those of the model, none that this code runs on.
    let result = unsafe { libc::syscall(number, a, b, c, d, e, f) };
    // SAFETY: the place of the thread's error code, right after a call that failed.
    if result == -1 { Err(unsafe { *libc::__errno_location() }) } else { Ok(result as u64) }
}

fn heap_end(end: u64) -> Done {
    match call(libc::SYS_brk, [end, 0, 0, 0, 0, 0]) {
        Ok(reached) if reached != end => Err(libc::ENOMEM),
        done => done,
    }
}

/// `path` ends in a zero byte.
fn open(path: &[u8]) -> Done {
    if path.last() != Some(&0) {
        return Err(libc::EBADMSG);
    }
    let flags = (libc::O_RDONLY | libc::O_CLOEXEC) as u64;
    call(libc::SYS_openat, [libc::AT_FDCWD as u64, path.as_ptr() as u64, flags, 0, 0, 0])
}

fn close(file: u64) {
    // A descriptor that was just opened can be closed.
    let _ = call(libc::SYS_close, [file, 0, 0, 0, 0, 0]);
}

fn map_file([start, length, rights]: [u64; 3], offset: u64, path: &[u8]) -> Done {
    let file = open(path)?;
    let done = call(libc::SYS_mmap, [start, length, rights, FIXED, file, offset]);
    close(file);
    done
}

fn open_as(number: u64, path: &[u8]) -> Done {
    let file = open(path)?;
    if file == number {
        return Ok(file);
    }
    let done = call(libc::SYS_dup3, [file, number, libc::O_CLOEXEC as u64, 0, 0, 0]);
    close(file);
    done
}

/// `struct uffdio_api` and `struct uffdio_register` of `linux/userfaultfd.h`, as numbers.
const UFFDIO_API: u64 = 0xC018_AA3F;
const UFFDIO_REGISTER: u64 = 0xC020_AA00;
const UFFD_API: u64 = 0xAA;
const UFFD_USER_MODE_ONLY: u64 = 1;
const UFFD_FEATURE_WP_ASYNC: u64 = 1 << 15;
const UFFDIO_REGISTER_MODE_WP: u64 = 2;

/// A descriptor that can watch memory.
pub(super) fn watch_descriptor() -> Done {
    let flags = libc::O_CLOEXEC as u64 | UFFD_USER_MODE_ONLY;
    let descriptor = call(libc::SYS_userfaultfd, [flags, 0, 0, 0, 0, 0])?;
    let mut api = [UFFD_API, UFFD_FEATURE_WP_ASYNC, 0];
    let agreed = call(libc::SYS_ioctl, [descriptor, UFFDIO_API, api.as_mut_ptr() as u64, 0, 0, 0]);
    if agreed.is_err() {
        close(descriptor);
    }
    agreed.map(|_| descriptor)
}

pub(super) fn register(descriptor: u64, start: u64, length: u64) -> Done {
    let mut register = [start, length, UFFDIO_REGISTER_MODE_WP, 0];
    call(libc::SYS_ioctl, [descriptor, UFFDIO_REGISTER, register.as_mut_ptr() as u64, 0, 0, 0])
}
