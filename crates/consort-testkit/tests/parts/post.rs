//! Couriers between threads: one bounded channel per crossing, with room for one message.

use consort_core::Time;
use consort_engine::{Courier, CourierError};
use consort_system::{Crossing, Projection};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

type Letter = (Time, Vec<u8>);

/// The courier of one node. It also checks that every message is sent when its crossing says so.
pub(crate) struct Postman {
    projection: Arc<Projection>,
    out: BTreeMap<usize, SyncSender<Letter>>,
    into: BTreeMap<usize, Receiver<Letter>>,
    /// By crossing: when the next message is due.
    next: Vec<Option<Time>>,
}

/// A courier for each node.
pub(crate) fn postmen(projection: &Arc<Projection>) -> Vec<Postman> {
    let new = || Postman {
        projection: Arc::clone(projection),
        out: BTreeMap::new(),
        into: BTreeMap::new(),
        next: Vec::new(),
    };
    let mut all: Vec<Postman> = projection.placement.nodes.iter().map(|_| new()).collect();
    for (index, crossing) in projection.crossings.iter().enumerate() {
        let (sender, receiver) = sync_channel(1);
        all[crossing.from.index()].out.insert(index, sender);
        all[crossing.to.index()].into.insert(index, receiver);
    }
    all
}

impl Postman {
    fn gone(&self, crossing: usize) -> CourierError {
        let node = self.projection.crossings[crossing].name.clone();
        CourierError { node, reason: "is gone".to_owned(), at: None }
    }

    fn note(&mut self, crossing: usize, time: Time) {
        let it = &self.projection.crossings[crossing];
        assert_eq!(self.next[crossing], Some(time), "{} at its time", it.name);
        let next = it.period.map(|period| time + period);
        self.next[crossing] = next.filter(|next| *next <= it.last);
    }

    /// Whether every message was sent and received.
    fn is_done(&self) -> bool {
        let mine = self.out.keys().chain(self.into.keys());
        mine.into_iter().all(|&crossing| self.next[crossing].is_none())
    }
}

impl Courier for Postman {
    fn begin(&mut self, after: Option<Time>) -> Result<(), CourierError> {
        let first = |it: &Crossing| after.map_or(Some(it.first), |after| it.first_after(after));
        self.next = self.projection.crossings.iter().map(first).collect();
        Ok(())
    }

    fn send(&mut self, crossing: usize, time: Time, payload: &[u8]) -> Result<(), CourierError> {
        self.note(crossing, time);
        self.out[&crossing].send((time, payload.to_vec())).map_err(|_| self.gone(crossing))
    }

    fn receive(
        &mut self,
        crossing: usize,
        time: Time,
        into: &mut Vec<u8>,
    ) -> Result<(), CourierError> {
        self.note(crossing, time);
        let (sent, payload) = self.into[&crossing].recv().map_err(|_| self.gone(crossing))?;
        assert_eq!(sent, time, "messages are consumed at the time they were sent for");
        *into = payload;
        Ok(())
    }

    fn reached(&mut self, tag: consort_core::Tag) {
        let ends = self.projection.crossings.iter().map(|it| it.last).max();
        if ends.is_some_and(|last| last < tag.time) {
            assert!(self.is_done(), "nothing is left to send after {tag:?}");
        }
    }
}
