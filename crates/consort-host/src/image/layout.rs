//! What is mapped where in a process, and what must be done to have it otherwise.

use super::pages::PAGE_BYTES;
use std::ops::Range;

/// What fills a mapping.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Backing {
    /// Nothing: zeros at first. The heap, which `brk` moves, is such memory too, and one mapping with the
    /// static data it follows.
    Anonymous,
    /// A file, from its `offset` on.
    File {
        /// The path of the file.
        path: String,
        /// Where in the file the mapping begins.
        offset: u64,
    },
}

impl Backing {
    /// The backing of what lies `bytes` further on.
    fn further(&self, bytes: u64) -> Self {
        match self {
            Backing::File { path, offset } => {
                Backing::File { path: path.clone(), offset: offset + bytes }
            }
            other => other.clone(),
        }
    }
}

/// A private mapping.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Mapping {
    /// The range of its addresses.
    pub(super) addresses: Range<u64>,
    /// Access rights: `PROT_READ`, `PROT_WRITE`, `PROT_EXEC`.
    pub(super) rights: u64,
    /// The source of its content.
    pub(super) backing: Backing,
}

impl Mapping {
    /// Whether what is written there is watched: files where they may be written, and memory unless it is
    /// only reserved, of which there may be a lot.
    pub(super) fn is_watched(&self) -> bool {
        self.rights & if self.is_file() { WRITE } else { READ | WRITE | EXECUTE } != 0
    }

    /// Whether it is a file's.
    pub(super) fn is_file(&self) -> bool {
        matches!(self.backing, Backing::File { .. })
    }

    /// The part of it within `addresses`, which lie in it.
    fn part(&self, addresses: &Range<u64>) -> Mapping {
        let backing = self.backing.further(addresses.start - self.addresses.start);
        Mapping { addresses: addresses.clone(), rights: self.rights, backing }
    }

    /// Whether `next` begins where this one ends, as if both were one.
    fn joins(&self, next: &Mapping) -> bool {
        let length = self.addresses.end - self.addresses.start;
        self.addresses.end == next.addresses.start
            && self.rights == next.rights
            && self.backing.further(length) == next.backing
    }
}

pub(super) const READ: u64 = 1;
pub(super) const WRITE: u64 = 2;
pub(super) const EXECUTE: u64 = 4;

/// The end of what a process can address.
const ADDRESSES_END: u64 = 0x7fff_ffff_f000;

/// All private mappings of a process, but for its stack and what the kernel put there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Layout {
    /// The mappings in the order of their addresses.
    pub(super) mappings: Vec<Mapping>,
    /// Where everything else is: shared memory, the stack.
    pub(super) others: Vec<Range<u64>>,
    /// The end of the heap.
    pub(super) heap_end: Option<u64>,
}

impl Layout {
    /// Reads the text of `/proc/PID/maps`.
    pub(super) fn parse(maps: &str) -> Option<Self> {
        let mut layout = Layout::default();
        for line in maps.lines() {
            let (addresses, mapping) = parse_line(line)?;
            if line.ends_with("[heap]") {
                layout.heap_end = Some(addresses.end);
            }
            match mapping {
                Some(mapping) => layout.push(mapping),
                None => layout.others.push(addresses),
            }
        }
        Some(layout)
    }

    fn push(&mut self, mapping: Mapping) {
        match self.mappings.last_mut() {
            Some(last) if last.joins(&mapping) => last.addresses.end = mapping.addresses.end,
            _ => self.mappings.push(mapping),
        }
    }

    /// The mapping at that address.
    pub(super) fn at(&self, address: u64) -> Option<&Mapping> {
        let after = self.mappings.partition_point(|mapping| mapping.addresses.end <= address);
        self.mappings.get(after).filter(|mapping| mapping.addresses.contains(&address))
    }

    /// Where the mapping at that address ends; if there is none, no mapping does before.
    pub(super) fn end_at(&self, address: u64) -> u64 {
        self.at(address).map_or(ADDRESSES_END, |mapping| mapping.addresses.end)
    }

    /// The number of watched bytes.
    pub(super) fn watched_bytes(&self) -> u64 {
        let watched = self.mappings.iter().filter(|mapping| mapping.is_watched());
        watched.map(|mapping| mapping.addresses.end - mapping.addresses.start).sum()
    }

