//! What the kernel offers: `userfaultfd` with asynchronous write protection, `PAGEMAP_SCAN`, and reading
//! and writing another process's memory. Linux 6.7 or newer.

use super::pages::{PAGE_BYTES, PageBytes};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;

/// A range of pages that a scan found.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct PageRegion {
    pub(super) start: u64,
    pub(super) end: u64,
    categories: u64,
}

/// `struct pm_scan_arg` of `linux/fs.h`.
#[repr(C)]
struct ScanArgument {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    regions: u64,
    regions_max: u64,
    pages_max: u64,
    category_inverted: u64,
    category_mask: u64,
    category_anyof_mask: u64,
    return_mask: u64,
}

/// `_IOWR('f', 16, struct pm_scan_arg)`.
const PAGEMAP_SCAN: u64 = 0xC060_6610;
const SCAN_PROTECT_MATCHING: u64 = 1;
const SCAN_CHECK_TRACKED: u64 = 2;
const IS_TRACKED: u64 = 1;
const IS_WRITTEN: u64 = 2;
const IS_FILE: u64 = 4;
const IS_PRESENT: u64 = 8;
const IS_SWAPPED: u64 = 16;

/// What a scan looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// Pages written since they were last protected, and those that are not there: never touched, or thrown
    /// away since. A mapping that is not tracked is an error.
    Written {
        /// Whether to protect the found pages again.
        protect: bool,
    },
    /// Mappings that are not tracked.
    Untracked,
    /// Pages of private mappings of files that are no longer the file's.
    Detached,
    /// Pages that there are; all others of a mapping without a file are zeros.
    Populated,
}

impl Wanted {
    /// Flags; inverted, all-of and any-of categories.
    fn masks(self) -> (u64, [u64; 3]) {
        match self {
            // Exactly this combination takes the kernel's fast path.
            Wanted::Written { protect } => (
                SCAN_CHECK_TRACKED | if protect { SCAN_PROTECT_MATCHING } else { 0 },
                [0, IS_WRITTEN, 0],
            ),
            Wanted::Untracked => (0, [IS_TRACKED, IS_TRACKED, 0]),
            Wanted::Detached => (0, [IS_FILE, IS_FILE, IS_PRESENT | IS_SWAPPED]),
            Wanted::Populated => (0, [0, 0, IS_PRESENT | IS_SWAPPED]),
        }
    }
}

/// How a scan ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scanned {
    /// All of the range was looked at.
    All,
    /// There is a mapping that is not tracked.
    Untracked,
}

/// How many ranges one call can give.
const REGIONS_MAX: usize = 512;

/// Looks through a process's page tables and pushes the ranges that match.
///
/// # Errors
/// If the kernel refuses.
pub(super) fn scan(
    pagemap: &File,
    addresses: &Range<u64>,
    wanted: Wanted,
    found: &mut Vec<Range<u64>>,
) -> io::Result<Scanned> {
    let (flags, [category_inverted, category_mask, category_anyof_mask]) = wanted.masks();
    let mut regions = [PageRegion::default(); REGIONS_MAX];
    let mut start = addresses.start;
    while start < addresses.end {
        let mut argument = ScanArgument {
            size: size_of::<ScanArgument>() as u64,
            flags,
            start,
            end: addresses.end,
            walk_end: 0,
            regions: regions.as_mut_ptr() as u64,
            regions_max: REGIONS_MAX as u64,
            pages_max: 0,
            category_inverted,
            category_mask,
            category_anyof_mask,
            return_mask: IS_WRITTEN,
        };
        // SAFETY: the argument is as the kernel expects it and names a buffer of that many regions,
        // which outlives the call.
        let count = unsafe { libc::ioctl(pagemap.as_raw_fd(), PAGEMAP_SCAN, &raw mut argument) };
        if count < 0 {
            let error = io::Error::last_os_error();
            // What was found, and protected, before the mapping that is not tracked is reported nevertheless.
            take(&mut regions, found);
            let untracked = error.raw_os_error() == Some(libc::EPERM);
            return if untracked { Ok(Scanned::Untracked) } else { Err(error) };
        }
        take(&mut regions, found);
        if argument.walk_end <= start {
            return Err(io::Error::other("the scan of the page tables does not advance"));
        }
        start = argument.walk_end;
    }
    Ok(Scanned::All)
}

/// Scans nothing, to see whether the kernel can.
///
/// # Errors
/// If it cannot.
pub(super) fn try_scan() -> io::Result<()> {
    let pagemap = File::open("/proc/self/pagemap")?;
    let nothing = PAGE_BYTES as u64..2 * PAGE_BYTES as u64;
    scan(&pagemap, &nothing, Wanted::Written { protect: false }, &mut Vec::new()).map(|_| ())
}

/// Moves the ranges that a scan has filled in.
fn take(regions: &mut [PageRegion], found: &mut Vec<Range<u64>>) {
    for region in regions.iter_mut().take_while(|region| region.end != 0) {
        found.push(region.start..region.end);
        *region = PageRegion::default();
    }
}

/// How many pieces one call to read or write another process's memory can have.
const PIECES_MAX: usize = 512;

/// The memory of another process.
pub(super) struct Memory {
    pid: i32,
    /// Reads and writes what the process itself may not: guards, and what it has made read-only.
    file: File,
    here: Vec<libc::iovec>,
    there: Vec<libc::iovec>,
}

// SAFETY: the pieces are filled in and used within one call; nothing is kept between calls.
unsafe impl Send for Memory {}

