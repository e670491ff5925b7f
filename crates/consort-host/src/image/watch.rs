//! The memory of a worker, watched from outside: what was written since the last look, and the pages as
//! they were then.

use super::ImageState;
use super::child::{Task, read_answer};
use super::error::{ImageError, doing};
use super::kernel::{self, Memory, Scanned, Wanted};
use super::layout::{Layout, Mapping, Repair};
use super::pages::{PAGE_BYTES, Page, PageBytes, PageTable};
use crate::protocol::Op;
use crate::worker::Worker;
use std::fs::{self, File};
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::Arc;

/// How many pages are read at once.
const PAGES_AT_ONCE: usize = 256;
/// How much memory can be watched: its page tables take a 512th of it.
const WATCHED_MAX: u64 = 32 << 30;
/// From how many pages on it is worth asking which of them there are.
const SPARSE_PAGES: u64 = 16;
/// How often a process may change its mappings while one looks at them: it sleeps, so never.
const LOOKS_MAX: usize = 3;
static ZEROS: PageBytes = [0; PAGE_BYTES];

/// A process whose memory is watched.
pub(super) struct Watch {
    pid: i32,
    /// The worker's descriptor that watches.
    descriptor: u64,
    pagemap: File,
    statm: File,
    tasks: File,
    files: File,
    /// `None` if the kernel does not list children.
    children: Option<File>,
    memory: Memory,
    /// What is cheap to know, as it was when the layout was read.
    vitals: Vitals,
    layout: Arc<Layout>,
    spans: Vec<Range<u64>>,
    /// All pages as they were at the last look.
    present: PageTable,
    /// Addresses that were written since.
    written: Vec<Range<u64>>,
    buffer: Vec<u8>,
}

/// Numbers that change if mappings, threads or open files do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Vitals {
    mapped: u64,
    writable: u64,
    /// Links to the folder of threads.
    tasks: u64,
    /// Number of open files.
    pub(super) files: u64,
    /// Bytes of the list of children.
    children: u64,
}

impl Vitals {
    /// The number of threads.
    pub(super) fn thread_count(&self) -> u64 {
        // A folder is linked from its parent and by itself as well.
        self.tasks.saturating_sub(2)
    }
}

impl Watch {
    /// Opens what there is to know of a process with that watching descriptor.
    pub(super) fn open(pid: i32, descriptor: u64) -> Result<Self, ImageError> {
        let open = |name: &str| {
            let file = File::open(format!("/proc/{pid}/{name}"));
            file.map_err(doing("looking at its process"))
        };
        Ok(Watch {
            pid,
            descriptor,
            pagemap: open("pagemap")?,
            statm: open("statm")?,
            tasks: open("task")?,
            files: open("fd")?,
            children: open(&format!("task/{pid}/children")).ok(),
            memory: Memory::open(pid).map_err(doing("opening its memory"))?,
            vitals: Vitals::default(),
            layout: Arc::default(),
            spans: Vec::new(),
            present: PageTable::default(),
            written: Vec::new(),
            buffer: vec![0; PAGES_AT_ONCE * PAGE_BYTES],
        })
    }

    /// All pages as they were at the last look.
    pub(super) fn pages(&self) -> &PageTable {
        &self.present
    }

    /// The mappings as they were at the last look.
    pub(super) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// The text of `/proc/PID/maps`.
    pub(super) fn maps(&self) -> Result<String, ImageError> {
        let maps = fs::read_to_string(format!("/proc/{}/maps", self.pid));
        maps.map_err(doing("reading its mappings"))
    }

    /// Looks at threads and files, and at mappings in the least detail.
    pub(super) fn vitals(&self) -> Result<Vitals, ImageError> {
        let mut text = [0; 256];
        let length = self.statm.read_at(&mut text, 0).map_err(doing("measuring its memory"))?;
        let text = std::str::from_utf8(&text[..length]).unwrap_or("");
        let mut numbers = text.split_ascii_whitespace().map(|number| number.parse().unwrap_or(0));
        let mapped = numbers.next().unwrap_or(0);
        let writable = numbers.nth(4).unwrap_or(0);
        let tasks = self.tasks.metadata().map_err(doing("counting its threads"))?.nlink();
        let files = self.files.metadata().map_err(doing("counting its files"))?.size();
        let children = match &self.children {
            Some(children) => {
                children.read_at(&mut [0; 16], 0).map_err(doing("counting its children"))?
            }
            None => 0,
        };
        Ok(Vitals { mapped, writable, tasks, files, children: children as u64 })
    }