    /// The files that are mapped, once for each of their mappings.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.mappings.iter().filter_map(|mapping| match &mapping.backing {
            Backing::File { path, .. } => Some(path.as_str()),
            _ => None,
        })
    }

    /// What is mapped here and not in `other`.
    pub(super) fn missing_in(&self, other: &Layout) -> Vec<Range<u64>> {
        let mut pieces = self.pieces(other);
        let is_missing =
            |piece: &Range<u64>| self.at(piece.start).is_some() && other.at(piece.start).is_none();
        pieces.retain(is_missing);
        pieces
    }

    /// Where only watched mappings, or none, should be: a mapping that is not watched is new there.
    pub(super) fn spans(&self) -> Vec<Range<u64>> {
        let unwatched = self.mappings.iter().filter(|mapping| !mapping.is_watched());
        let mut known: Vec<_> = unwatched.map(|mapping| mapping.addresses.clone()).collect();
        known.extend(self.others.iter().cloned());
        known.sort_by_key(|addresses| addresses.start);
        let mut spans = Vec::new();
        let mut start = PAGE_BYTES as u64;
        for addresses in known {
            if start < addresses.start.min(ADDRESSES_END) {
                spans.push(start..addresses.start.min(ADDRESSES_END));
            }
            start = addresses.end;
        }
        if start < ADDRESSES_END {
            spans.push(start..ADDRESSES_END);
        }
        spans
    }

    /// What is to be done to get from this layout to `other`, in order.
    pub(super) fn repairs(&self, other: &Layout) -> Vec<Repair> {
        let mut repairs = Vec::new();
        let (mine, others) = (self.heap_end.unwrap_or(0), other.heap_end.unwrap_or(0));
        if mine != others {
            repairs.push(Repair::HeapEnd(others));
        }
        let moved = mine.min(others)..mine.max(others);
        for addresses in self.pieces(other) {
            let now = self.at(addresses.start).map(|mapping| mapping.part(&addresses));
            let then = other.at(addresses.start).map(|mapping| mapping.part(&addresses));
            let is_moved = moved.start <= addresses.start && addresses.end <= moved.end;
            if !is_moved {
                repairs.extend(repair(addresses, now, then));
            }
        }
        repairs
    }

    /// The pieces within each of which nothing changes in either layout.
    fn pieces(&self, other: &Layout) -> Vec<Range<u64>> {
        let mappings = self.mappings.iter().chain(&other.mappings);
        let mut edges: Vec<u64> =
            mappings.flat_map(|mapping| [mapping.addresses.start, mapping.addresses.end]).collect();
        edges.sort_unstable();
        edges.dedup();
        edges.windows(2).map(|edges| edges[0]..edges[1]).collect()
    }
}

/// What a process does to its own mappings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Repair {
    /// Moves the end of the heap.
    HeapEnd(u64),
    /// Unmaps a range.
    Unmap(Range<u64>),
    /// Maps a range again.
    Map(Mapping),
    /// Changes the access rights of a range.
    Protect(Range<u64>, u64),
}

fn repair(addresses: Range<u64>, now: Option<Mapping>, then: Option<Mapping>) -> Option<Repair> {
    match (now, then) {
        (None, None) => None,
        (Some(_), None) => Some(Repair::Unmap(addresses)),
        (Some(now), Some(then)) if now.backing == then.backing => {
            (now.rights != then.rights).then_some(Repair::Protect(addresses, then.rights))
        }
        (_, Some(then)) => Some(Repair::Map(then)),
    }
}

/// One line of `/proc/PID/maps`; the mapping only if it is private and the program's own.
fn parse_line(line: &str) -> Option<(Range<u64>, Option<Mapping>)> {
    let mut rest = line;
    let mut word = || {
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = after.trim_start();
        word
    };
    let (start, end) = word().split_once('-')?;
    let hexadecimal = |text| u64::from_str_radix(text, 16).ok();
    let addresses = hexadecimal(start)?..hexadecimal(end)?;
    let (rights, offset) = (word(), hexadecimal(word())?);
    let (_device, _inode) = (word(), word());
    let kernels =
        rest.starts_with("[stack") || rest.starts_with("[v") || rest.starts_with("[uprobes");
    if rights.ends_with('s') || kernels {
        return Some((addresses, None));
    }
    let backing = match rest {
        path if path.starts_with('/') => Backing::File { path: path.to_string(), offset },
        _ => Backing::Anonymous,
    };
    let rights = parse_rights(rights);
    Some((addresses.clone(), Some(Mapping { addresses, rights, backing })))
}

