//! Pages of memory that snapshots share, and the persistent table of pages by number.
//!
//! A snapshot is a table. Tables share what is equal: one that differs from another by three pages
//! costs three pages and the few nodes above them, however large and however old the other is.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// How many bytes a page has.
pub(super) const PAGE_BYTES: usize = 4096;

/// The content of a page.
pub(super) type PageBytes = [u8; PAGE_BYTES];

/// How many buffers of dropped pages are kept for new ones: 64 MiB. Fresh memory costs a fault per page.
const SPARE_MAX: usize = 16 * 1024;

static SPARE: Mutex<Vec<Arc<PageBytes>>> = Mutex::new(Vec::new());

/// The content of one page, shared by all snapshots that have it.
#[derive(Clone)]
pub(super) struct Page(Arc<PageBytes>);

impl Page {
    /// A page with that content, in a buffer that was used before if there is one.
    pub(super) fn new(bytes: &PageBytes) -> Self {
        let spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(mut buffer) = spare
            && let Some(content) = Arc::get_mut(&mut buffer)
        {
            content.copy_from_slice(bytes);
            return Page(buffer);
        }
        Page(Arc::new(*bytes))
    }

    /// The content of the page.
    pub(super) fn bytes(&self) -> &PageBytes {
        &self.0
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if Arc::strong_count(&self.0) != 1 {
            return;
        }
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < SPARE_MAX {
            spare.push(Arc::clone(&self.0));
        }
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Page({:02x?}..)", &self.0[..8])
    }
}

/// Pages by number (address / [`PAGE_BYTES`]); a copy costs nothing and shares everything.
#[derive(Clone, Default)]
pub(super) struct PageTable {
    root: Link,
}

type Link = Option<Arc<Node>>;

/// Bits of a page number that one node resolves: small nodes, since a changed page copies the path to it.
const NODE_BITS: u32 = 4;
const CHILDREN: usize = 1 << NODE_BITS;
/// Levels above the leaves: 36 bits of page number are the 48 of an address.
const HEIGHT: u32 = 8;

#[derive(Clone)]
enum Node {
    Branch([Link; CHILDREN]),
    Leaf([Option<Page>; CHILDREN]),
}

impl Node {
    fn empty(height: u32) -> Self {
        if height == 0 { Node::Leaf(Default::default()) } else { Node::Branch(Default::default()) }
    }
}

impl PageTable {
    /// The page of that number, if the table has one.
    pub(super) fn get(&self, number: u64) -> Option<&Page> {
        let mut link = &self.root;
        for height in (0..=HEIGHT).rev() {
            match &**link.as_ref()? {
                Node::Branch(links) => link = &links[child(number, height)],
                Node::Leaf(pages) => return pages[child(number, 0)].as_ref(),
            }
        }
        None
    }

    /// Puts a page in its place, or takes away the one that is there.
    pub(super) fn put(&mut self, number: u64, page: Option<Page>) {
        put(&mut self.root, HEIGHT, number, page);
    }

    /// Takes away all pages of these numbers.
    pub(super) fn clear(&mut self, numbers: &Range<u64>) {
        clear(&mut self.root, HEIGHT, 0, numbers);
    }

    /// Visits every page, in order.
    pub(super) fn each(&self, visit: &mut impl FnMut(u64, &Page)) {
        let nothing = PageTable::default();
        nothing.differences(self, &mut |number, page| {
            if let Some(page) = page {
                visit(number, page);
            }
        });
    }

    /// Visits each number whose page is another one in `other`, with that one, in order. Costs what is
    /// not shared.
    pub(super) fn differences(
        &self,
        other: &PageTable,
        visit: &mut impl FnMut(u64, Option<&Page>),
    ) {
        differences(self.root.as_ref(), other.root.as_ref(), 0, visit);
    }

    /// The bytes that only this table holds.
    pub(super) fn unshared_bytes(&self) -> u64 {
        self.root.as_ref().map_or(0, unshared_bytes)
    }
}

fn child(number: u64, height: u32) -> usize {
    (number >> (height * NODE_BITS)) as usize % CHILDREN
}

fn put(link: &mut Link, height: u32, number: u64, page: Option<Page>) {
    if link.is_none() && page.is_none() {
        return;
    }
    let node = link.get_or_insert_with(|| Arc::new(Node::empty(height)));
    match Arc::make_mut(node) {
        Node::Branch(links) => put(&mut links[child(number, height)], height - 1, number, page),
        Node::Leaf(pages) => pages[child(number, 0)] = page,
    }
}

/// `first` is the first number below the link.
fn clear(link: &mut Link, height: u32, first: u64, numbers: &Range<u64>) {
    let below = 1 << ((height + 1) * NODE_BITS);
    let end = first + below;
    if link.is_none() || numbers.is_empty() || end <= numbers.start || numbers.end <= first {
        return;
    }
    if numbers.start <= first && end <= numbers.end {
        *link = None;
        return;
    }
    let Some(node) = link else { return };
    let step = below / CHILDREN as u64;
    match Arc::make_mut(node) {
        Node::Branch(links) => {
            for (link, first) in links.iter_mut().zip((first..).step_by(step as usize)) {
                clear(link, height - 1, first, numbers);
            }
        }
        Node::Leaf(pages) => {
            for (page, number) in pages.iter_mut().zip(first..) {
                if numbers.contains(&number) {
                    *page = None;
                }
            }
        }
    }
}

