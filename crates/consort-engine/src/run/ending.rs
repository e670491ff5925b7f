//! Where a run ends, and why.

use super::Advance;
use consort_core::{ComponentId, Tag, Time};

/// The end of a run: requests for it, and what came of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Ending {
    /// When a component asked for the run to end, and which.
    request: Option<(Time, ComponentId)>,
    /// Why the run is over, if it is.
    over: Option<Advance>,
    /// The last tag that belongs to the run, and the component that ended it there.
    last: Option<(Tag, ComponentId)>,
}

impl Ending {
    /// Why the run is over, if it is.
    #[inline]
    pub(super) fn over(&self) -> Option<&Advance> {
        self.over.as_ref()
    }

    /// The last tag that belongs to the run, and the component that ended it there.
    pub(super) fn last(&self) -> Option<(Tag, ComponentId)> {
        self.last
    }

    /// The run is over, unless it was so before for another reason.
    pub(super) fn conclude(&mut self, reason: Advance) {
        self.over.get_or_insert(reason);
    }

    /// Takes in a request to end: of several the earliest counts, then the smallest id.
    #[inline]
    pub(super) fn ask(&mut self, request: Option<(Time, ComponentId)>) {
        self.request = [self.request, request].into_iter().flatten().min();
    }

    /// The request to end the run at a time or earlier.
    #[inline]
    pub(super) fn asked_by(&self, time: Time) -> Option<(Time, ComponentId)> {
        self.request.filter(|(end, _)| *end <= time)
    }

    /// A component ends the run at a tag; the first one counts.
    pub(super) fn end_at(&mut self, tag: Tag, component: ComponentId, name: &str) {
        self.last.get_or_insert((tag, component));
        self.conclude(Advance::Terminated { component: name.to_owned() });
    }

    /// Request and reason for a snapshot. A run that is over only since its time is does not count as
    /// over: it may be restored into a longer experiment.
    pub(crate) fn save(&self) -> SavedEnding {
        let over = self.over.clone().filter(|over| *over != Advance::Finished);
        SavedEnding { request: self.request, over }
    }

    /// Goes back to what was saved.
    pub(crate) fn restore(&mut self, saved: &SavedEnding) {
        self.request = saved.request;
        self.over.clone_from(&saved.over);
        self.last = None;
    }
}

/// What a snapshot keeps of an ending.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SavedEnding {
    pub(crate) request: Option<(Time, ComponentId)>,
    pub(crate) over: Option<Advance>,
}