    /// Brings what is known of all pages up to date; `now` is how it is.
    pub(super) fn absorb(&mut self, worker: &mut Worker, now: Vitals) -> Result<(), ImageError> {
        if self.vitals != now || self.scan(true)? == Scanned::Untracked {
            self.survey(worker)?;
        }
        self.read_written()
    }

    /// Puts all pages and mappings back to what they were; `now` is how it is.
    pub(super) fn put_back(
        &mut self,
        worker: &mut Worker,
        now: Vitals,
        state: &ImageState,
    ) -> Result<(), ImageError> {
        let changed = self.vitals != now || self.scan(false)? == Scanned::Untracked;
        if changed {
            self.survey(worker)?;
        }
        if self.layout.mappings != state.layout.mappings {
            // What is about to be unmapped cannot be written back.
            self.read_written()?;
            self.rebuild(worker, &state.layout)?;
        }
        self.write_back(&state.pages)
    }

    /// Finds what was written; what was found before is kept.
    fn scan(&mut self, protect: bool) -> Result<Scanned, ImageError> {
        for span in &self.spans {
            let wanted = Wanted::Written { protect };
            let scanned = kernel::scan(&self.pagemap, span, wanted, &mut self.written);
            if scanned.map_err(doing("finding what was written"))? == Scanned::Untracked {
                return Ok(Scanned::Untracked);
            }
        }
        self.leave_out_what_is_not_there()?;
        Ok(Scanned::All)
    }

    /// Memory that was never touched, or was thrown away, is reported as written: it is known to be zero
    /// and needs no reading, nor writing.
    fn leave_out_what_is_not_there(&mut self) -> Result<(), ImageError> {
        let is_large =
            |range: &Range<u64>| SPARSE_PAGES <= (range.end - range.start) / PAGE_BYTES as u64;
        if !self.written.iter().any(is_large) {
            return Ok(());
        }
        merge(&mut self.written);
        let mut there = Vec::new();
        for range in std::mem::take(&mut self.written) {
            let mut start = range.start;
            while start < range.end {
                let end = self.layout.end_at(start).min(range.end);
                // Of a file, pages that were not written are the file's.
                let is_memory = self.layout.at(start).is_some_and(|mapping| !mapping.is_file());
                if is_memory && is_large(&(start..end)) {
                    self.find_populated(start..end, &mut there)?;
                } else {
                    there.push(start..end);
                }
                start = end;
            }
        }
        self.written = there;
        Ok(())
    }

    /// Pushes the pages that are there; the others are known to be zero from now on.
    fn find_populated(
        &mut self,
        addresses: Range<u64>,
        there: &mut Vec<Range<u64>>,
    ) -> Result<(), ImageError> {
        let before = there.len();
        kernel::scan(&self.pagemap, &addresses, Wanted::Populated, there)
            .map_err(doing("finding what is there"))?;
        let mut start = addresses.start;
        for populated in &there[before..] {
            self.present.clear(&numbers(&(start..populated.start)));
            start = populated.end;
        }
        self.present.clear(&numbers(&(start..addresses.end)));
        Ok(())
    }

    /// Reads the layout anew, has everything watched, and finds what was written.
    fn survey(&mut self, worker: &mut Worker) -> Result<(), ImageError> {
        for _ in 0..LOOKS_MAX {
            let layout = Layout::parse(&self.maps()?).ok_or(ImageError::Layout)?;
            if WATCHED_MAX < layout.watched_bytes() {
                let most = WATCHED_MAX >> 30;
                return Err(ImageError::Hazard(format!(
                    "more than {most} GiB of memory are mapped"
                )));
            }
            for gone in self.layout.missing_in(&layout) {
                self.present.clear(&numbers(&gone));
            }
            self.watch_new(worker, &layout)?;
            self.spans = layout.spans();
            self.layout = Arc::new(layout);
            self.vitals = self.vitals()?;
            if self.scan(true)? == Scanned::All {
                return Ok(());
            }
        }
        Err(ImageError::Layout)
    }