impl Memory {
    /// Opens the memory of a process that may be traced by this one.
    ///
    /// # Errors
    /// If it may not.
    pub(super) fn open(pid: i32) -> io::Result<Self> {
        let file = File::options().read(true).write(true).open(format!("/proc/{pid}/mem"))?;
        Ok(Memory { pid, file, here: Vec::new(), there: Vec::new() })
    }

    /// Reads these ranges one after the other into `bytes`, which has their length.
    ///
    /// # Errors
    /// If the process is gone or nothing is mapped there.
    pub(super) fn read(&mut self, ranges: &[Range<u64>], bytes: &mut [u8]) -> io::Result<()> {
        let mut from = 0;
        for ranges in ranges.chunks(PIECES_MAX) {
            self.there.clear();
            self.there.extend(ranges.iter().map(piece));
            let length = ranges.iter().map(length).sum::<usize>();
            let part = &mut bytes[from..from + length];
            from += length;
            let here = libc::iovec { iov_base: part.as_mut_ptr().cast(), iov_len: length };
            // SAFETY: the kernel writes at most `length` bytes to `part`, which has that many.
            let done = unsafe {
                let (there, count) = (self.there.as_ptr(), self.there.len() as libc::c_ulong);
                libc::process_vm_readv(self.pid, &raw const here, 1, there, count, 0)
            };
            if done != length as isize {
                self.read_by_force(ranges, part)?;
            }
        }
        Ok(())
    }

    fn read_by_force(&self, ranges: &[Range<u64>], mut bytes: &mut [u8]) -> io::Result<()> {
        for range in ranges {
            let (part, rest) = bytes.split_at_mut(length(range));
            self.file.read_exact_at(part, range.start)?;
            bytes = rest;
        }
        Ok(())
    }

    /// Writes pages, each to the number it comes with.
    ///
    /// # Errors
    /// If the process is gone or nothing is mapped there.
    pub(super) fn write(&mut self, pages: &[(u64, &PageBytes)]) -> io::Result<()> {
        for pages in pages.chunks(PIECES_MAX) {
            self.here.clear();
            self.here.extend(pages.iter().map(|(_, bytes)| libc::iovec {
                iov_base: bytes.as_ptr().cast_mut().cast(),
                iov_len: PAGE_BYTES,
            }));
            self.there.clear();
            for (number, _) in pages {
                let start = number * PAGE_BYTES as u64;
                self.there.push(piece(&(start..start + PAGE_BYTES as u64)));
            }
            // SAFETY: the kernel reads the pieces here, which are whole pages borrowed for the call.
            let done = unsafe {
                let (here, there) = (self.here.as_ptr(), self.there.as_ptr());
                let count = pages.len() as libc::c_ulong;
                libc::process_vm_writev(self.pid, here, count, there, count, 0)
            };
            if done != (pages.len() * PAGE_BYTES) as isize {
                for (number, bytes) in pages {
                    self.file.write_all_at(*bytes, number * PAGE_BYTES as u64)?;
                }
            }
        }
        Ok(())
    }

    /// Writes a few bytes.
    ///
    /// # Errors
    /// As [`Memory::write`].
    pub(super) fn poke(&self, address: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, address)
    }
}

fn length(range: &Range<u64>) -> usize {
    (range.end - range.start) as usize
}

fn piece(range: &Range<u64>) -> libc::iovec {
    libc::iovec { iov_base: range.start as *mut libc::c_void, iov_len: length(range) }
}

#[cfg(test)]
mod tests {
    use super::super::child;
    use super::*;

    /// Room of our own, far from everything.
    const PLACE: u64 = 0x2000_0000_0000;
    const PAGE: u64 = PAGE_BYTES as u64;

    fn map(pages: Range<u64>) -> *mut u8 {
        let (start, length) = (PLACE + pages.start * PAGE, (pages.end - pages.start) * PAGE);
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: where nothing is, and a failure is looked for.
        let place = unsafe { libc::mmap(start as *mut _, length as usize, rights, flags, -1, 0) };
        assert_eq!(place as u64, start);
        place.cast()
    }

    #[test]
    fn what_was_protected_before_an_untracked_mapping_is_reported() {
        if super::super::image_support().is_err() {
            return;
        }
        let memory = map(0..64);
        // SAFETY: the 64 pages that were just mapped.
        unsafe { memory.write_bytes(1, 64 * PAGE_BYTES) };
        let descriptor = child::watch_descriptor().unwrap();
        child::register(descriptor, PLACE, 64 * PAGE).unwrap();
        let pagemap = File::open("/proc/self/pagemap").unwrap();
        let look = || {
            let mut found = Vec::new();
            let wanted = Wanted::Written { protect: true };
            let scanned = scan(&pagemap, &(PLACE..PLACE + 100 * PAGE), wanted, &mut found).unwrap();
            (scanned, found.iter().map(|range| (range.start - PLACE) / PAGE).collect::<Vec<_>>())
        };
        assert_eq!(look(), (Scanned::All, vec![0]));
        assert_eq!(look(), (Scanned::All, vec![]));
        for page in [3, 5, 60] {
            // SAFETY: within the pages that were mapped.
            unsafe { memory.add(page * PAGE_BYTES).write_volatile(2) };
        }
        map(80..81);
        assert_eq!(look(), (Scanned::Untracked, vec![3, 5, 60]));
        assert_eq!(look(), (Scanned::Untracked, vec![]));
    }
}
