//! Errors of a machine; every message names the flow.

use consort_core::{Tag, Time};
use std::fmt;

/// Why an input was refused. The machine is as it was before; what comes from outside never makes it panic.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FlowError {
    /// There is no flow of this number.
    UnknownFlow {
        /// The number of the flow.
        flow: u32,
    },
    /// The node does not receive this flow.
    NotAnInput {
        /// The name of the flow.
        flow: String,
        /// The name of the node.
        node: String,
    },
    /// The node does not emit this flow.
    NotAnOutput {
        /// The name of the flow.
        flow: String,
        /// The name of the node.
        node: String,
    },
    /// Bounds and plans are for event flows only.
    NotAnEventFlow {
        /// The name of the flow.
        flow: String,
    },
    /// The flow does not go to this node.
    NotASink {
        /// The name of the flow.
        flow: String,
        /// The number of the node.
        sink: u32,
    },
    /// A message has another tag than the one before it promised.
    UnexpectedTag {
        /// The name of the flow.
        flow: String,
        /// The tag of the message.
        found: Tag,
        /// The announced tag.
        expected: Tag,
    },
    /// An event comes before a tag before which none was to come.
    BeforeBound {
        /// The name of the flow.
        flow: String,
        /// The tag of the message.
        found: Tag,
        /// The announced bound.
        bound: Tag,
    },
    /// Something comes after the last message of a flow.
    AfterEnd {
        /// The name of the flow.
        flow: String,
        /// The tag of what came, if it has one.
        found: Option<Tag>,
    },
    /// A message promises a next one that is not later.
    NotLater {
        /// The name of the flow.
        flow: String,
        /// The tag of the message.
        tag: Tag,
        /// The tag of the next one.
        next: Tag,
    },
    /// A message promises a next one that does not fit the declared timing.
    WrongTiming {
        /// The name of the flow.
        flow: String,
        /// The tag of the message.
        tag: Tag,
        /// The announced tag.
        next: Tag,
        /// The tag by the timing, `None`: there is no other.
        expected: Option<Tag>,
    },
    /// A message comes although there is no room for it: the source did not wait for credit.
    OverCapacity {
        /// The name of the flow.
        flow: String,
        /// The tag of the message.
        found: Tag,
        /// For how many messages there is room.
        capacity: u32,
    },
    /// A sink grants more room than it has.
    TooMuchCredit {
        /// The name of the flow.
        flow: String,
        /// The name of the sink.
        sink: String,
        /// The credits that were granted in all.
        credits: u64,
        /// The credits that the sink may grant.
        capacity: u32,
    },
    /// More microsteps at one time than allowed: events that cause each other without end.
    TooManyMicrosteps {
        /// The name of the flow.
        flow: String,
        /// The time at which it does not continue.
        time: Time,
        /// The greatest number of microsteps.
        microsteps_max: u32,
    },
    /// An event is planned earlier than its cause allows.
    PlannedTooEarly {
        /// The name of the flow.
        flow: String,
        /// The planned tag.
        tag: Tag,
        /// The earliest possible one.
        earliest: Tag,
    },
    /// The step is not the next one: `poll` returns that.
    NotNow {
        /// What was asked, with the flow if there is one.
        asked: String,
        /// What has to be done first.
        first: String,
    },
}

impl fmt::Display for FlowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FlowError::UnknownFlow { flow } => write!(f, "there is no flow number {flow}"),
            FlowError::NotAnInput { flow, node } => {
                write!(f, "flow `{flow}` does not go to node `{node}`")
            }
            FlowError::NotAnOutput { flow, node } => {
                write!(f, "flow `{flow}` does not come from node `{node}`")
            }
            FlowError::NotAnEventFlow { flow } => {
                write!(f, "flow `{flow}` is no event flow: the tags of its messages are known")
            }
            FlowError::NotASink { flow, sink } => {
                write!(f, "flow `{flow}` does not go to node number {sink}")
            }
            FlowError::OverCapacity { flow, found, capacity } => write!(
                f,
                "flow `{flow}`: a message at {} came without credit: there is room for {capacity}",
                shown(*found)
            ),
            FlowError::TooMuchCredit { flow, sink, credits, capacity } => write!(
                f,
                "flow `{flow}`: node `{sink}` grants room for {credits} messages, it has room for {capacity}"
            ),
            FlowError::NotNow { asked, first } => write!(f, "{asked}, but first: {first}"),
            _ => self.write_about_tags(f),
        }
    }
}

impl FlowError {
    fn write_about_tags(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FlowError::UnexpectedTag { flow, found, expected } => {
                let (found, expected) = (shown(*found), shown(*expected));
                write!(
                    f,
                    "flow `{flow}`: a message at {found} came, one at {expected} was promised"
                )
            }
            FlowError::BeforeBound { flow, found, bound } => {
                let (found, bound) = (shown(*found), shown(*bound));
                write!(f, "flow `{flow}`: {found} came, nothing before {bound} was promised")
            }
            FlowError::AfterEnd { flow, found } => {
                let found = found.map_or_else(|| "a bound".to_owned(), shown);
                write!(f, "flow `{flow}`: {found} came after the end of the flow")
            }
            FlowError::NotLater { flow, tag, next } => {
                let (tag, next) = (shown(*tag), shown(*next));
                write!(f, "flow `{flow}`: the message at {tag} promises the next one at {next}")
            }
            FlowError::WrongTiming { flow, tag, next, expected } => {
                let (tag, next) = (shown(*tag), shown(*next));
                let expected = expected.map_or_else(|| "no other".to_owned(), shown);
                write!(
                    f,
                    "flow `{flow}`: the message at {tag} promises the next one at {next}, declared is {expected}"
                )
            }
            FlowError::TooManyMicrosteps { flow, time, microsteps_max } => write!(
                f,
                "flow `{flow}`: more than {microsteps_max} microsteps at tick {}: events cause each other without end",
                time.ticks()
            ),
            FlowError::PlannedTooEarly { flow, tag, earliest } => {
                let (tag, earliest) = (shown(*tag), shown(*earliest));
                write!(f, "flow `{flow}`: an event is planned at {tag}, the earliest is {earliest}")
            }
            _ => unreachable!("the others do not speak of tags"),
        }
    }
}

impl std::error::Error for FlowError {}

/// A tag as text without a resolution.
pub(super) fn shown(tag: Tag) -> String {
    format!("tick {}.{}", tag.time.ticks(), tag.microstep)
}
