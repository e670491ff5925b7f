//! Single links.

use crate::locator;
use crate::processes::CERTIFIED as NODE;
use consort_node::frame::{self, Body, Frame};
use consort_node::link::{Link, Received, ZenohLink, ZenohListener};
use consort_node::{Authority, TlsFiles};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(20);

fn wait(descriptor: BorrowedFd<'_>) {
    let patience = Timespec::try_from(PATIENCE).expect("20 s is a time");
    let mut ends = [PollFd::new(&descriptor, PollFlags::IN)];
    assert_eq!(poll(&mut ends, Some(&patience)).expect("it can be polled"), 1, "nothing came");
}

/// Both ends of a link, that which connected first.
fn pair(locator: &str, tls: Option<&TlsFiles>) -> (ZenohLink, ZenohLink, ZenohListener) {
    let listener = ZenohListener::open(locator, tls).expect("the port is free");
    std::thread::scope(|scope| {
        let connecting = scope.spawn(|| ZenohLink::connect(locator, tls, PATIENCE));
        let accepted = loop {
            wait(listener.as_fd());
            if let Some(link) = listener.accept().expect("it can be opened") {
                break link;
            }
        };
        let connected = connecting.join().expect("no panic").expect("there is a listener");
        (connected, accepted, listener)
    })
}

fn receive(link: &mut ZenohLink) -> Option<Vec<u8>> {
    let mut frame = Vec::new();
    loop {
        match link.receive(&mut frame).expect("the link is whole") {
            Received::Frame => return Some(frame),
            Received::Nothing => wait(link.as_fd()),
            Received::Closed => return None,
        }
    }
}

/// A frame that carries `size` bytes.
fn frame(size: usize) -> Vec<u8> {
    let bytes: Vec<u8> = (0..size).map(|index| index as u8).collect();
    let mut frame = Vec::new();
    let body = Body::Answer(&bytes);
    frame::encode(&Frame { sequence: 0, acknowledgment: 0, body }, &mut frame);
    frame
}

/// Several in a message, one in a message, and one that is cut into fragments.
pub(crate) fn frames_arrive() {
    let (mut one, mut other, _listener) = pair(&locator("tcp"), None);
    let frames: Vec<Vec<u8>> = [0, 1, 100, 40_000, 5, 300_000, 7].map(frame).to_vec();
    for _ in 0..2 {
        for frame in &frames {
            one.send(frame).expect("the link is whole");
        }
        one.flush().expect("the link is whole");
        let received: Vec<Vec<u8>> = frames.iter().filter_map(|_| receive(&mut other)).collect();
        assert!(received == frames, "{:?}", received.iter().map(Vec::len).collect::<Vec<_>>());
        std::mem::swap(&mut one, &mut other);
    }
}

pub(crate) fn dropped_is_closed() {
    let listening = locator("tcp");
    let (mut one, other, listener) = pair(&listening, None);
    drop(other);
    assert_eq!(receive(&mut one), None);
    drop((one, listener));
    let (one, mut other, _listener) = pair(&listening, None);
    drop(one);
    assert_eq!(receive(&mut other), None);
}

pub(crate) fn no_listener() {
    let begin = Instant::now();
    let connected = ZenohLink::connect(&locator("tcp"), None, Duration::from_secs(1));
    assert!(connected.is_err(), "there is no listener");
    assert!(begin.elapsed() < Duration::from_secs(5), "it took {:?}", begin.elapsed());
}

pub(crate) fn no_locator() {
    for locator in ["carrier-pigeon/roof:1", "tcp/\"quoted\":1", ""] {
        let words = ZenohListener::open(locator, None).err().map(|error| error.to_string());
        assert!(words.is_some_and(|words| words.starts_with("zenoh: ")), "{locator}");
    }
}

pub(crate) fn no_certificate() {
    let (folder, locator) = (certificates(), locator("tls"));
    let mut files = Authority::files(folder.path(), NODE);
    let (mut one, mut other, _listener) = pair(&locator, Some(&files));
    one.send(&frame(3)).and_then(|()| one.flush()).expect("the link is whole");
    assert_eq!(receive(&mut other), Some(frame(3)));
    let foreign = certificates();
    let theirs = Authority::files(foreign.path(), NODE);
    (files.certificate, files.key) = (theirs.certificate, theirs.key);
    let connected = ZenohLink::connect(&locator, Some(&files), Duration::from_secs(2));
    assert!(connected.is_err(), "another authority signed it");
}

/// A folder with an authority, and a certificate that it signed with its key, for `NODE`.
pub(crate) fn certificates() -> TempDir {
    let folder = tempfile::tempdir().expect("there is room");
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let authority = Authority::new(folder.path()).expect("the folder is writable");
    authority.certify_names(NODE, names).expect("the folder is writable");
    folder
}