    /// Has new mappings watched, and notes what of them cannot be known without reading it.
    fn watch_new(&mut self, worker: &mut Worker, layout: &Layout) -> Result<(), ImageError> {
        let mut tasks = Vec::new();
        let mut fresh = Vec::new();
        for mapping in &layout.mappings {
            fresh.clear();
            let wanted = match mapping.is_watched() {
                true => Wanted::Untracked,
                false if mapping.is_file() => Wanted::Detached,
                false => Wanted::Populated,
            };
            if !mapping.is_watched() && self.layout.mappings.contains(mapping) {
                continue;
            }
            kernel::scan(&self.pagemap, &mapping.addresses, wanted, &mut fresh)
                .map_err(doing("looking for new memory"))?;
            for addresses in &fresh {
                if mapping.is_watched() {
                    self.present.clear(&numbers(addresses));
                    tasks.push(Task::Register(self.descriptor, addresses.clone()));
                } else {
                    self.written.push(addresses.clone());
                }
            }
        }
        send(worker, &tasks).map(|_| ())
    }

    /// Reads the pages that were written.
    fn read_written(&mut self) -> Result<(), ImageError> {
        let mut written = std::mem::take(&mut self.written);
        merge(&mut written);
        let read = batches(&written).try_for_each(|batch| self.read_pages(&batch));
        // They are protected again already: what could not be read now is not found another time.
        if read.is_ok() {
            written.clear();
        }
        self.written = written;
        read
    }

    fn read_pages(&mut self, batch: &[Range<u64>]) -> Result<(), ImageError> {
        let length = batch.iter().map(|range| (range.end - range.start) as usize).sum();
        let mut buffer = std::mem::take(&mut self.buffer);
        let read = self.memory.read(batch, &mut buffer[..length]);
        if read.is_ok() {
            let pages = batch.iter().flat_map(numbers);
            for (number, bytes) in pages.zip(buffer.as_chunks::<PAGE_BYTES>().0) {
                self.note_page(number, bytes);
            }
        }
        self.buffer = buffer;
        read.map_err(doing("reading its memory"))
    }

    fn note_page(&mut self, number: u64, bytes: &PageBytes) {
        let known = self.present.get(number);
        // What is in no table is zero, except where a file is mapped.
        let mapping = || self.layout.at(number * PAGE_BYTES as u64);
        let is_zero = *bytes == ZEROS && !mapping().is_some_and(Mapping::is_file);
        match known {
            Some(page) if page.bytes() == bytes && !is_zero => {}
            None if is_zero => {}
            _ => self.present.put(number, (!is_zero).then(|| Page::new(bytes))),
        }
    }

    /// Changes the mappings to those of another time.
    fn rebuild(&mut self, worker: &mut Worker, layout: &Arc<Layout>) -> Result<(), ImageError> {
        let repairs = self.layout.repairs(layout);
        for repair in &repairs {
            if let Repair::Map(mapping) = repair {
                self.present.clear(&numbers(&mapping.addresses));
            }
        }
        let tasks: Vec<_> = repairs.into_iter().map(Task::Repair).collect();
        send(worker, &tasks)?;
        self.survey(worker)?;
        if self.layout.mappings == layout.mappings { Ok(()) } else { Err(ImageError::Layout) }
    }