fn parse_rights(text: &str) -> u64 {
    let known = [('r', READ), ('w', WRITE), ('x', EXECUTE)];
    known.iter().filter(|(letter, _)| text.contains(*letter)).map(|(_, right)| right).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
555555554000-555555556000 r-xp 00000000 fe:00 5  /bin/a b
555555556000-555555557000 rw-p 00002000 fe:00 5  /bin/a b
555555557000-555555559000 rw-p 00000000 00:00 0  [heap]
7ffff7a00000-7ffff7a01000 rw-p 00000000 00:00 0 
7ffff7a01000-7ffff7a02000 rw-p 00000000 00:00 0 
7ffff7b00000-7ffff7c00000 rw-s 00000000 00:01 9  /memfd:channel (deleted)
7ffff7ff9000-7ffff7ffd000 r--p 00000000 00:00 0  [vvar]
7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0  [stack]
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  [vsyscall]
";

    fn layout(maps: &str) -> Layout {
        Layout::parse(maps).unwrap()
    }

    #[test]
    fn neighbors_with_equal_rights_are_one_mapping() {
        let layout = layout(MAPS);
        assert_eq!(layout.mappings.len(), 4);
        assert_eq!(layout.mappings[3].addresses, 0x7fff_f7a0_0000..0x7fff_f7a0_2000);
        assert_eq!(layout.heap_end, Some(0x5555_5555_9000));
        let file = layout.at(0x5555_5555_6010).unwrap();
        assert_eq!(file.backing, Backing::File { path: "/bin/a b".to_string(), offset: 0x2000 });
    }

    #[test]
    fn what_is_not_watched_lies_outside_of_every_span() {
        let spans = layout(MAPS).spans();
        assert_eq!(
            spans,
            [
                0x1000..0x5555_5555_4000,
                0x5555_5555_6000..0x7fff_f7b0_0000,
                0x7fff_f7c0_0000..0x7fff_f7ff_9000,
                0x7fff_f7ff_d000..0x7fff_fffd_e000,
            ]
        );
    }

    /// The repairs from the first to the second layout, as text.
    fn check(from: &str, to: &str, expected: &[Repair]) {
        assert_eq!(layout(from).repairs(&layout(to)), expected, "from {from} to {to}");
    }

    #[test]
    fn repairs_are_only_what_differs() {
        let anonymous = |addresses| Mapping { addresses, rights: 3, backing: Backing::Anonymous };
        check(MAPS, MAPS, &[]);
        check("1000-3000 rw-p 0 0:0 0 \n", "", &[Repair::Unmap(0x1000..0x3000)]);
        check("", "1000-3000 rw-p 0 0:0 0 \n", &[Repair::Map(anonymous(0x1000..0x3000))]);
        check(
            "1000-3000 rw-p 0 0:0 0 \n",
            "2000-3000 rw-p 0 0:0 0 \n",
            &[Repair::Unmap(0x1000..0x2000)],
        );
        check(
            "1000-3000 rw-p 0 0:0 0 \n",
            "1000-3000 r--p 0 0:0 0 \n",
            &[Repair::Protect(0x1000..0x3000, 1)],
        );
        check(
            "1000-3000 rw-p 0 0:0 1 /a\n",
            "1000-3000 rw-p 0 0:0 0 \n",
            &[Repair::Map(anonymous(0x1000..0x3000))],
        );
        check(
            "1000-3000 rw-p 0 0:0 0 [heap]\n",
            "1000-5000 rw-p 0 0:0 0 [heap]\n",
            &[Repair::HeapEnd(0x5000)],
        );
        // Static data and heap are one mapping for the kernel, or two.
        let two = "1000-2000 rw-p 0 0:0 0 \n2000-3000 rw-p 0 0:0 0 [heap]\n";
        check("1000-3000 rw-p 0 0:0 0 [heap]\n", two, &[]);
        check(two, "1000-4000 rw-p 0 0:0 0 [heap]\n", &[Repair::HeapEnd(0x4000)]);
    }

    #[test]
    fn half_of_a_file_continues_at_its_offset() {
        let repairs = layout("").repairs(&layout("1000-3000 r--p 5000 0:0 1 /a\n"));
        assert_eq!(repairs.len(), 1);
        let half = layout("1000-2000 r--p 5000 0:0 1 /a\n");
        let whole = layout("1000-3000 r--p 5000 0:0 1 /a\n");
        let backing = Backing::File { path: "/a".to_string(), offset: 0x6000 };
        let expected = Mapping { addresses: 0x2000..0x3000, rights: 1, backing };
        assert_eq!(half.repairs(&whole), [Repair::Map(expected)]);
    }
}