fn differences(
    one: Option<&Arc<Node>>,
    other: Option<&Arc<Node>>,
    prefix: u64,
    visit: &mut impl FnMut(u64, Option<&Page>),
) {
    let same = match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        _ => false,
    };
    let Some(kind) = other.or(one).filter(|_| !same) else { return };
    for index in 0..CHILDREN {
        let number = (prefix << NODE_BITS) | index as u64;
        match &**kind {
            Node::Branch(_) => differences(link(one, index), link(other, index), number, visit),
            Node::Leaf(_) => {
                let (one, other) = (page(one, index), page(other, index));
                if one.map(|page| page.bytes().as_ptr()) != other.map(|page| page.bytes().as_ptr())
                {
                    visit(number, other);
                }
            }
        }
    }
}

fn link(node: Option<&Arc<Node>>, index: usize) -> Option<&Arc<Node>> {
    match node.map(|node| &**node) {
        Some(Node::Branch(links)) => links[index].as_ref(),
        _ => None,
    }
}

fn page(node: Option<&Arc<Node>>, index: usize) -> Option<&Page> {
    match node.map(|node| &**node) {
        Some(Node::Leaf(pages)) => pages[index].as_ref(),
        _ => None,
    }
}

fn unshared_bytes(node: &Arc<Node>) -> u64 {
    if 1 < Arc::strong_count(node) {
        return 0;
    }
    let below: u64 = match &**node {
        Node::Branch(links) => links.iter().flatten().map(unshared_bytes).sum(),
        Node::Leaf(pages) => {
            let alone = |page: &&Page| Arc::strong_count(&page.0) == 1;
            (pages.iter().flatten().filter(alone).count() * PAGE_BYTES) as u64
        }
    };
    below + size_of::<Node>() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn page(byte: u8) -> Page {
        Page::new(&[byte; PAGE_BYTES])
    }

    fn content(table: &PageTable) -> Vec<(u64, u8)> {
        let mut content = Vec::new();
        table.each(&mut |number, page| content.push((number, page.bytes()[0])));
        content
    }

    #[test]
    fn a_table_agrees_with_a_map_whatever_is_done_to_it() {
        let seed = 7;
        let mut random = consort_core::Prng::new(seed);
        let (mut table, mut map) = (PageTable::default(), BTreeMap::new());
        let mut kept: Vec<(PageTable, BTreeMap<u64, u8>)> = Vec::new();
        for round in 0..2000 {
            let number = random.next_u64() >> (28 + random.next_u64() % 30);
            let byte = (1 + random.next_u64() % 255) as u8;
            match random.next_u64() % 8 {
                0 => {
                    let numbers = number..number + (random.next_u64() >> 50);
                    table.clear(&numbers);
                    map.retain(|number, _| !numbers.contains(number));
                }
                1 => kept.push((table.clone(), map.clone())),
                2 => {
                    table.put(number, None);
                    map.remove(&number);
                }
                _ => {
                    table.put(number, Some(page(byte)));
                    map.insert(number, byte);
                }
            }
            assert_eq!(
                table.get(number).map(|page| page.bytes()[1]),
                map.get(&number).copied(),
                "seed {seed}, round {round}"
            );
        }
        for (table, map) in kept {
            assert_eq!(content(&table), map.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn differences_are_what_must_be_put_to_get_from_one_to_the_other() {
        let mut one = PageTable::default();
        for number in [3, 77, 1 << 20, 1 << 35] {
            one.put(number, Some(page(1)));
        }
        let mut other = one.clone();
        other.put(77, None);
        other.put(78, Some(page(2)));
        other.put(1 << 35, Some(page(1)));
        let mut seen = Vec::new();
        one.differences(&other, &mut |number, page| {
            seen.push((number, page.map(|page| page.bytes()[0])));
        });
        assert_eq!(seen, [(77, None), (78, Some(2)), (1 << 35, Some(1))]);
        one.differences(&one.clone(), &mut |_, _| panic!("a table differs from itself"));
    }

    #[test]
    fn a_table_holds_alone_only_what_no_other_has() {
        let mut one = PageTable::default();
        for number in 0..1000 {
            one.put(number, Some(page(1)));
        }
        let all = one.unshared_bytes();
        assert!(1000 * 4096 < all && all < 1100 * 4096, "{all}");
        let mut other = one.clone();
        assert_eq!(one.unshared_bytes(), 0);
        other.put(500, Some(page(2)));
        let little = other.unshared_bytes();
        assert!((4096..8192).contains(&little), "{little}");
    }
}