    /// Writes what was written since the last look, and what was another page then.
    fn write_back(&mut self, pages: &PageTable) -> Result<(), ImageError> {
        merge(&mut self.written);
        let mut list: Vec<(u64, &PageBytes)> = Vec::new();
        for number in self.written.iter().flat_map(numbers) {
            list.push((number, pages.get(number).map_or(&ZEROS, Page::bytes)));
        }
        let touched = list.len();
        self.present.differences(pages, &mut |number, _| list.push((number, &ZEROS)));
        for (number, bytes) in &mut list[touched..] {
            *bytes = pages.get(*number).map_or(&ZEROS, Page::bytes);
        }
        list.sort_unstable_by_key(|(number, _)| *number);
        list.dedup_by_key(|(number, _)| *number);
        self.memory.write(&list).map_err(doing("writing its memory"))?;
        self.written.clear();
        self.present = pages.clone();
        Ok(())
    }

    /// Writes a few bytes that are the process's own and no state of the model.
    pub(super) fn poke(&self, address: u64, bytes: &[u8]) -> Result<(), ImageError> {
        self.memory.poke(address, bytes).map_err(doing("writing its memory"))
    }
}

/// Has the worker do these things; what the last one gave.
pub(super) fn send(worker: &mut Worker, tasks: &[Task]) -> Result<u64, ImageError> {
    if tasks.is_empty() {
        return Ok(0);
    }
    let asked = worker.ask(Op::Tasks, |to| tasks.iter().for_each(|task| task.write(to)));
    let answer = asked.map_err(ImageError::Call).map(|mut reader| read_answer(&mut reader))?;
    match answer {
        Ok(answer) => answer.map_err(doing("changing its mappings")),
        Err(_) => Err(ImageError::Call(worker.invalid_reply(Op::Tasks))),
    }
}

/// The numbers of the pages at these addresses.
fn numbers(addresses: &Range<u64>) -> Range<u64> {
    addresses.start / PAGE_BYTES as u64..addresses.end / PAGE_BYTES as u64
}

/// Sorts ranges and makes those one that touch.
fn merge(ranges: &mut Vec<Range<u64>>) {
    if ranges.is_sorted_by(|one, next| one.end < next.start) {
        return;
    }
    ranges.sort_unstable_by_key(|range| range.start);
    let mut kept = 0;
    for index in 1..ranges.len() {
        let next = ranges[index].clone();
        if next.start <= ranges[kept].end {
            ranges[kept].end = ranges[kept].end.max(next.end);
        } else {
            kept += 1;
            ranges[kept] = next;
        }
    }
    ranges.truncate(kept + 1);
}

/// The ranges in lists of at most [`PAGES_AT_ONCE`] pages.
fn batches(ranges: &[Range<u64>]) -> impl Iterator<Item = Vec<Range<u64>>> {
    let most = (PAGES_AT_ONCE * PAGE_BYTES) as u64;
    let mut rest = ranges.iter().cloned().peekable();
    std::iter::from_fn(move || {
        let (mut batch, mut room) = (Vec::new(), most);
        while let Some(range) = rest.peek_mut().filter(|_| 0 < room) {
            let end = range.end.min(range.start + room);
            room -= end - range.start;
            batch.push(range.start..end);
            range.start = end;
            if range.start == range.end {
                rest.next();
            }
        }
        (!batch.is_empty()).then_some(batch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_are_one() {
        let mut ranges = vec![5..6, 1..3, 2..4, 6..9, 20..21];
        merge(&mut ranges);
        assert_eq!(ranges, [1..4, 5..9, 20..21]);
        merge(&mut ranges);
        assert_eq!(ranges, [1..4, 5..9, 20..21]);
    }

    #[test]
    fn batches_have_all_pages_in_order_and_are_never_too_large() {
        let page = PAGE_BYTES as u64;
        let ranges = [0..page, 10 * page..700 * page, 900 * page..901 * page];
        let lists: Vec<_> = batches(&ranges).collect();
        let length =
            |list: &Vec<Range<u64>>| list.iter().map(|range| range.end - range.start).sum::<u64>();
        assert!(lists.iter().all(|list| length(list) <= PAGES_AT_ONCE as u64 * page));
        let pages: Vec<_> = lists.iter().flatten().flat_map(numbers).collect();
        assert_eq!(pages, ranges.iter().flat_map(numbers).collect::<Vec<_>>());
    }
}
